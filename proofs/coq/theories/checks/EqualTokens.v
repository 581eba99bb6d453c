(* EqualTokens: equal tokens of a sequence are one token (theory.md T18).

   Tokens whose feature rows are the same have the same logit for every W. They make up a class: its first token stands
   for it, its count is the sum of theirs, its score the mean of theirs, weighted by counts. merged D is the data of the
   classes, numbered in the order of the tokens that stand for them; a certificate is about this data. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Number Rows TokenData.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section EqualTokens.
Variable N : number.
Implicit Types (row counts scores : seq N) (rows : seq (seq N)) (stands : seq nat).

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

(* No two rows are equal: sorting is quicker than comparing all pairs. *)
Definition distinct rows : bool := sorted (fun r r' => ~~ row_before r' r) (sort row_before rows).

(* For each token the first one with the same row. *)
Definition stands_for rows : seq nat :=
  if distinct rows then iota 0 (size rows) else [seq find (equal_rows row) rows | row <- rows].

(* The tokens that stand for a class, as a mask and in order. *)
Definition standing stands : seq bool := [seq p.1 == p.2 | p <- zip (iota 0 (size stands)) stands].
Definition representatives_of stands : seq nat := mask (standing stands) (iota 0 (size stands)).

(* What belongs to the class of token r. *)
Definition members (A : Type) stands (r : nat) (s : seq A) : seq A := mask [seq k == r | k <- stands] s.

(* Mean scores are integers over `scale` times the unit of the scores: a multiple of the count of each class whose scores
   differ, as they do in prompt problems alone. *)
Definition scores_agree scores : bool := if scores is g :: rest then all (equal_numbers g) rest else true.
Definition count_divides (k a : N) : bool := same (mul (quotient a k) k) a.

Definition class_scale (scale : N) counts scores : N :=
  if scores_agree scores then scale
  else let k := sum_row counts in if count_divides k scale then scale else mul scale k.

Definition class_score (scale : N) counts scores : N :=
  if scores_agree scores then mul scale (head zero scores)
  else mul (dot_rows counts scores) (quotient scale (sum_row counts)).

Definition over_classes (A : Type) (f : seq N -> seq N -> A) (q : sequence N) stands : seq A :=
  [seq f (members stands r (count_row q)) (members stands r (score_row q)) | r <- representatives_of stands].

Definition sequence_scale (scale : N) (q : sequence N) : N :=
  if distinct (token_rows q) then scale
  else let stands := stands_for (token_rows q) in
       foldl (fun scale r => class_scale scale (members stands r (count_row q)) (members stands r (score_row q)))
             scale (representatives_of stands).

Definition merged_sequence (scale : N) (q : sequence N) : sequence N :=
  let stands := stands_for (token_rows q) in
  Sequence (mask (standing stands) (token_rows q)) (query_row q) (over_classes (class_score scale) q stands)
           (over_classes (fun counts _ => sum_row counts) q stands).

Variable D : token_data N.

Definition merging_scale : N := foldl sequence_scale one (sequences D).

Definition merged : token_data N :=
  let scale := merging_scale in
  {| left_dimension := left_dimension D; right_dimension := right_dimension D; token_unit := token_unit D;
     query_unit := query_unit D; score_unit := mul scale (score_unit D);
     sequences := [seq merged_sequence scale q | q <- sequences D] |}.

(* Every mean is exact. *)
Definition means_exact (scale : N) (q : sequence N) : bool :=
  all (fun exact => exact) (over_classes (fun counts scores => scores_agree scores || count_divides (sum_row counts) scale) q
                       (stands_for (token_rows q))).

Definition merging_ok : bool :=
  let scale := merging_scale in lt zero scale && all (means_exact scale) (sequences D).

(* For each sequence the tokens of D that stand for those of merged D. *)
Definition representatives : seq (seq nat) :=
  [seq representatives_of (stands_for (token_rows q)) | q <- sequences D].
End EqualTokens.
