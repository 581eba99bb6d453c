(* JointPoint: a decoder beside its limit where every group supports it, enclosed: what T20 (JOINT.md section 4) asks of
   v alone. The inverse of the Gram matrix of the selected values is enclosed by elimination. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Direction Saturation JointModel JointDecoder JointRegion JointSpan Number
                           Rows Entries TokenData Instances EqualTokens MergedTokens MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals LabelMarginsChecks
                           LabelledValues GaussJordan ForeverChecks GroupValues.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section Columns.
Variables (N : number) (D : token_data N) (P : Z).

Lemma column_product_contains c d (x y : data_group D -> R) : column_encloses c x -> column_encloses d y ->
  contains (row_product P c d) (\sum_i x i * y i).
Proof.
move=> Hc Hd; have H : column_encloses (combine_columns (imul P) c d) (fun i => x i * y i).
  by apply: (combine_column Hc Hd) => i I J; exact: imul_contains.
exact: (column_sum_contains P H).
Qed.

Lemma column_at c (x : data_group D -> R) (i : data_group D) : column_encloses c x ->
  contains (nth (Everything N) c i) (x i).
Proof. by case. Qed.

Lemma column_all (f : interval N -> bool) c (x : data_group D -> R) (i : data_group D) : column_encloses c x ->
  all f c -> exists2 I, contains I (x i) & f I.
Proof.
move=> [sc Hc] H; exists (nth (Everything N) c i); first exact: Hc.
by apply: (all_nthP _ H); rewrite sc.
Qed.
End Columns.

Section Point.
Variables (N : number) (P : Z) (I : instance N) (sel : seq nat) (groups : seq (labelled_group N)).
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation dim := (token_dimension I).
Notation column := (vec [finType of 'I_dim * 'I_1]).
Notation D := (data_of I).

(* The limit's direction, margin and multipliers, and the decoder. *)
Variables (direction : seq interval) (margin : interval) (mus v : seq interval).

Definition selected_values : seq (seq interval) := [seq group_value k | k <- groups].

(* The pivots and the inverse of the Gram matrix. *)
Definition gram_inverse : seq interval * seq (seq interval) :=
  invert anything (interval0 N) (interval1 N) (isub P) (imul P) (idiv P) (size groups)
    [seq [seq row_product P a b | b <- selected_values] | a <- selected_values].

Variable inverse : seq (seq interval).

Definition value_products_in (x : seq interval) : seq interval := [seq row_product P a x | a <- selected_values].
Definition solved_in (x : seq interval) : seq interval := [seq row_product P r x | r <- inverse].
(* The square of what has these products with the values, in their span. *)
Definition form_in (x : seq interval) : interval := row_product P x (solved_in x).

Definition minus_entropy_in : interval := isum P (combine_columns (imul P) mus [seq ilog P m | m <- mus]).
Definition centres_in : seq interval := [seq isub P minus_entropy_in (ilog P m) | m <- mus].     (* z* *)
Definition height_in : interval := row_product P v direction.                                    (* y *)
Definition away_in : seq interval := combine_columns (isub P) centres_in (value_products_in v).
Definition still_in : seq interval :=                                                            (* q* + r *)
  pairwise (iadd P) v (mixed_rows P dim (solved_in away_in) selected_values).
Definition near_centre_in : interval := isqrt P (form_in [seq iadd P w (imul P margin height_in) | w <- away_in]).
Definition longest_value_in : interval := column_largest P [seq length_of_row P a | a <- selected_values].
Definition values_aside_in : seq interval :=
  [seq isqrt P (isub P (row_product P a a) (imul P margin margin)) | a <- selected_values].

(* ---- boxes ---- *)

Definition one_pull_in (mu m : interval) : interval :=
  let rest := isub P (interval1 N) mu in
  iadd P (imul P mu (iexp P m)) (imul P rest (iexp P (iopp (idiv P (imul P m mu) rest)))).

Definition absolute_in (J : interval) : interval := imax P J (iopp J).

Definition lateral_in (boxes : seq interval) : interval :=
  isum P [seq isum P [seq imul P (absolute_in (isub P mj.1 (idiv P (imul P im.2.1 mj.2.1) (imul P margin margin))))
                              (imul P im.2.2 mj.2.2) | mj <- zip im.1 (zip mus boxes)]
         | im <- zip inverse (zip mus boxes)].

Definition boxes_check (level reach : interval) (boxes : seq interval) : bool :=
  [&& is_positive reach, size boxes == size groups,
      all (fun mb => [&& is_positive mb.2, is_positive (isub P (interval1 N) mb.1),
                         certainly_le level (ilog P (one_pull_in mb.1 mb.2)) &
                         certainly_le level (ilog P (one_pull_in mb.1 (iopp mb.2)))]) (zip mus boxes) &
      certainly_le (lateral_in boxes) (imul P reach reach)].

(* ---- soundness ---- *)

Hypothesis groupsE : groups = all_groups_in I P sel (token_data_of I).
Hypotheses (Iok : instance_ok I) (MDok : data_ok D) (Sok : picks_ok D sel) (unit_gt0 : 0 < real (tokens_unit I)).
Let alpha : selection (problem D) := selection_of Sok.
Notation g := (@labelled_value N I).
Notation kappa := (chosen_value g alpha).
Implicit Types (i j k : data_group D).
Notation count := (size (sequences D)).

Let sg : size groups = count := values_size groupsE.

Lemma selected_size : size selected_values = count.
Proof. by rewrite size_map. Qed.

Lemma selected_contain i : row_contains (nth [::] selected_values i) (kappa i).
Proof. by rewrite (nth_map (no_group N)) ?sg //; have [] := values_enclose Iok MDok Sok unit_gt0 groupsE i. Qed.

Lemma selected_map (f : seq interval -> interval) (F : data_group D -> R) :
  (forall i a, row_contains a (kappa i) -> contains (f a) (F i)) ->
  @column_encloses N D [seq f a | a <- selected_values] F.
Proof. by move=> H; apply: (column_map (e0 := [::])) => [|i]; [exact: selected_size | exact/H/selected_contain]. Qed.

Lemma value_products_contain x (e : column) : row_contains x e ->
  @column_encloses N D (value_products_in x) (fun i => dot (kappa i) e).
Proof. by move=> Hx; apply: selected_map => i a Ha; exact: row_product_contains. Qed.

(* The inverse in real numbers. *)
Definition gram_rows : seq (seq R) := [seq [seq dot (kappa i) (kappa j) | j <- enum 'I_count] | i <- enum 'I_count].
Definition gram_inverse_entry i j : R := nth 0 (nth [::] (invert 0 0 1 Rminus Rmult Rdiv count gram_rows).2 i) j.
Notation M := gram_inverse_entry.

Lemma gram_entry i j : nth 0 (nth [::] gram_rows i) j = dot (kappa i) (kappa j).
Proof. by rewrite (nth_map i) ?size_enum_ord // (nth_map j) ?size_enum_ord // !nth_ord_enum. Qed.

Lemma gram_size : size gram_rows = count.
Proof. by rewrite size_map size_enum_ord. Qed.

Lemma gram_row_size (i : nat) : (i < count)%nat -> size (nth [::] gram_rows i) = count.
Proof. by move=> il; rewrite (nth_map (Ordinal il)) ?size_enum_ord // size_map size_enum_ord. Qed.

Lemma gram_rows_contained :
  rows_contain [seq [seq row_product P a b | b <- selected_values] | a <- selected_values] gram_rows.
Proof.
split=> [|i]; first by rewrite size_map selected_size gram_size.
rewrite gram_size => il; rewrite (nth_map [::]) ?selected_size // (nth_map (Ordinal il)) ?size_enum_ord //.
rewrite (nth_ord_enum (Ordinal il) (Ordinal il)).
split=> [|j]; first by rewrite size_map selected_size size_map size_enum_ord.
rewrite size_map size_enum_ord => jl; rewrite (nth_map [::]) ?selected_size // (nth_map (Ordinal jl)) ?size_enum_ord //.
rewrite (nth_ord_enum (Ordinal jl) (Ordinal jl)); apply: row_product_contains.
  exact: (selected_contain (Ordinal il)).
exact: (selected_contain (Ordinal jl)).
Qed.

Lemma gram_inverse_sound : all (@is_positive N) gram_inverse.1 ->
  [/\ size gram_inverse.2 = count,
      forall i, @column_encloses N D (nth [::] gram_inverse.2 i) (M i) &
      forall i k, \sum_j M i j * dot (kappa j) (kappa k) = if i == k then 1 else 0].
Proof.
have := invert_contains P gram_rows_contained gram_size; rewrite /gram_inverse sg.
have := @invert_inverse count (fun i j : nat => nth 0 (nth [::] gram_rows i) j) gram_rows gram_size gram_row_size
  (fun _ _ _ _ => erefl).
have := @invert_shape count gram_rows gram_size gram_row_size; rewrite /gram_inverse_entry.
case: (invert 0 _ _ _ _ _ _ _) => p2 l2 /=; case: (invert _ _ _ _ _ _ _ _) => p1 l1 /= [sp sl rl] unit [Hp Hl] pos.
have nonzero (i : nat) : (i < count)%nat -> nth 0 p2 i <> 0.
  move=> il; have [s1 H] := Hp; have ip : (i < size p2)%nat by rewrite sp.
  have := is_positive_real (H i ip) (all_nthP anything pos i _); rewrite s1 => /(_ ip); lra.
have [s1 H] := Hl; split=> [|i|i k]; first by rewrite s1.
  have il : (i < size l2)%nat by rewrite sl.
  have [s2 H2] := H i il; rewrite rl // in s2 H2; split=> // j; exact: H2.
have := unit nonzero i k (ltn_ord i) (ltn_ord k) => E; rewrite -[RHS]/(if (i == k :> nat) then 1 else 0) -E.
by apply: eq_bigr => j _; rewrite gram_entry.
Qed.

(* ---- beside the limit ---- *)

Hypotheses (inverse_size : size inverse = count).
Hypothesis inverse_in : forall i, @column_encloses N D (nth [::] inverse i) (M i).
Hypothesis gram : forall i k, \sum_j M i j * dot (kappa j) (kappa k) = if i == k then 1 else 0.

Lemma solved_contain x (F : data_group D -> R) : @column_encloses N D x F ->
  @column_encloses N D (solved_in x) (fun i => \sum_j M i j * F j).
Proof.
move=> H; apply: (column_map (e0 := [::])) => // i.
exact: (column_product_contains P (inverse_in i) H).
Qed.

Lemma form_contains x (F : data_group D -> R) : @column_encloses N D x F -> contains (form_in x) (span_form M F).
Proof.
move=> H; have := column_product_contains P H (solved_contain H); congr contains.
by apply: eq_bigr => i _; rewrite sum_mull; apply: eq_bigr => j _; ring.
Qed.

Lemma difference_form x (e : column) : row_contains x e ->
  contains (form_in (value_products_in x)) (span_form M (fun i => dot (kappa i) e)).
Proof. by move=> /value_products_contain/form_contains. Qed.

Lemma longest_contains : exists x, contains longest_value_in x /\ forall i, vnorm (kappa i) <= x.
Proof.
have H : @column_encloses N D [seq length_of_row P a | a <- selected_values] (fun i => vnorm (kappa i)).
  by apply: selected_map => i a; exact: length_of_row_contains.
by have [x [Hx _ le]] := column_largest_contains P H; exists x.
Qed.

Variables (u x0 : column) (Gv : R) (mu : data_group D -> R).
Hypotheses (Hdir : row_contains direction u) (HG : contains margin Gv) (Hmu : @column_encloses N D mus mu).
Hypothesis Hv : row_contains v x0.
Hypotheses (mu_one : \sum_i mu i = 1) (mu_balance : combine predT mu kappa = (Gv * u)%V).
Hypotheses (u_one : vnorm u = 1) (Gv_gt0 : 0 < Gv) (along : forall i, dot (kappa i) u = Gv).
Notation part := (span_part kappa M u).
Notation centre := (span_centre kappa M mu).
Notation offset := (centre_offset mu).

Lemma logs_contain : @column_encloses N D [seq ilog P m | m <- mus] (fun i => ln (mu i)).
Proof. by apply: (map_column Hmu) => i J; exact: ilog_contains. Qed.

Lemma centres_contain : @column_encloses N D centres_in offset.
Proof.
have He := column_product_contains P Hmu logs_contain; apply: (map_column Hmu) => i J HJ.
by rewrite /offset Rplus_comm; apply: isub_contains => //; exact: ilog_contains.
Qed.

Lemma height_contains : contains height_in (dot x0 u).
Proof. exact: row_product_contains. Qed.

Lemma away_contain : @column_encloses N D away_in (fun i => offset i - dot (kappa i) x0).
Proof. by apply: (combine_column centres_contain (value_products_contain Hv)) => i J K; exact: isub_contains. Qed.

Lemma still_contains : row_contains still_in (centre + (x0 - dot x0 u * u - part x0))%V.
Proof.
have [sa Ha] := solved_contain away_contain.
rewrite still_form; apply: (pairwise_contains Hv (mixed_rows_contains P sa selected_size Ha selected_contain)).
by move=> j J K; exact: iadd_contains.
Qed.

Lemma near_centre_contains : contains near_centre_in (vnorm (part x0 - centre)%V).
Proof.
rewrite /vnorm (away_form gram mu_balance Gv_gt0 along); apply: isqrt_contains.
rewrite (_ : span_form M _ = span_form M (fun i => offset i - dot (kappa i) x0 + Gv * dot x0 u)); last first.
  by apply: eq_bigr => i _; apply: eq_bigr => j _; ring.
apply: form_contains; apply: (map_column away_contain) => i J HJ; apply: iadd_contains => //.
by apply: imul_contains => //; exact: height_contains.
Qed.

Lemma values_aside_contain : @column_encloses N D values_aside_in (fun i => vnorm (part (kappa i))).
Proof.
apply: selected_map => i a Ha; apply: isqrt_contains.
have uu : vnorm2 u = 1 by rewrite -vnorm_sqr u_one; ring.
rewrite (span_part_own gram along) vnorm2B vnorm2Z dotZr along uu.
rewrite (_ : _ - _ + _ = dot (kappa i) (kappa i) - Gv * Gv); last by rewrite /vnorm2; ring.
by apply: isub_contains; [exact: row_product_contains | exact: imul_contains].
Qed.

(* ---- boxes ---- *)

Variables (boxes : seq interval) (box : data_group D -> R).
Hypothesis Hbox : @column_encloses N D boxes box.

Lemma entry_absolute_contains J x : contains J x -> contains (absolute_in J) (Rabs x).
Proof.
move=> H; have -> : Rabs x = Rmax x (- x).
  by rewrite /Rabs /Rmax; case: (Rcase_abs x) => h; case: (Rle_dec x (- x)) => h'; lra.
by apply: imax_contains => //; exact: iopp_contains.
Qed.

Lemma one_pull_contains i m b J : contains m (mu i) -> contains J b -> contains (one_pull_in m J) (one_pull mu i b).
Proof.
move=> Hm Hb; have Hr := isub_contains P (@contains1 N) Hm.
apply: iadd_contains; apply: imul_contains => //; first exact: iexp_contains.
apply: iexp_contains; apply: iopp_contains; apply: idiv_contains => //; exact: imul_contains.
Qed.

Lemma lateral_contains :
  contains (lateral_in boxes) (\sum_i \sum_j Rabs (lateral_entry M mu Gv i j) * (box i * box j)).
Proof.
have [sm Hm] := Hmu; have [sb Hb] := Hbox.
have sz (A : Type) (x : seq A) : size x = count -> size (zip x (zip mus boxes)) = count.
  by move=> E; rewrite !size_zip sm sb minnn E minnn.
have at_zip (A : Type) (a : A) (x : seq A) i : size x = count ->
    nth (a, (anything, anything)) (zip x (zip mus boxes)) i = (nth a x i, (nth anything mus i, nth anything boxes i)).
  by move=> E; rewrite nth_zip ?size_zip ?sm ?sb ?minnn ?E // nth_zip ?sm ?sb.
apply: (@column_sum_contains N D); apply: (column_map (e0 := ([::], (anything, anything)))) => [|i]; first exact: sz.
rewrite at_zip //=; have [sr Hr] := inverse_in i; apply: (@column_sum_contains N D).
apply: (column_map (e0 := (anything, (anything, anything)))) => [|j]; first exact: sz.
rewrite at_zip //=; apply: imul_contains; last exact: imul_contains.
apply: entry_absolute_contains; apply: isub_contains; first exact: Hr.
by apply: idiv_contains; exact: imul_contains.
Qed.

Lemma boxes_check_sound level reach (lv x : R) : contains level lv -> contains reach x ->
  boxes_check level reach boxes ->
  [/\ 0 < x, forall i, 0 < box i /\ mu i < 1,
      forall i, lv <= ln (one_pull mu i (box i)) /\ lv <= ln (one_pull mu i (- box i)) &
      forall e, part e = e -> (forall i, Rabs (group_offset kappa e i) < box i) -> vnorm e < x].
Proof.
move=> Hl Hx /and4P[x0p _ held total]; have [sm Hm] := Hmu; have [sb Hb] := Hbox.
have x_gt0 := is_positive_real Hx x0p.
have held_at i : [/\ 0 < box i, mu i < 1, lv <= ln (one_pull mu i (box i)) & lv <= ln (one_pull mu i (- box i))].
  have := all_nthP (anything, anything) held i; rewrite size_zip sm sb minnn nth_zip ?sm ?sb // => /(_ (ltn_ord i)) /=.
  case/and4P=> b0 m1 h1 h2; split.
  - exact: is_positive_real (Hb i) b0.
  - by have := is_positive_real (isub_contains P (@contains1 N) (Hm i)) m1; lra.
  - exact: certainly_le_real Hl (ilog_contains P (one_pull_contains (Hm i) (Hb i))) h1.
  exact: certainly_le_real Hl (ilog_contains P (one_pull_contains (Hm i) (iopp_contains (Hb i)))) h2.
split=> // [i|i|e pe inside]; try by have [] := held_at i.
apply: (span_boxed gram mu_balance u_one Gv_gt0 x_gt0 _ _ pe inside) => [i|]; first by have [] := held_at i.
exact: certainly_le_real lateral_contains (imul_contains P Hx Hx) total.
Qed.
End Point.
