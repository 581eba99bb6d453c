(* MirrorForeverChecks: T17 for a run of mirror descent from one of its points on, as a claim has it (MIRROR.md section
   11, and 13 for P > 2): what the conditions on heights need (MirrorHeightChecks.v), enclosed, and the theorem of all
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
                           MirrorRunChecks MirrorFactors MirrorTables MirrorSetting MirrorHeightChecks
                           MirrorSoftChecks MirrorFirmChecks MirrorFirmPrices MirrorFirmHeights.

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
Implicit Types (t : token (problem D)).

(* ---- constraint vectors, entry by entry ---- *)

Definition constraint_rows : seq (seq (seq (seq interval))) :=
  [seq [seq [seq [seq ratio P (mul (token_unit D) (query_unit D)) (mul x z) | z <- query_row pq.2]
              | x <- sub_rows (nth [::] (token_rows pq.2) pq.1) row] | row <- token_rows pq.2]
    | pq <- zip picks (sequences D)].

Lemma constraint_rows_fit : fits D constraint_rows.
Proof.
have [/eqP sp _] := andP Pok; rewrite /fits /constraint_rows size_map size_zip sp minnn eqxx /=.
elim: (sequences D) picks sp => [|q qs IH] [|k ps] //= [sp].
by rewrite size_map eqxx IH.
Qed.

Lemma constraint_rows_enclose t : matrix_encloses (at_token [::] constraint_rows t) (Delta alpha t).
Proof.
have [/eqP sp _] := andP Pok; have il : (tag (t : data_token D) < size (sequences D))%nat by exact: ltn_ord.
have -> : at_token [::] constraint_rows t =
    [seq [seq ratio P (mul (token_unit D) (query_unit D)) (mul x z) | z <- query D (pair_of t)]
      | x <- difference D picks (pair_of t)].
  rewrite /at_token /constraint_rows (nth_map (0%nat, no_sequence N)) ?size_zip ?sp ?minnn // nth_zip //=.
  by rewrite (nth_map [::]) //; exact: ltn_ord.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
have sd := size_difference Dok Pok t; have sz := size_query Dok t.
split.
  rewrite /matrix_fits size_map sd eqxx; apply/(all_nthP [::]) => j; rewrite size_map sd => jl.
  by rewrite (nth_map zero) ?sd // size_map sz.
move=> j k; rewrite /entry_of (nth_map zero) ?sd // (nth_map zero) ?sz //.
rewrite (Delta_outer Dok) /outer /=.
have -> : / real (token_unit D) * entry (difference D picks (pair_of t)) j *
    (/ real (query_unit D) * entry (query D (pair_of t)) k) =
  real (mul (nth zero (difference D picks (pair_of t)) j) (nth zero (query D (pair_of t)) k)) /
    real (mul (token_unit D) (query_unit D)) by rewrite !realM /entry; field; lra.
exact: ratio_contains.
Qed.

(* Entries that no constraint vector has. *)
Definition blank (rows : seq (seq (seq (seq interval)))) j k : bool :=
  all (all (fun m => is_zero (entry_of m j k))) rows.

Lemma blank_zero (jk : coord (problem D)) t : blank constraint_rows jk.1 jk.2 -> Delta alpha t jk = 0.
Proof.
move=> H; have [_ Ht] := constraint_rows_enclose t; have fr := constraint_rows_fit; have [/eqP sr _] := andP fr.
have il : (tag (t : data_token D) < size constraint_rows)%nat by rewrite sr; exact: ltn_ord.
have := all_nthP [::] (all_nthP [::] H _ il) _ (fits_at t fr).
by rewrite (surjective_pairing jk); apply: is_zero_real; exact: Ht.
Qed.

(* ---- what is the same at all heights ---- *)

Variables (l : loss_name) (a c : positive) (floors : seq (seq (fraction N))).
Variables (tokens : seq (seq bool)) (guess : vector N) (least : fraction N) (hints : gram_hints N).
Variables (solution : mirror_solution N) (dual : seq (seq interval)) (step : interval).

Definition gamma_in : interval := idiv P (interval1 N) (solution_length solution).
Definition unit_direction_in rows : seq (seq interval) := matrix_of D (fun j k =>
  if blank rows j k then interval0 N else idiv P (entry_of (solution_entries solution) j k) (solution_length solution)).

(* B of Lemma 4, times P - 1: the least k/64 that it allows, or 1. *)
Definition sixty_fourths (k : nat) : interval := idiv P (exactly (of_natural N k)) (from_positive N 64).
Definition bend_allows (k : nat) : bool :=
  let beta := sixty_fourths k in
  let most := imul P (over N P a c) (isub P (interval2 N) (over N P a c)) in
  certainly_le beta (interval1 N) && certainly_le (imul P most (iadd P (interval1 N)
    (imagnitude P c (2 * c - a) (isub P (interval1 N) beta)))) beta.
Definition bend_numerator : nat :=
  if Pos.eqb a (2 * c) then 0%nat else head 64%nat [seq k <- seq.iota 1 63 | bend_allows k].
Definition up_to_two : bool := Pos.leb a (2 * c).   (* P <= 2 *)
Definition bend_factor_in : interval :=
  if up_to_two then sixty_fourths bend_numerator
  else idiv P (interval1 N) (iadd P (interval1 N)
    (imul P (isub P (interval1 N) (over N P c a)) (imagnitude P c (a - 2 * c) (p1_in N P a c)))).

(* mu on the tokens listed: as near the guess as the residual of gamma n says. *)
Definition multipliers_in normal gamma : seq (seq interval) :=
  let residual := combine_tables (isub P) (map_rows (imul P gamma) normal)
                    (exact_matrix P (weight_unit D guess) (weights D picks guess)) in
  let radius := isqrt P (idiv P (matrix_product P residual residual) (fraction_in P least)) in
  within tokens (interval0 N) (map_rows (fun I => imax P (iadd P I (symmetric radius)) (interval0 N))
    (exact_table P (denominator guess) (numerators guess))).

(* x log(b/x), 0 at 0. *)
Definition entropy_in (I J : interval) : interval :=
  if is_zero I then interval0 N
  else if is_positive I then imul P I (isub P (ilog P J) (ilog P I))
  else let top := upper_end I in
    hull (imin P (interval0 N) (imul P top (isub P (ilog P J) (ilog P top)))) J.

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
    (combine_tables entropy_in (multipliers_in normal gamma) low))) in
  let odds := combine_tables (fun I J => iexp P (isub P (imul P (iopp (isub P I gamma)) height) J)) along across in
  let gibbs := isub P (ilog P (isum P (group_sums P (within positive (interval0 N)
    (combine_tables (imul P) high odds))))) level in
  let set_apart m := combine_tables (isub P) m (map_rows (imul P gamma) normal) in
  let bend := idiv P bend_factor_in (p1_in N P a c) in
  let near := if Pos.eqb a (2 * c) then dyadic one 30 else
    imax P (over N P 21 20) (idiv P (imul P (over N P 4 5) (if up_to_two then q1_in N P a c else interval1 N)) bend) in
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

Definition conditions_check : bool :=
  if up_to_two then
    soft_heights_check D P a c setting_of first_in heights slopes normalised mirror_growth_in (fraction_in P rate)
  else firm_heights_check D P a c setting_of first_in heights slopes normalised mirror_growth_in (fraction_in P rate).

Definition mirror_forever_check : bool :=
  [&& Pos.ltb c a, has_constraint D picks, listed_check,
      summed_check D P picks l floors && blank_dual &
    [&& is_positive (solution_length solution), isSome growth == normalised,
        ~~ normalised || is_positive mirror_growth_in,
        all (fun I => certainly_le I (fraction_in P unselected)) (off_in D P picks floors) & conditions_check]].

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
Let below_two : up_to_two -> (a <= 2 * c)%positive. Proof. by move/Pos.leb_le. Qed.
Let above_two : up_to_two = false -> (2 * c < a)%positive. Proof. by move/Pos.leb_gt. Qed.
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
  by apply: sum0 => t _; rewrite (blank_zero t empty) Rmult_0_r.
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

(* ---- B ---- *)

Definition beta_of : R :=
  if up_to_two then INR bend_numerator / 64 else / (1 + (1 - / p) * abs_power (p - 1) (/ (p - 2))).

Lemma sixty_fourths_contains k : contains (sixty_fourths k) (INR k / 64).
Proof.
rewrite -(of_natural_real N); apply: idiv_contains; first exact: exactly_contains.
by have := exactly_contains (of_positive N 64); rewrite of_positive_real.
Qed.

Lemma bend_factor_contains : contains bend_factor_in beta_of.
Proof.
rewrite /bend_factor_in /beta_of; case steep: up_to_two; first exact: sixty_fourths_contains.
have ac2 := above_two steep; rewrite -[/ (1 + _)]Rmult_1_l.
apply: idiv_contains; first exact: contains1.
apply: iadd_contains; first exact: contains1.
have two_c : / (p - 2) = exponent c (a - 2 * c).
  rewrite /exponent Pos2Z.inj_sub // minus_IZR Pos2Z.inj_mul mult_IZR /p /exponent; have := positive_gt0 c => c0.
  have : 2 * IZR (Zpos c) < IZR (Zpos a) by rewrite -mult_IZR; apply: IZR_lt; lia.
  by move=> H; field; lra.
apply: imul_contains; last by rewrite two_c; apply: imagnitude_contains; exact: p1_contains.
apply: isub_contains; first exact: contains1.
by rewrite /p exponent_inverse; exact: over_contains.
Qed.

Lemma beta_factor : curve_factor p beta_of.
Proof.
rewrite /beta_of; case gentle: up_to_two; last exact: curve_factor_above_two p1 (firm_p2 D (above_two gentle)).
have p2 : p <= 2 := piece_p2 D (below_two gentle); rewrite /bend_numerator; case: Pos.eqb_spec => [two | ne].
  have -> : INR 0 / 64 = 0 by rewrite /=; lra.
  apply: curve_factor_two => //; rewrite /p /exponent two Pos2Z.inj_mul mult_IZR.
  by have := positive_gt0 c => c0; field; lra.
have below : p < 2.
  have : p <> 2; last by case: p2 => // E ne2; case: ne2.
  move=> E; apply: ne; have := positive_gt0 c => c0.
  have : IZR (Zpos a) = IZR (2 * Zpos c) by rewrite mult_IZR -E /p /exponent; field; lra.
  by move/eq_IZR; lia.
case hit: [seq k <- seq.iota 1 63 | bend_allows k] => [|k ks]; rewrite [head _ _]/head.
  have -> : INR 64 / 64 = 1.
    have -> : INR 64 = IZR 64 by rewrite INR_IZR_INZ.
    by field.
  exact: curve_factor_one.
have : k \in [seq k <- seq.iota 1 63 | bend_allows k] by rewrite hit inE eqxx.
rewrite mem_filter => /andP[/andP[b1 bt] _]; have bc := sixty_fourths_contains k.
have b1' := certainly_le_real bc (contains1 N) b1.
have two_c : / (2 - p) = exponent c (2 * c - a).
  have lt : (a < 2 * c)%positive by have := below_two gentle; lia.
  rewrite /exponent Pos2Z.inj_sub // minus_IZR Pos2Z.inj_mul mult_IZR /p /exponent; have := positive_gt0 c => c0.
  have : IZR (Zpos a) < 2 * IZR (Zpos c) by rewrite -mult_IZR; apply: IZR_lt; lia.
  by move=> H; field; lra.
have pc : contains (imul P (over N P a c) (isub P (interval2 N) (over N P a c))) (p * (2 - p)).
  by apply: imul_contains; [exact: over_contains | apply: isub_contains; [exact: contains2 | exact: over_contains]].
have bt' : p * (2 - p) * (1 + abs_power (1 - INR k / 64) (/ (2 - p))) <= INR k / 64.
  apply: certainly_le_real bt => //; apply: imul_contains pc _; apply: iadd_contains; first exact: contains1.
  by rewrite two_c; apply: imagnitude_contains; apply: isub_contains => //; exact: contains1.
apply: curve_factor_below_two => //; apply: Rle_trans bt'.
have pp : 0 <= p * (2 - p) by apply: Rmult_le_pos; lra.
by have := Rmult_le_pos _ _ pp (abs_power_ge0 (1 - INR k / 64) (/ (2 - p))); lra.
Qed.

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

Lemma entropy_contains I J x b : contains I x -> contains J b -> 0 <= x -> 0 < b ->
  contains (entropy_in I J) (if Rlt_dec 0 x then x * (ln b - ln x) else 0).
Proof.
move=> HI HJ x0 b0; rewrite /entropy_in; case: ifP => [/(is_zero_real HI) E | _].
  by case: Rlt_dec => h /=; [lra | exact: contains0].
case: ifP => [/(is_positive_real HI) h | _].
  case: Rlt_dec => // _ /=; apply: imul_contains => //; apply: isub_contains; exact: ilog_contains.
have Hu := upper_contains I.
case bd: (bounded I); last by case: I HI bd Hu => // _ _ _; rewrite /= /hull; case: (imin _ _ _).
have le := upper_ge HI bd.
apply: (hull_contains (imin_contains P (contains0 N) (imul_contains P Hu (isub_contains P (ilog_contains P HJ)
  (ilog_contains P Hu)))) HJ).
case: Rlt_dec => h /=; last first.
  by split; [exact: Rmin_l | lra].
split; last first.
  have l1 := ln_le_sub1 (Rdiv_lt_0_compat _ _ b0 h); rewrite ln_div // in l1.
  have := Rmult_le_compat_l x _ _ x0 l1; have -> : x * (b / x - 1) = b - x by field; lra.
  lra.
set top := upper I in le *; have lt : ln x <= ln top by apply: ln_mono.
apply: (Rle_trans _ (x * (ln b - ln top))); last by apply: Rmult_le_compat_l; lra.
case: (Rle_lt_dec 0 (ln b - ln top)) => s0.
  by apply: Rle_trans (Rmin_l _ _) _; exact: Rmult_le_pos.
apply: Rle_trans (Rmin_r _ _) _.
by have := Rmult_le_compat_neg_l (ln b - ln top) _ _ (Rlt_le _ _ s0) le; lra.
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

Lemma level_contains_floor : contains (isum P (group_sums P (within tokens (interval0 N) (combine_tables entropy_in
    (multipliers_in (power_matrix P (a - c) c (unit_direction_in constraint_rows)) gamma_in)
    (summed_low_in D P picks l floors))))) (log_floor Q mu (factor_low f)).
Proof.
have /and5P[mok inP _ _ _] := support_ok; have [ft _] := andP mok.
have [fm Hm] := multipliers_enclose; have [fl Hl] := low_encloses Dok Pok factors_ok.
have fz := fits_zip fm fl.
have inside t : in_mask tokens t -> in_mask (positive_gaps D picks) t.
  by move=> it; exact: (all_withinP false ft (fits_positive Dok Pok) inP it).
have H : encloses (within tokens (interval0 N) (combine_tables entropy_in
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

Theorem setting_holds : setting_encloses a c setting_of Q (factor_kept f) (Delta alpha) u v gamma beta_of
  (log_floor Q mu (factor_low f))
  (gibbs_gap Q (Delta alpha) u v (factor_kept f) gamma mu (factor_high f) (factor_low f) h0)
  largest_slope largest_norm largest_spread lost_of etamax (most_total f (margin_floor_at floors))
  (margin_floor_at floors) (factor_size f).
Proof.
have Hu := direction_encloses dir; have Hn := normal_in_encloses Hu; have Hw := primal_in_encloses.
have Hh := first_in_contains; have Hg := gamma_contains; have Hr := constraint_rows_enclose.
have fr := constraint_rows_fit; have fc := fits_constraint_mask Pok; have fb := fits_better Dok Pok.
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
have bend : contains (idiv P bend_factor_in (p1_in N P a c)) (beta_of / (p - 1)).
  by apply: idiv_contains; [exact: bend_factor_contains | exact: p1_contains].
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

(* T17's conditions, with the power r of the height. *)
Lemma conditions_found : exists kn kd k, [/\ exponent kn kd < q, Rmin 1 (q - 1) = q - exponent kn kd &
  region_found a c kn kd normalised Q (Delta alpha) u v gamma mu (bare_weight alpha (loss_of l)) f largest_slope
    largest_norm etamax h0 (margin_floor_at floors) growth_is (fraction_real rate) k].
Proof.
have setting := setting_holds dir at_tight; have /and5P[_ _ _ _ /and5P[_ _ _ _ conditions]] := checked.
have kept t : active Q mu t -> factor_kept f t := @active_gap_positive mu at_tight t.
have nu : dot n u = 1 by rewrite mirror_dot (mirror_unit dir).
have centred : dot n v = 0 by rewrite dotBr dotZr nu /height_of; ring.
have G0 : 0 <= largest_slope := token_largest_ge0 _.
have gc : contains mirror_growth_in growth_is.
  by rewrite /mirror_growth_in /growth_is; case: (growth) => [g|]; [exact: fraction_in_contains | exact: contains0].
have powers := conjugate_powers p1 conj.
have size0 t : Q t -> ~~ factor_kept f t -> 0 <= factor_size f t by move=> Qt _; exact: (size_ge0 Dok factors_ok Qt).
move: conditions; rewrite /conditions_check; case below: up_to_two => conditions.
  have ac2 := below_two below; have p2 : p <= 2 := piece_p2 D ac2; have q2 : 2 <= q by nra.
  have lost_le y' : centre_cost p q u v y' <= lost_of := centre_cost_below_two p1 conj u v y' p2.
  have [k found] := soft_heights_sound ca ac2 dir range kept centred setting beta_factor (first_in_contains dir) size0
    G0 (@largest_slope_le) (@largest_norm_le) (@largest_spread_le) lost_le gc (fraction_in_contains P rate) conditions.
  have clock : exponent c (a - c) = q - 1 by rewrite /q (dual_power ca).
  by exists c, (a - c)%positive, k; split=> //; rewrite clock ?Rmin_left; lra.
have ac2 := above_two below; have p2 : 2 < p := firm_p2 D ac2; have q2 : q <= 2 by nra.
have [k found] := firm_heights_sound ca ac2 dir range kept centred setting beta_factor (first_in_contains dir) size0
  G0 (@largest_slope_le) (@largest_norm_le) (@largest_spread_le) gc (fraction_in_contains P rate) conditions.
have one : exponent 1 1 = 1 by rewrite /exponent; field.
by exists 1%positive, 1%positive, k; split=> //; rewrite one ?Rmin_right; lra.
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
have gc : contains mirror_growth_in growth_is.
  by rewrite /mirror_growth_in /growth_is; case: (growth) => [g|]; [exact: fraction_in_contains | exact: contains0].
have [kn [kd [k [rq one [[firstE slopeE] [_ y0 zeta0] cond speed_le gain_ [M [C [ME allowance lost_C]]]]]]]] :=
  conditions_found dir at_tight.
have zeta_z0 : ray_height p u v h0 = dot z0 u by rewrite /ray_height zE.
rewrite zE -start in cond; rewrite zeta_z0 -start in zeta0 allowance.
have lost_C' y' : mirror_first k <= y' ->
    centre_cost p q u v y' <= C * abs_power (ray_height p u v y') (exponent kn kd).
  by rewrite firstE; exact: lost_C.
have attended k' : (forall i, 1 - attention (w k') (alpha i) <= @off N D P picks floors i) ->
    forall i, 1 - attention (w k') (alpha i) <= fraction_real unselected.
  move=> le i; apply: Rle_trans (le i) _; have [so Ho] := off_encloses Dok Pok factors_ok.
  have := all_nthP anything offs (i : data_group D); rewrite so => /(_ (ltn_ord _)).
  by apply: certainly_le_real; [exact: Ho | exact: fraction_in_contains].
case norm: normalised rule gpos cond run speed_le => rule gpos cond run_ speed_le.
  have [g gE] : exists g, growth = Some g by case: (growth) rule => // g _; exists g.
  have g0 : 0 < growth_is := is_positive_real gc gpos.
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
