(* ExponentialTail: losses that decrease like e^-x, as the exponential and the logistic one do. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Losses Saturation.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* Losses that decrease like e^-x, with two constants. *)
Record exponential_tail (l : loss) (least slope : R) : Prop := ExponentialTail {
  tail_domain : forall x, loss_domain l x;
  tail_gt0 : forall x, 0 < l x;
  tail_ge : forall x, 0 <= x -> least * exp (- x) <= l x;
  tail_le : forall x, l x <= exp (- x);
  tail_slope_ge : forall x, 0 <= x -> slope * exp (- x) <= - dloss l x;
  tail_slope_le : forall x, - dloss l x <= exp (- x);
  tail_convex : forall x y, x <= y -> - dloss l y <= - dloss l x
}.

Lemma exponential_has_tail : exponential_tail exponential 1 1.
Proof.
split=> //= x; try (move=> _); rewrite ?Ropp_involutive ?Rmult_1_l; try exact: Rle_refl; first exact: exp_pos.
by move=> y xy; rewrite !Ropp_involutive; apply: exp_monotone; lra.
Qed.

Lemma logistic_has_tail : exponential_tail logistic (ln 2) (/ 2).
Proof.
have below y : 0 < y -> ln (1 + y) <= y by move=> y0; have := ln_le_sub1 (x := 1 + y); lra.
have concave y : 0 < y -> y <= 1 -> ln 2 * y <= ln (1 + y).
  move=> y0 y1; pose phi z := ln (1 + z) - ln 2 * z.
  suff : 0 <= phi y by rewrite /phi; lra.
  have two : 0 < 2 by lra.
  (* (1 + y) = 2^y at 0 and 1, and 2^y is convex: by the mean of exponentials. *)
  have E : exp (y * ln 2) <= 1 + y.
    have convex a c : exp (y * a + (1 - y) * c) <= y * exp a + (1 - y) * exp c.
      set s := y * a + (1 - y) * c.
      have tangent z : exp s * (1 + (z - s)) <= exp z.
        have -> : exp z = exp s * exp (z - s) by rewrite -exp_plus; congr exp; ring.
        apply: Rmult_le_compat_l; first exact/Rlt_le/exp_pos.
        by case: (Req_dec (z - s) 0) => [-> | ne]; [rewrite exp_0; lra | exact/Rlt_le/exp_ineq1].
      have ta := Rmult_le_compat_l _ _ _ (Rlt_le _ _ y0) (tangent a).
      have tc := Rmult_le_compat_l (1 - y) _ _ (ltac:(lra)) (tangent c).
      suff : exp s = y * (exp s * (1 + (a - s))) + (1 - y) * (exp s * (1 + (c - s))) by lra.
      by rewrite /s; ring.
    by have := convex (ln 2) 0; rewrite exp_ln // exp_0 Rmult_0_r Rplus_0_r; lra.
  have p0 : 0 < 1 + y by lra.
  have : y * ln 2 <= ln (1 + y).
    rewrite -(ln_exp (y * ln 2)); case: E => [lt | ->]; last by right.
    by left; apply: ln_increasing => //; exact: exp_pos.
  by rewrite /phi; lra.
split=> //=.
- by move=> x; have e0 := exp_pos (- x); rewrite -ln_1; apply: ln_increasing; lra.
- move=> x x0; apply: concave; first exact: exp_pos.
  by rewrite -exp_0; apply: exp_monotone; lra.
- by move=> x; apply/below/exp_pos.
- move=> x x0; have e0 := exp_pos x; have e1 : 1 <= exp x by rewrite -exp_0; apply: exp_monotone.
  rewrite Ropp_involutive exp_Ropp -Rinv_mult.
  by apply: Rinv_le_contravar; lra.
- by move=> x; have e0 := exp_pos x; rewrite Ropp_involutive exp_Ropp; apply: Rinv_le_contravar; lra.
move=> x y xy; have e0 := exp_pos x; have := exp_monotone xy; rewrite !Ropp_involutive => e.
by apply: Rinv_le_contravar; lra.
Qed.
