(* ForeverRun: the verified check of a claim about all later steps of a run (`forever-from-run`).

   The run is replayed up to its step; what the theorem needs of the true iterate is enclosed by what it is at the
   known one and by their distance. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Direction Growth Saturation Runs Forever Number Rows TokenData
                           Losses MarginChecks OptimalityChecks EnclosureChecks Interval IntervalTables
                           AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks DominationChecks
                           AbsorbingChecks ForeverEvidence ForeverClaims Replay ReplaySound RunChecks PathChecks
                           RunClaims.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- a point known up to a distance ---- *)

Section Ball.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).

Definition widened_point (l : loss_name) (w : point N) (r : interval) : point N :=
  let margins := widened_margins D P picks (point_margins w) r in
  Point margins (iadd P (point_height w) (symmetric r))
    (iadd P (point_residual w) (symmetric (imul P (interval2 N) r)))
    (loss_excess D P margins l picks (selected_scores D P picks)).

Variable ws : vec (coord (problem D)).
Notation u := (margin_direction ws).
Notation height := (Direction.height u).
Hypothesis unit : dot u u = 1.

Lemma widened_point_encloses l (w : point N) (r : interval) (w0 w1 : vec (coord (problem D))) x :
  point_encloses Pok ws l w w0 -> contains r x -> vdist w1 w0 <= x ->
    point_encloses Pok ws l (widened_point l w r) w1.
Proof.
move=> [Hm Hh Hr _] Hx near; have margins := widened_margins_enclose P Dok Hm Hx near.
have u1 : vnorm u = 1 by rewrite /vnorm /vnorm2 unit sqrt_1.
have heights : Rabs (height w1 - height w0) <= x.
  rewrite /Direction.height -dotBl; apply: Rle_trans (cauchy_schwarz _ _) _; rewrite u1 Rmult_1_r; exact: near.
split=> //=.
- have -> : height w1 = height w0 + (height w1 - height w0) by ring.
  by apply: iadd_contains => //; exact: (symmetric_contains Hx heights).
- have -> : vnorm (w1 - height w1 * u)%V = vnorm (w0 - height w0 * u)%V +
      (vnorm (w1 - height w1 * u)%V - vnorm (w0 - height w0 * u)%V) by ring.
  apply: iadd_contains => //; apply: (symmetric_contains (imul_contains P (contains2 N) Hx)).
  have close (y z : vec (coord (problem D))) : vdist y z <= x -> Rabs (height y - height z) <= x ->
      vnorm (y - height y * u)%V - vnorm (z - height z * u)%V <= 2 * x.
    move=> yz hyz; apply: Rle_trans (vnorm_sub_ge _ _) _.
    have -> : (y - height y * u - (z - height z * u))%V = ((y - z) + (height z - height y) * u)%V by vec_ring.
    by apply: Rle_trans (vnorm_triangle _ _) _; rewrite vnormZ u1 Rabs_minus_sym; rewrite /vdist in yz; lra.
  have c1 := close _ _ near heights.
  have c2 := close w0 w1; rewrite vdistC Rabs_minus_sym in c2; have c2' := c2 near heights.
  by apply: Rabs_le; lra.
exact: (loss_excess_contains P Dok margins l (selected_scores_enclose P Pok)).
Qed.
End Ball.

(* ---- the claim ---- *)

Section ForeverRun.
Variables (N : number) (D : token_data N) (picks : seq nat).
Notation P := forever_precision.
Variable run : run_claim N.
Notation l := (run_loss run).
Notation spec := (run_specification run).

Definition run_steps_rule : step_rule N := StepRule (run_rule spec) (run_schedule spec) (run_step spec).

(* `dominates-from` counts the steps of the whole iteration; from step t on it is this many later ones. *)
Definition seen_from (t : nat) (c : conclusion N) : conclusion N :=
  Conclusion (said_path c) (said_excess c) (said_centre c) (said_height c) (said_logarithmic c) (said_growth c)
    (omap (fun n => n - t)%nat (said_dominates c)).

(* For every run with the specification from step t of the exact iteration on, L* the loss of the best scores.
   The steps up to t are defined, too. *)
Definition forever_run_meaning (alpha : selection (problem D)) (t : nat) (e : forever_evidence N)
  (c : conclusion N) : Prop :=
  forall b : selection (problem D), best b ->
  (forall k, (k < t)%nat ->
     step_defined (loss_of l) (run_rule spec) (@trajectory N D l spec (least_loss b (loss_of l)) k)) /\
  evidence_claim alpha (loss_of l) e (run_rule spec)
    (later_steps (run_schedule spec) (fraction_real (run_step spec)) t)
    (@trajectory N D l spec (least_loss b (loss_of l)) t) (constants_of (seen_from t c)) /\
  (run_rule spec = PolyakSteps -> globally_optimal alpha).

(* An orbit that the run has reached: the specification it was replayed with, and its places. *)
Definition forever_run_check (v : vector N) (margins_v : seq (seq N)) (mask : seq (seq bool))
  (r q : interval N) (s : specification N) (F : Z) (o : orbit N) (t : nat)
    (e : forever_evidence N) (c : conclusion N) : bool :=
  [&& specification_ok D s F, best_ok D, if said_dominates c is Some n then (t <= n)%nat else true &
      let f := reference_of D P picks v margins_v mask r q in
      let known := point_of_matrix D P picks f l v r (position o) (position_unit D s F) in
      let w := widened_point D P picks l known (away o) in
      evidence_check D P picks l f w run_steps_rule t (seen_from t c) e].

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.

Theorem forever_run_check_sound v mask r q (x y : R) ws lam s F o t e c : vector_ok D picks v ->
  solved Pok v mask x y ws lam -> contains r x -> contains q y -> same_run l l s spec ->
  (forall b : selection (problem D), best b -> reaches_orbit D l s F (least_loss b (loss_of l)) t o) ->
  forever_run_check v (margins D picks v) mask r q s F o t e c -> forever_run_meaning alpha t e c.
Proof.
move=> vok sol Hr Hq same reached /and4P[spec_ok Bok _ checked] b Hb.
have [pair _ _ _ [dist _]] := sol.
have cs := evidence_constraint Pok checked.
have ref := reference_of_encloses forever_precision Dok vok sol cs Hr Hq.
have dir := margin_direction_spec (proj1 (proj1 pair)) (proj2 pair) cs.
have [[sh _ [r0 Hr0 near]] early] := reached b Hb; have u0 := position_unit_gt0 Dok spec_ok.
have known := point_of_matrix_encloses forever_precision Dok ref dir l vok Hr dist sh u0.
have pt := widened_point_encloses forever_precision Dok (dir_unit dir) known Hr0 near.
rewrite (same_run_trajectory _ _ same) in pt early; rewrite (same_run_rule same) in early.
by split; [exact: early | exact (evidence_sound Dok pair ref pt checked)].
Qed.
End ForeverRun.
