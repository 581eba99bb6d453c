(* MirrorLimit: what T17 says of all later steps of mirror descent where the allowed gap, and what the ray's offset
   costs,
   are at most multiples of the height's power of order r < q: the margins, the attention, the growth of the height, the
   angle's rate height^(r - q), the limit of the direction and that attention selects in the limit. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Duality EntrywiseDuality DualNorm PowerInequalities
                           UniformConvexity Direction Gibbs Iteration Growth Saturation FactorRange LocalRanges Mirror
                           MirrorRay MirrorAngle MirrorIteration MirrorEntries MirrorRegion MirrorRun.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma limit_sum (I : finType) (A : pred I) (F : I -> nat -> R) (lim : I -> R) :
  (forall i, A i -> is_lim_seq (F i) (lim i)) ->
  is_lim_seq (fun t => \sum_(i | A i) F i t) (\sum_(i | A i) lim i).
Proof.
move=> H; elim: (index_enum I) => [|i s IH].
  apply: (is_lim_seq_ext (fun=> 0)) => [t|]; first by rewrite big_nil.
  by rewrite big_nil; exact: is_lim_seq_const.
rewrite big_cons; case Ai: (A i); last first.
  by apply: is_lim_seq_ext IH => t; rewrite big_cons Ai.
apply: (is_lim_seq_ext (fun t => F i t + \big[Rplus/0]_(j <- s | A j) F j t)) => [t|]; first by rewrite big_cons Ai.
exact: is_lim_seq_plus' (H i Ai) IH.
Qed.

(* A power of what grows without end does. *)
Lemma power_diverges (x : nat -> R) r : 0 < r -> is_lim_seq x p_infty -> is_lim_seq (fun t => abs_power (x t) r)
  p_infty.
Proof.
move=> r0 far; apply/is_lim_seq_spec => M.
have /is_lim_seq_spec /(_ (abs_power (Rabs M + 1) (/ r))) [t0 H] := far; exists t0 => t le.
have := H t le; set b := abs_power _ _ => lt; have b0 : 0 <= b := abs_power_ge0 _ _.
apply: (Rlt_le_trans _ (Rabs M + 1)); first by have := Rle_abs M; lra.
have -> : Rabs M + 1 = abs_power b r.
  by rewrite /b abs_power_comp Rinv_l ?abs_power1; [|have := Rabs_pos M; lra | lra].
by apply: abs_power_le; lra.
Qed.

Section Selects.
Variables (s : selection_problem) (alpha : selection s) (p q : R) (u : vec (coord s)) (w : nat -> vec (coord s)).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (u_unit : lp_sum p u = 1).
Hypothesis apart : forall c, constraint alpha c -> 0 < dot (Delta alpha c) u.
Hypothesis ahead : forall t, 0 < dot (mirror p (w t)) u.
Hypothesis far : is_lim_seq (fun t => dot (mirror p (w t)) u) p_infty.
Hypothesis direction : forall j, is_lim_seq (fun t => unit_of p (w t) j) (u j).

(* Margins grow without end where w's direction has a limit with positive margins. *)
Lemma norm_diverges : is_lim_seq (fun t => lp_norm p (w t)) p_infty.
Proof.
have q1 := conjugate_gt1 p1 conj; have powers := conjugate_powers p1 conj.
apply: is_lim_seq_le_p_loc (power_diverges (r := q - 1) ltac:(lra) far); exists O => t _.
have E : lp_norm p (w t) = abs_power (lp_norm q (mirror p (w t))) (q - 1).
  rewrite /lp_norm (mirror_sum p1 conj) abs_power_comp; congr abs_power.
  by have := conjugate_product p1 conj => pq; field_simplify_eq; [lra | lra].
rewrite E; apply: abs_power_le; first lra.
by split; [exact/Rlt_le/ahead | exact: (height_le_norm p1 conj u_unit)].
Qed.

Theorem mirror_attention_limit i : is_lim_seq (fun t => attention (w t) (alpha i)) 1.
Proof.
have odds_to_0 : is_lim_seq (fun t => odds alpha (w t) i) 0.
  have -> : 0 = \sum_(c | others alpha i c) copies alpha c * 0.
    by rewrite sum0 // => c _; exact: Rmult_0_r.
  apply: limit_sum => c Oc.
  apply: (is_lim_seq_scal_l (fun t => exp (- margin alpha (w t) c)) (copies alpha c) 0).
  apply: (is_lim_comp_seq exp (fun t => - margin alpha (w t) c) m_infty 0 is_lim_exp_m); first by exists O.
  have -> : m_infty = Rbar_opp p_infty by [].
  apply/is_lim_seq_opp; have Qc : constraint alpha c by have /andP[] := Oc.
  apply: (is_lim_seq_ext (fun t => lp_norm p (w t) * dot (Delta alpha c) (unit_of p (w t)))) => [t|].
    have n0 := ahead_norm_gt0 p1 conj u_unit (ahead t); rewrite /unit_of dotZr -Rmult_assoc Rinv_r; last lra.
    by rewrite Rmult_1_l Ropp_involutive.
  have along : is_lim_seq (fun t => dot (Delta alpha c) (unit_of p (w t))) (dot (Delta alpha c) u).
    by apply: limit_sum => j _; apply: (is_lim_seq_scal_l _ _ (u j)); exact: direction.
  have := is_lim_seq_mult _ _ _ _ p_infty norm_diverges along; apply.
  rewrite /is_Rbar_mult /=; case: Rle_dec => le; last by have := apart Qc; lra.
  case: Rle_lt_or_eq_dec => // E; by have := apart Qc; lra.
have den : is_lim_seq (fun t => 1 + odds alpha (w t) i) (1 + 0).
  exact: is_lim_seq_plus' (is_lim_seq_const 1) odds_to_0.
have := is_lim_seq_inv _ _ den ltac:(by rewrite Rplus_0_r => -[E]; lra).
have -> : Rbar_inv (1 + 0) = 1 by rewrite /= Rplus_0_r Rinv_1.
by apply: is_lim_seq_ext => t; rewrite attention_selected.
Qed.
End Selects.

Section Limit.
Variables (s : selection_problem) (alpha : selection s) (l : loss).
Notation Q := (constraint alpha).
Variables (f : factor_bounds (token s)) (eps : group s -> R).
Variables (p q : R) (u v : vec (coord s)) (gamma : R) (mu low : token s -> R) (k : mirror_bounds (token s)).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (dir : mirror_direction Q (Delta alpha) p u gamma mu).
Notation b := (bare_weight alpha l).
Hypothesis range : factor_range Q (Delta alpha) b low f.
Hypothesis kept : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.
Notation conditions := (mirror_conditions Q (Delta alpha) p q u v gamma mu b f low k).

Variables (eta : nat -> R) (etamax r M C : R) (normalised : bool) (z : nat -> vec (coord s)).
Hypotheses (eta_range : forall t, 0 < eta t <= etamax) (rq : r < q).
Hypothesis run : forall t, z t.+1 = MirrorIteration.mirror_moved l q normalised eta t (z t).
Hypothesis ahead : 0 < dot (z O) u.
Hypothesis allowance_le : forall x, dot (z O) u <= x -> mirror_allowance k x <= M * abs_power x r.
Hypothesis lost_le : forall y, mirror_first k <= y -> centre_cost p q u v y <= C * abs_power (ray_height p u v y) r.
Notation w t := (mirror q (z t)).
Notation height t := (dot (z t) u).

(* What holds at all later steps; rise says how the height grows. *)
Record mirror_lasts (rise : nat -> Prop) : Prop := MirrorLasts {
  lasts_at : forall t, [/\ forall c, Q c -> low c <= margin alpha (w t) c,
    forall i, 1 - attention (w t) (alpha i) <= eps i, rise t, height O <= height t &
    mirror_defect p q u (w t) <= (2 * M + C) / abs_power (height t) (q - r)];
  lasts_far : is_lim_seq (total eta) p_infty -> [/\ is_lim_seq (fun t => height t) p_infty,
    forall j, is_lim_seq (fun t => unit_of p (w t) j) (u j) &
    forall i, is_lim_seq (fun t => attention (w t) (alpha i)) 1]
}.

Let q1 : 1 < q := conjugate_gt1 p1 conj.
Let conj' : / q + / p = 1. Proof. by lra. Qed.
Let back t : mirror p (w t) = z t. Proof. by rewrite (mirror_inverse q1 conj'). Qed.

Lemma rate_vanishes B : is_lim_seq (fun t => height t) p_infty ->
  is_lim_seq (fun t => B / abs_power (height t) (q - r)) 0.
Proof.
move=> far; have inv := is_lim_seq_inv _ _ (power_diverges (r := q - r) ltac:(lra) far) ltac:(by []).
have := is_lim_seq_scal_l _ B _ inv.
by have -> : Rbar_mult B (Rbar_inv p_infty) = 0 by rewrite /= Rmult_0_r.
Qed.

Lemma lasts_of (rise : nat -> Prop) :
  (forall t, mirror_forever alpha eps p q u v low k (w t)) -> (forall t, height O <= height t) -> (forall t, rise t) ->
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => height t) p_infty) -> mirror_lasts rise.
Proof.
move=> ever up rises high; have pos t : 0 < height t by have := up t; lra.
have ahead_at t : 0 < dot (mirror p (w t)) u by rewrite back.
have rates t : mirror_defect p q u (w t) <= (2 * M + C) / abs_power (height t) (q - r).
  have [[y at_y] _ _] := ever t; rewrite back in at_y.
  apply: Rle_trans (mirror_rate p1 conj dir at_y (pos t)) _; have [y_ge hy _] := at_y.
  have h0 := pos t; set x := height t in h0 hy *.
  have xr : 0 < abs_power x r by apply: abs_power_gt0; lra.
  have xs : 0 < abs_power x (q - r) by apply: abs_power_gt0; lra.
  have E : abs_power x q = abs_power x r * abs_power x (q - r).
    by rewrite abs_power_plus //; congr abs_power; ring.
  rewrite E; apply: (Rmult_le_reg_r (abs_power x r * abs_power x (q - r))); first exact: Rmult_lt_0_compat.
  have -> : forall a, a / (abs_power x r * abs_power x (q - r)) * (abs_power x r * abs_power x (q - r)) = a.
    by move=> a; field; lra.
  have -> : (2 * M + C) / abs_power x (q - r) * (abs_power x r * abs_power x (q - r)) =
      2 * (M * abs_power x r) + C * abs_power x r by field; lra.
  have al := allowance_le (up t); rewrite -/x in al; have ll := lost_le y_ge; rewrite hy in ll.
  lra.
split=> [t | far].
  by have [_ margins attended] := ever t; split.
have heights := high far.
have direction j : is_lim_seq (fun t => unit_of p (w t) j) (u j).
  apply: (unit_of_limit p1 conj (mirror_unit dir) ahead_at).
  apply: (is_lim_seq_le_le (fun=> 0) _ _ 0 _ (is_lim_seq_const 0) (rate_vanishes (2 * M + C) heights)) => t.
  split; last exact: rates.
  by apply: (defect_ge0 p1 conj (mirror_unit dir)); exact: (ahead_norm_gt0 p1 conj (mirror_unit dir)).
split=> // i; apply: (mirror_attention_limit p1 conj (mirror_unit dir) (w := fun t => w t) _ ahead_at _ direction).
  by move=> c Qc; have := mirror_slope dir Qc; have := mirror_margin_gt0 dir; lra.
by apply: is_lim_seq_ext heights => t; rewrite back.
Qed.

Let direction_of t : mirror_descent_direction l q (z t) = (- 1 * gradient l (w t))%V.
Proof. by rewrite /mirror_descent_direction; vec_ring. Qed.

(* tau = eta / ||grad L||_q *)
Theorem T17_limit_normalised D speed : normalised -> (forall c, Q c -> lp_norm q (Delta alpha c) <= D) -> 0 < speed ->
  (forall y, mirror_first k <= y ->
     speed * (D * (1 + mirror_ratio k y)) <= gamma - mirror_ratio k y * mirror_far_slope k) ->
  conditions (normalised_fits Q (Delta alpha) q b etamax) (z O) ->
  mirror_lasts (fun t => height t + speed * eta t <= height t.+1).
Proof.
move=> norm norm_le speed0 speed_le cond.
have step t : mirror p (w t.+1) = (mirror p (w t) - eta t / lp_norm q (gradient l (w t)) * gradient l (w t))%V.
  rewrite !back run /MirrorIteration.mirror_moved norm direction_of lp_norm_scale; last lra.
  by rewrite Rabs_Ropp Rabs_R1 Rmult_1_l; vec_ring.
have cond' : conditions (normalised_fits Q (Delta alpha) q b etamax) (mirror p (w O)) by rewrite back; exact: cond.
have [ever high] := T17_normalised p1 conj dir range kept eta_range cond' norm_le speed0 speed_le step.
have up t : height O <= height t.
  have [_ + _] := ever t; rewrite !back.
  have := total_ge0 (eta := eta) (fun i => Rlt_le _ _ (proj1 (eta_range i))) t => T0.
  by have := Rmult_le_pos _ _ (Rlt_le _ _ speed0) T0; lra.
apply: lasts_of => // [t | t | /high far].
- by have [] := ever t.
- by have [_ _] := ever t; rewrite !back => rise; have := Rmult_comm (eta t) speed; lra.
by apply: is_lim_seq_ext far => t; rewrite back.
Qed.

(* tau = eta *)
Theorem T17_limit_plain gain : ~~ normalised -> (forall x, 0 < gain x) -> (forall x x', x <= x' -> gain x' <= gain x) ->
  (forall y, mirror_first k <= y -> gain (ray_height p u v y) <=
     (gamma - mirror_ratio k y * mirror_far_slope k) *
     exp (log_floor Q mu (factor_low f) - gamma * (y + mirror_bend k y))) ->
  conditions (gradient_fits etamax) (z O) -> mirror_lasts (fun t => height t < height t.+1).
Proof.
move=> plain gain0 falls gain_le cond.
have step t : mirror p (w t.+1) = (mirror p (w t) - eta t * gradient l (w t))%V.
  by rewrite !back run /MirrorIteration.mirror_moved (negbTE plain) direction_of; vec_ring.
have cond' : conditions (gradient_fits etamax) (mirror p (w O)) by rewrite back; exact: cond.
have [ever high] := T17_gradient p1 conj dir range kept eta_range cond' gain0 falls gain_le step.
have rise t : height t < height t.+1.
  have [_ _] := ever t; rewrite !back; have := Rmult_lt_0_compat _ _ (proj1 (eta_range t)) (gain0 (height t)); lra.
have up t : height O <= height t by elim: t => [|t IH]; [right | have := rise t; lra].
apply: lasts_of => // [t | /high far].
  by have [] := ever t.
by apply: is_lim_seq_ext far => t; rewrite back.
Qed.
End Limit.
