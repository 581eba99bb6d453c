(* SolutionKinds: the claims `optimal` and `optimal-enclosure`, form gap and form lambda-min. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Number Rows Entries TokenData MarginChecks OptimalityChecks GramBound
                           EnclosureChecks ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Solutions.
Variable N : number.
Notation values D v := (@coefficient_of N D v).

(* ---- optimal: the combination of the multipliers is the solution ---- *)

Record optimal_data := OptimalData { optimal_norm : fraction N (* squared *); optimal_multipliers : vector N }.

Definition optimal_says : claim_statement N optimal_data := fun D alpha x =>
  let w := W alpha (values D (optimal_multipliers x)) in
  max_margin alpha w /\ vnorm2 w = fraction_real (optimal_norm x).

Definition optimal_claim_check : claim_checker N optimal_data := fun quick D picks cited x =>
  let v := optimal_multipliers x in
  let w := weights D picks v in
  let m := margins_of D picks w in
  accept (optimal_check D picks v m (optimal_norm x)) (ExactFact v w m).

Theorem optimal_holds : check_holds optimal_says optimal_claim_check.
Proof.
move=> quick D picks Dok Pok cited [q v] f _ /acceptP[checked <-];
  have [sol nrm] := optimal_check_sound Dok Pok checked.
by split; [split=> //; case: sol | split=> //; case/and5P: checked].
Qed.

Definition optimal_kind : claim_kind N := ClaimKind optimal_holds.

(* ---- optimal-enclosure, form gap: a point and a dual point ---- *)

Record gap_data := GapData {
  gap_low : fraction N; gap_high : fraction N; gap_distance_squared : fraction N; gap_primal : vector N;
  gap_dual : vector N
}.

Definition gap_says : claim_statement N gap_data := fun D alpha x =>
  gap_enclosure alpha (fraction_real (gap_low x)) (fraction_real (gap_high x)) (fraction_real (gap_distance_squared x))
    (W alpha (values D (gap_primal x))).

Definition gap_claim_check : claim_checker N gap_data := fun quick D picks cited x =>
  let v := gap_primal x in
  let m := margins D picks v in
  accept (gap_check D picks v m (gap_dual x) (gap_low x) (gap_high x) (gap_distance_squared x))
    (GapFact v m (gap_distance_squared x) (gap_high x)).

Theorem gap_holds : check_holds gap_says gap_claim_check.
Proof.
move=> quick D picks Dok Pok cited [lo hi r v w] f _ /acceptP[H <-]; have G := gap_check_sound Dok Pok H.
split=> //; split=> //; [by case/and5P: H | by case/and5P: H => _ _ _ _ /andP[/and3P[]] | ].
by exists (fraction_real lo).
Qed.

Definition gap_kind : claim_kind N := ClaimKind gap_holds.

(* ---- optimal-enclosure, form lambda-min: approximate multipliers and an eigenvalue bound ---- *)

Record ball_data := BallData {
  ball_low : fraction N; ball_high : fraction N; ball_radius : fraction N; ball_multiplier_radius : fraction N;
  ball_eigenvalue : fraction N; ball_active : seq (seq bool); ball_multipliers : vector N; ball_hints : gram_hints N
}.

Definition ball_says : claim_statement N ball_data := fun D alpha x =>
  ball_enclosure alpha (@in_mask N D (ball_active x)) (values D (ball_multipliers x)) (fraction_real (ball_low x))
    (fraction_real (ball_high x)) (fraction_real (ball_radius x) * fraction_real (ball_radius x))
    (fraction_real (ball_multiplier_radius x)).

Definition ball_claim_check : claim_checker N ball_data := fun quick D picks cited x =>
  let v := ball_multipliers x in
  let w := weights D picks v in
  let m := margins_of D picks w in
  accept (ball_check quick D picks v m (ball_active x) (ball_hints x) (ball_low x) (ball_high x) (ball_radius x)
            (ball_multiplier_radius x) (ball_eigenvalue x))
    (BallFact v w m (ball_active x) (ball_radius x) (ball_multiplier_radius x) (ball_high x)).

Theorem ball_holds : check_holds ball_says ball_claim_check.
Proof.
move=> quick D picks Dok Pok cited [lo hi r q s mask v hints] f _ /acceptP[H <-]; have B := ball_check_sound Dok Pok H.
have /and5P[vok mok /and5P[_ _ rok qok _] /and3P[_ r0 q0] _] := H.
split=> //; split=> //; split; [exact: fraction_ge0 | exact: fraction_ge0 | by exists (fraction_real lo)].
Qed.

Definition ball_kind : claim_kind N := ClaimKind ball_holds.
End Solutions.
