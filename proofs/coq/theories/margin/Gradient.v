(* Gradient: the derivative of the training loss, and T1.

   Selection.gradient is the gradient of the training loss: along every line it gives the derivative. T1: for every
   selection it is minus a weighted sum of that selection's constraint vectors. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Derivatives.
Variable p : selection_problem.
Implicit Types (w v : vec (coord p)) (t u : token p) (i : group p).

(* Mean of the logit over a group under the attention of w. *)
Definition mean_logit w i v : R := \sum_(t | group_of t == i) attention w t * logit v t.

Lemma logit_line w v (y : R) t : logit (w + y * v) t = logit w t + y * logit v t.
Proof. by rewrite /logit dotDr dotZr. Qed.

Lemma is_derive_unnormalised w v t (x : R) :
  is_derive (fun y => unnormalised (w + y * v) t) x (unnormalised (w + x * v) t * logit v t).
Proof.
apply: (is_derive_ext (fun y => multiplicity t * exp (logit w t + y * logit v t))) => [y|].
  by rewrite /unnormalised logit_line.
rewrite /unnormalised logit_line; auto_derive => //; ring.
Qed.

Lemma is_derive_attention w v t (x : R) :
  is_derive (fun y => attention (w + y * v) t) x
    (attention (w + x * v) t * (logit v t - mean_logit (w + x * v) (group_of t) v)).
Proof.
set wx := (w + x * v)%V; set Z := \sum_(u | group_of u == group_of t) unnormalised wx u.
have Z0 : Z <> 0 by have := normaliser_gt0 wx t; rewrite -/Z; lra.
have dZ := @is_derive_sum _ (index_enum _) (fun u : token p => group_of u == group_of t) _ x _
             (fun u _ => is_derive_unnormalised w v u x).
have := is_derive_div _ _ _ _ _ (is_derive_unnormalised w v t x) dZ Z0.
apply: is_derive_ext_eq; rewrite /attention -/wx -/Z.
have -> : mean_logit wx (group_of t) v = / Z * (\sum_(u | group_of u == group_of t) unnormalised wx u * logit v u).
  rewrite sum_mull; apply: eq_bigr => u /eqP ut; rewrite /attention ut -/Z /Rdiv; ring.
by field.
Qed.

(* The gradient of the output of a group. *)
Definition output_gradient w i : vec (coord p) :=
  combine (fun t => group_of t == i) (fun t => attention w t * (score t - output w i)) feature.

Lemma covariance_logit w i v :
  \sum_(t | group_of t == i) (attention w t * (logit v t - mean_logit w i v)) * score t = dot (output_gradient w i) v.
Proof.
rewrite /output_gradient dot_combinel.
have -> : \sum_(t | group_of t == i) attention w t * (logit v t - mean_logit w i v) * score t =
          (\sum_(t | group_of t == i) attention w t * score t * logit v t) - mean_logit w i v * output w i.
  by rewrite /output sum_mull -sumB; apply: eq_bigr => t _; ring.
have -> : \sum_(t | group_of t == i) attention w t * (score t - output w i) * dot (feature t) v =
          (\sum_(t | group_of t == i) attention w t * score t * logit v t) - output w i * mean_logit w i v.
  by rewrite /mean_logit sum_mull -sumB; apply: eq_bigr => t _; rewrite -/(logit v t); ring.
ring.
Qed.

Theorem is_derive_output w v i (x : R) :
  is_derive (fun y => output (w + y * v) i) x (dot (output_gradient (w + x * v) i) v).
Proof.
rewrite -covariance_logit; apply: is_derive_sum => t /eqP ti.
have := is_derive_attention w v t x; rewrite ti => H.
by have := is_derive_scal_l _ _ _ (score t) H; apply: is_derive_ext.
Qed.

Lemma gradient_outputs (l : loss) w :
  gradient l w = combine predT (fun i => weight i * dloss l (output w i)) (output_gradient w).
Proof.
apply: vec_ext => j; rewrite /gradient /combine (partition_big (@group_of p) predT) //=.
apply: eq_bigr => i _; rewrite sum_mull; apply: eq_bigr => t /eqP ->; ring.
Qed.

(* The gradient is the derivative of the training loss along every line. *)
Theorem is_derive_training_loss (l : loss) w v (x : R) : loss_defined p l ->
  is_derive (fun y => training_loss l (w + y * v)) x (dot (gradient l (w + x * v)) v).
Proof.
move=> defined; rewrite gradient_outputs dot_combinel; apply: is_derive_sum => i _.
have := is_derive_comp _ _ _ _ _ (is_derive_loss (defined _ _)) (is_derive_output w v i x).
by move/(is_derive_scal _ _ (weight i)); apply: is_derive_ext_eq; rewrite /scal /= /mult /=; ring.
Qed.
End Derivatives.

(* ---- T1 ---- *)

Section T1.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Implicit Types (w v : vec (coord p)) (t : token p) (i : group p).

Lemma output_deviation_sum w i : \sum_(t | group_of t == i) attention w t * (score t - output w i) = 0.
Proof.
have -> : \sum_(t | group_of t == i) attention w t * (score t - output w i) =
          (\sum_(t | group_of t == i) attention w t * score t) -
          output w i * (\sum_(t | group_of t == i) attention w t).
  by rewrite sum_mull -sumB; apply: eq_bigr => t _; ring.
by rewrite (attention_sum alpha) /output; ring.
Qed.

(* -grad L(w) = sum over constraints of omega_c(w) Delta_c. *)
Theorem gradient_constraints w :
  (- gradient l w)%V = combine (constraint alpha) (omega l w) (Delta alpha).
Proof.
have -> : combine (constraint alpha) (omega l w) (Delta alpha) = combine predT (omega l w) (Delta alpha).
  apply: vec_ext => j; rewrite /combine [LHS]big_mkcond; apply: eq_bigr => t _.
  by case: ifPn => // /not_constraint E; rewrite /Delta /selected -E /vsub; ring.
apply: vec_ext => j; rewrite /vopp /gradient /combine -sumN.
have anchor : \sum_(t : token p) omega l w t * feature (selected alpha t) j = 0.
  rewrite (partition_big (@group_of p) predT) //= sum0 // => i _.
  have -> : \sum_(t | group_of t == i) omega l w t * feature (selected alpha t) j =
            weight i * dloss l (output w i) * feature (alpha i) j *
            \sum_(t | group_of t == i) attention w t * (score t - output w i).
    by rewrite sum_mull; apply: eq_bigr => t /eqP ti; rewrite /omega /selected ti; ring.
  by rewrite output_deviation_sum; ring.
have -> : \sum_(t : token p) omega l w t * Delta alpha t j =
          (\sum_(t : token p) omega l w t * feature (selected alpha t) j) -
          \sum_(t : token p) omega l w t * feature t j.
  by rewrite -sumB; apply: eq_bigr => t _; rewrite /Delta /vsub; ring.
rewrite anchor Rminus_0_l -sumN; apply: eq_bigr => t _; rewrite /omega; ring.
Qed.

(* The weight of a constraint decays with its margin: omega_c = b_c exp(-m_c). *)
Definition bare_weight w t : R :=
  copies alpha t * (weight (group_of t) * - dloss l (output w (group_of t)) * attention w (selected alpha t) *
                   (output w (group_of t) - score t)).

Theorem omega_margin w t : omega l w t = bare_weight w t * exp (- margin alpha w t).
Proof. by rewrite /omega /bare_weight (attention_margin alpha); ring. Qed.

(* Directional form: the loss decreases along v at the rate sum omega_c <Delta_c, v>. *)
Theorem is_derive_loss_constraints w v (x : R) : loss_defined p l ->
  is_derive (fun y => training_loss l (w + y * v)) x
    (- \sum_(t | constraint alpha t) omega l (w + x * v) t * margin alpha v t).
Proof.
move/(is_derive_training_loss w v x); apply: is_derive_ext_eq.
have -> : gradient l (w + x * v) = (- combine (constraint alpha) (omega l (w + x * v)) (Delta alpha))%V.
  by rewrite -gradient_constraints; vec_ring.
by rewrite dotNl dot_combinel.
Qed.
End T1.
