(* ClassSelected: the loss of a classifier where all attention is on the selected tokens, in both forms: as any head's
   (OutputHeads.v) and from the selected token's numbers (ClassifierLockIn.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Heads ClassifierHead ClassifierLockIn OutputHeads.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section SelectedLoss.
Variables (p : selection_problem) (V : finType) (G : token p -> V -> R) (y : group p -> V) (alpha : selection p).

Lemma class_selected_loss : selected_head_loss alpha (classifier_head G y) = selected_loss G y alpha.
Proof.
apply: eq_bigr => i _; congr (_ * _); rewrite /= /selected_value /partition.
have at_ u : class_average G i (chosen alpha) u = G (alpha i) u by exact: chosen_sum.
rewrite at_ (eq_bigr (fun u => exp (G (alpha i) u))) => [|u _]; last by rewrite at_.
have P0 := exp_sum_gt0 (G (alpha i)) (y i).
have -> : \sum_u exp (class_start G y alpha i u) = (\sum_u exp (G (alpha i) u)) * exp (- G (alpha i) (y i)).
  by rewrite sum_mulr; apply: eq_bigr => u _; rewrite -exp_plus.
by rewrite ln_mult ?ln_exp //; exact: exp_pos.
Qed.
End SelectedLoss.
