(* Inside: a run that cannot leave a region, once for all theorems about later steps.

   T10, T11, T12, T12n and T15 each name a set of points that contains w_0 and that no step leaves, and say how much
   a step from one of its points raises the height y = <w,u>. That every iterate is inside, how y grows, and that it
   grows without bound follow here. A theorem for all later steps is an `invariant_region` of its own, and what the
   points of that region have in common. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Growth.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* What a step of size 1 adds to the height y at least: a constant, or k exp(-gamma y). *)
Variant growth_law := LinearGrowth (speed : R) | LogarithmicGrowth (gamma k : R).

Definition law_gain (g : growth_law) (y : R) : R :=
  match g with LinearGrowth speed => speed | LogarithmicGrowth gamma k => k * exp (- (gamma * y)) end.

Definition law_proper (g : growth_law) : Prop :=
  match g with LinearGrowth speed => 0 < speed | LogarithmicGrowth gamma k => 0 < gamma /\ 0 < k end.

(* From the height y0, steps with the sum T reach the height y. *)
Definition law_reaches (g : growth_law) (y0 T y : R) : Prop :=
  match g with
  | LinearGrowth speed => y0 + speed * T <= y
  | LogarithmicGrowth gamma k => / gamma * ln (exp (gamma * y0) + gamma * k * T) <= y
  end.

Section Inside.
Variables (J : finType) (u : vec J).
Notation height := (height u).

Record invariant_region (inside : vec J -> Prop) (w : nat -> vec J) (eta : nat -> R) (g : growth_law) : Prop :=
  InvariantRegion {
  region_law : law_proper g;
  region_sizes : forall t, 0 < eta t;
  region_start : inside (w O);
  region_step : forall t, inside (w t) -> inside (w t.+1);
  region_rise : forall t, inside (w t) -> eta t * law_gain g (height (w t)) <= height (w t.+1) - height (w t)
}.

Variables (inside : vec J -> Prop) (w : nat -> vec J) (eta : nat -> R) (g : growth_law).
Hypothesis kept : invariant_region inside w eta g.

Theorem stays_inside t : inside (w t).
Proof. by elim: t => [|t IH]; [exact: region_start kept | exact: region_step kept t IH]. Qed.

Theorem inside_grows t : law_reaches g (height (w O)) (total eta t) (height (w t)).
Proof.
case: g kept (fun t => region_rise kept (stays_inside t)) => [speed | gamma k] [proper sizes _ _ _] /= rise.
  rewrite -total_scale; apply: (linear_growth (y := fun s => height (w s))) => s.
  by have := rise s; lra.
have [g0 k0] := proper; rewrite Rmult_assoc -total_scale.
apply: (logarithmic_growth (y := fun s => height (w s))) => // s.
  by apply: Rmult_le_pos; have := sizes s; lra.
by apply: Rle_trans (rise s); right; ring.
Qed.

Theorem inside_diverges : is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => height (w t)) p_infty.
Proof.
case: g kept inside_grows => [speed | gamma k] [proper _ _ _ _] /= grows He;
  first exact: limit_linear proper He grows.
have [g0 k0] := proper.
apply: (limit_logarithmic (gamma := gamma) (k := gamma * k) (b := exp (gamma * height (w O))) g0) He grows.
  exact: Rmult_lt_0_compat.
exact/Rlt_le/exp_pos.
Qed.
End Inside.
