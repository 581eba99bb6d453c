(* NearRank: what an approximate dual solution says of the rank of all matrices of small nuclear norm. W is near W P,
   P = sum_i y_i c_i' of rank r at most, when a matrix N of spectral norm at most one has <N, W> nearly as large as the
   nuclear norm of W, and is shorter than one across P: |N x|^2 + s^2 |x - P' x|^2 <= |x|^2 for every x. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Duality NormDuality DualNorm Rank.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section NearRank.
Variables (d e : finType) (r : nat) (c y : 'I_r -> vec e).
Local Notation matrix := (vec [finType of d * e]).
Implicit Types (M W Z : matrix) (x : vec e).

(* x - P' x *)
Definition left_over x : vec e := (x - combine predT (fun i => dot (y i) x) c)%V.
(* W P, and Z - Z P' *)
Definition projected W : matrix := factored (fun i => matrix_vector W (y i)) c.
Definition trimmed Z : matrix := (Z - factored (fun i => matrix_vector Z (c i)) y)%V.

Lemma projected_rank W : rank_at_most r (projected W).
Proof. by eexists; eexists. Qed.

Lemma matrix_vectorD M Z x : matrix_vector (M + Z)%V x = (matrix_vector M x + matrix_vector Z x)%V.
Proof. by apply: vec_ext => j; rewrite /matrix_vector /vadd -sumD; apply: eq_bigr => k _; ring. Qed.

Lemma matrix_vectorZ a M x : matrix_vector (a * M)%V x = (a * matrix_vector M x)%V.
Proof. by apply: vec_ext => j; rewrite /matrix_vector /vscale sum_mull; apply: eq_bigr => k _; ring. Qed.

Lemma matrix_vector_factored (a : 'I_r -> vec d) x :
  matrix_vector (factored a y) x = combine predT (fun i => dot (y i) x) a.
Proof.
apply: vec_ext => j; rewrite /matrix_vector /factored /combine /outer /=.
rewrite (eq_bigr (fun k => \sum_i 1 * (a i j * y i k) * x k)) => [|k _]; last by rewrite sum_mulr.
rewrite exchange_big; apply: eq_bigr => i _; rewrite /dot sum_mulr; apply: eq_bigr => k _; ring.
Qed.

Lemma matrix_vector_trimmed Z x : matrix_vector (trimmed Z) x = matrix_vector Z (left_over x).
Proof.
have -> : trimmed Z = (Z + (- (1)) * factored (fun i => matrix_vector Z (c i)) y)%V by rewrite /trimmed; vec_ring.
rewrite matrix_vectorD matrix_vectorZ matrix_vector_factored.
have -> : matrix_vector Z (left_over x) =
    (matrix_vector Z x + (- (1)) * matrix_vector Z (combine predT (fun i => dot (y i) x) c))%V.
  apply: vec_ext => j; rewrite /left_over /vadd /vscale /matrix_vector sum_mull -sumD; apply: eq_bigr => k _.
  by rewrite /vsub; ring.
congr (_ + _ * _)%V; apply: vec_ext => j; rewrite /combine /matrix_vector.
rewrite [RHS](eq_bigr (fun k => \sum_i dot (y i) x * (Z (j, k) * c i k))) => [|k _]; last first.
  by rewrite sum_mull; apply: eq_bigr => i _; ring.
by rewrite exchange_big; apply: eq_bigr => i _; rewrite sum_mull.
Qed.

Lemma dot_trimmed Z W : dot (trimmed Z) W = dot Z (W - projected W)%V.
Proof.
have E (a : 'I_r -> vec d) (b : 'I_r -> vec e) (M : matrix) :
    dot M (factored a b) = \sum_i dot (matrix_vector M (b i)) (a i).
  by rewrite /factored dot_combiner; apply: eq_bigr => i _; rewrite dot_matrix_outer; ring.
rewrite /trimmed dotBl dotBr /projected E (dotC (factored _ _)) E; congr (_ - _).
by apply: eq_bigr => i _; rewrite dotC.
Qed.

Variables (M : matrix) (s t : R).
Hypotheses (t0 : 0 < t) (ts : t * t < s * s).
Hypothesis short : forall x, vnorm2 (matrix_vector M x) + s * s * vnorm2 (left_over x) <= vnorm2 x.
Let q := s * s - t * t.
Let stretch := 1 + t * t / (2 * q).

Lemma stretch_ge1 : 1 <= stretch.
Proof.
have q0 : 0 < q by rewrite /q; lra.
have : 0 <= t * t / (2 * q) by apply: Rmult_le_pos; [nra | apply: Rlt_le; apply: Rinv_0_lt_compat; lra].
by rewrite /stretch; lra.
Qed.

(* M + t Z - t Z P' stretches by little more than t^2 / (2 s^2). *)
Lemma tilted_contraction Z : contraction Z -> contraction (/ stretch * (M + t * trimmed Z))%V.
Proof.
move=> C x; have q0 : 0 < q by rewrite /q; lra.
have s1 := stretch_ge1; set b := vnorm (left_over x); set n := vnorm x.
have b0 : 0 <= b := vnorm_ge0 _; have n0 : 0 <= n := vnorm_ge0 _.
rewrite matrix_vectorZ matrix_vectorD matrix_vectorZ matrix_vector_trimmed vnorm2Z.
set u := matrix_vector M x; set v := matrix_vector Z (left_over x).
have ub : vnorm2 u <= n * n - s * s * (b * b) by have := short x; rewrite /n /b !vnorm_sqr -/u; lra.
have vb : vnorm2 v <= b * b by rewrite /b vnorm_sqr; exact: C.
have un : vnorm u <= n by apply: vnorm_le_sqr => //; have := Rle_0_sqr s; have := Rle_0_sqr b; rewrite /Rsqr; nra.
have vn : vnorm v <= b by apply: vnorm_le_sqr.
have uv : dot u v <= n * b.
  by apply: Rle_trans (dot_le_norms u v) _; apply: Rmult_le_compat => //; exact: vnorm_ge0.
have total : vnorm2 (u + t * v)%V <= n * n * (1 + t * t / q).
  rewrite vnorm2D dotZr vnorm2Z; apply: (Rle_trans _ (n * n - q * (b * b) + 2 * t * (n * b))); first by rewrite /q; nra.
  have square : 0 <= Rsqr (q * b - t * n) / q.
    by apply: Rmult_le_pos (Rle_0_sqr _) (Rlt_le _ _ (Rinv_0_lt_compat _ q0)).
  have E : Rsqr (q * b - t * n) / q = q * (b * b) - 2 * t * (n * b) + n * n * (t * t / q) by rewrite /Rsqr; field; lra.
  by rewrite E in square; lra.
have sq : 1 + t * t / q <= stretch * stretch.
  have E : stretch * stretch = 1 + t * t / q + Rsqr (t * t / (2 * q)) by rewrite /stretch /Rsqr; field; lra.
  by rewrite E; have := Rle_0_sqr (t * t / (2 * q)); lra.
rewrite -(vnorm_sqr x) -/n; have nn : 0 <= n * n by nra.
apply: (Rle_trans _ (/ stretch * / stretch * (n * n * (stretch * stretch)))); last by right; field; lra.
have i0 : 0 < / stretch by apply: Rinv_0_lt_compat; lra.
by apply: Rmult_le_compat_l; [nra | exact: Rle_trans total (Rmult_le_compat_l _ _ _ nn sq)].
Qed.

(* All matrices that nearly have as large a product with M as their norm allows. *)
Theorem near_rank W low high : nuclear_norm W <= high -> low <= dot M W ->
  t * nuclear_norm (W - projected W)%V <= high - low + high * (t * t / (2 * q)).
Proof.
move=> above below; have s1 := stretch_ge1; have s0 : 0 < stretch by lra.
have q0 : q <> 0 by rewrite /q; lra.
set room := high - low + _; have E : t * (room / t) = room by field; lra.
suff H : nuclear_norm (W - projected W)%V <= room / t by rewrite -E; apply: Rmult_le_compat_l H; lra.
apply: (proj2 (nuclear_norm_lub _)) => Z C; apply: (Rmult_le_reg_l t) => //; rewrite E.
have := spectral_dual s0 (tilted_contraction C) W; rewrite dotDl dotZl dot_trimmed => H.
have stretched : stretch * high = high + high * (t * t / (2 * q)) by rewrite /stretch; ring.
have := Rmult_le_compat_l stretch _ _ (Rlt_le _ _ s0) above; rewrite /room; lra.
Qed.
End NearRank.
