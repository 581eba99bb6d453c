(* HeadLater: what a theorem for all later steps is to the checker, of any head: the tables of its factors, and a check
   at an enclosed point; and what these checks share. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Losses Heads HeadRuns Claims Direction Growth Saturation Runs Forever
                           HeadForever Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks Interval
                           IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks
                           DominationChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Domination.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation Q := (constraint alpha).
Variables (h : head (problem D)) (least : R).
Variables (l : loss_name) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat) (c : conclusion N).
Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation centre := (w0 - Direction.height u w0 * u)%V.
Notation M := (fraction_real (said_path c)).
Notation E := (fraction_real (said_excess c)).
Notation G := (fraction_real (said_growth c)).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation y0 := (Direction.height u w0).
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis dir : direction Q (Delta alpha) u gamma mu.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypotheses (M_gt0 : 0 < M) (E_ge0 : 0 <= E) (step_gt0 : 0 < fraction_real (spec_step s)).

(* The claim about the natural centre, from what a theorem says of every run from w_0. *)
Theorem head_forever_of_theorem : max_margin alpha ws -> (exists t, Q t) ->
  vnorm centre <= fraction_real (said_centre c) -> fraction_real (said_height c) <= y0 ->
  domination_check D P picks f w s first c ->
  (forall z, z O = w0 -> head_follows h least (spec_rule s) eta z ->
     [/\ forall n, vnorm2 (residual u centre (z n)) <= E + M * (Direction.height u (z n) - y0),
         forall n, if said_logarithmic c then exp (gamma * y0) + G * Growth.total eta n <=
           exp (gamma * Direction.height u (z n))
                   else y0 + G * Growth.total eta n <= Direction.height u (z n) &
         is_lim_seq (fun n => cosine u (z n)) 1]) ->
  head_forever_claim alpha h least false (spec_rule s) eta w0 (constants_of c).
Proof.
move=> Mm cs Hc Hh dom H; exists ws => //; exists centre; first by [].
apply: (head_later_of_path (c := constants_of c) Mm cs Hc Hh) => z E0 run.
have [Hp Hg Hl] := H z E0 run; split; [exact Hp | exact Hg | exact Hl |].
exact (dominates_sound Dok reference_in dir point_in M_gt0 E_ge0 step_gt0 Hg Hp dom).
Qed.
End Domination.
