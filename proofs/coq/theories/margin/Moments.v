(* Moments: sharp bounds of the covariance and of the third mixed moment of bounded quantities under a probability
   vector.

   For a probability vector s on P, g in [g0, g0 + G] and x in [x0, x0 + X], with means f and m:
     |sum s (g - f) x| <= G X / 4                                        (Popoviciu and Cauchy-Schwarz)
     |sum s (g - f) (x - m)^2| <= G X^2 / (6 sqrt 3)                     (sharp: two points, q = (1 - 1/sqrt 3)/2)
   These are the constants of T6. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Mean.
Variables (I : finType) (P : pred I) (s : I -> R).
Hypothesis s_ge0 : forall i, P i -> 0 <= s i.
Hypothesis s_sum : \sum_(i | P i) s i = 1.
Implicit Types (x g : I -> R).

Definition mean x : R := \sum_(i | P i) s i * x i.

Lemma mean_eq x y : (forall i, P i -> x i = y i) -> mean x = mean y.
Proof. by move=> H; apply: eq_bigr => i Pi; rewrite H. Qed.

Lemma mean_lin a x b y : mean (fun i => a * x i + b * y i) = a * mean x + b * mean y.
Proof. by rewrite /mean !sum_mull -sumD; apply: eq_bigr => i _; ring. Qed.

Lemma mean_const c : mean (fun=> c) = c.
Proof. by rewrite /mean -sum_mulr s_sum; ring. Qed.

Lemma mean_quadratic a x b y c : mean (fun i => a * x i + b * y i + c) = a * mean x + b * mean y + c.
Proof.
rewrite -(mean_lin a x b y) -[X in _ + X](mean_const c) /mean -sumD.
by apply: eq_bigr => i _; ring.
Qed.

Lemma mean_le x y : (forall i, P i -> x i <= y i) -> mean x <= mean y.
Proof. by move=> H; apply: sum_le => i Pi; apply: Rmult_le_compat_l; [apply: s_ge0 | apply: H]. Qed.

Lemma mean_ge0 x : (forall i, P i -> 0 <= x i) -> 0 <= mean x.
Proof. by move=> H; apply: sum_ge0 => i Pi; apply: Rmult_le_pos; [apply: s_ge0 | apply: H]. Qed.

Lemma mean_range x lo hi : (forall i, P i -> lo <= x i <= hi) -> lo <= mean x <= hi.
Proof.
move=> H; split; [rewrite -(mean_const lo) | rewrite -(mean_const hi)]; apply: mean_le => i /H; lra.
Qed.

Definition variance x : R := mean (fun i => (x i - mean x) * (x i - mean x)).

Lemma variance_ge0 x : 0 <= variance x.
Proof. by apply: mean_ge0 => i _; apply: Rle_0_sqr. Qed.

(* Popoviciu. *)
Lemma variance_le x (x0 X : R) : (forall i, P i -> x0 <= x i <= x0 + X) -> variance x <= X * X / 4.
Proof.
move=> H; have ge0 : 0 <= mean (fun i => - 1 * (x i * x i) + (2 * x0 + X) * x i + - (x0 * (x0 + X))).
  by apply: mean_ge0 => i /H; nra.
rewrite mean_quadratic in ge0.
have -> : variance x = mean (fun i => 1 * (x i * x i) + (- 2 * mean x) * x i + mean x * mean x).
  by apply: mean_eq => i _; ring.
by rewrite mean_quadratic; have := Rle_0_sqr (mean x - x0 - X / 2); rewrite /Rsqr; lra.
Qed.

Lemma mean_cauchy_schwarz x y :
  mean (fun i => x i * y i) * mean (fun i => x i * y i) <= mean (fun i => x i * x i) * mean (fun i => y i * y i).
Proof.
have root i : P i -> sqrt (s i) * sqrt (s i) = s i by move/s_ge0; apply: sqrt_sqrt.
have := sum_cauchy_schwarz P (fun i => sqrt (s i) * x i) (fun i => sqrt (s i) * y i); rewrite /Rsqr.
rewrite (eq_bigr (fun i => s i * (x i * y i))) => [|i /root <-];
  last by rewrite !sqrt_square; try ring; apply: sqrt_pos.
rewrite [X in _ <= X * _](eq_bigr (fun i => s i * (x i * x i))) => [|i /root <-];
  last by rewrite !sqrt_square; try ring; apply: sqrt_pos.
by rewrite [X in _ <= _ * X](eq_bigr (fun i => s i * (y i * y i))) => [//|i /root <-];
  rewrite !sqrt_square; try ring; apply: sqrt_pos.
Qed.

Definition covariance g x : R := mean (fun i => (g i - mean g) * x i).

Lemma covariance_centred g x : covariance g x = mean (fun i => (g i - mean g) * (x i - mean x)).
Proof.
have -> : mean (fun i => (g i - mean g) * (x i - mean x)) =
          mean (fun i => 1 * ((g i - mean g) * x i) + (- mean x) * (1 * g i + (- mean g))).
  by apply: mean_eq => i _; ring.
rewrite mean_lin -/(covariance g x).
have -> : mean (fun i => 1 * g i + - mean g) = mean (fun i => 1 * g i + 0 * g i + - mean g).
  by apply: mean_eq => i _; ring.
rewrite mean_quadratic; ring.
Qed.

Theorem covariance_le g x (g0 G x0 X : R) :
  (forall i, P i -> g0 <= g i <= g0 + G) -> (forall i, P i -> x0 <= x i <= x0 + X) -> 0 <= G -> 0 <= X ->
  Rabs (covariance g x) <= G * X / 4.
Proof.
move=> Hg Hx G0 X0; rewrite covariance_centred.
have := mean_cauchy_schwarz (fun i => g i - mean g) (fun i => x i - mean x).
rewrite -/(variance g) -/(variance x) => cs.
have vxX := variance_le Hx; have vgG := variance_le Hg; have vx0 := variance_ge0 x; have vg0 := variance_ge0 g.
rewrite -(Rabs_pos_eq (G * X / 4)); last by nra.
apply: Rsqr_le_abs_0; rewrite /Rsqr; apply: Rle_trans cs _.
have := Rmult_le_compat _ _ _ _ vg0 vx0 vgG vxX; lra.
Qed.

(* ---- the third mixed moment ---- *)

Definition third_moment g x : R := mean (fun i => (g i - mean g) * ((x i - mean x) * (x i - mean x))).

(* The value is attained by q = (1 - 1/sqrt 3)/2, a = 1, b = 0. *)
Lemma third_moment_constant q a b : 0 <= q <= 1 -> 0 <= a <= 1 -> 0 <= b <= 1 ->
  q * (1 - q) * (a * (1 - a) + (1 - 2 * q) * ((a - b) * (a - b))) <= / (6 * sqrt 3).
Proof.
move=> q01 a01 b01.
have r0 : 0 < sqrt 3 by apply: sqrt_lt_R0; lra.
have r2 : sqrt 3 * sqrt 3 = 3 by apply: sqrt_sqrt; lra.
set z := / sqrt 3; have z0 : 0 < z by apply: Rinv_0_lt_compat.
have z2 : z * z = / 3 by rewrite /z -Rinv_mult r2.
have -> : / (6 * sqrt 3) = z / 6 by rewrite /z; field; lra.
have zlow : 9 / 16 <= z by apply: Rnot_lt_le => lt; nra.
have qq : 0 <= q * (1 - q) by nra.
have qq4 : q * (1 - q) <= 1 / 4 by have := Rle_0_sqr (q - 1 / 2); rewrite /Rsqr; lra.
have a4 : a * (1 - a) <= 1 / 4 by have := Rle_0_sqr (a - 1 / 2); rewrite /Rsqr; lra.
have d2 : 0 <= (a - b) * (a - b) by apply: Rle_0_sqr.
case: (Rle_lt_dec (1 / 2) q) => half.
  have neg : 0 <= (2 * q - 1) * ((a - b) * (a - b)) by apply: Rmult_le_pos; lra.
  have le4 : a * (1 - a) + (1 - 2 * q) * ((a - b) * (a - b)) <= 1 / 4 by lra.
  by have := Rmult_le_compat_l _ _ _ qq le4; lra.
have [e [e01 He]] : exists e, 0 <= e <= 1 /\ a * (1 - a) + (1 - 2 * q) * ((a - b) * (a - b)) <= e - 2 * q * (e * e).
  case: (Rle_lt_dec b a) => ab.
    exists a; split=> //.
    have le : (a - b) * (a - b) <= a * a by nra.
    by have := Rmult_le_compat_l (1 - 2 * q) _ _ (ltac:(lra)) le; lra.
  exists (1 - a); split; first by lra.
  have le : (a - b) * (a - b) <= (1 - a) * (1 - a) by nra.
  by have := Rmult_le_compat_l (1 - 2 * q) _ _ (ltac:(lra)) le; lra.
apply: Rle_trans (Rmult_le_compat_l _ _ _ qq He) _.
case: (Rle_lt_dec q (1 / 4)) => quarter.
  have le1 : e - 2 * q * (e * e) <= 1 - 2 * q.
    have qe : q * (1 + e) <= 1 / 4 * 2 by apply: Rmult_le_compat; lra.
    by have := Rmult_le_pos (1 - e) (1 - 2 * (q * (1 + e))) (ltac:(lra)) (ltac:(lra)); lra.
  apply: Rle_trans (Rmult_le_compat_l _ _ _ qq le1) _.
  have id : q * (1 - q) * (1 - 2 * q) - z / 6 =
            2 * ((q - (1 - z) / 2) * (q - (1 - z) / 2)) * (q - 1 / 2 - z).
    have z3 : z * z * z = z / 3 by rewrite z2; field.
    have -> : 2 * ((q - (1 - z) / 2) * (q - (1 - z) / 2)) * (q - 1 / 2 - z) =
              q * (1 - q) * (1 - 2 * q) + (z * z) * (3 / 4 - 3 / 2 * q) - z * z * z / 2 - 1 / 4 + q / 2 by field.
    by rewrite z3 z2; field.
  have sq0 : 0 <= (q - (1 - z) / 2) * (q - (1 - z) / 2) by apply: Rle_0_sqr.
  have qz : 0 <= 1 / 2 + z - q by lra.
  by have := Rmult_le_pos _ _ sq0 qz; lra.
have e8 : q * (e - 2 * q * (e * e)) <= 1 / 8 by have := Rle_0_sqr (1 - 4 * q * e); rewrite /Rsqr; lra.
have q1 : 0 <= 1 - q by lra.
by have := Rmult_le_compat_l _ _ _ q1 e8; lra.
Qed.

Section UnitThird.
Variable x : I -> R.
Hypothesis x01 : forall i, P i -> 0 <= x i <= 1.
Let m := mean x.
Let y i := (x i - m) * (x i - m).
Let v := mean y.
Let A i := P i && Rlt_dec v (y i).
Let B i := P i && ~~ Rlt_dec v (y i).
Let Q := \sum_(i | A i) s i * (y i - v).

Let split_AB (F : I -> R) : \sum_(i | P i) F i = \sum_(i | A i) F i + \sum_(i | B i) F i.
Proof. by rewrite (bigID (fun i => (Rlt_dec v (y i) : bool))). Qed.

Let A_P i : A i -> P i. Proof. by case/andP. Qed.
Let B_P i : B i -> P i. Proof. by case/andP. Qed.

(* The positive part of y - v carries at most 1/(6 sqrt 3). *)
Lemma positive_part_le : Q <= / (6 * sqrt 3).
Proof.
set q := \sum_(i | A i) s i; set N := \sum_(i | A i) s i * x i; set M2 := \sum_(i | A i) s i * y i.
have c0 : 0 < / (6 * sqrt 3).
  by apply: Rinv_0_lt_compat; have : 0 < sqrt 3 by [apply: sqrt_lt_R0; lra]; lra.
have QE : Q = M2 - q * v by rewrite /Q /M2 /q sum_mulr -sumB; apply: eq_bigr => i _; ring.
have qB : \sum_(i | B i) s i = 1 - q by have := split_AB s; rewrite s_sum -/q; lra.
have NB : \sum_(i | B i) s i * x i = m - N by have := split_AB (fun i => s i * x i); rewrite -/(mean x) -/m -/N; lra.
have MB : \sum_(i | B i) s i * y i = v - M2 by have := split_AB (fun i => s i * y i); rewrite -/(mean y) -/v -/M2; lra.
have sA i : A i -> 0 <= s i by move/A_P/s_ge0.
have sB i : B i -> 0 <= s i by move/B_P/s_ge0.
have q0 : 0 <= q by apply: sum_ge0.
have q1 : 0 <= 1 - q by rewrite -qB; apply: sum_ge0.
case: q0 => [q0 | q0]; last first.
  have M20 : M2 = 0 by apply: sum0 => i Ai; rewrite (sum_eq0 (F := s) sA (esym q0) Ai); ring.
  by rewrite QE M20 -q0; lra.
case: q1 => [q1 | q1]; last first.
  have VM : v - M2 = 0.
    by rewrite -MB; apply: sum0 => i Bi; rewrite (sum_eq0 (F := s) sB _ Bi) ?Rmult_0_l // qB -q1.
  by rewrite QE (_ : q = 1); lra.
(* a, b: the conditional means on A and on B *)
pose a := N / q; pose b := (m - N) / (1 - q).
have Na : N = q * a by rewrite /a; field; lra.
have Nb : m - N = (1 - q) * b by rewrite /b; field; lra.
have N01 : 0 <= N <= q.
  split; first by apply: sum_ge0 => i Ai; have := sA i Ai; have := x01 (A_P Ai); nra.
  by apply: sum_le => i Ai; have := sA i Ai; have := x01 (A_P Ai); nra.
have b01' : 0 <= m - N <= 1 - q.
  rewrite -NB -qB; split; first by apply: sum_ge0 => i Bi; have := sB i Bi; have := x01 (B_P Bi); nra.
  by apply: sum_le => i Bi; have := sB i Bi; have := x01 (B_P Bi); nra.
have a01 : 0 <= a <= 1 by split; apply: (Rmult_le_reg_l q) => //; lra.
have b01 : 0 <= b <= 1 by split; apply: (Rmult_le_reg_l (1 - q)) => //; lra.
have M2_le : M2 <= q * (a * (1 - a) + (a - m) * (a - m)).
  have -> : q * (a * (1 - a) + (a - m) * (a - m)) = N - 2 * m * N + m * m * q by rewrite Na; ring.
  rewrite /N /q (sum_mull _ _ (2 * m)) (sum_mull _ _ (m * m)) -sumB -sumD; apply: sum_le => i Ai; rewrite /y.
  have xx : 0 <= x i * (1 - x i) by have := x01 (A_P Ai); nra.
  by have := Rmult_le_pos _ _ (sA i Ai) xx; lra.
have MB_ge : q * q * ((a - m) * (a - m)) <= (1 - q) * (v - M2).
  have := sum_cauchy_schwarz B (fun i => sqrt (s i)) (fun i => sqrt (s i) * (x i - m)); rewrite /Rsqr.
  have root i : B i -> sqrt (s i) * sqrt (s i) = s i by move/sB; apply: sqrt_sqrt.
  rewrite (eq_bigr (fun i => s i * x i - m * s i)) => [|i /root E]; last by rewrite -Rmult_assoc E; ring.
  rewrite [X in _ <= X * _](eq_bigr s) //.
  rewrite [X in _ <= _ * X](eq_bigr (fun i => s i * y i)) => [|i /root E]; last first.
    by rewrite /y -[X in _ = X * _]E; ring.
  rewrite sumB -sum_mull NB qB MB => H; apply: Rle_trans H; right.
  have -> : m - N - m * (1 - q) = - (q * (a - m)) by rewrite Na; ring.
  by ring.
have amb : a - m = (1 - q) * (a - b) by lra.
apply: Rle_trans (third_moment_constant (conj (Rlt_le _ _ q0) _) a01 b01); last by lra.
apply: (Rmult_le_reg_l (1 - q)) => //.
have -> : (1 - q) * (q * (1 - q) * (a * (1 - a) + (1 - 2 * q) * ((a - b) * (a - b)))) =
          (1 - q) * (1 - q) * (q * (a * (1 - a) + (a - m) * (a - m))) - q * (q * q * ((a - m) * (a - m))).
  by rewrite amb; ring.
have -> : (1 - q) * Q = (1 - q) * (1 - q) * M2 - q * ((1 - q) * (v - M2)) by rewrite QE; ring.
have qq0 : 0 <= (1 - q) * (1 - q) by nra.
have := Rmult_le_compat_l _ _ _ qq0 M2_le; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ q0) MB_ge; lra.
Qed.

Lemma weighted_part_le g : (forall i, P i -> 0 <= g i <= 1) -> mean (fun i => g i * (y i - v)) <= / (6 * sqrt 3).
Proof.
move=> g01; apply: Rle_trans positive_part_le; rewrite /mean split_AB.
have : \sum_(i | B i) s i * (g i * (y i - v)) <= 0.
  apply: sum_le0 => i /andP[Pi]; case: Rlt_dec => // /Rnot_lt_le le _.
  by have := Rmult_le_pos _ _ (s_ge0 Pi) (proj1 (g01 i Pi)); nra.
suff : \sum_(i | A i) s i * (g i * (y i - v)) <= Q by lra.
apply: sum_le => i /andP[Pi]; case: Rlt_dec => // lt _.
by have := Rmult_le_compat_l _ _ _ (s_ge0 Pi) (proj2 (g01 i Pi)); nra.
Qed.

Lemma third_moment_unit g : (forall i, P i -> 0 <= g i <= 1) -> Rabs (third_moment g x) <= / (6 * sqrt 3).
Proof.
move=> g01.
have E : third_moment g x = mean (fun i => g i * (y i - v)).
  have -> : mean (fun i => g i * (y i - v)) = mean (fun i => 1 * (g i * y i) + (- v) * g i).
    by apply: mean_eq => i _; ring.
  rewrite mean_lin.
  have -> : third_moment g x = mean (fun i => 1 * (g i * y i) + (- mean g) * y i).
    by apply: mean_eq => i _; rewrite /y /m; ring.
  by rewrite mean_lin -/v; ring.
have co : mean (fun i => (1 - g i) * (y i - v)) = - third_moment g x.
  have -> : mean (fun i => (1 - g i) * (y i - v)) =
            mean (fun i => 1 * y i + (- 1) * (g i * (y i - v)) + - v).
    by apply: mean_eq => i _; ring.
  by rewrite mean_quadratic -E -/v; ring.
apply: Rabs_le; split; last by rewrite E; apply: weighted_part_le.
suff : mean (fun i => (1 - g i) * (y i - v)) <= / (6 * sqrt 3) by rewrite co; lra.
by apply: (@weighted_part_le (fun i => 1 - g i)) => i /g01; lra.
Qed.
End UnitThird.

Theorem third_moment_le g x (g0 G x0 X : R) :
  (forall i, P i -> g0 <= g i <= g0 + G) -> (forall i, P i -> x0 <= x i <= x0 + X) -> 0 <= G -> 0 <= X ->
  Rabs (third_moment g x) <= G * (X * X) / (6 * sqrt 3).
Proof.
move=> Hg Hx G0 X0.
have r0 : 0 < 6 * sqrt 3 by have : 0 < sqrt 3 by [apply: sqrt_lt_R0; lra]; lra.
have c0 := Rlt_le _ _ (Rinv_0_lt_compat _ r0).
have zero (E : third_moment g x = 0) : Rabs (third_moment g x) <= G * (X * X) / (6 * sqrt 3).
  by rewrite E Rabs_R0; apply: Rmult_le_pos => //; nra.
have const_mean (z : I -> R) c : (forall i, P i -> z i = c) -> mean z = c.
  by move=> H; rewrite (@mean_eq z (fun=> c)) // mean_const.
case: G0 => [G0 | G0]; last first.
  apply: zero; have gc i : P i -> g i = g0 by move/Hg; lra.
  by apply: sum0 => i Pi; rewrite (const_mean g g0 gc) gc //; ring.
case: X0 => [X0 | X0]; last first.
  apply: zero; have xc i : P i -> x i = x0 by move/Hx; lra.
  by apply: sum0 => i Pi; rewrite (const_mean x x0 xc) xc //; ring.
pose g' i := (g i - g0) / G; pose x' i := (x i - x0) / X.
have unit_of z z0 Z : 0 < Z -> z0 <= z <= z0 + Z -> 0 <= (z - z0) / Z <= 1.
  move=> Z0 Hz; split; apply: (Rmult_le_reg_r Z) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
have mean_unit (z : I -> R) z0 Z : 0 < Z -> mean (fun i => (z i - z0) / Z) = (mean z - z0) / Z.
  move=> Z0; have -> : mean (fun i => (z i - z0) / Z) = mean (fun i => / Z * z i + 0 * z i + - z0 / Z).
    by apply: mean_eq => i _; field; lra.
  by rewrite mean_quadratic; field; lra.
have -> : third_moment g x = (G * (X * X)) * third_moment g' x'.
  rewrite /third_moment /mean sum_mull; apply: eq_bigr => i Pi; rewrite -/(mean g) -/(mean x) -/(mean g') -/(mean x').
  by rewrite /g' /x' !mean_unit //; field; lra.
have GX : 0 <= G * (X * X) by nra.
rewrite Rabs_mult (Rabs_pos_eq _ GX); apply: Rmult_le_compat_l => //.
by apply: third_moment_unit => i Pi; apply: unit_of => //; [apply: Hx | apply: Hg].
Qed.
End Mean.

(* The constant cannot be improved: two points with weights q and 1 - q attain it. *)
Theorem third_moment_attained : exists q : R, 0 < q < 1 /\
  let s (i : bool) := if i then q else 1 - q in let g (i : bool) := if i then 1 else 0 in
  third_moment predT s g g = / (6 * sqrt 3).
Proof.
have r0 : 0 < sqrt 3 by apply: sqrt_lt_R0; lra.
have r2 : sqrt 3 * sqrt 3 = 3 by apply: sqrt_sqrt; lra.
have z0 : 0 < / sqrt 3 by apply: Rinv_0_lt_compat.
have z1 : / sqrt 3 < 1 by rewrite -Rinv_1; apply: Rinv_lt_contravar; nra.
exists ((1 - / sqrt 3) / 2); split; first by lra.
set q := (1 - / sqrt 3) / 2 => s g.
have two (F : bool -> R) : \sum_(i : bool) F i = F true + F false by rewrite big_bool.
have mg : mean predT s g = q by rewrite /mean two /s /g; ring.
rewrite /third_moment /mean two -/(mean predT s g) mg /s /g.
have -> : q * ((1 - q) * ((1 - q) * (1 - q))) + (1 - q) * ((0 - q) * ((0 - q) * (0 - q))) =
  q * (1 - q) * (1 - 2 * q) by ring.
have -> : q * (1 - q) * (1 - 2 * q) = / sqrt 3 * (1 - / (sqrt 3 * sqrt 3)) / 4 by rewrite /q; field; lra.
by rewrite r2; field; lra.
Qed.
