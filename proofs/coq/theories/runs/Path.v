(* Path: T9, the path inequality, its sharper forms T9s, and what it says about the angle to u.

   One step w+ = w + tau V raises the height y = <w,u> and changes the squared residual norm x^2 by at most M (y+ -
   y), whatever rule chose tau. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Progress.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Step.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u p : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Hypothesis p_orth : dot p u = 0.
Notation height := (height u).
Notation residual := (residual u p).

Lemma step_height w tau V : height (w + tau * V)%V = height w + tau * dot V u.
Proof. by rewrite /height dotDl dotZl. Qed.

Lemma step_residual w tau V :
  vnorm2 (residual (w + tau * V)%V) =
  vnorm2 (residual w) + 2 * tau * dot V (residual w) + tau * tau * (vnorm2 V - dot V u * dot V u).
Proof.
have -> : residual (w + tau * V)%V = (residual w + tau * (V - dot V u * u))%V.
  by rewrite /residual step_height; vec_ring.
have rV : dot (residual w) (V - dot V u * u) = dot V (residual w).
  by rewrite dotBr dotZr (residual_orth dir p_orth) dotC; ring.
have uu : vnorm2 u = 1 := dir_unit dir.
by rewrite vnorm2D vnorm2Z dotZr rV vnorm2B vnorm2Z dotZr uu; ring.
Qed.

(* The path inequality from its three ingredients: the pull on the residual, the progress along u, and a bound of the
   step's part orthogonal to u. *)
Lemma path_step w tau V Om G g A :
  0 < tau -> 0 < Om -> 0 < g -> 0 <= G -> Om * g <= dot V u -> dot V (residual w) <= Om * G ->
  tau * tau * (vnorm2 V - dot V u * dot V u) <= A * (tau * dot V u) ->
  vnorm2 (residual (w + tau * V)%V) - vnorm2 (residual w)
    <= (2 * G / g + A) * (height (w + tau * V)%V - height w).
Proof.
move=> tau0 Om0 g0 G0 Hu He HA; rewrite step_residual step_height.
have : Om * G <= G / g * dot V u.
  have -> : Om * G = G / g * (Om * g) by field; lra.
  by apply: Rmult_le_compat_l => //; apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat.
move=> OG; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ tau0) (Rle_trans _ _ _ He OG); lra.
Qed.
End Step.

Section PathInequality.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u p : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Hypothesis p_orth : dot p u = 0.
Notation height := (height u).
Notation residual := (residual u p).

Section General.
Variables (P : pred C) (omega : C -> R) (D rho : R).
Hypothesis P_sub : forall c, P c -> Q c.
Hypothesis active_sub : forall c, active Q mu c -> P c.
Hypothesis omega_gt0 : forall c, P c -> 0 < omega c.
Hypothesis norm_le : forall c, Q c -> vnorm (Delta c) <= D.
Hypothesis rho_ge0 : 0 <= rho.
Hypothesis rho_lt : rho * D < gamma.
Let V := ascent Q Delta omega.
Let Om := \sum_(c | P c) omega c.
Hypothesis outside_le : \sum_(c | Q c && ~~ P c) Rabs (omega c) <= rho * Om.

Lemma path_total_gt0 : 0 < Om.
Proof.
have [c /active_sub Pc] := active_exists dir.
by apply: (sum_gt0 (i := c)) => // [d Pd|]; [exact/Rlt_le/omega_gt0 | exact: omega_gt0].
Qed.

Lemma ascent_gt0 : 0 < dot V u.
Proof.
apply: Rlt_le_trans (progress_direction dir P_sub omega_gt0 norm_le outside_le).
by apply: Rmult_lt_0_compat; [exact: path_total_gt0 | lra].
Qed.

Lemma ascent_norm_gt0 : 0 < vnorm V.
Proof. by have := dot_le_norms V u; rewrite (unorm dir) Rmult_1_r; have := ascent_gt0; lra. Qed.

(* T9.  G is T7's constant C. *)
Theorem path_T9 w tau G h :
  0 < tau -> tau * vnorm V <= h -> 0 <= G ->
  \sum_(c | P c) omega c * dot (Delta c) (residual w) <= Om * G ->
  height w < height (w + tau * V)%V /\
  vnorm2 (residual (w + tau * V)%V) - vnorm2 (residual w)
    <= (2 * G + 2 * rho * D * vnorm (residual w) + h * D * (1 + rho)) / (gamma - rho * D)
       * (height (w + tau * V)%V - height w).
Proof.
move=> tau0 tauV G0 HG; have V0 := ascent_gt0; have D0 := bound_ge0 dir norm_le.
split; first by rewrite step_height; have := Rmult_lt_0_compat _ _ tau0 V0; lra.
have g0 : 0 < gamma - rho * D by lra.
have x0 := vnorm_ge0 (residual w).
have -> : (2 * G + 2 * rho * D * vnorm (residual w) + h * D * (1 + rho)) / (gamma - rho * D)
  = 2 * (G + rho * D * vnorm (residual w)) / (gamma - rho * D) + h * D * (1 + rho) / (gamma - rho * D).
  by field; lra.
apply: (path_step dir p_orth tau0 path_total_gt0 g0).
- by apply: Rplus_le_le_0_compat => //; do 2![apply: Rmult_le_pos => //].
- exact (progress_direction dir P_sub omega_gt0 norm_le outside_le).
- exact (progress_residual dir P_sub norm_le outside_le HG).
(* tau^2 ||V||^2 <= tau h Om D (1 + rho) <= h D (1 + rho) / (gamma - rho D) * tau <V,u> *)
have h0 : 0 <= h by have := Rmult_le_pos _ _ (Rlt_le _ _ tau0) (vnorm_ge0 V); lra.
apply: (Rle_trans _ (tau * vnorm V * (tau * vnorm V))).
  rewrite -vnorm_sqr; have := Rle_0_sqr (tau * dot V u); rewrite /Rsqr; lra.
have nV := progress_norm dir P_sub omega_gt0 norm_le outside_le.
have pV := progress_direction dir P_sub omega_gt0 norm_le outside_le.
apply: (Rle_trans _ (h * (tau * (Om * D * (1 + rho))))).
  apply: Rmult_le_compat => //; try by apply: Rmult_le_pos (Rlt_le _ _ tau0) (vnorm_ge0 V).
  by apply: Rmult_le_compat_l; [lra | exact: nV].
have -> : h * (tau * (Om * D * (1 + rho)))
  = h * D * (1 + rho) / (gamma - rho * D) * (tau * (Om * (gamma - rho * D))) by field; lra.
apply: Rmult_le_compat_l.
  apply: Rmult_le_pos; last exact/Rlt_le/Rinv_0_lt_compat.
  by apply: Rmult_le_pos; [exact: Rmult_le_pos | lra].
by apply: Rmult_le_compat_l; [lra | exact: pV].
Qed.
End General.

(* T9s: the sharper constants when every constraint carries a positive weight. *)
Section Sharp.
Variable omega : C -> R.
Hypothesis omega_gt0 : forall c, Q c -> 0 < omega c.
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).
Let V := ascent Q Delta omega.
Let Om := \sum_(c | Q c) omega c.

Lemma sharp_ascent_gt0 : 0 < dot V u.
Proof.
apply: Rlt_le_trans (progress_slope dir omega_gt0).
by apply: Rmult_lt_0_compat; [exact (total_gt0 dir omega_gt0) | exact: dir_margin_gt0 dir].
Qed.

Lemma sharp_norm_gt0 : 0 < vnorm V.
Proof. by have := dot_le_norms V u; rewrite (unorm dir) Rmult_1_r; have := sharp_ascent_gt0; lra. Qed.

Section Bounded.
Variables (w : vec J) (tau G : R).
Hypothesis tau_gt0 : 0 < tau.
Hypothesis G_ge0 : 0 <= G.
Hypothesis pull_le : \sum_(c | Q c) omega c * dot (Delta c) (residual w) <= Om * G.

Lemma sharp_residual : dot V (residual w) <= Om * G.
Proof. by rewrite /V /ascent dot_combinel. Qed.

Lemma sharp_height : height w < height (w + tau * V)%V.
Proof. by rewrite step_height; have := Rmult_lt_0_compat _ _ tau_gt0 sharp_ascent_gt0; lra. Qed.

(* A normalised step, of length eta. *)
Theorem path_T9s_normalised eta cmin :
  0 < cmin -> (forall c, Q c -> cmin * vnorm (Delta c) <= slope c) -> tau * vnorm V = eta ->
  eta * cmin <= height (w + tau * V)%V - height w /\
  vnorm2 (residual (w + tau * V)%V) - vnorm2 (residual w)
    <= (2 * G / gamma + eta * (1 - cmin * cmin) / cmin) * (height (w + tau * V)%V - height w).
Proof.
move=> c0 Hc Heta; have V0 := sharp_ascent_gt0; have nV := sharp_norm_gt0.
have cV := progress_cosine omega_gt0 Hc (Rlt_le _ _ c0); rewrite -/V in cV.
split.
  rewrite step_height -Heta.
  have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ tau_gt0) cV; lra.
apply: (path_step dir p_orth tau_gt0 (total_gt0 dir omega_gt0) (dir_margin_gt0 dir) G_ge0).
- exact (progress_slope dir omega_gt0).
- exact: sharp_residual.
(* With n = ||V|| and v = <V,u> >= cmin n: n^2 - v^2 <= n v (1 - cmin^2)/cmin. *)
rewrite -vnorm_sqr -Heta -/V; set n := vnorm V in nV cV *; set v := dot V u in V0 cV *.
suff H : n * n - v * v <= n * (1 - cmin * cmin) / cmin * v.
  have := Rmult_le_compat_l _ _ _ (Rle_0_sqr tau) H; rewrite /Rsqr.
  by have -> : tau * tau * (n * (1 - cmin * cmin) / cmin * v)
    = tau * n * (1 - cmin * cmin) / cmin * (tau * v) by field; lra.
apply: (Rmult_le_reg_r cmin) => //.
have -> : n * (1 - cmin * cmin) / cmin * v * cmin = n * (1 - cmin * cmin) * v by field; lra.
(* n v (1 - c^2) - c (n^2 - v^2) = (v - c n)(n + c v) *)
have := Rmult_le_pos (v - cmin * n) (n + cmin * v).
have : 0 <= cmin * v by apply: Rmult_le_pos; lra.
nra.
Qed.

(* A step of length at most h. *)
Theorem path_T9s_bounded h ratio :
  0 <= ratio -> (forall c, Q c -> spread c <= ratio * slope c) -> tau * vnorm V <= h ->
  vnorm2 (residual (w + tau * V)%V) - vnorm2 (residual w)
    <= (2 * G / gamma + h * ratio) * (height (w + tau * V)%V - height w).
Proof.
move=> r0 Hr Hh; have V0 := sharp_ascent_gt0.
have sV := progress_spread dir omega_gt0 Hr; rewrite -/V in sV.
apply: (path_step dir p_orth tau_gt0 (total_gt0 dir omega_gt0) (dir_margin_gt0 dir) G_ge0).
- exact (progress_slope dir omega_gt0).
- exact: sharp_residual.
rewrite -(orthogonal_part_sqr dir) -vnorm_sqr.
set o := orthogonal_part _ _ _ _ in sV *.
have oV : vnorm o <= vnorm V.
  apply: vnorm_le; rewrite (orthogonal_part_sqr dir) -/V.
  by have := Rle_0_sqr (dot V u); rewrite /Rsqr; lra.
have o0 := vnorm_ge0 o.
have -> : tau * tau * (vnorm o * vnorm o) = (tau * vnorm o) * (tau * vnorm o) by ring.
have -> : h * ratio * (tau * dot V u) = h * (tau * (ratio * dot V u)) by ring.
have t0 := Rlt_le _ _ tau_gt0.
apply: Rmult_le_compat; try exact: Rmult_le_pos.
  by apply: Rle_trans Hh; apply: Rmult_le_compat_l.
by apply: Rmult_le_compat_l.
Qed.

(* A gradient step that decreases the loss by at least (tau/2)||V||^2: the price is paid by the loss. *)
Theorem path_T9s_descent L Lnext :
  Lnext <= L - tau / 2 * vnorm2 V ->
  vnorm2 (residual (w + tau * V)%V) - vnorm2 (residual w)
    <= 2 * G / gamma * (height (w + tau * V)%V - height w) + 2 * tau * (L - Lnext).
Proof.
move=> HL; have g0 := dir_margin_gt0 dir.
rewrite (step_residual dir p_orth) step_height.
have OG : Om * G <= G / gamma * dot V u.
  have -> : Om * G = G / gamma * (Om * gamma) by field; lra.
  apply: Rmult_le_compat_l; last exact (progress_slope dir omega_gt0).
  by apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ tau_gt0) (Rle_trans _ _ _ sharp_residual OG).
have := Rle_0_sqr (tau * dot V u); rewrite /Rsqr.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ tau_gt0) HL.
lra.
Qed.
End Bounded.
End Sharp.
End PathInequality.

(* The angle between w and u, from the height and the residual. *)
Section Angle.
Variables (J : finType) (u p : vec J).
Hypothesis u_unit : dot u u = 1.
Hypothesis p_orth : dot p u = 0.
Notation height := (height u).
Notation residual := (residual u p).

Lemma vnorm2_split w : vnorm2 w = height w * height w + vnorm2 (p + residual w).
Proof.
have -> : (p + residual w)%V = (w - height w * u)%V by rewrite /residual; vec_ring.
have uu : vnorm2 u = 1 := u_unit.
by rewrite vnorm2B vnorm2Z dotZr uu -/(height w); ring.
Qed.

Lemma cosine_le1 w : cosine u w <= 1.
Proof.
rewrite /cosine; have [n0|n0] := vnorm_ge0 w; last by rewrite -n0 /Rdiv Rinv_0 Rmult_0_r; lra.
apply: (Rmult_le_reg_r (vnorm w)) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r ?Rmult_1_l; last by lra.
have := dot_le_norms w u; suff -> : vnorm u = 1 by lra.
by rewrite /vnorm /vnorm2 u_unit sqrt_1.
Qed.

(* 1 - cos(w,u) <= (||p|| + x)^2 / (2 y^2) *)
Theorem angle_bound w X : 0 < height w -> vnorm (residual w) <= X ->
  1 - cosine u w <= (vnorm p + X) * (vnorm p + X) / (2 * (height w * height w)).
Proof.
move=> y0 xX; set y := height w in y0 *.
pose z := vnorm (p + residual w)%V.
have z0 : 0 <= z := vnorm_ge0 _.
have zX : z <= vnorm p + X by have := vnorm_triangle p (residual w); rewrite -/z; lra.
have nn : vnorm w * vnorm w = y * y + z * z by rewrite !vnorm_sqr (vnorm2_split w).
have n0 : 0 < vnorm w.
  case: (vnorm_ge0 w) => // n0; move: nn; rewrite -n0 => nn.
  by have := Rmult_lt_0_compat _ _ y0 y0; have := Rle_0_sqr z; rewrite /Rsqr; lra.
have yn : y <= vnorm w by nra.
apply: (Rle_trans _ (z * z / (2 * (y * y)))); last first.
  apply: Rmult_le_compat_r; last by apply: Rmult_le_compat.
  by apply/Rlt_le/Rinv_0_lt_compat; nra.
(* 1 - y/n = (n^2 - y^2)/(n (n + y)) *)
have -> : 1 - cosine u w = z * z * / (vnorm w * (vnorm w + y)).
  have -> : z * z = (vnorm w - y) * (vnorm w + y) by lra.
  by rewrite /cosine -/(height w) -/y; field; lra.
apply: Rmult_le_compat_l; first exact: Rle_0_sqr.
apply: Rinv_le_contravar; first by nra.
by nra.
Qed.
End Angle.

(* Telescoping over a run. *)
Lemma telescope (x2 y : nat -> R) M :
  (forall t, x2 t.+1 - x2 t <= M * (y t.+1 - y t)) -> forall t, x2 t <= x2 O + M * (y t - y O).
Proof. by move=> H; elim=> [|t IH]; [lra | have := H t; lra]. Qed.
