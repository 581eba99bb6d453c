(* LabelMarginsChecks: the cover that proves label margins of soft attention, checked with intervals.

   A tree of pieces, each before its parts: halved, opened at a group (its tokens, one after the other), or proved by
   Lemma 3 of JOINT.md (proved_leaf) with multipliers and a token of each group. What groups, their labelled values and
   the decoder's direction are is left open here; LabelledValues.v has those of an instance. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Number Rows Interval IntervalTables LabelMargins.

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

(* ---- why that suffices ---- *)

Variable m : nat.
Hypothesis groups_size : size groups = m.
Variables (count best : 'I_m -> nat) (kappa : 'I_m -> column) (delta : 'I_m -> nat -> column) (Gamma nu : R)
  (A : column).
Hypotheses (Gamma_gt0 : 0 < Gamma) (nu_gt0 : 0 < nu).
Hypotheses (margin_in : contains margin Gamma) (cost_in : contains cost nu) (along_in : row_contains along A).
Hypotheses (A_length : vnorm2 A = Gamma * Gamma) (A_tight : forall k, dot (kappa k) A = Gamma * Gamma).
Hypothesis groups_in : forall k : 'I_m, let g := nth no_group groups k in
  [/\ row_contains (group_value g) (kappa k), size (group_differences g) = count k, size (group_names g) = count k,
      group_best g = best k &
      forall s, (s < count k)%nat -> row_contains (nth [::] (group_differences g) s) (delta k s)].
Hypothesis multipliers_in : forall j, (j < size multipliers)%nat -> exists mu : 'I_m -> R,
  [/\ size (nth [::] multipliers j) = m,
      forall k : 'I_m, contains (nth (Everything N) (nth [::] multipliers j) k) (mu k),
      forall k, 0 <= mu k, \sum_k mu k = 1 & combine predT mu kappa = A].

Definition piece_proved (p : piece) : Prop := size (piece_picks p) = m -> 0 <= real (piece_start p) ->
  proved count kappa delta Gamma nu (fun k => nth None (piece_picks p) k)
    (real (piece_start p) * power (piece_exponent p)) ((real (piece_start p) + 1) * power (piece_exponent p)).

Lemma tokens_in_count (k : 'I_m) : tokens_in k = count k.
Proof. by have [_ H _ _ _] := groups_in k. Qed.

Lemma halves_proved p : piece_proved (nth whole_piece (piece_halves p) 0) ->
  piece_proved (nth whole_piece (piece_halves p) 1) -> piece_proved p.
Proof.
rewrite /piece_proved /= => low high sp a0.
have {low}low := low sp (ltac:(rewrite realD; lra)); have {high}high := high sp (ltac:(rewrite !realD real1; lra)).
have half x : x * power (piece_exponent p - 1) = x / 2 * power (piece_exponent p).
  by rewrite /Z.sub power_add power_opp {2}/power powerRZ_1; field.
apply: (proved_halves (middle := (real (piece_start p) + / 2) * power (piece_exponent p))).
  by move: low; rewrite !half !realD; congr proved; field.
by move: high; rewrite !half !realD real1; congr proved; field.
Qed.

Lemma opened_proved p (k : 'I_m) : nth None (piece_picks p) k = None ->
  (forall s, (s < count k)%nat -> piece_proved (picked_at p k s)) -> piece_proved p.
Proof.
move=> none parts sp a0; apply: (proved_opened (k := k)) => // s sl.
have := parts s sl; rewrite /piece_proved /= size_set_nth sp => /(_ (maxn_idPr (ltn_ord k)) a0).
move=> H X u t range u1 ok; apply: (H X u t range u1) => j; have [tl at_j] := ok j; split=> //.
rewrite nth_set_nth /=; move: at_j; rewrite /picking.
by case: (eqVneq j k) => [-> | jk]; rewrite ?eqxx // (negbTE (_ : (j : nat) != k)).
Qed.

Section Leaf.
Variables (p : piece) (centre : seq nat) (mus : seq interval) (mu : 'I_m -> R) (optimal : bool).
Hypotheses (picks_size : size (piece_picks p) = m) (start_ge0 : 0 <= real (piece_start p)).
Hypotheses (mu_size : size mus = m) (mu_in : forall k : 'I_m, contains (nth (Everything N) mus k) (mu k)).
Hypotheses (mu_ge0 : forall k, 0 <= mu k) (mu_sum : \sum_k mu k = 1).
Hypothesis mu_optimal : if optimal then combine predT mu kappa = A else 0 < real (piece_start p).
Hypotheses (centre_size : size centre = m) (places_ok : all place_ok (places_of p centre)).

Let gs := places_of p centre.
Let c (k : 'I_m) : nat := index (nth 0%nat centre k) (group_names (nth no_group groups k)).
Let from : R := real (piece_start p) * power (piece_exponent p).
Let to : R := (real (piece_start p) + 1) * power (piece_exponent p).
Notation B := (combine predT mu (fun k => delta k (c k))).
Notation a_row := (if optimal then along else mixed_rows P d mus [seq group_value g | g <- groups]).
Notation b_row := (mixed_rows P d mus [seq centre_of g | g <- gs]).

Lemma gs_size : size gs = m.
Proof. by rewrite size_map !size_zip centre_size picks_size groups_size !minnn. Qed.

Definition no_place : placed := (no_group, (0%nat, None)).

Lemma gs_at (k : 'I_m) : nth no_place gs k = (nth no_group groups k, (c k, nth None (piece_picks p) k)).
Proof.
rewrite (nth_map (no_group, (0%nat, None))) ?size_zip ?centre_size ?picks_size ?groups_size ?minnn //.
by rewrite nth_zip ?size_zip ?centre_size ?picks_size ?groups_size ?minnn //= nth_zip ?centre_size ?picks_size.
Qed.

Lemma centre_lt (k : 'I_m) : (c k < count k)%nat /\ (if nth None (piece_picks p) k is Some s then s = c k else True).
Proof.
have kl : (k < size gs)%nat by rewrite gs_size.
have := all_nthP no_place places_ok k kl; rewrite gs_at /place_ok /= => /andP[cl at_k].
have [_ _ <- _ _] := groups_in k; split=> //.
by case: (nth None _ k) at_k => // s /eqP.
Qed.

Lemma a_row_contains : row_contains a_row (combine predT mu kappa).
Proof.
case: optimal mu_optimal => [-> // | _]; apply: mixed_rows_contains => // [|k]; first by rewrite size_map.
by rewrite (nth_map no_group) ?groups_size //; have [] := groups_in k.
Qed.

Lemma centre_contains (k : 'I_m) : row_contains (centre_of (nth no_place gs k)) (delta k (c k)).
Proof. by rewrite gs_at; have [_ _ _ _ H] := groups_in k; apply: H; have [] := centre_lt k. Qed.

Lemma b_row_contains : row_contains b_row B.
Proof.
apply: mixed_rows_contains => // [|k]; first by rewrite size_map gs_size.
by rewrite (nth_map no_place) ?gs_size //; exact: centre_contains.
Qed.

Lemma gains_at x a b (k : 'I_m) : nth (Everything N) (gains_in x a b gs) k =
  if nth None (piece_picks p) k is Some _ then interval0 N
  else largest_gain x (gain_terms a b (nth no_group groups k, (c k, nth None (piece_picks p) k))).
Proof. by rewrite /gains_in (nth_map no_place) ?gs_size // gs_at. Qed.

Notation gain_at := (gain kappa delta mu c).

Lemma gains_contain (x y : R) I J : contains I x -> contains J y ->
  exists bound : 'I_m -> R * R, forall k : 'I_m,
    [/\ contains (nth (Everything N) (gains_in I a_row b_row gs) k) (bound k).1,
        contains (nth (Everything N) (gains_in J a_row b_row gs) k) (bound k).2 &
        forall s, (s < count k)%nat -> (if nth None (piece_picks p) k is Some s' then s = s' else True) ->
        gain_at x k s <= (bound k).1 /\ gain_at y k s <= (bound k).2].
Proof.
move=> HI HJ; suff each (k : 'I_m) : exists bound : R * R,
    [/\ contains (nth (Everything N) (gains_in I a_row b_row gs) k) bound.1,
        contains (nth (Everything N) (gains_in J a_row b_row gs) k) bound.2 &
        forall s, (s < count k)%nat -> (if nth None (piece_picks p) k is Some s' then s = s' else True) ->
        gain_at x k s <= bound.1 /\ gain_at y k s <= bound.2].
  by have [bound H] := fin_all_exists each; exists bound.
have Hc := centre_contains k; rewrite gs_at in Hc.
rewrite !gains_at; have [_ pick_k] := centre_lt k.
case: (nth None _ k) pick_k => [s' | ] pick_k.
  exists (0, 0); split; try exact: contains0.
  move=> s sl ->; rewrite pick_k /gain (_ : (delta k (c k) - delta k (c k))%V = vzero); last by vec_ring.
  by rewrite !dot0r vnorm20 /=; split; right; ring.
have [_ ts _ _ Hd] := groups_in k.
have one z K : contains K z -> exists w, contains (largest_gain K (gain_terms a_row b_row
    (nth no_group groups k, (c k, None)))) w /\ forall s, (s < count k)%nat -> gain_at z k s <= w.
  move=> HK; have [||w [Hw _ H]] := @largest_contains N P
      [seq iadd P t.1 (imul P K t.2) | t <- gain_terms a_row b_row (nth no_group groups k, (c k, None))]
      (count k) (fun s => gain_at z k s).
  - by rewrite !size_map.
  - move=> s; rewrite (nth_map (Everything N, Everything N)) ?size_map ?ts // (nth_map [::]) ?ts //.
    cbn [fst snd]; have Hgap := apart_contains P Hc (Hd s (ltn_ord s)).
    have [Ha Hb] := (a_row_contains, b_row_contains).
    apply: iadd_contains; first by apply: imul_contains; [exact: contains2 | exact: row_product_contains].
    apply: imul_contains => //; apply: isub_contains; first exact: row_product_contains.
    by apply: imul_contains; [exact: contains2 | exact: row_product_contains].
  by exists w; split=> // s sl; exact: (H (Ordinal sl)).
have [w [Hw Ww]] := one x I HI; have [v [Hv Vv]] := one y J HJ.
by exists (w, v); split=> // s sl _; split; [exact: Ww | exact: Vv].
Qed.

Lemma end_value_contains x (bound : 'I_m -> R) I gains : contains I x -> size gains = m ->
  (forall k : 'I_m, contains (nth (Everything N) gains k) (bound k)) ->
  contains (end_value I (row_product P a_row b_row) (row_product P b_row b_row) mus gains)
    (2 * dot (combine predT mu kappa) B - x * vnorm2 B - \sum_k mu k * bound k).
Proof.
move=> HI sg Hg; have [Ha Hb] := (a_row_contains, b_row_contains).
apply: isub_contains.
  apply: isub_contains; first by apply: imul_contains; [exact: contains2 | exact: row_product_contains].
  by apply: imul_contains => //; exact: row_product_contains.
apply: isum_contains => [|k]; first by rewrite size_map size_zip mu_size sg minnn.
rewrite (nth_map (Everything N, Everything N)) ?size_zip ?mu_size ?sg ?minnn // nth_zip ?mu_size ?sg //.
by apply: imul_contains; [exact: mu_in | exact: Hg].
Qed.

Theorem leaf_proved : leaf_check p optimal mus centre ->
  proved count kappa delta Gamma nu (fun k => nth None (piece_picks p) k) from to.
Proof.
case/and3P=> _ _ enough; have pe := power_gt0 (piece_exponent p).
have from0 : 0 <= from by apply: Rmult_le_pos; lra.
have from_to : from <= to by rewrite /from /to; nra.
have Hfrom : contains (from_in p) from by exact: dyadic_contains.
have Hto : contains (to_in p) to by rewrite /to -(real1 N) -realD; exact: dyadic_contains.
have [bound Hb] := gains_contain Hfrom Hto.
have sg x : size (gains_in x a_row b_row gs) = m by rewrite size_map gs_size.
pose first k := (bound k).1; pose last k := (bound k).2.
have H1 := @end_value_contains from first _ _ Hfrom (sg _) (fun k => let: And3 H _ _ := Hb k in H).
have H2 := @end_value_contains to last _ _ Hto (sg _) (fun k => let: And3 _ H _ := Hb k in H).
have HE := imin_contains P H1 H2; set E := Rmin _ _ in HE.
pose L := vnorm2 (combine predT mu kappa).
have HL : contains (if optimal then imul P margin margin else row_product P a_row a_row) L.
  move: mu_optimal a_row_contains; rewrite /L; case: optimal => [-> _ | _ Ha]; last exact: row_product_contains.
  by rewrite A_length; exact: imul_contains.
have least : Gamma * Gamma <= L.
  have tight : dot (combine predT mu kappa) A = Gamma * Gamma.
    by rewrite dot_combinel -[RHS]Rmult_1_l -mu_sum sum_mulr; apply: eq_bigr => k _; rewrite A_tight.
  have := cauchy_schwarz2 (combine predT mu kappa) A; rewrite tight A_length -/L => H.
  have G2 : 0 < Gamma * Gamma by exact: Rmult_lt_0_compat.
  exact: (Rmult_le_reg_r (Gamma * Gamma)).
pose rest := if optimal then 0 else (Gamma * Gamma - L) / from.
have from_gt0 : ~~ optimal -> 0 < from.
  by move: mu_optimal; case: optimal => // a0 _; apply: Rmult_lt_0_compat.
have rest_le0 : rest <= 0.
  move: from_gt0; rewrite /rest; case: optimal => [_ | /(_ isT) f0]; first by right.
  by have := Rinv_0_lt_compat _ f0; rewrite /Rdiv; nra.
have rest_le X : from <= X <= to -> X * rest <= Gamma * Gamma - L.
  move=> [h1 h2]; move: mu_optimal from_gt0 rest_le0; rewrite /rest.
  case: optimal => [same _ _ | _ /(_ isT) f0 r0]; first by rewrite /L same A_length; lra.
  have : (X - from) * ((Gamma * Gamma - L) / from) <= 0 by nra.
  have -> : (X - from) * ((Gamma * Gamma - L) / from) = X * ((Gamma * Gamma - L) / from) - (Gamma * Gamma - L).
    by field; lra.
  lra.
apply: (@proved_leaf _ _ count kappa delta Gamma nu nu_gt0 _ mu c from to rest first last) => //.
- move=> k s sl at_k; have [cl pick_k] := centre_lt k; have [_ _ H] := Hb k.
  exact: H.
have Hlength : contains (isqrt P (imax P (isub P (if optimal then imul P margin margin else row_product P a_row a_row)
    (imul P (from_in p) (imin P (end_value (from_in p) (row_product P a_row b_row) (row_product P b_row b_row) mus
      (gains_in (from_in p) a_row b_row gs)) (end_value (to_in p) (row_product P a_row b_row)
      (row_product P b_row b_row) mus (gains_in (to_in p) a_row b_row gs))))) (interval0 N)))
      (sqrt (Rmax (L - from * E) 0)).
  apply: isqrt_contains; apply: imax_contains; last exact: contains0.
  by apply: isub_contains => //; apply: imul_contains.
apply: (certainly_le_real _ _ enough).
  by apply: imul_contains => //; apply: iadd_contains.
rewrite /rest; move: HE HL; case: optimal => HE HL; first by rewrite Rplus_0_r.
apply: iadd_contains => //; apply: idiv_contains => //; apply: isub_contains => //.
exact: imul_contains.
Qed.
End Leaf.

Lemma checked_leaf p optimal mus centre (mu : 'I_m -> R) : leaf_check p optimal mus centre -> size mus = m ->
  (forall k : 'I_m, contains (nth (Everything N) mus k) (mu k)) -> (forall k, 0 <= mu k) -> \sum_k mu k = 1 ->
  (if optimal then combine predT mu kappa = A else 0 < real (piece_start p)) -> piece_proved p.
Proof.
move=> H sm Hm mu0 mu1 opt sp a0; have /and3P[/eqP sc places _] := H; rewrite groups_size in sc.
exact: (leaf_proved (p := p) sp a0 sm Hm mu0 mu1 opt sc places H).
Qed.

Lemma weights_proved p weights centre : weights_ok p weights -> leaf_check p false (shares_of weights) centre ->
  piece_proved p.
Proof.
case/and4P=> /eqP sw w0 /lt_real W0 /lt_real a0 H; rewrite real0 in W0 a0; rewrite groups_size in sw.
apply: (checked_leaf (mu := fun k : 'I_m => entry weights k / real (sum_row weights)) H) => //.
- by rewrite size_map.
- by move=> k; rewrite (nth_map zero) ?sw //; exact: ratio_contains.
- move=> k; apply: Rmult_le_pos; last exact/Rlt_le/Rinv_0_lt_compat.
  by rewrite -(real0 N); apply: le_real; apply: (all_nthP zero w0); rewrite sw.
have total : \sum_(k < m) entry weights k = real (sum_row weights) by rewrite sum_row_real sw.
by rewrite /Rdiv -sum_mulr total; field; lra.
Qed.

Lemma cover_pieces nodes left : cover_check nodes left ->
  forall i, (i < size left)%nat -> piece_proved (nth whole_piece left i).
Proof.
elim: nodes left => [|node nodes IH] [|p left] //=; case: node => [|g|j centre|ws centre].
- move/IH => H [|i] il; last exact: (H i.+2).
  by apply: halves_proved; [exact: (H 0%nat) | exact: (H 1%nat)].
- case/and3P=> kl /eqP none /IH H; rewrite groups_size in kl; set n := tokens_in _ in H.
  have sn : size [seq picked_at p (index g names) s | s <- iota 0 n] = n by rewrite size_map size_iota.
  case=> [_ | i il]; last first.
    have := H (n + i)%nat; rewrite size_cat sn ltn_add2l => /(_ il).
    by rewrite nth_cat sn ltnNge leq_addr /= addKn.
  apply: (opened_proved (k := Ordinal kl)) none _ => s; rewrite -tokens_in_count -/n => sl.
  have := H s; rewrite size_cat sn => /(_ (leq_trans sl (leq_addr _ _))).
  by rewrite nth_cat sn sl (nth_map 0%nat) ?size_iota // nth_iota.
- case/and3P=> jl checked /IH H [_ | i il]; last exact: (H i).
  have [mu [sm Hm mu0 mu1 opt]] := multipliers_in jl.
  exact: (checked_leaf checked sm Hm mu0 mu1 opt).
case/and3P=> ok checked /IH H [_ | i il]; last exact: (H i).
exact: weights_proved ok checked.
Qed.

Hypotheses (best_lt : forall k, (best k < count k)%nat) (best_own : forall k, delta k (best k) = vzero).
Hypothesis some_multipliers : (0 < size multipliers)%nat.

Lemma root_proved (k : 'I_m) s : (forall i, (i < size root_pieces)%nat ->
  piece_proved (nth whole_piece root_pieces i)) -> (s < count k)%nat -> s <> best k ->
  proved count kappa delta Gamma nu (chosen_at k s) 0 1.
Proof.
move=> H sl sb; have [_ _ _ bk _] := groups_in k.
have listed : ((k : nat), s) \in roots.
  apply/flatten_mapP; exists (k : nat); first by rewrite mem_iota add0n groups_size ltn_ord.
  apply: map_f; rewrite mem_filter mem_iota /= add0n tokens_in_count sl bk andbT; exact/eqP.
have il : (index ((k : nat), s) roots < size root_pieces)%nat by rewrite size_map index_mem.
have := H _ il; rewrite (nth_map (0%nat, 0%nat)) ?index_mem // nth_index //.
rewrite /piece_proved /= size_set_nth size_nseq groups_size real0 ?power0 => /(_ (maxn_idPr (ltn_ord k)) (Rle_refl 0)).
rewrite ?Rplus_0_l ?Rmult_1_r => P1 X u t range u1 ok; apply: (P1 X u t range u1) => j; have [tl at_j] := ok j.
split=> //; rewrite nth_set_nth /=; move: at_j; rewrite /chosen_at /picking.
case: (eqVneq j k) => [-> | jk]; first by rewrite eqxx.
by rewrite (negbTE (_ : (j : nat) != k)) // nth_nseq if_same.
Qed.

Theorem cover_check_sound nodes : cover_check nodes root_pieces -> forall share : 'I_m -> nat -> R,
  (forall k s, (s < count k)%nat -> 0 <= share k s) -> (forall k, \sum_(s < count k) share k s = 1) ->
  forall u, vnorm u <= 1 -> exists k, forall j,
    dot (mixture count kappa delta share k) u <= Gamma - nu * (1 - share j (best j)).
Proof.
move/cover_pieces => pieces share share0 share1 u u1.
have [mu [_ _ mu0 mu1 opt]] := multipliers_in some_multipliers.
apply: label_margins => // [k s | v v1]; first exact: root_proved.
apply: (below_mean (F := fun k => dot (kappa k) v) mu0 mu1); rewrite -(dot_combinel predT mu kappa v) opt.
apply: Rle_trans (dot_le_norms _ _) _; have -> : vnorm A = Gamma by rewrite /vnorm A_length sqrt_square; lra.
by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ Gamma_gt0) v1; lra.
Qed.
End Cover.
