(* EqualTokens: equal tokens of a sequence are one token (theory.md T18).

   Tokens whose feature rows are the same have the same logit for every W. They make up a class: its first token stands
   for it, its count is the sum of theirs, its score the mean of theirs, weighted by counts. merged D is the data of the
   classes, numbered in the order of the tokens that stand for them; a certificate is about this data. Classes are found
   by sorting: of n tokens in n log n comparisons of rows. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Number Rows TokenData.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section EqualTokens.
Variable N : number.
Implicit Types (counts scores : seq N) (rows : seq (seq N)).

Definition equal_numbers (a b : N) : bool := le a b && le b a.

Fixpoint equal_rows (r r' : seq N) : bool :=
  match r, r' with
  | a :: r1, b :: r1' => [&& le a b, le b a & equal_rows r1 r1']
  | [::], [::] => true
  | _, _ => false
  end.

(* Lexicographic order. *)
Fixpoint row_before (r r' : seq N) : bool :=
  match r, r' with
  | a :: r1, b :: r1' => le a b && (~~ le b a || row_before r1 r1')
  | [::], _ => true
  | _, [::] => false
  end.

(* ---- classes ---- *)

(* A token with its place in the sequence. *)
Record member := Member { member_row : seq N; member_place : nat; member_count : N; member_score : N }.

Fixpoint members_from (place : nat) rows counts scores : seq member :=
  if rows is row :: rows' then
    Member row place (head zero counts) (head zero scores)
      :: members_from place.+1 rows' (behead counts) (behead scores)
  else [::].

Definition members (q : sequence N) : seq member := members_from 0 (token_rows q) (count_row q) (score_row q).

(* A list cut where neighbours are not `alike`. *)
Fixpoint stretches (A : Type) (alike : rel A) (s : seq A) : seq (seq A) :=
  if s is a :: s' then
    let cs := stretches alike s' in
    if cs is (b :: c) :: cs' then if alike a b then (a :: b :: c) :: cs' else [:: a] :: cs else [:: a] :: cs
  else [::].

Definition row_first (a b : member) : bool := row_before (member_row a) (member_row b).
Definition rows_equal (a b : member) : bool := equal_rows (member_row a) (member_row b).

(* The token that stands for a class: the sort keeps the order of equal rows. *)
Definition first_place (c : seq member) : nat := if c is a :: _ then member_place a else 0.
Definition first_row (c : seq member) : seq N := if c is a :: _ then member_row a else [::].
Definition stands_first (c c' : seq member) : bool := first_place c <= first_place c'.

(* The classes of a sequence, in the order of the tokens that stand for them. *)
Definition classes (q : sequence N) : seq (seq member) :=
  sort stands_first (stretches rows_equal (sort row_first (members q))).

Definition counts_in (c : seq member) : seq N := [seq member_count a | a <- c].
Definition scores_in (c : seq member) : seq N := [seq member_score a | a <- c].

(* Mean scores are integers over `scale` times the unit of the scores: a multiple of the count of each class whose
   scores differ, as they do in prompt problems alone. *)
Definition scores_agree scores : bool := if scores is g :: rest then all (equal_numbers g) rest else true.
Definition count_divides (k a : N) : bool := same (mul (quotient a k) k) a.

Definition class_scale (scale : N) counts scores : N :=
  if scores_agree scores then scale
  else let k := sum_row counts in if count_divides k scale then scale else mul scale k.

Definition class_score (scale : N) counts scores : N :=
  if scores_agree scores then mul scale (head zero scores)
  else mul (dot_rows counts scores) (quotient scale (sum_row counts)).

Definition sequence_scale (scale : N) (q : sequence N) : N :=
  foldl (fun scale c => class_scale scale (counts_in c) (scores_in c)) scale (classes q).

Definition merged_sequence (scale : N) (q : sequence N) : sequence N :=
  let cs := classes q in
  Sequence [seq first_row c | c <- cs] (query_row q) [seq class_score scale (counts_in c) (scores_in c) | c <- cs]
           [seq sum_row (counts_in c) | c <- cs].

Variable D : token_data N.

Definition merging_scale : N := foldl sequence_scale one (sequences D).

Definition merged : token_data N :=
  let scale := merging_scale in
  {| left_dimension := left_dimension D; right_dimension := right_dimension D; token_unit := token_unit D;
     query_unit := query_unit D; score_unit := mul scale (score_unit D);
     sequences := [seq merged_sequence scale q | q <- sequences D] |}.

(* Every mean is exact. *)
Definition mean_exact (scale : N) (c : seq member) : bool :=
  scores_agree (scores_in c) || count_divides (sum_row (counts_in c)) scale.

Definition merging_ok : bool :=
  let scale := merging_scale in lt zero scale && all (fun q => all (mean_exact scale) (classes q)) (sequences D).

(* For each sequence the tokens of D that stand for those of merged D. *)
Definition representatives : seq (seq nat) := [seq [seq first_place c | c <- classes q] | q <- sequences D].
End EqualTokens.
