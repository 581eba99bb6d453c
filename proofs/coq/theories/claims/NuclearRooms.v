(* NuclearRooms: the inequalities between rational numbers of the claim `norm-solution`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Number MarginChecks EnclosureChecks NearRankKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section NuclearRooms.
Variable N : number.
Notation over x := (0 < real (fraction_den (x : fraction N))).
Implicit Types (q : fraction N).

Definition no_more q q' : bool := le_fraction (fraction_num q) (fraction_den q) q'.
Definition fraction_lt q q' : bool :=
  lt (mul (fraction_num q) (fraction_den q')) (mul (fraction_num q') (fraction_den q)).
Definition unit_fraction : fraction N := Fraction one one.

Lemma over_product q q' : over q -> over q' -> over (product q q'). Proof. exact: over_gt0. Qed.
Lemma over_sum q q' : over q -> over q' -> over (fraction_sum q q'). Proof. exact: over_gt0. Qed.
Lemma over_difference q q' : over q -> over q' -> over (fraction_difference q q'). Proof. exact: over_gt0. Qed.
Lemma over_unit : over unit_fraction. Proof. by rewrite /= real1; lra. Qed.

Lemma no_more_sound q q' : over q -> over q' -> no_more q q' -> fraction_real q <= fraction_real q'.
Proof. by move=> q0 q0' H; exact: le_fraction_pos q0' q0 H. Qed.

Lemma fraction_lt_sound q q' : over q -> over q' -> fraction_lt q q' -> fraction_real q < fraction_real q'.
Proof.
move=> q0 q0' /lt_real; rewrite !realM /fraction_real => H.
apply: (Rmult_lt_reg_r (real (fraction_den q) * real (fraction_den q'))); first exact: Rmult_lt_0_compat.
have -> : real (fraction_num q) / real (fraction_den q) * (real (fraction_den q) * real (fraction_den q')) =
    real (fraction_num q) * real (fraction_den q') by field; lra.
by have -> : real (fraction_num q') / real (fraction_den q') * (real (fraction_den q) * real (fraction_den q')) =
    real (fraction_num q') * real (fraction_den q) by [field; lra].
Qed.

(* R (k + R) <= D, R^2 < G, c R < 1, h R < 1, U^2 (1 - T^2 (1 - c R)^2) < (1 - h R)^2 *)
Definition distance_room (radius factors distance : fraction N) : bool :=
  no_more (product radius (fraction_sum factors radius)) distance.
Definition columns_room (radius columns : fraction N) : bool := fraction_lt (square radius) columns.
Definition across_room (radius rows inverse dual slope : fraction N) : bool :=
  let turned := fraction_difference unit_fraction (product inverse radius) in
  let moved := fraction_difference unit_fraction (product rows radius) in
  [&& fraction_lt (product inverse radius) unit_fraction, fraction_lt (product rows radius) unit_fraction &
      fraction_lt (product (square dual) (fraction_difference unit_fraction (product (square slope) (square turned))))
        (square moved)].

Section Rooms.
Variables radius factors distance columns rows inverse dual slope : fraction N.
Hypotheses (R0 : over radius) (k0 : over factors) (D0 : over distance) (G0 : over columns) (h0 : over rows).
Hypotheses (c0 : over inverse) (U0 : over dual) (T0 : over slope).
Notation R := (fraction_real radius).
Notation k := (fraction_real factors).
Notation h := (fraction_real rows).
Notation c := (fraction_real inverse).
Notation U := (fraction_real dual).
Notation T := (fraction_real slope).

Lemma distance_room_sound : distance_room radius factors distance -> R * (k + R) <= fraction_real distance.
Proof.
have kR := over_sum k0 R0; move=> /(no_more_sound (over_product R0 kR) D0).
by rewrite product_value // sum_value.
Qed.

Lemma columns_room_sound : columns_room radius columns -> R * R < fraction_real columns.
Proof. by move=> /(fraction_lt_sound (over_product R0 R0) G0); rewrite product_value. Qed.

Lemma unit_fraction_real : fraction_real unit_fraction = 1.
Proof. by rewrite /fraction_real /= real1; field. Qed.

Lemma across_room_sound : across_room radius rows inverse dual slope ->
  [/\ c * R < 1, h * R < 1 & U * U * (1 - T * T * ((1 - c * R) * (1 - c * R))) < (1 - h * R) * (1 - h * R)].
Proof.
have cR := over_product c0 R0; have hR := over_product h0 R0; have one0 := over_unit.
have t0 := over_difference one0 cR; have m0 := over_difference one0 hR.
have TT := over_product T0 T0; have UU := over_product U0 U0; have tt := over_product t0 t0.
have st := over_product TT tt; have rest := over_difference one0 st.
move=> /and3P[/(fraction_lt_sound cR one0) A /(fraction_lt_sound hR one0) B].
move=> /(fraction_lt_sound (over_product UU rest) (over_product m0 m0)); move: A B.
rewrite /square !product_value // !fraction_difference_value // !product_value // !fraction_difference_value //.
by rewrite !product_value // unit_fraction_real.
Qed.
End Rooms.

(* (F + 2 h R^2)^2 <= R^2 S *)
Definition equations_room (radius rows residual smallest : fraction N) : bool :=
  no_more (square (fraction_sum residual (twice_fraction (product rows (square radius)))))
    (product (square radius) smallest).

Lemma equations_room_sound radius rows residual smallest :
  over radius -> over rows -> over residual -> over smallest ->
  0 < fraction_real radius -> 0 < fraction_real residual -> 0 < fraction_real smallest ->
  equations_room radius rows residual smallest ->
  let s := sqrt (fraction_real smallest) in
  2 * fraction_real rows * fraction_real radius < s /\
  fraction_real residual <= fraction_real radius * (s - 2 * fraction_real rows * fraction_real radius).
Proof.
move=> R0 h0 F0 S0 Rp Fp Sp; have RR := over_product R0 R0; have hR := over_product h0 RR.
have moves : over (twice_fraction (product rows (square radius))) by [].
have all := over_sum F0 moves; have side := over_product RR S0.
move=> /(no_more_sound (over_product all all) side).
rewrite /square !product_value // sum_value // doubled_value // !product_value //.
have ss := sqrt_sqrt _ (Rlt_le _ _ Sp); have sp := sqrt_pos (fraction_real smallest); rewrite -{1}ss.
move: (sqrt _) (fraction_real radius) (fraction_real rows) (fraction_real residual) sp Rp Fp {ss}.
move=> s R h F sp Rp Fp H /=; have Rs : F + 2 * (h * (R * R)) <= R * s.
  by apply: le_of_sqr_le; [apply: Rmult_le_pos; lra | lra].
by split; [apply: (Rmult_lt_reg_l R) => //; lra | lra].
Qed.
End NuclearRooms.
