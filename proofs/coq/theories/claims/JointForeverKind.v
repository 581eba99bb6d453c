(* JointForeverKind: the claim `joint-forever`, where decoder and attention go at all later steps of a joint run when
   every group supports the decoder (T20, JOINT.md section 4). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Claims Direction Saturation Losses Growth Schedules JointModel JointAscent
                           Number Rows Entries TokenData Instances EqualTokens MergedTokens MarginChecks
                           OptimalityChecks EnclosureChecks Interval Elementary IntervalTables AttentionIntervals
                           ReferenceIntervals RunChecks PathChecks MirrorReplay DecoderData LabelMarginsChecks
                           LabelledValues JointIteration ForeverChecks ClaimKind Posed LabelMarginsGroups
                           LabelMarginsKind JointPathParts JointPathKind JointReplay JointRunKind JointPathChecks
                           GroupValues JointPoint JointForeverChecks JointForeverTables JointForeverSound.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

(* ---- trainings ---- *)

Section Trainings.
Variable N : number.
Implicit Types (q : fraction N) (x y : pair_rule N) (T U : pair_training N).

Lemma identical_fraction_real q q' : identical_fraction q q' -> fraction_real q = fraction_real q'.
Proof. by case/andP=> /same_real a /same_real b; rewrite /fraction_real a b. Qed.

Definition same_pair_rule x y : bool := [&& rule_normalised x == rule_normalised y,
  identical_fraction (rule_size x) (rule_size y) & identical_fraction (rule_power x) (rule_power y)].

Definition same_pair_training T U : bool :=
  [&& same_loss (trained_loss T) (trained_loss U), same_pair_rule (attention_rule T) (attention_rule U),
      same_pair_rule (decoder_rule T) (decoder_rule U) & decoder_from_zero T == decoder_from_zero U].

Lemma same_pair_rule_real x y : same_pair_rule x y ->
  rule_normalised x = rule_normalised y /\ forall t, pair_step_size x t = pair_step_size y t.
Proof.
case/and3P=> /eqP E /identical_fraction_real a /identical_fraction_real b; split=> // t.
by rewrite /pair_step_size a b.
Qed.

Lemma same_trajectory (I : instance N) T U : same_pair_training T U ->
  forall t, pair_trajectory I T t = pair_trajectory I U t.
Proof.
case/and4P=> /same_loss_eq El /same_pair_rule_real[na sa] /same_pair_rule_real[nd sd] /eqP Ez; elim=> [|t IH] /=.
  by rewrite /first_decoder Ez.
by rewrite IH na nd El; case: (pair_trajectory I U t) => v w; rewrite sa sd.
Qed.

(* Both normalised, by one power between -1 and 0. *)
Definition forever_rules T : bool :=
  let x := attention_rule T in let y := decoder_rule T in let p := rule_power x in
  [&& rule_normalised x, rule_normalised y,
      [&& lt zero (fraction_num (rule_size x)), lt zero (fraction_den (rule_size x)),
          lt zero (fraction_num (rule_size y)) & lt zero (fraction_den (rule_size y))],
      identical_fraction p (rule_power y) &
      [&& lt zero (fraction_den p), le (opp (fraction_den p)) (fraction_num p) & le (fraction_num p) zero]].

Lemma positive_fraction q : lt zero (fraction_num q) -> lt zero (fraction_den q) -> 0 < fraction_real q.
Proof. by move=> /lt_real a /lt_real b; rewrite real0 in a b; exact: Rdiv_lt_0_compat. Qed.

Section Rules.
Variable T : pair_training N.
Hypothesis rules : forever_rules T.
Notation a := (attention_rule T).
Notation size_of x := (fraction_real (rule_size x)).
Notation power := (fraction_real (rule_power a)).

Lemma rules_sizes : 0 < size_of a /\ 0 < size_of (decoder_rule T).
Proof. by have [_ _ /and4P[s1 s2 s3 s4] _ _] := and5P rules; split; exact: positive_fraction. Qed.

Lemma rules_power : -1 <= power <= 0.
Proof.
have [_ _ _ _ /and3P[/lt_real d0 /le_real low /le_real high]] := and5P rules.
rewrite real0 in d0 high; rewrite realN in low; have i0 := Rinv_0_lt_compat _ d0.
rewrite /fraction_real /Rdiv; split.
  have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ i0) low; rewrite Ropp_mult_distr_l_reverse Rinv_r; lra.
by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ i0) high; rewrite Rmult_0_l.
Qed.

Lemma rules_ratio t : pair_step_size (decoder_rule T) t = size_of (decoder_rule T) / size_of a * pair_step_size a t.
Proof.
have [s0 _] := rules_sizes; have [_ _ _ /identical_fraction_real E _] := and5P rules.
by rewrite /pair_step_size -E; field; lra.
Qed.

Lemma pair_step_gt0 t : 0 < pair_step_size a t.
Proof. by have [s0 _] := rules_sizes; apply: Rmult_lt_0_compat => //; exact: exp_pos. Qed.

Lemma ln_index_ge0 t : 0 <= ln (INR t.+1).
Proof. by rewrite -ln_1; apply: ln_le_ln; [lra | exact: INR_ge1]. Qed.

Lemma pair_step_falls t s : pair_step_size a (t + s) <= pair_step_size a t.
Proof.
have [s0 _] := rules_sizes; have [_ p0] := rules_power; apply: Rmult_le_compat_l; first exact: Rlt_le.
rewrite /Rpower; apply: exp_monotone; have i1 := INR_ge1 t.
have le : ln (INR t.+1) <= ln (INR (t + s).+1).
  by apply: ln_le_ln; [lra | apply: le_INR; apply/leP; rewrite ltnS leq_addr].
by have := Rmult_le_compat_neg_l _ _ _ p0 le.
Qed.

(* At least size/(t + 1), whose sum diverges. *)
Lemma pair_steps_diverge t : is_lim_seq (total (fun s => pair_step_size a (t + s))) p_infty.
Proof.
have [s0 _] := rules_sizes; have [p1 _] := rules_power.
apply: (is_lim_seq_le_p_loc (total (later_steps Inverse (size_of a) t))); last exact: later_steps_diverge.
exists O => n _; apply: sum_le => s _; rewrite /later_steps /step_size /pair_step_size /Rdiv.
apply: Rmult_le_compat_l; first exact: Rlt_le.
have i1 := INR_ge1 (t + s); rewrite /Rpower -[X in X <= _]exp_ln; last by apply: Rinv_0_lt_compat; lra.
rewrite ln_Rinv; last lra.
apply: exp_monotone; have := Rmult_le_compat_r _ _ _ (ln_index_ge0 (t + s)) p1; lra.
Qed.
Lemma pairs_trained_later (I : instance N) t :
  trained_jointly (@labelled_value N I) (loss_of (trained_loss T))
    (fun s => size_of (decoder_rule T) / size_of a * pair_step_size a (t + s)) (fun s => pair_step_size a (t + s))
    (fun s => (pair_trajectory I T (t + s)).1) (fun s => (pair_trajectory I T (t + s)).2).
Proof.
have [na nd _ _ _] := and5P rules; have joint := @pair_trained_jointly N I T na nd.
by move=> s; have := joint (t + s)%nat; rewrite addnS -(rules_ratio (t + s)).
Qed.
End Rules.
End Trainings.

(* ---- what the claim says ---- *)

Record joint_forever_data (N : number) := JointForeverData {
  later_solution : nat;             (* the claim about the attention's solution *)
  later_support : nat;              (* those about the decoder's support, and the solution it rests on *)
  later_decoder : nat;
  later_pairs : nat;                (* the claim about the run, and what is trained there *)
  later_training : pair_training N;
  later_from_step : nat;
  later_region : pair_region N;
  later_values : decoder_future N;
  later_rows : attention_future N
}.

Section Said.
Variables (N : number) (I : instance N) (sel : seq nat) (x : joint_forever_data N).
Notation T := (later_training x).
Notation t0 := (later_from_step x).

(* The attention's steps from step T on add up to infinity, and after every one of them decoder and attention are as
   near to their limits as is said. *)
Definition joint_forever_holds : Prop :=
  exists (beta : selection (problem (decoder_data I sel))) (vs : vec [finType of 'I_(token_dimension I) * 'I_1])
    (alpha : selection (problem (data_of I))) ws,
  [/\ selects beta (decoder_picks I) /\ max_margin beta vs, selects alpha sel /\ max_margin alpha ws &
    let steps s := pair_step_size (attention_rule T) (t0 + s) in
    is_lim_seq (total steps) p_infty /\ forall s, let vw := pair_trajectory I T (t0 + s) in
      foreseen (@labelled_value N I) (loss_of (trained_loss T)) alpha
        (@margin_direction (problem (decoder_data I sel)) vs) (margin_direction ws)
        (later_values x) (later_rows x) (total steps s) vw.1 vw.2].
End Said.

(* ---- how it is checked ---- *)

Section Kind.
Variable N : number.
Notation P := joint_precision.

Definition some_choice (D : token_data N) : bool := has (fun q => (1 < size (token_rows q))%nat) (sequences D).

(* What the theorem is about, enclosed: the solutions s and d, and the pair. *)
Definition joint_forever_inputs (I : instance N) (D : token_data N) sel (s d : located_solution N)
    (T : pair_training N) (t : nat) (o : pair_state N) : pair_inputs N :=
  let E := decoder_data I sel in
  let picks := decoder_picks I in
  let attention := reference_of D P sel (located_vector s) (margins D sel (located_vector s)) (located_mask s)
    (located_distance s) (located_multiplier_distance s) in
  let decoder := reference_of E P picks (located_vector d) (located_margins d) (located_mask d) (located_distance d)
    (located_multiplier_distance d) in
  let norm := norm_in decoder in
  let w := pair_matrix o in
  let square := matrix_product P w w in
  let centre := exact_matrix P (weight_unit D (located_vector s)) (weights D sel (located_vector s)) in
  let clock := of_natural N t.+1 in
  PairInputs (direction_in E picks d norm) (margin_in decoder) (decoder_shares_in norm (weights_in decoder) [::])
    attention (pair_decoder o)
    (idiv P (iadd P (matrix_product P w centre) (symmetric (imul P (length_root_in P square) (located_distance s))))
      (norm_in attention)) square (size_in P (attention_rule T) clock) (size_in P (decoder_rule T) clock).

Definition joint_forever_check (I : instance N) (D : token_data N) sel mask (s d : located_solution N)
    (T : pair_training N) (o : pair_state N) (x : joint_forever_data N) : bool :=
  let raw := token_data_of I in
  let groups := all_groups_in I P sel raw in
  let inverse := gram_inverse P groups in
  let z := joint_forever_inputs I D sel s d T (later_from_step x) o in
  let l := trained_loss T in
  let r := later_region x in
  [&& same_pair_training T (later_training x), forever_rules T, some_choice D, one_rows_check raw I sel &
      [&& groups_relaxed [::] mask, all (@is_positive N) inverse.1,
          region_check P I D sel groups z inverse.2 l r &
          future_check P I D sel groups z inverse.2 l r (later_values x) (later_rows x)]].

Definition joint_forever_says : posed_statement N (joint_forever_data N) := fun I p D alpha x =>
  joint_forever_holds I (selected_tokens p) x.

Definition joint_forever_claim_check : posed_checker N (joint_forever_data N) := fun quick I p D picks cited others x =>
  match posing_of p, others (later_support x), others (later_decoder x), others (later_pairs x),
        locate_solution (cited (later_solution x)) with
  | Attention, Some (Posed Decoding sel, SupportFact mask exact), Some (Posed Decoding sel', f),
    Some (_, PairFact T points), Some s =>
      if locate_solution f is Some d then
        if found_at (later_from_step x) points is Some o then
          accept [&& has_decoder I, picks == sel, picks == sel' & joint_forever_check I D sel mask s d T o x] Nothing
        else None
      else None
  | _, _, _, _, _ => None
  end.

(* ---- why that suffices ---- *)

Section Sound.
Variables (I : instance N) (sel : seq nat).
Notation D := (data_of I).
Notation E := (decoder_data I sel).
Notation picks := (decoder_picks I).
Notation raw := (token_data_of I).
Notation g := (@labelled_value N I).
Hypotheses (Iok : instance_ok I) (MDok : data_ok D) (Sok : picks_ok D sel) (Eok : data_ok E) (Pok : picks_ok E picks).
Notation alpha := (selection_of Sok).
Notation beta := (selection_of Pok).

Lemma some_choice_sound : some_choice D -> exists t, constraint alpha t.
Proof.
move=> /(has_nthP (no_sequence N))[i il two]; pose i' : data_group D := Ordinal il.
have two' : (1 < length_of D i')%nat := two.
case: (boolP (nth 0%nat sel i == 0%nat)) => [/eqP zero | nonzero].
  by exists (@token_of N D i' (Ordinal two')); apply/constraint_index; rewrite /= zero.
exists (@token_of N D i' (Ordinal (ltn_trans (ltnSn 0) two'))); apply/constraint_index => /= E0.
by rewrite -E0 in nonzero.
Qed.

Lemma some_decoder_row : (exists t, constraint alpha t) -> exists t, constraint beta t.
Proof.
move=> [t _]; exists (@group_row N I sel (group_of t)); exact: group_row_constraint.
Qed.

Theorem joint_forever_check_sound mask exact (s d : located_solution N) fs fd T points o x :
  fact_meaning sel alpha fs -> locate_solution fs = Some s -> fact_meaning picks beta (SupportFact mask exact) ->
  fact_meaning picks beta fd -> locate_solution fd = Some d -> pairs_enclosed I T points ->
  found_at (later_from_step x) points = Some o -> joint_forever_check I D sel mask s d T o x ->
  joint_forever_holds I sel x.
Proof.
move=> own located support_known solution_known known pairs found.
case/and5P=> same rules some rows /and4P[all_support pivots region future].
have cs := some_choice_sound some; have ce := some_decoder_row cs.
have [y [q [ws [lam [vok mE sol Hy Hq]]]]] := locate_solutionP own located.
have [y' [q' [vs [lam' [vok' mE' sol' Hy' Hq']]]]] := locate_solutionP solution_known known.
have [[M mult] _ _ _ [near _]] := sol; have [[M' mult'] _ _ off' [near' _]] := sol'.
have ws0 : 0 < vnorm ws := solution_norm_gt0 (proj1 M) cs.
have vs0 : 0 < vnorm vs := solution_norm_gt0 (proj1 M') ce.
have [mok [vs' [M2 tight]]] := support_fact support_known; rewrite (max_margin_unique M2 M') in tight.
have Hdec := reference_of_encloses P Eok vok' sol' ce Hy' Hq'.
have unit : 0 < real (tokens_unit I) by exact: token_unit_gt0 Eok.
set t0 := later_from_step x in found; set z := joint_forever_inputs _ _ _ _ _ _ _ _ in region future.
have [Hv Hw] : pair_encloses o (pair_trajectory I T t0) := pairs _ _ (found_at_in found).
have supports i : supporting_groups (D := D) (support_column mask) i.
  have il : (i < size mask)%nat by rewrite (support_mask_size mok); exact: decoder_lt.
  rewrite /supporting_groups (nth_map [::]) //; have := all_nthP (0%nat, [::]) all_support i.
  by rewrite size_zip size_iota minnn nth_zip ?size_iota //= => /(_ il)/eqP.
have everyone (F : data_group D -> R) : \sum_(i | supporting_groups (D := D) (support_column mask) i) F i = \sum_i F i.
  by apply: eq_bigl => i; rewrite supports.
have mu_one := decoder_shares_one mok vs0 tight mult'; rewrite everyone in mu_one.
have mu_balance : combine predT (decoder_share (sel := sel) vs lam') (chosen_value g alpha) =
    (/ vnorm vs * margin_direction vs)%V.
  rewrite -(decoder_balance Iok MDok Sok Eok mok vs0 tight rows mult'); apply: vec_ext => j.
  by rewrite /combine everyone.
have along i : dot (chosen_value g alpha i) (margin_direction vs) = / vnorm vs.
  exact: (decoder_tight Iok MDok Sok Eok mok tight rows (supports i)).
have u_one := @margin_direction_one (problem E) vs vs0.
have [Hn Hg _ [fw Hweights] _] := Hdec.
rewrite -mE' in Hn Hg Hweights fw.
have Hatt : reference_encloses Sok (attention_in z) ws lam by exact: (reference_of_encloses P MDok vok sol cs Hy Hq).
have Hdir : row_contains (ray_in z) (margin_direction vs).
  exact: (direction_in_encloses Eok vok' near' Hy' vs0 Hn).
have HG : contains (ray_margin_in z) (/ vnorm vs) by exact: Hg.
have Hmu : @column_encloses N D (shares_in z) (decoder_share (sel := sel) vs lam').
  have [/eqP sw _] := andP fw.
  apply: (column_map (e0 := [::])) => [|i]; first by rewrite sw size_decoder_sequences size_map sequences_size.
  have := Hweights (group_row sel i); rewrite /decoder_share /multiplier_weights (multiplier_total mult') /at_token /=.
  case: ifP => // /negbT nt; suff -> : lam' (group_row sel i) = 0 by rewrite /Rdiv Rmult_0_l.
  exact: (off' _ (group_row_constraint Pok i) nt).
have Hsquare : contains (row_square_in z) (vnorm2 (pair_trajectory I T t0).2) by exact: matrix_product_contains.
have HY : contains (row_height_in z) (dot (pair_trajectory I T t0).2 (margin_direction ws)).
  set w := (pair_trajectory I T t0).2 in Hsquare Hw *; pose c := W alpha (@coefficient_of N D (located_vector s)).
  have -> : dot w (margin_direction ws) = (dot w c + dot w (ws - c)%V) / vnorm ws.
    by rewrite /margin_direction dotZr dotBr; field; lra.
  have Hc : matrix_encloses (exact_matrix P (weight_unit D (located_vector s)) (weights D sel (located_vector s))) c.
    by rewrite /c -(weights_real MDok Sok vok); apply: exact_matrix_encloses; exact: (weights_shaped MDok Sok vok).
  apply: idiv_contains; last by have [] := Hatt.
  apply: iadd_contains; first exact: matrix_product_contains.
  apply: (symmetric_contains (imul_contains P (length_root_in_contains P Hsquare) Hy)).
  by apply: Rle_trans (cauchy_schwarz _ _) _; apply: Rmult_le_compat_l near; exact: vnorm_ge0.
have clock : real (of_natural N t0.+1) = INR t0.+1 by exact: of_natural_real.
have Heta : contains (row_step_in z) (pair_step_size (attention_rule T) t0) by exact: size_in_contains.
have Hstep : contains (value_step_in z) (fraction_real (rule_size (decoder_rule T)) /
    fraction_real (rule_size (attention_rule T)) * pair_step_size (attention_rule T) t0).
  by rewrite -(rules_ratio rules); exact: size_in_contains.
have traj := same_trajectory I same; have [_ /same_pair_rule_real[_ sizes] _ _] := and4P same.
have lossE := same_loss_eq (proj1 (andP same)).
set steps := fun j => pair_step_size (attention_rule T) (t0 + j).
have stepsE : (fun j => pair_step_size (attention_rule (later_training x)) (t0 + j)) = steps.
  by apply: FunctionalExtensionality.functional_extensionality => j; rewrite -sizes.
exists beta, vs, alpha, ws; split; [by split=> //; exact: selection_of_selects | by split=> //;
  exact: selection_of_selects | ].
suff H : is_lim_seq (total steps) p_infty /\ forall j, foreseen g (loss_of (trained_loss T)) alpha
    (@margin_direction (problem E) vs) (margin_direction ws) (later_values x) (later_rows x) (total steps j)
    (pair_trajectory I T (t0 + j)).1 (pair_trajectory I T (t0 + j)).2.
  by move: H; rewrite -stepsE lossE => -[H1 H2]; split=> // j; have := H2 j; rewrite traj.
split=> [|j]; first exact: pair_steps_diverge.
have dir := margin_direction_spec (proj1 M) mult cs.
have [isize iin gram] := gram_inverse_sound (erefl (all_groups_in I P sel raw)) Iok MDok Sok unit pivots.
have Gv0 : 0 < / vnorm vs by exact: Rinv_0_lt_compat.
have enclosed := @PairEnclosed _ P I sel (all_groups_in I P sel raw) z _ Sok
  (@PairValues _ I (@margin_direction (problem E) vs) (/ vnorm vs) (decoder_share (sel := sel) vs lam')
    (pair_trajectory I T t0).1 ws lam (pair_trajectory I T t0).2 _ _)
  erefl Iok MDok unit isize iin gram Hdir HG Hmu Hv (conj mu_one mu_balance) (And3 u_one Gv0 along) Hatt dir HY Hsquare
  Heta Hstep (pair_step_gt0 rules t0).
apply: (future_holds enclosed region future (v := fun i => (pair_trajectory I T (t0 + i)).1)
  (w := fun i => (pair_trajectory I T (t0 + i)).2) (etas := steps)).
- by rewrite addn0.
- by rewrite addn0.
- by move=> i; split; [exact: pair_step_gt0 | exact: pair_step_falls].
exact: (pairs_trained_later rules I t0).
Qed.
End Sound.

Theorem joint_forever_kind_holds : pair_check_holds joint_forever_says joint_forever_claim_check.
Proof.
move=> quick I E0 [q sel] D picks Dok Pok cited others x f [_ ordered] facts all_known.
rewrite /joint_forever_claim_check /=; case: q ordered facts => [||gs|sets] //= ordered facts.
case S0: (others _) => [[[q1 sel1] f1]|] //; case: q1 S0 => // S0; case: f1 S0 => // mask exact S0.
case S1: (others _) => [[[q2 sel2] f2]|] //; case: q2 S1 => // S1.
case S2: (others _) => [[p3 f3]|] //; case: f3 S2 => // T points S2.
case L0: (locate_solution _) => [s|] //; case L1: (locate_solution _) => [d|] //; case F: (found_at _ _) => [o|] //.
move=> /acceptP[/and4P[dec /eqP E1 /eqP E2 checked] <-]; subst sel1 sel2.
have [Iok MDok Sok EE [ED Ep]] := ordered dec; subst E0.
have dataE : D = data_of I by rewrite ED.
have picksE : picks = sel by rewrite Ep.
clear ED Ep; subst D picks; split=> //.
have [Eok [Pok' support_known]] : data_ok (decoder_data I sel) /\ exists Pok' : picks_ok (decoder_data I sel)
    (decoder_picks I), fact_meaning (decoder_picks I) (selection_of Pok') (SupportFact mask exact).
  by have [[Pok' [Eok H]] _] := all_known _ _ S0; split=> //; exists Pok'.
have solution_known : fact_meaning (decoder_picks I) (selection_of Pok') f2.
  have [[Pok2 [_ H]] _] := all_known _ _ S1; rewrite (bool_irrelevance Pok' Pok2); exact: H.
have [_ pairs] := all_known _ _ S2.
exact: (joint_forever_check_sound Iok MDok Eok (facts (later_solution x)) L0 support_known solution_known L1 pairs F
  checked).
Qed.

Definition joint_forever_kind : posed_kind N := PairKind joint_forever_kind_holds.
End Kind.
