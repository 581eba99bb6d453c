(* Absorbing: T10, the absorbing region of a globally optimal selection.

   First for any factors that are in range for every constraint (FactorRange.v), then for softmax attention.  The
   hypotheses speak about the point w_0 alone, the conclusions about every later step of the exact iteration. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Direction Reference Gibbs Progress Path Growth Inside
                           Region Saturation FactorRange LocalRanges SelectedPath.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Abstract.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation p_orth := (reference_orthogonal o).
Notation height := (height u).
Notation residual := (residual u p).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).

Variables (b : vec J -> C -> R) (f : factor_bounds C) (w0 : vec J) (M : R).
Notation blo := (factor_low f).
Notation bhi := (factor_high f).
Notation field_of := (field_of Q Delta b).
Notation K := (log_floor Q mu blo).
Notation G := (gibbs_gap Q Delta u p Q gamma mu bhi blo (height w0)).
Notation low := (path_low Delta u p w0 M).
Notation on_path := (on_path u p w0 M).
Hypothesis M_gt0 : 0 < M.
(* The factors of all constraints stay positive. *)
Hypothesis range : factor_range Q Delta b low f.
Hypothesis whole : forall c, Q c -> factor_kept f c.
Let blo_gt0 c (Qc : Q c) := factor_low_gt0 range (whole Qc).

Lemma region_on_path z : on_path z -> forall c, Q c -> blo c <= b z c <= bhi c.
Proof.
move=> Hz c Qc; apply: (factor_in_range range) (whole Qc) => d Qd.
exact (path_low_margin dir p_orth M_gt0 Qd Hz).
Qed.

Let blo_bhi c : Q c -> blo c <= bhi c.
Proof. by move=> Qc; have := region_on_path (on_path_start u p w0 M) Qc; lra. Qed.

Lemma whole_weights z c : on_path z -> Q c -> 0 < gibbs_weight Delta (b z) z c.
Proof. by move=> Hz Qc; exact (omega_gt0 Delta blo_gt0 z (region_on_path Hz) Qc). Qed.

Lemma whole_norm_gt0 z : on_path z -> 0 < vnorm (field_of z).
Proof. by move=> Hz; exact (sharp_norm_gt0 dir (fun c => whole_weights Hz (c := c))). Qed.

(* ---- every rule with short steps: M from the least cosine, or from the largest spread ---- *)

Theorem cosine_short h cmin : 0 < cmin -> (forall c, Q c -> cmin * vnorm (Delta c) <= slope c) ->
  2 * G / gamma + h * (1 - cmin * cmin) / cmin <= M -> short_steps_stay field_of on_path h.
Proof.
move=> c0 Hc HM; split=> [z|z tau Hz t0 th]; first exact: whole_norm_gt0.
have n0 := whole_norm_gt0 Hz; have e0 := Rmult_lt_0_compat _ _ t0 n0.
have := all_normalised_step dir p_orth blo_gt0 blo_bhi (region_on_path Hz) (proj1 Hz) (conj e0 th) c0 Hc.
have -> : tau * vnorm (ascent Q Delta (gibbs_weight Delta (b z) z)) /
    vnorm (ascent Q Delta (gibbs_weight Delta (b z) z)) = tau by field; exact: Rgt_not_eq.
case=> h1 h2; have {}h1 : tau * vnorm (field_of z) * cmin <= height (z + tau * field_of z)%V - height z := h1.
have {}h2 : vnorm2 (residual (z + tau * field_of z)%V) - vnorm2 (residual z) <=
  (2 * G / gamma + h * (1 - cmin * cmin) / cmin) * (height (z + tau * field_of z)%V - height z) := h2.
have up := Rmult_lt_0_compat _ _ e0 c0; apply: (on_path_step Hz); first by lra.
by apply: Rle_trans h2 _; apply: Rmult_le_compat_r HM; lra.
Qed.

Theorem spread_short h ratio : 0 <= ratio -> (forall c, Q c -> spread c <= ratio * slope c) ->
  2 * G / gamma + h * ratio <= M -> short_steps_stay field_of on_path h.
Proof.
move=> r0 Hr HM; split=> [z|z tau Hz t0 th]; first exact: whole_norm_gt0.
have [h1 h2] := all_gradient_step dir p_orth blo_gt0 blo_bhi (region_on_path Hz) (proj1 Hz) t0 th r0 Hr.
have {}h1 : height z < height (z + tau * field_of z)%V := h1.
have {}h2 : vnorm2 (residual (z + tau * field_of z)%V) - vnorm2 (residual z) <=
  (2 * G / gamma + h * ratio) * (height (z + tau * field_of z)%V - height z) := h2.
by apply: (on_path_step Hz); [lra | apply: Rle_trans h2 _; apply: Rmult_le_compat_r HM; lra].
Qed.

Lemma whole_cosine cmin z : 0 < cmin -> (forall c, Q c -> cmin * vnorm (Delta c) <= slope c) -> on_path z ->
  cmin * vnorm (field_of z) <= dot (field_of z) u.
Proof. by move=> c0 Hc Hz; apply: progress_cosine => [c||]; [exact: whole_weights | exact: Hc | exact: Rlt_le]. Qed.

Lemma whole_ascent z : on_path z -> gamma * exp K * exp (- (gamma * height z)) <= dot (field_of z) u.
Proof.
move=> Hz; apply: Rle_trans (progress_slope dir (fun c => whole_weights Hz (c := c))).
rewrite Rmult_assoc -exp_plus Rmult_comm; apply: Rmult_le_compat_r; first exact/Rlt_le/(dir_margin_gt0 dir).
exact (all_total_lower dir blo_gt0 z (region_on_path Hz)).
Qed.

Lemma whole_field_norm D z : (forall c, Q c -> vnorm (Delta c) <= D) -> on_path z ->
  vnorm (field_of z) <= D * \sum_(c | Q c) bhi c * exp (- low c).
Proof.
move=> HD Hz; exact (all_ascent_norm blo_gt0 (region_on_path Hz) HD
  (fun c Qc => path_low_margin dir p_orth M_gt0 Qc Hz)).
Qed.
End Abstract.

(* ---- T10 for softmax attention with any head: its factors are in range, those of all constraints positive ---- *)

Section Factors.
Variables (p : selection_problem) (alpha : selection p) (o : reference (constraint alpha) (Delta alpha)).
Notation Q := (constraint alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation height := (height u).
Notation slope := (slope (Delta alpha) u).
Notation spread := (spread (Delta alpha) u).

Variables (b : vec (coord p) -> token p -> R) (f : factor_bounds (token p)) (eps : group p -> R).
Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax M : R).
Notation y0 := (height (w O)).
Notation K := (log_floor Q mu (factor_low f)).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu (factor_high f) (factor_low f) y0).
Notation low := (path_low (Delta alpha) u centre (w O) M).
Notation V := (field_of Q (Delta alpha) b).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Hypothesis M_gt0 : 0 < M.
Hypothesis range : factor_range Q (Delta alpha) b low f.
Hypothesis whole : forall t, Q t -> factor_kept f t.
Hypothesis inside : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.
Let at_start := on_path_start u centre (w O) M.

Theorem absorbing_normalised cmin :
  0 < cmin -> (forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t) ->
  2 * G / gamma + etamax * (1 - cmin * cmin) / cmin <= M ->
  (forall t, w t.+1 = (w t + eta t / vnorm (V (w t)) * V (w t))%V) ->
  (forall t, selected_forever o (w O) M eps (w t) /\ y0 + cmin * total eta t <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> c0 Hc HM run; have along z := whole_cosine (z := z) M_gt0 range whole c0 Hc.
exact (selected_stays M_gt0 inside (normalised_region (cosine_short M_gt0 range whole c0 Hc HM) at_start eta_range c0
  along (Rle_refl _) run)).
Qed.

Theorem absorbing_gradient D step ratio :
  (forall t, Q t -> vnorm (Delta alpha t) <= D) ->
  0 <= ratio -> (forall t, Q t -> spread t <= ratio * slope t) ->
  etamax * (D * \sum_(t | Q t) factor_high f t * exp (- low t)) <= step ->
  2 * G / gamma + step * ratio <= M ->
  (forall t, w t.+1 = (w t + eta t * V (w t))%V) ->
  (forall t, selected_forever o (w O) M eps (w t) /\
     / gamma * ln (exp (gamma * y0) + gamma * (gamma * exp K) * total eta t) <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> HD r0 Hr Hh HM run; have g0 := dir_margin_gt0 (reference_direction o).
have long z := whole_field_norm (z := z) M_gt0 range whole HD.
exact (selected_stays M_gt0 inside (gradient_region (spread_short M_gt0 range whole r0 Hr HM) at_start eta_range g0
  (Rmult_lt_0_compat _ _ g0 (exp_pos K)) (whole_ascent M_gt0 range whole) long Hh run)).
Qed.

(* The selected token keeps the largest attention of its group when eps is at most 1/2. *)
Corollary selected_largest z i t : selected_forever o (w O) M eps z -> eps i < 1 / 2 -> others alpha i t ->
  attention z t < attention z (alpha i).
Proof.
move=> Hz e2 ti; have := forever_attention Hz i; rewrite attention_deficit_sum => H.
have : attention z t <= \sum_(t | others alpha i t) attention z t.
  by apply: (sum_term_le (F := attention z)) => // s _; exact/Rlt_le/attention_gt0.
by have := attention_deficit_sum alpha z i; lra.
Qed.
End Factors.

(* ---- softmax attention with a scalar loss ---- *)

Section Softmax.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation gap := (gap alpha).
Notation copies := (copies alpha).

Definition global_blo (phi eps lmin : group p -> R) (t : token p) : R :=
  copies t * (weight (group_of t) * lmin (group_of t) * (1 - eps (group_of t)) * (gap t - phi (group_of t))).
Definition global_bhi (lmax : group p -> R) (t : token p) : R :=
  copies t * (weight (group_of t) * lmax (group_of t) * gap t).

Record global_head := GlobalHead {
  global_output : group p -> R;      (* phi, how far the outputs may stay below the selected scores *)
  global_attention : group p -> R;   (* eps bounds the attention off the selected token *)
  global_slope_min : group p -> R;   (* |l'| over the outputs that remain possible, *)
  global_slope_max : group p -> R    (* or what bounds the pull as it would *)
}.

Variable h : global_head.
Notation phi := (global_output h).
Notation eps := (global_attention h).
Notation lmin := (global_slope_min h).
Notation lmax := (global_slope_max h).

(* No constraint is outside P. *)
Definition global_bounds : factor_bounds (token p) :=
  FactorBounds Q (global_blo phi eps lmin) (global_bhi lmax) (global_bhi lmax).
Notation f := global_bounds.

Record global_ranges : Prop := GlobalHeadRanges {
  global_ranges_optimal : globally_optimal alpha;
  global_output_lt : forall t, Q t -> phi (group_of t) < gap t;
  global_attention_lt1 : forall i, eps i < 1;
  global_slope_gt0 : forall i, 0 < lmin i;
  global_pull_range : forall i t v, others i t -> score (alpha i) - phi i <= v <= score (alpha i) ->
    lmin i * (gap t - phi i) <= score_pull l t v <= lmax i * gap t
}.

(* The condition called (inside), for lower bounds low of the margins. *)
Record global_inside (low : token p -> R) : Prop := GlobalInside {
  global_inside_attention : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i;
  global_inside_output : forall i, \sum_(t | others i t) gap t * (copies t * exp (- low t)) <= phi i
}.

Hypothesis ranges : global_ranges.
Let optimal := global_ranges_optimal ranges.
Let phi_lt := global_output_lt ranges.
Let eps_lt1 := global_attention_lt1 ranges.
Let lmin_gt0 := global_slope_gt0 ranges.
Let pulls := global_pull_range ranges.

Lemma optimal_gap_gt0 t : Q t -> 0 < gap t.
Proof. by move=> ct; have := optimal ct; rewrite /Selection.gap; lra. Qed.

Lemma others_gap_gt0 i t : others i t -> 0 < gap t.
Proof. by case/andP=> ct _; exact: optimal_gap_gt0. Qed.

Lemma global_blo_gt0 t : Q t -> 0 < factor_low f t.
Proof.
move=> ct; have := phi_lt ct; have := eps_lt1 (group_of t) => e1 f1.
apply: Rmult_lt_0_compat; first exact: copies_gt0.
by do 3![apply: Rmult_lt_0_compat; try lra]; [exact: weight_gt0 | exact: lmin_gt0].
Qed.

Section Inside.
Variable low : token p -> R.
Hypothesis inside : global_inside low.
Let inside_attention := global_inside_attention inside.
Let inside_output := global_inside_output inside.

(* Where the margins are at least low, attention, outputs and factors are in range. *)
Section InRange.
Variable z : vec (coord p).
Hypothesis margins_ge : forall t, Q t -> low t <= margin z t.

Lemma others_margin_ge i t : others i t -> low t <= margin z t.
Proof. by case/andP=> ct _; exact: margins_ge. Qed.

Let inside_attention_range := attention_range inside_attention margins_ge.

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
apply: Rmult_le_compat_l; first exact/Rlt_le/copies_gt0.
by apply: exp_le; have := others_margin_ge ti; lra.
Qed.

Lemma inside_factors t : Q t -> factor_low f t <= bare_weight alpha l z t <= factor_high f t.
Proof.
move=> ct; have [o1 o2] := inside_output_range (group_of t); have ti := others_self ct.
have g0 := gap_eq ti; have f1 := phi_lt ct; have e1 := eps_lt1 (group_of t).
apply: (bare_weight_range ti); try lra; first exact/Rlt_le/lmin_gt0.
- exact: pulls.
- by have := inside_attention_range (group_of t); lra.
Qed.
End InRange.

(* What the theorems for all later steps need of this head. *)
Theorem global_factor_range : factor_range Q (Delta alpha) (bare_weight alpha l) low f.
Proof.
split=> // [|z Hz t Qt|z Hz t Qt]; [exact: global_blo_gt0 | exact: (inside_factors Hz) | by rewrite /= Qt].
Qed.
End Inside.

Variable o : reference Q (Delta alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation height := (height u).
Notation slope := (slope (Delta alpha) u).
Notation spread := (spread (Delta alpha) u).

Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax M : R).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Hypothesis M_gt0 : 0 < M.
Notation y0 := (height (w O)).
Notation K := (log_floor Q mu (factor_low f)).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu (factor_high f) (factor_low f) y0).
Notation low := (path_low (Delta alpha) u centre (w O) M).

(* It concerns the point w_0 only. *)
Hypothesis inside : global_inside low.
Let range := global_factor_range inside.

(* What holds at every later point. *)
Record global_forever (z : vec (coord p)) : Prop := GlobalForever {
  global_selected_forever :> selected_forever o (w O) M eps z;
  forever_output : forall i, score (alpha i) - phi i <= output z i <= score (alpha i)
}.

Lemma global_outputs (T : nat -> vec (coord p) -> Prop) :
  (forall t, selected_forever o (w O) M eps (w t) /\ T t (w t)) -> forall t, global_forever (w t) /\ T t (w t).
Proof.
move=> H t; have [Hz Ht] := H t; split=> //; split=> //.
exact (inside_output_range inside (selected_low M_gt0 (forever_path Hz))).
Qed.

Let whole t : Q t -> factor_kept f t := fun Qt => Qt.
Let attended := global_inside_attention inside.

Theorem T10_normalised least cmin :
  0 < cmin -> (forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t) ->
  2 * G / gamma + etamax * (1 - cmin * cmin) / cmin <= M ->
  follows l least NormalisedSteps eta w ->
  (forall t, global_forever (w t) /\ y0 + cmin * total eta t <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> c0 Hc HM /(normalised_steps_ascent alpha) run.
have [H lim] := absorbing_normalised eta_range M_gt0 range whole attended c0 Hc HM run.
by split=> //; exact: (global_outputs (T := fun t z => y0 + cmin * total eta t <= height z)).
Qed.

Theorem T10_gradient least D step ratio :
  (forall t, Q t -> vnorm (Delta alpha t) <= D) ->
  0 <= ratio -> (forall t, Q t -> spread t <= ratio * slope t) ->
  etamax * (D * \sum_(t | Q t) factor_high f t * exp (- low t)) <= step ->
  2 * G / gamma + step * ratio <= M ->
  follows l least GradientSteps eta w ->
  (forall t, global_forever (w t) /\
     / gamma * ln (exp (gamma * y0) + gamma * (gamma * exp K) * total eta t) <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> HD r0 Hr Hh HM /(gradient_steps_ascent alpha) run.
have [H lim] := absorbing_gradient eta_range M_gt0 range whole attended HD r0 Hr Hh HM run; split=> //.
by apply: (global_outputs (T := fun t z => / gamma * ln (exp (gamma * y0) + gamma * (gamma * exp K) * total eta t)
  <= height z)).
Qed.
End Softmax.
