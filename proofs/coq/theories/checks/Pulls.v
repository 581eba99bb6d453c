(* Pulls: how hard the outputs that remain possible pull against a token's score, |l'(f)| (f - g_t), for each loss.

   |l'| of a total loss decreases, so it is least at the largest output and largest at the least one. Cross-entropy is
   -log of the attention on a label: its score is the only one that is not 0, |l'(f)| (f - g_t) is 1 for every other
   token, and the slopes at the ends of the range change places. With them in the place of the slopes' bounds, T10,
   T11, T12 and T14 have the factors of either: copies wt s_alpha for cross-entropy. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Saturation Number Rows TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma slope_decreasing l x y : loss_domain (loss_of l) x -> x <= y -> - dloss (loss_of l) y <= - dloss (loss_of l) x.
Proof.
move=> + xy; case: l => /= x0; rewrite ?Ropp_involutive; last first.
- by rewrite !minus_log_slope_at; [apply: Rinv_le_contravar | |]; lra.
- by right.
- by apply: exp_monotone; lra.
have := exp_pos x; have := exp_monotone xy => e1 e0.
by apply: Rinv_le_contravar; lra.
Qed.

(* Of the two ends of a range, where the slope is taken that bounds the pull from below, and from above. *)
Definition at_least (T : Type) (l : loss_name) (low high : T) : T := if everywhere l then high else low.
Definition at_most (T : Type) (l : loss_name) (low high : T) : T := if everywhere l then low else high.

Lemma at_least_contains (N : number) l (I J : interval N) x y : contains I x -> contains J y ->
  contains (at_least l I J) (at_least l x y).
Proof. by rewrite /at_least; case: ifP. Qed.

Lemma at_most_contains (N : number) l (I J : interval N) x y : contains I x -> contains J y ->
  contains (at_most l I J) (at_most l x y).
Proof. by rewrite /at_most; case: ifP. Qed.

Section Labels.
Variables (p : selection_problem) (alpha : selection p) (l : loss_name).
Notation Q := (constraint alpha).
Notation ell := (loss_of l).

(* For cross-entropy the selected tokens are the labels. *)
Definition labelled : Prop :=
  ~~ everywhere l -> (forall i, 0 < score (alpha i)) /\ forall t, Q t -> score t = 0.

Hypothesis labels : labelled.

Lemma label_gap t : ~~ everywhere l -> Q t -> gap alpha t = score (alpha (group_of t)).
Proof. by move=> /labels[_ zero] Qt; rewrite /gap /selected (zero _ Qt) Rminus_0_r. Qed.

Lemma label_slope v : ~~ everywhere l -> 0 < v -> - dloss ell v = / v.
Proof. by case: l => //= _; exact: minus_log_slope_at. Qed.

Lemma label_output z i : ~~ everywhere l -> output z i = attention z (alpha i) * score (alpha i).
Proof.
move=> few; have [_ zero] := labels few; rewrite /output (group_sum alpha) big1 ?Rplus_0_r // => t /andP[Qt _].
by rewrite zero // Rmult_0_r.
Qed.

Lemma labelled_defined : loss_defined p ell.
Proof.
move=> z i; case few : (everywhere l); first exact: everywhere_domain.
have := label_output z i (negbT few); have [pos _] := labels (negbT few).
case: (l) few => //= _ ->; apply: Rmult_lt_0_compat; [exact: attention_gt0 | exact: pos].
Qed.

(* From outputs between low and high. *)
Lemma pull_in_range t low high v : Q t -> score t < low -> low <= v <= high ->
  - dloss ell (at_least l low high) * (low - score t) <= score_pull ell t v <=
    - dloss ell (at_most l low high) * (high - score t).
Proof.
move=> Qt tl lv; rewrite /at_least /at_most; case few : (everywhere l).
  have d0 := dloss_lt0 ell high; apply: pull_range; try lra.
  by split; apply: slope_decreasing; [exact: everywhere_domain | lra | exact: everywhere_domain | lra].
have [_ zero] := labels (negbT few); move: tl; rewrite /score_pull (zero _ Qt) !Rminus_0_r => tl.
by rewrite !label_slope ?few // ?Rinv_l; lra.
Qed.

(* What Polyak's steps ask of the slope where the selected token has its attention. *)
Lemma selected_slope (x lowest : R) i z : 0 < x -> x <= 1 ->
  (everywhere l -> x * - dloss ell lowest <= - dloss ell (score (alpha i))) -> lowest <= output z i ->
  x * (- dloss ell (output z i) * attention z (alpha i)) <= - dloss ell (score (alpha i)).
Proof.
move=> x0 x1 steady le; have a0 := attention_gt0 z (alpha i); have a1 := attention_le1 alpha z (alpha i).
case few : (everywhere l).
  apply: Rle_trans (steady few); apply: Rmult_le_compat_l; first lra.
  have d := slope_decreasing (everywhere_domain lowest few) le; have d0 := dloss_lt0 ell (output z i).
  by have := Rmult_le_compat_l (- dloss ell (output z i)) _ _ (ltac:(lra)) a1; lra.
have [pos _] := labels (negbT few); have s0 := pos i; rewrite (label_output z i (negbT few)).
have as0 := Rmult_lt_0_compat _ _ a0 s0; rewrite !label_slope ?few //.
have -> : / (attention z (alpha i) * score (alpha i)) * attention z (alpha i) = / score (alpha i) by field; lra.
have i0 := Rinv_0_lt_compat _ s0; have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ i0) x1; lra.
Qed.

Lemma pull_size t low high v size : Q t -> low <= v <= high ->
  (everywhere l -> forall x, low <= x <= high -> Rabs (x - score t) <= size) ->
  (~~ everywhere l -> 0 < low /\ high <= size) ->
  Rabs (score_pull ell t v) <= - dloss ell (at_most l low high) * size.
Proof.
move=> Qt lv all_losses few_losses; rewrite /at_most /score_pull Rabs_mult; case few : (everywhere l).
  have d0 := dloss_lt0 ell v; rewrite Rabs_pos_eq; last lra.
  apply: Rmult_le_compat; [lra | exact: Rabs_pos | | exact: all_losses].
  by apply: slope_decreasing; [exact: everywhere_domain | lra].
have [_ zero] := labels (negbT few); have [low0 high_le] := few_losses (negbT few).
rewrite (zero _ Qt) Rminus_0_r !label_slope ?few //; try lra.
have v0 : 0 < / v by apply: Rinv_0_lt_compat; lra.
rewrite !Rabs_pos_eq ?Rinv_l; try lra.
have h0 : 0 < high by lra.
by apply: (Rmult_le_reg_l high) => //; rewrite -Rmult_assoc Rinv_r; lra.
Qed.
End Labels.

Section Data.
Variables (N : number) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Variable l : loss_name.

Definition score_rows : seq (seq N) := [seq score_row q | q <- sequences D].
Definition labelled_check : bool :=
  everywhere l ||
  (all (fun qp => lt zero (nth zero (score_row qp.1) qp.2)) (zip (sequences D) picks) &&
   all_within (fun a => same a zero) (constraint_mask D picks) score_rows).

Lemma fits_score_rows : fits D score_rows.
Proof.
rewrite /fits size_map eqxx; apply/(all_nthP ([::], no_sequence N)) => i.
rewrite size_zip size_map minnn => il; rewrite nth_zip ?size_map // (nth_map (no_sequence N)) //.
by have /and4P[_ _ _ /(all_nthP (no_sequence N))/(_ i il)/and4P[_ _ + _]] := Dok.
Qed.

Lemma labelled_check_sound : labelled_check -> labelled (selection_of Pok) l.
Proof.
case/orP=> [all_outputs | /andP[pos zeros]] few; first by rewrite all_outputs in few.
have u0 := score_unit_gt0 Dok; have [/eqP sp _] := andP Pok.
split=> [i|t Qt].
  have := all_nthP (no_sequence N, 0%nat) pos i; rewrite size_zip sp minnn nth_zip //= => /(_ (ltn_ord i)) /lt_real.
  by rewrite real0 => s0; apply: Rdiv_lt_0_compat.
have it : in_mask (constraint_mask D picks) t by rewrite in_constraint_mask.
have /same_real := all_withinP zero (fits_constraint_mask Pok) fits_score_rows zeros it.
rewrite real0 /at_token (nth_map (no_sequence N)) ?ltn_ord // => s0.
by rewrite /score /= /g /entry s0 /Rdiv Rmult_0_l.
Qed.
End Data.
