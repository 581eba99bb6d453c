(* LocalChecks: the executable hypotheses of T11, the absorbing region of a locally optimal selection, at one point:
   HeadLocal.v's, of the tables of a scalar loss's factors (LocalTables.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals ZArith.
From Attest Require Import Euclid Selection Heads Claims Runs Forever HeadForever Number TokenData MarginChecks
                           OptimalityChecks EnclosureChecks AttentionIntervals ReferenceIntervals RegionIntervals
                           ForeverChecks LaterTheorem LocalFactors LocalTables FactorTables HeadLocal Pulls.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* T11's own constants. *)
Record local_data (N : number) := LocalData {
  local_attentions : seq (fraction N);      (* eps_i, one for each group *)
  local_outside_mask : seq (seq bool);      (* constraints of positive gap in N *)
  local_step_bound : fraction N;            (* h *)
  local_ratio : fraction N;                 (* rho *)
  local_extra : fraction N;                 (* C1 *)
  local_theta : fraction N
}.

(* What the checks of any head are given of a scalar loss. *)
Section Scalar.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Variables (l : loss_name) (x : local_data N).

Definition local_region_tables : factor_tables N :=
  local_tables D P picks l (local_attentions x) (local_outside_mask x).
Definition local_cone : cone_data N :=
  ConeData (local_step_bound x) (local_ratio x) (local_extra x) (local_theta x).
Definition local_tables_check : bool :=
  ranges_check D P picks (local_attentions x) (local_outside_mask x) && labelled_check D picks l.

Lemma local_region_hold : local_tables_check -> tables_hold Pok local_region_tables
  (scalar_head (problem D) (loss_of l)) (local_range Pok l (local_attentions x) (local_outside_mask x)).
Proof. by case/andP=> ranges /(labelled_check_sound Dok Pok) labels; exact: local_tables_hold. Qed.
End Scalar.

(* ---- T11 as a theorem for all later steps ---- *)

Section LaterTheorem.
Variable N : number.

Definition local_check : later_check N (local_data N) := fun D P picks l f w s first c x =>
  local_tables_check D P picks l x &&
  head_local_check D P picks (local_region_tables D P picks l x) f w s first (local_cone x) c.

Lemma local_constraint : needs_constraint local_check.
Proof. by move=> D P picks Pok l f w s first c x /andP[_ /andP[/andP[H _] _]]; exact: has_constraintP. Qed.

Lemma local_not_polyak D P picks l f w s first c x : local_check D P picks l f w s first c x ->
  spec_rule s <> PolyakSteps.
Proof. by move=> /andP[_ /and5P[_ _ _ _ /andP[H _]]] E; move: H; rewrite /cone_rule_check E. Qed.

Theorem local_later_holds : later_holds false local_check.
Proof.
move=> D P picks Dok Pok l f w s first c x ws w0 lam sol ref pt checked.
split=> [|polyak]; last by case: (local_not_polyak checked polyak).
have /andP[/(local_region_hold Dok Pok) hold region] := checked; apply/scalar_forever.
exact (head_local_sound Dok (least_loss _ _) sol ref pt hold region (head_local_constraint pt region)).
Qed.

Definition local_theorem : later_theorem N := LaterTheorem local_constraint local_later_holds.
End LaterTheorem.
