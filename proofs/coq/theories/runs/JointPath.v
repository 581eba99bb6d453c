(* JointPath: T21 with two radii, the joint regularisation path (A.joint; JOINT.md section 6).

   Decoder and attention minimise the training loss over balls of radii r and R. S are the groups that support the
   decoder's direction u with a positive multiplier; label margins (LabelMargins.v) cost nu. The attention's rows are
   >= 1 on S and >= 0 off it. A minimiser is no worse than (r u, w'), w' a point with large margins everywhere; so all
   outputs are large, so the decoder is near u and attention near the selection. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Losses Direction Saturation RegularisationPath JointModel.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* A decoder and an attention that minimise the training loss over balls. *)
Definition jointly_regularised (p : selection_problem) (J : finType) (g : token p -> vec J) (l : loss) (r R : R)
    (v : vec J) (w : vec (coord p)) : Prop :=
  [/\ vnorm v <= r, vnorm w <= R & forall v' (w' : vec (coord p)), vnorm v' <= r -> vnorm w' <= R ->
    joint_loss g l v w <= joint_loss g l v' w'].

(* Losses that decrease like e^-x, with two constants. *)
Record exponential_tail (l : loss) (least slope : R) : Prop := ExponentialTail {
  tail_domain : forall x, loss_domain l x;
  tail_gt0 : forall x, 0 < l x;
  tail_ge : forall x, 0 <= x -> least * exp (- x) <= l x;
  tail_le : forall x, l x <= exp (- x);
  tail_slope_ge : forall x, 0 <= x -> slope * exp (- x) <= - dloss l x;
  tail_slope_le : forall x, - dloss l x <= exp (- x);
  tail_convex : forall x y, x <= y -> - dloss l y <= - dloss l x
}.

Lemma exponential_has_tail : exponential_tail exponential 1 1.
Proof.
split=> //= x; try (move=> _); rewrite ?Ropp_involutive ?Rmult_1_l; try exact: Rle_refl; first exact: exp_pos.
by move=> y xy; rewrite !Ropp_involutive; apply: exp_monotone; lra.
Qed.

Lemma logistic_has_tail : exponential_tail logistic (ln 2) (/ 2).
Proof.
have below y : 0 < y -> ln (1 + y) <= y by move=> y0; have := ln_le_sub1 (x := 1 + y); lra.
have concave y : 0 < y -> y <= 1 -> ln 2 * y <= ln (1 + y).
  move=> y0 y1; pose phi z := ln (1 + z) - ln 2 * z.
  suff : 0 <= phi y by rewrite /phi; lra.
  have two : 0 < 2 by lra.
  (* (1 + y) = 2^y at 0 and 1, and 2^y is convex: by the mean of exponentials. *)
  have E : exp (y * ln 2) <= 1 + y.
    have convex a c : exp (y * a + (1 - y) * c) <= y * exp a + (1 - y) * exp c.
      set s := y * a + (1 - y) * c.
      have tangent z : exp s * (1 + (z - s)) <= exp z.
        have -> : exp z = exp s * exp (z - s) by rewrite -exp_plus; congr exp; ring.
        apply: Rmult_le_compat_l; first exact/Rlt_le/exp_pos.
        by case: (Req_dec (z - s) 0) => [-> | ne]; [rewrite exp_0; lra | exact/Rlt_le/exp_ineq1].
      have ta := Rmult_le_compat_l _ _ _ (Rlt_le _ _ y0) (tangent a).
      have tc := Rmult_le_compat_l (1 - y) _ _ (ltac:(lra)) (tangent c).
      suff : exp s = y * (exp s * (1 + (a - s))) + (1 - y) * (exp s * (1 + (c - s))) by lra.
      by rewrite /s; ring.
    by have := convex (ln 2) 0; rewrite exp_ln // exp_0 Rmult_0_r Rplus_0_r; lra.
  have p0 : 0 < 1 + y by lra.
  have : y * ln 2 <= ln (1 + y).
    rewrite -(ln_exp (y * ln 2)); case: E => [lt | ->]; last by right.
    by left; apply: ln_increasing => //; exact: exp_pos.
  by rewrite /phi; lra.
split=> //=.
- by move=> x; have e0 := exp_pos (- x); rewrite -ln_1; apply: ln_increasing; lra.
- move=> x x0; apply: concave; first exact: exp_pos.
  by rewrite -exp_0; apply: exp_monotone; lra.
- by move=> x; apply/below/exp_pos.
- move=> x x0; have e0 := exp_pos x; have e1 : 1 <= exp x by rewrite -exp_0; apply: exp_monotone.
  rewrite Ropp_involutive exp_Ropp -Rinv_mult.
  by apply: Rinv_le_contravar; lra.
- by move=> x; have e0 := exp_pos x; rewrite Ropp_involutive exp_Ropp; apply: Rinv_le_contravar; lra.
move=> x y xy; have e0 := exp_pos x; have := exp_monotone xy; rewrite !Ropp_involutive => e.
by apply: Rinv_le_contravar; lra.
Qed.

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

(* The decoder's direction, and what label margins cost. *)
Variables (S : pred (group p)) (u : vec J) (Gamma nu : R) (mu excess : group p -> R).
Hypotheses (u_one : vnorm u = 1) (Gamma_gt0 : 0 < Gamma) (nu_gt0 : 0 < nu).
Hypotheses (mu_ge0 : forall i, S i -> 0 <= mu i) (mu_one : \sum_(i | S i) mu i = 1).
Hypothesis mu_balance : combine S mu kappa = (Gamma * u)%V.
Hypothesis tight : forall i, S i -> dot (kappa i) u = Gamma.
Hypothesis loose : forall i, ~~ S i -> dot (kappa i) u = Gamma + excess i /\ 0 < excess i.
Hypothesis label : forall (v : vec J) (w : vec (coord p)), vnorm v <= 1 ->
  exists i, S i /\ forall j, S j -> f v w i <= Gamma - nu * (1 - attention w (alpha j)).

(* The attention's, with multipliers of total 1 on S; a direction with all margins positive. *)
Variables (n lean : vec (coord p)) (gamma plain : R) (m : token p -> R).
Hypotheses (n_short : vnorm n <= 1) (lean_short : vnorm lean <= 1) (gamma_gt0 : 0 < gamma) (plain_gt0 : 0 < plain).
Hypothesis n_holds : forall t, Q t -> if S (group_of t) then gamma <= margin n t else 0 <= margin n t.
Hypothesis lean_holds : forall t, Q t -> plain <= margin lean t.
Hypotheses (m_ge0 : forall t, Q t -> 0 <= m t) (m_one : \sum_(t | Q t && S (group_of t)) m t = 1).
Hypothesis m_balance : combine Q m (Delta alpha) = (gamma * n)%V.
Hypothesis held : forall t, Q t -> S (group_of t) -> m t <> 0 -> 0 < mu (group_of t).

Lemma plain_le : plain <= gamma.
Proof.
have one : dot n lean <= 1.
  apply: Rle_trans (dot_le_norms _ _) _; rewrite -[X in _ <= X](Rmult_1_l 1).
  by apply: Rmult_le_compat => //; exact: vnorm_ge0.
apply: (Rle_trans _ (gamma * dot n lean)); last by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ gamma_gt0) one; lra.
rewrite -dotZl -m_balance dot_combinel; apply: (Rle_trans _ (\sum_(t | Q t) m t * plain)).
  rewrite -sum_mulr -[X in X <= _]Rmult_1_l; apply: Rmult_le_compat_r; first lra.
  rewrite -m_one big_mkcondr; apply: sum_le => t /m_ge0 m0.
  by case: (S _); [exact: Rle_refl | exact: m0].
by apply: sum_le => t Qt; apply: Rmult_le_compat_l; [exact: m_ge0 | exact: lean_holds].
Qed.

(* The loss, and groups of equal weight. *)
Variables (least slope spread groups : R).
Hypotheses (tail : exponential_tail l least slope) (least_gt0 : 0 < least) (slope_gt0 : 0 < slope).
Hypotheses (weights_equal : forall i, weight i * groups = 1) (weights_one : \sum_i @weight p i = 1).
Hypotheses (spread_is : groups = least * exp spread) (spread_ge0 : 0 <= spread).

(* Gamma^+ and lengths, with the tokens' copies. *)
Definition steepness i : R := \sum_(t | others i t) copies t * Rmax 0 (dot (delta t) u).
Definition total_length i : R := \sum_(t | others i t) copies t * vnorm (delta t).

(* x, h, b of the theorem, and the bounds that it takes. *)
Variables (steepest longest beta x h b r0 : R) (reach best : group p -> R).
Hypotheses (steepest_ge0 : 0 <= steepest) (steepest_ge : forall i, S i -> steepness i <= steepest).
Hypotheses (longest_ge0 : 0 <= longest) (longest_ge : forall t, Q t -> S (group_of t) -> vnorm (delta t) <= longest).
Hypotheses (beta_ge0 : 0 <= beta).
Hypothesis beta_large : forall i, ~~ S i -> steepness i * exp (- (plain * beta)) <= excess i / 2.
Hypotheses (x_gt0 : 0 < x) (x_nu : x < nu) (x_Gamma : x < Gamma) (h_ge0 : 0 <= h).
Hypothesis h_large : 2 * (1 + longest / nu) * x / Gamma <= h * h.
Hypothesis seen : forall t, Q t -> S (group_of t) -> h * vnorm (delta t) < dot (delta t) u.
Hypothesis reach_ge : forall t, ~~ S (group_of t) -> vnorm (g t) <= reach (group_of t).
Hypothesis reach_small : forall i, ~~ S i -> h * reach i <= excess i / 4.
Hypothesis best_ge : forall t, Q t -> ~~ S (group_of t) -> dot (g t) u <= best (group_of t).
Hypotheses (b_gt0 : 0 < b) (r0_gt0 : 0 < r0).

(* theta *)
Definition path_share i : R := (excess i + x + reach i * h) / (Gamma + excess i - best i).
Hypothesis shares_left : forall t, Q t -> ~~ S (group_of t) -> m t <> 0 ->
  best (group_of t) < Gamma + excess (group_of t) /\ path_share (group_of t) < 1.

Definition groups_outside : R := \sum_(i | ~~ S i) 1.
Definition grown : R := \sum_(i | S i) total_length i * exp (b * total_length i) + groups_outside / r0.

(* K_c, and by how much margins are below those of w'. *)
Definition path_early t : R :=
  exp ((steepest * b + spread) / mu (group_of t)) * grown / (slope * (dot (delta t) u - h * vnorm (delta t))).
Definition path_late : R := (steepest + spread / b) / nu.
Definition path_level t : R :=
  if S (group_of t) then ln (Rmax (path_early t) path_late / (copies t * (1 - x / nu)))
  else Rmax (- ln (copies t * (1 - path_share (group_of t)))) 0.
Definition joint_rate : R := \sum_(t | Q t) m t * path_level t.

Section Minimiser.
Variables (radius r : R) (v : vec J) (w : vec (coord p)).
Let height : R := gamma * (radius - beta) + plain * beta.
Let eta : R := exp (- height).
Let eps : R := steepest * eta.
Hypotheses (radius_large : beta <= radius) (eps_small : eps <= x / 2) (r_large : r0 <= r).
Hypothesis spread_small : spread / r <= x / 2.
Hypothesis ahead : forall i, ~~ S i -> 4 * gamma * radius <= r * excess i.
Hypothesis minimiser : jointly_regularised g l r radius v w.

Let r_gt0 : 0 < r. Proof. lra. Qed.
Let eta_gt0 : 0 < eta. Proof. exact: exp_pos. Qed.
Let eps_ge0 : 0 <= eps. Proof. by apply: Rmult_le_pos; lra. Qed.
Let y : R := eps + spread / r.
Let low : R := r * (Gamma - eps) - spread.
Let y_ge0 : 0 <= y.
Proof. have : 0 <= spread / r by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat. rewrite /y; lra. Qed.
Let y_le : y <= x. Proof. rewrite /y; lra. Qed.
Let lowE : low = r * (Gamma - y). Proof. rewrite /low /y; field; lra. Qed.
Let low_gt0 : 0 < low. Proof. by rewrite lowE; apply: Rmult_lt_0_compat; lra. Qed.
Let v_short : vnorm v <= r. Proof. by case: minimiser. Qed.

(* ---- (1) the point that a minimiser is no worse than ---- *)

Let w' : vec (coord p) := ((radius - beta) * n + beta * lean)%V.

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
case: (S _) n1 => n1; have := Rmult_le_compat_l (radius - beta) _ _ (ltac:(lra)) n1; rewrite /height; lra.
Qed.

Definition decay_at i : R := if S i then eta else exp (- (plain * beta)).

Lemma path_point_share i t : others i t -> attention w' t <= copies t * decay_at i.
Proof.
move=> ti; have /andP[Qt /eqP gt] := ti; apply: Rle_trans (attention_le_exp w' ti) _.
apply: Rmult_le_compat_l; first exact/Rlt_le/copies_gt0.
have := path_point_margin Qt; rewrite gt /decay_at /eta.
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
  have := Rmult_le_compat_r eta _ _ (Rlt_le _ _ eta_gt0) (steepest_ge Si); rewrite -/eps => s1.
  by have := Rmult_le_compat_l r _ _ (ltac:(lra)) s1; lra.
have nSi : ~~ S i by rewrite Si.
have [E e0] := loose nSi; have s1 := beta_large nSi; move: lo; rewrite /decay_at Si E => lo.
by have := Rmult_le_compat_l r _ _ (ltac:(lra)) s1; nra.
Qed.

Lemma ray_short : vnorm (r * u)%V <= r.
Proof. by rewrite vnormZ u_one Rabs_pos_eq; lra. Qed.

Lemma path_loss : joint_loss g l v w <= exp (- (r * (Gamma - eps))).
Proof.
have [_ _ min] := minimiser; apply: Rle_trans (min _ _ ray_short path_point_short) _.
rewrite -[X in _ <= X]Rmult_1_l -weights_one sum_mulr; apply: sum_le => i _.
apply: Rmult_le_compat_l; first exact/Rlt_le/weight_gt0.
apply: Rle_trans (tail_le tail _) _; apply: exp_monotone.
have H := path_point_output i; rewrite /joint_output in H; lra.
Qed.

Lemma path_losses i : l (f v w i) <= least * exp (- low).
Proof.
have w0 := @weight_gt0 p i; have e0 := weights_equal i.
have term : weight i * l (f v w i) <= exp (- (r * (Gamma - eps))).
  apply: Rle_trans path_loss; apply: (sum_term_le (F := fun j => weight j * l (f v w j))) => // j _.
  by apply: Rmult_le_pos; [exact/Rlt_le/weight_gt0 | exact/Rlt_le/(tail_gt0 tail)].
have g0 : 0 < groups by apply: (Rmult_lt_reg_l (weight i)) => //; rewrite e0; lra.
have -> : least * exp (- low) = groups * exp (- (r * (Gamma - eps))).
  by rewrite spread_is Rmult_assoc -exp_plus; congr (_ * exp _); rewrite /low; ring.
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
have [i [Si H]] := label w short; have := H j Sj; rewrite joint_outputZ => Hj.
have := path_output_ge i; rewrite lowE => lo.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (Rinv_0_lt_compat _ r_gt0)) lo.
have -> : / r * (r * (Gamma - y)) = Gamma - y by field; lra.
lra.
Qed.

Lemma deficit_ge0 i : 0 <= 1 - attention w (alpha i).
Proof. by have := attention_le1 alpha w (alpha i); lra. Qed.

(* ---- (2) the decoder ---- *)

Let pull : R := 1 + longest / nu.
Let longest_nu : 0 <= longest / nu.
Proof. by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat. Qed.

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
  by apply: longest_ge => //; rewrite gt.
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
have := path_output_ge i; have := path_lost_ge Si; rewrite lowE /pull; nra.
Qed.

Theorem joint_decoder : 1 - dot u v / r <= pull * y / Gamma.
Proof.
have H := decoder_height; apply: (Rmult_le_reg_r (r * Gamma)); first exact: Rmult_lt_0_compat.
have -> : (1 - dot u v / r) * (r * Gamma) = r * Gamma - Gamma * dot u v by field; lra.
have -> : pull * y / Gamma * (r * Gamma) = r * (pull * y) by field; lra.
lra.
Qed.

Lemma decoder_near : vnorm (v - r * u)%V <= r * h.
Proof.
apply: vnorm_le_sqr; first by apply: Rmult_le_pos; lra.
have -> : vnorm2 (v - r * u)%V = vnorm2 v - 2 * r * dot u v + r * r.
  by rewrite vnorm2B vnorm2Z dotZr (dotC v u) -(vnorm_sqr u) u_one; ring.
have vv : vnorm2 v <= r * r by rewrite -vnorm_sqr; apply: Rmult_le_compat => //; exact: vnorm_ge0.
have H := joint_decoder; have p0 : 0 <= pull by rewrite /pull; lra.
have g0 := Rinv_0_lt_compat _ Gamma_gt0.
have bound : r - dot u v <= r * (pull * x / Gamma).
  have -> : r - dot u v = r * (1 - dot u v / r) by field; lra.
  apply: Rmult_le_compat_l; first lra.
  apply: Rle_trans H _; apply: Rmult_le_compat_r; first lra.
  exact: Rmult_le_compat_l.
have hl : r * (pull * x / Gamma) * 2 <= r * (h * h).
  have -> : r * (pull * x / Gamma) * 2 = r * (2 * pull * x / Gamma) by rewrite /Rdiv; ring.
  by apply: Rmult_le_compat_l; [lra | exact: h_large].
have := Rmult_le_compat_l r _ _ (ltac:(lra)) hl; have := Rmult_le_compat_l r _ _ (ltac:(lra)) bound; nra.
Qed.

Lemma near_dot (a : vec J) : Rabs (dot a v - r * dot a u) <= r * (h * vnorm a).
Proof.
have -> : dot a v - r * dot a u = dot a (v - r * u)%V by rewrite dotBr dotZr.
apply: Rle_trans (cauchy_schwarz _ _) _; have := decoder_near => H.
by have := Rmult_le_compat_l _ _ _ (vnorm_ge0 a) H; lra.
Qed.

Lemma gap_ge t : Q t -> S (group_of t) ->
  r * (dot (delta t) u - h * vnorm (delta t)) <= dot (delta t) v /\ 0 < dot (delta t) u - h * vnorm (delta t).
Proof.
move=> Qt St; have s := seen Qt St; have := near_dot (delta t) => /Rabs_le_between; split; last lra.
lra.
Qed.

Lemma label_gap_gt0 t : Q t -> S (group_of t) -> 0 < dot (delta t) v.
Proof. by move=> Qt St; have [h1 h2] := gap_ge Qt St; have := Rmult_lt_0_compat _ _ r_gt0 h2; lra. Qed.

Lemma lost_term i t : S i -> others i t -> 0 <= attention w t * dot (delta t) v.
Proof.
move=> Si /andP[Qt /eqP gt]; have g0 : 0 < dot (delta t) v by apply: label_gap_gt0 => //; rewrite gt.
by apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | lra].
Qed.

Lemma path_lost_ge0 i : S i -> 0 <= lost v w i.
Proof. by move=> Si; apply: sum_ge0 => t; exact: lost_term. Qed.

(* ---- (3) the selected tokens' scores ---- *)

Lemma selected_ge i : S i -> low <= dot (kappa i) v.
Proof. by move=> Si; have := path_output_ge i; rewrite (joint_output_lost g alpha); have := path_lost_ge0 Si; lra. Qed.

Lemma selected_le i : S i -> mu i * (dot (kappa i) v - low) <= r * eps + spread.
Proof.
move=> Si; have total : \sum_(j | S j) mu j * (dot (kappa j) v - low) <= r * eps + spread.
  have -> : \sum_(j | S j) mu j * (dot (kappa j) v - low) = Gamma * dot u v - low.
    rewrite -dotZl -mu_balance dot_combinel -[low in RHS]Rmult_1_l -mu_one sum_mulr -sumB.
    by apply: eq_bigr => j _; ring.
  have c : dot u v <= r by have := dot_le_norms u v; rewrite u_one; lra.
  have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ Gamma_gt0) c; rewrite /low; lra.
apply: Rle_trans total; apply: (sum_term_le (F := fun j => mu j * (dot (kappa j) v - low))) => // j Sj.
by have := selected_ge Sj; have := mu_ge0 Sj => m0 k0; apply: Rmult_le_pos; lra.
Qed.

(* ---- (4) against (v, w') ---- *)

Lemma compared_lost i : S i -> 0 <= lost v w' i <= r * eta * total_length i.
Proof.
move=> Si; split.
  apply: sum_ge0 => t /andP[Qt /eqP gt]; have g0 : 0 < dot (delta t) v by apply: label_gap_gt0 => //; rewrite gt.
  by apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | lra].
rewrite /total_length sum_mull; apply: sum_le => t ti; have := path_point_share ti; rewrite /decay_at Si => a1.
have -> : r * eta * (copies t * vnorm (delta t)) = copies t * eta * (vnorm (delta t) * r) by ring.
apply: (Rle_trans _ (attention w' t * (vnorm (delta t) * r))).
  apply: Rmult_le_compat_l; first exact/Rlt_le/attention_gt0.
  apply: Rle_trans (dot_le_norms _ _) _; apply: Rmult_le_compat_l => //; exact: vnorm_ge0.
apply: Rmult_le_compat_r a1; apply: Rmult_le_pos; [exact: vnorm_ge0 | lra].
Qed.

Lemma compared_outside i : ~~ S i -> l (f v w' i) <= exp (- (r * Gamma)) * eta.
Proof.
move=> nSi; have [E e0] := loose nSi; have a0 := ahead nSi; have s0 := reach_small nSi; have s1 := beta_large nSi.
have out : r * (Gamma + excess i / 4) <= f v w' i.
  have at_ray : r * (Gamma + excess i / 2) <= f (r * u)%V w' i.
    rewrite (joint_output_lost g alpha) dotZr E; have := path_point_lost i; rewrite /decay_at (negbTE nSi) => lo.
    by have := Rmult_le_compat_l r _ _ (ltac:(lra)) s1; nra.
  have moved : f (r * u)%V w' i - r * (h * reach i) <= f v w' i.
    have -> : r * (h * reach i) = \sum_(t | group_of t == i) attention w' t * (r * (h * reach i)).
      by rewrite -sum_mulr (attention_sum alpha); ring.
    rewrite /joint_output /output -sumB; apply: sum_le => t /eqP gt.
    rewrite -Rmult_minus_distr_l; apply: Rmult_le_compat_l; first exact/Rlt_le/attention_gt0.
    rewrite /= dotZr; have := near_dot (g t) => /Rabs_le_between near.
    have nSt : ~~ S (group_of t) by rewrite gt.
    have := reach_ge nSt; rewrite gt => far; have := Rmult_le_compat_l h _ _ h_ge0 far => far'.
    by have := Rmult_le_compat_l r _ _ (ltac:(lra)) far'; lra.
  by have := Rmult_le_compat_l r _ _ (ltac:(lra)) s0; nra.
apply: Rle_trans (tail_le tail _) _; rewrite -exp_plus; apply: exp_monotone.
have : height <= gamma * radius.
  have := Rmult_le_compat_r beta _ _ beta_ge0 plain_le; rewrite /height; nra.
nra.
Qed.

Let mass : R := \sum_(i | S i) exp (- dot (kappa i) v) * (lost v w' i * exp (lost v w' i)) +
  groups_outside * (exp (- (r * Gamma)) * eta).

Lemma compared i : S i -> slope * exp (- dot (kappa i) v) * lost v w i <= mass.
Proof.
move=> Si; have [_ _ min] := minimiser; have le := min v w' v_short path_point_short.
have w0 := @weight_gt0 p i.
pose gain j := if S j then slope * exp (- dot (kappa j) v) * lost v w j else 0.
pose cost j := if S j then exp (- dot (kappa j) v) * (lost v w' j * exp (lost v w' j))
               else exp (- (r * Gamma)) * eta.
pose base j := if S j then l (dot (kappa j) v) else 0.
have gain0 j : 0 <= gain j.
  rewrite /gain; case Sj: (S j); last exact: Rle_refl.
  apply: Rmult_le_pos; last exact: path_lost_ge0.
  by apply: Rmult_le_pos; [lra | exact/Rlt_le/exp_pos].
have below j : base j + gain j <= l (f v w j).
  rewrite /base /gain; case Sj: (S j); last by have := tail_gt0 tail (f v w j); lra.
  have d0 := path_lost_ge0 Sj; have k0 := selected_ge Sj.
  have fE : f v w j = dot (kappa j) v - lost v w j by exact: joint_output_lost.
  have fk : f v w j <= dot (kappa j) v by lra.
  have [z [[z1 z2] E]] := loss_mean_value (tail_domain tail (f v w j)) fk.
  have := tail_convex tail z2 => cv; have := tail_slope_ge tail (x := dot (kappa j) v) (ltac:(lra)) => sg.
  have := Rmult_le_compat_r _ _ _ d0 (Rle_trans _ _ _ sg cv).
  have -> : lost v w j = dot (kappa j) v - f v w j by lra.
  lra.
have above j : l (f v w' j) <= base j + cost j.
  rewrite /base /cost; case Sj: (S j); last first.
    by rewrite Rplus_0_l; apply: compared_outside; rewrite Sj.
  have [d0 _] := compared_lost Sj; have fE : f v w' j = dot (kappa j) v - lost v w' j by exact: joint_output_lost.
  have fk : f v w' j <= dot (kappa j) v by lra.
  have [z [[z1 z2] E]] := loss_mean_value (tail_domain tail (f v w' j)) fk.
  have sl : - dloss l z <= exp (- f v w' j).
    by apply: Rle_trans (tail_slope_le tail _) _; apply: exp_monotone; lra.
  have -> : exp (- dot (kappa j) v) * (lost v w' j * exp (lost v w' j)) = exp (- f v w' j) * lost v w' j.
    rewrite (_ : - f v w' j = - dot (kappa j) v + lost v w' j); last by rewrite fE; ring.
    by rewrite exp_plus; ring.
  have := Rmult_le_compat_r _ _ _ d0 sl; have -> : lost v w' j = dot (kappa j) v - f v w' j by lra.
  lra.
have totals : \sum_j weight j * (base j + gain j) <= \sum_j weight j * (base j + cost j).
  apply: (Rle_trans _ (joint_loss g l v w)).
    by apply: sum_le => j _; apply: Rmult_le_compat_l; [exact/Rlt_le/weight_gt0 | exact: below].
  apply: Rle_trans le _.
  by apply: sum_le => j _; apply: Rmult_le_compat_l; [exact/Rlt_le/weight_gt0 | exact: above].
have g0 : 0 < groups by apply: (Rmult_lt_reg_l (weight i)) => //; rewrite weights_equal; lra.
have {}totals : \sum_j gain j <= \sum_j cost j.
  have drop (F : group p -> R) : groups * (\sum_j weight j * F j) = \sum_j F j.
    by rewrite sum_mull; apply: eq_bigr => j _; rewrite -Rmult_assoc (Rmult_comm groups) weights_equal; ring.
  have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ g0) totals; rewrite !drop !sumD; lra.
have <- : gain i = slope * exp (- dot (kappa i) v) * lost v w i by rewrite /gain Si.
have <- : \sum_j cost j = mass.
  rewrite /mass /groups_outside sum_mulr (bigID S) /=; congr (_ + _); apply: eq_bigr => j; rewrite /cost.
    by move=> ->.
  by move/negbTE=> ->; ring.
apply: Rle_trans totals; exact: (sum_term_le (F := gain)).
Qed.

Lemma groups_outside_ge0 : 0 <= groups_outside.
Proof. by apply: sum_ge0 => i _; lra. Qed.

Lemma total_length_ge0 i : 0 <= total_length i.
Proof. by apply: sum_ge0 => t _; apply: Rmult_le_pos; [exact/Rlt_le/copies_gt0 | exact: vnorm_ge0]. Qed.

Lemma lost_early i : S i -> 0 < mu i -> r * eta <= b ->
  lost v w i <= r * eta * (exp ((steepest * b + spread) / mu i) * grown / slope).
Proof.
move=> Si m0 early; have H := compared Si; set k := dot (kappa i) v in H.
have re0 : 0 <= r * eta by apply: Rmult_le_pos; lra.
have near : k - low <= (steepest * b + spread) / mu i.
  apply: (Rmult_le_reg_l (mu i)) => //; have -> : mu i * ((steepest * b + spread) / mu i) = steepest * b + spread.
    by field; lra.
  apply: Rle_trans (selected_le Si) _; rewrite /eps.
  by have := Rmult_le_compat_l _ _ _ steepest_ge0 early; lra.
have below_ray : low <= r * Gamma by rewrite /low; have := Rmult_le_pos _ _ (Rlt_le _ _ r_gt0) eps_ge0; lra.
have bound : mass * exp low <= r * eta * grown.
  rewrite /mass /grown Rmult_plus_distr_r Rmult_plus_distr_l; apply: Rplus_le_compat.
    rewrite sum_mulr sum_mull; apply: sum_le => j Sj; have [d0 d1] := compared_lost Sj.
    have t0 := total_length_ge0 j.
    have e1 : exp (- dot (kappa j) v) * exp low <= 1.
      by rewrite -exp_plus -exp_0; apply: exp_monotone; have := selected_ge Sj; lra.
    have e2 : exp (lost v w' j) <= exp (b * total_length j).
      by apply: exp_monotone; apply: Rle_trans d1 _; exact: Rmult_le_compat_r.
    have e3 : lost v w' j * exp (lost v w' j) <= r * eta * total_length j * exp (b * total_length j).
      by apply: Rmult_le_compat => //; exact/Rlt_le/exp_pos.
    have f0 : 0 <= lost v w' j * exp (lost v w' j) by apply: Rmult_le_pos => //; exact/Rlt_le/exp_pos.
    by have := Rmult_le_compat_r _ _ _ f0 e1; lra.
  have -> : groups_outside * (exp (- (r * Gamma)) * eta) * exp low =
      groups_outside * eta * (exp (- (r * Gamma)) * exp low) by ring.
  have o0 := groups_outside_ge0; have oe : 0 <= groups_outside * eta by apply: Rmult_le_pos; lra.
  have e1 : exp (- (r * Gamma)) * exp low <= 1.
    by rewrite -exp_plus -exp_0; apply: exp_monotone; lra.
  have ratio : 1 <= r / r0.
    apply: (Rmult_le_reg_r r0) => //; have -> : r / r0 * r0 = r by field; lra.
    lra.
  have := Rmult_le_compat_l _ _ _ oe e1; have := Rmult_le_compat_l _ _ _ oe ratio.
  have -> : r * eta * (groups_outside / r0) = groups_outside * eta * (r / r0) by rewrite /Rdiv; ring.
  lra.
have grown0 : 0 <= grown.
  apply: Rplus_le_le_0_compat.
    by apply: sum_ge0 => j _; apply: Rmult_le_pos; [exact: total_length_ge0 | exact/Rlt_le/exp_pos].
  by apply: Rmult_le_pos; [exact: groups_outside_ge0 | exact/Rlt_le/Rinv_0_lt_compat].
have ek := exp_pos k.
have : lost v w i * slope <= mass * exp k.
  have E : exp (- k) * exp k = 1 by rewrite -exp_plus (_ : - k + k = 0) ?exp_0 //; ring.
  have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ ek) H.
  have -> : slope * exp (- k) * lost v w i * exp k = lost v w i * slope * (exp (- k) * exp k) by ring.
  by rewrite E; lra.
have -> : exp k = exp low * exp (k - low) by rewrite -exp_plus; congr exp; ring.
have e4 : exp (k - low) <= exp ((steepest * b + spread) / mu i) := exp_monotone near.
have s1 := Rmult_le_compat_r _ _ _ (Rlt_le _ _ (exp_pos (k - low))) bound.
have s2 := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ re0 grown0) e4.
move=> s3; apply: (Rmult_le_reg_r slope) => //.
have -> : r * eta * (exp ((steepest * b + spread) / mu i) * grown / slope) * slope =
    r * eta * grown * exp ((steepest * b + spread) / mu i) by field; lra.
lra.
Qed.

Lemma share_small t : Q t -> S (group_of t) -> m t <> 0 -> attention w t <= Rmax (path_early t) path_late * eta.
Proof.
move=> Qt St mt; have m0 := held Qt St mt; set i := group_of t in St m0 *.
have ti : others i t := others_self Qt; case: (Rle_lt_dec (r * eta) b) => [early | late].
  apply: (Rle_trans _ (path_early t * eta)); last first.
    by apply: Rmult_le_compat_r; [lra | exact: Rmax_l].
  have [g1 g0] := gap_ge Qt St; have L := lost_early St m0 early.
  have term : attention w t * dot (delta t) v <= lost v w i.
    by apply: (sum_term_le (F := fun s => attention w s * dot (delta s) v)) => // s; exact: lost_term.
  have a0 := attention_gt0 w t.
  have s1 := Rmult_le_compat_l _ _ _ (Rlt_le _ _ a0) g1.
  apply: (Rmult_le_reg_r (r * (dot (delta t) u - h * vnorm (delta t)))); first exact: Rmult_lt_0_compat.
  have -> : path_early t * eta * (r * (dot (delta t) u - h * vnorm (delta t))) =
      r * eta * (exp ((steepest * b + spread) / mu i) * grown / slope).
    by rewrite /path_early -/i; field; repeat split; lra.
  lra.
apply: (Rle_trans _ (path_late * eta)); last by apply: Rmult_le_compat_r; [lra | exact: Rmax_r].
have part : attention w t <= 1 - attention w (alpha i).
  rewrite attention_deficit_sum; apply: (sum_term_le (F := attention w)) => // s _; exact/Rlt_le/attention_gt0.
apply: Rle_trans part _; have q := path_deficit St; apply: (Rmult_le_reg_l nu) => //; apply: Rle_trans q _.
have -> : nu * (path_late * eta) = steepest * eta + spread / b * eta by rewrite /path_late; field; lra.
rewrite /y -/eps; apply: Rplus_le_compat_l.
have -> : spread / b * eta = spread * (eta / b) by rewrite /Rdiv; ring.
rewrite /Rdiv; apply: Rmult_le_compat_l => //.
apply: (Rmult_le_reg_l (r * b)); first exact: Rmult_lt_0_compat.
have -> : r * b * / r = b by field; lra.
have -> : r * b * (eta * / b) = r * eta by field; lra.
lra.
Qed.

Lemma kept_gt0 : 0 < 1 - x / nu.
Proof.
have : x / nu < 1 by apply: (Rmult_lt_reg_r nu) => //; have -> : x / nu * nu = x; [field; lra | lra].
lra.
Qed.

Lemma share_kept i : S i -> 1 - x / nu <= attention w (alpha i).
Proof.
move=> Si; have q := path_deficit Si.
suff : 1 - attention w (alpha i) <= x / nu by lra.
apply: (Rmult_le_reg_l nu) => //; have -> : nu * (x / nu) = x by field; lra.
lra.
Qed.

Lemma margin_on t : Q t -> S (group_of t) -> m t <> 0 -> height - path_level t <= margin w t.
Proof.
move=> Qt St mt; have sm := share_small Qt St mt; have sk := share_kept St; have k0 := kept_gt0.
have c0 := copies_gt0 alpha t; have em := exp_pos (- margin w t); set K := Rmax _ _ in sm.
have K0 : 0 < K by apply: (Rmult_lt_reg_r eta) => //; have := attention_gt0 w t; lra.
rewrite /path_level St -/K; have ck : 0 < copies t * (1 - x / nu) by exact: Rmult_lt_0_compat.
have le : copies t * (1 - x / nu) * exp (- margin w t) <= K * eta.
  apply: Rle_trans sm; rewrite (attention_other w (others_self Qt)).
  by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ (Rmult_lt_0_compat _ _ c0 em)) sk; lra.
have : exp (height - margin w t) <= K / (copies t * (1 - x / nu)).
  apply: (Rmult_le_reg_r (copies t * (1 - x / nu) * eta)); first exact: Rmult_lt_0_compat.
  have -> : K / (copies t * (1 - x / nu)) * (copies t * (1 - x / nu) * eta) = K * eta by field; lra.
  have -> : exp (height - margin w t) * (copies t * (1 - x / nu) * eta) =
      copies t * (1 - x / nu) * exp (- margin w t) * (exp height * eta).
    by rewrite /Rminus exp_plus; ring.
  have -> : exp height * eta = 1 by rewrite /eta -exp_plus (_ : height + - height = 0) ?exp_0 //; ring.
  lra.
move=> e1; have : height - margin w t <= ln (K / (copies t * (1 - x / nu))).
  rewrite -[X in X <= _]ln_exp; case: e1 => [lt | ->]; last by right.
  by left; apply: ln_increasing => //; exact: exp_pos.
lra.
Qed.

(* ---- (5) groups off S ---- *)

Lemma share_off t : Q t -> ~~ S (group_of t) -> m t <> 0 ->
  1 - path_share (group_of t) <= attention w (alpha (group_of t)).
Proof.
move=> Qt nSt mt; set i := group_of t in nSt *; have [E e0] := loose nSt; have [b0 _] := shares_left Qt nSt mt.
rewrite -/i in b0; have q0 := deficit_ge0 i; set q := 1 - attention w (alpha i) in q0 *.
have up : f v w i <= r * (Gamma + excess i - q * (Gamma + excess i - best i) + reach i * h).
  have -> : r * (Gamma + excess i - q * (Gamma + excess i - best i) + reach i * h) =
      attention w (alpha i) * (r * (Gamma + excess i + reach i * h)) +
      \sum_(s | others i s) attention w s * (r * (best i + reach i * h)).
    by rewrite -sum_mulr -attention_deficit_sum /q; ring.
  rewrite /joint_output /output (group_sum alpha) /=.
  have bound s c : group_of s = i -> dot (g s) u <= c -> dot (g s) v <= r * (c + reach i * h).
    move=> gs le; have nSs : ~~ S (group_of s) by rewrite gs.
    have := near_dot (g s) => /Rabs_le_between near; have := reach_ge nSs; rewrite gs => far.
    have far' := Rmult_le_compat_l h _ _ h_ge0 far.
    have := Rmult_le_compat_l r _ _ (ltac:(lra)) far'; have := Rmult_le_compat_l r _ _ (ltac:(lra)) le; lra.
  apply: Rplus_le_compat.
    apply: Rmult_le_compat_l; first exact/Rlt_le/attention_gt0.
    by apply: bound; [exact: group_of_pick | rewrite -E; right].
  apply: sum_le => s /andP[Qs /eqP gs]; apply: Rmult_le_compat_l; first exact/Rlt_le/attention_gt0.
  by apply: bound => //; rewrite -gs; apply: best_ge => //; rewrite gs.
have lo := path_output_ge i; rewrite lowE in lo.
have : Gamma - y <= Gamma + excess i - q * (Gamma + excess i - best i) + reach i * h.
  by apply: (Rmult_le_reg_l r) => //; lra.
move=> H; suff : q <= path_share i by rewrite /q; lra.
apply: (Rmult_le_reg_r (Gamma + excess i - best i)); first lra.
have -> : path_share i * (Gamma + excess i - best i) = excess i + x + reach i * h by rewrite /path_share; field; lra.
lra.
Qed.

Lemma margin_off t : Q t -> ~~ S (group_of t) -> m t <> 0 -> - path_level t <= margin w t.
Proof.
move=> Qt nSt mt; have sk := share_off Qt nSt mt; have [_ th] := shares_left Qt nSt mt.
rewrite /path_level (negbTE nSt); set k := copies t * (1 - path_share (group_of t)).
have c0 := copies_gt0 alpha t; have k0 : 0 < k by apply: Rmult_lt_0_compat; lra.
suff : ln k <= margin w t by have := Rmax_l (- ln k) 0; lra.
rewrite -(ln_exp (margin w t)); have em := exp_pos (margin w t).
suff le : k <= exp (margin w t) by case: le => [lt | ->]; [left; exact: ln_increasing | right].
have one := attention_le1 alpha w t; rewrite (attention_other w (others_self Qt)) in one.
have E : exp (- margin w t) * exp (margin w t) = 1 by rewrite -exp_plus (_ : - _ + _ = 0) ?exp_0 //; ring.
have s1 := Rmult_le_compat_r _ _ _ (Rlt_le _ _ em) one.
have s2 := Rmult_le_compat_l _ _ _ (Rlt_le _ _ c0) sk.
have s3 : attention w (alpha (group_of t)) * (copies t * exp (- margin w t)) * exp (margin w t) =
  attention w (alpha (group_of t)) * copies t by rewrite -[RHS]Rmult_1_r -E; ring.
by rewrite /k; lra.
Qed.

Lemma attention_height : height - joint_rate <= gamma * dot n w.
Proof.
rewrite -dotZl -m_balance dot_combinel.
have -> : height = \sum_(t | Q t) m t * (if S (group_of t) then height else 0).
  rewrite -[LHS]Rmult_1_l -m_one sum_mulr big_mkcondr; apply: eq_bigr => t _.
  by case: (S _); ring.
rewrite /joint_rate -sumB; apply: sum_le => t Qt; have m0 := m_ge0 Qt.
rewrite -Rmult_minus_distr_l; case: (Req_dec (m t) 0) => [-> | mt]; first by lra.
apply: Rmult_le_compat_l => //; case: (boolP (S (group_of t))) => St; first exact: margin_on.
by have := margin_off Qt St mt; rewrite /Selection.margin; lra.
Qed.

Theorem joint_attention : 0 < radius -> 1 - dot n w / radius <= (joint_rate + (gamma - plain) * beta) / gamma / radius.
Proof.
move=> radius0; have H := attention_height; apply: (Rmult_le_reg_r (radius * gamma)); first exact: Rmult_lt_0_compat.
have -> : (1 - dot n w / radius) * (radius * gamma) = gamma * radius - gamma * dot n w by field; lra.
have -> : (joint_rate + (gamma - plain) * beta) / gamma / radius * (radius * gamma) =
    joint_rate + (gamma - plain) * beta.
  by field; lra.
rewrite /height in H; lra.
Qed.
End Minimiser.
End JointPath.
