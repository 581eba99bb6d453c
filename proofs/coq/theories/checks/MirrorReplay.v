(* MirrorReplay: mirror descent replayed entry by entry (MIRROR.md section 10).

   The dual iterate is a matrix of intervals, one for each entry of Z_t. What a step makes of it, W, the margins, the
   attention, the weights omega, -grad L and the next iterate, is written down once more in intervals; each contains
   what it stands for. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Gradient EntrywiseDuality DualNorm Number Rows TokenData Losses MarginChecks
                           OptimalityChecks EnclosureChecks GramBound Interval Elementary NormChecks IntervalTables
                           AttentionIntervals Runs Replay ReplaySound Mirror MirrorIteration PowerIntervals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- matrices of intervals ---- *)

Section Matrices.
Variables (N : number) (D : token_data N) (P : Z).
Notation interval := (interval N).
Notation anything := (@Everything N).
Let d := left_dimension D.
Let e := right_dimension D.
Implicit Types (m : seq (seq interval)) (w : vec (coord (problem D))).

Definition entry_of m (j k : nat) : interval := nth anything (nth [::] m j) k.
Definition matrix_fits m : bool := (size m == d) && all (fun r => size r == e) m.
Definition matrix_encloses m w : Prop :=
  matrix_fits m /\ forall (j : 'I_d) (k : 'I_e), contains (entry_of m j k) (w (j, k)).

Lemma matrix_row m (j : 'I_d) : matrix_fits m -> size (nth [::] m j) = e.
Proof. by case/andP=> /eqP sm H; apply/eqP; apply: (all_nthP [::] H); rewrite sm. Qed.

Lemma matrix_map (A : Type) (a0 : A) (f : A -> interval) (m : seq (seq A)) w :
  size m = d -> (forall j : 'I_d, size (nth [::] m j) = e) ->
  (forall (j : 'I_d) (k : 'I_e), contains (f (nth a0 (nth [::] m j) k)) (w (j, k))) -> matrix_encloses (map_rows f m) w.
Proof.
move=> sm sr H; split.
  rewrite /matrix_fits size_map sm eqxx; apply/(all_nthP [::]) => j; rewrite size_map => jl.
  by rewrite (nth_map [::]) // size_map; rewrite sm in jl; apply/eqP; exact: (sr (Ordinal jl)).
move=> j k; rewrite /entry_of (nth_map [::]) ?sm // (nth_map a0) ?sr //; exact: H.
Qed.

Lemma matrix_map_encloses f m w w' : matrix_encloses m w ->
  (forall jk I, contains I (w jk) -> contains (f I) (w' jk)) -> matrix_encloses (map_rows f m) w'.
Proof.
case=> fm Hm Hf; have [/eqP sm _] := andP fm; apply: (matrix_map (a0 := anything)) => // [j|j k].
  exact: matrix_row.
by apply: Hf; exact: Hm.
Qed.

Lemma matrix_combine_encloses f m m' w w' v : matrix_encloses m w -> matrix_encloses m' w' ->
  (forall jk I J, contains I (w jk) -> contains J (w' jk) -> contains (f I J) (v jk)) ->
  matrix_encloses (combine_tables f m m') v.
Proof.
case=> fm Hm [fm' Hm'] Hf; have [/eqP sm _] := andP fm; have [/eqP sm' _] := andP fm'.
have rowE (j : 'I_d) : nth [::] (zip_rows m m') j = zip (nth [::] m j) (nth [::] m' j).
  by rewrite /zip_rows (nth_map ([::], [::])) ?size_zip ?sm ?sm' ?minnn // nth_zip ?sm ?sm'.
apply: (matrix_map (a0 := (anything, anything))) => [|j|j k].
- by rewrite size_map size_zip sm sm' minnn.
- by rewrite rowE size_zip !matrix_row // minnn.
rewrite rowE nth_zip ?matrix_row //=; apply: Hf; [exact: Hm | exact: Hm'].
Qed.

(* The sum of all entries. *)
Definition matrix_sum m : interval := isum P [seq isum P r | r <- m].

Lemma sum_matrix w : \sum_jk w jk = \sum_(j < d) \sum_(k < e) w (j, k).
Proof. by rewrite (pair_bigA _ (fun j k => w (j, k))); apply: eq_bigr => -[j k] _. Qed.

Lemma matrix_sum_contains m w : matrix_encloses m w -> contains (matrix_sum m) (\sum_jk w jk).
Proof.
case=> fm Hm; have [/eqP sm _] := andP fm; rewrite sum_matrix.
apply: isum_contains => [|j]; first by rewrite size_map.
rewrite (nth_map [::]) ?sm //; apply: isum_contains => [|k]; first exact: matrix_row.
exact: Hm.
Qed.

Definition matrix_product m m' : interval := matrix_sum (combine_tables (imul P) m m').

Lemma matrix_product_contains m m' w w' : matrix_encloses m w -> matrix_encloses m' w' ->
  contains (matrix_product m m') (dot w w').
Proof.
move=> Hm Hm'; apply: (matrix_sum_contains (w := fun jk => w jk * w' jk)).
by apply: (matrix_combine_encloses Hm Hm') => jk I J; exact: imul_contains.
Qed.

(* The norm of order a/c. *)
Definition power_norm (a c : positive) m : interval := imagnitude P c a (matrix_sum (map_rows (imagnitude P a c) m)).

Lemma power_norm_contains (a c : positive) m w : matrix_encloses m w ->
  contains (power_norm a c m) (lp_norm (exponent a c) w).
Proof.
move=> Hm; have -> : lp_norm (exponent a c) w = abs_power (lp_sum (exponent a c) w) (exponent c a).
  by rewrite /lp_norm /exponent; congr abs_power; have := positive_gt0 a; have := positive_gt0 c => *; field; lra.
apply/imagnitude_contains/(matrix_sum_contains (w := fun jk => abs_power (w jk) (exponent a c))).
by apply: (matrix_map_encloses Hm) => jk I; exact: imagnitude_contains.
Qed.

(* Entry by entry. *)
Definition power_matrix (a c : positive) m : seq (seq interval) := map_rows (isigned P a c) m.

Lemma power_matrix_encloses (a c : positive) m w : matrix_encloses m w ->
  matrix_encloses (power_matrix a c m) (fun jk => signed_power (w jk) (exponent a c)).
Proof. by move=> Hm; apply: (matrix_map_encloses Hm) => jk I; exact: isigned_contains. Qed.

(* A matrix over a unit. *)
Definition exact_matrix (u : N) (m : seq (seq N)) : seq (seq interval) := map_rows (ratio P u) m.

Lemma exact_matrix_encloses u (m : seq (seq N)) : shaped d e m ->
  matrix_encloses (exact_matrix u m) (@matrix_real N D m (real u)).
Proof.
move=> sh; have /andP[/eqP sm _] := sh; apply: (matrix_map (a0 := zero)) => // [j|j k].
  exact: shaped_row sh (ltn_ord j).
exact: ratio_contains.
Qed.
End Matrices.

(* ---- what is seen of an iterate ---- *)

Section See.
Variables (N : number) (D : token_data N) (P : Z).
Notation interval := (interval N).
Notation anything := (@Everything N).
Let d := left_dimension D.
Let e := right_dimension D.
Let dx := real (token_unit D).
Let dz := real (query_unit D).
Implicit Types (m : seq (seq interval)) (w : vec (coord (problem D))) (refs : seq nat).

Definition entries_product (r : seq interval) (v : seq N) : interval :=
  isum P [seq imul P Ix.1 (exactly Ix.2) | Ix <- zip r v].

Lemma entries_product_contains n (r : seq interval) (v : seq N) (F : 'I_n -> R) : size r = n -> size v = n ->
  (forall j : 'I_n, contains (nth anything r j) (F j)) ->
  contains (entries_product r v) (\sum_(j < n) F j * entry v j).
Proof.
move=> sr sv H; apply: isum_contains => [|j]; first by rewrite size_map size_zip sr sv minnn.
rewrite (nth_map (anything, zero)) ?size_zip ?sr ?sv ?minnn // nth_zip ?sr ?sv //=.
by apply: imul_contains => //; exact: exactly_contains.
Qed.

(* <Delta_t, W> for all tokens, against the reference tokens. *)
Definition interval_margins_row m (p : nat) (q : sequence N) : seq interval :=
  let image := [seq entries_product r (query_row q) | r <- m] in
  let top := nth [::] (token_rows q) p in
  let unit := exactly (mul (token_unit D) (query_unit D)) in
  [seq idiv P (entries_product image (sub_rows top row)) unit | row <- token_rows q].
Definition interval_margins refs m : seq (seq interval) :=
  [seq interval_margins_row m pq.1 pq.2 | pq <- zip refs (sequences D)].

(* sum_t omega_t (x_reference - x_t) for one group. *)
Definition pulled_row (p : nat) (q : sequence N) (om : seq interval) : seq interval :=
  let rows := [seq sub_rows (nth [::] (token_rows q) p) row | row <- token_rows q] in
  [seq isum P [seq imul P Ir.1 (exactly (nth zero Ir.2 j)) | Ir <- zip om rows] | j <- iota 0 d].
(* sum_t omega_t Delta_t *)
Definition interval_pull refs (om : seq (seq interval)) : seq (seq interval) :=
  let ps := [seq (pulled_row pqo.1.1 pqo.1.2 pqo.2, query_row pqo.1.2) | pqo <- zip (zip refs (sequences D)) om] in
  let unit := exactly (mul (token_unit D) (query_unit D)) in
  [seq [seq idiv P (isum P [seq imul P (nth anything pz.1 j) (exactly (nth zero pz.2 k)) | pz <- ps]) unit
    | k <- iota 0 e] | j <- iota 0 d].

Section Sound.
Variable refs : seq nat.
Hypotheses (Dok : data_ok D) (Rok : picks_ok D refs).
Let beta : selection (problem D) := selection_of Rok.
Let x0 : 0 < dx := token_unit_gt0 Dok.
Let z0 : 0 < dz := query_unit_gt0 Dok.
Let sr : size refs = size (sequences D).
Proof. by have [/eqP] := andP Rok. Qed.
Let zipE (i : data_group D) :
  nth (0%nat, no_sequence N) (zip refs (sequences D)) i = (nth 0%nat refs i, sequence_at D i).
Proof. by rewrite nth_zip. Qed.
Let size_refs : size (zip refs (sequences D)) = size (sequences D).
Proof. by rewrite size_zip sr minnn. Qed.

Let unit_product (a b u : R) : / dx * a * (/ dz * b) * u = u * b * a * / (dx * dz).
Proof. by field; lra. Qed.

Let pulled_product (f a b : R) : f * (/ dx * a * (/ dz * b)) = f * a * b * / (dx * dz).
Proof. by field; lra. Qed.

Lemma interval_margins_enclose m w : matrix_encloses m w -> encloses (interval_margins refs m) (margin beta w).
Proof.
move=> [fm Hm]; have [/eqP sm _] := andP fm; split.
  rewrite /fits size_map size_refs eqxx; apply/(all_nthP ([::], no_sequence N)) => i.
  rewrite size_zip size_map size_refs minnn => il; rewrite nth_zip ?size_map ?size_refs //=.
  by rewrite (nth_map (0%nat, no_sequence N)) ?size_refs // (zipE (Ordinal il)) size_map.
case=> i s; rewrite /at_token (nth_map (0%nat, no_sequence N)) ?size_refs ?zipE //=.
rewrite (nth_map [::]) //; set t : token (problem D) := existT _ i s.
have -> : sub_rows (nth [::] (token_rows (sequence_at D i)) (nth 0%nat refs i))
    (nth [::] (token_rows (sequence_at D i)) s) = difference D refs (pair_of t) by [].
have -> : query_row (sequence_at D i) = query D (pair_of t) by [].
have -> : margin beta w t = (\sum_(j < d) (\sum_(k < e) w (j, k) * entry (query D (pair_of t)) k) *
    entry (difference D refs (pair_of t)) j) / real (mul (token_unit D) (query_unit D)).
  rewrite /margin (Delta_outer Dok) realM -/dx -/dz /dot /Rdiv sum_mulr sum_matrix.
  apply: eq_bigr => j _; rewrite !sum_mulr; apply: eq_bigr => k _; rewrite /outer /=; exact: unit_product.
apply: idiv_contains; last exact: exactly_contains.
apply: entries_product_contains => [| |j]; [by rewrite size_map | exact: size_difference |].
rewrite (nth_map [::]) ?sm //; apply: entries_product_contains => [| |k]; last exact: Hm.
  exact: matrix_row.
exact: size_query.
Qed.

Lemma interval_pull_encloses om (F : token (problem D) -> R) : encloses om F ->
  matrix_encloses (interval_pull refs om) (combine predT F (Delta beta)).
Proof.
case=> fo Ho; have [/eqP so _] := andP fo.
set ps := [seq (pulled_row pqo.1.1 pqo.1.2 pqo.2, query_row pqo.1.2) | pqo <- zip (zip refs (sequences D)) om].
have sp : size ps = size (sequences D) by rewrite size_map size_zip size_refs so minnn.
have cell (j k : nat) (jd : (j < d)%nat) (ke : (k < e)%nat) : contains
    (idiv P (isum P [seq imul P (nth anything pz.1 j) (exactly (nth zero pz.2 k)) | pz <- ps])
      (exactly (mul (token_unit D) (query_unit D))))
    (combine predT F (Delta beta) (Ordinal jd, Ordinal ke)).
  have -> : combine predT F (Delta beta) (Ordinal jd, Ordinal ke) =
      (\sum_(i < size (sequences D)) (\sum_(s < length_of D i) F (token_of (s : 'I_(length_of D (i : data_group D)))) *
        entry (difference D refs (pair_of (token_of s : token (problem D)))) j) *
        entry (query_row (sequence_at D i)) k) / real (mul (token_unit D) (query_unit D)).
    rewrite /combine (@sum_tokens N D) /Rdiv sum_mulr realM -/dx -/dz; apply: eq_bigr => i _; rewrite sum_mulr sum_mulr.
    by apply: eq_bigr => s _; rewrite (Delta_outer Dok) /outer /=; exact: pulled_product.
  apply: idiv_contains; last exact: exactly_contains.
  apply: isum_contains => [|i]; first by rewrite size_map sp.
  have il : (i < size (zip (zip refs (sequences D)) om))%nat by rewrite size_zip size_refs so minnn.
  rewrite (nth_map ([::], [::])) ?sp // (nth_map ((0%nat, no_sequence N), [::])) //.
  rewrite nth_zip ?size_refs ?so // (zipE i) /=; apply: imul_contains; last exact: exactly_contains.
  rewrite /pulled_row (nth_map 0%nat) ?size_iota // nth_iota // add0n.
  have sl : size (nth [::] om i) = length_of D i by exact: fits_row fo (ltn_ord i).
  apply: isum_contains => [|s]; first by rewrite size_map size_zip size_map sl minnn.
  rewrite (nth_map (anything, [::])) ?size_zip ?size_map ?sl ?minnn // nth_zip ?size_map ?sl // (nth_map [::]) //=.
  by apply: imul_contains; [exact: (Ho (token_of s)) | exact: exactly_contains].
split.
  rewrite /matrix_fits size_map size_iota eqxx; apply/(all_nthP [::]) => j; rewrite size_map size_iota => jl.
  by rewrite (nth_map 0%nat) ?size_iota // size_map size_iota.
move=> j k; rewrite /entry_of (nth_map 0%nat) ?size_iota // (nth_map 0%nat) ?size_iota // !nth_iota // !add0n.
have := cell j k (ltn_ord j) (ltn_ord k); congr (contains _ (combine _ _ _ (_, _))); exact: val_inj.
Qed.
End Sound.

(* ---- attention and weights, each table computed once ---- *)

Variable l : loss_name.

Record mirror_view := MirrorView { seen_attention : seq (seq interval); seen_weights : seq (seq interval) }.

Definition see_margins refs (margins : seq (seq interval)) : mirror_view :=
  let a := attention_table D P margins in
  let gaps := gap_table D P refs in
  let lost := group_sums P (combine_tables (imul P) a gaps) in
  let slopes := [seq slope_interval P l f | f <- combine_columns (isub P) (selected_scores D P refs) lost] in
  MirrorView a
    (combine_tables (imul P) (spread_column (imul P) [seq imul P (group_share D P) s | s <- slopes] a)
       (spread_column (fun x g => isub P g x) lost gaps)).

Lemma see_margins_weights refs margins : seen_weights (see_margins refs margins) = omega_table D P refs margins l.
Proof. by []. Qed.
End See.
