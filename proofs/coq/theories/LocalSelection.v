(* LocalSelection: T11 for softmax attention.

   The selection need not be globally optimal: P is any set of constraints with a positive score gap that contains every
   constraint with a positive multiplier; outside P only slack constraints (slope above gamma) are allowed. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Direction Gibbs Progress Path Growth Region Saturation.
From Attest Require Import LocalRanges PartialStep LocalAbsorbing.

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

Theorem T11_normalised : etamax <= h -> normalised_run l eta w ->
  (forall t, local_forever (w t) /\ y0 + normalised_speed gamma D rho_bar * total eta t <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> hh /(normalised_run_ascent alpha) run; split=> [t|].
  split; last exact (local_normalised_growth dir P_sub active_sub norm_le excess_gt0 local_blo_gt0 local_blo_bhi
    eta_range M_gt0 rho_bar_lt theta_gt0 M_ge tail_le tail_pull local_region hh run t).
  apply: local_forever_on_path.
  exact (local_normalised_path dir P_sub active_sub norm_le excess_gt0 local_blo_gt0 local_blo_bhi
    eta_range M_gt0 rho_bar_lt theta_gt0 M_ge tail_le tail_pull local_region hh run t).
exact (local_normalised_limit dir P_sub active_sub norm_le excess_gt0 local_blo_gt0 local_blo_bhi
    eta_range M_gt0 rho_bar_lt theta_gt0 M_ge tail_le tail_pull local_region hh run).
Qed.

Theorem T11_gradient :
  etamax * (D * (\sum_(t | P t) local_bhi t * exp (- low t) + \sum_(t | Q t && ~~ P t) local_B t * exp (- low t))) <= h ->
  gradient_run l eta w ->
  (forall t, local_forever (w t) /\
     / gamma * ln (exp (gamma * y0) + gamma * ((gamma - rho_bar * D) * exp K) * total eta t) <= height (w t)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1).
Proof.
move=> hh /(gradient_run_ascent alpha) run; split=> [t|].
  split; last exact (local_gradient_growth dir P_sub active_sub norm_le excess_gt0 local_blo_gt0 local_blo_bhi
    eta_range M_gt0 rho_bar_lt theta_gt0 M_ge tail_le tail_pull local_region hh run t).
  apply: local_forever_on_path.
  exact (local_gradient_path dir P_sub active_sub norm_le excess_gt0 local_blo_gt0 local_blo_bhi
    eta_range M_gt0 rho_bar_lt theta_gt0 M_ge tail_le tail_pull local_region hh run t).
exact (local_gradient_limit dir P_sub active_sub norm_le excess_gt0 local_blo_gt0 local_blo_bhi
    eta_range M_gt0 rho_bar_lt theta_gt0 M_ge tail_le tail_pull local_region hh run).
Qed.
End LocalSelection.
