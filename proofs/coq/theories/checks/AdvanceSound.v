(* AdvanceSound: the pseudo-orbit stays within its bound of the true run: a step keeps it (advance_sound). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Gradient StepGrowth Number Rows TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals Runs PseudoOrbit
                           Replay GrowthSound ReplaySound.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* Nothing here computes; unfolding would take for ever. *)
Local Opaque Replay.look rising_of falling_of turning_of combination isum iadd isub imul idiv imax.

Section AdvanceSound.
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
Notation close_to := (@close_to N D spec F).
Notation orbit_at := (Replay.orbit_at D l spec least F).
Notation eta := (Replay.eta spec P).
Notation look := (Replay.look D l spec P F).
Notation velocity_of := (Replay.velocity_of D P).
Notation multiplier := (Replay.multiplier D l spec P).
Notation advance := (Replay.advance D l spec P F).
Hypothesis spec_ok : specification_ok.

Let su0 : 0 < real (start_unit spec).
Proof. by case/and5P: spec_ok => _ _ /lt_real; rewrite real0. Qed.
Let xz0 : 0 < dx * dz := units_gt0 Dok.

Section Step.
Variables (t : nat) (o o' : orbit).
Hypothesis at_o : orbit_at t o.
Hypothesis Rok : picks_ok D (references o).
Hypothesis advances : advance o (near_orbit D l spec F o) = Some o'.
Hypothesis defined : loss_defined (problem D) (loss_of l).
Let beta : selection (problem D) := selection_of Rok.
Let w := trajectory t.
Let ell := loss_of l.
Notation token := (token (problem D)).
Notation refs := (references o).
Notation V x := (- gradient ell x)%V.

(* What is looked at: the known iterate, or the ball. *)
Let seen_orbit := seen_orbit spec o.
Let seen := look_with D l spec P F true seen_orbit (sight_of D P o).
Let seen_point := if by_derivatives (run_rule spec) then position_real o else w.
Let vel := velocity_of refs seen.
Let known := known_combination Rok vel.
Let tau := multiplier (clock o) seen vel.

Let seen_close : close_to seen_orbit seen_point.
Proof.
have [sh _ _] := at_o; rewrite /seen_orbit /Replay.seen_orbit /seen_point.
by case: (by_derivatives _); [exact: centre_close | exact: (orbit_close at_o)].
Qed.

Let seen_sees : sees Rok l seen seen_point.
Proof.
have -> : seen = view_at D l spec P F true refs (margins_of D refs (position o)) (distance_table D Q refs)
    (gap_table D P refs) (away seen_orbit).
  by rewrite /seen /look_with -(margins_of_sight D P o) /seen_orbit /Replay.seen_orbit; case: (by_derivatives _).
have := seen_close; rewrite /seen_orbit /Replay.seen_orbit /seen_point.
by case: (by_derivatives _) => near; exact: (view_sees Dok l P spec_ok near Rok true).
Qed.

Let fits_omegas : fits D (view_omegas seen).
Proof. by have [_ _ _ _ []] := seen_sees. Qed.

Let fits_known : fits D (centres vel).
Proof. exact: fits_centres fits_omegas. Qed.

Let rows := velocity_rows vel.
Let rows_shaped : shaped d e rows.
Proof. exact: (weights_matrix_shaped Dok Rok fits_known). Qed.

(* Rounding downwards. *)
Lemma shifted_real (a : N) s : real (shifted a s) <= real a * power s < real (shifted a s) + 1.
Proof.
rewrite /shifted; case: Z.leb_spec => s0; first by rewrite shift_up_real //; lra.
have s1 : (0 <= - s)%Z by lia.
have ps := power_gt0 s; have [] := shift_down_real a s1; rewrite power_opp => h1 h2; split.
  by apply: (Rmult_le_reg_r (/ power s)); [exact: Rinv_0_lt_compat | rewrite Rmult_assoc Rinv_r; lra].
by apply: (Rmult_lt_reg_r (/ power s)); [exact: Rinv_0_lt_compat | rewrite Rmult_assoc Rinv_r; lra].
Qed.

Lemma moved_rows_spec (c : N) s m v : shaped d e m -> shaped d e v ->
  shaped d e (moved_rows c s m v) /\ forall j k, (j < d)%nat -> (k < e)%nat ->
  entry2 (moved_rows c s m v) j k = entry2 m j k + real (shifted (mul c (nth zero (nth [::] v j) k)) s).
Proof.
move=> sh sh'; have [/eqP sm Hm] := andP sh; have [/eqP sv Hv] := andP sh'; split.
  rewrite /moved_rows /shaped size_map size_zip sm sv minnn eqxx /=; apply/(all_nthP [::]) => j.
  rewrite size_map size_zip sm sv minnn => jl.
  rewrite (nth_map ([::], [::])) ?size_zip ?sm ?sv ?minnn // nth_zip ?sm ?sv //= size_map size_zip.
  by rewrite (shaped_row sh jl) (shaped_row sh' jl) minnn.
move=> j k jl kl; rewrite /entry2 /entry /moved_rows.
rewrite (nth_map ([::], [::])) ?size_zip ?sm ?sv ?minnn // nth_zip ?sm ?sv //=.
rewrite (nth_map (zero, zero)) ?size_zip ?(shaped_row sh jl) ?(shaped_row sh' jl) ?minnn //.
by rewrite nth_zip ?(shaped_row sh jl) ?(shaped_row sh' jl) //= realD.
Qed.

Lemma vnorm_entries (J : finType) (v : vec J) (c : R) : 0 <= c -> (forall j, Rabs (v j) <= c) ->
  vnorm v <= sqrt (INR #|J|) * c.
Proof.
move=> c0 le; rewrite -(sqrt_square c c0) -sqrt_mult_alt; last exact: pos_INR.
apply: sqrt_le_1_alt; rewrite -sum_const; apply: sum_le => j _.
have := Rmult_le_compat _ _ _ _ (Rabs_pos _) (Rabs_pos _) (le j) (le j).
by rewrite -Rabs_mult Rabs_pos_eq //; exact: Rle_0_sqr.
Qed.

Let known_speed : contains (speed vel) (vnorm known).
Proof. exact: (combination_speed Dok Rok P _ fits_omegas). Qed.

Section Rounded.
Variables (lo hi : N) (f : Z).
Hypothesis tau_is : tau = Between lo hi f.
Let factor := mul (start_unit spec) lo.
Let places_up := (f + scale vel + F)%Z.

Definition known_step : vec (coord (problem D)) :=
  fun jk => real (shifted (mul factor (nth zero (nth [::] rows jk.1) jk.2)) places_up) / real position_unit.

Let entries := of_natural N (left_dimension D * right_dimension D).
Definition step_rounding : interval :=
  iadd Q (imul Q (dyadic (sub hi lo) f) (speed vel)) (idiv Q (isqrt Q (exactly entries)) (exactly position_unit)).

Lemma rounding_bound lam : contains tau lam ->
  exists2 h, contains step_rounding h & vdist (lam * known)%V known_step <= h.
Proof.
rewrite tau_is => -[h1 h2]; have pf := power_gt0 f; have U0 := position_unit_gt0 Dok spec_ok.
exists (real (sub hi lo) * power f * vnorm known + sqrt (INR #|coord (problem D)|) / real position_unit).
  apply: iadd_contains; first by apply: imul_contains => //; exact: dyadic_contains.
  apply: idiv_contains; last exact: exactly_contains.
  apply: isqrt_contains; rewrite card_prod !card_ord -(of_natural_real N); exact: exactly_contains.
rewrite /vdist; set low := real lo * power f in h1.
have -> : (lam * known - known_step)%V = ((lam - low) * known + (low * known - known_step))%V by vec_ring.
apply: Rle_trans (vnorm_triangle _ _) _; apply: Rplus_le_compat.
  rewrite vnormZ; apply: Rmult_le_compat_r; first exact: vnorm_ge0.
  by rewrite realB Rmult_minus_distr_r -/low Rabs_pos_eq; lra.
apply: vnorm_entries => [|jk]; first exact/Rlt_le/Rinv_0_lt_compat.
have x0 := xz0; have ps := power_gt0 (scale vel); have su := su0; have pF := power_gt0 F.
rewrite /vsub /vscale /known (known_matrix Dok Rok P _ fits_omegas) -[combination _ _ _ _ _]/vel power_opp.
rewrite /matrix_real /known_step -[weights_matrix _ _ _]/rows.
rewrite /entry2 /entry; set a := nth zero _ _.
have [] := shifted_real (mul factor a) places_up; rewrite !realM (place_unit_real spec_ok) -/dx -/dz.
rewrite /places_up; move: (scale vel) ps => k ps; rewrite !power_add.
set x := real (shifted _ _); set A := real a; set S := real (start_unit spec) in su *; set U := dx * dz in x0 *.
move=> s1 s2.
have -> : low * (A / (/ power k * U)) - x / (S * power F * U) =
  (S * real lo * A * (power f * power k * power F) - x) / (S * power F * U).
  by rewrite /low; field; repeat split; lra.
have d0 : 0 < S * power F * U := Rmult_lt_0_compat _ _ (Rmult_lt_0_compat _ _ su pF) x0.
rewrite Rabs_pos_eq; last first.
  by apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat].
rewrite -[X in _ <= X]Rmult_1_l; apply: Rmult_le_compat_r; last lra.
exact/Rlt_le/Rinv_0_lt_compat.
Qed.

(* The place after the step. *)
Lemma moved_place m : shaped d e m -> let next := moved_rows factor places_up m rows in
  shaped d e next /\ matrix_real next (real position_unit) = (matrix_real m (real position_unit) + known_step)%V.
Proof.
move=> sh next; have [sh' E] := moved_rows_spec factor places_up sh rows_shaped; split; first exact: sh'.
apply: vec_ext => jk; rewrite /vadd /matrix_real /known_step E ?ltn_ord //.
by rewrite /Rdiv Rmult_plus_distr_r.
Qed.
End Rounded.

Lemma upper_end_bound (I : interval) x : contains I x -> exists2 y, contains (upper_end I) y & x <= y.
Proof. by case: I => [|lo hi k] /=; [exists x => //; lra | move=> [_ h]; exists (real hi * power k) => //;
  split; right]. Qed.

Let seen_deviation : all_bounded (view_omegas seen) ->
  exists2 R0, contains (deviation vel) R0 & vdist (V seen_point) known <= R0.
Proof.
move=> bounded; have [Hr _ _ _ Ho] := seen_sees.
have [R0 HR near] := combination_deviation P Hr fits_omegas bounded.
by exists R0 => //; rewrite (gradient_constraints beta); exact: near.
Qed.

(* What the ball's view says of every matrix on the line from the known iterate to the true one. *)
Let ball := near_orbit D l spec F o.
Let on x := (position_real o + x * (w - position_real o))%V.

Let on_sees x : 0 <= x <= 1 -> sees Rok l ball (on x).
Proof.
move=> x01; apply: (look_sees Dok l growth_bits spec_ok _ Rok).
by apply: line_close x01; exact: orbit_close at_o.
Qed.

Let up := upper_end (rising_of Q ball).
Let down := upper_end (falling_of D l Q ball).
Let dd := curvature_of l.

Let rising_on : bounded up -> forall x, 0 <= x <= 1 -> rising beta ell (on x) <= top up.
Proof.
rewrite /up bounded_upper_end top_upper_end => b x x01.
by apply: le_top b _; exact: (rising_contains Q (on_sees x01)).
Qed.
Let falling_on : bounded down -> forall x, 0 <= x <= 1 -> falling beta ell dd (on x) <= top down.
Proof.
rewrite /down bounded_upper_end top_upper_end => b x x01.
by apply: le_top b _; exact: (falling_contains Q (on_sees x01)).
Qed.
Let curves : loss_curves (problem D) ell dd := LossCurves (@is_derive_slope l) defined (@curvature_of_ge0 l).
Let squares (bu : bounded up) (bd : bounded down) : line_squares beta ell dd (top up) (top down) w (position_real o) :=
  LineSquares (rising_on bu) (falling_on bd).
Let up_in : bounded up -> contains up (top up).
Proof. by rewrite /up top_upper_end bounded_upper_end; exact: upper_end_contains. Qed.
Let down_in : bounded down -> contains down (top down).
Proof. by rewrite /down top_upper_end bounded_upper_end; exact: upper_end_contains. Qed.

Let k_of (s : R) : R := Rmax (1 + s * top up) (s * top down - 1).
Let k_bound s : 0 <= s -> step_factor_bound s (top up) (top down) (k_of s).
Proof. by move=> s0; split=> //; [exact: Rmax_l | exact: Rmax_r]. Qed.

Let k_in s : contains tau s -> bounded up -> bounded down ->
  contains (imax Q (iadd Q (interval1 N) (imul Q tau up)) (isub Q (imul Q tau down) (interval1 N))) (k_of s).
Proof.
move=> Hs bu bd; apply: imax_contains.
  by apply: iadd_contains (contains1 N) (imul_contains Q Hs (up_in bu)).
by apply: isub_contains (imul_contains Q Hs (down_in bd)) (contains1 N).
Qed.

(* One gradient step. *)
Lemma gradient_after (s r R0 h : R) theta : 0 <= s -> bounded up -> bounded down ->
  vdist w (position_real o) <= r -> vdist (V (position_real o)) known <= R0 -> vdist (s * known)%V theta <= h ->
  vdist (w + s * V w)%V (position_real o + theta)%V <= k_of s * r + s * R0 + h.
Proof.
move=> s0 bu bd near dev rounded; set w' := position_real o in near dev *.
have up0 : 0 <= top up.
  apply: Rle_trans (rising_on bu (x := 0) (ltac:(lra))); apply: sum_ge0 => c _.
  by apply: Rmult_le_pos; [exact: Rmax_l | exact: Rle_0_sqr].
have k0 : 0 <= k_of s by have := Rmult_le_pos _ _ s0 up0; have := factor_rising (k_bound s0); lra.
have growth := gradient_growth curves (squares bu bd) k0 (k_bound s0); rewrite /vdist.
have -> : (w + s * V w - (w' + theta))%V =
  (((w - w') + s * (V w - V w')) + s * (V w' - known) + (s * known - theta))%V by vec_ring.
apply: Rle_trans (vnorm_triangle _ _) _; apply: Rplus_le_compat => //.
apply: Rle_trans (vnorm_triangle _ _) _; apply: Rplus_le_compat.
  by apply: Rle_trans growth _; apply: Rmult_le_compat_l.
by rewrite vnormZ Rabs_pos_eq //; apply: Rmult_le_compat_l.
Qed.

(* One normalised step. *)
Let turning := turning_of D l growth_bits ball refs vel.
Let turn := upper_end turning.
Let turn_in : bounded turn -> contains turn (top turn).
Proof. by rewrite /turn top_upper_end bounded_upper_end; exact: upper_end_contains. Qed.

(* What V's derivative along V~ has beside it. *)
Lemma turn_bounds x : 0 <= x <= 1 -> bounded turn -> 0 <= top turn /\
  forall g, dot known g = 0 -> Rabs (bend ell dd (on x) known g) <= top turn * vnorm g.
Proof.
rewrite /turn bounded_upper_end top_upper_end => x01 bt.
exact: (turning_bounds Dok fits_omegas (on_sees x01) bt).
Qed.

Lemma normalised_after (step r R0 h : R) theta : let n := vnorm known in let s := step / n in
  let q := Rmax (top up) (top down) * r + R0 in
  0 <= step -> 0 < n -> bounded up -> bounded down -> bounded turn -> 4 * q <= n ->
  vdist w (position_real o) <= r -> vdist (V (position_real o)) known <= R0 -> vdist (s * known)%V theta <= h ->
  0 < vnorm (V w) /\
  vdist (w + (step / vnorm (V w)) * V w)%V (position_real o + theta)%V <=
    (k_of s + s * top turn / n) * r + s * R0 + 2 * step * (q * q) / (n * n) + h.
Proof.
move=> n s q step0 n0 bu bd bt small near dev rounded; set w' := position_real o in near dev *.
have s0 : 0 <= s by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
have up0 : 0 <= top up.
  apply: Rle_trans (rising_on bu (x := 0) (ltac:(lra))); apply: sum_ge0 => c _.
  by apply: Rmult_le_pos; [exact: Rmax_l | exact: Rle_0_sqr].
have k0 : 1 <= k_of s by have := Rmult_le_pos _ _ s0 up0; have := factor_rising (k_bound s0); lra.
have m1 := Rmax_l (top up) (top down); have m2 := Rmax_r (top up) (top down).
pose u := (/ n * known)%V.
have nu : (n * u)%V = known by apply: vec_ext => j; rewrite /u /vscale; field; lra.
have unit : dot u u = 1.
  by rewrite /u dotZl dotZr -/(vnorm2 known) -vnorm_sqr -/n; field; lra.
have [turn0 _] := turn_bounds (x := 0) (ltac:(lra)) bt.
have T0 : 0 <= s * top turn / n.
  by apply: Rmult_le_pos; [exact: Rmult_le_pos | exact/Rlt_le/Rinv_0_lt_compat].
have turned x : 0 <= x <= 1 -> forall g, dot u g = 0 ->
    s * Rabs (bend ell dd (on x) u g) <= s * top turn / n * vnorm g.
  move=> x01 g; rewrite /u dotZl => g0.
  have g1 : dot known g = 0.
    have -> : dot known g = n * (/ n * dot known g) by field; lra.
    by rewrite g0 Rmult_0_r.
  have [_ /(_ g g1) le] := turn_bounds x01 bt.
  have [_ _ ->] := bend_form beta ell dd (on x).
  have i0 := Rinv_0_lt_compat _ n0.
  rewrite Rabs_mult (Rabs_pos_eq (/ n)); last exact: Rlt_le.
  have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ s0 (Rlt_le _ _ i0)) le.
  by rewrite /Rdiv; lra.
have far : vdist (V w) (n * u)%V <= q.
  rewrite nu; apply: Rle_trans (vdist_triangle _ (V w') _) _; apply: Rplus_le_compat => //.
  have m0 : 0 <= Rmax (top up) (top down) by lra.
  have := velocity_lipschitz curves (squares bu bd) m1 m2 m0.
  by move/Rle_trans; apply; apply: Rmult_le_compat_l.
have dev' : vdist (V w') (n * u)%V <= R0 by rewrite nu.
have rounded' : vdist (step * u)%V theta <= h.
  by have -> : (step * u)%V = (s * known)%V; [rewrite -nu /s; apply: vec_ext => j; rewrite /vscale; field; lra |].
have [] := normalised_growth curves (squares bu bd) unit k0 (k_bound s0) (LineTurns T0 turned)
  (NearVelocity n0 erefl dev' far small) rounded'.
move=> moves le; split=> //; apply: Rle_trans le _; do 3 apply: Rplus_le_compat_r.
by apply: Rmult_le_compat_l => //; lra.
Qed.

(* L* is the loss of the best scores. *)
Theorem advance_sound (Bok : best_ok D) : least = least_loss (best_alpha Bok) ell ->
  orbit_at t.+1 o' /\ step_defined ell (run_rule spec) w.
Proof.
move=> least_is; have [sh ck [r Hr near]] := at_o.
have seen_is : look_with D l spec P F true (Replay.seen_orbit spec o) (sight_of D P o) = seen by [].
move: advances; rewrite /Replay.advance /advance_with seen_is -/ball -/vel -/tau.
case tau_is: tau => [|lo hi f]; first by [].
case: ifP => [/and3P[nonneg omegas may] | _]; last by [].
move/(@Some_inj _) => E.
have [R0 HR dev] := seen_deviation omegas; have Hs := known_speed; have He := eta_contains spec P ck.
have eta0 := sizes_gt0 spec_ok t.
have [sh' moved] := moved_place lo f sh.
have rounding lam : contains tau lam -> exists2 h, contains (step_rounding lo hi f) h &
    vdist (lam * known)%V (known_step lo f) <= h by move=> H; exact: (rounding_bound tau_is H).
have against (a : R) (x g : vec (coord (problem D))) : (x - a * g)%V = (x + a * (- g))%V by vec_ring.
have next : trajectory t.+1 = (w + rate ell least (run_rule spec) sizes t w * V w)%V by exact: against.
have finish (y h : R) : contains (distance_after D l spec P o ball vel tau).1 y ->
    contains (step_rounding lo hi f) h ->
    vdist (trajectory t.+1) (position_real o + known_step lo f)%V <= y + h -> orbit_at t.+1 o'.
  move=> Hy Hh le; rewrite -E; split; [exact: sh' | by rewrite [clock _]/= realD real1 ck -S_INR | ].
  have [z Hz zle] := upper_end_bound (iadd_contains Q Hy Hh).
  exists z; first by move: Hz; rewrite tau_is.
  apply: Rle_trans zle; apply: Rle_trans le; right; congr vdist; exact: moved.
move: may finish dev; rewrite /distance_after -/ball -/up -/down -/turning -/turn /seen_point.
move: next; set next_point := trajectory t.+1 => next.
case derived: (by_derivatives (run_rule spec)) => may finish dev; last first.
- pose n := vnorm (gradient ell w).
  have Hn : contains (ball_speed P vel) n.
    rewrite /n -vnormN (gradient_constraints beta); apply: (ball_speed_contains Dok fits_omegas P HR).
    by rewrite -(gradient_constraints beta); exact: dev.
  have speeds : R0 < vnorm known by exact: certainly_lt_real HR Hs may.
  have Hgap : contains (gap_of D l P P seen) (training_loss ell w - least).
    by rewrite least_is; case: seen_sees => _ attended _ _ _; move: attended; rewrite /seen_point derived => attended;
      exact: (gap_seen Dok l P P Bok attended).
  pose lam := rate ell least (run_rule spec) sizes t w.
  have Ht : contains tau lam.
    have -> : tau = step_factor_in P (run_rule spec) (eta (clock o)) (gap_of D l P P) seen vel.
      by rewrite /tau /Replay.multiplier; case: (run_rule spec) derived.
    by apply: step_factor_in_contains He Hn _ => _; exact: Hgap.
  have [h Hh hle] := rounding _ Ht; have lam0 : 0 <= lam by apply: is_nonnegative_real Ht _; rewrite tau_is.
  split; last first.
    move=> _; have -> : vnorm (gradient ell w) = vnorm (V w) by rewrite vnormN.
    have close : vdist (V w) known <= R0 := dev.
    by have := vnorm_sub_ge known (V w); rewrite -/(vdist known (V w)) vdistC; lra.
  apply: (finish (r + lam * R0) h).
  + exact: (iadd_contains Q Hr (imul_contains Q Ht HR)).
  + exact: Hh.
  by rewrite next; exact: (gradient_step_distance lam0 near dev hle).
case ru: (run_rule spec) derived may finish => // _ may finish.
- have Ht : contains tau (sizes t) by rewrite /tau /Replay.multiplier ru; exact: He.
  have [h Hh hle] := rounding _ Ht; case/andP: may => bu bd.
  split=> [|no]; last by case: no.
  apply: (finish (k_of (sizes t) * r + sizes t * R0) h).
  + exact: (iadd_contains Q (imul_contains Q (k_in Ht bu bd) Hr) (imul_contains Q Ht HR)).
  + exact: Hh.
  by rewrite next ru; exact: (gradient_after (Rlt_le _ _ eta0) bu bd near dev hle).
case/and5P: may => bu bd bt /(is_positive_real Hs) n1 small.
set n := vnorm known in n1 Hs small.
have Ht : contains tau (sizes t / n) by rewrite /tau /Replay.multiplier ru; exact: (idiv_contains P He Hs).
have [h Hh hle] := rounding _ Ht.
pose q := Rmax (top up) (top down) * r + R0.
have Hq := iadd_contains Q (imul_contains Q (imax_contains Q (up_in bu) (down_in bd)) Hr) HR; rewrite -/q in Hq.
have H4 : contains (exactly (four N)) 4 by rewrite -(real4 N); exact: exactly_contains.
have le4 := certainly_le_real (imul_contains Q H4 Hq) Hs small.
have [moves le] := normalised_after (Rlt_le _ _ eta0) n1 bu bd bt le4 near dev hle.
split; last by move=> _; rewrite /w -vnormN; exact: moves.
apply: (finish ((k_of (sizes t / n) + sizes t / n * top turn / n) * r + sizes t / n * R0 +
                2 * sizes t * (q * q) / (n * n)) h); [ | exact: Hh | ]; last first.
  by rewrite next ru /rate /step_factor -vnormN; exact: le.
have twist := idiv_contains Q (imul_contains Q Ht (turn_in bt)) Hs.
have curved := idiv_contains Q (imul_contains Q (imul_contains Q (contains2 N) He) (imul_contains Q Hq Hq))
                 (imul_contains Q Hs Hs).
exact: (iadd_contains Q (iadd_contains Q (imul_contains Q (iadd_contains Q (k_in Ht bu bd) twist) Hr)
         (imul_contains Q Ht HR)) curved).
Qed.
End Step.
End AdvanceSound.
