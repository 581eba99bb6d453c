(* JointModel: attention that is trained with its decoder (papers A, C and D; JOINT.md section 1).

   Tokens have values g_t instead of scores; a decoder v gives them the scores <g_t, v>. So beside v the attention is a
   selection problem like any other. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Gradient Direction Saturation.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section JointModel.
Variables (p : selection_problem) (J : finType) (g : token p -> vec J).
Implicit Types (v : vec J) (w : vec (coord p)) (t : token p) (i : group p).

(* The attention's problem beside v. *)
Definition scored v : selection_problem :=
  SelectionProblem (@group_of p) (@feature p) (fun t => dot (g t) v) (@multiplicity_gt0 p) (@weight_gt0 p).

Definition joint_output v w i : R := @output (scored v) w i.
Definition joint_loss (l : loss) v w : R := @training_loss (scored v) l w.

Lemma joint_outputZ c v w i : joint_output (c * v)%V w i = c * joint_output v w i.
Proof.
rewrite /joint_output /output sum_mull; apply: eq_bigr => t _; rewrite /= dotZr.
by rewrite -[@attention (scored (c * v)%V) w t]/(@attention (scored v) w t); ring.
Qed.

(* ---- against a selection ---- *)

Variable alpha : selection p.

Definition scored_selection v : selection (scored v) := @Selection.Selection (scored v) alpha (group_of_pick alpha).

Definition chosen_value i : vec J := g (alpha i).                                  (* kappa *)
Definition value_difference t : vec J := (chosen_value (group_of t) - g t)%V.      (* delta *)
(* What a group's output misses. *)
Definition lost_value v w i : R := \sum_(t | others alpha i t) attention w t * dot (value_difference t) v.

Lemma scored_gap v t : gap (scored_selection v) t = dot (value_difference t) v.
Proof. by rewrite dotBl. Qed.

Theorem joint_output_lost v w i : joint_output v w i = dot (chosen_value i) v - lost_value v w i.
Proof.
rewrite /joint_output (output_selected (scored_selection v)); congr (_ - _).
by apply: eq_bigr => t _; rewrite scored_gap.
Qed.
End JointModel.
