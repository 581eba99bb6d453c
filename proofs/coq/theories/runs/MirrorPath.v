(* MirrorPath: T13, what a step of mirror descent adds to the norm of the dual point (MIRROR.md section 2).

   Z is the dual point of w, and r what the conjugate potential gains beyond its tangent. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity Mirror.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section MirrorPath.
Variables (J I : finType) (P : pred I) (Delta : I -> vec J) (b : I -> R) (p q : R) (w : vec J).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (b0 : forall c, P c -> 0 < b c) (w0 : 0 < lp_norm p w).

(* The constraints' weights at w, and the step. *)
Definition step_weight (c : I) : R := b c * exp (- dot (Delta c) w).
Definition mirror_ascent : vec J := combine P step_weight Delta.

Variables (u n : vec J) (gamma : R) (mu : I -> R) (tau : R).
Hypotheses (gamma0 : 0 < gamma) (n1 : lp_sum q n <= 1) (mu0 : forall c, P c -> 0 <= mu c)
  (mu1 : \sum_(c | P c) mu c = 1) (balance : combine P mu Delta = (gamma * n)%V)
  (slopes : forall c, P c -> gamma <= dot (Delta c) u) (tau0 : 0 <= tau).

Definition entropy_gap : R := ln (\sum_(c | P c) b c) - \sum_(c | P c) mu c * (ln (b c) - ln (mu c)).
Let Om := \sum_(c | P c) step_weight c.
Let Z := mirror p w.
Let Z' := (Z + tau * mirror_ascent)%V.

Lemma step_weight_gt0 c : P c -> 0 < step_weight c.
Proof. by move=> Pc; apply: Rmult_lt_0_compat; [exact: b0 | exact: exp_pos]. Qed.

Lemma ln_step_weight c : P c -> ln (step_weight c) = ln (b c) - dot (Delta c) w.
Proof. by move=> Pc; rewrite /step_weight ln_mult ?ln_exp; [ring | exact: b0 | exact: exp_pos]. Qed.

Lemma some_constraint : exists c, P c.
Proof.
case: (pickP P) => [c Pc | H]; first by exists c.
by move: mu1; rewrite big_pred0 //; lra.
Qed.

Lemma mirror_total_gt0 : 0 < Om.
Proof.
have [c Pc] := some_constraint.
by apply: (sum_gt0 (i := c)) => // [d /step_weight_gt0 |]; [lra | exact: step_weight_gt0].
Qed.

Lemma entropy_gap_ge0 : 0 <= entropy_gap.
Proof. by have := gibbs mu0 mu1 b0; rewrite /entropy_gap; lra. Qed.

(* log Om is at least that of the balanced weights. *)
Lemma log_total : \sum_(c | P c) mu c * (ln (b c) - ln (mu c)) - gamma * lp_norm p w <= ln Om.
Proof.
have := gibbs mu0 mu1 step_weight_gt0; rewrite -/Om; apply: Rle_trans.
have nw := hoelder_dual_unit p1 conj n1 w.
have E : \sum_(c | P c) mu c * dot (Delta c) w = gamma * dot n w by rewrite -dot_combinel balance dotZl.
have -> : \sum_(c | P c) mu c * (ln (step_weight c) - ln (mu c)) =
    \sum_(c | P c) mu c * (ln (b c) - ln (mu c)) - \sum_(c | P c) mu c * dot (Delta c) w.
  by rewrite -sumB; apply: eq_bigr => c Pc; rewrite ln_step_weight //; ring.
rewrite E; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ gamma0) nw; lra.
Qed.

(* <V, w> = sum of weights times margins *)
Lemma ascent_along : dot mirror_ascent w <= Om * (entropy_gap + gamma * lp_norm p w).
Proof.
have Om0 := mirror_total_gt0; rewrite /mirror_ascent dot_combinel.
have q0 c : P c -> 0 <= step_weight c / Om.
  by move=> Pc; apply/Rlt_le/Rdiv_lt_0_compat => //; exact: step_weight_gt0.
have sum1 : \sum_(c | P c) step_weight c / Om = 1 by rewrite -sum_mulr -/Om Rinv_r //; lra.
have := gibbs q0 sum1 b0.
have -> : \sum_(c | P c) step_weight c / Om * (ln (b c) - ln (step_weight c / Om)) =
    (\sum_(c | P c) step_weight c * dot (Delta c) w) / Om + ln Om.
  rewrite -[ln Om]Rmult_1_l -sum1 sum_mulr /Rdiv sum_mulr -sumD; apply: eq_bigr => c Pc.
  rewrite -/(step_weight c / Om) ln_div //; last exact: step_weight_gt0.
  by rewrite ln_step_weight //; rewrite /Rdiv; ring.
have := log_total; rewrite /entropy_gap => low high.
have mean : (\sum_(c | P c) step_weight c * dot (Delta c) w) / Om <= entropy_gap + gamma * lp_norm p w.
  by rewrite /entropy_gap; lra.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ Om0) mean; rewrite /entropy_gap.
by have -> : Om * ((\sum_(c | P c) step_weight c * dot (Delta c) w) / Om) =
  \sum_(c | P c) step_weight c * dot (Delta c) w by field; lra.
Qed.

(* The norm of the dual point, by the tangent of the power. *)
Lemma norm_gain : lp_norm p w * (lp_norm q Z' - lp_norm q Z) <= potential q Z' - potential q Z.
Proof.
have q1' := conjugate_gt1 p1 conj; have S0 : 0 < lp_sum p w.
  by rewrite -lp_norm_power; [apply: abs_power_gt0; lra | lra].
have z0 : 0 < lp_norm q Z by rewrite /lp_norm (mirror_sum p1 conj); apply: abs_power_gt0; lra.
have := power_tangent (lp_norm_ge0 q Z') z0 (Rlt_le _ _ q1').
rewrite !lp_norm_power; [|lra|lra].
have E : lp_sum q Z / lp_norm q Z = lp_norm p w.
  apply: (Rmult_eq_reg_r (lp_norm q Z)); last by lra.
  rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; last by lra.
  rewrite /lp_norm (mirror_sum p1 conj) !abs_power_pos // -Rpower_plus conj Rpower_1 //.
have -> : q * lp_sum q Z / lp_norm q Z = q * (lp_sum q Z / lp_norm q Z) by rewrite /Rdiv; ring.
rewrite E /potential => tangent.
apply: (Rmult_le_reg_l q); first by lra.
have -> : q * (lp_sum q Z' / q - lp_sum q Z / q) = lp_sum q Z' - lp_sum q Z by field; lra.
lra.
Qed.

Lemma height_gain : tau * Om * gamma <= dot Z' u - dot Z u.
Proof.
have -> : dot Z' u - dot Z u = tau * dot mirror_ascent u by rewrite /Z' dotDl dotZl; ring.
rewrite Rmult_assoc; apply: Rmult_le_compat_l => //; rewrite /mirror_ascent dot_combinel /Om sum_mulr.
apply: sum_le => c Pc; apply: Rmult_le_compat_l (slopes Pc); apply: Rlt_le; exact: step_weight_gt0.
Qed.

(* T13. *)
Theorem mirror_path :
  lp_norm q Z' - lp_norm q Z <=
  (1 + entropy_gap / (gamma * lp_norm p w)) * (dot Z' u - dot Z u) + dual_divergence q w Z Z' / lp_norm p w.
Proof.
set h := dot Z' u - dot Z u; set r := dual_divergence q w Z Z'; set N := lp_norm p w.
have along : potential q Z' - potential q Z = tau * dot mirror_ascent w + r.
  rewrite /r /dual_divergence (_ : (Z' - Z)%V = (tau * mirror_ascent)%V) ?dotZr ?(dotC w); first by ring.
  by rewrite /Z'; vec_ring.
have := norm_gain; rewrite along -/N => gain.
have step := Rmult_le_compat_l _ _ _ tau0 ascent_along; rewrite -/N in step.
have gap0 := entropy_gap_ge0; have Nn : 0 < N by [].
have sum0 : 0 <= entropy_gap + gamma * N by have := Rmult_lt_0_compat _ _ gamma0 Nn; lra.
have up := height_gain; rewrite -/h in up.
have scaled : gamma * (tau * (Om * (entropy_gap + gamma * N))) <= h * (entropy_gap + gamma * N).
  by have := Rmult_le_compat_r _ _ _ sum0 up; lra.
apply: (Rmult_le_reg_l (gamma * N)); first exact: Rmult_lt_0_compat.
have -> : gamma * N * ((1 + entropy_gap / (gamma * N)) * h + r / N) = h * (entropy_gap + gamma * N) + gamma * r.
  by field; lra.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ gamma0) gain; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ gamma0) step.
lra.
Qed.
End MirrorPath.
