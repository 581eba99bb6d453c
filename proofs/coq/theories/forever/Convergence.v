(* Convergence: what T12 and T12n say in the papers' words, without constants.

   Gradient descent with a step of at most 1/beta, from any point whose loss is below an explicit threshold, turns
   into the maximum-margin direction of the globally optimal selection; and far out along that direction the loss is
   below the threshold, so such points exist. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Smoothness Direction Reference Growth Saturation Claims
                           LockIn LockInNormalised.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* Cosine of the angle between two vectors. *)
Definition angle_cosine (J : finType) (w ws : vec J) : R := dot w ws / (vnorm w * vnorm ws).

Section Convergence.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (ws : vec (coord p)).
Notation others := (others alpha).
Hypothesis solution : max_margin alpha ws.
Hypothesis some_constraint : exists t, constraint alpha t.
Implicit Types (i : group p) (z : vec (coord p)).

Lemma angle_cosine_direction w : angle_cosine w ws = cosine (margin_direction ws) w.
Proof.
rewrite /angle_cosine /cosine /margin_direction dotZr /Rdiv.
have n0 := solution_norm_gt0 (proj1 solution) some_constraint.
case: (vnorm_ge0 w) => [w0|w0]; first by field; lra.
by rewrite -w0 Rmult_0_l Rinv_0 !Rmult_0_r.
Qed.

Let no_centre u : dot (vzero : vec (coord p)) u = 0 := dot0l u.

(* The solution as a reference; where the centre lies does not matter here. *)
Lemma solution_reference : exists o : reference (constraint alpha) (Delta alpha),
  reference_unit o = margin_direction ws /\ reference_margin o = margin_value ws.
Proof.
have [sep [lam Hl]] := proj1 (max_margin_kkt alpha ws) solution.
by exists (Reference (margin_direction_spec (proj1 solution) Hl some_constraint) (no_centre _)).
Qed.

(* second i bounds the scores of the other tokens; the outputs stay above the middle between it and the best score. *)
Record threshold := Threshold {
  threshold_second : group p -> R;
  threshold_slope_min : group p -> R;    (* |l'| between the middle and the best score *)
  threshold_slope_max : group p -> R
}.
Variable h : threshold.
Notation second := (threshold_second h).
Notation lmin := (threshold_slope_min h).
Notation lmax := (threshold_slope_max h).

Definition middle (second : group p -> R) i : R := (second i + score (alpha i)) / 2.
Definition middle_head : lock_head p := LockHead second (middle second) lmin lmax.

Record threshold_ranges : Prop := ThresholdRanges {
  threshold_second_le : forall i t, others i t -> score t <= second i;
  threshold_second_lt : forall i, second i < score (alpha i);
  threshold_slope_gt0 : forall i, 0 < lmin i;
  threshold_slope_range : forall i x, middle second i <= x <= score (alpha i) -> lmin i <= - dloss l x <= lmax i
}.
Hypothesis bounds : threshold_ranges.
Let second_lt := threshold_second_lt bounds.

(* The excess loss that no group may reach. *)
Definition below_threshold (second : group p -> R) z : Prop :=
  forall i, training_loss l z - least_loss alpha l <= weight i * (l (middle second i) - l (score (alpha i))).

Hypothesis defined : loss_defined p l.
Variable w : nat -> vec (coord p).
Hypothesis start : below_threshold second (w O).

Lemma middle_gt i : second i < middle second i.
Proof. by rewrite /middle; have := second_lt i; lra. Qed.

Lemma middle_le i : middle second i <= score (alpha i).
Proof. by rewrite /middle; have := second_lt i; lra. Qed.

Lemma middle_loss i :
  l (score (alpha i)) + (training_loss l (w O) - least_loss alpha l) / weight i <= l (middle second i).
Proof.
have w0 := weight_gt0 i; have H := start i.
suff : (training_loss l (w O) - least_loss alpha l) / weight i <= l (middle second i) - l (score (alpha i)) by lra.
apply: (Rmult_le_reg_l (weight i)) => //.
by have -> : weight i * ((training_loss l (w O) - least_loss alpha l) / weight i)
  = training_loss l (w O) - least_loss alpha l by field; lra.
Qed.

Lemma middle_ranges : lock_ranges alpha l (w O) middle_head.
Proof.
split; [exact: threshold_second_le bounds | exact: middle_gt | exact: middle_le | move=> i t _; exact: middle_loss |
  exact: threshold_slope_gt0 bounds | move=> i t v ti vr].
have st := threshold_second_le bounds ti; have mg := middle_gt i; have l0 := threshold_slope_gt0 bounds i.
have lr : lmin i <= - dloss l v <= lmax i := threshold_slope_range bounds vr.
by rewrite (gap_eq ti); move: vr => /= vr; apply: pull_range; lra.
Qed.

Theorem gradient_descent_converges least eta (r : smooth_bounds p) : smooth_ranges l r ->
  0 < eta -> eta * smooth_constant r <= 1 ->
  follows l least GradientSteps (fun=> eta) w -> is_lim_seq (fun n => angle_cosine (w n) ws) 1.
Proof.
move=> smooth e0 short run; have [o [E _]] := solution_reference.
have [_ lim] := T12 defined middle_ranges o erefl (fun=> conj e0 (Rle_refl eta)) smooth (fun=> short) run.
by apply: (is_lim_seq_ext _ _ _ _ (lim (total_const_limit e0))) => n; rewrite angle_cosine_direction E.
Qed.

Section Normalised.
Variables (bend : lock_bend) (cmin : R).
Notation phi := (bend_excess bend).
Notation Dm := (bend_diameter bend).
Hypothesis bends : bend_ranges alpha l middle_head bend.
Hypothesis cmin_gt0 : 0 < cmin.
Hypothesis cmin_le : forall t, constraint alpha t -> cmin * vnorm (Delta alpha t) * vnorm ws <= margin alpha ws t.

Theorem normalised_descent_converges least eta : 0 < eta ->
  eta * (Dm * Dm * (1 + phi)) * exp (Dm * (1 + phi) * eta) < 2 / vnorm ws ->
  follows l least NormalisedSteps (fun=> eta) w -> is_lim_seq (fun n => angle_cosine (w n) ws) 1.
Proof.
move=> e0 short run; have [o [E Eg]] := solution_reference.
have n0 := solution_norm_gt0 (proj1 solution) some_constraint.
have cm t : constraint alpha t -> cmin * vnorm (Delta alpha t) <= slope (Delta alpha) (reference_unit o) t.
  move=> ct; rewrite E /slope /margin_direction dotZr; have := cmin_le ct; rewrite /margin => H.
  have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (Rinv_0_lt_compat _ n0)) H.
  by have -> : / vnorm ws * (cmin * vnorm (Delta alpha t) * vnorm ws) = cmin * vnorm (Delta alpha t) by field; lra.
have sh : eta * (Dm * Dm * (1 + phi)) * exp (Dm * (1 + phi) * eta) < 2 * reference_margin o.
  by rewrite Eg /margin_value; apply: Rlt_le_trans short _; right.
have [_ lim] := T12n defined middle_ranges (bend_lines defined middle_ranges bends) erefl
  (fun=> conj e0 (Rle_refl eta)) (fun=> sh) cmin_gt0 cm (Rle_refl _) run.
by apply: (is_lim_seq_ext _ _ _ _ (lim (total_const_limit e0))) => n; rewrite angle_cosine_direction E.
Qed.
End Normalised.
End Convergence.

(* ---- points of low loss exist ---- *)

Section LowLoss.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (ws : vec (coord p)).
Hypothesis ws_separates : separates alpha ws.

(* Far out along a separating direction every output tends to the selected score. *)
Lemma is_lim_output i : is_lim (fun r => output (r * ws) i) p_infty (score (alpha i)).
Proof.
pose gaps := \sum_(t | others alpha i t) Rabs (gap alpha t) * copies alpha t.
apply: (is_lim_le_le_loc (fun r => score (alpha i) - gaps * exp (- r)) (fun r => score (alpha i) + gaps * exp (- r))).
- exists 0 => r r0; rewrite (output_selected alpha).
  suff /Rabs_le_between : Rabs (\sum_(t | others alpha i t) attention (r * ws) t * gap alpha t) <= gaps *
    exp (- r) by lra.
  apply: Rle_trans (sum_abs _ _ _) _; rewrite /gaps sum_mulr; apply: sum_le => t ti.
  rewrite Rabs_mult Rabs_pos_eq; last exact/Rlt_le/attention_gt0.
  rewrite Rmult_comm Rmult_assoc; apply: Rmult_le_compat_l; first exact: Rabs_pos.
  apply: Rle_trans (attention_le_exp _ ti) _.
  apply: Rmult_le_compat_l; first exact/Rlt_le/copies_gt0.
  apply: exp_le.
  rewrite /margin dotZr; have := ws_separates (proj1 (andP ti)); rewrite /margin => m1.
  by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ r0) m1; lra.
all: have E : is_lim (fun r => exp (- r)) p_infty 0 by
  (apply: (is_lim_comp exp (fun r => - r) p_infty 0 m_infty is_lim_exp_m);
    [exact: (is_lim_opp (fun r => r) p_infty p_infty (is_lim_id _)) | by exists 0]).
- have -> : Finite (score (alpha i)) = Finite (score (alpha i) - gaps * 0) by congr Finite; ring.
  apply: is_lim_minus'; first exact: is_lim_const.
  exact: (is_lim_scal_l _ gaps p_infty 0 E).
have -> : Finite (score (alpha i)) = Finite (score (alpha i) + gaps * 0) by congr Finite; ring.
apply: is_lim_plus'; first exact: is_lim_const.
exact: (is_lim_scal_l _ gaps p_infty 0 E).
Qed.

Lemma is_lim_sum (I : Type) (r : seq I) (f : I -> R -> R) (c : I -> R) :
  (forall i, is_lim (f i) p_infty (c i)) -> is_lim (fun x => \sum_(i <- r) f i x) p_infty (\sum_(i <- r) c i).
Proof.
move=> H; elim: r => [|i r IH].
  by rewrite big_nil; apply: is_lim_ext (is_lim_const 0 p_infty) => x; rewrite big_nil.
rewrite big_cons; apply: is_lim_ext (is_lim_plus' _ _ _ _ _ (H i) IH) => x; by rewrite big_cons.
Qed.

Hypothesis selected_defined : forall i, loss_domain l (score (alpha i)).

Theorem loss_tends_to_optimal : is_lim (fun r => training_loss l (r * ws)) p_infty (least_loss alpha l).
Proof.
apply: is_lim_sum => i.
have -> : Finite (weight i * l (score (alpha i))) = Rbar_mult (weight i) (l (score (alpha i))) by [].
apply: is_lim_scal_l; apply: (is_lim_comp_continuous (fun r => output (r * ws) i) l); first exact: is_lim_output.
by apply: ex_derive_continuous; exists (dloss l (score (alpha i))); exact: is_derive_loss (selected_defined i).
Qed.

(* So every point far enough out on the ray is below T12's threshold. *)
Theorem threshold_reached (second : group p -> R) : (forall i, second i < score (alpha i)) ->
  (forall i, loss_domain l (middle alpha second i)) ->
  exists R0, forall r, R0 < r -> below_threshold alpha l second (r * ws)%V.
Proof.
move=> Hs inside; pose room i := weight i * (l (middle alpha second i) - l (score (alpha i))).
have room0 i : 0 < room i.
  apply: Rmult_lt_0_compat; first exact: weight_gt0.
  have : l (score (alpha i)) < l (middle alpha second i); last lra.
  by apply: (loss_decreasing (inside i)); rewrite /middle; have := Hs i; lra.
have [i0|none] := pickP (fun _ : group p => true); last by exists 0 => r _ i; have := none i.
move=> _; have [j _ Hj] := finite_least room (P := predT) (i0 := i0) erefl.
have := loss_tends_to_optimal; move/is_lim_spec => /(_ (mkposreal _ (room0 j))) [R0 H].
exists R0 => r /H /=; have := Hj => Hj' /Rabs_def2 [h _] i.
by have := Hj' i erefl; rewrite -/(room i); lra.
Qed.
End LowLoss.
