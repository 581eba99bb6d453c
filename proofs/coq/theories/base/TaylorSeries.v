(* TaylorSeries: partial sums of the Taylor series of e^x, and what they leave out for 0 <= x <= 1/2. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Definition taylor_term (j : nat) (x : R) : R := x ^ j / INR (fact j).
Definition taylor_sum (j : nat) (x : R) : R := sum_f_R0 (fun i => taylor_term i x) j.

Lemma taylor_term_next j x : taylor_term j.+1 x = taylor_term j x * x / INR j.+1.
Proof.
have j0 : INR j.+1 <> 0 by exact: not_0_INR.
have f0 := INR_fact_neq_0 j.
by rewrite /taylor_term fact_simpl mult_INR -tech_pow_Rmult; field.
Qed.

Lemma taylor_term_ge0 j x : 0 <= x -> 0 <= taylor_term j x.
Proof. by move=> x0; apply: Rmult_le_pos; [exact: pow_le | apply/Rlt_le/Rinv_0_lt_compat/INR_fact_lt_0]. Qed.

Lemma exp_half z : z <= / 2 -> exp z <= 2.
Proof.
move=> zh; have := exp_le_3 => e3; have : exp (/ 2) * exp (/ 2) = exp 1 by rewrite -exp_plus; congr exp; lra.
have := exp_pos (/ 2) => h0 h.
have : exp z <= exp (/ 2) by case: zh => [/exp_increasing | ->]; lra.
nra.
Qed.

Lemma exp_linear d : 0 <= d <= / 2 -> exp d <= 1 + 2 * d.
Proof.
move=> [d0 dh]; have [| |z [hz]] := @MVT_gen exp 0 d exp.
- by move=> z _; exact: is_derive_exp.
- by move=> z _; apply/continuity_pt_filterlim/ex_derive_continuous; exists (exp z); exact: is_derive_exp.
rewrite exp_0 Rminus_0_r => E; move: hz; rewrite Rmin_left // Rmax_right // => -[z0 zd].
have z2 : exp z <= 2 by apply: exp_half; lra.
have := exp_pos z; nra.
Qed.

(* e^x is the sum up to j, and at most twice the next term more when x <= 1/2. *)
Lemma taylor_exp j x : 0 <= x <= / 2 -> taylor_sum j x <= exp x <= taylor_sum j x + 2 * taylor_term j.+1 x.
Proof.
move=> [x0 xh]; case: x0 => [x0 | <-]; last first.
  have -> : taylor_term j.+1 0 = 0 by rewrite /taylor_term pow_ne_zero // /Rdiv Rmult_0_l.
  rewrite exp_0; have -> : taylor_sum j 0 = 1; last by lra.
  elim: j => [|j IH]; first by rewrite /taylor_sum /taylor_term /=; field.
  by rewrite /taylor_sum tech5 -/(taylor_sum j 0) IH /taylor_term pow_ne_zero // /Rdiv Rmult_0_l; lra.
have [] := @Taylor_Lagrange exp j 0 x x0.
  by move=> t _ [|k] _ //; exists (exp t); exact: (is_derive_n_exp k.+1).
move=> z [[z0 zx]]; rewrite !(is_derive_n_unique _ _ _ _ (is_derive_n_exp _ _)) Rminus_0_r
  -/(taylor_term j.+1 x) => ->.
have -> : sum_f_R0 (fun m => x ^ m / INR (fact m) * Derive_n exp m 0) j = taylor_sum j x.
  apply: sum_eq => i _; rewrite (is_derive_n_unique _ _ _ _ (is_derive_n_exp _ _)) exp_0 /taylor_term; lra.
have t0 := taylor_term_ge0 j.+1 (Rlt_le _ _ x0).
have ez : exp z <= 2 by apply: exp_half; lra.
have z1 : 0 < exp z := exp_pos z; nra.
Qed.
