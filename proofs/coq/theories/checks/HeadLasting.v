(* HeadLasting: selected tokens with more than half of the attention from some later step on, where a theorem bounds
   what each group can lose of it besides the path that it stays on. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Direction Growth Region Saturation Runs Number Rows TokenData
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
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis dir : direction (constraint alpha) (Delta alpha) u gamma mu.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypotheses (M_gt0 : 0 < M) (E_ge0 : 0 <= E) (step_gt0 : 0 < fraction_real (spec_step s)).
Variable z : nat -> vec (coord (problem D)).
Hypothesis grows : forall n, if said_logarithmic c
  then exp (gamma * y0) + G * Growth.total eta n <= exp (gamma * Direction.height u (z n))
  else y0 + G * Growth.total eta n <= Direction.height u (z n).
Hypothesis on_path : forall n, vnorm2 (residual u centre (z n)) <= E + M * (Direction.height u (z n) - y0).

Theorem head_lasting_sound lost (L : data_group D -> R) : @column_encloses N D lost L ->
  (forall k i, L i < 1 / 2 -> 1 / 2 < attention (z k) (alpha i)) -> head_lasting_check lost ->
  forall n, said_dominates c = Some n -> forall k i, (n <= k)%nat -> 1 / 2 < attention (z k) (alpha i).
Proof.
move=> [sl Hl] near lasts n dE k i nk; move: lasts; rewrite /head_lasting_check dE => /andP[G0 H].
have enclosed := late_margins_enclose P Dok s first c reference_in point_in.
have below m j t := late_margin_le (s := s) (first := first) dir M_gt0 E_ge0 on_path (n := m) (k := j) (t := t).
have [so _] := late_odds_enclose P Dok Pok enclosed n.
have := all_nthP (Everything N, Everything N) H i; rewrite size_zip sl so minnn nth_zip ?sl ?so // => /(_ (ltn_ord i))
  /= /orP[small | odds].
  have := certainly_lt_real (imul_contains P (contains2 N) (Hl i)) (contains1 N) small => lt.
  by apply: near; lra.
exact: (group_dominates Dok dir step_gt0 grows enclosed below G0 odds nk).
Qed.
End Lasting.
