(* FactoredRanges: softmax attention with a convex loss has the bounds that T22 takes of a loss (FACTORED.md section 4,
   (a) and (c)).

   Where the loss is low the outputs are above a floor (LockIn.v). The slope of a convex loss there is between those at
   the floor and at the best score, which bounds the excess by the weights and the weights by the excess. The curvature
   along a line is LockInNormalised.v's, or LabelLockIn.v's for selection cross-entropy. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Moments Smoothness Iteration Losses Direction Growth Region
                           Saturation LockIn NormalisedDescent LockInNormalised HeadLockIn LabelLockIn FactoredDecay
                           FactoredRun.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* A quadratic form is at most its bound at unit vectors times the squared length. *)
Lemma quadratic_le (J : finType) (f : vec J -> R) c : (forall r v, f (r * v)%V = r * r * f v) ->
  (forall v, vnorm v = 1 -> f v <= c) -> forall v, f v <= c * vnorm2 v.
Proof.
move=> scaled at_unit v; have n0 := vnorm_ge0 v; have [n1 | nz] := Rle_lt_or_eq_dec _ _ n0; last first.
  have -> : v = (0%R * v)%V by rewrite (vnorm_eq0 (esym nz)); vec_ring.
  by rewrite scaled vnorm2Z; right; ring.
have unit : vnorm (/ vnorm v * v)%V = 1.
  by rewrite vnormZ Rabs_pos_eq; [field; lra | exact/Rlt_le/Rinv_0_lt_compat].
have E : v = (vnorm v * (/ vnorm v * v))%V by apply: vec_ext => j; rewrite /vscale; field; lra.
rewrite {1}E scaled -vnorm_sqr.
have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ n0 n0) (at_unit _ unit); lra.
Qed.

Section FactoredRanges.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (w0 : vec (coord p)) (head : lock_head p).
Notation others := (others alpha).
Notation floor := (lock_floor head).
Notation second := (lock_second head).
Notation best i := (score (alpha i)).
Notation mass := (mass alpha l).
Hypothesis defined : loss_defined p l.
Hypothesis floor_defined : forall i, loss_domain l (floor i).
Hypothesis convex : forall x y, loss_domain l x -> x <= y -> - dloss l y <= - dloss l x.
Hypothesis ranges : lock_ranges alpha l w0 head.

Definition best_slope (i : group p) : R := - dloss l (best i).
Definition loss_above (z : vec (coord p)) : R := training_loss l z - least_loss alpha l.

Lemma loss_between x y : loss_domain l x -> x <= y ->
  - dloss l y * (y - x) <= l x - l y <= - dloss l x * (y - x).
Proof.
move=> dx xy; have within z : x <= z -> is_derive l z (dloss l z).
  by move=> xz; apply/is_derive_loss/(loss_domain_le dx).
have [| |z [zr E]] := MVT_gen l x y (dloss l); rewrite ?Rmin_left //.
- by move=> z [xz _]; apply: within; lra.
- by move=> z [xz _]; apply/continuity_pt_filterlim/ex_derive_continuous; exists (dloss l z); exact: within.
rewrite Rmin_left // Rmax_right // in zr.
have c1 := convex dx (proj1 zr); have c2 := convex (loss_domain_le dx (proj1 zr)) (proj2 zr).
have d0 : 0 <= y - x by lra.
have -> : l x - l y = - dloss l z * (y - x) by lra.
by split; apply: Rmult_le_compat_r.
Qed.

Lemma loss_above_sum z : loss_above z = \sum_i weight i * (l (output z i) - l (best i)).
Proof. by rewrite /loss_above /training_loss /least_loss -sumB; apply: eq_bigr => i _; ring. Qed.

Section Point.
Variable z : vec (coord p).
Hypothesis low : training_loss l z <= training_loss l w0.
Let lock i := lock_output defined ranges low i.

Lemma group_mass_le i : 0 <= group_mass alpha z i <= best i - output z i.
Proof.
have [_ fg] := lock i; have a0 := attention_gt0 z (alpha i); have a1 := attention_le1 alpha z (alpha i).
rewrite /group_mass; split; first by apply: Rmult_le_pos; lra.
by have := Rmult_le_compat_r (best i - output z i) _ _ (ltac:(lra)) a1; lra.
Qed.

Lemma mass_below_excess nu : 0 <= nu -> (forall i, nu * - dloss l (floor i) <= best_slope i) ->
  nu * mass z <= loss_above z.
Proof.
move=> nu0 nu_le; rewrite loss_above_sum /LockInNormalised.mass sum_mull; apply: sum_le => i _.
have [ff fg] := lock i; have [m0 m1] := group_mass_le i; have w0' := weight_gt0 i.
have [below _] := loss_between (defined z i) fg; have c := convex (floor_defined i) ff.
have d0 := dloss_lt0 l (output z i).
have -> : nu * (weight i * (- dloss l (output z i) * group_mass alpha z i)) =
  weight i * (nu * - dloss l (output z i) * group_mass alpha z i) by ring.
apply: Rmult_le_compat_l; first lra; apply: Rle_trans below.
have n := nu_le i; have n1 := Rmult_le_compat_l _ _ _ nu0 c.
have s0 : 0 <= nu * - dloss l (output z i) by apply: Rmult_le_pos; lra.
by apply: Rmult_le_compat => //; rewrite -/(best_slope i); lra.
Qed.

Lemma loss_above_ge0 : 0 <= loss_above z.
Proof. by have := least_loss_lower defined ranges z; rewrite /loss_above; lra. Qed.

Lemma output_deficit i : weight i * best_slope i * (best i - output z i) <= loss_above z.
Proof.
have [_ fg] := lock i; have [below _] := loss_between (defined z i) fg; have w0' := weight_gt0 i.
have := group_excess defined ranges z i; rewrite -/(loss_above z); apply: Rle_trans.
by rewrite Rmult_assoc; apply: Rmult_le_compat_l; [lra | exact: below].
Qed.

(* The attention off a selected token falls with the excess. *)
Lemma attention_deficit_excess h i t : others i t ->
  1 <= h * (weight i * best_slope i * (best i - second i)) -> 1 - attention z (alpha i) <= h * loss_above z.
Proof.
move=> ti h_ge; have [g0 _] := lock_gap ranges ti; have [_ fg] := lock i; have w0' := weight_gt0 i.
have b0 : 0 < best_slope i by have := dloss_lt0 l (best i); rewrite /best_slope; lra.
have wb := Rmult_lt_0_compat _ _ w0' b0; have d := output_deficit i.
have h0 : 0 <= h.
  apply: Rnot_lt_le => hn; have := Rmult_lt_0_compat _ _ wb g0 => q.
  by have := Rmult_lt_compat_r _ _ _ q hn; lra.
have sums : (1 - attention z (alpha i)) * (best i - second i) <= best i - output z i.
  have := output_selected alpha z i => O.
  have : (\sum_(s | others i s) attention z s) * (best i - second i) <=
      \sum_(s | others i s) attention z s * gap alpha s.
    rewrite sum_mulr; apply: sum_le => s /(lock_gap ranges)[_ gs].
    by apply: Rmult_le_compat_l => //; exact/Rlt_le/attention_gt0.
  by rewrite -attention_deficit_sum; lra.
have e := Rmult_le_compat_l _ _ _ h0 d.
have r0 : 0 <= 1 - attention z (alpha i) by have := attention_le1 alpha z (alpha i); lra.
apply: Rle_trans e; apply: (Rle_trans _ (h * (weight i * best_slope i *
  ((1 - attention z (alpha i)) * (best i - second i))))).
  have := Rmult_le_compat_r _ _ _ r0 h_ge; lra.
by apply: Rmult_le_compat_l => //; apply: Rmult_le_compat_l => //; lra.
Qed.

Lemma mass_above_excess h : (forall i t, others i t -> 1 <= h * (weight i * best_slope i * (best i - second i))) ->
  (1 - h * loss_above z) * loss_above z <= mass z.
Proof.
move=> h_ge; rewrite {2}loss_above_sum /LockInNormalised.mass sum_mull; apply: sum_le => i _.
have [ff fg] := lock i; have [m0 m1] := group_mass_le i; have w0' := weight_gt0 i.
have [below above] := loss_between (defined z i) fg; have d0 := dloss_lt0 l (output z i).
have b0 : 0 < best_slope i by have := dloss_lt0 l (best i); rewrite /best_slope; lra.
have e0 : 0 <= l (output z i) - l (best i).
  by apply: Rle_trans below; apply: Rmult_le_pos; [rewrite -/(best_slope i); lra | lra].
have -> : (1 - h * loss_above z) * (weight i * (l (output z i) - l (best i))) =
  weight i * ((1 - h * loss_above z) * (l (output z i) - l (best i))) by ring.
apply: Rmult_le_compat_l; first lra.
have right0 : 0 <= - dloss l (output z i) * group_mass alpha z i by apply: Rmult_le_pos; lra.
have [t ti | alone] := pickP (others i); last first.
  have E : output z i = best i by rewrite (output_selected alpha) big_pred0 // Rminus_0_r.
  by rewrite (_ : l (output z i) - l (best i) = 0) ?Rmult_0_r // E; ring.
have [k0 | kn] := Rle_lt_dec 0 (1 - h * loss_above z); last first.
  by apply: Rle_trans right0; have := Rmult_le_pos _ _ (Rlt_le _ _ (Ropp_0_gt_lt_contravar _ kn)) e0; lra.
have d := attention_deficit_excess ti (h_ge i t ti).
apply: Rle_trans (Rmult_le_compat_l _ _ _ k0 above) _; rewrite /group_mass.
have -> : (1 - h * loss_above z) * (- dloss l (output z i) * (best i - output z i)) =
  - dloss l (output z i) * ((1 - h * loss_above z) * (best i - output z i)) by ring.
by apply: Rmult_le_compat_l; [lra | apply: Rmult_le_compat_r; lra].
Qed.
End Point.

(* ---- curvature along any line, of a loss that LockInNormalised.v speaks of ---- *)

Variable bend : lock_bend.
Hypothesis bends : bend_ranges alpha l head bend.

Lemma line_curvature_scale (z v : vec (coord p)) (r : R) :
  line_curvature l bend z (r * v)%V = r * r * line_curvature l bend z v.
Proof.
rewrite /line_curvature sum_mull; apply: eq_bigr => i _.
rewrite !dotZr mixed_scale mixedC mixed_scale; ring.
Qed.

Lemma line_curvature_bound (z v : vec (coord p)) : training_loss l z <= training_loss l w0 ->
  line_curvature l bend z v <=
    (1 + bend_excess bend) * (bend_diameter bend * bend_diameter bend) * mass z * vnorm2 v.
Proof.
move=> low; apply: (quadratic_le (f := line_curvature l bend z)) v => [r v|v unit]; first exact: line_curvature_scale.
have := line_curvature_le defined ranges bends low unit; lra.
Qed.

End FactoredRanges.

(* ---- of selection cross-entropy ---- *)

Section Labels.
Variables (p : selection_problem) (alpha : selection p).
Hypotheses (label_gt0 : forall i, 0 < score (alpha i)) (other_zero : forall t, constraint alpha t -> score t = 0).
Variable Dm : R.
Hypotheses (Dm_ge0 : 0 <= Dm)
  (apart : forall t c : token p, group_of t = group_of c -> vnorm (feature t - feature c) <= Dm).
Implicit Types z v : vec (coord p).

Lemma label_bent_scale z r v : cross_entropy_bent z (r * v)%V = r * r * cross_entropy_bent z v.
Proof.
rewrite /cross_entropy_bent sum_mull; apply: eq_bigr => i _.
have E : variance (fun t : token p => group_of t == i) (attention z) (logit (r * v)%V) =
    r * r * variance (fun t : token p => group_of t == i) (attention z) (logit v).
  rewrite /variance /Moments.mean.
  have -> : \sum_(t | group_of t == i) attention z t * logit (r * v)%V t =
      r * (\sum_(t | group_of t == i) attention z t * logit v t).
    by rewrite sum_mull; apply: eq_bigr => t _; rewrite /logit dotZr; ring.
  by rewrite [RHS]sum_mull; apply: eq_bigr => t _; rewrite /logit dotZr; ring.
by rewrite E; ring.
Qed.

Theorem label_curves : (forall z v x, is_derive (fun y => dot (gradient cross_entropy (z + y * v)%V) v) x
    (cross_entropy_bent (z + x * v)%V v)) /\
  forall z v, cross_entropy_bent z v <= Dm * Dm * mass alpha cross_entropy z * vnorm2 v.
Proof.
split=> [|z v]; first exact: bent_line (label_lines label_gt0 other_zero vzero Dm_ge0 apart).
apply: (quadratic_le (f := cross_entropy_bent z)) v => [r v|v unit]; first exact: label_bent_scale.
exact (bent_line_le (label_lines label_gt0 other_zero z Dm_ge0 apart) (Rle_refl _) unit).
Qed.
End Labels.

(* ---- all of them, of problems over matrices ---- *)

Section Matrices.
Variables (d e group token : finType) (group_of : token -> group) (feature : token -> vec [finType of d * e]).
Variables (score multiplicity : token -> R) (multiplicity_gt0 : forall t, 0 < multiplicity t).
Variables (weight : group -> R) (weight_gt0 : forall i, 0 < weight i).
Let p := SelectionProblem group_of feature score multiplicity_gt0 weight_gt0.
Variables (alpha : selection p) (l : loss) (w0 : vec (coord p)) (head : lock_head p).
Variables (k : factored_constants) (least : R).
Hypothesis defined : loss_defined p l.
Hypothesis floor_defined : forall i, loss_domain l (lock_floor head i).
Hypothesis convex : forall x y, loss_domain l x -> x <= y -> - dloss l y <= - dloss l x.
Hypothesis ranges : lock_ranges alpha l w0 head.
Hypothesis curves : exists2 bent : vec (coord p) -> vec (coord p) -> R,
  (forall z v x, is_derive (fun y => dot (gradient l (z + y * v)%V) v) x (bent (z + x * v)%V v)) &
  forall z v, training_loss l z <= training_loss l w0 -> bent z v <=
    (1 + factored_bend k) * (factored_reach k * factored_reach k) * mass alpha l z * vnorm2 v.
Hypothesis ratio_ge0 : 0 <= factored_ratio k.
Hypothesis ratio_le : forall i, factored_ratio k * - dloss l (lock_floor head i) <= best_slope alpha l i.
Hypothesis deficit_ge : forall i t, others alpha i t ->
  1 <= factored_deficit k * (weight i * best_slope alpha l i * (score (alpha i) - lock_second head i)).
Hypothesis reach_ge : forall t s, group_of t = group_of s -> vnorm (feature t - feature s)%V <= factored_reach k.
Hypothesis least_le : forall t, constraint alpha t -> least <= lock_blo alpha head t.

Lemma descent_of_loss (z : vec (coord p)) :
  field_of (constraint alpha) (Delta alpha) (bare_weight alpha l) z = (- gradient l z)%V.
Proof. by rewrite /field_of gradient_ascent. Qed.

Theorem factored_loss_ranges :
  factored_ranges (constraint alpha) (Delta alpha) (bare_weight alpha l) (loss_above alpha l) least k
    (loss_above alpha l w0).
Proof.
have down z : loss_above alpha l z <= loss_above alpha l w0 -> training_loss l z <= training_loss l w0.
  by rewrite /loss_above; lra.
split.
- move=> z v x; rewrite descent_of_loss dotNl Ropp_involutive.
  have D := is_derive_minus _ _ _ _ _ 
    (@is_derive_training_loss p l z v x defined) (is_derive_const (least_loss alpha l) x).
  by apply: is_derive_ext_eq D; rewrite /minus /plus /opp /zero /=; ring.
- have [bent derives below] := curves; exists bent => [z v x | z v /down low]; last first.
    by rewrite mass_weights; exact: below.
  apply: (is_derive_ext (fun y => dot (@gradient p l (z + y * v)%V) v)) => [y|]; last exact: derives.
  by rewrite descent_of_loss dotNl Ropp_involutive.
- by move=> z /down low t Qt; apply: Rle_trans (least_le Qt) _; have [] := lock_factors defined ranges low Qt.
- by move=> z /down low; rewrite mass_weights;
  exact: (mass_below_excess defined floor_defined convex ranges low ratio_ge0 ratio_le).
- by move=> z /down low; rewrite mass_weights; exact: (mass_above_excess defined convex ranges low
  deficit_ge).
by move=> t _; apply: reach_ge; exact: (group_of_selected alpha t).
Qed.
End Matrices.
