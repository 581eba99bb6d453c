(* Entries: rows of short integers, for the costly dot products of an eigenvalue bound.

   Rows grow at the front. A type of rows has values in the exact numbers and a dot product that is exact for short
   rows of the same length; what is left of a short row without its front is short. Lists of the numbers themselves are
   one; Words.v has another. *)
From mathcomp Require Import all_ssreflect.
From Attest Require Import Euclid Number Rows.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Entries.
Variable N : number.

Record entries := Entries {
  entry_type :> Type;
  row_type : Type;
  value : entry_type -> N;
  guess : N -> entry_type;                    (* nothing is assumed of it *)
  empty_row : row_type;
  add_front : entry_type -> row_type -> row_type;
  row_values : row_type -> seq N;
  is_short : row_type -> bool;
  dot_entries : row_type -> row_type -> N;
  empty_row_values : row_values empty_row = [::];
  add_front_values : forall a r, row_values (add_front a r) = value a :: row_values r;
  add_front_short : forall a r, is_short (add_front a r) -> is_short r;
  dot_entries_real : forall u v, size (row_values u) = size (row_values v) ->
    is_short u -> is_short v -> real (dot_entries u v) = real (dot_rows (row_values u) (row_values v))
}.

(* ---- the numbers themselves ---- *)

Definition wide : entries.
Proof. by apply: (@Entries N (seq N) idfun idfun [::] cons idfun xpredT (@dot_rows N)). Defined.
End Entries.
