(* Euclid: the Euclidean norm of the vectors of Vectors.v. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Attest Require Export Vectors.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Norm.
Variable J : finType.
Implicit Types u v : vec J.

Definition vnorm2 u : R := dot u u.
Definition vnorm u : R := sqrt (vnorm2 u).
Definition vdist u v : R := vnorm (vsub u v).
End Norm.

Arguments vnorm2 {J} u%V.
Arguments vnorm {J} u%V.
Arguments vdist {J} (u v)%V.

Section NormFacts.
Variable J : finType.
Implicit Types (u v w : vec J) (c t : R).

Lemma vnorm2_ge0 u : 0 <= vnorm2 u.
Proof. by apply: sum_ge0 => j _; apply: Rle_0_sqr. Qed.

Lemma vnorm_ge0 u : 0 <= vnorm u.
Proof. exact: sqrt_pos. Qed.

Lemma vnorm_sqr u : vnorm u * vnorm u = vnorm2 u.
Proof. exact: sqrt_sqrt (vnorm2_ge0 u). Qed.

Lemma vnorm2_eq0 u : vnorm2 u = 0 -> u = vzero.
Proof.
move=> H; apply: vec_ext => j; rewrite /vzero; apply: Rsqr_0_uniq.
by apply: (sum_eq0 (F := fun i => Rsqr (u i)) (P := predT) _ H) => // i _; apply: Rle_0_sqr.
Qed.

Lemma vnorm_eq0 u : vnorm u = 0 -> u = vzero.
Proof. by move=> H; apply: vnorm2_eq0; rewrite -vnorm_sqr H; ring. Qed.

Lemma vnorm_gt0 u : 0 < vnorm2 u -> 0 < vnorm u.
Proof. exact: sqrt_lt_R0. Qed.

Lemma vnorm20 : vnorm2 (vzero : vec J) = 0.
Proof. exact: dot0l. Qed.

Lemma vnorm0 : vnorm (vzero : vec J) = 0.
Proof. by rewrite /vnorm vnorm20 sqrt_0. Qed.

Lemma vnorm2Z c u : vnorm2 (c * u) = c * c * vnorm2 u.
Proof. by rewrite /vnorm2 dotZl dotZr; ring. Qed.

Lemma vnormZ c u : vnorm (c * u) = Rabs c * vnorm u.
Proof.
rewrite /vnorm vnorm2Z sqrt_mult; [| exact: Rle_0_sqr | exact: vnorm2_ge0].
by rewrite -[c * c]/(Rsqr c) sqrt_Rsqr_abs.
Qed.

Lemma vnorm2N u : vnorm2 (- u) = vnorm2 u.
Proof. by rewrite /vnorm2 dotNl dotNr; ring. Qed.

Lemma vnormN u : vnorm (- u) = vnorm u.
Proof. by rewrite /vnorm vnorm2N. Qed.

Lemma vnorm2D u v : vnorm2 (u + v) = vnorm2 u + 2 * dot u v + vnorm2 v.
Proof. by rewrite /vnorm2 dotDl !dotDr (dotC v u); ring. Qed.

Lemma vnorm2B u v : vnorm2 (u - v) = vnorm2 u - 2 * dot u v + vnorm2 v.
Proof. by rewrite /vnorm2 dotBl !dotBr (dotC v u); ring. Qed.

Lemma vdistC u v : vdist u v = vdist v u.
Proof. by rewrite /vdist -vnormN; congr vnorm; vec_ring. Qed.

Lemma cauchy_schwarz2 u v : dot u v * dot u v <= vnorm2 u * vnorm2 v.
Proof. exact: (sum_cauchy_schwarz predT u v). Qed.

Lemma cauchy_schwarz u v : Rabs (dot u v) <= vnorm u * vnorm v.
Proof.
rewrite -(Rabs_pos_eq (vnorm u * vnorm v)); last by apply: Rmult_le_pos; apply: vnorm_ge0.
apply: Rsqr_le_abs_0; rewrite /Rsqr.
have -> : vnorm u * vnorm v * (vnorm u * vnorm v) = (vnorm u * vnorm u) * (vnorm v * vnorm v) by ring.
by rewrite !vnorm_sqr; apply: cauchy_schwarz2.
Qed.

Lemma dot_le_norms u v : dot u v <= vnorm u * vnorm v.
Proof. exact: Rle_trans (Rle_abs _) (cauchy_schwarz u v). Qed.

Lemma dot_ge_norms u v : - (vnorm u * vnorm v) <= dot u v.
Proof. by have := cauchy_schwarz u v; move/Rabs_le_between; lra. Qed.

Lemma le_of_sqr_le x y : 0 <= y -> x * x <= y * y -> x <= y.
Proof. by move=> y0 H; apply: Rnot_lt_le => yx; nra. Qed.

Lemma vnorm_le u v : vnorm2 u <= vnorm2 v -> vnorm u <= vnorm v.
Proof. exact: sqrt_le_1_alt. Qed.

Lemma vnorm_le_sqr u x : 0 <= x -> vnorm2 u <= x * x -> vnorm u <= x.
Proof. by move=> x0 H; apply: le_of_sqr_le => //; rewrite vnorm_sqr. Qed.

Lemma vnorm_triangle u v : vnorm (u + v) <= vnorm u + vnorm v.
Proof.
have u0 := vnorm_ge0 u; have v0 := vnorm_ge0 v.
apply: vnorm_le_sqr; first lra.
rewrite vnorm2D -!vnorm_sqr; have := dot_le_norms u v; lra.
Qed.

Lemma vdist_triangle u v w : vdist u w <= vdist u v + vdist v w.
Proof. by have := vnorm_triangle (u - v) (v - w); rewrite /vdist (_ : (u - v + (v - w))%V = (u - w)%V) //;
  vec_ring. Qed.

Lemma vnorm_sub_ge u v : vnorm u - vnorm v <= vnorm (u - v).
Proof. by have := vnorm_triangle (u - v) v; rewrite (_ : (u - v + v)%V = u) ?/Rminus; [lra | vec_ring]. Qed.

Lemma coord_le_norm u j : Rabs (u j) <= vnorm u.
Proof.
rewrite -(Rabs_pos_eq (vnorm u)); last exact: vnorm_ge0.
apply: Rsqr_le_abs_0; rewrite {2}/Rsqr vnorm_sqr.
by apply: (sum_term_le (P := predT) (F := fun i => u i * u i)) => // i _; apply: Rle_0_sqr.
Qed.

Lemma vnorm_combine (I : finType) (P : pred I) (c : I -> R) (x : I -> vec J) :
  vnorm (combine P c x) <= \sum_(i | P i) Rabs (c i) * vnorm (x i).
Proof.
set z := combine P c x; set s := \sum_(i | P i) _.
have s0 : 0 <= s by apply: sum_ge0 => i _; apply: Rmult_le_pos; [apply: Rabs_pos | apply: vnorm_ge0].
have H : vnorm2 z <= s * vnorm z.
  rewrite /vnorm2 {1}/z dot_combinel sum_mulr; apply: sum_le => i _.
  apply: Rle_trans (Rle_abs _) _; rewrite Rabs_mult Rmult_assoc.
  by apply: Rmult_le_compat_l; [apply: Rabs_pos | apply: cauchy_schwarz].
case: (vnorm_ge0 z) => [z0 | <- //]; apply: Rmult_le_reg_r z0 _; by rewrite vnorm_sqr.
Qed.
End NormFacts.
