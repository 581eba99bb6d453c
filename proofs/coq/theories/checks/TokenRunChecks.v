(* TokenRunChecks: what a claim about the attention stage's training on one-hot sentences says at its checkpoints,
   decided by the replay entry by entry (TokenReplay.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Gradient Heads Direction Saturation Claims Iteration HeadRuns TokenHead
                           Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary
                           IntervalTables AttentionIntervals ReferenceIntervals Runs RunChecks MirrorRunChecks UnitRows
                           TokenPlaces TokenReplay TokenTrees.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- what is said ---- *)

(* Normalised steps of both stages from 0. *)
Record token_training (N : number) := TokenTraining {
  fed_step : fraction N; fed_steps : nat;   (* of the feed-forward stage, which is then frozen *)
  attended_step : fraction N
}.

Record token_checkpoint (N : number) := TokenCheckpoint {
  token_at : nat;
  token_norm_claim : claimed_band N; token_loss_claim : claimed_band N; token_unselected_claim : claimed_band N;
  token_corr_claim : option (claimed_band N)
}.

Section Said.
Variables (N : number) (D : token_data N) (pairs : seq (nat * nat)) (r : token_training N).
Notation V := (left_dimension D).

(* How many tokens have a next one. *)
Definition paired_tokens : nat := size (undup [seq a.1 | a <- pairs]).

(* c: where the feed-forward stage's training leaves it, n(x) is above all other outputs by it (FeedForwardRay.v). *)
Definition frozen_scale : R :=
  INR (fed_steps r) * fraction_real (fed_step r) / sqrt (INR paired_tokens * (INR V - 1) / INR V).

(* L*, of all attention on the selected tokens. *)
Definition frozen_least : R := ln (1 + (INR V - 1) * exp (- frozen_scale)).
End Said.

(* A step, the entries of W there, and L - L*. *)
Definition token_point (N : number) : Type := (nat * (tree N * interval N))%type.

Section Seen.
Variables (N : number) (p : selection_problem) (alpha : selection p) (h : head p) (least : R).
Variables (k : token_checkpoint N) (w : vec (coord p)).

(* ||W||, L - L*, the most attention off a selected token. *)
Definition token_seen : Prop :=
  [/\ in_band (band_real (token_norm_claim k)) (vnorm w),
      in_band (band_real (token_loss_claim k)) (head_loss h w - least),
      forall i, 1 - attention w (alpha i) <= (band_real (token_unselected_claim k)).2 &
      exists i, (band_real (token_unselected_claim k)).1 <= 1 - attention w (alpha i)].

(* 1 less the correlation with the solution. *)
Definition token_correlated (x : vec (coord p)) : Prop :=
  if token_corr_claim k is Some b then
    0 < vnorm w * vnorm x /\ in_band (band_real b) (1 - dot w x / (vnorm w * vnorm x))
  else True.
End Seen.

(* ---- the check ---- *)

Section Check.
Variables (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat)) (r : token_training N) (P : Z).
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation V := (of_natural N (left_dimension D)).

Definition scale_interval : interval :=
  idiv P (imul P (exactly (of_natural N (fed_steps r))) (claimed P (fed_step r)))
         (isqrt P (ratio P V (mul (of_natural N (paired_tokens pairs)) (sub V one)))).

Variables (scale : interval) (rows : token_rows_of N).

Definition token_advance (T : tree N) (v : token_look N) : tree N :=
  let G := put_table P (row_keys rows) (pull_rows P scale rows v) in
  tree_moved P (idiv P (claimed P (attended_step r)) (isqrt P (tree_squares P G))) T G.

(* The mean of the sentences' losses above L*. *)
Definition token_excess_in (v : token_look N) : interval :=
  let least := iexp P (iopp scale) in
  let factor := idiv P least (iadd P (interval1 N) (imul P (exactly (sub V one)) least)) in
  let above a := exp_minus_1 P (imul P scale a) in
  let paired := within (row_paired rows) (interval0 N)
    (spread_column (fun off a => above (iadd P a off)) (look_off v) (look_attention v)) in
  let free := combine_columns (imul P) (row_free rows) [seq above off | off <- look_off v] in
  isum P [seq imul P (group_share D P) (log_1_plus P (imul P factor x))
         | x <- combine_columns (iadd P) (group_sums P paired) free].

(* The solution's multipliers, and its norm. *)
Record token_solution := TokenSolution { solution_shares : seq (seq interval); solution_length : interval }.
Variable solution : option token_solution.

Definition token_corr_check (norm : interval) (T : tree N) (b : option (claimed_band N)) : bool :=
  match b, solution with
  | Some b, Some x =>
      let leads := lead_table picks P rows (entries_table rows T) in
      let along := isum P (group_sums P (combine_tables (imul P) (solution_shares x) leads)) in
      is_positive norm && is_positive (solution_length x) &&
        between_ends P b (isub P (interval1 N) (idiv P (idiv P along (solution_length x)) norm))
  | Some _, None => false
  | None, _ => true
  end.

Definition token_checkpoint_check (T : tree N) (v : token_look N) (k : token_checkpoint N) : bool :=
  let norm := isqrt P (tree_squares P T) in
  [&& between_ends P (token_norm_claim k) norm, between_ends P (token_loss_claim k) (token_excess_in v),
      all (fun I => certainly_le I (claimed P (token_unselected_claim k).2)) (look_off v),
      has (certainly_le (claimed P (token_unselected_claim k).1)) (look_off v) &
      token_corr_check norm T (token_corr_claim k)].

(* n more steps, this one number t: where the checkpoints are, if all are as said. *)
Fixpoint token_follow (ks : seq (token_checkpoint N)) (n t : nat) (T : tree N) : option (seq (token_point N)) :=
  let v := look_from D picks P rows T in
  let here := [seq k <- ks | token_at k == t] in
  if all (token_checkpoint_check T v) here then
    let seen := if here is [::] then [::] else [:: (t, (T, token_excess_in v))] in
    if n is n'.+1 then omap (cat seen) (token_follow ks n' t.+1 (token_advance T v)) else Some seen
  else None.
End Check.

Definition last_token (N : number) (ks : seq (token_checkpoint N)) : nat :=
  foldr (fun k => maxn (token_at k)) 0%nat ks.

Definition token_run_check (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat))
    (r : token_training N) (P : Z) (solution : option (token_solution N)) (ks : seq (token_checkpoint N)) :
    option (seq (token_point N)) :=
  let scale := scale_interval D pairs r P in
  if [&& fraction_ok (attended_step r), lt zero (fraction_num (attended_step r)), (0 < size (sequences D))%nat,
      token_stage_ok D picks pairs & is_positive scale] then
    token_follow D picks r P scale (token_rows_made D picks pairs) solution ks (last_token ks) 0 Leaf
  else None.

(* ---- soundness ---- *)

Local Opaque contains.

Section Soundness.
Variables (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat)) (r : token_training N) (P : Z).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks) (Sok : token_stage_ok D picks pairs).
Hypothesis some_group : (0 < size (sequences D))%nat.
Let alpha : selection (problem D) := selection_of Pok.
Notation rows := (token_rows_made D picks pairs).
Notation next := (@next_token N D pairs).
Notation wanted := (wanted_output Dok Pok Sok).
Notation c := (frozen_scale D pairs r).
Let scale := scale_interval D pairs r P.
Hypothesis scale_gt0 : is_positive scale.
Let h : head (problem D) := stage_head Dok Pok Sok c.

Lemma frozen_scale_contains : contains scale c.
Proof.
apply: idiv_contains.
  by apply: imul_contains; [rewrite -(of_natural_real N); exact: exactly_contains | exact: claimed_contains].
apply: isqrt_contains; have := ratio_contains P (of_natural N (left_dimension D))
  (mul (of_natural N (paired_tokens pairs)) (sub (of_natural N (left_dimension D)) one)).
by rewrite realM realB real1 !of_natural_real.
Qed.

Lemma frozen_gt0 : 0 < c.
Proof. exact: is_positive_real frozen_scale_contains scale_gt0. Qed.

Let apart := next_apart (D := D) (pairs := pairs) Sok.
Let chosen := chosen_wanted Dok Pok Sok.

Section AtPoint.
Variables (T : tree N) (w : vec (coord (problem D))).
Hypothesis HT : @tree_encloses N D T w.
Let v := look_from D picks P rows T.
Let entries_in : entries_enclose T w := fun jk => tree_entry jk HT.

(* ---- a step ---- *)

Theorem token_advance_encloses w' : w' = moved (head_gradient h) (fun z => head_loss h z - 0) NormalisedSteps
  (fun=> fraction_real (attended_step r)) 0 w -> tree_encloses (token_advance r P scale rows T v) w'.
Proof.
set x := fraction_real _; set G := combine predT (pull_at Dok Pok Sok c w) (@feature (problem D)).
have -> : moved (head_gradient h) (fun z => head_loss h z - 0) NormalisedSteps (fun=> x) 0 w = (w + x / vnorm G * G)%V.
  have E := pull_direction Dok Pok Sok c w.
  set K := / INR (size (sequences D)) * c in E.
  have K0 : 0 < K.
    apply: Rmult_lt_0_compat frozen_gt0; apply: Rinv_0_lt_compat; apply: lt_0_INR; exact/ltP.
  rewrite /moved /step_factor -(vnormN (head_gradient h w)) E -/G vnormZ Rabs_pos_eq; last exact: Rlt_le.
  have twice (g : vec (coord (problem D))) : g = (- - g)%V by vec_ring.
  rewrite (twice (head_gradient h w)) E -/G; have -> : x / vnorm G = x / (K * vnorm G) * K.
    by rewrite /Rdiv Rinv_mult -[LHS]Rmult_1_r -(Rinv_l K); [ring | lra].
  by move: (x / (K * vnorm G)) (G) => y g; vec_ring.
move=> ->; have HG : tree_encloses (put_table P (row_keys rows) (pull_rows P scale rows v)) G.
  exact: (put_table_encloses P Dok Sok (pull_rows_enclose P Dok Pok Sok frozen_scale_contains entries_in)).
apply: (tree_moved_encloses P _ HT HG).
exact (idiv_contains P (claimed_contains P (attended_step r)) (tree_norm_contains P HG)).
Qed.

(* ---- a checkpoint ---- *)

Let all_selected (t : token (problem D)) : R := if t == selected alpha t then 1 else 0.

Lemma token_excess_contains : contains (token_excess_in D P scale rows v) (head_loss h w - frozen_least D pairs r).
Proof.
have -> : head_loss h w - frozen_least D pairs r = \sum_i weight (s := problem D) i *
    (head_value h i (attention w) - head_value h i all_selected).
  have own i : all_selected (alpha i) = 1 by rewrite /all_selected /selected (group_of_pick alpha) eqxx.
  have other i t : others alpha i t -> all_selected t = 0.
    by case/andP=> Qt _; rewrite /all_selected (negbTE Qt).
  rewrite (eq_bigr (fun i => weight (s := problem D) i * head_value h i (attention w) -
      weight (s := problem D) i * frozen_least D pairs r)) => [|i _].
    rewrite sumB /head_loss; congr (_ - _); rewrite -sum_mulr /weight /= /mean_weight sum_const card_ord.
    by rewrite Rinv_r ?Rmult_1_l //; apply: not_0_INR => E; have := some_group; rewrite E.
  by rewrite (token_least c apart chosen (own i) (@other i)) /frozen_least card_ord; ring.
have excess i : head_value h i (attention w) - head_value h i all_selected =
    ln (1 + exp (- c) / (1 + (INR (left_dimension D) - 1) * exp (- c)) * token_change_sum next c alpha i (attention w)).
  have own : all_selected (alpha i) = 1 by rewrite /all_selected /selected (group_of_pick alpha) eqxx.
  have other t : others alpha i t -> all_selected t = 0.
    by case/andP=> Qt _; rewrite /all_selected (negbTE Qt).
  by have := token_excess c apart chosen (attention w) own other; rewrite card_ord.
have least := iexp_contains P (iopp_contains frozen_scale_contains).
have factor := idiv_contains P least (iadd_contains P (@contains1 N) (imul_contains P
  (exactly_contains (sub (of_natural N (left_dimension D)) one)) least)).
rewrite realB real1 of_natural_real in factor.
have off := look_off_encloses P Dok Pok Sok entries_in.
have above I (x : R) : contains I x -> contains (exp_minus_1 P (imul P scale I)) (exp (c * x) - 1).
  by move=> HI; apply: exp_minus_1_contains; exact: imul_contains frozen_scale_contains HI.
have paired := paired_table_encloses P Dok Pok Sok entries_in (C := fun i => 1 - attention w (alpha i))
  (f := fun off a => exp_minus_1 P (imul P scale (iadd P a off)))
  (F := fun t => exp (c * (attention w t + (1 - attention w (alpha (group_of t))))) - 1) off
  (fun t I J HI HJ => above _ _ (iadd_contains P HJ HI)).
have free := combine_column (f := imul P)
  (C := fun i => free_outputs (D := D) pairs i * (exp (c * (1 - attention w (alpha i))) - 1)) (free_encloses Sok)
  (map_column off (fun i I HI => above I _ HI)) (fun i I J HI HJ => imul_contains P HI HJ).
have sums := combine_column (f := iadd P) (C := fun i => token_change_sum next c alpha i (attention w))
  (group_sums_enclose P paired) free.
have each := map_column (f := fun x => imul P (group_share D P) (log_1_plus P (imul P
  (idiv P (iexp P (iopp scale)) (iadd P (interval1 N) (imul P
    (exactly (sub (of_natural N (left_dimension D)) one)) (iexp P (iopp scale))))) x)))
  (C := fun i => weight (s := problem D) i * (head_value h i (attention w) - head_value h i all_selected)) (sums _).
apply: (column_sum_contains P (each _ _)) => i I J.
  rewrite (only_paired_sum Pok Sok) => HI HJ; rewrite /token_change_sum.
  have -> : \sum_(t | others alpha i t) (if next t is Some _ then
      exp (c * (attention w t + (1 - attention w (alpha i)))) - 1 else 0) =
    \sum_(t | others alpha i t) (if next t is Some _ then
      exp (c * (attention w t + (1 - attention w (alpha (group_of t))))) - 1 else 0).
    by apply: eq_bigr => t /andP[_ /eqP ->].
  exact (iadd_contains P HI HJ).
rewrite excess.
exact (imul_contains P (group_share_contains P i) (log_1_plus_contains P (imul_contains P factor J))).
Qed.

Definition solution_enclosed (s : token_solution N) (x : vec (coord (problem D))) : Prop :=
  exists2 lam, encloses (solution_shares s) lam & x = W alpha lam /\ contains (solution_length s) (vnorm x).

Lemma token_corr_sound solution b x norm : (if solution is Some s then solution_enclosed s x else True) ->
  contains norm (vnorm w) -> token_corr_check picks P rows solution norm T b ->
  if b is Some b then 0 < vnorm w * vnorm x /\ in_band (band_real b) (1 - dot w x / (vnorm w * vnorm x)) else True.
Proof.
rewrite /token_corr_check; case: b => // b; case: solution => // s [lam shares [xE Hx]] Hn /andP[/andP[n0 x0] H].
have {}n0 := is_positive_real Hn n0; have {}x0 := is_positive_real Hx x0.
split; first exact: Rmult_lt_0_compat.
apply: between_ends_real H; apply: isub_contains; first exact: contains1.
have -> : dot w x / (vnorm w * vnorm x) = dot w x / vnorm x / vnorm w by field; lra.
apply: idiv_contains => //; apply: idiv_contains => //.
have leads := lead_table_encloses pairs P Pok (entries_table_encloses Dok Sok entries_in).
have terms := combine_encloses (H := fun t => lam t * margin alpha w t) shares leads
  (fun t I J HI HJ => imul_contains P HI HJ).
have -> : dot w x = \sum_t lam t * margin alpha w t; last exact (table_sum_contains P terms).
rewrite xE /W dot_combiner [LHS]big_mkcond; apply: eq_bigr => t _.
case: ifPn => [_ | /not_constraint E]; first by rewrite /margin dotC.
by rewrite margin_logit /logit /selected -E; ring.
Qed.

Theorem token_checkpoint_sound solution x k : (if solution is Some s then solution_enclosed s x else True) ->
  token_checkpoint_check D picks P scale rows solution T v k ->
  token_seen alpha h (frozen_least D pairs r) k w /\ token_correlated k w x.
Proof.
move=> Hx; have Hn := tree_norm_contains P HT.
case/and5P=> norm loss high /(has_nthP (Everything N)) [i il low] corr.
have [so off] := look_off_encloses P Dok Pok Sok entries_in; rewrite so in il.
split; last exact: token_corr_sound Hx Hn corr.
split; [exact: between_ends_real Hn norm | exact: between_ends_real token_excess_contains loss | |].
  move=> j; have jl : ((j : data_group D) < size (look_off v))%nat by rewrite so; exact: ltn_ord.
  exact: certainly_le_real (off j) (claimed_contains P _) (all_nthP (Everything N) high _ jl).
exists (Ordinal il : data_group D).
exact: certainly_le_real (claimed_contains P _) (off (Ordinal il)) low.
Qed.
End AtPoint.

(* ---- the whole run ---- *)

Variables (solution : option (token_solution N)) (x : vec (coord (problem D))).
Hypothesis near : if solution is Some s then solution_enclosed s x else True.
Variable w : nat -> vec (coord (problem D)).
Hypotheses (start : w 0%nat = vzero)
  (run : head_follows h 0 NormalisedSteps (fun=> fraction_real (attended_step r)) w).

(* What is kept of a checkpoint. *)
Definition token_passed (x : token_point N) : Prop :=
  tree_encloses x.2.1 (w x.1) /\ contains x.2.2 (head_loss h (w x.1) - frozen_least D pairs r).

Lemma token_follow_sound ks n t T points : tree_encloses T (w t) ->
  token_follow D picks r P scale rows solution ks n t T = Some points ->
  (forall k, List.In k ks -> (t <= token_at k <= t + n)%nat ->
    token_seen alpha h (frozen_least D pairs r) k (w (token_at k)) /\ token_correlated k (w (token_at k)) x) /\
  forall q, List.In q points -> token_passed q.
Proof.
have inside (k : token_checkpoint N) u : List.In k ks -> token_at k = u ->
    List.In k [seq k <- ks | token_at k == u].
  move=> kin <-; elim: ks kin => //= k' ks IH [-> | /IH H]; first by rewrite eqxx; left.
  by case: ifP => // _; right.
have here t' T' k : tree_encloses T' (w t') -> List.In k ks -> t' = token_at k ->
    all (token_checkpoint_check D picks P scale rows solution T' (look_from D picks P rows T'))
      [seq k <- ks | token_at k == t'] ->
    token_seen alpha h (frozen_least D pairs r) k (w (token_at k)) /\ token_correlated k (w (token_at k)) x.
  move=> HT' kin E Hall; have H := proj1 (List.forallb_forall _ _) Hall k (inside k t' kin (esym E)).
  by have := token_checkpoint_sound HT' near H; rewrite E.
have kept t' T' q : tree_encloses T' (w t') -> List.In q (if [seq k <- ks | token_at k == t'] is [::] then [::]
    else [:: (t', (T', token_excess_in D P scale rows (look_from D picks P rows T')))]) -> token_passed q.
  move=> HT'; case: [seq _ <- _ | _] => //= _ _ [<-|[]]; split=> //.
  exact: token_excess_contains.
elim: n t T points => [|n IH] t T points HT /=; case: ifP => // Hall.
  move=> [<-]; split=> [k kin|q]; last exact: kept.
  by rewrite addn0 -eqn_leq => /eqP E; exact: here HT kin E Hall.
case rest: token_follow => [later|] //= [<-].
have [holds passed] := IH _ _ _ (token_advance_encloses HT (run t)) rest; split=> [k kin|q].
  case/andP; rewrite leq_eqVlt => /orP[/eqP E _ | lt le]; first exact: here HT kin E Hall.
  by apply: holds kin _; rewrite lt addSnnS.
by move/List.in_app_iff => [/kept | /passed]; [apply | ].
Qed.

Lemma last_token_le (ks : seq (token_checkpoint N)) k : List.In k ks -> (token_at k <= last_token ks)%nat.
Proof.
rewrite /last_token; elim: ks => //= k' ks IH [<- | /IH le]; first exact: leq_maxl.
exact: leq_trans le (leq_maxr _ _).
Qed.
End Soundness.
