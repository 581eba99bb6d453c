(* DecoderData: the decoder's margin problem on selected tokens: minimise ||v|| subject to Y_i <x_i, v> >= 1 for every
   sequence i, x_i the row of X of its selected token.

   It is a problem of token data like any other: sequence i has the tokens x_i and 0 and the query Y_i, and selects the
   first. Selected tokens are those of the merged data; x_i is the row of the token that stands for theirs. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Number Rows TokenData Instances EqualTokens MarginChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Decoder.
Variables (N : number) (I : instance N).
Implicit Types (picks : seq nat) (row : seq N).

Definition has_decoder : bool := if token_scoring I is Decoder _ _ _ then true else false.
Definition labels : seq bool := if token_scoring I is Decoder positive_labels _ _ then positive_labels else [::].

(* A selected token as the instance numbers it. *)
Definition decoder_token picks (i : nat) : nat :=
  nth 0%nat (nth [::] (representatives (token_data_of I)) i) (nth 0%nat picks i).

Definition decoder_sequence (positive : bool) row : sequence N :=
  Sequence [:: row; zeros N (size row)] [:: if positive then one else opp one] [:: zero; zero] [:: one; one].

Fixpoint decoder_sequences (table : seq (seq (seq N))) (standing : seq (seq nat)) picks (positive_labels : seq bool) :
    seq (sequence N) :=
  if table is rows :: table' then
    decoder_sequence (head false positive_labels) (nth [::] rows (nth 0%nat (head [::] standing) (head 0%nat picks)))
      :: decoder_sequences table' (behead standing) (behead picks) (behead positive_labels)
  else [::].

Definition decoder_data picks : token_data N :=
  {| left_dimension := token_dimension I; right_dimension := 1; token_unit := tokens_unit I; query_unit := one;
     score_unit := one;
     sequences := decoder_sequences (tokens I) (representatives (token_data_of I)) picks labels |}.

(* Every sequence selects its first token. *)
Definition decoder_picks : seq nat := nseq (size (tokens I)) 0%nat.

Lemma size_decoder_sequences table standing picks ls : size (decoder_sequences table standing picks ls) = size table.
Proof. by elim: table standing picks ls => //= rows table IH standing picks ls; rewrite IH. Qed.

Lemma nth_decoder_sequences table standing picks ls i : (i < size table)%nat ->
  nth (no_sequence N) (decoder_sequences table standing picks ls) i =
  decoder_sequence (nth false ls i) (nth [::] (nth [::] table i) (nth 0%nat (nth [::] standing i) (nth 0%nat picks i))).
Proof.
elim: table standing picks ls i => //= rows table IH standing picks ls [|i] /=; first by rewrite !nth0.
by rewrite ltnS => il; rewrite IH // !nth_behead.
Qed.

Section Meaning.
Variable picks : seq nat.
Let D := decoder_data picks.
Hypothesis Pok : picks_ok D decoder_picks.
Let alpha : selection (problem D) := selection_of Pok.
Notation group_index t := (tag (t : data_token D)).

Lemma decoder_sequence_at (i : data_group D) : sequence_at D i =
  decoder_sequence (nth false labels i) (nth [::] (nth [::] (tokens I) i) (decoder_token picks i)).
Proof.
by rewrite /sequence_at nth_decoder_sequences //
  -(size_decoder_sequences _ (representatives (token_data_of I)) picks labels).
Qed.

(* The only constraint of a sequence is its second token, 0. *)
Lemma decoder_constraint (t : token (problem D)) : constraint alpha t -> (tagged (t : data_token D) : nat) = 1%nat.
Proof.
move/constraint_index; rewrite nth_nseq if_same.
by case: t => i [[|[|s]] /= sl] //= _; move: sl; rewrite /length_of decoder_sequence_at.
Qed.

(* Its row is Y_i x_i. *)
Theorem decoder_row (t : token (problem D)) jk : constraint alpha t ->
  Delta alpha t jk = Y labels (group_index t) * X I (group_index t) (decoder_token picks (group_index t)) jk.1.
Proof.
case: jk => j k ct; have t1 := decoder_constraint ct; rewrite (Delta_entry Pok) t1 nth_nseq if_same ord1.
rewrite decoder_sequence_at /entry2 /= entry_zeros /X /Y /entry2.
by rewrite {2}/entry /=; case: (nth false labels _); rewrite ?realN real1 /Rdiv Rinv_1; ring.
Qed.

(* Margins are Y_i <x_i, v>. *)
Theorem decoder_margin (v : vec (coord (problem D))) (t : token (problem D)) : constraint alpha t ->
  margin alpha v t = Y labels (group_index t) *
    \sum_(j : 'I_(token_dimension I)) X I (group_index t) (decoder_token picks (group_index t)) j * v (j, ord0).
Proof.
move=> ct; rewrite sum_mull.
transitivity (\sum_(j : 'I_(token_dimension I)) \sum_(k : 'I_1) Delta alpha t (j, k) * v (j, k)).
  by rewrite pair_bigA; apply: eq_bigr => -[j k] _.
by apply: eq_bigr => j _; rewrite big_ord_recl big_ord0 Rplus_0_r decoder_row // Rmult_assoc.
Qed.

(* A v that separates is one with all of them >= 1. *)
Theorem decoder_separates (v : vec (coord (problem D))) : separates alpha v <->
  forall i : data_group D, 1 <= Y labels i *
    \sum_(j : 'I_(token_dimension I)) X I i (decoder_token picks i) j * v (j, ord0).
Proof.
split=> [H i | H t ct]; last by rewrite decoder_margin.
have two : (1 < length_of D i)%nat by rewrite /length_of decoder_sequence_at.
have ct : constraint alpha (@token_of N D i (Ordinal two)) by apply/constraint_index; rewrite nth_nseq if_same.
by have := H _ ct; rewrite decoder_margin.
Qed.
End Meaning.
End Decoder.
