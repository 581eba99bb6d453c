(* LocalSelection: T11 and T14 for softmax attention.

   The selection need not be globally optimal: P is any set of constraints with a positive score gap that contains
   every constraint with a positive multiplier; outside P only slack constraints (slope above gamma) are allowed. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Direction Reference Gibbs Progress Path Growth Inside
                           Region Saturation FactorRange LocalRanges PartialStep LocalAbsorbing SpanConstants
                           SpanResidual PathResidual.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section LocalSelection.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation gap := (gap alpha).

Variable o : reference Q (Delta alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation height := (height u).
Notation slope := (slope (Delta alpha) u).
Notation spread := (spread (Delta alpha) u).

(* What the head allows, and the constants of T11's cone. *)
Variables (head : local_head p) (k : cone).
Hypothesis ranges : local_ranges alpha l head.
Notation eps := (head_attention head).
Notation gap_up := (head_gap_up head).
Notation gap_down := (head_gap_down head).
Notation f := (local_bounds alpha head).
Notation P := (factor_kept f).
Notation M := (cone_path k).
Notation D := (cone_norm k).
Notation rho_bar := (cone_ratio k).
Notation h := (cone_step k).

Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax : R).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Notation w0 := (w O).
Notation y0 := (height w0).
Notation residual := (residual u centre).
Notation K := (log_floor Q mu (factor_low f)).
Notation low := (path_low (Delta alpha) u centre w0 M).
Notation on_path := (on_path u centre w0 M).
Hypothesis conditions : cone_conditions o f w0 k.

(* The condition on the margins of w_0; low_t = m_t(w_0) - delta_t^2 M/(4 gamma_t) by path_low_natural. *)
Hypothesis inside : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.

Let M_gt0 := cone_path_gt0 conditions.
Let range := local_factor_range ranges inside.

(* What holds at every later point. *)
Record local_forever (z : vec (coord p)) : Prop := LocalForever {
  local_forever_path : on_path z;
  local_forever_margin : forall t, Q t ->
    low t <= slope t * height z + dot (Delta alpha t) centre - spread t * path_bound u centre w0 M z <= margin z t;
  local_forever_attention : forall i, 1 - attention z (alpha i) <= eps i;
  local_forever_sparse : forall i, 1 - attention z (alpha i) <=
    \sum_(t | others i t) copies alpha t * exp (- (slope t * height z + dot (Delta alpha t) centre
                                                  - spread t * path_bound u centre w0 M z));
  local_forever_output : forall i,
    score (alpha i) - eps i * gap_up i <= output z i <= score (alpha i) + eps i * gap_down i;
  local_forever_angle : 0 < height z ->
    1 - cosine u z <= (vnorm centre + path_bound u centre w0 M z) * (vnorm centre + path_bound u centre w0 M z)
                      / (2 * (height z * height z))
}.

Lemma local_forever_on_path z : on_path z -> local_forever z.
Proof.
move=> Hz; have Hm t (ct : Q t) := path_low_le dir M_gt0 ct Hz.
have Hn t := on_path_margin dir (reference_orthogonal o) t Hz.
have Hl t (ct : Q t) : low t <= margin z t := Rle_trans _ _ _ (Hm t ct) (Hn t).
split=> //.
- by move=> t ct; split; [exact: Hm | exact: Hn].
- exact (local_attention_range inside Hl).
- move=> i; apply: Rle_trans (attention_deficit_le _ _ _) _.
  by apply: odds_le => t _; exact: Hn.
- exact (local_output_range ranges inside Hl).
exact (on_path_angle dir Hz).
Qed.

Let finish g : invariant_region u on_path w eta g ->
  (forall t, local_forever (w t) /\ law_reaches g y0 (total eta t) (height (w t))) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> stays; split=> [t|He]; last exact: (on_path_limit dir (stays_inside stays) (inside_diverges stays He)).
by split; [exact (local_forever_on_path (stays_inside stays t)) | exact (inside_grows stays t)].
Qed.

Theorem T11_normalised least : etamax <= h -> follows l least NormalisedSteps eta w ->
  (forall t, local_forever (w t) /\ y0 + normalised_speed gamma D rho_bar * total eta t <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> hh /(normalised_steps_ascent alpha) run.
exact (finish (cone_normalised_region conditions range erefl eta_range hh run)).
Qed.

(* The length of a gradient step of size 1 in the region. *)
Notation longest := (D * (\sum_(t | P t) factor_high f t * exp (- low t)
                          + \sum_(t | Q t && ~~ P t) factor_size f t * exp (- low t))).

Theorem T11_gradient least : etamax * longest <= h -> follows l least GradientSteps eta w ->
  (forall t, local_forever (w t) /\
     / gamma * ln (exp (gamma * y0) + gamma * ((gamma - rho_bar * D) * exp K) * total eta t) <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> hh /(gradient_steps_ascent alpha) run.
exact (finish (cone_gradient_region conditions range erefl eta_range hh run)).
Qed.

(* ---- T14: the residual of such a run stays bounded ---- *)

Section Bounded.
Variable s : span_constants (coord p) (token p).
Notation speed := (gamma - rho_bar * D).
Hypothesis spanned : span_conditions o f h speed s.
Notation X := (path_span_bound o f w0 M h speed s).
Notation V := (field_of Q (Delta alpha) (bare_weight alpha l)).
Notation bounded n := (vnorm (residual (w n)) <= X /\ (0 < height (w n) ->
  1 - cosine u (w n) <= (vnorm centre + X) * (vnorm centre + X) / (2 * (height (w n) * height (w n))))).

Let bounded_short g : invariant_region u on_path w eta g -> short_run V h w -> forall n, bounded n.
Proof.
move=> stays; have path := stays_inside stays.
apply: (path_residual (cone_centred conditions) M_gt0 (cone_active conditions) range spanned path) => n.
exact (local_progress conditions range (path n)).
Qed.

(* ||e_t|| <= X for all t, hence 1 - cos = O(1/y^2), with y growing as in T11. *)
Theorem T14_normalised least : etamax <= h -> follows l least NormalisedSteps eta w -> forall n, bounded n.
Proof.
move=> hh /(normalised_steps_ascent alpha) run.
have stays := cone_normalised_region conditions range erefl eta_range hh run.
have short := cone_short conditions range.
exact (bounded_short stays (normalised_short short eta_range hh run (stays_inside stays))).
Qed.

Theorem T14_gradient least : etamax * longest <= h -> follows l least GradientSteps eta w -> forall n, bounded n.
Proof.
move=> hh /(gradient_steps_ascent alpha) run.
have stays := cone_gradient_region conditions range erefl eta_range hh run.
have long := cone_field_norm conditions range.
exact (bounded_short stays (gradient_short eta_range long hh run (stays_inside stays))).
Qed.
End Bounded.
End LocalSelection.
