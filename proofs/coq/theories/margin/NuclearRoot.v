(* NuclearRoot: the equations of NuclearEquations.v have a root within R of the approximate point, and its derivative
   is injective there: s bounds how the derivative at the approximate point stretches, rho^2 the rows' squares. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid NormDuality NearbyRoot MatrixProducts NuclearEquations.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Root.
Variables (d e C P : finType) (r : nat) (low high : P -> 'I_r).
Local Notation matrix := (vec [finType of d * e]).
Variables (rows : C -> matrix) (K0 : 'I_r -> vec d) (Q0 : 'I_r -> vec e) (lam0 : C -> R).
Local Notation unknown := (unknown d e C P r).
Local Notation bilinear_terms := (@bilinear_terms d e C P r rows).
Local Notation equations := (equations low high rows K0 Q0).
Local Notation derivative := (derivative low high rows K0 Q0 lam0).
Local Notation blend := (blend rows).
Implicit Types (h x a b : vec unknown).

Lemma bilinear_addr a x b : bilinear_terms a (x + b)%V = (bilinear_terms a x + bilinear_terms a b)%V.
Proof.
apply: blocks_ext => [i | i | |].
- rewrite !left_add !bilinear_left right_add matrix_vector_add; vec_ring.
- rewrite !right_add !bilinear_right left_add matrix_back_add; vec_ring.
- apply: vec_ext => c; rewrite /multipliers_of /bilinear_terms /vadd /=.
  have -> : right_of (x + b)%V = (fun i => right_of x i + right_of b i)%V by [].
  rewrite factoredDr dotDr; ring.
- by apply: vec_ext => p; rewrite /turns_of /= /vadd /=; ring.
Qed.

Lemma bilinear_addl a x b : bilinear_terms (a + x)%V b = (bilinear_terms a b + bilinear_terms x b)%V.
Proof.
have M : blend (multipliers_of (a + x)%V) = (blend (multipliers_of a) + blend (multipliers_of x))%V.
  by rewrite -blendD.
apply: blocks_ext => [i | i | |].
- rewrite !left_add !bilinear_left M sum_matrix_vector; vec_ring.
- rewrite !right_add !bilinear_right M sum_matrix_back; vec_ring.
- apply: vec_ext => c; rewrite /multipliers_of /bilinear_terms /vadd /=.
  have -> : left_of (a + x)%V = (fun i => left_of a i + left_of x i)%V by [].
  rewrite factoredDl dotDr; ring.
- by apply: vec_ext => p; rewrite /turns_of /= /vadd /=; ring.
Qed.

Variables (rho radius : R).
Hypotheses (rho0 : 0 <= rho) (radius0 : 0 <= radius).
Hypothesis rows_short : \sum_c vnorm2 (rows c) <= rho * rho.

Notation lefts h := (\sum_i vnorm2 (left_of h i)).
Notation rights h := (\sum_i vnorm2 (right_of h i)).

Lemma lefts_ge0 h : 0 <= lefts h. Proof. by apply: sum_ge0 => i _; exact: vnorm2_ge0. Qed.
Lemma rights_ge0 h : 0 <= rights h. Proof. by apply: sum_ge0 => i _; exact: vnorm2_ge0. Qed.

Lemma vnorm2_blocks h : vnorm2 h = lefts h + rights h + vnorm2 (multipliers_of h) + vnorm2 (turns_of h).
Proof. exact: dot_blocks. Qed.

Lemma blend_short l : vnorm2 (blend l) <= rho * rho * vnorm2 (l : vec C).
Proof.
apply: Rle_trans (combine_short _ _) _; rewrite Rmult_comm -/(vnorm2 (l : vec C)).
by apply: Rmult_le_compat_r rows_short; exact: vnorm2_ge0.
Qed.

(* sum_i |M(l) q_i + M(l') q'_i|^2 *)
Lemma two_products (l l' : vec C) (J J' : finType) (f : matrix -> vec J -> vec J') (q q' : 'I_r -> vec J) :
  (forall M (v : vec J), vnorm2 (f M v) <= vnorm2 M * vnorm2 v) ->
  \sum_i vnorm2 (- f (blend l) (q i) + - f (blend l') (q' i))%V <=
  2 * (rho * rho) * (vnorm2 (l : vec C) * (\sum_i vnorm2 (q i)) + vnorm2 (l' : vec C) * (\sum_i vnorm2 (q' i))).
Proof.
move=> short; rewrite !sum_mull -sumD sum_mull; apply: sum_le => i _.
apply: Rle_trans (vnorm2D_le _ _) _; rewrite !vnorm2N.
have one m (x : vec J) : vnorm2 (f (blend m) x) <= rho * rho * (vnorm2 (m : vec C) * vnorm2 x).
  apply: Rle_trans (short _ _) _; rewrite -Rmult_assoc; apply: Rmult_le_compat_r; [exact: vnorm2_ge0 |].
  exact: blend_short.
have := one l (q i); have := one l' (q' i); lra.
Qed.

Lemma bilinear_bound a b x : vnorm a <= radius -> vnorm b <= radius ->
  vnorm (bilinear_terms a x + bilinear_terms x b)%V <= 2 * rho * radius * vnorm x.
Proof.
move=> ar br; have x0 := vnorm_ge0 x.
have square h : vnorm h <= radius -> vnorm2 h <= radius * radius.
  by move=> H; rewrite -vnorm_sqr; apply: Rmult_le_compat => //; exact: vnorm_ge0.
have a2 := square _ ar; have b2 := square _ br.
apply: vnorm_le_sqr; first by apply: Rmult_le_pos => //; apply: Rmult_le_pos => //; lra.
set y := (_ + _)%V; have -> : 2 * rho * radius * vnorm x * (2 * rho * radius * vnorm x) =
    4 * (rho * rho) * (radius * radius) * vnorm2 x by rewrite -vnorm_sqr; ring.
have EK : lefts y <= 2 * (rho * rho) *
    (vnorm2 (multipliers_of a) * rights x + vnorm2 (multipliers_of x) * rights b).
  exact: two_products (@matrix_vector_short d e).
have EQ : rights y <= 2 * (rho * rho) *
    (vnorm2 (multipliers_of a) * lefts x + vnorm2 (multipliers_of x) * lefts b).
  exact: two_products (@matrix_back_short d e).
have EC : vnorm2 (multipliers_of y) <= 2 * (rho * rho) * (lefts a * rights x + lefts x * rights b).
  set w := (factored (left_of a) (right_of x) + factored (left_of x) (right_of b))%V.
  have -> : vnorm2 (multipliers_of y) = \sum_c dot (rows c) w * dot (rows c) w.
    by apply: eq_bigr => c _; rewrite /multipliers_of /y /bilinear_terms /vadd /= /w dotDr; ring.
  apply: Rle_trans (dots_short _ _) _.
  apply: (Rle_trans _ (rho * rho * vnorm2 w)); first by apply: Rmult_le_compat_r rows_short; exact: vnorm2_ge0.
  have := vnorm2D_le (factored (left_of a) (right_of x)) (factored (left_of x) (right_of b)); rewrite -/w.
  have := factored_short (left_of a) (right_of x); have := factored_short (left_of x) (right_of b).
  move=> A B W; have rr : 0 <= rho * rho by apply: Rmult_le_pos.
  have : vnorm2 w <= 2 * (lefts a * rights x + lefts x * rights b) by lra.
  by move=> /(Rmult_le_compat_l _ _ _ rr); lra.
have ET : vnorm2 (turns_of y) = 0.
  by apply: sum0 => p _; rewrite /turns_of /y /bilinear_terms /vadd /=; ring.
rewrite (vnorm2_blocks y) ET Rplus_0_r (vnorm2_blocks x).
have kx := lefts_ge0 x; have qx := rights_ge0 x; have ka := lefts_ge0 a; have qa := rights_ge0 a.
have kb := lefts_ge0 b; have qb := rights_ge0 b.
have lx := vnorm2_ge0 (multipliers_of x); have la := vnorm2_ge0 (multipliers_of a).
have lb := vnorm2_ge0 (multipliers_of b); have sa := vnorm2_ge0 (turns_of a); have sb := vnorm2_ge0 (turns_of b).
have sx := vnorm2_ge0 (turns_of x); rewrite !vnorm2_blocks in a2 b2.
have rr : 0 <= rho * rho by apply: Rmult_le_pos.
set R2 := radius * radius in a2 b2 *; set p2 := rho * rho in rr EK EQ EC *.
have R0 : 0 <= R2 by apply: Rmult_le_pos.
have le u v t : 0 <= v -> u <= R2 -> t = R2 * v -> u * v <= t by move=> v0 uR ->; apply: Rmult_le_compat_r.
have A1 : vnorm2 (multipliers_of a) * rights x <= R2 * rights x by apply: le => //; lra.
have A2 : vnorm2 (multipliers_of x) * rights b <= R2 * vnorm2 (multipliers_of x).
  by rewrite Rmult_comm; apply: le => //; lra.
have A3 : vnorm2 (multipliers_of a) * lefts x <= R2 * lefts x by apply: le => //; lra.
have A4 : vnorm2 (multipliers_of x) * lefts b <= R2 * vnorm2 (multipliers_of x).
  by rewrite Rmult_comm; apply: le => //; lra.
have A5 : lefts a * rights x <= R2 * rights x by apply: le => //; lra.
have A6 : lefts x * rights b <= R2 * lefts x by rewrite Rmult_comm; apply: le => //; lra.
have S : 0 <= R2 * vnorm2 (turns_of x) by apply: Rmult_le_pos.
apply: (Rle_trans _ (2 * p2 * (2 * R2 * (lefts x + rights x + vnorm2 (multipliers_of x))))).
  apply: (Rle_trans _ (2 * p2 * (vnorm2 (multipliers_of a) * rights x + vnorm2 (multipliers_of x) * rights b +
    (vnorm2 (multipliers_of a) * lefts x + vnorm2 (multipliers_of x) * lefts b) +
    (lefts a * rights x + lefts x * rights b)))); first by lra.
  apply: Rmult_le_compat_l; lra.
have -> : 4 * p2 * R2 * (lefts x + rights x + vnorm2 (multipliers_of x) + vnorm2 (turns_of x)) =
  2 * p2 * (2 * R2 * (lefts x + rights x + vnorm2 (multipliers_of x)) + 2 * (R2 * vnorm2 (turns_of x))) by ring.
apply: Rmult_le_compat_l; lra.
Qed.

Variables (s phi : R).
Hypothesis gap : 2 * rho * radius < s.
Hypothesis stretches : forall h, s * s * vnorm2 h <= vnorm2 (derivative h).
Hypothesis small : vnorm (equations K0 Q0 lam0 (fun=> 0)) <= phi.
Hypothesis room : phi <= radius * (s - 2 * rho * radius).

Lemma slope_ge0 : 0 <= 2 * rho * radius.
Proof. by apply: Rmult_le_pos => //; lra. Qed.

Lemma zero_terms : bilinear_terms vzero vzero = vzero.
Proof.
have := @bilinear_addr vzero vzero vzero; rewrite (_ : (vzero + vzero)%V = (vzero : vec unknown)); last by vec_ring.
by move=> H; apply: vec_ext => x; have := f_equal (@^~ x) H; rewrite /vadd /vzero; lra.
Qed.

Theorem root_nearby : exists h, vnorm h <= radius /\
  equations (fun i => K0 i + left_of h i)%V (fun i => Q0 i + right_of h i)%V
    (fun c => lam0 c + multipliers_of h c) (turns_of h) = vzero.
Proof.
have [|h [hr H]] := nearby_root (q := fun h => bilinear_terms h h)
    (@derivative_symmetric d e C P r low high rows K0 Q0 lam0) slope_ge0 gap radius0 stretches zero_terms _ small room.
  move=> h h' hr hr'; pose x := (h - h')%V.
  rewrite /vdist (_ : (bilinear_terms h h - bilinear_terms h' h')%V = (bilinear_terms h x + bilinear_terms x h')%V).
    exact: bilinear_bound.
  have E : h = (h' + x)%V by rewrite /x; vec_ring.
  by rewrite {2}E bilinear_addr {1}E bilinear_addl; vec_ring.
by exists h; split=> //; rewrite equations_near.
Qed.

(* What the derivative at a point of the ball sends to zero is zero. *)
Theorem derivative_injective h x : vnorm h <= radius ->
  (derivative x + (bilinear_terms h x + bilinear_terms x h))%V = vzero -> x = vzero.
Proof.
move=> hr zero; apply: vnorm_eq0; have x0 := vnorm_ge0 x; have := bilinear_bound x hr hr.
set y := (bilinear_terms h x + bilinear_terms x h)%V in zero *.
have -> : vnorm y = vnorm (derivative x).
  rewrite -(vnormN (derivative x)); congr vnorm; apply: vec_ext => j; have := f_equal (@^~ j) zero.
  by rewrite /vadd /vopp /vzero; lra.
have s0 : 0 < s by have := slope_ge0; lra.
have : s * vnorm x <= vnorm (derivative x).
  by rewrite -(Rabs_pos_eq s) -?vnormZ; [apply: vnorm_le; rewrite vnorm2Z | lra].
by nra.
Qed.
End Root.
