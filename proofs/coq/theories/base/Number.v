(* Number: exact arithmetic that the verified checker computes with, as a record of operations with their meaning in
   R.

   The checker is written once over this record. It runs with Z (extracted to OCaml's Zarith) and with Bignums' BigZ
   (inside Coq, by vm_compute). Shifts by k bits mean multiplication by 2^k and division by it, rounded downwards, for
   k >= 0 only. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Bignums Require Import BigZ.
From Attest Require Import Euclid.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* 2^k for an integer k. *)
Definition power (k : Z) : R := powerRZ 2 k.

Record number := Number {
  carrier :> Type;
  real : carrier -> R;
  whole : carrier -> Z;                       (* the number itself; for proofs *)
  zero : carrier;
  one : carrier;
  add : carrier -> carrier -> carrier;
  sub : carrier -> carrier -> carrier;
  mul : carrier -> carrier -> carrier;
  le : carrier -> carrier -> bool;
  lt : carrier -> carrier -> bool;
  same : carrier -> carrier -> bool;
  quotient : carrier -> carrier -> carrier;   (* rounded downwards, when the divisor is positive *)
  root : carrier -> carrier;                  (* a guess of the square root: nothing is assumed of it *)
  shift_up : carrier -> Z -> carrier;
  shift_down : carrier -> Z -> carrier;
  bits : carrier -> Z;                        (* a guess: |a| < 2^(bits a), nothing is assumed of it *)
  real_whole : forall a, real a = IZR (whole a);
  real0 : real zero = 0;
  real1 : real one = 1;
  realD : forall a b, real (add a b) = real a + real b;
  realB : forall a b, real (sub a b) = real a - real b;
  realM : forall a b, real (mul a b) = real a * real b;
  le_real : forall a b, le a b -> real a <= real b;
  lt_real : forall a b, lt a b -> real a < real b;
  same_real : forall a b, same a b -> real a = real b;
  not_le_real : forall a b, ~~ le a b -> real b < real a;
  quotient_real : forall a b, 0 < real b ->
    real (quotient a b) * real b <= real a < (real (quotient a b) + 1) * real b;
  shift_up_real : forall a k, (0 <= k)%Z -> real (shift_up a k) = real a * power k;
  shift_down_real : forall a k, (0 <= k)%Z ->
    real (shift_down a k) * power k <= real a < (real (shift_down a k) + 1) * power k
}.

Arguments real {n} _.
Arguments whole {n} _.
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
Arguments shift_up {n} _ _%Z.
Arguments shift_down {n} _ _%Z.
Arguments bits {n} _.

(* ---- powers of two ---- *)

Lemma power_gt0 k : 0 < power k.
Proof. by apply: powerRZ_lt; lra. Qed.

Lemma power_add j k : power (j + k) = power j * power k.
Proof. by rewrite /power powerRZ_add //; lra. Qed.

Lemma power0 : power 0 = 1.
Proof. by []. Qed.

Lemma power_opp k : power (- k) = / power k.
Proof.
apply: (Rmult_eq_reg_r (power k)); last by have := power_gt0 k; lra.
by rewrite -power_add Z.add_opp_diag_l Rinv_l //; have := power_gt0 k; lra.
Qed.

Lemma IZR_power k : (0 <= k)%Z -> IZR (2 ^ k) = power k.
Proof.
case: k => [|p|p] k0 //.
by rewrite /power -Zpower_pos_powerRZ.
Qed.

(* ---- the integers ---- *)

Lemma Z_le_real a b : Z.leb a b -> IZR a <= IZR b.
Proof. by move/Z.leb_le/IZR_le. Qed.

Lemma Z_lt_real a b : Z.ltb a b -> IZR a < IZR b.
Proof. by move/Z.ltb_lt/IZR_lt. Qed.

Lemma Z_same_real a b : Z.eqb a b -> IZR a = IZR b.
Proof. by move/Z.eqb_eq ->. Qed.

Lemma Z_not_le_real a b : ~~ Z.leb a b -> IZR b < IZR a.
Proof. by move/negbTE/Z.leb_gt/IZR_lt. Qed.

Lemma Z_quotient_real a b : 0 < IZR b -> IZR (a / b) * IZR b <= IZR a < (IZR (a / b) + 1) * IZR b.
Proof.
move=> /lt_IZR b0; rewrite -plus_IZR -!mult_IZR.
by have := Z.div_mod a b; have := Z.mod_pos_bound a b b0; split; [apply: IZR_le | apply: IZR_lt]; lia.
Qed.

Lemma Z_shift_up_real a k : (0 <= k)%Z -> IZR (Z.shiftl a k) = IZR a * power k.
Proof. by move=> k0; rewrite Z.shiftl_mul_pow2 // mult_IZR IZR_power. Qed.

Lemma Z_shift_down_real a k : (0 <= k)%Z ->
  IZR (Z.shiftr a k) * power k <= IZR a < (IZR (Z.shiftr a k) + 1) * power k.
Proof.
move=> k0; rewrite Z.shiftr_div_pow2 // -IZR_power //; apply: Z_quotient_real.
by rewrite IZR_power //; exact: power_gt0.
Qed.

Definition Z_bits (a : Z) : Z := Z.succ (Z.log2 (Z.abs a)).

Definition integers : number :=
  @Number Z IZR (fun a => a) 0%Z 1%Z Z.add Z.sub Z.mul Z.leb Z.ltb Z.eqb Z.div Z.sqrt Z.shiftl Z.shiftr Z_bits
    (fun a => erefl (IZR a)) (erefl _) (erefl _) plus_IZR minus_IZR mult_IZR Z_le_real Z_lt_real Z_same_real
    Z_not_le_real Z_quotient_real Z_shift_up_real Z_shift_down_real.

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

Lemma bigZ_not_le a b : ~~ BigZ.leb a b -> bigZ_real b < bigZ_real a.
Proof. by rewrite BigZ.spec_leb => /Z_not_le_real. Qed.
Lemma bigZ_quotient a b : 0 < bigZ_real b ->
  bigZ_real (BigZ.div a b) * bigZ_real b <= bigZ_real a < (bigZ_real (BigZ.div a b) + 1) * bigZ_real b.
Proof. by rewrite /bigZ_real BigZ.spec_div => /Z_quotient_real. Qed.

Definition bigZ_shift_up (a : BigZ.t) (k : Z) : BigZ.t := BigZ.shiftl a (BigZ.of_Z k).
Definition bigZ_shift_down (a : BigZ.t) (k : Z) : BigZ.t := BigZ.shiftr a (BigZ.of_Z k).
Definition bigZ_bits (a : BigZ.t) : Z := Z.succ (BigZ.to_Z (BigZ.log2 (BigZ.abs a))).

Lemma bigZ_shift_up_real a k : (0 <= k)%Z -> bigZ_real (bigZ_shift_up a k) = bigZ_real a * power k.
Proof. by rewrite /bigZ_real BigZ.spec_shiftl BigZ.spec_of_Z; exact: Z_shift_up_real. Qed.
Lemma bigZ_shift_down_real a k : (0 <= k)%Z ->
  bigZ_real (bigZ_shift_down a k) * power k <= bigZ_real a < (bigZ_real (bigZ_shift_down a k) + 1) * power k.
Proof. by rewrite /bigZ_real BigZ.spec_shiftr BigZ.spec_of_Z; exact: Z_shift_down_real. Qed.

Definition big_integers : number :=
  @Number BigZ.t bigZ_real BigZ.to_Z BigZ.zero BigZ.one BigZ.add BigZ.sub BigZ.mul BigZ.leb BigZ.ltb BigZ.eqb
    BigZ.div BigZ.sqrt
    bigZ_shift_up bigZ_shift_down bigZ_bits (fun a => erefl (bigZ_real a)) bigZ_0 bigZ_1 bigZ_D bigZ_B bigZ_M bigZ_le
      bigZ_lt bigZ_same
    bigZ_not_le bigZ_quotient bigZ_shift_up_real bigZ_shift_down_real.

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
