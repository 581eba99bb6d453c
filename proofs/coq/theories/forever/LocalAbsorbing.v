(* LocalAbsorbing: T11, the absorbing region of a locally optimal selection.

   P holds the constraints whose score gap is positive; it contains every tight constraint.  The other constraints, N,
   are better tokens that the margin problem leaves slack: their weights pull away from the selection, but they decay
   faster than the rest.  First for abstract factors, then for softmax attention.  The centre is w_0's own residual. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Direction Gibbs Progress Path Growth Inside Region Saturation PartialStep.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* x e^(-x) is largest at 1. *)
Lemma scaled_decay x : exp 1 * x <= exp x.
Proof.
have -> : exp x = exp 1 * exp (x - 1) by rewrite -exp_plus; congr exp; ring.
apply: Rmult_le_compat_l; first exact/Rlt_le/exp_pos.
by have := exp_ge_line (x - 1); lra.
Qed.

(* A quadratic with a negative leading coefficient, by completing the square. *)
Lemma concave_quadratic k beta M X : 0 < beta -> 0 < M -> k * X - beta * (X * X / M) <= k * k * M / (4 * beta).
Proof.
move=> b0 M0; have bM : 0 < beta / M by apply: Rdiv_lt_0_compat.
have := Rmult_le_pos _ _ (Rlt_le _ _ bM) (Rle_0_sqr (X - k * M / (2 * beta))).
rewrite /Rsqr; have -> : beta / M * ((X - k * M / (2 * beta)) * (X - k * M / (2 * beta)))
  = k * k * M / (4 * beta) - (k * X - beta * (X * X / M)) by field; lra.
lra.
Qed.

Section Abstract.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Variables (P : pred C) (D : R).
Hypothesis P_sub : forall c, P c -> Q c.
Hypothesis active_sub : forall c, active Q mu c -> P c.
Hypothesis norm_le : forall c, Q c -> vnorm (Delta c) <= D.
Notation N := (fun c => Q c && ~~ P c).
Notation height := (height u).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).
Notation excess := (excess Delta u gamma).
Hypothesis excess_gt0 : forall c, Q c -> ~~ P c -> 0 < excess c.

Variables (b : vec J -> C -> R) (blo bhi B : C -> R).
Hypothesis blo_gt0 : forall c, P c -> 0 < blo c.
Hypothesis blo_bhi : forall c, P c -> blo c <= bhi c.
Hypothesis B_ge0 : forall c, Q c -> ~~ P c -> 0 <= B c.
Notation field_of := (field_of Q Delta b).

Variables (w : nat -> vec J) (eta : nat -> R) (etamax : R).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Notation w0 := (w O).
Notation y0 := (height w0).
Definition natural_centre : vec J := (w0 - y0 * u)%V.
Notation p := natural_centre.
Notation residual := (residual u p).
Notation K := (log_floor Q mu blo).
Notation G := (gibbs_gap Q Delta u p P gamma mu bhi blo y0).

Variables (M rho_bar C1 theta h : R).
Hypothesis M_gt0 : 0 < M.
Hypothesis rho_bar_lt : rho_bar * D < gamma.
Hypothesis theta_gt0 : 0 < theta.
Hypothesis M_ge : (2 * G + C1 + h * D * (1 + rho_bar)) / (gamma - rho_bar * D) <= M.
Notation on_path := (on_path u p w0 M).
Notation low := (path_low Delta u p w0 M).

(* R(theta) of T11. *)
Definition tail (th : R) : R := exp (- K) * \sum_(c | Q c && ~~ P c)
  B c * exp (- (dot (Delta c) w0 - gamma * y0) + (spread c + th) * (spread c + th) * M / (4 * excess c)).

Hypothesis tail_le : tail 0 <= rho_bar.
Hypothesis tail_pull : 2 * D * (tail theta / (exp 1 * theta)) <= C1.

(* The factors are in range wherever the margins are at least low. *)
Hypothesis region : forall z, (forall c, Q c -> low c <= dot (Delta c) z) ->
  (forall c, P c -> blo c <= b z c <= bhi c) /\ (forall c, Q c -> ~~ P c -> Rabs (b z c) <= B c).

Lemma centre_orth : dot p u = 0.
Proof. by rewrite /natural_centre dotBl dotZl (dir_unit dir) /Direction.height; ring. Qed.

Lemma start_residual : residual w0 = vzero.
Proof. exact: natural_centre_residual. Qed.

Lemma start_residual_sqr : vnorm2 (residual w0) = 0.
Proof. by rewrite start_residual vnorm20. Qed.

Lemma path_bound_sqr z : on_path z ->
  path_bound u p w0 M z * path_bound u p w0 M z = M * (height z - y0).
Proof.
case=> hy _; rewrite /path_bound start_residual_sqr Rplus_0_l sqrt_sqrt //.
by apply: Rmult_le_pos; lra.
Qed.

(* The actual size of the weights outside P, relative to e^(K - gamma y). *)
Definition outside_ratio (z : vec J) : R :=
  \sum_(c | Q c && ~~ P c) Rabs (gibbs_weight Delta (b z) z c) * exp (gamma * height z - K).

Lemma outside_ratio_ge0 z : 0 <= outside_ratio z.
Proof. by apply: sum_ge0 => c _; apply: Rmult_le_pos; [exact: Rabs_pos | exact/Rlt_le/exp_pos]. Qed.

Lemma outside_ratio_spec z :
  \sum_(c | Q c && ~~ P c) Rabs (gibbs_weight Delta (b z) z c) <= outside_ratio z * exp (K - gamma * height z).
Proof.
rewrite /outside_ratio sum_mulr; right; apply: eq_bigr => c _; rewrite Rmult_assoc -exp_plus.
have -> : gamma * height z - K + (K - gamma * height z) = 0 by ring.
by rewrite exp_0 Rmult_1_r.
Qed.

(* Along the path the ratio decays with the residual: it is at most tail(th) e^(- th X). *)
Lemma outside_ratio_le z th : 0 <= th -> on_path z ->
  outside_ratio z * exp (th * path_bound u p w0 M z) <= tail th.
Proof.
move=> th0 Hz; set X := path_bound u p w0 M z.
have X0 : 0 <= X := sqrt_pos _.
have XX : X * X = M * (height z - y0) := path_bound_sqr Hz.
have yX : height z - y0 = X * X / M by rewrite XX; field; lra.
have Hl c (Qc : Q c) : low c <= dot (Delta c) z := path_low_margin dir centre_orth M_gt0 Qc Hz.
have [_ out] := region Hl.
rewrite /outside_ratio /tail sum_mulr sum_mull; apply: sum_le => c /andP[Qc Nc].
have e0 := excess_gt0 Qc Nc.
rewrite /gibbs_weight Rabs_mult (Rabs_pos_eq (exp _)); last exact/Rlt_le/exp_pos.
have -> : Rabs (b z c) * exp (- dot (Delta c) z) * exp (gamma * height z - K) * exp (th * X)
  = Rabs (b z c) * exp (- dot (Delta c) z + (gamma * height z - K) + th * X) by rewrite !exp_plus; ring.
have -> : exp (- K) * (B c * exp (- (dot (Delta c) w0 - gamma * y0)
      + (spread c + th) * (spread c + th) * M / (4 * excess c)))
  = B c * exp (- K + (- (dot (Delta c) w0 - gamma * y0) + (spread c + th) * (spread c + th) * M / (4 * excess c))).
  by rewrite [in RHS]exp_plus; ring.
apply: Rmult_le_compat; [exact: Rabs_pos | exact/Rlt_le/exp_pos | exact: out |].
apply: exp_le.
have mz := on_path_margin dir centre_orth c Hz; rewrite -/X in mz.
have pc : dot (Delta c) p = dot (Delta c) w0 - slope c * y0 by rewrite /natural_centre dotBr dotZr /Direction.slope; ring.
have q := concave_quadratic (spread c + th) X e0 M_gt0.
have ey : excess c * (height z - y0) = excess c * (X * X / M) by rewrite yX.
move: mz q ey; rewrite pc /excess; lra.
Qed.

Lemma outside_ratio_small z : on_path z -> outside_ratio z <= rho_bar.
Proof.
move=> Hz; have := outside_ratio_le (Rle_refl 0) Hz; rewrite Rmult_0_l exp_0 Rmult_1_r.
by have := tail_le; lra.
Qed.

Lemma outside_pull z : on_path z -> 2 * outside_ratio z * D * vnorm (residual z) <= C1.
Proof.
move=> Hz; apply: Rle_trans tail_pull.
have D0 := norm_bound_gt0 dir norm_le; have r0 := outside_ratio_ge0 z.
set X := path_bound u p w0 M z; have xX : vnorm (residual z) <= X := residual_le_path_bound Hz.
have X0 : 0 <= X := sqrt_pos _; have e1 := exp_pos 1.
have tX := outside_ratio_le (Rlt_le _ _ theta_gt0) Hz; rewrite -/X in tX.
have key : outside_ratio z * X <= tail theta / (exp 1 * theta).
  have et : 0 < exp 1 * theta by apply: Rmult_lt_0_compat.
  apply: (Rmult_le_reg_r (exp 1 * theta)) => //.
  have -> : tail theta / (exp 1 * theta) * (exp 1 * theta) = tail theta by field; split; lra.
  apply: Rle_trans tX.
  have -> : outside_ratio z * X * (exp 1 * theta) = outside_ratio z * (exp 1 * (theta * X)) by ring.
  by apply: Rmult_le_compat_l => //; exact: scaled_decay.
have -> : 2 * outside_ratio z * D * vnorm (residual z) = 2 * D * (outside_ratio z * vnorm (residual z)) by ring.
apply: Rmult_le_compat_l; first by lra.
by apply: Rle_trans key; apply: Rmult_le_compat_l.
Qed.

Lemma local_region_on_path z : on_path z -> forall c, P c -> blo c <= b z c <= bhi c.
Proof. by move=> Hz; have [] := region (fun c Qc => path_low_margin dir centre_orth M_gt0 Qc Hz). Qed.

(* One step from a point on the path. *)
Lemma local_step z tau : on_path z -> 0 < tau -> tau * vnorm (field_of z) <= h ->
  height z < height (z + tau * field_of z)%V /\
  vnorm2 (residual (z + tau * field_of z)%V) - vnorm2 (residual z)
    <= M * (height (z + tau * field_of z)%V - height z).
Proof.
move=> Hz t0 th.
exact (partial_path dir centre_orth P_sub active_sub blo_gt0 blo_bhi norm_le (local_region_on_path Hz) (proj1 Hz)
  (outside_ratio_ge0 z) (outside_ratio_small Hz) rho_bar_lt (outside_ratio_spec z) (outside_pull Hz) t0 th M_ge).
Qed.

Section Normalised.
Hypothesis h_ge : etamax <= h.
Hypothesis run : forall t, w t.+1 = (w t + eta t / vnorm (field_of (w t)) * field_of (w t))%V.
Definition normalised_speed : R := (gamma - rho_bar * D) / (D * (1 + rho_bar)).

Lemma local_normalised_norm z : on_path z -> 0 < vnorm (field_of z).
Proof.
move=> Hz; exact (partial_norm_gt0 dir P_sub active_sub blo_gt0 norm_le (local_region_on_path Hz)
  (outside_ratio_ge0 z) (outside_ratio_small Hz) rho_bar_lt (outside_ratio_spec z)).
Qed.

Lemma local_normalised_step t : on_path (w t) ->
  height (w t) < height (w t.+1) /\
  vnorm2 (residual (w t.+1)) - vnorm2 (residual (w t)) <= M * (height (w t.+1) - height (w t)).
Proof.
move=> Hp; rewrite run; have n0 := local_normalised_norm Hp; have [e0 e1] := eta_range t.
apply: local_step => //; first exact: Rdiv_lt_0_compat.
have -> : eta t / vnorm (field_of (w t)) * vnorm (field_of (w t)) = eta t by field; lra.
lra.
Qed.

Lemma normalised_speed_gt0 : 0 < normalised_speed.
Proof.
have D0 := norm_bound_gt0 dir norm_le.
have r0 : 0 <= rho_bar := Rle_trans _ _ _ (outside_ratio_ge0 w0) (outside_ratio_small (on_path_start u p w0 M)).
by apply: Rdiv_lt_0_compat; [lra | apply: Rmult_lt_0_compat; lra].
Qed.

Theorem local_normalised_region : invariant_region u on_path w eta (LinearGrowth normalised_speed).
Proof.
split=> [| t || t Hp | t Hp]; [exact: normalised_speed_gt0 | by case: (eta_range t) | exact: on_path_start | | ].
  by have [h1 h2] := local_normalised_step Hp; exact: on_path_step Hp (Rlt_le _ _ h1) h2.
have [e0 _] := eta_range t; rewrite run.
exact (partial_normalised_growth dir P_sub active_sub blo_gt0 norm_le (local_region_on_path Hp)
  (outside_ratio_ge0 _) (outside_ratio_small Hp) rho_bar_lt (outside_ratio_spec _) (Rlt_le _ _ e0)).
Qed.
End Normalised.

Section Gradient.
Hypothesis step_le : etamax * (D * (\sum_(c | P c) bhi c * exp (- low c)
                                    + \sum_(c | Q c && ~~ P c) B c * exp (- low c))) <= h.
Hypothesis run : forall t, w t.+1 = (w t + eta t * field_of (w t))%V.

Lemma local_field_norm z : on_path z ->
  vnorm (field_of z) <= D * (\sum_(c | P c) bhi c * exp (- low c)
                             + \sum_(c | Q c && ~~ P c) B c * exp (- low c)).
Proof.
move=> Hz; have D0 := norm_bound_gt0 dir norm_le.
have Hl c (Qc : Q c) : low c <= dot (Delta c) z := path_low_margin dir centre_orth M_gt0 Qc Hz.
have [inP inN] := region Hl.
have ex c (Qc : Q c) : exp (- dot (Delta c) z) <= exp (- low c) by apply: exp_le; have := Hl c Qc; lra.
apply: Rle_trans (vnorm_combine _ _ _) _; rewrite (sum_split P_sub) Rmult_plus_distr_l !sum_mull.
have bound c k : Q c -> Rabs (b z c) <= k ->
    Rabs (gibbs_weight Delta (b z) z c) * vnorm (Delta c) <= D * (k * exp (- low c)).
  move=> Qc kc; rewrite Rmult_comm; apply: Rmult_le_compat; [exact: vnorm_ge0 | exact: Rabs_pos | exact: norm_le |].
  rewrite /gibbs_weight Rabs_mult (Rabs_pos_eq (exp _)); last exact/Rlt_le/exp_pos.
  by apply: Rmult_le_compat; [exact: Rabs_pos | exact/Rlt_le/exp_pos | | exact: ex].
apply: Rplus_le_compat; apply: sum_le => c.
  move=> Pc; apply: bound; first exact: P_sub.
  by have [h1 h2] := inP c Pc; have b0 := blo_gt0 Pc; rewrite Rabs_pos_eq; lra.
by case/andP=> Qc Nc; apply: bound => //; exact: inN.
Qed.

Lemma local_gradient_step t : on_path (w t) ->
  height (w t) < height (w t.+1) /\
  vnorm2 (residual (w t.+1)) - vnorm2 (residual (w t)) <= M * (height (w t.+1) - height (w t)).
Proof.
move=> Hp; rewrite run; have [e0 e1] := eta_range t; apply: local_step => //.
apply: Rle_trans step_le; apply: Rmult_le_compat => //; [lra | exact: vnorm_ge0 | exact: local_field_norm].
Qed.

Theorem local_gradient_region : invariant_region u on_path w eta (LogarithmicGrowth gamma ((gamma - rho_bar * D) * exp K)).
Proof.
have g0 := dir_margin_gt0 dir; split=> [| t || t Hp | t Hp].
- by split=> //; apply: Rmult_lt_0_compat; [lra | exact: exp_pos].
- by case: (eta_range t).
- exact: on_path_start.
- by have [h1 h2] := local_gradient_step Hp; exact: on_path_step Hp (Rlt_le _ _ h1) h2.
have [e0 _] := eta_range t.
have := partial_gradient_growth dir P_sub active_sub blo_gt0 norm_le (local_region_on_path Hp)
  (outside_ratio_ge0 _) (outside_ratio_small Hp) rho_bar_lt (outside_ratio_spec _) (Rlt_le _ _ e0).
by rewrite run -/(field_of (w t)) /law_gain; apply: Rle_trans; right; ring.
Qed.
End Gradient.
End Abstract.
