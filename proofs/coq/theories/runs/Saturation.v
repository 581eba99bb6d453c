(* Saturation: what lower bounds of the margins say about attention and outputs.

   When the margins of a group are large, attention concentrates on the selected token and the output approaches its
   score; the factors b_c of T1's weights are then confined to explicit intervals. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Direction.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Saturation.
Variables (p : selection_problem) (alpha : selection p).
Implicit Types (w : vec (coord p)) (t : token p) (i : group p).
Notation margin := (margin alpha).
Notation gap := (gap alpha).
Notation copies := (copies alpha).
Notation constraint := (constraint alpha).
Notation selected := (selected alpha).

(* The constraints of one group. *)
Definition others (i : group p) : pred (token p) := fun t => constraint t && (group_of t == i).

(* E_i: the attention of the other tokens relative to the selected one. *)
Definition odds w i : R := \sum_(t | others i t) copies t * exp (- margin w t).

Lemma odds_ge0 w i : 0 <= odds w i.
Proof.
by apply: sum_ge0 => t _; apply/Rlt_le/Rmult_lt_0_compat; [exact: copies_gt0 | exact: exp_pos].
Qed.

(* A sum over a group is its selected token's term and the others'. *)
Lemma group_sum (F : token p -> R) i :
  \sum_(t | group_of t == i) F t = F (alpha i) + \sum_(t | others i t) F t.
Proof.
rewrite (bigD1 (alpha i)) /=; last by rewrite group_of_pick.
congr (_ + _); apply: eq_bigl => t; rewrite /others /Selection.constraint /Selection.selected.
by case gi: (group_of t == i); rewrite ?andbF ?andbT //= (eqP gi).
Qed.

Lemma attention_other w i t : others i t -> attention w t = attention w (alpha i) * (copies t * exp (- margin w t)).
Proof. by case/andP=> _ /eqP ti; rewrite (attention_margin alpha) /Selection.selected ti. Qed.

Lemma attention_selected w i : attention w (alpha i) = / (1 + odds w i).
Proof.
have := attention_sum alpha w i; rewrite group_sum.
rewrite (eq_bigr (fun t => attention w (alpha i) * (copies t * exp (- margin w t)))) => [|t];
  last exact: attention_other.
rewrite -sum_mull -/(odds w i) => H; have E0 := odds_ge0 w i.
apply: (Rmult_eq_reg_r (1 + odds w i)); last by lra.
by rewrite Rinv_l; lra.
Qed.

Lemma attention_le_exp w i t : others i t -> attention w t <= copies t * exp (- margin w t).
Proof.
move=> ti; rewrite (attention_other w ti).
have e0 := Rmult_lt_0_compat _ _ (copies_gt0 alpha t) (exp_pos (- margin w t)).
by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ e0) (attention_le1 alpha w (alpha i)); lra.
Qed.

Lemma attention_deficit w i : 1 - attention w (alpha i) = odds w i / (1 + odds w i).
Proof. by rewrite attention_selected; have := odds_ge0 w i; move=> ?; field; lra. Qed.

Lemma attention_deficit_le w i : 1 - attention w (alpha i) <= odds w i.
Proof.
rewrite attention_deficit; have E0 := odds_ge0 w i.
apply: (Rmult_le_reg_r (1 + odds w i)); first by lra.
by rewrite /Rdiv Rmult_assoc Rinv_l; nra.
Qed.

Lemma attention_deficit_sum w i : 1 - attention w (alpha i) = \sum_(t | others i t) attention w t.
Proof. by have := attention_sum alpha w i; rewrite group_sum; lra. Qed.

Lemma output_selected w i : output w i = score (alpha i) - \sum_(t | others i t) attention w t * gap t.
Proof.
have := output_sub_score alpha w (alpha i); rewrite group_of_pick group_sum.
have -> : gap (alpha i) = 0 by rewrite /Selection.gap selected_pick; ring.
by lra.
Qed.

(* Lower bounds of the margins bound the odds. *)
Lemma odds_le w i (low : token p -> R) : (forall t, others i t -> low t <= margin w t) ->
  odds w i <= \sum_(t | others i t) copies t * exp (- low t).
Proof.
move=> H; apply: sum_le => t /H h; apply: Rmult_le_compat_l; first exact/Rlt_le/copies_gt0.
by case: h => [h | ->]; [left; apply: exp_increasing; lra | right].
Qed.

Lemma odds_ratio_mono E F : 0 <= E -> E <= F -> E / (1 + E) <= F / (1 + F).
Proof.
move=> E0 EF; have -> : E / (1 + E) = 1 - / (1 + E) by field; lra.
have -> : F / (1 + F) = 1 - / (1 + F) by field; lra.
have : / (1 + F) <= / (1 + E) by apply: Rinv_le_contravar; lra.
lra.
Qed.

Lemma bare_weight_eq l w i t : others i t -> bare_weight alpha l w t =
  copies t * (weight i * - dloss l (output w i) * attention w (alpha i) * (output w i - score t)).
Proof. by case/andP=> _ /eqP ti; rewrite /bare_weight /Selection.selected ti. Qed.

Lemma gap_eq i t : others i t -> gap t = score (alpha i) - score t.
Proof. by case/andP=> _ /eqP ti; rewrite /Selection.gap /Selection.selected ti. Qed.

Lemma others_self t : constraint t -> others (group_of t) t.
Proof. by move=> ct; rewrite /others ct eqxx. Qed.

(* |l'(f)| (f - g_t), how hard an output pulls against a token's score. *)
Definition score_pull l t v : R := - dloss l v * (v - score t).

(* From intervals of its two factors. *)
Lemma pull_range (l : loss) t v lmin lmax dmin dmax : 0 <= lmin -> 0 <= dmin -> lmin <= - dloss l v <= lmax ->
  dmin <= v - score t <= dmax -> lmin * dmin <= score_pull l t v <= lmax * dmax.
Proof. by move=> l0 d0 [l1 l2] [d1 d2]; split; apply: Rmult_le_compat; lra. Qed.

(* An interval for b_c from one for the pull. *)
Lemma bare_weight_range l w i t lmin lmax smin dmin dmax : others i t ->
  0 <= lmin -> 0 <= smin -> 0 <= dmin -> lmin * dmin <= score_pull l t (output w i) <= lmax * dmax ->
  smin <= attention w (alpha i) ->
  copies t * (weight i * lmin * smin * dmin) <= bare_weight alpha l w t <= copies t * (weight i * lmax * dmax).
Proof.
move=> ti l0 s0 d0 [l1 l2] s1; rewrite (bare_weight_eq l w ti).
have w0 := Rlt_le _ _ (weight_gt0 i); have sle := attention_le1 alpha w (alpha i).
have -> : weight i * - dloss l (output w i) * attention w (alpha i) * (output w i - score t) =
  weight i * (score_pull l t (output w i) * attention w (alpha i)) by rewrite /score_pull; ring.
have p0 : 0 <= lmin * dmin by exact: Rmult_le_pos.
have -> : weight i * lmin * smin * dmin = weight i * (lmin * dmin * smin) by ring.
have -> : weight i * lmax * dmax = weight i * (lmax * dmax * 1) by ring.
have k0 := Rlt_le _ _ (copies_gt0 alpha t).
by split; do 2! apply: Rmult_le_compat_l => //; apply: Rmult_le_compat; lra.
Qed.

Lemma bare_weight_size l w t a c : constraint t -> Rabs (score_pull l t (output w (group_of t))) <= a * c ->
  Rabs (bare_weight alpha l w t) <= copies t * (weight (group_of t) * a * c).
Proof.
move=> Qt le; rewrite (bare_weight_eq l w (others_self Qt)); set i := group_of t in le *.
have w0 := Rlt_le _ _ (weight_gt0 i).
have s0 := attention_gt0 w (alpha i); have s1 := attention_le1 alpha w (alpha i).
rewrite Rabs_mult Rabs_pos_eq; last exact/Rlt_le/copies_gt0.
apply: Rmult_le_compat_l; first exact/Rlt_le/copies_gt0.
have -> : weight i * - dloss l (output w i) * attention w (alpha i) * (output w i - score t) =
  weight i * (attention w (alpha i) * score_pull l t (output w i)) by rewrite /score_pull; ring.
rewrite Rabs_mult Rabs_pos_eq // Rmult_assoc; apply: Rmult_le_compat_l => //.
rewrite Rabs_mult Rabs_pos_eq; last lra.
by apply: Rle_trans le; have := Rmult_le_compat_r _ _ _ (Rabs_pos (score_pull l t (output w i))) s1; lra.
Qed.

(* Where every margin is at least low, at most eps of the attention leaves the selected token. *)
Section Attention.
Variables (low : token p -> R) (eps : group p -> R).

Definition local_odds i : R := \sum_(t | others i t) copies t * exp (- low t).
Hypothesis inside : forall i, local_odds i / (1 + local_odds i) <= eps i.

Lemma attention_range z : (forall t, constraint t -> low t <= margin z t) ->
  forall i, 1 - attention z (alpha i) <= eps i.
Proof.
move=> margins_ge i; rewrite attention_deficit; apply: Rle_trans (inside i).
apply: odds_ratio_mono (odds_ge0 _ _) (odds_le _) => t /andP[ct _]; exact: margins_ge.
Qed.
End Attention.
End Saturation.

(* ---- the reference direction of a selection ---- *)

(* A KKT pair of the margin problem gives the direction u = w*/||w*||, its margin 1/||w*|| and balanced
   multipliers. *)
Section MarginDirection.
Variables (p : selection_problem) (alpha : selection p) (ws : vec (coord p)) (lam : token p -> R).
Hypothesis ws_separates : separates alpha ws.
Hypothesis lam_multipliers : multipliers alpha ws lam.
Hypothesis some_constraint : exists t, constraint alpha t.

Definition margin_direction : vec (coord p) := (/ vnorm ws * ws)%V.
Definition margin_value : R := / vnorm ws.
Definition multiplier_weights (t : token p) : R := lam t / \sum_(c | constraint alpha c) lam c.

Lemma multiplier_total : \sum_(c | constraint alpha c) lam c = vnorm ws * vnorm ws.
Proof.
case: lam_multipliers => _ H slack.
rewrite vnorm_sqr /vnorm2 {1}H dot_combinel; apply: eq_bigr => c cc.
by have := slack c cc; rewrite /margin; lra.
Qed.

Lemma solution_norm_gt0 : 0 < vnorm ws.
Proof.
have [t ct] := some_constraint; have := ws_separates ct; rewrite /margin => m1.
have := dot_le_norms (Delta alpha t) ws; have := vnorm_ge0 ws; case=> // <-; lra.
Qed.

Theorem margin_direction_spec :
  direction (constraint alpha) (Delta alpha) margin_direction margin_value multiplier_weights.
Proof.
have n0 := solution_norm_gt0; have i0 := Rinv_0_lt_compat _ n0.
have L0 : 0 < \sum_(c | constraint alpha c) lam c by rewrite multiplier_total; exact: Rmult_lt_0_compat.
case: (lam_multipliers) => lam0 H _; split.
- by rewrite /margin_direction dotZl dotZr -/(vnorm2 ws) -vnorm_sqr; field; lra.
- exact: i0.
- move=> c cc; rewrite /margin_direction dotZr /margin_value; have := ws_separates cc; rewrite /margin => m1.
  by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ i0) m1; lra.
- move=> c cc; apply: Rmult_le_pos; first exact: lam0.
  exact/Rlt_le/Rinv_0_lt_compat.
- by rewrite /multiplier_weights -sum_mulr Rinv_r //; lra.
apply: vec_ext => j; rewrite /combine /vscale /margin_direction /vscale /multiplier_weights.
rewrite (eq_bigr (fun c => / (\sum_(c | constraint alpha c) lam c) * (lam c * Delta alpha c j))); last first.
  by move=> c _; rewrite /Rdiv; ring.
rewrite -sum_mull -/(combine (constraint alpha) lam (Delta alpha) j) -H multiplier_total /margin_value.
by field; lra.
Qed.
End MarginDirection.
