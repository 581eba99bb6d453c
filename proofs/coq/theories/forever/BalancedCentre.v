(* BalancedCentre: the centre of T15 that balances the limit factors of the active constraints, found up to a small
   error (RUNS.md section 5, "The centre").

   The residual e_0 of the point w_0 lies in the span of the active constraints and has prescribed products with them;
   a lower bound of the least eigenvalue of their Gram matrix bounds its distance from any combination given as
   evidence. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid PositiveDefinite Enclosure Direction ActiveStep.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma span_vector (J I : finType) (A : pred I) (D : I -> vec J) (least : R) (v : I -> R) :
  0 < least -> gram_at_least A D least ->
  exists2 x : I -> R, forall c, A c -> dot (D c) (combine A x D) = v c &
  forall a : I -> R, let missing c := v c - dot (D c) (combine A a D) in
    vnorm (combine A x D - combine A a D)%V <= sqrt ((\sum_(c | A c) missing c * missing c) / least).
Proof.
move=> l0 gram; have [x [c [Ac xc]] | x Hx] := @gram_solve J I D A _ v.
  apply: Rlt_le_trans (gram x); apply: Rmult_lt_0_compat => //.
  apply: (@sum_gt0 _ _ (fun c => x c * x c) c) => // [d _|]; first exact: Rle_0_sqr.
  exact: Rsqr_pos_lt.
exists x => // a missing; set rr := \sum_(c | A c) missing c * missing c.
pose e c := x c - a c; set ee := \sum_(c | A c) e c * e c; set E := combine A e D.
have -> : (combine A x D - combine A a D)%V = E.
  by apply: vec_ext => j; rewrite /E /combine /vsub -sumB; apply: eq_bigr => c _; rewrite /e; ring.
have EE : vnorm2 E = \sum_(c | A c) e c * missing c.
  rewrite /vnorm2 dot_combinel; apply: eq_bigr => c Ac; congr (_ * _).
  have -> : E = (combine A x D - combine A a D)%V.
    by apply: vec_ext => j; rewrite /E /combine /vsub -sumB; apply: eq_bigr => d _; rewrite /e; ring.
  by rewrite dotBr Hx.
have cs : vnorm2 E * vnorm2 E <= ee * rr by rewrite EE; exact: (sum_cauchy_schwarz A e missing).
have low : least * ee <= vnorm2 E := gram e.
have rr0 : 0 <= rr by apply: sum_ge0 => c _; exact: Rle_0_sqr.
apply: sqrt_le_1_alt; apply: (Rmult_le_reg_l least) => //.
have -> : least * (rr / least) = rr by field; lra.
case: (vnorm2_ge0 E) => [E0 | <-]; last by lra.
apply: (Rmult_le_reg_l (vnorm2 E)) => //.
by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ l0) cs; have := Rmult_le_compat_r _ _ _ rr0 low; lra.
Qed.

Section BalancedCentre.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Notation S := (active Q mu).

Variables (w0 : vec J) (binf : C -> R).
Notation y0 := (height u w0).
Hypothesis binf_gt0 : forall c, S c -> 0 < binf c.

(* What the residual's products with the active constraints must be. *)
Definition log_limit (c : C) : R := ln (binf c / mu c).
Definition mean_limit : R := \sum_(c | S c) mu c * log_limit c.
Definition wanted (c : C) : R := dot (Delta c) w0 - gamma * y0 - (log_limit c - mean_limit).

Lemma wanted_balance : \sum_(c | S c) mu c * wanted c = 0.
Proof.
have one := active_sum1 dir; have B := balance_dot dir w0; rewrite -(sum_active dir) (dotC u) -/(height u w0) in B.
have -> : \sum_(c | S c) mu c * wanted c =
    (\sum_(c | S c) mu c * dot (Delta c) w0) - (\sum_(c | S c) mu c * log_limit c) -
    (gamma * y0 - mean_limit) * \sum_(c | S c) mu c.
  by rewrite sum_mull -!sumB; apply: eq_bigr => c _; rewrite /wanted; ring.
by rewrite one B -/mean_limit; ring.
Qed.

Variables (least : R) (pull : C -> R).
Hypothesis least_gt0 : 0 < least.
Hypothesis gram : gram_at_least S Delta least.
Definition pulled : vec J := combine S pull Delta.
Definition missing (c : C) : R := wanted c - dot (Delta c) pulled.
Definition centre_slack : R := sqrt ((\sum_(c | S c) missing c * missing c) / least).

Theorem balanced_centre : exists centre, [/\ dot centre u = 0,
  forall c, S c -> binf c * exp (- dot (Delta c) centre) = exp mean_limit * mu c,
  vnorm (residual u centre w0) <= vnorm pulled + centre_slack &
  vnorm centre <= vnorm (w0 - y0 * u - pulled)%V + centre_slack].
Proof.
have [x Hx near] := span_vector wanted least_gt0 gram; set e := combine S x Delta in Hx near.
have {near} : vnorm (e - pulled)%V <= centre_slack := near pull => near.
exists (w0 - y0 * u - e)%V; split.
- have g0 := dir_margin_gt0 dir; suff eu : dot e u = 0 by rewrite !dotBl dotZl (dir_unit dir) eu /height; ring.
  apply: (Rmult_eq_reg_l gamma); last lra.
  rewrite (dotC e) -(balance_dot dir e) -(sum_active dir) Rmult_0_r -[RHS]wanted_balance.
  by apply: eq_bigr => c Sc; rewrite Hx.
- move=> c Sc; have [_ m0] := activeP Q mu c Sc; have b0 := binf_gt0 Sc.
  have -> : - dot (Delta c) (w0 - y0 * u - e)%V = - log_limit c + mean_limit.
    by rewrite !dotBr dotZr Hx // -/(slope Delta u c) (active_slope dir Sc) /wanted; ring.
  rewrite exp_plus exp_Ropp /log_limit exp_ln; last exact: Rdiv_lt_0_compat.
  by field; lra.
- have -> : residual u (w0 - y0 * u - e)%V w0 = (pulled + (e - pulled))%V by rewrite /residual; vec_ring.
  by have := vnorm_triangle pulled (e - pulled)%V; lra.
have -> : (w0 - y0 * u - e)%V = ((w0 - y0 * u - pulled) - (e - pulled))%V by vec_ring.
apply: Rle_trans (vnorm_triangle _ _) _; rewrite vnormN; lra.
Qed.
End BalancedCentre.
