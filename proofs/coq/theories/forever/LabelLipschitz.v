(* LabelLipschitz: T6 for selection cross-entropy, as a head and as a loss of one output (DYNAMICS.md section 11): its
   second derivative along a line is a variance of logits. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Moments Heads Losses Saturation CrossEntropyHead HeadLockIn
                           LabelLockIn GradientLipschitz.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Lipschitz.
Variables (p : selection_problem) (alpha : selection p) (D : group p -> R).
Hypothesis diameter : forall t c : token p, group_of t = group_of c -> vnorm (feature t - feature c) <= D (group_of t).

Lemma cross_entropy_bent_ge0 (z v : vec (coord p)) : 0 <= cross_entropy_bent z v.
Proof.
apply: sum_ge0 => i _; apply: Rmult_le_pos; first exact/Rlt_le/weight_gt0.
by apply: variance_ge0 => t _; exact/Rlt_le/attention_gt0.
Qed.

Theorem cross_entropy_lipschitz z z' : vnorm (head_gradient (cross_entropy_head alpha) z' -
  head_gradient (cross_entropy_head alpha) z)%V <= cross_entropy_smoothness D * vnorm (z' - z)%V.
Proof.
apply: (curvature_lipschitz (L := head_loss (cross_entropy_head alpha)) (bent := @cross_entropy_bent p))
  => [w v x|w v x|w v].
- apply: is_derive_head_loss => i; apply: cross_entropy_differentiable; first exact: group_of_pick.
  exact: attention_gt0.
- exact: cross_entropy_second.
by rewrite Rabs_pos_eq; [exact: (cross_entropy_bent_le alpha diameter) | exact: cross_entropy_bent_ge0].
Qed.

Hypotheses (label_gt0 : forall i, 0 < score (alpha i)) (other_zero : forall t, constraint alpha t -> score t = 0).

Theorem label_lipschitz (z z' : vec (coord p)) : vnorm (gradient cross_entropy z' - gradient cross_entropy z)%V <=
  cross_entropy_smoothness D * vnorm (z' - z)%V.
Proof. rewrite !(label_gradient label_gt0 other_zero); exact: cross_entropy_lipschitz. Qed.
End Lipschitz.
