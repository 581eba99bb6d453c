(* HeadResidual: the executable hypotheses of T14, the bounded residual, in the regions of T10 and T11 at one point, of
   any head from the tables of its factors.

   The region is checked with its own path constant and no excess (HeadAbsorbing.v, HeadLocal.v), the residual's bound X
   by span_check (SpanIntervals.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Heads HeadRuns Claims Direction Gibbs Path Growth Region ActiveStep
                           Saturation FactorRange LocalRanges LocalAbsorbing Polyak SelectedPath SpanConstants
                           PathResidual LocalSelection AbsorbingResidual Runs Forever HeadForever Number Rows Entries
                           TokenData MarginChecks OptimalityChecks GramBound EnclosureChecks Interval Elementary
                           IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks
                           LocalFactors FactorTables HeadLater HeadAbsorbing HeadLocal SpanIntervals Reference.

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

Section Region.
Variables (N : number) (radius : residual_data N) (c : conclusion N).

(* The conclusion of the region's own theorem. *)
Definition region_conclusion : conclusion N :=
  Conclusion (residual_path radius) (no_fraction N) (said_centre c) (said_height c) (said_logarithmic c) (said_growth c)
    (said_dominates c).

Definition path_zero : bool := same (fraction_num (said_path c)) zero.
End Region.

Section Residual.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation Q := (constraint alpha).

Variables (T : factor_tables N) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat).
Variables (radius : residual_data N) (c : conclusion N).
Notation path := (residual_path radius).
Notation least_eigenvalue := (residual_least radius).
Notation hints := (residual_hints radius).
Notation region := (region_conclusion radius c).

Definition table_span_check (speed : interval N) (step_bound : fraction N) : bool :=
  span_check D P picks f w (lower_table T) (upper_table T) (far_table T) speed step_bound path least_eigenvalue hints
    (said_excess c).

Variables (h : head (problem D)) (least : R) (r : table_ranges D).
Variables (l : loss_name) (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis hold : tables_hold Pok T h r.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation S := (Direction.active Q mu).
Notation centre := (w0 - Direction.height u w0 * u)%V.
Notation factors := (table_bounds T r).
Notation M := (fraction_real path).
Notation low := (path_low (Delta alpha) u centre w0 M).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation E := (fraction_real (said_excess c)).

(* The region's claim with a bounded residual. *)
Lemma head_bounded_claim : path_zero c -> conclusion_ok D P picks s w region ->
  head_forever_claim alpha h least false (spec_rule s) eta w0 (constants_of region) ->
  (forall z, z O = w0 -> head_follows h least (spec_rule s) eta z ->
    forall n, vnorm2 (residual u centre (z n)) <= E) ->
  head_forever_claim alpha h least false (spec_rule s) eta w0 (constants_of c).
Proof.
move=> zero ok [ws' max' [p natural_p claimed]] bounded.
have [cs _ _ _ [Hc Hh]] := conclusion_facts point_in ok; have max := proj1 solution.
rewrite (max_margin_unique max' max) in natural_p claimed; exists ws => //; exists p => //.
rewrite natural_p in claimed *; apply: (head_later_of_path (c := constants_of c) max cs Hc Hh) => z z0 run.
have [_ _ grows [lim dom]] := claimed z z0 run; rewrite z0 in grows; split; [ | | exact lim | exact dom].
  move=> n; have -> : path_constant (constants_of c) = 0.
    by rewrite /= /fraction_real (same_real zero) real0 /Rdiv Rmult_0_l.
  by rewrite Rmult_0_l Rplus_0_r; exact: bounded.
by move=> n; have [_ g _] := grows n; exact g.
Qed.

Lemma residual_square z X : vnorm (residual u centre z) <= X -> X * X <= E -> vnorm2 (residual u centre z) <= E.
Proof.
by move=> rX XE; rewrite -vnorm_sqr; apply: Rle_trans XE; apply: Rmult_le_compat => //; exact: vnorm_ge0.
Qed.

(* X of T14 from the tables, where S is inside P. *)
Lemma table_spanned (cs : exists t, Q t) (dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) cs)
    (o := natural_reference dir w0) speed (g' : R) step_bound :
  0 < M -> factor_range Q (Delta alpha) (head_factor alpha h) low factors ->
  (forall t, S t -> factor_kept factors t) -> contains speed g' -> 0 < g' -> table_span_check speed step_bound ->
  exists2 k, span_conditions o factors (fraction_real step_bound) g' k &
    let X := path_span_bound o factors w0 M (fraction_real step_bound) g' k in X * X <= E.
Proof.
move=> M_gt0 range active_kept speed_in speed_gt0.
have start_above : margins_above Q (Delta alpha) low w0.
  move=> t Qt; apply: (path_low_margin dir (reference_orthogonal o) M_gt0 Qt); split; first exact: Rle_refl.
  by rewrite Rminus_diag_eq // Rmult_0_r Rplus_0_r; exact: Rle_refl.
apply: (span_check_sound (factors := factors) Dok reference_in dir point_in (lower_encloses hold)
  (upper_encloses hold) (far_encloses hold) speed_in speed_gt0 M_gt0) => t.
  by move=> St; exact (factor_low_gt0 range (active_kept t St)).
by move=> Qt _; exact: (far_factor_ge0 range start_above Qt).
Qed.

(* ---- T10's region ---- *)

Section Absorbing.
Variables (step_bound : fraction N) (polyak : option (interval N * seq (interval N))).

(* Polyak's steps, with one of thhi. *)
Definition polyak_length_fits (thhi : interval N) : bool :=
  certainly_le (idiv P (imul P (absorbing_step P s first) thhi) (margin_in f)) (fraction_in P step_bound).

(* The step bound is at least every later step's length; the region's check compares that of gradient descent. *)
Definition head_absorbing_residual_check : bool :=
  [&& head_absorbing_check D P picks T f w s first step_bound region polyak, path_zero c,
      match spec_rule s with
      | NormalisedSteps => size_check P s first step_bound
      | GradientSteps => true
      | _ => if polyak is Some th then has polyak_length_fits th.2 else false
      end & table_span_check (margin_in f) step_bound].

Hypothesis checked : head_absorbing_residual_check.
Hypothesis ranged : polyak_range Pok region polyak h least r ws w0.
Let absorbing : head_absorbing_check D P picks T f w s first step_bound region polyak.
Proof. by case/and4P: checked. Qed.
Notation weights z := (gibbs_weight (Delta alpha) (head_factor alpha h z) z).
Notation eta0 := (step_size (spec_schedule s) (fraction_real (spec_step s)) first).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu (range_high r) (range_low r) (Direction.height u w0)).

(* One thhi serves the path and the length of Polyak's steps: the lesser of those proved for either. *)
Lemma polyak_both th : polyak = Some th -> is_positive th.1 ->
  has (absorbing_polyak_fits D P picks T f w s first region) th.2 -> has polyak_length_fits th.2 ->
  exists thlo thhi, [/\ 0 < thlo, (2 * G + eta0 * thhi) / gamma <= M, eta0 * thhi / gamma <= fraction_real step_bound &
    forall z, margins_above Q (Delta alpha) low z ->
    thlo * (\sum_(t | Q t) weights z t) <= head_loss h z - least <= thhi * (\sum_(t | Q t) weights z t)].
Proof.
move=> known lo0 fits short; have [cs step_gt0 _ _ _] := conclusion_facts point_in (proj1 (andP absorbing)).
have g0 := dir_margin_gt0 (margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) cs).
have reach := absorbing_reach Dok solution reference_in point_in hold absorbing.
have [_ Hg _ _ _] := reference_in; have Hs := step_in_contains P s first.
have e0 : 0 < eta0 by exact: step_size_gt0.
have [thlo [x [I [Hlo HI M_ge x_range]]]] := ranged known lo0 fits reach.
have [thlo' [y [J [_ HJ short_y y_range]]]] := ranged known lo0 short reach.
have x_path : (2 * G + eta0 * x) / gamma <= M.
  exact: (certainly_le_real (idiv_contains P (iadd_contains P (imul_contains P (contains2 N)
    (absorbing_gibbs_contains P reference_in point_in hold)) (imul_contains P Hs HI)) Hg)
    (fraction_in_contains P path) M_ge).
have y_short : eta0 * y / gamma <= fraction_real step_bound.
  exact: (certainly_le_real (idiv_contains P (imul_contains P Hs HJ) Hg) (fraction_in_contains P step_bound) short_y).
have monotone a b : a <= b -> eta0 * a / gamma <= eta0 * b / gamma.
  move=> ab; apply: Rmult_le_compat_r; first exact: Rlt_le (Rinv_0_lt_compat _ g0).
  by apply: Rmult_le_compat_l ab; lra.
exists thlo; case: (Rle_lt_dec x y) => [xy | yx]; [exists x | exists y]; split=> //.
- exact: is_positive_real Hlo lo0.
- exact: Rle_trans (monotone _ _ xy) y_short.
- exact: is_positive_real Hlo lo0.
- by apply: Rle_trans x_path; rewrite /Rdiv !Rmult_plus_distr_r; apply: Rplus_le_compat_l;
    exact: monotone (Rlt_le _ _ yx).
by move=> z Hz; have [low_z _] := x_range z Hz; have [_ high_z] := y_range z Hz.
Qed.

Theorem head_absorbing_residual_sound :
  head_forever_claim alpha h least false (spec_rule s) eta w0 (constants_of c).
Proof.
have /and4P[_ zero later span] := checked; have /and4P[ok _ rule _] := absorbing.
have [cs step_gt0 M_gt0 _ _] := conclusion_facts point_in ok.
apply: (head_bounded_claim zero ok) => [|z start run n].
  exact: (head_absorbing_sound Dok solution reference_in point_in hold absorbing ranged).
have eta_range k := absorbing_eta point_in absorbing k.
pose dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) cs; pose o := natural_reference dir w0.
have range := absorbing_range Dok solution reference_in point_in hold absorbing.
have whole := absorbing_whole hold absorbing.
have [_ Hg _ _ _] := reference_in; have g0 := dir_margin_gt0 dir.
have [k spanned bound] := table_spanned cs M_gt0 range (fun t St => whole t (proj1 (activeP _ _ _ St))) Hg g0 span.
rewrite /= -[X in path_span_bound _ _ X _ _ _ _]start in bound.
have centred : natural o (z O) by rewrite start.
have Hpath := fraction_in_contains P (said_path region).
have twice := absorbing_twice_contains P reference_in point_in hold.
have range_z : factor_range Q (Delta alpha) (head_factor alpha h) (path_low (Delta alpha) u centre (z O) M) factors.
  by rewrite start.
have gibbs_z : gibbs_gap Q (Delta alpha) u centre Q gamma mu (range_high r) (range_low r) (Direction.height u (z O)) =
    gibbs_gap Q (Delta alpha) u centre Q gamma mu (range_high r) (range_low r) (Direction.height u w0) by rewrite start.
have [dm [Hdm _ dm_le]] := diameter_contains P Dok Pok.
move: rule later run; rewrite /absorbing_rule_check; case: (spec_rule s) => // rule later run; last first.
- move: rule later; rewrite /absorbing_polyak_check; case known: polyak => [th|] // /and4P[_ lo0 fits _] short.
  have [thlo [thhi [thlo0 M_need step_short excess]]] := polyak_both known lo0 fits short; rewrite -gibbs_z in M_need.
  have excess_z y : margins_above Q (Delta alpha) (path_low (Delta alpha) u centre (z O) M) y ->
      thlo * (\sum_(t | Q t) weights y t) <= head_loss h y - least <= thhi * (\sum_(t | Q t) weights y t).
    by rewrite start; exact: excess.
  have [H _] := head_T14_global_polyak (o := o) eta_range M_gt0 range_z whole centred spanned
    (c := PolyakBounds dm thlo thhi) (fun t _ => dm_le t) thlo0 excess_z M_need step_short run n.
  exact (residual_square H bound).
- have /and4P[cos0 _ M_ge _] := rule.
  have [cmin [Hcmin _ cmin_le]] := least_cosine_contains P Dok reference_in dir.
  have c0 := is_positive_real Hcmin cos0.
  have Hx := idiv_contains P (imul_contains P (step_in_contains P s first)
    (isub_contains P (contains1 N) (imul_contains P Hcmin Hcmin))) Hcmin.
  have M_need := certainly_le_real (iadd_contains P twice Hx) Hpath M_ge; rewrite -gibbs_z in M_need.
  have [H _] := head_T14_global_normalised (o := o) eta_range M_gt0 range_z whole centred spanned c0 cmin_le M_need
    (size_check_sound later) run n.
  exact (residual_square H bound).
have /and4P[step_le M_ge _ _] := rule.
have [ratio [Hratio r0 ratio_le]] := largest_ratio_contains P Dok reference_in dir.
have fc := fits_constraint_mask Pok; have Hc' t : in_mask (constraint_mask D picks) t -> Q t.
  by rewrite (in_constraint_mask Pok).
have Hsum := path_sum_contains P Dok reference_in dir point_in Hpath M_gt0 fc Hc' (upper_encloses hold).
rewrite (mask_constraints Pok) in Hsum.
have short := certainly_le_real (imul_contains P (step_in_contains P s first) (imul_contains P Hdm Hsum))
  (fraction_in_contains P step_bound) step_le.
have M_need := certainly_le_real (iadd_contains P twice (imul_contains P (fraction_in_contains P step_bound) Hratio))
  Hpath M_ge; rewrite -gibbs_z in M_need.
have short_z : step_size (spec_schedule s) (fraction_real (spec_step s)) first *
    (dm * \sum_(t | Q t) range_high r t * exp (- path_low (Delta alpha) u centre (z O) M t)) <=
    fraction_real step_bound.
  by rewrite start; exact short.
have [H _] := head_T14_global_gradient (o := o) eta_range M_gt0 range_z whole centred spanned (fun t _ => dm_le t)
  r0 ratio_le short_z M_need run n.
exact (residual_square H bound).
Qed.
End Absorbing.

(* ---- T11's region ---- *)

Section Local.
Variable e : cone_data N.

Definition head_local_residual_check : bool :=
  [&& head_local_check D P picks T f w s first e region, path_zero c &
      table_span_check (reduced_in D P picks f (cone_share e)) (cone_step_bound e)].

Hypothesis checked : head_local_residual_check.
Let cone_checked : head_local_check D P picks T f w s first e region. Proof. by case/and3P: checked. Qed.

Theorem head_local_residual_sound : head_forever_claim alpha h least false (spec_rule s) eta w0 (constants_of c).
Proof.
have /and3P[_ zero span] := checked; have /and5P[ok _ _ _ /andP[rule _]] := cone_checked.
have [cs step_gt0 M_gt0 _ _] := conclusion_facts point_in ok.
apply: (head_bounded_claim zero ok) => [|z start run n].
  exact: (head_local_sound Dok least solution reference_in point_in hold cone_checked cs).
have eta_range k : 0 < eta k <= step_size (spec_schedule s) (fraction_real (spec_step s)) first.
  by split; [exact: step_size_gt0 | exact: step_size_decreasing].
pose dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) cs; pose o := natural_reference dir w0.
have range := cone_range Dok solution reference_in point_in hold cone_checked cs.
have att := cone_attended Dok solution reference_in point_in hold cone_checked cs.
have [dm [Hd conditions]] := cone_start Dok solution reference_in point_in hold cone_checked cs.
have speed_gt0 : 0 < gamma - fraction_real (cone_share e) * dm by have := cone_ratio_lt conditions; rewrite /=; lra.
have [k spanned bound] := table_spanned cs M_gt0 range (cone_active conditions)
  (reduced_contains reference_in (cone_share e) Hd) speed_gt0 span.
rewrite /= -[X in path_span_bound _ _ X _ _ _ _]start in bound.
have lows := cone_lows_hold Dok solution reference_in point_in cone_checked cs.
have conditions_z : cone_conditions o factors (z O) (checked_cone e region dm) by rewrite start; exact conditions.
have range_z : factor_range Q (Delta alpha) (head_factor alpha h) (path_low (Delta alpha) u centre (z O) M) factors.
  by rewrite start.
have att_z i : local_odds alpha (path_low (Delta alpha) u centre (z O) M) i /
    (1 + local_odds alpha (path_low (Delta alpha) u centre (z O) M) i) <= range_eps r i by rewrite start; exact: att.
have lows_z : lows_hold Pok (cone_lows D P picks f w region) (path_low (Delta alpha) u centre (z O) M) by rewrite start.
move: rule run; rewrite /cone_rule_check; case: (spec_rule s) => // [] /and3P[_ step _] run.
- have short := length_check_sound Hd (mass_contains P hold lows_z) step.
  have [H _] := head_T14_gradient (o := o) eta_range conditions_z range_z att_z spanned short run n.
  exact (residual_square H bound).
have [H _] := head_T14_normalised (o := o) eta_range conditions_z range_z att_z spanned (size_check_sound step) run n.
exact (residual_square H bound).
Qed.
End Local.
End Residual.
