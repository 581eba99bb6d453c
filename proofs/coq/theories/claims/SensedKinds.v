(* SensedKinds: what the claims about a solution, its existence and its support say where rows have senses, and the
   claim `joint-attention`. Their data are those of the same kinds of claims about selections. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Claims Rank Senses SensedClaims Number Rows Entries TokenData Instances
                           MarginChecks OptimalityChecks EnclosureChecks RankChecks SensedChecks
                           SensedEnclosureChecks SensedSpanningChecks DecoderData ClaimKind FeasibilityKinds
                           SolutionKinds SupportKinds RankKind SeparabilityKinds Posed.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Sensed.
Variable N : number.
Notation values D v := (@coefficient_of N D v).
Notation tokens_of D mask := (@in_mask N D mask).

(* ---- feasible, infeasible, margin-at-most ---- *)

Definition sensed_feasible_says : sensed_statement N (vector N) := fun D alpha s separator => sensed_feasible alpha s.

Definition sensed_feasible_check : sensed_checker N (vector N) := fun quick D picks senses cited separator =>
  accept (vector_ok D picks separator && sensed_separates_check D picks senses separator (margins D picks separator))
    Nothing.

Theorem sensed_feasible_holds : sensed_check_holds sensed_feasible_says sensed_feasible_check.
Proof.
move=> quick D picks Dok Pok senses Sok cited v f _ /acceptP[/andP[vok H] <-]; split=> //.
by exists (W (selection_of Pok) (values D v)); exact: sensed_separates_check_sound.
Qed.

Definition feasible_rows : posed_kind N := rows_kind (K := feasible_kind N) sensed_feasible_holds.

Definition sensed_infeasible_says : sensed_statement N (vector N) := fun D alpha s farkas => ~ sensed_feasible alpha s.

Definition sensed_infeasible_claim_check : sensed_checker N (vector N) := fun quick D picks senses cited farkas =>
  accept (sensed_infeasible_check D picks senses farkas) Nothing.

Theorem sensed_infeasible_holds : sensed_check_holds sensed_infeasible_says sensed_infeasible_claim_check.
Proof.
move=> quick D picks Dok Pok senses Sok cited v f _ /acceptP[H <-]; split=> //.
exact: sensed_infeasible_check_sound H.
Qed.

Definition infeasible_rows : posed_kind N := rows_kind (K := infeasible_kind N) sensed_infeasible_holds.

Definition sensed_spanning_says : sensed_statement N (spanning_data N) := fun D alpha s x => ~ sensed_feasible alpha s.

Definition sensed_spanning_claim_check : sensed_checker N (spanning_data N) := fun quick D picks senses cited x =>
  accept (sensed_spanning_check quick D picks senses (spanning_combination x) (spanning_tokens x) (spanning_hints x)
    (spanning_eigenvalue x)) Nothing.

Theorem sensed_spanning_holds : sensed_check_holds sensed_spanning_says sensed_spanning_claim_check.
Proof.
move=> quick D picks Dok Pok senses Sok cited [v s mask hints] f _ /acceptP[H <-]; split=> //.
exact: sensed_spanning_check_sound H.
Qed.

Definition spanning_of_rows : posed_kind N := rows_kind (K := spanning_kind N) sensed_spanning_holds.

Definition sensed_margin_at_most_says : sensed_statement N (margin_at_most_data N) := fun D alpha s x =>
  forall w, sensed_separates alpha s w -> 1 <= fraction_real (margin_bound x) * vnorm w.

Definition sensed_margin_at_most_claim_check : sensed_checker N (margin_at_most_data N) :=
  fun quick D picks senses cited x =>
  accept (sensed_margin_at_most_check D picks senses (margin_combination x) (margin_bound x)) Nothing.

Theorem sensed_margin_at_most_holds :
  sensed_check_holds sensed_margin_at_most_says sensed_margin_at_most_claim_check.
Proof.
move=> quick D picks Dok Pok senses Sok cited [q v] f _ /acceptP[H <-]; split=> //.
exact: sensed_margin_at_most_check_sound H.
Qed.

Definition margin_at_most_rows : posed_kind N := rows_kind (K := margin_at_most_kind N) sensed_margin_at_most_holds.

(* ---- optimal, optimal-enclosure ---- *)

Definition sensed_optimal_says : sensed_statement N (optimal_data N) := fun D alpha s x =>
  let w := W alpha (values D (optimal_multipliers x)) in
  sensed_max_margin alpha s w /\ vnorm2 w = fraction_real (optimal_norm x).

Definition sensed_optimal_claim_check : sensed_checker N (optimal_data N) := fun quick D picks senses cited x =>
  let v := optimal_multipliers x in
  let w := weights D picks v in
  let m := margins_of D picks w in
  accept (sensed_optimal_check D picks senses v m (optimal_norm x)) (ExactFact v w m).

Theorem sensed_optimal_holds : sensed_check_holds sensed_optimal_says sensed_optimal_claim_check.
Proof.
move=> quick D picks Dok Pok senses Sok cited [q v] f _ /acceptP[H <-].
have [sol nrm] := sensed_optimal_check_sound Dok Pok Sok H.
by split; [split=> //; case: sol | split=> //; case/and5P: H].
Qed.

Definition optimal_rows : posed_kind N := rows_kind (K := optimal_kind N) sensed_optimal_holds.

Definition sensed_gap_says : sensed_statement N (gap_data N) := fun D alpha s x =>
  sensed_gap_enclosure alpha s (fraction_real (gap_low x)) (fraction_real (gap_high x))
    (fraction_real (gap_distance_squared x)) (W alpha (values D (gap_primal x))).

Definition sensed_gap_claim_check : sensed_checker N (gap_data N) := fun quick D picks senses cited x =>
  let v := gap_primal x in
  accept (sensed_gap_check D picks senses v (margins D picks v) (gap_dual x) (gap_low x) (gap_high x)
            (gap_distance_squared x)) Nothing.

Theorem sensed_gap_holds : sensed_check_holds sensed_gap_says sensed_gap_claim_check.
Proof.
move=> quick D picks Dok Pok senses Sok cited [lo hi r v w] f _ /acceptP[H <-]; split=> //.
exact: sensed_gap_check_sound H.
Qed.

Definition gap_of_rows : posed_kind N := rows_kind (K := gap_kind N) sensed_gap_holds.

Definition sensed_ball_says : sensed_statement N (ball_data N) := fun D alpha s x =>
  sensed_ball_enclosure alpha s (tokens_of D (ball_active x)) (values D (ball_multipliers x))
    (fraction_real (ball_low x)) (fraction_real (ball_high x))
    (fraction_real (ball_radius x) * fraction_real (ball_radius x)) (fraction_real (ball_multiplier_radius x)).

Definition sensed_ball_claim_check : sensed_checker N (ball_data N) := fun quick D picks senses cited x =>
  let v := ball_multipliers x in
  let w := weights D picks v in
  let m := margins_of D picks w in
  accept (sensed_ball_check quick D picks senses v m (ball_active x) (ball_hints x) (ball_low x) (ball_high x)
            (ball_radius x) (ball_multiplier_radius x) (ball_eigenvalue x))
    (BallFact v w m (ball_active x) (ball_radius x) (ball_multiplier_radius x) (ball_high x)).

Theorem sensed_ball_holds : sensed_check_holds sensed_ball_says sensed_ball_claim_check.
Proof.
move=> quick D picks Dok Pok senses Sok cited [lo hi r q s mask v hints] f _ /acceptP[H <-].
have B := sensed_ball_check_sound Dok Pok Sok H.
have /and4P[/and3P[vok mok _] /and5P[_ _ rok _ _] _ _] := H.
by split=> //; split=> //; exists (fraction_real lo), (fraction_real hi).
Qed.

Definition ball_rows : posed_kind N := rows_kind (K := ball_kind N) sensed_ball_holds.

(* ---- support, strictly-complementary, not-strictly-complementary ---- *)

Definition sensed_support_says : sensed_statement N support_data := fun D alpha s x =>
  sensed_support_is alpha s (tokens_of D (support_tokens x)).

Definition sensed_support_claim_check : sensed_checker N support_data := fun quick D picks senses cited x =>
  let mask := support_tokens x in
  match cited (support_from x) with
  | ExactFact v _ m => accept (sensed_support_check D picks senses v m mask) (SupportFact mask (Some v))
  | BallFact _ _ _ mask' _ _ _ => accept (same_masks mask (inequalities senses mask')) (SupportFact mask None)
  | _ => None
  end.

Theorem sensed_support_holds : sensed_check_holds sensed_support_says sensed_support_claim_check.
Proof.
move=> quick D picks Dok Pok senses Sok cited [k mask] f facts; rewrite /sensed_support_claim_check /=.
have := facts k; case: (cited k) => // [v w m | v w m mask' r q high] /=.
  by move=> [vok _ -> sol] /acceptP[H <-]; split=> //; exact: sensed_support_check_is H sol.
move=> [vok _ mok rok [lo [hi B]]] /acceptP[/eqP -> <-].
split; last exact: sensed_strictly_complementary_sound_ball B.
have [ws [M supp]] := sensed_support_sound_ball B; exists ws; split=> // t; rewrite supp.
by rewrite in_inequalities //; case/andP: mok.
Qed.

Definition support_rows : posed_kind N := rows_kind (K := support_kind N) sensed_support_holds.

Definition sensed_strict_says : sensed_statement N (strict_data N) := fun D alpha s x =>
  sensed_strictly_complementary alpha s.

Definition sensed_strict_claim_check : sensed_checker N (strict_data N) := fun quick D picks senses cited x =>
  match cited (strict_from x), strict_multipliers x with
  | SupportFact mask (Some v), Some mu => accept (sensed_complementary_check D picks senses v mu mask) Nothing
  | SupportFact mask (Some v), None => accept (sensed_positive_on_check picks senses v mask) Nothing
  | SupportFact mask None, None => Some Nothing
  | _, _ => None
  end.

Theorem sensed_strict_holds : sensed_check_holds sensed_strict_says sensed_strict_claim_check.
Proof.
move=> quick D picks Dok Pok senses Sok cited [k mu] f facts; rewrite /sensed_strict_claim_check /=.
have := facts k; case: (cited k) => // mask [v | ] /=; last by move=> sc; case: mu => // -[<-].
move=> [vok sup sol]; case: mu => [mu | ] /acceptP[H <-]; split=> //.
  exact: (sensed_complementary_check_sound Dok Sok vok sup sol H).
have fm := proj1 (andP (proj1 (andP sup))).
apply: (sensed_strictly_complementary_sound sol (A := tokens_of D mask)) => [t | t ct ne | //].
- exact: sensed_support_check_sound.
exact: (sensed_positive_on_check_sound Sok vok fm H ct ne).
Qed.

Definition strict_rows : posed_kind N := rows_kind (K := strict_kind N) sensed_strict_holds.

Definition sensed_not_strict_says : sensed_statement N (not_strict_data N) := fun D alpha s x =>
  exists t, is_token (not_strict_group x) (not_strict_token x) t /\ sensed_multiplier_vanishes alpha s t.

Definition sensed_not_strict_claim_check : sensed_checker N (not_strict_data N) := fun quick D picks senses cited x =>
  if cited (not_strict_from x) is SupportFact mask (Some v)
  then accept (sensed_vanishing_check D picks senses v (not_strict_direction x) mask (not_strict_group x)
                 (not_strict_token x)) Nothing
  else None.

Theorem sensed_not_strict_holds : sensed_check_holds sensed_not_strict_says sensed_not_strict_claim_check.
Proof.
move=> quick D picks Dok Pok senses Sok cited [k i s x] f facts; rewrite /sensed_not_strict_claim_check /=.
have := facts k; case: (cited k) => // mask [v | ] //= [vok sup sol] /acceptP[H <-]; split=> //.
exact: (sensed_vanishing_check_sound Dok Sok vok sup sol H).
Qed.

Definition not_strict_rows : posed_kind N := rows_kind (K := not_strict_kind N) sensed_not_strict_holds.

(* ---- rank ---- *)

Definition sensed_rank_says : sensed_statement N (rank_data N) := fun D alpha s x =>
  exists wstar : vec [finType of 'I_(left_dimension D) * 'I_(right_dimension D)],
    @sensed_max_margin (problem D) alpha s wstar /\ rank_is (rank_value x) wstar.

Definition sensed_rank_claim_check : sensed_checker N (rank_data N) := fun quick D picks senses cited x =>
  match cited (rank_from x) with
  | ExactFact v w _ =>
      accept (rank_check quick D picks (listed v) v w None (rank_value x) (rank_low x) (rank_high x)) Nothing
  | BallFact v w _ mask radius _ _ =>
      accept (rank_check quick D picks mask v w (Some radius) (rank_value x) (rank_low x) (rank_high x)) Nothing
  | _ => None
  end.

Lemma rank_checked quick (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) v mask radius r lower
    upper w :
  vector_ok D picks v -> near Pok v radius w -> spanned Pok mask w ->
  rank_check quick D picks mask v (weights D picks v) radius r lower upper -> rank_is r w.
Proof.
move=> vok close span /andP[Hl Hu]; have [c indep] := lower_check_sound Dok vok close Hl.
have [s sr at_most] := upper_check_sound Dok vok close span Hu.
apply: (rank_sound indep); have rs := rank_lower_bound indep at_most.
by rewrite (_ : r = s) //; apply/eqP; rewrite eqn_leq rs sr.
Qed.

Theorem sensed_rank_holds : sensed_check_holds sensed_rank_says sensed_rank_claim_check.
Proof.
move=> quick D picks Dok Pok senses Sok cited [k r lower upper] f facts; rewrite /sensed_rank_claim_check /=.
have := facts k; case: (cited k) => // [v w m | v w m mask radius q high] /=.
  move=> [vok -> _ [M _]] /acceptP[H <-]; split=> //; exists (W (selection_of Pok) (values D v)); split=> //.
  apply: (rank_checked Dok vok _ _ H) => //.
  exact: (spanned_by (listed_ok Pok vok) (fun t _ => @listed_off _ _ _ _ t vok)).
move=> [vok -> mok rok [lo [hi [ws [lam [[M [_ Ew slack]] supp _ [close _] _]]]]]] /acceptP[H <-]; split=> //.
exists ws; split=> //; apply: (rank_checked Dok vok _ _ H) => //.
rewrite [ws in spanned _ _ ws]Ew; apply: spanned_by => // t ct nt.
case: (Rmult_integral _ _ (slack t ct)) => // tight; case/negP: nt; apply/(supp t).
by split=> //; lra.
Qed.

Definition rank_rows : posed_kind N := rows_kind (K := rank_kind N) sensed_rank_holds.

(* ---- joint-attention: the relaxed groups are those that do not support the decoder's solution ---- *)

Definition relaxed_groups (q : posing) : option (seq nat) :=
  match q with Attention => Some [::] | RelaxedGroups groups => Some groups | _ => None end.

(* The number of the claim about the decoder's support. *)
Definition joint_says : posed_statement N nat := fun I p D alpha from =>
  exists groups picks (beta : selection (problem (decoder_data I picks))),
  [/\ relaxed_groups (posing_of p) = Some groups, selects alpha picks, selects beta (decoder_picks I) &
      exists v, max_margin beta v /\
        forall t, constraint beta t ->
          (margin beta v t = 1 <-> (tag (t : data_token (decoder_data I picks)) : nat) \notin groups)].

Definition joint_check : posed_checker N nat := fun quick I p D picks cited others from =>
  match relaxed_groups (posing_of p), others from with
  | Some groups, Some (Posed Decoding picks', SupportFact mask _) =>
      accept ((picks == picks') &&
              all (fun im => nth false im.2 1 == (im.1 \notin groups)) (zip (iota 0 (size mask)) mask))
        Nothing
  | _, _ => None
  end.

Theorem joint_holds : posed_check_holds joint_says joint_check.
Proof.
move=> quick I base [q sel] D picks Dok Pok cited others from f _ _ facts; rewrite /joint_check /=.
case E: (relaxed_groups q) => [groups|] //; case O: (others from) => [[[q' picks'] f']|] //.
case: q' O => // O; case: f' O => // mask ex O /acceptP[/andP[/eqP same listed] <-]; split; last by case: (q).
have [/= Pok' [_ H]] := facts _ _ O; have [mok [v [M supp]]] := support_fact H.
rewrite /posed_data_in /posed_picks /= -same in Pok' H mok v M supp *.
exists groups, picks, (selection_of Pok'); split=> //; try exact: selection_of_selects.
exists v; split=> // t ct;
have <- : in_mask mask t = ((tag (t : data_token (decoder_data I picks)) : nat) \notin groups).
  have [fm _] := andP mok; have [/eqP sm _] := andP fm; rewrite /in_mask /at_token (decoder_constraint ct).
  have il : (tag (t : data_token (decoder_data I picks)) < size mask)%nat by rewrite sm.
  have := all_nthP (0%nat, [::]) listed (tag (t : data_token (decoder_data I picks))).
  by rewrite size_zip size_iota minnn => /(_ il); rewrite nth_zip ?size_iota //= nth_iota // => /eqP.
by rewrite -supp; split=> [one | [_ one]].
Qed.

Definition joint_kind : posed_kind N := PosedKind joint_holds.
End Sensed.
