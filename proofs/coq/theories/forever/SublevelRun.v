(* SublevelRun: T23, normalised steps that decrease an excess loss for ever (NEXT_TOKEN.md sections 4 and 5).

   Every step decreases S (SublevelDescent.v), so no later point leaves the sublevel set. S falls geometrically, the
   height grows linearly, the residual is O(sqrt t). How much a step raises the height has no law of its own (only the
   sums of r_t and 1/r_t are bounded), so this is no invariant_region of Inside.v. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Reference Gibbs Progress Path Growth BoundedSelection SublevelDescent.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Run.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation p_orth := (reference_orthogonal o).
Notation height := (height u).
Notation residual := (residual u p).

Variables (b : vec J -> C -> R) (S : vec J -> R) (top : R) (k : excess_bounds J C).
Notation lo := (excess_low k).
Notation hi := (excess_high k).
Notation sigma := (excess_spread k).
Notation bend := (excess_bend k).
Notation kappa := (excess_share k).
Notation D := (excess_norm k).
Notation rate := (excess_rate k).
Notation weights z := (gibbs_weight Delta (b z) z).
Notation V := (field_of Q Delta b).

Variables (w : nat -> vec J) (eta : nat -> R) (h : R).
Notation theta := (excess_theta k h).

(* Steps of length at most h, from a point where S is top. *)
Record excess_run : Prop := ExcessRun {
  excess_run_start : S (w O) = top;
  excess_run_range : forall t, 0 < eta t <= h;
  excess_run_theta_gt0 : 0 < theta;
  excess_run_step : forall t, w t.+1 = (w t + eta t / vnorm (V (w t)) * V (w t))%V
}.
Hypothesis ranges : excess_ranges o b S top k.
Hypothesis follows : excess_run.
Let start := excess_run_start follows.
Let eta_range := excess_run_range follows.
Let theta_gt0 := excess_run_theta_gt0 follows.
Let run := excess_run_step follows.
Notation n t := (vnorm (V (w t))).
Notation mass t := (\sum_(c | Q c) weights (w t) c).
Notation y0 := (height (w O)).
Notation T t := (total eta t).

Lemma run_sigma_ge0 : 0 <= sigma.
Proof.
have [c /activeP[Qc _]] := active_exists dir; have l0 := excess_low_gt0 ranges Qc.
have := excess_factors ranges (Req_le _ _ start) Qc; have := excess_spread_ge ranges Qc; nra.
Qed.

Let step t : S (w t) <= top -> S (w t.+1) <= S (w t) - theta * (eta t * n t).
Proof.
move=> Ht; have [e0 eh] := eta_range t; have h0 : 0 < h by lra.
by rewrite run; exact (excess_step ranges Ht h0 theta_gt0 run_sigma_ge0 (eta_range t)).
Qed.

Lemma run_low t : S (w t) <= top.
Proof.
elim: t => [|t IH]; first by rewrite start; lra.
have [e0 _] := eta_range t; have n0 := excess_moves ranges IH.
by have := step IH; have := Rmult_lt_0_compat _ _ theta_gt0 (Rmult_lt_0_compat _ _ e0 n0); lra.
Qed.

(* No later point leaves the sublevel set, and every step decreases S. *)
Theorem T23_descent t : S (w t) <= top /\ S (w t.+1) <= S (w t) - theta * (eta t * n t).
Proof. by split; [exact: run_low | exact: step (run_low t)]. Qed.

Let n_gt0 t : 0 < n t := excess_moves ranges (run_low t).

Let slope_norm t : gamma * mass t <= n t.
Proof.
apply: Rle_trans (excess_slope ranges (run_low t)) _.
by have := dot_le_norms (V (w t)) u; rewrite (unorm dir) Rmult_1_r.
Qed.

Lemma floor_log t : log_floor Q mu (excess_floor k) - gamma * height (w t) <= ln (S (w t)).
Proof.
have F0 := excess_floor_gt0 ranges; have g0 := dir_margin_gt0 dir.
pose P := active Q mu; have sub c : P c -> Q c by case/activeP.
have := @log_total_weight _ _ Q Delta u gamma mu dir P (excess_floor k) (fun _ Pc => Pc) F0 (w t) (excess_floor k)
  F0 (fun c _ => Rle_refl _).
move/Rle_trans; apply; apply: ln_le_ln; last exact (excess_least ranges (run_low t)).
have [c Pc] := active_exists dir; apply: (sum_gt0 (i := c)) => // [d Pd|].
  by apply/Rlt_le/Rmult_lt_0_compat; [exact: F0 | exact: exp_pos].
by apply: Rmult_lt_0_compat; [exact: F0 | exact: exp_pos].
Qed.

Lemma run_gt0 t : 0 < S (w t).
Proof.
have [c Pc] := active_exists dir; apply: Rlt_le_trans (excess_least ranges (run_low t)).
have F0 := excess_floor_gt0 ranges; apply: (sum_gt0 (i := c)) => // [d Pd|].
  by apply/Rlt_le/Rmult_lt_0_compat; [exact: F0 | exact: exp_pos].
by apply: Rmult_lt_0_compat; [exact: F0 | exact: exp_pos].
Qed.

(* The loss falls geometrically. *)
Theorem T23_loss t : S (w t) <= top * exp (- (theta * gamma * kappa * T t)).
Proof.
elim: t => [|t IH]; first by rewrite total0 Rmult_0_r Ropp_0 exp_0 start; lra.
have [e0 _] := eta_range t; have g0 := dir_margin_gt0 dir; have k0 := excess_share_gt0 ranges.
have s0 := run_gt0 t; set q := theta * gamma * kappa.
have q0 : 0 < q by rewrite /q; do 2!(apply: Rmult_lt_0_compat => //).
have nS : gamma * kappa * S (w t) <= n t.
  apply: Rle_trans (slope_norm t); rewrite Rmult_assoc; apply: Rmult_le_compat_l; first lra.
  exact: (excess_most ranges (run_low t)).
have {}nS := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (Rmult_lt_0_compat _ _ theta_gt0 e0)) nS.
have d := step (run_low t); rewrite totalS.
have line : S (w t.+1) <= S (w t) * (1 - q * eta t) by rewrite /q; lra.
have e := exp_ge_line (- (q * eta t)).
have -> : - (q * (T t + eta t)) = - (q * T t) + - (q * eta t) by ring.
rewrite exp_plus -Rmult_assoc; apply: Rle_trans line _.
apply: (Rle_trans _ (S (w t) * exp (- (q * eta t)))); first by apply: Rmult_le_compat_l; lra.
by apply: Rmult_le_compat_r IH; exact/Rlt_le/exp_pos.
Qed.

(* ---- the height ---- *)

Lemma run_rise t : eta t * (gamma * mass t) / n t <= height (w t.+1) - height (w t).
Proof.
have [e0 _] := eta_range t; have n0 := n_gt0 t; rewrite run (step_height u).
have -> : height (w t) + eta t / n t * dot (V (w t)) u - height (w t) = eta t * dot (V (w t)) u / n t by field; lra.
apply: Rmult_le_compat_r; first exact/Rlt_le/Rinv_0_lt_compat.
by apply: Rmult_le_compat_l; [lra | exact (excess_slope ranges (run_low t))].
Qed.

Lemma run_rise_le t : height (w t.+1) - height (w t) <= eta t.
Proof.
have [e0 _] := eta_range t; have n0 := n_gt0 t; rewrite run (step_height u).
have c := dot_le_norms (V (w t)) u; rewrite (unorm dir) Rmult_1_r in c.
apply: (Rmult_le_reg_r (n t)) => //.
have -> : (height (w t) + eta t / n t * dot (V (w t)) u - height (w t)) * n t = eta t * dot (V (w t)) u by field; lra.
by apply: Rmult_le_compat_l; lra.
Qed.

(* gamma D of NEXT_TOKEN.md *)
Definition excess_start : R := ln top + gamma * y0 - log_floor Q mu (excess_floor k).

Lemma excess_start_ge0 : 0 <= excess_start.
Proof. by have := floor_log O; rewrite start /excess_start; lra. Qed.

(* r_t, the length of V per excess: its sum is limited by how far ln S can fall. *)
Notation r s := (n s / S (w s)).

Lemma ratio_gt0 t : 0 < r t.
Proof. exact (Rdiv_lt_0_compat _ _ (n_gt0 t) (run_gt0 t)). Qed.

Lemma sum_ratios t : theta * total (fun s => eta s * r s) t <= gamma * (height (w t) - y0) + excess_start.
Proof.
have key m : ln (S (w m)) <= ln top - theta * total (fun s => eta s * r s) m.
  elim: m => [|m IH]; first by rewrite total0 start; lra.
  rewrite totalS; have s0 := run_gt0 m; have s1 := run_gt0 m.+1; have d := step (run_low m).
  have l : ln (S (w m.+1)) - ln (S (w m)) <= - (theta * (eta m * r m)).
    rewrite -ln_div //; apply: Rle_trans (ln_le_sub1 (Rdiv_lt_0_compat _ _ s1 s0)) _.
    apply: (Rmult_le_reg_r (S (w m))) => //.
    have -> : (S (w m.+1) / S (w m) - 1) * S (w m) = S (w m.+1) - S (w m) by field; lra.
    have -> : - (theta * (eta m * r m)) * S (w m) = - (theta * (eta m * n m)) by field; lra.
    lra.
  lra.
have := key t; have := floor_log t; rewrite /excess_start; lra.
Qed.

Lemma sum_inverse_ratios t : gamma * kappa * total (fun s => eta s / r s) t <= height (w t) - y0.
Proof.
rewrite -total_scale; have := @linear_growth (fun s => height (w s)) (fun s => gamma * kappa * (eta s / r s)) _ t.
suff H s : gamma * kappa * (eta s / r s) <= height (w s.+1) - height (w s) by move/(_ H); lra.
have [e0 _] := eta_range s; have n0 := n_gt0 s; have s0 := run_gt0 s; have g0 := dir_margin_gt0 dir.
apply: Rle_trans (run_rise s); have -> : gamma * kappa * (eta s / r s) = eta s * (gamma * (kappa * S (w s))) / n s.
  by field; lra.
apply: Rmult_le_compat_r; first exact/Rlt_le/Rinv_0_lt_compat.
by do 2!(apply: Rmult_le_compat_l; first lra); exact: (excess_most ranges (run_low s)).
Qed.

(* Cauchy-Schwarz: (sum eta)^2 <= (sum eta r)(sum eta/r). *)
Lemma total_cauchy t : T t * T t <= total (fun s => eta s * r s) t * total (fun s => eta s / r s) t.
Proof.
have e0 s : 0 < eta s by case: (eta_range s).
have er s : 0 <= eta s * r s := Rlt_le _ _ (Rmult_lt_0_compat _ _ (e0 s) (ratio_gt0 s)).
have ei s : 0 <= eta s / r s := Rlt_le _ _ (Rdiv_lt_0_compat _ _ (e0 s) (ratio_gt0 s)).
have mixed : \sum_(s < t) sqrt (eta s * r s) * sqrt (eta s / r s) = T t.
  apply: eq_bigr => s _; rewrite -sqrt_mult_alt //.
  have -> : eta s * r s * (eta s / r s) = eta s * eta s by field; have := run_gt0 s; have := n_gt0 s; lra.
  by apply: sqrt_square; have := e0 s; lra.
have first : \sum_(s < t) Rsqr (sqrt (eta s * r s)) = total (fun s => eta s * r s) t.
  by apply: eq_bigr => s _; exact: Rsqr_sqrt.
have second : \sum_(s < t) Rsqr (sqrt (eta s / r s)) = total (fun s => eta s / r s) t.
  by apply: eq_bigr => s _; exact: Rsqr_sqrt.
have := @sum_cauchy_schwarz _ predT (fun s : 'I_t => sqrt (eta s * r s)) (fun s : 'I_t => sqrt (eta s / r s)).
by rewrite mixed first second.
Qed.

(* The height grows linearly, from the first step on. *)
Theorem T23_height t : y0 + sqrt (theta * kappa) * T t - excess_start / gamma / 2 <= height (w t).
Proof.
have g0 := dir_margin_gt0 dir; have k0 := excess_share_gt0 ranges.
set A := total (fun s => eta s * r s) t; set I := total (fun s => eta s / r s) t; set Z := height (w t) - y0.
have a := sum_ratios t; have i := sum_inverse_ratios t; have c := total_cauchy t; rewrite -/A -/I -/Z in a i c.
have I0 : 0 <= I.
  by apply: total_ge0 => s; apply/Rlt_le/Rdiv_lt_0_compat; [case: (eta_range s) | exact: ratio_gt0].
have A0 : 0 <= A.
  by apply: total_ge0 => s; apply/Rlt_le/Rmult_lt_0_compat; [case: (eta_range s) | exact: ratio_gt0].
have T0 : 0 <= T t by apply: total_ge0 => s; case: (eta_range s); lra.
have gk := Rmult_lt_0_compat _ _ g0 k0; have Z0 : 0 <= Z by have := Rmult_le_pos _ _ (Rlt_le _ _ gk) I0; lra.
have E0 := excess_start_ge0; set d := excess_start / gamma.
have d0 : 0 <= d by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
have gd : gamma * d = excess_start by rewrite /d; field; lra.
have tk := Rmult_lt_0_compat _ _ theta_gt0 k0.
have square : theta * kappa * (T t * T t) <= Z * (Z + d).
  apply: (Rmult_le_reg_l gamma) => //.
  apply: (Rle_trans _ (theta * A * (gamma * kappa * I))).
    by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (Rmult_lt_0_compat _ _ tk g0)) c; lra.
  have -> : gamma * (Z * (Z + d)) = (gamma * Z + gamma * d) * Z by ring.
  rewrite gd; apply: Rmult_le_compat => //; first by apply: Rmult_le_pos; lra.
  by apply: Rmult_le_pos => //; lra.
have root : sqrt (theta * kappa) * T t <= Z + d / 2.
  apply: le_of_sqr_le; first lra.
  have -> : sqrt (theta * kappa) * T t * (sqrt (theta * kappa) * T t) =
    sqrt (theta * kappa) * sqrt (theta * kappa) * (T t * T t) by ring.
  rewrite sqrt_sqrt; last lra.
  have := Rmult_le_pos _ _ d0 d0; nra.
rewrite /Z in root; lra.
Qed.

Theorem T23_rising t : height (w t) <= height (w t.+1).
Proof.
have [e0 _] := eta_range t; have n0 := n_gt0 t; have g0 := dir_margin_gt0 dir.
have m0 := total_gt0 dir (excess_weight_gt0 ranges (run_low t)).
have := Rdiv_lt_0_compat _ _ (Rmult_lt_0_compat _ _ e0 (Rmult_lt_0_compat _ _ g0 m0)) n0.
have := run_rise t; lra.
Qed.

Lemma sublevel_height_rises t : y0 <= height (w t).
Proof. by elim: t => [|t IH]; [lra | have := T23_rising t; lra]. Qed.

(* ---- the direction ---- *)

Notation G := (gibbs_gap Q Delta u p Q gamma mu hi lo y0).

Lemma excess_gap_ge0 : 0 <= G.
Proof.
have sub c : active Q mu c -> Q c by case/activeP.
have start_low : S (w O) <= top by rewrite start; lra.
have low0 c (Qc : Q c) := excess_low_gt0 ranges Qc; have R c (Qc : Q c) := excess_factors ranges start_low Qc.
apply: (gibbs_gap_ge0 dir p_orth) => c; first exact: sub.
- by move/sub/low0.
- by move=> Qc; have := R c Qc; have := low0 c Qc; lra.
by move/sub => Qc; have := R c Qc; lra.
Qed.

Lemma residual_step t : vnorm2 (residual (w t.+1)) - vnorm2 (residual (w t)) <=
  2 * G / gamma * (height (w t.+1) - height (w t)) + h * eta t.
Proof.
have [e0 eh] := eta_range t; have n0 := n_gt0 t; have g0 := dir_margin_gt0 dir.
have low0 c (Qc : Q c) := excess_low_gt0 ranges Qc; have R c (Qc : Q c) := excess_factors ranges (run_low t) Qc.
have sub c : active Q mu c -> Q c by case/activeP.
have b0 c (Qc : Q c) : 0 < b (w t) c by have := R c Qc; have := low0 c Qc; lra.
have pull := @gibbs_T7_weights _ _ Q Delta u p gamma mu dir Q lo hi y0 (fun _ Qc => Qc) sub (fun c Sc => low0 c (sub
  c Sc))
  (w t) (b (w t)) b0 (fun c Sc => proj1 (R c (sub c Sc))) (fun c Qc => proj2 (R c Qc)) (sublevel_height_rises t).
have dotV : dot (V (w t)) (residual (w t)) <= mass t * G by rewrite /field_of /ascent dot_combinel.
have G0 := excess_gap_ge0.
rewrite run (step_residual dir p_orth) -run; set tau := eta t / n t.
have tau0 : 0 < tau by exact: Rdiv_lt_0_compat.
have rise : tau * (gamma * mass t) <= height (w t.+1) - height (w t).
  by apply: Rle_trans (run_rise t); right; rewrite /tau; field; lra.
have sq : tau * tau * (vnorm2 (V (w t)) - dot (V (w t)) u * dot (V (w t)) u) <= h * eta t.
  apply: (Rle_trans _ (tau * tau * vnorm2 (V (w t)))).
    by apply: Rmult_le_compat_l; [exact: Rle_0_sqr | have := Rle_0_sqr (dot (V (w t)) u); rewrite /Rsqr; lra].
  have -> : tau * tau * vnorm2 (V (w t)) = eta t * eta t by rewrite -vnorm_sqr /tau; field; lra.
  by apply: Rmult_le_compat_r; lra.
have two : 2 * tau * dot (V (w t)) (residual (w t)) <= 2 * G / gamma * (height (w t.+1) - height (w t)).
  apply: (Rle_trans _ (2 * G / gamma * (tau * (gamma * mass t)))).
    have -> : 2 * G / gamma * (tau * (gamma * mass t)) = 2 * tau * (mass t * G) by field; lra.
    by apply: Rmult_le_compat_l; lra.
  apply: Rmult_le_compat_l rise; apply: Rmult_le_pos; last exact/Rlt_le/Rinv_0_lt_compat.
  lra.
lra.
Qed.

(* x_t^2 <= x_0^2 + (2 C/gamma)(y_t - y_0) + h T_t *)
Theorem T23_residual t : vnorm2 (residual (w t)) <=
  vnorm2 (residual (w O)) + 2 * G / gamma * (height (w t) - y0) + h * T t.
Proof.
elim: t => [|t IH]; first by rewrite total0; lra.
by rewrite totalS; have := residual_step t; lra.
Qed.

Lemma height_le t : height (w t) - y0 <= T t.
Proof. by elim: t => [|t IH]; [rewrite total0; lra | have := run_rise_le t; rewrite totalS; lra]. Qed.

(* X_t, which is O(sqrt t) *)
Definition excess_reach t : R := sqrt (vnorm2 (residual (w O)) + (2 * G / gamma + h) * T t).

Lemma residual_reach t : vnorm (residual (w t)) <= excess_reach t.
Proof.
apply: sqrt_le_1_alt; apply: Rle_trans (T23_residual t) _.
have g0 := dir_margin_gt0 dir; have c0 : 0 <= 2 * G / gamma.
  by apply: Rmult_le_pos; [have := excess_gap_ge0; lra | exact/Rlt_le/Rinv_0_lt_compat].
by have := Rmult_le_compat_l _ _ _ c0 (height_le t); lra.
Qed.

Theorem T23_angle t : 0 < height (w t) -> 1 - cosine u (w t) <=
  (vnorm p + excess_reach t) * (vnorm p + excess_reach t) / (2 * (height (w t) * height (w t))).
Proof. by move=> y_gt0; exact (angle_bound (dir_unit dir) y_gt0 (residual_reach t)). Qed.

Theorem T23_limit : is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1.
Proof.
move=> far; have r0 : 0 < sqrt (theta * kappa) by apply/sqrt_lt_R0/Rmult_lt_0_compat => //;
  exact: excess_share_gt0 ranges.
have h0 : 0 < h by have := eta_range O; lra.
apply: (cosine_limit (dir_unit dir) (p := p)
  (A := vnorm2 (residual (w O)) - (2 * G / gamma + h / sqrt (theta * kappa)) * y0
        + h / sqrt (theta * kappa) * (excess_start / gamma / 2))
  (B := 2 * G / gamma + h / sqrt (theta * kappa))) => [|t].
  apply: (limit_linear (y0 := y0 - excess_start / gamma / 2) r0 far) => t.
  by have := T23_height t; lra.
apply: Rle_trans (T23_residual t) _.
have t_le : h * T t <= h / sqrt (theta * kappa) * (height (w t) - y0 + excess_start / gamma / 2).
  have -> : h * T t = h / sqrt (theta * kappa) * (sqrt (theta * kappa) * T t) by field; lra.
  apply: Rmult_le_compat_l; first by apply/Rlt_le/Rdiv_lt_0_compat.
  by have := T23_height t; lra.
by lra.
Qed.

(* Other differences d of tokens (sentences that were not trained): with a positive rate they are decided for ever from
   some step on. *)
Theorem T23_shifted d t : natural o (w O) -> 0 <= dot d u ->
  dot d (w O) + dot d u * (sqrt (theta * kappa) * T t - excess_start / gamma / 2)
    - vnorm d * sqrt ((2 * G / gamma + h) * T t) <= dot d (w t).
Proof.
move=> centred d0; have E : excess_reach t = sqrt ((2 * G / gamma + h) * T t).
  by rewrite /excess_reach (start_residual_sqr centred) Rplus_0_l.
have x := residual_reach t; rewrite E in x.
rewrite (decompose u p (w t) d) (decompose u p (w O) d) (start_residual centred) dot0r.
have := Rmult_le_compat_l _ _ _ (vnorm_ge0 d) x; have := dot_ge_norms d (residual (w t)).
by have := Rmult_le_compat_l _ _ _ d0 (T23_height t); lra.
Qed.
End Run.
