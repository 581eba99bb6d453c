(* LocalSelection: T11 and T14 for softmax attention.

   The selection need not be globally optimal: P is any set of constraints with a positive score gap that contains
   every constraint with a positive multiplier; outside P only slack constraints (slope above gamma) are allowed. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Direction Gibbs Progress Path Growth Inside Region
                           Saturation FactorRange LocalRanges PartialStep LocalAbsorbing ActiveStep SpanConstants
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

Variables (u : vec (coord p)) (gamma : R) (mu : token p -> R).
Hypothesis dir : direction Q (Delta alpha) u gamma mu.
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
Notation centre := (natural_centre u w).
Notation residual := (residual u centre).
Notation K := (log_floor Q mu (factor_low f)).
Notation low := (path_low (Delta alpha) u centre w0 M).
Notation on_path := (on_path u centre w0 M).
Hypothesis conditions : cone_conditions Q (Delta alpha) u gamma mu f w k.

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
have Hn t := on_path_margin dir (centre_orth w dir) t Hz.
have Hl t (ct : Q t) : low t <= margin z t := Rle_trans _ _ _ (Hm t ct) (Hn t).
split=> //.
- by move=> t ct; split; [exact: Hm | exact: Hn].
- exact (local_attention_range inside Hl).
- move=> i; apply: Rle_trans (attention_deficit_le _ _ _) _.
  by apply: odds_le => t _; exact: Hn.
- exact (local_output_range ranges inside Hl).
exact (on_path_angle dir Hz).
Qed.

Theorem T11_normalised least : etamax <= h -> follows l least NormalisedSteps eta w ->
  (forall t, local_forever (w t) /\ y0 + normalised_speed gamma D rho_bar * total eta t <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> hh /(normalised_steps_ascent alpha) run.
have stays := local_normalised_region dir conditions range eta_range hh run.
split=> [t|He]; last exact: (on_path_limit dir (stays_inside stays) (inside_diverges stays He)).
by split; [exact: local_forever_on_path (stays_inside stays t) | exact: (inside_grows stays t)].
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
have stays := local_gradient_region dir conditions range eta_range hh run.
split=> [t|He]; last exact: (on_path_limit dir (stays_inside stays) (inside_diverges stays He)).
by split; [exact: local_forever_on_path (stays_inside stays t) | exact: (inside_grows stays t)].
Qed.

(* ---- T14: the residual of such a run stays bounded ---- *)

Section Bounded.
Variable s : span_constants (coord p) (token p).
Notation speed := (gamma - rho_bar * D).
Hypothesis spanned : span_conditions Q (Delta alpha) u centre gamma mu (factor_low f) (factor_high f) h speed s.
Notation X := (path_span_bound Q (Delta alpha) u gamma mu f w M h speed s).
Notation V n := (ascent Q (Delta alpha) (gibbs_weight (Delta alpha) (bare_weight alpha l (w n)) (w n))).
Notation bounded n := (vnorm (residual (w n)) <= X /\ (0 < height (w n) ->
  1 - cosine u (w n) <= (vnorm centre + X) * (vnorm centre + X) / (2 * (height (w n) * height (w n))))).

Lemma bounded_along_path (tau : nat -> R) : (forall n, on_path (w n)) ->
  (forall n, w n.+1 = (w n + tau n * V n)%V) -> (forall n, 0 < tau n) -> (forall n, tau n * vnorm (V n) <= h) ->
  forall n, bounded n.
Proof.
move=> path run tau0 tauh; apply: (path_residual dir M_gt0 (cone_active conditions) range spanned path _ run
  tau0 tauh) => n.
exact (local_progress dir conditions range (path n)).
Qed.

(* ||e_t|| <= X for all t, hence 1 - cos = O(1/y^2), with y growing as in T11. *)
Theorem T14_normalised least : etamax <= h -> follows l least NormalisedSteps eta w -> forall n, bounded n.
Proof.
move=> hh run; have [H _] := T11_normalised hh run; have path n := local_forever_path (proj1 (H n)).
have pos n : 0 < vnorm (V n) := local_normalised_norm dir conditions range (path n).
apply: (bounded_along_path path (normalised_steps_ascent alpha run)) => n; have [e0 e1] := eta_range n;
  have v0 := pos n.
  exact: Rdiv_lt_0_compat.
set v := vnorm _ in v0 *; have -> : eta n / v * v = eta n by field; lra.
lra.
Qed.

Theorem T14_gradient least : etamax * longest <= h -> follows l least GradientSteps eta w -> forall n, bounded n.
Proof.
move=> hh run; have [H _] := T11_gradient hh run; have path n := local_forever_path (proj1 (H n)).
apply: (bounded_along_path path (gradient_steps_ascent alpha run)) => n; have [e0 e1] := eta_range n; first exact: e0.
apply: Rle_trans hh; apply: Rmult_le_compat => //; [lra | exact: vnorm_ge0 |].
exact (local_field_norm dir conditions range (path n)).
Qed.
End Bounded.
End LocalSelection.
