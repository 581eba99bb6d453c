(* UniformConvexity: how far apart two vectors are whose midpoint is not much shorter, in the l_p norms. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors EntrywiseDuality DualNorm PowerInequalities.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section UniformConvexity.
Variable J : finType.
Implicit Types (u v w : vec J) (p r : R).

Definition midpoint u v : vec J := ((1 / 2) * (u + v))%V.
Definition half_difference u v : vec J := ((1 / 2) * (u - v))%V.

Lemma lp_norm_ge0 p w : 0 <= lp_norm p w.
Proof. exact: abs_power_ge0. Qed.

Lemma lp_norm_power p w : p <> 0 -> abs_power (lp_norm p w) p = lp_sum p w.
Proof.
by move=> p0; rewrite /lp_norm abs_power_comp Rinv_l // abs_power1 //; exact: lp_sum_ge0.
Qed.

Lemma lp_norm_scale p c w : 0 < p -> lp_norm p (c * w)%V = Rabs c * lp_norm p w.
Proof.
move=> p0; rewrite /lp_norm lp_sum_scale abs_power_mult -(abs_power_abs c) abs_power_inverse //; last by lra.
exact: Rabs_pos.
Qed.

(* ---- p >= 2 ---- *)

Theorem clarkson_norms p u v : 2 <= p ->
  lp_sum p (midpoint u v) + lp_sum p (half_difference u v) <= (lp_sum p u + lp_sum p v) / 2.
Proof.
move=> p2; rewrite /lp_sum -sumD -sumD /Rdiv sum_mulr; apply: sum_le => j _.
have := clarkson (u j) (v j) p2; rewrite /midpoint /half_difference /vscale /vadd /vsub.
have -> : (u j + v j) / 2 = 1 / 2 * (u j + v j) by field.
by have -> : (u j - v j) / 2 = 1 / 2 * (u j - v j) by field.
Qed.

(* ---- p <= 2 ---- *)

(* Minkowski's inequality, reversed below 1. *)
Lemma reverse_minkowski r u v : 0 < r <= 1 -> (forall j, 0 <= u j) -> (forall j, 0 <= v j) ->
  lp_norm r u + lp_norm r v <= lp_norm r (u + v)%V.
Proof.
move=> r01 u0 v0; have r0 : r <> 0 by lra.
set a := lp_norm r u; set b := lp_norm r v.
have a0 : 0 <= a := lp_norm_ge0 r u; have b0 : 0 <= b := lp_norm_ge0 r v.
have mono w w' : (forall j, 0 <= w j <= w' j) -> lp_norm r w <= lp_norm r w'.
  move=> H; apply: abs_power_le; first by apply: Rlt_le; apply: Rinv_0_lt_compat; lra.
  by split; [exact: lp_sum_ge0 | apply: sum_le => j _; apply: abs_power_le; [lra | exact: H]].
case: (Rle_lt_or_eq_dec _ _ a0) => [{}a0 | <-]; last first.
  by rewrite Rplus_0_l; apply: mono => j; have := u0 j; have := v0 j; rewrite /vadd; lra.
case: (Rle_lt_or_eq_dec _ _ b0) => [{}b0 | <-]; last first.
  by rewrite Rplus_0_r; apply: mono => j; have := u0 j; have := v0 j; rewrite /vadd; lra.
set s := a / (a + b); have s01 : 0 <= s <= 1.
  have i0 : 0 < / (a + b) by apply: Rinv_0_lt_compat; lra.
  have sE : s * (a + b) = a by rewrite /s; field; lra.
  by split; [apply: Rmult_le_pos; lra | apply: (Rmult_le_reg_r (a + b)); lra].
have one w c : 0 < c -> lp_norm r w = c -> \sum_j abs_power (w j / c) r = 1.
  move=> c0 E; have cr := abs_power_gt0 r (Rgt_not_eq _ _ c0).
  apply: (Rmult_eq_reg_r (abs_power c r)); last by lra.
  have whole : abs_power c r = lp_sum r w by rewrite -E lp_norm_power.
  rewrite Rmult_1_l [RHS]whole sum_mulr; apply: eq_bigr => j _.
  by rewrite -abs_power_mult; congr abs_power; field; lra.
have sum : abs_power (a + b) r <= lp_sum r (u + v)%V.
  have cr := abs_power_ge0 (a + b) r.
  have -> : abs_power (a + b) r =
      abs_power (a + b) r * (s * (\sum_j abs_power (u j / a) r) + (1 - s) * (\sum_j abs_power (v j / b) r)).
    by rewrite (one u a) // (one v b) //; ring.
  rewrite !sum_mull -sumD sum_mull; apply: sum_le => j _.
  have ua : 0 <= u j / a by apply: Rmult_le_pos (u0 j) (Rlt_le _ _ (Rinv_0_lt_compat _ a0)).
  have vb : 0 <= v j / b by apply: Rmult_le_pos (v0 j) (Rlt_le _ _ (Rinv_0_lt_compat _ b0)).
  apply: Rle_trans (Rmult_le_compat_l _ _ _ cr (power_concave ua vb s01 r01)) _.
  rewrite -abs_power_mult; right; congr abs_power; rewrite /s /vadd; field; lra.
rewrite -(@abs_power_inverse (a + b) r) //; last by lra.
by apply: abs_power_le; [apply: Rlt_le; apply: Rinv_0_lt_compat; lra | split; [exact: abs_power_ge0 |]].
Qed.

(* The square of the norm is 2-uniformly convex. *)
Theorem squares_convex p u v : 1 < p <= 2 ->
  lp_norm p (midpoint u v) * lp_norm p (midpoint u v) +
  (p - 1) * (lp_norm p (half_difference u v) * lp_norm p (half_difference u v)) <=
  (lp_norm p u * lp_norm p u + lp_norm p v * lp_norm p v) / 2.
Proof.
move=> p12; set x := midpoint u v; set y := half_difference u v.
pose square w : vec J := fun j => w j * w j.
have half0 : 0 < p / 2 <= 1 by lra.
have squareE w : lp_norm p w * lp_norm p w = lp_norm (p / 2) (square w).
  rewrite -abs_power2 /lp_norm abs_power_comp; congr abs_power; last by field; lra.
  by apply: eq_bigr => j _; rewrite abs_power_square.
have scaled : (p - 1) * lp_norm (p / 2) (square y) = lp_norm (p / 2) ((p - 1) * square y)%V.
  by rewrite lp_norm_scale ?Rabs_pos_eq; lra.
have sq0 w j : 0 <= square w j by exact: Rle_0_sqr.
rewrite !squareE scaled.
apply: Rle_trans (reverse_minkowski half0 (sq0 x) _) _.
  by move=> j; rewrite /vscale; apply: Rmult_le_pos (sq0 y j); lra.
have m1 : 1 <= / (p / 2).
  by rewrite -Rinv_1; apply: Rinv_le_contravar; lra.
apply: (Rle_trans _ (abs_power ((lp_sum p u + lp_sum p v) / 2) (/ (p / 2)))).
  apply: abs_power_le; first by lra.
  split; first exact: lp_sum_ge0.
  rewrite /lp_sum -sumD /Rdiv sum_mulr; apply: sum_le => j _.
  have := two_point (x j) (y j) p12.
  have -> : x j + y j = u j by rewrite /x /y /midpoint /half_difference /vscale /vadd /vsub; field.
  by have -> : x j - y j = v j by rewrite /x /y /midpoint /half_difference /vscale /vadd /vsub; field.
have sumE w : lp_norm (p / 2) (square w) = abs_power (lp_sum p w) (/ (p / 2)).
  by rewrite /lp_norm; congr abs_power; apply: eq_bigr => j _; rewrite abs_power_square.
by rewrite !sumE; apply: power_midpoint m1; exact: lp_sum_ge0.
Qed.

(* ---- how far a vector is from a shortest one ---- *)

Lemma lp_norm_le_sum p u v : 0 < p -> lp_norm p u <= lp_norm p v -> lp_sum p u <= lp_sum p v.
Proof.
move=> p0 H; rewrite -!(lp_norm_power _ (Rgt_not_eq _ _ p0)).
by apply: abs_power_le; [lra | split=> //; exact: lp_norm_ge0].
Qed.

Theorem distance_above_two p u v lo hi : 2 <= p -> lp_norm p v <= lp_norm p (midpoint u v) -> 0 <= lo <= lp_norm p v ->
  lp_norm p u <= hi -> 0 < hi ->
  abs_power (lp_norm p (u - v)%V) p <= abs_power (2 * hi) (p - 1) * (p * (hi - lo)).
Proof.
move=> p2 least [lo0 lov] uhi hi0; have p0 : 0 < p by lra.
have := clarkson_norms u v p2; have := lp_norm_le_sum p0 least.
have -> : lp_sum p (half_difference u v) = abs_power (1 / 2) p * abs_power (lp_norm p (u - v)%V) p.
  by rewrite /half_difference lp_sum_scale lp_norm_power //; lra.
set D := abs_power (lp_norm p (u - v)%V) p => H1 H2.
have Hu : lp_sum p u <= abs_power hi p.
  by rewrite -(lp_norm_power u (Rgt_not_eq _ _ p0)); apply: abs_power_le; [lra | split=> //; exact: lp_norm_ge0].
have Hv : abs_power lo p <= lp_sum p v.
  by rewrite -(lp_norm_power v (Rgt_not_eq _ _ p0)); apply: abs_power_le; lra.
have half : abs_power (1 / 2) p * D <= (abs_power hi p - abs_power lo p) / 2 by lra.
have tangent := @power_tangent lo hi p lo0 hi0; have {}tangent : abs_power hi p - abs_power lo p <=
    p * abs_power hi p / hi * (hi - lo) by have := tangent _; lra.
have two0 : 0 < abs_power 2 p by apply: abs_power_gt0; lra.
have E : abs_power 2 p * abs_power (1 / 2) p = 1.
  by rewrite -abs_power_mult (_ : 2 * (1 / 2) = 1) ?abs_power_one //; field.
have -> : D = abs_power 2 p * (abs_power (1 / 2) p * D) by rewrite -Rmult_assoc E; ring.
apply: (Rle_trans _ (abs_power 2 p * (p * abs_power hi p / hi * (hi - lo) / 2))).
  by apply: Rmult_le_compat_l; lra.
right; have -> : abs_power (2 * hi) (p - 1) = abs_power 2 p * abs_power hi p / (2 * hi).
  rewrite -abs_power_mult !abs_power_pos; try lra.
  by rewrite /Rminus Rpower_plus Rpower_Ropp Rpower_1 //; lra.
by field; lra.
Qed.

Theorem distance_below_two p u v lo hi : 1 < p <= 2 -> lp_norm p v <= lp_norm p (midpoint u v) ->
  0 <= lo <= lp_norm p v -> lp_norm p u <= hi ->
  (p - 1) * (lp_norm p (u - v)%V * lp_norm p (u - v)%V) <= 2 * (hi * hi - lo * lo).
Proof.
move=> p12 least [lo0 lov] uhi; have := squares_convex u v p12.
rewrite {1 2}/half_difference lp_norm_scale; last by lra.
rewrite Rabs_pos_eq; last by lra.
have n0 := lp_norm_ge0 p u; have v0 := lp_norm_ge0 p v.
have := Rmult_le_compat _ _ _ _ v0 v0 least least; have := Rmult_le_compat _ _ _ _ n0 n0 uhi uhi.
have := Rmult_le_compat _ _ _ _ lo0 lo0 lov lov.
lra.
Qed.
End UniformConvexity.
