(* TextCertificates: certificates about next-token prediction (TextData.v): sentences that are in order, problems of
   either stage, and claims about them. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals.
From Attest Require Import Number Entries TokenData Instances EqualTokens MergedTokens TextData DecoderData Posed
                           Certificates.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section TextCertificates.
Variables (N : number) (quick : entries N) (scale : N).
Implicit Types (T : text N) (which : stage) (C : certificate N).

(* Different tokens have different unit vectors, so there is nothing to merge. *)
Definition stage_data T which : token_data N :=
  let I := stage_instance scale T which in if text_embeddings T is Some _ then data_of I else token_data_of I.

Definition same_stage (a b : stage) : bool :=
  match a, b with
  | AttentionStage, AttentionStage | FeedForwardStage, FeedForwardStage => true
  | _, _ => false
  end.

Lemma same_stageP a b : same_stage a b -> a = b.
Proof. by case: a b => [] []. Qed.

(* The stage that each problem is of. *)
Implicit Types (stages : seq stage).
Definition stage_of stages (p : nat) : stage := nth AttentionStage stages p.
Definition own_problem stages which (p : nat) : bool := same_stage (stage_of stages p) which.

Definition both_stages (holds : stage -> bool) : bool := holds FeedForwardStage && holds AttentionStage.

Lemma both_stagesP holds which : both_stages holds -> holds which.
Proof. by case/andP; case: which. Qed.

(* Claims about training name the pairs that the sentences say. *)
Definition claim_pairs (c : claim N) : option (seq (nat * nat)) :=
  match c with
  | TokenRun _ _ pairs _ _ _ _ | TokenForever _ _ _ pairs _ _ _ _ _ | TokenShift _ _ _ pairs _ => Some pairs
  | _ => None
  end.
Definition pairs_are T stages (c : claim N) : bool :=
  if claim_pairs c is Some pairs then
    own_problem stages AttentionStage (claim_problem c) && (pairs == said_pairs T)
  else true.

(* What is said of the problems of one stage. *)
Definition check_stage T stages C which : bool :=
  let I := stage_instance scale T which in
  let raw := token_data_of I in
  let merges := isSome (text_embeddings T) in
  let D := if merges then merged raw else raw in
  let own := own_problem stages which in
  [&& instance_ok I, ~~ merges || merging_ok raw, data_ok D,
      all (fun p => own p ==> posed_ok_in I D (nth no_problem (problems C) p)) (iota 0 (size (problems C))) &
      ~~ isSome (first_rejected quick own I D (problems C) [::] (claims C))].

Definition check_text T stages C : bool :=
  [&& text_ok T, all (pairs_are T stages) (claims C), (0 < size (claims C))%nat,
      all (fun c => claim_problem c < size (problems C))%nat (claims C) &
      both_stages (fun which =>
        has (same_stage which) (take (size (problems C)) stages) ==> check_stage T stages C which)
        && (size (problems C) <= size stages)%nat].

Lemma stage_without_decoder T which : ~~ has_decoder (stage_instance scale T which).
Proof. by case: which. Qed.

Lemma check_stage_sound T stages C which : check_stage T stages C which ->
  forall j c0, (j < size (claims C))%nat -> own_problem stages which (claim_problem (nth c0 (claims C) j)) ->
  claim_holds_in (stage_instance scale T which) (stage_data T which) (problems C) (nth c0 (claims C) j).
Proof.
have own E : has_decoder (stage_instance scale T which) -> E = data_of (stage_instance scale T which).
  by move/(negP (stage_without_decoder T which)).
have posed I D p : all (fun p => own_problem stages which p ==> posed_ok_in I D (nth (no_problem) (problems C) p))
    (iota 0 (size (problems C))) -> (p < size (problems C))%nat -> own_problem stages which p ->
    posed_ok_in I D (nth no_problem (problems C) p).
  by move/allP/(_ p); rewrite mem_iota add0n /= => H pl; move: (H pl) => /implyP; apply.
rewrite /check_stage /stage_data /data_of; case: (text_embeddings T) => [rows|];
  case/and5P=> Iok _ Dok Hps; case E: (first_rejected _ _ _ _ _ _ _) => // _ j c0 jl Oj;
  by apply: (first_rejected_sound Iok Dok (own _) _ _ E jl Oj) => // p; exact: posed Hps.
Qed.

Lemma check_text_stage T stages C : check_text T stages C -> forall j c0, (j < size (claims C))%nat ->
  check_stage T stages C (stage_of stages (claim_problem (nth c0 (claims C) j))).
Proof.
case/and5P=> _ _ _ inside /andP[both sizes] j c0 jl; set p := claim_problem _.
have pl : (p < size (problems C))%nat := all_nthP c0 inside j jl.
apply: (implyP (both_stagesP (stage_of stages p) both)).
apply/(has_nthP AttentionStage); exists p; first by rewrite size_takel.
by rewrite nth_take // -/(stage_of stages p); case: stage_of.
Qed.

(* If the checker accepts, every claim of the certificate holds of its problem, which is one of its stage. *)
Theorem check_text_sound T stages C : check_text T stages C ->
  forall j c0, (j < size (claims C))%nat ->
  let which := stage_of stages (claim_problem (nth c0 (claims C) j)) in
  claim_holds_in (stage_instance scale T which) (stage_data T which) (problems C) (nth c0 (claims C) j).
Proof.
move=> ok j c0 jl which; apply: (check_stage_sound (check_text_stage ok c0 jl) jl).
by rewrite /own_problem -/which; case: which.
Qed.

(* And the sentences and the instance are in order. *)
Theorem check_text_instance T stages C : check_text T stages C -> text_ok T /\
  forall j c0, (j < size (claims C))%nat ->
  let which := stage_of stages (claim_problem (nth c0 (claims C) j)) in
  instance_ok (stage_instance scale T which) /\ data_ok (stage_data T which).
Proof.
move=> ok; split; first by case/and5P: ok.
move=> j c0 jl which; have := check_text_stage ok c0 jl; rewrite -/which /check_stage /stage_data /data_of.
by case: (text_embeddings T) => [rows|]; case/and5P.
Qed.

(* Claims about training are about the attention stage and what the sentences say. *)
Theorem check_text_pairs T stages C : check_text T stages C ->
  forall j c0 pairs, (j < size (claims C))%nat -> claim_pairs (nth c0 (claims C) j) = Some pairs ->
  stage_of stages (claim_problem (nth c0 (claims C) j)) = AttentionStage /\ pairs = said_pairs T.
Proof.
case/and5P=> _ H _ _ _ j c0 pairs jl E; have := all_nthP c0 H _ jl; rewrite /pairs_are E.
by case/andP=> /same_stageP own /eqP.
Qed.
End TextCertificates.
