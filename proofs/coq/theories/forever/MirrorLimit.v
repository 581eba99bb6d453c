(* MirrorLimit: what T17 says of all later steps of normalised mirror descent where the allowed gap is at most a
   multiple of the height's power of order q - 1 (P <= 2, MirrorPieces.v): the margins, the attention, the growth of the
   height, the angle's rate 1/height and the limit of the direction. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Duality EntrywiseDuality DualNorm PowerInequalities
                           UniformConvexity Direction Gibbs Iteration Growth FactorRange LocalRanges Mirror MirrorRay
                           MirrorAngle MirrorIteration MirrorRegion MirrorRun.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

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

Variables (eta : nat -> R) (etamax M lost D speed : R) (z : nat -> vec (coord s)).
Hypotheses (eta_range : forall t, 0 < eta t <= etamax) (norm_le : forall c, Q c -> lp_norm q (Delta alpha c) <= D).
Hypotheses (speed0 : 0 < speed) (M0 : 0 <= M) (lost0 : 0 <= lost).
Hypothesis speed_le : forall y, mirror_first k <= y ->
  speed * (D * (1 + mirror_ratio k y)) <= gamma - mirror_ratio k y * mirror_far_slope k.
Hypothesis cond : conditions (normalised_fits Q (Delta alpha) q b etamax) (z O).
Hypothesis run : forall t, z t.+1 = MirrorIteration.mirror_moved l q true eta t (z t).
Hypothesis ahead : 0 < dot (z O) u.
Hypothesis allowance_le : forall x, dot (z O) u <= x -> mirror_allowance k x <= M * abs_power x (q - 1).
Hypothesis lost_le : forall y, mirror_first k <= y -> centre_cost p q u v y <= lost.
Notation w t := (mirror q (z t)).
Notation height t := (dot (z t) u).
Notation rate := (2 * M + lost / abs_power (height O) (q - 1)).

Theorem T17_limit :
  (forall t, [/\ forall c, Q c -> low c <= margin alpha (w t) c,
      forall i, 1 - attention (w t) (alpha i) <= eps i,
      height t + speed * eta t <= height t.+1, height O <= height t &
      mirror_defect p q u (w t) <= rate / height t]) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => height t) p_infty /\
    forall j, is_lim_seq (fun t => unit_of p (w t) j) (u j)).
Proof.
have q1 := conjugate_gt1 p1 conj; have conj' : / q + / p = 1 by lra.
have back t : mirror p (w t) = z t by rewrite (mirror_inverse q1 conj').
have step t : mirror p (w t.+1) = (mirror p (w t) - eta t / lp_norm q (gradient l (w t)) * gradient l (w t))%V.
  rewrite !back run /MirrorIteration.mirror_moved /= /mirror_descent_direction.
  have -> : lp_norm q (- gradient l (w t))%V = lp_norm q (gradient l (w t)).
    have -> : (- gradient l (w t))%V = (- 1 * gradient l (w t))%V by vec_ring.
    by rewrite lp_norm_scale ?Rabs_Ropp ?Rabs_R1; lra.
  by vec_ring.
have cond' : conditions (normalised_fits Q (Delta alpha) q b etamax) (mirror p (w O)) by rewrite back; exact: cond.
have [ever high] := T17_normalised p1 conj dir range kept eta_range cond' norm_le speed0 speed_le step.
have grows t : height O + speed * total eta t <= height t by have [_ + _] := ever t; rewrite !back.
have up t : height O <= height t.
  have := total_ge0 (eta := eta) (fun i => Rlt_le _ _ (proj1 (eta_range i))) t => T0.
  by have := Rmult_le_pos _ _ (Rlt_le _ _ speed0) T0; have := grows t; lra.
have rates t : mirror_defect p q u (w t) <= rate / height t.
  have [[[y at_y] _ _] _ _] := ever t; rewrite back in at_y; have h0 : 0 < height t by have := up t; lra.
  apply: Rle_trans (mirror_rate p1 conj dir at_y h0) _; have [y_ge _ _] := at_y.
  set x := height t in h0 *; have xq : 0 < abs_power x (q - 1) by apply: abs_power_gt0; lra.
  have E : abs_power x q = abs_power x (q - 1) * x.
    by rewrite -(abs_power_step q) ?Rabs_pos_eq //; lra.
  rewrite E; apply: (Rmult_le_reg_r (abs_power x (q - 1) * x)); first exact: Rmult_lt_0_compat.
  have -> : forall a, a / (abs_power x (q - 1) * x) * (abs_power x (q - 1) * x) = a by move=> a; field; lra.
  have -> : rate / x * (abs_power x (q - 1) * x) = 2 * (M * abs_power x (q - 1)) +
      lost * (abs_power x (q - 1) / abs_power (height O) (q - 1)).
    have a0 : abs_power (height O) (q - 1) <> 0.
      by have := abs_power_gt0 (q - 1) (ltac:(lra) : height O <> 0); lra.
    by field; lra.
  have al := allowance_le (up t); rewrite -/x in al; have ll := lost_le y_ge.
  have one : 1 <= abs_power x (q - 1) / abs_power (height O) (q - 1).
    have a0 := abs_power_gt0 (q - 1) (ltac:(lra) : height O <> 0).
    apply: (Rmult_le_reg_r (abs_power (height O) (q - 1))) => //; rewrite /Rdiv Rmult_assoc Rinv_l; last lra.
    by have := @abs_power_le (height O) x (q - 1) ltac:(lra) (Logic.conj (Rlt_le _ _ ahead) (up t)); lra.
  by have := Rmult_le_compat_l _ _ _ lost0 one; lra.
split=> [t | far].
  have [[_ margins attended] _ rise] := ever t; rewrite !back in rise; split=> //.
  by have := Rmult_comm (eta t) speed; lra.
have heights : is_lim_seq (fun t => height t) p_infty.
  by have := high far; apply: is_lim_seq_ext => t; rewrite back.
split=> //; apply: (unit_of_limit p1 conj (mirror_unit dir)) => [t|].
  by rewrite back; have := up t; lra.
apply: (is_lim_seq_le_le (fun=> 0) _ (fun t => rate / height t)).
- move=> t; split; last exact: rates.
  apply: (defect_ge0 p1 conj (mirror_unit dir)); apply: (ahead_norm_gt0 p1 conj (mirror_unit dir)).
  by rewrite back; have := up t; lra.
- exact: is_lim_seq_const.
have inv := is_lim_seq_inv _ _ heights ltac:(by []).
have := is_lim_seq_scal_l _ rate _ inv.
by have -> : Rbar_mult rate (Rbar_inv p_infty) = 0 by rewrite /= Rmult_0_r.
Qed.
End Limit.
