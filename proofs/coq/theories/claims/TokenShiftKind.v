(* TokenShiftKind: the claim `token-shift`, what the attention stage of one-hot sentences predicts of other contexts. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads Saturation Claims Iteration HeadRuns TokenHead Number Rows TokenData
                           MarginChecks OptimalityChecks EnclosureChecks Interval IntervalTables RunChecks PathChecks
                           ForeverChecks TokenPlaces TokenReplay TokenTrees TokenRunChecks TokenForeverChecks
                           TokenShiftChecks ClaimKind TokenForeverKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section TokenShiftKind.
Variable N : number.

Record token_shift_data := TokenShiftData {
  shift_solution : nat;                                       (* the claims about the solution, *)
  shift_future : option (nat * (token_training N * nat));     (* and later steps: their run, and its step *)
  shift_pairs : seq (nat * nat);
  shift_sentences : seq shifted_sentence
}.

(* The only shortest separating matrix predicts what is said, and so does the training of TokenForeverKind.v at all
   steps from the one said on. *)
Definition token_shift_says : claim_statement N token_shift_data := fun D alpha x =>
  let pairs := shift_pairs x in
  let next := @next_token N D pairs in
  (exists2 ws, max_margin alpha ws & forall s, List.In s (shift_sentences x) -> predicted pairs ws s) /\
  match shift_future x with
  | Some (_, (r, _)) => exists y : group (problem D) -> 'I_(left_dimension D),
      (forall i, next (alpha i) = Some (y i)) /\
      forall w : nat -> vec (coord (problem D)), w O = vzero ->
        head_follows (token_head next y (frozen_scale D pairs r)) 0 NormalisedSteps
          (fun=> fraction_real (attended_step r)) w ->
        forall s from m, List.In s (shift_sentences x) -> shifted_from s = Some from -> (from <= m)%nat ->
          attended_most pairs (w m) s
  | None => forall s, List.In s (shift_sentences x) -> shifted_from s = None
  end.

Notation P := token_precision.

Definition solution_length_in (D : token_data N) (v : vector N) (m : seq (seq N)) : interval N :=
  isqrt P (ratio P (mul (weight_unit D v) (weight_unit D v)) (energy v m)).

(* Nothing where no claim is cited; none at all, where the one cited is not about this solution and run. *)
Definition future_known (D : token_data N) (cited : nat -> fact N) (v : vector N) (m : seq (seq N))
    (x : token_shift_data) : option (option (known_future N)) :=
  if shift_future x is Some (k, (r, t)) then
    if cited k is TokenFutureFact j pairs r' t' T c then
      if [&& j == shift_solution x, pairs == shift_pairs x, same_token_training r' r & t' == t] then
        Some (Some (KnownFuture t T c (solution_length_in D v m) (denominator v)))
      else None
    else None
  else Some None.

Definition token_shift_claim_check : claim_checker N token_shift_data := fun quick D picks cited x =>
  if cited (shift_solution x) is ExactFact v _ m then
    if future_known D cited v m x is Some future then
      accept [&& token_stage_ok D picks (shift_pairs x), has_constraint D picks &
                 all (shifted_check D picks (shift_pairs x) (solution_tree D picks v) future) (shift_sentences x)]
        Nothing
    else None
  else None.

Theorem token_shift_holds : check_holds token_shift_says token_shift_claim_check.
Proof.
move=> quick D picks Dok Pok cited [j future pairs ss] f facts; rewrite /token_shift_claim_check /=.
have solution_fact := facts j; case: (cited j) solution_fact => // v m' m solution_fact.
have [vok _ mE sol] := solution_fact; have [best _] := sol; rewrite /future_known /=.
case: future => [[k [r t]]|]; last first.
  case/acceptP=> /and3P[Sok _ /List.forallb_forall checks] <-; split=> //; split=> [|s sin].
    exists (W (selection_of Pok) (@coefficient_of N D v)) => // s /checks; rewrite /shifted_check.
    by case E: winner_of => [x|] // /andP[leads _]; exact (predicted_sound Dok Pok Sok vok E leads).
  by move: (checks s sin); rewrite /shifted_check; case: winner_of => [x|] // /andP[_]; case: shifted_from.
have later_fact := facts k; case: (cited k) later_fact => // j' pairs' r' t' T c later_fact.
case: ifP => // /and4P[_ /eqP Ep same /eqP Et]; subst pairs' t'.
case/acceptP=> /and3P[Sok cs /List.forallb_forall checks] <-; split=> //; split=> [|].
  exists (W (selection_of Pok) (@coefficient_of N D v)) => // s /checks; rewrite /shifted_check.
  by case E: winner_of => [x|] // /andP[leads _]; exact (predicted_sound Dok Pok Sok vok E leads).
have [stepE scaleE leastE] := same_token_trainingP D pairs same; have chosen := chosen_wanted Dok Pok Sok.
exists (wanted_output Dok Pok Sok); split=> // w start run s from n sin Ef late.
rewrite -stepE -scaleE in run; have [entries /(_ _ best) lasts] := later_fact _ chosen w start run.
have constraints := has_constraintP Pok cs; have norm0 := solution_norm_gt0 (proj1 best) constraints.
have len : contains (solution_length_in D v m) (vnorm (W (selection_of Pok) (@coefficient_of N D v))).
  by rewrite /solution_length_in mE /vnorm (energy_value Dok Pok vok); exact (isqrt_contains P (ratio_contains P _ _)).
move: (checks s sin); rewrite /shifted_check Ef; case E: winner_of => [x|] // /andP[leads later].
have tn : (t <= n)%nat by apply: leq_trans late; case/andP: later.
have entries0 : @tree_encloses N D T ((fun i => w (t + i)%nat) 0%nat) by rewrite addn0.
have := later_sound (k := KnownFuture t T c (solution_length_in D v m) (denominator v)) (n := (n - t)%nat) Dok Sok vok
  lasts entries0 len erefl norm0 E leads later.
by rewrite /= subnKC //; apply.
Qed.

Definition token_shift_kind : claim_kind N := ClaimKind token_shift_holds.
End TokenShiftKind.
