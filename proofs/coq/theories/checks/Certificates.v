(* Certificates: the verified checker for the claims of a certificate about margin problems, and its soundness theorem.

   A certificate is a list of problems (selections) and a list of claims with evidence. check_certificate folds over the
   claims, keeping the facts that accepted claims establish. If it accepts, every claim holds of the real selection problem
   of the instance. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Number Rows Entries TokenData Instances Claims Enclosure MarginChecks
                           OptimalityChecks GramBound EnclosureChecks RankChecks AttentionIntervals SmoothnessChecks
                           Interval Runs Replay RunChecks PathChecks RunClaims ReferenceIntervals Forever ForeverChecks ForeverEvidence ForeverClaims ForeverRun
                           StationaryChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Certificates.
Variables (N : number) (quick : entries N).   (* the quick entries of eigenvalue bounds *)

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
| Stationary (problem : nat) (loss : option loss_name) (start : origin N).

Definition claim_problem (c : claim) : nat :=
  match c with
  | Feasible p _ | Infeasible p _ | Optimal p _ _ | EnclosureGap p _ _ _ _ _ | EnclosureBall p _ _ _ _ _ _ _ _
  | Support p _ _ | StrictlyComplementary p _ _ | NotStrictlyComplementary p _ _ _ _ | LocallyOptimal p _
  | NotLocallyOptimal p _ _ | GloballyOptimal p | NotGloballyOptimal p _ _ | ScoreTie p _ _ _ | Rank p _ _ _ _
  | SmoothnessBound p _ _ | Run p _ _ | PathInequality p _ _ _ _ _ | ForeverFromPoint p _ _ _ _ _ _
  | ForeverFromRun p _ _ _ _ _ | Stationary p _ _ => p
  end.

(* What an accepted claim establishes for later ones; matrix and margins are those of the vector. *)
Inductive fact :=
| Nothing
| FeasibleFact
| InfeasibleFact
| ExactFact (multipliers : vector N) (matrix margins : seq (seq N))
| GapFact (primal : vector N) (margins : seq (seq N)) (distance_squared : fraction N)
| BallFact (multipliers : vector N) (matrix margins : seq (seq N)) (active : seq (seq bool))
    (radius multiplier_radius : fraction N)
| SupportFact (tokens : seq (seq bool)) (exact : option (vector N))
| RunFact (loss : loss_name) (steps : specification N) (path : seq (place N)).   (* the places passed, if they were kept *)

Section OneProblem.
Variables (D : token_data N) (picks : seq nat).

(* ---- what claims mean ---- *)

Section Meaning.
Variable alpha : selection (problem D).
Notation tokens_of mask := (@in_mask N D mask).
Notation values v := (@coefficient_of N D v).

Definition claim_meaning (c : claim) : Prop :=
  match c with
  | Feasible _ _ => feasible alpha
  | Infeasible _ _ => ~ feasible alpha
  | Optimal _ q v => max_margin alpha (W alpha (values v)) /\ vnorm2 (W alpha (values v)) = fraction_real q
  | EnclosureGap _ lo hi r v _ =>
      gap_enclosure alpha (fraction_real lo) (fraction_real hi) (fraction_real r) (W alpha (values v))
  | EnclosureBall _ lo hi r q _ mask v _ =>
      ball_enclosure alpha (tokens_of mask) (values v) (fraction_real lo) (fraction_real hi)
        (fraction_real r * fraction_real r) (fraction_real q)
  | Support _ _ mask => support_is alpha (tokens_of mask)
  | StrictlyComplementary _ _ _ => strictly_complementary alpha
  | NotStrictlyComplementary _ _ i s _ => exists t, is_token i s t /\ multiplier_vanishes alpha t
  | LocallyOptimal _ _ => locally_optimal alpha
  | NotLocallyOptimal _ _ _ => ~ locally_optimal alpha
  | GloballyOptimal _ => globally_optimal alpha
  | NotGloballyOptimal _ _ _ => ~ globally_optimal alpha
  | ScoreTie _ i s u => exists t t', [/\ is_token i s t, is_token i u t' & @score_tie (problem D) t t']
  | Rank _ _ r _ _ => solution_rank_is alpha r
  | SmoothnessBound _ l beta => if l is Some l then gradient_lipschitz_with (problem D) l (fraction_real beta) else False
  | Run _ _ r => exists ws, [/\ max_margin alpha ws, 0 < vnorm ws &
      forall b : selection (problem D), best b -> run_holds alpha ws (least_loss b (loss_of (run_loss r))) r]
  | PathInequality _ _ r from until M => exists ws, [/\ max_margin alpha ws, 0 < vnorm ws &
      forall b : selection (problem D), best b ->
      path_holds ws (@trajectory N D (run_loss r) (run_specification r) (least_loss b (loss_of (run_loss r)))) from until (fraction_real M)]
  | ForeverFromPoint _ _ l s m e said => if l is Some l then forever_meaning alpha l s m e said else False
  | ForeverFromRun _ _ run t e said => forever_run_meaning run alpha t e said
  | Stationary _ l m => if l is Some l then gradient (loss_of l) (@start_point N D m) = vzero else False
  end.

Definition fact_meaning (f : fact) : Prop :=
  match f with
  | Nothing => True
  | FeasibleFact => feasible alpha
  | InfeasibleFact => ~ feasible alpha
  | ExactFact v w m => [/\ vector_ok D picks v, w = weights D picks v, m = margins D picks v &
                        solution_with alpha (W alpha (values v)) (values v)]
  | GapFact v m r => [/\ vector_ok D picks v, m = margins D picks v, fraction_ok r &
                      exists lo hi, gap_enclosure alpha lo hi (fraction_real r) (W alpha (values v))]
  | BallFact v w m mask r q => [/\ vector_ok D picks v, w = weights D picks v /\ m = margins D picks v, mask_ok D picks mask,
      fraction_ok r & [/\ 0 <= fraction_real r, 0 <= fraction_real q &
       exists lo hi, ball_enclosure alpha (tokens_of mask) (values v) lo hi (fraction_real r * fraction_real r) (fraction_real q)]]
  | SupportFact mask (Some v) => [/\ vector_ok D picks v, support_check D picks v (margins D picks v) mask, support_is alpha (tokens_of mask) &
                                  solution_with alpha (W alpha (values v)) (values v)]
  | SupportFact mask None => [/\ mask_ok D picks mask, support_is alpha (tokens_of mask) & strictly_complementary alpha]
  | RunFact l s path => exists ws, [/\ max_margin alpha ws, 0 < vnorm ws &
      forall b : selection (problem D), best b -> path_encloses ws (@trajectory N D l s (least_loss b (loss_of l))) path]
  end.
End Meaning.

(* ---- the checks ---- *)

Definition same_masks (a b : seq (seq bool)) : bool := a == b.

(* Bits of the intervals that enclose a smoothness constant. *)
Definition smoothness_precision : Z := 192.

(* Constraints without a positive score gap are certainly slack in the ball of squared radius num / den. *)
Definition far_local_check (v : vector N) (m : seq (seq N)) (num den : N) : bool :=
  let u := margin_unit D v in
  constraints_all (fun gml => lt zero gml.1 || far_check D u num den gml.2.1 gml.2.2) picks
    (zip_rows (gaps D picks) (zip_rows m (lengths D picks))).

Definition check_claim (cited : nat -> fact) (c : claim) : option fact :=
  let accept b f := if b then Some f else None in
  match c with
  | Feasible _ v => accept (feasible_check D picks v) FeasibleFact
  | Infeasible _ v => accept (infeasible_check D picks v) InfeasibleFact
  | Optimal _ q v =>
      let w := weights D picks v in
      let m := margins_of D picks w in accept (optimal_check D picks v m q) (ExactFact v w m)
  | EnclosureGap _ lo hi r v w =>
      let m := margins D picks v in accept (gap_check D picks v m w lo hi r) (GapFact v m r)
  | EnclosureBall _ lo hi r q s mask v hints =>
      let w := weights D picks v in
      let m := margins_of D picks w in accept (ball_check quick D picks v m mask hints lo hi r q s) (BallFact v w m mask r q)
  | Support _ k mask =>
      match cited k with
      | ExactFact v _ m => accept (support_check D picks v m mask) (SupportFact mask (Some v))
      | BallFact _ _ _ mask' _ _ => accept (same_masks mask mask') (SupportFact mask None)
      | _ => None
      end
  | StrictlyComplementary _ k mu =>
      match cited k with
      | SupportFact mask (Some v) =>
          accept (if mu is Some m then complementary_check D picks v m mask else positive_on_check picks v mask) Nothing
      | SupportFact mask None => accept (if mu is Some m then false else true) Nothing
      | _ => None
      end
  | NotStrictlyComplementary _ k i s x =>
      match cited k with
      | SupportFact mask (Some v) => accept (vanishing_check D picks v x mask i s) Nothing
      | _ => None
      end
  | LocallyOptimal _ k =>
      match cited k with
      | SupportFact mask _ => accept (local_check D picks mask) Nothing
      | GapFact v m r => accept (far_local_check v m (fraction_num r) (fraction_den r)) Nothing
      | BallFact v _ m _ r _ => accept (far_local_check v m (fraction_num (square r)) (fraction_den (square r))) Nothing
      | _ => None
      end
  | NotLocallyOptimal _ k at_token =>
      match cited k, at_token with
      | InfeasibleFact, None => Some Nothing
      | SupportFact mask _, Some (i, s) => accept (not_local_check D picks mask i s) Nothing
      | _, _ => None
      end
  | GloballyOptimal _ => accept (global_check D picks) Nothing
  | NotGloballyOptimal _ i s => accept (not_global_check D picks i s) Nothing
  | ScoreTie _ i s u => accept (tie_check D i s u) Nothing
  | Rank _ k r lower upper =>
      match cited k with
      | ExactFact v w _ => accept (rank_check quick D picks (listed v) v w None r lower upper) Nothing
      | BallFact v w _ mask radius _ => accept (rank_check quick D picks mask v w (Some radius) r lower upper) Nothing
      | _ => None
      end
  | SmoothnessBound _ l beta =>
      if l is Some l then accept (smoothness_check D smoothness_precision l beta) Nothing else None
  | Run _ k r =>
      let check v radius := omap (RunFact (run_loss r) (run_specification r)) (run_check D picks r (direction_of D picks (precision r) v radius)) in
      match cited k with
      | ExactFact v _ _ => check v (interval0 N)
      | GapFact v _ q => check v (isqrt (precision r) (claimed (precision r) q))
      | BallFact v _ _ _ q _ => check v (isqrt (precision r) (claimed (precision r) (square q)))
      | _ => None
      end
  | PathInequality _ k r from until M =>
      if cited k is RunFact l s path
      then accept (same_run l (run_loss r) s (run_specification r) && path_check (precision r) path from until M) Nothing
      else None
  | ForeverFromPoint _ k l s start e said =>
      let checked v m mask r q l := accept (forever_check D picks v m mask r q l s start e said) Nothing in
      match cited k, l with
      | ExactFact v _ m, Some l => checked v m (multiplier_mask v) (interval0 N) (interval0 N) l
      | BallFact v _ m mask r q, Some l =>
          checked v m mask (fraction_in forever_precision r) (fraction_in forever_precision q) l
      | _, _ => None
      end
  | ForeverFromRun _ k run t e said =>
      let checked v m mask r q := accept (forever_run_check D picks run v m mask r q t e said) Nothing in
      match cited k with
      | ExactFact v _ m => checked v m (multiplier_mask v) (interval0 N) (interval0 N)
      | BallFact v _ m mask r q => checked v m mask (fraction_in forever_precision r) (fraction_in forever_precision q)
      | _ => None
      end
  | Stationary _ l m =>
      if l is Some l then accept (stationary_check D picks l (origin_rows m) (origin_unit m)) Nothing else None
  end.

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.

Lemma far_local_check_sound v num den wstar r2 : vector_ok D picks v -> 0 < real den -> real num / real den = r2 ->
  max_margin alpha wstar -> vnorm2 (W alpha (@coefficient_of N D v) - wstar)%V <= r2 ->
  far_local_check v (margins D picks v) num den -> locally_optimal alpha.
Proof.
move=> vok d0 E M dist H; apply: (locally_optimal_sound_distance M dist) => t ct g0.
have fml := fits_zip (fits_margins Pok (weights D picks v)) (fits_lengths Pok).
have := constraints_allP (zero, (zero, zero)) (fits_zip (fits_gaps Dok Pok) fml) H ct.
rewrite (at_token_zip _ _ _ (fits_gaps Dok Pok) fml) /= (at_token_zip _ _ _ (fits_margins Pok _) (fits_lengths Pok)) /=.
case/orP=> [pos | far]; first by have := gap_gt0 Dok Pok pos; move: g0; rewrite -/alpha; lra.
by rewrite -E; apply: (far_check_sound Dok Pok vok d0 far).
Qed.

Lemma support_fact mask exact : fact_meaning alpha (SupportFact mask exact) ->
  mask_ok D picks mask /\ support_is alpha (@in_mask N D mask).
Proof. by case: exact => [v [_ /andP[mok _] H _] | [mok H _]]. Qed.

Theorem check_claim_sound cited c f : (forall k, fact_meaning alpha (cited k)) -> check_claim cited c = Some f ->
  claim_meaning alpha c /\ fact_meaning alpha f.
Proof.
move=> facts; case: c => [p v | p v | p q v | p lo hi r v w | p lo hi r q s mask v hints | p k mask | p k mu | p k i s x
                         | p k | p k at_tok | p | p i s | p i s u | p k r lower upper | p l beta | p k r
                         | p k r from until M
                         | p k l s start e said | p k run t e said | p l start] /=.
- case: ifP => // H [<-]; have feas : feasible alpha by apply: feasible_check_sound H.
  by [].
- case: ifP => // H [<-]; have ninf : ~ feasible alpha by apply: infeasible_check_sound H.
  by [].
- case: ifP => // H [<-]; have [sol nrm] := optimal_check_sound Dok Pok H.
  by split; [split=> //; case: sol | split=> //; case/and5P: H].
- case: ifP => // H [<-]; have G := gap_check_sound Dok Pok H.
  split=> //; split=> //; [by case/and5P: H | by case/and5P: H => _ _ _ _ /andP[/and3P[]] | ].
  by exists (fraction_real lo), (fraction_real hi).
- case: ifP => // H [<-]; have B := ball_check_sound Dok Pok H.
  have /and5P[vok mok /and5P[_ _ rok qok _] /and3P[_ r0 q0] _] := H.
  split=> //; split=> //; split; [exact: fraction_ge0 | exact: fraction_ge0 | by exists (fraction_real lo), (fraction_real hi)].
- have := facts k; case: (cited k) => // [v w m | v w m mask' r q] /=.
    move=> [vok _ -> sol]; case: ifP => // H [<-].
    by have S := support_check_is Dok vok H sol.
  move=> [vok _ mok rok [_ _ [lo [hi B]]]]; case: ifP => // /eqP -> [<-].
  by have S := support_sound_ball B; split=> //; split=> //; apply: strictly_complementary_sound_ball B.
- have := facts k; case: (cited k) => // mask [v | ] /=.
    move=> [vok sup _ sol]; case: mu => [m | ]; case: ifP => // H [<-]; split=> //.
      exact: (complementary_check_sound Dok vok sup sol H).
    have mok := proj1 (andP sup).
    apply: (strictly_complementary_sound sol (A := @in_mask N D mask)) => [t | t it | t ct nt | //].
    + exact: support_check_sound.
    + by have := positive_on_check_sound vok mok H (mask_constraint Pok mok it); rewrite it.
    + by have := positive_on_check_sound vok mok H ct; rewrite (negbTE nt).
  by move=> [_ _ sc]; case: mu => [m | ] // [<-].
- have := facts k; case: (cited k) => // mask [v | ] //= [vok sup _ sol]; case: ifP => // H [<-]; split=> //.
  exact: (vanishing_check_sound Dok vok sup sol H).
- have := facts k; case: (cited k) => //.
  + move=> v m r /= [vok -> rok [lo [hi [wstar [M _ dist]]]]]; case: ifP => // H [<-]; split=> //.
    exact: (far_local_check_sound vok (fraction_den_gt0 rok) erefl M dist H).
  + move=> v w m mask r q /= [vok [_ ->] mok rok [_ _ [lo [hi [wstar [lam [[M _] _ _ [dist _] _]]]]]]]; case: ifP => // H [<-]; split=> //.
    by apply: (far_local_check_sound vok (square_ok rok) _ M dist H); rewrite -square_real.
  + move=> mask ex /support_fact [mok sup]; case: ifP => // H [<-]; split=> //.
    exact: (local_check_sound Dok mok sup H).
- have := facts k; case: (cited k) => //.
  + by case: at_tok => //= inf [<-]; split=> //; apply: not_locally_optimal_sound_infeasible.
  + move=> mask ex /support_fact [mok sup]; case: at_tok => [[i s] | ] //; case: ifP => // H [<-]; split=> //.
    exact: (not_local_check_sound Dok sup H).
- by case: ifP => // H [<-]; split=> //; apply: (global_check_sound Dok H).
- by case: ifP => // H [<-]; split=> //; apply: (not_global_check_sound Dok H).
- by case: ifP => // H [<-]; split=> //; apply: (tie_check_sound Dok H).
- have := facts k; case: (cited k) => // [v w m | v w m mask radius q] /=.
    by move=> [vok -> _ [M _]]; case: ifP => // H [<-]; split=> //; apply: (rank_check_exact Dok vok M H).
  move=> [vok [-> _] mok rok [_ _ [lo [hi B]]]]; case: ifP => // H [<-]; split=> //.
  exact: (rank_check_ball Dok vok mok rok B H).
- case: l => // l; case: ifP => // H [<-]; split=> //; exact: (smoothness_check_sound Dok Pok H).
- have := facts k; case: (cited k) => // [v m' m | v m q | v m' m mask q R] /=.
  + move=> [vok _ _ [M _]]; case H: run_check => [path|] // [<-].
    have near : vnorm (W alpha (@coefficient_of N D v) - W alpha (@coefficient_of N D v))%V <= 0.
      by rewrite (_ : (_ - _)%V = vzero) ?vnorm0; [right | vec_ring].
    have [s0 all_best] := run_check_sound Dok vok (contains0 N) near H.
    by split; exists (W alpha (@coefficient_of N D v)); split=> // b /all_best[].
  + move=> [vok _ _ [lo [hi [ws [M _ near]]]]]; case H: run_check => [path|] // [<-].
    have [s0 all_best] := run_check_sound Dok vok (isqrt_contains _ (claimed_contains _ q)) (sqrt_le_1_alt _ _ near) H.
    by split; exists ws; split=> // b /all_best[].
  move=> [vok _ mok qok [_ _ [lo [hi [ws [lam [[M _] _ _ [near _] _]]]]]]]; case H: run_check => [path|] // [<-].
  rewrite -square_real // in near.
  have [s0 all_best] := run_check_sound Dok vok (isqrt_contains _ (claimed_contains _ (square q))) (sqrt_le_1_alt _ _ near) H.
  by split; exists ws; split=> // b /all_best[].
- have := facts k; case: (cited k) => // l s path [ws [max s0 encloses]]; case: ifP => // /andP[same H] [<-]; split=> //; exists ws.
  split=> // b Hb; move: (encloses b Hb); rewrite (same_run_trajectory _ _ same) (same_loss_eq (proj1 (andP same))).
  by move=> passed; exact: path_check_sound passed H.
- have := facts k; case: (cited k) => // [v w m | v w m mask r q] /=; case: l => // l.
    move=> [vok _ -> sol]; case: ifP => // H [<-]; split=> //.
    exact: (forever_check_sound Dok vok (solved_exact vok sol) (contains0 N) (contains0 N) H).
  move=> [vok [_ ->] mok rok [r0 q0 [lo [hi B]]]]; case: ifP => // H [<-]; split=> //.
  have [ws [lam sol]] := solved_ball mok r0 q0 B.
  exact: (forever_check_sound Dok vok sol (fraction_in_contains _ r) (fraction_in_contains _ q) H).
- have := facts k; case: (cited k) => // [v w m | v w m mask r q] /=.
    move=> [vok _ -> sol]; case: ifP => // H [<-]; split=> //.
    exact: (forever_run_check_sound Dok vok (solved_exact vok sol) (contains0 N) (contains0 N) H).
  move=> [vok [_ ->] mok rok [r0 q0 [lo [hi B]]]]; case: ifP => // H [<-]; split=> //.
  have [ws [lam sol]] := solved_ball mok r0 q0 B.
  exact: (forever_run_check_sound Dok vok sol (fraction_in_contains _ r) (fraction_in_contains _ q) H).
- by case: l => // l; case: ifP => // H [<-]; split=> //; exact: (stationary_check_sound Dok Pok H).
Qed.
End OneProblem.

(* ---- whole certificates ---- *)

Record certificate := Certificate { problems : seq (seq nat); claims : seq claim }.

(* Facts are about a problem each; a claim sees those about its own. *)
Definition cited_fact (facts : seq (nat * fact)) (p : nat) (k : nat) : fact :=
  let pf := nth (0%nat, Nothing) facts k in if pf.1 == p then pf.2 else Nothing.

(* The number of the first claim that is not accepted, or nothing. *)
Fixpoint first_rejected (D : token_data N) (ps : seq (seq nat)) (facts : seq (nat * fact)) (cs : seq claim) : option nat :=
  if cs is c :: cs' then
    let p := claim_problem c in
    if (p < size ps)%nat then
      if check_claim D (nth [::] ps p) (cited_fact facts p) c is Some f then first_rejected D ps (rcons facts (p, f)) cs'
      else Some (size facts)
    else Some (size facts)
  else None.

Definition check_certificate (I : instance N) (C : certificate) : bool :=
  let D := token_data_of I in
  [&& instance_ok I, all (picks_ok D) (problems C), (0 < size (claims C))%nat &
      ~~ isSome (first_rejected D (problems C) [::] (claims C))].

(* The claim holds of the selection problem that the instance defines, for the selection of its problem. *)
Definition claim_holds (I : instance N) (ps : seq (seq nat)) (c : claim) : Prop :=
  exists alpha : selection (problem (token_data_of I)),
    [/\ (claim_problem c < size ps)%nat, selects alpha (nth [::] ps (claim_problem c)) & claim_meaning alpha c].

Lemma first_rejected_sound (I : instance N) ps facts cs : data_ok (token_data_of I) -> all (picks_ok (token_data_of I)) ps ->
  (forall p (Pok : picks_ok (token_data_of I) (nth [::] ps p)) k, (p < size ps)%nat ->
     fact_meaning (nth [::] ps p) (selection_of Pok) (cited_fact facts p k)) ->
  first_rejected (token_data_of I) ps facts cs = None -> forall j c0, (j < size cs)%nat -> claim_holds I ps (nth c0 cs j).
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
case/and4P=> Iok Hps _; have /and4P[_ _ _ Dok] := Iok.
case E: (first_rejected _ _ _ _) => // _ j c0; apply: (first_rejected_sound Dok Hps) E _ _ => p Pok k _.
by rewrite /cited_fact nth_nil /=; case: ifP.
Qed.
End Certificates.
