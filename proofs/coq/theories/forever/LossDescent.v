(* LossDescent: T12's core, gradient descent whose loss never rises (lock-in by loss).

   Where the loss is at most what it is at w_0 the factors of all constraints are in range. Steps that decrease the
   loss by eta/2 ||V||^2, which T6 gives for eta <= 1/beta, keep to that set, so the path inequality and the growth of
   the height hold for ever. What the loss is of is not looked at. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Reference Gibbs Progress Path Growth LineDescent Inside Region.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section LossDescent.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation p_orth := (reference_orthogonal o).
Notation height := (height u).
Notation residual := (residual u p).

Variables (b : vec J -> C -> R) (L : vec J -> R) (least : R) (lo hi : C -> R).
Variables (w : nat -> vec J) (eta : nat -> R) (etamax : R).
Notation V := (field_of Q Delta b).
Notation y0 := (height (w O)).
Notation K := (log_floor Q mu lo).
Notation G := (gibbs_gap Q Delta u p Q gamma mu hi lo y0).
Hypothesis lo_gt0 : forall c, Q c -> 0 < lo c.
Hypothesis factors : forall z, L z <= L (w O) -> forall c, Q c -> lo c <= b z c <= hi c.
Hypothesis least_le : forall z, L z <= L (w O) -> least <= L z.
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Hypothesis descent : forall t, L (w t.+1) <= L (w t) - eta t / 2 * vnorm2 (V (w t)).
Hypothesis run : forall t, w t.+1 = (w t + eta t * V (w t))%V.

Lemma loss_falls t : L (w t.+1) <= L (w t).
Proof.
have [e0 _] := eta_range t; have := descent t.
have := Rmult_le_pos _ _ (Rlt_le _ _ e0) (vnorm2_ge0 (V (w t))); lra.
Qed.

Lemma loss_low t : L (w t) <= L (w O).
Proof. by elim: t => [|t IH]; [lra | have := loss_falls t; lra]. Qed.

Let lo_hi c : Q c -> lo c <= hi c.
Proof. by move=> Qc; have := factors (loss_low O) Qc; lra. Qed.

Lemma loss_step t : y0 <= height (w t) ->
  [/\ eta t * gamma * exp K * exp (- (gamma * height (w t))) <= height (w t.+1) - height (w t),
      height (w t) < height (w t.+1) &
      vnorm2 (residual (w t.+1)) - vnorm2 (residual (w t)) <= 2 * G / gamma * (height (w t.+1) - height (w t))
        + 2 * eta t * (L (w t) - L (w t.+1))].
Proof.
move=> Hy; have Rg := factors (loss_low t); have [e0 _] := eta_range t.
have [h1 h2] := all_descent_step dir p_orth lo_gt0 lo_hi Rg Hy e0 (descent t).
have g := all_height_growth dir lo_gt0 (w t) Rg (Rlt_le _ _ e0).
by rewrite -(run t) in g h1 h2; split.
Qed.

Lemma loss_region : invariant_region u (fun z => y0 <= height z) w eta (LogarithmicGrowth gamma (gamma * exp K)).
Proof.
have g0 := dir_margin_gt0 dir; split=> [| t || t Hy | t Hy].
- by split=> //; apply: Rmult_lt_0_compat => //; exact: exp_pos.
- by case: (eta_range t).
- by right.
- by have [_ h _] := loss_step Hy; lra.
by have [h _ _] := loss_step Hy; apply: Rle_trans h; right; rewrite /law_gain; ring.
Qed.

Theorem loss_path t : vnorm2 (residual (w t)) <= vnorm2 (residual (w O)) + 2 * G / gamma * (height (w t) - y0)
    + 2 * etamax * (L (w O) - L (w t)).
Proof.
elim: t => [|t IH]; first by lra.
have [_ _ h] := loss_step (stays_inside loss_region t); have [e0 e1] := eta_range t; have d := loss_falls t.
have : eta t * (L (w t) - L (w t.+1)) <= etamax * (L (w t) - L (w t.+1)) by apply: Rmult_le_compat_r; lra.
lra.
Qed.

(* The same bound without the current loss. *)
Definition loss_bound z : R :=
  sqrt (vnorm2 (residual (w O)) + 2 * G / gamma * (height z - y0) + 2 * etamax * (L (w O) - least)).

Theorem loss_residual t : vnorm (residual (w t)) <= loss_bound (w t).
Proof.
apply: sqrt_le_1_alt; apply: Rle_trans (loss_path t) _; apply: Rplus_le_compat_l.
apply: Rmult_le_compat_l; first by have := eta_range O; lra.
by have := least_le (loss_low t); lra.
Qed.

Theorem loss_descent :
  (forall t, [/\ L (w t) <= L (w O), vnorm (residual (w t)) <= loss_bound (w t),
     / gamma * ln (exp (gamma * y0) + gamma * (gamma * exp K) * total eta t) <= height (w t) &
     0 < height (w t) -> 1 - cosine u (w t) <=
       (vnorm p + loss_bound (w t)) * (vnorm p + loss_bound (w t)) / (2 * (height (w t) * height (w t)))]) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
split=> [t|He].
  split; [exact: loss_low | exact: loss_residual | exact (inside_grows loss_region t) |].
  by move=> h0; apply: (angle_bound (dir_unit dir) h0); exact: loss_residual.
apply: (cosine_limit (dir_unit dir) (p := p)
  (A := vnorm2 (residual (w O)) - 2 * G / gamma * y0 + 2 * etamax * (L (w O) - least)) (B := 2 * G / gamma)) => [|t].
  exact: (inside_diverges loss_region He).
have := loss_path t; have := least_le (loss_low t); have := eta_range O => [[e0 e1]] h.
have : etamax * (L (w O) - L (w t)) <= etamax * (L (w O) - least) by apply: Rmult_le_compat_l; lra.
lra.
Qed.
End LossDescent.

(* ---- descent from a bound of the curvature along lines, for steps of length at most 1/beta ---- *)

Section Curvature.
Variables (J : finType) (L : vec J -> R) (grad : vec J -> vec J) (bent : vec J -> vec J -> R) (beta : R).
Hypothesis L_derive : forall z v x, is_derive (fun y => L (z + y * v)) x (dot (grad (z + x * v)) v).
Hypothesis grad_derive : forall z v x, is_derive (fun y => dot (grad (z + y * v)) v) x (bent (z + x * v)%V v).
Hypothesis bent_le : forall z v, bent z v <= beta * vnorm2 v.

Theorem descent_curvature z v : L (z + v)%V <= L z + dot (grad z) v + beta / 2 * vnorm2 v.
Proof.
have slope x : 0 <= x <= 1 -> dot (grad (z + x * v)) v <= dot (grad z) v + x * (beta * vnorm2 v).
  move=> x01; have d y : is_derive (fun y => dot (grad (z + y * v)) v - y * (beta * vnorm2 v)) y
      (bent (z + y * v)%V v - beta * vnorm2 v).
    have dl : is_derive (fun y => y * (beta * vnorm2 v)) y (beta * vnorm2 v) by auto_derive => //; ring.
    exact: is_derive_minus (grad_derive z v y) dl.
  have := nonincreasing (proj1 x01) d (fun y _ => ltac:(have := bent_le (z + y * v)%V v; lra)).
  by rewrite vline0; lra.
have d y : is_derive (fun y => L (z + y * v) - (y * dot (grad z) v + y * y * (beta / 2 * vnorm2 v))) y
    (dot (grad (z + y * v)) v - (dot (grad z) v + y * (beta * vnorm2 v))).
  have dl : is_derive (fun y => y * dot (grad z) v + y * y * (beta / 2 * vnorm2 v)) y
      (dot (grad z) v + y * (beta * vnorm2 v)) by auto_derive => //; field.
  exact: is_derive_minus (L_derive z v y) dl.
have := nonincreasing Rle_0_1 d (fun y yc => ltac:(have := slope y yc; lra)).
by rewrite vline0 vline1; lra.
Qed.

Theorem descent_short z eta : 0 <= eta -> eta * beta <= 1 ->
  L (z - eta * grad z)%V <= L z - eta / 2 * vnorm2 (grad z).
Proof.
move=> eta0 small; have := descent_curvature z ((- eta)%R * grad z)%V.
have -> : (z + (- eta)%R * grad z)%V = (z - eta * grad z)%V by vec_ring.
rewrite dotZr vnorm2Z -/(vnorm2 (grad z)) => H; apply: Rle_trans H _.
have n0 := vnorm2_ge0 (grad z); have := Rmult_le_compat_r _ _ _ (Rmult_le_pos _ _ eta0 n0) small; lra.
Qed.
End Curvature.
