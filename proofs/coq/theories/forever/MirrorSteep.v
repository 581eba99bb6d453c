(* MirrorSteep: R(y) of a normalised step for p >= 2 by entries, section 13's second bound (MIRROR.md): solid entries
   are paid by the gap or are smooth, and what the others cost is bounded by their norm. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity
                           Direction Gibbs Progress FactorRange Mirror MirrorRay MirrorMoves MirrorFirm MirrorSolid
                           MirrorRegion MirrorRun MirrorSpread.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Steep.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (p q : R) (u v : vec J) (gamma : R) (mu : C -> R).
Variables (b : vec J -> C -> R) (f : factor_bounds C) (low : C -> R) (k : mirror_bounds C).
Hypotheses (p1 : 1 < p) (p2 : 2 <= p) (conj : / p + / q = 1) (dir : mirror_direction Q Delta p u gamma mu).
Hypotheses (range : factor_range Q Delta b low f) (shape : mirror_shape Q Delta p q u v gamma mu f low k).
Notation P := (factor_kept f).
Notation V := (mirror_field Q Delta q b).
Notation Om := (mirror_total Delta q b f).
Notation near := (near_ray p q u v k).
Notation n := (mirror p u).
Notation rough := (abs_power 2 (2 - q) / q).

Variables (within beyond : vec J).
Hypothesis within_le : forall c j, P c -> Rabs (Delta c j) <= within j.
Hypothesis beyond_le : forall c j, Q c -> ~~ P c -> Rabs (Delta c j) <= beyond j.
Hypotheses (within0 : forall j, 0 <= within j) (beyond0 : forall j, 0 <= beyond j).

(* At least |V_j| for each unit of weight. *)
Definition field_sizes (y : R) : vec J := fun j => within j + mirror_ratio k y * beyond j.

Lemma mirror_field_entry y x j : near y x -> Rabs (V x j) <= Om x * field_sizes y j.
Proof.
move=> at_y; have out := mirror_outside dir range shape at_y.
rewrite /mirror_field /field_of /ascent /combine (sum_split (factor_kept_constraint range)).
apply: Rle_trans (Rabs_triang _ _) _; rewrite /field_sizes Rmult_plus_distr_l; apply: Rplus_le_compat.
  apply: Rle_trans (sum_abs _ _ _) _; rewrite /mirror_total sum_mulr; apply: sum_le => c Pc.
  have w0 := mirror_weight_gt0 range shape at_y Pc; rewrite Rabs_mult Rabs_pos_eq; last lra.
  by apply: Rmult_le_compat_l; [lra | exact: within_le].
apply: Rle_trans (sum_abs _ _ _) _.
apply: (Rle_trans _ (mirror_ratio k y * Om x * beyond j)); last by right; ring.
apply: Rle_trans (Rmult_le_compat_r _ _ _ (beyond0 j) out); rewrite sum_mulr; apply: sum_le => c /andP[Qc Nc].
by rewrite Rabs_mult; apply: Rmult_le_compat_l (Rabs_pos _) (beyond_le j Qc Nc).
Qed.

Variables (eta y tau E theta Lambda T mean width outer : R) (x : vec J) (solid : pred J).
Notation a := (ray u v y).
Notation weight := (solid_weight p q a theta).
Hypotheses (at_y : near y x) (fits : normalised_fits Q Delta q b eta tau x).
Hypotheses (allowed : mirror_gap p q a x <= E) (theta01 : 0 < theta <= 1) (Lambda0 : 0 <= Lambda) (T0 : 0 < T).
Hypothesis T_ge : eta <= T * (gamma - mirror_ratio k y * mirror_far_slope k).
Hypothesis ratio0 : 0 <= mirror_ratio k y.
Hypothesis solid_ok : forall j, solid j -> [/\ a j <> 0, 0 <= field_sizes y j,
  rough * (abs_power T (q - 1) * abs_power (field_sizes y j) q) <= Lambda * (shrunk_gap p theta * abs_power (a j) p) &
  2 * (T * field_sizes y j) <= abs_power (theta * a j) (p - 1)].
Let kj : vec J := fun j => if solid j then weight j else 0.
Let size (d : vec J) := sqrt (\sum_j kj j * (d j * d j)).
Hypotheses (mean_ge : gamma * size n + mirror_ratio k y * outer <= mean) (mean0 : 0 <= mean).
Hypothesis narrow : forall c, P c -> 2 * size (Delta c - gamma * n)%V <= width.
Hypothesis out_le : forall c, Q c -> ~~ P c -> size (Delta c) <= outer.
Hypotheses (outer0 : 0 <= outer) (small : T * (width * width) < 2).

Theorem solid_cost_above_two : dual_divergence q (mirror q x) x (x + tau * V x)%V <= tau * Om x *
  (Lambda * E + T * (mean * mean) / (1 - T * (width * width) / 2) +
   rough * (abs_power eta (q - 1) * lp_norm q (loose_part solid (field_sizes y))) + mirror_entropy Q Delta q mu b f x).
Proof.
have q1 := conjugate_gt1 p1 conj; have [t0 len] := fits; have Om0 := mirror_total_positive dir range shape at_y.
have [y_ge _ _] := at_y; have speed0 := mirror_ratio_lt shape y_ge; pose share := tau * Om x.
have share0 : 0 <= share by apply: Rmult_le_pos; lra.
have V0 : Om x * (gamma - mirror_ratio k y * mirror_far_slope k) <= lp_norm q (V x).
  by apply: Rle_trans (mirror_ascent_height dir range shape at_y) (height_le_norm p1 conj (mirror_unit dir) _).
have shareT : share <= T.
  apply: (Rmult_le_reg_r (gamma - mirror_ratio k y * mirror_far_slope k)); first lra.
  by have := Rmult_le_compat_l tau _ _ (Rlt_le _ _ t0) V0; rewrite /share; lra.
have entries j : Rabs ((tau * V x)%V j) <= share * field_sizes y j.
  rewrite /vscale Rabs_mult (Rabs_pos_eq tau); last lra.
  by have := Rmult_le_compat_l tau _ _ (Rlt_le _ _ t0) (mirror_field_entry j at_y); rewrite /share; lra.
have := solid_curvature p1 p2 conj theta01 Lambda0 (Logic.conj share0 shareT) entries allowed solid_ok.
move=> H; apply: Rle_trans H _; rewrite -/share.
have k0 j : 0 <= kj j.
  rewrite /kj; case: ifP => _; last lra.
  apply: Rmult_le_pos; first lra.
  by apply: Rmult_le_pos; [exact: abs_power_ge0 | have := abs_power_ge0 2 (2 - q); lra].
have squares := mirror_field_squares dir range shape at_y k0 T0 mean_ge mean0 narrow out_le outer0 small.
set R2 := T * (mean * mean) / _ in squares *; set KL := mirror_entropy Q Delta q mu b f x in squares *.
have smooth : \sum_(j | solid j) weight j * ((tau * V x)%V j * (tau * V x)%V j) <= share * (R2 + KL).
  have -> : \sum_(j | solid j) weight j * ((tau * V x)%V j * (tau * V x)%V j) =
      tau * tau * (\sum_j kj j * (V x j * V x j)).
    rewrite big_mkcond sum_mull; apply: eq_bigr => j _; rewrite /kj /vscale; case: (solid j); ring.
  have S0 : 0 <= \sum_j kj j * (V x j * V x j).
    by apply: sum_ge0 => j _; apply: Rmult_le_pos => //; exact: Rle_0_sqr.
  have RK : 0 <= R2 + KL.
    have := Rmult_le_pos _ _ (Rlt_le _ _ T0) S0 => lo; have OO : 0 < Om x * Om x by apply: Rmult_lt_0_compat.
    by apply: Rnot_lt_le => neg; have := Rmult_lt_compat_l _ _ _ OO neg; lra.
  apply: (Rmult_le_reg_l T) => //.
  have h1 := Rmult_le_compat_l (tau * tau) _ _ (Rle_0_sqr tau) squares.
  have h2 := Rmult_le_compat_r (share * (R2 + KL)) _ _ (Rmult_le_pos _ _ share0 RK) shareT.
  by move: h1 h2; rewrite /share; lra.
have rest : \sum_(j | ~~ solid j) abs_power ((tau * V x)%V j) q <=
    share * (abs_power eta (q - 1) * lp_norm q (loose_part solid (field_sizes y))).
  pose l := loose_part solid (tau * V x)%V; set m := loose_part solid (field_sizes y).
  have -> : \sum_(j | ~~ solid j) abs_power ((tau * V x)%V j) q = lp_sum q l.
    by rewrite /lp_sum big_mkcond; apply: eq_bigr => j _; rewrite /l /loose_part; case: (solid j); rewrite ?abs_power0.
  have mono (d e : vec J) : (forall j, Rabs (d j) <= Rabs (e j)) -> lp_norm q d <= lp_norm q e.
    move=> de; apply: abs_power_le; first by apply/Rlt_le/Rinv_0_lt_compat; lra.
    split; first exact: lp_sum_ge0.
    apply: sum_le => j _; rewrite -(abs_power_abs (d j)) -(abs_power_abs (e j)); apply: abs_power_le; first lra.
    by split; [exact: Rabs_pos | exact: de].
  have short : lp_norm q l <= eta.
    apply: Rle_trans len; have -> : tau * lp_norm q (V x) = lp_norm q (tau * V x)%V.
      by rewrite lp_norm_scale ?Rabs_pos_eq; lra.
    apply: mono => j; rewrite /l /loose_part; case: (solid j); last by right.
    by rewrite Rabs_R0; exact: Rabs_pos.
  have part : lp_norm q l <= share * lp_norm q m.
    have -> : share * lp_norm q m = lp_norm q (share * m)%V by rewrite lp_norm_scale ?Rabs_pos_eq; lra.
    apply: mono => j; rewrite /l /m /loose_part /vscale; case: (solid j); first by rewrite Rmult_0_r; right.
    have s0 : 0 <= share * field_sizes y j := Rle_trans _ _ _ (Rabs_pos _) (entries j).
    by rewrite (Rabs_pos_eq _ s0); exact: entries.
  have n0 := lp_norm_ge0 q l; rewrite -(lp_norm_power l); last lra.
  case: (Req_EM_T (lp_norm q l) 0) => [z | ne].
    rewrite z abs_power0; apply: Rmult_le_pos share0 _; apply: Rmult_le_pos (abs_power_ge0 _ _) (lp_norm_ge0 _ _).
  rewrite -(abs_power_step q ne) (Rabs_pos_eq _ n0).
  have -> : share * (abs_power eta (q - 1) * lp_norm q m) = abs_power eta (q - 1) * (share * lp_norm q m) by ring.
  by apply: Rmult_le_compat => //; [exact: abs_power_ge0 | apply: abs_power_le; lra].
have rough0 : 0 <= rough.
  by apply: Rmult_le_pos (abs_power_ge0 _ _) _; apply/Rlt_le/Rinv_0_lt_compat; lra.
have := Rmult_le_compat_l _ _ _ rough0 rest; lra.
Qed.
End Steep.
