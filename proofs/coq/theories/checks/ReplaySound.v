(* ReplaySound: the pseudo-orbit stays within its bound of the true run.

   What is seen of an orbit's iterate (look) holds of the true iterate, and a step keeps the bound (advance_sound). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Gradient Number Rows TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval IntervalTables AttentionIntervals Runs PseudoOrbit Replay.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section ReplaySound.
Variables (N : number) (D : token_data N).
Hypothesis Dok : data_ok D.
Variables (l : loss_name) (spec : specification N) (least : R) (P F : Z).
Notation interval := (interval N).
Notation orbit := (orbit N).
Notation anything := (@Everything N).
Notation Q := radius_bits.
Let d := left_dimension D.
Let e := right_dimension D.
Let dx := real (token_unit D).
Let dz := real (query_unit D).
Notation specification_ok := (Replay.specification_ok D spec F).
Notation start_point := (@Replay.start_point N D spec).
Notation sizes := (Replay.sizes spec).
Notation trajectory := (@Replay.trajectory N D l spec least).
Notation units := (Replay.units D).
Notation place_unit := (Replay.place_unit spec F).
Notation position_unit := (Replay.position_unit D spec F).
Notation position_real := (@Replay.position_real N D spec F).
Notation first_orbit := (Replay.first_orbit D spec F).
Notation orbit_at := (Replay.orbit_at D l spec least F).
Notation eta := (Replay.eta spec P).
Notation ball_margins := (Replay.ball_margins D spec P F).
Notation look := (Replay.look D l spec P F).
Notation velocity_of := (Replay.velocity_of D P).
Notation multiplier := (Replay.multiplier D l spec P).
Notation drift := (Replay.drift D l spec P).
Notation advance := (Replay.advance D l spec P F).
Hypothesis spec_ok : specification_ok.

Let F0 : (0 <= F)%Z.
Proof. by case/and5P: spec_ok => _ _ _ _ /Z.leb_le. Qed.
Let su0 : 0 < real (start_unit spec).
Proof. by case/and5P: spec_ok => _ _ /lt_real; rewrite real0. Qed.
Let step_den0 : 0 < real (fraction_den (run_step spec)).
Proof. by case/and5P: spec_ok => /fraction_den_gt0. Qed.
Let step_gt0 : 0 < fraction_real (run_step spec).
Proof. by case/and5P: spec_ok => _ /lt_real; rewrite real0 => h _ _ _; apply: Rdiv_lt_0_compat. Qed.
Let xz0 : 0 < dx * dz := units_gt0 Dok.

Lemma units_real : real units = dx * dz.
Proof. by rewrite /units realM. Qed.

Lemma place_unit_real : real place_unit = real (start_unit spec) * power F.
Proof. by rewrite /place_unit shift_up_real. Qed.

Lemma place_unit_gt0 : 0 < real place_unit.
Proof. by rewrite place_unit_real; apply: Rmult_lt_0_compat => //; exact: power_gt0. Qed.

Lemma position_unit_real : real position_unit = real place_unit * (dx * dz).
Proof. by rewrite /position_unit realM units_real. Qed.

Lemma position_unit_gt0 : 0 < real position_unit.
Proof. by rewrite position_unit_real; apply: Rmult_lt_0_compat => //; exact: place_unit_gt0. Qed.

Lemma sizes_gt0 t : 0 < sizes t.
Proof.
rewrite /sizes /step_size; have n0 : 0 < INR t.+1 by apply: lt_0_INR; apply/ltP.
by case: run_schedule => //; apply: Rdiv_lt_0_compat => //; exact: sqrt_lt_R0.
Qed.

Lemma eta_contains k t : real k = INR t.+1 -> contains (eta k) (sizes t).
Proof.
move=> E; rewrite /eta /sizes /step_size.
have HS : contains (idiv P (exactly (fraction_num (run_step spec))) (exactly (fraction_den (run_step spec))))
            (fraction_real (run_step spec)) by apply: idiv_contains; exact: exactly_contains.
have Hk := exactly_contains k; rewrite E in Hk.
by case: run_schedule => //; apply: idiv_contains => //; apply: isqrt_contains.
Qed.

Lemma first_orbit_at : orbit_at 0 first_orbit.
Proof.
have sh : shaped d e (start spec) by case/and5P: spec_ok.
split=> /=.
- move: sh; rewrite /shaped size_map => /andP[-> /=].
  by elim: (start spec) => //= row m IH /andP[/eqP sr H]; rewrite size_map sr eqxx IH.
- by rewrite real1.
exists 0; first exact: contains0.
have -> : position_real first_orbit = start_point; last by right; rewrite /vdist -(@vnorm0 (coord (problem D)));
  congr vnorm; vec_ring.
apply: vec_ext => jk; rewrite /position_real /start_point /matrix_real /=.
have -> : entry2 [seq [seq mul (shift_up a F) units | a <- row] | row <- start spec] jk.1 jk.2 =
          entry2 (start spec) jk.1 jk.2 * power F * (dx * dz).
  have /eqP sm := proj1 (andP sh); have jl := ltn_ord jk.1; have kl := ltn_ord jk.2.
  rewrite /entry2 /entry (nth_map [::]) ?sm // (nth_map zero) ?(shaped_row sh) //.
  by rewrite realM shift_up_real // units_real.
rewrite position_unit_real place_unit_real; have pF := power_gt0 F.
have H a b c : 0 < b -> 0 < c -> a * b * c / (real (start_unit spec) * b * c) = a / real (start_unit spec).
  by move=> b0 c0; field; lra.
exact: H.
Qed.
(* Adding to a matrix is adding to the vector it stands for. *)
Lemma matrix_real_add refs (Rok : picks_ok D refs) m cs (unit : R) : shaped d e m -> fits D cs -> unit <> 0 ->
  let beta := selection_of Rok in
  shaped d e (add_combinations d m (sequences D) refs cs) /\
  matrix_real (add_combinations d m (sequences D) refs cs) (unit * (dx * dz)) =
  (matrix_real m (unit * (dx * dz)) + combine (constraint beta) (coefficient cs unit) (Delta beta))%V.
Proof.
move=> sh Cok u0 beta; case/andP: (Cok) => /eqP sc Hc; case/andP: (Rok) => /eqP sp Hp; case/and4P: (Dok) => _ _ _ Hs.
have [sh' E] := add_combinations_spec sh Hs sp sc Hp Hc.
split=> //; rewrite -(weights_matrix_real Dok Rok Cok u0); apply: vec_ext => jk.
have [_ E0] := add_combinations_spec (shaped_zeros N d e) Hs sp sc Hp Hc.
by rewrite /vadd /matrix_real /weights_matrix E0 E entry2_zeros Rplus_0_l /Rdiv Rmult_plus_distr_r.
Qed.

(* ---- the loss above its least value ---- *)

Section Best.
Hypothesis Bok : best_ok D.

Definition best_alpha : selection (problem D) := selection_of (proj1 (andP Bok)).

Lemma best_selection : best best_alpha.
Proof.
move=> s; have [bestP nonneg] := andP Bok; have fg := fits_gaps Dok bestP; have [/eqP sg _] := andP fg.
have /le_real : le zero (at_token zero (gaps D (best_picks D)) s).
  apply: (all_nthP zero (all_nthP [::] nonneg _ _)); first by rewrite sg; exact: ltn_ord.
  exact: fits_at.
rewrite real0 => g0; have := gap_value Dok (proj1 (andP Bok)) s; rewrite /gap /selected -/best_alpha => E.
have : 0 <= real (at_token zero (gaps D (best_picks D)) s) / real (score_unit D).
  by apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat/(score_unit_gt0 Dok).
by rewrite -E; lra.
Qed.

Lemma best_least (b : selection (problem D)) (ll : loss) : best b -> least_loss b ll = least_loss best_alpha ll.
Proof.
move=> H; apply: eq_bigr => i _; congr (_ * ll _); apply: Rle_antisym.
  by have := best_selection (b i); rewrite group_of_pick.
by have := H (best_alpha i); rewrite group_of_pick.
Qed.
End Best.

(* ---- what is seen from an orbit's iterate holds of the true one ---- *)

Section Step.
Variables (t : nat) (o : orbit).
Hypothesis at_o : orbit_at t o.
Hypothesis Rok : picks_ok D (references o).
Let beta : selection (problem D) := selection_of Rok.
Let w := trajectory t.
Let ell := loss_of l.
Notation token := (token (problem D)).
Notation refs := (references o).

Let margin_rows := margins_of D refs (position o).
Let fits_margins : fits D margin_rows := fits_margins Rok (position o).

Lemma position_margin (s : token) :
  margin beta (position_real o) s = real (at_token zero margin_rows s) / real (mul position_unit units).
Proof.
have [sh _ _] := at_o; have u0 := position_unit_gt0.
by rewrite realM units_real -value_at_token -(margins_real Dok Rok _ sh) //; lra.
Qed.

Let reaches := distance_table_encloses Q Dok Rok.

Lemma ball_margins_enclose :
  encloses (ball_margins margin_rows (distance_table D Q refs) (away o)) (margin beta w).
Proof.
have [_ _ [r Hr near]] := at_o.
have exact : encloses (exact_table P (mul position_unit units) margin_rows) (margin beta (position_real o)).
  by apply: exact_table_encloses => // s; exact: position_margin.
apply: (combine_encloses exact reaches) => s I J HI HJ.
have -> : margin beta w s = margin beta (position_real o) s +
  (margin beta w s - margin beta (position_real o) s) by ring.
apply: iadd_contains => //; apply: (symmetric_contains (imul_contains Q Hr HJ)).
rewrite /margin -dotBr; apply: Rle_trans (cauchy_schwarz _ _) _; rewrite Rmult_comm.
by apply: Rmult_le_compat_r => //; exact: vnorm_ge0.
Qed.

Lemma look_attention : encloses (view_attention (look o)) (attention w).
Proof. exact: (attention_table_encloses P Dok ball_margins_enclose). Qed.

Lemma look_omegas : encloses (view_omegas (look o)) (omega ell w).
Proof. exact: (omega_table_encloses P Dok ball_margins_enclose l). Qed.

(* ---- the loss above that of the best scores ---- *)

Lemma gap_contains O (Bok : best_ok D) : contains (gap_of D l P O (look o)) (training_loss ell w -
  least_loss (best_alpha Bok) ell).
Proof.
set b := best_alpha Bok.
have gaps_in : encloses (exact_table P (score_unit D) (gaps D (best_picks D))) (gap b).
  by apply: exact_table_encloses; [exact: (fits_gaps Dok (proj1 (andP Bok))) | move=> s; exact: gap_value].
have lost_in := group_sums_enclose P (combine_encloses (H := fun s => attention w s * gap b s)
                  look_attention gaps_in (fun s I J => @imul_contains N P I J _ _)).
have excess_in := combine_column (C := fun i => ell (output w i) - ell (score (b i)))
                    (selected_scores_enclose O (proj1 (andP Bok))) lost_in.
have share_in := map_column (C := fun i => weight (s := problem D) i * (ell (output w i) - ell (score (b i))))
                    (excess_in (excess_interval O l) _).
have -> : training_loss ell w - least_loss b ell = \sum_i weight (s := problem D) i *
  (ell (output w i) - ell (score (b i))).
  by rewrite /training_loss /least_loss -sumB; apply: eq_bigr => i _; ring.
apply: (column_sum_contains (D := D) O); apply: share_in => i I.
  move=> J HI HJ; have -> : output w i = score (b i) - \sum_(s : token | group_of s == i) attention w s * gap b s.
    have := output_sub_score b w (b i); rewrite group_of_pick.
    have -> : gap b (b i) = 0 by rewrite /gap selected_pick; ring.
    by lra.
  exact: excess_interval_contains.
by move=> HI; apply: imul_contains => //; exact: group_share_contains.
Qed.

(* ---- the direction of descent ---- *)

Let V : vec (coord (problem D)) := (- gradient ell w)%V.
Let vel := velocity_of refs (look o).
Let coefficient_at := @coefficient N D (centres vel) (power (- scale vel)).
Definition known_velocity : vec (coord (problem D)) := combine (constraint beta) coefficient_at (Delta beta).

Hypothesis om_bounded : all_bounded (view_omegas (look o)).

Lemma fits_centres : fits D (centres vel).
Proof. by apply: fits_map; case: look_omegas. Qed.

Lemma coefficient_at_value s : coefficient_at s = real (at_token zero (centres vel) s) * power (scale vel).
Proof. by rewrite /coefficient_at /coefficient power_opp /Rdiv Rinv_inv. Qed.

Lemma velocity_deviation : exists2 R0, contains (deviation vel) R0 & vdist V known_velocity <= R0.
Proof.
have [fo Ho] := look_omegas; set om := view_omegas (look o) in fo Ho *.
pose half (s : token) := real (half_width (scale vel) (at_token anything om s)) * power (scale vel).
have near s : Rabs (omega ell w s - coefficient_at s) <= half s.
  rewrite coefficient_at_value /vel /= (at_token_map anything) //.
  by apply: centre_spec => //; exact: all_bounded_at.
exists (\sum_s half s * vnorm (Delta beta s)).
  have Hh : encloses (map_rows (fun I => dyadic (half_width (scale vel) I) (scale vel)) om) half.
    by apply: (encloses_map (e0 := anything)) => // s; exact: dyadic_contains.
  exact: (table_sum_contains Q (combine_encloses Hh reaches (fun s I J => @imul_contains N Q I J _ _))).
rewrite /V (gradient_constraints beta); apply: Rle_trans (combine_distance _ _ _ _) _.
rewrite [X in X <= _]big_mkcond; apply: sum_le => s _; have v0 := vnorm_ge0 (Delta beta s); have ns := near s.
case: ifP => _; first exact: Rmult_le_compat_r.
by apply: Rmult_le_pos => //; apply: Rle_trans ns; exact: Rabs_pos.
Qed.

Lemma speed_contains : contains (speed vel) (vnorm known_velocity).
Proof.
have fc := fits_centres; have p0 := power_gt0 (scale vel); have q0 := power_gt0 (- scale vel).
have un : power (- scale vel) <> 0 by lra.
have E : known_velocity = matrix_real (weights_matrix D refs (centres vel)) (power (- scale vel) * (dx * dz)).
  by rewrite (weights_matrix_real Dok Rok fc un).
have sh := weights_matrix_shaped Dok Rok fc.
have u0 : power (- scale vel) * (dx * dz) <> 0 by nra.
rewrite E /vnorm /vnorm2 (matrix_dot_value sh sh u0 u0); set q := real _.
have -> : sqrt (q / (power (- scale vel) * (dx * dz) * (power (- scale vel) * (dx * dz)))) =
          sqrt (q * power (scale vel + scale vel)) / real units.
  rewrite units_real power_opp power_add.
  have -> : forall k c, 0 < k -> 0 < c -> q / (/ k * c * (/ k * c)) = q * (k * k) / (c * c).
    by move=> k c k0 c0; field; lra.
  - by rewrite sqrt_div_alt ?sqrt_square //; [lra | exact: Rmult_lt_0_compat].
  - exact: p0.
  exact: xz0.
by apply: idiv_contains; [apply: isqrt_contains; exact: dyadic_contains | exact: exactly_contains].
Qed.

(* ---- the step ---- *)

Variable o' : orbit.
Hypothesis advances : advance o (look o) = Some o'.

Let steps := map_rows (fun c => imul P (multiplier (clock o) (look o) vel) (dyadic c (scale vel))) (centres vel).
Let thetas := map_rows (fun I => (ends (- F) I).1) steps.
Let placed := map_rows (mul (start_unit spec)) thetas.
Definition known_step : vec (coord (problem D)) :=
  combine (constraint beta) (@coefficient N D placed (real place_unit)) (Delta beta).

Lemma fits_steps : fits D steps.
Proof. by apply: fits_map; exact: fits_centres. Qed.

Lemma fits_placed : fits D placed.
Proof. by do 2 apply: fits_map; exact: fits_steps. Qed.

Lemma placed_value s : @coefficient N D placed (real place_unit) s = real (ends (- F) (at_token anything steps s)).1
  * power (- F).
Proof.
have pF := power_gt0 F; have fs := fits_steps; have ft : fits D thetas by exact: fits_map.
have -> : @coefficient N D placed (real place_unit) s = real (at_token zero placed s) / real place_unit by [].
rewrite /placed (at_token_map zero) // /thetas (at_token_map anything) // realM place_unit_real power_opp.
by field; lra.
Qed.

Let errors := map_rows (fun I => let ab := ends (- F) I in dyadic (sub ab.2 ab.1) (- F)) steps.
Let step_rounding : interval := isum Q (group_sums Q (combine_tables (imul Q) errors (distance_table D Q refs))).

Lemma rounding_bound lam : contains (multiplier (clock o) (look o) vel) lam -> all_bounded steps ->
  exists2 h, contains step_rounding h & vdist (lam * known_velocity)%V known_step <= h.
Proof.
move=> Hlam bs; have fs := fits_steps; have fc := fits_centres.
pose err (s : token) := real (sub (ends (- F) (at_token anything steps s)).2
  (ends (- F) (at_token anything steps s)).1) * power (- F).
have near s : Rabs (lam * coefficient_at s - @coefficient N D placed (real place_unit) s) <= err s.
  have H : contains (at_token anything steps s) (lam * coefficient_at s).
    rewrite /steps (at_token_map zero) // coefficient_at_value; apply: imul_contains => //; exact: dyadic_contains.
  have [h1 h2] := ends_spec (- F) (all_bounded_at s fs bs) H.
  by rewrite placed_value /err realB Rabs_pos_eq; lra.
exists (\sum_s err s * vnorm (Delta beta s)).
  have He : encloses errors err by apply: (encloses_map (e0 := anything)) => // s; exact: dyadic_contains.
  exact: (table_sum_contains Q (combine_encloses He reaches (fun s I J => @imul_contains N Q I J _ _))).
rewrite /known_velocity -combine_scale; apply: Rle_trans (combine_distance _ _ _ _) _.
rewrite [X in X <= _]big_mkcond; apply: sum_le => s _; have v0 := vnorm_ge0 (Delta beta s); have ns := near s.
case: ifP => _; first exact: Rmult_le_compat_r.
by apply: Rmult_le_pos => //; apply: Rle_trans ns; exact: Rabs_pos.
Qed.

Lemma upper_end_bound (I : interval) x : contains I x -> exists2 y, contains (upper_end I) y & x <= y.
Proof. by case: I => [|lo hi k] /=; [exists x => //; lra | move=> [_ h]; exists (real hi * power k) => //;
  split; right]. Qed.

Lemma ball_speed_contains R0 : contains (deviation vel) R0 -> vdist V known_velocity <= R0 ->
  contains (ball_speed P vel) (vnorm V).
Proof.
move=> HR near; have -> : vnorm V = vnorm known_velocity + (vnorm V - vnorm known_velocity) by ring.
apply: iadd_contains; first exact: speed_contains.
apply: (symmetric_contains HR); apply: Rle_trans near; apply: Rabs_le; split; last exact: vnorm_sub_ge.
by have := vnorm_sub_ge known_velocity V; rewrite -/(vdist known_velocity V) vdistC; lra.
Qed.

(* L* is the loss of the best scores. *)
Theorem advance_sound (Bok : best_ok D) : least = least_loss (best_alpha Bok) ell ->
  orbit_at t.+1 o' /\ step_defined ell (run_rule spec) w.
Proof.
move=> least_is; have [sh ck [r Hr near]] := at_o; have n0 := place_unit_gt0.
move: advances; rewrite /Replay.advance -/vel -/steps -/thetas -/placed -/errors -/step_rounding.
case: ifP => // /and4P[nonneg _ bs small] E.
have [R0 HR dev] := velocity_deviation; have Hs := speed_contains; have He := eta_contains ck;
  have eta0 := sizes_gt0 t.
have pn : real place_unit <> 0 by lra.
have [sh' moved] := matrix_real_add Rok sh fits_placed pn.
have finish (y h : R) : contains (drift (clock o) (look o) vel) y -> contains step_rounding h ->
    vdist (trajectory t.+1) (position_real o + known_step)%V <= r + y + h -> orbit_at t.+1 o'.
  move=> Hy Hh le; case: E => <-; split; [exact: sh' | by rewrite [clock _]/= realD real1 ck -S_INR | ].
  have [z Hz zle] := upper_end_bound (iadd_contains Q (iadd_contains Q Hr Hy) Hh).
  exists z => //; apply: Rle_trans zle; apply: Rle_trans le; right; congr vdist.
  by rewrite /position_real position_unit_real /= moved.
have against (a : R) (x g : vec (coord (problem D))) : (x - a * g)%V = (x + a * (- g))%V by vec_ring.
have next : trajectory t.+1 = (w + rate ell least (run_rule spec) sizes t w * V)%V by exact: against.
(* A step with a factor that the multiplier encloses. *)
have plain (tau : R) : rate ell least (run_rule spec) sizes t w = tau -> run_rule spec <> NormalisedSteps ->
    contains (multiplier (clock o) (look o) vel) tau -> orbit_at t.+1 o'.
  move=> Er rn Hlam; have tau0 := is_nonnegative_real Hlam nonneg; have [h Hh hle] := rounding_bound Hlam bs.
  apply: (finish (tau * R0) h) => //.
    by rewrite /Replay.drift; case: (run_rule spec) rn => // _; exact: imul_contains.
  by rewrite next Er; exact: (gradient_step_distance tau0 near dev hle).
have speeds : run_rule spec <> GradientSteps -> R0 < vnorm known_velocity.
  by case: (run_rule spec) small => // small _; exact: certainly_lt_real HR Hs small.
have defined : step_defined ell (run_rule spec) w.
  move=> /speeds lt; have -> : vnorm (gradient ell w) = vnorm V by rewrite vnormN.
  by have := vnorm_sub_ge known_velocity V; rewrite -/(vdist known_velocity V) vdistC; lra.
split=> //; case ru: (run_rule spec).
- by apply: (plain (sizes t)); rewrite ?ru // /Replay.multiplier ru.
- have R0n : R0 < vnorm known_velocity by apply: speeds; rewrite ru.
  have Hlam : contains (multiplier (clock o) (look o) vel) (sizes t / vnorm known_velocity).
    by rewrite /Replay.multiplier ru; apply: idiv_contains.
  have [h Hh hle] := rounding_bound Hlam bs.
  have [_ le] := normalised_step_distance (Rlt_le _ _ eta0) near dev (Rle_refl _) R0n hle.
  rewrite {1}/V vnormN in le.
  apply: (finish (sizes t * (2 * R0 / (2 * vnorm known_velocity - R0))) h) => //; last by rewrite next ru.
  rewrite /Replay.drift ru; apply: imul_contains => //; apply: idiv_contains; first by apply: imul_contains => //;
    exact: contains2.
  by apply: isub_contains => //; apply: imul_contains => //; exact: contains2.
pose n := vnorm (gradient ell w).
have Hn : contains (ball_speed P vel) n by rewrite /n -vnormN; exact: ball_speed_contains HR dev.
apply: (plain (sizes t * (training_loss ell w - least) / (n * n))); rewrite ?ru // /Replay.multiplier ru.
apply: idiv_contains; last exact: imul_contains.
by apply: imul_contains => //; rewrite least_is; exact: gap_contains.
Qed.
End Step.
End ReplaySound.
