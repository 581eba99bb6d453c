(* StatedSets: what accepted claims about the finite part of a run's steps say, in the words that exported files write
   out (StatedRuns.v, StatedOutputs.v). The problem is one of selected sets, the run is about another one. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals.
From Attest Require Import Euclid Selection Heads HeadRuns Losses Number Rows TokenData Instances Claims Senses
                           SensedProblem SensedClaims MarginChecks FinitePart NearestCombination AttentionIntervals
                           Schedules Runs Iteration Replay RunChecks RunClaims HeadReplay OutputHeads OutputValues
                           OutputRuns RunFinitePartChecks ForeverClaims OutputKinds OutputForever Posed
                           RunFinitePartKind Certificates StatedRuns StatedOutputs Exported.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Sets.
Variables (I : instance big_integers) (q : posed) (D : token_data big_integers) (alpha : selection (problem D)).
Notation vector := (vec (coord (problem D))).
Notation senses := (fun t : token (problem D) =>
  sense_in (posing_of q) (tag (t : data_token D)) (tagged (t : data_token D))).
Implicit Types x : run_finite_data big_integers.

(* Of one matrix w and its W_fin. *)
Definition share_parts x w (fin : vector) : seq Prop :=
  [:: finite_part_of alpha senses w fin;
      written (own_low x) <= vnorm2 fin <= written (own_high x);
      vnorm (W alpha (@coefficient_of big_integers D (own_coefficients x)) - fin)%V <= written (own_radius x);
      forall i, written (own_selected x) < attention w (alpha i);
      forall t, equal_row alpha senses t -> written (own_selected x) < attention w t;
      forall t, constraint alpha t -> ~~ equal_row alpha senses t -> attention w t < written (own_masked x)] ++
  (if own_angle x is Some (_, (factor, corr)) then
     [:: exists wmm c, together
        [:: sensed_max_margin alpha senses wmm; 0 < c; within_written factor c;
            within_written corr (one_minus_corr (fin + c * wmm)%V w);
            forall c', 0 < c' -> one_minus_corr (fin + c * wmm)%V w <= one_minus_corr (fin + c' * wmm)%V w]]
   else [::]).

Lemma shares_stated x w : shares_at alpha senses x w -> exists fin, together (share_parts x w fin).
Proof.
rewrite /shares_at fraction_written => -[fin [of_w bounds close bounded angle]]; exists fin.
apply: together_cat; last first.
  rewrite /within_written -fraction_written; case: (own_angle x) angle => [[k [factor corr]]|] //=.
  by move=> [ws [c [M c0 f r b]]]; exists ws, c.
rewrite /attention_bounded fraction_written in bounded.
split=> //; split=> //; split=> //; split; last split.
- by move=> i; have := bounded (alpha i); rewrite constraint_pick.
- by move=> t /andP[_ et]; have := bounded t; rewrite et orbT.
by move=> t ct; rewrite /equal_row ct => /= /negbTE et; have := bounded t; rewrite ct et.
Qed.

Theorem run_finite_stated p x (b : selection (problem D)) w0 : several_outputs I = false -> best b ->
  @Replay.start_point _ D (run_specification (finite_run x)) = w0 ->
  claim_meaning I q alpha (RunFinitePart p x) ->
  let r := finite_run x in let s := run_specification r in let l := loss_of (run_loss r) in
  let w := iterate l (least_loss b l) (run_rule s) (step_size (run_schedule s) (written (run_step s))) w0 in
  together ((if run_rule s is GradientSteps then [::]
             else [:: forall t, (t < finite_step x)%nat -> 0 < vnorm (gradient l (w t))]) ++
            [:: exists fin, together (share_parts x (w (finite_step x)) fin)]).
Proof.
move=> one Hb E H r s l w; have := H; rewrite -[claim_meaning _ _ _ _]/(run_finite_says I q alpha x).
rewrite /run_finite_says one => /(_ b Hb)[]; rewrite (trajectory_written _ _ E) -/l -/s -/w => defined.
move=> /shares_stated shares.
apply: together_cat; last exact: shares.
by case: (run_rule s) defined => //= H1 t tn; apply: H1.
Qed.

(* Of a head of several outputs; beta is the selection of the run. *)
Theorem output_run_finite_stated p x (beta : selection (problem D)) h w0 : several_outputs I = true ->
  output_head I D (run_loss (finite_run x)) = Some h -> selects beta (finite_run_picks x) ->
  @Replay.start_point _ D (run_specification (finite_run x)) = w0 ->
  claim_meaning I q alpha (RunFinitePart p x) ->
  let s := run_specification (finite_run x) in
  let w := head_iterate h (selected_head_loss beta h) (run_rule s)
    (step_size (run_schedule s) (written (run_step s))) w0 in
  together ((if run_rule s is GradientSteps then [::]
             else [:: forall t, (t < finite_step x)%nat -> 0 < vnorm (head_gradient h (w t))]) ++
            [:: exists fin, together (share_parts x (w (finite_step x)) fin)]).
Proof.
move=> several head_is chosen E H s w; have := H; rewrite -[claim_meaning _ _ _ _]/(run_finite_says I q alpha x).
rewrite /run_finite_says several head_is => -[h' [hE] [beta' chosen' [defined shares]]]; subst h'.
move: defined shares; rewrite (selects_unique chosen' chosen) (head_run_written _ _ E) -/s -/w.
move=> defined /shares_stated shares.
apply: together_cat; last exact: shares.
by case R: {1}(run_rule s) => //= t tn; apply: (defined t tn); rewrite -/s R.
Qed.
End Sets.
