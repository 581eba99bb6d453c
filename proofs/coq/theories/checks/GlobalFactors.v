(* GlobalFactors: what the theorems about globally optimal selections (T10, T12) share, in intervals: bounds of the
   factors b_c of T1's weights where the output of group i is within phi_i of the best score and the selected token
   keeps 1 - eps_i of the attention, the constant C of the Gibbs bound, and the path constant and growth of normalised
   steps. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Direction Gibbs Region Saturation Absorbing Runs Forever Number
                           Rows TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary
                           IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks Pulls.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Factors.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).

Variables (l : loss_name) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat) (c : conclusion N).
Variables outputs_in attentions_in : seq interval.   (* phi_i and eps_i *)

(* ---- the factors of the weights ---- *)

Definition best_in : seq interval := selected_scores D P picks.
Definition least_slopes : seq interval :=
  combine_columns (fun I J => slope_interval P l (at_least l (isub P I J) I)) best_in outputs_in.
Definition most_slopes : seq interval :=
  combine_columns (fun I J => slope_interval P l (at_most l (isub P I J) I)) best_in outputs_in.
Definition gaps_in : seq (seq interval) := gap_table D P picks.
Definition kept_gaps : seq (seq interval) := spread_column (fun p g => isub P g p) outputs_in gaps_in.
Definition lower_factors : seq (seq interval) :=
  by_copies D P picks (spread_column (imul P)
    (combine_columns (fun a e => imul P (imul P (group_share D P) a) (isub P (interval1 N) e)) least_slopes
      attentions_in)
    kept_gaps).
Definition upper_factors : seq (seq interval) :=
  by_copies D P picks (spread_column (imul P) [seq imul P (group_share D P) a | a <- most_slopes] gaps_in).

(* ---- path and growth ---- *)

Notation path_in := (path_in P c).
Notation growth_in := (growth_in P c).
Definition first_step : interval := step_in P s first.
Definition gibbs_in : interval := gibbs_gap_in P f w mask lower_factors upper_factors.
Definition twice_gibbs : interval := idiv P (imul P (interval2 N) gibbs_in) (margin_in f).

Definition normalised_check : bool :=
  let cosine := least_cosine_in D P picks f in
  let spread := idiv P (imul P first_step (isub P (interval1 N) (imul P cosine cosine))) cosine in
  [&& is_positive cosine, ~~ said_logarithmic c, certainly_le (iadd P twice_gibbs spread) path_in &
      certainly_le growth_in cosine].

Definition logarithmic_growth_check : bool :=
  said_logarithmic c &&
  certainly_le growth_in (imul P (margin_in f) (imul P (margin_in f) (iexp P (log_floor_in P f lower_factors)))).

(* ---- soundness ---- *)

Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R) (phi eps : data_group D -> R).
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis outputs_enclose : @column_encloses N D outputs_in phi.
Hypothesis attentions_enclose : @column_encloses N D attentions_in eps.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation centre := (w0 - Direction.height u w0 * u)%V.
Notation lmin := (fun i : data_group D =>
  - dloss (loss_of l) (at_least l (score (alpha i) - phi i) (score (alpha i)))).
Notation lmax := (fun i : data_group D =>
  - dloss (loss_of l) (at_most l (score (alpha i) - phi i) (score (alpha i)))).
Notation blo := (global_blo alpha phi eps lmin).
Notation bhi := (global_bhi alpha lmax).
Notation M := (fraction_real (said_path c)).
Notation eta0 := (step_size (spec_schedule s) (fraction_real (spec_step s)) first).

Lemma least_slopes_enclose : @column_encloses N D least_slopes lmin.
Proof.
apply: (combine_column (selected_scores_enclose P Pok) outputs_enclose) => i I J HI HJ.
by apply: slope_interval_contains; apply: at_least_contains => //; exact: isub_contains.
Qed.

Lemma most_slopes_enclose : @column_encloses N D most_slopes lmax.
Proof.
apply: (combine_column (selected_scores_enclose P Pok) outputs_enclose) => i I J HI HJ.
by apply: slope_interval_contains; apply: at_most_contains => //; exact: isub_contains.
Qed.

Lemma gaps_enclose : encloses gaps_in (gap alpha).
Proof. exact: gap_table_encloses. Qed.

Lemma kept_gaps_enclose : encloses kept_gaps (fun t => gap alpha t - phi (group_of t)).
Proof. by apply: (spread_column_encloses outputs_enclose gaps_enclose) => t I J HI HJ; exact: isub_contains. Qed.

Lemma lower_factors_enclose : encloses lower_factors blo.
Proof.
have H := combine_column (C := fun i => weight (s := problem D) i * lmin i * (1 - eps i)) least_slopes_enclose
  attentions_enclose.
apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) * lmin (group_of t) *
  (1 - eps (group_of t)) * (gap alpha t - phi (group_of t)))).
apply: (spread_column_encloses (H _ _) kept_gaps_enclose) => [i I J HI HJ | t I J]; last exact: imul_contains.
apply: imul_contains; last by apply: isub_contains => //; exact: contains1.
by apply: imul_contains => //; exact: group_share_contains.
Qed.

Lemma upper_factors_enclose : encloses upper_factors bhi.
Proof.
have H := map_column (C := fun i => weight (s := problem D) i * lmax i) most_slopes_enclose.
apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) * lmax (group_of t) * gap alpha t)).
apply: (spread_column_encloses (H _ _) gaps_enclose) => [i I HI | t I J]; last exact: imul_contains.
by apply: imul_contains => //; exact: group_share_contains.
Qed.

Lemma least_slope_gt0 i : 0 < lmin i.
Proof. by have := dloss_lt0 (loss_of l) (at_least l (score (alpha i) - phi i) (score (alpha i))); lra. Qed.

Lemma pull_within i t v : labelled alpha l -> others alpha i t -> phi i < gap alpha t ->
  score (alpha i) - phi i <= v <= score (alpha i) ->
  lmin i * (gap alpha t - phi i) <= score_pull (loss_of l) t v <= lmax i * gap alpha t.
Proof.
move=> labels ti below vr; have g := gap_eq ti; have Qt := proj1 (andP ti).
have -> : gap alpha t - phi i = score (alpha i) - phi i - score t by rewrite g; ring.
by rewrite g; apply: (pull_in_range labels Qt) => //; lra.
Qed.

Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu bhi blo (Direction.height u w0)).

Lemma gibbs_contains : contains gibbs_in G.
Proof.
have := gibbs_gap_contains P reference_in point_in (fits_constraint_mask Pok) lower_factors_enclose
  upper_factors_enclose.
by rewrite (mask_constraints Pok).
Qed.

Lemma twice_gibbs_contains : contains twice_gibbs (2 * G / gamma).
Proof.
have [_ Hg _ _ _] := reference_in.
exact (idiv_contains P (imul_contains P (contains2 N) gibbs_contains) Hg).
Qed.

Lemma normalised_facts : direction Q (Delta alpha) u gamma mu -> normalised_check -> exists cmin, [/\ 0 < cmin,
  forall t, Q t -> cmin * vnorm (Delta alpha t) <= Direction.slope (Delta alpha) u t,
  2 * G / gamma + eta0 * (1 - cmin * cmin) / cmin <= M & said_logarithmic c =
    false /\ fraction_real (said_growth c) <= cmin].
Proof.
move=> dir /and4P[c0 /negbTE logE M_ge G_le].
have [cmin [Hcmin c1 cmin_le]] := least_cosine_contains P Dok reference_in dir.
exists cmin; split; [exact (is_positive_real Hcmin c0) | exact cmin_le | |].
  have Hx := idiv_contains P (imul_contains P (step_in_contains P s first)
    (isub_contains P (contains1 N) (imul_contains P Hcmin Hcmin))) Hcmin.
  exact: (certainly_le_real (iadd_contains P twice_gibbs_contains Hx) (fraction_in_contains P (said_path c)) M_ge).
exact (conj logE (certainly_le_real (fraction_in_contains P (said_growth c)) Hcmin G_le)).
Qed.

Lemma logarithmic_growth_facts : logarithmic_growth_check ->
  said_logarithmic c /\ fraction_real (said_growth c) <= gamma * (gamma * exp (log_floor Q mu blo)).
Proof.
case/andP=> logE G_le; split=> //; have [_ Hg _ _ _] := reference_in.
have K := log_floor_contains P reference_in lower_factors_enclose.
exact: (certainly_le_real (fraction_in_contains P (said_growth c))
  (imul_contains P Hg (imul_contains P Hg (iexp_contains P K))) G_le).
Qed.
End Factors.
