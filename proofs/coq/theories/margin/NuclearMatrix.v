(* NuclearMatrix: the entries of the derivative of NuclearEquations.v, a symmetric matrix over the unknowns. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid NormDuality NearbyRoot MatrixProducts NuclearEquations.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Matrix.
Variables (d e C P : finType) (r : nat) (low high : P -> 'I_r).
Local Notation matrix := (vec [finType of d * e]).
Variables (rows : C -> matrix) (K0 : 'I_r -> vec d) (Q0 : 'I_r -> vec e) (lam0 : C -> R).
Local Notation unknown := (unknown d e C P r).
Local Notation delta := (@unit_vector [finType of 'I_r]).
Local Notation M := (blend rows lam0).

Lemma sum_unknowns (F : unknown -> R) : \sum_u F u =
  \sum_i \sum_j F (inl (inl (i, j))) + \sum_i \sum_k F (inl (inr (i, k))) + \sum_c F (inr (inl c)) +
  \sum_p F (inr (inr p)).
Proof.
rewrite big_sumType /= !big_sumType /= -!Rplus_assoc; congr (_ + _ + _ + _);
  rewrite [RHS]pair_bigA /=; by apply: eq_bigr => -[].
Qed.

(* What a unit of s_p adds to column i. *)
Definition turn (J : finType) (V : 'I_r -> vec J) (p : P) (i : 'I_r) : vec J :=
  (delta (high p) i * V (low p) - delta (low p) i * V (high p))%V.

Lemma turned_sum (J : finType) s (V : 'I_r -> vec J) i j : turned low high s V i j = \sum_p turn V p i j * s p.
Proof.
have pick (x : 'I_r) (F : 'I_r -> R) : \sum_a delta x a * F a = F x := @dot_unit_vector [finType of 'I_r] F x.
transitivity (\sum_a \sum_p s p * pair_skew low high p a i * V a j).
  by apply: eq_bigr => a _; rewrite /skew sum_mulr.
rewrite exchange_big; apply: eq_bigr => p _.
rewrite (eq_bigr (fun a => s p * delta (high p) i * (delta (low p) a * V a j) -
  s p * delta (low p) i * (delta (high p) a * V a j))) => [|a _]; last by rewrite /pair_skew; ring.
by rewrite sumB -!sum_mull !pick /turn /vsub /vscale; ring.
Qed.

Lemma twist_sum (J : finType) (V k : 'I_r -> vec J) p : twist low high V k p = \sum_i \sum_j turn V p i j * k i j.
Proof.
have pick (x : 'I_r) (F : 'I_r -> R) : \sum_a delta x a * F a = F x := @dot_unit_vector [finType of 'I_r] F x.
rewrite /twist -(pick (high p) (fun i => dot (V (low p)) (k i))) -(pick (low p) (fun i => dot (V (high p)) (k i))).
rewrite -sumB; apply: eq_bigr => i _; rewrite -!dotZl -dotBl; exact: eq_bigr.
Qed.

Definition derivative_entry (u v : unknown) : R :=
  match u, v with
  | inl (inl (i, j)), inl (inl (i', j')) => delta i' i * @unit_vector d j' j
  | inl (inr (i, k)), inl (inr (i', k')) => delta i' i * @unit_vector e k' k
  | inl (inl (i, j)), inl (inr (i', k)) => delta i' i * - M (j, k)
  | inl (inr (i, k)), inl (inl (i', j)) => delta i' i * - M (j, k)
  | inl (inl (i, j)), inr (inl c) | inr (inl c), inl (inl (i, j)) => - matrix_vector (rows c) (Q0 i) j
  | inl (inr (i, k)), inr (inl c) | inr (inl c), inl (inr (i, k)) => - matrix_back (rows c) (K0 i) k
  | inl (inl (i, j)), inr (inr p) | inr (inr p), inl (inl (i, j)) => turn K0 p i j
  | inl (inr (i, k)), inr (inr p) | inr (inr p), inl (inr (i, k)) => turn Q0 p i k
  | inr _, inr _ => 0
  end.

Theorem derivative_coefficients (x : vec unknown) u :
  derivative low high rows K0 Q0 lam0 x u = \sum_v derivative_entry u v * x v.
Proof.
have pick (T : finType) (t : T) (F : T -> R) : \sum_a @unit_vector T a t * F a = F t.
  rewrite -[RHS](@dot_unit_vector T F t); apply: eq_bigr => a _; by rewrite /unit_vector eq_sym.
have blend_sum l (J J' : finType) (f : matrix -> vec J -> vec J') (v : vec J) j :
    (forall a N N', f (N + a * N')%V v = (f N v + a * f N' v)%V) -> f vzero v = vzero ->
    f (blend rows l) v j = \sum_c f (rows c) v j * l c.
  move=> lin zero; have E (s : seq C) :
      f (fun p => \sum_(c <- s) l c * rows c p) v j = \sum_(c <- s) f (rows c) v j * l c.
    elim: s => [|c s IH].
      rewrite big_nil (_ : (fun p => _) = vzero); last by apply: vec_ext => p; rewrite big_nil.
      by rewrite zero.
    rewrite (_ : (fun p => _) = ((fun p => \sum_(c <- s) l c * rows c p) + l c * rows c)%V); last first.
      by apply: vec_ext => p; rewrite big_cons /vadd /vscale; ring.
    by rewrite lin /vadd /vscale IH big_cons; ring.
  exact: E.
have right_sum l v j : matrix_vector (blend rows l) v j = \sum_c matrix_vector (rows c) v j * l c.
  apply: blend_sum => [a N N' |]; last by apply: vec_ext => i; apply: sum0 => k _; rewrite /vzero; ring.
  apply: vec_ext => i; rewrite /matrix_vector /vadd /vscale sum_mull -sumD; apply: eq_bigr => k _; ring.
have left_sum l v j : matrix_back (blend rows l) v j = \sum_c matrix_back (rows c) v j * l c.
  apply: blend_sum => [a N N' |]; last by apply: vec_ext => i; apply: sum0 => k _; rewrite /vzero; ring.
  apply: vec_ext => i; rewrite /matrix_back /vadd /vscale sum_mull -sumD; apply: eq_bigr => k _; ring.
have two (T T' : finType) (F : T -> T' -> R) t t' :
    \sum_i \sum_j @unit_vector T i t * @unit_vector T' j t' * F i j = F t t'.
  rewrite -[RHS](pick T t (fun i => F i t')); apply: eq_bigr => i _; rewrite -(pick T' t' (F i)) sum_mull.
  by apply: eq_bigr => j _; ring.
have one (T T' : finType) (G : T' -> R) (F : T -> T' -> R) t :
    \sum_i \sum_j @unit_vector T i t * - G j * F i j = - \sum_j G j * F t j.
  rewrite -[RHS](pick T t (fun i => - \sum_j G j * F i j)); apply: eq_bigr => i _.
  rewrite -sumN sum_mull; apply: eq_bigr => j _; ring.
have zero (T : finType) (y : T -> R) : \sum_t 0 * y t = 0 by apply: sum0 => t _; ring.
rewrite sum_unknowns; case: u => [[[i j] | [i k]] | [c | p]] /=.
- rewrite (two _ _ (left_of x)) (one _ _ (fun k => M (j, k)) (right_of x)).
  rewrite -[derivative _ _ _ _ _ _ _ _]/(left_of (derivative low high rows K0 Q0 lam0 x) i j) derivative_left.
  rewrite {1}/vadd {1}/vsub {1}/vsub (right_sum (multipliers_of x)) turned_sum /Rminus -!sumN; congr (_ + _ + _ + _).
  by apply: eq_bigr => c _; exact: Ropp_mult_distr_l.
- rewrite (two _ _ (right_of x)) (one _ _ (fun j => M (j, k)) (left_of x)).
  rewrite -[derivative _ _ _ _ _ _ _ _]/(right_of (derivative low high rows K0 Q0 lam0 x) i k) derivative_right.
  rewrite {1}/vadd {1}/vsub {1}/vsub (left_sum (multipliers_of x)) turned_sum /Rminus -!sumN.
  rewrite (Rplus_comm (\sum_j _)); congr (_ + _ + _ + _).
  by apply: eq_bigr => c _; exact: Ropp_mult_distr_l.
- rewrite (zero _ (fun c => x (inr (inl c)))) (zero _ (fun p => x (inr (inr p)))) !Rplus_0_r.
  rewrite /derivative /= dot_right_columns dot_left_columns Ropp_plus_distr -!sumN.
  by congr (_ + _); apply: eq_bigr => i _; rewrite -sumN; apply: eq_bigr => j _; exact: Ropp_mult_distr_l.
- rewrite (zero _ (fun c => x (inr (inl c)))) (zero _ (fun p => x (inr (inr p)))) !Rplus_0_r.
  by rewrite /derivative /= !twist_sum.
Qed.
End Matrix.
