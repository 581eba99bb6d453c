(* LocalTables: the tables of the factors of a scalar loss (LocalFactors.v) around a locally optimal selection, for the
   checks of any head: those of T11, T14 and T15. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals ZArith.
From Attest Require Import Euclid Selection Heads HeadRuns Saturation FactorRange LocalRanges Runs Number TokenData
                           MarginChecks OptimalityChecks EnclosureChecks Interval IntervalTables AttentionIntervals
                           ReferenceIntervals ForeverChecks LocalFactors FactorTables Pulls.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Tables.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Variables (l : loss_name) (attentions : seq (fraction N)) (outside : seq (seq bool)).

Definition local_tables : factor_tables N :=
  FactorTables (inside_mask D picks outside) (eps_in P attentions) (blo_in D P picks l attentions)
    (bhi_in D P picks l attentions) (other_in D P picks l attentions) (fun=> true).

Notation factors := (local_bounds alpha (checked_head Pok l attentions outside)).
Definition local_range : table_ranges D :=
  TableRanges (factor_low factors) (factor_high factors) (factor_size factors)
    (fun i : data_group D => constant_of attentions i).

Theorem local_tables_hold : ranges_check D P picks attentions outside -> labelled alpha l ->
  tables_hold Pok local_tables (scalar_head (problem D) (loss_of l)) local_range.
Proof.
move=> ranges labels; split=> /= [||||||lows low _ att _].
- exact (fits_inside Dok Pok ranges).
- exact (inside_constraint Dok Pok ranges).
- exact (eps_encloses ranges).
- exact (blo_encloses Dok Pok l ranges).
- exact (bhi_encloses Dok Pok l ranges).
- exact (other_encloses Dok Pok l ranges).
rewrite scalar_factors; exact (local_factor_range (checked_ranges Dok ranges labels) att).
Qed.
End Tables.
