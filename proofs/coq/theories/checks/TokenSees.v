(* TokenSees: how far weights of one-hot sentences' rows can curve beside the length of their sum (CurvatureRatio.v), by
   vectors that are given for each token of a query's column and are checked here (NEXT_TOKEN.md section 4).

   The vector of a token gives every row of that token at least 1, and no row of its column less than 0. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Direction Number Rows TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables UnitRows TokenPlaces TokenTrees.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section TokenSees.
Variables (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat)) (P : Z).
Notation d := (left_dimension D).
Notation e := (right_dimension D).

(* A query, and for each of its tokens the entries of its vector in that column. *)
Definition column_vectors : Type := (nat * seq (nat * seq (nat * N)))%type.

Definition seen_tree (q : nat) (w : seq (nat * N)) : tree N :=
  foldr (fun xa T => tree_with (fun=> exactly xa.2) (key D q xa.1) T) Leaf w.

Definition column_trees (h : column_vectors) : seq (nat * tree N) := [seq (x.1, seen_tree h.1 x.2) | x <- h.2].

Definition tree_of (trees : seq (nat * tree N)) (x : nat) : option (tree N) :=
  if [seq xT.2 | xT <- trees & (xT.1 == x)%nat] is T :: _ then Some T else None.

(* The rows of a query: the selected token, and another one. *)
Definition group_rows (places : seq nat) (pick : nat) : seq (nat * nat) :=
  let top := nth 0%nat places pick in [seq (top, x) | x <- places & x != top].
Definition column_rows (q : nat) : seq (nat * nat) :=
  flatten [seq if (a.1 == q)%nat then group_rows a.2.1 a.2.2 else [::]
          | a <- zip (query_column D) (zip (place_table D) picks)].

Definition row_seen (q x : nat) (T : tree N) (ab : nat * nat) : bool :=
  certainly_le (if (x == ab.1)%nat || (x == ab.2)%nat then interval1 N else interval0 N)
    (isub P (tree_at (key D q ab.1) T) (tree_at (key D q ab.2) T)).

Definition row_short (square : N) (trees : seq (nat * tree N)) (ab : nat * nat) : bool :=
  match tree_of trees ab.1, tree_of trees ab.2 with
  | Some T, Some T' => certainly_le (tree_squares P (tree_moved P (interval1 N) T T')) (exactly square)
  | _, _ => false
  end.

Definition column_seen (square : N) (h : column_vectors) : bool :=
  let rows := column_rows h.1 in
  let trees := column_trees h in
  [&& (h.1 < e)%nat, all (fun x => all (fun xa => xa.1 < d)%nat x.2) h.2,
      all (fun xT => all (row_seen h.1 xT.1 xT.2) rows) trees & all (row_short square trees) rows].

Definition rows_seen_check (square : N) (hs : seq column_vectors) : bool :=
  all (column_seen square) hs && all (fun q => has (fun h => h.1 == q)%nat hs) (query_column D).

(* ---- soundness ---- *)

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks) (Sok : token_stage_ok D picks pairs).
Let alpha : selection (problem D) := selection_of Pok.
Notation J := (coord (problem D)).
Implicit Types (t : token (problem D)).
Notation place t := (token_coordinate Dok Sok t).
Notation Q := (constraint alpha).

Lemma own_dot t (w : vec J) : dot (feature t) w = w (place t).
Proof. exact: token_logit_entry. Qed.

Lemma row_dot_entries t (w : vec J) : dot (Delta alpha t) w = w (place (selected alpha t)) - w (place t).
Proof. by rewrite /Delta dotBl !own_dot. Qed.

Let unit_at (a b : J) : R := if b == a then 1 else 0.

Lemma row_dot_rows s t : dot (Delta alpha t) (Delta alpha s) =
  unit_at (place (selected alpha s)) (place (selected alpha t)) - unit_at (place s) (place (selected alpha t))
  - (unit_at (place (selected alpha s)) (place t) - unit_at (place s) (place t)).
Proof. by rewrite row_dot_entries /Delta /vsub !(place_feature Dok Sok). Qed.

Lemma token_row_norm t : vnorm (Delta alpha t) <= sqrt 2.
Proof.
apply: sqrt_le_1_alt; rewrite /vnorm2 row_dot_rows /unit_at !eqxx.
by case: (_ == place t); case: (place t == _); lra.
Qed.

(* What a tree of the column holds, as a vector. *)
Definition coordinate_at (q x : nat) : option J :=
  match insub x, insub q with Some j, Some k => Some (j, k) | _, _ => None end.

Fixpoint seen_vector (q : nat) (w : seq (nat * N)) : vec J := fun jk =>
  if w is xa :: w' then if coordinate_at q xa.1 == Some jk then real xa.2 else seen_vector q w' jk else 0.

Lemma seen_tree_encloses q w : (q < e)%nat -> all (fun xa => xa.1 < d)%nat w ->
  tree_encloses (seen_tree q w) (seen_vector q w).
Proof.
move=> qe; elim: w => [_|[x a] w IH /= /andP[xd wd]]; first exact: leaf_encloses.
have E : coordinate_at q x = Some (Ordinal xd, Ordinal qe) by rewrite /coordinate_at !insubT.
have K : key D q x = coordinate_key (Ordinal xd, Ordinal qe) by [].
move=> k; rewrite tree_at_with; case: Pos.eqb_spec => [-> | ne].
  by rewrite K at_own_key E eqxx; exact: exactly_contains.
suff -> : at_key (fun jk => if coordinate_at q x == Some jk then real a else seen_vector q w jk) k =
    at_key (seen_vector q w) k by exact: IH.
apply: eq_bigr => jk /Pos.eqb_eq H; rewrite E; case: eqP => // -[E']; case: ne.
by rewrite K E' H.
Qed.

Lemma seen_vector_column q w (j : 'I_d) (k : 'I_e) : k != q :> nat -> seen_vector q w (j, k) = 0.
Proof.
move=> kq; elim: w => //= -[x a] w ->; case: eqP => // E; case/eqP: kq; move: E; rewrite /coordinate_at /=.
by case: insub => // j'; case: insubP => // k' _ <- [_ ->].
Qed.

Variables (square : N) (hs : seq column_vectors).
Hypothesis checked : rows_seen_check square hs.

(* The vector of a token in a column. *)
Definition vector_in (h : column_vectors) (x : nat) : vec J :=
  if [seq a.2 | a <- h.2 & (a.1 == x)%nat] is w :: _ then seen_vector h.1 w else vzero.
Definition query_column_of (q : nat) : column_vectors := nth (0%nat, [::]) hs (find (fun h => h.1 == q)%nat hs).
Definition token_vector (t : token (problem D)) : vec J :=
  vector_in (query_column_of (query_place (group_of t))) (token_place t).
Definition token_sees (t : token (problem D)) : vec J := (token_vector (selected alpha t) + token_vector t)%V.

Lemma own_column t : let h := query_column_of (query_place (group_of t)) in
  column_seen square h /\ h.1 = query_place (group_of t).
Proof.
have /andP[/(all_nthP (0%nat, [::])) all_ /(all_nthP 0%nat) known] := checked.
have il := ltn_ord (group_of t : data_group D).
have := known (group_of t : data_group D); rewrite !size_map => /(_ il) found.
split; first by apply: all_; rewrite -has_find.
by have := nth_find (0%nat, [::]) found => /eqP.
Qed.

(* Tokens of a group stand at different places. *)
Lemma place_inj t u : group_of t = group_of u -> token_place t = token_place u -> t = u.
Proof.
case: t u => i a [i' b] /= E; subst i'; rewrite /token_place /at_token /= => /eqP.
have /andP[/and5P[_ _ /(all_nthP [::]) different _ _] _] := Sok.
have [/eqP sp _] := andP (fits_place_table D); have il := ltn_ord (i : data_group D).
have := different i; rewrite sp => /(_ il) un; have sl := fits_row (fits_place_table D) il.
by rewrite nth_uniq ?sl ?ltn_ord // => /eqP E; congr existT; exact: val_inj.
Qed.

Lemma places_differ t : Q t -> token_place (selected alpha t) != token_place t.
Proof.
move=> Qt; apply: contraNneq Qt => E; apply/eqP; apply: place_inj (esym E).
by rewrite (group_of_pick alpha).
Qed.

Lemma row_listed t : Q t ->
  (token_place (selected alpha t), token_place t) \in column_rows (query_place (group_of t)).
Proof.
move=> Qt; have [/eqP sp _] := andP (fits_place_table D); have [/eqP sk _] := andP Pok.
have sq : size (query_column D) = size (sequences D) by rewrite !size_map.
have il := ltn_ord (group_of t : data_group D); set i := (group_of t : data_group D) in il *.
apply/flattenP; exists (group_rows (nth [::] (place_table D) i) (nth 0%nat picks i)).
  apply/mapP; exists (nth 0%nat (query_column D) i, (nth [::] (place_table D) i, nth 0%nat picks i)); last by
    rewrite /= eqxx.
  have -> : (nth 0%nat (query_column D) i, (nth [::] (place_table D) i, nth 0%nat picks i)) =
    nth (0%nat, ([::], 0%nat)) (zip (query_column D) (zip (place_table D) picks)) i.
    by rewrite nth_zip ?nth_zip ?size_zip ?sp ?sk ?minnn.
  by apply: mem_nth; rewrite !size_zip sq sp sk !minnn.
have top : token_place (selected alpha t) = nth 0%nat (nth [::] (place_table D) i) (nth 0%nat picks i) by [].
have sl : size (nth [::] (place_table D) i) = length_of D i := fits_row (fits_place_table D) il.
have own : token_place t = nth 0%nat (nth [::] (place_table D) i) (tagged (t : data_token D)) by [].
apply/mapP; exists (token_place t); last by rewrite top.
rewrite mem_filter own mem_nth ?sl ?ltn_ord // andbT -own -top eq_sym; exact: places_differ.
Qed.

(* A vector's tree, and what was checked of it. *)
Lemma tree_of_found q rows l x T : (q < e)%nat ->
  all (fun x : nat * seq (nat * N) => all (fun xa => xa.1 < d)%nat x.2) l ->
  all (fun xT => all (row_seen q xT.1 xT.2) rows) [seq (a.1, seen_tree q a.2) | a <- l] ->
  tree_of [seq (a.1, seen_tree q a.2) | a <- l] x = Some T ->
  tree_encloses T (if [seq a.2 | a <- l & (a.1 == x)%nat] is w :: _ then seen_vector q w else vzero) /\
  all (row_seen q x T) rows.
Proof.
move=> qe; elim: l => [|[y w] l IH] //= /andP[yd ld] /andP[yr lr]; rewrite /tree_of /=.
case: eqP => [E [<-] | _]; last exact: IH.
by rewrite -E; split=> //; exact: seen_tree_encloses.
Qed.

Section Row.
Variable t : token (problem D).
Hypothesis Qt : Q t.
Notation q := (query_place (group_of t)).
Notation h := (query_column_of q).

Let selected_group : group_of (selected alpha t) = group_of t := group_of_pick alpha (group_of t).

Lemma row_trees : exists T T', [/\ tree_encloses T (token_vector (selected alpha t)),
  tree_encloses T' (token_vector t),
  all (row_seen q (token_place (selected alpha t)) T) (column_rows q),
  all (row_seen q (token_place t) T') (column_rows q) &
  certainly_le (tree_squares P (tree_moved P (interval1 N) T T')) (exactly square)].
Proof.
have [/and4P[qe ranges seen short] hq] := own_column t; have listed := row_listed Qt.
rewrite /column_trees hq in seen short qe; have := allP short _ listed; rewrite /row_short /=.
case E: tree_of => [T|] //; case E': tree_of => [T'|] // le; exists T, T'.
have [HT ST] := tree_of_found qe ranges seen E; have [HT' ST'] := tree_of_found qe ranges seen E'.
by split=> //; rewrite /token_vector /vector_in ?selected_group hq.
Qed.

Lemma vector_row (s x : token (problem D)) T : query_place (group_of x) = q -> Q s ->
  tree_encloses T (token_vector x) -> all (row_seen q (token_place x) T) (column_rows q) ->
  (if (query_place (group_of s) == q)%nat && ((token_place x == token_place (selected alpha s))%nat ||
     (token_place x == token_place s)%nat) then 1 else 0) <= dot (Delta alpha s) (token_vector x).
Proof.
move=> xq Qs HT seen; rewrite row_dot_entries.
have sg : group_of (selected alpha s) = group_of s := group_of_pick alpha (group_of s).
case: (query_place (group_of s) =P q) => [sq | sq] /=.
  have listed := row_listed Qs; rewrite sq in listed; have := allP seen _ listed => /=.
  have inside u : group_of u = group_of s ->
      contains (tree_at (key D q (token_place u)) T) (token_vector x (place u)).
    move=> us; have <- : coordinate_key (place u) = key D q (token_place u); last exact: tree_entry HT.
    by rewrite /coordinate_key -[nat_of_ord (place u).2]/(query_place (group_of u)) us sq.
  have I := isub_contains P (inside _ sg) (inside s erefl).
  rewrite /row_seen /=; case: (_ || _) => le.
    exact: (certainly_le_real (contains1 N) I le).
  exact: (certainly_le_real (contains0 N) I le).
have off u : group_of u = group_of s -> token_vector x (place u) = 0.
  move=> us; rewrite /token_vector /vector_in; have [_ ->] := own_column x.
  case: [seq _ | _ <- _ & _] => [|w _] //; apply: seen_vector_column.
  rewrite -[nat_of_ord _]/(query_place (group_of u)) us xq; exact/eqP.
by rewrite !off //; lra.
Qed.

Theorem token_sees_short : vnorm (token_sees t) <= sqrt (real square).
Proof.
have [T [T' [HT HT' _ _ le]]] := row_trees; apply: sqrt_le_1_alt.
have H := tree_moved_encloses P (contains1 N) HT HT'.
have E : (token_vector (selected alpha t) + 1 * token_vector t)%V = token_sees t by rewrite /token_sees; vec_ring.
rewrite E in H; apply: (certainly_le_real _ (exactly_contains square) le).
by apply: (tree_squares_sum P (p := predT) (f := @coordinate_key N D)) => [a b _ _|k];
  [exact: coordinate_key_inj | exact: H].
Qed.

Theorem token_sees_ge s : Q s -> Rabs (dot (Delta alpha t) (Delta alpha s)) <= dot (Delta alpha s) (token_sees t).
Proof.
move=> Qs; have [T [T' [HT HT' ST ST' _]]] := row_trees; rewrite /token_sees dotDr.
have qa : query_place (group_of (selected alpha t)) = q by rewrite selected_group.
have := vector_row qa Qs HT ST; have := vector_row erefl Qs HT' ST'.
have sg : group_of (selected alpha s) = group_of s := group_of_pick alpha (group_of s).
have entry u v : group_of u = group_of s -> group_of v = group_of t -> unit_at (place u) (place v) =
    if (query_place (group_of s) == q)%nat && (token_place v == token_place u)%nat then 1 else 0.
  move=> us vt; rewrite /unit_at; have -> : (place v == place u) =
    (token_place v == token_place u)%nat && (query_place (group_of v) == query_place (group_of u))%nat by [].
  by rewrite us vt andbC [q == _]eq_sym.
rewrite row_dot_rows !entry //; case: (query_place (group_of s) == q) => /=; last first.
  by move=> *; rewrite !Rminus_0_r Rabs_R0; lra.
have ne := places_differ Qs.
case: (token_place (selected alpha t) =P token_place (selected alpha s)) => [e1|_];
  case: (token_place (selected alpha t) =P token_place s) => [e2|_];
  try (by move: ne; rewrite -e1 e2 eqxx);
  case: (token_place t =P token_place (selected alpha s)) => [e3|_]; case: (token_place t =P token_place s) => [e4|_];
  try (by move: ne; rewrite -e3 e4 eqxx);
  move=> /= ? ?; apply: Rabs_le; lra.
Qed.
End Row.
End TokenSees.
