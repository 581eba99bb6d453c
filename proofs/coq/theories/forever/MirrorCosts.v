(* MirrorCosts: what the curvature of plain steps (tau = eta) costs in T17, R(y) of MIRROR.md section 6.

   The weights inside the region are at most their ranges at the floors of the margins, so a step's length is bounded
   like a normalised one's, and costs what that costs. How long steps of either rule are, and how much they weigh. *)
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

(* ---- either rule ---- *)

Section EitherRule.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (p q : R) (u v : vec J) (gamma : R) (mu : C -> R).
Variables (b : vec J -> C -> R) (f : factor_bounds C) (low : C -> R) (normalised : bool) (G longest eta : R).
Notation whole := (most_total f low).

(* At least the length of a step, eta at most, where N weighs rho of P; and its size times the weights. *)
Definition mirror_step_length (rho : R) : R := if normalised then eta else eta * whole * (longest * (1 + rho)).
Definition weight_of (rho : R) : R := if normalised then eta / (gamma - rho * G) else eta * whole.
Definition fits_rule : R -> vec J -> Prop := if normalised then normalised_fits Q Delta q b eta else gradient_fits eta.

Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (dir : mirror_direction Q Delta p u gamma mu).
Hypotheses (range : factor_range Q Delta b low f) (G0 : 0 <= G) (longest0 : 0 <= longest).
Hypothesis longest_le : forall c, Q c -> lp_norm q (Delta c) <= longest.
Variables (k : mirror_bounds C) (y rho tau : R) (z : vec J).
Hypothesis shape : mirror_shape Q Delta p q u v gamma mu f low k.
Hypotheses (at_y : near_ray p q u v k y z) (fit : fits_rule tau z) (eta0 : 0 < eta) (ok : 0 < gamma - rho * G).
Hypothesis ratio : 0 <= mirror_ratio k y /\ mirror_ratio k y <= rho.
Hypothesis slope_is : mirror_far_slope k = G.

Lemma whole_gt0 : 0 < whole.
Proof. exact: Rlt_le_trans (mirror_total_positive dir range shape at_y) (mirror_total_le range shape at_y). Qed.

Lemma step_length : normalised_fits Q Delta q b (mirror_step_length rho) tau z.
Proof.
move: fit; rewrite /fits_rule /mirror_step_length; case: normalised => // plain; have [r0 le] := ratio.
have s0 : 0 <= longest * (1 + mirror_ratio k y) by apply: Rmult_le_pos => //; lra.
have [t0 len] := plain_step_fits p1 conj dir range shape longest_le at_y plain s0; split=> //.
apply: Rle_trans len _; have w0 := whole_gt0.
apply: Rmult_le_compat_l; first by apply: Rmult_le_pos; lra.
by apply: Rmult_le_compat_l => //; lra.
Qed.

Lemma piece_weight : tau * mirror_total Delta q b f z <= weight_of rho.
Proof.
have Om0 := mirror_total_positive dir range shape at_y; have most := mirror_total_le range shape at_y.
move: fit; rewrite /fits_rule /weight_of; case: normalised => [[t0 len] | [t0 le]]; last first.
  by apply: Rmult_le_compat; lra.
have [r0 le] := ratio; have up := Rmult_le_compat_r _ _ _ G0 le.
have V0 := Rle_trans _ _ _ (mirror_ascent_height dir range shape at_y) (height_le_norm p1 conj (mirror_unit dir) _).
rewrite slope_is in V0; have := Rmult_le_compat_l tau _ _ (Rlt_le _ _ t0) V0.
have tOm : 0 <= tau * mirror_total Delta q b f z by apply: Rmult_le_pos; lra.
move=> H; apply: (Rmult_le_reg_r (gamma - rho * G)) => //.
have -> : eta / (gamma - rho * G) * (gamma - rho * G) = eta by field; lra.
have := Rmult_le_compat_l _ _ _ tOm (ltac:(lra) : gamma - rho * G <= gamma - mirror_ratio k y * G); lra.
Qed.
End EitherRule.
