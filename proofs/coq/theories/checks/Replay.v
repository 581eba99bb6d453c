(* Replay: the checker's own pseudo-orbit of a run, an exact iterate with a proved bound of its distance to the true
   one.

   W~_{t+1} = W~_t + sum theta_it Delta_it with theta_it of a fixed number of binary places. The weights at W~_t are
   enclosed (AttentionIntervals.v); V~ is the combination of their centres. How far a step takes the true iterate and
   W~_t apart is bounded on the ball around W~_t, from few bits (StepGrowth.v). For rules without such a bound, as
   Polyak's, the weights are those of every matrix of the ball, and what they deviate bounds ||V - V~||
   (PseudoOrbit.v). *)
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
Definition half_width e I : N :=
  let ab := ends e I in let c := shift_down (add ab.1 ab.2) 1 in greater (sub ab.2 c) (sub c ab.1).

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
(* Working precision and binary places of iterates: guesses. Radii need no more than radius_bits: products of two such
   numbers fit into a machine word. *)
Variables (P F : Z).
Definition radius_bits : Z := 30.
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

(* <x_it, W z_i> of every token, and from these the margins against a token of each group. *)
Definition logit_rows (m : seq (seq N)) : seq (seq N) :=
  [seq let u := mat_vec m (query_row q) in [seq dot_rows row u | row <- token_rows q] | q <- sequences D].
Definition margins_from (refs : seq nat) (values : seq (seq N)) : seq (seq N) :=
  [seq let top := nth zero rv.2 rv.1 in [seq sub top a | a <- rv.2] | rv <- zip refs values].

Lemma margins_from_logits refs m : margins_from refs (logit_rows m) = margins_of D refs m.
Proof.
rewrite /margins_from /logit_rows /margins_of.
by elim: (sequences D) refs => [|q qs IH] [|r refs] //=; rewrite IH.
Qed.

(* The token of least margin in each group: a guess of the largest logit. *)
Fixpoint least_index (best : N) (at_best k : nat) (r : seq N) : nat :=
  if r is a :: r' then if lt a best then least_index a k k.+1 r' else least_index best at_best k.+1 r' else at_best.
Definition leaders (refs : seq nat) (values : seq (seq N)) : seq nat :=
  [seq least_index (head zero r) 0 0 r | r <- margins_from refs values].

Definition first_orbit : orbit :=
  let m := [seq [seq mul (shift_up a F) units | a <- row] | row <- start spec] in
  Orbit m (interval0 N) one (leaders [seq 0%nat | _ <- sequences D] (logit_rows m)).

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
  let known := exact_table P (mul position_unit units) m in
  if is_zero r then known else combine_tables (fun I J => iadd P I (symmetric (imul Q r J))) known reach.

(* Factors e^-margin. Where bits may be dropped, each has so many fewer as it is smaller than the largest beside the
   references' own: a step needs no more. *)
Definition twenty_three : Z := 23.
Definition whole_part (I : interval) : Z :=
  if I is Between lo _ k then
    if Z.ltb forty (bits lo + k) then Z.shiftl 1 forty
    else whole (if Z.leb 0 k then shift_up lo k else shift_down lo (- k))
  else 0.
Definition least_part (m : seq (seq interval)) : Z :=
  foldr (fun r least => foldr (fun I least => if is_zero I then least else Z.min (whole_part I) least) least r)
    (Z.shiftl 1 forty) m.
Definition factor_bits (least : Z) (I : interval) : Z :=
  Z.max Q (Z.min P (P + eight + Z.shiftr (three * Z.succ least) 1 - Z.shiftr (twenty_three * whole_part I) 4)).
Definition factor_table (drop : bool) (m : seq (seq interval)) : seq (seq interval) :=
  let least := if drop then least_part m else 0%Z in
  map_rows (fun I => if is_zero I then interval1 N
                     else iexp (if drop then factor_bits least I else P) (iopp I)) m.

(* From the margins against the references at the centre, the distances and the score gaps of these. *)
Definition view_at (drop : bool) (refs : seq nat) (m : seq (seq N)) (reach gaps : seq (seq interval)) (r : interval) :
    view :=
  let factors := by_counts D P (factor_table drop (ball_margins m reach r)) in
  let a := spread_column (imul P) [seq idiv P (interval1 N) z | z <- group_sums P factors] factors in
  let lost := group_sums P (combine_tables (imul P) a gaps) in
  let slopes := [seq slope_interval P l f | f <- combine_columns (isub P) (selected_scores D P refs) lost] in
  let shares := combine_tables (imul P) a (spread_column (fun x g => isub P g x) lost gaps) in
  let share := group_share D P in
  View reach a slopes shares (spread_column (imul P) [seq imul P share s | s <- slopes] shares).

Definition look (o : orbit) : view :=
  let refs := references o in
  view_at false refs (margins_of D refs (position o)) (distance_table D Q refs) (gap_table D P refs) (away o).

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
(* The loss above that of the best scores, as in AttentionIntervals.v; gaps and scores of these. *)
Definition gap_from (gaps : seq (seq interval)) (scores : seq interval) (O : Z) (v : view) : interval :=
  let lost := group_sums P (combine_tables (imul P) (view_attention v) gaps) in
  let share := group_share D O in
  isum O [seq imul O share e | e <- combine_columns (excess_interval O l) scores lost].
Definition best_gaps : seq (seq interval) := exact_table P (score_unit D) (gaps D best_picks).
Definition gap_of (O : Z) (v : view) : interval := gap_from best_gaps (selected_scores D O best_picks) O v.

(* A combination of the vectors Delta_t with coefficients that intervals enclose: a known one of their centres, its
   norm, and how far the others are from it at most. *)
Record velocity := Velocity {
  scale : Z;
  centres : seq (seq N);      (* over 2^-scale *)
  speed : interval;
  deviation : interval;
  velocity_rows : seq (seq N) (* the known one's matrix, over 2^-scale units *)
}.

Definition combination (refs : seq nat) (reach om : seq (seq interval)) : velocity :=
  let k := (top_exponent om - P)%Z in
  let cs := map_rows (centre k) om in
  let m := weights_matrix D refs cs in
  Velocity k cs (idiv P (isqrt P (dyadic (matrix_dot m m) (k + k))) (exactly units))
    (isum Q (group_sums Q (combine_tables (imul Q) (map_rows (fun I => dyadic (half_width k I) k) om) reach))) m.

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
Definition positive_part (I : interval) : interval :=
  if I is Between lo hi e then Between (greater zero lo) (greater zero hi) e else @Everything N.
Definition interval_magnitude (I : interval) : interval :=
  if I is Between lo hi e then
    if le zero lo then I else if le hi zero then iopp I else Between zero (greater (opp lo) hi) e
  else @Everything N.

Definition square_reaches : seq (seq interval) :=
  map_rows (fun I => imul P I I)
    (spread_column (iadd P) (group_sums P (products (view_attention v) (view_reaches v))) (view_reaches v)).
Definition curvatures : seq interval :=
  let share := group_share D P in [seq imul P share (curvature_interval s) | s <- view_slopes v].
Definition rising_from (squares : seq (seq interval)) : interval :=
  table_total (products (map_rows (fun I => positive_part (iopp I)) (view_omegas v)) squares).
Definition falling_from (squares : seq (seq interval)) : interval :=
  iadd P (table_total (products (map_rows positive_part (view_omegas v)) squares))
    (isum P (combine_columns (fun k r => imul P k (imul P r r)) curvatures
       (group_sums P (products (map_rows interval_magnitude (view_shares v)) (view_reaches v))))).
Definition rising_of : interval := rising_from square_reaches.
Definition falling_of : interval := falling_from square_reaches.

(* <Delta_t, V~> *)
Definition known_margins (refs : seq nat) (vel : velocity N) : seq (seq interval) :=
  let u := exactly (mul (units D) (units D)) in
  map_rows (fun a => idiv P (dyadic a (scale vel)) u) (margins_of D refs (velocity_rows vel)).

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

(* ---- what a rule multiplies the field by ---- *)

Section StepFactor.
Variables (N : number) (P : Z).
Notation interval := (interval N).

(* For all matrices of a ball: size is the step's, v the ball's velocity, excess_of what the view w says of the loss
   above its least value. *)
Definition step_factor_in (r : rule) (size : interval) (excess_of : view N -> interval) (w : view N) (v : velocity N) :
    interval :=
  match r with
  | GradientSteps => size
  | NormalisedSteps => idiv P size (ball_speed P v)
  | PolyakSteps => let n := ball_speed P v in idiv P (imul P size (excess_of w)) (imul P n n)
  end.

Lemma step_factor_in_contains (J : finType) (field : vec J -> vec J) (excess : vec J -> R) r eta t x size excess_of w
    v : contains size (eta t) -> contains (ball_speed P v) (vnorm (field x)) ->
  (r = PolyakSteps -> contains (excess_of w) (excess x)) ->
  contains (step_factor_in r size excess_of w v) (step_factor field excess r eta t x).
Proof.
move=> Hsize Hspeed; case: r => Hexcess; [exact: Hsize | exact: idiv_contains |].
by apply: idiv_contains; apply: imul_contains => //; exact: Hexcess.
Qed.
End StepFactor.

(* ---- one step ---- *)

(* Rules whose step is taken at the known V~, and whose growth of distances StepGrowth.v bounds by derivatives. The
   steps of others are taken with what multiplies them on the whole ball, and need nothing of their rule. *)
Definition by_derivatives (r : rule) : bool :=
  match r with GradientSteps | NormalisedSteps => true | _ => false end.

Section Advance.
Variables (N : number) (D : token_data N) (l : loss_name) (spec : specification N) (P F : Z).
Notation interval := (interval N).
Notation Q := radius_bits.
Notation eta := (eta spec P).

(* The known iterate alone. *)
Definition at_centre (o : orbit N) : orbit N := Orbit (position o) (interval0 N) (clock o) (references o).
Definition growth_bits : Z := 30.
Definition near_orbit (o : orbit N) : view N := look D l spec growth_bits F o.

Definition seen_orbit (o : orbit N) : orbit N := if by_derivatives (run_rule spec) then at_centre o else o.

Definition multiplier (k : N) (w : view N) (v : velocity N) : interval :=
  if run_rule spec is NormalisedSteps then idiv P (eta k) (speed v)
  else step_factor_in P (run_rule spec) (eta k) (gap_of D l P P) w v.

(* A bound of the distance after the step with tau V~ = v, and whether it may be used; `ball` is what is near o. *)
Definition distance_after (o : orbit N) (ball : view N) (v : velocity N) (tau : interval) : interval * bool :=
  let r := away o in
  let dev := deviation v in
  if by_derivatives (run_rule spec) then
    let squares := square_reaches Q ball in
    let up := upper_end (rising_from Q ball squares) in
    let down := upper_end (falling_from D l Q ball squares) in
    let k := imax Q (iadd Q (interval1 N) (imul Q tau up)) (isub Q (imul Q tau down) (interval1 N)) in
    if run_rule spec is GradientSteps then (iadd Q (imul Q k r) (imul Q tau dev), bounded up && bounded down)
    else
      let n := speed v in
      let turn := upper_end (turning_of D l growth_bits ball (references o) v) in
      let twist := idiv Q (imul Q tau turn) n in
      let q := iadd Q (imul Q (imax Q up down) r) dev in
      let bend := idiv Q (imul Q (imul Q (interval2 N) (eta (clock o))) (imul Q q q)) (imul Q n n) in
      (iadd Q (iadd Q (imul Q (iadd Q k twist) r) (imul Q tau dev)) bend,
       [&& bounded up, bounded down, bounded turn, is_positive n & certainly_le (imul Q (exactly (four N)) q) n])
  else (iadd Q r (imul Q tau dev), certainly_lt dev (speed v)).

(* What looking at an orbit's iterate needs of it, or of its references alone: these keep it as long as they stay. *)
Record sight := Sight {
  sight_logits : seq (seq N);
  sight_reaches : seq (seq interval);
  sight_gaps : seq (seq interval);
  near_gaps : seq (seq interval)       (* of growth_bits *)
}.

Definition sight_at (values : seq (seq N)) (refs : seq nat) : sight :=
  Sight values (distance_table D Q refs) (gap_table D P refs) (gap_table D growth_bits refs).
Definition sight_of (o : orbit N) : sight := sight_at (logit_rows D (position o)) (references o).
Definition next_sight (g : sight) (refs refs' : seq nat) (values : seq (seq N)) : sight :=
  if refs == refs' then Sight values (sight_reaches g) (sight_gaps g) (near_gaps g) else sight_at values refs'.

Definition look_with (drop : bool) (o : orbit N) (g : sight) : view N :=
  view_at D l spec P F drop (references o) (margins_from (references o) (sight_logits g)) (sight_reaches g)
    (sight_gaps g) (away o).
Definition near_with (o : orbit N) (g : sight) : view N :=
  view_at D l spec growth_bits F false (references o) (margins_from (references o) (sight_logits g)) (sight_reaches g)
    (near_gaps g) (away o).

(* a 2^s, rounded downwards. *)
Definition shifted (a : N) (s : Z) : N := if Z.leb 0 s then shift_up a s else shift_down a (- s).
Definition moved_rows (c : N) (s : Z) (m v : seq (seq N)) : seq (seq N) :=
  [seq [seq add ab.1 (shifted (mul c ab.2) s) | ab <- zip rows.1 rows.2] | rows <- zip m v].

(* A step along the known velocity by the lower end of tau, every entry rounded downwards. *)
Definition advance_with (o : orbit N) (ball : view N) (g : sight) : option (orbit N * sight) :=
  let refs := references o in
  let w := look_with true (seen_orbit o) g in
  let vel := velocity_of D P refs w in
  let tau := multiplier (clock o) w vel in
  let after := distance_after o ball vel tau in
  if tau is Between lo hi f then
    if [&& le zero lo, all_bounded (view_omegas w) & after.2] then
      let next := moved_rows (mul (start_unit spec) lo) (f + scale vel + F) (position o) (velocity_rows vel) in
      let entries := of_natural N (left_dimension D * right_dimension D) in
      let rounding := iadd Q (imul Q (dyadic (sub hi lo) f) (speed vel))
                             (idiv Q (isqrt Q (exactly entries)) (exactly (position_unit D spec F))) in
      let values := logit_rows D next in
      let refs' := leaders refs values in
      Some (Orbit next (upper_end (iadd Q after.1 rounding)) (add (clock o) one) refs', next_sight g refs refs' values)
    else None
  else None.

Definition advance (o : orbit N) (ball : view N) : option (orbit N) :=
  omap fst (advance_with o ball (sight_of o)).

Lemma margins_of_sight o : margins_from (references o) (sight_logits (sight_of o)) =
  margins_of D (references o) (position o).
Proof. exact: margins_from_logits. Qed.

Lemma look_with_sight o : look_with false o (sight_of o) = look D l spec P F o.
Proof. by rewrite /look_with margins_of_sight. Qed.
Lemma near_with_sight o : near_with o (sight_of o) = near_orbit o.
Proof. by rewrite /near_with margins_of_sight. Qed.

Lemma next_sight_is o o' refs values : refs = references o -> values = logit_rows D (position o') ->
  next_sight (sight_of o) refs (references o') values = sight_of o'.
Proof. by move=> -> ->; rewrite /next_sight; case: eqP => // E; rewrite /sight_of /sight_at -E. Qed.

Lemma advance_with_sight o ball next : advance_with o ball (sight_of o) = Some next ->
  advance o ball = Some next.1 /\ next.2 = sight_of next.1.
Proof.
rewrite /advance => E; rewrite E; split; first by [].
move: E; rewrite /advance_with; case: (multiplier _ _ _) => [|lo hi f]; first by [].
case: ifP => _; last by [].
by move/(@Some_inj _) <-; exact (@next_sight_is o (Orbit _ _ _ _) _ _ erefl erefl).
Qed.
End Advance.
