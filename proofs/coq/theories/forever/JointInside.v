(* JointInside: inside T20's region (JointRegion.v) margins, label margins, outputs, pulls and what attention takes from
   the selected values are in the ranges that its two steps ask for (JOINT.md section 4). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Losses Direction Growth Saturation JointModel JointAscent
                           JointDecoder JointAttention JointRegion.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section JointInside.
Variables (p : selection_problem) (J : finType) (g : token p -> vec J) (l : loss) (alpha : selection p).
Variables (L : pair_limit p J) (c : pair_constants) (v0 : vec J) (w0 : vec (coord p)).
Notation Q := (constraint alpha).
Notation kappa := (chosen_value g alpha).
Notation delta := (value_difference g alpha).
Notation lost := (lost_value g alpha).
Notation u := (value_ray L).
Notation Gv := (value_margin L).
Notation mu := (value_shares L).
Notation part := (value_part L).
Notation centre := (value_centre L).
Notation n := (row_ray L).
Notation gamma := (row_margin L).
Notation nu := (row_shares L).
Notation deficit := (pair_deficit c).
Notation X := (pair_reach c).
Notation A := (pair_aside c).
Notation lam := (pair_tail c).
Notation d := (pair_turned c).
Notation y0 := (value_height L v0).
Notation Y0 := (row_height L w0).
Notation rest := (value_rest L).
Notation z := (centre_offset mu).
Notation growth := (row_growth L c).
Notation row_slope := (row_slope alpha L c).
Notation row_share := (row_share alpha L c w0).
Notation pace := (value_pace L c).
Notation low := (label_low g alpha L c v0).
Notation high := (label_high g alpha L c v0).

Hypotheses (limit : proper_limit g alpha L) (conditions : pair_conditions g l alpha L c v0 w0).
Variables (v : vec J) (w : vec (coord p)).
Hypothesis inside : in_pair_region g alpha L c v0 w0 v w.
Notation y := (value_height L v).
Notation s := (row_height L w - Y0).
Notation away := (part v - centre)%V.
Notation moved := (rest v - rest v0)%V.

Let dir := row_limit limit.
Let gamma_gt0 : 0 < gamma := dir_margin_gt0 dir.
Let y0_gt0 : 0 < y0 := proj1 (first_heights conditions).
Let deficit_gt0 : 0 < deficit := proj1 (deficit_range conditions).
Let s_ge0 : 0 <= s.
Proof. by have := rows_above inside; lra. Qed.
Let slope_gt0 t (Qt : Q t) : 0 < row_slope t := proj1 (row_kept conditions Qt).

Lemma row_growth_gt0 : 0 < growth.
Proof.
have [D0 _] := row_lengths conditions; have [C0 _] := gap_bound conditions; have [_ e0] := steps_gt0 conditions.
have i0 := Rinv_0_lt_compat _ gamma_gt0.
have a0 : 0 <= 2 * pair_gap c / gamma by apply: Rmult_le_pos; lra.
have b0 : 0 < pair_step c * pair_row_length c / gamma.
  by apply: Rmult_lt_0_compat => //; exact: Rmult_lt_0_compat.
by rewrite /JointRegion.row_growth; lra.
Qed.

Lemma value_pace_gt0 : 0 < pace.
Proof.
have [D0 _] := row_lengths conditions; have [r0 _] := steps_gt0 conditions.
by apply: Rdiv_lt_0_compat => //; exact: Rdiv_lt_0_compat.
Qed.

Lemma row_share_gt0 t : 0 < row_share t.
Proof. by apply: Rmult_lt_0_compat; [exact: copies_gt0 | exact: exp_pos]. Qed.

(* ---- margins and attention ---- *)

Lemma side_length : vnorm (across_side n w) <= A + growth * s / (2 * A).
Proof.
have [A0 _] := aside_first conditions; have G0 := row_growth_gt0.
have q0 : 0 <= growth * s / (2 * A).
  by apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | apply/Rlt_le/Rinv_0_lt_compat; lra].
apply: vnorm_le_sqr; first lra.
apply: Rle_trans (near_side inside) _; set q := growth * s / (2 * A) in q0 *.
have -> : growth * s = 2 * A * q by rewrite /q; field; lra.
by have := Rmult_le_pos _ _ q0 q0; lra.
Qed.

Lemma row_margin_ge t : Q t -> first_margin alpha L c w0 t + row_slope t * s <= margin alpha w t.
Proof.
move=> Qt; have [A0 _] := aside_first conditions.
have nn := dir_unit dir.
have au : dot (across_side n w) n = 0 by rewrite /across_side /height_along dotBl dotZl nn; ring.
have b := dot_orth_bound dir t au; move/Rabs_le_between: b => [b _].
have sp := Rmult_le_compat_l _ _ _ (spread_ge0 (Delta alpha) n t) side_length.
have E : margin alpha w t = slope (Delta alpha) n t * row_height L w + dot (Delta alpha t) (across_side n w).
  by rewrite /margin /slope /across_side /height_along /row_height dotBr dotZr; ring.
rewrite E /first_margin /JointRegion.row_slope.
have -> : spread (Delta alpha) n t * growth / (2 * A) = spread (Delta alpha) n t * (growth / (2 * A)).
  by rewrite /Rdiv; ring.
have e2 : growth * s / (2 * A) = growth / (2 * A) * s by rewrite /Rdiv; ring.
rewrite e2 in sp; lra.
Qed.

Lemma row_attention i t : others alpha i t -> attention w t <= row_share t * exp (- (row_slope t * s)).
Proof.
move=> ti; have [Qt _] := andP ti; apply: Rle_trans (attention_le_exp _ ti) _.
rewrite /JointRegion.row_share Rmult_assoc -exp_plus; apply: Rmult_le_compat_l; first exact/Rlt_le/copies_gt0.
by apply: exp_monotone; have := row_margin_ge Qt; lra.
Qed.

Lemma row_fall t : Q t -> 0 < exp (- (row_slope t * s)) <= 1.
Proof.
move=> Qt; split; first exact: exp_pos.
rewrite -exp_0; apply: exp_monotone; have := Rmult_le_pos _ _ (Rlt_le _ _ (slope_gt0 Qt)) s_ge0; lra.
Qed.

Lemma row_attention_first i t : others alpha i t -> attention w t <= row_share t.
Proof.
move=> ti; have [Qt _] := andP ti; apply: Rle_trans (row_attention ti) _; have [_ f1] := row_fall Qt.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (row_share_gt0 t)) f1; lra.
Qed.

Lemma unselected_bound i :
  1 - attention w (alpha i) <= \sum_(t | others alpha i t) row_share t * exp (- (row_slope t * s)).
Proof. by rewrite attention_deficit_sum; apply: sum_le => t; exact: row_attention. Qed.

Lemma selected_range i : 1 - deficit <= attention w (alpha i) <= 1.
Proof.
split; last exact: attention_le1.
have le : 1 - attention w (alpha i) <= \sum_(t | others alpha i t) row_share t.
  by rewrite attention_deficit_sum; apply: sum_le => t; exact: row_attention_first.
by have := unselected_small conditions i; lra.
Qed.

(* ---- label margins ---- *)

Lemma drift_bound : value_drift g alpha L c w0 s <= deficit.
Proof.
apply: Rle_trans (drift_small conditions); rewrite /value_drift /value_drift_all.
have [_ dG] := turned_range conditions; have p0 := value_pace_gt0.
apply: Rmult_le_compat_l; first by apply/Rlt_le/Rdiv_lt_0_compat; lra.
apply: sum_le => t Qt; rewrite /row_drift -[X in _ <= X]Rmult_1_r; apply: Rmult_le_compat_l.
  have a0 := Rinv_0_lt_compat _ (slope_gt0 Qt).
  apply: Rmult_le_pos; last exact/Rlt_le; apply: Rmult_le_pos; last exact/Rlt_le/exp_pos.
  by apply: Rmult_le_pos; [exact/Rlt_le/row_share_gt0 | exact: vnorm_ge0].
by have [f0 _] := row_fall Qt; lra.
Qed.

Lemma moved_bound : vnorm moved <= deficit.
Proof. exact: Rle_trans (near_still inside) drift_bound. Qed.

Lemma label_near t :
  Rabs (dot (delta t) v - label_along g alpha L t * y - label_tilt g alpha L v0 t) <= label_reach g alpha L c t.
Proof.
rewrite (value_split L v0 v (delta t)) (dot_own_part limit) (dot_own_rest v0 limit).
have -> : y * dot (delta t) u + dot (delta t) (value_still L v0) + dot (part (delta t)) away +
    dot (rest (delta t)) moved - label_along g alpha L t * y - label_tilt g alpha L v0 t =
    dot (part (delta t)) away + dot (rest (delta t)) moved.
  by rewrite /label_along /label_tilt; ring.
apply: Rle_trans (Rabs_triang _ _) _; apply: Rplus_le_compat.
  apply: Rle_trans (cauchy_schwarz _ _) _; apply: Rmult_le_compat_l; [exact: vnorm_ge0 | exact: near_centre inside].
apply: Rle_trans (cauchy_schwarz _ _) _; apply: Rmult_le_compat_l; [exact: vnorm_ge0 | exact: moved_bound].
Qed.

Lemma label_range t : Q t -> low t * y + deficit <= dot (delta t) v <= high t * y.
Proof.
move=> Qt; have [yy _] := values_above inside; move/Rabs_le_between: (label_near t) => [n1 n2].
have ratio1 : 1 <= y / y0 by apply: (Rmult_le_reg_r y0) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
set tilt := label_tilt g alpha L v0 t in n1 n2 *; set reach := label_reach g alpha L c t in n1 n2 *.
have lowE : low t * y = label_along g alpha L t * y + (Rmin (tilt - reach) 0 - deficit) * (y / y0).
  by rewrite /label_low -/tilt -/reach; field; lra.
have highE : high t * y = label_along g alpha L t * y + Rmax (tilt + reach) 0 * (y / y0).
  by rewrite /label_high -/tilt -/reach; field; lra.
have m1 := Rmin_l (tilt - reach) 0; have m2 := Rmin_r (tilt - reach) 0.
have m3 := Rmax_l (tilt + reach) 0; have m4 := Rmax_r (tilt + reach) 0.
have p1 := Rmult_le_compat_l (deficit - Rmin (tilt - reach) 0) _ _ (ltac:(lra)) ratio1.
have p2 := Rmult_le_compat_l _ _ _ m4 ratio1.
by split; lra.
Qed.

Lemma label_high_gt0 t : Q t -> 0 < high t.
Proof.
move=> Qt; have l0 := label_kept conditions Qt; have [yy _] := values_above inside.
have y_gt0 : 0 < y by lra.
have [r1 r2] := label_range Qt; have ly := Rmult_lt_0_compat _ _ l0 y_gt0.
by apply: (Rmult_lt_reg_r y) => //; lra.
Qed.

(* ---- what attention takes ---- *)

Lemma height_falls t : Q t -> exp (- (row_slope t * s)) * y <= y0.
Proof.
move=> Qt; have [_ kept] := row_kept conditions Qt; have [_ yy] := values_above inside.
have [f0 _] := row_fall Qt; have a0 := slope_gt0 Qt.
have up : y <= y0 * exp (row_slope t * s).
  apply: Rle_trans yy _; have := Rmult_le_compat_r _ _ _ s_ge0 kept.
  have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ y0_gt0) (exp_ge_line (row_slope t * s)); lra.
apply: Rle_trans (Rmult_le_compat_l _ _ _ (Rlt_le _ _ f0) up) _; right.
have -> : exp (- (row_slope t * s)) * (y0 * exp (row_slope t * s)) =
    y0 * (exp (- (row_slope t * s)) * exp (row_slope t * s)) by ring.
by rewrite -exp_plus Rplus_opp_l exp_0; ring.
Qed.

Lemma lost_range i : 0 <= lost v w i <= deficit.
Proof.
have y_gt0 : 0 < y by have [yy _] := values_above inside; lra.
split.
  apply: sum_ge0 => t /andP[Qt _]; apply: Rmult_le_pos; first exact/Rlt_le/attention_gt0.
  have [r1 _] := label_range Qt; have := Rmult_lt_0_compat _ _ (label_kept conditions Qt) y_gt0; lra.
apply: Rle_trans (lost_small conditions i); apply: sum_le => t ti; have [Qt _] := andP ti.
have [r1 r2] := label_range Qt; have h0 := label_high_gt0 Qt; have s0 := row_share_gt0 t.
apply: (Rle_trans _ (row_share t * exp (- (row_slope t * s)) * (high t * y))).
  apply: Rmult_le_compat; [exact/Rlt_le/attention_gt0 | | exact: row_attention ti | exact: r2].
  by have := Rmult_lt_0_compat _ _ (label_kept conditions Qt) y_gt0; lra.
have := Rmult_le_compat_l (row_share t * high t) _ _ (ltac:(apply/Rlt_le/Rmult_lt_0_compat => //)) (height_falls Qt).
lra.
Qed.

Definition taken_value i : vec J := combine (others alpha i) (attention w) delta.   (* delta_i *)

Lemma lost_taken e i : lost e w i = dot (taken_value i) e.
Proof. by rewrite dot_combinel. Qed.

Lemma taken_length i :
  vnorm (taken_value i) <= \sum_(t | others alpha i t) row_share t * vnorm (delta t) * exp (- (row_slope t * s)).
Proof.
apply: Rle_trans (vnorm_combine _ _ _) _; apply: sum_le => t ti; have a0 := attention_gt0 w t.
rewrite Rabs_pos_eq; last exact/Rlt_le.
by have := Rmult_le_compat_r _ _ _ (vnorm_ge0 (delta t)) (row_attention ti); lra.
Qed.

Lemma taken_small i : vnorm (taken_value i) <= d.
Proof.
apply: Rle_trans (taken_length i) _; apply: Rle_trans (turned_small conditions i).
apply: sum_le => t /andP[Qt _]; have [_ f1] := row_fall Qt.
rewrite -[X in _ <= X]Rmult_1_r; apply: Rmult_le_compat_l f1.
by apply: Rmult_le_pos; [exact/Rlt_le/row_share_gt0 | exact: vnorm_ge0].
Qed.

(* ---- outputs and pulls ---- *)

Notation off := (group_offset kappa away).

Lemma offset_small i : Rabs (off i) <= vnorm (part (kappa i)) * X.
Proof.
rewrite /group_offset (dot_own_part limit); apply: Rle_trans (cauchy_schwarz _ _) _.
by apply: Rmult_le_compat_l; [exact: vnorm_ge0 | exact: near_centre inside].
Qed.

Lemma pair_output i : joint_output g v w i = Gv * y + z i + off i - lost v w i.
Proof. by rewrite (joint_output_lost g alpha) (value_product limit). Qed.

Lemma pair_output_ge i : Gv * y - output_loss g alpha L c i <= joint_output g v w i.
Proof.
rewrite pair_output /output_loss; have [_ d1] := lost_range i; move/Rabs_le_between: (offset_small i) => [o1 _]; lra.
Qed.

Definition pull_factor i : R :=   (* beta_i *)
  - dloss l (joint_output g v w i) * exp (joint_output g v w i + lost v w i).

Lemma pull_factor_range i : lam <= pull_factor i <= exp deficit.
Proof.
have [d0 d1] := lost_range i; set f := joint_output g v w i.
have floor : Gv * y0 - output_loss g alpha L c i <= f.
  apply: Rle_trans (pair_output_ge i); have [yy _] := values_above inside.
  by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (value_margin_gt0 limit)) yy; lra.
have [t1 t2] := tail_pull conditions floor; have [lam0 _] := tail_range conditions.
have E : exp (- f) * exp (f + lost v w i) = exp (lost v w i) by rewrite -exp_plus; congr exp; ring.
have e0 := exp_pos (f + lost v w i).
have u1 := Rmult_le_compat_r _ _ _ (Rlt_le _ _ e0) t1; have u2 := Rmult_le_compat_r _ _ _ (Rlt_le _ _ e0) t2.
rewrite Rmult_assoc E in u1; rewrite E in u2; rewrite /pull_factor -/f; split.
  apply: Rle_trans u1; rewrite -[X in X <= _]Rmult_1_r; apply: Rmult_le_compat_l; first lra.
  by rewrite -exp_0; exact: exp_monotone.
by apply: Rle_trans u2 _; exact: exp_monotone.
Qed.

Lemma pull_factorE i :
  - dloss l (joint_output g v w i) = pull_factor i * (exp (- (Gv * y)) * exp (- z i) * exp (- off i)).
Proof.
rewrite /pull_factor Rmult_assoc -!exp_plus -[LHS]Rmult_1_r -exp_0; congr (_ * exp _).
by rewrite pair_output; ring.
Qed.
End JointInside.
