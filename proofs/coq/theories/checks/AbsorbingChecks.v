(* AbsorbingChecks: the executable hypotheses of T10, the absorbing region of a globally optimal selection, at one
   point.

   absorbing_check compares, in interval arithmetic, the point, the constants of the evidence (output and attention
   ranges, step bound) and those of the conclusion; absorbing_sound: if it answers true, forever_claim holds. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Claims Direction Path Growth Region Saturation FactorRange LocalRanges
                           SelectedPath Absorbing LockIn Polyak Runs Forever Number Rows TokenData MarginChecks
                           OptimalityChecks EnclosureChecks Interval Elementary IntervalTables AttentionIntervals
                           ReferenceIntervals RegionIntervals ForeverChecks LaterTheorem DominationChecks GlobalFactors
                           Reference Pulls.

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

Section Absorbing.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).
Implicit Types (t : token (problem D)) (i : data_group D) (m : seq (seq interval)).

Variables (l : loss_name) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat).
Variables (evidence : absorbing_data N) (c : conclusion N).
Notation outputs := (absorbing_outputs evidence).
Notation attentions := (absorbing_attentions evidence).
Notation step_bound := (absorbing_step_bound evidence).

Definition outputs_in : seq interval := fractions_in P outputs.       (* phi_i *)
Definition attentions_in : seq interval := fractions_in P attentions. (* eps_i *)
Notation path := (path_in P c).
Notation gaps := (gaps_in D P picks).
Notation kept_gaps := (kept_gaps D P picks outputs_in).
Notation upper_factors := (upper_factors D P picks l outputs_in).
Notation first_step := (first_step P s first).
Notation gibbs := (gibbs_in D P picks l f w outputs_in attentions_in).
Notation twice_gibbs := (twice_gibbs D P picks l f w outputs_in attentions_in).

(* E_i and the output lost along the path. *)
Definition odds_in : seq interval :=
  group_sums P (path_terms D P picks f w path mask (by_copies D P picks (map_rows (fun=> interval1 N) gaps))).
Definition odds_shares : seq interval := [seq idiv P o (iadd P (interval1 N) o) | o <- odds_in].
Definition losses_in : seq interval := group_sums P (path_terms D P picks f w path mask (by_copies D P picks gaps)).

Definition inside_check : bool :=
  [&& size outputs == size (sequences D), size attentions == size (sequences D),
      global_check D picks && labelled_check D picks l,
      all (fun e => certainly_lt e (interval1 N)) attentions_in,
      all_within (@is_positive N) mask kept_gaps,
      all_pairs (@certainly_le N) odds_shares attentions_in & all_pairs (@certainly_le N) losses_in outputs_in].

(* ---- what each rule needs besides ---- *)

Definition gradient_check : bool :=
  let bound := fraction_in P step_bound in
  let total := isum P (group_sums P (path_terms D P picks f w path mask upper_factors)) in
  [&& certainly_le (imul P first_step (imul P (diameter_in D P picks) total)) bound,
      certainly_le (iadd P twice_gibbs (imul P bound (largest_ratio_in D P picks f))) path &
      logarithmic_growth_check D P picks l f c outputs_in attentions_in].

(* thlo, and both bounds of thhi (Polyak.v). *)
Definition least_slope_ratio : interval :=
  isub P (interval1 N) (column_largest P (combine_columns (fun I J => isub P (interval1 N) (idiv P I J))
    (least_slopes D P picks l outputs_in) (most_slopes D P picks l outputs_in))).
Definition attention_ratio : interval :=
  column_largest P [seq idiv P (interval1 N) (isub P (interval1 N) e) | e <- attentions_in].
Definition output_ratio : interval :=
  table_largest P (within mask (interval0 N) (combine_tables (idiv P) gaps kept_gaps)).

Definition path_fits (ratio : interval) : bool :=
  certainly_le (idiv P (iadd P (imul P (interval2 N) gibbs) (imul P first_step ratio)) (margin_in f)) path.

Definition polyak_check : bool :=
  let diameter := diameter_in D P picks in
  [&& ~~ said_logarithmic c, is_positive least_slope_ratio, path_fits attention_ratio || path_fits output_ratio &
      certainly_le (growth_in P c) (idiv P (imul P least_slope_ratio (margin_in f)) (imul P diameter diameter))].

Definition absorbing_check : bool :=
  [&& conclusion_ok D P picks s w c, inside_check,
      match spec_rule s with
      | NormalisedSteps => normalised_check D P picks l f w s first c outputs_in attentions_in
      | GradientSteps => gradient_check
      | PolyakSteps => polyak_check
      end & domination_check D P picks f w s first c].

(* ---- soundness ---- *)

Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis checked : absorbing_check.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation centre := (w0 - Direction.height u w0 * u)%V.
Notation phi := (fun i : data_group D => constant_of outputs i).
Notation eps := (fun i : data_group D => constant_of attentions i).
Notation lmin := (fun i : data_group D =>
  - dloss (loss_of l) (at_least l (score (alpha i) - phi i) (score (alpha i)))).
Notation lmax := (fun i : data_group D =>
  - dloss (loss_of l) (at_most l (score (alpha i) - phi i) (score (alpha i)))).
Notation M := (fraction_real (said_path c)).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation blo := (global_blo alpha phi eps lmin).
Notation bhi := (global_bhi alpha lmax).

Let facts := conclusion_facts point_in (proj1 (andP checked)).
Let inside := proj1 (andP (proj2 (andP checked))).
Let some_constraint : exists t, Q t. Proof. by case: facts. Qed.
Let M_gt0 : 0 < M. Proof. by case: facts. Qed.
Let step_gt0 : 0 < fraction_real (spec_step s). Proof. by case: facts. Qed.
Let dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) some_constraint.
Let o := natural_reference dir w0.

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
move=> Qt; have /and5P[_ _ _ _ /andP[H _]] := inside; have [fk Hk] := kept_gaps_enclose P Dok Pok outputs_enclose.
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

Notation low := (path_low (Delta alpha) u centre w0 M).

Lemma inside_attention i : let E := \sum_(t | others alpha i t) copies alpha t * exp (- low t) in E / (1 + E) <= eps i.
Proof.
move=> E; have /and5P[_ _ _ _ /and3P[_ H _]] := inside.
have Hones : @encloses N D (map_rows (fun=> interval1 N) gaps) (fun=> 1).
  by apply: (map_encloses (gaps_enclose P Dok Pok)) => t I _; exact: contains1.
have HO := path_group_sums_enclose P Dok reference_in dir point_in (fraction_in_contains P (said_path c)) M_gt0
  (by_copies_encloses P Dok Pok Hones).
have HS : @column_encloses N D odds_shares (fun i => let E :=
  \sum_(t | others alpha i t) copies alpha t * exp (- low t) in E / (1 + E)).
  apply: (map_column HO) => j I HI.
  have -> : \sum_(t | others alpha j t) copies alpha t * exp (- low t) =
      \sum_(t | others alpha j t) copies alpha t * 1 * exp (- low t).
    by apply: eq_bigr => t _; rewrite Rmult_1_r.
  by apply: idiv_contains => //; apply: iadd_contains => //; exact: contains1.
exact: all_pairs_le HS attentions_enclose H.
Qed.

Lemma inside_output i : \sum_(t | others alpha i t) gap alpha t * (copies alpha t * exp (- low t)) <= phi i.
Proof.
have /and5P[_ _ _ _ /and3P[_ _ H]] := inside.
have HO := path_group_sums_enclose P Dok reference_in dir point_in (fraction_in_contains P (said_path c)) M_gt0
  (by_copies_encloses P Dok Pok (gaps_enclose P Dok Pok)).
have le : \sum_(t | others alpha i t) copies alpha t * gap alpha t * exp (- low t) <= phi i.
  exact: all_pairs_le HO outputs_enclose H.
apply: Rle_trans le; right; apply: eq_bigr => t _.
have E a b x : a * (b * x) = b * a * x by ring.
exact: E.
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

Lemma absorbing_inside : global_inside alpha absorbing_head low.
Proof. by split; [exact: inside_attention | exact: inside_output]. Qed.

Lemma steps_range n : 0 < eta n <= step_size (spec_schedule s) (fraction_real (spec_step s)) first.
Proof. by split; [exact: step_size_gt0 | exact: step_size_decreasing]. Qed.

Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu bhi blo (Direction.height u w0)).
Let gibbs_encloses := gibbs_contains P Dok reference_in point_in outputs_enclose attentions_enclose.
Let twice := twice_gibbs_contains P Dok reference_in point_in outputs_enclose attentions_enclose.

Notation eta0 := (step_size (spec_schedule s) (fraction_real (spec_step s)) first).
Let first_in : contains first_step eta0 := step_in_contains P s first.
Let Hpath := fraction_in_contains P (said_path c).

(* h is at least the length of every step of gradient descent. *)
Lemma gradient_facts dm : (forall t, vnorm (Delta alpha t) <= dm) -> contains (diameter_in D P picks) dm ->
  gradient_check ->
  exists ratio, [/\ 0 <= ratio, forall t, Q t -> Direction.spread (Delta alpha) u t <= ratio *
    Direction.slope (Delta alpha) u t,
    eta0 * (dm * \sum_(t | Q t) bhi t * exp (- low t)) <= fraction_real step_bound &
    2 * G / gamma + fraction_real step_bound * ratio <= M].
Proof.
move=> dm_le Hdm /and3P[step_le M_ge _]; have Hb := fraction_in_contains P step_bound.
have [ratio [Hratio r0 ratio_le]] := largest_ratio_contains P Dok reference_in dir.
exists ratio; split=> //; last exact: (certainly_le_real
  (iadd_contains P twice (imul_contains P Hb Hratio)) Hpath M_ge).
have fc := fits_constraint_mask Pok; have Hc' t : in_mask mask t -> Q t by rewrite (in_constraint_mask Pok).
have Hsum := path_sum_contains P Dok reference_in dir point_in Hpath M_gt0 fc Hc'
  (upper_factors_enclose P Dok Pok l outputs_enclose).
have Hx := imul_contains P first_in (imul_contains P Hdm Hsum); rewrite (mask_constraints Pok) in Hx.
exact: (certainly_le_real Hx Hb step_le).
Qed.

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

Lemma most_slope_ratio_contains (test : interval -> bool) : test attention_ratio || test output_ratio ->
  exists x I, [/\ contains I x, test I & most_slope_ratio x].
Proof.
case/orP=> ok.
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

Lemma polyak_constants : polyak_check -> exists2 thhi, (2 * G + eta0 * thhi) / gamma <= M & most_slope_ratio thhi.
Proof.
case/and4P=> _ _ fits _; have [x [I [HI M_ge ok]]] := most_slope_ratio_contains (test := path_fits) fits.
exists x => //; have [_ Hg _ _ _] := reference_in.
apply: (certainly_le_real _ Hpath M_ge).
exact: (idiv_contains P (iadd_contains P (imul_contains P (contains2 N) gibbs_encloses)
  (imul_contains P first_in HI)) Hg).
Qed.

Lemma residual_on_path z : on_path u centre w0 M z ->
  vnorm2 (residual u centre z) <= fraction_real (said_excess c) + M * (Direction.height u z - Direction.height u w0).
Proof.
case=> _ H; have [_ _ _ E0 _] := facts; move: H.
have -> : residual u centre w0 = vzero by exact: natural_centre_residual.
by rewrite vnorm20; lra.
Qed.

Theorem absorbing_sound : forever_claim alpha (loss_of l) (spec_rule s) eta w0 (constants_of c).
Proof.
have [_ _ _ _ [Hc Hh]] := facts; have /and4P[_ _ Hrule dom] := checked; have [Hn Hg Hs Hw Ha] := reference_in.
have F q := @fraction_in_contains N P q; have He := step_in_contains P s first; have g0 := dir_margin_gt0 dir.
have diverge := later_steps_diverge (spec_schedule s) step_gt0 first.
have total0 n : 0 <= Growth.total eta n by apply: total_ge0 => k; have := steps_range k; lra.
have E0 : 0 <= fraction_real (said_excess c) by case: facts.
apply: (forever_of_theorem Dok reference_in dir point_in M_gt0 E0 step_gt0 (proj1 solution) some_constraint Hc Hh
  dom) => z E run.
have range_n := steps_range; have ranges := absorbing_ranges.
have ins : global_inside alpha absorbing_head (path_low (Delta alpha) u centre (z O) M) by rewrite E;
  exact: absorbing_inside.
have finish k : (forall n, global_forever absorbing_head o z M (z n) /\
    Direction.height u (z O) + k * Growth.total eta n <= Direction.height u (z n)) /\
    (is_lim_seq (Growth.total eta) p_infty -> is_lim_seq (fun n => cosine u (z n)) 1) ->
    said_logarithmic c = false -> fraction_real (said_growth c) <= k ->
    [/\ forall n, vnorm2 (residual u centre (z n)) <= fraction_real (said_excess c) + M *
      (Direction.height u (z n) - Direction.height u w0),
        forall n, if said_logarithmic c
          then exp (gamma * Direction.height u w0) + fraction_real (said_growth c) * Growth.total eta n <=
            exp (gamma * Direction.height u (z n))
          else Direction.height u w0 + fraction_real (said_growth c) * Growth.total eta n <=
            Direction.height u (z n) &
        is_lim_seq (fun n => cosine u (z n)) 1].
  case=> [H lim] logE Gk; split; last exact (lim diverge).
    by move=> n; have p1 := forever_path (proj1 (H n)); rewrite E in p1; exact: (residual_on_path p1).
  move=> n; have [_ h] := H n; rewrite E in h; rewrite (ifF _ _ logE).
  exact (linear_growth_weaker (total0 n) Gk h).
have Hgrow := F (said_growth c).
have [dm [Hdm dm0 dm_le]] := diameter_contains P Dok Pok.
move: Hrule run; case: (spec_rule s) => /= Hrule run.
- have [ratio [r0 ratio_le run_step M_need]] := gradient_facts dm_le Hdm Hrule; have /and3P[_ _ grows] := Hrule.
  have [logE G_need] := logarithmic_growth_facts Dok reference_in outputs_enclose attentions_enclose grows.
  have [H lim] : (forall n, global_forever absorbing_head o z M (z n) /\
      / gamma * ln (exp (gamma * Direction.height u (z O)) + gamma * (gamma * exp (log_floor Q mu blo)) *
        Growth.total eta n) <=
        Direction.height u (z n)) /\ (is_lim_seq (Growth.total eta) p_infty ->
          is_lim_seq (fun n => cosine u (z n)) 1).
    by apply: (T10_gradient (o := o) ranges range_n M_gt0 ins (fun t _ => dm_le t) r0 ratio_le _ _ run);
      rewrite E; eassumption.
  split; last exact (lim diverge).
    by move=> n; have p1 := forever_path (proj1 (H n)); rewrite E in p1; exact: (residual_on_path p1).
  move=> n; have [_ h] := H n; rewrite E in h; rewrite (ifT _ _ logE).
  have k0 := Rmult_lt_0_compat _ _ g0 (Rmult_lt_0_compat _ _ g0 (exp_pos (log_floor Q mu blo))).
  exact (exponential_growth g0 (total0 n) G_need k0 h).
- have [cmin [c0 cmin_le M_ge [logE G_le]]] :=
    normalised_facts Dok reference_in point_in outputs_enclose attentions_enclose dir Hrule.
  apply: (finish cmin) logE G_le.
  by apply: (T10_normalised (o := o) ranges range_n M_gt0 ins c0 cmin_le _ run); rewrite E; exact: M_ge.
have /and4P[logE lo0 M_ge G_le] := Hrule.
have [thlo [Hthlo thlo1 thlo_le]] := least_slope_ratio_contains; have thlo0 := is_positive_real Hthlo lo0.
have [thhi M_need thhi_ge] := polyak_constants Hrule.
apply: (finish (thlo * gamma / (dm * dm))) (negbTE logE) _.
  have bounds : polyak_ranges alpha (loss_of l) absorbing_head (PolyakBounds dm thlo thhi).
    by split; [exact: slopes_convex | move=> t _; exact: dm_le | exact: thlo0 | exact: steady_slopes thlo_le |
      exact: thhi_ge].
  by apply: (T10_polyak (o := o) ranges bounds (labelled_defined absorbing_labels) M_gt0 ins range_n _ run); rewrite E.
exact: (certainly_le_real Hgrow (idiv_contains P (imul_contains P Hthlo Hg) (imul_contains P Hdm Hdm)) G_le).
Qed.
End Absorbing.

(* ---- T10 as a theorem for all later steps ---- *)

Section LaterTheorem.
Variable N : number.

Definition absorbing_later_check : later_check N (absorbing_data N) := fun D P picks l f w s first c x =>
  absorbing_check D P picks l f w s first x c.

Lemma absorbing_constraint : needs_constraint absorbing_later_check.
Proof. by move=> D P picks Pok l f w s first c x /andP[/andP[H _] _]; exact: has_constraintP. Qed.

Theorem absorbing_later_holds : later_holds false absorbing_later_check.
Proof.
move=> D P picks Dok Pok l f w s first c x ws w0 lam sol ref pt checked.
by split=> [|_]; [exact (absorbing_sound Dok sol ref pt checked) | exact (absorbing_optimal Dok checked)].
Qed.

Definition absorbing_theorem : later_theorem N := LaterTheorem absorbing_constraint absorbing_later_holds.
End LaterTheorem.
