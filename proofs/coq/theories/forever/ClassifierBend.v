(* ClassifierBend: how far a classifier's loss curves along a line, beside T1's weights (the hypothesis of
   ClassifierDescent.v).

   Where at most eps of the attention is off the selected token, both parts of the second derivative are near
   sum omega_c <Delta_c,v>^2: the variance of the class slopes is small with the attention, and the third moment of the
   token slopes is that sum but for the mean margin. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Moments Heads Direction Growth Saturation FactorRange HeadRanges
                           ClassifierHead ClassifierLockIn ClassifierDescent.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section ClassifierBend.
Variables (p : selection_problem) (V : finType) (G : token p -> V -> R) (y : group p -> V) (alpha : selection p).
Implicit Types (t c : token p) (i : group p) (k : V).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation h := (classifier_head G y).
Notation inside i := (fun t : token p => group_of t == i).

Variables (range wrong eps low high : group p -> R) (tau bend : R).
Hypothesis range_le : forall i t c k, group_of t = i -> group_of c = i ->
  Rabs ((G t k - G t (y i)) - (G c k - G c (y i))) <= range i.
Hypothesis range_ge0 : forall i, 0 <= range i.
Hypothesis wrong_le : forall z i, 1 - class_share G i (attention z) (y i) <= wrong i.
Hypothesis tau_gt0 : 0 < tau.
Hypothesis low_gt0 : forall i, 0 < low i.
Hypothesis bend_ge : forall i,
  (1 + tau) + ((1 + / tau) * (eps i * eps i * high i) + wrong i * (range i * range i * eps i)) / low i <= bend.

Definition class_pull (z : vec (coord p)) i t : R := \sum_k class_share G i (attention z) k * (G t k - G t (y i)).

Section Group.
Variables (z v : vec (coord p)) (i : group p).
Hypothesis attended : 1 - attention z (alpha i) <= eps i.
Hypothesis gap_range : forall t, others i t ->
  low i <= slope_gap alpha h z t - mean_gap alpha h z i <= high i.
Hypothesis mean_gap_ge0 : 0 <= mean_gap alpha h z i.
Notation s := (attention z).
Notation x t := (margin alpha v t).
Notation q k := (class_share G i (attention z) k).
Let g t := slope_gap alpha h z t - mean_gap alpha h z i.
Let A := \sum_(t | others i t) s t * (x t * x t).
Let B := \sum_(t | others i t) s t * g t * (x t * x t).
Let xbar := \sum_(t | others i t) s t * x t.
Let off := \sum_(t | others i t) s t.
Let s_ge0 t : 0 <= s t := Rlt_le _ _ (attention_gt0 z t).

Lemma off_le : 0 <= off <= eps i.
Proof. by rewrite /off -attention_deficit_sum; have := attention_le1 alpha z (alpha i); lra. Qed.

Lemma square_le_weighted : low i * A <= B.
Proof.
rewrite /A /B sum_mull; apply: sum_le => t ti; have [l _] := gap_range ti.
have := Rmult_le_compat_r _ _ _ (Rmult_le_pos _ _ (s_ge0 t) (Rle_0_sqr (x t))) l; rewrite /Rsqr /g; lra.
Qed.

Lemma square_ge0 : 0 <= A.
Proof. by apply: sum_ge0 => t _; apply: Rmult_le_pos => //; exact: Rle_0_sqr. Qed.

(* Cauchy-Schwarz for means over the other tokens. *)
Lemma mean_square (f : token p -> R) r : 0 <= r -> (forall t, others i t -> Rabs (f t) <= r) ->
  (\sum_(t | others i t) s t * (f t * x t)) * (\sum_(t | others i t) s t * (f t * x t)) <= r * r * (eps i * A).
Proof.
move=> r0 fr; have cs := sum_cauchy_schwarz (others i) (fun t => sqrt (s t)) (fun t => sqrt (s t) * (f t * x t)).
have root t : sqrt (s t) * sqrt (s t) = s t by exact: sqrt_sqrt.
have e1 : \sum_(t | others i t) sqrt (s t) * (sqrt (s t) * (f t * x t)) = \sum_(t | others i t) s t * (f t * x t).
  by apply: eq_bigr => t _; rewrite -Rmult_assoc root.
have e2 : \sum_(t | others i t) Rsqr (sqrt (s t)) = off by apply: eq_bigr => t _; rewrite /Rsqr root.
rewrite e1 e2 /Rsqr in cs; apply: Rle_trans cs _; have [o0 o1] := off_le.
have sq : \sum_(t | others i t) sqrt (s t) * (f t * x t) * (sqrt (s t) * (f t * x t)) <= r * r * A.
  rewrite /A sum_mull; apply: sum_le => t ti.
  have -> : sqrt (s t) * (f t * x t) * (sqrt (s t) * (f t * x t)) = f t * f t * (s t * (x t * x t)).
    by rewrite -{3}(root t); ring.
  apply: Rmult_le_compat_r; first by apply: Rmult_le_pos => //; exact: Rle_0_sqr.
  have /Rabs_le_between b := fr t ti.
  have : 0 <= (r - f t) * (r + f t) by apply: Rmult_le_pos; lra.
  lra.
have rA : 0 <= r * r * A by apply: Rmult_le_pos; [exact: Rle_0_sqr | exact: square_ge0].
apply: (Rle_trans _ (off * (r * r * A))); first exact: Rmult_le_compat_l.
by have := Rmult_le_compat_r _ _ _ rA o1; lra.
Qed.

Lemma mean_margin_square : xbar * xbar <= eps i * A.
Proof.
have := @mean_square (fun=> 1) 1 Rle_0_1 (fun t _ => ltac:(rewrite Rabs_R1; lra)).
have -> : \sum_(t | others i t) s t * (1 * x t) = xbar by apply: eq_bigr => t _; ring.
lra.
Qed.

Lemma logit_margin t : group_of t = i -> logit v t - mean (inside i) s (logit v) = xbar - x t.
Proof.
move=> ti; have one := attention_sum alpha z i.
have -> : xbar = logit v (alpha i) - mean (inside i) s (logit v).
  have -> : logit v (alpha i) - mean (inside i) s (logit v) =
      \sum_(c | group_of c == i) s c * (logit v (alpha i) - logit v c).
    have -> : \sum_(c | group_of c == i) s c * (logit v (alpha i) - logit v c) =
        (\sum_(c | group_of c == i) s c) * logit v (alpha i) - mean (inside i) s (logit v).
      by rewrite sum_mulr -sumB; apply: eq_bigr => c _; ring.
    by rewrite one; ring.
  rewrite (group_sum alpha) Rminus_diag_eq // Rmult_0_r Rplus_0_l; apply: eq_bigr => c /andP[_ /eqP ci].
  by rewrite margin_logit /selected ci.
by rewrite margin_logit /selected ti; ring.
Qed.

(* The variance of the class slopes. *)
Lemma bend_variance :
  \sum_k q k * ((class_slope G z i v k - mean_class_slope G z i v) * class_slope G z i v k) <=
  wrong i * (range i * range i * (eps i * A)).
Proof.
have q1 := class_share_sum G y i (attention z); set b := class_slope G z i v (y i).
set E := mean_class_slope G z i v; have EE : \sum_j q j * class_slope G z i v j = E by [].
have := variance_about (class_slope G z i v) q1 b; rewrite EE => ->.
have near k : (class_slope G z i v k - b) * (class_slope G z i v k - b) <= range i * range i * (eps i * A).
  pose f t := (G t k - G t (y i)) - mean (inside i) s (fun c => G c k - G c (y i)).
  have fr t : others i t -> Rabs (f t) <= range i.
    case/andP=> _ /eqP ti; have -> : f t = \sum_(c | group_of c == i) s c *
        ((G t k - G t (y i)) - (G c k - G c (y i))).
      have -> : \sum_(c | group_of c == i) s c * ((G t k - G t (y i)) - (G c k - G c (y i))) =
          (\sum_(c | group_of c == i) s c) * (G t k - G t (y i)) - mean (inside i) s (fun c => G c k - G c (y i)).
        by rewrite sum_mulr -sumB; apply: eq_bigr => c _; ring.
      by rewrite (attention_sum alpha) /f; ring.
    apply: Rle_trans (sum_abs _ _ _) _; have -> : range i = \sum_(c | group_of c == i) s c * range i.
      by rewrite -sum_mulr (attention_sum alpha); ring.
    apply: sum_le => c /eqP ci; rewrite Rabs_mult (Rabs_pos_eq (s c)) //.
    by apply: Rmult_le_compat_l => //; exact: range_le.
  have diff : class_slope G z i v k - b = - \sum_(t | others i t) s t * (f t * x t).
    have cov j : class_slope G z i v j =
        \sum_(t | group_of t == i) s t * ((G t j - mean (inside i) s (G^~ j)) * (xbar - x t)).
      rewrite /class_slope (covariance_centred (attention_sum alpha z i)); apply: eq_bigr => t /eqP ti.
      by rewrite (logit_margin ti).
    have m2 : mean (inside i) s (fun c => G c k - G c (y i)) =
        mean (inside i) s (G^~ k) - mean (inside i) s (G^~ (y i)).
      by rewrite /mean -sumB; apply: eq_bigr => t _; ring.
    have zero : \sum_(t | group_of t == i) s t * f t = 0.
      rewrite (eq_bigr (fun t => s t * (G t k - G t (y i)) - s t * mean (inside i) s (fun c => G c k - G c (y i))))
        => [|t _]; last by rewrite /f; ring.
      by rewrite sumB -sum_mulr (attention_sum alpha) /mean; ring.
    have -> : class_slope G z i v k - b = \sum_(t | group_of t == i) s t * (f t * (xbar - x t)).
      by rewrite /b !cov -sumB; apply: eq_bigr => t _; rewrite /f m2; ring.
    have -> : \sum_(t | group_of t == i) s t * (f t * (xbar - x t)) =
        xbar * (\sum_(t | group_of t == i) s t * f t) - \sum_(t | group_of t == i) s t * (f t * x t).
      by rewrite sum_mull -sumB; apply: eq_bigr => t _; ring.
    rewrite zero (group_sum alpha) margin_logit selected_pick; ring.
  by rewrite diff; have := mean_square (range_ge0 i) fr; lra.
set M := range i * range i * (eps i * A) in near *.
apply: (Rle_trans _ (\sum_k q k * ((class_slope G z i v k - b) * (class_slope G z i v k - b)))).
  by have := Rle_0_sqr (E - b); rewrite /Rsqr; lra.
have M0 : 0 <= M by apply: Rle_trans (near (y i)); exact: Rle_0_sqr.
rewrite (bigD1 (y i)) //= -/b Rminus_diag_eq // Rmult_0_l Rmult_0_r Rplus_0_l.
apply: (Rle_trans _ ((1 - q (y i)) * M)); last by apply: Rmult_le_compat_r (wrong_le z i).
rewrite -(wrong_share G y z i) sum_mulr; apply: sum_le => k _; apply: Rmult_le_compat_l => //.
exact/Rlt_le/(class_share_gt0 G y).
Qed.

(* How much more slope a token has than the mean. *)
Notation F := (class_pull z i).

Lemma token_pull t : group_of t = i ->
  F t - mean (inside i) s F = slope_gap alpha h z t - mean_gap alpha h z i.
Proof.
move=> ti; have q1 := class_share_sum G y i (attention z); have FE c : F c = (\sum_k q k * G c k) - G c (y i).
  have -> : F c = (\sum_k q k * G c k) - (\sum_k q k) * G c (y i).
    by rewrite /class_pull sum_mulr -sumB; apply: eq_bigr => k _; ring.
  by rewrite q1; ring.
have gap c : group_of c = i -> slope_gap alpha h z c = F c - F (alpha i).
  by move=> ci; rewrite /slope_gap /selected ci /= !FE.
have -> : mean_gap alpha h z i = mean (inside i) s F - F (alpha i).
  rewrite /mean_gap /mean (group_sum alpha).
  rewrite (eq_bigr (fun c => s c * F c - s c * F (alpha i))) => [|c /andP[_ /eqP ci]]; last by rewrite gap //; ring.
  by rewrite sumB -sum_mulr -(attention_deficit_sum alpha); ring.
by rewrite gap //; ring.
Qed.

(* The third moment of the token slopes. *)
Lemma bend_third : (\sum_k q k * class_bent G z i v k) - class_bent G z i v (y i) <=
  (1 + tau) * B + (1 + / tau) * (eps i * eps i * high i) * A.
Proof.
rewrite -class_bent_third.
rewrite -[third_moment _ _ _ _]/(third_moment (inside i) s F (logit v)) /third_moment {1}/mean.
rewrite (group_sum alpha); set m := mean _ _ (logit v).
have first : s (alpha i) * ((F (alpha i) - mean (inside i) s F) * ((logit v (alpha i) - m) * (logit v (alpha i) - m)))
    <= 0.
  have zero : slope_gap alpha h z (alpha i) = 0 by rewrite /slope_gap selected_pick; ring.
  rewrite (token_pull (group_of_pick _ i)) zero.
  have := Rmult_le_pos _ _ (s_ge0 (alpha i)) (Rmult_le_pos _ _ mean_gap_ge0 (Rle_0_sqr (logit v (alpha i) - m))).
  by rewrite /Rsqr; lra.
have t1 : 0 < 1 + / tau by have := Rinv_0_lt_compat _ tau_gt0; lra.
have rest : \sum_(t | others i t) s t * ((F t - mean (inside i) s F) * ((logit v t - m) * (logit v t - m))) <=
    \sum_(t | others i t) ((1 + tau) * (s t * g t * (x t * x t)) + (1 + / tau) * (xbar * xbar) * high i * s t).
  apply: sum_le => t ti; have ig : group_of t = i by case/andP: ti => _ /eqP.
  have [gl gh] := gap_range ti; have l0 := low_gt0 i; rewrite (token_pull ig) (logit_margin ig) -/(g t).
  have young : (xbar - x t) * (xbar - x t) <= (1 + tau) * (x t * x t) + (1 + / tau) * (xbar * xbar).
    have := Rmult_le_pos _ _ (Rlt_le _ _ (Rinv_0_lt_compat _ tau_gt0)) (Rle_0_sqr (xbar + tau * x t)); rewrite /Rsqr.
    have -> : / tau * ((xbar + tau * x t) * (xbar + tau * x t)) =
      / tau * (xbar * xbar) + 2 * (xbar * x t) + tau * (x t * x t) by field; lra.
    lra.
  have g0 : 0 <= g t by rewrite /g; lra.
  have h1 := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ (s_ge0 t) g0) young.
  have h2 : g t * (s t * ((1 + / tau) * (xbar * xbar))) <= high i * (s t * ((1 + / tau) * (xbar * xbar))).
    apply: Rmult_le_compat_r; last by rewrite /g.
    by apply: Rmult_le_pos => //; apply: Rmult_le_pos; [lra | exact: Rle_0_sqr].
  lra.
apply: (Rle_trans _ (0 + ((1 + tau) * B + (1 + / tau) * (xbar * xbar) * high i * off))); last first.
  rewrite Rplus_0_l; apply: Rplus_le_compat_l; have [o0 o1] := off_le.
  have [t ti|none] := pickP (others i); last first.
    have -> : off = 0 by rewrite /off big_pred0.
    have -> : A = 0 by rewrite /A big_pred0.
    by lra.
  have h0 : 0 <= high i by have := gap_range ti; have := low_gt0 i; lra.
  have k0 : 0 <= (1 + / tau) * high i by apply: Rmult_le_pos; lra.
  have := Rmult_le_compat _ _ _ _ (Rle_0_sqr xbar) o0 mean_margin_square o1; rewrite /Rsqr => sq.
  by have := Rmult_le_compat_l _ _ _ k0 sq; lra.
apply: Rplus_le_compat => //; apply: Rle_trans rest _; right.
by rewrite sumD -sum_mull -sum_mull.
Qed.

Lemma group_bend :
  (\sum_k q k * ((class_slope G z i v k - mean_class_slope G z i v) * class_slope G z i v k))
   + (\sum_k q k * class_bent G z i v k) - class_bent G z i v (y i) <= bend * B.
Proof.
have a := bend_variance; have c := bend_third; have l0 := low_gt0 i; have AB := square_le_weighted.
have A0 := square_ge0; have [o0 o1] := off_le; have be := bend_ge i.
set K := (1 + / tau) * (eps i * eps i * high i) + wrong i * (range i * range i * eps i).
rewrite -/K in be; have B0 : 0 <= B by have := Rmult_le_pos _ _ (Rlt_le _ _ l0) A0; lra.
have KA : K * A <= K / low i * B.
  have [t ti|none] := pickP (others i); last first.
    have -> : A = 0 by rewrite /A big_pred0.
    have -> : B = 0 by rewrite /B big_pred0.
    by lra.
  have h0 : 0 <= high i by have := gap_range ti; lra.
  have w0 : 0 <= wrong i.
    apply: Rle_trans (wrong_le z i); rewrite -(wrong_share G y z i); apply: sum_ge0 => k _.
    exact/Rlt_le/(class_share_gt0 G y).
  have t1 : 0 < 1 + / tau by have := Rinv_0_lt_compat _ tau_gt0; lra.
  have e0 : 0 <= eps i by lra.
  have K0 : 0 <= K.
    apply: Rplus_le_le_0_compat; apply: Rmult_le_pos; try lra; apply: Rmult_le_pos => //; exact: Rle_0_sqr.
  apply: (Rle_trans _ (K / low i * (low i * A))); first by right; field; lra.
  by apply: Rmult_le_compat_l => //; apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
have := Rmult_le_compat_r _ _ _ B0 be.
by rewrite /K in KA *; lra.
Qed.
End Group.

(* The hypothesis of ClassifierDescent.v, for points with that attention. *)
Theorem classifier_bend (gap_ok : forall z, (forall i, 1 - attention z (alpha i) <= eps i) -> forall i,
    0 <= mean_gap alpha h z i /\
    forall t, others i t -> low i <= slope_gap alpha h z t - mean_gap alpha h z i <= high i) z v :
  (forall i, 1 - attention z (alpha i) <= eps i) -> classifier_bent G y z v <=
  bend * \sum_(t | Q t) gibbs_weight (Delta alpha) (head_factor alpha h z) z t *
    (dot (Delta alpha t) v * dot (Delta alpha t) v).
Proof.
move=> near; rewrite /classifier_bent (partition_big (@group_of p) predT) //= sum_mull; apply: sum_le => i _.
have [m0 gaps] := gap_ok z near i.
have -> : \sum_(t | Q t && (group_of t == i)) gibbs_weight (Delta alpha) (head_factor alpha h z) z t *
    (dot (Delta alpha t) v * dot (Delta alpha t) v) =
    weight i * \sum_(t | others i t) attention z t * (slope_gap alpha h z t - mean_gap alpha h z i) *
      (margin alpha v t * margin alpha v t).
  rewrite sum_mull; apply: eq_bigr => t ti; rewrite /gibbs_weight head_factor_gap (attention_other z ti) /selected.
  by case/andP: ti => _ /eqP ->; rewrite /margin; ring.
set W := \sum_(t | others i t) _; have -> : bend * (weight i * W) = weight i * (bend * W) by ring.
by apply: Rmult_le_compat_l; [exact/Rlt_le/weight_gt0 | exact: group_bend (near i) gaps m0].
Qed.

(* From the ranges of the gaps: all that classifier_T23 asks for. *)
Theorem classifier_bend_ranges (least : group p -> R) (lo hi : token p -> R) (over under : group p -> R) :
  slope_ranges alpha h (SlopeBounds Q eps lo hi over under) ->
  (forall i, 0 < least i) -> (forall i t, others i t -> least i <= classifier_limit G y alpha t) ->
  (forall t, Q t -> low (group_of t) <= lo t - eps (group_of t) * over (group_of t)) ->
  (forall t, Q t -> hi t + eps (group_of t) * under (group_of t) <= high (group_of t)) ->
  forall z v, (forall i, 1 - attention z (alpha i) <= eps i) -> classifier_bent G y z v <=
    bend * \sum_(t | Q t) gibbs_weight (Delta alpha) (head_factor alpha h z) z t *
      (dot (Delta alpha t) v * dot (Delta alpha t) v).
Proof.
move=> ranges least_gt0 least_le low_le high_ge z v near; apply: classifier_bend near => w near i.
split; first by have := classifier_tangent G y alpha w i; have := group_loss_ge least_gt0 least_le w i; lra.
move=> t ti; have Qt : Q t by case/andP: ti.
have g := slope_gap_range ranges near Qt; have m := mean_gap_range ranges near i.
have a := low_le t Qt; have b := high_ge t Qt; rewrite /= in g m.
by case/andP: ti => _ /eqP ti; rewrite ti in a b; lra.
Qed.
End ClassifierBend.
