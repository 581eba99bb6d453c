(* HeadRuns: T16, the theorems for all later steps for any head.

   A head is what Heads.v says; from it T10, T11, T14 and T15 want a `factor_range` (T15 a `factor_limit`, Polyak's
   steps the excess loss beside the total weight), with the same constants and conditions at w_0 as for a scalar loss.
   The theorems are those of Absorbing.v, Polyak.v, AbsorbingResidual.v, LocalSelection.v and BoundedSelection.v: here
   they are said of the training of a head. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Heads Iteration Direction Reference Gibbs Progress Path Growth
                           Inside Region Saturation FactorRange LocalRanges SelectedPath PartialStep LocalAbsorbing
                           Absorbing Polyak SpanConstants SpanResidual PathResidual AbsorbingResidual LocalSelection
                           ResidualPath BoundedResidual BoundedSelection.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- runs ---- *)

Definition head_follows (p : selection_problem) (h : head p) (least : R) (r : rule) (eta : nat -> R)
  (w : nat -> vec (coord p)) : Prop :=
  forall t, w t.+1 = moved (head_gradient h) (fun z => head_loss h z - least) r eta t (w t).

(* For a scalar loss these are the runs of Iteration.v. *)
Lemma scalar_follows (p : selection_problem) (l : loss) least r eta (w : nat -> vec (coord p)) :
  head_follows (scalar_head p l) least r eta w <-> follows l least r eta w.
Proof.
have E : head_gradient (scalar_head p l) = gradient l by apply: functional_extensionality => z; exact: scalar_gradient.
by rewrite /head_follows E.
Qed.

Lemma scalar_factors (p : selection_problem) (alpha : selection p) (l : loss) :
  head_factor alpha (scalar_head p l) = bare_weight alpha l.
Proof. by do 2!(apply: functional_extensionality => ?); exact: scalar_factor. Qed.

Section Ascent.
Variables (p : selection_problem) (alpha : selection p) (h : head p) (least : R) (eta : nat -> R).
Implicit Types w : nat -> vec (coord p).
Notation V := (field_of (constraint alpha) (Delta alpha) (head_factor alpha h)).

Lemma head_ascent z : V z = (- head_gradient h z)%V.
Proof.
rewrite (head_gradient_constraints alpha h z) /field_of /ascent; apply: combine_eq => // c _.
by rewrite (head_omega_margin alpha).
Qed.

Lemma head_gradient_steps w : head_follows h least GradientSteps eta w -> forall t, w t.+1 = (w t + eta t * V (w t))%V.
Proof. by move=> run t; rewrite run head_ascent /moved /step_factor; vec_ring. Qed.

Lemma head_normalised_steps w : head_follows h least NormalisedSteps eta w -> forall t,
  w t.+1 = (w t + eta t / vnorm (V (w t)) * V (w t))%V.
Proof. by move=> run t; rewrite run head_ascent vnormN /moved /step_factor; vec_ring. Qed.

Lemma head_polyak_steps w : head_follows h least PolyakSteps eta w -> forall t,
  w t.+1 = (w t + eta t * (head_loss h (w t) - least) / vnorm2 (V (w t)) * V (w t))%V.
Proof. by move=> run t; rewrite run head_ascent vnorm2N -vnorm_sqr /moved /step_factor; vec_ring. Qed.
End Ascent.

(* ---- the theorems ---- *)

Section T16.
Variables (p : selection_problem) (alpha : selection p) (h : head p) (o : reference (constraint alpha) (Delta alpha)).
Notation Q := (constraint alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation height := (height u).
Notation slope := (slope (Delta alpha) u).
Notation spread := (spread (Delta alpha) u).
Notation b := (head_factor alpha h).

Variables (f : factor_bounds (token p)) (eps : group p -> R).
Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax least : R).
Notation w0 := (w O).
Notation y0 := (height w0).
Notation K := (log_floor Q mu (factor_low f)).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu (factor_high f) (factor_low f) y0).
Notation weights z := (gibbs_weight (Delta alpha) (b z) z).
Notation attended low := (forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i).
Notation turns := (is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine u (w n)) 1).
Hypothesis eta_range : forall n, 0 < eta n <= etamax.

(* T10, and T14 in its region: the factors of all constraints stay positive. *)
Section Absorbing.
Variable M : R.
Notation low := (path_low (Delta alpha) u centre w0 M).
Notation forever := (selected_forever o w0 M eps).
Hypothesis M_gt0 : 0 < M.
Hypothesis range : factor_range Q (Delta alpha) b low f.
Hypothesis whole : forall t, Q t -> factor_kept f t.
Hypothesis inside : attended low.

Theorem head_T10_normalised cmin :
  0 < cmin -> (forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t) ->
  2 * G / gamma + etamax * (1 - cmin * cmin) / cmin <= M -> head_follows h least NormalisedSteps eta w ->
  (forall n, forever (w n) /\ y0 + cmin * total eta n <= height (w n)) /\ turns.
Proof.
by move=> c0 Hc HM /(head_normalised_steps alpha);
  exact (absorbing_normalised eta_range M_gt0 range whole inside c0 Hc HM).
Qed.

Theorem head_T10_gradient D step ratio : (forall t, Q t -> vnorm (Delta alpha t) <= D) ->
  0 <= ratio -> (forall t, Q t -> spread t <= ratio * slope t) ->
  etamax * (D * \sum_(t | Q t) factor_high f t * exp (- low t)) <= step -> 2 * G / gamma + step * ratio <= M ->
  head_follows h least GradientSteps eta w ->
  (forall n, forever (w n) /\
     / gamma * ln (exp (gamma * y0) + gamma * (gamma * exp K) * total eta n) <= height (w n)) /\ turns.
Proof.
by move=> HD r0 Hr Hh HM /(head_gradient_steps alpha);
  exact (absorbing_gradient eta_range M_gt0 range whole inside HD r0 Hr Hh HM).
Qed.

(* Polyak's rule: thlo and thhi of the excess loss beside the total weight. *)
Section Polyak.
Variable c : polyak_bounds.
Hypothesis norm_le : forall t, Q t -> vnorm (Delta alpha t) <= polyak_norm c.
Hypothesis thlo_gt0 : 0 < polyak_low c.
Hypothesis excess_range : forall z, margins_above Q (Delta alpha) low z ->
  polyak_low c * (\sum_(t | Q t) weights z t) <= head_loss h z - least <=
  polyak_high c * (\sum_(t | Q t) weights z t).
Hypothesis M_ge : (2 * G + etamax * polyak_high c) / gamma <= M.

Theorem head_T10_polyak : head_follows h least PolyakSteps eta w ->
  (forall n, forever (w n) /\
     y0 + polyak_low c * gamma / (polyak_norm c * polyak_norm c) * total eta n <= height (w n)) /\ turns.
Proof.
by move/(head_polyak_steps alpha) => run;
  exact (absorbing_polyak eta_range M_gt0 range whole norm_le thlo_gt0 excess_range M_ge run inside).
Qed.
End Polyak.

Variables (longest : R) (k : span_constants (coord p) (token p)).
Hypothesis centred : natural o w0.
Hypothesis spanned : span_conditions o f longest gamma k.
Notation bounded := (span_bounded o f w M longest k).

Theorem head_T14_global_normalised cmin :
  0 < cmin -> (forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t) ->
  2 * G / gamma + etamax * (1 - cmin * cmin) / cmin <= M -> etamax <= longest ->
  head_follows h least NormalisedSteps eta w -> forall n, bounded n.
Proof.
by move=> c0 Hc HM Hh /(head_normalised_steps alpha);
  exact (absorbing_span_normalised eta_range centred M_gt0 range whole spanned c0 Hc HM Hh).
Qed.

Theorem head_T14_global_gradient D ratio : (forall t, Q t -> vnorm (Delta alpha t) <= D) ->
  0 <= ratio -> (forall t, Q t -> spread t <= ratio * slope t) ->
  etamax * (D * \sum_(t | Q t) factor_high f t * exp (- low t)) <= longest -> 2 * G / gamma + longest * ratio <= M ->
  head_follows h least GradientSteps eta w -> forall n, bounded n.
Proof.
by move=> HD r0 Hr Hh HM /(head_gradient_steps alpha);
  exact (absorbing_span_gradient eta_range centred M_gt0 range whole spanned HD r0 Hr Hh HM).
Qed.

Theorem head_T14_global_polyak (c : polyak_bounds) : (forall t, Q t -> vnorm (Delta alpha t) <= polyak_norm c) ->
  0 < polyak_low c ->
  (forall z, margins_above Q (Delta alpha) low z -> polyak_low c * (\sum_(t | Q t) weights z t) <=
    head_loss h z - least <= polyak_high c * (\sum_(t | Q t) weights z t)) ->
  (2 * G + etamax * polyak_high c) / gamma <= M -> etamax * polyak_high c / gamma <= longest ->
  head_follows h least PolyakSteps eta w -> forall n, bounded n.
Proof.
by move=> HD lo0 ex HM Hh /(head_polyak_steps alpha);
  exact (absorbing_span_polyak eta_range centred M_gt0 range whole spanned HD lo0 ex HM Hh).
Qed.
End Absorbing.

(* T11, and T14 in its region. *)
Section Cone.
Variable k : cone.
Notation D := (cone_norm k).
Notation low := (path_low (Delta alpha) u centre w0 (cone_path k)).
Notation longest := (D * (\sum_(t | factor_kept f t) factor_high f t * exp (- low t)
                          + \sum_(t | Q t && ~~ factor_kept f t) factor_size f t * exp (- low t))).
Notation forever := (selected_forever o w0 (cone_path k) eps).
Hypothesis conditions : cone_conditions o f w0 k.
Hypothesis range : factor_range Q (Delta alpha) b low f.
Hypothesis inside : attended low.

Theorem head_T11_normalised : etamax <= cone_step k -> head_follows h least NormalisedSteps eta w ->
  (forall n, forever (w n) /\ y0 + normalised_speed gamma D (cone_ratio k) * total eta n <= height (w n)) /\ turns.
Proof.
by move=> short /(head_normalised_steps alpha); exact (cone_normalised eta_range conditions range inside short).
Qed.

Theorem head_T11_gradient : etamax * longest <= cone_step k -> head_follows h least GradientSteps eta w ->
  (forall n, forever (w n) /\
     / gamma * ln (exp (gamma * y0) + gamma * ((gamma - cone_ratio k * D) * exp K) * total eta n) <= height (w n)) /\
  turns.
Proof.
by move=> short /(head_gradient_steps alpha); exact (cone_gradient eta_range conditions range inside short).
Qed.

Variable s : span_constants (coord p) (token p).
Hypothesis spanned : span_conditions o f (cone_step k) (gamma - cone_ratio k * D) s.
Notation bounded := (cone_bounded o f k w s).

Theorem head_T14_normalised : etamax <= cone_step k -> head_follows h least NormalisedSteps eta w ->
  forall n, bounded n.
Proof.
move=> short run; have ascents := head_normalised_steps alpha run.
apply: (cone_span conditions range spanned (fun n => proj1 (proj1 (head_T11_normalised short run) n))).
exact (cone_normalised_short eta_range conditions range short ascents).
Qed.

Theorem head_T14_gradient : etamax * longest <= cone_step k -> head_follows h least GradientSteps eta w ->
  forall n, bounded n.
Proof.
move=> short run; have ascents := head_gradient_steps alpha run.
apply: (cone_span conditions range spanned (fun n => proj1 (proj1 (head_T11_gradient short run) n))).
exact (cone_gradient_short eta_range conditions range short ascents).
Qed.
End Cone.

(* T15 *)
Section Basin.
Variables (limit rate : token p -> R) (r : basin (coord p) (token p)).
Notation D := (basin_norm r).
Notation low := (start_low o w0 r).
Notation forever := (bounded_forever o f rate eps w r).
Hypothesis conditions : basin_conditions o f rate w0 r limit.
Hypothesis range : factor_range Q (Delta alpha) b low f.
Hypothesis limits : factor_limit Q (Delta alpha) b low (active Q mu) limit rate.
Hypothesis inside : attended low.

Theorem head_T15_normalised : etamax <= basin_step r -> head_follows h least NormalisedSteps eta w ->
  (forall n, forever (w n) /\ y0 + normalised_speed gamma D (basin_ratio r) * total eta n <= height (w n)) /\ turns.
Proof.
by move=> short /(head_normalised_steps alpha);
  exact (basin_normalised eta_range conditions range limits inside short).
Qed.

Theorem head_T15_normalised_growth cmin n : etamax <= basin_step r -> head_follows h least NormalisedSteps eta w ->
  (forall t, Q t -> factor_kept f t) -> 0 <= cmin -> (forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t) ->
  y0 + cmin * total eta n <= height (w n).
Proof.
by move=> short /(head_normalised_steps alpha) run;
  exact (basin_normalised_growth eta_range conditions range limits short run n).
Qed.

Theorem head_T15_gradient :
  etamax * (D * (\sum_(t | factor_kept f t) factor_high f t * exp (- low t) +
                 \sum_(t | Q t && ~~ factor_kept f t) factor_size f t * exp (- low t))) <= basin_step r ->
  head_follows h least GradientSteps eta w ->
  (forall n, forever (w n) /\
     / gamma * ln (exp (gamma * y0) + gamma * ((gamma - basin_ratio r * D) * exp K) * total eta n) <= height (w n)) /\
  turns.
Proof.
by move=> short /(head_gradient_steps alpha); exact (basin_gradient eta_range conditions range limits inside short).
Qed.
End Basin.
End T16.
