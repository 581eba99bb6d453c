(* RegularisationPathKind: the claim `regularisation-path`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Number Rows Entries TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval AttentionIntervals ReferenceIntervals RegularisationPathChecks
                           ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section RegularisationPathKind.
Variable N : number.

Record regularisation_data := RegularisationData {
  regularisation_from : nat; regularisation_loss : option loss_name; from_radius : fraction N; rate_constant : fraction N
}.

Definition regularisation_says (D : token_data N) (alpha : selection (problem D)) (x : regularisation_data) : Prop :=
  for_loss (regularisation_loss x) (fun l => path_meaning alpha l (from_radius x) (rate_constant x)).

Definition regularisation_claim_check (quick : entries N) (D : token_data N) picks (cited : nat -> fact N)
    (x : regularisation_data) : option (fact N) :=
  if (locate_solution (cited (regularisation_from x)), regularisation_loss x) is (Some s, Some l)
  then accept (regularisation_path_check D picks (located_vector s) (located_margins s) (located_mask s)
                 (located_distance s) (located_multiplier_distance s) l (from_radius x) (rate_constant x)) Nothing
  else None.

Theorem regularisation_holds : check_holds regularisation_says regularisation_claim_check.
Proof.
move=> quick D picks Dok Pok cited [k l F K] f facts; rewrite /regularisation_claim_check /=.
case known: (locate_solution _) => [v | ] //; case: l => // l.
have [x [y [ws [lam [vok -> sol Hx Hy]]]]] := locate_solutionP (facts k) known.
by case/acceptP=> H <-; split=> //; exact: (regularisation_path_check_sound Dok vok sol Hx Hy H).
Qed.

Definition regularisation_kind : claim_kind N := ClaimKind regularisation_holds.
End RegularisationPathKind.
