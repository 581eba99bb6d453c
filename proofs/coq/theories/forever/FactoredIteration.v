(* FactoredIteration: training of the factors of W = K Q', as claims about runs speak of it.

     K_{t+1} = K_t + tau V Q_t,   Q_{t+1} = Q_t + tau' V' K_t,

   V the field at W_t = K_t Q_t', -grad L for training; tau and tau' are eta_t, or eta_t over the norm of what they
   multiply (normalised steps). A factor is the family of its columns (NormDuality.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid NormDuality MatrixProducts Iteration FactoredStep.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section FactoredIteration.
Variables (d e m : finType).
Local Notation matrix := (vec [finType of d * e]).

Record factor_pair := FactorPair { left_factor : m -> vec d; right_factor : m -> vec e }.

Definition pair_product (s : factor_pair) : matrix := factored (left_factor s) (right_factor s).
(* ||K||^2 + ||Q||^2 *)
Definition factors_square (s : factor_pair) : R := pair_size (left_factor s) (right_factor s).
(* The Frobenius norm. *)
Definition family_norm (J : finType) (x : m -> vec J) : R := sqrt (\sum_a vnorm2 (x a)).

Variables (field : matrix -> matrix) (normalised : bool) (eta : nat -> R).

Definition pulled_left (s : factor_pair) (a : m) : vec d := matrix_vector (field (pair_product s)) (right_factor s a).
Definition pulled_right (s : factor_pair) (a : m) : vec e := matrix_back (field (pair_product s)) (left_factor s a).

Definition factors_moved (t : nat) (s : factor_pair) : factor_pair :=
  let size n := if normalised then eta t / n else eta t in
  FactorPair (fun a => left_factor s a + size (family_norm (pulled_left s)) * pulled_left s a)%V
             (fun a => right_factor s a + size (family_norm (pulled_right s)) * pulled_right s a)%V.

Definition factors_iterate (s : factor_pair) : nat -> factor_pair := iterated factors_moved s.
End FactoredIteration.
