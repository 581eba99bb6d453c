(* FarPull: what the constraints outside S add to the residual along a whole run (T14 and T15).

   Their weights decay with the height faster than e^(-gamma y). A step that raises the height by d at the rate speed
   per total weight adds at most a term of a left sum of an exponential, so all steps together add at most an
   integral, however they were chosen. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Growth.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* A term of a left sum of e^(-beta Y) with mesh at most h, against the increment of the integral. *)
Lemma left_sum_exp beta Y d h : 0 < beta -> 0 <= d <= h ->
  d * exp (- (beta * Y)) <= exp (beta * h) / beta * (exp (- (beta * Y)) - exp (- (beta * (Y + d)))).
Proof.
move=> b0 [d0 dh].
have -> : exp (- (beta * Y)) = exp (- (beta * (Y + d))) * exp (beta * d) by rewrite -exp_plus; congr exp; ring.
set E := exp (- (beta * (Y + d))); have E0 : 0 < E := exp_pos _.
have line := exp_ge_line (beta * d).
have hd : exp (beta * d) <= exp (beta * h) by apply: exp_le; apply: Rmult_le_compat_l; lra.
have e0 := exp_pos (beta * d).
apply: (Rmult_le_reg_l beta) => //.
have -> : beta * (exp (beta * h) / beta * (E * exp (beta * d) - E)) = E * (exp (beta * h) * (exp (beta * d) - 1)).
  by field; lra.
have -> : beta * (d * (E * exp (beta * d))) = E * (exp (beta * d) * (beta * d)) by ring.
apply: Rmult_le_compat_l; first lra.
by apply: Rmult_le_compat; try lra; apply: Rmult_le_pos; lra.
Qed.

Lemma spent_fraction beta Y : 0 < beta -> 0 <= Y -> 0 <= 1 - exp (- (beta * Y)) <= 1.
Proof.
move=> b0 Y0; have := exp_pos (- (beta * Y)); have bY : 0 <= beta * Y by apply: Rmult_le_pos; lra.
have := exp_le (x := - (beta * Y)) (y := 0) (ltac:(lra)); rewrite exp_0; lra.
Qed.

(* Weights of at most W_c e^(-(gamma + rate_c)(y - y_0)) at the height y, seen by steps of length at most h beside a
   total weight of at least e^(K - gamma y). *)
Record far_decay (C : finType) := FarDecay {
  decay_margin : R;          (* gamma *)
  decay_start : R;           (* y_0 *)
  decay_floor : R;           (* K *)
  decay_step : R;            (* h *)
  decay_speed : R;
  decay_weight : C -> R;     (* W *)
  decay_rate : C -> R
}.

Section FarPull.
Variables (J C : finType) (F : pred C) (k : far_decay C).
Notation gamma := (decay_margin k).
Notation y0 := (decay_start k).
Notation K := (decay_floor k).
Notation h := (decay_step k).
Notation speed := (decay_speed k).
Notation W := (decay_weight k).
Notation rate := (decay_rate k).
Implicit Types d : C -> vec J.

(* A constraint's share for all steps, and what is spent of it when the height has grown by Y. *)
Definition far_total (c : C) : R := / speed * (W c * exp (gamma * y0 - K) * (exp (rate c * h) / rate c)).
Definition far_sum d : R := \sum_(c | F c) vnorm (d c) * far_total c.
Definition far_spent d (Y : R) : R := \sum_(c | F c) vnorm (d c) * far_total c * (1 - exp (- (rate c * Y))).

Record far_decays : Prop := FarDecays {
  decay_speed_gt0 : 0 < speed;
  decay_weight_ge0 : forall c, F c -> 0 <= W c;
  decay_rate_gt0 : forall c, F c -> 0 < rate c
}.
Hypothesis decays : far_decays.

Lemma far_total_ge0 c : F c -> 0 <= far_total c.
Proof.
move=> Fc; apply: Rmult_le_pos; first exact/Rlt_le/Rinv_0_lt_compat/(decay_speed_gt0 decays).
apply: Rmult_le_pos; first by apply: Rmult_le_pos; [exact: decay_weight_ge0 decays _ Fc | exact/Rlt_le/exp_pos].
by apply: Rmult_le_pos; [exact/Rlt_le/exp_pos | exact/Rlt_le/Rinv_0_lt_compat/(decay_rate_gt0 decays Fc)].
Qed.

Lemma far_spent_start d : far_spent d 0 = 0.
Proof. by apply: sum0 => c _; rewrite Rmult_0_r Ropp_0 exp_0; ring. Qed.

Lemma far_spent_range d Y : 0 <= Y -> 0 <= far_spent d Y <= far_sum d.
Proof.
move=> Y0; split; [apply: sum_ge0 | apply: sum_le] => c Fc; have part := spent_fraction (decay_rate_gt0 decays Fc) Y0;
  have f0 := Rmult_le_pos _ _ (vnorm_ge0 (d c)) (far_total_ge0 Fc); first by apply: Rmult_le_pos; lra.
by have := Rmult_le_compat_l _ _ _ f0 (proj2 part); lra.
Qed.

(* One step: from the height y to y', with weights omega beside the total Om. *)
Theorem far_step d (omega : C -> R) tau Om y y' : 0 < tau -> exp (K - gamma * y) <= Om ->
  tau * (Om * speed) <= y' - y <= h ->
  (forall c, F c -> Rabs (omega c) <= W c * exp (- ((gamma + rate c) * (y - y0)))) ->
  tau * (\sum_(c | F c) Rabs (omega c) * vnorm (d c)) <= far_spent d (y' - y0) - far_spent d (y - y0).
Proof.
move=> t0 tot [r1 r2] small; have s0 := decay_speed_gt0 decays; set rise := y' - y in r1 r2.
have r0 : 0 <= rise.
  apply: Rle_trans r1; apply: Rmult_le_pos; first lra.
  by apply: Rmult_le_pos; [have := exp_pos (K - gamma * y); lra | lra].
have tO : tau <= / speed * rise * exp (gamma * y - K).
  apply: (Rmult_le_reg_r (exp (K - gamma * y))); first exact: exp_pos.
  rewrite (Rmult_assoc _ (exp _)) -exp_plus (_ : gamma * y - K + (K - gamma * y) = 0) ?exp_0; last by ring.
  apply: (Rmult_le_reg_l speed) => //; have -> : speed * (/ speed * rise * 1) = rise by field; lra.
  have : tau * exp (K - gamma * y) * speed <= tau * Om * speed.
    by apply: Rmult_le_compat_r; [lra | apply: Rmult_le_compat_l; lra].
  lra.
rewrite /far_spent -sumB sum_mull; apply: sum_le => c Fc.
have e0 := decay_rate_gt0 decays Fc; have W0 := decay_weight_ge0 decays Fc; have sp := vnorm_ge0 (d c).
set Y := y - y0; have -> : y' - y0 = Y + rise by rewrite /Y /rise; ring.
have left_sum := left_sum_exp Y e0 (conj r0 r2); have ww := small c Fc; rewrite -/Y in ww.
apply: (Rle_trans _ (/ speed * rise * exp (gamma * y - K) * (W c * exp (- ((gamma + rate c) * Y)) * vnorm (d c)))).
  apply: Rmult_le_compat; [lra | by apply: Rmult_le_pos => //; exact: Rabs_pos | exact: tO |].
  exact: Rmult_le_compat_r.
have merge : exp (gamma * y - K) * exp (- ((gamma + rate c) * Y)) = exp (gamma * y0 - K) * exp (- (rate c * Y)).
  by rewrite -!exp_plus; congr exp; rewrite /Y; ring.
have -> : / speed * rise * exp (gamma * y - K) * (W c * exp (- ((gamma + rate c) * Y)) * vnorm (d c))
  = / speed * rise * vnorm (d c) * W c * (exp (gamma * y - K) * exp (- ((gamma + rate c) * Y))) by ring.
rewrite merge.
have -> : vnorm (d c) * far_total c * (1 - exp (- (rate c * (Y + rise))))
    - vnorm (d c) * far_total c * (1 - exp (- (rate c * Y)))
  = / speed * vnorm (d c) * W c * exp (gamma * y0 - K) *
     (exp (rate c * h) / rate c * (exp (- (rate c * Y)) - exp (- (rate c * (Y + rise))))).
  by rewrite /far_total; ring.
have -> : / speed * rise * vnorm (d c) * W c * (exp (gamma * y0 - K) * exp (- (rate c * Y)))
  = / speed * vnorm (d c) * W c * exp (gamma * y0 - K) * (rise * exp (- (rate c * Y))) by ring.
apply: Rmult_le_compat_l => //; apply: Rmult_le_pos; last exact/Rlt_le/exp_pos.
by apply: Rmult_le_pos => //; apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
Qed.

(* The same for a combination of vectors. *)
Corollary far_combine d (omega : C -> R) tau Om y y' : 0 < tau -> exp (K - gamma * y) <= Om ->
  tau * (Om * speed) <= y' - y <= h ->
  (forall c, F c -> Rabs (omega c) <= W c * exp (- ((gamma + rate c) * (y - y0)))) ->
  vnorm (tau * combine F omega d) <= far_spent d (y' - y0) - far_spent d (y - y0).
Proof.
move=> t0 tot rise small; apply: Rle_trans (far_step d t0 tot rise small).
by rewrite vnormZ Rabs_pos_eq; [apply: Rmult_le_compat_l; [lra | exact: vnorm_combine] | lra].
Qed.
End FarPull.
