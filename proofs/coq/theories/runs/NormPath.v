(* NormPath: T21 in any norm (SOUNDNESS.md section 7).

   A matrix w0 with all margins at least 1 gives a ray along which margins grow; multipliers whose combination has a
   known dual norm give a direction n. What is no worse than the ray's point of size r is at least (lo/hi) r - K along
   n. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Losses NormDuality Claims RegularisationPath.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* w minimises the training loss over a set. *)
Definition least_over (p : selection_problem) (l : loss) (S : vec (coord p) -> Prop) (w : vec (coord p)) : Prop :=
  S w /\ forall w', S w' -> training_loss l w <= training_loss l w'.

Section NormPath.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Variables (w0 : vec (coord p)) (lam : token p -> R) (lo hi B from : R) (bounds : path_bounds p).
Notation Q := (constraint alpha).
Notation scale := (path_scale alpha (path_slope_max bounds)).
Notation floor := (path_floor alpha (path_slope_min bounds) (path_lost bounds)).

Definition norm_path_rate : R := \sum_(t | Q t) lam t / B * ln (scale / floor t).

Hypotheses (hi0 : 0 < hi) (B0 : 0 < B) (lam0 : forall t, Q t -> 0 <= lam t).
Hypothesis total : lo * B <= \sum_(t | Q t) lam t.
Hypotheses (some_constraint : exists t, Q t) (alpha_best : globally_optimal alpha).
Hypothesis defined : loss_defined p l.
Hypothesis ranges : path_ranges alpha l (/ hi * w0)%V (/ hi) from bounds.

Theorem norm_path_height r w : from <= r -> training_loss l w <= training_loss l (r * (/ hi * w0))%V ->
  lo / hi * r - norm_path_rate <= dot (/ B * W alpha lam)%V w.
Proof.
move=> far no_worse; have i0 := Rinv_0_lt_compat _ hi0; have b0 := Rinv_0_lt_compat _ B0.
have above t (Qt : Q t) := path_margin i0 some_constraint alpha_best ranges defined far no_worse Qt.
have r0 : 0 < r by have := path_from_gt0 ranges; lra.
rewrite dotZl /W dot_combinel sum_mull /norm_path_rate.
apply: (@Rle_trans _ (\sum_(t | Q t) lam t / B * (/ hi * r - ln (scale / floor t)))); last first.
  apply: sum_le => t Qt; have := above t Qt; rewrite /margin => H.
  have c0 : 0 <= lam t / B by apply: Rmult_le_pos; [exact: lam0 | lra].
  by have := Rmult_le_compat_l _ _ _ c0 H; rewrite /Rdiv; lra.
have -> : \sum_(t | Q t) lam t / B * (/ hi * r - ln (scale / floor t)) =
    (\sum_(t | Q t) lam t) * (/ B * (/ hi * r)) - \sum_(t | Q t) lam t / B * ln (scale / floor t).
  by rewrite sum_mulr -sumB; apply: eq_bigr => t _; rewrite /Rdiv; ring.
have c0 : 0 <= / B * (/ hi * r) by apply: Rmult_le_pos; [lra | apply: Rmult_le_pos; lra].
have := Rmult_le_compat_r _ _ _ c0 total.
by have -> : lo * B * (/ B * (/ hi * r)) = lo / hi * r; [field; lra | lra].
Qed.
End NormPath.

(* ---- factors ---- *)

Definition size_of_factors (d e I : finType) (K : I -> vec d) (Q : I -> vec e) : R :=
  \sum_k vnorm2 (K k) + \sum_k vnorm2 (Q k).

Section Padding.
Variables (d e I J : finType) (c : R) (K : I -> vec d) (Q : I -> vec e).
Hypothesis c0 : 0 <= c.

(* The factors times a root of c, and columns of zeros. *)
Definition padded (n : finType) (A : I -> vec n) (k : I + J) : vec n :=
  match k with inl i => (sqrt c * A i)%V | inr _ => vzero end.

Lemma padded_size : size_of_factors (padded K) (padded Q) = c * size_of_factors K Q.
Proof.
have half n (A : I -> vec n) : \sum_k vnorm2 (padded A k) = c * \sum_i vnorm2 (A i).
  rewrite big_sumType /= [X in _ + X]big1 ?Rplus_0_r => [|j _]; last exact: vnorm20.
  rewrite sum_mull; apply: eq_bigr => i _; rewrite /vnorm2 dotZl dotZr -Rmult_assoc sqrt_sqrt //.
by rewrite /size_of_factors !half; ring.
Qed.

Lemma padded_product : factored (padded K) (padded Q) = (c * factored K Q)%V.
Proof.
apply: vec_ext => -[j k]; rewrite /vscale /factored /combine big_sumType /= [X in _ + X]big1 ?Rplus_0_r.
  by rewrite sum_mull; apply: eq_bigr => i _; rewrite /outer /vscale -{3}(sqrt_sqrt c c0); ring.
by move=> i _; rewrite /outer /vzero; ring.
Qed.
End Padding.
