(* JointRun: T20, decoder and attention trained together by normalised steps for ever (JOINT.md section 4): from one
   point where the conditions hold both directions converge, with their rates, the loss and the attention. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Losses Direction Growth Saturation JointModel JointAscent
                           JointDecoder JointAttention JointRegion JointInside JointStep.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- losses with an exponential tail ---- *)

Lemma exponential_pull f : 1 * exp (- f) <= - dloss exponential f <= exp (- f).
Proof. by rewrite /=; lra. Qed.

Lemma logistic_pull e f : 0 < e -> exp (- f) <= e -> / (1 + e) * exp (- f) <= - dloss logistic f <= exp (- f).
Proof.
move=> e_gt0 small; have f0 := exp_pos f; have m0 := exp_pos (- f).
have one : exp (- f) * exp f = 1 by rewrite -exp_plus Rplus_opp_l exp_0.
have -> : - dloss logistic f = exp (- f) / (1 + exp (- f)).
  rewrite /= Ropp_involutive; apply: (Rmult_eq_reg_r ((1 + exp f) * (1 + exp (- f)))); last nra.
  have -> : / (1 + exp f) * ((1 + exp f) * (1 + exp (- f))) = 1 + exp (- f) by field; lra.
  have -> : exp (- f) / (1 + exp (- f)) * ((1 + exp f) * (1 + exp (- f))) = exp (- f) + exp (- f) * exp f by field; lra.
  by rewrite one; ring.
rewrite /Rdiv (Rmult_comm (exp (- f))); split.
  by apply: Rmult_le_compat_r; [lra | apply: Rinv_le_contravar; lra].
rewrite -[X in _ <= X]Rmult_1_l; apply: Rmult_le_compat_r; first lra.
by rewrite -Rinv_1; apply: Rinv_le_contravar; lra.
Qed.

Lemma logistic_le f : 0 <= logistic f <= exp (- f).
Proof.
have m0 := exp_pos (- f); rewrite /=; split; first by rewrite -ln_1; apply: ln_le_ln; lra.
by have := ln_le_sub1 (x := 1 + exp (- f)); lra.
Qed.

(* ---- angles ---- *)

Lemma cosine_side (J : finType) (u x : vec J) l : dot u u = 1 -> 0 < dot x u ->
  vnorm2 (x - dot x u * u)%V <= l -> 1 - cosine u x <= l / (2 * (dot x u * dot x u)).
Proof.
move=> uu y0 side; set y := dot x u in y0 side *.
have E : vnorm x * vnorm x = y * y + vnorm2 (x - y * u)%V.
  by rewrite vnorm_sqr vnorm2B vnorm2Z dotZr -/y {3}/vnorm2 uu; ring.
have s0 := vnorm2_ge0 (x - y * u)%V; have N0 := vnorm_ge0 x; have yN : y <= vnorm x by apply: le_of_sqr_le => //; lra.
have Np : 0 < vnorm x by lra.
have yy : 0 < y * y by exact: Rmult_lt_0_compat.
have -> : 1 - cosine u x = vnorm2 (x - y * u)%V / (vnorm x * (vnorm x + y)).
  rewrite /cosine -/y; apply: (Rmult_eq_reg_r (vnorm x * (vnorm x + y))); last nra.
  rewrite /Rdiv [RHS]Rmult_assoc Rinv_l; last nra.
  have -> : (1 - y * / vnorm x) * (vnorm x * (vnorm x + y)) = vnorm x * vnorm x - y * y by field; lra.
  by rewrite E; ring.
apply: (Rle_trans _ (vnorm2 (x - y * u)%V / (2 * (y * y)))).
  apply: Rmult_le_compat_l => //; apply: Rinv_le_contravar; first lra.
  by have := Rmult_le_compat _ _ _ _ (Rlt_le _ _ y0) (Rlt_le _ _ y0) yN yN;
    have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ y0) yN; lra.
by apply: Rmult_le_compat_r => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
Qed.

Lemma cosine_small (J : finType) (u x : vec J) : vnorm u = 1 -> 0 < dot x u -> cosine u x <= 1.
Proof.
move=> uu y0; have le := dot_le_norms x u; rewrite uu Rmult_1_r in le.
by apply: (Rmult_le_reg_r (vnorm x)); [lra | rewrite /cosine /Rdiv Rmult_assoc Rinv_l; lra].
Qed.

Lemma limit_over (y : nat -> R) B : is_lim_seq y p_infty -> is_lim_seq (fun t => B / y t) 0.
Proof.
move=> Hy; rewrite (_ : Finite 0 = Rbar_mult B (Rbar_inv p_infty)); last by rewrite /= Rmult_0_r.
by apply: is_lim_seq_scal_l; apply: is_lim_seq_inv.
Qed.

(* From 1 by at most what tends to 0. *)
Lemma limit_one (x b : nat -> R) : (forall t, 1 - x t <= b t) -> (forall t, x t <= 1) -> is_lim_seq b 0 ->
  is_lim_seq x 1.
Proof.
move=> low high Hb; apply: (is_lim_seq_le_le (fun t => 1 - b t) _ (fun=> 1)) => [t||].
- by split; [have := low t; lra | exact: high].
- rewrite (_ : Finite 1 = Finite (1 - 0)); last by congr Finite; ring.
  by apply: is_lim_seq_minus'; [exact: is_lim_seq_const | exact: Hb].
exact: is_lim_seq_const.
Qed.

Section JointRun.
Variables (p : selection_problem) (J : finType) (g : token p -> vec J) (l : loss) (alpha : selection p).
Variables (L : pair_limit p J) (c : pair_constants) (v : nat -> vec J) (w : nat -> vec (coord p)) (eta : nat -> R).
Implicit Types (i : group p).
Notation Q := (constraint alpha).
Notation u := (value_ray L).
Notation Gv := (value_margin L).
Notation n := (row_ray L).
Notation gamma := (row_margin L).
Notation d := (pair_turned c).
Notation k := (pair_value_length c).
Notation A := (pair_aside c).
Notation y0 := (value_height L (v O)).
Notation Y0 := (row_height L (w O)).
Notation row_slope := (row_slope alpha L c).
Notation row_share := (row_share alpha L c (w O)).
Notation in_region := (in_pair_region g alpha L c (v O) (w O)).

(* How far the decoder is from its ray, and the square of that of the attention over its height. *)
Definition pair_lateral : R := vnorm (value_still L (v O)) + pair_reach c + pair_deficit c.   (* X' *)
Definition pair_spread : R := Rmax (A * A / Y0) (row_growth L c).

(* Where both are when the attention's steps have added up to S. *)
Record pair_at (S : R) (x : vec J) (z : vec (coord p)) : Prop := PairAt {
  value_climbs : y0 + pair_ratio c * S * ((Gv - d) / (k + d)) <= value_height L x;
  value_turns : 1 - cosine u x <= pair_lateral * pair_lateral / (2 * (value_height L x * value_height L x));
  row_climbs : Y0 + gamma / pair_row_length c * S <= row_height L z;
  row_turns : 1 - cosine n z <= pair_spread / (2 * row_height L z);
  loss_falls : joint_loss g l x z <=
    exp (- (Gv * value_height L x)) * (\sum_i weight i * exp (output_loss g alpha L c i));
  attention_selects : forall i, 1 - attention z (alpha i) <=
    \sum_(t | others alpha i t) row_share t * exp (- (row_slope t * (row_height L z - Y0)))
}.

Hypotheses (limit : proper_limit g alpha L) (conditions : pair_conditions g l alpha L c (v O) (w O)).
Hypothesis eta_range : forall t, 0 < eta t <= pair_step c.
Hypothesis run : trained_jointly g l (fun t => pair_ratio c * eta t) eta v w.
Hypothesis loss_le : forall f, l f <= exp (- f).

Let dir := row_limit limit.
Let gamma_gt0 : 0 < gamma := dir_margin_gt0 dir.

Lemma pair_starts : in_region (v O) (w O).
Proof.
have [y_gt0 Y_gt0] := first_heights conditions; have [_ side] := aside_first conditions.
have zero : row_height L (w O) - Y0 = 0 by ring.
split.
- exact: reach_first conditions.
- rewrite (_ : (_ - _)%V = vzero) ?vnorm0; last by vec_ring.
  right; rewrite zero /value_drift sum0 ?Rmult_0_r // => t _.
  by rewrite /row_drift Rmult_0_r Ropp_0 exp_0 Rminus_diag_eq // Rmult_0_r.
- by rewrite zero; lra.
- by right.
by rewrite zero; split; lra.
Qed.

Lemma pair_next t : v t.+1 = decoder_next g l c (v t) (w t) (eta t) /\ w t.+1 = attention_next g l (v t) (w t) (eta t).
Proof. exact: run t. Qed.

Theorem pair_for_ever t : in_region (v t) (w t).
Proof.
elim: t => [|t IH]; first exact: pair_starts.
have [-> ->] := pair_next t; exact: (pair_stays limit conditions IH (eta_range t)).
Qed.

Lemma climb_pace : 0 < (Gv - d) / (k + d).
Proof.
have [[d0 _] dG] := turned_range conditions; have [i _] := some_pull (value_shares_one limit).
have Gd : 0 < Gv - d by lra.
have := dot_le_norms (chosen_value g alpha i) u; rewrite (value_along limit) (value_unit limit).
by have := value_lengths conditions i; move=> *; apply: Rdiv_lt_0_compat; lra.
Qed.

Theorem T20 t : pair_at (total eta t) (v t) (w t).
Proof.
have inside := pair_for_ever t; have [y_gt0 Y_gt0] := first_heights conditions.
have [yy _] := values_above inside; have YY := rows_above inside.
have yt : 0 < value_height L (v t) by lra.
have Yt : 0 < row_height L (w t) by lra.
split.
- have := @linear_growth (fun s => value_height L (v s)) (fun s => (pair_ratio c * ((Gv - d) / (k + d))) * eta s).
  move=> H; rewrite (_ : pair_ratio c * total eta t * ((Gv - d) / (k + d)) =
    total (fun s => (pair_ratio c * ((Gv - d) / (k + d))) * eta s) t); last by rewrite total_scale; ring.
  apply: H => s; have [-> _] := pair_next s.
  by have [h _] := next_height limit conditions (pair_for_ever s) (eta_range s); lra.
- apply: cosine_side => //; first exact: value_unit_dot limit.
  have len : vnorm (v t - dot (v t) u * u)%V <= pair_lateral.
    have -> : (v t - dot (v t) u * u)%V = (value_still L (v O) + (value_part L (v t) - value_centre L) +
        (value_rest L (v t) - value_rest L (v O)))%V.
      by rewrite /value_still {2}/value_rest /value_height; vec_ring.
    apply: Rle_trans (vnorm_triangle _ _) _.
    have := vnorm_triangle (value_still L (v O)) (value_part L (v t) - value_centre L)%V.
    by have := near_centre inside; have := moved_bound limit conditions inside; rewrite /pair_lateral; lra.
  rewrite -vnorm_sqr; apply: Rmult_le_compat => //; exact: vnorm_ge0.
- have := @linear_growth (fun s => row_height L (w s)) (fun s => gamma / pair_row_length c * eta s).
  move=> H; rewrite -total_scale; apply: H => s; have [_ ->] := pair_next s.
  by have [h _] := next_rows limit conditions (pair_for_ever s) (eta_range s); lra.
- have nn := dir_unit dir; apply: (Rle_trans _ _ _ (cosine_side nn Yt (near_side inside))).
  have M1 := Rmax_l (A * A / Y0) (row_growth L c); have M2 := Rmax_r (A * A / Y0) (row_growth L c).
  rewrite -/pair_spread in M1 M2; rewrite -/(row_height L (w t)); set Y := row_height L (w t) in Yt YY *.
  have up : A * A + row_growth L c * (Y - Y0) <= pair_spread * Y.
    have a1 := Rmult_le_compat_r _ _ _ (Rlt_le _ _ Y_gt0) M1.
    have E : A * A / Y0 * Y0 = A * A by field; lra.
    by have := Rmult_le_compat_r (Y - Y0) _ _ (ltac:(lra)) M2; lra.
  apply: (Rle_trans _ (pair_spread * Y / (2 * (Y * Y)))).
    by apply: Rmult_le_compat_r up; apply/Rlt_le/Rinv_0_lt_compat; have := Rmult_lt_0_compat _ _ Yt Yt; lra.
  by right; field; lra.
- rewrite /joint_loss /training_loss sum_mull; apply: sum_le => i _.
  have w0 := weight_gt0 i; have := pair_output_ge limit conditions inside i; rewrite /joint_output => f_ge.
  rewrite -Rmult_assoc (Rmult_comm (exp _)) Rmult_assoc -exp_plus; apply: Rmult_le_compat_l; first exact: Rlt_le.
  by apply: Rle_trans (loss_le _) _; apply: exp_monotone; lra.
by move=> i; exact: (unselected_bound limit conditions inside i).
Qed.

(* ---- limits ---- *)

Hypotheses (diverges : is_lim_seq (total eta) p_infty) (loss_ge0 : forall f, 0 <= l f).

Lemma value_height_diverges : is_lim_seq (fun t => value_height L (v t)) p_infty.
Proof.
have [r0 _] := steps_gt0 conditions.
apply: (limit_linear (y0 := y0) (Rmult_lt_0_compat _ _ r0 climb_pace) diverges) => t.
by have := value_climbs (T20 t); lra.
Qed.

Lemma row_height_diverges : is_lim_seq (fun t => row_height L (w t)) p_infty.
Proof.
have [D0 _] := row_lengths conditions.
by apply: (limit_linear (y0 := Y0) (Rdiv_lt_0_compat _ _ gamma_gt0 D0) diverges) => t; exact: row_climbs (T20 t).
Qed.

Lemma heights_positive t : 0 < y0 <= value_height L (v t) /\ 0 < Y0 <= row_height L (w t).
Proof.
have [y_gt0 Y_gt0] := first_heights conditions; have [yy _] := values_above (pair_for_ever t).
by have := rows_above (pair_for_ever t).
Qed.

Theorem T20_decoder_direction : is_lim_seq (fun t => cosine u (v t)) 1.
Proof.
apply: (limit_one _ _ (limit_over (pair_lateral * pair_lateral / (2 * y0)) value_height_diverges)) => t;
  have [[y_gt0 yy] _] := heights_positive t.
  apply: Rle_trans (value_turns (T20 t)) _; set y := value_height L (v t) in yy *.
  have -> : pair_lateral * pair_lateral / (2 * y0) / y = pair_lateral * pair_lateral / (2 * (y0 * y)) by field; lra.
  apply: Rmult_le_compat_l; first exact: Rle_0_sqr.
  by apply: Rinv_le_contravar; have := Rmult_le_compat_r y _ _ (ltac:(lra)) yy; have := Rmult_lt_0_compat y0 y; lra.
by apply: cosine_small; [exact: value_unit limit | rewrite -/(value_height L (v t)); lra].
Qed.

Theorem T20_attention_direction : is_lim_seq (fun t => cosine n (w t)) 1.
Proof.
apply: (limit_one _ _ (limit_over (pair_spread / 2) row_height_diverges)) => t;
  have [_ [Y_gt0 YY]] := heights_positive t.
  by apply: Rle_trans (row_turns (T20 t)) _; right; field; lra.
by apply: cosine_small; [exact: unorm dir | rewrite -/(row_height L (w t)); lra].
Qed.

Theorem T20_loss : is_lim_seq (fun t => joint_loss g l (v t) (w t)) 0.
Proof.
have G0 := value_margin_gt0 limit; set B := \sum_i weight i * exp (output_loss g alpha L c i).
have B0 : 0 <= B by apply: sum_ge0 => i _; apply: Rmult_le_pos; [exact/Rlt_le/weight_gt0 | exact/Rlt_le/exp_pos].
apply: (is_lim_seq_le_le (fun=> 0) _ _ _ _ (is_lim_seq_const 0) (limit_over (B / Gv) value_height_diverges)) => t.
have [[y_gt0 yy] _] := heights_positive t; split.
  by apply: sum_ge0 => i _; apply: Rmult_le_pos; [exact/Rlt_le/weight_gt0 | exact: loss_ge0].
apply: Rle_trans (loss_falls (T20 t)) _; rewrite -/B; set y := value_height L (v t) in yy *.
have Gy : 0 < Gv * y by apply: Rmult_lt_0_compat; lra.
have -> : B / Gv / y = / (Gv * y) * B by field; lra.
apply: Rmult_le_compat_r => //; rewrite exp_Ropp; apply: Rinv_le_contravar => //.
by have := exp_ge_line (Gv * y); lra.
Qed.

Theorem T20_attention i : is_lim_seq (fun t => attention (w t) (alpha i)) 1.
Proof.
pose B := \sum_(t | others alpha i t) row_share t * (exp (row_slope t * Y0) / row_slope t).
apply: (limit_one _ _ (limit_over B row_height_diverges)) => s; last exact: attention_le1.
have [_ [Y_gt0 YY]] := heights_positive s; apply: Rle_trans (attention_selects (T20 s) i) _.
rewrite /B /Rdiv sum_mulr; apply: sum_le => t /andP[Qt _]; have [a0 _] := row_kept conditions Qt.
set Y := row_height L (w s) in YY *; rewrite Rmult_assoc; apply: Rmult_le_compat_l.
  exact/Rlt_le/(row_share_gt0 alpha L c (w O)).
have aY : 0 < row_slope t * Y by apply: Rmult_lt_0_compat; lra.
have -> : exp (- (row_slope t * (Y - Y0))) = exp (row_slope t * Y0) * exp (- (row_slope t * Y)).
  by rewrite -exp_plus; congr exp; ring.
rewrite Rmult_assoc; apply: Rmult_le_compat_l; first exact/Rlt_le/exp_pos.
rewrite -Rinv_mult exp_Ropp; apply: Rinv_le_contravar => //.
by have := exp_ge_line (row_slope t * Y); lra.
Qed.
End JointRun.
