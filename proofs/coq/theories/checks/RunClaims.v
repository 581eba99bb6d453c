(* RunClaims: a claim about an optimiser run, checked by replaying the run, and the soundness of that check. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Number Rows TokenData Losses Claims MarginChecks OptimalityChecks Interval
                           Elementary AttentionIntervals Runs Replay ReplaySound AdvanceSound RunChecks PathChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Record run_claim (N : number) := RunClaim {
  run_loss : loss_name;
  run_specification : specification N;
  run_steps : nat;
  checkpoints : seq (checkpoint N);
  decreases_until : nat;
  rates : seq (rate_claim N);
  keeps_path : bool;   (* a later claim speaks about the places passed *)
  (* Guesses: working precision, binary places of the iterates, precision of what is observed. *)
  precision : Z; places : Z; shown : Z
}.

(* ---- what a run claim says of a sequence w, of any head ---- *)

Section Meaning.
Variables (N : number) (p : selection_problem).
(* What makes a step from a point defined, what a checkpoint says of a point, and the training loss. *)
Variables (defined : vec (coord p) -> Prop) (in_bands : bands -> vec (coord p) -> Prop) (value : vec (coord p) -> R).
Variables (ws : vec (coord p)) (c : run_claim N) (w : nat -> vec (coord p)).

Definition rate_holds (r : rate_claim N) (t : nat) : Prop :=
  0 < vnorm (w t) /\ one_minus_corr ws (w t) <= fraction_real (constant r) * shape_value (rate_shape_of r) (INR t).

Definition sequence_says : Prop :=
  [/\ forall t, (t < run_steps c)%nat -> defined (w t),
      forall k c0, (k < size (checkpoints c))%nat -> let at_ := nth c0 (checkpoints c) k in
        (at_step at_ <= run_steps c)%nat /\ in_bands (bands_of at_) (w (at_step at_)),
      (decreases_until c <= run_steps c)%nat /\
        forall t, (t < decreases_until c)%nat -> value (w t.+1) < value (w t) &
      forall k r0, (k < size (rates c))%nat -> let r := nth r0 (rates c) k in
        forall t, (from_step r <= t <= run_steps c)%nat -> rate_holds r t].

(* What is established at step t. *)
Definition seen_at (t : nat) : Prop :=
  [/\ forall k c0, (k < size (checkpoints c))%nat -> at_step (nth c0 (checkpoints c) k) = t ->
        in_bands (bands_of (nth c0 (checkpoints c) k)) (w t),
      (0 < t <= decreases_until c)%nat -> value (w t) < value (w t.-1) &
      forall k r0, (k < size (rates c))%nat -> (from_step (nth r0 (rates c) k) <= t)%nat ->
        rate_holds (nth r0 (rates c) k) t].

(* Step by step, to the last one. *)
Lemma seen_sequence : all (fun at_ => at_step at_ <= run_steps c)%nat (checkpoints c) ->
  (decreases_until c <= run_steps c)%nat ->
  (forall t, (0 <= t <= run_steps c)%nat -> seen_at t /\ ((t < run_steps c)%nat -> defined (w t))) -> sequence_says.
Proof.
move=> cps dec seen; split.
- move=> t tl; have [|_ H] := seen t; first by rewrite leq0n ltnW.
  exact: H.
- move=> k c0 kl at_; have tl := all_nthP c0 cps k kl; split=> //.
  by have [|[H _ _] _] := seen (at_step at_); [rewrite leq0n | apply: H].
- split=> // t tl; have [|[_ H _] _] := seen t.+1; first by rewrite leq0n (leq_trans tl).
  by apply: H; rewrite tl.
by move=> k r0 kl r t /andP[ft tl]; have [|[_ _ H] _] := seen t; [rewrite leq0n | apply: H].
Qed.
End Meaning.

Section RunClaims.
Variables (N : number) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).

(* What the claim says of a selection whose margin problem has the solution ws, for the loss `least`
   of the best scores. *)
Definition run_holds (beta : selection (problem D)) (ws : vec (coord (problem D))) (least : R)
  (c : run_claim N) : Prop :=
  let l := loss_of (run_loss c) in
  sequence_says (step_defined l (run_rule (run_specification c))) (in_bands beta l least ws) (training_loss l) ws c
    (@trajectory N D (run_loss c) (run_specification c) least).

Variable c : run_claim N.
Notation l := (run_loss c).
Notation spec := (run_specification c).
Notation P := (precision c).
Notation F := (places c).
Notation O := (shown c).
Variable dir : enclosed_direction N.

Definition rates_check (o : orbit N) (t : nat) : bool :=
  let due := [seq r <- rates c | from_step r <= t]%nat in
  if due is [::] then true
  else
    let n := norm_of D spec P F o in
    let T := exactly (sub (clock o) one) in
    is_positive n && all (rate_check P T (ilog rate_bits T) (corr_of P n (along_of D spec P F dir o))) due.

(* The loss above its least value, from few bits near the iterate and, where these do not say that it fell, from all of
   it. Conditions are `if`: Coq's virtual machine would compute both sides of a disjunction. *)
Definition best_near : seq (seq interval) * seq interval :=
  (best_gaps D growth_bits, selected_scores D growth_bits (best_picks D)).
Definition gap_near (best : seq (seq interval) * seq interval) (t : nat) (ball : view N) : interval :=
  if (t <= decreases_until c)%nat then gap_from D l growth_bits best.1 best.2 growth_bits ball else anything.
Definition gap_at (o : orbit N) : interval := gap_of D l P P (look D l spec P F o).
Definition falls (t : nat) (earlier o : orbit N) (before gap : interval) : bool :=
  if (0 < t <= decreases_until c)%nat then
    if certainly_lt gap before then true else certainly_lt (gap_at o) (gap_at earlier)
  else true.
Definition step_check (t : nat) (earlier o : orbit N) (before gap : interval) : bool :=
  [&& picks_ok D (references o),
      all (fun at_ => if at_step at_ == t
        then checkpoint_check D picks l spec P F O dir o (look D l spec P F o) at_ else true) (checkpoints c),
      falls t earlier o before gap &
      rates_check o t].

(* What a replay leaves for later claims: the places passed, if one speaks about them, and the orbits at the
   checkpoints. *)
Definition trail : Type := (seq (place N) * seq (nat * orbit N))%type.
Definition keep (t : nat) (o : orbit N) (kept : trail) : trail :=
  (if keeps_path c then place_of D spec P F dir o :: kept.1 else kept.1,
   if has (fun at_ => at_step at_ == t) (checkpoints c) then (t, o) :: kept.2 else kept.2).
(* From step t on, n more steps, after the orbit `earlier` with the loss `before`. Returns the places kept, the last
   one first. *)
Fixpoint follow (best : seq (seq interval) * seq interval) (n t : nat) (earlier o : orbit N) (g : sight N)
    (before : interval) (kept : trail) : option trail :=
  let ball := near_with D l spec F o g in
  let gap := gap_near best t ball in
  if step_check t earlier o before gap then
    let kept' := keep t o kept in
    if n is m.+1
    then if advance_with D l spec P F o ball g is Some next
      then follow best m t.+1 o next.1 next.2 gap kept' else None
    else Some kept'
  else None.

Definition run_check : option trail :=
  let first := first_orbit D spec F in
  if [&& specification_ok D spec F, best_ok D && defined_ok D l, is_positive (solution_norm dir),
    all (fun at_ => at_step at_ <= run_steps c)%nat (checkpoints c) &
         (decreases_until c <= run_steps c)%nat]
  then omap (fun kept => (rev kept.1, kept.2))
    (follow best_near (run_steps c) 0 first first (sight_of D P first) anything ([::], [::]))
  else None.
End RunClaims.

(* An orbit of a run at step t, every step up to it defined. *)
Definition reaches_orbit (N : number) (D : token_data N) (l : loss_name) (s : specification N) (F : Z) (least : R)
    (t : nat) (o : orbit N) : Prop :=
  orbit_at D l s least F t o /\
  forall k, (k < t)%nat -> step_defined (loss_of l) (run_rule s) (@trajectory N D l s least k).

Section Soundness.
Variables (N : number) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Variable c : run_claim N.
Notation spec := (run_specification c).
Notation P := (precision c).
Notation F := (places c).
Let l := loss_of (run_loss c).
Variables (sv : vector N) (radius : interval) (ws : vec (coord (problem D))) (R0 : R).
Hypotheses (sv_ok : vector_ok D picks sv) (radius_contains : contains radius R0).
Hypothesis near_solution : vdist (W alpha (@coefficient_of N D sv)) ws <= R0.
Let dir := direction_of D picks P sv radius.
Hypotheses (spec_ok : specification_ok D spec F) (Bok : best_ok D) (defined : loss_defined (problem D) l).
Let least : R := least_loss (best_alpha Bok) l.
Let w := @trajectory N D (run_loss c) spec least.

Notation seen_at := (seen_at (in_bands alpha l least ws) (training_loss l) ws c w).

Lemma rates_check_sound v o t k r0 : real (clock o) = INR t.+1 -> close_to spec F o v -> rates_check D c dir o t ->
  (k < size (rates c))%nat -> (from_step (nth r0 (rates c) k) <= t)%nat ->
  0 < vnorm v /\ one_minus_corr ws v <=
    fraction_real (constant (nth r0 (rates c) k)) * shape_value (rate_shape_of (nth r0 (rates c) k)) (INR t).
Proof.
move=> ck close H kl due.
have HT : contains (exactly (sub (clock o) one)) (INR t).
  have := exactly_contains (sub (clock o) one).
  by rewrite realB ck real1 S_INR (_ : INR t + 1 - 1 = INR t) //; ring.
have Hn := norm_contains Dok P spec_ok close.
have [pos Hr] : is_positive (norm_of D spec P F o) /\
    rate_check P (exactly (sub (clock o) one)) (ilog rate_bits (exactly (sub (clock o) one)))
      (corr_of P (norm_of D spec P F o) (along_of D spec P F dir o))
      (nth r0 (rates c) k).
  move: H; rewrite /rates_check; set due_rates := filter _ _.
  have [j jl jE] : exists2 j, (j < size due_rates)%nat & nth r0 due_rates j = nth r0 (rates c) k.
    move: due kl; rewrite /due_rates; elim: (rates c) k => // a s IH [|k] /=; first by move=> -> _; exists 0%nat.
    rewrite ltnS => due kl; have [j jl <-] := IH k due kl.
    by case: ifP => _; [exists j.+1 | exists j].
  case: due_rates jl jE => // a s jl jE /andP[-> Hall]; split=> //.
  by have := all_nthP r0 Hall j jl; rewrite jE.
have n0 := is_positive_real Hn pos.
split=> //; apply/Rlt_le; apply: certainly_lt_real Hr;
  first exact: (corr_contains Dok P spec_ok close sv_ok radius_contains near_solution n0).
apply: imul_contains; first exact: claimed_contains.
by apply: shape_contains => //; exact: ilog_contains.
Qed.

(* The losses at t - 1 and t. *)
Let height_at (t : nat) : R := training_loss l (w t) - least.

Lemma gap_near_contains t o : orbit_at D (run_loss c) spec least F t o -> picks_ok D (references o) ->
  (t <= decreases_until c)%nat ->
  contains (gap_near D c (best_near D) t (near_orbit D (run_loss c) spec F o)) (height_at t).
Proof.
move=> at_o Rok tl; rewrite /gap_near tl.
exact: (gap_contains Dok _ growth_bits spec_ok (orbit_close at_o) Rok growth_bits Bok).
Qed.

Lemma gap_at_contains t o : orbit_at D (run_loss c) spec least F t o -> picks_ok D (references o) ->
  contains (gap_at D c o) (height_at t).
Proof. by move=> at_o Rok; exact: (gap_contains Dok _ P spec_ok (orbit_close at_o) Rok P Bok). Qed.

(* What is known of the step before t. *)
Definition known_before (t : nat) (earlier : orbit N) (before : interval) : Prop :=
  (0 < t <= decreases_until c)%nat ->
  [/\ contains before (height_at t.-1), orbit_at D (run_loss c) spec least F t.-1 earlier &
      picks_ok D (references earlier)].

Lemma step_check_sound t earlier o before : orbit_at D (run_loss c) spec least F t o ->
  known_before t earlier before ->
  step_check D picks c dir t earlier o before (gap_near D c (best_near D) t (near_orbit D (run_loss c) spec F o)) ->
  seen_at t.
Proof.
move=> at_o known /and4P[Rok cps dec rts]; split=> [k c0 kl E | td | k r0 kl due].
- have := all_nthP c0 cps k kl; rewrite E eqxx /=.
  exact: (checkpoint_check_sound Dok spec_ok (orbit_close at_o) sv_ok radius_contains near_solution Rok Bok).
- have [Hb at_earlier Rok'] := known td; move: dec; rewrite /falls td.
  case: ifP => [near _ | _ exact_].
    have tl : (t <= decreases_until c)%nat by case/andP: td.
    by have := certainly_lt_real (gap_near_contains at_o Rok tl) Hb near; rewrite /height_at; lra.
  by have := certainly_lt_real (gap_at_contains at_o Rok) (gap_at_contains at_earlier Rok') exact_;
    rewrite /height_at; lra.
have [_ ck _] := at_o; exact: rates_check_sound ck (orbit_close at_o) rts kl due.
Qed.

Lemma follow_sound n : forall t earlier o before kept path, orbit_at D (run_loss c) spec least F t o ->
  known_before t earlier before ->
  follow D picks c dir (best_near D) n t earlier o (sight_of D P o) before kept = Some path ->
  forall s, (t <= s <= t + n)%nat -> seen_at s /\ ((s < t + n)%nat -> step_defined l (run_rule spec) (w s)).
Proof.
elim: n => [|n IH] t earlier o before kept path at_o known /=; rewrite near_with_sight; case: ifP => // check rest;
  have now := step_check_sound at_o known check.
  by move=> s; rewrite addn0 => /andP[ts st]; have -> : s = t by [apply/eqP; rewrite eqn_leq ts st]; split=> //;
    rewrite ltnn.
have Rok : picks_ok D (references o) by case/and4P: check.
case Ea: (advance_with _ _ _ _ _ _ _ _) rest => [[o' g']|] // rest.
have [/= {}Ea Eg] := advance_with_sight Ea; rewrite /= Eg in rest.
have [at_o' def] := advance_sound Dok spec_ok at_o Rok Ea defined (Bok := Bok) erefl.
have next : known_before t.+1 o (gap_near D c (best_near D) t (near_orbit D (run_loss c) spec F o)).
  by move=> /andP[_ tl]; split=> //; apply: gap_near_contains => //; exact: ltnW.
move=> s /andP[ts sn]; move: ts; rewrite leq_eqVlt => /orP[/eqP <- | ts]; first by split.
by rewrite -addSnnS; apply: (IH _ _ _ _ _ _ at_o' next rest); rewrite ts /= addSnnS.
Qed.

Lemma follow_path n : 0 < vnorm ws -> forall t earlier o before kept path, orbit_at D (run_loss c) spec least F t o ->
  follow D picks c dir (best_near D) n t earlier o (sight_of D P o) before kept = Some path ->
  exists2 passed, path.1 = rev passed ++ kept.1 &
    if keeps_path c then path_encloses ws (fun j => w (t + j)) passed else passed = [::].
Proof.
move=> s0; elim: n => [|n IH] t earlier o before kept path at_o /=; rewrite near_with_sight; case: ifP => // check.
  have here := place_of_encloses P Dok spec_ok (orbit_close at_o) sv_ok radius_contains near_solution s0.
  move=> [<-]; rewrite /keep; case: (keeps_path c); last by exists [::].
  by exists [:: place_of D spec P F dir o] => // -[|j] x0 // _; rewrite addn0.
have here := place_of_encloses P Dok spec_ok (orbit_close at_o) sv_ok radius_contains near_solution s0.
have Rok : picks_ok D (references o) by case/and4P: check.
case Ea: (advance_with _ _ _ _ _ _ _ _) => [[o' g']|] // rest.
have [/= {}Ea Eg] := advance_with_sight Ea; rewrite /= Eg in rest.
have [at_o' _] := advance_sound Dok spec_ok at_o Rok Ea defined (Bok := Bok) erefl.
have [passed -> encloses] := IH _ _ _ _ _ _ at_o' rest; move: encloses; rewrite /keep.
case: (keeps_path c) => [encloses | ->]; last by exists [::].
exists (place_of D spec P F dir o :: passed); first by rewrite rev_cons cat_rcons.
by case=> [|j] x0 /=; [rewrite addn0 | rewrite ltnS addnS -addSn; exact: encloses].
Qed.

Let reached := reaches_orbit D (run_loss c) spec F least.

Let kept_orbits t o kept : reached t o -> (forall s o1, List.In (s, o1) kept.2 -> reached s o1) ->
  forall s o1, List.In (s, o1) (keep D c dir t o kept).2 -> reached s o1.
Proof. by move=> at_o old s o1; rewrite /keep /=; case: ifP => _ /=; [case=> [[<- <-] //|]|]; exact: old. Qed.

Lemma follow_orbits n : forall t earlier o before kept path, reached t o ->
  (forall s o1, List.In (s, o1) kept.2 -> reached s o1) ->
  follow D picks c dir (best_near D) n t earlier o (sight_of D P o) before kept = Some path ->
  forall s o1, List.In (s, o1) path.2 -> reached s o1.
Proof.
elim: n => [|n IH] t earlier o before kept path at_o old /=; rewrite near_with_sight; case: ifP => // check.
  by move=> [<-] s o1; exact: kept_orbits.
have Rok : picks_ok D (references o) by case/and4P: check.
case Ea: (advance_with _ _ _ _ _ _ _ _) => [[o2 g2]|] // rest; have [at_ before_t] := at_o.
have [/= {}Ea Eg] := advance_with_sight Ea; rewrite /= Eg in rest.
have [at_o2 def] := advance_sound Dok spec_ok at_ Rok Ea defined (Bok := Bok) erefl.
have at_next : reached t.+1 o2.
  by split=> // k; rewrite ltnS leq_eqVlt => /orP[/eqP -> | /before_t].
exact: (IH _ _ _ _ _ _ at_next (kept_orbits at_o old) rest).
Qed.

Lemma run_seen path : run_check D picks c dir = Some path ->
  [/\ 0 < vnorm ws, run_holds alpha ws least c, path_encloses ws w path.1 &
      forall s o, List.In (s, o) path.2 -> reached s o].
Proof.
rewrite /run_check; case: ifP => // /and5P[_ _ pos cps dec].
case fol: (follow _ _ _ _ _ _ _ _ _ _ _ _) => [kept|] // [<-].
have begins := first_orbit_at Dok (run_loss c) least spec_ok.
have orbits : forall s o, List.In (s, o) kept.2 -> reached s o.
  by apply: follow_orbits _ fol; [split | case].
have F0 : known_before 0 (first_orbit D spec F) (@Everything N) by [].
have seen := follow_sound (first_orbit_at Dok (run_loss c) least spec_ok) F0 fol; rewrite !add0n in seen.
have s0 := is_positive_real (solution_norm_contains Dok P sv_ok radius_contains near_solution) pos.
split; [exact: s0 | exact: seen_sequence cps dec seen | | exact: orbits].
have [passed E encloses] := follow_path s0 (first_orbit_at Dok (run_loss c) least spec_ok) fol.
rewrite /= E cats0 revK; move: encloses; case: (keeps_path c) => [encloses | -> //].
by move=> t x0 tl; have := encloses t x0 tl; rewrite add0n.
Qed.
End Soundness.

(* The check, for a solution known within a radius. *)
Theorem run_check_sound (N : number) (D : token_data N) (picks : seq nat) (Dok : data_ok D) (Pok : picks_ok D picks)
    (c : run_claim N) (v : vector N) (radius : interval N) (ws : vec (coord (problem D))) (R0 : R) path :
  vector_ok D picks v -> contains radius R0 ->
  vnorm (W (selection_of Pok) (@coefficient_of N D v) - ws)%V <= R0 ->
  run_check D picks c (direction_of D picks (precision c) v radius) = Some path ->
  0 < vnorm ws /\
  forall b : selection (problem D), best b ->
  let least := least_loss b (loss_of (run_loss c)) in
  [/\ run_holds (selection_of Pok) ws least c, path_encloses ws
    (@trajectory N D (run_loss c) (run_specification c) least) path.1 &
   forall t o, List.In (t, o) path.2 -> reaches_orbit D (run_loss c) (run_specification c) (places c) least t o].
Proof.
move=> vok Hr near check.
have [spec_ok Bok defined] : [/\ specification_ok D (run_specification c) (places c), best_ok D &
    loss_defined (problem D) (loss_of (run_loss c))].
  move: check; rewrite /run_check; case: ifP => // /and5P[? /andP[? d] _ _ _] _.
  by split; [| | exact (defined_ok_sound Dok d)].
have [pos holds encloses orbits] := run_seen Dok vok Hr near spec_ok Bok defined check.
by split=> // b Hb; rewrite (best_least Dok Bok _ Hb).
Qed.
