(* JointAscent: the fields along which decoder and attention are trained together (JOINT.md section 1), by what they are
   against a selection: groups pull their values, rows their differences of features. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Gradient Saturation JointModel.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section JointAscent.
Variables (p : selection_problem) (J : finType) (g : token p -> vec J) (l : loss).
Implicit Types (v e : vec J) (w : vec (coord p)) (t : token p) (i : group p).

(* How hard a group pulls: weight times |l'|. *)
Definition group_pull v w i : R := weight i * - dloss l (joint_output g v w i).

Definition value_gradient v w : vec J :=
  combine predT (fun t => weight (group_of t) * dloss l (joint_output g v w (group_of t)) * attention w t) g.
Definition attention_gradient v w : vec (coord p) := @gradient (scored g v) l w.

(* Both steps normalised: the decoder's of length a_t, the attention's of length eta_t. *)
Definition trained_jointly (a eta : nat -> R) (v : nat -> vec J) (w : nat -> vec (coord p)) : Prop := forall n,
  let dv := value_gradient (v n) (w n) in let dw := attention_gradient (v n) (w n) in
  v n.+1 = (v n - a n / vnorm dv * dv)%V /\ w n.+1 = (w n - eta n / vnorm dw * dw)%V.

Variable alpha : selection p.
Notation kappa := (chosen_value g alpha).
Notation delta := (value_difference g alpha).
Notation lost := (lost_value g alpha).

Lemma sum_by_group (F : token p -> R) : \sum_t F t = \sum_i \sum_(t | group_of t == i) F t.
Proof. exact: (partition_big (@group_of p) predT). Qed.

Theorem value_ascent v w e :
  - dot (value_gradient v w) e = \sum_i group_pull v w i * (dot (kappa i) e - lost e w i).
Proof.
rewrite dot_combinel -sumN sum_by_group; apply: eq_bigr => i _.
rewrite -(joint_output_lost g alpha).
have -> : joint_output g e w i = \sum_(t | group_of t == i) attention w t * dot (g t) e by [].
by rewrite sum_mull; apply: eq_bigr => t /eqP ti; rewrite /group_pull ti; ring.
Qed.

(* omega_c *)
Definition row_pull v w t : R :=
  group_pull v w (group_of t) * attention w t * (dot (delta t) v - lost v w (group_of t)).

Theorem attention_ascent v w : (- attention_gradient v w)%V = combine (constraint alpha) (row_pull v w) (Delta alpha).
Proof.
rewrite /attention_gradient (gradient_constraints (scored_selection g alpha v) l w).
apply: combine_eq => // t _; rewrite /omega /row_pull /group_pull.
have -> : dot (delta t) v - lost v w (group_of t) = joint_output g v w (group_of t) - dot (g t) v.
  have -> : dot (delta t) v = dot (kappa (group_of t)) v - dot (g t) v by rewrite -dotBl.
  by rewrite (joint_output_lost g alpha); ring.
by [].
Qed.
End JointAscent.
