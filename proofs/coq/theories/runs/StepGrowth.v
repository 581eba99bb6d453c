(* StepGrowth: how far apart one step takes two points that are close together.

   V = -grad L has along a line the derivative `bend`, a symmetric form in two directions. With b_t = <Delta_t, h> minus
   its mean over the group under the attention,

     bend h v = - sum_t omega_t b_t(h) b_t(v) - sum_i weight_i l''(f_i) <grad f_i, h> <grad f_i, v>,

   so what its squares are at most and at least bounds how far a step of gradient descent takes points of a convex set
   apart (gradient_growth); a normalised step near a known velocity, too (normalised_growth): no derivative of the norm
   is needed. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Moments Smoothness PseudoOrbit SymmetricForms.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the derivative of V ---- *)

Section Bend.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (ddloss : R -> R).

(* A convex loss with its second derivative. *)
Record loss_curves : Prop := LossCurves {
  curve_derives : forall x, loss_domain l x -> is_derive (dloss l) x (ddloss x);
  curve_defined : loss_defined p l;
  curve_ge0 : forall x, 0 <= ddloss x
}.
Hypothesis curves : loss_curves.
Let is_derive_dloss := curve_derives curves.
Let defined := curve_defined curves.
Let ddloss_ge0 := curve_ge0 curves.
Implicit Types (w h v z g : vec (coord p)) (t : token p) (i : group p) (x : R).
Notation V w := (- gradient l w)%V.

Definition bend w h v : R :=
  - \sum_i weight i * (ddloss (output w i) * (dot (output_gradient w i) h * dot (output_gradient w i) v) +
                       dloss l (output w i) * mixed w i h v).

Lemma is_derive_velocity w h v x : is_derive (fun y => dot (V (w + y * h)) v) x (bend (w + x * h) h v).
Proof.
apply: (is_derive_ext (fun y => - \sum_i weight i * dloss l (output (w + y * h) i) *
          dot (output_gradient (w + y * h) i) v)) => [y|].
  by rewrite dotNl gradient_outputs dot_combinel.
apply: is_derive_opp; apply: is_derive_sum => i _.
have d1 := is_derive_comp _ _ _ _ _ (is_derive_dloss (defined _ _)) (is_derive_output w h i x).
have d2 := is_derive_output_gradient alpha w h v i x.
have := is_derive_scal_l _ _ _ 1 (is_derive_mult _ _ _ _ _ (is_derive_scal _ _ (weight i) _ d1) d2 Rmult_comm).
move=> H; apply: is_derive_ext_eq; last apply: is_derive_ext H.
  by rewrite /scal /= /mult /= /plus /=; ring.
by move=> y; rewrite /scal /= /mult /=; ring.
Qed.

(* The mean value theorem. *)
Lemma velocity_change w w' v : exists2 x, 0 <= x <= 1 &
  dot (V w - V w')%V v = bend (w' + x * (w - w'))%V (w - w')%V v.
Proof.
have [| |x [x01 E]] := MVT_gen (fun y => dot (V (w' + y * (w - w'))) v) 0 1
  (fun y => bend (w' + y * (w - w'))%V (w - w')%V v).
- by move=> x _; exact: is_derive_velocity.
- by move=> x _; apply/continuity_pt_filterlim/ex_derive_continuous; eexists; exact: is_derive_velocity.
exists x; first by move: x01; rewrite Rmin_left ?Rmax_right; lra.
rewrite Rminus_0_r Rmult_1_r in E; rewrite -E vline0 vline1.
by have -> : (w' + (w - w'))%V = w by [vec_ring]; rewrite dotBl.
Qed.

(* In terms of a selection's constraints. *)
Definition mean_margin w i h : R := \sum_(t | group_of t == i) attention w t * margin alpha h t.
Definition centred_margin w h t : R := margin alpha h t - mean_margin w (group_of t) h.
(* The derivative of an output is that of -sum s_t (f - g_t) <Delta_t, W>. *)
Definition share_slope w t : R := attention w t * (output w (group_of t) - score t).
Definition reaction w i h : R := \sum_(t | group_of t == i) share_slope w t * margin alpha h t.

Lemma centred_logit w h t : logit h t - mean_logit w (group_of t) h = - centred_margin w h t.
Proof.
have m u : logit h u = logit h (selected alpha u) - margin alpha h u by rewrite margin_logit; ring.
rewrite /centred_margin /mean_margin /mean_logit (m t).
have -> : \sum_(u | group_of u == group_of t) attention w u * logit h u =
    logit h (selected alpha t) - \sum_(u | group_of u == group_of t) attention w u * margin alpha h u.
  rewrite -[logit h (selected alpha t)]Rmult_1_r -(attention_sum alpha w (group_of t)) sum_mull -sumB.
  by apply: eq_bigr => u /eqP E; rewrite (m u) /selected E; ring.
ring.
Qed.

Lemma output_gradient_margins w i h : dot (output_gradient w i) h = reaction w i h.
Proof.
rewrite -covariance_logit /reaction.
have -> : \sum_(t | group_of t == i) share_slope w t * margin alpha h t =
          \sum_(t | group_of t == i) share_slope w t * (margin alpha h t - mean_margin w i h).
  have E : \sum_(t | group_of t == i) share_slope w t = 0.
    have -> : \sum_(t | group_of t == i) share_slope w t =
              - \sum_(t | group_of t == i) attention w t * (score t - output w i).
      by rewrite -sumN; apply: eq_bigr => t /eqP ti; rewrite /share_slope ti; ring.
    by rewrite (output_deviation_sum alpha); ring.
  have -> : \sum_(t | group_of t == i) share_slope w t * (margin alpha h t - mean_margin w i h) =
    (\sum_(t | group_of t == i) share_slope w t * margin alpha h t) -
    mean_margin w i h * \sum_(t | group_of t == i) share_slope w t.
    by rewrite sum_mull -sumB; apply: eq_bigr => t _; ring.
  by rewrite E; ring.
have E : \sum_(t | group_of t == i) attention w t * (margin alpha h t - mean_margin w i h) = 0.
  have -> : \sum_(t | group_of t == i) attention w t * (margin alpha h t - mean_margin w i h) =
    mean_margin w i h - mean_margin w i h * \sum_(t | group_of t == i) attention w t.
    by rewrite sum_mull /mean_margin -sumB; apply: eq_bigr => t _; ring.
  by rewrite (attention_sum alpha); ring.
have -> : \sum_(t | group_of t == i) share_slope w t * (margin alpha h t - mean_margin w i h) =
  output w i * (\sum_(t | group_of t == i) attention w t * (margin alpha h t - mean_margin w i h)) -
  \sum_(t | group_of t == i) attention w t * score t * (margin alpha h t - mean_margin w i h).
  by rewrite sum_mull -sumB; apply: eq_bigr => t /eqP ti; rewrite /share_slope ti; ring.
rewrite E Rmult_0_r Rminus_0_l -sumN; apply: eq_bigr => t /eqP ti.
have := centred_logit w h t; rewrite ti /centred_margin ti => ->; ring.
Qed.

Lemma bend_constraints w h v : bend w h v =
  - (\sum_t omega l w t * (centred_margin w h t * centred_margin w v t)) -
  \sum_i weight i * ddloss (output w i) * (reaction w i h * reaction w i v).
Proof.
rewrite /bend (partition_big (@group_of p) predT) //= -!sumN -sumB; apply: eq_bigr => i _.
rewrite !output_gradient_margins /mixed /mean.
have -> : \sum_(t | group_of t == i) omega l w t * (centred_margin w h t * centred_margin w v t) =
  weight i * dloss l (output w i) * \sum_(t | group_of t == i) attention w t *
    ((score t - output w i) * ((logit h t - mean_logit w i h) * (logit v t - mean_logit w i v))).
  rewrite sum_mull; apply: eq_bigr => t /eqP ti; rewrite -ti !centred_logit /omega; ring.
ring.
Qed.

Lemma centredC w h v : bend w h v = bend w v h.
Proof.
rewrite !bend_constraints; congr (- _ - _); apply: eq_bigr => t _; ring.
Qed.

Lemma marginD h v t : margin alpha (h + v) t = margin alpha h t + margin alpha v t.
Proof. by rewrite /margin dotDr. Qed.
Lemma marginZ (c : R) h t : margin alpha (c * h)%V t = c * margin alpha h t.
Proof. by rewrite /margin dotZr. Qed.

Lemma bend_form w : symmetric_form (bend w).
Proof.
split=> [x y | x y z | c x y]; first exact: centredC.
- rewrite !bend_constraints.
  have m i : mean_margin w i (x + y) = mean_margin w i x + mean_margin w i y.
    by rewrite /mean_margin -sumD; apply: eq_bigr => t _; rewrite marginD; ring.
  have r i : reaction w i (x + y) = reaction w i x + reaction w i y.
    by rewrite /reaction -sumD; apply: eq_bigr => t _; rewrite marginD; ring.
  have -> : \sum_t omega l w t * (centred_margin w (x + y) t * centred_margin w z t) =
    (\sum_t omega l w t * (centred_margin w x t * centred_margin w z t)) +
    \sum_t omega l w t * (centred_margin w y t * centred_margin w z t).
    by rewrite -sumD; apply: eq_bigr => t _; rewrite /centred_margin m marginD; ring.
  have -> : \sum_i weight i * ddloss (output w i) * (reaction w i (x + y) * reaction w i z) =
    (\sum_i weight i * ddloss (output w i) * (reaction w i x * reaction w i z)) +
    \sum_i weight i * ddloss (output w i) * (reaction w i y * reaction w i z).
    by rewrite -sumD; apply: eq_bigr => i _; rewrite r; ring.
  ring.
rewrite !bend_constraints.
have m i : mean_margin w i (c * x)%V = c * mean_margin w i x.
  by rewrite /mean_margin sum_mull; apply: eq_bigr => t _; rewrite marginZ; ring.
have r i : reaction w i (c * x)%V = c * reaction w i x.
  by rewrite /reaction sum_mull; apply: eq_bigr => t _; rewrite marginZ; ring.
have -> : \sum_t omega l w t * (centred_margin w (c * x)%V t * centred_margin w y t) =
  c * \sum_t omega l w t * (centred_margin w x t * centred_margin w y t).
  by rewrite sum_mull; apply: eq_bigr => t _; rewrite /centred_margin m marginZ; ring.
have -> : \sum_i weight i * ddloss (output w i) * (reaction w i (c * x)%V * reaction w i y) =
  c * \sum_i weight i * ddloss (output w i) * (reaction w i x * reaction w i y).
  by rewrite sum_mull; apply: eq_bigr => i _; rewrite r; ring.
ring.
Qed.

(* As a combination of constraint vectors. *)
Definition bend_coefficient w h t : R :=
  attention w t * (\sum_(u | group_of u == group_of t) omega l w u * centred_margin w h u) -
  omega l w t * centred_margin w h t -
  weight (group_of t) * ddloss (output w (group_of t)) * reaction w (group_of t) h * share_slope w t.

Lemma dot_constraints (c : token p -> R) g :
  dot (combine (constraint alpha) c (Delta alpha)) g = \sum_t c t * margin alpha g t.
Proof.
rewrite dot_combinel [LHS]big_mkcond; apply: eq_bigr => t _; case: ifPn => // /not_constraint E.
by rewrite margin_logit /selected -E; ring.
Qed.

Lemma bend_combination w h g : dot (combine (constraint alpha) (bend_coefficient w h) (Delta alpha)) g = bend w h g.
Proof.
rewrite dot_constraints bend_constraints (partition_big (@group_of p) predT) //=.
rewrite [X in - X - _](partition_big (@group_of p) predT) //= -sumN -sumB.
apply: eq_bigr => i _.
set B := \sum_(t | group_of t == i) omega l w t * centred_margin w h t.
have -> : \sum_(t | group_of t == i) omega l w t * (centred_margin w h t * centred_margin w g t) =
  (\sum_(t | group_of t == i) omega l w t * centred_margin w h t * margin alpha g t) - B * mean_margin w i g.
  rewrite /B sum_mulr -sumB; apply: eq_bigr => t /eqP ti.
  by have -> : centred_margin w g t = margin alpha g t - mean_margin w i g; [rewrite /centred_margin ti | ring].
have -> : \sum_(t | group_of t == i) bend_coefficient w h t * margin alpha g t =
  \sum_(t | group_of t == i) (B * (attention w t * margin alpha g t) -
    omega l w t * centred_margin w h t * margin alpha g t -
    weight i * ddloss (output w i) * reaction w i h * (share_slope w t * margin alpha g t)).
  by apply: eq_bigr => t /eqP ti; rewrite /bend_coefficient ti -/B; ring.
rewrite !sumB -!sum_mull -/(mean_margin w i g) -/(reaction w i g); ring.
Qed.

(* What the squares are at most and at least. *)
Definition reach w t : R :=
  vnorm (Delta alpha t) + \sum_(s | group_of s == group_of t) attention w s * vnorm (Delta alpha s).
Definition rising w : R := \sum_t Rmax 0 (- omega l w t) * (reach w t * reach w t).
Definition group_reaction w i : R := \sum_(t | group_of t == i) Rabs (share_slope w t) * vnorm (Delta alpha t).
Definition falling w : R := (\sum_t Rmax 0 (omega l w t) * (reach w t * reach w t)) +
  \sum_i weight i * ddloss (output w i) * (group_reaction w i * group_reaction w i).

Lemma centred_le w z t : centred_margin w z t * centred_margin w z t <= reach w t * reach w t * vnorm2 z.
Proof.
have le : Rabs (centred_margin w z t) <= reach w t * vnorm z.
  rewrite /centred_margin /Rminus; apply: Rle_trans (Rabs_triang _ _) _; rewrite Rabs_Ropp /reach Rmult_plus_distr_r.
  apply: Rplus_le_compat; first exact: cauchy_schwarz.
  rewrite sum_mulr; apply: Rle_trans (sum_abs _ _ _) _; apply: sum_le => s _.
  rewrite Rabs_mult Rmult_assoc (Rabs_pos_eq (attention w s)); last exact/Rlt_le/attention_gt0.
  by apply: Rmult_le_compat_l; [exact/Rlt_le/attention_gt0 | exact: cauchy_schwarz].
have := Rmult_le_compat _ _ _ _ (Rabs_pos _) (Rabs_pos _) le le.
by rewrite -Rabs_mult Rabs_pos_eq; [rewrite -vnorm_sqr; lra | exact: Rle_0_sqr].
Qed.

Lemma reaction_le w i z : reaction w i z * reaction w i z <= group_reaction w i * group_reaction w i * vnorm2 z.
Proof.
have le : Rabs (reaction w i z) <= group_reaction w i * vnorm z.
  apply: Rle_trans (sum_abs _ _ _) _; rewrite /group_reaction sum_mulr; apply: sum_le => t _.
  by rewrite Rabs_mult Rmult_assoc; apply: Rmult_le_compat_l; [exact: Rabs_pos | exact: cauchy_schwarz].
have := Rmult_le_compat _ _ _ _ (Rabs_pos _) (Rabs_pos _) le le.
by rewrite -Rabs_mult Rabs_pos_eq; [rewrite -vnorm_sqr; lra | exact: Rle_0_sqr].
Qed.

Lemma bend_square w z : - falling w * vnorm2 z <= bend w z z <= rising w * vnorm2 z.
Proof.
have curved i : 0 <= weight i * ddloss (output w i).
  by apply: Rmult_le_pos; [exact/Rlt_le/weight_gt0 | exact: ddloss_ge0].
rewrite bend_constraints; split; last first.
  rewrite /rising sum_mulr -sumN; set a := \sum_t - _; set b := \sum_i _.
  have b0 : 0 <= b by apply: sum_ge0 => i _; apply: Rmult_le_pos => //; exact: Rle_0_sqr.
  have : a <= \sum_t Rmax 0 (- omega l w t) * (reach w t * reach w t) * vnorm2 z; last lra.
  apply: sum_le => t _; have q := Rle_0_sqr (centred_margin w z t); rewrite /Rsqr in q; have := centred_le w z t.
  have m1 := Rmax_l 0 (- omega l w t); have m2 := Rmax_r 0 (- omega l w t); nra.
have le1 : \sum_t omega l w t * (centred_margin w z t * centred_margin w z t) <=
    (\sum_t Rmax 0 (omega l w t) * (reach w t * reach w t)) * vnorm2 z.
  rewrite sum_mulr; apply: sum_le => t _; have q := Rle_0_sqr (centred_margin w z t); rewrite /Rsqr in q.
  have := centred_le w z t; have m1 := Rmax_l 0 (omega l w t); have m2 := Rmax_r 0 (omega l w t); nra.
have le2 : \sum_i weight i * ddloss (output w i) * (reaction w i z * reaction w i z) <=
    (\sum_i weight i * ddloss (output w i) * (group_reaction w i * group_reaction w i)) * vnorm2 z.
  rewrite sum_mulr; apply: sum_le => i _; have := Rmult_le_compat_l _ _ _ (curved i) (reaction_le w i z); lra.
rewrite /falling; lra.
Qed.

(* ---- steps ---- *)

Variables (s above below : R) (w w' : vec (coord p)).
(* On the line from w' to w. *)
Let on (x : R) : vec (coord p) := (w' + x * (w - w'))%V.

(* Squares of the form on that line. *)
Record line_squares : Prop := LineSquares {
  line_rising : forall x, 0 <= x <= 1 -> rising (on x) <= above;
  line_falling : forall x, 0 <= x <= 1 -> falling (on x) <= below
}.
Hypothesis squares : line_squares.
Let rising_le := line_rising squares.
Let falling_le := line_falling squares.

(* So s V beside the identity takes points of the line at most k apart per distance. *)
Record step_factor_bound (k : R) : Prop := StepFactorBound {
  factor_step_ge0 : 0 <= s;
  factor_rising : 1 + s * above <= k;
  factor_falling : s * below - 1 <= k
}.

Let growth_form (k x : R) : step_factor_bound k -> 0 <= x <= 1 ->
  forall z, Rabs (vnorm2 z + s * bend (on x) z z) <= k * vnorm2 z.
Proof.
move=> [s0 k1 k2] x01 z; have n0 := vnorm2_ge0 z; have [b1 b2] := bend_square (on x) z.
have r1 := rising_le x01; have f1 := falling_le x01.
have := Rmult_le_compat_r _ _ _ n0 r1; have := Rmult_le_compat_r _ _ _ n0 f1 => g1 g2.
have c1 := Rmult_le_compat_l _ _ _ s0 (ltac:(lra) : bend (on x) z z <= above * vnorm2 z).
have c2 := Rmult_le_compat_l _ _ _ s0 (ltac:(lra) : - (below * vnorm2 z) <= bend (on x) z z).
by apply: Rabs_le; nra.
Qed.

Let vnorm_le_of_square (y : vec (coord p)) (c : R) : 0 <= c -> vnorm2 y <= c * vnorm y -> vnorm y <= c.
Proof. by move=> c0; rewrite -vnorm_sqr; case: (vnorm_ge0 y) => [y0 le | <- //]; apply: (Rmult_le_reg_r (vnorm y)). Qed.

Theorem gradient_growth (k : R) : 0 <= k -> step_factor_bound k ->
  vnorm ((w - w') + s * (V w - V w'))%V <= k * vdist w w'.
Proof.
move=> k0 bound; set e := (_ + _)%V; apply: vnorm_le_of_square.
  by apply: Rmult_le_pos => //; exact: vnorm_ge0.
have [x x01 E] := velocity_change w w' e.
have form : symmetric_form (fun y z => dot y z + s * bend (on x) y z).
  have [sym add scale] := bend_form (on x).
  by split=> [y z | y z v | c y z]; [rewrite dotC sym | rewrite dotDl add; ring | rewrite dotZl scale; ring].
have := symmetric_form_le form k0 (growth_form bound x01) (w - w')%V e.
have -> : vnorm2 e = dot (w - w')%V e + s * bend (on x) (w - w')%V e.
  by rewrite /vnorm2 {1}/e dotDl dotZl E.
by have := Rle_abs (dot (w - w')%V e + s * bend (on x) (w - w')%V e); rewrite /vdist; lra.
Qed.

(* V changes by at most the larger of the two bounds. *)
Theorem velocity_lipschitz (c : R) : above <= c -> below <= c -> 0 <= c -> vnorm (V w - V w')%V <= c * vdist w w'.
Proof.
move=> a b c0; set e := (_ - _)%V; apply: vnorm_le_of_square.
  by apply: Rmult_le_pos => //; exact: vnorm_ge0.
have [x x01 E] := velocity_change w w' e; rewrite {1}/vnorm2 {1}/e E.
have H z : Rabs (bend (on x) z z) <= c * vnorm2 z.
  have n0 := vnorm2_ge0 z; have [b1 b2] := bend_square (on x) z.
  have := rising_le x01; have := falling_le x01 => f r; apply: Rabs_le; nra.
have le := symmetric_form_le (bend_form (on x)) c0 H (w - w')%V e.
by apply: Rle_trans (Rle_abs _) _; exact: le.
Qed.

(* Beside the unit vector u. *)
Variables (u : vec (coord p)) (unit : dot u u = 1).

(* How far the form turns u on that line. *)
Record line_turns (T : R) : Prop := LineTurns {
  turn_ge0 : 0 <= T;
  turn_le : forall x, 0 <= x <= 1 -> forall g, dot u g = 0 -> s * Rabs (bend (on x) u g) <= T * vnorm g
}.

Theorem projected_growth (k T : R) : 1 <= k -> step_factor_bound k -> line_turns T ->
  vnorm ((w - w') + s * beside u (V w - V w'))%V <= (k + T) * vdist w w'.
Proof.
move=> k0 bound [T0 turn]; have s0 := factor_step_ge0 bound; set e := (_ + _)%V; apply: vnorm_le_of_square.
  by apply: Rmult_le_pos; [lra | exact: vnorm_ge0].
have [x x01 E] := velocity_change w w' (beside u e).
have := projected_form_le unit (bend_form (on x)) k0 (growth_form bound x01) s0 (turn x x01) T0 (w - w')%V e.
have -> : vnorm2 e = dot (w - w')%V e + s * bend (on x) (w - w')%V (beside u e).
  rewrite /vnorm2 {1}/e dotDl dotZl -E; congr (_ + s * _).
  exact: dot_besideC.
by have := Rle_abs (dot (w - w')%V e + s * bend (on x) (w - w')%V (beside u e)); rewrite /vdist; lra.
Qed.
(* A normalised step from w against any known step from w', by the known velocity n u. *)
Record near_velocity (n eta rho q : R) : Prop := NearVelocity {
  near_length_gt0 : 0 < n;
  near_step : s = eta / n;
  near_before : vdist (V w') (n * u)%V <= rho;
  near_after : vdist (V w) (n * u)%V <= q;
  near_small : 4 * q <= n
}.

Theorem normalised_growth (k T n eta rho q c : R) theta : 1 <= k -> step_factor_bound k -> line_turns T ->
  near_velocity n eta rho q -> vdist (eta * u)%V theta <= c ->
  0 < vnorm (V w) /\
  vdist (w + (eta / vnorm (V w)) * V w)%V (w' + theta)%V <=
    (k + T) * vdist w w' + s * rho + 2 * eta * (q * q) / (n * n) + c.
Proof.
move=> k1 bound turns [n0 sE hrho hq small] hc; have s0 := factor_step_ge0 bound.
have eta0 : 0 <= eta by have -> : eta = s * n by [rewrite sE; field; lra]; apply: Rmult_le_pos; lra.
have q0 : 0 <= vnorm (V w - n * u)%V by exact: vnorm_ge0.
have [|v0 linear] := direction_linear unit (v := V w) n0; first by rewrite /vdist in hq; lra.
split=> //; rewrite /vdist.
have -> : (w + (eta / vnorm (V w)) * V w - (w' + theta))%V =
  (((w - w') + s * beside u (V w - V w')) + s * beside u (V w' - n * u) +
   eta * (/ vnorm (V w) * V w - u - / n * beside u (V w - n * u)) + (eta * u - theta))%V.
  move: (V w) (V w') v0 {linear hq q0 hrho} => v v' v0; rewrite sE.
  by apply: vec_ext => j; rewrite /beside !dotBr /vsub /vadd /vscale; field; lra.
apply: Rle_trans (vnorm_triangle _ _) _; apply: Rplus_le_compat => //.
apply: Rle_trans (vnorm_triangle _ _) _; apply: Rplus_le_compat.
  apply: Rle_trans (vnorm_triangle _ _) _; apply: Rplus_le_compat; first exact: projected_growth.
  rewrite vnormZ Rabs_pos_eq //; apply: Rmult_le_compat_l => //.
  exact: Rle_trans (beside_le unit _) hrho.
rewrite vnormZ Rabs_pos_eq //.
have le : vnorm (V w - n * u)%V * vnorm (V w - n * u)%V <= q * q by apply: Rmult_le_compat.
have nn : 0 < n * n by nra.
have i0 := Rinv_0_lt_compat _ nn.
have := Rmult_le_compat_l _ _ _ eta0 linear.
have : 2 * (vnorm (V w - n * u)%V * vnorm (V w - n * u)%V) / (n * n) <= 2 * (q * q) / (n * n).
  by apply: Rmult_le_compat_r; lra.
move/(Rmult_le_compat_l _ _ _ eta0); rewrite /Rdiv; lra.
Qed.
End Bend.
