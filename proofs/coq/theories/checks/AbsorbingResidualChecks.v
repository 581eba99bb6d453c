(* AbsorbingResidualChecks: the executable hypotheses of T14, the bounded residual, in the region of T10, at one point:
   HeadResidual.v's, of the tables of a scalar loss's factors (AbsorbingChecks.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals ZArith.
From Attest Require Import Euclid Selection Heads Claims Saturation Runs Forever HeadForever Number TokenData
                           OptimalityChecks EnclosureChecks AttentionIntervals ReferenceIntervals RegionIntervals
                           ForeverChecks LaterTheorem HeadAbsorbing HeadResidual AbsorbingChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section LaterTheorem.
Variable N : number.

Record absorbing_residual_data := AbsorbingResidualData {
  absorbing_residual_evidence : residual_data N; absorbing_residual_region : absorbing_data N
}.

Definition absorbing_residual_check : later_check N absorbing_residual_data := fun D P picks l f w s first c x =>
  let region := absorbing_residual_region x in
  absorbing_tables_check D P picks l region &&
  head_absorbing_residual_check D P picks (absorbing_tables D P picks l region) f w s first
    (absorbing_residual_evidence x) c (absorbing_step_bound region)
    (absorbing_thetas D P picks l region (spec_rule s)).

Lemma absorbing_residual_needs : needs_constraint absorbing_residual_check.
Proof.
move=> D P picks Pok l f w s first c x /andP[_ /andP[/andP[/andP[H _] _] _]]; exact: has_constraintP.
Qed.

Theorem absorbing_residual_later_holds : later_holds false absorbing_residual_check.
Proof.
move=> D P picks Dok Pok l f w s first c x ws w0 lam sol ref pt /andP[tables checked].
split=> [|_]; last exact (absorbing_optimal Dok tables); apply/scalar_forever; have /and4P[region _ _ _] := checked.
exact (head_absorbing_residual_sound Dok sol ref pt (absorbing_tables_hold Dok Pok tables) checked
  (absorbing_polyak_range Dok tables sol ref pt region)).
Qed.

Definition absorbing_residual_theorem : later_theorem N :=
  LaterTheorem absorbing_residual_needs absorbing_residual_later_holds.
End LaterTheorem.
