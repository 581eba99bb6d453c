(* LabelMarginsKind: the claim `label-margins`, of a decoder's problem (A.margin; JOINT.md section 5).

   Evidence is a cover (LabelMarginsChecks.v) and, where the cover rests on other multipliers than the solution's own,
   those. The certificate's tokens are those of the instance. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Direction Saturation LabelMargins Number Rows Entries TokenData
                           Instances EqualTokens MergedTokens MarginChecks OptimalityChecks EnclosureChecks Interval
                           IntervalTables AttentionIntervals ReferenceIntervals ForeverChecks DecoderData
                           LabelMarginsChecks LabelMarginsSound LabelledValues ClaimKind Posed LabelMarginsGroups.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section LabelMarginsKind.
Variable N : number.

Record label_margins_data := LabelMarginsData {
  margins_support : nat; margins_solution : nat;   (* the claims about the support, and about the solution *)
  margins_cost : fraction N; margins_vectors : seq (vector N); margins_cover : seq (cover_node N)
}.

Definition label_margins_says : posed_statement N label_margins_data := fun I p D alpha x =>
  if posing_of p is Decoding then label_margins_hold I (selected_tokens p) (fraction_real (margins_cost x)) else False.

(* Bits of the intervals. *)
Definition margins_precision : Z := 192.

Definition cost_check (q : fraction N) : bool := fraction_ok q && lt zero (fraction_num q).

Definition vectors_check (D : token_data N) picks mask (exact : option (vector N)) (mus : seq (vector N)) : bool :=
  if exact is Some v then all (others_check D picks mask v) mus else nilp mus.

Definition label_margins_check (I : instance N) (sel : seq nat) (D : token_data N) picks mask exact
    (f : located_solution N) (x : label_margins_data) : bool :=
  let P := margins_precision in
  let raw := token_data_of I in
  let reference := reference_of D P picks (located_vector f) (located_margins f) (located_mask f)
    (located_distance f) (located_multiplier_distance f) in
  let norm := norm_in reference in
  let groups := groups_in raw P I sel mask in
  [&& (0 < size (tokens I))%nat, cost_check (margins_cost x), vectors_check D picks mask exact (margins_vectors x),
      one_rows_check raw I sel &
      cover_check P (token_dimension I) groups (supporting mask) (margin_in reference) (fraction_in P (margins_cost x))
        (along_in D picks P (located_vector f) (located_distance f) norm)
        (own_in mask (weights_in reference) :: [seq listed_in P mask norm mu | mu <- margins_vectors x])
        (margins_cover x) (root_pieces groups)].

Section Sound.
Variables (I : instance N) (sel : seq nat).
Notation D := (decoder_data I sel).
Notation picks := (decoder_picks I).
Hypotheses (Iok : instance_ok I) (MDok : data_ok (data_of I)) (Sok : picks_ok (data_of I) sel).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Notation beta := (selection_of Pok).

(* What is accepted, of the solution and the support that claims have established. *)
Theorem label_margins_check_sound mask exact s x (y z : R) ws lam : vector_ok D picks (located_vector s) ->
  located_margins s = margins D picks (located_vector s) ->
  solved Pok (located_vector s) (located_mask s) y z ws lam -> contains (located_distance s) y ->
  contains (located_multiplier_distance s) z -> fact_meaning picks beta (SupportFact mask exact) ->
  label_margins_check I sel D picks mask exact s x ->
  [/\ 0 < vnorm ws, mask_ok D picks mask /\ forall t, support beta ws t <-> in_mask mask t,
    one_rows_check (token_data_of I) I sel /\ 0 < fraction_real (margins_cost x),
    forall j v0, (j < size (margins_vectors x))%nat -> let mu := nth v0 (margins_vectors x) j in
      vector_ok D picks mu /\ multipliers beta ws (@coefficient_of N D mu) &
    forall (shares : token (problem (data_of I)) -> R) (alpha : selection (problem (data_of I))), selects alpha sel ->
      (forall t, 0 <= shares t) -> (forall i, \sum_(t | group_of t == i) shares t = 1) -> forall u, vnorm u <= 1 ->
      exists i : data_group (data_of I), supports_decoder beta ws i /\
        forall j : data_group (data_of I), supports_decoder beta ws j ->
        dot (labelled_output shares i) u <= / vnorm ws - fraction_real (margins_cost x) * (1 - shares (alpha j))].
Proof.
move=> vok mE sol Hy Hz support_known checked.
have [mok [ws' [M' tight]]] := support_fact support_known.
have [[M mult] _ _ off [near _]] := sol; rewrite (max_margin_unique M' M) in tight.
case/and5P: checked => some /andP[cost_ok /lt_real cost0] vectors rows cover; rewrite real0 in cost0.
have cs : exists t, constraint beta t.
  have i0 : (0 < size (sequences D))%nat by rewrite size_decoder_sequences.
  pose t := @token_of N D (Ordinal i0) (Ordinal (two_tokens (Ordinal i0))).
  by exists t; apply/constraint_index; rewrite nth_nseq if_same.
have ws0 : 0 < vnorm ws := solution_norm_gt0 (proj1 M) cs.
rewrite mE in cover; have := reference_of_encloses margins_precision Dok vok sol cs Hy Hz.
set f0 := reference_of _ _ _ _ _ _ _ _ in cover * => -[Hn Hg _ Hw _].
have nu0 : 0 < fraction_real (margins_cost x).
  by apply: Rdiv_lt_0_compat => //; exact: fraction_den_gt0.
have listed j v0 : (j < size (margins_vectors x))%nat -> let mu := nth v0 (margins_vectors x) j in
    vector_ok D picks mu /\ multipliers beta ws (@coefficient_of N D mu).
  move=> jl mu; move: vectors; rewrite /vectors_check.
  case: exact support_known => [v1 | ] support_known; last by case: (margins_vectors x) jl.
  move=> all_listed; have [v1ok _ _ [M0 _]] := support_known.
  have checked_j : others_check D picks mask v1 mu by exact: all_nthP all_listed j jl.
  split; first by case/and4P: checked_j.
  exact: (others_multipliers Dok mok tight v1ok (max_margin_unique M0 M) checked_j).
split=> // shares alpha chosen s0 s1 u u1.
have row := along_encloses Dok margins_precision vok near Hy Hn.
have Hnu := fraction_in_contains margins_precision (margins_cost x).
apply: (label_margins_of_cover (mok := mok) Iok MDok Sok Dok ws0 tight s0 s1 _ chosen u1).
apply: (CoverAccepted Hg Hnu nu0 row rows _ _ cover) => // -[_ | j].
  exists lam; split=> //; first by rewrite size_map.
  by move=> k; exact: (own_encloses mok k mult off Hw).
rewrite /= ltnS size_map => jl.
exists (@coefficient_of N D (nth (located_vector s) (margins_vectors x) j)).
rewrite (nth_map (located_vector s)) // size_map; split=> //; first by have [] := listed j (located_vector s) jl.
by move=> k; exact: listed_encloses.
Qed.
End Sound.

Definition label_margins_claim_check : posed_checker N label_margins_data := fun quick I p D picks cited others x =>
  if posing_of p is Decoding then
    if (cited (margins_support x), locate_solution (cited (margins_solution x))) is (SupportFact mask exact, Some f)
    then accept (label_margins_check I (selected_tokens p) D picks mask exact f x) Nothing else None
  else None.

Theorem label_margins_holds : posed_check_holds label_margins_says label_margins_claim_check.
Proof.
move=> quick I E [q sel] D picks Dok Pok cited others x f; rewrite /label_margins_says /label_margins_claim_check /=.
rewrite /poses /posed_data /posed_data_in /posed_picks /=; case: q => // -[dec].
case/(_ dec) => Iok MDok Sok _ [Ed Ep]; subst D picks.
move=> facts _; move: (facts (margins_support x)) (facts (margins_solution x)).
case: (cited (margins_support x)) => // mask exact; case known: (locate_solution _) => [s|] //.
move=> support_known solution_known /acceptP[checked <-]; split=> //.
have [y [z [ws [lam [vok mE sol Hy Hz]]]]] := locate_solutionP solution_known known.
have [ws0 _ _ _ H] := label_margins_check_sound Iok MDok Sok Dok vok mE sol Hy Hz support_known checked.
by exists (selection_of Pok), ws; split=> //; [exact: selection_of_selects | have [[]] := sol].
Qed.

Definition label_margins_kind : posed_kind N := PosedKind label_margins_holds.
End LabelMarginsKind.
