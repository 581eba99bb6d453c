(* AbsorbingResidual: T14 in T10's region: a globally optimal selection, whose constraints all keep factors in range,
   and any rule whose steps have at most the length h. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Direction Reference Gibbs Progress Path Growth Inside
                           Region Saturation FactorRange LocalRanges SelectedPath LockIn LockInNormalised Absorbing
                           Polyak SpanConstants SpanResidual PathResidual.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- softmax attention with any head ---- *)

Section Factors.
Variables (p : selection_problem) (alpha : selection p) (o : reference (constraint alpha) (Delta alpha)).
Notation Q := (constraint alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation height := (height u).
Notation residual := (residual u centre).
Notation slope := (slope (Delta alpha) u).
Notation spread := (spread (Delta alpha) u).

(* T10's region, around the natural centre, and T14's constants. *)
Variables (b : vec (coord p) -> token p -> R) (f : factor_bounds (token p)).
Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax M h : R) (k : span_constants (coord p) (token p)).
Notation w0 := (w O).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu (factor_high f) (factor_low f) (height w0)).
Notation low := (path_low (Delta alpha) u centre w0 M).
Notation V := (field_of Q (Delta alpha) b).
Notation X := (path_span_bound o f w0 M h gamma k).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Hypothesis centred : natural o w0.
Hypothesis M_gt0 : 0 < M.
Hypothesis range : factor_range Q (Delta alpha) b low f.
Hypothesis whole : forall t, Q t -> factor_kept f t.
Hypothesis spanned : span_conditions o f h gamma k.
Let at_start := on_path_start u centre w0 M.

Definition span_bounded n : Prop := vnorm (residual (w n)) <= X /\ (0 < height (w n) ->
  1 - cosine u (w n) <= (vnorm centre + X) * (vnorm centre + X) / (2 * (height (w n) * height (w n)))).

Lemma absorbing_span_short : (forall n, on_path u centre w0 M (w n)) -> short_run V h w -> forall n, span_bounded n.
Proof.
move=> path; apply: (path_residual centred M_gt0 _ range spanned path) => [t /activeP[Qt _]|n]; first exact: whole.
have pos t (Qt : Q t) := whole_weights M_gt0 range whole (path n) Qt.
have kept t : factor_kept f t = Q t by apply/idP/idP=> [/(factor_kept_constraint range)|/whole].
by rewrite (eq_bigl _ _ kept); exact (progress_slope (reference_direction o) pos).
Qed.

Theorem absorbing_span_normalised cmin :
  0 < cmin -> (forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t) ->
  2 * G / gamma + etamax * (1 - cmin * cmin) / cmin <= M -> etamax <= h ->
  (forall n, w n.+1 = (w n + eta n / vnorm (V (w n)) * V (w n))%V) -> forall n, span_bounded n.
Proof.
move=> c0 Hc HM Hh run; have along z := whole_cosine (z := z) M_gt0 range whole c0 Hc.
have short := cosine_short M_gt0 range whole c0 Hc HM.
have path := stays_inside (normalised_region short at_start eta_range c0 along (Rle_refl _) run).
apply: (absorbing_span_short path).
have [tau steps] := normalised_short short eta_range (Rle_refl _) run path.
by exists tau => n; have [step t0 th] := steps n; split=> //; exact: Rle_trans th Hh.
Qed.

Theorem absorbing_span_gradient D ratio :
  (forall t, Q t -> vnorm (Delta alpha t) <= D) ->
  0 <= ratio -> (forall t, Q t -> spread t <= ratio * slope t) ->
  etamax * (D * \sum_(t | Q t) factor_high f t * exp (- low t)) <= h -> 2 * G / gamma + h * ratio <= M ->
  (forall n, w n.+1 = (w n + eta n * V (w n))%V) -> forall n, span_bounded n.
Proof.
move=> HD r0 Hr Hh HM run; have long z := whole_field_norm (z := z) M_gt0 range whole HD.
have g0 := dir_margin_gt0 (reference_direction o).
have path := stays_inside (gradient_region (spread_short M_gt0 range whole r0 Hr HM) at_start eta_range g0
  (Rmult_lt_0_compat _ _ g0 (exp_pos _)) (whole_ascent M_gt0 range whole) long Hh run).
exact (absorbing_span_short path (gradient_short eta_range long Hh run path)).
Qed.

Theorem absorbing_span_polyak (c : polyak_bounds) excess :
  (forall t, Q t -> vnorm (Delta alpha t) <= polyak_norm c) -> 0 < polyak_low c ->
  (forall z, margins_above Q (Delta alpha) low z ->
    polyak_low c * (\sum_(t | Q t) gibbs_weight (Delta alpha) (b z) z t) <= excess z <=
    polyak_high c * (\sum_(t | Q t) gibbs_weight (Delta alpha) (b z) z t)) ->
  (2 * G + etamax * polyak_high c) / gamma <= M -> etamax * polyak_high c / gamma <= h ->
  (forall n, w n.+1 = (w n + eta n * excess (w n) / vnorm2 (V (w n)) * V (w n))%V) -> forall n, span_bounded n.
Proof.
move=> HD lo0 ex HM Hh run.
have path := stays_inside (polyak_region eta_range M_gt0 range whole HD lo0 ex HM run).
exact (absorbing_span_short path (polyak_short eta_range M_gt0 range whole HD lo0 ex HM run Hh)).
Qed.
End Factors.

(* ---- a scalar loss: T14 for the hypotheses of T10_normalised, T10_gradient and T10_polyak ---- *)

Section Softmax.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (o : reference (constraint alpha) (Delta alpha)).
Notation Q := (constraint alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation slope := (slope (Delta alpha) u).
Notation spread := (spread (Delta alpha) u).

Variable head : global_head p.
Hypothesis ranges : global_ranges alpha l head.
Notation f := (global_bounds alpha head).
Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax M h : R).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Hypothesis centred : natural o (w O).
Hypothesis M_gt0 : 0 < M.
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma (reference_weights o) (factor_high f) (factor_low f)
  (height u (w O))).
Notation low := (path_low (Delta alpha) u centre (w O) M).
Hypothesis inside : global_inside alpha head low.
Variable k : span_constants (coord p) (token p).
Hypothesis spanned : span_conditions o f h gamma k.
Notation bounded := (span_bounded o f w M h k).

Let range := global_factor_range ranges inside.
Let whole t : Q t -> factor_kept f t := fun Qt => Qt.

Theorem T14_global_normalised least cmin :
  0 < cmin -> (forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t) ->
  2 * G / gamma + etamax * (1 - cmin * cmin) / cmin <= M -> etamax <= h ->
  follows l least NormalisedSteps eta w -> forall n, bounded n.
Proof.
move=> c0 Hc HM Hh /(normalised_steps_ascent alpha).
exact (absorbing_span_normalised eta_range centred M_gt0 range whole spanned c0 Hc HM Hh).
Qed.

Theorem T14_global_gradient least D ratio :
  (forall t, Q t -> vnorm (Delta alpha t) <= D) ->
  0 <= ratio -> (forall t, Q t -> spread t <= ratio * slope t) ->
  etamax * (D * \sum_(t | Q t) factor_high f t * exp (- low t)) <= h -> 2 * G / gamma + h * ratio <= M ->
  follows l least GradientSteps eta w -> forall n, bounded n.
Proof.
move=> HD r0 Hr Hh HM /(gradient_steps_ascent alpha).
exact (absorbing_span_gradient eta_range centred M_gt0 range whole spanned HD r0 Hr Hh HM).
Qed.

Theorem T14_global_polyak (b : polyak_bounds) : loss_defined p l -> polyak_ranges alpha l head b ->
  (2 * G + etamax * polyak_high b) / gamma <= M -> etamax * polyak_high b / gamma <= h ->
  follows l (least_loss alpha l) PolyakSteps eta w -> forall n, bounded n.
Proof.
move=> defined bounds HM Hh /(polyak_steps_ascent alpha).
exact (absorbing_span_polyak eta_range centred M_gt0 range whole spanned (polyak_norm_le bounds)
  (polyak_low_gt0 bounds) (excess_weights ranges bounds defined inside) HM Hh).
Qed.
End Softmax.
