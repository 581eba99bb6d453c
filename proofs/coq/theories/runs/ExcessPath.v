(* ExcessPath: T21 of any loss that attention off the selected tokens raises (DYNAMICS.md section 11, T21).

   A group's loss above that of its selected token is at least a slope times the mean of numbers rise_t > 0 under the
   attention of its other tokens, and falls like e^(-gamma r) along the ray r u, on which the margins grow. Then
   whatever is no worse than r u, for a far r, has margins of at least gamma r - log (A/B_c). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Losses Claims Direction Saturation.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Bounds.
Variable p : selection_problem.

Record cost_bounds := CostBounds {
  cost_rise : token p -> R;
  cost_slope : group p -> R;
  cost_most : group p -> R;     (* times e^(-gamma r), at least a group's excess at r u *)
  cost_lost : group p -> R      (* theta, what the selected token may lose of the attention *)
}.

Variables (alpha : selection p) (b : cost_bounds).
Notation weight := (weight (s := p)).

Definition cost_scale : R := \sum_i weight i * cost_most b i.   (* A *)
Definition cost_floor (t : token p) : R :=                       (* B_c *)
  weight (group_of t) * cost_slope b (group_of t) * (1 - cost_lost b (group_of t)) * cost_rise b t *
    copies alpha t.
Definition lost_rise (w : vec (coord p)) (i : group p) : R :=
  \sum_(t | others alpha i t) attention w t * cost_rise b t.
End Bounds.

Section Path.
Variables (p : selection_problem) (alpha : selection p) (excess : vec (coord p) -> group p -> R).
Variables (u : vec (coord p)) (gamma from : R) (b : cost_bounds p).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation copies := (copies alpha).
Notation margin := (margin alpha).
Notation rise := (cost_rise b).
Notation slope := (cost_slope b).
Notation theta := (cost_lost b).
Notation A := (cost_scale b).
Notation B := (cost_floor alpha b).
Notation lost := (lost_rise alpha b).
Implicit Types (w : vec (coord p)) (t : token p) (i : group p).
Hypothesis gamma_gt0 : 0 < gamma.
Hypothesis some_constraint : exists t, Q t.

Record cost_ranges : Prop := CostRanges {
  cost_from_gt0 : 0 < from;
  cost_rise_gt0 : forall t, Q t -> 0 < rise t;
  cost_slope_gt0 : forall i, 0 < slope i;
  cost_ge : forall w i, slope i * lost w i <= excess w i;
  cost_ray : forall r i, from <= r -> excess (r * u)%V i <= cost_most b i * exp (- (gamma * r));
  cost_lost_lt1 : forall i, theta i < 1;
  cost_lost_large : forall t, Q t ->
    A * exp (- (gamma * from)) <= theta (group_of t) * (weight (group_of t) * slope (group_of t) * rise t)
}.
Hypothesis ranges : cost_ranges.

Definition total_excess w : R := \sum_i weight i * excess w i.

Lemma rise_of_other i t : others i t -> 0 < rise t.
Proof. by case/andP=> Qt _; exact: (cost_rise_gt0 ranges). Qed.

Lemma lost_rise_term_ge0 w i t : others i t -> 0 <= attention w t * rise t.
Proof. by move/rise_of_other => g0; have := attention_gt0 w t => a0; apply: Rmult_le_pos; lra. Qed.

Lemma lost_rise_ge0 w i : 0 <= lost w i.
Proof. by apply: sum_ge0 => t; exact: lost_rise_term_ge0. Qed.

Lemma lost_rise_le w i : weight i * slope i * lost w i <= total_excess w.
Proof.
have w0 j := weight_gt0 (s := p) j; have s0 j := cost_slope_gt0 ranges j.
rewrite Rmult_assoc; apply: (Rle_trans _ (weight i * excess w i)).
  by apply: Rmult_le_compat_l; [exact: Rlt_le | exact: (cost_ge ranges)].
apply: (sum_term_le (F := fun j => weight j * excess w j)) => // j _; apply: Rmult_le_pos; first exact: Rlt_le.
apply: Rle_trans (cost_ge ranges w j); apply: Rmult_le_pos; [exact: Rlt_le | exact: lost_rise_ge0].
Qed.

Lemma excess_on_ray r : from <= r -> total_excess (r * u)%V <= A * exp (- (gamma * r)).
Proof.
move=> fr; rewrite /cost_scale sum_mulr; apply: sum_le => i _; rewrite Rmult_assoc.
by apply: Rmult_le_compat_l; [exact/Rlt_le/weight_gt0 | exact: (cost_ray ranges)].
Qed.

Variables (r : R) (w : vec (coord p)).
Hypothesis far : from <= r.
Hypothesis no_worse : total_excess w <= total_excess (r * u)%V.

Lemma lost_rise_small i : weight i * slope i * lost w i <= A * exp (- (gamma * r)).
Proof. exact: Rle_trans (lost_rise_le w i) (Rle_trans _ _ _ no_worse (excess_on_ray far)). Qed.

Lemma lost_rise_gt0 t : Q t -> 0 < lost w (group_of t).
Proof.
move=> Qt; apply: (sum_gt0 (F := fun s => attention w s * rise s) (i := t)) => [s|  |].
- exact: lost_rise_term_ge0.
- exact: others_self.
by apply: Rmult_lt_0_compat; [exact: attention_gt0 | exact: (cost_rise_gt0 ranges)].
Qed.

Lemma cost_weight_gt0 i : 0 < weight i * slope i.
Proof. by apply: Rmult_lt_0_compat; [exact: weight_gt0 | exact: (cost_slope_gt0 ranges)]. Qed.

Lemma cost_scale_gt0 : 0 < A.
Proof.
have [t Qt] := some_constraint; have e0 := exp_pos (- (gamma * r)).
have := Rmult_lt_0_compat _ _ (cost_weight_gt0 (group_of t)) (lost_rise_gt0 Qt).
by have := lost_rise_small (group_of t); nra.
Qed.

Theorem cost_attention t : Q t -> 1 - theta (group_of t) <= attention w (alpha (group_of t)).
Proof.
move=> Qt; set i := group_of t; have A0 := cost_scale_gt0; have v0 := cost_weight_gt0 i.
set e0 := exp (- (gamma * from)); have pe : 0 < e0 by exact: exp_pos.
suff : (1 - attention w (alpha i)) * (A * e0) <= theta i * (A * e0).
  by move/Rmult_le_reg_r => /(_ (Rmult_lt_0_compat _ _ A0 pe)); lra.
have th0 : 0 < theta i.
  have := cost_lost_large ranges Qt; rewrite -/i -/e0 => h; have := Rmult_lt_0_compat _ _ A0 pe.
  by have := Rmult_lt_0_compat _ _ v0 (cost_rise_gt0 ranges Qt); nra.
apply: (@Rle_trans _ (theta i * (weight i * slope i * lost w i))); last first.
  apply: Rmult_le_compat_l; first lra.
  have d : exp (- (gamma * r)) <= e0.
    by apply: exp_monotone; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ gamma_gt0) far; lra.
  by apply: Rle_trans (lost_rise_small i) _; nra.
rewrite attention_deficit_sum sum_mulr /lost_rise !sum_mull; apply: sum_le => s si.
have := cost_lost_large ranges (proj1 (andP si)); have /andP[_ /eqP ->] := si; rewrite -/e0 => h.
by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (attention_gt0 w s)) h; lra.
Qed.

Lemma cost_floor_gt0 t : Q t -> 0 < B t.
Proof.
move=> Qt; apply: Rmult_lt_0_compat (copies_gt0 _ _).
apply: Rmult_lt_0_compat (cost_rise_gt0 ranges Qt); apply: Rmult_lt_0_compat (cost_weight_gt0 _) _.
by have := cost_lost_lt1 ranges (group_of t); lra.
Qed.

Theorem cost_margin t : Q t -> gamma * r - ln (A / B t) <= margin w t.
Proof.
move=> Qt; set i := group_of t; have A0 := cost_scale_gt0; have B0 := cost_floor_gt0 Qt.
have g0 := cost_rise_gt0 ranges Qt; have v0 := cost_weight_gt0 i; have ti := others_self Qt; rewrite -/i in ti.
set m := margin w t; have em := exp_pos (- m).
have kept : B t * exp (- m) <= A * exp (- (gamma * r)).
  apply: Rle_trans (lost_rise_small i); rewrite /cost_floor -/i !(Rmult_assoc (weight i * slope i)).
  apply: Rmult_le_compat_l; first lra.
  apply: Rle_trans (sum_term_le (F := fun s => attention w s * rise s) (@lost_rise_term_ge0 w i) ti).
  rewrite (attention_other w ti) -/m; have := cost_attention Qt; rewrite -/i => h.
  have := Rmult_le_compat_r _ _ _
    (Rlt_le _ _ (Rmult_lt_0_compat _ _ (Rmult_lt_0_compat _ _ g0 (copies_gt0 alpha t)) em)) h.
  lra.
have below : exp (gamma * r - m) <= A / B t.
  apply: (Rmult_le_reg_r (B t * exp (- (gamma * r)))).
    by apply: Rmult_lt_0_compat B0 _; exact: exp_pos.
  have -> : A / B t * (B t * exp (- (gamma * r))) = A * exp (- (gamma * r)) by field; lra.
  have -> : exp (gamma * r - m) * (B t * exp (- (gamma * r))) = B t * exp (- m); last exact: kept.
  rewrite (_ : - m = gamma * r - m + - (gamma * r)); last by ring.
  by rewrite exp_plus; ring.
have : gamma * r - m <= ln (A / B t).
  rewrite -[X in X <= _]ln_exp; case: below => [lt | ->]; last by right.
  by left; apply: ln_increasing => //; exact: exp_pos.
lra.
Qed.
End Path.

(* ---- the angle, in the Euclidean norm ---- *)

Section Height.
Variables (p : selection_problem) (alpha : selection p) (excess : vec (coord p) -> group p -> R).
Variables (ws : vec (coord p)) (lam : token p -> R) (from : R) (b : cost_bounds p).
Notation Q := (constraint alpha).
Notation margin := (margin alpha).
Notation u := (margin_direction ws).
Notation gamma := (margin_value ws).
Notation mu := (multiplier_weights alpha lam).

Hypothesis solution : solution_with alpha ws lam.
Hypothesis some_constraint : exists t, Q t.
Hypothesis ranges : cost_ranges alpha excess u gamma from b.
Let ws_gt0 : 0 < vnorm ws := solution_norm_gt0 (proj1 (proj1 solution)) some_constraint.

(* kappa/gamma *)
Definition cost_rate : R :=
  vnorm ws * (\sum_(t | Q t) mu t * ln (cost_scale b / cost_floor alpha b t)).

Theorem cost_height r w : from <= r -> total_excess excess w <= total_excess excess (r * u)%V ->
  r - cost_rate <= dot u w.
Proof.
move=> far no_worse; have g0 : 0 < gamma by exact: Rinv_0_lt_compat.
have dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) some_constraint.
have balance : gamma * dot u w = \sum_(t | Q t) mu t * margin w t.
  by rewrite -dotZl -(dir_balance dir) dot_combinel.
have lower : gamma * r - \sum_(t | Q t) mu t * ln (cost_scale b / cost_floor alpha b t) <= gamma * dot u w.
  rewrite balance -[X in X - _]Rmult_1_l -(dir_mult_sum dir) sum_mulr -sumB; apply: sum_le => t Qt.
  rewrite -Rmult_minus_distr_l; apply: Rmult_le_compat_l; first exact: (dir_mult_ge0 dir).
  exact: (cost_margin g0 some_constraint ranges far no_worse).
have ng : vnorm ws * gamma = 1 by rewrite /margin_value Rinv_r; lra.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ ws_gt0) lower.
by rewrite /cost_rate Rmult_minus_distr_l -!Rmult_assoc ng !Rmult_1_l.
Qed.

(* T21: whoever minimises over the ball of a far radius r. *)
Theorem excess_path (loss : vec (coord p) -> R) (least K : R) : (forall w, loss w - least = total_excess excess w) ->
  cost_rate <= K -> forall r w, from <= r -> vnorm w <= r ->
  (forall w' : vec (coord p), vnorm w' <= r -> loss w <= loss w') -> 1 - dot w ws / (vnorm ws * r) <= K / r.
Proof.
move=> lossE rate r w fr short minimal; have from0 := cost_from_gt0 ranges; have r0 : 0 < r by lra.
have unit : vnorm (r * u)%V <= r.
  rewrite vnormZ /margin_direction vnormZ !Rabs_pos_eq; try lra.
    by right; field; lra.
  exact/Rlt_le/Rinv_0_lt_compat.
have no_worse : total_excess excess w <= total_excess excess (r * u)%V.
  by rewrite -!lossE; have := minimal _ unit; lra.
have height := cost_height fr no_worse.
have E : dot w ws / (vnorm ws * r) = dot u w / r by rewrite /margin_direction dotZl dotC; field; lra.
rewrite E; apply: (Rmult_le_reg_r r) => //.
have -> : (1 - dot u w / r) * r = r - dot u w by field; lra.
have -> : K / r * r = K by field; lra.
lra.
Qed.
End Height.
