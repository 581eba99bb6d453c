(* ClassifierPolyak: what Polyak's rule needs of a classifier, the excess loss beside the total weight (T9p; DYNAMICS.md
   section 11).

   The loss is convex in the attention: the excess is at least what the gaps at the selected tokens add up to, and at
   most what those at the point do. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Heads Direction Gibbs Growth Saturation FactorRange HeadRanges
                           ClassifierHead ClassifierLockIn ClassifierDescent.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Polyak.
Variables (p : selection_problem) (V : finType) (G : token p -> V -> R) (y : group p -> V) (alpha : selection p).
Implicit Types (z : vec (coord p)) (t : token p) (i : group p) (k : V).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation h := (classifier_head G y).
Notation gaps := (classifier_limit G y alpha).

(* Om, by groups: s_alpha delta. *)
Lemma class_weights_grouped z : \sum_(t | Q t) gibbs_weight (Delta alpha) (head_factor alpha h z) z t =
  \sum_i weight i * \sum_(t | others i t) attention z t * (slope_gap alpha h z t - mean_gap alpha h z i).
Proof.
rewrite (partition_big (@group_of p) predT) //=; apply: eq_bigr => i _.
rewrite sum_mull; apply: eq_bigr => t /andP[Qt /eqP ti].
have -> : gibbs_weight (Delta alpha) (head_factor alpha h z) z t = head_omega h z t.
  by rewrite /gibbs_weight -/(margin alpha z t) -(head_omega_margin alpha).
by rewrite (head_omega_margin alpha) head_factor_gap ti (attention_margin alpha z t); ring.
Qed.

Lemma mean_gap_weights z i :
  \sum_(t | others i t) attention z t * (slope_gap alpha h z t - mean_gap alpha h z i) =
    attention z (alpha i) * mean_gap alpha h z i.
Proof.
rewrite (eq_bigr (fun t => attention z t * slope_gap alpha h z t - attention z t * mean_gap alpha h z i)) => [|t _];
  last by ring.
rewrite sumB -sum_mulr -(attention_deficit_sum alpha) -/(mean_gap alpha h z i); ring.
Qed.

Variables (eps : group p -> R) (hi : token p -> R) (thlo thhi : R) (z : vec (coord p)).
Hypotheses (thlo_ge0 : 0 <= thlo) (thlo_le : forall t, Q t -> thlo * hi t <= gaps t).
Hypotheses (thhi_ge0 : 0 <= thhi) (thhi_le : forall i, 1 <= thhi * (1 - eps i)).
Hypothesis above : forall i, 1 - attention z (alpha i) <= eps i.
Hypothesis gap_range : forall t, Q t -> 0 <= slope_gap alpha h z t <= hi t.

(* theta between the least gap beside the largest slope, and the inverse of the least attention. *)
Theorem classifier_polyak_excess :
  thlo * (\sum_(t | Q t) gibbs_weight (Delta alpha) (head_factor alpha h z) z t) <=
    head_loss h z - selected_loss G y alpha <=
    thhi * (\sum_(t | Q t) gibbs_weight (Delta alpha) (head_factor alpha h z) z t).
Proof.
rewrite class_weights_grouped /head_loss /selected_loss -sumB !sum_mull.
have a0 t : 0 <= attention z t := Rlt_le _ _ (attention_gt0 z t).
have delta_ge0 i : 0 <= mean_gap alpha h z i.
  apply: sum_ge0 => t /andP[Qt _]; apply: Rmult_le_pos => //; by case: (gap_range Qt).
split; apply: sum_le => i _; have w0 := Rlt_le _ _ (weight_gt0 i); set value_at := head_value h i (attention z).
  have -> : thlo * (weight i * \sum_(t | others i t) attention z t * (slope_gap alpha h z t - mean_gap alpha h z i)) =
    weight i * (thlo * \sum_(t | others i t) attention z t * (slope_gap alpha h z t - mean_gap alpha h z i)) by ring.
  rewrite -Rmult_minus_distr_l; apply: Rmult_le_compat_l => //.
  apply: (Rle_trans _ (\sum_(t | others i t) attention z t * gaps t)); last first.
    by have := classifier_convex G y alpha z i; rewrite -/value_at; lra.
  rewrite sum_mull; apply: sum_le => t /andP[Qt _].
  have -> : thlo * (attention z t * (slope_gap alpha h z t - mean_gap alpha h z i)) =
    attention z t * (thlo * (slope_gap alpha h z t - mean_gap alpha h z i)) by ring.
  apply: Rmult_le_compat_l => //; apply: Rle_trans (thlo_le Qt); apply: Rmult_le_compat_l => //.
  by have := gap_range Qt; have := delta_ge0 i; lra.
have -> : thhi * (weight i * \sum_(t | others i t) attention z t * (slope_gap alpha h z t - mean_gap alpha h z i)) =
  weight i * (thhi * \sum_(t | others i t) attention z t * (slope_gap alpha h z t - mean_gap alpha h z i)) by ring.
rewrite -Rmult_minus_distr_l; apply: Rmult_le_compat_l => //; apply: Rle_trans (classifier_tangent G y alpha z i) _.
rewrite mean_gap_weights -Rmult_assoc -[X in X <= _]Rmult_1_l; apply: Rmult_le_compat_r; first exact: delta_ge0.
apply: Rle_trans (thhi_le i) _; apply: Rmult_le_compat_l => //.
by have := above i; lra.
Qed.
End Polyak.
