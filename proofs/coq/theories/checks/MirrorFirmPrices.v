(* MirrorFirmPrices: what a step's own curvature costs on a piece of heights, for P > 2, in intervals, and T17's
   conditions at all heights (MIRROR.md section 13). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm PowerInequalities UniformConvexity Direction
                           Growth Gibbs FactorRange Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary NormChecks NormDistanceChecks IntervalTables AttentionIntervals
                           ReferenceIntervals Replay ForeverChecks LocalFactors Mirror PowerGap MirrorRay MirrorMoves
                           MirrorCurve MirrorEntries MirrorBend MirrorLoose MirrorFirm MirrorSolid MirrorRegion
                           MirrorRun MirrorSteep MirrorHeights MirrorPieces MirrorPiecesAboveTwo MirrorCosts
                           PowerIntervals MirrorReplay MirrorRunChecks MirrorFactors MirrorTables MirrorSetting
                           MirrorMethods MirrorFirmChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section Prices.
Variables (N : number) (D : token_data N) (P : Z) (a c : positive) (s : mirror_setting N).
Notation interval := (interval N).
Notation table := (seq (seq interval)).
Let d := left_dimension D.
Let e := right_dimension D.
Notation vector := (vec (coord (problem D))).
Implicit Types (t : token (problem D)) (I J Y : interval) (ray m : table).
Notation over := (over N P).
Notation iabs := (iabs P).
Notation two_less := (two_less P a c).
Notation q1_in := (q1_in N P a c).
Notation square_sum_in := (square_sum_in P).
Notation unit_at := (unit_at s).
Notation least_at := (least_at P).

(* ---- computed ---- *)

Definition half_point : interval := dyadic one (- 1).
(* 2^(2-q) and c_q, and d_theta of Lemma 6 for theta = 1/2 *)
Definition doubled_in : interval := power_to P (Zpos a - 2 * Zpos c) (a - c) (interval2 N).
Definition rough_in : interval := idiv P doubled_in (over a (a - c)).
Definition shrunk_in : interval :=
  isub P (isub P (idiv P (interval1 N) (over a c)) (idiv P (imagnitude P a c half_point) (over a c)))
    (imul P (imagnitude P (a - c) c half_point) (isub P (interval1 N) half_point)).

(* At least each entry's size in the rows of a mask; and what a step may move an entry for each unit of weight. *)
Definition row_sizes (mask : seq (seq bool)) : table := matrix_of D (fun j k =>
  table_largest P (within mask (interval0 N) (map_rows (fun m => iabs (entry_of m j k)) (in_rows s)))).
Variables (inside outside : table).
Definition most_in (rho : interval) : table := combine_tables (fun I J => iadd P I (imul P rho J)) inside outside.

(* A step across the zeros of all entries. *)
Definition worst_in (rho length : interval) : interval :=
  let curve := imul P rough_in (imagnitude P c (a - c) length) in
  imin P (plain_in P s curve rho) (fine_in P s curve rho).

(* Lemma 6: what an entry asks of Lambda, and whether it is solid where Lambda E may be that share. *)
Definition paid_in (size : interval) : interval := imul P shrunk_in (imagnitude P a c size).
Definition asked_in (grown moved size : interval) : interval :=
  idiv P (imul P rough_in (imul P grown (imagnitude P a (a - c) moved))) (paid_in size).
Definition solid_at energy share weight grown (least moved size : interval) : bool :=
  [&& is_positive least, is_positive (paid_in size),
      certainly_le (imul P (asked_in grown moved size) energy) share &
      certainly_le (imul P (interval2 N) (imul P weight moved)) (imagnitude P (a - c) c (imul P half_point size))].
Definition stiffness_in (size : interval) : interval :=
  imul P (idiv P q1_in (interval2 N)) (imul P (two_less (imul P half_point size))
    (idiv P (iadd P (interval2 N) doubled_in) (over 3 1))).

Definition is_marked (marks : table) j k : bool := is_positive (entry_of marks j k).
Definition ray_size_in ray Y j k : interval := imul P Y (least_at ray j k).
Definition solid_marks energy share weight grown (most : table) ray Y : table := matrix_of D (fun j k =>
  if solid_at energy share weight grown (least_at ray j k) (entry_of most j k) (ray_size_in ray Y j k) then interval1 N
  else interval0 N).
Definition where_marked (marks : table) (g : nat -> nat -> interval) : table :=
  matrix_of D (fun j k => if is_marked marks j k then g j k else interval0 N).
Definition where_not (marks m : table) : table :=
  matrix_of D (fun j k => if is_marked marks j k then interval0 N else entry_of m j k).
Definition weighted_in (stiff m : table) : interval := isqrt P (square_sum_in stiff m).

Definition firm_cost energy ray Y rho length weight : interval :=
  let worst := worst_in rho length in
  let most := most_in rho in
  let grown := imagnitude P c (a - c) weight in
  let marks := solid_marks energy (idiv P worst (from_positive N 8)) weight grown most ray Y in
  let stiff := where_marked marks (fun j k => stiffness_in (ray_size_in ray Y j k)) in
  let left := where_not marks most in
  let rest := imin P (imul P (imagnitude P c (a - c) length) (power_norm P a (a - c) left))
    (imul P grown (matrix_sum P (map_rows (imagnitude P a (a - c)) left))) in
  let lambda := matrix_largest P (where_marked marks (fun j k =>
    asked_in grown (entry_of most j k) (ray_size_in ray Y j k))) in
  let outer := table_largest P (within (in_better s) (interval0 N) (map_rows (weighted_in stiff) (in_rows s))) in
  let width := table_largest P (within (in_kept s) (interval0 N)
    (map_rows (fun m => imul P (interval2 N) (weighted_in stiff m)) (in_apart s))) in
  let mean := iadd P (imul P (in_margin s) (weighted_in stiff (in_normal s))) (imul P rho outer) in
  let narrow := imul P weight (imul P width width) in
  if certainly_lt narrow (interval2 N) then
    imin P worst (iadd P (iadd P (imul P lambda energy) (idiv P (imul P weight (imul P mean mean))
      (isub P (interval1 N) (idiv P narrow (interval2 N))))) (imul P rough_in rest))
  else worst.

(* ---- soundness ---- *)

Hypothesis ca : (c < a)%positive.
Notation two_less_contains := (two_less_contains P a c).
Notation over_contains := (over_contains N P).
Notation iabs_contains := (iabs_contains P).
Let p := exponent a c.
Let q := exponent a (a - c).
Let p1 : 1 < p := exponent_gt1 ca.
Let conj : / p + / q = 1 := exponent_conjugate ca.
Let q1 : 1 < q := conjugate_gt1 p1 conj.
Notation rough := (abs_power 2 (2 - q) / q).

Let q_less : exponent c (a - c) = q - 1. Proof. by rewrite /q (dual_power ca). Qed.
Let p_less : exponent (a - c) c = p - 1. Proof. by rewrite /p (primal_power ca). Qed.

Lemma half_point_contains : contains half_point (/ 2).
Proof. exact: half_contains. Qed.

Lemma doubled_contains : contains doubled_in (abs_power 2 (2 - q)).
Proof.
have -> : 2 - q = quotient (Zpos a - 2 * Zpos c) (a - c); last by apply: power_to_contains; exact: contains2.
rewrite /quotient minus_IZR mult_IZR /q /exponent; have := positive_gt0 (a - c) => d0.
have dE : IZR (Zpos (a - c)) = IZR (Zpos a) - IZR (Zpos c) by rewrite Pos2Z.inj_sub // minus_IZR.
by rewrite dE in d0 *; field; lra.
Qed.

Lemma rough_contains : contains rough_in rough.
Proof. by apply: idiv_contains doubled_contains _; exact: over_contains. Qed.

Lemma shrunk_contains : contains shrunk_in (shrunk_gap p (/ 2)).
Proof.
have -> : shrunk_gap p (/ 2) = 1 / p - abs_power (/ 2) p / p - abs_power (/ 2) (p - 1) * (1 - / 2).
  by rewrite /shrunk_gap /power_gap abs_power_one (signed_power_ge0 _ (ltac:(lra) : 0 <= / 2)).
have h := half_point_contains.
apply: isub_contains.
  by apply: isub_contains; apply: idiv_contains (over_contains _ _); [exact: contains1 | exact: imagnitude_contains].
apply: imul_contains; first by rewrite -p_less; exact: imagnitude_contains.
by apply: isub_contains => //; exact: contains1.
Qed.

Lemma paid_contains I x : contains I x -> contains (paid_in I) (shrunk_gap p (/ 2) * abs_power x p).
Proof. by move=> H; apply: imul_contains shrunk_contains _; exact: imagnitude_contains. Qed.

Lemma asked_contains G J I g y x : contains G g -> contains J y -> contains I x -> contains (asked_in G J I)
  (rough * (g * abs_power y q) / (shrunk_gap p (/ 2) * abs_power x p)).
Proof.
move=> HG HJ HI; apply: idiv_contains; last exact: paid_contains.
by apply: imul_contains rough_contains _; apply: imul_contains => //; exact: imagnitude_contains.
Qed.

Lemma stiffness_contains I x : contains I x -> contains (stiffness_in I)
  ((q - 1) / 2 * (abs_power (/ 2 * x) (2 - p) * ((2 + abs_power 2 (2 - q)) / 3))).
Proof.
move=> H; apply: imul_contains.
  by apply: idiv_contains; [exact: q1_contains | exact: contains2].
apply: imul_contains.
  by apply: two_less_contains; apply: imul_contains H; exact: half_point_contains.
apply: idiv_contains; first by apply: iadd_contains doubled_contains; exact: contains2.
have -> : 3 = exponent 3 1 by rewrite /exponent; field.
exact: over_contains.
Qed.

Lemma is_marked_in (g : nat -> nat -> bool) (jk : coord (problem D)) :
  is_marked (matrix_of D (fun j k => if g j k then interval1 N else interval0 N)) jk.1 jk.2 -> g jk.1 jk.2.
Proof.
case: jk => j k; rewrite /is_marked /entry_of /matrix_of.
rewrite (nth_map 0%nat) ?size_iota // (nth_map 0%nat) ?size_iota // !nth_iota // !add0n /=.
by case: (g j k) => // /(is_positive_real (contains0 N)); lra.
Qed.

Lemma where_marked_encloses marks (g : nat -> nat -> interval) (w : vector) :
  (forall jk : coord (problem D), is_marked marks jk.1 jk.2 -> contains (g jk.1 jk.2) (w jk)) ->
  matrix_encloses (where_marked marks g) (fun jk : coord (problem D) => if is_marked marks jk.1 jk.2 then w jk else 0).
Proof.
move=> H; apply: matrix_of_encloses => j k; rewrite /=; case: ifP => it; last exact: contains0.
exact: (H (j, k)).
Qed.

Lemma where_not_encloses marks m (w : vector) : matrix_encloses m w ->
  matrix_encloses (where_not marks m) (loose_part (fun jk : coord (problem D) => is_marked marks jk.1 jk.2) w).
Proof.
case=> _ H; apply: matrix_of_encloses => j k; rewrite /loose_part /=; case: ifP => _; first exact: contains0.
exact: H.
Qed.

Lemma weighted_contains stiff m (kj w : vector) : matrix_encloses stiff kj -> matrix_encloses m w ->
  contains (weighted_in stiff m) (weighted_size kj w).
Proof.
move=> Hk Hm; apply: isqrt_contains; rewrite (_ : \sum_jk _ = square_sum kj w).
  exact: square_sum_contains.
by apply: eq_bigr => jk _; ring.
Qed.

Variables (Q : pred (token (problem D))) (Delta : token (problem D) -> vector) (u v : vector) (gamma : R).
Variables (mu : token (problem D) -> R) (b : vector -> token (problem D) -> R) (f : factor_bounds (token (problem D))).
Variables (beta K C0 G longest spread lost eta h0 : R) (low : token (problem D) -> R).
Notation n := (mirror p u).
Hypothesis dir : mirror_direction Q Delta p u gamma mu.
Hypothesis setting : setting_encloses a c s Q (factor_kept f) Delta u v gamma beta K C0 G longest spread lost eta
  (most_total f low) low (factor_size f).

Definition largest_within : vector := fun jk =>
  token_largest (fun t => if factor_kept f t then Rabs (Delta t jk) else 0).
Definition largest_beyond : vector := fun jk =>
  token_largest (fun t => if Q t && ~~ factor_kept f t then Rabs (Delta t jk) else 0).

Lemma row_sizes_enclose mask (F : pred (token (problem D))) : fits D mask -> (forall t, in_mask mask t = F t) ->
  matrix_encloses (row_sizes mask) (fun jk => token_largest (fun t => if F t then Rabs (Delta t jk) else 0)).
Proof.
move=> fm are; apply: matrix_of_encloses => j k; apply: token_largest_contains.
have [fa Ha] : encloses (map_rows (fun m => iabs (entry_of m j k)) (in_rows s)) (fun t => Rabs (Delta t (j, k))).
  apply: (encloses_map (e0 := [::])) => [|t]; first exact: rows_fit setting.
  by apply: iabs_contains; have [_ H] := rows_enclose setting t; exact: H.
have [fw H] := within_encloses fm (contains0 N) fa (fun t _ => Ha t); split=> // t.
by have := H t; rewrite are.
Qed.

Hypotheses (inside_encloses : matrix_encloses inside largest_within)
  (outside_encloses : matrix_encloses outside largest_beyond).

Variables (first : R) (heights slopes : seq (fraction N)).
Let K_ := size heights.
Notation Y := (height_at heights first).
Notation m := (slope_real slopes).
Notation piece := (mirror_piece (token (problem D))).
Notation priced share steep k d_ w := (priced_above_two Q Delta p q u v gamma f K_ Y m share steep longest spread
  largest_within largest_beyond k d_ w).

Section Cost.
Variables (share steep : R) (k : nat) (ray : table) (EI YI rhoI lI wI : interval) (rho len w : R).
Hypothesis rays : forall y, in_piece K_ Y k y -> matrix_encloses ray (unit_ray u v y).
Hypotheses (HE : contains EI (energy_at p u v K_ Y m share steep k)) (HY : contains YI (Y k)).
Hypotheses (Hrho : contains rhoI rho) (rho0 : 0 <= rho) (Hl : contains lI len) (Hw : contains wI w).

Definition most_moved : vector := fun jk => largest_within jk + rho * largest_beyond jk.
Notation worst_real := (let x := rough * abs_power len (q - 1) in
  Rmin (plain_cost longest x rho) (fine_cost gamma longest spread x rho)).
Let most := most_in rhoI.
Let grown := imagnitude P c (a - c) wI.
Let marks := solid_marks EI (idiv P (worst_in rhoI lI) (from_positive N 8)) wI grown most ray YI.
Definition is_solid : pred (coord (problem D)) := fun jk => is_marked marks jk.1 jk.2.
Definition ray_least : vector := fun jk => lower (iabs (entry_of ray jk.1 jk.2)).
Definition asked_of (jk : coord (problem D)) : R :=
  rough * (abs_power w (q - 1) * abs_power (most_moved jk) q) / (shrunk_gap p (/ 2) * abs_power (Y k * ray_least jk) p).
Definition stiffness : vector := fun jk =>
  if is_solid jk then solid_weight p q (fun jk => Y k * ray_least jk) (/ 2) jk else 0.
Definition lambda_of : R := vector_largest (fun jk => if is_solid jk then asked_of jk else 0).
Definition rest_of : R := Rmin (abs_power len (q - 1) * lp_norm q (loose_part is_solid most_moved))
  (abs_power w (q - 1) * lp_sum q (loose_part is_solid most_moved)).
Definition outer_of : R :=
  token_largest (fun t => if Q t && ~~ factor_kept f t then weighted_size stiffness (Delta t) else 0).
Definition width_of : R :=
  token_largest (fun t => if factor_kept f t then 2 * weighted_size stiffness (Delta t - gamma * n)%V else 0).
Definition mean_of : R := gamma * weighted_size stiffness n + rho * outer_of.

Lemma worst_contains : contains (worst_in rhoI lI) worst_real.
Proof.
have x : contains (imul P rough_in (imagnitude P c (a - c) lI)) (rough * abs_power len (q - 1)).
  by apply: imul_contains rough_contains _; rewrite -q_less; exact: imagnitude_contains.
exact (imin_contains P (plain_contains P setting x Hrho) (fine_contains P setting x Hrho)).
Qed.

Let moved_encloses : matrix_encloses most most_moved.
Proof.
apply: (matrix_combine_encloses inside_encloses outside_encloses) => jk I J HI HJ.
by apply: iadd_contains => //; exact: imul_contains.
Qed.

Let grown_contains : contains grown (abs_power w (q - 1)).
Proof. by rewrite -q_less; exact: imagnitude_contains. Qed.

Let least_contains (jk : coord (problem D)) : contains (least_at ray jk.1 jk.2) (ray_least jk).
Proof. exact: lower_end_contains. Qed.

Let size_contains (jk : coord (problem D)) : contains (ray_size_in ray YI jk.1 jk.2) (Y k * ray_least jk).
Proof. exact: imul_contains HY (least_contains jk). Qed.

Let moved_contains (jk : coord (problem D)) : contains (entry_of most jk.1 jk.2) (most_moved jk).
Proof. by case: jk => j l; case: moved_encloses. Qed.

Lemma solid_entry_ok (jk : coord (problem D)) : is_solid jk ->
  [/\ is_positive (least_at ray jk.1 jk.2), 0 < ray_least jk,
    0 < shrunk_gap p (/ 2) * abs_power (Y k * ray_least jk) p &
    2 * (w * most_moved jk) <= abs_power (/ 2 * (Y k * ray_least jk)) (p - 1)].
Proof.
move/(is_marked_in (g := fun j l => solid_at _ _ _ _ (least_at ray j l) (entry_of most j l) (ray_size_in ray YI j l))).
case/and4P=> pos paid _ steep_; split=> //.
- exact: is_positive_real (least_contains jk) pos.
- exact: is_positive_real (paid_contains (size_contains jk)) paid.
apply: certainly_le_real steep_.
  by apply: imul_contains; [exact: contains2 | apply: imul_contains => //; exact: moved_contains].
rewrite -p_less; apply: imagnitude_contains; apply: imul_contains (size_contains jk); exact: half_point_contains.
Qed.

Lemma stiffness_encloses :
  matrix_encloses (where_marked marks (fun j l => stiffness_in (ray_size_in ray YI j l))) stiffness.
Proof.
apply: (where_marked_encloses (w := fun jk => solid_weight p q (fun jk => Y k * ray_least jk) (/ 2) jk)) => jk _.
exact: stiffness_contains (size_contains jk).
Qed.

Lemma stiffness_ge0 jk : 0 <= stiffness jk.
Proof.
rewrite /stiffness; case: ifP => _; last by right.
apply: Rmult_le_pos; first lra.
apply: Rmult_le_pos; first exact: abs_power_ge0.
by have := abs_power_ge0 2 (2 - q); lra.
Qed.

Lemma lambda_contains : contains (matrix_largest P (where_marked marks (fun j l =>
  asked_in grown (entry_of most j l) (ray_size_in ray YI j l)))) lambda_of.
Proof.
apply: matrix_largest_contains; apply: (where_marked_encloses (w := asked_of)) => jk _.
exact: asked_contains grown_contains (moved_contains jk) (size_contains jk).
Qed.

Lemma rest_contains : let left := where_not marks most in
  contains (imin P (imul P (imagnitude P c (a - c) lI) (power_norm P a (a - c) left))
    (imul P grown (matrix_sum P (map_rows (imagnitude P a (a - c)) left)))) rest_of.
Proof.
move=> left.
have Hleft : matrix_encloses left (loose_part is_solid most_moved) := where_not_encloses marks moved_encloses.
apply: imin_contains.
  apply: imul_contains; first by rewrite -q_less; exact: imagnitude_contains.
  exact: power_norm_contains.
apply: imul_contains grown_contains _; apply: (@matrix_sum_contains N D P _ (fun jk =>
  abs_power (loose_part is_solid most_moved jk) q)).
by apply: (matrix_map_encloses Hleft) => jk I; exact: imagnitude_contains.
Qed.

Notation stiff := (where_marked marks (fun j l => stiffness_in (ray_size_in ray YI j l))).

Lemma outer_contains : contains (table_largest P (within (in_better s) (interval0 N)
  (map_rows (weighted_in stiff) (in_rows s)))) outer_of.
Proof.
have [fa Ha] : encloses (map_rows (weighted_in stiff) (in_rows s)) (fun t => weighted_size stiffness (Delta t)).
  apply: (encloses_map (e0 := [::])) => [|t]; first exact: rows_fit setting.
  exact: weighted_contains stiffness_encloses (rows_enclose setting t).
apply: token_largest_contains.
have [fw H] := within_encloses (better_fits setting) (contains0 N) fa (fun t _ => Ha t); split=> // t.
by have := H t; rewrite (better_are setting).
Qed.

Lemma width_contains : contains (table_largest P (within (in_kept s) (interval0 N)
  (map_rows (fun m => imul P (interval2 N) (weighted_in stiff m)) (in_apart s)))) width_of.
Proof.
have [fa Ha] : encloses (map_rows (fun m => imul P (interval2 N) (weighted_in stiff m)) (in_apart s))
    (fun t => 2 * weighted_size stiffness (Delta t - gamma * n)%V).
  apply: (encloses_map (e0 := [::])) => [|t]; first exact: apart_fits setting.
  apply: imul_contains; first exact: contains2.
  exact: weighted_contains stiffness_encloses (apart_encloses setting t).
apply: token_largest_contains.
have [fw H] := within_encloses (kept_fits setting) (contains0 N) fa (fun t _ => Ha t); split=> // t.
by have := H t; rewrite (kept_are setting).
Qed.

Lemma firm_cost_sound : exists2 x, contains (firm_cost EI ray YI rhoI lI wI) x &
  forall d_ : piece, piece_length d_ = len -> piece_ratio d_ = rho -> piece_cost d_ = x ->
    priced share steep k d_ w.
Proof.
have worst := worst_contains; cbv zeta in worst.
set x := rough * abs_power len (q - 1) in worst; set plain := plain_cost longest x rho in worst.
set fine := fine_cost gamma longest spread x rho in worst.
have by_worst d_ : piece_length d_ = len -> piece_ratio d_ = rho -> Rmin plain fine <= piece_cost d_ ->
    priced share steep k d_ w.
  move=> lE rE; rewrite /priced_above_two lE rE -/x => le.
  case: (Rle_lt_dec plain fine) => h.
    by apply: Or31; apply: Rle_trans le; rewrite Rmin_left //; right.
  by apply: Or32; apply: Rle_trans le; rewrite Rmin_right; [right | lra].
rewrite /firm_cost; cbv zeta; rewrite -/most -/grown -/marks; case: ifP => [narrow | _]; last first.
  by exists (Rmin plain fine) => // d_ lE rE cE; apply: by_worst => //; rewrite cE; right.
have wc := imul_contains P Hw (imul_contains P width_contains width_contains).
have small : w * (width_of * width_of) < 2 := certainly_lt_real wc (contains2 N) narrow.
have mean : contains _ mean_of := iadd_contains P (imul_contains P (margin_contains setting)
  (weighted_contains stiffness_encloses (normal_encloses setting))) (imul_contains P Hrho outer_contains).
pose total := lambda_of * energy_at p u v K_ Y m share steep k +
  w * (mean_of * mean_of) / (1 - w * (width_of * width_of) / 2) + rough * rest_of.
exists (Rmin (Rmin plain fine) total).
  apply: imin_contains => //; apply: iadd_contains; last by apply: imul_contains rough_contains _; exact: rest_contains.
  apply: iadd_contains; first by apply: imul_contains HE; exact: lambda_contains.
  apply: idiv_contains.
    by apply: imul_contains => //; exact: imul_contains.
  by apply: isub_contains; [exact: contains1 | apply: idiv_contains => //; exact: contains2].
move=> d_ lE rE cE; case: (Rle_lt_dec (Rmin plain fine) total) => h.
  by apply: by_worst => //; rewrite cE (Rmin_left _ _ h); right.
have outer0 : 0 <= outer_of := token_largest_ge0 _.
have g0 := mirror_margin_gt0 dir.
apply: Or33; exists ray_least, stiffness, is_solid, lambda_of, rest_of, mean_of, width_of, outer_of.
have mostE jk : most_entry largest_within largest_beyond d_ jk = most_moved jk by rewrite /most_entry rE.
have leftE : loose_part is_solid (most_entry largest_within largest_beyond d_) = loose_part is_solid most_moved.
  by apply: vec_ext => jk; rewrite /loose_part mostE.
split=> //.
- move=> y jk yk solid; have [pos _ _ _] := solid_entry_ok solid; apply: lower_le pos; apply: iabs_contains.
  by case: (jk) => j l; case: (rays yk).
- exact: vector_largest_ge0.
- move=> jk solid; have [_ A0 paid steep_] := solid_entry_ok solid; split=> //; rewrite ?mostE //.
    have le := vector_largest_ge (fun jk => if is_solid jk then asked_of jk else 0) jk; rewrite solid in le.
    have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ paid) le; rewrite {1}/asked_of.
    by rewrite /Rdiv (Rmult_assoc _ (/ (_ * _))) Rinv_l ?Rmult_1_r //; lra.
  by rewrite /stiffness solid; right.
- exact: stiffness_ge0.
- rewrite lE leftE.
  have -> : \sum_(jk | ~~ is_solid jk) abs_power (most_entry largest_within largest_beyond d_ jk) q =
      lp_sum q (loose_part is_solid most_moved).
    rewrite /lp_sum big_mkcond; apply: eq_bigr => jk _; rewrite /loose_part mostE.
    by case: (is_solid jk); rewrite ?abs_power0.
  rewrite /rest_of; set one_ := _ * lp_norm _ _; set other := _ * lp_sum _ _.
  by case: (Rle_lt_dec one_ other) => le; [left; rewrite Rmin_left | right; rewrite Rmin_right]; lra.
- split; first by rewrite rE; right.
  apply: Rplus_le_le_0_compat; last exact: Rmult_le_pos.
  by apply: Rmult_le_pos; [lra | exact: sqrt_pos].
- move=> t kt; have := token_largest_ge
    (fun t => if factor_kept f t then 2 * weighted_size stiffness (Delta t - gamma * n)%V else 0) t.
  by rewrite kt.
- move=> t Qt Nt; have := token_largest_ge
    (fun t => if Q t && ~~ factor_kept f t then weighted_size stiffness (Delta t) else 0) t.
  by rewrite Qt Nt.
by rewrite cE (@Rmin_right (Rmin plain fine)); [right | lra].
Qed.
End Cost.
End Prices.
