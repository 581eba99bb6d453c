(* MirrorFactors: the executable ranges of T17 (SummedRanges.v), from floors of the margins: what attention may leave
   the selected tokens, how far outputs may be from their scores, and the bounds blo, bhi and B of the factors. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Saturation FactorRange LocalRanges SummedRanges Number Rows
                           TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals ReferenceIntervals Replay ForeverChecks Pulls LocalFactors.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the upper end of an interval as a real number ---- *)

Section Upper.
Variable N : number.
Implicit Types I : interval N.

Definition upper I : R := if I is Between _ hi e then real hi * power e else 0.

Lemma upper_contains I : contains (upper_end I) (upper I).
Proof. by case: I => //= lo hi e; split; right. Qed.

Lemma upper_ge I x : contains I x -> bounded I -> x <= upper I.
Proof. by case: I => //= lo hi e []. Qed.

Lemma bounded_lt I J : certainly_lt (upper_end I) J -> bounded I.
Proof. by case: I. Qed.

Lemma bounded_positive I : is_positive (upper_end I) -> bounded I.
Proof. by case: I. Qed.
End Upper.

Section Factors.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).
Notation others := (others alpha).
Notation gap := (gap alpha).
Notation copies := (copies alpha).
Implicit Types (t : token (problem D)) (i : data_group D).

Variables (l : loss_name) (floors : seq (seq (fraction N))).

(* ---- P and N ---- *)

Definition positive_gaps : seq (seq bool) := map_rows (lt zero) (gaps D picks).
Definition better_mask : seq (seq bool) := map_rows (fun qb => qb.1 && ~~ qb.2) (zip_rows mask positive_gaps).
Notation inside := (@in_mask N D positive_gaps).

(* ---- the ranges ---- *)

Definition fraction_zero : fraction N := Fraction zero one.
Definition margin_floor_at t : R := fraction_real (at_token fraction_zero floors t).
Definition margin_floors_in : seq (seq interval) := map_rows (fraction_in P) floors.
(* What a token may have for each unit of the selected one's attention. *)
Definition part_in : seq (seq interval) :=
  by_copies D P picks (within mask (interval0 N) (map_rows (fun I => iexp P (iopp I)) margin_floors_in)).
Definition rest_in : seq interval := [seq idiv P o (iadd P (interval1 N) o) | o <- group_sums P part_in].
Definition off_in : seq interval := [seq upper_end I | I <- rest_in].
Definition rise_gap_in : seq (seq interval) := map_rows (@iopp N) (gap_table D P picks).
Definition moved_in (g : seq (seq interval)) : seq interval :=
  combine_columns (imin P)
    (group_sums P (combine_tables (imul P) (map_rows (fun I => imax P I (interval0 N)) g) part_in))
    (combine_columns (imul P) off_in (rows_largest P g)).
Definition summed_drop_in : seq interval := moved_in (gap_table D P picks).
Definition summed_rise_in : seq interval := moved_in rise_gap_in.
Definition summed_lowest_in : seq interval := combine_columns (isub P) (selected_scores D P picks) summed_drop_in.
Definition summed_highest_in : seq interval := combine_columns (iadd P) (selected_scores D P picks) summed_rise_in.
Definition summed_least_in : seq interval :=
  combine_columns (fun I J => slope_interval P l (at_least l I J)) summed_lowest_in summed_highest_in.
Definition summed_most_in : seq interval :=
  [seq imul P (group_share D P) a | a <-
    combine_columns (fun I J => slope_interval P l (at_most l I J)) summed_lowest_in summed_highest_in].
Definition summed_kept_in : seq (seq interval) :=
  spread_column (fun p g => isub P g p) summed_drop_in (gap_table D P picks).
Definition summed_low_in : seq (seq interval) :=
  by_copies D P picks (spread_column (imul P)
    (combine_columns (fun a e => imul P (imul P (group_share D P) a) (isub P (interval1 N) e)) summed_least_in off_in)
    summed_kept_in).
Definition summed_high_in : seq (seq interval) :=
  by_copies D P picks (spread_column (imul P) summed_most_in
    (spread_column (fun p g => iadd P g p) summed_rise_in (gap_table D P picks))).
Definition summed_swing_in : seq interval :=
  if everywhere l then combine_columns (imax P) summed_drop_in summed_rise_in else summed_rise_in.
Definition summed_size_in : seq (seq interval) :=
  by_copies D P picks (spread_column (imul P) summed_most_in
    (spread_column (fun p g => iadd P (imax P g (iopp g)) p) summed_swing_in (gap_table D P picks))).

Definition summed_check : bool :=
  [&& fits D floors, labelled_check D picks l, all (fun I => certainly_lt I (interval1 N)) off_in &
      all_within (@is_positive N) positive_gaps summed_kept_in].

Hypothesis checked : summed_check.

Definition odds_part t : R := copies t * (if Q t then exp (- margin_floor_at t) else 0).
Definition off i : R := upper (nth (Everything N) rest_in i).
Definition output_moved (g : token (problem D) -> R) i : R :=
  Rmin (\sum_(t : token (problem D) | group_of t == i) Rmax (g t) 0 * odds_part t) (off i * group_largest g i).
Definition dropped : data_group D -> R := output_moved gap.
Definition output_risen : data_group D -> R := output_moved (fun t => - gap t).
Definition summed_swing i : R := if everywhere l then Rmax (dropped i) (output_risen i) else output_risen i.
Notation lowest i := (score (alpha i) - dropped i).
Notation highest i := (score (alpha i) + output_risen i).
Definition summed_least i : R := - dloss (loss_of l) (at_least l (lowest i) (highest i)).
Definition summed_most i : R := - dloss (loss_of l) (at_most l (lowest i) (highest i)).
Notation factors := (summed_bounds alpha inside off dropped output_risen summed_swing summed_least summed_most).

Let fits_floors : fits D floors. Proof. by case/and4P: checked. Qed.
Let labels : labelled alpha l. Proof. by apply: (labelled_check_sound Dok); case/and4P: checked. Qed.

Lemma fits_positive : fits D positive_gaps.
Proof. by apply: fits_map; exact: fits_gaps. Qed.

Lemma in_positive t : inside t -> 0 < gap t.
Proof. by rewrite /in_mask (at_token_map zero) => [|]; [exact: gap_gt0 | exact: fits_gaps]. Qed.

Lemma positive_constraint t : inside t -> Q t.
Proof. by move/in_positive => g0; apply/eqP => E; move: g0; rewrite /Selection.gap -E; lra. Qed.

Lemma fits_better : fits D better_mask.
Proof. by apply: fits_map; apply: fits_zip; [exact: fits_constraint_mask | exact: fits_positive]. Qed.

Lemma in_better_mask t : in_mask better_mask t = Q t && ~~ inside t.
Proof.
have fz := fits_zip (fits_constraint_mask Pok) fits_positive.
rewrite /in_mask (at_token_map (false, false)) // at_token_zip ?fits_positive //; last exact: fits_constraint_mask.
by rewrite /= -!/(in_mask _ _) (in_constraint_mask Pok).
Qed.

Lemma margin_floors_enclose : encloses margin_floors_in margin_floor_at.
Proof. by apply: (encloses_map (e0 := fraction_zero)) => // t; exact: fraction_in_contains. Qed.

Lemma part_encloses : encloses part_in odds_part.
Proof.
have [fe He] := map_encloses (G := fun t => exp (- margin_floor_at t)) margin_floors_enclose
  (fun t I HI => iexp_contains P (iopp_contains HI)).
apply: (by_copies_encloses P Dok Pok (F := fun t => if Q t then exp (- margin_floor_at t) else 0)).
have [fw Hw] := within_encloses (fits_constraint_mask Pok) (contains0 N) fe (fun t _ => He t).
by split=> // t; have := Hw t; rewrite (in_constraint_mask Pok).
Qed.

Lemma floor_odds_enclose : column_encloses (group_sums P part_in) (local_odds alpha margin_floor_at).
Proof.
have [so H] := group_sums_enclose P part_encloses; split=> // j; have := H j; congr contains.
rewrite /local_odds [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => t _; rewrite /odds_part /Saturation.others.
by case: (Q t); case: (_ == _) => //=; rewrite Rmult_0_r.
Qed.

Let rest_encloses : column_encloses rest_in
  (fun i => local_odds alpha margin_floor_at i / (1 + local_odds alpha margin_floor_at i)).
Proof.
by apply: (map_column floor_odds_enclose) => i I HI; apply: idiv_contains => //; apply: iadd_contains => //; exact:
  contains1.
Qed.

Lemma off_encloses : @column_encloses N D off_in off.
Proof.
have [sr _] := rest_encloses; split=> [|i]; first by rewrite size_map.
by rewrite (nth_map (Everything N)) ?sr; [exact: upper_contains | exact: ltn_ord].
Qed.

Let off_checked i : certainly_lt (nth (Everything N) off_in i) (interval1 N).
Proof.
have /and4P[_ _ H _] := checked; have [so _] := off_encloses.
by apply: (all_nthP (Everything N) H); rewrite so; exact: ltn_ord.
Qed.

Lemma off_lt1 i : off i < 1.
Proof. exact: certainly_lt_real (proj2 off_encloses i) (contains1 N) (off_checked i). Qed.

Lemma off_ge i : local_odds alpha margin_floor_at i / (1 + local_odds alpha margin_floor_at i) <= off i.
Proof.
have [sr H] := rest_encloses; apply: upper_ge (H i) _; have := off_checked i.
by rewrite (nth_map (Everything N)) ?sr; [exact: bounded_lt | exact: ltn_ord].
Qed.

Let part_ge0 t : 0 <= odds_part t.
Proof.
apply: Rmult_le_pos; first exact/Rlt_le/copies_gt0.
by case: (Q t); [exact/Rlt_le/exp_pos | right].
Qed.

Lemma off_ge0 i : 0 <= off i.
Proof.
apply: Rle_trans (off_ge i); have o0 : 0 <= local_odds alpha margin_floor_at i.
  by apply: sum_ge0 => t _; apply: Rmult_le_pos; [exact/Rlt_le/copies_gt0 | exact/Rlt_le/exp_pos].
by apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
Qed.

Lemma moved_encloses g G : encloses g G -> column_encloses (moved_in g) (output_moved G).
Proof.
move=> Hg; have Hm := map_encloses (G := fun t => Rmax (G t) 0) Hg (fun t I HI => imax_contains P HI (contains0 N)).
have Hs := group_sums_enclose P (combine_encloses (H := fun t => Rmax (G t) 0 * odds_part t) Hm part_encloses
  (fun t I J HI HJ => imul_contains P HI HJ)).
have Hl : column_encloses (combine_columns (imul P) off_in (rows_largest P g)) (fun i => off i * group_largest G i).
  by apply: (combine_column off_encloses (rows_largest_enclose P Hg)) => i I J; exact: imul_contains.
by apply: (combine_column Hs Hl) => i I J; exact: imin_contains.
Qed.

Let gap_encloses : encloses (gap_table D P picks) gap := gap_table_encloses P Dok Pok.

Lemma dropped_encloses : column_encloses summed_drop_in dropped.
Proof. exact: moved_encloses. Qed.

Lemma risen_encloses : column_encloses summed_rise_in output_risen.
Proof. by apply: moved_encloses; apply: (map_encloses gap_encloses) => t I; exact: iopp_contains. Qed.

Let kept_encloses : encloses summed_kept_in (fun t => gap t - dropped (group_of t)).
Proof. by apply: (spread_column_encloses dropped_encloses gap_encloses) => t I J HI HJ; exact: isub_contains. Qed.

Lemma positive_kept t : inside t -> dropped (group_of t) < gap t.
Proof.
move=> it; have /and4P[_ _ _ H] := checked; have [fk Hk] := kept_encloses.
by have := is_positive_real (Hk t) (all_withinP (Everything N) fits_positive fk H it); lra.
Qed.

Lemma moved_le (s : R) z i : above_low alpha margin_floor_at z ->
  \sum_(t | others i t) attention z t * (s * gap t) <= output_moved (fun t => s * gap t) i.
Proof.
move=> Hz; apply: Rmin_glb.
  apply: Rle_trans (mean_by_parts Hz s i) _; right; rewrite [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => t _.
  by rewrite /odds_part /Saturation.others; case: (Q t); case: (_ == _) => //=; rewrite !Rmult_0_r.
apply: mean_by_largest; [|exact: group_largest_ge0|].
  exact: (@attention_range _ alpha margin_floor_at off off_ge z Hz).
by move=> t /andP[_ /eqP <-]; exact: (@group_largest_ge N D (fun t => s * gap t)).
Qed.

Lemma summed_means z i : above_low alpha margin_floor_at z ->
  - output_risen i <= \sum_(t | others i t) attention z t * gap t <= dropped i.
Proof.
move=> Hz; have up := moved_le 1 i Hz; have down := moved_le (- 1) i Hz.
have E1 : (fun t => 1 * gap t) = gap by apply: vec_ext => t; ring.
have E2 : (fun t => - 1 * gap t) = (fun t => - gap t) by apply: vec_ext => t; ring.
rewrite E1 in up; rewrite E2 in down; rewrite (eq_bigr (fun t => attention z t * gap t)) in up => [|t _]; last by ring.
rewrite (eq_bigr (fun t => - (attention z t * gap t))) in down => [|t _]; last by ring.
by rewrite sumN in down; rewrite /output_risen /dropped; lra.
Qed.

Lemma moved_ge0 g i : 0 <= output_moved g i.
Proof.
apply: Rmin_glb; last by apply: Rmult_le_pos (off_ge0 i) (group_largest_ge0 _ _).
by apply: sum_ge0 => t _; apply: Rmult_le_pos (Rmax_r _ _) (part_ge0 t).
Qed.

Lemma positive_pull t v : inside t -> lowest (group_of t) <= v <= highest (group_of t) ->
  summed_least (group_of t) * (gap t - dropped (group_of t)) <= score_pull (loss_of l) t v <=
    summed_most (group_of t) * (gap t + output_risen (group_of t)).
Proof.
move=> it vr; have Qt := positive_constraint it; have g := gap_eq (others_self Qt); have kept := positive_kept it.
have -> : gap t - dropped (group_of t) = lowest (group_of t) - score t by rewrite g; ring.
have -> : gap t + output_risen (group_of t) = highest (group_of t) - score t by rewrite g; ring.
by apply: (pull_in_range labels Qt) => //; lra.
Qed.

Lemma pull_size_le t v : Q t -> lowest (group_of t) <= v <= highest (group_of t) ->
  Rabs (score_pull (loss_of l) t v) <= summed_most (group_of t) * (Rabs (gap t) + summed_swing (group_of t)).
Proof.
move=> Qt vr; have g := gap_eq (others_self Qt); set i := group_of t in vr g *.
have e0 := off_ge0 i; have e1 := off_lt1 i.
apply: (pull_size labels Qt vr) => [all_outputs x xr | few].
  rewrite /summed_swing all_outputs; have -> : x - score t = gap t + (x - score (alpha i)) by rewrite g; ring.
  apply: Rle_trans (Rabs_triang _ _) _; apply: Rplus_le_compat_l; apply: Rabs_le.
  by have := Rmax_l (dropped i) (output_risen i); have := Rmax_r (dropped i) (output_risen i); lra.
have [pos _] := labels few; have s0 := pos i; rewrite /summed_swing (negbTE few) (label_gap labels few Qt) -/i.
rewrite Rabs_pos_eq; last lra.
split; last by right.
have up : group_largest gap i <= score (alpha i).
  apply: group_largest_le => [|d di]; first lra.
  case Qd : (Q d); first by rewrite (label_gap labels few Qd) di; right.
  by have E := not_constraint (negbT Qd); rewrite /Selection.gap /selected -E; lra.
have h : off i * group_largest gap i <= off i * score (alpha i) by apply: Rmult_le_compat_l.
have : off i * score (alpha i) < 1 * score (alpha i) by apply: Rmult_lt_compat_r.
by have : dropped i <= off i * group_largest gap i by [exact: Rmin_r]; lra.
Qed.

Lemma summed_hold : summed_ranges alpha (loss_of l) inside margin_floor_at off dropped output_risen summed_swing
  summed_least summed_most.
Proof.
split; [exact: positive_constraint | exact: off_ge | exact: off_lt1 | move=> z Hz i; exact: summed_means |
  exact: positive_kept | | exact: positive_pull | exact: pull_size_le].
by move=> i; have := dloss_lt0 (loss_of l) (at_least l (lowest i) (highest i)); rewrite /summed_least; lra.
Qed.

Theorem summed_range : factor_range Q (Delta alpha) (bare_weight alpha (loss_of l)) margin_floor_at factors.
Proof. exact: summed_factor_range summed_hold. Qed.

Lemma size_ge0 t : Q t -> 0 <= factor_size factors t.
Proof.
move=> Qt; apply: Rmult_le_pos; first exact/Rlt_le/copies_gt0.
apply: Rmult_le_pos.
  apply: Rmult_le_pos; first exact/Rlt_le/weight_gt0.
  by have := dloss_lt0 (loss_of l) (at_most l (lowest (group_of t)) (highest (group_of t))); rewrite /summed_most; lra.
apply: Rplus_le_le_0_compat; first exact: Rabs_pos.
by rewrite /summed_swing; case: ifP => _; [apply: Rle_trans (Rmax_l _ _) |]; exact: moved_ge0.
Qed.

(* ---- enclosed ---- *)

Let lowest_encloses : column_encloses summed_lowest_in (fun i => lowest i).
Proof. by apply: (combine_column (selected_scores_enclose P Pok) dropped_encloses) => i I J; exact: isub_contains. Qed.

Let highest_encloses : column_encloses summed_highest_in (fun i => highest i).
Proof. by apply: (combine_column (selected_scores_enclose P Pok) risen_encloses) => i I J; exact: iadd_contains. Qed.

Lemma low_encloses : encloses summed_low_in (factor_low factors).
Proof.
have Hl : column_encloses summed_least_in summed_least.
  apply: (combine_column lowest_encloses highest_encloses) => i I J HI HJ.
  by apply: slope_interval_contains; exact: at_least_contains.
have H := combine_column (C := fun i => weight (s := problem D) i * summed_least i * (1 - off i)) Hl off_encloses.
apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) * summed_least (group_of t) *
  (1 - off (group_of t)) * (gap t - dropped (group_of t)))).
apply: (spread_column_encloses (H _ _) kept_encloses) => [i I J HI HJ | t I J]; last exact: imul_contains.
apply: imul_contains; last by apply: isub_contains => //; exact: contains1.
by apply: imul_contains => //; exact: group_share_contains.
Qed.

Let most_encloses : column_encloses summed_most_in (fun i => weight (s := problem D) i * summed_most i).
Proof.
have Hm : column_encloses (combine_columns (fun I J => slope_interval P l (at_most l I J)) summed_lowest_in
    summed_highest_in) summed_most.
  apply: (combine_column lowest_encloses highest_encloses) => i I J HI HJ.
  by apply: slope_interval_contains; exact: at_most_contains.
by apply: (map_column Hm) => i I HI; apply: imul_contains => //; exact: group_share_contains.
Qed.

Lemma high_encloses : encloses summed_high_in (factor_high factors).
Proof.
have Hg : encloses (spread_column (fun p g => iadd P g p) summed_rise_in (gap_table D P picks))
    (fun t => gap t + output_risen (group_of t)).
  by apply: (spread_column_encloses risen_encloses gap_encloses) => t I J HI HJ; exact: iadd_contains.
apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) * summed_most (group_of t) *
  (gap t + output_risen (group_of t)))).
by apply: (spread_column_encloses most_encloses Hg) => t I J; exact: imul_contains.
Qed.

Lemma size_encloses : encloses summed_size_in (factor_size factors).
Proof.
have Hs : column_encloses summed_swing_in summed_swing.
  rewrite /summed_swing_in /summed_swing; case: ifP => _; last exact: risen_encloses.
  by apply: (combine_column dropped_encloses risen_encloses) => i I J; exact: imax_contains.
have Hg : encloses (spread_column (fun p g => iadd P (imax P g (iopp g)) p) summed_swing_in (gap_table D P picks))
    (fun t => Rabs (gap t) + summed_swing (group_of t)).
  apply: (spread_column_encloses Hs gap_encloses) => t I J HI HJ; apply: iadd_contains => //.
  have -> : Rabs (gap t) = Rmax (gap t) (- gap t).
    by rewrite /Rabs; case: Rcase_abs => h; [rewrite Rmax_right | rewrite Rmax_left]; lra.
  by apply: imax_contains => //; exact: iopp_contains.
apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) * summed_most (group_of t) *
  (Rabs (gap t) + summed_swing (group_of t)))).
by apply: (spread_column_encloses most_encloses Hg) => t I J; exact: imul_contains.
Qed.
End Factors.
