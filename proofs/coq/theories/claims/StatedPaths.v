(* StatedPaths: what accepted claims about paths of regularised solutions and about label margins say, in the words that
   exported files write out (StatedRuns.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Bignums Require Import BigZ.
From Attest Require Import Euclid Selection Claims Senses SensedClaims Direction Saturation Losses RegularisationPath
                           PathAcross JointModel JointPath Number Rows Words TokenData Instances EqualTokens
                           MergedTokens LabelledValues AttentionIntervals LabelMarginsChecks DecoderData JointPathChecks
                           ClaimKind Posed SensedKinds LabelMarginsGroups LabelMarginsKind JointPathParts JointPathKind
                           PathResidualKind Certificates Exported StatedRuns.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- what the regularisation path leaves across ---- *)

Theorem path_residual_stated (I : instance big_integers) (D : token_data big_integers)
    (alpha : selection (problem D)) p k l from X least hints pull :
  claim_meaning I (Posed Attention [::]) alpha (PathResidual p k (Some l) from X least hints pull) ->
  exists wstar, [/\ max_margin alpha wstar, 0 < vnorm wstar &
    let u := (/ vnorm wstar * wstar)%V in
    forall (r : R) w, written from <= r -> regularised (loss_of l) r w -> vnorm (w - dot w u * u)%V <= written X].
Proof. by move=> [ws [M n0 H]]; exists ws; split=> // u r w; rewrite -fraction_written; exact: H. Qed.

(* ---- label margins ---- *)

Section Decoder.
Variables (I : instance big_integers) (sel : seq nat) (beta : selection (problem (decoder_data I sel))).
Hypothesis decoding : selects beta (decoder_picks I).

Theorem label_margins_stated (D : token_data big_integers) (other : selection (problem D)) p k j nu vs nodes
    (alpha : selection (problem (data_of I))) : selects alpha sel ->
  claim_meaning I (Posed Decoding sel) other (LabelMargins p k j nu vs nodes) ->
  exists v, [/\ max_margin beta v, 0 < vnorm v &
    forall s : token (problem (data_of I)) -> R,
    (forall t, 0 <= s t) -> (forall i, \sum_(t | group_of t == i) s t = 1) -> forall u, vnorm u <= 1 ->
    exists i : data_group (data_of I), supports_decoder beta v i /\
      forall i' : data_group (data_of I), supports_decoder beta v i' ->
      dot (labelled_output s i) u <= / vnorm v - written nu * (1 - s (alpha i'))].
Proof.
move=> chosen [beta' [v [decoding' M v0 H]]]; rewrite -fraction_written.
move: M H; rewrite (selects_unique decoding' decoding) => M H.
by exists v; split=> // s s0 s1 u u1; exact: H.
Qed.

(* ---- the path of the pair ---- *)

(* Of a problem whose groups that do not support the decoder are relaxed. *)
Theorem joint_path_stated q (D : token_data big_integers) (other : selection (problem D)) p k margins plain l c groups
    (alpha : selection (problem (data_of I))) : relaxed_groups q = Some groups -> selects alpha sel ->
  claim_meaning I (Posed q sel) other (JointPath p k margins plain l c) ->
  exists vstar wstar,
  [/\ max_margin beta vstar /\ 0 < vnorm vstar,
    forall t, constraint beta t ->
      (margin beta vstar t = 1 <-> (tag (t : data_token (decoder_data I sel)) : nat) \notin groups),
    (if q is Attention then max_margin alpha wstar
     else sensed_max_margin alpha
       (fun t => sense_in q (tag (t : data_token (data_of I))) (tagged (t : data_token (data_of I)))) wstar) /\
    0 < vnorm wstar &
    forall radius r v w, written (joint_from c) <= radius -> 0 < radius ->
      written (joint_decoder_from c) <= r -> written (joint_slope c) * radius <= r ->
      jointly_regularised (@labelled_value _ I) (loss_of l) r radius v w ->
      1 - dot v vstar / (vnorm vstar * r) <=
        written (joint_decay c) * exp (- (radius / vnorm wstar)) + written (joint_decoder_rate c) / r /\
      1 - dot w wstar / (vnorm wstar * radius) <= written (joint_attention_rate c) / radius].
Proof.
move=> rel chosen [groups' [beta' [v [alpha' [w [rel' [decoding' M v0 tight] [chosen' M' w0] H]]]]]].
move: rel' tight; rewrite rel => -[<-] tight; rewrite -fraction_written.
move: M tight M' H; rewrite (selects_unique decoding' decoding) (selects_unique chosen' chosen) => M tight M' H.
exists v, w; split=> //; split=> //; move: M'; rewrite /posed_sense; case: (q) => // M'; exact/sensed_max_margin_plain.
Qed.
End Decoder.

(* ---- the selection that a problem's tokens name, whatever its rows are ---- *)

Section Chosen.
Variables (I : instance big_integers) (C : certificate big_integers).
Hypothesis accepted : check_certificate big_words I C = true.
Variable p : nat.
Hypothesis pl : (p < size (problems C))%nat = true.

Lemma accepted_tokens : picks_ok (data_of I) (selected_tokens (nth no_problem (problems C) p)).
Proof. by have /and4P[_ Hps _ _] := accepted; have := all_nthP no_problem Hps _ pl => /and4P[]. Qed.

Definition accepted_chosen : selection (problem (data_of I)) := selection_of accepted_tokens.

Theorem accepted_chosen_selects : selects accepted_chosen (selected_tokens (nth no_problem (problems C) p)).
Proof. exact: selection_of_selects. Qed.
End Chosen.
