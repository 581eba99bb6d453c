(* Smoothness: an explicit Lipschitz constant of the gradient of the training loss, and the descent lemma (T6).

   Hypotheses: the scores of group i lie in [lo i, hi i]; its features are at most D i apart; on that range the slope of
   the loss is at most M1 i in absolute value and M0 i-Lipschitz (no second derivative is needed). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Moments.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* A finite inhabited set has a least value. *)
Lemma finite_least (I : finType) (P : pred I) (f : I -> R) i0 : P i0 ->
  exists2 j, P j & forall i, P i -> f j <= f i.
Proof.
move=> Pi0; have [j Pj Hj] : exists2 j, P j & forall i, i \in enum P -> f j <= f i.
  have : forall i, i \in enum P -> P i by move=> i; rewrite mem_enum.
  elim: (enum P) => [|i r IH] Hr; first by exists i0.
  have [|j Pj Hj] := IH; first by move=> k kr; apply: Hr; rewrite inE kr orbT.
  case: (Rle_lt_dec (f i) (f j)) => fij.
    exists i; first by apply: Hr; rewrite inE eqxx.
    by move=> k; rewrite inE => /orP[/eqP -> | /Hj]; lra.
  by exists j => // k; rewrite inE => /orP[/eqP -> | /Hj]; lra.
by exists j => // i Pi; apply: Hj; rewrite mem_enum.
Qed.

Lemma vnorm_le_of_dot (J : finType) (u : vec J) c : 0 <= c -> (forall v, dot u v <= c * vnorm v) -> vnorm u <= c.
Proof.
move=> c0 H; have := H u; rewrite -/(vnorm2 u) -vnorm_sqr.
case: (vnorm_ge0 u) => [u0 | <- //] le; exact: Rmult_le_reg_r le.
Qed.

(* A function on [0, 1] whose derivative is bounded by c changes by at most c. *)
Lemma change_le (phi dphi : R -> R) c : (forall x, is_derive phi x (dphi x)) ->
  (forall x, Rabs (dphi x) <= c) -> Rabs (phi 1 - phi 0) <= c.
Proof.
move=> H Hc; have [| |x [_ ->]] := MVT_gen phi 0 1 dphi; last by rewrite Rminus_0_r Rmult_1_r.
  by move=> x _; apply: H.
by move=> x _; apply/continuity_pt_filterlim/ex_derive_continuous; exists (dphi x).
Qed.

(* A function whose derivative is at most 0 on [0, 1] does not grow. *)
Lemma no_growth (phi dphi : R -> R) : (forall x, is_derive phi x (dphi x)) ->
  (forall x, 0 <= x <= 1 -> dphi x <= 0) -> phi 1 <= phi 0.
Proof.
move=> H Hc; have [| |x [x01 E]] := MVT_gen phi 0 1 dphi.
- by move=> x _; apply: H.
- by move=> x _; apply/continuity_pt_filterlim/ex_derive_continuous; exists (dphi x).
have := Hc x; rewrite Rmin_left ?Rmax_right in x01; try lra; move=> /(_ x01); lra.
Qed.

Section Smoothness.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (lo hi D M1 M0 : group p -> R).
Implicit Types (w h v z : vec (coord p)) (t u : token p) (i : group p) (x y : R).

Hypothesis score_range : forall t, lo (group_of t) <= score t <= hi (group_of t).
Hypothesis diameter : forall t u, group_of t = group_of u -> vnorm (feature t - feature u) <= D (group_of t).
Hypothesis slope_bound : forall i x, lo i <= x <= hi i -> Rabs (dloss l x) <= M1 i.
Hypothesis slope_lipschitz : forall i x y, lo i <= x <= hi i -> lo i <= y <= hi i ->
  Rabs (dloss l x - dloss l y) <= M0 i * Rabs (x - y).
Hypothesis M0_ge0 : forall i, 0 <= M0 i.

Let G i := hi i - lo i.
Let inside i t := group_of t == i.
Let attention_ge0 w i t : inside i t -> 0 <= attention w t := fun _ => Rlt_le _ _ (attention_gt0 w t).

Lemma score_spread_ge0 i : 0 <= G i.
Proof. by have := score_range (alpha i); rewrite group_of_pick /G; lra. Qed.

Lemma diameter_ge0 i : 0 <= D i.
Proof.
have := diameter (erefl (group_of (alpha i))); rewrite group_of_pick.
by have := vnorm_ge0 (feature (alpha i) - feature (alpha i))%V; lra.
Qed.

Lemma slope_bound_ge0 i : 0 <= M1 i.
Proof.
have := score_range (alpha i); rewrite group_of_pick => r.
by have := slope_bound r; have := Rabs_pos (dloss l (score (alpha i))); lra.
Qed.

(* The output never leaves the range of the scores. *)
Lemma output_range w i : lo i <= output w i <= hi i.
Proof.
apply: (mean_range (s := attention w) (attention_ge0 w (i := i)) (attention_sum alpha w i)) => t /eqP <-.
exact: score_range.
Qed.

Lemma score_interval i t : inside i t -> lo i <= score t <= lo i + G i.
Proof. by move=> /eqP <-; have := score_range t; rewrite /G; lra. Qed.

Lemma logit_interval i v : exists x0, forall t, inside i t -> x0 <= logit v t <= x0 + D i * vnorm v.
Proof.
have [|t0 t0i H] := finite_least (P := inside i) (logit v) (i0 := alpha i).
  by rewrite /inside group_of_pick.
exists (logit v t0) => t ti; split; first exact: H.
have := dot_le_norms (feature t - feature t0) v; rewrite dotBl => le.
have le' : vnorm (feature t - feature t0) * vnorm v <= D i * vnorm v.
  apply: Rmult_le_compat_r; first exact: vnorm_ge0.
  by rewrite -(eqP ti); apply: diameter; rewrite (eqP ti) (eqP t0i).
by rewrite /logit; lra.
Qed.

Let DV_ge0 i v : 0 <= D i * vnorm v.
Proof. by apply: Rmult_le_pos; [apply: diameter_ge0 | apply: vnorm_ge0]. Qed.

(* ---- the output of one group ---- *)

Lemma output_gradient_covariance w i v :
  dot (output_gradient w i) v = covariance (inside i) (attention w) score (logit v).
Proof. by rewrite /output_gradient dot_combinel; apply: eq_bigr => t _; rewrite Rmult_assoc. Qed.

Lemma output_gradient_dot w i v : Rabs (dot (output_gradient w i) v) <= G i * D i / 4 * vnorm v.
Proof.
have [x0 Hx] := logit_interval i v; rewrite output_gradient_covariance.
have := covariance_le (attention_ge0 w (i := i)) (attention_sum alpha w i) (@score_interval i) Hx
                      (score_spread_ge0 i) (DV_ge0 i v).
by move=> H; apply: Rle_trans H _; right; field.
Qed.

Lemma output_gradient_le w i : vnorm (output_gradient w i) <= G i * D i / 4.
Proof.
apply: vnorm_le_of_dot => [|v]; last exact: Rle_trans (Rle_abs _) (output_gradient_dot w i v).
by have := Rmult_le_pos _ _ (score_spread_ge0 i) (diameter_ge0 i); lra.
Qed.

Lemma output_lipschitz w v i : Rabs (output (w + v) i - output w i) <= G i * D i / 4 * vnorm v.
Proof.
have := @change_le (fun x => output (w + x * v) i) (fun x => dot (output_gradient (w + x * v) i) v) _
  (is_derive_output w v i) (fun x => output_gradient_dot (w + x * v) i v).
by rewrite vline0 vline1.
Qed.

(* Second derivative of the output in the directions h and v. *)
Definition mixed w i h v : R :=
  mean (inside i) (attention w)
    (fun t => (score t - output w i) * ((logit h t - mean_logit w i h) * (logit v t - mean_logit w i v))).

Lemma mixed_square w i z : mixed w i z z = third_moment (inside i) (attention w) score (logit z).
Proof. by []. Qed.

Lemma is_derive_output_gradient w h v i x :
  is_derive (fun y => dot (output_gradient (w + y * h) i) v) x (mixed (w + x * h) i h v).
Proof.
apply: (is_derive_ext (fun y => \sum_(t | inside i t)
          attention (w + y * h) t * (score t - output (w + y * h) i) * logit v t)) => [y|].
  by rewrite /output_gradient dot_combinel.
set wx := (w + x * h)%V; set df := dot (output_gradient wx i) h.
pose d t := (attention wx t * (logit h t - mean_logit wx i h) * (score t - output wx i) +
             attention wx t * (0 - df)) * logit v t.
apply: (@is_derive_ext_eq _ x (\sum_(t | inside i t) d t)); last first.
  apply: is_derive_sum => t /eqP ti.
  have da := is_derive_attention w h t x; rewrite ti -/wx in da.
  have dg := is_derive_minus _ _ _ _ _ (is_derive_const (score t) x) (is_derive_output w h i x).
  have := is_derive_scal_l _ _ _ (logit v t) (is_derive_mult _ _ _ _ _ da dg Rmult_comm).
  apply: is_derive_ext_eq; rewrite /d -/df.
  by rewrite -/wx /scal /= /mult /= /minus /plus /opp /zero /=; ring.
have dfE : df = mean (inside i) (attention wx) (fun t => (score t - output wx i) * (logit h t - mean_logit wx i h)).
  by rewrite /df output_gradient_covariance covariance_centred //; exact: attention_sum.
rewrite /mixed.
have -> : mean (inside i) (attention wx)
    (fun t => (score t - output wx i) * ((logit h t - mean_logit wx i h) * (logit v t - mean_logit wx i v))) =
  mean (inside i) (attention wx) (fun t =>
    1 * ((score t - output wx i) * (logit h t - mean_logit wx i h) * logit v t) +
    - mean_logit wx i v * ((score t - output wx i) * (logit h t - mean_logit wx i h))).
  by apply: mean_eq => t _; ring.
rewrite mean_lin -dfE.
have -> : \sum_(t | inside i t) d t =
  mean (inside i) (attention wx) (fun t =>
    1 * ((score t - output wx i) * (logit h t - mean_logit wx i h) * logit v t) + - df * logit v t).
  by apply: eq_bigr => t _; rewrite /d; ring.
by rewrite mean_lin -[mean _ _ (logit v)]/(mean_logit wx i v); ring.
Qed.

Lemma mean_logitD w i h v : mean_logit w i (h + v) = mean_logit w i h + mean_logit w i v.
Proof. by rewrite /mean_logit -sumD; apply: eq_bigr => t _; rewrite /logit dotDr; ring. Qed.

Lemma mean_logitZ w i x v : mean_logit w i (x * v) = x * mean_logit w i v.
Proof. by rewrite /mean_logit sum_mull; apply: eq_bigr => t _; rewrite /logit dotZr; ring. Qed.

Lemma mixed_scale w i x h v : mixed w i (x * h) v = x * mixed w i h v.
Proof.
rewrite /mixed /mean sum_mull; apply: eq_bigr => t _.
by rewrite mean_logitZ /logit dotZr; ring.
Qed.

Lemma mixedC w i h v : mixed w i h v = mixed w i v h.
Proof. by apply: eq_bigr => t _; ring. Qed.

Lemma mixed_polar w i h v : 4 * mixed w i h v = mixed w i (h + v) (h + v) - mixed w i (h - v) (h - v).
Proof.
have -> : (h - v)%V = (h + (- 1)%R * v)%V by vec_ring.
rewrite /mixed /mean sum_mull -sumB; apply: eq_bigr => t _.
by rewrite !mean_logitD !mean_logitZ /logit !dotDr !dotZr; ring.
Qed.

Let kappa i := G i * (D i * D i) / (6 * sqrt 3).

Let six_root_gt0 : 0 < 6 * sqrt 3.
Proof. by have : 0 < sqrt 3 by [apply: sqrt_lt_R0; lra]; lra. Qed.

Lemma kappa_ge0 i : 0 <= kappa i.
Proof.
apply: Rmult_le_pos; last exact: Rlt_le (Rinv_0_lt_compat _ six_root_gt0).
by apply: Rmult_le_pos; [apply: score_spread_ge0 | apply: Rle_0_sqr].
Qed.

Lemma mixed_square_le w i z : Rabs (mixed w i z z) <= kappa i * vnorm2 z.
Proof.
have [x0 Hx] := logit_interval i z; rewrite mixed_square.
have := third_moment_le (attention_ge0 w (i := i)) (attention_sum alpha w i) (@score_interval i) Hx
                      (score_spread_ge0 i) (DV_ge0 i z).
by move=> H; apply: Rle_trans H _; right; rewrite -vnorm_sqr /kappa; field; have := six_root_gt0; lra.
Qed.

Lemma mixed_le w i h v : Rabs (mixed w i h v) <= kappa i * vnorm h * vnorm v.
Proof.
have k0 := kappa_ge0 i.
have sum_bound z : 2 * Rabs (mixed w i z v) <= kappa i * (vnorm2 z + vnorm2 v).
  have Hp := mixed_square_le w i (z + v)%V; have Hm := mixed_square_le w i (z - v)%V.
  have : Rabs (4 * mixed w i z v) <= Rabs (mixed w i (z + v) (z + v)) + Rabs (mixed w i (z - v) (z - v)).
    by rewrite mixed_polar /Rminus; apply: Rle_trans (Rabs_triang _ _) _; rewrite Rabs_Ropp; lra.
  rewrite Rabs_mult (Rabs_pos_eq 4); last by lra.
  by rewrite vnorm2D in Hp; rewrite vnorm2B in Hm; lra.
case: (vnorm_ge0 h) => [h0 | h0]; last first.
  have -> : h = (0%R * h)%V by rewrite (vnorm_eq0 (esym h0)); vec_ring.
  by rewrite mixed_scale Rmult_0_l Rabs_R0 vnormZ Rabs_R0; lra.
case: (vnorm_ge0 v) => [v0 | v0]; last first.
  have -> : v = (0%R * v)%V by rewrite (vnorm_eq0 (esym v0)); vec_ring.
  by rewrite mixedC mixed_scale Rmult_0_l Rabs_R0 vnormZ Rabs_R0; lra.
pose r := vnorm v / vnorm h; have r0 : 0 < r by apply: Rdiv_lt_0_compat.
have := sum_bound (r * h)%V; rewrite mixed_scale Rabs_mult (Rabs_pos_eq r); last by lra.
rewrite vnorm2Z -!vnorm_sqr => H; apply: (Rmult_le_reg_l (2 * r)); first lra.
have E : r * vnorm h = vnorm v by rewrite /r; field; lra.
have -> : 2 * r * (kappa i * vnorm h * vnorm v) = kappa i * (2 * (r * vnorm h) * vnorm v) by ring.
have -> : 2 * r * Rabs (mixed w i h v) = 2 * (r * Rabs (mixed w i h v)) by ring.
apply: Rle_trans H _; right.
have -> : r * r * (vnorm h * vnorm h) = (r * vnorm h) * (r * vnorm h) by ring.
by rewrite E; ring.
Qed.

Lemma output_gradient_lipschitz w h i : vnorm (output_gradient (w + h) i - output_gradient w i) <= kappa i * vnorm h.
Proof.
apply: vnorm_le_of_dot => [|v]; first by apply: Rmult_le_pos; [apply: kappa_ge0 | apply: vnorm_ge0].
have := @change_le (fun x => dot (output_gradient (w + x * h) i) v) (fun x => mixed (w + x * h) i h v) _
  (is_derive_output_gradient w h v i) (fun x => mixed_le (w + x * h) i h v).
rewrite vline0 vline1.
by rewrite dotBl => H; have := Rle_abs (dot (output_gradient (w + h) i) v - dot (output_gradient w i) v); lra.
Qed.

(* ---- T6 ---- *)

Definition smoothness : R :=
  \sum_i weight i * (M1 i * G i * (D i * D i) / (6 * sqrt 3) + M0 i * (G i * G i) * (D i * D i) / 16).

Theorem gradient_lipschitz w h : vnorm (gradient l (w + h) - gradient l w) <= smoothness * vnorm h.
Proof.
pose X i : vec (coord p) := (dloss l (output (w + h) i) * (output_gradient (w + h) i - output_gradient w i) +
          (dloss l (output (w + h) i) - dloss l (output w i)) * output_gradient w i)%V.
have -> : (gradient l (w + h) - gradient l w)%V = combine predT weight X.
  rewrite !gradient_outputs; apply: vec_ext => j; rewrite /combine /vsub -sumB; apply: eq_bigr => i _.
  by rewrite /X /vadd /vscale /vsub; ring.
apply: Rle_trans (vnorm_combine _ _ _) _; rewrite sum_mulr; apply: sum_le => i _.
rewrite (Rabs_pos_eq (weight i)); last exact: Rlt_le (weight_gt0 i).
rewrite Rmult_assoc; apply: Rmult_le_compat_l; first exact: Rlt_le (weight_gt0 i).
apply: Rle_trans (vnorm_triangle _ _) _; rewrite !vnormZ.
have a1 := slope_bound (output_range (w + h)%V i); have a0 := Rabs_pos (dloss l (output (w + h)%V i)).
have b1 := slope_lipschitz (output_range (w + h)%V i) (output_range w i).
have c1 := output_lipschitz w h i; have d1 := output_gradient_le w i; have e1 := output_gradient_lipschitz w h i.
have m0 : 0 <= M0 i * Rabs (output (w + h) i - output w i).
  exact: Rle_trans (Rabs_pos _) b1.
have first_term := Rmult_le_compat _ _ _ _ a0 (vnorm_ge0 _) a1 e1.
have gd := Rmult_le_pos _ _ (score_spread_ge0 i) (diameter_ge0 i).
have second : Rabs (dloss l (output (w + h) i) - dloss l (output w i)) * vnorm (output_gradient w i) <=
              M0 i * (G i * G i) * (D i * D i) / 16 * vnorm h.
  apply: Rle_trans (Rmult_le_compat _ _ _ _ (Rabs_pos _) (vnorm_ge0 _) b1 d1) _.
  have := Rmult_le_compat_r (G i * D i / 4) _ _ (ltac:(lra)) (Rmult_le_compat_l _ _ _ (M0_ge0 i) c1); lra.
rewrite Rmult_plus_distr_r; apply: Rplus_le_compat second.
by apply: Rle_trans first_term _; right; rewrite /kappa; field; have := six_root_gt0; lra.
Qed.

(* The certificate language's claim: any number that is at least this constant is a Lipschitz constant. *)
Theorem smoothness_sound beta : smoothness <= beta ->
  forall w w', vdist (gradient l w') (gradient l w) <= beta * vdist w' w.
Proof.
move=> le w w'; have := gradient_lipschitz w (w' - w)%V.
rewrite (_ : (w + (w' - w))%V = w'); last by vec_ring.
by have := Rmult_le_compat_r _ _ _ (vnorm_ge0 (w' - w)%V) le; rewrite /vdist; lra.
Qed.

Lemma smoothness_ge0 : 0 <= smoothness.
Proof.
apply: sum_ge0 => i _; apply: Rmult_le_pos; first exact: Rlt_le (weight_gt0 i).
have k := Rmult_le_pos _ _ (slope_bound_ge0 i) (kappa_ge0 i).
have m : 0 <= M0 i * (G i * G i) * (D i * D i).
  by apply: Rmult_le_pos (Rle_0_sqr _); apply: Rmult_le_pos (Rle_0_sqr _).
by rewrite /kappa in k; lra.
Qed.

Hypothesis defined : loss_defined p l.

(* The descent lemma: the loss lies below its quadratic upper model. *)
Theorem descent w v :
  training_loss l (w + v) <= training_loss l w + dot (gradient l w) v + smoothness / 2 * vnorm2 v.
Proof.
pose phi x := training_loss l (w + x * v) - x * dot (gradient l w) v - x * x * (smoothness / 2 * vnorm2 v).
pose dphi x := dot (gradient l (w + x * v)) v - dot (gradient l w) v - x * (smoothness * vnorm2 v).
have dP x : is_derive phi x (dphi x).
  have H1 := is_derive_training_loss w v x defined.
  have H2 : is_derive (fun y => y * dot (gradient l w) v + y * y * (smoothness / 2 * vnorm2 v)) x
                      (dot (gradient l w) v + x * (smoothness * vnorm2 v)) by auto_derive => //; field.
  apply: (is_derive_ext (fun y => minus (training_loss l (w + y * v))
                               (y * dot (gradient l w) v + y * y * (smoothness / 2 * vnorm2 v)))) => [y|].
    by rewrite /phi /minus /plus /opp /=; ring.
  apply: is_derive_ext_eq (is_derive_minus _ _ _ _ _ H1 H2).
  by rewrite /dphi /minus /plus /opp /=; ring.
have := @no_growth phi dphi dP; have neg x : 0 <= x <= 1 -> dphi x <= 0.
  move=> x01; have := gradient_lipschitz w (x * v)%V; rewrite vnormZ Rabs_pos_eq; last by lra.
  move=> H; have := dot_le_norms (gradient l (w + x * v) - gradient l w)%V v; rewrite dotBl.
  have := Rmult_le_compat_r _ _ _ (vnorm_ge0 v) H; rewrite /dphi -vnorm_sqr; lra.
move=> /(_ neg); rewrite /phi.
rewrite vline0 vline1.
by lra.
Qed.

(* The gradient is the Frechet derivative: the linear model is exact up to a quadratic error. *)
Theorem linear_model w v :
  Rabs (training_loss l (w + v) - training_loss l w - dot (gradient l w) v) <= smoothness / 2 * vnorm2 v.
Proof.
apply: Rabs_le; split; last by have := descent w v; lra.
pose phi x := x * dot (gradient l w) v - training_loss l (w + x * v) - x * x * (smoothness / 2 * vnorm2 v).
pose dphi x := dot (gradient l w) v - dot (gradient l (w + x * v)) v - x * (smoothness * vnorm2 v).
have dP x : is_derive phi x (dphi x).
  have H1 := is_derive_training_loss w v x defined.
  have H2 : is_derive (fun y => y * dot (gradient l w) v - y * y * (smoothness / 2 * vnorm2 v)) x
                      (dot (gradient l w) v - x * (smoothness * vnorm2 v)) by auto_derive => //; field.
  apply: (is_derive_ext (fun y => minus (y * dot (gradient l w) v - y * y * (smoothness / 2 * vnorm2 v))
                               (training_loss l (w + y * v)))) => [y|].
    by rewrite /phi /minus /plus /opp /=; ring.
  apply: is_derive_ext_eq (is_derive_minus _ _ _ _ _ H2 H1).
  by rewrite /dphi /minus /plus /opp /=; ring.
have neg x : 0 <= x <= 1 -> dphi x <= 0.
  move=> x01; have := gradient_lipschitz w (x * v)%V; rewrite vnormZ Rabs_pos_eq; last by lra.
  move=> H; have := dot_ge_norms (gradient l (w + x * v) - gradient l w)%V v; rewrite dotBl.
  have := Rmult_le_compat_r _ _ _ (vnorm_ge0 v) H; rewrite /dphi -vnorm_sqr; lra.
by have := no_growth dP neg; rewrite /phi vline0 vline1; lra.
Qed.

(* A gradient step of size eta <= 1/smoothness decreases the loss by at least (eta/2) ||gradient||^2. *)
Theorem descent_step w eta : 0 <= eta -> eta * smoothness <= 1 ->
  training_loss l (w - eta * gradient l w) <= training_loss l w - eta / 2 * vnorm2 (gradient l w).
Proof.
move=> eta0 small; have := descent w ((- eta)%R * gradient l w)%V.
rewrite (_ : (w + (- eta)%R * gradient l w)%V = (w - eta * gradient l w)%V); last by vec_ring.
rewrite dotZr vnorm2Z -/(vnorm2 (gradient l w)) => H; apply: Rle_trans H _.
have g0 := vnorm2_ge0 (gradient l w).
have eg : 0 <= eta * vnorm2 (gradient l w) by apply: Rmult_le_pos.
have := Rmult_le_compat_r _ _ _ eg small; lra.
Qed.
End Smoothness.
