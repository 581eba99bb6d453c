(* HeadLockIn: T12 for heads that are convex in the attention, and T6 for them (DYNAMICS.md section 11).

   Selection cross-entropy is confined by its loss from any start: what one group has of L(w_0) bounds its selected
   attention from below. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Moments Smoothness Heads Iteration Direction Reference Growth
                           Saturation LossDescent HeadRuns CrossEntropyHead.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- any head ---- *)

Section T12.
Variables (p : selection_problem) (alpha : selection p) (h : head p) (o : reference (constraint alpha) (Delta alpha)).
Notation Q := (constraint alpha).
Notation gamma := (reference_margin o).
Notation height := (height (reference_unit o)).
Notation centre := (reference_centre o).
Variables (bent : vec (coord p) -> vec (coord p) -> R) (beta least : R) (lo hi : token p -> R).
Variables (w : nat -> vec (coord p)) (eta : nat -> R) (etamax : R).
Notation L := (head_loss h).
Notation K := (log_floor Q (reference_weights o) lo).
Notation bound := (loss_bound o L least lo hi w etamax).
Hypothesis smooth : forall z i, differentiable h i (attention z).
Hypothesis gradient_derive : forall z v x,
  is_derive (fun y => dot (head_gradient h (z + y * v)) v) x (bent (z + x * v)%V v).
Hypothesis bent_le : forall z v, bent z v <= beta * vnorm2 v.
Hypothesis lo_gt0 : forall t, Q t -> 0 < lo t.
Hypothesis factors : forall z, L z <= L (w O) -> forall t, Q t -> lo t <= head_factor alpha h z t <= hi t.
Hypothesis least_le : forall z, L z <= L (w O) -> least <= L z.
Hypothesis eta_range : forall n, 0 < eta n <= etamax.
Hypothesis short : forall n, eta n * beta <= 1.

Theorem head_T12 : head_follows h least GradientSteps eta w ->
  (forall n, [/\ L (w n) <= L (w O), vnorm (residual (reference_unit o) centre (w n)) <= bound (w n),
     / gamma * ln (exp (gamma * height (w O)) + gamma * (gamma * exp K) * total eta n) <= height (w n) &
     0 < height (w n) -> 1 - cosine (reference_unit o) (w n) <=
       (vnorm centre + bound (w n)) * (vnorm centre + bound (w n)) / (2 * (height (w n) * height (w n)))]) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine (reference_unit o) (w n)) 1).
Proof.
move=> run; have ascents := head_gradient_steps alpha run.
apply: (loss_descent o lo_gt0 factors least_le eta_range _ ascents) => n; have [e0 _] := eta_range n.
have loss_derive z v x := is_derive_head_loss (w := z) (v := v) (x := x) (fun i => @smooth (z + x * v)%V i).
have := descent_short loss_derive gradient_derive bent_le (w n) (Rlt_le _ _ e0) (short n).
by rewrite (head_ascent alpha) vnorm2N run /moved.
Qed.
End T12.

(* ---- selection cross-entropy, from any start ---- *)

Section CrossEntropy.
Variables (p : selection_problem) (alpha : selection p) (D : group p -> R).
Notation Q := (constraint alpha).
Notation copies := (copies alpha).
Notation h := (cross_entropy_head alpha).
Notation inside i := (fun t : token p => group_of t == i).
Hypothesis diameter : forall t c : token p, group_of t = group_of c -> vnorm (feature t - feature c) <= D (group_of t).

(* T6: the second derivative is a variance of logits. *)
Definition cross_entropy_bent (z v : vec (coord p)) : R :=
  \sum_i weight i * variance (inside i) (attention z) (logit v).
Definition cross_entropy_smoothness : R := \sum_i weight i * (D i * D i / 4).

Lemma cross_entropy_slope z v :
  dot (head_gradient h z) v = \sum_i weight i * (mean_logit z i v - logit v (alpha i)).
Proof.
rewrite /head_gradient dot_combinel (partition_big (@group_of p) predT) //=; apply: eq_bigr => i _.
rewrite (group_sum alpha) /mean_logit (group_sum alpha) group_of_pick cross_entropy_mean /= eqxx.
have a0 := attention_gt0 z (alpha i).
rewrite (eq_bigr (fun t => weight i * (attention z t * logit v t))) => [|t /andP[Qt /eqP ti]]; last first.
  rewrite ti cross_entropy_mean; move: Qt; rewrite /constraint /selected ti => /negbTE ->.
  by rewrite /logit; ring.
by rewrite -sum_mull -/(logit v (alpha i)); field; lra.
Qed.

Lemma cross_entropy_second z v x :
  is_derive (fun y => dot (head_gradient h (z + y * v)) v) x (cross_entropy_bent (z + x * v)%V v).
Proof.
apply: (is_derive_ext (fun y => \sum_i weight i * (mean_logit (z + y * v) i v - logit v (alpha i)))) => [y|].
  by rewrite cross_entropy_slope.
apply: is_derive_sum => i _; apply: is_derive_scal; set zx := (z + x * v)%V.
have dm : is_derive (fun y => mean_logit (z + y * v) i v) x (variance (inside i) (attention zx) (logit v)).
  have -> : variance (inside i) (attention zx) (logit v) =
      \sum_(t | group_of t == i) attention zx t * (logit v t - mean_logit zx i v) * logit v t.
    have zero : \sum_(t | group_of t == i) attention zx t * (logit v t - mean_logit zx i v) = 0.
      have := attention_sum alpha zx i => one.
      rewrite (eq_bigr (fun t => attention zx t * logit v t - attention zx t * mean_logit zx i v)) => [|t _];
        last by ring.
      by rewrite sumB -sum_mulr one /mean_logit; ring.
    have -> : \sum_(t | group_of t == i) attention zx t * (logit v t - mean_logit zx i v) * logit v t =
        \sum_(t | group_of t == i) attention zx t * ((logit v t - mean_logit zx i v) * (logit v t - mean_logit zx i v))
        + (\sum_(t | group_of t == i) attention zx t * (logit v t - mean_logit zx i v)) * mean_logit zx i v.
      by rewrite sum_mulr -sumD; apply: eq_bigr => t _; ring.
    by rewrite zero Rmult_0_l Rplus_0_r.
  apply: is_derive_sum => t /eqP ti; have := is_derive_attention z v t x; rewrite ti => H.
  by have := is_derive_scal_l _ _ _ (logit v t) H; apply: is_derive_ext.
apply: is_derive_ext_eq (is_derive_minus _ _ _ _ _ dm (is_derive_const (logit v (alpha i)) x)).
by rewrite /minus /plus /opp /zero /=; ring.
Qed.

Lemma cross_entropy_bent_le z v : cross_entropy_bent z v <= cross_entropy_smoothness * vnorm2 v.
Proof.
rewrite /cross_entropy_smoothness sum_mulr; apply: sum_le => i _; rewrite Rmult_assoc.
apply: Rmult_le_compat_l; first exact/Rlt_le/weight_gt0.
have [x0 Hx] := logit_interval alpha diameter i v.
have := variance_le (fun t _ => Rlt_le _ _ (attention_gt0 z t)) (attention_sum alpha z i) Hx.
by move/Rle_trans; apply; right; rewrite -vnorm_sqr; field.
Qed.

(* What one group has of the loss at w_0 bounds its selected attention. *)
Variables (w0 : vec (coord p)) (floor : group p -> R).
Hypothesis floor_gt0 : forall i, 0 < floor i.
Hypothesis floor_loss : forall i, head_loss h w0 <= weight i * - ln (floor i).

Lemma cross_entropy_term_ge0 z i : 0 <= weight i * - ln (attention z (alpha i)).
Proof.
apply: Rmult_le_pos; first exact/Rlt_le/weight_gt0.
have := ln_le_ln (attention_gt0 z (alpha i)) (attention_le1 alpha z (alpha i)); rewrite ln_1; lra.
Qed.

Lemma cross_entropy_ge0 z : 0 <= head_loss h z.
Proof. by apply: sum_ge0 => i _; exact: cross_entropy_term_ge0. Qed.

Lemma cross_entropy_floor z i : head_loss h z <= head_loss h w0 -> floor i <= attention z (alpha i).
Proof.
move=> low; apply: Rnot_lt_le => lt; have w_gt0 := weight_gt0 i.
have term : weight i * - ln (attention z (alpha i)) <= head_loss h z.
  apply: (sum_term_le (F := fun j => weight j * - ln (attention z (alpha j))) (P := predT)) => // j _.
  exact: cross_entropy_term_ge0.
have := ln_increasing _ _ (attention_gt0 z (alpha i)) lt; have := floor_loss i => f l.
have : weight i * - ln (floor i) < weight i * - ln (attention z (alpha i)) by apply: Rmult_lt_compat_l; lra.
lra.
Qed.

Lemma cross_entropy_locked z : head_loss h z <= head_loss h w0 -> forall t, Q t ->
  copies t * (weight (group_of t) * floor (group_of t)) <= head_factor alpha h z t <= copies t * weight (group_of t).
Proof.
move=> low t Qt; rewrite (cross_entropy_factor z Qt); have f := cross_entropy_floor (group_of t) low.
have k0 := Rlt_le _ _ (copies_gt0 alpha t); have w_gt0 := weight_gt0 (group_of t).
have s1 := attention_le1 alpha z (selected alpha t).
split; apply: Rmult_le_compat_l => //; first by apply: Rmult_le_compat_l; [lra | exact: f].
by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ w_gt0) s1; lra.
Qed.

(* T12 from any start: such floors always exist. *)
Theorem cross_entropy_T12 (o : reference Q (Delta alpha)) (w : nat -> vec (coord p)) eta etamax : w O = w0 ->
  (forall n, 0 < eta n <= etamax) -> (forall n, eta n * cross_entropy_smoothness <= 1) ->
  head_follows h 0 GradientSteps eta w -> is_lim_seq (total eta) p_infty ->
  (forall n i, floor i <= attention (w n) (alpha i)) /\
  is_lim_seq (fun n => cosine (reference_unit o) (w n)) 1.
Proof.
move=> start eta_range short run far.
have smooth z i : differentiable h i (attention z).
  by apply: cross_entropy_differentiable; [exact: group_of_pick | exact: attention_gt0].
have lo_gt0 t : Q t -> 0 < copies t * (weight (group_of t) * floor (group_of t)).
  move=> _; apply: Rmult_lt_0_compat; first exact: copies_gt0.
  by apply: Rmult_lt_0_compat; [exact: weight_gt0 | exact: floor_gt0].
have factors z : head_loss h z <= head_loss h (w O) -> forall t, Q t -> copies t * (weight (group_of t) *
  floor (group_of t)) <= head_factor alpha h z t <= copies t * weight (group_of t).
  by rewrite start; exact: cross_entropy_locked.
have [H lim] := head_T12 o smooth cross_entropy_second cross_entropy_bent_le lo_gt0 factors
  (fun z _ => cross_entropy_ge0 z) eta_range short run.
split; last exact: lim.
by move=> n i; apply: cross_entropy_floor; have [low _ _ _] := H n; rewrite -start.
Qed.

Lemma floors_exist : exists floors : group p -> R, forall i,
  0 < floors i /\ head_loss h w0 <= weight i * - ln (floors i).
Proof.
exists (fun i => exp (- (head_loss h w0 / weight i))) => i; split; first exact: exp_pos.
by rewrite ln_exp; right; field; have := weight_gt0 i; lra.
Qed.
End CrossEntropy.
