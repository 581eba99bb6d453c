(* UnitTables: the factors of a head of ReLU units (UnitsHead.v) as tables.

   While no sign of a unit with an effect changes, it is a loss of one output with the scores of the units that are
   active at the selected tokens: its factors have the ranges of that loss, and a test of the signs. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Heads HeadRanges UnitsHead Direction Growth Saturation FactorRange
                           LocalRanges Absorbing Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals
                           ForeverChecks Pulls LocalFactors OutputHeads FactorTables SlopeTables ClassTables.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the pull of a loss of every output, in a range around the selected score ---- *)

Section Pull.
Variables (p : selection_problem) (alpha : selection p) (l : loss_name) (total_loss : everywhere l).
Notation own t := (score (alpha (group_of t))).

Let labels : labelled alpha l. Proof. by rewrite /labelled total_loss. Qed.

Lemma total_pull_range t down up x : constraint alpha t -> down < gap alpha t -> own t - down <= x <= own t + up ->
  - dloss (loss_of l) (own t + up) * (gap alpha t - down) <= score_pull (loss_of l) t x <=
    - dloss (loss_of l) (own t - down) * (gap alpha t + up).
Proof.
move=> Qt kept xr; have g := gap_eq (others_self Qt); have below : score t < own t - down by lra.
have := pull_in_range labels Qt below xr; rewrite /at_least /at_most total_loss.
have -> : own t - down - score t = gap alpha t - down by rewrite g; ring.
by have -> : own t + up - score t = gap alpha t + up by rewrite g; ring.
Qed.

Lemma total_pull_size t down up swing x : constraint alpha t -> down <= swing -> up <= swing ->
  own t - down <= x <= own t + up ->
  Rabs (score_pull (loss_of l) t x) <= - dloss (loss_of l) (own t - down) * (Rabs (gap alpha t) + swing).
Proof.
move=> Qt ds us xr; have g := gap_eq (others_self Qt).
have := pull_size (size := Rabs (gap alpha t) + swing) labels Qt xr; rewrite /at_most total_loss.
apply=> // _ y yr; have -> : y - score t = gap alpha t + (y - own t) by rewrite g; ring.
by apply: Rle_trans (Rabs_triang _ _) _; apply: Rplus_le_compat_l; apply: Rabs_le; lra.
Qed.
End Pull.

Section Units.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation token := (token (problem D)).
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).
Variables (k : nat) (Y : data_group D -> R) (r : 'I_k -> R) (unit_of : token -> 'I_k -> R) (l : loss_name).
Notation h := (@units_head (problem D) [finType of 'I_k] Y r unit_of (loss_of l)).
Notation scored := (@units_problem (problem D) [finType of 'I_k] Y r unit_of alpha).
Notation chosen_units := (@units_selection (problem D) [finType of 'I_k] Y r unit_of alpha).
Notation unit_score := (@units_score (problem D) [finType of 'I_k] Y r unit_of alpha).
Notation on := (@unit_on (problem D) [finType of 'I_k] unit_of alpha).
Variables (v : seq (seq (seq interval))) (weights : seq (seq interval)).

(* ---- computed ---- *)

(* The weights of the active units: anything where a sign is open. *)
Definition active_row (w own : seq interval) : seq interval :=
  if active_weights w own is Some p then p else [seq anything | _ <- w].

Definition unit_gap_table : seq (seq interval) :=
  [seq let own := nth [::] x.1.2 x.2 in let p := active_row x.1.1 own in
       [seq row_total P p (row_differences P own z) | z <- x.1.2] | x <- zip (zip weights v) picks].
Definition unit_best_column : seq interval :=
  [seq let own := nth [::] x.1.2 x.2 in row_total P (active_row x.1.1 own) own | x <- zip (zip weights v) picks].

(* Is the sign of each unit with an effect that of the selected token wherever at most e of the attention is
  elsewhere? *)
Definition unit_decided (e : interval) (x : interval * interval * (interval * interval)) : bool :=
  [|| is_zero x.1.1, is_positive (isub P x.1.2 (imul P e x.2.1)) | is_positive (iopp (iadd P x.1.2 (imul P e x.2.2)))].
Definition unit_signs_of (w : seq interval) (rows : seq (seq interval)) (e : interval) (pick : nat) : bool :=
  let d := class_shifts P rows pick in
  all (unit_decided e) (zip (zip w (nth [::] rows pick))
    (zip (largest_row P k [seq [seq iopp x | x <- z] | z <- d]) (largest_row P k d))).
Definition unit_signs_test (eps : seq interval) : bool :=
  all (fun x => unit_signs_of x.1.1.1 x.1.1.2 x.1.2 x.2) (zip (zip (zip weights v) eps) picks).

Definition unit_tables (kept : seq (seq bool)) (eps down up swing : seq interval) (test : seq (seq interval) -> bool) :
    factor_tables N :=
  let gaps := unit_gap_table in
  let best := unit_best_column in
  let share := group_share D P in
  let most := [seq imul P share (slope_interval P l x) | x <- combine_columns (isub P) best down] in
  let least := combine_columns (fun x e => imul P (imul P share (slope_interval P l x)) (isub P (interval1 N) e))
    (combine_columns (iadd P) best up) eps in
  FactorTables kept eps
    (by_copies D P picks (spread_column (imul P) least (spread_column (fun p g => isub P g p) down gaps)))
    (by_copies D P picks (spread_column (imul P) most (spread_column (fun p g => iadd P g p) up gaps)))
    (by_copies D P picks (spread_column (imul P) most (spread_column (fun p g => iadd P (absolute P g) p) swing gaps)))
    test.

Variables (attentions : seq (fraction N)).
Notation eps_in := (eps_column P attentions).
Definition unit_up_in : seq interval := rows_largest P unit_gap_table.
Definition unit_down_in : seq interval := rows_largest P (map_rows (@iopp N) unit_gap_table).

(* T11, T15: the output stays within eps times the extreme gaps. *)
Definition unit_drop_in : seq interval := combine_columns (imul P) eps_in unit_up_in.
Definition unit_local_tables (kept : seq (seq bool)) : factor_tables N :=
  unit_tables kept eps_in unit_drop_in (combine_columns (imul P) eps_in unit_down_in)
    (combine_columns (imul P) eps_in (combine_columns (imax P) unit_up_in unit_down_in)) (fun=> true).

Definition unit_eps_check : bool :=
  [&& size attentions == size (sequences D),
      all (fun e => certainly_le (interval0 N) e && certainly_lt e (interval1 N)) eps_in & unit_signs_test eps_in].
Definition unit_local_check (kept : seq (seq bool)) : bool :=
  unit_eps_check && all_within (@is_positive N) kept (spread_column (fun p g => isub P g p) unit_drop_in
    unit_gap_table).

(* T10: the output loses at most phi. *)
Variable outputs : seq (fraction N).
Notation phi_in := (fractions_in P outputs).
Definition unit_loss_test (lows : seq (seq interval)) : bool :=
  all_pairs (@certainly_le N) (group_sums P (low_terms D P picks lows (by_copies D P picks unit_gap_table))) phi_in.
Definition unit_global_tables : factor_tables N :=
  let none := [seq interval0 N | _ <- sequences D] in
  unit_tables mask eps_in phi_in none phi_in unit_loss_test.
Definition unit_global_check : bool :=
  [&& unit_eps_check, size outputs == size (sequences D), all (fun x => certainly_le (interval0 N) x) phi_in,
      all_within (@is_positive N) mask unit_gap_table &
      all_within (@is_positive N) mask (spread_column (fun p g => isub P g p) phi_in unit_gap_table)].

(* ---- what that means ---- *)

Hypothesis values_in : numbers_enclose k v (fun t u => if insub u is Some u' then unit_of t u' else 0).
Hypothesis weights_in : size weights = size (sequences D) /\
  forall i : data_group D, numbers_in k (nth [::] weights i) (fun u => if insub u is Some u' then Y i * r u' else 0).
Hypothesis signed : forall i, Y i <> 0.
Hypothesis total_loss : everywhere l.

Let X (i : data_group D) (u : 'I_k) : R := if on i u then Y i * r u else 0.

Section Group.
Variable i : data_group D.
Notation rows := (nth [::] v i).
Notation pick := (nth 0%nat picks i).

Let of_group (s : 'I_(length_of D i)) : class_row_encloses (nth [::] rows s) (unit_of (token_of s)).
Proof.
have [_ H] := values_of_group i values_in; apply: (row_from_numbers (H s)) => u.
by rewrite valK.
Qed.

Let own_encloses : class_row_encloses (nth [::] rows pick) (unit_of (alpha i)).
Proof. by have := of_group (Ordinal (picks_lt i Pok)); congr class_row_encloses. Qed.

Let rows_size : size rows = length_of D i.
Proof. by have [] := values_of_group i values_in. Qed.

Let weight_encloses : class_row_encloses (nth [::] weights i) (fun u => Y i * r u).
Proof. by apply: (row_from_numbers ((proj2 weights_in) i)) => u; rewrite valK. Qed.

Lemma active_row_encloses : class_row_encloses (active_row (nth [::] weights i) (nth [::] rows pick)) (X i).
Proof.
have [sw Hw] := weight_encloses; have [so Ho] := own_encloses; rewrite /active_row.
case known: active_weights => [p|]; last first.
  by split=> [|u]; [rewrite size_map | rewrite (nth_map anything) ?sw].
pose at_ (F : 'I_k -> R) (u : nat) := if insub u is Some u' then F u' else 0.
have numbers (q : seq interval) F : class_row_encloses q F -> numbers_in k q (at_ F).
  by case=> sq H; split=> // u uk; rewrite /at_ insubT; exact (H (Ordinal uk)).
have [Z [sp HZ] decided] := active_weights_contain (numbers _ _ (conj sw Hw)) (numbers _ _ (conj so Ho)) known.
split=> // u; have := HZ u (ltn_ord u); congr contains; have [zero other] := decided u (ltn_ord u).
move: zero other; rewrite /at_ valK /X /unit_on => zero other.
case: (Req_dec (Y i * r u) 0) => [w0 | w0]; last by have [_ ->] := other w0; case: Rlt_dec.
by rewrite zero // w0; case: Rlt_dec.
Qed.

Lemma unit_score_sum (s : 'I_(length_of D i)) : unit_score (token_of s) = \sum_(u < k) X i u * unit_of (token_of s) u.
Proof.
rewrite /units_score sum_mull [LHS]big_mkcond; apply: eq_bigr => u _; rewrite /X.
by case: (on i u) => /=; ring.
Qed.

Lemma unit_gaps_of (s : 'I_(length_of D i)) : contains
  (row_total P (active_row (nth [::] weights i) (nth [::] rows pick)) (row_differences P (nth [::] rows pick)
    (nth [::] rows s))) (gap chosen_units (token_of s : token)).
Proof.
have [sx Hx] := active_row_encloses; have [so Ho] := own_encloses; have [ss Hs] := of_group s.
have -> : gap chosen_units (token_of s : token) = \sum_(u < k) X i u * (unit_of (alpha i) u - unit_of (token_of s) u).
  have -> : gap chosen_units (token_of s : token) = unit_score (alpha i) - unit_score (token_of s) by [].
  have -> : alpha i = token_of (Ordinal (picks_lt i Pok)) by [].
  by rewrite !unit_score_sum -sumB; apply: eq_bigr => u _; ring.
apply: isum_contains => [|u]; first by rewrite size_map !size_zip size_map size_zip sx so ss !minnn.
rewrite (nth_map (anything, anything)) ?size_zip ?size_map ?size_zip ?sx ?so ?ss ?minnn //.
rewrite nth_zip ?size_map ?size_zip ?sx ?so ?ss ?minnn //=.
rewrite (nth_map (anything, anything)) ?size_zip ?so ?ss ?minnn // nth_zip ?so ?ss //=.
exact (imul_contains P (Hx u) (isub_contains P (Ho u) (Hs u))).
Qed.

Lemma unit_best_of : contains (row_total P (active_row (nth [::] weights i) (nth [::] rows pick)) (nth [::] rows pick))
  (unit_score (alpha i)).
Proof.
have [sx Hx] := active_row_encloses; have [so Ho] := own_encloses.
have -> : unit_score (alpha i) = \sum_(u < k) X i u * unit_of (alpha i) u.
  by rewrite -[alpha i]/(token_of (Ordinal (picks_lt i Pok))) unit_score_sum.
apply: isum_contains => [|u]; first by rewrite size_map size_zip sx so minnn.
rewrite (nth_map (anything, anything)) ?size_zip ?sx ?so ?minnn // nth_zip ?sx ?so //=.
exact (imul_contains P (Hx u) (Ho u)).
Qed.

Definition unit_up (i : data_group D) (u : 'I_k) : R := group_largest (fun t => unit_of t u - unit_of (alpha
  (group_of t)) u) i.
Definition unit_down (i : data_group D) (u : 'I_k) : R :=
  group_largest (fun t => - (unit_of t u - unit_of (alpha (group_of t)) u)) i.

Lemma unit_signs_sound e x : contains e x -> unit_signs_of (nth [::] weights i) rows e pick -> forall u, r u <> 0 ->
  0 < unit_of (alpha i) u - x * unit_down i u \/ unit_of (alpha i) u + x * unit_up i u < 0.
Proof.
move=> Hx H u r0; have [sw Hw] := weight_encloses; have [so Ho] := own_encloses.
have sd : size (class_shifts P rows pick) = length_of D i by rewrite size_map rows_size.
have shifts (s : 'I_(length_of D i)) : class_row_encloses (nth [::] (class_shifts P rows pick) s)
    (fun u => unit_of (token_of s) u - unit_of (alpha i) u).
  by rewrite (nth_map [::]) ?rows_size //; apply: (row_zip_encloses (of_group s) own_encloses) => c I J; exact:
    isub_contains.
have [su Hu] := largest_row_encloses P sd shifts.
have [sn Hn] : class_row_encloses (largest_row P k [seq [seq iopp y | y <- z] | z <- class_shifts P rows pick])
    (fun u => \big[Rmax/0]_(s < length_of D i) - (unit_of (token_of s) u - unit_of (alpha i) u)).
  apply: largest_row_encloses => [|s]; first by rewrite size_map.
  by rewrite (nth_map [::]) ?sd //; apply: (row_map_encloses (shifts s)) => c I; exact: iopp_contains.
have := all_nthP ((anything, anything), (anything, anything)) H u.
rewrite !size_zip sw so sn su !minnn => /(_ (ltn_ord u)).
rewrite !nth_zip ?size_zip ?sw ?so ?sn ?su ?minnn // /unit_decided /=.
have w0 : Y i * r u <> 0 by move=> /Rmult_integral[/signed | /r0].
case/or3P=> [/(is_zero_real (Hw u)) | /(is_positive_real _) | /(is_positive_real _)] //.
  by move=> pos; left; exact (pos _ (isub_contains P (Ho u) (imul_contains P Hx (Hn u)))).
move=> pos; right; have := pos _ (iopp_contains (iadd_contains P (Ho u) (imul_contains P Hx (Hu u)))).
by rewrite -/(unit_up i u) => n; apply: Ropp_lt_cancel; rewrite Ropp_0; exact: n.
Qed.
End Group.

Notation ugap := (gap chosen_units : token -> R).

Lemma unit_gap_table_encloses : encloses unit_gap_table ugap.
Proof.
have sv := numbers_size values_in; have sw := proj1 weights_in; have [/eqP sp _] := andP Pok.
apply: (by_groups_encloses (a0 := (([::], [::]), 0%nat)) (f := fun x => let own := nth [::] x.1.2 x.2 in
  let p := active_row x.1.1 own in [seq row_total P p (row_differences P own z) | z <- x.1.2])) => [|i].
  by rewrite !size_zip sw sv sp !minnn.
rewrite !nth_zip ?size_zip ?sw ?sv ?sp ?minnn //; have [si _] := values_of_group i values_in.
split=> [|s]; first by rewrite size_map.
by rewrite (nth_map [::]) ?si //; exact: unit_gaps_of.
Qed.

Lemma unit_best_encloses : column_encloses (D := D) unit_best_column (fun i => unit_score (alpha i)).
Proof.
have sv := numbers_size values_in; have sw := proj1 weights_in; have [/eqP sp _] := andP Pok.
apply: (column_map (e0 := (([::], [::]), 0%nat))) => [|i]; first by rewrite !size_zip sw sv sp !minnn.
by rewrite !nth_zip ?size_zip ?sw ?sv ?sp ?minnn //; exact: unit_best_of.
Qed.

Notation eps := (fun i : data_group D => constant_of attentions i).

Section Checked.
Hypothesis checked : unit_eps_check.

Lemma unit_eps_encloses : @column_encloses N D eps_in eps.
Proof. by apply: fractions_in_enclose; have /andP[/eqP] := checked. Qed.

Lemma unit_eps_range i : 0 <= eps i < 1.
Proof.
have /and3P[_ H _] := checked; have [se He] := unit_eps_encloses.
have := all_nthP anything H i; rewrite se => /(_ (ltn_ord i))/andP[h0 h1].
by split; [exact: certainly_le_real (contains0 N) (He i) h0 | exact: certainly_lt_real (He i) (contains1 N) h1].
Qed.

Lemma unit_signs_hold low : lows_attended Pok low eps ->
  forall z, margins_above Q (Delta alpha) low z -> forall i, @same_signs (problem D) [finType of 'I_k] r unit_of
    alpha i
    (attention z).
Proof.
move=> att; refine (@units_signs (problem D) _ r unit_of alpha low eps unit_up unit_down att _ _ _) => [i u|i t u
  ti|i u r0].
- by split; exact: group_largest_ge0.
- have /andP[_ /eqP ig] := ti; rewrite -ig; split; last first.
    exact: (group_largest_ge (fun t => unit_of t u - unit_of (alpha (group_of t)) u) t).
  rewrite -[X in _ <= X]Ropp_involutive; apply: Ropp_le_contravar.
  exact: (group_largest_ge (fun t => - (unit_of t u - unit_of (alpha (group_of t)) u)) t).
have /and3P[_ _ H] := checked; have [se He] := unit_eps_encloses.
have sv := numbers_size values_in; have sw := proj1 weights_in; have [/eqP sp _] := andP Pok.
have := all_nthP ((([::], [::]), anything), 0%nat) H i; rewrite !size_zip sw sv se sp !minnn => /(_ (ltn_ord i)).
rewrite !nth_zip ?size_zip ?sw ?sv ?se ?sp ?minnn //= => signs; exact (unit_signs_sound (He i) signs r0).
Qed.
End Checked.

(* The tables' entries, for columns of the output's range. *)
Section Entries.
Variables (kept : seq (seq bool)) (test : seq (seq interval) -> bool) (down_in up_in swing_in : seq interval).
Variables (down up swing : data_group D -> R).
Hypothesis eps_encloses : @column_encloses N D eps_in eps.
Hypotheses (down_encloses : column_encloses (D := D) down_in down) (up_encloses : column_encloses (D := D) up_in up).
Hypothesis swing_encloses : column_encloses (D := D) swing_in swing.
Notation T := (unit_tables kept eps_in down_in up_in swing_in test).
Definition unit_least_slope (up : data_group D -> R) (i : data_group D) : R :=
  - dloss (loss_of l) (unit_score (alpha i) + up i).
Definition unit_most_slope (down : data_group D -> R) (i : data_group D) : R :=
  - dloss (loss_of l) (unit_score (alpha i) - down i).

Lemma unit_lower_encloses : encloses (lower_table T) (fun t => copies alpha t * (weight (group_of t) *
  unit_least_slope up (group_of t) * (1 - eps (group_of t)) * (ugap t - down (group_of t)))).
Proof.
have share i : contains (group_share D P) (weight (s := problem D) i) := group_share_contains P i.
have Hh := combine_column (C := fun i => unit_score (alpha i) + up i) unit_best_encloses up_encloses
  (fun i I J HI HJ => iadd_contains P HI HJ).
have Hc := combine_column (C := fun i => weight (s := problem D) i * unit_least_slope up i * (1 - eps i)) Hh
  eps_encloses
  (fun i I J HI HJ => imul_contains P (imul_contains P (share i) (slope_interval_contains P l HI))
    (isub_contains P (contains1 N) HJ)).
apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) * unit_least_slope up (group_of t) *
  (1 - eps (group_of t)) * (ugap t - down (group_of t)))).
have Hg := spread_column_encloses (f := fun p g => isub P g p) (G := fun t => ugap t - down (group_of t)) down_encloses
  unit_gap_table_encloses (fun t I J HI HJ => isub_contains P HJ HI).
by apply: (spread_column_encloses Hc Hg) => t I J; exact: imul_contains.
Qed.

Let most_encloses : column_encloses (D := D) [seq imul P (group_share D P) (slope_interval P l x)
    | x <- combine_columns (isub P) unit_best_column down_in]
  (fun i => weight (s := problem D) i * unit_most_slope down i).
Proof.
have share i : contains (group_share D P) (weight (s := problem D) i) := group_share_contains P i.
have Hh := combine_column (C := fun i => unit_score (alpha i) - down i) unit_best_encloses down_encloses
  (fun i I J HI HJ => isub_contains P HI HJ).
exact (map_column Hh (fun i I HI => imul_contains P (share i) (slope_interval_contains P l HI))).
Qed.

Lemma unit_upper_encloses : encloses (upper_table T) (fun t => copies alpha t * (weight (group_of t) *
  unit_most_slope down (group_of t) * (ugap t + up (group_of t)))).
Proof.
apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) * unit_most_slope down (group_of t) *
  (ugap t + up (group_of t)))).
have Hg := spread_column_encloses (f := fun p g => iadd P g p) (G := fun t => ugap t + up (group_of t)) up_encloses
  unit_gap_table_encloses (fun t I J HI HJ => iadd_contains P HJ HI).
by apply: (spread_column_encloses most_encloses Hg) => t I J; exact: imul_contains.
Qed.

Lemma unit_size_encloses : encloses (size_table T) (fun t => copies alpha t * (weight (group_of t) *
  unit_most_slope down (group_of t) * (Rabs (ugap t) + swing (group_of t)))).
Proof.
apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) * unit_most_slope down (group_of t) *
  (Rabs (ugap t) + swing (group_of t)))).
have Hg := spread_column_encloses (f := fun p g => iadd P (absolute P g) p)
  (G := fun t => Rabs (ugap t) + swing (group_of t)) swing_encloses
  unit_gap_table_encloses (fun t I J HI HJ => iadd_contains P (absolute_contains P HJ) HI).
by apply: (spread_column_encloses most_encloses Hg) => t I J; exact: imul_contains.
Qed.
End Entries.

(* ---- T11, T15 ---- *)

Notation gap_up := (group_largest ugap).
Notation gap_down := (group_largest (fun t => - ugap t)).

Lemma unit_up_encloses : column_encloses unit_up_in gap_up.
Proof. exact: rows_largest_enclose unit_gap_table_encloses. Qed.

Lemma unit_down_encloses : column_encloses unit_down_in gap_down.
Proof. by apply: rows_largest_enclose; apply: (map_encloses unit_gap_table_encloses) => t I; exact: iopp_contains. Qed.

Definition unit_local_head (kept : seq (seq bool)) : local_head scored :=
  @LocalHead scored (@in_mask N D kept) eps gap_up gap_down (fun i => eps i * Rmax (gap_up i) (gap_down i))
    (unit_least_slope (fun i => eps i * gap_down i)) (unit_most_slope (fun i => eps i * gap_up i)).

Section Local.
Variable kept : seq (seq bool).
Hypotheses (fits_mask : fits D kept) (mask_constraint : forall t, in_mask kept t -> Q t).
Hypothesis checked : unit_local_check kept.
Let eps_checked : unit_eps_check. Proof. by case/andP: checked. Qed.
Let eps_in_range := unit_eps_encloses eps_checked.

Lemma unit_kept_gap (t : token) : in_mask kept t -> eps (group_of t) * gap_up (group_of t) < ugap t.
Proof.
move=> kt; have /andP[_ H] := checked.
have Hd := combine_column (C := fun i => eps i * gap_up i) eps_in_range unit_up_encloses
  (fun i I J HI HJ => imul_contains P HI HJ).
have [fk Hk] := spread_column_encloses (f := fun p g => isub P g p)
  (G := fun t => ugap t - eps (group_of t) * gap_up (group_of t)) Hd
  unit_gap_table_encloses (fun t I J HI HJ => isub_contains P HJ HI).
exact (Rminus_gt_0_lt _ _ (is_positive_real (Hk t) (all_withinP anything fits_mask fk H kt))).
Qed.

Lemma unit_local_ranges : local_ranges chosen_units (loss_of l) (unit_local_head kept).
Proof.
have d0 x : 0 < - dloss (loss_of l) x by have := dloss_lt0 (loss_of l) x; lra.
have e0 i : 0 <= eps i by have := unit_eps_range eps_checked i; lra.
refine (@LocalHeadRanges scored chosen_units (loss_of l) (unit_local_head kept) mask_constraint
  (unit_eps_range eps_checked) _ (group_largest_ge0 ugap) (group_largest_ge0 (fun t => - ugap t)) unit_kept_gap
  (fun i => d0 _) (fun i => Rlt_le _ _ (d0 _)) _ _ _).
- move=> i t /andP[_ /eqP <-]; split; last exact: (group_largest_ge ugap t).
  rewrite -[X in _ <= X]Ropp_involutive; apply: Ropp_le_contravar; exact: (group_largest_ge (fun t => - ugap t) t).
- by move=> i; apply: Rmult_le_pos (e0 i) (Rle_trans _ _ _ _ (Rmax_l _ _)); exact: group_largest_ge0.
- move=> t x kt xr; exact (@total_pull_range scored chosen_units l total_loss t _ _ x (mask_constraint kt)
  (unit_kept_gap kt) xr).
move=> t x Qt xr; apply: (@total_pull_size scored chosen_units l total_loss t _ _ _ x Qt _ _ xr); apply:
  Rmult_le_compat_l (e0 _) _.
  exact: Rmax_l.
exact: Rmax_r.
Qed.

Notation factors := (@local_bounds scored chosen_units (unit_local_head kept)).
Definition unit_local_range : table_ranges D :=
  TableRanges (factor_low factors) (factor_high factors) (factor_size factors) eps.

Theorem unit_local_hold : tables_hold Pok (unit_local_tables kept) h unit_local_range.
Proof.
have Hd := combine_column (C := fun i => eps i * gap_up i) eps_in_range unit_up_encloses
  (fun i I J HI HJ => imul_contains P HI HJ).
have Hu := combine_column (C := fun i => eps i * gap_down i) eps_in_range unit_down_encloses
  (fun i I J HI HJ => imul_contains P HI HJ).
have Hm := combine_column (C := fun i => Rmax (gap_up i) (gap_down i)) unit_up_encloses unit_down_encloses
  (fun i I J HI HJ => imax_contains P HI HJ).
have Hs := combine_column (C := fun i => eps i * Rmax (gap_up i) (gap_down i)) eps_in_range Hm
  (fun i I J HI HJ => imul_contains P HI HJ).
split; [exact: fits_mask | exact: mask_constraint | exact: eps_in_range |
  exact (unit_lower_encloses _ _ _ eps_in_range Hd Hu) | exact (unit_upper_encloses _ _ _ Hd Hu) |
  exact (unit_size_encloses _ _ _ Hd Hs) |] => lows low _ att _.
apply: (units_range (unit_signs_hold eps_checked att)).
exact (local_factor_range unit_local_ranges att).
Qed.
End Local.

(* ---- T10 ---- *)

Notation phi := (fun i : data_group D => constant_of outputs i).
Definition unit_global_head : global_head scored :=
  @GlobalHead scored phi eps (unit_least_slope (fun=> 0)) (unit_most_slope phi).

Section Global.
Hypothesis checked : unit_global_check.
Let eps_checked : unit_eps_check. Proof. by case/andP: checked. Qed.
Let eps_in_range := unit_eps_encloses eps_checked.
Let phi_encloses : @column_encloses N D phi_in phi.
Proof. by apply: fractions_in_enclose; have /and3P[_ /eqP] := checked. Qed.

Lemma unit_global_ranges : global_ranges chosen_units (loss_of l) unit_global_head.
Proof.
have /and5P[_ _ _ pos kept] := checked; have [fg Hg] := unit_gap_table_encloses.
have [fk Hk] := spread_column_encloses (f := fun p g => isub P g p) (G := fun t => ugap t - phi (group_of t))
  phi_encloses
  unit_gap_table_encloses (fun t I J HI HJ => isub_contains P HJ HI).
have in_m t : Q t -> in_mask mask t by rewrite (in_constraint_mask Pok).
have below (t : token) : Q t -> phi (group_of t) < ugap t.
  move=> Qt; exact (Rminus_gt_0_lt _ _ (is_positive_real (Hk t)
    (all_withinP anything (fits_constraint_mask Pok) fk kept (in_m t Qt)))).
have d0 x : 0 < - dloss (loss_of l) x by have := dloss_lt0 (loss_of l) x; lra.
refine (@GlobalHeadRanges scored chosen_units (loss_of l) unit_global_head _ below _ _ _).
- move=> t Qt; have g0 := is_positive_real (Hg t) (all_withinP anything (fits_constraint_mask Pok) fg pos (in_m t Qt)).
  exact (Rminus_gt_0_lt _ _ g0).
- by move=> i; exact (proj2 (unit_eps_range eps_checked i)).
- by move=> i; exact: d0.
move=> i t x /andP[Qt /eqP <-] xr.
have xr' : score (s := scored) (chosen_units (@group_of scored t)) - phi (@group_of scored t) <= x <=
  score (s := scored) (chosen_units (@group_of scored t)) + 0 by rewrite Rplus_0_r.
have [lo hi] := @total_pull_range scored chosen_units l total_loss t _ _ x Qt (below t Qt) xr'; split; first exact: lo.
by rewrite Rplus_0_r in hi; exact: hi.
Qed.

Notation factors := (@global_bounds scored chosen_units unit_global_head).
Definition unit_global_range : table_ranges D :=
  TableRanges (factor_low factors) (fun t => copies alpha t * (weight (group_of t) * unit_most_slope phi (group_of t) *
    (ugap t + 0))) (fun t => copies alpha t * (weight (group_of t) *
  unit_most_slope phi (group_of t) * (Rabs (ugap t) + phi (group_of t)))) eps.

Lemma unit_loss_sound lows low : lows_hold Pok lows low -> unit_loss_test lows ->
  forall i, \sum_(t | others alpha i t) ugap t * (copies alpha t * exp (- low t)) <= phi i.
Proof.
move=> Hlow H i.
have [so HO] := group_sums_enclose P (low_terms_enclose P Hlow (by_copies_encloses P Dok Pok unit_gap_table_encloses)).
have H1 : column_encloses (group_sums P (low_terms D P picks lows (by_copies D P picks unit_gap_table)))
    (fun i => \sum_(t | others alpha i t) ugap t * (copies alpha t * exp (- low t))).
  have E a b x : a * b * x = b * (a * x) by ring.
  split=> // j; have := HO j; congr contains; rewrite -big_mkcondr; apply: eq_big => [t|t _]; last exact: E.
  by rewrite /others andbC.
exact: all_pairs_le H1 phi_encloses H.
Qed.

Theorem unit_global_hold : tables_hold Pok unit_global_tables h unit_global_range.
Proof.
have none : column_encloses (D := D) [seq interval0 N | _ <- sequences D] (fun=> 0).
  by split=> [|i]; [rewrite size_map | rewrite (nth_map (no_sequence N)) ?ltn_ord //; exact: contains0].
split; [exact: fits_constraint_mask | by move=> t; rewrite (in_constraint_mask Pok) | exact: eps_in_range |
  exact (unit_lower_encloses _ _ _ eps_in_range phi_encloses none) | exact (unit_upper_encloses _ _ _ phi_encloses
    none) |
  exact (unit_size_encloses _ _ _ phi_encloses phi_encloses) |] => lows low Hlow att loss.
have inside : global_inside chosen_units unit_global_head low by split; [exact: att | exact: unit_loss_sound Hlow
  loss].
apply: (units_range (unit_signs_hold eps_checked att)).
have [_ pos range _] := global_factor_range unit_global_ranges inside.
split=> [t|t|z Hz t|z Hz t Qt] /=; rewrite ?(in_constraint_mask Pok) ?Qt //; first exact: pos.
by move=> Qt; have := range z Hz t Qt; rewrite /= /global_bhi Rplus_0_r.
Qed.
End Global.
End Units.
