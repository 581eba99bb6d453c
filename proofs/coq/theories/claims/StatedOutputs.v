(* StatedOutputs: what accepted claims about heads of several outputs say, in the words that exported files write out
   (StatedRuns.v). The head is the instance's: class_layer_head or unit_layer_head (OutputValues.v); that of sentences'
   feed-forward stage is cross_entropy_head. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Bignums Require Import BigZ.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Heads HeadRanges HeadRuns Losses Number Rows TokenData Instances Claims
                           MarginChecks OptimalityChecks NormChecks NormDistanceChecks AttentionIntervals Direction
                           Growth Runs Forever HeadForever Replay RunChecks PathChecks ForeverChecks ForeverEvidence
                           ForeverClaims ForeverRun Schedules RunClaims OutputHeads OutputValues OutputGaps HeadReplay
                           OutputRuns ClaimKind NormKinds LossKinds ForeverKinds Posed OutputKinds OutputForever
                           CrossEntropyHead Iteration MirrorRunKind TokenRayKind Certificates StatedRuns StatedMirror.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* The iterates of a head; only Polyak's steps depend on least. *)
Definition head_iterate (p : selection_problem) (h : head p) (least : R) (r : rule) (eta : nat -> R)
    (start : vec (coord p)) : nat -> vec (coord p) :=
  iterated (moved (head_gradient h) (fun z => head_loss h z - least) r eta) start.

Section Outputs.
Variables (I : instance big_integers) (D : token_data big_integers) (alpha : selection (problem D)).
Hypothesis several : several_outputs I = true.
Notation vector := (vec (coord (problem D))).
Notation plain := (Posed Attention [::]).

(* ---- gaps ---- *)

(* output_gap t: where all attention is on the selected tokens, how much more slope t has than the selected one. *)
Notation gap_at := (output_gap I alpha).

Lemma several_says (A B : Prop) : (if several_outputs I then A else B) -> A.
Proof. by rewrite several. Qed.

Lemma gap_less t : @score (with_gaps gap_at) t < @score (with_gaps gap_at) (selected alpha t) <-> 0 < gap_at t.
Proof.
have := with_gaps_gap (@output_gap_selected _ I D alpha) t; rewrite /gap.
by rewrite -[selected (gap_selection _ _) t]/(selected alpha t) => E; split=> ?; lra.
Qed.

Lemma output_global : globally_optimal (gap_selection alpha gap_at) <-> forall t, constraint alpha t -> 0 < gap_at t.
Proof. by split=> H t ct; apply/gap_less; exact: H. Qed.

Lemma output_local : locally_optimal (gap_selection alpha gap_at) <->
  exists wstar, max_margin alpha wstar /\ forall t, support alpha wstar t -> 0 < gap_at t.
Proof.
split=> -[w [M H]]; exists w; split=> // t st; have := H t st;
  by rewrite (with_gaps_gap (@output_gap_selected _ I D alpha) t).
Qed.

Theorem output_global_stated p : claim_meaning I plain alpha (GloballyOptimal _ p) ->
  forall t, constraint alpha t -> 0 < gap_at t.
Proof. by move=> /several_says /output_global. Qed.

Theorem output_not_global_stated p i s : claim_meaning I plain alpha (NotGloballyOptimal _ p i s) ->
  ~ forall t, constraint alpha t -> 0 < gap_at t.
Proof. by move=> /several_says H /output_global. Qed.

Theorem output_local_stated p k : claim_meaning I plain alpha (LocallyOptimal _ p k) ->
  exists wstar, max_margin alpha wstar /\ forall t, support alpha wstar t -> 0 < gap_at t.
Proof. by move=> /several_says /output_local. Qed.

Theorem output_not_local_stated p k at_ : claim_meaning I plain alpha (NotLocallyOptimal _ p k at_) ->
  ~ exists wstar, max_margin alpha wstar /\ forall t, support alpha wstar t -> 0 < gap_at t.
Proof. by move=> /several_says H /output_local. Qed.

(* ---- runs ---- *)

Lemma head_run_written h c w0 : @Replay.start_point _ D (run_specification c) = w0 ->
  head_run h alpha c = let s := run_specification c in
    head_iterate h (selected_head_loss alpha h) (run_rule s) (step_size (run_schedule s) (written (run_step s))) w0.
Proof. by move=> <-; rewrite /head_run /head_trajectory /sizes fraction_written. Qed.

Theorem output_run_stated p k c h w0 : output_head I D (run_loss c) = Some h ->
  @Replay.start_point _ D (run_specification c) = w0 -> claim_meaning I plain alpha (Run p k c) ->
  exists wstar, [/\ max_margin alpha wstar, 0 < vnorm wstar &
    let least := selected_head_loss alpha h in let s := run_specification c in
    together (run_parts alpha (head_loss h) (head_gradient h) c wstar least
      (head_iterate h least (run_rule s) (step_size (run_schedule s) (written (run_step s))) w0))].
Proof.
move=> head_is E /several_says[h' head_is' [ws [M n0 H]]]; move: head_is'; rewrite head_is => -[hE]; subst h'.
by exists ws; split=> // least s; move: H; rewrite /head_run_holds (head_run_written _ E); exact: run_said.
Qed.

(* With the square of ||W - y u|| as PathChecks.v writes it. *)
Theorem output_path_stated p k c from until M h w0 : output_head I D (run_loss c) = Some h ->
  @Replay.start_point _ D (run_specification c) = w0 ->
  claim_meaning I plain alpha (PathInequality p k c from until M) ->
  exists wstar, [/\ max_margin alpha wstar, 0 < vnorm wstar &
    let least := selected_head_loss alpha h in let s := run_specification c in
    path_holds wstar
      (head_iterate h least (run_rule s) (step_size (run_schedule s) (written (run_step s))) w0) from until
      (written M)].
Proof.
move=> head_is E /several_says[h' head_is' [ws [Mm n0 H]]]; move: head_is'; rewrite head_is => -[hE]; subst h'.
by exists ws; split=> // least s; move: H; rewrite (head_run_written _ E) fraction_written.
Qed.
(* ---- smoothness, norms ---- *)

Theorem output_smoothness_stated p l beta h : output_head I D l = Some h ->
  claim_meaning I plain alpha (SmoothnessBound p (Some l) beta) ->
  forall w w', vdist (head_gradient h w') (head_gradient h w) <= fraction_real beta * vdist w' w.
Proof. by move=> head_is /several_says[h' head_is' H]; move: head_is'; rewrite head_is => -[hE]; subst h'. Qed.

Theorem output_regularisation_path_stated p k l from K h : output_head I D l = Some h ->
  claim_meaning I plain alpha (RegularisationPath p k (Some l) from K) ->
  exists wstar, [/\ max_margin alpha wstar, 0 < vnorm wstar &
    forall (r : R) w, written from <= r -> vnorm w <= r ->
    (forall w' : vec (coord (problem D)), vnorm w' <= r -> head_loss h w <= head_loss h w') ->
    1 - dot w wstar / (vnorm wstar * r) <= written K / r].
Proof.
move=> head_is /several_says[h' head_is' [ws [M n0 H]]]; move: head_is'; rewrite head_is => -[hE]; subst h'.
by exists ws; split=> // r w; rewrite -!fraction_written; exact: H.
Qed.

Theorem output_norm_local_stated p n k : claim_meaning I plain alpha (NormLocallyOptimal _ p (Some n) k) ->
  exists z, only_shortest alpha (@norm_value n (coord (problem D))) z /\
    forall t, constraint alpha t -> margin alpha z t = 1 -> 0 < gap_at t.
Proof.
move=> /several_says[z [only tight]]; exists z; split=> // t ct one; have := tight t ct one.
by rewrite (with_gaps_gap (@output_gap_selected _ I D alpha) t).
Qed.

(* ---- later steps ---- *)

(* As later_stated_from, of a head. *)
Definition head_stated_from (centred : bool) (h : head (problem D)) (r : rule) (sched : schedule)
    (S : fraction big_integers) (w0 : vector) (t : nat) (c : conclusion big_integers) : Prop :=
  let least := selected_head_loss alpha h in
  let eta := step_size sched (written S) in
  let w := head_iterate h least r eta w0 in
  exists2 wstar, max_margin alpha wstar &
  let u := (/ vnorm wstar * wstar)%V in
  let later centre := together (defined_parts (head_gradient h) r w ++ later_parts alpha wstar centre c eta w t) in
  if centred then exists2 centre, dot centre u = 0 & later centre else later (w t - dot (w t) u * u)%V.

Lemma head_evidence_stated h r sched S w0 t (e : forever_evidence big_integers) c : after t c ->
  let least := selected_head_loss alpha h in
  let w := head_iterate h least r (step_size sched (written S)) w0 in
  (forall k, (k < t)%nat -> moves_from (head_gradient h) r (w k)) ->
  output_evidence_claim alpha h e r (later_steps sched (written S) t) (w t) (constants_of (seen_from t c)) ->
  head_stated_from (some_centre e) h r sched S w0 t c.
Proof.
move=> tn least w early [[ws M [centre is_centre claimed]] later].
have run : head_follows h least r (later_steps sched (written S) t) (fun s => w (t + s)%nat).
  by move=> s; rewrite addnS.
have defined s : r <> GradientSteps -> 0 < vnorm (head_gradient h (w s)).
  move=> rn; case: (ltnP s t) => st; first exact: early st rn.
  by have := later (fun s => w (t + s)%nat) _ run (s - t)%nat; rewrite subnKC //; apply; rewrite addn0.
have stated : together
    (defined_parts (head_gradient h) r w ++ later_parts alpha ws centre c (step_size sched (written S)) w t).
  apply: together_cat; last exact: head_later_stated tn claimed run.
  by rewrite /defined_parts; case: (r) defined => // defined s; exact: defined.
exists ws => //; move: is_centre stated; case: (some_centre e) => [orth stated | -> //]; by exists centre.
Qed.

Theorem output_forever_from_point_stated p k l s m e c h w0 : output_head I D l = Some h ->
  @ForeverClaims.origin_point _ D m = w0 -> claim_meaning I plain alpha (ForeverFromPoint p k (Some l) s m e c) ->
  head_stated_from (some_centre e) h (spec_rule s) (spec_schedule s) (spec_step s) w0 0 c.
Proof.
move=> head_is E /several_says[h' head_is' H]; move: head_is'; rewrite head_is => -[hE]; subst h'.
move: H; rewrite E fraction_written => H; apply: head_evidence_stated => //.
  by rewrite /after; case: said_dominates.
have -> : seen_from 0 c = c by case: c {H} => ? ? ? ? ? ? [n|]; rewrite /seen_from /= ?subn0.
exact: H.
Qed.

Theorem output_forever_from_run_stated p k j run t e c h w0 : output_head I D (run_loss run) = Some h ->
  @Replay.start_point _ D (run_specification run) = w0 -> after t c ->
  claim_meaning I plain alpha (ForeverFromRun p k j run t e c) ->
  let s := run_specification run in
  head_stated_from (some_centre e) h (run_rule s) (run_schedule s) (run_step s) w0 t c.
Proof.
move=> head_is E tn /several_says[h' head_is' [early H]]; move: head_is'; rewrite head_is => -[hE]; subst h'.
move=> s; move: early H; rewrite (head_run_written _ E) fraction_written; exact: head_evidence_stated.
Qed.
End Outputs.

(* ---- the feed-forward stage of sentences ---- *)

Theorem token_ray_stated (I : instance big_integers) (D : token_data big_integers) (alpha : selection (problem D))
    p step ks : claim_meaning I (Posed Attention [::]) alpha (TokenRay p step ks) ->
  exists wstar, [/\ max_margin alpha wstar, 0 < vnorm wstar &
    let h := cross_entropy_head alpha in
    forall w : nat -> vec (coord (problem D)), w O = vzero ->
      head_follows h 0 NormalisedSteps (fun=> written step) w ->
      together ((forall t, w t = (INR t * written step / vnorm wstar * wstar)%V) ::
        flatten [seq [:: forall t, constraint alpha t ->
                           within_written (ray_scale_claim k) (margin alpha (w (ray_at k)) t);
                         within_written (ray_loss_claim k) (head_loss h (w (ray_at k)))] | k <- ks])].
Proof.
move=> [_ _ [ws [M n0 H]]]; exists ws; split=> // h w w0; rewrite /within_written -fraction_written => follow.
have [on_ray seen] := H w w0 follow; apply: together_cons => //.
by apply: together_all => k /seen.
Qed.
