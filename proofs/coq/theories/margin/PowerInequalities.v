(* PowerInequalities: what powers of numbers obey, for the convexity of the l_p norms (UniformConvexity.v): Bernoulli's
   inequality, convexity, Clarkson's inequality (p >= 2) and the two-point inequality (p <= 2). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors EntrywiseDuality DualNorm.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- powers ---- *)

Lemma abs_power_pos x p : 0 < x -> abs_power x p = Rpower x p.
Proof. by move=> x0; rewrite /abs_power; case: Req_EM_T => [z | _]; [lra | rewrite Rabs_pos_eq //; lra]. Qed.

Lemma abs_power_gt0 x p : x <> 0 -> 0 < abs_power x p.
Proof. by rewrite /abs_power; case: Req_EM_T => // _ _; exact: exp_pos. Qed.

Lemma abs_power_abs x p : abs_power (Rabs x) p = abs_power x p.
Proof.
rewrite /abs_power; case: (Req_EM_T x 0) => [-> | x0]; first by rewrite Rabs_R0; case: Req_EM_T.
by case: Req_EM_T => [/Rabs_eq_0 // | _]; rewrite Rabs_Rabsolu.
Qed.

Lemma abs_power_comp x p q : abs_power (abs_power x p) q = abs_power x (p * q).
Proof.
case: (Req_EM_T x 0) => [-> | x0]; first by rewrite !abs_power0.
rewrite (abs_power_pos q (abs_power_gt0 p x0)) /abs_power; case: Req_EM_T => // _; exact: Rpower_mult.
Qed.

Lemma abs_power_one p : abs_power 1 p = 1.
Proof. by rewrite abs_power_pos; [rewrite /Rpower ln_1 Rmult_0_r exp_0 | lra]. Qed.

Lemma abs_power1 x : 0 <= x -> abs_power x 1 = x.
Proof.
move=> x0; case: (Req_EM_T x 0) => [-> | ne]; first exact: abs_power0.
by rewrite abs_power_pos ?Rpower_1; lra.
Qed.

Lemma abs_power2 x : abs_power x 2 = x * x.
Proof.
case: (Req_EM_T x 0) => [-> | ne]; first by rewrite abs_power0; ring.
rewrite -abs_power_abs abs_power_pos; last exact: Rabs_pos_lt.
rewrite (_ : 2 = INR 2) ?Rpower_pow; [|exact: Rabs_pos_lt | by []].
by rewrite /= Rmult_1_r -Rabs_mult Rabs_pos_eq //; exact: Rle_0_sqr.
Qed.

Lemma abs_power_square x p : abs_power (x * x) (p / 2) = abs_power x p.
Proof. by rewrite -abs_power2 abs_power_comp; congr abs_power; field. Qed.

Lemma abs_power_inverse x p : 0 <= x -> p <> 0 -> abs_power (abs_power x p) (/ p) = x.
Proof. by move=> x0 p0; rewrite abs_power_comp Rinv_r // abs_power1. Qed.

Lemma abs_power_le_id x m : 0 <= x <= 1 -> 1 <= m -> abs_power x m <= x.
Proof.
move=> [x0 x1] m1; case: (Req_EM_T x 0) => [-> | ne]; first by rewrite abs_power0; lra.
rewrite abs_power_pos; last by lra.
rewrite -{2}(exp_ln x); last by lra.
have l0 : ln x <= 0 by rewrite -ln_1; apply: ln_le; lra.
by rewrite /Rpower; case: (Rle_lt_or_eq_dec (m * ln x) (ln x)) => [|/exp_increasing|->]; [nra | lra | lra].
Qed.

(* ---- Bernoulli's inequality ---- *)

Lemma bernoulli_concave x r : 0 <= x -> 0 < r <= 1 -> abs_power x r <= 1 + r * (x - 1).
Proof.
move=> x0 [r0 r1]; case: (Rle_lt_or_eq_dec _ _ r1) => [lt | ->]; last by rewrite abs_power1 //; lra.
have p1 : 1 < / r by rewrite -Rinv_1; apply: Rinv_lt_contravar; lra.
have conj : / / r + / / (1 - r) = 1 by rewrite !Rinv_inv; ring.
have := young 1 (abs_power x r) p1 conj; rewrite abs_power_one abs_power_comp Rinv_r; last by lra.
by rewrite abs_power1 // /Rdiv !Rinv_inv; lra.
Qed.

Lemma bernoulli_convex x m : 0 <= x -> 1 <= m -> 1 + m * (x - 1) <= abs_power x m.
Proof.
move=> x0 m1; have r01 : 0 < / m <= 1.
  by split; [apply: Rinv_0_lt_compat; lra | rewrite -Rinv_1; apply: Rinv_le_contravar; lra].
have := bernoulli_concave (abs_power_ge0 x m) r01; rewrite abs_power_inverse //; last by lra.
move=> H; have := Rmult_le_compat_l m _ _ (Rle_trans _ _ _ Rle_0_1 m1) H.
have E : m * (1 + / m * (abs_power x m - 1)) = m + (abs_power x m - 1) by field; lra.
by rewrite E; lra.
Qed.

(* The tangent at y. *)
Lemma power_tangent x y m : 0 <= x -> 0 < y -> 1 <= m ->
  abs_power y m + m * abs_power y m / y * (x - y) <= abs_power x m.
Proof.
move=> x0 y0 m1; have z0 : 0 <= x / y by apply: Rmult_le_pos => //; apply: Rlt_le; exact: Rinv_0_lt_compat.
have -> : abs_power x m = abs_power y m * abs_power (x / y) m.
  by rewrite -abs_power_mult; congr abs_power; field; lra.
apply: (Rle_trans _ (abs_power y m * (1 + m * (x / y - 1)))); first by right; field; lra.
exact: Rmult_le_compat_l (abs_power_ge0 y m) (bernoulli_convex z0 m1).
Qed.

Lemma power_midpoint x y m : 0 <= x -> 0 <= y -> 1 <= m ->
  abs_power ((x + y) / 2) m <= (abs_power x m + abs_power y m) / 2.
Proof.
move=> x0 y0 m1; case: (Req_EM_T (x + y) 0) => [z | ne].
  have [-> ->] : x = 0 /\ y = 0 by lra.
  by rewrite (_ : (0 + 0) / 2 = 0) ?abs_power0; lra.
have mu : 0 < (x + y) / 2 by lra.
by have := power_tangent x0 mu m1; have := power_tangent y0 mu m1; set s := m * _ / _; lra.
Qed.

(* Of numbers with weights that add up to 1. *)
Lemma power_concave x y s r : 0 <= x -> 0 <= y -> 0 <= s <= 1 -> 0 < r <= 1 ->
  s * abs_power x r + (1 - s) * abs_power y r <= abs_power (s * x + (1 - s) * y) r.
Proof.
move=> x0 y0 s01 r01; set mu := s * x + (1 - s) * y.
have mu0 : 0 <= mu by rewrite /mu; have := Rmult_le_pos s x; have := Rmult_le_pos (1 - s) y; lra.
case: (Req_EM_T mu 0) => [z | ne].
  have sx : s * x = 0 by have := Rmult_le_pos s x; have := Rmult_le_pos (1 - s) y; rewrite /mu in z; lra.
  have sy : (1 - s) * y = 0 by rewrite /mu in z; lra.
  have vanish u v : u * v = 0 -> u * abs_power v r = 0.
    by case/Rmult_integral => ->; rewrite ?abs_power0; ring.
  by rewrite z abs_power0 (vanish _ _ sx) (vanish _ _ sy); lra.
have scaled u : 0 <= u -> abs_power u r <= abs_power mu r * (1 + r * (u / mu - 1)).
  move=> u0; have z0 : 0 <= u / mu by apply: Rmult_le_pos => //; apply: Rlt_le; apply: Rinv_0_lt_compat; lra.
  have -> : abs_power u r = abs_power mu r * abs_power (u / mu) r.
    by rewrite -abs_power_mult; congr abs_power; field; lra.
  exact: Rmult_le_compat_l (abs_power_ge0 _ _) (bernoulli_concave z0 r01).
have Hx := Rmult_le_compat_l _ _ _ (proj1 s01) (scaled x x0).
have Hy := Rmult_le_compat_l (1 - s) _ _ _ (scaled y y0).
apply: (Rle_trans _ (s * (abs_power mu r * (1 + r * (x / mu - 1))) +
                     (1 - s) * (abs_power mu r * (1 + r * (y / mu - 1))))); first by have := Hy _; lra.
right; transitivity (abs_power mu r * (1 + r * ((s * x + (1 - s) * y) / mu - 1))); first by field; lra.
by rewrite -/mu; field; lra.
Qed.

Lemma power_superadditive s t m : 0 <= s -> 0 <= t -> 1 <= m -> abs_power s m + abs_power t m <= abs_power (s + t) m.
Proof.
move=> s0 t0 m1; case: (Req_EM_T (s + t) 0) => [z | ne].
  have [-> ->] : s = 0 /\ t = 0 by lra.
  by rewrite Rplus_0_r abs_power0; lra.
have i0 : 0 < / (s + t) by apply: Rinv_0_lt_compat; lra.
have part u : 0 <= u <= s + t -> abs_power u m <= abs_power (s + t) m * (u / (s + t)).
  move=> [u0 us]; have -> : abs_power u m = abs_power (s + t) m * abs_power (u / (s + t)) m.
    by rewrite -abs_power_mult; congr abs_power; field; lra.
  apply: Rmult_le_compat_l (abs_power_ge0 _ _) _; apply: abs_power_le_id => //; split.
    by apply: Rmult_le_pos => //; lra.
  by apply: (Rmult_le_reg_r (s + t)); [lra | rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; lra].
have Hs := part s _; have Ht := part t _.
have -> : abs_power (s + t) m = abs_power (s + t) m * (s / (s + t)) + abs_power (s + t) m * (t / (s + t)).
  by field; lra.
by apply: Rplus_le_compat; [apply: Hs | apply: Ht]; lra.
Qed.

(* ---- Clarkson's inequality ---- *)

Theorem clarkson a b p : 2 <= p ->
  abs_power ((a + b) / 2) p + abs_power ((a - b) / 2) p <= (abs_power a p + abs_power b p) / 2.
Proof.
move=> p2; rewrite -!(abs_power_square _ p); have m1 : 1 <= p / 2 by lra.
have sq x : 0 <= x * x by exact: Rle_0_sqr.
apply: Rle_trans (power_superadditive (sq _) (sq _) m1) _.
have -> : (a + b) / 2 * ((a + b) / 2) + (a - b) / 2 * ((a - b) / 2) = (a * a + b * b) / 2 by field.
exact: power_midpoint (sq a) (sq b) m1.
Qed.

(* ---- the two-point inequality ---- *)

Lemma nondecreasing_from0 (f df : R -> R) t : (forall x, 0 <= x <= t -> is_derive f x (df x)) ->
  (forall x, 0 <= x <= t -> 0 <= df x) -> forall s, 0 <= s <= t -> f 0 <= f s.
Proof.
move=> D pos s [s0 st]; have [| |c [hc]] := @MVT_gen f 0 s df; rewrite ?Rmin_left ?Rmax_right //.
- by move=> x hx; apply: D; lra.
- move=> x hx; apply: derivable_continuous_pt; exists (df x); apply/is_derive_Reals; apply: D; lra.
rewrite Rmin_left // Rmax_right // in hc => E; have := Rmult_le_pos _ s (pos c _) s0; lra.
Qed.

(* (1 + t)^p + (1 - t)^p has a second derivative of at least 2 p (p - 1). *)
Lemma second_difference t p : 0 <= t < 1 -> 1 < p <= 2 ->
  2 + p * (p - 1) * (t * t) <= Rpower (1 + t) p + Rpower (1 - t) p.
Proof.
move=> [t0 t1] [p1 p2].
(* x^q x^-1 = x^(q-1) *)
have lower q x : 0 < x -> / x * Rpower x q = Rpower x (q - 1).
  by move=> x0; rewrite /Rminus Rpower_plus Rpower_Ropp Rpower_1 // Rmult_comm.
have derive q x : -1 < x < 1 -> is_derive (fun s => Rpower (1 + s) q) x (q * Rpower (1 + x) (q - 1)).
  move=> [lo hi]; rewrite -(lower q (1 + x)) /Rpower; [auto_derive; first by lra | by lra].
  by field; lra.
have derive' q x : -1 < x < 1 -> is_derive (fun s => Rpower (1 - s) q) x (- (q * Rpower (1 - x) (q - 1))).
  move=> [lo hi]; rewrite -(lower q (1 - x)) /Rpower; [auto_derive; first by lra | by lra].
  by rewrite /Rminus; field; lra.
have at0 q : Rpower (1 + 0) q = 1 /\ Rpower (1 - 0) q = 1.
  by rewrite Rplus_0_r Rminus_0_r /Rpower ln_1 Rmult_0_r exp_0.
have inside x : 0 <= x <= t -> -1 < x < 1 by lra.
pose h s := Rpower (1 + s) (p - 1) - Rpower (1 - s) (p - 1) - 2 * (p - 1) * s.
have first s : 0 <= s <= t -> 0 <= h s.
  move=> hs; have <- : h 0 = 0 by rewrite /h; have [-> ->] := at0 (p - 1); ring.
  apply: (@nondecreasing_from0 h (fun s => (p - 1) * Rpower (1 + s) (p - 1 - 1) -
            - ((p - 1) * Rpower (1 - s) (p - 1 - 1)) - 2 * (p - 1)) t) => [x hx | x hx | //].
    apply: is_derive_minus; last by auto_derive => //; ring.
    by apply: is_derive_minus; [apply: derive | apply: derive']; exact: inside.
  rewrite /Rpower; set A := ln (1 + x); set B := ln (1 - x).
  have := exp_ineq1_le ((p - 1 - 1) * A); have := exp_ineq1_le ((p - 1 - 1) * B).
  have AB : A + B <= 0.
    by rewrite -ln_mult; try lra; rewrite -ln_1; apply: ln_le; nra.
  set e := exp _; set f := exp _ => He Hf.
  have C : 0 <= (p - 1 - 1) * (A + B) by nra.
  have : 0 <= (p - 1) * (e + f - 2) by apply: Rmult_le_pos; lra.
  lra.
pose g s := Rpower (1 + s) p + Rpower (1 - s) p - p * (p - 1) * (s * s).
have : g 0 <= g t.
  apply: (@nondecreasing_from0 g (fun s => p * Rpower (1 + s) (p - 1) + - (p * Rpower (1 - s) (p - 1)) -
            p * (p - 1) * (2 * s)) t) => [x hx | x hx |]; last by lra.
    apply: is_derive_minus; last by auto_derive => //; ring.
    by apply: is_derive_plus; [apply: derive | apply: derive']; exact: inside.
  have := first x hx; rewrite /h => hh.
  have : 0 <= p * (Rpower (1 + x) (p - 1) - Rpower (1 - x) (p - 1) - 2 * (p - 1) * x) by apply: Rmult_le_pos; lra.
  lra.
by rewrite /g; have [-> ->] := at0 p; lra.
Qed.

(* At equal magnitudes: p <= 2^(2 - 2/p), as 2^(2/p - 1) <= 2/p. *)
Lemma equal_points p : 1 < p <= 2 -> abs_power p (p / 2) <= abs_power 2 p / 2.
Proof.
move=> [p1 p2]; have half : 1 / 2 <= / p by rewrite /Rdiv Rmult_1_l; apply: Rinv_le_contravar; lra.
have inv1 : / p < 1 by rewrite -Rinv_1; apply: Rinv_lt_contravar; lra.
have le2 : Rpower 2 (2 * / p - 1) <= 2 * / p.
  case: (Req_EM_T (2 * / p - 1) 0) => [E | ne].
    by rewrite E Rpower_O; lra.
  by rewrite -abs_power_pos; [have := @bernoulli_concave 2 (2 * / p - 1) | ]; lra.
have p_le : p <= Rpower 2 (2 - 2 * / p).
  have -> : 2 - 2 * / p = 1 + - (2 * / p - 1) by ring.
  rewrite Rpower_plus Rpower_Ropp Rpower_1; last by lra.
  have e0 := exp_pos ((2 * / p - 1) * ln 2); rewrite -/(Rpower 2 (2 * / p - 1)) in e0.
  apply: (Rmult_le_reg_r (Rpower 2 (2 * / p - 1))) => //; rewrite Rmult_assoc Rinv_l ?Rmult_1_r; last by lra.
  have := Rmult_le_compat_l p _ _ _ le2; have -> : p * (2 * / p) = 2 by field; lra.
  lra.
apply: (Rle_trans _ (abs_power (Rpower 2 (2 - 2 * / p)) (p / 2))); first by apply: abs_power_le; lra.
rewrite abs_power_pos; last exact: exp_pos.
rewrite Rpower_mult (abs_power_pos p); last by lra.
have -> : (2 - 2 * / p) * (p / 2) = p + - (1) by field; lra.
by rewrite Rpower_plus Rpower_Ropp Rpower_1; [right; field | lra].
Qed.

Lemma two_point_unit c p : 1 < p <= 2 -> -1 <= c <= 1 ->
  abs_power (1 + (p - 1) * (c * c)) (p / 2) <= (abs_power (1 + c) p + abs_power (1 - c) p) / 2.
Proof.
move=> p12; suff nonneg t : 0 <= t <= 1 ->
    abs_power (1 + (p - 1) * (t * t)) (p / 2) <= (abs_power (1 + t) p + abs_power (1 - t) p) / 2.
  move=> [lo hi]; case: (Rle_lt_dec 0 c) => c0; first by apply: nonneg.
  have c01 : 0 <= - c <= 1 by lra.
  have E : 1 - - c = 1 + c by ring.
  by have := nonneg (- c) c01; rewrite Rmult_opp_opp E -/(1 - c); lra.
move=> [t0 t1]; case: (Rle_lt_or_eq_dec _ _ t1) => [lt | ->]; last first.
  have [E1 E2] : 1 - 1 = 0 /\ 1 + 1 = 2 by lra.
  have E3 : 1 + (p - 1) * (1 * 1) = p by ring.
  by have := equal_points p12; rewrite E1 E2 E3 abs_power0; lra.
have tt0 : 0 <= 1 + (p - 1) * (t * t).
  by have := Rmult_le_pos (p - 1) (t * t) _ (Rle_0_sqr t); lra.
have := @bernoulli_concave _ (p / 2) tt0; have := second_difference (conj t0 lt) p12.
by rewrite !(abs_power_pos p); lra.
Qed.

Theorem two_point a b p : 1 < p <= 2 ->
  abs_power (a * a + (p - 1) * (b * b)) (p / 2) <= (abs_power (a + b) p + abs_power (a - b) p) / 2.
Proof.
move=> p12; suff dominant x y : Rabs y <= Rabs x ->
    abs_power (x * x + (p - 1) * (y * y)) (p / 2) <= (abs_power (x + y) p + abs_power (x - y) p) / 2.
  case: (Rle_lt_dec (Rabs b) (Rabs a)) => ab; first exact: dominant.
  apply: (Rle_trans _ (abs_power (b * b + (p - 1) * (a * a)) (p / 2))).
    have := Rsqr_le_abs_1 _ _ (Rlt_le _ _ ab); rewrite /Rsqr => sq.
    have a0 : 0 <= a * a by exact: Rle_0_sqr.
    have b0 : 0 <= (p - 1) * (b * b) by apply: Rmult_le_pos; lra.
    have := Rmult_le_pos (b * b - a * a) (2 - p) _ _ => gap.
    by apply: abs_power_le; [lra | split; [lra | have := gap _ _; lra]].
  have := dominant b a (Rlt_le _ _ ab); rewrite (Rplus_comm b a).
  by rewrite -(abs_power_abs (b - a)) Rabs_minus_sym abs_power_abs.
move=> yx; case: (Req_EM_T x 0) => [x0 | x0].
  have y0 : y = 0 by apply: Rabs_eq_0; have := Rabs_pos y; move: yx; rewrite x0 Rabs_R0; lra.
  rewrite x0 y0 (_ : 0 * 0 + (p - 1) * (0 * 0) = 0) ?abs_power0; last by ring.
  by have := abs_power_ge0 (0 + 0) p; have := abs_power_ge0 (0 - 0) p; lra.
set c := y / x; have yE : y = x * c by rewrite /c; field.
have c1 : -1 <= c <= 1.
  suff : Rabs c <= 1 by move/Rabs_le_between; lra.
  rewrite /c Rabs_div //; have ax := Rabs_pos_lt _ x0.
  by apply: (Rmult_le_reg_r (Rabs x)) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; lra.
have -> : x * x + (p - 1) * (y * y) = x * x * (1 + (p - 1) * (c * c)) by rewrite yE; ring.
have -> : x + y = x * (1 + c) by rewrite yE; ring.
have -> : x - y = x * (1 - c) by rewrite yE; ring.
rewrite (abs_power_mult (x * x)) abs_power_square !(abs_power_mult x).
have -> : (abs_power x p * abs_power (1 + c) p + abs_power x p * abs_power (1 - c) p) / 2 =
          abs_power x p * ((abs_power (1 + c) p + abs_power (1 - c) p) / 2) by field.
exact: Rmult_le_compat_l (abs_power_ge0 x p) (two_point_unit p12 c1).
Qed.
