(* JointPathParts: what `joint-path` takes from an instance and from what its certificate has established: the
   attention's solution with rows >= 1 and >= 0, and the labelled values of all groups, enclosed. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Senses SensedClaims Direction Saturation JointModel Number Rows
                           Entries TokenData Instances EqualTokens MergedTokens MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals
                           ForeverChecks ForeverClaims SensedChecks DecoderData LabelMarginsChecks LabelledValues
                           JointPathChecks ClaimKind Posed SensedKinds.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the attention's solution, rows >= 1 and >= 0 ---- *)

Section Attention.
Variables (N : number) (D : token_data N) (picks : seq nat) (q : posing).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation values v := (@coefficient_of N D v).
Notation group_index t := (tag (t : data_token D)).
Implicit Types (t : token (problem D)) (v : vector N) (mask : seq (seq bool)).

Definition posed_sense t : sense := sense_in q (group_index t) (tagged (t : data_token D)).

Lemma relaxed_sense groups t : relaxed_groups q = Some groups ->
  posed_sense t = if (group_index t : nat) \in groups then AtLeastZero else AtLeastOne.
Proof.
by rewrite /posed_sense; case: q => // [[<-] | gs [<-]] //=; case: (_ \in _).
Qed.

(* What is known of it, as for plain problems (`solved`). *)
Record sensed_solved v mask (r y : R) (ws : vec (coord (problem D))) (lam : token (problem D) -> R) : Prop :=
  SensedSolved {
  sensed_vector : vector_ok D picks v;
  sensed_pair : sensed_solution_with alpha posed_sense ws lam;
  sensed_mask : fits D mask /\ forall t, in_mask mask t -> constraint alpha t;
  sensed_off : forall t, constraint alpha t -> ~~ in_mask mask t -> lam t = 0;
  sensed_near : vnorm (ws - W alpha (values v))%V <= r;
  sensed_close : forall t, in_mask mask t -> Rabs (lam t - values v t) <= y
}.

Lemma sensed_exact v groups : relaxed_groups q = Some groups -> vector_ok D picks v ->
  sensed_solution_with alpha posed_sense (W alpha (values v)) (values v) ->
  sensed_solved v (multiplier_mask v) 0 0 (W alpha (values v)) (values v).
Proof.
move=> rel vok sol; have [_ [lam0 _ _]] := sol; have /and3P[_ fv _] := vok; have d0 := denominator_gt0 vok.
have at_mask t : in_mask (multiplier_mask v) t = ~~ le (at_token zero (numerators v) t) zero.
  by rewrite /in_mask /multiplier_mask (at_token_map zero).
split=> //.
- split=> [|t]; first exact: fits_map.
  rewrite at_mask => /not_le_real; rewrite real0 => a0; apply: contraT => nt.
  have : 0 < values v t by apply: Rdiv_lt_0_compat => //; exact: a0.
  by rewrite (coefficient_off vok nt); lra.
- move=> t ct; rewrite at_mask negbK => /le_real; rewrite real0 => a0.
  have := lam0 t ct; rewrite (relaxed_sense t rel) /signed.
  have : values v t <= 0.
    rewrite -(Rmult_0_l (/ real (denominator v))); apply: Rmult_le_compat_r => //.
    exact/Rlt_le/Rinv_0_lt_compat.
  by case: (_ \in groups) => /=; lra.
- by rewrite (_ : (_ - _)%V = vzero) ?vnorm0; [right | vec_ring].
by move=> t _; rewrite Rminus_diag_eq // Rabs_R0; right.
Qed.

Lemma sensed_ball v mask lo hi (r y : R) : vector_ok D picks v -> mask_ok D picks mask -> 0 <= r -> 0 <= y ->
  sensed_ball_enclosure alpha posed_sense (in_mask mask) (values v) lo hi (r * r) y ->
  exists ws lam, sensed_solved v mask r y ws lam.
Proof.
move=> vok mok r0 y0 [ws [lam [sol supp pos [dist close] _]]]; exists ws, lam.
have [_ [lam0 _ slack]] := sol; split=> //.
- by split=> [|t it]; [case/andP: mok | exact: (mask_constraint Pok mok it)].
- move=> t ct nt; have /Rmult_integral[// | m1] := slack t ct.
  by case/negP: nt; apply/supp; split=> //; lra.
- apply: vnorm_le_sqr => //; have -> : vnorm2 (ws - W alpha (values v))%V = vnorm2 (W alpha (values v) - ws)%V
    by rewrite -vnorm2N; congr vnorm2; vec_ring.
  exact: dist.
move=> t it; have sq : (values v t - lam t) * (values v t - lam t) <= y * y.
  apply: Rle_trans close; apply: (sum_term_le (F := fun u => (values v u - lam u) * (values v u - lam u))) => // u _.
  exact: Rle_0_sqr.
by rewrite Rabs_minus_sym; apply: Rabs_le; split; nra.
Qed.

(* As a fact has it. *)
Lemma sensed_located groups f s : relaxed_groups q = Some groups -> posed_fact q picks alpha f ->
  locate_solution f = Some s -> is_nonnegative (located_distance s) -> is_nonnegative (located_multiplier_distance s) ->
  exists x y ws lam, [/\ sensed_solved (located_vector s) (located_mask s) x y ws lam,
    contains (located_distance s) x & contains (located_multiplier_distance s) y].
Proof.
move=> rel; have senses t : posed_sense t = @sense_at N D (senses_of D q) t by rewrite senses_meaning.
have {}senses : @sense_at N D (senses_of D q) = posed_sense.
  by apply: FunctionalExtensionality.functional_extensionality => t.
have exact_case v : vector_ok D picks v -> sensed_solution_with alpha posed_sense (W alpha (values v)) (values v) ->
    exists x y ws lam, [/\ sensed_solved v (multiplier_mask v) x y ws lam, contains (interval0 N) x &
      contains (interval0 N) y].
  move=> vok sol; exists 0, 0, (W alpha (values v)), (values v).
  by split; [exact: (sensed_exact rel) | exact: contains0 | exact: contains0].
have ball_case v mask lo hi (r y : fraction N) : vector_ok D picks v -> mask_ok D picks mask ->
    is_nonnegative (fraction_in forever_precision r) -> is_nonnegative (fraction_in forever_precision y) ->
    sensed_ball_enclosure alpha posed_sense (in_mask mask) (values v) lo hi (fraction_real r * fraction_real r)
      (fraction_real y) ->
    exists a b ws lam, [/\ sensed_solved v mask a b ws lam, contains (fraction_in forever_precision r) a &
      contains (fraction_in forever_precision y) b].
  move=> vok mok /(is_nonnegative_real (fraction_in_contains _ r)) r0.
  move=> /(is_nonnegative_real (fraction_in_contains _ y)) y0 B.
  have [ws [lam S]] := sensed_ball vok mok r0 y0 B.
  by exists (fraction_real r), (fraction_real y), ws, lam; split=> //; exact: fraction_in_contains.
move: rel senses exact_case ball_case; rewrite /posed_sense; case: q => [||gs|sets] // _ senses exact_case ball_case.
  case: f => // [v w m | v w m mask r y high] /=.
    by move=> [vok _ _ sol] [<-] _ _; exact: exact_case.
  move=> [vok [_ _] mok rok [r0 y0 [lo [ws [lam [sol supp pos near bounds]]]]]] [<-] /= rn yn.
  apply: (ball_case _ _ lo (fraction_real high)) => //; exists ws, lam; split=> // t it _; exact: pos.
case: f => // [v w m | v w m mask r y high] /=; rewrite senses.
  by move=> [vok _ _ sol] [<-] _ _; exact: exact_case.
move=> [vok _ mok rok [lo [hi B]]] [<-] /= rn yn; exact: (ball_case _ _ lo hi).
Qed.

(* ---- enclosed ---- *)

Variables (P : Z) (v : vector N) (mask : seq (seq bool)) (r y : interval N) (rx yx : R).
Variables (ws : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypotheses (sol : sensed_solved v mask rx yx ws lam) (Hr : contains r rx) (Hy : contains y yx).
Notation reference := (reference_of D P picks v (margins D picks v) mask r y).

Definition attention_weight t : R := if in_mask mask t then lam t / (vnorm ws * vnorm ws) else 0.

Lemma sensed_norm_in : contains (norm_in reference) (vnorm ws).
Proof.
have vok := sensed_vector sol; have -> : vnorm ws = vnorm (W alpha (values v)) + (vnorm ws - vnorm (W alpha (values v)))
  by ring.
apply: iadd_contains.
  by rewrite /vnorm (energy_value Dok Pok vok); apply: isqrt_contains; exact: ratio_contains.
apply: (symmetric_contains Hr); apply: Rle_trans (sensed_near sol); apply: Rabs_le; split; last exact: vnorm_sub_ge.
have -> : vnorm (ws - W alpha (values v))%V = vnorm (W alpha (values v) - ws)%V.
  by rewrite -vnormN; congr vnorm; vec_ring.
have := vnorm_sub_ge (W alpha (values v)) ws; lra.
Qed.

Lemma sensed_margin_in : contains (margin_in reference) (/ vnorm ws).
Proof. by rewrite -[/ _]Rmult_1_l; apply: idiv_contains sensed_norm_in; exact: contains1. Qed.

Lemma sensed_weights_in : encloses (weights_in reference) attention_weight.
Proof.
have /and3P[_ fv _] := sensed_vector sol; have [fm _] := sensed_mask sol.
have fnum : fits D (exact_table P (denominator v) (numerators v)) by exact: fits_map.
apply: within_encloses => //; [exact: contains0 | exact: fits_map | move=> t it].
rewrite (at_token_map (Everything N)) //; apply: idiv_contains; last by apply: imul_contains; exact: sensed_norm_in.
have -> : lam t = values v t + (lam t - values v t) by ring.
apply: iadd_contains; last exact: (symmetric_contains Hy (sensed_close sol it)).
by rewrite /exact_table (at_token_map zero) //; exact: ratio_contains.
Qed.

(* ---- what JointPath.v asks of it ---- *)

Variable groups : seq nat.
Hypotheses (rel : relaxed_groups q = Some groups) (ws_gt0 : 0 < vnorm ws).
Definition unrelaxed : pred (data_group D) := fun i => (i : nat) \notin groups.

Lemma weight_of_constraint t : constraint alpha t -> attention_weight t = lam t / (vnorm ws * vnorm ws).
Proof.
move=> ct; rewrite /attention_weight; case: (boolP (in_mask mask t)) => // it.
by rewrite (sensed_off sol ct it) /Rdiv Rmult_0_l.
Qed.

Lemma weight_off_constraint t : ~~ constraint alpha t -> attention_weight t = 0.
Proof. by move=> nt; rewrite /attention_weight; case: ifP => // /(proj2 (sensed_mask sol)); rewrite (negbTE nt). Qed.

Lemma direction_holds t : constraint alpha t ->
  if unrelaxed (group_of t) then / vnorm ws <= margin alpha (margin_direction ws) t
  else 0 <= margin alpha (margin_direction ws) t.
Proof.
move=> ct; have [[sep _] _] := sensed_pair sol; have := sep t ct; rewrite (relaxed_sense t rel) /in_sense /unrelaxed /=.
have i0 := Rinv_0_lt_compat _ ws_gt0; rewrite /margin_direction /Selection.margin dotZr.
case: (_ \in _) => /= m1; first exact: Rmult_le_pos (Rlt_le _ _ i0) m1.
by rewrite -[X in X <= _]Rmult_1_r; exact: Rmult_le_compat_l (Rlt_le _ _ i0) m1.
Qed.

Lemma attention_weight_ge0 t : constraint alpha t -> 0 <= attention_weight t.
Proof.
move=> ct; have [_ [lam0 _ _]] := sensed_pair sol; rewrite (weight_of_constraint ct).
apply: Rmult_le_pos; last by apply/Rlt_le/Rinv_0_lt_compat; exact: Rmult_lt_0_compat.
by have := lam0 t ct; rewrite (relaxed_sense t rel) /signed; case: (_ \in groups).
Qed.

Lemma attention_weights_one : \sum_(t | constraint alpha t && unrelaxed (group_of t)) attention_weight t = 1.
Proof.
have [_ [_ E slack]] := sensed_pair sol; have n2 : 0 < vnorm ws * vnorm ws by exact: Rmult_lt_0_compat.
have total : \sum_(t | constraint alpha t && unrelaxed (group_of t)) lam t = vnorm ws * vnorm ws.
  rewrite vnorm_sqr /vnorm2 {1}E dot_combinel big_mkcondr; apply: eq_bigr => t ct.
  have := slack t ct; rewrite (relaxed_sense t rel) /unrelaxed /= /margin.
  by case: (_ \in _) => /=; lra.
rewrite (eq_bigr (fun t => lam t * / (vnorm ws * vnorm ws))) => [|t /andP[ct _]]; last exact: weight_of_constraint.
by rewrite -sum_mulr total Rinv_r; lra.
Qed.

Lemma attention_balance : combine (constraint alpha) attention_weight (Delta alpha) =
  (/ vnorm ws * margin_direction ws)%V.
Proof.
have [_ [_ E _]] := sensed_pair sol; apply: vec_ext => j.
rewrite /margin_direction /vscale {3}E /combine !sum_mull; apply: eq_bigr => t ct.
by rewrite (weight_of_constraint ct); field; lra.
Qed.
End Attention.

(* ---- labelled values of all groups ---- *)

Section Values.
Variables (N : number) (I : instance N) (P : Z) (sel : seq nat).
Notation raw := (token_data_of I).
Notation D := (data_of I).
Notation column := (vec [finType of 'I_(token_dimension I) * 'I_1]).
Notation classes_of i := (class_places (sequence_at raw i)).

Definition all_groups_in (data : token_data N) : seq (labelled_group N) :=
  [seq group_in I P (sequence_at data i) i (nth 0%nat sel i) | i <- iota 0 (size (tokens I))].

Variables (groups : seq (labelled_group N)) (direction : seq (interval N)).

Definition length_of_row (r : seq (interval N)) : interval N := isqrt P (row_product P r r).
Definition of_differences (f : labelled_group N -> seq (interval N) -> interval N) : seq (seq (interval N)) :=
  [seq [seq f g s | s <- group_differences g] | g <- groups].
Definition labels_in : seq (seq (interval N)) := of_differences (fun _ s => row_product P s direction).
Definition value_lengths_in : seq (seq (interval N)) := of_differences (fun _ s => length_of_row s).
Definition excesses_in (Gamma : interval N) : seq (interval N) :=
  [seq isub P (row_product P (group_value g) direction) Gamma | g <- groups].
Definition farthest_in : seq (interval N) :=
  [seq column_largest P r | r <- of_differences (fun g s => length_of_row (apart P (group_value g) s))].
Definition best_others_in : seq (interval N) :=
  [seq row_largest P [seq row_product P (apart P (group_value g) (nth [::] (group_differences g) s)) direction
                     | s <- iota 0 (size (group_differences g)) & s != group_best g] | g <- groups].

Hypotheses (Iok : instance_ok I) (MDok : data_ok D) (Sok : picks_ok D sel) (unit_gt0 : 0 < real (tokens_unit I)).
Hypothesis groupsE : groups = all_groups_in raw.
Let alpha : selection (problem D) := selection_of Sok.
Notation g := (@labelled_value N I).
Implicit Types (t : token (problem D)) (i : data_group D).

Lemma values_size : size groups = size (sequences D).
Proof. by rewrite groupsE size_map size_iota size_map sequences_size. Qed.

Lemma values_lt i : (i < size (tokens I))%nat.
Proof. by apply: leq_trans (ltn_ord i) _; rewrite size_map sequences_size. Qed.

Lemma values_classes i : length_of D i = size (classes_of i).
Proof.
have il : (i < size (sequences raw))%nat by rewrite sequences_size; exact: values_lt.
exact: (merged_length (Ordinal il)).
Qed.

Lemma values_enclose i : let gr := nth (no_group N) groups i in
  [/\ row_contains (group_value gr) (chosen_value g alpha i), size (group_differences gr) = length_of D i,
      group_best gr = nth 0%nat sel i &
      forall s : 'I_(length_of D i), row_contains (nth [::] (group_differences gr) s)
        (value_difference g alpha (@token_of N D i s))].
Proof.
have il := values_lt i; rewrite /= groupsE (nth_map 0%nat) ?size_iota // nth_iota // add0n.
have pl : (nth 0%nat sel i < size (classes_of i))%nat by rewrite -values_classes; exact: picks_lt.
have [H1 H2 _ H3 H4] := group_in_encloses P Iok MDok unit_gt0 il pl.
split=> //; first by rewrite values_classes.
by move=> s; apply: H4; rewrite -values_classes; exact: ltn_ord.
Qed.

Lemma of_differences_encloses f F : (forall i (s : 'I_(length_of D i)), let gr := nth (no_group N) groups i in
    contains (f gr (nth [::] (group_differences gr) s)) (F (@token_of N D i s))) ->
  @encloses N D (of_differences f) F.
Proof.
move=> H; have row (i : data_group D) : nth [::] (of_differences f) i =
    [seq f (nth (no_group N) groups i) s | s <- group_differences (nth (no_group N) groups i)].
  by rewrite (nth_map (no_group N)) // values_size.
split=> [|[i s]].
  have sz : size (of_differences f) = size (sequences D) by rewrite size_map values_size.
  rewrite /fits sz eqxx; apply/(all_nthP ([::], no_sequence N)) => i.
  rewrite size_zip sz minnn => il; rewrite nth_zip //=.
  have /= -> := row (Ordinal il); rewrite size_map; have [_ /= -> _ _] := values_enclose (Ordinal il).
  exact: eqxx.
rewrite /at_token /= row (nth_map [::]); first exact: H.
by have [_ -> _ _] := values_enclose i.
Qed.

Lemma length_of_row_contains r (x : column) : row_contains r x -> contains (length_of_row r) (vnorm x).
Proof. by move=> H; apply: isqrt_contains; exact: row_product_contains. Qed.

Lemma other_value (i : data_group D) (s : 'I_(length_of D i)) :
  row_contains (apart P (group_value (nth (no_group N) groups i))
    (nth [::] (group_differences (nth (no_group N) groups i)) s)) (g (@token_of N D i s)).
Proof.
have [H1 _ _ H2] := values_enclose i; have -> : g (@token_of N D i s) =
    (chosen_value g alpha i - value_difference g alpha (@token_of N D i s))%V.
  by rewrite /value_difference /=; vec_ring.
exact: apart_contains H1 (H2 s).
Qed.

Variable u : column.
Hypothesis direction_in : row_contains direction u.

Lemma labels_in_enclose : @encloses N D labels_in (fun t => dot (value_difference g alpha t) u).
Proof.
by apply: of_differences_encloses => i s; have [_ _ _ H] := values_enclose i; exact: row_product_contains.
Qed.

Lemma value_lengths_enclose : @encloses N D value_lengths_in (fun t => vnorm (value_difference g alpha t)).
Proof.
by apply: of_differences_encloses => i s; have [_ _ _ H] := values_enclose i; exact: length_of_row_contains.
Qed.

Lemma excesses_in_enclose Gamma Gm : contains Gamma Gm ->
  @column_encloses N D (excesses_in Gamma) (fun i => dot (chosen_value g alpha i) u - Gm).
Proof.
move=> HG; apply: (column_map (e0 := no_group N)) => [|i]; first exact: values_size.
by have [H _ _ _] := values_enclose i; apply: isub_contains => //; exact: row_product_contains.
Qed.

Lemma farthest_in_enclose : exists far : data_group D -> R, @column_encloses N D farthest_in far /\
  forall t, vnorm (g t) <= far (group_of t).
Proof.
have [fl Hl] : @encloses N D (of_differences (fun g s => length_of_row (apart P (group_value g) s)))
    (fun t => vnorm (g t)).
  by apply: of_differences_encloses => i s; apply: length_of_row_contains; exact: other_value.
have rows (i : data_group D) : exists x, contains (column_largest P (nth [::]
      (of_differences (fun g s => length_of_row (apart P (group_value g) s))) i)) x /\
    forall s : 'I_(length_of D i), vnorm (g (@token_of N D i s)) <= x.
  have [x [Hx _ H]] := largest_contains P (F := fun s : 'I_(length_of D i) => vnorm (g (@token_of N D i s)))
    (fits_row fl (ltn_ord i)) (fun s => Hl (token_of s)).
  by exists x.
have [far Hfar] := fin_all_exists rows; exists far; split; last first.
  by case=> i s; have [_ H] := Hfar i; exact: (H s).
have [/eqP sl _] := andP fl; apply: (column_map (e0 := [::])) => // i; by have [] := Hfar i.
Qed.

Lemma best_others_enclose : exists best : data_group D -> R, @column_encloses N D best_others_in best /\
  forall t, constraint alpha t -> dot (g t) u <= best (group_of t).
Proof.
have rows (i : data_group D) : exists x, let gr := nth (no_group N) groups i in
    contains (row_largest P [seq row_product P (apart P (group_value gr) (nth [::] (group_differences gr) s)) direction
                     | s <- iota 0 (size (group_differences gr)) & s != group_best gr]) x /\
    forall s : 'I_(length_of D i), (s : nat) != nth 0%nat sel i -> dot (g (@token_of N D i s)) u <= x.
  set gr := nth _ _ _; have [_ sg bg _] := values_enclose i; rewrite -/gr in sg bg.
  pose value (s : nat) : R := oapp (fun o : 'I_(length_of D i) => dot (g (@token_of N D i o)) u) 0 (insub s).
  have [|x [Hx le]] := @row_largest_contains N P [eqType of nat]
    [seq s <- iota 0 (size (group_differences gr)) | s != group_best gr]
    (fun s => row_product P (apart P (group_value gr) (nth [::] (group_differences gr) s)) direction) value.
    move=> s; rewrite mem_filter mem_iota add0n sg => /andP[_ /andP[_ sl]].
    rewrite /value insubT /=; apply: row_product_contains direction_in; exact: (other_value (Ordinal sl)).
  exists x; split=> // s ne; have := le (s : nat); rewrite mem_filter mem_iota add0n sg bg ne ltn_ord /= => /(_ isT).
  by rewrite /value valK.
have [best Hbest] := fin_all_exists rows; exists best; split.
  by apply: (column_map (e0 := no_group N)) => [|i]; [exact: values_size | have [] := Hbest i].
case=> i s ct; have [_ H] := Hbest i; apply: (H s); have /constraint_index := ct; exact/introN/eqP.
Qed.
End Values.
