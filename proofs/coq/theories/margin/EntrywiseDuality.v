(* EntrywiseDuality: the dual balls of the entrywise l_p norms (Hoelder), for T5 (Duality.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors Duality.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* |x|^p for p > 0, with 0^p = 0. *)
Definition abs_power (x p : R) : R := match Req_EM_T x 0 with left _ => 0 | right _ => Rpower (Rabs x) p end.

Lemma abs_power_ge0 x p : 0 <= abs_power x p.
Proof. by rewrite /abs_power; case: (Req_EM_T x 0) => x0; [exact: Rle_refl | exact: Rlt_le (exp_pos _)]. Qed.

Lemma abs_power0 p : abs_power 0 p = 0.
Proof. by rewrite /abs_power; case: Req_EM_T. Qed.

Lemma abs_power_eq0 x p : abs_power x p = 0 -> x = 0.
Proof. by rewrite /abs_power /Rpower; case: (Req_EM_T x 0) => // x0 E; have := exp_pos (p * ln (Rabs x)); lra. Qed.

Lemma abs_power_mult x y p : abs_power (x * y) p = abs_power x p * abs_power y p.
Proof.
rewrite /abs_power; case: (Req_EM_T x 0) => [-> | x0].
  by rewrite Rmult_0_l; case: Req_EM_T => // _; rewrite Rmult_0_l.
case: (Req_EM_T y 0) => [-> | y0]; first by rewrite Rmult_0_r; case: Req_EM_T => // _; rewrite Rmult_0_r.
case: Req_EM_T => [/Rmult_integral [] // | xy0].
by rewrite Rabs_mult Rpower_mult_distr //; apply: Rabs_pos_lt.
Qed.

(* Young's inequality, from 1 + z <= exp z. *)
Lemma young x y p q : 1 < p -> / p + / q = 1 -> x * y <= abs_power x q / q + abs_power y p / p.
Proof.
move=> p1 conj; have p0 : 0 < / p by apply: Rinv_0_lt_compat; lra.
have p1' : / p < 1 by rewrite -Rinv_1; apply: Rinv_lt_contravar; lra.
have q0 : 0 < / q by lra.
have nonneg : 0 <= abs_power x q / q + abs_power y p / p.
  by have := Rmult_le_pos _ _ (abs_power_ge0 x q) (Rlt_le _ _ q0);
     have := Rmult_le_pos _ _ (abs_power_ge0 y p) (Rlt_le _ _ p0); rewrite /Rdiv; lra.
case: (Req_EM_T x 0) => [-> | x0].
  by move: nonneg; case: (Req_EM_T x 0) => _; rewrite ?abs_power0; move: (abs_power_ge0 y p); rewrite /Rdiv; nra.
case: (Req_EM_T y 0) => [-> | y0]; first by move: (abs_power_ge0 x q); rewrite abs_power0 /Rdiv; nra.
have ax := Rabs_pos_lt _ x0; have ay := Rabs_pos_lt _ y0.
apply: Rle_trans (Rle_abs _) _; rewrite Rabs_mult /abs_power.
case: Req_EM_T => // _; case: Req_EM_T => // _; rewrite /Rpower.
set a := q * ln (Rabs x); set b := p * ln (Rabs y); pose z := ln (Rabs x) + ln (Rabs y).
have az : a * / q + b * / p = z.
  have q1 : q <> 0 by move=> E; move: q0; rewrite E Rinv_0; lra.
  by rewrite /a /b /z; field; lra.
have -> : Rabs x * Rabs y = exp z by rewrite /z exp_plus !exp_ln.
have line t : exp z * (1 + (t - z)) <= exp t.
  have -> : exp t = exp z * exp (t - z) by rewrite -exp_plus; congr exp; ring.
  apply: Rmult_le_compat_l; first exact: Rlt_le (exp_pos z).
  case: (Req_dec (t - z) 0) => [-> | ne]; first by rewrite exp_0; lra.
  by have := exp_ineq1 _ ne; lra.
have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ q0) (line a); have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ p0) (line b).
have : exp z * (1 + (a - z)) * / q + exp z * (1 + (b - z)) * / p =
       exp z * ((/ p + / q) * (1 - z) + (a * / q + b * / p)) by ring.
rewrite conj az; have -> : exp z * (1 * (1 - z) + z) = exp z by ring.
rewrite /Rdiv; lra.
Qed.

Definition lp_sum (J : finType) (p : R) (w : vec J) : R := \sum_j abs_power (w j) p.
Definition lp_norm (J : finType) (p : R) (w : vec J) : R := abs_power (lp_sum p w) (/ p).

Lemma lp_sum_ge0 (J : finType) p (w : vec J) : 0 <= lp_sum p w.
Proof. by apply: sum_ge0 => j _; apply: abs_power_ge0. Qed.

(* ||r||_q <= 1 is dual to ||.||_p, 1/p + 1/q = 1. *)
Theorem hoelder_dual_unit (J : finType) (p q : R) (r : vec J) : 1 < p -> / p + / q = 1 ->
  lp_sum q r <= 1 -> in_dual_ball (@lp_norm J p) r.
Proof.
move=> p1 conj r1 v; have p0 : 0 < / p by apply: Rinv_0_lt_compat; lra.
have p1' : / p < 1 by rewrite -Rinv_1; apply: Rinv_lt_contravar; lra.
have q0 : 0 < / q by lra.
case: (Req_EM_T (lp_sum p v) 0) => [v0 | v0].
  right; rewrite /lp_norm v0 abs_power0; apply: sum0 => j _.
  have := sum_eq0 (F := fun i => abs_power (v i) p) (P := predT) (fun i _ => abs_power_ge0 (v i) p) v0 (i := j) isT.
  by move/abs_power_eq0 ->; ring.
have s0 : 0 < lp_sum p v by have := lp_sum_ge0 p v; lra.
set n := lp_norm p v.
have nE : n = Rpower (lp_sum p v) (/ p).
  by rewrite /n /lp_norm /abs_power; case: Req_EM_T => // _; rewrite Rabs_pos_eq; lra.
have n0 : 0 < n by rewrite nE; apply: exp_pos.
have in0 : / n <> 0 by apply: Rinv_neq_0_compat; lra.
have np : abs_power (/ n) p = / lp_sum p v.
  rewrite /abs_power; case: Req_EM_T => // _.
  rewrite Rabs_pos_eq; last exact: Rlt_le (Rinv_0_lt_compat _ n0).
  rewrite nE -Rpower_Ropp Rpower_mult (_ : - / p * p = - 1); last by field; lra.
  by rewrite Rpower_Ropp Rpower_1.
apply: (Rmult_le_reg_r (/ n)); first exact: Rinv_0_lt_compat.
rewrite Rinv_r; last by lra.
have -> : dot r v * / n = \sum_j r j * (v j * / n) by rewrite /dot sum_mulr; apply: eq_bigr => j _; ring.
apply: (Rle_trans _ (\sum_j (abs_power (r j) q / q + abs_power (v j * / n) p / p))).
  by apply: sum_le => j _; apply: young.
rewrite sumD -!sum_mulr.
have -> : \sum_j abs_power (v j * / n) p = 1.
  have -> : \sum_j abs_power (v j * / n) p = lp_sum p v * abs_power (/ n) p.
    by rewrite /lp_sum sum_mulr; apply: eq_bigr => j _; rewrite abs_power_mult.
  by rewrite np Rinv_r; lra.
have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ q0) r1; rewrite /lp_sum; lra.
Qed.
