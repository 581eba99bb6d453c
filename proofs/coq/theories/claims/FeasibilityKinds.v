(* FeasibilityKinds: the claims `feasible` and `infeasible`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Number Rows Entries TokenData MarginChecks OptimalityChecks ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Feasibility.
Variable N : number.

(* ---- feasible: a vector whose combination separates ---- *)

Definition feasible_says : claim_statement N (vector N) := fun D alpha separator => feasible alpha.

Definition feasible_claim_check : claim_checker N (vector N) := fun quick D picks cited separator =>
  accept (feasible_check D picks separator) FeasibleFact.

Theorem feasible_holds : check_holds feasible_says feasible_claim_check.
Proof.
move=> quick D picks Dok Pok cited v f _ /acceptP[checked <-].
by have feas : feasible (selection_of Pok) := feasible_check_sound Dok Pok checked.
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
End Feasibility.
