(* TokenForeverKind: the claim `token-forever`, where the attention stage of one-hot sentences goes from a step of its
   training on (T23). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads Saturation Claims Iteration HeadRuns TokenHead Number Rows TokenData
                           MarginChecks OptimalityChecks EnclosureChecks Interval IntervalTables ReferenceIntervals
                           RunChecks PathChecks ForeverChecks TokenPlaces TokenReplay TokenTrees TokenRunChecks
                           TokenSees TokenForeverChecks ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section TokenForeverKind.
Variable N : number.

Record token_forever_data := TokenForeverData {
  enduring_solution : nat;                 (* the claims about the solution, *)
  enduring_run : nat;                      (* and about the run, *)
  enduring_pairs : seq (nat * nat);
  enduring_training : token_training N;    (* that run, *)
  enduring_from : nat;                     (* and the step *)
  enduring_said : token_future N;
  enduring_square : N;                     (* guesses: of the curvature's ratio, and the vectors that show it *)
  enduring_vectors : seq (column_vectors N)
}.

(* The training of TokenRunKind.v, from the step on, along the only shortest separating matrix. *)
Definition token_forever_says : claim_statement N token_forever_data := fun D alpha x =>
  let r := enduring_training x in
  let next := @next_token N D (enduring_pairs x) in
  let c := frozen_scale D (enduring_pairs x) r in
  let step := fraction_real (attended_step r) in
  [/\ 0 < step, 0 < c & exists y : group (problem D) -> 'I_(left_dimension D),
    (forall i, next (alpha i) = Some (y i)) /\
    exists2 ws, max_margin alpha ws & 0 < vnorm ws /\
      let h := token_head next y c in
      forall w : nat -> vec (coord (problem D)), w O = vzero ->
        head_follows h 0 NormalisedSteps (fun=> step) w ->
        token_lasts alpha h (frozen_least D (enduring_pairs x) r) step ws (enduring_said x)
          (fun n => w (enduring_from x + n)%nat)].

(* ---- the run that the fact is about ---- *)

Definition same_token_training (r r' : token_training N) : bool :=
  [&& identical_fraction (fed_step r) (fed_step r'), fed_steps r == fed_steps r' &
      identical_fraction (attended_step r) (attended_step r')].

Lemma same_token_trainingP D pairs r r' : same_token_training r r' ->
  [/\ fraction_real (attended_step r) = fraction_real (attended_step r'),
      frozen_scale (N := N) D pairs r = frozen_scale D pairs r' & frozen_least D pairs r = frozen_least D pairs r'].
Proof.
have E q q' : identical_fraction (N := N) q q' -> fraction_real q = fraction_real q'.
  by case/andP=> Hn Hd; rewrite /fraction_real (same_real Hn) (same_real Hd).
by case/and3P=> /E fed /eqP steps /E own; rewrite /frozen_least /frozen_scale fed steps own.
Qed.

(* ---- the check ---- *)

Notation P := token_precision.

(* v, m: the solution's multipliers and margins. *)
Definition enduring_check (D : token_data N) (picks : seq nat) (v : vector N) (m : seq (seq N)) (T : tree N)
    (S : interval N) (x : token_forever_data) : bool :=
  let pairs := enduring_pairs x in
  let r := enduring_training x in
  let f := reference_of D P picks v m (multiplier_mask v) (interval0 N) (interval0 N) in
  [&& [&& fraction_ok (attended_step r), lt zero (fraction_num (attended_step r)), (0 < size (sequences D))%nat,
          (1 < left_dimension D)%nat & has_constraint D picks],
      token_stage_ok D picks pairs && is_positive (scale_interval D pairs r P),
      rows_seen_check D picks P (enduring_square x) (enduring_vectors x) &
      token_future_check D picks pairs r T S (enduring_square x) f (exact_table P (denominator v) (numerators v))
        (enduring_said x)].

Definition token_forever_claim_check : claim_checker N token_forever_data := fun quick D picks cited x =>
  match cited (enduring_run x), cited (enduring_solution x) with
  | TokenFact pairs r points, ExactFact v _ m =>
      if found_at (enduring_from x) points is Some (T, above) then
        accept [&& pairs == enduring_pairs x, same_token_training r (enduring_training x) &
                   enduring_check D picks v m T above x]
          (TokenFutureFact (enduring_solution x) (enduring_pairs x) (enduring_training x) (enduring_from x) T
             (enduring_said x))
      else None
  | _, _ => None
  end.

(* Later points of a run by steps of one length are a run. *)
Lemma later_tokens (p : selection_problem) (h : head p) (step : R) w t :
  head_follows h 0 NormalisedSteps (fun=> step) w ->
  head_follows h 0 NormalisedSteps (fun=> step) (fun n => w (t + n)%nat).
Proof. by move=> run n; rewrite addnS; exact: run. Qed.

Theorem token_forever_holds : check_holds token_forever_says token_forever_claim_check.
Proof.
move=> quick D picks Dok Pok cited [j k pairs r t c square vectors] f facts; rewrite /token_forever_claim_check /=.
have run_fact := facts k; have solution_fact := facts j.
case: (cited k) run_fact => // pairs' r' points run_fact; case: (cited j) solution_fact => // v m' m solution_fact.
case found: found_at => [[T S]|] // /acceptP[/and3P[/eqP E same checked] <-]; subst pairs'.
have [_ mE] : vector_ok D picks v /\ m = margins D picks v by case: solution_fact.
have [vok _ _ sol] := solution_fact; have [best mult] := sol; rewrite mE in checked.
have /and4P[/and5P[sok /lt_real s0 some two cs] /andP[Sok c0] seen future] := checked.
have constraints := has_constraintP Pok cs.
have step0 : 0 < fraction_real (attended_step r).
  by apply: Rdiv_lt_0_compat; [rewrite real0 in s0 | exact: fraction_den_gt0].
have [stepE scaleE leastE] := same_token_trainingP D pairs same.
have sol0 := solved_exact vok sol.
have reference := reference_of_encloses P Dok vok sol0 constraints (contains0 N) (contains0 N).
have shares : encloses (exact_table P (denominator v) (numerators v)) (@coefficient_of N D v).
  by have /and3P[_ fv _] := vok; exact: exact_table_encloses.
have chosen := chosen_wanted Dok Pok Sok; set y := wanted_output Dok Pok Sok in chosen.
have lasts w : w O = vzero -> head_follows (token_head (@next_token N D pairs) y (frozen_scale D pairs r)) 0
    NormalisedSteps (fun=> fraction_real (attended_step r)) w -> @tree_encloses N D T (w t) /\
    token_lasts (selection_of Pok) (token_head (@next_token N D pairs) y (frozen_scale D pairs r))
      (frozen_least D pairs r) (fraction_real (attended_step r)) (W (selection_of Pok) (@coefficient_of N D v)) c
      (fun n => w (t + n)%nat).
  move=> start run; have run' := run; rewrite -stepE -scaleE in run'.
  have [tree_in loss_in] := run_fact y chosen w start run' _ (found_at_in found).
  rewrite /= scaleE leastE in tree_in loss_in; split=> //.
  have tree0 : @tree_encloses N D T ((fun n => w (t + n)%nat) 0%nat) by rewrite addn0.
  have loss0 : contains S (head_loss (token_head (@next_token N D pairs) y (frozen_scale D pairs r))
      ((fun n => w (t + n)%nat) 0%nat) - frozen_least D pairs r) by rewrite addn0.
  exact (future_check_sound some two c0 best mult constraints reference shares seen tree0 loss0 (later_tokens t run)
    step0 future).
split.
  split=> //; first exact: frozen_gt0 c0.
  exists y; split=> //; exists (W (selection_of Pok) (@coefficient_of N D v)) => //.
  split=> [|h w start run]; first exact: solution_norm_gt0 (proj1 best) constraints.
  by have [] := lasts w start run.
move=> y' chosen'; have E : y' = y.
  apply: FunctionalExtensionality.functional_extensionality => i.
  by have := chosen' i; rewrite chosen => -[].
rewrite E => h w start run; have [tree_in holds] := lasts w start run; split=> // ws M.
by rewrite (max_margin_unique M best).
Qed.

Definition token_forever_kind : claim_kind N := ClaimKind token_forever_holds.
End TokenForeverKind.
