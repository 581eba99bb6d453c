(* RunKinds: the claims `run` and `path-inequality`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Losses Number Rows Entries TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval AttentionIntervals Runs Replay RunChecks PathChecks RunClaims
                           ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section RunKinds.
Variable N : number.

(* What a statement about the run and its solution says, whatever best scores L* is the loss of. *)
Definition of_run (D : token_data N) (alpha : selection (problem D)) (r : run_claim N)
    (says : vec (coord (problem D)) -> R -> Prop) : Prop :=
  exists ws, [/\ max_margin alpha ws, 0 < vnorm ws &
    forall b : selection (problem D), best b -> says ws (least_loss b (loss_of (run_loss r)))].

(* ---- run: what is seen of the iterates, replayed ---- *)

Record run_data := RunData { run_from : nat; run_said : run_claim N }.

Definition run_says : claim_statement N run_data := fun D alpha x =>
  of_run alpha (run_said x) (fun ws least => run_holds alpha ws least (run_said x)).

Definition run_claim_check : claim_checker N run_data := fun quick D picks cited x =>
  let r := run_said x in
  if close_solution (precision r) (cited (run_from x)) is Some (v, radius)
  then omap (fun kept => RunFact (run_loss r) (run_specification r) kept.1 (places r) kept.2)
    (run_check D picks r (direction_of D picks (precision r) v radius))
  else None.

Theorem run_kind_holds : check_holds run_says run_claim_check.
Proof.
move=> quick D picks Dok Pok cited [k r] f facts; rewrite /run_claim_check /=.
case known: (close_solution _ _) => [[v radius] | ] //; case H: run_check => [path | ] // [<-].
have [ws [x [vok M Hx near]]] := close_solutionP (facts k) known.
have [s0 all_best] := run_check_sound Dok vok Hx near H.
by split; exists ws; split=> // b /all_best[].
Qed.

Definition run_kind : claim_kind N := ClaimKind run_kind_holds.

(* ---- path-inequality: x^2 grows at most M times as fast as y, of a run claimed before ---- *)

Record path_data := PathData {
  path_of : nat; path_run : run_claim N; path_from : nat; path_until : nat; path_said : fraction N
}.

Definition path_says : claim_statement N path_data := fun D alpha x =>
  let r := path_run x in
  of_run alpha r (fun ws least => path_holds ws (@trajectory N D (run_loss r) (run_specification r) least)
                                    (path_from x) (path_until x) (fraction_real (path_said x))).

Definition path_claim_check : claim_checker N path_data := fun quick D picks cited x =>
  let r := path_run x in
  if cited (path_of x) is RunFact l s path _ _
  then accept (same_run l (run_loss r) s (run_specification r) &&
               path_check (precision r) path (path_from x) (path_until x) (path_said x)) Nothing
  else None.

Theorem path_kind_holds : check_holds path_says path_claim_check.
Proof.
move=> quick D picks Dok Pok cited [k r from until M] f facts; rewrite /path_claim_check /=.
have := facts k; case: (cited k) => // l s path F passed [ws [max s0 encloses]] /acceptP[/andP[same H] <-]; split=> //;
  exists ws.
split=> // b Hb; move: (proj1 (encloses b Hb)).
rewrite (same_run_trajectory _ _ same) (same_loss_eq (proj1 (andP same))).
by move=> places; exact: path_check_sound places H.
Qed.

Definition path_kind : claim_kind N := ClaimKind path_kind_holds.
End RunKinds.
