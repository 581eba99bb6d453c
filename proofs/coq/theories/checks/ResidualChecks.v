(* ResidualChecks: the executable hypotheses of T14, the bounded residual, in the region of T11, at one point.

   The region is checked with its own path constant and no excess, the residual's bound X by span_check. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Claims Direction Path Growth Region ActiveStep Saturation FactorRange
                           LocalRanges LocalAbsorbing SpanConstants PathResidual LocalSelection LockIn Runs Forever
                           Number Rows Entries TokenData MarginChecks OptimalityChecks GramBound EnclosureChecks
                           Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals
                           ForeverChecks LaterTheorem DominationChecks LocalFactors LocalChecks SpanIntervals
                           Reference Pulls.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* T14's own constants. *)
Record residual_data (N : number) := ResidualData {
  residual_path : fraction N;       (* M of the region *)
  residual_least : fraction N;      (* at most the least eigenvalue of the Gram matrix of S *)
  residual_hints : gram_hints N
}.

Section Residual.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation Q := (constraint alpha).

Variables (l : loss_name) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat).
Variables (radius : residual_data N) (c : conclusion N).
Notation path := (residual_path radius).
Notation least := (residual_least radius).
Notation hints := (residual_hints radius).

(* The conclusion of the region's own theorem. *)
Definition region_conclusion : conclusion N :=
  Conclusion path (no_fraction N) (said_centre c) (said_height c) (said_logarithmic c) (said_growth c)
    (said_dominates c).

Definition path_zero : bool := same (fraction_num (said_path c)) zero.

Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation centre := (w0 - Direction.height u w0 * u)%V.
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation E := (fraction_real (said_excess c)).

(* The region's claim with a bounded residual. *)
Lemma bounded_claim : path_zero -> conclusion_ok D P picks s w region_conclusion ->
  forever_claim alpha (loss_of l) (spec_rule s) eta w0 (constants_of region_conclusion) ->
  (forall z, z O = w0 -> follows (loss_of l) (least_loss alpha (loss_of l)) (spec_rule s) eta z ->
    forall n, vnorm2 (residual u centre (z n)) <= E) ->
  forever_claim alpha (loss_of l) (spec_rule s) eta w0 (constants_of c).
Proof.
move=> zero ok [ws' M' claimed] bounded; have [cs _ _ _ [Hc Hh]] := conclusion_facts point_in ok.
have M := proj1 solution; rewrite (max_margin_unique M' M) in claimed.
exists ws => //; apply: (later_of_path (c := constants_of c) M cs Hc Hh) => z z0 run.
have [_ _ grows [lim dom]] := claimed z z0 run; rewrite z0 in grows; split; [ | | exact lim | exact dom].
  move=> n; have -> : path_constant (constants_of c) = 0.
    by rewrite /= /fraction_real (same_real zero) real0 /Rdiv Rmult_0_l.
  by rewrite Rmult_0_l Rplus_0_r; exact: bounded.
by move=> n; have [_ g _] := grows n; exact g.
Qed.

(* ---- T11's region ---- *)

Section Local.
Variable evidence : local_data N.
Notation attentions := (local_attentions evidence).
Notation outside := (local_outside_mask evidence).
Notation step_bound := (local_step_bound evidence).
Notation ratio := (local_ratio evidence).

Definition local_span_check : bool :=
  let lower := blo_in D P picks l attentions in
  span_check D P picks f w lower (bhi_in D P picks l attentions) (bound_in D P picks l attentions outside)
    (reduced_in D P picks f ratio) step_bound path least hints (said_excess c).

Definition local_residual_check : bool :=
  [&& local_check D P picks l f w s first evidence region_conclusion,
    path_zero & local_span_check].

Hypothesis checked : local_residual_check.
Notation inside := (@in_mask N D (inside_mask D picks outside)).
Notation eps := (fun i : data_group D => constant_of attentions i).
Notation head := (checked_head Pok l attentions outside).
Notation factors := (local_bounds alpha head).

Let region : local_check D P picks l f w s first evidence region_conclusion.
Proof. by case/and3P: checked. Qed.
Let ranges : ranges_check D P picks attentions outside. Proof. by case/and5P: region => _ /and5P[/andP[]]. Qed.

Lemma local_bounded z : z O = w0 -> follows (loss_of l) (least_loss alpha (loss_of l)) (spec_rule s) eta z ->
  forall n, vnorm2 (residual u centre (z n)) <= E.
Proof.
move=> start run n; have /and5P[ok _ _ _ /andP[rule _]] := region.
have [cs step_gt0 M_gt0 _ _] := conclusion_facts point_in ok.
pose dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) cs; pose o := natural_reference dir w0.
have eta_range k : 0 < eta k <= step_size (spec_schedule s) (fraction_real (spec_step s)) first.
  by split; [exact: step_size_gt0 | exact: step_size_decreasing].
have held := checked_ranges Dok ranges (local_labels Dok Pok region).
have [dm [Hd conditions ins]] := local_start Dok solution reference_in point_in cs region start.
have rho_lt : fraction_real ratio * dm < gamma := cone_ratio_lt conditions.
have reduced0 : 0 < gamma - fraction_real ratio * dm by lra.
have b0 t St := local_blo_gt0 held (cone_active conditions (c := t) St).
have /and3P[_ _ span] := checked.
have [k spanned bound] := span_check_sound (factors := factors) Dok reference_in dir point_in
  (blo_encloses Dok Pok l ranges) (bhi_encloses Dok Pok l ranges) (bound_encloses Dok Pok l ranges)
  (reduced_contains reference_in ratio Hd) reduced0 M_gt0 b0 (fun t _ _ => local_far_ge0 held t) span.
have finish X : vnorm (residual u centre (z n)) <= X -> X * X <= E -> vnorm2 (residual u centre (z n)) <= E.
  by move=> rX XE; rewrite -vnorm_sqr; apply: Rle_trans XE; apply: Rmult_le_compat => //; exact: vnorm_ge0.
have lows := lows_enclose Dok solution reference_in point_in cs region start.
rewrite /= -[X in path_span_bound _ _ X _ _ _ _]start in bound.
move: rule run; rewrite /local_rule_check; case: (spec_rule s) => rule run; [ | | discriminate rule];
  move: rule => /and3P[_ step _].
- have step_le := length_check_sound Hd (low_mass_contains Dok l ranges lows) step.
  have [H _] := T14_gradient (o := o) held eta_range conditions ins spanned step_le run n.
  exact (finish _ H bound).
have [H _] := T14_normalised (o := o) held eta_range conditions ins spanned (size_check_sound step) run n.
exact (finish _ H bound).
Qed.

Lemma local_residual_not_polyak : spec_rule s <> PolyakSteps.
Proof. exact: local_not_polyak region. Qed.

Lemma local_residual_constraint : exists t, Q t.
Proof. by have /and5P[/andP[H _] _ _ _ _] := region; exact: has_constraintP. Qed.

Theorem local_residual_sound : forever_claim alpha (loss_of l) (spec_rule s) eta w0 (constants_of c).
Proof.
have /and3P[_ zero _] := checked; have /and5P[ok _ _ _ _] := region.
have claimed := local_sound Dok solution reference_in point_in local_residual_constraint region.
exact (bounded_claim zero ok claimed local_bounded).
Qed.
End Local.
End Residual.

(* ---- T14 in T11's region as a theorem for all later steps ---- *)

Section LaterTheorem.
Variable N : number.

Record local_residual_data := LocalResidualData {
  local_residual_evidence : residual_data N; local_residual_region : local_data N
}.

Definition local_residual_later_check : later_check N local_residual_data := fun D P picks l f w s first c x =>
  local_residual_check D P picks l f w s first (local_residual_evidence x) c (local_residual_region x).

Lemma local_residual_needs : needs_constraint local_residual_later_check.
Proof. by move=> D P picks Pok l f w s first c x /andP[/andP[/andP[H _] _] _]; exact: has_constraintP. Qed.

Theorem local_residual_later_holds : later_holds false local_residual_later_check.
Proof.
move=> D P picks Dok Pok l f w s first c x ws w0 lam sol ref pt checked.
by split=> [|polyak]; [exact (local_residual_sound Dok sol ref pt checked) | case:
  (local_residual_not_polyak checked polyak)].
Qed.

Definition local_residual_theorem : later_theorem N := LaterTheorem local_residual_needs local_residual_later_holds.
End LaterTheorem.
