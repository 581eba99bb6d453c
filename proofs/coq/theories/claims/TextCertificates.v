(* TextCertificates: certificates about a stage of next-token prediction (TextData.v): sentences that are in order, and
   a certificate about the stage's instance. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals.
From Attest Require Import Number Entries Instances EqualTokens TextData Posed Certificates.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section TextCertificates.
Variables (N : number) (quick : entries N).

Definition check_text (scale : N) (T : text N) (which : stage) (C : certificate N) : bool :=
  text_ok T && check_certificate quick (stage_instance scale T which) C.

(* If the checker accepts, every claim of the certificate holds of the stage's problem. *)
Theorem check_text_sound (scale : N) (T : text N) (which : stage) (C : certificate N) : check_text scale T which C ->
  text_ok T /\
  forall j c0, (j < size (claims C))%nat ->
  claim_holds (stage_instance scale T which) (problems C) (nth c0 (claims C) j).
Proof. by case/andP=> Tok accepted; split=> //; exact: check_certificate_sound accepted. Qed.
End TextCertificates.
