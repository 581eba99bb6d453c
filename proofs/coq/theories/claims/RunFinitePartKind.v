(* RunFinitePartKind: the claim `run-finite-part`, how selected sets share the attention at a step of a run about
   another problem: the finite part of the ratios that the run has there, and its angle with W_fin + c W_mm. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads Claims Senses SensedProblem SensedClaims FinitePart Losses
                           NearestCombination Number Rows Entries TokenData Instances Interval IntervalTables
                           AttentionIntervals MarginChecks OptimalityChecks EnclosureChecks GramBound SensedChecks Runs
                           Replay ReplaySound RunChecks PathChecks RunClaims HeadRuns OutputHeads OutputValues
                           OutputRuns ForeverChecks ForeverClaims LeastNormChecks RunFinitePartChecks ClaimKind
                           ForeverKinds OutputKinds OutputForever Posed.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Kind.
Variable N : number.
Notation P := forever_precision.

Record run_finite_data := RunFiniteData {
  finite_run_claim : nat; finite_run_picks : seq nat;   (* the claim about the run, its problem's selection *)
  finite_run : run_claim N; finite_step : nat;
  own_low : fraction N; own_high : fraction N; own_radius : fraction N;   (* of W_fin *)
  own_angle : option (nat * (claimed_band N * claimed_band N));   (* the solution's claim, c and 1 - cos *)
  own_selected : fraction N; own_masked : fraction N;   (* bounds of the attention *)
  own_spanning : seq (seq bool); own_least : fraction N; own_hints : gram_hints N;
  own_coefficients : vector N; own_combinations : seq (vector N)
}.

(* ---- what it says ---- *)

(* Of one matrix. *)
Definition shares_at (D : token_data N) (alpha : selection (problem D)) (s : token (problem D) -> sense) x
    (w : vec (coord (problem D))) : Prop :=
  exists fin, [/\ finite_part_of alpha s w fin,
    fraction_real (own_low x) <= vnorm2 fin <= fraction_real (own_high x),
    vnorm (W alpha (@coefficient_of N D (own_coefficients x)) - fin)%V <= fraction_real (own_radius x),
    attention_bounded (own_selected x) (own_masked x) s alpha w &
    if own_angle x is Some (_, (factor, corr)) then
      exists ws c, [/\ sensed_max_margin alpha s ws, 0 < c, in_band (band_real factor) c,
        in_band (band_real corr) (one_minus_corr (fin + c * ws)%V w) &
        forall c', 0 < c' -> one_minus_corr (fin + c * ws)%V w <= one_minus_corr (fin + c' * ws)%V w]
    else True].

(* Of the run's, beta the selection of its problem. *)
Definition run_finite_says : posed_statement N run_finite_data := fun I p D alpha x =>
  let s := fun t : token (problem D) => sense_in (posing_of p) (tag (t : data_token D)) (tagged (t : data_token D)) in
  let r := finite_run x in let t := finite_step x in
  if several_outputs I then
    exists2 h, output_head I D (run_loss r) = Some h &
    exists2 beta : selection (problem D), selects beta (finite_run_picks x) &
      (forall k, (k < t)%nat ->
         moves_from (head_gradient h) (run_rule (run_specification r)) (head_run h beta r k)) /\
      shares_at alpha s x (head_run h beta r t)
  else
    forall b : selection (problem D), best b ->
    let w := @trajectory N D (run_loss r) (run_specification r) (least_loss b (loss_of (run_loss r))) in
    (forall k, (k < t)%nat -> step_defined (loss_of (run_loss r)) (run_rule (run_specification r)) (w k)) /\
    shares_at alpha s x (w t).

(* ---- the check ---- *)

Definition own_shown x : shown_least N :=
  ShownLeast (own_coefficients x) (own_low x) (own_high x) (own_radius x) (own_least x) (own_hints x).

(* The run's orbit at the step, and the unit of its matrix. *)
Definition run_orbit (I : instance N) (D : token_data N) x (f : fact N) : option (orbit N * N) :=
  let r := finite_run x in
  let found s F passed :=
    if specification_ok D s F
    then omap (fun o => (o, position_unit D s F)) (found_at (finite_step x) passed) else None in
  if several_outputs I then
    if output_trail I D (finite_run_picks x) f (for_step r (finite_step x)) is Some kept
    then found (run_specification r) (places r) kept.2 else None
  else if f is RunFact l s _ F passed then
    if same_run l (run_loss r) s (run_specification r) then found s F passed else None
  else None.

Definition shares_check (quick : entries N) (D : token_data N) picks senses (cited : nat -> fact N) x
    (at_step : orbit N * N) : bool :=
  let rows := position at_step.1 in let unit := at_step.2 in let r := away at_step.1 in
  let mask := own_spanning x in
  [&& own_part_check quick D picks senses P rows unit r mask (own_combinations x) (own_shown x),
      attention_check D picks senses P rows unit r (own_selected x) (own_masked x) &
      if own_angle x is Some (k, (factor, corr)) then
        if sensed_close_solution P (cited k) is Some (v, s)
        then angle_check D picks P rows unit r mask (own_shown x) v s factor corr else false
      else true].

Definition run_finite_check : posed_checker N run_finite_data := fun quick I p D picks cited others x =>
  if (posing_of p, others (finite_run_claim x)) is (SelectedSets _, Some (Posed Attention sel, f)) then
    if sel == finite_run_picks x then
      if run_orbit I D x f is Some at_step
      then accept (shares_check quick D picks (senses_of D (posing_of p)) cited x at_step) Nothing else None
    else None
  else None.

(* ---- soundness ---- *)

Lemma shares_check_sound quick (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) senses
    (Sok : fits D senses) cited x o unit w r0 :
  (forall k, sensed_fact_meaning picks (selection_of Pok) senses (cited k)) ->
  shaped (left_dimension D) (right_dimension D) (position o) -> 0 < real unit -> contains (away o) r0 ->
  vdist w (matrix_real (position o) (real unit)) <= r0 ->
  shares_check quick D picks senses cited x (o, unit) -> shares_at (selection_of Pok) (@sense_at N D senses) x w.
Proof.
move=> facts sh u0 Hr near /and3P[part attention angle].
have [fin [of_w bounds close square_in]] := own_part_check_sound Dok Pok Sok sh u0 Hr near part.
have bounded := attention_check_sound Dok Pok Sok sh u0 Hr near attention.
refine (ex_intro _ fin (And5 of_w bounds close bounded _)).
move: angle; case: (own_angle x) => [[k [factor corr]]|]; last by move=> _; exact: I.
case known: (sensed_close_solution P (cited k)) => [[v s]|]; last (move=> H; discriminate H).
move=> checked; have [ws [y [vok M Hs dist]]] := sensed_close_solutionP (facts k) known.
have [c [c0 in_factor in_corr best]] :=
  angle_check_sound Dok sh u0 Hr near vok M Hs dist of_w square_in checked.
exact: (ex_intro _ ws (ex_intro _ c (And5 M c0 in_factor in_corr best))).
Qed.

Theorem run_finite_holds : posed_check_holds run_finite_says run_finite_check.
Proof.
move=> quick I E [q sel] D picks Dok Pok cited others x f [DE _] own known; rewrite /run_finite_check /=.
case: q DE own => // sets /= DE own; case O: (others _) => [[[[] sel'] f']|] //; case: eqP => // same.
case at_step: run_orbit => [[o unit]|] // /acceptP[checked <-]; split=> //; subst E.
have [Pok' [_ about_run]] := known _ _ O; rewrite /posed_data_in /posed_picks /= in Pok' about_run; subst sel'.
rewrite /run_finite_says /=.
pose s := fun t : token (problem D) =>
  sense_in (SelectedSets sets) (tag (t : data_token D)) (tagged (t : data_token D)).
rewrite -/s.
have senses : @sense_at N D (senses_of D (SelectedSets sets)) = s.
  by apply: FunctionalExtensionality.functional_extensionality => t; rewrite senses_meaning.
have shares w r0 : shaped (left_dimension D) (right_dimension D) (position o) -> 0 < real unit ->
    contains (away o) r0 -> vdist w (matrix_real (position o) (real unit)) <= r0 ->
    shares_at (selection_of Pok) s x w.
  move=> sh u0 Hr near; rewrite -senses.
  exact: (shares_check_sound Dok (fits_senses D _) own sh u0 Hr near checked).
move: at_step; rewrite /run_orbit; case: ifP => _.
  case replayed: output_trail => [kept|] //; case: ifP => // spec_ok; case found: found_at => [o'|] //= -[E U].
  subst o' unit.
  have [h head_is [ws [_ _ _ _ reached]]] := output_trail_sound Dok about_run replayed.
  have [[_ [sh [r0 Hr near]]] early] := reached _ _ (found_at_in found).
  exists h => //; exists (selection_of Pok'); first exact: selection_of_selects.
  by split; [exact: early | exact: shares sh (position_unit_gt0 Dok spec_ok) Hr near].
case: f' about_run {O} => // l spec path F passed [ws [_ _ reached]]; case: ifP => // same.
case: ifP => // spec_ok; case found: found_at => [o'|] //= -[E U] b Hb; subst o' unit.
have E := same_loss_eq (proj1 (andP same)); rewrite E in same reached.
have [[sh _ [r0 Hr near]] early] := proj2 (reached b Hb) _ _ (found_at_in found).
rewrite (same_run_trajectory _ _ same) in near early; rewrite (same_run_rule same) in early.
by split; [exact: early | exact: shares sh (position_unit_gt0 Dok spec_ok) Hr near].
Qed.

Definition run_finite_kind : posed_kind N := PosedKind run_finite_holds.
End Kind.
