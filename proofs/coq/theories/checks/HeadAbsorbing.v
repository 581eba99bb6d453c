(* HeadAbsorbing: the executable hypotheses of T10 at one point, of any head from the tables of its factors.

   head_absorbing_check compares, in interval arithmetic, the point, the tables and the constants of the conclusion;
   head_absorbing_sound: if it answers true, the claim holds of every run of the head. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Heads HeadRuns Claims Direction Path Growth Region Saturation FactorRange
                           LocalRanges SelectedPath Polyak Runs Forever HeadForever Number Rows TokenData MarginChecks
                           OptimalityChecks EnclosureChecks Interval Elementary IntervalTables AttentionIntervals
                           ReferenceIntervals RegionIntervals ForeverChecks DominationChecks FactorTables HeadLater
                           Gibbs Reference.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Absorbing.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).

Variables (T : factor_tables N) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat).
Variables (step_bound : fraction N) (c : conclusion N).
(* Of Polyak's steps thlo and, one of which suffices, thhi, if the head has them. *)
Variable polyak : option (interval * seq interval).

Notation path := (path_in P c).
Notation growth := (growth_in P c).
Definition absorbing_lows : seq (seq interval) := lowest_margins D P picks f w path.
Definition absorbing_gibbs : interval := gibbs_gap_in P f w mask (lower_table T) (upper_table T).
Definition absorbing_twice : interval := idiv P (imul P (interval2 N) absorbing_gibbs) (margin_in f).
Definition absorbing_step : interval := step_in P s first.

Definition absorbing_region : bool :=
  [&& all_within (@id bool) mask (kept_mask T), attention_test D P picks T absorbing_lows &
      region_test T absorbing_lows].

Definition absorbing_normalised_check : bool :=
  let cosine := least_cosine_in D P picks f in
  let spread := idiv P (imul P absorbing_step (isub P (interval1 N) (imul P cosine cosine))) cosine in
  [&& is_positive cosine, ~~ said_logarithmic c, certainly_le (iadd P absorbing_twice spread) path &
      certainly_le growth cosine].

Definition absorbing_gradient_check : bool :=
  let bound := fraction_in P step_bound in
  let total := isum P (group_sums P (path_terms D P picks f w path mask (upper_table T))) in
  [&& certainly_le (imul P absorbing_step (imul P (diameter_in D P picks) total)) bound,
      certainly_le (iadd P absorbing_twice (imul P bound (largest_ratio_in D P picks f))) path, said_logarithmic c &
      certainly_le growth (imul P (margin_in f) (imul P (margin_in f) (iexp P (floor_of P T f))))].

Definition absorbing_polyak_fits (thhi : interval) : bool :=
  certainly_le (idiv P (iadd P (imul P (interval2 N) absorbing_gibbs) (imul P absorbing_step thhi)) (margin_in f))
    path.

Definition absorbing_polyak_check : bool :=
  let diameter := diameter_in D P picks in
  if polyak is Some th then
    [&& ~~ said_logarithmic c, is_positive th.1, has absorbing_polyak_fits th.2 &
        certainly_le growth (idiv P (imul P th.1 (margin_in f)) (imul P diameter diameter))]
  else false.

Definition absorbing_rule_check : bool :=
  match spec_rule s with
  | GradientSteps => absorbing_gradient_check
  | NormalisedSteps => absorbing_normalised_check
  | other => if other is PolyakSteps then absorbing_polyak_check else false
  end.

Definition head_absorbing_check : bool :=
  [&& conclusion_ok D P picks s w c, absorbing_region, absorbing_rule_check & domination_check D P picks f w s first c].

(* ---- soundness ---- *)

Variables (h : head (problem D)) (least : R) (r : table_ranges D).
Variables (l : loss_name) (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis hold : tables_hold Pok T h r.
Hypothesis checked : head_absorbing_check.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation centre := (w0 - Direction.height u w0 * u)%V.
Notation blo := (range_low r).
Notation bhi := (range_high r).
Notation eps := (range_eps r).
Notation factors := (table_bounds T r).
Notation M := (fraction_real (said_path c)).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation eta0 := (step_size (spec_schedule s) (fraction_real (spec_step s)) first).
Notation low := (path_low (Delta alpha) u centre w0 M).
Notation weights z := (gibbs_weight (Delta alpha) (head_factor alpha h z) z).

(* theta of Polyak's steps, where one of thhi passes what is asked of it: the excess loss beside the total weight, where
   the margins are at least low. *)
Definition polyak_range : Prop := forall th, polyak = Some th -> is_positive th.1 ->
  forall test : interval -> bool, has test th.2 ->
  (forall z, margins_above Q (Delta alpha) low z -> forall i, 1 - attention z (alpha i) <= eps i) ->
  exists thlo thhi I, [/\ contains th.1 thlo, contains I thhi, test I &
    forall z, margins_above Q (Delta alpha) low z ->
    thlo * (\sum_(t | Q t) weights z t) <= head_loss h z - least <= thhi * (\sum_(t | Q t) weights z t)].
Hypothesis ranged : polyak_range.

Let facts := conclusion_facts point_in (proj1 (andP checked)).
Let some_constraint : exists t, Q t. Proof. by case: facts. Qed.
Let M_gt0 : 0 < M. Proof. by case: facts. Qed.
Let step_gt0 : 0 < fraction_real (spec_step s). Proof. by case: facts. Qed.
Let dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) some_constraint.
Let o := natural_reference dir w0.
Let F q := @fraction_in_contains N P q.
Let first_in : contains absorbing_step eta0 := step_in_contains P s first.

Lemma absorbing_lows_hold : lows_hold Pok absorbing_lows low.
Proof.
have [fl Hl] := lowest_margins_enclose P Dok reference_in point_in (F (said_path c)).
by split=> // t Qt; rewrite (path_low_real dir _ M_gt0 Qt); exact: Hl.
Qed.

Lemma absorbing_attended : lows_attended Pok low eps.
Proof.
have /and4P[_ /and3P[_ att _] _ _] := checked.
exact (attention_test_sound Dok hold absorbing_lows_hold att).
Qed.

Lemma absorbing_reach z : margins_above Q (Delta alpha) low z -> forall i, 1 - attention z (alpha i) <= eps i.
Proof. by move=> Hz; apply: (attention_range (low := low)) => //; exact: absorbing_attended. Qed.

Lemma absorbing_range : factor_range Q (Delta alpha) (head_factor alpha h) low factors.
Proof.
have /and4P[_ /and3P[_ _ inside] _ _] := checked.
exact (tables_range hold absorbing_lows_hold absorbing_attended inside).
Qed.

Lemma absorbing_whole t : Q t -> in_mask (kept_mask T) t.
Proof.
have /and4P[_ /and3P[whole _ _] _ _] := checked; rewrite -(in_constraint_mask Pok) => Qt.
exact: (all_withinP false (fits_constraint_mask Pok) (kept_fits hold) whole Qt).
Qed.

Lemma absorbing_eta n : 0 < eta n <= eta0.
Proof. by split; [exact: step_size_gt0 | exact: step_size_decreasing]. Qed.

Notation G := (gibbs_gap Q (Delta alpha) u centre Q gamma mu bhi blo (Direction.height u w0)).

Lemma absorbing_gibbs_contains : contains absorbing_gibbs G.
Proof.
have := gibbs_gap_contains P reference_in point_in (fits_constraint_mask Pok) (lower_encloses hold)
  (upper_encloses hold).
by rewrite (mask_constraints Pok).
Qed.

Lemma absorbing_twice_contains : contains absorbing_twice (2 * G / gamma).
Proof.
have [_ Hg _ _ _] := reference_in.
exact (idiv_contains P (imul_contains P (contains2 N) absorbing_gibbs_contains) Hg).
Qed.

Lemma absorbing_on_path z : on_path u centre w0 M z ->
  vnorm2 (residual u centre z) <= fraction_real (said_excess c) + M * (Direction.height u z - Direction.height u w0).
Proof.
case=> _ H; have [_ _ _ E0 _] := facts; move: H.
have -> : residual u centre w0 = vzero by exact: natural_centre_residual.
by rewrite vnorm20; lra.
Qed.

Theorem head_absorbing_sound : head_forever_claim alpha h least false (spec_rule s) eta w0 (constants_of c).
Proof.
have [_ _ _ _ [Hc Hh]] := facts; have /and4P[_ _ Hrule dom] := checked; have [_ Hg _ _ _] := reference_in.
have g0 := dir_margin_gt0 dir; have Hpath := F (said_path c); have Hgrow := F (said_growth c).
have diverge := later_steps_diverge (spec_schedule s) step_gt0 first.
have total0 n : 0 <= Growth.total eta n by apply: total_ge0 => k; have := absorbing_eta k; lra.
have E0 : 0 <= fraction_real (said_excess c) by case: facts.
apply: (head_forever_of_theorem Dok reference_in dir point_in M_gt0 E0 step_gt0 (proj1 solution) some_constraint Hc
  Hh dom) => z E run.
have range : factor_range Q (Delta alpha) (head_factor alpha h) (path_low (Delta alpha) u centre (z O) M) factors.
  by rewrite E; exact: absorbing_range.
have att i : local_odds alpha (path_low (Delta alpha) u centre (z O) M) i /
    (1 + local_odds alpha (path_low (Delta alpha) u centre (z O) M) i) <= eps i.
  by rewrite E; exact: absorbing_attended.
have whole : forall t, Q t -> factor_kept factors t by exact: absorbing_whole.
have finish k : (forall n, selected_forever o (z O) M eps (z n) /\
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
    by move=> n; have p1 := forever_path (proj1 (H n)); rewrite E in p1; exact: (absorbing_on_path p1).
  move=> n; have [_ y] := H n; rewrite E in y; rewrite (ifF _ _ logE).
  exact (linear_growth_weaker (total0 n) Gk y).
have [dm [Hdm dm0 dm_le]] := diameter_contains P Dok Pok.
move: Hrule run; rewrite /absorbing_rule_check; case: (spec_rule s) => //= Hrule run.
- have /and4P[step_le M_ge logE G_le] := Hrule.
  have [ratio [Hratio r0 ratio_le]] := largest_ratio_contains P Dok reference_in dir.
  have fc := fits_constraint_mask Pok; have Hc' t : in_mask mask t -> Q t by rewrite (in_constraint_mask Pok).
  have Hsum := path_sum_contains P Dok reference_in dir point_in Hpath M_gt0 fc Hc' (upper_encloses hold).
  rewrite (mask_constraints Pok) in Hsum.
  have bound := certainly_le_real (imul_contains P first_in (imul_contains P Hdm Hsum)) (F step_bound) step_le.
  have M_need := certainly_le_real (iadd_contains P absorbing_twice_contains
    (imul_contains P (F step_bound) Hratio)) Hpath M_ge.
  have [H lim] : (forall n, selected_forever o (z O) M eps (z n) /\
      / gamma * ln (exp (gamma * Direction.height u (z O)) + gamma * (gamma * exp (log_floor Q mu blo)) *
        Growth.total eta n) <= Direction.height u (z n)) /\ (is_lim_seq (Growth.total eta) p_infty ->
          is_lim_seq (fun n => cosine u (z n)) 1).
    by apply: (head_T10_gradient (o := o) absorbing_eta M_gt0 range whole att (fun t _ => dm_le t) r0 ratio_le _ _
      run);
      rewrite E; eassumption.
  split; last exact (lim diverge).
    by move=> n; have p1 := forever_path (proj1 (H n)); rewrite E in p1; exact: (absorbing_on_path p1).
  move=> n; have [_ y] := H n; rewrite E in y; rewrite (ifT _ _ logE).
  have k0 := Rmult_lt_0_compat _ _ g0 (Rmult_lt_0_compat _ _ g0 (exp_pos (log_floor Q mu blo))).
  have G_need := certainly_le_real Hgrow (imul_contains P Hg (imul_contains P Hg
    (iexp_contains P (floor_of_contains P hold reference_in)))) G_le.
  exact (exponential_growth g0 (total0 n) G_need k0 y).
- have /and4P[cos0 /negbTE logE M_ge G_le] := Hrule.
  have [cmin [Hcmin _ cmin_le]] := least_cosine_contains P Dok reference_in dir.
  have c0 := is_positive_real Hcmin cos0.
  have Hx := idiv_contains P (imul_contains P first_in
    (isub_contains P (contains1 N) (imul_contains P Hcmin Hcmin))) Hcmin.
  have M_need := certainly_le_real (iadd_contains P absorbing_twice_contains Hx) Hpath M_ge.
  apply: (finish cmin) logE (certainly_le_real Hgrow Hcmin G_le).
  by apply: (head_T10_normalised (o := o) absorbing_eta M_gt0 range whole att c0 cmin_le _ run); rewrite E;
    exact: M_need.
move: Hrule; rewrite /absorbing_polyak_check; case known: polyak => [th|] // /and4P[/negbTE logE lo0 fits G_le].
have [thlo [thhi [I [Hlo HI M_ge excess]]]] := ranged known lo0 fits absorbing_reach.
have thlo0 := is_positive_real Hlo lo0.
have M_need := certainly_le_real (idiv_contains P (iadd_contains P (imul_contains P (contains2 N)
  absorbing_gibbs_contains) (imul_contains P first_in HI)) Hg) Hpath M_ge.
apply: (finish (thlo * gamma / (dm * dm))) logE _.
  pose k := PolyakBounds dm thlo thhi.
  apply: (head_T10_polyak (o := o) absorbing_eta M_gt0 range whole att (c := k) (fun t _ => dm_le t) thlo0 _ _ run).
    by rewrite E; exact: excess.
  by rewrite E; exact: M_need.
exact: (certainly_le_real Hgrow (idiv_contains P (imul_contains P Hlo Hg) (imul_contains P Hdm Hdm)) G_le).
Qed.
End Absorbing.
