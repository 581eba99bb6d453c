(* LossKinds: claims about the training loss that cite nothing: `smoothness` and `stationary`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Number Rows Entries TokenData MarginChecks OptimalityChecks
                           EnclosureChecks AttentionIntervals Smoothness SmoothnessChecks StationaryChecks ForeverClaims
                           LabelSmoothness ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section LossClaims.
Variable N : number.

(* ---- smoothness: the gradient is Lipschitz with the constant ---- *)

Record smoothness_data := SmoothnessData {
  smoothness_loss : option loss_name (* the problem's *); smoothness_beta : fraction N
}.

(* Bits of the intervals that enclose a smoothness constant. *)
Definition smoothness_precision : Z := 192.

Definition smoothness_says : claim_statement N smoothness_data := fun D alpha x =>
  for_loss (smoothness_loss x) (fun l => gradient_lipschitz_with (problem D) l (fraction_real (smoothness_beta x))).

Definition smoothness_claim_check : claim_checker N smoothness_data := fun quick D picks cited x =>
  if smoothness_loss x is Some l then
    accept (if everywhere l then smoothness_check D smoothness_precision l (smoothness_beta x)
            else label_smoothness_check D smoothness_precision (smoothness_beta x)) Nothing
  else None.

Theorem smoothness_holds : check_holds smoothness_says smoothness_claim_check.
Proof.
move=> quick D picks Dok Pok cited [[l | ] beta] f _ //; rewrite /smoothness_claim_check /= =>
  /acceptP[+ <-].
case all_outputs: (everywhere l) => H; split=> //; first exact: (smoothness_check_sound Dok Pok all_outputs H).
by case: (l) all_outputs => // _; exact: (label_smoothness_sound Dok H).
Qed.

Definition smoothness_kind : claim_kind N := ClaimKind smoothness_holds.

(* ---- stationary: the gradient is 0 at a matrix ---- *)

Record stationary_data := StationaryData { stationary_loss : option loss_name; stationary_start : origin N }.

Definition stationary_says : claim_statement N stationary_data := fun D alpha x =>
  for_loss (stationary_loss x) (fun l => gradient (loss_of l) (@origin_point N D (stationary_start x)) = vzero).

Definition stationary_claim_check : claim_checker N stationary_data := fun quick D picks cited x =>
  let m := stationary_start x in
  if stationary_loss x is Some l then accept (stationary_check D picks l (origin_rows m) (origin_unit m)) Nothing
  else None.

Theorem stationary_holds : check_holds stationary_says stationary_claim_check.
Proof.
move=> quick D picks Dok Pok cited [[l | ] m] f _ //; rewrite /stationary_claim_check /= => /acceptP[H <-].
by split=> //; exact: (stationary_check_sound Dok Pok H).
Qed.

Definition stationary_kind : claim_kind N := ClaimKind stationary_holds.
End LossClaims.
