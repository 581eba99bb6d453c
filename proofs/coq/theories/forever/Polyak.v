(* Polyak: T9p and T10 for the Polyak step tau = S_p (L(w) - L* ) / ||grad L(w)||^2.

   Where the margins are large, the excess loss L - L* is the total weight Om up to a factor between thlo and thhi, so
   a Polyak step has bounded length and raises the height by at least a constant. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Direction Reference Gibbs Progress Path Growth Inside
                           Region Saturation FactorRange LocalRanges SelectedPath Absorbing PartialStep LockIn
                           LockInNormalised.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- one step, for abstract weights ---- *)

Section Step.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation dir := (reference_direction o).
Notation p_orth := (reference_orthogonal o).
Notation height := (height u).
Notation residual := (residual u p).
Variables (omega : C -> R) (D : R).
Hypothesis omega_gt0 : forall c, Q c -> 0 < omega c.
Hypothesis norm_le : forall c, Q c -> vnorm (Delta c) <= D.
Let V := ascent Q Delta omega.
Let Om := \sum_(c | Q c) omega c.

Variables (w : vec J) (G S_p excess thlo thhi : R).
Hypothesis G_ge0 : 0 <= G.
Hypothesis pull_le : \sum_(c | Q c) omega c * dot (Delta c) (residual w) <= Om * G.
Hypothesis S_p_gt0 : 0 < S_p.
Hypothesis thlo_gt0 : 0 < thlo.
Hypothesis excess_range : thlo * Om <= excess <= thhi * Om.
Let tau := S_p * excess / vnorm2 V.

Lemma polyak_norm_gt0 : 0 < vnorm2 V.
Proof. by have n := sharp_norm_gt0 dir omega_gt0; rewrite -vnorm_sqr; apply: Rmult_lt_0_compat. Qed.

Lemma polyak_tau_gt0 : 0 < tau.
Proof.
have O0 := total_gt0 dir omega_gt0; have n := polyak_norm_gt0.
apply: Rdiv_lt_0_compat => //; apply: Rmult_lt_0_compat => //.
by apply: Rlt_le_trans (proj1 excess_range); apply: Rmult_lt_0_compat.
Qed.

Theorem path_T9p :
  S_p * thlo * gamma / (D * D) <= height (w + tau * V)%V - height w /\
  vnorm2 (residual (w + tau * V)%V) - vnorm2 (residual w)
    <= (2 * G + S_p * thhi) / gamma * (height (w + tau * V)%V - height w).
Proof.
have O0 := total_gt0 dir omega_gt0; have n := polyak_norm_gt0; have t0 := polyak_tau_gt0; have g0 :=
  dir_margin_gt0 dir.
have Vu := progress_slope dir omega_gt0; have [x0 x1] := excess_range; rewrite -/Om -/V in O0 Vu.
have tV : tau * vnorm2 V = S_p * excess by rewrite /tau; field; lra.
have V0 : 0 < dot V u by apply: Rlt_le_trans Vu; apply: Rmult_lt_0_compat.
split.
  rewrite (step_height u).
  have -> : height w + tau * dot V u - height w = tau * dot V u by ring.
  have D0 : 0 < D := norm_bound_gt0 dir norm_le.
  have VD : vnorm2 V <= Om * D * (Om * D).
    rewrite -vnorm_sqr; have H : vnorm V <= Om * D.
      apply: Rle_trans (vnorm_combine _ _ _) _; rewrite sum_mulr; apply: sum_le => c Qc.
      by rewrite Rabs_pos_eq; [apply: Rmult_le_compat_l; [exact/Rlt_le/omega_gt0 | exact: norm_le]
        | exact/Rlt_le/omega_gt0].
    by apply: Rmult_le_compat => //; exact: vnorm_ge0.
  apply: (Rmult_le_reg_r (vnorm2 V)) => //.
  have -> : tau * dot V u * vnorm2 V = S_p * excess * dot V u by rewrite -tV; ring.
  have DD : 0 < D * D by apply: Rmult_lt_0_compat.
  apply: (Rle_trans _ (S_p * thlo * gamma / (D * D) * (Om * D * (Om * D)))).
    apply: Rmult_le_compat_l => //; apply: Rmult_le_pos; last exact/Rlt_le/Rinv_0_lt_compat.
    by apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | lra].
  have -> : S_p * thlo * gamma / (D * D) * (Om * D * (Om * D)) = S_p * (thlo * Om) * (Om * gamma) by field; lra.
  apply: Rmult_le_compat => //; first by do 2?[apply: Rmult_le_pos; try lra].
  - by apply: Rmult_le_pos; lra.
  by apply: Rmult_le_compat_l; lra.
have -> : (2 * G + S_p * thhi) / gamma = 2 * G / gamma + S_p * thhi / gamma by field; lra.
apply: (path_step dir p_orth t0 O0 g0 G_ge0 Vu); first by rewrite /V /ascent dot_combinel.
apply: (Rle_trans _ (tau * (tau * vnorm2 V))).
  have := Rle_0_sqr (tau * dot V u); rewrite /Rsqr; lra.
rewrite tV.
have -> : S_p * thhi / gamma * (tau * dot V u) = tau * (S_p * (thhi / gamma * dot V u)) by field; lra.
apply: Rmult_le_compat_l; first lra.
apply: Rmult_le_compat_l; first lra.
apply: Rle_trans x1 _.
have th0 : 0 <= thhi.
  by apply: (Rmult_le_reg_r Om) => //; rewrite Rmult_0_l; have := Rmult_lt_0_compat _ _ thlo_gt0 O0; lra.
have -> : thhi * Om = thhi / gamma * (Om * gamma) by field; lra.
apply: Rmult_le_compat_l => //.
by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
Qed.
End Step.

(* Bounds of a Polyak step: D of ||Delta_t||, and thlo and thhi of the excess loss beside the total weight. *)
Record polyak_bounds := PolyakBounds { polyak_norm : R; polyak_low : R; polyak_high : R }.

(* ---- T10 for softmax attention with any head: T10's factors, and an excess in range ---- *)

Section Factors.
Variables (p : selection_problem) (alpha : selection p) (o : reference (constraint alpha) (Delta alpha)).
Notation Q := (constraint alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation height := (height u).
Notation residual := (residual u centre).

Variables (b : vec (coord p) -> token p -> R) (f : factor_bounds (token p)) (eps : group p -> R) (k : polyak_bounds).
Variables (excess : vec (coord p) -> R) (w : nat -> vec (coord p)) (eta : nat -> R) (etamax M : R).
Notation D := (polyak_norm k).
Notation thlo := (polyak_low k).
Notation thhi := (polyak_high k).
Notation y0 := (height (w O)).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu (factor_high f) (factor_low f) y0).
Notation low := (path_low (Delta alpha) u centre (w O) M).
Notation weights z := (gibbs_weight (Delta alpha) (b z) z).
Notation V := (field_of Q (Delta alpha) b).
Hypothesis eta_range : forall n, 0 < eta n <= etamax.
Hypothesis M_gt0 : 0 < M.
Hypothesis range : factor_range Q (Delta alpha) b low f.
Hypothesis whole : forall t, Q t -> factor_kept f t.
Hypothesis norm_le : forall t, Q t -> vnorm (Delta alpha t) <= D.
Hypothesis thlo_gt0 : 0 < thlo.
Hypothesis excess_range : forall z, margins_above Q (Delta alpha) low z ->
  thlo * (\sum_(t | Q t) weights z t) <= excess z <= thhi * (\sum_(t | Q t) weights z t).
Hypothesis M_ge : (2 * G + etamax * thhi) / gamma <= M.
Hypothesis run : forall n, w n.+1 = (w n + eta n * excess (w n) / vnorm2 (V (w n)) * V (w n))%V.
Let speed := thlo * gamma / (D * D).
Let low_gt0 t (Qt : Q t) := factor_low_gt0 range (whole Qt).
Let above z (Hz : on_path u centre (w O) M z) : margins_above Q (Delta alpha) low z := selected_low M_gt0 Hz.
Let weights_gt0 z Hz := fun t (Qt : Q t) => whole_weights (z := z) M_gt0 range whole Hz Qt.

Lemma polyak_speed_gt0 : 0 < speed.
Proof.
have D0 : 0 < D := norm_bound_gt0 dir norm_le.
apply: Rdiv_lt_0_compat; last exact: Rmult_lt_0_compat.
by apply: Rmult_lt_0_compat => //; exact: dir_margin_gt0 dir.
Qed.

Lemma polyak_step n : on_path u centre (w O) M (w n) ->
  eta n * speed <= height (w n.+1) - height (w n) /\
  vnorm2 (residual (w n.+1)) - vnorm2 (residual (w n)) <= M * (height (w n.+1) - height (w n)).
Proof.
move=> Hp; have R t (Qt : Q t) := factor_in_range range (above Hp) (whole Qt).
have low_high t (Qt : Q t) : factor_low f t <= factor_high f t by have := R t Qt; lra.
have om0 := weights_gt0 Hp; have ex := excess_range (above Hp).
have pull := all_pull centre dir low_gt0 R (proj1 Hp).
have gap0 := all_gap_ge0 dir (reference_orthogonal o) y0 low_gt0 low_high.
have [h1 h2] := path_T9p (o := o) om0 norm_le gap0 pull (proj1 (eta_range n)) thlo_gt0 ex.
have step : w n.+1 = (w n + eta n * excess (w n) / vnorm2 (ascent Q (Delta alpha) (weights (w n)))
    * ascent Q (Delta alpha) (weights (w n)))%V := run n.
rewrite -step in h1 h2; have [e0 e1] := eta_range n; have g0 := dir_margin_gt0 dir; have s0 := polyak_speed_gt0.
have e : eta n * thlo * gamma / (D * D) = eta n * speed by rewrite /speed /Rdiv; ring.
rewrite e in h1; split=> //; apply: Rle_trans h2 _; apply: Rmult_le_compat_r.
  by apply: Rle_trans h1; apply: Rmult_le_pos; lra.
apply: Rle_trans M_ge; apply: Rmult_le_compat_r; first exact/Rlt_le/Rinv_0_lt_compat.
apply: Rplus_le_compat_l; apply: Rmult_le_compat_r => //.
have m0 := total_gt0 dir om0; apply: (Rmult_le_reg_r (\sum_(t | Q t) weights (w n) t)) => //; rewrite Rmult_0_l.
by have := Rmult_lt_0_compat _ _ thlo_gt0 m0; lra.
Qed.

Lemma polyak_region : invariant_region u (on_path u centre (w O) M) w eta (LinearGrowth speed).
Proof.
split=> [| n || n Hp | n Hp]; [exact: polyak_speed_gt0 | by case: (eta_range n) | exact: on_path_start | | ].
  have [h1 h2] := polyak_step Hp; apply: on_path_step Hp _ h2.
  by have := Rmult_lt_0_compat _ _ (proj1 (eta_range n)) polyak_speed_gt0; lra.
by have [h _] := polyak_step Hp; exact: h.
Qed.

(* A Polyak step's length is at most etamax thhi/gamma. *)
Lemma polyak_short h : etamax * thhi / gamma <= h -> short_run V h w.
Proof.
move=> Hh; have g0 := dir_margin_gt0 dir.
exists (fun n => eta n * excess (w n) / vnorm2 (V (w n))) => n; have Hp := stays_inside polyak_region n.
have [e0 e1] := eta_range n; have v0 := whole_norm_gt0 M_gt0 range whole Hp; have om0 := weights_gt0 Hp.
have [x0 x1] := excess_range (above Hp); have m0 := total_gt0 dir om0.
have v1 : (\sum_(t | Q t) weights (w n) t) * gamma <= vnorm (V (w n)).
  apply: Rle_trans (progress_slope dir om0) _.
  by have := dot_le_norms (V (w n)) u; rewrite (unorm dir) Rmult_1_r.
have th0 := Rmult_lt_0_compat _ _ thlo_gt0 m0; rewrite -vnorm_sqr.
split; first by rewrite vnorm_sqr; exact: run.
  by apply: Rdiv_lt_0_compat; apply: Rmult_lt_0_compat => //; lra.
set v := vnorm (V (w n)) in v0 v1 *; set m := \sum_(t | Q t) _ in v1 x0 x1 m0 th0; set d := excess (w n) in x0 x1 *.
have -> : eta n * d / (v * v) * v = eta n * d / v by field; lra.
have hi0 : 0 <= thhi by apply: (Rmult_le_reg_r m) => //; lra.
apply: Rle_trans Hh; apply: (Rmult_le_reg_r (v * gamma)); first exact: Rmult_lt_0_compat.
have -> : eta n * d / v * (v * gamma) = eta n * d * gamma by field; lra.
have -> : etamax * thhi / gamma * (v * gamma) = etamax * (thhi * v) by field; lra.
rewrite Rmult_assoc; apply: Rmult_le_compat; try lra; first by apply: Rmult_le_pos; lra.
have a := Rmult_le_compat_r _ _ _ (Rlt_le _ _ g0) x1; have c := Rmult_le_compat_l _ _ _ hi0 v1; lra.
Qed.

Theorem absorbing_polyak :
  (forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i) ->
  (forall n, selected_forever o (w O) M eps (w n) /\ y0 + speed * total eta n <= height (w n)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine u (w n)) 1).
Proof. by move=> inside; exact (selected_stays M_gt0 inside polyak_region). Qed.
End Factors.

(* ---- T10 for softmax attention with a scalar loss ---- *)

Section Softmax.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation gap := (gap alpha).

Variable o : reference Q (Delta alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation height := (height u).

Variable head : global_head p.
Hypothesis ranges : global_ranges alpha l head.
Notation phi := (global_output head).
Notation eps := (global_attention head).
Notation f := (global_bounds alpha head).
Let optimal := global_ranges_optimal ranges.
Let phi_lt := global_output_lt ranges.
Let eps_lt1 := global_attention_lt1 ranges.

Variable k : polyak_bounds.
Notation D := (polyak_norm k).
Notation thlo := (polyak_low k).
Notation thhi := (polyak_high k).

Record polyak_ranges : Prop := PolyakRanges {
  (* The loss is convex between the possible outputs and the best score. *)
  polyak_convex : forall i x y, loss_domain l x -> score (alpha i) - phi i <= x -> x <= y -> y <= score (alpha i) ->
    - dloss l y <= - dloss l x;
  polyak_norm_le : forall t, Q t -> vnorm (Delta alpha t) <= D;
  polyak_low_gt0 : 0 < thlo;
  (* thlo bounds the slope at the best score over that at an output, times the attention on the selected token. *)
  polyak_low_le : forall i z, score (alpha i) - phi i <= output z i <= score (alpha i) ->
    thlo * (- dloss l (output z i) * attention z (alpha i)) <= - dloss l (score (alpha i));
  (* Either bound of theory.md's thhi will do. *)
  polyak_high_ge : (forall i, 1 <= thhi * (1 - eps i)) \/
    (forall t, Q t -> gap t <= thhi * (gap t - phi (group_of t)))
}.
Hypothesis bounds : polyak_ranges.
Hypothesis defined : loss_defined p l.
Let convex := polyak_convex bounds.
Let norm_le := polyak_norm_le bounds.
Let thlo_gt0 := polyak_low_gt0 bounds.
Let thlo_le := polyak_low_le bounds.
Let thhi_ge := polyak_high_ge bounds.

Variables (w : nat -> vec (coord p)) (eta : nat -> R) (M etamax : R).
Hypothesis M_gt0 : 0 < M.
Notation y0 := (height (w O)).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu (factor_high f) (factor_low f) y0).
Notation low := (path_low (Delta alpha) u centre (w O) M).
Hypothesis inside : global_inside alpha head low.
Let range := global_factor_range ranges inside.

Hypothesis eta_range : forall n, 0 < eta n <= etamax.
Hypothesis M_ge : (2 * G + etamax * thhi) / gamma <= M.

Section InRange.
Variable z : vec (coord p).
Hypothesis margins_ge : forall t, Q t -> low t <= margin alpha z t.

Let attention_range := attention_range (global_inside_attention inside) margins_ge.
Let output_range := inside_output_range ranges inside margins_ge.

Lemma others_above i t : others i t -> 0 < output z i - score t.
Proof.
move=> ti; have out := output_range i; have := phi_lt (proj1 (andP ti)); rewrite (gap_eq ti).
by case/andP: ti => _ /eqP ->; lra.
Qed.

Lemma mass_ge0 i : 0 <= group_mass alpha z i.
Proof.
rewrite -group_mass_sum; apply: sum_ge0 => t ti; have := others_above ti => h.
by apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | lra].
Qed.

(* The distance of the output to the best score, against the group's mass. *)
Lemma deficit_mass i : group_mass alpha z i <= score (alpha i) - output z i <= thhi * group_mass alpha z i.
Proof.
have out := output_range i; have a1 := attention_le1 alpha z (alpha i); have a0 := attention_gt0 z (alpha i).
split; first by rewrite /group_mass; have := Rmult_le_compat_r (score (alpha i) - output z i) _ _
  (ltac:(lra)) a1; lra.
case: thhi_ge => H.
  rewrite /group_mass; set d := score (alpha i) - output z i; have d0 : 0 <= d by rewrite /d; lra.
  have e := attention_range i; have : 1 <= thhi * attention z (alpha i).
    have e1 := eps_lt1 i; have th0 : 0 <= thhi by have := H i; nra.
    by apply: Rle_trans (H i) _; apply: Rmult_le_compat_l; lra.
  by move=> h; have := Rmult_le_compat_r _ _ _ d0 h; lra.
have -> : score (alpha i) - output z i = \sum_(t | others i t) attention z t * gap t.
  by rewrite (output_selected alpha z i); ring.
rewrite -group_mass_sum sum_mull; apply: sum_le => t ti; have at0 := attention_gt0 z t.
have := H t (proj1 (andP ti)); case/andP: (ti) => _ /eqP ->.
have g := gap_eq ti => h.
have p1 := phi_lt (proj1 (andP ti)); have g1 := others_gap_gt0 ranges ti.
have pi : phi (group_of t) = phi i by case/andP: ti => _ /eqP ->.
have th0 : 0 <= thhi by move: p1 h; rewrite pi => p1 h; nra.
have : gap t <= thhi * (output z i - score t).
  by apply: Rle_trans h _; apply: Rmult_le_compat_l; lra.
by move=> h'; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ at0) h'; lra.
Qed.

(* The excess loss against the total weight. *)
Lemma excess_mass : thlo * mass alpha l z <= training_loss l z - least_loss alpha l <= thhi * mass alpha l z.
Proof.
rewrite /training_loss /least_loss -sumB /mass !sum_mull.
have key i : exists2 s, - dloss l (score (alpha i)) <= s <= - dloss l (output z i) &
    l (output z i) - l (score (alpha i)) = s * (score (alpha i) - output z i).
  have out := output_range i.
  have within x : Rmin (output z i) (score (alpha i)) <= x -> is_derive l x (dloss l x).
    by rewrite Rmin_left; [move=> ox; apply/is_derive_loss/(loss_domain_le (defined z i)) | lra].
  have [| |x [xr E]] := MVT_gen l (output z i) (score (alpha i)) (dloss l).
  - by move=> x [x1 _]; apply: within; lra.
  - by move=> x [x1 _]; apply/continuity_pt_filterlim/ex_derive_continuous; exists (dloss l x); exact: within.
  move: xr; rewrite Rmin_left ?Rmax_right; try lra; move=> xr.
  exists (- dloss l x); last by lra.
  have dx : loss_domain l x by apply: (loss_domain_le (defined z i)); lra.
  by split; apply: (convex (i := i)); try lra; [exact: dx | exact: defined].
split; apply: sum_le => i _; have w0' := weight_gt0 i; have [s [s1 s2] E] := key i;
  have [m1 m2] := deficit_mass i; have m0 := mass_ge0 i; have out := output_range i;
  have l0 := dloss_lt0 l (score (alpha i)).
- have -> : weight i * l (output z i) - weight i * l (score (alpha i)) = weight i *
    (s * (score (alpha i) - output z i)).
    by rewrite -E; ring.
  have -> : thlo * (weight i * (- dloss l (output z i) * group_mass alpha z i))
    = weight i * (thlo * - dloss l (output z i) * group_mass alpha z i) by ring.
  apply: Rmult_le_compat_l; first lra.
  have t1 := Rle_trans _ _ _ (thlo_le out) s1.
  have d0 : 0 <= score (alpha i) - output z i by lra.
  by have := Rmult_le_compat_r _ _ _ d0 t1; rewrite /group_mass; lra.
have -> : weight i * l (output z i) - weight i * l (score (alpha i)) = weight i *
  (s * (score (alpha i) - output z i)).
  by rewrite -E; ring.
have -> : thhi * (weight i * (- dloss l (output z i) * group_mass alpha z i))
  = weight i * (- dloss l (output z i) * (thhi * group_mass alpha z i)) by ring.
apply: Rmult_le_compat_l; first lra.
by apply: Rmult_le_compat; lra.
Qed.
End InRange.

Lemma excess_weights z : margins_above Q (Delta alpha) low z ->
  thlo * (\sum_(t | Q t) gibbs_weight (Delta alpha) (bare_weight alpha l z) z t) <=
    training_loss l z - least_loss alpha l <=
  thhi * (\sum_(t | Q t) gibbs_weight (Delta alpha) (bare_weight alpha l z) z t).
Proof. by move=> Hz; rewrite mass_weights; exact: excess_mass. Qed.

Hypothesis run : follows l (least_loss alpha l) PolyakSteps eta w.

Theorem T10_polyak :
  (forall n, global_forever head o w M (w n) /\
     y0 + thlo * gamma / (D * D) * total eta n <= height (w n)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine u (w n)) 1).
Proof.
have [H lim] := absorbing_polyak eta_range M_gt0 range (fun t Qt => Qt) norm_le thlo_gt0 excess_weights M_ge
  (polyak_steps_ascent alpha run) (global_inside_attention inside).
split=> //; apply: (global_outputs ranges M_gt0 inside
  (T := fun n z => y0 + thlo * gamma / (D * D) * total eta n <= height z)).
exact: H.
Qed.
End Softmax.
