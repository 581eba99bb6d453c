(* FactoredForeverChecks: the executable conditions of T22 at a point of training of factors, and its constants.

   The floors of the outputs are what the loss at the point leaves of the scores: l(flo_i) = l(g_i) + n S. Everything
   else is LossFloors.v's, with these drops in place of a certificate's. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Losses Claims Iteration Direction Growth Region Saturation
                           Absorbing LockIn LockInNormalised HeadLockIn LabelLockIn Number Rows TokenData MarginChecks
                           OptimalityChecks EnclosureChecks Interval Elementary IntervalTables AttentionIntervals
                           ReferenceIntervals RegionIntervals ForeverChecks GlobalFactors Pulls LossFloors NormDuality
                           FactoredStep FactoredIteration FactoredDecay FactoredRun FactoredRanges FactoredRunChecks
                           ScoreFloors.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the score whose loss is y above that of g ---- *)

Definition floor_at (l : loss_name) (g y : R) : R :=
  match l with
  | Logistic => - ln ((1 + exp (- g)) * exp y - 1)
  | Exponential => - ln (exp (- g) + y)
  | Correlation => g - y
  | CrossEntropy => g * exp (- y)
  end.

Lemma floor_at_loss l g y : loss_domain (loss_of l) g -> 0 <= y -> loss_of l (floor_at l g y) = loss_of l g + y.
Proof.
have e0 := exp_pos (- g); case: l => dg y0 /=.
- have e1 : 1 <= exp y by rewrite -exp_0; exact: exp_monotone.
  have x0 : 0 < (1 + exp (- g)) * exp y - 1 by nra.
  rewrite Ropp_involutive exp_ln //.
  have -> : 1 + ((1 + exp (- g)) * exp y - 1) = (1 + exp (- g)) * exp y by ring.
  by rewrite ln_mult ?ln_exp //; [lra | exact: exp_pos].
- by rewrite Ropp_involutive exp_ln //; lra.
- by ring.
by rewrite ln_mult ?ln_exp; [ring | exact: dg | exact: exp_pos].
Qed.

Lemma floor_at_le l g y : loss_domain (loss_of l) g -> 0 <= y -> floor_at l g y <= g.
Proof. by move=> dg y0; apply: Rnot_lt_le => /(loss_decreasing dg); rewrite (floor_at_loss dg y0); lra. Qed.

Lemma floor_at_domain l g y : loss_domain (loss_of l) g -> loss_domain (loss_of l) (floor_at l g y).
Proof. by case: l => //= g0; apply: Rmult_lt_0_compat; [exact: g0 | exact: exp_pos]. Qed.

Section Check.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation mask := (constraint_mask D picks).

(* The loss, S, ||K||^2 + ||Q||^2 and the step. *)
Variables (l : loss_name) (S square eta : interval).

Definition floor_interval (I J : interval) : interval :=
  match l with
  | Logistic =>
      iopp (ilog P (isub P (imul P (iadd P (interval1 N) (iexp P (iopp I))) (iexp P J)) (interval1 N)))
  | Exponential => iopp (ilog P (iadd P (iexp P (iopp I)) J))
  | Correlation => isub P I J
  | CrossEntropy => imul P I (iexp P (iopp J))
  end.

Lemma floor_interval_contains I J g y : contains I g -> contains J y ->
  contains (floor_interval I J) (floor_at l g y).
Proof.
move=> Hg Hy; rewrite /floor_interval /floor_at; case: l.
- apply/iopp_contains/ilog_contains/isub_contains; last exact: contains1.
  apply: imul_contains; last exact: iexp_contains.
  by apply: iadd_contains; [exact: contains1 | apply: iexp_contains; exact: iopp_contains].
- apply/iopp_contains/ilog_contains/iadd_contains => //.
  by apply: iexp_contains; exact: iopp_contains.
- exact: isub_contains.
by apply: imul_contains => //; apply: iexp_contains; exact: iopp_contains.
Qed.

Definition score_drops : seq interval :=
  let tops := selected_scores D P picks in
  let share := idiv P S (group_share D P) in
  [seq if bI.1 then isub P bI.2 (floor_interval bI.2 share) else interval0 N | bI <- zip (shared D picks) tops].
Definition floor_shares : seq interval := combine_columns (imul P) score_drops (inverse_gaps D P picks).
Definition top_slopes : seq interval := [seq slope_interval P l I | I <- selected_scores D P picks].
Definition floors_of_scores : seq interval := combine_columns (isub P) (selected_scores D P picks) score_drops.
(* b, with the slope at the best score. *)
Definition floor_factors : seq (seq interval) :=
  by_copies D P picks (spread_column (imul P)
    (combine_columns (fun a e => imul P (imul P (group_share D P) a) (isub P (interval1 N) e)) top_slopes floor_shares)
    (kept_gaps D P picks score_drops)).

(* 1/nu, 1/b, h, phi. *)
Definition steepest_ratio : interval :=
  imax P (interval1 N) (column_largest P (combine_columns (idiv P)
    [seq slope_interval P l I | I <- floors_of_scores] top_slopes)).
Definition inverse_factor : interval :=
  column_largest P (map (column_largest P) (within mask (interval0 N)
    (map_rows (idiv P (interval1 N)) floor_factors))).
Definition deficit_in : interval :=
  column_largest P (combine_columns (idiv P) (inverse_gaps D P picks)
    [seq imul P (group_share D P) I | I <- top_slopes]).
Definition bend_in : interval :=
  match l with
  | Correlation => interval0 N
  | CrossEntropy => imul P (column_largest P [seq idiv P (interval1 N) I | I <- floors_of_scores])
                      (column_largest P score_drops)
  | _ => column_largest P score_drops
  end.

Definition bounded_mass_in : interval := imul P S steepest_ratio.     (* O = S/nu *)
Definition push_in : interval := imul P (imul P eta bounded_mass_in) (widest_feature_in D P).
Definition delta_in : interval :=
  let far := iadd P (interval1 N) push_in in
  imul P (imul P eta bounded_mass_in)
    (iadd P (imul P (imul P (imul P (imul P (widest_feature_in D P) (widest_feature_in D P))
       (iadd P (interval1 N) bend_in)) square) (imul P far far)) (widest_feature_in D P)).
Definition half (I : interval) : interval := idiv P I (interval2 N).
Definition loss_in : interval := iadd P (iadd P (half delta_in) (imul P deficit_in S)) (half push_in).
Definition level_in : interval := iopp (ilog P (imul P S (imul P steepest_ratio inverse_factor))).
Definition spare_in : interval := isub P (imul P (isub P (interval1 N) loss_in) level_in) (interval1 N).
Definition slope_in : interval :=
  imul P (idiv P (imul P (interval2 N) level_in) square) (iexp P (iopp (idiv P loss_in spare_in))).
Definition damped_in : interval := isub P (interval1 N) (half delta_in).
Definition steady_in : interval := isub P (interval1 N) (imul P deficit_in S).
Definition growth_of_loss : interval :=
  imul P (imul P (imul P (imul P (imul P (interval2 N) eta) damped_in) slope_in) level_in) (imul P steady_in steady_in).
Definition drift_in : interval := idiv P (imul P eta S) damped_in.

Definition factored_conditions : bool :=
  [&& labelled_check D picks l, global_check D picks, has (@id bool) (shared D picks),
      [&& is_positive S, is_positive square, is_positive eta & is_positive (widest_feature_in D P)] &
      [&& all (fun I => certainly_lt I (interval1 N)) floor_shares, certainly_le delta_in (interval1 N),
          certainly_lt loss_in (interval1 N) & is_positive spare_in]].

(* ---- soundness ---- *)

Variables (w0 : vec (coord (problem D))) (s0 size0 eta0 : R).
Hypothesis S_in : contains S (loss_above alpha (loss_of l) w0).
Hypothesis size_contains : contains square size0.
Hypothesis eta_in : contains eta eta0.
Hypothesis checked : factored_conditions.

Lemma factored_labels : labelled alpha l.
Proof. by case/and5P: checked => H _ _ _ _; exact: (labelled_check_sound Dok). Qed.
Let labels := factored_labels.

Lemma best_domain i : loss_domain (loss_of l) (score (alpha i)).
Proof.
case all_outputs: (everywhere l); first exact: everywhere_domain.
by have [positive _] := labels (negbT all_outputs); case: (l) all_outputs => //= _; exact: positive.
Qed.

Let optimal : globally_optimal alpha.
Proof. by case/and5P: checked => _ H _ _ _; exact: (global_check_sound Dok). Qed.
Let s_gt0 : 0 < loss_above alpha (loss_of l) w0.
Proof. by case/and5P: checked => _ _ _ /and4P[H _ _ _] _; exact: is_positive_real S_in H. Qed.

Definition score_drop (i : data_group D) : R :=
  if has_others Pok i then
    score (alpha i) - floor_at l (score (alpha i)) (loss_above alpha (loss_of l) w0 / weight (s := problem D) i)
  else 0.

Lemma score_drops_enclose : @column_encloses N D score_drops score_drop.
Proof.
have [sc Hc] := selected_scores_enclose P Pok.
have ss : size (shared D picks) = size (sequences D).
  by rewrite size_map; have [/eqP] := andP (fits_constraint_mask Pok).
apply: (column_map (e0 := (false, Everything N))) => [|i]; first by rewrite size_zip ss sc minnn.
rewrite nth_zip ?ss ?sc //= shared_spec /score_drop; case: (has_others _ i); last exact: contains0.
apply: isub_contains; first exact: Hc; apply: floor_interval_contains; first exact: Hc.
exact: (idiv_contains P S_in (group_share_contains P i)).
Qed.

Section Constants.
Variable r : data_group D -> R.
Hypothesis r_enclosed : @column_encloses N D (inverse_gaps D P picks) r.
Hypothesis r_ge : forall i t, others alpha i t -> / gap alpha t <= r i.
Notation ell := (loss_of l).
Notation excess := (loss_above alpha ell w0).

Notation lost_share := (lost_share score_drop r).
Notation gap_room := (gap_room Pok r).
Notation score_second := (score_second Pok r).
Notation score_floor := (score_floor Pok score_drop).
Definition least_pull i : R := - dloss ell (score (alpha i)).
Definition most_pull i : R := - dloss ell (at_most l (score (alpha i) - score_drop i) (score (alpha i))).
Definition found_floors : lock_head (problem D) := score_floors Pok score_drop r least_pull most_pull.

Lemma floor_shares_enclose : @column_encloses N D floor_shares lost_share.
Proof. by apply: (combine_column score_drops_enclose r_enclosed) => i I J; exact: imul_contains. Qed.

Lemma excess_share_ge0 i : 0 <= excess / weight (s := problem D) i.
Proof. by apply/Rlt_le/Rdiv_lt_0_compat => //; exact: weight_gt0. Qed.

Lemma score_drop_ge0 i : 0 <= score_drop i.
Proof.
rewrite /score_drop; case: (has_others _ i); last lra.
by have := floor_at_le (best_domain i) (excess_share_ge0 i); lra.
Qed.

Lemma score_floor_domain i : loss_domain ell (score_floor i).
Proof.
rewrite /ScoreFloors.score_floor /score_drop; case: (has_others _ i); last by rewrite Rminus_0_r; exact: best_domain.
set y := _ / _; have -> : score (alpha i) - (score (alpha i) - floor_at l (score (alpha i)) y) =
  floor_at l (score (alpha i)) y by ring.
exact/floor_at_domain/best_domain.
Qed.

Lemma found_drops : drops_ok Pok score_drop r.
Proof.
have gap_gt0 i t : others alpha i t -> 0 < gap alpha t.
  by case/andP=> Qt _; have := optimal Qt; rewrite /Selection.gap; lra.
case/and5P: checked => _ _ _ _ /and4P[H _ _ _]; split=> [||||i].
- exact: gap_gt0.
- exact: r_ge.
- exact: score_drop_ge0.
- by move=> i; rewrite /score_drop => /negbTE ->.
have [sl Hl] := floor_shares_enclose; have := all_nthP (Everything N) H i; rewrite sl => /(_ (ltn_ord i)).
exact: certainly_lt_real (Hl i) (contains1 N).
Qed.

Lemma found_ranges : lock_ranges alpha ell w0 found_floors.
Proof.
have ok := found_drops; split; [exact: score_second_le ok | exact: score_second_lt ok | exact: score_floor_le ok | | |].
- move=> i t ti; have Hi : has_others Pok i by apply/existsP; exists t.
  rewrite /= /ScoreFloors.score_floor /score_drop Hi.
  have -> : score (alpha i) - (score (alpha i) - floor_at l (score (alpha i)) (excess / weight (s := problem D) i)) =
    floor_at l (score (alpha i)) (excess / weight (s := problem D) i) by ring.
  by rewrite (floor_at_loss (best_domain i) (excess_share_ge0 i)) /loss_above; apply: Rle_refl.
- move=> i; rewrite -[lock_slope_min _ i]/(- dloss ell (score (alpha i))).
  exact: (Ropp_0_gt_lt_contravar _ (dloss_lt0 _ _)).
move=> i t v ti; have below : score_drop i < gap alpha t := drop_lt_gap ok ti.
have -> : lock_floor found_floors i = score (alpha i) - score_drop i by [].
have -> : score (alpha i) - score_drop i - score t = gap alpha t - score_drop i by rewrite (gap_eq ti); ring.
move=> vr; have [low high] := pull_within labels ti below vr; split=> //; apply: Rle_trans low.
apply: Rmult_le_compat_r; first lra; rewrite /= /least_pull /at_least; case: ifP => _; first exact: Rle_refl.
exact: slope_decreasing (score_floor_domain i) (score_floor_le ok i).
Qed.

Lemma found_attention i : attention_floor alpha found_floors i = 1 - lost_share i.
Proof. exact: score_floors_attention found_drops _ _ i. Qed.

Lemma found_factors : lock_blo alpha found_floors = global_blo alpha score_drop lost_share least_pull.
Proof. exact: score_floors_factors found_drops _ _. Qed.

Lemma floor_factors_enclose : encloses floor_factors (global_blo alpha score_drop lost_share least_pull).
Proof.
have slopes := map_column (C := least_pull) (selected_scores_enclose P Pok)
  (fun i I HI => slope_interval_contains P l HI).
have H := combine_column (C := fun i => weight (s := problem D) i * least_pull i * (1 - lost_share i)) slopes
  floor_shares_enclose.
apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) * least_pull (group_of t) *
  (1 - lost_share (group_of t)) * (gap alpha t - score_drop (group_of t)))).
apply: (spread_column_encloses (H _ _) (kept_gaps_enclose P Dok Pok score_drops_enclose)) => [i I J HI HJ | t I J];
  last exact: imul_contains.
apply: imul_contains; last by apply: isub_contains => //; exact: contains1.
by apply: imul_contains => //; exact: group_share_contains.
Qed.

(* 1/b bounds 1 over every factor. *)
Lemma inverse_factor_contains : exists2 x, contains inverse_factor x &
  forall t, constraint alpha t -> / lock_blo alpha found_floors t <= x.
Proof.
have [fg Hg] := map_encloses (G := fun t => 1 / lock_blo alpha found_floors t)
  floor_factors_enclose
  (fun t I HI => idiv_contains P (contains1 N) (eq_ind_r (fun f => contains I (f t)) HI found_factors)).
have [fm Hm] := within_encloses (F := fun t => 1 / lock_blo alpha found_floors t) (fits_constraint_mask Pok)
  (contains0 N) fg (fun t _ => Hg t).
have [/eqP sm _] := andP fm.
have row (i : data_group D) := largest_contains P (F := fun j : 'I_(length_of D i) => if in_mask mask (token_of j) then
  1 / lock_blo alpha found_floors (token_of j) else 0) (fits_row fm (ltn_ord i)) (fun j => Hm (token_of j)).
have [c Hc] := fin_all_exists row.
have columns : @column_encloses N D (map (column_largest P) (within mask (interval0 N)
    (map_rows (idiv P (interval1 N)) floor_factors))) c.
  split=> [|i]; first by rewrite size_map.
  by have [Hi _ _] := Hc i; rewrite (nth_map [::]) ?sm //; exact: ltn_ord.
have [x [Hx _ x_ge]] := column_largest_contains P columns; exists x; first exact Hx; move=> t Qt.
have [_ _ Hle] := Hc (tag (t : data_token D)); have := Hle (tagged (t : data_token D)).
rewrite (_ : token_of _ = t); last by case: (t).
rewrite (in_constraint_mask Pok) Qt /Rdiv Rmult_1_l => le; exact: Rle_trans le (x_ge _).
Qed.

Local Opaque contains.

(* 1/nu: how much steeper the loss is at a floor than at the score. *)
Lemma steepest_ratio_contains : exists x, [/\ contains steepest_ratio x, 1 <= x &
  forall i, - dloss ell (score_floor i) <= x * best_slope alpha ell i].
Proof.
have tops := selected_scores_enclose P Pok.
have below := combine_column (C := score_floor) tops score_drops_enclose (fun i I J HI HJ => isub_contains P HI HJ).
have at_floor := map_column (C := fun i => - dloss ell (score_floor i)) below
  (fun i I HI => slope_interval_contains P l HI).
have at_top := map_column (C := best_slope alpha ell) tops (fun i I HI => slope_interval_contains P l HI).
have ratios := combine_column (C := fun i => - dloss ell (score_floor i) / best_slope alpha ell i) at_floor at_top
  (fun i I J HI HJ => idiv_contains P HI HJ).
have [y [Hy _ y_ge]] := column_largest_contains P ratios; exists (Rmax 1 y); split=> [||i].
- exact: imax_contains (contains1 N) Hy.
- exact: Rmax_l.
have b0 : 0 < best_slope alpha ell i by have := dloss_lt0 ell (score (alpha i)); rewrite /best_slope; lra.
have := Rle_trans _ _ _ (y_ge i) (Rmax_r 1 y) => le; have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ b0) le.
by rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra.
Qed.

(* h *)
Lemma deficit_contains : exists h, [/\ contains deficit_in h, 0 <= h & forall i t, others alpha i t ->
  1 <= h * (weight (s := problem D) i * best_slope alpha ell i * (score (alpha i) - score_second i))].
Proof.
have tops := map_column (C := best_slope alpha ell) (selected_scores_enclose P Pok)
  (fun i I HI => slope_interval_contains P l HI).
have shares := map_column (C := fun i => weight (s := problem D) i * best_slope alpha ell i) tops
  (fun i I HI => imul_contains P (group_share_contains P i) HI).
have rates := combine_column (C := fun i => r i / (weight (s := problem D) i * best_slope alpha ell i)) r_enclosed
  shares (fun i I J HI HJ => idiv_contains P HI HJ).
have [h [Hh h0 h_ge]] := column_largest_contains P rates; exists h; split=> // i t ti.
have Hi : has_others Pok i by apply/existsP; exists t.
have r0 := inverse_gap_gt0 found_drops Hi; have w1 := weight_gt0 (s := problem D) i.
have b0 : 0 < best_slope alpha ell i by have := dloss_lt0 ell (score (alpha i)); rewrite /best_slope; lra.
have wb := Rmult_lt_0_compat _ _ w1 b0.
have -> : score_second i = score (alpha i) - / r i by rewrite /ScoreFloors.score_second /ScoreFloors.gap_room Hi.
have -> : score (alpha i) - (score (alpha i) - / r i) = / r i by ring.
have x0 : 0 <= weight (s := problem D) i * best_slope alpha ell i * / r i.
  by apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat].
apply: Rle_trans (Rmult_le_compat_r _ _ _ x0 (h_ge i)); right; field; lra.
Qed.

(* phi and D *)
Definition curves_within (phi Dm : R) : Prop :=
  exists2 bent : vec (coord (problem D)) -> vec (coord (problem D)) -> R,
    (forall z v x, is_derive (fun y => dot (gradient ell (z + y * v)%V) v) x (bent (z + x * v)%V v)) &
    forall z v, training_loss ell z <= training_loss ell w0 ->
      bent z v <= (1 + phi) * (Dm * Dm) * mass alpha ell z * vnorm2 v.

Lemma bend_contains : exists phi Dm, [/\ contains bend_in phi, 0 <= phi, contains (widest_feature_in D P) Dm,
  (forall t t' : token (problem D), group_of t = group_of t' -> vnorm (feature t - feature t')%V <= Dm) &
  curves_within phi Dm].
Proof.
have [Dm [HD D0 diameter]] := widest_feature_contains P Dok.
have [x [Hx x0 x_ge]] := column_largest_contains P score_drops_enclose.
case all_outputs: (everywhere l).
  have [ddl derives ratio] := curvature_ratio_bound all_outputs.
  have lam0 : 0 <= curvature_ratio l by case: (l) => /=; lra.
  have phi0 : 0 <= curvature_ratio l * x by exact: Rmult_le_pos.
  have bends : bend_ranges alpha ell found_floors (LockBend ddl (curvature_ratio l) (curvature_ratio l * x) Dm).
    split=> // i; have -> : lock_floor found_floors i = score (alpha i) - score_drop i by [].
    have -> : score (alpha i) - (score (alpha i) - score_drop i) = score_drop i by ring.
    exact: Rmult_le_compat_l.
  exists (curvature_ratio l * x), Dm; split=> //.
    rewrite /bend_in; case: (l) all_outputs => //= _; rewrite ?Rmult_1_l ?Rmult_0_l //; exact: contains0.
  exists (@line_curvature (problem D) ell (LockBend ddl (curvature_ratio l) (curvature_ratio l * x) Dm)) => [z v y|z v].
    exact: (is_derive_line_slope bends).
  exact: (line_curvature_bound (labelled_defined labels) found_ranges bends).
have [positive zero] := labels (negbT all_outputs); have El : l = CrossEntropy by case: (l) all_outputs.
have floors := combine_column (C := score_floor) (selected_scores_enclose P Pok) score_drops_enclose
  (fun i I J HI HJ => isub_contains P HI HJ).
have [y [Hy y0 _]] := column_largest_contains P (map_column (C := fun i => 1 / score_floor i) floors
  (fun i I HI => idiv_contains P (contains1 N) HI)).
have yx : 0 <= y * x by exact: Rmult_le_pos.
exists (y * x), Dm; split=> //; first by rewrite /bend_in El; exact: imul_contains Hy Hx.
rewrite /curves_within El; have [derives below] := label_curves positive zero D0 diameter.
exists (@cross_entropy_bent (problem D)) => // z v _; apply: Rle_trans (below z v) _.
apply: Rmult_le_compat_r; first exact: vnorm2_ge0.
apply: Rmult_le_compat_r.
  rewrite (label_mass positive zero); apply: sum_ge0 => i _; have a1 := attention_le1 alpha z (alpha i).
  by apply: Rmult_le_pos; [exact/Rlt_le/weight_gt0 | lra].
by have := Rmult_le_compat_r _ _ _ (Rle_0_sqr Dm) (ltac:(lra) : 1 <= 1 + y * x); rewrite /Rsqr; lra.
Qed.

(* ---- the constants of T22 ---- *)

Record found_constants (k : factored_constants) (least : R) : Prop := FoundConstants {
  found_ratio : contains steepest_ratio (/ factored_ratio k) /\ 0 < factored_ratio k;
  found_least : contains inverse_factor (/ least) /\ 0 < least;
  found_deficit : contains deficit_in (factored_deficit k) /\ 0 <= factored_deficit k;
  found_bend : contains bend_in (factored_bend k) /\ 0 <= factored_bend k;
  found_reach : contains (widest_feature_in D P) (factored_reach k) /\ 0 < factored_reach k;
  found_eta : factored_eta k = eta0 /\ factored_offset k = - ln (factored_ratio k * least);
  found_ranges_hold : factored_ranges (constraint alpha) (Delta alpha) (bare_weight alpha ell) (loss_above alpha ell)
    least k excess;
  found_deficit_ge : forall i t, others alpha i t ->
    1 <= factored_deficit k * (weight (s := problem D) i * best_slope alpha ell i * (score (alpha i) - score_second i))
}.

Lemma some_other : exists t, constraint alpha t.
Proof.
case/and5P: checked => _ _ /(has_nthP false)[i il] + _ _; rewrite size_map in il.
have [/eqP sm _] := andP (fits_constraint_mask Pok); rewrite sm in il.
by rewrite (shared_spec Pok (Ordinal il)) => /existsP[t /andP[Qt _]]; exists t.
Qed.

Section Ranges.
Variables x b h phi Dm : R.
Hypothesis x_ge1 : 1 <= x.
Hypothesis x_ge : forall i, - dloss ell (score_floor i) <= x * best_slope alpha ell i.
Hypothesis b_ge : forall t, constraint alpha t -> / lock_blo alpha found_floors t <= b.
Hypothesis h_ge : forall i t, others alpha i t ->
  1 <= h * (weight (s := problem D) i * best_slope alpha ell i * (score (alpha i) - score_second i)).
Hypothesis apart : forall t t' : token (problem D), group_of t = group_of t' -> vnorm (feature t - feature t')%V <= Dm.
Hypothesis curves : curves_within phi Dm.

Let x_inv : 0 < / x.
Proof. by apply: Rinv_0_lt_compat; lra. Qed.

Let ratio_le i : / x * - dloss ell (score_floor i) <= best_slope alpha ell i.
Proof.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ x_inv) (x_ge i).
by rewrite -[/ x * (x * _)]Rmult_assoc Rinv_l ?Rmult_1_l //; lra.
Qed.

Let least_le t : constraint alpha t -> / b <= lock_blo alpha found_floors t.
Proof.
move=> Qt; have lt := lock_blo_gt0 found_ranges Qt; rewrite -(Rinv_inv (lock_blo alpha found_floors t)).
by apply: Rinv_le_contravar; [exact: Rinv_0_lt_compat | exact: b_ge].
Qed.

Definition constants_of_point : factored_constants :=
  FactoredConstants (/ x) (- ln (/ x * / b)) h phi Dm eta0.

Lemma point_ranges :
  factored_ranges (constraint alpha) (Delta alpha) (bare_weight alpha ell) (loss_above alpha ell) (/ b)
    constants_of_point excess.
Proof.
exact (@factored_loss_ranges _ _ _ _ _ _ _ _ _ _ _ alpha ell w0 found_floors constants_of_point (/ b)
  (labelled_defined labels) score_floor_domain (fun u v => @slope_decreasing l u v) found_ranges curves
  (Rlt_le _ _ x_inv) ratio_le h_ge apart least_le).
Qed.
End Ranges.

Lemma constants_found : exists k least, found_constants k least.
Proof.
have [x [Hx x1 x_ge]] := steepest_ratio_contains; have [b Hb b_ge] := inverse_factor_contains.
have [h [Hh h0 h_ge]] := deficit_contains; have [phi [Dm [Hphi phi0 HD apart curves]]] := bend_contains.
have b0 : 0 < b.
  have [t Qt] := some_other; have lt := lock_blo_gt0 found_ranges Qt.
  exact: Rlt_le_trans (Rinv_0_lt_compat _ lt) (b_ge t Qt).
have x0 : 0 < x by lra.
have D0 : 0 < Dm.
  by case/and5P: checked => _ _ _ /and4P[_ _ _ H] _; exact: is_positive_real HD H.
have Hx' : contains steepest_ratio (/ / x) by rewrite (Rinv_inv x); exact Hx.
have Hb' : contains inverse_factor (/ / b) by rewrite (Rinv_inv b); exact Hb.
exists (constants_of_point x b h phi Dm), (/ b).
exact (@FoundConstants (constants_of_point x b h phi Dm) (/ b) (conj Hx' (Rinv_0_lt_compat _ x0))
  (conj Hb' (Rinv_0_lt_compat _ b0)) (conj Hh h0) (conj Hphi phi0) (conj HD D0)
  (conj erefl erefl) (point_ranges x1 x_ge b_ge h_ge apart curves) h_ge).
Qed.
End Constants.
End Check.
