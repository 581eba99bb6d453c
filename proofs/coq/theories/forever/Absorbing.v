(* Absorbing: T10, the absorbing region of a globally optimal selection.

   First for abstract factors b_c(z) that lie in [blo_c, bhi_c] wherever all margins are at least low_c, then for softmax
   attention.  The hypotheses speak about the point w_0 alone, the conclusions about every later step of the exact
   iteration. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Direction Gibbs Progress Path Growth Inside Region Saturation.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Abstract.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u p : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Hypothesis p_orth : dot p u = 0.
Notation height := (height u).
Notation residual := (residual u p).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).

Variables (b : vec J -> C -> R) (blo bhi : C -> R).
Hypothesis blo_gt0 : forall c, Q c -> 0 < blo c.
Hypothesis blo_bhi : forall c, Q c -> blo c <= bhi c.
Notation field_of := (field_of Q Delta b).

Variables (w : nat -> vec J) (eta : nat -> R) (etamax : R).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Notation y0 := (height (w O)).
Notation K := (log_floor Q mu blo).
Notation G := (gibbs_gap Q Delta u p Q gamma mu bhi blo y0).

Section Path.
Variable M : R.
Hypothesis M_gt0 : 0 < M.
Notation low := (path_low Delta u p (w O) M).
Notation on_path := (on_path u p (w O) M).
(* The factors are in range wherever the margins are at least low. *)
Hypothesis region : forall z, (forall c, Q c -> low c <= dot (Delta c) z) -> forall c, Q c -> blo c <= b z c <= bhi c.

Lemma region_on_path z : on_path z -> forall c, Q c -> blo c <= b z c <= bhi c.
Proof. by move=> Hz; apply: region => c Qc; exact (path_low_margin dir p_orth M_gt0 Qc Hz). Qed.

Section Normalised.
Variable cmin : R.
Hypothesis cmin_gt0 : 0 < cmin.
Hypothesis cmin_le : forall c, Q c -> cmin * vnorm (Delta c) <= slope c.
Hypothesis M_ge : 2 * G / gamma + etamax * (1 - cmin * cmin) / cmin <= M.
Hypothesis run : forall t, w t.+1 = (w t + eta t / vnorm (field_of (w t)) * field_of (w t))%V.

Lemma absorbing_normalised_step t : on_path (w t) ->
  eta t * cmin <= height (w t.+1) - height (w t) /\
  vnorm2 (residual (w t.+1)) - vnorm2 (residual (w t)) <= M * (height (w t.+1) - height (w t)).
Proof.
move=> Hp; rewrite run.
have [h1 h2] := all_normalised_step dir p_orth blo_gt0 blo_bhi (region_on_path Hp) (proj1 Hp) (eta_range t)
  cmin_gt0 cmin_le.
split=> //; apply: Rle_trans h2 _; apply: Rmult_le_compat_r => //.
by apply: Rle_trans h1; apply: Rmult_le_pos; have := proj1 (eta_range t); lra.
Qed.

Theorem absorbing_normalised_region : invariant_region u on_path w eta (LinearGrowth cmin).
Proof.
split=> [| t || t Hp | t Hp]; [exact: cmin_gt0 | by case: (eta_range t) | exact: on_path_start | | ].
  have [h1 h2] := absorbing_normalised_step Hp; apply: on_path_step Hp _ h2.
  by have := Rmult_lt_0_compat _ _ (proj1 (eta_range t)) cmin_gt0; lra.
by have [h _] := absorbing_normalised_step Hp; exact: h.
Qed.
End Normalised.

Section Gradient.
Variables (D h ratio : R).
Hypothesis norm_le : forall c, Q c -> vnorm (Delta c) <= D.
Hypothesis ratio_ge0 : 0 <= ratio.
Hypothesis ratio_le : forall c, Q c -> spread c <= ratio * slope c.
Hypothesis step_le : etamax * (D * \sum_(c | Q c) bhi c * exp (- low c)) <= h.
Hypothesis M_ge : 2 * G / gamma + h * ratio <= M.
Hypothesis run : forall t, w t.+1 = (w t + eta t * field_of (w t))%V.

Lemma absorbing_gradient_step t : on_path (w t) ->
  eta t * gamma * exp K * exp (- (gamma * height (w t))) <= height (w t.+1) - height (w t) /\
  height (w t) <= height (w t.+1) /\
  vnorm2 (residual (w t.+1)) - vnorm2 (residual (w t)) <= M * (height (w t.+1) - height (w t)).
Proof.
move=> Hp; rewrite run; have Rg := region_on_path Hp; have [e0 e1] := eta_range t.
split; first exact (all_height_growth dir blo_gt0 (w t) Rg (Rlt_le _ _ e0)).
have nV : eta t * vnorm (field_of (w t)) <= h.
  apply: Rle_trans step_le; apply: Rmult_le_compat => //; [lra | exact: vnorm_ge0 |].
  exact (all_ascent_norm blo_gt0 Rg norm_le (fun c Qc => path_low_margin dir p_orth M_gt0 Qc Hp)).
have [h1 h2] := all_gradient_step dir p_orth blo_gt0 blo_bhi Rg (proj1 Hp) e0 nV ratio_ge0 ratio_le.
split; first exact: Rlt_le.
by apply: Rle_trans h2 _; apply: Rmult_le_compat_r => //; lra.
Qed.

Theorem absorbing_gradient_region : invariant_region u on_path w eta (LogarithmicGrowth gamma (gamma * exp K)).
Proof.
have g0 := dir_margin_gt0 dir; split=> [| t || t Hp | t Hp].
- by split=> //; apply: Rmult_lt_0_compat => //; exact: exp_pos.
- by case: (eta_range t).
- exact: on_path_start.
- by have [_ [h1 h2]] := absorbing_gradient_step Hp; exact: on_path_step Hp h1 h2.
by have [rise _] := absorbing_gradient_step Hp; apply: Rle_trans rise; right; rewrite /law_gain; ring.
Qed.
End Gradient.
End Path.
End Abstract.

(* ---- softmax attention ---- *)

Section Softmax.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation gap := (gap alpha).

Variables (u centre : vec (coord p)) (gamma : R) (mu : token p -> R).
Hypothesis dir : direction Q (Delta alpha) u gamma mu.
Hypothesis centre_orth : dot centre u = 0.
Notation height := (height u).
Notation residual := (residual u centre).
Notation slope := (slope (Delta alpha) u).
Notation spread := (spread (Delta alpha) u).

(* The selection is globally optimal; phi and eps are the allowed loss of output and of attention, lmin and lmax bound
   the loss's slope over the outputs that remain possible. *)
Variables (phi eps lmin lmax : group p -> R).
Hypothesis optimal : globally_optimal alpha.
Hypothesis phi_lt : forall t, Q t -> phi (group_of t) < gap t.
Hypothesis eps_lt1 : forall i, eps i < 1.
Hypothesis lmin_gt0 : forall i, 0 < lmin i.
Hypothesis slope_range : forall i v, score (alpha i) - phi i <= v <= score (alpha i) -> lmin i <= - dloss l v <= lmax i.

Definition global_blo (t : token p) : R :=
  weight (group_of t) * lmin (group_of t) * (1 - eps (group_of t)) * (gap t - phi (group_of t)).
Definition global_bhi (t : token p) : R := weight (group_of t) * lmax (group_of t) * gap t.

Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax M : R).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Hypothesis M_gt0 : 0 < M.
Notation y0 := (height (w O)).
Notation K := (log_floor Q mu global_blo).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu global_bhi global_blo y0).
Notation low := (path_low (Delta alpha) u centre (w O) M).

(* The condition called (inside): it concerns the point w_0 only. *)
Definition low_odds i : R := \sum_(t | others i t) exp (- low t).
Hypothesis inside_attention : forall i, low_odds i / (1 + low_odds i) <= eps i.
Hypothesis inside_output : forall i, \sum_(t | others i t) gap t * exp (- low t) <= phi i.

Lemma optimal_gap_gt0 t : Q t -> 0 < gap t.
Proof. by move=> ct; have := optimal ct; rewrite /Selection.gap; lra. Qed.

Lemma others_gap_gt0 i t : others i t -> 0 < gap t.
Proof. by case/andP=> ct _; exact: optimal_gap_gt0. Qed.

Lemma phi_ge0 i : 0 <= phi i.
Proof.
apply: Rle_trans (inside_output i); apply: sum_ge0 => t ti.
by apply: Rmult_le_pos; [exact/Rlt_le/(others_gap_gt0 ti) | exact/Rlt_le/exp_pos].
Qed.

Lemma lmin_le_lmax i : lmin i <= lmax i.
Proof.
have := slope_range (i := i) (v := score (alpha i)); have := phi_ge0 i => h H.
have h' : score (alpha i) - phi i <= score (alpha i) <= score (alpha i) by lra.
by have := H h'; lra.
Qed.

Lemma global_blo_gt0 t : Q t -> 0 < global_blo t.
Proof.
move=> ct; have := phi_lt ct; have := eps_lt1 (group_of t) => e1 f1.
by do 3![apply: Rmult_lt_0_compat; try lra]; [exact: weight_gt0 | exact: lmin_gt0].
Qed.

(* Where the margins are at least low, attention, outputs and factors are in range. *)
Section InRange.
Variable z : vec (coord p).
Hypothesis margins_ge : forall t, Q t -> low t <= margin z t.

Lemma others_margin_ge i t : others i t -> low t <= margin z t.
Proof. by case/andP=> ct _; exact: margins_ge. Qed.

Lemma inside_attention_range i : 1 - attention z (alpha i) <= eps i.
Proof.
rewrite attention_deficit; apply: Rle_trans (inside_attention i).
by apply: odds_ratio_mono (odds_ge0 _ _ _) (odds_le _); exact: others_margin_ge.
Qed.

Lemma inside_output_range i : score (alpha i) - phi i <= output z i <= score (alpha i).
Proof.
rewrite (output_selected alpha z i).
have h0 : 0 <= \sum_(t | others i t) attention z t * gap t.
  apply: sum_ge0 => t ti.
  by apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | exact/Rlt_le/(others_gap_gt0 ti)].
suff : \sum_(t | others i t) attention z t * gap t <= phi i by lra.
apply: Rle_trans (inside_output i); apply: sum_le => t ti; rewrite [X in _ <= X]Rmult_comm.
apply: Rmult_le_compat_r; first exact/Rlt_le/(others_gap_gt0 ti).
apply: Rle_trans (attention_le_exp z ti) _.
by apply: exp_le; have := others_margin_ge ti; lra.
Qed.

Lemma inside_factors t : Q t -> global_blo t <= bare_weight alpha l z t <= global_bhi t.
Proof.
move=> ct; have [o1 o2] := inside_output_range (group_of t); have ti := others_self ct.
have g0 := gap_eq ti; have f1 := phi_lt ct; have e1 := eps_lt1 (group_of t).
apply: (bare_weight_range ti); try lra; first exact/Rlt_le/lmin_gt0.
- exact: slope_range.
- by have := inside_attention_range (group_of t); lra.
Qed.
End InRange.

Lemma global_blo_bhi t : Q t -> global_blo t <= global_bhi t.
Proof.
move=> ct; have f1 := phi_lt ct; have g0 := optimal_gap_gt0 ct; have f0 := phi_ge0 (group_of t).
have w0 := weight_gt0 (group_of t); have l1 := lmin_gt0 (group_of t); have l2 := lmin_le_lmax (group_of t).
have e1 := eps_lt1 (group_of t).
have e0 : 0 <= eps (group_of t).
  apply: Rle_trans (inside_attention _); have E0 : 0 <= low_odds (group_of t) by apply: sum_ge0 => s _; exact/Rlt_le/exp_pos.
  by apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
rewrite /global_blo /global_bhi; apply: Rmult_le_compat; try lra; first by do 2![apply: Rmult_le_pos; try lra].
have h1 : weight (group_of t) * lmin (group_of t) <= weight (group_of t) * lmax (group_of t).
  by apply: Rmult_le_compat_l; lra.
have h0 : 0 <= weight (group_of t) * lmin (group_of t) by apply: Rmult_le_pos; lra.
by have := Rmult_le_compat_l _ _ 1 h0; nra.
Qed.

(* What holds at every later point. *)
Record global_forever (z : vec (coord p)) : Prop := GlobalForever {
  forever_path : on_path u centre (w O) M z;
  forever_margin : forall t, Q t ->
    low t <= slope t * height z + dot (Delta alpha t) centre - spread t * path_bound u centre (w O) M z <= margin z t;
  forever_attention : forall i, 1 - attention z (alpha i) <= eps i;
  forever_sparse : forall i, 1 - attention z (alpha i) <=
    \sum_(t | others i t) exp (- (slope t * height z + dot (Delta alpha t) centre
                                  - spread t * path_bound u centre (w O) M z));
  forever_output : forall i, score (alpha i) - phi i <= output z i <= score (alpha i);
  forever_angle : 0 < height z ->
    1 - cosine u z <= (vnorm centre + path_bound u centre (w O) M z) * (vnorm centre + path_bound u centre (w O) M z)
                      / (2 * (height z * height z))
}.

Lemma global_forever_on_path z : on_path u centre (w O) M z -> global_forever z.
Proof.
move=> Hz; have Hm t (ct : Q t) := path_low_le dir M_gt0 ct Hz; have Hn t := on_path_margin dir centre_orth t Hz.
have Hl t (ct : Q t) : low t <= margin z t := Rle_trans _ _ _ (Hm t ct) (Hn t).
split=> //.
- by move=> t ct; split; [exact: Hm | exact: Hn].
- exact: inside_attention_range.
- move=> i; apply: Rle_trans (attention_deficit_le _ _ _) _.
  by apply: odds_le => t _; exact: Hn.
- exact: inside_output_range.
exact (on_path_angle dir Hz).
Qed.

Theorem T10_normalised least cmin :
  0 < cmin -> (forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t) ->
  2 * G / gamma + etamax * (1 - cmin * cmin) / cmin <= M ->
  follows l least NormalisedSteps eta w ->
  (forall t, global_forever (w t) /\ y0 + cmin * total eta t <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> c0 Hc HM /(normalised_steps_ascent alpha) run.
have stays := absorbing_normalised_region dir centre_orth global_blo_gt0 global_blo_bhi eta_range M_gt0 inside_factors c0 Hc HM run.
split=> [t|He]; first by split; [exact: global_forever_on_path (stays_inside stays t) | exact: (inside_grows stays t)].
exact: (on_path_limit dir (stays_inside stays) (inside_diverges stays He)).
Qed.

Theorem T10_gradient least D h ratio :
  (forall t, Q t -> vnorm (Delta alpha t) <= D) ->
  0 <= ratio -> (forall t, Q t -> spread t <= ratio * slope t) ->
  etamax * (D * \sum_(t | Q t) global_bhi t * exp (- low t)) <= h ->
  2 * G / gamma + h * ratio <= M ->
  follows l least GradientSteps eta w ->
  (forall t, global_forever (w t) /\
     / gamma * ln (exp (gamma * y0) + gamma * (gamma * exp K) * total eta t) <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> HD r0 Hr Hh HM /(gradient_steps_ascent alpha) run.
have stays := absorbing_gradient_region dir centre_orth global_blo_gt0 global_blo_bhi eta_range M_gt0 inside_factors HD r0 Hr Hh HM run.
split=> [t|He]; first by split; [exact: global_forever_on_path (stays_inside stays t) | exact: (inside_grows stays t)].
exact: (on_path_limit dir (stays_inside stays) (inside_diverges stays He)).
Qed.

(* The selected token keeps the largest attention of its group when eps is at most 1/2. *)
Corollary global_selected z i t : global_forever z -> eps i < 1 / 2 -> others i t ->
  attention z t < attention z (alpha i).
Proof.
move=> Hz e2 ti; have := forever_attention Hz i; rewrite attention_deficit_sum => H.
have : attention z t <= \sum_(t | others i t) attention z t.
  by apply: (sum_term_le (F := attention z)) => // s _; exact/Rlt_le/attention_gt0.
by have := attention_deficit_sum alpha z i; lra.
Qed.
End Softmax.
