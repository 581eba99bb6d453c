(* ForeverEvidence: the theorems that a claim about all later steps may be checked with, and their constants.

   evidence_sound: if the check answers true at a point, evidence_claim holds from it. The claim says of the
   iteration that it is defined for all later steps: no gradient is 0, so no step divides by 0. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Saturation Runs Forever Number TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals
                           GramBound ForeverChecks DominationChecks AbsorbingChecks LocalChecks ResidualChecks AbsorbingResidualChecks LockInChecks
                           BoundedChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Evidence.
Variable N : number.

(* The constants that a theorem's hypotheses are checked with; lists have one entry for each group. *)
Inductive forever_evidence :=
| AbsorbingEvidence (outputs attentions : seq (fraction N)) (step_bound : fraction N)   (* T10 *)
| LocalEvidence (attentions : seq (fraction N)) (outside : seq (seq bool)) (step_bound ratio extra theta : fraction N)   (* T11 *)
| AbsorbingResidualEvidence (path least : fraction N) (hints : gram_hints N) (outputs attentions : seq (fraction N))
    (step_bound : fraction N)                                                            (* T14 in T10's region *)
| LocalResidualEvidence (path least : fraction N) (hints : gram_hints N) (attentions : seq (fraction N)) (outside : seq (seq bool))
    (step_bound ratio extra theta : fraction N)                                          (* T14 in T11's region *)
| LockInEvidence (floors : seq (fraction N))                                            (* T12, T12n *)
| BoundedEvidence (e : bounded_evidence N).                                             (* T15 *)

Section Meaning.
Variables (p : selection_problem) (alpha : selection p) (l : loss).

(* T15's centre is not the natural one. *)
Definition theorem_claim (e : forever_evidence) :=
  if e is BoundedEvidence _ then centred_forever_claim alpha l else forever_claim alpha l.

Definition evidence_claim (e : forever_evidence) (r : rule) (eta : nat -> R) (w0 : vec (coord p))
    (c : constants) : Prop :=
  theorem_claim e r eta w0 c /\
  forall w, w O = w0 -> exact_run alpha l r eta w -> forall s, 0 < vnorm (gradient l (w s)).
End Meaning.

Variables (D : token_data N) (P : Z) (picks : seq nat).
Variables (l : loss_name) (f : reference N) (w : point N) (s : step_rule N) (first : nat) (c : conclusion N).

Definition fraction_positive (q : fraction N) : bool := lt zero (fraction_num q) && lt zero (fraction_den q).

Lemma fraction_positive_real q : fraction_positive q -> 0 < fraction_real q.
Proof. by case/andP=> /lt_real + /lt_real; rewrite real0; exact: Rdiv_lt_0_compat. Qed.

(* Steps and growth are positive, so the height grows without bound. *)
Definition grows_check : bool :=
  fraction_positive (spec_step s) && fraction_positive (said_growth c).

Definition theorem_check (e : forever_evidence) : bool :=
  match e with
  | AbsorbingEvidence outputs attentions h => absorbing_check D P picks l f w s first outputs attentions h c
  | LocalEvidence attentions outside h rho extra theta => local_check D P picks l f w s first attentions outside h rho extra theta c
  | AbsorbingResidualEvidence path least hints outputs attentions h =>
      absorbing_residual_check D P picks l f w s first path least hints c outputs attentions h
  | LocalResidualEvidence path least hints attentions outside h rho extra theta =>
      local_residual_check D P picks l f w s first path least hints c attentions outside h rho extra theta
  | LockInEvidence floors => lock_in_check D P picks l f w s first floors c
  | BoundedEvidence e => bounded_check D P picks l f w s first e c
  end.

Definition evidence_check (e : forever_evidence) : bool := grows_check && theorem_check e.

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.

Lemma evidence_constraint e : evidence_check e -> exists t, constraint alpha t.
Proof.
case/andP=> _; case: e => [o a h | a out h rho extra theta | path least hints o a h
    | path least hints a out h rho extra theta | floors | e];
  by [case/andP=> /andP[H _] _; exact: has_constraintP | case/andP=> /andP[/andP[H _] _] _; exact: has_constraintP].
Qed.

Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.

Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).

(* For Polyak steps the scores of L* are the selected ones. *)
Lemma theorem_sound e : theorem_check e ->
  theorem_claim alpha (loss_of l) e (spec_rule s) eta w0 (constants_of c) /\
  (spec_rule s = PolyakSteps -> globally_optimal alpha).
Proof.
case: e => [o a h | a out h rho extra theta | path least hints o a h | path least hints a out h rho extra theta | floors | e] checked.
- split=> [|_]; [exact (absorbing_sound Dok solution reference_in point_in checked) | exact (absorbing_optimal Dok checked)].
- split=> [|polyak]; [exact (local_sound Dok solution reference_in point_in checked) | by case: (local_not_polyak checked polyak)].
- split=> [|_]; [exact (absorbing_residual_sound Dok solution reference_in point_in checked) | exact (absorbing_residual_optimal Dok checked)].
- split=> [|polyak]; [exact (local_residual_sound Dok solution reference_in point_in checked) | by case: (local_residual_not_polyak checked polyak)].
- split=> [|_]; [exact (lock_in_sound Dok solution reference_in point_in checked) | exact (lock_in_optimal Dok checked)].
- split=> [|polyak]; [exact (bounded_sound Dok solution reference_in point_in checked) | by case: (bounded_not_polyak checked polyak)].
Qed.

Theorem evidence_sound e : evidence_check e ->
  evidence_claim alpha (loss_of l) e (spec_rule s) eta w0 (constants_of c) /\
  (spec_rule s = PolyakSteps -> globally_optimal alpha).
Proof.
case/andP=> /andP[/fraction_positive_real S0 /fraction_positive_real G0] /theorem_sound [claimed optimal].
split=> //; split=> //.
have diverge := later_steps_diverge (spec_schedule s) S0 first.
by case: e claimed => [? ? ?|? ? ? ? ? ?|? ? ? ? ? ?|? ? ? ? ? ? ? ? ?|?|?] [ws' _];
  [move=> H | move=> H | move=> H | move=> H | move=> H | move=> [centre _ H]];
  apply: later_moves H G0 diverge.
Qed.
End Evidence.
