(* SpanResidual: T14, the bounded residual around the natural centre, for a run whose weights are in range at every
   step.

   Along the span of the active constraints' lateral parts the pull of the active weights is at most A - kappa ||e||,
   so the residual cannot leave a ball but by the far constraints, whose total contribution is finite. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Smoothness Enclosure Direction Reference Gibbs Progress Path Growth FactorRange
                           ActiveStep FarPull SpanConstants.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section SpanResidual.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta) (factors : factor_bounds C).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation p_orth := (reference_orthogonal o).
Notation blo := (factor_low factors).
Notation bhi := (factor_high factors).
Notation S := (active Q mu).
Notation F := (fun c => Q c && ~~ active Q mu c).
Notation height := (height u).
Notation residual := (residual u p).
Notation lateral := (lateral Delta u).

Variables (h speed : R) (k : span_constants J C).
Hypothesis conditions : span_conditions o factors h speed k.
Hypothesis blo_gt0 : forall c, S c -> 0 < blo c.
Notation mu_min := (span_multiplier k).
Notation sigma := (span_singular k).
Notation E_S := (span_width k).
Notation top := (span_top k).
Notation bottom := (span_bottom k).
Notation X_in := (span_inside k).
Notation dU := (dU Q Delta u mu k).
Notation dO := (span_across k).
(* The radius inside which the active constraints keep the residual. *)
Notation radius := (inner k h speed).
Let mu_min_range := span_multiplier_range conditions.
Let mu_min_le := span_multiplier_le conditions.
Let sigma_gt0 := span_singular_gt0 conditions.
Let sigma_le := span_singular_le conditions.
Let E_S_ge := span_width_ge conditions.
Let bottom_gt0 := span_bottom_gt0 conditions.
Let bottom_le := span_bottom_le conditions.
Let top_ge := span_top_ge conditions.
Let speed_gt0 := span_speed_gt0 conditions.
Let X_in_ge0 := span_inside_ge0 conditions.
Let X_in_ge := span_inside_ge conditions.
Let X_in_sqr_ge := span_inside_sqr_ge conditions.
Let split_lateral := span_split conditions.
Let split_active := span_split_active conditions.

Lemma kappa_gt0 : 0 < kappa k.
Proof.
apply: Rdiv_lt_0_compat; first by apply: Rmult_lt_0_compat => //; lra.
by apply: sqrt_lt_R0; lra.
Qed.

Lemma kappa_sqr : kappa k * kappa k * (1 - mu_min) = mu_min * mu_min * (sigma * sigma).
Proof.
have r : 0 < sqrt (1 - mu_min) by apply: sqrt_lt_R0; lra.
have rr : sqrt (1 - mu_min) * sqrt (1 - mu_min) = 1 - mu_min by apply: sqrt_sqrt; lra.
by rewrite -{1}rr /kappa; field; lra.
Qed.

(* ---- the pull of the active weights on a residual in the span ---- *)

Section Pull.
Variables (z : vec J) (b : C -> R) (eU eO : vec J) (a : C -> R).
Hypothesis b_range : forall c, S c -> blo c <= b c <= bhi c.
Hypothesis e_split : residual z = (eU + eO)%V.
Hypothesis e_span : eU = combine S a lateral.
Hypothesis e_across : forall c, S c -> dot (lateral c) eO = 0.
Let omega := gibbs_weight Delta b z.
Let OmS := \sum_(c | S c) omega c.
Let t c := dot (lateral c) eU.

Lemma span_b_gt0 c : S c -> 0 < b c.
Proof. by move=> Sc; have := blo_gt0 Sc; have := b_range Sc; lra. Qed.

Lemma span_omega_gt0 c : S c -> 0 < omega c.
Proof. by move=> Sc; apply: Rmult_lt_0_compat; [exact: span_b_gt0 | exact: exp_pos]. Qed.

Lemma span_total_gt0 : 0 < OmS.
Proof.
have [c Sc] := active_exists dir.
by apply: (sum_gt0 (i := c)) => // [d Sd|]; [exact/Rlt_le/span_omega_gt0 | exact: span_omega_gt0].
Qed.

Lemma span_margin c : S c -> dot (Delta c) z = gamma * height z + dot (Delta c) p + t c.
Proof.
move=> Sc; rewrite (margin_decompose Delta u p z c) (active_slope dir Sc).
rewrite -(lateral_dot Delta c (residual_orth dir p_orth z)) e_split dotDr e_across // /t; ring.
Qed.

(* t is spread around zero: its least value is at most - kappa ||eU||. *)
Lemma span_least : exists2 d, S d & (forall c, S c -> t d <= t c) /\ t d <= - (kappa k * vnorm eU).
Proof.
have [c0 Sc0] := active_exists dir.
have [d Sd Hd] := finite_least t Sc0; exists d => //; split=> //.
have least c : S c -> - (- t d) <= t c by move=> Sc; have := Hd c Sc; lra.
have [m0 H] := sum_squares_le (active_sum1 dir) mu_min_le mu_min_range (lateral_balanced dir eU) least.
have sg := sigma_le a; rewrite /= -e_span -vnorm_sqr -/(t) in sg.
have k0 := kappa_gt0; have ks := kappa_sqr; have n0 := vnorm_ge0 eU.
suff : kappa k * vnorm eU <= - t d by lra.
apply: le_of_sqr_le => //; apply: (Rmult_le_reg_r (1 - mu_min)); first lra.
have -> : kappa k * vnorm eU * (kappa k * vnorm eU) * (1 - mu_min) =
    kappa k * kappa k * (1 - mu_min) * (vnorm eU * vnorm eU) by ring.
rewrite ks.
have mm : 0 <= mu_min * mu_min by apply: Rle_0_sqr.
have := Rmult_le_compat_l _ _ _ mm sg; lra.
Qed.

Lemma span_pull : \sum_(c | S c) omega c * t c <= OmS * (A_S k - kappa k * vnorm eU).
Proof.
have O0 := span_total_gt0; have [d Sd [Hd Hk]] := span_least.
pose q c := omega c / OmS; pose f c := b c * exp (- dot (Delta c) p).
have q0 c : S c -> 0 < q c by move=> Sc; apply: Rdiv_lt_0_compat => //; exact: span_omega_gt0.
have q1 : \sum_(c | S c) q c = 1 by rewrite /q /Rdiv -sum_mulr -/OmS Rinv_r //; lra.
have f0 c : S c -> 0 < f c by move=> Sc; apply: Rmult_lt_0_compat; [exact: span_b_gt0 | exact: exp_pos].
have := gibbs (fun c Sc => Rlt_le _ _ (q0 c Sc)) q1 f0.
have -> : \sum_(c | S c) q c * (ln (f c) - ln (q c)) = (\sum_(c | S c) q c * t c) + (gamma * height z + ln OmS).
  rewrite -[X in _ + X]Rmult_1_l -q1 sum_mulr -sumD; apply: eq_bigr => c Sc.
  rewrite -Rmult_plus_distr_l; congr (_ * _).
  rewrite /q ln_div //; last exact: span_omega_gt0.
  rewrite /f /omega /gibbs_weight !ln_mult ?ln_exp; try exact: exp_pos; try exact: span_b_gt0.
  by rewrite (span_margin Sc); ring.
have up : ln (\sum_(c | S c) f c) <= ln top.
  have [c Sc] := active_exists dir.
  apply: ln_le_ln; first by apply: (sum_gt0 (i := c)) => // [e Se|]; [exact/Rlt_le/f0 | exact: f0].
  apply: Rle_trans top_ge; apply: sum_le => e Se; apply: Rmult_le_compat_r; first exact/Rlt_le/exp_pos.
  by case: (b_range Se).
have top0 : 0 < top.
  have [c Sc] := active_exists dir; apply: Rlt_le_trans top_ge.
  have pos c' : S c' -> 0 < bhi c' * exp (- dot (Delta c') p).
    move=> S'; apply: Rmult_lt_0_compat; last exact: exp_pos.
    by have := blo_gt0 S'; have := b_range S'; lra.
  by apply: (sum_gt0 (i := c)) => // [e Se|]; [exact/Rlt_le/pos | exact: pos].
(* the total weight from the least margin *)
have low : ln bottom - t d - gamma * height z <= ln OmS.
  have -> : ln bottom - t d - gamma * height z = ln (bottom * exp (- t d - gamma * height z)).
    by rewrite ln_mult // ?ln_exp; [ring | exact: exp_pos].
  apply: ln_le_ln; first by apply: Rmult_lt_0_compat => //; exact: exp_pos.
  apply: Rle_trans (sum_term_le (F := omega) (fun c Sc => Rlt_le _ _ (span_omega_gt0 Sc)) Sd).
  rewrite /omega /gibbs_weight (span_margin Sd).
  have -> : exp (- (gamma * height z + dot (Delta d) p + t d)) =
      exp (- dot (Delta d) p) * exp (- t d - gamma * height z).
    by rewrite -exp_plus; congr exp; ring.
  rewrite -Rmult_assoc; apply: Rmult_le_compat_r; first exact/Rlt_le/exp_pos.
  apply: Rle_trans (bottom_le Sd) _; apply: Rmult_le_compat_r; first exact/Rlt_le/exp_pos.
  by case: (b_range Sd).
move=> G; have {G} : \sum_(c | S c) q c * t c <= A_S k - kappa k * vnorm eU by rewrite /A_S ln_div //; lra.
move=> G; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ O0) G; rewrite sum_mull.
suff -> : \sum_(c | S c) OmS * (q c * t c) = \sum_(c | S c) omega c * t c by [].
by apply: eq_bigr => c _; rewrite /q; field; lra.
Qed.
End Pull.

(* ---- the run ---- *)

(* X of T14. *)
Definition span_bound (far : far_decay C) : R :=
  sqrt ((X_in + far_sum F far dU) * (X_in + far_sum F far dU) + far_sum F far dO * far_sum F far dO).

(* A run with factors b in range, steps that raise the height by at most h and at least at the rate speed per total
   weight, and far weights that decay with the height faster than e^(-gamma y). *)
Variables (w : nat -> vec J) (tau Om : nat -> R) (b : nat -> C -> R) (K : R) (W rate : C -> R).
Notation y0 := (height (w O)).
Notation omega n := (gibbs_weight Delta (b n) (w n)).
Notation rise n := (height (w n.+1) - height (w n)).

Record span_run : Prop := SpanRun {
  span_run_step : forall n, w n.+1 = (w n + tau n * ascent Q Delta (omega n))%V;
  span_run_start : residual (w O) = vzero;
  span_run_tau_gt0 : forall n, 0 < tau n;
  span_run_range : forall n c, S c -> blo c <= b n c <= bhi c;
  span_run_active : forall n, \sum_(c | S c) omega n c <= Om n;
  span_run_total : forall n, exp (K - gamma * height (w n)) <= Om n;
  span_run_rise : forall n, tau n * (Om n * speed) <= rise n <= h;
  span_run_weight_ge0 : forall c, Q c -> ~~ S c -> 0 <= W c;
  span_run_rate_gt0 : forall c, Q c -> ~~ S c -> 0 < rate c;
  span_run_far : forall n c, Q c -> ~~ S c ->
    Rabs (omega n c) <= W c * exp (- ((gamma + rate c) * (height (w n) - y0)))
}.
Hypothesis held : span_run.
Let run := span_run_step held.
Let start := span_run_start held.
Let tau_gt0 := span_run_tau_gt0 held.
Let b_range := span_run_range held.
Let total_active := span_run_active held.
Let total_ge := span_run_total held.
Let rise_range := span_run_rise held.

Notation far := (FarDecay gamma y0 K h speed W rate).
Notation span_far_spent := (far_spent F far).
Lemma span_decays : far_decays F far.
Proof.
by split=> /= [|c /andP[]|c /andP[]]; [exact: speed_gt0 | exact: span_run_weight_ge0 held c |
  exact: span_run_rate_gt0 held c].
Qed.

Lemma span_rise_gt0 n : 0 < rise n.
Proof.
apply: Rlt_le_trans (proj1 (rise_range n)); apply: Rmult_lt_0_compat => //; apply: Rmult_lt_0_compat => //.
by apply: Rlt_le_trans (total_ge n); exact: exp_pos.
Qed.

Lemma span_height n : y0 <= height (w n).
Proof. by elim: n => [|n IH]; [lra | have := span_rise_gt0 n; lra]. Qed.

(* What the far constraints add to a part of the residual in one step. *)
Lemma span_far_norm (d : C -> vec J) n : vnorm (tau n * combine F (omega n) d) <=
  span_far_spent d (height (w n.+1) - y0) - span_far_spent d (height (w n) - y0).
Proof.
apply: (far_combine span_decays d (tau_gt0 n) (total_ge n) (rise_range n)) => c /andP[Qc Sc].
exact: span_run_far held n c Qc Sc.
Qed.

(* The active constraints' part of a step, inside the span: it does not leave the ball, or moves inwards. *)
Lemma span_step n eU eO a : residual (w n) = (eU + eO)%V -> eU = combine S a lateral ->
  (forall c, S c -> dot (lateral c) eO = 0) ->
  vnorm (eU + tau n * combine S (omega n) lateral) <= Rmax (vnorm eU) X_in.
Proof.
move=> eE eS eO0; have k0 := kappa_gt0; set xi := vnorm eU; have xi0 : 0 <= xi := vnorm_ge0 _.
have t0 := tau_gt0 n; have [r1 r2] := rise_range n.
set OmS := \sum_(c | S c) omega n c; have O0 : 0 < OmS := span_total_gt0 (w n) (fun c => b_range n (c := c)).
have pull := span_pull (fun c => b_range n (c := c)) eE eS eO0; rewrite -/OmS -/xi in pull.
set g := combine S (omega n) lateral.
have gE : dot g eU <= OmS * (A_S k - kappa k * xi) by rewrite /g dot_combinel.
have gn : vnorm g <= OmS * E_S.
  apply: Rle_trans (vnorm_combine _ _ _) _; rewrite sum_mulr; apply: sum_le => c Sc.
  have o0 := span_omega_gt0 (w n) (fun c => b_range n (c := c)) Sc.
  by rewrite Rabs_pos_eq; [apply: Rmult_le_compat_l; [lra | exact: E_S_ge] | lra].
have gg : vnorm2 g <= OmS * E_S * (OmS * E_S).
  by rewrite -vnorm_sqr; apply: Rmult_le_compat => //; exact: vnorm_ge0.
set s := tau n * OmS; have s0 : 0 < s by apply: Rmult_lt_0_compat.
have sh : s * speed <= h.
  have : s * speed <= tau n * (Om n * speed); last lra.
  rewrite /s Rmult_assoc; apply: Rmult_le_compat_l; first lra.
  by apply: Rmult_le_compat_r; [lra | exact: total_active].
have E0 : 0 <= E_S by have [c Sc] := active_exists dir; apply: Rle_trans (vnorm_ge0 _) (E_S_ge Sc).
have expand : vnorm2 (eU + tau n * g) <= xi * xi + 2 * (s * (kappa k * (radius - xi))).
  rewrite vnorm2D vnorm2Z dotZr (dotC eU) -vnorm_sqr -/xi.
  have i1 : kappa k * radius = A_S k + h * (E_S * E_S) / (2 * speed) by rewrite /inner; field; split; lra.
  have a1 : tau n * dot g eU <= s * (A_S k - kappa k * xi).
    by rewrite /s Rmult_assoc; apply: Rmult_le_compat_l; lra.
  have a2 : tau n * tau n * vnorm2 g <= s * (h * (E_S * E_S) / speed).
    apply: (Rle_trans _ (s * (s * (E_S * E_S)))).
      have tt : 0 <= tau n * tau n by apply: Rle_0_sqr.
      by have := Rmult_le_compat_l _ _ _ tt gg; rewrite /s; lra.
    apply: Rmult_le_compat_l; first lra.
    have -> : h * (E_S * E_S) / speed = h / speed * (E_S * E_S) by field; lra.
    apply: Rmult_le_compat_r; first exact: Rle_0_sqr.
    apply: (Rmult_le_reg_r speed) => //; have -> : h / speed * speed = h by field; lra.
    exact: sh.
  have a3 : s * (h * (E_S * E_S) / speed) = 2 * (s * (h * (E_S * E_S) / (2 * speed))) by field; lra.
  have -> : kappa k * (radius - xi) = A_S k + h * (E_S * E_S) / (2 * speed) - kappa k * xi by rewrite -i1; ring.
  lra.
have [out|ins] := Rle_lt_dec radius xi.
  apply: Rle_trans (Rmax_l _ _); apply: le_of_sqr_le => //; rewrite vnorm_sqr.
  apply: Rle_trans expand _; have : 0 <= s * (kappa k * (xi - radius)); last lra.
  by apply: Rmult_le_pos; [lra | apply: Rmult_le_pos; lra].
apply: Rle_trans (Rmax_r _ _); apply: le_of_sqr_le => //; rewrite vnorm_sqr.
apply: Rle_trans expand _.
have i0 : 0 < radius by lra.
(* s <= h/speed; the bound is convex in xi, at most its value at 0 or at radius *)
pose q := 2 * h * kappa k / speed.
have b1 : 2 * (s * (kappa k * (radius - xi))) <= q * (radius - xi).
  have -> : q * (radius - xi) = 2 * (h / speed * (kappa k * (radius - xi))) by rewrite /q; field; lra.
  have sp : s <= h / speed.
    by apply: (Rmult_le_reg_r speed) => //; have -> : h / speed * speed = h by field; lra.
  have kk : 0 <= kappa k * (radius - xi) by apply: Rmult_le_pos; lra.
  by have := Rmult_le_compat_r _ _ _ kk sp; lra.
have b2 : q * radius <= X_in * X_in.
  by apply: Rle_trans X_in_sqr_ge; right; rewrite /q; field; lra.
have b3 : radius * radius <= X_in * X_in by apply: Rmult_le_compat; lra.
apply: (Rmult_le_reg_r radius) => //.
have c1 : xi * xi * radius <= xi * (radius * radius).
  by rewrite Rmult_assoc; apply: Rmult_le_compat_l => //; apply: Rmult_le_compat_r; lra.
have c2 := Rmult_le_compat_l _ _ _ xi0 b3.
have c3 := Rmult_le_compat_l (radius - xi) _ _ (ltac:(lra)) b2.
have c4 := Rmult_le_compat_r _ _ _ (Rlt_le _ _ i0) b1.
lra.
Qed.

(* The whole residual: along the span within X_in plus what the far constraints have added, across it only the
   latter. *)
Lemma span_invariant n : exists a eO,
  [/\ residual (w n) = (combine S a lateral + eO)%V,
      forall s, S s -> dot (lateral s) eO = 0,
      vnorm (combine S a lateral) <= X_in + span_far_spent dU (height (w n) - y0) &
      vnorm eO <= span_far_spent dO (height (w n) - y0)].
Proof.
elim: n => [|n [a [eO [eE eO0 hU hO]]]].
  exists (fun=> 0), vzero.
  have z : combine S (fun=> 0) lateral = vzero.
    by apply: vec_ext => j; rewrite /combine sum0 // => c _; ring.
  rewrite z start (Rminus_diag_eq y0 y0) // !far_spent_start vnorm0.
  by split; [vec_ring | move=> s _; rewrite dot0r | lra | lra].
pose g := combine S (omega n) lateral; pose gU := combine F (omega n) dU; pose gO := combine F (omega n) dO.
pose a' s := a s + tau n * (omega n s + \sum_(c | Q c && ~~ S c) omega n c * span_along k c s).
exists a', (eO + tau n * gO)%V.
have comb : combine S a' lateral = ((combine S a lateral + tau n * g) + tau n * gU)%V.
  apply: vec_ext => j; rewrite /a' /gU /g /SpanConstants.dU /vadd /vscale /combine.
  have -> : \sum_(c | Q c && ~~ S c) omega n c * (\sum_(s | S s) span_along k c s * lateral s j)
    = \sum_(s | S s) (\sum_(c | Q c && ~~ S c) omega n c * span_along k c s) * lateral s j.
    under eq_bigr do rewrite sum_mull; rewrite exchange_big; apply: eq_bigr => s _.
    by rewrite sum_mulr; apply: eq_bigr => c _; ring.
  by rewrite !sum_mull -!sumD; apply: eq_bigr => s _; ring.
have Y0 : 0 <= height (w n) - y0 by have := span_height n; lra.
have fr := far_spent_range span_decays dU Y0; have Y1 : 0 <= height (w n.+1) - y0 by have := span_height n.+1; lra.
split.
- rewrite run (residual_pieces o) eE comb -/g.
  have -> : combine F (omega n) lateral = (gU + gO)%V.
    apply: vec_ext => j; rewrite /gU /gO /vadd /combine -sumD; apply: eq_bigr => c /andP[Qc Sc].
    by rewrite (split_lateral Qc Sc) /vadd; ring.
  by vec_ring.
- move=> s Ss; rewrite dotDr dotZr eO0 // /gO dot_combiner sum0; first by ring.
  by move=> c /andP[Qc Sc]; rewrite split_active //; ring.
- rewrite comb; apply: Rle_trans (vnorm_triangle _ _) _.
  have h1 := span_far_norm dU n; rewrite -/gU in h1.
  have h2 := span_step eE erefl eO0; rewrite -/g in h2.
  have h3 : Rmax (vnorm (combine S a lateral)) X_in <= X_in + span_far_spent dU (height (w n) - y0).
    by apply: Rmax_lub; lra.
  lra.
apply: Rle_trans (vnorm_triangle _ _) _; have := span_far_norm dO n; rewrite -/gO; lra.
Qed.

Theorem span_residual n : vnorm (residual (w n)) <= span_bound far.
Proof.
have [a [eO [-> eO0 hU hO]]] := span_invariant n.
have Y0 : 0 <= height (w n) - y0 by have := span_height n; lra.
have fU := far_spent_range span_decays dU Y0; have fO := far_spent_range span_decays dO Y0.
apply: sqrt_le_1_alt; rewrite vnorm2D dot_combinel sum0 => [|c Sc]; last by rewrite eO0 //; ring.
rewrite Rmult_0_r Rplus_0_r -!vnorm_sqr.
have n0 := vnorm_ge0 (combine S a lateral); have n1 := vnorm_ge0 eO.
by apply: Rplus_le_compat; apply: Rmult_le_compat => //; lra.
Qed.
End SpanResidual.
