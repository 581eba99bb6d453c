(* ResidualChecks: the executable hypotheses of T14, the bounded residual, in the region of T11, at one point:
   HeadResidual.v's, of the tables of a scalar loss's factors (LocalChecks.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals ZArith.
From Attest Require Import Euclid Selection Heads Claims Saturation Runs Forever HeadForever Number TokenData
                           OptimalityChecks EnclosureChecks AttentionIntervals ReferenceIntervals RegionIntervals
                           ForeverChecks LaterTheorem HeadLocal HeadResidual LocalChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section LaterTheorem.
Variable N : number.

Record local_residual_data := LocalResidualData {
  local_residual_evidence : residual_data N; local_residual_region : local_data N
}.

Definition local_residual_check : later_check N local_residual_data := fun D P picks l f w s first c x =>
  let region := local_residual_region x in
  local_tables_check D P picks l region &&
  head_local_residual_check D P picks (local_region_tables D P picks l region) f w s first (local_residual_evidence x) c
    (local_cone region).

Lemma local_residual_region_check D P picks l f w s first c x : local_residual_check D P picks l f w s first c x ->
  local_check D P picks l f w s first (region_conclusion (local_residual_evidence x) c) (local_residual_region x).
Proof. by case/andP=> tables /and3P[region _ _]; apply/andP. Qed.

Lemma local_residual_needs : needs_constraint local_residual_check.
Proof.
move=> D P picks Pok l f w s first c x /andP[_ /andP[/andP[/andP[H _] _] _]]; exact: has_constraintP.
Qed.

Theorem local_residual_later_holds : later_holds false local_residual_check.
Proof.
move=> D P picks Dok Pok l f w s first c x ws w0 lam sol ref pt checked.
split=> [|polyak]; last by case: (local_not_polyak (local_residual_region_check checked) polyak).
have /andP[/(local_region_hold Dok Pok) hold region] := checked; apply/scalar_forever.
exact (head_local_residual_sound Dok (least_loss _ _) sol ref pt hold region).
Qed.

Definition local_residual_theorem : later_theorem N := LaterTheorem local_residual_needs local_residual_later_holds.
End LaterTheorem.
