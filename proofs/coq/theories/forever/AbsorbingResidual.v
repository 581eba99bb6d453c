(* AbsorbingResidual: T14 in T10's region: a globally optimal selection, whose constraints all keep factors in range,
   and any rule whose steps have at most the length h. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Direction Reference Gibbs Progress Path Growth Inside
                           Region Saturation FactorRange LockIn LockInNormalised Absorbing Polyak SpanConstants
                           SpanResidual PathResidual.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Softmax.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation gap := (gap alpha).
Variable o : reference Q (Delta alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation centre_orth := (reference_orthogonal o).
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
Hypothesis centred : natural o (w O).
Hypothesis M_gt0 : 0 < M.
Notation w0 := (w O).
Notation y0 := (height w0).
Notation residual := (residual u centre).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu (factor_high f) (factor_low f) y0).
Notation low := (path_low (Delta alpha) u centre w0 M).
Hypothesis inside : global_inside alpha head low.

(* T14's constants. *)
Variable k : span_constants (coord p) (token p).
Hypothesis spanned : span_conditions o f h gamma k.
Notation X := (path_span_bound o f w0 M h gamma k).
Notation V := (field_of Q (Delta alpha) (bare_weight alpha l)).
Notation bounded n := (vnorm (residual (w n)) <= X /\ (0 < height (w n) ->
  1 - cosine u (w n) <= (vnorm centre + X) * (vnorm centre + X) / (2 * (height (w n) * height (w n))))).

Let range := global_factor_range ranges inside.
Let whole t : Q t -> factor_kept f t := fun Qt => Qt.

Let bounded_short : (forall n, on_path u centre w0 M (w n)) -> short_run V h w -> forall n, bounded n.
Proof.
move=> path; apply: (path_residual centred M_gt0 _ range spanned path) => [t /activeP[]|n] //.
exact (progress_slope dir (fun t Qt => whole_weights M_gt0 range whole (path n) Qt)).
Qed.

(* T14 in T10's region, for the hypotheses of T10_normalised, T10_gradient and T10_polyak. *)
Theorem T14_global_normalised least cmin :
  0 < cmin -> (forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t) ->
  2 * G / gamma + etamax * (1 - cmin * cmin) / cmin <= M -> etamax <= h ->
  follows l least NormalisedSteps eta w -> forall n, bounded n.
Proof.
move=> c0 Hc HM Hh run.
have path n := forever_path (proj1 (proj1 (T10_normalised ranges eta_range M_gt0 inside c0 Hc HM run) n)).
have short := cosine_short M_gt0 range whole c0 Hc HM; apply: (bounded_short path).
have [tau steps] := normalised_short short eta_range (Rle_refl _) (normalised_steps_ascent alpha run) path.
by exists tau => n; have [step t0 th] := steps n; split=> //; exact: Rle_trans th Hh.
Qed.

Theorem T14_global_gradient least D ratio :
  (forall t, Q t -> vnorm (Delta alpha t) <= D) ->
  0 <= ratio -> (forall t, Q t -> spread t <= ratio * slope t) ->
  etamax * (D * \sum_(t | Q t) factor_high f t * exp (- low t)) <= h -> 2 * G / gamma + h * ratio <= M ->
  follows l least GradientSteps eta w -> forall n, bounded n.
Proof.
move=> HD r0 Hr Hh HM run.
have path n := forever_path (proj1 (proj1 (T10_gradient ranges eta_range M_gt0 inside HD r0 Hr Hh HM run) n)).
have long z := whole_field_norm (z := z) M_gt0 range whole HD.
exact (bounded_short path (gradient_short eta_range long Hh (gradient_steps_ascent alpha run) path)).
Qed.

Theorem T14_global_polyak (b : polyak_bounds) : polyak_ranges alpha l head b ->
  (2 * G + etamax * polyak_high b) / gamma <= M -> etamax * polyak_high b / gamma <= h ->
  follows l (least_loss alpha l) PolyakSteps eta w -> forall n, bounded n.
Proof.
move=> bounds HM Hh run; have g0 := dir_margin_gt0 dir; have tl0 := polyak_low_gt0 bounds.
have path n := forever_path (proj1 (proj1 (T10_polyak ranges bounds M_gt0 inside eta_range HM run) n)).
apply: (bounded_short path).
exists (fun n => eta n * (training_loss l (w n) - least_loss alpha l) / vnorm2 (V (w n))) => n.
have [e0 e1] := eta_range n; have v0 := whole_norm_gt0 M_gt0 range whole (path n).
have om0 t (Qt : Q t) := whole_weights M_gt0 range whole (path n) Qt.
have ex := excess_mass ranges bounds inside (fun t Qt => path_low_margin dir centre_orth M_gt0 Qt (path n)).
rewrite -mass_weights in ex; have [x0 x1] := ex; have m0 := total_gt0 dir om0.
have v1 : (\sum_(t | Q t) gibbs_weight (Delta alpha) (bare_weight alpha l (w n)) (w n) t) * gamma <= vnorm (V (w n)).
  apply: Rle_trans (progress_slope dir om0) _.
  by have := dot_le_norms (V (w n)) u; rewrite (unorm dir) Rmult_1_r.
have th0 := Rmult_lt_0_compat _ _ tl0 m0; rewrite -vnorm_sqr.
split; first by rewrite vnorm_sqr; exact (polyak_steps_ascent alpha run n).
  by apply: Rdiv_lt_0_compat; apply: Rmult_lt_0_compat => //; lra.
set v := vnorm (V (w n)) in v0 v1 *; set m := \sum_(t | Q t) _ in v1 x0 x1 m0 th0; set d := _ - _ in x0 x1 *.
have -> : eta n * d / (v * v) * v = eta n * d / v by field; lra.
have hi0 : 0 <= polyak_high b by apply: (Rmult_le_reg_r m) => //; lra.
apply: Rle_trans Hh; apply: (Rmult_le_reg_r (v * gamma)); first exact: Rmult_lt_0_compat.
have -> : eta n * d / v * (v * gamma) = eta n * d * gamma by field; lra.
have -> : etamax * polyak_high b / gamma * (v * gamma) = etamax * (polyak_high b * v) by field; lra.
rewrite Rmult_assoc; apply: Rmult_le_compat; try lra; first by apply: Rmult_le_pos; lra.
have a := Rmult_le_compat_r _ _ _ (Rlt_le _ _ g0) x1; have c := Rmult_le_compat_l _ _ _ hi0 v1; lra.
Qed.
End Softmax.
