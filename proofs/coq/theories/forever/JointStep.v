(* JointStep: a step of decoder and attention, both normalised, from inside T20's region (JointRegion.v) ends inside it,
   and how much both heights grow by it (JOINT.md section 4). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Losses Direction Growth Saturation JointModel JointAscent
                           JointDecoder JointAttention JointRegion JointInside.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma vec_of_dots (J : finType) (x y : vec J) : (forall e, dot x e = dot y e) -> x = y.
Proof.
move=> H; have E : vnorm2 (x - y)%V = 0 by rewrite /vnorm2 dotBl H; ring.
by apply: vec_ext => j; have := congr1 (fun f : vec J => f j) (vnorm2_eq0 E); rewrite /vsub /vzero; lra.
Qed.

(* What decays while s grows, against its integral. *)
Lemma fall_spent a tau h : 0 < a -> 0 <= tau <= h -> tau <= exp (a * h) / a * (1 - exp (- (a * tau))).
Proof.
move=> a0 [t0 th]; have at0 := Rmult_le_pos _ _ (Rlt_le _ _ a0) t0.
have E : 1 - exp (- (a * tau)) = exp (- (a * tau)) * (exp (a * tau) - 1).
  by rewrite Rmult_minus_distr_l -exp_plus Rplus_opp_l exp_0; ring.
have up : a * tau <= exp (a * tau) - 1 by have := exp_ge_line (a * tau); lra.
have one : 1 <= exp (a * h) * exp (- (a * tau)).
  rewrite -exp_plus -exp_0; apply: exp_monotone; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ a0) th; lra.
have -> : exp (a * h) / a * (1 - exp (- (a * tau))) =
    exp (a * h) * exp (- (a * tau)) * ((exp (a * tau) - 1) / a) by rewrite E /Rdiv; ring.
have q : tau <= (exp (a * tau) - 1) / a.
  by apply: (Rmult_le_reg_r a) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
by have := Rmult_le_compat _ _ _ _ Rle_0_1 t0 one q; lra.
Qed.

Section JointStep.
Variables (p : selection_problem) (J : finType) (g : token p -> vec J) (l : loss) (alpha : selection p).
Variables (L : pair_limit p J) (c : pair_constants) (v0 : vec J) (w0 : vec (coord p)).
Implicit Types (t : token p) (i : group p).
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
Notation d := (pair_turned c).
Notation k := (pair_value_length c).
Notation D := (pair_row_length c).
Notation rho := (pair_ratio c).
Notation eta := (pair_step c).
Notation Y0 := (row_height L w0).
Notation rest := (value_rest L).
Notation z := (centre_offset mu).
Notation row_slope := (row_slope alpha L c).
Notation row_share := (row_share alpha L c w0).
Notation pace := (value_pace L c).
Notation low := (label_low g alpha L c v0).
Notation high := (label_high g alpha L c v0).
Notation in_region := (in_pair_region g alpha L c v0 w0).

Hypotheses (limit : proper_limit g alpha L) (conditions : pair_conditions g l alpha L c v0 w0).
Let dir := row_limit limit.
Let gamma_gt0 : 0 < gamma := dir_margin_gt0 dir.

Section OneStep.
Variables (v : vec J) (w : vec (coord p)) (h : R).
Hypotheses (inside : in_region v w) (h_range : 0 < h <= eta).
Notation y := (value_height L v).
Notation s := (row_height L w - Y0).
Notation away := (part v - centre)%V.
Notation beta := (pull_factor g l alpha v w).
Notation taken := (taken_value g alpha w).
Notation off := (group_offset kappa away).
Notation a := (rho * h).

Let mu_gt0 := value_shares_gt0 limit.
Let mu_one := value_shares_one limit.
Let lam_gt0 := proj1 (tail_range conditions).
Let beta_range := pull_factor_range limit conditions inside.
Let d_Gv := proj2 (turned_range conditions).
Let taken_d := taken_small limit conditions inside.
Let rho_gt0 : 0 < rho := proj1 (steps_gt0 conditions).
Let a_gt0 : 0 < a.
Proof. by apply: Rmult_lt_0_compat; lra. Qed.

(* ---- the decoder ---- *)

Definition pull_common : R :=
  (if [pick i : group p] is Some i then @weight p i else 1) * exp (- (Gv * y)) * exp (- \sum_j mu j * ln (mu j)).

Lemma weightE i : weight i = (if [pick i : group p] is Some i then @weight p i else 1).
Proof. by case: pickP => [j _ | none]; [exact: (equal_weights conditions) | have := none i]. Qed.

Lemma pull_common_gt0 : 0 < pull_common.
Proof.
have [i _] := some_pull mu_one; apply: Rmult_lt_0_compat; last exact: exp_pos.
by apply: Rmult_lt_0_compat; [rewrite -(weightE i); exact: weight_gt0 | exact: exp_pos].
Qed.

Notation pulling := (PullLimit mu kappa part u Gv).
Notation pulls := (PullFactors taken beta pull_common).

Lemma group_pull_common i : group_pull g l v w i = common_pull pulling pulls away i.
Proof.
rewrite /group_pull (pull_factorE l limit) (weightE i) /common_pull /= /pull_common.
have -> : exp (- z i) = mu i * exp (- \sum_j mu j * ln (mu j)).
  by rewrite -{1}(exp_ln (mu i)) // -exp_plus /centre_offset; congr exp; ring.
ring.
Qed.

Lemma value_field : (- value_gradient g l v w)%V = pull_field pulling pulls away.
Proof.
apply: vec_of_dots => e; rewrite dotNl (value_ascent g l alpha) dot_combinel; apply: eq_bigr => i _.
by rewrite -group_pull_common dotBl lost_taken.
Qed.

Notation F := (pull_field pulling pulls away).
Notation Omega := (\sum_i common_pull pulling pulls away i).

Let proper : proper_pulls pulling.
Proof. by case: limit. Qed.
Let pulls_range : pulls_in_range pulling pulls (PullRanges (pair_tail c) deficit k d).
Proof.
have [[d0 dg] _] := turned_range conditions.
by split=> //=; [exact: pull_common_gt0 | exact: value_lengths conditions].
Qed.
Let Omega_gt0 : 0 < Omega := pulls_gt0 proper away pulls_range.
Let F_gt0 : 0 < vnorm F := pull_field_gt0 proper away pulls_range.
Let rises : (Gv - d) * Omega <= dot F u := decoder_rises proper away pulls_range.
Let short : vnorm F <= (k + d) * Omega := pull_field_short proper away pulls_range.

Definition decoder_next : vec J := (v - a / vnorm (value_gradient g l v w) * value_gradient g l v w)%V.

Lemma decoder_nextE : decoder_next = (v + a / vnorm F * F)%V.
Proof. by rewrite /decoder_next -value_field vnormN; vec_ring. Qed.

Lemma next_near_centre : vnorm (part decoder_next - centre)%V <= X.
Proof.
case: (pulled_home conditions) => [[x [box [x0 boxes sides boxed room]]] | none]; last first.
  have E : (part decoder_next - centre)%V = (part v - centre)%V by rewrite !none.
  by rewrite E; exact: near_centre inside.
have E : (part decoder_next - centre)%V = stepped pulling pulls away a.
  by rewrite decoder_nextE /stepped /= (value_part_linear limit); vec_ring.
have [g0 _] := deficit_range conditions; have [[d0 dg] _] := turned_range conditions.
have [lam0 lam1] := tail_range conditions; have [_ e0] := steps_gt0 conditions.
have ln0 : ln (pair_tail c) <= 0 by rewrite -ln_1; exact: ln_le_ln.
have k0 : 0 <= k by have [i _] := some_pull mu_one; exact: Rle_trans (vnorm_ge0 _) (value_lengths conditions i).
have re : 0 < rho * eta by exact: Rmult_lt_0_compat.
have level0 : 0 <= deficit - ln (pair_tail c) + (k + deficit) * (rho * eta) / 2.
  by have := Rmult_le_pos (k + deficit) (rho * eta) (ltac:(lra)) (Rlt_le _ _ re); lra.
have away_part : part away = away by rewrite (value_partB limit) (value_part_twice limit) (value_centre_part limit).
have a_range : 0 < a <= rho * eta by split=> //; apply: Rmult_le_compat_l; lra.
pose B := PullBoxes x (deficit - ln (pair_tail c) + (k + deficit) * (rho * eta) / 2) deficit box.
have shut : boxes_shut pulling B by split=> //; [exact: Rlt_le | move=> i; case: (boxes i) | move=> i; case: (boxes i)].
rewrite E.
exact: (decoder_stays proper pulls_range shut away_part a_range (conj erefl erefl) (near_centre inside) room).
Qed.

Lemma next_height : y + a * ((Gv - d) / (k + d)) <= value_height L decoder_next <= y + a.
Proof.
have E : value_height L decoder_next = y + a * (dot F u / vnorm F).
  by rewrite decoder_nextE /value_height dotDl dotZl; field; lra.
have Gd : 0 < Gv - d by lra.
have kd : 0 < k + d.
  by apply: (Rmult_lt_reg_r Omega) => //; rewrite Rmult_0_l; exact: Rlt_le_trans F_gt0 short.
rewrite E; split; apply: Rplus_le_compat_l.
  apply: Rmult_le_compat_l; first exact: Rlt_le.
  apply: (Rmult_le_reg_r (vnorm F)) => //.
  have -> : dot F u / vnorm F * vnorm F = dot F u by field; lra.
  apply: Rle_trans rises; apply: Rle_trans (Rmult_le_compat_l _ _ _ _ short) _.
    exact/Rlt_le/Rdiv_lt_0_compat.
  by right; field; lra.
rewrite -[X in _ <= X]Rmult_1_r; apply: Rmult_le_compat_l; first exact: Rlt_le.
apply: (Rmult_le_reg_r (vnorm F)) => //.
have -> : dot F u / vnorm F * vnorm F = dot F u by field; lra.
by have := dot_le_norms F u; rewrite (value_unit limit); lra.
Qed.

(* What attention takes, at this height. *)
Definition taken_now : R := \sum_(t | Q t) row_share t * vnorm (delta t) * exp (- (row_slope t * s)).

Lemma taken_now_ge i : vnorm (taken i) <= taken_now.
Proof.
apply: Rle_trans (taken_length limit conditions inside i) _; rewrite /taken_now.
rewrite [X in _ <= X](bigID (fun t => group_of t == i)) /= -[X in X <= _]Rplus_0_r.
apply: Rplus_le_compat; first by right; apply: eq_bigl => t; rewrite /others.
apply: sum_ge0 => t _; apply: Rmult_le_pos; last exact/Rlt_le/exp_pos.
by apply: Rmult_le_pos; [exact/Rlt_le/(row_share_gt0 alpha L c w0) | exact: vnorm_ge0].
Qed.

Lemma next_moves : vnorm (rest decoder_next - rest v)%V <= a / (Gv - d) * taken_now.
Proof.
have E : (rest decoder_next - rest v)%V = (a / vnorm F * rest F)%V.
  by rewrite decoder_nextE (value_rest_linear limit); vec_ring.
have Gd : 0 < Gv - d by lra.
have along : vnorm (rest F) * vnorm (rest F) <= vnorm (rest F) * (Omega * taken_now).
  rewrite vnorm_sqr /vnorm2 -(value_rest_dot limit) (dotC (rest F)) {1}/pull_field dot_combinel.
  rewrite (_ : vnorm (rest F) * (Omega * taken_now) = Omega * (taken_now * vnorm (rest F))); last by ring.
  rewrite sum_mulr; apply: sum_le => i _.
  have c0 := common_pull_gt0 proper away pulls_range i.
  apply: Rmult_le_compat_l; first exact: Rlt_le.
  have k0 : dot (kappa i) (rest F) = 0.
    by rewrite dotC (value_rest_dot limit) (value_rest_own limit) dot0r.
  rewrite [pulled_values _]/= [factor_values _]/= dotBl k0; have := dot_ge_norms (taken i) (rest F).
  by have := Rmult_le_compat_r _ _ _ (vnorm_ge0 (rest F)) (taken_now_ge i); lra.
have len : vnorm (rest F) <= Omega * taken_now.
  case: (vnorm_ge0 (rest F)) => [pos | <-]; first exact: Rmult_le_reg_l along.
  have [i _] := some_pull mu_one; apply: Rmult_le_pos; first exact: Rlt_le.
  exact: Rle_trans (vnorm_ge0 _) (taken_now_ge i).
have T0 : 0 <= taken_now by have [i _] := some_pull mu_one; exact: Rle_trans (vnorm_ge0 _) (taken_now_ge i).
have V1 : (Gv - d) * Omega <= vnorm F.
  by apply: Rle_trans rises _; have := dot_le_norms F u; rewrite (value_unit limit); lra.
rewrite E vnormZ Rabs_pos_eq; last exact/Rlt_le/Rdiv_lt_0_compat.
apply: (Rmult_le_reg_r (vnorm F)) => //.
have -> : a / vnorm F * vnorm (rest F) * vnorm F = a * vnorm (rest F) by field; lra.
apply: (Rle_trans _ (a / (Gv - d) * taken_now * ((Gv - d) * Omega))).
  have -> : a / (Gv - d) * taken_now * ((Gv - d) * Omega) = a * (Omega * taken_now) by field; lra.
  by apply: Rmult_le_compat_l len; exact: Rlt_le.
apply: Rmult_le_compat_l V1; apply: Rmult_le_pos => //; exact/Rlt_le/Rdiv_lt_0_compat.
Qed.

(* ---- the attention ---- *)

Definition row_factor t : R :=   (* b_c *)
  beta (group_of t) * exp (- z (group_of t)) * exp (- off (group_of t)) *
  attention w (alpha (group_of t)) * copies alpha t * ((dot (delta t) v - lost v w (group_of t)) / y).
Definition row_common : R :=
  (if [pick i : group p] is Some i then @weight p i else 1) * exp (- (Gv * y)) * y.

Let y_gt0 : 0 < y.
Proof. by have [y0 _] := first_heights conditions; have [yy _] := values_above inside; lra. Qed.

Lemma row_common_gt0 : 0 < row_common.
Proof.
have [i _] := some_pull mu_one; apply: Rmult_lt_0_compat => //.
by apply: Rmult_lt_0_compat; [rewrite -(weightE i); exact: weight_gt0 | exact: exp_pos].
Qed.

Notation rows := (RowPulls row_factor row_common).

Lemma row_fieldE : (- attention_gradient g l v w)%V = row_field Q (Delta alpha) w rows.
Proof.
rewrite (attention_ascent g l alpha); apply: combine_eq => // t Qt.
rewrite /row_pull /group_pull (pull_factorE l limit) (weightE (group_of t)).
rewrite (attention_other w (others_self Qt)) /row_weight /= /row_factor /row_common -/(margin alpha w t).
by field; lra.
Qed.

Let lo t := row_low g alpha L c v0 t.
Let hi t := row_high g alpha L c v0 t.

Lemma row_lo_gt0 t : Q t -> 0 < lo t.
Proof.
move=> Qt; have [g0 g1] := deficit_range conditions.
apply: Rmult_lt_0_compat; last exact: label_kept conditions _ Qt.
apply: Rmult_lt_0_compat; last exact: exp_pos.
by apply: Rmult_lt_0_compat; [exact: copies_gt0 | apply: Rmult_lt_0_compat; lra].
Qed.

Lemma row_factor_range t : Q t ->
  lo t * exp (- off (group_of t)) <= row_factor t <= hi t * exp (- off (group_of t)).
Proof.
move=> Qt; set i := group_of t; have [b1 b2] := beta_range i; have [g0 g1] := deficit_range conditions.
have [s1 s2] := selected_range limit conditions inside i; have [r1 r2] := label_range limit conditions inside Qt.
have [l1 l2] := lost_range limit conditions inside i; have low0 := label_kept conditions Qt.
have k0 := copies_gt0 alpha t; have e0 := exp_pos (- z i); have o0 := exp_pos (- off i).
set q := (dot (delta t) v - lost v w i) / y.
have q1 : low t <= q by apply: (Rmult_le_reg_r y) => //; rewrite /q /Rdiv Rmult_assoc Rinv_l; lra.
have q2 : q <= high t by apply: (Rmult_le_reg_r y) => //; rewrite /q /Rdiv Rmult_assoc Rinv_l; lra.
have K0 : 0 < copies alpha t * exp (- z i) * exp (- off i) by do 2!apply: Rmult_lt_0_compat => //.
have -> : row_factor t = copies alpha t * exp (- z i) * exp (- off i) * (beta i * attention w (alpha i) * q).
  by rewrite /row_factor -/i -/q; ring.
have -> : lo t * exp (- off i) =
    copies alpha t * exp (- z i) * exp (- off i) * (pair_tail c * (1 - deficit) * low t).
  by rewrite /lo /row_low -/i; ring.
have -> : hi t * exp (- off i) = copies alpha t * exp (- z i) * exp (- off i) * (exp deficit * 1 * high t).
  by rewrite /hi /row_high -/i /Rminus exp_plus; ring.
split; apply: Rmult_le_compat_l; try exact: Rlt_le.
  apply: Rmult_le_compat; [by apply: Rmult_le_pos; lra | lra | | exact: q1].
  by apply: Rmult_le_compat; lra.
apply: Rmult_le_compat; [by apply: Rmult_le_pos; lra | lra | | exact: q2].
by apply: Rmult_le_compat; lra.
Qed.

Lemma row_lead t : Q t ->
  \sum_(e | Q e) nu e * off (group_of e) - off (group_of t) <= value_turn g alpha L c (group_of t).
Proof.
move=> _; rewrite /value_turn.
have -> : \sum_(e | Q e) nu e * off (group_of e) - off (group_of t) =
    dot (combine Q nu (fun t => kappa (group_of t)) - kappa (group_of t))%V away.
  by rewrite [RHS]dotBl dot_combinel.
apply: Rle_trans (dot_le_norms _ _) _; apply: Rmult_le_compat_l; [exact: vnorm_ge0 | exact: near_centre inside].
Qed.

Definition attention_next : vec (coord p) :=
  (w - h / vnorm (attention_gradient g l v w) * attention_gradient g l v w)%V.

Lemma attention_nextE : attention_next = attention_stepped Q (Delta alpha) w rows h.
Proof. by rewrite /attention_next /attention_stepped -row_fieldE vnormN; vec_ring. Qed.

Notation ranges := (RowRanges (fun t => off (group_of t)) lo hi (fun t => value_turn g alpha L c (group_of t))
  (pair_gap c) D).
Let D_gt0 := proj1 (row_lengths conditions).
Let rows_range : rows_in_range Q (Delta alpha) rows ranges.
Proof.
split=> //=; [exact: row_common_gt0 | exact: row_lo_gt0 | exact: row_factor_range |].
exact: (proj2 (row_lengths conditions)).
Qed.

Lemma next_rows : row_height L w + gamma / D * h <= row_height L attention_next <= row_height L w + h.
Proof.
suff [r1 r2] : gamma / D * h <= row_height L attention_next - row_height L w <= h by split; lra.
rewrite attention_nextE; exact: (attention_rises dir w rows_range h_range).
Qed.

Lemma next_side : vnorm2 (across_side n attention_next) <=
  vnorm2 (across_side n w) + row_growth L c * (row_height L attention_next - row_height L w).
Proof.
have w_ge0 : 0 <= height_along n w.
  by have [_ Y1] := first_heights conditions; have := rows_above inside; rewrite /row_height /height_along in Y1 *; lra.
have [C0 gap] := gap_bound conditions.
rewrite attention_nextE; apply: (side_grows dir rows_range h_range) w_ge0; split=> //; exact: row_lead.
Qed.

(* ---- both ---- *)

Theorem pair_stays : in_region decoder_next attention_next.
Proof.
have [h1 h2] := next_height; have [r1 r2] := next_rows; have sd := next_side; have mv := next_moves.
have b0 : 0 < gamma / D by exact: Rdiv_lt_0_compat.
have bh : 0 < gamma / D * h by apply: Rmult_lt_0_compat; lra.
set rise := row_height L attention_next - row_height L w.
have [rise0 rise1] : 0 <= rise <= eta by rewrite /rise; split; lra.
have a_pace : a <= pace * rise.
  have p0 := value_pace_gt0 limit conditions.
  have := Rmult_le_compat_l pace (gamma / D * h) rise (Rlt_le _ _ p0) (ltac:(rewrite /rise; lra)).
  by rewrite {1}/value_pace; have -> : rho / (gamma / D) * (gamma / D * h) = rho * h by field; lra.
have [v1 v2] := values_above inside; have k0 := vnorm_ge0 F.
split.
- exact: next_near_centre.
- have -> : (rest decoder_next - rest v0)%V = ((rest v - rest v0) + (rest decoder_next - rest v))%V by vec_ring.
  apply: Rle_trans (vnorm_triangle _ _) _; have ns := near_still inside.
  suff : value_drift g alpha L c w0 s + a / (Gv - d) * taken_now <= value_drift g alpha L c w0 (s + rise).
    by rewrite (_ : s + rise = row_height L attention_next - Y0) ?/rise; [lra | ring].
  rewrite /value_drift; have Gd : 0 < Gv - d by lra.
  have T0 : 0 <= taken_now by have [i _] := some_pull mu_one; exact: Rle_trans (vnorm_ge0 _) (taken_now_ge i).
  have i0 := Rinv_0_lt_compat _ Gd.
  apply: (Rle_trans _ (pace / (Gv - d) * (\sum_(t | Q t) row_drift g alpha L c w0 s t) +
      pace / (Gv - d) * (rise * taken_now))).
    apply: Rplus_le_compat_l; have -> : pace / (Gv - d) * (rise * taken_now) = pace * rise / (Gv - d) * taken_now.
      by rewrite /Rdiv; ring.
    by apply: Rmult_le_compat_r => //; apply: Rmult_le_compat_r; lra.
  rewrite -Rmult_plus_distr_l; apply: Rmult_le_compat_l.
    by apply/Rlt_le/Rdiv_lt_0_compat => //; exact: value_pace_gt0 limit conditions.
  rewrite /taken_now sum_mull -sumD; apply: sum_le => t Qt; rewrite /row_drift.
  have [slope0 _] := row_kept conditions Qt; have f0 := exp_pos (- (row_slope t * s)).
  have spent := fall_spent slope0 (conj rise0 rise1).
  have sh : 0 <= row_share t * vnorm (delta t).
    by apply: Rmult_le_pos; [exact/Rlt_le/(row_share_gt0 alpha L c w0) | exact: vnorm_ge0].
  have E : exp (- (row_slope t * (s + rise))) = exp (- (row_slope t * s)) * exp (- (row_slope t * rise)).
    by rewrite -exp_plus; congr exp; ring.
  have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ sh (Rlt_le _ _ f0)) spent; rewrite E.
  set q := exp (row_slope t * eta) / row_slope t; rewrite (_ : row_share t * vnorm (delta t) *
    exp (row_slope t * eta) / row_slope t = row_share t * vnorm (delta t) * q); last by rewrite /q /Rdiv; ring.
  by lra.
- have ns := near_side inside; rewrite (_ : row_height L attention_next - Y0 = s + rise); last by rewrite /rise; ring.
  by rewrite Rmult_plus_distr_l; rewrite -/rise in sd; lra.
- by have := rows_above inside; lra.
have kd : 0 <= (Gv - d) / (k + d).
  have F0 := F_gt0; have kd : 0 < k + d.
    by apply: (Rmult_lt_reg_r Omega) => //; rewrite Rmult_0_l; exact: Rlt_le_trans F_gt0 short.
  by apply/Rlt_le/Rdiv_lt_0_compat; lra.
have := Rmult_le_pos _ _ (Rlt_le _ _ a_gt0) kd => up; split; first lra.
rewrite (_ : row_height L attention_next - Y0 = s + rise); last by rewrite /rise; ring.
by rewrite Rmult_plus_distr_l; lra.
Qed.
End OneStep.
End JointStep.
