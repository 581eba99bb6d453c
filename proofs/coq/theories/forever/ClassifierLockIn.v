(* ClassifierLockIn: T6 and T12 for cross-entropy of any number of classes (DYNAMICS.md section 11).

   The loss is convex in the attention. So a token with all gaps positive is its group's only best point, and the
   excess over the loss of the selected tokens bounds the attention that is off them: a loss that is low enough at w_0
   confines the factors for ever. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Moments Smoothness Heads Iteration Direction Reference Growth
                           Saturation FactorRange GradientLipschitz HeadRuns HeadRanges ClassifierHead HeadLockIn.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Second.
Variables (p : selection_problem) (V : finType) (G : token p -> V -> R) (y : group p -> V) (alpha : selection p).
Implicit Types (z v : vec (coord p)) (t : token p) (i : group p) (k : V).
Notation h := (classifier_head G y).
Notation inside i := (fun t : token p => group_of t == i).

(* The mean of class k is the output of a problem of its own. *)
Definition class_problem k : selection_problem :=
  SelectionProblem (@group_of p) (@feature p) (fun t => G t k) (@multiplicity_gt0 p) (@weight_gt0 p).
Definition class_selection k : selection (class_problem k) :=
  @Selection (class_problem k) alpha (@group_of_pick p alpha).

Notation share z i := (class_share G i (attention z)).
(* o_k and m_k'' along v *)
Definition class_slope z i v k : R := covariance (inside i) (attention z) (G^~ k) (logit v).
Definition class_bent z i v k : R := third_moment (inside i) (attention z) (G^~ k) (logit v).
Definition mean_class_slope z i v : R := \sum_k share z i k * class_slope z i v k.

Lemma is_derive_class_mean z v i k x : is_derive (fun a => class_average G i (attention (z + a * v)) k) x
  (class_slope (z + x * v)%V i v k).
Proof.
have := @is_derive_output (class_problem k) z v i x; apply: is_derive_ext_eq.
by rewrite /output_gradient dot_combinel; apply: eq_bigr => t _; rewrite Rmult_assoc.
Qed.

Lemma is_derive_class_slope z v i k x : is_derive (fun a => class_slope (z + a * v)%V i v k) x
  (class_bent (z + x * v)%V i v k).
Proof.
have := @is_derive_output_gradient (class_problem k) (class_selection k) z v v i x; apply: is_derive_ext => a.
by rewrite /output_gradient dot_combinel; apply: eq_bigr => t _; rewrite Rmult_assoc.
Qed.

Lemma is_derive_class_share z v i k x : is_derive (fun a => share (z + a * v)%V i k) x
  (share (z + x * v)%V i k * (class_slope (z + x * v)%V i v k - mean_class_slope (z + x * v)%V i v)).
Proof.
set zx := (z + x * v)%V; pose e a m := exp (class_average G i (attention (z + a * v)%V) m).
have de m : is_derive (fun a => e a m) x (e x m * class_slope zx i v m).
  have := is_derive_comp exp _ _ _ _ (is_derive_exp _) (is_derive_class_mean z v i m x); apply: is_derive_ext_eq.
  by rewrite /scal /= /mult /= Rmult_comm.
have dZ := @is_derive_sum _ (index_enum _) (fun _ : V => true) _ x _ (fun m _ => de m).
have Z0 : \sum_m e x m <> 0 
  by have := exp_sum_gt0 (fun m => class_average G i (attention zx) m) k; rewrite /e -/zx; lra.
have := is_derive_div _ _ _ _ _ (de k) dZ Z0; apply: is_derive_ext_eq.
have -> : mean_class_slope zx i v = / (\sum_m e x m) * \sum_m e x m * class_slope zx i v m.
  by rewrite sum_mull; apply: eq_bigr => m _; rewrite /class_share /partition /e -/zx /Rdiv; ring.
by rewrite /class_share /partition -/(e x k); rewrite -[\sum_u exp _]/(\sum_m e x m); field.
Qed.

Lemma classifier_slope z v : dot (head_gradient h z) v =
  \sum_i weight i * (mean_class_slope z i v - class_slope z i v (y i)).
Proof.
rewrite /head_gradient dot_combinel (partition_big (@group_of p) predT) //=; apply: eq_bigr => i _.
pose F t := (\sum_k share z i k * G t k) - G t (y i); set m := mean_slope h z i.
have mF : m = mean (inside i) (attention z) F by apply: eq_bigr => t /eqP ti.
rewrite (eq_bigr (fun t => weight i * (attention z t * ((F t - m) * logit v t)))) => [|t /eqP ti]; last first.
  by rewrite ti -/m /F /logit; ring.
rewrite -sum_mull; congr (_ * _).
have lin k : class_slope z i v k = \sum_(t | group_of t == i) attention z t * (G t k * logit v t) -
    mean (inside i) (attention z) (G^~ k) * mean_logit z i v.
  rewrite /class_slope /covariance /mean_logit sum_mull -sumB; apply: eq_bigr => t _; ring.
have -> : \sum_(t | group_of t == i) attention z t * ((F t - m) * logit v t) =
    (\sum_(t | group_of t == i) attention z t * (F t * logit v t)) - m * mean_logit z i v.
  by rewrite /mean_logit sum_mull -sumB; apply: eq_bigr => t _; ring.
have split1 H : \sum_(t | group_of t == i) attention z t * (F t * H t) =
    (\sum_k share z i k * \sum_(t | group_of t == i) attention z t * (G t k * H t)) -
    \sum_(t | group_of t == i) attention z t * (G t (y i) * H t).
  rewrite (eq_bigr (fun k => \sum_(t | group_of t == i) share z i k * (attention z t * (G t k * H t)))) => [|k _];
    last by rewrite -sum_mull.
  rewrite exchange_big /= -sumB; apply: eq_bigr => t _; rewrite /F.
  have -> : \sum_k share z i k * (attention z t * (G t k * H t)) =
    (\sum_k share z i k * G t k) * (attention z t * H t) by rewrite sum_mulr; apply: eq_bigr => k _; ring.
  ring.
have m2 : m = (\sum_k share z i k * mean (inside i) (attention z) (G^~ k)) - mean (inside i) (attention z) (G^~ (y i)).
  have one K : \sum_(t | group_of t == i) attention z t * (K t * 1) = mean (inside i) (attention z) K.
    by apply: eq_bigr => t _; rewrite Rmult_1_r.
  by rewrite mF -one split1 one; congr (_ - _); apply: eq_bigr => k _; rewrite one.
have -> : mean_class_slope z i v =
    (\sum_k share z i k * \sum_(t | group_of t == i) attention z t * (G t k * logit v t)) -
    (\sum_k share z i k * mean (inside i) (attention z) (G^~ k)) * mean_logit z i v.
  by rewrite sum_mulr -sumB; apply: eq_bigr => k _; rewrite lin; ring.
by rewrite split1 lin m2; ring.
Qed.

(* l'' along v: the variance of the o_k under the softmax, and the mean of the m_k'' less that of the right class. *)
Definition classifier_bent z v : R := \sum_i weight i *
  ((\sum_k share z i k * ((class_slope z i v k - mean_class_slope z i v) * class_slope z i v k))
   + (\sum_k share z i k * class_bent z i v k) - class_bent z i v (y i)).

Theorem classifier_second z v x :
  is_derive (fun a => dot (head_gradient h (z + a * v)) v) x (classifier_bent (z + x * v)%V v).
Proof.
apply: (is_derive_ext (fun a => \sum_i weight i * (mean_class_slope (z + a * v)%V i v -
    class_slope (z + a * v)%V i v (y i)))) => [a|]; first by rewrite classifier_slope.
apply: is_derive_sum => i _; apply: is_derive_scal; set zx := (z + x * v)%V.
have dm : is_derive (fun a => mean_class_slope (z + a * v)%V i v) x
    (\sum_k (share zx i k * (class_slope zx i v k - mean_class_slope zx i v) * class_slope zx i v k +
             share zx i k * class_bent zx i v k)).
  apply: is_derive_sum => k _.
  exact: is_derive_mult (is_derive_class_share z v i k x) (is_derive_class_slope z v i k x) Rmult_comm.
apply: is_derive_ext_eq (is_derive_minus _ _ _ _ _ dm (is_derive_class_slope z v i (y i) x)).
rewrite /minus /plus /opp /= sumD; congr (_ + _ + _); by apply: eq_bigr => k _; ring.
Qed.
End Second.

(* ---- T6 ---- *)

(* A variance from any centre. *)
Lemma variance_about (I : finType) (q o : I -> R) : \sum_k q k = 1 -> forall b,
  \sum_k q k * ((o k - \sum_j q j * o j) * o k) =
  (\sum_k q k * ((o k - b) * (o k - b))) - ((\sum_j q j * o j) - b) * ((\sum_j q j * o j) - b).
Proof.
move=> q1 b; set E := \sum_j q j * o j.
have -> : \sum_k q k * ((o k - b) * (o k - b)) =
    (\sum_k q k * ((o k - E) * o k)) + (E - 2 * b) * E + b * b * (\sum_k q k).
  have -> : (E - 2 * b) * E = \sum_k (E - 2 * b) * (q k * o k) by rewrite -sum_mull.
  by rewrite sum_mull -!sumD; apply: eq_bigr => k _; ring.
by rewrite q1; ring.
Qed.

Section Smooth.
Variables (p : selection_problem) (V : finType) (G : token p -> V -> R) (y : group p -> V) (alpha : selection p).
Implicit Types (z v : vec (coord p)) (t c : token p) (i : group p) (k : V).
Notation inside i := (fun t : token p => group_of t == i).
Notation share z i := (class_share G i (attention z)).

(* D, R, and a bound of the share of the wrong classes *)
Variables (diameter range wrong : group p -> R).
Hypothesis diameter_le : forall t c, group_of t = group_of c -> vnorm (feature t - feature c) <= diameter (group_of t).
Hypothesis range_le : forall i t c k, group_of t = i -> group_of c = i ->
  Rabs ((G t k - G t (y i)) - (G c k - G c (y i))) <= range i.
Hypothesis range_ge0 : forall i, 0 <= range i.
Hypothesis wrong_le : forall z i, 1 - share z i (y i) <= wrong i.

Definition classifier_smoothness : R := \sum_i weight i *
  (wrong i * (diameter i * diameter i) * (range i / (6 * sqrt 3) + range i * range i / 16)).

Section Group.
Variables (z v : vec (coord p)) (i : group p).
Let s0 t (ti : inside i t) : 0 <= attention z t := Rlt_le _ _ (attention_gt0 z t).
Let s1 := attention_sum alpha z i.
Let X := diameter i * vnorm v.
Let o k := class_slope G z i v k.
Notation q k := (share z i k).

Let X_ge0 : 0 <= X.
Proof.
apply: Rmult_le_pos; last exact: vnorm_ge0.
have := diameter_le (erefl (group_of (alpha i))); rewrite group_of_pick.
by have := vnorm_ge0 (feature (alpha i) - feature (alpha i))%V; lra.
Qed.

(* Numbers that are pairwise near lie in one interval. *)
Lemma near_interval (g : token p -> R) S : (forall t c, group_of t = i -> group_of c = i -> Rabs (g t - g c) <= S) ->
  exists g0, forall t, inside i t -> g0 <= g t <= g0 + S.
Proof.
move=> near; have [|c /eqP ci least] := finite_least (P := inside i) g (i0 := alpha i);
  first by rewrite /= group_of_pick.
exists (g c) => t ti; have := least t ti; have := near t c (eqP ti) ci; have := Rle_abs (g t - g c); lra.
Qed.

Lemma wrong_share : \sum_(k | k != y i) q k = 1 - q (y i).
Proof. by have := class_share_sum G y i (attention z); rewrite (bigD1 (y i)) //=; lra. Qed.

Lemma class_slope_spread k : Rabs (o k - o (y i)) <= range i * X / 4.
Proof.
have [x0 Hx] := logit_interval alpha diameter_le i v.
have [g0 Hg] := near_interval (fun t c => @range_le i t c k).
have := covariance_le s0 s1 Hg Hx (range_ge0 i) X_ge0.
suff -> : covariance (inside i) (attention z) (fun t => G t k - G t (y i)) (logit v) = o k - o (y i) by [].
rewrite /o /class_slope /covariance.
have -> : mean (inside i) (attention z) (fun t => G t k - G t (y i)) =
    mean (inside i) (attention z) (G^~ k) - mean (inside i) (attention z) (G^~ (y i)).
  by rewrite /mean -sumB; apply: eq_bigr => t _; ring.
set a := mean _ _ (G^~ k); set c := mean _ _ (G^~ (y i)); rewrite {1 2 3}/mean -sumB.
by apply: eq_bigr => t _; ring.
Qed.

Lemma class_slope_variance :
  \sum_k q k * ((o k - mean_class_slope G z i v) * o k) <= wrong i * (range i * X / 4 * (range i * X / 4)).
Proof.
set E := mean_class_slope G z i v; set b := o (y i).
have q1 := class_share_sum G y i (attention z).
have EE : \sum_j q j * o j = E by [].
have := variance_about o q1 b; rewrite EE => ->.
apply: (Rle_trans _ (\sum_k q k * ((o k - b) * (o k - b)))); first by have := Rle_0_sqr (E - b); rewrite /Rsqr; lra.
set B := range i * X / 4; rewrite (bigD1 (y i)) //= -/b Rminus_diag_eq // Rmult_0_l Rmult_0_r Rplus_0_l.
apply: (Rle_trans _ ((1 - q (y i)) * (B * B))); last first.
  by apply: Rmult_le_compat_r (wrong_le z i); exact: Rle_0_sqr.
rewrite -wrong_share sum_mulr; apply: sum_le => k _.
apply: Rmult_le_compat_l; first exact/Rlt_le/(class_share_gt0 G y).
have /Rabs_le_between := class_slope_spread k; rewrite -/b -/B => near.
have : 0 <= (B - (o k - b)) * (B + (o k - b)) by apply: Rmult_le_pos; lra.
lra.
Qed.

(* The m_k'' together are the third moment of the slopes. *)
Lemma class_bent_third : third_moment (inside i) (attention z)
    (fun t => \sum_k q k * (G t k - G t (y i))) (logit v) =
  (\sum_k q k * class_bent G z i v k) - class_bent G z i v (y i).
Proof.
pose F t := \sum_k q k * (G t k - G t (y i)); rewrite -/F.
have q1 := class_share_sum G y i (attention z).
set d := fun t => (logit v t - mean (inside i) (attention z) (logit v)) *
  (logit v t - mean (inside i) (attention z) (logit v)).
have lin g : third_moment (inside i) (attention z) g (logit v) =
    \sum_(t | inside i t) attention z t * (g t * d t) -
    (\sum_(t | inside i t) attention z t * g t) * (\sum_(t | inside i t) attention z t * d t).
  by rewrite sum_mull -sumB; apply: eq_bigr => t _; rewrite /d /mean; ring.
have sum1 H : \sum_(t | inside i t) attention z t * (F t * H t) =
    (\sum_k q k * \sum_(t | inside i t) attention z t * (G t k * H t)) -
    \sum_(t | inside i t) attention z t * (G t (y i) * H t).
  have -> : \sum_k q k * (\sum_(t | inside i t) attention z t * (G t k * H t)) =
      \sum_(t | inside i t) \sum_k q k * (attention z t * (G t k * H t)).
    by rewrite exchange_big /=; apply: eq_bigr => k _; rewrite -sum_mull.
  rewrite -sumB; apply: eq_bigr => t _; rewrite /F.
  have -> : \sum_k q k * (G t k - G t (y i)) = (\sum_k q k * G t k) - (\sum_k q k) * G t (y i).
    by rewrite sum_mulr -sumB; apply: eq_bigr => k _; ring.
  have -> : \sum_k q k * (attention z t * (G t k * H t)) = (\sum_k q k * G t k) * (attention z t * H t).
    by rewrite sum_mulr; apply: eq_bigr => k _; ring.
  by rewrite q1; ring.
have one K : \sum_(t | inside i t) attention z t * (K t * 1) = \sum_(t | inside i t) attention z t * K t.
  by apply: eq_bigr => t _; rewrite Rmult_1_r.
have meanF : \sum_(t | inside i t) attention z t * F t =
    (\sum_k q k * \sum_(t | inside i t) attention z t * G t k) - \sum_(t | inside i t) attention z t * G t (y i).
  by rewrite -(one F) (sum1 (fun=> 1)) one; congr (_ - _); apply: eq_bigr => k _; rewrite one.
rewrite lin sum1 meanF /class_bent lin.
have -> : \sum_k q k * third_moment (inside i) (attention z) (G^~ k) (logit v) =
    (\sum_k q k * \sum_(t | inside i t) attention z t * (G t k * d t)) -
    (\sum_k q k * \sum_(t | inside i t) attention z t * G t k) * (\sum_(t | inside i t) attention z t * d t).
  by rewrite sum_mulr -sumB; apply: eq_bigr => k _; rewrite lin; ring.
ring.
Qed.

Lemma class_bent_mean :
  Rabs ((\sum_k q k * class_bent G z i v k) - class_bent G z i v (y i)) <=
    wrong i * range i * (X * X) / (6 * sqrt 3).
Proof.
pose F t := \sum_k q k * (G t k - G t (y i)).
have q1 := class_share_sum G y i (attention z).
have near t c : group_of t = i -> group_of c = i -> Rabs (F t - F c) <= wrong i * range i.
  move=> ti ci; rewrite /F -sumB (bigD1 (y i)) //=.
  have -> : q (y i) * (G t (y i) - G t (y i)) - q (y i) * (G c (y i) - G c (y i)) = 0 by ring.
  rewrite Rplus_0_l.
  apply: Rle_trans (sum_abs _ _ _) _.
  apply: (Rle_trans _ ((1 - q (y i)) * range i)); last by apply: Rmult_le_compat_r (wrong_le z i).
  rewrite -wrong_share sum_mulr; apply: sum_le => k _; rewrite -Rmult_minus_distr_l Rabs_mult.
  have p0 := class_share_gt0 G y i (attention z) k; rewrite Rabs_pos_eq; last lra.
  by apply: Rmult_le_compat_l; [lra | exact: range_le].
have w0 : 0 <= wrong i.
  apply: Rle_trans (wrong_le z i); rewrite -wrong_share; apply: sum_ge0 => k _; exact/Rlt_le/(class_share_gt0 G y).
have [x0 Hx] := logit_interval alpha diameter_le i v; have [g0 Hg] := near_interval near.
have := third_moment_le s0 s1 Hg Hx (Rmult_le_pos _ _ w0 (range_ge0 i)) X_ge0.
by rewrite class_bent_third.
Qed.

Lemma class_slope_variance_ge0 : 0 <= \sum_k q k * ((o k - mean_class_slope G z i v) * o k).
Proof.
set E := mean_class_slope G z i v; have q1 := class_share_sum G y i (attention z).
have EE : \sum_j q j * o j = E by [].
have := variance_about o q1 E; rewrite EE => ->.
suff : 0 <= \sum_k q k * ((o k - E) * (o k - E)) by lra.
apply: sum_ge0 => k _; apply: Rmult_le_pos; last exact: Rle_0_sqr.
exact/Rlt_le/(class_share_gt0 G y).
Qed.

End Group.

Theorem classifier_bent_abs z v : Rabs (classifier_bent G y z v) <= classifier_smoothness * vnorm2 v.
Proof.
rewrite /classifier_smoothness sum_mulr; apply: Rle_trans (sum_abs _ _ _) _; apply: sum_le => i _.
rewrite Rabs_mult (Rabs_pos_eq (weight i)); last exact/Rlt_le/weight_gt0.
rewrite Rmult_assoc; apply: Rmult_le_compat_l; first exact/Rlt_le/weight_gt0.
have a := class_slope_variance z v i; have a0 := class_slope_variance_ge0 z v i.
have /Rabs_le_between c := class_bent_mean z v i.
have r0 : 0 < sqrt 3 by apply: sqrt_lt_R0; lra.
have -> : wrong i * (diameter i * diameter i) * (range i / (6 * sqrt 3) + range i * range i / 16) * vnorm2 v =
  wrong i * (range i * (diameter i * vnorm v) / 4 * (range i * (diameter i * vnorm v) / 4)) +
  wrong i * range i * (diameter i * vnorm v * (diameter i * vnorm v)) / (6 * sqrt 3).
  by rewrite -vnorm_sqr; field; lra.
by apply: Rabs_le; lra.
Qed.

Theorem classifier_bent_le z v : classifier_bent G y z v <= classifier_smoothness * vnorm2 v.
Proof. exact: Rle_trans (Rle_abs _) (classifier_bent_abs z v). Qed.

Theorem classifier_lipschitz z z' : vnorm (head_gradient (classifier_head G y) z' -
  head_gradient (classifier_head G y) z)%V <= classifier_smoothness * vnorm (z' - z)%V.
Proof.
apply: (curvature_lipschitz (L := head_loss (classifier_head G y)) (bent := classifier_bent G y)) => [w v x|w v x|w v].
- by apply: is_derive_head_loss => i; exact: classifier_differentiable.
- exact: classifier_second.
exact: classifier_bent_abs.
Qed.
End Smooth.

(* ---- T12 ---- *)

Section Locked.
Variables (p : selection_problem) (V : finType) (G : token p -> V -> R) (y : group p -> V) (alpha : selection p).
Implicit Types (z : vec (coord p)) (t : token p) (i : group p) (k : V).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation h := (classifier_head G y).
Notation gaps := (classifier_limit G y alpha).

(* The loss of the selected tokens. *)
Definition selected_value i : R := ln (\sum_k exp (class_start G y alpha i k)).
Definition selected_loss : R := \sum_i weight i * selected_value i.

(* By convexity the loss is above its tangent at the selected token. *)
Lemma classifier_convex z i : selected_value i + \sum_(t | others i t) attention z t * gaps t <=
  head_value h i (attention z).
Proof.
set T := \sum_k exp (class_start G y alpha i k); have T0 : 0 < T := exp_sum_gt0 _ (y i).
set q := class_limit G y alpha i; set m := class_average G i (attention z).
have q0 k : 0 < q k := class_limit_gt0 G y alpha i k.
have q1 : \sum_k q k = 1 by rewrite /q /class_limit -sum_mulr -/T; apply: Rinv_r; lra.
have lnq k : ln (q k) = class_start G y alpha i k - ln T.
  by rewrite /q /class_limit -/T ln_div ?ln_exp //; exact: exp_pos.
have jensen := gibbs (fun k _ => Rlt_le _ _ (q0 k)) q1 (fun k (_ : predT k) => exp_pos (m k)).
have change : \sum_k q k * (m k - m (y i) - class_start G y alpha i k) =
    \sum_(t | others i t) attention z t * gaps t.
  rewrite (eq_bigr (fun k => \sum_(t | others i t) q k * (attention z t * class_change G y alpha t k))) => [|k _].
    rewrite exchange_big /=; apply: eq_bigr => t /andP[_ /eqP ti]; rewrite /classifier_limit ti sum_mull.
    by apply: eq_bigr => k _; rewrite -/q; ring.
  by rewrite /m (class_mean_change G y alpha) -sum_mull; congr (_ * _); ring.
have sum2 : \sum_k q k * (ln (exp (m k)) - ln (q k)) =
    (\sum_k q k * (m k - m (y i) - class_start G y alpha i k)) + (m (y i) + ln T) * (\sum_k q k).
  by rewrite sum_mull -sumD; apply: eq_bigr => k _; rewrite ln_exp lnq; ring.
rewrite sum2 change q1 in jensen; rewrite /= /selected_value -/T -/(m (y i)) /partition -/m; lra.
Qed.

(* What the excess loss bounds. *)
Variables (least : group p -> R) (eps : group p -> R) (w0 : vec (coord p)).
Hypothesis least_gt0 : forall i, 0 < least i.
Hypothesis least_le : forall i t, others i t -> least i <= gaps t.
Hypothesis excess_le : forall i, head_loss h w0 - selected_loss <= weight i * (eps i * least i).

Lemma gaps_sum z i : least i * (1 - attention z (alpha i)) <= \sum_(t | others i t) attention z t * gaps t.
Proof.
rewrite (attention_deficit_sum alpha) sum_mull; apply: sum_le => t ti; rewrite Rmult_comm.
by apply: Rmult_le_compat_l; [exact/Rlt_le/attention_gt0 | exact: least_le].
Qed.

Lemma group_loss z i : selected_value i + least i * (1 - attention z (alpha i)) <= head_value h i (attention z).
Proof. by have := classifier_convex z i; have := gaps_sum z i; lra. Qed.

Lemma group_loss_ge z i : selected_value i <= head_value h i (attention z).
Proof.
have := group_loss z i; have := attention_le1 alpha z (alpha i); have := least_gt0 i => l0 a1.
by have := Rmult_le_pos (least i) (1 - attention z (alpha i)) (ltac:(lra)) (ltac:(lra)); lra.
Qed.

Lemma selected_loss_least z : selected_loss <= head_loss h z.
Proof. by apply: sum_le => i _; apply: Rmult_le_compat_l; [exact/Rlt_le/weight_gt0 | exact: group_loss_ge]. Qed.

Lemma classifier_locked z : head_loss h z <= head_loss h w0 -> forall i, 1 - attention z (alpha i) <= eps i.
Proof.
move=> low i; have w_gt0 := weight_gt0 i; have l0 := least_gt0 i.
have term : weight i * (head_value h i (attention z) - selected_value i) <= head_loss h z - selected_loss.
  rewrite /head_loss /selected_loss -sumB.
  rewrite (eq_bigr (fun j => weight j * (head_value h j (attention z) - selected_value j))) => [|j _]; last by ring.
  apply: (sum_term_le (F := fun j => weight j * (head_value h j (attention z) - selected_value j)) (P := predT)) =>
    // j _.
  by apply: Rmult_le_pos; [exact/Rlt_le/weight_gt0 | have := group_loss_ge z j; lra].
apply: (Rmult_le_reg_l (weight i * least i)); first exact: Rmult_lt_0_compat.
have g : weight i * (least i * (1 - attention z (alpha i))) <= weight i * (head_value h i (attention z) -
  selected_value i).
  by apply: Rmult_le_compat_l; [lra | have := group_loss z i; lra].
by have := excess_le i; lra.
Qed.

(* The ranges of H3 with this eps, and T6's constants. *)
Variables (up down : group p -> V -> R) (over under diameter range wrong : group p -> R).
Notation lo := (gap_low G y alpha up down eps).
Notation hi := (gap_high G y alpha up down eps).
Notation factors := (slope_factors alpha (SlopeBounds Q eps lo hi over under)).
Hypothesis ranges : slope_ranges alpha h (SlopeBounds Q eps lo hi over under).
Hypothesis diameter_le : forall t c : token p, group_of t = group_of c ->
  vnorm (feature t - feature c) <= diameter (group_of t).
Hypothesis range_le : forall i t c k, group_of t = i -> group_of c = i ->
  Rabs ((G t k - G t (y i)) - (G c k - G c (y i))) <= range i.
Hypothesis range_ge0 : forall i, 0 <= range i.
Hypothesis wrong_le : forall z i, 1 - class_share G i (attention z) (y i) <= wrong i.

Theorem classifier_T12 (o : reference Q (Delta alpha)) (w : nat -> vec (coord p)) eta etamax : w O = w0 ->
  (forall n, 0 < eta n <= etamax) -> (forall n, eta n * classifier_smoothness diameter range wrong <= 1) ->
  head_follows h selected_loss GradientSteps eta w -> is_lim_seq (total eta) p_infty ->
  (forall n i, 1 - attention (w n) (alpha i) <= eps i) /\
  is_lim_seq (fun n => cosine (reference_unit o) (w n)) 1.
Proof.
move=> start eta_range short run far.
have smooth z i : differentiable h i (attention z) by exact: classifier_differentiable.
have bounds z : head_loss h z <= head_loss h (w O) -> forall t, Q t ->
    factor_low factors t <= head_factor alpha h z t <= factor_high factors t.
  by rewrite start => low t Qt; exact (slope_in_range ranges (classifier_locked low) Qt).
have low_gt0 t : Q t -> 0 < factor_low factors t.
  move=> Qt; have e := slope_eps_range ranges (group_of t); have g := slope_kept_gap ranges Qt.
  apply: Rmult_lt_0_compat; first exact: copies_gt0.
  by apply: Rmult_lt_0_compat; [apply: Rmult_lt_0_compat; [exact: weight_gt0 | lra] | lra].
have [H lim] := head_T12 o smooth (classifier_second G y alpha)
  (classifier_bent_le alpha diameter_le range_le range_ge0 wrong_le) low_gt0 bounds
  (fun z _ => selected_loss_least z) eta_range short run.
split; last exact: lim.
by move=> n; apply: classifier_locked; have [low _ _ _] := H n; rewrite -start.
Qed.
End Locked.
