(* JointPathTables: what the tables of the joint regularisation path (JointPathChecks.v) contain. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Direction Saturation JointModel ExponentialTail JointPath
                           JointPathAttention Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals ForeverChecks
                           JointPathChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Tables.
Variables (N : number) (P : Z) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Notation copies := (copies alpha).
Variables (J : finType) (g : token (problem D) -> vec J).
Notation kappa := (chosen_value g alpha).
Notation delta := (value_difference g alpha).
Implicit Types (t : token (problem D)) (i : data_group D).

Variables (T : joint_tables N) (l : loss_name) (c : joint_constants N).
Notation supports := (known_support T).
Notation labels := (known_labels T).
Notation lengths := (known_lengths T).
Notation excesses := (known_excesses T).
Notation farthest := (known_farthest T).
Notation bests := (known_bests T).
Notation mus := (known_shares T).
Notation Gamma := (known_margin T).
Notation nu := (known_cost T).
Notation gamma := (known_rows T).
Notation plain := (known_plain T).
Notation weights := (known_weights T).
Variables (L : joint_limit (problem D) J) (far best : data_group D -> R).
Notation S := (limit_support L).
Notation u := (limit_ray L).
Notation Gm := (limit_margin L).
Notation mu := (limit_shares L).
Notation cost := (limit_cost L).
Notation n := (limit_attention L).
Notation gm := (limit_rows L).
Notation m := (limit_weights L).
Notation pl := (limit_plain L).
Notation ex := (limit_excess alpha g L).

Record tables_known : Prop := TablesKnown {
  support_known : forall i, S i = nth false supports i;
  labels_known : encloses labels (fun t => dot (delta t) u);
  lengths_known : encloses lengths (fun t => vnorm (delta t));
  excesses_known : @column_encloses N D excesses ex;
  farthest_known : @column_encloses N D farthest far;
  farthest_ge : forall t, vnorm (g t) <= far (group_of t);
  bests_known : @column_encloses N D bests best;
  bests_ge : forall t, Q t -> dot (g t) u <= best (group_of t);
  shares_known : @column_encloses N D mus mu;
  margin_known : contains Gamma Gm;
  cost_known : contains nu cost;
  rows_known : contains gamma gm;
  plain_known : contains plain pl;
  weights_known : encloses weights m;
  weights_off : forall t, ~~ Q t -> m t = 0
}.

Hypothesis known : tables_known.
Let labels_enclose := labels_known known.
Let lengths_enclose := lengths_known known.
Let excesses_enclose := excesses_known known.
Let mus_enclose := shares_known known.
Let Gamma_in := margin_known known.
Let nu_in := cost_known known.
Let gamma_in := rows_known known.
Let plain_in := plain_known known.
Let weights_enclose := weights_known known.

(* ---- tables and columns ---- *)

Notation steepness_in := (steepness_in P D picks T).
Notation total_lengths_in := (total_lengths_in P D picks T).
Notation steepest_in := (steepest_in P D picks T).
Notation longest_in := (longest_in P T).
Notation beta_in := (beta_in P D picks T).
Notation pull_in := (pull_in P T).
Notation path_excess_in := (path_excess_in P c).
Notation window_in := (window_in P c).
Notation reach_in := (reach_in P T c).
Notation tail_spread_in := (tail_spread_in P D l).
Notation picked_column := (picked_column T).
Notation picked_table := (picked_table T).
Notation halved := (halved P).
Notation thetas_of := (thetas_of P T c).
Notation groups_outside_in := (groups_outside_in P T).
Notation grown_in := (grown_in P T c).
Notation seen_in := (seen_in P T).
Notation early_in := (early_in P T l c).
Notation late_in := (late_in P T c).
Notation copied := (copied P D picks T).
Notation supported_mask := (supported_mask D picks T).
Notation group_ok := (group_ok P T c).

Lemma one_half_contains : contains (one_half_in N) (/ 2).
Proof. exact: half_contains. Qed.

Section Columns.
Hypothesis supports_size : size supports = size (sequences D).

Lemma picked_column_encloses b xs F : @column_encloses N D xs F ->
  @column_encloses N D (picked_column b xs) (fun i => if S i == b then F i else 0).
Proof.
case=> sx Hx; apply: (column_map (e0 := (false, Everything N))) => [|i].
  by rewrite size_zip supports_size sx minnn.
by rewrite nth_zip ?supports_size ?sx //= -(support_known known); case: eqP => // _; exact: contains0.
Qed.

Lemma picked_table_encloses b x F : encloses x F ->
  encloses (picked_table b x) (fun t => if S (group_of t) == b then F t else 0).
Proof.
case=> fx Hx; have [/eqP sx _] := andP fx; have sz : size (zip supports x) = size (sequences D).
  by rewrite size_zip supports_size sx minnn.
have row k : (k < size (sequences D))%nat -> nth [::] (picked_table b x) k =
    if nth false supports k == b then nth [::] x k else [seq interval0 N | _ <- nth [::] x k].
  by move=> kl; rewrite (nth_map (false, [::])) ?sz // nth_zip ?supports_size ?sx.
split=> [|t].
  rewrite /fits size_map sz eqxx; apply/(all_nthP ([::], no_sequence N)) => k.
  rewrite size_zip size_map sz minnn => kl; rewrite nth_zip ?size_map ?sz //= row //.
  by case: ifP => _; rewrite ?size_map; apply/eqP; exact: (fits_row fx kl).
rewrite /at_token row ?ltn_ord // (support_known known) /=; case: eqP => _; first exact: Hx.
by rewrite (nth_map (Everything N)) ?(fits_row fx (ltn_ord _)) //; exact: contains0.
Qed.

Lemma steepness_in_encloses : @column_encloses N D steepness_in (steepness alpha g L).
Proof.
have H : encloses (map_rows (imax P (interval0 N)) labels) (fun t => Rmax 0 (dot (delta t) u)).
  by apply: (map_encloses labels_enclose) => t I HI; apply: imax_contains => //; exact: contains0.
have [sc Hc] := group_sums_enclose P (by_copies_encloses P Dok Pok H); split=> // i.
have := Hc i; congr contains; rewrite (group_sum alpha) /steepness.
have -> : delta (alpha i) = vzero by rewrite /value_difference /chosen_value group_of_pick; vec_ring.
by rewrite dot0l Rmax_left; [rewrite Rmult_0_r Rplus_0_l | exact: Rle_refl].
Qed.

Lemma total_lengths_enclose : @column_encloses N D total_lengths_in (total_length alpha g).
Proof.
have [sc Hc] := group_sums_enclose P (by_copies_encloses P Dok Pok lengths_enclose); split=> // i.
have := Hc i; congr contains; rewrite (group_sum alpha) /total_length.
have -> : delta (alpha i) = vzero by rewrite /value_difference /chosen_value group_of_pick; vec_ring.
by rewrite vnorm0 Rmult_0_r Rplus_0_l.
Qed.

Lemma steepest_bound : exists x, [/\ contains steepest_in x, 0 <= x & forall i, S i -> steepness alpha g L i <= x].
Proof.
have [x [Hx x0 le]] := column_largest_contains P (picked_column_encloses true steepness_in_encloses).
by exists x; split=> // i Si; have := le i; rewrite Si eqxx.
Qed.

Lemma longest_bound : exists x, [/\ contains longest_in x, 0 <= x &
  forall t, Q t -> S (group_of t) -> vnorm (delta t) <= x].
Proof.
have [fl Hl] := lengths_enclose; have [/eqP sl _] := andP fl.
have rows (i : data_group D) : exists x, contains (column_largest P (nth [::] lengths i)) x /\
    forall s : 'I_(length_of D i), vnorm (delta (@token_of N D i s)) <= x.
  have [x [Hx _ H]] := largest_contains P (c := nth [::] lengths i)
    (F := fun s : 'I_(length_of D i) => vnorm (delta (@token_of N D i s))) (fits_row fl (ltn_ord i))
    (fun s => Hl (token_of s)).
  by exists x.
have [widest Hfar] := fin_all_exists rows.
have col : @column_encloses N D [seq column_largest P r | r <- lengths] widest.
  by apply: (column_map (e0 := [::])) => // i; have [] := Hfar i.
have [x [Hx x0 le]] := column_largest_contains P (picked_column_encloses true col).
exists x; split=> // -[i s] _ Si; have := le i; rewrite Si eqxx; apply: Rle_trans; have [_ H] := Hfar i; exact: (H s).
Qed.

Lemma beta_bound : exists x, [/\ contains beta_in x, 0 <= x & forall i, ~~ S i ->
  ln (Rmax (steepness alpha g L i) (/ 2 * (ex i)) / (/ 2 * (ex i))) / pl <= x].
Proof.
have halves : @column_encloses N D (halved excesses) (fun i => / 2 * (ex i)).
  by apply: (map_column excesses_enclose) => i I HI; apply: imul_contains => //; exact: one_half_contains.
have col := combine_column (f := fun s h => idiv P (ilog P (idiv P (imax P s h) h)) plain)
  (C := fun i => ln (Rmax (steepness alpha g L i) (/ 2 * (ex i)) /
    (/ 2 * (ex i))) / pl) steepness_in_encloses halves.
have [|x [Hx x0 le]] := column_largest_contains P (picked_column_encloses false (col _)).
  move=> i I K HI HK; apply: idiv_contains => //; apply: ilog_contains; apply: idiv_contains => //.
  exact: imax_contains.
by exists x; split=> // i /negbTE nSi; have := le i; rewrite nSi eqxx.
Qed.

Lemma groups_outside_contains : contains groups_outside_in (groups_outside L).
Proof.
rewrite /groups_outside big_mkcond; apply: (@column_sum_contains N D P _ (fun i => if ~~ S i then 1 else 0)).
apply: (column_map (e0 := false)) => // i; rewrite (support_known known).
by case: (nth _ _ _); [exact: contains0 | exact: contains1].
Qed.

Lemma grown_in_contains B : contains window_in (joint_turn B) ->
  contains (fraction_in P (joint_decoder_from c)) (joint_start B) ->
  contains (grown_in total_lengths_in) (grown alpha g L B).
Proof.
move=> Hb Hr; apply: iadd_contains; last by apply: idiv_contains => //; exact: groups_outside_contains.
have H : @column_encloses N D [seq imul P t (iexp P (imul P window_in t)) | t <- total_lengths_in]
    (fun i => total_length alpha g i * exp (joint_turn B * total_length alpha g i)).
  apply: (map_column total_lengths_enclose) => i I HI; apply: imul_contains => //.
  by apply: iexp_contains; exact: imul_contains.
have := column_sum_contains P (picked_column_encloses true H); congr contains.
by rewrite [RHS]big_mkcond; apply: eq_bigr => i _; rewrite eqb_id.
Qed.

Lemma copied_encloses xs F : @column_encloses N D xs F ->
  encloses (copied xs) (fun t => copies t * F (group_of t)).
Proof.
move=> H; apply: by_copies_encloses => //.
exact: (spread_column_encloses H labels_enclose (G := fun t => F (group_of t)) (fun t I K HI _ => HI)).
Qed.
End Columns.

Lemma supported_mask_spec : size supports = size (sequences D) -> fits D supported_mask /\
  forall t, Q t -> S (group_of t) -> in_mask supported_mask t.
Proof.
move=> ss; have fk := fits_constraint_mask Pok; have [/eqP sk _] := andP fk.
have sz : size (zip supports (constraint_mask D picks)) = size (sequences D) by rewrite size_zip ss sk minnn.
have row k : (k < size (sequences D))%nat -> nth [::] supported_mask k =
    [seq nth false supports k && a | a <- nth [::] (constraint_mask D picks) k].
  by move=> kl; rewrite (nth_map (false, [::])) ?sz // nth_zip ?ss ?sk.
split=> [|t Qt St].
  rewrite /fits size_map sz eqxx; apply/(all_nthP ([::], no_sequence N)) => k.
  rewrite size_zip size_map sz minnn => kl; rewrite nth_zip ?size_map ?sz //= row // size_map.
  by apply/eqP; exact: (fits_row fk kl).
rewrite /in_mask /at_token row ?ltn_ord // (nth_map false) ?(fits_row fk (ltn_ord _)) //.
have -> : nth false supports (tag (t : data_token D)) by rewrite -(support_known known).
by rewrite -/(at_token false _ t) -/(in_mask _ t) (in_constraint_mask Pok) Qt andbT.
Qed.

Lemma held_group t : m t <> 0 -> has (fun I => ~~ is_zero I) (nth [::] weights (tag (t : data_token D))).
Proof.
have [fw Hw] := weights_enclose; move=> mt; apply/(has_nthP (Everything N)).
exists (tagged (t : data_token D)); first by rewrite (fits_row fw (ltn_ord _)).
by apply/negP => /(is_zero_real (Hw t)) /mt.
Qed.
End Tables.
