(* LaterTheorem: what a theorem for all later steps is to the checker.

   A record: the constants its hypotheses are checked with, whether its centre is the natural one, the check at an
   enclosed point, and the proofs that a point that passes has a constraint and the claim. The check of each theorem
   ends with its record; ForeverEvidence.v has them in a table, and nothing else knows of them. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Claims Runs Forever Number TokenData MarginChecks OptimalityChecks
                           AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* About the natural centre, or about some centre orthogonal to u. *)
Definition claim_about (centred : bool) (p : selection_problem) (alpha : selection p) (l : loss) :=
  if centred then centred_forever_claim alpha l else forever_claim alpha l.

Section Theorems.
Variable N : number.

(* Bits, the tokens selected, the loss, what encloses the solution and the point, the rule, the number of the first
   later step, and the constants of the claim; then the theorem's own constants. *)
Definition later_check (data : Type) : Type :=
  token_data N -> Z -> seq nat -> loss_name -> enclosed_reference N -> point N -> step_rule N -> nat ->
    conclusion N -> data -> bool.

Definition needs_constraint (data : Type) (check : later_check data) : Prop :=
  forall D P picks (Pok : picks_ok D picks) l f w s first c x, check D P picks l f w s first c x ->
  exists t, constraint (selection_of Pok) t.

(* For Polyak steps the scores of L* are the selected ones. *)
Definition later_holds (data : Type) (centred : bool) (check : later_check data) : Prop :=
  forall (D : token_data N) P picks (Dok : data_ok D) (Pok : picks_ok D picks) l f w s first c x ws w0 lam,
  solution_with (selection_of Pok) ws lam -> reference_encloses Pok f ws lam -> point_encloses Pok ws l w w0 ->
  check D P picks l f w s first c x ->
  claim_about centred (selection_of Pok) (loss_of l) (spec_rule s)
    (later_steps (spec_schedule s) (fraction_real (spec_step s)) first) w0 (constants_of c) /\
  (spec_rule s = PolyakSteps -> globally_optimal (selection_of Pok)).

Record later_theorem := LaterTheorem {
  theorem_data : Type;
  theorem_centred : bool;
  theorem_check : later_check theorem_data;
  theorem_constraint : needs_constraint theorem_check;
  theorem_holds : later_holds theorem_centred theorem_check
}.
End Theorems.
