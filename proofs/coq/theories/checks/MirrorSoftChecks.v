(* MirrorSoftChecks: how far points go on a piece of heights and what steps cost there, for P <= 2, in intervals
   (MIRROR.md section 11). Each real number that a piece has is a formula of others, or the upper end of an interval. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm PowerInequalities UniformConvexity Direction
                           Growth Gibbs FactorRange Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary NormChecks NormDistanceChecks IntervalTables AttentionIntervals
                           ReferenceIntervals Replay ForeverChecks LocalFactors Mirror PowerGap MirrorRay MirrorMoves
                           MirrorCurve MirrorEntries MirrorBend MirrorRegion MirrorRun MirrorHeights MirrorPieces
                           MirrorPiecesBelowTwo MirrorCosts PowerIntervals MirrorReplay MirrorRunChecks MirrorFactors
                           MirrorTables MirrorSetting MirrorMethods MirrorTurns.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section Soft.
Variables (N : number) (D : token_data N) (P : Z) (a c : positive) (s : mirror_setting N).
Notation interval := (interval N).
Notation anything := (@Everything N).
Let d := left_dimension D.
Let e := right_dimension D.
Notation vector := (vec (coord (problem D))).
Implicit Types (t : token (problem D)) (I J Y : interval).
Notation over := (over N P).
Definition tiny : interval := dyadic one (- 120).
Notation iabs := (iabs P).
Notation two_less := (two_less P a c).
Notation less_three := (less_three P a c).
Notation dual_less_two := (dual_less_two P a c).
Notation p1_in := (p1_in N P a c).
Notation q1_in := (q1_in N P a c).
Notation square_sum_in := (square_sum_in P).
Notation near_in := (near_in P a c s).
Notation unit_at := (unit_at s).
Notation ratios_in := (ratios_in D P a c s).
Notation slopes_in := (slopes_in D P a c s).
Notation normals_in := (normals_in D P a c s).

(* Lemma 9. *)
Definition entry_sizes_in (ray : seq (seq interval)) := matrix_of D (fun j k =>
  upper_end (iadd P (iabs (entry_of ray j k)) tiny)).
Definition sizes_ok (sizes : seq (seq interval)) : bool := all (all (@is_positive N)) sizes.
Definition softness_in E A : interval :=
  let two := interval2 N in
  let scale := idiv P (imul P two E) p1_in in
  let wide := imagnitude P c a (imul P scale (two_less (over 4 3))) in
  let far := imax P (isqrt P (imul P scale (two_less (imul P two A)))) wide in
  let near := isqrt P (imul P scale (two_less (iadd P A (imul P (over 2 3) far)))) in
  idiv P (two_less (iadd P A (imul P (over 2 3) near))) p1_in.
Definition soft_in E sizes := map_rows (softness_in E) sizes.
Definition margin_reach_in E sigma : seq (seq interval) :=
  map_rows (fun m => isqrt P (imul P (imul P (interval2 N) E) (square_sum_in sigma m))) (in_rows s).

(* kappa/y, with one lambda for all entries. *)
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

(* R of a step of that length. *)
Definition curve_in length H : interval :=
  imul P (idiv P q1_in (interval2 N)) (imul P (dual_less_two (iadd P H length)) length).
Definition dual_size_in Z E : interval :=
  imagnitude P (a - c) a (iadd P (imagnitude P a (a - c) Z)
    (imul P (over a (a - c)) (iadd P (imul P (interval2 N) E) (in_lost s)))).

Definition soft_part E ray : piece_part N :=
  let sizes := entry_sizes_in ray in
  let sigma := soft_in E sizes in
  let price := price_in E ray sigma in
  PiecePart (sizes_ok sizes && is_positive price) (margin_reach_in E sigma) (bent_in E ray sigma price).

(* Beyond the last height: all entries near; y |l_j| is at most turn_j. *)
Definition all_near ray : bool := all (fun j => all (near_in ray j) (seq.iota 0 e)) (seq.iota 0 d).
Definition turn_in (ray : seq (seq interval)) : seq (seq interval) := matrix_of D (fun j k =>
  if is_zero (unit_at j k) then interval0 N
  else imul P (iabs (unit_at j k)) (imul P (imul P (isub P (interval2 N) (over a c))
         (less_three (lower_end (iabs (entry_of ray j k))))) (iabs (entry_of (in_offset s) j k)))).
Definition set_apart (ray : seq (seq interval)) : bool := all (fun j => all (fun k =>
  is_zero (unit_at j k) || is_positive (lower_end (iabs (entry_of ray j k)))) (seq.iota 0 e)) (seq.iota 0 d).
Definition soft_last E ray y share steep : piece_part N :=
  let sizes := entry_sizes_in ray in
  let sigma := soft_in E sizes in
  let curved := isqrt P (imul P (imul P (interval2 N) E) (square_sum_in sigma (turn_in ray))) in
  let bent := imul P (imul P (imul P (imul P (in_bend s) (matrix_largest P (ratios_in ray))) share)
                        (imagnitude P c (a - c) steep)) (two_less y) in
  PiecePart [&& sizes_ok sizes, all_near ray & set_apart ray] (margin_reach_in E sigma) (iadd P curved bent).

Definition soft_price E (ray : seq (seq interval)) (y0 : interval) z1 rho length (weight : interval) : interval :=
  let curve := curve_in length (dual_size_in z1 E) in
  imin P (plain_in P s curve rho) (fine_in P s curve rho).
Definition soft_last_price share (steep : interval) (ray : seq (seq interval)) (y : interval) end_ rho length
    (weight : interval) : interval :=
  plain_in P s (curve_in length (dual_size_in end_ (imul P share (imagnitude P c (a - c) end_)))) rho.
Definition soft_offset (ys : seq interval) zetas : interval :=
  idiv P (in_lost s) (imagnitude P c (a - c) (nth anything zetas 0)).

(* ---- soundness ---- *)

Hypotheses (ca : (c < a)%positive) (ac2 : (a <= 2 * c)%positive).
Notation p1_contains := (p1_contains N P ca).
Notation q1_contains := (q1_contains N P ca).
Notation two_less_contains := (two_less_contains P a c).
Notation less_three_contains := (less_three_contains P a c).
Notation dual_less_two_contains := (dual_less_two_contains P ca).
Notation over_contains := (over_contains N P).
Notation iabs_contains := (iabs_contains P).
Notation square_sum_contains := (square_sum_contains P).
Notation ratios_enclose := (ratios_enclose D P a c s).
Notation slopes_enclose := (slopes_enclose D P a c s).
Let p := exponent a c.
Let q := exponent a (a - c).
Let p1 : 1 < p := exponent_gt1 ca.
Let c0 : 0 < IZR (Zpos c) := positive_gt0 c.
Let d0 : 0 < IZR (Zpos (a - c)) := positive_gt0 (a - c).
Let dE : IZR (Zpos (a - c)) = IZR (Zpos a) - IZR (Zpos c).
Proof. by rewrite Pos2Z.inj_sub // minus_IZR. Qed.
Let pc : p * IZR (Zpos c) = IZR (Zpos a).
Proof. by rewrite /p /exponent; field; lra. Qed.

Let p2 : p <= 2 := exponent_le_two ac2.

Let three : IZR (Zpos (3 * c - a)) = 3 * IZR (Zpos c) - IZR (Zpos a).
Proof. by rewrite Pos2Z.inj_sub ?minus_IZR ?Pos2Z.inj_mul ?mult_IZR //; lia. Qed.


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
by move=> /(upper_ge sum); have := tiny_gt0 N; rewrite /entry_size /=; lra.
Qed.

Variables (Q kept : pred (token (problem D))) (Delta : token (problem D) -> vector) (u v : vector).
Variables (gamma beta K C0 G longest spread lost eta whole : R) (low weights_ : token (problem D) -> R).
Notation n := (mirror p u).
Hypothesis setting : setting_encloses a c s Q kept Delta u v gamma beta K C0 G longest spread lost eta whole low
  weights_.

Let U j k (jk : coord (problem D)) : jk = (j, k) -> contains (unit_at j k) (u jk).
Proof. by move=> ->; have [_ H] := unit_encloses setting; exact: H. Qed.

Section Piece.
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

Notation is_near := (@is_near N D P a c s ray).
Notation ratio_of := (@ratio_of N D P a c s ray).
Notation slope_of := (@slope_of N D P a c s ray).

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
  apply: idiv_contains; first exact: square_sum_contains (slopes_enclose ray) soft_encloses.
  exact: imul_contains (contains2 N) price_contains.
apply: iadd_contains; last exact: imul_contains price_contains HE.
apply: imul_contains HE; apply: imul_contains; first exact: bend_contains setting.
exact: matrix_largest_contains (ratios_enclose ray).
Qed.

Section AtHeight.
Variable y : R.
Hypothesis at_y : matrix_encloses ray (unit_ray u v y).
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
    by apply: Rmult_le_compat_r (soft0 jk) _; exact: (slope_square setting at_y near_jk).
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

(* ---- what MirrorMethods.v asks ---- *)

Variable mu : token (problem D) -> R.
Hypothesis dir : mirror_direction Q Delta p u gamma mu.
Let u_unit := mirror_unit dir.
Hypotheses (centred : dot n v = 0) (factor : curve_factor p beta).
Let conj : / p + / q = 1 := exponent_conjugate ca.
Let beta0 : 0 <= beta := proj1 factor.
Notation zeta := (ray_height p u v).

Lemma soft_part_sound : part_means a c Q Delta u v soft_part.
Proof.
move=> I E ray lo hi [lo0 lh] HE E0 rays /andP[/= sok pos].
have pr : 0 < price ray I := is_positive_real (price_contains ray I) pos.
exists (reached ray E), (bent ray E I); split.
- exact: reach_encloses HE.
- exact: bent_contains HE.
- have at_lo := rays lo ltac:(lra); have := bent_le E0 at_lo pr beta0 (top := lo) ltac:(lra).
  set A := _ + _ => H; have A0 : 0 <= A.
    have B0 : 0 <= beta / (p - 1) by apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
    have i0 : 0 <= / (2 * price ray I) by apply/Rlt_le/Rinv_0_lt_compat; lra.
    have soft0 jk : 0 <= soft ray E jk := soft_of_ge0 _ _.
    apply: Rplus_le_le_0_compat; last first.
      apply: sum_ge0 => jk _; apply: Rle_trans (Rmax_l _ _); apply: Rmult_le_pos i0.
      by apply: Rmult_le_pos (soft0 jk); exact: Rle_0_sqr.
    apply: Rplus_le_le_0_compat; last first.
      apply: Rmult_le_pos i0; apply: sum_ge0 => jk _; apply: Rmult_le_pos (soft0 jk); exact: Rle_0_sqr.
    apply: Rplus_le_le_0_compat; last by apply: Rmult_le_pos E0; lra.
    by apply: Rmult_le_pos E0; apply: Rmult_le_pos B0 (vector_largest_ge0 _).
  apply: (Rmult_le_reg_l lo) => //; rewrite Rmult_0_r; apply: Rle_trans H; apply: Rmult_le_pos A0; lra.
- by move=> t _; exact: sqrt_pos.
move=> y le; have y0 : 0 < y by lra.
have numbers jk : entry_numbers p E (entry_size ray jk) (soft ray E jk) by apply: soft_numbers => //; exact:
  size_of_gt0.
have entries jk : Rabs (unit_ray u v y jk) <= entry_size ray jk := size_of_ge jk (rays y le) sok.
split=> [z hy gap_le t Qt | z hy gap_le].
  exact: (height_moves p1 conj y0 p2 numbers entries gap_le (Delta t)).
apply: Rle_trans (height_bends_mixed p1 conj u_unit centred y0 p2 numbers entries hy gap_le factor
  (vector_largest_ge0 (@ratio_of N D P a c s ray)) pr (fun jk => is_near_bend setting (rays y le) (jk := jk))) _.
exact: (bent_le E0 (rays y le) pr beta0 (top := y) ltac:(lra)).
Qed.

Definition turn_of (ray : seq (seq interval)) : vector := fun jk =>
  if is_zero (unit_at jk.1 jk.2) then 0
  else Rabs (u jk) * ((2 - p) * abs_power (lower (iabs (entry_of ray jk.1 jk.2))) (p - 3) * Rabs (v jk)).

Lemma turns_enclose ray : matrix_encloses (turn_in ray) (turn_of ray).
Proof.
have [_ UU] := unit_encloses setting; have [_ V] := offset_encloses setting.
apply: matrix_of_encloses => j k; rewrite /turn_of /fst /snd; case: ifP => _; first exact: contains0.
apply: imul_contains; first by apply: iabs_contains; exact: UU.
apply: imul_contains; last by apply: iabs_contains; exact: V.
apply: imul_contains; last by apply: less_three_contains; exact: lower_end_contains.
by apply: isub_contains; [exact: contains2 | exact: over_contains].
Qed.

Section Last.
Variables (first : R) (heights slopes : seq (fraction N)).
Let K_ := size heights.
Notation Y := (height_at heights first).
Notation m := (slope_real slopes).

Lemma soft_last_sound : last_part_means a c heights slopes Q Delta u v first (q - 1) soft_last.
Proof.
move=> I E ray yI shI share stI steep flat ok HE E0 yc shc stc rays at_u level pok.
have /and3P[sok nears apart_] : [&& sizes_ok (entry_sizes_in ray), all_near ray & set_apart ray] := pok.
have [Y_gt0 Y_rises zeta0 slopes_ge0] := ok; have Yl : 0 < Y K_ := Y_pos Y_gt0 Y_rises (leqnn K_).
pose r := vector_largest (@ratio_of N D P a c s ray).
pose curved := sqrt (2 * E * square_sum (soft ray E) (turn_of ray)).
pose kappa := curved + beta / (p - 1) * r * share * abs_power steep (q - 1) * abs_power (Y K_) (2 - p).
have r0 : 0 <= r := vector_largest_ge0 _.
have numbers jk : entry_numbers p E (entry_size ray jk) (soft ray E jk) by apply: soft_numbers => //; exact:
  size_of_gt0.
have entries y jk : Y K_ <= y -> Rabs (unit_ray u v y jk) <= entry_size ray jk.
  by move=> le; exact: size_of_ge jk (rays y le) sok.
have near y jk : Y K_ <= y -> bend_near u (unit_ray u v y) r jk.
  move=> le; apply: (is_near_bend setting (rays y le)).
  exact: (every_entry (g := near_in ray) jk nears).
have turns y jk : Y K_ <= y -> y * Rabs (bend_slope p u (unit_ray u v y) jk) <= turn_of ray jk.
  move=> le; rewrite /turn_of; case zero: (is_zero _).
    have u0 : u jk = 0.
      have [_ UU] := unit_encloses setting; move: zero; rewrite (surjective_pairing jk); apply: is_zero_real.
      exact: UU jk.1 jk.2.
    by rewrite bend_slope_zero // Rabs_R0 Rmult_0_r; right.
  have posj := every_entry (g := fun j k => is_zero (unit_at j k) ||
    is_positive (lower_end (iabs (entry_of ray j k)))) jk apart_; rewrite zero /= in posj.
  have at_y := rays y le.
  have uc : contains (entry_of ray jk.1 jk.2) (u jk) by case: (jk) => j k; case: at_u.
  have ac : contains (entry_of ray jk.1 jk.2) (unit_ray u v y jk) by case: (jk) => j k; case: at_y.
  have same : 0 < u jk * unit_ray u v y jk.
    have := every_entry (g := near_in ray) jk nears; rewrite /MirrorSetting.near_in zero /= => /and4P[same _ _ _].
    have [_ UU] := unit_encloses setting; apply: is_positive_real (imul_contains P _ ac) same.
    by rewrite (surjective_pairing jk); exact: UU jk.1 jk.2.
  have low0 := is_positive_real (lower_end_contains (iabs (entry_of ray jk.1 jk.2))) posj.
  have [x [xl _] ->] := bend_slope_turns p (ltac:(lra) : 0 < y) same.
  have lx := Rle_trans _ _ _ (Rmin_glb _ _ _ (lower_le (iabs_contains ac) posj) (lower_le (iabs_contains uc) posj)) xl.
  rewrite (Rabs_left1 (p - 2)) ?Ropp_minus_distr; last lra.
  apply: Rmult_le_compat_l; first exact: Rabs_pos.
  apply: Rmult_le_compat_r; first exact: Rabs_pos.
  by apply: Rmult_le_compat_l; [lra | apply: abs_power_falls; lra].
have curved_ge : sqrt (2 * E * \sum_jk turn_of ray jk * turn_of ray jk * soft ray E jk) <= curved by right.
have kappa_ge : kappa <= kappa by right.
exists (reached ray E), kappa, (soft_bend p q u v share steep beta r curved); split.
- exact: reach_encloses HE.
- apply: iadd_contains.
    have two_e := imul_contains P (contains2 N) HE.
    exact (isqrt_contains P (imul_contains P two_e (square_sum_contains (turns_enclose ray) (soft_encloses ray HE)))).
  apply: imul_contains; last exact: two_less_contains.
  apply: imul_contains; last by rewrite /q (dual_power ca); exact: imagnitude_contains.
  apply: imul_contains shc; apply: imul_contains; first exact: bend_contains setting.
  exact: matrix_largest_contains (ratios_enclose ray).
- by move=> t _; exact: sqrt_pos.
- move=> y le z hy gap_le t Qt; have y0 : 0 < y := Rlt_le_trans _ _ _ Yl le.
  exact: (height_moves p1 conj y0 p2 numbers (fun jk => entries y jk le) gap_le (Delta t)).
split.
- move=> y z; exact: (soft_bends p1 p2 conj dir Y_gt0 Y_rises zeta0 slopes_ge0 level centred factor r0 numbers entries
    near turns curved_ge).
- move=> y; exact: (soft_bend_slow p1 p2 conj Y_gt0 Y_rises slopes_ge0 level factor r0 curved_ge kappa_ge).
move=> y; exact: (soft_bend_grown p1 p2 conj Y_gt0 Y_rises slopes_ge0 level factor r0 curved_ge kappa_ge).
Qed.

(* Costs. *)

Lemma curve_contains J x I H : contains J x -> contains I H -> contains (curve_in J I) (step_curve q x H).
Proof.
move=> Hx HH; have half := idiv_contains P (q1_contains) (contains2 N).
exact (imul_contains P half (imul_contains P (dual_less_two_contains (iadd_contains P HH Hx)) Hx)).
Qed.

Lemma step_norm_contains I Z J F : contains I Z -> contains J F -> contains (dual_size_in I J) (norm_at q lost Z F).
Proof.
move=> HZ HF; rewrite /norm_at /q exponent_inverse; apply: imagnitude_contains; apply: iadd_contains.
  exact: imagnitude_contains.
apply: imul_contains; first exact: over_contains.
apply: iadd_contains; last exact: lost_contains setting.
by apply: imul_contains => //; exact: contains2.
Qed.
End Last.
End Soft.
