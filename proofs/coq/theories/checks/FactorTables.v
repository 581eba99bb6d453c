(* FactorTables: ranges of a head's factors as tables of intervals, and what the theorems about all later steps compute
   from them (T16).

   P holds the constraints whose factors stay positive. A head has blo and bhi there and B elsewhere, wherever at most
   eps of the attention leaves the selected tokens: its tables. Nothing here looks at the head. lows encloses lower
   bounds low of the margins. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Heads Direction Gibbs Progress Growth Saturation FactorRange LocalRanges
                           PartialStep Runs Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                             Interval
                           Elementary IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals
                             ForeverChecks
                           LocalFactors.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Tables.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation token := (token (problem D)).
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).
Implicit Types (t : token) (i : data_group D) (m lows : seq (seq interval)) (low : token -> R).

Record factor_tables := FactorTables {
  kept_mask : seq (seq bool);                   (* P *)
  allowed : seq interval;                       (* eps, one for each group *)
  lower_table : seq (seq interval);             (* blo *)
  upper_table : seq (seq interval);             (* bhi *)
  size_table : seq (seq interval);              (* B *)
  region_test : seq (seq interval) -> bool      (* what the head asks besides of lower bounds of the margins *)
}.

Definition lows_hold lows low : Prop := fits D lows /\ forall t, Q t -> contains (at_token anything lows t) (low t).
Definition lows_attended low (eps : data_group D -> R) : Prop :=
  forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i.

Variable T : factor_tables.

Record table_ranges := TableRanges { range_low : token -> R; range_high : token -> R; range_size : token -> R;
  range_eps : data_group D -> R }.

Definition table_bounds (r : table_ranges) : factor_bounds token :=
  FactorBounds (@in_mask N D (kept_mask T)) (range_low r) (range_high r) (range_size r).

Record tables_hold (h : head (problem D)) (r : table_ranges) : Prop := TablesHold {
  kept_fits : fits D (kept_mask T);
  kept_constraint : forall t, in_mask (kept_mask T) t -> Q t;
  allowed_encloses : @column_encloses N D (allowed T) (range_eps r);
  lower_encloses : encloses (lower_table T) (range_low r);
  upper_encloses : encloses (upper_table T) (range_high r);
  size_encloses : encloses (size_table T) (range_size r);
  tables_range : forall lows low, lows_hold lows low -> lows_attended low (range_eps r) -> region_test T lows ->
    factor_range Q (Delta alpha) (head_factor alpha h) low (table_bounds r)
}.

Variables (h : head (problem D)) (r : table_ranges).
Hypothesis hold : tables_hold h r.
Notation kept := (@in_mask N D (kept_mask T)).
Notation blo := (range_low r).
Notation bhi := (range_high r).
Notation B := (range_size r).
Notation eps := (range_eps r).

(* ---- outside P ---- *)

Definition rest_mask : seq (seq bool) := map_rows (fun qb => qb.1 && ~~ qb.2) (zip_rows mask (kept_mask T)).

Lemma fits_rest : fits D rest_mask.
Proof. by apply: fits_map; apply: fits_zip; [exact: fits_constraint_mask | exact: kept_fits hold]. Qed.

Lemma in_rest t : in_mask rest_mask t = Q t && ~~ kept t.
Proof.
have fk := kept_fits hold; have fz := fits_zip (fits_constraint_mask Pok) fk.
rewrite /in_mask (at_token_map (false, false)) // at_token_zip //; last exact: fits_constraint_mask.
by rewrite /= -!/(in_mask _ _) (in_constraint_mask Pok).
Qed.

(* P has every constraint. *)
Definition whole_test : bool := let rest := rest_mask in all_within negb rest rest.

Lemma whole_test_sound t : whole_test -> Q t -> kept t.
Proof.
move=> whole Qt; apply: contraT => out_t; have fo := fits_rest.
have ot : in_mask rest_mask t by rewrite in_rest Qt.
by have := all_withinP false fo fo whole ot; rewrite -/(in_mask _ _) ot.
Qed.

(* bhi on P, B elsewhere *)
Definition far_table : seq (seq interval) :=
  map_rows (fun bIJ => if bIJ.1 then bIJ.2.1 else bIJ.2.2)
    (zip_rows (kept_mask T) (zip_rows (upper_table T) (size_table T))).

Lemma far_encloses : encloses far_table (far_factor (table_bounds r)).
Proof.
rewrite /far_factor /=; have fk := kept_fits hold.
have [fh Hh] := upper_encloses hold; have [fo Ho] := size_encloses hold; have fz := fits_zip fh fo.
apply: (encloses_map (e0 := (false, (anything, anything)))) => [|t]; first exact: fits_zip fk fz.
by rewrite at_token_zip //= at_token_zip //= -/(in_mask _ _); case: ifP.
Qed.

(* ---- where the margins are at least low ---- *)

Section Low.
Variables (lows : seq (seq interval)) (low : token -> R).
Hypothesis lows_in : lows_hold lows low.

(* E/(1+E) <= eps *)
Definition attention_test : bool :=
  let odds := group_sums P (low_terms D P picks lows (by_copies D P picks (map_rows (fun=> interval1 N) lows))) in
  all_pairs (@certainly_le N) [seq idiv P o (iadd P (interval1 N) o) | o <- odds] (allowed T).

Lemma attention_test_sound : attention_test -> lows_attended low eps.
Proof.
have Ho : @encloses N D (map_rows (fun=> interval1 N) lows) (fun=> 1).
  by apply: (encloses_map (e0 := anything)) => [|t]; [case: lows_in | exact: contains1].
have HO : column_encloses (group_sums P (low_terms D P picks lows
    (by_copies D P picks (map_rows (fun=> interval1 N) lows)))) (local_odds alpha low).
  have [so H] := group_sums_enclose P (low_terms_enclose P lows_in (by_copies_encloses P Dok Pok Ho));
    split=> // j; have := H j; congr contains.
  rewrite /local_odds -big_mkcondr; apply: eq_big => [t|t _]; last by rewrite Rmult_1_r.
  by rewrite /others andbC.
move=> H i; have HS := map_column (C := fun j => local_odds alpha low j / (1 + local_odds alpha low j)) HO
  (fun j I HI => idiv_contains P HI (iadd_contains P (contains1 N) HI)).
exact: all_pairs_le HS (allowed_encloses hold) H.
Qed.

(* The sum of the factors' bounds times e^-low over all constraints. *)
Definition mass_in : interval := isum P (group_sums P (low_terms D P picks lows far_table)).

Lemma mass_contains : contains mass_in
  (\sum_(t | kept t) bhi t * exp (- low t) + \sum_(t | Q t && ~~ kept t) B t * exp (- low t)).
Proof.
have := table_sum_contains P (low_terms_enclose P lows_in far_encloses); congr contains.
rewrite -big_mkcond (sum_split (kept_constraint hold) (fun t => far_factor (table_bounds r) t * exp (- low t))).
congr (_ + _); apply: eq_bigr => t; rewrite /far_factor /=; first by move=> ->.
by case/andP=> _ /negbTE ->.
Qed.
End Low.

(* The sum of B e^x outside P. *)
Definition rest_mass_in (exponents : seq (seq interval)) : interval :=
  isum P (group_sums P (within rest_mask (interval0 N)
    (combine_tables (imul P) (size_table T) (map_rows (iexp P) exponents)))).

Lemma rest_mass_contains exponents F : encloses exponents F ->
  contains (rest_mass_in exponents) (\sum_(t | Q t && ~~ kept t) B t * exp (F t)).
Proof.
move=> Hx; have He := map_encloses (G := fun t => exp (F t)) Hx (fun t I HI => iexp_contains P HI).
have [fm Hm] := combine_encloses (H := fun t => B t * exp (F t)) (size_encloses hold) He (fun t I J HI HJ
  => imul_contains P HI HJ).
rewrite big_mkcond; have := table_sum_contains P (within_encloses fits_rest (contains0 N) fm (fun t _ => Hm t)).
by congr contains; apply: eq_bigr => t _; rewrite in_rest.
Qed.

(* ---- with the direction ---- *)

Section Reference.
Variables (f : enclosed_reference N) (ws : vec (coord (problem D))) (lam : token -> R).
Hypothesis reference_in : reference_encloses Pok f ws lam.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation excess := (Direction.excess (Delta alpha) u gamma).

(* S is inside P; off P gamma_c exceeds gamma. *)
Definition active_test : bool := all_within (@id bool) (active_in f) (kept_mask T).
Definition slack_test : bool := all_within (@is_positive N) rest_mask (beyond_in P f).

Lemma active_test_sound t : active_test -> active Q mu t -> kept t.
Proof.
have [_ _ _ _ [fa Ha]] := reference_in; move=> H; rewrite Ha => at_.
exact: (all_withinP false fa (kept_fits hold) H at_).
Qed.

Lemma slack_test_sound t : slack_test -> Q t -> ~~ kept t -> 0 < excess t.
Proof.
move=> H Qt nt; have [fb Hb] := beyond_encloses P reference_in; apply: (is_positive_real (Hb t)).
by apply: (all_withinP anything fits_rest fb H); rewrite in_rest Qt.
Qed.

Definition floor_of : interval := log_floor_in P f (lower_table T).

Lemma floor_of_contains : contains floor_of (log_floor Q mu blo).
Proof. exact (log_floor_contains P reference_in (lower_encloses hold)). Qed.

(* gamma (gamma - rho D) e^K *)
Definition exponential_speed_in (rho : fraction N) : interval :=
  imul P (margin_in f) (imul P (reduced_in D P picks f rho) (iexp P floor_of)).

Lemma exponential_speed_contains rho D_max : contains (diameter_in D P picks) D_max ->
  contains (exponential_speed_in rho) (gamma * ((gamma - fraction_real rho * D_max) * exp (log_floor Q mu blo))).
Proof.
move=> Hd; have [_ Hg _ _ _] := reference_in; apply: imul_contains => //; apply: imul_contains.
  exact (reduced_contains reference_in rho Hd).
exact (iexp_contains P floor_of_contains).
Qed.
End Reference.
End Tables.
