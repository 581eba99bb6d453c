(* ActiveStep: one step of the residual around a centre that balances the active constraints (the core of T15).

   The active constraints S (positive multipliers) pull the residual back, up to the deviation err of their factors
   from the limits b_inf: by the Gibbs inequality with curvature their part of a short step adds at most 4 tau Om_S
   err to the squared residual norm.  The other constraints add at most the length of their lateral parts. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Reference Gibbs Progress Path Growth Region Hoeffding.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the active constraints ---- *)

Section Active.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Notation S := (active Q mu).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).

Lemma active_Q c : S c -> Q c.
Proof. by case/activeP. Qed.

Lemma active_slope c : S c -> slope c = gamma.
Proof.
case/activeP=> Qc mc.
have zero : \sum_(d | Q d) mu d * (slope d - gamma) = 0.
  have := balance_dot dir u; rewrite (dir_unit dir) => H.
  have -> : \sum_(d | Q d) mu d * (slope d - gamma)
    = (\sum_(d | Q d) mu d * dot (Delta d) u) - (\sum_(d | Q d) mu d) * gamma.
    by rewrite sum_mulr -sumB; apply: eq_bigr => d _; rewrite /Direction.slope; ring.
  by rewrite H (dir_mult_sum dir); ring.
have := @sum_eq0 _ Q (fun d => mu d * (slope d - gamma)) c _ zero Qc => E.
have {}E : mu c * (slope c - gamma) = 0.
  by apply: E => d Qd; apply: Rmult_le_pos; [exact: (dir_mult_ge0 dir Qd) | have := slope_ge dir Qd; lra].
by case: (Rmult_integral _ _ E); lra.
Qed.

Definition lateral (c : C) : vec J := (Delta c - slope c * u)%V.

Lemma lateral_balanced z : \sum_(c | S c) mu c * dot (lateral c) z = 0.
Proof.
rewrite (sum_active dir (fun c => dot (lateral c) z)).
have -> : \sum_(c | Q c) mu c * dot (lateral c) z
  = (\sum_(c | Q c) mu c * dot (Delta c) z) - (\sum_(c | Q c) mu c * dot (Delta c) u) * dot u z.
  by rewrite sum_mulr -sumB; apply: eq_bigr => c _; rewrite /lateral dotBl dotZl /Direction.slope; ring.
by rewrite !(balance_dot dir) (dir_unit dir); ring.
Qed.

Lemma lateral_norm c : vnorm (lateral c) = spread c.
Proof.
rewrite /lateral /Direction.spread /vnorm vnorm2B vnorm2Z dotZr {2}/vnorm2 (dir_unit dir) -/(slope c).
by congr sqrt; ring.
Qed.

Lemma lateral_dot z c : dot z u = 0 -> dot (lateral c) z = dot (Delta c) z.
Proof. by move=> zu; rewrite /lateral dotBl dotZl (dotC u) zu; ring. Qed.

(* ---- what pulls the residual back ---- *)

(* The active constraints are at most a radius apart, so that no step of length h goes too far, and the centre
   balances the limits of their factors. Steps raise the height at least at the rate speed per total weight. *)
Record pull_back (p : vec J) (limit : C -> R) (h speed : R) := PullBack {
  pull_radius : R;      (* Rs *)
  pull_mass : R;        (* Z *)
  pull_radius_gt0 : 0 < pull_radius;
  pull_speed_gt0 : 0 < speed;
  pull_short : h * (pull_radius * pull_radius) <= 4 * speed;
  pull_diameter : forall c d, S c -> S d -> vnorm (Delta c - Delta d) <= pull_radius;
  pull_limit_gt0 : forall c, S c -> 0 < limit c;
  pull_mass_gt0 : 0 < pull_mass;
  pull_balance : forall c, S c -> limit c * exp (- dot (Delta c) p) = pull_mass * mu c
}.
End Active.

Section ActiveStep.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation p_orth := (reference_orthogonal o).
Notation S := (active Q mu).
Notation height := (height u).
Notation residual := (residual u p).
Notation slope := (slope Delta u).
Notation lateral := (lateral Delta u).

Variables (b binf : C -> R) (h speed : R).
Variable back : pull_back Q Delta mu p binf h speed.
Notation Rs := (pull_radius back).
Notation Z := (pull_mass back).
Let Rs_gt0 := pull_radius_gt0 back.
Let speed_gt0 := pull_speed_gt0 back.
Let step_short := pull_short back.
Let diameter := pull_diameter back.
Let binf_gt0 := pull_limit_gt0 back.
Let Z_gt0 := pull_mass_gt0 back.
Let centre_balance := pull_balance back.

Lemma lateral_diameter c d : S c -> S d -> vnorm (lateral c - lateral d) <= Rs.
Proof.
move=> Sc Sd; have -> : (lateral c - lateral d)%V = (Delta c - Delta d)%V; last exact: diameter.
by rewrite /ActiveStep.lateral (active_slope dir Sc) (active_slope dir Sd); vec_ring.
Qed.

(* ---- one step from a point where the factors are in range ---- *)

Section Step.
Variables (z : vec J) (tau err : R).
Let omega := gibbs_weight Delta b z.
Let V := ascent Q Delta omega.
Let OmS := \sum_(c | S c) omega c.
Let e := residual z.
Hypothesis b_gt0 : forall c, S c -> 0 < b c.
Hypothesis deviation : forall c, S c -> Rabs (ln (b c) - ln (binf c)) <= err.
Hypothesis tau_ge0 : 0 <= tau.
Hypothesis step_le : tau * OmS * speed <= h.

Let eps c := ln (b c) - ln (binf c).
Let scale := Z * exp (- (gamma * height z)).

Lemma active_weight c : S c -> omega c = scale * tilted_weight mu eps lateral e c.
Proof.
move=> Sc; have bc := b_gt0 Sc; have ic := binf_gt0 Sc.
rewrite /tilted_weight (lateral_dot Delta c (residual_orth dir p_orth z)) /omega /gibbs_weight.
have -> : b c = binf c * exp (eps c) by rewrite /eps exp_plus exp_Ropp !exp_ln //; field; lra.
rewrite (margin_decompose Delta u p z c) (active_slope dir Sc).
have -> : scale * (mu c * exp (eps c - dot (Delta c) e))
  = Z * mu c * (exp (- (gamma * height z)) * exp (eps c - dot (Delta c) e)) by rewrite /scale; ring.
rewrite -(centre_balance Sc) -exp_plus.
have -> : - (gamma * height z + dot (Delta c) p + dot (Delta c) e)
  = - dot (Delta c) p + (- (gamma * height z) - dot (Delta c) e) by ring.
rewrite exp_plus.
have -> : - (gamma * height z) + (eps c - dot (Delta c) e) = eps c + (- (gamma * height z) - dot (Delta c) e) by ring.
by rewrite [in RHS]exp_plus; ring.
Qed.

Notation T := (tilted_total S mu eps lateral e).
Notation mean := (tilted_mean S mu eps lateral e).

Lemma active_total : OmS = scale * T.
Proof. by rewrite /OmS /tilted_total sum_mull; apply: eq_bigr => c; exact: active_weight. Qed.

Lemma mu_active c : S c -> 0 < mu c.
Proof. by case/activeP. Qed.

Lemma T_gt0 : 0 < T.
Proof. exact (@tilted_total_gt0 _ _ S mu eps lateral e mu_active (active_sum1 dir)). Qed.

Lemma scale_gt0 : 0 < scale.
Proof. by apply: Rmult_lt_0_compat => //; exact: exp_pos. Qed.

Lemma active_pull : combine S omega lateral = (OmS * mean)%V.
Proof.
have T0 := T_gt0; rewrite /tilted_mean -combine_scale active_total.
by apply: combine_eq => // c Sc; rewrite (active_weight Sc); field; lra.
Qed.

Lemma active_step : vnorm2 (e + tau * combine S omega lateral) <= vnorm2 e + 4 * (tau * OmS * err).
Proof.
have T0 := T_gt0; have s0 := scale_gt0.
have O0 : 0 <= OmS by rewrite active_total; apply: Rmult_le_pos; lra.
have curv := gibbs_curvature e mu_active (active_sum1 dir) (lateral_balanced dir) deviation Rs_gt0 lateral_diameter.
have me : dot mean e = \sum_(c | S c) tilted_weight mu eps lateral e c / T * dot (lateral c) e.
  by rewrite /tilted_mean dot_combinel.
rewrite -/eps -me in curv.
rewrite active_pull vnorm2D vnorm2Z dotZr vnorm2Z dotZr (dotC e).
set m2 := vnorm2 mean in curv *; have m0 : 0 <= m2 := vnorm2_ge0 _.
have R2 : 0 < Rs * Rs by apply: Rmult_lt_0_compat.
have tO : 0 <= tau * OmS by apply: Rmult_le_pos.
have small : tau * OmS <= 4 / (Rs * Rs).
  apply: (Rmult_le_reg_r (speed * (Rs * Rs))); first exact: Rmult_lt_0_compat.
  have -> : 4 / (Rs * Rs) * (speed * (Rs * Rs)) = 4 * speed by field; lra.
  have -> : tau * OmS * (speed * (Rs * Rs)) = tau * OmS * speed * (Rs * Rs) by ring.
  by apply: Rle_trans step_short; apply: Rmult_le_compat_r; lra.
have c1 : tau * OmS * dot mean e <= tau * OmS * (2 * err - 2 * m2 / (Rs * Rs)) by apply: Rmult_le_compat_l.
have c2 : tau * OmS * (tau * OmS * m2) <= tau * OmS * (4 / (Rs * Rs) * m2).
  by apply: Rmult_le_compat_l => //; apply: Rmult_le_compat_r.
have -> : 2 * (tau * (OmS * dot mean e)) = 2 * (tau * OmS * dot mean e) by ring.
have -> : tau * tau * (OmS * OmS * m2) = tau * OmS * (tau * OmS * m2) by ring.
have E1 : tau * OmS * (2 * err - 2 * m2 / (Rs * Rs)) = 2 * (tau * OmS * err) - tau * OmS * (4 / (Rs * Rs) * m2) / 2.
  by field; lra.
lra.
Qed.

(* The whole step: active constraints, then the others. *)
Lemma residual_pieces : residual (z + tau * V)%V
  = ((e + tau * combine S omega lateral) + tau * combine (fun c => Q c && ~~ S c) omega lateral)%V.
Proof.
have split : (combine S omega lateral + combine (fun c => Q c && ~~ S c) omega lateral)%V = (V - dot V u * u)%V.
  apply: vec_ext => j.
  rewrite /vadd /combine -(Progress.sum_split (@active_Q _ Q mu) (fun c => omega c * lateral c j)).
  rewrite /V /ascent dot_combinel /vsub /vscale sum_mulr -/omega.
  rewrite /combine -sumB; apply: eq_bigr => c _; rewrite /ActiveStep.lateral /vsub /vscale /Direction.slope; ring.
apply: vec_ext => j; have := congr1 (fun f => f j) split; rewrite /vadd /vsub /vscale /= => E.
rewrite /e /Direction.residual (step_height u) /vadd /vsub /vscale.
have -> : z j + tau * V j - (height z + tau * dot V u) * u j - p j
  = z j + tau * V j - height z * u j - tau * (dot V u * u j) - p j by ring.
have -> : dot V u * u j = V j - (combine S omega lateral j + combine (fun c => Q c && ~~ S c) omega lateral j) by lra.
by ring.
Qed.

(* The same step on a part eU of the residual that the lateral parts of the active constraints cannot tell from it. *)
Lemma active_part_step eU eO : e = (eU + eO)%V -> dot eU eO = 0 -> (forall c, S c -> dot (lateral c) eO = 0) ->
  vnorm2 (eU + tau * combine S omega lateral) <= vnorm2 eU + 4 * (tau * OmS * err).
Proof.
move=> eE UO lO; have := active_step; set g := combine S omega lateral.
have gO : dot g eO = 0 by rewrite /g dot_combinel sum0 // => c Sc; rewrite lO //; ring.
have -> : (e + tau * g)%V = ((eU + tau * g) + eO)%V by rewrite eE; vec_ring.
rewrite eE [vnorm2 (_ + eO)]vnorm2D [vnorm2 (eU + eO)]vnorm2D dotDl dotZl UO gO; lra.
Qed.
End Step.
End ActiveStep.
