(* AbsorbingResidual: T14 in T10's region: a globally optimal selection, whose constraints all keep factors in range,
   and any rule whose steps have at most the length h. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Direction Gibbs Progress Path Growth Region Saturation
                           FactorRange LockIn LockInNormalised LocalAbsorbing Absorbing Polyak ActiveStep
                           SpanConstants SpanResidual PathResidual.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Softmax.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation gap := (gap alpha).
Variables (u : vec (coord p)) (gamma : R) (mu : token p -> R).
Hypothesis dir : direction Q (Delta alpha) u gamma mu.
Notation height := (height u).
Notation slope := (slope (Delta alpha) u).
Notation spread := (spread (Delta alpha) u).

(* T10's region, around the natural centre. *)
Variable head : global_head p.
Hypothesis ranges : global_ranges alpha l head.
Notation phi := (global_output head).
Notation eps := (global_attention head).
Notation lmin := (global_slope_min head).
Notation lmax := (global_slope_max head).
Notation f := (global_bounds alpha head).
Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax M h : R).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Hypothesis M_gt0 : 0 < M.
Notation w0 := (w O).
Notation y0 := (height w0).
Notation centre := (natural_centre u w).
Notation residual := (residual u centre).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu (factor_high f) (factor_low f) y0).
Notation low := (path_low (Delta alpha) u centre w0 M).
Hypothesis inside : global_inside alpha head low.

(* T14's constants. *)
Variable k : span_constants (coord p) (token p).
Hypothesis spanned : span_conditions Q (Delta alpha) u centre gamma mu (factor_low f) (factor_high f) h gamma k.
Notation X := (path_span_bound Q (Delta alpha) u gamma mu f w M h gamma k).
Notation omega n := (gibbs_weight (Delta alpha) (bare_weight alpha l (w n)) (w n)).
Notation bounded n := (vnorm (residual (w n)) <= X /\ (0 < height (w n) ->
  1 - cosine u (w n) <= (vnorm centre + X) * (vnorm centre + X) / (2 * (height (w n) * height (w n))))).

Let orth := centre_orth w dir.
Let range := global_factor_range ranges inside.

Section AlongPath.
Hypothesis path : forall n, on_path u centre w0 M (w n).

Let path_above n : margins_above Q (Delta alpha) low (w n).
Proof. by move=> t Qt; exact (path_low_margin dir orth M_gt0 Qt (path n)). Qed.

Lemma path_range n t : Q t -> factor_low f t <= bare_weight alpha l (w n) t <= factor_high f t.
Proof. by move=> Qt; exact: (factor_in_range range (@path_above n)). Qed.

Lemma path_omega_gt0 n t : Q t -> 0 < omega n t.
Proof.
move=> Qt; apply: Rmult_lt_0_compat; last exact: exp_pos.
by have := factor_low_gt0 range Qt; have := path_range n Qt; lra.
Qed.

Lemma bounded_rule (tau : nat -> R) : (forall n, w n.+1 = (w n + tau n * ascent Q (Delta alpha) (omega n))%V) ->
  (forall n, 0 < tau n) -> (forall n, tau n * vnorm (ascent Q (Delta alpha) (omega n)) <= h) -> forall n, bounded n.
Proof.
move=> run tau0 tauh; apply: (path_residual dir M_gt0 _ range spanned path _ run tau0 tauh) => [t /activeP[]|n] //.
exact (progress_slope dir (fun t Qt => path_omega_gt0 n Qt)).
Qed.

Lemma path_ascent_gt0 n : 0 < vnorm (ascent Q (Delta alpha) (omega n)) /\
  (\sum_(t | Q t) omega n t) * gamma <= vnorm (ascent Q (Delta alpha) (omega n)).
Proof.
have om0 t (Qt : Q t) := path_omega_gt0 n Qt.
have g0 := dir_margin_gt0 dir; have t0 := total_gt0 dir om0.
have low : (\sum_(t | Q t) omega n t) * gamma <= vnorm (ascent Q (Delta alpha) (omega n)).
  apply: Rle_trans (progress_slope dir om0) _.
  by have := dot_le_norms (ascent Q (Delta alpha) (omega n)) u; rewrite (unorm dir) Rmult_1_r.
by split=> //; apply: Rlt_le_trans low; exact: Rmult_lt_0_compat.
Qed.
End AlongPath.

(* T14 in T10's region, for the hypotheses of T10_normalised, T10_gradient and T10_polyak. *)
Theorem T14_global_normalised least cmin :
  0 < cmin -> (forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t) ->
  2 * G / gamma + etamax * (1 - cmin * cmin) / cmin <= M -> etamax <= h ->
  follows l least NormalisedSteps eta w -> forall n, bounded n.
Proof.
move=> c0 Hc HM Hh run.
have path n := forever_path (proj1 (proj1 (T10_normalised ranges dir orth eta_range M_gt0 inside c0 Hc HM run) n)).
apply: (bounded_rule path (normalised_steps_ascent alpha run)) => n; have [e0 e1] := eta_range n;
  have [v0 _] := path_ascent_gt0 path n; first exact: Rdiv_lt_0_compat.
set v := vnorm _ in v0 *; have -> : eta n / v * v = eta n by field; lra.
lra.
Qed.

Theorem T14_global_gradient least D ratio :
  (forall t, Q t -> vnorm (Delta alpha t) <= D) ->
  0 <= ratio -> (forall t, Q t -> spread t <= ratio * slope t) ->
  etamax * (D * \sum_(t | Q t) factor_high f t * exp (- low t)) <= h -> 2 * G / gamma + h * ratio <= M ->
  follows l least GradientSteps eta w -> forall n, bounded n.
Proof.
move=> HD r0 Hr Hh HM run.
have path n := forever_path (proj1 (proj1 (T10_gradient ranges dir orth eta_range M_gt0 inside HD r0 Hr
  Hh HM run) n)).
apply: (bounded_rule path (gradient_steps_ascent alpha run)) => n; have [e0 e1] := eta_range n; first exact: e0.
apply: Rle_trans Hh; apply: Rmult_le_compat => //; [lra | exact: vnorm_ge0 |].
exact (all_ascent_norm (fun t Qt => factor_low_gt0 range Qt) (path_range path n) HD
  (fun t Qt => path_low_margin dir orth M_gt0 Qt (path n))).
Qed.

Theorem T14_global_polyak D thlo thhi :
  (forall i x y, score (alpha i) - phi i <= x -> x <= y -> y <= score (alpha i) -> - dloss l y <= - dloss l x) ->
  (forall t, Q t -> vnorm (Delta alpha t) <= D) -> 0 < thlo -> (forall i, thlo * lmax i <= lmin i) ->
  (forall i, 1 <= thhi * (1 - eps i)) \/ (forall t, Q t -> gap t <= thhi * (gap t - phi (group_of t))) ->
  (2 * G + etamax * thhi) / gamma <= M -> etamax * thhi / gamma <= h ->
  follows l (least_loss alpha l) PolyakSteps eta w -> forall n, bounded n.
Proof.
move=> convex HD tl0 tl th HM Hh run.
have path n := forever_path (proj1 (proj1 (T10_polyak dir orth ranges convex M_gt0 inside eta_range HD tl0 tl
  th HM run) n)).
have ex n := excess_mass ranges convex inside tl0 tl th (fun t Qt => path_low_margin dir orth M_gt0 Qt (path n)).
pose V n := ascent Q (Delta alpha) (omega n).
have step n : w n.+1 = (w n + eta n * (training_loss l (w n) - least_loss alpha l) / vnorm2 (V n) * V n)%V.
  exact (polyak_steps_ascent alpha run n).
apply: (bounded_rule path step) => n; have [e0 e1] := eta_range n; have [v0 v1] := path_ascent_gt0 path n;
  have [x0 x1] := ex n; rewrite -mass_weights in x0 x1; rewrite -vnorm_sqr -/(V n) in v0 v1 *.
  have m0 := total_gt0 dir (fun t Qt => path_omega_gt0 path n Qt).
  apply: Rdiv_lt_0_compat; last exact: Rmult_lt_0_compat.
  by apply: Rmult_lt_0_compat => //; have := Rmult_lt_0_compat _ _ tl0 m0; lra.
set v := vnorm (V n) in v0 v1 *; set m := \sum_(t | Q t) _ in v1 x0 x1; set d := _ - _ in x0 x1 *.
have -> : eta n * d / (v * v) * v = eta n * d / v by field; lra.
have g0 := dir_margin_gt0 dir.
have th0 : 0 <= d by have m0 := total_gt0 dir (fun t Qt => path_omega_gt0 path n Qt);
  have := Rmult_lt_0_compat _ _ tl0 m0; rewrite -/m; lra.
have m0 : 0 < m := total_gt0 dir (fun t Qt => path_omega_gt0 path n Qt).
have hi0 : 0 <= thhi by apply: (Rmult_le_reg_r m) => //; lra.
apply: Rle_trans Hh; apply: (Rmult_le_reg_r (v * gamma)); first exact: Rmult_lt_0_compat.
have -> : eta n * d / v * (v * gamma) = eta n * d * gamma by field; lra.
have -> : etamax * thhi / gamma * (v * gamma) = etamax * (thhi * v) by field; lra.
rewrite Rmult_assoc; apply: Rmult_le_compat; try lra; first by apply: Rmult_le_pos; lra.
have a := Rmult_le_compat_r _ _ _ (Rlt_le _ _ g0) x1; have c := Rmult_le_compat_l _ _ _ hi0 v1; lra.
Qed.
End Softmax.
