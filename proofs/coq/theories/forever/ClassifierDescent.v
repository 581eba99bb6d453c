(* ClassifierDescent: T23 for cross-entropy of any number of classes, that of next-token prediction among them.

   By convexity the excess over the loss of the selected tokens lies between the tangents at the selected token and at
   the point, and both are sums of T1's weights up to explicit factors. So a classifier whose gaps are all positive has
   the ranges of SublevelDescent.v on a sublevel set; the bound of the curvature along lines is ClassifierBend.v's. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Heads Iteration Direction Reference Progress Growth Saturation
                           FactorRange HeadRuns HeadRanges ClassifierHead ClassifierLockIn CurvatureRatio
                           SublevelDescent SublevelRun.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section ClassifierDescent.
Variables (p : selection_problem) (V : finType) (G : token p -> V -> R) (y : group p -> V) (alpha : selection p).
Implicit Types (z v : vec (coord p)) (t : token p) (i : group p) (k : V).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation h := (classifier_head G y).
Notation gaps := (classifier_limit G y alpha).
Notation b := (head_factor alpha h).
Notation weights z := (gibbs_weight (Delta alpha) (b z) z).

(* S, the excess *)
Definition class_excess_loss z : R := head_loss h z - selected_loss G y alpha.

(* The mean gap as a mean over the classes. *)
Lemma mean_gap_classes z i : mean_gap alpha h z i = \sum_k class_share G i (attention z) k *
  (class_average G i (attention z) k - class_average G i (attention z) (y i) - class_start G y alpha i k).
Proof.
set m := class_average G i (attention z); set q := class_share G i (attention z); rewrite /mean_gap.
rewrite (eq_bigr (fun t => \sum_k attention z t * (q k * class_change G y alpha t k))) => [|t /andP[_ /eqP ti]].
  rewrite exchange_big /=; apply: eq_bigr => k _; rewrite /m (class_mean_change G y alpha).
  have -> : class_start G y alpha i k + (\sum_(t | others i t) attention z t * class_change G y alpha t k) -
    class_start G y alpha i k = \sum_(t | others i t) attention z t * class_change G y alpha t k by ring.
  by rewrite sum_mull; apply: eq_bigr => t _; ring.
by rewrite classifier_gap ti -/q sum_mull.
Qed.

(* The other side of convexity: the tangent at the point is below the loss of the selected token. *)
Lemma classifier_tangent z i :
  head_value h i (attention z) - selected_value G y alpha i <= mean_gap alpha h z i.
Proof.
have gap := mean_gap_classes z i; move: gap.
set m := class_average G i (attention z); set q := class_share G i (attention z) => gap.
have Z0 := partition_gt0 G y i (attention z); set Z := partition G i (attention z) in Z0 *.
have q0 k : 0 < q k := class_share_gt0 G y i (attention z) k.
have q1 : \sum_k q k = 1 := class_share_sum G y i (attention z).
have lnq k : ln (q k) = m k - ln Z by rewrite /q /class_share -/Z ln_div ?ln_exp //; exact: exp_pos.
have jensen := gibbs (fun k _ => Rlt_le _ _ (q0 k)) q1
  (fun k (_ : predT k) => exp_pos (class_start G y alpha i k)).
have sum2 : \sum_k q k * (ln (exp (class_start G y alpha i k)) - ln (q k)) =
    (ln Z - m (y i)) * (\sum_k q k) - \sum_k q k * (m k - m (y i) - class_start G y alpha i k).
  by rewrite sum_mull -sumB; apply: eq_bigr => k _; rewrite ln_exp lnq; ring.
by rewrite sum2 q1 in jensen; rewrite gap /= -/(m (y i)) -/Z /selected_value; lra.
Qed.

(* The weights of a group sum to its selected attention times the mean gap. *)
Lemma group_weights z i :
  \sum_(t | others i t) weights z t = weight i * (attention z (alpha i) * mean_gap alpha h z i).
Proof.
have W t : others i t -> weights z t = weight i * (attention z t * slope_gap alpha h z t -
    attention z t * mean_gap alpha h z i).
  move=> ti; rewrite /gibbs_weight head_factor_gap (attention_other z ti) /selected; case/andP: ti => _ /eqP ->.
  by rewrite /margin; ring.
rewrite (eq_bigr _ W) -sum_mull sumB -sum_mulr -(attention_deficit_sum alpha) -/(mean_gap alpha h z i); ring.
Qed.

Variables (least eps : group p -> R) (w0 : vec (coord p)) (kappa : R).
Variables (up down : group p -> V -> R) (over under : group p -> R).
Notation lo := (gap_low G y alpha up down eps).
Notation hi := (gap_high G y alpha up down eps).
Notation factors := (slope_factors alpha (SlopeBounds Q eps lo hi over under)).

(* Gaps at least `least`, and an excess at w_0 that leaves eps off the selected tokens, kappa at least on them. *)
Record class_low_start : Prop := ClassLowStart {
  class_least_gt0 : forall i, 0 < least i;
  class_least_le : forall i t, others i t -> least i <= gaps t;
  class_excess_le : forall i, class_excess_loss w0 <= weight i * (eps i * least i);
  class_kappa_gt0 : 0 < kappa;
  class_kappa_le : forall i, kappa <= 1 - eps i;
  class_gaps_range : slope_ranges alpha h (SlopeBounds Q eps lo hi over under)
}.
Hypothesis low_start : class_low_start.
Let least_gt0 := class_least_gt0 low_start.
Let least_le := class_least_le low_start.
Let excess_le := class_excess_le low_start.
Let kappa_gt0 := class_kappa_gt0 low_start.
Let kappa_le := class_kappa_le low_start.
Let ranges := class_gaps_range low_start.

Lemma excess_attended z : class_excess_loss z <= class_excess_loss w0 -> forall i, 1 - attention z (alpha i) <= eps i.
Proof.
move=> low; apply: (classifier_locked least_gt0 least_le excess_le); move: low; rewrite /class_excess_loss; lra.
Qed.

Lemma excess_most_weights z : class_excess_loss z <= class_excess_loss w0 ->
  kappa * class_excess_loss z <= \sum_(t | Q t) weights z t.
Proof.
move=> low; rewrite (partition_big (@group_of p) predT) //= /class_excess_loss /head_loss /selected_loss -sumB sum_mull.
apply: sum_le => i _; rewrite -/(others i) group_weights; have w_gt0 := weight_gt0 i.
have e := excess_attended low i; have kl := kappa_le i; have tan := classifier_tangent z i.
have ge := group_loss_ge least_gt0 least_le z i.
have -> : kappa * (weight i * head_value h i (attention z) - weight i * selected_value G y alpha i) =
  weight i * (kappa * (head_value h i (attention z) - selected_value G y alpha i)) by ring.
apply: Rmult_le_compat_l; first lra.
by apply: Rmult_le_compat; lra.
Qed.

(* S is at least sum floor_t e^(-m_t). *)
Definition descent_floor t : R := copies alpha t * (weight (group_of t) * (kappa * gaps t)).

Lemma descent_floor_gt0 t : Q t -> 0 < descent_floor t.
Proof.
move=> Qt; have g := least_le (others_self Qt); have l := least_gt0 (group_of t).
apply: Rmult_lt_0_compat; first exact: copies_gt0.
by apply: Rmult_lt_0_compat; [exact: weight_gt0 | apply: Rmult_lt_0_compat; lra].
Qed.

Lemma excess_least_floor z (P : pred (token p)) : (forall t, P t -> Q t) ->
  class_excess_loss z <= class_excess_loss w0 ->
  \sum_(t | P t) descent_floor t * exp (- dot (Delta alpha t) z) <= class_excess_loss z.
Proof.
move=> sub low; apply: (Rle_trans _ (\sum_(t | Q t) descent_floor t * exp (- dot (Delta alpha t) z))).
  rewrite (sum_pred_id P) (sum_pred_id Q); apply: sum_le => t _.
  case Pt: (P t); first by rewrite sub //; lra.
  case Qt: (Q t); last lra.
  by apply: Rmult_le_pos; [exact/Rlt_le/descent_floor_gt0 | exact/Rlt_le/exp_pos].
rewrite (partition_big (@group_of p) predT) //= /class_excess_loss /head_loss /selected_loss -sumB.
apply: sum_le => i _; have w_gt0 := weight_gt0 i; have convex := classifier_convex G y alpha z i.
apply: (Rle_trans _ (weight i * \sum_(t | others i t) attention z t * gaps t)); last first.
  by rewrite -Rmult_minus_distr_l; apply: Rmult_le_compat_l; lra.
rewrite sum_mull; apply: sum_le => t ti; rewrite (attention_other z ti) /descent_floor.
have e := excess_attended low i; have kl := kappa_le i; have g := least_le ti; have l := least_gt0 i.
case/andP: ti => _ /eqP ->; rewrite -/(margin alpha z t).
have k0 := copies_gt0 alpha t; have e0 := exp_pos (- margin alpha z t); have ke := Rmult_lt_0_compat _ _ k0 e0.
set ex := exp _ in e0 ke *.
have -> : copies alpha t * (weight i * (kappa * gaps t)) * ex = weight i * (kappa * (copies alpha t * ex) * gaps t).
  by ring.
apply: Rmult_le_compat_l; first lra.
by apply: Rmult_le_compat_r; [lra | apply: Rmult_le_compat_r; lra].
Qed.

(* ---- T23 ---- *)

Variables (bend sigma D rate : R) (sees : token p -> vec (coord p)).

(* A bound of the curvature along lines (ClassifierBend.v), of the spread of the factors, and of the rows. *)
Record class_bends : Prop := ClassBends {
  class_bend_ge0 : 0 <= bend;
  class_bend_ge : forall z v, (forall i, 1 - attention z (alpha i) <= eps i) -> vnorm v = 1 ->
    classifier_bent G y z v <= bend * \sum_(t | Q t) weights z t * (dot (Delta alpha t) v * dot (Delta alpha t) v);
  class_spread_ge : forall t, Q t -> factor_high factors t <= sigma * factor_low factors t;
  class_reach_gt0 : 0 < D;
  class_rows : seen_rows Q (Delta alpha) D rate sees
}.
Hypothesis bends : class_bends.
Let bend_ge0 := class_bend_ge0 bends.
Let bend_ge := class_bend_ge bends.
Let sigma_ge := class_spread_ge bends.
Let D_gt0 := class_reach_gt0 bends.
Let rows := class_rows bends.

Definition classifier_excess : excess_bounds (coord p) (token p) :=
  ExcessBounds (factor_low factors) (factor_high factors) sigma bend kappa descent_floor D rate sees.

Theorem classifier_excess_ranges (o : reference Q (Delta alpha)) :
  excess_ranges o b class_excess_loss (class_excess_loss w0) classifier_excess.
Proof.
have smooth z i : differentiable h i (attention z) by exact: classifier_differentiable.
have field z : field_of Q (Delta alpha) b z = (- head_gradient h z)%V := head_ascent alpha h z.
have sub t : active Q (reference_weights o) t -> Q t by case/activeP.
split=> //=.
- move=> z v x; rewrite field dotNl Ropp_involutive.
  have := is_derive_minus _ _ _ _ _ (is_derive_head_loss (w := z) (v := v) (x := x) (fun i => @smooth _ i))
    (is_derive_const (selected_loss G y alpha) x).
  by apply: is_derive_ext_eq; rewrite /minus /plus /opp /zero /=; ring.
- exists (classifier_bent G y) => [z v x|z v low v1]; last exact: bend_ge (excess_attended low) v1.
  apply: (is_derive_ext (fun a => dot (head_gradient h (z + a * v)%V) v)) => [a|]; last exact: classifier_second.
  by rewrite field dotNl Ropp_involutive.
- move=> t Qt; have e := slope_eps_range ranges (group_of t); have g := slope_kept_gap ranges Qt.
  rewrite /= in e g; apply: Rmult_lt_0_compat; first exact: copies_gt0.
  by apply: Rmult_lt_0_compat; [apply: Rmult_lt_0_compat; [exact: weight_gt0 | lra] | lra].
- by move=> z low t Qt; exact (slope_in_range ranges (excess_attended low) Qt).
- exact: excess_most_weights.
- by move=> t /sub; exact: descent_floor_gt0.
by move=> z; exact: excess_least_floor.
Qed.

(* Normalised steps of such a head: SublevelRun.v's theorems hold of them; the loss and the limit are these. *)
Theorem classifier_T23 (o : reference Q (Delta alpha)) (w : nat -> vec (coord p)) eta etamax : w O = w0 ->
  (forall n, 0 < eta n <= etamax) -> 0 < excess_theta classifier_excess etamax ->
  head_follows h (selected_loss G y alpha) NormalisedSteps eta w ->
  (forall n, class_excess_loss (w n) <= class_excess_loss w0 *
     exp (- (excess_theta classifier_excess etamax * reference_margin o * kappa * total eta n))) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine (reference_unit o) (w n)) 1).
Proof.
move=> start eta_range theta_gt0 /(head_normalised_steps alpha) run.
have top : class_excess_loss (w O) = class_excess_loss w0 by rewrite start.
have follows := ExcessRun top eta_range theta_gt0 run.
split=> [n|]; first exact (T23_loss (classifier_excess_ranges o) follows n).
exact (T23_limit (classifier_excess_ranges o) follows).
Qed.
End ClassifierDescent.
