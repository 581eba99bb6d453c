(* AbsorbingChecks: the executable hypotheses of T10, the absorbing region of a globally optimal selection, at one
   point: HeadAbsorbing.v's, of the tables of a scalar loss's factors (GlobalFactors.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads HeadRuns Claims Direction Growth Region Saturation FactorRange
                           LocalRanges SelectedPath Absorbing Polyak Runs Forever HeadForever Number Rows TokenData
                           MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks LaterTheorem
                           GlobalFactors LocalFactors FactorTables HeadAbsorbing Reference Pulls.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* T10's own constants. *)
Record absorbing_data (N : number) := AbsorbingData {
  absorbing_outputs : seq (fraction N);       (* phi_i, one for each group *)
  absorbing_attentions : seq (fraction N);    (* eps_i *)
  absorbing_step_bound : fraction N           (* h *)
}.

(* ---- the tables of a scalar loss ---- *)

Section Tables.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).
Implicit Types (t : token (problem D)) (i : data_group D) (lows : seq (seq interval)).

Variables (l : loss_name) (evidence : absorbing_data N).
Notation outputs := (absorbing_outputs evidence).
Notation attentions := (absorbing_attentions evidence).

Definition outputs_in : seq interval := fractions_in P outputs.       (* phi_i *)
Definition attentions_in : seq interval := fractions_in P attentions. (* eps_i *)
Notation gaps := (gaps_in D P picks).
Notation kept_gaps := (kept_gaps D P picks outputs_in).
Notation upper_factors := (upper_factors D P picks l outputs_in).

(* The output lost where the margins are at least lows. *)
Definition losses_in lows : seq interval := group_sums P (low_terms D P picks lows (by_copies D P picks gaps)).

(* The factors of all constraints stay positive. *)
Definition absorbing_tables : factor_tables N :=
  FactorTables mask attentions_in (lower_factors D P picks l outputs_in attentions_in) upper_factors upper_factors
    (fun lows => all_pairs (@certainly_le N) (losses_in lows) outputs_in).

Definition absorbing_tables_check : bool :=
  [&& size outputs == size (sequences D), size attentions == size (sequences D),
      global_check D picks && labelled_check D picks l,
      all (fun e => certainly_lt e (interval1 N)) attentions_in & all_within (@is_positive N) mask kept_gaps].

(* thlo, and both bounds of thhi (Polyak.v). *)
Definition least_slope_ratio : interval :=
  isub P (interval1 N) (column_largest P (combine_columns (fun I J => isub P (interval1 N) (idiv P I J))
    (least_slopes D P picks l outputs_in) (most_slopes D P picks l outputs_in))).
Definition attention_ratio : interval :=
  column_largest P [seq idiv P (interval1 N) (isub P (interval1 N) e) | e <- attentions_in].
Definition output_ratio : interval :=
  table_largest P (within mask (interval0 N) (combine_tables (idiv P) gaps kept_gaps)).

Definition absorbing_thetas (r : rule) : option (interval * seq interval) :=
  if r is PolyakSteps then Some (least_slope_ratio, [:: attention_ratio; output_ratio]) else None.

(* ---- what they enclose ---- *)

Hypothesis inside : absorbing_tables_check.
Notation phi := (fun i : data_group D => constant_of outputs i).
Notation eps := (fun i : data_group D => constant_of attentions i).
Notation lmin := (fun i : data_group D =>
  - dloss (loss_of l) (at_least l (score (alpha i) - phi i) (score (alpha i)))).
Notation lmax := (fun i : data_group D =>
  - dloss (loss_of l) (at_most l (score (alpha i) - phi i) (score (alpha i)))).
Notation blo := (global_blo alpha phi eps lmin).
Notation bhi := (global_bhi alpha lmax).

Lemma outputs_enclose : @column_encloses N D outputs_in phi.
Proof. by apply: fractions_in_enclose; have /andP[/eqP ] := inside. Qed.

Lemma attentions_enclose : @column_encloses N D attentions_in eps.
Proof. by apply: fractions_in_enclose; have /and3P[_ /eqP ] := inside. Qed.

Lemma absorbing_optimal : globally_optimal alpha.
Proof. by apply: (global_check_sound Dok); have /and4P[_ _ /andP[]] := inside. Qed.

Lemma absorbing_labels : labelled alpha l.
Proof. by apply: (labelled_check_sound Dok); have /and4P[_ _ /andP[]] := inside. Qed.

Lemma output_below_gap t : Q t -> phi (group_of t) < gap alpha t.
Proof.
move=> Qt; have /and5P[_ _ _ _ H] := inside; have [fk Hk] := kept_gaps_enclose P Dok Pok outputs_enclose.
have it : in_mask mask t by rewrite (in_constraint_mask Pok).
have kept : 0 < gap alpha t - phi (group_of t).
  exact (is_positive_real (Hk t) (all_withinP (Everything N) (fits_constraint_mask Pok) fk H it)).
lra.
Qed.

Lemma attention_below1 i : eps i < 1.
Proof.
have /and5P[_ _ _ H _] := inside; have [se He] := attentions_enclose.
have := all_nthP (Everything N) H i; rewrite se => /(_ (ltn_ord i)).
exact: certainly_lt_real (He i) (contains1 N).
Qed.

(* The head that Absorbing.v speaks about. *)
Definition absorbing_head : global_head (problem D) := @GlobalHead (problem D) phi eps lmin lmax.

Lemma absorbing_ranges : global_ranges alpha (loss_of l) absorbing_head.
Proof.
split; [exact: absorbing_optimal | exact: output_below_gap | exact: attention_below1 | exact:
  least_slope_gt0 Pok l phi |].
move=> i t v ti; have below := output_below_gap (proj1 (andP ti)); have /andP[_ /eqP E] := ti; rewrite E in below.
exact: (pull_within absorbing_labels ti below).
Qed.

Lemma losses_sound lows (low : token (problem D) -> R) : lows_hold Pok lows low ->
  all_pairs (@certainly_le N) (losses_in lows) outputs_in ->
  forall i, \sum_(t | others alpha i t) gap alpha t * (copies alpha t * exp (- low t)) <= phi i.
Proof.
move=> lows_in H i.
have HO : @column_encloses N D (losses_in lows) (fun j =>
    \sum_(t | others alpha j t) gap alpha t * (copies alpha t * exp (- low t))).
  have [so Hs] := group_sums_enclose P (low_terms_enclose P lows_in
    (by_copies_encloses P Dok Pok (gaps_enclose P Dok Pok))); split=> // j; have := Hs j; congr contains.
  rewrite -big_mkcondr; apply: eq_big => [t|t _]; [by rewrite /others andbC | rewrite -/alpha; ring].
exact: all_pairs_le HO outputs_enclose H.
Qed.

Definition absorbing_table_ranges : table_ranges D := TableRanges blo bhi bhi eps.

Theorem absorbing_tables_hold :
  tables_hold Pok absorbing_tables (scalar_head (problem D) (loss_of l)) absorbing_table_ranges.
Proof.
have upper := upper_factors_enclose P Dok Pok l outputs_enclose.
split=> /= [||||||lows low lows_in att small].
- exact: fits_constraint_mask.
- by move=> t; rewrite (in_constraint_mask Pok).
- exact attentions_enclose.
- exact (lower_factors_enclose P Dok Pok l outputs_enclose attentions_enclose).
- exact upper.
- exact upper.
rewrite scalar_factors /table_bounds /= (mask_constraints Pok).
have ins : global_inside alpha absorbing_head low by split; [exact att | exact (losses_sound lows_in small)].
exact (global_factor_range absorbing_ranges ins).
Qed.

(* ---- Polyak's steps ---- *)

Lemma least_slope_ratio_contains : exists thlo, [/\ contains least_slope_ratio thlo, thlo <= 1 &
  forall i, thlo * lmax i <= lmin i].
Proof.
have [x [Hx x0 Hle]] := column_largest_contains P (combine_column (C :=
  fun i => 1 - lmin i / lmax i) (least_slopes_enclose P Pok l outputs_enclose)
  (most_slopes_enclose P Pok l outputs_enclose) (fun i I J HI HJ => isub_contains P (contains1 N)
    (idiv_contains P HI HJ))).
exists (1 - x); split=> [||i]; [by apply: isub_contains => //; exact: contains1 | lra |].
have b0 : 0 < lmax i by have := dloss_lt0 (loss_of l) (at_most l (score (alpha i) - phi i) (score (alpha i))); lra.
apply: (Rmult_le_reg_r (/ lmax i)); first exact: Rinv_0_lt_compat.
by rewrite Rmult_assoc Rinv_r; have := Hle i; rewrite /Rdiv; lra.
Qed.

Lemma slopes_convex i x y : loss_domain (loss_of l) x -> score (alpha i) - phi i <= x -> x <= y ->
  y <= score (alpha i) -> - dloss (loss_of l) y <= - dloss (loss_of l) x.
Proof. by move=> dx _ xy _; exact: slope_decreasing. Qed.

Lemma steady_slopes thlo : 0 < thlo -> thlo <= 1 -> (forall i, thlo * lmax i <= lmin i) ->
  forall (i : data_group D) (z : vec (coord (problem D))), score (alpha i) - phi i <= output z i <= score (alpha i) ->
  thlo * (- dloss (loss_of l) (output z i) * attention z (alpha i)) <= - dloss (loss_of l) (score (alpha i)).
Proof.
move=> lo0 lo1 le i z [zl _]; move: zl; apply: (selected_slope absorbing_labels lo0 lo1) => all_outputs.
by have := le i; rewrite /at_least /at_most all_outputs.
Qed.

(* What thhi has to satisfy, for one of the two ratios that a test accepts. *)
Definition most_slope_ratio (x : R) : Prop :=
  (forall i, 1 <= x * (1 - eps i)) \/ (forall t, Q t -> gap alpha t <= x * (gap alpha t - phi (group_of t))).

Lemma most_slope_ratio_contains (test : interval -> bool) : has test [:: attention_ratio; output_ratio] ->
  exists x I, [/\ contains I x, test I & most_slope_ratio x].
Proof.
rewrite /= orbF; case/orP=> ok.
  have Hcol : @column_encloses N D [seq idiv P (interval1 N) (isub P (interval1 N) e) | e <- attentions_in]
    (fun i => 1 / (1 - eps i)).
    apply: (map_column attentions_enclose) => i I HI; apply: idiv_contains; first exact: contains1.
    by apply: isub_contains => //; exact: contains1.
  have [x [Hx _ Hle]] := column_largest_contains P Hcol; exists x, attention_ratio; split=> //.
  left=> i; have e1 := attention_below1 i; have := Hle i => h; apply: (Rmult_le_reg_r (/ (1 - eps i)));
    first by apply: Rinv_0_lt_compat; lra.
  by rewrite Rmult_assoc Rinv_r; [rewrite /Rdiv in h; lra | lra].
have [fk Hk] := combine_encloses (H := fun t => gap alpha t / (gap alpha t - phi (group_of t)))
  (gaps_enclose P Dok Pok)
  (kept_gaps_enclose P Dok Pok outputs_enclose) (fun t I J HI HJ => idiv_contains P HI HJ).
have [x [Hx x0 Hle]] := table_largest_contains P (within_encloses (fits_constraint_mask Pok) (contains0 N) fk
  (fun t _ => Hk t)).
exists x, output_ratio; split=> //.
right=> t Qt; have := Hle t; rewrite (in_constraint_mask Pok) Qt => h; have p1 := output_below_gap Qt.
apply: (Rmult_le_reg_r (/ (gap alpha t - phi (group_of t)))); first by apply: Rinv_0_lt_compat; lra.
by rewrite Rmult_assoc Rinv_r; [rewrite /Rdiv in h; lra | lra].
Qed.

Section Point.
Variables (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat) (c : conclusion N) (h : fraction N).
Variables (r : rule) (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis region : head_absorbing_check D P picks absorbing_tables f w s first h c (absorbing_thetas r).

Lemma absorbing_polyak_range : polyak_range Pok c (absorbing_thetas r) (scalar_head (problem D) (loss_of l))
  (least_loss alpha (loss_of l)) absorbing_table_ranges ws w0.
Proof.
rewrite /polyak_range; case: (r) => // th [<-] lo0 test fits _.
have [cs _ _ _ _] := conclusion_facts point_in (proj1 (andP region)).
pose dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) cs; pose o := natural_reference dir w0.
have lows := absorbing_lows_hold Dok solution reference_in point_in region.
have att := absorbing_attended Dok solution reference_in point_in absorbing_tables_hold region.
have /and4P[_ /and3P[_ _ small] _ _] := region.
have ins : global_inside alpha absorbing_head (path_low (Delta alpha) (margin_direction ws)
    (w0 - Direction.height (margin_direction ws) w0 * margin_direction ws)%V w0 (fraction_real (said_path c))).
  by split; [exact att | exact (losses_sound lows small)].
have [dm [_ _ dm_le]] := diameter_contains P Dok Pok.
have [thlo [Hthlo thlo1 thlo_le]] := least_slope_ratio_contains; have thlo0 := is_positive_real Hthlo lo0.
have [thhi [I [HI ok thhi_ge]]] := most_slope_ratio_contains fits.
have bounds : polyak_ranges alpha (loss_of l) absorbing_head (PolyakBounds dm thlo thhi).
  by split; [exact: slopes_convex | move=> t _; exact: dm_le | exact: thlo0 | exact: steady_slopes thlo_le |
    exact: thhi_ge].
exists thlo, thhi, I; split=> // z; rewrite scalar_factors scalar_loss.
exact: (excess_weights (o := o) absorbing_ranges bounds (labelled_defined absorbing_labels) (w := fun=> w0) ins).
Qed.
End Point.
End Tables.

(* ---- T10 as a theorem for all later steps ---- *)

Section LaterTheorem.
Variable N : number.

Definition absorbing_check : later_check N (absorbing_data N) := fun D P picks l f w s first c x =>
  absorbing_tables_check D P picks l x &&
  head_absorbing_check D P picks (absorbing_tables D P picks l x) f w s first (absorbing_step_bound x) c
    (absorbing_thetas D P picks l x (spec_rule s)).

Lemma absorbing_constraint : needs_constraint absorbing_check.
Proof. by move=> D P picks Pok l f w s first c x /andP[_ /andP[/andP[H _] _]]; exact: has_constraintP. Qed.

Theorem absorbing_later_holds : later_holds false absorbing_check.
Proof.
move=> D P picks Dok Pok l f w s first c x ws w0 lam sol ref pt /andP[tables region].
split=> [|_]; last exact (absorbing_optimal Dok tables); apply/scalar_forever.
exact (head_absorbing_sound Dok sol ref pt (absorbing_tables_hold Dok Pok tables) region
  (absorbing_polyak_range Dok tables sol ref pt region)).
Qed.

Definition absorbing_theorem : later_theorem N := LaterTheorem absorbing_constraint absorbing_later_holds.
End LaterTheorem.
