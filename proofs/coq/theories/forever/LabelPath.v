(* LabelPath: what selection cross-entropy loses on a ray along which the margins grow, for T21 as RegularisationPath.v
   has it (DYNAMICS.md section 11): -log s = log (1 + E) <= E, E the odds of the tokens without a score. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Losses Saturation RegularisationPath OddsLimit LabelLockIn.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section LabelPath.
Variables (p : selection_problem) (alpha : selection p).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Implicit Types (w : vec (coord p)) (i : group p).
Hypotheses (label_gt0 : forall i, 0 < score (alpha i)) (other_zero : forall t, Q t -> score t = 0).

Lemma label_loss w i : cross_entropy (output w i) - cross_entropy (score (alpha i)) = - ln (attention w (alpha i)).
Proof.
have a0 := attention_gt0 w (alpha i); have c0 := label_gt0 i.
by rewrite (label_value other_zero) /= ln_mult //; ring.
Qed.

Theorem label_ray (u : vec (coord p)) gamma r i : (forall t, Q t -> gamma <= margin alpha u t) -> 0 <= r ->
  cross_entropy (output (r * u)%V i) - cross_entropy (score (alpha i)) <=
    - dloss cross_entropy (score (alpha i)) * (total_gap alpha i * exp (- (gamma * r))).
Proof.
move=> on_ray r0; rewrite label_loss.
have /Rabs_le_between[low _] := selected_log_odds alpha (r * u)%V i.
have below : odds alpha (r * u)%V i <= \sum_(t | others i t) copies alpha t * exp (- (gamma * r)).
  apply: odds_le => t /andP[Qt _]; rewrite /margin dotZr.
  by have := Rmult_le_compat_l _ _ _ r0 (on_ray t Qt); rewrite /margin; lra.
have c0 := label_gt0 i; rewrite [dloss _ _]/= minus_log_slope_at //.
have -> : / score (alpha i) * (total_gap alpha i * exp (- (gamma * r))) =
    \sum_(t | others i t) copies alpha t * exp (- (gamma * r)).
  rewrite /total_gap !(sum_mulr, sum_mull); apply: eq_bigr => t /andP[Qt /eqP ti].
  by rewrite /gap /selected ti (other_zero Qt); field; lra.
lra.
Qed.
End LabelPath.
