(* MirrorOffset: what the ray's offset costs for p >= 2 (MIRROR.md section 8), and how that rises with the height. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid EntrywiseDuality DualNorm PowerInequalities UniformConvexity Mirror PowerGap MirrorRay
                           MirrorMoves.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Offset.
Variables (J : finType) (p q : R) (u v : vec J).
Hypotheses (p1 : 1 < p) (p2 : 2 <= p) (conj : / p + / q = 1).

Definition offset_cost (y : R) : R :=
  (p - 1) * \sum_j abs_power (y * Rabs (u j) + 2 * Rabs (v j)) (p - 2) * (v j * v j).

Lemma centre_cost_above_two y : 0 <= y -> centre_cost p q u v y <= offset_cost y.
Proof.
move=> y0; rewrite /centre_cost /offset_cost !(mirror_gap_sum p1 conj) -sumD sum_mull; apply: sum_le => j _.
set R := y * Rabs (u j) + 2 * Rabs (v j); have v0 := Rabs_pos (v j); have u0 := Rabs_pos (u j).
have yu : Rabs (y * u j) = y * Rabs (u j) by rewrite Rabs_mult Rabs_pos_eq.
have within x : Rabs x <= 2 * Rabs (v j) -> Rabs (y * u j + x) <= R.
  by have := Rabs_triang (y * u j) x; rewrite yu /R; lra.
have at_ray : Rabs (y * u j + v j) <= R by apply: within; lra.
have at0 : Rabs (y * u j) <= R by rewrite yu /R; lra.
have at2 : Rabs (y * u j + 2 * v j) <= R by apply: within; rewrite Rabs_mult (Rabs_pos_eq 2); lra.
case: (Req_EM_T R 0) => [z | ne].
  have v00 : v j = 0.
    have := Rmult_le_pos _ _ y0 u0; rewrite /R in z => h; have : Rabs (v j) = 0 by lra.
    by case: (Req_EM_T (v j) 0) => // n0; have := Rabs_pos_lt _ n0; lra.
  rewrite /vscale /vadd /MirrorRay.ray /vadd /vscale v00 /power_gap !Rmult_0_r !Rplus_0_r; lra.
have R0 : 0 < R by have := Rle_trans _ _ _ (Rabs_pos _) at0; lra.
have g1 := @power_gap_quadratic_above p p1 (y * u j + v j) (y * u j) R p2 at_ray at0 R0.
have g2 := @power_gap_quadratic_above p p1 (y * u j + v j) (y * u j + 2 * v j) R p2 at_ray at2 R0.
have e1 : (y * u j - (y * u j + v j)) * (y * u j - (y * u j + v j)) = v j * v j by ring.
have e2 : (y * u j + 2 * v j - (y * u j + v j)) * (y * u j + 2 * v j - (y * u j + v j)) = v j * v j by ring.
by rewrite e1 in g1; rewrite e2 in g2; rewrite /vscale /vadd /MirrorRay.ray /vadd /vscale; lra.
Qed.

Lemma offset_cost_ge0 y : 0 <= offset_cost y.
Proof.
apply: Rmult_le_pos; first lra.
by apply: sum_ge0 => j _; apply: Rmult_le_pos; [exact: abs_power_ge0 | exact: Rle_0_sqr].
Qed.

(* It rises, and not faster than y^(p-2). *)
Lemma offset_cost_scale y t : 0 <= y -> 1 <= t -> offset_cost (t * y) <= abs_power t (p - 2) * offset_cost y.
Proof.
move=> y0 t1; rewrite /offset_cost (Rmult_comm (abs_power t _)) Rmult_assoc; apply: Rmult_le_compat_l; first lra.
rewrite sum_mulr; apply: sum_le => j _.
have -> : abs_power (y * Rabs (u j) + 2 * Rabs (v j)) (p - 2) * (v j * v j) * abs_power t (p - 2) =
  abs_power t (p - 2) * abs_power (y * Rabs (u j) + 2 * Rabs (v j)) (p - 2) * (v j * v j) by ring.
apply: Rmult_le_compat_r; first exact: Rle_0_sqr.
rewrite -abs_power_mult; apply: abs_power_le; first lra.
have yu := Rmult_le_pos _ _ y0 (Rabs_pos (u j)); have v0 := Rabs_pos (v j).
have := Rmult_le_compat_r (2 * Rabs (v j)) _ _ ltac:(lra) t1; have := Rmult_le_pos t _ ltac:(lra) yu; lra.
Qed.

Lemma offset_cost_rises y y' : 0 <= y <= y' -> offset_cost y <= offset_cost y'.
Proof.
move=> [y0 yy]; apply: Rmult_le_compat_l; first lra.
apply: sum_le => j _; apply: Rmult_le_compat_r; first exact: Rle_0_sqr.
apply: abs_power_le; first lra.
have u0 := Rabs_pos (u j); have v0 := Rabs_pos (v j).
by have := Rmult_le_compat_r _ _ _ u0 yy; have := Rmult_le_pos _ _ y0 u0; lra.
Qed.
End Offset.
