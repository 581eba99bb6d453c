(* AbsorbingResidual: T14 in T10's region: a globally optimal selection, whose constraints all keep factors in range, and
   any rule whose steps have at most the length h. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Direction Gibbs Progress Path Growth Region Saturation PartialStep.
From Attest Require Import LockIn LockInNormalised LocalAbsorbing Absorbing Polyak ActiveStep ResidualPath SpanResidual.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section AlongPath.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Notation S := (active Q mu).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).
Notation lateral := (lateral Delta u).

Variables (blo bhi : C -> R).
Hypothesis blo_gt0 : forall c, Q c -> 0 < blo c.
Variables (w : nat -> vec J) (M h : R).
Hypothesis M_gt0 : 0 < M.
Notation w0 := (w O).
Notation height := (height u).
Notation y0 := (height w0).
Notation centre := (natural_centre u w).
Notation residual := (residual u centre).
Notation K := (log_floor Q mu blo).

Variables (mu_min sigma E_S top bottom X_in : R).
Hypothesis mu_min_range : 0 < mu_min <= 1 / 2.
Hypothesis mu_min_le : forall c, S c -> mu_min <= mu c.
Hypothesis sigma_gt0 : 0 < sigma.
Hypothesis sigma_le : forall a, let v := combine S a lateral in
  sigma * sigma * vnorm2 v <= \sum_(c | S c) dot (lateral c) v * dot (lateral c) v.
Hypothesis E_S_ge : forall c, S c -> vnorm (lateral c) <= E_S.
Hypothesis bottom_gt0 : 0 < bottom.
Hypothesis bottom_le : forall c, S c -> bottom <= blo c * exp (- dot (Delta c) centre).
Hypothesis top_ge : \sum_(c | S c) bhi c * exp (- dot (Delta c) centre) <= top.
Hypothesis X_in_ge0 : 0 <= X_in.
Hypothesis X_in_ge : inner mu_min sigma E_S top bottom h gamma <= X_in.
Hypothesis X_in_sqr_ge :
  2 * h * kappa mu_min sigma * inner mu_min sigma E_S top bottom h gamma / gamma <= X_in * X_in.
Variables (coef : C -> C -> R) (dO : C -> vec J).
Hypothesis split_lateral : forall c, Q c -> ~~ S c -> lateral c = (dU Q Delta u mu coef c + dO c)%V.
Hypothesis split_active : forall s c, S s -> Q c -> ~~ S c -> dot (lateral s) (dO c) = 0.
(* How much of the slack of a far constraint pays for the growth of the residual along the path. *)
Variable share : C -> R.
Hypothesis share_range : forall c, Q c -> ~~ S c -> 0 < share c < excess Delta u gamma c.

Definition all_far_start c : R := bhi c * exp (- dot (Delta c) w0 + spread c * spread c * M / (4 * share c)).
Definition all_far_rate c : R := excess Delta u gamma c - share c.
Definition all_span_bound : R := span_bound Q Delta u gamma mu coef dO w h gamma K X_in all_far_start all_far_rate.

Variables (b : nat -> C -> R) (tau : nat -> R).
Notation omega n := (gibbs_weight Delta (b n) (w n)).
Hypothesis path : forall n, on_path u centre w0 M (w n).
Hypothesis b_range : forall n c, Q c -> blo c <= b n c <= bhi c.
Hypothesis run : forall n, w n.+1 = (w n + tau n * ascent Q Delta (omega n))%V.
Hypothesis tau_gt0 : forall n, 0 < tau n.
Hypothesis tau_le : forall n, tau n * vnorm (ascent Q Delta (omega n)) <= h.

Lemma all_omega_gt0 n c : Q c -> 0 < omega n c.
Proof.
move=> Qc; apply: Rmult_lt_0_compat; last exact: exp_pos.
by have := blo_gt0 Qc; have := b_range n Qc; lra.
Qed.

Lemma all_far_weight n c : Q c -> ~~ S c ->
  Rabs (omega n c) <= all_far_start c * exp (- ((gamma + all_far_rate c) * (height (w n) - y0))).
Proof.
move=> Qc Sc; have b1 := b_range n Qc; have b0 := blo_gt0 Qc; have [s0 s1] := share_range Qc Sc.
rewrite Rabs_pos_eq; last exact: Rlt_le (all_omega_gt0 n Qc).
rewrite /gibbs_weight /all_far_start Rmult_assoc -exp_plus.
apply: Rmult_le_compat; [lra | exact/Rlt_le/exp_pos | lra |].
apply: exp_le; have m := on_path_margin dir (centre_orth dir w) c (path n).
have pc : dot (Delta c) centre = dot (Delta c) w0 - slope c * y0.
  by rewrite /natural_centre dotBr dotZr /Direction.slope; ring.
have XX := path_bound_sqr M_gt0 (path n); set B := path_bound u centre w0 M (w n) in m XX.
have q := concave_quadratic (spread c) B s0 M_gt0.
have e : share c * (B * B / M) = share c * (height (w n) - y0) by rewrite XX; field; lra.
rewrite /all_far_rate /excess; move: m q; rewrite pc e; lra.
Qed.

Lemma all_rise n : tau n * ((\sum_(c | Q c) omega n c) * gamma) <= height (w n.+1) - height (w n) <= h.
Proof.
have t0 := tau_gt0 n; rewrite run (step_height u).
set V := ascent _ _ _; have -> : height (w n) + tau n * dot V u - height (w n) = tau n * dot V u by ring.
split; first by apply: Rmult_le_compat_l; [lra | exact (progress_slope dir (fun c Qc => all_omega_gt0 n Qc))].
apply: Rle_trans (tau_le n); apply: Rmult_le_compat_l; first lra.
by have := dot_le_norms V u; rewrite (unorm dir) Rmult_1_r.
Qed.

Lemma all_active_total n : \sum_(c | S c) omega n c <= \sum_(c | Q c) omega n c.
Proof.
rewrite (sum_pred_id S) (sum_pred_id Q); apply: sum_le => c _.
case Sc: (S c); first by have /activeP[-> _] := Sc; lra.
by case Qc: (Q c); [have := all_omega_gt0 n Qc; lra | lra].
Qed.

Theorem all_span_residual n : vnorm (residual (w n)) <= all_span_bound /\
  (0 < height (w n) -> 1 - cosine u (w n) <=
     (vnorm centre + all_span_bound) * (vnorm centre + all_span_bound) / (2 * (height (w n) * height (w n)))).
Proof.
have act c (Sc : S c) : Q c by have /activeP[] := Sc.
have g0 := dir_margin_gt0 dir.
have b0 c (Sc : S c) := blo_gt0 (act c Sc).
have rng m c (Sc : S c) := b_range m (act c Sc).
have tot m := partial_total_lower dir act blo_gt0 (w m) (fun c Qc => b_range m Qc).
have rate0 c (Qc : Q c) (Sc : ~~ S c) : 0 < all_far_rate c by have := share_range Qc Sc; rewrite /all_far_rate; lra.
have far0 c (Qc : Q c) (Sc : ~~ S c) : 0 <= all_far_start c.
  apply: Rmult_le_pos; last exact/Rlt_le/exp_pos.
  by have := blo_gt0 Qc; have := b_range O Qc; lra.
have H := @span_residual _ _ Q Delta u centre gamma mu dir (centre_orth dir w) mu_min sigma E_S top bottom
  blo bhi mu_min_range mu_min_le sigma_gt0 sigma_le E_S_ge b0 bottom_gt0 bottom_le top_ge coef dO
  split_lateral split_active w tau _ b h gamma K X_in all_far_start all_far_rate run
  (start_residual u w) tau_gt0 rng g0 all_active_total tot all_rise far0 rate0 all_far_weight
  X_in_ge0 X_in_ge X_in_sqr_ge n.
by split=> // y1; exact (angle_bound (dir_unit dir) y1 H).
Qed.
End AlongPath.

(* ---- softmax attention: the three rules of T10 ---- *)

Section Softmax.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation gap := (gap alpha).
Variables (u : vec (coord p)) (gamma : R) (mu : token p -> R).
Hypothesis dir : direction Q (Delta alpha) u gamma mu.
Notation S := (active Q mu).
Notation height := (height u).
Notation slope := (slope (Delta alpha) u).
Notation spread := (spread (Delta alpha) u).
Notation lateral := (lateral (Delta alpha) u).

(* T10's region, around the natural centre. *)
Variables (phi eps lmin lmax : group p -> R).
Hypothesis optimal : globally_optimal alpha.
Hypothesis phi_lt : forall t, Q t -> phi (group_of t) < gap t.
Hypothesis eps_lt1 : forall i, eps i < 1.
Hypothesis lmin_gt0 : forall i, 0 < lmin i.
Hypothesis slope_range : forall i v, score (alpha i) - phi i <= v <= score (alpha i) -> lmin i <= - dloss l v <= lmax i.
Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax M h : R).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Hypothesis M_gt0 : 0 < M.
Notation w0 := (w O).
Notation y0 := (height w0).
Notation centre := (natural_centre u w).
Notation residual := (residual u centre).
Notation blo := (global_blo alpha phi eps lmin).
Notation bhi := (global_bhi alpha lmax).
Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu bhi blo y0).
Notation low := (path_low (Delta alpha) u centre w0 M).
Hypothesis inside_attention : forall i, low_odds alpha u centre w M i / (1 + low_odds alpha u centre w M i) <= eps i.
Hypothesis inside_output : forall i, \sum_(t | others i t) gap t * exp (- low t) <= phi i.

(* T14's constants. *)
Variables (mu_min sigma E_S top bottom X_in : R).
Hypothesis mu_min_range : 0 < mu_min <= 1 / 2.
Hypothesis mu_min_le : forall t, S t -> mu_min <= mu t.
Hypothesis sigma_gt0 : 0 < sigma.
Hypothesis sigma_le : forall a, let v := combine S a lateral in
  sigma * sigma * vnorm2 v <= \sum_(t | S t) dot (lateral t) v * dot (lateral t) v.
Hypothesis E_S_ge : forall t, S t -> vnorm (lateral t) <= E_S.
Hypothesis bottom_gt0 : 0 < bottom.
Hypothesis bottom_le : forall t, S t -> bottom <= blo t * exp (- dot (Delta alpha t) centre).
Hypothesis top_ge : \sum_(t | S t) bhi t * exp (- dot (Delta alpha t) centre) <= top.
Hypothesis X_in_ge0 : 0 <= X_in.
Hypothesis X_in_ge : inner mu_min sigma E_S top bottom h gamma <= X_in.
Hypothesis X_in_sqr_ge :
  2 * h * kappa mu_min sigma * inner mu_min sigma E_S top bottom h gamma / gamma <= X_in * X_in.
Variables (coef : token p -> token p -> R) (dO : token p -> vec (coord p)).
Hypothesis split_lateral : forall t, Q t -> ~~ S t -> lateral t = (dU Q (Delta alpha) u mu coef t + dO t)%V.
Hypothesis split_active : forall s t, S s -> Q t -> ~~ S t -> dot (lateral s) (dO t) = 0.
Variable share : token p -> R.
Hypothesis share_range : forall t, Q t -> ~~ S t -> 0 < share t < excess (Delta alpha) u gamma t.
Notation X := (all_span_bound Q (Delta alpha) u gamma mu blo bhi w M h X_in coef dO share).
Notation omega n := (gibbs_weight (Delta alpha) (bare_weight alpha l (w n)) (w n)).
Notation bounded n := (vnorm (residual (w n)) <= X /\ (0 < height (w n) ->
  1 - cosine u (w n) <= (vnorm centre + X) * (vnorm centre + X) / (2 * (height (w n) * height (w n))))).

Let blo_gt0 := global_blo_gt0 phi_lt eps_lt1 lmin_gt0.

Section AlongPath.
Hypothesis path : forall n, on_path u centre w0 M (w n).

Lemma path_range n t : Q t -> blo t <= bare_weight alpha l (w n) t <= bhi t.
Proof.
move=> Qt; exact (inside_factors optimal phi_lt eps_lt1 lmin_gt0 slope_range inside_attention inside_output
  (fun s Qs => path_low_margin dir (centre_orth dir w) M_gt0 Qs (path n)) Qt).
Qed.

Lemma bounded_rule (tau : nat -> R) : (forall n, w n.+1 = (w n + tau n * ascent Q (Delta alpha) (omega n))%V) ->
  (forall n, 0 < tau n) -> (forall n, tau n * vnorm (ascent Q (Delta alpha) (omega n)) <= h) -> forall n, bounded n.
Proof.
move=> run tau0 tauh.
exact (all_span_residual dir blo_gt0 M_gt0 mu_min_range mu_min_le sigma_gt0 sigma_le E_S_ge bottom_gt0 bottom_le
  top_ge X_in_ge0 X_in_ge X_in_sqr_ge split_lateral split_active share_range path path_range run tau0 tauh).
Qed.

Lemma path_omega_gt0 n t : Q t -> 0 < omega n t.
Proof.
move=> Qt; apply: Rmult_lt_0_compat; last exact: exp_pos.
by have := blo_gt0 Qt; have := path_range n Qt; lra.
Qed.

Lemma path_ascent_gt0 n : 0 < vnorm (ascent Q (Delta alpha) (omega n)) /\
  (\sum_(t | Q t) omega n t) * gamma <= vnorm (ascent Q (Delta alpha) (omega n)).
Proof.
have om0 t (Qt : Q t) := path_omega_gt0 n Qt.
have g0 := dir_margin_gt0 dir; have t0 := total_gt0 dir om0.
have low : (\sum_(t | Q t) omega n t) * gamma <= vnorm (ascent Q (Delta alpha) (omega n)).
  apply: Rle_trans (progress_slope dir om0) _.
  by have := dot_le_norms (ascent Q (Delta alpha) (omega n)) u; rewrite (unorm dir) Rmult_1_r.
by split=> //; apply: Rlt_le_trans low; exact: Rmult_lt_0_compat.
Qed.
End AlongPath.

(* T14 in T10's region, for the hypotheses of T10_normalised, T10_gradient and T10_polyak. *)
Theorem T14_global_normalised least cmin :
  0 < cmin -> (forall t, Q t -> cmin * vnorm (Delta alpha t) <= slope t) ->
  2 * G / gamma + etamax * (1 - cmin * cmin) / cmin <= M -> etamax <= h ->
  follows l least NormalisedSteps eta w -> forall n, bounded n.
Proof.
move=> c0 Hc HM Hh run.
have path n := forever_path (proj1 (proj1 (T10_normalised dir (centre_orth dir w) optimal phi_lt eps_lt1 lmin_gt0
  slope_range eta_range M_gt0 inside_attention inside_output c0 Hc HM run) n)).
apply: (bounded_rule path (normalised_steps_ascent alpha run)) => n; have [e0 e1] := eta_range n;
  have [v0 _] := path_ascent_gt0 path n; first exact: Rdiv_lt_0_compat.
set v := vnorm _ in v0 *; have -> : eta n / v * v = eta n by field; lra.
lra.
Qed.

Theorem T14_global_gradient least D ratio :
  (forall t, Q t -> vnorm (Delta alpha t) <= D) ->
  0 <= ratio -> (forall t, Q t -> spread t <= ratio * slope t) ->
  etamax * (D * \sum_(t | Q t) bhi t * exp (- low t)) <= h -> 2 * G / gamma + h * ratio <= M ->
  follows l least GradientSteps eta w -> forall n, bounded n.
Proof.
move=> HD r0 Hr Hh HM run.
have path n := forever_path (proj1 (proj1 (T10_gradient dir (centre_orth dir w) optimal phi_lt eps_lt1 lmin_gt0
  slope_range eta_range M_gt0 inside_attention inside_output HD r0 Hr Hh HM run) n)).
apply: (bounded_rule path (gradient_steps_ascent alpha run)) => n; have [e0 e1] := eta_range n; first exact: e0.
apply: Rle_trans Hh; apply: Rmult_le_compat => //; [lra | exact: vnorm_ge0 |].
exact (all_ascent_norm blo_gt0 (path_range path n) HD
  (fun t Qt => path_low_margin dir (centre_orth dir w) M_gt0 Qt (path n))).
Qed.

Theorem T14_global_polyak D thlo thhi :
  (forall i x y, score (alpha i) - phi i <= x -> x <= y -> y <= score (alpha i) -> - dloss l y <= - dloss l x) ->
  (forall t, Q t -> vnorm (Delta alpha t) <= D) -> 0 < thlo -> (forall i, thlo * lmax i <= lmin i) ->
  (forall i, 1 <= thhi * (1 - eps i)) \/ (forall t, Q t -> gap t <= thhi * (gap t - phi (group_of t))) ->
  (2 * G + etamax * thhi) / gamma <= M -> etamax * thhi / gamma <= h ->
  follows l (least_loss alpha l) PolyakSteps eta w -> forall n, bounded n.
Proof.
move=> convex HD tl0 tl th HM Hh run.
have path n := forever_path (proj1 (proj1 (T10_polyak dir (centre_orth dir w) optimal phi_lt eps_lt1 lmin_gt0
  slope_range convex M_gt0 inside_attention inside_output eta_range HD tl0 tl th HM run) n)).
have ex n := excess_mass optimal phi_lt eps_lt1 lmin_gt0 slope_range convex inside_attention inside_output tl0 tl th
  (fun t Qt => path_low_margin dir (centre_orth dir w) M_gt0 Qt (path n)).
pose V n := ascent Q (Delta alpha) (omega n).
have step n : w n.+1 = (w n + eta n * (training_loss l (w n) - least_loss alpha l) / vnorm2 (V n) * V n)%V.
  exact (polyak_steps_ascent alpha run n).
apply: (bounded_rule path step) => n; have [e0 e1] := eta_range n; have [v0 v1] := path_ascent_gt0 path n;
  have [x0 x1] := ex n; rewrite -mass_weights in x0 x1; rewrite -vnorm_sqr -/(V n) in v0 v1 *.
  have m0 := total_gt0 dir (fun t Qt => path_omega_gt0 path n Qt).
  apply: Rdiv_lt_0_compat; last exact: Rmult_lt_0_compat.
  by apply: Rmult_lt_0_compat => //; have := Rmult_lt_0_compat _ _ tl0 m0; lra.
set v := vnorm (V n) in v0 v1 *; set m := \sum_(t | Q t) _ in v1 x0 x1; set d := _ - _ in x0 x1 *.
have -> : eta n * d / (v * v) * v = eta n * d / v by field; lra.
have g0 := dir_margin_gt0 dir.
have th0 : 0 <= d by have m0 := total_gt0 dir (fun t Qt => path_omega_gt0 path n Qt);
  have := Rmult_lt_0_compat _ _ tl0 m0; rewrite -/m; lra.
have m0 : 0 < m := total_gt0 dir (fun t Qt => path_omega_gt0 path n Qt).
have hi0 : 0 <= thhi by apply: (Rmult_le_reg_r m) => //; lra.
apply: Rle_trans Hh; apply: (Rmult_le_reg_r (v * gamma)); first exact: Rmult_lt_0_compat.
have -> : eta n * d / v * (v * gamma) = eta n * d * gamma by field; lra.
have -> : etamax * thhi / gamma * (v * gamma) = etamax * (thhi * v) by field; lra.
rewrite Rmult_assoc; apply: Rmult_le_compat; try lra; first by apply: Rmult_le_pos; lra.
have a := Rmult_le_compat_r _ _ _ (Rlt_le _ _ g0) x1; have c := Rmult_le_compat_l _ _ _ hi0 v1; lra.
Qed.
End Softmax.
