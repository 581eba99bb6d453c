(* LabelLockIn: T12 and T12n for selection cross-entropy as a loss of one output (DYNAMICS.md section 11).

   Where the selected tokens are the only ones with a score, -log of an output has the gradient of -log of the attention
   on them, whatever that score. Its second derivative along a line is a variance of logits, at most Dm^2/4 in a group
   (T6) and at most Dm^2 times the attention off the selected token, which is the total weight Om. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Moments Smoothness Heads Iteration Losses Direction Growth
                           Saturation LossDescent CrossEntropyHead HeadLockIn LockIn NormalisedDescent
                           LockInNormalised.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Labels.
Variables (p : selection_problem) (alpha : selection p).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation inside i := (fun t : token p => group_of t == i).
Implicit Types (z v : vec (coord p)) (t : token p) (i : group p).
Hypotheses (label_gt0 : forall i, 0 < score (alpha i)) (other_zero : forall t, Q t -> score t = 0).

Lemma label_value z i : output z i = attention z (alpha i) * score (alpha i).
Proof.
rewrite /output (group_sum alpha) big1 ?Rplus_0_r // => t /andP[Qt _].
by rewrite other_zero // Rmult_0_r.
Qed.

Lemma label_value_gt0 z i : 0 < output z i.
Proof. by rewrite label_value; apply: Rmult_lt_0_compat; [exact: attention_gt0 | exact: label_gt0]. Qed.

Lemma label_dloss z i : dloss cross_entropy (output z i) = - / output z i.
Proof. by have := minus_log_slope_at (label_value_gt0 z i) => /=; lra. Qed.

Lemma label_gradient z : gradient cross_entropy z = head_gradient (cross_entropy_head alpha) z.
Proof.
rewrite -scalar_gradient; apply: combine_eq => // t _; congr (_ * (_ * _)); set i := group_of t.
have o0 := label_value_gt0 z i; have s0 := label_gt0 i; have a0 := attention_gt0 z (alpha i).
rewrite scalar_mean_slope cross_entropy_mean label_dloss.
have -> : - / output z i * output z i = - 1 by field; lra.
congr (_ - _); have -> : head_slope (scalar_head p cross_entropy) i (attention z) t =
  dloss cross_entropy (output z i) * score t by [].
rewrite label_dloss [RHS]/=; case: eqP => [->|ne]; first by rewrite label_value; field; lra.
by rewrite other_zero ?Rmult_0_r // /constraint /selected -/i; exact/eqP.
Qed.

Lemma label_defined : loss_defined p cross_entropy.
Proof. by move=> z i; exact: label_value_gt0. Qed.

(* ---- T6 ---- *)

Section Descent.
Variable D : group p -> R.
Hypothesis diameter : forall t c : token p, group_of t = group_of c -> vnorm (feature t - feature c) <= D (group_of t).

Theorem label_descent z e : 0 <= e -> e * cross_entropy_smoothness D <= 1 ->
  training_loss cross_entropy (z - e * gradient cross_entropy z)%V <=
    training_loss cross_entropy z - e / 2 * vnorm2 (gradient cross_entropy z).
Proof.
apply: (descent_short (bent := @cross_entropy_bent p)) => [a v x|a v x|a v].
- exact: is_derive_training_loss label_defined.
- apply: (is_derive_ext (fun y => dot (head_gradient (cross_entropy_head alpha) (a + y * v)) v)) => [y|].
    by rewrite label_gradient.
  exact: cross_entropy_second.
exact: (cross_entropy_bent_le alpha diameter).
Qed.
End Descent.

(* ---- along a line ---- *)

Variables (w0 : vec (coord p)) (Dm : R).
Hypotheses (Dm_ge0 : 0 <= Dm)
  (apart : forall t c : token p, group_of t = group_of c -> vnorm (feature t - feature c) <= Dm).

Lemma label_mass z : mass alpha cross_entropy z = \sum_i weight i * (1 - attention z (alpha i)).
Proof.
apply: eq_bigr => i _; congr (_ * _); rewrite /group_mass label_dloss label_value.
have a0 := attention_gt0 z (alpha i); have s0 := label_gt0 i.
by field; lra.
Qed.

Definition label_change z v : R :=
  \sum_i weight i * - (attention z (alpha i) * (logit v (alpha i) - mean_logit z i v)).

Lemma variance_from (c : R) z i v :
  variance (inside i) (attention z) (logit v) <=
    \sum_(t | group_of t == i) attention z t * ((logit v t - c) * (logit v t - c)).
Proof.
have one := attention_sum alpha z i; set m := mean_logit z i v.
have E : \sum_(t | group_of t == i) attention z t * ((logit v t - c) * (logit v t - c)) =
    variance (inside i) (attention z) (logit v) + (m - c) * (m - c).
  have -> : variance (inside i) (attention z) (logit v) =
    \sum_(t | group_of t == i) attention z t * ((logit v t - m) * (logit v t - m)) by [].
  have zero : \sum_(t | group_of t == i) attention z t * (logit v t - m) = 0.
    rewrite (eq_bigr (fun t => attention z t * logit v t - attention z t * m)) => [|t _]; last by ring.
    by rewrite sumB -sum_mulr one /m /mean_logit; ring.
  have -> : (m - c) * (m - c) = 2 * (m - c) * (\sum_(t | group_of t == i) attention z t * (logit v t - m)) +
      (\sum_(t | group_of t == i) attention z t) * ((m - c) * (m - c)) by rewrite zero one; ring.
  by rewrite sum_mull sum_mulr -!sumD; apply: eq_bigr => t _; ring.
by rewrite E; have := Rle_0_sqr (m - c); rewrite /Rsqr; lra.
Qed.

Theorem label_lines :
  line_ranges alpha cross_entropy w0 (LossLines (@cross_entropy_bent p) label_change (Dm * Dm) Dm).
Proof.
split=> /= [z v x|z v x|||z v _ v1|z v _ v1]; last first.
- rewrite label_mass sum_mull; apply: sum_le => i _; have w_gt0 := weight_gt0 i.
  have dev := selected_deviation_le alpha apart z i v1; have a0 := attention_gt0 z (alpha i).
  have a1 := attention_le1 alpha z (alpha i); set s := attention z (alpha i) in dev a0 a1 *.
  have -> : Dm * (weight i * (1 - s)) = weight i * (Dm * (1 - s)) by ring.
  apply: Rmult_le_compat_l; first lra; apply: Rle_trans (Rle_abs _) _.
  rewrite Rabs_Ropp Rabs_mult (Rabs_pos_eq s); last lra.
  by have := Rmult_le_compat_r _ _ _ (Rabs_pos (logit v (alpha i) - mean_logit z i v)) a1; lra.
- rewrite label_mass sum_mull; apply: sum_le => i _; have w_gt0 := weight_gt0 i.
  have -> : Dm * Dm * (weight i * (1 - attention z (alpha i))) = weight i * (Dm * Dm * (1 - attention z (alpha i))).
    by ring.
  apply: Rmult_le_compat_l; first lra; apply: Rle_trans (variance_from (logit v (alpha i)) z i v) _.
  rewrite (group_sum alpha) Rminus_diag_eq // !Rmult_0_r Rplus_0_l (attention_deficit_sum alpha) sum_mull.
  apply: sum_le => t ti; rewrite Rmult_comm; apply: Rmult_le_compat_r; first exact/Rlt_le/attention_gt0.
  have same : group_of t = group_of (alpha i) by rewrite group_of_pick; case/andP: ti => _ /eqP.
  have /Rabs_le_between d := logit_diff_le apart v1 same.
  nra.
- by [].
- exact: Rmult_le_pos.
- apply: (is_derive_ext (fun y => \sum_i weight i * (1 - attention (z + y * v)%V (alpha i)))) => [y|].
    by rewrite label_mass.
  apply: is_derive_sum => i _; apply: is_derive_scal.
  have ds := is_derive_attention z v (alpha i) x; rewrite group_of_pick in ds.
  apply: is_derive_ext_eq (is_derive_minus _ _ _ _ _ (is_derive_const 1 x) ds).
  by rewrite /minus /plus /opp /zero /=; ring.
apply: (is_derive_ext (fun y => dot (head_gradient (cross_entropy_head alpha) (z + y * v)) v)) => [y|].
  by rewrite label_gradient.
exact: cross_entropy_second.
Qed.
End Labels.
