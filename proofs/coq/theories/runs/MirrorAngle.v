(* MirrorAngle: how near w/||w||_p is to the unit vector u when the angle's defect 1 - <Z,u>/||Z||_q is small. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity ShortestVector
                           Mirror MirrorRay.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* A point that is ahead is not 0. *)
Lemma ahead_norm_gt0 (J : finType) (p q : R) (u w : vec J) : 1 < p -> / p + / q = 1 -> lp_sum p u = 1 ->
  0 < dot (mirror p w) u -> 0 < lp_norm p w.
Proof.
move=> p1 conj u1 ahead; have := lp_norm_ge0 p w; case=> // E.
have z0 : lp_sum p w = 0 by rewrite -lp_norm_power -?E ?abs_power0 //; lra.
have := height_le_norm p1 conj u1 (mirror p w); rewrite /lp_norm (mirror_sum p1 conj) z0 abs_power0; lra.
Qed.

Section MirrorAngle.
Variables (J : finType) (p q : R) (u w : vec J).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (u_unit : lp_sum p u = 1) (w0 : 0 < lp_norm p w).
Let Z := mirror p w.
Let q1 : 1 < q := conjugate_gt1 p1 conj.

Definition mirror_defect : R := 1 - dot Z u / lp_norm q Z.
Definition unit_of : vec J := (/ lp_norm p w * w)%V.
Notation delta := mirror_defect.
Notation middle := (midpoint u unit_of).

Lemma unit_of_norm : lp_norm p unit_of = 1.
Proof.
have i0 : 0 < / lp_norm p w by exact: Rinv_0_lt_compat.
by rewrite lp_norm_scale ?Rabs_pos_eq ?Rinv_l; lra.
Qed.

Lemma unit_of_sum : lp_sum p unit_of = 1.
Proof. by rewrite -lp_norm_power ?unit_of_norm ?abs_power_one; lra. Qed.

Lemma unit_norm : lp_norm p u = 1.
Proof. by rewrite /lp_norm u_unit abs_power_one. Qed.

Lemma dual_norm_gt0 : 0 < lp_norm q Z.
Proof.
rewrite /lp_norm (mirror_sum p1 conj) -lp_norm_power; last by lra.
by apply: abs_power_gt0; have := abs_power_gt0 p (Rgt_not_eq _ _ w0); lra.
Qed.

Lemma dual_along : dot Z unit_of = lp_norm q Z.
Proof.
rewrite /unit_of dotZr mirror_dot /lp_norm (mirror_sum p1 conj).
have S0 : 0 < lp_sum p w by rewrite -lp_norm_power; [apply: abs_power_gt0; lra | lra].
rewrite !abs_power_pos // -Rpower_Ropp -{2}(Rpower_1 (lp_sum p w)) // -Rpower_plus; congr Rpower; lra.
Qed.

(* Z sees that the midpoint is not much shorter. *)
Lemma middle_long : 1 - delta / 2 <= lp_norm p middle.
Proof.
have N0 := dual_norm_gt0; set N := lp_norm q Z in N0 *.
have half : dot Z middle = N * (1 - delta / 2).
  by rewrite /midpoint dotZr dotDr dual_along /mirror_defect -/N; field; lra.
have x1 : lp_sum q (/ N * Z)%V <= 1 by rewrite lp_unit_sum //; lra.
have := hoelder_dual_unit p1 conj x1 middle; rewrite dotZl half -Rmult_assoc Rinv_l; lra.
Qed.

Lemma defect_ge0 : 0 <= delta.
Proof.
have N0 := dual_norm_gt0; have := height_le_norm p1 conj u_unit Z; rewrite /mirror_defect => le.
suff : dot Z u / lp_norm q Z <= 1 by lra.
by apply: (Rmult_le_reg_r (lp_norm q Z)) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
Qed.

Hypothesis ahead : 0 <= dot Z u.

Lemma defect_le1 : delta <= 1.
Proof.
rewrite /mirror_defect; suff : 0 <= dot Z u / lp_norm q Z by lra.
by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat/dual_norm_gt0.
Qed.

Theorem direction_below_two : p <= 2 ->
  (p - 1) * (lp_norm p (u - unit_of)%V * lp_norm p (u - unit_of)%V) <= 4 * delta.
Proof.
move=> p2; have := squares_convex u unit_of (Logic.conj p1 p2); rewrite unit_norm unit_of_norm.
have -> : lp_norm p (half_difference u unit_of) = lp_norm p (u - unit_of)%V / 2.
  by rewrite /half_difference lp_norm_scale ?Rabs_pos_eq; lra.
have := middle_long; have := defect_ge0; have := defect_le1 => d1 d0 long.
have := Rmult_le_compat _ _ _ _ _ _ long long => /(_ ltac:(lra) ltac:(lra)).
set m := lp_norm p middle * _; have := Rle_0_sqr (delta / 2); rewrite /Rsqr; nra.
Qed.

Theorem direction_above_two : 2 <= p -> lp_sum p (u - unit_of)%V <= abs_power 2 p * (p * delta / 2).
Proof.
move=> p2; have := clarkson_norms u unit_of p2; rewrite u_unit unit_of_sum.
have -> : lp_sum p (half_difference u unit_of) = abs_power (1 / 2) p * lp_sum p (u - unit_of)%V.
  by rewrite /half_difference lp_sum_scale.
have := middle_long; have := defect_ge0; have := defect_le1 => d1 d0 long.
have long' : abs_power (1 - delta / 2) p <= lp_sum p middle.
  by rewrite -(lp_norm_power middle); [apply: abs_power_le | ]; lra.
have := @bernoulli_convex (1 - delta / 2) p; move=> /(_ ltac:(lra) ltac:(lra)) bern half.
have two : 0 <= abs_power 2 p := abs_power_ge0 2 p.
have half' : abs_power (1 / 2) p * lp_sum p (u - unit_of)%V <= p * delta / 2 by lra.
have := Rmult_le_compat_l _ _ _ two half'; rewrite -Rmult_assoc -abs_power_mult.
by have -> : 2 * (1 / 2) = 1 by [field]; rewrite abs_power_one; lra.
Qed.
End MirrorAngle.

(* The direction of a run whose defect vanishes. *)
Theorem unit_of_limit (J : finType) (p q : R) (u : vec J) (w : nat -> vec J) : 1 < p -> / p + / q = 1 ->
  lp_sum p u = 1 -> (forall t, 0 < dot (mirror p (w t)) u) ->
  is_lim_seq (fun t => mirror_defect p q u (w t)) 0 -> forall j, is_lim_seq (fun t => unit_of p (w t) j) (u j).
Proof.
move=> p1 conj u1 ahead lim j; apply/is_lim_seq_spec => eps; have e0 := cond_pos eps.
have w0 t := ahead_norm_gt0 p1 conj u1 (ahead t).
pose small := Rmin ((p - 1) * (eps * eps) / 4) (abs_power eps p / (abs_power 2 p * p)).
have two := abs_power_gt0 p (ltac:(lra) : 2 <> 0).
have s0 : 0 < small.
  have ee := Rmult_lt_0_compat _ _ e0 e0; have ep : 0 < abs_power eps p by apply: abs_power_gt0; lra.
  apply: Rmin_pos; apply: Rdiv_lt_0_compat => //; try lra; apply: Rmult_lt_0_compat; lra.
have [N HN] := proj2 (is_lim_seq_spec _ _) lim (mkposreal _ s0); exists N => t /HN /=.
rewrite Rminus_0_r => /Rabs_lt_between [_ ds]; apply: Rnot_le_lt => far.
have d0 := defect_ge0 p1 conj u1 (w0 t); have ah := Rlt_le _ _ (ahead t).
have entry : abs_power eps p <= lp_sum p (u - unit_of p (w t))%V.
  apply: (Rle_trans _ _ _ _ (entry_le_sum p (u - unit_of p (w t))%V j)); rewrite -(abs_power_abs ((_ - _)%V j)).
  by apply: abs_power_le; [lra | rewrite /vsub Rabs_minus_sym; split; lra].
case: (Rle_lt_dec p 2) => p2.
  have := direction_below_two p1 conj u1 (w0 t) ah p2.
  have : eps <= lp_norm p (u - unit_of p (w t))%V.
    rewrite -(Rabs_pos_eq eps); last by lra.
    by apply: (below_power p1); [exact: lp_norm_ge0 | rewrite lp_norm_power //; lra].
  set m := lp_norm p _ => em; have ds' : mirror_defect p q u (w t) < (p - 1) * (eps * eps) / 4.
    exact: Rlt_le_trans ds (Rmin_l _ _).
  have : eps * eps <= m * m by apply: Rmult_le_compat; lra.
  by move=> sq; have := Rmult_le_compat_l (p - 1) _ _ ltac:(lra) sq; lra.
have := direction_above_two p1 conj u1 (w0 t) ah (Rlt_le _ _ p2).
have ds' : mirror_defect p q u (w t) < abs_power eps p / (abs_power 2 p * p) := Rlt_le_trans _ _ _ ds (Rmin_r _ _).
have pp : 0 < abs_power 2 p * p by apply: Rmult_lt_0_compat; lra.
have := Rmult_lt_compat_l _ _ _ pp ds'; have -> : abs_power 2 p * p * (abs_power eps p / (abs_power 2 p * p)) =
  abs_power eps p by field; lra.
have ep : 0 < abs_power eps p by apply: abs_power_gt0; lra.
lra.
Qed.
