(* Mirror: the potential |w|^p / p, summed over the entries, its gradient, and how far two points are apart in it.

   A point is known by w or by its dual point Z, the gradient of the potential at w; the conjugate potential is that
   with q, 1/p + 1/q = 1, and its gradient at Z is w. The Bregman divergence of a from w is `mirror_gap p q a Z`, what
   Fenchel's inequality misses at a and Z. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- one entry ---- *)

Definition signed_power (x s : R) : R := if Rlt_dec x 0 then - abs_power x s else abs_power x s.

Lemma signed_power_abs x s : Rabs (signed_power x s) = abs_power x s.
Proof. by rewrite /signed_power; case: Rlt_dec => neg; rewrite ?Rabs_Ropp Rabs_pos_eq //; exact: abs_power_ge0. Qed.

Lemma signed_power_ge0 x s : 0 <= x -> signed_power x s = abs_power x s.
Proof. by move=> x0; rewrite /signed_power; case: Rlt_dec => // neg; lra. Qed.

Lemma signed_powerN x s : signed_power (- x) s = - signed_power x s.
Proof.
case: (Req_EM_T x 0) => [-> | ne].
  by rewrite Ropp_0 signed_power_ge0 ?abs_power0; lra.
have E : abs_power (- x) s = abs_power x s by rewrite -abs_power_abs Rabs_Ropp abs_power_abs.
by rewrite /signed_power E; case: Rlt_dec => h; case: Rlt_dec => h' /=; try lra; case: ne; lra.
Qed.

Lemma abs_power_step x p : x <> 0 -> abs_power x (p - 1) * Rabs x = abs_power x p.
Proof.
move=> ne; have a0 := Rabs_pos_lt _ ne; rewrite -(abs_power_abs x (p - 1)) -(abs_power_abs x p) !abs_power_pos //.
by rewrite -{2}(Rpower_1 (Rabs x)) // -Rpower_plus; congr Rpower; ring.
Qed.

Lemma signed_power_dot x p : signed_power x (p - 1) * x = abs_power x p.
Proof.
case: (Req_EM_T x 0) => [-> | ne]; first by rewrite abs_power0; ring.
rewrite -(abs_power_step p ne) /signed_power; case: Rlt_dec => neg /=.
  by rewrite Rabs_left //; ring.
by rewrite Rabs_pos_eq //; lra.
Qed.

Lemma signed_power_inverse x s t : s * t = 1 -> signed_power (signed_power x s) t = x.
Proof.
move=> st; have s0 : s <> 0 by move=> E; rewrite E in st; lra.
have back z : 0 <= z -> signed_power (signed_power z s) t = z.
  move=> z0; have a0 := abs_power_ge0 z s.
  by rewrite (signed_power_ge0 s z0) signed_power_ge0 // abs_power_comp st abs_power1.
case: (Rle_lt_dec 0 x) => x0; first exact: back.
have x0' : 0 <= - x by lra.
by have := back _ x0'; rewrite !signed_powerN; lra.
Qed.

Lemma signed_power_small s eps : 0 < s -> 0 < eps ->
  exists d, 0 < d /\ forall x, Rabs x < d -> Rabs (signed_power x s) < eps.
Proof.
move=> s0 e0; exists (abs_power (eps / 2) (/ s)); split; first by apply: abs_power_gt0; lra.
move=> x near; rewrite signed_power_abs -abs_power_abs.
have s0' : s <> 0 by lra.
have h0 : 0 <= eps / 2 by lra.
have := @abs_power_le (Rabs x) (abs_power (eps / 2) (/ s)) s (Rlt_le _ _ s0) (conj (Rabs_pos x) (Rlt_le _ _ near)).
by rewrite abs_power_comp Rinv_l // abs_power1 //; lra.
Qed.

Lemma signed_power_continuous s x : 0 < s -> continuity_pt (fun y => signed_power y s) x.
Proof.
move=> s0; have right z : 0 < z -> continuity_pt (fun y => signed_power y s) z.
  move=> z0; apply: (continuity_pt_ext_loc (fun y => Rpower y s)).
    have := open_gt 0 z z0; apply: filter_imp => y y0; rewrite signed_power_ge0 ?abs_power_pos //; lra.
  by apply: derivable_continuous_pt; exists (s * Rpower z (s - 1)); exact: derivable_pt_lim_power.
case: (Rtotal_order x 0) => [x0 | [-> | x0]]; last exact: right.
  apply: (continuity_pt_ext (fun y => - signed_power (- y) s)) => [y|]; first by rewrite signed_powerN; ring.
  apply: continuity_pt_opp; apply: (continuity_pt_comp (fun y => - y) (fun y => signed_power y s)).
    by apply: continuity_pt_opp; exact: continuity_pt_id.
  by apply: right; lra.
move=> eps e0; have [d [d0 H]] := signed_power_small s0 e0; exists d; split=> // y [_].
rewrite /= /R_dist Rminus_0_r => near.
have -> : signed_power 0 s = 0 by rewrite signed_power_ge0 ?abs_power0; lra.
by rewrite Rminus_0_r; exact: H.
Qed.

(* ---- vectors ---- *)

Definition mirror (J : finType) (p : R) (w : vec J) : vec J := fun j => signed_power (w j) (p - 1).
Definition potential (J : finType) (p : R) (w : vec J) : R := lp_sum p w / p.

(* What the potential gains from z to z' beyond its tangent; w is its gradient at z. *)
Definition dual_divergence (J : finType) (q : R) (w z z' : vec J) : R :=
  potential q z' - potential q z - dot w (z' - z)%V.

Definition mirror_gap (J : finType) (p q : R) (a z : vec J) : R := potential p a + potential q z - dot z a.

Lemma conjugate_gt1 p q : 1 < p -> / p + / q = 1 -> 1 < q.
Proof.
move=> p1 conj; have ip0 : 0 < / p by apply: Rinv_0_lt_compat; lra.
have ip1 : / p < 1 by rewrite -Rinv_1; apply: Rinv_lt_contravar; lra.
have iq : 0 < / q < 1 by lra.
have q0 : 0 < q by rewrite -(Rinv_inv q); apply: Rinv_0_lt_compat; lra.
by apply: (Rmult_lt_reg_r (/ q)); [lra | rewrite Rinv_r; lra].
Qed.

Section Conjugate.
Variables (J : finType) (p q : R).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1).
Implicit Types a w z : vec J.
Notation gap := (mirror_gap p q).

Let q1 : 1 < q := conjugate_gt1 p1 conj.

Lemma conjugate_product : p * q = p + q.
Proof.
have E : p * q * (/ p + / q) = p + q by field; lra.
by rewrite -E conj; ring.
Qed.

Lemma conjugate_powers : (p - 1) * (q - 1) = 1.
Proof. by have := conjugate_product; lra. Qed.

Lemma mirror_dot w : dot (mirror p w) w = lp_sum p w.
Proof. by apply: eq_bigr => j _; exact: signed_power_dot. Qed.

Lemma mirror_sum w : lp_sum q (mirror p w) = lp_sum p w.
Proof.
apply: eq_bigr => j _; rewrite -(abs_power_abs (mirror p w j)) /mirror signed_power_abs abs_power_comp.
by congr abs_power; have := conjugate_product; lra.
Qed.

Lemma mirror_inverse w : mirror q (mirror p w) = w.
Proof. by apply: vec_ext => j; apply: signed_power_inverse conjugate_powers. Qed.

(* Fenchel's inequality, and where it is an equation. *)
Lemma mirror_gap_ge0 a z : 0 <= gap a z.
Proof.
rewrite /mirror_gap /potential /lp_sum /Rdiv !sum_mulr; set A := \sum_j _; set B := \sum_j _.
suff : dot z a <= B + A by lra.
by rewrite /A /B -sumD; apply: sum_le => j _; exact: young.
Qed.

Lemma mirror_gap_self w : gap w (mirror p w) = 0.
Proof.
rewrite /mirror_gap /potential mirror_sum mirror_dot.
have -> : lp_sum p w / p + lp_sum p w / q - lp_sum p w = lp_sum p w * (/ p + / q - 1) by rewrite /Rdiv; ring.
by rewrite conj; ring.
Qed.

(* Four points. *)
Lemma mirror_gap_exchange a a' z z' : gap a z + gap a' z' - gap a z' - gap a' z = dot (z - z') (a' - a).
Proof. by rewrite /mirror_gap dotBl !dotBr; ring. Qed.

(* What a step of the dual point adds. *)
Lemma mirror_gap_step a w z v : gap a (z + v)%V = gap a z + dot v (w - a) + dual_divergence q w z (z + v)%V.
Proof.
have E : (z + v - z)%V = v by vec_ring.
by rewrite /mirror_gap /dual_divergence E dotDl dotBr (dotC w); ring.
Qed.
End Conjugate.

(* ---- the norm of the dual point ---- *)

Lemma lp_unit_sum (J : finType) r (x : vec J) : 0 < r -> 0 < lp_norm r x -> lp_sum r (/ lp_norm r x * x)%V = 1.
Proof.
move=> r0 n0; rewrite lp_sum_scale -(lp_norm_power x); last by lra.
by rewrite -abs_power_mult Rinv_l ?abs_power_one; lra.
Qed.

Section DualPoint.
Variables (J : finType) (p q : R).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1).
Implicit Types w z : vec J.
Let q1 : 1 < q := conjugate_gt1 p1 conj.
Let conj' : / q + / p = 1. Proof. by lra. Qed.

Lemma lp_norm_attained z : exists h, lp_sum p h <= 1 /\ dot z h = lp_norm q z.
Proof.
case: (Rle_lt_or_eq_dec _ _ (lp_norm_ge0 q z)) => [N0 | N0]; last first.
  exists vzero; rewrite dot0r -N0; split=> //; apply: (Rle_trans _ 0); last by lra.
  by right; apply: sum0 => j _; rewrite /vzero abs_power0.
set N := lp_norm q z in N0 *; pose x := (/ N * z)%V.
have x1 : lp_sum q x = 1 by apply: lp_unit_sum => //; lra.
exists (mirror q x); rewrite (mirror_sum q1 conj') x1; split; first by lra.
have -> : z = (N * x)%V by apply: vec_ext => j; rewrite /x /vscale; field; lra.
by rewrite dotZl dotC mirror_dot x1; ring.
Qed.

(* Minkowski's inequality. *)
Lemma lp_norm_combine (I : finType) (P : pred I) (c : I -> R) (x : I -> vec J) :
  lp_norm q (combine P c x) <= \sum_(i | P i) Rabs (c i) * lp_norm q (x i).
Proof.
have [h [h1 <-]] := lp_norm_attained (combine P c x).
rewrite dot_combinel; apply: sum_le => i _; apply: Rle_trans (Rle_abs _) _; rewrite Rabs_mult.
apply: Rmult_le_compat_l; first exact: Rabs_pos.
have up t : dot t h <= lp_norm q t by rewrite dotC; exact: (hoelder_dual_unit q1 conj' h1).
apply: Rabs_le; split; last exact: up.
have := up (- x i)%V; have -> : (- x i)%V = (- 1 * x i)%V by vec_ring.
by rewrite lp_norm_scale ?Rabs_Ropp ?Rabs_R1 ?dotZl; lra.
Qed.
End DualPoint.
