(* ScoreFloors: how far each selected score can fall, and a bound of 1 over the gaps of its group, make the floors that
   LockIn.v speaks about. Claims name them (LockInChecks.v) or they follow from the excess (FactoredForeverChecks.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith FunctionalExtensionality.
From Attest Require Import Euclid Selection Saturation Absorbing LockIn Number Rows TokenData MarginChecks
                           OptimalityChecks AttentionIntervals GlobalFactors LossFloors.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section ScoreFloors.
Variables (N : number) (D : token_data N) (picks : seq nat).
Hypothesis Pok : picks_ok D picks.
Let alpha : selection (problem D) := selection_of Pok.
Notation has_others := (has_others Pok).
Variables drop r : data_group D -> R.
Implicit Types (t : token (problem D)) (i : data_group D).

Definition lost_share i : R := drop i * r i.
Definition gap_room i : R := if has_others i then / r i else 1.     (* at most the least gap *)
Definition score_second i : R := score (alpha i) - gap_room i.
Definition score_floor i : R := score (alpha i) - drop i.

(* Nothing falls in groups of one token, and in others less than the least gap. *)
Record drops_ok : Prop := DropsOk {
  drop_gap_gt0 : forall i t, others alpha i t -> 0 < gap alpha t;
  drop_inverse_gap : forall i t, others alpha i t -> / gap alpha t <= r i;
  drop_ge0 : forall i, 0 <= drop i;
  drop_alone : forall i, ~~ has_others i -> drop i = 0;
  drop_lost_lt1 : forall i, lost_share i < 1
}.
Hypothesis ok : drops_ok.

Lemma inverse_gap_gt0 i : has_others i -> 0 < r i.
Proof.
by case/existsP=> t ti; have := drop_inverse_gap ok ti; have := Rinv_0_lt_compat _ (drop_gap_gt0 ok ti); lra.
Qed.

Lemma gap_room_gt0 i : 0 < gap_room i.
Proof. by rewrite /gap_room; case Hi: (has_others i); [apply/Rinv_0_lt_compat/inverse_gap_gt0 | lra]. Qed.

Lemma lost_share_room i : drop i = lost_share i * gap_room i.
Proof.
rewrite /lost_share /gap_room; case Hi: (has_others i); last by rewrite (drop_alone ok (negbT Hi)); ring.
by have := inverse_gap_gt0 Hi => r0; field; lra.
Qed.

Lemma score_second_le i t : others alpha i t -> score t <= score_second i.
Proof.
move=> ti; have Hi : has_others i by apply/existsP; exists t.
have g0 := drop_gap_gt0 ok ti; have r0 := inverse_gap_gt0 Hi; have := drop_inverse_gap ok ti.
rewrite /score_second /gap_room Hi => H; suff : / r i <= gap alpha t by rewrite (gap_eq ti); lra.
by rewrite -(Rinv_inv (gap alpha t)); apply: Rinv_le_contravar => //; exact: Rinv_0_lt_compat.
Qed.

Lemma score_second_lt i : score_second i < score_floor i.
Proof.
rewrite /score_second /score_floor {1}lost_share_room.
by have := Rmult_lt_compat_r _ _ _ (gap_room_gt0 i) (drop_lost_lt1 ok i); lra.
Qed.

Lemma score_floor_le i : score_floor i <= score (alpha i).
Proof. by rewrite /score_floor; have := drop_ge0 ok i; lra. Qed.

Lemma drop_lt_gap i t : others alpha i t -> drop i < gap alpha t.
Proof. by move=> ti; have := score_second_lt i; have := score_second_le ti; rewrite /score_floor (gap_eq ti); lra. Qed.

(* With any bounds of the pulls. *)
Variables least most : data_group D -> R.
Definition score_floors : lock_head (problem D) := @LockHead (problem D) score_second score_floor least most.

Lemma score_floors_attention i : attention_floor alpha score_floors i = 1 - lost_share i.
Proof.
have -> : attention_floor alpha score_floors i =
  (score_floor i - score_second i) / (score (alpha i) - score_second i) by [].
rewrite /score_second /score_floor {1}lost_share_room; have := gap_room_gt0 i => r0; field; lra.
Qed.

Lemma score_floors_factors : lock_blo alpha score_floors = global_blo alpha drop lost_share least.
Proof.
apply: functional_extensionality => t.
have -> : lock_blo alpha score_floors t = copies alpha t * (weight (group_of t) * least (group_of t) *
  attention_floor alpha score_floors (group_of t) * (score_floor (group_of t) - score t)) by [].
rewrite /global_blo score_floors_attention /score_floor /Selection.gap /selected; ring.
Qed.
End ScoreFloors.
