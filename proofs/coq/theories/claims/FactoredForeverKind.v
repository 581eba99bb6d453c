(* FactoredForeverKind: the claim `factored-forever`, T22 from a checkpoint of training of factors on. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection NormDuality Losses Iteration Schedules Number Rows Entries TokenData
                           MarginChecks OptimalityChecks EnclosureChecks Interval AttentionIntervals Replay RunChecks
                           PathChecks ForeverClaims FactoredStep FactoredIteration FactoredReplay FactoredRunChecks
                           FactoredOnward ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section FactoredForeverKind.
Variable N : number.

Record factored_forever_data := FactoredForeverData {
  onward_of : nat;                           (* the claim about the run, *)
  onward_loss : loss_name; onward_run : factored_training N;   (* that run, *)
  onward_from : nat;                         (* and the step *)
  onward_slope : fraction N; onward_growth : fraction N; onward_least : fraction N; onward_drift : fraction N;
  onward_share : option (nat * fraction N)   (* the claim about the nuclear norm *)
}.

(* T22 from the step on; every margin is at least this share of the largest that any matrix has for its nuclear norm. *)
Definition factored_forever_says : claim_statement N factored_forever_data := fun D alpha x =>
  let z t := @factored_trajectory N D (onward_loss x) (onward_run x) (onward_from x + t) in
  factored_onward alpha (onward_loss x) z (fraction_real (onward_slope x)) (fraction_real (onward_growth x))
    (fraction_real (onward_least x)) (fraction_real (onward_drift x)) /\
  if onward_share x is Some (_, q) then
    let norm := @nuclear_norm [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)] in
    forall t c w, constraint alpha c -> separates alpha w ->
      fraction_real q * norm (onward_point z t) <= margin alpha (onward_point z t) c * norm w
  else True.

(* ---- the run that the fact is about ---- *)

Definition same_training (r r' : factored_training N) : bool :=
  [&& training_rank r == training_rank r', training_normalised r == training_normalised r',
      same_schedule (training_schedule r) (training_schedule r'),
      identical_fraction (training_step r) (training_step r') &
      [&& identical_matrix (training_left r) (training_left r'), same (training_left_unit r) (training_left_unit r'),
          identical_matrix (training_right r) (training_right r') &
          same (training_right_unit r) (training_right_unit r')]].

Lemma same_columns m n rows rows' (u u' : N) : identical_matrix rows rows' -> same u u' ->
  @column_values N m n rows u = column_values rows' u'.
Proof.
move=> Hm Hu; apply: FunctionalExtensionality.functional_extensionality => a; apply: vec_ext => j.
by rewrite /column_values (identical_matrix_entry _ _ Hm) (same_real Hu).
Qed.

(* What is said of where one run is holds of the other. *)
Lemma same_training_trajectory (D : token_data N) l r r' : same_training r r' ->
  forall said : forall m, (nat -> factor_pair [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)]
                                    [finType of 'I_m]) -> Prop,
  said _ (@factored_trajectory N D l r) -> said _ (@factored_trajectory N D l r').
Proof.
case: r r' => m n s q L u R v [m' n' s' q' L' u' R' v'] /and5P[/= /eqP E /eqP <- Hs /andP[Hn Hd]].
case: _ / E => /and4P[HL Hu HR Hv] said.
have <- : s = s' by case: (s) (s') Hs => [] [].
have qE : fraction_real q = fraction_real q' by rewrite /fraction_real (same_real Hn) (same_real Hd).
suff -> : @factored_trajectory N D l (FactoredTraining m n s q L u R v) =
          factored_trajectory D l (FactoredTraining m n s q' L' u' R' v') by [].
rewrite /factored_trajectory /training_start /= (same_columns _ _ HL Hu) (same_columns _ _ HR Hv).
by rewrite /sizes /step_specification /= qE.
Qed.

(* ---- the check ---- *)

Notation P := forever_precision.

(* q <= the slope times the lower bound *)
Definition share_below (q slope lo : fraction N) : bool :=
  [&& fraction_ok q, fraction_ok lo &
      le (mul (fraction_num q) (mul (fraction_den slope) (fraction_den lo)))
         (mul (mul (fraction_num slope) (fraction_num lo)) (fraction_den q))].

Lemma share_below_real q slope lo : fraction_ok slope -> share_below q slope lo ->
  fraction_real q <= fraction_real slope * fraction_real lo.
Proof.
move=> /fraction_den_gt0 s0 /and3P[/fraction_den_gt0 q0 /fraction_den_gt0 l0 /le_real]; rewrite !realM => H.
rewrite /fraction_real; apply: (Rmult_le_reg_r (real (fraction_den q) * (real (fraction_den slope) *
  real (fraction_den lo)))).
  by apply: Rmult_lt_0_compat => //; exact: Rmult_lt_0_compat.
have -> : real (fraction_num q) / real (fraction_den q) *
    (real (fraction_den q) * (real (fraction_den slope) * real (fraction_den lo))) =
    real (fraction_num q) * (real (fraction_den slope) * real (fraction_den lo)) by field; lra.
by apply: Rle_trans H _; right; field; lra.
Qed.

Definition share_check (x : factored_forever_data) (cited : nat -> fact N) : bool :=
  match onward_share x with
  | Some (j, q) => if cited j is NuclearFact lo _ _ then share_below q (onward_slope x) lo else false
  | None => true
  end.

Definition factored_forever_check : claim_checker N factored_forever_data := fun quick D picks cited x =>
  if cited (onward_of x) is FactoredFact l r points then
    if found_at (onward_from x) points is Some (excess, square) then
      accept [&& same_loss l (onward_loss x), same_training r (onward_run x),
                 ~~ training_normalised r && same_schedule (training_schedule r) Constant,
                 onward_check D P picks l excess square (claimed P (training_step r)) (onward_slope x) (onward_growth x)
                   (onward_least x) (onward_drift x) & share_check x cited] Nothing
    else None
  else None.

Lemma globally_optimal_best (p : selection_problem) (alpha : selection p) : globally_optimal alpha -> Runs.best alpha.
Proof.
move=> optimal t; case Qt: (constraint alpha t); first exact/Rlt_le/optimal.
by rewrite {1}(not_constraint (negbT Qt)); right.
Qed.

(* Later steps of a run by constant steps are a run from there. *)
Lemma later_trajectory (D : token_data N) l r (t : nat) : ~~ training_normalised r -> training_schedule r = Constant ->
  let z u := @factored_trajectory N D l r (t + u) in
  forall u, z u.+1 =
    factors_moved (@descent_field N D l) false (fun=> fraction_real (training_step r)) u (z u).
Proof.
move=> /negbTE n s z u; rewrite /z addnS /factored_trajectory /factors_iterate /= n.
by rewrite /factors_moved /sizes /step_specification /= s.
Qed.

Lemma nuclear_norm_ge0 (d e : finType) (w : vec [finType of d * e]) : 0 <= nuclear_norm w.
Proof. by have [above _] := nuclear_norm_lub w; have := above _ (@zero_contraction d e); rewrite dot0l. Qed.

Theorem factored_forever_holds : check_holds factored_forever_says factored_forever_check.
Proof.
move=> quick D picks Dok Pok cited x f facts; rewrite /factored_forever_check.
have := facts (onward_of x); case: (cited _) => // l r points fact.
case found: found_at => [[excess square] | ] //.
case/acceptP=> /and5P[/same_loss_eq El same_run /andP[gd constant] H shares] <-; split=> //.
have s : training_schedule r = Constant by case: (training_schedule r) constant.
have /and3P[conditions /and3P[slope_ok _ _] _] := H.
have best : Runs.best (selection_of Pok) :=
  globally_optimal_best (global_check_sound Dok (proj1 (andP (proj2 (andP conditions))))).
have [HS Hsize] := fact _ best _ (found_at_in found).
pose said m z := factored_onward (m := m) (selection_of Pok) l z (fraction_real (onward_slope x))
  (fraction_real (onward_growth x)) (fraction_real (onward_least x)) (fraction_real (onward_drift x)).
pose T := onward_from x.
have here : said _ (fun t => @factored_trajectory N D l r (T + t)).
  have moves := @later_trajectory D l r T gd s.
  apply: (onward_check_sound Dok moves _ _ (claimed_contains P (training_step r)) H).
  - by rewrite /onward_excess /onward_point addn0; exact: HS.
  by rewrite addn0; exact: Hsize.
have there := same_training_trajectory same_run (said := fun m z => said m (fun t => z (T + t)%nat)) here.
rewrite /factored_forever_says -El; split; first exact: there.
move: shares; rewrite /share_check; case: (onward_share x) => [[j q] | ] //.
have := facts j; case: (cited j) => // lo rows u [below _] Hq t c w Qc sep.
have le := share_below_real slope_ok Hq; have low := below w sep.
have margin_le := onward_margins there t Qc; have norm_le := onward_norm there t.
have n0 := nuclear_norm_ge0 w; have N0 := nuclear_norm_ge0 (onward_point (fun t => @factored_trajectory N D l
  (onward_run x) (T + t)) t).
have slope0 : 0 < fraction_real (onward_slope x).
  case/and3P: H => _ /and3P[_ _ /andP[/lt_real p0 _]] _; rewrite real0 in p0.
  exact: Rdiv_lt_0_compat p0 (fraction_den_gt0 slope_ok).
set m := margin _ _ _ in margin_le *; set n := nuclear_norm (onward_point _ _) in N0 norm_le *.
have h1 : fraction_real (onward_slope x) * n <= m.
  by apply: Rle_trans margin_le; apply: Rmult_le_compat_l => //; lra.
apply: Rle_trans (Rmult_le_compat_r _ _ _ n0 h1); rewrite -/n.
apply: Rle_trans (Rmult_le_compat_r _ _ _ N0 le) _.
rewrite Rmult_assoc (Rmult_comm _ n) -Rmult_assoc; apply: Rmult_le_compat_l low.
exact: Rmult_le_pos (Rlt_le _ _ slope0) N0.
Qed.

Definition factored_forever_kind : claim_kind N := ClaimKind factored_forever_holds.
End FactoredForeverKind.
