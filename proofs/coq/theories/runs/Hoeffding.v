(* Hoeffding: Hoeffding's lemma for finite distributions, and the Gibbs inequality with curvature that T15 rests on.

   The log of an exponential mean exceeds the mean by at most an eighth of the squared range. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Moments Smoothness Growth LineDescent.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Hoeffding.
Variables (I : finType) (P : pred I) (q x : I -> R) (x0 X : R).
Hypothesis q_ge0 : forall i, P i -> 0 <= q i.
Hypothesis q_sum : \sum_(i | P i) q i = 1.
Hypothesis range : forall i, P i -> x0 <= x i <= x0 + X.

(* Z(t) = E e^(t x), and its derivatives. *)
Let Z k t := \sum_(i | P i) q i * (x i ^ k * exp (t * x i)).

Lemma is_derive_exponential_mean k t : is_derive (Z k) t (Z k.+1 t).
Proof.
apply: is_derive_sum => i _.
have H : is_derive (fun y => q i * (x i ^ k * exp (y * x i))) t (q i * (x i ^ k * (x i * exp (t * x i)))).
  by auto_derive => //; ring.
by apply: is_derive_ext_eq H; rewrite /=; ring.
Qed.

Lemma exponential_mean_gt0 t : 0 < Z 0 t.
Proof.
have [i Pi qi] : exists2 i, P i & 0 < q i.
  case: (pickP (fun i => P i && Rlt_dec 0 (q i))) => [i /andP[Pi]|none].
    by case: Rlt_dec => // qi _; exists i.
  have Z00 : \sum_(i | P i) q i = 0.
    apply: sum0 => i Pi; have := none i; rewrite Pi /=; case: Rlt_dec => // h _; have := q_ge0 Pi; lra.
  lra.
apply: (sum_gt0 (i := i)) => // [j Pj|].
  by apply: Rmult_le_pos; [exact: q_ge0 | rewrite /= Rmult_1_l; exact/Rlt_le/exp_pos].
by apply: Rmult_lt_0_compat => //; rewrite /= Rmult_1_l; exact: exp_pos.
Qed.

(* The tilted distribution. *)
Let s t i := q i * exp (t * x i) / Z 0 t.

Lemma tilted_ge0 t i : P i -> 0 <= s t i.
Proof.
move=> Pi; apply: Rmult_le_pos; last exact/Rlt_le/Rinv_0_lt_compat/exponential_mean_gt0.
by apply: Rmult_le_pos; [exact: q_ge0 | exact/Rlt_le/exp_pos].
Qed.

Lemma tilted_moment t k : \sum_(i | P i) s t i * x i ^ k = Z k t / Z 0 t.
Proof. by rewrite /Rdiv [Z k t]/Z sum_mulr; apply: eq_bigr => i _; rewrite /s /Rdiv; ring. Qed.

Lemma tilted_sum t : \sum_(i | P i) s t i = 1.
Proof.
have <- : Z 0 t / Z 0 t = 1 by field; have := exponential_mean_gt0 t; lra.
rewrite -(tilted_moment t 0); apply: eq_bigr => i _.
by rewrite /= Rmult_1_r.
Qed.

Lemma tilted_variance t : Z 2 t / Z 0 t - Z 1 t / Z 0 t * (Z 1 t / Z 0 t) <= X * X / 4.
Proof.
have := variance_le (@tilted_ge0 t) (tilted_sum t) range; apply: Rle_trans; right.
rewrite /variance -!tilted_moment.
set m := mean P (s t) x; have mE : \sum_(i | P i) s t i * x i ^ 1 = m.
  by rewrite /m /mean; apply: eq_bigr => i _; rewrite /=; ring.
rewrite mE; have -> : mean P (s t) (fun i => (x i - m) * (x i - m))
  = mean P (s t) (fun i => 1 * (x i ^ 2) + (- 2 * m) * x i + m * m) by apply: mean_eq => i _; rewrite /=; ring.
by rewrite (mean_quadratic (tilted_sum t)) -/m /mean; ring.
Qed.

Theorem hoeffding : ln (\sum_(i | P i) q i * exp (x i)) <= \sum_(i | P i) q i * x i + X * X / 8.
Proof.
pose m := \sum_(i | P i) q i * x i.
have Z0 t := exponential_mean_gt0 t.
pose G t := Z 1 t / Z 0 t - m - t * (X * X / 4).
pose F t := ln (Z 0 t) - t * m - t * t * (X * X / 8).
have dG t : is_derive G t (Z 2 t / Z 0 t - Z 1 t / Z 0 t * (Z 1 t / Z 0 t) - X * X / 4).
  have zt := Z0 t; have zn : Z 0 t <> 0 by lra.
  have Hd := is_derive_div _ _ _ _ _ (is_derive_exponential_mean 1 t) (is_derive_exponential_mean 0 t) zn.
  have Hl : is_derive (fun y => m + y * (X * X / 4)) t (X * X / 4) by auto_derive => //; field.
  apply: (is_derive_ext (fun y => minus (Z 1 y / Z 0 y) (m + y * (X * X / 4)))) => [y|].
    by rewrite /minus /plus /opp /= /G; ring.
  apply: is_derive_ext_eq (is_derive_minus _ _ _ _ _ Hd Hl).
  by rewrite /minus /plus /opp /=; field.
have G0 : G 0 = 0.
  have -> : G 0 = Z 1 0 / Z 0 0 - m by rewrite /G; ring.
  have -> : Z 0 0 = 1.
    by rewrite -q_sum; apply: eq_bigr => i _; rewrite Rmult_0_l exp_0 /=; ring.
  have -> : Z 1 0 = m by apply: eq_bigr => i _; rewrite Rmult_0_l exp_0 /=; ring.
  by field.
have dF t : is_derive F t (G t).
  have zt := Z0 t.
  have Hl : is_derive (fun y => ln (Z 0 y)) t (Z 1 t * / Z 0 t).
    apply: is_derive_ext_eq (is_derive_comp ln _ _ _ _ (is_derive_ln _ zt) (is_derive_exponential_mean 0 t)).
    by rewrite /scal /= /mult /=.
  have Hq : is_derive (fun y => y * m + y * y * (X * X / 8)) t (m + t * (X * X / 4)) by auto_derive => //; field.
  apply: (is_derive_ext (fun y => minus (ln (Z 0 y)) (y * m + y * y * (X * X / 8)))) => [y|].
    by rewrite /minus /plus /opp /= /F; ring.
  apply: is_derive_ext_eq (is_derive_minus _ _ _ _ _ Hl Hq).
  by rewrite /minus /plus /opp /= /G /Rdiv; ring.
have Gneg t : 0 <= t -> G t <= 0.
  move=> t0; rewrite -G0; apply: (nonincreasing t0 dG) => y _; have := tilted_variance y; lra.
have := nonincreasing Rle_0_1 dF (fun t ht => Gneg t (proj1 ht)).
have -> : F 0 = 0.
  rewrite /F (_ : Z 0 0 = 1) ?ln_1; first by ring.
  by rewrite -q_sum; apply: eq_bigr => i _; rewrite Rmult_0_l exp_0 /=; ring.
rewrite /F (_ : Z 0 1 = \sum_(i | P i) q i * exp (x i)); first by rewrite -/m; lra.
by apply: eq_bigr => i _; rewrite Rmult_1_l /=; ring.
Qed.
End Hoeffding.

(* ---- Gibbs with curvature ---- *)

Section Curvature.
Variables (J C : finType) (S : pred C) (mu eps : C -> R) (a : C -> vec J) (e : vec J) (err Rs : R).
Hypothesis mu_gt0 : forall c, S c -> 0 < mu c.
Hypothesis mu_sum : \sum_(c | S c) mu c = 1.
Hypothesis balanced : forall z, \sum_(c | S c) mu c * dot (a c) z = 0.
Hypothesis eps_le : forall c, S c -> Rabs (eps c) <= err.
Hypothesis Rs_gt0 : 0 < Rs.
Hypothesis diameter : forall c d, S c -> S d -> vnorm (a c - a d) <= Rs.

(* The unnormalised weights nu_c = mu_c e^(eps_c - <a_c, e>) and their normalisation. *)
Definition tilted_weight c : R := mu c * exp (eps c - dot (a c) e).
Notation nu := tilted_weight.
Definition tilted_total : R := \sum_(c | S c) nu c.
Notation T := tilted_total.
Definition tilted_mean : vec J := combine S (fun c => nu c / T) a.

Lemma tilted_gt0 c : S c -> 0 < nu c.
Proof. by move=> Sc; apply: Rmult_lt_0_compat; [exact: mu_gt0 | exact: exp_pos]. Qed.

Lemma mu_exists : exists c, S c.
Proof. by have [c Sc|S0] := pickP S; [exists c | move: mu_sum; rewrite big_pred0 //; lra]. Qed.

Lemma tilted_total_gt0 : 0 < T.
Proof.
have [c Sc] := mu_exists.
by apply: (sum_gt0 (i := c)) => // [d Sd|]; [exact/Rlt_le/tilted_gt0 | exact: tilted_gt0].
Qed.

Let q c := nu c / T.

Lemma tilted_prob_gt0 c : S c -> 0 < q c.
Proof. by move=> Sc; apply: Rdiv_lt_0_compat; [exact: tilted_gt0 | exact: tilted_total_gt0]. Qed.

Lemma tilted_prob_sum : \sum_(c | S c) q c = 1.
Proof. by rewrite /q /Rdiv -sum_mulr -/tilted_total Rinv_r //; have := tilted_total_gt0; lra. Qed.

Lemma tilted_upper : \sum_(c | S c) q c * dot (a c) e <= err - ln T.
Proof.
have T0 := tilted_total_gt0.
pose b c := mu c * exp (eps c); have b0 c : S c -> 0 < b c.
  by move=> Sc; apply: Rmult_lt_0_compat; [exact: mu_gt0 | exact: exp_pos].
have := gibbs (fun c Sc => Rlt_le _ _ (tilted_prob_gt0 Sc)) tilted_prob_sum b0.
have -> : \sum_(c | S c) q c * (ln (b c) - ln (q c)) = \sum_(c | S c) q c * dot (a c) e + ln T.
  rewrite -[ln T]Rmult_1_l -tilted_prob_sum sum_mulr -sumD; apply: eq_bigr => c Sc.
  rewrite -Rmult_plus_distr_l; congr (_ * _).
  rewrite /q ln_div //; last exact: tilted_gt0.
  by rewrite /b /tilted_weight !ln_mult ?ln_exp; try exact: exp_pos; try exact: mu_gt0; ring.
have : ln (\sum_(c | S c) b c) <= err.
  rewrite -[X in _ <= X]ln_exp; apply: ln_le_ln.
    by have [c Sc] := mu_exists; apply: (sum_gt0 (i := c)) => // [d Sd|]; [exact/Rlt_le/b0 | exact: b0].
  rewrite -[exp err]Rmult_1_l -mu_sum sum_mulr; apply: sum_le => c Sc.
  apply: Rmult_le_compat_l; first exact/Rlt_le/mu_gt0.
  by apply: exp_le; have := Rle_abs (eps c); have := eps_le Sc; lra.
lra.
Qed.

Lemma tilted_lower theta : - err - ln (\sum_(c | S c) q c * exp (dot (a c) theta)) <= ln T.
Proof.
have T0 := tilted_total_gt0.
pose b c := nu c * exp (dot (a c) theta); have b0 c : S c -> 0 < b c.
  by move=> Sc; apply: Rmult_lt_0_compat; [exact: tilted_gt0 | exact: exp_pos].
have := gibbs (fun c Sc => Rlt_le _ _ (mu_gt0 Sc)) mu_sum b0.
have -> : \sum_(c | S c) mu c * (ln (b c) - ln (mu c)) = \sum_(c | S c) mu c * eps c
    - (\sum_(c | S c) mu c * dot (a c) e) + \sum_(c | S c) mu c * dot (a c) theta.
  rewrite -sumB -sumD; apply: eq_bigr => c Sc.
  rewrite /b /tilted_weight ln_mult ?ln_mult ?ln_exp; try exact: exp_pos; try exact: mu_gt0; try exact: tilted_gt0.
  by ring.
rewrite !balanced.
have : - err <= \sum_(c | S c) mu c * eps c.
  rewrite -[- err]Rmult_1_l -mu_sum sum_mulr; apply: sum_le => c Sc.
  apply: Rmult_le_compat_l; first exact/Rlt_le/mu_gt0.
  by have /Rabs_le_between := eps_le Sc; lra.
have -> : \sum_(c | S c) b c = T * (\sum_(c | S c) q c * exp (dot (a c) theta)).
  by rewrite sum_mull; apply: eq_bigr => c _; rewrite /b /q; field; lra.
rewrite ln_mult //; first by lra.
have [c Sc] := mu_exists; apply: (sum_gt0 (i := c)) => // [d Sd|].
  by apply: Rmult_le_pos; [exact/Rlt_le/tilted_prob_gt0 | exact/Rlt_le/exp_pos].
by apply: Rmult_lt_0_compat; [exact: tilted_prob_gt0 | exact: exp_pos].
Qed.

(* The values <a_c, theta> spread over at most Rs ||theta||. *)
Lemma tilted_hoeffding theta :
  ln (\sum_(c | S c) q c * exp (dot (a c) theta)) <= dot tilted_mean theta + Rs * Rs * vnorm2 theta / 8.
Proof.
have [c0 Sc0] := mu_exists.
have [d Sd Hd] : exists2 d, S d & forall c, S c -> dot (a d) theta <= dot (a c) theta.
  exact (finite_least (fun c => dot (a c) theta) Sc0).
have range c : S c -> dot (a d) theta <= dot (a c) theta <= dot (a d) theta + Rs * vnorm theta.
  move=> Sc; split; first exact: Hd.
  have := dot_le_norms (a c - a d)%V theta; rewrite dotBl.
  have := Rmult_le_compat_r _ _ _ (vnorm_ge0 theta) (diameter Sc Sd); lra.
have := hoeffding (fun c Sc => Rlt_le _ _ (tilted_prob_gt0 Sc)) tilted_prob_sum range.
rewrite /tilted_mean dot_combinel -vnorm_sqr => H; apply: Rle_trans H _; right; rewrite -/q.
by congr (_ + _); field.
Qed.

Theorem gibbs_curvature :
  \sum_(c | S c) q c * dot (a c) e <= 2 * err - 2 * vnorm2 tilted_mean / (Rs * Rs).
Proof.
have R0 : 0 < Rs * Rs by apply: Rmult_lt_0_compat.
have up := tilted_upper; have lo := tilted_lower ((- (4 / (Rs * Rs)))%R * tilted_mean)%V.
have := tilted_hoeffding ((- (4 / (Rs * Rs)))%R * tilted_mean)%V.
rewrite dotZr -/(vnorm2 tilted_mean) vnorm2Z.
have -> : - (4 / (Rs * Rs)) * vnorm2 tilted_mean + Rs * Rs * (- (4 / (Rs * Rs)) * - (4 / (Rs * Rs)) *
  vnorm2 tilted_mean) / 8
  = - (2 * vnorm2 tilted_mean / (Rs * Rs)) by field; lra.
lra.
Qed.
End Curvature.
