(* Certificates: the verified checker for the claims of a certificate, and its soundness theorem.

   A certificate is a list of problems (selections) and a list of claims with evidence. What claims say, how they
   are checked and why that is sound is the table's: `row` gives for each claim its kind (a record, ClaimKind.v),
   one line a kind. check_certificate folds over the claims, keeping the facts that accepted claims establish. If it
   accepts, every claim holds of the real selection problem of the instance.

   A new kind is a file like those beside this one, a constructor of `claim` and a line of `row`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Number Rows Entries TokenData Instances EqualTokens MarginChecks
                           OptimalityChecks GramBound EnclosureChecks RankChecks AttentionIntervals ForeverChecks ForeverEvidence ForeverClaims RunClaims ClaimKind
                           FeasibilityKinds SolutionKinds SupportKinds OptimalityKinds RankKind LossKinds RunKinds ForeverKinds
                           RegularisationPathKind SeparabilityKinds.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Certificates.
Variables (N : number) (quick : entries N).   (* the quick entries of eigenvalue bounds *)

(* ---- the table of claims ---- *)

(* Problems and cited claims are numbered from 0 here; tokens are (group, token) pairs. *)
Inductive claim :=
| Feasible (problem : nat) (separator : vector N)
| Infeasible (problem : nat) (farkas : vector N)
| Optimal (problem : nat) (norm_squared : fraction N) (multipliers : vector N)
| EnclosureGap (problem : nat) (lo hi distance_squared : fraction N) (primal dual : vector N)
| EnclosureBall (problem : nat) (lo hi radius multiplier_radius lambda_min : fraction N) (active : seq (seq bool))
    (multipliers : vector N) (hints : gram_hints N)
| Support (problem cited : nat) (tokens : seq (seq bool))
| StrictlyComplementary (problem cited : nat) (multipliers : option (vector N))
| NotStrictlyComplementary (problem cited group token : nat) (direction : vector N)
| LocallyOptimal (problem cited : nat)
| NotLocallyOptimal (problem cited : nat) (at_token : option (nat * nat))
| GloballyOptimal (problem : nat)
| NotGloballyOptimal (problem group token : nat)
| ScoreTie (problem group token other : nat)
| Rank (problem cited rank : nat) (lower : rank_lower N) (upper : rank_upper)
| SmoothnessBound (problem : nat) (loss : option loss_name) (beta : fraction N)   (* the problem's loss; None: none *)
| Run (problem cited : nat) (run : run_claim N)
| PathInequality (problem cited : nat) (run : run_claim N) (from until : nat) (constant : fraction N)   (* the run cited *)
| ForeverFromPoint (problem cited : nat) (loss : option loss_name) (steps : step_rule N) (start : origin N)
    (evidence : forever_evidence N) (said : conclusion N)
| ForeverFromRun (problem cited : nat) (run : run_claim N) (step : nat)   (* the run cited *)
    (evidence : forever_evidence N) (said : conclusion N)
| Stationary (problem : nat) (loss : option loss_name) (start : origin N)
| RegularisationPath (problem cited : nat) (loss : option loss_name) (from constant : fraction N)
| InfeasibleSpanning (problem : nat) (combination : vector N) (lambda_min : fraction N) (spanning : seq (seq bool))
    (hints : gram_hints N)
| MarginAtMost (problem : nat) (bound : fraction N) (combination : vector N)
| Conflicts (problem : nat) (conflicts : seq (seq nat * vector N))   (* groups, and a vector over their constraints *)
| SeparableWithout (problem : nat) (left_out : seq nat) (separator : vector N)
| RobustRadius (problem cited : nat) (radius : fraction N) (queries_move : bool).

(* A claim of a kind about a problem. *)
Record stated_claim := Stated { stated_problem : nat; stated_kind : claim_kind N; stated_data : kind_data stated_kind }.

Definition row (c : claim) : stated_claim :=
  match c with
  | Feasible p v => @Stated p (feasible_kind N) v
  | Infeasible p v => @Stated p (infeasible_kind N) v
  | Optimal p q v => @Stated p (optimal_kind N) (OptimalData q v)
  | EnclosureGap p lo hi r v w => @Stated p (gap_kind N) (GapData lo hi r v w)
  | EnclosureBall p lo hi r q s mask v h => @Stated p (ball_kind N) (BallData lo hi r q s mask v h)
  | Support p k mask => @Stated p (support_kind N) (SupportData k mask)
  | StrictlyComplementary p k mu => @Stated p (strict_kind N) (StrictData k mu)
  | NotStrictlyComplementary p k i s x => @Stated p (not_strict_kind N) (NotStrictData k i s x)
  | LocallyOptimal p k => @Stated p (local_kind N) k
  | NotLocallyOptimal p k at_token => @Stated p (not_local_kind N) (NotLocalData k at_token)
  | GloballyOptimal p => @Stated p (global_kind N) tt
  | NotGloballyOptimal p i s => @Stated p (not_global_kind N) (NotGlobalData i s)
  | ScoreTie p i s u => @Stated p (tie_kind N) (TieData i s u)
  | Rank p k r lower upper => @Stated p (rank_kind N) (RankData k r lower upper)
  | SmoothnessBound p l beta => @Stated p (smoothness_kind N) (SmoothnessData l beta)
  | Run p k r => @Stated p (run_kind N) (RunData k r)
  | PathInequality p k r from until M => @Stated p (path_kind N) (PathData k r from until M)
  | ForeverFromPoint p k l s m e c => @Stated p (point_kind N) (PointData k l s m e c)
  | ForeverFromRun p k r t e c => @Stated p (from_run_kind N) (FromRunData k r t e c)
  | Stationary p l m => @Stated p (stationary_kind N) (StationaryData l m)
  | RegularisationPath p k l F K => @Stated p (regularisation_kind N) (RegularisationData k l F K)
  | InfeasibleSpanning p v s mask h => @Stated p (spanning_kind N) (SpanningData v s mask h)
  | MarginAtMost p q v => @Stated p (margin_at_most_kind N) (MarginAtMostData q v)
  | Conflicts p cs => @Stated p (conflicts_kind N) cs
  | SeparableWithout p out v => @Stated p (separable_without_kind N) (SeparableWithoutData out v)
  | RobustRadius p k r queries_move => @Stated p (robust_kind N) (RobustData k r queries_move)
  end.

Definition claim_problem (c : claim) : nat := stated_problem (row c).

Definition claim_meaning (D : token_data N) (alpha : selection (problem D)) (c : claim) : Prop :=
  kind_says alpha (stated_data (row c)).

Definition check_claim (D : token_data N) (picks : seq nat) (cited : nat -> fact N) (c : claim) : option (fact N) :=
  kind_check quick D picks cited (stated_data (row c)).

Theorem check_claim_sound (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) cited c f :
  (forall k, fact_meaning picks (selection_of Pok) (cited k)) -> check_claim D picks cited c = Some f ->
  claim_meaning (selection_of Pok) c /\ fact_meaning picks (selection_of Pok) f.
Proof. exact: kind_holds. Qed.

(* ---- whole certificates ---- *)

(* The data that the claims about an instance speak of: equal tokens of a sequence are one (EqualTokens.v), which changes
   nothing of the model (MergedTokens.v). *)
Definition data_of (I : instance N) : token_data N := merged (token_data_of I).

Record certificate := Certificate { problems : seq (seq nat); claims : seq claim }.

(* Facts are about a problem each; a claim sees those about its own. *)
Definition cited_fact (facts : seq (nat * fact N)) (p : nat) (k : nat) : fact N :=
  let pf := nth (0%nat, Nothing) facts k in if pf.1 == p then pf.2 else Nothing.

(* The number of the first claim that is not accepted, or nothing. *)
Fixpoint first_rejected (D : token_data N) (ps : seq (seq nat)) (facts : seq (nat * fact N)) (cs : seq claim) : option nat :=
  if cs is c :: cs' then
    let p := claim_problem c in
    if (p < size ps)%nat then
      if check_claim D (nth [::] ps p) (cited_fact facts p) c is Some f then first_rejected D ps (rcons facts (p, f)) cs'
      else Some (size facts)
    else Some (size facts)
  else None.

Definition check_certificate (I : instance N) (C : certificate) : bool :=
  let raw := token_data_of I in
  let D := merged raw in
  [&& [&& instance_ok I, merging_ok raw & data_ok D], all (picks_ok D) (problems C), (0 < size (claims C))%nat &
      ~~ isSome (first_rejected D (problems C) [::] (claims C))].

(* The claim holds of the selection problem that the instance defines, for the selection of its problem. *)
Definition claim_holds (I : instance N) (ps : seq (seq nat)) (c : claim) : Prop :=
  exists alpha : selection (problem (data_of I)),
    [/\ (claim_problem c < size ps)%nat, selects alpha (nth [::] ps (claim_problem c)) & claim_meaning alpha c].

Lemma first_rejected_sound (I : instance N) ps facts cs : data_ok (data_of I) -> all (picks_ok (data_of I)) ps ->
  (forall p (Pok : picks_ok (data_of I) (nth [::] ps p)) k, (p < size ps)%nat ->
     fact_meaning (nth [::] ps p) (selection_of Pok) (cited_fact facts p k)) ->
  first_rejected (data_of I) ps facts cs = None -> forall j c0, (j < size cs)%nat -> claim_holds I ps (nth c0 cs j).
Proof.
move=> Dok Hps; elim: cs facts => [|c cs IH] facts Hfacts //=.
case: ifP => // pl; case Ec: (check_claim _ _ _ _) => [f|] // rest.
have Pok := all_nthP [::] Hps _ pl.
have [holds Hf] := check_claim_sound Dok (fun k => Hfacts _ Pok k pl) Ec.
case=> [|j] c0 /=; first by move=> _; exists (selection_of Pok); split=> //; apply: selection_of_selects.
rewrite ltnS => jl; apply: (IH _ _ rest) => // p Pp k pp; rewrite /cited_fact nth_rcons.
case: ltnP => [_ | _]; first exact: Hfacts.
case: (k == size facts) => /=; last by case: ifP.
case: (altP (claim_problem c =P p)) => [E | _] //; move: Pp pp; rewrite -E => Pp _.
by rewrite (bool_irrelevance Pp Pok).
Qed.

(* If the checker accepts, every claim of the certificate holds. *)
Theorem check_certificate_sound (I : instance N) (C : certificate) : check_certificate I C ->
  forall j c0, (j < size (claims C))%nat -> claim_holds I (problems C) (nth c0 (claims C) j).
Proof.
case/and4P=> /and3P[_ _ Dok] Hps _.
case E: (first_rejected _ _ _ _) => // _ j c0; apply: (first_rejected_sound Dok Hps) E _ _ => p Pok k _.
by rewrite /cited_fact nth_nil /=; case: ifP.
Qed.
End Certificates.
