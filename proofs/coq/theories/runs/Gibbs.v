(* Gibbs: T7, the Gibbs inequality for the constraint weights of a run.

   The weights q_c = omega_c / Om form a probability vector on P, and mu is another one on its support S inside P.
   Comparing both with the weights themselves bounds the pull sum_P q_c <Delta_c, e> on the residual by the constant
   C. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* Along any ray y u + p, in any norm: what balances the constraints is n, and <n,w> stands for the height. *)
Section Ray.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (n u p : vec J) (gamma : R) (mu : C -> R).
Hypothesis bal : balanced Q Delta n gamma mu.
Variables (P : pred C) (blo bhi : C -> R) (y0 : R).
Hypothesis active_sub : forall c, active Q mu c -> P c.
Hypothesis blo_gt0 : forall c, active Q mu c -> 0 < blo c.

Notation slope := (slope Delta u).
Notation weight := (gibbs_weight Delta).
Notation K := (log_floor Q mu blo).

(* One parameter w and the values b_c of the weights' factors there. *)
Variables (w : vec J) (b : C -> R).
Hypothesis b_gt0 : forall c, P c -> 0 < b c.
Hypothesis b_lo : forall c, active Q mu c -> blo c <= b c.

Let Om := \sum_(c | P c) weight b w c.

Lemma gibbs_weight_gt0 c : P c -> 0 < weight b w c.
Proof. by move=> Pc; apply: Rmult_lt_0_compat; [apply: b_gt0 | apply: exp_pos]. Qed.

Lemma ray_total_gt0 : 0 < Om.
Proof.
have [c Sc] := balanced_active_exists bal; have Pc := active_sub Sc.
by apply: (sum_gt0 (i := c)) => // [d Pd|]; [apply/Rlt_le/gibbs_weight_gt0 | apply: gibbs_weight_gt0].
Qed.

(* KL(mu|q), q the weights' shares on P. *)
Definition relative_entropy : R := \sum_(c | active Q mu c) mu c * (ln (mu c) - ln (weight b w c / Om)).

Lemma relative_entropy_ge0 : 0 <= relative_entropy.
Proof.
have Om0 := ray_total_gt0; pose q c := weight b w c / Om.
have q0 c : P c -> 0 < q c by move=> Pc; apply: Rdiv_lt_0_compat => //; exact: gibbs_weight_gt0.
have q1 : \sum_(c | active Q mu c) q c <= 1.
  have <- : \sum_(c | P c) q c = 1 by rewrite /q -sum_mulr -/Om Rinv_r //; lra.
  rewrite (sum_pred_id (active Q mu)) (sum_pred_id P); apply: sum_le => c _.
  case Sc: (active Q mu c); first by rewrite active_sub //; lra.
  by case Pc: (P c); [apply/Rlt_le/q0 | lra].
have mu0 c : active Q mu c -> 0 <= mu c by move=> /activeP[_]; lra.
have := gibbs mu0 (balanced_active_sum bal) (fun c Sc => q0 c (active_sub Sc)).
set S := \sum_(c | _) q c in q1 *.
have S0 : 0 < S.
  have [c Sc] := balanced_active_exists bal; apply: (sum_gt0 (i := c)) => // [d Sd|]; last exact: q0 (active_sub Sc).
  exact: Rlt_le (q0 _ (active_sub Sd)).
have := ln_le_sub1 S0; rewrite (_ : relative_entropy = - \sum_(c | active Q mu c) mu c * (ln (q c) - ln (mu c))).
  lra.
by rewrite /relative_entropy -sumN; apply: eq_bigr => c _; rewrite /q; ring.
Qed.

(* log Om >= sum mu_c log(b_c/mu_c) - gamma <n,w> + KL, since sum mu_c m_c = gamma <n,w>. *)
Lemma log_total_entropy : K - gamma * dot n w + relative_entropy <= ln Om.
Proof.
have Om0 := ray_total_gt0.
have -> : gamma * dot n w = \sum_(c | active Q mu c) mu c * dot (Delta c) w.
  by rewrite (balanced_active bal) (balanced_dot bal).
have <- : (\sum_(c | active Q mu c) mu c) * ln Om = ln Om by rewrite (balanced_active_sum bal); ring.
rewrite /relative_entropy /log_floor sum_mulr -sumB -sumD; apply: sum_le => c Sc; have b0 := blo_gt0 Sc.
have Pc := active_sub Sc; have bc : ln (blo c) <= ln (b c).
  by case: (b_lo Sc) => [h|->]; [left; apply: ln_increasing | lra].
rewrite ln_div //; last exact: gibbs_weight_gt0.
rewrite /gibbs_weight ln_mult; [|exact: b_gt0|exact: exp_pos]; rewrite ln_exp.
have m0 : 0 <= mu c by have [_] := activeP _ _ _ Sc; lra.
have := Rmult_le_compat_l _ _ _ m0 bc; lra.
Qed.

Lemma ray_log_total : K - gamma * dot n w <= ln Om.
Proof. by have := log_total_entropy; have := relative_entropy_ge0; lra. Qed.

Lemma ray_total_lower : exp (K - gamma * dot n w) <= Om.
Proof.
rewrite -[X in _ <= X](exp_ln _ ray_total_gt0).
by case: ray_log_total => [h|->]; [left; apply: exp_increasing | lra].
Qed.

Hypothesis b_hi : forall c, P c -> b c <= bhi c.
Variable y : R.
Hypothesis height_ge : y0 <= y.
Hypothesis slopes : forall c, P c -> gamma <= slope c.
Notation Cgap := (gibbs_gap Q Delta u p P gamma mu bhi blo y0).
Let e := (w - (y * u + p))%V.

(* T7 around the point of the ray at y. *)
Theorem ray_gibbs : \sum_(c | P c) weight b w c / Om * dot (Delta c) e <=
  Cgap + gamma * (dot n w - y) - relative_entropy.
Proof.
have Om0 := ray_total_gt0.
pose a c := b c * exp (- slope c * y - dot (Delta c) p).
have a0 c : P c -> 0 < a c by move=> Pc; apply: Rmult_lt_0_compat; [apply: b_gt0 | apply: exp_pos].
have q0 c : P c -> 0 <= weight b w c / Om.
  by move=> Pc; apply/Rlt_le/Rdiv_lt_0_compat => //; apply: gibbs_weight_gt0.
have q1 : \sum_(c | P c) weight b w c / Om = 1 by rewrite -sum_mulr -/Om Rinv_r //; lra.
have := gibbs q0 q1 a0.
have -> : \sum_(c | P c) weight b w c / Om * (ln (a c) - ln (weight b w c / Om))
  = \sum_(c | P c) weight b w c / Om * dot (Delta c) e + ln Om.
  rewrite -[ln Om]Rmult_1_l -q1 sum_mulr -sumD; apply: eq_bigr => c Pc.
  rewrite -Rmult_plus_distr_l; congr (_ * _).
  rewrite ln_div //; last exact: gibbs_weight_gt0.
  rewrite /gibbs_weight /a !ln_mult ?ln_exp; try exact: exp_pos; try exact: b_gt0.
  by rewrite /e dotBr dotDr dotZr -/(slope c); ring.
have A0 : 0 < \sum_(c | P c) a c.
  have [c /active_sub Pc] := balanced_active_exists bal.
  by apply: (sum_gt0 (i := c)) => // [d Pd|]; [apply/Rlt_le/a0 | apply: a0].
have : ln (\sum_(c | P c) a c) <= log_mass Delta u p P gamma bhi y0 - gamma * y.
  rewrite /log_mass; set X := \sum_(c | P c) bhi c * _.
  have AX : \sum_(c | P c) a c <= X * exp (- (gamma * y)).
    rewrite sum_mulr; apply: sum_le => c Pc; rewrite Rmult_assoc -exp_plus /a.
    have h : - slope c * y - dot (Delta c) p
        <= - (slope c - gamma) * y0 - dot (Delta c) p + - (gamma * y).
      have g := slopes Pc.
      have : (slope c - gamma) * y0 <= (slope c - gamma) * y by apply: Rmult_le_compat_l; lra.
      lra.
    apply: Rmult_le_compat; [exact/Rlt_le/b_gt0 | exact/Rlt_le/exp_pos | exact: b_hi |].
    by case: h => [h|->]; [left; apply: exp_increasing | lra].
  have X0 : 0 < X.
    by have := exp_pos (- (gamma * y)); nra.
  have -> : ln X - gamma * y = ln (X * exp (- (gamma * y))).
    by rewrite ln_mult // ?ln_exp; [lra | exact: exp_pos].
  by case: AX => [h|->]; [left; apply: ln_increasing | lra].
have := log_total_entropy; rewrite /gibbs_gap; lra.
Qed.

(* Without the division by the total weight. *)
Corollary ray_gibbs_weights : \sum_(c | P c) weight b w c * dot (Delta c) e <=
  Om * (Cgap + gamma * (dot n w - y) - relative_entropy).
Proof.
have Om0 := ray_total_gt0.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ Om0) ray_gibbs.
rewrite sum_mull; suff -> : \sum_(c | P c) Om * (weight b w c / Om * dot (Delta c) e)
  = \sum_(c | P c) weight b w c * dot (Delta c) e by [].
by apply: eq_bigr => c _; field; lra.
Qed.
End Ray.

Section Gibbs.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u p : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Variables (P : pred C) (blo bhi : C -> R) (y0 : R).
Hypothesis P_sub : forall c, P c -> Q c.
Hypothesis active_sub : forall c, active Q mu c -> P c.
Hypothesis blo_gt0 : forall c, active Q mu c -> 0 < blo c.

Notation residual := (residual u p).
Notation height := (height u).
Notation weight := (gibbs_weight Delta).
Notation K := (log_floor Q mu blo).
Notation Cgap := (gibbs_gap Q Delta u p P gamma mu bhi blo y0).

Variables (w : vec J) (b : C -> R).
Hypothesis b_gt0 : forall c, P c -> 0 < b c.
Hypothesis b_lo : forall c, active Q mu c -> blo c <= b c.

Let Om := \sum_(c | P c) weight b w c.
Let bal := direction_balanced dir.

Lemma total_weight_gt0 : 0 < Om.
Proof. exact (ray_total_gt0 bal active_sub w b_gt0). Qed.

Lemma log_total_weight : K - gamma * height w <= ln Om.
Proof. by rewrite /height dotC; exact (ray_log_total bal active_sub blo_gt0 w b_gt0 b_lo). Qed.

Lemma total_weight_lower : exp (K - gamma * height w) <= Om.
Proof. by rewrite /height dotC; exact (ray_total_lower bal active_sub blo_gt0 w b_gt0 b_lo). Qed.

Hypothesis b_hi : forall c, P c -> b c <= bhi c.
Hypothesis height_ge : y0 <= height w.

(* T7. *)
Corollary gibbs_T7_weights : \sum_(c | P c) weight b w c * dot (Delta c) (residual w) <= Om * Cgap.
Proof.
have := ray_gibbs_weights p bal active_sub blo_gt0 w b_gt0 b_lo b_hi height_ge (fun c Pc => slope_ge dir (P_sub Pc)).
have E : (w - (height w * u + p))%V = residual w by rewrite /residual; vec_ring.
rewrite E => H; apply: Rle_trans H _; apply: Rmult_le_compat_l; first exact/Rlt_le/total_weight_gt0.
have := relative_entropy_ge0 bal active_sub w b_gt0; rewrite dotC /height; lra.
Qed.

Theorem gibbs_T7 : \sum_(c | P c) weight b w c / Om * dot (Delta c) (residual w) <= Cgap.
Proof.
have Om0 := total_weight_gt0; apply: (Rmult_le_reg_l Om) => //; apply: Rle_trans gibbs_T7_weights.
by rewrite sum_mull; right; apply: eq_bigr => c _; rewrite -/Om; field; lra.
Qed.
End Gibbs.

Section Gap.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u p : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Hypothesis p_orth : dot p u = 0.
Variables (P : pred C) (blo bhi : C -> R) (y0 : R).
Hypothesis P_sub : forall c, P c -> Q c.
Hypothesis active_sub : forall c, active Q mu c -> P c.
Hypothesis blo_gt0 : forall c, active Q mu c -> 0 < blo c.
Hypothesis bhi_gt0 : forall c, P c -> 0 < bhi c.
Hypothesis blo_bhi : forall c, active Q mu c -> blo c <= bhi c.

(* C is at least sum_S mu_c log(bhi_c/blo_c), hence not negative. *)
Lemma gibbs_gap_lower :
  \sum_(c | active Q mu c) mu c * (ln (bhi c) - ln (blo c)) <= gibbs_gap Q Delta u p P gamma mu bhi blo y0.
Proof.
(* log_mass is the log of the total weight at the parameter w = y0 u + p with factors bhi, scaled by e^(gamma y0). *)
pose w := (y0 * u + p)%V.
have hw : height u w = y0 by rewrite /height /w dotDl dotZl (dir_unit dir) p_orth; ring.
have := @log_total_weight _ _ Q Delta u gamma mu dir P bhi active_sub
  (fun c Sc => bhi_gt0 (active_sub Sc)) w bhi bhi_gt0 (fun _ _ => Rle_refl _).
rewrite hw /gibbs_gap => H.
have -> : log_mass Delta u p P gamma bhi y0 = gamma * y0 + ln (\sum_(c | P c) gibbs_weight Delta bhi w c).
  rewrite -{1}(ln_exp (gamma * y0)) -ln_mult; [|exact: exp_pos|]; last first.
    exact: (@total_weight_gt0 _ _ Q Delta u gamma mu dir P active_sub).
  rewrite /log_mass; congr ln; rewrite sum_mull; apply: eq_bigr => c _.
  rewrite /gibbs_weight [RHS]Rmult_comm Rmult_assoc -exp_plus /w dotDr dotZr -/(slope Delta u c).
  by congr (_ * exp _); ring.
have -> : \sum_(c | active Q mu c) mu c * (ln (bhi c) - ln (blo c)) = log_floor Q mu bhi - log_floor Q mu blo.
  by rewrite /log_floor -sumB; apply: eq_bigr => c _; ring.
lra.
Qed.

Lemma gibbs_gap_ge0 : 0 <= gibbs_gap Q Delta u p P gamma mu bhi blo y0.
Proof.
apply: Rle_trans gibbs_gap_lower; apply: sum_ge0 => c Sc.
apply: Rmult_le_pos; first by have [Qc _] := activeP _ _ _ Sc; apply: (dir_mult_ge0 dir).
have := blo_gt0 Sc; case: (blo_bhi Sc) => [h b0|->]; last by lra.
by have := ln_increasing _ _ b0 h; lra.
Qed.
End Gap.
