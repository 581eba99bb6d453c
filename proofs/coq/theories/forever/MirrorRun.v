(* MirrorRun: T17 for the two rules of mirror descent, tau = eta and tau = eta/||V||_q: heights and the limit of the
   direction with its rate, for any factors in range; margins and attention for ever, for softmax attention. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Duality EntrywiseDuality DualNorm PowerInequalities
                           UniformConvexity Direction Gibbs Iteration Progress Growth Inside Saturation FactorRange
                           LocalRanges Mirror MirrorRay MirrorMoves MirrorAngle MirrorRegion.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Rules.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (p q : R) (u v : vec J) (gamma : R) (mu : C -> R).
Variables (b : vec J -> C -> R) (f : factor_bounds C) (low : C -> R) (k : mirror_bounds C).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (dir : mirror_direction Q Delta p u gamma mu).
Notation P := (factor_kept f).
Notation K := (log_floor Q mu (factor_low f)).
Notation rho := (mirror_ratio k).
Notation G := (mirror_far_slope k).
Notation V := (mirror_field Q Delta q b).
Notation inside := (in_mirror_region p q u v k).
Notation near := (near_ray p q u v k).
Notation conditions := (mirror_conditions Q Delta p q u v gamma mu b f low k).

(* The steps that the rules may take. *)
Definition normalised_fits (etamax : R) (tau : R) (z : vec J) : Prop := 0 < tau /\ tau * lp_norm q (V z) <= etamax.
Definition gradient_fits (etamax : R) (tau : R) (z : vec J) : Prop := 0 < tau <= etamax.

Variables (z : nat -> vec J) (eta : nat -> R) (etamax : R).
Hypotheses (range : factor_range Q Delta b low f) (eta_range : forall t, 0 < eta t <= etamax).
Let sizes t : 0 < eta t := proj1 (eta_range t).

Section FieldNorm.
Hypothesis shape : mirror_shape Q Delta p q u v gamma mu f low k.
Variable D : R.
Hypothesis norm_le : forall c, Q c -> lp_norm q (Delta c) <= D.

Lemma mirror_field_norm y x : near y x -> lp_norm q (V x) <= mirror_total Delta q b f x * (D * (1 + rho y)).
Proof.
move=> at_y; apply: Rle_trans (lp_norm_combine p1 conj _ _ _) _.
rewrite (sum_split (factor_kept_constraint range)).
have out := mirror_outside dir range shape at_y.
have inP : \sum_(c | P c) Rabs (gibbs_weight Delta (b (mirror q x)) (mirror q x) c) * lp_norm q (Delta c) <=
    mirror_total Delta q b f x * D.
  rewrite /mirror_total sum_mulr; apply: sum_le => c Pc; have w0 := mirror_weight_gt0 range shape at_y Pc.
  rewrite Rabs_pos_eq; last by lra.
  by apply: Rmult_le_compat_l; [lra | exact: norm_le (factor_kept_constraint range Pc)].
have [c0 /activeP[Qc0 _]] := balanced_active_exists (mirror_balanced dir).
have D0 : 0 <= D := Rle_trans _ _ _ (lp_norm_ge0 _ _) (norm_le Qc0).
have outP : \sum_(c | Q c && ~~ P c) Rabs (gibbs_weight Delta (b (mirror q x)) (mirror q x) c) * lp_norm q (Delta c)
    <= rho y * mirror_total Delta q b f x * D.
  apply: Rle_trans (Rmult_le_compat_r _ _ _ D0 out); rewrite sum_mulr; apply: sum_le => c /andP[Qc _].
  by apply: Rmult_le_compat_l; [exact: Rabs_pos | exact: norm_le].
lra.
Qed.

(* Normalised steps are as high as they are long. *)
Lemma normalised_rise tau x : normalised_fits etamax tau x -> 0 < tau /\ tau * dot (V x) u <= etamax.
Proof.
move=> [t0 len]; split=> //; apply: Rle_trans len; apply: Rmult_le_compat_l; first by lra.
exact: height_le_norm p1 conj (mirror_unit dir) _.
Qed.

(* R(y) of a normalised step, where its curvature is at most a multiple of its length. *)
Let step_norm tau x : 0 < tau -> lp_norm q (tau * V x)%V = tau * lp_norm q (V x).
Proof. by move=> t0; rewrite lp_norm_scale ?Rabs_pos_eq; have := conjugate_gt1 p1 conj; lra. Qed.

Lemma normalised_cost_of c y x tau : 0 <= c -> near y x -> 0 < tau ->
  dual_divergence q (mirror q x) x (x + tau * V x)%V <= c * lp_norm q (tau * V x)%V ->
  dual_divergence q (mirror q x) x (x + tau * V x)%V <= tau * mirror_total Delta q b f x *
    (c * (D * (1 + rho y)) + mirror_entropy Q Delta q mu b f x).
Proof.
move=> c0 at_y t0 le; apply: Rle_trans le _; rewrite step_norm //.
have tc : 0 <= c * tau by apply: Rmult_le_pos; lra.
have Om0 := mirror_total_positive dir range shape at_y; have H0 := mirror_entropy_ge0 dir range shape at_y.
have := Rmult_le_compat_l _ _ _ tc (mirror_field_norm at_y).
have tOm : 0 <= tau * mirror_total Delta q b f x by apply: Rmult_le_pos; lra.
by have := Rmult_le_pos _ _ tOm H0; lra.
Qed.

Theorem normalised_cost_above_two y x tau : 2 <= p -> near y x -> normalised_fits etamax tau x ->
  dual_divergence q (mirror q x) x (x + tau * V x)%V <= tau * mirror_total Delta q b f x *
    (abs_power 2 (2 - q) / q * abs_power etamax (q - 1) * (D * (1 + rho y)) + mirror_entropy Q Delta q mu b f x).
Proof.
move=> p2 at_y [t0 len]; have q1 := conjugate_gt1 p1 conj.
have q2 : q <= 2 by have := conjugate_powers p1 conj; nra.
apply: normalised_cost_of => //; last by apply: (curvature_short p1 conj x q2); rewrite step_norm.
apply: Rmult_le_pos; last exact: abs_power_ge0.
by apply: Rmult_le_pos; [exact: abs_power_ge0 | apply/Rlt_le/Rinv_0_lt_compat; lra].
Qed.

(* N bounds ||Z||_q. *)
Theorem normalised_cost_below_two N y x tau : p <= 2 -> near y x -> normalised_fits etamax tau x -> lp_norm q x <= N ->
  dual_divergence q (mirror q x) x (x + tau * V x)%V <= tau * mirror_total Delta q b f x *
    ((q - 1) / 2 * (abs_power (N + etamax) (q - 2) * etamax) * (D * (1 + rho y)) + mirror_entropy Q Delta q mu b f x).
Proof.
move=> p2 at_y [t0 len] xN; have q1 := conjugate_gt1 p1 conj; have x0 := lp_norm_ge0 q x.
have q2 : 2 <= q by have := conjugate_powers p1 conj; nra.
have e0 : 0 <= etamax by apply: Rle_trans len; apply: Rmult_le_pos (lp_norm_ge0 _ _); lra.
have P0 := abs_power_ge0 (N + etamax) (q - 2).
apply: normalised_cost_of => //; first by apply: Rmult_le_pos; [lra | exact: Rmult_le_pos].
have nE := step_norm x t0; have n0 := lp_norm_ge0 q (tau * V x)%V; rewrite -nE in len.
have moving : 0 < lp_norm q (tau * V x)%V.
  rewrite nE; apply: Rmult_lt_0_compat => //; apply: Rlt_le_trans (height_le_norm p1 conj (mirror_unit dir) _).
  apply: Rlt_le_trans (mirror_ascent_height dir range shape at_y); have [y_ge _ _] := at_y.
  apply: Rmult_lt_0_compat; first exact: (mirror_total_positive dir range shape at_y).
  by have := mirror_ratio_lt shape y_ge; lra.
apply: Rle_trans (curvature_norm p1 conj x q2 moving) _; rewrite (Rmult_assoc (_ / 2)).
apply: Rmult_le_compat_l; first by lra.
rewrite Rmult_assoc; apply: Rmult_le_compat => //;
  [exact: abs_power_ge0 | by apply: Rmult_le_pos | by apply: abs_power_le; lra |].
exact: Rmult_le_compat_r.
Qed.
End FieldNorm.

Section Normalised.
Hypothesis cond : conditions (normalised_fits etamax) (z O).
Variables (D speed : R).
Hypotheses (norm_le : forall c, Q c -> lp_norm q (Delta c) <= D) (speed0 : 0 < speed).
Hypothesis speed_le : forall y, mirror_first k <= y -> speed * (D * (1 + rho y)) <= gamma - rho y * G.

Lemma mirror_field_norm_gt0 x : inside x -> 0 < lp_norm q (V x).
Proof.
move=> [y at_y]; apply: Rlt_le_trans (height_le_norm p1 conj (mirror_unit dir) _).
apply: Rlt_le_trans (mirror_ascent_height dir range cond at_y); have [y_ge _ _] := at_y.
apply: Rmult_lt_0_compat; first exact: (mirror_total_positive dir range cond at_y).
by have := mirror_ratio_lt cond y_ge; lra.
Qed.

Hypothesis run : forall t, z t.+1 = (z t + eta t / lp_norm q (V (z t)) * V (z t))%V.

Theorem mirror_normalised_region : invariant_region u inside z eta (LinearGrowth speed).
Proof.
apply: (mirror_region p1 conj dir range cond (tau := fun t => eta t / lp_norm q (V (z t)))) => // [t Hz | t y at_y].
  have n0 := mirror_field_norm_gt0 Hz; have [e0 e1] := eta_range t; split; first exact: Rdiv_lt_0_compat.
  by have -> : eta t / lp_norm q (V (z t)) * lp_norm q (V (z t)) = eta t by field; lra.
have n0 : 0 < lp_norm q (V (z t)) by apply: mirror_field_norm_gt0; exists y.
have Om0 := mirror_total_positive dir range cond at_y; have [y_ge _ _] := at_y.
have up := Rmult_le_compat_l _ _ _ (Rlt_le _ _ Om0) (speed_le y_ge).
have len := Rmult_le_compat_l _ _ _ (Rlt_le _ _ speed0) (mirror_field_norm cond norm_le at_y).
rewrite /= /Rdiv !Rmult_assoc; apply: Rmult_le_compat_l; first exact/Rlt_le/sizes.
apply: (Rmult_le_reg_l (lp_norm q (V (z t)))) => //; rewrite -!Rmult_assoc Rinv_r ?Rmult_1_l; last by lra.
lra.
Qed.
End Normalised.

Section Gradient.
Hypothesis cond : conditions (gradient_fits etamax) (z O).
Variable gain : R -> R.
Hypotheses (gain0 : forall h, 0 < gain h) (gain_falls : forall h h', h <= h' -> gain h' <= gain h).
Hypothesis gain_le : forall y, mirror_first k <= y ->
  gain (ray_height p u v y) <= (gamma - rho y * G) * exp (K - gamma * (y + mirror_bend k y)).
Hypothesis run : forall t, z t.+1 = (z t + eta t * V (z t))%V.

Theorem mirror_gradient_region : invariant_region u inside z eta (FallingGrowth gain).
Proof.
apply: (mirror_region p1 conj dir range cond (tau := eta)) => // [t _ | t y at_y]; first exact: eta_range.
have [y_ge hy _] := at_y; have e0 := sizes t; have := mirror_total_lower dir range cond at_y => Om.
rewrite /= Rmult_assoc; apply: Rmult_le_compat_l; first by lra.
rewrite -hy; apply: Rle_trans (gain_le y_ge) _; rewrite Rmult_comm; apply: Rmult_le_compat_r => //.
by have := mirror_ratio_lt cond y_ge; lra.
Qed.
End Gradient.

(* ---- the direction ---- *)

Lemma mirror_rate y x : near y x -> 0 < dot x u ->
  mirror_defect p q u (mirror q x) <=
  (2 * mirror_allowance k (dot x u) + centre_cost p q u v y) / abs_power (dot x u) q.
Proof.
move=> [_ _ gap_le] h0; have q1 := conjugate_gt1 p1 conj; have conj' : / q + / p = 1 by lra.
rewrite /mirror_defect (mirror_inverse q1 conj'); apply: Rle_trans (mirror_angle v p1 conj (mirror_unit dir) y h0) _.
apply: Rmult_le_compat_r; last by lra.
by apply/Rlt_le/Rinv_0_lt_compat/abs_power_gt0; lra.
Qed.

(* cost bounds what the centre costs, by height. *)
Theorem mirror_direction_limit (cost : R -> R) : (forall t, inside (z t)) -> 0 < dot (z O) u ->
  (forall t, dot (z O) u <= dot (z t) u) -> is_lim_seq (fun t => dot (z t) u) p_infty ->
  (forall y, mirror_first k <= y -> centre_cost p q u v y <= cost (ray_height p u v y)) ->
  is_lim (fun h => (2 * mirror_allowance k h + cost h) / abs_power h q) p_infty 0 ->
  forall j, is_lim_seq (fun t => unit_of p (mirror q (z t)) j) (u j).
Proof.
move=> Hin start up high cost_le vanish; have q1 := conjugate_gt1 p1 conj; have conj' : / q + / p = 1 by lra.
have h0 t : 0 < dot (z t) u by have := up t; lra.
apply: (unit_of_limit p1 conj (mirror_unit dir)) => [t|]; first by rewrite (mirror_inverse q1 conj').
have up' := @is_lim_comp_seq _ _ _ _ vanish _ high; apply: (is_lim_seq_le_le (fun=> 0) _ _ 0 _ _ (up' _)).
- move=> t; have [y at_y] := Hin t; have [y_ge hy _] := at_y; split.
    apply: (defect_ge0 p1 conj (mirror_unit dir)); apply: (ahead_norm_gt0 p1 conj (mirror_unit dir)).
    by rewrite (mirror_inverse q1 conj').
  apply: Rle_trans (mirror_rate at_y (h0 t)) _; apply: Rmult_le_compat_r.
    by apply/Rlt_le/Rinv_0_lt_compat/abs_power_gt0; have := h0 t; lra.
  by have := cost_le _ y_ge; rewrite hy; lra.
- exact: is_lim_seq_const.
by exists O.
Qed.
End Rules.

(* ---- softmax attention ---- *)

Section Training.
Variables (s : selection_problem) (alpha : selection s) (l : loss).
Notation Q := (constraint alpha).
Variables (f : factor_bounds (token s)) (eps : group s -> R).
Variables (p q : R) (u v : vec (coord s)) (gamma : R) (mu low : token s -> R) (k : mirror_bounds (token s)).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (dir : mirror_direction Q (Delta alpha) p u gamma mu).
Notation b := (bare_weight alpha l).
Hypothesis range : factor_range Q (Delta alpha) b low f.
Hypothesis kept : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.
Notation near := (near_ray p q u v k).
Notation inside := (in_mirror_region p q u v k).
Notation conditions := (mirror_conditions Q (Delta alpha) p q u v gamma mu b f low k).
Let q1 : 1 < q := conjugate_gt1 p1 conj.

(* What holds at every later point w. *)
Record mirror_forever (w : vec (coord s)) : Prop := MirrorForever {
  forever_near : inside (mirror p w);
  mirror_forever_margin : forall t, Q t -> low t <= margin alpha w t;
  mirror_forever_attention : forall i, 1 - attention w (alpha i) <= eps i
}.

Lemma mirror_field_gradient w : mirror_field Q (Delta alpha) q b (mirror p w) = (- gradient l w)%V.
Proof. by rewrite /mirror_field (mirror_inverse p1 conj) -(gradient_ascent alpha). Qed.

Section Fits.
Variables (fits : R -> vec (coord s) -> Prop) (z0 : vec (coord s)).
Hypothesis cond : conditions fits z0.

Lemma inside_forever w : inside (mirror p w) -> mirror_forever w.
Proof.
move=> at_w; have above : forall t, Q t -> low t <= margin alpha w t.
  have [y at_y] := at_w; have := mirror_above cond at_y; rewrite (mirror_inverse p1 conj); exact.
by split=> //; exact (attention_range kept above).
Qed.
End Fits.

Variables (w : nat -> vec (coord s)) (eta : nat -> R) (etamax : R).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Notation heights := (fun t => dot (mirror p (w t)) u).

Lemma mirror_follows g : invariant_region u inside (fun t => mirror p (w t)) eta g ->
  (forall w', inside (mirror p w') -> mirror_forever w') ->
  (forall t, [/\ mirror_forever (w t), law_reaches g (heights O) (total eta t) (heights t) &
     eta t * law_gain g (heights t) <= heights t.+1 - heights t]) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq heights p_infty).
Proof.
move=> stays ever; split; last exact (inside_diverges stays).
move=> t; split; [apply: ever; exact (stays_inside stays t) | exact (inside_grows stays t) |].
exact (region_rise stays (stays_inside stays t)).
Qed.

(* tau = eta / ||grad L||_q *)
Theorem T17_normalised D speed :
  conditions (normalised_fits Q (Delta alpha) q b etamax) (mirror p (w O)) ->
  (forall c, Q c -> lp_norm q (Delta alpha c) <= D) -> 0 < speed ->
  (forall y, mirror_first k <= y ->
     speed * (D * (1 + mirror_ratio k y)) <= gamma - mirror_ratio k y * mirror_far_slope k) ->
  (forall t, mirror p (w t.+1) = (mirror p (w t) - eta t / lp_norm q (gradient l (w t)) * gradient l (w t))%V) ->
  (forall t, [/\ mirror_forever (w t), heights O + speed * total eta t <= heights t &
     eta t * speed <= heights t.+1 - heights t]) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq heights p_infty).
Proof.
move=> cond norm_le speed0 speed_le run; apply: (mirror_follows (g := LinearGrowth speed)) (inside_forever cond).
apply: (mirror_normalised_region p1 conj dir range eta_range cond norm_le speed0 speed_le) => t.
rewrite run mirror_field_gradient; have -> : (- gradient l (w t))%V = (- 1 * gradient l (w t))%V by vec_ring.
by rewrite lp_norm_scale ?Rabs_Ropp ?Rabs_R1 ?Rmult_1_l; [vec_ring | lra].
Qed.

(* tau = eta *)
Theorem T17_gradient gain :
  conditions (gradient_fits etamax) (mirror p (w O)) ->
  (forall x, 0 < gain x) -> (forall x x', x <= x' -> gain x' <= gain x) ->
  (forall y, mirror_first k <= y -> gain (ray_height p u v y) <=
     (gamma - mirror_ratio k y * mirror_far_slope k) *
     exp (log_floor Q mu (factor_low f) - gamma * (y + mirror_bend k y))) ->
  (forall t, mirror p (w t.+1) = (mirror p (w t) - eta t * gradient l (w t))%V) ->
  (forall t, [/\ mirror_forever (w t), heights O + gain (heights t) * total eta t <= heights t &
     eta t * gain (heights t) <= heights t.+1 - heights t]) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq heights p_infty).
Proof.
move=> cond gain0 falls gain_le run; apply: (mirror_follows (g := FallingGrowth gain)) (inside_forever cond).
apply: (mirror_gradient_region p1 conj dir range eta_range cond gain0 falls gain_le) => t.
by rewrite run mirror_field_gradient; vec_ring.
Qed.
End Training.
