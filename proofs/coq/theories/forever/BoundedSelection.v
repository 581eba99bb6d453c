(* BoundedSelection: T15 for softmax attention.

   The factors b_c = kappa_c wt |l'(f)| s (f - g) of the constraints tend to b_inf_c = kappa_c wt |l'(g_alpha)| gap_c;
   the distance of their logarithms is at most a constant times the group's total attention odds. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Direction Reference Gibbs Progress Path Growth Inside
                           Saturation FactorRange LocalRanges PartialStep ActiveStep FarPull ResidualPath
                           BoundedResidual.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- logarithms near 1 ---- *)

(* The chord of the exponential lies above it. *)
Lemma exp_chord s x : 0 <= s <= 1 -> exp (s * x) <= 1 - s + s * exp x.
Proof.
move=> [s0 s1]; set E := exp (s * x); have E0 : 0 < E := exp_pos _.
have h1 : E * (1 + (1 - s) * x) <= exp x.
  have -> : exp x = E * exp ((1 - s) * x) by rewrite -exp_plus; congr exp; ring.
  by apply: Rmult_le_compat_l; [lra | exact: exp_ge_line].
have h2 : E * (1 - s * x) <= 1.
  have {2}-> : 1 = E * exp (- (s * x)) by rewrite -exp_plus Rplus_opp_r exp_0.
  by apply: Rmult_le_compat_l; [lra | have := exp_ge_line (- (s * x)); lra].
have := Rmult_le_compat_l _ _ _ s0 h1; have := Rmult_le_compat_l (1 - s) _ _ (ltac:(lra)) h2; lra.
Qed.

Lemma ln_near_one d : Rabs d <= 1 / 2 -> Rabs (ln (1 - d)) <= 2 * ln 2 * Rabs d.
Proof.
move=> /Rabs_le_between hd; have l2 : 1 / 2 <= ln 2.
  have : ln (1 / 2) <= 1 / 2 - 1 by apply: ln_le_sub1; lra.
  by rewrite /Rdiv Rmult_1_l ln_Rinv; lra.
have [d0|d0] := Rle_lt_dec 0 d.
  rewrite (Rabs_pos_eq d) // Rabs_left1; last first.
    by rewrite -ln_1; apply: ln_le_ln; lra.
  have c := exp_chord (s := 2 * d) (- ln 2) (ltac:(lra)).
  rewrite (exp_Ropp (ln 2)) exp_ln in c; last lra.
  have : exp (2 * d * - ln 2) <= 1 - d by lra.
  move=> {}c; have := ln_le_ln (exp_pos _) c; rewrite ln_exp; lra.
rewrite (Rabs_left d) // Rabs_pos_eq; last by rewrite -ln_1; apply: ln_le_ln; lra.
have := ln_le_sub1 (x := 1 - d) (ltac:(lra)); nra.
Qed.

(* A function f with f' bounded by lam between two points. *)
Lemma log_slope_change (f df : R -> R) lam x y : (forall v, is_derive f v (df v)) ->
  (forall v, Rmin x y <= v <= Rmax x y -> Rabs (df v) <= lam) -> Rabs (f y - f x) <= lam * Rabs (y - x).
Proof.
move=> H Hl; have [| |z [Hz ->]] := MVT_gen f x y df.
- by move=> z _; exact: H.
- by move=> z _; apply/continuity_pt_filterlim/ex_derive_continuous; exists (df z).
by rewrite Rabs_mult; apply: Rmult_le_compat_r; [exact: Rabs_pos | exact: Hl].
Qed.

(* ---- the limits of the factors ---- *)

Section Limits.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (mu : token p -> R).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation gap := (gap alpha).
Notation copies := (copies alpha).

Notation S := (active Q mu).

(* The ranges of T11. *)
Variable head : local_head p.
Hypothesis ranges : local_ranges alpha l head.
Notation eps := (head_attention head).
Notation gap_up := (head_gap_up head).
Notation gap_down := (head_gap_down head).
Notation f := (local_bounds alpha head).
Notation P := (factor_kept f).
Let gap_bounds := local_gap_bounds ranges.
Let gap_up_ge0 := local_gap_up_ge0 ranges.
Let gap_down_ge0 := local_gap_down_ge0 ranges.

(* The limit of a factor in S. *)
Definition limit_factor t : R := copies t * (weight (group_of t) * - dloss l (score (selected alpha t)) * gap t).

Variables (lam : R) (gap_least : group p -> R).

Record limit_ranges : Prop := LimitRanges {
  (* P contains S, whose gaps are at least twice what the attention eps can move the output. *)
  limit_active : forall t, S t -> P t;
  limit_gap : forall t, S t -> eps (group_of t) * Rmax (gap_up (group_of t)) (gap_down (group_of t)) <= gap t / 2;
  (* lam bounds |l''|/|l'|, gap_least the gaps on S from below. *)
  limit_curvature_ge0 : 0 <= lam;
  limit_curvature : exists2 ddl, forall v, is_derive (dloss l) v (ddl v) &
    forall i v, score (alpha i) - eps i * gap_up i <= v <= score (alpha i) + eps i * gap_down i ->
      Rabs (ddl v) <= lam * - dloss l v;
  limit_least_gt0 : forall i, 0 < gap_least i;
  limit_least_le : forall t, S t -> gap_least (group_of t) <= gap t
}.
Hypothesis bounds : limit_ranges.
Let active_sub := limit_active bounds.
Let S_gap := limit_gap bounds.
Let lam_ge0 := limit_curvature_ge0 bounds.
Let gap_least_gt0 := limit_least_gt0 bounds.
Let gap_least_le := limit_least_le bounds.

(* k: zero for groups that do not meet S. *)
Definition meets_active (i : group p) : bool := [exists t, S t && (group_of t == i)].
Definition group_rate (i : group p) : R :=
  if meets_active i then 1 + (lam + 2 * ln 2 / gap_least i) * Rmax (gap_up i) (gap_down i) else 0.
Definition deviation_rate t : R := copies t * group_rate (group_of t).

Lemma gap_max_ge0 i : 0 <= Rmax (gap_up i) (gap_down i).
Proof. exact: Rle_trans (gap_up_ge0 i) (Rmax_l _ _). Qed.

Lemma ln2_gt0 : 0 < ln 2.
Proof. by rewrite -ln_1; apply: ln_increasing; lra. Qed.

Lemma deviation_rate_ge0 t : 0 <= deviation_rate t.
Proof.
apply: Rmult_le_pos; first exact/Rlt_le/copies_gt0.
rewrite /group_rate; case: ifP => _; last lra.
have r : 0 <= 2 * ln 2 / gap_least (group_of t).
  by apply: Rmult_le_pos; [have := ln2_gt0; lra | exact/Rlt_le/Rinv_0_lt_compat].
by have := Rmult_le_pos _ _ (Rplus_le_le_0_compat _ _ lam_ge0 r) (gap_max_ge0 (group_of t)); lra.
Qed.

Section Low.
Variable low : token p -> R.
Hypothesis inside : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.

Section InRange.
Variable z : vec (coord p).
Hypothesis margins_ge : forall t, Q t -> low t <= margin z t.

Lemma S_gap_gt0 t : S t -> 0 < gap t.
Proof. by move/gap_least_le; have := gap_least_gt0 (group_of t); lra. Qed.

(* How far the output is from the selected score. *)
Lemma output_deviation i : Rabs (output z i - score (alpha i)) <=
  Rmax (gap_up i) (gap_down i) * (1 - attention z (alpha i)).
Proof.
rewrite (output_selected alpha z i).
have -> : score (alpha i) - (\sum_(t | others i t) attention z t * gap t) - score (alpha i)
  = - \sum_(t | others i t) attention z t * gap t by ring.
rewrite Rabs_Ropp; apply: Rle_trans (sum_abs _ _ _) _; rewrite attention_deficit_sum sum_mull.
apply: sum_le => t ti; have a0 := attention_gt0 z t; rewrite Rabs_mult Rabs_pos_eq; last lra.
rewrite Rmult_comm; apply: Rmult_le_compat_r; first lra.
have [g1 g2] := gap_bounds ti; apply: Rabs_le.
have := Rmax_l (gap_up i) (gap_down i); have := Rmax_r (gap_up i) (gap_down i); lra.
Qed.

Lemma log_slope_deviation i : Rabs (ln (- dloss l (output z i)) - ln (- dloss l (score (alpha i)))) <=
  lam * Rabs (output z i - score (alpha i)).
Proof.
have o := local_output_range ranges inside margins_ge i; have [ddl is_derive_dloss ddl_le] := limit_curvature bounds.
apply: (@log_slope_change (fun v => ln (- dloss l v)) (fun v => - ddl v / - dloss l v)) => [v|v vr].
  have d0 := dloss_lt0 l v; have dp : 0 < - dloss l v by lra.
  apply: is_derive_ext_eq (is_derive_comp ln (fun v => - dloss l v) _ _ _ (is_derive_ln _ dp)
    (is_derive_opp _ _ _ (is_derive_dloss v))).
  by rewrite /scal /opp /= /mult /= /Rdiv; ring.
have d0 := dloss_lt0 l v.
have vi : score (alpha i) - eps i * gap_up i <= v <= score (alpha i) + eps i * gap_down i.
  have e0 := proj1 (local_eps_range ranges i); have u1 := Rmult_le_pos _ _ e0 (gap_up_ge0 i).
  have u2 := Rmult_le_pos _ _ e0 (gap_down_ge0 i).
  by move: vr; rewrite /Rmin /Rmax; case: Rle_dec => _; lra.
rewrite /Rdiv Rabs_mult Rabs_Ropp (Rabs_pos_eq (/ _)); last by apply/Rlt_le/Rinv_0_lt_compat; lra.
apply: (Rmult_le_reg_r (- dloss l v)); first lra.
by rewrite Rmult_assoc Rinv_l ?Rmult_1_r; [exact: ddl_le vi | lra].
Qed.

Lemma log_factor_deviation t : S t -> Rabs (ln (bare_weight alpha l z t) - ln (limit_factor t)) <=
  \sum_(d | Q d) deviation_rate d * exp (- margin z d).
Proof.
move=> St; have Qt : Q t by case/activeP: St.
have ti := others_self Qt; set i := group_of t in ti.
have m : meets_active i by apply/existsP; exists t; rewrite St eqxx.
set Gm := Rmax (gap_up i) (gap_down i); have G0 : 0 <= Gm := gap_max_ge0 i.
have g0 := S_gap_gt0 St; have gl := gap_least_le St; have gl0 := gap_least_gt0 i; rewrite -/i in gl.
set E := odds alpha z i; have E0 : 0 <= E := odds_ge0 alpha z i.
have s0 := attention_gt0 z (alpha i); have s1 := attention_deficit_le alpha z i; rewrite -/E in s1.
have seps := attention_range inside margins_ge i.
set s := attention z (alpha i) in s0 s1 seps.
have od := output_deviation i; rewrite -/Gm -/s in od; set x := output z i - score (alpha i) in od.
have xE : Rabs x <= Gm * E by apply: Rle_trans od _; apply: Rmult_le_compat_l.
(* the sum over the group dominates *)
apply: (Rle_trans _ ((1 + (lam + 2 * ln 2 / gap_least i) * Gm) * E)); last first.
  rewrite /E /odds sum_mull (sum_pred_id (others i)) (sum_pred_id Q); apply: sum_le => d _.
  rewrite /others /Saturation.others; case Qd: (Q d) => /=; last lra.
  case: eqP => [di|_]; last by apply: Rmult_le_pos; [exact: deviation_rate_ge0 | exact/Rlt_le/exp_pos].
  by rewrite /deviation_rate /group_rate di m -/Gm; lra.
have l2 := ln2_gt0; have xg : 0 < output z i - score t.
  have := local_output_range ranges inside margins_ge i.
  by have := local_kept_gap ranges (active_sub St); rewrite -/i (gap_eq ti); lra.
have L0 : 0 < - dloss l (output z i) by have := dloss_lt0 l (output z i); lra.
have M0 : 0 < - dloss l (score (alpha i)) by have := dloss_lt0 l (score (alpha i)); lra.
have w0' := weight_gt0 i.
have WL : 0 < weight i * - dloss l (output z i) by exact: Rmult_lt_0_compat.
have WM : 0 < weight i * - dloss l (score (alpha i)) by exact: Rmult_lt_0_compat.
have WLs : 0 < weight i * - dloss l (output z i) * s by exact: Rmult_lt_0_compat.
have k0 := copies_gt0 alpha t; have ls0 : 0 < weight i * - dloss l (output z i) * s * (output z i - score t).
  exact: Rmult_lt_0_compat.
have ll0 : 0 < weight i * - dloss l (score (alpha i)) * gap t by exact: Rmult_lt_0_compat.
rewrite (bare_weight_eq l z ti) /limit_factor /selected -/i -/s (ln_mult _ _ k0 ls0) (ln_mult _ _ k0 ll0).
rewrite (ln_mult _ _ WLs xg) (ln_mult _ _ WL s0) (ln_mult _ _ w0' L0) (ln_mult _ _ WM g0) (ln_mult _ _ w0' M0).
have h1 := log_slope_deviation i; rewrite -/x in h1.
have h2 : Rabs (ln s) <= E.
  have s1' : s <= 1 := attention_le1 alpha z (alpha i).
  rewrite Rabs_left1; last by rewrite -ln_1; apply: ln_le_ln.
  have E1 : 0 < 1 + E by lra.
  rewrite /s attention_selected -/E ln_Rinv //; have := ln_le_sub1 E1; lra.
have h3 : Rabs (ln (output z i - score t) - ln (gap t)) <= 2 * ln 2 / gap_least i * (Gm * E).
  have -> : output z i - score t = gap t * (1 - - (x / gap t)) by rewrite /x (gap_eq ti) ; field;
    rewrite -(gap_eq ti); lra.
  have xd : Rabs (- (x / gap t)) <= Gm * (1 - s) / gap t.
    rewrite Rabs_Ropp /Rdiv Rabs_mult (Rabs_pos_eq (/ _)); last exact/Rlt_le/Rinv_0_lt_compat.
    by apply: Rmult_le_compat_r => //; exact/Rlt_le/Rinv_0_lt_compat.
  have half : Gm * (1 - s) / gap t <= 1 / 2.
    apply: (Rmult_le_reg_r (gap t)) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; last lra.
    have := S_gap St; rewrite -/i -/Gm; have := Rmult_le_compat_l _ _ _ G0 seps; lra.
  have pos : 0 < 1 - - (x / gap t) by have /Rabs_le_between := Rle_trans _ _ _ xd half; lra.
  rewrite ln_mult //; have -> : ln (gap t) + ln (1 - - (x / gap t)) - ln (gap t) = ln (1 - - (x / gap t)) by ring.
  apply: Rle_trans (ln_near_one (Rle_trans _ _ _ xd half)) _.
  have -> : 2 * ln 2 / gap_least i * (Gm * E) = 2 * ln 2 * (Gm * E / gap_least i) by field; lra.
  apply: Rmult_le_compat_l; first lra.
  apply: Rle_trans xd _; apply: Rmult_le_compat.
  - by apply: Rmult_le_pos => //; have := attention_le1 alpha z (alpha i); rewrite -/s; lra.
  - exact/Rlt_le/Rinv_0_lt_compat.
  - exact: Rmult_le_compat_l.
  exact: Rinv_le_contravar.
have h1' : lam * Rabs x <= lam * (Gm * E) by apply: Rmult_le_compat_l.
set a1 := ln (- dloss l (output z i)) in h1 *; set a2 := ln (- dloss l (score (alpha i))) in h1 *.
set a3 := ln s in h2 *; set a4 := ln (output z i - score t) in h3 *; set a5 := ln (gap t) in h3 *.
have -> : ln (copies t) + (ln (weight i) + a1 + a3 + a4) - (ln (copies t) + (ln (weight i) + a2 + a5)) =
  (a1 - a2) + a3 + (a4 - a5) by ring.
have t1 := Rabs_triang (a1 - a2 + a3) (a4 - a5); have t2 := Rabs_triang (a1 - a2) a3.
lra.
Qed.
End InRange.

Lemma limit_factor_gt0 t : S t -> 0 < limit_factor t.
Proof.
move=> St; apply: Rmult_lt_0_compat; first exact: copies_gt0.
apply: Rmult_lt_0_compat; last exact: S_gap_gt0.
apply: Rmult_lt_0_compat; first exact: weight_gt0.
by have := dloss_lt0 l (score (selected alpha t)); lra.
Qed.

(* What T15 needs of this head. *)
Theorem local_factor_limit : factor_limit Q (Delta alpha) (bare_weight alpha l) low S limit_factor deviation_rate.
Proof.
by split=> [|t _|z Hz]; [exact: limit_factor_gt0 | exact: deviation_rate_ge0 | exact: log_factor_deviation].
Qed.
End Low.
End Limits.

(* ---- T15 for any head: its factors in range, and their limits ---- *)

Section Factors.
Variables (p : selection_problem) (alpha : selection p) (o : reference (constraint alpha) (Delta alpha)).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation copies := (copies alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation height := (height u).
Notation residual := (residual u centre).
Notation slope := (slope (Delta alpha) u).
Notation spread := (spread (Delta alpha) u).

Variables (b : vec (coord p) -> token p -> R) (f : factor_bounds (token p)) (limit rate : token p -> R).
Variables (eps : group p -> R) (w : nat -> vec (coord p)) (eta : nat -> R) (etamax : R).
Variable r : basin (coord p) (token p).
Hypothesis eta_range : forall n, 0 < eta n <= etamax.
Notation P := (factor_kept f).
Notation w0 := (w O).
Notation y0 := (height w0).
Notation K := (log_floor Q mu (factor_low f)).
Notation D := (basin_norm r).
Notation rho_bar := (basin_ratio r).
Notation h := (basin_step r).
Notation dX := (basin_reach r).
Notation g' := (gamma - rho_bar * D).
Notation low := (start_low o w0 r).
(* X_e = sqrt((sqrt(x_0^2 + 4 Ebar) + Lambda_U)^2 + Lambda_O^2), and the conditions on w_0 that concern it. *)
Notation bound := (path_residual_bound o f rate w0 r).
Notation near := (near_path o f rate w0 r).
Notation V := (field_of Q (Delta alpha) b).

Hypothesis conditions : basin_conditions o f rate w0 r limit.
Hypothesis range : factor_range Q (Delta alpha) b low f.
Hypothesis limits : factor_limit Q (Delta alpha) b low (active Q mu) limit rate.
Hypothesis inside : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.
Let stay := near_short conditions range limits.
Let at_start := near_start conditions.

(* What holds at every later point. *)
Record bounded_forever (z : vec (coord p)) : Prop := BoundedForever {
  bounded_residual : vnorm (residual z) <= bound;
  bounded_margin : forall t, Q t -> margin w0 t + slope t * (height z - y0) - spread t * dX <= margin z t;
  bounded_attention : forall i, 1 - attention z (alpha i) <= eps i;
  bounded_sparse : forall i, 1 - attention z (alpha i) <=
    \sum_(t | others i t) copies t * exp (- (margin w0 t + slope t * (height z - y0) - spread t * dX));
  bounded_angle : 0 < height z ->
    1 - cosine u z <= (vnorm centre + bound) * (vnorm centre + bound) / (2 * (height z * height z))
}.

Lemma bounded_forever_near z : near z -> bounded_forever z.
Proof.
move=> Hz.
have Hm t := near_margin conditions range limits t Hz.
have Hl t (Qt : Q t) := near_low conditions range limits Hz Qt.
split.
- exact (near_residual conditions range limits Hz).
- by move=> t _; exact: Hm.
- exact (attention_range inside Hl).
- move=> i; apply: Rle_trans (attention_deficit_le _ _ _) _.
  by apply: odds_le => t _; exact: Hm.
exact (near_angle conditions range limits Hz).
Qed.

Let finish g : invariant_region u near w eta g ->
  (forall n, bounded_forever (w n) /\ law_reaches g y0 (total eta n) (height (w n))) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine u (w n)) 1).
Proof.
move=> stays; split=> [n|He].
  by split; [exact (bounded_forever_near (stays_inside stays n)) | exact (inside_grows stays n)].
exact (near_limit conditions range limits (stays_inside stays) (inside_diverges stays He)).
Qed.

Section Normalised.
Hypothesis short : etamax <= h.
Hypothesis run : forall n, w n.+1 = (w n + eta n / vnorm (V (w n)) * V (w n))%V.

Let stays : invariant_region u near w eta (LinearGrowth (normalised_speed gamma D rho_bar)).
Proof.
apply: (normalised_region stay at_start eta_range _ (near_speed conditions range limits) short run).
exact (normalised_speed_gt0 (near_weights conditions range limits at_start)).
Qed.

Theorem basin_normalised :
  (forall n, bounded_forever (w n) /\ y0 + normalised_speed gamma D rho_bar * total eta n <= height (w n)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine u (w n)) 1).
Proof. exact (finish stays). Qed.

(* The growth with N empty. *)
Theorem basin_normalised_growth cmin n :
  (forall t, Q t -> P t) -> 0 <= cmin -> (forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t) ->
  y0 + cmin * total eta n <= height (w n).
Proof.
move=> all c0 Hc.
have along z := near_cosine (z := z) conditions range limits all c0 Hc; case: c0 => [c0|<-]; last first.
  by rewrite Rmult_0_l Rplus_0_r; exact (proj1 (stays_inside stays n)).
exact (inside_grows (normalised_region stay at_start eta_range c0 along short run) n).
Qed.
End Normalised.

Theorem basin_gradient :
  etamax * (D * (\sum_(t | P t) factor_high f t * exp (- low t) +
                 \sum_(t | Q t && ~~ P t) factor_size f t * exp (- low t))) <= h ->
  (forall n, w n.+1 = (w n + eta n * V (w n))%V) ->
  (forall n, bounded_forever (w n) /\
     / gamma * ln (exp (gamma * y0) + gamma * (g' * exp K) * total eta n) <= height (w n)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine u (w n)) 1).
Proof.
move=> short run; apply: (finish (g := LogarithmicGrowth gamma (g' * exp K))).
apply: (gradient_region stay at_start eta_range (dir_margin_gt0 (reference_direction o)) _
  (near_ascent conditions range limits) (near_field_norm conditions range limits) short run).
by apply: Rmult_lt_0_compat; [have := basin_ratio_lt conditions; lra | exact: exp_pos].
Qed.
End Factors.

(* ---- T15 for a scalar loss: the ranges of T11, and the limits ---- *)

Section BoundedSelection.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (o : reference (constraint alpha) (Delta alpha)).
Notation Q := (constraint alpha).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation height := (height (reference_unit o)).
Notation slope := (slope (Delta alpha) (reference_unit o)).

Variables (head : local_head p) (lam : R) (gap_least : group p -> R).
Hypothesis ranges : local_ranges alpha l head.
Hypothesis bounds : limit_ranges alpha l mu head lam gap_least.
Notation eps := (head_attention head).
Notation f := (local_bounds alpha head).
Notation P := (factor_kept f).
Notation rate := (deviation_rate alpha mu head lam gap_least).

Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax : R) (r : basin (coord p) (token p)).
Hypothesis eta_range : forall n, 0 < eta n <= etamax.
Notation y0 := (height (w O)).
Notation K := (log_floor Q mu (factor_low f)).
Notation D := (basin_norm r).
Notation rho_bar := (basin_ratio r).
Notation low := (start_low o (w O) r).
Hypothesis conditions : basin_conditions o f rate (w O) r (limit_factor alpha l).
Hypothesis inside : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.
Let range := local_factor_range ranges inside.
Let limits := local_factor_limit ranges bounds inside.
Notation forever := (bounded_forever o f rate eps w r).

Theorem T15_normalised least : etamax <= basin_step r -> follows l least NormalisedSteps eta w ->
  (forall n, forever (w n) /\ y0 + normalised_speed gamma D rho_bar * total eta n <= height (w n)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine (reference_unit o) (w n)) 1).
Proof.
by move=> hh /(normalised_steps_ascent alpha); exact (basin_normalised eta_range conditions range limits inside hh).
Qed.

Theorem T15_normalised_growth least cmin n : etamax <= basin_step r -> follows l least NormalisedSteps eta w ->
  (forall t, Q t -> P t) -> 0 <= cmin -> (forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t) ->
  y0 + cmin * total eta n <= height (w n).
Proof.
move=> hh /(normalised_steps_ascent alpha) run.
exact (basin_normalised_growth eta_range conditions range limits hh run n).
Qed.

Theorem T15_gradient least :
  etamax * (D * (\sum_(t | P t) factor_high f t * exp (- low t) +
                 \sum_(t | Q t && ~~ P t) factor_size f t * exp (- low t))) <= basin_step r ->
  follows l least GradientSteps eta w ->
  (forall n, forever (w n) /\
     / gamma * ln (exp (gamma * y0) + gamma * ((gamma - rho_bar * D) * exp K) * total eta n) <= height (w n)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine (reference_unit o) (w n)) 1).
Proof.
by move=> hh /(gradient_steps_ascent alpha); exact (basin_gradient eta_range conditions range limits inside hh).
Qed.
End BoundedSelection.
