(* MirrorFirmChecks: how far points go on a piece of heights, for P > 2, in intervals: Lemma 10 and kappa (MIRROR.md
   section 13). *)
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
                           MirrorMethods MirrorTurns MirrorSoftChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section Firm.
Variables (N : number) (D : token_data N) (P : Z) (a c : positive) (s : mirror_setting N).
Notation interval := (interval N).
Notation table := (seq (seq interval)).
Let d := left_dimension D.
Let e := right_dimension D.
Notation vector := (vec (coord (problem D))).
Implicit Types (t : token (problem D)) (I J Y : interval) (ray m : table).
Notation over := (over N P).
Notation iabs := (iabs P).
Notation less_two := (less_two P a c).
Notation less_three := (less_three P a c).
Notation p1_in := (p1_in N P a c).
Notation q1_in := (q1_in N P a c).
Notation square_sum_in := (square_sum_in P).
Notation near_in := (near_in P a c s).
Notation unit_at := (unit_at s).

(* ---- Lemma 10 ---- *)

Definition halved_in I : interval := idiv P I (interval2 N).
Definition firm_rest_in A x : interval :=
  if Pos.leb (3 * c) a then less_two (isub P A (imul P (over 2 3) x))
  else iadd P (imul P (over 1 3) (less_two A)) (imul P (over 2 3) (less_two (isub P A x))).
Definition firm_in E A : bool := is_positive A &&
  let half := halved_in A in
  certainly_lt E (imul P (halved_in p1_in) (imul P (firm_rest_in A half) (imul P half half))).
Definition firm_edge_in E A : interval :=
  imin P (isqrt P (idiv P (imul P (interval2 N) E) (imul P p1_in (firm_rest_in A (halved_in A))))) (halved_in A).
Definition firm_soft_in E A : interval := idiv P (interval1 N) (imul P p1_in (firm_rest_in A (firm_edge_in E A))).
Definition firm_far_in E A : interval := isqrt P (imul P (imul P (interval2 N) (firm_soft_in E A)) E).
Definition loose_floor_in : interval :=
  imul P (halved_in p1_in) (if Pos.leb (3 * c) a then less_two (over 195 1000) else over 195 1000).
Definition widest_in E : interval := imagnitude P c a (idiv P E loose_floor_in).

Definition least_at ray j k : interval := lower_end (iabs (entry_of ray j k)).
Definition firm_at E ray j k : bool := firm_in E (least_at ray j k).
Definition sigmas_in E ray : table :=
  matrix_of D (fun j k => if firm_at E ray j k then firm_soft_in E (least_at ray j k) else interval0 N).
Definition loose_marks E ray : table :=
  matrix_of D (fun j k => if firm_at E ray j k then interval0 N else interval1 N).
Definition firm_reach_in E sigma loose wide m : interval :=
  iadd P (isqrt P (imul P (imul P (interval2 N) E) (square_sum_in sigma m)))
    (imul P wide (power_norm P a (a - c) (combine_tables (imul P) loose m))).

(* What an entry adds to kappa for each unit that it moves. *)
Definition whole_slope_in E wide ray j k : interval :=
  let far := if firm_at E ray j k then firm_far_in E (least_at ray j k) else wide in
  imax P (iabs (entry_of (in_normal s) j k))
    (imul P (iabs (unit_at j k)) (less_two (iadd P (iabs (entry_of ray j k)) far))).
Definition bend_sizes_in E wide ray : table :=
  let slopes := slopes_in D P a c s ray in
  matrix_of D (fun j k =>
    if near_in ray j k then iabs (entry_of slopes j k) else upper_end (whole_slope_in E wide ray j k)).
Definition wholes_bounded E wide ray : bool := all (fun j => all (fun k =>
  near_in ray j k || bounded (whole_slope_in E wide ray j k)) (seq.iota 0 e)) (seq.iota 0 d).

Definition firm_part E ray : piece_part N :=
  let sigma := sigmas_in E ray in
  let loose := loose_marks E ray in
  let wide := widest_in E in
  PiecePart (wholes_bounded E wide ray) (map_rows (firm_reach_in E sigma loose wide) (in_rows s))
    (iadd P (imul P (imul P (in_bend s) (matrix_largest P (ratios_in D P a c s ray))) E)
       (firm_reach_in E sigma loose wide (bend_sizes_in E wide ray))).

(* Beyond the last height: all entries near; y |l_j| is at most this, as the ray's entries are between u_j and that at
   the height. *)
Definition steep_turn_at ray j k : interval :=
  imul P (iabs (unit_at j k)) (imul P (imul P (isub P (over a c) (interval2 N)) (less_three (iabs (entry_of ray j k))))
    (iabs (entry_of (in_offset s) j k))).
Definition steep_turn_in ray : table := matrix_of D (fun j k =>
  if is_zero (unit_at j k) then interval0 N else upper_end (steep_turn_at ray j k)).
Definition turns_bounded ray : bool := all (fun j => all (fun k => is_zero (unit_at j k) ||
  is_positive (lower_end (iabs (entry_of ray j k))) && bounded (steep_turn_at ray j k)) (seq.iota 0 e)) (seq.iota 0 d).
Definition firm_last E ray (y : interval) share steep : piece_part N :=
  let sigma := sigmas_in E ray in
  let loose := loose_marks E ray in
  let wide := widest_in E in
  PiecePart (all_near D P a c s ray && turns_bounded ray) (map_rows (firm_reach_in E sigma loose wide) (in_rows s))
    (iadd P (firm_reach_in E sigma loose wide (steep_turn_in ray))
       (imul P (imul P (in_bend s) (matrix_largest P (ratios_in D P a c s ray))) (imul P share steep))).

(* ---- soundness ---- *)

Hypotheses (ca : (c < a)%positive) (ac2 : (2 * c < a)%positive).
Notation p1_contains := (p1_contains N P ca).
Notation less_two_contains := (less_two_contains P a c).
Notation less_three_contains := (less_three_contains P a c).
Notation over_contains := (over_contains N P).
Notation iabs_contains := (iabs_contains P).
Let p := exponent a c.
Let q := exponent a (a - c).
Let p1 : 1 < p := exponent_gt1 ca.
Let c0 : 0 < IZR (Zpos c) := positive_gt0 c.
Let pc : p * IZR (Zpos c) = IZR (Zpos a) := exponent_times a c.

Let p2 : 2 <= p := Rlt_le _ _ (exponent_gt_two ac2).

Lemma firm_three : Pos.leb (3 * c) a = (if Rle_dec 3 p then true else false).
Proof.
case: Rle_dec => h.
  apply/Pos.leb_le; have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ c0) h; rewrite pc -mult_IZR => /le_IZR; lia.
apply/Pos.leb_gt; have := Rnot_le_lt _ _ h => /(Rmult_lt_compat_r _ _ _ c0); rewrite pc -mult_IZR => /lt_IZR; lia.
Qed.

Definition firm_edge_of (E A : R) : R := Rmin (sqrt (2 * E / ((p - 1) * firm_rest p A (A / 2)))) (A / 2).
Definition firm_soft_of (E A : R) : R := 1 / ((p - 1) * firm_rest p A (firm_edge_of E A)).
Definition firm_far_of (E A : R) : R := sqrt (2 * firm_soft_of E A * E).

Lemma firm_rest_gt0 A x : 0 < A -> 0 <= x <= A / 2 -> 0 < firm_rest p A x.
Proof.
move=> A0 [x0 xA]; rewrite /firm_rest; case: Rle_dec => _ /=; first by apply: abs_power_gt0; lra.
by have := abs_power_gt0 (p - 2) (ltac:(lra) : A <> 0); have := abs_power_ge0 (A - x) (p - 2); lra.
Qed.

Lemma firm_numbers_of E A : 0 <= E -> 0 < A -> E < firm_floor p A (A / 2) ->
  firm_numbers p E A (firm_soft_of E A) (firm_far_of E A).
Proof.
move=> E0 A0 firm; have r0 := firm_rest_gt0 A0 (ltac:(lra) : 0 <= A / 2 <= A / 2).
have D0 : 0 < (p - 1) * firm_rest p A (A / 2) by apply: Rmult_lt_0_compat; lra.
have in0 : 0 <= 2 * E / ((p - 1) * firm_rest p A (A / 2)).
  by apply: Rmult_le_pos; [lra | apply/Rlt_le/Rinv_0_lt_compat].
have e0 : 0 <= firm_edge_of E A <= A / 2.
  by split; [apply: Rmin_glb; [exact: sqrt_pos | lra] | exact: Rmin_r].
have r1 := firm_rest_gt0 A0 e0.
have D1 : 0 < (p - 1) * firm_rest p A (firm_edge_of E A) by apply: Rmult_lt_0_compat; lra.
have s0 : 0 <= firm_soft_of E A by apply: Rmult_le_pos; [lra | apply/Rlt_le/Rinv_0_lt_compat].
split=> //.
  split; first exact: sqrt_pos.
  by rewrite /firm_far_of sqrt_sqrt; [right | apply: Rmult_le_pos => //; apply: Rmult_le_pos; lra].
exists (firm_edge_of E A); split=> //; last by right; rewrite /firm_soft_of; field; lra.
rewrite {1}/firm_edge_of; case: (Rle_lt_dec (sqrt (2 * E / ((p - 1) * firm_rest p A (A / 2)))) (A / 2)) => h.
  right; rewrite /firm_edge_of Rmin_left // sqrt_sqrt //; right; field; split; lra.
by left; rewrite Rmin_right //; lra.
Qed.

(* ---- enclosed ---- *)

Lemma halved_contains I x : contains I x -> contains (halved_in I) (x / 2).
Proof. by move=> H; apply: idiv_contains => //; exact: contains2. Qed.

Lemma firm_rest_contains I J A x : contains I A -> contains J x -> contains (firm_rest_in I J) (firm_rest p A x).
Proof.
move=> HI HJ; rewrite /firm_rest_in firm_three /firm_rest; case: Rle_dec => _ /=.
  apply: less_two_contains; apply: isub_contains => //; apply: imul_contains => //; exact: over_contains.
apply: iadd_contains; apply: imul_contains.
- exact: over_contains.
- exact: less_two_contains.
- exact: over_contains.
by apply: less_two_contains; exact: isub_contains.
Qed.

Section Entry.
Variables (I J : interval) (E A : R).
Hypotheses (HI : contains I E) (HJ : contains J A).

Lemma firm_edge_contains : contains (firm_edge_in I J) (firm_edge_of E A).
Proof.
have h := halved_contains HJ; apply: imin_contains => //; apply: isqrt_contains; apply: idiv_contains.
  by apply: imul_contains => //; exact: contains2.
by apply: imul_contains p1_contains _; exact: firm_rest_contains.
Qed.

Lemma firm_soft_contains : contains (firm_soft_in I J) (firm_soft_of E A).
Proof.
apply: idiv_contains; first exact: contains1.
by apply: imul_contains p1_contains _; exact: firm_rest_contains firm_edge_contains.
Qed.

Lemma firm_far_contains : contains (firm_far_in I J) (firm_far_of E A).
Proof.
apply: isqrt_contains; apply: imul_contains HI; apply: imul_contains firm_soft_contains; exact: contains2.
Qed.

Lemma firm_in_sound : firm_in I J -> 0 < A /\ E < firm_floor p A (A / 2).
Proof.
case/andP=> /(is_positive_real HJ) A0 lt; split=> //; apply: certainly_lt_real lt => //.
have h := halved_contains HJ; apply: imul_contains; first exact: halved_contains p1_contains.
by apply: imul_contains; [exact: firm_rest_contains | exact: imul_contains].
Qed.
End Entry.

Lemma loose_floor_contains : contains loose_floor_in (loose_floor p).
Proof.
rewrite /loose_floor_in /loose_floor firm_three; apply: imul_contains; first exact: halved_contains p1_contains.
have lm := over_contains 195 1000; have lmE : exponent 195 1000 = least_mean by [].
case: Rle_dec => h /=.
  by rewrite Rmax_right; [exact: less_two_contains | lra].
rewrite Rmax_left; last lra.
by rewrite abs_power1 //; rewrite /least_mean; lra.
Qed.

Lemma widest_contains I E : contains I E -> contains (widest_in I) (widest p E).
Proof.
move=> HI; rewrite /widest /p exponent_inverse; apply: imagnitude_contains.
by apply: idiv_contains => //; exact: loose_floor_contains.
Qed.
(* ---- the entries of a piece ---- *)

Lemma firm_reach_eq (J : finType) (E w : R) (sigma h loose : vec J) (firm : pred J) :
  (forall j, ~~ firm j -> sigma j = 0) -> (forall j, loose j = if firm j then 0 else 1) -> w = widest p E ->
  sqrt (2 * E * \sum_j h j * h j * sigma j) + w * lp_norm q (fun j => loose j * h j) = firm_reach p q E sigma firm h.
Proof.
move=> out marks ->; rewrite /firm_reach; congr (sqrt (_ * _) + _ * _).
  rewrite [RHS]big_mkcond; apply: eq_bigr => j _; case: (boolP (firm j)) => // /out ->; ring.
rewrite /lp_norm /lp_sum; congr abs_power; apply: eq_bigr => j _; congr abs_power.
by rewrite /loose_part marks; case: (firm j); ring.
Qed.

Variables (Q kept : pred (token (problem D))) (Delta : token (problem D) -> vector) (u v : vector).
Variables (gamma beta K C0 G longest spread lost eta whole : R) (low weights_ : token (problem D) -> R).
Notation n := (mirror p u).
Hypothesis setting : setting_encloses a c s Q kept Delta u v gamma beta K C0 G longest spread lost eta whole low
  weights_.

Section Piece.
Variables (ray : table) (E : R) (EI : interval).
Hypotheses (E0 : 0 <= E) (HE : contains EI E).
Definition firm_size : vector := fun jk => lower (iabs (entry_of ray jk.1 jk.2)).
Definition is_firm : pred (coord (problem D)) := fun jk => firm_at EI ray jk.1 jk.2.
Definition firm_sigma : vector := fun jk => if is_firm jk then firm_soft_of E (firm_size jk) else 0.
Definition firm_far : vector := fun jk => firm_far_of E (firm_size jk).
Notation sigma_in := (sigmas_in EI ray).
Notation marks := (loose_marks EI ray).
Notation wide := (widest_in EI).
Notation reach_of := (firm_reach p q E firm_sigma is_firm).

Let size_contains (jk : coord (problem D)) : contains (least_at ray jk.1 jk.2) (firm_size jk).
Proof. exact: lower_end_contains. Qed.

Lemma firm_sigma_encloses : matrix_encloses sigma_in firm_sigma.
Proof.
apply: matrix_of_encloses => j k; rewrite /firm_sigma /is_firm /=; case: ifP => _; last exact: contains0.
by apply: firm_soft_contains => //; exact: (size_contains (j, k)).
Qed.

Lemma loose_marks_enclose : matrix_encloses marks (fun jk => if is_firm jk then 0 else 1).
Proof.
by apply: matrix_of_encloses => j k; rewrite /is_firm /=; case: ifP => _; [exact: contains0 | exact: contains1].
Qed.

Lemma firm_numbers_at jk : is_firm jk -> firm_numbers p E (firm_size jk) (firm_sigma jk) (firm_far jk).
Proof.
move=> firm; have [A0 lt] := firm_in_sound HE (size_contains jk) firm.
by rewrite /firm_sigma firm; exact: firm_numbers_of.
Qed.

Lemma firm_size_le (w : vector) jk : matrix_encloses ray w -> is_firm jk -> firm_size jk <= Rabs (w jk).
Proof.
case: jk => j k [_ H] /andP[pos _]; apply: lower_le pos; apply: iabs_contains; exact: H.
Qed.

Lemma firm_reach_contains m h : matrix_encloses m h ->
  contains (firm_reach_in EI sigma_in marks wide m) (reach_of h).
Proof.
move=> Hm; rewrite -(@firm_reach_eq _ E (widest p E) firm_sigma h (fun jk => if is_firm jk then 0 else 1) is_firm) //.
  apply: iadd_contains.
    apply: isqrt_contains; apply: imul_contains; first by apply: imul_contains => //; exact: contains2.
    exact: square_sum_contains Hm firm_sigma_encloses.
  apply: imul_contains; first exact: widest_contains.
  apply: power_norm_contains.
  by apply: (matrix_combine_encloses loose_marks_enclose Hm) => jk I J; exact: imul_contains.
by move=> jk; rewrite /firm_sigma => /negbTE ->.
Qed.

Lemma firm_reach_encloses : encloses (map_rows (firm_reach_in EI sigma_in marks wide) (in_rows s))
  (fun t => reach_of (Delta t)).
Proof.
apply: (encloses_map (e0 := [::])) => [|t]; first exact: rows_fit setting.
exact: firm_reach_contains (rows_enclose setting t).
Qed.

Notation is_near := (@is_near N D P a c s ray).
Notation slope_of := (@slope_of N D P a c s ray).

Definition bend_size : vector := fun jk => if is_near jk then Rabs (slope_of jk)
  else upper (whole_slope_in EI wide ray jk.1 jk.2).

Lemma bend_sizes_enclose : matrix_encloses (bend_sizes_in EI wide ray) bend_size.
Proof.
have [_ H] := slopes_enclose D P a c s ray; apply: matrix_of_encloses => j k; rewrite /bend_size /is_near /=.
by case: ifP => _; [apply: iabs_contains; exact: H | exact: upper_contains].
Qed.

Section AtHeight.
Variable y : R.
Hypothesis at_y : matrix_encloses ray (unit_ray u v y).

Lemma near_slope jk : is_near jk -> Rabs (bend_slope p u (unit_ray u v y) jk) <= bend_size jk.
Proof.
move=> near_jk; rewrite /bend_size near_jk; apply: Rsqr_le_abs_0; rewrite /Rsqr.
exact: (slope_square setting at_y near_jk).
Qed.

Lemma whole_slope jk : wholes_bounded EI wide ray -> ~~ is_near jk -> Rabs (n jk) <= bend_size jk /\
  Rabs (u jk) * abs_power (Rabs (unit_ray u v y jk) + (if is_firm jk then firm_far jk else widest p E)) (p - 2)
    <= bend_size jk.
Proof.
move=> all_b far; rewrite /bend_size (negbTE far).
have := every_entry (g := fun j k => near_in ray j k || bounded (whole_slope_in EI wide ray j k)) jk all_b.
rewrite -/(is_near jk) (negbTE far) /= => bd.
have Hn : contains (iabs (entry_of (in_normal s) jk.1 jk.2)) (Rabs (n jk)).
  by apply: iabs_contains; case: (jk) => j k; case: (normal_encloses setting).
have Hu : contains (iabs (unit_at jk.1 jk.2)) (Rabs (u jk)).
  by apply: iabs_contains; have [_ H] := unit_encloses setting; case: (jk) => j k; exact: H.
have Ha : contains (iabs (entry_of ray jk.1 jk.2)) (Rabs (unit_ray u v y jk)).
  by apply: iabs_contains; case: (jk) => j k; case: at_y.
have Hf : contains (if firm_at EI ray jk.1 jk.2 then firm_far_in EI (least_at ray jk.1 jk.2) else wide)
    (if is_firm jk then firm_far jk else widest p E).
  by rewrite /is_firm; case: ifP => _; [apply: firm_far_contains => //; exact: size_contains | exact: widest_contains].
have := upper_ge (imax_contains P Hn (imul_contains P Hu (less_two_contains (iadd_contains P Ha Hf)))) bd.
set x := Rabs (n jk); set z := Rabs (u jk) * _ => le.
by split; apply: Rle_trans le; [exact: Rmax_l | exact: Rmax_r].
Qed.
End AtHeight.
End Piece.

(* ---- what MirrorMethods.v asks ---- *)

Variable mu : token (problem D) -> R.
Hypothesis dir : mirror_direction Q Delta p u gamma mu.
Let u_unit := mirror_unit dir.
Hypotheses (centred : dot n v = 0) (factor : curve_factor p beta).
Let conj : / p + / q = 1 := exponent_conjugate ca.
Notation zeta := (ray_height p u v).

Lemma firm_part_sound : part_means a c Q Delta u v firm_part.
Proof.
move=> I E ray lo hi [lo0 lh] HE E0 rays bounded_.
pose r := vector_largest (@ratio_of N D P a c s ray); have r0 : 0 <= r := vector_largest_ge0 _.
pose reach h := firm_reach p q E (firm_sigma ray E I) (is_firm ray I) h.
exists (fun t => reach (Delta t)), (beta / (p - 1) * r * E + reach (bend_size ray I)); split.
- exact: firm_reach_encloses.
- apply: iadd_contains; last exact: firm_reach_contains (bend_sizes_enclose ray I).
  apply: imul_contains HE; apply: imul_contains; first exact: bend_contains setting.
  exact: matrix_largest_contains (ratios_enclose D P a c s ray).
- have B0 : 0 <= beta / (p - 1).
    by apply: Rmult_le_pos; [exact: proj1 factor | apply/Rlt_le/Rinv_0_lt_compat; lra].
  apply: Rplus_le_le_0_compat; last exact: firm_reach_ge0.
  by apply: Rmult_le_pos E0; exact: Rmult_le_pos.
- by move=> t _; exact: firm_reach_ge0.
move=> y le; have y0 : 0 < y by lra.
have at_y := rays y le; have numbers jk := firm_numbers_at (ray := ray) (jk := jk) E0 HE.
have entries jk := firm_size_le (EI := I) (jk := jk) at_y.
split=> [z hy gap_le t Qt | z hy gap_le].
  exact: (firm_height_moves p1 p2 conj y0 numbers entries gap_le (Delta t)).
have near_ok jk : @is_near N D P a c s ray jk -> bend_near u (unit_ray u v y) r jk /\
    Rabs (bend_slope p u (unit_ray u v y) jk) <= bend_size ray I jk.
  by move=> near_jk; split; [exact: (is_near_bend setting at_y near_jk) | exact: near_slope].
exact: (firm_height_bends p1 p2 conj y0 numbers entries hy gap_le u_unit centred factor r0 near_ok
  (fun jk far => whole_slope HE at_y bounded_ far)).
Qed.

Definition steep_turn (ray : table) : vector := fun jk =>
  if is_zero (unit_at jk.1 jk.2) then 0 else upper (steep_turn_at ray jk.1 jk.2).

Lemma steep_turns_enclose ray : matrix_encloses (steep_turn_in ray) (steep_turn ray).
Proof.
apply: matrix_of_encloses => j k; rewrite /steep_turn /=.
by case: ifP => _; [exact: contains0 | exact: upper_contains].
Qed.

Section Last.
Variables (first : R) (heights slopes : seq (fraction N)).
Let K_ := size heights.
Notation Y := (height_at heights first).
Notation m := (slope_real slopes).

Lemma steep_turn_le ray jk y : 0 < y -> all_near D P a c s ray -> turns_bounded ray ->
  matrix_encloses ray (unit_ray u v y) -> matrix_encloses ray u ->
  y * Rabs (bend_slope p u (unit_ray u v y) jk) <= steep_turn ray jk.
Proof.
move=> y0 nears turns at_y at_u; have [_ UU] := unit_encloses setting; have [_ VV] := offset_encloses setting.
have uc0 : contains (unit_at jk.1 jk.2) (u jk) by case: (jk) => j k; exact: UU.
rewrite /steep_turn; case zero: (is_zero _).
  have u0 : u jk = 0 := is_zero_real uc0 zero.
  by rewrite bend_slope_zero // Rabs_R0 Rmult_0_r; right.
have := every_entry (g := fun j k => is_zero (unit_at j k) ||
  is_positive (lower_end (iabs (entry_of ray j k))) && bounded (steep_turn_at ray j k)) jk turns.
rewrite zero /= => /andP[_ bd].
have uc : contains (entry_of ray jk.1 jk.2) (u jk) by case: (jk) => j k; case: at_u.
have ac : contains (entry_of ray jk.1 jk.2) (unit_ray u v y jk) by case: (jk) => j k; case: at_y.
have vc : contains (entry_of (in_offset s) jk.1 jk.2) (v jk) by case: (jk) => j k; exact: VV.
have := every_entry (g := near_in ray) jk nears; rewrite /MirrorSetting.near_in zero /= => /and4P[same _ _ _].
have same0 := is_positive_real (imul_contains P uc0 ac) same.
have [x xi ->] := bend_slope_turns p y0 same0; rewrite (Rabs_pos_eq (p - 2)); last lra.
have xc : contains (iabs (entry_of ray jk.1 jk.2)) x.
  move: xi; case: (Rle_lt_dec (Rabs (unit_ray u v y jk)) (Rabs (u jk))) => h.
    by rewrite Rmin_left // Rmax_right // => xi; exact: contains_between (iabs_contains ac) (iabs_contains uc) xi.
  rewrite Rmin_right; last lra; rewrite Rmax_left; last lra.
  by move=> xi; exact: contains_between (iabs_contains uc) (iabs_contains ac) xi.
apply: upper_ge bd; apply: imul_contains; first exact: iabs_contains.
apply: imul_contains; last exact: iabs_contains.
apply: imul_contains; last exact: less_three_contains.
by apply: isub_contains; [exact: over_contains | exact: contains2].
Qed.

Lemma firm_last_sound : last_part_means a c heights slopes Q Delta u v first 1 firm_last.
Proof.
move=> I E ray yI shI share stI steep flat ok HE E0 yc shc stc rays at_u level /andP[nears turns_ok].
have [Y_gt0 Y_rises zeta0 slopes_ge0] := ok; have Yl : 0 < Y K_ := Y_pos Y_gt0 Y_rises (leqnn K_).
pose r := vector_largest (@ratio_of N D P a c s ray); have r0 : 0 <= r := vector_largest_ge0 _.
pose reach h := firm_reach p q E (firm_sigma ray E I) (is_firm ray I) h.
pose kappa := reach (steep_turn ray) + beta / (p - 1) * r * (share * steep).
have numbers jk := firm_numbers_at (ray := ray) (jk := jk) E0 HE.
have entries y jk (le : Y K_ <= y) := firm_size_le (EI := I) (jk := jk) (rays y le).
have near y jk : Y K_ <= y -> bend_near u (unit_ray u v y) r jk.
  by move=> le; apply: (is_near_bend setting (rays y le)); exact: (every_entry (g := near_in ray) jk nears).
have turns y jk : Y K_ <= y -> y * Rabs (bend_slope p u (unit_ray u v y) jk) <= steep_turn ray jk.
  by move=> le; apply: steep_turn_le => //; [lra | exact: rays].
have kappa_ge : kappa <= kappa by right.
exists (fun t => reach (Delta t)), kappa, (fun=> kappa); split.
- exact: firm_reach_encloses.
- apply: iadd_contains; first exact: firm_reach_contains (steep_turns_enclose ray).
  apply: imul_contains; last exact: imul_contains.
  apply: imul_contains; first exact: bend_contains setting.
  exact: matrix_largest_contains (ratios_enclose D P a c s ray).
- by move=> t _; exact: firm_reach_ge0.
- move=> y le z hy gap_le t Qt; have y0 : 0 < y := Rlt_le_trans _ _ _ Yl le.
  exact: (firm_height_moves p1 p2 conj y0 numbers (fun jk => entries y jk le) gap_le (Delta t)).
split.
- move=> y z; exact: (firm_bends p1 p2 conj dir Y_gt0 Y_rises zeta0 slopes_ge0 level centred factor r0 numbers entries
    near turns kappa_ge).
- move=> y; exact: (firm_bend_slow p1 Y_gt0 Y_rises slopes_ge0 level factor r0 kappa_ge).
by move=> y le; rewrite (grown_one p1 Y_gt0 Y_rises level le) Rmult_1_r; right.
Qed.
End Last.
End Firm.
