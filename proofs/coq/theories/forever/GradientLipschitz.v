(* GradientLipschitz: a Lipschitz constant of a gradient from bounds of the curvature along lines (T6 for any head).

   Where the second derivative along every line is at most beta ||v||^2 in size, the function is within beta/2 ||v||^2
   of its tangents, and that is enough: no mixed second derivative is asked for. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Growth LossDescent.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Lipschitz.
Variables (J : finType) (L : vec J -> R) (grad : vec J -> vec J) (bent : vec J -> vec J -> R) (beta : R).
Hypothesis L_derive : forall z v x, is_derive (fun y => L (z + y * v)) x (dot (grad (z + x * v)) v).
Hypothesis grad_derive : forall z v x, is_derive (fun y => dot (grad (z + y * v)) v) x (bent (z + x * v)%V v).
Hypothesis bent_le : forall z v, Rabs (bent z v) <= beta * vnorm2 v.

Lemma curvature_both z v : L z + dot (grad z) v - beta / 2 * vnorm2 v <= L (z + v)%V <=
  L z + dot (grad z) v + beta / 2 * vnorm2 v.
Proof.
have b y h : - (beta * vnorm2 h) <= bent y h <= beta * vnorm2 h by apply/Rabs_le_between; exact: bent_le.
split; last by apply: (descent_curvature L_derive grad_derive) => y h; have [] := b y h.
have dL y h x : is_derive (fun a => - L (y + a * h)) x (dot (- grad (y + x * h))%V h).
  by rewrite dotNl; exact: is_derive_opp (L_derive y h x).
have dg y h x : is_derive (fun a => dot (- grad (y + a * h))%V h) x (- bent (y + x * h)%V h).
  apply: (is_derive_ext (fun a => - dot (grad (y + a * h)%V) h)) => [a|]; first by rewrite dotNl.
  exact: is_derive_opp (grad_derive y h x).
have := @descent_curvature J (fun y => - L y) (fun y => - grad y)%V (fun y h => - bent y h) beta dL dg
  (fun y h => ltac:(have := b y h; lra)) z v.
by rewrite dotNl; lra.
Qed.

(* Over the parallelogram around the middle of x and x + 2 d. *)
Lemma gradient_change x d v : dot (grad (x + 2 * d)%V - grad x)%V v <= beta * (vnorm2 d + vnorm2 v).
Proof.
set y := (x + 2 * d)%V.
have a1 := proj2 (curvature_both x (d + v)); have a2 := proj1 (curvature_both y (v - d)).
have a3 := proj2 (curvature_both y (- d - v)); have a4 := proj1 (curvature_both x (d - v)).
have e1 : (y + (v - d))%V = (x + (d + v))%V by rewrite /y; vec_ring.
have e2 : (y + (- d - v))%V = (x + (d - v))%V by rewrite /y; vec_ring.
have n1 : vnorm2 (v - d) = vnorm2 (d - v) by rewrite -vnorm2N; congr vnorm2; vec_ring.
have n2 : vnorm2 (- d - v) = vnorm2 (d + v) by rewrite -vnorm2N; congr vnorm2; vec_ring.
rewrite e1 n1 in a2; rewrite e2 n2 in a3.
rewrite !(dotDr, dotBr, dotNr) in a1 a2 a3 a4; rewrite dotBl.
by rewrite !(vnorm2D, vnorm2B) in a1 a2 a3 a4; lra.
Qed.

Theorem curvature_lipschitz x y : vnorm (grad y - grad x)%V <= beta * vnorm (y - x)%V.
Proof.
pose d := (/ 2 * (y - x))%V; have yE : y = (x + 2 * d)%V by apply: vec_ext => j; rewrite /d /vadd /vscale /vsub; field.
have dn : vnorm (y - x)%V = 2 * vnorm d by rewrite /d vnormZ Rabs_pos_eq; [field | lra].
case: (vnorm_ge0 d) => [d0|/esym/vnorm_eq0 d0]; last first.
  have same (a : vec J) : vnorm (a - a)%V = 0 by have -> : (a - a)%V = vzero; [vec_ring | exact: vnorm0].
  by have -> : y = x; [rewrite yE d0; vec_ring | rewrite !same; lra].
have b0 : 0 <= beta.
  have := Rle_trans _ _ _ (Rabs_pos _) (bent_le x d); rewrite -vnorm_sqr => h.
  by apply: (Rmult_le_reg_r (vnorm d * vnorm d)); [exact: Rmult_lt_0_compat | lra].
rewrite dn; set g := (grad y - grad x)%V; case: (vnorm_ge0 g) => [g0|<-]; last by apply: Rmult_le_pos; lra.
have := gradient_change x d (vnorm d / vnorm g * g)%V; rewrite -yE -/g dotZr -/(vnorm2 g) vnorm2Z -!vnorm_sqr.
have -> : vnorm d / vnorm g * (vnorm g * vnorm g) = vnorm g * vnorm d by field; lra.
have -> : vnorm d / vnorm g * (vnorm d / vnorm g) * (vnorm g * vnorm g) = vnorm d * vnorm d by field; lra.
by move=> h; apply: (Rmult_le_reg_r (vnorm d)) => //; lra.
Qed.
End Lipschitz.
