(* MirrorSoftHeights: what T17's conditions at heights take for P <= 2 (MIRROR.md section 11), as a method: how far
   points go and what steps cost from MirrorSoftChecks.v, and what the ray's offset costs. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm PowerInequalities UniformConvexity Direction
                           Growth Gibbs FactorRange Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary NormChecks NormDistanceChecks IntervalTables AttentionIntervals
                           ReferenceIntervals Replay ForeverChecks LocalFactors Mirror PowerGap MirrorRay MirrorMoves
                           MirrorCurve MirrorEntries MirrorBend MirrorRegion MirrorRun MirrorHeights MirrorPieces
                           MirrorPiecesBelowTwo MirrorCosts PowerIntervals MirrorReplay MirrorRunChecks MirrorFactors
                           MirrorTables MirrorSetting MirrorMethods
                           MirrorSoftChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section SoftHeights.
Variables (N : number) (D : token_data N) (P : Z) (a c : positive) (s : mirror_setting N).
Notation vector := (vec (coord (problem D))).

Definition soft_method : piece_method N := PieceMethod (soft_part D P a c s) (soft_last D P a c s) (soft_price P a c s)
  (soft_last_price P a c s) (c, (a - c)%positive) ((Zpos c - Zpos a)%Z, c)
  (fun ys zetas _ => soft_offset P a c s ys zetas).

Hypotheses (ca : (c < a)%positive) (ac2 : (a <= 2 * c)%positive).
Let p := exponent a c.
Let q := exponent a (a - c).
Let p1 : 1 < p := exponent_gt1 ca.
Let p2 : p <= 2 := exponent_le_two ac2.
Let conj : / p + / q = 1 := exponent_conjugate ca.
Let q1 : 1 < q := conjugate_gt1 p1 conj.
Variables (first : interval N) (heights slopes : seq (fraction N)) (normalised : bool).
Variables (Q : pred (token (problem D))) (Delta : token (problem D) -> vector) (u v : vector) (gamma : R).
Variables (mu : token (problem D) -> R) (b : vector -> token (problem D) -> R) (f : factor_bounds (token (problem D))).
Variables (beta G longest spread lost eta h0 : R) (low : token (problem D) -> R).
Hypothesis known : mirror_known a c s first Q Delta u v gamma mu b f beta G longest spread lost eta h0 low.
Hypothesis lost_le : forall y, centre_cost p q u v y <= lost.
Let dir := known_direction known.
Let setting := known_setting known.

Let clock : exponent c (a - c) = q - 1. Proof. by rewrite /q (dual_power ca). Qed.
Let lost0 : 0 <= lost. Proof. by apply: Rle_trans (lost_le 0); exact: centre_cost_ge0. Qed.

Theorem soft_method_sound : method_sound a c heights slopes normalised Q Delta u v gamma mu b f G eta h0 low soft_method
  (fun share steep flat k d_ w => priced_below_two p q u v gamma (size heights) (height_at heights h0)
    (slope_real slopes) share flat longest spread lost k d_).
Proof.
have powers := conjugate_powers p1 conj; have q2 : 2 <= q by nra.
split=> [| | | share steep flat k m_ EI yI zI rhoI rho lI len wI w ok_ kK rays ec yc zc rc rho0 lc wc
  | shI share stI steep m_ flat yI hI rhoI rho lI len wI w ok_ shc stc yc hc rays rc rho0 lc wc
  | share steep flat E ys zetas hI ok_ level yin zin hc | D_ share steep flat energy bend].
- have falls : quotient (Zpos c - Zpos a) c = 1 - p.
    by rewrite /quotient minus_IZR /p /exponent; have := positive_gt0 c => c0; field; lra.
  split; [change (1 <= exponent c (a - c)) | change ((p - 1) * exponent c (a - c) <= p) |
    change (quotient (Zpos c - Zpos a) c = (p - 1) * exponent c (a - c) - p)]; rewrite clock ?falls ?powers; lra.
- exact: (soft_part_sound ca ac2 setting dir (known_centred known) (known_curve known)).
- rewrite /soft_method /= clock.
  exact: (soft_last_sound ca ac2 setting dir (known_centred known) (known_curve known)).
- have cc := curve_contains P ca lc (step_norm_contains P setting zc ec).
  set curve := step_curve _ len _ in cc.
  exists (Rmin (plain_cost longest curve rho) (fine_cost gamma longest spread curve rho)).
    exact (imin_contains P (plain_contains P setting cc rc) (fine_contains P setting cc rc)).
  move=> d_ lenE rhoE costE; rewrite /priced_below_two kK costE lenE rhoE -clock -/curve.
  set x := plain_cost longest curve rho; set y := fine_cost gamma longest spread curve rho.
  by case: (Rle_lt_dec x y) => h; [left; rewrite Rmin_left | right; rewrite Rmin_right]; try lra; right.
- have zq : contains (imagnitude P c (a - c) hI) (abs_power (end_height p (size heights) (height_at heights h0) flat)
    (q - 1)).
    by rewrite -clock; exact: imagnitude_contains.
  have cc := curve_contains P ca lc (step_norm_contains P setting hc (imul_contains P shc zq)).
  set curve := step_curve _ len _ in cc.
  exists (plain_cost longest curve rho); first exact (plain_contains P setting cc rc).
  by move=> d_ lenE rhoE costE; rewrite /priced_below_two ltnn costE lenE rhoE; right.
- have [Y_gt0 Y_rises zeta0 slopes_ge0] := ok_; have zc := zin 0%nat (leq0n _).
  exists (lost / abs_power (ray_height p u v h0) (q - 1)).
    by apply: idiv_contains; [exact: lost_contains setting | rewrite -clock; exact: imagnitude_contains].
  have z0 : 0 < abs_power (ray_height p u v h0) (q - 1).
    by apply: abs_power_gt0; exact: Rgt_not_eq zeta0.
  split; first by apply: Rmult_le_pos lost0 _; apply/Rlt_le/Rinv_0_lt_compat.
  move=> y le; apply: Rle_trans (lost_le y) _; rewrite /soft_method /= clock.
  have up : abs_power (ray_height p u v h0) (q - 1) <= abs_power (ray_height p u v y) (q - 1).
    by apply: abs_power_le; [lra | split; [exact: Rlt_le zeta0 | exact: (ray_height_rises u v p1 conj le)]].
  have i0 := Rinv_0_lt_compat _ z0; have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ lost0 (Rlt_le _ _ i0)) up.
  have -> : lost * / abs_power (ray_height p u v h0) (q - 1) * abs_power (ray_height p u v h0) (q - 1) = lost.
    by field; exact: Rgt_not_eq z0.
  by [].
change (exponent (method_power soft_method).1 (method_power soft_method).2) with (exponent c (a - c)).
rewrite clock => k_ at_ near_ ok_ level shape ratio_le last0 length0 lengths weight0 weights priced.
have [Y_gt0 Y_rises zeta0 slopes_ge0] := ok_.
move=> y z tau; exact: (pieces_costs_below_two p1 p2 conj dir (known_range known) Y_gt0 Y_rises zeta0 slopes_ge0 level
  shape ratio_le last0 length0 lengths (known_longest known) (known_spread known) (fun y _ => lost_le y) priced).
Qed.
End SoftHeights.
