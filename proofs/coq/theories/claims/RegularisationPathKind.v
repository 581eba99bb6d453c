(* RegularisationPathKind: the claim `regularisation-path` (T21): from the stated radius on, is the stated constant at
   least the one of the theorem?

   Score gaps are exact; the direction, the slopes of the loss and the logarithms are enclosed by interval arithmetic.
   The share theta of the attention that a selected token may lose follows from the radius: no constant is given as
   evidence. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Losses Direction Saturation RegularisationPath Number Rows Entries
                           TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals SmoothnessChecks ReferenceIntervals Pulls ForeverChecks LabelPath
                           ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- in any norm: how far margins are below gamma r at what is no worse than a ray with margins gamma r ---- *)

Section Levels.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Notation interval := (interval N).
Variables (l : loss_name) (G : interval) (from : fraction N).

(* ---- what is computed ---- *)

(* gamma R beyond this is taken for this: the bounds hold from a smaller radius on, then. *)
Definition decay_cut : R := 4294967296.

Definition floors_in : seq interval := [seq ratio P (score_unit D) (least_entry (score_row q)) | q <- sequences D].
Definition tops_in : seq interval := selected_scores D P picks.
Definition score_gaps_in : seq (seq interval) := gap_table D P picks.
Definition totals_in : seq interval := group_sums P (by_copies D P picks score_gaps_in).
(* imin alone would lose the cut beside a much larger number. *)
Definition path_reach_in : interval :=
  let far := imul P G (fraction_in P from) in
  let cut_in := dyadic one 32 in if certainly_le cut_in far then cut_in else imin P far cut_in.
Definition path_decay_in : interval := iexp P (iopp path_reach_in).
(* Where the slopes are taken that bound what is lost on the ray: cross-entropy loses log (1 + E) <= E there. *)
Definition path_lows_in : seq interval :=
  if everywhere l then
    combine_columns (imax P) floors_in (combine_columns (fun b s => isub P b (imul P s path_decay_in))
      tops_in totals_in)
  else tops_in.

Definition weighted_slopes (scores : seq interval) : seq interval :=
  [seq imul P (group_share D P) (slope_interval P l b) | b <- scores].
Definition scale_in : interval := isum P (combine_columns (imul P) (weighted_slopes path_lows_in) totals_in).

(* A e^(-gamma R) over weight times least slope times gap; the largest of each group is theta. *)
Definition share_costs : seq interval := [seq idiv P (imul P scale_in path_decay_in) v | v <-
  weighted_slopes tops_in].
Definition share_table : seq (seq interval) :=
  within (constraint_mask D picks) (interval0 N) (spread_column (idiv P) share_costs score_gaps_in).
Definition thetas_in : seq interval := [seq column_largest P row | row <- share_table].

Definition path_factors_in : seq (seq interval) :=
  by_copies D P picks (spread_column (imul P)
    (combine_columns (fun v e => imul P v (isub P (interval1 N) e)) (weighted_slopes tops_in) thetas_in) score_gaps_in).
(* Constraints without a multiplier need no logarithm. *)
Definition rate_term (weight factor : interval) : interval :=
  if is_zero weight then interval0 N else imul P weight (ilog P (idiv P scale_in factor)).
(* The sum of log (A/B_c) with these weights. *)
Definition path_sum_in (weights : seq (seq interval)) : interval :=
  isum P (group_sums P (combine_tables rate_term weights path_factors_in)).

Definition path_levels_check : bool :=
  [&& labelled_check D picks l && has_constraint D picks, global_check D picks,
      certainly_lt (interval0 N) (fraction_in P from) & all (fun e => certainly_lt e (interval1 N)) thetas_in].

(* ---- why that suffices ---- *)

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation Q := (constraint alpha).

Variables (gamma : R) (u : vec (coord (problem D))).
Hypotheses (gamma_gt0 : 0 < gamma) (gamma_in : contains G gamma).
Hypothesis on_ray : forall t, Q t -> gamma <= margin alpha u t.
Notation total := (total_gap alpha).
Notation floor := (@low_score N D).
Notation reach := (Rmin (gamma * fraction_real from) decay_cut).
Notation decay := (exp (- reach)).
Notation low_output := (fun i : data_group D => Rmax (floor i) (score (alpha i) - total i * decay)).
Notation low := (fun i : data_group D => if everywhere l then low_output i else score (alpha i)).
Notation lmin := (fun i : data_group D => - dloss (loss_of l) (score (alpha i))).
Notation lmax := (fun i : data_group D => - dloss (loss_of l) (low i)).
Notation scale := (path_scale alpha lmax).

Lemma floors_enclose : @column_encloses N D floors_in floor.
Proof. by apply: (column_map (e0 := no_sequence N)) => // i; exact: ratio_contains. Qed.

Lemma tops_enclose : @column_encloses N D tops_in (fun i => score (alpha i)).
Proof. exact: selected_scores_enclose. Qed.

Lemma score_gaps_enclose : encloses score_gaps_in (gap alpha).
Proof. exact: gap_table_encloses. Qed.

Lemma totals_enclose : @column_encloses N D totals_in total.
Proof.
have [sc Hc] := group_sums_enclose P (by_copies_encloses P Dok Pok score_gaps_enclose); split=> // i.
have := Hc i; congr contains; have own : gap alpha (alpha i) = 0 by rewrite /gap selected_pick; ring.
by rewrite (group_sum alpha) own Rmult_0_r Rplus_0_l; apply: eq_bigr => t _; exact: Rmult_comm.
Qed.

Lemma decay_contains : contains path_decay_in decay.
Proof.
apply/iexp_contains/iopp_contains.
have far := imul_contains P gamma_in (fraction_in_contains P from).
have cutE : power 32 = decay_cut by rewrite /power /decay_cut /=; ring.
have cut_in : contains (dyadic (@one N) 32) decay_cut.
  by have := dyadic_contains (@one N) 32; rewrite real1 Rmult_1_l cutE.
rewrite /path_reach_in; case: ifP => [/(certainly_le_real cut_in far) h | _]; last exact: imin_contains.
by rewrite Rmin_right.
Qed.

Lemma path_lows_enclose : @column_encloses N D path_lows_in low.
Proof.
rewrite /path_lows_in; case: ifP => _; last exact: tops_enclose.
have H : @column_encloses N D (combine_columns (fun b s => isub P b (imul P s path_decay_in)) tops_in totals_in)
    (fun i => score (alpha i) - total i * decay).
  apply: (combine_column tops_enclose totals_enclose) => i I J HI HJ.
  by apply: isub_contains => //; apply: imul_contains => //; exact: decay_contains.
by apply: (combine_column floors_enclose H) => i I J; exact: imax_contains.
Qed.

Lemma weighted_slopes_enclose c (x : data_group D -> R) : @column_encloses N D c x ->
  @column_encloses N D (weighted_slopes c) (fun i => weight (s := problem D) i * - dloss (loss_of l) (x i)).
Proof.
move=> H; apply: (map_column H) => i I HI.
by apply: imul_contains; [exact: group_share_contains | exact: slope_interval_contains].
Qed.

Lemma scale_contains : contains scale_in scale.
Proof.
apply: column_sum_contains; apply: (combine_column (weighted_slopes_enclose path_lows_enclose)
  totals_enclose) => i I J.
exact: imul_contains.
Qed.

Lemma best_slope_gt0 i : 0 < lmin i.
Proof. by have := dloss_lt0 (loss_of l) (score (alpha i)); lra. Qed.

Notation costs := (fun i : data_group D => scale * decay / (weight (s := problem D) i * lmin i)).

Lemma share_costs_enclose : @column_encloses N D share_costs costs.
Proof.
apply: (map_column (weighted_slopes_enclose tops_enclose)) => i I HI.
exact (idiv_contains P (imul_contains P scale_contains decay_contains) HI).
Qed.

Lemma thetas_enclose : exists theta : data_group D -> R, @column_encloses N D thetas_in theta /\
  forall t, Q t -> costs (group_of t) / gap alpha t <= theta (group_of t).
Proof.
have [fs Hs] : encloses (spread_column (idiv P) share_costs score_gaps_in) (fun t => costs (group_of t) /
  gap alpha t).
  by apply: (spread_column_encloses share_costs_enclose score_gaps_enclose) => t I J; exact: idiv_contains.
have [fm Hm] : encloses share_table (fun t => if in_mask (constraint_mask D picks) t then costs (group_of t) /
  gap alpha t else 0).
  apply: within_encloses => //; [exact: fits_constraint_mask | exact: contains0].
have [/eqP sm _] := andP fm.
have rows (i : data_group D) : exists x, contains (column_largest P (nth [::] share_table i)) x /\
    forall s : 'I_(length_of D i), Q (@token_of N D i s) -> costs i / gap alpha (@token_of N D i s) <= x.
  have [x [Hx _ H]] := largest_contains P (c := nth [::] share_table i)
    (F := fun s : 'I_(length_of D i) => if in_mask (constraint_mask D picks) (token_of s) then
            costs (group_of (token_of s : token (problem D))) / gap alpha (token_of s) else 0)
    (fits_row fm (ltn_ord i)) (fun s => Hm (token_of s)).
  by exists x; split=> // s Qs; have := H s; rewrite (in_constraint_mask Pok) Qs.
have [theta Ht] := fin_all_exists rows.
exists theta; split; last by case=> i s; have [_ H] := Ht i; exact: (H s).
apply: (column_map (e0 := [::])) => // i; exact: (proj1 (Ht i)).
Qed.

Definition path_limits (theta : data_group D -> R) : path_bounds (problem D) :=
  @PathBounds (problem D) lmin lmax theta.

Lemma path_ray_lost near r i : labelled alpha l -> globally_optimal alpha -> 0 < near -> gamma * near = reach ->
  near <= r -> loss_of l (output (r * u)%V i) - loss_of l (score (alpha i)) <=
    lmax i * (total i * exp (- (gamma * r))).
Proof.
move=> labels best near0 E fr; case all_outputs: (everywhere l); last first.
  have [positive zero] := labels (negbT all_outputs); have El : l = CrossEntropy by case: (l) all_outputs.
  by rewrite El; apply: label_ray => //; lra.
apply: (@ray_from_slopes (problem D) alpha (loss_of l) u gamma near floor low_output
  (fun j => - dloss (loss_of l) (low_output j))) => // [t|j|j x [hx _]|z j]; last exact: everywhere_domain.
- by have [] := score_between Dok t.
- rewrite E; case: (Rle_lt_dec (floor j) (score (alpha j) - total j * decay)) => h.
    by right; rewrite Rmax_right //; exact: Rle_refl.
  by left; rewrite Rmax_left; lra.
by apply: slope_decreasing hx; exact: everywhere_domain.
Qed.

Theorem path_levels_sound : path_levels_check ->
  [/\ loss_defined (problem D) (loss_of l), exists t, Q t, globally_optimal alpha & exists theta near,
   [/\ near <= fraction_real from, path_ranges alpha (loss_of l) u gamma near (path_limits theta),
    forall weights (x : token (problem D) -> R), encloses weights x ->
      contains (path_sum_in weights) (\sum_t x t * ln (scale / path_floor alpha lmin theta t)),
    @column_encloses N D thetas_in theta & gamma * near = reach]].
Proof.
case/and4P=> /andP[/(labelled_check_sound Dok Pok) labels /(has_constraintP Pok) cs].
move=> /(global_check_sound Dok (Pok := Pok)) best.
move=> /(certainly_lt_real (contains0 N) (fraction_in_contains P from)) from0 small; split=> //.
  exact: (labelled_defined labels).
have [theta [[st Ht] above]] := thetas_enclose.
have theta_lt1 i : theta i < 1.
  have /(all_nthP (Everything N)) := small; move=> /(_ i); rewrite st => /(_ (ltn_ord i)).
  exact: certainly_lt_real (Ht i) (contains1 N).
have factors : encloses path_factors_in (path_floor alpha lmin theta).
  have H : @column_encloses N D
      (combine_columns (fun v e => imul P v (isub P (interval1 N) e)) (weighted_slopes tops_in) thetas_in)
      (fun i => weight (s := problem D) i * lmin i * (1 - theta i)).
    apply: (combine_column (weighted_slopes_enclose tops_enclose) (conj st Ht)) => i I J HI HJ.
    by apply: imul_contains => //; apply: isub_contains => //; exact: contains1.
  have H' : encloses (spread_column (imul P)
      (combine_columns (fun v e => imul P v (isub P (interval1 N) e)) (weighted_slopes tops_in) thetas_in)
        score_gaps_in)
      (fun t => weight (group_of t) * lmin (group_of t) * (1 - theta (group_of t)) * gap alpha t).
    by apply: (spread_column_encloses H score_gaps_enclose) => t I J; exact: imul_contains.
  have [fp Hp] := by_copies_encloses P Dok Pok H'; split=> // t; have := Hp t; congr contains.
  exact: Rmult_comm.
pose near := reach / gamma; have E : gamma * near = reach by rewrite /near; field; lra.
have near0 : 0 < near.
  apply: Rdiv_lt_0_compat => //; apply: Rmin_pos; first exact: Rmult_lt_0_compat.
  by rewrite /decay_cut; lra.
exists theta, near; split; [ | | | exact (conj st Ht) | exact E ].
- by apply: (Rmult_le_reg_l gamma) => //; rewrite E; exact: Rmin_l.
- split; cbn [path_limits path_slope_min path_slope_max path_lost]; rewrite ?E //.
  + exact: best_slope_gt0.
  + by move=> i x; exact: slope_decreasing.
  + by move=> r i; exact: path_ray_lost.
  + move=> t Qt; have gp := gap_of_best best Qt; have v0 := best_slope_gt0 (group_of t).
    have w0 := Rmult_lt_0_compat _ _ (weight_gt0 (s := problem D) (group_of t)) v0.
    have cancel a b c : 0 < b -> 0 < c -> a / b / c * (b * c) = a by move=> b0 c0; field; lra.
    by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ (Rmult_lt_0_compat _ _ w0 gp)) (above t Qt); rewrite cancel.
move=> weights x Hw; refine (table_sum_contains P (combine_encloses Hw factors _)) => t I J HI HJ.
rewrite /rate_term; case: ifP => [/(is_zero_real HI) -> | _].
  by rewrite Rmult_0_l; exact: contains0.
exact (imul_contains P HI (ilog_contains P (idiv_contains P scale_contains HJ))).
Qed.
End Levels.

(* ---- along the solution, in the Euclidean norm ---- *)

Section Check.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat) (l : loss_name) (f : enclosed_reference N).
Variables from K : fraction N.

Definition path_of_reference_check : bool :=
  path_levels_check D P picks l (margin_in f) from &&
  certainly_le (imul P (norm_in f) (path_sum_in D P picks l (margin_in f) from (weights_in f))) (fraction_in P K).

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Variables (ws : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.

Theorem path_of_reference_sound : path_of_reference_check ->
  path_follows (loss_of l) ws (fraction_real from) (fraction_real K).
Proof.
have [Hn Hg _ Hw [_ Ha]] := reference_in; case/andP=> levels rate.
have cs : exists t, constraint alpha t by case/and4P: levels => /andP[_ /(has_constraintP Pok)].
have g0 : 0 < Saturation.margin_value ws.
  by apply: Rinv_0_lt_compat; exact: solution_norm_gt0 (proj1 (proj1 solution)) cs.
have [defined _ best [theta [near [near_le ranges sums _ _]]]] :=
  path_levels_sound Dok g0 Hg (RegularisationPath.solution_on_ray solution cs) levels.
suff : path_follows (loss_of l) ws near (fraction_real K) by move=> H r w fr; apply: H; lra.
apply: (regularisation_path solution cs best ranges defined).
refine (certainly_le_real (imul_contains P Hn _) (fraction_in_contains P K) rate).
have := sums _ _ Hw; congr contains.
rewrite -(sum_active (margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) cs)) [RHS]big_mkcond.
by apply: eq_bigr => t _; rewrite Ha; case: ifP => // _; rewrite Rmult_0_l.
Qed.
End Check.

(* ---- the claim ---- *)

Section Claim.
Variables (N : number) (D : token_data N) (picks : seq nat).

(* Bits of the intervals. *)
Definition path_precision : Z := 320.

Definition path_meaning (alpha : selection (problem D)) (l : loss_name) (from K : fraction N) : Prop :=
  exists ws, [/\ max_margin alpha ws, 0 < vnorm ws & path_follows (loss_of l) ws (fraction_real from)
    (fraction_real K)].

(* The solution is W(v) up to r, its multipliers, positive on the mask, are v's up to q. *)
Definition regularisation_path_check (v : vector N) (margins_v : seq (seq N)) (mask : seq (seq bool))
  (r q : interval N)
    (l : loss_name) (from K : fraction N) : bool :=
  path_of_reference_check D path_precision picks l (reference_of D path_precision picks v margins_v mask r q) from K.

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).

Theorem regularisation_path_check_sound v mask r q (x y : R) ws lam l from K : vector_ok D picks v ->
  solved Pok v mask x y ws lam -> contains r x -> contains q y ->
  regularisation_path_check v (margins D picks v) mask r q l from K -> path_meaning (selection_of Pok) l from K.
Proof.
move=> vok sol Hr Hq checked; have [pair _ _ _ _] := sol; have [M _] := pair.
have cs : exists t, constraint (selection_of Pok) t by case/andP: checked => /and4P[/andP[_ /(has_constraintP Pok)]].
exists ws; split=> //; first exact: solution_norm_gt0 (proj1 M) cs.
exact: (path_of_reference_sound Dok pair (reference_of_encloses path_precision Dok vok sol cs Hr Hq) checked).
Qed.
End Claim.

(* ---- the kind ---- *)

Section RegularisationPathKind.
Variable N : number.

Record regularisation_data := RegularisationData {
  regularisation_from : nat; regularisation_loss : option loss_name; from_radius : fraction N;
  rate_constant : fraction N
}.

Definition regularisation_says (D : token_data N) (alpha : selection (problem D)) (x : regularisation_data) : Prop :=
  for_loss (regularisation_loss x) (fun l => path_meaning alpha l (from_radius x) (rate_constant x)).

Definition regularisation_claim_check (quick : entries N) (D : token_data N) picks (cited : nat -> fact N)
    (x : regularisation_data) : option (fact N) :=
  if (locate_solution (cited (regularisation_from x)), regularisation_loss x) is (Some s, Some l)
  then accept (regularisation_path_check D picks (located_vector s) (located_margins s) (located_mask s)
                 (located_distance s) (located_multiplier_distance s) l (from_radius x) (rate_constant x)) Nothing
  else None.

Theorem regularisation_holds : check_holds regularisation_says regularisation_claim_check.
Proof.
move=> quick D picks Dok Pok cited [k l F K] f facts; rewrite /regularisation_claim_check /=.
case known: (locate_solution _) => [v | ] //; case: l => // l.
have [x [y [ws [lam [vok -> sol Hx Hy]]]]] := locate_solutionP (facts k) known.
by case/acceptP=> H <-; split=> //; exact: (regularisation_path_check_sound Dok vok sol Hx Hy H).
Qed.

Definition regularisation_kind : claim_kind N := ClaimKind regularisation_holds.
End RegularisationPathKind.
