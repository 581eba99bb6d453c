(* ResidualIntervals: T15's bound X_e of the residual at one point, enclosed: the deviation Ebar of the active factors
   and the far constraints' shares J_c (DYNAMICS.md section 9 with dO = 0). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Losses Claims Direction ActiveStep FactorRange LocalRanges ResidualPath
                           BoundedSelection Saturation Number Rows TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals
                           RegionIntervals ForeverChecks LocalFactors Reference FarPull Pulls.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* lambda: |l''| <= lambda |l'|. *)
Definition slope_ratio (l : loss_name) : R := if l is Correlation then 0 else 1.

Lemma slope_ratio_spec l : everywhere l -> exists2 ddl : R -> R, forall v, is_derive (dloss (loss_of l)) v (ddl v) &
  forall v, Rabs (ddl v) <= slope_ratio l * - dloss (loss_of l) v.
Proof.
case: l => // _; eexists.
- exact: is_derive_logistic_slope.
- exact: logistic_ratio.
- exact: is_derive_exponential_slope.
- exact: exponential_ratio.
- exact: is_derive_correlation_slope.
exact: correlation_ratio.
Qed.

Section Residual.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).
Implicit Types (t : token (problem D)) (i : data_group D) (m : seq (seq interval)).

Variables (l : loss_name) (f : enclosed_reference N) (w : point N).
Variables (attentions : seq (fraction N)) (outside : seq (seq bool)) (step_bound ratio reach : fraction N).
Notation h_in := (fraction_in P step_bound).
Notation reach_in := (fraction_in P reach).
Notation speed_in := (reduced_in D P picks f ratio).

Definition spread_in : seq (seq interval) := map_rows (isqrt P) (square_spreads D P picks f).
(* m_c - delta_c dX *)
Definition start_low_in : seq (seq interval) :=
  combine_tables (fun I J => isub P I (imul P J reach_in)) (point_margins w) spread_in.
(* e^(b h)/b *)
Definition left_sum_in m : seq (seq interval) := map_rows (fun I => idiv P (iexp P (imul P I h_in)) I) m.
Definition sum_in m : interval := isum P (group_sums P m).

(* ---- definitions: k_c and Ebar ---- *)

Definition curvature_in : interval := if l is Correlation then interval0 N else interval1 N.
Definition widest_gap_in : seq interval := combine_columns (imax P) (gap_up_in D P picks) (gap_down_in D P picks).
(* 1 over the least gap on S, 0 in groups that do not meet S *)
Definition inverse_gap_in : seq interval :=
  rows_largest P (within (active_in f) (interval0 N) (map_rows (idiv P (interval1 N)) (gap_in D P picks))).
Definition active_rate_in : seq interval :=
  let double_log := imul P (interval2 N) (ilog P (interval2 N)) in
  combine_columns (fun x g => iadd P (interval1 N) (imul P (iadd P curvature_in (imul P double_log x)) g))
    inverse_gap_in widest_gap_in.
Definition rate_in : seq interval :=
  [seq if rI.1 then rI.2 else interval0 N | rI <- zip [seq has (@id bool) r | r <- active_in f] active_rate_in].
Definition deviation_in : seq (seq interval) :=
  within mask (interval0 N)
    (combine_tables (fun I J => idiv P (imul P I J) speed_in)
       (by_copies D P picks (spread_column (imul P) rate_in (map_rows (fun I => iexp P (iopp I)) start_low_in)))
         (left_sum_in (slopes_in f))).

(* ---- definitions: the far constraints ---- *)

Definition far_mask : seq (seq bool) := map_rows (fun qb => qb.1 && ~~ qb.2) (zip_rows mask (active_in f)).
(* B_c e^(delta_c dX - K - (m_c - gamma y_0)) *)
Definition share_factors_in (floor : interval) : seq (seq interval) :=
  combine_tables (fun I J => iexp P (isub P (imul P J reach_in) (iadd P floor I))) (excess_margins P f w) spread_in.
Definition share_in : seq (seq interval) :=
  combine_tables (imul P) (bound_in D P picks l attentions outside)
    (share_factors_in (log_floor_in P f (blo_in D P picks l attentions))).
Definition outside_in : interval := sum_in (within (other_mask D picks outside) (interval0 N) share_in).
(* J_c delta_c *)
Definition far_in : seq (seq interval) :=
  within far_mask (interval0 N)
    (combine_tables (imul P) spread_in
       (combine_tables (fun I J => idiv P (imul P I J) speed_in) share_in (left_sum_in (beyond_in P f)))).

(* X_e, for x_0 *)
Definition residual_in (x : interval) : interval :=
  let four := iadd P (interval2 N) (interval2 N) in
  iadd P (isqrt P (iadd P (imul P x x) (imul P four (sum_in deviation_in)))) (sum_in far_in).

(* ---- what they enclose ---- *)

Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R) (Dmax : R).
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation S := (Direction.active Q mu).
Notation inside := (@in_mask N D (inside_mask D picks outside)).
Notation eps := (fun i : data_group D => constant_of attentions i).
Notation gap_up := (group_largest (gap alpha)).
Notation gap_down := (group_largest (fun t => - gap alpha t)).
Notation head := (checked_head Pok l attentions outside).
Notation factors := (local_bounds alpha head).
Notation blo := (factor_low factors).
Notation bound := (far_factor factors).
Notation rho := (fraction_real ratio).
Notation h := (fraction_real step_bound).
Notation dX := (fraction_real reach).
(* T15's constants; all of a far constraint's lateral part is taken along the active ones. *)
Definition checked_basin : basin (coord (problem D)) (token (problem D)) :=
  Basin Dmax rho h dX (lateral (Delta alpha) u) (fun=> vzero).
Notation K := (log_floor Q mu blo).
Notation slope := (Direction.slope (Delta alpha) u).
Notation spread_of := (Direction.spread (Delta alpha) u).
Notation excess := (Direction.excess (Delta alpha) u gamma).
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis dir : direction Q (Delta alpha) u gamma mu.
(* T15's reference, around some centre. *)
Variable centre : vec (coord (problem D)).
Hypothesis orth : dot centre u = 0.
Notation o := (Reference dir orth).
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis ranges : ranges_check D P picks attentions outside.
Hypothesis active_gap : forall t, S t -> 0 < gap alpha t.
Hypothesis Dmax_in : contains (diameter_in D P picks) Dmax.
Let F q := @fraction_in_contains N P q.

Lemma active_mask t : in_mask (active_in f) t = S t.
Proof. by have [_ _ _ _ [_ ->]] := reference_in. Qed.

Lemma fits_active_in : fits D (active_in f).
Proof. by have [_ _ _ _ []] := reference_in. Qed.

Lemma spread_in_encloses : encloses spread_in spread_of.
Proof.
apply: (map_encloses (square_spreads_enclose P Dok reference_in)) => t I HI.
by have := isqrt_contains P HI; rewrite sqrt_square //; exact: spread_ge0.
Qed.

Lemma start_low_encloses : encloses start_low_in (start_low o w0 checked_basin).
Proof.
have [Hm _ _ _] := point_in; apply: (combine_encloses Hm spread_in_encloses) => t I J HI HJ.
exact (isub_contains P HI (imul_contains P HJ (F reach))).
Qed.

Lemma left_sum_encloses m (G : token (problem D) -> R) : encloses m G ->
  encloses (left_sum_in m) (fun t => exp (G t * h) / G t).
Proof.
move=> Hm; apply: (map_encloses Hm) => t I HI.
exact (idiv_contains P (iexp_contains P (imul_contains P HI (F step_bound))) HI).
Qed.

(* ---- k_c ---- *)

Definition inverse_gap : group (problem D) -> R := group_largest (fun t => if S t then 1 / gap alpha t else 0).
Definition least_gap (i : group (problem D)) : R := if Rlt_dec 0 (inverse_gap i) then / inverse_gap i else 1.

Lemma least_gap_gt0 i : 0 < least_gap i.
Proof. by rewrite /least_gap; case: Rlt_dec => H; [exact: Rinv_0_lt_compat | exact: Rlt_0_1]. Qed.

Lemma inverse_gap_active t : S t -> / gap alpha t <= inverse_gap (group_of t).
Proof.
move=> St; have := group_largest_ge (fun t => if S t then 1 / gap alpha t else 0) t.
by rewrite St /Rdiv Rmult_1_l.
Qed.

Lemma least_gap_le t : S t -> least_gap (group_of t) <= gap alpha t.
Proof.
move=> St; have g0 := active_gap St; have H := inverse_gap_active St; have i0 := Rinv_0_lt_compat _ g0.
rewrite /least_gap; case: Rlt_dec => [pos | []]; last lra.
by rewrite -[X in _ <= X]Rinv_inv; apply: Rinv_le_contravar.
Qed.

Lemma meets_row i : has (@id bool) (nth [::] (active_in f) i) = meets_active alpha mu i.
Proof.
have fr := fits_row fits_active_in (ltn_ord i).
apply/idP/existsP => [/(has_nthP false) [k kl at_k] | [t /andP[St /eqP <-]]].
  rewrite fr in kl; exists (token_of (Ordinal kl)).
  by rewrite -active_mask /in_mask /at_token /= at_k eqxx.
apply/(has_nthP false); exists (tagged (t : data_token D)); first exact: fits_at fits_active_in.
by move: St; rewrite -active_mask.
Qed.

Lemma rate_encloses : @column_encloses N D rate_in (group_rate alpha mu head (slope_ratio l) least_gap).
Proof.
have Hw : @column_encloses N D widest_gap_in (fun i => Rmax (gap_up i) (gap_down i)).
  by apply: (combine_column (gap_up_encloses P Dok Pok) (gap_down_encloses P Dok Pok)) => i I J; exact: imax_contains.
have Hi : @column_encloses N D inverse_gap_in inverse_gap.
  have [fg Hg] : encloses (map_rows (idiv P (interval1 N)) (gap_in D P picks)) (fun t => 1 / gap alpha t).
    by apply: (map_encloses (gap_encloses P Dok Pok)) => t I HI; apply: idiv_contains => //; exact: contains1.
  have [fx Hx] := within_encloses fits_active_in (contains0 N) fg (fun t _ => Hg t).
  by apply: rows_largest_enclose; split=> // t; have := Hx t; rewrite active_mask.
have Hd : contains (imul P (interval2 N) (ilog P (interval2 N))) (2 * ln 2).
  by apply: imul_contains; [exact: contains2 | apply: ilog_contains; exact: contains2].
have Hl : contains curvature_in (slope_ratio l).
  by rewrite /curvature_in /slope_ratio; case: (l); try exact: contains1; exact: contains0.
have [sr Hr] : @column_encloses N D active_rate_in (fun i => 1 + (slope_ratio l + 2 * ln 2 * inverse_gap i) *
  Rmax (gap_up i) (gap_down i)).
  apply: (combine_column Hi Hw) => i I J HI HJ; apply: iadd_contains; first exact: contains1.
  by apply: imul_contains HJ; apply: iadd_contains => //; exact: imul_contains.
have [/eqP sa _] := andP fits_active_in.
have sz : size [seq has (@id bool) r | r <- active_in f] = size active_rate_in by rewrite size_map sa sr.
apply: (column_map (e0 := (false, Everything N))) => [|i]; first by rewrite size_zip sz minnn sr.
rewrite nth_zip // (nth_map [::]) ?sa; last exact: ltn_ord.
rewrite meets_row [(_, _).1]/= [(_, _).2]/= /group_rate; case: ifP => [/existsP[t /andP[St /eqP ti]] | _];
  last exact: contains0.
have pos : 0 < inverse_gap i.
  by rewrite -ti; apply: Rlt_le_trans (inverse_gap_active St); exact/Rinv_0_lt_compat/active_gap.
have := Hr i; congr contains; rewrite /least_gap; case: Rlt_dec => H; last by case: H.
by rewrite /Rdiv Rinv_inv.
Qed.

(* ---- Ebar, the shares of the far constraints, X_e ---- *)

Notation rate := (deviation_rate alpha mu head (slope_ratio l) least_gap).
Notation deviation := (deviation_total o rate w0 checked_basin).
Notation pull := (basin_far o factors w0 checked_basin).
Notation far := (far_total pull).
Notation beyond_active := (fun t => Q t && ~~ Direction.active Q mu t).

Lemma sum_in_contains mask' m (G : token (problem D) -> R) : fits D mask' -> encloses m G ->
  contains (sum_in (within mask' (interval0 N) m)) (\sum_(t | in_mask mask' t) G t).
Proof.
move=> fk [fm Hm]; rewrite [X in contains _ X]big_mkcond.
by apply: table_sum_contains; apply: within_encloses => //; exact: contains0.
Qed.

Lemma deviation_contains : contains (sum_in deviation_in) (Ebar o rate w0 checked_basin).
Proof.
have [_ _ Hs _ _] := reference_in; have Hg := reduced_contains reference_in ratio Dmax_in.
have Ho : encloses (map_rows (fun I => iexp P (iopp I)) start_low_in)
  (fun t => exp (- start_low o w0 checked_basin t)).
  by apply: (map_encloses start_low_encloses) => t I HI; apply: iexp_contains; exact: iopp_contains.
have Hk : encloses (by_copies D P picks (spread_column (imul P) rate_in
      (map_rows (fun I => iexp P (iopp I)) start_low_in)))
    (fun t => rate t * exp (- start_low o w0 checked_basin t)).
  have Hr : encloses (spread_column (imul P) rate_in (map_rows (fun I => iexp P (iopp I)) start_low_in))
      (fun t => group_rate alpha mu head (slope_ratio l) least_gap (group_of t) *
                exp (- start_low o w0 checked_basin t)).
    by apply: (spread_column_encloses rate_encloses Ho) => t I J; exact: imul_contains.
  have [fr Fr] := by_copies_encloses P Dok Pok Hr; split=> // t.
  have := Fr t; congr contains; rewrite /deviation_rate; symmetry; exact: Rmult_assoc.
have Hd := combine_encloses (H := deviation) Hk (left_sum_encloses Hs).
rewrite /Ebar (eq_bigl (in_mask mask)) => [|t]; last by rewrite (in_constraint_mask Pok).
apply: sum_in_contains (fits_constraint_mask Pok) _; apply: Hd => t I J HI HJ.
rewrite /deviation_total Rmult_comm; apply: idiv_contains => //.
have -> : - dot (Delta alpha t) w0 + spread_of t * dX = - start_low o w0 checked_basin t
  by rewrite /start_low /=; ring.
exact: imul_contains.
Qed.

Lemma share_factors_enclose floor : contains floor K -> encloses (share_factors_in floor)
  (fun t => exp (- K - (dot (Delta alpha t) w0 - gamma * Direction.height u w0) + spread_of t * dX)).
Proof.
move=> HK; apply: (combine_encloses (excess_margins_enclose P reference_in point_in) spread_in_encloses) => t I J HI HJ.
apply: iexp_contains.
have -> : - K - (dot (Delta alpha t) w0 - gamma * Direction.height u w0) + spread_of t * dX =
    spread_of t * dX - (K + (margin alpha w0 t - gamma * Direction.height u w0)) by rewrite /margin; ring.
exact (isub_contains P (imul_contains P HJ (F reach)) (iadd_contains P HK HI)).
Qed.

Lemma share_encloses :
  encloses share_in (fun t => bound t * exp (- K - (dot (Delta alpha t) w0 - gamma * Direction.height u w0) +
    spread_of t * dX)).
Proof.
have factors_in := share_factors_enclose (log_floor_contains P reference_in (blo_encloses Dok Pok l ranges)).
have bounds_in := bound_encloses Dok Pok l ranges.
exact: (combine_encloses bounds_in factors_in (fun t I J HI HJ => imul_contains P HI HJ)).
Qed.

Lemma outside_contains : contains outside_in (exp (- K) * (\sum_(t | Q t && ~~ inside t)
  bound t * exp (- (dot (Delta alpha t) w0 - gamma * Direction.height u w0) + spread_of t * dX))).
Proof.
have -> : exp (- K) * (\sum_(t | Q t && ~~ inside t)
      bound t * exp (- (dot (Delta alpha t) w0 - gamma * Direction.height u w0) + spread_of t * dX)) =
    \sum_(t | in_mask (other_mask D picks outside) t)
      bound t * exp (- K - (dot (Delta alpha t) w0 - gamma * Direction.height u w0) + spread_of t * dX).
  rewrite sum_mull; apply: eq_big => [t | t _]; first by rewrite (in_other Dok Pok ranges).
  set x := - (dot (Delta alpha t) w0 - gamma * Direction.height u w0) + spread_of t * dX.
  have -> : - K - (dot (Delta alpha t) w0 - gamma * Direction.height u w0) + spread_of t * dX = - K +
    x by rewrite /x; ring.
  by rewrite exp_plus -!Rmult_assoc (Rmult_comm (exp _)).
exact: sum_in_contains (fits_other Dok Pok ranges) share_encloses.
Qed.

Lemma fits_far : fits D far_mask.
Proof. by apply: fits_map; apply: fits_zip; [exact: fits_constraint_mask | exact: fits_active_in]. Qed.

Lemma in_far t : in_mask far_mask t = Q t && ~~ S t.
Proof.
have fz := fits_zip (fits_constraint_mask Pok) fits_active_in.
rewrite /in_mask (at_token_map (false, false)) // at_token_zip ?fits_active_in //; last exact: fits_constraint_mask.
by rewrite /= -!/(in_mask _ _) (in_constraint_mask Pok) active_mask.
Qed.

Lemma far_contains : contains (sum_in far_in)
  (far_sum beyond_active pull (lateral (Delta alpha) u)).
Proof.
have Hg := reduced_contains reference_in ratio Dmax_in.
have Hf : encloses (combine_tables (fun I J => idiv P (imul P I J) speed_in)
  share_in (left_sum_in (beyond_in P f))) far.
  apply: (combine_encloses share_encloses (left_sum_encloses (beyond_encloses P reference_in))) => t I J HI HJ.
  rewrite /far_total /= Rmult_comm; apply: (idiv_contains P _ Hg); apply: (imul_contains P _ HJ).
  by move: HI; congr contains; rewrite /= Rmult_assoc -exp_plus; congr (_ * exp _); ring.
rewrite /far_sum (eq_bigl (in_mask far_mask)) => [|t]; last by rewrite in_far.
apply: sum_in_contains fits_far _; apply: (combine_encloses spread_in_encloses Hf) => t I J HI HJ.
by rewrite (lateral_norm dir); exact: imul_contains.
Qed.

Notation bound_of := (path_residual_bound o factors rate w0 checked_basin).

Lemma residual_contains x : vnorm (residual u centre w0) <= x -> (forall t, Q t -> ~~ S t -> 0 <= far t) ->
  exists2 X, bound_of <= X & forall I, contains I x -> contains (residual_in I) X.
Proof.
move=> xx far0; set E := Ebar o rate w0 checked_basin.
set L := far_sum beyond_active pull (lateral (Delta alpha) u).
exists (sqrt (x * x + 4 * E) + L); last first.
  have four : contains (iadd P (interval2 N) (interval2 N)) 4.
    have -> : 4 = 2 + 2 by ring.
    exact (iadd_contains P (contains2 N) (contains2 N)).
  move=> I HI; rewrite /residual_in.
  exact (iadd_contains P (isqrt_contains P (iadd_contains P (imul_contains P HI HI)
    (imul_contains P four deviation_contains))) far_contains).
have L0 : 0 <= L by apply: sum_ge0 => t /andP[Qt St]; apply: Rmult_le_pos; [exact: vnorm_ge0 | exact: far0].
have O0 : far_sum beyond_active pull (fun=> vzero : vec (coord (problem D))) = 0.
  by rewrite /far_sum sum0 // => t _; rewrite vnorm0 Rmult_0_l.
rewrite /path_residual_bound O0 Rmult_0_l Rplus_0_r sqrt_square; last exact: Rplus_le_le_0_compat (sqrt_pos _) L0.
apply: Rplus_le_compat_r; apply: sqrt_le_1_alt; apply: Rplus_le_compat_r.
by have x0 := vnorm_ge0 (residual u centre w0); apply: Rmult_le_compat.
Qed.
End Residual.
