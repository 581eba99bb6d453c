(* Number: exact arithmetic that the verified checker computes with, as a record of operations with their meaning in R.

   The checker is written once over this record. It runs with Z (extracted to OCaml's Zarith) and with Bignums' BigZ
   (inside Coq, by vm_compute). Only the direction that soundness needs is stated for comparisons: an answer "true" is
   never wrong. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Bignums Require Import BigZ.
From Attest Require Import Euclid.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Record number := Number {
  carrier :> Type;
  real : carrier -> R;
  zero : carrier;
  one : carrier;
  add : carrier -> carrier -> carrier;
  sub : carrier -> carrier -> carrier;
  mul : carrier -> carrier -> carrier;
  le : carrier -> carrier -> bool;
  lt : carrier -> carrier -> bool;
  same : carrier -> carrier -> bool;
  quotient : carrier -> carrier -> carrier;   (* a guess: nothing is assumed of it *)
  root : carrier -> carrier;                  (* a guess of the square root *)
  real0 : real zero = 0;
  real1 : real one = 1;
  realD : forall a b, real (add a b) = real a + real b;
  realB : forall a b, real (sub a b) = real a - real b;
  realM : forall a b, real (mul a b) = real a * real b;
  le_real : forall a b, le a b -> real a <= real b;
  lt_real : forall a b, lt a b -> real a < real b;
  same_real : forall a b, same a b -> real a = real b
}.

Arguments real {n} _.
Arguments zero {n}.
Arguments one {n}.
Arguments add {n} _ _.
Arguments sub {n} _ _.
Arguments mul {n} _ _.
Arguments le {n} _ _.
Arguments lt {n} _ _.
Arguments same {n} _ _.
Arguments quotient {n} _ _.
Arguments root {n} _.

(* ---- the integers ---- *)

Lemma Z_le_real a b : Z.leb a b -> IZR a <= IZR b.
Proof. by move/Z.leb_le/IZR_le. Qed.

Lemma Z_lt_real a b : Z.ltb a b -> IZR a < IZR b.
Proof. by move/Z.ltb_lt/IZR_lt. Qed.

Lemma Z_same_real a b : Z.eqb a b -> IZR a = IZR b.
Proof. by move/Z.eqb_eq ->. Qed.

Definition integers : number :=
  @Number Z IZR 0%Z 1%Z Z.add Z.sub Z.mul Z.leb Z.ltb Z.eqb Z.div Z.sqrt
    (erefl _) (erefl _) plus_IZR minus_IZR mult_IZR Z_le_real Z_lt_real Z_same_real.

(* ---- machine-word big integers ---- *)

Definition bigZ_real (a : BigZ.t) : R := IZR (BigZ.to_Z a).

Lemma bigZ_0 : bigZ_real BigZ.zero = 0. Proof. by rewrite /bigZ_real BigZ.spec_0. Qed.
Lemma bigZ_1 : bigZ_real BigZ.one = 1. Proof. by rewrite /bigZ_real BigZ.spec_1. Qed.
Lemma bigZ_D a b : bigZ_real (BigZ.add a b) = bigZ_real a + bigZ_real b.
Proof. by rewrite /bigZ_real BigZ.spec_add plus_IZR. Qed.
Lemma bigZ_B a b : bigZ_real (BigZ.sub a b) = bigZ_real a - bigZ_real b.
Proof. by rewrite /bigZ_real BigZ.spec_sub minus_IZR. Qed.
Lemma bigZ_M a b : bigZ_real (BigZ.mul a b) = bigZ_real a * bigZ_real b.
Proof. by rewrite /bigZ_real BigZ.spec_mul mult_IZR. Qed.
Lemma bigZ_le a b : BigZ.leb a b -> bigZ_real a <= bigZ_real b.
Proof. by rewrite BigZ.spec_leb => /Z_le_real. Qed.
Lemma bigZ_lt a b : BigZ.ltb a b -> bigZ_real a < bigZ_real b.
Proof. by rewrite BigZ.spec_ltb => /Z_lt_real. Qed.
Lemma bigZ_same a b : BigZ.eqb a b -> bigZ_real a = bigZ_real b.
Proof. by rewrite BigZ.spec_eqb => /Z_same_real. Qed.

Definition big_integers : number :=
  @Number BigZ.t bigZ_real BigZ.zero BigZ.one BigZ.add BigZ.sub BigZ.mul BigZ.leb BigZ.ltb BigZ.eqb BigZ.div BigZ.sqrt
    bigZ_0 bigZ_1 bigZ_D bigZ_B bigZ_M bigZ_le bigZ_lt bigZ_same.

(* ---- derived operations ---- *)

Section Derived.
Variable N : number.
Implicit Types a b : N.

Definition opp a : N := sub zero a.
Definition two : N := add one one.

Lemma realN a : real (opp a) = - real a.
Proof. by rewrite /opp realB real0; ring. Qed.

Lemma real2 : real (two) = 2.
Proof. by rewrite /two realD real1; ring. Qed.
End Derived.
Arguments two {N}.
