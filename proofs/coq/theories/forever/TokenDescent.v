(* TokenDescent: T23 for the attention stage of next-token prediction, with the constants of NEXT_TOKEN.md sections 4
   and 5: SublevelDescent.v's ranges from the loss at one point. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Heads Iteration Direction Reference Growth Saturation HeadRuns
                           HeadRanges ClassifierHead ClassifierLockIn ClassifierDescent TokenHead TokenRanges TokenBend
                           CurvatureRatio SublevelDescent SublevelRun.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Constants.
Variables (p : selection_problem) (V : finType) (next : token p -> option V) (c n : R) (alpha : selection p) (S0 : R).
Implicit Types (t : token p).
Notation K := (INR #|V|).

Definition token_off : R := sublevel_off V c n S0.
Notation eps := token_off.
Notation paired t := (isSome (next t)).

(* (1 - eps) (V - 1) g_0 - eps g_1 *)
Definition least_rise : R := (1 - eps) * ((K - 1) * least_share V c) - eps * most_share V c eps.
Definition token_weight t : R := copies alpha t * (/ n * c).
Definition token_low t : R :=
  token_weight t * ((1 - eps) * (least_rise + (if paired t then least_share V c else 0))).
Definition token_high t : R :=
  token_weight t * (most_left V c eps + (if paired t then most_share V c eps else 0)).
Definition token_floor t : R :=
  token_weight t * ((1 - eps) * ((K - 1) * least_share V c + (if paired t then least_share V c else 0))).
(* sigma *)
Definition token_swing : R :=
  Rmax (most_left V c eps / ((1 - eps) * least_rise))
       ((most_left V c eps + most_share V c eps) / ((1 - eps) * (least_rise + least_share V c))).
End Constants.

Lemma exp_steps x (k : nat) : exp x ^ k = exp (INR k * x).
Proof.
elim: k => [|k IH]; first by rewrite Rmult_0_l exp_0.
by rewrite S_INR /= IH -exp_plus; congr exp; ring.
Qed.

Section TokenDescent.
Variables (p : selection_problem) (V : finType) (next : token p -> option V) (y : group p -> V) (c n : R).
Variable alpha : selection p.
Implicit Types (i : group p) (z v : vec (coord p)).

(* Next tokens that tell the tokens of a sentence apart, the sentence's own selected, and equal weights. *)
Record token_stage : Prop := TokenStage {
  stage_apart : forall t t' u, group_of t = group_of t' -> next t = Some u -> next t' = Some u -> t = t';
  stage_chosen : forall i, next (alpha i) = Some (y i);
  stage_scale_gt0 : 0 < c;
  stage_outputs : (1 < #|V|)%nat;
  stage_count_gt0 : 0 < n;
  stage_weight : forall i, weight i = / n
}.
Hypothesis stage : token_stage.
Let apart := stage_apart stage.
Let chosen_next := stage_chosen stage.
Let c_gt0 := stage_scale_gt0 stage.
Let two_outputs := stage_outputs stage.
Let n_gt0 := stage_count_gt0 stage.
Let weight_mean := stage_weight stage.
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation h := (token_head next y c).
Notation G := (sentence_logit next c).
Notation S z := (class_excess_loss G y alpha z).
Notation b := (head_factor alpha h).
Notation weights z := (gibbs_weight (Delta alpha) (b z) z).
Notation K := (INR #|V|).

Variable w0 : vec (coord p).
Notation S0 := (S w0).
Notation eps := (token_off V c n S0).
Notation kept := (1 - eps).

(* The excess at w_0 is so low that little attention is off the selected tokens. *)
Record token_low_start : Prop := TokenLowStart {
  token_off_ge0 : 0 <= eps;
  token_kept_gt0 : 0 < kept;
  token_rise_gt0 : 0 < least_rise V c n S0;
  token_room_gt0 : 0 < 1 - eps - eps * rival_part V c eps
}.
Hypothesis low_start : token_low_start.
Let eps_ge0 := token_off_ge0 low_start.
Let kept_gt0 := token_kept_gt0 low_start.
Let least_gt0 := token_rise_gt0 low_start.
Let room_gt0 := token_room_gt0 low_start.

Lemma low_attended z : S z <= S0 -> forall i, 1 - attention z (alpha i) <= eps.
Proof. exact: (sublevel_attended apart chosen_next c_gt0 two_outputs n_gt0 weight_mean). Qed.

Lemma least_share_gt0 : 0 < least_share V c.
Proof. by have := exp_pos c; have := outputs_ge2 two_outputs => k e; apply: Rinv_0_lt_compat; lra. Qed.

Lemma paired_share_ge0 (t : token p) : 0 <= (if isSome (next t) then least_share V c else 0).
Proof. by have := least_share_gt0; case: (next t) => [_|] /=; lra. Qed.

Lemma token_weight_gt0 (t : token p) : 0 < token_weight c n alpha t.
Proof.
apply: Rmult_lt_0_compat; first exact: copies_gt0.
by apply: Rmult_lt_0_compat => //; exact: Rinv_0_lt_compat.
Qed.

Lemma token_factor_range z : S z <= S0 -> forall t, Q t ->
  token_low next c n alpha S0 t <= b z t <= token_high next c n alpha S0 t.
Proof.
move=> low t Qt; set i := group_of t; have att := low_attended low i.
rewrite head_factor_gap (gap_rise c apart chosen_next z Qt) -/i /selected -/i weight_mean.
have ti : others i t by rewrite /Saturation.others Qt eqxx.
have [lo hi] := rise_range apart chosen_next c_gt0 two_outputs att ti (Rlt_le _ _ kept_gt0).
set d := token_rise _ _ _ _ _ _ + _ in lo hi *; set a := attention z (alpha i) in att *.
have a1 : a <= 1 := attention_le1 alpha z (alpha i).
have k0 := copies_gt0 alpha t; have n0 := Rinv_0_lt_compat _ n_gt0; have pg := paired_share_ge0 t.
rewrite /token_low /token_high /token_weight; set lo' := _ + _ in lo; set hi' := _ + _ in hi.
have E : copies alpha t * (/ n * a * (c * d)) = copies alpha t * (/ n * c) * (a * d) by ring.
have w0' : 0 <= copies alpha t * (/ n * c).
  by apply: Rmult_le_pos; [lra | apply: Rmult_le_pos; lra].
have loE : least_rise V c n S0 + (if isSome (next t) then least_share V c else 0) = lo'.
  by rewrite /lo' /least_rise; case: (next t).
have hiE : most_left V c eps + (if isSome (next t) then most_share V c eps else 0) = hi'.
  by rewrite /hi'; case: (next t).
have lo0 : 0 < lo' by rewrite -loE; lra.
rewrite E loE hiE; split; apply: Rmult_le_compat_l => //.
  by apply: Rmult_le_compat; lra.
have := Rmult_le_compat_r d a 1 (ltac:(lra)) a1; lra.
Qed.

Lemma token_low_gt0 (t : token p) : 0 < token_low next c n alpha S0 t.
Proof.
apply: Rmult_lt_0_compat; first exact: token_weight_gt0.
by apply: Rmult_lt_0_compat => //; have := paired_share_ge0 t; lra.
Qed.

Lemma token_floor_gt0 (t : token p) : 0 < token_floor next c n alpha S0 t.
Proof.
apply: Rmult_lt_0_compat; first exact: token_weight_gt0.
apply: Rmult_lt_0_compat => //; have := paired_share_ge0 t; have := outputs_ge2 two_outputs => k pg.
by have := Rmult_lt_0_compat (K - 1) _ (ltac:(lra)) least_share_gt0; lra.
Qed.

Lemma token_swing_ge (t : token p) :
  token_high next c n alpha S0 t <= token_swing V c n S0 * token_low next c n alpha S0 t.
Proof.
rewrite /token_high /token_low; have w := token_weight_gt0 t; set x := token_weight _ _ _ _ in w *.
have -> : token_swing V c n S0 * (x * (kept * (least_rise V c n S0 +
    (if isSome (next t) then least_share V c else 0)))) =
  x * (token_swing V c n S0 * (kept * (least_rise V c n S0 +
    (if isSome (next t) then least_share V c else 0)))) by ring.
apply: Rmult_le_compat_l; first lra.
have ls := least_share_gt0; rewrite /token_swing.
set A := most_left V c eps / _; set B := (most_left V c eps + most_share V c eps) / _.
case: (next t) => [_|] /=; last first.
  rewrite !Rplus_0_r; have kl := Rmult_lt_0_compat _ _ kept_gt0 least_gt0.
  have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ kl) (Rmax_l A B); apply: Rle_trans; right; rewrite /A; field; split; lra.
have kl := Rmult_lt_0_compat _ (least_rise V c n S0 + least_share V c) kept_gt0 (ltac:(lra)).
have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ kl) (Rmax_r A B); apply: Rle_trans; right; rewrite /B; field; split; lra.
Qed.

Lemma excess_terms z :
  S z = \sum_i (weight i * head_value h i (attention z) - weight i * selected_value G y alpha i).
Proof. by rewrite /class_excess_loss /head_loss /selected_loss -sumB. Qed.

Lemma token_most z : S z <= S0 -> kept * S z <= \sum_(t | Q t) weights z t.
Proof.
move=> low; rewrite (partition_big (@group_of p) predT) // (excess_terms z) sum_mull.
apply: sum_le => i _; rewrite -/(others i) (group_weights G y alpha); have w_gt0 := weight_gt0 i.
have e := low_attended low i; have tan := classifier_tangent G y alpha z i.
have ge := group_excess_ge0 apart chosen_next c_gt0 two_outputs z i.
have -> : kept * (weight i * head_value h i (attention z) - weight i * selected_value G y alpha i) =
  weight i * (kept * (head_value h i (attention z) - selected_value G y alpha i)) by ring.
apply: Rmult_le_compat_l; first lra.
by apply: Rmult_le_compat; [lra | exact: ge | lra | exact: tan].
Qed.

Lemma token_least_floor z (P : pred (token p)) : (forall t, P t -> Q t) -> S z <= S0 ->
  \sum_(t | P t) token_floor next c n alpha S0 t * exp (- dot (Delta alpha t) z) <= S z.
Proof.
move=> sub low.
apply: (Rle_trans _ (\sum_(t | Q t) token_floor next c n alpha S0 t * exp (- dot (Delta alpha t) z))).
  rewrite (sum_pred_id P) (sum_pred_id Q); apply: sum_le => t _.
  case Pt: (P t); first by rewrite sub //; lra.
  case Qt: (Q t); last lra.
  by apply: Rmult_le_pos; [exact/Rlt_le/token_floor_gt0 | exact/Rlt_le/exp_pos].
rewrite (partition_big (@group_of p) predT) // (excess_terms z).
apply: sum_le => i _; have w_gt0 := weight_gt0 i; have convex := classifier_convex G y alpha z i.
apply: (Rle_trans _ (weight i * \sum_(t | others i t) attention z t * classifier_limit G y alpha t)); last first.
  by rewrite -Rmult_minus_distr_l; apply: Rmult_le_compat_l; rewrite -?[classifier_head G y]/h in convex *; lra.
rewrite sum_mull; apply: sum_le => t ti; have [Qt /eqP ig] := andP ti.
rewrite (attention_other z ti) (token_limit c apart chosen_next two_outputs Qt) weight_mean -/(margin alpha z t).
have e := low_attended low i; have k0 := copies_gt0 alpha t; have e0 := exp_pos (- margin alpha z t).
have n0 := Rinv_0_lt_compat _ n_gt0; have k := outputs_ge2 two_outputs; have ls := least_share_gt0.
rewrite /token_floor /token_weight.
have -> : (if isSome (next t) then least_share V c else 0) =
  (if next t is Some _ then least_share V c else 0) by case: (next t).
set gl := (K - 1) * _ + _; set ex := exp _ in e0 *.
have gl0 : 0 <= gl.
  by have := Rmult_lt_0_compat (K - 1) _ (ltac:(lra)) ls; rewrite /gl; case: (next t) => [_|]; lra.
have -> : copies alpha t * (/ n * c) * (kept * gl) * ex = copies alpha t * ex * (/ n * (c * gl)) * kept by ring.
have -> : / n * (attention z (alpha i) * (copies alpha t * ex) * (c * gl)) =
  copies alpha t * ex * (/ n * (c * gl)) * attention z (alpha i) by ring.
apply: Rmult_le_compat_l; last lra.
apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | apply: Rmult_le_pos; first lra].
exact: Rmult_le_pos (Rlt_le _ _ c_gt0) gl0.
Qed.

Lemma token_bend_ge0 : 0 <= token_bend V c eps.
Proof.
have p0 := rival_part_gt0 c two_outputs eps; rewrite /token_bend.
have a := Rmult_le_pos _ _ eps_ge0 (sqrt_pos ((1 + rival_part V c eps) / (1 - eps - eps * rival_part V c eps))).
have s : 0 <= c * eps * ((1 + sqrt (rival_part V c eps)) * (1 + sqrt (rival_part V c eps))) /
    (1 - eps - eps * rival_part V c eps).
  apply: Rmult_le_pos; last exact/Rlt_le/Rinv_0_lt_compat.
  by apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | exact: Rle_0_sqr].
lra.
Qed.

Variables (rate : R) (sees : token p -> vec (coord p)).
Hypothesis rows : seen_rows Q (Delta alpha) (sqrt 2) rate sees.

Definition token_bounds : excess_bounds (coord p) (token p) :=
  ExcessBounds (token_low next c n alpha S0) (token_high next c n alpha S0) (token_swing V c n S0)
    (token_bend V c eps) kept (token_floor next c n alpha S0) (sqrt 2) rate sees.

Theorem token_excess_ranges (o : reference Q (Delta alpha)) :
  excess_ranges o b (class_excess_loss G y alpha) S0 token_bounds.
Proof.
have smooth z i : differentiable h i (attention z) by exact: classifier_differentiable.
have field z : field_of Q (Delta alpha) b z = (- head_gradient h z)%V := head_ascent alpha h z.
have sub t : active Q (reference_weights o) t -> Q t by case/activeP.
split=> //=.
- move=> z v x; rewrite field dotNl Ropp_involutive.
  have := is_derive_minus _ _ _ _ _ (is_derive_head_loss (w := z) (v := v) (x := x) (fun i => @smooth _ i))
    (is_derive_const (selected_loss G y alpha) x).
  by apply: is_derive_ext_eq; rewrite /minus /plus /opp /zero /=; ring.
- exists (classifier_bent G y) => [z v x|z v low v1].
    apply: (is_derive_ext (fun a => dot (head_gradient h (z + a * v)%V) v)) => [a|]; last exact: classifier_second.
    by rewrite field dotNl Ropp_involutive.
  exact (token_bent apart chosen_next c_gt0 two_outputs room_gt0 v (low_attended low)).
- by move=> t _; exact: token_low_gt0.
- exact: token_factor_range.
- by move=> t _; exact: token_swing_ge.
- exact: token_bend_ge0.
- exact: token_most.
- by move=> t _; exact: token_floor_gt0.
- by move=> z; exact: token_least_floor.
by apply: sqrt_lt_R0; lra.
Qed.

(* ---- a run from w_0 ---- *)

Variables (ws : vec (coord p)) (lam : token p -> R).
Hypothesis ws_separates : separates alpha ws.
Hypothesis lam_multipliers : multipliers alpha ws lam.
Hypothesis some_constraint : exists t, constraint alpha t.
Let dir := margin_direction_spec ws_separates lam_multipliers some_constraint.
Let o := natural_reference dir w0.
Notation u := (margin_direction ws).
Notation gamma := (margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation height := (Direction.height u).
Notation gap := (gibbs_gap Q (Delta alpha) u (w0 - height w0 * u)%V Q gamma mu (token_high next c n alpha S0)
  (token_low next c n alpha S0) (height w0)).

Variables (eta : R) (w : nat -> vec (coord p)).
Definition token_theta : R := excess_theta token_bounds eta.

(* Normalised steps of one length. *)
Record token_follows : Prop := TokenFollows {
  token_starts : w O = w0;
  token_step_gt0 : 0 < eta;
  token_steps : head_follows h 0 NormalisedSteps (fun=> eta) w;
  token_theta_gt0 : 0 < token_theta
}.
Hypothesis follows : token_follows.
Let start := token_starts follows.
Let eta_gt0 := token_step_gt0 follows.
Let run := token_steps follows.
Let theta_gt0 := token_theta_gt0 follows.

(* gamma D of NEXT_TOKEN.md *)
Definition token_lag : R := ln S0 + gamma * height w0 - log_floor Q mu (token_floor next c n alpha S0).

Let top : S (w O) = S0. Proof. by rewrite start. Qed.
Let range (k : nat) : 0 < (fun _ : nat => eta) k <= eta. Proof. by lra. Qed.
Let steps : forall k, w k.+1 = (w k + eta / vnorm (field_of Q (Delta alpha) b (w k)) *
  field_of Q (Delta alpha) b (w k))%V := head_normalised_steps alpha run.
Let ranges := token_excess_ranges o.
Let descends := ExcessRun top range theta_gt0 steps.
Let total_steps N : total (fun=> eta) N = eta * INR N. Proof. by rewrite total_const; ring. Qed.

Theorem token_descent N : [/\ S (w N) <= S0,
  head_loss h (w N.+1) <= head_loss h (w N) - token_theta * (eta * vnorm (head_gradient h (w N))),
  forall i, 1 - attention (w N) (alpha i) <= eps &
  S (w N) <= S0 * exp (- (token_theta * eta * gamma * kept)) ^ N].
Proof.
have [low] := T23_descent ranges descends N; rewrite /= (head_ascent alpha) vnormN => fall.
split=> //; [|exact: low_attended|].
  by move: fall; rewrite /class_excess_loss -/token_theta -[classifier_head G y]/h; lra.
have := T23_loss ranges descends N; rewrite total_steps /= -/token_theta.
congr (_ <= S0 * _); rewrite exp_steps; congr exp; ring.
Qed.

Theorem token_heights N : [/\ height (w N) <= height (w N.+1), height w0 <= height (w N) &
  height w0 + eta * sqrt (token_theta * kept) * INR N - token_lag / gamma / 2 <= height (w N)].
Proof.
split; first exact (T23_rising ranges descends N).
  by have := sublevel_height_rises ranges descends N; rewrite start.
have := T23_height ranges descends N; rewrite total_steps start /excess_start /= start -/token_theta.
by rewrite /token_lag; lra.
Qed.

Theorem token_path N :
  vnorm2 (w N - w0 - (height (w N) - height w0) * u)%V <= eta * (2 * gap / gamma + eta) * INR N.
Proof.
have E : residual u (reference_centre o) (w N) = (w N - w0 - (height (w N) - height w0) * u)%V.
  by rewrite /residual /o /=; vec_ring.
have natural0 : natural o (w O) by rewrite /natural start.
have := T23_residual ranges descends N; rewrite (start_residual_sqr natural0) E start total_steps.
have := height_le ranges descends N; rewrite total_steps start => hl.
have := excess_gap_ge0 ranges descends; rewrite start /= => g0; have gm0 := dir_margin_gt0 dir.
have ig : 0 <= 2 * gap / gamma by apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat].
by move/Rle_trans; apply; have := Rmult_le_compat_l _ _ _ ig hl; rewrite /=; lra.
Qed.
End TokenDescent.
