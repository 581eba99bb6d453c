(* JointForeverSound: where region_check (JointForeverChecks.v) accepts an enclosed pair the conditions of T20 hold
   there, and where future_check does, too, the pair is what is said after every later step. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Direction Saturation Losses Gradient Growth JointModel JointAscent
                           JointDecoder JointAttention JointRegion JointInside JointRun JointSpan Number Rows Entries
                           TokenData Instances EqualTokens MergedTokens MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals
                           LabelMarginsChecks LabelledValues ForeverChecks TokenReplay GroupValues JointPoint
                           JointForeverChecks JointForeverTables.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section Sound.
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
Notation L := (later_limit Sok V).
Notation deficit_real := (deficit_real r).
Notation aside_real := (aside_real r).
Notation reach_real := (reach_real r).
Notation tail_real := (tail_real l r).
Notation X_real := (X_real groups r Sok V).
Notation region_check := (region_check P I D sel groups z inverse l r).

Hypothesis known : pair_enclosed P groups z inverse Sok V.
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

Hypothesis checked : region_check.

(* The constants that are bounds of what is found. *)
Section Constants.
Variables (k Dm C d : R).
Notation c := (later_constants groups l r Sok V k Dm C d).
Notation concentration := (concentration groups l r Sok V k Dm C d).

Record constants_enclosed : Prop := ConstantsEnclosed {
  longest_known : contains (longest_value_in P groups) k;
  longest_ge : forall i, vnorm (kappa i) <= k;
  longest_row_known : contains (longest_row_in P D sel) Dm;
  longest_row_gt0 : 0 < Dm;
  longest_row_ge : forall t, vnorm (Delta alpha t) <= Dm;
  concentration_known : contains (concentration_in P I D sel groups z inverse l r) C;
  concentration_is : C = Rmax concentration 0;
  turned_known : contains (turned_in P D sel groups z r) d;
  turned_ge0 : 0 <= d;
  turned_ge : forall i, \sum_(t | others alpha i t) row_share alpha L c w0 t * vnorm (delta t) <= d
}.

Hypothesis enclosed : constants_enclosed.
Let Hk := longest_known enclosed.
Let k_ge := longest_ge enclosed.
Let HD := longest_row_known enclosed.
Let D_gt0 := longest_row_gt0 enclosed.
Let D_ge := longest_row_ge enclosed.
Let HC := concentration_known enclosed.
Let CE := concentration_is enclosed.
Let Hd := turned_known enclosed.
Let d_ge0 := turned_ge0 enclosed.
Let d_ge := turned_ge enclosed.
Let pair_deficit_contains := pair_deficit_contains P r.
Let aside_contains := aside_contains P r.
Let reach_contains := reach_contains P r.
Let alone_groups := alone_groups known.
Let centre_alone := centre_alone known.
Let pull_level_contains := pull_level_contains l r known (k := k).
Let output_losses_contain := output_losses_contain l r known k Dm C d.
Let pair_height_contains := pair_height_contains known.
Let least_table_encloses := least_table_encloses l r known k Dm C d.
Let slope_table_encloses := slope_table_encloses known k d HD HC.
Let values_pace_contains := values_pace_contains l r known k C d HD.
Let lost_contain := lost_contain l r known k Dm C d.
Let rest_contain := rest_contain l r known k Dm C d.
Let drift_contains := drift_contains known k HD HC Hd.
Let steps_ratio_contains := steps_ratio_contains known.
Let rows_pace_contains := rows_pace_contains known HD.
Let value_reach_contains := value_reach_contains r known.
Let value_still_contains := value_still_contains known.
Let rows_growth_contains := rows_growth_contains known k d HD HC.
(* ---- the hypotheses hold ---- *)


Lemma home_sound : home_check P groups z inverse l r -> (forall i, 0 < mu i) ->
  (exists x box, boxes_hold g alpha L c x box) \/ forall e, value_part L e = vzero.
Proof.
rewrite /home_check /alone; case: ifP => [one _ _ | many H mu0].
  by right=> e; exact: (alone_part gram mu_one mu_balance u_one Gv_gt0 (alone_groups one)).
left; have sb : size [seq fraction_in P b | b <- region_boxes r] = count.
  by case/and4P: H => _ /eqP -> _ _; exact: (values_size groupsE).
pose box i : R := fraction_real (nth (Fraction zero one) (region_boxes r) i).
have Hb : @column_encloses N D [seq fraction_in P b | b <- region_boxes r] box.
  apply: (column_map (e0 := Fraction zero one)) => [|i]; first by rewrite size_map in sb.
  exact: fraction_in_contains.
have [x0 box0 held inside] := boxes_check_sound inverse_size inverse_in gram HG Hmu mu_balance u_one Gv_gt0 Hb
  (pull_level_contains Hk) reach_contains H.
by exists reach_real, box; split=> //; rewrite /= /X_real many; exact: Rmax_r.
Qed.

Lemma near_sound : vnorm (value_part L v0 - value_centre L)%V <= X_real.
Proof.
rewrite /X_real; case: ifP => [one | _]; last exact: Rmax_l.
rewrite (centre_alone one) /= (alone_part gram mu_one mu_balance u_one Gv_gt0 (alone_groups one)).
by rewrite (_ : (_ - _)%V = vzero) ?vnorm0; [right | vec_ring].
Qed.

Lemma tail_sound y : 0 < deficit_real ->
  (if l is Logistic then
     all (fun o => certainly_le (iexp P (isub P o (imul P (ray_margin_in z) (pair_height_in P z)))) (pair_deficit_in P
    r))
       (output_losses_in P groups z inverse r)
   else if l is Exponential then true else false) -> y = value_height L v0 ->
  0 < tail_real <= 1 /\ forall i x, Gv * y - output_loss g alpha L c i <= x ->
    tail_real * exp (- x) <= - dloss (loss_of l) x <= exp (- x).
Proof.
move=> g0 H ->; rewrite /tail_real; case El: l H => // H; last by split; [lra | move=> i x _; exact: exponential_pull].
split.
  by split; [apply: Rinv_0_lt_compat; lra | rewrite -Rinv_1; apply: Rinv_le_contravar; lra].
move=> i x le; apply: logistic_pull => //; rewrite -El in le.
have [o Ho small] := column_all i output_losses_contain H.
have := certainly_le_real (iexp_contains P (isub_contains P Ho (imul_contains P HG pair_height_contains)))
  pair_deficit_contains small.
by apply: Rle_trans; apply: exp_monotone; lra.
Qed.

Theorem conditions_hold : pair_conditions g (loss_of l) alpha L c v0 w0.
Proof.
have [/and5P[y0 Y0 g0 g1 A0] /and4P[_ step0 mu0 home] aside tail] := and5P checked.
case/and4P=> low slopes paces /and5P[lost rest turned turned_margin drift].
have y_gt0 := is_positive_real pair_height_contains y0; have Y_gt0 := is_positive_real HY Y0.
have g_gt0 := is_positive_real pair_deficit_contains g0.
have g_lt1 := certainly_lt_real pair_deficit_contains (@contains1 N) g1.
have A_gt0 := is_positive_real aside_contains A0.
have step_gt0 := is_positive_real Hstep step0.
have rho_gt0 : 0 < rho by apply: (Rmult_lt_reg_r eta) => //; rewrite Rmult_0_l.
have mu_gt0 i : 0 < mu i by have [J HJ] := column_all i Hmu mu0; exact: is_positive_real.
have [tail_range tail_pull] := tail_sound g_gt0 tail erefl.
have strictly J x : contains J x -> certainly_lt J (pair_deficit_in P r) -> x <= deficit_real.
  by move=> HJ lt; have := certainly_lt_real HJ pair_deficit_contains lt; exact: Rlt_le.
split.
- by [].
- by [].
- by split.
- split=> //; have := certainly_le_real (isub_contains P HW (imul_contains P HY HY))
    (imul_contains P aside_contains aside_contains) aside.
  have nn : vnorm2 n = 1 := dir_unit dir.
  by apply: Rle_trans; right; rewrite /across_side vnorm2B vnorm2Z dotZr nn /height_along /=; ring.
- exact: near_sound.
- exact: home_sound home mu_gt0.
- by [].
- exact: tail_range.
- exact: tail_pull.
- by rewrite /= CE; split; [exact: Rmax_r | exact: Rmax_l].
- by split=> // t _; exact: D_ge.
- exact: k_ge.
- by move=> t Qt; have [J HJ] := within_all least_table_encloses low Qt; exact: is_positive_real.
- move=> t Qt; split; first by have [J HJ] := within_all slope_table_encloses slopes Qt; exact: is_positive_real.
  have [J HJ le] := within_all slope_table_encloses paces Qt.
  exact: certainly_le_real values_pace_contains (imul_contains P HJ pair_height_contains) le.
- by move=> i; have [J HJ lt] := column_all i lost_contain lost; exact: strictly HJ lt.
- by move=> i; have [J HJ lt] := column_all i rest_contain rest; exact: strictly HJ lt.
- exact: d_ge.
- split; first by split=> //; exact: strictly Hd turned.
  exact: certainly_lt_real Hd HG turned_margin.
exact: strictly drift_contains drift.
Qed.

(* ---- what follows ---- *)

Section Future.
Variables (a : decoder_future N) (b : attention_future N).
Hypothesis future : future_check P I D sel groups z inverse l r a b.
Variables (v : nat -> column) (w : nat -> vec (coord (problem D))) (etas : nat -> R).
Hypotheses (first_v : v O = v0) (first_w : w O = w0) (steps : forall s : nat, 0 < etas s <= eta).
Hypothesis run : trained_jointly g (loss_of l) (fun s => rho * etas s) etas v w.
Notation real := fraction_real.

Lemma loss_small : region_check -> forall x, loss_of l x <= exp (- x).
Proof.
case/and5P=> _ _ _; case: l => // _ _ x /=; last by right.
by have [] := logistic_le x.
Qed.

Lemma total_pair_steps_ge0 (t : nat) : 0 <= total etas t.
Proof. by apply: sum_ge0 => s _; have [/Rlt_le] := steps s. Qed.

Lemma found_future (t : nat) : foreseen g (loss_of l) alpha u n a b (total etas t) (v t) (w t).
Proof.
have conditions := conditions_hold; rewrite -first_v -first_w in conditions.
have limit : proper_limit g alpha L.
  have mu_gt0 i : 0 < mu i.
    have [_ /and4P[_ _ mu0 _] _ _ _] := and5P checked.
    by have [J HJ] := column_all i Hmu mu0; exact: is_positive_real.
  exact: (@spanned_limit (problem D) _ g alpha M u Gv mu n gamma nu gram u_one Gv_gt0 along mu_gt0 mu_one mu_balance
    dir).
have [up turn Up Turn small others_small] := T20 limit conditions steps run (loss_small checked) t.
rewrite first_v in up turn; rewrite first_w in Up Turn others_small.
set S := total etas t in up Up others_small *; have S0 : 0 <= S := total_pair_steps_ge0 t.
have [[A0 B0 G0 Z0 F0] [A_le B_le X_le M_le G_le]] : [/\ 0 < real (value_from a), 0 < real (value_growth a),
    0 < real (value_decay a), 0 < real (rows_from b) & 0 < real (rows_growth b)] /\
    [/\ real (value_from a) <= value_height L v0,
        real (value_growth a) <= rho * ((Gv - d) / (k + d)),
        pair_lateral L c v <= real (value_lateral a),
        \sum_i weight (s := problem D) i * exp (output_loss g alpha L c i) <= real (value_loss a) &
        real (value_decay a) <= Gv].
  have [/and5P[p1 p2 p3 p4 p5] /and5P[h1 h2 h3 h4 h5] _] := and3P future; split; split;
    try (exact: is_positive_real (fraction_in_contains P _) _).
  - exact: certainly_le_real (fraction_in_contains P _) pair_height_contains h1.
  - apply: certainly_le_real (fraction_in_contains P _) _ h2; apply: imul_contains; first exact: steps_ratio_contains.
    by apply: idiv_contains; [exact: isub_contains | exact: iadd_contains].
  - apply: certainly_le_real _ (fraction_in_contains P _) h3; rewrite /pair_lateral first_v.
    apply: iadd_contains pair_deficit_contains; apply: iadd_contains value_reach_contains.
    exact: length_of_row_contains value_still_contains.
  - apply: certainly_le_real _ (fraction_in_contains P _) h4; apply: (@column_sum_contains N D).
    apply: (map_column output_losses_contain) => i J HJ; apply: imul_contains; last exact: iexp_contains.
    exact: (group_share_contains P i).
  exact: certainly_le_real (fraction_in_contains P _) HG h5.
have [Z_le F_le Q_le U_le H_le] : [/\ real (rows_from b) <= row_height L w0, real (rows_growth b) <= gamma / Dm,
    pair_spread L c w <= real (rows_spread b),
    forall i, \sum_(t | others alpha i t) row_share alpha L c w0 t <= real (rows_unselected b) &
    forall t, Q t -> real (rows_fall b) <= row_slope alpha L c t * (gamma / Dm)].
  have [_ _ /and5P[h1 h2 h3 h4 h5]] := and3P future; split.
  - exact: certainly_le_real (fraction_in_contains P _) HY h1.
  - exact: certainly_le_real (fraction_in_contains P _) rows_pace_contains h2.
  - apply: certainly_le_real _ (fraction_in_contains P _) h3; rewrite /pair_spread first_w.
    apply: imax_contains rows_growth_contains; apply: idiv_contains => //.
    by apply: imul_contains; exact: aside_contains.
  - move=> i; have [J HJ le] := column_all i rest_contain h4.
    exact: certainly_le_real HJ (fraction_in_contains P _) le.
  move=> s Qs; have [J HJ le] := within_all slope_table_encloses h5 Qs.
  exact: certainly_le_real (fraction_in_contains P _) (imul_contains P HJ rows_pace_contains) le.
rewrite /foreseen; set y := _ + _ * S; set Y := real (rows_from b) + _.
have y_gt0 : 0 < y by have := Rmult_le_pos _ _ (Rlt_le _ _ B0) S0; rewrite /y; lra.
have Y_gt0 : 0 < Y by have := Rmult_le_pos _ _ (Rlt_le _ _ F0) S0; rewrite /Y; lra.
have y_le : y <= value_height L (v t).
  apply: Rle_trans up; rewrite /y; apply: Rplus_le_compat => //.
  by apply: Rle_trans (Rmult_le_compat_r _ _ _ S0 B_le) _; right; rewrite /=; ring.
have Y_le : Y <= row_height L (w t).
  by apply: Rle_trans Up; rewrite /Y; apply: Rplus_le_compat => //; exact: Rmult_le_compat_r.
have squares (x : R) s s' : 0 < s -> s <= s' -> 0 <= x -> x / (2 * s') <= x / (2 * s).
  by move=> s0 le x0; apply: Rmult_le_compat_l => //; apply: Rinv_le_contravar; lra.
split.
- split=> //; apply: Rle_trans turn _; set h := value_height L (v t) in y_le *.
  have lat0 : 0 <= pair_lateral L c v.
    have [g0 _] := deficit_range conditions; have n0 := vnorm_ge0 (value_still L (v O)).
    have X0 := Rle_trans _ _ _ (vnorm_ge0 _) (reach_first conditions).
    by apply: Rplus_le_le_0_compat; [exact: Rplus_le_le_0_compat | exact: Rlt_le].
  apply: (Rle_trans _ (pair_lateral L c v * pair_lateral L c v / (2 * (y * y)))).
    apply: squares; [exact: Rmult_lt_0_compat | | exact: Rle_0_sqr].
    by apply: Rmult_le_compat => //; exact: Rlt_le.
  apply: Rmult_le_compat_r; first by apply/Rlt_le/Rinv_0_lt_compat; have := Rmult_lt_0_compat _ _ y_gt0 y_gt0; lra.
  exact: Rmult_le_compat.
- apply: Rle_trans small _; rewrite Rmult_comm; apply: Rmult_le_compat => //.
  + by apply: sum_ge0 => i _; apply: Rmult_le_pos; [exact/Rlt_le/weight_gt0 | exact/Rlt_le/exp_pos].
  + exact/Rlt_le/exp_pos.
  apply: exp_monotone; apply: Ropp_le_contravar.
  by apply: Rmult_le_compat => //; [exact: Rlt_le | exact: Rlt_le].
- split=> //; apply: Rle_trans Turn _; have spread0 : 0 <= pair_spread L c w.
    apply: Rle_trans (Rmax_l _ _); have [_ Yp] := first_heights conditions.
    by apply: Rmult_le_pos; [exact: Rle_0_sqr | exact/Rlt_le/Rinv_0_lt_compat].
  apply: (Rle_trans _ (pair_spread L c w / (2 * Y))); first exact: squares.
  by apply: Rmult_le_compat_r => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
move=> i; apply: Rle_trans (others_small i) _.
apply: (Rle_trans _ (\sum_(t | others alpha i t) row_share alpha L c w0 t * exp (- (real (rows_fall b) * S)))).
  apply: sum_le => s /andP[Qs _]; apply: Rmult_le_compat_l; first exact/Rlt_le/row_share_gt0.
  apply: exp_monotone; apply: Ropp_le_contravar.
  have [a0 _] := row_kept conditions Qs; have := Rmult_le_compat_r _ _ _ S0 (H_le s Qs) => h1.
  apply: Rle_trans h1 _; rewrite Rmult_assoc; apply: Rmult_le_compat_l; first exact: Rlt_le.
  by apply: (Rplus_le_reg_l (row_height L w0)); apply: Rle_trans Up _; rewrite Rplus_minus; right.
rewrite -sum_mulr; apply: Rmult_le_compat_r => //; exact/Rlt_le/exp_pos.
Qed.
End Future.
End Constants.

Lemma pair_constants_found : exists k Dm C d : R, constants_enclosed k Dm C d.
Proof.
have [k [Hk k_ge]] := longest_contains groupsE Iok MDok Sok unit_gt0.
have [Dm [HD D_gt0 D_ge]] := longest_row_contains known.
have HC := concentration_contains l r known k Dm 0 0; set C := Rmax _ 0 in HC.
have [d [Hd d_ge0 d_ge]] := turned_contains l r known k Dm C 0.
by exists k, Dm, C, d; split.
Qed.

Section Run.
Variables (a : decoder_future N) (b : attention_future N).
Hypothesis future : future_check P I D sel groups z inverse l r a b.
Variables (v : nat -> column) (w : nat -> vec (coord (problem D))) (etas : nat -> R).
Hypotheses (first_v : v O = v0) (first_w : w O = w0) (steps : forall s : nat, 0 < etas s <= eta).
Hypothesis run : trained_jointly g (loss_of l) (fun s => rho * etas s) etas v w.

Theorem future_holds (t : nat) : foreseen g (loss_of l) alpha u n a b (total etas t) (v t) (w t).
Proof.
have [k [Dm [C [d enclosed]]]] := pair_constants_found.
exact: (found_future enclosed future first_v first_w steps run).
Qed.
End Run.
End Sound.
