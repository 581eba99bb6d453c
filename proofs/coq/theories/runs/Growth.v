(* Growth: how fast the height y of a run grows, the lowest margin along a path, and the limit of the angle.

   Scalar facts only: normalised steps raise y linearly, gradient steps logarithmically, and a residual that obeys the
   path inequality is negligible against a height that tends to infinity. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Path.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma exp_ge_line x : 1 + x <= exp x.
Proof. by case: (Req_dec x 0) => [->|x0]; [rewrite exp_0; lra | have := exp_ineq1 x x0; lra]. Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. by case=> [h|->]; [left; exact: exp_increasing | right]. Qed.

Lemma ln_le_ln x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. by move=> x0 [h|->]; [left; exact: ln_increasing | right]. Qed.

(* The total of the first t steps of a schedule. *)
Definition total (eta : nat -> R) (t : nat) : R := \big[Rplus/0]_(s < t) eta s.

Lemma total0 eta : total eta O = 0.
Proof. by rewrite /total big_ord0. Qed.

Lemma totalS eta t : total eta t.+1 = total eta t + eta t.
Proof. by rewrite /total big_ord_recr. Qed.

Lemma total_const c t : total (fun=> c) t = INR t * c.
Proof. by elim: t => [|t IH]; [rewrite total0 /=; ring | rewrite totalS IH S_INR; ring]. Qed.

Lemma total_ge0 eta : (forall t, 0 <= eta t) -> forall t, 0 <= total eta t.
Proof. by move=> H t; apply: sum_ge0. Qed.

Lemma total_scale k eta t : total (fun s => k * eta s) t = k * total eta t.
Proof. by rewrite /total sum_mull. Qed.

(* Steps that raise y by at least k_t. *)
Lemma linear_growth (y k : nat -> R) :
  (forall t, k t <= y t.+1 - y t) -> forall t, y O + total k t <= y t.
Proof. by move=> H; elim=> [|t IH]; [rewrite total0; lra | have := H t; rewrite totalS; lra]. Qed.

(* Steps that raise y by at least a_t exp(- gamma y): e^(gamma y) grows by at least gamma a_t each time. *)
Lemma logarithmic_growth (y a : nat -> R) gamma :
  0 < gamma -> (forall t, 0 <= a t) -> (forall t, a t * exp (- (gamma * y t)) <= y t.+1 - y t) ->
  forall t, / gamma * ln (exp (gamma * y O) + gamma * total a t) <= y t.
Proof.
move=> g0 a0 H t.
have key n : exp (gamma * y O) + gamma * total a n <= exp (gamma * y n).
  elim: n => [|n IH]; first by rewrite total0; lra.
  have e0 := exp_pos (gamma * y n).
  have -> : gamma * y n.+1 = gamma * y n + gamma * (y n.+1 - y n) by ring.
  rewrite exp_plus totalS.
  have step : gamma * (a n * exp (- (gamma * y n))) <= gamma * (y n.+1 - y n).
    by apply: Rmult_le_compat_l; [lra | exact: H].
  have line := exp_ge_line (gamma * (y n.+1 - y n)).
  have : exp (gamma * y n) * (1 + gamma * (a n * exp (- (gamma * y n))))
      <= exp (gamma * y n) * exp (gamma * (y n.+1 - y n)) by apply: Rmult_le_compat_l; lra.
  have -> : exp (gamma * y n) * (1 + gamma * (a n * exp (- (gamma * y n))))
    = exp (gamma * y n) + gamma * a n * (exp (gamma * y n) * exp (- (gamma * y n))) by ring.
  by rewrite -exp_plus Rplus_opp_r exp_0; lra.
have A0 : 0 < exp (gamma * y O) + gamma * total a t.
  have := exp_pos (gamma * y O); have : 0 <= gamma * total a t; last by lra.
  by apply: Rmult_le_pos; [lra | exact: total_ge0].
apply: (Rmult_le_reg_l gamma) => //; rewrite -Rmult_assoc Rinv_r ?Rmult_1_l; last by lra.
by rewrite -[X in _ <= X]ln_exp; apply: ln_le_ln.
Qed.

(* Steps that raise y by at least a gain that falls with y. *)
Lemma falling_growth (y eta : nat -> R) (gain : R -> R) : (forall x, 0 < gain x) ->
  (forall x x', x <= x' -> gain x' <= gain x) -> (forall t, 0 < eta t) ->
  (forall t, eta t * gain (y t) <= y t.+1 - y t) -> forall t, y O + gain (y t) * total eta t <= y t.
Proof.
move=> gain0 falls sizes rise; elim=> [|t IH]; first by rewrite total0; lra.
have up := rise t; have step := Rmult_lt_0_compat _ _ (sizes t) (gain0 (y t)).
have le : gain (y t.+1) <= gain (y t) by apply: falls; lra.
have T0 : 0 <= total eta t + eta t by have := total_ge0 (fun s => Rlt_le _ _ (sizes s)) t; have := sizes t; lra.
by have := Rmult_le_compat_r _ _ _ T0 le; rewrite totalS; lra.
Qed.

(* The least value over y >= y0 of g y + r - d sqrt(x0^2 + M (y - y0)); it is attained where the square root is
   s = max(x0, d M/(2 g)). *)
Definition lowest_margin (g r d x0 y0 M : R) : R :=
  let s := Rmax x0 (d * M / (2 * g)) in g * (y0 + (s * s - x0 * x0) / M) + r - d * s.

Lemma lowest_margin_le g r d x0 y0 M y x :
  0 < g -> 0 <= d -> 0 < M -> 0 <= x0 -> y0 <= y -> 0 <= x -> x * x <= x0 * x0 + M * (y - y0) ->
  lowest_margin g r d x0 y0 M <= g * y + r - d * x.
Proof.
move=> g0 d0 M0 x00 y0y x_ge0 xx; rewrite /lowest_margin; set k := d * M / (2 * g); set s := Rmax x0 k.
have k0 : 0 <= k by rewrite /k; apply: Rmult_le_pos; [nra | apply/Rlt_le/Rinv_0_lt_compat; lra].
(* z is the square root itself *)
set z := sqrt (x0 * x0 + M * (y - y0)).
have rad0 : 0 <= x0 * x0 + M * (y - y0) by nra.
have zz : z * z = x0 * x0 + M * (y - y0) by apply: sqrt_sqrt.
have z0 : 0 <= z by apply: sqrt_pos.
have xz : x <= z by apply: le_of_sqr_le => //; lra.
have x0z : x0 <= z by apply: le_of_sqr_le => //; nra.
have yE : y = y0 + (z * z - x0 * x0) / M by rewrite zz; field; lra.
have dk : d = 2 * g * k / M by rewrite /k; field; lra.
have sx0 : x0 <= s := Rmax_l _ _.
suff : 0 <= (z - s) * (z + s - 2 * k).
  move=> H; have gM : 0 < g / M by apply: Rdiv_lt_0_compat.
  have := Rmult_le_pos _ _ (Rlt_le _ _ gM) H.
  have -> : g / M * ((z - s) * (z + s - 2 * k))
    = (g * y + r - d * z) - (g * (y0 + (s * s - x0 * x0) / M) + r - d * s).
    by rewrite [in RHS]yE dk; field; lra.
  have := Rmult_le_compat_l _ _ _ d0 xz; lra.
rewrite /s /Rmax; case: Rle_dec => h.
  by have := Rle_0_sqr (z - k); rewrite /Rsqr; lra.
by apply: Rmult_le_pos; lra.
Qed.

(* With x0 = 0 the bound of theory.md's natural centre. *)
Lemma lowest_margin_natural g r d y0 M : 0 < g -> 0 <= d -> 0 < M ->
  lowest_margin g r d 0 y0 M = g * y0 + r - d * d * M / (4 * g).
Proof.
move=> g0 d0 M0; rewrite /lowest_margin Rmax_right; first by field; lra.
by apply: Rmult_le_pos; [nra | apply/Rlt_le/Rinv_0_lt_compat; lra].
Qed.

(* ---- the angle in the limit ---- *)

Section Limit.
Variables (J : finType) (u p : vec J).
Hypothesis u_unit : dot u u = 1.
Hypothesis p_orth : dot p u = 0.

Lemma limit_linear (y eta : nat -> R) y0 k : 0 < k -> is_lim_seq (total eta) p_infty ->
  (forall t, y0 + k * total eta t <= y t) -> is_lim_seq y p_infty.
Proof.
move=> k0 He H; apply: (is_lim_seq_le_p_loc (fun t => y0 + k * total eta t)); first by exists O => t _; apply: H.
apply: (is_lim_seq_plus _ _ y0 p_infty) => //; first exact: is_lim_seq_const.
apply: (is_lim_seq_mult _ _ k p_infty) => //; first exact: is_lim_seq_const.
by apply: is_Rbar_mult_sym; exact: is_Rbar_mult_p_infty_pos.
Qed.

Lemma limit_falling (y eta : nat -> R) y0 (gain : R -> R) : (forall x, 0 < gain x) ->
  (forall x x', x <= x' -> gain x' <= gain x) -> is_lim_seq (total eta) p_infty ->
  (forall t, y0 + gain (y t) * total eta t <= y t) -> is_lim_seq y p_infty.
Proof.
move=> gain0 falls /is_lim_seq_spec He H; apply/is_lim_seq_spec => M; have g0 := gain0 M.
have [N HN] := He (Rmax 0 ((M - y0) / gain M)); exists N => t /HN far; apply: Rnot_le_lt => yM.
have T0 : 0 < total eta t := Rle_lt_trans _ _ _ (Rmax_l _ _) far.
have T1 : (M - y0) / gain M < total eta t := Rle_lt_trans _ _ _ (Rmax_r _ _) far.
have := Rmult_lt_compat_l _ _ _ g0 T1; have -> : gain M * ((M - y0) / gain M) = M - y0 by field; lra.
have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ T0) (falls _ _ yM); have := H t; lra.
Qed.

Lemma limit_logarithmic (y eta : nat -> R) gamma b k : 0 < gamma -> 0 < k -> 0 <= b ->
  is_lim_seq (total eta) p_infty -> (forall t, / gamma * ln (b + k * total eta t) <= y t) ->
  is_lim_seq y p_infty.
Proof.
move=> g0 k0 b0 He H.
have pos : eventually (fun t => 0 < total eta t) by apply: (He (fun x => 0 < x)); exists 0.
apply: (is_lim_seq_le_p_loc (fun t => / gamma * ln (k * total eta t))).
  case: pos => N HN; exists N => t /HN t0; apply: Rle_trans (H t).
  apply: Rmult_le_compat_l; first exact/Rlt_le/Rinv_0_lt_compat.
  by apply: ln_le_ln; [exact: Rmult_lt_0_compat | lra].
apply: (is_lim_seq_mult _ _ (/ gamma) p_infty); first exact: is_lim_seq_const.
  apply: (filterlim_comp _ _ _ (fun t => k * total eta t) ln _ (Rbar_locally p_infty)); last exact: is_lim_ln_p.
  apply: (is_lim_seq_mult _ _ k p_infty) => //; first exact: is_lim_seq_const.
  by apply: is_Rbar_mult_sym; exact: is_Rbar_mult_p_infty_pos.
apply: is_Rbar_mult_sym; apply: is_Rbar_mult_p_infty_pos; exact: Rinv_0_lt_compat.
Qed.

Lemma total_const_limit eta : 0 < eta -> is_lim_seq (total (fun=> eta)) p_infty.
Proof.
move=> e0; apply: (is_lim_seq_ext (fun t => INR t * eta)) => [t|]; first by rewrite total_const.
apply: (is_lim_seq_mult _ _ p_infty eta); [exact: is_lim_seq_INR | exact: is_lim_seq_const |].
exact: is_Rbar_mult_p_infty_pos.
Qed.

(* A run whose heights tend to infinity and whose residuals obey x_t^2 <= A + B y_t turns into the direction u. *)
Theorem cosine_limit (w : nat -> vec J) A B :
  is_lim_seq (fun t => height u (w t)) p_infty ->
  (forall t, vnorm2 (residual u p (w t)) <= A + B * height u (w t)) ->
  is_lim_seq (fun t => cosine u (w t)) 1.
Proof.
move=> Hy Hx; pose k := vnorm p * vnorm p + Rabs A + Rabs B.
apply: (is_lim_seq_le_le_loc (fun t => 1 - k * / height u (w t)) _ (fun=> 1)); last first.
- exact: is_lim_seq_const.
- have <- : Rbar_minus 1 0 = 1 by rewrite /=; congr Finite; ring.
  apply: is_lim_seq_minus'; first exact: is_lim_seq_const.
  have -> : Finite 0 = Finite (k * 0) by congr Finite; ring.
  apply: is_lim_seq_mult'; first exact: is_lim_seq_const.
  exact: (is_lim_seq_inv _ p_infty).
have [N HN] : eventually (fun t => 1 < height u (w t)) by apply: (Hy (fun x => 1 < x)); exists 1.
exists N => t /HN y1; split; last exact: cosine_le1.
have := angle_bound u_unit (w := w t) (p := p) (X := vnorm (residual u p (w t))) _ (Rle_refl _).
move: y1 (Hx t); rewrite -vnorm_sqr; set y := height u (w t); set x := vnorm (residual u p (w t)) => y1 xx H.
have {H} := H (Rlt_trans _ _ _ Rlt_0_1 y1); suff : (vnorm p + x) * (vnorm p + x) / (2 * (y * y)) <= k * / y by lra.
apply: (Rmult_le_reg_r (2 * (y * y))); first by nra.
rewrite /Rdiv Rmult_assoc Rinv_l; last by nra.
have -> : k * / y * (2 * (y * y)) = 2 * (k * y) by field; lra.
have := Rle_0_sqr (vnorm p - x); rewrite /Rsqr => sq.
have a0 := Rle_abs A; have b0 := Rle_abs B; have p0 := Rle_0_sqr (vnorm p); rewrite /Rsqr in p0.
have A0 := Rabs_pos A; have B0 := Rabs_pos B.
rewrite /k; nra.
Qed.
End Limit.
