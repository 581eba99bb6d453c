(* LabelledValues: what a decoder that is trained beside the attention scores: the labelled values Y_i x_it of an
   instance's tokens (JOINT.md section 1), of equal tokens the mean by their counts, as rows of intervals.

   The decoder's problem speaks of the selected token's row, attention of its class: they must be the same. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Number Rows TokenData Instances EqualTokens MergedTokens MarginChecks
                           Interval IntervalTables DecoderData LabelMarginsChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section LabelledValues.
Variables (N : number) (I : instance N).
Let raw := token_data_of I.
Notation d := (token_dimension I).
Notation column := (vec [finType of 'I_d * 'I_1]).
Notation classes_of i := (class_places (sequence_at raw i)).

Definition row_count (i t : nat) : R := entry (count_row (sequence_at raw i)) t.

(* Y_i times the mean of the rows x_it of these tokens. *)
Definition labelled_mean (i : nat) (places : seq nat) : column := fun jk =>
  Y (labels I) i * ((\sum_(t <- places) row_count i t * X I i t jk.1) / \sum_(t <- places) row_count i t).

(* Of a token of the merged data. *)
Definition labelled_value (t : token (problem (merged raw))) : column :=
  labelled_mean (tag (t : data_token (merged raw))) (nth [::] (classes_of (tag (t : data_token (merged raw))))
    (tagged (t : data_token (merged raw)))).

(* ---- computed ---- *)

(* Minus the sum of the rows times their counts. *)
Definition class_sum (counts : seq N) (rows : seq (seq N)) : seq N := sub_weighted (zeros N d) counts rows.
Definition rows_in (i : nat) (c : seq (member N)) : seq (seq N) :=
  let rows := nth [::] (tokens I) i in [seq nth [::] rows (member_place a) | a <- c].

Variable P : Z.

Definition mean_in (positive : bool) (counts : seq N) (rows : seq (seq N)) : seq (interval N) :=
  let unit := mul (sum_row counts) (tokens_unit I) in
  [seq ratio P unit (if positive then opp a else a) | a <- class_sum counts rows].

Definition means_in (i : nat) (q : sequence N) : seq (seq (interval N)) :=
  let positive := nth false (labels I) i in [seq mean_in positive (counts_in c) (rows_in i c) | c <- classes q].

(* q: sequence i of the data, its tokens as the instance numbers them. *)
Definition group_in (q : sequence N) (i pick : nat) : labelled_group N :=
  let means := means_in i q in
  let best := nth [::] means pick in
  LabelledGroup best [seq apart P best r | r <- means] pick [seq first_place c | c <- classes q].

(* The tokens equal to the selected one have its row of X. *)
Definition one_row_check (q : sequence N) (i pick : nat) : bool :=
  let c := nth [::] (classes q) pick in
  let row := nth [::] (nth [::] (tokens I) i) (first_place c) in
  all (fun a => same a zero) (axpy (sum_row (counts_in c)) (class_sum (counts_in c) (rows_in i c)) row).

(* ---- what that means ---- *)

Hypotheses (Iok : instance_ok I) (MDok : data_ok (merged raw)) (unit_gt0 : 0 < real (tokens_unit I)).
Variable i : nat.
Hypothesis il : (i < size (tokens I))%nat.
Notation q := (sequence_at raw i).
Notation rows := (nth [::] (tokens I) i).

Lemma rows_dimension : all (fun row => size row == d) rows.
Proof. by have /and5P[_ H _ _ _] := Iok; have /andP[] := all_nthP [::] H i il. Qed.

Lemma token_rows_size : size (token_rows q) = size rows.
Proof.
rewrite sequence_at_of //= /feature_rows; have /and5P[_ _ + _ _] := Iok.
case: (attention_model I) => // keys unit /eqP E.
have := congr1 (fun s => nth 0%nat s i) E; rewrite (nth_map [::]) ?(nth_map [::]) //.
by rewrite -(size_map size keys) E size_map.
Qed.

Section AtClass.
Variable s : nat.
Hypothesis sl : (s < size (classes_of i))%nat.
Notation places := (nth [::] (classes_of i) s).
Notation class := [seq member_at q t | t <- places].

Lemma class_at : nth [::] (classes q) s = class.
Proof. by rewrite classes_at (nth_map [::]). Qed.

Lemma place_lt t : t \in places -> (t < size rows)%nat.
Proof.
move=> tp; have : t \in flatten (classes_of i) by apply/flattenP; exists places => //; exact: mem_nth.
by rewrite (perm_mem (places_once q)) mem_iota add0n token_rows_size.
Qed.

Lemma rows_in_at : rows_in i class = [seq nth [::] rows t | t <- places].
Proof. by rewrite /rows_in -map_comp. Qed.

Lemma class_sum_real : size (class_sum (counts_in class) (rows_in i class)) = d /\
  forall j, entry (class_sum (counts_in class) (rows_in i class)) j =
    - \sum_(t <- places) row_count i t * entry2 rows t j.
Proof.
have sized : all (fun row => size row == d) (rows_in i class).
  by rewrite rows_in_at all_map; apply/allP => t tp; apply: (all_nthP [::] rows_dimension); exact: place_lt.
have sc : size (counts_in class) = size (rows_in i class) by rewrite /counts_in rows_in_at !size_map.
have [ss E] := sub_weighted_spec (size_nseq d zero) sized sc; split=> // j.
rewrite E entry_zeros Rminus_0_l; congr (- _); rewrite [RHS](big_nth 0%nat) big_mkord rows_in_at size_map.
apply: eq_bigr => k _; rewrite /entry2 (nth_map 0%nat) //.
by congr (_ * _); rewrite /counts_in -map_comp /entry (nth_map 0%nat).
Qed.

Lemma class_total : real (sum_row (counts_in class)) = \sum_(t <- places) row_count i t.
Proof. exact: sum_counts. Qed.

Lemma class_total_gt0 : 0 < \sum_(t <- places) row_count i t.
Proof.
have iD : (i < size (sequences raw))%nat by rewrite sequences_size.
have sM : (s < length_of (merged raw) (in_merged (Ordinal iD)))%nat by rewrite merged_length.
have := class_count MDok (Ordinal sM); rewrite /row_count => <-; exact: multiplicity_gt0.
Qed.

Lemma mean_in_contains : row_contains (mean_in (nth false (labels I) i) (counts_in class) (rows_in i class))
  (labelled_mean i places).
Proof.
have [ss E] := class_sum_real; split=> [|j]; first by rewrite size_map.
rewrite (nth_map zero) ?ss //; set positive := nth false _ _.
have T0 := class_total_gt0; have total := class_total.
have -> : labelled_mean i places (j, ord0) =
    real (if positive then opp (nth zero (class_sum (counts_in class) (rows_in i class)) j)
          else nth zero (class_sum (counts_in class) (rows_in i class)) j) /
    real (mul (sum_row (counts_in class)) (tokens_unit I)).
  have e := E j; rewrite /entry in e; rewrite /labelled_mean /X /Y -/positive realM total.
  have -> : \sum_(t <- places) row_count i t * (entry2 rows t j / real (tokens_unit I)) =
      (\sum_(t <- places) row_count i t * entry2 rows t j) / real (tokens_unit I).
    by rewrite /Rdiv sum_mulr; apply: eq_bigr => t _; ring.
  by case: positive; rewrite ?realN e; field; lra.
exact: ratio_contains.
Qed.

Lemma one_row : one_row_check q i s -> labelled_mean i places =
  (fun jk => Y (labels I) i * X I i (head 0%nat places) jk.1).
Proof.
rewrite /one_row_check class_at => zeros_all; have [ss E] := class_sum_real; have T0 := class_total_gt0.
have stands : head 0%nat places \in places by apply: class_stands; exact: mem_nth.
have first : first_place class = head 0%nat places by case: places stands.
have sr : size (nth [::] rows (head 0%nat places)) = d.
  by apply/eqP; apply: (all_nthP [::] rows_dimension); exact: place_lt.
apply: vec_ext => -[j k]; rewrite /labelled_mean /=; congr (_ * _).
set y := axpy _ _ _ in zeros_all; have sy : size y = d by rewrite size_axpy ss first sr minnn.
have := all_nthP zero zeros_all j; rewrite sy ltn_ord => /(_ isT) /same_real.
rewrite real0 -/(entry y j) /y entry_axpy ?ss ?first ?sr // E class_total => H.
rewrite /X; have -> : \sum_(t <- places) row_count i t * (entry2 rows t j / real (tokens_unit I)) =
    (\sum_(t <- places) row_count i t * entry2 rows t j) / real (tokens_unit I).
  by rewrite /Rdiv sum_mulr; apply: eq_bigr => t _; ring.
have -> : \sum_(t <- places) row_count i t * entry2 rows t j =
    (\sum_(t <- places) row_count i t) * entry (nth [::] rows (head 0%nat places)) j by lra.
by rewrite /entry2; field; lra.
Qed.
End AtClass.

(* A group's values, of its tokens as the merged data has them. *)
Theorem group_in_encloses pick : (pick < size (classes_of i))%nat -> let g := group_in q i pick in
  [/\ row_contains (group_value g) (labelled_mean i (nth [::] (classes_of i) pick)),
      size (group_differences g) = size (classes_of i), size (group_names g) = size (classes_of i),
      group_best g = pick &
      forall s, (s < size (classes_of i))%nat -> row_contains (nth [::] (group_differences g) s)
        (labelled_mean i (nth [::] (classes_of i) pick) - labelled_mean i (nth [::] (classes_of i) s))%V].
Proof.
move=> pl g; have sm : size (classes q) = size (classes_of i) by rewrite classes_at size_map.
have at_class s : (s < size (classes_of i))%nat -> row_contains (nth [::] (means_in i q) s)
    (labelled_mean i (nth [::] (classes_of i) s)).
  move=> sl; rewrite (nth_map [::]) ?sm // class_at //; exact: mean_in_contains.
have best := at_class pick pl; split=> //=; rewrite ?size_map ?sm //.
move=> s sl; rewrite (nth_map [::]) ?size_map ?sm //.
by apply: apart_contains => //; exact: at_class.
Qed.
End LabelledValues.
