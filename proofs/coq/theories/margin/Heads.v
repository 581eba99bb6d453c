(* Heads: training losses that are not of one output.

   A head says what the loss of a group is as a function of the attention of its tokens, and its partial derivatives.
   -l_i's derivative by s_t is the effective score phi_t of DYNAMICS.md section 11: at a point a head trains like the
   linear loss with these scores (`tangent`), so T1 is that of Gradient.v, and nothing is proved twice. The theorems
   for all later steps know of a head only the ranges of its factors (FactorRange.v).

   A scalar loss is a head (`scalar_head`); others are in Outputs.v and CrossEntropy.v. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Losses.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Record head (p : selection_problem) := Head {
  head_value : group p -> (token p -> R) -> R;             (* l_i(s) *)
  head_slope : group p -> (token p -> R) -> token p -> R   (* its derivative by s_t *)
}.

Section Heads.
Variables (p : selection_problem) (h : head p).
Implicit Types (w v : vec (coord p)) (t : token p) (i : group p) (s : token p -> R).

Definition head_loss w : R := \sum_i weight i * head_value h i (attention w).

(* The mean of the partial derivatives under the attention of w. *)
Definition mean_slope w i : R := \sum_(t | group_of t == i) attention w t * head_slope h i (attention w) t.

Definition head_gradient w : vec (coord p) :=
  combine predT (fun t => weight (group_of t) *
    (attention w t * (head_slope h (group_of t) (attention w) t - mean_slope w (group_of t)))) feature.

(* The slopes of group i are l_i's derivative at s, along every curve through s. *)
Definition differentiable i s : Prop := forall (c : R -> token p -> R) (d : token p -> R) x,
  (forall t, c x t = s t) -> (forall t, group_of t == i -> is_derive (fun y => c y t) x (d t)) ->
  is_derive (fun y => head_value h i (c y)) x (\sum_(t | group_of t == i) head_slope h i s t * d t).

(* The same features, with the effective scores of the head at one attention. *)
Definition tangent s : selection_problem :=
  SelectionProblem (@group_of p) (@feature p) (fun t => - head_slope h (group_of t) s t) (@multiplicity_gt0 p)
    (@weight_gt0 p).

Lemma tangent_attention s w t : @attention (tangent s) w t = attention w t.
Proof. by []. Qed.

Lemma tangent_output w i : @output (tangent (attention w)) w i = - mean_slope w i.
Proof.
rewrite /output /mean_slope -sumN; apply: eq_bigr => t /eqP ti.
by rewrite tangent_attention /= -/(group_of t) ti; ring.
Qed.

Lemma tangent_gradient w : head_gradient w = @gradient (tangent (attention w)) correlation w.
Proof.
apply: combine_eq => // t _; rewrite tangent_output tangent_attention /=.
ring.
Qed.

(* The gradient is the derivative of the loss along every line. *)
Theorem is_derive_head_loss w v (x : R) : (forall i, differentiable i (attention (w + x * v)%V)) ->
  is_derive (fun y => head_loss (w + y * v)) x (dot (head_gradient (w + x * v)) v).
Proof.
move=> smooth; set z := (w + x * v)%V.
have -> : dot (head_gradient z) v = \sum_i weight i * (\sum_(t | group_of t == i) head_slope h i (attention z) t *
    (attention z t * (logit v t - mean_logit z i v))).
  rewrite /head_gradient dot_combinel (partition_big (@group_of p) predT) //=; apply: eq_bigr => i _.
  rewrite sum_mull; set m := mean_logit z i v; set g := mean_slope z i.
  have mg : \sum_(t | group_of t == i) weight i * (attention z t * (head_slope h i (attention z) t - g)) *
      dot (feature t) v = weight i * ((\sum_(t | group_of t == i) attention z t * head_slope h i (attention z) t *
      logit v t) - g * m).
    by rewrite /m /mean_logit !sum_mull -sumB sum_mull; apply: eq_bigr => t _; rewrite /logit; ring.
  have gm : \sum_(t | group_of t == i) weight i * (head_slope h i (attention z) t * (attention z t * (logit v t - m)))
      = weight i * ((\sum_(t | group_of t == i) attention z t * head_slope h i (attention z) t * logit v t) - g * m).
    by rewrite /g /mean_slope sum_mulr -sumB sum_mull; apply: eq_bigr => t _; ring.
  rewrite gm -mg; apply: eq_bigr => t /eqP ti; rewrite ti //.
apply: is_derive_sum => i _; apply: is_derive_scal; apply: smooth => [//|t /eqP ti].
by have := is_derive_attention w v t x; rewrite ti.
Qed.
End Heads.

(* ---- T1 ---- *)

Section Factors.
Variables (p : selection_problem) (alpha : selection p) (h : head p).
Implicit Types (w : vec (coord p)) (t : token p).

Definition tangent_selection s : selection (tangent h s) :=
  @Selection (tangent h s) alpha (@group_of_pick p alpha).

(* omega_c and b_c *)
Definition head_omega w t : R :=
  weight (group_of t) * (attention w t * (head_slope h (group_of t) (attention w) t - mean_slope h w (group_of t))).
Definition head_factor w t : R :=
  copies alpha t * (weight (group_of t) * attention w (selected alpha t) *
                    (head_slope h (group_of t) (attention w) t - mean_slope h w (group_of t))).

Lemma tangent_omega w t : head_omega w t = @omega (tangent h (attention w)) correlation w t.
Proof. by rewrite /omega tangent_output tangent_attention /= /head_omega; ring. Qed.

Lemma tangent_factor w t : head_factor w t =
  @bare_weight (tangent h (attention w)) (tangent_selection (attention w)) correlation w t.
Proof. by rewrite /bare_weight tangent_output tangent_attention /head_factor /copies /selected /=; ring. Qed.

(* -grad L(w) = sum over constraints of omega_c(w) Delta_c, omega_c = b_c exp(-m_c). *)
Theorem head_gradient_constraints w :
  (- head_gradient h w)%V = combine (constraint alpha) (head_omega w) (Delta alpha).
Proof.
rewrite tangent_gradient (gradient_constraints (tangent_selection (attention w))).
by apply: combine_eq => // t _; rewrite tangent_omega.
Qed.

Theorem head_omega_margin w t : head_omega w t = head_factor w t * exp (- margin alpha w t).
Proof. by rewrite tangent_omega (omega_margin (tangent_selection (attention w))) -tangent_factor. Qed.
End Factors.

(* ---- a scalar loss is a head ---- *)

Section Scalar.
Variables (p : selection_problem) (l : loss).

Definition scalar_head : head p :=
  Head (fun i s => l (\sum_(t | group_of t == i) s t * score t))
       (fun i s t => dloss l (\sum_(t | group_of t == i) s t * score t) * score t).

Lemma scalar_loss w : head_loss scalar_head w = training_loss l w.
Proof. by []. Qed.

Lemma scalar_mean_slope w i : mean_slope scalar_head w i = dloss l (output w i) * output w i.
Proof. by rewrite /output sum_mull; apply: eq_bigr => t _ /=; rewrite -/(output w i); ring. Qed.

Lemma scalar_gradient w : head_gradient scalar_head w = gradient l w.
Proof. by apply: combine_eq => // t _; rewrite scalar_mean_slope /= -/(output w (group_of t)); ring. Qed.

Lemma scalar_factor (alpha : selection p) w t : head_factor alpha scalar_head w t = bare_weight alpha l w t.
Proof. by rewrite /head_factor /bare_weight scalar_mean_slope /= -/(output w (group_of t)); ring. Qed.

Theorem scalar_differentiable i s : loss_domain l (\sum_(t | group_of t == i) s t * score t) ->
  differentiable scalar_head i s.
Proof.
move=> inside c d x cs dc /=.
have dS : is_derive (fun y => \sum_(t | group_of t == i) c y t * score t) x
    (\sum_(t | group_of t == i) d t * score t).
  apply: is_derive_sum => t ti; apply: is_derive_ext_eq (is_derive_scal_l _ _ _ (score t) (dc t ti)).
  by rewrite /scal /= /mult /=; ring.
have E : \sum_(t | group_of t == i) c x t * score t = \sum_(t | group_of t == i) s t * score t.
  by apply: eq_bigr => t _; rewrite cs.
rewrite -E in inside; have := is_derive_comp _ _ _ _ _ (is_derive_loss inside) dS; apply: is_derive_ext_eq.
by rewrite E /scal /= /mult /= sum_mulr; apply: eq_bigr => t _; ring.
Qed.
End Scalar.
