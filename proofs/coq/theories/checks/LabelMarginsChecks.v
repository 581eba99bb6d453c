(* LabelMarginsChecks: the cover that proves label margins of soft attention, checked with intervals.

   A tree of pieces, each before its parts: halved, opened at a group (its tokens, one after the other), or proved by
   Lemma 3 of JOINT.md (proved_leaf) with multipliers and a token of each group. What groups, their labelled values and
   the decoder's direction are is left open here; LabelledValues.v has those of an instance. Why the check suffices:
   LabelMarginsSound.v. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Number Rows Interval IntervalTables.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- rows of intervals, for vectors with one column ---- *)

Section IntervalRows.
Variables (N : number) (P : Z) (d : nat).
Notation interval := (interval N).
Notation column := (vec [finType of 'I_d * 'I_1]).
Implicit Types (r s : seq interval) (u v : column).

Definition row_contains r u : Prop := size r = d /\ forall j : 'I_d, contains (nth (Everything N) r j) (u (j, ord0)).

Definition pairwise (f : interval -> interval -> interval) r s : seq interval := [seq f ab.1 ab.2 | ab <- zip r s].

Lemma pairwise_contains f r s u v (w : column) : row_contains r u -> row_contains s v ->
  (forall j I J, contains I (u j) -> contains J (v j) -> contains (f I J) (w j)) -> row_contains (pairwise f r s) w.
Proof.
move=> [sr Hr] [ss Hs] H; split=> [|j]; first by rewrite size_map size_zip sr ss minnn.
rewrite (nth_map (Everything N, Everything N)) ?size_zip ?sr ?ss ?minnn // nth_zip ?sr ?ss //.
by apply: H; [exact: Hr | exact: Hs].
Qed.

Definition row_product r s : interval := isum P (pairwise (imul P) r s).

Lemma sum_column (F : 'I_d * 'I_1 -> R) : \sum_jk F jk = \sum_(j < d) F (j, ord0).
Proof.
transitivity (\sum_(j : 'I_d) \sum_(k : 'I_1) F (j, k)).
  by rewrite pair_bigA; apply: eq_bigr => -[j k] _.
by apply: eq_bigr => j _; rewrite big_ord_recl big_ord0 Rplus_0_r.
Qed.

Lemma row_product_contains r s u v : row_contains r u -> row_contains s v -> contains (row_product r s) (dot u v).
Proof.
move=> Hr Hs; rewrite /dot sum_column.
have [sp Hp] : row_contains (pairwise (imul P) r s) (fun j => u j * v j).
  by apply: pairwise_contains Hr Hs _ => j I K; exact: imul_contains.
exact: isum_contains.
Qed.

Definition apart r s : seq interval := pairwise (isub P) r s.

Lemma apart_contains r s u v : row_contains r u -> row_contains s v -> row_contains (apart r s) (u - v)%V.
Proof. by move=> Hr Hs; apply: pairwise_contains Hr Hs _ => j I K; exact: isub_contains. Qed.

(* sum mu_k r_k *)
Fixpoint mixed_rows (mu : seq interval) (rows : seq (seq interval)) : seq interval :=
  match mu, rows with
  | m :: mu', r :: rows' => pairwise (fun I J => iadd P (imul P m I) J) r (mixed_rows mu' rows')
  | _, _ => nseq d (interval0 N)
  end.

Lemma mixed_rows_contains mu rows n (weight : 'I_n -> R) (x : 'I_n -> column) : size mu = n -> size rows = n ->
  (forall k : 'I_n, contains (nth (Everything N) mu k) (weight k)) ->
  (forall k : 'I_n, row_contains (nth [::] rows k) (x k)) -> row_contains (mixed_rows mu rows) (combine predT weight x).
Proof.
elim: mu rows n weight x => [|m mu IH] [|r rows] [|n] weight x //= sm sr Hm Hx.
  by split=> [|j]; [exact: size_nseq | rewrite nth_nseq ltn_ord /combine big_ord0; exact: contains0].
have [||||H1 H2] := IH rows n (fun k => weight (lift ord0 k)) (fun k => x (lift ord0 k)).
- by case: sm.
- by case: sr.
- by move=> k; exact: (Hm (lift ord0 k)).
- by move=> k; exact: (Hx (lift ord0 k)).
apply: (pairwise_contains (Hx ord0) (conj H1 H2)) => j I K HI HK.
rewrite /combine big_ord_recl; apply: iadd_contains => //.
by apply: imul_contains => //; exact: (Hm ord0).
Qed.
End IntervalRows.

(* ---- pieces ---- *)

Section Cover.
Variables (N : number) (P : Z) (d : nat).
Notation interval := (interval N).
Notation column := (vec [finType of 'I_d * 'I_1]).

(* A group: kappa, delta of its tokens, which of them is selected and how the certificate names them. *)
Record labelled_group := LabelledGroup {
  group_value : seq interval; group_differences : seq (seq interval); group_best : nat; group_names : seq nat
}.

(* The picked tokens, and the interval [a, a + 1] of 2^e. *)
Record piece := Piece { piece_picks : seq (option nat); piece_start : N; piece_exponent : Z }.

Inductive cover_node :=
| HalvedPiece
| OpenedPiece (group : nat)                                    (* as the certificate names it *)
| ProvedByMultipliers (vector : nat) (centre : seq nat)        (* a token of each group *)
| ProvedByWeights (weights : seq N) (centre : seq nat).

Variables (groups : seq labelled_group) (names : seq nat) (margin cost : interval) (along : seq interval)
  (multipliers : seq (seq interval)).

Definition from_in (p : piece) : interval := dyadic (piece_start p) (piece_exponent p).
Definition to_in (p : piece) : interval := dyadic (add (piece_start p) one) (piece_exponent p).

Definition piece_halves (p : piece) : seq piece :=
  let a := add (piece_start p) (piece_start p) in let e := (piece_exponent p - 1)%Z in
  [:: Piece (piece_picks p) a e; Piece (piece_picks p) (add a one) e].

Definition picked_at (p : piece) (k s : nat) : piece :=
  Piece (set_nth None (piece_picks p) k (Some s)) (piece_start p) (piece_exponent p).

Definition no_group : labelled_group := LabelledGroup [::] [::] 0 [::].
Definition tokens_in (k : nat) : nat := size (group_differences (nth no_group groups k)).

Definition whole_piece : piece := Piece (nseq (size groups) None) zero 0.
(* Some group leaves X to one of its other tokens. *)
Definition roots : seq (nat * nat) :=
  flatten [seq [seq (k, s) | s <- iota 0 (tokens_in k) & s != group_best (nth no_group groups k)]
          | k <- iota 0 (size groups)].
Definition root_pieces : seq piece := [seq picked_at whole_piece ks.1 ks.2 | ks <- roots].

(* ---- a piece with its proof ---- *)

(* A group with its place of the centre and what is picked. *)
Definition placed : Type := (labelled_group * (nat * option nat))%type.

Definition places_of (p : piece) (centre : seq nat) : seq placed :=
  [seq (gc.1, (index gc.2.1 (group_names gc.1), gc.2.2)) | gc <- zip groups (zip centre (piece_picks p))].

Definition place_ok (g : placed) : bool :=
  (g.2.1 < size (group_names g.1))%nat && (if g.2.2 is Some s then s == g.2.1 else true).

Definition centre_of (g : placed) : seq interval := nth [::] (group_differences g.1) g.2.1.

(* 2 <A, d> + X (||d||^2 - 2 <B, d>) of a group's tokens: constants and slopes in X. *)
Definition gain_terms (a b : seq interval) (g : placed) : seq (interval * interval) :=
  [seq let gap := apart P (centre_of g) s in
       (imul P (interval2 N) (row_product P a gap),
        isub P (row_product P gap gap) (imul P (interval2 N) (row_product P b gap)))
  | s <- group_differences g.1].

Definition largest_gain (x : interval) (terms : seq (interval * interval)) : interval :=
  column_largest P [seq iadd P t.1 (imul P x t.2) | t <- terms].

Definition gains_in (x : interval) (a b : seq interval) (gs : seq placed) : seq interval :=
  [seq if g.2.2 is Some _ then interval0 N else largest_gain x (gain_terms a b g) | g <- gs].

Definition weighted_total (mu xs : seq interval) : interval := isum P (pairwise (imul P) mu xs).

Definition end_value (x a_b b_b : interval) (mu gains : seq interval) : interval :=
  isub P (isub P (imul P (interval2 N) a_b) (imul P x b_b)) (weighted_total mu gains).

(* Lemma 3; `optimal`: the multipliers are some of the decoder's solution. *)
Definition leaf_check (p : piece) (optimal : bool) (mu : seq interval) (centre : seq nat) : bool :=
  let gs := places_of p centre in
  let a := if optimal then along else mixed_rows P d mu [seq group_value g | g <- groups] in
  let b := mixed_rows P d mu [seq centre_of g | g <- gs] in
  let a_b := row_product P a b in let b_b := row_product P b b in
  let from := from_in p in
  let square := imul P margin margin in
  let length := if optimal then square else row_product P a a in
  let least := imin P (end_value from a_b b_b mu (gains_in from a b gs))
                      (end_value (to_in p) a_b b_b mu (gains_in (to_in p) a b gs)) in
  let above := if optimal then least else iadd P least (idiv P (isub P square length) from) in
  let below := iadd P margin (isqrt P (imax P (isub P length (imul P from least)) (interval0 N))) in
  [&& size centre == size groups, all place_ok gs & certainly_le (imul P cost below) above].

Definition shares_of (weights : seq N) : seq interval := [seq ratio P (sum_row weights) w | w <- weights].

Definition weights_ok (p : piece) (weights : seq N) : bool :=
  [&& size weights == size groups, all (le zero) weights, lt zero (sum_row weights) & lt zero (piece_start p)].

(* The nodes are the trees of these pieces. *)
Fixpoint cover_check (nodes : seq cover_node) (left : seq piece) : bool :=
  match nodes, left with
  | [::], [::] => true
  | node :: nodes', p :: left' =>
      match node with
      | HalvedPiece => cover_check nodes' (piece_halves p ++ left')
      | OpenedPiece i =>
          let k := index i names in
          [&& (k < size groups)%nat, nth None (piece_picks p) k == None &
              cover_check nodes' ([seq picked_at p k s | s <- iota 0 (tokens_in k)] ++ left')]
      | ProvedByMultipliers j centre =>
          [&& (j < size multipliers)%nat, leaf_check p true (nth [::] multipliers j) centre &
              cover_check nodes' left']
      | ProvedByWeights weights centre =>
          [&& weights_ok p weights, leaf_check p false (shares_of weights) centre & cover_check nodes' left']
      end
  | _, _ => false
  end.
End Cover.
