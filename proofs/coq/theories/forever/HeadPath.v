(* HeadPath: T21 for heads of several outputs (DYNAMICS.md section 11): what attention off the selected token costs at
   least and at most.

   A classifier's loss is convex in the attention: its tangent at the selected tokens is below it, its chords above. Of
   ReLU units the output is what is bounded, unit by unit: max(0, .) is above its tangent and below its chords, and the
   sign of a unit's weight says which of the two counts for which side. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Heads Direction Gibbs Growth Saturation ExcessPath RegularisationPath
                           HeadRanges ClassifierHead ClassifierLockIn UnitsHead.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* What falls with the attention along a ray on which the margins grow. *)
Lemma lost_on_ray (p : selection_problem) (alpha : selection p) (u : vec (coord p)) gamma (top : token p -> R) r i :
  0 <= r -> (forall t, constraint alpha t -> gamma <= margin alpha u t) ->
  (forall t, others alpha i t -> 0 <= top t) ->
  \sum_(t | others alpha i t) attention (r * u)%V t * top t <=
    (\sum_(t | others alpha i t) copies alpha t * top t) * exp (- (gamma * r)).
Proof.
move=> r0 on_ray top0; rewrite sum_mulr; apply: sum_le => t ti; have Qt : constraint alpha t by case/andP: ti.
have small : attention (r * u)%V t <= copies alpha t * exp (- (gamma * r)).
  apply: Rle_trans (attention_le_exp (r * u)%V ti) _.
  apply: Rmult_le_compat_l; first exact/Rlt_le/copies_gt0.
  apply: exp_le; rewrite /margin dotZr; have := Rmult_le_compat_l _ _ _ r0 (on_ray t Qt); rewrite /margin; lra.
by have := Rmult_le_compat_r _ _ _ (top0 t ti) small; lra.
Qed.

(* ---- a classifier ---- *)

Section Classes.
Variables (p : selection_problem) (V : finType) (G : token p -> V -> R) (y : group p -> V) (alpha : selection p).
Notation h := (classifier_head G y).
Notation others := (others alpha).
Implicit Types (w : vec (coord p)) (t : token p) (i : group p).

Definition class_over w i : R := head_value h i (attention w) - selected_value G y alpha i.

(* The loss of a token alone, above that of the selected one. *)
Definition class_alone t : R := ln (\sum_k exp (G t k - G t (y (group_of t)))).
Definition class_top t : R := class_alone t - selected_value G y alpha (group_of t).

Lemma class_over_total w : head_loss h w - selected_loss G y alpha = total_excess class_over w.
Proof. by rewrite /head_loss /selected_loss -sumB; apply: eq_bigr => i _; rewrite /class_over; ring. Qed.

Lemma class_chords w i : class_over w i <= \sum_(t | others i t) attention w t * class_top t.
Proof.
set s := attention w; set m := class_average G i s; set q := class_share G i s.
have Z0 := partition_gt0 G y i s; set Z := partition G i s in Z0 *.
have q0 k : 0 < q k := class_share_gt0 G y i s k.
have q1 : \sum_k q k = 1 := class_share_sum G y i s.
have lnq k : ln (q k) = m k - ln Z by rewrite /q /class_share -/Z ln_div ?ln_exp //; exact: exp_pos.
pose mean t := \sum_k q k * (G t k - G t (y i)).
pose entropy := \sum_k q k * (m k - ln Z).
have each t : group_of t = i -> mean t - entropy <= class_alone t.
  move=> ti; have := gibbs (fun k _ => Rlt_le _ _ (q0 k)) q1
    (fun k (_ : predT k) => exp_pos (G t k - G t (y i))).
  rewrite /class_alone ti; apply: Rle_trans; right.
  by rewrite /mean /entropy -sumB; apply: eq_bigr => k _; rewrite ln_exp lnq; ring.
have one := attention_sum alpha w i; rewrite -/s in one.
have value : head_value h i s = (\sum_(t | group_of t == i) s t * mean t) - entropy.
  have -> : \sum_(t | group_of t == i) s t * mean t = \sum_k q k * (m k - m (y i)).
    rewrite (eq_bigr (fun t => \sum_k q k * (s t * G t k - s t * G t (y i)))) => [|t _]; last first.
      by rewrite sum_mull; apply: eq_bigr => k _; ring.
    by rewrite exchange_big /=; apply: eq_bigr => k _; rewrite -sum_mull sumB.
  have -> : \sum_k q k * (m k - m (y i)) = entropy + (ln Z - m (y i)) * (\sum_k q k).
    by rewrite /entropy sum_mull -sumD; apply: eq_bigr => k _; ring.
  by rewrite q1 /= -/Z -/m; ring.
have whole : head_value h i s <= \sum_(t | group_of t == i) s t * class_alone t.
  have -> : head_value h i s = \sum_(t | group_of t == i) s t * (mean t - entropy).
    have -> : \sum_(t | group_of t == i) s t * (mean t - entropy) =
        (\sum_(t | group_of t == i) s t * mean t) - (\sum_(t | group_of t == i) s t) * entropy.
      by rewrite sum_mulr -sumB; apply: eq_bigr => t _; ring.
    by rewrite one value; ring.
  apply: sum_le => t /eqP ti; apply: Rmult_le_compat_l; [exact/Rlt_le/attention_gt0 | exact: each].
have own : class_alone (alpha i) = selected_value G y alpha i by rewrite /class_alone group_of_pick.
have -> : \sum_(t | others i t) s t * class_top t =
    (\sum_(t | group_of t == i) s t * class_alone t) - selected_value G y alpha i.
  rewrite (group_sum alpha) own.
  have -> : \sum_(t | others i t) s t * class_top t = (\sum_(t | others i t) s t * class_alone t) -
      (\sum_(t | others i t) s t) * selected_value G y alpha i.
    by rewrite sum_mulr -sumB; apply: eq_bigr => t /andP[_ /eqP ti]; rewrite /class_top ti; ring.
  by rewrite -(attention_deficit_sum alpha) -/s; ring.
by rewrite /class_over -/s; lra.
Qed.
End Classes.

(* ---- ReLU units ---- *)

Section Units.
Variables (p : selection_problem) (U : finType) (Y : group p -> R) (r : U -> R) (unit_of : token p -> U -> R).
Variables (l : loss) (alpha : selection p).
Notation h := (units_head Y r unit_of l).
Notation others := (others alpha).
Implicit Types (w : vec (coord p)) (t : token p) (i : group p) (n : U).

(* The output where all attention is on the selected token. *)
Definition units_best i : R := Y i * \sum_n r n * Rmax 0 (unit_of (alpha i) n).
Definition units_at w i : R := units_output Y r unit_of i (attention w).

Definition unit_tangent t n : R :=
  if Rlt_dec 0 (unit_of (selected alpha t) n) then unit_of t n - unit_of (selected alpha t) n else 0.
Definition unit_chord t n : R := Rmax 0 (unit_of t n) - Rmax 0 (unit_of (selected alpha t) n).
Definition units_rise t : R := \sum_n let b := Y (group_of t) * r n in
  - b * (if Rlt_dec b 0 then unit_tangent t n else unit_chord t n).
Definition units_top t : R := \sum_n let b := Y (group_of t) * r n in
  - b * (if Rlt_dec b 0 then unit_chord t n else unit_tangent t n).

Section Unit.
Variables (w : vec (coord p)) (i : group p) (n : U).
Notation s := (attention w).
Notation own := (unit_of (alpha i) n).
Notation mean := (unit_mean unit_of i s n).
Let s_ge0 t : 0 <= s t := Rlt_le _ _ (attention_gt0 w t).

Let mean_change : mean - own = \sum_(t | others i t) s t * (unit_of t n - own).
Proof.
have one := attention_deficit_sum alpha w i; rewrite /unit_mean (group_sum alpha).
have -> : \sum_(t | others i t) s t * (unit_of t n - own) =
    (\sum_(t | others i t) s t * unit_of t n) - (\sum_(t | others i t) s t) * own.
  by rewrite sum_mulr -sumB; apply: eq_bigr => t _; ring.
by rewrite -one; ring.
Qed.

Lemma unit_tangents : \sum_(t | others i t) s t * unit_tangent t n <= Rmax 0 mean - Rmax 0 own.
Proof.
have E : \sum_(t | others i t) s t * unit_tangent t n = if Rlt_dec 0 own then mean - own else 0.
  rewrite (eq_bigr (fun t => s t * (if Rlt_dec 0 own then unit_of t n - own else 0))) => [|t /andP[_ /eqP ti]];
    last by rewrite /unit_tangent /selected ti.
  by case: (Rlt_dec 0 own) => pos /=; [rewrite mean_change | apply: sum0 => t _; ring].
rewrite E; case: (Rlt_dec 0 own) => pos /=; first by rewrite (Rmax_right 0 own); [have := Rmax_r 0 mean; lra | lra].
by rewrite (Rmax_left 0 own); [have := Rmax_l 0 mean; lra | lra].
Qed.

Lemma unit_chords : Rmax 0 mean - Rmax 0 own <= \sum_(t | others i t) s t * unit_chord t n.
Proof.
have one := attention_deficit_sum alpha w i.
have E : \sum_(t | others i t) s t * unit_chord t n =
    (\sum_(t | group_of t == i) s t * Rmax 0 (unit_of t n)) - Rmax 0 own.
  rewrite (group_sum alpha).
  have -> : \sum_(t | others i t) s t * unit_chord t n =
      (\sum_(t | others i t) s t * Rmax 0 (unit_of t n)) - (\sum_(t | others i t) s t) * Rmax 0 own.
    by rewrite sum_mulr -sumB; apply: eq_bigr => t /andP[_ /eqP ti]; rewrite /unit_chord /selected ti; ring.
  by rewrite -one; ring.
rewrite E; apply: Rplus_le_compat_r; apply: Rmax_lub.
  by apply: sum_ge0 => t _; apply: Rmult_le_pos; [exact: s_ge0 | exact: Rmax_l].
by apply: sum_le => t _; apply: Rmult_le_compat_l; [exact: s_ge0 | exact: Rmax_r].
Qed.
End Unit.

Lemma units_lost w i : \sum_(t | others i t) attention w t * units_rise t <= units_best i - units_at w i <=
  \sum_(t | others i t) attention w t * units_top t.
Proof.
pose drop n := - (Y i * r n) * (Rmax 0 (unit_mean unit_of i (attention w) n) - Rmax 0 (unit_of (alpha i) n)).
have E : units_best i - units_at w i = \sum_n drop n.
  rewrite /units_best /units_at /units_output !sum_mull -sumB; apply: eq_bigr => n _; rewrite /drop; ring.
have swap (f : token p -> U -> R) : \sum_(t | others i t) attention w t * (\sum_n - (Y (group_of t) * r n) * f t n) =
    \sum_n - (Y i * r n) * \sum_(t | others i t) attention w t * f t n.
  rewrite (eq_bigr (fun t => \sum_n attention w t * (- (Y (group_of t) * r n) * f t n))) => [|t _];
    last by rewrite sum_mull.
  rewrite exchange_big /=; apply: eq_bigr => n _; rewrite sum_mull; apply: eq_bigr => t /andP[_ /eqP ->]; ring.
have low n := unit_tangents w i n; have high n := unit_chords w i n.
have pick (a b : token p -> U -> R) n : \sum_(t | others i t) attention w t *
    (if Rlt_dec (Y (group_of t) * r n) 0 then a t n else b t n) =
    if Rlt_dec (Y i * r n) 0 then \sum_(t | others i t) attention w t * a t n
    else \sum_(t | others i t) attention w t * b t n.
  by case: Rlt_dec => c; apply: eq_bigr => t /andP[_ /eqP ti]; rewrite ti; case: Rlt_dec.
rewrite E; split.
  rewrite (swap (fun t n => if Rlt_dec (Y (group_of t) * r n) 0 then unit_tangent t n else unit_chord t n)).
  apply: sum_le => n _; rewrite pick /drop; case: (Rlt_dec (Y i * r n) 0) => /= [c|/Rnot_lt_le c].
    by apply: Rmult_le_compat_l; [lra | exact: low].
  by have := Rmult_le_compat_l _ _ _ c (high n); lra.
rewrite (swap (fun t n => if Rlt_dec (Y (group_of t) * r n) 0 then unit_chord t n else unit_tangent t n)).
apply: sum_le => n _; rewrite pick /drop; case: (Rlt_dec (Y i * r n) 0) => /= [c|/Rnot_lt_le c].
  by apply: Rmult_le_compat_l; [lra | exact: high].
by have := Rmult_le_compat_l _ _ _ c (low n); lra.
Qed.

(* From bounds of the slope up to the best output, and of the output on the ray. *)
Variables (least most : R).
Hypothesis defined : forall x, loss_domain l x.

Lemma units_excess_ge w i : (forall t, others i t -> 0 <= units_rise t) ->
  (forall x, x <= units_best i -> least <= - dloss l x) -> 0 <= least ->
  least * (\sum_(t | others i t) attention w t * units_rise t) <= l (units_at w i) - l (units_best i).
Proof.
move=> rise0 slope least0; have [low _] := units_lost w i.
have lost0 : 0 <= \sum_(t | others i t) attention w t * units_rise t.
  by apply: sum_ge0 => t ti; apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | exact: rise0].
have [|x [[x1 x2] ->]] := @loss_mean_value l (units_at w i) (units_best i) (defined _); first lra.
by apply: Rmult_le_compat => //; apply: slope.
Qed.

Lemma units_excess_le w i lost : (forall t, others i t -> 0 <= units_rise t) ->
  \sum_(t | others i t) attention w t * units_top t <= lost ->
  (forall x, units_at w i <= x -> - dloss l x <= most) ->
  l (units_at w i) - l (units_best i) <= most * lost.
Proof.
move=> rise0 le slope; have [low high] := units_lost w i.
have lost0 : 0 <= \sum_(t | others i t) attention w t * units_rise t.
  by apply: sum_ge0 => t ti; apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | exact: rise0].
have [|x [[x1 x2] ->]] := @loss_mean_value l (units_at w i) (units_best i) (defined _); first lra.
by apply: Rmult_le_compat; [have := dloss_lt0 l x; lra | lra | exact: slope | lra].
Qed.
End Units.
