(* NuclearEquations: the equations that the factors and the multipliers of a solution in the nuclear norm satisfy, and
   a root of them near an approximate one.

   The unknowns are K and Q, of r columns each, a multiplier for each of the active rows R_c, and numbers s_p for pairs
   of columns that keep a rotation of the columns (K O, Q O) from being a second root. With M = sum_c lam_c R_c and the
   skew matrix S of the numbers s_p the equations are K - M Q + K0 S = 0, Q - M' K + Q0 S = 0, <R_c, K Q'> = 1, and
   K0' K + Q0' Q is symmetric; K0, Q0 are the approximate factors. Their derivative at the approximate point is
   symmetric, and the equations are of the second degree. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid NormDuality NearbyRoot MatrixProducts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.


Section Equations.
Variables (d e C P : finType) (r : nat) (low high : P -> 'I_r).
Local Notation matrix := (vec [finType of d * e]).
Variables (rows : C -> matrix) (K0 : 'I_r -> vec d) (Q0 : 'I_r -> vec e) (lam0 : C -> R).
Implicit Types (K : 'I_r -> vec d) (Q : 'I_r -> vec e) (lam : C -> R) (s : P -> R).

(* ---- the unknowns, as one vector ---- *)

Definition unknown : finType := [finType of ('I_r * d + 'I_r * e) + (C + P)].
Implicit Types (h : vec unknown).

Definition blocks K Q lam s : vec unknown := fun x =>
  match x with
  | inl (inl (i, j)) => K i j
  | inl (inr (i, k)) => Q i k
  | inr (inl c) => lam c
  | inr (inr p) => s p
  end.
Definition left_of h (i : 'I_r) : vec d := fun j => h (inl (inl (i, j))).
Definition right_of h (i : 'I_r) : vec e := fun k => h (inl (inr (i, k))).
Definition multipliers_of h : vec C := fun c => h (inr (inl c)).
Definition turns_of h : vec P := fun p => h (inr (inr p)).

Lemma dot_blocks h h' : dot h h' = \sum_i dot (left_of h i) (left_of h' i) +
  \sum_i dot (right_of h i) (right_of h' i) + dot (multipliers_of h) (multipliers_of h') +
  dot (turns_of h) (turns_of h').
Proof.
rewrite {1}/dot big_sumType /= !big_sumType /= -!Rplus_assoc; congr (_ + _ + _ + _);
  rewrite [RHS]pair_bigA /=; by apply: eq_bigr => -[].
Qed.

Lemma blocks_ext h h' : (forall i, left_of h i = left_of h' i) -> (forall i, right_of h i = right_of h' i) ->
  multipliers_of h = multipliers_of h' -> turns_of h = turns_of h' -> h = h'.
Proof.
move=> HK HQ Hl Hs; apply: vec_ext => -[[[i j] | [i k]] | [c | p]].
- exact: (f_equal (@^~ j) (HK i)).
- exact: (f_equal (@^~ k) (HQ i)).
- exact: (f_equal (@^~ c) Hl).
- exact: (f_equal (@^~ p) Hs).
Qed.

(* ---- the equations ---- *)

Definition blend lam : matrix := combine predT lam rows.

Local Notation delta := (@unit_vector [finType of 'I_r]).

(* The skew matrix of the numbers s, and the columns V S. *)
Definition pair_skew (p : P) (a i : 'I_r) : R :=
  delta (low p) a * delta (high p) i - delta (high p) a * delta (low p) i.
Definition skew s (a i : 'I_r) : R := \sum_p s p * pair_skew p a i.
Definition turned (J : finType) s (V : 'I_r -> vec J) (i : 'I_r) : vec J := combine predT (fun a => skew s a i) V.
Definition twist (J : finType) (V V' : 'I_r -> vec J) (p : P) : R :=
  dot (V (low p)) (V' (high p)) - dot (V (high p)) (V' (low p)).

Definition equations K Q lam s : vec unknown :=
  blocks (fun i => K i - matrix_vector (blend lam) (Q i) + turned s K0 i)%V
         (fun i => Q i - matrix_back (blend lam) (K i) + turned s Q0 i)%V
         (fun c => 1 - dot (rows c) (factored K Q))
         (fun p => twist K0 K p + twist Q0 Q p).

(* Their derivative at the approximate point; no term of it has the approximate numbers s, which are zero. *)
Definition derivative h : vec unknown :=
  let: (k, q, l, s) := (left_of h, right_of h, multipliers_of h, turns_of h) in
  blocks (fun i => k i - matrix_vector (blend lam0) (q i) - matrix_vector (blend l) (Q0 i) + turned s K0 i)%V
         (fun i => q i - matrix_back (blend lam0) (k i) - matrix_back (blend l) (K0 i) + turned s Q0 i)%V
         (fun c => - (dot (rows c) (factored k Q0) + dot (rows c) (factored K0 q)))
         (fun p => twist K0 k p + twist Q0 q p).

(* The terms of second degree. *)
Definition bilinear_terms h h' : vec unknown :=
  blocks (fun i => - matrix_vector (blend (multipliers_of h)) (right_of h' i))%V
         (fun i => - matrix_back (blend (multipliers_of h)) (left_of h' i))%V
         (fun c => - dot (rows c) (factored (left_of h) (right_of h')))
         (fun=> 0).

Lemma skew_opp s a i : skew s a i = - skew s i a.
Proof. by rewrite /skew -sumN; apply: eq_bigr => p _; rewrite /pair_skew; ring. Qed.

Lemma blendD l l' : blend (fun c => l c + l' c) = (blend l + blend l')%V.
Proof. by apply: vec_ext => x; rewrite /blend /combine /vadd -sumD; apply: eq_bigr => c _; ring. Qed.

Lemma dot_blend l w : dot (blend l) w = \sum_c l c * dot (rows c) w.
Proof. by rewrite /blend dot_combinel. Qed.

(* sum_i <(V S)_i, V'_i> = sum_p s_p twist_p *)
Lemma dot_turned (J : finType) s (V V' : 'I_r -> vec J) :
  \sum_i dot (turned s V i) (V' i) = \sum_p s p * twist V V' p.
Proof.
pose F a i := dot (V a) (V' i).
have pick (x y : 'I_r) : \sum_i \sum_a delta x a * delta y i * F a i = F x y.
  rewrite -[RHS](@dot_unit_vector [finType of 'I_r] (F x) y); apply: eq_bigr => i _.
  have <- := @dot_unit_vector [finType of 'I_r] (fun a => delta y i * F a i) x.
  by apply: eq_bigr => a _; ring.
transitivity (\sum_i \sum_a \sum_p s p * pair_skew p a i * F a i).
  apply: eq_bigr => i _; rewrite /turned dot_combinel; apply: eq_bigr => a _.
  by rewrite /skew sum_mulr.
transitivity (\sum_p \sum_i \sum_a s p * pair_skew p a i * F a i).
  under eq_bigr do rewrite exchange_big.
  by rewrite exchange_big.
apply: eq_bigr => p _; rewrite /twist -/(F _ _) -/(F (high p) _) -!pick Rmult_minus_distr_l.
rewrite !sum_mull -sumB; apply: eq_bigr => i _; rewrite !sum_mull -sumB; apply: eq_bigr => a _.
by rewrite /pair_skew; ring.
Qed.

Lemma derivative_symmetric h h' : dot (derivative h) h' = dot h (derivative h').
Proof.
rewrite !dot_blocks.
set k := left_of h; set k' := left_of h'; set q := right_of h; set q' := right_of h'.
set l := multipliers_of h; set l' := multipliers_of h'; set s := turns_of h; set s' := turns_of h'.
have EK : \sum_i dot (left_of (derivative h) i) (k' i) = \sum_i dot (k i) (k' i) -
    dot (blend lam0) (factored k' q) - \sum_c l c * dot (rows c) (factored k' Q0) + \sum_p s p * twist K0 k' p.
  rewrite -dot_blend -dot_turned !dot_right_columns -!sumB -sumD; apply: eq_bigr => i _.
  by rewrite -/(matrix_vector _ _) dotDl !dotBl.
have EQ : \sum_i dot (right_of (derivative h) i) (q' i) = \sum_i dot (q i) (q' i) -
    dot (blend lam0) (factored k q') - \sum_c l c * dot (rows c) (factored K0 q') + \sum_p s p * twist Q0 q' p.
  rewrite -dot_blend -dot_turned !dot_left_columns -!sumB -sumD; apply: eq_bigr => i _.
  by rewrite dotDl !dotBl.
have EK' : \sum_i dot (k i) (left_of (derivative h') i) = \sum_i dot (k i) (k' i) -
    dot (blend lam0) (factored k q') - \sum_c l' c * dot (rows c) (factored k Q0) + \sum_p s' p * twist K0 k p.
  rewrite -dot_blend -dot_turned !dot_right_columns -!sumB -sumD; apply: eq_bigr => i _.
  by rewrite dotDr !dotBr !(dotC (k i)).
have EQ' : \sum_i dot (q i) (right_of (derivative h') i) = \sum_i dot (q i) (q' i) -
    dot (blend lam0) (factored k' q) - \sum_c l' c * dot (rows c) (factored K0 q) + \sum_p s' p * twist Q0 q p.
  rewrite -dot_blend -dot_turned !dot_left_columns -!sumB -sumD; apply: eq_bigr => i _.
  by rewrite dotDr !dotBr !(dotC (q i)).
rewrite EK EQ EK' EQ'.
have El : dot (multipliers_of (derivative h)) l' =
    - (\sum_c l' c * dot (rows c) (factored k Q0) + \sum_c l' c * dot (rows c) (factored K0 q)).
  by rewrite -sumD -sumN; apply: eq_bigr => c _; rewrite /multipliers_of /derivative /= -/k -/q; ring.
have El' : dot l (multipliers_of (derivative h')) =
    - (\sum_c l c * dot (rows c) (factored k' Q0) + \sum_c l c * dot (rows c) (factored K0 q')).
  by rewrite -sumD -sumN; apply: eq_bigr => c _; rewrite /multipliers_of /derivative /= -/k' -/q'; ring.
have Es : dot (turns_of (derivative h)) s' = \sum_p s' p * twist K0 k p + \sum_p s' p * twist Q0 q p.
  by rewrite -sumD; apply: eq_bigr => p _; rewrite /turns_of /derivative /= -/k -/q; ring.
have Es' : dot s (turns_of (derivative h')) = \sum_p s p * twist K0 k' p + \sum_p s p * twist Q0 q' p.
  by rewrite -sumD; apply: eq_bigr => p _; rewrite /turns_of /derivative /= -/k' -/q'; ring.
rewrite El El' Es Es'; ring.
Qed.

Lemma left_add h h' i : left_of (h + h')%V i = (left_of h i + left_of h' i)%V. Proof. by []. Qed.
Lemma right_add h h' i : right_of (h + h')%V i = (right_of h i + right_of h' i)%V. Proof. by []. Qed.

Lemma equations_left K Q lam s i : left_of (equations K Q lam s) i =
  (K i - matrix_vector (blend lam) (Q i) + turned s K0 i)%V.
Proof. by []. Qed.

Lemma equations_right K Q lam s i : right_of (equations K Q lam s) i =
  (Q i - matrix_back (blend lam) (K i) + turned s Q0 i)%V.
Proof. by []. Qed.

Lemma derivative_left h i : left_of (derivative h) i =
  (left_of h i - matrix_vector (blend lam0) (right_of h i) - matrix_vector (blend (multipliers_of h)) (Q0 i) +
   turned (turns_of h) K0 i)%V.
Proof. by []. Qed.

Lemma derivative_right h i : right_of (derivative h) i =
  (right_of h i - matrix_back (blend lam0) (left_of h i) - matrix_back (blend (multipliers_of h)) (K0 i) +
   turned (turns_of h) Q0 i)%V.
Proof. by []. Qed.

Lemma bilinear_left h h' i : left_of (bilinear_terms h h') i =
  (- matrix_vector (blend (multipliers_of h)) (right_of h' i))%V.
Proof. by []. Qed.

Lemma bilinear_right h h' i : right_of (bilinear_terms h h') i =
  (- matrix_back (blend (multipliers_of h)) (left_of h' i))%V.
Proof. by []. Qed.

(* The equations at a point near the approximate one. *)
Lemma equations_near h :
  equations (fun i => K0 i + left_of h i)%V (fun i => Q0 i + right_of h i)%V
    (fun c => lam0 c + multipliers_of h c) (turns_of h) =
  (equations K0 Q0 lam0 (fun=> 0%R) + derivative h + bilinear_terms h h)%V.
Proof.
have turned0 (J : finType) (V : 'I_r -> vec J) i : turned (fun=> 0) V i = vzero.
  by apply: vec_ext => j; apply: sum0 => a _; rewrite /skew sum0 => [|p _]; ring.
have twistD (J : finType) (V U U' : 'I_r -> vec J) p :
    twist V (fun i => U i + U' i)%V p = twist V U p + twist V U' p.
  by rewrite /twist !dotDr; ring.
apply: blocks_ext => [i | i | |].
- rewrite !left_add equations_left equations_left derivative_left bilinear_left.
  rewrite blendD sum_matrix_vector !matrix_vector_add turned0; vec_ring.
- rewrite !right_add equations_right equations_right derivative_right bilinear_right.
  rewrite blendD sum_matrix_back !matrix_back_add turned0; vec_ring.
- apply: vec_ext => c; rewrite /multipliers_of /derivative /= /vadd /= factoredDl !factoredDr !dotDr; ring.
- apply: vec_ext => p; rewrite /turns_of /derivative /= /vadd /= !twistD; ring.
Qed.

End Equations.
