(* HeadRanges: the ranges of a head's factors from ranges of its slopes (DYNAMICS.md section 11).

   Gamma_t, how much more slope token t has than the selected one, is a scalar loss's |l'| (g_alpha - g_t). With
   delta the mean of Gamma, b_t = kappa_t wt s_alpha (Gamma_t - delta); where little attention leaves the selected
   tokens, delta is small. Ranges of the Gamma_t there give a `factor_range`, and how fast they approach their limits
   a `factor_limit`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Heads Direction Growth Saturation FactorRange LocalRanges
                           BoundedSelection OddsLimit.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section HeadRanges.
Variables (p : selection_problem) (alpha : selection p) (h : head p).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation copies := (copies alpha).

(* Gamma and delta *)
Definition slope_gap z t : R :=
  head_slope h (group_of t) (attention z) t - head_slope h (group_of t) (attention z) (selected alpha t).
Definition mean_gap z i : R := \sum_(t | others i t) attention z t * slope_gap z t.

Lemma head_factor_gap z t :
  head_factor alpha h z t = copies t * (weight (group_of t) * attention z (selected alpha t) *
    (slope_gap z t - mean_gap z (group_of t))).
Proof.
rewrite /head_factor; congr (_ * (_ * _)); set i := group_of t.
have -> : mean_slope h z i = head_slope h i (attention z) (alpha i) + mean_gap z i.
  rewrite /mean_slope (group_sum alpha).
  have -> : \sum_(j | others i j) attention z j * head_slope h i (attention z) j =
      mean_gap z i + (1 - attention z (alpha i)) * head_slope h i (attention z) (alpha i).
    rewrite (attention_deficit_sum alpha) sum_mulr -sumD; apply: eq_bigr => j /andP[_ /eqP ji].
    by rewrite /slope_gap /selected ji; ring.
  ring.
by rewrite /slope_gap -/i /selected -/i; ring.
Qed.

(* ---- ranges ---- *)

Record slope_bounds := SlopeBounds {
  slope_kept : pred (token p);        (* P *)
  slope_attention : group p -> R;     (* eps bounds the attention off the selected token *)
  slope_low : token p -> R;           (* Gamma_t is between low and high *)
  slope_high : token p -> R;
  slope_over : group p -> R;          (* and between -under and over for all tokens of the group *)
  slope_under : group p -> R
}.

Variable r : slope_bounds.
Notation P := (slope_kept r).
Notation eps := (slope_attention r).
Notation lo := (slope_low r).
Notation hi := (slope_high r).
Notation over := (slope_over r).
Notation under := (slope_under r).

Definition slope_factors : factor_bounds (token p) :=
  FactorBounds P
    (fun t => copies t * (weight (group_of t) * (1 - eps (group_of t)) * (lo t - eps (group_of t) * over (group_of t))))
    (fun t => copies t * (weight (group_of t) * (hi t + eps (group_of t) * under (group_of t))))
    (fun t => copies t * (weight (group_of t) * (Rmax (Rabs (lo t)) (Rabs (hi t)) +
                                               eps (group_of t) * Rmax (over (group_of t)) (under (group_of t))))).

(* The points at which at most eps of the attention is off the selected tokens. *)
Definition attended z : Prop := forall i, 1 - attention z (alpha i) <= eps i.

Record slope_ranges : Prop := SlopeRanges {
  slope_kept_constraint : forall t, P t -> Q t;
  slope_eps_range : forall i, 0 <= eps i < 1;
  slope_gap_range : forall z, attended z -> forall t, Q t -> lo t <= slope_gap z t <= hi t;
  slope_over_ge : forall t, Q t -> hi t <= over (group_of t);
  slope_under_ge : forall t, Q t -> - under (group_of t) <= lo t;
  slope_over_ge0 : forall i, 0 <= over i;
  slope_under_ge0 : forall i, 0 <= under i;
  slope_kept_gap : forall t, P t -> eps (group_of t) * over (group_of t) < lo t
}.

Hypothesis ranges : slope_ranges.

Section Above.
Variable z : vec (coord p).
Hypothesis above : attended z.

(* A mean over the other tokens is a small share of their largest value. *)
Lemma mean_gap_range i : - (eps i * under i) <= mean_gap z i <= eps i * over i.
Proof.
have a0 t : 0 <= attention z t := Rlt_le _ _ (attention_gt0 z t).
have e := above i; have d := attention_deficit_sum alpha z i.
have gaps t : others i t -> - under i <= slope_gap z t <= over i.
  move=> ti; have Qt : Q t by case/andP: ti.
  have := slope_gap_range ranges above Qt; have := slope_over_ge ranges Qt; have := slope_under_ge ranges Qt.
  by case/andP: ti => _ /eqP ->; lra.
split.
  apply: (Rle_trans _ (\sum_(t | others i t) attention z t * - under i)).
    by rewrite -sum_mulr -d; have := Rmult_le_compat_r _ _ _ (slope_under_ge0 ranges i) e; lra.
  by apply: sum_le => t /gaps g; apply: Rmult_le_compat_l => //; lra.
apply: (Rle_trans _ (\sum_(t | others i t) attention z t * over i)).
  by apply: sum_le => t /gaps g; apply: Rmult_le_compat_l => //; lra.
by rewrite -sum_mulr -d; have := Rmult_le_compat_r _ _ _ (slope_over_ge0 ranges i) e; lra.
Qed.

Lemma slope_in_range t : P t -> factor_low slope_factors t <= head_factor alpha h z t <= factor_high slope_factors t.
Proof.
move=> Pt; have Qt := slope_kept_constraint ranges Pt; rewrite head_factor_gap /selected /=; set i := group_of t.
have g := slope_gap_range ranges above Qt; have m := mean_gap_range i; have kept := slope_kept_gap ranges Pt.
rewrite -/i in kept; have [e0 e1] := slope_eps_range ranges i; have e := above i.
have k0 := Rlt_le _ _ (copies_gt0 alpha t); have w0 := weight_gt0 i; have s1 := attention_le1 alpha z (alpha i).
set s := attention z (alpha i) in e s1 *; set d := slope_gap z t - mean_gap z i.
have dl : lo t - eps i * over i <= d by rewrite /d; lra.
have dh : d <= hi t + eps i * under i by rewrite /d; lra.
split; apply: Rmult_le_compat_l => //; rewrite !(Rmult_assoc (weight i)); apply: Rmult_le_compat_l; try lra.
  by apply: Rmult_le_compat; lra.
by apply: Rle_trans dh; have := Rmult_le_compat_r d s 1 (ltac:(lra)) s1; lra.
Qed.

Lemma slope_outside t : Q t -> Rabs (head_factor alpha h z t) <= factor_size slope_factors t.
Proof.
move=> Qt; rewrite head_factor_gap /selected /=; set i := group_of t.
have g := slope_gap_range ranges above Qt; have m := mean_gap_range i; have [e0 e1] := slope_eps_range ranges i.
have k0 := Rlt_le _ _ (copies_gt0 alpha t); have w0 := weight_gt0 i; have s1 := attention_le1 alpha z (alpha i).
have s0 := attention_gt0 z (alpha i); set s := attention z (alpha i) in s0 s1 *.
rewrite Rabs_mult (Rabs_pos_eq (copies t)) //; apply: Rmult_le_compat_l => //.
rewrite !(Rmult_assoc (weight i)) Rabs_mult (Rabs_pos_eq (weight i)); last lra.
apply: Rmult_le_compat_l; first lra.
have d : Rabs (slope_gap z t - mean_gap z i) <= Rmax (Rabs (lo t)) (Rabs (hi t)) + eps i * Rmax (over i) (under i).
  apply: Rle_trans (Rabs_triang _ _) _; rewrite Rabs_Ropp; apply: Rplus_le_compat; apply: Rabs_le.
    have := Rmax_l (Rabs (lo t)) (Rabs (hi t)); have := Rmax_r (Rabs (lo t)) (Rabs (hi t)).
    have := Rle_abs (hi t); have := Rle_abs (- lo t); rewrite Rabs_Ropp; lra.
  have := Rmult_le_compat_l _ _ _ e0 (Rmax_l (over i) (under i)).
  have := Rmult_le_compat_l _ _ _ e0 (Rmax_r (over i) (under i)); lra.
rewrite Rabs_mult (Rabs_pos_eq s); last lra.
by apply: Rle_trans d; have := Rmult_le_compat_r _ _ _ (Rabs_pos (slope_gap z t - mean_gap z i)) s1; lra.
Qed.
End Above.

(* What T10, T11 and T14 need of such a head. *)
Section Margins.
Variable low : token p -> R.
Hypothesis inside : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.

Theorem slope_factor_range : factor_range Q (Delta alpha) (head_factor alpha h) low slope_factors.
Proof.
split=> [t|t Pt|z Hz t Pt|z Hz t Qt _]; [exact: slope_kept_constraint | |
  exact (slope_in_range (attention_range inside Hz) Pt) | exact (slope_outside (attention_range inside Hz) Qt)].
have e := slope_eps_range ranges (group_of t); have g := slope_kept_gap ranges Pt.
apply: Rmult_lt_0_compat; first exact: copies_gt0.
by apply: Rmult_lt_0_compat; [apply: Rmult_lt_0_compat; [exact: weight_gt0 | lra] | lra].
Qed.

(* ---- limits ---- *)

Variables (S : pred (token p)) (gap_limit : token p -> R) (deviation gap_least : group p -> R).

(* Where attention q leaves the selected token, Gamma_t - delta is at most deviation_i q away from its limit. *)
Record slope_limits : Prop := SlopeLimits {
  slope_limit_constraint : forall t, S t -> Q t;
  slope_deviation_ge0 : forall i, 0 <= deviation i;
  slope_least_gt0 : forall i, 0 < gap_least i;
  slope_least_le : forall t, S t -> gap_least (group_of t) <= gap_limit t;
  slope_deviation : forall z, attended z -> forall t, S t ->
    Rabs (slope_gap z t - mean_gap z (group_of t) - gap_limit t) <=
      deviation (group_of t) * (1 - attention z (alpha (group_of t)));
  slope_room : forall t, S t -> 2 * (eps (group_of t) * deviation (group_of t)) <= gap_limit t
}.
Hypothesis limits : slope_limits.

Definition slope_limit t : R := copies t * (weight (group_of t) * gap_limit t).
Definition slope_group_rate i : R := 1 + 2 * ln 2 * (deviation i / gap_least i).
Definition slope_rate t : R := copies t * (if meets S (group_of t) then slope_group_rate (group_of t) else 0).

Lemma slope_group_rate_ge0 i : 0 <= slope_group_rate i.
Proof.
have q := Rmult_le_pos _ _ (slope_deviation_ge0 limits i)
  (Rlt_le _ _ (Rinv_0_lt_compat _ (slope_least_gt0 limits i))).
by have := Rmult_le_pos _ _ (Rlt_le _ _ ln2_gt0) q; rewrite /slope_group_rate /Rdiv; lra.
Qed.

Lemma slope_log_odds z t : attended z -> S t ->
  Rabs (ln (head_factor alpha h z t) - ln (slope_limit t)) <=
    slope_group_rate (group_of t) * odds alpha z (group_of t).
Proof.
move=> above St; have Qt := slope_limit_constraint limits St; set i := group_of t.
have off := above i.
set E := odds alpha z i; have E0 : 0 <= E := odds_ge0 alpha z i.
have qE := attention_deficit_le alpha z i; rewrite -/E in qE.
have s0 := attention_gt0 z (alpha i); have s1 := attention_le1 alpha z (alpha i).
have lnE : Rabs (ln (attention z (alpha i))) <= E := selected_log_odds alpha z i.
have l2 := ln2_gt0; have l0 := slope_least_gt0 limits i; have ll := slope_least_le limits St.
rewrite -/i in ll; have g0 : 0 < gap_limit t by lra.
have A0 := slope_deviation_ge0 limits i; have dev := slope_deviation limits above St; rewrite -/i in dev.
have room := slope_room limits St; rewrite -/i in room.
set q := 1 - attention z (alpha i) in qE off dev; set A := deviation i in A0 dev room.
set d := slope_gap z t - mean_gap z i in dev; have q0 : 0 <= q by rewrite /q; lra.
have Aq : A * q <= eps i * A by have := Rmult_le_compat_l _ _ _ A0 off; lra.
have half : Rabs (d - gap_limit t) <= gap_limit t / 2 by lra.
have d0 : 0 < d by have /Rabs_le_between := half; lra.
have k0 := copies_gt0 alpha t; have w0 := weight_gt0 i; have ws := Rmult_lt_0_compat _ _ w0 s0.
have near : Rabs (ln d - ln (gap_limit t)) <= 2 * ln 2 * (A / gap_least i) * E.
  have -> : ln d - ln (gap_limit t) = ln (1 - (gap_limit t - d) / gap_limit t).
    have -> : 1 - (gap_limit t - d) / gap_limit t = d / gap_limit t by field; lra.
    by rewrite ln_div.
  have ab : Rabs ((gap_limit t - d) / gap_limit t) <= A * q / gap_limit t.
    rewrite /Rdiv Rabs_mult (Rabs_pos_eq (/ _)); last exact/Rlt_le/Rinv_0_lt_compat.
    apply: Rmult_le_compat_r; first exact/Rlt_le/Rinv_0_lt_compat.
    by rewrite -Rabs_Ropp; have -> : - (gap_limit t - d) = d - gap_limit t by ring.
  have le2 : A * q / gap_limit t <= 1 / 2.
    by apply: (Rmult_le_reg_r (gap_limit t)) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
  apply: Rle_trans (ln_near_one (Rle_trans _ _ _ ab le2)) _.
  have -> : 2 * ln 2 * (A / gap_least i) * E = 2 * ln 2 * (A * E / gap_least i) by rewrite /Rdiv; ring.
  apply: Rmult_le_compat_l; first lra.
  apply: Rle_trans ab _.
  apply: Rmult_le_compat; [exact: Rmult_le_pos | exact/Rlt_le/Rinv_0_lt_compat | exact: Rmult_le_compat_l |].
  exact: Rinv_le_contravar.
rewrite head_factor_gap /slope_limit /selected -/i -/d.
rewrite (ln_mult _ _ k0 (Rmult_lt_0_compat _ _ ws d0)) (ln_mult _ _ k0 (Rmult_lt_0_compat _ _ w0 g0)).
rewrite (ln_mult _ _ ws d0) (ln_mult _ _ w0 s0) (ln_mult _ _ w0 g0).
rewrite /slope_group_rate -/i -/A -/E; set x := ln (attention z (alpha i)) in lnE *; set y := ln d in near *.
have -> : ln (copies t) + (ln (weight i) + x + y) - (ln (copies t) + (ln (weight i) + ln (gap_limit t))) =
  x + (y - ln (gap_limit t)) by ring.
have := Rabs_triang x (y - ln (gap_limit t)); lra.
Qed.


Lemma slope_limit_gt0 t : S t -> 0 < slope_limit t.
Proof.
move=> St; apply: Rmult_lt_0_compat; first exact: copies_gt0.
apply: Rmult_lt_0_compat; first exact: weight_gt0.
by have := slope_least_gt0 limits (group_of t); have := slope_least_le limits St; lra.
Qed.

(* What T15 needs of such a head. *)
Theorem slope_factor_limit :
  factor_limit Q (Delta alpha) (head_factor alpha h) low S slope_limit slope_rate.
Proof.
exact (odds_factor_limit slope_limit_gt0 slope_group_rate_ge0
  (fun z Hz t => slope_log_odds (attention_range inside Hz))).
Qed.
End Margins.
End HeadRanges.
