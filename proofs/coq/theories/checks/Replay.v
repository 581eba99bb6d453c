(* Replay: the checker's own pseudo-orbit of a run, an exact iterate with a proved bound of its distance to the true
   one.

   W~_{t+1} = W~_t + sum theta_it Delta_it with theta_it of a fixed number of binary places. The weights at W~_t are
   enclosed (AttentionIntervals.v); V~ is the combination of their centres. How far a step takes the true iterate and
   W~_t apart is bounded on the ball around W~_t, from few bits (StepGrowth.v). For Polyak steps the weights are those
   of every matrix of the ball, and what they deviate bounds ||V - V~|| (PseudoOrbit.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Number Rows TokenData Losses MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals Runs.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the centre of an interval ---- *)

Section Centres.
Variable N : number.
Notation interval := (interval N).
Notation anything := (@Everything N).
Implicit Types I : interval.

Definition bounded I : bool := if I is Between _ _ _ then true else false.
(* The ends as multiples of 2^e, rounded outward. *)
Definition ends (e : Z) I : N * N := if at_exponent e I is Between lo hi _ then (lo, hi) else (zero, zero).
Definition centre e I : N := let ab := ends e I in shift_down (add ab.1 ab.2) 1.
Definition half_width e I : N := let ab := ends e I in let c := centre e I in greater (sub ab.2 c) (sub c ab.1).

Lemma ends_spec e I x : bounded I -> contains I x -> real (ends e I).1 * power e <= x <= real (ends e I).2 * power e.
Proof.
case: I => // lo hi f _ /(at_exponent_contains e); rewrite /ends.
by have [a [b ->]] := at_exponent_between e lo hi f.
Qed.

Lemma centre_spec e I x : bounded I -> contains I x ->
  Rabs (x - real (centre e I) * power e) <= real (half_width e I) * power e.
Proof.
move=> b H; have [h1 h2] := ends_spec e b H; have p0 := power_gt0 e.
rewrite /half_width greater_real !realB; set c := real (centre e I).
have m1 := Rmult_le_compat_r _ _ _ (Rlt_le _ _ p0) (Rmax_l (real (ends e I).2 - c) (c - real (ends e I).1)).
have m2 := Rmult_le_compat_r _ _ _ (Rlt_le _ _ p0) (Rmax_r (real (ends e I).2 - c) (c - real (ends e I).1)).
by apply: Rabs_le; lra.
Qed.

(* The power of two that leaves P bits of the largest number: a guess. *)
Definition top_exponent (m : seq (seq interval)) : Z :=
  foldr (fun r top => foldr (fun I top => if I is Between _ hi e then Z.max top (e + bits hi) else top) top r)
    (-65536)%Z m.

Definition all_bounded (m : seq (seq interval)) : bool := all (all bounded) m.

Lemma all_bounded_at (D : token_data N) m (t : token (problem D)) : fits D m -> all_bounded m ->
  bounded (at_token anything m t).
Proof.
move=> fm H; have [/eqP sm _] := andP fm.
apply: (all_nthP anything (all_nthP [::] H _ _)); first by rewrite sm; exact: ltn_ord.
exact: fits_at.
Qed.
End Centres.

(* ---- inner products of matrices ---- *)

Lemma matrix_dot_value (N : number) (D : token_data N) m m' (u u' : R) :
  shaped (left_dimension D) (right_dimension D) m -> shaped (left_dimension D) (right_dimension D) m' ->
    u <> 0 -> u' <> 0 ->
  dot (@matrix_real N D m u) (@matrix_real N D m' u') = real (matrix_dot m m') / (u * u').
Proof. by move=> sh sh' u0 u0'; rewrite (matrix_dot_real sh sh') -(@matrix_real_dot N D). Qed.

Section Replay.
Variables (N : number) (D : token_data N).
Notation interval := (interval N).
Notation anything := (@Everything N).
Let d := left_dimension D.
Let e := right_dimension D.
Let dx := real (token_unit D).
Let dz := real (query_unit D).

(* The run; its start as integers over start_unit. *)
Record specification := Specification {
  run_rule : rule;
  run_schedule : schedule;
  run_step : fraction N;
  start : seq (seq N);
  start_unit : N
}.

Variables (l : loss_name) (spec : specification) (least : R).  (* L* *)
(* Working precision and binary places of iterates: guesses. Radii need no more than radius_bits. *)
Variables (P F : Z).
Definition radius_bits : Z := 64.
Notation Q := radius_bits.

Definition specification_ok : bool :=
  [&& fraction_ok (run_step spec), lt zero (fraction_num (run_step spec)), lt zero (start_unit spec),
      shaped d e (start spec) & Z.leb 0 F].

Definition start_point : vec (coord (problem D)) := matrix_real (start spec) (real (start_unit spec)).
Definition sizes : nat -> R := step_size (run_schedule spec) (fraction_real (run_step spec)).
Definition trajectory : nat -> vec (coord (problem D)) := iterate (loss_of l) least (run_rule spec) sizes start_point.

Record orbit := Orbit {
  position : seq (seq N);    (* over position_unit *)
  away : interval;           (* encloses a bound of the distance to the true iterate *)
  clock : N;                 (* the number of the step, from 1 *)
  references : seq nat       (* a token of each group *)
}.

Definition units : N := mul (token_unit D) (query_unit D).
Definition place_unit : N := shift_up (start_unit spec) F.
Definition position_unit : N := mul place_unit units.
Definition position_real (o : orbit) : vec (coord (problem D)) := matrix_real (position o) (real position_unit).

(* The token of least margin in each group: a guess of the largest logit. *)
Fixpoint least_index (best : N) (at_best k : nat) (r : seq N) : nat :=
  if r is a :: r' then if lt a best then least_index a k k.+1 r' else least_index best at_best k.+1 r' else at_best.
Definition leaders (refs : seq nat) (position : seq (seq N)) : seq nat :=
  [seq least_index (head zero r) 0 0 r | r <- margins_of D refs position].

Definition first_orbit : orbit :=
  let m := [seq [seq mul (shift_up a F) units | a <- row] | row <- start spec] in
  Orbit m (interval0 N) one (leaders [seq 0%nat | _ <- sequences D] m).

Definition orbit_at (t : nat) (o : orbit) : Prop :=
  [/\ shaped d e (position o), real (clock o) = INR t.+1 &
      exists2 r, contains (away o) r & vdist (trajectory t) (position_real o) <= r].

(* ---- one step ---- *)

Definition eta (k : N) : interval :=
  let S := idiv P (exactly (fraction_num (run_step spec))) (exactly (fraction_den (run_step spec))) in
  match run_schedule spec with
  | Constant => S
  | Inverse => idiv P S (exactly k)
  | InverseRoot => idiv P S (isqrt P (exactly k))
  end.

(* What is seen of an iterate and of all matrices in the ball around it. *)
Record view := View {
  view_reaches : seq (seq interval);     (* ||Delta_t|| *)
  view_attention : seq (seq interval);
  view_slopes : seq interval;            (* -l'(f_i) *)
  view_shares : seq (seq interval);      (* s_t (f - g_t) *)
  view_omegas : seq (seq interval)       (* T1's weights *)
}.

(* The margins on the ball; the rest as in AttentionIntervals.v, each table computed once. *)
Definition ball_margins (m : seq (seq N)) (reach : seq (seq interval)) (r : interval) : seq (seq interval) :=
  combine_tables (fun I J => iadd P I (symmetric (imul Q r J))) (exact_table P (mul position_unit units) m) reach.

Definition look (o : orbit) : view :=
  let refs := references o in
  let m := margins_of D refs (position o) in
  let reach := distance_table D Q refs in
  let factors := by_counts D P (exp_minus_table P (ball_margins m reach (away o))) in
  let a := spread_column (fun z e => idiv P e z) (group_sums P factors) factors in
  let gaps := gap_table D P refs in
  let lost := group_sums P (combine_tables (imul P) a gaps) in
  let slopes := [seq slope_interval P l f | f <- combine_columns (isub P) (selected_scores D P refs) lost] in
  let shares := combine_tables (imul P) a (spread_column (fun x g => isub P g x) lost gaps) in
  View reach a slopes shares (spread_column (imul P) [seq imul P (group_share D P) s | s <- slopes] shares).

(* A token with the best score of each group. *)
Fixpoint greatest_index (best : N) (at_best k : nat) (r : seq N) : nat :=
  if r is a :: r' then if lt best a then greatest_index a k k.+1 r' else greatest_index best at_best k.+1 r'
    else at_best.
Definition best_picks : seq nat := [seq greatest_index (head zero (score_row q)) 0 0 (score_row q) | q <-
  sequences D].
Definition best_ok : bool := picks_ok D best_picks && all (all (le zero)) (gaps D best_picks).
(* Every output is in the loss's domain: where that is the positive numbers, no score is negative and one of each
   group positive. *)
Definition defined_ok (l : loss_name) : bool :=
  everywhere l || all (fun q => all (le zero) (score_row q) && has (lt zero) (score_row q)) (sequences D).
(* The loss above that of the best scores, as in AttentionIntervals.v. *)
Definition gap_of (O : Z) (v : view) : interval :=
  let lost := group_sums P (combine_tables (imul P) (view_attention v)
    (exact_table P (score_unit D) (gaps D best_picks))) in
  isum O [seq imul O (group_share D O) e | e <-
    combine_columns (excess_interval O l) (selected_scores D O best_picks) lost].

(* A combination of the vectors Delta_t with coefficients that intervals enclose: a known one of their centres, its
   norm, and how far the others are from it at most. *)
Record velocity := Velocity {
  scale : Z;
  centres : seq (seq N);      (* over 2^-scale *)
  speed : interval;
  deviation : interval
}.

Definition combination (refs : seq nat) (reach om : seq (seq interval)) : velocity :=
  let k := (top_exponent om - P)%Z in
  let cs := map_rows (centre k) om in
  let m := weights_matrix D refs cs in
  Velocity k cs (idiv P (isqrt P (dyadic (matrix_dot m m) (k + k))) (exactly units))
    (isum Q (group_sums Q (combine_tables (imul Q) (map_rows (fun I => dyadic (half_width k I) k) om) reach))).

(* V~ *)
Definition velocity_of (refs : seq nat) (v : view) : velocity := combination refs (view_reaches v) (view_omegas v).

(* ||V|| on the ball. *)
Definition ball_speed (v : velocity) : interval := iadd P (speed v) (symmetric (deviation v)).

End Replay.

(* ---- how far one step takes two matrices of the ball apart (StepGrowth.v) ---- *)

Section Growth.
Variables (N : number) (D : token_data N) (l : loss_name).
Notation interval := (interval N).
Variable (P : Z) (v : view N).

(* l'' where -l' is I. *)
Definition curvature_interval (I : interval) : interval :=
  match l with
  | Logistic => imul P I (isub P (interval1 N) I)
  | Exponential => I
  | Correlation => interval0 N
  | CrossEntropy => imul P I I
  end.

Definition table_total (m : seq (seq interval)) : interval := isum P (group_sums P m).
Definition products : seq (seq interval) -> seq (seq interval) -> seq (seq interval) := combine_tables (imul P).
Definition positive_part (I : interval) : interval := imax P (interval0 N) I.
Definition interval_magnitude (I : interval) : interval := imax P I (iopp I).

Definition square_reaches : seq (seq interval) :=
  map_rows (fun I => imul P I I)
    (spread_column (iadd P) (group_sums P (products (view_attention v) (view_reaches v))) (view_reaches v)).
Definition curvatures : seq interval :=
  [seq imul P (group_share D P) (curvature_interval s) | s <- view_slopes v].
Definition rising_of : interval :=
  table_total (products (map_rows (fun I => positive_part (iopp I)) (view_omegas v)) square_reaches).
Definition falling_of : interval :=
  iadd P (table_total (products (map_rows positive_part (view_omegas v)) square_reaches))
    (isum P (combine_columns (fun k r => imul P k (imul P r r)) curvatures
       (group_sums P (products (map_rows interval_magnitude (view_shares v)) (view_reaches v))))).

(* <Delta_t, V~> *)
Definition known_margins (refs : seq nat) (vel : velocity N) : seq (seq interval) :=
  map_rows (fun a => idiv P (dyadic a (scale vel)) (exactly (mul (units D) (units D))))
    (margins_of D refs (weights_matrix D refs (centres vel))).

(* The coefficients of the derivative of V in direction V~. *)
Definition bend_table (m : seq (seq interval)) : seq (seq interval) :=
  let mean := group_sums P (products (view_attention v) m) in
  let wb := products (view_omegas v) (spread_column (fun M I => isub P I M) mean m) in
  let q := combine_columns (imul P) curvatures (group_sums P (products (view_shares v) m)) in
  combine_tables (isub P)
    (combine_tables (isub P) (spread_column (imul P) (group_sums P wb) (view_attention v)) wb)
    (spread_column (imul P) q (view_shares v)).

(* Bounds of what that derivative has beside V~. *)
Definition turning_of (refs : seq nat) (vel : velocity N) : interval :=
  let m := known_margins refs vel in
  let c := bend_table m in
  let along := idiv P (table_total (products c m)) (imul P (speed vel) (speed vel)) in
  let e := (top_exponent [:: [:: along]] - P)%Z in
  let rest := combine_tables (isub P) c
    (map_rows (fun a => imul P (dyadic (centre e along) e) (dyadic a (scale vel))) (centres vel)) in
  if all_bounded rest then ball_speed P (combination D P refs (view_reaches v) rest) else @Everything N.
End Growth.

(* ---- one step ---- *)

Section Advance.
Variables (N : number) (D : token_data N) (l : loss_name) (spec : specification N) (P F : Z).
Notation interval := (interval N).
Notation Q := radius_bits.
Notation eta := (eta spec P).

(* The known iterate alone. *)
Definition at_centre (o : orbit N) : orbit N := Orbit (position o) (interval0 N) (clock o) (references o).
Definition growth_bits : Z := 96.
Definition near_orbit (o : orbit N) : view N := look D l spec growth_bits F o.

(* For the normalised step at the known V~; for Polyak's on the whole ball. *)
Definition multiplier (k : N) (w : view N) (v : velocity N) : interval :=
  match run_rule spec with
  | GradientSteps => eta k
  | NormalisedSteps => idiv P (eta k) (speed v)
  | PolyakSteps => let n := ball_speed P v in idiv P (imul P (eta k) (gap_of D l P P w)) (imul P n n)
  end.

(* A bound of the distance after the step with tau V~ = v, and whether it may be used; `ball` is what is near o. *)
Definition distance_after (o : orbit N) (ball : view N) (v : velocity N) (tau : interval) : interval * bool :=
  let r := away o in
  let dev := deviation v in
  if run_rule spec is PolyakSteps then (iadd Q r (imul Q tau dev), certainly_lt dev (speed v))
  else
    let up := upper_end (rising_of Q ball) in
    let down := upper_end (falling_of D l Q ball) in
    let k := imax Q (iadd Q (interval1 N) (imul Q tau up)) (isub Q (imul Q tau down) (interval1 N)) in
    if run_rule spec is GradientSteps then (iadd Q (imul Q k r) (imul Q tau dev), bounded up && bounded down)
    else
      let n := speed v in
      let turn := upper_end (turning_of D l growth_bits ball (references o) v) in
      let twist := idiv Q (imul Q tau turn) n in
      let q := iadd Q (imul Q (imax Q up down) r) dev in
      let bend := idiv Q (imul Q (imul Q (interval2 N) (eta (clock o))) (imul Q q q)) (imul Q n n) in
      (iadd Q (iadd Q (imul Q (iadd Q k twist) r) (imul Q tau dev)) bend,
       [&& bounded up, bounded down, bounded turn, is_positive n & certainly_le (imul Q (exactly (four N)) q) n]).

Definition advance (o : orbit N) (ball : view N) : option (orbit N) :=
  let refs := references o in
  let w := look D l spec P F (if run_rule spec is PolyakSteps then o else at_centre o) in
  let vel := velocity_of D P refs w in
  let k := clock o in
  let tau := multiplier k w vel in
  let steps := map_rows (fun c => imul P tau (dyadic c (scale vel))) (centres vel) in
  let thetas := map_rows (fun I => (ends (- F) I).1) steps in
  let errors := map_rows (fun I => let ab := ends (- F) I in dyadic (sub ab.2 ab.1) (- F)) steps in
  let rounding := isum Q (group_sums Q (combine_tables (imul Q) errors (view_reaches w))) in
  let after := distance_after o ball vel tau in
  if [&& is_nonnegative tau, all_bounded (view_omegas w), all_bounded steps & after.2] then
    let next := add_combinations (left_dimension D) (position o) (sequences D) refs
      (map_rows (mul (start_unit spec)) thetas) in
    Some (Orbit next (upper_end (iadd Q after.1 rounding)) (add k one) (leaders D refs next))
  else None.
End Advance.
