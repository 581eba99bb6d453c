(* JointAttention: one normalised step of attention whose rows pull with weights omega_c = common b_c e^(-m_c), b_c in
   ranges up to offsets of the groups (T20, JOINT.md section 4): what is across n grows with the height. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Losses Direction.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma dot_across (I : finType) (a b n : vec I) : dot n n = 1 ->
  dot a b = dot a n * dot b n + dot (a - dot a n * n)%V (b - dot b n * n)%V.
Proof. by move=> nn; rewrite !dotBl !dotBr !dotZl !dotZr nn (dotC n b); ring. Qed.

Definition height_along (K : finType) (n w : vec K) : R := dot w n.
Definition across_side (K : finType) (n w : vec K) : vec K := (w - height_along n w * n)%V.

(* The rows' weights, but for their margins, *)
Record row_pulls (C : finType) := RowPulls {
  pulling_factor : C -> R;        (* b_c *)
  pulling_common : R
}.
(* and what is known of them: b_c e^(offset_c) is between low and high. *)
Record row_ranges (C : finType) := RowRanges {
  pulling_offset : C -> R;
  pulling_low : C -> R;
  pulling_high : C -> R;
  pulling_lead : C -> R;          (* the mean offset less c's own is at most this *)
  pulling_bound : R;              (* C *)
  pulling_longest : R             (* the longest row *)
}.

Section JointAttention.
Variables (K C : finType) (Q : pred C) (Delta : C -> vec K) (n : vec K) (gamma : R) (nu : C -> R).
Hypothesis dir : direction Q Delta n gamma nu.
Notation height_along := (height_along n).
Notation across_side := (across_side n).
Let n_one := unorm dir.
Let gamma_gt0 := dir_margin_gt0 dir.
Let n_margin c (Qc : Q c) := dir_margin dir Qc.
Let nu_ge0 c (Qc : Q c) := dir_mult_ge0 dir Qc.
Let nu_one := dir_mult_sum dir.
Let nu_balance := dir_balance dir.

Variables (w : vec K) (F : row_pulls C) (r : row_ranges C).
Notation b := (pulling_factor F).
Notation common := (pulling_common F).
Notation offset := (pulling_offset r).
Notation lo := (pulling_low r).
Notation hi := (pulling_high r).
Notation lead := (pulling_lead r).
Notation bound := (pulling_bound r).
Notation longest := (pulling_longest r).

Record rows_in_range : Prop := RowsInRange {
  pulling_common_gt0 : 0 < common;
  pulling_low_gt0 : forall c, Q c -> 0 < lo c;
  pulling_range : forall c, Q c -> lo c * exp (- offset c) <= b c <= hi c * exp (- offset c);
  pulling_longest_gt0 : 0 < longest;
  pulling_longest_ge : forall c, Q c -> vnorm (Delta c) <= longest
}.

Record rows_gap_bounded : Prop := RowsGapBounded {
  pulling_lead_ge : forall c, Q c -> \sum_(e | Q e) nu e * offset e - offset c <= lead c;
  pulling_bound_ge : ln (\sum_(c | Q c) hi c * exp (lead c)) -
    \sum_(c | Q c) nu c * (ln (lo c) - ln (nu c)) <= bound;
  pulling_bound_ge0 : 0 <= bound
}.

Hypothesis ranges : rows_in_range.
Let common_gt0 := pulling_common_gt0 ranges.
Let lo_gt0 := pulling_low_gt0 ranges.
Let b_range := pulling_range ranges.
Let longest_gt0 := pulling_longest_gt0 ranges.
Let longest_ge := pulling_longest_ge ranges.

Definition row_weight c : R := common * (b c * exp (- dot (Delta c) w)).
Definition row_field : vec K := combine Q row_weight Delta.
Let Omega : R := \sum_(c | Q c) row_weight c.
Let Z : R := \sum_(c | Q c) b c * exp (- dot (Delta c) w).

Lemma some_row : exists c, Q c.
Proof.
case: (pickP Q) => [c Qc | none]; first by exists c.
by move: nu_one; rewrite big_pred0 //; lra.
Qed.

Lemma row_factor_gt0 c : Q c -> 0 < b c.
Proof.
move=> Qc; have [h _] := b_range Qc; apply: Rlt_le_trans h.
by apply: Rmult_lt_0_compat; [exact: lo_gt0 | exact: exp_pos].
Qed.

Lemma row_mass_gt0 c : Q c -> 0 < b c * exp (- dot (Delta c) w).
Proof. by move=> Qc; apply: Rmult_lt_0_compat; [exact: row_factor_gt0 | exact: exp_pos]. Qed.

Lemma row_total_gt0 : 0 < Z.
Proof.
have [c Qc] := some_row; apply: (sum_gt0 (i := c)) => // [e Qe|]; last exact: row_mass_gt0.
exact/Rlt_le/row_mass_gt0.
Qed.

Lemma row_pullE : Omega = common * Z.
Proof. by rewrite /Omega /Z sum_mull. Qed.

Lemma row_pull_gt0 : 0 < Omega.
Proof. by rewrite row_pullE; apply: Rmult_lt_0_compat => //; exact: row_total_gt0. Qed.

Lemma row_weight_gt0 c : Q c -> 0 < row_weight c.
Proof. by move=> Qc; apply: Rmult_lt_0_compat => //; exact: row_mass_gt0. Qed.

Section Gap.
Hypothesis gap : rows_gap_bounded.
Let lead_ge := pulling_lead_ge gap.
Let bound_ge := pulling_bound_ge gap.

(* Offsets cancel but for the leads. *)
Lemma ranges_gap : ln (\sum_(c | Q c) b c) - \sum_(c | Q c) nu c * (ln (b c) - ln (nu c)) <= bound.
Proof.
apply: Rle_trans bound_ge; set m := \sum_(e | Q e) nu e * offset e.
have [c0 Qc0] := some_row; have sb0 : 0 < \sum_(c | Q c) b c.
  by apply: (sum_gt0 (i := c0)) => // [c Qc|]; [exact/Rlt_le/row_factor_gt0 | exact: row_factor_gt0].
have up : ln (\sum_(c | Q c) b c) <= ln (\sum_(c | Q c) hi c * exp (lead c)) - m.
  have le : (\sum_(c | Q c) b c) * exp m <= \sum_(c | Q c) hi c * exp (lead c).
    rewrite sum_mulr; apply: sum_le => c Qc; have [l1 l2] := b_range Qc; have l3 := lead_ge Qc; rewrite -/m in l3.
    have e0 := exp_pos (- offset c); have h0 : 0 < hi c.
      apply: (Rmult_lt_reg_r (exp (- offset c))) => //; rewrite Rmult_0_l; have := row_factor_gt0 Qc; lra.
    have s1 := Rmult_le_compat_r _ _ _ (Rlt_le _ _ (exp_pos m)) l2; apply: Rle_trans s1 _.
    rewrite Rmult_assoc -exp_plus; apply: Rmult_le_compat_l; first lra.
    by apply: exp_monotone; lra.
  have pos : 0 < (\sum_(c | Q c) b c) * exp m by apply: Rmult_lt_0_compat => //; exact: exp_pos.
  have E : ln ((\sum_(c | Q c) b c) * exp m) = ln (\sum_(c | Q c) b c) + m.
    by rewrite ln_mult ?ln_exp //; exact: exp_pos.
  suff : ln ((\sum_(c | Q c) b c) * exp m) <= ln (\sum_(c | Q c) hi c * exp (lead c)) by lra.
  by case: le => [lt | ->]; [left; exact: ln_increasing | right].
have down : \sum_(c | Q c) nu c * (ln (lo c) - ln (nu c)) - m <= \sum_(c | Q c) nu c * (ln (b c) - ln (nu c)).
  rewrite /m -sumB; apply: sum_le => c Qc; have [l1 _] := b_range Qc; have n0 := nu_ge0 Qc.
  have le : ln (lo c) - offset c <= ln (b c).
    have E : ln (lo c * exp (- offset c)) = ln (lo c) - offset c.
      by rewrite ln_mult ?ln_exp //; [exact: lo_gt0 | exact: exp_pos].
    rewrite -E; case: l1 => [lt | ->]; [left; apply: ln_increasing => // | by right].
    by apply: Rmult_lt_0_compat; [exact: lo_gt0 | exact: exp_pos].
  by have := Rmult_le_compat_l _ _ _ n0 le; lra.
lra.
Qed.

(* What the rows add along the side. *)
Theorem side_pull : 0 <= height_along w -> dot row_field (across_side w) <= bound * Omega.
Proof.
move=> height_ge0; have Z0 := row_total_gt0; pose qq c := b c * exp (- dot (Delta c) w) / Z.
have q0 c : Q c -> 0 < qq c by move=> Qc; rewrite /qq; apply: Rdiv_lt_0_compat Z0; exact: row_mass_gt0.
have q1 : \sum_(c | Q c) qq c = 1 by rewrite /qq /Rdiv -sum_mulr -/Z; apply: Rinv_r; lra.
have G1 : \sum_(c | Q c) qq c * (ln (b c) - ln (qq c)) <= ln (\sum_(c | Q c) b c).
  exact: (gibbs (fun c Qc => Rlt_le _ _ (q0 c Qc)) q1 row_factor_gt0).
have lq c : Q c -> ln (qq c) = ln (b c) - dot (Delta c) w - ln Z.
  move=> Qc; rewrite /qq ln_div //; last exact: row_mass_gt0.
  by rewrite (ln_mult _ _ (row_factor_gt0 Qc) (exp_pos _)) ln_exp; ring.
have E1 : \sum_(c | Q c) qq c * (ln (b c) - ln (qq c)) = \sum_(c | Q c) qq c * dot (Delta c) w + ln Z.
  by rewrite -[ln Z]Rmult_1_l -q1 sum_mulr -sumD; apply: eq_bigr => c Qc; rewrite lq //; ring.
have G2 : \sum_(c | Q c) nu c * (ln (b c * exp (- dot (Delta c) w)) - ln (nu c)) <= ln Z.
  exact: (gibbs (a := fun c => b c * exp (- dot (Delta c) w)) nu_ge0 nu_one row_mass_gt0).
have E2 : \sum_(c | Q c) nu c * (ln (b c * exp (- dot (Delta c) w)) - ln (nu c)) =
    \sum_(c | Q c) nu c * (ln (b c) - ln (nu c)) - \sum_(c | Q c) nu c * dot (Delta c) w.
  rewrite -sumB; apply: eq_bigr => c Qc.
  by rewrite (ln_mult _ _ (row_factor_gt0 Qc) (exp_pos _)) ln_exp; ring.
have bal : \sum_(c | Q c) nu c * dot (Delta c) w = gamma * height_along w.
  by rewrite -(dot_combinel Q nu Delta w) nu_balance dotZl dotC.
have nn : dot n n = 1 by rewrite -/(vnorm2 n) -vnorm_sqr n_one; ring.
have term c : Q c -> dot (Delta c) (across_side w) <= dot (Delta c) w - gamma * height_along w.
  move=> Qc; rewrite /across_side dotBr dotZr; have := Rmult_le_compat_r _ _ _ height_ge0 (n_margin Qc); lra.
have mean : \sum_(c | Q c) qq c * dot (Delta c) (across_side w) <= bound.
  apply: (Rle_trans _ (\sum_(c | Q c) qq c * dot (Delta c) w - gamma * height_along w)).
    rewrite -[gamma * height_along w]Rmult_1_l -q1 sum_mulr -sumB; apply: sum_le => c Qc.
    by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (q0 c Qc)) (term c Qc); lra.
  have := ranges_gap; rewrite E1 in G1; rewrite E2 bal in G2; lra.
have -> : dot row_field (across_side w) = Omega * (\sum_(c | Q c) qq c * dot (Delta c) (across_side w)).
  by rewrite dot_combinel row_pullE sum_mull; apply: eq_bigr => c _; rewrite /row_weight /qq; field; lra.
rewrite Rmult_comm; apply: Rmult_le_compat_r => //; exact/Rlt_le/row_pull_gt0.
Qed.

End Gap.

Lemma row_field_rises : gamma * Omega <= dot row_field n.
Proof.
rewrite dot_combinel Rmult_comm /Omega sum_mulr; apply: sum_le => c Qc.
by apply: Rmult_le_compat_l; [exact/Rlt_le/row_weight_gt0 | exact: n_margin].
Qed.

Lemma row_field_short : vnorm row_field <= longest * Omega.
Proof.
apply: Rle_trans (vnorm_combine _ _ _) _; rewrite Rmult_comm /Omega sum_mulr; apply: sum_le => c Qc.
have c0 := row_weight_gt0 Qc; rewrite Rabs_pos_eq; last lra.
by apply: Rmult_le_compat_l; [lra | exact: longest_ge].
Qed.

Lemma row_field_gt0 : 0 < vnorm row_field.
Proof.
have o0 := row_pull_gt0; have rises := row_field_rises; have g0 := Rmult_lt_0_compat _ _ gamma_gt0 o0.
have := dot_le_norms row_field n; rewrite n_one; lra.
Qed.

(* ---- the step ---- *)

Variables (eta etamax : R).
Hypothesis eta_range : 0 < eta <= etamax.
Definition attention_stepped : vec K := (w + eta / vnorm row_field * row_field)%V.
Let rise : R := height_along attention_stepped - height_along w.

Theorem attention_rises : gamma / longest * eta <= rise <= eta.
Proof.
have V0 := row_field_gt0; have o0 := row_pull_gt0; have rises := row_field_rises; have sh := row_field_short.
have E : rise = eta * (dot row_field n / vnorm row_field).
  by rewrite /rise /height_along /attention_stepped dotDl dotZl; field; lra.
rewrite E; split.
  rewrite Rmult_comm; apply: Rmult_le_compat_l; first lra.
  apply: (Rmult_le_reg_r (vnorm row_field)) => //.
  have -> : dot row_field n / vnorm row_field * vnorm row_field = dot row_field n by field; lra.
  apply: Rle_trans rises; have g0 : 0 <= gamma / longest by apply/Rlt_le/Rdiv_lt_0_compat.
  apply: Rle_trans (Rmult_le_compat_l _ _ _ g0 sh) _; right; field; lra.
rewrite -[X in _ <= X]Rmult_1_r; apply: Rmult_le_compat_l; first lra.
apply: (Rmult_le_reg_r (vnorm row_field)) => //.
have -> : dot row_field n / vnorm row_field * vnorm row_field = dot row_field n by field; lra.
by have := dot_le_norms row_field n; rewrite n_one; lra.
Qed.

Theorem side_grows : rows_gap_bounded -> 0 <= height_along w ->
  vnorm2 (across_side attention_stepped) <=
    vnorm2 (across_side w) + (2 * bound / gamma + etamax * longest / gamma) * rise.
Proof.
move=> gap height_ge0; have bound_ge0 := pulling_bound_ge0 gap.
have V0 := row_field_gt0; have o0 := row_pull_gt0; have rises := row_field_rises; have sp := side_pull gap height_ge0.
have [lo_rise hi_rise] := attention_rises; set tau := eta / vnorm row_field.
have tau0 : 0 < tau by apply: Rdiv_lt_0_compat; lra.
have tV : tau * vnorm row_field = eta by rewrite /tau; field; lra.
have nn : dot n n = 1 by rewrite -/(vnorm2 n) -vnorm_sqr n_one; ring.
have riseE : rise = tau * dot row_field n.
  by rewrite /rise /height_along /attention_stepped -/tau dotDl dotZl; ring.
have E : vnorm2 (across_side attention_stepped) = vnorm2 (across_side w) + 2 * (tau * dot row_field (across_side w)) +
    (tau * tau * (vnorm2 row_field - dot row_field n * dot row_field n)).
  rewrite /across_side /height_along /attention_stepped -/tau /vnorm2 !dotBl !dotBr !dotDl !dotDr !dotZl !dotZr nn.
  by rewrite ?(dotC n w) ?(dotC n row_field) ?(dotC w row_field); ring.
have sq : tau * tau * vnorm2 row_field = eta * eta by rewrite -tV -vnorm_sqr; ring.
have d2 : 0 <= tau * tau * (dot row_field n * dot row_field n).
  by rewrite (_ : _ * _ = (tau * dot row_field n) * (tau * dot row_field n)); [exact: Rle_0_sqr | ring].
have first : 2 * (tau * dot row_field (across_side w)) <= 2 * bound / gamma * rise.
  have t1 := Rmult_le_compat_l _ _ _ (Rlt_le _ _ tau0) sp.
  have b0 : 0 <= bound / gamma by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
  have t2 := Rmult_le_compat_l _ _ _ b0 (Rmult_le_compat_l _ _ _ (Rlt_le _ _ tau0) rises).
  have e : bound / gamma * (tau * (gamma * Omega)) = tau * (bound * Omega) by field; lra.
  rewrite riseE.
  have -> : 2 * bound / gamma * (tau * dot row_field n) = 2 * (bound / gamma * (tau * dot row_field n)).
    by rewrite /Rdiv; ring.
  lra.
have second : eta * eta <= etamax * longest / gamma * rise.
  have t1 := Rmult_le_compat_r eta _ _ (ltac:(lra)) (proj2 eta_range).
  have c0 : 0 <= etamax * longest / gamma.
    by apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | exact/Rlt_le/Rinv_0_lt_compat].
  have t2 := Rmult_le_compat_l _ _ _ c0 lo_rise.
  have e : etamax * longest / gamma * (gamma / longest * eta) = etamax * eta by field; lra.
  lra.
rewrite E; lra.
Qed.
End JointAttention.
