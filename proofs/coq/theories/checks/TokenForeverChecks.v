(* TokenForeverChecks: T23 from a step of the attention stage of one-hot sentences on (NEXT_TOKEN.md sections 4 and 5),
   in intervals. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads Direction Saturation Claims Iteration HeadRuns ClassifierHead
                           ClassifierLockIn ClassifierDescent TokenHead TokenRanges TokenBend CurvatureRatio
                           SublevelDescent TokenDescent Number Rows TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals
                           RegionIntervals RunChecks ForeverChecks UnitRows TokenPlaces TokenReplay TokenTrees
                           TokenRunChecks TokenSees.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- what is said ---- *)

Record token_future (N : number) := TokenFuture {
  future_off : fraction N;        (* bounds the attention off the selected tokens *)
  future_decrease : fraction N; future_loss : fraction N; future_ratio : fraction N;
  future_height : fraction N; future_growth : fraction N; future_lag : fraction N;
  future_centre : fraction N; future_path : fraction N
}.

Section Said.
Variables (N : number) (p : selection_problem) (alpha : selection p) (h : head p) (least step : R).
Variables (ws : vec (coord p)) (c : token_future N) (w : nat -> vec (coord p)).
Let u := margin_direction ws.
Notation y n := (Direction.height u (w n)).

(* From w 0 on, along the solution ws: every step makes the loss fall, which is near the least one, geometrically; the
   selected tokens keep their attention; the height grows linearly, and what is beside it as its root. *)
Definition token_lasts : Prop :=
  [/\ 0 < fraction_real (future_decrease c), 0 < fraction_real (future_growth c), fraction_real (future_ratio c) < 1,
      fraction_real (future_height c) <= y 0%nat /\ vnorm (w 0%nat - y 0%nat * u)%V <= fraction_real (future_centre c) &
      forall n : nat,
      [/\ head_loss h (w n.+1) <=
            head_loss h (w n) - fraction_real (future_decrease c) * (step * vnorm (head_gradient h (w n))),
          head_loss h (w n) - least <= fraction_real (future_loss c) * fraction_real (future_ratio c) ^ n,
          forall i, 1 - attention (w n) (alpha i) <= fraction_real (future_off c),
          y n <= y n.+1 /\ y 0%nat + fraction_real (future_growth c) * INR n - fraction_real (future_lag c) <= y n &
          vnorm2 (w n - w 0%nat - (y n - y 0%nat) * u)%V <= fraction_real (future_path c) * INR n]].
End Said.

Definition token_precision : Z := 160.

(* ---- the check ---- *)

Section Check.
Variables (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat)) (r : token_training N).
Notation P := token_precision.
Notation interval := (interval N).
Notation one := (interval1 N).
Notation V := (of_natural N (left_dimension D)).
Variables (T : tree N) (S : interval) (rate : N) (f : enclosed_reference N) (shares : seq (seq interval)).

Notation c := (scale_interval D pairs r P).
Definition sentences_in : interval := exactly (of_natural N (size (sequences D))).
Definition wrong_in : interval := exactly (sub V Number.one).     (* V - 1 *)
Definition beyond_two_in : interval := exactly (sub V two).       (* V - 2 *)
Definition limit_odds_in : interval := imul P wrong_in (iexp P (iopp c)).
Definition token_off_in : interval :=
  idiv P (log_1_plus P (idiv P (imul P (exp_minus_1 P (imul P sentences_in S)) (iadd P one limit_odds_in))
                               limit_odds_in)) c.
Definition token_kept_in : interval := isub P one token_off_in.
Definition rival_in : interval := iexp P (imul P c token_off_in).
Definition chosen_in : interval := iexp P (imul P c token_kept_in).
Definition token_part_in : interval := idiv P rival_in (iadd P rival_in beyond_two_in).
Definition token_share_in : interval := idiv P one (iadd P wrong_in (iexp P c)).
Definition token_left_in : interval := let x := iadd P beyond_two_in rival_in in idiv P x (iadd P x chosen_in).
Definition token_most_in : interval := idiv P rival_in (iadd P rival_in (iadd P beyond_two_in chosen_in)).
Definition all_wrong_in : interval := imul P wrong_in token_share_in.   (* (V - 1) g_0 *)
Definition token_rise_in : interval := isub P (imul P token_kept_in all_wrong_in) (imul P token_off_in token_most_in).
Definition token_room_in : interval := isub P (isub P one token_off_in) (imul P token_off_in token_part_in).
Definition token_bend_in : interval :=
  let root := iadd P one (isqrt P token_part_in) in
  let cross := isqrt P (idiv P (iadd P one token_part_in) token_room_in) in
  iadd P (iadd P one (imul P (interval2 N) (imul P token_off_in cross)))
    (idiv P (imul P (imul P c token_off_in) (imul P root root)) token_room_in).
Definition token_swing_in : interval :=
  imax P (idiv P token_left_in (imul P token_kept_in token_rise_in))
    (idiv P (iadd P token_left_in token_most_in) (imul P token_kept_in (iadd P token_rise_in token_share_in))).

Definition step_length_in : interval := claimed P (attended_step r).
Definition token_theta_in : interval :=
  let D := isqrt P (interval2 N) in
  let x := imul P D step_length_in in
  isub P one (imul P (imul P (imul P token_bend_in token_swing_in) (isqrt P (exactly rate)))
    (idiv P (isub P (exp_minus_1 P x) x) (imul P step_length_in (imul P D D)))).

(* ---- factors of T1's weights ---- *)

Definition unit_in : interval := imul P (idiv P one sentences_in) c.
(* `more` is added for tokens that have a next one. *)
Definition token_factor_table (base more : interval) : seq (seq interval) :=
  by_copies D P picks (map_rows (fun b : bool => imul P unit_in (if b then iadd P base more else base))
    (paired_table D pairs)).
Definition token_lows_in : seq (seq interval) :=
  token_factor_table (imul P token_kept_in token_rise_in) (imul P token_kept_in token_share_in).
Definition token_highs_in : seq (seq interval) := token_factor_table token_left_in token_most_in.
Definition token_floors_in : seq (seq interval) :=
  token_factor_table (imul P token_kept_in all_wrong_in) (imul P token_kept_in token_share_in).

(* ---- the point ---- *)

Notation rows := (token_rows_made D picks pairs).
Definition leads_in : seq (seq interval) := lead_table picks P rows (entries_table rows T).
Definition token_height_in : interval :=
  idiv P (isum P (group_sums P (combine_tables (imul P) shares leads_in))) (norm_in f).
Definition token_along_in : interval := imul P (margin_in f) token_height_in.
Definition token_centre_in : interval := isqrt P (isub P (tree_squares P T) (imul P token_height_in token_height_in)).
Definition token_gap_in : interval :=
  let masses := combine_tables (fun I J => imul P I (iexp P (iopp J))) token_highs_in
    (map_rows (fun I => isub P I token_along_in) leads_in) in
  isub P (ilog P (isum P (group_sums P (within (constraint_mask D picks) (interval0 N) masses))))
    (log_floor_in P f token_lows_in).
Definition token_lag_in : interval :=
  idiv P (idiv P (isub P (iadd P (ilog P S) token_along_in) (log_floor_in P f token_floors_in)) (margin_in f))
    (interval2 N).
Definition token_spread_in : interval :=
  imul P step_length_in (iadd P (idiv P (imul P (interval2 N) token_gap_in) (margin_in f)) step_length_in).

Definition token_future_check (c : token_future N) : bool :=
  let said q := claimed P q in
  [&& [&& is_positive (said (future_decrease c)), is_positive (said (future_growth c)) &
          certainly_lt (said (future_ratio c)) one],
      [&& is_positive token_off_in, is_positive token_kept_in, is_positive token_rise_in, is_positive token_room_in &
          is_positive token_theta_in],
      [&& certainly_le token_off_in (said (future_off c)), certainly_le (said (future_decrease c)) token_theta_in,
          certainly_le S (said (future_loss c)) &
          certainly_le
            (iexp P (iopp (imul P (imul P (imul P token_theta_in step_length_in) (margin_in f)) token_kept_in)))
            (said (future_ratio c))],
      [&& certainly_le (said (future_height c)) token_height_in,
          certainly_le (said (future_growth c))
            (imul P step_length_in (isqrt P (imul P token_theta_in token_kept_in))) &
          certainly_le token_lag_in (said (future_lag c))] &
      certainly_le token_centre_in (said (future_centre c)) && certainly_le token_spread_in (said (future_path c))].
End Check.

(* ---- soundness ---- *)

Local Opaque contains.

Section Soundness.
Variables (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat)) (r : token_training N).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks) (Sok : token_stage_ok D picks pairs).
Hypothesis some_group : (0 < size (sequences D))%nat.
Hypothesis two_outputs : (1 < left_dimension D)%nat.
Notation P := token_precision.
Let alpha : selection (problem D) := selection_of Pok.
Notation next := (@next_token N D pairs).
Notation wanted := (wanted_output Dok Pok Sok).
Notation c := (frozen_scale D pairs r).
Notation V := (ordinal_finType (left_dimension D)).
Notation K := (INR #|V|).
Notation scale := (scale_interval D pairs r P).
Hypothesis scale_gt0 : is_positive scale.
Let h : head (problem D) := token_head next wanted c.
Notation G := (sentence_logit next c).
Notation loss_above z := (class_excess_loss G wanted alpha z).

Variables (T : tree N) (S : interval N) (rate : N) (hs : seq (column_vectors N)).
Variables (f : enclosed_reference N) (shares : seq (seq (interval N))).
Variables (ws : vec (coord (problem D))) (lam : token (problem D) -> R) (w : nat -> vec (coord (problem D))).
Hypothesis solution : max_margin alpha ws.
Hypothesis lam_multipliers : multipliers alpha ws lam.
Hypothesis some_constraint : exists t, constraint alpha t.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis shares_in : encloses shares lam.
Hypothesis seen : rows_seen_check D picks P rate hs.
Hypothesis tree_in : tree_encloses T (w 0%nat).
Hypothesis loss_in : contains S (head_loss h (w 0%nat) - frozen_least D pairs r).
Hypothesis run : head_follows h 0 NormalisedSteps (fun=> fraction_real (attended_step r)) w.
Hypothesis step_gt0 : 0 < fraction_real (attended_step r).

Let apart := next_apart (D := D) (pairs := pairs) Sok.
Let chosen := chosen_wanted Dok Pok Sok.
Let c_in : contains scale c := frozen_scale_contains D pairs r P.
Let c_gt0 : 0 < c := frozen_gt0 scale_gt0.
Notation n := (INR (size (sequences D))).
Let n_gt0 : 0 < n. Proof. by apply: lt_0_INR; exact/ltP. Qed.
Let weight_mean i : weight (s := problem D) i = / n. Proof. by rewrite /weight /= /mean_weight card_ord. Qed.
Let outputs : (1 < #|V|)%nat. Proof. by rewrite card_ord. Qed.
Notation S0 := (loss_above (w 0%nat)).
Notation eps := (token_off V c n S0).
Notation kept := (1 - eps).

Lemma selected_frozen : selected_loss G wanted alpha = frozen_least D pairs r.
Proof.
rewrite /selected_loss (eq_bigr (fun i => weight (s := problem D) i * frozen_least D pairs r)) => [|i _].
  rewrite -sum_mulr /weight /= /mean_weight sum_const card_ord Rinv_r ?Rmult_1_l //; lra.
by rewrite (selected_value_limit c chosen) /limit_odds /frozen_least card_ord.
Qed.

Lemma start_in : contains S S0.
Proof. by rewrite /class_excess_loss selected_frozen. Qed.

Let K_real : K = INR (left_dimension D). Proof. by rewrite card_ord. Qed.
Let one_in : contains (interval1 N) 1 := contains1 N.
Let n_in : contains (sentences_in D) n.
Proof. by rewrite -(of_natural_real N); exact: exactly_contains. Qed.
Let wrong_number : contains (wrong_in D) (K - 1).
Proof. by rewrite K_real -(of_natural_real N) -(@real1 N) -realB; exact: exactly_contains. Qed.
Let two_number : contains (beyond_two_in D) (K - 2).
Proof. by rewrite K_real -(of_natural_real N) -(@real2 N) -realB; exact: exactly_contains. Qed.

Lemma limit_odds_contains : contains (limit_odds_in D pairs r) (limit_odds V c).
Proof. exact (imul_contains P wrong_number (iexp_contains P (iopp_contains c_in))). Qed.

Lemma token_off_contains : contains (token_off_in D pairs r S) eps.
Proof.
apply: idiv_contains => //; apply: log_1_plus_contains; have odds := limit_odds_contains.
apply: idiv_contains => //; apply: imul_contains; last exact: iadd_contains.
by apply: exp_minus_1_contains; apply: imul_contains => //; exact: start_in.
Qed.
Let off := token_off_contains.
Let token_kept_contains : contains (token_kept_in D pairs r S) kept := isub_contains P one_in off.
Let rival : contains (rival_in D pairs r S) (exp (c * eps)) := iexp_contains P (imul_contains P c_in off).
Let chosen_power : contains (chosen_in D pairs r S) (exp (c * kept)) :=
  iexp_contains P (imul_contains P c_in token_kept_contains).

Lemma token_part_contains : contains (token_part_in D pairs r S) (rival_part V c eps).
Proof. exact (idiv_contains P rival (iadd_contains P rival two_number)). Qed.

Lemma token_share_contains : contains (token_share_in D pairs r) (least_share V c).
Proof.
rewrite /least_share -[/ _]Rmult_1_l.
exact (idiv_contains P one_in (iadd_contains P wrong_number (iexp_contains P c_in))).
Qed.

Lemma token_left_contains : contains (token_left_in D pairs r S) (most_left V c eps).
Proof.
have H := iadd_contains P two_number rival; exact (idiv_contains P H (iadd_contains P H chosen_power)).
Qed.

Lemma token_most_contains : contains (token_most_in D pairs r S) (most_share V c eps).
Proof. exact (idiv_contains P rival (iadd_contains P rival (iadd_contains P two_number chosen_power))). Qed.

Let all_wrong : contains (all_wrong_in D pairs r) ((K - 1) * least_share V c) :=
  imul_contains P wrong_number token_share_contains.

Lemma token_rise_contains : contains (token_rise_in D pairs r S) (least_rise V c n S0).
Proof.
exact (isub_contains P (imul_contains P token_kept_contains all_wrong) (imul_contains P off token_most_contains)).
Qed.

Lemma token_room_contains : contains (token_room_in D pairs r S) (1 - eps - eps * rival_part V c eps).
Proof. exact (isub_contains P token_kept_contains (imul_contains P off token_part_contains)). Qed.

Lemma token_bend_contains : contains (token_bend_in D pairs r S) (token_bend V c eps).
Proof.
have root := iadd_contains P one_in (isqrt_contains P token_part_contains).
apply: iadd_contains; last first.
  exact (idiv_contains P (imul_contains P (imul_contains P c_in off) (imul_contains P root root)) token_room_contains).
apply: iadd_contains => //; apply: imul_contains (contains2 N) _; apply: imul_contains => //.
exact (isqrt_contains P (idiv_contains P (iadd_contains P one_in token_part_contains) token_room_contains)).
Qed.

Lemma token_swing_contains : contains (token_swing_in D pairs r S) (token_swing V c n S0).
Proof.
apply: imax_contains.
  exact (idiv_contains P token_left_contains (imul_contains P token_kept_contains token_rise_contains)).
exact (idiv_contains P (iadd_contains P token_left_contains token_most_contains)
  (imul_contains P token_kept_contains (iadd_contains P token_rise_contains token_share_contains))).
Qed.

Let sees := token_sees Pok hs.
Notation x := (fraction_real (attended_step r)).
Notation theta := (token_theta next wanted c n alpha (w 0%nat) (sqrt (real rate)) sees x).
Let x_in : contains (step_length_in r) x := claimed_contains P (attended_step r).

Lemma token_theta_contains : contains (token_theta_in D pairs r S rate) theta.
Proof.
have root2 := isqrt_contains P (contains2 N); have long := imul_contains P root2 x_in.
apply: isub_contains => //; apply: imul_contains.
  apply: imul_contains; first exact (imul_contains P token_bend_contains token_swing_contains).
  exact (isqrt_contains P (exactly_contains rate)).
apply: idiv_contains; last exact (imul_contains P x_in (imul_contains P root2 root2)).
exact (isub_contains P (exp_minus_1_contains P long) long).
Qed.

(* ---- tables ---- *)

Lemma token_factor_table_encloses I J (a b : R) (F : token (problem D) -> R) : contains I a -> contains J b ->
  (forall t, F t = token_weight c n alpha t * (a + (if isSome (next t) then b else 0))) ->
  encloses (token_factor_table D picks pairs r I J) F.
Proof.
move=> HI HJ E; have -> : F = fun t => copies alpha t * (/ n * c * (a + (if isSome (next t) then b else 0))).
  by apply: FunctionalExtensionality.functional_extensionality => t; rewrite E /token_weight; ring.
apply: (by_copies_encloses P Dok Pok); apply: (encloses_map (e0 := false)) => [|t].
  by apply: fits_map; exact: fits_place_table.
have -> : at_token false (paired_table D pairs) t = isSome (next t).
  by rewrite (next_isSome Sok) (at_token_map 0%nat) //; exact: fits_place_table.
apply: imul_contains.
  apply: imul_contains c_in; rewrite -[/ n]Rmult_1_l; exact (idiv_contains P one_in n_in).
by case: isSome; [exact: iadd_contains | rewrite Rplus_0_r].
Qed.

Lemma token_lows_enclose : encloses (token_lows_in D picks pairs r S) (token_low next c n alpha S0).
Proof.
apply: (token_factor_table_encloses (imul_contains P token_kept_contains token_rise_contains)
  (imul_contains P token_kept_contains token_share_contains)) => t.
by rewrite /token_low; case: isSome; ring.
Qed.

Lemma token_highs_enclose : encloses (token_highs_in D picks pairs r S) (token_high next c n alpha S0).
Proof. by apply: (token_factor_table_encloses token_left_contains token_most_contains) => t. Qed.

Lemma token_floors_enclose : encloses (token_floors_in D picks pairs r S) (token_floor next c n alpha S0).
Proof.
apply: (token_factor_table_encloses (imul_contains P token_kept_contains all_wrong)
  (imul_contains P token_kept_contains token_share_contains)) => t.
by rewrite /token_floor; case: isSome; ring.
Qed.

(* ---- the point ---- *)

Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation y := (Direction.height u).
Notation w0 := (w 0%nat).
Let entries_in : entries_enclose T w0 := fun jk => tree_entry jk tree_in.

Lemma leads_enclose : encloses (leads_in D picks pairs T) (margin alpha w0).
Proof. exact: (lead_table_encloses pairs P Pok (entries_table_encloses Dok Sok entries_in)). Qed.

Lemma token_height_contains : contains (token_height_in D picks pairs T f shares) (y w0).
Proof.
have [Hn _ _ _ _] := reference_in; have [_ wsE _] := lam_multipliers.
have terms := combine_encloses (H := fun t => lam t * margin alpha w0 t) shares_in leads_enclose
  (fun t I J HI HJ => imul_contains P HI HJ).
have -> : y w0 = (\sum_t lam t * margin alpha w0 t) / vnorm ws; last first.
  exact (idiv_contains P (table_sum_contains P terms) Hn).
rewrite /Direction.height /margin_direction dotZr Rmult_comm; congr (_ / _).
rewrite {1}wsE dot_combiner [LHS]big_mkcond; apply: eq_bigr => t _.
case: ifPn => [_ | /not_constraint E]; first by rewrite /margin dotC.
by rewrite margin_logit /logit /selected -E; ring.
Qed.

Let along_contains : contains (token_along_in D picks pairs T f shares) (gamma * y w0).
Proof. by have [_ Hg _ _ _] := reference_in; exact: imul_contains token_height_contains. Qed.

Let dir := margin_direction_spec (proj1 solution) lam_multipliers some_constraint.

Lemma token_centre_contains : contains (token_centre_in D picks pairs T f shares) (vnorm (w0 - y w0 * u)%V).
Proof.
apply: isqrt_contains.
have -> : vnorm2 (w0 - y w0 * u)%V = vnorm2 w0 - y w0 * y w0.
  have off_line (v z : vec (coord (problem D))) : dot v v = 1 ->
      vnorm2 (z - dot z v * v)%V = vnorm2 z - dot z v * dot z v.
    by move=> one; rewrite /vnorm2 !dotBl !dotBr !dotZl !dotZr one [dot v z]dotC; ring.
  exact: off_line (dir_unit dir).
apply: isub_contains; last exact: imul_contains token_height_contains token_height_contains.
by apply: (tree_squares_sum P (p := predT) (f := @coordinate_key N D)) => [a b _ _|k];
  [exact: coordinate_key_inj | exact: tree_in].
Qed.

Notation gap := (gibbs_gap (constraint alpha) (Delta alpha) u (w0 - y w0 * u)%V (constraint alpha) gamma mu
  (token_high next c n alpha S0) (token_low next c n alpha S0) (y w0)).

Lemma token_gap_contains : contains (token_gap_in D picks pairs r T S f shares) gap.
Proof.
apply: isub_contains; last exact (log_floor_contains P reference_in token_lows_enclose).
apply: ilog_contains; rewrite big_mkcond.
have shifted : encloses
    (map_rows (fun I => isub P I (token_along_in D picks pairs T f shares)) (leads_in D picks pairs T))
    (fun t => margin alpha w0 t - gamma * y w0).
  by apply: (map_encloses leads_enclose) => t I HI; exact: isub_contains.
have [fp Hp] := combine_encloses (H := fun t => token_high next c n alpha S0 t *
  exp (- (margin alpha w0 t - gamma * y w0))) token_highs_enclose shifted
  (fun t I J HI HJ => imul_contains P HI (iexp_contains P (iopp_contains HJ))).
apply: table_sum_contains.
have -> : (fun t => if constraint alpha t then token_high next c n alpha S0 t *
    exp (- (Direction.slope (Delta alpha) u t - gamma) * y w0 - dot (Delta alpha t) (w0 - y w0 * u)%V) else 0) =
  (fun t => if in_mask (constraint_mask D picks) t then token_high next c n alpha S0 t *
    exp (- (margin alpha w0 t - gamma * y w0)) else 0).
  apply: FunctionalExtensionality.functional_extensionality => t; rewrite (in_constraint_mask Pok) -/alpha.
  case: (constraint alpha t) => //; congr (_ * exp _).
  by rewrite dotBr dotZr -/(Direction.slope (Delta alpha) u t) /margin; ring.
by apply: within_encloses => //; [exact: fits_constraint_mask | exact: contains0].
Qed.

Lemma token_lag_contains : contains (token_lag_in D picks pairs r T S f shares)
  (token_lag next wanted c n alpha w0 ws lam / gamma / 2).
Proof.
have [_ Hg _ _ _] := reference_in; apply: idiv_contains (contains2 N); apply: idiv_contains => //.
apply: isub_contains; last exact (log_floor_contains P reference_in token_floors_enclose).
by apply: iadd_contains along_contains; apply: ilog_contains; exact: start_in.
Qed.

Lemma token_spread_contains : contains (token_spread_in D picks pairs r T S f shares) (x * (2 * gap / gamma + x)).
Proof.
have [_ Hg _ _ _] := reference_in; apply: imul_contains => //; apply: iadd_contains => //.
exact (idiv_contains P (imul_contains P (contains2 N) token_gap_contains) Hg).
Qed.

Theorem future_check_sound said : token_future_check D picks pairs r T S rate f shares said ->
  token_lasts alpha h (frozen_least D pairs r) x ws said w.
Proof.
have F (q : fraction N) : contains (claimed P q) (fraction_real q) := claimed_contains P q.
have [_ Hg _ _ _] := reference_in.
case/and5P=> /and3P[d0 a0 q1] /and5P[e0 k0 r0 m0 t0] /and4P[e_le d_le s_le q_le].
case/and3P=> h_le g_le l_le /andP[c_le p_le].
have eps0 := Rlt_le _ _ (is_positive_real off e0); have kept0 := is_positive_real token_kept_contains k0.
have rise0 := is_positive_real token_rise_contains r0; have room0 := is_positive_real token_room_contains m0.
have theta0 := is_positive_real token_theta_contains t0.
have short t (Qt : constraint alpha t) := token_sees_short Sok seen Qt.
have ge t s (Qt : constraint alpha t) (Qs : constraint alpha s) := token_sees_ge Dok Sok seen Qt Qs.
have norms t (_ : constraint alpha t) := token_row_norm Dok Pok Sok t.
have stage := TokenStage apart chosen c_gt0 outputs n_gt0 weight_mean.
have low_start := TokenLowStart eps0 kept0 rise0 room0.
have rows := SeenRows norms (sqrt_pos (real rate)) short ge.
have follows : token_follows next wanted c n alpha w0 _ _ x w := TokenFollows erefl step_gt0 run theta0.
have descent := token_descent stage low_start rows (proj1 solution) lam_multipliers some_constraint follows.
have heights := token_heights stage low_start rows (proj1 solution) lam_multipliers some_constraint follows.
have path := token_path stage low_start rows (proj1 solution) lam_multipliers some_constraint follows.
have dle := certainly_le_real (F _) token_theta_contains d_le.
have gle := certainly_le_real (F _) (imul_contains P x_in (isqrt_contains P (imul_contains P token_theta_contains
  token_kept_contains))) g_le.
have lle := certainly_le_real token_lag_contains (F _) l_le; have sle := certainly_le_real start_in (F _) s_le.
have qle := certainly_le_real (iexp_contains P (iopp_contains (imul_contains P (imul_contains P (imul_contains P
  token_theta_contains x_in) Hg) token_kept_contains))) (F _) q_le.
have ele := certainly_le_real off (F _) e_le; have ple := certainly_le_real token_spread_contains (F _) p_le.
have S0_ge : 0 <= S0.
  rewrite (excess_sum next wanted c alpha weight_mean); apply: sum_ge0 => i _; apply: Rmult_le_pos.
    exact/Rlt_le/Rinv_0_lt_compat.
  exact: (group_excess_ge0 apart chosen c_gt0 outputs).
split.
- exact: is_positive_real (F _) d0.
- exact: is_positive_real (F _) a0.
- exact: certainly_lt_real (F _) one_in q1.
- split; first exact: certainly_le_real (F _) token_height_contains h_le.
  exact: certainly_le_real token_centre_contains (F _) c_le.
move=> k; have [_ fall att low] := descent k; have [rises _ grows] := heights k; have k0' := pos_INR k; split.
- have falls : head_loss h (w k.+1) <= head_loss h (w k) - theta * (x * vnorm (head_gradient h (w k))) := fall.
  have g0 := Rmult_le_pos _ _ (Rlt_le _ _ step_gt0) (vnorm_ge0 (head_gradient h (w k))).
  by have := Rmult_le_compat_r _ _ _ g0 dle; lra.
- rewrite -selected_frozen; apply: Rle_trans low _; apply: Rmult_le_compat => //.
    by apply: pow_le; exact/Rlt_le/exp_pos.
  by apply: pow_incr; split; [exact/Rlt_le/exp_pos | exact: qle].
- by move=> i; exact: Rle_trans (att i) ele.
- have rise : y w0 + x * sqrt (theta * kept) * INR k - token_lag next wanted c n alpha w0 ws lam / gamma / 2 <=
    y (w k) := grows.
  by split=> //; have := Rmult_le_compat_r _ _ _ k0' gle; lra.
by apply: Rle_trans (path k) _; exact: Rmult_le_compat_r.
Qed.
End Soundness.
