(* LockInNormalised: T12n, lock-in by loss for normalised gradient descent.

   A normalised step need not be short compared with 1/beta.  On the sublevel set of the loss, however, the curvature
   of the loss along a line is at most the total weight Om times a constant, and Om itself cannot grow faster than
   exponentially; so a step whose length obeys an explicit condition decreases the loss. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Smoothness Direction Reference Gibbs Progress Path
                           Growth Inside Region Saturation.
From Attest Require Import LockIn NormalisedDescent.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- one group on the sublevel set ---- *)

Section Group.
Variables (p : selection_problem) (alpha : selection p) (Dm : R).
Notation others := (others alpha).
Notation margin := (margin alpha).
Implicit Types (z v : vec (coord p)) (i : group p).
Hypothesis diameter : forall t s : token p, group_of t = group_of s -> vnorm (feature t - feature s) <= Dm.

(* Om_i: the mass s_alpha (g_alpha - f) of the group, which is the sum of s_t (f - g_t) over its other tokens. *)
Definition group_mass z i : R := attention z (alpha i) * (score (alpha i) - output z i).

Lemma group_mass_sum z i : \sum_(t | others i t) attention z t * (output z i - score t) = group_mass z i.
Proof.
have := output_deviation_sum alpha z i; rewrite (group_sum alpha) /group_mass => H.
have -> : \sum_(t | others i t) attention z t * (output z i - score t)
        = - \sum_(t | others i t) attention z t * (score t - output z i).
  by rewrite -sumN; apply: eq_bigr => t _; ring.
lra.
Qed.

Lemma logit_diff_le v (t s : token p) : vnorm v = 1 -> group_of t = group_of s -> Rabs (logit v t - logit v s) <= Dm.
Proof.
move=> v1 ts; rewrite /logit -dotBl; apply: Rle_trans (cauchy_schwarz _ _) _.
by rewrite v1 Rmult_1_r; exact: diameter.
Qed.

Lemma others_group i t : others i t -> group_of t = i.
Proof. by case/andP=> _ /eqP. Qed.

Lemma margin_le v i t : vnorm v = 1 -> others i t -> Rabs (margin v t) <= Dm.
Proof.
move=> v1 ti; rewrite margin_logit; apply: logit_diff_le => //.
exact: group_of_selected.
Qed.

Variables (z v : vec (coord p)) (i : group p).
Hypothesis v_unit : vnorm v = 1.
Hypothesis above : forall t, others i t -> score t <= output z i.
Notation f' := (dot (output_gradient z i) v).
Notation m := (mean_logit z i v).
Notation s := (attention z (alpha i)).
Notation mass := (group_mass z i).

Lemma common_diameter_ge0 : 0 <= Dm.
Proof. exact: Rle_trans (vnorm_ge0 _) (diameter (erefl (group_of (alpha i)))). Qed.

Lemma group_mass_ge0 : 0 <= mass.
Proof.
rewrite -group_mass_sum; apply: sum_ge0 => t ti; have := above ti => h.
by apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | lra].
Qed.

Lemma mean_deviation (t : token p) : group_of t = i ->
  logit v t - m = \sum_(r | group_of r == i) attention z r * (logit v t - logit v r).
Proof.
move=> ti; have -> : \sum_(r | group_of r == i) attention z r * (logit v t - logit v r)
  = (\sum_(r | group_of r == i) attention z r) * logit v t - m.
  by rewrite /mean_logit sum_mulr -sumB; apply: eq_bigr => r _; ring.
by rewrite (attention_sum alpha); ring.
Qed.

Lemma mean_deviation_le (t : token p) : group_of t = i -> Rabs (logit v t - m) <= Dm.
Proof.
move=> ti; rewrite mean_deviation //; apply: Rle_trans (sum_abs _ _ _) _.
have -> : Dm = (\sum_(r | group_of r == i) attention z r) * Dm by rewrite (attention_sum alpha); ring.
rewrite sum_mulr; apply: sum_le => r /eqP ri.
rewrite Rabs_mult Rabs_pos_eq; last exact/Rlt_le/attention_gt0.
by apply: Rmult_le_compat_l; [exact/Rlt_le/attention_gt0 | apply: logit_diff_le => //; rewrite ti ri].
Qed.

Lemma selected_deviation_le : Rabs (logit v (alpha i) - m) <= Dm * (1 - s).
Proof.
rewrite mean_deviation ?group_of_pick // (group_sum alpha) Rminus_diag_eq // Rmult_0_r Rplus_0_l.
apply: Rle_trans (sum_abs _ _ _) _; rewrite attention_deficit_sum sum_mull; apply: sum_le => r ri.
rewrite Rabs_mult Rabs_pos_eq; last exact/Rlt_le/attention_gt0.
rewrite Rmult_comm; apply: Rmult_le_compat_r; first exact/Rlt_le/attention_gt0.
by apply: logit_diff_le => //; rewrite group_of_pick (others_group ri).
Qed.

(* The output moves along v no faster than Dm times the mass. *)
Lemma output_slope : f' = \sum_(t | others i t) attention z t * (output z i - score t) * margin v t.
Proof.
rewrite /output_gradient dot_combinel.
have -> : \sum_(t | group_of t == i) attention z t * (score t - output z i) * dot (feature t) v
  = (\sum_(t | group_of t == i) attention z t * (score t - output z i) * (logit v t - logit v (alpha i)))
    + (\sum_(t | group_of t == i) attention z t * (score t - output z i)) * logit v (alpha i).
  by rewrite sum_mulr -sumD; apply: eq_bigr => t _; rewrite /logit; ring.
rewrite (output_deviation_sum alpha) Rmult_0_l Rplus_0_r (group_sum alpha).
rewrite (Rminus_diag_eq (logit v (alpha i)) (logit v (alpha i))) // Rmult_0_r Rplus_0_l.
apply: eq_bigr => t ti; rewrite margin_logit /selected (others_group ti); ring.
Qed.

Lemma output_slope_le : Rabs f' <= Dm * mass.
Proof.
rewrite output_slope; apply: Rle_trans (sum_abs _ _ _) _; rewrite -group_mass_sum sum_mull; apply: sum_le => t ti.
have h : 0 <= attention z t * (output z i - score t).
  by apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | have := above ti; lra].
rewrite Rabs_mult Rabs_pos_eq // Rmult_comm; apply: Rmult_le_compat_r => //; exact: margin_le ti.
Qed.

(* The output curves downwards along v at most Dm^2 times the mass. *)
Lemma output_curvature_ge : - (Dm * Dm * mass) <= mixed z i v v.
Proof.
rewrite /mixed /Moments.mean (group_sum alpha).
have D0 := common_diameter_ge0; have s0 := attention_gt0 z (alpha i).
have first : 0 <= s * ((score (alpha i) - output z i) * ((logit v (alpha i) - m) * (logit v (alpha i) - m))).
  have := group_mass_ge0; rewrite /group_mass -Rmult_assoc => h.
  by apply: Rmult_le_pos => //; exact: Rle_0_sqr.
suff : - (Dm * Dm * mass) <= \sum_(t | others i t) attention z t *
    ((score t - output z i) * ((logit v t - m) * (logit v t - m))) by lra.
rewrite -group_mass_sum sum_mull -sumN; apply: sum_le => t ti.
have h : 0 <= attention z t * (output z i - score t).
  by apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | have := above ti; lra].
have sq : (logit v t - m) * (logit v t - m) <= Dm * Dm.
  have /Rabs_le_between := mean_deviation_le (others_group ti); nra.
by have := Rmult_le_compat_l _ _ _ h sq; lra.
Qed.
End Group.

(* The second derivative of the loss is at most lam times the first, in absolute value; phi is at least lam times how
   far an output may be below its best score. *)
Record lock_bend := LockBend {
  bend_second : R -> R;   (* l'' *)
  bend_ratio : R;         (* lam *)
  bend_excess : R;        (* phi *)
  bend_diameter : R       (* Dm, the largest distance of two features of a group *)
}.

Section LockInNormalised.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation gap := (gap alpha).
Implicit Types (z v : vec (coord p)) (i : group p).

Variables (w0 : vec (coord p)) (head : lock_head p) (bend : lock_bend).
Notation floor := (lock_floor head).
Notation ddl := (bend_second bend).
Notation lam := (bend_ratio bend).
Notation phi := (bend_excess bend).
Notation Dm := (bend_diameter bend).

Record bend_ranges : Prop := BendRanges {
  bend_derive : forall x, is_derive (dloss l) x (ddl x);
  bend_ratio_ge0 : 0 <= lam;
  bend_ratio_le : forall i x, floor i <= x <= score (alpha i) -> Rabs (ddl x) <= lam * - dloss l x;
  bend_excess_ge0 : 0 <= phi;
  bend_excess_ge : forall i, lam * (score (alpha i) - floor i) <= phi;
  bend_diameter_ge0 : 0 <= Dm;
  bend_diameter_le : forall t s : token p, group_of t = group_of s -> vnorm (feature t - feature s) <= Dm
}.

Hypothesis defined : loss_defined p l.
Hypothesis ranges : lock_ranges alpha l w0 head.
Hypothesis bends : bend_ranges.
Let second_le := lock_second_le ranges.
Let second_lt := lock_second_lt ranges.
Let is_derive_dloss := bend_derive bends.
Let lam_ge0 := bend_ratio_ge0 bends.
Let ddl_le := bend_ratio_le bends.
Let phi_ge0 := bend_excess_ge0 bends.
Let phi_ge := bend_excess_ge bends.
Let Dm_ge0 := bend_diameter_ge0 bends.
Let diameter := bend_diameter_le bends.

(* ---- what T12n uses of the loss along lines ---- *)

(* Om, as a sum over groups and as the sum of the constraint weights. *)
Definition mass z : R := \sum_i weight i * (- dloss l (output z i) * group_mass alpha z i).

Lemma mass_weights z : \sum_(t | Q t) gibbs_weight (Delta alpha) (bare_weight alpha l z) z t = mass z.
Proof.
rewrite (partition_big (@group_of p) predT) //=; apply: eq_bigr => i _.
rewrite -group_mass_sum !sum_mull; apply: eq_bigr => t /andP[ct /eqP ti].
by rewrite /gibbs_weight -/(Selection.margin alpha z t) -omega_margin /omega ti; ring.
Qed.

Section Point.
Variables (z v : vec (coord p)).
Hypothesis low_loss : training_loss l z <= training_loss l w0.
Hypothesis v_unit : vnorm v = 1.

Let lock := lock_output defined ranges low_loss.

Lemma point_above i t : others i t -> score t <= output z i.
Proof. by move=> /second_le h; have := second_lt i; have := lock i; lra. Qed.

Lemma point_slope_gt0 i : 0 < - dloss l (output z i).
Proof. by have := dloss_lt0 l (output z i); lra. Qed.

Lemma point_mass_phi i : lam * group_mass alpha z i <= phi.
Proof.
apply: Rle_trans (phi_ge i); apply: Rmult_le_compat_l => //; rewrite /group_mass.
have [h1 h2] := lock i; have a1 := attention_le1 alpha z (alpha i); have a0 := attention_gt0 z (alpha i).
have : attention z (alpha i) * (score (alpha i) - output z i) <= 1 * (score (alpha i) - output z i).
  by apply: Rmult_le_compat_r; lra.
lra.
Qed.

Notation f' i := (dot (output_gradient z i) v).

(* L'' <= Dm^2 (1 + phi) Om along the line. *)
Definition line_curvature : R :=
  \sum_i weight i * (ddl (output z i) * f' i * f' i + dloss l (output z i) * mixed z i v v).

Lemma line_curvature_le : line_curvature <= Dm * Dm * (1 + phi) * mass z.
Proof.
rewrite /line_curvature /mass sum_mull; apply: sum_le => i _; have w0' := weight_gt0 i.
have -> : Dm * Dm * (1 + phi) * (weight i * (- dloss l (output z i) * group_mass alpha z i))
  = weight i * (Dm * Dm * (1 + phi) * (- dloss l (output z i) * group_mass alpha z i)) by ring.
apply: Rmult_le_compat_l; first lra.
have l0 := point_slope_gt0 i; have m0 := group_mass_ge0 (@point_above i); have mp := point_mass_phi i.
set L := - dloss l _ in l0 *; set k := group_mass _ _ _ in m0 mp *.
have sl : Rabs (f' i) <= Dm * k := output_slope_le diameter v_unit (@point_above i).
have cu : - (Dm * Dm * k) <= mixed z i v v := output_curvature_ge diameter v_unit (@point_above i).
have dd : Rabs (ddl (output z i)) <= lam * L := ddl_le (lock i).
have h1 : ddl (output z i) * f' i * f' i <= lam * L * (Dm * k * (Dm * k)).
  rewrite Rmult_assoc; apply: Rle_trans (Rle_abs _) _; rewrite !Rabs_mult.
  apply: Rmult_le_compat => //; first exact: Rabs_pos.
    by apply: Rmult_le_pos; exact: Rabs_pos.
  by apply: Rmult_le_compat => //; exact: Rabs_pos.
have h2 : lam * L * (Dm * k * (Dm * k)) <= phi * (L * (Dm * Dm * k)).
  have -> : lam * L * (Dm * k * (Dm * k)) = (lam * k) * (L * (Dm * Dm * k)) by ring.
  apply: Rmult_le_compat_r => //; apply: Rmult_le_pos; first lra.
  by apply: Rmult_le_pos => //; exact: Rle_0_sqr.
have h3 : dloss l (output z i) * mixed z i v v <= L * (Dm * Dm * k).
  have -> : dloss l (output z i) * mixed z i v v = L * - mixed z i v v by rewrite /L; ring.
  by apply: Rmult_le_compat_l; lra.
lra.
Qed.

(* |Om'| <= Dm (1 + phi) Om; only the upper bound is needed. *)
Definition mass_slope : R := \sum_i weight i *
  (- ddl (output z i) * f' i * group_mass alpha z i +
   - dloss l (output z i) * (attention z (alpha i) * (logit v (alpha i) - mean_logit z i v) *
                              (score (alpha i) - output z i) - attention z (alpha i) * f' i)).

Lemma mass_slope_le : mass_slope <= Dm * (1 + phi) * mass z.
Proof.
rewrite /mass_slope /mass sum_mull; apply: sum_le => i _; have w0' := weight_gt0 i.
have -> : Dm * (1 + phi) * (weight i * (- dloss l (output z i) * group_mass alpha z i))
  = weight i * (Dm * (1 + phi) * (- dloss l (output z i) * group_mass alpha z i)) by ring.
apply: Rmult_le_compat_l; first lra.
have l0 := point_slope_gt0 i; have m0 := group_mass_ge0 (@point_above i); have mp := point_mass_phi i.
have sl := output_slope_le diameter v_unit (@point_above i).
have dd := ddl_le (lock i).
have sd := selected_deviation_le alpha diameter z i v_unit.
have s0 := attention_gt0 z (alpha i); have [_ g0] := lock i.
have kE : attention z (alpha i) * (score (alpha i) - output z i) = group_mass alpha z i by [].
set L := - dloss l _ in l0 dd *; set k := group_mass _ _ _ in m0 mp sl kE *.
set s := attention z (alpha i) in s0 sd kE *; set a := logit v _ - _ in sd *.
have h1 : - ddl (output z i) * f' i * k <= phi * (Dm * (L * k)).
  apply: (Rle_trans _ (lam * L * (Dm * k) * k)).
    apply: Rle_trans (Rle_abs _) _; rewrite Rabs_mult (Rabs_pos_eq k) // Rabs_mult Rabs_Ropp.
    apply: Rmult_le_compat_r => //; apply: Rmult_le_compat => //; exact: Rabs_pos.
  have -> : lam * L * (Dm * k) * k = (lam * k) * (Dm * (L * k)) by ring.
  apply: Rmult_le_compat_r => //; apply: Rmult_le_pos => //; apply: Rmult_le_pos; lra.
have h2 : s * a * (score (alpha i) - output z i) <= Dm * (1 - s) * k.
  have -> : s * a * (score (alpha i) - output z i) = a * k by rewrite -kE; ring.
  by apply: Rmult_le_compat_r => //; apply: Rle_trans (Rle_abs _) sd.
have h3 : - (s * f' i) <= s * (Dm * k).
  have -> : - (s * f' i) = s * - f' i by ring.
  by apply: Rmult_le_compat_l; [lra | have := Rle_abs (- f' i); rewrite Rabs_Ropp; lra].
have h4 : L * (s * a * (score (alpha i) - output z i) - s * f' i) <= L * (Dm * k).
  by apply: Rmult_le_compat_l; lra.
lra.
Qed.
End Point.

(* ---- derivatives along a line ---- *)

Section Line.
Variables (z v : vec (coord p)).
Notation at_ x := (z + x * v)%V.

Lemma is_derive_line_slope x :
  is_derive (fun y => dot (gradient l (at_ y)) v) x (line_curvature (at_ x) v).
Proof.
apply: (is_derive_ext (fun y => \sum_i weight i * dloss l (output (at_ y) i) * dot (output_gradient (at_ y) i) v))
  => [y|].
  by rewrite gradient_outputs dot_combinel.
apply: is_derive_sum => i _.
have dg := is_derive_output_gradient alpha z v v i x.
have dl := is_derive_comp _ _ _ _ _ (is_derive_dloss _) (is_derive_output z v i x).
have := is_derive_scal _ _ (weight i) _ (is_derive_mult _ _ _ _ _ dl dg Rmult_comm).
move=> H; apply: (is_derive_ext (fun y => scal (weight i)
   (mult (dloss l (output (at_ y) i)) (dot (output_gradient (at_ y) i) v)))) => [y|].
  by rewrite /scal /mult /= /mult /=; ring.
by apply: is_derive_ext_eq H; rewrite /scal /plus /mult /= /mult /=; ring.
Qed.

Lemma is_derive_mass x : is_derive (fun y => mass (at_ y)) x (mass_slope (at_ x) v).
Proof.
apply: is_derive_sum => i _.
have df := is_derive_output z v i x.
have ds := is_derive_attention z v (alpha i) x; rewrite group_of_pick in ds.
have dl := is_derive_comp _ _ _ _ _ (is_derive_dloss _) df.
have dg := is_derive_minus _ _ _ _ _ (is_derive_const (score (alpha i)) x) df.
have dm := is_derive_mult _ _ _ _ _ ds dg Rmult_comm.
have H := is_derive_scal _ _ (- weight i) _ (is_derive_mult _ _ _ _ _ dl dm Rmult_comm).
apply: (is_derive_ext (fun y => scal (- weight i) (mult (dloss l (output (at_ y) i))
   (mult (attention (at_ y) (alpha i)) (minus (score (alpha i)) (output (at_ y) i)))))) => [y|].
  by rewrite /group_mass /scal /mult /minus /plus /opp /= /mult /=; ring.
apply: is_derive_ext_eq H.
by rewrite /group_mass /scal /plus /mult /minus /opp /zero /= /mult /plus /opp /zero /=; ring.
Qed.
End Line.

Definition line_ranges : loss_lines (coord p) -> Prop := lines_bounded (training_loss l) (gradient l) mass w0.

Theorem bend_lines :
  line_ranges (LossLines line_curvature mass_slope (Dm * Dm * (1 + phi)) (Dm * (1 + phi))).
Proof.
split=> /= [z v x|z v x|||z v|z v].
- exact: is_derive_line_slope.
- exact: is_derive_mass.
- by apply: Rmult_le_pos; [exact: Rle_0_sqr | lra].
- by apply: Rmult_le_pos; lra.
- exact: line_curvature_le.
exact: mass_slope_le.
Qed.

Variable lines : loss_lines (coord p).
Hypothesis along : line_ranges lines.
Notation rate := (bend_rate lines).
Notation rise := (bend_growth lines).

(* ---- the normalised step decreases the loss ---- *)

Variable o : reference Q (Delta alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation centre_orth := (reference_orthogonal o).
Notation height := (height u).
Notation residual := (residual u centre).
Notation slope := (slope (Delta alpha) u).
Notation y0 := (height w0).
Notation blo := (lock_blo alpha head).
Notation bhi := (lock_bhi alpha head).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu bhi blo y0).

Let factors z (Hz : training_loss l z <= training_loss l w0) := lock_factors defined ranges Hz.
Let derive z v x := is_derive_training_loss z v x defined.
Let known : falling_loss Q (Delta alpha) (bare_weight alpha l) (training_loss l) (gradient l)
    mass blo bhi w0 lines :=
  FallingLoss derive (gradient_ascent alpha l) mass_weights (lock_blo_gt0 ranges) factors along.

Theorem normalised_descent z e : training_loss l z <= training_loss l w0 -> 0 < e ->
  e * rate * exp (rise * e) < 2 * gamma ->
  training_loss l (z - e / vnorm (gradient l z) * gradient l z)%V <= training_loss l z.
Proof. exact: (normalised_falls (o := o) known). Qed.

(* ---- T12n ---- *)

Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax cmin M : R).
Hypothesis start : w O = w0.
Hypothesis eta_range : forall n, 0 < eta n <= etamax.
Hypothesis short : forall n, eta n * rate * exp (rise * eta n) < 2 * gamma.
Hypothesis cmin_gt0 : 0 < cmin.
Hypothesis cmin_le : forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t.
Hypothesis M_ge : 2 * G / gamma + etamax * (1 - cmin * cmin) / cmin <= M.
Variable least : R.
Hypothesis run : follows l least NormalisedSteps eta w.

Let steps : falling_steps o (bare_weight alpha l) blo bhi w0 lines w eta etamax cmin M :=
  FallingSteps start eta_range short cmin_gt0 cmin_le M_ge (normalised_steps_ascent alpha run).

Lemma normalised_lock_sublevel n : training_loss l (w n) <= training_loss l w0.
Proof. exact: (falling_low known steps). Qed.

Theorem T12n_path n : on_path u centre w0 M (w n).
Proof. exact: (falling_path known steps). Qed.

Theorem T12n_growth n : y0 + cmin * total eta n <= height (w n).
Proof. exact: (falling_rises known steps). Qed.

(* What holds at every later point. *)
Record lock_path_forever (z : vec (coord p)) : Prop := LockPathForever {
  lock_path_forever_locked : locked alpha l w0 head z;
  lock_path_forever_path : on_path u centre w0 M z;
  lock_path_forever_angle : 0 < height z ->
    1 - cosine u z <= (vnorm centre + path_bound u centre w0 M z) * (vnorm centre + path_bound u centre w0 M z)
                      / (2 * (height z * height z))
}.

Theorem T12n :
  (forall n, [/\ training_loss l (w n.+1) <= training_loss l (w n), lock_path_forever (w n) &
     y0 + cmin * total eta n <= height (w n)]) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine u (w n)) 1).
Proof.
split=> [n|He].
  split; [| | exact: T12n_growth].
    exact: (falling_decreases known steps (normalised_lock_sublevel n)).
  split; [exact (locked_sublevel defined ranges (normalised_lock_sublevel n)) | exact: T12n_path |].
  exact (on_path_angle dir (T12n_path n)).
exact: (falling_limit known steps).
Qed.
End LockInNormalised.
