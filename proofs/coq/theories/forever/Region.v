(* Region: runs of the exact iteration seen from one point (the common part of T10, T11 and T12).

   The run is w_{t+1} = w_t + tau_t V(w_t) with V(z) = sum_Q b_c(z) e^{-m_c(z)} Delta_c.  A point is on the path of
   the reference point w_0 when its height is at least y_0 and its residual obeys x^2 <= x_0^2 + M (y - y_0).  If
   every step from a point on the path obeys the path inequality, the whole run stays on the path, and every margin
   stays above the lowest margin of the path. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Gibbs Progress Path Growth.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Region.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u p : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Hypothesis p_orth : dot p u = 0.
Notation height := (height u).
Notation residual := (residual u p).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).

(* ---- the path of a point ---- *)

Section OnPath.
Variables (w0 : vec J) (M : R).
Hypothesis M_gt0 : 0 < M.

Definition on_path (z : vec J) : Prop :=
  height w0 <= height z /\
  vnorm2 (residual z) <= vnorm2 (residual w0) + M * (height z - height w0).

Definition path_bound (z : vec J) : R := sqrt (vnorm2 (residual w0) + M * (height z - height w0)).

(* low_c of T10. *)
Definition path_low (c : C) : R :=
  lowest_margin (slope c) (dot (Delta c) p) (spread c) (vnorm (residual w0)) (height w0) M.

Lemma on_path_start : on_path w0.
Proof. by split; lra. Qed.

Lemma residual_le_path_bound z : on_path z -> vnorm (residual z) <= path_bound z.
Proof. by case=> _ H; apply: sqrt_le_1_alt. Qed.

Lemma on_path_margin z c : on_path z ->
  slope c * height z + dot (Delta c) p - spread c * path_bound z <= dot (Delta c) z.
Proof.
move=> Hz; apply: Rle_trans (margin_lower dir p_orth z c).
have := Rmult_le_compat_l _ _ _ (spread_ge0 Delta u c) (residual_le_path_bound Hz); lra.
Qed.

Lemma path_low_le z c : Q c -> on_path z ->
  path_low c <= slope c * height z + dot (Delta c) p - spread c * path_bound z.
Proof.
move=> Qc [Hy Hx]; have R0 := vnorm2_ge0 (residual w0).
apply: lowest_margin_le => //; try exact: vnorm_ge0; try exact: sqrt_pos.
  exact (slope_gt0 dir Qc).
rewrite vnorm_sqr /path_bound sqrt_sqrt; first by lra.
by apply: Rplus_le_le_0_compat => //; apply: Rmult_le_pos; lra.
Qed.

Lemma path_low_margin z c : Q c -> on_path z -> path_low c <= dot (Delta c) z.
Proof. by move=> Qc Hz; apply: Rle_trans (path_low_le Qc Hz) (on_path_margin c Hz). Qed.

Lemma on_path_step z z' : on_path z -> height z <= height z' ->
  vnorm2 (residual z') - vnorm2 (residual z) <= M * (height z' - height z) -> on_path z'.
Proof. by case=> h1 h2 h3 h4; split; lra. Qed.

Lemma on_path_induction (w : nat -> vec J) : w O = w0 ->
  (forall t, on_path (w t) -> height (w t) <= height (w t.+1) /\
     vnorm2 (residual (w t.+1)) - vnorm2 (residual (w t)) <= M * (height (w t.+1) - height (w t))) ->
  forall t, on_path (w t).
Proof.
move=> H0 H; elim=> [|t IH]; first by rewrite H0; exact: on_path_start.
by have [h1 h2] := H t IH; apply: on_path_step IH h1 h2.
Qed.

(* The explicit rate of the angle. *)
Lemma on_path_angle z : on_path z -> 0 < height z ->
  1 - cosine u z <= (vnorm p + path_bound z) * (vnorm p + path_bound z) / (2 * (height z * height z)).
Proof. by move=> Hz y0; apply: (angle_bound (dir_unit dir) y0); exact: residual_le_path_bound. Qed.

Lemma on_path_limit (w : nat -> vec J) : (forall t, on_path (w t)) ->
  is_lim_seq (fun t => height (w t)) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1.
Proof.
move=> H Hy; apply: (cosine_limit (dir_unit dir) (p := p)
  (A := vnorm2 (residual w0) - M * height w0) (B := M)) => // t.
by have [_] := H t; lra.
Qed.
End OnPath.

(* ---- the natural centre ---- *)

Lemma natural_centre_residual w0 : p = (w0 - height w0 * u)%V -> residual w0 = vzero.
Proof. by move=> ->; rewrite /Direction.residual; vec_ring. Qed.

(* low_c = m_c(w_0) - delta_c^2 M / (4 gamma_c). *)
Lemma path_low_natural w0 M c : Q c -> 0 < M -> p = (w0 - height w0 * u)%V ->
  path_low w0 M c = dot (Delta c) w0 - spread c * spread c * M / (4 * slope c).
Proof.
move=> Qc M0 Hp; rewrite /path_low (natural_centre_residual Hp) vnorm0.
rewrite lowest_margin_natural //; [|exact (slope_gt0 dir Qc)|exact (spread_ge0 Delta u c)].
suff -> : dot (Delta c) p = dot (Delta c) w0 - slope c * height w0 by ring.
by rewrite [in LHS]Hp dotBr dotZr /slope /Direction.height; ring.
Qed.

(* ---- one step with positive weights on every constraint ---- *)

Section AllPositive.
Variables (blo bhi : C -> R) (y0 : R).
Hypothesis blo_gt0 : forall c, Q c -> 0 < blo c.
Hypothesis blo_bhi : forall c, Q c -> blo c <= bhi c.
Notation K := (log_floor Q mu blo).
Notation G := (gibbs_gap Q Delta u p Q gamma mu bhi blo y0).

Lemma active_constraint c : active Q mu c -> Q c.
Proof. by case/activeP. Qed.

Lemma all_gap_ge0 : 0 <= G.
Proof.
apply: (gibbs_gap_ge0 dir p_orth) => c; first exact: active_constraint.
- by move/active_constraint; exact: blo_gt0.
- by move=> Qc; have := blo_gt0 Qc; have := blo_bhi Qc; lra.
- by move/active_constraint; exact: blo_bhi.
Qed.

Variables (z : vec J) (b : C -> R).
Hypothesis b_range : forall c, Q c -> blo c <= b c <= bhi c.
Hypothesis height_ge : y0 <= height z.
Let omega := gibbs_weight Delta b z.
Let V := ascent Q Delta omega.

Lemma b_gt0 c : Q c -> 0 < b c.
Proof. by move=> Qc; have := blo_gt0 Qc; have := b_range Qc; lra. Qed.

Lemma omega_gt0 c : Q c -> 0 < omega c.
Proof. by move=> Qc; apply: Rmult_lt_0_compat; [exact: b_gt0 | exact: exp_pos]. Qed.

Lemma all_pull : \sum_(c | Q c) omega c * dot (Delta c) (residual z) <= (\sum_(c | Q c) omega c) * G.
Proof.
have sub c : active Q mu c -> Q c := @active_constraint c.
exact (@gibbs_T7_weights _ _ Q Delta u p gamma mu dir Q blo bhi y0 (fun _ Qc => Qc) sub
  (fun c Sc => blo_gt0 (sub c Sc)) z b b_gt0 (fun c Sc => proj1 (b_range (sub c Sc)))
  (fun c Qc => proj2 (b_range Qc)) height_ge).
Qed.

Lemma all_total_lower : exp (K - gamma * height z) <= \sum_(c | Q c) omega c.
Proof.
have sub c : active Q mu c -> Q c := @active_constraint c.
exact (@total_weight_lower _ _ Q Delta u gamma mu dir Q blo sub (fun c Sc => blo_gt0 (sub c Sc)) z b b_gt0
  (fun c Sc => proj1 (b_range (sub c Sc)))).
Qed.

(* Any step raises the height by at least tau gamma e^(K - gamma y). *)
Lemma all_height_growth tau : 0 <= tau ->
  tau * gamma * exp K * exp (- (gamma * height z)) <= height (z + tau * V)%V - height z.
Proof.
move=> t0; rewrite (step_height u).
have -> : height z + tau * dot V u - height z = tau * dot V u by ring.
rewrite !Rmult_assoc; apply: Rmult_le_compat_l => //.
rewrite -exp_plus; apply: Rle_trans (progress_slope dir omega_gt0).
rewrite Rmult_comm; apply: Rmult_le_compat_r; first exact/Rlt_le/(dir_margin_gt0 dir).
exact: all_total_lower.
Qed.

Lemma all_ascent_norm D (low : C -> R) : (forall c, Q c -> vnorm (Delta c) <= D) ->
  (forall c, Q c -> low c <= dot (Delta c) z) ->
  vnorm V <= D * \sum_(c | Q c) bhi c * exp (- low c).
Proof.
move=> HD Hl; apply: Rle_trans (vnorm_combine _ _ _) _; rewrite sum_mull; apply: sum_le => c Qc.
rewrite Rabs_pos_eq; last exact/Rlt_le/omega_gt0.
have ow : omega c <= bhi c * exp (- low c).
  apply: Rmult_le_compat; [exact/Rlt_le/b_gt0 | exact/Rlt_le/exp_pos | by case: (b_range Qc) |].
  by apply: exp_le; have := Hl c Qc; lra.
rewrite Rmult_comm; apply: Rmult_le_compat => //; [exact: vnorm_ge0 | exact/Rlt_le/omega_gt0 | exact: HD].
Qed.

(* A normalised step of length e <= eta. *)
Theorem all_normalised_step e eta cmin : 0 < e <= eta ->
  0 < cmin -> (forall c, Q c -> cmin * vnorm (Delta c) <= slope c) ->
  e * cmin <= height (z + e / vnorm V * V)%V - height z /\
  vnorm2 (residual (z + e / vnorm V * V)%V) - vnorm2 (residual z)
    <= (2 * G / gamma + eta * (1 - cmin * cmin) / cmin) * (height (z + e / vnorm V * V)%V - height z).
Proof.
move=> [e0 ee] c0 Hc; have nV := sharp_norm_gt0 dir omega_gt0; rewrite -/V in nV.
have t0 : 0 < e / vnorm V by exact: Rdiv_lt_0_compat.
have te : e / vnorm V * vnorm V = e by field; lra.
have [h1 h2] := path_T9s_normalised dir p_orth omega_gt0 t0 all_gap_ge0 all_pull c0 Hc te.
split=> //; apply: Rle_trans h2 _; apply: Rmult_le_compat_r.
  by apply: Rle_trans h1; apply/Rlt_le/Rmult_lt_0_compat.
apply: Rplus_le_compat_l; apply: Rmult_le_compat_r; first exact/Rlt_le/Rinv_0_lt_compat.
apply: Rmult_le_compat_r => //.
have [c /activeP[Qc _]] := active_exists dir.
have sc := slope_gt0 dir Qc; have sn := slope_le_norm dir c; have cn := Hc c Qc.
have : cmin <= 1 by apply: (Rmult_le_reg_r (vnorm (Delta c))); lra.
nra.
Qed.

(* A gradient step of length at most h. *)
Theorem all_gradient_step tau h ratio : 0 < tau -> tau * vnorm V <= h ->
  0 <= ratio -> (forall c, Q c -> spread c <= ratio * slope c) ->
  height z < height (z + tau * V)%V /\
  vnorm2 (residual (z + tau * V)%V) - vnorm2 (residual z)
    <= (2 * G / gamma + h * ratio) * (height (z + tau * V)%V - height z).
Proof.
move=> t0 th r0 Hr; split; first exact (sharp_height dir omega_gt0 z t0).
exact (path_T9s_bounded dir p_orth omega_gt0 t0 all_gap_ge0 all_pull r0 Hr th).
Qed.

(* A gradient step that decreases the loss. *)
Theorem all_descent_step tau L Lnext : 0 < tau -> Lnext <= L - tau / 2 * vnorm2 V ->
  height z < height (z + tau * V)%V /\
  vnorm2 (residual (z + tau * V)%V) - vnorm2 (residual z)
    <= 2 * G / gamma * (height (z + tau * V)%V - height z) + 2 * tau * (L - Lnext).
Proof.
move=> t0 HL; split; first exact (sharp_height dir omega_gt0 z t0).
exact (path_T9s_descent dir p_orth omega_gt0 t0 all_gap_ge0 all_pull HL).
Qed.
End AllPositive.
End Region.
