(* AbsorbingResidualChecks: the executable hypotheses of T14, the bounded residual, in the region of T10, at one
   point.

   The region is checked with its own path constant and no excess, the residual's bound X by span_check. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Claims Direction Path Growth FactorRange LocalAbsorbing Region ActiveStep
                           Saturation Absorbing SpanConstants PathResidual AbsorbingResidual LockIn Runs Forever
                           Number Rows Entries TokenData MarginChecks OptimalityChecks GramBound EnclosureChecks
                           Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals
                           ForeverChecks LaterTheorem DominationChecks LocalFactors GlobalFactors AbsorbingChecks
                           SpanIntervals ResidualChecks Polyak Reference Pulls.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Residual.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation Q := (constraint alpha).

Variables (l : loss_name) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat).
Variables (radius : residual_data N) (c : conclusion N) (evidence : absorbing_data N).
Notation path := (residual_path radius).
Notation least := (residual_least radius).
Notation hints := (residual_hints radius).
Notation outputs := (absorbing_outputs evidence).
Notation attentions := (absorbing_attentions evidence).
Notation step_bound := (absorbing_step_bound evidence).
Notation outputs_in := (outputs_in P evidence).
Notation attentions_in := (attentions_in P evidence).
Notation region := (region_conclusion radius c).

(* The step bound is at least every later step's length; gradient_check compares that of gradient descent. *)
Definition length_fits (ratio : interval N) : bool :=
  certainly_le (idiv P (imul P (first_step P s first) ratio) (margin_in f)) (fraction_in P step_bound).

Definition later_step_check : bool :=
  match spec_rule s with
  | NormalisedSteps => size_check P s first step_bound
  | GradientSteps => true
  | PolyakSteps => length_fits (attention_ratio P evidence) || length_fits (output_ratio D P picks evidence)
  end.

Definition absorbing_span_check : bool :=
  let lower := lower_factors D P picks l outputs_in attentions_in in
  let upper := upper_factors D P picks l outputs_in in
  span_check D P picks f w lower upper upper (margin_in f) step_bound path least hints (said_excess c).

Definition absorbing_residual_check : bool :=
  [&& absorbing_check D P picks l f w s first evidence region, path_zero c, later_step_check &
    absorbing_span_check].

Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis checked : absorbing_residual_check.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation centre := (w0 - Direction.height u w0 * u)%V.
Notation phi := (fun i : data_group D => constant_of outputs i).
Notation eps := (fun i : data_group D => constant_of attentions i).
Notation lmin := (fun i : data_group D =>
  - dloss (loss_of l) (at_least l (score (alpha i) - phi i) (score (alpha i)))).
Notation lmax := (fun i : data_group D =>
  - dloss (loss_of l) (at_most l (score (alpha i) - phi i) (score (alpha i)))).
Notation M := (fraction_real path).
Notation h := (fraction_real step_bound).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation eta0 := (step_size (spec_schedule s) (fraction_real (spec_step s)) first).
Notation head := (absorbing_head Pok l evidence).
Notation blo := (global_blo alpha phi eps lmin).
Notation bhi := (global_bhi alpha lmax).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu bhi blo (Direction.height u w0)).

Let absorbing : absorbing_check D P picks l f w s first evidence region.
Proof. by case/and4P: checked. Qed.
Let facts := conclusion_facts point_in (proj1 (andP absorbing)).
Let some_constraint : exists t, Q t. Proof. by case: facts. Qed.
Let dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) some_constraint.
Let g0 := dir_margin_gt0 dir.
Let o := natural_reference dir w0.
Let step_gt0 : 0 < fraction_real (spec_step s). Proof. by case: facts. Qed.
Let steps_range n : 0 < eta n <= eta0. Proof. by split; [exact: step_size_gt0 | exact: step_size_decreasing]. Qed.

Lemma upper_factor_ge0 t : Q t -> 0 <= bhi t.
Proof.
move=> Qt; set i := group_of t.
have l0 : 0 < lmax i by have := dloss_lt0 (loss_of l) (at_most l (score (alpha i) - phi i) (score (alpha i))); lra.
have gap0 : 0 < gap alpha t := Rlt_Rminus _ _ (absorbing_optimal Dok absorbing Qt).
have w0' := Rmult_lt_0_compat _ _ (weight_gt0 i) l0.
exact (Rmult_le_pos _ _ (Rlt_le _ _ (copies_gt0 alpha t)) (Rmult_le_pos _ _ (Rlt_le _ _ w0') (Rlt_le _ _ gap0))).
Qed.

(* One ratio serves the path and the length of Polyak steps: the lesser of those proved for either. *)
Lemma polyak_ratio : polyak_check D P picks l f w s first evidence region ->
  length_fits (attention_ratio P evidence) || length_fits (output_ratio D P picks evidence) -> exists thhi,
  [/\ (2 * G + eta0 * thhi) / gamma <= M, eta0 * thhi / gamma <= h & most_slope_ratio Pok evidence thhi].
Proof.
move=> check short.
have [x x_path x_ok] := polyak_constants Dok reference_in point_in absorbing check.
have [y [I [HI y_short y_ok]]] := most_slope_ratio_contains (test := length_fits) Dok Pok absorbing short.
have [_ Hg _ _ _] := reference_in.
have y_le : eta0 * y / gamma <= h.
  exact: (certainly_le_real (idiv_contains P (imul_contains P (step_in_contains P s first) HI) Hg)
    (fraction_in_contains P step_bound) y_short).
have monotone a b : a <= b -> eta0 * a / gamma <= eta0 * b / gamma.
  move=> ab; apply: Rmult_le_compat_r; first exact: Rlt_le (Rinv_0_lt_compat _ g0).
  by apply: Rmult_le_compat_l ab; have := steps_range O; lra.
case: (Rle_lt_dec x y) => [xy | yx]; [exists x | exists y]; split=> //.
  exact: Rle_trans (monotone _ _ xy) y_le.
by apply: Rle_trans x_path; rewrite /Rdiv !Rmult_plus_distr_r; apply: Rplus_le_compat_l;
  exact: monotone (Rlt_le _ _ yx).
Qed.

Lemma absorbing_bounded z : z O = w0 -> follows (loss_of l) (least_loss alpha (loss_of l)) (spec_rule s) eta z ->
  forall n, vnorm2 (residual u centre (z n)) <= fraction_real (said_excess c).
Proof.
move=> start run n; have [_ _ M_gt0 _ _] := facts; have /and4P[_ _ steps span] := checked.
have /and4P[_ _ Hrule _] := absorbing; have Hout := outputs_enclose absorbing; have Hatt :=
  attentions_enclose absorbing.
have ranges := absorbing_ranges Dok Pok absorbing.
have b0 t (Qt : Q t) := global_blo_gt0 ranges Qt.
have ins : global_inside alpha head (path_low (Delta alpha) u centre (z O) M).
  by rewrite start; exact: (absorbing_inside Dok solution reference_in point_in absorbing).
have centred : natural o (z O) by rewrite start.
have Hlow := lower_factors_enclose P Dok Pok l Hout Hatt; have Hup := upper_factors_enclose P Dok Pok l Hout.
have [_ Hg _ _ _] := reference_in.
have Hfar : encloses (upper_factors D P picks l outputs_in) (far_factor (global_bounds alpha head)).
  by have [fu Hu] := Hup; split=> // t; rewrite /far_factor /=; case: ifP => _; exact: Hu.
have far0 t : Q t -> ~~ Direction.active Q mu t -> 0 <= far_factor (global_bounds alpha head) t.
  by move=> Qt _; rewrite /far_factor /= Qt; exact: upper_factor_ge0.
have [k spanned bound] := span_check_sound (factors := global_bounds alpha head) Dok reference_in dir point_in
  Hlow Hup Hfar Hg g0 M_gt0 (fun t St => b0 t (proj1 (activeP _ _ _ St))) far0 span.
rewrite /= -[X in path_span_bound _ _ X _ _ _ _]start in bound.
have finish X : vnorm (residual u centre (z n)) <= X -> X * X <= fraction_real (said_excess c) ->
    vnorm2 (residual u centre (z n)) <= fraction_real (said_excess c).
  by move=> rX XE; rewrite -vnorm_sqr; apply: Rle_trans XE; apply: Rmult_le_compat => //; exact: vnorm_ge0.
have [dm [Hdm _ dm_le]] := diameter_contains P Dok Pok.
have GE : gibbs_gap Q (Delta alpha) u centre Q gamma mu bhi blo (Direction.height u (z O)) = G by rewrite start.
move: Hrule run steps; rewrite /later_step_check; case E : (spec_rule s) => Hrule run steps.
- have [ratio [r0 ratio_le run_step M_need]] :=
    gradient_facts Dok solution reference_in point_in absorbing dm_le Hdm Hrule.
  rewrite -GE in M_need.
  have {}run_step : eta0 * (dm * \sum_(t | Q t) bhi t * exp (- path_low (Delta alpha) u centre (z O) M t)) <= h.
    by rewrite start.
  have [H _] := T14_global_gradient (o := o) ranges steps_range centred M_gt0 ins spanned
    (fun t _ => dm_le t) r0 ratio_le run_step M_need run n.
  exact (finish _ H bound).
- have [cmin [c0 cmin_le M_need _]] := normalised_facts Dok reference_in point_in Hout Hatt dir Hrule.
  rewrite -GE in M_need.
  have [H _] := T14_global_normalised (o := o) ranges steps_range centred M_gt0 ins spanned
    c0 cmin_le M_need (size_check_sound steps) run n.
  exact (finish _ H bound).
have [thhi [M_need short thhi_ge]] := polyak_ratio Hrule steps; rewrite -GE in M_need.
have /and4P[_ lo0 _ _] := Hrule; have [thlo [Hthlo thlo1 thlo_le]] := least_slope_ratio_contains Pok absorbing.
have thlo0 := is_positive_real Hthlo lo0; have labels := absorbing_labels Dok Pok absorbing.
have bounds : polyak_ranges alpha (loss_of l) head (PolyakBounds dm thlo thhi).
  by split; [exact: slopes_convex | move=> t _; exact: dm_le | exact: thlo0 |
    exact (steady_slopes Dok absorbing thlo0 thlo1 thlo_le) |
    exact: thhi_ge].
have [H _] := T14_global_polyak (o := o) ranges steps_range centred M_gt0 ins spanned (labelled_defined labels) bounds
  M_need short run n.
exact (finish _ H bound).
Qed.

Lemma absorbing_residual_optimal : globally_optimal alpha.
Proof. exact (absorbing_optimal Dok absorbing). Qed.

Theorem absorbing_residual_sound : forever_claim alpha (loss_of l) (spec_rule s) eta w0 (constants_of c).
Proof.
have /and4P[_ zero _ _] := checked; have /andP[ok _] := absorbing.
exact (bounded_claim solution point_in zero ok (absorbing_sound Dok solution reference_in point_in absorbing)
  absorbing_bounded).
Qed.
End Residual.

(* ---- T14 in T10's region as a theorem for all later steps ---- *)

Section LaterTheorem.
Variable N : number.

Record absorbing_residual_data := AbsorbingResidualData {
  absorbing_residual_evidence : residual_data N; absorbing_residual_region : absorbing_data N
}.

Definition absorbing_residual_later_check : later_check N absorbing_residual_data :=
  fun D P picks l f w s first c x =>
  absorbing_residual_check D P picks l f w s first (absorbing_residual_evidence x) c (absorbing_residual_region x).

Lemma absorbing_residual_needs : needs_constraint absorbing_residual_later_check.
Proof. by move=> D P picks Pok l f w s first c x /andP[/andP[/andP[H _] _] _]; exact: has_constraintP. Qed.

Theorem absorbing_residual_later_holds : later_holds false absorbing_residual_later_check.
Proof.
move=> D P picks Dok Pok l f w s first c x ws w0 lam sol ref pt checked.
by split=> [|_]; [exact (absorbing_residual_sound Dok sol ref pt checked)
  | exact (absorbing_residual_optimal Dok checked)].
Qed.

Definition absorbing_residual_theorem : later_theorem N :=
  LaterTheorem absorbing_residual_needs absorbing_residual_later_holds.
End LaterTheorem.
