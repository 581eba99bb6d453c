(* OutputKinds: claims about heads of several outputs: those about gaps, `smoothness`, `run` and `path-inequality`.

   The values of these claims are those of other heads; what they say, and how they are checked, the instance's scoring
   decides (by_scoring). A run's fact is that of the solution it cites: claims about it replay it. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads Claims Losses Number Rows Entries TokenData Instances MarginChecks
                           OptimalityChecks EnclosureChecks Interval AttentionIntervals Runs Replay RunChecks PathChecks
                           RunClaims OutputHeads OutputValues OutputGaps Iteration HeadReplay OutputRuns ClaimKind
                           SmoothnessChecks ClassSmoothness NormKinds OptimalityKinds LossKinds RunKinds
                           Posed.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the instance decides ---- *)

Definition several_outputs (N : number) (I : instance N) : bool :=
  if token_scoring I is SeveralOutputs _ then true else false.

(* A kind of claim about heads of several outputs. *)
Definition output_statement (N : number) (data : Type) : Type :=
  instance N -> forall D : token_data N, selection (problem D) -> data -> Prop.
Definition output_checker (N : number) (data : Type) : Type :=
  instance N -> token_data N -> seq nat -> (nat -> fact N) -> data -> option (fact N).

Definition output_check_holds (N : number) (data : Type) (says : output_statement N data)
    (check : output_checker N data) : Prop :=
  forall I (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) cited x f,
  (forall k, fact_meaning picks (selection_of Pok) (cited k)) -> check I D picks cited x = Some f ->
  says I D (selection_of Pok) x /\ fact_meaning picks (selection_of Pok) f.

Section Forms.
Variables (N : number) (K : claim_kind N).
Notation data := (kind_data K).
Variables (says : output_statement N data) (check : output_checker N data) (holds : output_check_holds says check).

Definition scoring_says : posed_statement N data := fun I p D alpha x =>
  if posing_of p is Attention then if several_outputs I then says I alpha x else kind_says alpha x else False.

Definition scoring_check : posed_checker N data := fun quick I p D picks cited others x =>
  if posing_of p is Attention
  then if several_outputs I then check I D picks cited x else kind_check quick D picks cited x
  else None.

Theorem scoring_holds : posed_check_holds scoring_says scoring_check.
Proof.
move=> quick I E [[] sel] //= D picks Dok Pok cited others x f _ facts _; rewrite /scoring_says /scoring_check /=.
by case: ifP => _; [exact: holds | exact: kind_holds].
Qed.

Definition by_scoring : posed_kind N := PosedKind scoring_holds.
End Forms.

Section Kinds.
Variable N : number.

(* ---- gaps ---- *)

Definition signs_of (I : instance N) (D : token_data N) picks : option (seq (seq (option comparison))) :=
  let signs := sign_table I picks in if layer_ok I D && fits D signs then Some signs else None.

Section Signs.
Variables (I : instance N) (D : token_data N) (picks : seq nat) (Dok : data_ok D) (Pok : picks_ok D picks).
Variable signs : seq (seq (option comparison)).
Hypothesis known : signs_of I D picks = Some signs.
Let alpha : selection (problem D) := selection_of Pok.
Notation g := (output_gap I alpha).
Notation above := (gap_selection alpha g).

Lemma signs_fit : fits D signs.
Proof. by move: known; rewrite /signs_of; case: ifP => // /andP[_ H] [<-]. Qed.

Lemma signs_sound t : sign_of (at_token None signs t) (gap above t).
Proof.
rewrite (with_gaps_gap (g := g)); last exact: output_gap_selected.
by move: known; rewrite /signs_of; case: ifP => // /andP[layered H] [<-]; exact: sign_table_sound.
Qed.
End Signs.

Definition is_gap (o : option comparison) : bool := if o is Some Gt then true else false.
Definition is_no_gap (o : option comparison) : bool :=
  if o is Some Lt then true else if o is Some Eq then true else false.

Lemma is_gap_sound o x : is_gap o -> sign_of o x -> 0 < x.
Proof. by case: o => [[]|]. Qed.

Lemma is_no_gap_sound o x : is_no_gap o -> sign_of o x -> x <= 0.
Proof. by case: o => [[]|] //= _; lra. Qed.

(* ---- globally-optimal, not-globally-optimal: the gaps in the place of the scores' ---- *)

Definition output_global_says : output_statement N unit := fun I D alpha _ =>
  globally_optimal (gap_selection alpha (output_gap I alpha)).

Definition output_global_check : output_checker N unit := fun I D picks cited _ =>
  if signs_of I D picks is Some signs then accept (constraints_all is_gap picks signs) Nothing else None.

Theorem output_global_holds : output_check_holds output_global_says output_global_check.
Proof.
move=> I D picks Dok Pok cited x f _; rewrite /output_global_check; case known: signs_of => [signs|] //.
case/acceptP=> H <-; split=> //; apply: globally_optimal_sound => t ct.
exact: is_gap_sound (constraints_allP None (signs_fit known) H ct) (signs_sound Pok known t).
Qed.

Definition global_by_scoring : posed_kind N := @by_scoring N (global_kind N) _ _ output_global_holds.

Definition output_not_global_says : output_statement N not_global_data := fun I D alpha _ =>
  ~ globally_optimal (gap_selection alpha (output_gap I alpha)).

Definition output_not_global_check : output_checker N not_global_data := fun I D picks cited x =>
  let i := not_global_group x in let s := not_global_token x in
  if signs_of I D picks is Some signs
  then accept (constraint_at D picks i s && is_no_gap (nth None (nth [::] signs i) s)) Nothing else None.

Theorem output_not_global_holds : output_check_holds output_not_global_says output_not_global_check.
Proof.
move=> I D picks Dok Pok cited [i s] f _; rewrite /output_not_global_check; case known: signs_of => [signs|] //.
case/acceptP=> /andP[ci gi] <-; split=> //; have [t ti] := index_token (proj1 (andP ci)).
apply: (not_globally_optimal_sound (alpha := gap_selection _ _) (t := t)); first exact: constraint_at_token ti.
by apply: is_no_gap_sound (signs_sound Pok known t); rewrite (at_index _ _ ti).
Qed.

Definition not_global_by_scoring : posed_kind N := @by_scoring N (not_global_kind N) _ _ output_not_global_holds.

(* ---- locally-optimal, not-locally-optimal ---- *)

Definition output_local_says : output_statement N nat := fun I D alpha _ =>
  locally_optimal (gap_selection alpha (output_gap I alpha)).

(* Constraints without a gap are certainly slack in the ball of squared radius num / den. *)
Definition far_gap_check (D : token_data N) picks (signs : seq (seq (option comparison))) (v : vector N)
  (m : seq (seq N))
    (num den : N) : bool :=
  let u := margin_unit D v in
  constraints_all (fun sml => is_gap sml.1 || far_check D u num den sml.2.1 sml.2.2) picks
    (zip_rows signs (zip_rows m (lengths D picks))).

Definition output_local_check : output_checker N nat := fun I D picks cited from =>
  if signs_of I D picks is Some signs then
    match cited from with
    | SupportFact mask _ =>
        accept (constraints_all (fun bs => ~~ bs.1 || is_gap bs.2) picks (zip_rows mask signs)) Nothing
    | GapFact v m r _ => accept (far_gap_check D picks signs v m (fraction_num r) (fraction_den r)) Nothing
    | BallFact v _ m _ r _ _ =>
        accept (far_gap_check D picks signs v m (fraction_num (square r)) (fraction_den (square r))) Nothing
    | _ => None
    end
  else None.

Lemma far_gap_check_sound I (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) signs v num den wstar
    r2 : signs_of I D picks = Some signs ->
  vector_ok D picks v -> 0 < real den -> real num / real den = r2 -> max_margin (selection_of Pok) wstar ->
  vnorm2 (W (selection_of Pok) (@coefficient_of N D v) - wstar)%V <= r2 ->
  far_gap_check D picks signs v (margins D picks v) num den -> output_local_says I (selection_of Pok) 0%nat.
Proof.
move=> known vok d0 E M dist H; set g := output_gap I (selection_of Pok).
apply: (locally_optimal_sound_distance (alpha := gap_selection _ g) (wstar := wstar) M dist) => t ct g0.
have fml := fits_zip (fits_margins Pok (weights D picks v)) (fits_lengths Pok).
have := constraints_allP (None, (zero, zero)) (fits_zip (signs_fit known) fml) H ct.
rewrite (at_token_zip _ _ _ (signs_fit known) fml) /=.
rewrite (at_token_zip _ _ _ (fits_margins Pok _) (fits_lengths Pok)) /=.
case/orP=> [pos | far]; first by have := is_gap_sound pos (signs_sound Pok known t); move: g0; rewrite -/g; lra.
by rewrite -E; apply: (far_check_sound Dok Pok vok d0 far).
Qed.

Theorem output_local_holds : output_check_holds output_local_says output_local_check.
Proof.
move=> I D picks Dok Pok cited k f facts; rewrite /output_local_check; case known: signs_of => [signs|] //.
have := facts k; case: (cited k) => //.
- move=> v m r high /= [vok -> rok [lo [wstar [M _ dist]]]] /acceptP[H <-]; split=> //.
  exact: (far_gap_check_sound Dok known vok (fraction_den_gt0 rok) erefl M dist H).
- move=> v w m mask r q high /= [vok [_ ->] mok rok [_ _ [lo [wstar [lam [[M _] _ _ [dist _] _]]]]]] /acceptP[H <-].
  by split=> //; apply: (far_gap_check_sound Dok known vok (square_ok rok) _ M dist H); rewrite -square_real.
move=> mask ex /support_fact [mok sup] /acceptP[H <-]; split=> //.
have fm := proj1 (andP mok); apply: (locally_optimal_sound_support (alpha := gap_selection _ _) sup) => t it.
have := constraints_allP (false, None) (fits_zip fm (signs_fit known)) H (mask_constraint Pok mok it).
rewrite at_token_zip ?(signs_fit known) //= -/(in_mask mask t) it /= => pos.
exact: is_gap_sound pos (signs_sound Pok known t).
Qed.

Definition local_by_scoring : posed_kind N := @by_scoring N (local_kind N) _ _ output_local_holds.

Definition output_not_local_says : output_statement N not_local_data := fun I D alpha _ =>
  ~ locally_optimal (gap_selection alpha (output_gap I alpha)).

Definition output_not_local_check : output_checker N not_local_data := fun I D picks cited x =>
  match cited (not_local_from x), not_local_at x with
  | InfeasibleFact, None => Some Nothing
  | SupportFact mask _, Some (i, s) =>
      if signs_of I D picks is Some signs then
        accept [&& index_ok D i s, nth false (nth [::] mask i) s & is_no_gap (nth None (nth [::] signs i) s)] Nothing
      else None
  | _, _ => None
  end.

Theorem output_not_local_holds : output_check_holds output_not_local_says output_not_local_check.
Proof.
move=> I D picks Dok Pok cited [k at_] f facts; rewrite /output_not_local_check /=.
have := facts k; case: (cited k) => //.
  case: at_ => //= inf [<-]; split=> //; exact: (not_locally_optimal_sound_infeasible (alpha := gap_selection _ _) inf).
move=> mask ex /support_fact [mok sup]; case: at_ => [[i s] | ] //; case known: signs_of => [signs|] //.
case/acceptP=> /and3P[io mi gi] <-; split=> //; have [t ti] := index_token io.
apply: (not_locally_optimal_sound_support (alpha := gap_selection _ _) sup (t := t)).
  by rewrite /in_mask (at_index _ _ ti).
by apply: is_no_gap_sound (signs_sound Pok known t); rewrite (at_index _ _ ti).
Qed.

Definition not_local_by_scoring : posed_kind N := @by_scoring N (not_local_kind N) _ _ output_not_local_holds.

(* ---- norm-locally-optimal ---- *)

Definition output_norm_local_says : output_statement N norm_local_data := fun I D alpha x =>
  let above := gap_selection alpha (output_gap I alpha) in
  tight_where alpha (norm_local_of x) (fun t => 0 < gap above t).

Definition output_norm_local_check : output_checker N norm_local_data := fun I D picks cited x =>
  if signs_of I D picks is Some signs then
    accept (others_above_check D picks (cited (norm_local_from x)) (norm_local_of x) (map_rows is_gap signs)) Nothing
  else None.

Theorem output_norm_local_holds : output_check_holds output_norm_local_says output_norm_local_check.
Proof.
move=> I D picks Dok Pok cited [n k] f facts; rewrite /output_norm_local_check; case known: signs_of => [signs|] //.
case/acceptP=> H <-; split=> //; have fs := signs_fit known.
apply: (others_above_sound Dok (facts k) (fits_map _ fs) _ H) => t.
by rewrite (at_token_map None) // => pos; exact: is_gap_sound pos (signs_sound Pok known t).
Qed.

Definition norm_local_by_scoring : posed_kind N := @by_scoring N (norm_local_kind N) _ _ output_norm_local_holds.

(* Is there a head for this loss? *)
Definition head_known (I : instance N) (l : loss_name) : bool :=
  match token_scoring I with
  | SeveralOutputs (ClassLayer _ _ _) => ~~ everywhere l
  | SeveralOutputs (UnitLayer _ _ _ _ _ _ _) => everywhere l
  | _ => false
  end.

Lemma known_head I (D : token_data N) l : head_known I l -> exists h, output_head I D l = Some h.
Proof.
rewrite /head_known /output_head; case: (token_scoring I) => // -[classes layer unit | labels layer unit b bu r ru].
  by case: ifP => // _ _; eexists.
by case: ifP => // _ _; eexists.
Qed.

(* Is the loss of the selected tokens the infimum, which Polyak's steps use? Of a classifier where all gaps are
   positive. *)
Definition infimum_selected (I : instance N) (D : token_data N) picks : bool :=
  if (token_scoring I, signs_of I D picks) is (SeveralOutputs (ClassLayer _ _ _), Some signs)
  then constraints_all is_gap picks signs else false.
Definition rule_known (I : instance N) (D : token_data N) picks (r : rule) : bool :=
  if r is PolyakSteps then infimum_selected I D picks else true.

(* What a replay has of a run. *)
Definition output_trail (I : instance N) (D : token_data N) picks (solution : fact N) (c : run_claim N) :
    option (trail N) :=
  if (output_model I (precision c) (run_loss c), close_solution (precision c) solution) is
    (Some model, Some (v, radius)) then
    if [&& head_known I (run_loss c), layer_ok I D & rule_known I D picks (run_rule (run_specification c))] then
      head_run_check D model picks c (direction_of D picks (precision c) v radius)
    else None
  else None.

Lemma output_trail_sound I (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) solution c kept :
  fact_meaning picks (selection_of Pok) solution -> output_trail I D picks solution c = Some kept ->
  exists2 h, output_head I D (run_loss c) = Some h & exists ws, [/\ max_margin (selection_of Pok) ws, 0 < vnorm ws,
    head_run_holds h (selection_of Pok) ws c, path_encloses ws (head_run h (selection_of Pok) c) kept.1 &
    forall t o, List.In (t, o) kept.2 -> head_reaches Pok h c t o].
Proof.
move=> fact; rewrite /output_trail; case model: output_model => [m|] //; case known: close_solution => [[v radius]|] //.
case: ifP => // /and3P[/(known_head D)[h head_is] layered _] checked; exists h => //.
have [ws [x [vok M Hx near]]] := close_solutionP fact known; exists ws.
have [gaps_in excess_in] := output_model_encloses layered head_is model Pok.
by have [s0 holds path reached] := head_run_check_sound Dok gaps_in excess_in vok Hx near checked.
Qed.

(* ---- smoothness: of a classifier ---- *)

Definition output_smoothness_says : output_statement N (smoothness_data N) := fun I D alpha x =>
  if smoothness_loss x is Some l then
    exists2 h, output_head I D l = Some h & forall w w',
      vdist (head_gradient h w') (head_gradient h w) <= fraction_real (smoothness_beta x) * vdist w' w
  else False.

Definition output_smoothness_check : output_checker N (smoothness_data N) := fun I D picks cited x =>
  let P := smoothness_precision in let beta := smoothness_beta x in
  if (smoothness_loss x, token_scoring I) is (Some l, SeveralOutputs (ClassLayer classes layer unit)) then
    accept [&& head_known I l, layer_ok I D, fraction_ok beta &
      certainly_le (imul P (class_smoothness_in D P picks (size layer).-1.+1 (class_values I P classes layer unit))
        (exactly (fraction_den beta))) (exactly (fraction_num beta))] Nothing
  else None.

Theorem output_smoothness_holds : output_check_holds output_smoothness_says output_smoothness_check.
Proof.
move=> I D picks Dok Pok cited [l beta] f _; rewrite /output_smoothness_check /output_smoothness_says /=.
case: l => // l; case E: (token_scoring I) => [| | |[classes layer unit|]] //.
case/acceptP=> /and4P[known layered /fraction_den_gt0 b0 H] <-; split=> //.
have [h head_is] := known_head D known; exists h => // w w'.
move: head_is; rewrite /output_head E; case: ifP => // _ [<-].
have values := class_values_enclose smoothness_precision layered E.
apply: Rle_trans (class_smoothness_lipschitz Dok Pok _ _ w w') _.
apply: Rmult_le_compat_r; first exact: vnorm_ge0.
have := certainly_le_real (imul_contains _ (class_smoothness_contains _ Dok Pok values)
  (exactly_contains (fraction_den beta))) (exactly_contains (fraction_num beta)) H.
move=> le; apply: (Rmult_le_reg_r (real (fraction_den beta))) => //.
by rewrite /fraction_real /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra.
Qed.

Definition smoothness_by_scoring : posed_kind N := @by_scoring N (smoothness_kind N) _ _ output_smoothness_holds.

(* ---- run ---- *)

Definition output_run_says : output_statement N (run_data N) := fun I D alpha x =>
  exists2 h, output_head I D (run_loss (run_said x)) = Some h &
  exists ws, [/\ max_margin alpha ws, 0 < vnorm ws & head_run_holds h alpha ws (run_said x)].

Definition output_run_check : output_checker N (run_data N) := fun I D picks cited x =>
  if output_trail I D picks (cited (run_from x)) (run_said x) is Some _ then Some (cited (run_from x)) else None.

Theorem output_run_holds : output_check_holds output_run_says output_run_check.
Proof.
move=> I D picks Dok Pok cited [k c] f facts; rewrite /output_run_check /=.
case replayed: output_trail => [kept|] // [<-]; split; last exact: facts.
have [h head_is [ws [M s0 holds _ _]]] := output_trail_sound Dok (facts k) replayed.
by exists h => //; exists ws.
Qed.

Definition run_by_scoring : posed_kind N := @by_scoring N (run_kind N) _ _ output_run_holds.

(* ---- path-inequality ---- *)

Definition output_path_says : output_statement N (path_data N) := fun I D alpha x =>
  exists2 h, output_head I D (run_loss (path_run x)) = Some h &
  exists ws, [/\ max_margin alpha ws, 0 < vnorm ws &
    path_holds ws (head_run h alpha (path_run x)) (path_from x) (path_until x) (fraction_real (path_said x))].

(* The run up to a step, for the places that it passes. *)
Definition for_places (c : run_claim N) (steps : nat) : run_claim N :=
  RunClaim (run_loss c) (run_specification c) steps [::] 0 [::] true (precision c) (places c) (shown c).

Definition output_path_check : output_checker N (path_data N) := fun I D picks cited x =>
  let c := for_places (path_run x) (path_until x) in
  if (path_until x <= run_steps (path_run x))%nat then
    if output_trail I D picks (cited (path_of x)) c is Some kept
    then accept (path_check (precision c) kept.1 (path_from x) (path_until x) (path_said x)) Nothing else None
  else None.

Theorem output_path_holds : output_check_holds output_path_says output_path_check.
Proof.
move=> I D picks Dok Pok cited [k c from until M] f facts; rewrite /output_path_check /=.
case: ifP => // _; case replayed: output_trail => [kept|] // /acceptP[holds <-]; split=> //.
have [h head_is [ws [max s0 _ path _]]] := output_trail_sound Dok (facts k) replayed.
by exists h => //; exists ws; split=> //; exact: path_check_sound path holds.
Qed.

Definition path_by_scoring : posed_kind N := @by_scoring N (path_kind N) _ _ output_path_holds.
End Kinds.
