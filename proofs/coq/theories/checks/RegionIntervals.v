(* RegionIntervals: what the theorems about all later steps need at one point w_0, enclosed: the point itself, the
   lowest margins along the path, and K and C of the Gibbs bound (DYNAMICS.md sections 2 to 4), with the natural
   centre. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Iteration Claims Direction Path Growth Region Saturation LockIn Number
                           Rows TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary
                           IntervalTables AttentionIntervals ReferenceIntervals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Region.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Implicit Types (t : token (problem D)) (mask : seq (seq bool)) (I J : interval) (m : seq (seq interval)).

Variables (f : enclosed_reference N) (ws : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis reference_in : reference_encloses Pok f ws lam.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation height := (Direction.height u).
Notation slope := (Direction.slope (Delta alpha) u).
Notation spread := (Direction.spread (Delta alpha) u).
Hypothesis dir : direction Q (Delta alpha) u gamma mu.

(* ---- the point ---- *)

Record point := Point {
  point_margins : seq (seq interval);
  point_height : interval;       (* y_0 *)
  point_residual : interval;     (* ||w_0 - y_0 u|| *)
  point_loss_gap : interval      (* L - L*, L* the loss of the selected scores *)
}.

Definition point_encloses (l : loss_name) (w : point) (w0 : vec (coord (problem D))) : Prop :=
  [/\ encloses (point_margins w) (margin alpha w0), contains (point_height w) (height w0),
      contains (point_residual w) (vnorm (w0 - height w0 * u)%V) &
      contains (point_loss_gap w) (training_loss (loss_of l) w0 - least_loss alpha (loss_of l))].

(* The point given by a matrix over one denominator; the solution is within r of W(v). *)
Definition point_of_matrix (l : loss_name) (v : vector N) (r : interval) (start : seq (seq N)) (unit : N) : point :=
  let margins := exact_table P (mul unit (mul (token_unit D) (query_unit D))) (margins_of D picks start) in
  let square := ratio P (mul unit unit) (matrix_dot start start) in
  let inner := isum P (group_sums P (combine_tables (imul P) (exact_table P (denominator v) (numerators v)) margins))
    in
  let height := idiv P (iadd P inner (symmetric (imul P (isqrt P square) r))) (norm_in f) in
  Point margins height (isqrt P (isub P square (imul P height height)))
    (loss_excess D P margins l picks (selected_scores D P picks)).

Lemma point_of_matrix_encloses l v r (x : R) start unit : vector_ok D picks v -> contains r x ->
  vnorm (ws - W alpha (@coefficient_of N D v))%V <= x ->
  shaped (left_dimension D) (right_dimension D) start -> 0 < real unit ->
  point_encloses l (point_of_matrix l v r start unit) (matrix_real start (real unit)).
Proof.
move=> vok Hr dist sh unit0; have [Hn _ _ _ _] := reference_in; set w0 := matrix_real start (real unit).
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok; have /and3P[_ fv _] := vok.
have Hm : encloses (exact_table P (mul unit (mul (token_unit D) (query_unit D))) (margins_of D picks start))
  (margin alpha w0).
  apply: exact_table_encloses => [|t]; first exact: fits_margins.
  by rewrite (margins_real Dok Pok t sh) ?realM //; lra.
have Hs : contains (ratio P (mul unit unit) (matrix_dot start start)) (vnorm2 w0).
  have u0 : real unit <> 0 by lra.
  rewrite /vnorm2 /w0 (@matrix_real_dot N D _ _ _ _ u0 u0) -(matrix_dot_real sh sh) -realM; exact: ratio_contains.
have Hw : contains (isqrt P (ratio P (mul unit unit) (matrix_dot start start))) (vnorm w0) by exact: isqrt_contains.
have Hc : encloses (exact_table P (denominator v) (numerators v)) (@coefficient_of N D v).
  by apply: exact_table_encloses.
have Hi := table_sum_contains P (combine_encloses (H := fun t => @coefficient_of N D v t * margin alpha w0 t) Hc Hm
             (fun t I J HI HJ => imul_contains P HI HJ)).
have Ei : \sum_t (@coefficient_of N D v t * margin alpha w0 t) = dot w0 (W alpha (@coefficient_of N D v)).
  rewrite dotC /W dot_combinel [RHS]big_mkcond; apply: eq_bigr => t _.
  by case: ifP => // /negbT/(coefficient_off vok) ->; rewrite Rmult_0_l.
have n0 : 0 < vnorm ws by have := dir_margin_gt0 dir; rewrite /Saturation.margin_value => g0;
  rewrite -(Rinv_inv (vnorm ws)); exact: Rinv_0_lt_compat.
have Hh : contains (point_height (point_of_matrix l v r start unit)) (height w0).
  have -> : height w0 = (dot w0 (W alpha (@coefficient_of N D v)) + dot w0 (ws - W alpha (@coefficient_of N D v))%V) /
    vnorm ws.
    by rewrite /Direction.height /margin_direction dotZr dotBr; field; lra.
  apply: idiv_contains => //; apply: iadd_contains; first by rewrite -Ei.
  apply: (symmetric_contains (imul_contains P Hw Hr)); apply: Rle_trans (cauchy_schwarz _ _) _.
  by apply: Rmult_le_compat_l => //; exact: vnorm_ge0.
split=> //; last exact: (loss_excess_contains P Dok Hm l (selected_scores_enclose P Pok)).
have -> : vnorm (w0 - height w0 * u)%V = sqrt (vnorm2 w0 - height w0 * height w0).
  rewrite /vnorm; congr sqrt; rewrite vnorm2B vnorm2Z dotZr /vnorm2 (dir_unit dir) -/(Direction.height u w0); ring.
by apply: isqrt_contains; apply: isub_contains => //; exact: imul_contains.
Qed.

(* ---- along the path of the point ---- *)

Variables (l : loss_name) (w : point) (w0 : vec (coord (problem D))).
Hypothesis point_in : point_encloses l w w0.
Notation y0 := (height w0).
Notation centre := (w0 - y0 * u)%V.

Lemma centre_orthogonal : dot centre u = 0.
Proof. by rewrite dotBl dotZl (dir_unit dir) /Direction.height; ring. Qed.

Definition square_spreads : seq (seq interval) :=
  combine_tables (fun I J => imax P (isub P (imul P I I) (imul P J J)) (interval0 N)) (distance_table D P picks)
    (slopes_in f).

Lemma square_spreads_enclose : encloses square_spreads (fun t => spread t * spread t).
Proof.
have [_ _ Hs _ _] := reference_in.
apply: (combine_encloses (distance_table_encloses P Dok Pok) Hs) => t I J HI HJ.
have -> : spread t * spread t = Rmax (vnorm (Delta alpha t) * vnorm (Delta alpha t) - slope t * slope t) 0.
  rewrite vnorm_sqr /Direction.spread; case: (Rle_lt_dec 0 (vnorm2 (Delta alpha t) - slope t * slope t)) => h.
    by rewrite sqrt_sqrt // Rmax_left.
  by rewrite sqrt_neg_0 ?Rmax_right; lra.
by apply: imax_contains; [apply: isub_contains; exact: imul_contains | exact: contains0].
Qed.

(* m_c - gamma y_0 *)
Definition excess_margins : seq (seq interval) :=
  map_rows (fun I => isub P I (imul P (margin_in f) (point_height w))) (point_margins w).

Lemma excess_margins_enclose : encloses excess_margins (fun t => margin alpha w0 t - gamma * y0).
Proof.
have [_ Hg _ _ _] := reference_in; have [Hm Hh _ _] := point_in.
by apply: (map_encloses Hm) => t I HI; apply: isub_contains => //; exact: imul_contains.
Qed.

Section Path.
Variables (M_in : interval) (M : R).
Hypotheses (M_contained : contains M_in M) (M_gt0 : 0 < M).

Definition lowest_margins : seq (seq interval) :=
  let four := iadd P (interval2 N) (interval2 N) in
  let drops := combine_tables (fun I J => idiv P (imul P I M_in) (imul P four J)) square_spreads (slopes_in f) in
  combine_tables (isub P) (point_margins w) drops.

Lemma lowest_margins_enclose :
  encloses lowest_margins (fun t => margin alpha w0 t - spread t * spread t * M / (4 * slope t)).
Proof.
have [_ _ Hs _ _] := reference_in; have [Hm _ _ _] := point_in.
have Hd : encloses (combine_tables (fun I J => idiv P (imul P I M_in) (imul P (iadd P (interval2 N) (interval2 N)) J))
                      square_spreads (slopes_in f)) (fun t => spread t * spread t * M / (4 * slope t)).
  apply: (combine_encloses square_spreads_enclose Hs) => t I J HI HJ.
  apply: idiv_contains; first exact: imul_contains.
  apply: imul_contains => //; have -> : 4 = 2 + 2 by ring.
  by apply: iadd_contains; exact: contains2.
by apply: (combine_encloses Hm Hd) => t I J; exact: isub_contains.
Qed.

(* e^-low_c, and the odds E_i, on the constraints. *)
Definition path_factors : seq (seq interval) := map_rows (fun I => iexp P (iopp I)) lowest_margins.

Lemma path_low_real t : Q t ->
  path_low (Delta alpha) u centre w0 M t = margin alpha w0 t - spread t * spread t * M / (4 * slope t).
Proof. by move=> Qt; rewrite (path_low_natural dir Qt M_gt0). Qed.

Lemma path_factors_enclose :
  encloses path_factors (fun t => exp (- (margin alpha w0 t - spread t * spread t * M / (4 * slope t)))).
Proof.
by apply: (map_encloses lowest_margins_enclose) => t I HI; apply: iexp_contains; exact: iopp_contains.
Qed.

(* Sums of g_c e^-low_c over a set of constraints: in each group, and in all. *)
Definition path_terms mask m : seq (seq interval) :=
  within mask (interval0 N) (combine_tables (imul P) m path_factors).

Lemma path_terms_enclose mask m F : fits D mask -> (forall t, in_mask mask t -> Q t) -> encloses m F ->
  encloses (path_terms mask m)
    (fun t => if in_mask mask t then F t * exp (- path_low (Delta alpha) u centre w0 M t) else 0).
Proof.
move=> fk HQ Hm; have [fp Hp] := combine_encloses (H := fun t => F t *
  exp (- (margin alpha w0 t - spread t * spread t * M / (4 * slope t)))) Hm path_factors_enclose
  (fun t I J HI HJ => imul_contains P HI HJ).
by apply: within_encloses => //; [exact: contains0 | move=> t it; rewrite path_low_real; [exact: Hp | exact: HQ]].
Qed.

Lemma path_sum_contains mask m F : fits D mask -> (forall t, in_mask mask t -> Q t) -> encloses m F ->
  contains (isum P (group_sums P (path_terms mask m)))
    (\sum_(t | in_mask mask t) F t * exp (- path_low (Delta alpha) u centre w0 M t)).
Proof.
move=> fk HQ Hm; rewrite [\sum_(t | _) _]big_mkcond.
exact: table_sum_contains (path_terms_enclose fk HQ Hm).
Qed.

Lemma path_group_sums_enclose m F : encloses m F ->
  column_encloses (group_sums P (path_terms (constraint_mask D picks) m))
    (fun i => \sum_(t | others alpha i t) F t * exp (- path_low (Delta alpha) u centre w0 M t)).
Proof.
have fc := fits_constraint_mask Pok; have Hc t : in_mask (constraint_mask D picks) t ->
  Q t by rewrite in_constraint_mask.
move=> Hm; have [sc H] := group_sums_enclose P (path_terms_enclose fc Hc Hm); split=> // i; have := H i.
congr contains; rewrite -big_mkcondr; apply: eq_bigl => t.
by rewrite /others (in_constraint_mask Pok) andbC.
Qed.
End Path.

(* ---- K and C ---- *)

Definition log_floor_in (blo : seq (seq interval)) : interval :=
  isum P (group_sums P (within (active_in f) (interval0 N)
    (combine_tables (fun I J => imul P I (isub P (ilog P J) (ilog P I))) (weights_in f) blo))).

Lemma log_floor_contains blo F : encloses blo F -> contains (log_floor_in blo) (log_floor Q mu F).
Proof.
move=> Hb; have [_ _ _ Hw [fa Ha]] := reference_in; rewrite /log_floor big_mkcond.
have [fp Hp] := combine_encloses (H := fun t => let x := if in_mask (active_in f) t then mu t else 0 in x *
  (ln (F t) - ln x)) Hw Hb
  (fun t I J HI HJ => imul_contains P HI (isub_contains P (ilog_contains P HJ) (ilog_contains P HI))).
have := table_sum_contains P (within_encloses (F := fun t => mu t * (ln (F t) - ln (mu t))) fa (contains0 N) fp _).
move=> H; rewrite (eq_bigr (fun t => if in_mask (active_in f) t then mu t * (ln (F t) - ln (mu t)) else 0)).
  by apply: H => t it; have := Hp t; rewrite it.
by move=> t _; rewrite Ha.
Qed.

Definition gibbs_gap_in mask (blo bhi : seq (seq interval)) : interval :=
  let masses := combine_tables (fun I J => imul P I (iexp P (iopp J))) bhi excess_margins in
  isub P (ilog P (isum P (group_sums P (within mask (interval0 N) masses)))) (log_floor_in blo).

Lemma gibbs_gap_contains mask blo bhi F G : fits D mask -> encloses blo F -> encloses bhi G ->
  contains (gibbs_gap_in mask blo bhi) (gibbs_gap Q (Delta alpha) u centre (in_mask mask) gamma mu G F y0).
Proof.
move=> fk Hl Hh; refine (isub_contains P (ilog_contains P _) (log_floor_contains Hl)).
rewrite big_mkcond.
have [fp Hp] := combine_encloses (H := fun t => G t * exp (- (margin alpha w0 t - gamma * y0))) Hh
  excess_margins_enclose
  (fun t I J HI HJ => imul_contains P HI (iexp_contains P (iopp_contains HJ))).
apply: table_sum_contains; apply: within_encloses => //; first exact: contains0.
move=> t _; have := Hp t; congr contains; congr (_ * exp _).
by rewrite dotBr dotZr -/(Direction.slope (Delta alpha) u t) /margin; ring.
Qed.

(* ---- extremes over the constraints ---- *)

(* D, the largest ||Delta_c||. *)
Definition diameter_in : interval := table_largest P (distance_table D P picks).

Lemma diameter_contains : exists x, [/\ contains diameter_in x, 0 <= x & forall t, vnorm (Delta alpha t) <= x].
Proof. exact: table_largest_contains (distance_table_encloses P Dok Pok). Qed.

(* A lower bound of gamma_c/||Delta_c||, at most 1: 1 - max (1 - gamma_c/||Delta_c||). *)
Definition least_cosine_in : interval :=
  let sines := combine_tables (fun I J => isub P (interval1 N) (idiv P I J)) (slopes_in f)
    (distance_table D P picks) in
  isub P (interval1 N) (table_largest P (within (constraint_mask D picks) (interval0 N) sines)).

Lemma least_cosine_contains : exists x, [/\ contains least_cosine_in x, x <= 1 & forall t, Q t ->
  x * vnorm (Delta alpha t) <= slope t].
Proof.
have [_ _ Hs _ _] := reference_in; have fc := fits_constraint_mask Pok.
have [fp Hp] := combine_encloses (H := fun t => 1 - slope t / vnorm (Delta alpha t)) Hs
  (distance_table_encloses P Dok Pok)
  (fun t I J HI HJ => isub_contains P (contains1 N) (idiv_contains P HI HJ)).
have [x [Hx x0 Hle]] := table_largest_contains P (within_encloses fc (contains0 N) fp (fun t _ => Hp t)).
exists (1 - x); split; [exact (isub_contains P (contains1 N) Hx) | lra | move=> t Qt].
have := Hle t; rewrite (in_constraint_mask Pok) Qt => h.
have d0 : 0 < vnorm (Delta alpha t) by have := slope_gt0 dir Qt; have := slope_le_norm dir t; lra.
apply: (Rmult_le_reg_r (/ vnorm (Delta alpha t))); first exact: Rinv_0_lt_compat.
by rewrite Rmult_assoc Rinv_r; lra.
Qed.

(* The largest delta_c/gamma_c. *)
Definition largest_ratio_in : interval :=
  table_largest P (within (constraint_mask D picks) (interval0 N)
    (combine_tables (fun I J => idiv P (isqrt P I) J) square_spreads (slopes_in f))).

Lemma largest_ratio_contains : exists x, [/\ contains largest_ratio_in x, 0 <= x & forall t, Q t ->
  spread t <= x * slope t].
Proof.
have [_ _ Hs _ _] := reference_in; have fc := fits_constraint_mask Pok.
have [fp Hp] := combine_encloses (H := fun t => spread t / slope t) square_spreads_enclose Hs
  (fun t I J HI HJ => idiv_contains P (eq_ind _ _ (isqrt_contains P HI) _ (sqrt_square _ (spread_ge0 _ _ t))) HJ).
have [x [Hx x0 Hle]] := table_largest_contains P (within_encloses fc (contains0 N) fp (fun t _ => Hp t)).
exists x; split=> // t Qt; have s0 := slope_gt0 dir Qt; have := Hle t; rewrite (in_constraint_mask Pok) Qt => h.
apply: (Rmult_le_reg_r (/ slope t)); first exact: Rinv_0_lt_compat.
by rewrite (Rmult_assoc x) Rinv_r; rewrite /Rdiv in h; lra.
Qed.
End Region.
