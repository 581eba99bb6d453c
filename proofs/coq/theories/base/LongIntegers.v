(* LongIntegers: integers as lists of machine words, what Coq computes with in exported files.

   Least significant word first, two's complement: behind the last word all further ones are 0, or all 2^63 - 1, as the
   sign at the end says. A product runs along the longer factor once for each word of the shorter one: exact
   certificates meet numbers of thousands of bits with those of a token. LongNumbers.v makes numbers of them. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Psatz ZArith.
From Coq Require Uint63 Sint63.
From Attest Require Import Words.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope Z_scope.

Notation below := PrimInt63.ltb.
Notation at_most := PrimInt63.leb.

Inductive long := Sign (negative : bool) | Word (low : word) (rest : long).

Local Arguments Uint63.to_Z : simpl never.
Local Arguments Z.mul : simpl never.
Local Arguments Z.add : simpl never.
Local Arguments Z.opp : simpl never.

Definition radix : Z := 2 ^ 63.
Definition full_word : word := Eval compute in Uint63.of_Z (2 ^ 63 - 1).

Fixpoint long_value (a : long) : Z :=
  match a with
  | Sign negative => if negative then -1 else 0
  | Word w r => Uint63.to_Z w + radix * long_value r
  end.

Lemma value_word w r : long_value (Word w r) = Uint63.to_Z w + 9223372036854775808 * long_value r.
Proof. by []. Qed.
Lemma value_sign s : long_value (Sign s) = if s then -1 else 0.
Proof. by []. Qed.

(* ---- machine words ---- *)

Lemma radixE : radix = 9223372036854775808. Proof. by []. Qed.
Lemma wBE : Uint63.wB = 9223372036854775808. Proof. by []. Qed.

Lemma word_bounds w : 0 <= Uint63.to_Z w < 9223372036854775808.
Proof. exact: Uint63.to_Z_bounded. Qed.

Lemma no_wordE : Uint63.to_Z no_word = 0. Proof. by []. Qed.
Lemma one_wordE : Uint63.to_Z one_word = 1. Proof. by []. Qed.
Lemma two_wordE : Uint63.to_Z (PrimInt63.add one_word one_word) = 2. Proof. by []. Qed.
Lemma full_wordE : Uint63.to_Z full_word = 9223372036854775807. Proof. by []. Qed.

Lemma mod_radix x : exists2 q, x mod Uint63.wB = x - 9223372036854775808 * q &
  0 <= x - 9223372036854775808 * q < 9223372036854775808.
Proof.
have E : x mod Uint63.wB = x - 9223372036854775808 * (x / Uint63.wB) by rewrite Z.mod_eq.
by exists (x / Uint63.wB) => //; rewrite -E; exact: Z.mod_pos_bound.
Qed.

Lemma same_word u v : PrimInt63.eqb u v -> u = v.
Proof. exact: Uint63.eqb_correct. Qed.
Lemma other_word u v : PrimInt63.eqb u v = false -> Uint63.to_Z u <> Uint63.to_Z v.
Proof. by move=> E /Uint63.to_Z_inj; apply: Uint63.eqb_false_correct. Qed.

Definition carry_of (c : bool) : Z := if c then 1 else 0.

Definition add_word (c : bool) (u v : word) : word :=
  if c then PrimInt63.add (PrimInt63.add u v) one_word else PrimInt63.add u v.
Definition add_carries (c : bool) (u s : word) : bool := if c then at_most s u else below s u.

Lemma add_wordE c u v : Uint63.to_Z (add_word c u v) + radix * carry_of (add_carries c u (add_word c u v)) =
  Uint63.to_Z u + Uint63.to_Z v + carry_of c.
Proof.
have := word_bounds u; have := word_bounds v; rewrite /add_word /add_carries radixE.
case: c; [case: Uint63.lebP | case: Uint63.ltbP]; rewrite !Uint63.add_spec ?one_wordE /carry_of.
- have [q -> ?] := mod_radix (Uint63.to_Z u + Uint63.to_Z v).
  by set x := (_ + 1); have [q' -> ?] := mod_radix x; lia.
- have [q -> ?] := mod_radix (Uint63.to_Z u + Uint63.to_Z v).
  by set x := (_ + 1); have [q' -> ?] := mod_radix x; lia.
- by have [q -> ?] := mod_radix (Uint63.to_Z u + Uint63.to_Z v); lia.
by have [q -> ?] := mod_radix (Uint63.to_Z u + Uint63.to_Z v); lia.
Qed.

Definition sub_word (c : bool) (u v : word) : word :=
  if c then PrimInt63.sub (PrimInt63.sub u v) one_word else PrimInt63.sub u v.
Definition sub_borrows (c : bool) (u v : word) : bool := if c then at_most u v else below u v.

Lemma sub_wordE c u v : Uint63.to_Z (sub_word c u v) - radix * carry_of (sub_borrows c u v) =
  Uint63.to_Z u - Uint63.to_Z v - carry_of c.
Proof.
have := word_bounds u; have := word_bounds v; rewrite /sub_word /sub_borrows radixE.
case: c; [case: Uint63.lebP | case: Uint63.ltbP]; rewrite !Uint63.sub_spec ?one_wordE /carry_of.
- have [q -> ?] := mod_radix (Uint63.to_Z u - Uint63.to_Z v).
  by set x := (_ - 1); have [q' -> ?] := mod_radix x; lia.
- have [q -> ?] := mod_radix (Uint63.to_Z u - Uint63.to_Z v).
  by set x := (_ - 1); have [q' -> ?] := mod_radix x; lia.
- by have [q -> ?] := mod_radix (Uint63.to_Z u - Uint63.to_Z v); lia.
by have [q -> ?] := mod_radix (Uint63.to_Z u - Uint63.to_Z v); lia.
Qed.

(* c w + k as two words, and c w + k + x. *)
Definition high_and_low (c w k : word) : word * word :=
  let (h, l) := PrimInt63.mulc c w in
  let s := PrimInt63.add l k in
  (if below s k then PrimInt63.add h one_word else h, s).

Definition high_and_low_with (c w k x : word) : word * word :=
  let (h, l) := high_and_low c w k in
  let s := PrimInt63.add l x in
  (if below s x then PrimInt63.add h one_word else h, s).

Lemma added_word h l k : Uint63.to_Z h * radix + Uint63.to_Z l + Uint63.to_Z k < radix * radix ->
  let s := PrimInt63.add l k in
  Uint63.to_Z (if below s k then PrimInt63.add h one_word else h) * radix + Uint63.to_Z s =
  Uint63.to_Z h * radix + Uint63.to_Z l + Uint63.to_Z k.
Proof.
have := word_bounds h; have := word_bounds l; have := word_bounds k; rewrite radixE /= => bk bl bh le.
case: Uint63.ltbP; rewrite !Uint63.add_spec ?one_wordE.
  have [q -> ?] := mod_radix (Uint63.to_Z l + Uint63.to_Z k).
  by have [q' -> ?] := mod_radix (Uint63.to_Z h + 1); lia.
by have [q -> ?] := mod_radix (Uint63.to_Z l + Uint63.to_Z k); lia.
Qed.

Lemma product_bound c w : Uint63.to_Z c * Uint63.to_Z w <= (radix - 1) * (radix - 1).
Proof.
have := word_bounds c; have := word_bounds w; rewrite radixE => bw bc.
by apply: Z.mul_le_mono_nonneg; lia.
Qed.

Lemma high_and_lowE c w k : let p := high_and_low c w k in
  Uint63.to_Z p.1 * radix + Uint63.to_Z p.2 = Uint63.to_Z c * Uint63.to_Z w + Uint63.to_Z k.
Proof.
have := @product_bound c w; have := word_bounds k; rewrite /high_and_low (Uint63.mulc_spec c w) -[Uint63.wB]/radix.
by case: (PrimInt63.mulc c w) => h l /= bk le; apply: added_word; rewrite radixE in le *; lia.
Qed.

Lemma high_and_low_withE c w k x : let p := high_and_low_with c w k x in
  Uint63.to_Z p.1 * radix + Uint63.to_Z p.2 = Uint63.to_Z c * Uint63.to_Z w + Uint63.to_Z k + Uint63.to_Z x.
Proof.
have := @product_bound c w; have := word_bounds k; have := word_bounds x; have := high_and_lowE c w k.
rewrite /high_and_low_with; case: (high_and_low c w k) => h l; rewrite [(h, l).1]/= [(h, l).2]/= => E bx bk le.
rewrite -E; apply: added_word; rewrite E; move: le; rewrite radixE.
by move: (_ * _) => p; lia.
Qed.

(* ---- shortest form ---- *)

Definition sign_word (negative : bool) : word := if negative then full_word else no_word.

Definition put (w : word) (r : long) : long :=
  match r with
  | Sign negative => if PrimInt63.eqb w (sign_word negative) then r else Word w r
  | _ => Word w r
  end.

Arguments put : simpl never.

Lemma sign_wordE s : Uint63.to_Z (sign_word s) + radix * long_value (Sign s) = long_value (Sign s).
Proof. by case: s. Qed.

Lemma put_value w r : long_value (put w r) = Uint63.to_Z w + radix * long_value r.
Proof.
case: r => // s; rewrite /put; case E: (PrimInt63.eqb w (sign_word s)) => //.
by rewrite (same_word E) sign_wordE.
Qed.

(* ---- sums ---- *)

Fixpoint succ_long (a : long) : long :=
  match a with
  | Sign negative => if negative then Sign false else Word one_word (Sign false)
  | Word w r => if PrimInt63.eqb w full_word then put no_word (succ_long r) else put (PrimInt63.add w one_word) r
  end.

Lemma succ_value a : long_value (succ_long a) = long_value a + 1.
Proof.
elim: a => [[]|w r IH] //; rewrite [succ_long _]/= value_word; case E: (PrimInt63.eqb w full_word); rewrite put_value.
  by rewrite IH (same_word E) full_wordE no_wordE radixE; lia.
have := other_word E; have := word_bounds w; rewrite full_wordE Uint63.add_spec one_wordE radixE => bw wf.
by have [q -> ?] := mod_radix (Uint63.to_Z w + 1); lia.
Qed.

Fixpoint complement (a : long) : long :=
  match a with
  | Sign negative => Sign (~~ negative)
  | Word w r => Word (PrimInt63.sub full_word w) (complement r)
  end.

Lemma complement_value a : long_value (complement a) = -1 - long_value a.
Proof.
elim: a => [[]|w r IH] //; rewrite [complement _]/= !value_word IH Uint63.sub_spec full_wordE.
have := word_bounds w.
by have [q -> ?] := mod_radix (9223372036854775807 - Uint63.to_Z w); lia.
Qed.

Definition opp_long (a : long) : long := succ_long (complement a).

Lemma opp_value a : long_value (opp_long a) = - long_value a.
Proof. by rewrite succ_value complement_value; lia. Qed.

Fixpoint pred_long (a : long) : long :=
  match a with
  | Sign negative => if negative then Word (PrimInt63.sub full_word one_word) (Sign true) else Sign true
  | Word w r => if PrimInt63.eqb w no_word then put full_word (pred_long r) else put (PrimInt63.sub w one_word) r
  end.

Lemma pred_value a : long_value (pred_long a) = long_value a - 1.
Proof.
elim: a => [[]|w r IH] //; rewrite [pred_long _]/= value_word; case E: (PrimInt63.eqb w no_word); rewrite put_value.
  by rewrite IH (same_word E) full_wordE no_wordE radixE; lia.
have := other_word E; have := word_bounds w; rewrite no_wordE Uint63.sub_spec one_wordE radixE => bw wf.
by have [q -> ?] := mod_radix (Uint63.to_Z w - 1); lia.
Qed.

(* b, one more where a carry is left, one less where a sign is. *)
Definition add_sign (negative c : bool) (b : long) : long :=
  if negative then (if c then b else pred_long b) else if c then succ_long b else b.

Lemma add_sign_value s c b : long_value (add_sign s c b) = long_value (Sign s) + long_value b + carry_of c.
Proof. by rewrite value_sign /carry_of; case: s; case: c; rewrite /add_sign ?succ_value ?pred_value; lia. Qed.

Fixpoint add_carry (c : bool) (a b : long) : long :=
  match a, b with
  | Word u a', Word v b' => let s := add_word c u v in put s (add_carry (add_carries c u s) a' b')
  | Sign negative, _ => add_sign negative c b
  | _, Sign negative => add_sign negative c a
  end.

Lemma add_carry_value c a b : long_value (add_carry c a b) = long_value a + long_value b + carry_of c.
Proof.
elim: a c b => [s|u a IH] c b; first by rewrite -add_sign_value.
case: b => [s|v b]; first by rewrite [add_carry _ _ _]/= add_sign_value; lia.
by rewrite [add_carry _ _ _]/= put_value IH !value_word; have := @add_wordE c u v; rewrite radixE; lia.
Qed.

Fixpoint sub_borrow (c : bool) (a b : long) : long :=
  match a, b with
  | Word u a', Word v b' => put (sub_word c u v) (sub_borrow (sub_borrows c u v) a' b')
  | Sign negative, _ => add_sign negative (~~ c) (complement b)
  | _, Sign negative => add_sign (~~ negative) (~~ c) a
  end.

Lemma sub_borrow_value c a b : long_value (sub_borrow c a b) = long_value a - long_value b - carry_of c.
Proof.
elim: a c b => [s|u a IH] c b.
  by rewrite [sub_borrow _ _ _]/= add_sign_value complement_value /carry_of; case: c; rewrite /negb; lia.
case: b => [s|v b].
  rewrite [sub_borrow _ _ _]/= add_sign_value !value_sign /carry_of.
  by case: s; case: c; rewrite /negb; lia.
by rewrite [sub_borrow _ _ _]/= put_value IH !value_word; have := @sub_wordE c u v; rewrite radixE; lia.
Qed.

Definition add_long (a b : long) : long := add_carry false a b.
Definition sub_long (a b : long) : long := sub_borrow false a b.

Lemma add_value a b : long_value (add_long a b) = long_value a + long_value b.
Proof. by rewrite add_carry_value /carry_of; lia. Qed.
Lemma sub_value a b : long_value (sub_long a b) = long_value a - long_value b.
Proof. by rewrite sub_borrow_value /carry_of; lia. Qed.

(* ---- order ---- *)

(* a < b, or a = b where `tie` says so: what the words before say. *)
Definition word_tie (tie : bool) (u v : word) : bool := if below u v then true else if below v u then false else tie.

Fixpoint sign_less (tie negative : bool) (b : long) : bool :=
  match b with
  | Sign other => if eqb negative other then tie else negative
  | Word v b' => sign_less (word_tie tie (sign_word negative) v) negative b'
  end.
Fixpoint less_sign (tie : bool) (a : long) (negative : bool) : bool :=
  match a with
  | Sign other => if eqb negative other then tie else other
  | Word u a' => less_sign (word_tie tie u (sign_word negative)) a' negative
  end.
Fixpoint less (tie : bool) (a b : long) : bool :=
  match a, b with
  | Word u a', Word v b' => less (word_tie tie u v) a' b'
  | Sign negative, _ => sign_less tie negative b
  | _, Sign negative => less_sign tie a negative
  end.

Lemma word_tieP tie u v x y :
  (Uint63.to_Z u + radix * x < Uint63.to_Z v + radix * y + carry_of tie) <-> (x < y + carry_of (word_tie tie u v)).
Proof.
have := word_bounds u; have := word_bounds v; rewrite radixE /word_tie /carry_of.
by case: Uint63.ltbP => ?; [case: tie | case: Uint63.ltbP => ?; case: tie]; lia.
Qed.

Lemma sign_lessP tie s b : sign_less tie s b <-> long_value (Sign s) < long_value b + carry_of tie.
Proof.
elim: b tie => [t|v b IH] tie; first by case: s t tie => [] [] [].
by rewrite [sign_less _ _ _]/= IH -word_tieP sign_wordE.
Qed.

Lemma less_signP tie a s : less_sign tie a s <-> long_value a < long_value (Sign s) + carry_of tie.
Proof.
elim: a tie => [t|u a IH] tie; first by case: s t tie => [] [] [].
by rewrite [less_sign _ _ _]/= IH -word_tieP sign_wordE.
Qed.

Lemma lessP tie a b : less tie a b <-> long_value a < long_value b + carry_of tie.
Proof.
elim: a tie b => [s|u a IH] tie [t|v b]; try exact: sign_lessP; first exact: less_signP.
by rewrite [less _ _ _]/= IH -word_tieP.
Qed.

(* The same words: numbers in shortest form are the same only so. *)
Fixpoint same_long (a b : long) : bool :=
  match a, b with
  | Word u a', Word v b' => if PrimInt63.eqb u v then same_long a' b' else false
  | Sign s, Sign t => eqb s t
  | _, _ => false
  end.

Lemma same_longE a b : same_long a b -> a = b.
Proof.
elim: a b => [s|u a IH] [t|v b] //=; first by move/eqP ->.
by case E: (PrimInt63.eqb u v) => // /IH ->; rewrite (same_word E).
Qed.

(* ---- products ---- *)

(* c a + k *)
Fixpoint times_word (c k : word) (a : long) : long :=
  match a with
  | Sign false => put k (Sign false)
  | Sign true => put (PrimInt63.sub k c) (Sign (below k c))
  | Word w r => let (h, l) := high_and_low c w k in put l (times_word c h r)
  end.

Lemma times_word_value c k a : long_value (times_word c k a) = Uint63.to_Z c * long_value a + Uint63.to_Z k.
Proof.
elim: a k => [[]|w r IH] k; rewrite [times_word _ _ _]/=.
- rewrite put_value !value_sign; have := @sub_wordE false k c.
  by rewrite /sub_word /sub_borrows radixE /carry_of; case: (below k c); lia.
- by rewrite put_value !value_sign radixE; lia.
have := high_and_lowE c w k; case: (high_and_low c w k) => h l E.
by rewrite put_value IH value_word; move: E; rewrite /= radixE; lia.
Qed.

(* - (c a + k) *)
Fixpoint minus_times_word (c k : word) (a : long) : long :=
  match a with
  | Sign false => put (PrimInt63.sub no_word k) (Sign (below no_word k))
  | Sign true => put (PrimInt63.sub c k) (Sign (below c k))
  | Word w r =>
      let (h, l) := high_and_low c w k in
      put (PrimInt63.sub no_word l) (minus_times_word c (if below no_word l then PrimInt63.add h one_word else h) r)
  end.

Lemma minus_times_word_value c k a :
  long_value (minus_times_word c k a) = - (Uint63.to_Z c * long_value a + Uint63.to_Z k).
Proof.
elim: a k => [[]|w r IH] k; rewrite [minus_times_word _ _ _]/=.
- rewrite put_value !value_sign; have := @sub_wordE false c k.
  by rewrite /sub_word /sub_borrows radixE /carry_of; case: (below c k); lia.
- rewrite put_value !value_sign; have := @sub_wordE false no_word k.
  by rewrite /sub_word /sub_borrows radixE no_wordE /carry_of; case: (below no_word k); lia.
have := high_and_lowE c w k; have := @product_bound c w; have := word_bounds k.
case: (high_and_low c w k) => h l bk le E.
rewrite put_value IH value_word; have := @sub_wordE false no_word l; rewrite no_wordE /sub_word /sub_borrows /carry_of.
have := word_bounds h; have := word_bounds l; move: le E; rewrite /= radixE.
case: Uint63.ltbP; rewrite no_wordE => l0 {}le {}E bl bh; last by lia.
by rewrite Uint63.add_spec one_wordE; have [q -> ?] := mod_radix (Uint63.to_Z h + 1); lia.
Qed.

(* c a + k + b *)
Fixpoint add_times_word (c k : word) (a b : long) : long :=
  match a, b with
  | Word w r, Word x b' => let (h, l) := high_and_low_with c w k x in put l (add_times_word c h r b')
  | Word w r, Sign s => let (h, l) := high_and_low_with c w k (sign_word s) in put l (add_times_word c h r b)
  | Sign _, _ => add_long (times_word c k a) b
  end.

Lemma add_times_word_value c k a b :
  long_value (add_times_word c k a b) = Uint63.to_Z c * long_value a + Uint63.to_Z k + long_value b.
Proof.
elim: a k b => [s|w r IH] k b; first by rewrite -[add_times_word _ _ _ _]/(add_long _ _) add_value times_word_value.
case: b => [s|x b]; rewrite [add_times_word _ _ _ _]/=.
  have := high_and_low_withE c w k (sign_word s); case: high_and_low_with => h l E.
  rewrite put_value IH value_word -{2}(sign_wordE s).
  by move: E; rewrite /= radixE; lia.
have := high_and_low_withE c w k x; case: high_and_low_with => h l E.
by rewrite put_value IH !value_word; move: E; rewrite /= radixE; lia.
Qed.

(* a b, along b once for each word of a. *)
Fixpoint times_words (a b : long) : long :=
  match a with
  | Sign negative => if negative then opp_long b else Sign false
  | Word w r =>
      match r with
      | Sign false => times_word w no_word b
      | Sign true => if PrimInt63.eqb w no_word then put no_word (opp_long b)
                     else minus_times_word (PrimInt63.sub no_word w) no_word b
      | _ => add_times_word w no_word b (put no_word (times_words r b))
      end
  end.

Lemma times_words_value a b : long_value (times_words a b) = long_value a * long_value b.
Proof.
elim: a => [[]|w r IH]; [by rewrite [times_words _ _]/= opp_value value_sign; lia | by [] |].
case: r IH => [[] _|x r IH]; rewrite value_word.
- rewrite [times_words _ _]/= value_sign; case E: (PrimInt63.eqb w no_word).
    by rewrite put_value opp_value (same_word E) no_wordE radixE; lia.
  rewrite minus_times_word_value Uint63.sub_spec no_wordE; have := word_bounds w; have := other_word E.
  rewrite no_wordE; have [q -> ?] := mod_radix (0 - Uint63.to_Z w) => w0 bw.
  by have -> : q = -1; lia.
- by rewrite [times_words _ _]/= value_sign times_word_value no_wordE; lia.
rewrite -[times_words _ _]/(add_times_word w no_word b (put no_word (times_words (Word x r) b))).
by rewrite add_times_word_value put_value IH no_wordE radixE; ring.
Qed.

Fixpoint shorter (a b : long) : bool :=
  match a, b with
  | Word _ a', Word _ b' => shorter a' b'
  | Sign _, _ => true
  | _, _ => false
  end.

Definition mul_long (a b : long) : long := if shorter a b then times_words a b else times_words b a.

Lemma mul_value a b : long_value (mul_long a b) = long_value a * long_value b.
Proof. by rewrite /mul_long; case: shorter; rewrite times_words_value // Z.mul_comm. Qed.

(* ---- shifts ---- *)

Definition power_word (j : Z) : word := PrimInt63.lsl one_word (Uint63.of_Z j).

Lemma power_wordE j : 0 <= j < 63 -> Uint63.to_Z (power_word j) = 2 ^ j.
Proof.
move=> hj; rewrite Uint63.lsl_spec one_wordE Uint63.of_Z_spec.
have p63 : 2 ^ 0 <= 2 ^ j < 2 ^ 63 by split; [apply: Z.pow_le_mono_r | apply: Z.pow_lt_mono_r]; lia.
rewrite (Z.mod_small j); last by rewrite wBE; lia.
by rewrite Z.mul_1_l Z.mod_small // wBE; lia.
Qed.

Fixpoint put_zeros (n : nat) (a : long) : long := if n is n'.+1 then put no_word (put_zeros n' a) else a.
Definition drop_word (a : long) : long := if a is Word _ r then r else a.
Fixpoint drop_words (n : nat) (a : long) : long := if n is n'.+1 then drop_words n' (drop_word a) else a.

Lemma put_zeros_value n a : long_value (put_zeros n a) = long_value a * radix ^ Z.of_nat n.
Proof.
elim: n => [|n IH]; first by rewrite Z.mul_1_r.
by rewrite [put_zeros _ _]/= put_value IH no_wordE Nat2Z.inj_succ Z.pow_succ_r; lia.
Qed.

Lemma drop_word_value a : long_value (drop_word a) = long_value a / radix.
Proof.
case: a => [[]|w r] //=; have := word_bounds w; rewrite Z.mul_comm Z.div_add // => bw.
by rewrite Z.div_small // radixE.
Qed.

Lemma drop_words_value n a : long_value (drop_words n a) = long_value a / radix ^ Z.of_nat n.
Proof.
elim: n a => [|n IH] a; first by rewrite Z.div_1_r.
rewrite [drop_words _ _]/= IH drop_word_value Z.div_div //; last by apply: Z.pow_pos_nonneg; [by [] | lia].
by rewrite Nat2Z.inj_succ Z.pow_succ_r; last lia.
Qed.

Definition long_up (a : long) (k : Z) : long :=
  let (n, j) := Z.div_eucl k 63 in put_zeros (Z.to_nat n) (times_word (power_word j) no_word a).
Definition long_down (a : long) (k : Z) : long :=
  let (n, j) := Z.div_eucl k 63 in
  let a' := drop_words (Z.to_nat n) a in
  if Z.eqb j 0 then a' else drop_word (times_word (power_word (63 - j)) no_word a').

Lemma words_and_bits k : 0 <= k -> let (n, j) := Z.div_eucl k 63 in
  0 <= j < 63 /\ 2 ^ k = radix ^ Z.of_nat (Z.to_nat n) * 2 ^ j.
Proof.
move=> k0; have := Z_div_mod k 63; case: Z.div_eucl => n j /(_ erefl)[kE jb]; split=> //.
rewrite Z2Nat.id; last by lia.
by rewrite -Z.pow_mul_r -?Z.pow_add_r ?kE; lia.
Qed.

Lemma long_up_value a k : 0 <= k -> long_value (long_up a k) = long_value a * 2 ^ k.
Proof.
move=> /words_and_bits; rewrite /long_up; case: Z.div_eucl => n j [jb ->].
by rewrite put_zeros_value times_word_value no_wordE power_wordE //; ring.
Qed.

Lemma long_down_value a k : 0 <= k -> long_value (long_down a k) = long_value a / 2 ^ k.
Proof.
move=> /words_and_bits; rewrite /long_down; case: Z.div_eucl => n j [jb ->].
have r0 : 0 < radix ^ Z.of_nat (Z.to_nat n) by apply: Z.pow_pos_nonneg => //; exact: Nat2Z.is_nonneg.
have j0 : 0 < 2 ^ j by apply: Z.pow_pos_nonneg; lia.
rewrite -Z.div_div; [|lia|lia]; rewrite -drop_words_value; case: Z.eqb_spec => [->|jn]; first by rewrite Z.div_1_r.
rewrite drop_word_value times_word_value no_wordE Z.add_0_r power_wordE; last by lia.
have -> : radix = 2 ^ (63 - j) * 2 ^ j by rewrite -Z.pow_add_r; [congr (2 ^ _); lia | lia | lia].
by rewrite Z.div_mul_cancel_l //; [lia | apply: Z.pow_nonzero; lia].
Qed.
