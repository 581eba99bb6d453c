(* MirrorLoose: the least gap at a distance, for p >= 2 (MIRROR.md section 4): d(a, a+e) is at least c |e|^p with
   c = (p-1)/2 (0.195)^max(1,p-2), whatever a. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors EntrywiseDuality DualNorm PowerInequalities Mirror PowerGap.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* 2 s is the density of the mean; |s - b| has at least this mean. *)
Definition least_mean : R := 195 / 1000.
Definition loose_floor (p : R) : R := (p - 1) / 2 * abs_power least_mean (Rmax 1 (p - 2)).

(* Across 0, in numbers: what is left of x^3 at p = 3, times 3. *)
Lemma cubic_across s b : 0 <= s -> 0 <= b ->
  3 * least_mean * ((s + b) * (s + b) * (s + b)) <= b * b * b + 2 * (s * s * s) + 3 * (s * s * b).
Proof.
move=> s0 b0; rewrite /least_mean; pose x := s + b.
have -> : b = x - s by rewrite /x; ring.
have sx : s <= x by rewrite /x; lra.
have x0 : 0 <= x by rewrite /x; lra.
have sq := Rle_0_sqr (s - 2929 / 10000 * x); rewrite /Rsqr in sq.
have line : 0 <= 48284 / 10000 * x - 2 * s by lra.
have := Rmult_le_pos _ _ sq line; have := Rmult_le_pos _ _ x0 (Rmult_le_pos _ _ x0 x0).
have := Rmult_le_pos _ _ s0 (Rmult_le_pos _ _ x0 x0); have := Rmult_le_pos _ _ x0 (Rmult_le_pos _ _ s0 s0).
lra.
Qed.

Section Powers.
Variable p : R.
Hypothesis p3 : 3 <= p.

Let derive_power r x : 1 < r -> 0 <= x -> is_derive (fun y => abs_power y r / r) x (abs_power x (r - 1)).
Proof. by move=> r1 x0; rewrite -(signed_power_ge0 (r - 1) x0); exact: is_derive_power. Qed.

(* The tangent at 1 of x^(p-2), integrated once and twice; and x times it, once. *)
Lemma tangent_once x : 0 <= x -> (p - 1) * ((3 - p) * x + (p - 2) * (x * x) / 2) <= abs_power x (p - 1).
Proof.
move=> x0; have := @nondecreasing_from0
  (fun y => abs_power y (p - 1) / (p - 1) - ((3 - p) * y + (p - 2) * (y * y) / 2))
  (fun y => abs_power y (p - 1 - 1) - ((3 - p) + (p - 2) * y)) x.
rewrite abs_power0 => H; have {H} := H _ _ x ltac:(lra).
have p10 : p - 1 <> 0 by lra.
have E : abs_power x (p - 1) = (p - 1) * (abs_power x (p - 1) / (p - 1)) by field.
have fin : 0 / (p - 1) - ((3 - p) * 0 + (p - 2) * (0 * 0) / 2) = 0 by field; lra.
rewrite fin => H; rewrite E; apply: Rmult_le_compat_l; first lra.
have : 0 <= abs_power x (p - 1) / (p - 1) - ((3 - p) * x + (p - 2) * (x * x) / 2); last lra.
apply: H => y [y0 _].
  apply: is_derive_minus; first by apply: derive_power => //; lra.
  by auto_derive => //; field.
have -> : p - 1 - 1 = p - 2 by ring.
by have := @bernoulli_convex y (p - 2) y0 ltac:(lra); lra.
Qed.

Lemma tangent_twice x : 0 <= x -> (p - 1) * ((3 - p) * (x * x) / 2 + (p - 2) * (x * x * x) / 6) <= abs_power x p / p.
Proof.
move=> x0; have := @nondecreasing_from0
  (fun y => abs_power y p / p - (p - 1) * ((3 - p) * (y * y) / 2 + (p - 2) * (y * y * y) / 6))
  (fun y => abs_power y (p - 1) - (p - 1) * ((3 - p) * y + (p - 2) * (y * y) / 2)) x.
rewrite abs_power0 => H; have {H} := H _ _ x ltac:(lra).
have -> : 0 / p - (p - 1) * ((3 - p) * (0 * 0) / 2 + (p - 2) * (0 * 0 * 0) / 6) = 0 by field; lra.
move=> H; have : 0 <= abs_power x p / p - (p - 1) * ((3 - p) * (x * x) / 2 + (p - 2) * (x * x * x) / 6); last lra.
apply: H => y [y0 _].
  apply: is_derive_minus; first by apply: derive_power => //; lra.
  by auto_derive => //; field.
by have := tangent_once y0; lra.
Qed.

Lemma tangent_moment x : 0 <= x -> (3 - p) * (x * x) / 2 + (p - 2) * (x * x * x) / 3 <= abs_power x p / p.
Proof.
move=> x0; have := @nondecreasing_from0
  (fun y => abs_power y p / p - ((3 - p) * (y * y) / 2 + (p - 2) * (y * y * y) / 3))
  (fun y => abs_power y (p - 1) - ((3 - p) * y + (p - 2) * (y * y))) x.
rewrite abs_power0 => H; have {H} := H _ _ x ltac:(lra).
have -> : 0 / p - ((3 - p) * (0 * 0) / 2 + (p - 2) * (0 * 0 * 0) / 3) = 0 by field; lra.
move=> H; have : 0 <= abs_power x p / p - ((3 - p) * (x * x) / 2 + (p - 2) * (x * x * x) / 3); last lra.
apply: H => y [y0 _].
  apply: is_derive_minus; first by apply: derive_power => //; lra.
  by auto_derive => //; field.
case: (Req_EM_T y 0) => [-> | ne]; first by rewrite abs_power0; lra.
rewrite -(abs_power_step (p - 1) ne) (Rabs_pos_eq _ y0).
have -> : p - 1 - 1 = p - 2 by ring.
by have := Rmult_le_compat_r _ _ _ y0 (@bernoulli_convex y (p - 2) y0 ltac:(lra)); lra.
Qed.

(* The same about m. *)
Lemma tangents m x : 0 < m -> 0 <= x ->
  [/\ (p - 1) * (abs_power m (p - 1) * ((3 - p) * (x / m) + (p - 2) * (x / m * (x / m)) / 2)) <= abs_power x (p - 1),
      (p - 1) * (abs_power m p * ((3 - p) * (x / m * (x / m)) / 2 + (p - 2) * (x / m * (x / m) * (x / m)) / 6)) <=
        abs_power x p / p &
      abs_power m p * ((3 - p) * (x / m * (x / m)) / 2 + (p - 2) * (x / m * (x / m) * (x / m)) / 3) <=
        abs_power x p / p].
Proof.
move=> m0 x0; have z0 : 0 <= x / m by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
have E r : abs_power x r = abs_power m r * abs_power (x / m) r.
  by rewrite -abs_power_mult; congr abs_power; field; lra.
have P1 := Rmult_le_compat_l _ _ _ (abs_power_ge0 m (p - 1)) (tangent_once z0).
have P2 := Rmult_le_compat_l _ _ _ (abs_power_ge0 m p) (tangent_twice z0).
have P3 := Rmult_le_compat_l _ _ _ (abs_power_ge0 m p) (tangent_moment z0).
by rewrite !E; split; rewrite /Rdiv in P1 P2 P3 *; lra.
Qed.
End Powers.

Section Loose.
Variable p : R.
Hypotheses (p1 : 1 < p) (p2 : 2 <= p).
Notation gap := (power_gap p).
Notation c := (loose_floor p).

Lemma loose_floor_gt0 : 0 < c.
Proof.
by apply: Rmult_lt_0_compat; [lra | apply: abs_power_gt0; rewrite /least_mean; lra].
Qed.

(* At most what a step from 0 costs. *)
Lemma loose_floor_le : c <= / p.
Proof.
apply: (Rmult_le_reg_l p); first lra.
rewrite Rinv_r /loose_floor; last lra.
case: (Rle_lt_dec p 3) => p3.
  rewrite Rmax_left; last lra.
  by rewrite abs_power1 /least_mean; [nra | lra].
rewrite Rmax_right; last lra.
set m := abs_power least_mean _.
pose K := abs_power (1 / least_mean) (p - 2); have Km : K * m = 1.
  by rewrite /K /m -abs_power_mult /least_mean (_ : 1 / _ * _ = 1) ?abs_power_one //; field.
have m0 : 0 < m by apply: abs_power_gt0; rewrite /least_mean; lra.
pose root := 22 / 10.
have low : 1 + (p - 2) * (root - 1) <= abs_power root (p - 2).
  by apply: bernoulli_convex; rewrite /root; lra.
have up : abs_power root (p - 2) * abs_power root (p - 2) <= K.
  by rewrite -abs_power_mult; apply: abs_power_le; rewrite /root /least_mean; lra.
have big : p * (p - 1) / 2 <= K.
  apply: Rle_trans up; have r0 : 0 <= 1 + (p - 2) * (root - 1) by rewrite /root; lra.
  apply: (Rle_trans _ ((1 + (p - 2) * (root - 1)) * (1 + (p - 2) * (root - 1)))); last exact: Rmult_le_compat.
  by rewrite /root; nra.
by have := Rmult_le_compat_r m _ _ (Rlt_le _ _ m0) big; lra.
Qed.

(* From w = s > 0 to a = - b < 0. *)
Lemma loose_across s b : 0 <= s -> 0 <= b ->
  c * abs_power (s + b) p <= abs_power b p / p + (1 - / p) * abs_power s p + abs_power s (p - 1) * b.
Proof.
move=> s0 b0; pose x := s + b; have cub := cubic_across s0 b0; rewrite -/x in cub *.
case: (Req_EM_T x 0) => [x00 | xn].
  have [-> ->] : s = 0 /\ b = 0 by move: x00; rewrite /x; lra.
  by rewrite x00 !abs_power0; lra.
have x0 : 0 < x by move: xn; rewrite /x; lra.
have step r y : 0 <= y -> abs_power y r = abs_power y (r - 1) * y.
  move=> y0; case: (Req_EM_T y 0) => [-> | ne]; first by rewrite abs_power0; ring.
  by rewrite -(abs_power_step r ne) Rabs_pos_eq.
case: (Rle_lt_dec p 3) => p3.
  rewrite /loose_floor Rmax_left ?abs_power1; rewrite /least_mean in cub *; try lra.
  have fall y : 0 <= y <= x -> abs_power x (p - 3) * (y * y * y) <= abs_power y p.
    move=> [y0 yx]; case: (Req_EM_T y 0) => [-> | ne]; first by rewrite abs_power0; lra.
    have y1 : 0 < y by lra.
    have -> : abs_power y p = abs_power y (p - 3) * (y * y * y).
      by rewrite (step p) // (step (p - 1)) // (step (p - 1 - 1)) //; have -> : p - 1 - 1 - 1 = p - 3 by [ring]; ring.
    apply: Rmult_le_compat_r; first by apply: Rmult_le_pos => //; exact: Rmult_le_pos.
    have e : p - 3 = - (3 - p) by ring.
    rewrite e !abs_power_pos // !Rpower_Ropp; apply: Rinv_le_contravar; first exact: exp_pos.
    by apply: Rle_Rpower_l; lra.
  have fs := fall s ltac:(rewrite /x; lra); have fb := fall b ltac:(rewrite /x; lra).
  have fx : abs_power x p = abs_power x (p - 3) * (x * x * x).
    by rewrite (step p) ?(step (p - 1)) ?(step (p - 1 - 1)); try lra; have -> : p - 1 - 1 - 1 = p - 3 by [ring]; ring.
  have fsb : abs_power x (p - 3) * (s * s * b) <= abs_power s (p - 1) * b.
    case: (Req_EM_T s 0) => [-> | ne]; first by rewrite abs_power0; lra.
    have -> : abs_power s (p - 1) * b = abs_power s p * (b / s) by rewrite (step p) //; field.
    have -> : abs_power x (p - 3) * (s * s * b) = abs_power x (p - 3) * (s * s * s) * (b / s) by field.
    apply: Rmult_le_compat_r fs; apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
  set X := abs_power x (p - 3) in fs fb fx fsb *; have X0 : 0 <= X := abs_power_ge0 _ _.
  have pp : / p * p = 1 by field; lra.
  have ip : (p - 1) / 6 <= / p by apply: (Rmult_le_reg_r p); [lra | rewrite pp; nra].
  have iq : (p - 1) / 3 <= 1 - / p.
    apply: (Rmult_le_reg_r p); first lra.
    by rewrite Rmult_minus_distr_r pp; nra.
  have cube y : 0 <= y -> 0 <= X * (y * y * y) by move=> y0; do 3![apply: Rmult_le_pos => //].
  have t1 := Rmult_le_compat ((p - 1) / 6) (/ p) _ _ ltac:(lra) (cube b b0) ip fb.
  have t2 := Rmult_le_compat ((p - 1) / 3) (1 - / p) _ _ ltac:(lra) (cube s s0) iq fs.
  have t3 : (p - 1) / 2 * (X * (s * s * b)) <= abs_power s (p - 1) * b.
    apply: Rle_trans fsb; rewrite -[X in _ <= X]Rmult_1_l; apply: Rmult_le_compat_r; last lra.
    by apply: Rmult_le_pos => //; apply: Rmult_le_pos => //; exact: Rmult_le_pos.
  have t4 := Rmult_le_compat_l ((p - 1) / 6 * X) _ _ ltac:(apply: Rmult_le_pos; lra) cub.
  by rewrite fx /Rdiv in t1 t2 t3 t4 *; lra.
pose m := least_mean * x; have m0 : 0 < m by apply: Rmult_lt_0_compat => //; rewrite /least_mean; lra.
have [B _ C] := tangents (ltac:(lra) : 3 <= p) m0 s0.
have [_ A _] := tangents (ltac:(lra) : 3 <= p) m0 b0.
rewrite /loose_floor Rmax_right; last lra.
have Bb := Rmult_le_compat_r _ _ _ b0 B; have C' := Rmult_le_compat_l (p - 1) _ _ ltac:(lra) C.
set M := abs_power m (p - 2).
have M1 : abs_power m (p - 1) = M * m by rewrite (step (p - 1)) ?/M; [congr (abs_power _ _ * _); ring | lra].
have M2 : abs_power m p = M * m * m by rewrite (step p) ?M1; lra.
have goalE : (p - 1) / 2 * abs_power least_mean (p - 2) * abs_power x p = (p - 1) / 2 * (M * (x * x)).
  rewrite /M /m abs_power_mult (step p) ?(step (p - 1)); try lra.
  by have -> : p - 1 - 1 = p - 2 by [ring]; ring.
rewrite goalE; rewrite M1 in Bb; rewrite M2 in A C'.
have M0 : 0 <= M := abs_power_ge0 _ _.
have third := Rmult_le_compat_l ((p - 1) / 2 * M * (p - 2) / (3 * m)) _ _ ltac:(
  by apply: Rmult_le_pos; [apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | lra] | apply/Rlt_le/Rinv_0_lt_compat;
    lra]) cub.
have lhs : (p - 1) / 2 * M * (p - 2) / (3 * m) * (3 * least_mean * (x * x * x)) = (p - 1) / 2 * (M * (p - 2) * (x * x)).
  by rewrite /m /least_mean; field; lra.
rewrite lhs in third.
have xx : x * x = (s + b) * (s + b) by [].
have -> : (1 - / p) * abs_power s p = (p - 1) * (abs_power s p / p) by field; lra.
have eA : (p - 1) * (M * m * m * ((3 - p) * (b / m * (b / m)) / 2 + (p - 2) * (b / m * (b / m) * (b / m)) / 6)) =
  (p - 1) * M * ((3 - p) * (b * b) / 2 + (p - 2) * (b * b * b) / (6 * m)) by field; lra.
have eB : (p - 1) * (M * m * ((3 - p) * (s / m) + (p - 2) * (s / m * (s / m)) / 2)) * b =
  (p - 1) * M * ((3 - p) * (s * b) + (p - 2) * (s * s * b) / (2 * m)) by field; lra.
have eC : (p - 1) * (M * m * m * ((3 - p) * (s / m * (s / m)) / 2 + (p - 2) * (s / m * (s / m) * (s / m)) / 3)) =
  (p - 1) * M * ((3 - p) * (s * s) / 2 + (p - 2) * (s * s * s) / (3 * m)) by field; lra.
rewrite eA in A; rewrite eB in Bb; rewrite eC in C'.
have total : (p - 1) * M * ((3 - p) * (b * b) / 2 + (p - 2) * (b * b * b) / (6 * m)) +
    (p - 1) * M * ((3 - p) * (s * b) + (p - 2) * (s * s * b) / (2 * m)) +
    (p - 1) * M * ((3 - p) * (s * s) / 2 + (p - 2) * (s * s * s) / (3 * m)) =
  (p - 1) / 2 * (M * (3 - p) * (x * x)) +
    (p - 1) / 2 * M * (p - 2) / (3 * m) * (b * b * b + 2 * (s * s * s) + 3 * (s * s * b)).
  by rewrite /x; field; lra.
by have split_ : (p - 1) / 2 * (M * (x * x)) = (p - 1) / 2 * (M * (3 - p) * (x * x)) + (p - 1) / 2 * (M * (p - 2) * (x
  * x));
  [field | lra].
Qed.

Theorem loose_gap w a : c * abs_power (w - a) p <= gap w a.
Proof.
have c0 := loose_floor_gt0; have cp := loose_floor_le.
suff pos s b : 0 <= s -> c * abs_power (s - b) p <= gap s b.
  case: (Rle_lt_dec 0 w) => w0; first exact: pos.
  have := pos (- w) (- a) ltac:(lra); rewrite power_gapN.
  by have -> : - w - - a = - (w - a) by [ring]; rewrite -abs_power_abs Rabs_Ropp abs_power_abs.
move=> s0; case: (Rle_lt_dec 0 b) => b0; last first.
  have := loose_across s0 (ltac:(lra) : 0 <= - b); have -> : s + - b = s - b by ring.
  have even : abs_power (- b) p = abs_power b p by rewrite -abs_power_abs Rabs_Ropp abs_power_abs.
  have dotE := signed_power_dot s p; rewrite even /power_gap (signed_power_ge0 _ s0) in dotE *.
  move=> H; apply: Rle_trans H _; right; rewrite -dotE; rewrite /Rdiv; ring.
have pp : 0 <= abs_power (s - b) p := abs_power_ge0 _ _.
apply: (Rle_trans _ (abs_power (s - b) p / p)).
  by rewrite /Rdiv Rmult_comm; apply: Rmult_le_compat_l.
case: (Rle_lt_dec s b) => sb.
  have := @power_gap_ge p p1 (fun t => 1 * (abs_power t p / p)) (fun t => 1 * abs_power t (p - 1)) s (b - s)
    ltac:(lra) (power_zero p 1).
  have -> : s + (b - s) = b by ring.
  rewrite Rmult_1_l -(abs_power_abs (s - b)) Rabs_minus_sym abs_power_abs; apply=> t [t0 _].
    exact: is_derive_power_scaled.
  rewrite Rmult_1_l !signed_power_ge0; try lra.
  by have := @power_superadditive s t (p - 1) s0 t0 ltac:(lra); lra.
have := @power_gap_ge p p1 (fun t => 1 * (abs_power t p / p)) (fun t => 1 * abs_power t (p - 1)) (- s) (s - b)
    ltac:(lra) (power_zero p 1).
have -> : - s + (s - b) = - b by ring.
rewrite Rmult_1_l power_gapN; apply=> t [t0 ts].
  exact: is_derive_power_scaled.
rewrite Rmult_1_l !signed_power_le0; try lra.
have -> : - (- s + t) = s - t by ring.
have := @power_superadditive (s - t) t (p - 1) ltac:(lra) t0 ltac:(lra).
by have -> : s - t + t = s by [ring]; rewrite Ropp_involutive; lra.
Qed.
End Loose.
