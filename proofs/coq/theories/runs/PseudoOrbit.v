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

(* Linear combinations of the same vectors. *)
Lemma combine_distance (I : finType) (P : pred I) (c d : I -> R) (x : I -> vec J) :
  vdist (combine P c x) (combine P d x) <= \sum_(i | P i) Rabs (c i - d i) * vnorm (x i).
Proof. by rewrite /vdist -combine_sub; apply: vnorm_combine. Qed.
End Step.
