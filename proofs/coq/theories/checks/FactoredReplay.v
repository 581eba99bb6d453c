(* FactoredReplay: training of factors replayed entry by entry (FACTORED.md section 5).

   A factor is a list of its columns, and an entry an interval. With q_i = Q'z_i the logits of group i are <x_t, K q_i>;
   y_i = sum_t omega_t (x_reference - x_t), so that V Q = sum y_i q_i' and V'K = sum z_i (K'y_i)'. Each interval
   contains what it stands for. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Gradient NormDuality MatrixProducts Number Rows TokenData Losses
  MarginChecks OptimalityChecks EnclosureChecks GramBound Interval Elementary IntervalTables AttentionIntervals
  FactoredStep FactoredIteration MirrorReplay.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- families of vectors, a list for each ---- *)

Section Families.
Variables (N : number) (P : Z).
Notation interval := (interval N).
Notation anything := (@Everything N).
Implicit Types (T : seq (seq interval)) (r s : seq interval).

Definition row_encloses (n : nat) r (F : 'I_n -> R) : Prop :=
  size r = n /\ forall j : 'I_n, contains (nth anything r j) (F j).

Definition interval_dot r s : interval := isum P [seq imul P xy.1 xy.2 | xy <- zip r s].

Lemma interval_dot_contains n r s (F G : 'I_n -> R) : row_encloses r F -> row_encloses s G ->
  contains (interval_dot r s) (\sum_(j < n) F j * G j).
Proof.
move=> [sr Hr] [ss Hs]; apply: isum_contains => [|j]; first by rewrite size_map size_zip sr ss minnn.
by rewrite (nth_map (anything, anything)) ?size_zip ?sr ?ss ?minnn // nth_zip ?sr ?ss //=; exact: imul_contains.
Qed.

Definition family_encloses (m n : nat) T (F : 'I_m -> vec [finType of 'I_n]) : Prop :=
  [/\ size T = m, forall a : 'I_m, size (nth [::] T a) = n &
      forall (a : 'I_m) (j : 'I_n), contains (entry_of T a j) (F a j)].

Lemma family_row m n T (F : 'I_m -> vec [finType of 'I_n]) (a : 'I_m) : family_encloses T F ->
  row_encloses (nth [::] T a) (F a).
Proof. by case=> _ sr H; split; [exact: sr | exact: H]. Qed.

Definition tabulate (m n : nat) (f : nat -> nat -> interval) : seq (seq interval) :=
  [seq [seq f a j | j <- iota 0 n] | a <- iota 0 m].

Lemma tabulate_row (n : nat) (f : nat -> interval) (F : 'I_n -> R) : (forall j : 'I_n, contains (f j) (F j)) ->
  row_encloses [seq f j | j <- iota 0 n] F.
Proof.
move=> H; split=> [|j]; first by rewrite size_map size_iota.
by rewrite (nth_map 0%nat) ?size_iota // nth_iota // add0n.
Qed.

Lemma tabulate_encloses m n (f : nat -> nat -> interval) (F : 'I_m -> vec [finType of 'I_n]) :
  (forall (a : 'I_m) (j : 'I_n), contains (f a j) (F a j)) -> family_encloses (tabulate m n f) F.
Proof.
move=> H; have row (a : 'I_m) : nth [::] (tabulate m n f) a = [seq f a j | j <- iota 0 n].
  by rewrite (nth_map 0%nat) ?size_iota // nth_iota // add0n.
split=> [|a|a j]; [by rewrite size_map size_iota | by rewrite row size_map size_iota |].
by rewrite /entry_of row (nth_map 0%nat) ?size_iota // nth_iota // add0n.
Qed.

(* F + c G *)
Definition family_step (c : interval) T T' : seq (seq interval) :=
  combine_tables (fun I J => iadd P I (imul P c J)) T T'.

Lemma family_step_encloses m n c T T' (x : R) (F G : 'I_m -> vec [finType of 'I_n]) : contains c x ->
  family_encloses T F -> family_encloses T' G -> family_encloses (family_step c T T') (fun a => F a + x * G a)%V.
Proof.
move=> Hc [sT rT HT] [sT' rT' HT'].
have rowE (a : 'I_m) : nth [::] (family_step c T T') a =
    [seq iadd P IJ.1 (imul P c IJ.2) | IJ <- zip (nth [::] T a) (nth [::] T' a)].
  rewrite /family_step /combine_tables /map_rows /zip_rows (nth_map [::]) ?size_map ?size_zip ?sT ?sT' ?minnn //.
  by rewrite (nth_map ([::], [::])) ?size_zip ?sT ?sT' ?minnn // nth_zip ?sT ?sT'.
split=> [|a|a j]; first by rewrite /family_step /combine_tables /map_rows /zip_rows !size_map size_zip sT sT' minnn.
  by rewrite rowE size_map size_zip rT rT' minnn.
rewrite /entry_of rowE (nth_map (anything, anything)) ?size_zip ?rT ?rT' ?minnn // nth_zip ?rT ?rT' //=.
by apply: iadd_contains; [exact: HT | apply: imul_contains => //; exact: HT'].
Qed.

Definition family_square T : interval := isum P [seq interval_dot r r | r <- T].

Lemma family_square_contains m n T (F : 'I_m -> vec [finType of 'I_n]) : family_encloses T F ->
  contains (family_square T) (\sum_a vnorm2 (F a)).
Proof.
move=> HT; have [sT _ _] := HT; apply: isum_contains => [|a]; first by rewrite size_map.
rewrite (nth_map [::]) ?sT //; exact: (interval_dot_contains (family_row a HT) (family_row a HT)).
Qed.

Lemma family_norm_contains m n T (F : 'I_m -> vec [finType of 'I_n]) : family_encloses T F ->
  contains (isqrt P (family_square T)) (family_norm F).
Proof. by move=> HT; apply: isqrt_contains; exact: family_square_contains. Qed.

(* Columns of rows over a unit. *)
Definition columns_of (m n : nat) (rows : seq (seq N)) (u : N) : seq (seq interval) :=
  tabulate m n (fun a j => ratio P u (nth zero (nth [::] rows j) a)).
Definition column_values (m n : nat) (rows : seq (seq N)) (u : N) : 'I_m -> vec [finType of 'I_n] :=
  fun a j => entry2 rows j a / real u.

Lemma columns_of_enclose m n rows u : family_encloses (columns_of m n rows u) (@column_values m n rows u).
Proof. by apply: tabulate_encloses => a j; exact: ratio_contains. Qed.
End Families.

(* ---- a step of training ---- *)

Section Replay.
Variables (N : number) (D : token_data N) (P : Z) (m : nat).
Notation interval := (interval N).
Notation anything := (@Everything N).
Let d := left_dimension D.
Let e := right_dimension D.
Let dx := real (token_unit D).
Let dz := real (query_unit D).
Implicit Types (K Q : seq (seq interval)) (refs : seq nat) (om : seq (seq interval)).

Definition both_units : interval := exactly (mul (token_unit D) (query_unit D)).

(* q_i, over the queries' unit. *)
Definition seen_queries Q : seq (seq interval) :=
  [seq [seq entries_product P c (query_row q) | c <- Q] | q <- sequences D].

(* K q *)
Definition image_of K (q : seq interval) : seq interval :=
  [seq isum P [seq imul P (nth anything cq.1 j) cq.2 | cq <- zip K q] | j <- iota 0 d].

Definition factored_margins_row K (p : nat) (q : sequence N) (seen : seq interval) : seq interval :=
  let image := image_of K seen in
  let top := nth [::] (token_rows q) p in
  [seq idiv P (entries_product P image (sub_rows top row)) both_units | row <- token_rows q].
Definition factored_margins refs K (seen : seq (seq interval)) : seq (seq interval) :=
  [seq factored_margins_row K pqs.1.1 pqs.1.2 pqs.2 | pqs <- zip (zip refs (sequences D)) seen].

(* y_i, over the tokens' unit; K'y_i. *)
Definition pulled_tokens refs om : seq (seq interval) :=
  [seq pulled_row D P pqo.1.1 pqo.1.2 pqo.2 | pqo <- zip (zip refs (sequences D)) om].
Definition turned_tokens K (ys : seq (seq interval)) : seq (seq interval) :=
  [seq [seq interval_dot P c y | c <- K] | y <- ys].

Definition left_pulls (ys seen : seq (seq interval)) : seq (seq interval) :=
  tabulate m d (fun a j =>
    idiv P (isum P [seq imul P (nth anything yq.1 j) (nth anything yq.2 a) | yq <- zip ys seen]) both_units).
Definition right_pulls (turned : seq (seq interval)) : seq (seq interval) :=
  tabulate m e (fun a k =>
    idiv P (isum P [seq imul P (nth anything zt.2 a) (exactly (nth zero (query_row zt.1) k))
                 | zt <- zip (sequences D) turned])
      both_units).

Section Sound.
Variable refs : seq nat.
Hypotheses (Dok : data_ok D) (Rok : picks_ok D refs).
Variables (K Q : seq (seq interval)) (s : factor_pair [finType of 'I_d] [finType of 'I_e] [finType of 'I_m]).
Hypotheses (HK : family_encloses K (left_factor s)) (HQ : family_encloses Q (right_factor s)).
Let beta : selection (problem D) := selection_of Rok.
Let w : vec (coord (problem D)) := pair_product s.
Let x0 : 0 < dx := token_unit_gt0 Dok.
Let z0 : 0 < dz := query_unit_gt0 Dok.
Let sr : size refs = size (sequences D).
Proof. by have [/eqP] := andP Rok. Qed.
Let size_refs : size (zip refs (sequences D)) = size (sequences D).
Proof. by rewrite size_zip sr minnn. Qed.
Let zipE (i : data_group D) :
  nth (0%nat, no_sequence N) (zip refs (sequences D)) i = (nth 0%nat refs i, sequence_at D i).
Proof. by rewrite nth_zip. Qed.

Definition query_entry (i k : nat) : R := entry (query_row (sequence_at D i)) k.
Definition seen_value (i : nat) (a : 'I_m) : R := \sum_(k < e) right_factor s a k * query_entry i k.

Lemma size_query_at (i : data_group D) : size (query_row (sequence_at D i)) = e.
Proof. by have /and4P[_ /eqP Hq _ _] := sequences_ok Dok (ltn_ord i). Qed.

Lemma seen_queries_enclose : size (seen_queries Q) = size (sequences D) /\
  forall i : data_group D, row_encloses (nth [::] (seen_queries Q) i) (seen_value i).
Proof.
have [sQ rQ _] := HQ; split=> [|i]; first by rewrite size_map.
rewrite (nth_map (no_sequence N)) //; split=> [|a]; first by rewrite size_map.
rewrite (nth_map [::]) ?sQ //; apply: entries_product_contains => [||k]; [exact: rQ | exact: size_query_at |].
by have [_ H] := family_row a HQ; exact: H.
Qed.

Lemma image_encloses q (F : 'I_m -> R) : row_encloses q F ->
  row_encloses (image_of K q) (fun j : 'I_d => \sum_(a < m) left_factor s a j * F a).
Proof.
move=> [sq Hq]; have [sK _ HK'] := HK.
apply: (@tabulate_row N d (fun j => isum P [seq imul P (nth anything cq.1 j) cq.2 | cq <- zip K q])) => j.
apply: isum_contains => [|a]; first by rewrite size_map size_zip sK sq minnn.
rewrite (nth_map ([::], anything)) ?size_zip ?sK ?sq ?minnn // nth_zip ?sK ?sq //=.
by apply: imul_contains; [exact: HK' | exact: Hq].
Qed.

Let unit_product (a b u : R) : / dx * a * (/ dz * b) * u = u * b * a * / (dx * dz).
Proof. by field; lra. Qed.

Lemma factored_margin_entries t : margin beta w t =
  (\sum_(j < d) (\sum_(a < m) left_factor s a j * seen_value (tag (t : data_token D)) a) *
     entry (difference D refs (pair_of t)) j) / real (mul (token_unit D) (query_unit D)).
Proof.
rewrite /margin (Delta_outer Dok) realM -/dx -/dz /dot /Rdiv sum_mulr sum_matrix.
apply: eq_bigr => j _.
have -> : \sum_(a < m) left_factor s a j * seen_value (tag (t : data_token D)) a =
    \sum_(k < e) w (j, k) * entry (query D (pair_of t)) k.
  rewrite (eq_bigr (fun a => \sum_(k < e) left_factor s a j *
    (right_factor s a k * query_entry (tag (t : data_token D)) k)));
    last by move=> a _; rewrite /seen_value sum_mull.
  rewrite exchange_big; apply: eq_bigr => k _; rewrite /w /pair_product /factored /combine sum_mulr.
  by apply: eq_bigr => a _; rewrite /outer /query_entry /query /=; ring.
rewrite !sum_mulr; apply: eq_bigr => k _; rewrite /outer /=; exact: unit_product.
Qed.

Lemma factored_margins_enclose : encloses (factored_margins refs K (seen_queries Q)) (margin beta w).
Proof.
have [ss Hs] := seen_queries_enclose.
have sz : size (zip (zip refs (sequences D)) (seen_queries Q)) = size (sequences D).
  by rewrite size_zip size_refs ss minnn.
have rowE (i : data_group D) : nth [::] (factored_margins refs K (seen_queries Q)) i =
    factored_margins_row K (nth 0%nat refs i) (sequence_at D i) (nth [::] (seen_queries Q) i).
  by rewrite (nth_map ((0%nat, no_sequence N), [::])) ?sz // nth_zip ?size_refs ?ss // zipE.
split.
  rewrite /fits size_map sz eqxx; apply/(all_nthP ([::], no_sequence N)) => i.
  rewrite size_zip size_map sz minnn => il; rewrite nth_zip ?size_map ?sz //=.
  by rewrite (rowE (Ordinal il)) size_map.
case=> i u; rewrite /at_token rowE (nth_map [::]) //; set t : token (problem D) := existT _ i u.
rewrite (factored_margin_entries t); apply: idiv_contains; last exact: exactly_contains.
have -> : sub_rows (nth [::] (token_rows (sequence_at D i)) (nth 0%nat refs i))
    (nth [::] (token_rows (sequence_at D i)) u) = difference D refs (pair_of t) by [].
have [si Hi] := image_encloses (Hs i).
by apply: entries_product_contains => //; exact: size_difference.
Qed.

(* ---- what moves the factors ---- *)

Variables (om : seq (seq interval)) (F : token (problem D) -> R).
Hypothesis Hom : encloses om F.
Let V : vec (coord (problem D)) := combine predT F (Delta beta).

Definition pulled_value (i : data_group D) (j : 'I_d) : R :=
  \sum_(u < length_of D i) F (token_of (u : 'I_(length_of D (i : data_group D)))) *
    entry (difference D refs (pair_of (token_of u : token (problem D)))) j.

Let pulled_product (f a b : R) : f * (/ dx * a * (/ dz * b)) = f * a * b * / (dx * dz).
Proof. by field; lra. Qed.

Let swapped_product (x u f : R) : x * u * f = x * f * u.
Proof. by ring. Qed.

Lemma field_entry (j : 'I_d) (k : 'I_e) :
  V (j, k) = (\sum_(i : data_group D) pulled_value i j * query_entry i k) / real (mul (token_unit D) (query_unit D)).
Proof.
rewrite /V /combine (@sum_tokens N D) /Rdiv sum_mulr realM -/dx -/dz; apply: eq_bigr => i _.
rewrite /pulled_value !sum_mulr; apply: eq_bigr => u _.
by rewrite (Delta_outer Dok) /outer /=; exact: pulled_product.
Qed.

Lemma pulled_tokens_enclose : size (pulled_tokens refs om) = size (sequences D) /\
  forall i : data_group D, row_encloses (nth [::] (pulled_tokens refs om) i) (pulled_value i).
Proof.
have [fo Ho] := Hom; have [/eqP so _] := andP fo.
have sz : size (zip (zip refs (sequences D)) om) = size (sequences D) by rewrite size_zip size_refs so minnn.
split=> [|i]; first by rewrite size_map.
rewrite (nth_map ((0%nat, no_sequence N), [::])) ?sz // nth_zip ?size_refs ?so // zipE /=.
rewrite /pulled_row; set rows := [seq sub_rows _ _ | _ <- _].
apply: (@tabulate_row N d (fun j =>
  isum P [seq imul P Ir.1 (exactly (nth zero Ir.2 j)) | Ir <- zip (nth [::] om i) rows])) => j.
have sl : size (nth [::] om i) = length_of D i by exact: fits_row fo (ltn_ord i).
apply: isum_contains => [|u]; first by rewrite size_map size_zip size_map sl minnn.
rewrite (nth_map (anything, [::])) ?size_zip ?size_map ?sl ?minnn // nth_zip ?size_map ?sl // (nth_map [::]) //=.
by apply: imul_contains; [exact: (Ho (token_of u)) | exact: exactly_contains].
Qed.

Lemma left_pulls_enclose :
  family_encloses (left_pulls (pulled_tokens refs om) (seen_queries Q)) (fun a => matrix_vector V (right_factor s a)).
Proof.
have [sy Hy] := pulled_tokens_enclose; have [ss Hs] := seen_queries_enclose.
apply: tabulate_encloses => a j.
have -> : matrix_vector V (right_factor s a) j =
    (\sum_(i : data_group D) pulled_value i j * seen_value i a) / real (mul (token_unit D) (query_unit D)).
  rewrite /matrix_vector /Rdiv sum_mulr.
  rewrite (eq_bigr (fun k : 'I_e => \sum_(i : data_group D) pulled_value i j * query_entry i k * right_factor s a k *
    / real (mul (token_unit D) (query_unit D)))) => [|k _]; last first.
    by rewrite field_entry /Rdiv !sum_mulr; apply: eq_bigr => i _; ring.
  rewrite exchange_big; apply: eq_bigr => i _; rewrite /seen_value sum_mull sum_mulr.
  by apply: eq_bigr => k _; ring.
apply: idiv_contains; last exact: exactly_contains.
apply: isum_contains => [|i]; first by rewrite size_map size_zip sy ss minnn.
rewrite (nth_map ([::], [::])) ?size_zip ?sy ?ss ?minnn // nth_zip ?sy ?ss //=.
by have [_ H] := Hy i; have [_ H'] := Hs i; apply: imul_contains; [exact: H | exact: H'].
Qed.

Lemma right_pulls_enclose :
  family_encloses (right_pulls (turned_tokens K (pulled_tokens refs om))) (fun a => matrix_back V (left_factor s a)).
Proof.
have [sy Hy] := pulled_tokens_enclose; have [sK _ _] := HK.
apply: tabulate_encloses => a k.
have -> : matrix_back V (left_factor s a) k =
    (\sum_(i : data_group D) (\sum_(j < d) left_factor s a j * pulled_value i j) * query_entry i k) /
      real (mul (token_unit D) (query_unit D)).
  rewrite /matrix_back /Rdiv [RHS]sum_mulr.
  rewrite (eq_bigr (fun j : 'I_d => \sum_(i : data_group D) pulled_value i j * query_entry i k * left_factor s a j *
    / real (mul (token_unit D) (query_unit D)))) => [|j _]; last first.
    by rewrite field_entry /Rdiv !sum_mulr; apply: eq_bigr => i _; exact: swapped_product.
  rewrite exchange_big; apply: eq_bigr => i _; rewrite !sum_mulr.
  by apply: eq_bigr => j _; ring.
apply: idiv_contains; last exact: exactly_contains.
have st : size (turned_tokens K (pulled_tokens refs om)) = size (sequences D) by rewrite size_map.
apply: isum_contains => [|i]; first by rewrite size_map size_zip st minnn.
rewrite (nth_map (no_sequence N, [::])) ?size_zip ?st ?minnn // nth_zip ?st //=.
apply: imul_contains; last exact: exactly_contains.
rewrite (nth_map [::]) ?sy // (nth_map [::]) ?sK //.
exact: interval_dot_contains (family_row a HK) (Hy i).
Qed.
End Sound.
End Replay.
