(* BoundedResidual: T15, the sharp bounded residual, for abstract factors.

   When the constraints of positive multiplier are exactly the tight ones and their factors b_c tend to limits, the
   residual around the limit point of the in-span dynamics stays bounded, so 1 - cos decays like 1/y^2.  The centre p
   is where the limit factors balance: b_inf_c e^{-<Delta_c, p>} is proportional to mu_c.  Far constraints (F) and the
   deviation of the factors from their limits contribute finite totals, compared with integrals of exponentials of y.
   *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Reference Gibbs Progress Path Growth Inside FactorRange PartialStep
                           ActiveStep FarPull ResidualPath.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section BoundedResidual.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Variables (b : vec J -> C -> R) (f : factor_bounds C) (limit k : C -> R) (w0 : vec J) (r : basin J C).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation P := (factor_kept f).
Notation S := (active Q mu).
Notation F := (fun c => Q c && ~~ active Q mu c).
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
Notation y0 := (height w0).
Notation x0 := (vnorm (residual w0)).
Notation K := (log_floor Q mu blo).
Notation g' := (gamma - rho_bar * D).
Notation start_low := (start_low o w0 r).
Notation deviation_total := (deviation_total o k w0 r).
Notation far := (basin_far o f w0 r).
Notation deviation_spent := (deviation_spent o k w0 r).
Notation far_spent := (far_spent F far).
Notation near_path := (near_path o f k w0 r).
Notation field_of := (field_of Q Delta b).

Hypothesis conditions : basin_conditions o f k w0 r limit.
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

Let g'_gt0 : 0 < g' := Rlt_Rminus _ _ rho_bar_lt.
Let decays : far_decays F far := basin_decays conditions range.
Let in_P z c (Hz : near_path z) (Pc : P c) := near_P conditions range limits Hz Pc.
Let rho_ge0 : 0 <= rho_bar := residual_rho_bar_ge0 conditions range.
Let outside z (Hz : near_path z) := near_outside conditions range limits Hz.

(* What is known of the weights at a point of the path. *)
Lemma near_weights z : near_path z -> partial_weights o f y0 D rho_bar rho_bar z (b z).
Proof.
move=> Hz; split; [exact: P_sub | exact: active_sub | exact: blo_gt0 | by move=> c; exact: in_P | exact: norm_le |
  exact: (proj1 Hz) | exact: rho_ge0 | exact: Rle_refl | exact: rho_bar_lt | exact: outside].
Qed.

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
Proof. exact (partial_total_lower (near_weights near)). Qed.

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
have H := partial_progress (near_weights near).
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
  by rewrite -exp_plus; apply: exp_le; have := near_margin conditions range limits c near; lra.
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
Lemma near_far (d : C -> vec J) : vnorm (tau * combine F (gibbs_weight Delta (b z) z) d) <=
  far_spent d (height z' - y0) - far_spent d (height z - y0).
Proof.
have [r0 r1] := near_rise_range; apply: (far_combine decays d (k := far) tau_gt0 near_total) => [|c /andP[Qc _]] /=.
  by split; [exact: near_rise | exact: r1].
apply: Rle_trans (near_weight conditions range limits near Qc) _.
by right; rewrite /excess; congr (_ * exp _); ring.
Qed.

Theorem near_step : height z < height z' /\ near_path z'.
Proof.
have [r0 r1] := near_rise_range; have [O0 O1] := near_total_active; have g0 := g'_gt0.
have up : height z < height z' by move: r0; rewrite /rise; lra.
split=> //; have [hy [eU [eO [eE lO cross UO hU hO]]]] := near; split; first lra.
have dev := factor_deviation limits (near_above conditions range limits near).
have [Rs [Rs_gt0 step_short diameter]] := basin_diameter conditions; have [Z Z_gt0 centre_balance] :=
  basin_balance conditions.
have sl : tau * OmS * g' <= h.
  have : tau * OmS * g' <= tau * Om * g' by apply: Rmult_le_compat_r; [lra | apply: Rmult_le_compat_l; lra].
  by have := near_rise; lra.
pose omega := gibbs_weight Delta (b z) z.
have back := PullBack Rs_gt0 g'_gt0 step_short diameter (factor_limit_gt0 limits) Z_gt0 centre_balance.
have step := active_part_step back (fun c Sc => near_b_gt0 (active_sub Sc)) dev (Rlt_le _ _ tau_gt0) sl eE UO lO.
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
have dr := deviation_spent_range conditions limits Y0; have fr := far_spent_range decays dU Y0.
split.
- rewrite /z' (residual_pieces o) eE -/omega -/g.
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
  apply: Rle_trans (vnorm_triangle _ _) _; have := near_far dU; rewrite -/omega -/gU -/L; lra.
apply: Rle_trans (vnorm_triangle _ _) _; have := near_far dO; rewrite -/omega -/gO; lra.
Qed.
End NearStep.

(* ---- every rule with short steps ---- *)

Theorem near_short : short_steps_stay field_of near_path h.
Proof.
split=> z; last by move=> tau Hz t0 th; case: (near_step Hz t0 th).
move=> Hz; exact (partial_norm_gt0 (near_weights Hz)).
Qed.

(* The field along u at a point of the path. *)
Lemma near_speed z : near_path z -> normalised_speed gamma D rho_bar * vnorm (field_of z) <= dot (field_of z) u.
Proof. by move=> Hz; exact (partial_speed (near_weights Hz)). Qed.

Lemma near_ascent z : near_path z -> g' * exp K * exp (- (gamma * height z)) <= dot (field_of z) u.
Proof. by move=> Hz; exact (partial_ascent (near_weights Hz)). Qed.

(* Sharper when no constraint lies outside P: cmin bounds the cosine between u and every constraint vector. *)
Lemma near_cosine cmin z : (forall c, Q c -> P c) -> 0 <= cmin ->
  (forall c, Q c -> cmin * vnorm (Delta c) <= slope c) -> near_path z ->
  cmin * vnorm (field_of z) <= dot (field_of z) u.
Proof.
move=> all c0 Hc Hz; apply: progress_cosine => // c Qc; have Pc := all c Qc.
by have := in_P Hz Pc; have := blo_gt0 Pc => b0 [b1 _]; apply: Rmult_lt_0_compat; [lra | exact: exp_pos].
Qed.

Lemma near_field_norm z : near_path z ->
  vnorm (field_of z) <= D * (\sum_(c | P c) bhi c * exp (- start_low c)
                             + \sum_(c | Q c && ~~ P c) factor_size f c * exp (- start_low c)).
Proof. by move=> Hz; exact: (field_norm_le range (near_above conditions range limits Hz)). Qed.
End BoundedResidual.
