(* PartialStep: one step when only the constraints in P are known to carry positive weights (the common part of T11,
   T14 and T15).  The weights outside P may have any sign; their total size is at most rho times that of the weights
   on P. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Reference Gibbs Progress Path FactorRange.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* The factors of the constraints that keep positive weights give these a total. *)
Lemma kept_total_lower (J C : finType) (Q : pred C) (Delta : C -> vec J) u gamma mu (P : pred C) (blo bhi : C -> R)
    (b : C -> R) z : direction Q Delta u gamma mu ->
  (forall c, active Q mu c -> P c) -> (forall c, P c -> 0 < blo c) -> (forall c, P c -> blo c <= b c <= bhi c) ->
  exp (log_floor Q mu blo - gamma * height u z) <= \sum_(c | P c) gibbs_weight Delta b z c.
Proof.
move=> dir active_sub blo_gt0 b_range.
have b_gt0 c : P c -> 0 < b c by move=> Pc; have := blo_gt0 c Pc; have := b_range c Pc; lra.
exact (@total_weight_lower _ _ Q Delta u gamma mu dir P blo active_sub (fun c Sc => blo_gt0 c (active_sub c Sc)) z b
  b_gt0 (fun c Sc => proj1 (b_range c (active_sub c Sc)))).
Qed.

Lemma norm_bound_gt0 (J C : finType) (Q : pred C) (Delta : C -> vec J) u gamma mu D :
  direction Q Delta u gamma mu -> (forall c, Q c -> vnorm (Delta c) <= D) -> 0 < D.
Proof.
move=> dir norm_le; have [c /activeP[Qc _]] := active_exists dir.
have := slope_gt0 dir Qc; have := slope_le_norm dir c; have := norm_le c Qc; lra.
Qed.

(* What a step of length 1 adds to the height at least. *)
Definition normalised_speed (gamma D rho_bar : R) : R := (gamma - rho_bar * D) / (D * (1 + rho_bar)).

Section PartialStep.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta) (f : factor_bounds C).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation p_orth := (reference_orthogonal o).
Notation height := (height u).
Notation residual := (residual u p).
Notation P := (factor_kept f).
Notation blo := (factor_low f).
Notation bhi := (factor_high f).
Notation K := (log_floor Q mu blo).

Variables (y0 D rho_bar rho : R) (z : vec J) (b : C -> R).
Notation G := (gibbs_gap Q Delta u p P gamma mu bhi blo y0).
Let omega := gibbs_weight Delta b z.
Let V := ascent Q Delta omega.
Let Om := \sum_(c | P c) omega c.

(* What is known of the weights at z: those on P have factors in range, the others are small beside them. *)
Record partial_weights : Prop := PartialWeights {
  partial_kept : forall c, P c -> Q c;
  partial_active : forall c, active Q mu c -> P c;
  partial_low_gt0 : forall c, P c -> 0 < blo c;
  partial_range : forall c, P c -> blo c <= b c <= bhi c;
  partial_norm_le : forall c, Q c -> vnorm (Delta c) <= D;
  partial_height : y0 <= height z;
  partial_rho_ge0 : 0 <= rho;
  partial_rho_le : rho <= rho_bar;
  partial_rho_lt : rho_bar * D < gamma;
  partial_outside_small : \sum_(c | Q c && ~~ P c) Rabs (omega c) <= rho * exp (K - gamma * height z)
}.
Hypothesis known : partial_weights.
Let P_sub := partial_kept known.
Let active_sub := partial_active known.
Let blo_gt0 := partial_low_gt0 known.
Let b_range := partial_range known.
Let norm_le := partial_norm_le known.
Let height_ge := partial_height known.
Let rho_ge0 := partial_rho_ge0 known.
Let rho_le := partial_rho_le known.
Let rho_bar_lt := partial_rho_lt known.
Let outside_small := partial_outside_small known.

Lemma partial_gap_ge0 : 0 <= G.
Proof.
have blo_bhi c : P c -> blo c <= bhi c by move=> Pc; have := b_range Pc; lra.
have bhi_gt0 c : P c -> 0 < bhi c by move=> Pc; have := blo_gt0 Pc; have := blo_bhi c Pc; lra.
exact (@gibbs_gap_ge0 _ _ Q Delta u p gamma mu dir p_orth P blo bhi y0 active_sub
  (fun c Sc => blo_gt0 (active_sub Sc)) bhi_gt0 (fun c Sc => blo_bhi c (active_sub Sc))).
Qed.

Lemma partial_b_gt0 c : P c -> 0 < b c.
Proof. by move=> Pc; have := blo_gt0 Pc; have := b_range Pc; lra. Qed.

Lemma partial_omega_gt0 c : P c -> 0 < omega c.
Proof. by move=> Pc; apply: Rmult_lt_0_compat; [exact: partial_b_gt0 | exact: exp_pos]. Qed.

Lemma partial_total_lower : exp (K - gamma * height z) <= Om.
Proof. exact (kept_total_lower z dir active_sub blo_gt0 b_range). Qed.

Lemma partial_outside : \sum_(c | Q c && ~~ P c) Rabs (omega c) <= rho * Om.
Proof. apply: Rle_trans outside_small _; exact: Rmult_le_compat_l partial_total_lower. Qed.

Lemma partial_pull : \sum_(c | P c) omega c * dot (Delta c) (residual z) <= Om * G.
Proof.
exact (@gibbs_T7_weights _ _ Q Delta u p gamma mu dir P blo bhi y0 P_sub active_sub
  (fun c Sc => blo_gt0 (active_sub Sc)) z b partial_b_gt0 (fun c Sc => proj1 (b_range (active_sub Sc)))
  (fun c Pc => proj2 (b_range Pc)) height_ge).
Qed.

Let D_gt0 : 0 < D := norm_bound_gt0 dir norm_le.

Lemma rho_bar_ge0 : 0 <= rho_bar.
Proof. lra. Qed.

Lemma rho_lt : rho * D < gamma.
Proof. by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ D_gt0) rho_le; lra. Qed.

Lemma partial_progress : Om * (gamma - rho_bar * D) <= dot V u.
Proof.
apply: Rle_trans (progress_direction dir P_sub partial_omega_gt0 norm_le partial_outside).
apply: Rmult_le_compat_l; first exact: Rle_trans (Rlt_le _ _ (exp_pos _)) partial_total_lower.
by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ D_gt0) rho_le; lra.
Qed.

Lemma partial_norm : vnorm V <= Om * D * (1 + rho_bar).
Proof.
apply: Rle_trans (progress_norm dir P_sub partial_omega_gt0 norm_le partial_outside) _.
apply: Rmult_le_compat_l; last by lra.
apply: Rmult_le_pos; last exact: Rlt_le.
exact: Rle_trans (Rlt_le _ _ (exp_pos _)) partial_total_lower.
Qed.

Lemma partial_norm_gt0 : 0 < vnorm V.
Proof. exact (ascent_norm_gt0 dir P_sub active_sub partial_omega_gt0 norm_le rho_lt partial_outside). Qed.

(* The path inequality with constants that hold wherever rho <= rho_bar. *)
Theorem partial_path pull tau h M : 2 * rho * D * vnorm (residual z) <= pull -> 0 < tau -> tau * vnorm V <= h ->
  (2 * G + pull + h * D * (1 + rho_bar)) / (gamma - rho_bar * D) <= M ->
  height z < height (z + tau * V)%V /\
  vnorm2 (residual (z + tau * V)%V) - vnorm2 (residual z) <= M * (height (z + tau * V)%V - height z).
Proof.
move=> pull_le t0 th HM.
have [h1 h2] := path_T9 dir p_orth P_sub active_sub partial_omega_gt0 norm_le rho_ge0 rho_lt partial_outside
  t0 th partial_gap_ge0 partial_pull.
have {}h1 : height z < height (z + tau * V)%V := h1.
split=> //; apply: Rle_trans h2 _; apply: Rmult_le_compat_r; first by rewrite -/V; lra.
apply: Rle_trans HM.
have h0 : 0 <= h by have := Rmult_le_pos _ _ (Rlt_le _ _ t0) (vnorm_ge0 V); lra.
have rD := Rmult_le_compat_r _ _ _ (Rlt_le _ _ D_gt0) rho_le.
have hD := Rmult_le_pos _ _ h0 (Rlt_le _ _ D_gt0).
have hr : h * D * (1 + rho) <= h * D * (1 + rho_bar) by apply: Rmult_le_compat_l; lra.
have G0 := partial_gap_ge0.
have x0 : 0 <= 2 * rho * D * vnorm (residual z).
  by apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | exact: vnorm_ge0].
have hp : 0 <= h * D * (1 + rho) by apply: Rmult_le_pos; lra.
apply: Rmult_le_compat; [lra | apply/Rlt_le/Rinv_0_lt_compat; have := rho_lt; lra | lra |].
by apply: Rinv_le_contravar; lra.
Qed.

(* The field along u: for a gradient step, and for a normalised one. *)
Theorem partial_ascent : (gamma - rho_bar * D) * exp K * exp (- (gamma * height z)) <= dot V u.
Proof.
rewrite Rmult_assoc -exp_plus; apply: Rle_trans partial_progress.
by rewrite Rmult_comm; apply: Rmult_le_compat_r; [lra | exact: partial_total_lower].
Qed.

Notation speed := (normalised_speed gamma D rho_bar).

Lemma normalised_speed_gt0 : 0 < speed.
Proof. by have r0 := rho_bar_ge0; apply: Rdiv_lt_0_compat; [lra | apply: Rmult_lt_0_compat; lra]. Qed.

Theorem partial_speed : speed * vnorm V <= dot V u.
Proof.
have r0 := rho_bar_ge0; have k0 : 0 < D * (1 + rho_bar) by apply: Rmult_lt_0_compat; lra.
apply: Rle_trans partial_progress; apply: (Rle_trans _ (speed * (Om * D * (1 + rho_bar)))).
  by apply: Rmult_le_compat_l partial_norm; exact/Rlt_le/normalised_speed_gt0.
by right; rewrite /normalised_speed; field; split; lra.
Qed.
End PartialStep.
