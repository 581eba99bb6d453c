(* GroupValues: the labelled values of all groups of an instance, enclosed: their products with a direction, their
   lengths, and how far they are from those of the selected tokens. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Saturation JointModel Number Rows Entries TokenData Instances EqualTokens
                           MergedTokens MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals ReferenceIntervals DecoderData LabelMarginsChecks LabelledValues
                           JointPathChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

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
