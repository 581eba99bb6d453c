(* HeadBounded: the executable hypotheses of T15, the bounded residual, at one point, of any head from the tables of its
   factors, of their limits and of how fast they approach these.

   head_bounded_check compares, in interval arithmetic, the point, the tables, the constants of the evidence and those
   of the conclusion; head_bounded_sound: if it answers true, the claim holds of every run of the head, its centre the
   one that balances the limits. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Heads HeadRuns Claims Direction ActiveStep Growth Region Saturation
                           FactorRange LocalRanges ResidualPath BoundedSelection BalancedCentre Runs Forever HeadForever
                           Number Rows TokenData MarginChecks OptimalityChecks GramBound EnclosureChecks Interval
                           Elementary IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals
                           ForeverChecks DominationChecks LocalFactors FactorTables HeadLater ResidualIntervals
                           CentreChecks Reference FarPull.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Record bounded_evidence (N : number) := BoundedConstants {
  bounded_step : fraction N;               (* h *)
  bounded_ratio : fraction N;              (* rho *)
  bounded_reach : fraction N;              (* dX *)
  support_eigenvalue : fraction N;         (* at most the least eigenvalue of the Gram matrix of S *)
  support_hints : gram_hints N;
  centre_pull : vector N;                  (* e_0, nearly *)
  bounded_outside : seq (seq bool);        (* constraints of positive gap in N *)
  bounded_attentions : seq (fraction N)    (* eps_i, one for each group *)
}.

(* ---- the squared diameter of the active constraints ---- *)

Section Diameter.
Variables (N : number) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Let dx := real (token_unit D).
Let dz := real (query_unit D).
Implicit Types (t : token (problem D)) (a b : nat * nat).

(* <Delta_a, Delta_b> and ||Delta_a - Delta_b||^2, in units of square_unit. *)
Definition square_unit : N := let u := mul (token_unit D) (query_unit D) in mul u u.
Definition product_of a b : N :=
  mul (dot_rows (difference D picks a) (difference D picks b)) (dot_rows (query D a) (query D b)).
Definition square_between a b : N :=
  let x := product_of a b in sub (add (product_of a a) (product_of b b)) (add x x).

Lemma product_of_value t s : dot (Delta alpha t) (Delta alpha s) = real (product_of (pair_of t) (pair_of s)) /
  real square_unit.
Proof.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok; rewrite -/dx -/dz in x0 z0.
rewrite !(Delta_outer Dok) dot_outer !(dot_scaled _ _ _ (n := _)) ?(size_difference Dok Pok) ?(size_query Dok) //.
have H (x y : R) : / dx * / dx * x * (/ dz * / dz * y) = x * y / (dx * dz * (dx * dz)) by field; lra.
by rewrite /product_of /square_unit !realM -H.
Qed.

Lemma square_between_value t s :
  vnorm2 (Delta alpha t - Delta alpha s)%V = real (square_between (pair_of t) (pair_of s)) / real square_unit.
Proof.
rewrite vnorm2B /vnorm2 !product_of_value /square_between realB !realD; rewrite /Rdiv; ring.
Qed.
End Diameter.

Section Bounded.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Implicit Types (t : token (problem D)) (i : data_group D).

(* limit_in: b_inf_c on S; rate_in: k_c. *)
Variables (T : factor_tables N) (limit_in rate_in : seq (seq interval)).
Variables (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat).
Variables (e : bounded_evidence N) (c : conclusion N).
Notation step_bound := (bounded_step e).
Notation share := (bounded_ratio e).
Notation reach := (bounded_reach e).
Notation speed_in := (reduced_in D P picks f share).
Notation low_in := (start_low_in D P picks f w reach).

Definition said_check : bool :=
  [&& has_constraint D picks, certainly_lt (interval0 N) (fraction_in P (spec_step s)),
    same (fraction_num (said_path c)) zero &
      certainly_le (fraction_in P (said_height c)) (point_height w)].

(* h R_S^2 <= 4 (gamma - rho D) *)
Definition diameter_check : bool :=
  let actives := GramBound.listed_places D (active_in f) in
  let most := imul P (iadd P (interval2 N) (interval2 N)) speed_in in
  all (fun a => all (fun b => certainly_le (imul P (fraction_in P step_bound)
    (ratio P (square_unit D) (square_between D picks a b))) most)
                 actives) actives.

Definition bounded_region_check : bool :=
  [&& active_test T f, all_within (@is_positive N) (far_mask D picks f) (beyond_in P f),
      is_positive (fraction_in P step_bound), is_positive speed_in &
  [&& diameter_check, attention_test D P picks T low_in, region_test T low_in, is_positive (fraction_in P reach) &
      certainly_le (outside_in D P picks T f w reach) (fraction_in P share)]].

Definition bounded_residual_check : bool :=
  let start := start_distance_in D P picks f w limit_in (support_eigenvalue e) (centre_pull e) in
  let bound := residual_in D P picks T f w rate_in step_bound share reach start in
  [&& centre_check D P picks f (support_eigenvalue e) (support_hints e) (centre_pull e),
      certainly_le (iadd P bound start) (fraction_in P reach),
        certainly_le (imul P bound bound) (fraction_in P (said_excess c)) &
      certainly_le (centre_norm_in D P picks f w limit_in (support_eigenvalue e) (centre_pull e))
        (fraction_in P (said_centre c))].

Definition bounded_rule_check : bool :=
  let growth := fraction_in P (said_growth c) in
  let cosine := least_cosine_in D P picks f in
  match spec_rule s with
  | NormalisedSteps =>
      [&& ~~ said_logarithmic c, size_check P s first step_bound &
          certainly_le growth (linear_speed_in D P picks f share)
            || [&& whole_test D picks T, is_positive cosine & certainly_le growth cosine]]
  | GradientSteps =>
      [&& said_logarithmic c, length_check D P picks s
        first step_bound (mass_in D P picks T low_in) &
          certainly_le growth (exponential_speed_in D P picks T f share)]
  | _ => false
  end.

(* low_c + gamma_c (y - y_0) after n later steps *)
Definition risen_in (n : nat) : seq (seq interval) :=
  combine_tables (iadd P) low_in (map_rows (fun I => imul P I (DominationChecks.rise_in P f w s first c n))
    (slopes_in f)).

Definition head_bounded_check : bool :=
  [&& said_check, bounded_region_check, bounded_residual_check, bounded_rule_check &
      dominates_with D P picks c risen_in].

Lemma head_bounded_not_polyak : head_bounded_check -> spec_rule s <> PolyakSteps.
Proof. by case/and5P=> _ _ _; rewrite /bounded_rule_check; case: (spec_rule s). Qed.

(* ---- soundness ---- *)

Variables (h : head (problem D)) (least : R) (r : table_ranges D).
Variables (l : loss_name) (ws w0 : vec (coord (problem D))) (lam limit rate : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis hold : tables_hold Pok T h r.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation S := (Direction.active Q mu).
Notation inside := (@in_mask N D (kept_mask T)).
Notation eps := (range_eps r).
Notation factors := (table_bounds T r).
Notation rho := (fraction_real share).
Notation hstep := (fraction_real step_bound).
Notation dX := (fraction_real reach).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation y0 := (Direction.height u w0).
Notation slope := (Direction.slope (Delta alpha) u).
Hypothesis checked : head_bounded_check.

Let F q := @fraction_in_contains N P q.
Let said : said_check. Proof. by have /and5P[] := checked. Qed.
Let region : bounded_region_check. Proof. by have /and5P[] := checked. Qed.
Let some_constraint : exists t, Q t. Proof. by have /andP[H _] := said; exact: has_constraintP. Qed.
Let dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) some_constraint.
Let step_gt0 : 0 < fraction_real (spec_step s).
Proof. by have /and4P[_ H _ _] := said; exact: certainly_lt_real (contains0 N) (F _) H. Qed.

Lemma head_bounded_active t : S t -> inside t.
Proof. by have /and5P[H _ _ _ _] := region; exact: (active_test_sound hold reference_in H). Qed.

Lemma tight_is_active t : Q t -> ~~ S t -> 0 < excess (Delta alpha) u gamma t.
Proof.
move=> Qt St; have /and5P[_ H _ _ _] := region; have [fb Hb] := beyond_encloses P reference_in.
apply: (is_positive_real (Hb t)); apply: (all_withinP (Everything N) (fits_far reference_in) fb H).
by rewrite (in_far reference_in) Qt.
Qed.

Lemma eta_range n : 0 < eta n <= step_size (spec_schedule s) (fraction_real (spec_step s)) first.
Proof. by split; [exact: step_size_gt0 | exact: step_size_decreasing]. Qed.

(* The radius of the active constraints that the step bound allows. *)
Lemma active_diameter dm : contains (diameter_in D P picks) dm ->
  exists Rs, [/\ 0 < Rs, hstep * (Rs * Rs) <= 4 * (gamma - rho * dm) &
    forall t d, S t -> S d -> vnorm (Delta alpha t - Delta alpha d)%V <= Rs].
Proof.
move=> Hd; have /and5P[_ _ h1 g1 /and5P[H _ _ _ _]] := region.
have h0 : 0 < hstep := is_positive_real (F step_bound) h1.
have Hg := reduced_contains reference_in share Hd; have g0 := is_positive_real Hg g1.
set g := gamma - rho * dm in Hg g0 *; have q0 : 0 < 4 * g / hstep by apply: Rdiv_lt_0_compat; lra.
exists (sqrt (4 * g / hstep)); split=> [||t d St Sd]; first exact: sqrt_lt_R0.
  by rewrite sqrt_sqrt; [right; field; lra | lra].
have at_active x : S x -> pair_of x \in GramBound.listed_places D (active_in f).
  by move=> Sx; apply: mem_active; rewrite (active_mask reference_in).
have {}H := allP (allP H _ (at_active t St)) _ (at_active d Sd).
apply: sqrt_le_1_alt; apply: (Rmult_le_reg_l hstep) => //.
have -> : hstep * (4 * g / hstep) = (2 + 2) * g by field; lra.
rewrite square_between_value //.
apply: certainly_le_real (imul_contains P (F step_bound) (ratio_contains P _ _))
  (imul_contains P (iadd_contains P _ _) Hg) H; exact: contains2.
Qed.

Hypotheses (limit_encloses : encloses limit_in limit) (rate_encloses : encloses rate_in rate).
Hypothesis limits : forall low, lows_attended Pok low eps ->
  factor_limit Q (Delta alpha) (head_factor alpha h) low S limit rate.

Theorem head_bounded_sound : head_forever_claim alpha h least true (spec_rule s) eta w0 (constants_of c).
Proof.
have /and5P[_ _ /and4P[centred room excess_le centre_le] rule dom] := checked.
have /and4P[_ _ /same_real path_zero height_le] :=
  said; have /and5P[_ _ _ speed /and5P[_ attended tested reached out]] := region.
have [_ Hg _ _ _] := reference_in; have [_ Hh _ _] := point_in; have g0 := dir_margin_gt0 dir.
have path0 : fraction_real (said_path c) = 0 by rewrite /fraction_real path_zero real0 /Rdiv Rmult_0_l.
have [dm [Hd _ dm_le]] := diameter_contains P Dok Pok.
have speed0 := is_positive_real (reduced_contains reference_in share Hd) speed.
have rho_lt : rho * dm < gamma by lra.
pose b := checked_basin Pok step_bound share reach ws dm.
(* T15's lower bounds of the margins are the same around every centre. *)
pose o0 := natural_reference dir w0.
have low_in_encloses := start_low_encloses P Dok step_bound share reach dm reference_in dir
  (reference_orthogonal o0) point_in.
have low_at := conj (proj1 low_in_encloses) (fun t (_ : Q t) => proj2 low_in_encloses t).
have att : lows_attended Pok (start_low o0 w0 b) eps := attention_test_sound Dok hold low_at attended.
have range := tables_range hold low_at att tested.
have limit_at := limits att.
have [centre [x [n [orth balance [Hx x_ge] [Hn n_ge]]]]] :=
  centre_check_sound Dok reference_in dir point_in limit_encloses (factor_limit_gt0 limit_at) centred.
pose o := Reference dir orth.
have dX0 : 0 < dX := is_positive_real (F reach) reached.
have start_above : margins_above Q (Delta alpha) (start_low o0 w0 b) w0.
  move=> t _; have s0 : 0 <= spread (Delta alpha) (reference_unit o0) t * basin_reach b :=
    Rmult_le_pos _ _ (spread_ge0 (Delta alpha) u t) (Rlt_le _ _ dX0).
  by rewrite /start_low; lra.
have decays : far_decays (fun t => Q t && ~~ S t) (basin_far o factors w0 b).
  split=> [|t /andP[Qt _]|t /andP[Qt St]]; [exact: speed0 | | exact: tight_is_active Qt St].
  exact (Rmult_le_pos _ _ (far_factor_ge0 range start_above Qt) (Rlt_le _ _ (exp_pos _))).
have far0 t (Qt : Q t) (St : ~~ S t) : 0 <= far_total (basin_far o factors w0 b) t.
  by apply: (far_total_ge0 decays); rewrite Qt.
have [X X_ge /(_ _ Hx) HX] := residual_contains Dok reference_in point_in hold rate_encloses Hd x_ge far0.
have room_real := certainly_le_real (iadd_contains P HX Hx) (F reach) room.
have excess_real := certainly_le_real (imul_contains P HX HX) (F (said_excess c)) excess_le.
have centre_real := certainly_le_real Hn (F (said_centre c)) centre_le.
have height_real := certainly_le_real (F (said_height c)) Hh height_le.
have out_real := certainly_le_real (outside_contains P Dok reach reference_in point_in hold) (F share) out.
have Z0 := exp_pos (mean_limit Q mu limit).
have total0 k : 0 <= Growth.total eta k by apply: total_ge0 => j; have := eta_range j; lra.
have diverge := later_steps_diverge (spec_schedule s) step_gt0 first.
exists ws; first exact: (proj1 solution); exists centre; first exact: orth.
apply: (head_later_of_path (c := constants_of c) (proj1 solution) some_constraint) => [||z start run].
- exact: Rle_trans n_ge centre_real.
- exact: height_real.
have att_z i : local_odds alpha (start_low o (z O) b) i / (1 + local_odds alpha (start_low o (z O) b) i) <= eps i.
  by rewrite start; exact: att.
have range_z : factor_range Q (Delta alpha) (head_factor alpha h) (start_low o (z O) b) factors by rewrite start.
have limit_z : factor_limit Q (Delta alpha) (head_factor alpha h) (start_low o (z O) b) S limit rate by rewrite start.
have room_z := Rle_trans _ _ _ (Rplus_le_compat _ _ _ _ X_ge x_ge) room_real.
have conditions : basin_conditions o factors rate (z O) b limit.
  rewrite start; split; [exact: head_bounded_active | exact: tight_is_active | by move=> t _; exact: dm_le |
    exact: rho_lt |
    exact: active_diameter Hd | by exists (exp (mean_limit Q mu limit)) | | | | | exact: room_z | exact: out_real].
  - by move=> t _ _; apply: vec_ext => j; exact (esym (Rplus_0_r _)).
  - by move=> *; rewrite /b /= dot0r.
  - by move=> *; rewrite /b /= dot0r.
  by move=> *; rewrite /b /= dot0r.
pose near := bounded_forever o factors rate eps z b.
have finish : (forall k, near (z k)) -> (forall k, if said_logarithmic c
      then exp (gamma * y0) + fraction_real (said_growth c) * Growth.total eta k <=
        exp (gamma * Direction.height u (z k))
      else y0 + fraction_real (said_growth c) * Growth.total eta k <= Direction.height u (z k)) ->
    is_lim_seq (fun k => cosine u (z k)) 1 ->
    [/\ forall k, vnorm2 (residual u centre (z k)) <= fraction_real (said_excess c) +
          fraction_real (said_path c) * (Direction.height u (z k) - y0),
        forall k, if said_logarithmic c
          then exp (gamma * y0) + fraction_real (said_growth c) * Growth.total eta k <=
            exp (gamma * Direction.height u (z k))
          else y0 + fraction_real (said_growth c) * Growth.total eta k <= Direction.height u (z k),
        is_lim_seq (fun k => cosine u (z k)) 1 &
        forall k, said_dominates c = Some k -> forall j i, (k <= j)%nat -> 1 / 2 < attention (z j) (alpha i)].
  move=> at_z grows lim; split=> [k|||]; [|exact: grows|exact: lim|].
    have := bounded_residual (at_z k); rewrite start => near_k; rewrite path0 Rmult_0_l Rplus_0_r -vnorm_sqr.
    have r0 := vnorm_ge0 (residual u centre (z k)); apply: Rle_trans excess_real.
    by apply: Rmult_le_compat => //; exact: Rle_trans near_k X_ge.
  have [_ _ Hs _ _] := reference_in.
  have late k : encloses (risen_in k) (fun t => start_low o w0 b t + slope t *
    rise s first c ws w0 k).
    have Hr := DominationChecks.rise_in_contains P s first c reference_in point_in k.
    have Hm := map_encloses (G := fun t => slope t * rise s first c ws w0 k) Hs (fun t I HI => imul_contains P HI Hr).
    by apply: (combine_encloses low_in_encloses Hm) => t I J; exact: iadd_contains.
  apply: (dominates_with_sound Dok dir step_gt0 grows late _ dom) => k j t rise0 later Qt.
  apply: Rle_trans (bounded_margin (at_z j) Qt); rewrite start.
  have more (a a' q q' : R) : q <= q' -> a - a' + q <= a + q' - a' by lra.
  have rises : rise s first c ws w0 k <= Direction.height u (z j) - y0 by lra.
  exact (more _ _ _ _ (Rmult_le_compat_l _ _ _ (Rlt_le _ _ (slope_gt0 dir Qt)) rises)).
move: rule run; rewrite /bounded_rule_check; case: (spec_rule s) => // [] /and3P[logE step G_le] run.
- have step_le := length_check_sound Hd (mass_contains P hold low_at) step.
  have {}step_le : step_size (spec_schedule s) (fraction_real (spec_step s)) first *
      (dm * (\sum_(t | inside t) range_high r t * exp (- start_low o (z O) b t) +
             \sum_(t | Q t && ~~ inside t) range_size r t * exp (- start_low o (z O) b t))) <= hstep.
    by rewrite start; exact: step_le.
  have [H lim] := head_T15_gradient (o := o) eta_range conditions range_z limit_z att_z step_le run.
  apply: (finish (fun k => proj1 (H k)) _ (lim diverge)) => k; have [_ grown] := H k; rewrite start in grown;
    rewrite (ifT _ _ logE).
  have G_need := certainly_le_real (F (said_growth c)) (exponential_speed_contains hold reference_in share Hd) G_le.
  apply: (exponential_growth g0 (total0 k) G_need _ grown).
  by apply: Rmult_lt_0_compat g0 (Rmult_lt_0_compat _ _ speed0 (exp_pos _)).
have step_le := size_check_sound step.
have [H lim] := head_T15_normalised (o := o) eta_range conditions range_z limit_z att_z step_le run.
apply: (finish (fun k => proj1 (H k)) _ (lim diverge)) => k; have [_ grown] := H k; rewrite start in grown;
  rewrite (ifF _ _ (negbTE logE)).
case/orP: G_le => [G_le | /and3P[whole cosine0 G_le]].
  exact (linear_growth_weaker (total0 k) (certainly_le_real (F (said_growth c))
    (linear_speed_contains reference_in share Hd) G_le) grown).
have [cmin [Hcmin _ cmin_le]] := least_cosine_contains P Dok reference_in dir.
have := head_T15_normalised_growth (o := o) eta_range conditions range_z limit_z k step_le run
  (fun t Qt => whole_test_sound hold whole Qt) (Rlt_le _ _ (is_positive_real Hcmin cosine0)) cmin_le.
rewrite start; exact (linear_growth_weaker (total0 k) (certainly_le_real (F (said_growth c)) Hcmin G_le)).
Qed.
End Bounded.
