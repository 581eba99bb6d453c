(* LocalSelection: T11 and T14 for softmax attention, with any head whose factors are in range, then with a scalar
   loss.

   The selection need not be globally optimal: P is any set of constraints with a positive score gap that contains
   every constraint with a positive multiplier; outside P only slack constraints (slope above gamma) are allowed. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Direction Reference Gibbs Progress Path Growth Inside
                           Region Saturation FactorRange LocalRanges SelectedPath PartialStep LocalAbsorbing
                           SpanConstants SpanResidual PathResidual.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- any head ---- *)

Section Factors.
Variables (p : selection_problem) (alpha : selection p) (o : reference (constraint alpha) (Delta alpha)).
Notation Q := (constraint alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation height := (height u).

(* What the head allows, and the constants of T11's cone. *)
Variables (b : vec (coord p) -> token p -> R) (f : factor_bounds (token p)) (eps : group p -> R) (k : cone).
Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax : R).
Notation P := (factor_kept f).
Notation M := (cone_path k).
Notation D := (cone_norm k).
Notation h := (cone_step k).
Notation w0 := (w O).
Notation y0 := (height w0).
Notation residual := (residual u centre).
Notation K := (log_floor Q mu (factor_low f)).
Notation low := (path_low (Delta alpha) u centre w0 M).
Notation V := (field_of Q (Delta alpha) b).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Hypothesis conditions : cone_conditions o f w0 k.
Hypothesis range : factor_range Q (Delta alpha) b low f.

(* The condition on the margins of w_0; low_t = m_t(w_0) - delta_t^2 M/(4 gamma_t) by path_low_natural. *)
Hypothesis inside : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.
Let M_gt0 := cone_path_gt0 conditions.
Notation forever := (selected_forever o w0 M eps).

(* The length of a gradient step of size 1 in the region. *)
Notation longest := (D * (\sum_(t | P t) factor_high f t * exp (- low t)
                          + \sum_(t | Q t && ~~ P t) factor_size f t * exp (- low t))).

Section Normalised.
Hypothesis short : etamax <= h.
Hypothesis run : forall t, w t.+1 = (w t + eta t / vnorm (V (w t)) * V (w t))%V.
Let stays := cone_normalised_region conditions range erefl eta_range short run.

Theorem cone_normalised :
  (forall t, forever (w t) /\ y0 + normalised_speed gamma D (cone_ratio k) * total eta t <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof. exact (selected_stays M_gt0 inside stays). Qed.

Lemma cone_normalised_short : short_run V h w.
Proof. exact (normalised_short (cone_short conditions range) eta_range short run (stays_inside stays)). Qed.
End Normalised.

Section Gradient.
Hypothesis short : etamax * longest <= h.
Hypothesis run : forall t, w t.+1 = (w t + eta t * V (w t))%V.
Let stays := cone_gradient_region conditions range erefl eta_range short run.

Theorem cone_gradient :
  (forall t, forever (w t) /\
     / gamma * ln (exp (gamma * y0) + gamma * ((gamma - cone_ratio k * D) * exp K) * total eta t) <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof. exact (selected_stays M_gt0 inside stays). Qed.

Lemma cone_gradient_short : short_run V h w.
Proof. exact (gradient_short eta_range (cone_field_norm conditions range) short run (stays_inside stays)). Qed.
End Gradient.

(* T14: ||e_t|| <= X for all t, hence 1 - cos = O(1/y^2), with y growing as above. *)
Variable s : span_constants (coord p) (token p).
Notation speed := (gamma - cone_ratio k * D).
Notation X := (path_span_bound o f w0 M h speed s).
Hypothesis spanned : span_conditions o f h speed s.

Definition cone_bounded n : Prop := vnorm (residual (w n)) <= X /\ (0 < height (w n) ->
  1 - cosine u (w n) <= (vnorm centre + X) * (vnorm centre + X) / (2 * (height (w n) * height (w n)))).

Theorem cone_span : (forall t, forever (w t)) -> short_run V h w -> forall n, cone_bounded n.
Proof.
move=> H; have path n := forever_path (H n).
apply: (path_residual (cone_centred conditions) M_gt0 (cone_active conditions) range spanned path) => n.
exact (local_progress conditions range (path n)).
Qed.
End Factors.

(* ---- a scalar loss ---- *)

Section LocalSelection.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (o : reference (constraint alpha) (Delta alpha)).
Notation Q := (constraint alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation height := (height u).

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
Notation K := (log_floor Q (reference_weights o) (factor_low f)).
Notation low := (path_low (Delta alpha) u centre w0 M).
Hypothesis conditions : cone_conditions o f w0 k.
Hypothesis inside : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.
Let M_gt0 := cone_path_gt0 conditions.
Let range := local_factor_range ranges inside.

(* What holds at every later point. *)
Record local_forever (z : vec (coord p)) : Prop := LocalForever {
  local_selected_forever :> selected_forever o w0 M eps z;
  local_forever_output : forall i,
    score (alpha i) - eps i * gap_up i <= output z i <= score (alpha i) + eps i * gap_down i
}.

Let outputs (T : nat -> vec (coord p) -> Prop) :
  (forall t, selected_forever o w0 M eps (w t) /\ T t (w t)) -> forall t, local_forever (w t) /\ T t (w t).
Proof.
move=> H t; have [Hz Ht] := H t; split=> //; split=> //.
exact (local_output_range ranges inside (selected_low M_gt0 (forever_path Hz))).
Qed.

Theorem T11_normalised least : etamax <= h -> follows l least NormalisedSteps eta w ->
  (forall t, local_forever (w t) /\ y0 + normalised_speed gamma D rho_bar * total eta t <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> hh /(normalised_steps_ascent alpha) run.
have [H lim] := cone_normalised eta_range conditions range inside hh run; split=> //.
by apply: (outputs (T := fun t z => y0 + normalised_speed gamma D rho_bar * total eta t <= height z)).
Qed.

Notation longest := (D * (\sum_(t | P t) factor_high f t * exp (- low t)
                          + \sum_(t | Q t && ~~ P t) factor_size f t * exp (- low t))).

Theorem T11_gradient least : etamax * longest <= h -> follows l least GradientSteps eta w ->
  (forall t, local_forever (w t) /\
     / gamma * ln (exp (gamma * y0) + gamma * ((gamma - rho_bar * D) * exp K) * total eta t) <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> hh /(gradient_steps_ascent alpha) run.
have [H lim] := cone_gradient eta_range conditions range inside hh run; split=> //.
by apply: (outputs (T := fun t z => / gamma * ln (exp (gamma * y0) + gamma * ((gamma - rho_bar * D) * exp K)
  * total eta t) <= height z)).
Qed.

(* T14 for the same hypotheses. *)
Variable s : span_constants (coord p) (token p).
Hypothesis spanned : span_conditions o f h (gamma - rho_bar * D) s.
Notation bounded := (cone_bounded o f k w s).

Theorem T14_normalised least : etamax <= h -> follows l least NormalisedSteps eta w -> forall n, bounded n.
Proof.
move=> hh run; have ascents := normalised_steps_ascent alpha run.
apply: (cone_span conditions range spanned (fun n => proj1 (proj1 (T11_normalised hh run) n))).
exact (cone_normalised_short eta_range conditions range hh ascents).
Qed.

Theorem T14_gradient least : etamax * longest <= h -> follows l least GradientSteps eta w -> forall n, bounded n.
Proof.
move=> hh run; have ascents := gradient_steps_ascent alpha run.
apply: (cone_span conditions range spanned (fun n => proj1 (proj1 (T11_gradient hh run) n))).
exact (cone_gradient_short eta_range conditions range hh ascents).
Qed.
End LocalSelection.
