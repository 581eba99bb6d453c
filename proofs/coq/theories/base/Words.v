(* Words: rows of machine words as entries (Entries.v): numbers of 24 bits in rows of at most 8192, whose dot products
   stay below 2^61. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coq Require Uint63 Sint63.
From Bignums Require Import BigZ.
From Attest Require Import Euclid Number Rows Entries.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* A machine word of 63 bits, signed. *)
Notation word := PrimInt63.int.

(* ---- rows of machine words, four to a cell ---- *)

Inductive cells := NoCell | Cell (a b c d : word) (rest : cells).
Inductive word_row := Row0 (r : cells) | Row1 (a : word) (r : cells) | Row2 (a b : word) (r : cells)
                    | Row3 (a b c : word) (r : cells).

Definition row_cons (w : word) (u : word_row) : word_row :=
  match u with
  | Row0 r => Row1 w r
  | Row1 a r => Row2 w a r
  | Row2 a b r => Row3 w a b r
  | Row3 a b c r => Row0 (Cell w a b c r)
  end.

Fixpoint cells_list (r : cells) : seq word := if r is Cell a b c d r' then [:: a, b, c, d & cells_list r'] else [::].
Definition row_list (u : word_row) : seq word :=
  match u with
  | Row0 r => cells_list r
  | Row1 a r => a :: cells_list r
  | Row2 a b r => [:: a, b & cells_list r]
  | Row3 a b c r => [:: a, b, c & cells_list r]
  end.

Lemma row_list_cons w u : row_list (row_cons w u) = w :: row_list u.
Proof. by case: u. Qed.

Section Dot.
Local Notation "a + b" := (PrimInt63.add a b).
Local Notation "a * b" := (PrimInt63.mul a b).

Fixpoint dot_words (c : word) (u v : seq word) : word :=
  match u, v with
  | a :: u', b :: v' => dot_words (c + a * b) u' v'
  | _, _ => c
  end.

Fixpoint dot_cells (w : word) (u v : cells) : word :=
  match u, v with
  | Cell a b c d u', Cell a' b' c' d' v' => dot_cells (w + a * a' + b * b' + c * c' + d * d') u' v'
  | _, _ => w
  end.

Definition no_word : word := Eval compute in Uint63.of_Z 0.

(* The rows have the same length. *)
Definition dot_word_rows (u v : word_row) : word :=
  match u, v with
  | Row0 r, Row0 s => dot_cells no_word r s
  | Row1 a r, Row1 a' s => dot_cells (no_word + a * a') r s
  | Row2 a b r, Row2 a' b' s => dot_cells (no_word + a * a' + b * b') r s
  | Row3 a b c r, Row3 a' b' c' s => dot_cells (no_word + a * a' + b * b' + c * c') r s
  | _, _ => no_word
  end.

End Dot.

Lemma dot_cells_list w u v : dot_cells w u v = dot_words w (cells_list u) (cells_list v).
Proof. by elim: u w v => [|a b c d u IH] w [|a' b' c' d' v] //=. Qed.

Lemma size_cells_list r : size (cells_list r) %% 4 = 0.
Proof. by elim: r => //= a b c d r IH; rewrite -addn4 modnDr. Qed.

Lemma size_row_list u :
  size (row_list u) %% 4 = match u with Row0 _ => 0 | Row1 _ _ => 1 | Row2 _ _ _ => 2 | Row3 _ _ _ _ => 3 end.
Proof.
have cut k r : (k + size (cells_list r)) %% 4 = k %% 4 by rewrite -modnDmr size_cells_list addn0.
by case: u => [r|a r|a b r|a b c r]; [exact: (cut 0) | exact: (cut 1) | exact: (cut 2) | exact: (cut 3)].
Qed.

Lemma dot_word_rows_list u v : size (row_list u) = size (row_list v) ->
  dot_word_rows u v = dot_words no_word (row_list u) (row_list v).
Proof.
move/(congr1 (modn^~ 4)); rewrite !size_row_list.
by case: u => [r|a r|a b r|a b c r]; case: v => [s|a' s|a' b' s|a' b' c' s] //= _; rewrite dot_cells_list.
Qed.

(* ---- short words ---- *)

Definition greatest_word : word := Eval compute in Uint63.of_Z (2 ^ 24).
Definition least_word : word := Eval compute in Uint63.opp greatest_word.
Definition short_word (w : word) : bool := PrimInt63.lesb least_word w && PrimInt63.lesb w greatest_word.
Definition short_length (n : nat) : bool := (n <= 64 * 128)%nat.

Section Words.
(* to_word: a guess, right when the number fits *)
Variables (N : number) (of_word : word -> N) (to_word : N -> word).
Hypothesis of_word_real : forall w, real (of_word w) = IZR (Sint63.to_Z w).

Local Open Scope Z_scope.

Lemma short_wordP w : short_word w -> Z.abs (Sint63.to_Z w) <= 2 ^ 24.
Proof.
case/andP=> /Sint63.lebP lo /Sint63.lebP hi.
rewrite (_ : Sint63.to_Z least_word = - 2 ^ 24) // in lo;
  rewrite (_ : Sint63.to_Z greatest_word = 2 ^ 24) // in hi; lia.
Qed.

Lemma word_range z : Z.abs z <= 2 ^ 61 -> Sint63.to_Z Sint63.min_int <= z <= Sint63.to_Z Sint63.max_int.
Proof. by rewrite Sint63.to_Z_min Sint63.to_Z_max (_ : Uint63.wB / 2 = 2 ^ 62) //; lia. Qed.

Definition word_values (u : word_row) : seq N := [seq of_word a | a <- row_list u].

Lemma dot_words_real (u v : seq word) (c : word) (c' : N) : real c' = IZR (Sint63.to_Z c) ->
  Z.abs (Sint63.to_Z c) + Z.of_nat (size u) * 2 ^ 48 <= 2 ^ 61 ->
  all short_word u -> all short_word v ->
  IZR (Sint63.to_Z (dot_words c u v)) = real (dot_from c' [seq of_word a | a <- u] [seq of_word b | b <- v]).
Proof.
elim: u v c c' => [|a u IH] [|b v] c c' //= E bound /andP[sa su] /andP[sb sv].
have {sa}ha := short_wordP sa; have {sb}hb := short_wordP sb.
have hab : Z.abs (Sint63.to_Z a * Sint63.to_Z b) <= 2 ^ 48.
  by rewrite Z.abs_mul -[2 ^ 48]/(2 ^ 24 * 2 ^ 24); apply: Z.mul_le_mono_nonneg; lia.
have mulE : Sint63.to_Z (PrimInt63.mul a b) = Sint63.to_Z a * Sint63.to_Z b.
  by apply: Sint63.to_Z_mul; apply: word_range; lia.
have addE : Sint63.to_Z (PrimInt63.add c (PrimInt63.mul a b)) = Sint63.to_Z c + Sint63.to_Z a * Sint63.to_Z b.
  by rewrite -mulE; apply: Sint63.to_Z_add; apply: word_range; rewrite mulE; lia.
apply: IH => //; last by rewrite addE; lia.
by rewrite realD realM !of_word_real E addE plus_IZR mult_IZR.
Qed.

Lemma dot_word_rows_real (n : nat) (u v : word_row) : short_length n -> (size (word_values u) <= n)%nat ->
  size (word_values u) = size (word_values v) -> all short_word (row_list u) -> all short_word (row_list v) ->
  real (of_word (dot_word_rows u v) : N) = real (dot_rows (word_values u) (word_values v)).
Proof.
rewrite /short_length !size_map => limit su suv hu hv.
rewrite of_word_real dot_word_rows_list //; apply: dot_words_real => //; first by rewrite real0.
have /leP/inj_le : (size (row_list u) <= 64 * 128)%nat by apply: leq_trans limit.
by rewrite (_ : Z.of_nat (muln 64 128) = 8192) // (_ : Sint63.to_Z no_word = 0) //; lia.
Qed.

Definition words : entries N.
Proof.
apply: (@Entries N word word_row of_word to_word short_word (Row0 NoCell) row_cons word_values
          (fun u => all short_word (row_list u)) short_length (fun u v => of_word (dot_word_rows u v))) => //.
- by move=> a r; rewrite /word_values row_list_cons.
- by move=> a r; rewrite row_list_cons.
- exact: dot_word_rows_real.
Defined.
End Words.

(* ---- the integers and the machine-word big integers ---- *)

(* The word of an integer that fits in one, else 0. Written with additions of words, so that it is
   extracted as it stands. *)
Definition word_limit : Z := Eval compute in (2 ^ 62 - 1)%Z.
Definition one_word : word := Eval compute in Uint63.of_Z 1.

Fixpoint word_of_positive (p : positive) : word :=
  match p with
  | xH => one_word
  | xO q => let w := word_of_positive q in PrimInt63.add w w
  | xI q => let w := word_of_positive q in PrimInt63.add (PrimInt63.add w w) one_word
  end.

Definition word_of_integer (a : Z) : word :=
  if Z.leb (Z.abs a) word_limit then
    match a with
    | Z0 => no_word
    | Zpos p => word_of_positive p
    | Zneg p => PrimInt63.sub no_word (word_of_positive p)
    end
  else no_word.

Definition integer_words : entries integers := @words integers Sint63.to_Z word_of_integer (fun=> erefl).

Definition bigZ_of_word (w : word) : BigZ.t :=
  if Uint63.ltb w Sint63.min_int then BigZ.Pos (BigN.N0 w) else BigZ.Neg (BigN.N0 (Uint63.opp w)).

Definition bigZ_to_word (a : BigZ.t) : word :=
  match a with
  | BigZ.Pos (BigN.N0 w) => w
  | BigZ.Neg (BigN.N0 w) => Uint63.opp w
  | _ => no_word
  end.

Lemma bigZ_word w : bigZ_real (bigZ_of_word w) = IZR (Sint63.to_Z w).
Proof. by rewrite /bigZ_of_word /Sint63.to_Z; case: (Uint63.ltb _ _). Qed.

Definition big_words : entries big_integers := @words big_integers bigZ_of_word bigZ_to_word bigZ_word.
