(* BoundedResidual: T15, the sharp bounded residual, for abstract factors.

   When the constraints of positive multiplier are exactly the tight ones and their factors b_c tend to limits, the
   residual around the limit point of the in-span dynamics stays bounded, so 1 - cos decays like 1/y^2.  The centre p is
   where the limit factors balance: b_inf_c e^{-<Delta_c, p>} is proportional to mu_c.  Far constraints (F) and the
   deviation of the factors from their limits contribute finite totals, compared with integrals of exponentials of y. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Gibbs Progress Path Growth Region PartialStep ActiveStep.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* A term of a left sum of e^(-beta Y) with mesh at most h, against the increment of the integral. *)
Lemma left_sum_exp beta Y d h : 0 < beta -> 0 <= d <= h ->
  d * exp (- (beta * Y)) <= exp (beta * h) / beta * (exp (- (beta * Y)) - exp (- (beta * (Y + d)))).
Proof.
move=> b0 [d0 dh].
have -> : exp (- (beta * Y)) = exp (- (beta * (Y + d))) * exp (beta * d) by rewrite -exp_plus; congr exp; ring.
set E := exp (- (beta * (Y + d))); have E0 : 0 < E := exp_pos _.
have line := exp_ge_line (beta * d).
have hd : exp (beta * d) <= exp (beta * h) by apply: exp_le; apply: Rmult_le_compat_l; lra.
have e0 := exp_pos (beta * d).
apply: (Rmult_le_reg_l beta) => //.
have -> : beta * (exp (beta * h) / beta * (E * exp (beta * d) - E)) = E * (exp (beta * h) * (exp (beta * d) - 1)).
  by field; lra.
have -> : beta * (d * (E * exp (beta * d))) = E * (exp (beta * d) * (beta * d)) by ring.
apply: Rmult_le_compat_l; first lra.
by apply: Rmult_le_compat; try lra; apply: Rmult_le_pos; lra.
Qed.

Lemma sqrt_add_le A L dA : 0 <= A -> 0 <= L -> 0 <= dA ->
  sqrt ((sqrt A + L) * (sqrt A + L) + dA) <= sqrt (A + dA) + L.
Proof.
move=> A0 L0 d0; have s0 := sqrt_pos A; have s1 := sqrt_pos (A + dA).
have sA : sqrt A * sqrt A = A by apply: sqrt_sqrt.
have sB : sqrt (A + dA) * sqrt (A + dA) = A + dA by apply: sqrt_sqrt; lra.
have le : sqrt A <= sqrt (A + dA) by apply: sqrt_le_1_alt; lra.
rewrite -[X in _ <= X]sqrt_square; last by lra.
apply: sqrt_le_1_alt; have := Rmult_le_compat_r L _ _ L0 le; lra.
Qed.

Section BoundedResidual.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u p : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Hypothesis p_orth : dot p u = 0.
Notation S := (active Q mu).
Notation height := (height u).
Notation residual := (residual u p).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).
Notation excess := (excess Delta u gamma).
(* Every constraint without a multiplier is slack. *)
Hypothesis excess_gt0 : forall c, Q c -> ~~ S c -> 0 < excess c.

Variables (P : pred C) (D Rs : R).
Hypothesis P_sub : forall c, P c -> Q c.
Hypothesis active_sub : forall c, S c -> P c.
Hypothesis norm_le : forall c, Q c -> vnorm (Delta c) <= D.
Hypothesis Rs_gt0 : 0 < Rs.
Hypothesis diameter : forall c d, S c -> S d -> vnorm (Delta c - Delta d) <= Rs.

(* Bounds of the factors, their limits on S, and the coefficients k of their deviation from the limits. *)
Variables (b : vec J -> C -> R) (blo bhi B binf k : C -> R) (Z : R).
Hypothesis blo_gt0 : forall c, P c -> 0 < blo c.
Hypothesis B_ge0 : forall c, Q c -> ~~ S c -> 0 <= B c.
Hypothesis binf_gt0 : forall c, S c -> 0 < binf c.
Hypothesis k_ge0 : forall c, Q c -> 0 <= k c.
Hypothesis Z_gt0 : 0 < Z.
Hypothesis centre_balance : forall c, S c -> binf c * exp (- dot (Delta c) p) = Z * mu c.
Definition field_of (z : vec J) : vec J := ascent Q Delta (gibbs_weight Delta (b z) z).

Variables (w : nat -> vec J) (eta : nat -> R) (etamax rho_bar h dX : R).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Notation w0 := (w O).
Notation y0 := (height w0).
Notation x0 := (vnorm (residual w0)).
Notation K := (log_floor Q mu blo).
Notation g' := (gamma - rho_bar * D).
Hypothesis rho_bar_lt : rho_bar * D < gamma.
Hypothesis step_short : h * (Rs * Rs) <= 4 * g'.

Definition start_low (c : C) : R := dot (Delta c) w0 - spread c * dX.

(* The factors where all margins are at least start_low. *)
Hypothesis region : forall z, (forall c, Q c -> start_low c <= dot (Delta c) z) ->
  [/\ forall c, P c -> blo c <= b z c <= bhi c,
      forall c, Q c -> ~~ S c -> Rabs (b z c) <= B c &
      forall c, S c -> Rabs (ln (b z c) - ln (binf c)) <= \sum_(d | Q d) k d * exp (- dot (Delta d) z)].

Definition deviation_total (c : C) : R :=
  / g' * (k c * exp (- dot (Delta c) w0 + spread c * dX) * (exp (slope c * h) / slope c)).
Definition far_total (c : C) : R :=
  / g' * (B c * exp (- K - (dot (Delta c) w0 - gamma * y0) + spread c * dX) * (exp (excess c * h) / excess c)).
Definition Ebar : R := \sum_(c | Q c) deviation_total c.

(* The lateral parts of the far constraints, split into a part dU and a part dO that meets neither the active constraints
   nor the start's residual nor any dU: for instance the parts along and across the span of the active lateral parts, or
   dU = everything and dO = 0. *)
Variables dU dO : C -> vec J.
Hypothesis split_lateral : forall c, Q c -> ~~ S c -> lateral Delta u c = (dU c + dO c)%V.
Hypothesis split_active : forall s c, S s -> Q c -> ~~ S c -> dot (lateral Delta u s) (dO c) = 0.
Hypothesis split_orth : forall c d, Q c -> ~~ S c -> Q d -> ~~ S d -> dot (dU c) (dO d) = 0.
Hypothesis split_start : forall c, Q c -> ~~ S c -> dot (residual w0) (dO c) = 0.

Definition Lambda (d : C -> vec J) : R := \sum_(c | Q c && ~~ S c) vnorm (d c) * far_total c.
Definition along_bound : R := sqrt (x0 * x0 + 4 * Ebar) + Lambda dU.
Definition residual_bound : R := sqrt (along_bound * along_bound + Lambda dO * Lambda dO).

Hypothesis residual_room : residual_bound + x0 <= dX.
Hypothesis outside_le :
  exp (- K) * (\sum_(c | Q c && ~~ P c) B c * exp (- (dot (Delta c) w0 - gamma * y0) + spread c * dX)) <= rho_bar.

(* ---- along the run ---- *)

(* The parts of Ebar and Lambda that are spent when the height has grown by Y. *)
Definition deviation_spent (Y : R) : R := \sum_(c | Q c) deviation_total c * (1 - exp (- (slope c * Y))).
Definition far_spent (d : C -> vec J) (Y : R) : R :=
  \sum_(c | Q c && ~~ S c) vnorm (d c) * far_total c * (1 - exp (- (excess c * Y))).

(* The residual eU + eO of a point whose height has grown by Y. *)
Record near_split (Y : R) (e eU eO : vec J) : Prop := NearSplit {
  near_sum : e = (eU + eO)%V;
  near_active : forall s, S s -> dot (lateral Delta u s) eO = 0;
  near_cross : forall c, Q c -> ~~ S c -> dot eU (dO c) = 0 /\ dot (dU c) eO = 0;
  near_orth : dot eU eO = 0;
  near_along : vnorm eU <= sqrt (x0 * x0 + 4 * deviation_spent Y) + far_spent dU Y;
  near_across : vnorm eO <= far_spent dO Y
}.

Definition near_path (z : vec J) : Prop :=
  y0 <= height z /\ exists eU eO, near_split (height z - y0) (residual z) eU eO.

Lemma speed_gt0 : 0 < g'.
Proof. lra. Qed.

Lemma deviation_total_ge0 c : Q c -> 0 <= deviation_total c.
Proof.
move=> Qc; have g0 := speed_gt0; apply: Rmult_le_pos; first exact/Rlt_le/Rinv_0_lt_compat.
apply: Rmult_le_pos; first by apply: Rmult_le_pos; [exact: k_ge0 | exact/Rlt_le/exp_pos].
by apply: Rmult_le_pos; [exact/Rlt_le/exp_pos | exact/Rlt_le/Rinv_0_lt_compat/(slope_gt0 dir Qc)].
Qed.

Lemma far_total_ge0 c : Q c -> ~~ S c -> 0 <= far_total c.
Proof.
move=> Qc Sc; have g0 := speed_gt0; apply: Rmult_le_pos; first exact/Rlt_le/Rinv_0_lt_compat.
apply: Rmult_le_pos; first by apply: Rmult_le_pos; [exact: B_ge0 | exact/Rlt_le/exp_pos].
by apply: Rmult_le_pos; [exact/Rlt_le/exp_pos | exact/Rlt_le/Rinv_0_lt_compat/excess_gt0].
Qed.

Lemma spent_fraction beta Y : 0 < beta -> 0 <= Y -> 0 <= 1 - exp (- (beta * Y)) <= 1.
Proof.
move=> b0 Y0; have := exp_pos (- (beta * Y)); have bY : 0 <= beta * Y by apply: Rmult_le_pos; lra.
have := exp_le (x := - (beta * Y)) (y := 0) (ltac:(lra)); rewrite exp_0; lra.
Qed.

Lemma deviation_spent_range Y : 0 <= Y -> 0 <= deviation_spent Y <= Ebar.
Proof.
move=> Y0; split; [apply: sum_ge0 | apply: sum_le] => c Qc; have f := spent_fraction (slope_gt0 dir Qc) Y0;
  have d := deviation_total_ge0 Qc; first by apply: Rmult_le_pos; lra.
by have := Rmult_le_compat_l _ _ _ d (proj2 f); lra.
Qed.

Lemma far_spent_range d Y : 0 <= Y -> 0 <= far_spent d Y <= Lambda d.
Proof.
move=> Y0; split; [apply: sum_ge0 | apply: sum_le] => c /andP[Qc Sc]; have f := spent_fraction (excess_gt0 Qc Sc) Y0;
  have f0 := Rmult_le_pos _ _ (vnorm_ge0 (d c)) (far_total_ge0 Qc Sc); first by apply: Rmult_le_pos; lra.
by have := Rmult_le_compat_l _ _ _ f0 (proj2 f); lra.
Qed.

Lemma near_start : near_path w0.
Proof.
have d0 : deviation_spent 0 = 0 by apply: sum0 => c _; rewrite Rmult_0_r Ropp_0 exp_0; ring.
have f0 d : far_spent d 0 = 0 by apply: sum0 => c _; rewrite Rmult_0_r Ropp_0 exp_0; ring.
split; first lra.
exists (residual w0), vzero; rewrite Rminus_diag_eq //; split.
- by vec_ring.
- by move=> s _; rewrite dot0r.
- by move=> c Qc Sc; rewrite dot0r (split_start Qc Sc).
- by rewrite dot0r.
- by rewrite d0 f0 Rmult_0_r !Rplus_0_r sqrt_square; [lra | exact: vnorm_ge0].
by rewrite f0 vnorm0; lra.
Qed.

Lemma near_residual z : near_path z -> vnorm (residual z) <= residual_bound.
Proof.
case=> hy [eU [eO [-> _ _ UO hU hO]]]; have Y0 : 0 <= height z - y0 by lra.
have dr := deviation_spent_range Y0; have fU := far_spent_range dU Y0; have fO := far_spent_range dO Y0.
have bU : vnorm eU <= along_bound.
  by apply: Rle_trans hU _; apply: Rplus_le_compat; [apply: sqrt_le_1_alt; lra | lra].
apply: sqrt_le_1_alt; rewrite vnorm2D UO Rmult_0_r Rplus_0_r -!vnorm_sqr.
have n0 := vnorm_ge0 eU; have n1 := vnorm_ge0 eO.
by apply: Rplus_le_compat; apply: Rmult_le_compat => //; lra.
Qed.

(* Margins grow with the height, up to the room dX for the residual. *)
Lemma near_margin z c : near_path z ->
  dot (Delta c) w0 + slope c * (height z - y0) - spread c * dX <= dot (Delta c) z.
Proof.
move=> Hz; have xb := near_residual Hz.
rewrite (margin_decompose Delta u p z c) (margin_decompose Delta u p w0 c).
have /Rabs_le_between[h1 _] := dot_orth_bound dir c (residual_orth dir p_orth z).
have /Rabs_le_between[_ h2] := dot_orth_bound dir c (residual_orth dir p_orth w0).
have s0 := spread_ge0 Delta u c.
have : spread c * (vnorm (residual z) + x0) <= spread c * dX by apply: Rmult_le_compat_l => //; lra.
lra.
Qed.

Lemma near_low z c : near_path z -> Q c -> start_low c <= dot (Delta c) z.
Proof.
move=> Hz Qc; apply: Rle_trans (near_margin c Hz); rewrite /start_low.
have := Rmult_le_pos _ _ (Rlt_le _ _ (slope_gt0 dir Qc)) (ltac:(have := proj1 Hz; lra) : 0 <= height z - y0); lra.
Qed.

Lemma near_P z c : near_path z -> P c -> blo c <= b z c <= bhi c.
Proof. by move=> Hz; have [H _ _] := region (fun c Qc => near_low Hz Qc); exact: H. Qed.

Lemma near_weight z c : near_path z -> Q c -> ~~ S c ->
  Rabs (gibbs_weight Delta (b z) z c) <=
  B c * exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0))).
Proof.
move=> Hz Qc Sc; have [_ H _] := region (fun c Qc => near_low Hz Qc).
rewrite /gibbs_weight Rabs_mult (Rabs_pos_eq (exp _)); last exact/Rlt_le/exp_pos.
rewrite Rmult_assoc -exp_plus; apply: Rmult_le_compat; [exact: Rabs_pos | exact/Rlt_le/exp_pos | exact: H |].
by apply: exp_le; have := near_margin c Hz; lra.
Qed.

Lemma rho_bar_ge0 : 0 <= rho_bar.
Proof.
apply: Rle_trans outside_le; apply: Rmult_le_pos; first exact/Rlt_le/exp_pos.
apply: sum_ge0 => c /andP[Qc Pc]; apply: Rmult_le_pos; last exact/Rlt_le/exp_pos.
by apply: B_ge0 => //; apply: contra Pc; exact: active_sub.
Qed.

Lemma near_outside z : near_path z ->
  \sum_(c | Q c && ~~ P c) Rabs (gibbs_weight Delta (b z) z c) <= rho_bar * exp (K - gamma * height z).
Proof.
move=> Hz; apply: (Rle_trans _ (exp (- K) * (\sum_(c | Q c && ~~ P c) B c *
    exp (- (dot (Delta c) w0 - gamma * y0) + spread c * dX)) * exp (K - gamma * height z))); last first.
  by apply: Rmult_le_compat_r => //; exact/Rlt_le/exp_pos.
rewrite sum_mull sum_mulr; apply: sum_le => c /andP[Qc Pc].
have Sc : ~~ S c by apply: contra Pc; exact: active_sub.
apply: Rle_trans (near_weight Hz Qc Sc) _.
have -> : B c * exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0)))
  = B c * exp (- dot (Delta c) w0 + spread c * dX - slope c * (height z - y0)).
  by rewrite Rmult_assoc -exp_plus; congr (_ * exp _); ring.
have -> : exp (- K) * (B c * exp (- (dot (Delta c) w0 - gamma * y0) + spread c * dX)) * exp (K - gamma * height z)
  = B c * exp (- K + (- (dot (Delta c) w0 - gamma * y0) + spread c * dX) + (K - gamma * height z)).
  by rewrite !exp_plus; ring.
apply: Rmult_le_compat_l; first exact: B_ge0.
apply: exp_le; have := slope_ge dir Qc; have := proj1 Hz => h1 h2.
have : (slope c - gamma) * (height z - y0) >= 0 by apply: Rle_ge; apply: Rmult_le_pos; lra.
lra.
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

Let range c (Pc : P c) := near_P near Pc.

Lemma near_b_gt0 c : P c -> 0 < b z c.
Proof. by move=> Pc; have := range Pc; have := blo_gt0 Pc; lra. Qed.

Lemma near_total : exp (K - gamma * height z) <= Om.
Proof. exact (partial_total_lower dir active_sub blo_gt0 z range). Qed.

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
have H := partial_progress dir P_sub active_sub blo_gt0 norm_le range rho_bar_ge0 (Rle_refl _) (near_outside near).
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ tau_gt0) H; rewrite -/Om -/(field_of z) -/V; lra.
Qed.

Lemma near_rise_range : 0 < rise <= h.
Proof.
have Om0 : 0 < Om by apply: Rlt_le_trans near_total; exact: exp_pos.
split; first by apply: Rlt_le_trans near_rise; apply: Rmult_lt_0_compat => //; apply: Rmult_lt_0_compat => //; exact: speed_gt0.
apply: Rle_trans tau_le; rewrite /rise /z' (step_height u).
have := dot_le_norms V u; rewrite (unorm dir) Rmult_1_r => H.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ tau_gt0) H; lra.
Qed.

Let err := \sum_(d | Q d) k d * exp (- dot (Delta d) z).

(* The deviation that this step spends. *)
Lemma near_deviation : tau * OmS * err <= deviation_spent (height z' - y0) - deviation_spent (height z - y0).
Proof.
have [O0 O1] := near_total_active; have g0 := speed_gt0; have [r0 r1] := near_rise_range; have rise_ge := near_rise.
have tO : tau * OmS <= / g' * rise.
  apply: (Rmult_le_reg_l g') => //; have -> : g' * (/ g' * rise) = rise by field; lra.
  have : tau * OmS * g' <= tau * Om * g' by apply: Rmult_le_compat_r; [lra | apply: Rmult_le_compat_l; lra].
  lra.
rewrite /deviation_spent -sumB /err sum_mull; apply: sum_le => c Qc.
have s0 := slope_gt0 dir Qc; have k0 := k_ge0 Qc.
have ex : exp (- dot (Delta c) z) <= exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0))).
  by rewrite -exp_plus; apply: exp_le; have := near_margin c near; lra.
apply: (Rle_trans _ (/ g' * rise * (k c * (exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0))))))).
  apply: Rmult_le_compat => //; [by apply: Rmult_le_pos; lra | | exact: Rmult_le_compat_l].
  by apply: Rmult_le_pos => //; exact/Rlt_le/exp_pos.
have left_sum := left_sum_exp (height z - y0) s0 (conj (Rlt_le _ _ r0) r1).
have -> : height z' - y0 = height z - y0 + rise by rewrite /rise; ring.
have -> : deviation_total c * (1 - exp (- (slope c * (height z - y0 + rise))))
    - deviation_total c * (1 - exp (- (slope c * (height z - y0))))
  = / g' * (k c * exp (- dot (Delta c) w0 + spread c * dX)) * (exp (slope c * h) / slope c *
      (exp (- (slope c * (height z - y0))) - exp (- (slope c * (height z - y0 + rise))))).
  by rewrite /deviation_total; ring.
have -> : / g' * rise * (k c * (exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0)))))
  = / g' * (k c * exp (- dot (Delta c) w0 + spread c * dX)) * (rise * exp (- (slope c * (height z - y0)))) by ring.
apply: Rmult_le_compat_l => //; apply: Rmult_le_pos; first exact/Rlt_le/Rinv_0_lt_compat.
by apply: Rmult_le_pos => //; exact/Rlt_le/exp_pos.
Qed.

(* The pull of the far constraints that this step spends. *)
Lemma near_far d : tau * (\sum_(c | Q c && ~~ S c) Rabs (gibbs_weight Delta (b z) z c) * vnorm (d c))
  <= far_spent d (height z' - y0) - far_spent d (height z - y0).
Proof.
have g0 := speed_gt0; have [r0 r1] := near_rise_range; have rise_ge := near_rise; have tot := near_total.
have tO : tau <= / g' * rise * exp (gamma * height z - K).
  have e0 := exp_pos (K - gamma * height z).
  apply: (Rmult_le_reg_r (exp (K - gamma * height z))) => //.
  rewrite (Rmult_assoc _ (exp _)) -exp_plus (_ : gamma * height z - K + (K - gamma * height z) = 0) ?exp_0; last by ring.
  apply: (Rmult_le_reg_l g') => //.
  have -> : g' * (/ g' * rise * 1) = rise by field; lra.
  have : tau * exp (K - gamma * height z) * g' <= tau * Om * g'.
    by apply: Rmult_le_compat_r; [lra | apply: Rmult_le_compat_l; lra].
  lra.
rewrite /far_spent -sumB sum_mull; apply: sum_le => c /andP[Qc Sc].
have e0 := excess_gt0 Qc Sc; have B0 := B_ge0 Qc Sc; have sp := vnorm_ge0 (d c).
have left_sum := left_sum_exp (height z - y0) e0 (conj (Rlt_le _ _ r0) r1).
have ww := near_weight near Qc Sc.
have -> : height z' - y0 = height z - y0 + rise by rewrite /rise; ring.
apply: (Rle_trans _ (/ g' * rise * exp (gamma * height z - K) *
    (B c * exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0))) * vnorm (d c)))).
  apply: Rmult_le_compat; [lra | by apply: Rmult_le_pos => //; exact: Rabs_pos | exact: tO |].
  exact: Rmult_le_compat_r.
have merge : exp (gamma * height z - K) * (exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0))))
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
  by rewrite /far_total; ring.
set E := exp (- K - _ + _).
have -> : / g' * rise * vnorm (d c) * B c * (E * exp (- (excess c * (height z - y0))))
  = / g' * vnorm (d c) * B c * E * (rise * exp (- (excess c * (height z - y0)))) by ring.
apply: Rmult_le_compat_l => //.
apply: Rmult_le_pos; last exact/Rlt_le/exp_pos.
apply: Rmult_le_pos => //; apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
Qed.

Theorem near_step : height z < height z' /\ near_path z'.
Proof.
have [r0 r1] := near_rise_range; have [O0 O1] := near_total_active; have g0 := speed_gt0.
have up : height z < height z' by move: r0; rewrite /rise; lra.
split=> //; have [hy [eU [eO [eE lO cross UO hU hO]]]] := near; split; first lra.
have [_ _ dev] := region (fun c Qc => near_low near Qc).
have sl : tau * OmS * g' <= h.
  have : tau * OmS * g' <= tau * Om * g' by apply: Rmult_le_compat_r; [lra | apply: Rmult_le_compat_l; lra].
  by have := near_rise; lra.
pose omega := gibbs_weight Delta (b z) z; pose F := fun c => Q c && ~~ S c.
have step := active_part_step dir p_orth Rs_gt0 diameter binf_gt0 Z_gt0 centre_balance speed_gt0 step_short
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
have dr := deviation_spent_range Y0; have fr := far_spent_range dU Y0.
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

(* The explicit rate of the angle. *)
Lemma near_angle z : near_path z -> 0 < height z ->
  1 - cosine u z <= (vnorm p + residual_bound) * (vnorm p + residual_bound) / (2 * (height z * height z)).
Proof. by move=> Hz y1; exact (angle_bound (dir_unit dir) y1 (near_residual Hz)). Qed.

Lemma near_limit : (forall t, near_path (w t)) ->
  is_lim_seq (fun t => height (w t)) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1.
Proof.
move=> H Hy; apply: (cosine_limit (dir_unit dir) (p := p) (A := residual_bound * residual_bound) (B := 0)) => // t.
rewrite Rmult_0_l Rplus_0_r -vnorm_sqr.
by apply: Rmult_le_compat; try exact: vnorm_ge0; exact: near_residual.
Qed.

Section Normalised.
Hypothesis h_ge : etamax <= h.
Hypothesis run : forall t, w t.+1 = (w t + eta t / vnorm (field_of (w t)) * field_of (w t))%V.

Lemma near_norm_gt0 z : near_path z -> 0 < vnorm (field_of z).
Proof.
move=> Hz; exact (partial_norm_gt0 dir P_sub active_sub blo_gt0 norm_le (fun c Pc => near_P Hz Pc)
  rho_bar_ge0 (Rle_refl _) rho_bar_lt (near_outside Hz)).
Qed.

Theorem bounded_normalised_path t : near_path (w t).
Proof.
elim: t => [|t Hp]; first exact: near_start.
rewrite run; have n0 := near_norm_gt0 Hp; have [e0 e1] := eta_range t.
have [] := @near_step (w t) (eta t / vnorm (field_of (w t))) Hp => //; first exact: Rdiv_lt_0_compat.
have -> : eta t / vnorm (field_of (w t)) * vnorm (field_of (w t)) = eta t by field; lra.
lra.
Qed.

Theorem bounded_normalised_growth t : y0 + g' / (D * (1 + rho_bar)) * total eta t <= height (w t).
Proof.
rewrite -total_scale; apply: (linear_growth (y := fun s => height (w s))) => s.
have Hp := bounded_normalised_path s; have [e0 _] := eta_range s.
rewrite run Rmult_comm.
exact (partial_normalised_growth dir P_sub active_sub blo_gt0 norm_le (fun c Pc => near_P Hp Pc)
  rho_bar_ge0 (Rle_refl _) rho_bar_lt (near_outside Hp) (Rlt_le _ _ e0)).
Qed.

(* Sharper when no constraint lies outside P: cmin bounds the cosine between u and every constraint vector. *)
Theorem bounded_normalised_growth_cosine cmin t : (forall c, Q c -> P c) -> 0 <= cmin ->
  (forall c, Q c -> cmin * vnorm (Delta c) <= slope c) -> y0 + cmin * total eta t <= height (w t).
Proof.
move=> all c0 Hc; rewrite -total_scale; apply: (linear_growth (y := fun s => height (w s))) => s.
have Hp := bounded_normalised_path s; have [e0 _] := eta_range s; have n0 := near_norm_gt0 Hp.
have pos c : Q c -> 0 < gibbs_weight Delta (b (w s)) (w s) c.
  move=> Qc; have Pc := all c Qc; have := near_P Hp Pc; have := blo_gt0 Pc => b0 [b1 _].
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
move=> He; apply: near_limit bounded_normalised_path _.
have D0 := norm_bound_gt0 dir norm_le; have r0 := rho_bar_ge0.
apply: limit_linear He bounded_normalised_growth.
by apply: Rdiv_lt_0_compat; [lra | apply: Rmult_lt_0_compat; lra].
Qed.
End Normalised.

Section Gradient.
Hypothesis step_le : etamax * (D * (\sum_(c | P c) bhi c * exp (- start_low c)
                                    + \sum_(c | Q c && ~~ P c) B c * exp (- start_low c))) <= h.
Hypothesis run : forall t, w t.+1 = (w t + eta t * field_of (w t))%V.

Lemma near_field_norm z : near_path z ->
  vnorm (field_of z) <= D * (\sum_(c | P c) bhi c * exp (- start_low c)
                             + \sum_(c | Q c && ~~ P c) B c * exp (- start_low c)).
Proof.
move=> Hz; have D0 := norm_bound_gt0 dir norm_le; have Hl c (Qc : Q c) := near_low Hz Qc.
have [inP inF _] := region Hl.
have ex c (Qc : Q c) : exp (- dot (Delta c) z) <= exp (- start_low c) by apply: exp_le; have := Hl c Qc; lra.
apply: Rle_trans (vnorm_combine _ _ _) _; rewrite (sum_split P_sub) Rmult_plus_distr_l !sum_mull.
have bound c m : Q c -> Rabs (b z c) <= m ->
    Rabs (gibbs_weight Delta (b z) z c) * vnorm (Delta c) <= D * (m * exp (- start_low c)).
  move=> Qc kc; rewrite Rmult_comm; apply: Rmult_le_compat; [exact: vnorm_ge0 | exact: Rabs_pos | exact: norm_le |].
  rewrite /gibbs_weight Rabs_mult (Rabs_pos_eq (exp _)); last exact/Rlt_le/exp_pos.
  by apply: Rmult_le_compat; [exact: Rabs_pos | exact/Rlt_le/exp_pos | | exact: ex].
apply: Rplus_le_compat; apply: sum_le => c.
  move=> Pc; apply: bound; first exact: P_sub.
  by have [h1 h2] := inP c Pc; have b0 := blo_gt0 Pc; rewrite Rabs_pos_eq; lra.
case/andP=> Qc Nc; apply: bound => //; apply: inF => //; apply: contra Nc; exact: active_sub.
Qed.

Theorem bounded_gradient_path t : near_path (w t).
Proof.
elim: t => [|t Hp]; first exact: near_start.
rewrite run; have [e0 e1] := eta_range t.
have [] := @near_step (w t) (eta t) Hp => //.
apply: Rle_trans step_le; apply: Rmult_le_compat => //; [lra | exact: vnorm_ge0 | exact: near_field_norm].
Qed.

Theorem bounded_gradient_growth t :
  / gamma * ln (exp (gamma * y0) + gamma * (g' * exp K) * total eta t) <= height (w t).
Proof.
have g0 := dir_margin_gt0 dir; have gp := speed_gt0.
rewrite Rmult_assoc -total_scale; apply: (logarithmic_growth (y := fun s => height (w s))) => // s.
  have := proj1 (eta_range s) => e0; apply: Rmult_le_pos; last lra.
  by apply: Rmult_le_pos; [lra | exact/Rlt_le/exp_pos].
have Hp := bounded_gradient_path s; have [e0 _] := eta_range s.
have := partial_gradient_growth dir P_sub active_sub blo_gt0 norm_le (fun c Pc => near_P Hp Pc)
  rho_bar_ge0 (Rle_refl _) rho_bar_lt (near_outside Hp) (Rlt_le _ _ e0).
by rewrite run -/(field_of (w s)); apply: Rle_trans; right; ring.
Qed.

Theorem bounded_gradient_limit : is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1.
Proof.
have g0 := dir_margin_gt0 dir; have gp := speed_gt0.
move=> He; apply: near_limit bounded_gradient_path _.
apply: (limit_logarithmic (gamma := gamma) (k := gamma * (g' * exp K)) (b := exp (gamma * y0)) g0) He _.
- by apply: Rmult_lt_0_compat => //; apply: Rmult_lt_0_compat => //; exact: exp_pos.
- exact/Rlt_le/exp_pos.
exact: bounded_gradient_growth.
Qed.
End Gradient.
End BoundedResidual.
