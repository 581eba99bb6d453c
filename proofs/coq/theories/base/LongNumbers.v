(* LongNumbers: lists of machine words (LongIntegers.v) as the numbers of exported files.

   Quotients and roots are guessed by Bignums, of which nothing is assumed: a quotient is compared with what it shall
   be. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith DoubleType.
From Coq Require Uint63 Sint63.
From Bignums Require Import BigZ.
From Attest Require Import Euclid Number Entries Words LongIntegers.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope Z_scope.

Local Arguments Uint63.to_Z : simpl never.
Local Arguments Z.mul : simpl never.
Local Arguments Z.add : simpl never.
Local Arguments Z.opp : simpl never.

(* ---- guesses by Bignums ---- *)

Fixpoint count_words (a : long) : nat := if a is Word _ r then (count_words r).+1 else 0%nat.

Section Tree.
Variables (W : Set) (first : long -> W * long) (flat : W -> long -> long) (zeros_in : nat).

(* The next 2^n parts of a, and what is left. *)
Fixpoint word_tree (n : nat) (a : long) : DoubleType.word W n * long :=
  match n return DoubleType.word W n * long with
  | 0%nat => first a
  | m.+1 => let (lo, a') := word_tree m a in let (hi, a'') := word_tree m a' in (WW hi lo, a'')
  end.

Fixpoint flat_tree (n : nat) : DoubleType.word W n -> long -> long :=
  match n return DoubleType.word W n -> long -> long with
  | 0%nat => flat
  | m.+1 => fun (t : zn2z (DoubleType.word W m)) r => match t with
                       | W0 => put_zeros (zeros_in * 2 ^ n) r
                       | WW hi lo => @flat_tree m lo (@flat_tree m hi r)
                       end
  end.
End Tree.
Arguments flat_tree {W} _ _ _%nat _ _.

Definition first_word (a : long) : word * long := match a with Word w r => (w, r) | Sign s => (sign_word s, a) end.
Definition words_tree (n : nat) (a : long) : DoubleType.word word n := (word_tree first_word n a).1.
Definition flat_words (n : nat) (t : DoubleType.word word n) : long := flat_tree put 1%nat n t (Sign false).
Definition first_64 (a : long) : DoubleType.word word 6 * long := word_tree first_word 6 a.
Definition flat_64 (t : DoubleType.word word 6) (r : long) : long := flat_tree put 1%nat 6 t r.

Definition natural_of (a : long) : BigN.t :=
  let n := count_words a in
  if (n <= 1)%nat then BigN.N0 (words_tree 0 a) else
  if (n <= 2)%nat then BigN.N1 (words_tree 1 a) else
  if (n <= 4)%nat then BigN.N2 (words_tree 2 a) else
  if (n <= 8)%nat then BigN.N3 (words_tree 3 a) else
  if (n <= 16)%nat then BigN.N4 (words_tree 4 a) else
  if (n <= 32)%nat then BigN.N5 (words_tree 5 a) else
  if (n <= 64)%nat then BigN.N6 (words_tree 6 a) else
  let m := Nat.log2 ((n - 1) %/ 64) in BigN.Nn m (word_tree first_64 m.+1 a).1.

Definition long_of_natural (a : BigN.t) : long :=
  match a with
  | BigN.N0 t => @flat_words 0 t
  | BigN.N1 t => @flat_words 1 t
  | BigN.N2 t => @flat_words 2 t
  | BigN.N3 t => @flat_words 3 t
  | BigN.N4 t => @flat_words 4 t
  | BigN.N5 t => @flat_words 5 t
  | BigN.N6 t => @flat_words 6 t
  | BigN.Nn n t => flat_tree flat_64 64%nat n.+1 t (Sign false)
  end.

Definition is_negative (a : long) : bool := less false a (Sign false).
Definition to_bignum (a : long) : BigZ.t :=
  if is_negative a then BigZ.Neg (natural_of (opp_long a)) else BigZ.Pos (natural_of a).
Definition of_bignum (a : BigZ.t) : long :=
  match a with BigZ.Pos n => long_of_natural n | BigZ.Neg n => opp_long (long_of_natural n) end.

Definition root_long (a : long) : long := of_bignum (BigZ.sqrt (to_bignum a)).

Fixpoint bits_from (count : Z) (a : long) : Z :=
  match a with
  | Word w (Sign _) => count + 63 - Uint63.to_Z (Uint63.head0 w)
  | Word _ r => bits_from (count + 63) r
  | Sign _ => 1
  end.
Definition bits_long (a : long) : Z := bits_from 0 (if is_negative a then opp_long a else a).

(* ---- quotients ---- *)

Fixpoint long_of_positive (p : positive) : long :=
  match p with
  | xH => Word one_word (Sign false)
  | xO q => times_word (PrimInt63.add one_word one_word) no_word (long_of_positive q)
  | xI q => times_word (PrimInt63.add one_word one_word) one_word (long_of_positive q)
  end.
Definition long_of_integer (a : Z) : long :=
  match a with Z0 => Sign false | Zpos p => long_of_positive p | Zneg p => opp_long (long_of_positive p) end.

Lemma long_of_positive_value p : long_value (long_of_positive p) = Zpos p.
Proof.
elim: p => [p IH|p IH|] //; rewrite [long_of_positive _]/= times_word_value IH two_wordE ?one_wordE ?no_wordE; lia.
Qed.

Lemma long_of_integer_value a : long_value (long_of_integer a) = a.
Proof. by case: a => [|p|p] //; rewrite [long_of_integer _]/= ?opp_value long_of_positive_value. Qed.

(* The guess where it is right, else by Z's division. *)
Definition quotient_long (a b : long) : long :=
  let q := of_bignum (BigZ.div (to_bignum a) (to_bignum b)) in
  let r := sub_long a (mul_long q b) in
  if less true (Sign false) r && less false r b then q else long_of_integer (long_value a / long_value b).

Lemma quotient_value a b : 0 < long_value b -> long_value (quotient_long a b) = long_value a / long_value b.
Proof.
move=> b0; rewrite /quotient_long; case: ifP => [/andP[/lessP + /lessP]|_]; last exact: long_of_integer_value.
rewrite sub_value mul_value; move: (long_value (of_bignum _)) => q /= lo hi.
by apply: (@Z.div_unique_pos _ _ _ (long_value a - q * long_value b)); move: lo hi; rewrite /carry_of; lia.
Qed.

(* ---- the numbers of exported files ---- *)

Definition long_real (a : long) : R := IZR (long_value a).

(* Signed digits in base 2^63, less one where the digit before owes. *)
Fixpoint long_digits (owed : bool) (s : seq word) : long :=
  match s with
  | [::] => Sign owed
  | d :: s' => put (if owed then PrimInt63.sub d one_word else d)
                   (long_digits (if owed then PrimInt63.lesb d no_word else PrimInt63.ltsb d no_word) s')
  end.

Lemma signed_word d : Uint63.to_Z d = Sint63.to_Z d + radix * carry_of (PrimInt63.ltsb d no_word).
Proof.
have := Sint63.ltbP d no_word; rewrite (_ : Sint63.to_Z no_word = 0) // => lt.
have := word_bounds d; move: lt; rewrite /Sint63.to_Z radixE.
have m : Uint63.to_Z Sint63.min_int = 4611686018427387904 by [].
have op : Uint63.to_Z (Uint63.opp d) = (- Uint63.to_Z d) mod Uint63.wB by exact: Uint63.opp_spec.
case: Uint63.ltbP; rewrite m ?op => ?.
  by case=> ? bd; rewrite /carry_of; lia.
have [q -> ?] := mod_radix (- Uint63.to_Z d).
by case=> ? bd; rewrite /carry_of; lia.
Qed.

Lemma long_digits_value owed s : long_value (long_digits owed s) =
  foldr (fun d v => Sint63.to_Z d + radix * v) 0 s - carry_of owed.
Proof.
elim: s owed => [|d s IH] owed; first by case: owed.
rewrite [long_digits _ _]/= [foldr _ _ _]/= put_value IH; move: (foldr _ 0 s) (signed_word d) {IH} => v.
case: owed; rewrite /= radixE; last by rewrite /carry_of; lia.
have := Sint63.lebP d no_word; have := Sint63.ltbP d no_word; rewrite (_ : Sint63.to_Z no_word = 0) //.
move=> lt le E; have := word_bounds d; move: E.
have [+ _] := Sint63.to_Z_bounded d; rewrite (_ : Sint63.to_Z Sint63.min_int = -4611686018427387904) // => least.
rewrite Uint63.sub_spec one_wordE.
have [q -> ?] := mod_radix (Uint63.to_Z d - 1).
by move: lt le; case=> ?; case=> ?; rewrite /carry_of; lia.
Qed.

Definition long_of_word (w : word) : long := put w (Sign (PrimInt63.ltsb w no_word)).
Definition long_to_word (a : long) : word := (first_word a).1.

Lemma long_of_wordE w : long_value (long_of_word w) = Sint63.to_Z w.
Proof. by rewrite put_value signed_word radixE; case: PrimInt63.ltsb => /=; lia. Qed.

Definition long_integers : number.
Proof.
apply: (@Number long long_real long_value (Sign false) (Word one_word (Sign false)) add_long sub_long mul_long
  (less true) (less false) same_long quotient_long root_long long_up long_down bits_long
  (fun a => erefl (long_real a))).
- by [].
- by [].
- by move=> a b; rewrite /long_real add_value plus_IZR.
- by move=> a b; rewrite /long_real sub_value minus_IZR.
- by move=> a b; rewrite /long_real mul_value mult_IZR.
- by move=> a b /lessP le; apply: IZR_le; move: le; rewrite /carry_of; lia.
- by move=> a b /lessP lt; apply: IZR_lt; move: lt; rewrite /carry_of; lia.
- by move=> a b /same_longE ->.
- by move=> a b /negP gt; apply: IZR_lt; case: (Z.lt_ge_cases (long_value b) (long_value a)) => // le;
    case: gt; apply/lessP; rewrite /carry_of; lia.
- by move=> a b b0; rewrite /long_real quotient_value; [exact: Z_quotient_real | exact: lt_IZR].
- by move=> a k k0; rewrite /long_real long_up_value // mult_IZR IZR_power.
- move=> a k k0; rewrite /long_real long_down_value // -Z.shiftr_div_pow2 //; exact: Z_shift_down_real.
Defined.

Definition long_words : entries long_integers.
Proof. by apply: (@words long_integers long_of_word long_to_word) => w; rewrite -long_of_wordE. Defined.

(* What exported files and the statements for them mean by these words. *)
Notation big_integers := long_integers.
Notation big_words := long_words.
