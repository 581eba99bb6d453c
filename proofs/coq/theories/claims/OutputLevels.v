(* OutputLevels: T21's numbers of a head of several outputs in intervals, from tables of what attention off the selected
   tokens costs at least (rise) and at most (ExcessPath.v): theta, A, B_c and the sum of log (A/B_c). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Direction Saturation ExcessPath Number Rows TokenData MarginChecks
                           OptimalityChecks EnclosureChecks Interval Elementary IntervalTables AttentionIntervals
                           ReferenceIntervals ForeverChecks LocalFactors RegularisationPathKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Levels.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation mask := (constraint_mask D picks).
Variables (G : interval) (from : fraction N) (rises : seq (seq interval)) (slopes mosts : seq interval).
Notation decay_in := (path_decay_in P G from).

(* ---- computed ---- *)

Definition level_scale : interval := isum P [seq imul P (group_share D P) m | m <- mosts].
Definition level_slopes : seq interval := [seq imul P (group_share D P) x | x <- slopes].
Definition level_costs : seq interval := [seq idiv P (imul P level_scale decay_in) x | x <- level_slopes].
Definition level_thetas : seq interval :=
  rows_largest P (within mask (interval0 N) (spread_column (idiv P) level_costs rises)).
Definition level_floors : seq (seq interval) :=
  by_copies D P picks (spread_column (imul P)
    (combine_columns (fun x e => imul P x (isub P (interval1 N) e)) level_slopes level_thetas) rises).
(* Constraints without a multiplier need no logarithm. *)
Definition level_term (weight floor : interval) : interval :=
  if is_zero weight then interval0 N else imul P weight (ilog P (idiv P level_scale floor)).
Definition level_sum (weights : seq (seq interval)) : interval :=
  isum P (group_sums P (combine_tables level_term weights level_floors)).

Definition levels_check : bool :=
  [&& has_constraint D picks, certainly_lt (interval0 N) (fraction_in P from), all_within (@is_positive N) mask rises &
      all (fun e => certainly_lt e (interval1 N)) level_thetas].

(* ---- what that means ---- *)

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation Q := (constraint alpha).
Implicit Types (t : token (problem D)) (i : data_group D).
Variables (gamma : R) (rise : token (problem D) -> R) (slope most : data_group D -> R).
Hypotheses (gamma_gt0 : 0 < gamma) (gamma_in : contains G gamma).
Hypotheses (rises_in : encloses rises rise) (slopes_in : @column_encloses N D slopes slope)
  (mosts_in : @column_encloses N D mosts most) (slope_gt0 : forall i, 0 < slope i).
Notation reach := (Rmin (gamma * fraction_real from) decay_cut).
Notation decay := (exp (- reach)).
Notation weight := (weight (s := problem D)).

Definition level_A : R := \sum_(i : group (problem D)) weight i * most i.
Definition level_cost i : R := level_A * decay / (weight i * slope i).
Definition level_theta : data_group D -> R :=
  group_largest (fun t => if in_mask mask t then level_cost (group_of t) / rise t else 0).
Definition level_bounds : cost_bounds (problem D) := @CostBounds (problem D) rise slope most level_theta.
Definition level_near : R := reach / gamma.

Let share i : contains (group_share D P) (weight i). Proof. exact: group_share_contains. Qed.

Lemma level_scale_contains : contains level_scale level_A.
Proof.
apply: (column_sum_contains (D := D)); apply: (map_column mosts_in) => i I HI; exact: imul_contains.
Qed.

Lemma level_slopes_enclose : @column_encloses N D level_slopes (fun i => weight i * slope i).
Proof. by apply: (map_column slopes_in) => i I HI; exact: imul_contains. Qed.

Lemma level_thetas_enclose : @column_encloses N D level_thetas level_theta.
Proof.
have costs : @column_encloses N D level_costs level_cost.
  apply: (map_column level_slopes_enclose) => i I HI; apply: idiv_contains => //; apply: imul_contains.
    exact: level_scale_contains.
  exact: (decay_contains P from gamma_in).
apply: rows_largest_enclose.
have [fs Hs] : encloses (spread_column (idiv P) level_costs rises) (fun t => level_cost (group_of t) / rise t).
  by apply: (spread_column_encloses costs rises_in) => t I J; exact: idiv_contains.
by apply: (within_encloses (fits_constraint_mask Pok) (contains0 N) fs) => t _; exact: Hs.
Qed.

Lemma level_floors_enclose : encloses level_floors (cost_floor alpha level_bounds).
Proof.
have columns := combine_column (C := fun i => weight i * slope i * (1 - level_theta i)) level_slopes_enclose
  level_thetas_enclose (fun i I J HI HJ => imul_contains P HI (isub_contains P (contains1 N) HJ)).
have rows := spread_column_encloses (f := imul P)
  (G := fun t => weight (group_of t) * slope (group_of t) * (1 - level_theta (group_of t)) * rise t) columns rises_in
  (fun t I J HI HJ => imul_contains P HI HJ).
have [fp Hp] := by_copies_encloses P Dok Pok rows; split=> // t; have := Hp t; congr contains.
exact: Rmult_comm.
Qed.

Lemma level_sum_contains weights (x : token (problem D) -> R) : encloses weights x ->
  contains (level_sum weights) (\sum_t x t * ln (cost_scale level_bounds / cost_floor alpha level_bounds t)).
Proof.
move=> Hw; apply: (table_sum_contains P).
apply: (combine_encloses Hw level_floors_enclose) => t I J HI HJ; rewrite /level_term.
case: ifP => [/(is_zero_real HI) -> | _]; first by rewrite Rmult_0_l; exact: contains0.
by apply: imul_contains => //; apply: ilog_contains; apply: idiv_contains => //; exact: level_scale_contains.
Qed.

Hypothesis checked : levels_check.

Lemma level_constraint : exists t, Q t.
Proof. by have /and4P[H _ _ _] := checked; exact: (has_constraintP Pok). Qed.

Lemma level_rise_gt0 t : Q t -> 0 < rise t.
Proof.
have /and4P[_ _ H _] := checked; have [fr Hr] := rises_in; rewrite -(in_constraint_mask Pok) => Qt.
exact: is_positive_real (Hr t) (all_withinP anything (fits_constraint_mask Pok) fr H Qt).
Qed.

Lemma level_theta_lt1 i : level_theta i < 1.
Proof.
have /and4P[_ _ _ H] := checked; have [st Ht] := level_thetas_enclose.
have := all_nthP anything H i; rewrite st => /(_ (ltn_ord i)).
exact: certainly_lt_real (Ht i) (contains1 N).
Qed.

Lemma level_near_gt0 : 0 < level_near.
Proof.
have /and4P[_ /(certainly_lt_real (contains0 N) (fraction_in_contains P from)) from0 _ _] := checked.
apply: Rdiv_lt_0_compat => //; apply: Rmin_pos; first exact: Rmult_lt_0_compat.
by rewrite /decay_cut; lra.
Qed.

Lemma level_near_is : gamma * level_near = reach.
Proof. by rewrite /level_near; field; lra. Qed.

Lemma level_near_le : level_near <= fraction_real from.
Proof. by apply: (Rmult_le_reg_l gamma) => //; rewrite level_near_is; exact: Rmin_l. Qed.

(* What is asked of the head besides: of its excess, everywhere and on the ray. *)
Theorem levels_sound (excess : vec (coord (problem D)) -> group (problem D) -> R) (u : vec (coord (problem D))) :
  (forall w i, slope i * lost_rise alpha level_bounds w i <= excess w i) ->
  (forall r i, level_near <= r -> excess (r * u)%V i <= most i * exp (- (gamma * r))) ->
  cost_ranges alpha excess u gamma level_near level_bounds.
Proof.
move=> ge ray; split.
- exact: level_near_gt0.
- exact: level_rise_gt0.
- exact: slope_gt0.
- exact: ge.
- exact: ray.
- exact: level_theta_lt1.
move=> t Qt.
have r0 := level_rise_gt0 Qt; have w0 := weight_gt0 (s := problem D) (group_of t); have s0 := slope_gt0 (group_of t).
have v0 := Rmult_lt_0_compat _ _ w0 s0.
have := group_largest_ge (fun t => if in_mask mask t then level_cost (group_of t) / rise t else 0) t.
rewrite (in_constraint_mask Pok) Qt -/(level_theta (group_of t)) level_near_is => le.
have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ (Rmult_lt_0_compat _ _ v0 r0)) le.
have -> : level_cost (group_of t) / rise t * (weight (group_of t) * slope (group_of t) * rise t) =
  level_A * decay by rewrite /level_cost; field; repeat split; lra.
by [].
Qed.
End Levels.

(* ---- along the solution, in the Euclidean norm ---- *)

Section Along.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat) (f : enclosed_reference N) (from K : fraction N).
Variables (rises : seq (seq (interval N))) (slopes mosts : seq (interval N)).

Definition levels_along_check : bool :=
  levels_check D P picks (margin_in f) from rises slopes mosts &&
  certainly_le (imul P (norm_in f) (level_sum D P picks (margin_in f) from rises slopes mosts (weights_in f)))
    (fraction_in P K).

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Variables (ws : vec (coord (problem D))) (lam rise : token (problem D) -> R) (slope most : data_group D -> R).
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypotheses (rises_in : encloses rises rise) (slopes_in : @column_encloses N D slopes slope)
  (mosts_in : @column_encloses N D mosts most) (slope_gt0 : forall i, 0 < slope i).
Notation bounds := (level_bounds picks from gamma rise slope most).
Notation near := (level_near from gamma).

Theorem levels_along_sound (excess : vec (coord (problem D)) -> group (problem D) -> R)
    (loss : vec (coord (problem D)) -> R) (least : R) :
  (forall w, loss w - least = total_excess excess w) -> levels_along_check ->
  (0 < gamma -> (forall t, constraint alpha t -> gamma <= margin alpha u t) ->
   0 < near -> gamma * near = Rmin (gamma * fraction_real from) decay_cut ->
   (forall t, constraint alpha t -> 0 < rise t) ->
   (forall w i, slope i * lost_rise alpha bounds w i <= excess w i) /\
   (forall r i, near <= r -> excess (r * u)%V i <= most i * exp (- (gamma * r)))) ->
  0 < vnorm ws /\ forall r w, fraction_real from <= r -> vnorm w <= r ->
    (forall w' : vec (coord (problem D)), vnorm w' <= r -> loss w <= loss w') ->
    1 - dot w ws / (vnorm ws * r) <= fraction_real K / r.
Proof.
have [Hn Hg _ Hw [_ Ha]] := reference_in; move=> lossE /andP[levels rate] costs.
have cs := level_constraint Pok levels.
have n0 : 0 < vnorm ws := solution_norm_gt0 (proj1 (proj1 solution)) cs.
have g0 : 0 < gamma by exact: Rinv_0_lt_compat.
have [ge ray] := costs g0 (RegularisationPath.solution_on_ray solution cs)
  (level_near_gt0 g0 levels) (level_near_is from g0) (level_rise_gt0 rises_in levels).
have ranges := levels_sound g0 Hg rises_in slopes_in mosts_in slope_gt0 levels ge ray.
split=> // r w fr short minimal; have near_le := level_near_le from g0.
apply: (excess_path solution cs ranges lossE _ (Rle_trans _ _ _ near_le fr) short minimal).
apply: (certainly_le_real _ (fraction_in_contains P K) rate); apply: imul_contains => //.
have := level_sum_contains P from Dok Pok Hg rises_in slopes_in mosts_in Hw; congr contains.
rewrite -(sum_active (margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) cs)) [RHS]big_mkcond.
by apply: eq_bigr => t _; rewrite Ha; case: ifP => // _; rewrite Rmult_0_l.
Qed.
End Along.
