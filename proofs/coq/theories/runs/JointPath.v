(* JointPath: T21 with two radii, the joint regularisation path (A.joint; JOINT.md section 6): where its minimisers go,
   and the decoder.

   Decoder and attention minimise the training loss over balls of radii r and R. S are the groups that support the
   decoder's direction u with a positive multiplier; label margins (LabelMargins.v) cost nu. The attention's rows are
   >= 1 on S and >= 0 off it. A minimiser is no worse than (r u, w'), w' a point with large margins everywhere; so all
   outputs are large, so the decoder is near u and attention near the selection. JointPathAttention.v goes on. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Losses Direction Saturation RegularisationPath JointModel ExponentialTail.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* A decoder and an attention that minimise the training loss over balls. *)
Definition jointly_regularised (p : selection_problem) (J : finType) (g : token p -> vec J) (l : loss) (r R : R)
    (v : vec J) (w : vec (coord p)) : Prop :=
  [/\ vnorm v <= r, vnorm w <= R & forall v' (w' : vec (coord p)), vnorm v' <= r -> vnorm w' <= R ->
    joint_loss g l v w <= joint_loss g l v' w'].

Section JointPath.
Variables (p : selection_problem) (alpha : selection p) (J : finType) (g : token p -> vec J) (l : loss).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation copies := (copies alpha).
Notation kappa := (chosen_value g alpha).
Notation delta := (value_difference g alpha).
Notation lost := (lost_value g alpha).
Notation f := (joint_output g).
Implicit Types (t : token p) (i j : group p).

(* ---- where minimisers go ---- *)

Record joint_limit := JointLimit {
  limit_support : pred (group p);       (* S *)
  limit_ray : vec J;                    (* u, the decoder's direction, *)
  limit_margin : R;                     (* Gamma, its margin, *)
  limit_shares : group p -> R;          (* mu_i, its multipliers, of total 1 *)
  limit_cost : R;                       (* nu, what label margins cost *)
  limit_attention : vec (coord p);      (* n, the attention's direction, *)
  limit_rows : R;                       (* gamma, its margin on S, *)
  limit_weights : token p -> R;         (* m_c, its multipliers, of total 1 on S *)
  limit_lean : vec (coord p);           (* a direction with all margins *)
  limit_plain : R                       (* at least this *)
}.

Variable L : joint_limit.
Notation S := (limit_support L).
Notation u := (limit_ray L).
Notation Gamma := (limit_margin L).
Notation mu := (limit_shares L).
Notation nu := (limit_cost L).
Notation n := (limit_attention L).
Notation gamma := (limit_rows L).
Notation m := (limit_weights L).
Notation lean := (limit_lean L).
Notation plain := (limit_plain L).

(* By how much groups off S are beyond the decoder's margin. *)
Definition limit_excess i : R := dot (kappa i) u - Gamma.
Notation excess := limit_excess.

Record decoder_limit : Prop := DecoderLimit {
  limit_ray_one : vnorm u = 1;
  limit_shares_ge0 : forall i, S i -> 0 <= mu i;
  limit_shares_one : \sum_(i | S i) mu i = 1;
  limit_balance : combine S mu kappa = (Gamma * u)%V;
  limit_tight : forall i, S i -> dot (kappa i) u = Gamma;
  limit_label : forall (v : vec J) (w : vec (coord p)), vnorm v <= 1 ->
    exists i, S i /\ forall j, S j -> f v w i <= Gamma - nu * (1 - attention w (alpha j));
  limit_short : vnorm n <= 1 /\ vnorm lean <= 1;
  limit_rows_hold : forall t, Q t -> if S (group_of t) then gamma <= margin n t else 0 <= margin n t;
  limit_lean_holds : forall t, Q t -> plain <= margin lean t
}.

Record attention_limit : Prop := AttentionLimit {
  limit_weights_ge0 : forall t, Q t -> 0 <= m t;
  limit_weights_one : \sum_(t | Q t && S (group_of t)) m t = 1;
  limit_rows_balance : combine Q m (Delta alpha) = (gamma * n)%V
}.

(* ---- the constants ---- *)

Record joint_bounds := JointBounds {
  joint_least : R;               (* the loss is at least this times e^-x, *)
  joint_fall : R;                (* its slope at least this times e^-x, for x >= 0 *)
  joint_groups : R;              (* how many groups there are, *)
  joint_spread : R;              (* the logarithm of that over the first *)
  joint_steepest : R;            (* Gamma^+, over S *)
  joint_longest : R;             (* the longest delta_c of S *)
  joint_lean : R;                (* beta, how far minimisers are compared off n *)
  joint_slack : R;               (* x *)
  joint_near : R;                (* h: how far the decoder is from r u, over r *)
  joint_turn : R;                (* b *)
  joint_start : R;               (* r_0 *)
  joint_reach : group p -> R;    (* the longest g_t of a group off S, *)
  joint_best : group p -> R      (* and the largest <g_t, u> of its other tokens *)
}.

Variable B : joint_bounds.
Notation least := (joint_least B).
Notation fall := (joint_fall B).
Notation groups := (joint_groups B).
Notation spread := (joint_spread B).
Notation steepest := (joint_steepest B).
Notation longest := (joint_longest B).
Notation beta := (joint_lean B).
Notation x := (joint_slack B).
Notation h := (joint_near B).
Notation b := (joint_turn B).
Notation r0 := (joint_start B).
Notation reach := (joint_reach B).
Notation best := (joint_best B).

(* Gamma^+ and lengths, with the tokens' copies. *)
Definition steepness i : R := \sum_(t | others i t) copies t * Rmax 0 (dot (delta t) u).
Definition total_length i : R := \sum_(t | others i t) copies t * vnorm (delta t).

Record decoder_bounds : Prop := DecoderBounds {
  joint_margin_gt0 : 0 < Gamma;
  joint_cost_gt0 : 0 < nu;
  joint_loose : forall i, ~~ S i -> Gamma < dot (kappa i) u;
  joint_tail : exponential_tail l least fall;
  joint_least_gt0 : 0 < least;
  joint_weights : forall i, weight i * groups = 1;
  joint_weights_one : \sum_i @weight p i = 1;
  joint_spread_is : groups = least * exp spread;
  joint_steepest_ge0 : 0 <= steepest;
  joint_steepest_ge : forall i, S i -> steepness i <= steepest;
  joint_longest_ge0 : 0 <= longest;
  joint_longest_ge : forall t, Q t -> S (group_of t) -> vnorm (delta t) <= longest;
  joint_lean_ge0 : 0 <= beta;
  joint_lean_large : forall i, ~~ S i -> steepness i * exp (- (plain * beta)) <= excess i / 2;
  joint_slack_margin : x < Gamma;
  joint_start_gt0 : 0 < r0
}.

(* theta *)
Definition path_share i : R := (excess i + x + reach i * h) / (Gamma + excess i - best i).

Record attention_bounds : Prop := AttentionBounds {
  joint_rows_gt0 : 0 < gamma;
  joint_plain_gt0 : 0 < plain;
  joint_held : forall t, Q t -> S (group_of t) -> m t <> 0 -> 0 < mu (group_of t);
  joint_fall_gt0 : 0 < fall;
  joint_spread_ge0 : 0 <= spread;
  joint_slack_cost : x < nu;
  joint_near_ge0 : 0 <= h;
  joint_near_large : 2 * (1 + longest / nu) * x / Gamma <= h * h;
  joint_seen : forall t, Q t -> S (group_of t) -> h * vnorm (delta t) < dot (delta t) u;
  joint_reach_ge : forall t, ~~ S (group_of t) -> vnorm (g t) <= reach (group_of t);
  joint_reach_small : forall i, ~~ S i -> h * reach i <= excess i / 4;
  joint_best_ge : forall t, Q t -> ~~ S (group_of t) -> dot (g t) u <= best (group_of t);
  joint_turn_gt0 : 0 < b;
  joint_shares_left : forall t, Q t -> ~~ S (group_of t) -> m t <> 0 ->
    best (group_of t) < Gamma + excess (group_of t) /\ path_share (group_of t) < 1
}.

Definition groups_outside : R := \sum_(i | ~~ S i) 1.
Definition grown : R := \sum_(i | S i) total_length i * exp (b * total_length i) + groups_outside / r0.

(* K_c, and by how much margins are below those of w'. *)
Definition path_early t : R :=
  exp ((steepest * b + spread) / mu (group_of t)) * grown / (fall * (dot (delta t) u - h * vnorm (delta t))).
Definition path_late : R := (steepest + spread / b) / nu.
Definition path_level t : R :=
  if S (group_of t) then ln (Rmax (path_early t) path_late / (copies t * (1 - x / nu)))
  else Rmax (- ln (copies t * (1 - path_share (group_of t)))) 0.
Definition joint_rate : R := \sum_(t | Q t) m t * path_level t.

(* ---- the radii ---- *)

Variables (radius r : R).

Definition path_lift : R := gamma * (radius - beta) + plain * beta.    (* the margins of w' on S *)
Definition path_decay : R := exp (- path_lift).                        (* eta *)
Definition path_cost : R := steepest * path_decay.                       (* eps *)
Definition path_gap : R := path_cost + spread / r.                       (* y *)
Definition joint_floor : R := r * (Gamma - path_cost) - spread.           (* all outputs are above *)
Definition path_point : vec (coord p) := ((radius - beta) * n + beta * lean)%V.     (* w' *)

Record radii_large : Prop := RadiiLarge {
  radius_large : beta <= radius;
  cost_small : path_cost <= x / 2;
  start_large : r0 <= r;
  spread_small : spread / r <= x / 2
}.

Definition path_pull : R := 1 + longest / nu.

Notation height := path_lift.
Notation eta := path_decay.
Notation eps := path_cost.
Notation y := path_gap.
Notation low := joint_floor.
Notation w' := path_point.
Notation pull := path_pull.

Section Minimiser.
Variables (v : vec J) (w : vec (coord p)).
Hypotheses (limit : decoder_limit) (bounds : decoder_bounds) (radii : radii_large).
Hypothesis minimiser : jointly_regularised g l r radius v w.
Let u_one := limit_ray_one limit.
Let Gamma_gt0 := joint_margin_gt0 bounds.
Let nu_gt0 := joint_cost_gt0 bounds.
Let mu_ge0 := limit_shares_ge0 limit.
Let mu_one := limit_shares_one limit.
Let mu_balance := limit_balance limit.
Let tight := limit_tight limit.
Let n_short := proj1 (limit_short limit).
Let lean_short := proj2 (limit_short limit).
Let n_holds := limit_rows_hold limit.
Let lean_holds := limit_lean_holds limit.
Let tail := joint_tail bounds.
Let least_gt0 := joint_least_gt0 bounds.
Let steepest_ge0 := joint_steepest_ge0 bounds.
Let longest_ge0 := joint_longest_ge0 bounds.
Let beta_ge0 := joint_lean_ge0 bounds.
Let x_Gamma := joint_slack_margin bounds.
Let r0_gt0 := joint_start_gt0 bounds.
Let radius_le := radius_large radii.
Let eps_small := cost_small radii.
Let r_large := start_large radii.
Let spread_le := spread_small radii.

Lemma joint_looseE i : ~~ S i -> dot (kappa i) u = Gamma + excess i /\ 0 < excess i.
Proof. by move=> /(joint_loose bounds); rewrite /limit_excess; lra. Qed.

Lemma decoder_radius_gt0 : 0 < r. Proof. lra. Qed.
Let r_gt0 := decoder_radius_gt0.
Lemma path_decay_gt0 : 0 < eta. Proof. exact: exp_pos. Qed.
Let eta_gt0 := path_decay_gt0.
Lemma path_cost_ge0 : 0 <= eps. Proof. by apply: Rmult_le_pos; lra. Qed.
Let eps_ge0 := path_cost_ge0.

Lemma path_gap_le : y <= x. Proof. rewrite /path_gap; lra. Qed.
Lemma joint_floorE : low = r * (Gamma - y). Proof. rewrite /joint_floor /path_gap; field; lra. Qed.
Let y_le := path_gap_le.
Let lowE := joint_floorE.
Lemma joint_floor_gt0 : 0 < low. Proof. by rewrite lowE; apply: Rmult_lt_0_compat; lra. Qed.
Let low_gt0 := joint_floor_gt0.
Let v_short : vnorm v <= r. Proof. by case: minimiser. Qed.

(* ---- (1) the point that a minimiser is no worse than ---- *)

Lemma path_point_short : vnorm w' <= radius.
Proof.
apply: Rle_trans (vnorm_triangle _ _) _; rewrite !vnormZ !Rabs_pos_eq; try lra.
have := Rmult_le_compat_l (radius - beta) _ _ (ltac:(lra)) n_short.
by have := Rmult_le_compat_l beta _ _ beta_ge0 lean_short; lra.
Qed.

Lemma path_point_margin t : Q t -> (if S (group_of t) then height else plain * beta) <= margin w' t.
Proof.
move=> Qt; have n1 := n_holds Qt; have p1 := lean_holds Qt.
have -> : margin w' t = (radius - beta) * margin n t + beta * margin lean t by rewrite /Selection.margin dotDr !dotZr.
have := Rmult_le_compat_l beta _ _ beta_ge0 p1.
case: (S _) n1 => n1; have := Rmult_le_compat_l (radius - beta) _ _ (ltac:(lra)) n1; rewrite /path_lift; lra.
Qed.

Definition decay_at i : R := if S i then eta else exp (- (plain * beta)).

Lemma path_point_share i t : others i t -> attention w' t <= copies t * decay_at i.
Proof.
move=> ti; have /andP[Qt /eqP gt] := ti; apply: Rle_trans (attention_le_exp w' ti) _.
apply: Rmult_le_compat_l; first exact/Rlt_le/copies_gt0.
have := path_point_margin Qt; rewrite gt /decay_at /path_decay.
by case: (S i) => h1; apply: exp_monotone; lra.
Qed.

Lemma decay_gt0 i : 0 < decay_at i.
Proof. by rewrite /decay_at; case: (S i) => //; exact: exp_pos. Qed.

Lemma steepness_ge0 i : 0 <= steepness i.
Proof.
apply: sum_ge0 => t _; apply: Rmult_le_pos; [exact/Rlt_le/copies_gt0 | exact: Rmax_l].
Qed.

Lemma path_point_lost i : lost (r * u)%V w' i <= r * (steepness i * decay_at i).
Proof.
have -> : r * (steepness i * decay_at i) = \sum_(t | others i t) r * (copies t * Rmax 0 (dot (delta t) u) * decay_at i).
  by rewrite /steepness sum_mulr sum_mull.
apply: sum_le => t ti; rewrite dotZr.
have a0 := attention_gt0 w' t; have a1 := path_point_share ti; have m0 := Rmax_l 0 (dot (delta t) u).
have m1 := Rmax_r 0 (dot (delta t) u).
have -> : attention w' t * (r * dot (delta t) u) = r * (attention w' t * dot (delta t) u) by ring.
apply: Rmult_le_compat_l; first lra.
apply: Rle_trans (Rmult_le_compat_l _ _ _ (Rlt_le _ _ a0) m1) _.
by have := Rmult_le_compat_r _ _ _ m0 a1; lra.
Qed.

Lemma path_point_output i : r * (Gamma - eps) <= f (r * u)%V w' i.
Proof.
rewrite (joint_output_lost g alpha) dotZr; have lo := path_point_lost i.
case Si: (S i).
  move: lo; rewrite /decay_at Si (tight Si) => lo.
  have := Rmult_le_compat_r eta _ _ (Rlt_le _ _ eta_gt0) (joint_steepest_ge bounds Si); rewrite -/path_cost => s1.
  by have := Rmult_le_compat_l r _ _ (ltac:(lra)) s1; lra.
have nSi : ~~ S i by rewrite Si.
have [E e0] := joint_looseE nSi; have s1 := joint_lean_large bounds nSi; move: lo; rewrite /decay_at Si E => lo.
by have := Rmult_le_compat_l r _ _ (ltac:(lra)) s1; nra.
Qed.

Lemma ray_short : vnorm (r * u)%V <= r.
Proof. by rewrite vnormZ u_one Rabs_pos_eq; lra. Qed.

Lemma path_loss : joint_loss g l v w <= exp (- (r * (Gamma - eps))).
Proof.
have [_ _ min] := minimiser; apply: Rle_trans (min _ _ ray_short path_point_short) _.
rewrite -[X in _ <= X]Rmult_1_l -(joint_weights_one bounds) sum_mulr; apply: sum_le => i _.
apply: Rmult_le_compat_l; first exact/Rlt_le/weight_gt0.
apply: Rle_trans (tail_le tail _) _; apply: exp_monotone.
have H := path_point_output i; rewrite /joint_output in H; lra.
Qed.

Lemma path_losses i : l (f v w i) <= least * exp (- low).
Proof.
have w0 := @weight_gt0 p i; have e0 := joint_weights bounds i.
have term : weight i * l (f v w i) <= exp (- (r * (Gamma - eps))).
  apply: Rle_trans path_loss; apply: (sum_term_le (F := fun j => weight j * l (f v w j))) => // j _.
  by apply: Rmult_le_pos; [exact/Rlt_le/weight_gt0 | exact/Rlt_le/(tail_gt0 tail)].
have g0 : 0 < groups by apply: (Rmult_lt_reg_l (weight i)) => //; rewrite e0; lra.
have -> : least * exp (- low) = groups * exp (- (r * (Gamma - eps))).
  by rewrite (joint_spread_is bounds) Rmult_assoc -exp_plus; congr (_ * exp _); rewrite /joint_floor; ring.
have -> : l (f v w i) = groups * (weight i * l (f v w i)) by rewrite -Rmult_assoc (Rmult_comm groups) e0; ring.
exact: Rmult_le_compat_l (Rlt_le _ _ g0) term.
Qed.

Lemma exp_le_inv a c : exp a <= exp c -> a <= c.
Proof. by case=> [/exp_lt_inv | /exp_inv]; lra. Qed.

Lemma path_output_ge i : low <= f v w i.
Proof.
have le := path_losses i; have l0 := tail_ge tail (Rle_refl 0); rewrite Ropp_0 exp_0 Rmult_1_r in l0.
have small : least * exp (- low) < least.
  have : exp (- low) < 1 by rewrite -exp_0; apply: exp_increasing; lra.
  by move=> e1; have := Rmult_lt_compat_l _ _ _ least_gt0 e1; lra.
case: (Rle_lt_dec 0 (f v w i)) => f0; last first.
  have [z [_ E]] := loss_mean_value (tail_domain tail (f v w i)) (Rlt_le _ _ f0).
  have d0 := dloss_lt0 l z; have : 0 < - dloss l z * (0 - f v w i) by apply: Rmult_lt_0_compat; lra.
  lra.
have := tail_ge tail f0 => ge; have : exp (- f v w i) <= exp (- low).
  by apply: (Rmult_le_reg_l least) => //; lra.
by move/exp_le_inv; lra.
Qed.

(* ---- attention on S ---- *)

Lemma path_deficit j : S j -> nu * (1 - attention w (alpha j)) <= y.
Proof.
move=> Sj; have short : vnorm (/ r * v)%V <= 1.
  have i0 := Rinv_0_lt_compat _ r_gt0; rewrite vnormZ Rabs_pos_eq; last lra.
  by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ i0) v_short; rewrite Rinv_l; lra.
have [i [Si H]] := limit_label limit w short; have := H j Sj; rewrite joint_outputZ => Hj.
have := path_output_ge i; rewrite lowE => lo.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (Rinv_0_lt_compat _ r_gt0)) lo.
have -> : / r * (r * (Gamma - y)) = Gamma - y by field; lra.
lra.
Qed.

Lemma deficit_ge0 i : 0 <= 1 - attention w (alpha i).
Proof. by have := attention_le1 alpha w (alpha i); lra. Qed.

(* ---- (2) the decoder ---- *)

Lemma longest_cost_ge0 : 0 <= longest / nu.
Proof. by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat. Qed.

Let longest_nu := longest_cost_ge0.

Lemma path_lost_ge i : S i -> - (r * (longest / nu * y)) <= lost v w i.
Proof.
move=> Si; have v0 := vnorm_ge0 v.
have -> : lost v w i = - \sum_(t | others i t) attention w t * - dot (delta t) v.
  by rewrite -sumN; apply: eq_bigr => t _; ring.
apply: Ropp_le_contravar.
have at_most : \sum_(t | others i t) attention w t * - dot (delta t) v <=
    (1 - attention w (alpha i)) * (longest * r).
  rewrite attention_deficit_sum sum_mulr; apply: sum_le => t /andP[Qt /eqP gt].
  apply: Rmult_le_compat_l; first exact/Rlt_le/attention_gt0.
  apply: (Rle_trans _ (vnorm (delta t) * vnorm v)); first by have := dot_ge_norms (delta t) v; lra.
  apply: Rmult_le_compat => //; try exact: vnorm_ge0.
  by apply: (joint_longest_ge bounds) => //; rewrite gt.
have q := path_deficit Si; apply: Rle_trans at_most _.
have -> : r * (longest / nu * y) = y / nu * (longest * r) by field; lra.
apply: Rmult_le_compat_r; first by apply: Rmult_le_pos; lra.
apply: (Rmult_le_reg_l nu) => //; have -> : nu * (y / nu) = y by field; lra.
exact: q.
Qed.

Lemma decoder_height : r * (Gamma - pull * y) <= Gamma * dot u v.
Proof.
rewrite -dotZl -mu_balance dot_combinel.
rewrite -[X in X <= _]Rmult_1_l -mu_one sum_mulr; apply: sum_le => i Si.
apply: Rmult_le_compat_l; first exact: mu_ge0.
have -> : dot (kappa i) v = f v w i + lost v w i by rewrite (joint_output_lost g alpha); ring.
have := path_output_ge i; have := path_lost_ge Si; rewrite lowE /path_pull; nra.
Qed.

Theorem joint_decoder : 1 - dot u v / r <= pull * y / Gamma.
Proof.
have H := decoder_height; apply: (Rmult_le_reg_r (r * Gamma)); first exact: Rmult_lt_0_compat.
have -> : (1 - dot u v / r) * (r * Gamma) = r * Gamma - Gamma * dot u v by field; lra.
have -> : pull * y / Gamma * (r * Gamma) = r * (pull * y) by field; lra.
lra.
Qed.
End Minimiser.
End JointPath.
