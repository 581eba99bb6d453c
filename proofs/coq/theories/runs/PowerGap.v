(* PowerGap: how far |y|^p / p is above its tangent at x, from below and from above (MIRROR.md sections 4 and 6).

   The derivative g is the signed power; how much g rises over a step bounds the gap. Sums over entries are the
   Bregman divergences of Mirror.v. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors EntrywiseDuality DualNorm PowerInequalities Mirror.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Definition power_gap (p x y : R) : R := abs_power y p / p - abs_power x p / p - signed_power x (p - 1) * (y - x).

Section Derivative.
Variable p : R.
Hypothesis p1 : 1 < p.
Notation g x := (signed_power x (p - 1)).
Notation gap := (power_gap p).

Lemma power_gap_ge0 x y : 0 <= gap x y.
Proof.
pose q := p / (p - 1); have conj : / p + / q = 1 by rewrite /q; field; lra.
have := young (g x) y p1 conj; have := signed_power_dot x p.
rewrite -(abs_power_abs (g x)) signed_power_abs abs_power_comp.
have -> : (p - 1) * q = p by rewrite /q; field; lra.
rewrite /power_gap => dot; have qE : abs_power x p / q = abs_power x p - abs_power x p / p.
  rewrite /Rdiv; have -> : / q = 1 - / p by lra.
  by ring.
rewrite qE; lra.
Qed.

Lemma power_gap_both x y : gap x y + gap y x = (g y - g x) * (y - x).
Proof. by rewrite /power_gap; ring. Qed.

Lemma is_derive_power x : is_derive (fun y => abs_power y p / p) x (g x).
Proof.
apply/is_derive_Reals => eps e0; have s0 : 0 < p - 1 by lra.
have [d [d0 H]] := signed_power_continuous x s0 e0; exists (mkposreal _ d0) => h h0 /= small.
have := power_gap_ge0 x (x + h); have := power_gap_ge0 (x + h) x; have := power_gap_both x (x + h).
have -> : x + h - x = h by ring.
move=> both up low; have near : Rabs (g (x + h) - g x) < eps.
  apply: (H (x + h)); split; first by split=> //; lra.
  by rewrite /= /R_dist; have -> : x + h - x = h by ring.
set D := gap x (x + h) in both low; have DE : (abs_power (x + h) p / p - abs_power x p / p) / h - g x = D / h.
  by rewrite /D /power_gap; field; lra.
rewrite DE; apply: Rle_lt_trans near; rewrite /Rdiv Rabs_mult Rabs_inv.
have a0 := Rabs_pos_lt _ h0; apply: (Rmult_le_reg_r (Rabs h)) => //.
rewrite Rmult_assoc Rinv_l ?Rmult_1_r; last by lra.
by rewrite -Rabs_mult !Rabs_pos_eq; lra.
Qed.

Lemma is_derive_gap x t : is_derive (fun s => gap x (x + s)) t (g (x + t) - g x).
Proof.
have D : is_derive (fun s => abs_power (x + s) p / p) t (1 * g (x + t)).
  by apply: (is_derive_comp (fun y => abs_power y p / p) (fun s => x + s)); [exact: is_derive_power | auto_derive].
have ext s : abs_power (x + s) p / p - (abs_power x p / p + g x * s) = gap x (x + s) by rewrite /power_gap; ring.
apply: (is_derive_ext _ _ _ _ ext).
have E : is_derive (fun s => abs_power x p / p + g x * s) t (g x) by auto_derive => //; ring.
apply: is_derive_ext_eq (is_derive_minus _ _ _ _ _ D E).
by rewrite /minus /plus /opp /=; ring.
Qed.

Lemma power_gap_start x : gap x (x + 0) = 0.
Proof. by rewrite /power_gap Rplus_0_r; ring. Qed.

Lemma power_gap_le (B dB : R -> R) x h : 0 <= h -> B 0 = 0 -> (forall t, 0 <= t <= h -> is_derive B t (dB t)) ->
  (forall t, 0 <= t <= h -> g (x + t) - g x <= dB t) -> gap x (x + h) <= B h.
Proof.
move=> h0 B0 DB rise.
have := @nondecreasing_from0 (fun t => B t - gap x (x + t)) (fun t => dB t - (g (x + t) - g x)) h.
rewrite B0 power_gap_start => /(_ _ _ h) H; suff : 0 - 0 <= B h - gap x (x + h) by lra.
apply: H; last by lra.
  by move=> t ht; apply: is_derive_minus (DB t ht) (is_derive_gap x t).
by move=> t ht; have := rise t ht; lra.
Qed.

Lemma power_gap_ge (B dB : R -> R) x h : 0 <= h -> B 0 = 0 -> (forall t, 0 <= t <= h -> is_derive B t (dB t)) ->
  (forall t, 0 <= t <= h -> dB t <= g (x + t) - g x) -> B h <= gap x (x + h).
Proof.
move=> h0 B0 DB rise.
have := @nondecreasing_from0 (fun t => gap x (x + t) - B t) (fun t => (g (x + t) - g x) - dB t) h.
rewrite B0 power_gap_start => /(_ _ _ h) H; suff : 0 - 0 <= gap x (x + h) - B h by lra.
apply: H; last by lra.
  by move=> t ht; apply: is_derive_minus (is_derive_gap x t) (DB t ht).
by move=> t ht; have := rise t ht; lra.
Qed.

Lemma power_gapN x y : gap (- x) (- y) = gap x y.
Proof.
have even z : abs_power (- z) p = abs_power z p by rewrite -abs_power_abs Rabs_Ropp abs_power_abs.
by rewrite /power_gap !even signed_powerN; ring.
Qed.

End Derivative.

(* ---- how much the derivative rises ---- *)

Lemma power_subadditive s t r : 0 <= s -> 0 <= t -> 0 < r <= 1 -> abs_power (s + t) r <= abs_power s r + abs_power t r.
Proof.
move=> s0 t0 [r0 r1]; have m1 : 1 <= / r by rewrite -Rinv_1; apply: Rinv_le_contravar.
have a0 := abs_power_ge0 s r; have b0 := abs_power_ge0 t r.
have := power_superadditive a0 b0 m1; rewrite !abs_power_inverse; try lra.
move=> H; have st : 0 <= s + t by lra.
have := @abs_power_le (s + t) _ r (Rlt_le _ _ r0) (conj st H).
by rewrite abs_power_comp Rinv_l ?abs_power1; lra.
Qed.

(* x^r between 0 <= x <= y <= R: its chord is at least as steep as at R for r <= 1, at most for r >= 1. *)
Lemma concave_chord x y R r : 0 <= x <= y -> y <= R -> 0 < R -> 0 < r <= 1 ->
  r * abs_power R (r - 1) * (y - x) <= abs_power y r - abs_power x r.
Proof.
move=> [x0 xy] yR R0 [r0 r1]; case: (Req_EM_T y 0) => [y0 | y0].
  have -> : x = y by lra.
  by rewrite !Rminus_eq_0 Rmult_0_r; lra.
have y1 : 0 < y by lra.
have z0 : 0 <= x / y by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
have := Rmult_le_compat_l _ _ _ (abs_power_ge0 y r) (bernoulli_concave z0 (conj r0 r1)).
rewrite -abs_power_mult; have -> : y * (x / y) = x by field.
have -> : abs_power y r * (1 + r * (x / y - 1)) = abs_power y r - r * (abs_power y r / y) * (y - x) by field.
have -> : abs_power y r / y = abs_power y (r - 1).
  by rewrite -(abs_power_step r y0) Rabs_pos_eq; [field; lra | lra].
have steep : abs_power R (r - 1) <= abs_power y (r - 1).
  have -> : r - 1 = - (1 - r) by ring.
  rewrite !abs_power_pos // !Rpower_Ropp; apply: Rinv_le_contravar; first exact: exp_pos.
  by apply: Rle_Rpower_l; lra.
have := Rmult_le_compat_r (y - x) _ _ ltac:(lra) (Rmult_le_compat_l r _ _ (Rlt_le _ _ r0) steep); lra.
Qed.

Lemma convex_chord x y R r : 0 <= x <= y -> y <= R -> 0 < R -> 1 <= r ->
  abs_power y r - abs_power x r <= r * abs_power R (r - 1) * (y - x).
Proof.
move=> [x0 xy] yR R0 r1; case: (Req_EM_T y 0) => [y0 | y0].
  have -> : x = y by lra.
  by rewrite !Rminus_eq_0 Rmult_0_r; lra.
have y1 : 0 < y by lra.
have := power_tangent x0 y1 r1; rewrite -{2}(abs_power_step r y0) (Rabs_pos_eq y); last by lra.
have -> : r * (abs_power y (r - 1) * y) / y = r * abs_power y (r - 1) by field.
have steep : abs_power y (r - 1) <= abs_power R (r - 1) by apply: abs_power_le; lra.
have := Rmult_le_compat_r (y - x) _ _ ltac:(lra) (Rmult_le_compat_l r _ _ ltac:(lra) steep); lra.
Qed.

Section Rise.
Variables (r x y : R).
Hypothesis xy : x <= y.
Notation g x := (signed_power x r).

Lemma signed_power_le0 z : z <= 0 -> g z = - abs_power (- z) r.
Proof. by move=> z0; rewrite -(signed_power_ge0 r (_ : 0 <= - z)) ?signed_powerN; lra. Qed.

(* What holds for two numbers of one sign and adds over 0 holds for any two. *)
Lemma by_signs (B : R -> R -> Prop) :
  (forall s t, 0 <= s <= t -> (s = x /\ t = y) \/ (s = - y /\ t = - x) -> B (t - s) (abs_power t r - abs_power s r)) ->
  (forall s t, 0 <= s -> 0 <= t -> s = - x -> t = y -> B (s + t) (abs_power s r + abs_power t r)) ->
  B (y - x) (g y - g x).
Proof.
move=> same other; case: (Rle_lt_dec 0 x) => x0.
  by rewrite !signed_power_ge0; try lra; apply: same; [lra | left].
case: (Rle_lt_dec y 0) => y0.
  rewrite !signed_power_le0; try lra.
  have := same (- y) (- x) ltac:(lra) (or_intror (conj erefl erefl)).
  have -> : - x - - y = y - x by ring.
  by have -> : abs_power (- x) r - abs_power (- y) r = - abs_power (- y) r - - abs_power (- x) r by ring.
rewrite (signed_power_ge0 r (Rlt_le _ _ y0)) (signed_power_le0 (Rlt_le _ _ x0)).
have := other (- x) y ltac:(lra) ltac:(lra) erefl erefl.
have -> : - x + y = y - x by ring.
by have -> : abs_power (- x) r + abs_power y r = abs_power y r - - abs_power (- x) r by ring.
Qed.

Lemma rise_at_least R : Rabs x <= R -> Rabs y <= R -> 0 < R -> 0 < r <= 1 ->
  r * abs_power R (r - 1) * (y - x) <= g y - g x.
Proof.
move=> /Rabs_le_between xR /Rabs_le_between yR R0 r01.
apply: (@by_signs (fun d e => r * abs_power R (r - 1) * d <= e)) => s t.
  by move=> st ends; apply: concave_chord => //; case: ends => -[E1 E2]; lra.
move=> s0 t0 sx ty; have := @concave_chord 0 s R r; have := @concave_chord 0 t R r.
rewrite !abs_power0 !Rminus_0_r => ct cs.
have := ct ltac:(lra) ltac:(lra) R0 r01; have := cs ltac:(lra) ltac:(lra) R0 r01; lra.
Qed.

Lemma rise_at_most R : Rabs x <= R -> Rabs y <= R -> 0 < R -> 1 <= r ->
  g y - g x <= r * abs_power R (r - 1) * (y - x).
Proof.
move=> /Rabs_le_between xR /Rabs_le_between yR R0 r01.
apply: (@by_signs (fun d e => e <= r * abs_power R (r - 1) * d)) => s t.
  by move=> st ends; apply: convex_chord => //; case: ends => -[E1 E2]; lra.
move=> s0 t0 sx ty; have := @convex_chord 0 s R r; have := @convex_chord 0 t R r.
rewrite !abs_power0 !Rminus_0_r => ct cs.
have := ct ltac:(lra) ltac:(lra) R0 r01; have := cs ltac:(lra) ltac:(lra) R0 r01; lra.
Qed.

(* 2 ((s + t)/2)^r against s^r + t^r *)
Lemma halves s : 2 * abs_power (s / 2) r = abs_power 2 (1 - r) * abs_power s r.
Proof.
have -> : s / 2 = s * / 2 by [].
rewrite abs_power_mult !(abs_power_pos _ (_ : 0 < 2)) ?(abs_power_pos _ (_ : 0 < / 2)); try lra.
have -> : Rpower (/ 2) r = Rpower 2 (- r).
  by rewrite -{1}(Rpower_1 2) -?Rpower_Ropp ?Rpower_mult; [congr Rpower; ring | lra].
have -> : 1 - r = 1 + - r by ring.
by rewrite Rpower_plus Rpower_1; [ring | lra].
Qed.

Lemma rise_hoelder : 0 < r <= 1 -> g y - g x <= abs_power 2 (1 - r) * abs_power (y - x) r.
Proof.
move=> r01; have two : 1 <= abs_power 2 (1 - r).
  have := @abs_power_le 1 2 (1 - r) ltac:(lra) ltac:(lra).
  by rewrite abs_power_one.
apply: (@by_signs (fun d e => e <= abs_power 2 (1 - r) * abs_power d r)) => s t.
  move=> [s0 st] _; have := @power_subadditive s (t - s) r s0 ltac:(lra) r01.
  have -> : s + (t - s) = t by ring.
  by have := Rmult_le_compat_r _ _ _ (abs_power_ge0 (t - s) r) two; lra.
move=> s0 t0 _ _; have := @power_concave s t (1 / 2) r s0 t0 ltac:(lra) r01; rewrite -halves.
by have -> : 1 / 2 * s + (1 - 1 / 2) * t = (s + t) / 2 by [field]; lra.
Qed.

Lemma rise_power : 1 <= r -> abs_power 2 (1 - r) * abs_power (y - x) r <= g y - g x.
Proof.
move=> r1; have two : abs_power 2 (1 - r) <= 1.
  have -> : 1 - r = - (r - 1) by ring.
  rewrite abs_power_pos; last by lra.
  have P1 := @Rle_Rpower 2 0 (r - 1) ltac:(lra) ltac:(lra); rewrite Rpower_O in P1; last by lra.
  by rewrite Rpower_Ropp -[X in _ <= X]Rinv_1; apply: Rinv_le_contravar; lra.
apply: (@by_signs (fun d e => abs_power 2 (1 - r) * abs_power d r <= e)) => s t.
  move=> [s0 st] _; have := @power_superadditive s (t - s) r s0 ltac:(lra) r1.
  have -> : s + (t - s) = t by ring.
  by have := Rmult_le_compat_r _ _ _ (abs_power_ge0 (t - s) r) two; lra.
by move=> s0 t0 _ _; have := power_midpoint s0 t0 r1; rewrite -halves; lra.
Qed.
End Rise.

(* ---- the gap, from below and from above ---- *)

Section Bounds.
Variable p : R.
Hypothesis p1 : 1 < p.
Notation gap := (power_gap p).

Lemma is_derive_square m t : is_derive (fun s => m / 2 * (s * s)) t (m * t).
Proof. by auto_derive => //; field. Qed.

Lemma is_derive_power_scaled c t : 0 <= t -> is_derive (fun s => c * (abs_power s p / p)) t (c * abs_power t (p - 1)).
Proof.
move=> t0; rewrite -(signed_power_ge0 (p - 1) t0).
exact: (is_derive_scal (fun s => abs_power s p / p) t c _ (is_derive_power p1 t)).
Qed.

Lemma square_zero m : m / 2 * (0 * 0) = 0. Proof. by ring. Qed.

Lemma square_of_entry (x y : R) : - y - - x = - (y - x). Proof. by ring. Qed.

Theorem power_gap_quadratic_below x y R : p <= 2 -> Rabs x <= R -> Rabs y <= R -> 0 < R ->
  (p - 1) * abs_power R (p - 2) / 2 * ((y - x) * (y - x)) <= gap x y.
Proof.
move=> p2; suff right x' y' : x' <= y' -> Rabs x' <= R -> Rabs y' <= R -> 0 < R ->
    (p - 1) * abs_power R (p - 2) / 2 * ((y' - x') * (y' - x')) <= gap x' y'.
  move=> xR yR R0; case: (Rle_lt_dec x y) => [xy | yx]; first exact: right.
  have := right (- x) (- y) ltac:(lra); rewrite !Rabs_Ropp power_gapN square_of_entry Rmult_opp_opp.
  by apply.
move=> xy xR yR R0; pose m := (p - 1) * abs_power R (p - 2); have h0 : 0 <= y' - x' by lra.
have := @power_gap_ge p p1 (fun s => m / 2 * (s * s)) (fun t => m * t) x' (y' - x') h0 (square_zero m)
  (fun t _ => is_derive_square m t); have -> : x' + (y' - x') = y' by ring.
apply=> t [t0 th]; have xt : x' <= x' + t by lra.
have xtR : Rabs (x' + t) <= R by move: xR yR => /Rabs_le_between ? /Rabs_le_between ?; apply: Rabs_le; lra.
have := @rise_at_least (p - 1) x' (x' + t) xt R xR xtR R0 ltac:(lra).
have -> : p - 1 - 1 = p - 2 by ring.
have -> : x' + t - x' = t by ring.
by [].
Qed.

Theorem power_gap_quadratic_above x y R : 2 <= p -> Rabs x <= R -> Rabs y <= R -> 0 < R ->
  gap x y <= (p - 1) * abs_power R (p - 2) / 2 * ((y - x) * (y - x)).
Proof.
move=> p2; suff right x' y' : x' <= y' -> Rabs x' <= R -> Rabs y' <= R -> 0 < R ->
    gap x' y' <= (p - 1) * abs_power R (p - 2) / 2 * ((y' - x') * (y' - x')).
  move=> xR yR R0; case: (Rle_lt_dec x y) => [xy | yx]; first exact: right.
  have := right (- x) (- y) ltac:(lra); rewrite !Rabs_Ropp power_gapN square_of_entry Rmult_opp_opp.
  by apply.
move=> xy xR yR R0; pose m := (p - 1) * abs_power R (p - 2); have h0 : 0 <= y' - x' by lra.
have := @power_gap_le p p1 (fun s => m / 2 * (s * s)) (fun t => m * t) x' (y' - x') h0 (square_zero m)
  (fun t _ => is_derive_square m t); have -> : x' + (y' - x') = y' by ring.
apply=> t [t0 th]; have xt : x' <= x' + t by lra.
have xtR : Rabs (x' + t) <= R by move: xR yR => /Rabs_le_between ? /Rabs_le_between ?; apply: Rabs_le; lra.
have := @rise_at_most (p - 1) x' (x' + t) xt R xR xtR R0 ltac:(lra).
have -> : p - 1 - 1 = p - 2 by ring.
have -> : x' + t - x' = t by ring.
by [].
Qed.

Lemma power_zero c : c * (abs_power 0 p / p) = 0.
Proof. by rewrite abs_power0 /Rdiv; ring. Qed.

(* Lemma 5 (a) of MIRROR.md, with the constant 2^(2-p). *)
Theorem power_gap_above x y : p <= 2 -> gap x y <= abs_power 2 (2 - p) * (abs_power (y - x) p / p).
Proof.
move=> p2; have two : 1 - (p - 1) = 2 - p by ring.
suff right x' y' : x' <= y' -> gap x' y' <= abs_power 2 (2 - p) * (abs_power (y' - x') p / p).
  case: (Rle_lt_dec x y) => [xy | yx]; first exact: right.
  have := right (- x) (- y) ltac:(lra); rewrite power_gapN square_of_entry.
  by rewrite -(abs_power_abs (- _)) Rabs_Ropp abs_power_abs.
move=> xy; have h0 : 0 <= y' - x' by lra.
have := @power_gap_le p p1 (fun s => abs_power 2 (2 - p) * (abs_power s p / p))
  (fun t => abs_power 2 (2 - p) * abs_power t (p - 1)) x' (y' - x') h0 (power_zero _).
have -> : x' + (y' - x') = y' by ring.
apply=> t [t0 th]; first exact: is_derive_power_scaled.
have := @rise_hoelder (p - 1) x' (x' + t) ltac:(lra) ltac:(lra); rewrite two.
by have -> : x' + t - x' = t by ring.
Qed.

Theorem power_gap_below x y : 2 <= p -> abs_power 2 (2 - p) * (abs_power (y - x) p / p) <= gap x y.
Proof.
move=> p2; have two : 1 - (p - 1) = 2 - p by ring.
suff right x' y' : x' <= y' -> abs_power 2 (2 - p) * (abs_power (y' - x') p / p) <= gap x' y'.
  case: (Rle_lt_dec x y) => [xy | yx]; first exact: right.
  have := right (- x) (- y) ltac:(lra); rewrite power_gapN square_of_entry.
  by rewrite -(abs_power_abs (- _)) Rabs_Ropp abs_power_abs.
move=> xy; have h0 : 0 <= y' - x' by lra.
have := @power_gap_ge p p1 (fun s => abs_power 2 (2 - p) * (abs_power s p / p))
  (fun t => abs_power 2 (2 - p) * abs_power t (p - 1)) x' (y' - x') h0 (power_zero _).
have -> : x' + (y' - x') = y' by ring.
apply=> t [t0 th]; first exact: is_derive_power_scaled.
have := @rise_power (p - 1) x' (x' + t) ltac:(lra) ltac:(lra); rewrite two.
by have -> : x' + t - x' = t by ring.
Qed.
End Bounds.
