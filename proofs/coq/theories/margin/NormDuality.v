(* NormDuality: the dual balls of the Euclidean norm and of the nuclear norm, for T5 (Duality.v); the nuclear norm
   with its spectral dual and its factor bound. EntrywiseDuality.v has the l_p norms. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Duality.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- Euclidean norm ---- *)

Theorem euclidean_dual_unit (J : finType) (r : vec J) : vnorm r <= 1 -> in_dual_ball (@vnorm J) r.
Proof.
move=> r1 v; apply: Rle_trans (dot_le_norms r v) _.
by have := Rmult_le_compat_r _ _ _ (vnorm_ge0 v) r1; lra.
Qed.

(* ---- nuclear norm ---- *)

Section Nuclear.
Variables (d e : finType).
Local Notation matrix := (vec [finType of d * e]).
Implicit Types (M W : matrix).

Definition matrix_vector M (x : vec e) : vec d := fun j => \sum_k M (j, k) * x k.

(* Spectral norm at most one. *)
Definition contraction M : Prop := forall x, vnorm2 (matrix_vector M x) <= vnorm2 x.

(* I - M'M has no negative quadratic form: the checkable form. *)
Lemma contraction_of_gram M :
  (forall x : vec e, 0 <= \sum_k \sum_l x k * x l * ((if k == l then 1 else 0) - \sum_j M (j, k) * M (j, l))) ->
  contraction M.
Proof.
move=> H x; have := H x.
have -> : \sum_k \sum_l x k * x l * ((if k == l then 1 else 0) - \sum_j M (j, k) * M (j, l)) =
          vnorm2 x - vnorm2 (matrix_vector M x); last by lra.
have -> : vnorm2 (matrix_vector M x) = \sum_k \sum_l x k * x l * (\sum_j M (j, k) * M (j, l)).
  rewrite /vnorm2 /dot /matrix_vector; under eq_bigr => j _.
    rewrite sum_mulr; under eq_bigr do rewrite sum_mull.
    over.
  rewrite exchange_big; apply: eq_bigr => k _; rewrite exchange_big; apply: eq_bigr => l _.
  by rewrite sum_mull; apply: eq_bigr => j _; ring.
rewrite /vnorm2 /dot -sumB; apply: eq_bigr => k _.
have -> : x k * x k = \sum_l x k * x l * (if k == l then 1 else 0).
  rewrite (bigD1 k) //= eqxx big1 => [|l lk]; first by ring.
  by rewrite eq_sym (negbTE lk); ring.
by rewrite -sumB; apply: eq_bigr => l _; ring.
Qed.

(* The nuclear norm, as the dual of the spectral norm. *)
Definition contracting_value W (x : R) : Prop := exists M, contraction M /\ x = dot M W.
Definition nuclear_norm W : R := real (Lub_Rbar (contracting_value W)).

(* For a contraction, <M, sum_k a_k b_k'> = sum_k <M b_k, a_k> <= sum_k ||a_k|| ||b_k||. *)
Lemma dot_matrix_outer M (a : vec d) (b : vec e) : dot M (outer a b) = dot (matrix_vector M b) a.
Proof.
rewrite /dot /matrix_vector (eq_bigr (fun p => M (p.1, p.2) * (a p.1 * b p.2))) => [|[j k] _ //].
rewrite -(pair_bigA _ (fun j k => M (j, k) * (a j * b k))) /=; apply: eq_bigr => j _.
by rewrite sum_mulr; apply: eq_bigr => k _; ring.
Qed.

Lemma contraction_outer M (a : vec d) (b : vec e) : contraction M -> dot M (outer a b) <= vnorm b * vnorm a.
Proof.
move=> C; rewrite dot_matrix_outer; apply: Rle_trans (dot_le_norms _ _) _.
by apply: Rmult_le_compat_r; [apply: vnorm_ge0 | apply: sqrt_le_1_alt; apply: C].
Qed.

(* K Q' for factors with m columns; a matrix of rank at most m. *)
Definition factored (m : finType) (K : m -> vec d) (Q : m -> vec e) : matrix :=
  combine predT (fun=> 1) (fun k => outer (K k) (Q k)).

Lemma contraction_factored (m : finType) (K : m -> vec d) (Q : m -> vec e) M : contraction M ->
  dot M (factored K Q) <= (\sum_k vnorm2 (K k) + \sum_k vnorm2 (Q k)) / 2.
Proof.
move=> C; rewrite /factored dot_combiner -sumD /Rdiv sum_mulr; apply: sum_le => k _.
have := contraction_outer (K k) (Q k) C; rewrite -!vnorm_sqr.
by have := Rle_0_sqr (vnorm (K k) - vnorm (Q k)); rewrite /Rsqr; lra.
Qed.

(* Every matrix is factored, by its columns, so contractions have bounded products with it. *)
Definition unit_vector (T : finType) (k : T) : vec T := fun l => if l == k then 1 else 0.

Lemma factored_columns W : factored (fun k j => W (j, k)) (@unit_vector e) = W.
Proof.
apply: vec_ext => -[j k]; rewrite /factored /combine (bigD1 k) //= big1 => [|l lk].
  by rewrite /outer /unit_vector eqxx /=; ring.
by rewrite /outer /unit_vector /= eq_sym (negbTE lk); ring.
Qed.

Let bound_nonempty W : exists b, forall M, contraction M -> dot M W <= b.
Proof. by rewrite -(factored_columns W); eexists => M; apply: contraction_factored. Qed.

Lemma zero_contraction : contraction vzero.
Proof.
move=> x; rewrite (_ : matrix_vector vzero x = vzero) ?vnorm20; first exact: vnorm2_ge0.
by apply: vec_ext => j; apply: sum0 => k _; rewrite /vzero; ring.
Qed.

Lemma nuclear_norm_lub W : (forall M, contraction M -> dot M W <= nuclear_norm W) /\
  forall b, (forall M, contraction M -> dot M W <= b) -> nuclear_norm W <= b.
Proof.
have [b Hb] := bound_nonempty W.
rewrite /nuclear_norm; set E := contracting_value W.
have [ub least] := Lub_Rbar_correct E.
have E0 : E 0 by exists vzero; split; [exact: zero_contraction | rewrite dot0l].
have le_b : Rbar_le (Lub_Rbar E) (Finite b) by apply: least => x [M [C ->]]; apply: Hb.
have := ub 0 E0; case: (Lub_Rbar E) ub least le_b => [s | |] //= ub least _ _.
split=> [M C | b' Hb']; first by apply: (ub (dot M W)); exists M.
by apply: (least (Finite b')) => x [M [C ->]]; apply: Hb'.
Qed.

(* A contraction is in the dual unit ball of the nuclear norm. *)
Theorem contraction_dual_unit M : contraction M -> in_dual_ball nuclear_norm M.
Proof. by move=> C W; apply: (proj1 (nuclear_norm_lub W)). Qed.

(* The factor bound. *)
Theorem nuclear_norm_factored (m : finType) (K : m -> vec d) (Q : m -> vec e) :
  nuclear_norm (factored K Q) <= (\sum_k vnorm2 (K k) + \sum_k vnorm2 (Q k)) / 2.
Proof. by apply: (proj2 (nuclear_norm_lub _)) => M; apply: contraction_factored. Qed.

(* T5 for the nuclear norm: factors bound the optimal value above, multipliers with a contracting combination
   below. *)
Theorem nuclear_duality (I m : finType) (P : pred I) (D : I -> matrix) (h lam : I -> R)
  (K : m -> vec d) (Q : m -> vec e) (opt : R) :
  optimal_value P D h nuclear_norm opt -> rows_hold P D h (factored K Q) ->
  (forall c, P c -> 0 <= lam c) -> contraction (combine P lam D) ->
  \sum_(c | P c) lam c * h c <= opt <= (\sum_k vnorm2 (K k) + \sum_k vnorm2 (Q k)) / 2.
Proof.
move=> Hopt Hw l0 C; have := norm_duality Hopt Hw l0 (contraction_dual_unit C).
by have := nuclear_norm_factored K Q; lra.
Qed.
End Nuclear.
