(* MirrorRay: the ray y u + v that a mirror descent is measured against, and how the gap to it bounds the angle
   (MIRROR.md sections 3 and 8).

   The height of a dual point Z is <Z,u>; the point of the ray at the same height is the one nearest to Z. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity Mirror.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the ray ---- *)

Lemma continuity_sum (I : Type) (r : seq I) (f : I -> R -> R) x :
  (forall i, continuity_pt (f i) x) -> continuity_pt (fun y => \sum_(i <- r) f i y) x.
Proof.
move=> H; elim: r => [|i r IH].
  by apply: (continuity_pt_ext (fun=> 0)) => [y|]; [rewrite big_nil | exact: continuity_pt_const].
by apply: (continuity_pt_ext (fun y => f i y + \sum_(j <- r) f j y)) => [y|];
  [rewrite big_cons | apply: continuity_pt_plus].
Qed.

Section Ray.
Variables (J : finType) (p q : R) (u v : vec J).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (u_unit : lp_sum p u = 1).
Implicit Types (y : R) (z : vec J).
Notation gap := (mirror_gap p q).

Definition ray y : vec J := (y * u + v)%V.
Definition ray_height y : R := dot (mirror p (ray y)) u.

Let q1 : 1 < q := conjugate_gt1 p1 conj.

Lemma ray_shift y y' : (ray y' - ray y)%V = ((y' - y) * u)%V.
Proof. by rewrite /ray; vec_ring. Qed.

(* The point at Z's own height is nearest. *)
Lemma ray_nearest y y' z : ray_height y = dot z u -> gap (ray y) z <= gap (ray y') z.
Proof.
move=> hy; have := mirror_gap_exchange p q (ray y) (ray y') z (mirror p (ray y)).
rewrite (mirror_gap_self p1 conj) ray_shift dotZr dotBl -/(ray_height y) hy.
by have := mirror_gap_ge0 p1 conj (ray y') (mirror p (ray y)); lra.
Qed.

Lemma ray_height_continuous : continuity ray_height.
Proof.
move=> y; apply: continuity_sum => j; apply: continuity_pt_mult; last exact: continuity_pt_const.
apply: (continuity_pt_comp (fun y => ray y j) (fun x => signed_power x (p - 1))).
  apply: continuity_pt_plus; last exact: continuity_pt_const.
  by apply: continuity_pt_mult; [exact: continuity_pt_id | exact: continuity_pt_const].
by apply: signed_power_continuous; lra.
Qed.

(* s <n, ray y> <= potential (ray y) + conjugate of s n, and the potential grows as fast as the height allows. *)
Lemma ray_height_unbounded y h : exists y', y <= y' /\ h <= ray_height y'.
Proof.
pose n := mirror p u; pose s := h + 1; pose B := potential p v + potential q (s * n)%V - s * dot n v.
pose y' := Rmax y (Rmax 1 B); exists y'; have yy' : y <= y' := Rmax_l _ _.
have y'1 : 1 <= y' := Rle_trans _ _ _ (Rmax_l 1 B) (Rmax_r y _).
have y'B : B <= y' := Rle_trans _ _ _ (Rmax_r 1 B) (Rmax_r y _).
split=> //; have nu : dot n u = 1 by rewrite /n mirror_dot.
have := mirror_gap_ge0 p1 conj (ray y') (s * n)%V; have := mirror_gap_ge0 p1 conj v (mirror p (ray y')).
have := mirror_gap_self p1 conj (ray y'); rewrite /mirror_gap.
have -> : dot (mirror p (ray y')) (ray y') = y' * ray_height y' + dot (mirror p (ray y')) v.
  by rewrite {2}/ray dotDr dotZr.
have -> : dot (s * n)%V (ray y') = s * y' + s * dot n v.
  by rewrite dotZl /ray dotDr dotZr nu; ring.
move=> self low high; apply: (Rmult_le_reg_l y'); first by lra.
by have := y'B; rewrite /B /s; rewrite /s in high; lra.
Qed.

Theorem ray_reaches y h : ray_height y <= h -> exists y', y <= y' /\ ray_height y' = h.
Proof.
move=> hy; have [y2 [le2 h2]] := ray_height_unbounded y h.
have [|x] := IVT_gen ray_height y y2 h ray_height_continuous.
  by rewrite Rmin_left ?Rmax_right; lra.
by rewrite Rmin_left // Rmax_right // => -[xr xh]; exists x; split; [lra |].
Qed.

(* ---- the angle ---- *)

Lemma height_le_norm z : dot z u <= lp_norm q z.
Proof.
have conj' : / q + / p = 1 by lra.
by rewrite dotC; apply: (hoelder_dual_unit q1 conj'); lra.
Qed.

(* What the centre costs: the divergences of y u and of y u + 2 v from y u + v. *)
Definition centre_cost y : R :=
  gap (y * u)%V (mirror p (ray y)) + gap (y * u + 2 * v)%V (mirror p (ray y)).

Lemma centre_cost_ge0 y : 0 <= centre_cost y.
Proof. by apply: Rplus_le_le_0_compat; exact: mirror_gap_ge0. Qed.

Lemma gap_off_centre y z : gap (y * u)%V z <= 2 * gap (ray y) z + centre_cost y.
Proof.
have := mirror_gap_exchange p q (y * u)%V (ray y) z (mirror p (ray y)).
have := mirror_gap_exchange p q (ray y) (y * u + 2 * v)%V z (mirror p (ray y)).
have -> : (y * u + 2 * v - ray y)%V = v by rewrite /ray; vec_ring.
have -> : (ray y - y * u)%V = v by rewrite /ray; vec_ring.
rewrite (mirror_gap_self p1 conj) /centre_cost; have := mirror_gap_ge0 p1 conj (y * u + 2 * v)%V z; lra.
Qed.

(* D_psi(u, w/||w||) = 1 - <Z,u>/||Z||. *)
Theorem mirror_angle y z : 0 < dot z u ->
  1 - dot z u / lp_norm q z <= (2 * gap (ray y) z + centre_cost y) / abs_power (dot z u) q.
Proof.
set h := dot z u => h0; have nh := height_le_norm z; rewrite -/h in nh; set N := lp_norm q z in nh *.
have hq : 0 < abs_power h q by apply: abs_power_gt0; lra.
apply: (Rle_trans _ (gap (y * u)%V z / abs_power h q)); last first.
  by apply: Rmult_le_compat_r (gap_off_centre y z); apply/Rlt_le/Rinv_0_lt_compat.
have Nq : lp_sum q z = abs_power N q by rewrite lp_norm_power //; lra.
have low : (abs_power N q - abs_power h q) / q <= gap (y * u)%V z.
  have := young h y p1 conj; rewrite /mirror_gap /potential lp_sum_scale u_unit Nq dotZr -/h.
  by rewrite /Rdiv; lra.
have tangent := power_tangent (Rle_trans _ _ _ (Rlt_le _ _ h0) nh) h0 (Rlt_le _ _ q1).
have first : 1 - h / N <= (N - h) / h.
  have E : (N - h) / h - (1 - h / N) = (N - h) * (N - h) / (h * N) by field; lra.
  have : 0 <= (N - h) * (N - h) / (h * N).
    by apply: Rmult_le_pos; [exact: Rle_0_sqr | apply/Rlt_le/Rinv_0_lt_compat/Rmult_lt_0_compat; lra].
  lra.
apply: Rle_trans first _; apply: (Rmult_le_reg_r (abs_power h q)) => //.
have -> : gap (y * u)%V z / abs_power h q * abs_power h q = gap (y * u)%V z by field; lra.
apply: Rle_trans low; apply: (Rmult_le_reg_l q); first by lra.
have -> : q * ((abs_power N q - abs_power h q) / q) = abs_power N q - abs_power h q by field; lra.
have -> : q * ((N - h) / h * abs_power h q) = q * abs_power h q / h * (N - h) by field; lra.
lra.
Qed.
End Ray.
