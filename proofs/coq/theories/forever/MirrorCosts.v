(* MirrorCosts: what the curvature of plain steps (tau = eta) costs in T17, R(y) of MIRROR.md section 6.

   The weights inside the region are at most their ranges at the floors of the margins, so a step's length is bounded
   like a normalised one's, and costs what that costs. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Duality EntrywiseDuality DualNorm Direction Gibbs FactorRange Mirror
                           MirrorRay MirrorMoves MirrorRegion MirrorRun.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Costs.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (p q : R) (u v : vec J) (gamma : R) (mu : C -> R).
Variables (b : vec J -> C -> R) (f : factor_bounds C) (low : C -> R) (k : mirror_bounds C).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (dir : mirror_direction Q Delta p u gamma mu).
Hypotheses (range : factor_range Q Delta b low f) (shape : mirror_shape Q Delta p q u v gamma mu f low k).
Variable D : R.
Hypothesis norm_le : forall c, Q c -> lp_norm q (Delta c) <= D.
Notation P := (factor_kept f).
Notation V := (mirror_field Q Delta q b).
Notation Om := (mirror_total Delta q b f).
Notation near := (near_ray p q u v k).
Notation stretch y := (D * (1 + mirror_ratio k y)).

(* At least the sum of the weights, at all points of the region. *)
Definition most_total : R := \sum_(c | P c) factor_high f c * exp (- low c).

Lemma mirror_total_le y x : near y x -> Om x <= most_total.
Proof.
move=> at_y; have above := mirror_above shape at_y; apply: sum_le => c Pc; rewrite /gibbs_weight.
have Qc := factor_kept_constraint range Pc; have [lo hi] := factor_in_range range above Pc.
have l0 := factor_low_gt0 range Pc; have e0 := exp_pos (- dot (Delta c) (mirror q x)).
apply: Rmult_le_compat => //; [by lra | by lra |].
by have [lt | ->] : - dot (Delta c) (mirror q x) <= - low c := Ropp_le_contravar _ _ (above c Qc);
  [apply/Rlt_le/exp_increasing | right].
Qed.

Lemma plain_step_fits eta y x tau : near y x -> 0 < tau <= eta -> 0 <= stretch y ->
  normalised_fits Q Delta q b (eta * most_total * stretch y) tau x.
Proof.
move=> at_y [t0 le] s0; split=> //; have Om0 := mirror_total_positive dir range shape at_y.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ t0) (mirror_field_norm p1 conj dir range shape norm_le at_y).
have := mirror_total_le at_y => most.
have : tau * Om x <= eta * most_total by apply: Rmult_le_compat; lra.
by move=> /(Rmult_le_compat_r _ _ _ s0) => H1 H2; apply: Rle_trans H2 _; rewrite -Rmult_assoc.
Qed.

Theorem plain_cost_above_two eta y x tau (h := eta * most_total * stretch y) : 2 <= p -> near y x -> 0 < tau <= eta ->
  0 <= stretch y ->
  dual_divergence q (mirror q x) x (x + tau * V x)%V <= tau * Om x *
    (abs_power 2 (2 - q) / q * abs_power h (q - 1) * stretch y + mirror_entropy Q Delta q mu b f x).
Proof.
move=> p2 at_y le s0.
exact: (normalised_cost_above_two p1 conj dir range shape norm_le p2 at_y (plain_step_fits at_y le s0)).
Qed.

(* N bounds ||Z||_q. *)
Theorem plain_cost_below_two N eta y x tau (h := eta * most_total * stretch y) : p <= 2 -> near y x -> 0 < tau <= eta ->
  0 <= stretch y -> lp_norm q x <= N ->
  dual_divergence q (mirror q x) x (x + tau * V x)%V <= tau * Om x *
    ((q - 1) / 2 * (abs_power (N + h) (q - 2) * h) * stretch y + mirror_entropy Q Delta q mu b f x).
Proof.
move=> p2 at_y le s0 xN.
exact: (normalised_cost_below_two p1 conj dir range shape norm_le p2 at_y (plain_step_fits at_y le s0) xN).
Qed.
End Costs.
