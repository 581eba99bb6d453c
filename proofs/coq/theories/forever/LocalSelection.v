(* LocalSelection: T11 and T14 for softmax attention.

   The selection need not be globally optimal: P is any set of constraints with a positive score gap that contains every
   constraint with a positive multiplier; outside P only slack constraints (slope above gamma) are allowed. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Iteration Gradient Direction Gibbs Progress Path Growth Inside Region Saturation.
From Attest Require Import LocalRanges PartialStep LocalAbsorbing.
From Attest Require Import ActiveStep BoundedSelection SpanResidual.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section LocalSelection.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation gap := (gap alpha).

Variables (u : vec (coord p)) (gamma : R) (mu : token p -> R).
Hypothesis dir : direction Q (Delta alpha) u gamma mu.
Notation height := (height u).
Notation slope := (slope (Delta alpha) u).
Notation spread := (spread (Delta alpha) u).

Variables (P : pred (token p)) (D : R).
Hypothesis P_sub : forall t, P t -> Q t.
Hypothesis active_sub : forall t, active Q mu t -> P t.
Hypothesis excess_gt0 : forall t, Q t -> ~~ P t -> 0 < excess (Delta alpha) u gamma t.
Hypothesis norm_le : forall t, Q t -> vnorm (Delta alpha t) <= D.

(* eps bounds the attention off the selected token; gap_up and gap_down bound the positive and the negative gaps. *)
Variables (eps gap_up gap_down lmin lmax : group p -> R).
Hypothesis eps_range : forall i, 0 <= eps i < 1.
Hypothesis gap_bounds : forall i t, others i t -> - gap_down i <= gap t <= gap_up i.
Hypothesis gap_up_ge0 : forall i, 0 <= gap_up i.
Hypothesis gap_down_ge0 : forall i, 0 <= gap_down i.
Hypothesis P_gap : forall t, P t -> eps (group_of t) * gap_up (group_of t) < gap t.
Hypothesis lmin_gt0 : forall i, 0 < lmin i.
Hypothesis slope_range : forall i v,
  score (alpha i) - eps i * gap_up i <= v <= score (alpha i) + eps i * gap_down i -> lmin i <= - dloss l v <= lmax i.

Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax M rho_bar C1 theta h : R).
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Notation w0 := (w O).
Notation y0 := (height w0).
Notation centre := (natural_centre u w).
Notation residual := (residual u centre).
Notation local_blo := (local_blo alpha eps gap_up lmin).
Notation local_bhi := (local_bhi alpha eps gap_down lmax).
Notation local_B := (local_B alpha eps gap_up gap_down lmax).
Notation K := (log_floor Q mu local_blo).
Notation G := (gibbs_gap Q (Delta alpha) u centre P gamma mu local_bhi local_blo y0).
Notation low := (path_low (Delta alpha) u centre w0 M).
Notation on_path := (on_path u centre w0 M).
Notation tail := (tail Q (Delta alpha) u gamma mu P local_blo local_B w M).

Hypothesis M_gt0 : 0 < M.
Hypothesis rho_bar_lt : rho_bar * D < gamma.
Hypothesis theta_gt0 : 0 < theta.
Hypothesis M_ge : (2 * G + C1 + h * D * (1 + rho_bar)) / (gamma - rho_bar * D) <= M.
Hypothesis tail_le : tail 0 <= rho_bar.
Hypothesis tail_pull : 2 * D * (tail theta / (exp 1 * theta)) <= C1.

(* The condition on the margins of w_0; low_t = m_t(w_0) - delta_t^2 M/(4 gamma_t) by path_low_natural. *)
Hypothesis inside : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.

Lemma local_region z : (forall t, Q t -> low t <= margin z t) ->
  (forall t, P t -> local_blo t <= bare_weight alpha l z t <= local_bhi t) /\
  (forall t, Q t -> ~~ P t -> Rabs (bare_weight alpha l z t) <= local_B t).
Proof.
by move=> Hz; split; [exact: (local_factors P_sub eps_range gap_bounds gap_up_ge0 gap_down_ge0 P_gap lmin_gt0 slope_range inside Hz)
  | exact: (local_outside eps_range gap_bounds gap_up_ge0 gap_down_ge0 lmin_gt0 slope_range inside Hz)].
Qed.

Let local_blo_gt0 := local_blo_gt0 eps_range P_gap lmin_gt0.

Lemma start_margins t : Q t -> low t <= margin w0 t.
Proof. by move=> Qt; exact (path_low_margin dir (centre_orth dir w) M_gt0 Qt (on_path_start u centre w0 M)). Qed.

Lemma local_blo_bhi t : P t -> local_blo t <= local_bhi t.
Proof. by move=> Pt; have := proj1 (local_region start_margins) t Pt; lra. Qed.

(* What holds at every later point. *)
Record local_forever (z : vec (coord p)) : Prop := LocalForever {
  local_forever_path : on_path z;
  local_forever_margin : forall t, Q t ->
    low t <= slope t * height z + dot (Delta alpha t) centre - spread t * path_bound u centre w0 M z <= margin z t;
  local_forever_attention : forall i, 1 - attention z (alpha i) <= eps i;
  local_forever_sparse : forall i, 1 - attention z (alpha i) <=
    \sum_(t | others i t) exp (- (slope t * height z + dot (Delta alpha t) centre
                                  - spread t * path_bound u centre w0 M z));
  local_forever_output : forall i,
    score (alpha i) - eps i * gap_up i <= output z i <= score (alpha i) + eps i * gap_down i;
  local_forever_angle : 0 < height z ->
    1 - cosine u z <= (vnorm centre + path_bound u centre w0 M z) * (vnorm centre + path_bound u centre w0 M z)
                      / (2 * (height z * height z))
}.

Lemma local_forever_on_path z : on_path z -> local_forever z.
Proof.
move=> Hz; have Hm t (ct : Q t) := path_low_le dir M_gt0 ct Hz.
have Hn t := on_path_margin dir (centre_orth dir w) t Hz.
have Hl t (ct : Q t) : low t <= margin z t := Rle_trans _ _ _ (Hm t ct) (Hn t).
split=> //.
- by move=> t ct; split; [exact: Hm | exact: Hn].
- exact (local_attention_range inside Hl).
- move=> i; apply: Rle_trans (attention_deficit_le _ _ _) _.
  by apply: odds_le => t _; exact: Hn.
- exact (local_output_range gap_bounds gap_up_ge0 gap_down_ge0 inside Hl).
exact (on_path_angle dir Hz).
Qed.

Theorem T11_normalised least : etamax <= h -> follows l least NormalisedSteps eta w ->
  (forall t, local_forever (w t) /\ y0 + normalised_speed gamma D rho_bar * total eta t <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> hh /(normalised_steps_ascent alpha) run; have stays := local_normalised_region dir P_sub active_sub norm_le excess_gt0 local_blo_gt0 local_blo_bhi
  eta_range M_gt0 rho_bar_lt theta_gt0 M_ge tail_le tail_pull local_region hh run.
split=> [t|He]; first by split; [exact: local_forever_on_path (stays_inside stays t) | exact: (inside_grows stays t)].
exact: (on_path_limit dir (stays_inside stays) (inside_diverges stays He)).
Qed.

Theorem T11_gradient least :
  etamax * (D * (\sum_(t | P t) local_bhi t * exp (- low t) + \sum_(t | Q t && ~~ P t) local_B t * exp (- low t))) <= h ->
  follows l least GradientSteps eta w ->
  (forall t, local_forever (w t) /\
     / gamma * ln (exp (gamma * y0) + gamma * ((gamma - rho_bar * D) * exp K) * total eta t) <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> hh /(gradient_steps_ascent alpha) run; have stays := local_gradient_region dir P_sub active_sub norm_le excess_gt0 local_blo_gt0 local_blo_bhi
  eta_range M_gt0 rho_bar_lt theta_gt0 M_ge tail_le tail_pull local_region hh run.
split=> [t|He]; first by split; [exact: local_forever_on_path (stays_inside stays t) | exact: (inside_grows stays t)].
exact: (on_path_limit dir (stays_inside stays) (inside_diverges stays He)).
Qed.

(* ---- T14: the residual of such a run stays bounded ---- *)

Section Bounded.
Notation S := (active Q mu).
Notation F := (fun t => Q t && ~~ active Q mu t).
Notation lateral := (lateral (Delta alpha) u).
Notation g' := (gamma - rho_bar * D).
Hypothesis tight_active : forall t, Q t -> ~~ S t -> 0 < excess (Delta alpha) u gamma t.
Variables (mu_min sigma E_S top bottom X_in : R).
Hypothesis mu_min_range : 0 < mu_min <= 1 / 2.
Hypothesis mu_min_le : forall t, S t -> mu_min <= mu t.
Hypothesis sigma_gt0 : 0 < sigma.
Hypothesis sigma_le : forall a, let v := combine S a lateral in
  sigma * sigma * vnorm2 v <= \sum_(t | S t) dot (lateral t) v * dot (lateral t) v.
Hypothesis E_S_ge : forall t, S t -> vnorm (lateral t) <= E_S.
Hypothesis bottom_gt0 : 0 < bottom.
Hypothesis bottom_le : forall t, S t -> bottom <= local_blo t * exp (- dot (Delta alpha t) centre).
Hypothesis top_ge : \sum_(t | S t) local_bhi t * exp (- dot (Delta alpha t) centre) <= top.
Hypothesis X_in_ge0 : 0 <= X_in.
Hypothesis X_in_ge : inner mu_min sigma E_S top bottom h g' <= X_in.
Hypothesis X_in_sqr_ge :
  2 * h * kappa mu_min sigma * inner mu_min sigma E_S top bottom h g' / g' <= X_in * X_in.
Variables (coef : token p -> token p -> R) (dO : token p -> vec (coord p)).
Hypothesis split_lateral : forall t, Q t -> ~~ S t -> lateral t = (dU Q (Delta alpha) u mu coef t + dO t)%V.
Hypothesis split_active : forall s t, S s -> Q t -> ~~ S t -> dot (lateral s) (dO t) = 0.
(* How much of the slack of a far constraint pays for the growth of the residual along the path. *)
Variable share : token p -> R.
Hypothesis share_range : forall t, Q t -> ~~ S t -> 0 < share t < excess (Delta alpha) u gamma t.

Notation far := (far_bound alpha P eps gap_up gap_down lmax).
Definition far_start t : R := far t * exp (- margin w0 t + spread t * spread t * M / (4 * share t)).
Definition far_rate t : R := excess (Delta alpha) u gamma t - share t.
Notation X := (span_bound Q (Delta alpha) u gamma mu coef dO w h g' K X_in far_start far_rate).
Notation omega n := (gibbs_weight (Delta alpha) (bare_weight alpha l (w n)) (w n)).

Section AlongPath.
Hypothesis path : forall n, on_path (w n).
Variable tau : nat -> R.
Hypothesis run : forall n, w n.+1 = (w n + tau n * ascent Q (Delta alpha) (omega n))%V.
Hypothesis tau_gt0 : forall n, 0 < tau n.
Hypothesis tau_le : forall n, tau n * vnorm (ascent Q (Delta alpha) (omega n)) <= h.

Lemma path_margins n t : Q t -> low t <= margin (w n) t.
Proof. by move=> Qt; exact (path_low_margin dir (centre_orth dir w) M_gt0 Qt (path n)). Qed.

Lemma path_factor n t : P t -> local_blo t <= bare_weight alpha l (w n) t <= local_bhi t.
Proof. by move=> Pt; exact: (proj1 (local_region (path_margins n)) t Pt). Qed.

Lemma path_far n t : Q t -> ~~ S t -> Rabs (bare_weight alpha l (w n) t) <= far t.
Proof.
move=> Qt St; rewrite /far_bound; case: ifPn => Pt; last exact: (proj2 (local_region (path_margins n)) t Qt Pt).
have r := path_factor n Pt; have b0 := local_blo_gt0 Pt; rewrite Rabs_pos_eq; lra.
Qed.

Lemma path_far_weight n t : Q t -> ~~ S t ->
  Rabs (omega n t) <= far_start t * exp (- ((gamma + far_rate t) * (height (w n) - y0))).
Proof.
move=> Qt St; have b0 := path_far n Qt St; have [s0 s1] := share_range Qt St.
rewrite /gibbs_weight Rabs_mult (Rabs_pos_eq (exp _)); last exact/Rlt_le/exp_pos.
rewrite /far_start Rmult_assoc -exp_plus; apply: Rmult_le_compat; [exact: Rabs_pos | exact/Rlt_le/exp_pos | done |].
apply: exp_le; have m := on_path_margin dir (centre_orth dir w) t (path n).
have pc : dot (Delta alpha t) centre = margin w0 t - slope t * y0.
  by rewrite /natural_centre dotBr dotZr /Direction.slope /Selection.margin; ring.
have XX := path_bound_sqr M_gt0 (path n); set B := path_bound u centre w0 M (w n) in m XX.
have q := concave_quadratic (spread t) B s0 M_gt0.
have e : share t * (B * B / M) = share t * (height (w n) - y0) by rewrite XX; field; lra.
rewrite /far_rate /excess; move: m q; rewrite pc e; lra.
Qed.

Lemma path_rise n : tau n * ((\sum_(t | P t) omega n t) * g') <= height (w n.+1) - height (w n) <= h.
Proof.
have t0 := tau_gt0 n; rewrite run (step_height u).
set V := ascent _ _ _; have -> : height (w n) + tau n * dot V u - height (w n) = tau n * dot V u by ring.
split.
  apply: Rmult_le_compat_l; first lra.
  have small := outside_ratio_small dir excess_gt0 M_gt0 tail_le local_region (path n).
  exact (partial_progress dir P_sub active_sub local_blo_gt0 norm_le (fun t Pt => path_factor n Pt)
    (outside_ratio_ge0 Q (Delta alpha) u gamma mu P (bare_weight alpha l) local_blo (w n)) small
    (outside_ratio_spec Q (Delta alpha) u gamma mu P (bare_weight alpha l) local_blo (w n))).
apply: Rle_trans (tau_le n); apply: Rmult_le_compat_l; first lra.
by have := dot_le_norms V u; rewrite (unorm dir) Rmult_1_r.
Qed.

Lemma path_active_total n : \sum_(t | S t) omega n t <= \sum_(t | P t) omega n t.
Proof.
have pos t : P t -> 0 < omega n t.
  move=> Pt; apply: Rmult_lt_0_compat; last exact: exp_pos.
  by have := path_factor n Pt; have b0 := local_blo_gt0 Pt; lra.
rewrite (sum_pred_id S) (sum_pred_id P); apply: sum_le => t _.
case St: (S t); first by rewrite active_sub //; lra.
by case Pt: (P t); [have := pos t Pt; lra | lra].
Qed.

Lemma far_start_ge0 t : Q t -> ~~ S t -> 0 <= far_start t.
Proof.
move=> Qt St; apply: Rmult_le_pos; last exact/Rlt_le/exp_pos.
exact: Rle_trans (Rabs_pos _) (path_far O Qt St).
Qed.

Theorem bounded_along_path n : vnorm (residual (w n)) <= X /\
  (0 < height (w n) -> 1 - cosine u (w n) <= (vnorm centre + X) * (vnorm centre + X) / (2 * (height (w n) * height (w n)))).
Proof.
have g0 : 0 < g' by lra.
have b0 t (St : S t) := local_blo_gt0 (active_sub St).
have rng m t (St : S t) := path_factor m (active_sub St).
have tot m := partial_total_lower dir active_sub local_blo_gt0 (w m) (fun t Pt => path_factor m Pt).
have rate0 t (Qt : Q t) (St : ~~ S t) : 0 < far_rate t by have := share_range Qt St; rewrite /far_rate; lra.
have H := @span_residual _ _ Q (Delta alpha) u centre gamma mu dir (centre_orth dir w) mu_min sigma E_S top bottom
  local_blo local_bhi mu_min_range mu_min_le sigma_gt0 sigma_le E_S_ge b0 bottom_gt0 bottom_le top_ge coef dO
  split_lateral split_active w tau _ (fun m => bare_weight alpha l (w m)) h g' K X_in far_start far_rate run
  (start_residual u w) tau_gt0 rng g0 path_active_total tot path_rise far_start_ge0 rate0 path_far_weight
  X_in_ge0 X_in_ge X_in_sqr_ge n.
by split=> // y1; exact (angle_bound (dir_unit dir) y1 H).
Qed.
End AlongPath.

(* T14: ||e_t|| <= X for all t, hence 1 - cos = O(1/y^2), with y growing as in T11. *)
Theorem T14_normalised least : etamax <= h -> follows l least NormalisedSteps eta w -> forall n, vnorm (residual (w n)) <= X /\
  (0 < height (w n) -> 1 - cosine u (w n) <= (vnorm centre + X) * (vnorm centre + X) / (2 * (height (w n) * height (w n)))).
Proof.
move=> hh run; have [H _] := T11_normalised hh run; have path n := local_forever_path (proj1 (H n)).
have pos n : 0 < vnorm (ascent Q (Delta alpha) (omega n)).
  exact (local_normalised_norm dir P_sub active_sub norm_le excess_gt0 local_blo_gt0 M_gt0 rho_bar_lt tail_le
    local_region (path n)).
apply: (bounded_along_path path (normalised_steps_ascent alpha run)) => n; have [e0 e1] := eta_range n; have v0 := pos n.
  exact: Rdiv_lt_0_compat.
set v := vnorm _ in v0 *; have -> : eta n / v * v = eta n by field; lra.
lra.
Qed.

Theorem T14_gradient least :
  etamax * (D * (\sum_(t | P t) local_bhi t * exp (- low t) + \sum_(t | Q t && ~~ P t) local_B t * exp (- low t))) <= h ->
  follows l least GradientSteps eta w -> forall n, vnorm (residual (w n)) <= X /\
  (0 < height (w n) -> 1 - cosine u (w n) <= (vnorm centre + X) * (vnorm centre + X) / (2 * (height (w n) * height (w n)))).
Proof.
move=> hh run; have [H _] := T11_gradient hh run; have path n := local_forever_path (proj1 (H n)).
apply: (bounded_along_path path (gradient_steps_ascent alpha run)) => n; have [e0 e1] := eta_range n; first exact: e0.
apply: Rle_trans hh; apply: Rmult_le_compat => //; [lra | exact: vnorm_ge0 |].
exact (local_field_norm dir P_sub norm_le local_blo_gt0 M_gt0 local_region (path n)).
Qed.
End Bounded.
End LocalSelection.
