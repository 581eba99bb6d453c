(* Selection: token selection by softmax attention, as the papers define it.

   The definitions of this file are the whole vocabulary of the development's theorems: selection problems, softmax
   attention, the training loss, selections, margins, the maximum-margin problem, and local and global optimality.
   Tokens of all groups form one finite type; group_of says which group (sequence) a token belongs to. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* A strictly decreasing differentiable loss, with its derivative, of the outputs in a domain that has with a number
   all larger ones; elsewhere neither means anything. *)
Record loss := Loss {
  loss_fun :> R -> R;
  dloss : R -> R;
  loss_domain : R -> Prop;
  loss_domain_le : forall u v, loss_domain u -> u <= v -> loss_domain v;
  is_derive_loss : forall u, loss_domain u -> is_derive loss_fun u (dloss u);
  dloss_lt0 : forall u, dloss u < 0
}.

(* Of all outputs. *)
Definition total_loss (f df : R -> R) (derive : forall u, is_derive f u (df u)) (lt0 : forall u, df u < 0) : loss :=
  @Loss f df (fun=> True) (fun _ _ _ _ => I) (fun u _ => derive u) lt0.

Record selection_problem := SelectionProblem {
  coord : finType;                     (* the Euclidean space is R^coord *)
  group : finType;
  token : finType;                     (* the tokens of all groups *)
  group_of : token -> group;
  feature : token -> vec coord;        (* a_it *)
  score : token -> R;                  (* g_it *)
  multiplicity : token -> R;           (* how often the token stands in its group; 1 in the papers *)
  multiplicity_gt0 : forall t, 0 < multiplicity t;
  weight : group -> R;                 (* of the group in the loss; 1/n in the papers *)
  weight_gt0 : forall i, 0 < weight i
}.

Arguments group_of {s} _.
Arguments feature {s} _.
Arguments score {s} _.
Arguments multiplicity {s} _.
Arguments multiplicity_gt0 {s} _.
Arguments weight {s} _.
Arguments weight_gt0 {s} _.

(* ---- softmax attention and its loss ---- *)

Section Attention.
Variable p : selection_problem.
Implicit Types (w : vec (coord p)) (t : token p) (i : group p).

Definition logit w t : R := dot (feature t) w.
Definition unnormalised w t : R := multiplicity t * exp (logit w t).
Definition attention w t : R := unnormalised w t / \sum_(u | group_of u == group_of t) unnormalised w u.
Definition output w i : R := \sum_(t | group_of t == i) attention w t * score t.
Definition training_loss (l : loss) w : R := \sum_i weight i * l (output w i).
(* Every output is in the loss's domain. *)
Definition loss_defined (l : loss) : Prop := forall w i, loss_domain l (output w i).

(* The gradient of the training loss; Gradient.v proves that it is one. *)
Definition gradient (l : loss) w : vec (coord p) :=
  combine predT (fun t => weight (group_of t) * dloss l (output w (group_of t)) *
                          (attention w t * (score t - output w (group_of t)))) feature.
End Attention.

(* ---- selections and the maximum-margin problem ---- *)

(* One token per group. *)
Record selection (p : selection_problem) := Selection {
  pick :> group p -> token p;
  group_of_pick : forall i, group_of (pick i) = i
}.

Section Margins.
Variables (p : selection_problem) (alpha : selection p).
Implicit Types (w : vec (coord p)) (t : token p).

Definition selected t : token p := alpha (group_of t).
(* Constraints are the tokens that are not selected. *)
Definition constraint t : bool := t != selected t.
Definition Delta t : vec (coord p) := (feature (selected t) - feature t)%V.
Definition margin w t : R := dot (Delta t) w.
Definition gap t : R := score (selected t) - score t.
(* kappa of DYNAMICS.md: how often the token stands in its group for each time that the selected one does. *)
Definition copies t : R := multiplicity t / multiplicity (selected t).

Definition separates w : Prop := forall t, constraint t -> 1 <= margin w t.
Definition feasible : Prop := exists w, separates w.

(* w is the solution of: minimise ||w|| subject to margin w t >= 1 for every constraint t; it is the only one. *)
Definition max_margin w : Prop :=
  separates w /\ forall w', separates w' -> w' <> w -> vnorm w < vnorm w'.

Definition support w t : Prop := constraint t /\ margin w t = 1.

Definition locally_optimal : Prop :=
  exists w, max_margin w /\ forall t, support w t -> 0 < gap t.

Definition globally_optimal : Prop := forall t, constraint t -> score t < score (selected t).

(* Karush-Kuhn-Tucker multipliers of w. *)
Definition multipliers w (lam : token p -> R) : Prop :=
  [/\ forall t, constraint t -> 0 <= lam t,
      w = combine constraint lam Delta &
      forall t, constraint t -> lam t * (margin w t - 1) = 0].

Definition strictly_complementary : Prop :=
  exists w lam, [/\ max_margin w, multipliers w lam & forall t, support w t -> 0 < lam t].

(* The weights of T1: -gradient w = sum over constraints of omega w t * Delta t. *)
Definition omega (l : loss) w t : R :=
  weight (group_of t) * - dloss l (output w (group_of t)) * attention w t * (output w (group_of t) - score t).
End Margins.

(* ---- how the papers' models are selection problems ----
   Tokens x_it, labels Y_i, decoder v: the score is Y_i <v, x_it>. *)

Section Models.
Variables (d e group token : finType) (group_of : token -> group) (x : token -> vec d) (Y : group -> R) (v : vec d).

Definition decoder_score (t : token) : R := Y (group_of t) * dot v (x t).

Definition mean_weight (i : group) : R := / INR #|group|.

Lemma mean_weight_gt0 i : 0 < mean_weight i.
Proof. by apply: Rinv_0_lt_compat; apply: lt_0_INR; apply/ltP; apply/card_gt0P; exists i. Qed.

(* Every token stands in its sequence once. *)
Definition once (t : token) : R := 1.

Lemma once_gt0 t : 0 < once t.
Proof. exact: Rlt_0_1. Qed.

(* Keys k_it, trained prompt: logits <k_it, p>. *)
Definition prompt_problem (k : token -> vec e) :=
  SelectionProblem group_of k decoder_score once_gt0 mean_weight_gt0.

(* Queries z_i, trained W: logits x_it' W z_i = <x_it z_i', W>. *)
Definition cross_attention (z : group -> vec e) :=
  SelectionProblem group_of (fun t => outer (x t) (z (group_of t))) decoder_score once_gt0 mean_weight_gt0.

(* The query is the token q i of the sequence: logits x_it' W x_iq. *)
Definition self_attention (q : group -> token) :=
  SelectionProblem group_of (fun t => outer (x t) (x (q (group_of t)))) decoder_score once_gt0 mean_weight_gt0.

Definition bilinear (u : vec d) (W : vec [finType of d * e]) (z : vec e) : R := \sum_j \sum_k (u j * W (j, k) * z k).

Lemma cross_attention_logit (z : group -> vec e) (W : vec [finType of d * e]) (t : token) :
  @logit (cross_attention z) W t = bilinear (x t) W (z (group_of t)).
Proof.
rewrite /logit /dot /bilinear pair_bigA.
by apply: eq_bigr => [[j k]] _; rewrite /= /outer /=; ring.
Qed.

(* The output is the label times the model's prediction v' X_i' softmax(X_i W z_i). *)
Lemma cross_attention_output (z : group -> vec e) (W : vec [finType of d * e]) (i : group) :
  @output (cross_attention z) W i =
  Y i * dot v (combine (fun t => group_of t == i) (@attention (cross_attention z) W) x).
Proof.
rewrite dot_combiner /output sum_mull; apply: eq_bigr => t /= /eqP ti.
by rewrite /decoder_score ti; ring.
Qed.
End Models.

(* ---- first facts ---- *)

Section Facts.
Variables (p : selection_problem) (alpha : selection p).
Implicit Types (w : vec (coord p)) (t u : token p) (i : group p).

Lemma group_of_selected t : group_of (selected alpha t) = group_of t.
Proof. exact: group_of_pick. Qed.

Lemma selected_pick i : selected alpha (alpha i) = alpha i.
Proof. by rewrite /selected group_of_pick. Qed.

Lemma constraint_pick i : constraint alpha (alpha i) = false.
Proof. by rewrite /constraint selected_pick eqxx. Qed.

Lemma not_constraint t : ~~ constraint alpha t -> t = alpha (group_of t).
Proof. by move/negPn/eqP. Qed.

Lemma unnormalised_gt0 w t : 0 < unnormalised w t.
Proof. by apply: Rmult_lt_0_compat; [exact: multiplicity_gt0 | exact: exp_pos]. Qed.

Lemma normaliser_gt0 w t : 0 < \sum_(u | group_of u == group_of t) unnormalised w u.
Proof. by apply: (sum_gt0 (i := t)) => // [u _|]; [apply: Rlt_le | ]; apply: unnormalised_gt0. Qed.

Lemma attention_gt0 w t : 0 < attention w t.
Proof. by apply: Rdiv_lt_0_compat; [exact: unnormalised_gt0 | exact: normaliser_gt0]. Qed.

Lemma attention_sum w i : \sum_(t | group_of t == i) attention w t = 1.
Proof.
have -> : \sum_(t | group_of t == i) attention w t =
          \sum_(t | group_of t == i) unnormalised w t * / \sum_(u | group_of u == i) unnormalised w u.
  by apply: eq_bigr => t /eqP ti; rewrite /attention ti.
rewrite -sum_mulr Rinv_r //; have := normaliser_gt0 w (alpha i); rewrite group_of_pick; lra.
Qed.

Lemma attention_le1 w t : attention w t <= 1.
Proof.
rewrite -(attention_sum w (group_of t)).
by apply: (sum_term_le (F := attention w)) => // u _; apply: Rlt_le; apply: attention_gt0.
Qed.

Lemma margin_logit w t : margin alpha w t = logit w (selected alpha t) - logit w t.
Proof. by rewrite /margin /Delta dotBl. Qed.

Lemma copies_gt0 t : 0 < copies alpha t.
Proof. by apply: Rdiv_lt_0_compat; exact: multiplicity_gt0. Qed.

Lemma copies_pick i : copies alpha (alpha i) = 1.
Proof. by rewrite /copies selected_pick /Rdiv Rinv_r //; have := multiplicity_gt0 (alpha i); lra. Qed.

(* Attention against the selected token: s_it = s_{i,alpha_i} kappa_it exp(-margin), kappa its copies. *)
Lemma attention_margin w t :
  attention w t = attention w (selected alpha t) * (copies alpha t * exp (- margin alpha w t)).
Proof.
rewrite /attention /unnormalised group_of_selected margin_logit.
rewrite {1}(_ : logit w t = logit w (selected alpha t) + - (logit w (selected alpha t) - logit w t)); last by ring.
rewrite exp_plus /copies /Rdiv.
have k0 := multiplicity_gt0 (selected alpha t); set z := \sum_(u | _) _.
have H a b c d e : c <> 0 -> a * (b * d) * e = c * b * e * (a * / c * d) by move=> c0; field.
by apply: H; lra.
Qed.

(* The output is a mean of the scores: f_i - g_it = gap_t - sum_u s_u gap_u. *)
Lemma output_sub_score w t :
  output w (group_of t) - score t =
  gap alpha t - \sum_(u | group_of u == group_of t) attention w u * gap alpha u.
Proof.
have -> : \sum_(u | group_of u == group_of t) attention w u * gap alpha u =
          \sum_(u | group_of u == group_of t) (score (selected alpha t) * attention w u - attention w u * score u).
  by apply: eq_bigr => u /eqP ut; rewrite /gap /selected ut; ring.
rewrite sumB -sum_mull attention_sum /gap /output; ring.
Qed.
End Facts.
