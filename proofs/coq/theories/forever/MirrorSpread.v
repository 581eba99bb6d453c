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

(* Along a functional whose values on P's constraints lie in an interval of that length. *)
Theorem mirror_field_along y x t h width outer : near y x -> 0 <= t ->
  (forall c, P c -> 2 * Rabs (dot (Delta c - gamma * n)%V h) <= width) ->
  (forall c, Q c -> ~~ P c -> Rabs (dot (Delta c) h) <= outer) -> 0 <= outer ->
  t * dot (V x) h <= Om x * (t * (gamma * dot n h + mirror_ratio k y * outer) + t * width * (t * width) / 8 +
    mirror_entropy Q Delta q mu b f x).
Proof.
move=> at_y t0 narrow out_le outer0.
have Om0 := mirror_total_positive dir range shape at_y.
have weight0 := mirror_weight_gt0 range shape at_y.
pose w := mirror q x; pose om := gibbs_weight Delta (b w) w; pose s c := om c / Om x.
have s0 c : P c -> 0 < s c by move=> Pc; apply: Rdiv_lt_0_compat => //; exact: weight0.
have s1 : \sum_(c | P c) s c = 1.
  by rewrite /s /Rdiv -sum_mulr -/(mirror_total Delta q b f x) Rinv_r //; lra.
pose xs c := dot (Delta c) h.
have g0 := mirror_margin_gt0 dir; have bal := mirror_balanced dir.
have mean : \sum_(c | active Q mu c) mu c * xs c = gamma * dot n h.
  by rewrite (balanced_active bal) (balanced_dot bal).
have H1 : t * (\sum_(c | P c) s c * xs c) <=
    t * (gamma * dot n h) + t * width * (t * width) / 8 + mirror_entropy Q Delta q mu b f x.
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
  have within c : P c -> - (t * (gamma * dot n h)) - t * (width / 2) <= - (t * xs c) <=
      - (t * (gamma * dot n h)) - t * (width / 2) + t * width.
    move=> Pc; have := narrow c Pc; rewrite dotBl dotZl -/(xs c) => half.
    have /Rabs_le_between [lo hi] : Rabs (xs c - gamma * dot n h) <= width / 2 by lra.
    have := Rmult_le_compat_l t _ _ t0 lo; have := Rmult_le_compat_l t _ _ t0 hi; lra.
  have := hoeffding (fun c Pc => Rlt_le _ _ (s0 c Pc)) s1 within.
  have -> : \sum_(c | P c) s c * - (t * xs c) = - (t * (\sum_(c | P c) s c * xs c)).
    by rewrite sum_mull -sumN; apply: eq_bigr => c _; ring.
  lra.
have out := mirror_outside dir range shape at_y.
rewrite /mirror_field /field_of (ascent_dot _ _ (factor_kept_constraint range)).
have inP : \sum_(c | P c) gibbs_weight Delta (b (mirror q x)) (mirror q x) c * dot (Delta c) h =
    Om x * (\sum_(c | P c) s c * xs c).
  by rewrite sum_mull; apply: eq_bigr => c _; rewrite /s /om /w /xs; field; lra.
have outP : \sum_(c | Q c && ~~ P c) gibbs_weight Delta (b (mirror q x)) (mirror q x) c * dot (Delta c) h <=
    mirror_ratio k y * Om x * outer.
  apply: Rle_trans (Rmult_le_compat_r _ _ _ outer0 out); rewrite sum_mulr; apply: sum_le => c /andP[Qc Nc].
  apply: Rle_trans (Rle_abs _) _; rewrite Rabs_mult; apply: Rmult_le_compat_l; first exact: Rabs_pos.
  exact: out_le.
rewrite inP; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ Om0) H1; have := Rmult_le_compat_l _ _ _ t0 outP; lra.
Qed.

(* A multiple of the field's length. *)
Theorem mirror_field_spread y x t : near y x -> 0 <= t ->
  t * lp_norm q (V x) <= Om x * (t * (gamma + mirror_ratio k y * D) + t * spread * (t * spread) / 8 +
    mirror_entropy Q Delta q mu b f x).
Proof.
move=> at_y t0; have q1 := conjugate_gt1 p1 conj; have conj' : / q + / p = 1 by lra.
have [h [h1 <-]] := lp_norm_attained p1 conj (V x).
have up z : dot z h <= lp_norm q z by rewrite dotC; exact: (hoelder_dual_unit q1 conj' h1).
have size z : Rabs (dot z h) <= lp_norm q z.
  apply: Rabs_le; split; last exact: up.
  have := up (- 1 * z)%V; rewrite lp_norm_scale ?Rabs_Ropp ?Rabs_R1 ?dotZl; lra.
have n1 : dot n h <= 1.
  apply: Rle_trans (up n) _; rewrite /lp_norm (mirror_sum p1 conj) (mirror_unit dir) abs_power_one; lra.
have [c0 /activeP[Qc0 _]] := balanced_active_exists (mirror_balanced dir).
have D0 : 0 <= D := Rle_trans _ _ _ (lp_norm_ge0 _ _) (norm_le Qc0).
have narrow c : P c -> 2 * Rabs (dot (Delta c - gamma * n)%V h) <= spread.
  by move=> Pc; have := size (Delta c - gamma * n)%V; have := spread_le Pc; lra.
have := mirror_field_along at_y t0 narrow (fun c Qc _ => Rle_trans _ _ _ (size _) (norm_le Qc)) D0.
have Om0 := mirror_total_positive dir range shape at_y; have g0 := mirror_margin_gt0 dir.
have := Rmult_le_compat_l t _ _ t0 (Rmult_le_compat_l gamma _ _ (Rlt_le _ _ g0) n1) => le H; apply: Rle_trans H _.
by apply: Rmult_le_compat_l; lra.
Qed.

(* Its squares, each entry with a weight kj: the entropy keeps them together. *)
Theorem mirror_field_squares y x (kj : vec J) T mean width outer : near y x -> (forall j, 0 <= kj j) -> 0 < T ->
  let size (d : vec J) := sqrt (\sum_j kj j * (d j * d j)) in
  gamma * size n + mirror_ratio k y * outer <= mean -> 0 <= mean ->
  (forall c, P c -> 2 * size (Delta c - gamma * n)%V <= width) ->
  (forall c, Q c -> ~~ P c -> size (Delta c) <= outer) -> 0 <= outer -> T * (width * width) < 2 ->
  T * (\sum_j kj j * (V x j * V x j)) <=
    Om x * Om x * (T * (mean * mean) / (1 - T * (width * width) / 2) + mirror_entropy Q Delta q mu b f x).
Proof.
move=> at_y k0 T0 size mean_ge mean0 narrow out_le outer0 small.
have Om0 := mirror_total_positive dir range shape at_y; have H0 := mirror_entropy_ge0 dir range shape at_y.
have g0 := mirror_margin_gt0 dir.
have pos (d : vec J) : 0 <= \sum_j kj j * (d j * d j).
  by apply: sum_ge0 => j _; apply: Rmult_le_pos => //; exact: Rle_0_sqr.
have D0 : 0 < 1 - T * (width * width) / 2 by lra.
set S := size (V x); have SS : \sum_j kj j * (V x j * V x j) = S * S by rewrite /S /size sqrt_sqrt.
rewrite SS; have S0 : 0 <= S := sqrt_pos _.
have rest0 : 0 <= T * (mean * mean) / (1 - T * (width * width) / 2).
  by apply: Rmult_le_pos; [apply: Rmult_le_pos; [lra | exact: Rle_0_sqr] | exact/Rlt_le/Rinv_0_lt_compat].
case: S0 => [S0 | S0]; last first.
  by rewrite -S0 !Rmult_0_r; apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | lra].
pose h : vec J := fun j => kj j * V x j / S.
have along : dot (V x) h = S.
  have -> : dot (V x) h = (\sum_j kj j * (V x j * V x j)) / S.
    by rewrite /dot /Rdiv sum_mulr; apply: eq_bigr => j _; rewrite /h /Rdiv; ring.
  by rewrite SS; field; lra.
have bound (d : vec J) : Rabs (dot d h) <= size d.
  pose a : vec J := fun j => sqrt (kj j) * d j; pose c : vec J := fun j => sqrt (kj j) * V x j / S.
  have -> : dot d h = dot a c.
    apply: eq_bigr => j _; rewrite /a /c /h.
    have -> : sqrt (kj j) * d j * (sqrt (kj j) * V x j / S) = sqrt (kj j) * sqrt (kj j) * (d j * V x j / S).
      by field; lra.
    by rewrite sqrt_sqrt //; field; lra.
  have cn : vnorm2 c = 1.
    have -> : vnorm2 c = (\sum_j kj j * (V x j * V x j)) / (S * S).
      rewrite /vnorm2 /dot /Rdiv sum_mulr; apply: eq_bigr => j _; rewrite /c -{3}(sqrt_sqrt (kj j)) //.
      by field; lra.
    by rewrite SS; field; lra.
  have an : vnorm a = size d.
    rewrite /vnorm /size; congr sqrt; apply: eq_bigr => j _; rewrite /a -{3}(sqrt_sqrt (kj j)) //; ring.
  have one : vnorm c = 1 by rewrite /vnorm cn sqrt_1.
  apply: Rabs_le; split; last by have := dot_le_norms a c; rewrite one an; lra.
  have := dot_le_norms (- a)%V c; rewrite dotNl vnormN one an; lra.
have use t : 0 <= t -> t * S <= Om x * (t * mean + t * width * (t * width) / 8 + mirror_entropy Q Delta q mu b f x).
  move=> t0; have narrow' c : P c -> 2 * Rabs (dot (Delta c - gamma * n)%V h) <= width.
    by move=> Pc; have := bound (Delta c - gamma * n)%V; have := narrow c Pc; lra.
  have := mirror_field_along at_y t0 narrow' (fun c Qc Nc => Rle_trans _ _ _ (bound _) (out_le c Qc Nc)) outer0.
  rewrite along => H; apply: Rle_trans H _; apply: Rmult_le_compat_l; first lra.
  have nh : gamma * dot n h <= gamma * size n.
    by apply: Rmult_le_compat_l; [lra | exact: Rle_trans (Rle_abs _) (bound n)].
  have := Rmult_le_compat_l t _ _ t0 (ltac:(lra) : gamma * dot n h + mirror_ratio k y * outer <= mean); lra.
pose X := S / Om x; have X0 : 0 < X by apply: Rdiv_lt_0_compat.
have XE : S = X * Om x by rewrite /X; field; lra.
have use' t : 0 <= t -> t * X <= t * mean + t * width * (t * width) / 8 + mirror_entropy Q Delta q mu b f x.
  by move=> /use; rewrite XE => H; apply: (Rmult_le_reg_l (Om x)) => //; lra.
have -> : T * (S * S) = Om x * Om x * (T * (X * X)) by rewrite XE; ring.
apply: Rmult_le_compat_l; first exact: Rle_0_sqr.
have H := use' (2 * T * X) ltac:(by apply: Rmult_le_pos; lra).
set W := T * (width * width) in small D0 rest0 *; set K := 1 - W / 2 in D0 rest0 *.
have key : 2 * (T * (X * X)) <= 2 * T * X * mean + T * (X * X) * (W / 2) + mirror_entropy Q Delta q mu b f x.
  by move: H; rewrite /W; lra.
have square : 2 * T * X * mean <= T * (X * X) * K + T * (mean * mean) / K.
  have := Rle_0_sqr (X * K - mean); rewrite /Rsqr => sq.
  apply: (Rmult_le_reg_r K) => //.
  have -> : (T * (X * X) * K + T * (mean * mean) / K) * K = T * (X * X) * (K * K) + T * (mean * mean) by field; lra.
  have := Rmult_le_pos _ _ (Rlt_le _ _ T0) sq; lra.
have : T * (X * X) * K = T * (X * X) - T * (X * X) * (W / 2) by rewrite /K; ring.
lra.
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

(* The same for p >= 2. *)
Theorem spread_cost_above_two eta y x tau (h := abs_power 2 (2 - q) / q * abs_power eta (q - 1)) : 2 <= p ->
  near y x -> normalised_fits Q Delta q b eta tau x ->
  dual_divergence q (mirror q x) x (x + tau * V x)%V <= tau * Om x *
    (h * (gamma + mirror_ratio k y * D) + h * spread * (h * spread) / 8 + mirror_entropy Q Delta q mu b f x).
Proof.
move=> p2 at_y [t0 len]; have q1 := conjugate_gt1 p1 conj.
have q2 : q <= 2 by have := conjugate_powers p1 conj; nra.
have nE : lp_norm q (tau * V x)%V = tau * lp_norm q (V x) by rewrite lp_norm_scale ?Rabs_pos_eq; lra.
have h0 : 0 <= h.
  apply: Rmult_le_pos (abs_power_ge0 _ _); apply: Rmult_le_pos (abs_power_ge0 _ _) _.
  by apply/Rlt_le/Rinv_0_lt_compat; lra.
apply: Rle_trans (curvature_short p1 conj x q2 (ltac:(by rewrite nE) : lp_norm q (tau * V x)%V <= eta)) _.
rewrite -/h nE (Rmult_assoc tau); have -> : h * (tau * lp_norm q (V x)) = tau * (h * lp_norm q (V x)) by ring.
by apply: Rmult_le_compat_l; [lra | exact: mirror_field_spread].
Qed.
End Spread.
