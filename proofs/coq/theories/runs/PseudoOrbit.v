(* PseudoOrbit: an exactly known orbit beside the true one.

   The true iterate W and the known one W~ are at most r apart; the true direction of descent V and a known V~ at most
   R (both vectors in a finite-dimensional Euclidean space). Then one step of the iteration, compared with any known
   step theta, ends at most as far apart as these lemmas say. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Step.
Variable J : finType.
Implicit Types (u v x y w : vec J).

(* Dunkl-Williams in an inner product space. *)
Theorem direction_distance x y : 0 < vnorm x -> 0 < vnorm y ->
  vnorm (/ vnorm x * x - / vnorm y * y)%V * (vnorm x + vnorm y) <= 2 * vnorm (x - y)%V.
Proof.
move=> a0 b0; set a := vnorm x in a0 *; set b := vnorm y in b0 *.
apply: le_of_sqr_le; first by have := vnorm_ge0 (x - y)%V; lra.
have sq c d : c * d * (c * d) = (c * c) * (d * d) by ring.
rewrite !sq !vnorm_sqr.
have -> : vnorm2 (/ a * x - / b * y)%V = 2 - 2 * (dot x y / (a * b)).
  rewrite vnorm2B !vnorm2Z dotZl dotZr -!vnorm_sqr -/a -/b; field; lra.
have -> : vnorm2 (x - y)%V = a * a + b * b - 2 * (a * b) * (dot x y / (a * b)).
  rewrite vnorm2B -!vnorm_sqr -/a -/b; field; lra.
have ab0 : 0 < a * b by apply: Rmult_lt_0_compat.
have c1 : -1 <= dot x y / (a * b).
  apply: (Rmult_le_reg_r (a * b)) => //; rewrite /Rdiv Rmult_assoc Rinv_l; last lra.
  by have := dot_ge_norms x y; rewrite -/a -/b; lra.
set c := dot x y / (a * b) in c1 *.
have := Rmult_le_pos _ _ (Rle_0_sqr (a - b)) (ltac:(lra) : 0 <= 1 + c); rewrite /Rsqr; nra.
Qed.

(* W + eta V against W~ + theta. *)
Theorem gradient_step_distance w w' v v' theta (eta r R h : R) : 0 <= eta ->
  vdist w w' <= r -> vdist v v' <= R -> vdist (eta * v')%V theta <= h ->
  vdist (w + eta * v)%V (w' + theta)%V <= r + eta * R + h.
Proof.
move=> eta0 hr hR hh.
have -> : (w + eta * v)%V = ((w - w') + eta * (v - v') + (eta * v' - theta) + (w' + theta))%V by vec_ring.
have -> : vdist ((w - w') + eta * (v - v') + (eta * v' - theta) + (w' + theta))%V (w' + theta)%V =
          vnorm ((w - w') + eta * (v - v') + (eta * v' - theta))%V by rewrite /vdist; congr vnorm; vec_ring.
apply: Rle_trans (vnorm_triangle _ _) _; apply: Rplus_le_compat => //.
apply: Rle_trans (vnorm_triangle _ _) _; apply: Rplus_le_compat => //.
by rewrite vnormZ Rabs_pos_eq //; apply: Rmult_le_compat_l.
Qed.

(* W + eta V/||V|| against W~ + theta. *)
Theorem normalised_step_distance w w' v v' theta (eta r R n h : R) : 0 <= eta ->
  vdist w w' <= r -> vdist v v' <= R -> n <= vnorm v' -> R < n -> vdist ((eta / vnorm v') * v')%V theta <= h ->
  0 < vnorm v /\ vdist (w + (eta / vnorm v) * v)%V (w' + theta)%V <= r + eta * (2 * R / (2 * n - R)) + h.
Proof.
move=> eta0 hr hR hn Rn hh; have R0 : 0 <= R by apply: Rle_trans hR; exact: vnorm_ge0.
have nv : n - R <= vnorm v.
  by have := vnorm_sub_ge v' v; rewrite -/(vdist v' v) vdistC; lra.
have v0 : 0 < vnorm v by lra.
have v'0 : 0 < vnorm v' by lra.
split=> //.
have D := direction_distance v0 v'0; rewrite -/(vdist v v') in D.
have d0 := vnorm_ge0 (/ vnorm v * v - / vnorm v' * v')%V.
have H : vdist (/ vnorm v * v)%V (/ vnorm v' * v')%V <= 2 * R / (2 * n - R).
  rewrite /vdist; apply: (Rmult_le_reg_r (2 * n - R)); first lra.
  rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; last lra.
  by apply: Rle_trans (Rle_trans _ _ _ D (ltac:(lra) : 2 * vdist v v' <= 2 * R)); apply: Rmult_le_compat_l; lra.
have scaled u : ((eta / vnorm u) * u)%V = (eta * (/ vnorm u * u))%V by apply: vec_ext => j;
  rewrite /vscale /Rdiv; ring.
by rewrite scaled; apply: gradient_step_distance H _ => //; rewrite -scaled.
Qed.

(* Linear combinations of the same vectors. *)
Lemma combine_distance (I : finType) (P : pred I) (c d : I -> R) (x : I -> vec J) :
  vdist (combine P c x) (combine P d x) <= \sum_(i | P i) Rabs (c i - d i) * vnorm (x i).
Proof. by rewrite /vdist -combine_sub; apply: vnorm_combine. Qed.
End Step.
