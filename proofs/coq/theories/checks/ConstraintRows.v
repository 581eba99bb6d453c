(* ConstraintRows: the constraint vectors entry by entry, in intervals, and the entries that none of them has. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Number Rows Entries TokenData MarginChecks OptimalityChecks
                           EnclosureChecks GramBound Interval IntervalTables AttentionIntervals MirrorReplay.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section ConstraintRows.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Implicit Types (t : token (problem D)).

Definition constraint_rows : seq (seq (seq (seq interval))) :=
  [seq [seq [seq [seq ratio P (mul (token_unit D) (query_unit D)) (mul x z) | z <- query_row pq.2]
              | x <- sub_rows (nth [::] (token_rows pq.2) pq.1) row] | row <- token_rows pq.2]
    | pq <- zip picks (sequences D)].

Lemma constraint_rows_fit : fits D constraint_rows.
Proof.
have [/eqP sp _] := andP Pok; rewrite /fits /constraint_rows size_map size_zip sp minnn eqxx /=.
elim: (sequences D) picks sp => [|q qs IH] [|k ps] //= [sp].
by rewrite size_map eqxx IH.
Qed.

Lemma constraint_rows_enclose t : matrix_encloses (at_token [::] constraint_rows t) (Delta alpha t).
Proof.
have [/eqP sp _] := andP Pok; have il : (tag (t : data_token D) < size (sequences D))%nat by exact: ltn_ord.
have -> : at_token [::] constraint_rows t =
    [seq [seq ratio P (mul (token_unit D) (query_unit D)) (mul x z) | z <- query D (pair_of t)]
      | x <- difference D picks (pair_of t)].
  rewrite /at_token /constraint_rows (nth_map (0%nat, no_sequence N)) ?size_zip ?sp ?minnn // nth_zip //=.
  by rewrite (nth_map [::]) //; exact: ltn_ord.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
have sd := size_difference Dok Pok t; have sz := size_query Dok t.
split.
  rewrite /matrix_fits size_map sd eqxx; apply/(all_nthP [::]) => j; rewrite size_map sd => jl.
  by rewrite (nth_map zero) ?sd // size_map sz.
move=> j k; rewrite /entry_of (nth_map zero) ?sd // (nth_map zero) ?sz //.
rewrite (Delta_outer Dok) /outer /=.
have -> : / real (token_unit D) * entry (difference D picks (pair_of t)) j *
    (/ real (query_unit D) * entry (query D (pair_of t)) k) =
  real (mul (nth zero (difference D picks (pair_of t)) j) (nth zero (query D (pair_of t)) k)) /
    real (mul (token_unit D) (query_unit D)) by rewrite !realM /entry; field; lra.
exact: ratio_contains.
Qed.

(* Entries that no constraint vector has. *)
Definition blank (rows : seq (seq (seq (seq interval)))) j k : bool :=
  all (all (fun m => is_zero (entry_of m j k))) rows.

Lemma blank_zero (jk : coord (problem D)) t : blank constraint_rows jk.1 jk.2 -> Delta alpha t jk = 0.
Proof.
move=> H; have [_ Ht] := constraint_rows_enclose t; have fr := constraint_rows_fit; have [/eqP sr _] := andP fr.
have il : (tag (t : data_token D) < size constraint_rows)%nat by rewrite sr; exact: ltn_ord.
have := all_nthP [::] (all_nthP [::] H _ il) _ (fits_at t fr).
by rewrite (surjective_pairing jk); apply: is_zero_real; exact: Ht.
Qed.
End ConstraintRows.
