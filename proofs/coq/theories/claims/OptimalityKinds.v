(* OptimalityKinds: the claims `locally-optimal`, `not-locally-optimal`, `globally-optimal`, `not-globally-optimal` and
   `score-tie`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Number Rows Entries TokenData MarginChecks OptimalityChecks
                           EnclosureChecks ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Optimality.
Variable N : number.

(* ---- locally-optimal: the tokens of the support score lower than the selected ones ---- *)

(* Constraints without a positive score gap are certainly slack in the ball of squared radius num / den. *)
Definition far_local_check (D : token_data N) (picks : seq nat) (v : vector N) (m : seq (seq N)) (num den : N) : bool :=
  let u := margin_unit D v in
  constraints_all (fun gml => lt zero gml.1 || far_check D u num den gml.2.1 gml.2.2) picks
    (zip_rows (gaps D picks) (zip_rows m (lengths D picks))).

Lemma far_local_check_sound (D : token_data N) (picks : seq nat) (Dok : data_ok D) (Pok : picks_ok D picks) v num den
    wstar r2 :
  vector_ok D picks v -> 0 < real den -> real num / real den = r2 -> max_margin (selection_of Pok) wstar ->
  vnorm2 (W (selection_of Pok) (@coefficient_of N D v) - wstar)%V <= r2 ->
  far_local_check D picks v (margins D picks v) num den -> locally_optimal (selection_of Pok).
Proof.
move=> vok d0 E M dist H; apply: (locally_optimal_sound_distance M dist) => t ct g0.
have fml := fits_zip (fits_margins Pok (weights D picks v)) (fits_lengths Pok).
have := constraints_allP (zero, (zero, zero)) (fits_zip (fits_gaps Dok Pok) fml) H ct.
rewrite (at_token_zip _ _ _ (fits_gaps Dok Pok) fml) /= (at_token_zip _ _ _ (fits_margins Pok _) (fits_lengths Pok)) /=.
case/orP=> [pos | far]; first by have := gap_gt0 Dok Pok pos; move: g0; lra.
by rewrite -E; apply: (far_check_sound Dok Pok vok d0 far).
Qed.

(* The number of the claim about the support or the solution. *)
Definition local_says : claim_statement N nat := fun D alpha from => locally_optimal alpha.

Definition local_claim_check : claim_checker N nat := fun quick D picks cited from =>
  match cited from with
  | SupportFact mask _ => accept (locally_optimal_check D picks mask) Nothing
  | GapFact v m r _ => accept (far_local_check D picks v m (fraction_num r) (fraction_den r)) Nothing
  | BallFact v _ m _ r _ _ =>
      accept (far_local_check D picks v m (fraction_num (square r)) (fraction_den (square r))) Nothing
  | _ => None
  end.

Theorem local_holds : check_holds local_says local_claim_check.
Proof.
move=> quick D picks Dok Pok cited k f facts; rewrite /local_claim_check.
have := facts k; case: (cited k) => //.
- move=> v m r high /= [vok -> rok [lo [wstar [M _ dist]]]] /acceptP[H <-]; split=> //.
  exact: (far_local_check_sound Dok vok (fraction_den_gt0 rok) erefl M dist H).
- move=> v w m mask r q high /= [vok [_ ->] mok rok [_ _ [lo [wstar [lam [[M _] _ _ [dist _] _]]]]]] /acceptP[H <-].
  by split=> //; apply: (far_local_check_sound Dok vok (square_ok rok) _ M dist H); rewrite -square_real.
move=> mask ex /support_fact [mok sup] /acceptP[H <-]; split=> //.
exact: (locally_optimal_check_sound Dok mok sup H).
Qed.

Definition local_kind : claim_kind N := ClaimKind local_holds.

(* ---- not-locally-optimal: infeasible, or a token of the support that does not score lower ---- *)

Record not_local_data := NotLocalData { not_local_from : nat; not_local_at : option (nat * nat) }.

Definition not_local_says : claim_statement N not_local_data := fun D alpha x => ~ locally_optimal alpha.

Definition not_local_claim_check : claim_checker N not_local_data := fun quick D picks cited x =>
  match cited (not_local_from x), not_local_at x with
  | InfeasibleFact, None => Some Nothing
  | SupportFact mask _, Some (i, s) => accept (not_local_check D picks mask i s) Nothing
  | _, _ => None
  end.

Theorem not_local_holds : check_holds not_local_says not_local_claim_check.
Proof.
move=> quick D picks Dok Pok cited [k at_token] f facts; rewrite /not_local_claim_check /=.
have := facts k; case: (cited k) => //.
  by case: at_token => //= inf [<-]; split=> //; apply: not_locally_optimal_sound_infeasible.
move=> mask ex /support_fact [mok sup]; case: at_token => [[i s] | ] // /acceptP[H <-]; split=> //.
exact: (not_local_check_sound Dok sup H).
Qed.

Definition not_local_kind : claim_kind N := ClaimKind not_local_holds.

(* ---- globally-optimal: every selected token scores higher than the others of its group ---- *)

Definition global_says : claim_statement N unit := fun D alpha _ => globally_optimal alpha.

Definition global_claim_check : claim_checker N unit := fun quick D picks cited _ =>
  accept (global_check D picks) Nothing.

Theorem global_holds : check_holds global_says global_claim_check.
Proof.
by move=> quick D picks Dok Pok cited x f _ /acceptP[H <-]; split=> //; exact: (global_check_sound Dok H).
Qed.

Definition global_kind : claim_kind N := ClaimKind global_holds.

(* ---- not-globally-optimal: a token that scores as high ---- *)

Record not_global_data := NotGlobalData { not_global_group : nat; not_global_token : nat }.

Definition not_global_says : claim_statement N not_global_data := fun D alpha x => ~ globally_optimal alpha.

Definition not_global_claim_check : claim_checker N not_global_data := fun quick D picks cited x =>
  accept (not_global_check D picks (not_global_group x) (not_global_token x)) Nothing.

Theorem not_global_holds : check_holds not_global_says not_global_claim_check.
Proof.
move=> quick D picks Dok Pok cited [i s] f _ /acceptP[H <-]; split=> //; exact: (not_global_check_sound Dok H).
Qed.

Definition not_global_kind : claim_kind N := ClaimKind not_global_holds.

(* ---- score-tie: two tokens share the best score of their group ---- *)

Record tie_data := TieData { tie_group : nat; tie_token : nat; tie_other : nat }.

Definition tie_says : claim_statement N tie_data := fun D alpha x =>
  exists t t', [/\ is_token (tie_group x) (tie_token x) t, is_token (tie_group x) (tie_other x) t' &
                   @score_tie (problem D) t t'].

Definition tie_claim_check : claim_checker N tie_data := fun quick D picks cited x =>
  accept (tie_check D (tie_group x) (tie_token x) (tie_other x)) Nothing.

Theorem tie_holds : check_holds tie_says tie_claim_check.
Proof.
move=> quick D picks Dok Pok cited [i s u] f _ /acceptP[H <-]; split=> //; exact: (tie_check_sound Dok H).
Qed.

Definition tie_kind : claim_kind N := ClaimKind tie_holds.
End Optimality.
