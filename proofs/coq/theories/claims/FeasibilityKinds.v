(* FeasibilityKinds: the claims `feasible` and `infeasible`, with either form of evidence. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Number Rows Entries TokenData MarginChecks OptimalityChecks
  GramBound
                           SpanningChecks ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Feasibility.
Variable N : number.

(* ---- feasible: a vector whose combination separates ---- *)

Definition feasible_says : claim_statement N (vector N) := fun D alpha separator => feasible alpha.

Definition feasible_claim_check : claim_checker N (vector N) := fun quick D picks cited separator =>
  let m := margins D picks separator in
  accept (vector_ok D picks separator && separates_check D picks separator m) (FeasibleFact separator m).

Theorem feasible_holds : check_holds feasible_says feasible_claim_check.
Proof.
move=> quick D picks Dok Pok cited v f _ /acceptP[/andP[vok checked] <-].
by have sep := separates_check_sound Dok (Pok := Pok) vok checked; split; [exact: feasible_sound sep | split].
Qed.

Definition feasible_kind : claim_kind N := ClaimKind feasible_holds.

(* ---- infeasible: a non-negative vector, not 0, whose combination is 0 ---- *)

Definition infeasible_says : claim_statement N (vector N) := fun D alpha farkas => ~ feasible alpha.

Definition infeasible_claim_check : claim_checker N (vector N) := fun quick D picks cited farkas =>
  accept (infeasible_check D picks farkas) InfeasibleFact.

Theorem infeasible_holds : check_holds infeasible_says infeasible_claim_check.
Proof.
move=> quick D picks Dok Pok cited v f _ /acceptP[checked <-].
by have inf : ~ feasible (selection_of Pok) by [exact: infeasible_check_sound checked]; split.
Qed.

Definition infeasible_kind : claim_kind N := ClaimKind infeasible_holds.

(* ---- infeasible: a combination that is small beside the least eigenvalue of spanning constraints ---- *)

Record spanning_data := SpanningData {
  spanning_combination : vector N; spanning_eigenvalue : fraction N; spanning_tokens : seq (seq bool);
  spanning_hints : gram_hints N
}.

Definition spanning_says : claim_statement N spanning_data := fun D alpha x => ~ feasible alpha.

Definition spanning_claim_check : claim_checker N spanning_data := fun quick D picks cited x =>
  accept (spanning_check quick D picks (spanning_combination x) (spanning_tokens x) (spanning_hints x)
    (spanning_eigenvalue x))
    InfeasibleFact.

Theorem spanning_holds : check_holds spanning_says spanning_claim_check.
Proof.
move=> quick D picks Dok Pok cited [v s mask hints] f _ /acceptP[checked <-].
by have inf : ~ feasible (selection_of Pok) by [exact: spanning_check_sound checked]; split.
Qed.

Definition spanning_kind : claim_kind N := ClaimKind spanning_holds.
End Feasibility.
