(* SupportKinds: the claims `support`, `strictly-complementary` and `not-strictly-complementary`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Number Rows Entries TokenData MarginChecks OptimalityChecks
                           EnclosureChecks ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Supports.
Variable N : number.
Notation tokens_of D mask := (@in_mask N D mask).

(* ---- support: the constraints that are tight at the solution, from `optimal` or a lambda-min enclosure ---- *)

Record support_data := SupportData { support_from : nat; support_tokens : seq (seq bool) }.

Definition support_says : claim_statement N support_data := fun D alpha x =>
  support_is alpha (tokens_of D (support_tokens x)).

Definition same_masks (a b : seq (seq bool)) : bool := a == b.

Definition support_claim_check : claim_checker N support_data := fun quick D picks cited x =>
  let mask := support_tokens x in
  match cited (support_from x) with
  | ExactFact v _ m => accept (support_check D picks v m mask) (SupportFact mask (Some v))
  | BallFact _ _ _ mask' _ _ _ => accept (same_masks mask mask') (SupportFact mask None)
  | _ => None
  end.

Theorem support_holds : check_holds support_says support_claim_check.
Proof.
move=> quick D picks Dok Pok cited [k mask] f facts; rewrite /support_claim_check /=.
have := facts k; case: (cited k) => // [v w m | v w m mask' r q high] /=.
  by move=> [vok _ -> sol] /acceptP[H <-]; have S := support_check_is Dok vok H sol.
move=> [vok _ mok rok [_ _ [lo B]]] /acceptP[/eqP -> <-].
by have S := support_sound_ball B; split=> //; split=> //; apply: strictly_complementary_sound_ball B.
Qed.

Definition support_kind : claim_kind N := ClaimKind support_holds.

(* ---- strictly-complementary: by the cited multipliers, or by others with the same combination ---- *)

Record strict_data := StrictData { strict_from : nat; strict_multipliers : option (vector N) }.

Definition strict_says : claim_statement N strict_data := fun D alpha x => strictly_complementary alpha.

Definition strict_claim_check : claim_checker N strict_data := fun quick D picks cited x =>
  match cited (strict_from x), strict_multipliers x with
  | SupportFact mask (Some v), Some mu => accept (complementary_check D picks v mu mask) Nothing
  | SupportFact mask (Some v), None => accept (positive_on_check picks v mask) Nothing
  | SupportFact mask None, None => Some Nothing
  | _, _ => None
  end.

Theorem strict_holds : check_holds strict_says strict_claim_check.
Proof.
move=> quick D picks Dok Pok cited [k mu] f facts; rewrite /strict_claim_check /=.
have := facts k; case: (cited k) => // mask [v | ] /=; last by move=> [_ _ sc]; case: mu => // -[<-].
move=> [vok sup _ sol]; case: mu => [m | ] /acceptP[H <-]; split=> //.
  exact: (complementary_check_sound Dok vok sup sol H).
have mok := proj1 (andP sup).
apply: (strictly_complementary_sound sol (A := tokens_of D mask)) => [t | t it | t ct nt | //].
- exact: support_check_sound.
- by have := positive_on_check_sound vok mok H (mask_constraint Pok mok it); rewrite it.
by have := positive_on_check_sound vok mok H ct; rewrite (negbTE nt).
Qed.

Definition strict_kind : claim_kind N := ClaimKind strict_holds.

(* ---- not-strictly-complementary: a direction that makes the multiplier of one token vanish ---- *)

Record not_strict_data := NotStrictData {
  not_strict_from : nat; not_strict_group : nat; not_strict_token : nat; not_strict_direction : vector N
}.

Definition not_strict_says : claim_statement N not_strict_data := fun D alpha x =>
  exists t, is_token (not_strict_group x) (not_strict_token x) t /\ multiplier_vanishes alpha t.

Definition not_strict_claim_check : claim_checker N not_strict_data := fun quick D picks cited x =>
  if cited (not_strict_from x) is SupportFact mask (Some v)
  then accept (vanishing_check D picks v (not_strict_direction x) mask (not_strict_group x) (not_strict_token x))
    Nothing
  else None.

Theorem not_strict_holds : check_holds not_strict_says not_strict_claim_check.
Proof.
move=> quick D picks Dok Pok cited [k i s x] f facts; rewrite /not_strict_claim_check /=.
have := facts k; case: (cited k) => // mask [v | ] //= [vok sup _ sol] /acceptP[H <-]; split=> //.
exact: (vanishing_check_sound Dok vok sup sol H).
Qed.

Definition not_strict_kind : claim_kind N := ClaimKind not_strict_holds.
End Supports.
