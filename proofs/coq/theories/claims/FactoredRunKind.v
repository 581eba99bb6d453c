(* FactoredRunKind: the claim `factored-run`, where the factors of W = K Q' are when they are trained. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Number Rows Entries TokenData Losses MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals Runs Replay RunChecks
                           ReplaySound PathChecks FactoredIteration MirrorReplay FactoredReplay FactoredRunChecks
                           ClaimKind NormKinds.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section FactoredRunKind.
Variable N : number.

Record factored_run_data := FactoredRunData {
  factored_from : option nat;                            (* the claim about the solution *)
  factored_nuclear : option (nat * (seq (seq N) * N));   (* that about the nuclear norm, and its matrix over a unit *)
  factored_loss_name : loss_name;
  factored_said : factored_training N;
  factored_steps : nat;
  factored_checkpoints : seq (factored_checkpoint N);
  factored_bits : Z                                      (* a guess *)
}.

(* At every checkpoint the factors are where it says, whatever best scores L* is the loss of; correlations are those
   with the solution, and with the matrix, which separates, and is the one that the claim about the nuclear norm
   writes out. *)
Definition factored_run_says : claim_statement N factored_run_data := fun D alpha x =>
  let l := factored_loss_name x in
  let s k := @factored_trajectory N D l (factored_said x) (factored_at k) in
  let each (holds : factored_checkpoint N -> Prop) := forall k, List.In k (factored_checkpoints x) -> holds k in
  [/\ forall b : selection (problem D), best b -> each (fun k => factors_seen k (s k) /\
        point_seen alpha (loss_of l) (least_loss b (loss_of l)) k (pair_product (s k))),
      if factored_from x is Some _ then
        exists2 ws, max_margin alpha ws & each (fun k => correlated (s k) (factored_corr_claim k) ws)
      else each (fun k => factored_corr_claim k = None) &
      if factored_nuclear x is Some (_, (rows, u)) then
        separates alpha (@matrix_real N D rows (real u)) /\
        each (fun k => correlated (s k) (factored_nuclear_claim k) (@matrix_real N D rows (real u)))
      else each (fun k => factored_nuclear_claim k = None)].

(* The solution as a claim has established it; nothing where none is cited. *)
Definition near_solution (P : Z) (D : token_data N) (picks : seq nat) (f : fact N) : option (near_matrix N) :=
  if close_solution P f is Some (v, radius) then
    let m := weights D picks v in
    let u := weight_unit D v in
    Some (NearMatrix (exact_matrix P u m) radius (solution_norm (direction_of D picks P v radius)))
  else None.

Lemma near_solutionP P (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) f x :
  fact_meaning picks (selection_of Pok) f -> near_solution P D picks f = Some x ->
  exists2 ws, max_margin (selection_of Pok) ws & near_to x ws.
Proof.
rewrite /near_solution; case E: (close_solution P f) => [[v radius] | ] // meaning [<-].
have [ws [rho [vok M Hr near]]] := close_solutionP meaning E; exists ws => //.
exists (W (selection_of Pok) (@coefficient_of N D v)), rho; split=> //.
  by rewrite -(weights_real Dok Pok vok); exact: exact_matrix_encloses (weights_shaped Dok Pok vok).
exact: (solution_norm_contains Dok P vok Hr near).
Qed.

(* A matrix as it is written out. *)
Definition given_matrix (P : Z) (D : token_data N) (rows : seq (seq N)) (u : N) : option (near_matrix N) :=
  if shaped (left_dimension D) (right_dimension D) rows && lt zero u then
    Some (NearMatrix (exact_matrix P u rows) (interval0 N) (matrix_norm P rows u))
  else None.

Lemma given_matrixP P (D : token_data N) rows u x : given_matrix P D rows u = Some x ->
  near_to x (@matrix_real N D rows (real u)).
Proof.
rewrite /given_matrix; case: ifP => // /andP[sh /lt_real]; rewrite real0 => u0 [<-].
exists (@matrix_real N D rows (real u)), 0; split; [exact: exact_matrix_encloses | exact: contains0 | |].
  by rewrite (_ : (_ - _)%V = vzero) ?vnorm0; [right | vec_ring].
exact: matrix_norm_contains.
Qed.

(* The matrix, if a claim about the nuclear norm writes it out. *)
Definition nuclear_matrix (P : Z) (D : token_data N) (f : fact N) (rows : seq (seq N)) (u : N) :
    option (near_matrix N) :=
  if f is NuclearFact _ rows' u' then
    if identical_matrix rows' rows && same u' u then given_matrix P D rows u else None
  else None.

Lemma nuclear_matrixP P (D : token_data N) picks (alpha : selection (problem D)) f rows u x :
  fact_meaning picks alpha f -> nuclear_matrix P D f rows u = Some x ->
  separates alpha (@matrix_real N D rows (real u)) /\ near_to x (@matrix_real N D rows (real u)).
Proof.
case: f => // lo rows' u' [_ sep]; rewrite /nuclear_matrix; case: ifP => // /andP[Hm Hu] E.
split; last exact: given_matrixP E.
suff <- : @matrix_real N D rows' (real u') = matrix_real rows (real u) by [].
by apply: vec_ext => jk; rewrite /matrix_real (identical_matrix_entry _ _ Hm) (same_real Hu).
Qed.

(* Nothing, where no claim is cited; none at all, where the one cited is of another kind. *)
Definition near_wanted (A : Type) (cited : option A) (found : A -> option (near_matrix N)) :
    option (option (near_matrix N)) :=
  if cited is Some k then omap Some (found k) else Some None.

Definition factored_run_claim_check : claim_checker N factored_run_data := fun quick D picks cited x =>
  let P := factored_bits x in
  let about k := nuclear_matrix P D (cited k.1) k.2.1 k.2.2 in
  let solution_of k := near_solution P D picks (cited k) in
  match near_wanted (factored_from x) solution_of, near_wanted (factored_nuclear x) about with
  | Some solution, Some nuclear =>
      omap (FactoredFact (factored_loss_name x) (factored_said x))
        (factored_run_check D picks (factored_loss_name x) (factored_said x) P solution nuclear
           (factored_checkpoints x))
  | _, _ => None
  end.

Theorem factored_run_holds : check_holds factored_run_says factored_run_claim_check.
Proof.
move=> quick D picks Dok Pok cited [from nuc l r n ks P] f facts; rewrite /factored_run_claim_check /=.
case Ef: (near_wanted from _) => [solution | ] //; case En: (near_wanted nuc _) => [nuclear | ] //.
rewrite /factored_run_check; case: ifP => // /andP[_ Bok]; case H: factored_follow => [points | ] //= [<-].
have [holds kept] := factored_follow_sound Dok Pok Bok (first_factored_state_at D l r P) H.
have here k : List.In k ks -> factored_holds Pok l r solution nuclear Bok k.
  by move=> kin; apply: holds => //; rewrite leq0n add0n; exact: last_factored_le.
split; last by move=> b Hb x /kept; rewrite (best_least Dok Bok _ Hb).
split=> [b Hb k /here[seen at_point _ _] | |]; first by rewrite (best_least Dok Bok _ Hb).
- case: from Ef => [j | ] /=; last by case=> E k /here[_ _ + _]; rewrite -E.
  case E: near_solution => [x | ] // [E']; have [ws M near] := near_solutionP Dok (facts j) E; exists ws => // k.
  by move=> /here[_ _ + _]; rewrite -E'; exact.
case: nuc En => [[j [rows u]] | ] /=; last by case=> E k /here[_ _ _ +]; rewrite -E.
case E: nuclear_matrix => [x | ] // [E']; have [sep near] := nuclear_matrixP (facts j) E; split=> // k.
by move=> /here[_ _ _ +]; rewrite -E'; exact.
Qed.

Definition factored_run_kind : claim_kind N := ClaimKind factored_run_holds.
End FactoredRunKind.
