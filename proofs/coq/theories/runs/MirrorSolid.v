(* MirrorSolid: Lemmas 5 (b) and 6 of MIRROR.md. For p >= 2 a step's own curvature is paid, entry by entry, by the gap
   to the ray where w's entry is much smaller than the ray's, and is smooth where it is not. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity Mirror PowerGap
                           MirrorMoves MirrorEntries MirrorBend MirrorFirm.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- Lemma 5 (b) ---- *)

Section Smooth.
Variable q : R.
Hypotheses (q1 : 1 < q) (q2 : q <= 2).
Notation g x := (signed_power x (q - 1)).
Notation two := (abs_power 2 (2 - q)).

(* The chord of a falling power between 1/2 and 1. *)
Lemma falling_chord r : 0 <= r <= / 2 -> abs_power (1 - r) (q - 2) <= 1 + 2 * (two - 1) * r.
Proof.
move=> [r0 r1]; set X := abs_power (1 - r) (q - 2).
have T1 := @falling_tangent (1 - r) 1 (q - 2) ltac:(lra) ltac:(lra) ltac:(lra).
have T2 := @falling_tangent (1 - r) (/ 2) (q - 2) ltac:(lra) ltac:(lra) ltac:(lra).
have half : abs_power (/ 2) (q - 2) = two.
  rewrite !abs_power_pos; try lra; rewrite /Rpower ln_Rinv; last lra.
  by congr exp; ring.
rewrite abs_power_one half -/X in T1 T2.
have := Rmult_le_compat_l (1 - 2 * r) _ _ ltac:(lra) T1; have := Rmult_le_compat_l (2 * r) _ _ ltac:(lra) T2; lra.
Qed.

Lemma two_ge1 : 1 <= two.
Proof. by have := @abs_power_le 1 2 (2 - q) ltac:(lra) ltac:(lra); rewrite abs_power_one. Qed.

(* How much the gradient falls over s from z on. *)
Lemma gradient_falls z s : 0 < z -> 0 <= s <= z / 2 ->
  abs_power z (q - 1) - abs_power (z - s) (q - 1) <= (q - 1) * abs_power z (q - 2) * (s + (two - 1) * (s * s) / z).
Proof.
move=> z0 [s0 sz]; set k := (q - 1) * abs_power z (q - 2).
pose F t := k * (t + (two - 1) * (t * t) / z) + abs_power (z - t) (q - 1).
pose dF t := k * (1 + 2 * (two - 1) * (t / z)) - (q - 1) * abs_power (z - t) (q - 2).
have D t : 0 <= t <= s -> is_derive F t (dF t).
  move=> [t0 ts]; have zt : 0 < z - t by lra.
  have in_z : is_derive (fun s => z - s) t (- 1) by auto_derive => //; ring.
  have D1 := is_derive_comp (fun y => abs_power y (q - 1)) (fun s => z - s) t _ _
    (is_derive_positive_power (q - 1) zt) in_z.
  have D2 : is_derive (fun t => k * (t + (two - 1) * (t * t) / z)) t (k * (1 + 2 * (two - 1) * (t / z))).
    by auto_derive => //; field; lra.
  apply: is_derive_ext_eq (is_derive_plus _ _ t _ _ D2 D1).
  by rewrite /plus /scal /= /mult /= /dF; have -> : q - 1 - 1 = q - 2 by [ring]; ring.
have pos t : 0 <= t <= s -> 0 <= dF t.
  move=> [t0 ts]; have r01 : 0 <= t / z <= / 2.
    split; first by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
    by apply: (Rmult_le_reg_r z) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
  have ch := falling_chord r01; have A0 := abs_power_ge0 z (q - 2).
  have := Rmult_le_compat_l _ _ _ A0 ch; rewrite -abs_power_mult.
  have -> : z * (1 - t / z) = z - t by field; lra.
  by move/(Rmult_le_compat_l (q - 1) _ _ ltac:(lra)); rewrite /dF /k; lra.
have := nondecreasing_from0 D pos (s := s) ltac:(lra); rewrite /F /k Rminus_0_r.
have -> : 0 + (two - 1) * (0 * 0) / z = 0 by field; lra.
lra.
Qed.

Theorem smooth_curvature z x : 2 * Rabs x <= Rabs z ->
  power_gap q z (z + x) <= (q - 1) / 2 * (abs_power z (q - 2) * ((2 + two) / 3)) * (x * x).
Proof.
have k1 := two_ge1; have xx := Rle_0_sqr x; rewrite /Rsqr in xx.
case: (Req_EM_T z 0) => [-> | zn].
  by rewrite Rabs_R0 => h; have := Rabs_pos x; have : x = 0; [apply: Rabs_eq_0; have := Rabs_pos x; lra | move=> -> _;
    rewrite Rplus_0_r abs_power0 /power_gap; lra].
suff pos y s : 0 < y -> 2 * Rabs s <= y ->
    power_gap q y (y + s) <= (q - 1) / 2 * (abs_power y (q - 2) * ((2 + two) / 3)) * (s * s).
  move=> le; case: (Rle_lt_dec 0 z) => z0; first by apply: pos; [lra | rewrite -(Rabs_pos_eq z)].
  have := pos (- z) (- x) ltac:(lra) ltac:(rewrite Rabs_Ropp -(Rabs_left z) //).
  have -> : - z + - x = - (z + x) by ring.
  by rewrite power_gapN -(abs_power_abs (- z)) Rabs_Ropp abs_power_abs Rmult_opp_opp.
move=> y0 le; set A := (q - 1) * abs_power y (q - 2).
have A0 : 0 <= A by apply: Rmult_le_pos (abs_power_ge0 _ _); lra.
have ss := Rle_0_sqr s; rewrite /Rsqr in ss.
have target b : b <= (2 + two) / 6 * (A * (s * s)) ->
    b <= (q - 1) / 2 * (abs_power y (q - 2) * ((2 + two) / 3)) * (s * s) by rewrite /A; lra.
apply: target; case: (Rle_lt_dec 0 s) => s0.
  have := @power_gap_le q q1 (fun t => A / 2 * (t * t)) (fun t => A * t) y s s0 ltac:(cbv beta; ring)
    (fun t _ => ltac:(by auto_derive => //; field)).
  move=> H; apply: (Rle_trans _ (A / 2 * (s * s))); last first.
    by have := Rmult_le_compat_r (A * (s * s)) _ _ (Rmult_le_pos _ _ A0 ss) k1; lra.
  apply: H => t [t0 _]; rewrite !signed_power_ge0; try lra.
  have z0 : 0 <= (y + t) / y by apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat].
  have := Rmult_le_compat_l _ _ _ (abs_power_ge0 y (q - 1)) (@bernoulli_concave _ (q - 1) z0 ltac:(lra)).
  rewrite -abs_power_mult; have -> : y * ((y + t) / y) = y + t by field; lra.
  have E : abs_power y (q - 1) = abs_power y (q - 2) * y.
    by rewrite -{3}(abs_power1 (Rlt_le _ _ y0)) abs_power_plus //; congr abs_power; ring.
  have -> : abs_power y (q - 1) * (1 + (q - 1) * ((y + t) / y - 1)) =
      abs_power y (q - 1) + (q - 1) * (abs_power y (q - 1) / y) * t by field; lra.
  have -> : abs_power y (q - 1) / y = abs_power y (q - 2) by rewrite E; field; lra.
  by rewrite /A; lra.
pose n := - s; have n0 : 0 < n by rewrite /n; lra.
have nz : n <= y / 2 by move: le; rewrite Rabs_left // /n; lra.
have -> : s = - n by rewrite /n; ring.
rewrite -(power_gapN q y) Rmult_opp_opp.
have -> : - (y + - n) = - y + n by ring.
have := @power_gap_le q q1 (fun t => A * (t * t / 2 + (two - 1) * (t * t * t) / (3 * y)))
  (fun t => A * (t + (two - 1) * (t * t) / y)) (- y) n (Rlt_le _ _ n0) ltac:(cbv beta; field; lra)
  (fun t _ => ltac:(by auto_derive => //; field; lra)).
move=> H; apply: (Rle_trans _ (A * (n * n / 2 + (two - 1) * (n * n * n) / (3 * y)))).
  apply: H => t [t0 tn]; rewrite !signed_power_le0; try lra; rewrite Ropp_involutive.
  have -> : - (- y + t) = y - t by ring.
  have := @gradient_falls y t y0 ltac:(lra); rewrite -/A; lra.
have r : n / y <= / 2.
  by apply: (Rmult_le_reg_r y) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
have nn : 0 <= A * (n * n) by apply: Rmult_le_pos A0 (Rle_0_sqr n).
have -> : A * (n * n / 2 + (two - 1) * (n * n * n) / (3 * y)) =
  A * (n * n) / 2 + (two - 1) / 3 * (A * (n * n)) * (n / y) by field; lra.
have := Rmult_le_compat_l ((two - 1) / 3 * (A * (n * n))) _ _ ltac:(by apply: Rmult_le_pos => //; lra) r; lra.
Qed.
End Smooth.

(* ---- Lemma 6 ---- *)

Section Solid.
Variables (J : finType) (p q : R) (a z v x : vec J) (E theta Lambda T share : R) (solid : pred J).
Hypotheses (p1 : 1 < p) (p2 : 2 <= p) (conj : / p + / q = 1).
Let q1 : 1 < q := conjugate_gt1 p1 conj.
Notation w := (mirror q z).
Notation two := (abs_power 2 (2 - q)).
Notation rough := (two / q).
Definition shrunk_gap : R := power_gap p theta 1.                             (* d_theta *)
Definition solid_weight (j : J) : R :=                                        (* k_j *)
  (q - 1) / 2 * (abs_power (theta * a j) (2 - p) * ((2 + two) / 3)).

Hypotheses (theta01 : 0 < theta <= 1) (Lambda0 : 0 <= Lambda) (share_le : 0 <= share <= T).
Hypothesis sizes : forall j, Rabs (v j) <= share * x j.   (* share is tau Om *)
Hypothesis allowed : mirror_gap p q a z <= E.
Hypothesis solid_ok : forall j, solid j -> [/\ a j <> 0, 0 <= x j,
  rough * (abs_power T (q - 1) * abs_power (x j) q) <= Lambda * (shrunk_gap * abs_power (a j) p) &
  2 * (T * x j) <= abs_power (theta * a j) (p - 1)].

Let q2 : q <= 2. Proof. by have := conjugate_powers p1 conj; nra. Qed.
Let zE : z = mirror p w.
Proof. by rewrite (mirror_inverse q1) // Rplus_comm. Qed.

(* A point much smaller than a is far from it. *)
Lemma shrunk_far b y : b <> 0 -> Rabs y <= theta * Rabs b -> shrunk_gap * abs_power b p <= power_gap p y b.
Proof.
move=> b0 small; suff pos c s : 0 < c -> Rabs s <= theta * c -> shrunk_gap * abs_power c p <= power_gap p s c.
  case: (Rle_lt_dec 0 b) => bs; first by apply: pos; [lra | rewrite (Rabs_pos_eq b) in small].
  have := pos (- b) (- y) ltac:(lra) ltac:(rewrite Rabs_Ropp; rewrite (Rabs_left b bs) in small; lra).
  by rewrite power_gapN -(abs_power_abs (- b)) Rabs_Ropp abs_power_abs.
move=> c0 le; have -> : s = c * (s / c) by field; lra.
rewrite gap_scale // Rmult_comm; apply: Rmult_le_compat_l (abs_power_ge0 _ _) _.
set r := s / c; have r1 : r <= theta.
  apply: (Rmult_le_reg_r c) => //; rewrite /r /Rdiv Rmult_assoc Rinv_l; last lra.
  by have := Rle_abs s; lra.
rewrite /shrunk_gap; case: (Req_EM_T r 1) => [r1' | ne].
  have -> : theta = 1 by lra.
  by rewrite r1'; right.
have t01 : 0 <= (1 - theta) / (1 - r) <= 1.
  split; first by apply: Rmult_le_pos; [lra | apply/Rlt_le/Rinv_0_lt_compat; lra].
  by apply: (Rmult_le_reg_r (1 - r)); [lra | rewrite /Rdiv Rmult_assoc Rinv_l; lra].
have := @gap_shrinks p p1 1 r _ t01.
by have -> : 1 + (1 - theta) / (1 - r) * (r - 1) = theta by field; lra.
Qed.

Lemma solid_entry j : solid j -> power_gap q (z j) (z j + v j) <=
  share * Lambda * power_gap p (w j) (a j) + solid_weight j * (v j * v j).
Proof.
move=> /solid_ok[an x0 paid steep]; have vx := sizes j; have G0 := power_gap_ge0 p1 (w j) (a j).
have v0 := Rle_0_sqr (v j); rewrite /Rsqr in v0.
have ta : 0 < Rabs (theta * a j).
  apply: Rabs_pos_lt; have := theta01 => th; apply: Rmult_integral_contrapositive_currified; lra.
have zw : Rabs (z j) = abs_power (w j) (p - 1) by rewrite {1}zE /mirror signed_power_abs.
have W0 : 0 <= solid_weight j.
  apply: Rmult_le_pos; first lra.
  by apply: Rmult_le_pos; [exact: abs_power_ge0 | have := abs_power_ge0 2 (2 - q); lra].
case: (Rle_lt_dec (Rabs (theta * a j)) (Rabs (w j))) => near; last first.
  have far := shrunk_far (y := w j) an ltac:(move: near; rewrite Rabs_mult (Rabs_pos_eq theta); lra).
  have rough0 : 0 <= rough.
    by apply: Rmult_le_pos (abs_power_ge0 _ _) _; apply/Rlt_le/Rinv_0_lt_compat; lra.
  have cost := @power_gap_above q q1 (z j) (z j + v j) q2.
  have {}cost : power_gap q (z j) (z j + v j) <= rough * abs_power (v j) q.
    by move: cost; have -> : z j + v j - z j = v j by [ring]; rewrite /Rdiv; lra.
  have size : abs_power (v j) q <= share * (abs_power T (q - 1) * abs_power (x j) q).
    rewrite -abs_power_abs; have := @abs_power_le (Rabs (v j)) (share * x j) q ltac:(lra) (Logic.conj (Rabs_pos _) vx).
    move=> H; apply: Rle_trans H _; rewrite abs_power_mult.
    have X0 := abs_power_ge0 (x j) q.
    case: (Req_EM_T share 0) => [-> | sn]; first by rewrite abs_power0; lra.
    have s0 : 0 < share by lra.
    have -> : abs_power share q = share * abs_power share (q - 1).
      by rewrite -(abs_power_step q) ?Rabs_pos_eq; [ring | lra | lra].
    rewrite Rmult_assoc; apply: Rmult_le_compat_l; first lra.
    by apply: Rmult_le_compat_r X0 _; apply: abs_power_le; lra.
  have := Rmult_le_compat_l _ _ _ rough0 size; have := Rmult_le_compat_l share _ _ ltac:(lra) paid.
  have := Rmult_le_compat_l (share * Lambda) _ _ ltac:(apply: Rmult_le_pos; lra) far.
  by have := Rmult_le_pos _ _ W0 v0; lra.
have big : abs_power (theta * a j) (p - 1) <= Rabs (z j).
  by rewrite zw -(abs_power_abs (theta * a j)) -(abs_power_abs (w j)); apply: abs_power_le; lra.
have room : 2 * Rabs (v j) <= Rabs (z j).
  have := Rmult_le_compat_r (x j) share T x0 ltac:(lra); lra.
have smooth := smooth_curvature q1 q2 room.
have fall : abs_power (z j) (q - 2) <= abs_power (theta * a j) (2 - p).
  have pos : 0 < abs_power (theta * a j) (p - 1) by rewrite -abs_power_abs; apply: abs_power_gt0; lra.
  rewrite -(abs_power_abs (z j)); apply: Rle_trans (abs_power_falls _ (Logic.conj pos big)) _; first lra.
  rewrite abs_power_comp; right; congr abs_power; have := conjugate_powers p1 conj; lra.
have k0 : 0 <= (2 + two) / 3 by have := abs_power_ge0 2 (2 - q); lra.
have := Rmult_le_compat_r _ _ _ v0 (Rmult_le_compat_l ((q - 1) / 2) _ _ ltac:(lra) (Rmult_le_compat_r _ _ _ k0 fall)).
have := Rmult_le_pos (share * Lambda) _ ltac:(apply: Rmult_le_pos; lra) G0.
by rewrite /solid_weight; lra.
Qed.

Theorem solid_curvature : dual_divergence q w z (z + v)%V <= share * Lambda * E +
  (\sum_(j | solid j) solid_weight j * (v j * v j)) + rough * (\sum_(j | ~~ solid j) abs_power (v j) q).
Proof.
have E0 := Rmult_le_compat_l (share * Lambda) _ _ ltac:(apply: Rmult_le_pos; lra) allowed.
suff : dual_divergence q w z (z + v)%V <= share * Lambda * mirror_gap p q a z +
  (\sum_(j | solid j) solid_weight j * (v j * v j)) + rough * (\sum_(j | ~~ solid j) abs_power (v j) q) by lra.
have -> : mirror_gap p q a z = \sum_j power_gap p (w j) (a j) by rewrite {1}zE (mirror_gap_sum p1 conj).
rewrite divergence_sum (bigID solid) /= [\sum_j power_gap p _ _](bigID solid) /= Rmult_plus_distr_l.
have first : \sum_(j | solid j) power_gap q (z j) ((z + v)%V j) <=
    share * Lambda * (\sum_(j | solid j) power_gap p (w j) (a j)) + \sum_(j | solid j) solid_weight j * (v j * v j).
  by rewrite sum_mull -sumD; apply: sum_le => j; exact: solid_entry.
have rest : \sum_(j | ~~ solid j) power_gap q (z j) ((z + v)%V j) <= rough * (\sum_(j | ~~ solid j) abs_power (v j) q).
  rewrite sum_mull; apply: sum_le => j _; have := @power_gap_above q q1 (z j) ((z + v)%V j) q2; rewrite /vadd.
  by have -> : z j + v j - z j = v j by [ring]; rewrite /Rdiv; lra.
have G0 : 0 <= \sum_(j | ~~ solid j) power_gap p (w j) (a j) by apply: sum_ge0 => j _; exact: power_gap_ge0.
have := Rmult_le_pos (share * Lambda) _ ltac:(apply: Rmult_le_pos; lra) G0.
lra.
Qed.
End Solid.
