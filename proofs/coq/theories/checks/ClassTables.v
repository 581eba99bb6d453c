(* ClassTables: the ranges of a classifier's slopes (ClassifierHead.v) as tables.

   Of each group the numbers c_t of every token, each class's against the right one's. With d_t = c_t - c_alpha, up and
   down their extremes, the mean of class u is within eps of its attention's share of c_alpha,u, the softmax in
     between,
   and a token's slope against the selected one's is a mean of d_t under it. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads HeadRanges ClassifierHead Number Rows TokenData MarginChecks
                           OptimalityChecks EnclosureChecks Interval Elementary IntervalTables AttentionIntervals
                           ForeverChecks LocalFactors OutputHeads.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- rows of k intervals ---- *)

Section ClassRows.
Variables (N : number) (P : Z) (k : nat).
Notation interval := (interval N).
Notation anything := (@Everything N).
Implicit Types (r : seq interval) (X Y : 'I_k -> R).

Definition class_row_encloses r X : Prop := size r = k /\ forall u : 'I_k, contains (nth anything r u) (X u).

Lemma row_from_numbers r (F : nat -> R) X : numbers_in k r F -> (forall u : 'I_k, F u = X u) -> class_row_encloses r X.
Proof. case=> sr H E; split=> [|u]; [exact: sr | rewrite -E; exact (H u (ltn_ord u))]. Qed.

Definition row_zip (f : interval -> interval -> interval) r r' : seq interval := [seq f x.1 x.2 | x <- zip r r'].

Lemma row_zip_encloses f r r' X X' Y : class_row_encloses r X -> class_row_encloses r' X' ->
  (forall u I J, contains I (X u) -> contains J (X' u) -> contains (f I J) (Y u)) -> class_row_encloses (row_zip f r
    r') Y.
Proof.
move=> [sr Hr] [sr' Hr'] H; split=> [|u]; first by rewrite size_map size_zip sr sr' minnn.
rewrite (nth_map (anything, anything)) ?size_zip ?sr ?sr' ?minnn // nth_zip ?sr ?sr' //.
exact (H u _ _ (Hr u) (Hr' u)).
Qed.

Lemma row_map_encloses f r X Y : class_row_encloses r X -> (forall u I, contains I (X u) -> contains (f I) (Y u)) ->
  class_row_encloses [seq f x | x <- r] Y.
Proof.
move=> [sr Hr] H; split=> [|u]; [by rewrite size_map | rewrite (nth_map anything) ?sr //; exact (H u _ (Hr u))].
Qed.

(* The largest entry of each class, and 0. *)
Fixpoint largest_row (rows : seq (seq interval)) : seq interval :=
  if rows is r :: rest then row_zip (imax P) r (largest_row rest) else nseq k (interval0 N).

Lemma largest_row_encloses n rows (F : 'I_n -> 'I_k -> R) : size rows = n ->
  (forall s : 'I_n, class_row_encloses (nth [::] rows s) (F s)) ->
  class_row_encloses (largest_row rows) (fun u => \big[Rmax/0]_(s < n) F s u).
Proof.
elim: rows n F => [|r rows IH] [|n] F //= E H.
  by split=> [|u]; [rewrite size_nseq | rewrite big_ord0 nth_nseq ltn_ord; exact: contains0].
apply: (row_zip_encloses (H ord0)) (IH n (fun s => F (lift ord0 s)) _ _) _ => [|s|u I J HI HJ]; first by case: E.
  exact: (H (lift ord0 s)).
by rewrite big_ord_recl; exact: imax_contains.
Qed.

(* a_u/(a_u + the sum of b_v over the other classes) *)
Definition one_of (u : nat) a b : seq interval := [seq if x.1 == u then x.2.1 else x.2.2 | x <- zip (iota 0 k) (zip
  a b)].
Definition row_shares a b : seq interval :=
  [seq idiv P x.2 (isum P (one_of x.1 a b)) | x <- zip (iota 0 k) a].

Lemma row_shares_enclose a b X Y : class_row_encloses a X -> class_row_encloses b Y ->
  class_row_encloses (row_shares a b) (fun u => X u / (X u + \sum_(v | v != u) Y v)).
Proof.
move=> [sa Ha] [sb Hb]; split=> [|u]; first by rewrite size_map size_zip size_iota sa minnn.
rewrite (nth_map (0%nat, anything)) ?size_zip ?size_iota ?sa ?minnn // nth_zip ?size_iota ?sa //= nth_iota // add0n.
apply: idiv_contains; first exact: Ha.
have -> : X u + \sum_(v | v != u) Y v = \sum_(v < k) (if v == u then X v else Y v).
  rewrite [RHS](bigD1 u) //; congr (_ + _); first by rewrite eqxx.
  by apply: eq_bigr => v ne; rewrite (negbTE ne).
have sz : size (zip a b) = k by rewrite size_zip sa sb minnn.
apply: isum_contains => [|v]; first by rewrite size_map size_zip size_iota sz minnn.
rewrite (nth_map (0%nat, (anything, anything))) ?size_zip ?size_iota ?sa ?sb ?minnn //.
rewrite nth_zip ?size_iota ?sz // nth_zip ?sa ?sb //= nth_iota // add0n.
by rewrite -[(v == u :> nat)]/(v == u); case: ifP => _; [exact: Ha | exact: Hb].
Qed.
End ClassRows.

Lemma class_row_largest (N : number) (P : Z) k (r : seq (interval N)) (F : 'I_k -> R) :
  class_row_encloses r F -> contains (column_largest P r) (\big[Rmax/0]_(u < k) F u).
Proof.
elim: r k F => [|I r IH] [|n] F [] //= E H; first by rewrite big_ord0; exact: contains0.
rewrite big_ord_recl; apply: imax_contains; first exact: (H ord0).
by apply: IH; split=> [|j]; [case: E | exact: (H (lift ord0 j))].
Qed.

(* ---- tables ---- *)

Section Tables.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation token := (token (problem D)).
Notation group_index t := (tag (t : data_token D)).
Variables (k : nat) (G : token -> 'I_k -> R) (y : data_group D -> 'I_k) (v : seq (seq (seq interval))).
Notation h := (@classifier_head (problem D) [finType of 'I_k] G y).
Notation change := (@class_change (problem D) [finType of 'I_k] G y alpha).
Notation start := (@class_start (problem D) [finType of 'I_k] G y alpha).
Hypothesis values_in : numbers_enclose k v
  (fun t u => if insub u is Some u' then G t u' - G t (y (group_index t)) else 0).

(* ---- of one group ---- *)

Definition class_shifts (v : seq (seq interval)) (pick : nat) : seq (seq interval) :=
  let own := nth [::] v pick in [seq row_zip (isub P) r own | r <- v].

(* e^ of the least and of the largest means *)
Definition class_ends (v : seq (seq interval)) (pick : nat) (e : interval) : seq interval * seq interval :=
  let own := nth [::] v pick in
  let d := class_shifts v pick in
  ([seq iexp P x | x <- row_zip (fun c x => isub P c (imul P e x)) own (largest_row P k [seq [seq iopp x | x <- r] |
    r <- d])],
   [seq iexp P x | x <- row_zip (fun c x => iadd P c (imul P e x)) own (largest_row P k d)]).

Definition class_extreme (choose : interval -> interval -> interval) (p q r : seq interval) : interval :=
  isum P (row_zip choose (row_zip (imul P) p r) (row_zip (imul P) q r)).

Definition class_slope_bounds (choose : interval -> interval -> interval) (v : seq (seq interval)) (e : interval)
    (pick : nat) : seq interval :=
  let ends := class_ends v pick e in
  let p := row_shares P k ends.1 ends.2 in
  let q := row_shares P k ends.2 ends.1 in
  [seq class_extreme choose p q r | r <- class_shifts v pick].

Definition class_slope_table choose (eps : seq interval) : seq (seq interval) :=
  [seq class_slope_bounds choose x.1.1 x.1.2 x.2 | x <- zip (zip v eps) picks].

(* ---- what that means ---- *)

Variables (eps_in : seq interval) (eps : data_group D -> R).
Hypothesis eps_encloses : @column_encloses N D eps_in eps.

Definition class_up (i : data_group D) (u : 'I_k) : R := group_largest (fun t => change t u) i.
Definition class_down (i : data_group D) (u : 'I_k) : R := group_largest (fun t => - change t u) i.
Notation low_share := (@share_low (problem D) [finType of 'I_k] G y alpha class_up class_down eps).
Notation high_share := (@share_high (problem D) [finType of 'I_k] G y alpha class_up class_down eps).

Definition class_lo (t : token) : R := \sum_(u : 'I_k) Rmin (low_share (group_of t) u * change t u)
  (high_share (group_of t) u * change t u).
Definition class_hi (t : token) : R := \sum_(u : 'I_k) Rmax (low_share (group_of t) u * change t u)
  (high_share (group_of t) u * change t u).

Lemma class_changes_hold : class_changes G y alpha class_up class_down.
Proof.
split=> [i u|i u|i t u /andP[_ /eqP <-]]; [exact: group_largest_ge0 | exact: group_largest_ge0 |].
split; last exact: group_largest_ge.
have g := group_largest_ge (fun t => - change t u) t; rewrite -[X in _ <= X]Ropp_involutive.
exact: Ropp_le_contravar.
Qed.

Section Group.
Variable i : data_group D.
Notation rows := (nth [::] v i).
Notation pick := (nth 0%nat picks i).
Notation e := (nth anything eps_in i).

Let of_group (s : 'I_(length_of D i)) : class_row_encloses (nth [::] rows s)
  (fun u : 'I_k => G (token_of s) u - G (token_of s) (y i)).
Proof.
have [_ H] := values_of_group i values_in; apply: (row_from_numbers (H s)) => u.
by rewrite valK.
Qed.

Let own_encloses : class_row_encloses (nth [::] rows pick) (start i).
Proof.
by have := of_group (Ordinal (picks_lt i Pok)); congr class_row_encloses.
Qed.

Let rows_size : size rows = length_of D i.
Proof. by have [] := values_of_group i values_in. Qed.

Lemma class_shifts_enclose (s : 'I_(length_of D i)) :
  class_row_encloses (nth [::] (class_shifts rows pick) s) (change (token_of s)).
Proof.
rewrite (nth_map [::]) ?rows_size //; apply: (row_zip_encloses (of_group s) own_encloses) => u I J.
exact: isub_contains.
Qed.

Lemma class_ends_enclose : let ends := class_ends rows pick e in
  class_row_encloses ends.1 (fun u => exp (@class_low (problem D) [finType of 'I_k] G y alpha class_down eps i u)) /\
  class_row_encloses ends.2 (fun u => exp (@class_high (problem D) [finType of 'I_k] G y alpha class_up eps i u)).
Proof.
have [_ He] := eps_encloses; have sd : size (class_shifts rows pick) = length_of D i by rewrite size_map rows_size.
have ups := largest_row_encloses P sd class_shifts_enclose.
have downs : class_row_encloses (largest_row P k [seq [seq iopp x | x <- r] | r <- class_shifts rows pick])
    (fun u => \big[Rmax/0]_(s < length_of D i) - change (token_of s) u).
  apply: largest_row_encloses => [|s]; first by rewrite size_map.
  rewrite (nth_map [::]) ?sd //; apply: (row_map_encloses (class_shifts_enclose s)) => u I; exact: iopp_contains.
split; apply: row_map_encloses => [|u I]; try exact: iexp_contains.
  apply: (row_zip_encloses own_encloses downs) => u I J HI HJ; apply: isub_contains => //.
  exact: imul_contains (He i) HJ.
apply: (row_zip_encloses own_encloses ups) => u I J HI HJ; apply: iadd_contains => //.
exact: imul_contains (He i) HJ.
Qed.

Lemma class_slope_bounds_enclose choose pickR (s : 'I_(length_of D i)) :
  (forall I J a b, contains I a -> contains J b -> contains (choose I J) (pickR a b)) ->
  contains (nth anything (class_slope_bounds choose rows e pick) s)
    (\sum_(u : 'I_k) pickR (low_share i u * change (token_of s) u) (high_share i u * change (token_of s) u)).
Proof.
move=> chosen; have [lows highs] := class_ends_enclose; set ends := class_ends _ _ _ in lows highs.
have p := row_shares_enclose P lows highs; have q := row_shares_enclose P highs lows.
rewrite (nth_map [::]) ?size_map ?rows_size //; have d := class_shifts_enclose s.
have row := row_zip_encloses (f := choose) (Y := fun u => pickR (low_share i u * change (token_of s) u)
  (high_share i u * change (token_of s) u))
  (row_zip_encloses (Y := fun u => low_share i u * change (token_of s) u) p d (fun u I J HI HJ => imul_contains P HI
    HJ))
  (row_zip_encloses (Y := fun u => high_share i u * change (token_of s) u) q d (fun u I J HI HJ => imul_contains P
    HI HJ))
  (fun u I J => chosen I J _ _).
by case: row => sr Hr; exact: isum_contains sr Hr.
Qed.
End Group.

Lemma class_slope_table_encloses choose pickR :
  (forall I J a b, contains I a -> contains J b -> contains (choose I J) (pickR a b)) ->
  encloses (class_slope_table choose eps_in) (fun t : token => \sum_(u : 'I_k)
    pickR (low_share (group_of t) u * change t u) (high_share (group_of t) u * change t u)).
Proof.
move=> chosen; have [se _] := eps_encloses; have sv := numbers_size values_in; have [/eqP sp _] := andP Pok.
apply: (by_groups_encloses (a0 := (([::], anything), 0%nat))) => [|i]; first by rewrite !size_zip sv se sp !minnn.
rewrite !nth_zip ?size_zip ?sv ?se ?sp ?minnn //; split=> [|s].
  by rewrite !size_map; have [] := values_of_group i values_in.
exact (class_slope_bounds_enclose s chosen).
Qed.

Lemma class_lo_encloses : encloses (class_slope_table (imin P) eps_in) class_lo.
Proof. by apply: (class_slope_table_encloses (pickR := Rmin)) => I J a b; exact: imin_contains. Qed.

Lemma class_hi_encloses : encloses (class_slope_table (imax P) eps_in) class_hi.
Proof. by apply: (class_slope_table_encloses (pickR := Rmax)) => I J a b; exact: imax_contains. Qed.

Theorem class_gap_range z : (forall i, 1 - attention z (alpha i) <= eps i) -> forall t, constraint alpha t ->
  class_lo t <= slope_gap alpha h z t <= class_hi t.
Proof.
move=> att t _; have [lo hi] := classifier_gap_range class_changes_hold t att.
split; [apply: Rle_trans lo | apply: Rle_trans hi _]; apply: sum_le => u _; case: Rle_dec => _ /=.
- exact: Rmin_l.
- exact: Rmin_r.
- exact: Rmax_r.
exact: Rmax_l.
Qed.
End Tables.
