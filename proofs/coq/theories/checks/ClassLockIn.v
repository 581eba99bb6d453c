(* ClassLockIn: the executable hypotheses of T12 and T12n for a classifier at one point (DYNAMICS.md section 11).

   A floor is minus the drop of its group, at least n times the loss above that of the selected tokens: at most drop
   over the least gap of the group's attention ever leaves the selected token. From these numbers follow the tables of
   the factors (SlopeTables.v), the steps are compared with T6's constant (ClassSmoothness.v) or T12n's condition. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Heads HeadRuns HeadRanges Claims Direction Reference Gibbs Path
                           Growth Region Saturation FactorRange LossDescent NormalisedDescent ClassifierHead
                           ClassifierLockIn ClassifierDescent ClassifierLines Runs Forever HeadForever Number Rows
                           TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals SmoothnessChecks ReferenceIntervals RegionIntervals ForeverChecks
                           DominationChecks LocalFactors LossFloors LockInChecks FactorTables SlopeTables HeadAbsorbing
                           OutputHeads ClassTables ClassLimits ClassSmoothness ClassSelected HeadLasting.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section ClassLockIn.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation token := (token (problem D)).
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).
Notation group_index t := (tag (t : data_token D)).
Variables (k : nat) (G : token -> 'I_k -> R) (y : data_group D -> 'I_k) (v : seq (seq (seq interval))).
Notation h := (@classifier_head (problem D) [finType of 'I_k] G y).
Notation change := (@class_change (problem D) [finType of 'I_k] G y alpha).
Notation class_gap := (@classifier_limit (problem D) [finType of 'I_k] G y alpha).
Implicit Types (t : token) (i : data_group D).

Variables (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat) (c : conclusion N).
Variables (floors : seq (fraction N)) (excess : interval).   (* L - L* at the point *)
Notation step := (step_in P s first).

(* ---- computed ---- *)

Definition class_drops_in : seq interval := [seq iopp x | x <- fractions_in P floors].
(* 1 over the least gap of each group *)
Definition class_steep_in : seq interval :=
  rows_largest P (within mask (interval0 N) (map_rows (idiv P (interval1 N)) (class_gap_table P picks k v))).
Definition class_lost_in : seq interval := combine_columns (imul P) class_drops_in class_steep_in.
Notation low_table := (class_slope_table P picks k v (imin P) class_lost_in).
Notation high_table := (class_slope_table P picks k v (imax P) class_lost_in).
Definition class_locked_tables : factor_tables N := slope_tables D P picks class_lost_in mask low_table high_table.
Notation T := class_locked_tables.

(* In every group the floor leaves room for the whole loss above the infimum. *)
Definition class_floors_check : bool :=
  [&& size floors == size (sequences D), all_within (@is_positive N) mask (class_gap_table P picks k v),
      slopes_check P class_lost_in mask low_table high_table &
      all (fun bI => ~~ bI.1 || certainly_le (idiv P excess (group_share D P)) bI.2)
        (zip (shared D picks) class_drops_in)].

Definition class_short_check : bool :=
  [&& certainly_le (imul P step (class_smoothness_in D P picks k v)) (interval1 N),
      certainly_le (imul P (imul P (interval2 N) step) excess) (fraction_in P (said_excess c)),
      certainly_le (absorbing_twice D P picks T f w) (path_in P c), said_logarithmic c &
      certainly_le (growth_in P c) (imul P (margin_in f) (imul P (margin_in f) (iexp P (floor_of P T f))))].

(* chi: sum p_u |d_tu| over sum p_u d_tu *)
Definition class_sizes_of (v : seq (seq interval)) (e : interval) (pick : nat) : seq interval :=
  let ends := class_ends P k v pick e in
  let q := row_shares P k ends.2 ends.1 in
  [seq isum P (row_zip (fun x d => imul P x (absolute P d)) q r) | r <- class_shifts P v pick].
Definition class_size_table : seq (seq interval) :=
  [seq class_sizes_of x.1.1 x.1.2 x.2 | x <- zip (zip v class_lost_in) picks].
Definition class_chi_in : seq interval :=
  rows_largest P (within mask (interval0 N) (combine_tables (idiv P) class_size_table low_table)).
Definition class_phi_in : interval :=
  column_largest P (combine_columns (fun e x => idiv P (imul P e x) (isub P (interval1 N) e)) class_lost_in
    (combine_columns (imul P) (class_width_in P picks k v) class_chi_in)).

Definition class_normalised_check : bool :=
  let widest := widest_feature_in D P in
  let factor := iadd P (interval1 N) class_phi_in in
  certainly_lt (imul P (imul P step (imul P (imul P widest widest) factor))
                 (iexp P (imul P (imul P widest factor) step)))
    (imul P (interval2 N) (margin_in f)) &&
  absorbing_normalised_check D P picks T f w s first c.

Definition class_lock_in_check : bool :=
  [&& conclusion_ok D P picks s w c, class_floors_check,
      match spec_rule s with
      | GradientSteps => class_short_check
      | NormalisedSteps => class_normalised_check
      | _ => false
      end & head_lasting_check D P picks f w s first c class_lost_in].

(* ---- soundness ---- *)

Variables (l : loss_name) (ws w0 : vec (coord (problem D))) (lam : token -> R).
Hypothesis values_in : numbers_enclose k v
  (fun t u => if insub u is Some u' then G t u' - G t (y (group_index t)) else 0).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis excess_in : contains excess (head_loss h w0 - selected_head_loss alpha h).
Hypothesis checked : class_lock_in_check.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation y0 := (Direction.height u w0).
Notation centre := (w0 - y0 * u)%V.
Notation M := (fraction_real (said_path c)).
Notation E := (fraction_real (said_excess c)).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation eta0 := (step_size (spec_schedule s) (fraction_real (spec_step s)) first).
Notation least := (selected_head_loss alpha h).

Let facts := conclusion_facts point_in (proj1 (andP checked)).
Let held := proj1 (andP (proj2 (andP checked))).
Let some_constraint : exists t, Q t. Proof. by case: facts. Qed.
Let M_gt0 : 0 < M. Proof. by case: facts. Qed.
Let E_ge0 : 0 <= E. Proof. by case: facts. Qed.
Let step_gt0 : 0 < fraction_real (spec_step s). Proof. by case: facts. Qed.
Let dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) some_constraint.
Let o := natural_reference dir w0.
Let step_in_range := step_in_contains P s first.
Let gaps_in := class_gap_encloses P Pok values_in.

(* ---- the floors ---- *)

Definition class_drop i : R := - constant_of floors i.
Definition class_steep : data_group D -> R :=
  group_largest (fun t : token => if in_mask mask t then 1 / class_gap t else 0).
Definition class_lost i : R := class_drop i * class_steep i.

Lemma class_drops_enclose : @column_encloses N D class_drops_in class_drop.
Proof.
have /and4P[/eqP sf _ _ _] := held.
by apply: (map_column (fractions_in_enclose P sf)) => i I; exact: iopp_contains.
Qed.

Lemma class_lost_encloses : @column_encloses N D class_lost_in class_lost.
Proof.
have steep : column_encloses (D := D) class_steep_in class_steep.
  apply: rows_largest_enclose; apply: (within_encloses (fits_constraint_mask Pok) (contains0 N)) => [|t _].
    by have [fg _] := gaps_in; exact: fits_map.
  have [_ H] := map_encloses (G := fun t => 1 / class_gap t) gaps_in
    (fun t I HI => idiv_contains P (contains1 N) HI).
  exact: H.
by apply: (combine_column class_drops_enclose steep) => i I J; exact: imul_contains.
Qed.

Lemma class_gap_gt0 t : Q t -> 0 < class_gap t.
Proof.
have /and4P[_ H _ _] := held; have [fg Hg] := gaps_in; rewrite -(in_constraint_mask Pok) => Qt.
exact: is_positive_real (Hg t) (all_withinP anything (fits_constraint_mask Pok) fg H Qt).
Qed.

Let low_in := class_lo_encloses P Pok values_in class_lost_encloses.
Let high_in := class_hi_encloses P Pok values_in class_lost_encloses.
Notation lo := (class_lo Pok G y class_lost).
Notation hi := (class_hi Pok G y class_lost).
Notation over := (group_largest hi).
Notation under := (group_largest (fun t => - lo t)).
Notation bounds := (SlopeBounds (p := problem D) (@in_mask N D mask) class_lost lo hi over under).
Notation factors := (slope_factors alpha bounds).

Let mask_Q t : in_mask mask t -> Q t. Proof. by rewrite (in_constraint_mask Pok). Qed.
Let Q_mask t : Q t -> in_mask mask t. Proof. by rewrite (in_constraint_mask Pok). Qed.
Let slopes_ok : slopes_check P class_lost_in mask low_table high_table. Proof. by have /and4P[] := held. Qed.

Lemma class_locked_ranges : slope_ranges alpha h bounds.
Proof.
apply: (slope_ranges_hold class_lost_encloses (fits_constraint_mask Pok) mask_Q low_in high_in _ slopes_ok).
by move=> z near t Qt; exact: (class_gap_range G y near Qt).
Qed.

Lemma class_locked_tables_hold : tables_hold Pok T h (slope_table_ranges Pok mask lo hi class_lost).
Proof.
apply: (slope_tables_hold Dok class_lost_encloses (fits_constraint_mask Pok) mask_Q low_in high_in _ slopes_ok).
by move=> z near t Qt; exact: (class_gap_range G y near Qt).
Qed.

Lemma class_lost_range i : 0 <= class_lost i < 1.
Proof. exact: slope_eps_range class_locked_ranges i. Qed.

(* ---- what the loss confines ---- *)

(* At most the least gap of a group. *)
Definition class_gain i : R := if has_others Pok i then / class_steep i else 1.

Lemma class_steep_ge i t : others alpha i t -> / class_gap t <= class_steep i.
Proof.
case/andP=> Qt /eqP <-; have := group_largest_ge (fun t : token => if in_mask mask t then 1 / class_gap t else 0) t.
by rewrite (Q_mask Qt) /Rdiv Rmult_1_l.
Qed.

Lemma class_steep_gt0 i : has_others Pok i -> 0 < class_steep i.
Proof.
case/existsP=> t ti; have Qt : Q t by case/andP: ti.
by have := class_steep_ge ti; have := Rinv_0_lt_compat _ (class_gap_gt0 Qt); lra.
Qed.

Lemma class_gain_gt0 i : 0 < class_gain i.
Proof. by rewrite /class_gain; case: ifP => [/class_steep_gt0 s0|_]; [exact: Rinv_0_lt_compat | lra]. Qed.

Lemma class_gain_le i t : others alpha i t -> class_gain i <= class_gap t.
Proof.
move=> ti; have Qt : Q t by case/andP: ti.
rewrite /class_gain; have -> : has_others Pok i by apply/existsP; exists t.
have g0 := class_gap_gt0 Qt; rewrite -(Rinv_inv (class_gap t)); apply: Rinv_le_contravar; last exact: class_steep_ge.
exact: Rinv_0_lt_compat.
Qed.

Lemma class_room i : has_others Pok i ->
  head_loss h w0 - least <= weight (s := problem D) i * (class_lost i * class_gain i).
Proof.
move=> some; have w_gt0 := weight_gt0 (s := problem D) i; have s0 := class_steep_gt0 some.
have -> : class_lost i * class_gain i = class_drop i by rewrite /class_gain some /class_lost; field; lra.
have /and4P[_ _ _ H] := held; have [sd Hd] := class_drops_enclose.
have ss : size (shared D picks) = size (sequences D).
  by rewrite size_map; have [/eqP] := andP (fits_constraint_mask Pok).
have le : certainly_le (idiv P excess (group_share D P)) (nth anything class_drops_in i).
  have := all_nthP (false, anything) H i; rewrite size_zip ss sd minnn nth_zip ?ss ?sd //= (shared_spec Pok) some.
  by exact (fun a => a (ltn_ord i)).
have := certainly_le_real (idiv_contains P excess_in (group_share_contains P i)) (Hd i) le => q.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ w_gt0) q.
by have -> : weight (s := problem D) i * ((head_loss h w0 - least) / weight (s := problem D) i) =
  head_loss h w0 - least by field; lra.
Qed.

Lemma class_least z : least <= head_loss h z.
Proof.
rewrite class_selected_loss.
exact (@selected_loss_least (problem D) _ G y alpha class_gain class_gain_gt0 class_gain_le z).
Qed.

Lemma class_confined z : head_loss h z <= head_loss h w0 -> forall i, 1 - attention z (alpha i) <= class_lost i.
Proof.
move=> low i; have [e0 _] := class_lost_range i; case known: (has_others Pok i); last first.
  suff -> : 1 - attention z (alpha i) = 0 by [].
  rewrite (attention_deficit_sum alpha); apply: big_pred0 => t; apply: contraFF known => ti; apply/existsP.
  by exists t.
pose lost j : R := if has_others Pok j then class_lost j else (head_loss h w0 - least) / weight (s := problem D) j.
have room j : head_loss h w0 - selected_loss G y alpha <= weight (s := problem D) j * (lost j * class_gain j).
  have -> : selected_loss G y alpha = least by exact: esym (class_selected_loss G y alpha).
  rewrite /lost; case: ifP => [/class_room //|none]; rewrite /class_gain none; right.
  by field; have := weight_gt0 (s := problem D) j; lra.
have := @classifier_locked (problem D) _ G y alpha class_gain lost w0 class_gain_gt0 class_gain_le room z low i.
by rewrite /lost known.
Qed.

Lemma class_factors z : head_loss h z <= head_loss h w0 -> forall t, Q t ->
  factor_low factors t <= head_factor alpha h z t <= factor_high factors t.
Proof. by move=> low t Qt; exact (slope_in_range class_locked_ranges (class_confined low) (Q_mask Qt)). Qed.

Lemma class_low_gt0 t : Q t -> 0 < factor_low factors t.
Proof.
move=> Qt; have e := slope_eps_range class_locked_ranges (group_of t).
have g := slope_kept_gap class_locked_ranges (Q_mask Qt); apply: Rmult_lt_0_compat; first exact: copies_gt0.
by apply: Rmult_lt_0_compat; [apply: Rmult_lt_0_compat; [exact: weight_gt0 | lra] | lra].
Qed.

Let smooth z (i : group (problem D)) : differentiable h i (attention z). Proof. exact: classifier_differentiable. Qed.
Let loss_derive z d x := is_derive_head_loss (w := z) (v := d) (x := x) (@smooth (z + x * d)%V).
Let first_steps n : 0 < eta n <= eta0.
Proof. by split; [exact: step_size_gt0 | exact: step_size_decreasing]. Qed.
Let diverge := later_steps_diverge (spec_schedule s) step_gt0 first.
Let no_residual := natural_centre_residual (erefl centre).
Let twice_in := absorbing_twice_contains P reference_in point_in class_locked_tables_hold.

(* ---- what T12n's condition has of a group ---- *)

Lemma class_width_ge i t (a b : 'I_k) : others alpha i t -> Rabs (change t a - change t b) <= class_width Pok G y i.
Proof.
case/andP=> _ /eqP ti.
have within (n : 'I_k) : - class_down Pok G y i n <= change t n <= class_up Pok G y i n.
  by rewrite -ti; exact: class_change_within.
have r n : class_up Pok G y i n <= \big[Rmax/0]_(u < k) class_up Pok G y i u by exact: big_Rmax_ge.
have q n : class_down Pok G y i n <= \big[Rmax/0]_(u < k) class_down Pok G y i u by exact: big_Rmax_ge.
have wa := within a; have wb := within b; have ra := r a; have rb := r b; have qa := q a; have qb := q b.
by rewrite /class_width; apply: Rabs_le; lra.
Qed.

Lemma class_width_ge0 i : 0 <= class_width Pok G y i.
Proof.
have := big_Rmax_ge0 (class_up Pok G y i); have := big_Rmax_ge0 (class_down Pok G y i); rewrite /class_width; lra.
Qed.

Notation high_share := (@share_high (problem D) [finType of 'I_k] G y alpha (class_up Pok G y) (class_down Pok G y)
  class_lost).
Definition class_pull_size (t : token) : R := \sum_u high_share (group_of t) u * Rabs (change t u).

Lemma class_size_table_encloses : encloses class_size_table class_pull_size.
Proof.
have [se _] := class_lost_encloses; have sv := numbers_size values_in; have [/eqP sp _] := andP Pok.
apply: (by_groups_encloses (a0 := (([::], anything), 0%nat))) => [|i]; first by rewrite !size_zip sv se sp !minnn.
have [srow _] := values_of_group i values_in.
rewrite !nth_zip ?size_zip ?sv ?se ?sp ?minnn //; split=> [|j]; first by rewrite !size_map srow.
have [lows highs] := class_ends_enclose P Pok values_in class_lost_encloses i.
rewrite (nth_map [::]) ?size_map ?srow //.
have [sr Hr] := row_zip_encloses (f := fun x d => imul P x (absolute P d))
  (Y := fun u => high_share i u * Rabs (change (token_of j) u))
  (row_shares_enclose P highs lows) (class_shifts_enclose P Pok values_in j)
  (fun u I J HI HJ => imul_contains P HI (absolute_contains P HJ)).
exact: isum_contains sr Hr.
Qed.

Let class_kept_gap t : Q t -> class_lost (group_of t) * over (group_of t) < lo t.
Proof. by move=> Qt; exact (slope_kept_gap class_locked_ranges (Q_mask Qt)). Qed.

Let low_gt0 t : Q t -> 0 < lo t.
Proof.
move=> Qt; have kept := class_kept_gap Qt; have [e0 _] := class_lost_range (group_of t).
have o0 : 0 <= over (group_of t) by exact: group_largest_ge0.
by have := Rmult_le_pos _ _ e0 o0; lra.
Qed.

Lemma class_chi_encloses : exists2 chi : data_group D -> R, @column_encloses N D class_chi_in chi &
  (forall i, 0 <= chi i) /\ forall x, (forall i, 1 - attention x (alpha i) <= class_lost i) -> forall i t,
    others alpha i t -> \sum_u class_share G i (attention x) u * Rabs (change t u) <= chi i * slope_gap alpha h x t.
Proof.
exists (group_largest (fun t : token => if in_mask mask t then class_pull_size t / lo t else 0)).
  apply: rows_largest_enclose.
  have [fg Hg] := combine_encloses (H := fun t => class_pull_size t / lo t) class_size_table_encloses low_in
    (fun t I J HI HJ => idiv_contains P HI HJ).
  by apply: (within_encloses (fits_constraint_mask Pok) (contains0 N) fg) => t _; exact: Hg.
split=> [i|x near i t ti]; first exact: group_largest_ge0.
have Qt : Q t by case/andP: ti.
have l0 := low_gt0 Qt; have gl : lo t <= slope_gap alpha h x t := proj1 (class_gap_range G y near Qt).
case/andP: ti => _ /eqP <-.
have size : \sum_u class_share G (group_of t) (attention x) u * Rabs (change t u) <= class_pull_size t.
  apply: sum_le => a _; apply: Rmult_le_compat_r; first exact: Rabs_pos.
  exact: proj2 (class_share_range (class_changes_hold Pok G y) (group_of t) a near).
have := group_largest_ge (fun t : token => if in_mask mask t then class_pull_size t / lo t else 0) t.
rewrite (Q_mask Qt); set chi := group_largest _ _ => le.
have c0 : 0 <= chi by exact: group_largest_ge0.
have : class_pull_size t <= chi * lo t.
  have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ l0) le; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra.
have := Rmult_le_compat_l _ _ _ c0 gl; lra.
Qed.

(* What ClassifierLines.v asks for. *)
Lemma class_pulls_low chi : (forall x, (forall i, 1 - attention x (alpha i) <= class_lost i) -> forall i t,
    others alpha i t -> \sum_u class_share G i (attention x) u * Rabs (change t u) <= chi i * slope_gap alpha h x t) ->
  forall x, head_loss h x <= head_loss h w0 -> forall i,
  [/\ 1 - attention x (alpha i) <= class_lost i,
      forall t, others alpha i t -> 0 <= slope_gap alpha h x t - mean_gap alpha h x i &
      forall t, others alpha i t -> \sum_u class_share G i (attention x) u * Rabs (change t u) <=
        chi i * slope_gap alpha h x t].
Proof.
move=> steep x low i; have near := class_confined low; split=> [|t ti|t ti]; [exact: near | | exact: steep].
have Qt : Q t by case/andP: ti.
have kept := class_kept_gap Qt; have gl : lo t <= slope_gap alpha h x t := proj1 (class_gap_range G y near Qt).
have m : mean_gap alpha h x i <= class_lost i * over i := proj2 (mean_gap_range class_locked_ranges near i).
by case/andP: ti => _ /eqP ti; rewrite ti in kept; lra.
Qed.

Section Runs.
Variable z : nat -> vec (coord (problem D)).
Hypothesis start : z O = w0.
Notation height n := (Direction.height u (z n)).
Notation Gr := (fraction_real (said_growth c)).

Notation concluded := (concluded Pok s first c ws w0 z class_lost).

Lemma class_short_concluded : class_short_check -> head_follows h least GradientSteps eta z -> concluded.
Proof.
case/and5P=> beta_le E_ge M_ge logE G_le /(head_gradient_steps alpha) run; have g0 := dir_margin_gt0 dir.
have [_ Hg _ _ _] := reference_in.
have short := certainly_le_real (imul_contains P step_in_range (class_smoothness_contains P Dok Pok values_in))
  (contains1 N) beta_le.
have descent n : head_loss h (z n.+1) <= head_loss h (z n) - eta n / 2 * vnorm2 (field_of Q (Delta alpha)
    (head_factor alpha h) (z n)).
  have [e0 e1] := first_steps n; rewrite run head_ascent vnorm2N.
  have -> : (z n + eta n * - head_gradient h (z n))%V = (z n - eta n * head_gradient h (z n))%V by vec_ring.
  have bent := classifier_bent_le alpha (fun t t' same => feature_distance Dok same) (class_range_le Pok G y)
    (class_range_ge0 Pok G y) (class_wrong_le Pok G y).
  apply: (descent_short loss_derive (classifier_second G y alpha) bent (z n) (Rlt_le _ _ e0)).
  set b := classifier_smoothness _ _ _ in short *; case: (Rle_lt_dec 0 b) => b0.
    by have := Rmult_le_compat_r _ _ _ b0 e1; lra.
  by have := Rmult_lt_compat_l _ _ _ e0 b0; lra.
have facts0 x : head_loss h x <= head_loss h (z O) -> forall t, Q t ->
    factor_low factors t <= head_factor alpha h x t <= factor_high factors t by rewrite start; exact: class_factors.
have path := loss_path o class_low_gt0 facts0 first_steps descent run.
have [H lim] := loss_descent o class_low_gt0 facts0 (fun x _ => class_least x) first_steps descent run.
have k0 := Rmult_lt_0_compat _ _ g0 (Rmult_lt_0_compat _ _ g0 (exp_pos (log_floor Q mu (factor_low factors)))).
have G_need := certainly_le_real (fraction_in_contains P (said_growth c)) (imul_contains P Hg (imul_contains P Hg
  (iexp_contains P (floor_of_contains P class_locked_tables_hold reference_in)))) G_le.
have E_need := certainly_le_real (imul_contains P (imul_contains P (contains2 N) step_in_range) excess_in)
  (fraction_in_contains P (said_excess c)) E_ge.
have M_need := certainly_le_real twice_in (fraction_in_contains P (said_path c)) M_ge.
rewrite start in path H.
apply: (descent_concluded dir point_in (proj1 (andP checked)) logE path (fun n => class_least (z n)) k0 _ M_need E_need
  G_need lim) => [n|n i]; first by have [_ _ g _] := H n.
by apply: class_confined; have [low _ _ _] := H n.
Qed.

Lemma class_normalised_concluded :
  class_normalised_check -> head_follows h least NormalisedSteps eta z -> concluded.
Proof.
case/andP=> short_ok /and4P[cos0 /negbTE logE M_ge G_le] /(head_normalised_steps alpha) run.
have [_ Hg _ _ _] := reference_in; have [chi Hchi [chi0 steep]] := class_chi_encloses.
have [Dm [HD D0 diameter]] := widest_feature_contains P Dok.
have bends := combine_column (C := fun i => class_lost i * (class_width Pok G y i * chi i) / (1 - class_lost i))
  class_lost_encloses (combine_column (C := fun i => class_width Pok G y i * chi i)
    (class_width_encloses P Pok values_in) Hchi (fun i I J HI HJ => imul_contains P HI HJ))
  (fun i I J HI HJ => idiv_contains P (imul_contains P HI HJ) (isub_contains P (contains1 N) HI)).
have [phi [Hphi phi0 phi_le]] := column_largest_contains P bends.
have phi_ge i : class_lost i * (class_width Pok G y i * chi i) <= phi * (1 - class_lost i).
  have e := class_lost_range i; have := Rmult_le_compat_r (1 - class_lost i) _ _ (ltac:(lra)) (phi_le i).
  rewrite /Rdiv Rmult_assoc Rinv_l; last lra.
  by rewrite Rmult_1_r; exact (fun le => le).
have along := classifier_lines diameter class_width_ge (fun i => proj2 (class_lost_range i)) phi_ge phi0
  class_width_ge0 chi0 (w0 := w0) (class_pulls_low steep) D0.
have factor := iadd_contains P (contains1 N) Hphi.
have first_short := certainly_lt_real
  (imul_contains P (imul_contains P step_in_range (imul_contains P (imul_contains P HD HD) factor))
     (iexp_contains P (imul_contains P (imul_contains P HD factor) step_in_range)))
  (imul_contains P (contains2 N) Hg) short_ok.
have short n : eta n * (Dm * Dm * (1 + phi)) * exp (Dm * (1 + phi) * eta n) < 2 * gamma.
  have [e0 e1] := first_steps n; apply: Rle_lt_trans first_short.
  have rate0 : 0 <= Dm * (1 + phi) by apply: Rmult_le_pos; lra.
  have factor0 := Rmult_le_pos _ _ (Rmult_le_pos _ _ D0 D0) (Rlt_le _ _ (Rplus_lt_le_0_compat _ _ Rlt_0_1 phi0)).
  apply: Rmult_le_compat; [exact (Rmult_le_pos _ _ (Rlt_le _ _ e0) factor0) | exact/Rlt_le/exp_pos |
    exact (Rmult_le_compat_r _ _ _ factor0 e1) |].
  exact (exp_le (Rmult_le_compat_l _ _ _ rate0 e1)).
have [cmin [Hcmin _ cmin_le]] := least_cosine_contains P Dok reference_in dir.
have c0 := is_positive_real Hcmin cos0.
have Hx := idiv_contains P (imul_contains P step_in_range
  (isub_contains P (contains1 N) (imul_contains P Hcmin Hcmin))) Hcmin.
have M_need := certainly_le_real (iadd_contains P twice_in Hx) (fraction_in_contains P (said_path c)) M_ge.
have mass := class_mass_weights G y alpha.
have known := FallingLoss loss_derive (head_ascent alpha h) mass class_low_gt0 class_factors along.
have falls (s : falling_steps o _ _ _ w0 _ z eta eta0 cmin M) :=
  And4 (falling_low known s) (falling_path known s) (falling_rises known s) (falling_limit known s).
have [|low path rises lim] := falls.
  by split; [exact: start | exact: first_steps | exact: short | exact: c0 | exact: cmin_le | exact: M_need |
    exact: run].
apply: (path_concluded point_in (proj1 (andP checked)) logE path rises _ lim (fun n i => class_confined (low n) i)).
exact: certainly_le_real (fraction_in_contains P (said_growth c)) Hcmin G_le.
Qed.
End Runs.

Theorem class_lock_in_sound : head_forever_claim alpha h least false (spec_rule s) eta w0 (constants_of c).
Proof.
have [_ _ _ _ [Hc Hh]] := facts; have /and4P[_ _ rule_ok lasts] := checked.
exists ws; first exact: proj1 solution.
exists centre => //; apply: (head_later_of_path (c := constants_of c) (proj1 solution) some_constraint Hc Hh) =>
  z start run.
have said : concluded Pok s first c ws w0 z class_lost.
  by move: rule_ok run; case: (spec_rule s) => //= rule_ok run;
    [exact: class_short_concluded run | exact: class_normalised_concluded run].
split; [exact: concluded_path said | exact: concluded_growth said | exact: concluded_limit said |].
exact: (head_lasting_sound Dok dir point_in (proj1 (andP checked)) reference_in class_lost_encloses said lasts).
Qed.
End ClassLockIn.
