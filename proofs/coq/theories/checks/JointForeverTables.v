(* JointForeverTables: what is reckoned of T20's hypotheses at an enclosed pair (JointForeverChecks.v) contains what it
   stands for. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Direction Saturation Losses Gradient Growth JointModel JointAscent
                           JointDecoder JointAttention JointRegion JointInside JointRun JointSpan Number Rows Entries
                           TokenData Instances EqualTokens MergedTokens MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals
                           LabelMarginsChecks LabelledValues ForeverChecks TokenReplay GroupValues JointPoint
                           JointForeverChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

(* The limits and the pair, as real numbers. *)
Record pair_values (N : number) (I : instance N) := PairValues {
  point_ray : vec [finType of 'I_(token_dimension I) * 'I_1];              (* u_v *)
  point_margin : R;                                                        (* gamma_v *)
  point_shares : data_group (data_of I) -> R;                              (* mu *)
  point_decoder : vec [finType of 'I_(token_dimension I) * 'I_1];          (* v *)
  point_solution : vec (coord (problem (data_of I)));                      (* the attention's *)
  point_multipliers : token (problem (data_of I)) -> R;
  point_attention : vec (coord (problem (data_of I)));                     (* W *)
  point_ratio : R;                                                         (* rho *)
  point_step : R                                                           (* eta *)
}.

Section Tables.
Variables (N : number) (P : Z) (I : instance N) (sel : seq nat) (groups : seq (labelled_group N)).
Variables (z : pair_inputs N) (inverse : seq (seq (interval N))) (l : loss_name) (r : pair_region N).
Notation interval := (interval N).
Notation D := (data_of I).
Notation column := (vec [finType of 'I_(token_dimension I) * 'I_1]).
Notation constraints := (constraint_mask D sel).
Notation count := (size (sequences D)).
Variable Sok : picks_ok D sel.
Notation alpha := (selection_of Sok).
Notation g := (@labelled_value N I).
Notation kappa := (chosen_value g alpha).
Notation delta := (value_difference g alpha).
Notation Q := (constraint alpha).
Notation M := (gram_inverse_entry Sok).
Implicit Types (t : token (problem D)) (i j k : data_group D).

(* ---- sums over constraints ---- *)

Lemma rows_sum_contains m (F : token (problem D) -> R) : @encloses N D m F ->
  contains (rows_sum P D sel m) (\sum_(t | Q t) F t).
Proof.
move=> [fm Hm]; have H := within_encloses (fits_constraint_mask Sok) (@contains0 N) fm (fun t _ => Hm t).
have := table_sum_contains P H; congr contains; rewrite [RHS]big_mkcond; apply: eq_bigr => t _.
by rewrite (in_constraint_mask Sok).
Qed.

Lemma others_contain m (F : token (problem D) -> R) : @encloses N D m F ->
  @column_encloses N D (others_in P D sel m) (fun i => \sum_(t | others alpha i t) F t).
Proof.
move=> [fm Hm]; have H := within_encloses (fits_constraint_mask Sok) (@contains0 N) fm (fun t _ => Hm t).
have [sz C] := group_sums_enclose P H; split=> // i.
rewrite -(others_sum Sok); have := C i; congr contains; apply: eq_bigr => t _.
by rewrite (in_constraint_mask Sok).
Qed.

Lemma within_all (f : interval -> bool) m (F : token (problem D) -> R) t : @encloses N D m F ->
  all_within f constraints m -> Q t -> exists2 J, contains J (F t) & f J.
Proof.
move=> [fm Hm] H ct; exists (at_token (Everything N) m t); first exact: Hm.
by apply: (all_withinP _ (fits_constraint_mask Sok) fm H); rewrite (in_constraint_mask Sok).
Qed.

(* ---- the limits and the point ---- *)

Variable V : pair_values I.
Notation u := (point_ray V).
Notation v0 := (point_decoder V).
Notation Gv := (point_margin V).
Notation mu := (point_shares V).
Notation ws := (point_solution V).
Notation lam := (point_multipliers V).
Notation w0 := (point_attention V).
Notation rho := (point_ratio V).
Notation eta := (point_step V).
Notation n := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation nu := (multiplier_weights alpha lam).

Record pair_enclosed : Prop := PairEnclosed {
  groups_known : groups = all_groups_in I P sel (token_data_of I);
  instance_known : instance_ok I;
  data_known : data_ok D;
  unit_known : 0 < real (tokens_unit I);
  inverse_known : size inverse = count;
  inverse_encloses : forall i, @column_encloses N D (nth [::] inverse i) (M i);
  inverse_gram : forall i k, \sum_j M i j * dot (kappa j) (kappa k) = if i == k then 1 else 0;
  ray_known : row_contains (ray_in z) u;
  ray_margin_known : contains (ray_margin_in z) Gv;
  shares_known : @column_encloses N D (shares_in z) mu;
  decoder_known : row_contains (decoder_in z) v0;
  shares_balance : \sum_i mu i = 1 /\ combine predT mu kappa = (Gv * u)%V;
  ray_holds : [/\ vnorm u = 1, 0 < Gv & forall i, dot (kappa i) u = Gv];
  solution_known : reference_encloses Sok (attention_in z) ws lam;
  solution_direction : direction Q (Delta alpha) n gamma nu;
  row_height_known : contains (row_height_in z) (dot w0 n);
  row_square_known : contains (row_square_in z) (vnorm2 w0);
  row_step_known : contains (row_step_in z) eta;
  value_step_known : contains (value_step_in z) (rho * eta);
  row_step_gt0 : 0 < eta
}.

Definition later_limit : pair_limit (problem D) [finType of 'I_(token_dimension I) * 'I_1] :=
  @PairLimit (problem D) _ u Gv mu (span_part kappa M u) (span_centre kappa M mu) n gamma nu.
Notation L := later_limit.

Definition deficit_real : R := fraction_real (region_deficit r).
Definition aside_real : R := fraction_real (region_aside r).
Definition reach_real : R := fraction_real (region_reach r).
Definition tail_real : R := if l is Logistic then / (1 + deficit_real) else 1.
Notation single := (size groups == 1%nat).
Definition X_real : R :=
  if single then 0 else Rmax (vnorm (value_part L v0 - value_centre L)%V) (reach_real + rho * eta).

Hypothesis known : pair_enclosed.
Let groupsE := groups_known known.
Let Iok := instance_known known.
Let MDok := data_known known.
Let unit_gt0 := unit_known known.
Let inverse_size := inverse_known known.
Let inverse_in := inverse_encloses known.
Let gram := inverse_gram known.
Let Hdir := ray_known known.
Let HG := ray_margin_known known.
Let Hmu := shares_known known.
Let Hv := decoder_known known.
Let mu_one := proj1 (shares_balance known).
Let mu_balance := proj2 (shares_balance known).
Let u_one : vnorm u = 1. Proof. by case: (ray_holds known). Qed.
Let Gv_gt0 : 0 < Gv. Proof. by case: (ray_holds known). Qed.
Let along i : dot (kappa i) u = Gv. Proof. by case: (ray_holds known). Qed.
Let reference_in := solution_known known.
Let dir := solution_direction known.
Let HY := row_height_known known.
Let HW := row_square_known known.
Let Heta := row_step_known known.
Let Hstep := value_step_known known.
Let eta_gt0 := row_step_gt0 known.

Lemma alone_groups : single -> forall i j, i = j.
Proof.
rewrite (values_size groupsE) => /eqP one i j; apply: ord_inj.
by case: i j => i il [j jl] /=; move: il jl; rewrite one; case: i => //; case: j.
Qed.

Lemma centre_alone : single -> value_centre L = vzero.
Proof.
move=> /alone_groups one; have := span_centre_part gram mu_one mu_balance Gv_gt0.
by rewrite (alone_part gram mu_one mu_balance u_one Gv_gt0 one).
Qed.

Section Constants.
Variables (k Dm C d : R).
Definition later_constants : pair_constants :=
  PairConstants deficit_real X_real aside_real tail_real d k Dm C rho eta.
Notation c := later_constants.

Lemma pair_deficit_contains : contains (pair_deficit_in P r) deficit_real. Proof. exact: fraction_in_contains. Qed.
Lemma aside_contains : contains (region_aside_in P r) aside_real. Proof. exact: fraction_in_contains. Qed.
Lemma reach_contains : contains (fraction_in P (region_reach r)) reach_real. Proof. exact: fraction_in_contains. Qed.

Lemma pull_tail_contains : contains (pull_tail_in P l r) tail_real.
Proof.
rewrite /pull_tail_in /tail_real; case: l; try exact: contains1.
rewrite -[/ _]Rmult_1_l; apply: idiv_contains; first exact: contains1.
by apply: iadd_contains; [exact: contains1 | exact: pair_deficit_contains].
Qed.

Lemma pair_height_contains : contains (pair_height_in P z) (value_height L v0).
Proof. exact: height_contains. Qed.

Lemma value_reach_contains : contains (value_reach_in P groups z inverse r) X_real.
Proof.
rewrite /value_reach_in /X_real /alone; case: ifP => _; first exact: contains0.
apply: imax_contains; last by apply: iadd_contains => //; exact: reach_contains.
exact: (near_centre_contains groupsE Iok MDok unit_gt0 inverse_size inverse_in gram Hdir HG Hmu Hv mu_balance Gv_gt0
  along).
Qed.

Lemma pull_level_contains : contains (longest_value_in P groups) k -> contains (pull_level_in P groups z l r)
  (deficit_real - ln tail_real + (k + deficit_real) * (rho * eta) / 2 + deficit_real * reach_real).
Proof.
move=> Hk; have Hg := pair_deficit_contains; apply: iadd_contains; last by apply: imul_contains => //; exact:
  reach_contains.
apply: iadd_contains; first by apply: isub_contains => //; apply: ilog_contains; exact: pull_tail_contains.
apply: idiv_contains; last exact: contains2.
by apply: imul_contains => //; exact: iadd_contains.
Qed.

(* ---- label margins ---- *)

Lemma value_still_contains : row_contains (value_still_in P I groups z inverse) (value_still L v0).
Proof. exact: (still_contains groupsE Iok MDok unit_gt0 inverse_size inverse_in u Hmu Hv). Qed.

Lemma along_table_encloses : @encloses N D (along_table P groups z) (label_along g alpha L).
Proof. exact: labels_in_enclose. Qed.

Lemma tilt_table_encloses : @encloses N D (tilt_table P I groups z inverse) (label_tilt g alpha L v0).
Proof. exact: labels_in_enclose value_still_contains. Qed.

Lemma inside_table_encloses : @encloses N D (inside_table P groups inverse)
  (fun t => span_form M (fun i => dot (kappa i) (delta t))).
Proof.
apply: (of_differences_encloses Iok MDok Sok unit_gt0 groupsE) => i s.
have [_ _ _ H] := values_enclose Iok MDok Sok unit_gt0 groupsE i.
exact: (difference_form groupsE Iok MDok unit_gt0 inverse_size inverse_in (H s)).
Qed.

Lemma square_table_encloses : @encloses N D (square_table P groups) (fun t => vnorm2 (delta t)).
Proof.
apply: (of_differences_encloses Iok MDok Sok unit_gt0 groupsE) => i s.
have [_ _ _ H] := values_enclose Iok MDok Sok unit_gt0 groupsE i.
exact: (row_product_contains P (H s) (H s)).
Qed.

Lemma reach_table_encloses : @encloses N D (reach_table P groups z inverse r) (label_reach g alpha L c).
Proof.
have Hside : @encloses N D (combine_tables (fun a b => imul P (isqrt P (isub P a (imul P b b)))
    (value_reach_in P groups z inverse r)) (inside_table P groups inverse) (along_table P groups z))
    (fun t => vnorm (value_part L (delta t)) * X_real).
  apply: (combine_encloses inside_table_encloses along_table_encloses) => t J K HJ HK.
  apply: imul_contains; last exact: value_reach_contains.
  rewrite /vnorm (part_form gram mu_balance u_one Gv_gt0); apply: isqrt_contains; apply: isub_contains => //.
  exact: imul_contains.
have Hout : @encloses N D (combine_tables (fun a b => imul P (isqrt P (isub P a b)) (pair_deficit_in P r))
    (square_table P groups) (inside_table P groups inverse)) (fun t => vnorm (value_rest L (delta t)) * deficit_real).
  apply: (combine_encloses square_table_encloses inside_table_encloses) => t J K HJ HK.
  apply: imul_contains; last exact: pair_deficit_contains.
  by rewrite /vnorm (rest_form gram); apply: isqrt_contains; exact: isub_contains.
by apply: (combine_encloses Hside Hout) => t J K; exact: iadd_contains.
Qed.

Lemma least_table_encloses : @encloses N D (least_table P I groups z inverse r) (label_low g alpha L c v0).
Proof.
have Hd : @encloses N D (combine_tables (isub P) (tilt_table P I groups z inverse) (reach_table P groups z inverse r))
    (fun t => label_tilt g alpha L v0 t - label_reach g alpha L c t).
  by apply: (combine_encloses tilt_table_encloses reach_table_encloses) => t J K; exact: isub_contains.
apply: (combine_encloses along_table_encloses Hd) => t J K HJ HK; apply: iadd_contains => //.
apply: idiv_contains pair_height_contains; apply: isub_contains; last exact: pair_deficit_contains.
by apply: imin_contains => //; exact: contains0.
Qed.

Lemma most_table_encloses : @encloses N D (most_table P I groups z inverse r) (label_high g alpha L c v0).
Proof.
have Hd : @encloses N D (combine_tables (iadd P) (tilt_table P I groups z inverse) (reach_table P groups z inverse r))
    (fun t => label_tilt g alpha L v0 t + label_reach g alpha L c t).
  by apply: (combine_encloses tilt_table_encloses reach_table_encloses) => t J K; exact: iadd_contains.
apply: (combine_encloses along_table_encloses Hd) => t J K HJ HK; apply: iadd_contains => //.
by apply: idiv_contains pair_height_contains; apply: imax_contains => //; exact: contains0.
Qed.

(* ---- the attention ---- *)

Lemma margin_contains : contains (margin_in (attention_in z)) gamma.
Proof. by have [_ H _ _ _] := reference_in. Qed.

Lemma pair_slopes_enclose : @encloses N D (slopes_in (attention_in z)) (slope (Delta alpha) n).
Proof. by have [_ _ H _ _] := reference_in. Qed.

Lemma spread_table_encloses : @encloses N D (spread_table P D sel z) (spread (Delta alpha) n).
Proof.
apply: (map_encloses (square_spreads_enclose P MDok reference_in)) => t J HJ.
by have := isqrt_contains P HJ; rewrite sqrt_square //; exact: spread_ge0.
Qed.

Lemma longest_row_contains : exists x, [/\ contains (longest_row_in P D sel) x, 0 < x &
  forall t, vnorm (Delta alpha t) <= x].
Proof.
have [x [Hx x0 le]] := table_largest_contains P (distance_table_encloses P MDok Sok).
exists x; split=> //; have [t /activeP[Qt _]] := active_exists dir.
have g0 := dir_margin_gt0 dir; have gt := dir_margin dir Qt.
have n1 : vnorm n = 1 by rewrite /vnorm /vnorm2 (dir_unit dir) sqrt_1.
have := dot_le_norms (Delta alpha t) n; rewrite n1 Rmult_1_r => le1.
exact: Rlt_le_trans g0 (Rle_trans _ _ _ gt (Rle_trans _ _ _ le1 (le t))).
Qed.

Hypothesis HD : contains (longest_row_in P D sel) Dm.

Lemma rows_pace_contains : contains (rows_pace_in P D sel z) (gamma / Dm).
Proof. by apply: idiv_contains => //; exact: margin_contains. Qed.

Lemma steps_ratio_contains : contains (steps_ratio_in P z) rho.
Proof. by have -> : rho = rho * eta / eta; [field; lra | exact: idiv_contains]. Qed.

Lemma values_pace_contains : contains (values_pace_in P D sel z) (value_pace L c).
Proof. by apply: idiv_contains; [exact: steps_ratio_contains | exact: rows_pace_contains]. Qed.

Lemma weights_enclose : @encloses N D (weights_in (attention_in z)) (fun t => if Q t then nu t else 0).
Proof.
have [_ _ _ [fw Hw] [fa Ha]] := reference_in; split=> // t; have := Hw t; congr contains; rewrite -Ha.
case: (boolP (Q t)) => Qt; last by rewrite /active (negbTE Qt).
case: (boolP (active Q nu t)) => // /activeP no; have := dir_mult_ge0 dir Qt => n0.
by case: n0 => // n0; case: no.
Qed.

Lemma turns_contain : @column_encloses N D (turns_in P I groups z inverse r) (value_turn g alpha L c).
Proof.
have [sw Hw] := group_sums_enclose P weights_enclose.
have mean : row_contains (mixed_rows P (token_dimension I) (group_sums P (weights_in (attention_in z)))
    (selected_values groups)) (combine Q nu (fun t => kappa (group_of t))).
  have := mixed_rows_contains P sw (selected_size groupsE) Hw (selected_contain groupsE Iok MDok Sok unit_gt0).
  congr row_contains; apply: vec_ext => j; rewrite /combine [RHS]big_mkcond sum_by_group; apply: eq_bigr => i _.
  rewrite sum_mulr; apply: eq_bigr => t /eqP ti; rewrite -ti.
  by case: (Q t) => //; rewrite Rmult_0_l.
apply: (selected_map groupsE Iok MDok unit_gt0) => i a Ha; apply: imul_contains; last exact: value_reach_contains.
by apply: length_of_row_contains; exact: apart_contains.
Qed.

Lemma row_highs_enclose : @encloses N D (row_highs_in P I D sel groups z inverse r) (row_high g alpha L c v0).
Proof.
have Hc : @column_encloses N D [seq iexp P (isub P (pair_deficit_in P r) c) | c <- centres_in P (shares_in z)]
    (fun i => exp (deficit_real - centre_offset mu i)).
  apply: (map_column (centres_contain P Hmu)) => i J HJ; apply: iexp_contains.
  by apply: isub_contains => //; exact: pair_deficit_contains.
have H : @encloses N D (spread_column (imul P)
    [seq iexp P (isub P (pair_deficit_in P r) c) | c <- centres_in P (shares_in z)] (most_table P I groups z inverse r))
    (fun t => exp (deficit_real - centre_offset mu (group_of t)) * label_high g alpha L c v0 t).
  by apply: (spread_column_encloses Hc most_table_encloses) => t J K; exact: imul_contains.
have [fh Hh] := by_copies_encloses P MDok Sok H; split=> // t; have := Hh t; congr contains.
by rewrite /row_high -Rmult_assoc.
Qed.

Lemma row_lows_enclose : @encloses N D (row_lows_in P I D sel groups z inverse l r) (row_low g alpha L c v0).
Proof.
have Hc : @column_encloses N D [seq imul P (imul P (pull_tail_in P l r) (isub P (interval1 N) (pair_deficit_in P r)))
      (iexp P (iopp c)) | c <- centres_in P (shares_in z)]
    (fun i => tail_real * (1 - deficit_real) * exp (- centre_offset mu i)).
  apply: (map_column (centres_contain P Hmu)) => i J HJ; apply: imul_contains.
    apply: imul_contains; first exact: pull_tail_contains.
    by apply: isub_contains; [exact: contains1 | exact: pair_deficit_contains].
  by apply: iexp_contains; exact: iopp_contains.
have H : @encloses N D (spread_column (imul P) [seq imul P (imul P (pull_tail_in P l r)
      (isub P (interval1 N) (pair_deficit_in P r))) (iexp P (iopp c)) | c <- centres_in P (shares_in z)]
      (least_table P I groups z inverse r))
    (fun t => tail_real * (1 - deficit_real) * exp (- centre_offset mu (group_of t)) * label_low g alpha L c v0 t).
  by apply: (spread_column_encloses Hc least_table_encloses) => t J K; exact: imul_contains.
have [fh Hh] := by_copies_encloses P MDok Sok H; split=> // t; have := Hh t; congr contains.
by rewrite /row_low -!Rmult_assoc.
Qed.

Definition concentration : R :=
  ln (\sum_(t | Q t) row_high g alpha L c v0 t * exp (value_turn g alpha L c (group_of t))) -
    \sum_(t | Q t) nu t * (ln (row_low g alpha L c v0 t) - ln (nu t)).

Lemma concentration_contains :
  contains (concentration_in P I D sel groups z inverse l r) (Rmax concentration 0).
Proof.
apply: imax_contains; last exact: contains0.
apply: isub_contains.
  have Ht : @column_encloses N D [seq iexp P t | t <- turns_in P I groups z inverse r]
      (fun i => exp (value_turn g alpha L c i)).
    by apply: (map_column turns_contain) => i J; exact: iexp_contains.
  apply: ilog_contains.
  have H : @encloses N D (spread_column (imul P) [seq iexp P t | t <- turns_in P I groups z inverse r]
      (row_highs_in P I D sel groups z inverse r))
      (fun t => row_high g alpha L c v0 t * exp (value_turn g alpha L c (group_of t))).
    apply: (spread_column_encloses Ht row_highs_enclose) => t J K HJ HK.
    by rewrite Rmult_comm; exact: imul_contains.
  exact: (rows_sum_contains H).
have [_ _ _ [fw Hw] [fa Ha]] := reference_in.
have H : @encloses N D (within (active_in (attention_in z)) (interval0 N)
    (combine_tables (fun nu low => imul P nu (isub P (ilog P low) (ilog P nu))) (weights_in (attention_in z))
      (row_lows_in P I D sel groups z inverse l r)))
    (fun t => if in_mask (active_in (attention_in z)) t then nu t * (ln (row_low g alpha L c v0 t) - ln (nu t)) else 0).
  have [fl Hl] := row_lows_enclose.
  apply: within_encloses => //; [exact: contains0 | by apply: fits_map; exact: fits_zip | move=> t it].
  rewrite (at_token_map (Everything N, Everything N)); last exact: fits_zip.
  rewrite at_token_zip //=; have := Hw t; rewrite it => Hnu.
  by apply: imul_contains => //; apply: isub_contains; exact: ilog_contains.
have := table_sum_contains P H; congr contains; rewrite -[RHS](sum_active dir) [RHS]big_mkcond.
by apply: eq_bigr => t _; rewrite -Ha.
Qed.

Hypothesis HC : contains (concentration_in P I D sel groups z inverse l r) C.

Lemma rows_growth_contains : contains (rows_growth_in P I D sel groups z inverse l r) (row_growth L c).
Proof.
have Hg := margin_contains; apply: iadd_contains; apply: idiv_contains => //; apply: imul_contains => //.
exact: contains2.
Qed.

Lemma slope_table_encloses :
  @encloses N D (slope_table P I D sel groups z inverse l r) (row_slope alpha L c).
Proof.
apply: (combine_encloses pair_slopes_enclose spread_table_encloses) => t J K HJ HK; apply: isub_contains => //.
apply: idiv_contains; first by apply: imul_contains => //; exact: rows_growth_contains.
by apply: imul_contains; [exact: contains2 | exact: aside_contains].
Qed.

Lemma share_table_encloses : @encloses N D (pair_share_table P D sel z r) (row_share alpha L c w0).
Proof.
apply: (by_copies_encloses P MDok Sok).
have H : @encloses N D (combine_tables (fun a b => isub P (imul P a (row_height_in z)) (imul P b (region_aside_in P r)))
    (slopes_in (attention_in z)) (spread_table P D sel z)) (first_margin alpha L c w0).
  apply: (combine_encloses pair_slopes_enclose spread_table_encloses) => t J K HJ HK.
  by apply: isub_contains; apply: imul_contains => //; exact: aside_contains.
by apply: (map_encloses H) => t J; exact: factor_contains.
Qed.

(* ---- what stays small ---- *)

Lemma lost_contain : @column_encloses N D (lost_column P I D sel groups z inverse r) (fun i =>
  \sum_(t | others alpha i t) row_share alpha L c w0 t * label_high g alpha L c v0 t * value_height L v0).
Proof.
apply: others_contain; have H : @encloses N D (combine_tables (imul P) (pair_share_table P D sel z r)
    (most_table P I groups z inverse r)) (fun t => row_share alpha L c w0 t * label_high g alpha L c v0 t).
  by apply: (combine_encloses share_table_encloses most_table_encloses) => t J K; exact: imul_contains.
by apply: (map_encloses H) => t J HJ; apply: imul_contains => //; exact: pair_height_contains.
Qed.

Lemma rest_contain : @column_encloses N D (rest_column P D sel z r) (fun i =>
  \sum_(t | others alpha i t) row_share alpha L c w0 t).
Proof. exact: others_contain share_table_encloses. Qed.

Lemma turned_table_encloses : @encloses N D (combine_tables (imul P) (pair_share_table P D sel z r)
  (value_lengths_in P groups)) (fun t => row_share alpha L c w0 t * vnorm (delta t)).
Proof.
apply: (combine_encloses share_table_encloses (value_lengths_enclose Iok MDok Sok unit_gt0 groupsE)) => t J K.
exact: imul_contains.
Qed.

Lemma turned_contains : exists x, [/\ contains (turned_in P D sel groups z r) x, 0 <= x &
  forall i, \sum_(t | others alpha i t) row_share alpha L c w0 t * vnorm (delta t) <= x].
Proof. exact: (column_largest_contains P (others_contain turned_table_encloses)). Qed.

Hypothesis Hd : contains (turned_in P D sel groups z r) d.

Lemma drift_contains : contains (pair_drift_in P I D sel groups z inverse l r) (value_drift_all g alpha L c w0).
Proof.
apply: imul_contains; first by apply: idiv_contains; [exact: values_pace_contains | exact: isub_contains].
apply: rows_sum_contains.
apply: (combine_encloses turned_table_encloses slope_table_encloses) => t J K HJ HK.
apply: idiv_contains => //; apply: imul_contains => //; apply: iexp_contains; exact: imul_contains.
Qed.

Lemma output_losses_contain : @column_encloses N D (output_losses_in P groups z inverse r)
  (output_loss g alpha L c).
Proof.
apply: (combine_column (values_aside_contain groupsE Iok MDok unit_gt0 gram HG u_one along) (centres_contain P Hmu)).
move=> i J K HJ HK; apply: iadd_contains pair_deficit_contains; apply: isub_contains => //.
by apply: imul_contains => //; exact: value_reach_contains.
Qed.
End Constants.
End Tables.
