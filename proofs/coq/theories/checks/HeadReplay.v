(* HeadReplay: the pseudo-orbit of a run of a head of several outputs, and why it stays near the true one.

   As in Replay.v an exact iterate goes beside the true one, with a proved bound of their distance. The weights are
   those of every matrix of the ball around it, for each rule, and what they deviate from known ones bounds how far a
   step takes the two apart (PseudoOrbit.v): no derivative of the gradient is needed, but more bits than with one. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads HeadRanges HeadRuns Number Rows TokenData MarginChecks
                           OptimalityChecks EnclosureChecks Interval Elementary IntervalTables AttentionIntervals Runs
                           PseudoOrbit Replay GrowthSound ReplaySound AdvanceSound OutputHeads OutputValues.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section HeadReplay.
Variables (N : number) (D : token_data N).
Variables (h : head (problem D)) (model : head_model N) (picks : seq nat) (spec : specification N) (least : R)
  (P F : Z).
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation Q := radius_bits.

Definition head_trajectory : nat -> vec (coord (problem D)) :=
  iterated (moved (head_gradient h) (fun z => head_loss h z - least) (run_rule spec) (sizes spec))
    (@start_point N D spec).

Lemma head_trajectory_follows : head_follows h least (run_rule spec) (sizes spec) head_trajectory.
Proof. by []. Qed.

Definition head_orbit_at (t : nat) (o : orbit N) : Prop :=
  real (clock o) = INR t.+1 /\ close_to spec F o (head_trajectory t).

(* What is seen of all matrices in the ball around an iterate. *)
Definition head_look (o : orbit N) : view N :=
  let refs := references o in
  let m := margins_of D refs (position o) in
  let reach := distance_table D Q refs in
  let factors := by_counts D P (exp_minus_table P (ball_margins D spec P F m reach (away o))) in
  let a := spread_column (fun z e => idiv P e z) (group_sums P factors) factors in
  let gaps := model_gaps model refs a in
  let mean := group_sums P (combine_tables (imul P) a gaps) in
  View reach a [::] [::]
    (combine_tables (imul P) (map_rows (imul P (group_share D P)) a) (spread_column (fun x g => isub P g x) mean gaps)).

(* The loss above that of the selected tokens. *)
Definition head_gap_of (v : view N) : interval :=
  isum P [seq imul P (group_share D P) e | e <- model_excess model picks (view_attention v)].

Definition head_advance (o : orbit N) (w : view N) : option (orbit N) :=
  let refs := references o in
  let vel := velocity_of D P refs w in
  let tau := step_factor_in P (run_rule spec) (eta spec P (clock o)) head_gap_of w vel in
  let steps := map_rows (fun c => imul P tau (dyadic c (scale vel))) (centres vel) in
  let thetas := map_rows (fun I => (ends (- F) I).1) steps in
  let errors := map_rows (fun I => let ab := ends (- F) I in dyadic (sub ab.2 ab.1) (- F)) steps in
  let rounding := isum Q (group_sums Q (combine_tables (imul Q) errors (view_reaches w))) in
  if [&& is_nonnegative tau, certainly_lt (deviation vel) (speed vel)
    || (if run_rule spec is GradientSteps then true else false),
      all_bounded (view_omegas w) & all_bounded steps] then
    let next := add_combinations (left_dimension D) (position o) (sequences D) refs
      (map_rows (mul (start_unit spec)) thetas) in
    Some (Orbit next (upper_end (iadd Q (iadd Q (away o) (imul Q tau (deviation vel))) rounding))
      (add (clock o) one) (leaders refs (logit_rows D next)))
  else None.
End HeadReplay.

(* ---- soundness ---- *)

(* Nothing here computes. *)
Local Opaque combination isum iadd isub imul idiv imax.

Section Sound.
Variables (N : number) (D : token_data N).
Hypothesis Dok : data_ok D.
Variables (h : head (problem D)) (model : head_model N) (picks : seq nat) (spec : specification N) (least : R)
  (P F : Z).
Hypothesis Pok : picks_ok D picks.
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation Q := radius_bits.
Notation trajectory := (head_trajectory h spec least).
Notation orbit_at := (head_orbit_at h spec least F).
Notation look := (head_look D model spec P F).
Notation advance := (head_advance D model picks spec P F).
Notation position_real := (@Replay.position_real N D spec F).
Notation token := (token (problem D)).
Hypothesis spec_ok : specification_ok D spec F.
Hypothesis gaps_in : forall refs (Rok : picks_ok D refs) w a, encloses a (attention w) ->
  encloses (model_gaps model refs a) (slope_gap (selection_of Rok) h w).
Hypothesis excess_in : forall w a, encloses a (attention w) -> column_encloses (D := D) (model_excess model picks a)
  (fun i => head_value h i (attention w) - head_value h i (chosen alpha)).

Lemma first_head_orbit_at : orbit_at 0 (first_orbit D spec F).
Proof.
have [sh ck near] := first_orbit_at Dok Correlation 0 spec_ok; split=> //.
Qed.

(* A slope against the mean, by differences from the reference's. *)
Lemma slope_differences (beta : selection (problem D)) w t : head_slope h (group_of t) (attention w) t -
    mean_slope h w (group_of t) = slope_gap beta h w t -
    \sum_(u | group_of u == group_of t) attention w u * slope_gap beta h w u.
Proof.
have -> : \sum_(u | group_of u == group_of t) attention w u * slope_gap beta h w u =
    mean_slope h w (group_of t) - head_slope h (group_of t) (attention w) (beta (group_of t)).
  have one := attention_sum beta w (group_of t).
  rewrite -[head_slope h _ _ (beta _)]Rmult_1_l -one sum_mulr /mean_slope -sumB; apply: eq_bigr => u /eqP ut.
  by rewrite /slope_gap /selected ut; ring.
by rewrite /slope_gap /selected; ring.
Qed.

Section Seen.
Variables (o : orbit N) (w : vec (coord (problem D))).
Hypothesis close : close_to spec F o w.
Hypothesis Rok : picks_ok D (references o).
Let beta : selection (problem D) := selection_of Rok.
Notation refs := (references o).

Lemma head_look_reaches : encloses (view_reaches (look o)) (fun t => vnorm (Delta beta t)).
Proof. exact: (distance_table_encloses Q Dok Rok). Qed.

Lemma head_look_attention : encloses (view_attention (look o)) (attention w).
Proof. exact (attention_table_encloses P Dok (ball_margins_enclose Dok P spec_ok close Rok)). Qed.

Lemma head_look_omegas : encloses (view_omegas (look o)) (head_omega h w).
Proof.
have attended := head_look_attention; have gaps := gaps_in Rok attended.
have means := group_sums_enclose P (combine_encloses (H := fun t => attention w t * slope_gap beta h w t) attended gaps
  (fun t I J HI HJ => imul_contains P HI HJ)).
have shared : encloses (map_rows (imul P (group_share D P)) (view_attention (look o)))
    (fun t => weight (group_of t) * attention w t).
  by apply: (map_encloses attended) => t I HI; apply: imul_contains => //; exact: group_share_contains.
have apart := spread_column_encloses (f := fun x g => isub P g x) (G := fun t => slope_gap beta h w t -
  \sum_(u | group_of u == group_of t) attention w u * slope_gap beta h w u) means gaps
  (fun t I J HI HJ => isub_contains P HJ HI).
apply: (combine_encloses shared apart) => t I J HI HJ.
by rewrite /head_omega (slope_differences beta) -Rmult_assoc; exact: imul_contains.
Qed.

Let fits_omegas : fits D (view_omegas (look o)). Proof. by case: head_look_omegas. Qed.
Let vel := velocity_of D P refs (look o).
Let known := known_combination Rok vel.
Notation V := (- head_gradient h w)%V.

Lemma head_velocity : all_bounded (view_omegas (look o)) ->
  exists2 R0, contains (deviation vel) R0 & vdist V known <= R0.
Proof.
move=> bounded; have [R0 HR near] := combination_deviation P head_look_reaches fits_omegas bounded.
by exists R0 => //; rewrite (head_gradient_constraints beta); exact: near head_look_omegas.
Qed.

Lemma head_known_speed : contains (speed vel) (vnorm known).
Proof. exact: (combination_speed Dok Rok P _ fits_omegas). Qed.

Lemma head_gap_contains : contains (head_gap_of D model picks P (look o)) (head_loss h w - selected_head_loss alpha h).
Proof.
have E := excess_in head_look_attention; rewrite /head_loss /selected_head_loss -sumB.
apply: (column_sum_contains (D := D)); apply: (map_column E) => i I HI; rewrite -Rmult_minus_distr_l.
by apply: imul_contains => //; exact: group_share_contains.
Qed.

(* Steps with factors in tau, rounded. *)
Variables (tau : interval) (lam : R).
Hypothesis factor_in : contains tau lam.
Let steps := map_rows (fun c => imul P tau (dyadic c (scale vel))) (centres vel).
Let placed := map_rows (mul (start_unit spec)) (map_rows (fun I => (ends (- F) I).1) steps).
Let errors := map_rows (fun I => let ab := ends (- F) I in dyadic (sub ab.2 ab.1) (- F)) steps.
Definition head_step : vec (coord (problem D)) :=
  combine (constraint beta) (@coefficient N D placed (real (place_unit spec F))) (Delta beta).

Lemma head_fits_steps : fits D steps. Proof. by do 2 apply: fits_map. Qed.
Lemma head_fits_placed : fits D placed. Proof. by do 2 apply: fits_map; exact: head_fits_steps. Qed.

Lemma head_rounding : all_bounded steps ->
  exists2 e, contains (isum Q (group_sums Q (combine_tables (imul Q) errors (view_reaches (look o))))) e &
    vdist (lam * known)%V head_step <= e.
Proof.
move=> bs; have fs := head_fits_steps.
pose err (s : token) := real (sub (ends (- F) (at_token anything steps s)).2
  (ends (- F) (at_token anything steps s)).1) * power (- F).
have su0 : 0 < real (start_unit spec) by case/and5P: spec_ok => _ _ /lt_real; rewrite real0.
have placedE s : @coefficient N D placed (real (place_unit spec F)) s =
    real (ends (- F) (at_token anything steps s)).1 * power (- F).
  have pF := power_gt0 F; have ft : fits D (map_rows (fun I => (ends (- F) I).1) steps) by exact: fits_map.
  have -> : @coefficient N D placed (real (place_unit spec F)) s =
    real (at_token zero placed s) / real (place_unit spec F) by [].
  rewrite /placed (at_token_map zero) // (at_token_map anything) // realM (place_unit_real spec_ok) power_opp.
  by field; lra.
have near s : Rabs (lam * known_coefficient vel s - @coefficient N D placed (real (place_unit spec F)) s) <= err s.
  have H : contains (at_token anything steps s) (lam * known_coefficient vel s).
    rewrite /steps (at_token_map zero); last by apply: fits_map.
    rewrite known_coefficient_value; apply: imul_contains => //.
    exact: dyadic_contains.
  have [h1 h2] := ends_spec (- F) (all_bounded_at s fs bs) H.
  by rewrite placedE /err realB Rabs_pos_eq; lra.
exists (\sum_s err s * vnorm (Delta beta s)).
  have He : encloses errors err by apply: (encloses_map (e0 := anything)) => // s; exact: dyadic_contains.
  exact: (table_sum_contains Q (combine_encloses He head_look_reaches (fun s I J => @imul_contains N Q I J _ _))).
rewrite /known /known_combination -combine_scale; apply: Rle_trans (combine_distance _ _ _ _) _.
rewrite [X in X <= _]big_mkcond; apply: sum_le => s _; have v0 := vnorm_ge0 (Delta beta s); have ns := near s.
case: ifP => _; first exact: Rmult_le_compat_r.
by apply: Rmult_le_pos => //; apply: Rle_trans ns; exact: Rabs_pos.
Qed.
End Seen.

(* What a run's step is defined by. *)
Definition head_step_defined : vec (coord (problem D)) -> Prop := moves_from (head_gradient h) (run_rule spec).

Hypothesis least_is : run_rule spec = PolyakSteps -> least = selected_head_loss alpha h.

Theorem head_advance_sound t o o' : orbit_at t o -> picks_ok D (references o) -> advance o (look o) = Some o' ->
  orbit_at t.+1 o' /\ head_step_defined (trajectory t).
Proof.
move=> [ck close] Rok; have [sh [r Hr near]] := close; have n0 := place_unit_gt0 spec_ok.
rewrite /head_advance; set vel := velocity_of _ _ _ _; set tau := step_factor_in _ _ _ _ _ _.
set w := trajectory t.
case: ifP => // /and4P[nonneg moving omegas bs] [<-].
have [R0 HR dev] := head_velocity close Rok omegas; have Hs := head_known_speed close Rok.
have He := eta_contains spec P ck; have eta0 := sizes_gt0 spec_ok t.
pose lam := step_factor (head_gradient h) (fun z => head_loss h z - least) (run_rule spec) (sizes spec) t w.
have speeds : run_rule spec <> GradientSteps -> R0 < vnorm (known_combination Rok vel).
  by case: (run_rule spec) moving => //; rewrite orbF => m _; exact: certainly_lt_real HR Hs m.
have factor_in : contains tau lam.
  have [fo _] := head_look_omegas close Rok.
  have speed_in : contains (ball_speed P vel) (vnorm (head_gradient h w)).
    rewrite -vnormN (head_gradient_constraints (selection_of Rok)).
    by apply: (ball_speed_contains Dok fo P HR); rewrite -(head_gradient_constraints (selection_of Rok)).
  have gap_in := head_gap_contains close Rok.
  by apply: step_factor_in_contains He speed_in _ => polyak; rewrite (least_is polyak); exact: gap_in.
have lam0 := is_nonnegative_real factor_in nonneg.
have [e He' rounded] := head_rounding close Rok factor_in bs.
have moved_by := gradient_step_distance lam0 near dev rounded.
have pn : real (place_unit spec F) <> 0 by lra.
have [sh' moved] := matrix_real_add Dok Rok sh (head_fits_placed close Rok tau) pn.
split; last first.
  move=> no; have close_speed := speeds no.
  have := vnorm_sub_ge (known_combination Rok vel) (- head_gradient h w)%V.
  rewrite -/(vdist (known_combination Rok vel) _) vdistC vnormN => apart.
  have d : vdist (- head_gradient h w)%V (known_combination Rok vel) <= R0 := dev.
  by lra.
split; first by rewrite /= realD real1 ck -S_INR.
split; first exact: sh'.
have [z Hz zle] := upper_end_bound (iadd_contains Q (iadd_contains Q Hr (imul_contains Q factor_in HR)) He').
exists z; first exact: Hz.
have against (a : R) (x g : vec (coord (problem D))) : (x - a * g)%V = (x + a * (- g))%V by vec_ring.
have next : trajectory t.+1 = (w + lam * (- head_gradient h w))%V by exact: against.
apply: Rle_trans zle; rewrite next; apply: Rle_trans moved_by; right; congr vdist.
by rewrite /Replay.position_real position_unit_real /= moved.
Qed.
End Sound.
