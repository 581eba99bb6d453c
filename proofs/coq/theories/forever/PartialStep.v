(* PartialStep: one step when only the constraints in P are known to carry positive weights (the common part of T11,
   T14 and T15).  The weights outside P may have any sign; their total size is at most rho times that of the weights
   on P. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Gibbs Progress Path Growth Region.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section PartialStep.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u p : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Hypothesis p_orth : dot p u = 0.
Notation height := (height u).
Notation residual := (residual u p).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).

Variables (P : pred C) (blo bhi : C -> R) (y0 D : R).
Hypothesis P_sub : forall c, P c -> Q c.
Hypothesis active_sub : forall c, active Q mu c -> P c.
Hypothesis blo_gt0 : forall c, P c -> 0 < blo c.
Hypothesis blo_bhi : forall c, P c -> blo c <= bhi c.
Hypothesis norm_le : forall c, Q c -> vnorm (Delta c) <= D.
Notation K := (log_floor Q mu blo).
Notation G := (gibbs_gap Q Delta u p P gamma mu bhi blo y0).

Lemma partial_gap_ge0 : 0 <= G.
Proof.
have bhi_gt0 c : P c -> 0 < bhi c by move=> Pc; have := blo_gt0 Pc; have := blo_bhi Pc; lra.
exact (@gibbs_gap_ge0 _ _ Q Delta u p gamma mu dir p_orth P blo bhi y0 active_sub
  (fun c Sc => blo_gt0 (active_sub Sc)) bhi_gt0 (fun c Sc => blo_bhi (active_sub Sc))).
Qed.

Lemma norm_bound_gt0 : 0 < D.
Proof.
have [c /activeP[Qc _]] := active_exists dir.
have := slope_gt0 dir Qc; have := slope_le_norm dir c; have := norm_le Qc; lra.
Qed.

Variables (z : vec J) (b : C -> R).
Hypothesis b_range : forall c, P c -> blo c <= b c <= bhi c.
Hypothesis height_ge : y0 <= height z.
Let omega := gibbs_weight Delta b z.
Let V := ascent Q Delta omega.
Let Om := \sum_(c | P c) omega c.

Variables (rho rho_bar pull : R).
Hypothesis rho_ge0 : 0 <= rho.
Hypothesis rho_le : rho <= rho_bar.
Hypothesis rho_bar_lt : rho_bar * D < gamma.
(* The weights outside P against the lower bound of those on P. *)
Hypothesis outside_small : \sum_(c | Q c && ~~ P c) Rabs (omega c) <= rho * exp (K - gamma * height z).
Hypothesis pull_le : 2 * rho * D * vnorm (residual z) <= pull.

Lemma partial_b_gt0 c : P c -> 0 < b c.
Proof. by move=> Pc; have := blo_gt0 Pc; have := b_range Pc; lra. Qed.

Lemma partial_omega_gt0 c : P c -> 0 < omega c.
Proof. by move=> Pc; apply: Rmult_lt_0_compat; [exact: partial_b_gt0 | exact: exp_pos]. Qed.

Lemma partial_total_lower : exp (K - gamma * height z) <= Om.
Proof.
exact (@total_weight_lower _ _ Q Delta u gamma mu dir P blo active_sub (fun c Sc => blo_gt0 (active_sub Sc)) z b
  partial_b_gt0 (fun c Sc => proj1 (b_range (active_sub Sc)))).
Qed.

Lemma partial_outside : \sum_(c | Q c && ~~ P c) Rabs (omega c) <= rho * Om.
Proof. apply: Rle_trans outside_small _; exact: Rmult_le_compat_l partial_total_lower. Qed.

Lemma partial_pull : \sum_(c | P c) omega c * dot (Delta c) (residual z) <= Om * G.
Proof.
exact (@gibbs_T7_weights _ _ Q Delta u p gamma mu dir P blo bhi y0 P_sub active_sub
  (fun c Sc => blo_gt0 (active_sub Sc)) z b partial_b_gt0 (fun c Sc => proj1 (b_range (active_sub Sc)))
  (fun c Pc => proj2 (b_range Pc)) height_ge).
Qed.

Let D_gt0 := norm_bound_gt0.

Lemma rho_bar_ge0 : 0 <= rho_bar.
Proof. lra. Qed.

Lemma rho_lt : rho * D < gamma.
Proof. by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ D_gt0) rho_le; lra. Qed.

Lemma partial_progress : Om * (gamma - rho_bar * D) <= dot V u.
Proof.
apply: Rle_trans (progress_direction dir P_sub partial_omega_gt0 norm_le partial_outside).
apply: Rmult_le_compat_l; first exact: Rle_trans (Rlt_le _ _ (exp_pos _)) partial_total_lower.
by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ D_gt0) rho_le; lra.
Qed.

Lemma partial_norm : vnorm V <= Om * D * (1 + rho_bar).
Proof.
apply: Rle_trans (progress_norm dir P_sub partial_omega_gt0 norm_le partial_outside) _.
apply: Rmult_le_compat_l; last by lra.
apply: Rmult_le_pos; last exact: Rlt_le.
exact: Rle_trans (Rlt_le _ _ (exp_pos _)) partial_total_lower.
Qed.

Lemma partial_norm_gt0 : 0 < vnorm V.
Proof. exact (ascent_norm_gt0 dir P_sub active_sub partial_omega_gt0 norm_le rho_lt partial_outside). Qed.

(* The path inequality with constants that hold wherever rho <= rho_bar. *)
Theorem partial_path tau h M : 0 < tau -> tau * vnorm V <= h ->
  (2 * G + pull + h * D * (1 + rho_bar)) / (gamma - rho_bar * D) <= M ->
  height z < height (z + tau * V)%V /\
  vnorm2 (residual (z + tau * V)%V) - vnorm2 (residual z) <= M * (height (z + tau * V)%V - height z).
Proof.
move=> t0 th HM.
have [h1 h2] := path_T9 dir p_orth P_sub active_sub partial_omega_gt0 norm_le rho_ge0 rho_lt partial_outside
  t0 th partial_gap_ge0 partial_pull.
have {}h1 : height z < height (z + tau * V)%V := h1.
split=> //; apply: Rle_trans h2 _; apply: Rmult_le_compat_r; first by rewrite -/V; lra.
apply: Rle_trans HM.
have h0 : 0 <= h by have := Rmult_le_pos _ _ (Rlt_le _ _ t0) (vnorm_ge0 V); lra.
have rD := Rmult_le_compat_r _ _ _ (Rlt_le _ _ D_gt0) rho_le.
have hD := Rmult_le_pos _ _ h0 (Rlt_le _ _ D_gt0).
have hr : h * D * (1 + rho) <= h * D * (1 + rho_bar) by apply: Rmult_le_compat_l; lra.
have G0 := partial_gap_ge0.
have x0 : 0 <= 2 * rho * D * vnorm (residual z).
  by apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | exact: vnorm_ge0].
have hp : 0 <= h * D * (1 + rho) by apply: Rmult_le_pos; lra.
apply: Rmult_le_compat; [lra | apply/Rlt_le/Rinv_0_lt_compat; have := rho_lt; lra | lra |].
by apply: Rinv_le_contravar; lra.
Qed.

(* Growth of the height: a gradient step, and a normalised step of length e. *)
Theorem partial_gradient_growth tau : 0 <= tau ->
  tau * (gamma - rho_bar * D) * exp K * exp (- (gamma * height z)) <= height (z + tau * V)%V - height z.
Proof.
move=> t0; rewrite (step_height u).
have -> : height z + tau * dot V u - height z = tau * dot V u by ring.
rewrite !Rmult_assoc; apply: Rmult_le_compat_l => //.
rewrite -exp_plus; apply: Rle_trans partial_progress.
rewrite Rmult_comm; apply: Rmult_le_compat_r; first by lra.
exact: partial_total_lower.
Qed.

Theorem partial_normalised_growth e : 0 <= e ->
  e * ((gamma - rho_bar * D) / (D * (1 + rho_bar))) <= height (z + e / vnorm V * V)%V - height z.
Proof.
move=> e0; rewrite (step_height u); have n0 := partial_norm_gt0.
have -> : height z + e / vnorm V * dot V u - height z = e * (dot V u / vnorm V) by field; lra.
apply: Rmult_le_compat_l => //; have r0 := rho_bar_ge0.
have k0 : 0 < D * (1 + rho_bar) by apply: Rmult_lt_0_compat; lra.
apply: (Rmult_le_reg_r (vnorm V)) => //.
have -> : dot V u / vnorm V * vnorm V = dot V u by field; lra.
apply: Rle_trans partial_progress.
apply: (Rle_trans _ ((gamma - rho_bar * D) / (D * (1 + rho_bar)) * (Om * D * (1 + rho_bar)))).
  apply: Rmult_le_compat_l partial_norm.
  by apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat].
by right; field; split; lra.
Qed.
End PartialStep.
