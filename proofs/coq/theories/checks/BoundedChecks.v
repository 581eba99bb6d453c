(* BoundedChecks: the executable hypotheses of T15, the bounded residual, at one point.

   bounded_check compares, in interval arithmetic, the point, the constants of the evidence and those of the
   conclusion; bounded_sound: if it answers true, centred_forever_claim holds, its centre the one that balances the
   limit factors. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Claims Direction ActiveStep Growth Region Saturation FactorRange
                           LocalRanges ResidualPath BoundedSelection BalancedCentre LockIn Runs Forever Number Rows
                           TokenData MarginChecks OptimalityChecks GramBound EnclosureChecks Interval Elementary
                           IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks
                           LaterTheorem DominationChecks LocalFactors ResidualIntervals CentreChecks Reference
                           FarPull Pulls.

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

Variables (l : loss_name) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat).
Variables (e : bounded_evidence N) (c : conclusion N).
Notation attentions := (bounded_attentions e).
Notation outside := (bounded_outside e).
Notation step_bound := (bounded_step e).
Notation share := (bounded_ratio e).
Notation reach := (bounded_reach e).
Notation speed_in := (reduced_in D P picks f share).
Notation low_in := (start_low_in D P picks f w reach).

Definition said_check : bool :=
  [&& has_constraint D picks, certainly_lt (interval0 N) (fraction_in P (spec_step s)),
    same (fraction_num (said_path c)) zero &
      certainly_le (fraction_in P (said_height c)) (point_height w)].

(* 2 eps max|gap| <= gap on S *)
Definition room_in : seq (seq interval) :=
  spread_column (fun x g => isub P g (imul P (interval2 N) x)) (combine_columns (imul P) (eps_in P attentions)
    (widest_gap_in D P picks)) (gap_in D P picks).

(* h R_S^2 <= 4 (gamma - rho D) *)
Definition diameter_check : bool :=
  let actives := GramBound.listed_places D (active_in f) in
  let most := imul P (iadd P (interval2 N) (interval2 N)) speed_in in
  all (fun a => all (fun b => certainly_le (imul P (fraction_in P step_bound)
    (ratio P (square_unit D) (square_between D picks a b))) most)
                 actives) actives.

Definition bounded_region_check : bool :=
  [&& ranges_check D P picks attentions outside, active_check D picks outside f,
      all_within (@is_positive N) (far_mask D picks f) (beyond_in P f),
      all_within (@is_nonnegative N) (active_in f) room_in &
  [&& is_positive (fraction_in P step_bound), is_positive speed_in, diameter_check,
      attention_check D P picks attentions low_in &
      certainly_le (outside_in D P picks l f w attentions outside reach) (fraction_in P share)]].

Definition residual_check : bool :=
  let start := start_distance_in D P picks l f w (support_eigenvalue e) (centre_pull e) in
  let bound := residual_in D P picks l f w attentions outside step_bound share reach start in
  [&& centre_check D P picks f (support_eigenvalue e) (support_hints e) (centre_pull e),
      certainly_le (iadd P bound start) (fraction_in P reach),
        certainly_le (imul P bound bound) (fraction_in P (said_excess c)) &
      certainly_le (centre_norm_in D P picks l f w (support_eigenvalue e) (centre_pull e))
        (fraction_in P (said_centre c))].

(* N is empty. *)
Definition all_inside : bool := let others := other_mask D picks outside in all_within negb others others.

Definition bounded_rule_check : bool :=
  let growth := fraction_in P (said_growth c) in
  let cosine := least_cosine_in D P picks f in
  match spec_rule s with
  | NormalisedSteps =>
      [&& ~~ said_logarithmic c, size_check P s first step_bound &
          certainly_le growth (linear_speed_in D P picks f share)
            || [&& all_inside, is_positive cosine & certainly_le growth cosine]]
  | GradientSteps =>
      [&& said_logarithmic c, length_check D P picks s
        first step_bound (low_mass_in D P picks l attentions outside low_in) &
          certainly_le growth (logarithmic_speed_in D P picks l attentions f share)]
  | PolyakSteps => false
  end.

(* low_c + gamma_c (y - y_0) after n later steps *)
Definition risen_in (n : nat) : seq (seq interval) :=
  combine_tables (iadd P) low_in (map_rows (fun I => imul P I (DominationChecks.rise_in P f w s first c n))
    (slopes_in f)).

Definition bounded_check : bool :=
  [&& said_check, bounded_region_check, residual_check, bounded_rule_check & dominates_with D P picks c risen_in].

Lemma bounded_not_polyak : bounded_check -> spec_rule s <> PolyakSteps.
Proof. by case/and5P=> _ _ _; rewrite /bounded_rule_check; case: (spec_rule s). Qed.

(* ---- soundness ---- *)

Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis checked : bounded_check.
Hypothesis all_outputs : everywhere l.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation S := (Direction.active Q mu).
Notation inside := (@in_mask N D (inside_mask D picks outside)).
Notation eps := (fun i : data_group D => constant_of attentions i).
Notation gap_up := (group_largest (gap alpha)).
Notation gap_down := (group_largest (fun t => - gap alpha t)).
Notation head := (checked_head Pok l attentions outside).
Notation factors := (local_bounds alpha head).
Notation rho := (fraction_real share).
Notation h := (fraction_real step_bound).
Notation dX := (fraction_real reach).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation y0 := (Direction.height u w0).
Notation slope := (Direction.slope (Delta alpha) u).

Let F q := @fraction_in_contains N P q.
Let said : said_check. Proof. by have /and5P[] := checked. Qed.
Let region : bounded_region_check. Proof. by have /and5P[] := checked. Qed.
Let ranges : ranges_check D P picks attentions outside. Proof. by have /andP[] := region. Qed.
Let some_constraint : exists t, Q t. Proof. by have /andP[H _] := said; exact: has_constraintP. Qed.
Let dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) some_constraint.
Let step_gt0 : 0 < fraction_real (spec_step s).
Proof. by have /and4P[_ H _ _] := said; exact: certainly_lt_real (contains0 N) (F _) H. Qed.

Lemma active_inside t : S t -> inside t.
Proof. by have /and5P[_ H _ _ _] := region; exact: (active_check_sound Dok ranges reference_in). Qed.

Lemma active_gap_gt0 t : S t -> 0 < gap alpha t.
Proof. by move/active_inside; exact: (inside_gap Dok Pok ranges). Qed.

Lemma tight_is_active t : Q t -> ~~ S t -> 0 < excess (Delta alpha) u gamma t.
Proof.
move=> Qt St; have /and5P[_ _ H _ _] := region; have [fb Hb] := beyond_encloses P reference_in.
apply: (is_positive_real (Hb t)); apply: (all_withinP (Everything N) (fits_far reference_in) fb H).
by rewrite (in_far reference_in) Qt.
Qed.

Lemma active_room t : S t -> eps (group_of t) * Rmax (gap_up (group_of t)) (gap_down (group_of t)) <= gap alpha t / 2.
Proof.
move=> St; have /and5P[_ _ _ H _] := region.
have Hw : @column_encloses N D (widest_gap_in D P picks) (fun i => Rmax (gap_up i) (gap_down i)).
  by apply: (combine_column (gap_up_encloses P Dok Pok) (gap_down_encloses P Dok Pok)) => i I J; exact: imax_contains.
have Hx := combine_column (C := fun i => eps i * Rmax (gap_up i) (gap_down i)) (eps_encloses ranges) Hw
  (fun i I J HI HJ => imul_contains P HI HJ).
have [fr Hr] : encloses room_in (fun t => gap alpha t - 2 *
  (eps (group_of t) * Rmax (gap_up (group_of t)) (gap_down (group_of t)))).
  apply: (spread_column_encloses Hx (gap_encloses P Dok Pok)) => d I J HI HJ.
  exact (isub_contains P HJ (imul_contains P (contains2 N) HI)).
have := all_withinP (Everything N) (fits_active_in reference_in) fr H; move/(_ t);
  rewrite (active_mask reference_in) => /(_ St) pos.
by have := is_nonnegative_real (Hr t) pos; lra.
Qed.

Lemma eta_range n : 0 < eta n <= step_size (spec_schedule s) (fraction_real (spec_step s)) first.
Proof. by split; [exact: step_size_gt0 | exact: step_size_decreasing]. Qed.

(* The radius of the active constraints that the step bound allows. *)
Lemma active_diameter dm : contains (diameter_in D P picks) dm ->
  exists Rs, [/\ 0 < Rs, h * (Rs * Rs) <= 4 * (gamma - rho * dm) &
    forall t d, S t -> S d -> vnorm (Delta alpha t - Delta alpha d)%V <= Rs].
Proof.
move=> Hd; have /and5P[_ _ _ _ /and5P[h1 g1 H _ _]] := region.
have h0 : 0 < h := is_positive_real (F step_bound) h1.
have Hg := reduced_contains reference_in share Hd; have g0 := is_positive_real Hg g1.
set g := gamma - rho * dm in Hg g0 *; have q0 : 0 < 4 * g / h by apply: Rdiv_lt_0_compat; lra.
exists (sqrt (4 * g / h)); split=> [||t d St Sd]; first exact: sqrt_lt_R0.
  by rewrite sqrt_sqrt; [right; field; lra | lra].
have at_active x : S x -> pair_of x \in GramBound.listed_places D (active_in f).
  by move=> Sx; apply: mem_active; rewrite (active_mask reference_in).
have {}H := allP (allP H _ (at_active t St)) _ (at_active d Sd).
apply: sqrt_le_1_alt; apply: (Rmult_le_reg_l h) => //; have -> : h * (4 * g / h) = (2 + 2) * g by field; lra.
rewrite square_between_value //.
apply: certainly_le_real (imul_contains P (F step_bound) (ratio_contains P _ _))
  (imul_contains P (iadd_contains P _ _) Hg) H; exact: contains2.
Qed.

Theorem bounded_sound : centred_forever_claim alpha (loss_of l) (spec_rule s) eta w0 (constants_of c).
Proof.
have /and5P[_ _ /and4P[centred room excess_le centre_le] rule dom] := checked.
have /and4P[_ _ /same_real path_zero height_le] :=
  said; have /and5P[_ _ _ _ /and5P[_ speed _ attended out]] := region.
have [_ Hg _ _ _] := reference_in; have [_ Hh _ _] := point_in; have g0 := dir_margin_gt0 dir.
have path0 : fraction_real (said_path c) = 0 by rewrite /fraction_real path_zero real0 /Rdiv Rmult_0_l.
have [dm [Hd _ dm_le]] := diameter_contains P Dok Pok.
have speed0 := is_positive_real (reduced_contains reference_in share Hd) speed.
have rho_lt : rho * dm < gamma by lra.
have labels : labelled alpha l by rewrite /labelled all_outputs.
have held := checked_ranges Dok ranges labels.
pose r := checked_basin Pok step_bound share reach ws dm.
have [centre [x [n [orth balance [Hx x_ge] [Hn n_ge]]]]] :=
  centre_check_sound Dok reference_in dir point_in active_gap_gt0 centred.
pose o := Reference dir orth.
have decays : far_decays (fun t => Q t && ~~ S t) (basin_far o factors w0 r).
  split=> [|t _|t /andP[Qt St]]; [exact: speed0 | | exact: tight_is_active Qt St].
  exact (Rmult_le_pos _ _ (local_far_ge0 held t) (Rlt_le _ _ (exp_pos _))).
have far0 t (Qt : Q t) (St : ~~ S t) : 0 <= far_total (basin_far o factors w0 r) t.
  by apply: (far_total_ge0 decays); rewrite Qt.
have [X X_ge /(_ _ Hx) HX] := residual_contains Dok reference_in point_in ranges active_gap_gt0 Hd x_ge far0.
have room_real := certainly_le_real (iadd_contains P HX Hx) (F reach) room.
have excess_real := certainly_le_real (imul_contains P HX HX) (F (said_excess c)) excess_le.
have centre_real := certainly_le_real Hn (F (said_centre c)) centre_le.
have height_real := certainly_le_real (F (said_height c)) Hh height_le.
have out_real := certainly_le_real (outside_contains Dok reach reference_in point_in ranges) (F share) out.
have [ddl derive ratio_le] := slope_ratio_spec all_outputs.
have lam0 : 0 <= slope_ratio l by rewrite /slope_ratio; case: (l); lra.
have Z0 := exp_pos (mean_limit Q mu (limit_factor alpha (loss_of l))).
have low_in_encloses := start_low_encloses P Dok step_bound share reach dm reference_in dir orth point_in.
have low_at := conj (proj1 low_in_encloses) (fun t (_ : Q t) => proj2 low_in_encloses t).
have total0 k : 0 <= Growth.total eta k by apply: total_ge0 => j; have := eta_range j; lra.
have diverge := later_steps_diverge (spec_schedule s) step_gt0 first.
exists ws; first exact: (proj1 solution); exists centre; first exact: orth.
apply: (later_of_path (c := constants_of c) (proj1 solution) some_constraint) => [||z start run].
- exact: Rle_trans n_ge centre_real.
- exact: height_real.
have attended_z i :
    local_odds alpha (start_low o (z O) r) i / (1 + local_odds alpha (start_low o (z O) r) i) <= eps i.
  by rewrite start; exact (attention_check_sound Dok ranges low_at i attended).
have room_z := Rle_trans _ _ _ (Rplus_le_compat _ _ _ _ X_ge x_ge) room_real.
have conditions : basin_conditions o factors (deviation_rate alpha mu head (slope_ratio l) (least_gap Pok lam))
    (z O) r (limit_factor alpha (loss_of l)).
  rewrite start; split; [exact: active_inside | exact: tight_is_active | by move=> t _; exact: dm_le | exact: rho_lt |
    exact: active_diameter Hd | by exists (exp (mean_limit Q mu (limit_factor alpha (loss_of l)))) | | | | |
    exact: room_z | exact: out_real].
  - by move=> t _ _; apply: vec_ext => j; exact (esym (Rplus_0_r _)).
  - by move=> *; rewrite /r /= dot0r.
  - by move=> *; rewrite /r /= dot0r.
  by move=> *; rewrite /r /= dot0r.
pose near := bounded_forever o factors (deviation_rate alpha mu head (slope_ratio l) (least_gap Pok lam)) eps z r.
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
  have late k : encloses (risen_in k) (fun t => start_low o w0 r t + slope t *
    rise s first c ws w0 k).
    have Hr := DominationChecks.rise_in_contains P s first c reference_in point_in k.
    have Hm := map_encloses (G := fun t => slope t * rise s first c ws w0 k) Hs (fun t I HI => imul_contains P HI Hr).
    by apply: (combine_encloses low_in_encloses Hm) => t I J; exact: iadd_contains.
  apply: (dominates_with_sound Dok dir step_gt0 grows late _ dom) => k j t rise0 later Qt.
  apply: Rle_trans (bounded_margin (at_z j) Qt); rewrite start.
  have more (a b q q' : R) : q <= q' -> a - b + q <= a + q' - b by lra.
  have rises : rise s first c ws w0 k <= Direction.height u (z j) - y0 by lra.
  exact (more _ _ _ _ (Rmult_le_compat_l _ _ _ (Rlt_le _ _ (slope_gt0 dir Qt)) rises)).
have gap_least := least_gap_le active_gap_gt0.
have bounds : limit_ranges alpha (loss_of l) mu head (slope_ratio l) (least_gap Pok lam).
  split; [exact: active_inside | exact: active_room | exact: lam0 | by exists ddl => // i v _; exact: ratio_le |
    exact: least_gap_gt0 Pok lam | exact: gap_least].
move: rule run; rewrite /bounded_rule_check; case: (spec_rule s) => // [] /and3P[logE step G_le] run.
- have mass := low_mass_contains Dok l ranges low_at.
  have step_le := length_check_sound Hd mass step; rewrite -start in step_le.
  have [H lim] := T15_gradient (o := o) held bounds eta_range conditions attended_z step_le run.
  apply: (finish (fun k => proj1 (H k)) _ (lim diverge)) => k; have [_ grown] := H k; rewrite start in grown;
    rewrite (ifT _ _ logE).
  have G_need := certainly_le_real (F (said_growth c)) (logarithmic_speed_contains Dok l ranges
    reference_in share Hd) G_le.
  apply: (exponential_growth g0 (total0 k) G_need _ grown).
  by apply: Rmult_lt_0_compat g0 (Rmult_lt_0_compat _ _ speed0 (exp_pos _)).
have step_le := size_check_sound step.
have [H lim] := T15_normalised (o := o) held bounds eta_range conditions attended_z step_le run.
apply: (finish (fun k => proj1 (H k)) _ (lim diverge)) => k; have [_ grown] := H k; rewrite start in grown;
  rewrite (ifF _ _ (negbTE logE)).
case/orP: G_le => [G_le | /and3P[whole cosine0 G_le]].
  exact (linear_growth_weaker (total0 k) (certainly_le_real (F (said_growth c))
    (linear_speed_contains reference_in share Hd) G_le) grown).
have [cmin [Hcmin _ cmin_le]] := least_cosine_contains P Dok reference_in dir.
have everything t : Q t -> inside t.
  move=> Qt; apply: contraT => out_t; have fo := fits_other Dok Pok ranges.
  have ot : in_mask (other_mask D picks outside) t by rewrite (in_other Dok Pok ranges) Qt.
  by have := all_withinP false fo fo whole ot; rewrite -/(in_mask _ _) ot.
have := T15_normalised_growth (o := o) held bounds eta_range conditions attended_z k step_le run everything
  (Rlt_le _ _ (is_positive_real Hcmin cosine0)) cmin_le.
rewrite start; exact (linear_growth_weaker (total0 k) (certainly_le_real (F (said_growth c)) Hcmin G_le)).
Qed.
End Bounded.

(* ---- T15 as a theorem for all later steps; its centre is not the natural one ---- *)

Section LaterTheorem.
Variable N : number.

Definition bounded_later_check : later_check N (bounded_evidence N) := fun D P picks l f w s first c e =>
  everywhere l && bounded_check D P picks l f w s first e c.

Lemma bounded_constraint : needs_constraint bounded_later_check.
Proof. by move=> D P picks Pok l f w s first c x /andP[_ /andP[/andP[H _] _]]; exact: has_constraintP. Qed.

Theorem bounded_later_holds : later_holds true bounded_later_check.
Proof.
move=> D P picks Dok Pok l f w s first c x ws w0 lam sol ref pt /andP[all_outputs checked].
by split=> [|polyak]; [exact (bounded_sound Dok sol ref pt checked all_outputs)
  | case: (bounded_not_polyak checked polyak)].
Qed.

Definition bounded_theorem : later_theorem N := LaterTheorem bounded_constraint bounded_later_holds.
End LaterTheorem.
