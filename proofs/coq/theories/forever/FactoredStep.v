(* FactoredStep: one step of gradient descent on the factors of W = K P' (T22, FACTORED.md section 4).

   With M = -grad L(W) both factors move by M P and M'K; what a step changes in W, in <M, W> and in the size of the
   factors, from products of families of vectors. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid NormDuality MatrixProducts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma discriminant A B C : 0 <= C -> (forall t, 0 <= A - 2 * t * B + t * t * C) -> B * B <= A * C.
Proof.
move=> C0 H; have [Cp|Cz] := Rle_lt_or_eq_dec _ _ C0.
  have := H (B / C); have -> : A - 2 * (B / C) * B + B / C * (B / C) * C = A - B * B / C by field; lra.
  move=> h; have : B * B / C * C <= A * C by apply: Rmult_le_compat_r; lra.
  by have -> : B * B / C * C = B * B by field; lra.
have [->|Bn] := Req_dec B 0; first by rewrite -Cz; lra.
have := H ((A + 1) / (2 * B)); rewrite -Cz.
have -> : A - 2 * ((A + 1) / (2 * B)) * B + (A + 1) / (2 * B) * ((A + 1) / (2 * B)) * 0 = -1 by field.
by lra.
Qed.

Section Step.
Variables (d e m : finType).
Local Notation matrix := (vec [finType of d * e]).
Implicit Types (M W : matrix) (K u : m -> vec d) (P v : m -> vec e).

(* Of two families together: products, and squared sizes. *)
Definition pair_dot u v K P : R := (\sum_a dot (u a) (K a)) + \sum_a dot (v a) (P a).
Definition pair_size K P : R := (\sum_a vnorm2 (K a)) + \sum_a vnorm2 (P a).

Lemma pair_size_ge0 K P : 0 <= pair_size K P.
Proof. by apply: Rplus_le_le_0_compat; apply: sum_ge0 => a _; exact: vnorm2_ge0. Qed.

Lemma pair_size_line u v K P (t : R) :
  pair_size (fun a => u a + t * K a)%V (fun a => v a + t * P a)%V =
  pair_size u v + 2 * t * pair_dot u v K P + t * t * pair_size K P.
Proof.
have line (T : finType) (x y : m -> vec T) : \sum_a vnorm2 (x a + t * y a)%V =
    (\sum_a vnorm2 (x a)) + 2 * t * (\sum_a dot (x a) (y a)) + t * t * (\sum_a vnorm2 (y a)).
  by rewrite !sum_mull -!sumD; apply: eq_bigr => a _; rewrite vnorm2D vnorm2Z dotZr; ring.
by rewrite /pair_size /pair_dot !line; ring.
Qed.

Lemma pair_cauchy u v K P :
  pair_dot u v K P * pair_dot u v K P <= pair_size u v * pair_size K P.
Proof.
apply: discriminant; first exact: pair_size_ge0.
move=> t; have := pair_size_ge0 (fun a => u a + (- t) * K a)%V (fun a => v a + (- t) * P a)%V.
by rewrite pair_size_line; lra.
Qed.

Lemma turned_size M K P :
  pair_size (fun a => matrix_vector M (P a)) (fun a => matrix_back M (K a)) <= vnorm2 M * pair_size K P.
Proof.
rewrite /pair_size Rmult_plus_distr_l Rplus_comm !sum_mull.
apply: Rplus_le_compat; apply: sum_le => a _; [exact: matrix_back_short | exact: matrix_vector_short].
Qed.

(* u P' + K v', what moves of W to first order. *)
Definition crossed u v K P : matrix := (factored u P + factored K v)%V.

Lemma dot_crossed M u v K P : dot M (crossed u v K P) =
  pair_dot (fun a => matrix_vector M (P a)) (fun a => matrix_back M (K a)) u v.
Proof. by rewrite /crossed dotDr dot_right_columns dot_left_columns. Qed.

Lemma crossed_norm u v K P : vnorm2 (crossed u v K P) <= pair_size u v * pair_size K P.
Proof.
set A := crossed u v K P; have E : vnorm2 A = _ := dot_crossed A u v K P.
have := pair_cauchy (fun a => matrix_vector A (P a)) (fun a => matrix_back A (K a)) u v; rewrite -E.
have T := turned_size A K P; have s0 := pair_size_ge0 u v; have k0 := pair_size_ge0 K P.
have A0 := vnorm2_ge0 A; have [Ap|<-] := Rle_lt_or_eq_dec _ _ A0; last by move=> _; exact: Rmult_le_pos.
move=> h; apply: (Rmult_le_reg_r (vnorm2 A)) => //; apply: Rle_trans h _.
by have := Rmult_le_compat_r _ _ _ s0 T; lra.
Qed.

Lemma factored_norm K P : vnorm (factored K P) <= pair_size K P / 2.
Proof.
apply: vnorm_le_sqr; first by have := pair_size_ge0 K P; lra.
have := crossed_norm K P K P.
have -> : crossed K P K P = (2 * factored K P)%V by apply: vec_ext => j; rewrite /crossed /vadd /vscale; ring.
by rewrite vnorm2Z; lra.
Qed.

(* What one step of size eta does. *)
Lemma factored_step K P u v (eta : R) :
  factored (fun a => K a + eta * u a)%V (fun a => P a + eta * v a)%V =
  (factored K P + (eta * crossed u v K P + eta * eta * factored u v))%V.
Proof.
apply: vec_ext => -[j k]; rewrite /crossed /factored /combine /outer /vadd /vscale /=.
rewrite -!sumD !sum_mull -!sumD; apply: eq_bigr => a _; ring.
Qed.
End Step.
