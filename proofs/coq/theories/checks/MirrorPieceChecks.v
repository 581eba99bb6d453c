(* MirrorPieceChecks: T17's conditions on one piece of heights (MIRROR.md section 11, MirrorPieces.v), P <= 2, computed
   in intervals from enclosures of the direction u, its normal n, the offset v and what stays the same from piece to
   piece. Each real number that a piece has is a formula of others, or the upper end of an interval. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm PowerInequalities UniformConvexity Direction
                           Growth Gibbs FactorRange Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary NormChecks NormDistanceChecks IntervalTables AttentionIntervals
                           ReferenceIntervals Replay ForeverChecks LocalFactors Mirror PowerGap MirrorRay MirrorMoves
                           MirrorCurve MirrorEntries MirrorBend MirrorRegion MirrorHeights MirrorPieces PowerIntervals
                           MirrorReplay MirrorRunChecks MirrorFactors.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

(* ---- powers of any sign ---- *)

Section Powers.
Variables (N : number) (P : Z).
Notation interval := (interval N).

Definition quotient (n : Z) (d : positive) : R := IZR n / IZR (Zpos d).

(* |x|^(n/d) *)
Definition power_to (n : Z) (d : positive) (I : interval) : interval :=
  match n with
  | Z0 => if is_positive (imax P I (iopp I)) then interval1 N else hull (interval0 N) (interval1 N)
  | Zpos k => imagnitude P k d I
  | Zneg k => let J := imagnitude P k d I in if is_positive J then idiv P (interval1 N) J else Everything N
  end.

Lemma abs_power_zero x : x <> 0 -> abs_power x 0 = 1.
Proof. by move=> ne; rewrite -abs_power_abs abs_power_pos ?Rpower_O //; exact: Rabs_pos_lt. Qed.

Lemma power_to_contains n d I x : contains I x -> contains (power_to n d I) (abs_power x (quotient n d)).
Proof.
move=> H; case: n => [|k|k]; rewrite /power_to /quotient.
- rewrite /Rdiv Rmult_0_l; case: ifP => [/(is_positive_real (imax_contains P H (iopp_contains H))) x0 | _].
    rewrite abs_power_zero; first exact: contains1.
    by move=> E; move: x0; rewrite E Ropp_0 Rmax_left; lra.
  apply: (hull_contains (contains0 N) (contains1 N)); case: (Req_EM_T x 0) => [-> | ne].
    by rewrite abs_power0; lra.
  by rewrite abs_power_zero //; lra.
- exact: imagnitude_contains.
have J := imagnitude_contains P k d H; case: ifP => // /(is_positive_real J) j0.
have x0 : x <> 0 by move=> E; move: j0; rewrite E abs_power0; lra.
have -> : abs_power x (IZR (Zneg k) / IZR (Zpos d)) = 1 / abs_power x (exponent k d); last first.
  by apply: idiv_contains => //; exact: contains1.
have e : IZR (Zneg k) / IZR (Zpos d) = - exponent k d.
  by rewrite /exponent -[Zneg k]/(Z.opp (Zpos k)) opp_IZR; rewrite /Rdiv; ring.
have one := @abs_power_opp (Rabs x) (exponent k d) (Rabs_pos_lt _ x0); rewrite !abs_power_abs in one.
by rewrite e; apply: (Rmult_eq_reg_r (abs_power x (exponent k d))); [rewrite one; field; lra | lra].
Qed.
End Powers.

(* ---- largest numbers_at of lists ---- *)

Lemma list_largest_contains (N : number) (P : Z) (r : seq (interval N)) n (F : 'I_n -> R) : size r = n ->
  (forall j : 'I_n, contains (nth (Everything N) r j) (F j)) ->
  contains (column_largest P r) (\big[Rmax/0]_(j < n) F j).
Proof.
elim: r n F => [|I r IH] [|n] F //= E H; first by rewrite big_ord0; exact: contains0.
rewrite big_ord_recl; apply: imax_contains; first exact: (H ord0).
by apply: IH => [|j]; [case: E | exact: (H (lift ord0 j))].
Qed.

Section Tabulated.
Variables (N : number) (D : token_data N) (P : Z).
Notation interval := (interval N).
Notation anything := (@Everything N).
Let d := left_dimension D.
Let e := right_dimension D.
Notation vector := (vec (coord (problem D))).

Definition matrix_of (g : nat -> nat -> interval) : seq (seq interval) :=
  [seq [seq g j k | k <- seq.iota 0 e] | j <- seq.iota 0 d].

Lemma matrix_of_encloses (g : nat -> nat -> interval) (w : vector) :
  (forall (j : 'I_d) (k : 'I_e), contains (g j k) (w (j, k))) ->
  matrix_encloses (matrix_of g) w.
Proof.
move=> H; split.
  rewrite /matrix_fits size_map size_iota eqxx; apply/(all_nthP [::]) => j; rewrite size_map size_iota => jl.
  by rewrite (nth_map 0%nat) ?size_iota // size_map size_iota.
by move=> j k; rewrite /entry_of (nth_map 0%nat) ?size_iota // (nth_map 0%nat) ?size_iota // !nth_iota // !add0n.
Qed.

Definition vector_largest (w : vector) : R := \big[Rmax/0]_(j < d) \big[Rmax/0]_(k < e) w (j, k).
Definition matrix_largest (m : seq (seq interval)) : interval := column_largest P [seq column_largest P r | r <- m].

Lemma matrix_largest_contains (m : seq (seq interval)) (w : vector) : matrix_encloses m w ->
  contains (matrix_largest m) (vector_largest w).
Proof.
case=> fm Hm; have [/eqP sm _] := andP fm; apply: list_largest_contains => [|j]; first by rewrite size_map.
rewrite (nth_map [::]) ?sm //; apply: list_largest_contains => [|k]; first exact: matrix_row.
exact: Hm.
Qed.

Lemma vector_largest_ge0 (w : vector) : 0 <= vector_largest w.
Proof. exact: big_Rmax_ge0. Qed.

Lemma vector_largest_ge (w : vector) jk : w jk <= vector_largest w.
Proof.
case: jk => j k; apply: (Rle_trans _ (\big[Rmax/0]_(k < e) w (j, k))); first exact: big_Rmax_ge (fun k => w (j, k)) k.
exact: big_Rmax_ge (fun j => \big[Rmax/0]_(k < e) w (j, k)) j.
Qed.

Implicit Types F : token (problem D) -> R.
Definition token_largest F : R := \big[Rmax/0]_(i < size (sequences D)) group_largest F (i : data_group D).

Lemma token_largest_contains m F : encloses m F -> contains (table_largest P m) (token_largest F).
Proof.
move=> /(rows_largest_enclose P)[sr H]; apply: list_largest_contains => //.
Qed.

Lemma token_largest_ge0 F : 0 <= token_largest F.
Proof. exact: big_Rmax_ge0. Qed.

Lemma token_largest_ge F t : F t <= token_largest F.
Proof.
apply: Rle_trans (group_largest_ge F t) _.
exact: (big_Rmax_ge (fun i : 'I_(size (sequences D)) => group_largest F (i : data_group D))
  (group_of t : 'I_(size (sequences D)))).
Qed.
End Tabulated.

(* ---- one piece ---- *)

Section Piece.
Variables (N : number) (D : token_data N) (P : Z) (a c : positive).
Notation interval := (interval N).
Notation anything := (@Everything N).
Let d := left_dimension D.
Let e := right_dimension D.
Notation vector := (vec (coord (problem D))).
Implicit Types (t : token (problem D)) (I J Y : interval).

(* What stays the same: u, n, v; <Delta_c,u>, <Delta_c,v>; the rows; gamma, B, K. *)
Record mirror_setting := MirrorSetting {
  in_unit : seq (seq interval); in_normal : seq (seq interval); in_offset : seq (seq interval);
  in_rows : seq (seq (seq (seq interval)));   (* Delta_c, each a matrix *)
  in_along : seq (seq interval); in_across : seq (seq interval); in_floors : seq (seq interval);
  in_sizes : seq (seq interval);              (* B_c *)
  in_constraints : seq (seq bool); in_better : seq (seq bool);
  in_margin : interval; in_bend : interval; in_near : interval; in_level : interval;
  in_gibbs : interval; in_far_slope : interval; in_longest : interval; in_spread : interval;
  in_lost : interval; in_step : interval
}.
Variable s : mirror_setting.

Definition from_positive (k : positive) : interval := exactly (of_positive N k).
Definition over (k n : positive) : interval := idiv P (from_positive k) (from_positive n).
Definition tiny : interval := dyadic one (- 120).
Definition iabs I : interval := imax P I (iopp I).
Definition unit_at j k := entry_of (in_unit s) j k.

(* |x|^(2-p), |x|^(p-2), |x|^(p-3), |x|^(q-2) *)
Definition two_less I := power_to P (2 * Zpos c - Zpos a) c I.
Definition less_two I := power_to P (Zpos a - 2 * Zpos c) c I.
Definition less_three I := power_to P (Zpos a - 3 * Zpos c) c I.
Definition dual_less_two I := power_to P (2 * Zpos c - Zpos a) (a - c) I.
Definition p1_in : interval := over (a - c) c.
Definition q1_in : interval := over c (a - c).

(* The ray's entries over the height. *)
Definition unit_ray_in Y := matrix_of D (fun j k => iadd P (unit_at j k) (idiv P (entry_of (in_offset s) j k) Y)).
Definition between_entries I J : interval := hull (imin P I J) (imax P I J).
Definition ray_between m m' := matrix_of D (fun j k => between_entries (entry_of m j k) (entry_of m' j k)).

(* Lemma 9. *)
Definition entry_sizes_in ray := matrix_of D (fun j k => upper_end (iadd P (iabs (entry_of ray j k)) tiny)).
Definition softness_in E A : interval :=
  let two := interval2 N in
  let scale := idiv P (imul P two E) p1_in in
  let wide := imagnitude P c a (imul P scale (two_less (over 4 3))) in
  let far := imax P (isqrt P (imul P scale (two_less (imul P two A)))) wide in
  let near := isqrt P (imul P scale (two_less (iadd P A (imul P (over 2 3) far)))) in
  idiv P (two_less (iadd P A (imul P (over 2 3) near))) p1_in.
Definition soft_in E sizes := map_rows (softness_in E) sizes.

Definition square_sum_in sigma m : interval :=
  matrix_sum P (combine_tables (imul P) (combine_tables (imul P) m m) sigma).
Definition margin_reach_in E sigma : seq (seq interval) :=
  map_rows (fun m => isqrt P (imul P (imul P (interval2 N) E) (square_sum_in sigma m))) (in_rows s).

(* kappa/y. *)
Definition bend_slope_in ray j k : interval :=
  isub P (entry_of (in_normal s) j k) (imul P (less_two (entry_of ray j k)) (unit_at j k)).
Definition near_in ray j k : bool :=
  is_zero (unit_at j k) ||
  [&& is_positive (imul P (unit_at j k) (entry_of ray j k)),
      certainly_le (iabs (unit_at j k)) (imul P (in_near s) (iabs (entry_of ray j k))),
      bounded (idiv P (unit_at j k) (entry_of ray j k)) & bounded (iabs (bend_slope_in ray j k))].
Definition ratios_in ray := matrix_of D (fun j k =>
  if near_in ray j k && ~~ is_zero (unit_at j k) then upper_end (idiv P (unit_at j k) (entry_of ray j k))
  else interval0 N).
Definition slopes_in ray := matrix_of D (fun j k =>
  if near_in ray j k && ~~ is_zero (unit_at j k) then upper_end (iabs (bend_slope_in ray j k)) else interval0 N).
Definition normals_in ray := matrix_of D (fun j k =>
  if near_in ray j k then interval0 N else entry_of (in_normal s) j k).

Definition price_in E ray sigma : interval :=
  upper_end (iadd P (isqrt P (idiv P
    (iadd P (square_sum_in sigma (slopes_in ray)) (square_sum_in sigma (normals_in ray)))
    (imul P (interval2 N) E))) tiny).
Definition whole_in (price : interval) j k S : interval :=
  let n := entry_of (in_normal s) j k in
  let factor := idiv P (imul P (iabs (unit_at j k)) (two_less (interval2 N))) p1_in in
  let place := imagnitude P c (3 * c - a) (idiv P (imul P (imul P factor p1_in) S) price) in
  imax P (idiv P (imul P (imul P n n) S) (imul P (interval2 N) price))
    (imul P (imul P factor (imagnitude P (a - c) c place))
       (isub P (interval1 N) (idiv P p1_in (interval2 N)))).
Definition bent_in E ray sigma price : interval :=
  let linear := square_sum_in sigma (slopes_in ray) in
  let wholes := matrix_of D (fun j k =>
    if near_in ray j k then interval0 N else whole_in price j k (entry_of sigma j k)) in
  iadd P (iadd P (iadd P (imul P (imul P (in_bend s) (matrix_largest P (ratios_in ray))) E) (imul P price E))
            (idiv P linear (imul P (interval2 N) price))) (matrix_sum P wholes).

(* Margins on the ray at a height, less how far they may move; what N may weigh. *)
Definition margins_in Y : seq (seq interval) :=
  combine_tables (fun I J => iadd P (imul P Y I) J) (in_along s) (in_across s).
Definition least_in Y reach : seq (seq interval) :=
  combine_tables (fun I J => isub P I (imul P Y J)) (margins_in Y) reach.
Definition above_floors Y reach : bool :=
  all_within (@id bool) (in_constraints s)
    (map_rows (fun IJ => certainly_le IJ.1 IJ.2) (zip_rows (in_floors s) (least_in Y reach))).
Definition better_exponents_in Y curved reach : seq (seq interval) :=
  map_rows (fun I => isub P (imul P (in_margin s) (iadd P Y curved)) I) (least_in Y reach).
Definition better_mass_in (x : seq (seq interval)) : interval :=
  imul P (iexp P (iopp (in_level s)))
    (isum P (group_sums P (within (in_better s) (interval0 N)
       (combine_tables (imul P) (in_sizes s) (map_rows (iexp P) x))))).
Definition better_far_in reach : interval := table_largest P (within (in_better s) (interval0 N) reach).

(* R of a step. *)
Definition curve_in H : interval :=
  imul P (idiv P q1_in (interval2 N)) (imul P (dual_less_two (iadd P H (in_step s))) (in_step s)).
Definition dual_size_in Z E : interval :=
  imagnitude P (a - c) a (iadd P (imagnitude P a (a - c) Z)
    (imul P (over a (a - c)) (iadd P (imul P (interval2 N) E) (in_lost s)))).
Definition plain_in curve rho : interval := imul P curve (imul P (in_longest s) (iadd P (interval1 N) rho)).
Definition fine_in curve rho : interval :=
  let x := imul P curve (in_spread s) in
  iadd P (imul P curve (iadd P (in_margin s) (imul P rho (in_longest s)))) (idiv P (imul P x x) (from_positive 8)).
Definition speed_in rho : interval := isub P (in_margin s) (imul P rho (in_far_slope s)).
Definition height_rise_in Z : interval := imul P q1_in (dual_less_two Z).

(* ---- soundness ---- *)

Hypotheses (ca : (c < a)%positive) (ac2 : (a <= 2 * c)%positive).
Let p := exponent a c.
Let q := exponent a (a - c).
Let p1 : 1 < p := exponent_gt1 ca.
Let c0 : 0 < IZR (Zpos c) := positive_gt0 c.
Let d0 : 0 < IZR (Zpos (a - c)) := positive_gt0 (a - c).
Let dE : IZR (Zpos (a - c)) = IZR (Zpos a) - IZR (Zpos c).
Proof. by rewrite Pos2Z.inj_sub // minus_IZR. Qed.
Let pc : p * IZR (Zpos c) = IZR (Zpos a).
Proof. by rewrite /p /exponent; field; lra. Qed.

Lemma piece_p2 : p <= 2.
Proof. by apply: (Rmult_le_reg_r (IZR (Zpos c))) => //; rewrite pc -mult_IZR; apply: IZR_le; lia. Qed.

Let three : IZR (Zpos (3 * c - a)) = 3 * IZR (Zpos c) - IZR (Zpos a).
Proof. by rewrite Pos2Z.inj_sub ?minus_IZR ?Pos2Z.inj_mul ?mult_IZR //; lia. Qed.

Lemma two_less_contains I x : contains I x -> contains (two_less I) (abs_power x (2 - p)).
Proof.
have -> : 2 - p = quotient (2 * Zpos c - Zpos a) c by rewrite /quotient minus_IZR mult_IZR /p /exponent; field; lra.
exact: power_to_contains.
Qed.

Lemma less_two_contains I x : contains I x -> contains (less_two I) (abs_power x (p - 2)).
Proof.
have -> : p - 2 = quotient (Zpos a - 2 * Zpos c) c by rewrite /quotient minus_IZR mult_IZR /p /exponent; field; lra.
exact: power_to_contains.
Qed.

Lemma less_three_contains I x : contains I x -> contains (less_three I) (abs_power x (p - 3)).
Proof.
have -> : p - 3 = quotient (Zpos a - 3 * Zpos c) c by rewrite /quotient minus_IZR mult_IZR /p /exponent; field; lra.
exact: power_to_contains.
Qed.

Lemma dual_less_two_contains I x : contains I x -> contains (dual_less_two I) (abs_power x (q - 2)).
Proof.
have -> : q - 2 = quotient (2 * Zpos c - Zpos a) (a - c).
  by rewrite /quotient minus_IZR mult_IZR /q /exponent dE; field; rewrite -dE; lra.
exact: power_to_contains.
Qed.

Lemma over_contains k n : contains (over k n) (exponent k n).
Proof. by rewrite /exponent -!(of_positive_real N); apply: idiv_contains; exact: exactly_contains. Qed.

Lemma p1_contains : contains p1_in (p - 1).
Proof. by rewrite /p (primal_power ca); exact: over_contains. Qed.

Lemma q1_contains : contains q1_in (q - 1).
Proof. by rewrite /q (dual_power ca); exact: over_contains. Qed.

Lemma iabs_contains I x : contains I x -> contains (iabs I) (Rabs x).
Proof.
move=> H; have -> : Rabs x = Rmax x (- x).
  by rewrite /Rabs; case: Rcase_abs => h; [rewrite Rmax_right | rewrite Rmax_left]; lra.
by apply: imax_contains => //; exact: iopp_contains.
Qed.

Lemma tiny_gt0 : 0 < real (one : N) * power (- 120).
Proof. by rewrite real1 Rmult_1_l; exact: power_gt0. Qed.

Let half_contains I x : contains I x -> contains (idiv P I (interval2 N)) (x / 2).
Proof. by move=> H; apply: idiv_contains => //; exact: contains2. Qed.

(* ---- Lemma 9's numbers_at ---- *)

Definition soft_of (E al : R) : R :=
  let scale := 2 * E / (p - 1) in
  let far := Rmax (sqrt (scale * abs_power (2 * al) (2 - p))) (abs_power (scale * abs_power (4 / 3) (2 - p)) (/ p)) in
  let near := sqrt (scale * abs_power (al + 2 / 3 * far) (2 - p)) in
  abs_power (al + 2 / 3 * near) (2 - p) / (p - 1).

Lemma soft_numbers E al : 0 <= E -> 0 < al -> entry_numbers p E al (soft_of E al).
Proof.
move=> E0 a0; split=> //; rewrite /soft_of; cbv zeta; set scale := 2 * E / (p - 1).
have s0 : 0 <= scale by apply: Rmult_le_pos; [lra | apply/Rlt_le/Rinv_0_lt_compat; lra].
set first := sqrt (scale * abs_power (2 * al) (2 - p)).
set wide := abs_power (scale * abs_power (4 / 3) (2 - p)) (/ p); set far := Rmax first wide; set near := sqrt _.
have f0 : 0 <= first := sqrt_pos _; have w0 : 0 <= wide := abs_power_ge0 _ _.
have A0 x := Rmult_le_pos _ _ s0 (abs_power_ge0 x (2 - p)).
have p0 : 0 <= / p by apply/Rlt_le/Rinv_0_lt_compat; lra.
exists far, near; split; [exact: Rle_trans f0 (Rmax_l _ _) | exact: sqrt_pos | split | |].
- rewrite -{1}(sqrt_sqrt _ (A0 (2 * al))) -/first.
  by have le := Rmax_l first wide; apply: Rmult_le_compat.
- rewrite -{1}(abs_power1 (A0 (4 / 3))).
  have -> : abs_power (scale * abs_power (4 / 3) (2 - p)) 1 = abs_power wide p.
    by rewrite /wide abs_power_comp Rinv_l //; lra.
  by apply: abs_power_le; [lra | split=> //; exact: Rmax_r].
- by rewrite sqrt_sqrt; [right | exact: A0].
by right; field; lra.
Qed.

Lemma softness_contains I A E al : contains I E -> contains A al -> contains (softness_in I A) (soft_of E al).
Proof.
move=> HE HA; have scale : contains (idiv P (imul P (interval2 N) I) p1_in) (2 * E / (p - 1)).
  by apply: idiv_contains p1_contains; apply: imul_contains => //; exact: contains2.
have wide : contains (imagnitude P c a (imul P (idiv P (imul P (interval2 N) I) p1_in) (two_less (over 4 3))))
    (abs_power (2 * E / (p - 1) * abs_power (4 / 3) (2 - p)) (/ p)).
  rewrite /p exponent_inverse; apply: imagnitude_contains; apply: imul_contains => //.
  exact: two_less_contains (over_contains 4 3).
have far := imax_contains P (isqrt_contains P (imul_contains P scale (two_less_contains
  (imul_contains P (contains2 N) HA)))) wide.
have near := isqrt_contains P (imul_contains P scale (two_less_contains (iadd_contains P HA
  (imul_contains P (over_contains 2 3) far)))).
apply: idiv_contains p1_contains; apply: two_less_contains.
exact: iadd_contains HA (imul_contains P (over_contains 2 3) near).
Qed.

Lemma soft_of_ge0 E al : 0 <= soft_of E al.
Proof. by apply: Rmult_le_pos (abs_power_ge0 _ _) _; apply/Rlt_le/Rinv_0_lt_compat; lra. Qed.

Definition entry_size ray : vector := fun jk => upper (iadd P (iabs (entry_of ray jk.1 jk.2)) tiny).
Definition sizes_ok (sizes : seq (seq interval)) : bool := all (all (@is_positive N)) sizes.

Lemma sizes_enclose ray : matrix_encloses (entry_sizes_in ray) (entry_size ray).
Proof. by apply: matrix_of_encloses => j k; exact: upper_contains. Qed.

Lemma sizes_ok_at ray (jk : coord (problem D)) : sizes_ok (entry_sizes_in ray) ->
  is_positive (upper_end (iadd P (iabs (entry_of ray jk.1 jk.2)) tiny)).
Proof.
case: jk => j k; have [fm _] := sizes_enclose ray; have [/eqP sm _] := andP fm => H.
have := all_nthP anything (all_nthP [::] H j _) k; rewrite sm (matrix_row _ fm) => /(_ (ltn_ord j) (ltn_ord k)).
by rewrite /entry_sizes_in /matrix_of (nth_map 0%nat) ?size_iota // (nth_map 0%nat) ?size_iota // !nth_iota // !add0n.
Qed.

Lemma size_of_gt0 ray jk : sizes_ok (entry_sizes_in ray) -> 0 < entry_size ray jk.
Proof. by move=> /(sizes_ok_at jk); apply: is_positive_real; exact: upper_contains. Qed.

Lemma size_of_ge ray (w : vector) jk : matrix_encloses ray w -> sizes_ok (entry_sizes_in ray) ->
  Rabs (w jk) <= entry_size ray jk.
Proof.
case: jk => j k [_ H] /(sizes_ok_at (j, k)) /bounded_positive.
have sum : contains (iadd P (iabs (entry_of ray j k)) tiny) (Rabs (w (j, k)) + real (one : N) * power (- 120)).
  by apply: iadd_contains; [exact: iabs_contains | exact: dyadic_contains].
by move=> /(upper_ge sum); have := tiny_gt0; rewrite /entry_size /=; lra.
Qed.

(* ---- sums of squares ---- *)

Definition square_sum (sigma h : vector) : R := \sum_jk h jk * h jk * sigma jk.

Lemma square_sum_contains m sigma h S : matrix_encloses m h -> matrix_encloses sigma S ->
  contains (square_sum_in sigma m) (square_sum S h).
Proof.
move=> Hm Hs; apply: matrix_sum_contains.
apply: (matrix_combine_encloses (w := fun jk => h jk * h jk) _ Hs); last by move=> jk I J; exact: imul_contains.
by apply: (matrix_combine_encloses Hm Hm) => jk I J; exact: imul_contains.
Qed.

Lemma square_sum_ge0 sigma h : (forall jk, 0 <= sigma jk) -> 0 <= square_sum sigma h.
Proof. by move=> s0; apply: sum_ge0 => jk _; apply: Rmult_le_pos => //; exact: Rle_0_sqr. Qed.

(* ---- what the setting is ---- *)

Variables (Q kept : pred (token (problem D))) (Delta : token (problem D) -> vector) (u v : vector).
Variables (gamma beta K C0 G longest spread lost eta : R) (low size : token (problem D) -> R).
Notation n := (mirror p u).

Record setting_encloses : Prop := SettingEncloses {
  unit_encloses : matrix_encloses (in_unit s) u;
  normal_encloses : matrix_encloses (in_normal s) n;
  offset_encloses : matrix_encloses (in_offset s) v;
  rows_fit : fits D (in_rows s);
  rows_enclose : forall t, matrix_encloses (at_token [::] (in_rows s) t) (Delta t);
  along_encloses : encloses (in_along s) (fun t => dot (Delta t) u);
  across_encloses : encloses (in_across s) (fun t => dot (Delta t) v);
  floors_encloses : encloses (in_floors s) low;
  sizes_encloses : encloses (in_sizes s) size;
  constraints_fit : fits D (in_constraints s);
  constraints_are : forall t, in_mask (in_constraints s) t = Q t;
  better_fits : fits D (in_better s);
  better_are : forall t, in_mask (in_better s) t = Q t && ~~ kept t;
  margin_contains : contains (in_margin s) gamma;
  bend_contains : contains (in_bend s) (beta / (p - 1));
  level_contains : contains (in_level s) K;
  gibbs_contains : contains (in_gibbs s) C0;
  far_slope_contains : contains (in_far_slope s) G;
  longest_contains : contains (in_longest s) longest;
  spread_contains : contains (in_spread s) spread;
  lost_contains : contains (in_lost s) lost;
  step_contains : contains (in_step s) eta
}.
Hypothesis setting : setting_encloses.

Let U j k (jk : coord (problem D)) : jk = (j, k) -> contains (unit_at j k) (u jk).
Proof. by move=> ->; case: (unit_encloses setting). Qed.

(* ---- the ray ---- *)

Lemma unit_ray_in_encloses Y y : contains Y y -> matrix_encloses (unit_ray_in Y) (unit_ray u v y).
Proof.
move=> HY; apply: matrix_of_encloses => j k; apply: iadd_contains; first exact: U.
by apply: idiv_contains => //; case: (offset_encloses setting).
Qed.

Lemma spanned_contains I J x y z : contains I x -> contains J y -> Rmin x y <= z <= Rmax x y ->
  contains (between_entries I J) z.
Proof. by move=> HI HJ; apply: hull_contains; [exact: imin_contains | exact: imax_contains]. Qed.

Lemma ray_between_encloses m m' (w w' z : vector) : matrix_encloses m w -> matrix_encloses m' w' ->
  (forall jk, Rmin (w jk) (w' jk) <= z jk <= Rmax (w jk) (w' jk)) -> matrix_encloses (ray_between m m') z.
Proof.
move=> [_ Hm] [_ Hm'] between; apply: matrix_of_encloses => j k; exact: spanned_contains (Hm j k) (Hm' j k) (between _).
Qed.

(* l is 1/y1, y <= y1, or 0. *)
Lemma unit_ray_between y0 y l (jk : coord (problem D)) : 0 < y0 <= y -> 0 <= l <= / y ->
  Rmin (unit_ray u v y0 jk) (u jk + v jk * l) <= unit_ray u v y jk <= Rmax (unit_ray u v y0 jk) (u jk + v jk * l).
Proof.
move=> [h0 h1] [l0 ly]; rewrite /unit_ray /Rdiv; have i : / y <= / y0 by apply: Rinv_le_contravar.
have := linear_between (v jk) (a := l) (b := / y0) (x := / y) ltac:(lra).
rewrite !(Rmult_comm _ (v jk)).
move: (v jk * / y0) (v jk * / y) (v jk * l) => r0 r r1.
by case: (Rle_lt_dec r0 r1) => h; [rewrite (@Rmin_right r1) ?(@Rmax_left r1) ?(@Rmin_left (u jk + r0))
  ?(@Rmax_right (u jk + r0)) | rewrite (@Rmin_left r1) ?(@Rmax_right r1) ?(@Rmin_right (u jk + r0))
  ?(@Rmax_left (u jk + r0))]; lra.
Qed.

(* ---- one piece: its ray, E, sigma, lambda ---- *)

Variables (ray : seq (seq interval)) (E : R) (EI : interval).
Hypotheses (E0 : 0 <= E) (HE : contains EI E).
Definition soft : vector := fun jk => soft_of E (entry_size ray jk).
Notation sigma_in := (soft_in EI (entry_sizes_in ray)).

Lemma soft_encloses : matrix_encloses sigma_in soft.
Proof. by apply: (matrix_map_encloses (sizes_enclose ray)) => jk I; exact: softness_contains. Qed.

Let soft0 jk : 0 <= soft jk := soft_of_ge0 _ _.

Definition reached t : R := sqrt (2 * E * square_sum soft (Delta t)).

Lemma reach_encloses : encloses (margin_reach_in EI sigma_in) reached.
Proof.
apply: (encloses_map (e0 := [::])) => [|t]; first exact: rows_fit setting.
apply: isqrt_contains; apply: imul_contains; first by apply: imul_contains => //; exact: contains2.
exact: square_sum_contains (rows_enclose setting t) soft_encloses.
Qed.

Definition is_near (jk : coord (problem D)) : bool := near_in ray jk.1 jk.2.
Definition is_turning (jk : coord (problem D)) : bool := is_near jk && ~~ is_zero (unit_at jk.1 jk.2).
Definition ratio_of : vector := fun jk => if is_turning jk then upper (idiv P (unit_at jk.1 jk.2)
  (entry_of ray jk.1 jk.2)) else 0.
Definition slope_of : vector := fun jk => if is_turning jk then upper (iabs (bend_slope_in ray jk.1 jk.2)) else 0.
Definition normal_of : vector := fun jk => if is_near jk then 0 else n jk.

Lemma ratios_enclose : matrix_encloses (ratios_in ray) ratio_of.
Proof.
apply: matrix_of_encloses => j k; rewrite /ratio_of /is_turning /is_near /=.
by case: ifP => _; [exact: upper_contains | exact: contains0].
Qed.

Lemma slopes_enclose : matrix_encloses (slopes_in ray) slope_of.
Proof.
apply: matrix_of_encloses => j k; rewrite /slope_of /is_turning /is_near /=.
by case: ifP => _; [exact: upper_contains | exact: contains0].
Qed.

Lemma normals_enclose : matrix_encloses (normals_in ray) normal_of.
Proof.
apply: matrix_of_encloses => j k; rewrite /normal_of /is_near /=.
by case: ifP => _; [exact: contains0 | case: (normal_encloses setting)].
Qed.

Definition price : R := upper (iadd P (isqrt P (idiv P
  (iadd P (square_sum_in sigma_in (slopes_in ray)) (square_sum_in sigma_in (normals_in ray)))
  (imul P (interval2 N) EI))) tiny).
Notation price_interval := (price_in EI ray sigma_in).

Lemma price_contains : contains price_interval price.
Proof. exact: upper_contains. Qed.

Definition bent : R :=
  beta / (p - 1) * vector_largest ratio_of * E + price * E + square_sum soft slope_of / (2 * price) +
  \sum_jk (if is_near jk then 0 else whole_cost p u soft price jk).

Lemma whole_contains j k S (jk : coord (problem D)) : jk = (j, k) -> contains S (soft jk) ->
  contains (whole_in price_interval j k S) (whole_cost p u soft price jk).
Proof.
move=> jkE HS; have Hn : contains (entry_of (in_normal s) j k) (n jk) by rewrite jkE; case: (normal_encloses setting).
have Hu := U jkE; have Hp := price_contains.
have factor : contains (idiv P (imul P (iabs (unit_at j k)) (two_less (interval2 N))) p1_in) (whole_factor p u jk).
  apply: idiv_contains p1_contains; apply: imul_contains; first exact: iabs_contains.
  exact: two_less_contains (contains2 N).
have three_p : / (3 - p) = exponent c (3 * c - a).
  by rewrite /exponent three /p /exponent; field; rewrite -three; have := positive_gt0 (3 * c - a); lra.
have place : contains (imagnitude P c (3 * c - a) (idiv P (imul P (imul P
    (idiv P (imul P (iabs (unit_at j k)) (two_less (interval2 N))) p1_in) p1_in) S) price_interval))
    (whole_place p u soft price jk).
  rewrite /whole_place three_p; apply: imagnitude_contains; apply: idiv_contains => //; apply: imul_contains => //.
  exact: imul_contains factor p1_contains.
apply: imax_contains.
  apply: idiv_contains; last exact: imul_contains (contains2 N) Hp.
  by apply: imul_contains => //; exact: imul_contains.
apply: imul_contains.
  apply: imul_contains factor _; rewrite -/p (_ : p - 1 = exponent (a - c) c); last by rewrite /p (primal_power ca).
  exact: imagnitude_contains.
by apply: isub_contains; [exact: contains1 | exact: half_contains p1_contains].
Qed.

Lemma bent_contains : contains (bent_in EI ray sigma_in price_interval) bent.
Proof.
apply: iadd_contains; last first.
  apply: matrix_sum_contains; apply: matrix_of_encloses => j k; rewrite /is_near /=.
  case: ifP => _; first exact: contains0.
  by apply: whole_contains => //; case: soft_encloses.
apply: iadd_contains; last first.
  apply: idiv_contains; first exact: square_sum_contains slopes_enclose soft_encloses.
  exact: imul_contains (contains2 N) price_contains.
apply: iadd_contains; last exact: imul_contains price_contains HE.
apply: imul_contains HE; apply: imul_contains; first exact: bend_contains setting.
exact: matrix_largest_contains ratios_enclose.
Qed.

Section AtHeight.
Variable y : R.
Hypothesis at_y : matrix_encloses ray (unit_ray u v y).

Let A (jk : coord (problem D)) : contains (entry_of ray jk.1 jk.2) (unit_ray u v y jk).
Proof. by case: jk => j k; case: at_y. Qed.

Let zero_unit (jk : coord (problem D)) : is_zero (unit_at jk.1 jk.2) -> u jk = 0.
Proof. by case: jk => j k /=; apply: is_zero_real; exact: U. Qed.

Let near_parts (jk : coord (problem D)) : is_near jk -> u jk = 0 \/
  [/\ is_turning jk, 0 < u jk * unit_ray u v y jk, u jk / unit_ray u v y jk <= ratio_of jk &
    Rabs (bend_slope p u (unit_ray u v y) jk) <= slope_of jk].
Proof.
move=> near_jk; case zero: (is_zero (unit_at jk.1 jk.2)); first by left; exact: zero_unit.
right; have t : is_turning jk by rewrite /is_turning near_jk zero.
have := near_jk; rewrite /is_near /near_in zero /= => /and4P[pos _ b1 b2].
have Hu : contains (unit_at jk.1 jk.2) (u jk) by case: (jk) => j k; exact: U.
have Hn : contains (entry_of (in_normal s) jk.1 jk.2) (n jk).
  by case: (jk) => j k; case: (normal_encloses setting).
split=> //; first exact: is_positive_real (imul_contains P Hu (A jk)) pos.
  by rewrite /ratio_of t; exact: upper_ge (idiv_contains P Hu (A jk)) b1.
rewrite /slope_of t; apply: upper_ge b2; apply: iabs_contains; apply: isub_contains => //.
by apply: imul_contains => //; exact: less_two_contains (A jk).
Qed.

Lemma is_near_bend jk : is_near jk -> bend_near u (unit_ray u v y) (vector_largest ratio_of) jk.
Proof.
move/near_parts=> [u0 | [_ pos le _]]; first by left.
right; have ne : unit_ray u v y jk <> 0 by move=> E'; move: pos; rewrite E' Rmult_0_r; lra.
split=> //; split; last exact: Rle_trans le (vector_largest_ge _ _).
have -> : u jk / unit_ray u v y jk = u jk * unit_ray u v y jk / (unit_ray u v y jk * unit_ray u v y jk) by field.
apply: Rmult_le_pos; first lra.
by apply/Rlt_le/Rinv_0_lt_compat; have := Rsqr_pos_lt _ ne.
Qed.

Lemma slope_square jk : is_near jk ->
  bend_slope p u (unit_ray u v y) jk * bend_slope p u (unit_ray u v y) jk <= slope_of jk * slope_of jk.
Proof.
move=> near_jk; case: (near_parts near_jk) => [u0 | [_ _ _ le]].
  have -> : bend_slope p u (unit_ray u v y) jk = 0.
    by rewrite /bend_slope /mirror u0 (signed_power_ge0 _ (Rle_refl 0)) abs_power0; ring.
  by rewrite Rmult_0_l; exact: Rle_0_sqr.
rewrite -[X in X <= _]Rabs_pos_eq; last exact: Rle_0_sqr.
by rewrite Rabs_mult; have r0 := Rabs_pos (bend_slope p u (unit_ray u v y) jk); apply: Rmult_le_compat.
Qed.

Hypotheses (price0 : 0 < price) (beta0 : 0 <= beta).

Lemma bent_le top : 0 < y <= top -> y * (beta / (p - 1) * vector_largest ratio_of * E + price * E +
    (\sum_(jk | is_near jk) bend_slope p u (unit_ray u v y) jk * bend_slope p u (unit_ray u v y) jk * soft jk) /
      (2 * price) + \sum_(jk | ~~ is_near jk) whole_cost p u soft price jk) <= top * bent.
Proof.
move=> [h0 h1]; have i0 : 0 <= / (2 * price) by apply/Rlt_le/Rinv_0_lt_compat; lra.
have B0 : 0 <= beta / (p - 1) by apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
set T := \sum_(jk | is_near jk) _; set W := \sum_(jk | ~~ is_near jk) _.
have T0 : 0 <= T.
  by apply: sum_ge0 => jk _; apply: Rmult_le_pos (soft0 jk); exact: Rle_0_sqr.
have Tle : T <= square_sum soft slope_of.
  rewrite /T [X in X <= _]big_mkcond; apply: sum_le => jk _; case: ifP => [near_jk | _].
    by apply: Rmult_le_compat_r (soft0 jk) _; exact: slope_square.
  by apply: Rmult_le_pos (soft0 jk); exact: Rle_0_sqr.
have W0 : 0 <= W.
  apply: sum_ge0 => jk _; apply: Rle_trans (Rmax_l _ _); apply: Rmult_le_pos i0.
  by apply: Rmult_le_pos (soft0 jk); exact: Rle_0_sqr.
have E1 : bent = beta / (p - 1) * vector_largest ratio_of * E + price * E + square_sum soft slope_of / (2 * price) + W.
  rewrite /bent /W; congr (_ + _); rewrite [RHS]big_mkcond; apply: eq_bigr => jk _; by case: (is_near jk).
have P0 := Rmult_le_pos _ _ (Rlt_le _ _ price0) E0.
have R0 := Rmult_le_pos _ _ (Rmult_le_pos _ _ B0 (vector_largest_ge0 ratio_of)) E0.
have T1 := Rmult_le_compat_r _ _ _ i0 Tle; have T2 := Rmult_le_pos _ _ T0 i0.
by rewrite E1 /Rdiv in T1 *; apply: Rmult_le_compat; rewrite /Rdiv in R0 *; lra.
Qed.
End AtHeight.
End Piece.
