(* TokenPlaces: where the tokens of one-hot sentences stand in W, and the outputs that are next to them.

   A token x of a sentence with query q touches the entry (x, q) of W alone. Entries are kept in a tree, each as an
   interval that contains the exact one; 0 where nothing was put. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Gradient Heads Direction Saturation Iteration HeadRuns TokenHead Number Rows
                           TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals ReferenceIntervals UnitRows.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- trees of intervals, 0 where nothing was put ---- *)

Section Trees.
Variable N : number.

Inductive tree := Leaf | Node (low : tree) (value : interval N) (high : tree).

Definition low_of T := if T is Node l _ _ then l else Leaf.
Definition value_of T := if T is Node _ v _ then v else interval0 N.
Definition high_of T := if T is Node _ _ h then h else Leaf.

Fixpoint tree_at (k : positive) (T : tree) : interval N :=
  match T, k with
  | Leaf, _ => interval0 N
  | Node _ v _, xH => v
  | Node l _ _, xO k' => tree_at k' l
  | Node _ _ h, xI k' => tree_at k' h
  end.

Fixpoint tree_with (f : interval N -> interval N) (k : positive) (T : tree) : tree :=
  match k with
  | xH => Node (low_of T) (f (value_of T)) (high_of T)
  | xO k' => Node (tree_with f k' (low_of T)) (value_of T) (high_of T)
  | xI k' => Node (low_of T) (value_of T) (tree_with f k' (high_of T))
  end.

Lemma leaf_at k : tree_at k Leaf = interval0 N.
Proof. by case: k. Qed.

Lemma tree_at_with f k T j : tree_at j (tree_with f k T) = if Pos.eqb j k then f (tree_at j T) else tree_at j T.
Proof. by elim: k T j => [k IH|k IH|] [|l v h] [j|j|] //=; rewrite ?IH ?leaf_at. Qed.
End Trees.
Arguments Leaf {N}.

(* ---- tokens and pairs ---- *)

Section Places.
Variables (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat)).
Notation d := (left_dimension D).

Definition token_places : seq (seq (option nat)) :=
  [seq [seq unit_place (token_unit D) row | row <- token_rows q] | q <- sequences D].

(* What a pair says is next to a token. *)
Definition next_in (x : nat) : option nat :=
  if [seq a.2 | a <- pairs & (a.1 == x)%nat] is u :: _ then Some u else None.

Definition key (q x : nat) : positive := Z.to_pos (Z.succ (Z.of_nat q * Z.of_nat d + Z.of_nat x)).

Definition place_table : seq (seq nat) := [seq [seq odflt 0%nat a | a <- r] | r <- token_places].
Definition query_column : seq nat := [seq odflt 0%nat a | a <- query_places D].
Definition key_table : seq (seq positive) := [seq [seq key a.1 x | x <- a.2] | a <- zip query_column place_table].
Definition paired_table : seq (seq bool) := map_rows (fun x => isSome (next_in x)) place_table.

Definition one_to_one : bool := all (fun a => all (fun b => (a.1 == b.1) == (a.2 == b.2)) pairs) pairs.

(* Rows and queries are unit vectors, those of a group different; the selected tokens have a next one, and what is next
   is an output. *)
Definition token_stage_ok : bool :=
  [&& all (all isSome) (token_places), all isSome (query_places D), all uniq place_table,
      one_to_one & all (fun a => a.2 < d)%nat pairs] &&
  all (fun rp => isSome (next_in (nth 0%nat rp.1 rp.2))) (zip place_table picks).

(* Of a token, and of a group. *)
Definition token_place (t : token (problem D)) : nat := at_token 0%nat place_table t.
Definition query_place (i : group (problem D)) : nat := nth 0%nat query_column (i : data_group D).
Definition next_token (t : token (problem D)) : option 'I_d := obind insub (next_in (token_place t)).
End Places.

Section Sound.
Variables (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat)).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks) (Sok : token_stage_ok D picks pairs).
Let alpha : selection (problem D) := selection_of Pok.
Notation d := (left_dimension D).
Notation e := (right_dimension D).
Notation next := (next_token pairs).
Implicit Types (t : token (problem D)) (i : group (problem D)).

Lemma fits_places : fits D (token_places D).
Proof.
by rewrite /fits /token_places size_map eqxx /=; elim: (sequences D) => //= q qs IH; rewrite size_map eqxx IH.
Qed.

Lemma fits_place_table : fits D (place_table D).
Proof. exact: (fits_map (odflt 0%nat) fits_places). Qed.

Lemma token_placeP t (j : 'I_d) : x (t : data_token D) j = if (j == token_place t :> nat)%nat then 1 else 0.
Proof.
have /andP[/and5P[/(all_nthP [::]) known _ _ _ _] _] := Sok.
apply: (unit_token Dok); rewrite /token_place (at_token_map None) ?fits_places //.
have il := ltn_ord (tag (t : data_token D)); have [/eqP sp _] := andP fits_places.
have := known (tag (t : data_token D)); rewrite sp il => /(_ isT) /(all_nthP None)/(_ (tagged (t : data_token D))).
rewrite (fits_row fits_places il) ltn_ord => /(_ isT).
rewrite /at_token (nth_map (no_sequence N)) // (nth_map [::]) //.
by case: unit_place.
Qed.

Lemma query_placeP i : (query_place i < e)%nat /\
  forall k : 'I_e, z (i : data_group D) k = if (k == query_place i :> nat)%nat then 1 else 0.
Proof.
have /andP[/and5P[_ /(all_nthP None) known _ _ _] _] := Sok; have il := ltn_ord (i : data_group D).
apply: (unit_query Dok); have := known (i : data_group D); rewrite size_map il => /(_ isT).
rewrite /query_place (nth_map None) ?size_map // (nth_map (no_sequence N)) //.
by case: unit_place.
Qed.

Lemma token_place_lt t : (token_place t < d)%nat.
Proof.
have /andP[/and5P[/(all_nthP [::]) known _ _ _ _] _] := Sok.
have il := ltn_ord (tag (t : data_token D)); have [/eqP sp _] := andP fits_places.
have := known (tag (t : data_token D)); rewrite sp il => /(_ isT) /(all_nthP None)/(_ (tagged (t : data_token D))).
rewrite (fits_row fits_places il) ltn_ord => /(_ isT).
rewrite /token_place (at_token_map None) ?fits_places // /at_token (nth_map (no_sequence N)) //.
rewrite (nth_map [::]); last exact: ltn_ord.
have /and4P[/(all_nthP [::]) sizes _ _ _] := sequences_ok Dok il.
case E: unit_place => [k|] // _ /=; have /eqP <- := sizes _ (ltn_ord (tagged (t : data_token D))).
by apply: unit_place_lt E; have := token_unit_gt0 Dok; lra.
Qed.

Definition token_coordinate t : coord (problem D) :=
  (Ordinal (token_place_lt t), Ordinal (proj1 (query_placeP (group_of t)))).

Lemma place_feature t jk : feature t jk = if jk == token_coordinate t then 1 else 0.
Proof.
case: jk => j k; rewrite /= /outer token_placeP (proj2 (query_placeP (group_of t))) /token_coordinate xpair_eqE.
have -> : (j == Ordinal (token_place_lt t)) = (j == token_place t :> nat)%nat by [].
have -> : (k == Ordinal (proj1 (query_placeP (group_of t)))) = (k == query_place (group_of t) :> nat)%nat by [].
by case: (j == _ :> nat)%nat; case: (k == _ :> nat)%nat => /=; ring.
Qed.

Lemma token_logit_entry (w : vec (coord (problem D))) t : logit w t = w (token_coordinate t).
Proof.
rewrite /logit /dot (bigD1 (token_coordinate t)) // place_feature eqxx Rmult_1_l -[RHS]Rplus_0_r; congr (_ + _).
by rewrite big1 // => jk /andP[_ /negbTE E]; rewrite place_feature E; exact: Rmult_0_l.
Qed.

(* ---- outputs ---- *)

Lemma next_pair x u : next_in pairs x = Some u -> (x, u) \in pairs.
Proof.
rewrite /next_in; case E: [seq a.2 | a <- pairs & (a.1 == x)%nat] => [|v r] // -[vu]; subst v.
have : u \in [seq a.2 | a <- pairs & (a.1 == x)%nat] by rewrite E mem_head.
by case/mapP=> -[x' u']; rewrite mem_filter /= => /andP[/eqP -> xu ->].
Qed.

Lemma next_isSome t : isSome (next t) = isSome (next_in pairs (token_place t)).
Proof.
rewrite /next_token; case E: next_in => [u|] //=; have /andP[/and5P[_ _ _ _ /allP outs] _] := Sok.
by have := outs _ (next_pair E); rewrite /= => ud; rewrite insubT.
Qed.

Lemma next_apart t t' (u : 'I_d) : group_of t = group_of t' -> next t = Some u -> next t' = Some u -> t = t'.
Proof.
have pair s : next s = Some u -> (token_place s, u : nat) \in pairs.
  rewrite /next_token; case E: next_in => [v|] //=; case: insubP => // u' _ vE [<-].
  by rewrite vE; exact: next_pair.
have /andP[/and5P[_ _ /(all_nthP [::]) different /allP once _] _] := Sok.
move=> g /pair m /pair m'; have /allP/(_ _ m')/eqP := once _ m; rewrite /= eqxx => /eqP E.
move: g E; case: t m => i s m; case: t' m' => [i' s'] m' /= g; subst i'; rewrite /token_place /at_token /= => E.
have il := ltn_ord (i : data_group D); have [/eqP sp _] := andP fits_place_table.
have := different i; rewrite sp il => /(_ isT) un.
have sl : size (nth [::] (place_table D) i) = length_of D i by exact: fits_row fits_place_table il.
congr existT; apply: val_inj; apply/eqP.
by rewrite -(nth_uniq 0%nat _ _ un) ?sl ?ltn_ord // E.
Qed.

Lemma chosen_has_next i : isSome (next (alpha i)).
Proof.
rewrite next_isSome; have /andP[_ /(all_nthP ([::], 0%nat)) chosen] := Sok.
have [/eqP sp _] := andP Pok; have [/eqP st _] := andP fits_place_table; have il := ltn_ord (i : data_group D).
by have := chosen (i : data_group D); rewrite size_zip st sp minnn il nth_zip ?st ?sp //= => /(_ isT).
Qed.

(* The output that a group's sentence wants. *)
Definition wanted_output i : 'I_d :=
  odflt (Ordinal (token_place_lt (alpha i))) (next (alpha i)).

Lemma chosen_wanted i : next (alpha i) = Some (wanted_output i).
Proof. by rewrite /wanted_output; case: (next _) (chosen_has_next i). Qed.

(* ---- keys ---- *)

Lemma key_inj q x q' x' : (x < d)%nat -> (x' < d)%nat -> key D q x = key D q' x' -> q = q' /\ x = x'.
Proof.
move=> /ltP xd /ltP xd' /(f_equal Zpos).
have X : (0 <= Z.of_nat x < Z.of_nat d)%Z by lia.
have X' : (0 <= Z.of_nat x' < Z.of_nat d)%Z by lia.
have pos a b : (0 < Z.succ (Z.of_nat a * Z.of_nat d + Z.of_nat b))%Z by have := Z.mul_nonneg_nonneg (Z.of_nat a)
  (Z.of_nat d) (Zle_0_nat _) (Zle_0_nat _); have := Zle_0_nat b; lia.
rewrite /key !Z2Pos.id // => /Z.succ_inj; rewrite !(Z.mul_comm _ (Z.of_nat d)) => E.
by have [E1 E2] := Z.div_mod_unique _ _ _ _ _ (or_introl X) (or_introl X') E; split; exact: Nat2Z.inj.
Qed.

Definition coordinate_key (jk : coord (problem D)) : positive := key D jk.2 jk.1.

Lemma coordinate_key_inj jk jk' : coordinate_key jk = coordinate_key jk' -> jk = jk'.
Proof.
case: jk jk' => [j k] [j' k'] /(key_inj (ltn_ord _) (ltn_ord _)) /= [E1 E2].
by congr pair; apply: val_inj.
Qed.

Lemma fits_keys : fits D (key_table D).
Proof.
have [/eqP sp rows] := andP fits_place_table; have sq : size (query_column D) = size (sequences D) by rewrite !size_map.
rewrite /fits /key_table size_map size_zip sq sp minnn eqxx /=.
elim: (sequences D) (query_column D) (place_table D) sq sp rows => [|s qs IH] [|q c] [|r m] //= [sq] [sp] /andP[E H].
by rewrite size_map E IH.
Qed.

Lemma key_at t : at_token xH (key_table D) t = coordinate_key (token_coordinate t).
Proof.
have [/eqP sp _] := andP fits_place_table; have sq : size (query_column D) = size (sequences D) by rewrite !size_map.
have il := ltn_ord (tag (t : data_token D)).
rewrite /at_token /key_table (nth_map (0%nat, [::])) ?size_zip ?sq ?sp ?minnn // nth_zip ?sq ?sp //=.
by rewrite (nth_map 0%nat) ?(fits_row fits_place_table il) ?ltn_ord.
Qed.
End Sound.
