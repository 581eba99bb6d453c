(* MirrorBendFactor: the factor B of Lemma 4 (MIRROR.md section 5, and 13 for P > 2), in intervals. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import EntrywiseDuality DualNorm PowerInequalities UniformConvexity Number Rows MarginChecks
                           Interval Elementary NormChecks ForeverChecks Mirror MirrorBend PowerIntervals
                           MirrorReplay MirrorRunChecks MirrorTables MirrorSetting.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section BendFactor.
Variables (N : number) (P : Z) (a c : positive).
Notation interval := (interval N).

(* B of Lemma 4, times P - 1: the least k/64 that it allows, or 1. *)
Definition sixty_fourths (k : nat) : interval := idiv P (exactly (of_natural N k)) (from_positive N 64).
Definition bend_allows (k : nat) : bool :=
  let beta := sixty_fourths k in
  let most := imul P (over N P a c) (isub P (interval2 N) (over N P a c)) in
  certainly_le beta (interval1 N) && certainly_le (imul P most (iadd P (interval1 N)
    (imagnitude P c (2 * c - a) (isub P (interval1 N) beta)))) beta.
Definition bend_numerator : nat :=
  if Pos.eqb a (2 * c) then 0%nat else head 64%nat [seq k <- seq.iota 1 63 | bend_allows k].
Definition up_to_two : bool := Pos.leb a (2 * c).   (* P <= 2 *)
Definition bend_factor_in : interval :=
  if up_to_two then sixty_fourths bend_numerator
  else idiv P (interval1 N) (iadd P (interval1 N)
    (imul P (isub P (interval1 N) (over N P c a)) (imagnitude P c (a - 2 * c) (p1_in N P a c)))).

(* ---- soundness ---- *)

Hypothesis ca : (c < a)%positive.
Let p := exponent a c.
Let p1 : 1 < p := exponent_gt1 ca.
Let below_two : up_to_two -> (a <= 2 * c)%positive. Proof. by move/Pos.leb_le. Qed.
Let above_two : up_to_two = false -> (2 * c < a)%positive. Proof. by move/Pos.leb_gt. Qed.

Definition beta_of : R :=
  if up_to_two then INR bend_numerator / 64 else / (1 + (1 - / p) * abs_power (p - 1) (/ (p - 2))).

Lemma sixty_fourths_contains k : contains (sixty_fourths k) (INR k / 64).
Proof.
rewrite -(of_natural_real N); apply: idiv_contains; first exact: exactly_contains.
by have := exactly_contains (of_positive N 64); rewrite of_positive_real.
Qed.

Lemma bend_factor_contains : contains bend_factor_in beta_of.
Proof.
rewrite /bend_factor_in /beta_of; case steep: up_to_two; first exact: sixty_fourths_contains.
have ac2 := above_two steep; rewrite -[/ (1 + _)]Rmult_1_l.
apply: idiv_contains; first exact: contains1.
apply: iadd_contains; first exact: contains1.
have two_c : / (p - 2) = exponent c (a - 2 * c).
  rewrite /exponent Pos2Z.inj_sub // minus_IZR Pos2Z.inj_mul mult_IZR /p /exponent; have := positive_gt0 c => c0.
  have : 2 * IZR (Zpos c) < IZR (Zpos a) by rewrite -mult_IZR; apply: IZR_lt; lia.
  by move=> H; field; lra.
apply: imul_contains; last by rewrite two_c; apply: imagnitude_contains; exact: p1_contains.
apply: isub_contains; first exact: contains1.
by rewrite /p exponent_inverse; exact: over_contains.
Qed.

Lemma beta_factor : curve_factor p beta_of.
Proof.
rewrite /beta_of; case gentle: up_to_two; last exact: curve_factor_above_two p1 (exponent_gt_two (above_two gentle)).
have p2 : p <= 2 := exponent_le_two (below_two gentle); rewrite /bend_numerator; case: Pos.eqb_spec => [two | ne].
  have -> : INR 0 / 64 = 0 by rewrite /=; lra.
  apply: curve_factor_two => //; rewrite /p /exponent two Pos2Z.inj_mul mult_IZR.
  by have := positive_gt0 c => c0; field; lra.
have below : p < 2.
  have : p <> 2; last by case: p2 => // E ne2; case: ne2.
  move=> E; apply: ne; have := positive_gt0 c => c0.
  have : IZR (Zpos a) = IZR (2 * Zpos c) by rewrite mult_IZR -E /p /exponent; field; lra.
  by move/eq_IZR; lia.
case hit: [seq k <- seq.iota 1 63 | bend_allows k] => [|k ks]; rewrite [head _ _]/head.
  have -> : INR 64 / 64 = 1.
    have -> : INR 64 = IZR 64 by rewrite INR_IZR_INZ.
    by field.
  exact: curve_factor_one.
have : k \in [seq k <- seq.iota 1 63 | bend_allows k] by rewrite hit inE eqxx.
rewrite mem_filter => /andP[/andP[b1 bt] _]; have bc := sixty_fourths_contains k.
have b1' := certainly_le_real bc (contains1 N) b1.
have two_c : / (2 - p) = exponent c (2 * c - a).
  have lt : (a < 2 * c)%positive by have := below_two gentle; lia.
  rewrite /exponent Pos2Z.inj_sub // minus_IZR Pos2Z.inj_mul mult_IZR /p /exponent; have := positive_gt0 c => c0.
  have : IZR (Zpos a) < 2 * IZR (Zpos c) by rewrite -mult_IZR; apply: IZR_lt; lia.
  by move=> H; field; lra.
have pc : contains (imul P (over N P a c) (isub P (interval2 N) (over N P a c))) (p * (2 - p)).
  by apply: imul_contains; [exact: over_contains | apply: isub_contains; [exact: contains2 | exact: over_contains]].
have bt' : p * (2 - p) * (1 + abs_power (1 - INR k / 64) (/ (2 - p))) <= INR k / 64.
  apply: certainly_le_real bt => //; apply: imul_contains pc _; apply: iadd_contains; first exact: contains1.
  by rewrite two_c; apply: imagnitude_contains; apply: isub_contains => //; exact: contains1.
apply: curve_factor_below_two => //; apply: Rle_trans bt'.
have pp : 0 <= p * (2 - p) by apply: Rmult_le_pos; lra.
by have := Rmult_le_pos _ _ pp (abs_power_ge0 (1 - INR k / 64) (/ (2 - p))); lra.
Qed.
End BendFactor.
