(* BalancedFactors: matrices K Q' with K = M Q and Q = M' K, the columns independent, M shorter than one across those of
   Q: M is a contraction, the nuclear norm of K Q' is <M, K Q'>, its rank is the number of columns, and every matrix W
   whose nuclear norm is <M, W> is K T Q' with a symmetric T. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz FunctionalExtensionality.
From Attest Require Import Euclid PositiveDefinite NormDuality DualNorm Rank NearRank NearbyRoot MatrixProducts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- independent columns ---- *)

Section Independent.
Variables (J : finType) (r : nat) (V : 'I_r -> vec J).

Definition independent : Prop := forall x, combine predT x V = vzero -> forall i, x i = 0.
Hypothesis indep : independent.

Lemma independent_solve (b : 'I_r -> R) : exists x, forall i, dot (V i) (combine predT x V) = b i.
Proof.
have [x [i [_ xi]] | x Hx] := @gram_solve J [finType of 'I_r] V predT _ b.
  by case: (vnorm2_ge0 (combine predT x V)) => // /esym/vnorm2_eq0 /indep/(_ i).
by exists x => i; exact: Hx.
Qed.

(* What is orthogonal to all that is orthogonal to the columns is a combination of them. *)
Lemma combination_of_orthogonal v : (forall z, (forall i, dot (V i) z = 0) -> dot v z = 0) ->
  exists x, v = combine predT x V.
Proof.
move=> H; have [x Hx] := independent_solve (fun i => dot (V i) v); exists x; set c := combine _ _ _ in Hx *.
have orth i : dot (V i) (v - c)%V = 0 by rewrite dotBr Hx; ring.
have zero : vnorm2 (v - c)%V = 0.
  rewrite /vnorm2 dotBl H // /c dot_combinel sum0 => [|i _]; [by ring | by rewrite -/c orth; ring].
by apply: vec_ext => j; have := f_equal (@^~ j) (vnorm2_eq0 zero); rewrite /vsub /vzero /=; lra.
Qed.

Lemma dual_columns : exists y : 'I_r -> vec J, (forall i j, dot (V j) (y i) = if j == i then 1 else 0) /\
  forall i, exists x, y i = combine predT x V.
Proof.
have [x Hx] := fin_all_exists (fun i => independent_solve (fun j => if j == i then 1 else 0)).
by exists (fun i => combine predT (x i) V); split=> [i j | i]; [exact: Hx | exists (x i)].
Qed.
End Independent.

Lemma linear_bound_zero x c : 0 <= c -> (forall t, t * x <= t * t * c) -> x = 0.
Proof.
move=> c0 H; have := H (x / (c + 1)) => {}H; case: (Req_dec x 0) => // ne; exfalso.
have x2 : 0 < x * x by have := Rsqr_pos_lt _ ne; rewrite /Rsqr.
have i0 : 0 < / (c + 1) by apply: Rinv_0_lt_compat; lra.
have E : x / (c + 1) * (x / (c + 1)) * c = x * x * / (c + 1) - x * x * / (c + 1) * / (c + 1) by field; lra.
rewrite E in H; have : x / (c + 1) * x = x * x * / (c + 1) by field; lra.
have := Rmult_lt_0_compat _ _ (Rmult_lt_0_compat _ _ x2 i0) i0; lra.
Qed.

(* Only the zero matrix has the nuclear norm zero. *)
Lemma nuclear_norm_zero (d e : finType) (W : vec [finType of d * e]) : nuclear_norm W <= 0 -> W = vzero.
Proof.
move=> W0; apply: vnorm_eq0; apply: Rle_antisym (vnorm_ge0 _); apply: Rnot_lt_le => pos.
have C : contraction (/ vnorm W * W)%V.
  move=> x; rewrite NearRank.matrix_vectorZ vnorm2Z; have := matrix_vector_short W x; rewrite -(vnorm_sqr W) => H.
  have i0 : 0 < / vnorm W by apply: Rinv_0_lt_compat.
  apply: (Rle_trans _ (/ vnorm W * / vnorm W * (vnorm W * vnorm W * vnorm2 x))).
    by apply: Rmult_le_compat_l H; nra.
  by right; field; lra.
have := proj1 (nuclear_norm_lub W) _ C; rewrite dotZl -/(vnorm2 W) -(vnorm_sqr W).
have -> : / vnorm W * (vnorm W * vnorm W) = vnorm W by field; lra.
lra.
Qed.

Section Balanced.
Variables (d e : finType) (r : nat) (M : vec [finType of d * e]) (K : 'I_r -> vec d) (Q : 'I_r -> vec e).
Hypotheses (KM : forall i, K i = matrix_vector M (Q i)) (QM : forall i, Q i = matrix_back M (K i)).
Hypothesis indep : independent Q.
Variable squeeze : R.
Hypothesis squeeze1 : squeeze < 1.
Hypothesis across : forall y, (forall i, dot (Q i) y = 0) -> vnorm2 (matrix_vector M y) <= squeeze * vnorm2 y.
Implicit Types (x v : vec e) (z : vec d) (W E : vec [finType of d * e]).

Lemma apply_right a : matrix_vector M (combine predT a Q) = combine predT a K.
Proof. by rewrite matrix_vector_combine; apply: combine_eq => // i _; rewrite KM. Qed.

Lemma apply_left a : matrix_back M (combine predT a K) = combine predT a Q.
Proof. by rewrite matrix_back_combine; apply: combine_eq => // i _; rewrite -QM. Qed.

Lemma independent_left : independent K.
Proof.
move=> a zero; apply: indep; rewrite -apply_left zero; apply: vec_ext => j.
by apply: sum0 => k _; rewrite /vzero; ring.
Qed.

(* M keeps products with combinations of the columns of Q. *)
Lemma isometry a x : dot (matrix_vector M (combine predT a Q)) (matrix_vector M x) = dot (combine predT a Q) x.
Proof. by rewrite dotC adjoint apply_right apply_left dotC. Qed.

Variable y : 'I_r -> vec e.
Hypothesis dual : forall i j, dot (Q j) (y i) = if j == i then 1 else 0.
Hypothesis inside : forall i, exists a, y i = combine predT a Q.

Notation along x := (combine predT (fun i => dot (y i) x) Q).

Lemma left_over_orthogonal x j : dot (Q j) (left_over Q y x) = 0.
Proof.
have [a Ha] := independent_solve indep (fun j => dot (Q j) x); set p := combine predT a Q in Ha.
pose z := (x - p)%V; have zQ i : dot (Q i) z = 0 by rewrite dotBr Ha; ring.
have -> : left_over Q y x = z; last exact: zQ.
rewrite /left_over /z; congr (_ - _)%V; apply: combine_eq => // i _.
have [b Eb] := inside i; have yz : dot (y i) z = 0 by rewrite Eb dot_combinel sum0 // => l _; rewrite zQ; ring.
have -> : dot (y i) x = dot (y i) p by move: yz; rewrite dotBr; lra.
rewrite /p dot_combiner (bigD1 i) //= dotC dual eqxx big1 => [|l li]; first by ring.
by rewrite dotC dual (negbTE li); ring.
Qed.

Lemma split_vector x : x = (along x + left_over Q y x)%V.
Proof. rewrite /left_over; vec_ring. Qed.

Lemma along_left_over a x : dot (combine predT a Q) (left_over Q y x) = 0.
Proof. by rewrite dot_combinel sum0 // => i _; rewrite left_over_orthogonal; ring. Qed.

Lemma along_short x : vnorm2 (along x) <= vnorm2 x.
Proof. by rewrite {2}(split_vector x) vnorm2D along_left_over; have := vnorm2_ge0 (left_over Q y x); lra. Qed.

Lemma short_across x :
  vnorm2 (matrix_vector M x) + sqrt (1 - squeeze) * sqrt (1 - squeeze) * vnorm2 (left_over Q y x) <= vnorm2 x.
Proof.
rewrite sqrt_sqrt; last lra.
have -> : vnorm2 (matrix_vector M x) = vnorm2 (along x) + vnorm2 (matrix_vector M (left_over Q y x)).
  rewrite {1}(split_vector x) matrix_vector_add vnorm2D isometry along_left_over {1}/vnorm2 isometry -/(vnorm2 _).
  by ring.
rewrite {4}(split_vector x) vnorm2D along_left_over.
by have := across (left_over_orthogonal x); lra.
Qed.

Theorem balanced_contraction : contraction M.
Proof.
move=> x; have := short_across x; rewrite sqrt_sqrt; last lra.
by have := vnorm2_ge0 (left_over Q y x); nra.
Qed.

Lemma balanced_product : dot M (factored K Q) = (\sum_i vnorm2 (K i) + \sum_i vnorm2 (Q i)) / 2.
Proof.
have -> : dot M (factored K Q) = \sum_i vnorm2 (K i) by rewrite dot_right_columns; apply: eq_bigr => i _; rewrite -KM.
have -> : \sum_i vnorm2 (Q i) = \sum_i vnorm2 (K i); last by field.
by apply: eq_bigr => i _; rewrite /vnorm2 {1}QM dotC -adjoint -KM.
Qed.

Theorem balanced_norm : nuclear_norm (factored K Q) = dot M (factored K Q).
Proof.
apply: Rle_antisym; first by rewrite balanced_product; exact: nuclear_norm_factored.
exact: contraction_dual_unit balanced_contraction _.
Qed.

(* The rank is the number of columns, and no less. *)
Theorem balanced_rank : rank_is r (factored K Q).
Proof.
split=> [| s [K' [Q' E]]]; first by exists K, Q.
rewrite leqNgt; apply/negP => sr.
pose rows (i : nat) (k : 'I_r) := if insub i is Some l then dot (Q' l) (y k) else 0.
have [||x [[k0 _ xk0] Hx]] := @homogeneous_solution _ s rows (enum 'I_r).
- exact: enum_uniq.
- by rewrite size_enum_ord.
apply: xk0; apply: independent_left; pose v := combine predT x y.
have vector (m : nat) (A : 'I_m -> vec d) (B : 'I_m -> vec e) :
    matrix_vector (factored A B) v = combine predT (fun i => dot (B i) v) A.
  exact: matrix_vector_factored.
have -> : combine predT x K = matrix_vector (factored K Q) v.
  rewrite vector; apply: combine_eq => // i _; rewrite dot_combiner (bigD1 i) //= dual eqxx big1 => [|l li].
    by ring.
  by rewrite dual eq_sym (negbTE li); ring.
rewrite E vector; apply: vec_ext => j; apply: sum0 => l _.
have -> : dot (Q' l) v = 0; last by ring.
rewrite -[RHS](Hx l (ltn_ord l)) dot_combiner /rows valK.
by apply: eq_big => [k | k _]; [rewrite mem_enum | ring].
Qed.

(* ---- the matrices that have their norm with M ---- *)

Variable W : vec [finType of d * e].
Hypothesis attained : nuclear_norm W <= dot M W.

Lemma attained_eq : nuclear_norm W = dot M W.
Proof. by apply: Rle_antisym => //; exact: contraction_dual_unit balanced_contraction _. Qed.

Lemma attained_ge0 : 0 <= nuclear_norm W.
Proof. by have := proj1 (nuclear_norm_lub W) _ (@zero_contraction d e); rewrite dot0l. Qed.

Lemma attained_projected : W = projected Q y W.
Proof.
set V := (W - projected Q y W)%V.
suff zero : V = vzero.
  by apply: vec_ext => j; have := f_equal (@^~ j) zero; rewrite /V /vsub /vzero /=; lra.
apply: nuclear_norm_zero; set s := sqrt (1 - squeeze).
have s0 : 0 < s by apply: sqrt_lt_R0; lra.
have h0 := attained_ge0; set h := nuclear_norm W in h0.
apply: Rnot_lt_le => n0; set n := nuclear_norm V in n0.
(* t n <= h (2/3) t^2 / s^2 for t <= s/2 *)
have near t : 0 < t -> 2 * t <= s -> t * n <= h * (t * t / (s * s)).
  move=> t0 ts; have tt : t * t < s * s by nra.
  have le : h <= dot M W by exact: attained.
  have := near_rank t0 tt short_across (Rle_refl h) le; rewrite -/V -/n => H.
  apply: Rle_trans H _; rewrite Rminus_eq_0 Rplus_0_l; apply: Rmult_le_compat_l => //.
  have q0 : s * s <= 2 * (s * s - t * t) by nra.
  by apply: Rmult_le_compat_l; [nra | apply: Rinv_le_contravar => //; nra].
pose c := h / (s * s); have ss : 0 < s * s by nra.
have c0 : 0 <= c by apply: Rmult_le_pos => //; apply: Rlt_le; exact: Rinv_0_lt_compat.
have bound t : 0 < t -> 2 * t <= s -> n <= t * c.
  move=> t0 ts; apply: (Rmult_le_reg_l t) => //; apply: Rle_trans (near t t0 ts) _; right; rewrite /c; field; lra.
pose t := Rmin (s / 2) (n / (2 * (c + 1))).
have t0 : 0 < t by apply: Rmin_pos; [lra | apply: Rdiv_lt_0_compat; lra].
have t1 : t <= s / 2 := Rmin_l _ _; have t2 : t <= n / (2 * (c + 1)) := Rmin_r _ _.
have := bound t t0; have := Rmult_le_compat_r _ _ _ c0 t2.
have -> : n / (2 * (c + 1)) * c = n / 2 - n / (2 * (c + 1)) by field; lra.
have : 0 < n / (2 * (c + 1)) by apply: Rdiv_lt_0_compat; lra.
lra.
Qed.

(* A direction in which M moves across its image of the columns does not change the product. *)
Lemma first_order E :
  (forall a, dot (matrix_vector M (combine predT a Q)) (matrix_vector E (combine predT a Q)) = 0) -> dot E W = 0.
Proof.
move=> orth; set h := nuclear_norm W; have h0 : 0 <= h := attained_ge0; set m := vnorm2 E.
have m0 : 0 <= m := vnorm2_ge0 E.
apply: (@linear_bound_zero _ (m * h / 2)) => [|t]; first by apply: Rmult_le_pos; [exact: Rmult_le_pos | lra].
pose N := factored (fun i => matrix_vector (M + t * E)%V (Q i)) y.
pose B := 1 + t * t * m / 2; have tt : 0 <= t * t by exact: Rle_0_sqr.
have B0 : 0 < B by have := Rmult_le_pos _ _ tt m0; rewrite /B; lra.
have Nx x : vnorm2 (matrix_vector N x) <= B * B * vnorm2 x.
  rewrite matrix_vector_factored -matrix_vector_combine sum_matrix_vector NearRank.matrix_vectorZ.
  rewrite vnorm2D dotZr orth vnorm2Z {1}/vnorm2 isometry -/(vnorm2 (along x)).
  have := matrix_vector_short E (along x); rewrite -/m; have := along_short x.
  set p := vnorm2 (along x); set X := vnorm2 x; set Ep := vnorm2 _ => pX EpX.
  have X0 : 0 <= X := vnorm2_ge0 x; have p0 : 0 <= p := vnorm2_ge0 _.
  apply: (Rle_trans _ ((1 + t * t * m) * X)); last first.
    by apply: Rmult_le_compat_r => //; rewrite /B; have := Rle_0_sqr (t * t * m / 2); rewrite /Rsqr; lra.
  have := Rmult_le_compat_l _ _ _ tt EpX; have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ tt m0) pX; lra.
have C : contraction (/ B * N)%V.
  move=> x; rewrite NearRank.matrix_vectorZ vnorm2Z; have i0 : 0 < / B by apply: Rinv_0_lt_compat.
  apply: (Rle_trans _ (/ B * / B * (B * B * vnorm2 x))); first by apply: Rmult_le_compat_l (Nx x); nra.
  by right; field; lra.
have := spectral_dual B0 C W; rewrite -/h.
have -> : dot N W = dot (M + t * E)%V W.
  rewrite dotC dot_right_columns {2}attained_projected /projected dot_right_columns; apply: eq_bigr => i _; exact: dotC.
by rewrite dotDl dotZl -attained_eq -/h /B; lra.
Qed.

Theorem attained_factors : exists T : 'I_r -> 'I_r -> R, (forall a i, T a i = T i a) /\
  W = factored (fun i => combine predT (fun a => T a i) K) Q.
Proof.
have inK v : exists a, matrix_vector W v = combine predT a K.
  apply: (combination_of_orthogonal independent_left) => z zK.
  rewrite -dot_outer_right dotC; apply: first_order => a.
  have -> : matrix_vector (outer z v) (combine predT a Q) = (dot v (combine predT a Q) * z)%V.
    apply: vec_ext => j; rewrite /matrix_vector /vscale /dot sum_mulr; apply: eq_bigr => k _.
    by rewrite /outer /=; ring.
  by rewrite dotZr apply_right dot_combinel sum0 ?Rmult_0_r // => i _; rewrite zK; ring.
have [T HT] := fin_all_exists (fun i => inK (y i)); exists (fun a i => T i a); split=> [a i|]; last first.
  rewrite {1}attained_projected /projected; congr factored; apply: functional_extensionality => i; exact: HT.
have yK b c : dot (matrix_vector M (y b)) (K c) = if c == b then 1 else 0 by rewrite adjoint -QM dotC dual.
have product b c : dot (matrix_vector M (y b)) (matrix_vector W (y c)) = T c b.
  rewrite HT dot_combiner (bigD1 b) //= yK eqxx big1 => [|l lb]; first by ring.
  by rewrite yK (negbTE lb); ring.
pose E := (outer (matrix_vector M (y a)) (y i) - outer (matrix_vector M (y i)) (y a))%V.
have : dot E W = 0.
  apply: first_order => b; set p := combine predT b Q.
  have -> : matrix_vector E p = (dot (y i) p * matrix_vector M (y a) - dot (y a) p * matrix_vector M (y i))%V.
    apply: vec_ext => j; rewrite /vsub /vscale /dot !sum_mulr -sumB; apply: eq_bigr => k _.
    by rewrite /E /outer /vsub /=; ring.
  by rewrite dotBr !dotZr !isometry -/p !(dotC p); ring.
rewrite /E dotBl !(dotC (outer _ _)) !dot_outer_right !(dotC (matrix_vector W _)) !product; lra.
Qed.
End Balanced.
