(* Words: rows of machine words as entries (Entries.v): numbers of at most 30 bits in rows whose squares add up to at
   most 2^61, so that dot products stay there, too, by 2 |ab| <= a^2 + b^2. Rows of a Cholesky factor have the sums that
   the diagonal allows them, however long they are. *)
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

Definition greatest_word : word := Eval compute in Uint63.of_Z (2 ^ 30).
Definition least_word : word := Eval compute in Uint63.opp greatest_word.
Definition short_word (w : word) : bool := PrimInt63.lesb least_word w && PrimInt63.lesb w greatest_word.

(* The sum of the squares, when it is at most most_squares; else more than that. *)
Definition most_squares : word := Eval compute in Uint63.of_Z (2 ^ 61).
Definition too_much : word := Eval compute in Uint63.of_Z (2 ^ 61 + 1).
Definition add_square (a sum : word) : word :=
  if short_word a && PrimInt63.lesb sum most_squares then PrimInt63.add sum (PrimInt63.mul a a) else too_much.
Definition squares (u : seq word) : word := foldr add_square no_word u.
Definition short_words (u : seq word) : bool := PrimInt63.lesb (squares u) most_squares.

Section Words.
(* to_word: a guess, right when the number fits *)
Variables (N : number) (of_word : word -> N) (to_word : N -> word).
Hypothesis of_word_real : forall w, real (of_word w) = IZR (Sint63.to_Z w).

Local Open Scope Z_scope.

Lemma short_wordP w : short_word w -> Z.abs (Sint63.to_Z w) <= 2 ^ 30.
Proof.
case/andP=> /Sint63.lebP lo /Sint63.lebP hi.
rewrite (_ : Sint63.to_Z least_word = - 2 ^ 30) // in lo;
  rewrite (_ : Sint63.to_Z greatest_word = 2 ^ 30) // in hi; lia.
Qed.

Lemma word_range z : Z.abs z <= 2 ^ 61 -> Sint63.to_Z Sint63.min_int <= z <= Sint63.to_Z Sint63.max_int.
Proof. by rewrite Sint63.to_Z_min Sint63.to_Z_max (_ : Uint63.wB / 2 = 2 ^ 62) //; lia. Qed.

Definition word_values (u : word_row) : seq N := [seq of_word a | a <- row_list u].

(* The squares as integers. *)
Fixpoint integer_squares (u : seq word) : Z :=
  if u is a :: u' then Sint63.to_Z a * Sint63.to_Z a + integer_squares u' else 0.

Lemma integer_squares_ge0 u : 0 <= integer_squares u.
Proof. by elim: u => //= a u IH; have := Z.square_nonneg (Sint63.to_Z a); lia. Qed.

Lemma short_words_rest a u : short_words (a :: u) -> short_words u.
Proof. by rewrite {1}/short_words /= /add_square; case: ifP => [/andP[] | ]. Qed.

Lemma short_wordsP u : short_words u -> Sint63.to_Z (squares u) = integer_squares u /\ integer_squares u <= 2 ^ 61.
Proof.
have top : Sint63.to_Z most_squares = 2 ^ 61 by [].
elim: u => [|a u IH] // short; have [E le] := IH (short_words_rest short); have s0 := @integer_squares_ge0 u.
move: short; rewrite /short_words /= {1 2}/add_square; case: ifP => // /andP[/short_wordP ha _].
have a0 := Z.square_nonneg (Sint63.to_Z a).
have a1 : Sint63.to_Z a * Sint63.to_Z a <= 2 ^ 60.
  by rewrite -Z.abs_square -[2 ^ 60]/(2 ^ 30 * 2 ^ 30); apply: Z.mul_le_mono_nonneg; lia.
have mulE : Sint63.to_Z (PrimInt63.mul a a) = Sint63.to_Z a * Sint63.to_Z a.
  by apply: Sint63.to_Z_mul; apply: word_range; lia.
have addE : Sint63.to_Z (PrimInt63.add (squares u) (PrimInt63.mul a a)) =
    integer_squares u + Sint63.to_Z a * Sint63.to_Z a.
  rewrite -mulE -E; apply: Sint63.to_Z_add; rewrite mulE E Sint63.to_Z_min Sint63.to_Z_max.
  by rewrite (_ : Uint63.wB / 2 = 2 ^ 62) //; lia.
by move=> /Sint63.lebP; rewrite addE top; lia.
Qed.

Lemma dot_words_real m (u v : seq word) (c : word) (c' : N) : m <= 2 ^ 62 -> real c' = IZR (Sint63.to_Z c) ->
  Z.abs (Sint63.to_Z c) + Z.abs (Sint63.to_Z c) + integer_squares u + integer_squares v <= m ->
  IZR (Sint63.to_Z (dot_words c u v)) = real (dot_from c' [seq of_word a | a <- u] [seq of_word b | b <- v]).
Proof.
move=> le_m; elim: u v c c' => [|a u IH] [|b v] c c' //= E bound.
have u0 := @integer_squares_ge0 u; have v0 := @integer_squares_ge0 v.
have hab : 2 * Z.abs (Sint63.to_Z a * Sint63.to_Z b) <=
    Sint63.to_Z a * Sint63.to_Z a + Sint63.to_Z b * Sint63.to_Z b.
  have := Z.square_nonneg (Z.abs (Sint63.to_Z a) - Z.abs (Sint63.to_Z b)); rewrite Z.abs_mul.
  rewrite -(Z.abs_square (Sint63.to_Z a)) -(Z.abs_square (Sint63.to_Z b)).
  move: (Z.abs (Sint63.to_Z a)) (Z.abs (Sint63.to_Z b)) => A B.
  have -> : (A - B) * (A - B) = A * A + B * B - 2 * (A * B) by ring.
  by move: (A * A) (B * B) (A * B) => AA BB AB; lia.
have mulE : Sint63.to_Z (PrimInt63.mul a b) = Sint63.to_Z a * Sint63.to_Z b.
  by apply: Sint63.to_Z_mul; apply: word_range; lia.
have addE : Sint63.to_Z (PrimInt63.add c (PrimInt63.mul a b)) = Sint63.to_Z c + Sint63.to_Z a * Sint63.to_Z b.
  by rewrite -mulE; apply: Sint63.to_Z_add; apply: word_range; rewrite mulE; lia.
apply: IH => //; last by rewrite addE; lia.
by rewrite realD realM !of_word_real E addE plus_IZR mult_IZR.
Qed.

Lemma dot_word_rows_real (u v : word_row) : size (word_values u) = size (word_values v) ->
  short_words (row_list u) -> short_words (row_list v) ->
  real (of_word (dot_word_rows u v) : N) = real (dot_rows (word_values u) (word_values v)).
Proof.
rewrite !size_map => suv /short_wordsP[_ hu] /short_wordsP[_ hv].
rewrite of_word_real dot_word_rows_list //; apply: (@dot_words_real (2 ^ 62)) => //; first by rewrite real0.
by rewrite (_ : Sint63.to_Z no_word = 0) //; lia.
Qed.

Definition words : entries N.
Proof.
apply: (@Entries N word word_row of_word to_word (Row0 NoCell) row_cons word_values
          (fun u => short_words (row_list u)) (fun u v => of_word (dot_word_rows u v))) => //.
- by move=> a r; rewrite /word_values row_list_cons.
- by move=> a r; rewrite row_list_cons; exact: short_words_rest.
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
