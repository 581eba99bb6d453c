(* LocalChecks: the executable hypotheses of T11, the absorbing region of a locally optimal selection, at one point.

   local_check compares, in interval arithmetic, the point, the constants of the evidence and those of the conclusion;
   local_sound: if it answers true, forever_claim holds. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Claims Direction Path Growth Region Saturation FactorRange LocalRanges
                           SelectedPath LocalAbsorbing LocalSelection LockIn Runs Forever Number Rows TokenData
                           MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks LaterTheorem
                           DominationChecks LocalFactors Reference Pulls.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* T11's own constants. *)
Record local_data (N : number) := LocalData {
  local_attentions : seq (fraction N);      (* eps_i, one for each group *)
  local_outside_mask : seq (seq bool);      (* constraints of positive gap in N *)
  local_step_bound : fraction N;            (* h *)
  local_ratio : fraction N;                 (* rho *)
  local_extra : fraction N;                 (* C1 *)
  local_theta : fraction N
}.

Section Local.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Implicit Types (t : token (problem D)) (i : data_group D).

Variables (l : loss_name) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat).
Variables (evidence : local_data N) (c : conclusion N).
Notation attentions := (local_attentions evidence).
Notation outside := (local_outside_mask evidence).
Notation step_bound := (local_step_bound evidence).
Notation ratio := (local_ratio evidence).
Notation extra := (local_extra evidence).
Notation theta := (local_theta evidence).

Notation path_in := (path_in P c).
Definition lows_in : seq (seq interval) := lowest_margins D P picks f w path_in.
Definition floor_in : interval := log_floor_in P f (blo_in D P picks l attentions).

(* R(theta): the exponents -(m_c - gamma y_0) + (delta_c + theta)^2 M/(4 beta_c). *)
Definition tail_exponents (th : interval) : seq (seq interval) :=
  let wide d b := let z := iadd P (isqrt P d) th in
                  idiv P (imul P (imul P z z) path_in) (imul P (iadd P (interval2 N) (interval2 N)) b) in
  combine_tables (isub P) (combine_tables wide (square_spreads D P picks f) (beyond_in P f)) (excess_margins P f w).
Definition tail_in (th : interval) : interval :=
  imul P (iexp P (iopp floor_in)) (other_mass_in D P picks l attentions outside (tail_exponents th)).

(* e theta *)
Definition decay_in : interval := imul P (iexp P (interval1 N)) (fraction_in P theta).

Definition tail_check : bool :=
  [&& certainly_lt (interval0 N) (fraction_in P theta), certainly_le (tail_in (interval0 N)) (fraction_in P ratio) &
      certainly_le (imul P (imul P (interval2 N) (diameter_in D P picks))
        (idiv P (tail_in (fraction_in P theta)) decay_in))
        (fraction_in P extra)].

Definition local_region_check : bool :=
  [&& ranges_check D P picks attentions outside && labelled_check D picks l, active_check D picks outside f,
    slack_check D P picks outside f,
      is_positive (reduced_in D P picks f ratio) & attention_check D P picks attentions lows_in].

(* (2C + C1 + h D (1 + rho))/(gamma - rho D) <= M *)
Definition local_path_check : bool :=
  let gibbs := gibbs_gap_in P f w (inside_mask D picks outside) (blo_in D P picks l attentions)
    (bhi_in D P picks l attentions) in
  let drift := imul P (fraction_in P step_bound) (stretch_in D P picks ratio) in
  certainly_le (idiv P (iadd P (iadd P (imul P (interval2 N) gibbs) (fraction_in P extra)) drift)
    (reduced_in D P picks f ratio)) path_in.

Definition local_rule_check : bool :=
  let growth := fraction_in P (said_growth c) in
  match spec_rule s with
  | NormalisedSteps =>
      [&& ~~ said_logarithmic c, size_check P s first step_bound &
        certainly_le growth (linear_speed_in D P picks f ratio)]
  | GradientSteps =>
      [&& said_logarithmic c, length_check D P picks s
        first step_bound (low_mass_in D P picks l attentions outside lows_in) &
          certainly_le growth (logarithmic_speed_in D P picks l attentions f ratio)]
  | PolyakSteps => false
  end.

Definition local_check : bool :=
  [&& conclusion_ok D P picks s w c, local_region_check, tail_check, local_path_check & local_rule_check &&
    domination_check D P picks f w s first c].

Lemma local_not_polyak : local_check -> spec_rule s <> PolyakSteps.
Proof. by move=> /and5P[_ _ _ _ /andP[H _]] E; move: H; rewrite /local_rule_check E. Qed.

(* ---- soundness ---- *)

Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis some_constraint : exists t, Q t.
Hypothesis checked : local_check.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation centre := (w0 - Direction.height u w0 * u)%V.
Notation inside := (@in_mask N D (inside_mask D picks outside)).
Notation eps := (fun i : data_group D => constant_of attentions i).
Notation head := (checked_head Pok l attentions outside).
Notation factors := (local_bounds alpha head).
Notation M := (fraction_real (said_path c)).
Notation rho := (fraction_real ratio).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation K := (log_floor Q mu (factor_low factors)).

Let facts := conclusion_facts point_in (proj1 (andP checked)).
Let region : local_region_check. Proof. by have /and3P[] := checked. Qed.
Let ranges : ranges_check D P picks attentions outside. Proof. by have /andP[/andP[]] := region. Qed.

Lemma local_labels : labelled alpha l.
Proof. by apply: (labelled_check_sound Dok); have /andP[/andP[]] := region. Qed.

Let M_gt0 : 0 < M. Proof. by case: facts. Qed.
Let dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) some_constraint.
Let o := natural_reference dir w0.
Let F q := @fraction_in_contains N P q.

Lemma floor_contains : contains floor_in K.
Proof. exact (log_floor_contains P reference_in (blo_encloses Dok Pok l ranges)). Qed.

Lemma tail_exponents_enclose th x : contains th x -> encloses (tail_exponents th) (fun t =>
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

Lemma tail_contains th x : contains th x -> contains (tail_in th) (tail o factors w0 M x).
Proof.
move=> Hx; have Hf := iexp_contains P (iopp_contains floor_contains).
have Ho := other_mass_contains Dok Pok l ranges (tail_exponents_enclose Hx).
exact (imul_contains P Hf Ho).
Qed.

Lemma local_residual_on_path y : on_path u centre w0 M y ->
  vnorm2 (residual u centre y) <= fraction_real (said_excess c) + M *
    (Direction.height u y - Direction.height u w0).
Proof.
case=> _; have [_ _ _ E0 _] := facts.
have -> : vnorm2 (residual u centre w0) = 0 := start_residual_sqr (o := o) erefl.
by lra.
Qed.

Section Run.
Variable z : nat -> vec (coord (problem D)).
Hypothesis start : z O = w0.

Lemma lows_enclose : fits D lows_in /\
  forall t, Q t -> contains (at_token (Everything N) lows_in t) (path_low (Delta alpha) u centre (z O) M t).
Proof.
have [fl Hl] := lowest_margins_enclose P Dok reference_in point_in (F (said_path c)).
split=> // t Qt; rewrite start (path_low_real dir _ M_gt0 Qt); exact: Hl.
Qed.

(* T11's cone, and its conditions at the run's start. *)
Definition local_cone (dm : R) : cone :=
  Cone M dm rho (fraction_real extra) (fraction_real theta) (fraction_real step_bound).

Lemma local_start : exists dm, [/\ contains (diameter_in D P picks) dm,
  cone_conditions o factors (z O) (local_cone dm) &
  forall i, local_odds alpha (path_low (Delta alpha) u centre (z O) M) i /
    (1 + local_odds alpha (path_low (Delta alpha) u centre (z O) M) i) <= eps i].
Proof.
have /and5P[_ _ /and3P[t0 small pull] path _] := checked; have /and5P[_ act slack red att] := region.
have [dm [Hd _ dm_le]] := diameter_contains P Dok Pok; have reduced := reduced_contains reference_in ratio Hd.
have Hs := tail_contains (contains0 N); have Hp := tail_contains (F theta).
have He := imul_contains P (iexp_contains P (contains1 N)) (F theta).
have Hl := imul_contains P (imul_contains P (contains2 N) Hd) (idiv_contains P Hp He).
have Hg2 := gibbs_gap_contains P reference_in point_in (fits_inside Dok Pok ranges)
  (blo_encloses Dok Pok l ranges) (bhi_encloses Dok Pok l ranges).
have HM := iadd_contains P (iadd_contains P (imul_contains P (contains2 N) Hg2) (F extra))
  (imul_contains P (F step_bound) (stretch_contains ratio Hd)).
have M_need := certainly_le_real (idiv_contains P HM reduced) (F (said_path c)) path.
have reduced0 := is_positive_real reduced red.
exists dm; split=> [||i]; [exact Hd | rewrite start; split |
  exact (attention_check_sound Dok ranges lows_enclose i att)].
- exact: erefl.
- exact (fun t => active_check_sound Dok ranges reference_in (t := t) act).
- exact (fun t => slack_check_sound Dok ranges reference_in (t := t) slack).
- by move=> t _; exact: dm_le.
- exact: M_gt0.
- exact (Rminus_gt_0_lt _ _ reduced0).
- exact (certainly_lt_real (contains0 N) (F theta) t0).
- by rewrite /natural_gap (Rmult_assoc (cone_step _)); exact M_need.
- exact (certainly_le_real Hs (F ratio) small).
exact (certainly_le_real Hl (F extra) pull).
Qed.
End Run.

Theorem local_sound : forever_claim alpha (loss_of l) (spec_rule s) eta w0 (constants_of c).
Proof.
have [_ step_gt0 _ E0 [Hc Hh]] := facts; have [_ Hg _ _ _] := reference_in; have g0 := dir_margin_gt0 dir.
have /and5P[_ _ _ _ /andP[rule dom]] := checked.
have diverge := later_steps_diverge (spec_schedule s) step_gt0 first.
have eta_range n : 0 < eta n <= step_size (spec_schedule s) (fraction_real (spec_step s)) first.
  by split; [exact: step_size_gt0 | exact: step_size_decreasing].
have total0 n : 0 <= Growth.total eta n by apply: total_ge0 => k; have := eta_range k; lra.
have held := checked_ranges Dok ranges local_labels.
apply: (forever_of_theorem Dok reference_in dir point_in M_gt0 E0 step_gt0 (proj1 solution) some_constraint Hc Hh dom)
  => z start run.
have [dm [Hd conditions ins]] := local_start start.
have rho_lt : rho * dm < gamma := cone_ratio_lt conditions; have reduced0 : 0 < gamma - rho * dm by lra.
have speed0 := Rmult_lt_0_compat _ _ g0 (Rmult_lt_0_compat _ _ reduced0 (exp_pos K)).
move: rule run; rewrite /local_rule_check; case: (spec_rule s) => rule run; [ | | discriminate rule];
  move: rule => /and3P[logE step G_le].
- have step_le := length_check_sound Hd (low_mass_contains Dok l ranges (lows_enclose start)) step.
  have [H lim] := T11_gradient (o := o) held eta_range conditions ins step_le run.
  split; last exact (lim diverge).
    by move=> n; have := forever_path (proj1 (H n)); rewrite start; exact: local_residual_on_path.
  move=> n; have [_ h] := H n; rewrite start in h; rewrite (ifT _ _ logE).
  have G_need := certainly_le_real (F (said_growth c)) (logarithmic_speed_contains Dok l ranges
    reference_in ratio Hd) G_le.
  exact (exponential_growth g0 (total0 n) G_need speed0 h).
have step_le := size_check_sound step.
have [H lim] := T11_normalised (o := o) held eta_range conditions ins step_le run.
split; last exact (lim diverge).
  by move=> n; have := forever_path (proj1 (H n)); rewrite start; exact: local_residual_on_path.
move=> n; have [_ h] := H n; rewrite start in h; rewrite (ifF _ _ (negbTE logE)).
exact (linear_growth_weaker (total0 n) (certainly_le_real (F (said_growth c))
  (linear_speed_contains reference_in ratio Hd) G_le) h).
Qed.
End Local.

(* ---- T11 as a theorem for all later steps ---- *)

Section LaterTheorem.
Variable N : number.

Definition local_later_check : later_check N (local_data N) := fun D P picks l f w s first c x =>
  local_check D P picks l f w s first x c.

Lemma local_constraint : needs_constraint local_later_check.
Proof. by move=> D P picks Pok l f w s first c x /andP[/andP[H _] _]; exact: has_constraintP. Qed.

Theorem local_later_holds : later_holds false local_later_check.
Proof.
move=> D P picks Dok Pok l f w s first c x ws w0 lam sol ref pt checked.
have cs : exists t, constraint (selection_of Pok) t by have /andP[/andP[H _] _] := checked; exact: has_constraintP.
by split=> [|polyak]; [exact (local_sound Dok sol ref pt cs checked) | case: (local_not_polyak checked polyak)].
Qed.

Definition local_theorem : later_theorem N := LaterTheorem local_constraint local_later_holds.
End LaterTheorem.
