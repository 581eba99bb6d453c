(* Exported: what the files written by `attest export --coq` are made of.

   Numbers are written as signed digits in base 2^63, least significant first, each at least - 2^62 and below 2^62: a
   number in that range is its own digit. accepted_claim turns the one computation of such a file, check_certificate,
   into the meaning of each claim for the selection that its problem names (accepted_selection); claims about runs take
   L* from the best scores (accepted_best). *)
From Coq Require Import Reals ZArith Uint63 Sint63 FunctionalExtensionality.
From mathcomp Require Import all_ssreflect.
From Attest Require Import Euclid Selection Number Rows Words LongIntegers LongNumbers TokenData Instances MergedTokens
                           Claims Enclosure MarginChecks OptimalityChecks GramBound EnclosureChecks Runs Replay
                           ReplaySound DecoderData Posed SensedKinds Certificates.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* ---- numbers ---- *)

Notation digit := PrimInt63.int.

Definition number_of (digits : seq digit) : big_integers := long_digits false digits.

Definition numbers (rows : seq (seq digit)) : seq big_integers := [seq number_of digits | digits <- rows].

(* A row of numbers of `width` digits each. *)
Definition row_of (width : nat) (digits : seq digit) : seq big_integers :=
  numbers (reshape (nseq (size digits %/ width) width) digits).

Definition fraction_of (num den : seq digit) : fraction big_integers := Fraction (number_of num) (number_of den).

(* Numerators and denominator of an array times the same factor: the array is the same, with room for rounding in
   integers. *)
Definition refine_number (factor : seq digit) (a : big_integers) : big_integers := mul (number_of factor) a.
Definition refine_blocks (factor : seq digit) (blocks : seq (seq (seq big_integers))) :
    seq (seq (seq big_integers)) :=
  let c := number_of factor in [seq [seq [seq mul c a | a <- row] | row <- rows] | rows <- blocks].

Arguments row_of _%nat _.

(* The integer that digits mean. *)
Definition digits_value (digits : seq digit) : Z := foldr (fun a v => (Sint63.to_Z a + 2 ^ 63 * v)%Z) 0%Z digits.

Theorem number_of_value digits : long_value (number_of digits) = digits_value digits.
Proof. by rewrite /number_of long_digits_value Z.sub_0_r. Qed.

Theorem fraction_of_value num den :
  fraction_real (fraction_of num den) = (IZR (digits_value num) / IZR (digits_value den))%R.
Proof. by rewrite /fraction_real /fraction_of /= /long_real !number_of_value. Qed.

Theorem row_of_value width digits :
  map long_value (row_of width digits) = map digits_value (reshape (nseq (size digits %/ width) width) digits).
Proof. by rewrite /row_of /numbers -map_comp; apply: eq_map => row; exact: number_of_value. Qed.

(* Refined numerators over a refined denominator are the numbers that they were. *)
Theorem refine_value factor (a b : big_integers) : digits_value factor <> 0%Z -> real b <> 0%R ->
  (real (refine_number factor a) / real (refine_number factor b) = real a / real b)%R.
Proof.
move=> /not_0_IZR; rewrite -number_of_value /refine_number; move: (number_of factor) => c c0 b0.
by rewrite !realM; field; split=> // E; apply: c0.
Qed.

(* ---- what a claim without its last part says ---- *)

Lemma two_of_three (A B : Prop) : [/\ A, B & True] -> A /\ B.
Proof. by case. Qed.

(* ---- the selection that a list of tokens names ---- *)

Lemma selects_unique (N : number) (D : token_data N) (picks : seq nat) (alpha beta : selection (problem D)) :
  selects alpha picks -> selects beta picks -> alpha = beta.
Proof.
move=> [_ Ha] [_ Hb]; have : pick alpha = pick beta.
  apply: functional_extensionality => i; have ga := group_of_pick alpha i; have gb := group_of_pick beta i.
  move: (Ha i) (Hb i) ga gb; case: (pick alpha i) => j s; case: (pick beta i) => k u /= sE uE jE kE.
  move: s u sE uE; rewrite jE kE => s u sE uE; congr existT; apply: val_inj.
  by rewrite /= sE uE.
case: alpha beta {Ha Hb} => a pa [b pb] /= E; case: _ / E pb => pb; congr Selection.
by apply: functional_extensionality_dep => i; apply: eq_irrelevance.
Qed.

(* ---- what one accepted computation establishes ---- *)

Section Accepted.
Variables (I : instance big_integers) (C : certificate big_integers).
Hypothesis accepted : check_certificate big_words I C = true.
Notation problem_at p := (nth no_problem (problems C) p).
Notation claim_at j := (nth (GloballyOptimal big_integers 0) (claims C) j).

Lemma accepted_data : data_ok (data_of I).
Proof. by have /and4P[/and3P[_ _ Dok] _ _ _] := accepted. Qed.

Lemma accepted_picks p : (p < size (problems C))%nat = true ->
  picks_ok (posed_data I (problem_at p)) (posed_picks I (problem_at p)).
Proof.
by move=> pl; have /and4P[_ Hps _ _] := accepted; have := all_nthP no_problem Hps _ pl => /and4P[_ _ Pok _].
Qed.

(* The selection that takes the tokens that a problem lists (of a decoder's problem the first of each sequence, see
   DecoderData.v); there is no other. *)
Definition accepted_selection p (pl : (p < size (problems C))%nat = true) :
  selection (problem (posed_data I (problem_at p))) := selection_of (accepted_picks pl).

Theorem accepted_selects p (pl : (p < size (problems C))%nat = true) :
  selects (accepted_selection pl) (posed_picks I (problem_at p)).
Proof. exact: selection_of_selects. Qed.

Theorem accepted_unique p (pl : (p < size (problems C))%nat = true) beta :
  selects beta (posed_picks I (problem_at p)) -> beta = accepted_selection pl.
Proof. by move=> chosen; apply: selects_unique chosen (accepted_selects pl). Qed.

(* The first token with the best score of each group. *)
Definition accepted_best (computed : best_ok (data_of I) = true) :
  selection (problem (data_of I)) := best_alpha computed.

Theorem accepted_best_best (computed : best_ok (data_of I) = true) : best (accepted_best computed).
Proof. exact: best_selection accepted_data computed. Qed.

(* Every claim holds of its problem. *)
Theorem accepted_claim j (alpha : selection (problem (posed_data I (problem_at (claim_problem (claim_at j)))))) :
  (j < size (claims C))%nat = true -> selects alpha (posed_picks I (problem_at (claim_problem (claim_at j)))) ->
  claim_meaning I (problem_at (claim_problem (claim_at j))) alpha (claim_at j).
Proof.
move=> jl chosen; have [beta [_ chosen' H]] := check_certificate_sound accepted (GloballyOptimal _ 0) jl.
by rewrite (selects_unique chosen chosen').
Qed.
End Accepted.

(* ---- joint training ---- *)

Lemma same_selected (N : number) (D : token_data N) (picks picks' : seq nat) (alpha : selection (problem D)) :
  selects alpha picks -> selects alpha picks' -> picks = picks'.
Proof.
move=> [s H] [s' H']; apply: (eq_from_nth (x0 := 0%nat)); rewrite ?s ?s' // => i il.
by have := H (Ordinal il); rewrite (H' (Ordinal il)).
Qed.

(* The relaxed groups are those that do not support the solution of the decoder's problem on the same tokens. *)
Theorem joint_stated (I : instance big_integers) (q : posed) (D : token_data big_integers)
    (alpha : selection (problem D)) p k groups picks (beta : selection (problem (decoder_data I picks))) :
  relaxed_groups (posing_of q) = Some groups -> selects alpha picks -> selects beta (decoder_picks I) ->
  claim_meaning I q alpha (JointAttention big_integers p k) ->
  exists v, max_margin beta v /\ forall t, constraint beta t ->
    (margin beta v t = 1%R <-> (tag (t : data_token (decoder_data I picks)) : nat) \notin groups).
Proof.
move=> E chosen decoding [groups' [picks' [beta' [E' chosen' decoding' H]]]].
move: beta' decoding' H; rewrite -(same_selected chosen chosen') => beta' decoding'.
by rewrite (selects_unique decoding' decoding); move: E'; rewrite E => -[<-].
Qed.
