(* LocalRanges: attention, outputs and factors of a locally optimal selection where the margins are large (the common
   part of T11 and T15).

   low is any lower bound of the margins under which at most the attention eps leaves the selected token.  P holds the
   constraints whose factor stays positive; the others' factors are bounded in absolute value. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Saturation FactorRange SummedRanges.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section LocalRanges.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation gap := (gap alpha).
Notation copies := (copies alpha).

(* What may leave the selected tokens, and what that does to the outputs. *)
Section Bounds.
Variables (eps gap_up gap_down swing lmin lmax : group p -> R).

Definition local_blo t : R :=
  copies t * (weight (group_of t) * lmin (group_of t) * (1 - eps (group_of t)) *
             (gap t - eps (group_of t) * gap_up (group_of t))).
Definition local_bhi t : R :=
  copies t * (weight (group_of t) * lmax (group_of t) * (gap t + eps (group_of t) * gap_down (group_of t))).
Definition local_B t : R :=
  copies t * (weight (group_of t) * lmax (group_of t) * (Rabs (gap t) + swing (group_of t))).
End Bounds.

Record local_head := LocalHead {
  head_kept : pred (token p);                (* P *)
  head_attention : group p -> R;             (* eps bounds the attention off the selected token *)
  head_gap_up : group p -> R;                (* the positive gaps *)
  head_gap_down : group p -> R;              (* and the negative ones *)
  head_swing : group p -> R;                 (* how far the output may be from the selected score *)
  head_slope_min : group p -> R;             (* |l'| over the outputs that remain possible, *)
  head_slope_max : group p -> R              (* or what bounds the pull as it would *)
}.

Definition local_bounds (h : local_head) : factor_bounds (token p) :=
  FactorBounds (head_kept h) (local_blo (head_attention h) (head_gap_up h) (head_slope_min h))
    (local_bhi (head_attention h) (head_gap_down h) (head_slope_max h))
    (local_B (head_swing h) (head_slope_max h)).

Variable h : local_head.
Notation P := (head_kept h).
Notation eps := (head_attention h).
Notation gap_up := (head_gap_up h).
Notation gap_down := (head_gap_down h).
Notation swing := (head_swing h).
Notation lmin := (head_slope_min h).
Notation lmax := (head_slope_max h).
Notation f := (local_bounds h).

Record local_ranges : Prop := LocalHeadRanges {
  local_kept_constraint : forall t, P t -> Q t;
  local_eps_range : forall i, 0 <= eps i < 1;
  local_gap_bounds : forall i t, others i t -> - gap_down i <= gap t <= gap_up i;
  local_gap_up_ge0 : forall i, 0 <= gap_up i;
  local_gap_down_ge0 : forall i, 0 <= gap_down i;
  local_kept_gap : forall t, P t -> eps (group_of t) * gap_up (group_of t) < gap t;
  local_slope_gt0 : forall i, 0 < lmin i;
  local_slope_max_ge0 : forall i, 0 <= lmax i;
  local_swing_ge0 : forall i, 0 <= swing i;
  local_pull_range : forall t v, P t ->
    score (alpha (group_of t)) - eps (group_of t) * gap_up (group_of t) <= v <=
      score (alpha (group_of t)) + eps (group_of t) * gap_down (group_of t) ->
    lmin (group_of t) * (gap t - eps (group_of t) * gap_up (group_of t)) <= score_pull l t v <=
      lmax (group_of t) * (gap t + eps (group_of t) * gap_down (group_of t));
  local_pull_size : forall t v, Q t ->
    score (alpha (group_of t)) - eps (group_of t) * gap_up (group_of t) <= v <=
      score (alpha (group_of t)) + eps (group_of t) * gap_down (group_of t) ->
    Rabs (score_pull l t v) <= lmax (group_of t) * (Rabs (gap t) + swing (group_of t))
}.

Hypothesis ranges : local_ranges.
Let P_sub := local_kept_constraint ranges.
Let eps_range := local_eps_range ranges.
Let gap_bounds := local_gap_bounds ranges.
Let gap_up_ge0 := local_gap_up_ge0 ranges.
Let gap_down_ge0 := local_gap_down_ge0 ranges.
Let P_gap := local_kept_gap ranges.
Let lmin_gt0 := local_slope_gt0 ranges.

Lemma local_blo_gt0 t : P t -> 0 < factor_low f t.
Proof.
move=> Pt; have := P_gap Pt; have := eps_range (group_of t) => e g.
apply: Rmult_lt_0_compat; first exact: copies_gt0.
apply: Rmult_lt_0_compat; last by lra.
apply: Rmult_lt_0_compat; last by lra.
by apply: Rmult_lt_0_compat; [exact: weight_gt0 | exact: lmin_gt0].
Qed.

Lemma local_far_ge0 t : 0 <= far_factor f t.
Proof.
have e0 := proj1 (eps_range (group_of t)); have w0 := weight_gt0 (group_of t); have l0 := lmin_gt0 (group_of t).
have u1 := Rmult_le_pos _ _ e0 (gap_up_ge0 (group_of t)); have u2 := Rmult_le_pos _ _ e0 (gap_down_ge0 (group_of t)).
have r := local_slope_max_ge0 ranges (group_of t).
have wl : 0 <= weight (group_of t) * lmax (group_of t) by apply: Rmult_le_pos; lra.
rewrite /far_factor; case: ifPn => Pt; apply: Rmult_le_pos; try exact/Rlt_le/copies_gt0; apply: Rmult_le_pos => //;
  first by have := P_gap Pt; lra.
by apply: Rplus_le_le_0_compat; [exact: Rabs_pos | exact: local_swing_ge0 ranges _].
Qed.

Variable low : token p -> R.
Hypothesis inside : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.

Section InRange.
Variable z : vec (coord p).
Hypothesis margins_ge : forall t, Q t -> low t <= margin z t.

Let local_attention_range := attention_range inside margins_ge.

(* The mean gap of the other tokens, which is how far the output is from the selected score. *)
Lemma local_mean_gap i :
  - (eps i * gap_down i) <= \sum_(t | others i t) attention z t * gap t <= eps i * gap_up i.
Proof.
have a0 t : 0 <= attention z t by exact/Rlt_le/attention_gt0.
have e := local_attention_range i; have d := attention_deficit_sum alpha z i.
split.
  apply: (Rle_trans _ (\sum_(t | others i t) attention z t * - gap_down i)).
    rewrite -sum_mulr -d.
    have := Rmult_le_compat_r _ _ _ (gap_down_ge0 i) e; lra.
  by apply: sum_le => t ti; apply: Rmult_le_compat_l => //; have := gap_bounds ti; lra.
apply: (Rle_trans _ (\sum_(t | others i t) attention z t * gap_up i)).
  by apply: sum_le => t ti; apply: Rmult_le_compat_l => //; have := gap_bounds ti; lra.
rewrite -sum_mulr -d.
by have := Rmult_le_compat_r _ _ _ (gap_up_ge0 i) e; lra.
Qed.

Lemma local_output_range i :
  score (alpha i) - eps i * gap_up i <= output z i <= score (alpha i) + eps i * gap_down i.
Proof. by rewrite (output_selected alpha); have := local_mean_gap i; lra. Qed.
End InRange.

(* What the theorems for all later steps need of this head: SummedRanges.v, with these bounds of the mean gap. *)
Theorem local_factor_range : factor_range Q (Delta alpha) (bare_weight alpha l) low f.
Proof.
apply: (@summed_factor_range p alpha l P low eps (fun i => eps i * gap_up i) (fun i => eps i * gap_down i) swing lmin
  lmax).
split=> [||i|z Hz i||||]; [exact: P_sub | exact: inside | by have [] := eps_range i | exact: local_mean_gap Hz i |
  exact: P_gap | exact: lmin_gt0 | exact: local_pull_range ranges | exact: local_pull_size ranges].
Qed.
End LocalRanges.
