(* JointDecoder: how far from its limit's centre a decoder has to be until its groups' pulls lead back (T20, JOINT.md
   section 4). Pulls are mu_i e^(-w_i) up to factors between lam and e^g, with sum mu_i w_i = 0. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz Classical.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Losses.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma exp_between a c s : 0 <= s <= 1 -> exp (s * a + (1 - s) * c) <= s * exp a + (1 - s) * exp c.
Proof.
move=> [s0 s1]; set m := s * a + (1 - s) * c.
have tangent z : exp m * (1 + (z - m)) <= exp z.
  have -> : exp z = exp m * exp (z - m) by rewrite -exp_plus; congr exp; ring.
  apply: Rmult_le_compat_l; first exact/Rlt_le/exp_pos.
  by case: (Req_dec (z - m) 0) => [-> | ne]; [rewrite exp_0; lra | exact/Rlt_le/exp_ineq1].
have ta := Rmult_le_compat_l _ _ _ s0 (tangent a); have tc := Rmult_le_compat_l (1 - s) _ _ (ltac:(lra)) (tangent c).
suff : exp m = s * (exp m * (1 + (a - m))) + (1 - s) * (exp m * (1 + (c - m))) by lra.
by rewrite /m; ring.
Qed.

Lemma exp_tangent a z : exp a * (1 + (z - a)) <= exp z.
Proof.
have -> : exp z = exp a * exp (z - a) by rewrite -exp_plus; congr exp; ring.
apply: Rmult_le_compat_l; first exact/Rlt_le/exp_pos.
by case: (Req_dec (z - a) 0) => [-> | ne]; [rewrite exp_0; lra | exact/Rlt_le/exp_ineq1].
Qed.

Section Pulls.
Variables (G : finType) (mu : G -> R).
Hypotheses (mu_gt0 : forall i, 0 < mu i) (mu_one : \sum_i mu i = 1).
Implicit Types (w : G -> R) (i : G).

Definition pull_total w : R := \sum_i mu i * exp (- w i).   (* Z' *)

(* What one group's w_i = -m alone makes of it. *)
Definition one_pull i m : R := mu i * exp m + (1 - mu i) * exp (- (m * mu i / (1 - mu i))).

Lemma some_pull : exists i : G, True.
Proof.
case: (pickP (@predT G)) => [i _ | none]; first by exists i.
by move: mu_one; rewrite big_pred0 //; lra.
Qed.

Lemma pull_total_gt0 w : 0 < pull_total w.
Proof.
have [i _] := some_pull; apply: (sum_gt0 (i := i)) => // [j _|].
  by apply: Rmult_le_pos; [exact/Rlt_le/mu_gt0 | exact/Rlt_le/exp_pos].
by apply: Rmult_lt_0_compat; [exact: mu_gt0 | exact: exp_pos].
Qed.

Lemma one_pull_le w i : mu i < 1 -> \sum_j mu j * w j = 0 -> one_pull i (- w i) <= pull_total w.
Proof.
move=> i1 balanced; set a := - (- w i * mu i / (1 - mu i)).
rewrite /pull_total (bigD1 i) //= /one_pull -/a; apply: Rplus_le_compat_l.
have rest : \sum_(j | j != i) mu j = 1 - mu i by move: mu_one; rewrite (bigD1 i) //=; lra.
have others : \sum_(j | j != i) mu j * w j = - (mu i * w i) by move: balanced; rewrite (bigD1 i) //=; lra.
apply: (Rle_trans _ (\sum_(j | j != i) mu j * (exp a * (1 + (- w j - a))))); last first.
  by apply: sum_le => j _; apply: Rmult_le_compat_l; [exact/Rlt_le/mu_gt0 | exact: exp_tangent].
have -> : \sum_(j | j != i) mu j * (exp a * (1 + (- w j - a))) =
    exp a * ((1 - a) * (\sum_(j | j != i) mu j) - \sum_(j | j != i) mu j * w j).
  by rewrite Rmult_minus_distr_l !sum_mull -sumB; apply: eq_bigr => j _; ring.
rewrite rest others Rmult_comm; apply: Rmult_le_compat_l; first exact/Rlt_le/exp_pos.
by rewrite /a; right; field; lra.
Qed.

(* It is convex and 1 at 0: what holds at b holds beyond. *)
Lemma one_pull_beyond i b m : mu i < 1 -> 0 < b -> 1 <= one_pull i b -> b <= m -> one_pull i b <= one_pull i m.
Proof.
move=> i1 b0 one le; have m0 : 0 < m by lra.
have i0 := mu_gt0 i; pose s := b / m; have s0 : 0 <= s by apply/Rlt_le/Rdiv_lt_0_compat.
have sm : s * m = b by rewrite /s; field; lra.
have s1 : s <= 1 by apply: (Rmult_le_reg_r m) => //; lra.
have c1 := exp_between m 0 (conj s0 s1); rewrite exp_0 Rmult_0_r Rplus_0_r sm in c1.
have c2 := exp_between (- (m * mu i / (1 - mu i))) 0 (conj s0 s1).
rewrite exp_0 Rmult_0_r Rplus_0_r (_ : s * - (m * mu i / (1 - mu i)) = - (b * mu i / (1 - mu i))) in c2; last first.
  by rewrite -sm; field; lra.
have below : one_pull i b <= s * one_pull i m + (1 - s).
  rewrite /one_pull; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ i0) c1.
  by have := Rmult_le_compat_l (1 - mu i) _ _ (ltac:(lra)) c2; lra.
have sp : 0 < s by apply: Rdiv_lt_0_compat.
apply: (Rmult_le_reg_l s) => //; have : s * one_pull i b <= one_pull i b - (1 - s).
  by have := Rmult_le_compat_l (1 - s) _ _ (ltac:(lra)) one; lra.
lra.
Qed.

Lemma one_pull_before i b m : mu i < 1 -> 0 < b -> 1 <= one_pull i (- b) -> m <= - b ->
  one_pull i (- b) <= one_pull i m.
Proof.
move=> i1 b0 one le; have m0 : 0 < - m by lra.
have i0 := mu_gt0 i; pose s := b / - m; have sp : 0 < s by apply: Rdiv_lt_0_compat.
have sm : s * m = - b by rewrite /s; field; lra.
have s1 : s <= 1 by apply: (Rmult_le_reg_r (- m)) => //; lra.
have c1 := exp_between m 0 (conj (Rlt_le _ _ sp) s1); rewrite exp_0 Rmult_0_r Rplus_0_r sm in c1.
have c2 := exp_between (- (m * mu i / (1 - mu i))) 0 (conj (Rlt_le _ _ sp) s1).
rewrite exp_0 Rmult_0_r Rplus_0_r (_ : s * - (m * mu i / (1 - mu i)) = - (- b * mu i / (1 - mu i))) in c2; last first.
  by rewrite -sm; field; lra.
have below : one_pull i (- b) <= s * one_pull i m + (1 - s).
  rewrite /one_pull; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ i0) c1.
  by have := Rmult_le_compat_l (1 - mu i) _ _ (ltac:(lra)) c2; lra.
apply: (Rmult_le_reg_l s) => //; have : s * one_pull i (- b) <= one_pull i (- b) - (1 - s).
  by have := Rmult_le_compat_l (1 - s) _ _ (ltac:(lra)) one; lra.
lra.
Qed.

(* Its logarithm is convex along rays. *)
Lemma pull_total_ray w s : 0 <= s <= 1 -> ln (pull_total (fun i => s * w i)) <= s * ln (pull_total w).
Proof.
move=> hs; set L := ln (pull_total w); have Z0 := pull_total_gt0 w.
have ZE : exp L = pull_total w by rewrite /L exp_ln.
suff le : pull_total (fun i => s * w i) <= exp (s * L).
  rewrite -(ln_exp (s * L)); case: le => [lt | ->]; last by right.
  by left; apply: ln_increasing => //; exact: pull_total_gt0.
have E : pull_total (fun i => s * w i) = exp (s * L) * (\sum_i mu i * exp (s * (- w i - L) + (1 - s) * 0)).
  rewrite /pull_total sum_mull; apply: eq_bigr => i _.
  have -> : exp (s * L) * (mu i * exp (s * (- w i - L) + (1 - s) * 0)) =
      mu i * (exp (s * L) * exp (s * (- w i - L) + (1 - s) * 0)) by ring.
  by rewrite -exp_plus; congr (_ * exp _); ring.
rewrite E -[X in _ <= X]Rmult_1_r; apply: Rmult_le_compat_l; first exact/Rlt_le/exp_pos.
apply: (Rle_trans _ (\sum_i mu i * (s * exp (- w i - L) + (1 - s) * exp 0))).
  by apply: sum_le => i _; apply: Rmult_le_compat_l; [exact/Rlt_le/mu_gt0 | exact: exp_between].
have -> : \sum_i mu i * (s * exp (- w i - L) + (1 - s) * exp 0) =
    s * (exp (- L) * pull_total w) + (1 - s) * (\sum_i mu i).
  rewrite /pull_total !sum_mull -sumD; apply: eq_bigr => i _; rewrite exp_0 /Rminus exp_plus; ring.
rewrite -ZE -exp_plus (_ : - L + L = 0) ?exp_0 ?mu_one; last by ring.
by right; ring.
Qed.

(* ---- pulls with factors ---- *)

Variables (beta w : G -> R) (lam g : R).
Hypotheses (lam_gt0 : 0 < lam) (beta_range : forall i, lam <= beta i <= exp g).
Let pulls i : R := beta i * mu i * exp (- w i).
Let Z : R := \sum_i pulls i.

Lemma factored_pull_gt0 i : 0 < pulls i.
Proof.
have := beta_range i; have := mu_gt0 i => m0 b0; apply: Rmult_lt_0_compat; last exact: exp_pos.
by apply: Rmult_lt_0_compat; lra.
Qed.

Lemma factored_total_gt0 : 0 < Z.
Proof.
have [i _] := some_pull; apply: (sum_gt0 (i := i)) => // [j _|]; last exact: factored_pull_gt0.
exact/Rlt_le/factored_pull_gt0.
Qed.

(* Where they point: sum theta_i w_i <= g - log lam - log Z'. *)
Theorem pulled_back : \sum_i pulls i / Z * w i <= g - ln lam - ln (pull_total w).
Proof.
have Z0 := factored_total_gt0; pose q i := pulls i / Z.
have q0 i : 0 < q i by rewrite /q; apply: Rdiv_lt_0_compat Z0; exact: factored_pull_gt0.
have q1 : \sum_i q i = 1 by rewrite /q /Rdiv -sum_mulr -/Z; apply: Rinv_r; lra.
have b0 i : 0 < beta i * mu i by have := beta_range i => h; apply: Rmult_lt_0_compat; [lra | exact: mu_gt0].
have G1 : \sum_i q i * (ln (beta i * mu i) - ln (q i)) <= ln (\sum_i beta i * mu i).
  exact: (gibbs (P := predT) (a := fun i => beta i * mu i) (fun i _ => Rlt_le _ _ (q0 i)) q1 (fun i _ => b0 i)).
have top : ln (\sum_i beta i * mu i) <= g.
  have le : \sum_i beta i * mu i <= exp g.
    rewrite -[X in _ <= X]Rmult_1_r -mu_one sum_mull; apply: sum_le => i _.
    by apply: Rmult_le_compat_r; [exact/Rlt_le/mu_gt0 | have [] := beta_range i].
  have [i _] := some_pull; have s0 : 0 < \sum_i beta i * mu i.
    by apply: (sum_gt0 (i := i)) => // j _; exact/Rlt_le/b0.
  rewrite -(ln_exp g); case: le => [lt | ->]; last by right.
  by left; exact: ln_increasing.
have lq i : ln (q i) = ln (beta i * mu i) - w i - ln Z.
  rewrite /q ln_div //; last exact: factored_pull_gt0.
  by rewrite /pulls (ln_mult _ _ (b0 i) (exp_pos _)) ln_exp; ring.
have E : \sum_i q i * (ln (beta i * mu i) - ln (q i)) = \sum_i q i * w i + ln Z.
  by rewrite -[ln Z]Rmult_1_l -q1 sum_mulr -sumD; apply: eq_bigr => i _; rewrite lq; ring.
have low : ln lam + ln (pull_total w) <= ln Z.
  have P0 := pull_total_gt0 w; rewrite -ln_mult //.
  have le : lam * pull_total w <= Z.
    rewrite /pull_total sum_mull; apply: sum_le => i _; rewrite /pulls.
    have m0 : 0 <= mu i * exp (- w i) by apply: Rmult_le_pos; [exact/Rlt_le/mu_gt0 | exact/Rlt_le/exp_pos].
    by have := Rmult_le_compat_r _ _ _ m0 (proj1 (beta_range i)); lra.
  case: le => [lt | ->]; last by right.
  by left; apply: ln_increasing => //; exact: Rmult_lt_0_compat.
rewrite E in G1; apply: (Rle_trans _ (ln (\sum_i beta i * mu i) - ln Z)); last by lra.
by apply: (Rplus_le_reg_r (ln Z)); apply: Rle_trans G1 _; right; ring.
Qed.
End Pulls.

(* ---- far from the centre ---- *)

(* w_i, of what is across u *)
Definition group_offset (G J : finType) (kappa : G -> vec J) (e : vec J) : G -> R := fun i => dot (kappa i) e.

(* The groups' values kappa_i have the margin Gv along u and the shares mu; part projects on what they span across u. *)
Record pull_limit (G J : finType) := PullLimit {
  pulled_shares : G -> R;             (* mu_i *)
  pulled_values : G -> vec J;         (* kappa_i *)
  pulled_part : vec J -> vec J;
  pulled_ray : vec J;                 (* u *)
  pulled_margin : R                   (* Gv *)
}.

Record proper_pulls (G J : finType) (L : pull_limit G J) : Prop := ProperPulls {
  pulled_shares_gt0 : forall i, 0 < pulled_shares L i;
  pulled_shares_one : \sum_i pulled_shares L i = 1;
  pulled_balance : combine predT (pulled_shares L) (pulled_values L) = (pulled_margin L * pulled_ray L)%V;
  pulled_linear : forall x a y, pulled_part L (x + a * y)%V = (pulled_part L x + a * pulled_part L y)%V;
  pulled_symmetric : forall x y, dot (pulled_part L x) y = dot (pulled_part L x) (pulled_part L y);
  pulled_across : forall x, dot (pulled_part L x) (pulled_ray L) = 0;
  pulled_ray_one : vnorm (pulled_ray L) = 1;
  pulled_along : forall i, dot (pulled_values L i) (pulled_ray L) = pulled_margin L
}.

(* Boxes of the offsets that are closer than x, and pulls that are large at their sides. *)
Record pull_boxes (G : finType) := PullBoxes {
  boxed_within : R;            (* x *)
  boxed_level : R;
  boxed_slope : R;             (* g *)
  boxed_sides : G -> R
}.

Section Boxes.
Variables (G J : finType) (L : pull_limit G J) (B : pull_boxes G).
Notation at_least := (boxed_level B + boxed_slope B * boxed_within B).

Record boxes_shut : Prop := BoxesShut {
  boxed_within_gt0 : 0 < boxed_within B;
  boxed_level_ge0 : 0 <= boxed_level B;
  boxed_slope_ge0 : 0 <= boxed_slope B;
  boxed_sides_gt0 : forall i, 0 < boxed_sides B i;
  boxed_several : forall i, pulled_shares L i < 1;
  boxed_out : forall i, at_least <= ln (one_pull (pulled_shares L) i (boxed_sides B i)) /\
    at_least <= ln (one_pull (pulled_shares L) i (- boxed_sides B i));
  boxed_in : forall e, pulled_part L e = e ->
    (forall i, Rabs (group_offset (pulled_values L) e i) < boxed_sides B i) -> vnorm e < boxed_within B
}.
End Boxes.

Section Centre.
Variables (G J : finType) (L : pull_limit G J).
Notation mu := (pulled_shares L).
Notation kappa := (pulled_values L).
Notation part := (pulled_part L).
Notation u := (pulled_ray L).
Notation Gv := (pulled_margin L).
Notation group_offset := (group_offset kappa).
Implicit Types (e : vec J).
Hypothesis proper : proper_pulls L.
Let mu_gt0 := pulled_shares_gt0 proper.
Let mu_one := pulled_shares_one proper.
Let mu_balance := pulled_balance proper.
Let part_linear := pulled_linear proper.
Let part_symmetric := pulled_symmetric proper.
Let part_across := pulled_across proper.
Let u_one := pulled_ray_one proper.
Let along := pulled_along proper.

Lemma offsets_balanced e : dot e u = 0 -> \sum_i mu i * group_offset e i = 0.
Proof. by move=> eu; rewrite -(dot_combinel predT mu kappa) mu_balance dotZl dotC eu Rmult_0_r. Qed.

Lemma part_scale a e : part (a * e)%V = (a * part e)%V.
Proof.
have z : part vzero = vzero.
  have := part_linear vzero 1 vzero; rewrite (_ : (vzero + 1%R * vzero)%V = vzero :> vec J); last by vec_ring.
  move=> E; apply: vec_ext => j; have := congr1 (fun f : vec J => f j) E; rewrite /vadd /vscale /vzero; lra.
have := part_linear vzero a e; rewrite z; move=> E; apply: vec_ext => j.
by have := congr1 (fun f : vec J => f j) E; rewrite (_ : (vzero + a * e)%V = (a * e)%V) ?/vadd /vscale /vzero;
  [lra | vec_ring].
Qed.

Section Far.
Variable B : pull_boxes G.
Notation x := (boxed_within B).
Notation level := (boxed_level B).
Notation g := (boxed_slope B).
Notation box := (boxed_sides B).
Hypothesis shut : boxes_shut L B.
Let x_gt0 := boxed_within_gt0 shut.
Let level_ge0 := boxed_level_ge0 shut.
Let g_ge0 := boxed_slope_ge0 shut.
Let box_gt0 := boxed_sides_gt0 shut.
Let several := boxed_several shut.
Let sides := boxed_out shut.
Let boxed := boxed_in shut.

Lemma one_pull_gt0 i m : 0 < one_pull mu i m.
Proof.
have i0 := mu_gt0 i; have i1 := several i; have := exp_pos m; have := exp_pos (- (m * mu i / (1 - mu i))) => e1 e0.
by have := Rmult_lt_0_compat _ _ i0 e0; have := Rmult_lt_0_compat (1 - mu i) _ (ltac:(lra)) e1; rewrite /one_pull; lra.
Qed.

Lemma classic_box e : (exists i, box i <= Rabs (group_offset e i)) \/ forall i, Rabs (group_offset e i) < box i.
Proof.
case: (classic (exists i, box i <= Rabs (group_offset e i))) => [H | none]; [by left | right=> i].
by apply: Rnot_le_lt => h; apply: none; exists i.
Qed.

Lemma at_distance e : part e = e -> vnorm e = x -> level + g * x <= ln (pull_total mu (group_offset e)).
Proof.
move=> pe ne; have eu : dot e u = 0 by rewrite -pe; exact: part_across.
case: (classic_box e) => [[i out] | inside]; last by have := boxed pe inside; lra.
have gx := Rmult_le_pos _ _ g_ge0 (Rlt_le _ _ x_gt0).
have le := one_pull_le mu_gt0 mu_one (several i) (offsets_balanced eu).
have one m : level + g * x <= ln (one_pull mu i m) -> 1 <= one_pull mu i m.
  move=> h; apply: Rnot_lt_le => lt; have := ln_increasing _ _ (one_pull_gt0 i m) lt; rewrite ln_1; lra.
have [s1 s2] := sides i.
have grow m : level + g * x <= ln (one_pull mu i m) -> one_pull mu i m <= pull_total mu (group_offset e) ->
    level + g * x <= ln (pull_total mu (group_offset e)).
  by move=> h [lt | <-]; [have := ln_increasing _ _ (one_pull_gt0 i m) lt; lra | exact: h].
case: (Rle_lt_dec 0 (group_offset e i)) => sign.
  rewrite Rabs_pos_eq // in out; apply: (grow (- box i)) => //; apply: Rle_trans le.
  by apply: one_pull_before => //; [exact: one | lra].
rewrite Rabs_left // in out; apply: (grow (box i)) => //; apply: Rle_trans le.
by apply: one_pull_beyond => //; exact: one.
Qed.

(* Beyond that distance, too. *)
Theorem pulls_far e : part e = e -> x <= vnorm e -> level + g * vnorm e <= ln (pull_total mu (group_offset e)).
Proof.
move=> pe far; have n0 : 0 < vnorm e by lra.
pose s := x / vnorm e; have s0 : 0 < s by apply: Rdiv_lt_0_compat.
have sx : s * vnorm e = x by rewrite /s; field; lra.
have s1 : s <= 1 by apply: (Rmult_le_reg_r (vnorm e)) => //; lra.
have near : vnorm (s * e)%V = x by rewrite vnormZ Rabs_pos_eq; [exact: sx | lra].
have at_x := at_distance (etrans (part_scale s e) (congr1 (vscale s) pe)) near.
have ray := pull_total_ray mu_gt0 mu_one (group_offset e) (conj (Rlt_le _ _ s0) s1).
have E : pull_total mu (group_offset (s * e)%V) = pull_total mu (fun i => s * group_offset e i).
  by apply: eq_bigr => i _; rewrite /group_offset dotZr.
rewrite E in at_x; apply: (Rmult_le_reg_l s) => //.
have := Rmult_le_compat_r _ _ _ level_ge0 s1; rewrite Rmult_1_l.
have -> : s * (level + g * vnorm e) = s * level + g * x by rewrite -sx; ring.
lra.
Qed.

End Far.

Lemma part_short z : vnorm (part z) <= vnorm z.
Proof.
case: (vnorm_ge0 (part z)) => [pos | <-]; last exact: vnorm_ge0.
apply: (Rmult_le_reg_l (vnorm (part z))) => //; rewrite vnorm_sqr /vnorm2 -part_symmetric.
exact: dot_le_norms.
Qed.

Record pull_factors := PullFactors {
  factor_values : G -> vec J;      (* what attention takes from the kappa_i *)
  factor_shares : G -> R;          (* beta_i *)
  factor_common : R                (* of all groups *)
}.
Record pull_ranges := PullRanges {
  pull_least : R;       (* lam *)
  pull_most : R;        (* g: pulls are at most e^g times theirs *)
  pull_longest : R;     (* the longest kappa_i *)
  pull_taken : R        (* d, the longest of what is taken *)
}.

Section Step.
Variables (F : pull_factors) (e : vec J) (K : pull_ranges).
Notation delta := (factor_values F).
Notation beta := (factor_shares F).
Notation common := (factor_common F).
Notation lam := (pull_least K).
Notation g := (pull_most K).
Notation longest := (pull_longest K).
Notation d := (pull_taken K).

Record pulls_in_range : Prop := PullsInRange {
  pull_least_gt0 : 0 < lam;
  pull_factor_in : forall i, lam <= beta i <= exp g;
  pull_common_in : 0 < common;
  pull_values_short : forall i, vnorm (kappa i) <= longest;
  pull_taken_short : forall i, vnorm (delta i) <= d;
  pull_taken_small : d <= g /\ d < Gv
}.

Hypothesis ranges : pulls_in_range.
Let lam_gt0 := pull_least_gt0 ranges.
Let beta_range := pull_factor_in ranges.
Let common_gt0 := pull_common_in ranges.
Let value_short := pull_values_short ranges.
Let delta_short := pull_taken_short ranges.
Let d_small := proj1 (pull_taken_small ranges).
Let d_Gv := proj2 (pull_taken_small ranges).

(* Of the groups, and the field that they make: values less what attention takes from them. *)
Definition common_pull i : R := common * (beta i * mu i * exp (- group_offset e i)).
Definition pull_field : vec J := combine predT common_pull (fun i => (kappa i - delta i)%V).
Let Omega : R := \sum_i common_pull i.

Lemma common_pull_gt0 i : 0 < common_pull i.
Proof. by apply: Rmult_lt_0_compat => //; exact: (factored_pull_gt0 mu_gt0 _ lam_gt0 beta_range). Qed.

Lemma pulls_gt0 : 0 < Omega.
Proof.
have [i _] := some_pull mu_one; apply: (sum_gt0 (i := i)) => // [j _|]; last exact: common_pull_gt0.
exact/Rlt_le/common_pull_gt0.
Qed.

Theorem decoder_rises : (Gv - d) * Omega <= dot pull_field u.
Proof.
rewrite dot_combinel Rmult_comm /Omega sum_mulr; apply: sum_le => i _.
apply: Rmult_le_compat_l; first exact/Rlt_le/common_pull_gt0.
rewrite dotBl along; have := dot_le_norms (delta i) u; rewrite u_one; have := delta_short i; lra.
Qed.

Lemma pull_field_short : vnorm pull_field <= (longest + d) * Omega.
Proof.
apply: Rle_trans (vnorm_combine _ _ _) _; rewrite Rmult_comm /Omega sum_mulr; apply: sum_le => i _.
have c0 := common_pull_gt0 i; rewrite Rabs_pos_eq; last lra.
apply: Rmult_le_compat_l; first lra.
have := vnorm_triangle (kappa i) (- delta i); rewrite vnormN.
rewrite (_ : (kappa i + - delta i)%V = (kappa i - delta i)%V); last by vec_ring.
by have := value_short i; have := delta_short i; lra.
Qed.

Lemma pull_field_gt0 : 0 < vnorm pull_field.
Proof.
have o0 := pulls_gt0; have r := decoder_rises; have g0 : 0 < (Gv - d) * Omega by apply: Rmult_lt_0_compat; lra.
have := dot_le_norms pull_field u; rewrite u_one; lra.
Qed.

(* ---- one normalised step ---- *)

Variables (B : pull_boxes G) (eta a : R).
Notation x := (boxed_within B).
Hypotheses (shut : boxes_shut L B) (e_part : part e = e) (a_range : 0 < a <= eta).
Hypothesis level_is : boxed_slope B = g /\ boxed_level B = g - ln lam + (longest + g) * eta / 2.

Lemma pulled_inward : x <= vnorm e -> dot e pull_field <= - (Omega * ((longest + g) * eta / 2)).
Proof.
move=> far; have o0 := pulls_gt0; have n0 := vnorm_ge0 e.
have up : dot e pull_field <= \sum_i common_pull i * group_offset e i + Omega * (d * vnorm e).
  rewrite dot_combiner /Omega sum_mulr -sumD; apply: sum_le => i _.
  have c0 := common_pull_gt0 i; rewrite -Rmult_plus_distr_l; apply: Rmult_le_compat_l; first lra.
  rewrite dotBr (dotC e (kappa i)) -/(group_offset e i); have := dot_ge_norms e (delta i).
  have := Rmult_le_compat_l _ _ _ n0 (delta_short i); lra.
have back := pulled_back mu_gt0 mu_one (group_offset e) lam_gt0 beta_range.
set Z := \sum_i beta i * mu i * exp (- group_offset e i) in back.
have OZ : Omega = common * Z by rewrite /Omega /Z sum_mull.
have Z0 : 0 < Z by apply: (Rmult_lt_reg_l common) => //; rewrite -OZ; lra.
have shares : \sum_i common_pull i * group_offset e i =
    Omega * (\sum_i beta i * mu i * exp (- group_offset e i) / Z * group_offset e i).
  by rewrite OZ sum_mull; apply: eq_bigr => i _; rewrite /common_pull; field; lra.
have held := pulls_far shut e_part far; have [slopeE levelE] := level_is; rewrite slopeE levelE in held.
have dn := Rmult_le_compat_r _ _ _ n0 d_small.
rewrite shares in up; apply: Rle_trans up _; rewrite -Rmult_plus_distr_l Ropp_mult_distr_r.
by apply: Rmult_le_compat_l; lra.
Qed.

Definition stepped : vec J := (e + a / vnorm pull_field * part pull_field)%V.

(* Where the decoder is at least x from its centre, a step brings it no further away; nearer it goes by its length. *)
Theorem decoder_returns : x <= vnorm e -> vnorm stepped <= vnorm e.
Proof.
move=> far; have o0 := pulls_gt0; have V0 := pull_field_gt0; have V1 := pull_field_short.
have inward := pulled_inward far; set tau := a / vnorm pull_field.
have tau0 : 0 < tau by apply: Rdiv_lt_0_compat; lra.
have tV : tau * vnorm pull_field = a by rewrite /tau; field; lra.
have long0 : 0 <= longest + g.
  have g0 := boxed_slope_ge0 shut; rewrite (proj1 level_is) in g0.
  have [i _] := some_pull mu_one; have := vnorm_ge0 (kappa i); have := value_short i; lra.
have dot_part : dot e (part pull_field) = dot e pull_field by rewrite -{2}e_part part_symmetric e_part.
apply: vnorm_le; rewrite /stepped -/tau vnorm2D vnorm2Z dotZr dot_part.
have p2 : tau * tau * vnorm2 (part pull_field) <= a * a.
  rewrite -vnorm_sqr -tV; have pn := part_short pull_field; have q0 := vnorm_ge0 (part pull_field).
  have t1 := Rmult_le_compat_l _ _ _ (Rlt_le _ _ tau0) pn.
  have t2 := Rmult_le_pos _ _ (Rlt_le _ _ tau0) q0.
  by have := Rmult_le_compat _ _ _ _ t2 t2 t1 t1; lra.
have full : a <= tau * ((longest + g) * Omega).
  rewrite -tV; apply: Rmult_le_compat_l; first lra.
  apply: Rle_trans V1 _; apply: Rmult_le_compat_r; lra.
have s1 := Rmult_le_compat_l _ _ _ (Rlt_le _ _ tau0) inward.
have s2 := Rmult_le_compat_r eta _ _ (ltac:(lra)) full.
have s3 := Rmult_le_compat_l a _ _ (ltac:(lra)) (proj2 a_range).
lra.
Qed.

Theorem decoder_stays X : vnorm e <= X -> x + eta <= X -> vnorm stepped <= X.
Proof.
move=> inside room; case: (Rle_lt_dec x (vnorm e)) => far; first exact: Rle_trans (decoder_returns far) inside.
have V0 := pull_field_gt0; apply: Rle_trans (vnorm_triangle _ _) _; rewrite vnormZ Rabs_pos_eq; last first.
  by apply/Rlt_le/Rdiv_lt_0_compat; lra.
have := Rmult_le_compat_l (a / vnorm pull_field) _ _ (ltac:(apply/Rlt_le/Rdiv_lt_0_compat; lra))
  (part_short pull_field).
have -> : a / vnorm pull_field * vnorm pull_field = a by field; lra.
lra.
Qed.
End Step.
End Centre.
