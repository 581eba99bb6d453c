(* HeadLocal: the executable hypotheses of T11 at one point, of any head from the tables of its factors.

   head_local_check compares, in interval arithmetic, the point, the tables, the constants of the evidence and those of
   the conclusion; head_local_sound: if it answers true, the claim holds of every run of the head. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Heads HeadRuns Claims Direction Gibbs Path Growth Region Saturation
                           FactorRange LocalRanges SelectedPath LocalAbsorbing LocalSelection Runs Forever HeadForever
                           Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary
                           IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks
                           DominationChecks LocalFactors FactorTables HeadLater Reference.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* T11's own constants beside the ranges. *)
Record cone_data (N : number) := ConeData {
  cone_step_bound : fraction N;       (* h *)
  cone_share : fraction N;            (* rho *)
  cone_drift : fraction N;            (* C1 *)
  cone_decay : fraction N             (* theta *)
}.

Section Local.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).

Variables (T : factor_tables N) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat).
Variables (e : cone_data N) (c : conclusion N).
Notation step_bound := (cone_step_bound e).
Notation ratio := (cone_share e).
Notation extra := (cone_drift e).
Notation theta := (cone_decay e).
Notation path_in := (path_in P c).
Notation growth := (growth_in P c).

Definition cone_lows : seq (seq interval) := lowest_margins D P picks f w path_in.

(* R(theta): the exponents -(m_c - gamma y_0) + (delta_c + theta)^2 M/(4 beta_c). *)
Definition cone_exponents (th : interval) : seq (seq interval) :=
  let wide d b := let z := iadd P (isqrt P d) th in
                  idiv P (imul P (imul P z z) path_in) (imul P (iadd P (interval2 N) (interval2 N)) b) in
  combine_tables (isub P) (combine_tables wide (square_spreads D P picks f) (beyond_in P f)) (excess_margins P f w).
Definition cone_tail_in (th : interval) : interval :=
  imul P (iexp P (iopp (floor_of P T f))) (rest_mass_in D P picks T (cone_exponents th)).

(* e theta *)
Definition cone_decay_in : interval := imul P (iexp P (interval1 N)) (fraction_in P theta).

Definition cone_tail_check : bool :=
  [&& certainly_lt (interval0 N) (fraction_in P theta), certainly_le (cone_tail_in (interval0 N)) (fraction_in P
    ratio) &
      certainly_le (imul P (imul P (interval2 N) (diameter_in D P picks))
        (idiv P (cone_tail_in (fraction_in P theta)) cone_decay_in))
        (fraction_in P extra)].

Definition cone_region_check : bool :=
  [&& active_test T f, slack_test D P picks T f, is_positive (reduced_in D P picks f ratio),
      attention_test D P picks T cone_lows & region_test T cone_lows].

(* (2C + C1 + h D (1 + rho))/(gamma - rho D) <= M *)
Definition cone_path_check : bool :=
  let gibbs := gibbs_gap_in P f w (kept_mask T) (lower_table T) (upper_table T) in
  let drift := imul P (fraction_in P step_bound) (stretch_in D P picks ratio) in
  certainly_le (idiv P (iadd P (iadd P (imul P (interval2 N) gibbs) (fraction_in P extra)) drift)
    (reduced_in D P picks f ratio)) path_in.

Definition cone_rule_check : bool :=
  match spec_rule s with
  | NormalisedSteps =>
      [&& ~~ said_logarithmic c, size_check P s first step_bound &
        certainly_le growth (linear_speed_in D P picks f ratio)]
  | GradientSteps =>
      [&& said_logarithmic c, length_check D P picks s first step_bound (mass_in D P picks T cone_lows) &
          certainly_le growth (exponential_speed_in D P picks T f ratio)]
  | _ => false
  end.

Definition head_local_check : bool :=
  [&& conclusion_ok D P picks s w c, cone_region_check, cone_tail_check, cone_path_check & cone_rule_check &&
    domination_check D P picks f w s first c].

(* ---- soundness ---- *)

Variables (h : head (problem D)) (least : R) (r : table_ranges D).
Variables (l : loss_name) (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis hold : tables_hold Pok T h r.
Hypothesis checked : head_local_check.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation centre := (w0 - Direction.height u w0 * u)%V.
Notation factors := (table_bounds T r).
Notation eps := (range_eps r).
Notation M := (fraction_real (said_path c)).
Notation rho := (fraction_real ratio).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation K := (log_floor Q mu (factor_low factors)).
Notation low := (path_low (Delta alpha) u centre w0 M).

Lemma head_local_constraint : exists t, Q t.
Proof. by have /andP[ok _] := checked; case: (conclusion_facts point_in ok). Qed.

Let facts := conclusion_facts point_in (proj1 (andP checked)).
Hypothesis some_constraint : exists t, Q t.
Let M_gt0 : 0 < M. Proof. by case: facts. Qed.
Let dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) some_constraint.
Let o := natural_reference dir w0.
Let F q := @fraction_in_contains N P q.

Lemma cone_exponents_enclose th x : contains th x -> encloses (cone_exponents th) (fun t =>
  - (dot (Delta alpha t) w0 - gamma * Direction.height u w0) +
  (Direction.spread (Delta alpha) u t + x) * (Direction.spread (Delta alpha) u t + x) * M /
    (4 * excess (Delta alpha) u gamma t)).
Proof.
move=> Hx; have Hd := square_spreads_enclose P Dok reference_in; have Hb := beyond_encloses P reference_in.
have Hw := combine_encloses (H := fun t => (Direction.spread (Delta alpha) u t + x) *
  (Direction.spread (Delta alpha) u t + x) * M /
  (4 * excess (Delta alpha) u gamma t)) Hd Hb.
apply: (combine_encloses (Hw _ _) (excess_margins_enclose P reference_in point_in)) => [t I J HI HJ | t I J HI HJ];
  last first.
  by rewrite Rplus_comm; exact: isub_contains.
have Hz : contains (iadd P (isqrt P I) th) (Direction.spread (Delta alpha) u t + x).
  by apply: iadd_contains => //; have := isqrt_contains P HI; rewrite sqrt_square //; exact: spread_ge0.
apply: idiv_contains; first exact (imul_contains P (imul_contains P Hz Hz) (F (said_path c))).
apply: imul_contains => //; have -> : 4 = 2 + 2 by ring.
by apply: iadd_contains; exact: contains2.
Qed.

Lemma cone_tail_contains th x : contains th x -> contains (cone_tail_in th) (tail o factors w0 M x).
Proof.
move=> Hx; have Hf := iexp_contains P (iopp_contains (floor_of_contains P hold reference_in)).
exact (imul_contains P Hf (rest_mass_contains P hold (cone_exponents_enclose Hx))).
Qed.

Lemma cone_residual_on_path y : on_path u centre w0 M y ->
  vnorm2 (residual u centre y) <= fraction_real (said_excess c) + M *
    (Direction.height u y - Direction.height u w0).
Proof.
case=> _; have [_ _ _ E0 _] := facts.
have -> : vnorm2 (residual u centre w0) = 0 := start_residual_sqr (o := o) erefl.
by lra.
Qed.

Lemma cone_lows_hold : lows_hold Pok cone_lows low.
Proof.
have [fl Hl] := lowest_margins_enclose P Dok reference_in point_in (F (said_path c)).
by split=> // t Qt; rewrite (path_low_real dir _ M_gt0 Qt); exact: Hl.
Qed.

Lemma cone_attended : lows_attended Pok low eps.
Proof. by have /and5P[_ /and5P[_ _ _ att _] _ _ _] := checked; exact (attention_test_sound Dok hold cone_lows_hold
  att). Qed.

Lemma cone_range : factor_range Q (Delta alpha) (head_factor alpha h) low factors.
Proof.
have /and5P[_ /and5P[_ _ _ _ inside] _ _ _] := checked.
exact (tables_range hold cone_lows_hold cone_attended inside).
Qed.

(* T11's cone, and its conditions at w_0. *)
Definition checked_cone (dm : R) : cone :=
  Cone M dm rho (fraction_real extra) (fraction_real theta) (fraction_real step_bound).

Lemma cone_start : exists dm, contains (diameter_in D P picks) dm /\ cone_conditions o factors w0 (checked_cone dm).
Proof.
have /and5P[_ /and5P[act slack red _ _] /and3P[t0 small pull] path _] := checked.
have [dm [Hd _ dm_le]] := diameter_contains P Dok Pok; have reduced := reduced_contains reference_in ratio Hd.
have Hs := cone_tail_contains (contains0 N); have Hp := cone_tail_contains (F theta).
have He := imul_contains P (iexp_contains P (contains1 N)) (F theta).
have Hl := imul_contains P (imul_contains P (contains2 N) Hd) (idiv_contains P Hp He).
have Hg2 := gibbs_gap_contains P reference_in point_in (kept_fits hold) (lower_encloses hold) (upper_encloses hold).
have HM := iadd_contains P (iadd_contains P (imul_contains P (contains2 N) Hg2) (F extra))
  (imul_contains P (F step_bound) (stretch_contains ratio Hd)).
have M_need := certainly_le_real (idiv_contains P HM reduced) (F (said_path c)) path.
have reduced0 := is_positive_real reduced red.
exists dm; split; [exact Hd | split].
- exact: erefl.
- exact (fun t => active_test_sound hold reference_in (t := t) act).
- exact (fun t => slack_test_sound hold reference_in (t := t) slack).
- by move=> t _; exact: dm_le.
- exact: M_gt0.
- exact (Rminus_gt_0_lt _ _ reduced0).
- exact (certainly_lt_real (contains0 N) (F theta) t0).
- by rewrite /natural_gap (Rmult_assoc (cone_step _)); exact M_need.
- exact (certainly_le_real Hs (F ratio) small).
exact (certainly_le_real Hl (F extra) pull).
Qed.

Theorem head_local_sound : head_forever_claim alpha h least false (spec_rule s) eta w0 (constants_of c).
Proof.
have [_ step_gt0 _ E0 [Hc Hh]] := facts; have [_ Hg _ _ _] := reference_in; have g0 := dir_margin_gt0 dir.
have /and5P[_ _ _ _ /andP[rule dom]] := checked.
have diverge := later_steps_diverge (spec_schedule s) step_gt0 first.
have eta_range n : 0 < eta n <= step_size (spec_schedule s) (fraction_real (spec_step s)) first.
  by split; [exact: step_size_gt0 | exact: step_size_decreasing].
have total0 n : 0 <= Growth.total eta n by apply: total_ge0 => k; have := eta_range k; lra.
have [dm [Hd conditions0]] := cone_start.
apply: (head_forever_of_theorem Dok reference_in dir point_in M_gt0 E0 step_gt0 (proj1 solution) some_constraint Hc Hh
  dom) => z start run.
have conditions : cone_conditions o factors (z O) (checked_cone dm) by rewrite start.
have range : factor_range Q (Delta alpha) (head_factor alpha h) (path_low (Delta alpha) u centre (z O) M) factors.
  by rewrite start; exact: cone_range.
have att i : local_odds alpha (path_low (Delta alpha) u centre (z O) M) i /
    (1 + local_odds alpha (path_low (Delta alpha) u centre (z O) M) i) <= eps i.
  by rewrite start; exact: cone_attended.
have rho_lt : rho * dm < gamma := cone_ratio_lt conditions; have reduced0 : 0 < gamma - rho * dm by lra.
have speed0 := Rmult_lt_0_compat _ _ g0 (Rmult_lt_0_compat _ _ reduced0 (exp_pos K)).
move: rule run; rewrite /cone_rule_check; case: (spec_rule s) => // [] /and3P[logE step G_le] run.
- have lows : lows_hold Pok cone_lows (path_low (Delta alpha) u centre (z O) M) by rewrite start; exact:
  cone_lows_hold.
  have step_le := length_check_sound Hd (mass_contains P hold lows) step.
  have [H lim] := head_T11_gradient (o := o) eta_range conditions range att step_le run.
  split; last exact (lim diverge).
    by move=> n; have := forever_path (proj1 (H n)); rewrite start; exact: cone_residual_on_path.
  move=> n; have [_ y] := H n; rewrite start in y; rewrite (ifT _ _ logE).
  have G_need := certainly_le_real (F (said_growth c)) (exponential_speed_contains hold reference_in ratio Hd) G_le.
  exact (exponential_growth g0 (total0 n) G_need speed0 y).
have step_le := size_check_sound step.
have [H lim] := head_T11_normalised (o := o) eta_range conditions range att step_le run.
split; last exact (lim diverge).
  by move=> n; have := forever_path (proj1 (H n)); rewrite start; exact: cone_residual_on_path.
move=> n; have [_ y] := H n; rewrite start in y; rewrite (ifF _ _ (negbTE logE)).
exact (linear_growth_weaker (total0 n) (certainly_le_real (F (said_growth c))
  (linear_speed_contains reference_in ratio Hd) G_le) y).
Qed.
End Local.
