(* TokenRunKind: the claim `token-run`, where the attention stage of one-hot sentences is at some of its steps. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads Saturation Claims Iteration HeadRuns TokenHead Number Rows TokenData
                           MarginChecks OptimalityChecks EnclosureChecks Interval IntervalTables RunChecks UnitRows
                           TokenPlaces TokenReplay TokenTrees TokenRunChecks ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section TokenRunKind.
Variable N : number.

Record token_run_data := TokenRunData {
  token_from : option nat;             (* the claim about the solution *)
  token_pairs : seq (nat * nat);       (* the tokens, and what is next to them *)
  token_said : token_training N;
  token_steps : nat;
  token_checkpoints : seq (token_checkpoint N);
  token_bits : Z                       (* a guess *)
}.

(* The selected tokens are those with the output y next to them. W_ov is frozen where its steps leave it: the output
   next to what is attended to is above all others by c. Every training of the attention from 0 by normalised steps of
   that length on the mean cross-entropy of y is, at the checkpoints, where the claim says; correlations are those with
   the only shortest separating matrix. *)
Definition token_run_says : claim_statement N token_run_data := fun D alpha x =>
  let next := @next_token N D (token_pairs x) in
  let c := frozen_scale D (token_pairs x) (token_said x) in
  let least := frozen_least D (token_pairs x) (token_said x) in
  let step := fraction_real (attended_step (token_said x)) in
  [/\ 0 < step, 0 < c & exists y : group (problem D) -> 'I_(left_dimension D),
    (forall i, next (alpha i) = Some (y i)) /\
    let h := token_head next y c in
    let each (holds : token_checkpoint N -> vec (coord (problem D)) -> Prop) :=
      forall w : nat -> vec (coord (problem D)), w O = vzero -> head_follows h 0 NormalisedSteps (fun=> step) w ->
        forall k, List.In k (token_checkpoints x) -> holds k (w (token_at k)) in
    each (token_seen alpha h least) /\
    if token_from x is Some _ then exists2 ws, max_margin alpha ws & each (fun k w => token_correlated k w ws)
    else forall k, List.In k (token_checkpoints x) -> token_corr_claim k = None].

(* The solution as a claim has established it exactly. *)
Definition exact_solution (P : Z) (D : token_data N) (f : fact N) : option (token_solution N) :=
  if f is ExactFact v _ m then
    Some (TokenSolution (exact_table P (denominator v) (numerators v))
            (isqrt P (ratio P (mul (weight_unit D v) (weight_unit D v)) (energy v m))))
  else None.

Lemma exact_solutionP P (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) f s :
  fact_meaning picks (selection_of Pok) f -> exact_solution P D f = Some s ->
  exists2 ws, max_margin (selection_of Pok) ws & solution_enclosed Pok s ws.
Proof.
case: f => // v _ m /= [vok _ -> [best _]] [<-]; exists (W (selection_of Pok) (@coefficient_of N D v)) => //.
exists (@coefficient_of N D v); first by have /and3P[_ fv _] := vok; exact: exact_table_encloses.
split=> //; rewrite /vnorm (energy_value Dok Pok vok).
exact (isqrt_contains P (ratio_contains P _ _)).
Qed.

Definition token_run_claim_check : claim_checker N token_run_data := fun quick D picks cited x =>
  let run s :=
    omap (TokenFact (token_pairs x) (token_said x))
      (token_run_check D picks (token_pairs x) (token_said x) (token_bits x) s (token_checkpoints x)) in
  if token_from x is Some k then
    if exact_solution (token_bits x) D (cited k) is Some s then run (Some s) else None
  else run None.

Lemma never_correlated (D : token_data N) picks pairs r P ks points :
  token_run_check D picks pairs r P None ks = Some points -> forall k, List.In k ks -> token_corr_claim k = None.
Proof.
have later (T : tree N) rows scale n t ps : token_follow D picks r P scale rows None ks n t T = Some ps ->
    forall k, List.In k ks -> (t <= token_at k <= t + n)%nat -> token_corr_claim k = None.
  have here k v T' u : List.In k ks -> token_at k = u ->
      all (token_checkpoint_check D picks P scale rows None T' v) [seq k <- ks | token_at k == u] ->
      token_corr_claim k = None.
    move=> kin E; elim: ks kin => //= k' ks' IH [-> | /IH H] /=; first by
      rewrite E eqxx /= => /andP[/and5P[_ _ _ _]]; rewrite /token_corr_check; case: token_corr_claim.
    by case: ifP => //= _ /andP[_ /H].
  elim: n t T ps => [|n IH] t T ps /=; case: ifP => // Hall.
    by move=> _ k kin; rewrite addn0 -eqn_leq => /eqP E; exact: here kin (esym E) Hall.
  case rest: token_follow => [qs|] //= _ k kin.
  case/andP; rewrite leq_eqVlt => /orP[/eqP E _ | lt le]; first exact: here kin (esym E) Hall.
  by apply: (IH t.+1 _ _ rest k kin); rewrite lt addSnnS.
rewrite /token_run_check; case: ifP => // _ H k kin; apply: (later _ _ _ _ _ _ H k kin).
by rewrite leq0n add0n; exact: last_token_le.
Qed.

Theorem token_run_holds : check_holds token_run_says token_run_claim_check.
Proof.
move=> quick D picks Dok Pok cited [from pairs r n ks P] f facts; rewrite /token_run_claim_check /=.
have sound s points : token_run_check D picks pairs r P s ks = Some points -> [/\ 0 < fraction_real (attended_step r),
    0 < frozen_scale D pairs r, exists y : group (problem D) -> 'I_(left_dimension D),
    (forall i, @next_token N D pairs (selection_of Pok i) = Some (y i)) /\
    forall ws, (if s is Some s then solution_enclosed Pok s ws else True) ->
    forall w : nat -> vec (coord (problem D)), w O = vzero ->
    head_follows (token_head (@next_token N D pairs) y (frozen_scale D pairs r)) 0 NormalisedSteps
      (fun=> fraction_real (attended_step r)) w -> forall k, List.In k ks ->
    token_seen (selection_of Pok) (token_head (@next_token N D pairs) y (frozen_scale D pairs r))
      (frozen_least D pairs r) k (w (token_at k)) /\ token_correlated k (w (token_at k)) ws &
    forall ws, (if s is Some s then solution_enclosed Pok s ws else True) ->
    fact_meaning picks (selection_of Pok) (TokenFact pairs r points)].
  rewrite /token_run_check; case: ifP => // /and5P[sok /lt_real s0 some Sok c0] H; split.
  - by apply: Rdiv_lt_0_compat; [rewrite real0 in s0 | exact: fraction_den_gt0].
  - exact: frozen_gt0 c0.
  - exists (wanted_output Dok Pok Sok); split; first exact: chosen_wanted.
    move=> ws near w start run k kin.
    have H0 : @tree_encloses N D Leaf (w 0%nat) by rewrite start; exact: leaf_encloses.
    have [holds _] := token_follow_sound some c0 near run H0 H; apply: (holds k kin).
    by rewrite leq0n add0n; exact: last_token_le.
  move=> ws near y chosen; have E : y = wanted_output Dok Pok Sok.
    apply: FunctionalExtensionality.functional_extensionality => i.
    by have := chosen i; rewrite (chosen_wanted Dok Pok Sok) => -[].
  rewrite E => h w start run q qin.
  have H0 : @tree_encloses N D Leaf (w 0%nat) by rewrite start; exact: leaf_encloses.
  by have [_ passed] := token_follow_sound some c0 near run H0 H; exact: passed qin.
case: from => [j | ].
  case E: exact_solution => [s | ] //; case H: token_run_check => [points|] //= [<-].
  have [ws best near] := exact_solutionP Dok (facts j) E.
  have [step0 c0 [y [chosen holds]] kept] := sound _ _ H; split; last exact: kept near.
  split=> //; exists y; split=> //.
  split=> [w start run k kin|]; first by have [] := holds ws near w start run k kin.
  by exists ws => // w start run k kin; have [] := holds ws near w start run k kin.
case H: token_run_check => [points|] //= [<-]; have [step0 c0 [y [chosen holds]] kept] := sound _ _ H.
split; last exact: (kept vzero).
split=> //; exists y; split=> //; split; last exact: never_correlated H.
by move=> w start run k kin; have [] := holds vzero I w start run k kin.
Qed.

Definition token_run_kind : claim_kind N := ClaimKind token_run_holds.
End TokenRunKind.
