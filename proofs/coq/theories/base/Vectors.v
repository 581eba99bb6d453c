(* Vectors: real finite sums and vectors with a scalar product; no norm.

   A vector over a finite index type J is a function J -> R; R^{d x e} is vec ('I_d * 'I_e). Everything else in the
   development (selection problems, margins, training dynamics, checkers) is written with the operations of this file
   and, where lengths matter, with those of Euclid.v. Sums are MathComp's \big operators over Rplus, so that all of
   MathComp's reindexing lemmas apply. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- R as a semiring for \big ---- *)

Lemma RplusA : associative Rplus. Proof. by move=> x y z; rewrite Rplus_assoc. Qed.
Lemma RplusC : commutative Rplus. Proof. exact: Rplus_comm. Qed.
Lemma Rplus0l : left_id 0 Rplus. Proof. exact: Rplus_0_l. Qed.
Lemma Rplus0r : right_id 0 Rplus. Proof. exact: Rplus_0_r. Qed.
Lemma RmultA : associative Rmult. Proof. by move=> x y z; rewrite Rmult_assoc. Qed.
Lemma RmultC : commutative Rmult. Proof. exact: Rmult_comm. Qed.
Lemma Rmult1l : left_id 1 Rmult. Proof. exact: Rmult_1_l. Qed.
Lemma Rmult1r : right_id 1 Rmult. Proof. exact: Rmult_1_r. Qed.
Lemma Rmult0l : left_zero 0 Rmult. Proof. exact: Rmult_0_l. Qed.
Lemma Rmult0r : right_zero 0 Rmult. Proof. exact: Rmult_0_r. Qed.
Lemma RmultDl : left_distributive Rmult Rplus. Proof. by move=> x y z; ring. Qed.
Lemma RmultDr : right_distributive Rmult Rplus. Proof. by move=> x y z; ring. Qed.

Canonical Rplus_monoid := Monoid.Law RplusA Rplus0l Rplus0r.
Canonical Rplus_comoid := Monoid.ComLaw RplusC.
Canonical Rmult_monoid := Monoid.Law RmultA Rmult1l Rmult1r.
Canonical Rmult_comoid := Monoid.ComLaw RmultC.
Canonical Rmult_muloid := Monoid.MulLaw Rmult0l Rmult0r.
Canonical Rplus_addoid := Monoid.AddLaw RmultDl RmultDr.

Notation "\sum_ ( i <- r | P ) F" := (\big[Rplus/0]_(i <- r | P%B) F%R) : R_scope.
Notation "\sum_ ( i <- r ) F" := (\big[Rplus/0]_(i <- r) F%R) : R_scope.
Notation "\sum_ ( i | P ) F" := (\big[Rplus/0]_(i | P%B) F%R) : R_scope.
Notation "\sum_ ( i : t | P ) F" := (\big[Rplus/0]_(i : t | P%B) F%R) : R_scope.
Notation "\sum_ ( i : t ) F" := (\big[Rplus/0]_(i : t) F%R) : R_scope.
Notation "\sum_ ( i 'in' A ) F" := (\big[Rplus/0]_(i in A) F%R) : R_scope.
Notation "\sum_ ( i 'in' A | P ) F" := (\big[Rplus/0]_(i in A | P%B) F%R) : R_scope.
Notation "\sum_ ( i < n ) F" := (\big[Rplus/0]_(i < n) F%R) : R_scope.
Notation "\sum_ ( i < n | P ) F" := (\big[Rplus/0]_(i < n | P%B) F%R) : R_scope.
Notation "\sum_ ( m <= i < n ) F" := (\big[Rplus/0]_(m <= i < n) F%R) : R_scope.
Notation "\sum_ i F" := (\big[Rplus/0]_i F%R) : R_scope.

(* ---- finite sums ---- *)

Section Sums.
Variables (I : Type) (r : seq I) (P : pred I).
Implicit Types (F G : I -> R) (c : R).

Lemma sumD F G : \sum_(i <- r | P i) (F i + G i) = \sum_(i <- r | P i) F i + \sum_(i <- r | P i) G i.
Proof. exact: big_split. Qed.

Lemma sum_mull (c : R) F : c * (\sum_(i <- r | P i) F i) = \sum_(i <- r | P i) (c * F i).
Proof. exact: big_distrr. Qed.

Lemma sum_mulr (c : R) F : (\sum_(i <- r | P i) F i) * c = \sum_(i <- r | P i) (F i * c).
Proof. exact: big_distrl. Qed.

Lemma sumN F : \sum_(i <- r | P i) (- F i) = - \sum_(i <- r | P i) F i.
Proof. by rewrite (big_morph Ropp Ropp_plus_distr Ropp_0). Qed.

Lemma sumB F G : \sum_(i <- r | P i) (F i - G i) = \sum_(i <- r | P i) F i - \sum_(i <- r | P i) G i.
Proof. by rewrite sumD sumN. Qed.

Lemma sum0 F : (forall i, P i -> F i = 0) -> \sum_(i <- r | P i) F i = 0.
Proof. by move=> H; rewrite big1. Qed.

Lemma sum_le F G : (forall i, P i -> F i <= G i) -> \sum_(i <- r | P i) F i <= \sum_(i <- r | P i) G i.
Proof.
move=> H; apply: (big_ind2 (fun x y => x <= y)) => //; first exact: Rle_refl.
by move=> *; apply: Rplus_le_compat.
Qed.

Lemma sum_ge0 F : (forall i, P i -> 0 <= F i) -> 0 <= \sum_(i <- r | P i) F i.
Proof. by move=> H; apply: (big_ind (fun x => 0 <= x)) => //; [exact: Rle_refl | move=> *; lra]. Qed.

Lemma sum_le0 F : (forall i, P i -> F i <= 0) -> \sum_(i <- r | P i) F i <= 0.
Proof. by move=> H; apply: (big_ind (fun x => x <= 0)) => //; [exact: Rle_refl | move=> *; lra]. Qed.

Lemma sum_abs F : Rabs (\sum_(i <- r | P i) F i) <= \sum_(i <- r | P i) Rabs (F i).
Proof.
apply: (big_ind2 (fun x y => Rabs x <= y)) => //; first by rewrite Rabs_R0; apply: Rle_refl.
- by move=> x1 x2 y1 y2 H1 H2; apply: Rle_trans (Rabs_triang _ _) _; lra.
- by move=> *; apply: Rle_refl.
Qed.
End Sums.

Section FinSums.
Variables (I : finType) (P : pred I).
Implicit Types (F G : I -> R) (c : R).

Lemma sum_term_le F i : (forall j, P j -> 0 <= F j) -> P i -> F i <= \sum_(j | P j) F j.
Proof.
move=> F0 Pi; rewrite (bigD1 i) //=.
suff : 0 <= \sum_(j | P j && (j != i)) F j by lra.
by apply: sum_ge0 => j /andP[Pj _]; apply: F0.
Qed.

Lemma sum_gt0 F i : (forall j, P j -> 0 <= F j) -> P i -> 0 < F i -> 0 < \sum_(j | P j) F j.
Proof. by move=> F0 Pi Fi; have := sum_term_le F0 Pi; lra. Qed.

(* A sum of non-negative terms vanishes only when every term does. *)
Lemma sum_eq0 F i : (forall j, P j -> 0 <= F j) -> \sum_(j | P j) F j = 0 -> P i -> F i = 0.
Proof. by move=> F0 S0 Pi; have := sum_term_le F0 Pi; have := F0 i Pi; lra. Qed.

Lemma sum_lt F G i : (forall j, P j -> F j <= G j) -> P i -> F i < G i -> \sum_(j | P j) F j < \sum_(j | P j) G j.
Proof.
move=> FG Pi Hi.
have : 0 < \sum_(j | P j) (G j - F j).
  by apply: (@sum_gt0 (fun j => G j - F j) i) => //; [move=> j /FG; lra | lra].
by rewrite sumB; lra.
Qed.

Lemma sum_const (c : R) : \sum_(i : I) c = INR #|I| * c.
Proof.
rewrite big_const; elim: #|I| => [|n IH]; first by rewrite /=; ring.
by rewrite iterS IH S_INR; ring.
Qed.

Lemma sum_pred_id F : \sum_(i | P i) F i = \sum_i (if P i then F i else 0).
Proof. by rewrite big_mkcond. Qed.
End FinSums.

(* Cauchy-Schwarz for finite sums, in squared form. *)
Lemma sum_cauchy_schwarz (I : finType) (P : pred I) (F G : I -> R) :
  Rsqr (\sum_(i | P i) (F i * G i)) <= (\sum_(i | P i) Rsqr (F i)) * (\sum_(i | P i) Rsqr (G i)).
Proof.
set a := \sum_(i | P i) Rsqr (F i); set b := \sum_(i | P i) (F i * G i); set c := \sum_(i | P i) Rsqr (G i).
have quad t : 0 <= t * t * a - 2 * t * b + c.
  have -> : t * t * a - 2 * t * b + c = \sum_(i | P i) Rsqr (t * F i - G i).
    rewrite /a /b /c !sum_mull -sumB -sumD; apply: eq_bigr => i _; rewrite /Rsqr; ring.
  by apply: sum_ge0 => i _; apply: Rle_0_sqr.
have a0 : 0 <= a by apply: sum_ge0 => i _; apply: Rle_0_sqr.
case: a0 => [a0 | a0]; last first.
  have b0 : b = 0.
    apply: sum0 => i Pi.
    have Fi : Rsqr (F i) = 0 by apply: (sum_eq0 (F := fun j => Rsqr (F j)) _ (esym a0) Pi) => j _; apply: Rle_0_sqr.
    by rewrite (Rsqr_0_uniq _ Fi) Rmult_0_l.
  by rewrite b0 -a0 /Rsqr; lra.
have := quad (b / a).
have -> : b / a * (b / a) * a - 2 * (b / a) * b + c = (a * c - b * b) / a by field; lra.
move=> H; rewrite /Rsqr.
have := Rmult_le_compat_r a _ _ (Rlt_le _ _ a0) H.
rewrite Rmult_0_l /Rdiv Rmult_assoc Rinv_l; lra.
Qed.

(* ---- Gibbs' inequality: relative entropy is bounded by the log of the total mass ---- *)

Lemma ln_le_sub1 x : 0 < x -> ln x <= x - 1.
Proof.
move=> x0; case: (Req_dec x 1) => [-> | x1]; first by rewrite ln_1; lra.
have lx : ln x <> 0 by move=> H; apply: x1; rewrite -(exp_ln x) // H exp_0.
by have := exp_ineq1 (ln x) lx; rewrite exp_ln //; lra.
Qed.

(* Jensen for the logarithm: sum q log(a/q) <= log sum a, for weights q >= 0 of total one and masses a > 0; a weight
   q = 0 contributes nothing. *)
Lemma gibbs (I : finType) (P : pred I) (q a : I -> R) :
  (forall i, P i -> 0 <= q i) -> \sum_(i | P i) q i = 1 -> (forall i, P i -> 0 < a i) ->
  \sum_(i | P i) q i * (ln (a i) - ln (q i)) <= ln (\sum_(i | P i) a i).
Proof.
move=> q0 q1 a0; set A := \sum_(i | P i) a i.
have [i0 Pi0] : exists i, P i.
  case: (pickP P) => [i Pi | H]; first by exists i.
  by move: q1; rewrite big_pred0 //; lra.
have A0 : 0 < A by apply: (sum_gt0 (i := i0)) => // [j /a0 /Rlt_le //|]; exact: a0.
have key i : P i -> q i * (ln (a i) - ln (q i)) <= a i / A - q i + q i * ln A.
  move=> Pi; case: (q0 i Pi) => [qi | <-]; last first.
    have : 0 <= a i / A by apply: Rlt_le; apply: Rdiv_lt_0_compat => //; apply: a0.
    by rewrite !Rmult_0_l; lra.
  have ai := a0 i Pi; have qA : 0 < q i * A by apply: Rmult_lt_0_compat.
  have := ln_le_sub1 (Rdiv_lt_0_compat _ _ ai qA).
  rewrite ln_div // ln_mult // => H.
  have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ qi) H.
  have -> : q i * (a i / (q i * A) - 1) = a i / A - q i by field; lra.
  lra.
apply: Rle_trans (sum_le _ key) _.
rewrite sumD sumB q1 -sum_mulr q1 -(@sum_mulr _ _ _ (/ A)) -/A; right; field; lra.
Qed.

(* ---- vectors ---- *)

Definition vec (J : finType) := J -> R.

Section Vectors.
Variable J : finType.
Implicit Types (u v w : vec J) (c t : R).

Definition vzero : vec J := fun=> 0.
Definition vadd u v : vec J := fun j => u j + v j.
Definition vopp u : vec J := fun j => - u j.
Definition vsub u v : vec J := fun j => u j - v j.
Definition vscale c u : vec J := fun j => c * u j.
Definition dot u v : R := \sum_j (u j * v j).

(* Linear combination sum_(i | P i) c_i x_i. *)
Definition combine (I : finType) (P : pred I) (c : I -> R) (x : I -> vec J) : vec J :=
  fun j => \sum_(i | P i) (c i * x i j).

Lemma vec_ext u v : (forall j, u j = v j) -> u = v.
Proof. by move=> H; apply: functional_extensionality. Qed.
End Vectors.

Arguments vzero {J}.

Declare Scope vec_scope.
Delimit Scope vec_scope with V.
Bind Scope vec_scope with vec.
Notation "0" := vzero : vec_scope.
Notation "u + v" := (vadd u%V v%V) : vec_scope.
Notation "- u" := (vopp u%V) : vec_scope.
Notation "u - v" := (vsub u%V v%V) : vec_scope.
Notation "c * u" := (vscale c%R u%V) : vec_scope.
Arguments dot {J} (u v)%V.

(* Closes equations between vectors that hold coordinatewise by ring. *)
Ltac vec_ring := apply: vec_ext => ?; rewrite /vadd /vsub /vopp /vscale /vzero; ring.

Lemma vline0 (J : finType) (w v : vec J) : (w + 0%R * v)%V = w.
Proof. by vec_ring. Qed.

Lemma vline1 (J : finType) (w v : vec J) : (w + 1%R * v)%V = (w + v)%V.
Proof. by vec_ring. Qed.

Section Dot.
Variable J : finType.
Implicit Types (u v w : vec J) (c t : R).

Lemma dotC u v : dot u v = dot v u.
Proof. by apply: eq_bigr => j _; rewrite Rmult_comm. Qed.

Lemma dotDl u v w : dot (u + v) w = dot u w + dot v w.
Proof. by rewrite /dot -sumD; apply: eq_bigr => j _; rewrite /vadd; ring. Qed.

Lemma dotDr u v w : dot u (v + w) = dot u v + dot u w.
Proof. by rewrite dotC dotDl !(dotC u). Qed.

Lemma dotZl c u v : dot (c * u) v = c * dot u v.
Proof. by rewrite /dot sum_mull; apply: eq_bigr => j _; rewrite /vscale; ring. Qed.

Lemma dotZr c u v : dot u (c * v) = c * dot u v.
Proof. by rewrite dotC dotZl dotC. Qed.

Lemma dotNl u v : dot (- u) v = - dot u v.
Proof. by rewrite /dot -sumN; apply: eq_bigr => j _; rewrite /vopp; ring. Qed.

Lemma dotNr u v : dot u (- v) = - dot u v.
Proof. by rewrite dotC dotNl dotC. Qed.

Lemma dotBl u v w : dot (u - v) w = dot u w - dot v w.
Proof. by rewrite /dot -sumB; apply: eq_bigr => j _; rewrite /vsub; ring. Qed.

Lemma dotBr u v w : dot u (v - w) = dot u v - dot u w.
Proof. by rewrite dotC dotBl !(dotC u). Qed.

Lemma dot0l v : dot 0 v = 0.
Proof. by apply: sum0 => j _; rewrite /vzero Rmult_0_l. Qed.

Lemma dot0r v : dot v 0 = 0.
Proof. by rewrite dotC dot0l. Qed.

Lemma dot_combinel (I : finType) (P : pred I) (c : I -> R) (x : I -> vec J) v :
  dot (combine P c x) v = \sum_(i | P i) c i * dot (x i) v.
Proof.
rewrite /dot /combine.
under eq_bigr do rewrite sum_mulr.
rewrite exchange_big; apply: eq_bigr => i _; rewrite sum_mull.
by apply: eq_bigr => j _; ring.
Qed.

Lemma dot_combiner (I : finType) (P : pred I) (c : I -> R) (x : I -> vec J) v :
  dot v (combine P c x) = \sum_(i | P i) c i * dot v (x i).
Proof. by rewrite dotC dot_combinel; apply: eq_bigr => i _; rewrite dotC. Qed.

Lemma combine_eq (I : finType) (P : pred I) (c d : I -> R) (x y : I -> vec J) :
  (forall i, P i -> c i = d i) -> (forall i, P i -> x i = y i) -> combine P c x = combine P d y.
Proof. by move=> cd xy; apply: vec_ext => j; apply: eq_bigr => i Pi; rewrite cd // xy. Qed.

Lemma combine_scale (I : finType) (P : pred I) t (c : I -> R) (x : I -> vec J) :
  combine P (fun i => t * c i) x = (t * combine P c x)%V.
Proof. by apply: vec_ext => j; rewrite /combine /vscale sum_mull; apply: eq_bigr => i _; ring. Qed.

Lemma combine_sub (I : finType) (P : pred I) (c d : I -> R) (x : I -> vec J) :
  combine P (fun i => c i - d i) x = (combine P c x - combine P d x)%V.
Proof. by apply: vec_ext => j; rewrite /combine /vsub -sumB; apply: eq_bigr => i _; ring. Qed.
End Dot.

(* ---- rank-one vectors: <x z', x~ z~'> = <x, x~> <z, z~> ---- *)

Definition outer (J K : finType) (x : vec J) (z : vec K) : vec [finType of J * K] := fun p => x p.1 * z p.2.

Lemma dot_outer (J K : finType) (x y : vec J) (z u : vec K) : dot (outer x z) (outer y u) = dot x y * dot z u.
Proof.
rewrite /dot sum_mulr -(pair_bigA _ (fun j k => outer x z (j, k) * outer y u (j, k))) /=.
apply: eq_bigr => j _; rewrite sum_mull; apply: eq_bigr => k _; rewrite /outer /=; ring.
Qed.

(* ---- derivatives of finite sums, and along a line ---- *)

Lemma is_derive_ext_eq (f : R -> R) (x d e : R) : d = e -> is_derive f x d -> is_derive f x e.
Proof. by move=> ->. Qed.

Lemma is_derive_sum (I : Type) (r : seq I) (P : pred I) (f : I -> R -> R) (x : R) (d : I -> R) :
  (forall i, P i -> is_derive (f i) x (d i)) ->
  is_derive (fun y => \sum_(i <- r | P i) f i y) x (\sum_(i <- r | P i) d i).
Proof.
move=> H; elim: r => [|i r IH].
  by rewrite big_nil; apply: is_derive_ext (is_derive_const 0 x) => y; rewrite big_nil.
rewrite big_cons; case Pi: (P i).
  by apply: is_derive_ext (is_derive_plus _ _ _ _ _ (H i Pi) IH) => y; rewrite big_cons Pi.
by apply: is_derive_ext IH => y; rewrite big_cons Pi.
Qed.

Lemma is_derive_dot_line (J : finType) (a w v : vec J) (x : R) :
  is_derive (fun y => dot a (w + y * v)) x (dot a v).
Proof.
apply: (is_derive_ext (fun y => dot a w + y * dot a v)) => [y|]; first by rewrite dotDr dotZr.
by auto_derive => //; ring.
Qed.
