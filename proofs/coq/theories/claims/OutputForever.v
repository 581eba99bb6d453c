(* OutputForever: the claims about all later steps of heads of several outputs, `forever-from-point` and
   `forever-from-run` (T16).

   Their values are those of other heads. From the evidence and the instance's layer follow the tables of the factors
   (ClassTables.v, UnitTables.v) and of their limits (ClassLimits.v, UnitLimits.v), and from these the theorems' checks
   (HeadAbsorbing.v, HeadLocal.v, HeadResidual.v, HeadBounded.v). A run is replayed up to the step that the claim speaks
   of. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads HeadRanges HeadRuns Claims Losses Direction Saturation Number Rows
                           Entries TokenData Instances MarginChecks OptimalityChecks EnclosureChecks Interval
                           IntervalTables AttentionIntervals Runs Iteration Forever HeadForever ReferenceIntervals
                           RegionIntervals ForeverChecks ForeverEvidence ForeverClaims ForeverRun Replay ReplaySound
                           RunChecks PathChecks RunClaims OutputHeads OutputValues OutputGaps HeadReplay OutputRuns
                           FactorRange LocalFactors FactorTables SlopeTables ClassTables HeadLater UnitTables
                           HeadAbsorbing HeadLocal HeadResidual HeadBounded LimitTables ClassLimits
                           UnitLimits ClassSelected ClassLockIn ClassPolyak ClaimKind RunKinds ForeverKinds Posed
                           OutputKinds.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section OutputForever.
Variables (N : number) (I : instance N) (D : token_data N) (picks : seq nat).
Notation P := forever_precision.
Notation mask := (constraint_mask D picks).

(* ---- the tables of the head's factors ---- *)

(* A head without a score has no output range. *)
Definition no_outputs (outputs : option (seq (fraction N))) : bool :=
  if outputs is Some qs then (size qs == size (sequences D)) && all (fun q => same (fraction_num q) zero) qs else true.

Definition output_tables (l : loss_name) (outputs : option (seq (fraction N))) (attentions : seq (fraction N)) (kept
  : seq (seq bool)) :
    option (factor_tables N) :=
  match token_scoring I with
  | SeveralOutputs (ClassLayer classes layer unit) =>
      let k := (size layer).-1.+1 in
      let v := class_values I P classes layer unit in
      let e := eps_column P attentions in
      let lo := class_slope_table P picks k v (imin P) e in
      let hi := class_slope_table P picks k v (imax P) e in
      if [&& no_outputs outputs, size attentions == size (sequences D) & slopes_check P e kept lo hi]
      then Some (slope_tables D P picks e kept lo hi) else None
  | SeveralOutputs (UnitLayer labels layer unit bias bu second su) =>
      let k := size layer in
      let v := unit_values I P layer unit bias bu in
      let w := label_weights P labels second su in
      if outputs is Some qs then
        if unit_global_check D P picks k v w attentions qs then Some (unit_global_tables D P picks l v w attentions qs)
        else None
      else if unit_local_check D P picks k v w attentions kept
      then Some (unit_local_tables D P picks l v w attentions kept) else None
  | _ => None
  end.

(* Of Polyak's steps, where the loss of the selected tokens is the infimum: theta. *)
Definition output_polyak (attentions : seq (fraction N)) : option (interval N * seq (interval N)) :=
  if token_scoring I is SeveralOutputs (ClassLayer classes layer unit) then
    class_polyak D P picks (size layer).-1.+1 (class_values I P classes layer unit) (eps_column P attentions)
  else None.

(* Of T15: the limits of the factors, and the rates. *)
Definition output_limits (l : loss_name) (f : enclosed_reference N) (attentions : seq (fraction N)) :
    option (seq (seq (interval N)) * seq (seq (interval N))) :=
  match token_scoring I with
  | SeveralOutputs (ClassLayer classes layer unit) =>
      let k := (size layer).-1.+1 in
      let v := class_values I P classes layer unit in
      if class_limits_check P picks k v f (eps_column P attentions)
      then Some (class_limit_table D P picks k v, class_rate_table D P picks k v f) else None
  | SeveralOutputs (UnitLayer labels layer unit bias bu second su) =>
      let v := unit_values I P layer unit bias bu in
      let w := label_weights P labels second su in
      if unit_room_test P picks v w attentions f
      then Some (unit_limit_table D P picks l v w, unit_rate_table D P picks l v w f) else None
  | _ => None
  end.

(* P: constraints with a positive gap that are not listed outside. *)
Definition kept_constraints (signs : seq (seq (option comparison))) (outside : seq (seq bool)) : seq (seq bool) :=
  map_rows (fun x => x.1 && (is_gap x.2.1 && ~~ x.2.2)) (zip_rows mask (zip_rows signs outside)).
Definition outside_gaps (signs : seq (seq (option comparison))) (outside : seq (seq bool)) : bool :=
  mask_ok D picks outside && all_within is_gap outside signs.

Variables (name : loss_name) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat).
Variable c : conclusion N.

(* The loss above that of the selected tokens. *)
Definition output_excess : interval N :=
  if output_model I P name is Some model then
    isum P [seq imul P (group_share D P) x | x <- model_excess model picks (attention_table D P (point_margins w))]
  else Everything N.

(* T12, of a head whose infimum is the loss of the selected tokens. *)
Definition output_lock_in_check (floors : seq (fraction N)) : bool :=
  if token_scoring I is SeveralOutputs (ClassLayer classes layer unit) then
    class_lock_in_check D P picks (size layer).-1.+1 (class_values I P classes layer unit) f w s first c floors
      output_excess
  else false.

Definition output_evidence_check (e : forever_evidence N) : bool :=
  grows_check s c &&
  match e with
  | AbsorbingEvidence outputs attentions bound =>
      if output_tables name (Some outputs) attentions mask is Some T
      then head_absorbing_check D P picks T f w s first bound c (output_polyak attentions) else false
  | LocalEvidence attentions outside bound ratio extra theta =>
      if signs_of I D picks is Some signs then
        if output_tables name None attentions (kept_constraints signs outside) is Some T
        then outside_gaps signs outside &&
             head_local_check D P picks T f w s first (ConeData bound ratio extra theta) c
        else false
      else false
  | AbsorbingResidualEvidence path eigenvalue hints outputs attentions bound =>
      if output_tables name (Some outputs) attentions mask is Some T
      then head_absorbing_residual_check D P picks T f w s first (ResidualData path eigenvalue hints) c bound
             (output_polyak attentions)
      else false
  | LocalResidualEvidence path eigenvalue hints attentions outside bound ratio extra theta =>
      if signs_of I D picks is Some signs then
        if output_tables name None attentions (kept_constraints signs outside) is Some T
        then outside_gaps signs outside &&
             head_local_residual_check D P picks T f w s first (ResidualData path eigenvalue hints) c
               (ConeData bound ratio extra theta)
        else false
      else false
  | BoundedEvidence x =>
      if signs_of I D picks is Some signs then
        if (output_tables name None (bounded_attentions x) (kept_constraints signs (bounded_outside x)),
            output_limits name f (bounded_attentions x)) is (Some T, Some at_limit)
        then outside_gaps signs (bounded_outside x) &&
             head_bounded_check D P picks T at_limit.1 at_limit.2 f w s first x c
        else false
      else false
  | LockInEvidence floors => output_lock_in_check floors
  end.

(* ---- soundness ---- *)

Definition output_evidence_claim (alpha : selection (problem D)) (h : head (problem D)) (e : forever_evidence N)
    (r : rule) (eta : nat -> R) (w0 : vec (coord (problem D))) (c : constants) : Prop :=
  let least := selected_head_loss alpha h in
  head_forever_claim alpha h least (some_centre e) r eta w0 c /\
  forall w, w O = w0 -> head_follows h least r eta w -> forall s, 0 < vnorm (head_gradient h (w s)).

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Variable h : head (problem D).
Hypotheses (layered : layer_ok I D) (head_is : output_head I D name = Some h).

Lemma output_tables_hold outputs attentions kept T : fits D kept ->
  (forall t : token (problem D), in_mask kept t -> constraint alpha t) ->
  output_tables name outputs attentions kept = Some T ->
  exists2 r, tables_hold Pok T h r & range_eps r = fun i => constant_of attentions i.
Proof.
move=> fk Hk; move: head_is; rewrite /output_head /output_tables.
case E: (token_scoring I) => [labels v u|q u|t|[classes layer unit | labels layer unit bias bu second su]] //; last
  first.
  case: ifP => // total [<-]; have values := unit_values_enclose P layered E.
  have weights := label_weights_enclose P layered E.
  have signed (i : data_group D) : Y labels i <> 0 by rewrite /Y; case: nth; lra.
  case: outputs => [qs|]; case: ifP => // checked [<-].
    by eexists; first exact (unit_global_hold Dok Pok values weights signed total checked).
  by eexists; first exact (unit_local_hold Dok values weights signed total fk Hk checked).
case: ifP => // _ [<-]; case: ifP => // /and3P[_ sized checked] [<-].
have values := class_values_enclose P layered E; have es := eps_column_encloses P sized.
eexists; first apply: (slope_tables_hold (Pok := Pok) Dok es fk Hk _ _ _ checked).
- exact: (class_lo_encloses P Pok values es).
- exact: (class_hi_encloses P Pok values es).
- by move=> z Hz t Qt; exact (class_gap_range _ _ Hz Qt).
by [].
Qed.

Lemma output_tables_kept attentions kept T : output_tables name None attentions kept = Some T -> kept_mask T = kept.
Proof.
rewrite /output_tables; case: token_scoring => // [[classes layer unit | labels layer unit bias bu second su]];
  by case: ifP => // _ [<-].
Qed.

Lemma fits_kept_constraints signs outside : fits D signs -> fits D outside -> fits D (kept_constraints signs outside).
Proof.
by move=> fs fo; apply: fits_map; apply: fits_zip; [exact: fits_constraint_mask | exact: fits_zip].
Qed.

Lemma in_kept_constraints signs outside (t : token (problem D)) : fits D signs -> fits D outside ->
  in_mask (kept_constraints signs outside) t -> constraint alpha t.
Proof.
move=> fs fo; have fz := fits_zip fs fo; have fm := fits_constraint_mask Pok.
rewrite /in_mask (at_token_map (false, (None, false))); last exact: fits_zip.
rewrite at_token_zip //= -/(in_mask mask t) (in_constraint_mask Pok) => /andP[ct _]; exact: ct.
Qed.

Variables (l : loss_name) (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Notation S := (Direction.active (constraint alpha) (multiplier_weights alpha lam)).

Lemma output_limits_hold attentions kept T x : fits D kept ->
  (forall t : token (problem D), in_mask kept t -> constraint alpha t) ->
  output_tables name None attentions kept = Some T -> output_limits name f attentions = Some x ->
  (forall t, S t -> in_mask kept t) ->
  exists limit rate, [/\ encloses x.1 limit, encloses x.2 rate &
    forall low, lows_attended Pok low (fun i => constant_of attentions i) ->
    factor_limit (constraint alpha) (Delta alpha) (head_factor alpha h) low S limit rate].
Proof.
move=> fk Hk; move: head_is; rewrite /output_head /output_tables /output_limits.
case E: (token_scoring I) => [labels v u|q u|t|[classes layer unit | labels layer unit bias bu second su]] //; last
  first.
  case: ifP => // total [<-]; have values := unit_values_enclose P layered E.
  have weights := label_weights_enclose P layered E.
  have signed (i : data_group D) : Y labels i <> 0 by rewrite /Y; case: nth; lra.
  case: ifP => // checked _; case: ifP => // settled [<-] active; do 2!eexists; split.
  - exact (unit_limit_encloses P Dok Pok name values weights).
  - exact (unit_rate_encloses Dok name values weights reference_in fk checked active).
  exact (unit_factor_limit values weights signed total reference_in fk Hk checked settled active).
case: ifP => // _ [<-]; case: ifP => // /and3P[_ sized _] _; case: ifP => // near [<-] _.
have values := class_values_enclose P layered E; have es := eps_column_encloses P sized.
do 2!eexists; split.
- exact (class_limit_table_encloses P Dok Pok values).
- exact (class_rate_table_encloses Dok values reference_in near).
exact (class_factor_limit values es reference_in near).
Qed.

Lemma output_polyak_range attentions outputs T r d : output_tables name (Some outputs) attentions mask = Some T ->
  tables_hold Pok T h r -> range_eps r = (fun i => constant_of attentions i) ->
  polyak_range Pok d (output_polyak attentions) h (selected_head_loss alpha h) r ws w0.
Proof.
move: head_is; rewrite /output_head /output_tables /output_polyak.
case E: (token_scoring I) => [labels v u|q u|t|[classes layer unit | labels layer unit bias bu second su]] //.
case: ifP => // _ [<-]; case: ifP => // /and3P[_ sized checked] _ _ eps_r.
have values := class_values_enclose P layered E; have es := eps_column_encloses P sized.
have inside t : in_mask mask t -> constraint alpha t by rewrite (in_constraint_mask Pok).
refine (class_polyak_range values es eps_r (slope_ranges_hold es (fits_constraint_mask Pok) inside
  (class_lo_encloses P Pok values es) (class_hi_encloses P Pok values es) _ checked)) => z near t Qt.
exact (class_gap_range _ _ near Qt).
Qed.

Lemma output_excess_contains : contains output_excess (head_loss h w0 - selected_head_loss alpha h).
Proof.
have [Hm _ _ _] := point_in; rewrite /output_excess; case model: output_model => [m|] //.
have [_ excess_in] := output_model_encloses layered head_is model Pok.
have E := excess_in _ _ (attention_table_encloses P Dok Hm); rewrite /head_loss /selected_head_loss -sumB.
apply: (column_sum_contains (D := D)); apply: (map_column E) => i J HJ; rewrite -Rmult_minus_distr_l.
by apply: imul_contains => //; exact: group_share_contains.
Qed.

Lemma output_lock_in_sound floors : output_lock_in_check floors ->
  head_forever_claim alpha h (selected_head_loss alpha h) false (spec_rule s)
    (later_steps (spec_schedule s) (fraction_real (spec_step s)) first) w0 (constants_of c).
Proof.
have excess := output_excess_contains; move: (head_is) excess; rewrite /output_head /output_lock_in_check.
case E: (token_scoring I) => [labels v u|q u|t|[classes layer unit | labels layer unit bias bu second su]] //.
case: ifP => // _ [<-] excess checked.
exact (class_lock_in_sound Dok (class_values_enclose P layered E) solution reference_in point_in excess checked).
Qed.

Theorem output_evidence_sound e : output_evidence_check e ->
  output_evidence_claim alpha h e (spec_rule s) (later_steps (spec_schedule s) (fraction_real (spec_step s)) first) w0
    (constants_of c).
Proof.
case/andP=> /andP[/fraction_positive_real S0 /fraction_positive_real G0] checked.
have diverge := later_steps_diverge (spec_schedule s) S0 first.
suff H : head_forever_claim alpha h (selected_head_loss alpha h) (some_centre e) (spec_rule s)
    (later_steps (spec_schedule s) (fraction_real (spec_step s)) first) w0 (constants_of c).
  by split=> //; case: H => ws' _ [centre _ H]; exact (head_later_moves H G0 diverge).
have tables_of_all outputs attentions T : output_tables name (Some outputs) attentions mask = Some T ->
    exists2 r, tables_hold Pok T h r & forall d,
      polyak_range Pok d (output_polyak attentions) h (selected_head_loss alpha h) r ws w0.
  move=> tables; have [|r hold eps_r] := output_tables_hold (fits_constraint_mask Pok) _ tables.
    by move=> t; rewrite (in_constraint_mask Pok).
  by exists r => // d; exact: output_polyak_range tables hold eps_r.
have tables_of_kept signs outside attentions T : signs_of I D picks = Some signs -> outside_gaps signs outside ->
    output_tables name None attentions (kept_constraints signs outside) = Some T -> exists2 r, tables_hold Pok T h r &
      range_eps r = fun i => constant_of attentions i.
  move=> /signs_fit fs /andP[/andP[fo _] _]; apply: (output_tables_hold (fits_kept_constraints fs fo)) => t.
  exact: in_kept_constraints.
move: checked; case: e => //.
- move=> outputs attentions bound; case tables: output_tables => [T|] // checked.
  have [r hold polyak] := tables_of_all _ _ _ tables.
  exact: (head_absorbing_sound Dok solution reference_in point_in hold checked (polyak _)).
- move=> attentions outside bound ratio extra theta; case known: signs_of => [signs|] //.
  case tables: output_tables => [T|] // /andP[gaps checked].
  have [r hold _] := tables_of_kept _ _ _ _ known gaps tables.
  exact (head_local_sound Dok (selected_head_loss alpha h) solution reference_in point_in hold checked
    (head_local_constraint point_in checked)).
- move=> path eigenvalue hints outputs attentions bound; case tables: output_tables => [T|] // checked.
  have [r hold polyak] := tables_of_all _ _ _ tables.
  exact: (head_absorbing_residual_sound Dok solution reference_in point_in hold checked (polyak _)).
- move=> path eigenvalue hints attentions outside bound ratio extra theta; case known: signs_of => [signs|] //.
  case tables: output_tables => [T|] // /andP[gaps checked].
  have [r hold _] := tables_of_kept _ _ _ _ known gaps tables.
  exact (head_local_residual_sound Dok (selected_head_loss alpha h) solution reference_in point_in hold checked).
- exact: output_lock_in_sound.
move=> x; case known: signs_of => [signs|] //; case tables: output_tables => [T|] //.
case limits: output_limits => [at_limit|] // /andP[gaps checked].
have [r hold eps_r] := tables_of_kept _ _ _ _ known gaps tables.
have fs := signs_fit known; have /andP[/andP[fo _] _] := gaps.
have active t : S t -> in_mask (kept_constraints signs (bounded_outside x)) t.
  by rewrite -(output_tables_kept tables); exact (head_bounded_active reference_in hold checked (t := t)).
have [limit [rate [limit_in rate_in approach]]] := output_limits_hold (fits_kept_constraints fs fo)
  (fun t => @in_kept_constraints signs (bounded_outside x) t fs fo) tables limits active.
rewrite -eps_r in approach.
exact (head_bounded_sound Dok (selected_head_loss alpha h) solution reference_in point_in hold checked limit_in
  rate_in approach).
Qed.
End OutputForever.

(* ---- the kinds ---- *)

Section Kinds.
Variable N : number.
Notation P := forever_precision.

Lemma output_evidence_constraint (I : instance N) D picks (Pok : picks_ok D picks) l f w s first c e :
  output_evidence_check I D picks l f w s first c e -> exists t, constraint (selection_of Pok) t.
Proof.
case/andP=> _; case: e => //.
- by move=> outputs attentions bound; case: output_tables => // T /andP[/andP[H _] _]; exact: has_constraintP.
- move=> attentions outside bound ratio extra theta; case: signs_of => // signs; case: output_tables => // T.
  by case/andP=> _ /andP[/andP[H _] _]; exact: has_constraintP.
- move=> path eigenvalue hints outputs attentions bound; case: output_tables => // T /andP[/andP[/andP[H _] _] _].
  exact: has_constraintP.
- move=> path eigenvalue hints attentions outside bound ratio extra theta; case: signs_of => // signs.
  by case: output_tables => // T /andP[_ /andP[/andP[/andP[H _] _] _]]; exact: has_constraintP.
- move=> floors; rewrite /output_lock_in_check; case: token_scoring => // -[classes layer unit|] //.
  by case/andP=> /andP[H _] _; exact: has_constraintP.
move=> x; case: signs_of => // signs; case: output_tables => // T; case: output_limits => // at_limit.
by case/andP=> _ /andP[/andP[H _] _]; exact: has_constraintP.
Qed.

(* ---- from a matrix ---- *)

Definition output_point_says : output_statement N (point_data N) := fun I D alpha x =>
  if point_loss x is Some l then
    exists2 h, output_head I D l = Some h &
    output_evidence_claim alpha h (point_evidence x) (spec_rule (point_steps x))
      (later_steps (spec_schedule (point_steps x)) (fraction_real (spec_step (point_steps x))) 0)
      (@origin_point N D (point_start x)) (constants_of (point_said x))
  else False.

Definition output_point_check : output_checker N (point_data N) := fun I D picks cited x =>
  if (locate_solution (cited (point_from x)), point_loss x) is (Some v, Some l) then
    let m := point_start x in
    let f := reference_of D P picks (located_vector v) (located_margins v) (located_mask v) (located_distance v)
      (located_multiplier_distance v) in
    let w := point_of_matrix D P picks f Correlation (located_vector v) (located_distance v) (origin_rows m)
      (origin_unit m) in
    accept [&& head_known I l, layer_ok I D, shaped (left_dimension D) (right_dimension D) (origin_rows m),
               lt zero (origin_unit m) &
               output_evidence_check I D picks l f w (point_steps x) 0 (point_said x) (point_evidence x)] Nothing
  else None.

Theorem output_point_holds : output_check_holds output_point_says output_point_check.
Proof.
move=> I D picks Dok Pok cited [k l s m e c] f facts; rewrite /output_point_check /output_point_says /=.
case known: (locate_solution _) => [v | ] //; case: l => // l.
have [x [y [ws [lam [vok -> sol Hx Hy]]]]] := locate_solutionP (facts k) known.
case/acceptP=> /and5P[/(known_head D)[h head_is] layered sh /lt_real] + + <-; rewrite real0 => u0 checked; split=> //.
exists h => //; have [pair _ _ _ [dist _]] := sol.
have cs := output_evidence_constraint Pok checked.
have ref := reference_of_encloses P Dok vok sol cs Hx Hy.
have dir := margin_direction_spec (proj1 (proj1 pair)) (proj2 pair) cs.
have pt := point_of_matrix_encloses P Dok ref dir Correlation vok Hx dist sh u0.
exact (output_evidence_sound Dok layered head_is pair ref pt checked).
Qed.

Definition point_by_scoring : posed_kind N := @by_scoring N (point_kind N) _ _ output_point_holds.

(* ---- from a step of a run ---- *)

(* Every step up to it is defined, too. *)
Definition output_from_run_says : output_statement N (from_run_data N) := fun I D alpha x =>
  let r := later_run x in let t := later_step x in let spec := run_specification r in
  exists2 h, output_head I D (run_loss r) = Some h &
  (forall k, (k < t)%nat -> moves_from (head_gradient h) (run_rule spec) (head_run h alpha r k)) /\
  output_evidence_claim alpha h (later_evidence x) (run_rule spec)
    (later_steps (run_schedule spec) (fraction_real (run_step spec)) t) (head_run h alpha r t)
    (constants_of (seen_from t (later_said x))).

(* The run up to a checkpoint of its. *)
Definition for_step (c : run_claim N) (t : nat) : run_claim N :=
  RunClaim (run_loss c) (run_specification c) t [seq at_ <- checkpoints c | at_step at_ == t] 0 [::] false
    (precision c) (places c) (shown c).

Definition output_from_run_check : output_checker N (from_run_data N) := fun I D picks cited x =>
  let r := later_run x in let t := later_step x in let c := later_said x in
  if (locate_solution (cited (later_from x)), output_trail I D picks (cited (later_of x)) (for_step r t)) is
    (Some v, Some kept) then
    if found_at t kept.2 is Some o then
      let f := reference_of D P picks (located_vector v) (located_margins v) (located_mask v) (located_distance v)
        (located_multiplier_distance v) in
      let known := point_of_matrix D P picks f Correlation (located_vector v) (located_distance v) (position o)
        (position_unit D (run_specification r) (places r)) in
      let w := widened_point D P picks Correlation known (away o) in
      accept [&& layer_ok I D, specification_ok D (run_specification r) (places r),
                 if said_dominates c is Some n then (t <= n)%nat else true &
                 output_evidence_check I D picks (run_loss r) f w (run_steps_rule r) t (seen_from t c)
                   (later_evidence x)] Nothing
    else None
  else None.

Theorem output_from_run_holds : output_check_holds output_from_run_says output_from_run_check.
Proof.
move=> I D picks Dok Pok cited [k j r t e c] f facts; rewrite /output_from_run_check /output_from_run_says /=.
case known: (locate_solution _) => [v | ] //; case replayed: output_trail => [kept|] //.
case found: found_at => [o | ] //.
have [x [y [ws [lam [vok -> sol Hx Hy]]]]] := locate_solutionP (facts k) known.
case/acceptP=> /and4P[layered spec_ok _ checked] <-; split=> //.
have [h head_is [ws' [_ _ _ _ reached]]] := output_trail_sound Dok (facts j) replayed.
have [at_o early] := reached _ _ (found_at_in found); have [_ [sh [r0 Hr0 near]]] := at_o.
exists h => //; split; first exact: early.
have [pair _ _ _ [dist _]] := sol.
have cs := output_evidence_constraint Pok checked.
have ref := reference_of_encloses P Dok vok sol cs Hx Hy.
have dir := margin_direction_spec (proj1 (proj1 pair)) (proj2 pair) cs.
have u0 := position_unit_gt0 Dok spec_ok.
have known_at := point_of_matrix_encloses P Dok ref dir Correlation vok Hx dist sh u0.
have pt := widened_point_encloses P Dok (dir_unit dir) known_at Hr0 near.
exact (output_evidence_sound Dok layered head_is pair ref pt checked).
Qed.

Definition from_run_by_scoring : posed_kind N := @by_scoring N (from_run_kind N) _ _ output_from_run_holds.
End Kinds.
