(* PathAcross: T21, what is left across: how far the regularisation path is from the ray through the solution
   (SOUNDNESS.md section 7).

   A minimiser W of the loss over a ball has sum omega_c Delta_c = lambda W for its weights omega_c = b_c e^(-m_c). So
   its part e orthogonal to u minimises a convex function, whose value at the p of the constraints with a multiplier is
   the least that these alone can have. Comparing the two bounds the length of e. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Losses Gradient Claims Enclosure SensedProblem Direction Growth Saturation
                           ActiveStep RegularisationPath.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* y e^(-a y) falls from y = 1/a on. *)
Lemma height_decay a y z : 0 < y -> y <= z -> 1 <= a * y -> z * exp (- (a * z)) <= y * exp (- (a * y)).
Proof.
move=> y0 yz ay; have e0 := exp_pos (- (a * z)).
have -> : exp (- (a * y)) = exp (- (a * z)) * exp (a * (z - y)) by rewrite -exp_plus; congr exp; ring.
have line := exp_ineq1_le (a * (z - y)).
have grow : z <= y * exp (a * (z - y)).
  apply: (@Rle_trans _ (y * (1 + a * (z - y)))); last by apply: Rmult_le_compat_l; lra.
  by have := Rmult_le_compat_r (z - y) _ _ ltac:(lra) ay; lra.
by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ e0) grow; lra.
Qed.

Section Across.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u : vec J) (gamma : R) (mu b : C -> R).
Variables (W p : vec J) (lambda : R).
Hypothesis dir : direction Q Delta u gamma mu.
Hypothesis b_gt0 : forall c, Q c -> 0 < b c.
Hypothesis parallel : ascent Q Delta (gibbs_weight Delta b W) = (lambda * W)%V.

Notation S := (active Q mu).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).
Notation y := (height u W).
Notation e := (W - y * u)%V.

Hypothesis y_gt0 : 0 < y.

(* c0, the mean of log(b_c/mu_c). *)
Definition mean_level : R := \sum_(c | S c) mu c * ln (b c / mu c).

Hypothesis p_orth : dot p u = 0.
Hypothesis p_levels : forall c, S c -> dot (Delta c) p = ln (b c / mu c) - mean_level.

Let A := exp (gamma * y).
Let gamma_gt0 := dir_margin_gt0 dir.

Lemma across_orth : dot e u = 0.
Proof. by rewrite dotBl dotZl (dir_unit dir) /height; ring. Qed.

Lemma active_gt0 c : S c -> 0 < mu c.
Proof. by case/activeP. Qed.

(* What e minimises, but for a multiple of its square. *)
Definition across_term (x : vec J) (c : C) : R := b c * exp (- ((slope c - gamma) * y) - dot (Delta c) x).

Lemma across_term_ge0 x c : Q c -> 0 <= across_term x c.
Proof. by move=> Qc; apply: Rmult_le_pos; [exact/Rlt_le/b_gt0 | exact/Rlt_le/exp_pos]. Qed.

Lemma across_weight c : A * gibbs_weight Delta b W c = across_term e c.
Proof.
rewrite /A /gibbs_weight /across_term -Rmult_assoc (Rmult_comm _ (b c)) Rmult_assoc -exp_plus; congr (_ * exp _).
by rewrite dotBr dotZr /Direction.slope; ring.
Qed.

Lemma across_tangent : A * lambda * (dot e p - vnorm2 e) >= (\sum_(c | Q c) across_term e c) -
  (\sum_(c | Q c) across_term p c).
Proof.
have inner : dot W (p - e)%V = dot e p - vnorm2 e.
  have eu := across_orth; have pe : dot u (p - e)%V = 0 by rewrite dotBr dotC p_orth dotC eu; ring.
  have We : W = (y * u + e)%V by vec_ring.
  by rewrite {1}We dotDl dotZl pe dotBr /vnorm2; ring.
rewrite -inner Rmult_assoc -(dotZl lambda) -parallel /ascent dot_combinel sum_mull -sumB.
apply/Rle_ge/sum_le => c Qc; rewrite -Rmult_assoc across_weight.
set x := - ((slope c - gamma) * y) - dot (Delta c) e; set z := - ((slope c - gamma) * y) - dot (Delta c) p.
have -> : dot (Delta c) (p - e)%V = x - z by rewrite dotBr /x /z; ring.
rewrite /across_term -/x -/z; have b0 := b_gt0 Qc; have x0 := exp_pos x; have line := exp_ineq1_le (z - x).
have -> : exp z = exp x * exp (z - x) by rewrite -exp_plus; congr exp; ring.
by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (Rmult_lt_0_compat _ _ b0 x0)) line; lra.
Qed.

(* On S the values at p are as low as they can be. *)
Lemma active_at_level : \sum_(c | S c) across_term p c = exp mean_level.
Proof.
rewrite -[RHS]Rmult_1_l -(active_sum1 dir) sum_mulr; apply: eq_bigr => c Sc.
have m0 := active_gt0 Sc; have b0 := b_gt0 (active_Q Sc).
rewrite /across_term (active_slope dir Sc) (p_levels Sc).
have -> : - ((gamma - gamma) * y) - (ln (b c / mu c) - mean_level) = mean_level + ln (mu c / b c).
  by rewrite !ln_div //; ring.
by rewrite exp_plus exp_ln; [field; lra | exact: Rdiv_lt_0_compat].
Qed.

Lemma active_least : exp mean_level <= \sum_(c | S c) across_term e c.
Proof.
set z := exp mean_level; have z0 : 0 < z by exact: exp_pos.
have -> : z = \sum_(c | S c) mu c * (z * (1 + (ln (b c / mu c) - dot (Delta c) e - mean_level))).
  have -> : \sum_(c | S c) mu c * (z * (1 + (ln (b c / mu c) - dot (Delta c) e - mean_level))) =
      z * ((\sum_(c | S c) mu c) * (1 - mean_level) +
           ((\sum_(c | S c) mu c * ln (b c / mu c)) - \sum_(c | S c) mu c * dot (Delta c) e)).
    by rewrite sum_mulr -sumB -sumD sum_mull; apply: eq_bigr => c _; ring.
  rewrite (active_sum1 dir) (sum_active dir (fun c => dot (Delta c) e)) (balance_dot dir) (dotC u) across_orth.
  by rewrite -/mean_level; ring.
apply: sum_le => c Sc; have m0 := active_gt0 Sc; have b0 := b_gt0 (active_Q Sc).
have -> : across_term e c = mu c * (z * exp (ln (b c / mu c) - dot (Delta c) e - mean_level)).
  rewrite /across_term (active_slope dir Sc) /z -exp_plus.
  have -> : - ((gamma - gamma) * y) - dot (Delta c) e = - dot (Delta c) e by ring.
  have -> : mean_level + (ln (b c / mu c) - dot (Delta c) e - mean_level) = ln (b c / mu c) + - dot (Delta c) e by ring.
  by rewrite exp_plus exp_ln; [field; lra | exact: Rdiv_lt_0_compat].
apply: Rmult_le_compat_l; first lra.
by apply: Rmult_le_compat_l (exp_ineq1_le _); lra.
Qed.

Lemma across_total : exp mean_level <= \sum_(c | Q c) across_term e c.
Proof.
apply: Rle_trans active_least _; rewrite (sum_pred_id S) (sum_pred_id Q); apply: sum_le => c _.
case Sc: (S c); first by rewrite (active_Q Sc); exact: Rle_refl.
by case Qc: (Q c); [exact: across_term_ge0 | exact: Rle_refl].
Qed.

Lemma parallel_gt0 : gamma * exp mean_level <= A * lambda * y.
Proof.
have -> : A * lambda * y = \sum_(c | Q c) across_term e c * slope c.
  have -> : A * lambda * y = A * dot (lambda * W)%V u by rewrite dotZl /height; ring.
  rewrite -parallel /ascent dot_combinel sum_mull; apply: eq_bigr => c _.
  by rewrite -Rmult_assoc across_weight.
apply: (@Rle_trans _ (gamma * (\sum_(c | Q c) across_term e c))).
  by apply: Rmult_le_compat_l across_total; lra.
rewrite sum_mull; apply: sum_le => c Qc; rewrite Rmult_comm.
by apply: Rmult_le_compat_l (slope_ge dir Qc); exact: across_term_ge0.
Qed.

Theorem path_across : vnorm2 e <= vnorm2 p + 2 * y / (gamma * exp mean_level) *
  (\sum_(c | Q c && ~~ S c) b c * exp (spread c * vnorm p - (slope c - gamma) * y)).
Proof.
set F := \sum_(c | Q c && ~~ S c) _; have c0 := exp_pos mean_level; have total := across_total.
have F0 : 0 <= F.
  apply: sum_ge0 => c /andP[Qc _].
  by apply: Rmult_le_pos; [exact/Rlt_le/b_gt0 | exact/Rlt_le/exp_pos].
have at_p : \sum_(c | Q c) across_term p c <= exp mean_level + F.
  rewrite (bigID S) /=; apply: Rplus_le_compat.
    right; rewrite -active_at_level; apply: eq_bigl => c; rewrite andbC.
    by case Sc: (S c) => //=; rewrite (active_Q Sc).
  apply: sum_le => c /andP[Qc _]; apply: Rmult_le_compat_l; first exact/Rlt_le/b_gt0.
  apply: exp_le; have /Rabs_le_between := dot_orth_bound dir c p_orth; lra.
have := across_tangent; have := parallel_gt0; set L := A * lambda => Ly tangent.
have L0 : 0 < L by have := Rmult_lt_0_compat _ _ gamma_gt0 c0; nra.
have half : 2 * dot e p <= vnorm2 e + vnorm2 p by have := vnorm2_ge0 (e - p)%V; rewrite vnorm2B; lra.
have close : L * (vnorm2 e - vnorm2 p) <= 2 * F.
  by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ L0) half; lra.
set G := gamma * exp mean_level in Ly *.
have G0 : 0 < G by exact: Rmult_lt_0_compat.
suff : (vnorm2 e - vnorm2 p) * G <= 2 * y * F.
  move=> h; have : vnorm2 e - vnorm2 p <= 2 * y * F / G.
    apply: (Rmult_le_reg_r G) => //; have -> : 2 * y * F / G * G = 2 * y * F by field; lra.
    exact: h.
  have -> : 2 * y / G * F = 2 * y * F / G by field; lra.
  by move=> h'; lra.
case: (Rle_lt_dec (vnorm2 e - vnorm2 p) 0) => d0.
  apply: (@Rle_trans _ 0); first by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ G0) d0; lra.
  by apply: Rmult_le_pos F0; lra.
apply: (@Rle_trans _ ((vnorm2 e - vnorm2 p) * (L * y))); first by apply: Rmult_le_compat_l Ly; lra.
by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ y_gt0) close; lra.
Qed.

(* ---- from a height on, and p from independent constraints ---- *)

Variables (y1 P1 : R).
Hypothesis height_from : 0 < y1 <= y.
Hypothesis slack_from : forall c, Q c -> ~~ S c -> 1 <= (slope c - gamma) * y1.
Hypothesis p_short : vnorm p <= P1.

Theorem path_across_from : vnorm2 e <= P1 * P1 + 2 * y1 / (gamma * exp mean_level) *
  (\sum_(c | Q c && ~~ S c) b c * exp (spread c * P1 - (slope c - gamma) * y1)).
Proof.
have c0 := exp_pos mean_level; have G0 : 0 < gamma * exp mean_level by exact: Rmult_lt_0_compat.
apply: Rle_trans path_across _; apply: Rplus_le_compat.
  by rewrite -vnorm_sqr; apply: Rmult_le_compat => //; exact: vnorm_ge0.
rewrite !(Rmult_comm (2 * _ / _)) !sum_mulr; apply: sum_le => c /andP[Qc Sc]; have b0 := b_gt0 Qc.
have decay := height_decay (proj1 height_from) (proj2 height_from) (slack_from Qc Sc).
have longer : exp (spread c * vnorm p) <= exp (spread c * P1).
  by apply: exp_le; apply: Rmult_le_compat_l => //; exact: spread_ge0.
have E z x : b c * exp (spread c * x - (slope c - gamma) * z) * (2 * z / (gamma * exp mean_level)) =
    2 * b c / (gamma * exp mean_level) * (exp (spread c * x) * (z * exp (- ((slope c - gamma) * z)))).
  by rewrite /Rminus exp_plus; field; split; lra.
rewrite !E; apply: Rmult_le_compat_l.
  by apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat].
apply: Rmult_le_compat longer decay; first exact/Rlt_le/exp_pos.
by apply: Rmult_le_pos; [lra | exact/Rlt_le/exp_pos].
Qed.
End Across.

Section Independent.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u : vec J) (gamma : R) (mu b : C -> R).
Variables (W : vec J) (lambda least y1 : R) (x : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Hypothesis b_gt0 : forall c, Q c -> 0 < b c.
Hypothesis parallel : ascent Q Delta (gibbs_weight Delta b W) = (lambda * W)%V.
Notation S := (active Q mu).
Notation slope := (slope Delta u).
Notation c0 := (mean_level Q mu b).
Hypothesis least_gt0 : 0 < least.
Hypothesis independent : gram_at_least S Delta least.
Hypothesis height_from : 0 < y1 <= height u W.
Hypothesis slack_from : forall c, Q c -> ~~ S c -> 1 <= (slope c - gamma) * y1.

(* A combination of the constraints with a multiplier, nearly p, and what its products lack. *)
Definition near_centre : vec J := combine S x Delta.
Definition level_lack (c : C) : R := ln (b c / mu c) - c0 - dot (Delta c) near_centre.
Definition centre_length : R := vnorm near_centre + sqrt ((\sum_(c | S c) level_lack c * level_lack c) / least).

Theorem path_across_independent : vnorm2 (W - height u W * u)%V <=
  centre_length * centre_length + 2 * y1 / (gamma * exp c0) *
  (\sum_(c | Q c && ~~ S c) b c * exp (spread Delta u c * centre_length - (slope c - gamma) * y1)).
Proof.
have [e [He _ E_S]] := correction level_lack least_gt0 independent; set E := combine S e Delta in He E_S.
set rr := \sum_(c | S c) _ in E_S *.
pose p := (near_centre + E)%V.
have levels c : S c -> dot (Delta c) p = ln (b c / mu c) - c0.
  by move=> Sc; rewrite dotDr He // /level_lack; ring.
have orth : dot p u = 0.
  have g0 := dir_margin_gt0 dir; suff : gamma * dot u p = 0 by rewrite dotC => /Rmult_integral[]; lra.
  rewrite -(balance_dot dir) -(sum_active dir (fun c => dot (Delta c) p)).
  have -> : \sum_(c | S c) mu c * dot (Delta c) p =
            (\sum_(c | S c) mu c * ln (b c / mu c)) - (\sum_(c | S c) mu c) * c0.
    by rewrite sum_mulr -sumB; apply: eq_bigr => c Sc; rewrite levels //; ring.
  by rewrite (active_sum1 dir) -/c0; ring.
have short : vnorm p <= centre_length.
  apply: Rle_trans (vnorm_triangle _ _) _; apply: Rplus_le_compat_l; apply: sqrt_le_1_alt.
  apply: (Rmult_le_reg_r least) => //; have -> : rr / least * least = rr by field; lra.
  by rewrite Rmult_comm.
exact: (path_across_from dir b_gt0 parallel (Rlt_le_trans _ _ _ (proj1 height_from) (proj2 height_from)) orth levels
          height_from slack_from short).
Qed.
End Independent.

(* ---- minimisers over balls ---- *)

Section Minimiser.
Variables (p : selection_problem) (l : loss) (r : R) (w : vec (coord p)).
Hypothesis defined : loss_defined p l.
Hypothesis least : regularised l r w.

Let inward (h : vec (coord p)) : dot w h < 0 -> 0 <= dot (gradient l w) h.
Proof.
move=> wh; apply: Rnot_lt_le => gh; set d := - dot (gradient l w) h; have d0 : 0 < d by rewrite /d; lra.
have h2 : 0 < vnorm2 h.
  case: (vnorm2_ge0 h) => // /esym/vnorm2_eq0 h0; move: wh; rewrite h0 dot0r; lra.
pose f s := training_loss l (w + s * h)%V.
have f0 : f 0 = training_loss l w by rewrite /f vline0.
have := is_derive_training_loss w h 0 defined; rewrite vline0 => /is_derive_Reals/(_ d d0)[delta near].
pose s := Rmin (delta / 2) (- dot w h / vnorm2 h).
have q0 : 0 < - dot w h / vnorm2 h by apply: Rdiv_lt_0_compat => //; lra.
have del0 := cond_pos delta.
have s0 : 0 < s by apply: Rmin_pos => //; lra.
have s1 : s <= delta / 2 by exact: Rmin_l.
have s2 : s * vnorm2 h <= - dot w h.
  have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ h2) (Rmin_r (delta / 2) (- dot w h / vnorm2 h)).
  by have -> : - dot w h / vnorm2 h * vnorm2 h = - dot w h by field; lra.
have shorter : vnorm (w + s * h)%V <= r.
  apply: Rle_trans (proj1 least); apply: vnorm_le; rewrite vnorm2D dotZr vnorm2Z.
  by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ s0) s2;
    have := Rmult_lt_0_compat _ _ s0 (Ropp_0_gt_lt_contravar _ wh); lra.
have := proj2 least _ shorter; rewrite -f0 -/(f s) => up.
have := near s (Rgt_not_eq _ _ s0) ltac:(rewrite Rabs_pos_eq; lra); rewrite Rplus_0_l => /Rabs_lt_between.
have q : 0 <= (f s - f 0) / s by apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat].
rewrite -/(f s) -/(f 0) -/f; rewrite /d in d0 *; move: q; rewrite /f; lra.
Qed.

Let sideways (h : vec (coord p)) : dot w h <= 0 -> 0 < vnorm2 w -> 0 <= dot (gradient l w) h.
Proof.
move=> wh w2; apply: Rnot_lt_le => gh.
have tilted s : 0 < s -> 0 <= dot (gradient l w) h - s * dot (gradient l w) w.
  move=> s0; rewrite -dotZr -dotBr; apply: inward; rewrite dotBr dotZr -/(vnorm2 w).
  by have := Rmult_lt_0_compat _ _ s0 w2; lra.
case: (Rle_lt_dec 0 (dot (gradient l w) w)) => gw; first by have := tilted 1 Rlt_0_1; lra.
have s0 : 0 < dot (gradient l w) h / (2 * dot (gradient l w) w).
  have -> : dot (gradient l w) h / (2 * dot (gradient l w) w) = - dot (gradient l w) h /
    (2 * - dot (gradient l w) w) by field; lra.
  by apply: Rdiv_lt_0_compat; lra.
have := tilted _ s0; have -> : dot (gradient l w) h / (2 * dot (gradient l w) w) * dot (gradient l w) w =
  dot (gradient l w) h / 2 by field; lra.
lra.
Qed.

Theorem ball_minimiser_parallel : 0 < vnorm2 w -> exists lambda, (- gradient l w)%V = (lambda * w)%V.
Proof.
move=> w2; set g := gradient l w; set k := dot g w / vnorm2 w.
pose h := (k * w - g)%V; exists (- k).
have wh : dot w h = 0 by rewrite dotBr dotZr -/(vnorm2 w) (dotC w g) /k; field; lra.
have hh : vnorm2 h = - dot g h.
  have -> : vnorm2 h = k * dot w h - dot g h by rewrite {1}/vnorm2 {1}/h dotBl dotZl.
  by rewrite wh; ring.
have h0 : h = vzero.
  apply: vnorm2_eq0; have := sideways (Req_le _ _ wh) w2; rewrite -/g => gh.
  by have := vnorm2_ge0 h; lra.
apply: vec_ext => j; have := f_equal (fun v => v j) h0; rewrite /h /vsub /vscale /vopp /vzero; lra.
Qed.
End Minimiser.

(* ---- the regularisation path ---- *)

Section Factors.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (u : vec (coord p)) (gamma from : R).
Variables (bounds : path_bounds p) (steep : group p -> R) (r : R) (w : vec (coord p)).
Notation Q := (constraint alpha).
Notation gap := (gap alpha).
Notation copies := (copies alpha).
Notation lmin := (path_slope_min bounds).
Notation theta := (path_lost bounds).
Hypothesis gamma_gt0 : 0 < gamma.
Hypothesis some_constraint : exists t, Q t.
Hypothesis alpha_best : globally_optimal alpha.
Hypothesis ranges : path_ranges alpha l u gamma from bounds.
Hypothesis defined : loss_defined p l.
Hypothesis far : from <= r.
Hypothesis no_worse : training_loss l w <= training_loss l (r * u)%V.

(* What a group can lose of its score. *)
Definition lost_at_most (i : group p) : R :=
  path_scale alpha (path_slope_max bounds) * exp (- (gamma * from)) / (weight i * lmin i).

Lemma lost_at_most_le t : Q t -> lost_at_most (group_of t) <= theta (group_of t) * gap t.
Proof.
move=> Qt; set i := group_of t; have w0 := weight_gt0 i; have l0 := path_slope_gt0 ranges i.
have vl : 0 < weight i * lmin i by exact: Rmult_lt_0_compat.
apply: (Rmult_le_reg_l (weight i * lmin i)) => //.
have -> : weight i * lmin i * lost_at_most i = path_scale alpha (path_slope_max bounds) * exp (- (gamma * from)).
  by rewrite /lost_at_most; field; lra.
by have := path_lost_large ranges Qt; rewrite -/i; lra.
Qed.

Hypothesis steepest : forall t x, Q t -> loss_domain l x ->
  score (alpha (group_of t)) - lost_at_most (group_of t) <= x -> - dloss l x <= steep (group_of t).

Definition weight_low t : R :=
  copies t * (weight (group_of t) * lmin (group_of t) * (1 - theta (group_of t)) *
              ((1 - theta (group_of t)) * gap t)).
Definition weight_high t : R := copies t * (weight (group_of t) * steep (group_of t) * gap t).

Theorem path_weight_range t : Q t ->
  0 < weight_low t /\ weight_low t <= bare_weight alpha l w t <= weight_high t.
Proof.
move=> Qt; set i := group_of t; have g0 := gap_of_best alpha_best Qt; have c0 := copies_gt0 alpha t.
have v0 := weight_gt0 i; have l0 := path_slope_gt0 ranges i; have th1 := path_lost_lt1 ranges i.
have vl : 0 < weight i * lmin i by exact: Rmult_lt_0_compat.
have lost0 := lost_ge0 alpha_best w i.
have lost1 : lost_score alpha w i <= lost_at_most i.
  apply: (Rmult_le_reg_l (weight i * lmin i)) => //.
  have -> : weight i * lmin i * lost_at_most i = path_scale alpha (path_slope_max bounds) * exp (- (gamma * from)).
    by rewrite /lost_at_most; field; lra.
  apply: Rle_trans (lost_small alpha_best ranges defined far no_worse i) _.
  apply: Rmult_le_compat_l; last exact: (decay_le gamma_gt0).
  exact/Rlt_le/(path_scale_gt0 some_constraint alpha_best ranges defined far no_worse).
have lost2 : lost_at_most i <= theta i * gap t := lost_at_most_le Qt.
have att := path_attention gamma_gt0 some_constraint alpha_best ranges defined far no_worse Qt.
rewrite -/i in att; have att1 := attention_le1 alpha w (alpha i).
have out : output w i = score (alpha i) - lost_score alpha w i by exact: output_selected.
have slope_lo : lmin i <= - dloss l (output w i).
  by apply: (path_slope_ge ranges (defined w i)); lra.
have slope_hi : - dloss l (output w i) <= steep i.
  by have := steepest Qt (defined w i); rewrite -/i out; apply; lra.
have pull_lo : (1 - theta i) * gap t <= output w i - score t by rewrite out; move: lost2; rewrite /Selection.gap
  /selected -/i; lra.
have pull_hi : output w i - score t <= gap t by rewrite out /Selection.gap /selected -/i; lra.
rewrite /weight_low /weight_high /bare_weight /selected -/i; split.
  apply: Rmult_lt_0_compat => //; apply: Rmult_lt_0_compat; last by apply: Rmult_lt_0_compat => //; lra.
  by apply: Rmult_lt_0_compat => //; lra.
have gk : 0 < (1 - theta i) * gap t by apply: Rmult_lt_0_compat => //; lra.
split; apply: Rmult_le_compat_l; try lra.
  apply: Rmult_le_compat => //; try lra.
    by apply: Rmult_le_pos; lra.
  apply: Rmult_le_compat => //; try lra.
  by apply: Rmult_le_compat_l; lra.
have -> : weight i * steep i * gap t = weight i * steep i * 1 * gap t by ring.
apply: Rmult_le_compat => //; try lra.
  by apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | lra].
apply: Rmult_le_compat => //; try lra.
  by apply: Rmult_le_pos; lra.
by apply: Rmult_le_compat_l; lra.
Qed.
End Factors.

(* From radius `from` on, whatever minimisers are taken, the path is within X of the ray through ws. *)
Definition path_stays (p : selection_problem) (l : loss) (ws : vec (coord p)) (from X : R) : Prop :=
  forall r w, from <= r -> regularised l r w ->
  vnorm (w - height (margin_direction ws) w * margin_direction ws)%V <= X.

Section PathAcross.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (ws : vec (coord p)) (lam : token p -> R).
Variables (from : R) (bounds : path_bounds p) (steep : group p -> R) (r : R) (w : vec (coord p)).
Variables (least y1 : R) (x : token p -> R).
Notation Q := (constraint alpha).
Notation u := (margin_direction ws).
Notation gamma := (margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation S := (active Q mu).
Notation b := (bare_weight alpha l w).
Notation slope := (Direction.slope (Delta alpha) u).
Notation spread := (Direction.spread (Delta alpha) u).
Notation length := (centre_length Q (Delta alpha) mu b least x).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis some_constraint : exists t, Q t.
Hypothesis alpha_best : globally_optimal alpha.
Hypothesis ranges : path_ranges alpha l u gamma from bounds.
Hypothesis defined : loss_defined p l.
Hypothesis far : from <= r.
Hypothesis on_path : regularised l r w.
Hypothesis steepest : forall t z, Q t -> loss_domain l z ->
  score (alpha (group_of t)) - lost_at_most alpha gamma from bounds (group_of t) <= z ->
  - dloss l z <= steep (group_of t).
Hypothesis least_gt0 : 0 < least.
Hypothesis independent : gram_at_least S (Delta alpha) least.
Hypothesis height_from : 0 < y1 <= r - path_rate alpha ws lam (path_slope_min bounds) (path_slope_max bounds)
  (path_lost bounds).
Hypothesis slack_from : forall t, Q t -> ~~ S t -> 1 <= (slope t - gamma) * y1.

(* T21, what is left across. *)
Theorem path_across_ball :
  (forall t, Q t -> 0 < b t /\ weight_low alpha bounds t <= b t <= weight_high alpha steep t) /\
  vnorm2 (w - height u w * u)%V <= length * length + 2 * y1 / (gamma * exp (mean_level Q mu b)) *
    (\sum_(t | Q t && ~~ S t) b t * exp (spread t * length - (slope t - gamma) * y1)).
Proof.
have n0 : 0 < vnorm ws := solution_norm_gt0 (proj1 (proj1 solution)) some_constraint.
have g0 : 0 < gamma by exact: Rinv_0_lt_compat.
have dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) some_constraint.
have r0 : 0 < r by have := path_from_gt0 ranges; lra.
have unit : vnorm (r * u)%V <= r.
  rewrite vnormZ /margin_direction vnormZ !Rabs_pos_eq; try lra.
    by right; field; lra.
  exact/Rlt_le/Rinv_0_lt_compat.
have no_worse := proj2 on_path _ unit.
have range := path_weight_range g0 some_constraint alpha_best ranges defined
  far no_worse steepest.
split; first by move=> t /range[low within]; split=> //; lra.
have high := path_height solution some_constraint alpha_best ranges defined far no_worse.
have tall : 0 < y1 <= height u w by split; [lra | rewrite /height dotC; lra].
have w0 : 0 < vnorm2 w.
  case: (vnorm2_ge0 w) => // /esym/vnorm2_eq0 w0.
  by move: tall; rewrite /height w0 dot0l; lra.
have [lambda parallel] := ball_minimiser_parallel defined on_path w0.
apply: (@path_across_independent _ _ Q (Delta alpha) u gamma mu b w lambda least y1 x dir) => //.
  by move=> t /range[]; lra.
rewrite -parallel (gradient_constraints alpha) /ascent; apply: combine_eq => // t Qt.
by rewrite (omega_margin alpha) /gibbs_weight /margin.
Qed.
End PathAcross.
