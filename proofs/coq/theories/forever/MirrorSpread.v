(* MirrorSpread: what the spread of the constraint vectors adds to a step's length in T17, against the relative entropy
   of its weights (MIRROR.md section 6), for p <= 2: Hoeffding's lemma stands for Pinsker's inequality. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity
                           Direction Gibbs Hoeffding Progress FactorRange Mirror MirrorRay MirrorMoves MirrorRegion
                           MirrorRun.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the norm of a dual point, from its height and its gap ---- *)

Lemma mirror_norm_bound (J : finType) (p q : R) (u v : vec J) y z : 1 < p -> / p + / q = 1 -> lp_sum p u = 1 ->
  0 <= dot z u ->
  lp_norm q z <=
    abs_power (abs_power (dot z u) q + q * (2 * mirror_gap p q (ray u v y) z + centre_cost p q u v y)) (/ q).
Proof.
move=> p1 conj u1 h0; have q1 := conjugate_gt1 p1 conj; rewrite /lp_norm; apply: abs_power_le.
  by apply/Rlt_le/Rinv_0_lt_compat; lra.
split; first exact: lp_sum_ge0.
have := gap_off_centre u v p1 conj y z; set h := dot z u in h0 *.
have low : lp_sum q z / q - abs_power h q / q <= mirror_gap p q (y * u)%V z.
  have := young h y p1 conj; rewrite /mirror_gap /potential lp_sum_scale u1 dotZr -/h; rewrite /Rdiv; lra.
move=> H; have := Rmult_le_compat_l q _ _ ltac:(lra) (Rle_trans _ _ _ low H).
have -> : q * (lp_sum q z / q - abs_power h q / q) = lp_sum q z - abs_power h q by field; lra.
lra.
Qed.

Section Spread.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (p q : R) (u v : vec J) (gamma : R) (mu : C -> R).
Variables (b : vec J -> C -> R) (f : factor_bounds C) (low : C -> R) (k : mirror_bounds C).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (dir : mirror_direction Q Delta p u gamma mu).
Hypotheses (range : factor_range Q Delta b low f) (shape : mirror_shape Q Delta p q u v gamma mu f low k).
Variables D spread : R.
Hypothesis norm_le : forall c, Q c -> lp_norm q (Delta c) <= D.
Hypothesis spread_le : forall c, factor_kept f c -> 2 * lp_norm q (Delta c - gamma * mirror p u)%V <= spread.
Notation P := (factor_kept f).
Notation V := (mirror_field Q Delta q b).
Notation Om := (mirror_total Delta q b f).
Notation near := (near_ray p q u v k).
Notation n := (mirror p u).

(* A multiple of the field's length. *)
Theorem mirror_field_spread y x t : near y x -> 0 <= t ->
  t * lp_norm q (V x) <= Om x * (t * (gamma + mirror_ratio k y * D) + t * spread * (t * spread) / 8 +
    mirror_entropy Q Delta q mu b f x).
Proof.
move=> at_y t0; have q1 := conjugate_gt1 p1 conj; have conj' : / q + / p = 1 by lra.
have Om0 := mirror_total_positive dir range shape at_y.
have weight0 := mirror_weight_gt0 range shape at_y.
have [h [h1 <-]] := lp_norm_attained p1 conj (V x).
have up z : dot z h <= lp_norm q z by rewrite dotC; exact: (hoelder_dual_unit q1 conj' h1).
have size z : Rabs (dot z h) <= lp_norm q z.
  apply: Rabs_le; split; last exact: up.
  have := up (- 1 * z)%V; rewrite lp_norm_scale ?Rabs_Ropp ?Rabs_R1 ?dotZl; lra.
pose w := mirror q x; pose om := gibbs_weight Delta (b w) w; pose s c := om c / Om x.
have s0 c : P c -> 0 < s c by move=> Pc; apply: Rdiv_lt_0_compat => //; exact: weight0.
have s1 : \sum_(c | P c) s c = 1.
  by rewrite /s /Rdiv -sum_mulr -/(mirror_total Delta q b f x) Rinv_r //; lra.
pose xs c := dot (Delta c) h.
have n1 : dot n h <= 1.
  apply: Rle_trans (up n) _; rewrite /lp_norm (mirror_sum p1 conj) (mirror_unit dir) abs_power_one; lra.
have g0 := mirror_margin_gt0 dir.
(* the mean of xs under mu *)
have bal := mirror_balanced dir.
have mean : \sum_(c | active Q mu c) mu c * xs c = gamma * dot n h.
  by rewrite (balanced_active bal) (balanced_dot bal).
have H1 : t * (\sum_(c | P c) s c * xs c) <=
    t * gamma + t * spread * (t * spread) / 8 + mirror_entropy Q Delta q mu b f x.
  have mu0 c : active Q mu c -> 0 <= mu c by move=> /activeP[_]; lra.
  have b0 c : active Q mu c -> 0 < s c * exp (- (t * xs c)).
    by move=> Sc; apply: Rmult_lt_0_compat; [exact/s0/(mirror_active shape) | exact: exp_pos].
  have := gibbs mu0 (balanced_active_sum bal) b0.
  have -> : \sum_(c | active Q mu c) mu c * (ln (s c * exp (- (t * xs c))) - ln (mu c)) =
      - mirror_entropy Q Delta q mu b f x - t * (gamma * dot n h).
    rewrite -mean sum_mull /mirror_entropy /relative_entropy -sumN -sumB; apply: eq_bigr => c Sc.
    rewrite ln_mult ?ln_exp; [|exact/s0/(mirror_active shape) | exact: exp_pos].
    by rewrite /s /om /w /mirror_total; ring.
  have sub : \sum_(c | active Q mu c) s c * exp (- (t * xs c)) <= \sum_(c | P c) s c * exp (- (t * xs c)).
    rewrite (sum_pred_id (active Q mu)) (sum_pred_id P); apply: sum_le => c _.
    case Sc: (active Q mu c); first by rewrite (mirror_active shape Sc); right.
    case Pc: (P c); last by right.
    by apply: Rmult_le_pos; [exact/Rlt_le/s0 | exact/Rlt_le/exp_pos].
  have pos : 0 < \sum_(c | active Q mu c) s c * exp (- (t * xs c)).
    have [c Sc] := balanced_active_exists bal.
    by apply: (sum_gt0 (i := c)) => // [d Sd|]; [exact/Rlt_le/b0 | exact: b0].
  have mono : ln (\sum_(c | active Q mu c) s c * exp (- (t * xs c))) <= ln (\sum_(c | P c) s c * exp (- (t * xs c))).
    by case: sub => [lt | ->]; [left; exact: ln_increasing | right].
  have within c : P c -> - (t * (gamma * dot n h)) - t * (spread / 2) <= - (t * xs c) <=
      - (t * (gamma * dot n h)) - t * (spread / 2) + t * spread.
    move=> Pc; have := size (Delta c - gamma * n)%V; rewrite dotBl dotZl -/(xs c) => /Rabs_le_between.
    have := spread_le Pc => sp [lo hi].
    have := Rmult_le_compat_l t _ _ t0 (ltac:(lra) : xs c - gamma * dot n h <= spread / 2).
    have := Rmult_le_compat_l t _ _ t0 (ltac:(lra) : - (spread / 2) <= xs c - gamma * dot n h).
    lra.
  have := hoeffding (fun c Pc => Rlt_le _ _ (s0 c Pc)) s1 within.
  have -> : \sum_(c | P c) s c * - (t * xs c) = - (t * (\sum_(c | P c) s c * xs c)).
    by rewrite sum_mull -sumN; apply: eq_bigr => c _; ring.
  have := Rmult_le_compat_l t _ _ t0 (Rmult_le_compat_l gamma _ _ (Rlt_le _ _ g0) n1).
  lra.
have out := mirror_outside dir range shape at_y.
rewrite /mirror_field /field_of (ascent_dot _ _ (factor_kept_constraint range)).
have inP : \sum_(c | P c) gibbs_weight Delta (b (mirror q x)) (mirror q x) c * dot (Delta c) h =
    Om x * (\sum_(c | P c) s c * xs c).
  by rewrite sum_mull; apply: eq_bigr => c _; rewrite /s /om /w /xs; field; lra.
have [c0 /activeP[Qc0 _]] := balanced_active_exists bal.
have D0 : 0 <= D := Rle_trans _ _ _ (lp_norm_ge0 _ _) (norm_le Qc0).
have outP : \sum_(c | Q c && ~~ P c) gibbs_weight Delta (b (mirror q x)) (mirror q x) c * dot (Delta c) h <=
    mirror_ratio k y * Om x * D.
  apply: Rle_trans (Rmult_le_compat_r _ _ _ D0 out); rewrite sum_mulr; apply: sum_le => c /andP[Qc _].
  apply: Rle_trans (Rle_abs _) _; rewrite Rabs_mult; apply: Rmult_le_compat_l; first exact: Rabs_pos.
  exact: Rle_trans (size _) (norm_le Qc).
rewrite inP; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ Om0) H1; have := Rmult_le_compat_l _ _ _ t0 outP; lra.
Qed.

(* R(y) of a normalised step, p <= 2; N bounds ||Z||_q. *)
Theorem spread_cost_below_two N eta y x tau (h := (q - 1) / 2 * (abs_power (N + eta) (q - 2) * eta)) : p <= 2 ->
  near y x -> normalised_fits Q Delta q b eta tau x -> lp_norm q x <= N ->
  dual_divergence q (mirror q x) x (x + tau * V x)%V <= tau * Om x *
    (h * (gamma + mirror_ratio k y * D) + h * spread * (h * spread) / 8 + mirror_entropy Q Delta q mu b f x).
Proof.
move=> p2 at_y [t0 len] xN; have q1 := conjugate_gt1 p1 conj; have x0 := lp_norm_ge0 q x.
have q2 : 2 <= q by have := conjugate_powers p1 conj; nra.
have Om0 := mirror_total_positive dir range shape at_y.
have nE : lp_norm q (tau * V x)%V = tau * lp_norm q (V x) by rewrite lp_norm_scale ?Rabs_pos_eq; lra.
have moving : 0 < lp_norm q (tau * V x)%V.
  rewrite nE; apply: Rmult_lt_0_compat => //; apply: Rlt_le_trans (height_le_norm p1 conj (mirror_unit dir) _).
  apply: Rlt_le_trans (mirror_ascent_height dir range shape at_y); have [y_ge _ _] := at_y.
  by apply: Rmult_lt_0_compat => //; have := mirror_ratio_lt shape y_ge; lra.
have e0 : 0 < eta by rewrite nE in moving; lra.
have P0 := abs_power_ge0 (N + eta) (q - 2).
have h0 : 0 <= h by apply: Rmult_le_pos; [lra | apply: Rmult_le_pos; lra].
apply: Rle_trans (curvature_norm p1 conj x q2 moving) _; rewrite nE in moving *.
apply: (Rle_trans _ (tau * (h * lp_norm q (V x)))).
  set L := tau * lp_norm q (V x) in len moving *.
  have -> : tau * (h * lp_norm q (V x)) = (q - 1) / 2 * (abs_power (N + eta) (q - 2) * (eta * L)).
    by rewrite /h /L; ring.
  apply: Rmult_le_compat_l; first lra.
  apply: Rmult_le_compat; [exact: abs_power_ge0 | by apply: Rmult_le_pos; lra | by apply: abs_power_le; lra |].
  by apply: Rmult_le_compat_r; lra.
rewrite (Rmult_assoc tau); apply: Rmult_le_compat_l; first lra.
exact: mirror_field_spread.
Qed.
End Spread.
