(* Certificates: the verified checker for the claims of a certificate, and its soundness theorem.

   A certificate is a list of problems (Posed.v) and a list of claims with evidence. What claims say, how they
   are checked and why that is sound is the table's: `row` gives for each claim its kind (a record, ClaimKind.v),
   one line a kind. check_certificate folds over the claims, keeping the facts that accepted claims establish. If it
   accepts, every claim holds of the real problem that the instance and the certificate's problem define.

   A new kind is a file like those beside this one, a constructor of `claim` and a line of `row`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Number Rows Entries TokenData Instances EqualTokens MergedTokens
                           MarginChecks OptimalityChecks GramBound EnclosureChecks RankChecks NormChecks
                           AttentionIntervals Replay LabelMarginsChecks ForeverChecks ForeverEvidence ForeverClaims
                           RunClaims ClaimKind FeasibilityKinds SolutionKinds SupportKinds OptimalityKinds RankKind
                           LossKinds RunKinds ForeverKinds RegularisationPathKind PathResidualKind SeparabilityKinds
                           NormKinds NormPathKind NearRankKind NormFaceKind NuclearSolutionKind DecoderData Posed
                           SensedKinds FinitePartKinds RunFinitePartKind LabelMarginsKind MirrorRunChecks MirrorRunKind
                           MirrorForeverKind JointPathChecks JointPathKind JointIteration JointRunKind
                           JointForeverChecks JointForeverKind OutputKinds OutputPathKind OutputForever TokenRayKind
                           FactoredRunChecks FactoredRunKind FactoredForeverKind TokenRunChecks TokenRunKind TokenSees
                           TokenForeverChecks TokenForeverKind TokenShiftChecks TokenShiftKind.

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
| PathInequality (problem cited : nat) (run : run_claim N) (from until : nat) (constant : fraction N)   (* that run *)
| ForeverFromPoint (problem cited : nat) (loss : option loss_name) (steps : step_rule N) (start : origin N)
    (evidence : forever_evidence N) (said : conclusion N)
| ForeverFromRun (problem cited ran : nat) (run : run_claim N) (step : nat)   (* ran: the claim about this run *)
    (evidence : forever_evidence N) (said : conclusion N)
| Stationary (problem : nat) (loss : option loss_name) (start : origin N)
| RegularisationPath (problem cited : nat) (loss : option loss_name) (from constant : fraction N)
| PathResidual (problem cited : nat) (loss : option loss_name) (from residual lambda_min : fraction N)
    (hints : gram_hints N) (pull : vector N)
| InfeasibleSpanning (problem : nat) (combination : vector N) (lambda_min : fraction N) (spanning : seq (seq bool))
    (hints : gram_hints N)
| MarginAtMost (problem : nat) (bound : fraction N) (combination : vector N)
| Conflicts (problem : nat) (conflicts : seq (seq nat * vector N))   (* groups, and a vector over their constraints *)
| SeparableWithout (problem : nat) (left_out : seq nat) (separator : vector N)
| RobustRadius (problem cited : nat) (radius : fraction N) (queries_move : bool)
| JointAttention (problem cited : nat)
| NormOptimum (problem : nat) (norm : entrywise_norm) (lo hi : fraction N) (rows : seq (seq N)) (unit : N)
    (multipliers : vector N) (dual_bound : fraction N) (bits : Z) (distance : option (fraction N))
| NuclearOptimum (problem : nat) (lo hi : fraction N) (rank : nat) (left : seq (seq N)) (left_unit : N)
    (right : seq (seq N)) (right_unit : N) (multipliers : vector N) (dual_bound : fraction N) (bits : Z)
| NormSupportWithin (problem : nat) (norm : option entrywise_norm) (cited : nat) (tokens : seq (seq bool))
| NormLocallyOptimal (problem : nat) (norm : option entrywise_norm) (cited : nat)
| NormPath (problem cited : nat) (norm : option entrywise_norm) (loss : option loss_name)
    (evidence : option (norm_evidence N))   (* of the claim cited *) (from constant : fraction N)
| NormNearRank (problem cited : nat) (known : option (nuclear_data N))   (* of the claim cited *)
    (rank : nat) (distance : fraction N) (left : seq (seq N)) (left_unit : N) (right : seq (seq N)) (right_unit : N)
    (dual_bound : fraction N) (bits : Z) (slope step : fraction N)
| NormFace (problem cited : nat) (norm : entrywise_norm) (said : norm_face_data N)   (* with what that claim shows *)
| NormSolution (problem : nat) (evidence : solution_data N)
| FinitePart (problem : nat) (lo hi radius : fraction N) (ratios : seq (seq (option (fraction N)))) (bits : Z)
    (spanning : seq (seq bool)) (lambda_min : fraction N) (hints : gram_hints N) (coefficients : vector N)
    (bases : seq N) (combinations : seq (vector N))
| NoFinitePart (problem : nat) (ratios : seq (seq (option (fraction N)))) (bits : Z) (combination : vector N)
| RunFinitePart (problem : nat) (said : run_finite_data N)
| LabelMargins (problem cited solution : nat)   (* the claims about the support and the solution *) (nu : fraction N)
    (multipliers : seq (vector N)) (cover : seq (cover_node N))
| JointPath (problem cited : nat) (margins : label_margins_data N)   (* of the claim about label margins *)
    (plain : option nat) (loss : loss_name) (constants : joint_constants N)
| MirrorRun (problem : nat) (exponent : positive * positive) (cited : option nat) (loss : loss_name)
    (run : specification N) (steps : nat) (inequality : option (fraction N * nat))
    (checkpoints : seq (mirror_checkpoint N)) (bits : Z)
| JointRun (problem : nat) (solution decoder : option nat) (trained : pair_training N) (steps : nat)
    (checkpoints : seq (pair_checkpoint N)) (bits : Z)
| JointForever (problem cited support decoder ran : nat)   (* claims about solutions, a support and a run *)
    (trained : pair_training N) (step : nat) (region : pair_region N) (values : decoder_future N)
    (rows : attention_future N)
| TokenRay (problem : nat) (step : fraction N) (checkpoints : seq (ray_checkpoint N))
| TokenRun (problem : nat) (cited : option nat) (pairs : seq (nat * nat))   (* tokens, and what is next to them *)
    (training : token_training N) (steps : nat) (checkpoints : seq (token_checkpoint N)) (bits : Z)
| TokenForever (problem solution ran : nat) (pairs : seq (nat * nat)) (training : token_training N)   (* that run *)
    (step : nat) (said : token_future N) (square : N) (vectors : seq (column_vectors N))
| TokenShift (problem solution : nat) (future : option (nat * (token_training N * nat)))   (* later steps of that run *)
    (pairs : seq (nat * nat)) (sentences : seq shifted_sentence)
| FactoredRun (problem : nat) (cited : option nat)
    (nuclear : option (nat * (seq (seq N) * N)))   (* a claim about the nuclear norm, its matrix over a unit *)
    (loss : loss_name) (training : factored_training N) (steps : nat) (checkpoints : seq (factored_checkpoint N))
    (bits : Z)
| FactoredForever (problem cited : nat) (loss : loss_name) (training : factored_training N)   (* that claim's run *)
    (step : nat) (slope growth attention drift : fraction N)
    (share : option (nat * fraction N))   (* a claim about the nuclear norm *)
| MirrorForever (problem : nat) (said : mirror_forever_data N).

(* A claim of a kind about a problem. *)
Record stated_claim := Stated {
  stated_problem : nat; stated_kind : posed_kind N; stated_data : posed_kind_data stated_kind
}.

Definition row (c : claim) : stated_claim :=
  match c with
  | Feasible p v => @Stated p (feasible_rows N) v
  | Infeasible p v => @Stated p (infeasible_rows N) v
  | Optimal p q v => @Stated p (optimal_rows N) (OptimalData q v)
  | EnclosureGap p lo hi r v w => @Stated p (gap_of_rows N) (GapData lo hi r v w)
  | EnclosureBall p lo hi r q s mask v h => @Stated p (ball_rows N) (BallData lo hi r q s mask v h)
  | Support p k mask => @Stated p (support_rows N) (SupportData k mask)
  | StrictlyComplementary p k mu => @Stated p (strict_rows N) (StrictData k mu)
  | NotStrictlyComplementary p k i s x => @Stated p (not_strict_rows N) (NotStrictData k i s x)
  | LocallyOptimal p k => @Stated p (local_by_scoring N) k
  | NotLocallyOptimal p k at_token => @Stated p (not_local_by_scoring N) (NotLocalData k at_token)
  | GloballyOptimal p => @Stated p (global_by_scoring N) tt
  | NotGloballyOptimal p i s => @Stated p (not_global_by_scoring N) (NotGlobalData i s)
  | ScoreTie p i s u => @Stated p (attention_kind (tie_kind N)) (TieData i s u)
  | Rank p k r lower upper => @Stated p (rank_rows N) (RankData k r lower upper)
  | SmoothnessBound p l beta => @Stated p (smoothness_by_scoring N) (SmoothnessData l beta)
  | Run p k r => @Stated p (run_by_scoring N) (RunData k r)
  | PathInequality p k r from until M => @Stated p (path_by_scoring N) (PathData k r from until M)
  | ForeverFromPoint p k l s m e c => @Stated p (point_by_scoring N) (PointData k l s m e c)
  | ForeverFromRun p k j r t e c => @Stated p (from_run_by_scoring N) (FromRunData k j r t e c)
  | Stationary p l m => @Stated p (attention_kind (stationary_kind N)) (StationaryData l m)
  | RegularisationPath p k l F K => @Stated p (regularisation_by_scoring N) (RegularisationData k l F K)
  | PathResidual p k l F X s h v =>
      @Stated p (attention_kind (path_residual_kind N)) (PathResidualData k l F X s h v)
  | InfeasibleSpanning p v s mask h => @Stated p (spanning_of_rows N) (SpanningData v s mask h)
  | MarginAtMost p q v => @Stated p (margin_at_most_rows N) (MarginAtMostData q v)
  | Conflicts p cs => @Stated p (attention_kind (conflicts_kind N)) cs
  | SeparableWithout p out v => @Stated p (attention_kind (separable_without_kind N)) (SeparableWithoutData out v)
  | RobustRadius p k r queries_move => @Stated p (attention_kind (robust_kind N)) (RobustData k r queries_move)
  | JointAttention p k => @Stated p (joint_kind N) k
  | NormOptimum p n lo hi rows unit v b bits r =>
      @Stated p (attention_kind (entrywise_kind N)) (EntrywiseData n lo hi rows unit v b bits r)
  | NuclearOptimum p lo hi r K uk Q uq v b bits =>
      @Stated p (attention_kind (nuclear_kind N)) (NuclearData lo hi r K uk Q uq v b bits)
  | NormSupportWithin p n k mask => @Stated p (attention_kind (norm_within_kind N)) (NormWithinData n k mask)
  | NormLocallyOptimal p n k => @Stated p (norm_local_by_scoring N) (NormLocalData n k)
  | NormPath p k n l e F K => @Stated p (attention_kind (norm_path_kind N)) (NormPathData e l F K)
  | NormNearRank p k known r x C uc Y uy b bits s t =>
      @Stated p (attention_kind (near_rank_kind N)) (NearRankData known r x C uc Y uy b bits s t)
  | NormFace p k n x => @Stated p (attention_kind (norm_face_kind N)) x
  | NormSolution p x => @Stated p (attention_kind (nuclear_solution_kind N)) x
  | FinitePart p lo hi r ratios bits mask s h v bases ys =>
      @Stated p (finite_part_kind N) (FinitePartData lo hi r ratios bits mask s h v bases ys)
  | NoFinitePart p ratios bits y => @Stated p (no_finite_part_kind N) (NoFinitePartData ratios bits y)
  | RunFinitePart p x => @Stated p (run_finite_kind N) x
  | LabelMargins p k j nu vs nodes => @Stated p (label_margins_kind N) (LabelMarginsData k j nu vs nodes)
  | JointPath p k M plain l c => @Stated p (joint_path_kind N) (JointPathData k M plain l c)
  | MirrorRun p e k l s n q ks bits =>
      @Stated p (attention_kind (mirror_run_kind N)) (MirrorRunData e k l s n q ks bits)
  | JointRun p a d T n ks bits => @Stated p (joint_run_kind N) (JointRunData a d T n ks bits)
  | JointForever p k m d j T t r a b => @Stated p (joint_forever_kind N) (JointForeverData k m d j T t r a b)
  | TokenRay p s ks => @Stated p (attention_kind (ray_kind N)) (RayData s ks)
  | TokenRun p k pairs r n ks bits => @Stated p (attention_kind (token_run_kind N)) (TokenRunData k pairs r n ks bits)
  | TokenForever p k j pairs r t c q vs =>
      @Stated p (attention_kind (token_forever_kind N)) (TokenForeverData k j pairs r t c q vs)
  | TokenShift p k j pairs ss => @Stated p (attention_kind (token_shift_kind N)) (TokenShiftData k j pairs ss)
  | FactoredRun p k j l r n ks bits =>
      @Stated p (attention_kind (factored_run_kind N)) (FactoredRunData k j l r n ks bits)
  | FactoredForever p k l r t a mu att y q =>
      @Stated p (attention_kind (factored_forever_kind N)) (FactoredForeverData k l r t a mu att y q)
  | MirrorForever p x => @Stated p (attention_kind (mirror_forever_kind N)) x
  end.

Definition claim_problem (c : claim) : nat := stated_problem (row c).

Definition claim_meaning (I : instance N) (p : posed) (D : token_data N) (alpha : selection (problem D)) (c : claim) :
    Prop :=
  posed_says I p alpha (stated_data (row c)).

Definition check_claim (I : instance N) (p : posed) (D : token_data N) (picks : seq nat) (cited : nat -> fact N)
    (others : nat -> option (posed * fact N)) (c : claim) : option (fact N) :=
  posed_check quick I p D picks cited others (stated_data (row c)).

Theorem check_claim_sound I E p (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) cited others c f :
  poses I E p D picks -> (forall k, posed_fact (posing_of p) picks (selection_of Pok) (cited k)) ->
  (forall k pf, others k = Some pf -> fact_about I E pf /\ pairs_known I pf.2) ->
  check_claim I p D picks cited others c = Some f ->
  claim_meaning I p (selection_of Pok) c /\ posed_fact (posing_of p) picks (selection_of Pok) f /\ pairs_known I f.
Proof. exact: posed_holds. Qed.

(* ---- whole certificates ---- *)

Record certificate := Certificate { problems : seq posed; claims : seq claim }.

Definition no_problem : posed := Posed Attention [::].

(* Facts are about a problem each; a claim sees those about its own, and others with what they are about. *)
Definition cited_fact (facts : seq (nat * fact N)) (p : nat) (k : nat) : fact N :=
  let pf := nth (0%nat, Nothing) facts k in if pf.1 == p then pf.2 else Nothing.

Definition other_fact (own : pred nat) (ps : seq posed) (facts : seq (nat * fact N)) (k : nat) :
    option (posed * fact N) :=
  let pf := nth (0%nat, Nothing) facts k in
  if (k < size facts)%nat && own pf.1 then Some (nth no_problem ps pf.1, pf.2) else None.

(* The number of the first claim that is not accepted, or nothing; D are the data of the instance. Claims about
   problems of which `own` does not hold are passed over, and none sees what they say. *)
Fixpoint first_rejected (own : pred nat) (I : instance N) (D : token_data N) (ps : seq posed)
    (facts : seq (nat * fact N)) (cs : seq claim) : option nat :=
  if cs is c :: cs' then
    let p := claim_problem c in
    let q := nth no_problem ps p in
    if own p then
      if (p < size ps)%nat then
        if check_claim I q (posed_data_in I D q) (posed_picks I q) (cited_fact facts p) (other_fact own ps facts) c
          is Some f then first_rejected own I D ps (rcons facts (p, f)) cs'
        else Some (size facts)
      else Some (size facts)
    else first_rejected own I D ps (rcons facts (p, Nothing)) cs'
  else None.

Definition any_problem : pred nat := xpredT.

Definition check_certificate (I : instance N) (C : certificate) : bool :=
  let raw := token_data_of I in
  let D := merged raw in
  [&& [&& instance_ok I, merging_ok raw & data_ok D], all (posed_ok_in I D) (problems C), (0 < size (claims C))%nat &
      ~~ isSome (first_rejected any_problem I D (problems C) [::] (claims C))].

(* The claim holds of its problem, which the instance defines, E its data. *)
Definition claim_holds_in (I : instance N) (E : token_data N) (ps : seq posed) (c : claim) : Prop :=
  let q := nth no_problem ps (claim_problem c) in
  exists alpha : selection (problem (posed_data_in I E q)),
    [/\ (claim_problem c < size ps)%nat, selects alpha (posed_picks I q) & claim_meaning I q alpha c].

Definition claim_holds (I : instance N) : seq posed -> claim -> Prop := claim_holds_in I (data_of I).

Lemma posed_nothing q (D : token_data N) picks (alpha : selection (problem D)) : posed_fact q picks alpha (@Nothing N).
Proof. by case: q. Qed.

Lemma first_rejected_sound (own : pred nat) (I : instance N) E ps facts cs : instance_ok I -> data_ok E ->
  (has_decoder I -> E = data_of I) ->
  (forall p, (p < size ps)%nat -> own p -> posed_ok_in I E (nth no_problem ps p)) ->
  (forall k, (k < size facts)%nat -> let pf := nth (0%nat, Nothing) facts k in own pf.1 ->
     [/\ (pf.1 < size ps)%nat, fact_about I E (nth no_problem ps pf.1, pf.2) & pairs_known I pf.2]) ->
  first_rejected own I E ps facts cs = None -> forall j c0, (j < size cs)%nat ->
  own (claim_problem (nth c0 cs j)) -> claim_holds_in I E ps (nth c0 cs j).
Proof.
move=> Iok Eok own_data Hps; elim: cs facts => [|c cs IH] facts Hfacts //=; case: ifP => Oc; last first.
  move=> rest [|j] c0 /=; [by rewrite Oc | rewrite ltnS => jl Oj; apply: (IH _ _ rest) => // k].
  rewrite size_rcons ltnS nth_rcons; case: ltnP => [kl _ | ge le]; first exact: Hfacts.
  by rewrite eqn_leq ge le /= Oc.
case: ifP => // pl; case Ec: (check_claim _ _ _ _ _ _) => [f|] // rest.
have := Hps _ pl Oc; rewrite /posed_ok_in; set q := nth no_problem ps _ => /and4P[sel Dok Pok dec].
have posed_as : poses I E q (posed_data_in I E q) (posed_picks I q).
  split=> [|/own_data oE]; first by move: dec; rewrite /posed_data_in; case: (posing_of q).
  by rewrite oE in Eok sel *; split.
have cited k : posed_fact (posing_of q) (posed_picks I q) (selection_of Pok) (cited_fact facts (claim_problem c) k).
  rewrite /cited_fact; case: (ltnP k (size facts)) => [kl | kl].
    case: eqP => [Ep | _]; last exact: posed_nothing.
    have := Hfacts k kl; rewrite /= Ep => /(_ Oc) [_ H _].
    by move: H => -[Pok' [_ H]]; rewrite (bool_irrelevance Pok Pok').
  by rewrite nth_default //=; case: ifP => _; exact: posed_nothing.
have others k pf : other_fact own ps facts k = Some pf -> fact_about I E pf /\ pairs_known I pf.2.
  by rewrite /other_fact; case: ifP => // /andP[kl Ok] -[<-]; have [] := Hfacts k kl Ok.
have [holds [Hf Hpairs]] := check_claim_sound Dok posed_as cited others Ec.
case=> [|j] c0 /=; first by move=> _ _; exists (selection_of Pok); split=> //; apply: selection_of_selects.
rewrite ltnS => jl Oj; apply: (IH _ _ rest) => // k; rewrite size_rcons ltnS nth_rcons.
case: ltnP => [kl _ | ge le]; first exact: Hfacts.
by rewrite eqn_leq ge le /= => _; split=> //; exists Pok.
Qed.

(* If the checker accepts, every claim of the certificate holds. *)
Theorem check_certificate_sound (I : instance N) (C : certificate) : check_certificate I C ->
  forall j c0, (j < size (claims C))%nat -> claim_holds I (problems C) (nth c0 (claims C) j).
Proof.
case/and4P=> /and3P[Iok _ MDok] Hps _; case E: (first_rejected _ _ _ _ _ _) => // _ j c0 jl.
apply: (first_rejected_sound Iok MDok (fun _ => erefl) _ _ E jl) => // p pl _.
exact (all_nthP no_problem Hps p pl).
Qed.

(* And the instance is in order, so that the problem's scores, logits and counts are what its arrays say (score_meaning,
   logit_meaning, count_meaning) and its merged tokens have the model's losses and runs (MergedTokens.v): claims hold of
   `posed_data` without that, this says what it is. *)
Theorem check_certificate_instance (I : instance N) (C : certificate) : check_certificate I C ->
  [/\ instance_ok I, merging_ok (token_data_of I) & data_ok (data_of I)].
Proof. by case/and4P=> /and3P. Qed.
End Certificates.
