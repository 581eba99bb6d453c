(* TokenReplay: a step of the attention stage of one-hot sentences, W_ov frozen (NEXT_TOKEN.md section 7), enclosed by
   its definition, in tables of a number for each token, from the entries of W. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Gradient Heads Direction Saturation Iteration HeadRuns TokenHead Number Rows
                           TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals ReferenceIntervals UnitRows TokenPlaces.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section TokenReplay.
Variables (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat)) (P : Z).
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation table := (seq (seq interval)).
Notation d := (left_dimension D).
Variable scale : interval.   (* c *)

(* ---- what is the same at every step ---- *)

Record token_rows_of := TokenRows {
  row_keys : seq (seq positive);       (* of W's entries *)
  row_mask : seq (seq bool);           (* the tokens that are not selected *)
  row_paired : seq (seq bool);         (* of these, those that have a next one *)
  row_free : seq interval              (* how many outputs no token of the group has next *)
}.

Definition token_rows_made : token_rows_of :=
  let mask := constraint_mask D picks in
  let paired := paired_table D pairs in
  let keys := key_table D in
  TokenRows keys mask (map_rows (fun ab => ab.1 && ab.2) (zip_rows mask paired))
    [seq exactly (sub (of_natural N d) (of_natural N (count (fun b : bool => b) r))) | r <- paired].

Variable rows : token_rows_of.

(* ---- tables ---- *)

Definition picked (m : table) : seq interval := [seq nth anything a.1 a.2 | a <- zip m picks].

Definition entries_table (T : tree N) : table := map_rows (fun k => tree_at k T) (row_keys rows).

(* Exactly 0 for the selected token. *)
Definition lead_table (m : table) : table :=
  within (row_mask rows) (interval0 N) (spread_column (isub P) (picked m) m).

Record token_look := TokenLook {
  look_attention : table;
  look_off : seq interval;      (* what is not on the selected tokens *)
  look_chosen : seq interval    (* what is *)
}.

Definition look_from (T : tree N) : token_look :=
  let s := attention_table D P (lead_table (entries_table T)) in
  TokenLook s (group_sums P (within (row_mask rows) (interval0 N) s)) (picked s).

(* psi - psi-bar over c times the attention, of the tokens that are not selected. *)
Definition omega_rows (v : token_look) : table :=
  let s := look_attention v in
  let tops := [seq iexp P (iopp (imul P scale a)) | a <- look_chosen v] in
  let powers := within (row_paired rows) (interval0 N)
    (spread_column (fun top a => imul P (iexp P (imul P scale a)) top) tops s) in
  let odds := combine_columns (iadd P) (group_sums P powers) (combine_columns (imul P) (row_free rows) tops) in
  let shares := spread_column (fun o q => idiv P q (iadd P (interval1 N) o)) odds powers in
  let wrong := [seq if is_positive o then idiv P (interval1 N) (iadd P (interval1 N) (idiv P (interval1 N) o))
                    else idiv P o (iadd P (interval1 N) o) | o <- odds] in
  let rise := combine_columns (isub P) (combine_columns (imul P) (look_chosen v) wrong)
    (group_sums P (combine_tables (imul P) s shares)) in
  within (row_mask rows) (interval0 N) (combine_tables (imul P) s (spread_column (iadd P) rise shares)).

(* What the features of tokens are multiplied by in the direction of a step. *)
Definition pull_rows (v : token_look) : table :=
  let omega := omega_rows v in
  let pulled := spread_column (fun a _ => a) (group_sums P omega) omega in
  map_rows (fun x => if x.1 then iopp x.2.1 else x.2.2) (zip_rows (row_mask rows) (zip_rows omega pulled)).

End TokenReplay.

Section Soundness.
Variables (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat)) (P : Z).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks) (Sok : token_stage_ok D picks pairs).
Let alpha : selection (problem D) := selection_of Pok.
Notation anything := (@Everything N).
Notation d := (left_dimension D).
Notation rows := (token_rows_made D picks pairs).
Implicit Types (t : token (problem D)) (i : group (problem D)) (w : vec (coord (problem D))).
Variables (scale : interval N) (c : R).
Hypotheses (scale_in : contains scale c) (c_gt0 : 0 < c).

Notation next := (@next_token N D pairs).
Notation wanted := (wanted_output Dok Pok Sok).
Definition stage_head : head (problem D) := token_head next wanted c.
Notation place := (token_coordinate Dok Sok).

Definition entries_enclose (T : tree N) w : Prop := forall jk, contains (tree_at (coordinate_key jk) T) (w jk).

Lemma picked_encloses m (F : token (problem D) -> R) : encloses m F ->
  column_encloses (picked picks m) (fun i => F (alpha i)).
Proof.
case=> fm Hm; have [/eqP sm _] := andP fm; have [/eqP sp _] := andP Pok.
split=> [|i]; first by rewrite size_map size_zip sm sp minnn.
by rewrite (nth_map ([::], 0%nat)) ?size_zip ?sm ?sp ?minnn ?ltn_ord // nth_zip ?sm ?sp //; exact: (Hm (alpha i)).
Qed.

Lemma entries_table_encloses T w : entries_enclose T w -> encloses (entries_table rows T) (logit w).
Proof.
move=> HT; apply: (encloses_map (e0 := xH)) => [|t]; first exact: fits_keys.
by rewrite (key_at Dok Sok) (token_logit_entry Dok Sok); exact: HT.
Qed.

Lemma lead_table_encloses m w : encloses m (logit w) -> encloses (lead_table picks P rows m) (margin alpha w).
Proof.
move=> Hm; have [fs Hs] : encloses (spread_column (isub P) (picked picks m) m) (margin alpha w).
  apply: (spread_column_encloses (picked_encloses Hm) Hm) => t I J HI HJ.
  by rewrite margin_logit; exact: isub_contains.
have [fl Hl] := within_encloses (fits_constraint_mask Pok) (contains0 N) fs (fun t _ => Hs t).
split=> // t; have := Hl t; rewrite (in_constraint_mask Pok); case: ifPn => // /not_constraint E.
by rewrite margin_logit /selected -E (_ : logit w t - logit w t = 0) //; ring.
Qed.

Section AtPoint.
Variables (T : tree N) (w : vec (coord (problem D))).
Hypothesis entries_in : entries_enclose T w.
Let v := look_from D picks P rows T.
Notation s := (attention w).

Lemma look_attention_encloses : encloses (look_attention v) s.
Proof. exact: attention_table_encloses Dok Pok _ _ (lead_table_encloses (entries_table_encloses entries_in)). Qed.

Let fits_mask : fits D (row_mask rows) := fits_constraint_mask Pok.

Lemma masked_encloses m (F : token (problem D) -> R) : fits D m ->
  (forall t, constraint alpha t -> contains (at_token anything m t) (F t)) ->
  encloses (within (row_mask rows) (interval0 N) m) (fun t => if constraint alpha t then F t else 0).
Proof.
move=> fm Hm; have := within_encloses fits_mask (contains0 N) fm (F := F); rewrite /row_mask /= => H.
have -> : (fun t => if constraint alpha t then F t else 0) =
    (fun t => if in_mask (constraint_mask D picks) t then F t else 0).
  by apply: FunctionalExtensionality.functional_extensionality => t; rewrite (in_constraint_mask Pok).
by apply: H => t it; apply: Hm; rewrite -(in_constraint_mask Pok).
Qed.

Lemma others_sum (F : token (problem D) -> R) i :
  \sum_(t | group_of t == i) (if constraint alpha t then F t else 0) = \sum_(t | others alpha i t) F t.
Proof.
rewrite [RHS]big_mkcond [LHS]big_mkcond; apply: eq_bigr => t _; rewrite /others.
by case: (constraint alpha t); case: (group_of t == i).
Qed.

Lemma look_off_encloses : column_encloses (look_off v) (fun i => 1 - s (alpha i)).
Proof.
have [fs Hs] := look_attention_encloses; have [sz H] := group_sums_enclose P (masked_encloses fs (fun t _ => Hs t)).
by split=> // i; have := H i; rewrite others_sum -(attention_deficit_sum alpha).
Qed.

Lemma look_chosen_encloses : column_encloses (look_chosen v) (fun i => s (alpha i)).
Proof. exact: picked_encloses look_attention_encloses. Qed.

(* ---- T1's weights ---- *)

Let paired t : bool := isSome (next t).

Lemma fits_paired : fits D (row_paired rows).
Proof. by apply: fits_map; apply: fits_zip => //; apply: fits_map; exact: fits_place_table. Qed.

Lemma in_paired t : in_mask (row_paired rows) t = constraint alpha t && paired t.
Proof.
have fp : fits D (paired_table D pairs) by apply: fits_map; exact: fits_place_table.
rewrite /in_mask (at_token_map (false, false)); last exact: fits_zip.
rewrite at_token_zip // /paired -[at_token false (constraint_mask D picks) t]/(in_mask (constraint_mask D picks) t).
rewrite (in_constraint_mask Pok) (next_isSome Sok); congr (_ && _).
by rewrite (at_token_map 0%nat) //; exact: fits_place_table.
Qed.

Lemma count_sum (r : seq bool) : INR (count (fun b : bool => b) r) =
  \sum_(k < size r) (if nth false r k then 1 else 0).
Proof. by elim: r => [|b r IH]; rewrite ?big_ord0 // big_ord_recl /= plus_INR IH; case: b. Qed.

Definition free_outputs i : R := INR #|[finType of 'I_d]| - INR #|[pred t | (group_of t == i) && isSome (next t)]|.

Lemma free_sum i : INR #|[pred t | (group_of t == i) && isSome (next t)]| =
  \sum_(t | group_of t == i) (if isSome (next t) then 1 else 0).
Proof.
rewrite -(@sum1_card _ (mem [pred t | (group_of t == i) && isSome (next t)]))
  (big_morph INR plus_INR (erefl (INR 0))).
by rewrite -big_mkcondr; apply: eq_bigl => t; rewrite inE.
Qed.

Lemma free_encloses : column_encloses (row_free rows) free_outputs.
Proof.
have fp : fits D (paired_table D pairs) by apply: fits_map; exact: fits_place_table.
have [/eqP sp _] := andP fp; split=> [|i]; first by rewrite size_map.
rewrite (nth_map [::]) ?sp ?ltn_ord //.
set r := nth [::] (paired_table D pairs) i.
have -> : free_outputs i = real (sub (of_natural N d) (of_natural N (count (fun b : bool => b) r))).
  rewrite realB !of_natural_real /free_outputs card_ord free_sum count_sum (fits_row fp (ltn_ord _)); congr (_ - _).
  rewrite (sum_group (D := D)); apply: eq_bigr => k _; rewrite (next_isSome Sok).
  have -> : nth false r k = at_token false (paired_table D pairs) (token_of k) by [].
  by rewrite (at_token_map 0%nat) //; exact: fits_place_table.
exact: exactly_contains.
Qed.

Definition only_paired (F : token (problem D) -> R) t : R := if in_mask (row_paired rows) t then F t else 0.

Lemma only_paired_sum F i : \sum_(t | group_of t == i) only_paired F t =
  \sum_(t | others alpha i t) (if next t is Some _ then F t else 0).
Proof.
rewrite -others_sum; apply: eq_bigr => t _; rewrite /only_paired in_paired /paired.
by case: (constraint alpha t) => //=; case: (next t).
Qed.

Lemma paired_table_encloses f col (C : group (problem D) -> R) F : column_encloses (D := D) col C ->
  (forall t I J, contains I (C (group_of t)) -> contains J (s t) -> contains (f I J) (F t)) ->
  encloses (within (row_paired rows) (interval0 N) (spread_column f col (look_attention v))) (only_paired F).
Proof.
move=> Hc Hf; have [ft Ht] := spread_column_encloses Hc look_attention_encloses Hf.
by apply: (within_encloses fits_paired (contains0 N) ft) => t _; exact: Ht.
Qed.

Notation power := (other_power next c alpha).
Notation odds := (token_odds next c alpha).
Notation share := (next_share next c).

Let top i : R := exp (- (c * s (alpha i))).
Let tops := [seq iexp P (iopp (imul P scale a)) | a <- look_chosen v].
Lemma token_tops_enclose : column_encloses tops top.
Proof.
apply: (map_column look_chosen_encloses) => i I HI; apply: iexp_contains; apply: iopp_contains; exact: imul_contains.
Qed.

Let powers := within (row_paired rows) (interval0 N)
  (spread_column (fun top a => imul P (iexp P (imul P scale a)) top) tops (look_attention v)).
Lemma powers_enclose : encloses powers (only_paired (fun t => exp (c * s t) * top (group_of t))).
Proof.
apply: (paired_table_encloses token_tops_enclose) => t I J HI HJ; apply: imul_contains => //.
by apply: iexp_contains; exact: imul_contains.
Qed.

Let odds_in := combine_columns (iadd P) (group_sums P powers) (combine_columns (imul P) (row_free rows) tops).
Lemma odds_enclose : column_encloses odds_in (fun i => odds i s).
Proof.
have free := combine_column (f := imul P) (C := fun i => free_outputs i * top i) free_encloses token_tops_enclose
  (fun i I J HI HJ => imul_contains P HI HJ).
apply: (combine_column (group_sums_enclose P powers_enclose) free) => i I J HI HJ.
rewrite only_paired_sum in HI; rewrite /token_odds.
have -> : \sum_(t | others alpha i t) power i s t =
    \sum_(t | others alpha i t) (if next t is Some _ then exp (c * s t) * top (group_of t) else 0).
  by apply: eq_bigr => t /andP[_ /eqP ti]; rewrite /other_power /top ti.
exact: iadd_contains.
Qed.

Let apart := next_apart (D := D) (pairs := pairs) Sok.
Let chosen := chosen_wanted Dok Pok Sok.

Let shares := spread_column (fun o q => idiv P q (iadd P (interval1 N) o)) odds_in powers.
Lemma shares_enclose : encloses shares (fun t => if constraint alpha t then share (group_of t) s t else 0).
Proof.
apply: (spread_column_encloses odds_enclose powers_enclose) => t I J HI HJ.
have -> : (if constraint alpha t then share (@group_of (problem D) t) s t else 0) =
    only_paired (fun t => exp (c * s t) * top (group_of t)) t / (1 + odds (@group_of (problem D) t) s).
  rewrite /only_paired in_paired /paired; case: (constraint alpha t); last by rewrite /Rdiv Rmult_0_l.
  rewrite /= (next_share_odds c apart chosen) // /other_power; case: (next t) => [u|] //=.
apply: idiv_contains => //; apply: iadd_contains => //; exact: contains1.
Qed.

Let wrong := [seq if is_positive o then idiv P (interval1 N) (iadd P (interval1 N) (idiv P (interval1 N) o))
                  else idiv P o (iadd P (interval1 N) o) | o <- odds_in].
Lemma wrong_encloses : column_encloses wrong
  (fun i => 1 - ClassifierHead.class_share (sentence_logit next c) i s (wanted i)).
Proof.
apply: (map_column odds_enclose) => i I HI; rewrite (chosen_share_odds c apart chosen).
have o := token_odds_gt c apart chosen i s; have one := @contains1 N.
case: ifP => [/(is_positive_real HI) o0 | _].
  have -> : odds i s / (1 + odds i s) = 1 / (1 + 1 / odds i s) by field; lra.
  by do 2!(apply: idiv_contains => //; try apply: iadd_contains => //).
by apply: idiv_contains => //; exact: iadd_contains.
Qed.

Lemma rise_sum i : token_rise next wanted c alpha i s =
  s (alpha i) * (1 - ClassifierHead.class_share (sentence_logit next c) i s (wanted i)) -
  \sum_(t | group_of t == i) s t * (if constraint alpha t then share (group_of t) s t else 0).
Proof.
rewrite /token_rise -others_sum; congr (_ - _); apply: eq_bigr => t /eqP ti; rewrite ti.
by case: (constraint alpha t) => //; ring.
Qed.

Let rising t : R := s t * (token_rise next wanted c alpha (group_of t) s + share (group_of t) s t).

Theorem omega_rows_enclose : encloses (omega_rows P scale rows v)
  (fun t => if constraint alpha t then rising t else 0).
Proof.
have rise : column_encloses (combine_columns (isub P) (combine_columns (imul P) (look_chosen v) wrong)
    (group_sums P (combine_tables (imul P) (look_attention v) shares)))
    (fun i => token_rise next wanted c alpha i s).
  have left := combine_column look_chosen_encloses wrong_encloses (fun i I J HI HJ => imul_contains P HI HJ).
  have terms := combine_encloses look_attention_encloses shares_enclose (fun t I J HI HJ => imul_contains P HI HJ).
  apply: (combine_column left (group_sums_enclose P terms)) => i I J HI HJ.
  rewrite rise_sum.
  exact: isub_contains.
have sums := spread_column_encloses rise shares_enclose (G := fun t => token_rise next wanted c alpha (group_of t) s +
  (if constraint alpha t then share (group_of t) s t else 0)) (fun t I J HI HJ => iadd_contains P HI HJ).
have [fo Ho] := combine_encloses look_attention_encloses sums (fun t I J HI HJ => imul_contains P HI HJ).
by apply: (masked_encloses fo) => t Qt; have := Ho t; rewrite Qt.
Qed.

(* ---- the direction ---- *)

(* What the token's feature is multiplied by in -grad L, but for c/n. *)
Definition pull_at t : R := if constraint alpha t then - rising t else \sum_(u | others alpha (group_of t) u) rising u.

Lemma pull_rows_enclose : encloses (pull_rows P scale rows v) pull_at.
Proof.
rewrite /pull_rows; have := omega_rows_enclose; move: (omega_rows P scale rows v) => om O; have [fo Ho] := O.
have [fp Hp] := spread_column_encloses (f := fun a _ => a)
  (G := fun t => \sum_(u | group_of u == group_of t) (if constraint alpha u then rising u else 0))
  (group_sums_enclose P O) O (fun t I J HI HJ => HI).
have inm t : in_mask (row_mask rows) t = constraint alpha t := in_constraint_mask Pok t.
move: (spread_column _ _ _) fp Hp => pulled fp Hp; move: (row_mask rows) fits_mask inm => mask fm inm.
have fz := fits_zip fo fp; apply: (encloses_map (e0 := (false, (anything, anything)))); first exact: fits_zip.
move=> t; have := Ho t; have := Hp t; rewrite others_sum.
rewrite (@at_token_zip N D _ _ false (anything, anything) mask _ t fm fz).
rewrite (@at_token_zip N D _ _ anything anything om pulled t fo fp) /pull_at -(inm t) /in_mask.
by case: (at_token false mask t) => // HI HJ; exact: iopp_contains.
Qed.

Theorem pull_direction : (- head_gradient stage_head w)%V =
  (/ INR (size (sequences D)) * c * combine predT pull_at (@feature (problem D)))%V.
Proof.
rewrite (head_gradient_constraints alpha); apply: vec_ext => jk; rewrite /vscale /combine sum_mull.
rewrite (partition_big (@group_of (problem D)) predT) // [RHS](partition_big (@group_of (problem D)) predT) //.
apply: eq_bigr => i _; set K := / INR _ * c.
have all_in (F : token (problem D) -> R) : \sum_(t | predT t && (group_of t == i)) F t = \sum_(t | group_of t == i) F t.
  by [].
rewrite all_in (group_sum alpha).
have -> : pull_at (alpha i) = \sum_(u | others alpha i u) rising u.
  rewrite /pull_at (group_of_pick alpha); have -> : constraint alpha (alpha i) = false => //.
  by rewrite /constraint selected_pick eqxx.
rewrite sum_mulr sum_mull -sumD; apply: eq_bigr => t ti.
have [Qt /eqP g] := andP ti; have -> : Delta alpha t jk = feature (alpha i) jk - feature t jk.
  by rewrite /Delta /vsub /selected g.
rewrite /stage_head (token_omega c apart chosen w Qt) /pull_at Qt /rising g.
have -> : weight (s := problem D) i = / INR (size (sequences D)) by rewrite /weight /= /mean_weight card_ord.
by rewrite -/alpha /K; ring.
Qed.
End AtPoint.
End Soundness.
