(* ReplaySound: what the replay sees of an orbit's iterate (look) holds of every matrix of the ball around it. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Gradient StepGrowth Number Rows TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals Runs PseudoOrbit
                           Replay GrowthSound.

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

Lemma defined_ok_sound (name : loss_name) : defined_ok D name -> loss_defined (problem D) (loss_of name).
Proof.
case/orP=> [all_outputs w i | signs]; first exact: everywhere_domain.
have pos w i : 0 < output (p := problem D) w i.
  have /andP[nonneg /(has_nthP zero)[s sl /lt_real]] := all_nthP (no_sequence N) signs i (ltn_ord i).
  rewrite real0 => s0; have u0 := score_unit_gt0 Dok.
  have /and4P[_ _ _ /(all_nthP (no_sequence N))/(_ i (ltn_ord i))/and4P[_ _ /eqP rows _]] := Dok.
  have sl' := sl; rewrite rows in sl'; pose t : token (problem D) := @token_of N D i (Ordinal sl').
  apply: (sum_gt0 (F := fun t => attention w t * score t) (i := t)) => [[j k] /= /eqP E||] /=.
  - have a0 := attention_gt0 w (Tagged (fun i : data_group D => 'I_(length_of D i)) k : token (problem D)).
    apply: Rmult_le_pos; first exact: Rlt_le a0.
    rewrite -E in nonneg rows; apply: Rmult_le_pos; last exact/Rlt_le/Rinv_0_lt_compat.
    by rewrite -(real0 N); apply: le_real; apply: (all_nthP zero nonneg); rewrite rows; exact: ltn_ord.
  - exact: eqxx.
  by apply: Rmult_lt_0_compat; [exact: attention_gt0 | exact: Rdiv_lt_0_compat].
by move=> w i; have := pos w i; case: (name).
Qed.

Lemma best_least (b : selection (problem D)) (ll : loss) : best b -> least_loss b ll = least_loss best_alpha ll.
Proof.
move=> H; apply: eq_bigr => i _; congr (_ * ll _); apply: Rle_antisym.
  by have := best_selection (b i); rewrite group_of_pick.
by have := H (best_alpha i); rewrite group_of_pick.
Qed.
End Best.

(* ---- what is seen from an orbit's iterate holds of every matrix of the ball ---- *)

Definition close_to (o : orbit) (w : vec (coord (problem D))) : Prop :=
  shaped d e (position o) /\ exists2 r, contains (away o) r & vdist w (position_real o) <= r.

Lemma orbit_close t o : orbit_at t o -> close_to o (trajectory t).
Proof. by case. Qed.

Lemma centre_close o : shaped d e (position o) -> close_to (at_centre o) (position_real o).
Proof.
split=> //; exists 0; first exact: contains0.
rewrite (_ : position_real (at_centre o) = position_real o) // /vdist (_ : (_ - _)%V = vzero); last by vec_ring.
by rewrite vnorm0; right.
Qed.

(* So is the line from the known iterate to a matrix of the ball. *)
Lemma line_close o w x : close_to o w -> 0 <= x <= 1 ->
  close_to o (position_real o + x * (w - position_real o))%V.
Proof.
move=> [sh [r Hr near]] [x0 x1]; split=> //; exists r => //; rewrite /vdist.
have -> : (position_real o + x * (w - position_real o) - position_real o)%V = (x * (w - position_real o))%V by vec_ring.
by rewrite vnormZ Rabs_pos_eq //; have := vnorm_ge0 (w - position_real o)%V; rewrite /vdist in near; nra.
Qed.

Section Seen.
Variables (o : orbit) (w : vec (coord (problem D))).
Hypothesis close : close_to o w.
Hypothesis Rok : picks_ok D (references o).
Let beta : selection (problem D) := selection_of Rok.
Let ell := loss_of l.
Notation token := (token (problem D)).
Notation refs := (references o).

Let margin_rows := margins_of D refs (position o).

Lemma position_margin (s : token) :
  margin beta (position_real o) s = real (at_token zero margin_rows s) / real (mul position_unit units).
Proof.
have [sh _] := close; have u0 := position_unit_gt0.
by rewrite realM units_real -value_at_token -(margins_real Dok Rok _ sh) //; lra.
Qed.

Lemma ball_margins_enclose :
  encloses (ball_margins margin_rows (distance_table D Q refs) (away o)) (margin beta w).
Proof.
have [_ [r Hr near]] := close.
have exact : encloses (exact_table P (mul position_unit units) margin_rows) (margin beta (position_real o)).
  by apply: exact_table_encloses => [|s]; [exact: fits_margins | exact: position_margin].
rewrite /ball_margins; case: ifP => [/(is_zero_real Hr) r0 | _].
  have w_is : w = position_real o.
    have same : vnorm (w - position_real o)%V = 0.
      by apply: Rle_antisym; [rewrite -r0 | exact: vnorm_ge0].
    have -> : w = ((w - position_real o) + position_real o)%V by vec_ring.
    by rewrite (vnorm_eq0 same); vec_ring.
  by rewrite w_is; exact: exact.
apply: (combine_encloses exact (distance_table_encloses Q Dok Rok)) => s I J HI HJ.
have -> : margin beta w s = margin beta (position_real o) s +
  (margin beta w s - margin beta (position_real o) s) by ring.
apply: iadd_contains => //; apply: (symmetric_contains (imul_contains Q Hr HJ)).
rewrite /margin -dotBr; apply: Rle_trans (cauchy_schwarz _ _) _; rewrite Rmult_comm.
by apply: Rmult_le_compat_r => //; exact: vnorm_ge0.
Qed.

Lemma factors_enclose drop m : encloses m (margin beta w) ->
  encloses (factor_table P drop m) (fun t => exp (- margin beta w t)).
Proof.
move=> margins; rewrite /factor_table; move: (if drop then _ else _) => smallest.
apply: (map_encloses margins) => t I H.
case: ifP => [/(is_zero_real H) -> | _]; first by rewrite Ropp_0 exp_0; exact: contains1.
by apply: iexp_contains; exact: iopp_contains.
Qed.

(* What the outputs lose against the scores of a selection. *)
Lemma lost_encloses a (refs' : seq nat) (Rok' : picks_ok D refs') : encloses a (attention w) ->
  column_encloses (group_sums P (combine_tables (imul P) a (gap_table D P refs')))
    (fun i => score (selection_of Rok' i) - output w i).
Proof.
move=> attended.
have [sc Hc] := group_sums_enclose P (combine_encloses (H := fun t => attention w t * gap (selection_of Rok') t)
  attended (gap_table_encloses P Dok Rok') (fun t I J HI HJ => imul_contains P HI HJ)).
split=> // i; have := Hc i; congr contains.
have := output_sub_score (selection_of Rok') w (selection_of Rok' i); rewrite group_of_pick.
have -> : gap (selection_of Rok') (selection_of Rok' i) = 0 by rewrite /gap selected_pick; ring.
by lra.
Qed.

Theorem view_sees drop : sees Rok l (view_at D l spec P F drop refs margin_rows (distance_table D Q refs)
  (gap_table D P refs) (away o)) w.
Proof.
rewrite /view_at; have factors := factors_enclose drop ball_margins_enclose.
have terms := by_counts_encloses P Dok factors; set rows := by_counts _ _ _ in terms *.
have inverse : column_encloses (D := D) [seq idiv P (interval1 N) z | z <- group_sums P rows]
    (fun i => 1 / \sum_(u : token | group_of u == i) multiplicity u * exp (- margin beta w u)).
  by apply: (map_column (group_sums_enclose P terms)) => i I; apply: idiv_contains; exact: contains1.
set a := spread_column (imul P) _ rows.
have attended : encloses a (attention w).
  apply: (spread_column_encloses inverse terms) => t I J HI HJ.
  rewrite (attention_factors Rok w t) -/beta /Rdiv Rmult_comm -[/ _]Rmult_1_l.
  exact: imul_contains.
have lost := lost_encloses Rok attended; set losses := group_sums _ _ in lost *.
have outputs : column_encloses (combine_columns (isub P) (selected_scores D P refs) losses) (output (p := problem D) w).
  apply: (combine_column (selected_scores_enclose P Rok) lost) => i I J HI HJ.
  have -> : output (p := problem D) w i = score (beta i) - (score (beta i) - output (p := problem D) w i) by ring.
  exact: isub_contains.
have slopes : column_encloses (D := D) [seq slope_interval P l f | f <- combine_columns (isub P)
    (selected_scores D P refs) losses] (fun i => - dloss ell (output (p := problem D) w i)).
  by apply: (map_column outputs) => i I; exact: slope_interval_contains.
have below : encloses (spread_column (fun x g => isub P g x) losses (gap_table D P refs))
    (fun s => output w (group_of s) - score s).
  apply: (spread_column_encloses lost (gap_table_encloses P Dok Rok)) => s I J HI HJ.
  have := isub_contains P HJ HI; congr contains; rewrite /gap /selected /=; ring.
have shares : encloses (combine_tables (imul P) a (spread_column (fun x g => isub P g x) losses (gap_table D P refs)))
    (share_slope w).
  by apply: (combine_encloses attended below) => s I J; exact: imul_contains.
split=> //; first exact: (distance_table_encloses Q Dok Rok).
have weighted : column_encloses (D := D) [seq imul P (group_share D P) f | f <- [seq slope_interval P l f | f <-
    combine_columns (isub P) (selected_scores D P refs) losses]]
    (fun i => weight (s := problem D) i * - dloss ell (output (p := problem D) w i)).
  by apply: (map_column slopes) => i I HI; apply: imul_contains => //; exact: group_share_contains.
apply: (spread_column_encloses weighted shares) => s I J HI HJ.
have E (u : token) : omega ell w u = weight (group_of u) * - dloss ell (output w (group_of u)) * share_slope w u.
  by rewrite /omega /share_slope; ring.
by rewrite E; exact: imul_contains.
Qed.

Theorem look_sees : sees Rok l (look o) w.
Proof. exact: view_sees. Qed.

Lemma look_attention : encloses (view_attention (look o)) (attention w).
Proof. by case: look_sees. Qed.

(* V~, and how far V is from it. *)
Lemma velocity_deviation : all_bounded (view_omegas (look o)) ->
  exists2 R0, contains (deviation (velocity_of refs (look o))) R0 &
    vdist (- gradient ell w)%V (known_combination Rok (velocity_of refs (look o))) <= R0.
Proof.
have [Hr _ _ _ Ho] := look_sees; move=> bounded; have [fo _] := Ho.
have [R0 HR near] := combination_deviation P Hr fo bounded.
by exists R0 => //; rewrite (gradient_constraints beta); exact: near.
Qed.

Lemma speed_contains :
  contains (speed (velocity_of refs (look o))) (vnorm (known_combination Rok (velocity_of refs (look o)))).
Proof. by have [_ _ _ _ [fo _]] := look_sees; exact: combination_speed. Qed.

(* ---- the loss above that of the best scores ---- *)

Lemma gap_seen O (Bok : best_ok D) v : encloses (view_attention v) (attention w) ->
  contains (gap_of D l P O v) (training_loss ell w - least_loss (best_alpha Bok) ell).
Proof.
move=> attended; set b := best_alpha Bok.
have gaps_in : encloses (exact_table P (score_unit D) (gaps D (best_picks D))) (gap b).
  by apply: exact_table_encloses; [exact: (fits_gaps Dok (proj1 (andP Bok))) | move=> s; exact: gap_value].
have lost_in := group_sums_enclose P (combine_encloses (H := fun s => attention w s * gap b s)
                  attended gaps_in (fun s I J => @imul_contains N P I J _ _)).
have excess_in := combine_column (C := fun i => ell (output w i) - ell (score (b i)))
                    (selected_scores_enclose O (proj1 (andP Bok))) lost_in.
have share_in := map_column (C := fun i => weight (s := problem D) i * (ell (output w i) - ell (score (b i))))
                    (excess_in (excess_interval O l) _).
have -> : training_loss ell w - least_loss b ell = \sum_i weight (s := problem D) i *
  (ell (output w i) - ell (score (b i))).
  by rewrite /training_loss /least_loss -sumB; apply: eq_bigr => i _; ring.
rewrite /gap_of /gap_from /best_gaps.
apply: (column_sum_contains (D := D) O); apply: share_in => i I.
  move=> J HI HJ; have -> : output w i = score (b i) - \sum_(s : token | group_of s == i) attention w s * gap b s.
    have := output_sub_score b w (b i); rewrite group_of_pick.
    have -> : gap b (b i) = 0 by rewrite /gap selected_pick; ring.
    by lra.
  exact: excess_interval_contains.
by move=> HI; apply: imul_contains => //; exact: group_share_contains.
Qed.

Lemma gap_contains O (Bok : best_ok D) : contains (gap_of D l P O (look o)) (training_loss ell w -
  least_loss (best_alpha Bok) ell).
Proof. exact: gap_seen look_attention. Qed.

End Seen.

End ReplaySound.
