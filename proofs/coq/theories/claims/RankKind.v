(* RankKind: the claim `rank`, the rank of the solution. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Rank Number Rows Entries TokenData MarginChecks OptimalityChecks
                           EnclosureChecks RankChecks ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section RankClaim.
Variable N : number.

Record rank_data := RankData { rank_from : nat; rank_value : nat; rank_low : rank_lower N; rank_high : rank_upper }.

Definition rank_says : claim_statement N rank_data := fun D alpha x => solution_rank_is alpha (rank_value x).

Definition rank_claim_check : claim_checker N rank_data := fun quick D picks cited x =>
  match cited (rank_from x) with
  | ExactFact v w _ =>
    accept (rank_check quick D picks (listed v) v w None (rank_value x) (rank_low x) (rank_high x)) Nothing
  | BallFact v w _ mask radius _ _ =>
      accept (rank_check quick D picks mask v w (Some radius) (rank_value x) (rank_low x) (rank_high x)) Nothing
  | _ => None
  end.

Theorem rank_holds : check_holds rank_says rank_claim_check.
Proof.
move=> quick D picks Dok Pok cited [k r lower upper] f facts; rewrite /rank_claim_check /=.
have := facts k; case: (cited k) => // [v w m | v w m mask radius q high] /=.
  by move=> [vok -> _ [M _]] /acceptP[H <-]; split=> //; apply: (rank_check_exact Dok vok M H).
move=> [vok [-> _] mok rok [_ _ [lo B]]] /acceptP[H <-]; split=> //.
exact: (rank_check_ball Dok vok mok rok B H).
Qed.

Definition rank_kind : claim_kind N := ClaimKind rank_holds.
End RankClaim.
