(* MirrorHeightChecks: T17's conditions at all heights from a list of heights and slopes, computed in intervals
   (MIRROR.md sections 11 and 13): what is computed, and what follows for each piece. How far points go on a piece, and
   what steps cost, are parameters (MirrorMethods.v); MirrorAllHeights.v puts the pieces together. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm PowerInequalities UniformConvexity Direction
                           Growth Gibbs FactorRange Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary NormChecks NormDistanceChecks IntervalTables AttentionIntervals
                           ReferenceIntervals Replay ForeverChecks LocalFactors Mirror MirrorRay MirrorMoves
                           MirrorEntries MirrorBend MirrorRegion MirrorRun MirrorHeights MirrorPieces MirrorCosts
                           PowerIntervals MirrorReplay MirrorRunChecks MirrorFactors MirrorTables MirrorSetting
                           MirrorMethods.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section Heights.
Variables (N : number) (D : token_data N) (P : Z) (a c : positive) (s : mirror_setting N).
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation table := (seq (seq interval)).
Let d := left_dimension D.
Let e := right_dimension D.
Notation vector := (vec (coord (problem D))).
Implicit Types (t : token (problem D)) (I : interval).

Variable M : piece_method N.
Notation part := (method_part M).
Notation last_part := (method_last_part M).
Notation price := (method_price M).
Notation last_price := (method_last_price M).
Notation kn := (method_power M).1.
Notation kd := (method_power M).2.

(* The heights after the first, the slopes between them and beyond; normalised steps, and the growth claimed. *)
Variables (first : interval) (heights slopes : seq (fraction N)) (normalised : bool) (growth : interval).

Definition ray_height_in y : interval :=
  matrix_product P (power_matrix P (a - c) c
    (matrix_of D (fun j k => iadd P (imul P y (unit_at s j k)) (entry_of (in_offset s) j k)))) (in_unit s).
Definition slope_at k : interval := fraction_in P (nth (fraction_zero N) slopes k).
Definition clock_in I : interval := imagnitude P kn kd I.
Definition zeta_rise_in z : interval := imul P (over N P kn kd) (power_to P (Zpos kn - Zpos kd) kd z).

(* The energy up to height k. *)
Definition energy_in (powers : seq interval) k : interval :=
  isum P [seq imul P (slope_at i) (isub P (nth anything powers i.+1) (nth anything powers i)) | i <- seq.iota 0 k].

(* The least slope that a step of that length from piece k may meet. *)
Definition may_meet (zetas : seq interval) length k j : bool :=
  ~~ certainly_le (iadd P (nth anything zetas k.+1) length) (nth anything zetas j).
Definition need_in (zetas : seq interval) length k : interval :=
  foldr (fun j x => if may_meet zetas length k j then imin P (slope_at j) x else x) (slope_at k)
    (seq.iota k.+1 (size heights - k)).

Definition piece_stretch_in rho : interval := imul P (in_longest s) (iadd P (interval1 N) rho).
Definition length_in rho : interval :=
  if normalised then in_step s else imul P (imul P (in_step s) (in_whole s)) (piece_stretch_in rho).
Definition weight_in speed : interval :=
  if normalised then idiv P (in_step s) speed else imul P (in_step s) (in_whole s).
Definition grows rho speed : bool :=
  is_positive speed && (~~ normalised || certainly_le (imul P growth (piece_stretch_in rho)) speed).

Definition inner_check (zetas : seq interval) E y0 y1 k : bool :=
  let z0 := nth anything zetas k in
  let energy := idiv P E (imagnitude P a c y0) in
  let ray := ray_between D P (unit_ray_in D P s y0) (unit_ray_in D P s y1) in
  let found := part energy ray in
  let curved := imul P y1 (part_bent found) in
  let rho := better_mass_in P s (combine_tables (imax P) (better_exponents_in P s y0 curved (part_reach found))
    (better_exponents_in P s y1 curved (part_reach found))) in
  let speed := speed_in P s rho in
  let length := length_in rho in
  let cost := price E ray y0 (nth anything zetas k.+1) rho length (weight_in speed) in
  let far := imul P rho (imul P y1 (better_far_in P s (part_reach found))) in
  [&& is_nonnegative energy, part_ok found,
    above_floors P s y0 (part_reach found) && above_floors P s y1 (part_reach found),
    grows rho speed & certainly_le (iadd P (iadd P (iadd P (in_gibbs s) (imul P (in_margin s) curved)) far) cost)
      (imul P speed (imul P (need_in zetas length k) (zeta_rise_in z0)))].

Definition better_falls y kappa reach : bool :=
  all_within (@id bool) (in_better s)
    (map_rows (fun IJ => certainly_le (interval1 N) (isub P (imul P y (isub P (isub P IJ.1 (in_margin s)) IJ.2))
       (imul P (in_margin s) kappa))) (zip_rows (in_along s) reach)).
Definition reach_less reach : bool :=
  all_within (@id bool) (in_constraints s)
    (map_rows (fun IJ => certainly_le IJ.1 IJ.2) (zip_rows reach (in_along s))).

Definition last_ray y : table := ray_between D P (unit_ray_in D P s y) (in_unit s).
Definition last_along y : interval := matrix_product P (power_matrix P (a - c) c (last_ray y)) (in_unit s).
Definition last_height_in y : interval := imul P (imagnitude P (a - c) c y) (lower_end (last_along y)).

Definition last_check E y x slope : bool :=
  let ray := last_ray y in
  let along := last_along y in
  let steep := upper_end along in
  let share := imax P slope (idiv P E x) in
  let energy := imul P (imul P share (clock_in steep)) (power_to P (method_falls M).1 (method_falls M).2 y) in
  let found := last_part energy ray y share steep in
  let kappa := part_bent found in
  let rho := better_mass_in P s (better_exponents_in P s y kappa (part_reach found)) in
  let end_ := last_height_in y in
  let speed := speed_in P s rho in
  let cost := last_price share steep ray y end_ rho (length_in rho) (weight_in speed) in
  [&& is_positive (lower_end along), is_positive x, is_nonnegative energy, part_ok found &
    [&& above_floors P s y (part_reach found), reach_less (part_reach found), better_falls y kappa (part_reach found),
      grows rho speed & certainly_le (iadd P (iadd P (iadd P (imax P (in_gibbs s) (interval0 N))
          (imul P (in_margin s) kappa)) (imul P rho (imul P y (better_far_in P s (part_reach found))))) cost)
        (imul P speed (imul P slope (zeta_rise_in end_)))]].

Definition heights_check (rate : interval) : bool :=
  let n := size heights in
  let ys := first :: [seq fraction_in P h | h <- heights] in
  let zetas := [seq ray_height_in y | y <- ys] in
  let powers := [seq clock_in z | z <- zetas] in
  let offset := method_offset M ys zetas (last_height_in (nth anything ys n)) in
  let at_ (m : seq interval) k := nth anything m k in
  [&& is_positive first, is_positive (at_ zetas 0%nat), is_positive (in_step s) && bounded offset,
      all (fun k => is_positive (slope_at k) &&
        certainly_le (iadd P (imul P (interval2 N) (slope_at k)) offset) rate) (seq.iota 0 n.+1) &
    [&& all (fun k => certainly_lt (at_ ys k) (at_ ys k.+1)) (seq.iota 0 n),
        all (fun k => inner_check zetas (energy_in powers k.+1) (at_ ys k) (at_ ys k.+1) k) (seq.iota 0 n) &
        last_check (energy_in powers n) (at_ ys n) (at_ powers n) (slope_at n)]].

(* ---- soundness ---- *)

Hypothesis ca : (c < a)%positive.
Let p := exponent a c.
Let q := exponent a (a - c).
Let r := exponent kn kd.
Let p1 : 1 < p := exponent_gt1 ca.
Let conj : / p + / q = 1 := exponent_conjugate ca.
Let q1 : 1 < q := conjugate_gt1 p1 conj.
Variables (Q : pred (token (problem D))) (Delta : token (problem D) -> vector) (u v : vector) (gamma : R).
Variables (mu : token (problem D) -> R) (b : vector -> token (problem D) -> R) (f : factor_bounds (token (problem D))).
Variables (beta G longest spread lost eta h0 : R) (low : token (problem D) -> R).
Notation n := (mirror p u).
Notation K := (log_floor Q mu (factor_low f)).
Notation C0 := (gibbs_gap Q Delta u v (factor_kept f) gamma mu (factor_high f) (factor_low f) h0).
Notation whole := (most_total f low).
Hypothesis known : mirror_known a c s first Q Delta u v gamma mu b f beta G longest spread lost eta h0 low.
Let dir := known_direction known.
Let setting := known_setting known.
Let first_contains : contains first h0 := known_first known.
Let size_ge0 := known_sizes known.

Notation Y := (height_at heights h0).
Notation m := (slope_real slopes).
Notation X := (height_power p u v r Y).
Notation E := (rise_to X m).
Notation zeta := (ray_height p u v).
Notation piece := (mirror_piece (token (problem D))).

Let ys := first :: [seq fraction_in P h | h <- heights].
Let zetas := [seq ray_height_in y | y <- ys].
Let powers := [seq clock_in z | z <- zetas].
Let K_ := size heights.
Notation Yend := (Y K_).

Lemma ys_contains k : (k <= size heights)%nat -> contains (nth anything ys k) (Y k).
Proof.
case: k => [|k] le; first exact: first_contains.
by rewrite /ys /= (nth_map (fraction_zero N)) //; exact: fraction_in_contains.
Qed.

Let size_ys : size ys = (size heights).+1. Proof. by rewrite /ys /= size_map. Qed.

Lemma ray_height_contains I y : contains I y -> contains (ray_height_in I) (zeta y).
Proof.
move=> Hy; apply: matrix_product_contains; last exact: unit_encloses setting.
rewrite /mirror /p (primal_power ca); apply: power_matrix_encloses; apply: matrix_of_encloses => j k.
have [_ U] := unit_encloses setting; have [_ V] := offset_encloses setting.
by apply: iadd_contains; [apply: imul_contains Hy _; exact: U | exact: V].
Qed.

Lemma zetas_contain k : (k <= size heights)%nat -> contains (nth anything zetas k) (zeta (Y k)).
Proof.
move=> le; rewrite /zetas (nth_map anything) ?size_ys //.
exact: ray_height_contains (ys_contains le).
Qed.

Lemma height_powers_contain k : (k <= size heights)%nat -> contains (nth anything powers k) (X k).
Proof.
move=> le; rewrite /powers (nth_map anything) ?size_map ?size_ys //.
by apply: imagnitude_contains; exact: zetas_contain.
Qed.

Lemma slope_contains k : contains (slope_at k) (m k).
Proof. exact: fraction_in_contains. Qed.

Lemma energy_contains k : (k <= size heights)%nat -> contains (energy_in powers k) (E k).
Proof.
move=> le; apply: isum_contains => [|i]; first by rewrite size_map size_iota.
have ik := ltn_ord i; rewrite (nth_map 0%nat) ?size_iota // nth_iota // add0n.
apply: imul_contains; first exact: slope_contains.
by apply: isub_contains; apply: height_powers_contain; [exact: leq_trans ik le | exact: ltnW (leq_trans ik le)].
Qed.

Lemma rise_contains I z : contains I z -> contains (zeta_rise_in I) (r * abs_power z (r - 1)).
Proof.
move=> Hz; apply: imul_contains; first exact: over_contains.
have -> : r - 1 = quotient (Zpos kn - Zpos kd) kd; last exact: power_to_contains.
by rewrite /quotient minus_IZR /r /exponent; have := positive_gt0 kd => d0; field; lra.
Qed.

(* The least slope that a step may meet. *)
Definition need_real (length : interval) (k : nat) : R :=
  foldr (fun j x => if may_meet zetas length k j then Rmin (m j) x else x) (m k) (seq.iota k.+1 (size heights - k)).

Lemma need_contains length k : contains (need_in zetas length k) (need_real length k).
Proof.
rewrite /need_in /need_real; elim: (seq.iota _ _) => [|j q_ IH] /=; first exact: slope_contains.
by case: ifP => // _; apply: imin_contains => //; exact: slope_contains.
Qed.

Lemma need_le length x k j : contains length x -> (k <= j <= size heights)%nat ->
  ((k < j)%nat -> zeta (Y j) < zeta (Y k.+1) + x) -> need_real length k <= m j.
Proof.
move=> Hx /andP[kj jn] meet; rewrite /need_real; move: kj; rewrite leq_eqVlt => /orP[/eqP <- | lt].
  by elim: (seq.iota _ _) => [|i q_ IH] /=; [right | case: ifP => // _; exact: Rle_trans (Rmin_r _ _) IH].
have hit : may_meet zetas length k j.
  apply/negP => /certainly_le_real H.
  have le := H _ _ (iadd_contains P (zetas_contain (leq_trans lt jn)) Hx) (zetas_contain jn).
  by have := meet lt; lra.
have inside : j \in seq.iota k.+1 (size heights - k).
  rewrite mem_iota lt /=; have kn_ := ltnW (leq_trans lt jn).
  by rewrite addSn subnKC // ltnS.
elim: (seq.iota _ _) inside => [//|i q_ IH]; rewrite inE => /orP[/eqP <- | /IH le] /=.
  by rewrite hit; exact: Rmin_l.
by case: ifP => // _; exact: Rle_trans (Rmin_r _ _) le.
Qed.

Lemma need_ge0 length k : (k <= size heights)%nat -> (forall j, (j <= size heights)%nat -> 0 <= m j) ->
  0 <= need_real length k.
Proof.
move=> kn_ pos; rewrite /need_real.
have: forall j, j \in seq.iota k.+1 (size heights - k) -> 0 <= m j.
  by move=> j; rewrite mem_iota addSn subnKC // ltnS => /andP[_]; exact: pos.
elim: (seq.iota _ _) => [|i q_ IH] all_pos /=; first exact: pos.
have rest : forall j, j \in q_ -> 0 <= m j by move=> j jr; apply: all_pos; rewrite inE jr orbT.
by case: ifP => _; [apply: Rmin_glb; [apply: all_pos; rewrite inE eqxx | exact: IH] | exact: IH].
Qed.

(* ---- pieces ---- *)

Variable priced : R -> R -> R -> nat -> piece -> R -> Prop.
Hypothesis sound : method_sound a c heights slopes normalised Q Delta u v gamma mu b f G eta h0 low M priced.
Let falls_is : quotient (method_falls M).1 (method_falls M).2 = (p - 1) * r - p.
Proof. by have [] := sound_power sound. Qed.
Notation piece_proper := (piece_proper a c heights slopes u v h0).
Notation mirror_step_length := (mirror_step_length f low normalised longest eta).
Notation weight_of := (weight_of gamma f low normalised G eta).

Variable growth_real : R.
Hypothesis growth_contains : contains growth growth_real.

Definition growing (rho : R) : Prop := 0 < gamma - rho * G /\
  (normalised -> growth_real * (longest * (1 + rho)) <= gamma - rho * G).

Lemma piece_stretch_contains I rho : contains I rho -> contains (piece_stretch_in I) (longest * (1 + rho)).
Proof.
move=> H; apply: imul_contains; first exact: longest_contains setting.
by apply: iadd_contains => //; exact: contains1.
Qed.

Lemma length_contains I rho : contains I rho -> contains (length_in I) (mirror_step_length rho).
Proof.
move=> H; rewrite /length_in /mirror_step_length; case: normalised; first exact: step_contains setting.
apply: imul_contains (piece_stretch_contains H); apply: imul_contains; first exact: step_contains setting.
exact: whole_contains setting.
Qed.

Lemma weight_contains I rho : contains I (gamma - rho * G) -> contains (weight_in I) (weight_of rho).
Proof.
move=> H; rewrite /weight_in /weight_of; case: normalised.
  by apply: idiv_contains H; exact: step_contains setting.
by apply: imul_contains; [exact: step_contains setting | exact: whole_contains setting].
Qed.

Lemma grows_sound I rho J : contains I rho -> contains J (gamma - rho * G) -> grows I J -> growing rho.
Proof.
move=> HI HJ /andP[/(is_positive_real HJ) pos also]; split=> // norm.
rewrite norm /= in also; apply: certainly_le_real also => //.
by apply: imul_contains growth_contains _; exact: piece_stretch_contains.
Qed.

Notation least_margin := (least_margin Delta u v).
Notation better_exponent := (better_exponent Delta u v gamma).
Notation better_mass := (better_mass Q (factor_kept f) K (factor_size f)).
Notation farthest := (farthest Q (factor_kept f)).

Lemma better_mass_ge0 F : 0 <= better_mass F.
Proof.
apply: Rmult_le_pos; first exact/Rlt_le/exp_pos.
by apply: sum_ge0 => t /andP[Qt Nt]; apply: Rmult_le_pos; [exact: size_ge0 | exact/Rlt_le/exp_pos].
Qed.

(* What a piece needs beside its shape. *)
Record piece_found (share steep flat : R) (k : nat) (d_ : piece) : Prop := PieceFound {
  found_shape : piece_shape Q Delta p q u v low K_ Y d_ k;
  found_steps : piece_steps Q Delta p u v gamma mu f r K_ Y m G d_ k;
  found_grows : growing (piece_ratio d_);
  found_ratio : 0 <= piece_ratio d_;
  found_far : 0 <= piece_far d_;
  found_length : piece_length d_ = mirror_step_length (piece_ratio d_);
  found_price : priced share steep flat k d_ (weight_of (piece_ratio d_))
}.

Section Proper.
Hypothesis slopes_ok : piece_proper.

Let rises k (kK : (k < K_)%nat) : Y k <= Y k.+1. Proof. by have [_ H _ _] := slopes_ok; exact: H. Qed.
Let slope_ge0 k (kK : (k <= K_)%nat) : 0 <= m k. Proof. by have [_ _ _ H] := slopes_ok; exact: H. Qed.
Let Y_gt0 k (kK : (k <= K_)%nat) : 0 < Y k. Proof. by have [H1 H2 _ _] := slopes_ok; exact: (Y_pos H1 H2). Qed.

Lemma rays_enclose k y : (k < K_)%nat -> Y k <= y <= Y k.+1 -> matrix_encloses (ray_between D P
  (unit_ray_in D P s (nth anything ys k)) (unit_ray_in D P s (nth anything ys k.+1))) (unit_ray u v y).
Proof.
move=> kK le; have yk := Y_gt0 (ltnW kK).
apply: (ray_between_encloses P (unit_ray_in_encloses P setting (ys_contains (ltnW kK)))
  (unit_ray_in_encloses P setting (ys_contains kK))) => jk.
apply: (@unit_ray_between N D u v (Y k) y (/ Y k.+1) jk); first lra.
by split; [apply/Rlt_le/Rinv_0_lt_compat | apply: Rinv_le_contravar]; lra.
Qed.

Lemma inner_found share steep flat k : (k < K_)%nat ->
  inner_check zetas (energy_in powers k.+1) (nth anything ys k) (nth anything ys k.+1) k -> exists d_ : piece,
  piece_found share steep flat k d_ /\ inner_piece Q Delta p q u v gamma mu f low r K_ Y m d_ k.
Proof.
move=> kK; have y_k := ys_contains (ltnW kK); have y_k1 := ys_contains kK; have e_k := energy_contains kK.
have Yk := Y_gt0 (ltnW kK); have up := rises kK.
have ec : contains (idiv P (energy_in powers k.+1) (imagnitude P a c (nth anything ys k))) (E k.+1 / abs_power (Y k) p).
  by apply: idiv_contains => //; exact: imagnitude_contains.
rewrite /inner_check; cbv zeta; set ray := ray_between _ _ _ _; set EI := idiv P _ _ in ec *.
case/and5P=> /(is_nonnegative_real ec) e0 pok /andP[f0 f1] gr hold.
have [reach [bent [rc bc bent0 reach0 at_]]] := sound_part sound (Logic.conj Yk up) ec e0
  (fun y le => rays_enclose kK le) pok.
set found := part EI ray in pok f0 f1 gr hold rc bc *.
have cc := imul_contains P y_k1 bc; set curved := Y k.+1 * bent in cc.
have xc := combine_encloses (H := fun t => Rmax (better_exponent (Y k) curved reach t)
    (better_exponent (Y k.+1) curved reach t)) (excess_encloses P setting y_k cc rc) (excess_encloses P setting y_k1
      cc rc)
    (fun t I J HI HJ => imax_contains P HI HJ).
have rho_c := better_mass_contains P setting xc; set rho := better_mass _ in rho_c.
have rho0 : 0 <= rho := better_mass_ge0 _.
have sc := setting_speed_contains P setting rho_c; have grow := grows_sound rho_c sc gr.
have lc := length_contains rho_c; have wc := weight_contains sc.
have [x pc pm] := sound_price sound share steep flat slopes_ok kK (fun y le => rays_enclose kK le) e_k y_k
  (zetas_contain kK) rho_c rho0 lc wc.
set L := length_in _ in pc hold lc.
exists (MirrorPiece (E k.+1 / abs_power (Y k) p) reach curved rho (Y k.+1 * farthest reach) (mirror_step_length rho) x
  (need_real L k)).
have yp : 0 < abs_power (Y k) p by apply: abs_power_gt0; lra.
have far0 : 0 <= farthest reach := token_largest_ge0 _.
split; split=> //=.
- split=> //=.
    move=> y z t [[lo hi] hy gap_le] Qt; have [mv _] := at_ y (Logic.conj lo (hi kK)).
    exact: mv hy gap_le t Qt.
  by move=> t Qt; exact (above_floors_sound setting y_k rc f0 Qt).
- split=> /=; first exact: need_ge0 (ltnW kK) slope_ge0.
    by move=> j; exact: need_le lc.
  move=> _; apply: certainly_le_real hold.
    apply: iadd_contains pc; apply: iadd_contains; last first.
      by apply: imul_contains rho_c _; apply: imul_contains y_k1 _; exact (farthest_contains P setting rc).
    by apply: iadd_contains; [exact: gibbs_contains setting | apply: imul_contains cc; exact: margin_contains setting].
  apply: imul_contains sc _; apply: imul_contains; first exact: need_contains.
  exact: rise_contains (zetas_contain (ltnW kK)).
- have Y1 : 0 <= Y k.+1 by lra.
  exact: Rmult_le_pos Y1 far0.
- exact: pm.
- by right; field; lra.
- move=> y z [[lo hi] hy gap_le]; have [_ bend] := at_ y (Logic.conj lo (hi kK)).
  apply: Rle_trans (bend z hy gap_le) _; apply: Rmult_le_compat_r bent0 _; exact: hi.
- by move=> t Qt; exact (above_floors_sound setting y_k1 rc f1 Qt).
- exists (fun t => Rmax (better_exponent (Y k) curved reach t) (better_exponent (Y k.+1) curved reach t)).
  split; last by right.
  by move=> t y Qt Nt [-> | ->]; rewrite along_ray; [exact: Rmax_l | exact: Rmax_r].
have Y1 : 0 <= Y k.+1 by lra.
by move=> t Qt Nt; exact: (Rmult_le_compat_l _ _ _ Y1 (farthest_ge reach Qt Nt)).
Qed.

(* ---- beyond the last height ---- *)

Notation y_last := (nth anything ys K_).
Notation along := (last_along y_last).
Notation flat := (lower along).
Notation steep := (upper along).
Notation share := (Rmax (m K_) (E K_ / X K_)).

Let yc : contains y_last Yend := ys_contains (leqnn K_).

Lemma last_encloses y : Yend <= y -> matrix_encloses (last_ray y_last) (unit_ray u v y).
Proof.
move=> le; have Yl := Y_gt0 (leqnn K_); have H := unit_ray_in_encloses P setting yc.
apply: (ray_between_encloses P H (unit_encloses setting)) => jk.
have := @unit_ray_between N D u v Yend y 0 jk ltac:(lra) ltac:(split; [lra | apply/Rlt_le/Rinv_0_lt_compat; lra]).
by rewrite Rmult_0_r Rplus_0_r.
Qed.

Lemma last_encloses_unit : matrix_encloses (last_ray y_last) u.
Proof.
have H := unit_ray_in_encloses P setting yc.
by apply: (ray_between_encloses P H (unit_encloses setting)) => jk; split; [exact: Rmin_r | exact: Rmax_r].
Qed.

Lemma along_last_contains y : Yend <= y -> contains along (dot (mirror p (unit_ray u v y)) u).
Proof.
move=> le; apply: matrix_product_contains; last exact: unit_encloses setting.
by rewrite /mirror /p (primal_power ca); apply: power_matrix_encloses; exact: last_encloses.
Qed.

Lemma last_height_contains : contains (last_height_in y_last) (end_height p K_ Y flat).
Proof.
apply: imul_contains; last exact: lower_end_contains.
by rewrite /p (primal_power ca); exact: imagnitude_contains.
Qed.

Definition last_energy : R := share * abs_power steep r * abs_power Yend ((p - 1) * r - p).

Lemma last_found : last_check (energy_in powers K_) y_last (nth anything powers K_) (slope_at K_) ->
  exists kappa bend (d_ : piece), [/\ last_level p u v r K_ Y m share steep flat (piece_energy d_),
    last_piece Q Delta p q u v gamma mu f r K_ Y m flat kappa bend d_, piece_found share steep flat K_ d_ &
    Rmax C0 0 + gamma * kappa + piece_ratio d_ * (Yend * piece_far d_) + piece_cost d_ <=
      (gamma - piece_ratio d_ * G) * (piece_need d_ * (r * abs_power (end_height p K_ Y flat) (r - 1)))].
Proof.
have Yl := Y_gt0 (leqnn K_); have xc := height_powers_contain (leqnn K_); have sl := slope_contains K_.
have shc : contains (imax P (slope_at K_) (idiv P (energy_in powers K_) (nth anything powers K_))) share.
  by apply: imax_contains sl _; apply: idiv_contains xc; exact: energy_contains.
have stc : contains (upper_end along) steep by exact: upper_contains.
have ec : contains (imul P (imul P (imax P (slope_at K_) (idiv P (energy_in powers K_) (nth anything powers K_)))
    (clock_in (upper_end along))) (power_to P (method_falls M).1 (method_falls M).2 y_last)) last_energy.
  apply: imul_contains; last by rewrite -falls_is; exact: power_to_contains.
  by apply: imul_contains shc _; exact: imagnitude_contains.
rewrite /last_check; cbv zeta; set shI := imax P _ _ in shc ec *; set EI := imul P _ _ in ec *.
case/and5P=> fpos /(is_positive_real xc) x0 /(is_nonnegative_real ec) e0 pok.
case/and5P=> floors less fall gr hold.
have f0 : 0 < flat := is_positive_real (lower_end_contains along) fpos.
have level : last_level p u v r K_ Y m share steep flat last_energy.
  split; last by right.
    split; first exact: Rmax_l.
    have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ x0) (Rmax_r (m K_) (E K_ / X K_)).
    by rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra.
  split=> // y le; have at_y := along_last_contains le; split; first exact: lower_le fpos.
  by apply: upper_ge at_y _; case: along fpos.
have [reach [kappa [bend [rc kc reach0 mv [b1 b2 b3]]]]] := sound_last_part sound slopes_ok ec e0 yc shc stc
  last_encloses last_encloses_unit level pok.
set found := last_part _ _ _ _ _ in pok floors less fall gr hold rc kc.
have [fr Hr] := rc; have [fa Ha] := along_encloses setting.
have rho_c := better_mass_contains P setting (excess_encloses P setting yc kc rc); set rho := better_mass _ in rho_c.
have rho0 : 0 <= rho := better_mass_ge0 _.
have sc := setting_speed_contains P setting rho_c; have grow := grows_sound rho_c sc gr.
have lc := length_contains rho_c; have wc := weight_contains sc.
have [x pc pm] := sound_last_price sound slopes_ok shc stc yc last_height_contains last_encloses rho_c rho0 lc wc.
have far0 : 0 <= farthest reach := token_largest_ge0 _.
exists kappa, bend, (MirrorPiece last_energy reach kappa rho (farthest reach) (mirror_step_length rho) x (m K_)).
split=> //.
- split=> //.
  + move=> t Qt; have fz := fits_zip fr fa; have it : in_mask (in_constraints s) t by rewrite (constraints_are setting).
    have := all_withinP false (constraints_fit setting) (fits_map _ fz) less it.
    by rewrite (at_token_map (anything, anything)) // at_token_zip //= => /(certainly_le_real (Hr t) (Ha t)).
  + move=> t Qt Nt; have fz := fits_zip fa fr; have it : in_mask (in_better s) t by rewrite (better_are setting) Qt Nt.
    have := all_withinP false (better_fits setting) (fits_map _ fz) fall it.
    rewrite (at_token_map (anything, anything)) // at_token_zip //=; apply: certainly_le_real; first exact: contains1.
    apply: isub_contains; last by apply: imul_contains kc; exact: margin_contains setting.
    apply: imul_contains yc _; apply: isub_contains; last exact: Hr.
    by apply: isub_contains; [exact: Ha | exact: margin_contains setting].
  + right; rewrite /MirrorSetting.better_mass; congr (_ * _); apply: eq_bigr => t _; congr (_ * exp _).
    by rewrite /MirrorSetting.better_exponent /MirrorSetting.least_margin along_ray.
  by move=> t Qt Nt; exact: farthest_ge.
- split=> //.
  + split=> //.
      by move=> y z t [[lo _] hy gap_le] Qt; exact: (mv y lo z hy gap_le t Qt).
    by move=> t Qt; exact (above_floors_sound setting yc rc floors Qt).
  + split; [exact: slope_ge0 | by move=> j; rewrite -eqn_leq => /eqP <- _; right | by rewrite ltnn].
  exact: pm.
apply: certainly_le_real hold.
  apply: iadd_contains pc; apply: iadd_contains; last first.
    by apply: imul_contains rho_c _; apply: imul_contains yc _; exact (farthest_contains P setting rc).
  apply: iadd_contains; first by apply: imax_contains; [exact: gibbs_contains setting | exact: contains0].
  by apply: imul_contains kc; exact: margin_contains setting.
apply: imul_contains sc _; apply: imul_contains sl _; exact: rise_contains last_height_contains.
Qed.
End Proper.

End Heights.
