(* LabelMarginsSound: a cover that is accepted (LabelMarginsChecks.v) proves its label margins. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Number Rows Interval IntervalTables LabelMargins LabelMarginsChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Cover.
Variables (N : number) (P : Z) (d : nat).
Notation interval := (interval N).
Notation column := (vec [finType of 'I_d * 'I_1]).
Variables (groups : seq (labelled_group N)) (names : seq nat) (margin cost : interval) (along : seq interval)
  (multipliers : seq (seq interval)).
Notation piece := (piece N).
Notation placed := (placed N).
Notation no_group := (no_group N).
Notation tokens_in := (tokens_in groups).
Notation whole_piece := (whole_piece groups).
Notation roots := (roots groups).
Notation root_pieces := (root_pieces groups).
Notation places_of := (places_of groups).
Notation place_ok := (@place_ok N).
Notation centre_of := (@centre_of N).
Notation gain_terms := (gain_terms P).
Notation largest_gain := (largest_gain P).
Notation gains_in := (gains_in P).
Notation end_value := (end_value P).
Notation leaf_check := (leaf_check P d groups margin cost along).
Notation shares_of := (shares_of P).
Notation weights_ok := (weights_ok groups).
Notation cover_check := (cover_check P d groups names margin cost along multipliers).

(* The groups and the decoder's direction, as real numbers. *)
Record cover_values (m : nat) := CoverValues {
  cover_count : 'I_m -> nat;                     (* tokens, *)
  cover_best : 'I_m -> nat;                      (* the selected one *)
  cover_value : 'I_m -> column;                  (* kappa *)
  cover_difference : 'I_m -> nat -> column;      (* delta *)
  cover_margin : R;                              (* Gamma *)
  cover_cost : R;                                (* nu *)
  cover_along : column                           (* A, of length Gamma *)
}.

Variables (m : nat) (V : cover_values m).
Notation count := (cover_count V).
Notation best := (cover_best V).
Notation kappa := (cover_value V).
Notation delta := (cover_difference V).
Notation Gamma := (cover_margin V).
Notation nu := (cover_cost V).
Notation A := (cover_along V).

Record cover_known : Prop := CoverKnown {
  cover_size : size groups = m;
  cover_margin_gt0 : 0 < Gamma;
  cover_cost_gt0 : 0 < nu;
  cover_margin_in : contains margin Gamma;
  cover_cost_in : contains cost nu;
  cover_along_in : row_contains along A;
  cover_length : vnorm2 A = Gamma * Gamma;
  cover_tight : forall k, dot (kappa k) A = Gamma * Gamma;
  cover_groups : forall k : 'I_m, let g := nth no_group groups k in
    [/\ row_contains (group_value g) (kappa k), size (group_differences g) = count k, size (group_names g) = count k,
        group_best g = best k &
        forall s, (s < count k)%nat -> row_contains (nth [::] (group_differences g) s) (delta k s)];
  cover_multipliers : forall j, (j < size multipliers)%nat -> exists mu : 'I_m -> R,
    [/\ size (nth [::] multipliers j) = m,
        forall k : 'I_m, contains (nth (Everything N) (nth [::] multipliers j) k) (mu k),
        forall k, 0 <= mu k, \sum_k mu k = 1 & combine predT mu kappa = A]
}.

Hypothesis known : cover_known.
Let groups_size := cover_size known.
Let Gamma_gt0 := cover_margin_gt0 known.
Let nu_gt0 := cover_cost_gt0 known.
Let margin_in := cover_margin_in known.
Let cost_in := cover_cost_in known.
Let along_in := cover_along_in known.
Let A_length := cover_length known.
Let A_tight := cover_tight known.
Let groups_in := cover_groups known.
Let multipliers_in := cover_multipliers known.

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

Record leaf_known : Prop := LeafKnown {
  leaf_picks : size (piece_picks p) = m;
  leaf_start : 0 <= real (piece_start p);
  leaf_size : size mus = m;
  leaf_contains : forall k : 'I_m, contains (nth (Everything N) mus k) (mu k);
  leaf_ge0 : forall k, 0 <= mu k;
  leaf_sum : \sum_k mu k = 1;
  leaf_optimal : if optimal then combine predT mu kappa = A else 0 < real (piece_start p);
  leaf_centre : size centre = m;
  leaf_places : all place_ok (places_of p centre)
}.

Hypothesis leaf : leaf_known.
Let picks_size := leaf_picks leaf.
Let start_ge0 := leaf_start leaf.
Let mu_size := leaf_size leaf.
Let mu_in := leaf_contains leaf.
Let mu_ge0 := leaf_ge0 leaf.
Let mu_sum := leaf_sum leaf.
Let mu_optimal := leaf_optimal leaf.
Let centre_size := leaf_centre leaf.
Let places_ok := leaf_places leaf.

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
by apply: leaf_proved H; split.
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
