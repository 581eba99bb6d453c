(* OutputRuns: claims about runs of heads of several outputs, decided by their replay (HeadReplay.v).

   What is observed of an iterate is observed as it is of other runs (RunChecks.v); the loss is compared with that of
   the selected tokens and may be below it. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads HeadRanges HeadRuns Losses Number Rows TokenData Claims MarginChecks
                           OptimalityChecks EnclosureChecks Interval Elementary IntervalTables AttentionIntervals Runs
                           PseudoOrbit Replay GrowthSound ReplaySound RunChecks PathChecks RunClaims OutputHeads
                           OutputValues HeadReplay.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- what a claim says ---- *)

Section Meaning.
Variables (N : number) (D : token_data N) (h : head (problem D)) (alpha : selection (problem D)).
Variable ws : vec (coord (problem D)).

Definition head_in_bands (B : bands) (w : vec (coord (problem D))) : Prop :=
  point_in_bands alpha ws (head_loss h w - selected_head_loss alpha h) (vnorm (head_gradient h w)) B w.

(* Of the run with the claim's specification; L - L* is against the selected tokens. *)
Definition head_run (c : run_claim N) : nat -> vec (coord (problem D)) :=
  head_trajectory h (run_specification c) (selected_head_loss alpha h).

Definition head_run_holds (c : run_claim N) : Prop :=
  sequence_says (moves_from (head_gradient h) (run_rule (run_specification c))) head_in_bands (head_loss h) ws c
    (head_run c).
End Meaning.

(* ---- the check ---- *)

Section Check.
Variables (N : number) (D : token_data N) (model : head_model N) (picks : seq nat) (c : run_claim N).
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation spec := (run_specification c).
Notation P := (precision c).
Notation F := (places c).
Variable dir : enclosed_direction N.

Definition head_checkpoint_check (o : orbit N) (v : view N) (gap : interval) (at_ : checkpoint N) : bool :=
  let n := norm_of D spec P F o in
  let y := along_of D spec P F dir o in
  let rest := unselected_of picks P v in
  [&& all_bounded (view_omegas v), inside P true (norm_claim at_) n, inside P false (along_claim at_) y,
      if corr_claim at_ is Some b then is_positive n && inside P true b (corr_of P n y) else true &
      [&& inside P false (loss_claim at_) gap, inside P true (gradient_claim at_) (gradient_of D P o v),
          all (below P (unselected_claim at_)) rest & has (above P true (unselected_claim at_)) rest]].

Definition head_step_check (t : nat) (o : orbit N) (v : view N) (before gap : interval) : bool :=
  [&& picks_ok D (references o),
      all (fun at_ => (at_step at_ != t) || head_checkpoint_check o v gap at_) (checkpoints c),
      ~~ (0 < t <= decreases_until c)%nat || certainly_lt gap before &
      rates_check D c dir o t].

(* The loss where it is asked for. *)
Definition head_gap_at (t : nat) (v : view N) : interval :=
  if (t <= decreases_until c)%nat || has (fun at_ => at_step at_ == t) (checkpoints c)
  then head_gap_of D model picks P v else anything.

(* From step t on, n more steps; what is returned are the places passed and the orbits at the checkpoints, the last
   ones first. *)
Fixpoint head_follow (n t : nat) (o : orbit N) (before : interval) (kept : trail N) : option (trail N) :=
  let v := head_look D model spec P F o in
  let gap := head_gap_at t v in
  if head_step_check t o v before gap then
    let kept' := keep D c dir t o kept in
    if n is m.+1
    then if head_advance D model picks spec P F o v is Some o' then head_follow m t.+1 o' gap kept' else None
    else Some kept'
  else None.

Definition head_run_check : option (trail N) :=
  if [&& specification_ok D spec F, is_positive (solution_norm dir),
    all (fun at_ => at_step at_ <= run_steps c)%nat (checkpoints c) & (decreases_until c <= run_steps c)%nat]
  then omap (fun kept => (rev kept.1, kept.2))
    (head_follow (run_steps c) 0 (first_orbit D spec F) anything ([::], [::]))
  else None.
End Check.

(* ---- soundness ---- *)

Section Soundness.
Variables (N : number) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Variables (h : head (problem D)) (model : head_model N) (c : run_claim N).
Notation spec := (run_specification c).
Notation P := (precision c).
Notation F := (places c).
Hypothesis gaps_in : forall refs (Rok : picks_ok D refs) w a, encloses a (attention w) ->
  encloses (model_gaps model refs a) (slope_gap (selection_of Rok) h w).
Hypothesis excess_in : forall w a, encloses a (attention w) -> column_encloses (D := D) (model_excess model picks a)
  (fun i => head_value h i (attention w) - head_value h i (chosen alpha)).
Variables (sv : vector N) (radius : interval) (ws : vec (coord (problem D))) (R0 : R).
Hypotheses (sv_ok : vector_ok D picks sv) (radius_contains : contains radius R0).
Hypothesis near_solution : vdist (W alpha (@coefficient_of N D sv)) ws <= R0.
Let dir := direction_of D picks P sv radius.
Hypothesis spec_ok : specification_ok D spec F.
Let least : R := selected_head_loss alpha h.
Let w := head_run h alpha c.
Notation orbit_at := (head_orbit_at h spec least F).
Notation look := (head_look D model spec P F).

Notation head_seen_at := (seen_at (head_in_bands h alpha ws) (head_loss h) ws c w).

Lemma head_gap_at_contains t o : orbit_at t o -> picks_ok D (references o) ->
  contains (head_gap_at D model picks c t (look o)) (head_loss h (w t) - least).
Proof.
move=> [_ close] Rok; rewrite /head_gap_at; case: ifP => // _.
exact: (head_gap_contains Dok P spec_ok excess_in close Rok).
Qed.

Lemma head_checkpoint_sound t o at_ : orbit_at t o -> picks_ok D (references o) ->
  head_checkpoint_check D picks c dir o (look o) (head_gap_at D model picks c t (look o)) at_ ->
  head_in_bands h alpha ws (bands_of at_) (w t).
Proof.
move=> at_o Rok; have gap := head_gap_at_contains at_o Rok; have [_ close] := at_o.
have Hn := norm_contains Dok P spec_ok close.
case/and5P=> bounded nb yb cb /and4P[lb gb Hall Hhas]; split=> /=.
- exact: inside_within Hn nb.
- exact: inside_within (along_contains Dok P spec_ok close sv_ok radius_contains near_solution) yb.
- move: cb; case: (corr_claim at_) => //= b /andP[pos cb]; have n0 := is_positive_real Hn pos.
  by split=> //; exact: inside_within (corr_contains Dok P spec_ok close sv_ok radius_contains near_solution n0) cb.
split; first exact: inside_within gap lb.
- have [R1 HR near] := head_velocity Dok spec_ok gaps_in close Rok bounded.
  have Hs := head_known_speed Dok P spec_ok gaps_in close Rok.
  apply: inside_within gb; apply: no_less_contains; last exact: vnorm_ge0.
  rewrite -vnormN; set x := vnorm _; set y := vnorm _ in Hs; have -> : x = y + (x - y) by ring.
  by apply: iadd_contains => //; exact: distance_symmetric near.
exact: (unselected_within Pok (head_look_attention Dok model P spec_ok close Rok) Hall Hhas).
Qed.

Lemma head_step_check_sound t o before : orbit_at t o ->
  ((0 < t <= decreases_until c)%nat -> contains before (head_loss h (w t.-1) - least)) ->
  head_step_check D picks c dir t o (look o) before (head_gap_at D model picks c t (look o)) -> head_seen_at t.
Proof.
move=> at_o Hb /and4P[Rok cps dec rts]; split=> [k c0 kl E | td | k r0 kl due].
- have := all_nthP c0 cps k kl; rewrite E eqxx /=; exact: head_checkpoint_sound.
- move: dec; rewrite td /=.
  by move/(certainly_lt_real (head_gap_at_contains at_o Rok) (Hb td)); lra.
have [ck close] := at_o.
exact: (rates_check_sound Dok sv_ok radius_contains near_solution spec_ok ck close rts kl due).
Qed.

Lemma head_follow_sound n : forall t o before kept path, orbit_at t o ->
  ((0 < t <= decreases_until c)%nat -> contains before (head_loss h (w t.-1) - least)) ->
  head_follow D model picks c dir n t o before kept = Some path ->
  forall s, (t <= s <= t + n)%nat -> head_seen_at s /\
    ((s < t + n)%nat -> moves_from (head_gradient h) (run_rule spec) (w s)).
Proof.
elim: n => [|n IH] t o before kept path at_o Hb /=; case: ifP => // check rest; have now :=
  head_step_check_sound at_o Hb check.
  by move=> s; rewrite addn0 => /andP[ts st]; have -> : s = t by [apply/eqP; rewrite eqn_leq ts st]; split=> //;
    rewrite ltnn.
have Rok : picks_ok D (references o) by case/and4P: check.
case Ea: (head_advance _ _ _ _ _ _ _ _) rest => [o'|] // rest.
have [at_o' def] := head_advance_sound Dok spec_ok gaps_in excess_in (fun _ => erefl) at_o Rok Ea.
have Hgap : (0 < t.+1 <= decreases_until c)%nat ->
    contains (head_gap_at D model picks c t (look o)) (head_loss h (w t.+1.-1) - least).
  by move=> _; exact: head_gap_at_contains.
move=> s /andP[ts sn]; move: ts; rewrite leq_eqVlt => /orP[/eqP <- | ts]; first by split.
by rewrite -addSnnS; apply: (IH _ _ _ _ _ at_o' Hgap rest); rewrite ts /= addSnnS.
Qed.

Lemma head_follow_path n : 0 < vnorm ws -> forall t o before kept path, orbit_at t o ->
  head_follow D model picks c dir n t o before kept = Some path ->
  exists2 passed, path.1 = rev passed ++ kept.1 &
    if keeps_path c then path_encloses ws (fun j => w (t + j)) passed else passed = [::].
Proof.
move=> s0; elim: n => [|n IH] t o before kept path at_o /=; case: ifP => // check.
  have here := place_of_encloses P Dok spec_ok (proj2 at_o) sv_ok radius_contains near_solution s0.
  move=> [<-]; rewrite /keep; case: (keeps_path c); last by exists [::].
  by exists [:: place_of D spec P F dir o] => // -[|j] x0 // _; rewrite addn0.
have here := place_of_encloses P Dok spec_ok (proj2 at_o) sv_ok radius_contains near_solution s0.
have Rok : picks_ok D (references o) by case/and4P: check.
case Ea: (head_advance _ _ _ _ _ _ _ _) => [o'|] // rest.
have [at_o' _] := head_advance_sound Dok spec_ok gaps_in excess_in (fun _ => erefl) at_o Rok Ea.
have [passed -> encloses] := IH _ _ _ _ _ at_o' rest; move: encloses; rewrite /keep.
case: (keeps_path c) => [encloses | ->]; last by exists [::].
exists (place_of D spec P F dir o :: passed); first by rewrite rev_cons cat_rcons.
by case=> [|j] x0 /=; [rewrite addn0 | rewrite ltnS addnS -addSn; exact: encloses].
Qed.

(* An orbit of the run at step t, every step up to it defined. *)
Definition head_reaches (t : nat) (o : orbit N) : Prop :=
  orbit_at t o /\ forall k, (k < t)%nat -> moves_from (head_gradient h) (run_rule spec) (w k).

Let kept_orbits t o kept : head_reaches t o -> (forall s o1, List.In (s, o1) kept.2 -> head_reaches s o1) ->
  forall s o1, List.In (s, o1) (keep D c dir t o kept).2 -> head_reaches s o1.
Proof. by move=> at_o old s o1; rewrite /keep /=; case: ifP => _ /=; [case=> [[<- <-] //|]|]; exact: old. Qed.

Lemma head_follow_orbits n : forall t o before kept path, head_reaches t o ->
  (forall s o1, List.In (s, o1) kept.2 -> head_reaches s o1) ->
  head_follow D model picks c dir n t o before kept = Some path ->
  forall s o1, List.In (s, o1) path.2 -> head_reaches s o1.
Proof.
elim: n => [|n IH] t o before kept path at_o old /=; case: ifP => // check.
  by move=> [<-] s o1; exact: kept_orbits.
have Rok : picks_ok D (references o) by case/and4P: check.
case Ea: (head_advance _ _ _ _ _ _ _ _) => [o2|] // rest; have [at_ before_t] := at_o.
have [at_o2 def] := head_advance_sound Dok spec_ok gaps_in excess_in (fun _ => erefl) at_ Rok Ea.
have at_next : head_reaches t.+1 o2.
  by split=> // k; rewrite ltnS leq_eqVlt => /orP[/eqP -> | /before_t].
exact: (IH _ _ _ _ _ at_next (kept_orbits at_o old) rest).
Qed.
End Soundness.

(* The check, for a solution known within a radius. *)
Theorem head_run_check_sound (N : number) (D : token_data N) (picks : seq nat) (Dok : data_ok D)
    (Pok : picks_ok D picks) (h : head (problem D)) (model : head_model N) (c : run_claim N) (v : vector N)
    (radius : interval N) (ws : vec (coord (problem D))) (R0 : R) path :
  (forall refs (Rok : picks_ok D refs) w a, encloses a (attention w) ->
    encloses (model_gaps model refs a) (slope_gap (selection_of Rok) h w)) ->
  (forall w a, encloses a (attention w) -> column_encloses (D := D) (model_excess model picks a)
    (fun i => head_value h i (attention w) - head_value h i (chosen (selection_of Pok)))) ->
  vector_ok D picks v -> contains radius R0 ->
  vnorm (W (selection_of Pok) (@coefficient_of N D v) - ws)%V <= R0 ->
  head_run_check D model picks c (direction_of D picks (precision c) v radius) = Some path ->
  [/\ 0 < vnorm ws, head_run_holds h (selection_of Pok) ws c,
      path_encloses ws (head_run h (selection_of Pok) c) path.1 &
      forall t o, List.In (t, o) path.2 -> head_reaches Pok h c t o].
Proof.
move=> gaps_in excess_in vok Hr near; rewrite /head_run_check; case: ifP => // /and4P[spec_ok pos cps dec].
case fol: (head_follow _ _ _ _ _ _ _ _ _ _) => [kept|] // [<-].
have begins := first_head_orbit_at Dok h (selected_head_loss (selection_of Pok) h) spec_ok.
have orbits : forall s o, List.In (s, o) kept.2 -> head_reaches Pok h c s o.
  by apply: (head_follow_orbits Dok gaps_in excess_in spec_ok _ _ fol); [split | case].
have F0 : (0 < 0 <= decreases_until c)%nat ->
  contains (@Everything N) (head_loss h (head_run h (selection_of Pok) c 0.-1) -
    selected_head_loss (selection_of Pok) h) by [].
have seen := head_follow_sound Dok gaps_in excess_in vok Hr near spec_ok begins F0 fol; rewrite !add0n in seen.
have s0 := is_positive_real (solution_norm_contains Dok (precision c) vok Hr near) pos.
split; [exact: s0 | exact: seen_sequence cps dec seen | | exact: orbits].
have [passed E encloses] := head_follow_path Dok gaps_in excess_in vok Hr near spec_ok s0 begins fol.
rewrite /= E cats0 revK; move: encloses; case: (keeps_path c) => [encloses | -> //].
by move=> t x0 tl; have := encloses t x0 tl; rewrite add0n.
Qed.
