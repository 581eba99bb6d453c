(* BoundedResidual: T15, the sharp bounded residual, for abstract factors.

   When the constraints of positive multiplier are exactly the tight ones and their factors b_c tend to limits, the
   residual around the limit point of the in-span dynamics stays bounded, so 1 - cos decays like 1/y^2.  The centre p
   is where the limit factors balance: b_inf_c e^{-<Delta_c, p>} is proportional to mu_c.  Far constraints (F) and the
   deviation of the factors from their limits contribute finite totals, compared with integrals of exponentials of y.
   *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Gibbs Progress Path Growth Inside Region FactorRange PartialStep
                           ActiveStep ResidualPath.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section BoundedResidual.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u p : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Hypothesis p_orth : dot p u = 0.
Variables (b : vec J -> C -> R) (f : factor_bounds C) (limit k : C -> R) (w : nat -> vec J) (r : basin J C).
Notation P := (factor_kept f).
Notation S := (active Q mu).
Notation height := (height u).
Notation residual := (residual u p).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).
Notation excess := (excess Delta u gamma).
Notation blo := (factor_low f).
Notation bhi := (factor_high f).
Notation B := (far_factor f).
Notation D := (basin_norm r).
Notation rho_bar := (basin_ratio r).
Notation h := (basin_step r).
Notation dX := (basin_reach r).
Notation dU := (basin_along r).
Notation dO := (basin_across r).
Notation w0 := (w O).
Notation y0 := (height w0).
Notation x0 := (vnorm (residual w0)).
Notation K := (log_floor Q mu blo).
Notation g' := (gamma - rho_bar * D).
Notation start_low := (start_low Delta u w r).
Notation deviation_total := (deviation_total Delta u gamma k w r).
Notation far_total := (far_total Q Delta u gamma mu f w r).
Notation deviation_spent := (deviation_spent Q Delta u gamma k w r).
Notation far_spent := (far_spent Q Delta u gamma mu f w r).
Notation near_path := (near_path Q Delta u p gamma mu f k w r).
Notation field_of := (field_of Q Delta b).

Hypothesis conditions : basin_conditions Q Delta u p gamma mu f k w r limit.
Hypothesis range : factor_range Q Delta b start_low f.
Hypothesis limits : factor_limit Q Delta b start_low S limit k.
Let excess_gt0 := basin_slack conditions.
Let active_sub := basin_active conditions.
Let norm_le := basin_norm_le conditions.
Let rho_bar_lt := basin_ratio_lt conditions.
Let split_lateral := basin_split conditions.
Let split_active := basin_split_active conditions.
Let split_orth := basin_split_orth conditions.
Let P_sub := factor_kept_constraint range.
Let blo_gt0 := factor_low_gt0 range.
Let k_ge0 := factor_rate_ge0 limits.
Let B_ge0 c (Qc : Q c) : 0 <= B c := far_factor_ge0 range (start_above conditions) Qc.

Let g'_gt0 : 0 < g' := speed_gt0 rho_bar_lt.
Let in_P z c (Hz : near_path z) (Pc : P c) := near_P dir p_orth conditions range limits Hz Pc.
Let rho_ge0 : 0 <= rho_bar := residual_rho_bar_ge0 conditions range.
Let outside z (Hz : near_path z) := near_outside dir p_orth conditions range limits Hz.
Let at_start : near_path w0 := near_start conditions.

(* One step of the run. *)
Section NearStep.
Variables (z : vec J) (tau : R).
Hypothesis near : near_path z.
Hypothesis tau_gt0 : 0 < tau.
Let V := field_of z.
Hypothesis tau_le : tau * vnorm V <= h.
Let z' := (z + tau * V)%V.
Let Om := \sum_(c | P c) gibbs_weight Delta (b z) z c.
Let OmS := \sum_(c | S c) gibbs_weight Delta (b z) z c.
Let rise := height z' - height z.

Let kept c (Pc : P c) := in_P near Pc.

Lemma near_b_gt0 c : P c -> 0 < b z c.
Proof. by move=> Pc; have := kept Pc; have := blo_gt0 Pc; lra. Qed.

Lemma near_total : exp (K - gamma * height z) <= Om.
Proof. exact (partial_total_lower dir active_sub blo_gt0 z kept). Qed.

Lemma near_total_active : 0 <= OmS <= Om.
Proof.
have w0' c : P c -> 0 < gibbs_weight Delta (b z) z c.
  by move=> Pc; apply: Rmult_lt_0_compat; [exact: near_b_gt0 | exact: exp_pos].
split; first by apply: sum_ge0 => c /active_sub/w0'; lra.
rewrite /OmS /Om (sum_pred_id S) (sum_pred_id P); apply: sum_le => c _.
case Sc: (S c); first by rewrite active_sub //; lra.
by case Pc: (P c); [have := w0' c Pc; lra | lra].
Qed.

Lemma near_rise : tau * (Om * g') <= rise.
Proof.
rewrite /rise /z' (step_height u).
have H := partial_progress dir P_sub active_sub blo_gt0 norm_le kept rho_ge0 (Rle_refl _) (outside near).
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ tau_gt0) H; rewrite -/Om -/(field_of z) -/V; lra.
Qed.

Lemma near_rise_range : 0 < rise <= h.
Proof.
have Om0 : 0 < Om by apply: Rlt_le_trans near_total; exact: exp_pos.
split; first by apply: Rlt_le_trans near_rise; apply: Rmult_lt_0_compat => //; apply: Rmult_lt_0_compat => //;
  exact: g'_gt0.
apply: Rle_trans tau_le; rewrite /rise /z' (step_height u).
have := dot_le_norms V u; rewrite (unorm dir) Rmult_1_r => H.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ tau_gt0) H; lra.
Qed.

Let err := \sum_(d | Q d) k d * exp (- dot (Delta d) z).

(* The deviation that this step spends. *)
Lemma near_deviation : tau * OmS * err <= deviation_spent (height z' - y0) - deviation_spent (height z - y0).
Proof.
have [O0 O1] := near_total_active; have g0 := g'_gt0; have [r0 r1] := near_rise_range; have rise_ge := near_rise.
have tO : tau * OmS <= / g' * rise.
  apply: (Rmult_le_reg_l g') => //; have -> : g' * (/ g' * rise) = rise by field; lra.
  have : tau * OmS * g' <= tau * Om * g' by apply: Rmult_le_compat_r; [lra | apply: Rmult_le_compat_l; lra].
  lra.
rewrite /ResidualPath.deviation_spent -sumB /err sum_mull; apply: sum_le => c Qc.
have s0 := slope_gt0 dir Qc; have k0 := k_ge0 Qc.
have ex : exp (- dot (Delta c) z) <= exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0))).
  by rewrite -exp_plus; apply: exp_le; have := near_margin dir p_orth conditions range limits c near; lra.
apply: (Rle_trans _ (/ g' * rise * (k c * (exp (- dot (Delta c) w0 + spread c * dX) *
  exp (- (slope c * (height z - y0))))))).
  apply: Rmult_le_compat => //; [by apply: Rmult_le_pos; lra | | exact: Rmult_le_compat_l].
  by apply: Rmult_le_pos => //; exact/Rlt_le/exp_pos.
have left_sum := left_sum_exp (height z - y0) s0 (conj (Rlt_le _ _ r0) r1).
have -> : height z' - y0 = height z - y0 + rise by rewrite /rise; ring.
have -> : deviation_total c * (1 - exp (- (slope c * (height z - y0 + rise))))
    - deviation_total c * (1 - exp (- (slope c * (height z - y0))))
  = / g' * (k c * exp (- dot (Delta c) w0 + spread c * dX)) * (exp (slope c * h) / slope c *
      (exp (- (slope c * (height z - y0))) - exp (- (slope c * (height z - y0 + rise))))).
  by rewrite /ResidualPath.deviation_total; ring.
have -> : / g' * rise * (k c * (exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0)))))
  = / g' * (k c * exp (- dot (Delta c) w0 + spread c * dX)) * (rise * exp (- (slope c * (height z - y0)))) by ring.
apply: Rmult_le_compat_l => //; apply: Rmult_le_pos; first exact/Rlt_le/Rinv_0_lt_compat.
by apply: Rmult_le_pos => //; exact/Rlt_le/exp_pos.
Qed.

(* The pull of the far constraints that this step spends. *)
Lemma near_far d : tau * (\sum_(c | Q c && ~~ S c) Rabs (gibbs_weight Delta (b z) z c) * vnorm (d c))
  <= far_spent d (height z' - y0) - far_spent d (height z - y0).
Proof.
have g0 := g'_gt0; have [r0 r1] := near_rise_range; have rise_ge := near_rise; have tot := near_total.
have tO : tau <= / g' * rise * exp (gamma * height z - K).
  have e0 := exp_pos (K - gamma * height z).
  apply: (Rmult_le_reg_r (exp (K - gamma * height z))) => //.
  rewrite (Rmult_assoc _ (exp _)) -exp_plus (_ : gamma * height z - K + (K - gamma * height z) = 0) ?exp_0;
    last by ring.
  apply: (Rmult_le_reg_l g') => //.
  have -> : g' * (/ g' * rise * 1) = rise by field; lra.
  have : tau * exp (K - gamma * height z) * g' <= tau * Om * g'.
    by apply: Rmult_le_compat_r; [lra | apply: Rmult_le_compat_l; lra].
  lra.
rewrite /ResidualPath.far_spent -sumB sum_mull; apply: sum_le => c /andP[Qc Sc].
have e0 := excess_gt0 Qc Sc; have B0 := B_ge0 Qc; have sp := vnorm_ge0 (d c).
have left_sum := left_sum_exp (height z - y0) e0 (conj (Rlt_le _ _ r0) r1).
have ww := near_weight dir p_orth conditions range limits near Qc.
have -> : height z' - y0 = height z - y0 + rise by rewrite /rise; ring.
apply: (Rle_trans _ (/ g' * rise * exp (gamma * height z - K) *
    (B c * exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0))) * vnorm (d c)))).
  apply: Rmult_le_compat; [lra | by apply: Rmult_le_pos => //; exact: Rabs_pos | exact: tO |].
  exact: Rmult_le_compat_r.
have merge : exp (gamma * height z - K) * (exp (- dot (Delta c) w0 + spread c * dX) *
  exp (- (slope c * (height z - y0))))
  = exp (- K - (dot (Delta c) w0 - gamma * y0) + spread c * dX) * exp (- (excess c * (height z - y0))).
  by rewrite -!exp_plus; congr exp; rewrite /excess; ring.
have -> : / g' * rise * exp (gamma * height z - K) *
    (B c * exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0))) * vnorm (d c))
  = / g' * rise * vnorm (d c) * B c * (exp (gamma * height z - K) *
      (exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0))))) by ring.
rewrite merge.
have -> : vnorm (d c) * far_total c * (1 - exp (- (excess c * (height z - y0 + rise))))
    - vnorm (d c) * far_total c * (1 - exp (- (excess c * (height z - y0))))
  = / g' * vnorm (d c) * B c * exp (- K - (dot (Delta c) w0 - gamma * y0) + spread c * dX) *
     (exp (excess c * h) / excess c *
      (exp (- (excess c * (height z - y0))) - exp (- (excess c * (height z - y0 + rise))))).
  by rewrite /ResidualPath.far_total; ring.
set E := exp (- K - _ + _).
have -> : / g' * rise * vnorm (d c) * B c * (E * exp (- (excess c * (height z - y0))))
  = / g' * vnorm (d c) * B c * E * (rise * exp (- (excess c * (height z - y0)))) by ring.
apply: Rmult_le_compat_l => //.
apply: Rmult_le_pos; last exact/Rlt_le/exp_pos.
apply: Rmult_le_pos => //; apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
Qed.

Theorem near_step : height z < height z' /\ near_path z'.
Proof.
have [r0 r1] := near_rise_range; have [O0 O1] := near_total_active; have g0 := g'_gt0.
have up : height z < height z' by move: r0; rewrite /rise; lra.
split=> //; have [hy [eU [eO [eE lO cross UO hU hO]]]] := near; split; first lra.
have dev := factor_deviation limits (near_above dir p_orth conditions range limits near).
have [Rs [Rs_gt0 step_short diameter]] := basin_diameter conditions; have [Z Z_gt0 centre_balance] :=
  basin_balance conditions.
have sl : tau * OmS * g' <= h.
  have : tau * OmS * g' <= tau * Om * g' by apply: Rmult_le_compat_r; [lra | apply: Rmult_le_compat_l; lra].
  by have := near_rise; lra.
pose omega := gibbs_weight Delta (b z) z; pose F := fun c => Q c && ~~ S c.
have step := active_part_step dir p_orth Rs_gt0 diameter (factor_limit_gt0 limits) Z_gt0 centre_balance
  g'_gt0 step_short
  (fun c Sc => near_b_gt0 (active_sub Sc)) dev (Rlt_le _ _ tau_gt0) sl eE UO lO.
rewrite -/OmS -/err -/omega in step.
pose g := combine S omega (lateral Delta u); rewrite -/g in step.
pose gU := combine F omega dU; pose gO := combine F omega dO.
exists ((eU + tau * g) + tau * gU)%V, (eO + tau * gO)%V.
(* orthogonality of the increments *)
have lgO s (Ss : S s) : dot (lateral Delta u s) gO = 0.
  by rewrite dot_combiner sum0 // => c /andP[Qc Sc]; rewrite split_active //; ring.
have dgO c (Qc : Q c) (Sc : ~~ S c) : dot (dU c) gO = 0.
  by rewrite dot_combiner sum0 // => d /andP[Qd Sd]; rewrite split_orth //; ring.
have gdO c (Qc : Q c) (Sc : ~~ S c) : dot g (dO c) = 0.
  by rewrite dot_combinel sum0 // => s Ss; rewrite split_active //; ring.
have gUdO c (Qc : Q c) (Sc : ~~ S c) : dot gU (dO c) = 0.
  by rewrite dot_combinel sum0 // => d /andP[Qd Sd]; rewrite split_orth //; ring.
have UgO : dot eU gO = 0.
  by rewrite dot_combiner sum0 // => c /andP[Qc Sc]; rewrite (proj1 (cross c Qc Sc)); ring.
have geO : dot g eO = 0 by rewrite dot_combinel sum0 // => s Ss; rewrite lO //; ring.
have ggO : dot g gO = 0 by rewrite dot_combinel sum0 // => s Ss; rewrite lgO //; ring.
have gUeO : dot gU eO = 0.
  by rewrite dot_combinel sum0 // => c /andP[Qc Sc]; rewrite (proj2 (cross c Qc Sc)); ring.
have gUgO : dot gU gO = 0.
  by rewrite dot_combinel sum0 // => c /andP[Qc Sc]; rewrite dgO //; ring.
have Y0 : 0 <= height z - y0 by lra.
have dr := deviation_spent_range dir conditions limits Y0; have fr := far_spent_range conditions range dU Y0.
have far_norm d : vnorm (tau * combine F omega d) <= far_spent d (height z' - y0) - far_spent d (height z - y0).
  rewrite vnormZ Rabs_pos_eq; last exact: Rlt_le.
  by apply: Rle_trans (near_far d); apply: Rmult_le_compat_l; [exact: Rlt_le | exact: vnorm_combine].
split.
- rewrite /z' (residual_pieces Q Delta u p mu) eE -/omega -/g.
  have -> : combine (fun c => Q c && ~~ S c) omega (lateral Delta u) = (gU + gO)%V.
    apply: vec_ext => j; rewrite /gU /gO /vadd /combine -sumD; apply: eq_bigr => c /andP[Qc Sc].
    by rewrite (split_lateral Qc Sc) /vadd; ring.
  by vec_ring.
- by move=> s Ss; rewrite dotDr dotZr lO // lgO //; ring.
- move=> c Qc Sc; have [c1 c2] := cross c Qc Sc.
  by rewrite !dotDl !dotZl c1 gdO // gUdO // dotDr dotZr c2 dgO //; split; ring.
- by rewrite !dotDl !dotZl !dotDr !dotZr UO UgO geO ggO gUeO gUgO; ring.
- have nd := near_deviation.
  set A := x0 * x0 + 4 * deviation_spent (height z - y0) in hU.
  have A0 : 0 <= A by have := Rle_0_sqr x0; rewrite /A /Rsqr; lra.
  set L := far_spent dU (height z - y0) in hU fr.
  have e0 : 0 <= tau * OmS * err.
    apply: Rmult_le_pos; first by apply: Rmult_le_pos; lra.
    by apply: sum_ge0 => c Qc; apply: Rmult_le_pos; [exact: k_ge0 | exact/Rlt_le/exp_pos].
  have s1 : vnorm (eU + tau * g) <= sqrt (A + 4 * (tau * OmS * err)) + L.
    apply: (Rle_trans _ (sqrt (vnorm2 eU + 4 * (tau * OmS * err)))); first exact: sqrt_le_1_alt.
    apply: Rle_trans (sqrt_add_le A0 (proj1 fr) _); last by lra.
    apply: sqrt_le_1_alt; apply: Rplus_le_compat_r; rewrite -vnorm_sqr.
    by apply: Rmult_le_compat => //; exact: vnorm_ge0.
  have s2 : sqrt (A + 4 * (tau * OmS * err)) <= sqrt (x0 * x0 + 4 * deviation_spent (height z' - y0)).
    by apply: sqrt_le_1_alt; rewrite /A; lra.
  apply: Rle_trans (vnorm_triangle _ _) _; have := far_norm dU; rewrite -/gU -/L; lra.
apply: Rle_trans (vnorm_triangle _ _) _; have := far_norm dO; rewrite -/gO; lra.
Qed.
End NearStep.

Variables (eta : nat -> R) (etamax : R).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.

Section Normalised.
Hypothesis h_ge : etamax <= h.
Hypothesis run : forall t, w t.+1 = (w t + eta t / vnorm (field_of (w t)) * field_of (w t))%V.

Lemma near_norm_gt0 z : near_path z -> 0 < vnorm (field_of z).
Proof.
move=> Hz; exact (partial_norm_gt0 dir P_sub active_sub blo_gt0 norm_le (fun c Pc => in_P Hz Pc)
  rho_ge0 (Rle_refl _) rho_bar_lt (outside Hz)).
Qed.

Lemma normalised_stays t : near_path (w t) -> near_path (w t.+1).
Proof.
move=> Hp; rewrite run; have n0 := near_norm_gt0 Hp; have [e0 e1] := eta_range t.
have [] := @near_step (w t) (eta t / vnorm (field_of (w t))) Hp => //; first exact: Rdiv_lt_0_compat.
have -> : eta t / vnorm (field_of (w t)) * vnorm (field_of (w t)) = eta t by field; lra.
lra.
Qed.

Theorem bounded_normalised_region : invariant_region u near_path w eta (LinearGrowth (g' / (D * (1 + rho_bar)))).
Proof.
have D0 := norm_bound_gt0 dir norm_le; have r0 := rho_ge0.
split=> [| t || t Hp | t Hp]; [ | by case: (eta_range t) | exact: at_start | exact: normalised_stays | ].
  by apply: Rdiv_lt_0_compat; [lra | apply: Rmult_lt_0_compat; lra].
have [e0 _] := eta_range t; rewrite run.
exact (partial_normalised_growth dir P_sub active_sub blo_gt0 norm_le (fun c Pc => in_P Hp Pc)
  rho_ge0 (Rle_refl _) rho_bar_lt (outside Hp) (Rlt_le _ _ e0)).
Qed.

Lemma bounded_normalised_path t : near_path (w t).
Proof. exact: (stays_inside bounded_normalised_region t). Qed.

(* Sharper when no constraint lies outside P: cmin bounds the cosine between u and every constraint vector. *)
Theorem bounded_normalised_growth_cosine cmin t : (forall c, Q c -> P c) -> 0 <= cmin ->
  (forall c, Q c -> cmin * vnorm (Delta c) <= slope c) -> y0 + cmin * total eta t <= height (w t).
Proof.
move=> all c0 Hc; rewrite -total_scale; apply: (linear_growth (y := fun s => height (w s))) => s.
have Hp := bounded_normalised_path s; have [e0 _] := eta_range s; have n0 := near_norm_gt0 Hp.
have pos c : Q c -> 0 < gibbs_weight Delta (b (w s)) (w s) c.
  move=> Qc; have Pc := all c Qc; have := in_P Hp Pc; have := blo_gt0 Pc => b0 [b1 _].
  by apply: Rmult_lt_0_compat; [lra | exact: exp_pos].
have up := progress_cosine pos Hc c0; rewrite -/(field_of (w s)) in up.
rewrite run (step_height u).
have -> : height (w s) + eta s / vnorm (field_of (w s)) * dot (field_of (w s)) u - height (w s) =
          eta s * (dot (field_of (w s)) u / vnorm (field_of (w s))) by field; lra.
rewrite Rmult_comm; apply: Rmult_le_compat_l; first lra.
apply: (Rmult_le_reg_r (vnorm (field_of (w s)))) => //.
by rewrite /Rdiv Rmult_assoc Rinv_l; lra.
Qed.

Theorem bounded_normalised_limit : is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1.
Proof.
move=> He; apply: (near_limit dir conditions range limits) bounded_normalised_path _.
exact: (inside_diverges bounded_normalised_region He).
Qed.
End Normalised.

Section Gradient.
Hypothesis step_le : etamax * (D * (\sum_(c | P c) bhi c * exp (- start_low c)
                                    + \sum_(c | Q c && ~~ P c) factor_size f c * exp (- start_low c))) <= h.
Hypothesis run : forall t, w t.+1 = (w t + eta t * field_of (w t))%V.

Lemma near_field_norm z : near_path z ->
  vnorm (field_of z) <= D * (\sum_(c | P c) bhi c * exp (- start_low c)
                             + \sum_(c | Q c && ~~ P c) factor_size f c * exp (- start_low c)).
Proof. by move=> Hz; exact: (field_norm_le range (near_above dir p_orth conditions range limits Hz)). Qed.

Lemma gradient_stays t : near_path (w t) -> near_path (w t.+1).
Proof.
move=> Hp; rewrite run; have [e0 e1] := eta_range t.
have [] := @near_step (w t) (eta t) Hp => //.
apply: Rle_trans step_le; apply: Rmult_le_compat => //; [lra | exact: vnorm_ge0 | exact: near_field_norm].
Qed.

Theorem bounded_gradient_region : invariant_region u near_path w eta (LogarithmicGrowth gamma (g' * exp K)).
Proof.
have g0 := dir_margin_gt0 dir; have gp := g'_gt0.
split=> [| t || t Hp | t Hp]; [ | by case: (eta_range t) | exact: at_start | exact: gradient_stays | ].
  by split=> //; apply: Rmult_lt_0_compat => //; exact: exp_pos.
have [e0 _] := eta_range t.
have := partial_gradient_growth dir P_sub active_sub blo_gt0 norm_le (fun c Pc => in_P Hp Pc)
  rho_ge0 (Rle_refl _) rho_bar_lt (outside Hp) (Rlt_le _ _ e0).
by rewrite run -/(field_of (w t)) /law_gain; apply: Rle_trans; right; ring.
Qed.

Theorem bounded_gradient_limit : is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1.
Proof.
move=> He; apply: (near_limit dir conditions range limits) (stays_inside bounded_gradient_region) _.
exact: (inside_diverges bounded_gradient_region He).
Qed.
End Gradient.
End BoundedResidual.
