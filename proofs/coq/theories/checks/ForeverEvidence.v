(* ForeverEvidence: the theorems that a claim about all later steps may be checked with, and their constants.

   evidence_sound: if the check answers true at a point, evidence_claim holds from it. The claim says of the
   iteration that it is defined for all later steps: no gradient is 0, so no step divides by 0. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Saturation Runs Forever HeadForever Number TokenData MarginChecks
                           OptimalityChecks EnclosureChecks Interval IntervalTables AttentionIntervals
                           ReferenceIntervals RegionIntervals GramBound ForeverChecks LaterTheorem DominationChecks
                           HeadResidual AbsorbingChecks LocalChecks ResidualChecks AbsorbingResidualChecks
                           LockInChecks HeadBounded BoundedChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Evidence.
Variable N : number.

(* The constants that a theorem's hypotheses are checked with; lists have one entry for each group. *)
Inductive forever_evidence :=
| AbsorbingEvidence (outputs attentions : seq (fraction N)) (step_bound : fraction N)   (* T10 *)
| LocalEvidence (attentions : seq (fraction N)) (outside : seq (seq bool)) (step_bound ratio extra theta :
  fraction N)   (* T11 *)
| AbsorbingResidualEvidence (path least : fraction N) (hints : gram_hints N) (outputs attentions : seq (fraction N))
    (step_bound : fraction N)                                                            (* T14 in T10's region *)
| LocalResidualEvidence (path least : fraction N) (hints : gram_hints N) (attentions : seq (fraction N))
  (outside : seq (seq bool))
    (step_bound ratio extra theta : fraction N)                                          (* T14 in T11's region *)
| LockInEvidence (floors : seq (fraction N))                                            (* T12, T12n *)
| BoundedEvidence (e : bounded_evidence N).                                             (* T15 *)

(* The table of theorems. *)
Record stated_theorem := StatedTheorem { stated_theorem_of : later_theorem N;
  stated_constants : theorem_data stated_theorem_of }.

Definition evidence_row (e : forever_evidence) : stated_theorem :=
  match e with
  | AbsorbingEvidence o a h => @StatedTheorem (absorbing_theorem N) (AbsorbingData o a h)
  | LocalEvidence a out h rho extra theta => @StatedTheorem (local_theorem N) (LocalData a out h rho extra theta)
  | AbsorbingResidualEvidence M least hints o a h =>
      @StatedTheorem (absorbing_residual_theorem N)
        (AbsorbingResidualData (ResidualData M least hints) (AbsorbingData o a h))
  | LocalResidualEvidence M least hints a out h rho extra theta =>
      @StatedTheorem (local_residual_theorem N)
        (LocalResidualData (ResidualData M least hints) (LocalData a out h rho extra theta))
  | LockInEvidence floors => @StatedTheorem (lock_in_theorem N) floors
  | BoundedEvidence e => @StatedTheorem (bounded_theorem N) e
  end.

(* Is the centre only known to be orthogonal to u? *)
Definition some_centre (e : forever_evidence) : bool := theorem_centred (stated_theorem_of (evidence_row e)).

Definition evidence_claim (p : selection_problem) (alpha : selection p) (l : loss) (e : forever_evidence) (r : rule)
  (eta : nat -> R)
    (w0 : vec (coord p)) (c : constants) : Prop :=
  claim_about (some_centre e) alpha l r eta w0 c /\
  forall w, w O = w0 -> follows l (least_loss alpha l) r eta w -> forall s, 0 < vnorm (gradient l (w s)).

Variables (D : token_data N) (P : Z) (picks : seq nat).
Variables (l : loss_name) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat) (c : conclusion N).

Definition fraction_positive (q : fraction N) : bool := lt zero (fraction_num q) && lt zero (fraction_den q).

Lemma fraction_positive_real q : fraction_positive q -> 0 < fraction_real q.
Proof. by case/andP=> /lt_real + /lt_real; rewrite real0; exact: Rdiv_lt_0_compat. Qed.

(* Steps and growth are positive, so the height grows without bound. *)
Definition grows_check : bool :=
  fraction_positive (spec_step s) && fraction_positive (said_growth c).

Definition evidence_check (e : forever_evidence) : bool :=
  grows_check && theorem_check D P picks l f w s first c (stated_constants (evidence_row e)).

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.

Lemma evidence_constraint e : evidence_check e -> exists t, constraint alpha t.
Proof. by case/andP=> _; exact: theorem_constraint. Qed.

Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.

Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).

Theorem evidence_sound e : evidence_check e ->
  evidence_claim alpha (loss_of l) e (spec_rule s) eta w0 (constants_of c) /\
  (* for Polyak steps the scores of L* are the selected ones *)
  (spec_rule s = PolyakSteps -> globally_optimal alpha).
Proof.
case/andP=> /andP[/fraction_positive_real S0 /fraction_positive_real G0] checked.
have [claimed optimal] := theorem_holds Dok solution reference_in point_in checked; split=> //; split=> //.
have diverge := later_steps_diverge (spec_schedule s) S0 first.
move: claimed; rewrite -/(some_centre e) /claim_about; case: (some_centre e) => -[ws' _]; first move=> [centre _].
all: by move=> H; apply: later_moves H G0 diverge.
Qed.
End Evidence.
