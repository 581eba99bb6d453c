(* ClassifierHead: cross-entropy of any number of classes as a head (DYNAMICS.md section 11).

   The loss of a group is -log softmax(sum_t s_t G_t)_y. A token's slope against the selected one's is a mean of the
   exact numbers d_tu = (G_tu - G_ty) - (G_au - G_ay) under the softmax of the means; where little attention leaves the
   selected token the means, and with them the softmax, lie in explicit ranges. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Heads Direction Growth Saturation FactorRange LocalRanges
                           BoundedSelection HeadRanges.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma exp_sum_gt0 (I : finType) (F : I -> R) (i : I) : 0 < \sum_j exp (F j).
Proof.
apply: (Rlt_le_trans _ _ _ (exp_pos (F i))); apply: (sum_term_le (F := fun j => exp (F j)) (P := predT)) => // j _.
exact/Rlt_le/exp_pos.
Qed.

Section Classifier.
Variables (p : selection_problem) (V : finType) (G : token p -> V -> R) (y : group p -> V).
Implicit Types (z : vec (coord p)) (t : token p) (i : group p) (s : token p -> R) (u v : V).

Definition class_average i s u : R := \sum_(t | group_of t == i) s t * G t u.
Definition partition i s : R := \sum_u exp (class_average i s u).
(* The softmax of the means. *)
Definition class_share i s u : R := exp (class_average i s u) / partition i s.

Definition classifier_head : head p :=
  Head (fun i s => ln (partition i s) - class_average i s (y i))
       (fun i s t => (\sum_u class_share i s u * G t u) - G t (y i)).

Lemma partition_gt0 i s : 0 < partition i s.
Proof. exact (exp_sum_gt0 _ (y i)). Qed.

Lemma class_share_gt0 i s u : 0 < class_share i s u.
Proof. exact (Rdiv_lt_0_compat _ _ (exp_pos _) (partition_gt0 i s)). Qed.

Lemma class_share_sum i s : \sum_u class_share i s u = 1.
Proof. by rewrite /class_share -sum_mulr; exact: Rinv_r (Rgt_not_eq _ _ (partition_gt0 i s)). Qed.

Theorem classifier_differentiable i s : differentiable classifier_head i s.
Proof.
move=> c d x cs dc.
have E u : class_average i (c x) u = class_average i s u by apply: eq_bigr => t _; rewrite cs.
have dm u : is_derive (fun a => class_average i (c a) u) x (\sum_(t | group_of t == i) d t * G t u).
  apply: is_derive_sum => t ti; apply: is_derive_ext_eq (is_derive_scal_l _ _ _ (G t u) (dc t ti)).
  by rewrite /scal /= /mult /=; ring.
have de u : is_derive (fun a => exp (class_average i (c a) u)) x
    (exp (class_average i s u) * \sum_(t | group_of t == i) d t * G t u).
  have := is_derive_comp exp _ _ _ _ (is_derive_exp _) (dm u); apply: is_derive_ext_eq.
  by rewrite E /scal /= /mult /=; ring.
have EP : partition i (c x) = partition i s by apply: eq_bigr => u _; rewrite E.
have dP := @is_derive_sum _ (index_enum _) (fun _ : V => true) _ x _ (fun u _ => de u).
have P0 : 0 < partition i (c x) by rewrite EP; exact: partition_gt0.
have dl := is_derive_comp ln (fun a => partition i (c a)) x _ _ (is_derive_ln _ P0) dP.
have := is_derive_minus _ _ _ _ _ dl (dm (y i)); apply: is_derive_ext_eq.
rewrite EP /minus /plus /opp /scal /= /mult /=.
have -> : \sum_(t | group_of t == i) ((\sum_u class_share i s u * G t u) - G t (y i)) * d t =
    (\sum_(t | group_of t == i) \sum_u class_share i s u * (d t * G t u)) -
      \sum_(t | group_of t == i) d t * G t (y i).
  rewrite -sumB; apply: eq_bigr => t _; rewrite Rmult_minus_distr_r sum_mulr.
  by congr (_ - _); [apply: eq_bigr => u _; ring | ring].
congr (_ + _); rewrite exchange_big /= sum_mulr; apply: eq_bigr => u _; rewrite -sum_mull /class_share /Rdiv; ring.
Qed.

Variable alpha : selection p.
Notation Q := (constraint alpha).
Notation others := (others alpha).

(* c_u, the selected token's numbers against those of the right class, and d *)
Definition class_start i u : R := G (alpha i) u - G (alpha i) (y i).
Definition class_change t u : R := G t u - G t (y (group_of t)) - class_start (group_of t) u.

Lemma classifier_gap z t :
  slope_gap alpha classifier_head z t = \sum_u class_share (group_of t) (attention z) u * class_change t u.
Proof.
rewrite /slope_gap /selected /=; set i := group_of t; set q := class_share i (attention z).
have -> : \sum_u q u * class_change t u = (\sum_u q u * G t u) - (\sum_u q u * G (alpha i) u)
    - (\sum_u q u) * (G t (y i) - G (alpha i) (y i)).
  rewrite sum_mulr -!sumB; apply: eq_bigr => u _; rewrite /class_change /class_start -/i; ring.
rewrite class_share_sum; ring.
Qed.

Lemma class_mean_change z i u : class_average i (attention z) u - class_average i (attention z) (y i) =
  class_start i u + \sum_(t | others i t) attention z t * class_change t u.
Proof.
have d := attention_deficit_sum alpha z i; rewrite /class_average !(group_sum alpha).
have -> : \sum_(t | others i t) attention z t * class_change t u =
    (\sum_(t | others i t) attention z t * G t u) - (\sum_(t | others i t) attention z t * G t (y i))
    - (1 - attention z (alpha i)) * class_start i u.
  by rewrite d sum_mulr -!sumB; apply: eq_bigr => t /andP[_ /eqP ti]; rewrite /class_change ti; ring.
by rewrite /class_start; ring.
Qed.

(* How far the means are from the selected token's numbers. *)
Variables (up down : group p -> V -> R).
Record class_changes : Prop := ClassChanges {
  class_up_ge0 : forall i u, 0 <= up i u;
  class_down_ge0 : forall i u, 0 <= down i u;
  class_change_range : forall i t u, others i t -> - down i u <= class_change t u <= up i u
}.
Hypothesis changes : class_changes.

Lemma class_mean_range z i u : let q := 1 - attention z (alpha i) in
  class_start i u - q * down i u <= class_average i (attention z) u - class_average i (attention z) (y i) <=
  class_start i u + q * up i u.
Proof.
move=> q; have d := attention_deficit_sum alpha z i; rewrite -/q in d.
have a0 t : 0 <= attention z t := Rlt_le _ _ (attention_gt0 z t).
rewrite class_mean_change.
have low : \sum_(t | others i t) attention z t * - down i u <=
    \sum_(t | others i t) attention z t * class_change t u.
  apply: sum_le => t ti; apply: Rmult_le_compat_l => //; exact: proj1 (class_change_range changes u ti).
have high : \sum_(t | others i t) attention z t * class_change t u <=
    \sum_(t | others i t) attention z t * up i u.
  apply: sum_le => t ti; apply: Rmult_le_compat_l => //; exact: proj2 (class_change_range changes u ti).
rewrite -!sum_mulr -d in low high; lra.
Qed.

Lemma class_share_shift i s u : class_share i s u =
  exp (class_average i s u - class_average i s (y i)) / \sum_v exp (class_average i s v - class_average i s (y i)).
Proof.
set m := class_average i s (y i); have e0 := exp_pos (- m); have P0 := partition_gt0 i s.
have shift v : exp (class_average i s v - m) = exp (class_average i s v) * exp (- m) by rewrite -exp_plus.
rewrite shift (eq_bigr _ (fun v _ => shift v)) -sum_mulr -/(partition i s) /class_share; field; lra.
Qed.

(* ---- ranges ---- *)

Variable eps : group p -> R.

Definition class_low i u : R := class_start i u - eps i * down i u.
Definition class_high i u : R := class_start i u + eps i * up i u.
Definition share_low i u : R := exp (class_low i u) / (exp (class_low i u) + \sum_(v | v != u) exp (class_high i v)).
Definition share_high i u : R := exp (class_high i u) / (exp (class_high i u) + \sum_(v | v != u) exp (class_low i v)).

Definition gap_low t : R := \sum_u (if Rle_dec 0 (class_change t u) then share_low (group_of t) u
                                    else share_high (group_of t) u) * class_change t u.
Definition gap_high t : R := \sum_u (if Rle_dec 0 (class_change t u) then share_high (group_of t) u
                                     else share_low (group_of t) u) * class_change t u.

(* a/(a + b) increases with a and decreases with b. *)
Lemma share_le a b c d : 0 < a -> 0 <= d -> a <= c -> d <= b -> a / (a + b) <= c / (c + d).
Proof.
move=> a0 d0 ac db; apply: (Rmult_le_reg_r ((a + b) * (c + d))); first by apply: Rmult_lt_0_compat; lra.
have -> : a / (a + b) * ((a + b) * (c + d)) = a * (c + d) by field; lra.
have -> : c / (c + d) * ((a + b) * (c + d)) = c * (a + b) by field; lra.
nra.
Qed.

Notation attended z := (forall i, 1 - attention z (alpha i) <= eps i).

Lemma class_share_range z i u : attended z ->
  share_low i u <= class_share i (attention z) u <= share_high i u.
Proof.
move=> Hz; have e := Hz i.
have m v : class_low i v <= class_average i (attention z) v - class_average i (attention z) (y i) <= class_high i v.
  have := class_mean_range z i v; have := Rmult_le_compat_r _ _ _ (class_down_ge0 changes i v) e.
  by have := Rmult_le_compat_r _ _ _ (class_up_ge0 changes i v) e; rewrite /class_low /class_high /=; lra.
rewrite class_share_shift (bigD1 u) //=.
by split; apply: share_le; try exact: exp_pos; try (apply: sum_ge0 => v _; exact/Rlt_le/exp_pos);
  try (apply: sum_le => v _); apply: exp_le; have := m u; try have := m v; lra.
Qed.

Lemma classifier_gap_range z t : attended z ->
  gap_low t <= slope_gap alpha classifier_head z t <= gap_high t.
Proof.
move=> Hz; rewrite classifier_gap; split; apply: sum_le => u _; have := class_share_range (group_of t) u Hz;
  case: Rle_dec => /= d0 s; nra.
Qed.

(* What T10, T11 and T14 need: gaps that stay positive on P. *)
Theorem classifier_ranges (P : pred (token p)) (over under : group p -> R) :
  (forall t, P t -> Q t) -> (forall i, 0 <= eps i < 1) ->
  (forall t, Q t -> - under (group_of t) <= gap_low t) -> (forall t, Q t -> gap_high t <= over (group_of t)) ->
  (forall i, 0 <= over i) -> (forall i, 0 <= under i) ->
  (forall t, P t -> eps (group_of t) * over (group_of t) < gap_low t) ->
  slope_ranges alpha classifier_head (SlopeBounds P eps gap_low gap_high over under).
Proof. by move=> *; split=> //= z Hz t _; exact: classifier_gap_range. Qed.

(* ---- limits ---- *)

Definition class_limit i u : R := exp (class_start i u) / \sum_v exp (class_start i v).
Definition classifier_limit t : R := \sum_u class_limit (group_of t) u * class_change t u.

Lemma class_limit_gt0 i u : 0 < class_limit i u.
Proof. exact (Rdiv_lt_0_compat _ _ (exp_pos _) (exp_sum_gt0 _ u)). Qed.

(* W and A; near holds of the groups that the limits are asked of. *)
Variables (width size : group p -> R) (near : pred (group p)).
Record class_limits : Prop := ClassLimits {
  class_width : forall i u v, down i u + up i v <= width i;
  class_small : forall i, near i -> eps i * width i <= 1 / 4;
  class_size_ge0 : forall i, 0 <= size i;
  class_size : forall i t, others i t -> \sum_u class_limit i u * Rabs (class_change t u) <= size i
}.
Hypothesis small : class_limits.

Lemma width_ge0 i : 0 <= width i.
Proof.
by have := class_width small i (y i) (y i); have := class_up_ge0 changes i (y i);
  have := class_down_ge0 changes i (y i); lra.
Qed.

(* Near 0 the exponential is nearly a line. *)
Lemma exp_quarter x : 0 <= x <= 1 / 4 -> exp x <= 1 + 12 / 10 * x /\ exp x <= 13 / 10.
Proof.
have third : exp (1 / 4) <= 13 / 10.
  have -> : exp (1 / 4) = exp (1 / 12) * exp (1 / 12) * exp (1 / 12).
    by rewrite -!exp_plus; congr exp; field.
  have a0 := exp_pos (1 / 12); have b0 := exp_ge_line (- (1 / 12)).
  have ab : exp (1 / 12) * exp (- (1 / 12)) = 1 by rewrite -exp_plus Rplus_opp_r exp_0.
  have a1 : exp (1 / 12) <= 12 / 11 by nra.
  have a2 : exp (1 / 12) * exp (1 / 12) <= 12 / 11 * (12 / 11) by apply: Rmult_le_compat; lra.
  by have := Rmult_le_compat _ _ _ _ (Rlt_le _ _ (Rmult_lt_0_compat _ _ a0 a0)) (Rlt_le _ _ a0) a2 a1; lra.
move=> x0; have c := exp_chord (s := 4 * x) (1 / 4) (ltac:(lra)).
have E : 4 * x * (1 / 4) = x by field.
by rewrite E in c; split; nra.
Qed.

(* The shares change by factors near 1. *)
Lemma class_share_limit z i u : attended z -> let q := 1 - attention z (alpha i) in
  Rabs (class_share i (attention z) u - class_limit i u) <= (exp (q * width i) - 1) * class_limit i u.
Proof.
move=> Hz q; have q0 : 0 <= q by have := attention_le1 alpha z (alpha i); rewrite /q; lra.
set x := fun v => class_average i (attention z) v - class_average i (attention z) (y i) - class_start i v.
have xr v : - (q * down i v) <= x v <= q * up i v.
  by have := class_mean_range z i v; rewrite /x -/q /=; lra.
set T := \sum_v exp (class_start i v); have T0 : 0 < T := exp_sum_gt0 _ u.
set e := exp (q * width i); have e0 : 0 < e := exp_pos _.
have e1 : 1 <= e by have := exp_ge_line (q * width i); have := Rmult_le_pos _ _ q0 (width_ge0 i); rewrite /e; lra.
have split_exp v : exp (class_average i (attention z) v - class_average i (attention z) (y i)) =
    exp (class_start i v) * exp (x v) by rewrite -exp_plus /x; congr exp; ring.
have T'E : \sum_v exp (class_average i (attention z) v - class_average i (attention z) (y i)) =
    \sum_v exp (class_start i v) * exp (x v) by apply: eq_bigr => v _; exact: split_exp.
rewrite class_share_shift split_exp T'E; set T' := \sum_v _ * _.
have spread v : exp (x u) <= e * exp (x v) /\ exp (x v) <= e * exp (x u).
  have w1 := Rmult_le_compat_l _ _ _ q0 (class_width small i u v).
  have w2 := Rmult_le_compat_l _ _ _ q0 (class_width small i v u).
  by rewrite /e -!exp_plus; split; apply: exp_le; have := xr u; have := xr v; lra.
have low' : exp (x u) * T <= e * T'.
  rewrite /T /T' !sum_mull; apply: sum_le => v _; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (exp_pos (class_start i
    v)))
    (proj1 (spread v)); lra.
have high' : T' <= e * exp (x u) * T.
  rewrite /T /T' !sum_mull; apply: sum_le => v _; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (exp_pos (class_start i
    v)))
    (proj2 (spread v)); lra.
have T'0 : 0 < T' by apply: (Rmult_lt_reg_l e) => //; rewrite Rmult_0_r;
  have := Rmult_lt_0_compat _ _ (exp_pos (x u)) T0;
  lra.
have -> : exp (class_start i u) * exp (x u) / T' = class_limit i u * (exp (x u) * T / T').
  by rewrite /class_limit -/T; field; lra.
set r := exp (x u) * T / T'; have rT : r * T' = exp (x u) * T by rewrite /r; field; lra.
have r_high : r <= e by apply: (Rmult_le_reg_r T') => //; lra.
have r_low : 2 - e <= r.
  have er : 1 <= e * r by apply: (Rmult_le_reg_r T') => //; rewrite Rmult_assoc rT; lra.
  have : (2 - e) * e <= e * r by have := Rle_0_sqr (e - 1); rewrite /Rsqr; lra.
  by move=> h; apply: (Rmult_le_reg_l e) => //; lra.
have c0 := class_limit_gt0 i u.
have -> : class_limit i u * r - class_limit i u = class_limit i u * (r - 1) by ring.
rewrite Rabs_mult (Rabs_pos_eq _ (Rlt_le _ _ c0)) Rmult_comm; apply: Rmult_le_compat_r; first lra.
by apply: Rabs_le; lra.
Qed.

Lemma classifier_gap_deviation z i t : near i -> attended z -> others i t ->
  let q := 1 - attention z (alpha i) in
  Rabs (slope_gap alpha classifier_head z t - classifier_limit t) <= 12 / 10 * (q * width i) * size i /\
  Rabs (slope_gap alpha classifier_head z t) <= 13 / 10 * size i.
Proof.
move=> ni Hz ti q; have ig : group_of t = i by case/andP: ti => _ /eqP.
have q0 : 0 <= q by have := attention_le1 alpha z (alpha i); rewrite /q; lra.
have qe : q <= eps i := Hz i; have w0 := width_ge0 i.
have qw : 0 <= q * width i <= 1 / 4.
  by split; [exact: Rmult_le_pos | apply: Rle_trans (class_small small ni); exact: Rmult_le_compat_r].
have [e1 e2] := exp_quarter qw; have eg := exp_ge_line (q * width i).
have A0 := class_size_ge0 small i; have A := class_size small ti.
set e := exp (q * width i) in e1 e2 eg.
have dev : Rabs (slope_gap alpha classifier_head z t - classifier_limit t) <= (e - 1) * size i.
  rewrite classifier_gap /classifier_limit ig -sumB; apply: Rle_trans (sum_abs _ _ _) _.
  apply: Rle_trans (Rmult_le_compat_l (e - 1) _ _ (ltac:(lra)) A); rewrite sum_mull; apply: sum_le => u _.
  rewrite -Rmult_minus_distr_r Rabs_mult -Rmult_assoc; apply: Rmult_le_compat_r; first exact: Rabs_pos.
  exact (class_share_limit i u Hz).
split; first by apply: Rle_trans dev _; apply: Rmult_le_compat_r => //; lra.
have lim : Rabs (classifier_limit t) <= size i.
  apply: Rle_trans A; rewrite /classifier_limit ig; apply: Rle_trans (sum_abs _ _ _) _; apply: sum_le => u _.
  by rewrite Rabs_mult (Rabs_pos_eq _ (Rlt_le _ _ (class_limit_gt0 i u))); exact: Rle_refl.
have -> : slope_gap alpha classifier_head z t =
  (slope_gap alpha classifier_head z t - classifier_limit t) + classifier_limit t by ring.
apply: Rle_trans (Rabs_triang _ _) _.
have := Rmult_le_compat_r _ _ _ A0 e2; lra.
Qed.

(* What T15 needs, with deviation 1.3 (W + 1) A. *)
Theorem classifier_limits (S : pred (token p)) (least : group p -> R) : (forall t, S t -> Q t) ->
  (forall t, S t -> near (group_of t)) -> (forall i, 0 < least i) ->
  (forall t, S t -> least (group_of t) <= classifier_limit t) ->
  (forall t, S t -> 2 * (eps (group_of t) * (13 / 10 * (width (group_of t) + 1) * size (group_of t))) <=
    classifier_limit t) ->
  forall P over under, slope_limits alpha classifier_head (SlopeBounds P eps gap_low gap_high over under) S
    classifier_limit (fun i => 13 / 10 * (width i + 1) * size i) least.
Proof.
move=> sub nears least0 least_le room P over under; split=> //= [i|z Hz t St].
  by have := width_ge0 i; have := class_size_ge0 small i => A0 w0; apply: Rmult_le_pos => //; lra.
have Qt := sub t St; have ti := others_self Qt; set i := group_of t in ti *.
have ni : near i := nears t St; have [dev _] := classifier_gap_deviation ni Hz ti.
set q := 1 - attention z (alpha i) in dev *.
have A0 := class_size_ge0 small i; have w0 := width_ge0 i.
have q0 : 0 <= q by have := attention_le1 alpha z (alpha i); rewrite /q; lra.
have mean : Rabs (mean_gap alpha classifier_head z i) <= q * (13 / 10 * size i).
  apply: Rle_trans (sum_abs _ _ _) _; rewrite /q (attention_deficit_sum alpha) sum_mulr; apply: sum_le => c ci.
  rewrite Rabs_mult (Rabs_pos_eq _ (Rlt_le _ _ (attention_gt0 z c))); apply: Rmult_le_compat_l.
    exact/Rlt_le/attention_gt0.
  exact: proj2 (classifier_gap_deviation ni Hz ci).
set g := slope_gap _ _ z t in dev *; set m := mean_gap _ _ z i in mean *; set a := classifier_limit t in dev *.
have -> : g - m - a = (g - a) + - m by ring.
apply: Rle_trans (Rabs_triang _ _) _; rewrite Rabs_Ropp.
have wA := Rmult_le_pos _ _ (Rmult_le_pos _ _ q0 w0) A0; lra.
Qed.
End Classifier.
