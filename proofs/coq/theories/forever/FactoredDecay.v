(* FactoredDecay: the numbers behind T22 (FACTORED.md section 4), from one step to all.

   s_t is the excess of the loss, r_t = ||K||^2 + ||Q||^2, x_t = <V, W>, g_t the squared norm of both factors'
   gradients. Where s is at most s_0, x is at least (1 - h s) s l, l = log(1/s) - c; a step of a length at which the
   loss decreases then multiplies l at least as much as r, but for a part that is summable. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Growth.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* nu, c, h, phi, D and the step eta *)
Record factored_constants := FactoredConstants {
  factored_ratio : R; factored_offset : R; factored_deficit : R; factored_bend : R; factored_reach : R;
  factored_eta : R
}.

Record factored_proper (k : factored_constants) : Prop := FactoredProper {
  factored_ratio_gt0 : 0 < factored_ratio k;
  factored_deficit_ge0 : 0 <= factored_deficit k;
  factored_bend_ge0 : 0 <= factored_bend k;
  factored_reach_gt0 : 0 < factored_reach k;
  factored_eta_gt0 : 0 < factored_eta k
}.

Section Constants.
Variable k : factored_constants.
Notation nu := (factored_ratio k).
Notation c := (factored_offset k).
Notation h := (factored_deficit k).
Notation phi := (factored_bend k).
Notation D := (factored_reach k).
Notation eta := (factored_eta k).

(* eta O D, delta, 1 - kappa at most, l *)
Definition factored_push (s : R) : R := eta * (s / nu) * D.
Definition factored_delta (s r : R) : R :=
  eta * (s / nu) * (D * D * (1 + phi) * r * ((1 + factored_push s) * (1 + factored_push s)) + D).
Definition factored_loss (s r : R) : R := factored_delta s r / 2 + h * s + factored_push s / 2.
Definition factored_level (s : R) : R := - ln s - c.
Definition factored_keep (s r : R) : R :=
  (1 - factored_delta s r / 2) * (1 - h * s) / (1 + factored_push s / 2).

(* Of s_0 and r_0: how much of l stays, a and mu. *)
Definition factored_spare (s r : R) : R := (1 - factored_loss s r) * factored_level s - 1.
Definition factored_slope (s r : R) : R :=
  2 * factored_level s / r * exp (- (factored_loss s r / factored_spare s r)).
Definition factored_growth (s r : R) : R :=
  2 * eta * (1 - factored_delta s r / 2) * factored_slope s r * factored_level s * ((1 - h * s) * (1 - h * s)).

(* The conditions at the first step. *)
Record decay_start (s r : R) : Prop := DecayStart {
  decay_size_gt0 : 0 < r;
  decay_delta_le1 : factored_delta s r <= 1;
  decay_loss_lt1 : factored_loss s r < 1;
  decay_spare_gt0 : 0 < factored_spare s r
}.

(* s, r, x and g along a run, and what a run of K and Q knows of them. *)
Record decay_path := DecayPath {
  decay_excess : nat -> R; decay_size : nat -> R; decay_slope : nat -> R; decay_squares : nat -> R
}.

Record decaying (y : decay_path) : Prop := Decaying {
  decay_excess_gt0 : forall t, decay_excess y t <= decay_excess y O -> 0 < decay_excess y t;
  decay_size_step : forall t, decay_size y t.+1 =
    decay_size y t + 4 * eta * decay_slope y t + eta * eta * decay_squares y t;
  decay_squares_ge0 : forall t, 0 <= decay_squares y t;
  decay_slope_low : forall t, decay_excess y t <= decay_excess y O ->
    (1 - h * decay_excess y t) * decay_excess y t * factored_level (decay_excess y t) <= decay_slope y t;
  decay_slope_short : forall t, decay_excess y t <= decay_excess y O ->
    decay_slope y t <= decay_excess y t / nu * D * decay_size y t / 2;
  decay_slope_sqr : forall t, 4 * (decay_slope y t * decay_slope y t) <= decay_squares y t * decay_size y t;
  decay_descent : forall t, decay_excess y t <= decay_excess y O ->
    factored_delta (decay_excess y t) (decay_size y t) <= 1 ->
    decay_excess y t.+1 <=
      decay_excess y t - eta * (1 - factored_delta (decay_excess y t) (decay_size y t) / 2) * decay_squares y t
}.
End Constants.

Section Decay.
Variable k : factored_constants.
Notation nu := (factored_ratio k).
Notation c := (factored_offset k).
Notation h := (factored_deficit k).
Notation phi := (factored_bend k).
Notation D := (factored_reach k).
Notation eta := (factored_eta k).
Notation push := (factored_push k).
Notation delta := (factored_delta k).
Notation loss := (factored_loss k).
Notation level := (factored_level k).
Hypothesis proper : factored_proper k.
Let nu_gt0 := factored_ratio_gt0 proper.
Let h_ge0 := factored_deficit_ge0 proper.
Let phi_ge0 := factored_bend_ge0 proper.
Let D_gt0 := factored_reach_gt0 proper.
Let eta_gt0 := factored_eta_gt0 proper.

Lemma push_ge0 s : 0 <= s -> 0 <= push s.
Proof.
move=> s0; rewrite /factored_push; apply: Rmult_le_pos; last lra.
by apply: Rmult_le_pos; [lra | apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat]].
Qed.

Lemma delta_ge0 s r : 0 <= s -> 0 <= r -> 0 <= delta s r.
Proof.
move=> s0 r0; have p0 := push_ge0 s0; rewrite /factored_delta.
apply: Rmult_le_pos.
  by apply: Rmult_le_pos; [lra | apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat]].
apply: Rplus_le_le_0_compat; last lra.
apply: Rmult_le_pos; last by apply: Rmult_le_pos; lra.
by apply: Rmult_le_pos => //; apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | lra].
Qed.

(* Everything falls with s r: q = s r/(s0 r0). *)
Lemma loss_scales s r s0 r0 q : 0 < s <= s0 -> 0 < r0 <= r -> 0 < q <= 1 -> s * r = q * (s0 * r0) ->
  delta s r <= q * delta s0 r0 /\ loss s r <= q * loss s0 r0.
Proof.
move=> [sp ss] [rp rr] [q0 q1] E.
have sq : s <= q * s0.
  have : s * r0 <= q * s0 * r0 by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ sp) rr; lra.
  by move/(Rmult_le_reg_r _ _ _ rp).
have i0 := Rinv_0_lt_compat _ nu_gt0.
have p0 : 0 <= push s0 by apply: push_ge0; lra.
have p1 := push_ge0 (Rlt_le _ _ sp).
have pq : push s <= q * push s0.
  rewrite /factored_push (_ : q * (eta * (s0 / nu) * D) = eta * (q * s0 / nu) * D); last by rewrite /Rdiv; ring.
  apply: Rmult_le_compat_r; first lra; apply: Rmult_le_compat_l; first lra.
  by apply: Rmult_le_compat_r; lra.
have pp : push s <= push s0 by nra.
have dq : delta s r <= q * delta s0 r0.
  rewrite /factored_delta; set P := (1 + push s) * (1 + push s).
  set P0 := (1 + push s0) * (1 + push s0).
  have PP : 0 <= P <= P0 by rewrite /P /P0; nra.
  have -> : eta * (s / nu) * (D * D * (1 + phi) * r * P + D) =
            eta / nu * (D * D * (1 + phi) * (s * r) * P + D * s) by rewrite /Rdiv; ring.
  have -> : q * (eta * (s0 / nu) * (D * D * (1 + phi) * r0 * P0 + D)) =
            eta / nu * (D * D * (1 + phi) * (q * (s0 * r0)) * P0 + D * (q * s0)) by rewrite /Rdiv; ring.
  apply: Rmult_le_compat_l; first by apply: Rmult_le_pos; lra.
  rewrite E; apply: Rplus_le_compat; last by apply: Rmult_le_compat_l; lra.
  apply: Rmult_le_compat_l; last by case: PP.
  apply: Rmult_le_pos; first by apply: Rmult_le_pos; [nra | lra].
  by apply: Rmult_le_pos; [lra | apply: Rmult_le_pos; lra].
split=> //; rewrite /factored_loss.
have hq : h * s <= q * (h * s0) by have := Rmult_le_compat_l _ _ _ h_ge0 sq; lra.
lra.
Qed.

Lemma keep_bounds s r : 0 < s -> 0 < r -> loss s r < 1 ->
  1 - loss s r <= factored_keep k s r <= 1.
Proof.
move=> s0 r0; rewrite /factored_keep /factored_loss.
have := push_ge0 (Rlt_le _ _ s0); have := delta_ge0 (Rlt_le _ _ s0) (Rlt_le _ _ r0).
have := Rmult_le_pos _ _ h_ge0 (Rlt_le _ _ s0).
set A := delta s r; set B := h * s; set P := push s => B0 A0 P0 lt1.
have i : 0 < 1 + P / 2 by lra.
have p1 : 0 <= (1 - A / 2) * (1 - B) <= 1 by nra.
split.
  apply: (Rmult_le_reg_r (1 + P / 2)) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; last by lra.
  have : (1 - (A / 2 + B + P / 2)) * (1 + P / 2) <= 1 - (A / 2 + B) by nra.
  by rewrite /Rdiv; nra.
apply: (Rmult_le_reg_r (1 + P / 2)) => //; rewrite /Rdiv Rmult_assoc Rinv_l; last by lra.
by lra.
Qed.

Lemma loss_ge0 s r : 0 <= s -> 0 <= r -> 0 <= loss s r.
Proof.
move=> s0 r0; rewrite /factored_loss; have := push_ge0 s0; have := delta_ge0 s0 r0.
by have := Rmult_le_pos _ _ h_ge0 s0; lra.
Qed.

Lemma start_level_gt1 s r : 0 < s -> decay_start k s r -> 1 < level s.
Proof.
move=> s0 [r0 _ l1]; have l0 := loss_ge0 (Rlt_le _ _ s0) (Rlt_le _ _ r0); rewrite /factored_spare; nra.
Qed.

(* ---- a run ---- *)

Variable path : decay_path.
Notation s := (decay_excess path).
Notation r := (decay_size path).
Notation x := (decay_slope path).
Notation g := (decay_squares path).
Notation s0 := (s O).
Notation r0 := (r O).
Notation E := (loss s0 r0).
Notation level0 := (level s0).
Notation spare := (factored_spare k s0 r0).
Notation slope0 := (factored_slope k s0 r0).
Notation growth := (factored_growth k s0 r0).
Hypothesis run : decaying k path.
Hypothesis start : decay_start k s0 r0.
Let s_gt0 := decay_excess_gt0 run.
Let r_step := decay_size_step run.
Let g_ge0 := decay_squares_ge0 run.
Let x_low := decay_slope_low run.
Let x_short := decay_slope_short run.
Let x_sqr := decay_slope_sqr run.
Let descent := decay_descent run.
Let r0_gt0 := decay_size_gt0 start.
Let delta_le1 := decay_delta_le1 start.
Let E_lt1 := decay_loss_lt1 start.
Let spare_gt0 := decay_spare_gt0 start.

Let share t := s t * r t / (s0 * r0).

Let s0_gt0 : 0 < s0.
Proof. by apply: s_gt0; lra. Qed.

Let factored_loss_ge0 : 0 <= E := loss_ge0 (Rlt_le _ _ s0_gt0) (Rlt_le _ _ r0_gt0).
Let level0_gt1 : 1 < level0 := start_level_gt1 s0_gt0 start.

Let deficit_lt1 : 0 <= h * s0 < 1.
Proof.
have := push_ge0 (Rlt_le _ _ s0_gt0); have := delta_ge0 (Rlt_le _ _ s0_gt0) (Rlt_le _ _ r0_gt0).
have := Rmult_le_pos _ _ h_ge0 (Rlt_le _ _ s0_gt0); move: E_lt1; rewrite /factored_loss; lra.
Qed.

(* What holds at every step. *)
Record kept_region (t : nat) : Prop := KeptRegion {
  kept_s : 0 < s t <= s0;
  kept_r : r0 <= r t;
  kept_share : 0 < share t <= 1;
  kept_level : level0 <= level (s t);
  kept_slope : ln (level0 / r0) - E / spare * (1 - share t) <= ln (level (s t) / r t)
}.

Lemma step_numbers t : kept_region t ->
  let y := (4 * eta * x t + eta * eta * g t) / r t in
  let keep := factored_keep k (s t) (r t) in
  [/\ 0 < y, 1 - share t * E <= keep <= 1, spare <= keep * level (s t) - 1,
      s t.+1 <= s t * (1 - keep * level (s t) * y) &
      s t.+1 <= s t - eta * (1 - delta s0 r0 / 2) * g t].
Proof.
move=> [[sp ss] rr [q0 q1] lev _] y keep; have rp : 0 < r t by lra.
have eqE : s t * r t = share t * (s0 * r0) by rewrite /share; field; lra.
have [dq lq] := loss_scales (conj sp ss) (conj r0_gt0 rr) (conj q0 q1) eqE.
have d0 := delta_ge0 (Rlt_le _ _ sp) (Rlt_le _ _ rp).
have d1 : delta (s t) (r t) <= delta s0 r0 by nra.
have d2 : delta (s t) (r t) <= 1 by lra.
have l1 : loss (s t) (r t) < 1 by nra.
have [k1 k2] := keep_bounds sp rp l1; rewrite -/keep in k1 k2.
have k3 : 1 - E <= keep by nra.
have sp' : spare <= keep * level (s t) - 1 by rewrite /factored_spare; nra.
have hs : h * s t <= h * s0 by apply: Rmult_le_compat_l.
have one : 0 < 1 - h * s t by lra.
have xl := x_low ss; have xp : 0 < x t.
  by apply: Rlt_le_trans xl; apply: Rmult_lt_0_compat; [apply: Rmult_lt_0_compat; lra | lra].
have gt0 : 0 < g t by have := x_sqr t; have := Rmult_lt_0_compat _ _ xp xp; have := g_ge0 t; nra.
have yp : 0 < y.
  apply: Rmult_lt_0_compat; last exact: Rinv_0_lt_compat.
  have := Rmult_lt_0_compat _ _ (Rmult_lt_0_compat _ _ eta_gt0 eta_gt0) gt0.
  by have := Rmult_lt_0_compat _ _ eta_gt0 xp; lra.
have main : s t * (keep * level (s t) * y) <= eta * (1 - delta (s t) (r t) / 2) * g t.
  (* s l <= x/(1 - h s), keep = (1 - d/2)(1 - h s)/(1 + p/2) *)
  have P0 := push_ge0 (Rlt_le _ _ sp); set P := push (s t) in P0 *.
  set dd := 1 - delta (s t) (r t) / 2; have dd0 : 0 < dd by rewrite /dd; lra.
  have ip : 0 < / (1 + P / 2) by apply: Rinv_0_lt_compat; lra.
  have step1 : s t * (keep * level (s t) * y) <= dd * / (1 + P / 2) * x t * y.
    have -> : s t * (keep * level (s t) * y) =
              dd * / (1 + P / 2) * ((1 - h * s t) * s t * level (s t)) * y.
      by rewrite /keep /factored_keep -/P -/dd /Rdiv; ring.
    apply: Rmult_le_compat_r; first lra; apply: Rmult_le_compat_l xl; apply: Rmult_le_pos; lra.
  apply: Rle_trans step1 _.
  have xy : x t * y <= eta * g t * (1 + P / 2).
    rewrite /y; have -> : x t * ((4 * eta * x t + eta * eta * g t) / r t) =
      (eta * (4 * (x t * x t)) + eta * g t * (eta * x t)) * / r t by rewrite /Rdiv; ring.
    have -> : eta * g t * (1 + P / 2) = (eta * (g t * r t) + eta * g t * (P * r t / 2)) * / r t by field; lra.
    apply: Rmult_le_compat_r; first exact/Rlt_le/Rinv_0_lt_compat.
    apply: Rplus_le_compat; first by apply: Rmult_le_compat_l (x_sqr t); lra.
    apply: Rmult_le_compat_l; first by apply: Rmult_le_pos; lra.
    have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ eta_gt0) (x_short ss); rewrite /P /factored_push; lra.
  have -> : dd * / (1 + P / 2) * x t * y = dd * / (1 + P / 2) * (x t * y) by ring.
  apply: (Rle_trans _ (dd * / (1 + P / 2) * (eta * g t * (1 + P / 2)))).
    by apply: Rmult_le_compat_l xy; apply: Rmult_le_pos; lra.
  by right; field; lra.
have fall := descent ss d2; split=> //.
- by split=> //; lra.
- lra.
have : eta * (1 - delta s0 r0 / 2) * g t <= eta * (1 - delta (s t) (r t) / 2) * g t; last lra.
by apply: Rmult_le_compat_r; [lra | apply: Rmult_le_compat_l; lra].
Qed.

Lemma region_step t : kept_region t -> kept_region t.+1.
Proof.
move=> H; have [yp [k1 k2] sp main _] := step_numbers H; case: H => [[s1 s2] rr [q0 q1] lev slope].
move: yp k1 k2 sp main; set y := (4 * eta * x t + eta * eta * g t) / r t; set keep := factored_keep k (s t) (r t).
set l := level (s t) => yp k1 k2 sp main; have rp : 0 < r t by lra.
have next_r : r t.+1 = r t * (1 + y) by rewrite r_step /y; field; lra.
have a1 : 1 < keep * l by lra.
have ay : 0 < keep * l * y by apply: Rmult_lt_0_compat; lra.
have s3 : s t.+1 <= s t by have := Rmult_lt_0_compat _ _ s1 ay; lra.
have s4 : 0 < s t.+1 by apply: s_gt0; lra.
have z0 : 0 < 1 - keep * l * y by apply: (Rmult_lt_reg_l (s t)); lra.
have sr0 : 0 < s0 * r0 by apply: Rmult_lt_0_compat.
have next_q : share t.+1 <= share t * (1 - spare * y).
  rewrite /share next_r; apply: (Rmult_le_reg_r (s0 * r0)) => //.
  have -> : s t.+1 * (r t * (1 + y)) / (s0 * r0) * (s0 * r0) = s t.+1 * (r t * (1 + y)) by field; lra.
  have -> : s t * r t / (s0 * r0) * (1 - spare * y) * (s0 * r0) = s t * r t * (1 - spare * y) by field; lra.
  apply: (Rle_trans _ (s t * (1 - keep * l * y) * (r t * (1 + y)))).
    by apply: Rmult_le_compat_r => //; apply: Rmult_le_pos; lra.
  have -> : s t * (1 - keep * l * y) * (r t * (1 + y)) = s t * r t * ((1 - keep * l * y) * (1 + y)) by ring.
  apply: Rmult_le_compat_l; first by apply: Rmult_le_pos; lra.
  by have := Rmult_lt_0_compat _ _ ay yp; have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ yp) sp; lra.
have q3 : 0 < share t.+1.
  by apply: Rmult_lt_0_compat; [apply: Rmult_lt_0_compat; [lra | rewrite next_r; apply: Rmult_lt_0_compat; lra]
                              | exact: Rinv_0_lt_compat].
have sy : 0 < spare * y by apply: Rmult_lt_0_compat.
have next_l : l * (1 + keep * y) <= level (s t.+1).
  have := ln_le_ln s4 main; rewrite ln_mult // => h1; have := ln_le_sub1 z0 => h2.
  have el : l = - ln (s t) - c by [].
  by rewrite [X in _ <= X]/factored_level; lra.
have lev' : level0 <= l := lev.
have l1 := level0_gt1; have lp : 0 < l by lra.
have ky : 0 <= keep by have := factored_loss_ge0; nra.
split.
- by split=> //; lra.
- by rewrite next_r; have := Rmult_lt_0_compat _ _ rp yp; lra.
- by split=> //; have := Rmult_lt_0_compat _ _ q0 sy; lra.
- by apply: Rle_trans next_l; have := Rmult_le_pos _ _ ky (Rlt_le _ _ yp); nra.
have kp : 0 < 1 + keep * y by have := Rmult_le_pos _ _ ky (Rlt_le _ _ yp); lra.
have ln1 : ln (1 + y) <= ln (1 + keep * y) + (1 - keep) * y.
  rewrite -(ln_exp ((1 - keep) * y)) -ln_mult //; last exact: exp_pos.
  apply: ln_le_ln; first lra.
  apply: (Rle_trans _ ((1 + keep * y) * (1 + (1 - keep) * y))).
    have rest : 0 <= (1 - keep) * y by apply: Rmult_le_pos; lra.
    by have := Rmult_le_pos _ _ (Rmult_le_pos _ _ ky (Rlt_le _ _ yp)) rest; lra.
  by apply: Rmult_le_compat_l; [lra | exact: exp_ge_line].
have step_ln : ln (l / r t) + ln (1 + keep * y) - ln (1 + y) <= ln (level (s t.+1) / r t.+1).
  have e1 : 0 < l / r t by apply: Rmult_lt_0_compat => //; exact: Rinv_0_lt_compat.
  have -> : ln (l / r t) + ln (1 + keep * y) - ln (1 + y) = ln (l * (1 + keep * y) / r t.+1).
    have -> : l * (1 + keep * y) / r t.+1 = l / r t * (1 + keep * y) * / (1 + y) by rewrite next_r; field; lra.
    have i0 : 0 < / (1 + y) by apply: Rinv_0_lt_compat; lra.
    set u := l / r t in e1 *; rewrite (ln_mult (u * (1 + keep * y))) //; last exact: Rmult_lt_0_compat.
    by rewrite (ln_mult u) // ln_Rinv; [ring | lra].
  have rn : 0 < r t.+1 by rewrite next_r; apply: Rmult_lt_0_compat; lra.
  have irn := Rinv_0_lt_compat _ rn.
  apply: ln_le_ln; last by apply: Rmult_le_compat_r => //; lra.
  by apply: Rmult_lt_0_compat => //; apply: Rmult_lt_0_compat.
have part : (1 - keep) * y <= E / spare * (share t - share t.+1).
  apply: (Rle_trans _ (E / spare * (share t * (spare * y)))); last first.
    apply: Rmult_le_compat_l; last lra.
    by apply: Rmult_le_pos; [exact: factored_loss_ge0 | exact/Rlt_le/Rinv_0_lt_compat].
  have -> : E / spare * (share t * (spare * y)) = share t * E * y by field; lra.
  by apply: Rmult_le_compat_r; lra.
have slope' : ln (level0 / r0) - E / spare * (1 - share t) <= ln (l / r t) := slope.
lra.
Qed.

Lemma region_start : kept_region O.
Proof.
have q : share O = 1 by rewrite /share; field; split; lra.
by split; rewrite ?q; lra.
Qed.

Theorem region_kept t : kept_region t.
Proof. by elim: t => [|t IH]; [exact: region_start | exact: region_step]. Qed.

(* The level keeps its share of the size: 2. *)
Theorem level_slope t : slope0 * (r t / 2) <= level (s t).
Proof.
have [[s1 s2] rr [q0 q1] lev slope] := region_kept t; have rp : 0 < r t by lra.
have lr : 0 < level0 / r0 by apply: Rmult_lt_0_compat; [lra | exact: Rinv_0_lt_compat].
have lt : 0 < level (s t) / r t by apply: Rmult_lt_0_compat; [lra | exact: Rinv_0_lt_compat].
have Es : 0 <= E / spare by apply: Rmult_le_pos; [exact: factored_loss_ge0 | exact/Rlt_le/Rinv_0_lt_compat].
have main : level0 / r0 * exp (- (E / spare)) <= level (s t) / r t.
  rewrite -(exp_ln _ lr) -exp_plus -(exp_ln _ lt); apply: exp_le.
  by have := Rmult_le_pos _ _ Es (Rlt_le _ _ q0); lra.
have -> : slope0 * (r t / 2) = level0 / r0 * exp (- (E / spare)) * r t.
  by rewrite /factored_slope /Rdiv; field; lra.
have -> : level (s t) = level (s t) / r t * r t by field; lra.
by apply: Rmult_le_compat_r; lra.
Qed.

Lemma factored_slope_gt0 : 0 < slope0.
Proof.
by apply: Rmult_lt_0_compat; [apply: Rmult_lt_0_compat; [lra | exact: Rinv_0_lt_compat] | exact: exp_pos].
Qed.

Lemma growth_gt0 : 0 < growth.
Proof.
have a0 := factored_slope_gt0; have h0 := deficit_lt1; have hh : 0 < 1 - h * s0 by lra.
rewrite /factored_growth; apply: Rmult_lt_0_compat; last by apply: Rmult_lt_0_compat.
by apply: Rmult_lt_0_compat; [apply: Rmult_lt_0_compat => //; apply: Rmult_lt_0_compat; lra | lra].
Qed.

(* The loss: 1. *)
Lemma excess_falls t : s t.+1 <= s t - growth * (s t * s t).
Proof.
have H := region_kept t; have [_ _ _ _ fall] := step_numbers H; apply: Rle_trans fall _.
case: H => [[s1 s2] rr _ lev _]; have rp : 0 < r t by lra.
have a0 := factored_slope_gt0; have h0 := deficit_lt1; have lt := level_slope t.
have hs : h * s t <= h * s0 by apply: Rmult_le_compat_l.
have xl := x_low s2; set l := level (s t) in lev lt xl.
have low : (1 - h * s0) * s t * l <= x t.
  by apply: Rle_trans xl; apply: Rmult_le_compat_r; [lra | apply: Rmult_le_compat_r; lra].
set m := (1 - h * s0) * s t * l in low.
have m0 : 0 < m by apply: Rmult_lt_0_compat; [apply: Rmult_lt_0_compat; lra | lra].
have gr : 4 * (m * m) <= g t * r t by apply: Rle_trans (x_sqr t); nra.
have big : 2 * slope0 * level0 * ((1 - h * s0) * (1 - h * s0)) * (s t * s t) <= g t.
  apply: (Rmult_le_reg_r (r t)) => //; apply: Rle_trans gr.
  have -> : 4 * (m * m) = 4 * ((1 - h * s0) * (1 - h * s0)) * (s t * s t) * (l * l) by rewrite /m; ring.
  have -> : 2 * slope0 * level0 * ((1 - h * s0) * (1 - h * s0)) * (s t * s t) * r t =
            4 * ((1 - h * s0) * (1 - h * s0)) * (s t * s t) * (level0 * (slope0 * (r t / 2))) by field.
  apply: Rmult_le_compat_l.
    by apply: Rmult_le_pos; [apply: Rmult_le_pos; [lra | nra] | nra].
  by apply: Rmult_le_compat; [lra | apply: Rmult_le_pos; lra | lra | lra].
have dd : 0 < eta * (1 - delta s0 r0 / 2) by apply: Rmult_lt_0_compat; lra.
have -> : growth * (s t * s t) = eta * (1 - delta s0 r0 / 2) *
  (2 * slope0 * level0 * ((1 - h * s0) * (1 - h * s0)) * (s t * s t)) by rewrite /factored_growth; ring.
by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ dd) big; lra.
Qed.

Theorem excess_bound t : s t <= / (/ s0 + growth * INR t).
Proof.
have mu0 := growth_gt0.
suff : / s0 + growth * INR t <= / s t.
  move=> H; have [[s1 _] _ _ _ _] := region_kept t; rewrite -{1}(Rinv_inv (s t)).
  apply: Rinv_le_contravar H; have := Rinv_0_lt_compat _ s0_gt0.
  by have := Rmult_le_pos _ _ (Rlt_le _ _ mu0) (pos_INR t); lra.
elim: t => [|t IH]; first by rewrite /= Rmult_0_r; lra.
have [[s1 _] _ _ _ _] := region_kept t; have [[s2 _] _ _ _ _] := region_kept t.+1.
have fall := excess_falls t; rewrite S_INR.
have i1 := Rinv_0_lt_compat _ s1; have i2 := Rinv_0_lt_compat _ s2.
have : / s t + growth <= / s t.+1; last by lra.
apply: (Rmult_le_reg_r (s t * s t.+1)); first exact: Rmult_lt_0_compat.
have -> : (/ s t + growth) * (s t * s t.+1) = s t.+1 + growth * (s t * s t.+1) by field; lra.
have -> : / s t.+1 * (s t * s t.+1) = s t by field; lra.
have : growth * (s t * s t.+1) <= growth * (s t * s t); last lra.
apply: Rmult_le_compat_l; first lra; apply: Rmult_le_compat_l; first lra.
by have := Rmult_le_pos _ _ (Rlt_le _ _ mu0) (Rlt_le _ _ (Rmult_lt_0_compat _ _ s1 s1)); lra.
Qed.

(* 3: what the gradients add up to. *)
Theorem gradients_sum t :
  eta * eta * total g t <= eta * (s0 - s t) / (1 - delta s0 r0 / 2).
Proof.
have dd : 0 < 1 - delta s0 r0 / 2 by lra.
suff H : eta * (1 - delta s0 r0 / 2) * total g t <= s0 - s t.
  apply: (Rmult_le_reg_r (1 - delta s0 r0 / 2)) => //.
  rewrite /Rdiv [X in _ <= X]Rmult_assoc Rinv_l ?Rmult_1_r; last lra.
  by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ eta_gt0) H; lra.
elim: t => [|t IH]; first by rewrite total0; lra.
rewrite totalS; have [_ _ _ _ fall] := step_numbers (region_kept t).
lra.
Qed.
End Decay.
