(* ForeverKinds: the claims about all later steps, `forever-from-point` and `forever-from-run`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Losses Number Rows Entries TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval AttentionIntervals Runs Forever ReferenceIntervals ForeverChecks
                           ForeverEvidence ForeverClaims Replay PathChecks RunClaims ForeverRun ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section ForeverKinds.
Variable N : number.

(* ---- from a matrix ---- *)

Record point_data := PointData {
  point_from : nat; point_loss : option loss_name; point_steps : step_rule N; point_start : origin N;
  point_evidence : forever_evidence N; point_said : conclusion N
}.

Definition point_says : claim_statement N point_data := fun D alpha x =>
  for_loss (point_loss x) (fun l =>
    forever_meaning alpha l (point_steps x) (point_start x) (point_evidence x) (point_said x)).

Definition point_claim_check : claim_checker N point_data := fun quick D picks cited x =>
  if (locate_solution (cited (point_from x)), point_loss x) is (Some s, Some l)
  then accept (forever_check D picks (located_vector s) (located_margins s) (located_mask s) (located_distance s)
                 (located_multiplier_distance s) l (point_steps x) (point_start x) (point_evidence x) (point_said x))
         Nothing
  else None.

Theorem point_holds : check_holds point_says point_claim_check.
Proof.
move=> quick D picks Dok Pok cited [k l s m e c] f facts; rewrite /point_claim_check /=.
case known: (locate_solution _) => [v | ] //; case: l => // l.
have [x [y [ws [lam [vok -> sol Hx Hy]]]]] := locate_solutionP (facts k) known.
by case/acceptP=> H <-; split=> //; exact: (forever_check_sound Dok vok sol Hx Hy H).
Qed.

Definition point_kind : claim_kind N := ClaimKind point_holds.

(* ---- from a step of a run ---- *)

Record from_run_data := FromRunData {
  later_from : nat; later_of : nat; later_run : run_claim N; later_step : nat; later_evidence : forever_evidence N;
  later_said : conclusion N
}.

Definition from_run_says : claim_statement N from_run_data := fun D alpha x =>
  forever_run_meaning (later_run x) alpha (later_step x) (later_evidence x) (later_said x).

Definition from_run_check : claim_checker N from_run_data := fun quick D picks cited x =>
  if (locate_solution (cited (later_from x)), cited (later_of x)) is (Some v, RunFact l s _ F passed) then
    let r := later_run x in
    if found_at (later_step x) passed is Some o then
      accept (same_run l (run_loss r) s (run_specification r) &&
              forever_run_check D picks r (located_vector v) (located_margins v) (located_mask v) (located_distance v)
                (located_multiplier_distance v) s F o (later_step x) (later_evidence x) (later_said x)) Nothing
    else None
  else None.

Theorem from_run_holds : check_holds from_run_says from_run_check.
Proof.
move=> quick D picks Dok Pok cited [k j run t e c] f facts; rewrite /from_run_check /=.
case known: (locate_solution _) => [v | ] //; have := facts j; case: (cited j) => // l s path F passed.
move=> [ws' [_ _ reached]]; case found: found_at => [o | ] //.
have [x [y [ws [lam [vok -> sol Hx Hy]]]]] := locate_solutionP (facts k) known.
case/acceptP=> /andP[same H] <-; split=> //.
have E := same_loss_eq (proj1 (andP same)); rewrite E in same reached.
apply: (forever_run_check_sound Dok vok sol Hx Hy same _ H) => b Hb.
exact: (proj2 (reached b Hb)) _ _ (found_at_in found).
Qed.

Definition from_run_kind : claim_kind N := ClaimKind from_run_holds.
End ForeverKinds.
