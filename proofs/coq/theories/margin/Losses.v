(* Losses: the logistic, exponential and correlation losses, with the bounds of slope and curvature that T6 needs.

   On a range [lo, hi] of scores: |l'| <= M1 and |l''| <= M0, where l'' bounds the Lipschitz constant of l'. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma lipschitz_of_derivative (f df : R -> R) lo hi M : (forall x, is_derive f x (df x)) ->
  (forall x, lo <= x <= hi -> Rabs (df x) <= M) ->
  forall x y, lo <= x <= hi -> lo <= y <= hi -> Rabs (f x - f y) <= M * Rabs (x - y).
Proof.
move=> H HM x y Hx Hy; have [| |z [Hz ->]] := MVT_gen f y x df.
- by move=> z _; apply: H.
- by move=> z _; apply/continuity_pt_filterlim/ex_derive_continuous; exists (df z).
rewrite Rabs_mult; apply: Rmult_le_compat_r; first exact: Rabs_pos.
apply: HM; move: Hz; rewrite /Rmin /Rmax; case: Rle_dec => ? ?; lra.
Qed.

Lemma exp_monotone x y : x <= y -> exp x <= exp y.
Proof. by case=> [/exp_increasing | ->]; lra. Qed.

(* ---- exponential loss e^-u ---- *)

Lemma is_derive_exponential u : is_derive (fun u => exp (- u)) u (- exp (- u)).
Proof. by auto_derive => //; ring. Qed.

Lemma exponential_slope_lt0 u : - exp (- u) < 0.
Proof. by have := exp_pos (- u); lra. Qed.

Definition exponential : loss := total_loss is_derive_exponential exponential_slope_lt0.

Lemma exponential_slope lo hi u : lo <= u <= hi -> Rabs (dloss exponential u) <= exp (- lo).
Proof.
move=> Hu; rewrite /= Rabs_Ropp Rabs_pos_eq; last exact: Rlt_le (exp_pos _).
by apply: exp_monotone; lra.
Qed.

Lemma exponential_curvature lo hi x y : lo <= x <= hi -> lo <= y <= hi ->
  Rabs (dloss exponential x - dloss exponential y) <= exp (- lo) * Rabs (x - y).
Proof.
apply: (@lipschitz_of_derivative (dloss exponential) (fun u => exp (- u)) lo hi) => [u | u Hu].
  by rewrite /=; auto_derive => //; ring.
rewrite Rabs_pos_eq; last exact: Rlt_le (exp_pos _).
by apply: exp_monotone; lra.
Qed.

(* ---- correlation loss -u ---- *)

Lemma is_derive_correlation u : is_derive (fun u : R => - u) u (- 1).
Proof. by auto_derive. Qed.

Lemma correlation_slope_lt0 (u : R) : - 1 < 0.
Proof. by lra. Qed.

Definition correlation : loss := total_loss is_derive_correlation correlation_slope_lt0.

Lemma correlation_slope u : Rabs (dloss correlation u) <= 1.
Proof. by rewrite /= Rabs_Ropp Rabs_R1; lra. Qed.

Lemma correlation_curvature x y : Rabs (dloss correlation x - dloss correlation y) <= 0 * Rabs (x - y).
Proof. by rewrite /= Rminus_diag_eq // Rabs_R0; lra. Qed.

(* ---- logistic loss log (1 + e^-u) ---- *)

Lemma is_derive_logistic u : is_derive (fun u => ln (1 + exp (- u))) u (- / (1 + exp u)).
Proof.
have e0 := exp_pos u; have e1 := exp_pos (- u).
auto_derive; first by lra.
by rewrite exp_Ropp; field; lra.
Qed.

Lemma logistic_slope_lt0 u : - / (1 + exp u) < 0.
Proof. by have := exp_pos u => e0; have := Rinv_0_lt_compat (1 + exp u); lra. Qed.

Definition logistic : loss := total_loss is_derive_logistic logistic_slope_lt0.

Lemma logistic_slope lo hi u : lo <= u <= hi -> Rabs (dloss logistic u) <= / (1 + exp lo).
Proof.
move=> Hu; have e0 := exp_pos lo; have e1 := exp_monotone (proj1 Hu).
rewrite /= Rabs_Ropp Rabs_pos_eq; last by apply: Rlt_le; apply: Rinv_0_lt_compat; lra.
by apply: Rinv_le_contravar; lra.
Qed.

(* l''(u) = q/(1 + q)^2 with q = e^-|u|; it decreases with |u|. *)
Lemma logistic_second u : let q := exp (- Rabs u) in exp u / ((1 + exp u) * (1 + exp u)) = q / ((1 + q) * (1 + q)).
Proof.
have e0 := exp_pos u; rewrite /Rabs; case: Rcase_abs => u0 /=.
  by rewrite (_ : - - u = u) //; ring.
by rewrite exp_Ropp; field; lra.
Qed.

Lemma logistic_ratio_le q r : 0 < q <= r -> r <= 1 -> q / ((1 + q) * (1 + q)) <= r / ((1 + r) * (1 + r)).
Proof.
move=> [q0 qr] r1.
apply: (Rmult_le_reg_r ((1 + q) * (1 + q) * ((1 + r) * (1 + r)))); first by do 3?apply: Rmult_lt_0_compat; lra.
have -> : q / ((1 + q) * (1 + q)) * ((1 + q) * (1 + q) * ((1 + r) * (1 + r))) = q * ((1 + r) * (1 + r)) by field; lra.
have -> : r / ((1 + r) * (1 + r)) * ((1 + q) * (1 + q) * ((1 + r) * (1 + r))) = r * ((1 + q) * (1 + q)) by field; lra.
have qr1 : q * r <= 1 by nra.
by have := Rmult_le_pos (r - q) (1 - q * r) (ltac:(lra)) (ltac:(lra)); lra.
Qed.

(* near is at most the least |u| over the range. *)
Lemma logistic_curvature lo hi near : 0 <= near -> (forall u, lo <= u <= hi -> near <= Rabs u) ->
  let q := exp (- near) in
  forall x y, lo <= x <= hi -> lo <= y <= hi ->
  Rabs (dloss logistic x - dloss logistic y) <= q / ((1 + q) * (1 + q)) * Rabs (x - y).
Proof.
move=> n0 Hn q; apply: (@lipschitz_of_derivative (dloss logistic) (fun u => exp u / ((1 + exp u) * (1 + exp u))) lo hi).
  move=> u; have e0 := exp_pos u; rewrite /=; auto_derive; first by lra.
  by field; lra.
move=> u Hu; have e0 := exp_pos u.
rewrite Rabs_pos_eq; last by apply: Rlt_le; apply: Rdiv_lt_0_compat => //; apply: Rmult_lt_0_compat; lra.
rewrite logistic_second; apply: logistic_ratio_le.
  by split; [exact: exp_pos | apply: exp_monotone; have := Hn u Hu; lra].
by rewrite /q -exp_0; apply: exp_monotone; lra.
Qed.

Lemma logistic_curvature_quarter lo hi x y : lo <= x <= hi -> lo <= y <= hi ->
  Rabs (dloss logistic x - dloss logistic y) <= / 4 * Rabs (x - y).
Proof.
move=> Hx Hy; have := @logistic_curvature lo hi 0 (Rle_refl 0) (fun u _ => Rabs_pos u) x y Hx Hy.
by rewrite Ropp_0 exp_0 (_ : 1 / ((1 + 1) * (1 + 1)) = / 4) //; field.
Qed.

(* ---- the ratio |l''|/|l'| that T12n and T15 call lambda: 1, 1 and 0 ---- *)

Lemma is_derive_exponential_slope u : is_derive (dloss exponential) u (exp (- u)).
Proof. by rewrite /=; auto_derive => //; ring. Qed.

Lemma exponential_ratio u : Rabs (exp (- u)) <= 1 * - dloss exponential u.
Proof. by rewrite /= Rabs_pos_eq; [lra | exact: Rlt_le (exp_pos _)]. Qed.

Lemma is_derive_logistic_slope u : is_derive (dloss logistic) u (exp u / ((1 + exp u) * (1 + exp u))).
Proof. by have e0 := exp_pos u; rewrite /=; auto_derive; [lra | field; lra]. Qed.

Lemma logistic_ratio u : Rabs (exp u / ((1 + exp u) * (1 + exp u))) <= 1 * - dloss logistic u.
Proof.
have e0 := exp_pos u; have i0 : 0 < / (1 + exp u) by apply: Rinv_0_lt_compat; lra.
rewrite /= Ropp_involutive Rmult_1_l Rabs_pos_eq;
  last by apply/Rlt_le/Rdiv_lt_0_compat => //; apply: Rmult_lt_0_compat; lra.
apply: (Rmult_le_reg_r (1 + exp u)); first lra.
have -> : exp u / ((1 + exp u) * (1 + exp u)) * (1 + exp u) = 1 - / (1 + exp u) by field; lra.
by rewrite Rinv_l; lra.
Qed.

Lemma is_derive_correlation_slope u : is_derive (dloss correlation) u 0.
Proof. exact: is_derive_const. Qed.

Lemma correlation_ratio u : Rabs 0 <= 0 * - dloss correlation u.
Proof. by rewrite Rabs_R0; lra. Qed.

(* ---- cross-entropy -log u, of positive outputs ---- *)

Definition minus_log_slope (u : R) : R := if Rlt_dec 0 u then - / u else - 1.

Lemma minus_log_slope_at u : 0 < u -> - minus_log_slope u = / u.
Proof. by move=> u0; rewrite /minus_log_slope; case: Rlt_dec => [h|//]; exact: Ropp_involutive. Qed.

Lemma is_derive_cross_entropy u : 0 < u -> is_derive (fun u => - ln u) u (minus_log_slope u).
Proof.
move=> u0; rewrite /minus_log_slope; case: Rlt_dec => [h|//].
exact: (is_derive_opp _ _ _ (is_derive_ln u u0)).
Qed.

Lemma minus_log_slope_lt0 u : minus_log_slope u < 0.
Proof.
by rewrite /minus_log_slope; case: Rlt_dec => [u0|h] /=; [have := Rinv_0_lt_compat _ u0 |]; lra.
Qed.

Definition cross_entropy : loss :=
  @Loss (fun u => - ln u) minus_log_slope (Rlt 0) (@Rlt_le_trans 0) is_derive_cross_entropy minus_log_slope_lt0.

Lemma is_derive_minus_log_slope u : 0 < u ->
  is_derive (dloss cross_entropy) u (minus_log_slope u * minus_log_slope u).
Proof.
move=> u0; have -> : minus_log_slope u * minus_log_slope u = / u * / u.
  by have := minus_log_slope_at u0 => E; rewrite -E; ring.
apply: (is_derive_ext_loc (fun v => - / v)); last by auto_derive; [lra | field; lra].
have near : locally u (fun v => 0 < v) := @continuous_id _ u (fun v => 0 < v) (open_gt 0 u u0).
by apply: filter_imp near => v v0; rewrite /= /minus_log_slope; case: Rlt_dec => [h|//].
Qed.
