(* Lyapunov: what a bilinear form that is positive on the diagonal says of square matrices: a skew S with a symmetric
   product is zero, and for a symmetric form G and D there is X with X + X' = D whose product with G is symmetric. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid NearbyRoot.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Positive.
Variables (r : nat) (G : 'I_r -> 'I_r -> R).
Implicit Types (x : 'I_r -> R) (S D : 'I_r -> 'I_r -> R).

Definition form x : R := \sum_i \sum_a x i * G i a * x a.
Hypothesis definite : forall x i, x i <> 0 -> 0 < form x.

Lemma form_ge0 x : 0 <= form x.
Proof.
case: (pickP (fun i => ~~ (Req_EM_T (x i) 0 : bool))) => [i | none].
  by case: Req_EM_T => // xi _; apply: Rlt_le; exact: definite xi.
right; rewrite /form; apply/esym; apply: sum0 => i _; apply: sum0 => a _.
by have := none i; case: Req_EM_T => //= xi _; rewrite xi; ring.
Qed.

Lemma form_eq0 x : form x = 0 -> forall i, x i = 0.
Proof. by move=> f0 i; case: (Req_dec (x i) 0) => // xi; have := definite xi; lra. Qed.

(* The product G S, and the sum of the forms of the columns of S. *)
Definition form_product S (i j : 'I_r) : R := \sum_a G i a * S a j.

Lemma sum_forms S : \sum_j form (fun i => S i j) = \sum_j \sum_i S i j * form_product S i j.
Proof.
apply: eq_bigr => j _; apply: eq_bigr => i _; rewrite /form_product sum_mull; apply: eq_bigr => a _; ring.
Qed.

Lemma sum_forms_zero S : \sum_j form (fun i => S i j) = 0 -> forall i j, S i j = 0.
Proof.
move=> zero i j; apply: (form_eq0 (x := fun i => S i j)).
by apply: (sum_eq0 (P := predT) (F := fun j => form (fun i => S i j)) _ zero) => // l _; exact: form_ge0.
Qed.

Theorem skew_zero S : (forall i j, S i j = - S j i) -> (forall i j, form_product S i j = form_product S j i) ->
  forall i j, S i j = 0.
Proof.
move=> skewS sym; apply: sum_forms_zero; rewrite sum_forms; set t := \sum_j _.
suff : t = - t by lra.
rewrite {1}/t exchange_big -sumN; apply: eq_bigr => i _; rewrite -sumN; apply: eq_bigr => j _.
by rewrite sym skewS; ring.
Qed.

(* ---- G X + X G ---- *)

Hypothesis symmetric : forall i a, G i a = G a i.
Local Notation square := (vec [finType of 'I_r * 'I_r]).

Definition lyapunov (X : square) : square :=
  fun p => \sum_c G p.1 c * X (c, p.2) + \sum_c X (p.1, c) * G c p.2.

Lemma sum_square (F : 'I_r * 'I_r -> R) : \sum_p F p = \sum_i \sum_j F (i, j).
Proof. by rewrite pair_bigA; apply: eq_bigr => -[]. Qed.

Lemma dot_lyapunov (X Y : square) : dot (lyapunov X) Y =
  \sum_i \sum_j \sum_c (G i c * X (c, j) * Y (i, j)) + \sum_i \sum_j \sum_c (X (i, c) * G c j * Y (i, j)).
Proof.
rewrite /dot sum_square -sumD; apply: eq_bigr => i _; rewrite -sumD; apply: eq_bigr => j _.
by rewrite /lyapunov /= Rmult_plus_distr_r !sum_mulr.
Qed.

Lemma lyapunov_symmetric (X Y : square) : dot (lyapunov X) Y = dot X (lyapunov Y).
Proof.
rewrite (dotC X) !dot_lyapunov; congr (_ + _).
  rewrite exchange_big [RHS]exchange_big; apply: eq_bigr => j _; rewrite exchange_big.
  by apply: eq_bigr => i _; apply: eq_bigr => c _; rewrite (symmetric c); ring.
apply: eq_bigr => i _; rewrite exchange_big; apply: eq_bigr => j _; apply: eq_bigr => c _.
by rewrite (symmetric j); ring.
Qed.

Lemma lyapunov_injective (X : square) : lyapunov X = vzero -> X = vzero.
Proof.
move=> zero; have := dot_lyapunov X X; rewrite zero dot0l.
have -> : \sum_i \sum_j \sum_c (G i c * X (c, j) * X (i, j)) = \sum_j form (fun i => X (i, j)).
  by rewrite exchange_big; apply: eq_bigr => j _; apply: eq_bigr => i _; apply: eq_bigr => c _ => /=; ring.
have -> : \sum_i \sum_j \sum_c (X (i, c) * G c j * X (i, j)) = \sum_i form (fun j => X (i, j)).
  apply: eq_bigr => i _; rewrite exchange_big; apply: eq_bigr => j _; apply: eq_bigr => c _ => /=; ring.
set A := \sum_j _; set B := \sum_i _ => sum.
have A0 : 0 <= A by apply: sum_ge0 => j _; exact: form_ge0.
have B0 : 0 <= B by apply: sum_ge0 => j _; exact: form_ge0.
have Az : \sum_j form (fun i => X (i, j)) = 0 by rewrite -/A; lra.
by apply: vec_ext => -[i j]; exact: (sum_forms_zero Az).
Qed.

Theorem symmetric_product D : (forall i j, D i j = D j i) ->
  exists X, (forall i j, X i j + X j i = D i j) /\ forall i j, form_product X i j = form_product X j i.
Proof.
move=> symD.
have [Z HZ] := symmetric_onto lyapunov_symmetric lyapunov_injective (fun p => \sum_c D p.1 c * G c p.2).
pose z (i j : 'I_r) : R := Z (i, j).
have at_ (i j : 'I_r) : \sum_c G i c * z c j + \sum_c z i c * G c j = \sum_c D i c * G c j.
  exact: (f_equal (@^~ (i, j)) HZ).
have sumz (i j : 'I_r) : z i j + z j i = D i j.
  suff zero : ((fun p => z p.1 p.2 + z p.2 p.1 - D p.1 p.2) : square) = vzero.
    by have := f_equal (@^~ (i, j)) zero; rewrite /vzero /=; lra.
  apply: lyapunov_injective; apply: vec_ext => -[a b]; rewrite /lyapunov /vzero /=.
  have E1 : \sum_c G a c * (z c b + z b c - D c b) =
      \sum_c G a c * z c b + \sum_c z b c * G c a - \sum_c D b c * G c a.
    rewrite -sumD -sumB; apply: eq_bigr => c _; rewrite (symmetric a) (symD c); ring.
  have E2 : \sum_c (z a c + z c a - D a c) * G c b =
      \sum_c z a c * G c b + \sum_c G b c * z c a - \sum_c D a c * G c b.
    rewrite -sumD -sumB; apply: eq_bigr => c _; rewrite (symmetric b); ring.
  have sums (x1 x2 x3 x4 p q : R) : x1 + x2 = p -> x3 + x4 = q -> x1 + x4 - q + (x2 + x3 - p) = 0 by move=> <- <-; ring.
  rewrite E1 E2; exact: (sums _ _ _ _ _ _ (at_ a b) (at_ b a)).
exists z; split=> // i j; rewrite /form_product.
have E : \sum_c G j c * z c i = \sum_c D i c * G c j - \sum_c z i c * G c j.
  by rewrite -sumB; apply: eq_bigr => c _; rewrite -sumz (symmetric j); ring.
by rewrite E -(at_ i j); ring.
Qed.
End Positive.
