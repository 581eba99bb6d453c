(* MatrixProducts: matrices and their transposes times vectors, products of factors, and how long these are. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid NormDuality NearbyRoot.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Products.
Variables (d e : finType).
Local Notation matrix := (vec [finType of d * e]).
Implicit Types (M N W : matrix) (x : vec e) (y : vec d).

(* M' y *)
Definition matrix_back M y : vec e := fun k => \sum_j M (j, k) * y j.

Lemma dot_outer_right M y x : dot M (outer y x) = dot (matrix_vector M x) y.
Proof. exact: dot_matrix_outer. Qed.

Lemma dot_outer_left M y x : dot M (outer y x) = dot (matrix_back M y) x.
Proof.
rewrite /dot /matrix_back (eq_bigr (fun p => M (p.1, p.2) * (y p.1 * x p.2))) => [|[j k] _ //].
rewrite -(pair_bigA _ (fun j k => M (j, k) * (y j * x k))) /= exchange_big; apply: eq_bigr => k _.
by rewrite sum_mulr; apply: eq_bigr => j _; ring.
Qed.

Lemma adjoint M x y : dot (matrix_vector M x) y = dot x (matrix_back M y).
Proof. by rewrite -dot_outer_right dot_outer_left dotC. Qed.

Lemma matrix_vector_add M x x' : matrix_vector M (x + x')%V = (matrix_vector M x + matrix_vector M x')%V.
Proof. by apply: dots_ext => y; rewrite dotDl !adjoint dotDl. Qed.

Lemma matrix_vector_scale M a x : matrix_vector M (a * x)%V = (a * matrix_vector M x)%V.
Proof. by apply: dots_ext => y; rewrite dotZl !adjoint dotZl. Qed.

Lemma matrix_vector_combine M (I : finType) (a : I -> R) (v : I -> vec e) :
  matrix_vector M (combine predT a v) = combine predT a (fun i => matrix_vector M (v i)).
Proof. by apply: dots_ext => y; rewrite adjoint !dot_combinel; apply: eq_bigr => i _; rewrite adjoint. Qed.

Lemma matrix_back_add M y y' : matrix_back M (y + y')%V = (matrix_back M y + matrix_back M y')%V.
Proof. by apply: dots_ext => x; rewrite dotDl !(dotC _ x) -!adjoint dotDr. Qed.

Lemma matrix_back_combine M (I : finType) (a : I -> R) (v : I -> vec d) :
  matrix_back M (combine predT a v) = combine predT a (fun i => matrix_back M (v i)).
Proof.
by apply: dots_ext => x; rewrite !(dotC _ x) -adjoint !dot_combiner; apply: eq_bigr => i _; rewrite -adjoint.
Qed.

Lemma sum_matrix_vector M N x : matrix_vector (M + N)%V x = (matrix_vector M x + matrix_vector N x)%V.
Proof. by apply: dots_ext => y; rewrite dotDl -!dot_outer_right dotDl. Qed.

Lemma sum_matrix_back M N y : matrix_back (M + N)%V y = (matrix_back M y + matrix_back N y)%V.
Proof. by apply: dots_ext => x; rewrite dotDl -!dot_outer_left dotDl. Qed.

Lemma vnorm2_outer y x : vnorm2 (outer y x) = vnorm2 y * vnorm2 x.
Proof. exact: dot_outer. Qed.

(* |M x| <= |M| |x| with the Euclidean norm of M *)
Lemma matrix_vector_short M x : vnorm2 (matrix_vector M x) <= vnorm2 M * vnorm2 x.
Proof.
set u := matrix_vector M x; have E : vnorm2 u = dot M (outer u x) by rewrite dot_outer_right.
have := cauchy_schwarz2 M (outer u x); rewrite -E vnorm2_outer.
have u0 := vnorm2_ge0 u; have M0 := vnorm2_ge0 M; have x0 := vnorm2_ge0 x; case: u0 => [u0 | <- _]; last nra.
by move=> H; apply: (Rmult_le_reg_l (vnorm2 u)) => //; lra.
Qed.

Lemma matrix_back_short M y : vnorm2 (matrix_back M y) <= vnorm2 M * vnorm2 y.
Proof.
set u := matrix_back M y; have E : vnorm2 u = dot M (outer y u) by rewrite dot_outer_left.
have := cauchy_schwarz2 M (outer y u); rewrite -E vnorm2_outer.
have u0 := vnorm2_ge0 u; have M0 := vnorm2_ge0 M; have y0 := vnorm2_ge0 y; case: u0 => [u0 | <- _]; last nra.
by move=> H; apply: (Rmult_le_reg_l (vnorm2 u)) => //; lra.
Qed.

Lemma vnorm2D_le (J : finType) (u v : vec J) : vnorm2 (u + v)%V <= 2 * (vnorm2 u + vnorm2 v).
Proof. by have := vnorm2_ge0 (u - v)%V; rewrite vnorm2D vnorm2B; lra. Qed.

Lemma combine_short_in (J I : finType) (A : pred I) (x : I -> R) (B : I -> vec J) :
  vnorm2 (combine A x B) <= (\sum_(c | A c) x c * x c) * (\sum_(c | A c) vnorm2 (B c)).
Proof.
have -> : (\sum_(c | A c) x c * x c) * (\sum_(c | A c) vnorm2 (B c)) =
          \sum_j (\sum_(c | A c) x c * x c) * (\sum_(c | A c) B c j * B c j).
  by rewrite /vnorm2 /dot exchange_big sum_mull.
by apply: sum_le => j _; apply: (sum_cauchy_schwarz A x (fun c => B c j)).
Qed.

Lemma combine_short (J I : finType) (x : I -> R) (B : I -> vec J) :
  vnorm2 (combine predT x B) <= (\sum_c x c * x c) * (\sum_c vnorm2 (B c)).
Proof. exact: combine_short_in. Qed.

Lemma dots_short (J I : finType) (B : I -> vec J) (w : vec J) :
  \sum_c dot (B c) w * dot (B c) w <= (\sum_c vnorm2 (B c)) * vnorm2 w.
Proof. by rewrite sum_mulr; apply: sum_le => c _; exact: cauchy_schwarz2. Qed.

Variable m : finType.
Implicit Types (K : m -> vec d) (Q : m -> vec e).

Lemma dot_right_columns M K Q : dot M (factored K Q) = \sum_i dot (matrix_vector M (Q i)) (K i).
Proof. by rewrite /factored dot_combiner; apply: eq_bigr => i _; rewrite dot_outer_right; ring. Qed.

Lemma dot_left_columns M K Q : dot M (factored K Q) = \sum_i dot (matrix_back M (K i)) (Q i).
Proof. by rewrite /factored dot_combiner; apply: eq_bigr => i _; rewrite dot_outer_left; ring. Qed.

Lemma factored_short K Q : vnorm2 (factored K Q) <= (\sum_i vnorm2 (K i)) * (\sum_i vnorm2 (Q i)).
Proof.
set k := \sum_i vnorm2 (K i); set q := \sum_i vnorm2 (Q i); set W := factored K Q.
have k0 : 0 <= k by apply: sum_ge0 => i _; exact: vnorm2_ge0.
have q0 : 0 <= q by apply: sum_ge0 => i _; exact: vnorm2_ge0.
have Wkq : vnorm W <= sqrt k * sqrt q.
  apply: Rle_trans (vnorm_combine _ _ _) _; rewrite Rabs_R1.
  apply: le_of_sqr_le; first by apply: Rmult_le_pos; exact: sqrt_pos.
  have -> : sqrt k * sqrt q * (sqrt k * sqrt q) = sqrt k * sqrt k * (sqrt q * sqrt q) by ring.
  rewrite !sqrt_sqrt // /k /q.
  have E (J : finType) (v : m -> vec J) : \sum_i Rsqr (vnorm (v i)) = \sum_i vnorm2 (v i).
    by apply: eq_bigr => i _; exact: vnorm_sqr.
  have := sum_cauchy_schwarz predT (fun i => vnorm (K i)) (fun i => vnorm (Q i)); rewrite !E -/k -/q.
  apply: Rle_trans; right; congr (_ * _); apply: eq_bigr => i _; rewrite Rmult_1_l;
    by rewrite /vnorm vnorm2_outer sqrt_mult //; exact: vnorm2_ge0.
have W0 := vnorm_ge0 W; rewrite -vnorm_sqr -(sqrt_sqrt k) // -(sqrt_sqrt q) //.
have := sqrt_pos k; have := sqrt_pos q; nra.
Qed.

Lemma factoredDl K K' Q : factored (fun i => (K i + K' i)%V) Q = (factored K Q + factored K' Q)%V.
Proof. by apply: vec_ext => j; rewrite /factored /combine /vadd -sumD; apply: eq_bigr => i _; rewrite /outer; ring. Qed.

Lemma factoredDr K Q Q' : factored K (fun i => (Q i + Q' i)%V) = (factored K Q + factored K Q')%V.
Proof. by apply: vec_ext => j; rewrite /factored /combine /vadd -sumD; apply: eq_bigr => i _; rewrite /outer; ring. Qed.
End Products.
