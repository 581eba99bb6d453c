(* ResidualIntervals: T15's bound X_e of the residual at one point, enclosed, of any head from the tables of its factors
   and of how fast they approach their limits: the deviation Ebar of the active factors and the far constraints' shares
   J_c (DYNAMICS.md section 9 with dO = 0). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Heads Claims Direction ActiveStep FactorRange LocalRanges ResidualPath
                           Saturation Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks Interval
                           Elementary IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals
                           ForeverChecks LocalFactors FactorTables Reference FarPull.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Residual.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).
Implicit Types (t : token (problem D)) (i : data_group D) (m : seq (seq interval)).

(* rate_in: k_c *)
Variables (T : factor_tables N) (f : enclosed_reference N) (w : point N) (rate_in : seq (seq interval)).
Variables (step_bound ratio reach : fraction N).
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

(* ---- definitions: Ebar ---- *)

Definition deviation_in : seq (seq interval) :=
  within mask (interval0 N)
    (combine_tables (fun I J => idiv P (imul P I J) speed_in)
       (combine_tables (imul P) rate_in (map_rows (fun I => iexp P (iopp I)) start_low_in))
       (left_sum_in (slopes_in f))).

(* ---- definitions: the far constraints ---- *)

Definition far_mask : seq (seq bool) := map_rows (fun qb => qb.1 && ~~ qb.2) (zip_rows mask (active_in f)).
(* B_c e^(delta_c dX - K - (m_c - gamma y_0)) *)
Definition share_factors_in (floor : interval) : seq (seq interval) :=
  combine_tables (fun I J => iexp P (isub P (imul P J reach_in) (iadd P floor I))) (excess_margins P f w) spread_in.
Definition share_in : seq (seq interval) :=
  combine_tables (imul P) (far_table T) (share_factors_in (floor_of P T f)).
Definition outside_in : interval := sum_in (within (rest_mask D picks T) (interval0 N) share_in).
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

Variables (h : head (problem D)) (r : table_ranges D).
Variables (l : loss_name) (ws w0 : vec (coord (problem D))) (lam rate : token (problem D) -> R) (Dmax : R).
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation S := (Direction.active Q mu).
Notation inside := (@in_mask N D (kept_mask T)).
Notation factors := (table_bounds T r).
Notation blo := (factor_low factors).
Notation bound := (far_factor factors).
Notation rho := (fraction_real ratio).
Notation step := (fraction_real step_bound).
Notation dX := (fraction_real reach).
(* T15's constants; all of a far constraint's lateral part is taken along the active ones. *)
Definition checked_basin : basin (coord (problem D)) (token (problem D)) :=
  Basin Dmax rho step dX (lateral (Delta alpha) u) (fun=> vzero).
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
Hypothesis hold : tables_hold Pok T h r.
Hypothesis rate_in_encloses : encloses rate_in rate.
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
  encloses (left_sum_in m) (fun t => exp (G t * step) / G t).
Proof.
move=> Hm; apply: (map_encloses Hm) => t I HI.
exact (idiv_contains P (iexp_contains P (imul_contains P HI (F step_bound))) HI).
Qed.

(* ---- Ebar, the shares of the far constraints, X_e ---- *)

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
have Hk := combine_encloses (H := fun t => rate t * exp (- start_low o w0 checked_basin t)) rate_in_encloses Ho
  (fun t I J HI HJ => imul_contains P HI HJ).
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
have factors_in := share_factors_enclose (floor_of_contains P hold reference_in).
exact: (combine_encloses (far_encloses hold) factors_in (fun t I J HI HJ => imul_contains P HI HJ)).
Qed.

Lemma outside_contains : contains outside_in (exp (- K) * (\sum_(t | Q t && ~~ inside t)
  bound t * exp (- (dot (Delta alpha t) w0 - gamma * Direction.height u w0) + spread_of t * dX))).
Proof.
have -> : exp (- K) * (\sum_(t | Q t && ~~ inside t)
      bound t * exp (- (dot (Delta alpha t) w0 - gamma * Direction.height u w0) + spread_of t * dX)) =
    \sum_(t | in_mask (rest_mask D picks T) t)
      bound t * exp (- K - (dot (Delta alpha t) w0 - gamma * Direction.height u w0) + spread_of t * dX).
  rewrite sum_mull; apply: eq_big => [t | t _]; first by rewrite (in_rest hold).
  set x := - (dot (Delta alpha t) w0 - gamma * Direction.height u w0) + spread_of t * dX.
  have -> : - K - (dot (Delta alpha t) w0 - gamma * Direction.height u w0) + spread_of t * dX = - K +
    x by rewrite /x; ring.
  by rewrite exp_plus -!Rmult_assoc (Rmult_comm (exp _)).
exact: sum_in_contains (fits_rest hold) share_encloses.
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
