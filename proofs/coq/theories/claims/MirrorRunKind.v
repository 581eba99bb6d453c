(* MirrorRunKind: the claim `mirror-run`, where mirror descent is at some of its steps. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm Claims Number Rows Entries TokenData Losses
                           MarginChecks OptimalityChecks EnclosureChecks Interval Elementary NormChecks
                           NormDistanceChecks IntervalTables AttentionIntervals Runs Replay ReplaySound RunChecks Mirror
                           MirrorIteration PowerIntervals MirrorReplay MirrorRunChecks ClaimKind NormKinds.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section MirrorRunKind.
Variable N : number.

Record mirror_run_data := MirrorRunData {
  mirror_exponent : positive * positive;   (* p = a/c *)
  mirror_from : option nat;                (* the claim about the solution *)
  mirror_loss : loss_name;
  mirror_specification : specification N;  (* gradient steps: md; normalised steps: nmd *)
  mirror_steps : nat;
  mirror_said : option (fraction N * nat); (* T13's constant, and since which step *)
  mirror_checkpoints : seq (mirror_checkpoint N);
  mirror_precision : Z                     (* a guess *)
}.

(* The exponent is above 1. At every checkpoint the iterate is where it says, whatever best scores L* is the loss of;
   directions are those of the only shortest vector in the potential's norm, as is T13's inequality between the steps
   that lead to the last checkpoint. *)
Definition mirror_run_says : claim_statement N mirror_run_data := fun D alpha x =>
  let: (a, c) := mirror_exponent x in
  let p := exponent a c in
  let q := exponent a (a - c) in
  let z := @mirror_trajectory N D (mirror_loss x) (mirror_specification x) a c in
  [/\ (c < a)%positive,
      forall b : selection (problem D), best b -> forall k, List.In k (mirror_checkpoints x) ->
        mirror_seen alpha (loss_of (mirror_loss x)) p q (least_loss b (loss_of (mirror_loss x))) k (z (mirror_at k)) &
      if mirror_from x is Some _ then
        exists y, [/\ only_shortest alpha (@lp_norm (coord (problem D)) p) y,
          forall k, List.In k (mirror_checkpoints x) -> mirror_directed p q k (z (mirror_at k)) y &
          if mirror_said x is Some (C, since) then
            forall t, (since <= t < last_of (mirror_checkpoints x))%nat ->
              mirror_inequality p q (z t) (fraction_real C) y (z t.+1)
          else True]
      else mirror_said x = None /\ forall k, List.In k (mirror_checkpoints x) -> ~~ is_directed k].

(* The solution, entry by entry, as a claim has established it. *)
Definition enclosed_solution (P : Z) (a c : positive) (f : fact N) : option (mirror_solution N) :=
  if f is NormFact n m u r lo hi then
    if same_norm n (PowerNorm a c) then
      Some (MirrorSolution (map_rows (fun I => iadd P I (symmetric (claimed P r))) (exact_matrix P u m))
              (hull (claimed P lo) (claimed P hi)))
    else None
  else None.

Lemma enclosed_solutionP P a c (D : token_data N) picks (alpha : selection (problem D)) f s :
  fact_meaning picks alpha f -> enclosed_solution P a c f = Some s ->
  exists y, [/\ only_shortest alpha (@lp_norm (coord (problem D)) (exponent a c)) y,
    matrix_encloses (solution_entries s) y & contains (solution_length s) (lp_norm (exponent a c) y)].
Proof.
case: f => // n m u r lo hi [a' [c' [-> ca sh u0 [rok [y [only near [low high]]]]]]] /=.
case same: (_ && _) => //; have /andP[/Pos.eqb_eq aE /Pos.eqb_eq cE] := same; subst a' c' => -[<-].
exists y; split=> //=; last first.
  by apply: (hull_contains (claimed_contains P lo) (claimed_contains P hi)).
apply: (matrix_map_encloses (exact_matrix_encloses P u sh)) => jk I HI.
have -> : y jk = matrix_real m (real u) jk + (y jk - matrix_real m (real u) jk) by ring.
apply: iadd_contains => //; apply: (symmetric_contains (claimed_contains P r)).
have -> : y jk - matrix_real m (real u) jk = - (matrix_real m (real u) - y)%V jk by rewrite /vsub; ring.
rewrite Rabs_Ropp; apply: Rle_trans near; exact: entry_le_norm (exponent_gt1 ca).
Qed.

Definition mirror_run_claim_check : claim_checker N mirror_run_data := fun quick D picks cited x =>
  let: (a, c) := mirror_exponent x in
  let run s := omap (MirrorFact (a, c) (mirror_loss x) (mirror_specification x))
    (mirror_run_check D picks (mirror_loss x) (mirror_specification x) a c (mirror_precision x) s (mirror_said x)
       (mirror_checkpoints x)) in
  if mirror_from x is Some k then
    if enclosed_solution (mirror_precision x) a c (cited k) is Some s then run (Some s) else None
  else run None.

Lemma last_checkpoint (ks : seq (mirror_checkpoint N)) k : List.In k ks ->
  (mirror_at k <= last_of ks)%nat.
Proof.
rewrite /last_of; elim: ks => //= k' ks IH [<- | /IH le]; first exact: leq_maxl.
exact: leq_trans le (leq_maxr _ _).
Qed.

Theorem mirror_run_holds : check_holds mirror_run_says mirror_run_claim_check.
Proof.
move=> quick D picks Dok Pok cited [[a c] from l spec n said ks P] f facts; rewrite /mirror_run_claim_check /=.
have sound s points : mirror_run_check D picks l spec a c P s said ks = Some points ->
    [/\ (c < a)%positive, if said is Some _ then isSome s else true, exists Bok : best_ok D,
      (forall k, List.In k ks -> checkpoint_holds Pok l spec a c s Bok k) /\
      forall t, (t < last_of ks)%nat -> (if said is Some (_, since) then (since <= t)%nat else true) ->
        inequality_at D l spec a c s said t &
      fact_meaning picks (selection_of Pok) (MirrorFact (a, c) l spec points)].
  rewrite /mirror_run_check; case: ifP => // /and5P[/Pos.ltb_lt ca sok Bok _ given] H.
  have at0 : mirror_state_at D l spec a c 0 (first_mirror_state D spec a c P) by exact: first_mirror_state_at.
  have none b : None = Some b -> exists2 t', 0%nat = t'.+1 & before_at D l spec a c t' b by [].
  have [later _ compared kept] :=
    @mirror_follow_sound N D picks Dok Pok l spec a c P s said ca Bok ks _ _ _ _ _ at0 none H.
  split=> //; first by case: (said) given => // -[C since] /andP[].
  exists Bok; split=> [k kin | t lt due]; last by apply: compared.
  by apply: later => //; rewrite leq0n add0n; exact: last_checkpoint.
have seen s points : mirror_run_check D picks l spec a c P s said ks = Some points ->
    forall b : selection (problem D), best b -> forall k, List.In k ks ->
    mirror_seen (selection_of Pok) (loss_of l) (exponent a c) (exponent a (a - c))
      (least_loss b (loss_of l)) k (@mirror_trajectory N D l spec a c (mirror_at k)).
  by move=> /sound[_ _ [Bok [H _]] _] b Hb k /H[S _]; rewrite (best_least Dok Bok _ Hb).
case: from => [j | ].
  case E: enclosed_solution => [s | ] //; case H: mirror_run_check => [points | ] //= [<-].
  have [y [only Hy Hn]] := enclosed_solutionP (facts j) E; have [ca _ [Bok [holds compared]] kept] := sound _ _ H.
  split=> //; split=> //; first exact: seen H.
  exists y; split=> // [k kin | ].
    have [_ directed] := holds k kin.
    case: (boolP (is_directed k)) => [/directed[_ [<-]] | none]; first by apply.
    by move: none; rewrite /is_directed /mirror_directed; case: k {kin directed} => ? ? ? ? ? [? | ] [? | ] [? | ].
  move: compared; rewrite /inequality_at; case: (said) => // -[C since] compared t /andP[le lt].
  by have [_ [<-] there] := compared t lt le; exact: there.
case H: mirror_run_check => [points | ] //= [<-]; have [ca given [Bok [holds _]] kept] := sound _ _ H.
split=> //; split=> //; first exact: seen H.
split=> [|k kin]; first by case: (said) given.
have [_ directed] := holds k kin.
by apply: contraT => /negPn /directed[s].
Qed.

Definition mirror_run_kind : claim_kind N := ClaimKind mirror_run_holds.
End MirrorRunKind.
