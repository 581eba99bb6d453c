(* MirrorSteep: R(y) of a step for p >= 2 by entries, section 13's second bound (MIRROR.md): solid entries
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
Hypothesis beyond0 : forall j, 0 <= beyond j.

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

Variables (y tau E theta Lambda T mean width outer rest : R) (x most kj : vec J) (solid : pred J).
Notation a := (ray u v y).
Notation weight := (solid_weight p q a theta).
Notation share := (tau * Om x).
Hypotheses (at_y : near y x) (t0 : 0 < tau) (share_le : share <= T).
Hypotheses (allowed : mirror_gap p q a x <= E) (theta01 : 0 < theta <= 1) (Lambda0 : 0 <= Lambda) (T0 : 0 < T).
Hypothesis most_ge : forall j, field_sizes y j <= most j.

Let share0 : 0 <= share.
Proof. by have := mirror_total_positive dir range shape at_y => Om0; apply: Rmult_le_pos; lra. Qed.

Lemma step_entry j : Rabs ((tau * V x)%V j) <= share * most j.
Proof.
rewrite /vscale Rabs_mult (Rabs_pos_eq tau); last lra.
have := Rmult_le_compat_l tau _ _ (Rlt_le _ _ t0) (mirror_field_entry j at_y).
by have := Rmult_le_compat_l share _ _ share0 (most_ge j); lra.
Qed.

Let most0 j : 0 <= most j.
Proof.
have Om0 := mirror_total_positive dir range shape at_y.
have pos : 0 < share := Rmult_lt_0_compat _ _ t0 Om0.
by apply: (Rmult_le_reg_l share) => //; rewrite Rmult_0_r; apply: Rle_trans (step_entry j); exact: Rabs_pos.
Qed.

(* ---- the entries that are not solid ---- *)

Lemma loose_plain : \sum_(j | ~~ solid j) abs_power ((tau * V x)%V j) q <=
  share * (abs_power T (q - 1) * \sum_(j | ~~ solid j) abs_power (most j) q).
Proof.
have q1 := conjugate_gt1 p1 conj; rewrite -Rmult_assoc sum_mull; apply: sum_le => j _; rewrite Rmult_assoc.
rewrite -abs_power_abs; have := abs_power_le (Rlt_le _ _ (Rlt_trans _ _ _ Rlt_0_1 q1)) (Logic.conj (Rabs_pos _)
  (step_entry j)).
move=> H; apply: Rle_trans H _; rewrite abs_power_mult; have X0 := abs_power_ge0 (most j) q.
case: (Req_EM_T share 0) => [z | sn]; first by rewrite z abs_power0 !Rmult_0_l; right.
have -> : abs_power share q = share * abs_power share (q - 1).
  by rewrite -(abs_power_step q sn) Rabs_pos_eq //; ring.
rewrite (Rmult_assoc share); apply: Rmult_le_compat_l => //.
by apply: Rmult_le_compat_r X0 _; apply: abs_power_le; lra.
Qed.

Lemma loose_normalised eta : normalised_fits Q Delta q b eta tau x ->
  \sum_(j | ~~ solid j) abs_power ((tau * V x)%V j) q <=
    share * (abs_power eta (q - 1) * lp_norm q (loose_part solid most)).
Proof.
move=> [_ len]; have q1 := conjugate_gt1 p1 conj.
pose l := loose_part solid (tau * V x)%V; set m := loose_part solid most.
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
  by rewrite (Rabs_pos_eq (share * most j)); [exact: step_entry | exact: Rmult_le_pos].
have n0 := lp_norm_ge0 q l; rewrite -(lp_norm_power l); last lra.
case: (Req_EM_T (lp_norm q l) 0) => [z | ne].
  rewrite z abs_power0; apply: Rmult_le_pos share0 _; apply: Rmult_le_pos (abs_power_ge0 _ _) (lp_norm_ge0 _ _).
rewrite -(abs_power_step q ne) (Rabs_pos_eq _ n0).
have -> : share * (abs_power eta (q - 1) * lp_norm q m) = abs_power eta (q - 1) * (share * lp_norm q m) by ring.
by apply: Rmult_le_compat => //; [exact: abs_power_ge0 | apply: abs_power_le; lra].
Qed.

(* ---- all entries ---- *)

Hypothesis loose_le : \sum_(j | ~~ solid j) abs_power ((tau * V x)%V j) q <= share * rest.
Hypothesis solid_ok : forall j, solid j -> [/\ a j <> 0,
  rough * (abs_power T (q - 1) * abs_power (most j) q) <= Lambda * (shrunk_gap p theta * abs_power (a j) p),
  2 * (T * most j) <= abs_power (theta * a j) (p - 1) & weight j <= kj j].
Hypothesis kj0 : forall j, 0 <= kj j.
Let size (d : vec J) := sqrt (\sum_j kj j * (d j * d j)).
Hypotheses (mean_ge : gamma * size n + mirror_ratio k y * outer <= mean) (mean0 : 0 <= mean).
Hypothesis narrow : forall c, P c -> 2 * size (Delta c - gamma * n)%V <= width.
Hypothesis out_le : forall c, Q c -> ~~ P c -> size (Delta c) <= outer.
Hypotheses (outer0 : 0 <= outer) (small : T * (width * width) < 2).

Theorem solid_cost_above_two : dual_divergence q (mirror q x) x (x + tau * V x)%V <= share *
  (Lambda * E + T * (mean * mean) / (1 - T * (width * width) / 2) + rough * rest + mirror_entropy Q Delta q mu b f x).
Proof.
have q1 := conjugate_gt1 p1 conj; have Om0 := mirror_total_positive dir range shape at_y.
have ok j (s : solid j) : [/\ a j <> 0, 0 <= most j,
    rough * (abs_power T (q - 1) * abs_power (most j) q) <= Lambda * (shrunk_gap p theta * abs_power (a j) p) &
    2 * (T * most j) <= abs_power (theta * a j) (p - 1)] by have [] := solid_ok s.
have := solid_curvature p1 p2 conj theta01 Lambda0 (Logic.conj share0 share_le) step_entry allowed ok.
move=> H; apply: Rle_trans H _.
have squares := mirror_field_squares dir range shape at_y kj0 T0 mean_ge mean0 narrow out_le outer0 small.
set R2 := T * (mean * mean) / _ in squares *; set KL := mirror_entropy Q Delta q mu b f x in squares *.
have S0 : 0 <= \sum_j kj j * (V x j * V x j).
  by apply: sum_ge0 => j _; apply: Rmult_le_pos => //; exact: Rle_0_sqr.
have smooth : \sum_(j | solid j) weight j * ((tau * V x)%V j * (tau * V x)%V j) <= share * (R2 + KL).
  apply: (Rle_trans _ (tau * tau * (\sum_j kj j * (V x j * V x j)))).
    rewrite big_mkcond sum_mull; apply: sum_le => j _; rewrite /vscale.
    have sq := Rmult_le_pos _ _ (Rle_0_sqr tau) (Rle_0_sqr (V x j)); rewrite /Rsqr in sq.
    case: ifP => [/solid_ok[_ _ _ le] | _].
      by have := Rmult_le_compat_r _ _ _ sq le; lra.
    by have := Rmult_le_pos _ _ (kj0 j) sq; lra.
  have RK : 0 <= R2 + KL.
    have := Rmult_le_pos _ _ (Rlt_le _ _ T0) S0 => lo; have OO : 0 < Om x * Om x by apply: Rmult_lt_0_compat.
    by apply: Rnot_lt_le => neg; have := Rmult_lt_compat_l _ _ _ OO neg; lra.
  apply: (Rmult_le_reg_l T) => //.
  have h1 := Rmult_le_compat_l (tau * tau) _ _ (Rle_0_sqr tau) squares.
  have h2 := Rmult_le_compat_r (share * (R2 + KL)) _ _ (Rmult_le_pos _ _ share0 RK) share_le.
  by move: h1 h2; lra.
have rough0 : 0 <= rough.
  by apply: Rmult_le_pos (abs_power_ge0 _ _) _; apply/Rlt_le/Rinv_0_lt_compat; lra.
have := Rmult_le_compat_l _ _ _ rough0 loose_le; lra.
Qed.
End Steep.
