(* PathResidualKind: the claim `path-residual` (T21, what is left across): from the stated radius on, is the stated
   bound at least the one of the theorem?

   As for `regularisation-path`, score gaps are exact and everything else is enclosed. p is nearly the combination that
   the claim gives of the constraints with a multiplier; the least eigenvalue of their Gram matrix bounds the rest. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Losses Gradient Enclosure Direction Growth Saturation
                           RegularisationPath ActiveStep PathAcross Number Rows Entries TokenData MarginChecks
                           OptimalityChecks GramBound EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals SmoothnessChecks ReferenceIntervals RegionIntervals LocalFactors
                           LeastNormChecks FinitePartChecks Pulls ForeverChecks ClaimKind RegularisationPathKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* Else every hypothesis about an interval is computed where Coq looks for one that fits. *)
Local Opaque contains.

Section Check.
Variables (N : number) (quick : entries N) (D : token_data N) (P : Z) (picks : seq nat) (l : loss_name).
Variables (f : enclosed_reference N) (from residual least : fraction N) (hints : gram_hints N) (v : vector N).
Notation interval := (interval N).
Notation G := (margin_in f).

(* ---- what is computed ---- *)

(* b_c, of the constraints. *)
Definition kept_in : seq interval := [seq isub P (interval1 N) e | e <- thetas_in D P picks l G from].
Definition steep_in : seq interval :=
  weighted_slopes D P l (combine_columns (isub P) (tops_in D P picks) (share_costs D P picks l G from)).
Definition weight_low_in : seq (seq interval) :=
  by_copies D P picks
    (spread_column (imul P) (combine_columns (imul P) (weighted_slopes D P l (tops_in D P picks)) kept_in)
       (spread_column (imul P) kept_in (score_gaps_in D P picks))).
Definition weight_high_in : seq (seq interval) :=
  by_copies D P picks (spread_column (imul P) steep_in (score_gaps_in D P picks)).
Definition path_weights_in : seq (seq interval) :=
  within (constraint_mask D picks) (interval0 N) (combine_tables (@hull N) weight_low_in weight_high_in).

(* log(b_c/mu_c), its mean c0, and what the products with p~ lack. *)
Notation on_multipliers := (within (active_in f) (interval0 N)).
Definition path_log_levels_in : seq (seq interval) :=
  map_rows (ilog P) (combine_tables (idiv P) path_weights_in (weights_in f)).
Definition mean_level_in : interval :=
  isum P (group_sums P (on_multipliers (combine_tables (imul P) (weights_in f) path_log_levels_in))).
Definition lacks_in : seq (seq interval) :=
  combine_tables (isub P) (map_rows (fun I => isub P I mean_level_in) path_log_levels_in)
    (exact_table P (margin_unit D v) (margins D picks v)).
Definition centre_length_in : interval :=
  iadd P (isqrt P (ratio P (mul (weight_unit D v) (weight_unit D v)) (energy v (margins D picks v))))
    (isqrt P (idiv P (isum P (group_sums P (on_multipliers (map_rows (fun I => imul P I I) lacks_in))))
                (fraction_in P least))).

(* y_1, and the other constraints' part. *)
Definition height_from_in : interval :=
  isub P (fraction_in P from) (imul P (norm_in f) (path_sum_in D P picks l G from (weights_in f))).
Definition other_rows : seq (seq bool) :=
  map_rows (fun qb => qb.1 && ~~ qb.2) (zip_rows (constraint_mask D picks) (active_in f)).
Definition slack_heights_in : seq (seq interval) := map_rows (fun I => imul P I height_from_in) (beyond_in P f).
Definition far_exponents_in : seq (seq interval) :=
  map_rows (fun I => imax P I (iopp (dyadic one 32)))
    (combine_tables (isub P)
       (map_rows (fun I => imul P (isqrt P I) centre_length_in) (square_spreads D P picks f)) slack_heights_in).
Definition far_weight_in : interval :=
  isum P (group_sums P (within other_rows (interval0 N)
    (combine_tables (imul P) path_weights_in (map_rows (iexp P) far_exponents_in)))).
Definition residual_squared_in : interval :=
  iadd P (imul P centre_length_in centre_length_in)
    (imul P (idiv P (imul P (interval2 N) height_from_in) (imul P G (iexp P mean_level_in))) far_weight_in).

Definition path_residual_check : bool :=
  [&& path_levels_check D P picks l G from, vector_ok D picks v, only_over (active_in f) v,
      gram_check quick D picks (active_in f) hints least &
  [&& is_positive (fraction_in P least), is_positive (fraction_in P residual), is_positive height_from_in,
      all_within (certainly_le (interval1 N)) other_rows slack_heights_in &
      certainly_le residual_squared_in (imul P (fraction_in P residual) (fraction_in P residual))]].

(* ---- why that suffices ---- *)

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Variables (ws : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis mask_rows : mask_ok D picks (active_in f).
Notation Q := (constraint alpha).
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation S := (active Q mu).
Notation slope := (Direction.slope (Delta alpha) u).
Notation spread := (Direction.spread (Delta alpha) u).
Notation x := (@coefficient_of N D v).

Let fits_mask : fits D (active_in f).
Proof. by have [_ _ _ _ []] := reference_in. Qed.

Let in_active t : in_mask (active_in f) t = S t.
Proof. by have [_ _ _ _ [_ ->]] := reference_in. Qed.

Lemma fits_other_rows : fits D other_rows.
Proof. exact: (fits_map _ (fits_zip (fits_constraint_mask Pok) fits_mask)). Qed.

Lemma in_other_rows t : in_mask other_rows t = Q t && ~~ S t.
Proof.
have fc := fits_constraint_mask Pok; rewrite /in_mask /other_rows (at_token_map (false, false)); last exact: fits_zip.
by rewrite at_token_zip //= -!/(in_mask _ t) (in_constraint_mask Pok) in_active.
Qed.

Section OneMinimiser.
Variables (r : R) (w : vec (coord (problem D))).
Notation b := (bare_weight alpha (loss_of l) w).
Notation on_rows := (fun t => if Q t then b t else 0).
Notation c0 := (mean_level Q mu b).

Hypothesis weights_are : encloses path_weights_in on_rows.

Lemma path_log_levels_enclose t : S t -> contains (at_token (Everything N) path_log_levels_in t) (ln (b t / mu t)).
Proof.
move=> St; have [_ _ _ [fw Hw] _] := reference_in; have [fb Hb] := weights_are; have Qt : Q t := active_Q St.
rewrite /path_log_levels_in (at_token_map (Everything N)); last by apply/fits_map/fits_zip.
rewrite (at_token_map (Everything N, Everything N)) ?at_token_zip //=; last exact: fits_zip.
apply/ilog_contains/idiv_contains; first by have := Hb t; rewrite Qt.
by have := Hw t; rewrite in_active St.
Qed.

Let fits_levels : fits D path_log_levels_in.
Proof.
have [_ _ _ [fw _] _] := reference_in; have [fb _] := weights_are.
exact: (fits_map _ (fits_map _ (fits_zip fb fw))).
Qed.

Lemma over_active m F : fits D m -> (forall t, S t -> contains (at_token (Everything N) m t) (F t)) ->
  contains (isum P (group_sums P (on_multipliers m))) (\sum_(t | S t) F t).
Proof.
move=> fm Hm; rewrite big_mkcond (eq_bigr (fun t => if in_mask (active_in f) t then F t else 0)) => [|t _].
  apply: (@table_sum_contains N D P); apply: (within_encloses fits_mask (contains0 N) fm).
  by move=> t; rewrite in_active; exact: Hm.
by rewrite in_active.
Qed.

Lemma mean_level_contains : contains mean_level_in c0.
Proof.
have [_ _ _ [fw Hw] _] := reference_in; rewrite /mean_level_in.
apply: (over_active (fits_map _ (fits_zip fw fits_levels))) => t St.
rewrite (at_token_map (Everything N, Everything N)) ?at_token_zip //=; last exact: fits_zip.
by apply: imul_contains; [have := Hw t; rewrite in_active St | exact: path_log_levels_enclose].
Qed.

Hypotheses (vok : vector_ok D picks v) (over : only_over (active_in f) v).

Lemma near_centre_W : W alpha x = near_centre Q (Delta alpha) mu x.
Proof.
rewrite (combine_over Pok vok mask_rows over); apply: vec_ext => j.
by apply: eq_bigl => t; rewrite in_active.
Qed.

Lemma centre_length_contains : contains centre_length_in (centre_length Q (Delta alpha) mu b (fraction_real least) x).
Proof.
apply: iadd_contains; apply: isqrt_contains.
  by rewrite -near_centre_W (energy_value Dok Pok vok); exact: ratio_contains.
apply: idiv_contains (fraction_in_contains P least).
have fm := fits_margins Pok (weights D picks v); have fe : fits D (exact_table P (margin_unit D v) (margins D picks v)).
  exact: fits_map.
have fl : fits D lacks_in := fits_map _ (fits_zip (fits_map _ fits_levels) fe).
apply: (over_active (fits_map _ fl)) => t St.
have lack : contains (at_token (Everything N) lacks_in t) (level_lack Q (Delta alpha) mu b x t).
  rewrite /lacks_in (at_token_map (Everything N, Everything N)); last by apply: fits_zip => //; exact: fits_map.
  rewrite at_token_zip //=; last exact: fits_map.
  apply: isub_contains; first rewrite (at_token_map (Everything N)) //.
    by apply: isub_contains; [exact: path_log_levels_enclose | exact: mean_level_contains].
  rewrite -near_centre_W -/(margin alpha _ t) (margin_of_matrix Dok Pok t vok) /exact_table (at_token_map zero) //.
  exact: ratio_contains.
by rewrite (at_token_map (Everything N)) //; exact: imul_contains.
Qed.

Variable y1 : R.
Hypothesis height_in : contains height_from_in y1.
Notation length := (centre_length Q (Delta alpha) mu b (fraction_real least) x).

Lemma slack_heights_enclose : encloses slack_heights_in (fun t => (slope t - gamma) * y1).
Proof. by apply: (map_encloses (beyond_encloses P reference_in)) => t I HI; exact: imul_contains. Qed.

Lemma far_weight_contains : contains far_weight_in (\sum_(t | Q t && ~~ S t)
  b t * exp (Rmax (spread t * length - (slope t - gamma) * y1) (- decay_cut))).
Proof.
have spreads : encloses (map_rows (fun I => imul P (isqrt P I) centre_length_in) (square_spreads D P picks f))
    (fun t => spread t * length).
  apply: (map_encloses (square_spreads_enclose P Dok reference_in)) => t I HI; apply: imul_contains.
    rewrite -(sqrt_square (spread t)); last exact: spread_ge0.
    exact: isqrt_contains.
  exact: centre_length_contains.
have powers : encloses (map_rows (iexp P) far_exponents_in)
    (fun t => exp (Rmax (spread t * length - (slope t - gamma) * y1) (- decay_cut))).
  have exponents : encloses far_exponents_in
      (fun t => Rmax (spread t * length - (slope t - gamma) * y1) (- decay_cut)).
    apply: (map_encloses (combine_encloses spreads slack_heights_enclose (fun t I J HI HJ => isub_contains P HI HJ))).
    move=> t I HI; apply: imax_contains => //; apply: iopp_contains.
    have := dyadic_contains (@one N) 32; rewrite real1 Rmult_1_l.
    by have -> : power 32 = decay_cut by rewrite /power /decay_cut /=; ring.
  by apply: (map_encloses exponents) => t I; exact: iexp_contains.
set F := (fun t => exp _) in powers; have [ft Ht] := combine_encloses (H := fun t => on_rows t * F t) weights_are powers
  (fun t I J HI HJ => imul_contains P HI HJ).
have [fo Ho] := within_encloses (F := fun t => on_rows t * F t) fits_other_rows (contains0 N) ft (fun t _ => Ht t).
have H := @table_sum_contains N D P _ _ (conj fo Ho); rewrite /far_weight_in; move: H.
have -> : \sum_t (if in_mask other_rows t then on_rows t * F t else 0) = \sum_(t | Q t && ~~ S t) b t * F t.
  by rewrite [RHS]big_mkcond; apply: eq_bigr => t _; rewrite in_other_rows; case: (Q t).
by move=> H; exact H.
Qed.
End OneMinimiser.

Theorem path_residual_sound : path_residual_check ->
  path_stays (loss_of l) ws (fraction_real from) (fraction_real residual).
Proof.
case/and5P=> levels vok over gram /and5P[least_in residual_in height_in slack bounded].
have [Hn Hg _ Hw [_ Ha]] := reference_in.
have cs : exists t, Q t by case/and4P: levels => /andP[_ /(has_constraintP Pok)].
have n0 : 0 < vnorm ws := solution_norm_gt0 (proj1 (proj1 solution)) cs.
have g0 : 0 < gamma by exact: Rinv_0_lt_compat.
have dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) cs.
have [defined _ best [theta [near [near_le ranges sums thetas reached]]]] :=
  path_levels_sound Dok g0 Hg (RegularisationPath.solution_on_ray solution cs) levels.
set bounds := path_limits _ _ _ _ _ in ranges.
pose rate := path_rate alpha ws lam (path_slope_min bounds) (path_slope_max bounds) (path_lost bounds).
have rate_in : contains (imul P (norm_in f) (path_sum_in D P picks l G from (weights_in f))) rate.
  rewrite /rate /path_rate; apply: imul_contains => //; have := sums _ _ Hw; congr contains.
  rewrite -(sum_active dir) [RHS]big_mkcond.
  by apply: eq_bigr => t _; rewrite Ha; case: ifP => // _; rewrite Rmult_0_l.
pose y1 := fraction_real from - rate.
have y1_in : contains height_from_in y1 by apply: isub_contains => //; exact: fraction_in_contains.
have y1_gt0 := is_positive_real y1_in height_in.
have least_gt0 := is_positive_real (fraction_in_contains P least) least_in.
have X0 := is_positive_real (fraction_in_contains P residual) residual_in.
have slack_from t : Q t -> ~~ S t -> 1 <= (slope t - gamma) * y1.
  move=> Qt St; have [fh Hh] := slack_heights_enclose y1_in.
  apply: (certainly_le_real (contains1 N) (Hh t)).
  by apply: (all_withinP (Everything N) fits_other_rows fh slack); rewrite in_other_rows Qt.
have independent : gram_at_least S (Delta alpha) (fraction_real least).
  move=> y; have := gram_check_sound Dok Pok gram y; rewrite (eq_bigl _ _ in_active).
  by have -> : combine (@in_mask N D (active_in f)) y (Delta alpha) = combine S y (Delta alpha);
    first by apply: vec_ext => j; apply: eq_bigl => t; exact: in_active.
pose lost i := lost_at_most alpha gamma near bounds i.
pose steep i := - dloss (loss_of l) (score (alpha i) - lost i).
have steepest t z : Q t -> loss_domain (loss_of l) z -> score (alpha (group_of t)) - lost (group_of t) <= z ->
    - dloss (loss_of l) z <= steep (group_of t).
  move=> Qt _ h; apply: slope_decreasing h; case all_outputs: (everywhere l); first exact: everywhere_domain.
  have labels : labelled alpha l by apply: (labelled_check_sound Dok); case/and4P: levels => /andP[].
  have gap_is := label_gap labels (negbT all_outputs) Qt; have gap0 := gap_of_best best Qt.
  have El : l = CrossEntropy by case: (l) all_outputs.
  have lost_lt : lost (group_of t) < gap alpha t.
    apply: Rle_lt_trans (lost_at_most_le ranges Qt) _; rewrite -[X in _ < X]Rmult_1_l.
    exact: Rmult_lt_compat_r gap0 (path_lost_lt1 ranges (group_of t)).
  by move: (Rlt_Rminus _ _ lost_lt); rewrite gap_is El.
have decay_near : exp (- (gamma * near)) = exp (- Rmin (gamma * fraction_real from) decay_cut) by rewrite reached.
have costs : @column_encloses N D (share_costs D P picks l G from) lost.
  have := share_costs_enclose P l from Dok Pok Hg; case=> sc Hc; split=> // i; have := Hc i; congr contains.
  by rewrite /lost /lost_at_most decay_near.
have tops : @column_encloses N D (tops_in D P picks) (fun i => score (alpha i)) := tops_enclose P Pok.
have gaps : encloses (score_gaps_in D P picks) (gap alpha) := score_gaps_enclose P Dok Pok.
have kept : @column_encloses N D (kept_in) (fun i => 1 - theta i).
  by apply: (map_column thetas) => i I HI; exact: (isub_contains P (contains1 N) HI).
move=> r w fr on_path.
have tall : 0 < y1 <= r - rate by split=> //; rewrite /y1; lra.
have [range near_ray] := path_across_ball (@coefficient_of N D v) solution cs best ranges defined
  (Rle_trans _ _ _ near_le fr) on_path steepest least_gt0 independent tall slack_from.
have weights_are : encloses path_weights_in (fun t => if Q t then bare_weight alpha (loss_of l) w t else 0).
  have low_slopes := weighted_slopes_enclose P l tops.
  have low : encloses weight_low_in (weight_low alpha bounds).
    apply: (by_copies_encloses P Dok Pok).
    have columns := combine_column (C := fun i => weight (s := problem D) i * - dloss (loss_of l) (score (alpha i)) *
      (1 - theta i)) low_slopes kept (fun i I J HI HJ => imul_contains P HI HJ).
    have rows := spread_column_encloses (G := fun t => (1 - theta (group_of t)) * gap alpha t) kept gaps
      (fun t I J HI HJ => imul_contains P HI HJ).
    exact: (spread_column_encloses columns rows (fun t I J HI HJ => imul_contains P HI HJ)).
  have high : encloses weight_high_in (weight_high alpha steep).
    apply: (by_copies_encloses P Dok Pok).
    have columns := weighted_slopes_enclose P l (combine_column tops costs
      (fun i I J HI HJ => isub_contains P HI HJ)).
    exact: (spread_column_encloses columns gaps (fun t I J HI HJ => imul_contains P HI HJ)).
  have [[fl Hl] [fh Hh]] := (low, high).
  have fT : fits D (combine_tables (@hull N) weight_low_in weight_high_in) by apply/fits_map/fits_zip.
  have HT t : Q t -> contains (at_token (Everything N) (combine_tables (@hull N) weight_low_in weight_high_in) t)
      (bare_weight alpha (loss_of l) w t).
    move=> Qt; rewrite (at_token_map (Everything N, Everything N)) ?at_token_zip //=; last exact: fits_zip.
    by apply: (hull_contains (Hl t) (Hh t)); case: (range t Qt).
  have [|fw Hw'] := within_encloses (fits_constraint_mask Pok) (contains0 N) fT
    (F := bare_weight alpha (loss_of l) w); first by move=> t; rewrite (in_constraint_mask Pok); exact: HT.
  by split=> // t; have := Hw' t; rewrite (in_constraint_mask Pok).
have length_in := centre_length_contains weights_are vok over.
have far_in := far_weight_contains weights_are vok over y1_in.
have mean_in := mean_level_contains weights_are.
set len := centre_length _ _ _ _ _ _ in near_ray length_in far_in; set c0 := mean_level _ _ _ in near_ray mean_in.
set far := \sum_(t | _) _ in far_in.
have denominator : 0 < gamma * exp c0 by apply: Rmult_lt_0_compat => //; exact: exp_pos.
have squared_in : contains residual_squared_in (len * len + 2 * y1 / (gamma * exp c0) * far).
  apply: iadd_contains; first exact: imul_contains.
  apply: imul_contains => //; apply: idiv_contains.
    by apply: imul_contains => //; exact: contains2.
  by apply: imul_contains => //; exact: iexp_contains.
have := certainly_le_real squared_in (imul_contains P (fraction_in_contains P residual)
  (fraction_in_contains P residual)) bounded.
move=> below; apply: vnorm_le_sqr; first exact: Rlt_le.
apply: Rle_trans near_ray (Rle_trans _ _ _ _ below); apply: Rplus_le_compat_l; apply: Rmult_le_compat_l.
  by apply/Rlt_le/Rdiv_lt_0_compat => //; lra.
apply: sum_le => t /andP[Qt _]; apply: Rmult_le_compat_l; last by apply: exp_le; exact: Rmax_l.
by have [] := range t Qt; lra.
Qed.
End Check.

(* ---- the kind ---- *)

Section PathResidualKind.
Variable N : number.

Record path_residual_data := PathResidualData {
  residual_from : nat; residual_loss : option loss_name; residual_radius : fraction N; residual_bound : fraction N;
  residual_least : fraction N; residual_hints : gram_hints N; residual_pull : vector N
}.

Definition path_residual_says (D : token_data N) (alpha : selection (problem D)) (x : path_residual_data) : Prop :=
  for_loss (residual_loss x) (fun l => exists ws, [/\ max_margin alpha ws, 0 < vnorm ws &
    path_stays (loss_of l) ws (fraction_real (residual_radius x)) (fraction_real (residual_bound x))]).

(* The direction, as the claim cited knows it. *)
Definition located_reference (D : token_data N) picks (s : located_solution N) : enclosed_reference N :=
  reference_of D path_precision picks (located_vector s) (located_margins s) (located_mask s) (located_distance s)
    (located_multiplier_distance s).

Definition path_residual_claim_check (quick : entries N) (D : token_data N) picks (cited : nat -> fact N)
    (x : path_residual_data) : option (fact N) :=
  if (locate_solution (cited (residual_from x)), residual_loss x) is (Some s, Some l)
  then accept (path_residual_check quick D path_precision picks l (located_reference D picks s) (residual_radius x)
                 (residual_bound x) (residual_least x) (residual_hints x) (residual_pull x)) Nothing
  else None.

Theorem path_residual_holds : check_holds path_residual_says path_residual_claim_check.
Proof.
move=> quick D picks Dok Pok cited [k l F X S h v] f facts; rewrite /path_residual_claim_check /=.
case known: (locate_solution _) => [s | ] //; case: l => // l.
have [x [y [ws [lam [vok margins_are sol Hx Hy]]]]] := locate_solutionP (facts k) known.
case/acceptP=> H <-; split=> //; have [pair mok _ _ _] := sol; have [M _] := pair.
have cs : exists t, constraint (selection_of Pok) t.
  by case/and5P: H => /and4P[/andP[_ /(has_constraintP Pok)]].
exists ws; split=> //; first exact: solution_norm_gt0 (proj1 M) cs.
rewrite /located_reference margins_are in H.
exact: (path_residual_sound Dok pair (reference_of_encloses path_precision Dok vok sol cs Hx Hy) mok H).
Qed.

Definition path_residual_kind : claim_kind N := ClaimKind path_residual_holds.
End PathResidualKind.
