(* IntervalTables: intervals for families of real numbers over the tokens and the groups of token data.

   A table has one interval for each token, a column one for each group; encloses and column_encloses say which
   families of real numbers they contain. The operations here (entrywise, along rows, sums over groups and over
   everything) preserve that, so that a formula over tokens and groups is enclosed by writing it down once more. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Sums.
Variables (N : number) (P : Z).

Definition isum (r : seq (interval N)) : interval N := foldr (iadd P) (interval0 N) r.

Lemma isum_contains (r : seq (interval N)) n (F : 'I_n -> R) : size r = n ->
  (forall j : 'I_n, contains (nth (Everything N) r j) (F j)) -> contains (isum r) (\sum_(j < n) F j).
Proof.
elim: r n F => [|I r IH] [|n] F //= E H; first by rewrite big_ord0; exact: contains0.
rewrite big_ord_recl; apply: iadd_contains; first exact: (H ord0).
by apply: IH => [|j]; [case: E | exact: (H (lift ord0 j))].
Qed.

(* How many entries a list has, as a number. *)
Definition count_of (A : Type) (s : seq A) : N := foldr (fun _ c => add c one) zero s.

Lemma count_of_real A (s : seq A) : real (count_of s) = INR (size s).
Proof.
by elim: s => [|a s IH]; rewrite ?real0 // [count_of _]/= realD IH real1 [size _]/= S_INR.
Qed.

(* [-x, x] for the upper end x: what is at most x in absolute value. *)
Definition symmetric (I : interval N) : interval N :=
  if I is Between _ hi e then Between (opp hi) hi e else Everything N.

Lemma symmetric_contains I (x d : R) : contains I x -> Rabs d <= x -> contains (symmetric I) d.
Proof.
case: I => // lo hi e /= [_ h] le; have a := Rle_abs d; have := Rle_abs (- d); rewrite Rabs_Ropp => b.
by rewrite realN Ropp_mult_distr_l_reverse; lra.
Qed.
End Sums.

Section Tables.
Variables (N : number) (D : token_data N) (P : Z).
Notation interval := (interval N).
Implicit Types (F G H : token (problem D) -> R) (A B C : data_group D -> R) (I J : interval).
Implicit Types (m : seq (seq interval)) (c : seq interval).

Definition encloses m F : Prop := fits D m /\ forall t, contains (at_token (Everything N) m t) (F t).
Definition column_encloses c C : Prop :=
  size c = size (sequences D) /\ forall i : data_group D, contains (nth (Everything N) c i) (C i).

(* ---- entrywise ---- *)

Lemma encloses_map (E : Type) (e0 : E) (f : E -> interval) (m : seq (seq E)) F : fits D m ->
  (forall t, contains (f (at_token e0 m t)) (F t)) -> encloses (map_rows f m) F.
Proof. by move=> fm Hf; split=> [|t]; [exact: fits_map | rewrite (at_token_map e0)]. Qed.

Lemma map_encloses f m F G : encloses m F -> (forall t I, contains I (F t) -> contains (f I) (G t)) ->
  encloses (map_rows f m) G.
Proof. by case=> fm Hm Hf; apply: (encloses_map (e0 := Everything N)) => // t; exact: Hf. Qed.

Definition combine_tables (f : interval -> interval -> interval) m m' : seq (seq interval) :=
  map_rows (fun ab => f ab.1 ab.2) (zip_rows m m').

Lemma combine_encloses f m m' F G H : encloses m F -> encloses m' G ->
  (forall t I J, contains I (F t) -> contains J (G t) -> contains (f I J) (H t)) ->
    encloses (combine_tables f m m') H.
Proof.
case=> fm Hm [fm' Hm'] Hf; apply: (encloses_map (e0 := (Everything N, Everything N))); first exact: fits_zip.
by move=> t; rewrite at_token_zip //; apply: Hf; [exact: Hm | exact: Hm'].
Qed.

(* ---- columns ---- *)

Lemma column_map (E : Type) (e0 : E) (f : E -> interval) (c : seq E) C : size c = size (sequences D) ->
  (forall i : data_group D, contains (f (nth e0 c i)) (C i)) -> column_encloses [seq f a | a <- c] C.
Proof. by move=> sc Hf; split=> [|i]; [rewrite size_map | rewrite (nth_map e0) ?sc //; exact: ltn_ord]. Qed.

Lemma map_column f c A C : column_encloses c A -> (forall i I, contains I (A i) -> contains (f I) (C i)) ->
  column_encloses [seq f a | a <- c] C.
Proof. by case=> sc Hc Hf; apply: (column_map (e0 := Everything N)) => // i; exact: Hf. Qed.

Definition combine_columns (f : interval -> interval -> interval) c c' : seq interval :=
  [seq f ab.1 ab.2 | ab <- zip c c'].

Lemma combine_column f c c' A B C : column_encloses c A -> column_encloses c' B ->
  (forall i I J, contains I (A i) -> contains J (B i) -> contains (f I J) (C i)) ->
  column_encloses (combine_columns f c c') C.
Proof.
case=> sc Hc [sc' Hc'] Hf; apply: (column_map (e0 := (Everything N, Everything N))).
  by rewrite size_zip sc sc' minnn.
by move=> i; rewrite nth_zip ?sc ?sc' //; apply: Hf; [exact: Hc | exact: Hc'].
Qed.

(* ---- along rows ---- *)

Definition spread_column (f : interval -> interval -> interval) c m : seq (seq interval) :=
  [seq [seq f cr.1 a | a <- cr.2] | cr <- zip c m].

Lemma spread_column_encloses f c m C F G : column_encloses c C -> encloses m F ->
  (forall t I J, contains I (C (tag (t : data_token D))) -> contains J (F t) -> contains (f I J) (G t)) ->
  encloses (spread_column f c m) G.
Proof.
case=> sc Hc [fm Hm] Hf; have [/eqP sm Hrows] := andP fm; split.
  rewrite /fits /spread_column size_map size_zip sc sm minnn eqxx /=.
  elim: (sequences D) c m sc sm Hrows {Hc Hm fm} => [|q qs IH] [|I c] [|r m] //= [sc] [sm] /andP[E Hr].
  by rewrite size_map E; apply: IH.
move=> t; have il : (tag (t : data_token D) < size (zip c m))%nat by rewrite size_zip sc sm minnn; exact: ltn_ord.
rewrite /at_token /spread_column (nth_map (Everything N, [::])) // nth_zip ?sc ?sm //=.
have sl := fits_at t fm; rewrite (nth_map (Everything N)) //.
by apply: Hf; [exact: Hc | exact: Hm].
Qed.

(* ---- sums ---- *)

Lemma sum_group F (i : data_group D) :
  \sum_(t : token (problem D) | group_of t == i) F t = \sum_(s : 'I_(length_of D i)) F (token_of s).
Proof.
rewrite big_mkcond (@sum_tokens N D) (bigD1 i) //= [X in _ + X]big1 ?Rplus_0_r => [|j ji].
  by apply: eq_bigr => s _; rewrite eqxx.
by rewrite big1 // => s _; rewrite (negbTE ji).
Qed.

Definition group_sums m : seq interval := [seq isum P r | r <- m].

Lemma group_sums_enclose m F : encloses m F ->
  column_encloses (group_sums m) (fun i => \sum_(t : token (problem D) | group_of t == i) F t).
Proof.
case=> fm Hm; have [/eqP sm _] := andP fm; apply: (column_map (e0 := [::])) => // i.
rewrite sum_group; apply: isum_contains; first exact: fits_row fm (ltn_ord i).
by move=> s; exact: (Hm (token_of s)).
Qed.

Lemma column_sum_contains c C : column_encloses c C -> contains (isum P c) (\sum_i C i).
Proof. by case=> sc Hc; apply: isum_contains. Qed.

Lemma table_sum_contains m F : encloses m F -> contains (isum P (group_sums m)) (\sum_t F t).
Proof.
move/group_sums_enclose/column_sum_contains; congr contains; rewrite (@sum_tokens N D).
by apply: eq_bigr => i _; exact: sum_group.
Qed.

(* The largest over all groups, and 0. *)
Definition column_largest c : interval := foldr (imax P) (interval0 N) c.

Lemma largest_contains c n (F : 'I_n -> R) : size c = n ->
  (forall j : 'I_n, contains (nth (Everything N) c j) (F j)) ->
  exists x, [/\ contains (column_largest c) x, 0 <= x & forall j, F j <= x].
Proof.
elim: c n F => [|I c IH] [|n] F //= E H; first by exists 0; split=> [| |[]//]; [exact: contains0 | exact: Rle_refl].
have [|x [Hx x0 Hle]] := IH n (fun j => F (lift ord0 j)) _ (fun j => H (lift ord0 j)); first by case: E.
exists (Rmax (F ord0) x); split; first by apply: imax_contains => //; exact: (H ord0).
  exact: Rle_trans x0 (Rmax_r _ _).
move=> j; case: (unliftP ord0 j) => [k -> | ->]; last exact: Rmax_l.
exact: Rle_trans (Hle k) (Rmax_r _ _).
Qed.

Lemma column_largest_contains c C : column_encloses c C ->
  exists x, [/\ contains (column_largest c) x, 0 <= x & forall i, C i <= x].
Proof. by case=> sc Hc; exact: largest_contains. Qed.

(* ---- exact data over one denominator ---- *)

Definition ratio (u a : N) : interval := idiv P (exactly a) (exactly u).

Lemma ratio_contains u a : contains (ratio u a) (real a / real u).
Proof. by apply: idiv_contains; exact: exactly_contains. Qed.

Definition exact_table (u : N) (m : seq (seq N)) : seq (seq interval) := map_rows (ratio u) m.

Lemma exact_table_encloses u (m : seq (seq N)) F : fits D m ->
  (forall t, F t = real (at_token zero m t : N) / real u) ->
  encloses (exact_table u m) F.
Proof. by move=> fm E; apply: (encloses_map (e0 := zero)) => // t; rewrite E; exact: ratio_contains. Qed.

(* The weight 1/n of a group. *)
Definition group_share : interval := idiv P (interval1 N) (exactly (count_of N (sequences D))).

Lemma group_share_contains (i : data_group D) : contains group_share (weight (s := problem D) i).
Proof.
rewrite /weight /= /mean_weight card_ord -(count_of_real N) -[/ _]Rmult_1_l.
by apply: idiv_contains; [exact: contains1 | exact: exactly_contains].
Qed.
End Tables.
