(* JointPathKind: the claim `joint-path` (T21 with two radii, A.joint; JOINT.md section 6), of a selection's attention
   beside its decoder. The claim about label margins that it cites is checked with it. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Senses SensedClaims Direction Saturation JointModel JointPath Number
                           Rows Entries TokenData Instances EqualTokens MergedTokens MarginChecks OptimalityChecks
                           EnclosureChecks Interval IntervalTables AttentionIntervals ReferenceIntervals ForeverChecks
                           DecoderData LabelMarginsChecks LabelledValues JointPathChecks GroupValues JointPathTables
                           JointPathSound ClaimKind Posed LabelMarginsGroups LabelMarginsKind SensedKinds
                           JointPathParts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma margin_direction_one (p : selection_problem) (ws : vec (coord p)) : 0 < vnorm ws ->
  vnorm (margin_direction ws) = 1.
Proof.
move=> ws0; have i0 := Rinv_0_lt_compat _ ws0.
by rewrite /margin_direction vnormZ Rabs_pos_eq ?Rinv_l; lra.
Qed.

(* ---- the decoder's solution, by group ---- *)

Section Decoder.
Variables (N : number) (I : instance N) (sel : seq nat).
Notation E := (decoder_data I sel).
Notation picks := (decoder_picks I).
Notation D := (data_of I).
Notation raw := (token_data_of I).
Hypotheses (Iok : instance_ok I) (MDok : data_ok D) (Sok : picks_ok D sel) (Eok : data_ok E) (Pok : picks_ok E picks).
Let alpha : selection (problem D) := selection_of Sok.
Let beta : selection (problem E) := selection_of Pok.
Notation g := (@labelled_value N I).
Notation column := (vec (coord (problem E))).
Implicit Types (i : data_group D).

Lemma decoder_lt i : (i < size (sequences E))%nat.
Proof. by apply: leq_trans (ltn_ord i) _; rewrite size_decoder_sequences size_map sequences_size. Qed.

Definition group_row i : token (problem E) := @token_of N E (Ordinal (decoder_lt i)) (Ordinal (two_tokens _)).

Lemma group_row_constraint i : constraint beta (group_row i).
Proof. by apply/constraint_index; rewrite nth_nseq if_same. Qed.

Lemma constraint_group t : constraint beta t -> exists i, t = group_row i.
Proof.
move=> ct; have il : (tag (t : data_token E) < size (sequences D))%nat.
  by apply: leq_trans (ltn_ord _) _; rewrite size_decoder_sequences size_map sequences_size.
by exists (Ordinal il); apply: same_token => //=; rewrite (decoder_constraint ct).
Qed.

Lemma group_row_inj : injective group_row.
Proof.
move=> i j same; apply: ord_inj.
exact: (congr1 (fun t : token (problem E) => (tag (t : data_token E) : nat)) same).
Qed.

Lemma sum_group_rows (F : token (problem E) -> R) : \sum_(t | constraint beta t) F t = \sum_i F (group_row i).
Proof.
transitivity (\sum_t \sum_(i | group_row i == t) F (group_row i)); last first.
  rewrite (exchange_big_dep predT) //=; apply: eq_bigr => i _.
  by rewrite (eq_bigl (pred1 (group_row i))) ?big_pred1_eq // => t; rewrite eq_sym.
rewrite big_mkcond; apply: eq_bigr => t _; case: (boolP (constraint beta t)) => ct.
  have [i ti] := constraint_group ct; rewrite (big_pred1 i) -?ti // => j.
  by rewrite ti (eqtype.inj_eq group_row_inj).
rewrite big_pred0 // => i; apply/negbTE/eqP => ti; by rewrite -ti group_row_constraint in ct.
Qed.

Lemma group_row_value i : one_rows_check raw I sel -> chosen_value g alpha i = Delta beta (group_row i).
Proof.
move=> rows; have il := values_lt i; have iD : (i < size (sequences raw))%nat by rewrite sequences_size.
have sl : (nth 0%nat sel i < size (class_places (sequence_at raw i)))%nat.
  by rewrite -values_classes; exact: picks_lt.
have one : one_row_check I (sequence_at raw i) i (nth 0%nat sel i).
  by move: rows => /allP; apply; rewrite mem_iota.
apply: vec_ext => jk; rewrite /chosen_value /labelled_value /=.
rewrite (one_row Iok MDok (token_unit_gt0 Eok) il sl one) (decoder_row _ (group_row_constraint i)) /=.
congr (_ * X _ _ _ _); rewrite /decoder_token /representatives (nth_map (no_sequence N)) // -/(sequence_at raw i).
rewrite classes_at -map_comp (nth_map [::]) //=.
by case: (nth [::] (class_places _) _) (class_stands (mem_nth [::] sl)).
Qed.

Variables (mask : seq (seq bool)) (vs : column).
Hypotheses (mok : mask_ok E picks mask) (M : max_margin beta vs) (vs_gt0 : 0 < vnorm vs).
Hypothesis vs_tight : forall t, support beta vs t <-> in_mask mask t.
Hypothesis rows : one_rows_check raw I sel.

Definition support_column : seq bool := [seq nth false r 1 | r <- mask].

Lemma support_mask_size : size mask = size (sequences E).
Proof. by have /andP[/andP[/eqP]] := mok. Qed.

Lemma support_column_size : size support_column = size (sequences D).
Proof. by rewrite size_map support_mask_size size_decoder_sequences size_map sequences_size. Qed.

Lemma support_column_at i : nth false support_column i = in_mask mask (group_row i).
Proof. by rewrite (nth_map [::]) // support_mask_size; exact: decoder_lt. Qed.

Notation S := (supporting_groups (D := D) support_column).

Lemma supports_group i : supports_decoder beta vs i <-> S i.
Proof.
rewrite /supporting_groups support_column_at; split=> [[t [ti st]] | /vs_tight it]; last by exists (group_row i).
have [ct _] := st; have [j tj] := constraint_group ct; have -> : i = j by apply: ord_inj; rewrite -ti tj.
by apply/vs_tight; rewrite -tj.
Qed.

Variable lam : token (problem E) -> R.
Hypothesis mult : multipliers beta vs lam.
Definition decoder_share i : R := lam (group_row i) / (vnorm vs * vnorm vs).
Notation u := (margin_direction vs).

Let n2 : 0 < vnorm vs * vnorm vs. Proof. exact: Rmult_lt_0_compat. Qed.

Lemma decoder_share_ge0 i : 0 <= decoder_share i.
Proof.
have [lam0 _ _] := mult; apply: Rmult_le_pos; last exact/Rlt_le/Rinv_0_lt_compat.
exact: (lam0 _ (group_row_constraint i)).
Qed.

Lemma decoder_share_off i : ~~ S i -> lam (group_row i) = 0.
Proof.
have [_ _ slack] := mult; rewrite /supporting_groups support_column_at => nt.
case: (Rmult_integral _ _ (slack _ (group_row_constraint i))) => // one; case/negP: nt; apply/vs_tight.
by split; [exact: group_row_constraint | lra].
Qed.

Lemma decoder_shares_one : \sum_(i | S i) decoder_share i = 1.
Proof.
have -> : \sum_(i | S i) decoder_share i = \sum_i decoder_share i.
  rewrite big_mkcond; apply: eq_bigr => i _; case: (boolP (S i)) => // /decoder_share_off z.
  by rewrite /decoder_share z /Rdiv Rmult_0_l.
rewrite /decoder_share /Rdiv -sum_mulr -(sum_group_rows lam) (multiplier_total mult) Rinv_r //; lra.
Qed.

Lemma decoder_balance : combine S decoder_share (chosen_value g alpha) = (/ vnorm vs * u)%V.
Proof.
have [_ W _] := mult; apply: vec_ext => j; rewrite /margin_direction /vscale {3}W /combine.
rewrite (sum_group_rows (fun t => lam t * Delta beta t j)) !sum_mull big_mkcond; apply: eq_bigr => i _.
rewrite (group_row_value i rows) /decoder_share; case: (boolP (S i)) => [_ | /decoder_share_off ->].
  by field; lra.
by rewrite Rmult_0_l !Rmult_0_r.
Qed.

Lemma decoder_tight i : S i -> dot (chosen_value g alpha i) u = / vnorm vs.
Proof.
rewrite /supporting_groups support_column_at => /vs_tight[_ one].
by rewrite (group_row_value i rows) dotZr -/(margin beta vs (group_row i)) one Rmult_1_r.
Qed.

Lemma decoder_label nu : (forall (shares : token (problem D) -> R) (a : selection (problem D)), selects a sel ->
      (forall t, 0 <= shares t) -> (forall i, \sum_(t : token (problem D) | group_of t == i) shares t = 1) ->
      forall v, vnorm v <= 1 ->
      exists i : data_group D, supports_decoder beta vs i /\
        forall j : data_group D, supports_decoder beta vs j ->
        dot (labelled_output shares i) v <= / vnorm vs - nu * (1 - shares (a j))) ->
  forall v (w : vec (coord (problem D))), vnorm v <= 1 -> exists i, S i /\ forall j, S j ->
    joint_output g v w i <= / vnorm vs - nu * (1 - attention w (alpha j)).
Proof.
move=> H v w v1; have [|t|i|i [/supports_group Si le]] := H (@attention (problem D) w) alpha _ _ _ v v1.
- exact: selection_of_selects.
- exact/Rlt_le/attention_gt0.
- exact: (attention_sum alpha).
exists i; split=> // j /supports_group Sj; have := le j Sj.
by rewrite /labelled_output dot_combinel.
Qed.
End Decoder.

(* ---- what the claim says ---- *)

(* From two radii on, all minimisers of the training loss over balls of decoders and of attention are near both
   directions; the groups that do not support the decoder are those that are relaxed. *)
Definition joint_path_holds (N : number) (I : instance N) (q : posing) (sel : seq nat) (l : loss_name)
    (c : joint_constants N) : Prop :=
  exists groups (beta : selection (problem (decoder_data I sel))) vs (alpha : selection (problem (data_of I))) ws,
  [/\ relaxed_groups q = Some groups,
    [/\ selects beta (decoder_picks I), max_margin beta vs, 0 < vnorm vs &
      forall t, constraint beta t ->
        (margin beta vs t = 1 <-> (tag (t : data_token (decoder_data I sel)) : nat) \notin groups)],
    [/\ selects alpha sel, sensed_max_margin alpha (@posed_sense N (data_of I) q) ws & 0 < vnorm ws] &
    forall radius r v w, fraction_real (joint_from c) <= radius -> 0 < radius ->
      fraction_real (joint_decoder_from c) <= r -> fraction_real (joint_slope c) * radius <= r ->
      jointly_regularised (@labelled_value N I) (loss_of l) r radius v w ->
      1 - dot v vs / (vnorm vs * r) <=
        fraction_real (joint_decay c) * exp (- (radius / vnorm ws)) + fraction_real (joint_decoder_rate c) / r /\
      1 - dot w ws / (vnorm ws * radius) <= fraction_real (joint_attention_rate c) / radius].

(* ---- the check ---- *)

Section JointPathKind.
Variable N : number.

Record joint_path_data := JointPathData {
  path_solution : nat;                         (* the claim about the attention's solution *)
  path_label_margins : label_margins_data N;   (* what the claim about label margins has *)
  path_plain : option nat; path_tail : loss_name; path_constants : joint_constants N
}.

Definition joint_path_says : posed_statement N joint_path_data := fun I p D alpha x =>
  joint_path_holds I (posing_of p) (selected_tokens p) (path_tail x) (path_constants x).

(* Bits of the intervals. *)
Definition joint_precision : Z := 320.
Notation P := joint_precision.

Definition groups_relaxed (groups : seq nat) (mask : seq (seq bool)) : bool :=
  all (fun im => nth false im.2 1 == (im.1 \notin groups)) (zip (iota 0 (size mask)) mask).

(* Multipliers of the decoder by group: those listed first, or its solution's own. *)
Definition decoder_shares_in (norm : interval N) (own : seq (seq (interval N))) (mus : seq (vector N)) :
    seq (interval N) :=
  if mus is mu :: _ then
    [seq idiv P (ratio P (denominator mu) (nth zero row 1)) (imul P norm norm) | row <- numerators mu]
  else [seq nth (Everything N) row 1 | row <- own].

Definition direction_in (E : token_data N) picks (d : located_solution N) (norm : interval N) : seq (interval N) :=
  [seq imul P norm a | a <- along_in E picks P (located_vector d) (located_distance d) norm].

(* The margin of a direction with all margins positive: of the claim cited, or where no group is relaxed the
   solution's. *)
Definition plain_margin_in (D : token_data N) (fact_of : nat -> option (posed * fact N)) (groups sel : seq nat)
    (own : interval N) (cited : option nat) : option (interval N) :=
  match cited with
  | None => if nilp groups then Some own else None
  | Some k =>
      if fact_of k is Some (Posed Attention sel', f) then
        if sel' == sel then
          omap (fun n : fraction N => idiv P (interval1 N) (isqrt P (fraction_in P n))) (separating_norm D f)
        else None
      else None
  end.

Definition joint_path_check (I : instance N) (fact_of : nat -> option (posed * fact N)) (D : token_data N) sel groups
    mask exact (s d : located_solution N) (x : joint_path_data) : bool :=
  let raw := token_data_of I in
  let E := decoder_data I sel in
  let picks := decoder_picks I in
  let M := path_label_margins x in
  let attention := reference_of D P sel (located_vector s) (margins D sel (located_vector s)) (located_mask s)
    (located_distance s) (located_multiplier_distance s) in
  let decoder := reference_of E P picks (located_vector d) (located_margins d) (located_mask d) (located_distance d)
    (located_multiplier_distance d) in
  let norm := norm_in decoder in
  let values := all_groups_in I P sel raw in
  let direction := direction_in E picks d norm in
  let gamma := margin_in attention in
  if plain_margin_in D fact_of groups sel gamma (path_plain x) is Some plain then
    [&& groups_relaxed groups mask, is_nonnegative (located_distance s), is_nonnegative (located_multiplier_distance s),
        is_positive (norm_in attention) &
        label_margins_check I sel E picks mask exact d M &&
        joint_path_conditions P D sel
          (JointTables (support_column mask) (labels_in P values direction) (value_lengths_in P values)
             (excesses_in P values direction (margin_in decoder)) (farthest_in P values)
             (best_others_in P values direction) (decoder_shares_in norm (weights_in decoder) (margins_vectors M))
             (margin_in decoder) (fraction_in P (margins_cost M)) gamma plain (weights_in attention))
          (path_tail x) (path_constants x)]
  else false.

Definition joint_path_claim_check : posed_checker N joint_path_data := fun quick I p D picks cited others x =>
  let M := path_label_margins x in
  match relaxed_groups (posing_of p), others (margins_support M), others (margins_solution M),
        locate_solution (cited (path_solution x)) with
  | Some groups, Some (Posed Decoding sel, SupportFact mask exact), Some (Posed Decoding sel', f), Some s =>
      if locate_solution f is Some d then
        accept [&& has_decoder I, picks == sel, picks == sel' &
                   joint_path_check I others D sel groups mask exact s d x] Nothing
      else None
  | _, _, _, _ => None
  end.

(* ---- why that suffices ---- *)

Section Sound.
Variables (I : instance N) (q : posing) (sel : seq nat) (groups : seq nat).
Notation D := (data_of I).
Notation E := (decoder_data I sel).
Notation picks := (decoder_picks I).
Notation g := (@labelled_value N I).
Hypotheses (Iok : instance_ok I) (MDok : data_ok D) (Sok : picks_ok D sel) (Eok : data_ok E) (Pok : picks_ok E picks).
Hypothesis rel : relaxed_groups q = Some groups.
Notation alpha := (selection_of Sok).
Notation beta := (selection_of Pok).

Lemma direction_in_encloses d vs norm y : vector_ok E picks (located_vector d) ->
  vnorm (vs - W beta (@coefficient_of N E (located_vector d)))%V <= y -> contains (located_distance d) y ->
  0 < vnorm vs -> contains norm (vnorm vs) -> row_contains (direction_in E picks d norm) (margin_direction vs).
Proof.
move=> vok near Hy v0 Hn; have [sa Ha] := along_encloses Eok P vok near Hy Hn; split=> [|j]; first by rewrite size_map.
rewrite (nth_map (Everything N)) ?sa //; have := imul_contains P Hn (Ha j); congr contains.
by rewrite /margin_direction /decoder_along /vscale; field; lra.
Qed.

Lemma plain_margin_sound fact_of own plain (ws : vec (coord (problem D))) :
  (forall k pf, fact_of k = Some pf -> fact_about I D pf) -> (exists t, constraint alpha t) ->
  (nilp groups -> forall t, constraint alpha t -> / vnorm ws <= margin alpha (margin_direction ws) t) ->
  0 < vnorm ws -> contains own (/ vnorm ws) ->
  forall cited, plain_margin_in D fact_of groups sel own cited = Some plain ->
  exists pl lean, [/\ contains plain pl, vnorm lean <= 1 & forall t, constraint alpha t -> pl <= margin alpha lean t].
Proof.
move=> facts [t0 ct0] holds ws0 Hown [k|] /=; last first.
  case: ifP => // /holds H [<-]; exists (/ vnorm ws), (margin_direction ws); split=> //.
  by right; exact: (@margin_direction_one (problem D) ws ws0).
case known: (fact_of k) => [[[form sel'] f]|] //; case: form known => // known; case: eqP => // same.
subst sel'; case sn: (separating_norm D f) => [n|] //= [<-].
have [Pok' H] : exists Pok' : picks_ok D sel, fact_meaning sel (selection_of Pok') f.
  by have [Pok' [_ H]] := facts _ _ known; exists Pok'.
rewrite (bool_irrelevance Pok' Sok) in H.
have [w [sep short]] := separating_normP MDok H sn.
have n0 : 0 < fraction_real n.
  have := sep t0 ct0; rewrite /margin => m1; have := dot_le_norms (Delta alpha t0) w => le.
  have w0 : 0 < vnorm w by case: (vnorm_ge0 w) => // z; move: le; rewrite -z Rmult_0_r; lra.
  by have := Rmult_lt_0_compat _ _ w0 w0; rewrite vnorm_sqr; lra.
have r0 := sqrt_lt_R0 _ n0; have i0 := Rinv_0_lt_compat _ r0.
exists (1 / sqrt (fraction_real n)), (/ sqrt (fraction_real n) * w)%V; split.
- by apply: idiv_contains; [exact: contains1 | apply: isqrt_contains; exact: fraction_in_contains].
- have le : vnorm w <= sqrt (fraction_real n) by exact: sqrt_le_1_alt.
  rewrite vnormZ Rabs_pos_eq; last lra.
  rewrite -(Rinv_l (sqrt (fraction_real n))); last lra.
  exact: Rmult_le_compat_l (Rlt_le _ _ i0) le.
move=> t /sep; rewrite /margin dotZr => m1; rewrite /Rdiv Rmult_comm; exact: Rmult_le_compat_l (Rlt_le _ _ i0) m1.
Qed.

Theorem joint_path_check_sound fact_of f s x mask exact (d : located_solution N) fd :
  (forall k pf, fact_of k = Some pf -> fact_about I D pf) ->
  posed_fact q sel alpha f -> locate_solution f = Some s ->
  fact_meaning picks beta (SupportFact mask exact) -> fact_meaning picks beta fd -> locate_solution fd = Some d ->
  joint_path_check I fact_of D sel groups mask exact s d x -> joint_path_holds I q sel (path_tail x) (path_constants x).
Proof.
move=> facts own located support_known solution_known known.
rewrite /joint_path_check; case E0: (plain_margin_in _ _ _ _ _ _) => [plain|] //.
case/and5P=> relaxed n1 n2 n3 /andP[margins_ok].
have [y [z [vs [lam [vok mE sol Hy Hz]]]]] := locate_solutionP solution_known known.
have [vs0 [mok vs_tight] [rows cost0] listed label] :=
  label_margins_check_sound Iok MDok Sok Eok vok mE sol Hy Hz support_known margins_ok.
have [[M mult] _ _ off [near _]] := sol.
have cs : exists t, constraint beta t.
  case: (pickP (constraint beta)) => [t ct | none]; first by exists t.
  by have := multiplier_total mult; rewrite big_pred0 //; have := Rmult_lt_0_compat _ _ vs0 vs0; lra.
rewrite mE; have := reference_of_encloses P Eok vok sol cs Hy Hz.
set decoder := reference_of E _ _ _ _ _ _ _ => -[Hn Hg _ Hw _].
have [rx [ry [ws [lamw [S Hrx Hry]]]]] := sensed_located rel own located n1 n2.
have Hnorm := sensed_norm_in MDok P (located_multiplier_distance s) S Hrx.
have ws0 : 0 < vnorm ws := is_positive_real Hnorm n3.
have Hgamma := sensed_margin_in MDok P (located_multiplier_distance s) S Hrx.
have Hweights := sensed_weights_in MDok P S Hrx Hry.
set attention := reference_of D _ _ _ _ _ _ _ in E0 Hnorm Hgamma Hweights *.
have supports i : supporting_groups (D := D) (support_column mask) i = unrelaxed groups i.
  rewrite /supporting_groups /unrelaxed (nth_map [::]).
    have := all_nthP (0%nat, [::]) relaxed i; rewrite size_zip size_iota minnn nth_zip ?size_iota //= nth_iota ?add0n;
      rewrite ?(support_mask_size mok); try (by move=> H; apply/eqP/H; exact: decoder_lt); exact: decoder_lt.
  by rewrite (support_mask_size mok); exact: decoder_lt.
move=> conditions.
have unit : 0 < real (tokens_unit I) by exact: token_unit_gt0 Eok.
have Hdir := direction_in_encloses vok near Hy vs0 Hn.
set direction := direction_in _ _ _ _ in conditions Hdir.
have Hlabels := labels_in_enclose Iok MDok Sok unit (erefl (all_groups_in I P sel (token_data_of I))) Hdir.
have Hlengths := value_lengths_enclose Iok MDok Sok unit (erefl (all_groups_in I P sel (token_data_of I))).
have Hexcesses := excesses_in_enclose Iok MDok Sok unit (erefl (all_groups_in I P sel (token_data_of I))) Hdir Hg.
have [far [Hfar far_ge]] := farthest_in_enclose Iok MDok Sok unit (erefl (all_groups_in I P sel (token_data_of I))).
have [best [Hbest best_ge]] :=
  best_others_enclose Iok MDok Sok unit (erefl (all_groups_in I P sel (token_data_of I))) Hdir.
have [lam' [mult' Hmus]] : exists lam', multipliers beta vs lam' /\ @column_encloses N D
    (decoder_shares_in (norm_in decoder) (weights_in decoder) (margins_vectors (path_label_margins x)))
    (decoder_share (sel := sel) vs lam').
  rewrite /decoder_shares_in; case vectors: (margins_vectors _) => [|nu vs'].
    exists lam; split=> //; have [fw Hw'] := Hw; have [/eqP sw _] := andP fw.
    apply: (column_map (e0 := [::])) => [|i]; first by rewrite sw size_decoder_sequences size_map sequences_size.
    have := Hw' (group_row sel i); rewrite /decoder_share /multiplier_weights (multiplier_total mult) /at_token /=.
    case: ifP => // /negbT nt; suff -> : lam (group_row sel i) = 0 by rewrite /Rdiv Rmult_0_l.
    exact: (off _ (group_row_constraint Pok i) nt).
  have [|nuok multn] := listed 0%nat nu; first by rewrite vectors.
  rewrite vectors /= in nuok multn; exists (@coefficient_of N E nu); split=> //.
  have /and3P[_ fn _] := nuok; have [/eqP sn _] := andP fn.
  apply: (column_map (e0 := [::])) => [|i]; first by rewrite sn size_decoder_sequences size_map sequences_size.
  by apply: idiv_contains; [exact: ratio_contains | exact: imul_contains].
have some_row : exists t, constraint alpha t.
  case: (pickP (constraint alpha)) => [t ct | none]; first by exists t.
  have := attention_weights_one S rel ws0; rewrite big_pred0 => [|t]; last by rewrite none.
  by move=> one; exfalso; lra.
have holds : nilp groups -> forall t, constraint alpha t -> / vnorm ws <= margin alpha (margin_direction ws) t.
  move=> /nilP g0 t ct; have := direction_holds S rel ws0 ct; by rewrite /unrelaxed g0.
have [pl [lean [Hpl lean1 lean_holds]]] := plain_margin_sound facts some_row holds ws0 Hgamma E0.
exists groups, beta, vs, alpha, ws; split=> //.
- split=> //; [exact: selection_of_selects | move=> t ct].
  have [i ti] := constraint_group ct; have := supports i.
  rewrite /supporting_groups (support_column_at mok) -ti /unrelaxed => E1.
  have -> : (tag (t : data_token E) : nat) = i by rewrite ti.
  by rewrite -E1 -vs_tight; split=> [one | [_ one]].
- by split=> //; [exact: selection_of_selects | have [] := sensed_pair S].
move=> radius r v w h1 h2 h3 h4 h5.
have n_holds t : constraint alpha t -> if supporting_groups (D := D) (support_column mask) (group_of t)
    then / vnorm ws <= margin alpha (margin_direction ws) t else 0 <= margin alpha (margin_direction ws) t.
  by move=> ct; rewrite supports; exact: (direction_holds S rel ws0 ct).
have m_one : \sum_(t | constraint alpha t && supporting_groups (D := D) (support_column mask) (group_of t))
    attention_weight (located_mask s) ws lamw t = 1.
  rewrite -(attention_weights_one S rel ws0); apply: eq_bigl => t; congr (_ && _); exact: supports.
have n_one : vnorm (margin_direction ws) <= 1 by right; exact: (@margin_direction_one (problem D) ws ws0).
pose limits := @JointLimit (problem D) [finType of 'I_(token_dimension I) * 'I_1]
  (supporting_groups (D := D) (support_column mask)) (margin_direction vs) (/ vnorm vs)
  (decoder_share (sel := sel) vs lam')
  (fraction_real (margins_cost (path_label_margins x))) (margin_direction ws) (/ vnorm ws)
  (attention_weight (located_mask s) ws lamw) lean pl.
have tables := @TablesKnown _ _ _ Sok _ g (JointTables _ _ _ _ _ _ _ _ _ _ _ _) limits far best (fun=> erefl)
  Hlabels Hlengths Hexcesses Hfar far_ge Hbest best_ge Hmus Hg (fraction_in_contains P _) Hgamma Hpl Hweights
  (weight_off_constraint S).
have decoder_side : decoder_limit alpha g limits.
  split=> //.
  - exact: (@margin_direction_one (problem E) vs vs0).
  - by move=> i _; exact: (decoder_share_ge0 vs0 mult' i).
  - exact: (decoder_shares_one mok vs0 vs_tight mult').
  - exact: (decoder_balance Iok MDok Sok Eok mok vs0 vs_tight rows mult').
  - exact: (decoder_tight Iok MDok Sok Eok mok vs_tight rows).
  exact: (decoder_label Sok mok vs_tight label).
have attention_side : attention_limit alpha limits.
  by split=> //; [exact: (attention_weight_ge0 S rel ws0) | exact: (attention_balance S ws0)].
have := joint_path_conditions_sound MDok tables decoder_side attention_side conditions h1 h2 h3 h4 h5.
case=> r0 first second; have flat (a b y1 : R) : 0 < a -> 0 < b -> y1 / (a * b) = / a * y1 / b by move=> *; field; lra.
rewrite (flat (vnorm vs) r) // (flat (vnorm ws) radius) //.
rewrite (_ : - (radius / vnorm ws) = - (/ vnorm ws * radius)); last by rewrite /Rdiv; ring.
by split; [apply: Rle_trans first; right; rewrite /margin_direction dotZl dotC
  | apply: Rle_trans second; right; rewrite /margin_direction dotZl dotC].
Qed.
End Sound.

Theorem joint_path_kind_holds : posed_check_holds joint_path_says joint_path_claim_check.
Proof.
move=> quick I E0 [q sel] D picks Dok Pok cited others x f [_ ordered] facts known; rewrite /joint_path_claim_check /=.
case rel: (relaxed_groups q) => [groups|] //.
case S0: (others _) => [[[q1 sel1] f1]|] //; case: q1 S0 => // S0; case: f1 S0 => // mask exact S0.
case S1: (others _) => [[[q2 sel2] f2]|] //; case: q2 S1 => // S1.
case L0: (locate_solution _) => [s|] //; case L1: (locate_solution _) => [d|] //.
move=> /acceptP[/and4P[dec /eqP E1 /eqP E2 checked] <-]; subst sel1 sel2.
have [Iok MDok Sok EE [ED Ep]] := ordered dec; subst E0.
have dataE : D = data_of I by rewrite ED /posed_data /posed_data_in /=; case: (q) rel.
have picksE : picks = sel by rewrite Ep /posed_picks /=; case: (q) rel.
clear ED Ep; subst D picks; split; last by case: (q) rel.
have [Eok [Pok' support_known]] : data_ok (decoder_data I sel) /\ exists Pok' : picks_ok (decoder_data I sel)
    (decoder_picks I), fact_meaning (decoder_picks I) (selection_of Pok') (SupportFact mask exact).
  by have [Pok' [Eok H]] := known _ _ S0; split=> //; exists Pok'.
have solution_known : fact_meaning (decoder_picks I) (selection_of Pok') f2.
  have [Pok2 [_ H]] := known _ _ S1; rewrite (bool_irrelevance Pok' Pok2); exact: H.
exact: (joint_path_check_sound Iok MDok Eok rel known (facts (path_solution x)) L0 support_known solution_known L1
  checked).
Qed.

Definition joint_path_kind : posed_kind N := PosedKind joint_path_kind_holds.
End JointPathKind.
