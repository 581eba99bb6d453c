(* SeparabilityKinds: the claims `margin-at-most`, `conflicts`, `separable-without` and `robust-radius`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Separability RobustRadius Claims Number Rows Entries TokenData
  MarginChecks
                           OptimalityChecks SeparabilityChecks RobustRadiusChecks ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section SeparabilityKinds.
Variable N : number.

(* ---- margin-at-most: nothing shorter than 1/bound separates ---- *)

Record margin_at_most_data := MarginAtMostData { margin_bound : fraction N; margin_combination : vector N }.

Definition margin_at_most_says : claim_statement N margin_at_most_data := fun D alpha x =>
  forall w, separates alpha w -> 1 <= fraction_real (margin_bound x) * vnorm w.

Definition margin_at_most_claim_check : claim_checker N margin_at_most_data := fun quick D picks cited x =>
  accept (margin_at_most_check D picks (margin_combination x) (margin_bound x)) Nothing.

Theorem margin_at_most_holds : check_holds margin_at_most_says margin_at_most_claim_check.
Proof.
by move=> quick D picks Dok Pok cited [q v] f _ /acceptP[H <-]; split=> //; exact: margin_at_most_check_sound H.
Qed.

Definition margin_at_most_kind : claim_kind N := ClaimKind margin_at_most_holds.

(* ---- conflicts: groups that cannot be separated together, and vectors over their constraints ---- *)

Definition conflicts_data : Type := seq (seq nat * vector N).

Definition conflicts_says : claim_statement N conflicts_data := fun D alpha cs => must_leave_out alpha (size cs).

Definition conflicts_claim_check : claim_checker N conflicts_data := fun quick D picks cited cs =>
  accept (conflicts_check D picks cs) Nothing.

Theorem conflicts_holds : check_holds conflicts_says conflicts_claim_check.
Proof. by move=> quick D picks Dok Pok cited cs f _ /acceptP[H <-]; split=> //; exact: conflicts_check_sound H. Qed.

Definition conflicts_kind : claim_kind N := ClaimKind conflicts_holds.

(* ---- separable-without: a vector whose combination separates all other groups ---- *)

Record separable_without_data := SeparableWithoutData { left_out : seq nat; rest_separator : vector N }.

Definition separable_without_says : claim_statement N separable_without_data := fun D alpha x =>
  separable_in alpha (fun i : group (problem D) => ((i : 'I_(size (sequences D))) : nat) \notin left_out x).

Definition separable_without_claim_check : claim_checker N separable_without_data := fun quick D picks cited x =>
  accept (separable_without_check D picks (rest_separator x) (left_out x)) Nothing.

Theorem separable_without_holds : check_holds separable_without_says separable_without_claim_check.
Proof.
by move=> quick D picks Dok Pok cited [out v] f _ /acceptP[H <-]; split=> //; exact: separable_without_check_sound H.
Qed.

Definition separable_without_kind : claim_kind N := ClaimKind separable_without_holds.

(* ---- robust-radius: what the norm of a separating matrix leaves room for ---- *)

(* queries_move: in self-attention the queries are rows of tokens, and move like these. *)
Record robust_data := RobustData { robust_from : nat; robust_radius : fraction N; queries_move : bool }.

Definition robust_says : claim_statement N robust_data := fun D alpha x =>
  forall (rows : token (problem D) -> vec [finType of 'I_(left_dimension D)])
         (queries : group (problem D) -> vec [finType of 'I_(right_dimension D)]),
    (forall t, vdist (rows t) (@TokenData.x N D t) <= fraction_real (robust_radius x)) ->
    (forall i, if queries_move x then vdist (queries i) (@TokenData.z N D i) <= fraction_real (robust_radius x)
               else queries i = @TokenData.z N D i) ->
    rows_separable (constraint alpha) (selected alpha) (@group_of (problem D)) rows queries.

Definition robust_claim_check : claim_checker N robust_data := fun quick D picks cited x =>
  if separating_norm D (cited (robust_from x)) is Some q
  then accept (robust_radius_check D picks q (robust_radius x) (queries_move x)) Nothing
  else None.

Theorem robust_holds : check_holds robust_says robust_claim_check.
Proof.
move=> quick D picks Dok Pok cited [k r itself] f facts; rewrite /robust_claim_check /=.
case known: (separating_norm D _) => [q | ] // /acceptP[H <-]; split=> //.
have [w [sep short]] := separating_normP Dok (facts k) known.
exact: (robust_radius_check_sound Dok sep short H).
Qed.

Definition robust_kind : claim_kind N := ClaimKind robust_holds.
End SeparabilityKinds.
