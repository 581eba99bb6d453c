(* SlopeTables: the tables of a head's factors (FactorTables.v) from ranges of its slopes (HeadRanges.v), in intervals.

   Gamma_t, how much more slope token t has than the selected one, is between lo and hi wherever at most eps of the
   attention leaves the selected tokens. P is a mask of constraints whose factors then stay positive. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Heads HeadRanges Direction Growth Saturation FactorRange LocalRanges Number
                           Rows TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary
                           IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks
                           LocalFactors FactorTables.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* eps, as claims give it: one fraction a group. *)
Definition eps_column (N : number) (P : Z) (attentions : seq (fraction N)) : seq (interval N) :=
  fractions_in P attentions.

Lemma eps_column_encloses (N : number) (P : Z) (D : token_data N) (attentions : seq (fraction N)) :
  size attentions == size (sequences D) ->
  @column_encloses N D (eps_column P attentions) (fun i => constant_of attentions i).
Proof. by move/eqP; exact: fractions_in_enclose. Qed.

Section Slopes.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation token := (token (problem D)).
Notation Q := (constraint alpha).
Implicit Types (t : token) (i : data_group D).

Variables (eps_in : seq interval) (kept : seq (seq bool)) (lo_in hi_in : seq (seq interval)).

Definition over_in : seq interval := rows_largest P hi_in.
Definition under_in : seq interval := rows_largest P (map_rows (@iopp N) lo_in).
(* lo - eps over, hi + eps under, |Gamma| + eps of either *)
Definition least_pull_in : seq (seq interval) :=
  spread_column (fun p g => isub P g p) (combine_columns (imul P) eps_in over_in) lo_in.
Definition most_pull_in : seq (seq interval) :=
  spread_column (fun p g => iadd P g p) (combine_columns (imul P) eps_in under_in) hi_in.
Definition absolute (I : interval) : interval := imax P I (iopp I).
Definition size_pull_in : seq (seq interval) :=
  spread_column (fun p g => iadd P g p)
    (combine_columns (imul P) eps_in (combine_columns (imax P) over_in under_in))
    (combine_tables (fun I J => imax P (absolute I) (absolute J)) lo_in hi_in).

Definition slope_tables : factor_tables N :=
  let share := group_share D P in
  FactorTables kept eps_in
    (by_copies D P picks (spread_column (imul P) [seq imul P share (isub P (interval1 N) e) | e <- eps_in]
      least_pull_in))
    (by_copies D P picks (map_rows (imul P share) most_pull_in))
    (by_copies D P picks (map_rows (imul P share) size_pull_in)) (fun=> true).

Definition slopes_check : bool :=
  all (fun e => certainly_le (interval0 N) e && certainly_lt e (interval1 N)) eps_in &&
  all_within (@is_positive N) kept least_pull_in.

(* ---- what that means ---- *)

Variables (h : head (problem D)) (lo hi : token -> R) (eps : data_group D -> R).
Hypothesis eps_encloses : @column_encloses N D eps_in eps.
Hypotheses (fits_mask : fits D kept) (mask_constraint : forall t, in_mask kept t -> Q t).
Hypotheses (lo_encloses : encloses lo_in lo) (hi_encloses : encloses hi_in hi).
Hypothesis gap_range : forall z, HeadRanges.attended alpha (SlopeBounds (@in_mask N D kept) eps lo hi
  (group_largest hi) (group_largest (fun t => - lo t))) z -> forall t, Q t -> lo t <= slope_gap alpha h z t <= hi t.
Hypothesis checked : slopes_check.
Notation over := (group_largest hi).
Notation under := (group_largest (fun t => - lo t)).
Notation bounds := (SlopeBounds (p := problem D) (@in_mask N D kept) eps lo hi over under).
Notation factors := (slope_factors alpha bounds).

Lemma slope_eps i : 0 <= eps i < 1.
Proof.
have /andP[H _] := checked; have [se He] := eps_encloses.
have := all_nthP anything H i; rewrite se => /(_ (ltn_ord i))/andP[h0 h1].
by split; [exact: certainly_le_real (contains0 N) (He i) h0 | exact: certainly_lt_real (He i) (contains1 N) h1].
Qed.

Lemma over_encloses : column_encloses over_in over.
Proof. exact: rows_largest_enclose hi_encloses. Qed.

Lemma under_encloses : column_encloses under_in under.
Proof. by apply: rows_largest_enclose; apply: (map_encloses lo_encloses) => t I; exact: iopp_contains. Qed.

Lemma least_pull_encloses : encloses least_pull_in (fun t => lo t - eps (group_of t) * over (group_of t)).
Proof.
have H := combine_column (C := fun i => eps i * over i) eps_encloses over_encloses
  (fun i I J HI HJ => imul_contains P HI HJ).
by apply: (spread_column_encloses H lo_encloses) => t I J HI HJ; exact: isub_contains.
Qed.

Lemma most_pull_encloses : encloses most_pull_in (fun t => hi t + eps (group_of t) * under (group_of t)).
Proof.
have H := combine_column (C := fun i => eps i * under i) eps_encloses under_encloses
  (fun i I J HI HJ => imul_contains P HI HJ).
by apply: (spread_column_encloses H hi_encloses) => t I J HI HJ; exact: iadd_contains.
Qed.

Lemma absolute_contains I x : contains I x -> contains (absolute I) (Rabs x).
Proof.
move=> HI; have -> : Rabs x = Rmax x (- x).
  by rewrite /Rabs; case: Rcase_abs => s; [rewrite Rmax_right | rewrite Rmax_left]; lra.
by apply: imax_contains => //; exact: iopp_contains.
Qed.

Lemma size_pull_encloses : encloses size_pull_in (fun t => Rmax (Rabs (lo t)) (Rabs (hi t)) +
  eps (group_of t) * Rmax (over (group_of t)) (under (group_of t))).
Proof.
have Hm := combine_column (C := fun i => Rmax (over i) (under i)) over_encloses under_encloses
  (fun i I J HI HJ => imax_contains P HI HJ).
have He := combine_column (C := fun i => eps i * Rmax (over i) (under i)) eps_encloses Hm
  (fun i I J HI HJ => imul_contains P HI HJ).
have Ha := combine_encloses (H := fun t => Rmax (Rabs (lo t)) (Rabs (hi t))) lo_encloses hi_encloses
  (fun t I J HI HJ => imax_contains P (absolute_contains HI) (absolute_contains HJ)).
by apply: (spread_column_encloses He Ha) => t I J HI HJ; exact: iadd_contains.
Qed.

Lemma slope_ranges_hold : slope_ranges alpha h bounds.
Proof.
split; [exact: mask_constraint | exact: slope_eps | exact: gap_range | move=> t _; exact: group_largest_ge | |
  exact: group_largest_ge0 | exact: group_largest_ge0 |] => /= t.
  move=> _; have g := group_largest_ge (fun t => - lo t) t; rewrite -[X in _ <= X]Ropp_involutive.
  exact: Ropp_le_contravar.
move=> kt; have /andP[_ H] := checked; have [fk Hk] := least_pull_encloses.
exact (Rminus_gt_0_lt _ _ (is_positive_real (Hk t) (all_withinP anything fits_mask fk H kt))).
Qed.

Definition slope_table_ranges : table_ranges D :=
  TableRanges (factor_low factors) (factor_high factors) (factor_size factors) eps.

Theorem slope_tables_hold : tables_hold Pok slope_tables h slope_table_ranges.
Proof.
have share i : contains (group_share D P) (weight (s := problem D) i) := group_share_contains P i.
split; [exact: fits_mask | exact: mask_constraint | exact: eps_encloses | | | |].
- have Hc := map_column (C := fun i => weight (s := problem D) i * (1 - eps i)) eps_encloses
    (fun i I HI => imul_contains P (share i) (isub_contains P (contains1 N) HI)).
  apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) * (1 - eps (group_of t)) *
    (lo t - eps (group_of t) * over (group_of t)))).
  by apply: (spread_column_encloses Hc least_pull_encloses) => t I J; exact: imul_contains.
- apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) *
    (hi t + eps (group_of t) * under (group_of t)))).
  by apply: (map_encloses most_pull_encloses) => t I; exact: imul_contains.
- apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) *
    (Rmax (Rabs (lo t)) (Rabs (hi t)) + eps (group_of t) * Rmax (over (group_of t)) (under (group_of t))))).
  by apply: (map_encloses size_pull_encloses) => t I; exact: imul_contains.
move=> lows low _ att _; exact (slope_factor_range slope_ranges_hold att).
Qed.
End Slopes.
