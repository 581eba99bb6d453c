(* ClassLimits: the limits of a classifier's factors, and how fast they approach them (ClassifierHead.v), as tables.

   With p the softmax at the selected tokens, a token's limit has the gap sum_u p_u d_tu; A is the largest sum of the
   p_u |d_tu| of a group, W how far apart two of the d_tu can be, and the rate is 1 + (2 log 2) 1.3 (W + 1) A over the
   least gap (DYNAMICS.md section 11). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads HeadRanges ClassifierHead Claims Direction Saturation FactorRange
                           LocalRanges OddsLimit BoundedSelection Number Rows TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals
                           RegionIntervals ForeverChecks LocalFactors FactorTables SlopeTables OutputHeads ClassTables
                           LimitTables.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Limits.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation token := (token (problem D)).
Notation Q := (constraint alpha).
Notation group_index t := (tag (t : data_token D)).
Variables (k : nat) (G : token -> 'I_k -> R) (y : data_group D -> 'I_k) (v : seq (seq (seq interval))).
Variables (f : enclosed_reference N) (eps_in : seq interval).
Notation h := (@classifier_head (problem D) [finType of 'I_k] G y).
Notation change := (@class_change (problem D) [finType of 'I_k] G y alpha).
Notation start := (@class_start (problem D) [finType of 'I_k] G y alpha).
Notation share := (@class_limit (problem D) [finType of 'I_k] G y alpha).
Notation class_gap := (@classifier_limit (problem D) [finType of 'I_k] G y alpha).

(* ---- computed ---- *)

(* p of one group *)
Definition class_limit_row (v : seq (seq interval)) (pick : nat) : seq interval :=
  let x := [seq iexp P c | c <- nth [::] v pick] in row_shares P k x x.
Definition class_means (g : interval -> interval) (v : seq (seq interval)) (pick : nat) : seq interval :=
  let p := class_limit_row v pick in
  [seq isum P (row_zip (fun q d => imul P q (g d)) p r) | r <- class_shifts P v pick].
Definition class_mean_table (g : interval -> interval) : seq (seq interval) :=
  [seq class_means g x.1 x.2 | x <- zip v picks].
Definition class_gap_table : seq (seq interval) := class_mean_table (fun I => I).
Definition class_size_in : seq interval := rows_largest P (class_mean_table (absolute P)).   (* A *)
Definition class_width_of (v : seq (seq interval)) (pick : nat) : interval :=
  let d := class_shifts P v pick in
  iadd P (column_largest P (largest_row P k d))
    (column_largest P (largest_row P k [seq [seq iopp x | x <- r] | r <- d])).
Definition class_width_in : seq interval := [seq class_width_of x.1 x.2 | x <- zip v picks].   (* W *)
(* 1.3 (W + 1) A *)
Definition class_sway_in : seq interval :=
  combine_columns (fun w a => imul P (imul P (ratio P (of_natural N 10) (of_natural N 13)) (iadd P w (interval1 N))) a)
    class_width_in class_size_in.
(* Where the group has an active constraint, eps W is at most a quarter. *)
Definition class_near_test : bool :=
  all (fun I => certainly_le (imul P (iadd P (interval2 N) (interval2 N)) I) (interval1 N))
    (met_column f (combine_columns (imul P) eps_in class_width_in)).

Definition class_limits_check : bool :=
  [&& active_positive_test f class_gap_table, class_near_test &
      room_test P f class_gap_table (combine_columns (imul P) eps_in class_sway_in)].
Definition class_limit_table : seq (seq interval) :=
  limit_table D P picks class_gap_table [seq group_share D P | _ <- sequences D].
Definition class_rate_table : seq (seq interval) :=
  rate_table D P picks f class_gap_table
    (combine_columns (fun a x => iadd P (interval1 N) (imul P (double_log_in N P) (imul P a x))) class_sway_in
      (inverse_gap_in P f class_gap_table)).

(* ---- what that means ---- *)

Variables (eps : data_group D -> R) (ws : vec (coord (problem D))) (lam : token -> R).
Notation mu := (multiplier_weights alpha lam).
Notation S := (Direction.active Q mu).
Notation up := (class_up Pok G y).
Notation down := (class_down Pok G y).
Hypothesis values_in : numbers_enclose k v
  (fun t u => if insub u is Some u' then G t u' - G t (y (group_index t)) else 0).
Hypothesis eps_encloses : @column_encloses N D eps_in eps.
Hypothesis reference_in : reference_encloses Pok f ws lam.

Section Group.
Variable i : data_group D.
Notation rows := (nth [::] v i).
Notation pick := (nth 0%nat picks i).

Let own_encloses : class_row_encloses (nth [::] rows pick) (start i).
Proof.
have [_ H] := values_of_group i values_in.
by apply: (row_from_numbers (H (Ordinal (picks_lt i Pok)))) => u; rewrite valK.
Qed.

Lemma class_limit_row_encloses : class_row_encloses (class_limit_row rows pick) (share i).
Proof.
have x : class_row_encloses [seq iexp P c | c <- nth [::] rows pick] (fun u => exp (start i u)).
  by apply: (row_map_encloses own_encloses) => u I; exact: iexp_contains.
have [sz H] := row_shares_enclose P x x; split=> // u.
by have := H u; rewrite /class_limit [in X in contains _ X -> _](_ : _ + _ = \sum_v exp (start i v)) // [RHS](bigD1 u).
Qed.

Let rows_size : size rows = length_of D i.
Proof. by have [] := values_of_group i values_in. Qed.

Lemma class_means_enclose g gR (s : 'I_(length_of D i)) : (forall I x, contains I x -> contains (g I) (gR x)) ->
  contains (nth anything (class_means g rows pick) s) (\sum_(u : 'I_k) share i u * gR (change (token_of s) u)).
Proof.
move=> Hg; rewrite (nth_map [::]) ?size_map ?rows_size //.
have [sr Hr] := row_zip_encloses (f := fun q d => imul P q (g d)) (Y := fun u => share i u * gR (change (token_of s) u))
  class_limit_row_encloses (class_shifts_enclose P Pok values_in s)
  (fun u I J HI HJ => imul_contains P HI (Hg _ _ HJ)).
exact: isum_contains sr Hr.
Qed.

Definition class_width (i : data_group D) : R := \big[Rmax/0]_(u < k) up i u + \big[Rmax/0]_(u < k) down i u.

Lemma class_width_of_contains : contains (class_width_of rows pick) (class_width i).
Proof.
have sd : size (class_shifts P rows pick) = length_of D i by rewrite size_map rows_size.
have ups := largest_row_encloses P sd (class_shifts_enclose P Pok values_in (i := i)).
have downs : class_row_encloses (largest_row P k [seq [seq iopp x | x <- r] | r <- class_shifts P rows pick])
    (fun u => \big[Rmax/0]_(s < length_of D i) - change (token_of s) u).
  apply: largest_row_encloses => [|s]; first by rewrite size_map.
  rewrite (nth_map [::]) ?sd //; apply: (row_map_encloses (class_shifts_enclose P Pok values_in s)) => u I.
  exact: iopp_contains.
by apply: iadd_contains; apply: class_row_largest.
Qed.
End Group.

Let v_size : size v = size (sequences D) := numbers_size values_in.
Let picks_size : size picks = size (sequences D). Proof. by have [/eqP] := andP Pok. Qed.

Lemma class_mean_table_encloses g gR : (forall I x, contains I x -> contains (g I) (gR x)) ->
  encloses (class_mean_table g) (fun t : token => \sum_(u : 'I_k) share (group_of t) u * gR (change t u)).
Proof.
move=> Hg; apply: (by_groups_encloses (a0 := ([::], 0%nat))) => [|i]; first by rewrite size_zip v_size picks_size minnn.
rewrite nth_zip ?v_size ?picks_size //; split=> [|s]; last exact: class_means_enclose.
by rewrite !size_map; have [] := values_of_group i values_in.
Qed.

Lemma class_gap_encloses : encloses class_gap_table class_gap.
Proof. exact: (class_mean_table_encloses (gR := fun x => x)). Qed.

Definition class_size : data_group D -> R :=
  group_largest (fun t : token => \sum_(u : 'I_k) share (group_of t) u * Rabs (change t u)).

Lemma class_size_encloses : column_encloses (D := D) class_size_in class_size.
Proof. by apply: rows_largest_enclose; apply: class_mean_table_encloses => I x; exact: absolute_contains. Qed.

Lemma class_width_encloses : column_encloses (D := D) class_width_in class_width.
Proof.
apply: (column_map (e0 := ([::], 0%nat))) => [|i]; first by rewrite size_zip v_size picks_size minnn.
by rewrite nth_zip ?v_size ?picks_size //; exact: class_width_of_contains.
Qed.

Definition class_sway (i : data_group D) : R := 13 / 10 * (class_width i + 1) * class_size i.

Lemma class_sway_encloses : column_encloses (D := D) class_sway_in class_sway.
Proof.
apply: (combine_column class_width_encloses class_size_encloses) => i I J HI HJ; apply: imul_contains HJ.
apply: imul_contains; last exact: iadd_contains HI (contains1 N).
have -> : 13 / 10 = real (of_natural N 13) / real (of_natural N 10) by rewrite !of_natural_real /=; lra.
exact: ratio_contains.
Qed.

Lemma class_limits_hold : class_near_test -> class_limits G y alpha up down eps class_width class_size
  (meets (p := problem D) S).
Proof.
move=> H; have ge i u F : F u <= \big[Rmax/0]_(w < k) F w by exact: big_Rmax_ge.
split=> [i u w|i mi|i|i t /andP[_ /eqP <-]].
- by rewrite Rplus_comm; apply: Rplus_le_compat; [exact: big_Rmax_ge | exact: big_Rmax_ge].
- have He := combine_column (C := fun i => eps i * class_width i) eps_encloses class_width_encloses
    (fun i I J HI HJ => imul_contains P HI HJ).
  have [sm Hm] := met_column_encloses reference_in He (fun i _ => erefl).
  have := all_nthP anything H i; rewrite sm => /(_ (ltn_ord i)) le.
  have four : contains (iadd P (interval2 N) (interval2 N)) 4.
    have -> : 4 = 2 + 2 by ring.
    by apply: iadd_contains; exact: contains2.
  by have := certainly_le_real (imul_contains P four (Hm i)) (contains1 N) le; rewrite mi; lra.
- exact: group_largest_ge0.
exact: (group_largest_ge (fun t : token => \sum_(u : 'I_k) share (group_of t) u * Rabs (change t u)) t).
Qed.

Hypothesis checked : class_limits_check.
Notation least := (least_gap Pok lam class_gap).

Lemma class_active_gap t : S t -> 0 < class_gap t.
Proof. by have /and3P[H _ _] := checked; exact: (active_positive reference_in class_gap_encloses). Qed.

Definition class_limit_of : token -> R := slope_limit alpha class_gap.
Definition class_rate_of : token -> R := slope_rate alpha S class_sway least.

Lemma class_limit_table_encloses : encloses class_limit_table class_limit_of.
Proof.
have shares : @column_encloses N D [seq group_share D P | _ <- sequences D] (fun i => weight (s := problem D) i).
  by split=> [|i]; [rewrite size_map | rewrite (nth_map (no_sequence N)) ?ltn_ord //; exact: group_share_contains].
exact: (limit_table_encloses P Dok Pok class_gap_encloses shares).
Qed.

Lemma class_rate_table_encloses : encloses class_rate_table class_rate_of.
Proof.
have Hc := combine_column (C := fun i => 1 + 2 * ln 2 * (class_sway i * inverse_gap Pok lam class_gap i))
  class_sway_encloses (inverse_gap_encloses P reference_in class_gap_encloses) (fun i I J HI HJ =>
  iadd_contains P (contains1 N) (imul_contains P (double_log_contains N P) (imul_contains P HI HJ))).
have E i : meets (p := problem D) S i -> 1 + 2 * ln 2 * (class_sway i * inverse_gap Pok lam class_gap i) =
    @slope_group_rate (problem D) class_sway least i.
  by move=> m; rewrite /slope_group_rate /Rdiv (inverse_gap_met class_active_gap m).
exact (rate_table_encloses P Dok reference_in class_gap_encloses Hc E).
Qed.

Theorem class_factor_limit low : lows_attended Pok low eps ->
  factor_limit Q (Delta alpha) (head_factor alpha h) low S class_limit_of class_rate_of.
Proof.
have /and3P[_ near room] := checked; move=> att.
have Hx := combine_column (C := fun i => eps i * class_sway i) eps_encloses class_sway_encloses
  (fun i I J HI HJ => imul_contains P HI HJ).
have met t : S t -> meets (p := problem D) S (group_of t) by move=> St; apply/existsP; exists t; rewrite St eqxx.
have limits := classifier_limits (class_changes_hold Pok G y) (class_limits_hold near)
  (fun t St => proj1 (activeP _ _ _ St)) met (least_gap_gt0 Pok lam class_gap) (least_gap_le class_active_gap)
  (fun t St => room_spec reference_in class_gap_encloses Hx room St).
by refine (slope_factor_limit _ (limits Q class_size class_size)); exact: att.
Qed.
End Limits.
