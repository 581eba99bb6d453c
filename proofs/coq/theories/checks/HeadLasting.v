(* HeadLasting: what T12 and T12n conclude of a run, for scores (LockInChecks.v) and classes (ClassLockIn.v) alike: a
   bound of the path, growth, the limit, and of what each group can lose of its attention. So selected tokens have more
   than half of it from some later step on. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Claims Direction Path Growth Region Saturation Runs Number Rows TokenData
                           MarginChecks OptimalityChecks EnclosureChecks Interval IntervalTables AttentionIntervals
                           ReferenceIntervals RegionIntervals ForeverChecks DominationChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Lasting.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Variables (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat) (c : conclusion N).

(* A group that loses less than half keeps it; others have it from a later step on. *)
Definition head_lasting_check (lost : seq (interval N)) : bool :=
  if said_dominates c is Some n then
    growth_nonnegative P c &&
    all (fun eo => certainly_lt (imul P (interval2 N) eo.1) (interval1 N) || certainly_lt eo.2 (interval1 N))
      (zip lost (late_odds D P picks (late_margins D P picks f w s first c n)))
  else true.

Variables (l : loss_name) (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation y0 := (Direction.height u w0).
Notation centre := (w0 - y0 * u)%V.
Notation M := (fraction_real (said_path c)).
Notation E := (fraction_real (said_excess c)).
Notation G := (fraction_real (said_growth c)).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation eta0 := (step_size (spec_schedule s) (fraction_real (spec_step s)) first).
Hypothesis dir : direction (constraint alpha) (Delta alpha) u gamma mu.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis said : conclusion_ok D P picks s w c.
Variables (z : nat -> vec (coord (problem D))) (L : data_group D -> R).
Notation height n := (Direction.height u (z n)).

(* L is what a group can lose. *)
Record concluded : Prop := Concluded {
  concluded_path : forall n, vnorm2 (residual u centre (z n)) <= E + M * (height n - y0);
  concluded_growth : forall n, if said_logarithmic c
    then exp (gamma * y0) + G * Growth.total eta n <= exp (gamma * height n)
    else y0 + G * Growth.total eta n <= height n;
  concluded_limit : is_lim_seq (fun n => cosine u (z n)) 1;
  concluded_near : forall n i, 1 - attention (z n) (alpha i) <= L i
}.

Let facts := conclusion_facts point_in said.
Let step_gt0 : 0 < fraction_real (spec_step s). Proof. by case: facts. Qed.

Lemma concluded_steps n : 0 < eta n <= eta0.
Proof. by split; [exact: step_size_gt0 | exact: step_size_decreasing]. Qed.

Lemma concluded_total_ge0 n : 0 <= Growth.total eta n.
Proof. by apply: total_ge0 => k; have := concluded_steps k; lra. Qed.

Let diverge := later_steps_diverge (spec_schedule s) step_gt0 first.
Let no_residual := natural_centre_residual (erefl centre).

(* From a path that falls with a value, and growth like a logarithm: gradient steps. *)
Theorem descent_concluded (value : vec (coord (problem D)) -> R) (least A k : R) : said_logarithmic c ->
  (forall n, vnorm2 (residual u centre (z n)) <=
    vnorm2 (residual u centre w0) + A * (height n - y0) + 2 * eta0 * (value w0 - value (z n))) ->
  (forall n, least <= value (z n)) -> 0 < k ->
  (forall n, / gamma * ln (exp (gamma * y0) + k * Growth.total eta n) <= height n) ->
  A <= M -> 2 * eta0 * (value w0 - least) <= E -> G <= k ->
  (is_lim_seq (Growth.total eta) p_infty -> is_lim_seq (fun n => cosine u (z n)) 1) ->
  (forall n i, 1 - attention (z n) (alpha i) <= L i) -> concluded.
Proof.
move=> logE path low k0 grown A_le E_ge G_le lim near; have g0 := dir_margin_gt0 dir.
have up n : y0 <= height n.
  have := exponential_growth g0 (concluded_total_ge0 n) (Rlt_le _ _ k0) k0 (grown n); rewrite Rmult_0_l Rplus_0_r => le.
  by apply: Rnot_lt_le => lt; have := exp_increasing _ _ (Rmult_lt_compat_l _ _ _ g0 lt); lra.
split=> [n|n||//]; last exact: lim diverge.
- apply: Rle_trans (path n) _; rewrite [in vnorm2 (residual u centre w0)]no_residual vnorm20.
  have rise : 0 <= height n - y0 by have := up n; lra.
  have e2 : 0 <= 2 * eta0 by have := concluded_steps O; lra.
  by have := Rmult_le_compat_r _ _ _ rise A_le; have := Rmult_le_compat_l _ _ _ e2 (low n); lra.
by rewrite logE; exact: exponential_growth g0 (concluded_total_ge0 n) G_le k0 (grown n).
Qed.

(* From a path and growth in proportion to the steps: normalised steps. *)
Theorem path_concluded (k : R) : said_logarithmic c = false -> (forall n, on_path u centre w0 M (z n)) ->
  (forall n, y0 + k * Growth.total eta n <= height n) -> G <= k ->
  (is_lim_seq (Growth.total eta) p_infty -> is_lim_seq (fun n => cosine u (z n)) 1) ->
  (forall n i, 1 - attention (z n) (alpha i) <= L i) -> concluded.
Proof.
move=> logE path grown G_le lim near; have [_ _ _ E0 _] := facts.
split=> [n|n||//]; last exact: lim diverge.
- by have [_ p] := path n; rewrite no_residual vnorm20 in p; lra.
by rewrite logE; exact: linear_growth_weaker (concluded_total_ge0 n) G_le (grown n).
Qed.

Hypothesis reference_in : reference_encloses Pok f ws lam.

Theorem head_lasting_sound lost : @column_encloses N D lost L -> concluded -> head_lasting_check lost ->
  forall n, said_dominates c = Some n -> forall k i, (n <= k)%nat -> 1 / 2 < attention (z k) (alpha i).
Proof.
move=> [sl Hl] [on_path grows _ near] lasts n dE k i nk; have [_ _ M_gt0 E_ge0 _] := facts.
move: lasts; rewrite /head_lasting_check dE => /andP[G0 H].
have enclosed := late_margins_enclose P Dok s first c reference_in point_in.
have below m j t := late_margin_le (s := s) (first := first) dir M_gt0 E_ge0 on_path (n := m) (k := j) (t := t).
have [so _] := late_odds_enclose P Dok Pok enclosed n.
have := all_nthP (Everything N, Everything N) H i; rewrite size_zip sl so minnn nth_zip ?sl ?so // => /(_ (ltn_ord i))
  /= /orP[small | odds].
  have lt := certainly_lt_real (imul_contains P (contains2 N) (Hl i)) (contains1 N) small.
  by have := near k i; rewrite /=; lra.
exact: (group_dominates Dok dir step_gt0 grows enclosed below G0 odds nk).
Qed.
End Lasting.
