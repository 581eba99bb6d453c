(* BoundedChecks: the executable hypotheses of T15, the bounded residual, at one point, of a loss of one output and of
   selection cross-entropy: the tables of their factors and of the limits, for the check of any head (HeadBounded.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Losses Heads HeadRuns Claims Direction Saturation FactorRange
                           LocalRanges OddsLimit BoundedSelection Runs Forever HeadForever Number Rows TokenData
                           MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks LaterTheorem
                           LocalFactors LocalTables FactorTables HeadBounded LimitTables Pulls.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Bounded.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Implicit Types (t : token (problem D)) (i : data_group D).

Variables (l : loss_name) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat).
Variables (e : bounded_evidence N) (c : conclusion N).
Notation attentions := (bounded_attentions e).
Notation outside := (bounded_outside e).
Notation gaps_in := (gap_in D P picks).

(* ---- the tables ---- *)

Notation tables := (local_tables D P picks l attentions outside).
(* b_inf of cross-entropy is the weight, and |log(b/b_inf)| at most the odds of the group. *)
Definition local_limit_table : seq (seq interval) :=
  if everywhere l then score_limit_table D P picks gaps_in l (selected_scores D P picks)
  else by_copies D P picks (map_rows (fun=> group_share D P) gaps_in).
Definition local_rate_table : seq (seq interval) :=
  if everywhere l then score_rate_table D P picks f gaps_in l
  else rate_table D P picks f gaps_in [seq interval1 N | _ <- sequences D].

(* 2 eps max|gap| <= gap on S *)
Definition settled_test : bool :=
  room_test P f gaps_in (combine_columns (imul P) (eps_in P attentions) (widest_gap_in P gaps_in)).

Definition bounded_check : bool :=
  [&& labelled_check D picks l, ranges_check D P picks attentions outside, settled_test &
      head_bounded_check D P picks tables local_limit_table local_rate_table f w s first e c].

Lemma bounded_not_polyak : bounded_check -> spec_rule s <> PolyakSteps.
Proof. by case/and4P=> _ _ _; exact: head_bounded_not_polyak. Qed.

(* ---- soundness ---- *)

Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis checked : bounded_check.
Notation mu := (multiplier_weights alpha lam).
Notation S := (Direction.active Q mu).
Notation eps := (fun i : data_group D => constant_of attentions i).
Notation gap_up := (group_largest (gap alpha)).
Notation gap_down := (group_largest (fun t => - gap alpha t)).
Notation head := (checked_head Pok l attentions outside).
Notation factors := (local_bounds alpha head).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation least := (least_gap Pok lam (gap alpha)).

Let ranges : ranges_check D P picks attentions outside. Proof. by have /and4P[] := checked. Qed.
Let labels : labelled alpha l. Proof. by have /and4P[H _ _ _] := checked; exact: labelled_check_sound. Qed.
Let held := checked_ranges Dok ranges labels.
Let gaps_hold := gap_encloses P Dok Pok.

Let hold := local_tables_hold Dok ranges labels.

Lemma active_inside t : S t -> in_mask (inside_mask D picks outside) t.
Proof. by have /and4P[_ _ _ H] := checked; exact: (head_bounded_active reference_in hold H). Qed.

Lemma active_gap_gt0 t : S t -> 0 < gap alpha t.
Proof. by move/active_inside; exact: (inside_gap Dok Pok ranges). Qed.

Lemma active_room t : S t -> eps (group_of t) * Rmax (gap_up (group_of t)) (gap_down (group_of t)) <= gap alpha t / 2.
Proof.
move=> St; have /and4P[_ _ H _] := checked.
have Hx := combine_column (C := fun i => eps i * Rmax (gap_up i) (gap_down i)) (eps_encloses ranges)
  (widest_gap_encloses P gaps_hold) (fun i I J HI HJ => imul_contains P HI HJ).
have twice : 2 * (eps (group_of t) * Rmax (gap_up (group_of t)) (gap_down (group_of t))) <= gap alpha t :=
  room_spec reference_in gaps_hold Hx H St.
lra.
Qed.

(* ---- the limits ---- *)

Definition local_limit t : R :=
  if everywhere l then limit_factor alpha (loss_of l) t else copies alpha t * weight (group_of t).
Definition local_rate t : R :=
  if everywhere l then deviation_rate alpha mu head (slope_ratio l) least t
  else copies alpha t * (if meets (p := problem D) S (group_of t) then 1 else 0).

Lemma local_limit_encloses : encloses local_limit_table local_limit.
Proof.
rewrite /local_limit_table /local_limit; case: ifP => _.
  exact: (score_limit_encloses P Dok Pok gaps_hold l (selected_scores_enclose P Pok)).
apply: (by_copies_encloses P Dok Pok (F := fun t => weight (s := problem D) (group_of t))).
by apply: (map_encloses gaps_hold) => t I _; exact: group_share_contains.
Qed.

Lemma local_rate_encloses : encloses local_rate_table local_rate.
Proof.
rewrite /local_rate_table /local_rate; case: ifP => _.
  exact: (score_rate_encloses P Dok reference_in gaps_hold l active_gap_gt0).
have ones : @column_encloses N D [seq interval1 N | _ <- sequences D] (fun=> 1).
  by split=> [|i]; [rewrite size_map | rewrite (nth_map (no_sequence N)) ?ltn_ord //; exact: contains1].
exact: (rate_table_encloses P Dok reference_in gaps_hold (G := fun=> 1) ones (fun i _ => erefl)).
Qed.

Lemma label_factor z t : ~~ everywhere l -> Q t ->
  bare_weight alpha (loss_of l) z t = copies alpha t * (weight (group_of t) * attention z (selected alpha t)).
Proof.
move=> few Qt; have [pos zero] := labels few; set i := group_of t.
have a0 := attention_gt0 z (alpha i); have s0 := pos i.
rewrite /bare_weight /selected -/i (label_output labels z i few) (zero t Qt).
rewrite (label_slope few (Rmult_lt_0_compat _ _ a0 s0)).
by field; split; lra.
Qed.

Lemma local_limits low : lows_attended Pok low eps ->
  factor_limit Q (Delta alpha) (head_factor alpha (scalar_head (problem D) (loss_of l))) low S local_limit local_rate.
Proof.
move=> att; case few: (everywhere l); last first.
  have k0 t := copies_gt0 alpha t; have wt0 t := weight_gt0 (s := problem D) (group_of t).
  have pos t : S t -> 0 < local_limit t by move=> _; rewrite /local_limit few; exact: Rmult_lt_0_compat.
  have E : local_rate = fun t => copies alpha t * (if meets (p := problem D) S (group_of t) then 1 else 0).
    by apply: FunctionalExtensionality.functional_extensionality => t; rewrite /local_rate few.
  rewrite E; apply: (odds_factor_limit (k := fun=> 1) pos (fun=> Rle_0_1)) => z _ t /activeP[Qt _].
  rewrite scalar_factor (label_factor z (negbT few) Qt) /local_limit few Rmult_1_l.
  have s0 := attention_gt0 z (selected alpha t).
  rewrite (ln_mult _ _ (k0 t) (Rmult_lt_0_compat _ _ (wt0 t) s0)) (ln_mult _ _ (wt0 t) s0) (ln_mult _ _ (k0 t) (wt0 t)).
  set a := ln (copies _ _); set b := ln (weight _); set x := ln (attention _ _).
  have -> : a + (b + x) - (a + b) = x by ring.
  exact: (selected_log_odds alpha z (group_of t)).
have [ddl derive ratio_le] := slope_ratio_spec few.
have lam0 : 0 <= slope_ratio l by rewrite /slope_ratio; case: (l); lra.
have bounds : limit_ranges alpha (loss_of l) mu head (slope_ratio l) least.
  split; [exact: active_inside | exact: active_room | exact: lam0 |
    by exists ddl => // i v _; exact: ratio_le | exact: least_gap_gt0 Pok lam (gap alpha) |
    exact: (least_gap_le active_gap_gt0)].
have [pos rate0 dev] := local_factor_limit held bounds att.
have EL : local_limit = limit_factor alpha (loss_of l).
  by apply: FunctionalExtensionality.functional_extensionality => t; rewrite /local_limit few.
have ER : local_rate = deviation_rate alpha mu head (slope_ratio l) least.
  by apply: FunctionalExtensionality.functional_extensionality => t; rewrite /local_rate few.
by rewrite EL ER; split=> // z Hz t; rewrite scalar_factor; exact: dev.
Qed.

Theorem bounded_sound : centred_forever_claim alpha (loss_of l) (spec_rule s) eta w0 (constants_of c).
Proof.
apply/scalar_centred; have /and4P[_ _ _ H] := checked.
exact (head_bounded_sound Dok (least_loss alpha (loss_of l)) solution reference_in point_in hold H
  local_limit_encloses local_rate_encloses local_limits).
Qed.
End Bounded.

(* ---- T15 as a theorem for all later steps; its centre is not the natural one ---- *)

Section LaterTheorem.
Variable N : number.

Definition bounded_later_check : later_check N (bounded_evidence N) := fun D P picks l f w s first c e =>
  bounded_check D P picks l f w s first e c.

Lemma bounded_constraint : needs_constraint bounded_later_check.
Proof.
move=> D P picks Pok l f w s first c x /and4P[_ _ _ /and5P[/andP[H _] _ _ _ _]]; exact: has_constraintP.
Qed.

Theorem bounded_later_holds : later_holds true bounded_later_check.
Proof.
move=> D P picks Dok Pok l f w s first c x ws w0 lam sol ref pt checked.
by split=> [|polyak]; [exact (bounded_sound Dok sol ref pt checked) | case: (bounded_not_polyak checked polyak)].
Qed.

Definition bounded_theorem : later_theorem N := LaterTheorem bounded_constraint bounded_later_holds.
End LaterTheorem.
