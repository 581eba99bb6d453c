(* TextCertificates: certificates about a stage of next-token prediction (TextData.v): sentences that are in order, and
   claims about the stage's instance. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals.
From Attest Require Import Number Entries TokenData Instances EqualTokens TextData DecoderData Posed Certificates.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section TextCertificates.
Variables (N : number) (quick : entries N) (scale : N).
Implicit Types (T : text N) (which : stage) (C : certificate N).

(* Different tokens have different unit vectors, so there is nothing to merge. *)
Definition stage_data T which : token_data N :=
  let I := stage_instance scale T which in if text_embeddings T is Some _ then data_of I else token_data_of I.

(* Claims about training name the pairs that the sentences say. *)
Definition claim_pairs (c : claim N) : option (seq (nat * nat)) :=
  if c is TokenRun _ _ pairs _ _ _ _ then Some pairs else None.
Definition pairs_are T which (c : claim N) : bool :=
  if claim_pairs c is Some pairs then (if which is AttentionStage then pairs == said_pairs T else false) else true.

Definition check_text T which C : bool :=
  let I := stage_instance scale T which in
  let raw := token_data_of I in
  let merges := isSome (text_embeddings T) in
  let D := if merges then merged raw else raw in
  [&& text_ok T && all (pairs_are T which) (claims C), [&& instance_ok I, ~~ merges || merging_ok raw & data_ok D],
      all (posed_ok_in I D) (problems C), (0 < size (claims C))%nat &
      ~~ isSome (first_rejected quick I D (problems C) [::] (claims C))].

Lemma stage_without_decoder T which : ~~ has_decoder (stage_instance scale T which).
Proof. by case: which. Qed.

(* If the checker accepts, every claim of the certificate holds of the stage's problem. *)
Theorem check_text_sound T which C : check_text T which C ->
  forall j c0, (j < size (claims C))%nat ->
  claim_holds_in (stage_instance scale T which) (stage_data T which) (problems C) (nth c0 (claims C) j).
Proof.
have own E : has_decoder (stage_instance scale T which) -> E = data_of (stage_instance scale T which).
  by move/(negP (stage_without_decoder T which)).
rewrite /check_text /stage_data /data_of; case: (text_embeddings T) => [rows|];
  case/and5P=> _ /and3P[Iok _ Dok] Hps _; case E: (first_rejected _ _ _ _ _ _) => // _ j c0;
  by apply: (first_rejected_sound Iok Dok (own _) Hps) E _ _ => k.
Qed.

(* And the sentences and the instance are in order. *)
Theorem check_text_instance T which C : check_text T which C ->
  [/\ text_ok T, instance_ok (stage_instance scale T which) & data_ok (stage_data T which)].
Proof.
rewrite /check_text /stage_data /data_of; case: (text_embeddings T) => [rows|];
  case/and5P=> Tok /and3P[Iok _ Dok] _ _ _; by split=> //; case/andP: Tok.
Qed.

(* Claims about training are about the attention stage and what the sentences say. *)
Theorem check_text_pairs T which C : check_text T which C ->
  forall j c0 pairs, (j < size (claims C))%nat -> claim_pairs (nth c0 (claims C) j) = Some pairs ->
  which = AttentionStage /\ pairs = said_pairs T.
Proof.
case/and5P=> /andP[_ H] _ _ _ _ j c0 pairs jl E; have := all_nthP c0 H _ jl; rewrite /pairs_are E.
by case: which {H} => // /eqP.
Qed.
End TextCertificates.
