(* MirrorSetting: what T17's conditions need that is the same at all heights (MIRROR.md sections 11 and 13), enclosed:
   the
   direction u, its normal n, the offset v, the constraint vectors, ranges of the factors; and what follows for a
     height:
   the ray's entries, the margins on it, what better tokens may weigh. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm PowerInequalities UniformConvexity Direction
                           Growth Gibbs FactorRange Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary NormChecks NormDistanceChecks IntervalTables AttentionIntervals
                           ReferenceIntervals Replay ForeverChecks LocalFactors Mirror MirrorRay MirrorEntries
                             MirrorBend
                           MirrorHeights
                           PowerIntervals MirrorReplay MirrorRunChecks MirrorFactors MirrorTables.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section Setting.
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
  in_apart : seq (seq (seq (seq interval)));  (* Delta_c - gamma n *)
  in_along : seq (seq interval); in_across : seq (seq interval); in_floors : seq (seq interval);
  in_sizes : seq (seq interval);              (* B_c *)
  in_constraints : seq (seq bool); in_kept : seq (seq bool); in_better : seq (seq bool);
  in_margin : interval; in_bend : interval; in_near : interval; in_level : interval;
  in_gibbs : interval; in_far_slope : interval; in_longest : interval; in_spread : interval;
  in_lost : interval;                         (* of cost(y), P <= 2 *)
  in_step : interval;
  in_whole : interval                         (* at least all weights *)
}.
Variable s : mirror_setting.

Definition from_positive (k : positive) : interval := exactly (of_positive N k).
Definition over (k n : positive) : interval := idiv P (from_positive k) (from_positive n).
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


Definition square_sum_in sigma m : interval :=
  matrix_sum P (combine_tables (imul P) (combine_tables (imul P) m m) sigma).

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

Definition speed_in rho : interval := isub P (in_margin s) (imul P rho (in_far_slope s)).
Definition plain_in curve rho : interval := imul P curve (imul P (in_longest s) (iadd P (interval1 N) rho)).
Definition fine_in curve rho : interval :=
  let x := imul P curve (in_spread s) in
  iadd P (imul P curve (iadd P (in_margin s) (imul P rho (in_longest s)))) (idiv P (imul P x x) (from_positive 8)).

(* ---- soundness ---- *)

Hypothesis ca : (c < a)%positive.
Let p := exponent a c.
Let q := exponent a (a - c).
Let p1 : 1 < p := exponent_gt1 ca.
Let c0 : 0 < IZR (Zpos c) := positive_gt0 c.
Let d0 : 0 < IZR (Zpos (a - c)) := positive_gt0 (a - c).
Let dE : IZR (Zpos (a - c)) = IZR (Zpos a) - IZR (Zpos c).
Proof. by rewrite Pos2Z.inj_sub // minus_IZR. Qed.
Let pc : p * IZR (Zpos c) = IZR (Zpos a).
Proof. by rewrite /p /exponent; field; lra. Qed.
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
Variables (gamma beta K C0 G longest spread lost eta whole : R) (low size : token (problem D) -> R).
Notation n := (mirror p u).

Record setting_encloses : Prop := SettingEncloses {
  unit_encloses : matrix_encloses (in_unit s) u;
  normal_encloses : matrix_encloses (in_normal s) n;
  offset_encloses : matrix_encloses (in_offset s) v;
  rows_fit : fits D (in_rows s);
  rows_enclose : forall t, matrix_encloses (at_token [::] (in_rows s) t) (Delta t);
  apart_fits : fits D (in_apart s);
  apart_encloses : forall t, matrix_encloses (at_token [::] (in_apart s) t) (Delta t - gamma * n)%V;
  along_encloses : encloses (in_along s) (fun t => dot (Delta t) u);
  across_encloses : encloses (in_across s) (fun t => dot (Delta t) v);
  floors_encloses : encloses (in_floors s) low;
  sizes_encloses : encloses (in_sizes s) size;
  constraints_fit : fits D (in_constraints s);
  constraints_are : forall t, in_mask (in_constraints s) t = Q t;
  kept_fits : fits D (in_kept s);
  kept_are : forall t, in_mask (in_kept s) t = kept t;
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
  step_contains : contains (in_step s) eta;
  whole_contains : contains (in_whole s) whole
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


(* ---- margins, and what N weighs ---- *)

Definition least_margin (y : R) (reach : token (problem D) -> R) t : R :=
  y * dot (Delta t) u + dot (Delta t) v - y * reach t.
Definition better_exponent (y curved : R) (reach : token (problem D) -> R) t : R :=
  gamma * (y + curved) - least_margin y reach t.
Definition better_mass (x : token (problem D) -> R) : R :=
  exp (- K) * (\sum_(t | Q t && ~~ kept t) size t * exp (x t)).
Definition farthest (reach : token (problem D) -> R) : R :=
  token_largest (fun t => if Q t && ~~ kept t then reach t else 0).

Lemma along_ray t y : dot (Delta t) (ray u v y) = y * dot (Delta t) u + dot (Delta t) v.
Proof. by rewrite /ray dotDr dotZr. Qed.

Lemma least_encloses I y r reach : contains I y -> encloses r reach ->
  encloses (least_in I r) (least_margin y reach).
Proof.
move=> Hy Hr; have Hm : encloses (margins_in I) (fun t => y * dot (Delta t) u + dot (Delta t) v).
  apply: (combine_encloses (along_encloses setting) (across_encloses setting)) => t I1 I2 H1 H2.
  by apply: iadd_contains => //; exact: imul_contains.
by apply: (combine_encloses Hm Hr) => t I1 I2 H1 H2; apply: isub_contains => //; exact: imul_contains.
Qed.

Lemma above_floors_sound I y r reach t : contains I y -> encloses r reach -> above_floors I r -> Q t ->
  low t <= dot (Delta t) (ray u v y) - y * reach t.
Proof.
move=> Hy Hr H Qt; have [fl Hl] := least_encloses Hy Hr; have [ff Hf] := floors_encloses setting.
have fz := fits_zip ff fl; have it : in_mask (in_constraints s) t by rewrite (constraints_are setting).
have := all_withinP false (constraints_fit setting) (fits_map _ fz) H it.
rewrite (at_token_map (anything, anything)) // at_token_zip //= => /(certainly_le_real (Hf t) (Hl t)).
by rewrite along_ray.
Qed.

Lemma excess_encloses I y J k r reach : contains I y -> contains J k -> encloses r reach ->
  encloses (better_exponents_in I J r) (better_exponent y k reach).
Proof.
move=> Hy Hk Hr; apply: (map_encloses (least_encloses Hy Hr)) => t I1 H1; apply: isub_contains => //.
by apply: imul_contains; [exact: margin_contains setting | exact: iadd_contains].
Qed.

Lemma better_mass_contains x F : encloses x F -> contains (better_mass_in x) (better_mass F).
Proof.
move=> Hx; apply: imul_contains; first by apply: iexp_contains; apply: iopp_contains; exact: level_contains setting.
have He := map_encloses (G := fun t => exp (F t)) Hx (fun t I HI => iexp_contains P HI).
have [fm Hm] := combine_encloses (H := fun t => size t * exp (F t)) (sizes_encloses setting) He
  (fun t I J HI HJ => imul_contains P HI HJ).
rewrite big_mkcond; have := table_sum_contains P (within_encloses (better_fits setting) (contains0 N) fm
  (fun t _ => Hm t)).
by congr contains; apply: eq_bigr => t _; rewrite (better_are setting).
Qed.

Lemma farthest_contains r reach : encloses r reach -> contains (better_far_in r) (farthest reach).
Proof.
case=> fr Hr; apply: token_largest_contains.
have [fw Hw] := within_encloses (better_fits setting) (contains0 N) fr (fun t _ => Hr t).
by split=> // t; have := Hw t; rewrite (better_are setting).
Qed.

Lemma farthest_ge reach t : Q t -> ~~ kept t -> reach t <= farthest reach.
Proof.
move=> Qt Nt; have := token_largest_ge (fun t => if Q t && ~~ kept t then reach t else 0) t.
by rewrite /farthest Qt Nt.
Qed.


(* ---- what steps cost and gain ---- *)

Definition plain_cost (curve rho : R) : R := curve * (longest * (1 + rho)).
Definition fine_cost (curve rho : R) : R := curve * (gamma + rho * longest) + curve * spread * (curve * spread) / 8.

Lemma plain_contains I x J r : contains I x -> contains J r -> contains (plain_in I J) (plain_cost x r).
Proof.
move=> Hx Hr; apply: imul_contains => //; apply: imul_contains; first exact: longest_contains setting.
by apply: iadd_contains => //; exact: contains1.
Qed.

Lemma fine_contains I x J r : contains I x -> contains J r -> contains (fine_in I J) (fine_cost x r).
Proof.
move=> Hx Hr; have xs := imul_contains P Hx (spread_contains setting); apply: iadd_contains.
  apply: imul_contains => //; apply: iadd_contains; first exact: margin_contains setting.
  by apply: imul_contains => //; exact: longest_contains setting.
apply: idiv_contains; first exact: imul_contains.
by have := exactly_contains (of_positive N 8); rewrite of_positive_real.
Qed.

Lemma setting_speed_contains J r : contains J r -> contains (speed_in J) (gamma - r * G).
Proof.
move=> Hr; apply: isub_contains; first exact: margin_contains setting.
by apply: imul_contains => //; exact: far_slope_contains setting.
Qed.


(* ---- entries that are near ---- *)

Variable ray : seq (seq interval).

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

End AtHeight.
End Setting.
