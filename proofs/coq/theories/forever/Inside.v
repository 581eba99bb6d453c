(* Inside: a run that cannot leave a region, once for all theorems about later steps.

   T10, T11, T12, T12n and T15 each name a set of points that contains w_0 and that no step leaves, and say how much
   a step from one of its points raises the height y = <w,u>. That every iterate is inside, how y grows, and that it
   grows without bound follow here. A theorem for all later steps is an `invariant_region` of its own, and what the
   points of that region have in common.

   Where a theorem lets steps be as long as h, whatever made them so long, it proves that once for a region
   (`short_steps_stay`); the regions of the rules follow from how far the field points along u. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Path Growth.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* What a step of size 1 adds to the height y at least: a constant, k exp(-gamma y), or a gain that falls with y. *)
Variant growth_law := LinearGrowth (speed : R) | LogarithmicGrowth (gamma k : R) | FallingGrowth (gain : R -> R).

Definition law_gain (g : growth_law) (y : R) : R :=
  match g with LinearGrowth speed => speed | LogarithmicGrowth gamma k => k * exp (- (gamma * y))
  | FallingGrowth gain => gain y end.

Definition law_proper (g : growth_law) : Prop :=
  match g with
  | LinearGrowth speed => 0 < speed
  | LogarithmicGrowth gamma k => 0 < gamma /\ 0 < k
  | FallingGrowth gain => (forall y, 0 < gain y) /\ forall x y, x <= y -> gain y <= gain x
  end.

(* From the height y0, steps with the sum T reach the height y. *)
Definition law_reaches (g : growth_law) (y0 T y : R) : Prop :=
  match g with
  | LinearGrowth speed => y0 + speed * T <= y
  | LogarithmicGrowth gamma k => / gamma * ln (exp (gamma * y0) + gamma * k * T) <= y
  | FallingGrowth gain => y0 + gain y * T <= y
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
case: g kept (fun t => region_rise kept (stays_inside t)) => [speed | gamma k | gain] [proper sizes _ _ _] /= rise;
  last exact (falling_growth (y := fun s => height (w s)) (proj1 proper) (proj2 proper) sizes rise t).
  rewrite -total_scale; apply: (linear_growth (y := fun s => height (w s))) => s.
  by have := rise s; lra.
have [g0 k0] := proper; rewrite Rmult_assoc -total_scale.
apply: (logarithmic_growth (y := fun s => height (w s))) => // s.
  by apply: Rmult_le_pos; have := sizes s; lra.
by apply: Rle_trans (rise s); right; ring.
Qed.

Theorem inside_diverges : is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => height (w t)) p_infty.
Proof.
case: g kept inside_grows => [speed | gamma k | gain] [proper _ _ _ _] /= grows He;
  first exact: limit_linear proper He grows; last exact: limit_falling (proj1 proper) (proj2 proper) He grows.
have [g0 k0] := proper.
apply: (limit_logarithmic (gamma := gamma) (k := gamma * k) (b := exp (gamma * height (w O))) g0) He grows.
  exact: Rmult_lt_0_compat.
exact/Rlt_le/exp_pos.
Qed.
End Inside.

(* ---- short steps, by any rule ---- *)

(* A run along a field V by steps of length at most h, whatever made them so short. *)
Definition short_run (J : finType) (V : vec J -> vec J) (h : R) (w : nat -> vec J) : Prop :=
  exists tau, forall t, [/\ w t.+1 = (w t + tau t * V (w t))%V, 0 < tau t & tau t * vnorm (V (w t)) <= h].

Section ShortSteps.
Variables (J : finType) (V : vec J -> vec J) (u : vec J) (inside : vec J -> Prop) (h : R).
Notation height := (height u).

Record short_steps_stay : Prop := ShortStepsStay {
  short_moves : forall z, inside z -> 0 < vnorm (V z);
  short_stays : forall z tau, inside z -> 0 < tau -> tau * vnorm (V z) <= h -> inside (z + tau * V z)%V
}.

Variables (w : nat -> vec J) (eta : nat -> R) (etamax : R).
Hypothesis stay : short_steps_stay.
Hypothesis start : inside (w O).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.

Lemma normalised_size z t : inside z -> 0 < eta t / vnorm (V z) /\ eta t / vnorm (V z) * vnorm (V z) <= etamax.
Proof.
move=> Hz; have n0 := short_moves stay Hz; have [e0 e1] := eta_range t; split; first exact: Rdiv_lt_0_compat.
by have -> : eta t / vnorm (V z) * vnorm (V z) = eta t by field; lra.
Qed.

Theorem normalised_region speed : 0 < speed -> (forall z, inside z -> speed * vnorm (V z) <= dot (V z) u) ->
  etamax <= h -> (forall t, w t.+1 = (w t + eta t / vnorm (V (w t)) * V (w t))%V) ->
  invariant_region u inside w eta (LinearGrowth speed).
Proof.
move=> s0 along short run; split=> [| t || t Ht | t Ht] //=; first by case: (eta_range t).
  have [t0 th] := normalised_size t Ht; rewrite run; apply: (short_stays stay Ht t0); lra.
have n0 := short_moves stay Ht; have [e0 _] := eta_range t; have up := along _ Ht.
rewrite run (step_height u); apply: (Rmult_le_reg_r (vnorm (V (w t)))) => //.
set v := vnorm _ in n0 up *; set d := dot _ u in up *.
have -> : (height (w t) + eta t / v * d - height (w t)) * v = eta t * d by field; lra.
by rewrite Rmult_assoc; apply: Rmult_le_compat_l; lra.
Qed.

Theorem gradient_region gamma k longest : 0 < gamma -> 0 < k ->
  (forall z, inside z -> k * exp (- (gamma * height z)) <= dot (V z) u) ->
  (forall z, inside z -> vnorm (V z) <= longest) ->
  etamax * longest <= h -> (forall t, w t.+1 = (w t + eta t * V (w t))%V) ->
  invariant_region u inside w eta (LogarithmicGrowth gamma k).
Proof.
move=> g0 k0 along long short run; split=> [| t || t Ht | t Ht] //=; first by case: (eta_range t).
  have [e0 e1] := eta_range t; rewrite run; apply: (short_stays stay Ht e0); apply: Rle_trans short.
  by apply: Rmult_le_compat; [lra | exact: vnorm_ge0 | exact: e1 | exact: long].
have [e0 _] := eta_range t; rewrite run (step_height u).
by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ e0) (along _ Ht); lra.
Qed.

(* What keeps inside has short steps. *)
Lemma normalised_short : etamax <= h -> (forall t, w t.+1 = (w t + eta t / vnorm (V (w t)) * V (w t))%V) ->
  (forall t, inside (w t)) -> short_run V h w.
Proof.
move=> short run Hw; exists (fun t => eta t / vnorm (V (w t))) => t; have [t0 th] := normalised_size t (Hw t).
by split=> //; lra.
Qed.

Lemma gradient_short longest : (forall z, inside z -> vnorm (V z) <= longest) -> etamax * longest <= h ->
  (forall t, w t.+1 = (w t + eta t * V (w t))%V) -> (forall t, inside (w t)) -> short_run V h w.
Proof.
move=> long short run Hw; exists eta => t; have [e0 e1] := eta_range t; split=> //.
apply: Rle_trans short; apply: Rmult_le_compat; [lra | exact: vnorm_ge0 | exact: e1 | exact: long].
Qed.
End ShortSteps.
