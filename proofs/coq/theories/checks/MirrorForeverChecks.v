(* MirrorForeverChecks: T17 for a run of mirror descent from one of its points on, as a claim has it (MIRROR.md section
   11, and 13 for P > 2): what the conditions on heights need (MirrorAllHeights.v), enclosed, and the theorem of all
   later steps. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient EntrywiseDuality DualNorm PowerInequalities UniformConvexity
                           ShortestVector Enclosure Claims Direction Growth Gibbs Iteration FactorRange LocalRanges
                           SummedRanges Number Rows Entries TokenData MarginChecks OptimalityChecks EnclosureChecks
                           GramBound Interval Elementary NormChecks NormDistanceChecks IntervalTables
                           AttentionIntervals ReferenceIntervals Replay ForeverChecks LocalFactors Mirror MirrorRay
                           MirrorAngle MirrorIteration MirrorMoves MirrorBend MirrorRegion MirrorRun MirrorDirection
                           MirrorLimit MirrorHeights MirrorPieces MirrorCosts PowerIntervals MirrorReplay
                           MirrorRunChecks MirrorFactors ConstraintRows MirrorTables MirrorSetting MirrorBendFactor
                           MirrorMethods MirrorHeightChecks MirrorAllHeights MirrorSoftHeights MirrorFirmHeights.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Lemma conjugate_exponents (a c : positive) : (c < a)%positive ->
  exponent a c - 1 = exponent (a - c) c /\ exponent a (a - c) - 1 = exponent c (a - c).
Proof. by move=> ca; split; [exact: primal_power | exact: dual_power]. Qed.

Section Forever.
Variables (N : number) (quick : entries N) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Let d := left_dimension D.
Let e := right_dimension D.
Notation iterate_of := (vec (coord (problem D))).
Notation Q := (constraint alpha).
Notation constraint_rows := (ConstraintRows.constraint_rows D P picks).
Implicit Types (t : token (problem D)).

(* ---- what is the same at all heights ---- *)

Variables (l : loss_name) (a c : positive) (floors : seq (seq (fraction N))).
Variables (tokens : seq (seq bool)) (guess : vector N) (least : fraction N) (hints : gram_hints N).
Variables (solution : mirror_solution N) (dual : seq (seq interval)) (step : interval).

Definition gamma_in : interval := idiv P (interval1 N) (solution_length solution).
Definition unit_direction_in (rows : seq (seq (seq (seq interval)))) : seq (seq interval) := matrix_of D (fun j k =>
  if blank rows j k then interval0 N else idiv P (entry_of (solution_entries solution) j k) (solution_length solution)).

(* mu on the tokens listed: as near the guess as the residual of gamma n says. *)
Definition multipliers_in normal gamma : seq (seq interval) :=
  let residual := combine_tables (isub P) (map_rows (imul P gamma) normal)
                    (exact_matrix P (weight_unit D guess) (weights D picks guess)) in
  let radius := isqrt P (idiv P (matrix_product P residual residual) (fraction_in P least)) in
  within tokens (interval0 N) (map_rows (fun I => imax P (iadd P I (symmetric radius)) (interval0 N))
    (exact_table P (denominator guess) (numerators guess))).

Definition setting_of : mirror_setting N :=
  let rows := constraint_rows in
  let unit := unit_direction_in rows in
  let normal := power_matrix P (a - c) c unit in
  let primal := power_matrix P c (a - c) dual in
  let height := matrix_product P normal primal in
  let offset := combine_tables (fun W U => isub P W (imul P height U)) primal unit in
  let along := map_rows (fun m => matrix_product P m unit) rows in
  let across := map_rows (fun m => matrix_product P m offset) rows in
  let mask := constraint_mask D picks in
  let better := better_mask D picks in
  let positive := positive_gaps D picks in
  let gamma := gamma_in in
  let low := summed_low_in D P picks l floors in
  let high := summed_high_in D P picks l floors in
  let level := isum P (group_sums P (within tokens (interval0 N)
    (combine_tables (entropy_in P) (multipliers_in normal gamma) low))) in
  let odds := combine_tables (fun I J => iexp P (isub P (imul P (iopp (isub P I gamma)) height) J)) along across in
  let gibbs := isub P (ilog P (isum P (group_sums P (within positive (interval0 N)
    (combine_tables (imul P) high odds))))) level in
  let set_apart m := combine_tables (isub P) m (map_rows (imul P gamma) normal) in
  let bend := idiv P (bend_factor_in N P a c) (p1_in N P a c) in
  let near := if Pos.eqb a (2 * c) then dyadic one 30 else
    imax P (over N P 21 20)
      (idiv P (imul P (over N P 4 5) (if up_to_two a c then q1_in N P a c else interval1 N)) bend) in
  MirrorSetting unit normal offset rows (map_rows set_apart rows) along across (margin_floors_in P floors)
    (summed_size_in D P picks l floors) mask positive better gamma bend near level gibbs
    (table_largest P (within better (interval0 N) along))
    (table_largest P (within mask (interval0 N) (map_rows (power_norm P a (a - c)) rows)))
    (table_largest P (within positive (interval0 N)
      (map_rows (fun m => imul P (interval2 N) (power_norm P a (a - c) (set_apart m))) rows)))
    (imul P (interval2 N) (imul P (idiv P (two_less P a c (interval2 N)) (over N P a c))
      (matrix_sum P (map_rows (imagnitude P a c) offset)))) step
    (isum P (group_sums P (within positive (interval0 N) (combine_tables (imul P) high
      (map_rows (fun I => iexp P (iopp I)) (margin_floors_in P floors)))))).

Definition first_in : interval :=
  matrix_product P (power_matrix P (a - c) c (unit_direction_in constraint_rows)) (power_matrix P c (a - c) dual).

(* Entries that no constraint vector has are 0. *)
Definition blank_dual : bool :=
  all (fun j => all (fun k => ~~ blank constraint_rows j k || is_zero (entry_of dual j k)) (seq.iota 0 e))
    (seq.iota 0 d).

Definition listed_check : bool :=
  [&& mask_ok D picks tokens, all_within (@id bool) tokens (positive_gaps D picks), vector_ok D picks guess,
      all_within (fun x => same x zero) (map_rows negb tokens) (numerators guess) &
      lt zero (fraction_num least) && gram_check quick D picks tokens hints least].

Variables (heights slopes : seq (fraction N)) (normalised : bool) (rate unselected : fraction N).
(* Of the height, with normalised steps. *)
Variable growth : option (fraction N).
Definition mirror_growth_in : interval := if growth is Some g then fraction_in P g else interval0 N.
Definition growth_is : R := if growth is Some g then fraction_real g else 0.

Lemma growth_in_contains : contains mirror_growth_in growth_is.
Proof.
by rewrite /mirror_growth_in /growth_is; case: growth => [g|]; [exact: fraction_in_contains | exact: contains0].
Qed.

Definition method_of : piece_method N :=
  if up_to_two a c then soft_method D P a c setting_of else firm_method D P a c setting_of heights.

Definition mirror_forever_check : bool :=
  [&& Pos.ltb c a, has_constraint D picks, listed_check,
      summed_check D P picks l floors && blank_dual &
    [&& is_positive (solution_length solution), isSome growth == normalised,
        ~~ normalised || is_positive mirror_growth_in,
        all (fun I => certainly_le I (fraction_in P unselected)) (off_in D P picks floors) &
        heights_check D P a c setting_of method_of first_in heights slopes normalised mirror_growth_in
          (fraction_in P rate)]].

(* ---- soundness ---- *)

Let p := exponent a c.
Let q := exponent a (a - c).
Variables (y z0 : iterate_of) (etamax : R).
Hypotheses (solves : only_shortest alpha (@lp_norm (coord (problem D)) p) y).
Hypotheses (entries_in : matrix_encloses (solution_entries solution) y).
Hypotheses (length_in : contains (solution_length solution) (lp_norm p y)).
Hypothesis tight : forall t, Q t -> margin alpha y t = 1 -> in_mask tokens t.
Hypotheses (dual_in : matrix_encloses dual z0) (step_in : contains step etamax).
Hypothesis checked : mirror_forever_check.

Let ca : (c < a)%positive. Proof. by have /and5P[/Pos.ltb_lt] := checked. Qed.
Let p1 : 1 < p := exponent_gt1 ca.
Let conj : / p + / q = 1 := exponent_conjugate ca.
Let q1 : 1 < q := conjugate_gt1 p1 conj.
Let conj' : / q + / p = 1. Proof. by lra. Qed.
Let factors_ok : summed_check D P picks l floors. Proof. by have /and5P[_ _ _ /andP[]] := checked. Qed.
Let support_ok : listed_check. Proof. by have /and5P[] := checked. Qed.
Let some : exists t, Q t.
Proof. by have /and5P[_ H _ _ _] := checked; exact: (has_constraintP Pok H). Qed.

Definition unit_direction : iterate_of := (/ lp_norm p y * y)%V.
Notation u := unit_direction.
Notation gamma := (/ lp_norm p y).
Notation n := (mirror p u).
Notation beta := (beta_of N P a c).
Notation f := (summed_bounds alpha (@in_mask N D (positive_gaps D picks)) (@off N D P picks floors)
  (dropped P Pok floors) (output_risen P Pok floors) (summed_swing P Pok l floors) (summed_least P Pok l floors)
  (summed_most P Pok l floors)).
Definition height_of : R := dot n (mirror q z0).
Definition offset_of : iterate_of := (mirror q z0 - height_of * u)%V.
Notation h0 := height_of.
Notation v := offset_of.

Lemma blank_direction mu (jk : coord (problem D)) : mirror_direction Q (Delta alpha) p u gamma mu ->
  blank constraint_rows jk.1 jk.2 -> u jk = 0.
Proof.
move=> dir empty; have g0 := mirror_margin_gt0 dir.
have nE : gamma * n jk = 0.
  have := congr1 (fun w : iterate_of => w jk) (balanced_mean (mirror_balanced dir)); rewrite /combine /vscale => <-.
  by apply: sum0 => t _; rewrite (blank_zero Dok Pok t empty) Rmult_0_r.
have n0 : n jk = 0 by case/Rmult_integral: nE; lra.
case: (Req_EM_T (u jk) 0) => // ne; have : 0 < Rabs (n jk).
  by rewrite /mirror signed_power_abs; exact: abs_power_gt0.
by rewrite n0 Rabs_R0; lra.
Qed.

Lemma direction_encloses mu : mirror_direction Q (Delta alpha) p u gamma mu ->
  matrix_encloses (unit_direction_in constraint_rows) u.
Proof.
move=> dir; have [_ H] := entries_in; apply: matrix_of_encloses => j k; case: ifP => [empty | _].
  by rewrite (@blank_direction mu (j, k) dir empty); exact: contains0.
have -> : u (j, k) = y (j, k) / lp_norm p y by rewrite /unit_direction /vscale /Rdiv Rmult_comm.
by apply: idiv_contains; first exact: H.
Qed.

Lemma gamma_contains : contains gamma_in gamma.
Proof. by rewrite -[gamma]Rmult_1_l; apply: idiv_contains; first exact: contains1. Qed.

Lemma normal_in_encloses (w : iterate_of) (m : seq (seq interval)) : matrix_encloses m w ->
  matrix_encloses (power_matrix P (a - c) c m) (mirror p w).
Proof. by move=> H; rewrite /mirror /p (proj1 (conjugate_exponents ca)); exact: power_matrix_encloses. Qed.

Lemma primal_in_encloses : matrix_encloses (power_matrix P c (a - c) dual) (mirror q z0).
Proof. by rewrite /mirror /q (proj2 (conjugate_exponents ca)); exact: power_matrix_encloses. Qed.

(* ---- mu, K ---- *)

Section Multipliers.
Variable mu : token (problem D) -> R.
Hypotheses (dir : mirror_direction Q (Delta alpha) p u gamma mu).
Hypotheses (at_tight : forall t, active Q mu t -> margin alpha y t = 1).

Lemma active_listed t : active Q mu t -> in_mask tokens t.
Proof. by move=> at_; apply: tight; [case/activeP: at_ | exact: at_tight]. Qed.

Lemma active_gap_positive t : active Q mu t -> in_mask (positive_gaps D picks) t.
Proof.
move=> at_; have /and5P[/andP[ft _] H _ _ _] := support_ok.
exact: (all_withinP false ft (fits_positive Dok Pok) H (active_listed at_)).
Qed.

Lemma multipliers_enclose : encloses (multipliers_in (power_matrix P (a - c) c (unit_direction_in constraint_rows))
  gamma_in)
  (fun t => if in_mask tokens t then mu t else 0).
Proof.
have /and5P[mok _ vok none /andP[/lt_real s0 gram]] := support_ok; have [ft _] := andP mok.
rewrite real0 in s0.
have Hn := normal_in_encloses (direction_encloses dir).
have residual : matrix_encloses (combine_tables (isub P) (map_rows (imul P gamma_in)
    (power_matrix P (a - c) c (unit_direction_in constraint_rows)))
    (exact_matrix P (weight_unit D guess) (weights D picks guess)))
    (gamma * n - W alpha (@coefficient_of N D guess))%V.
  have Hg : matrix_encloses (map_rows (imul P gamma_in) (power_matrix P (a - c) c (unit_direction_in constraint_rows)))
      (gamma * n)%V.
    by apply: (matrix_map_encloses Hn) => jk I HI; apply: imul_contains => //; exact: gamma_contains.
  have Hw := exact_matrix_encloses P (weight_unit D guess) (weights_shaped Dok Pok vok).
  rewrite (weights_real Dok Pok vok) in Hw.
  by apply: (matrix_combine_encloses Hg Hw) => jk I J; exact: isub_contains.
have sok : fraction_ok least := gram_check_bound_ok gram.
have S0 : 0 < fraction_real least := Rdiv_lt_0_compat _ _ s0 (fraction_den_gt0 sok).
have radius : contains (isqrt P (idiv P (matrix_product P _ _) (fraction_in P least))) (sqrt
    (vnorm2 (gamma * n - W alpha (@coefficient_of N D guess))%V / fraction_real least)) :=
  isqrt_contains P (idiv_contains P (matrix_product_contains P residual residual) (fraction_in_contains P least)).
have listed_Q t : in_mask tokens t -> Q t by exact: (mask_constraint Pok mok).
have combineE : combine (@in_mask N D tokens) (@coefficient_of N D guess) (Delta alpha) =
    W alpha (@coefficient_of N D guess).
  apply: vec_ext => j; rewrite /W /combine (sum_pred_id (in_mask tokens)) (sum_pred_id Q); apply: eq_bigr => t _.
  case it: (in_mask tokens t); first by rewrite listed_Q.
  case: (Q t) => //; have fn : fits D (map_rows negb tokens) by exact: fits_map.
  have nt : in_mask (map_rows negb tokens) t by rewrite /in_mask (at_token_map false) // -/(in_mask tokens t) it.
  have [_ fv _] := and3P vok; have := all_withinP (zero : N) fn fv none nt => /same_real E.
  rewrite /coefficient_of /coefficient /entry -[nth zero _ _]/(at_token zero (numerators guess) t) E real0.
  by rewrite /Rdiv !Rmult_0_l.
have [ff Hf] : encloses (exact_table P (denominator guess) (numerators guess)) (@coefficient_of N D guess).
  by have [_ fv _] := and3P vok; apply: exact_table_encloses.
apply: within_encloses => //; first exact: contains0; first by apply: fits_map.
move=> t it; rewrite (at_token_map anything) //.
have out t' : Q t' -> ~~ in_mask tokens t' -> mu t' = 0.
  move=> Qt nt; have m0 := balanced_ge0 (mirror_balanced dir) Qt; case: m0 => // m0.
  by case/negP: nt; apply: active_listed; apply/activeP.
have near := @multipliers_near _ _ Q (@in_mask N D tokens) (Delta alpha) n gamma (fraction_real least) mu
  (@coefficient_of N D guess) (mirror_balanced dir) S0 (gram_check_sound Dok Pok gram) listed_Q out t it.
rewrite combineE in near.
have -> : mu t = Rmax (coefficient_of guess t + (mu t - coefficient_of guess t)) 0.
  have m0 := balanced_ge0 (mirror_balanced dir) (listed_Q t it).
  by rewrite Rmax_left; lra.
apply: imax_contains; last exact: contains0.
by apply: iadd_contains; [exact: Hf | exact: symmetric_contains radius near].
Qed.

Let range : factor_range Q (Delta alpha) (bare_weight alpha (loss_of l)) (margin_floor_at floors) f :=
  summed_range Dok Pok factors_ok.

Definition largest_norm : R := token_largest (fun t => if Q t then lp_norm q (Delta alpha t) else 0).
Definition largest_spread : R := token_largest
  (fun t => if in_mask (positive_gaps D picks) t then 2 * lp_norm q (Delta alpha t - gamma * n)%V else 0).
Definition largest_slope : R := token_largest
  (fun t => if Q t && ~~ in_mask (positive_gaps D picks) t then dot (Delta alpha t) u else 0).
Definition lost_of : R := 2 * (abs_power 2 (2 - p) / p * lp_sum p v).

Lemma largest_slope_le t : Q t -> ~~ factor_kept f t -> dot (Delta alpha t) u <= largest_slope.
Proof.
move=> Qt Nt; have := token_largest_ge (fun t => if Q t && ~~ in_mask (positive_gaps D picks) t then
  dot (Delta alpha t) u else 0) t; by rewrite Qt Nt.
Qed.

Lemma largest_norm_le t : Q t -> lp_norm q (Delta alpha t) <= largest_norm.
Proof.
by move=> Qt; have := token_largest_ge (fun t => if Q t then lp_norm q (Delta alpha t) else 0) t; rewrite Qt.
Qed.

Lemma largest_spread_le t : factor_kept f t -> 2 * lp_norm q (Delta alpha t - gamma * n)%V <= largest_spread.
Proof.
move=> Pt; have := token_largest_ge (fun t => if in_mask (positive_gaps D picks) t then
  2 * lp_norm q (Delta alpha t - gamma * n)%V else 0) t; by rewrite [in_mask _ _]Pt.
Qed.

Lemma first_in_contains : contains first_in h0.
Proof. exact: matrix_product_contains (normal_in_encloses (direction_encloses dir)) primal_in_encloses. Qed.

Lemma level_contains_floor : contains (isum P (group_sums P (within tokens (interval0 N) (combine_tables (entropy_in P)
    (multipliers_in (power_matrix P (a - c) c (unit_direction_in constraint_rows)) gamma_in)
    (summed_low_in D P picks l floors))))) (log_floor Q mu (factor_low f)).
Proof.
have /and5P[mok inP _ _ _] := support_ok; have [ft _] := andP mok.
have [fm Hm] := multipliers_enclose; have [fl Hl] := low_encloses Dok Pok factors_ok.
have fz := fits_zip fm fl.
have inside t : in_mask tokens t -> in_mask (positive_gaps D picks) t.
  by move=> it; exact: (all_withinP false ft (fits_positive Dok Pok) inP it).
have H : encloses (within tokens (interval0 N) (combine_tables (entropy_in P)
    (multipliers_in (power_matrix P (a - c) c (unit_direction_in constraint_rows)) gamma_in)
    (summed_low_in D P picks l floors)))
    (fun t => if in_mask tokens t then if Rlt_dec 0 (mu t) then mu t * (ln (factor_low f t) - ln (mu t)) else 0 else 0).
  apply: within_encloses => //; [exact: contains0 | exact: fits_map |] => t it.
  rewrite (at_token_map (anything, anything)) // at_token_zip //=; apply: entropy_contains.
  - by have := Hm t; rewrite it.
  - exact: Hl.
  - by apply: (balanced_ge0 (mirror_balanced dir)); exact: (mask_constraint Pok mok it).
  by apply: (factor_low_gt0 range); exact: inside.
have := table_sum_contains P H; congr contains; rewrite /log_floor [RHS]big_mkcond; apply: eq_bigr => t _.
case it: (in_mask tokens t).
  by rewrite /active (mask_constraint Pok mok it); case: Rlt_dec.
by case: ifP => // /active_listed; rewrite it.
Qed.

Theorem setting_holds : setting_encloses a c setting_of Q (factor_kept f) (Delta alpha) u v gamma beta
  (log_floor Q mu (factor_low f))
  (gibbs_gap Q (Delta alpha) u v (factor_kept f) gamma mu (factor_high f) (factor_low f) h0)
  largest_slope largest_norm largest_spread lost_of etamax (most_total f (margin_floor_at floors))
  (margin_floor_at floors) (factor_size f).
Proof.
have Hu := direction_encloses dir; have Hn := normal_in_encloses Hu; have Hw := primal_in_encloses.
have Hh := first_in_contains; have Hg := gamma_contains; have Hr := constraint_rows_enclose P Dok Pok.
have fr := constraint_rows_fit P Pok; have fc := fits_constraint_mask Pok; have fb := fits_better Dok Pok.
have fp := fits_positive Dok Pok.
have Hv : matrix_encloses (combine_tables (fun W U => isub P W (imul P first_in U)) (power_matrix P c (a - c) dual)
    (unit_direction_in constraint_rows)) v.
  apply: (matrix_combine_encloses Hw Hu) => jk I J HI HJ; apply: isub_contains => //; exact: imul_contains.
have along : encloses (map_rows (fun m => matrix_product P m (unit_direction_in constraint_rows)) constraint_rows)
    (fun t => dot (Delta alpha t) u).
  by apply: (encloses_map (e0 := [::])) => // t; exact: matrix_product_contains.
have across : encloses (map_rows (fun m => matrix_product P m (combine_tables (fun W U => isub P W (imul P first_in U))
    (power_matrix P c (a - c) dual) (unit_direction_in constraint_rows))) constraint_rows) (fun t => dot (Delta
      alpha t) v).
  by apply: (encloses_map (e0 := [::])) => // t; exact: matrix_product_contains.
have better t : in_mask (better_mask D picks) t = Q t && ~~ factor_kept f t by exact: in_better_mask Dok Pok t.
have bend : contains (idiv P (bend_factor_in N P a c) (p1_in N P a c)) (beta / (p - 1)).
  by apply: idiv_contains; [exact: bend_factor_contains ca | exact: p1_contains].
have apart t : matrix_encloses (combine_tables (isub P) (at_token [::] constraint_rows t) (map_rows (imul P gamma_in)
    (power_matrix P (a - c) c (unit_direction_in constraint_rows)))) (Delta alpha t - gamma * n)%V.
  apply: (matrix_combine_encloses (Hr t) (w' := (gamma * n)%V)).
    by apply: (matrix_map_encloses Hn) => jk I HI; exact: imul_contains.
  by move=> jk I J; exact: isub_contains.
split=> //.
- by apply: fits_map.
- by move=> t; rewrite (at_token_map [::]).
- exact: margin_floors_enclose factors_ok.
- exact: size_encloses.
- by move=> t; rewrite (in_constraint_mask Pok).
- exact: level_contains_floor.
- apply: isub_contains level_contains_floor; apply: ilog_contains; rewrite big_mkcond.
  have odds := combine_encloses (H := fun t => exp (- (slope (Delta alpha) u t - gamma) * h0 - dot (Delta alpha t) v))
    along across (fun t I J HI HJ => iexp_contains P (isub_contains P (imul_contains P (iopp_contains
      (isub_contains P HI Hg)) Hh) HJ)).
  have [fo Ho] := combine_encloses (H := fun t => factor_high f t *
    exp (- (slope (Delta alpha) u t - gamma) * h0 - dot (Delta alpha t) v)) (high_encloses Dok Pok factors_ok) odds
    (fun t I J HI HJ => imul_contains P HI HJ).
  exact: table_sum_contains (within_encloses fp (contains0 N) fo (fun t _ => Ho t)).
- have [fa Ha] := along; apply: token_largest_contains.
  have [fw H] := within_encloses fb (contains0 N) fa (fun t _ => Ha t); split=> // t.
  by have := H t; rewrite better.
- have [fa Ha] : encloses (map_rows (power_norm P a (a - c)) constraint_rows) (fun t => lp_norm q (Delta alpha t)).
    by apply: (encloses_map (e0 := [::])) => // t; exact: power_norm_contains.
  apply: token_largest_contains; have [fw H] := within_encloses fc (contains0 N) fa (fun t _ => Ha t); split=> // t.
  by have := H t; rewrite (in_constraint_mask Pok).
- have [fa Ha] : encloses (map_rows (fun m => imul P (interval2 N) (power_norm P a (a - c) (combine_tables (isub P) m
      (map_rows (imul P gamma_in) (power_matrix P (a - c) c (unit_direction_in constraint_rows)))))) constraint_rows)
      (fun t => 2 * lp_norm q (Delta alpha t - gamma * n)%V).
    apply: (encloses_map (e0 := [::])) => // t; apply: imul_contains; first exact: contains2.
    exact: power_norm_contains (apart t).
  apply: token_largest_contains; exact: (within_encloses fp (contains0 N) fa (fun t _ => Ha t)).
- apply: imul_contains; first exact: contains2.
  apply: imul_contains.
    apply: idiv_contains; last exact: over_contains.
    exact: (two_less_contains P a c (contains2 N)).
  apply: (@matrix_sum_contains N D P _ (fun jk => abs_power (v jk) p)).
  by apply: (matrix_map_encloses Hv) => jk I; exact: imagnitude_contains.
have odds := map_encloses (G := fun t => exp (- margin_floor_at floors t)) (margin_floors_enclose factors_ok)
  (fun t I HI => iexp_contains P (iopp_contains HI)).
have [fo Ho] := combine_encloses (H := fun t => factor_high f t * exp (- margin_floor_at floors t))
  (high_encloses Dok Pok factors_ok) odds (fun t I J HI HJ => imul_contains P HI HJ).
rewrite /most_total big_mkcond.
exact: table_sum_contains (within_encloses fp (contains0 N) fo (fun t _ => Ho t)).
Qed.
End Multipliers.

Section Multiplied.
Variable mu : token (problem D) -> R.
Hypotheses (dir : mirror_direction Q (Delta alpha) p u gamma mu).
Hypotheses (at_tight : forall t, active Q mu t -> margin alpha y t = 1).
Let range : factor_range Q (Delta alpha) (bare_weight alpha (loss_of l)) (margin_floor_at floors) f :=
  summed_range Dok Pok factors_ok.

Let known : mirror_known a c setting_of first_in Q (Delta alpha) u v gamma mu (bare_weight alpha (loss_of l)) f beta
  largest_slope largest_norm largest_spread lost_of etamax h0 (margin_floor_at floors).
Proof.
have nu : dot n u = 1 by rewrite mirror_dot (mirror_unit dir).
have centred : dot n v = 0 by rewrite dotBr dotZr nu /height_of; ring.
split=> //; last exact: largest_spread_le.
- by move=> t at_; exact: (@active_gap_positive mu at_tight t at_).
- exact: setting_holds dir at_tight.
- exact: beta_factor.
- exact: first_in_contains dir.
- by move=> t Qt _; exact: (size_ge0 Dok factors_ok Qt).
- by split; [exact: token_largest_ge0 | exact: largest_slope_le].
exact: largest_norm_le.
Qed.

(* T17's conditions, with the power r of the height. *)
Lemma conditions_found : exists r k, [/\ r < q, Rmin 1 (q - 1) = q - r &
  region_found a c normalised Q (Delta alpha) u v gamma mu (bare_weight alpha (loss_of l)) f largest_slope
    largest_norm etamax h0 (margin_floor_at floors) growth_is r (fraction_real rate) k].
Proof.
have /and5P[_ _ _ _ /and5P[_ _ _ _ conditions]] := checked; have powers := conjugate_powers p1 conj.
move: conditions known; rewrite /method_of; case below: (up_to_two a c) => conditions known_.
  have ac2 : (a <= 2 * c)%positive by apply/Pos.leb_le.
  have p2 : p <= 2 := exponent_le_two ac2; have q2 : 2 <= q by nra.
  have lost_le y' : centre_cost p q u v y' <= lost_of := centre_cost_below_two p1 conj u v y' p2.
  have [k found] := heights_sound ca growth_in_contains known_ (soft_method_sound P ca ac2 heights slopes normalised
    known_ lost_le) (fraction_in_contains P rate) conditions.
  have clock : exponent c (a - c) = q - 1 by rewrite /q (dual_power ca).
  by exists (exponent c (a - c)), k; split=> //; rewrite clock ?Rmin_left; lra.
have ac2 : (2 * c < a)%positive by apply/Pos.leb_gt.
have p2 : 2 < p := exponent_gt_two ac2; have q2 : q <= 2 by nra.
have [k found] := heights_sound ca growth_in_contains known_ (firm_method_sound P heights slopes normalised ca ac2
  known_) (fraction_in_contains P rate) conditions.
have one : exponent 1 1 = 1 by rewrite /exponent; field.
by exists (exponent 1 1), k; split=> //; rewrite one ?Rmin_right; lra.
Qed.
End Multiplied.

(* ---- all later steps ---- *)

Variables (eta : nat -> R) (z : nat -> iterate_of).
Hypotheses (eta_range : forall k, 0 < eta k <= etamax) (start : z O = z0).
Hypothesis run : forall k, z k.+1 = MirrorIteration.mirror_moved (loss_of l) q normalised eta k (z k).
Notation w k := (mirror q (z k)).
Notation height k := (dot (z k) u).

(* How the height grows at a step. *)
Definition height_grows (k : nat) : Prop :=
  if growth is Some g then height k + fraction_real g * eta k <= height k.+1 else height k < height k.+1.

Theorem mirror_forever_sound :
  (forall k, [/\ forall i, 1 - attention (w k) (alpha i) <= fraction_real unselected, height_grows k, 0 < height k &
     mirror_defect p q u (w k) <= fraction_real rate / abs_power (height k) (Rmin 1 (q - 1))]) /\
  (is_lim_seq (total eta) p_infty -> [/\ is_lim_seq (fun k => height k) p_infty,
    forall j, is_lim_seq (fun k => unit_of p (w k) j) (u j) &
    forall i, is_lim_seq (fun k => attention (w k) (alpha i)) 1]).
Proof.
have [mu [dir at_tight]] := shortest_direction p1 conj (proj1 solves) some.
have /and5P[_ _ _ _ /and5P[_ /eqP rule gpos offs _]] := checked; have range := summed_range Dok Pok factors_ok.
have nu : dot n u = 1 by rewrite mirror_dot (mirror_unit dir).
have rayE : ray u v h0 = mirror q z0 by rewrite /ray /offset_of; vec_ring.
have zE : mirror p (ray u v h0) = z0 by rewrite rayE; exact: mirror_inverse q1 conj' _.
have [r [k [rq one [[firstE slopeE] [_ y0 zeta0] cond speed_le gain_ [M [C [ME allowance lost_C]]]]]]] :=
  conditions_found dir at_tight.
have zeta_z0 : ray_height p u v h0 = dot z0 u by rewrite /ray_height zE.
rewrite zE -start in cond; rewrite zeta_z0 -start in zeta0 allowance.
have lost_C' y' : mirror_first k <= y' ->
    centre_cost p q u v y' <= C * abs_power (ray_height p u v y') r.
  by rewrite firstE; exact: lost_C.
have attended k' : (forall i, 1 - attention (w k') (alpha i) <= @off N D P picks floors i) ->
    forall i, 1 - attention (w k') (alpha i) <= fraction_real unselected.
  move=> le i; apply: Rle_trans (le i) _; have [so Ho] := off_encloses Dok Pok factors_ok.
  have := all_nthP anything offs (i : data_group D); rewrite so => /(_ (ltn_ord _)).
  by apply: certainly_le_real; [exact: Ho | exact: fraction_in_contains].
case norm: normalised rule gpos cond run speed_le => rule gpos cond run_ speed_le.
  have [g gE] : exists g, growth = Some g by case: (growth) rule => // g _; exists g.
  have g0 : 0 < growth_is := is_positive_real growth_in_contains gpos.
  have speed y' : mirror_first k <= y' -> growth_is * (largest_norm * (1 + mirror_ratio k y')) <=
      gamma - mirror_ratio k y' * mirror_far_slope k by rewrite firstE slopeE; exact: speed_le.
  have [at_ far] := T17_limit_normalised p1 conj dir range (off_ge Dok Pok factors_ok) eta_range rq run_ zeta0 allowance
    lost_C' isT (@largest_norm_le) g0 speed cond.
  split=> // j; have [_ le rises above rates] := at_ j; rewrite one -ME; split=> //; first exact: attended.
    by rewrite /height_grows gE; move: rises; rewrite /growth_is gE.
  exact: Rlt_le_trans zeta0 above.
have gE : growth = None by case: (growth) rule.
have [gain [gain0 falls gain_le]] := gain_.
have gain_le' y' : mirror_first k <= y' -> gain (ray_height p u v y') <=
    (gamma - mirror_ratio k y' * mirror_far_slope k) *
    exp (log_floor Q mu (factor_low f) - gamma * (y' + mirror_bend k y')).
  by rewrite firstE slopeE; exact: gain_le.
have [at_ far] := T17_limit_plain p1 conj dir range (off_ge Dok Pok factors_ok) eta_range rq run_ zeta0 allowance
  lost_C' isT gain0 falls gain_le' cond.
split=> // j; have [_ le rises above rates] := at_ j; rewrite one -ME; split=> //; first exact: attended.
  by rewrite /height_grows gE.
exact: Rlt_le_trans zeta0 above.
Qed.
End Forever.
