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
From Attest Require Import Euclid Selection Gradient Moments Smoothness PseudoOrbit.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- symmetric forms ---- *)

Section Forms.
Variable J : finType.
Implicit Types (g h x y z : vec J) (S : vec J -> vec J -> R).

Definition symmetric_form S : Prop :=
  [/\ forall x y, S x y = S y x, forall x y z, S (x + y)%V z = S x z + S y z &
      forall (c : R) x y, S (c * x)%V y = c * S x y].

Lemma form_zero S x : symmetric_form S -> S vzero x = 0.
Proof. by case=> _ _ scale; have -> : vzero = (0%R * x)%V by [vec_ring]; rewrite scale Rmult_0_l. Qed.

(* A bound of the squares is one of the whole form. *)
Theorem symmetric_form_le S (k : R) : symmetric_form S -> 0 <= k -> (forall z, Rabs (S z z) <= k * vnorm2 z) ->
  forall g h, Rabs (S g h) <= k * vnorm g * vnorm h.
Proof.
move=> form k0 H; have [sym add scale] := form.
have sum_bound x y : 2 * Rabs (S x y) <= k * (vnorm2 x + vnorm2 y).
  have addr a b c : S a (b + c)%V = S a b + S a c by rewrite sym add !(sym _ a).
  have -> : S x y = / 4 * (S (x + y)%V (x + y)%V - S (x + (- 1)%R * y)%V (x + (- 1)%R * y)%V).
    have scaler c a b : S a (c * b)%V = c * S a b by rewrite sym scale sym.
    by rewrite !add !addr !scale !scaler (sym y x); field.
  have Hp := H (x + y)%V; have Hm := H (x + (- 1)%R * y)%V.
  rewrite vnorm2D in Hp; rewrite vnorm2D vnorm2Z dotZr in Hm.
  rewrite Rabs_mult (Rabs_pos_eq (/ 4)); last lra.
  have := Rabs_triang (S (x + y)%V (x + y)%V) (- S (x + (- 1)%R * y)%V (x + (- 1)%R * y)%V).
  by rewrite Rabs_Ropp -/(Rminus _ _); lra.
move=> g h; case: (vnorm_ge0 g) => [g0 | g0]; last first.
  by rewrite (vnorm_eq0 (esym g0)) form_zero // Rabs_R0 vnorm0; lra.
case: (vnorm_ge0 h) => [h0 | h0]; last first.
  by rewrite (vnorm_eq0 (esym h0)) sym form_zero // Rabs_R0 vnorm0; lra.
pose r := vnorm h / vnorm g; have r0 : 0 < r by apply: Rdiv_lt_0_compat.
have := sum_bound (r * g)%V h; rewrite scale Rabs_mult (Rabs_pos_eq r); last lra.
rewrite vnorm2Z -!vnorm_sqr => le; apply: (Rmult_le_reg_l (2 * r)); first lra.
have E : r * vnorm g = vnorm h by rewrite /r; field; lra.
have -> : 2 * r * (k * vnorm g * vnorm h) = k * (2 * (r * vnorm g) * vnorm h) by ring.
rewrite Rmult_assoc; apply: Rle_trans le _; right.
have -> : r * r * (vnorm g * vnorm g) = (r * vnorm g) * (r * vnorm g) by ring.
by rewrite E; ring.
Qed.

(* x + s P y for a form that gives <y, .>, P the projection along the unit vector u. *)
Variables (u : vec J) (unit : dot u u = 1).
Definition beside z : vec J := (z - dot u z * u)%V.

Lemma dot_beside z : dot u (beside z) = 0.
Proof. by rewrite /beside dotBr dotZr unit; ring. Qed.

Lemma dot_besideC x z : dot (beside x) z = dot x (beside z).
Proof. by rewrite /beside dotBl dotBr dotZl dotZr (dotC x u); ring. Qed.

Lemma split_along z : z = (dot u z * u + beside z)%V.
Proof. by rewrite /beside; vec_ring. Qed.

Lemma dot_split x z : dot x z = dot u x * dot u z + dot (beside x) (beside z).
Proof. by rewrite /beside !dotBl !dotBr !dotZl !dotZr unit (dotC x u); ring. Qed.

Lemma beside_le z : vnorm (beside z) <= vnorm z.
Proof.
apply: vnorm_le; rewrite /vnorm2 (dot_split z z); have := Rle_0_sqr (dot u z); rewrite /Rsqr; lra.
Qed.

Lemma besideD x y : beside (x + y)%V = (beside x + beside y)%V.
Proof. by rewrite /beside dotDr; vec_ring. Qed.

Lemma besideZ (c : R) x : beside (c * x)%V = (c * beside x)%V.
Proof. by rewrite /beside dotZr; vec_ring. Qed.

(* The part of a form beside u. *)
Theorem projected_form_le S (s k T : R) : symmetric_form S -> 1 <= k ->
  (forall z, Rabs (vnorm2 z + s * S z z) <= k * vnorm2 z) -> 0 <= s ->
  (forall g, dot u g = 0 -> s * Rabs (S u g) <= T * vnorm g) -> 0 <= T ->
  forall h e, Rabs (dot h e + s * S h (beside e)) <= (k + T) * vnorm h * vnorm e.
Proof.
move=> form k1 H s0 turn T0 h e; have [sym add scale] := form.
pose S2 x y := dot x y + s * S (beside x) (beside y).
have form2 : symmetric_form S2.
  split=> [x y | x y z | c x y]; rewrite /S2; first by rewrite dotC sym.
    by rewrite dotDl besideD add; ring.
  by rewrite dotZl besideZ scale; ring.
have -> : dot h e + s * S h (beside e) = S2 h e + dot u h * (s * S u (beside e)).
  by rewrite /S2 {2}(split_along h) add scale; ring.
apply: Rle_trans (Rabs_triang _ _) _; rewrite Rmult_assoc Rmult_plus_distr_r -!Rmult_assoc.
apply: Rplus_le_compat.
  apply: symmetric_form_le form2 _ _ h e; first lra.
  move=> z; have -> : S2 z z = dot u z * dot u z + (vnorm2 (beside z) + s * S (beside z) (beside z)).
    by rewrite /S2 (dot_split z z) /vnorm2; ring.
  apply: Rle_trans (Rabs_triang _ _) _; rewrite {2}/vnorm2 (dot_split z z).
  have := H (beside z); have q := Rle_0_sqr (dot u z); rewrite /Rsqr in q; rewrite (Rabs_pos_eq _ q) /vnorm2; nra.
rewrite Rabs_mult Rabs_mult (Rabs_pos_eq s) //.
have uh : Rabs (dot u h) <= vnorm h.
  by have := cauchy_schwarz u h; rewrite {1}/vnorm /vnorm2 unit sqrt_1 Rmult_1_l.
have ue := turn _ (dot_beside e); have b0 := beside_le e; have h0 := Rabs_pos (dot u h).
have : T * vnorm (beside e) <= T * vnorm e by exact: Rmult_le_compat_l.
have S0 : 0 <= s * Rabs (S u (beside e)) by apply: Rmult_le_pos => //; exact: Rabs_pos.
have n0 := vnorm_ge0 h; nra.
Qed.

(* Normalising, to second order. *)
Theorem direction_linear (v : vec J) (n : R) : 0 < n -> 4 * vnorm (v - n * u)%V <= n ->
  0 < vnorm v /\
  vnorm (/ vnorm v * v - u - / n * beside (v - n * u))%V <= 2 * (vnorm (v - n * u)%V * vnorm (v - n * u)%V) / (n * n).
Proof.
move=> n0 small; set d := (v - n * u)%V in small *; set q := vnorm d in small *; have q0 : 0 <= q by exact: vnorm_ge0.
have u1 : vnorm u = 1 by rewrite /vnorm /vnorm2 unit sqrt_1.
have w1 : vnorm (n * u)%V = n by rewrite vnormZ u1 Rabs_pos_eq; lra.
set m := vnorm v.
have m1 : n - q <= m.
  have := vnorm_sub_ge (n * u)%V v; rewrite w1 -/m.
  have -> : ((n * u)%V - v)%V = (- d)%V by rewrite /d; vec_ring.
  by rewrite vnormN -/q; lra.
have m0 : 0 < m by lra.
split=> //.
set a := dot u d.
have va : dot u v = n + a by rewrite /a /d dotBr dotZr unit; ring.
have m2 : m * m = n * n + 2 * n * a + q * q.
  rewrite /m vnorm_sqr (_ : v = (n * u + d)%V); last by rewrite /d; vec_ring.
  by rewrite vnorm2D vnorm2Z dotZl -/a -/(vnorm2 d) -[vnorm2 d]vnorm_sqr /vnorm2 unit -/q; ring.
have aq : Rabs a <= q by have := cauchy_schwarz u d; rewrite u1 Rmult_1_l.
have [a1 a2] : - q <= a <= q by move: aq; move/Rabs_le_between.
(* |v| - n - a is between 0 and q^2 / n *)
have low : n + a <= m by have := dot_le_norms u v; rewrite va u1 -/m; lra.
have high : (m - n - a) * n <= 2 / 3 * (q * q).
  have : (m - n - a) * (m + n + a) <= q * q by have := Rle_0_sqr a; rewrite /Rsqr; lra.
  nra.
have apart : vnorm (/ m * v - u)%V * n <= 8 / 7 * q.
  have := direction_distance (x := v) (y := (n * u)%V); rewrite w1 -/m -/d -/q => /(_ m0 n0).
  have -> : (/ n * (n * u))%V = u by rewrite (_ : (/ n * (n * u))%V = ((/ n * n)%R * u)%V);
    [rewrite Rinv_l; [vec_ring | lra] | vec_ring].
  have x0 := vnorm_ge0 (/ m * v - u)%V; nra.
have -> : (/ m * v - u - / n * beside d)%V = ((- (m - n - a) / n) * (/ m * v) + (- (a / n)) * (/ m * v - u))%V.
  apply: vec_ext => j; rewrite /beside -/a /d /vsub /vadd /vscale; field; lra.
apply: Rle_trans (vnorm_triangle _ _) _; rewrite !vnormZ -/m.
rewrite Rabs_Ropp (Rabs_pos_eq (/ m)); last exact/Rlt_le/Rinv_0_lt_compat.
have -> : / m * m = 1 by rewrite Rinv_l; lra.
rewrite /Rdiv !Rabs_mult Rabs_Ropp (Rabs_pos_eq (/ n)); last exact/Rlt_le/Rinv_0_lt_compat.
rewrite (Rabs_pos_eq (m - n - a)); last lra.
have i0 := Rinv_0_lt_compat _ n0.
apply: (Rmult_le_reg_r (n * n)); first nra.
have -> : ((m - n - a) * / n * 1 + Rabs a * / n * vnorm (/ m * v - u)%V) * (n * n) =
  (m - n - a) * n + Rabs a * (vnorm (/ m * v - u)%V * n) by field; lra.
have -> : 2 * (q * q) * / (n * n) * (n * n) = 2 * (q * q) by field; lra.
have := Rmult_le_compat _ _ _ _ (Rabs_pos a) (Rmult_le_pos _ _ (vnorm_ge0 (/ m * v - u)%V) (Rlt_le _ _ n0)) aq apart.
by have := Rle_0_sqr q; rewrite /Rsqr; lra.
Qed.
End Forms.

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
