(* LimitTables: tables of the limits of a head's factors, and of how fast they approach them (T15; RUNS.md section 5),
   from a table of the gaps at the selected tokens.

   A rate is that of its group, where the group has an active constraint, times the copies of its token. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Losses Heads Claims Direction Saturation FactorRange LocalRanges OddsLimit
                           BoundedSelection Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals
                           ForeverChecks LocalFactors.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* lambda: |l''| <= lambda |l'|. *)
Definition slope_ratio (l : loss_name) : R := if l is Correlation then 0 else 1.

Lemma slope_ratio_spec l : everywhere l -> exists2 ddl : R -> R, forall v, is_derive (dloss (loss_of l)) v (ddl v) &
  forall v, Rabs (ddl v) <= slope_ratio l * - dloss (loss_of l) v.
Proof.
case: l => // _; eexists.
- exact: is_derive_logistic_slope.
- exact: logistic_ratio.
- exact: is_derive_exponential_slope.
- exact: exponential_ratio.
- exact: is_derive_correlation_slope.
exact: correlation_ratio.
Qed.

Section Limits.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation Q := (constraint alpha).
Implicit Types (t : token (problem D)) (i : data_group D).

Variables (f : enclosed_reference N) (gap_in : seq (seq interval)).

(* ---- computed ---- *)

(* 1 over the least gap on S, 0 in groups that do not meet S. *)
Definition inverse_gap_in : seq interval :=
  rows_largest P (within (active_in f) (interval0 N) (map_rows (idiv P (interval1 N)) gap_in)).
Definition met_column (column : seq interval) : seq interval :=
  [seq if rI.1 then rI.2 else interval0 N | rI <- zip [seq has (@id bool) r | r <- active_in f] column].
Definition rate_table (column : seq interval) : seq (seq interval) :=
  by_copies D P picks (spread_column (fun p _ => p) (met_column column) gap_in).
(* column: the weight of the group times the slope there *)
Definition limit_table (column : seq interval) : seq (seq interval) :=
  by_copies D P picks (spread_column (imul P) column gap_in).

Definition double_log_in : interval := imul P (interval2 N) (ilog P (interval2 N)).
Definition widest_gap_in : seq interval :=
  combine_columns (imax P) (rows_largest P gap_in) (rows_largest P (map_rows (@iopp N) gap_in)).

(* The gaps on S are positive, and at least twice the room of their groups. *)
Definition active_positive_test : bool := all_within (@is_positive N) (active_in f) gap_in.
Definition room_test (column : seq interval) : bool :=
  all_within (@is_nonnegative N) (active_in f)
    (spread_column (fun x g => isub P g (imul P (interval2 N) x)) column gap_in).

(* Of a loss of one output. *)
Definition score_limit_table (l : loss_name) (best : seq interval) : seq (seq interval) :=
  limit_table [seq imul P (group_share D P) (slope_interval P l g) | g <- best].
Definition curvature_in (l : loss_name) : interval := if l is Correlation then interval0 N else interval1 N.
Definition score_rate_table (l : loss_name) : seq (seq interval) :=
  rate_table (combine_columns (fun x g =>
    iadd P (interval1 N) (imul P (iadd P (curvature_in l) (imul P double_log_in x)) g)) inverse_gap_in widest_gap_in).

(* ---- what that means ---- *)

Variables (ws : vec (coord (problem D))) (lam gap : token (problem D) -> R).
Notation mu := (multiplier_weights alpha lam).
Notation S := (Direction.active Q mu).
Notation gap_up := (group_largest gap).
Notation gap_down := (group_largest (fun t => - gap t)).
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis gap_encloses : encloses gap_in gap.

Let active_in_mask t : in_mask (active_in f) t = S t.
Proof. by have [_ _ _ _ [_ ->]] := reference_in. Qed.

Let active_fits : fits D (active_in f).
Proof. by have [_ _ _ _ []] := reference_in. Qed.

Lemma active_positive t : active_positive_test -> S t -> 0 < gap t.
Proof.
have [fg Hg] := gap_encloses; move=> H St; apply: (is_positive_real (Hg t)).
by apply: (all_withinP anything active_fits fg H); rewrite active_in_mask.
Qed.

Lemma room_spec column F t : @column_encloses N D column F -> room_test column -> S t -> 2 * F (group_of t) <= gap t.
Proof.
move=> Hc H St; have [fr Hr] : encloses (spread_column (fun x g => isub P g (imul P (interval2 N) x)) column gap_in)
    (fun t => gap t - 2 * F (group_of t)).
  apply: (spread_column_encloses Hc gap_encloses) => d I J HI HJ.
  exact (isub_contains P HJ (imul_contains P (contains2 N) HI)).
have it : in_mask (active_in f) t by rewrite active_in_mask.
by have := is_nonnegative_real (Hr t) (all_withinP anything active_fits fr H it); lra.
Qed.

(* ---- the least gaps ---- *)

Definition inverse_gap : group (problem D) -> R := group_largest (fun t => if S t then 1 / gap t else 0).
Definition least_gap (i : group (problem D)) : R := if Rlt_dec 0 (inverse_gap i) then / inverse_gap i else 1.

Lemma least_gap_gt0 i : 0 < least_gap i.
Proof. by rewrite /least_gap; case: Rlt_dec => H; [exact: Rinv_0_lt_compat | exact: Rlt_0_1]. Qed.

Lemma inverse_gap_active t : S t -> / gap t <= inverse_gap (group_of t).
Proof.
by move=> St; have := group_largest_ge (fun t => if S t then 1 / gap t else 0) t; rewrite St /Rdiv Rmult_1_l.
Qed.

Section Positive.
Hypothesis active_gap : forall t, S t -> 0 < gap t.

Lemma least_gap_le t : S t -> least_gap (group_of t) <= gap t.
Proof.
move=> St; have g0 := active_gap St; have H := inverse_gap_active St; have i0 := Rinv_0_lt_compat _ g0.
rewrite /least_gap; case: Rlt_dec => [pos | []]; last lra.
by rewrite -[X in _ <= X]Rinv_inv; apply: Rinv_le_contravar.
Qed.

Lemma inverse_gap_met i : meets (p := problem D) S i -> inverse_gap i = / least_gap i.
Proof.
case/existsP=> t /andP[St /eqP <-]; have := inverse_gap_active St; have := Rinv_0_lt_compat _ (active_gap St).
by rewrite /least_gap; case: Rlt_dec => pos; [rewrite Rinv_inv | lra].
Qed.

Lemma inverse_gap_encloses : column_encloses (D := D) inverse_gap_in inverse_gap.
Proof.
have [fg Hg] : encloses (map_rows (idiv P (interval1 N)) gap_in) (fun t => 1 / gap t).
  by apply: (map_encloses gap_encloses) => t I HI; apply: idiv_contains => //; exact: contains1.
have [fx Hx] := within_encloses active_fits (contains0 N) fg (fun t _ => Hg t).
by apply: rows_largest_enclose; split=> // t; have := Hx t; rewrite active_in_mask.
Qed.
End Positive.

Lemma widest_gap_encloses : column_encloses (D := D) widest_gap_in (fun i => Rmax (gap_up i) (gap_down i)).
Proof.
have Hu := rows_largest_enclose P gap_encloses.
have Hd := rows_largest_enclose P (map_encloses (G := fun t => - gap t) gap_encloses (fun t I HI => iopp_contains HI)).
by apply: (combine_column Hu Hd) => i I J; exact: imax_contains.
Qed.

Lemma double_log_contains : contains double_log_in (2 * ln 2).
Proof. by apply: imul_contains; [exact: contains2 | apply: ilog_contains; exact: contains2]. Qed.

(* ---- the tables ---- *)

Lemma meets_row i : has (@id bool) (nth [::] (active_in f) i) = meets (p := problem D) S i.
Proof.
have fr := fits_row active_fits (ltn_ord i).
apply/idP/existsP => [/(has_nthP false) [k kl at_k] | [t /andP[St /eqP <-]]].
  rewrite fr in kl; exists (token_of (Ordinal kl)).
  by rewrite -active_in_mask /in_mask /at_token /= at_k eqxx.
apply/(has_nthP false); exists (tagged (t : data_token D)); first exact: fits_at active_fits.
by move: St; rewrite -active_in_mask.
Qed.

Lemma met_column_encloses column F G : @column_encloses N D column F ->
  (forall i, meets (p := problem D) S i -> F i = G i) ->
  column_encloses (D := D) (met_column column) (fun i => if meets (p := problem D) S i then G i else 0).
Proof.
move=> [sc Hc] E; have [/eqP sa _] := andP active_fits.
have sz : size [seq has (@id bool) r | r <- active_in f] = size column by rewrite size_map sa sc.
apply: (column_map (e0 := (false, anything))) => [|i]; first by rewrite size_zip sz minnn sc.
rewrite nth_zip // (nth_map [::]) ?sa; last exact: ltn_ord.
rewrite meets_row [(_, _).1]/= [(_, _).2]/=; case: ifP => [m | _]; last exact: contains0.
by rewrite -E; [exact: Hc | exact: m].
Qed.

Lemma rate_table_encloses column F G : @column_encloses N D column F ->
  (forall i, meets (p := problem D) S i -> F i = G i) ->
  encloses (rate_table column) (fun t => copies alpha t * (if meets (p := problem D) S (group_of t) then G (group_of t)
    else 0)).
Proof.
move=> Hc E; have Hm := met_column_encloses Hc E.
apply: (by_copies_encloses P Dok Pok
  (F := fun t => if meets (p := problem D) S (group_of t) then G (group_of t) else 0)).
by apply: (spread_column_encloses Hm gap_encloses) => t I J.
Qed.

Lemma limit_table_encloses column F : @column_encloses N D column F ->
  encloses (limit_table column) (fun t => copies alpha t * (F (group_of t) * gap t)).
Proof.
move=> Hc; apply: (by_copies_encloses P Dok Pok (F := fun t => F (group_of t) * gap t)).
by apply: (spread_column_encloses Hc gap_encloses) => t I J; exact: imul_contains.
Qed.

Lemma score_limit_encloses l column best : column_encloses (D := D) column best ->
  encloses (score_limit_table l column)
    (fun t => copies alpha t * (weight (group_of t) * - dloss (loss_of l) (best (group_of t)) * gap t)).
Proof.
move=> Hb; apply: (limit_table_encloses (F := fun i => weight (s := problem D) i * - dloss (loss_of l) (best i))).
exact (map_column Hb (fun i I HI => imul_contains P (group_share_contains P i) (slope_interval_contains P l HI))).
Qed.

Lemma score_rate_encloses l : (forall t, S t -> 0 < gap t) ->
  encloses (score_rate_table l) (fun t => copies alpha t * (if meets (p := problem D) S (group_of t)
    then 1 + (slope_ratio l + 2 * ln 2 / least_gap (group_of t)) * Rmax (gap_up (group_of t)) (gap_down (group_of t))
    else 0)).
Proof.
move=> pos; have Hl : contains (curvature_in l) (slope_ratio l).
  by rewrite /curvature_in /slope_ratio; case: (l); try exact: contains1; exact: contains0.
apply: (rate_table_encloses (F := fun i => 1 + (slope_ratio l + 2 * ln 2 * inverse_gap i) *
  Rmax (gap_up i) (gap_down i)) (G := fun i => 1 + (slope_ratio l + 2 * ln 2 / least_gap i) *
  Rmax (gap_up i) (gap_down i))) => [|i m]; last by rewrite (inverse_gap_met pos m).
apply: (combine_column inverse_gap_encloses widest_gap_encloses) => i I J HI HJ.
apply: iadd_contains; first exact: contains1.
apply: imul_contains HJ; apply: iadd_contains => //; exact: imul_contains double_log_contains HI.
Qed.
End Limits.
