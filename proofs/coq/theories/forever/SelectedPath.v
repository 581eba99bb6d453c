(* SelectedPath: what every theorem of a run on its path says of attention, whatever the head (T10, T11, T14).

   A region fixes how far the residual may be; the margins follow from it, and the attention from the margins. Neither
   scores nor a loss are looked at: what a head adds is said where it is used. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Direction Reference Path Growth Inside Region Saturation LocalRanges.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section SelectedPath.
Variables (p : selection_problem) (alpha : selection p).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation copies := (copies alpha).
Variable o : reference Q (Delta alpha).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation dir := (reference_direction o).
Notation height := (height u).
Notation slope := (slope (Delta alpha) u).
Notation spread := (spread (Delta alpha) u).

Variables (w0 : vec (coord p)) (M : R) (eps : group p -> R).
Notation low := (path_low (Delta alpha) u centre w0 M).
Notation on_path := (on_path u centre w0 M).
Notation bound := (path_bound u centre w0 M).

(* What holds at every later point. *)
Record selected_forever (z : vec (coord p)) : Prop := SelectedForever {
  forever_path : on_path z;
  forever_margin : forall t, Q t ->
    low t <= slope t * height z + dot (Delta alpha t) centre - spread t * bound z <= margin z t;
  forever_attention : forall i, 1 - attention z (alpha i) <= eps i;
  forever_sparse : forall i, 1 - attention z (alpha i) <=
    \sum_(t | others i t) copies t * exp (- (slope t * height z + dot (Delta alpha t) centre - spread t * bound z));
  forever_angle : 0 < height z ->
    1 - cosine u z <= (vnorm centre + bound z) * (vnorm centre + bound z) / (2 * (height z * height z))
}.

Hypothesis M_gt0 : 0 < M.

Lemma selected_low z : on_path z -> forall t, Q t -> low t <= margin z t.
Proof. by move=> Hz t ct; exact (path_low_margin dir (reference_orthogonal o) M_gt0 ct Hz). Qed.

Hypothesis inside : forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.

Lemma selected_on_path z : on_path z -> selected_forever z.
Proof.
move=> Hz; have Hn t := on_path_margin dir (reference_orthogonal o) t Hz.
split=> //; last exact (on_path_angle dir Hz).
- by move=> t ct; split; [exact (path_low_le dir M_gt0 ct Hz) | exact: Hn].
- exact (attention_range inside (selected_low Hz)).
by move=> i; apply: Rle_trans (attention_deficit_le _ _ _) _; apply: odds_le => t _; exact: Hn.
Qed.

Variables (w : nat -> vec (coord p)) (eta : nat -> R).

(* For every growth law: each point has the bounds, the height grows, and the angle vanishes. *)
Theorem selected_stays g : invariant_region u on_path w eta g ->
  (forall n, selected_forever (w n) /\ law_reaches g (height (w O)) (total eta n) (height (w n))) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine u (w n)) 1).
Proof.
move=> stays; split=> [n|He]; last exact: (on_path_limit dir (stays_inside stays) (inside_diverges stays He)).
by split; [exact (selected_on_path (stays_inside stays n)) | exact (inside_grows stays n)].
Qed.
End SelectedPath.
