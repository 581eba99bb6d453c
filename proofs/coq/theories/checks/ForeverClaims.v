(* ForeverClaims: the verified check of a claim about all later steps from a given matrix (`forever-from-point`). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Saturation Runs Forever Number Rows TokenData MarginChecks
                           OptimalityChecks EnclosureChecks Interval IntervalTables AttentionIntervals
                           ReferenceIntervals RegionIntervals ForeverChecks DominationChecks AbsorbingChecks
                           ForeverEvidence.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section ForeverClaims.
Variable N : number.

(* W_0, left_dimension rows of right_dimension numbers over one denominator. *)
Record origin := Origin { origin_rows : seq (seq N); origin_unit : N }.

(* Bits of the intervals. *)
Definition forever_precision : Z := 320.

Variables (D : token_data N) (picks : seq nat).
Notation P := forever_precision.

Definition origin_point (m : origin) : vec (coord (problem D)) := matrix_real (origin_rows m) (real (origin_unit m)).

Definition forever_meaning (alpha : selection (problem D)) (l : loss_name) (s : step_rule N) (m : origin)
    (e : forever_evidence N) (c : conclusion N) : Prop :=
  evidence_claim alpha (loss_of l) e (spec_rule s) (later_steps (spec_schedule s) (fraction_real (spec_step s)) 0)
    (origin_point m)
    (constants_of c) /\
  (* for Polyak steps the scores of L* are the selected ones *)
  (spec_rule s = PolyakSteps -> globally_optimal alpha).

(* The solution is W(v) up to r, its multipliers, positive on the mask, are v's up to q. *)
Definition forever_check (v : vector N) (margins_v : seq (seq N)) (mask : seq (seq bool)) (r q : interval N)
  (l : loss_name)
    (s : step_rule N) (m : origin) (e : forever_evidence N) (c : conclusion N) : bool :=
  let f := reference_of D P picks v margins_v mask r q in
  let w := point_of_matrix D P picks f l v r (origin_rows m) (origin_unit m) in
  [&& shaped (left_dimension D) (right_dimension D) (origin_rows m), lt zero (origin_unit m) &
      evidence_check D P picks l f w s 0 c e].

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.

Theorem forever_check_sound v mask r q (x y : R) ws lam l s m e c : vector_ok D picks v ->
  solved Pok v mask x y ws lam ->
  contains r x -> contains q y -> forever_check v (margins D picks v) mask r q l s m e c ->
    forever_meaning alpha l s m e c.
Proof.
move=> vok sol Hr Hq /and3P[sh /lt_real]; rewrite real0 => u0.
have [pair _ _ _ [dist _]] := sol => checked.
have cs := evidence_constraint Pok checked.
have ref := reference_of_encloses forever_precision Dok vok sol cs Hr Hq.
have dir := margin_direction_spec (proj1 (proj1 pair)) (proj2 pair) cs.
have pt := point_of_matrix_encloses forever_precision Dok ref dir l vok Hr dist sh u0.
exact (evidence_sound Dok pair ref pt checked).
Qed.
End ForeverClaims.
