(* JointIteration: decoder and attention of an instance trained together (JOINT.md section 1): the run that `joint-run`
   speaks of, and what an enclosure of both parameters is. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Gradient JointModel JointAscent Number Rows TokenData Instances EqualTokens
                           Interval AttentionIntervals Losses MarginChecks OptimalityChecks EnclosureChecks
                           MirrorReplay DecoderData LabelMarginsChecks LabelledValues.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* eta_t = step (t + 1)^power, over the norm of the gradient where the rule is normalised. *)
Record pair_rule (N : number) := PairRule { rule_normalised : bool; rule_size : fraction N; rule_power : fraction N }.

Record pair_training (N : number) := PairTraining {
  trained_loss : loss_name; attention_rule : pair_rule N; decoder_rule : pair_rule N; decoder_from_zero : bool
}.

Definition pair_step_size (N : number) (r : pair_rule N) (t : nat) : R :=
  fraction_real (rule_size r) * Rpower (INR t.+1) (fraction_real (rule_power r)).

Definition pair_moved (J : finType) (normalised : bool) (size : R) (x grad : vec J) : vec J :=
  (x - (if normalised then size / vnorm grad else size) * grad)%V.

Lemma pair_movedE (J : finType) normalised size (x grad : vec J) j : pair_moved normalised size x grad j =
  x j + (if normalised then size / vnorm grad else size) * (- grad)%V j.
Proof. by rewrite /pair_moved /vsub /vscale /vopp; case: normalised; ring. Qed.

(* ---- the run ---- *)

Section Run.
Variables (N : number) (I : instance N) (T : pair_training N).
Notation D := (merged (token_data_of I)).
Notation p := (problem D).
Notation g := (@labelled_value N I).
Notation column := (vec [finType of 'I_(token_dimension I) * 'I_1]).
Notation l := (loss_of (trained_loss T)).

(* 0, or the instance's v. *)
Definition first_decoder : column := fun jk =>
  if decoder_from_zero T then 0 else
  if token_scoring I is Decoder _ v unit then entry v jk.1 / real unit else 0.

Fixpoint pair_trajectory (t : nat) : column * vec (coord p) :=
  if t is t'.+1 then
    let: (v, w) := pair_trajectory t' in
    (pair_moved (rule_normalised (decoder_rule T)) (pair_step_size (decoder_rule T) t') v (value_gradient g l v w),
     pair_moved (rule_normalised (attention_rule T)) (pair_step_size (attention_rule T) t') w
       (attention_gradient g l v w))
  else (first_decoder, vzero).

(* Both rules normalised with steps in one ratio: what T20 speaks of. *)
Lemma pair_trained_jointly : rule_normalised (attention_rule T) -> rule_normalised (decoder_rule T) ->
  trained_jointly g l (pair_step_size (decoder_rule T)) (pair_step_size (attention_rule T))
    (fun t => (pair_trajectory t).1) (fun t => (pair_trajectory t).2).
Proof. by move=> na nd t /=; case: (pair_trajectory t) => v w; rewrite na nd. Qed.
End Run.

(* ---- enclosed ---- *)

Record pair_state (N : number) := PairState {
  pair_decoder : seq (interval N); pair_matrix : seq (seq (interval N)); pair_clock : N   (* the step's number, and 1 *)
}.

Section Enclosed.
Variables (N : number) (I : instance N).
Notation D := (merged (token_data_of I)).

Definition pair_encloses (s : pair_state N)
    (vw : vec [finType of 'I_(token_dimension I) * 'I_1] * vec (coord (problem D))) : Prop :=
  row_contains (pair_decoder s) vw.1 /\ matrix_encloses (pair_matrix s) vw.2.

(* The pair is in these enclosures at these steps. *)
Definition pairs_enclosed (T : pair_training N) (points : seq (nat * pair_state N)) : Prop :=
  forall t s, List.In (t, s) points -> pair_encloses s (pair_trajectory I T t).
End Enclosed.
