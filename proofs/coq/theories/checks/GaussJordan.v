(* GaussJordan: a square matrix inverted by elimination without exchanges, in numbers of any kind: in intervals what it
   computes contains what it computes in real numbers, which is a left inverse where no pivot is 0. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Number Interval.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Elimination.
Variables (A : Type) (none zero one : A) (sub mul div : A -> A -> A).
Implicit Types (rows : seq (seq A)) (row : seq A).

(* Row k over its entry k, and from the others what makes their entry k 0. *)
Definition clear_column (k : nat) rows : seq (seq A) :=
  let own := nth [::] rows k in
  let first := [seq div a (nth none own k) | a <- own] in
  [seq if ir.1 == k then first else [seq sub ab.1 (mul (nth none ir.2 k) ab.2) | ab <- zip ir.2 first]
  | ir <- zip (iota 0 (size rows)) rows].

(* The pivots of n columns from k on, and what is left. *)
Fixpoint reduce_columns (n k : nat) rows : seq A * seq (seq A) :=
  if n is m.+1 then
    let: (pivots, last) := reduce_columns m k.+1 (clear_column k rows) in (nth none (nth [::] rows k) k :: pivots, last)
  else ([::], rows).

(* Beside the identity. *)
Definition bordered (n : nat) rows : seq (seq A) :=
  [seq ir.2 ++ mkseq (fun j => if j == ir.1 then one else zero) n | ir <- zip (iota 0 n) rows].

Definition invert (n : nat) rows : seq A * seq (seq A) :=
  let: (pivots, last) := reduce_columns n 0 (bordered n rows) in (pivots, [seq drop n r | r <- last]).
End Elimination.

(* ---- in real numbers ---- *)

Section Real.
Variables (n : nat) (G : nat -> nat -> R).
Implicit Types (rows : seq (seq R)) (i j k c : nat).
Notation entry rows i c := (nth 0 (nth [::] rows i) c).
Notation clear_column := (clear_column 0 Rminus Rmult Rdiv).
Notation reduce_columns := (reduce_columns 0 Rminus Rmult Rdiv).

(* The right half times G is the left half, whose first k columns are those of the identity. *)
Definition reduced k rows : Prop :=
  [/\ size rows = n, forall i, (i < n)%nat -> size (nth [::] rows i) = (n + n)%nat,
      forall i c, (i < n)%nat -> (c < n)%nat -> \sum_(j < n) entry rows i (n + j) * G j c = entry rows i c &
      forall i c, (i < n)%nat -> (c < k)%nat -> entry rows i c = if i == c then 1 else 0].

Lemma eliminate_entry k rows i c : size rows = n -> (forall i, (i < n)%nat -> size (nth [::] rows i) = (n + n)%nat) ->
  (i < n)%nat -> (k < n)%nat -> (c < n + n)%nat -> size (nth [::] (clear_column k rows) i) = (n + n)%nat /\
  entry (clear_column k rows) i c = if i == k then entry rows k c / entry rows k k
    else entry rows i c - entry rows i k * (entry rows k c / entry rows k k).
Proof.
move=> sz row il kl cl; rewrite /clear_column (nth_map (0%nat, [::])) ?size_zip ?size_iota ?minnn ?sz //.
rewrite nth_zip ?size_iota ?sz //= nth_iota // add0n; case: eqP => _.
  by rewrite size_map row // (nth_map 0) // row.
by rewrite size_map size_zip size_map !row // minnn (nth_map (0, 0)) ?size_zip ?size_map ?row ?minnn //
  nth_zip ?size_map ?row //= (nth_map 0) // row.
Qed.

Lemma eliminate_reduced k rows : (k < n)%nat -> reduced k rows -> entry rows k k <> 0 ->
  reduced k.+1 (clear_column k rows).
Proof.
move=> kl [sz row inverse left] pivot.
have E i c : (i < n)%nat -> (c < n + n)%nat -> entry (clear_column k rows) i c = if i == k
    then entry rows k c / entry rows k k else entry rows i c - entry rows i k * (entry rows k c / entry rows k k).
  by move=> il cl; have [] := eliminate_entry sz row il kl cl.
have wide c : (c < n)%nat -> (c < n + n)%nat by move=> cl; apply: leq_trans cl (leq_addr _ _).
split.
- by rewrite /clear_column size_map size_zip size_iota minnn.
- by move=> i il; have [] := eliminate_entry sz row il kl (wide _ kl).
- move=> i c il cl; rewrite E ?wide //.
  have Ej (j : 'I_n) : (n + j < n + n)%nat by rewrite ltn_add2l.
  case: (altP eqP) => [ik | ne].
    rewrite -inverse // /Rdiv sum_mulr; apply: eq_bigr => j _; rewrite E // ik eqxx /Rdiv; ring.
  rewrite -(inverse i) // -(inverse k) // /Rdiv sum_mulr sum_mull -sumB.
  by apply: eq_bigr => j _; rewrite E // (negbTE ne); rewrite /Rdiv; ring.
move=> i c il; rewrite ltnS leq_eqVlt => /orP[/eqP -> | cl].
  rewrite E ?wide //; case: (altP eqP) => [_ | _]; field; exact: pivot.
have cn : (c < n)%nat by apply: ltn_trans cl kl.
rewrite E ?wide // (left k) // (gtn_eqF cl) (left i) //; case: (altP (i =P k)) => [-> | _]; last by rewrite /Rdiv; ring.
by rewrite (gtn_eqF cl) /Rdiv Rmult_0_l.
Qed.

Lemma reduce_reduced m k rows : (k + m = n)%nat -> reduced k rows ->
  (forall i, (i < m)%nat -> nth 0 (reduce_columns m k rows).1 i <> 0) -> reduced n (reduce_columns m k rows).2.
Proof.
elim: m k rows => [|m IH] k rows; first by rewrite addn0 => <-.
rewrite addnS -addSn => E R /=; have := IH k.+1 (clear_column k rows) E.
case: (reduce_columns m k.+1 _) => pivots last /= next nonzero; apply: next => [|i im]; last exact: (nonzero i.+1).
by apply: eliminate_reduced => //; [rewrite -E leq_addr | exact: (nonzero 0%nat)].
Qed.

Lemma reduce_shape m k rows : (k + m = n)%nat -> size rows = n ->
  (forall i, (i < n)%nat -> size (nth [::] rows i) = (n + n)%nat) -> size (reduce_columns m k rows).1 = m /\
  size (reduce_columns m k rows).2 = n /\ forall i, (i < n)%nat -> size (nth [::] (reduce_columns m k rows).2 i) = (n
  + n)%nat.
Proof.
elim: m k rows => [|m IH] k rows; first by [].
rewrite addnS -addSn => E sz row /=; have kl : (k < n)%nat by rewrite -E leq_addr.
have := IH k.+1 (clear_column k rows) E; case: (reduce_columns m k.+1 _) => pivots last /= [||sp H]; last by rewrite sp.
  by rewrite size_map size_zip size_iota minnn.
by move=> i il; have [] := @eliminate_entry k rows i k sz row il kl (leq_trans kl (leq_addr _ _)).
Qed.

Lemma bordered_row rows i : size rows = n -> (i < n)%nat -> nth [::] (bordered 0 1 n rows) i =
  nth [::] rows i ++ mkseq (fun j => if j == i then 1 else 0) n.
Proof.
move=> sz il; rewrite /bordered (nth_map (0%nat, [::])) ?size_zip ?size_iota ?sz ?minnn //.
by rewrite nth_zip ?size_iota ?sz //= nth_iota // add0n.
Qed.

Notation invert := (invert 0 0 1 Rminus Rmult Rdiv).

Lemma invert_shape rows : size rows = n -> (forall i, (i < n)%nat -> size (nth [::] rows i) = n) ->
  [/\ size (invert n rows).1 = n, size (invert n rows).2 = n &
      forall i, (i < n)%nat -> size (nth [::] (invert n rows).2 i) = n].
Proof.
move=> sz row; have sb : size (bordered 0 1 n rows) = n by rewrite size_map size_zip size_iota sz minnn.
have rb i : (i < n)%nat -> size (nth [::] (bordered 0 1 n rows) i) = (n + n)%nat.
  by move=> il; rewrite bordered_row // size_cat size_mkseq row.
have := reduce_shape (add0n n) sb rb; rewrite /invert; case: (reduce_columns n 0 _) => p l /= [sp [sl rl]].
by split=> //; [rewrite size_map | move=> i il; rewrite (nth_map [::]) ?sl // size_drop rl // addnK].
Qed.

Theorem invert_inverse rows : size rows = n -> (forall i, (i < n)%nat -> size (nth [::] rows i) = n) ->
  (forall i c, (i < n)%nat -> (c < n)%nat -> entry rows i c = G i c) ->
  (forall i, (i < n)%nat -> nth 0 (invert n rows).1 i <> 0) ->
  forall i c, (i < n)%nat -> (c < n)%nat -> \sum_(j < n) entry (invert n rows).2 i j * G j c = if i == c then 1 else 0.
Proof.
move=> sz row gram; have start : reduced 0 (bordered 0 1 n rows).
  have at_row i il := @bordered_row rows i sz il.
  split=> //.
  - by rewrite size_map size_zip size_iota sz minnn.
  - by move=> i il; rewrite at_row // size_cat size_mkseq row.
  move=> i c il cl; rewrite at_row // nth_cat row // cl gram //.
  transitivity (\sum_(j < n) (if j == Ordinal il then G j c else 0)).
    apply: eq_bigr => j _; rewrite nth_cat row // ltnNge leq_addr /= addKn nth_mkseq //.
    rewrite (_ : (j == i :> nat) = (j == Ordinal il)) //; case: (_ == _); ring.
  by rewrite -big_mkcond big_pred1_eq.
rewrite /invert; have := reduce_reduced (add0n n) start; case: (reduce_columns n 0 _) => pivots last /= done nonzero
  i c il cl.
have [sl rl inverse left] := done nonzero; rewrite -(left i c) // -inverse //; apply: eq_bigr => j _.
by rewrite (nth_map [::]) ?sl // nth_drop.
Qed.
End Real.

(* ---- in intervals ---- *)

Section Intervals.
Variables (N : number) (P : Z).
Notation interval := (interval N).
Notation anything := (@Everything N).
Implicit Types (r : seq interval) (x : seq R) (m : seq (seq interval)) (y : seq (seq R)).

Definition list_contains r x : Prop :=
  size r = size x /\ forall i, (i < size x)%nat -> contains (nth anything r i) (nth 0 x i).
Definition rows_contain m y : Prop :=
  size m = size y /\ forall i, (i < size y)%nat -> list_contains (nth [::] m i) (nth [::] y i).

Lemma list_containsP r x i : list_contains r x -> contains (nth anything r i) (nth 0 x i).
Proof.
case=> sz H; case: (ltnP i (size x)) => [|le]; first exact: H.
by rewrite !nth_default ?sz //; exact: I.
Qed.

Lemma row_of_contains m y i : rows_contain m y -> list_contains (nth [::] m i) (nth [::] y i).
Proof.
case=> sz H; case: (ltnP i (size y)) => [|le]; first exact: H.
by rewrite !nth_default ?sz.
Qed.

Notation eliminate_in := (clear_column anything (isub P) (imul P) (idiv P)).
Notation reduce_in := (reduce_columns anything (isub P) (imul P) (idiv P)).
Notation invert_in := (invert anything (interval0 N) (interval1 N) (isub P) (imul P) (idiv P)).

Lemma eliminate_contains k m y : rows_contain m y ->
  rows_contain (eliminate_in k m) (clear_column 0 Rminus Rmult Rdiv k y).
Proof.
move=> H; have [sz _] := H; have [so Ho] := row_of_contains k H; have Hk := list_containsP k (conj so Ho).
split=> [|i]; first by rewrite !size_map !size_zip !size_iota sz.
rewrite size_map size_zip size_iota minnn => il; have [si Hi] := row_of_contains i H.
have Hik := list_containsP k (conj si Hi).
rewrite /clear_column !(nth_map (0%nat, [::])) ?size_zip ?size_iota ?minnn ?sz // !nth_zip ?size_iota ?sz //=.
rewrite !nth_iota ?sz // !add0n; case: eqP => _.
  split=> [|j]; first by rewrite !size_map.
  rewrite size_map => jl; rewrite (nth_map 0) // (nth_map anything) ?so //; apply: idiv_contains => //; exact: Ho.
split=> [|j]; first by rewrite !size_map !size_zip !size_map so si.
rewrite size_map size_zip size_map => jl; have := jl; rewrite leq_min => /andP[j1 j2].
rewrite (nth_map (0, 0)) ?size_zip ?size_map // (nth_map (anything, anything)) ?size_zip ?size_map ?so ?si //.
rewrite !nth_zip_cond !size_zip !size_map so si jl /= (nth_map 0) // (nth_map anything) ?so //.
apply: isub_contains; first exact: Hi.
by apply: imul_contains => //; apply: idiv_contains => //; exact: Ho.
Qed.

Lemma reduce_contains n k m y : rows_contain m y ->
  list_contains (reduce_in n k m).1 (reduce_columns 0 Rminus Rmult Rdiv n k y).1 /\
  rows_contain (reduce_in n k m).2 (reduce_columns 0 Rminus Rmult Rdiv n k y).2.
Proof.
elim: n k m y => [|n IH] k m y H /=; first by [].
have := IH k.+1 _ _ (eliminate_contains k H); case: (reduce_in n k.+1 _) => p1 l1.
case: (reduce_columns _ _ _ _ n k.+1 _) => p2 l2.
move=> [[sp Hp] Hl]; split=> //; split=> /= [|[|i] il]; first by rewrite sp.
  exact: (list_containsP k (row_of_contains k H)).
exact: Hp.
Qed.

Theorem invert_contains n m y : rows_contain m y -> size y = n ->
  list_contains (invert_in n m).1 (invert 0 0 1 Rminus Rmult Rdiv n y).1 /\
  rows_contain (invert_in n m).2 (invert 0 0 1 Rminus Rmult Rdiv n y).2.
Proof.
move=> H sy; have [sz _] := H.
have start : rows_contain (bordered (interval0 N) (interval1 N) n m) (bordered 0 1 n y).
  split=> [|i]; first by rewrite !size_map !size_zip !size_iota sz.
  rewrite size_map size_zip size_iota sy minnn => il; have [sr Hr] := row_of_contains i H.
  rewrite /bordered !(nth_map (0%nat, [::])) ?size_zip ?size_iota ?sz ?sy ?minnn // !nth_zip ?size_iota ?sz ?sy //=.
  rewrite nth_iota // add0n; split=> [|j]; first by rewrite !size_cat !size_mkseq sr.
  rewrite size_cat size_mkseq !nth_cat sr => jl; case: ltnP => [j1 | j2]; first exact: Hr.
  rewrite !nth_mkseq ?ltn_subLR //; case: (_ == _); [exact: contains1 | exact: contains0].
rewrite /invert; have := reduce_contains n 0 start.
case: (reduce_in n 0 _) => p1 l1; case: (reduce_columns _ _ _ _ n 0 _) => p2 l2 /= [Hp Hl]; split=> //.
have [sl _] := Hl; split=> [|i]; first by rewrite !size_map.
rewrite size_map => il; have [sr Hr] := row_of_contains i Hl.
have im : (i < size l1)%nat by rewrite sl.
rewrite (nth_map [::] _ _ il) (nth_map [::] _ _ im); split=> [|j].
  by rewrite (size_drop n (nth _ l1 i)) size_drop -sr.
by rewrite size_drop => jl; rewrite (nth_drop n anything) nth_drop; apply: Hr; rewrite -ltn_subRL.
Qed.
End Intervals.
