(* ClaimKind: what a kind of claim is, and what accepted claims establish for later ones.

   A kind is a record: what its claims are given (the constants claimed, the evidence, the claims cited), what they
   say of the selection of their problem, how one is checked, and the proof that an accepted one holds. The files of
   this folder define the kinds; Certificates.v has them in a table, and nothing else knows of them. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads NormDuality Claims Iteration HeadRuns TokenHead Number Rows Entries
                           TokenData Losses MarginChecks OptimalityChecks EnclosureChecks NormChecks
                           NormDistanceChecks Interval AttentionIntervals Runs Replay RunChecks PathChecks RunClaims
                           ReferenceIntervals ForeverChecks ForeverClaims FactoredIteration MirrorReplay
                           MirrorRunChecks FactoredRunChecks JointIteration TokenPlaces TokenTrees TokenRunChecks
                           TokenForeverChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- facts ---- *)

Section Facts.
Variable N : number.

(* What an accepted claim establishes for later ones; matrix and margins are those of the vector. *)
Inductive fact :=
| Nothing
| FeasibleFact (separator : vector N) (margins : seq (seq N))
| InfeasibleFact
| ExactFact (multipliers : vector N) (matrix margins : seq (seq N))
| GapFact (primal : vector N) (margins : seq (seq N))
    (distance_squared high : fraction N)   (* high: of the squared norm *)
| BallFact (multipliers : vector N) (matrix margins : seq (seq N)) (active : seq (seq bool))
    (radius multiplier_radius high : fraction N)
| SupportFact (tokens : seq (seq bool)) (exact : option (vector N))
| RunFact (loss : loss_name) (steps : specification N)
    (path : seq (place N))   (* the places passed, if they were kept *)
    (places : Z) (passed : seq (nat * orbit N))   (* its orbits at the checkpoints *)
| NormFact (norm : entrywise_norm) (matrix : seq (seq N)) (unit : N) (distance low high : fraction N)
| NuclearFact (low : fraction N) (matrix : seq (seq N)) (unit : N)
| FactoredFact (loss : loss_name) (training : factored_training N)
    (points : seq (factored_point N))   (* at its checkpoints *)
| MirrorFact (exponent : positive * positive) (loss : loss_name) (steps : specification N)
    (points : seq (mirror_point N))   (* at its checkpoints *)
| PairFact (trained : pair_training N) (points : seq (nat * pair_state N))   (* at its checkpoints; Posed.v *)
| TokenFact (pairs : seq (nat * nat)) (training : token_training N)
    (points : seq (token_point N))   (* at its checkpoints *)
| TokenFutureFact (solution : nat) (pairs : seq (nat * nat)) (training : token_training N) (step : nat)
    (point : tree N) (said : token_future N)   (* solution: the claim about it; the step's entries *).

Variables (D : token_data N) (picks : seq nat) (alpha : selection (problem D)).
Notation tokens_of mask := (@in_mask N D mask).
Notation values v := (@coefficient_of N D v).

(* Of every training of the attention stage: what is next to tokens is what the pairs say, selected tokens have the
   outputs y next to them. *)
Definition trained_tokens (pairs : seq (nat * nat)) (r : token_training N)
    (holds : head (problem D) -> (nat -> vec (coord (problem D))) -> Prop) : Prop :=
  forall y : group (problem D) -> 'I_(left_dimension D), (forall i, next_token pairs (alpha i) = Some (y i)) ->
  let h := token_head (next_token pairs) y (frozen_scale D pairs r) in
  forall w, w O = vzero -> head_follows h 0 NormalisedSteps (fun=> fraction_real (attended_step r)) w -> holds h w.

Definition fact_meaning (f : fact) : Prop :=
  match f with
  | Nothing => True
  | FeasibleFact v m => [/\ vector_ok D picks v, m = margins D picks v & separates alpha (W alpha (values v))]
  | InfeasibleFact => ~ feasible alpha
  | ExactFact v w m => [/\ vector_ok D picks v, w = weights D picks v, m = margins D picks v &
                        solution_with alpha (W alpha (values v)) (values v)]
  | GapFact v m r high => [/\ vector_ok D picks v, m = margins D picks v, fraction_ok r &
                      exists lo, gap_enclosure alpha lo (fraction_real high) (fraction_real r) (W alpha (values v))]
  | BallFact v w m mask r q high => [/\ vector_ok D picks v, w = weights D picks v /\ m = margins D picks v,
      mask_ok D picks mask, fraction_ok r & [/\ 0 <= fraction_real r, 0 <= fraction_real q &
       exists lo, ball_enclosure alpha (tokens_of mask) (values v) lo (fraction_real high)
                    (fraction_real r * fraction_real r) (fraction_real q)]]
  | SupportFact mask (Some v) => [/\ vector_ok D picks v, support_check D picks v (margins D picks v) mask,
                                  support_is alpha (tokens_of mask) &
                                  solution_with alpha (W alpha (values v)) (values v)]
  | SupportFact mask None => [/\ mask_ok D picks mask, support_is alpha (tokens_of mask) & strictly_complementary alpha]
  | RunFact l s path F passed => exists ws, [/\ max_margin alpha ws, 0 < vnorm ws &
      forall b : selection (problem D), best b -> let least := least_loss b (loss_of l) in
      path_encloses ws (@trajectory N D l s least) path /\
      forall t o, List.In (t, o) passed -> reaches_orbit D l s F least t o]
  | NormFact n m u r lo hi => exists a c, [/\ n = PowerNorm a c, (c < a)%positive,
      shaped (left_dimension D) (right_dimension D) m, 0 < real u & fraction_ok r /\
      exists z, [/\ only_shortest alpha (@norm_value n _) z,
        norm_value n (@matrix_real N D m (real u) - z)%V <= fraction_real r &
        fraction_real lo <= norm_value n z <= fraction_real hi]]
  | NuclearFact lo m u => (forall w, separates alpha w ->
      fraction_real lo <= @nuclear_norm [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)] w) /\
      separates alpha (@matrix_real N D m (real u))
  | FactoredFact l r points => forall b : selection (problem D), best b -> forall x, List.In x points ->
      let s := @factored_trajectory N D l r x.1 in
      contains x.2.1 (training_loss (p := problem D) (loss_of l) (pair_product s) - least_loss b (loss_of l)) /\
      contains x.2.2 (factors_square s)
  | MirrorFact e l s points => forall x, List.In x points ->
      matrix_encloses x.2 (@mirror_trajectory N D l s e.1 e.2 x.1)
  | PairFact _ _ => True
  | TokenFact pairs r points => trained_tokens pairs r (fun h w => forall x, List.In x points ->
      @tree_encloses N D x.2.1 (w x.1) /\ contains x.2.2 (head_loss h (w x.1) - frozen_least D pairs r))
  | TokenFutureFact _ pairs r t T c => trained_tokens pairs r (fun h w => @tree_encloses N D T (w t) /\
      forall ws, max_margin alpha ws -> token_lasts alpha h (frozen_least D pairs r)
        (fraction_real (attended_step r)) ws c (fun n => w (t + n)%nat))
  end.
End Facts.

Arguments Nothing {N}.
Arguments InfeasibleFact {N}.

(* What is known of that step, of a fact's points. *)
Fixpoint found_at (A : Type) (t : nat) (points : seq (nat * A)) : option A :=
  if points is (s, x) :: rest then if s == t then Some x else found_at t rest else None.

Lemma found_at_in (A : Type) t (points : seq (nat * A)) x : found_at t points = Some x -> List.In (t, x) points.
Proof. by elim: points => //= -[s y] rest IH; case: eqP => [-> [->] | _ /IH]; [left | right]. Qed.

(* The fact, if the check answers true. *)
Definition accept (N : number) (checked : bool) (f : fact N) : option (fact N) := if checked then Some f else None.

Lemma acceptP (N : number) (checked : bool) (f g : fact N) : accept checked f = Some g -> checked /\ f = g.
Proof. by rewrite /accept; case: checked => // -[]. Qed.

(* ---- kinds ---- *)

(* What a claim says of the selection of its problem, and how it is checked: picks are the tokens of that selection,
   cited k is what claim k has established about this problem, quick are the quick entries of eigenvalue bounds. *)
Definition claim_statement (N : number) (data : Type) : Type :=
  forall D : token_data N, selection (problem D) -> data -> Prop.
Definition claim_checker (N : number) (data : Type) : Type :=
  entries N -> token_data N -> seq nat -> (nat -> fact N) -> data -> option (fact N).

(* If the check accepts, the claim and the fact hold. *)
Definition check_holds (N : number) (data : Type) (says : claim_statement N data) (check : claim_checker N data)
  : Prop :=
  forall quick (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) cited x f,
  (forall k, fact_meaning picks (selection_of Pok) (cited k)) -> check quick D picks cited x = Some f ->
  says D (selection_of Pok) x /\ fact_meaning picks (selection_of Pok) f.

Record claim_kind (N : number) := ClaimKind {
  kind_data : Type;
  kind_says : claim_statement N kind_data;
  kind_check : claim_checker N kind_data;
  kind_holds : check_holds kind_says kind_check
}.

(* A claim that needs its problem's loss. *)
Definition for_loss (l : option loss_name) (says : loss_name -> Prop) : Prop := if l is Some l then says l else False.

Lemma support_fact (N : number) (D : token_data N) picks (alpha : selection (problem D)) mask exact :
  fact_meaning picks alpha (SupportFact mask exact) -> mask_ok D picks mask /\ support_is alpha (@in_mask N D mask).
Proof. by case: exact => [v [_ /andP[mok _] H _] | [mok H _]]. Qed.

(* ---- the solution, as a fact has it ---- *)

Section Solutions.
Variables (N : number) (D : token_data N) (picks : seq nat) (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation values v := (@coefficient_of N D v).

(* A vector whose combination is as close to the solution as the interval says, P bits of it. *)
Definition close_solution (P : Z) (f : fact N) : option (vector N * interval N) :=
  match f with
  | ExactFact v _ _ => Some (v, interval0 N)
  | GapFact v _ q _ => Some (v, isqrt P (claimed P q))
  | BallFact v _ _ _ q _ _ => Some (v, isqrt P (claimed P (square q)))
  | _ => None
  end.

Lemma close_solutionP P f v I : fact_meaning picks alpha f -> close_solution P f = Some (v, I) ->
  exists ws x, [/\ vector_ok D picks v, max_margin alpha ws, contains I x & vnorm (W alpha (values v) - ws)%V <= x].
Proof.
case: f => // [w m' m | w m q high | w m' m mask q R high] /=.
- move=> [vok _ _ [M _]] [<- <-]; exists (W alpha (values w)), 0; split=> //; first exact: contains0.
  by rewrite (_ : (_ - _)%V = vzero) ?vnorm0; [right | vec_ring].
- move=> [vok _ _ [lo [ws [M _ near]]]] [<- <-]; exists ws, (sqrt (fraction_real q)); split=> //.
    exact: (isqrt_contains _ (claimed_contains _ q)).
  exact: (sqrt_le_1_alt _ _ near).
move=> [vok _ mok qok [_ _ [lo [ws [lam [[M _] _ _ [near _] _]]]]]] [<- <-].
rewrite -square_real // in near; exists ws, (sqrt (fraction_real (square q))); split=> //.
  exact: (isqrt_contains _ (claimed_contains _ (square q))).
exact: (sqrt_le_1_alt _ _ near).
Qed.

(* The vector and its margins, where its multipliers are positive, and how far it and they are from the solution's. *)
Record located_solution := LocatedSolution {
  located_vector : vector N; located_margins : seq (seq N); located_mask : seq (seq bool);
  located_distance : interval N; located_multiplier_distance : interval N
}.

Definition locate_solution (f : fact N) : option located_solution :=
  match f with
  | ExactFact v _ m => Some (LocatedSolution v m (multiplier_mask v) (interval0 N) (interval0 N))
  | BallFact v _ m mask r q _ =>
      Some (LocatedSolution v m mask (fraction_in forever_precision r) (fraction_in forever_precision q))
  | _ => None
  end.

Lemma locate_solutionP f s : fact_meaning picks alpha f -> locate_solution f = Some s ->
  let v := located_vector s in
  exists x y ws lam, [/\ vector_ok D picks v, located_margins s = margins D picks v,
    solved Pok v (located_mask s) x y ws lam, contains (located_distance s) x &
    contains (located_multiplier_distance s) y].
Proof.
case: f => // [v w m | v w m mask r q high] /=.
  move=> [vok _ mE sol] [<-]; exists 0, 0, (W alpha (values v)), (values v).
  by split=> //; [exact: solved_exact | exact: contains0 | exact: contains0].
move=> [vok [_ mE] mok rok [r0 q0 [lo B]]] [<-]; have [ws [lam sol]] := solved_ball mok r0 q0 B.
by exists (fraction_real r), (fraction_real q), ws, lam; split=> //; exact: fraction_in_contains.
Qed.

(* A bound of ||W||^2 for some W that separates. *)
Definition separating_norm (f : fact N) : option (fraction N) :=
  match f with
  | FeasibleFact v m | ExactFact v _ m => Some (Fraction (energy v m) (mul (weight_unit D v) (weight_unit D v)))
  | GapFact _ _ _ high | BallFact _ _ _ _ _ _ high => Some high
  | _ => None
  end.

Lemma separating_normP f q : fact_meaning picks alpha f -> separating_norm f = Some q ->
  exists w, separates alpha w /\ vnorm2 w <= fraction_real q.
Proof.
case: f => // [v m | v w m | v m r high | v w m mask r q' high] /=.
- by move=> [vok -> sep] [<-]; exists (W alpha (values v)); split=> //; right; exact: energy_value.
- by move=> [vok _ -> [[sep _] _]] [<-]; exists (W alpha (values v)); split=> //; right; exact: energy_value.
- by move=> [_ _ _ [lo [ws [[sep _] [_ hi] _]]]] [<-]; exists ws.
by move=> [_ _ _ _ [_ _ [lo [ws [lam [[[sep _] _] _ _ _ [_ hi]]]]]]] [<-]; exists ws.
Qed.
End Solutions.
