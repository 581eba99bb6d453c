(* LockIn: T12, lock-in by loss for gradient descent.

   A loss that is already low confines every output above the second best score of its group, and a run that never
   increases the loss keeps it there.  So the weights of all constraints stay positive and bounded, and T7-T9 hold
   forever; no condition on the margins at the starting point is needed. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Smoothness Direction Reference Gibbs Progress Path Growth
                           Inside Region Saturation FactorRange LossDescent.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma loss_decreasing (l : loss) x y : loss_domain l x -> x < y -> l y < l x.
Proof.
move=> dx xy; have within z : Rmin x y <= z -> is_derive l z (dloss l z).
  by rewrite Rmin_left; [move=> xz; apply/is_derive_loss/(loss_domain_le dx) | lra].
have [| |z [_ E]] := MVT_gen l x y (dloss l).
- by move=> z [xz _]; apply: within; lra.
- by move=> z [xz _]; apply/continuity_pt_filterlim/ex_derive_continuous; exists (dloss l z); exact: within.
by have := dloss_lt0 l z; nra.
Qed.

Lemma loss_decreasing_le (l : loss) x y : loss_domain l x -> x <= y -> l y <= l x.
Proof. by move=> dx [/(loss_decreasing dx)|->]; lra. Qed.

(* ---- what T6's constant is made of ---- *)

Section Smooth.
Variables (p : selection_problem) (l : loss).

Record smooth_bounds := SmoothBounds {
  smooth_low : group p -> R;        (* the scores of a group are between low and high *)
  smooth_high : group p -> R;
  smooth_diameter : group p -> R;   (* its features are at most this far apart *)
  smooth_slope : group p -> R;      (* bounds |l'| on that range *)
  smooth_curvature : group p -> R   (* and the Lipschitz constant of l' *)
}.

Variable r : smooth_bounds.
Notation lo := (smooth_low r).
Notation hi := (smooth_high r).

Record smooth_ranges : Prop := SmoothRanges {
  smooth_score_range : forall t : token p, lo (group_of t) <= score t <= hi (group_of t);
  smooth_diameter_le : forall t s : token p, group_of t = group_of s ->
    vnorm (feature t - feature s) <= smooth_diameter r (group_of t);
  smooth_slope_le : forall i x, lo i <= x <= hi i -> Rabs (dloss l x) <= smooth_slope r i;
  smooth_slope_lipschitz : forall i x y, lo i <= x <= hi i -> lo i <= y <= hi i ->
    Rabs (dloss l x - dloss l y) <= smooth_curvature r i * Rabs (x - y);
  smooth_curvature_ge0 : forall i, 0 <= smooth_curvature r i
}.

Definition smooth_constant : R := smoothness lo hi (smooth_diameter r) (smooth_slope r) (smooth_curvature r).
End Smooth.

Section LockIn.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation gap := (gap alpha).
Notation copies := (copies alpha).
Implicit Types (z : vec (coord p)) (i : group p).

Record lock_head := LockHead {
  lock_second : group p -> R;      (* bounds the scores of a group's other tokens *)
  lock_floor : group p -> R;       (* what the outputs stay above *)
  lock_slope_min : group p -> R;   (* |l'| over the outputs that remain possible, *)
  lock_slope_max : group p -> R    (* or what bounds the pull as it would *)
}.

Variables (w0 : vec (coord p)) (head : lock_head).
Notation second := (lock_second head).
Notation floor := (lock_floor head).
Notation lmin := (lock_slope_min head).
Notation lmax := (lock_slope_max head).

Record lock_ranges : Prop := LockRanges {
  lock_second_le : forall i t, others i t -> score t <= second i;
  lock_second_lt : forall i, second i < floor i;
  lock_floor_le : forall i, floor i <= score (alpha i);
  (* The floor's loss exceeds the best one by the whole excess loss of the start. Groups of one token have no such
     condition. *)
  lock_floor_loss : forall i t, others i t ->
    l (score (alpha i)) + (training_loss l w0 - least_loss alpha l) / weight i <= l (floor i);
  lock_slope_gt0 : forall i, 0 < lmin i;
  lock_pull_range : forall i t v, others i t -> floor i <= v <= score (alpha i) ->
    lmin i * (floor i - score t) <= score_pull l t v <= lmax i * gap t
}.

Definition attention_floor i : R := (floor i - second i) / (score (alpha i) - second i).
Definition lock_blo t : R :=
  copies t * (weight (group_of t) * lmin (group_of t) * attention_floor (group_of t) * (floor (group_of t) - score t)).
Definition lock_bhi t : R := copies t * (weight (group_of t) * lmax (group_of t) * gap t).

Hypothesis defined : loss_defined p l.
Hypothesis ranges : lock_ranges.
Let second_le := lock_second_le ranges.
Let second_lt := lock_second_lt ranges.
Let floor_le := lock_floor_le ranges.
Let floor_loss := lock_floor_loss ranges.
Let lmin_gt0 := lock_slope_gt0 ranges.
Let pulls := lock_pull_range ranges.

Lemma lock_gap i t : others i t -> 0 < score (alpha i) - second i <= gap t.
Proof.
move=> ti; rewrite (gap_eq ti); have := second_le ti; have := second_lt i; have := floor_le i; lra.
Qed.

Lemma output_le_best z i : output z i <= score (alpha i).
Proof.
rewrite (output_selected alpha); suff : 0 <= \sum_(t | others i t) attention z t * gap t by lra.
apply: sum_ge0 => t ti; have := lock_gap ti => g.
by apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | lra].
Qed.

(* The loss of every point is above the infimum. *)
Lemma least_loss_lower z : least_loss alpha l <= training_loss l z.
Proof.
apply: sum_le => i _; apply: Rmult_le_compat_l; first exact/Rlt_le/weight_gt0.
exact: loss_decreasing_le (defined _ _) (output_le_best _ _).
Qed.

(* One group cannot pay more than the whole excess loss. *)
Lemma group_excess z i :
  weight i * (l (output z i) - l (score (alpha i))) <= training_loss l z - least_loss alpha l.
Proof.
rewrite /training_loss /least_loss -sumB.
rewrite (eq_bigr (fun j => weight j * (l (output z j) - l (score (alpha j))))) => [|j _]; last by ring.
apply: (sum_term_le (F := fun j => weight j * (l (output z j) - l (score (alpha j))))) => // j _.
apply: Rmult_le_pos; first exact/Rlt_le/weight_gt0.
by have := loss_decreasing_le (defined z j) (output_le_best z j); lra.
Qed.

Section Sublevel.
Variable z : vec (coord p).
Hypothesis low_loss : training_loss l z <= training_loss l w0.

Lemma lock_output i : floor i <= output z i <= score (alpha i).
Proof.
split; last exact: output_le_best.
have [t ti | alone] := pickP (others i); last first.
  by rewrite (output_selected alpha) big_pred0 // Rminus_0_r; exact: floor_le.
apply: Rnot_lt_le => /(loss_decreasing (defined z i)) H.
have w0' := weight_gt0 i; have := group_excess z i; have := floor_loss ti.
have : weight i * ((training_loss l w0 - least_loss alpha l) / weight i) = training_loss l w0 -
  least_loss alpha l by field; lra.
set e := _ / weight i => E F X.
have : weight i * e < weight i * (l (output z i) - l (score (alpha i))) by apply: Rmult_lt_compat_l; lra.
lra.
Qed.

Lemma attention_floor_gt0 i t : others i t -> 0 < attention_floor i.
Proof.
move/lock_gap=> [g _]; apply: Rdiv_lt_0_compat => //; have := second_lt i; lra.
Qed.

Lemma lock_attention i t : others i t -> attention_floor i <= attention z (alpha i).
Proof.
move=> /lock_gap[g _]; have [f _] := lock_output i.
have := output_selected alpha z i.
have : (\sum_(s | others i s) attention z s) * (score (alpha i) - second i) <=
    \sum_(s | others i s) attention z s * gap s.
  rewrite sum_mulr; apply: sum_le => s /lock_gap[_ gs].
  by apply: Rmult_le_compat_l => //; exact/Rlt_le/attention_gt0.
rewrite -attention_deficit_sum => H O.
apply: (Rmult_le_reg_r (score (alpha i) - second i)) => //.
rewrite /attention_floor /Rdiv Rmult_assoc Rinv_l; lra.
Qed.

Lemma lock_factors t : Q t -> lock_blo t <= bare_weight alpha l z t <= lock_bhi t.
Proof.
move=> /others_self ti; have [o1 o2] := lock_output (group_of t); have := gap_eq ti.
have := second_le ti; have := second_lt (group_of t) => s1 s2 g.
apply: (bare_weight_range ti); try lra; first exact/Rlt_le/lmin_gt0.
- exact/Rlt_le/(attention_floor_gt0 ti).
- exact: pulls.
exact: lock_attention ti.
Qed.
End Sublevel.

Lemma lock_blo_gt0 t : Q t -> 0 < lock_blo t.
Proof.
move=> /others_self ti; have := second_le ti; have := second_lt (group_of t) => s1 s2.
apply: Rmult_lt_0_compat; first exact: copies_gt0.
apply: Rmult_lt_0_compat; last by lra.
apply: Rmult_lt_0_compat; last exact (attention_floor_gt0 ti).
by apply: Rmult_lt_0_compat; [exact: weight_gt0 | exact: lmin_gt0].
Qed.

Lemma lock_blo_bhi t : Q t -> lock_blo t <= lock_bhi t.
Proof. by move=> ct; have := lock_factors (Rle_refl _) ct; lra. Qed.

(* ---- the run ---- *)

Variable o : reference Q (Delta alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation centre_orth := (reference_orthogonal o).
Notation height := (height u).
Notation residual := (residual u centre).
Notation y0 := (height w0).
Notation K := (log_floor Q mu lock_blo).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu lock_bhi lock_blo y0).

Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax : R).
Hypothesis start : w O = w0.
Hypothesis eta_range : forall t, 0 < eta t <= etamax.

(* Everything that a low loss implies at one point. *)
Record locked z : Prop := Locked {
  locked_loss : training_loss l z <= training_loss l w0;
  locked_output : forall i, floor i <= output z i <= score (alpha i);
  locked_attention : forall t, Q t -> attention_floor (group_of t) <= attention z (alpha (group_of t));
  locked_factors : forall t, Q t -> lock_blo t <= bare_weight alpha l z t <= lock_bhi t
}.

Lemma locked_sublevel z : training_loss l z <= training_loss l w0 -> locked z.
Proof.
move=> Hz; split=> //; first exact: lock_output.
- by move=> t /others_self ti; exact: lock_attention ti.
exact: lock_factors.
Qed.

Section Descent.
(* The descent lemma of T6, for steps of length at most 1/beta. *)
Hypothesis descent : forall t,
  training_loss l (w t.+1) <= training_loss l (w t) - eta t / 2 * vnorm2 (gradient l (w t)).
Variable least : R.
Hypothesis run : follows l least GradientSteps eta w.

Let factors z : training_loss l z <= training_loss l (w O) -> forall t, Q t ->
  lock_blo t <= bare_weight alpha l z t <= lock_bhi t.
Proof. by rewrite start; exact: lock_factors. Qed.

Let ascents := gradient_steps_ascent alpha run.

Let descends t : training_loss l (w t.+1) <= training_loss l (w t) -
  eta t / 2 * vnorm2 (field_of Q (Delta alpha) (bare_weight alpha l) (w t)).
Proof. by rewrite /field_of gradient_ascent vnorm2N; exact: descent. Qed.

Lemma lock_sublevel t : training_loss l (w t) <= training_loss l w0.
Proof. by rewrite -start; exact (loss_low eta_range descends t). Qed.

Theorem lock_path t :
  vnorm2 (residual (w t)) <= vnorm2 (residual w0) + 2 * G / gamma * (height (w t) - y0)
    + 2 * etamax * (training_loss l w0 - training_loss l (w t)).
Proof. by have := loss_path o lock_blo_gt0 factors eta_range descends ascents t; rewrite start. Qed.

(* The same bound without the current loss. *)
Definition lock_bound z : R :=
  sqrt (vnorm2 (residual w0) + 2 * G / gamma * (height z - y0) + 2 * etamax *
    (training_loss l w0 - least_loss alpha l)).

(* What holds at every later point. *)
Record lock_forever (z : vec (coord p)) : Prop := LockForever {
  lock_forever_locked : locked z;
  lock_forever_residual : vnorm (residual z) <= lock_bound z;
  lock_forever_angle : 0 < height z ->
    1 - cosine u z <= (vnorm centre + lock_bound z) * (vnorm centre + lock_bound z) / (2 * (height z * height z))
}.

Theorem descent_T12 :
  (forall t, lock_forever (w t) /\
     / gamma * ln (exp (gamma * y0) + gamma * (gamma * exp K) * total eta t) <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
have := loss_descent o lock_blo_gt0 factors (fun z _ => least_loss_lower z) eta_range descends ascents.
rewrite /loss_bound start; case=> H lim; split=> // t; have [low path grows angle] := H t.
by split=> //; split=> //; exact: locked_sublevel.
Qed.
End Descent.

(* T12: gradient descent with steps of length at most 1/beta, beta the smoothness constant of T6. *)
Theorem T12 least (r : smooth_bounds p) : smooth_ranges l r -> (forall n, eta n * smooth_constant r <= 1) ->
  follows l least GradientSteps eta w ->
  (forall n, lock_forever (w n) /\
     / gamma * ln (exp (gamma * y0) + gamma * (gamma * exp K) * total eta n) <= height (w n)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine u (w n)) 1).
Proof.
case=> score_range diameter loss_slope loss_slope_lipschitz M0_ge0 short run.
apply: (descent_T12 _ run) => n; rewrite (gradient_steps run).
exact (descent_step alpha score_range diameter loss_slope loss_slope_lipschitz M0_ge0 defined (w n)
  (Rlt_le _ _ (proj1 (eta_range n))) (short n)).
Qed.
End LockIn.
