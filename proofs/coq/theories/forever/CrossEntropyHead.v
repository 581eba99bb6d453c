(* CrossEntropyHead: selection cross-entropy -log s_{i,alpha_i} as a head (DYNAMICS.md section 11).

   Its factors are kappa_t wt s_alpha: positive for every constraint, at every point, whatever the scores. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Heads Direction Growth Saturation FactorRange LocalRanges Polyak.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Definition cross_entropy_head (p : selection_problem) (label : group p -> token p) : head p :=
  Head (fun i s => - ln (s (label i))) (fun i s t => if t == label i then - / s t else 0).

Theorem cross_entropy_differentiable (p : selection_problem) (label : group p -> token p) i s :
  group_of (label i) = i -> 0 < s (label i) -> differentiable (cross_entropy_head label) i s.
Proof.
move=> own s0 c d x cs dc; have ci : group_of (label i) == i by rewrite own.
have -> : \sum_(t | group_of t == i) head_slope (cross_entropy_head label) i s t * d t
    = - (/ s (label i) * d (label i)).
  rewrite (bigD1 (label i)) //= eqxx big1 => [|t /andP[_ /negbTE ->]]; ring.
have c0 : 0 < c x (label i) by rewrite cs.
have := is_derive_opp _ _ _ (is_derive_comp ln (fun y => c y (label i)) _ _ _ (is_derive_ln _ c0) (dc _ ci)).
by apply: is_derive_ext_eq; rewrite /scal /opp /= /mult /= cs; ring.
Qed.

Section CrossEntropy.
Variables (p : selection_problem) (alpha : selection p).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation copies := (copies alpha).
Notation h := (cross_entropy_head alpha).
Implicit Types (z : vec (coord p)) (t : token p) (i : group p).

Lemma cross_entropy_mean z i : mean_slope h z i = - 1.
Proof.
rewrite /mean_slope (group_sum alpha) /= eqxx big1 => [|t /andP[Qt /eqP ti]].
  by field; exact: Rgt_not_eq (attention_gt0 z (alpha i)).
by move: Qt; rewrite /constraint /selected ti => /negbTE ->; ring.
Qed.

Lemma cross_entropy_omega z t : Q t -> head_omega h z t = weight (group_of t) * attention z t.
Proof. by move=> /negbTE Qt; rewrite /head_omega cross_entropy_mean /= -/(selected alpha t) Qt; ring. Qed.

Lemma cross_entropy_factor z t : Q t ->
  head_factor alpha h z t = copies t * (weight (group_of t) * attention z (selected alpha t)).
Proof. by move=> /negbTE Qt; rewrite /head_factor cross_entropy_mean /= -/(selected alpha t) Qt; ring. Qed.

(* ---- ranges, and limits ---- *)

Variables (eps : group p -> R) (low : token p -> R).
Hypothesis eps_lt1 : forall i, eps i < 1.
Hypothesis inside : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.

Definition cross_entropy_bounds : factor_bounds (token p) :=
  FactorBounds Q (fun t => copies t * (weight (group_of t) * (1 - eps (group_of t))))
    (fun t => copies t * weight (group_of t)) (fun t => copies t * weight (group_of t)).

Theorem cross_entropy_range : factor_range Q (Delta alpha) (head_factor alpha h) low cross_entropy_bounds.
Proof.
split=> [//|t Qt|z Hz t Qt|z Hz t Qt]; last by rewrite /= Qt.
  have e := eps_lt1 (group_of t); apply: Rmult_lt_0_compat; first exact: copies_gt0.
  by apply: Rmult_lt_0_compat; [exact: weight_gt0 | lra].
rewrite (cross_entropy_factor z Qt) /=; have e := attention_range inside Hz (group_of t).
have k0 := Rlt_le _ _ (copies_gt0 alpha t); have w0 := Rlt_le _ _ (weight_gt0 (group_of t)).
have s1 := attention_le1 alpha z (selected alpha t).
split; apply: Rmult_le_compat_l => //; first by apply: Rmult_le_compat_l => //; rewrite /selected; lra.
by have := Rmult_le_compat_l _ _ _ w0 s1; lra.
Qed.

Theorem cross_entropy_limit (S : pred (token p)) : (forall t, S t -> Q t) ->
  factor_limit Q (Delta alpha) (head_factor alpha h) low S (fun t => copies t * weight (group_of t)) copies.
Proof.
move=> sub; split=> [t _|t _|z Hz t /sub Qt]; first by apply: Rmult_lt_0_compat;
  [exact: copies_gt0 | exact: weight_gt0].
  exact/Rlt_le/copies_gt0.
have k0 := copies_gt0 alpha t; have w0 := weight_gt0 (group_of t); have s0 := attention_gt0 z (selected alpha t).
rewrite (cross_entropy_factor z Qt) (ln_mult _ _ k0 (Rmult_lt_0_compat _ _ w0 s0)) (ln_mult _ _ w0 s0).
rewrite (ln_mult _ _ k0 w0); set E := odds alpha z (group_of t); have E0 : 0 <= E := odds_ge0 alpha z (group_of t).
have -> : ln (copies t) + (ln (weight (group_of t)) + ln (attention z (selected alpha t))) -
  (ln (copies t) + ln (weight (group_of t))) = ln (attention z (selected alpha t)) by ring.
apply: (Rle_trans _ E).
  rewrite Rabs_left1; last by rewrite -ln_1; apply: ln_le_ln => //; exact: attention_le1.
  by rewrite /selected attention_selected -/E ln_Rinv; [have := @ln_le_sub1 (1 + E) (ltac:(lra)); lra | lra].
rewrite /E /odds (sum_pred_id (others _)) (sum_pred_id Q); apply: sum_le => c _.
rewrite /Saturation.others; case: (Q c) => /=; last lra.
case: eqP => _; first exact: Rle_refl.
by apply: Rmult_le_pos; [exact/Rlt_le/copies_gt0 | exact/Rlt_le/exp_pos].
Qed.

(* ---- the excess over L* = 0, for Polyak's rule: 1 <= theta <= 1/(1 - eps) ---- *)

Lemma cross_entropy_total z :
  \sum_(t | Q t) gibbs_weight (Delta alpha) (head_factor alpha h z) z t
    = \sum_i weight i * (1 - attention z (alpha i)).
Proof.
rewrite (eq_bigr (fun t => weight (group_of t) * attention z t)) => [|t Qt]; last first.
  by rewrite -(cross_entropy_omega z Qt) (head_omega_margin alpha).
rewrite (partition_big (@group_of p) predT) //=; apply: eq_bigr => i _.
by rewrite attention_deficit_sum sum_mull; apply: eq_bigr => t /andP[_ /eqP ->].
Qed.

Theorem cross_entropy_excess thhi z : (forall i, 1 <= thhi * (1 - eps i)) -> margins_above Q (Delta alpha) low z ->
  1 * (\sum_(t | Q t) gibbs_weight (Delta alpha) (head_factor alpha h z) z t) <= head_loss h z - 0 <=
  thhi * (\sum_(t | Q t) gibbs_weight (Delta alpha) (head_factor alpha h z) z t).
Proof.
move=> large Hz; rewrite cross_entropy_total /head_loss Rmult_1_l Rminus_0_r sum_mull.
split; apply: sum_le => i _ /=; have w0 := Rlt_le _ _ (weight_gt0 i); have s0 := attention_gt0 z (alpha i).
  by apply: Rmult_le_compat_l => //; have := ln_le_sub1 s0; lra.
have e := attention_range inside Hz i; have s1 := attention_le1 alpha z (alpha i); have e1 := eps_lt1 i.
set s := attention z (alpha i) in s0 s1 e *; have -> : thhi * (weight i * (1 - s)) = weight i * (thhi * (1 - s)) by
  ring.
apply: Rmult_le_compat_l => //; rewrite -ln_Rinv //.
have i0 := Rinv_0_lt_compat _ s0; apply: Rle_trans (ln_le_sub1 i0) _.
have th0 : 0 <= thhi by have := large i; nra.
have one : 1 <= thhi * s by apply: Rle_trans (large i) _; apply: Rmult_le_compat_l; lra.
have -> : / s - 1 = / s * (1 - s) by field; lra.
apply: Rmult_le_compat_r; first lra.
by apply: (Rmult_le_reg_r s) => //; rewrite Rinv_l; lra.
Qed.
End CrossEntropy.
