(* SummedRanges: ranges of the factors where the margins are large, from what the outputs of each group may be
   (MIRROR.md section 7): a group's output is at most `drop` below the selected token's score and `rise` above it. Both
   follow from the most attention that may leave the selected token (LocalRanges.v), and from the most that other tokens
   may have. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Growth Saturation FactorRange.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section SummedRanges.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (P : pred (token p)) (low : token p -> R).
Variables (eps drop rise swing lmin lmax : group p -> R).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation gap := (gap alpha).
Notation copies := (copies alpha).

Definition summed_bounds : factor_bounds (token p) := FactorBounds P
  (fun t => copies t * (weight (group_of t) * lmin (group_of t) * (1 - eps (group_of t)) * (gap t - drop (group_of t))))
  (fun t => copies t * (weight (group_of t) * lmax (group_of t) * (gap t + rise (group_of t))))
  (fun t => copies t * (weight (group_of t) * lmax (group_of t) * (Rabs (gap t) + swing (group_of t)))).

Definition above_low (z : vec (coord p)) : Prop := forall t, Q t -> low t <= margin z t.

(* ---- what the mean gap of the other tokens is ---- *)

Section Mean.
Variable z : vec (coord p).
Hypothesis margins_ge : above_low z.

Lemma attention_part i t : others i t -> attention z t <= copies t * exp (- low t).
Proof.
move=> /andP[Qt _]; rewrite (attention_margin alpha z t).
have e0 : 0 <= copies t * exp (- margin z t).
  by apply: Rmult_le_pos; [exact/Rlt_le/copies_gt0 | exact/Rlt_le/exp_pos].
have := Rmult_le_compat_r _ _ _ e0 (attention_le1 alpha z (selected alpha t)); rewrite Rmult_1_l => H.
apply: Rle_trans H _; apply: Rmult_le_compat_l; first exact/Rlt_le/copies_gt0.
by apply: exp_le; have := margins_ge Qt; lra.
Qed.

Lemma mean_by_parts (s : R) i : \sum_(t | others i t) attention z t * (s * gap t) <=
  \sum_(t | others i t) Rmax (s * gap t) 0 * (copies t * exp (- low t)).
Proof.
apply: sum_le => t ti; have part := attention_part ti; have a0 := Rlt_le _ _ (attention_gt0 z t).
apply: (Rle_trans _ (attention z t * Rmax (s * gap t) 0)); first exact: Rmult_le_compat_l a0 (Rmax_l _ _).
by rewrite Rmult_comm; apply: Rmult_le_compat_l (Rmax_r _ _) part.
Qed.

Lemma mean_by_largest (s : R) i e c : 1 - attention z (alpha i) <= e -> 0 <= c ->
  (forall t, others i t -> s * gap t <= c) -> \sum_(t | others i t) attention z t * (s * gap t) <= e * c.
Proof.
move=> le c0 most; apply: (Rle_trans _ (\sum_(t | others i t) attention z t * c)).
  by apply: sum_le => t ti; apply: Rmult_le_compat_l (Rlt_le _ _ (attention_gt0 z t)) (most t ti).
by rewrite -sum_mulr -attention_deficit_sum; exact: Rmult_le_compat_r.
Qed.
End Mean.

Notation lowest i := (score (alpha i) - drop i).
Notation highest i := (score (alpha i) + rise i).

Record summed_ranges : Prop := SummedRanges {
  summed_kept : forall t, P t -> Q t;
  summed_inside : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i;
  summed_below_one : forall i, eps i < 1;
  summed_mean : forall z, above_low z -> forall i,
    - rise i <= \sum_(t | others i t) attention z t * gap t <= drop i;
  summed_gap : forall t, P t -> drop (group_of t) < gap t;
  summed_slope : forall i, 0 < lmin i;
  summed_pull : forall t v, P t -> lowest (group_of t) <= v <= highest (group_of t) ->
    lmin (group_of t) * (gap t - drop (group_of t)) <= score_pull l t v <=
      lmax (group_of t) * (gap t + rise (group_of t));
  summed_pull_size : forall t v, Q t -> lowest (group_of t) <= v <= highest (group_of t) ->
    Rabs (score_pull l t v) <= lmax (group_of t) * (Rabs (gap t) + swing (group_of t))
}.

Hypothesis ranges : summed_ranges.
Let inside := summed_inside ranges.

Lemma summed_output z i : above_low z -> lowest i <= output z i <= highest i.
Proof. by move=> H; rewrite (output_selected alpha); have := summed_mean ranges H i; lra. Qed.

Theorem summed_factor_range : factor_range Q (Delta alpha) (bare_weight alpha l) low summed_bounds.
Proof.
split; [exact: summed_kept ranges | move=> t Pt | move=> z Hz t Pt | move=> z Hz t Qt _].
- have g := summed_gap ranges Pt; have e := summed_below_one ranges (group_of t).
  apply: Rmult_lt_0_compat; first exact: copies_gt0.
  apply: Rmult_lt_0_compat; last lra.
  apply: Rmult_lt_0_compat; last lra.
  by apply: Rmult_lt_0_compat; [exact: weight_gt0 | exact: summed_slope ranges _].
- have Qt := summed_kept ranges Pt; have g := summed_gap ranges Pt; have e := summed_below_one ranges (group_of t).
  have a := attention_range inside Hz (group_of t).
  apply: (bare_weight_range (others_self Qt)); try lra; first exact/Rlt_le/(summed_slope ranges).
  by apply: (summed_pull ranges Pt); exact: summed_output.
exact: bare_weight_size Qt (summed_pull_size ranges Qt (summed_output (group_of t) Hz)).
Qed.
End SummedRanges.
