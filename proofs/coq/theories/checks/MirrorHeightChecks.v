(* MirrorHeightChecks: T17's conditions at all heights from a list of heights and slopes, computed in intervals
   (MIRROR.md sections 11 and 13). How far points go on a piece, and what steps cost, are parameters: MirrorSoftChecks.v
   has them for P <= 2, MirrorFirmChecks.v for P > 2. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm PowerInequalities UniformConvexity Direction
                           Growth Gibbs FactorRange Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary NormChecks NormDistanceChecks IntervalTables AttentionIntervals
                           ReferenceIntervals Replay ForeverChecks LocalFactors Mirror MirrorRay MirrorMoves
                           MirrorEntries MirrorBend MirrorRegion MirrorRun MirrorHeights MirrorPieces MirrorCosts
                           PowerIntervals MirrorReplay MirrorRunChecks MirrorFactors MirrorTables MirrorSetting.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

(* What holds of some number for each k < K holds of a sequence. *)
Lemma heights_of (T : Type) (t0 : T) (A : nat -> T -> Prop) K : (forall k, (k < K)%nat -> exists x, A k x) ->
  exists D : nat -> T, forall k, (k < K)%nat -> A k (D k).
Proof.
elim: K => [|K IH] H; first by exists (fun=> t0).
have [D HD] := IH (fun k lt => H k (leqW lt)); have [x Hx] := H K (leqnn _).
exists (fun k => if (k == K)%nat then x else D k) => k; rewrite ltnS leq_eqVlt.
by case/orP=> [/eqP -> | lt]; [rewrite eqxx | rewrite (ltn_eqF lt); exact: HD].
Qed.

Section Heights.
Variables (N : number) (D : token_data N) (P : Z) (a c : positive) (s : mirror_setting N).
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation table := (seq (seq interval)).
Let d := left_dimension D.
Let e := right_dimension D.
Notation vector := (vec (coord (problem D))).
Implicit Types (t : token (problem D)) (I : interval).

(* How far margins are from those on the ray, and kappa over the height; kappa itself beyond the last height. *)
Record piece_part := PiecePart { part_ok : bool; part_reach : table; part_bent : interval }.
(* Of a bound of the gap over y^p and the ray's entries; beyond the last height of that height, the share and steep,
   too. *)
Variables (part : interval -> table -> piece_part) (last_part : interval -> table -> interval -> interval -> interval ->
  piece_part).
(* What a step costs: between heights from E, the ray, y_k, zeta(y_{k+1}); beyond from share, steep, the ray, Y and its
   height; and rho, the step's length and its weight. *)
Variable price : interval -> table -> interval -> interval -> interval -> interval -> interval -> interval.
Variable last_price :
  interval -> interval -> table -> interval -> interval -> interval -> interval -> interval -> interval.
(* r, of whose power of the height the allowance is a function; (p - 1) r - p. *)
Variables (kn kd : positive) (falls : Z) (falls_over : positive).

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

Definition lower_end I : interval := iopp (upper_end (iopp I)).
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
  let energy := imul P (imul P share (clock_in steep)) (power_to P falls falls_over y) in
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

(* What the ray's offset costs over the height's power, from heights and their zetas. *)
Variable offset_in : seq interval -> seq interval -> interval.

Definition heights_check (rate : interval) : bool :=
  let n := size heights in
  let ys := first :: [seq fraction_in P h | h <- heights] in
  let zetas := [seq ray_height_in y | y <- ys] in
  let powers := [seq clock_in z | z <- zetas] in
  let offset := offset_in ys zetas in
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
Hypotheses (r1 : 1 <= r) (rp : (p - 1) * r <= p) (falls_is : quotient falls falls_over = (p - 1) * r - p).
Variables (Q : pred (token (problem D))) (Delta : token (problem D) -> vector) (u v : vector) (gamma : R).
Variables (mu : token (problem D) -> R) (b : vector -> token (problem D) -> R) (f : factor_bounds (token (problem D))).
Variables (beta G longest spread lost eta h0 : R) (low : token (problem D) -> R).
Notation n := (mirror p u).
Notation K := (log_floor Q mu (factor_low f)).
Notation C0 := (gibbs_gap Q Delta u v (factor_kept f) gamma mu (factor_high f) (factor_low f) h0).
Notation whole := (most_total f low).
Hypothesis dir : mirror_direction Q Delta p u gamma mu.
Hypothesis range : factor_range Q Delta b low f.
Hypothesis active_kept : forall t, active Q mu t -> factor_kept f t.
Hypothesis setting : setting_encloses a c s Q (factor_kept f) Delta u v gamma beta K C0 G longest spread lost eta whole
  low (factor_size f).
Hypothesis first_contains : contains first h0.
Hypothesis size_ge0 : forall t, Q t -> ~~ factor_kept f t -> 0 <= factor_size f t.
Hypotheses (G0 : 0 <= G) (G_le : forall t, Q t -> ~~ factor_kept f t -> dot (Delta t) u <= G).
Hypothesis longest_le : forall t, Q t -> lp_norm q (Delta t) <= longest.

Definition height_at (k : nat) : R := if k is j.+1 then fraction_real (nth (fraction_zero N) heights j) else h0.
Definition slope_real (k : nat) : R := fraction_real (nth (fraction_zero N) slopes k).
Notation Y := height_at.
Notation m := slope_real.
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

(* ---- what is asked of the parameters ---- *)

Definition moves_to (y E_ : R) (reach : token (problem D) -> R) : Prop := forall z, zeta y = dot z u ->
  mirror_gap p q (ray u v y) z <= E_ * abs_power y p ->
  forall t, Q t -> Rabs (dot (Delta t) (mirror q z - ray u v y)%V) <= y * reach t.

Hypothesis part_sound : forall I E_ m_ lo hi, 0 < lo <= hi -> contains I E_ -> 0 <= E_ ->
  (forall y, lo <= y <= hi -> matrix_encloses m_ (unit_ray u v y)) -> part_ok (part I m_) -> exists reach bent,
  [/\ encloses (part_reach (part I m_)) reach, contains (part_bent (part I m_)) bent, 0 <= bent,
      forall t, Q t -> 0 <= reach t &
      forall y, lo <= y <= hi -> moves_to y E_ reach /\ forall z, zeta y = dot z u ->
        mirror_gap p q (ray u v y) z <= E_ * abs_power y p -> dot n (mirror q z) - y <= y * bent].

Definition piece_proper : Prop := [/\ 0 < Y 0, forall k, (k < K_)%nat -> Y k <= Y k.+1, 0 < zeta (Y 0) &
  forall k, (k <= K_)%nat -> 0 <= m k].

Hypothesis last_part_sound : forall I E_ m_ yI shI share stI steep flat, piece_proper -> contains I E_ -> 0 <= E_ ->
  contains yI Yend -> contains shI share -> contains stI steep ->
  (forall y, Yend <= y -> matrix_encloses m_ (unit_ray u v y)) -> matrix_encloses m_ u ->
  last_level p u v r K_ Y m share steep flat E_ -> part_ok (last_part I m_ yI shI stI) ->
  exists reach kappa bend, [/\ encloses (part_reach (last_part I m_ yI shI stI)) reach,
    contains (part_bent (last_part I m_ yI shI stI)) kappa, forall t, Q t -> 0 <= reach t,
    forall y, Yend <= y -> moves_to y E_ reach &
    [/\ forall y z, Yend <= y -> zeta y = dot z u -> mirror_gap p q (ray u v y) z <=
          allowance p u v r K_ Y m (dot z u) -> dot n (mirror q z) - y <= bend y,
        forall y, Yend <= y -> bend y <= kappa * (y / Yend) &
        forall y, Yend <= y -> bend y <= kappa * beyond_grown p u v r K_ Y flat y]].

(* What the cost of piece k means. *)
Variable priced : R -> R -> R -> nat -> piece -> R -> Prop.   (* share, steep, flat *)
Hypothesis price_sound : forall share steep flat k m_ rhoI rho lI len wI w, piece_proper -> (k < K_)%nat ->
  (forall y, Y k <= y <= Y k.+1 -> matrix_encloses m_ (unit_ray u v y)) -> contains rhoI rho -> 0 <= rho ->
  contains lI len -> contains wI w -> exists2 x,
  contains (price (energy_in powers k.+1) m_ (nth anything ys k) (nth anything zetas k.+1) rhoI lI wI) x &
  forall d_ : piece, piece_length d_ = len -> piece_ratio d_ = rho -> piece_cost d_ = x ->
    priced share steep flat k d_ w.
Hypothesis last_price_sound : forall shI share stI steep m_ flat hI rhoI rho lI len wI w, piece_proper ->
  contains shI share -> contains stI steep -> contains hI (end_height p K_ Y flat) ->
  (forall y, Yend <= y -> matrix_encloses m_ (unit_ray u v y)) -> contains rhoI rho -> 0 <= rho ->
  contains lI len -> contains wI w -> exists2 x,
  contains (last_price shI stI m_ (nth anything ys K_) hI rhoI lI wI) x &
  forall d_ : piece, piece_length d_ = len -> piece_ratio d_ = rho -> piece_cost d_ = x ->
    priced share steep flat K_ d_ w.
Hypothesis offset_sound : forall share steep flat E_, piece_proper -> last_level p u v r K_ Y m share steep flat E_ ->
  contains (lower_end (last_along (nth anything ys K_))) flat -> exists2 x, contains (offset_in ys zetas) x &
    bounded (offset_in ys zetas) -> 0 <= x /\ forall y, Y 0 <= y -> centre_cost p q u v y <= x * abs_power (zeta y) r.

(* ---- pieces ---- *)

Variable growth_real : R.
Hypothesis growth_contains : contains growth growth_real.

Definition mirror_step_length (rho : R) : R := if normalised then eta else eta * whole * (longest * (1 + rho)).
Definition weight_of (rho : R) : R := if normalised then eta / (gamma - rho * G) else eta * whole.
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
have [reach [bent [rc bc bent0 reach0 at_]]] := part_sound (Logic.conj Yk up) ec e0 (fun y le => rays_enclose kK le)
  pok.
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
have [x pc pm] := price_sound share steep flat slopes_ok kK (fun y le => rays_enclose kK le) rho_c rho0 lc wc.
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

Definition lower (I : interval) : R := - upper (iopp I).

Lemma lower_end_contains I : contains (lower_end I) (lower I).
Proof. by apply: iopp_contains; exact: upper_contains. Qed.

Lemma lower_le I x : contains I x -> is_positive (lower_end I) -> lower I <= x.
Proof.
move=> H pos; have bd : bounded (iopp I) by case: I pos {H}.
by have := upper_ge (iopp_contains H) bd; rewrite /lower; lra.
Qed.

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
    (clock_in (upper_end along))) (power_to P falls falls_over y_last)) last_energy.
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
have [reach [kappa [bend [rc kc reach0 mv [b1 b2 b3]]]]] := last_part_sound slopes_ok ec e0 yc shc stc
  last_encloses last_encloses_unit level pok.
set found := last_part _ _ _ _ _ in pok floors less fall gr hold rc kc.
have [fr Hr] := rc; have [fa Ha] := along_encloses setting.
have rho_c := better_mass_contains P setting (excess_encloses P setting yc kc rc); set rho := better_mass _ in rho_c.
have rho0 : 0 <= rho := better_mass_ge0 _.
have sc := setting_speed_contains P setting rho_c; have grow := grows_sound rho_c sc gr.
have lc := length_contains rho_c; have wc := weight_contains sc.
have [x pc pm] := last_price_sound slopes_ok shc stc last_height_contains last_encloses rho_c rho0 lc wc.
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

(* ---- all heights ---- *)

Definition fits_rule : R -> vector -> Prop := if normalised then normalised_fits Q Delta q b eta else gradient_fits eta.
Notation bounds_of D_ flat bend := (pieces_bounds Q Delta p u v gamma mu f r K_ Y m D_ G flat bend).

Hypothesis costs_sound : forall (D_ : nat -> piece) share steep flat energy bend, let k_ := bounds_of D_ flat bend in
  let at_ y := D_ (piece_of K_ Y y) in let near := near_ray p q u v k_ in
  piece_proper -> last_level p u v r K_ Y m share steep flat energy -> mirror_shape Q Delta p q u v gamma mu f low k_ ->
  (forall y, Y 0 <= y -> 0 <= mirror_ratio k_ y /\ mirror_ratio k_ y <= piece_ratio (at_ y)) ->
  0 <= piece_ratio (D_ K_) -> (forall k, (k <= K_)%nat -> 0 <= piece_length (D_ k)) ->
  (forall y z tau, near y z -> fits_rule tau z -> normalised_fits Q Delta q b (piece_length (at_ y)) tau z) ->
  (forall k, (k <= K_)%nat -> 0 < weight_of (piece_ratio (D_ k))) ->
  (forall y z tau, near y z -> fits_rule tau z -> tau * mirror_total Delta q b f z <= weight_of (piece_ratio (at_ y)))
    ->
  (forall k, (k <= K_)%nat -> priced share steep flat k (D_ k) (weight_of (piece_ratio (D_ k)))) ->
  forall y z tau, near y z -> fits_rule tau z ->
    dual_divergence q (mirror q z) z (z + tau * mirror_field Q Delta q b z)%V <=
    tau * mirror_total Delta q b f z * (mirror_cost k_ y + mirror_entropy Q Delta q mu b f z).

(* What the theorem of all later steps asks for. *)
Record region_found (R_ : R) (k_ : mirror_bounds (token (problem D))) : Prop := RegionFound {
  region_first : mirror_first k_ = h0 /\ mirror_far_slope k_ = G;
  region_ahead : [/\ 0 < eta, 0 < h0 & 0 < zeta h0];
  region_conditions : mirror_conditions Q Delta p q u v gamma mu b f low k_ fits_rule (mirror p (ray u v h0));
  region_speed : normalised -> forall y, h0 <= y ->
    growth_real * (longest * (1 + mirror_ratio k_ y)) <= gamma - mirror_ratio k_ y * G;
  region_gain : exists gain : R -> R, [/\ forall h, 0 < gain h, forall h h', h <= h' -> gain h' <= gain h &
    forall y, h0 <= y -> gain (zeta y) <= (gamma - mirror_ratio k_ y * G) * exp (K - gamma * (y + mirror_bend k_ y))];
  region_rate : exists M C, [/\ 2 * M + C = R_, forall x, zeta h0 <= x -> mirror_allowance k_ x <= M * abs_power x r &
    forall y, h0 <= y -> centre_cost p q u v y <= C * abs_power (zeta y) r]
}.

Lemma largest_of (F : nat -> R) k : exists2 i, (i <= k)%nat & forall j, (j <= k)%nat -> F j <= F i.
Proof.
elim: k => [|k [i ik H]].
  by exists 0%nat => // j; rewrite leqn0 => /eqP ->; right.
case: (Rle_lt_dec (F k.+1) (F i)) => h; [exists i; first exact: leqW | exists k.+1 => //] => j;
  rewrite leq_eqVlt ltnS => /orP[/eqP -> | /H le] //; by [right | lra].
Qed.

Let longest0 : 0 <= longest.
Proof.
have [c0 /activeP[Qc0 _]] := balanced_active_exists (mirror_balanced dir).
exact: Rle_trans (lp_norm_ge0 _ _) (longest_le Qc0).
Qed.

Section Steps.
Variables (k_ : mirror_bounds (token (problem D))) (y rho tau : R) (z : vector).
Hypothesis shape : mirror_shape Q Delta p q u v gamma mu f low k_.
Hypotheses (at_y : near_ray p q u v k_ y z) (fit : fits_rule tau z) (eta0 : 0 < eta) (ok : 0 < gamma - rho * G).
Hypothesis ratio : 0 <= mirror_ratio k_ y /\ mirror_ratio k_ y <= rho.
Hypothesis slope_is : mirror_far_slope k_ = G.

Lemma whole_gt0 : 0 < whole.
Proof. exact: Rlt_le_trans (mirror_total_positive dir range shape at_y) (mirror_total_le range shape at_y). Qed.

Lemma step_length : normalised_fits Q Delta q b (mirror_step_length rho) tau z.
Proof.
move: fit; rewrite /fits_rule /mirror_step_length; case: normalised => // plain; have [r0 le] := ratio.
have s0 : 0 <= longest * (1 + mirror_ratio k_ y) by apply: Rmult_le_pos => //; lra.
have [t0 len] := plain_step_fits p1 conj dir range shape longest_le at_y plain s0; split=> //.
apply: Rle_trans len _; have w0 := whole_gt0.
apply: Rmult_le_compat_l; first by apply: Rmult_le_pos; lra.
by apply: Rmult_le_compat_l => //; lra.
Qed.

Lemma piece_weight : tau * mirror_total Delta q b f z <= weight_of rho.
Proof.
have Om0 := mirror_total_positive dir range shape at_y; have most := mirror_total_le range shape at_y.
move: fit; rewrite /fits_rule /weight_of; case: normalised => [[t0 len] | [t0 le]]; last first.
  by apply: Rmult_le_compat; lra.
have [r0 le] := ratio; have up := Rmult_le_compat_r _ _ _ G0 le.
have V0 := Rle_trans _ _ _ (mirror_ascent_height dir range shape at_y) (height_le_norm p1 conj (mirror_unit dir) _).
rewrite slope_is in V0; have := Rmult_le_compat_l tau _ _ (Rlt_le _ _ t0) V0.
have tOm : 0 <= tau * mirror_total Delta q b f z by apply: Rmult_le_pos; lra.
move=> H; apply: (Rmult_le_reg_r (gamma - rho * G)) => //.
have -> : eta / (gamma - rho * G) * (gamma - rho * G) = eta by field; lra.
have := Rmult_le_compat_l _ _ _ tOm (ltac:(lra) : gamma - rho * G <= gamma - mirror_ratio k_ y * G); lra.
Qed.
End Steps.

Theorem heights_sound rate R_ : contains rate R_ -> heights_check rate -> exists k_, region_found R_ k_.
Proof.
move=> Hrate /and5P[/(is_positive_real first_contains) y0 /(is_positive_real (zetas_contain (leq0n K_))) z0].
case/andP=> /(is_positive_real (step_contains setting)) eta0 bounded_ steeps /and3P[rising inner last_ok].
have ok : piece_proper.
  split=> // k kn_.
    have := allP rising k; rewrite mem_iota add0n => /(_ kn_) lt.
    exact: Rlt_le (certainly_lt_real (ys_contains (ltnW kn_)) (ys_contains kn_) lt).
  have := allP steeps k; rewrite mem_iota add0n ltnS => /(_ kn_) /andP[pos _].
  exact: Rlt_le (is_positive_real (slope_contains k) pos).
have [_ Y_rises zeta0 slopes_ge0] := ok.
have [kappa [bend [d_ [level ending found_last holds]]]] := last_found ok last_ok.
set share := Rmax _ _ in level found_last; set steep := upper _ in level found_last.
set flat := lower _ in level ending found_last holds.
have [D_ HD] : exists D_ : nat -> piece, forall k, (k < K_)%nat -> piece_found share steep flat k (D_ k) /\
    inner_piece Q Delta p q u v gamma mu f low r K_ Y m (D_ k) k.
  apply: (@heights_of piece d_ (fun k x => piece_found share steep flat k x /\
    inner_piece Q Delta p q u v gamma mu f low r K_ Y m x k)) => k kn_.
  by apply: (inner_found ok share steep flat kn_); have := allP inner k; rewrite mem_iota add0n => /(_ kn_).
pose D' k := if (k < K_)%nat then D_ k else d_.
have lastE : D' K_ = d_ by rewrite /D' ltnn.
have found k : (k <= K_)%nat -> piece_found share steep flat k (D' k).
  rewrite leq_eqVlt => /orP[/eqP -> | lt]; first by rewrite lastE.
  by rewrite /D' lt; case: (HD k lt).
have inners k (lt : (k < K_)%nat) : inner_piece Q Delta p q u v gamma mu f low r K_ Y m (D' k) k.
  by rewrite /D' lt; case: (HD k lt).
have ratio_lt k (kn_ : (k <= K_)%nat) : piece_ratio (D' k) * G < gamma by have [] := found_grows (found k kn_); lra.
have ending' : last_piece Q Delta p q u v gamma mu f r K_ Y m flat kappa bend (D' K_) by rewrite lastE.
have energy_is : piece_energy (D' K_) = piece_energy d_ by rewrite lastE.
have shapes k (kn_ : (k <= K_)%nat) := found_shape (found k kn_).
have fars k (kn_ : (k <= K_)%nat) := found_far (found k kn_).
have shape : mirror_shape Q Delta p q u v gamma mu f low (bounds_of D' flat bend).
  exact: (pieces_shape p1 conj dir active_kept r1 rp y0 Y_rises zeta0 slopes_ge0 level ending' energy_is size_ge0 shapes
    inners G0 G_le fars ratio_lt).
have ratio_le y (le : Y 0 <= y) := pieces_ratio_le p1 conj dir active_kept r1 rp y0 Y_rises zeta0 slopes_ge0 level
  ending' energy_is size_ge0 shapes inners G0 G_le fars ratio_lt le.
have at_piece y : Y 0 <= y -> (piece_of K_ Y y <= K_)%nat by move/(piece_ofP K_) => [].
have lengths y z tau : near_ray p q u v (bounds_of D' flat bend) y z -> fits_rule tau z ->
    normalised_fits Q Delta q b (piece_length (D' (piece_of K_ Y y))) tau z.
  move=> at_y fit; have [le _ _] := at_y; rewrite (found_length (found _ (at_piece y le))).
  exact: (step_length shape at_y fit eta0 (ratio_le y le)).
have weights y z tau : near_ray p q u v (bounds_of D' flat bend) y z -> fits_rule tau z ->
    tau * mirror_total Delta q b f z <= weight_of (piece_ratio (D' (piece_of K_ Y y))).
  move=> at_y fit; have [le _ _] := at_y.
  exact: (piece_weight shape at_y fit (proj1 (found_grows (found _ (at_piece y le)))) (ratio_le y le) erefl).
have start : near_ray p q u v (bounds_of D' flat bend) (Y 0) (mirror p (ray u v (Y 0))).
  split=> /=; [by right | by [] |].
  by rewrite (mirror_gap_self p1 conj); exact: (allowance_ge0 p1 conj r1 Y_rises zeta0 slopes_ge0 (Rle_refl _)).
have w0 : 0 < whole := whole_gt0 shape start.
have length0 k (kn_ : (k <= K_)%nat) : 0 <= piece_length (D' k).
  rewrite (found_length (found k kn_)) /mirror_step_length; have rho0 := found_ratio (found k kn_).
  case: normalised; first lra.
  by apply: Rmult_le_pos; apply: Rmult_le_pos; lra.
have weight0 k (kn_ : (k <= K_)%nat) : 0 < weight_of (piece_ratio (D' k)).
  rewrite /weight_of; have [pos _] := found_grows (found k kn_).
  by case: normalised; [exact: Rdiv_lt_0_compat | exact: Rmult_lt_0_compat].
have costs := costs_sound ok level shape ratio_le (found_ratio (found K_ (leqnn _))) length0 lengths weight0 weights
  (fun k kn_ => found_price (found k kn_)).
have rises y z tau : near_ray p q u v (bounds_of D' flat bend) y z -> fits_rule tau z ->
    0 < tau /\ tau * dot (mirror_field Q Delta q b z) u <= piece_length (D' (piece_of K_ Y y)).
  by move=> at_y fit; exact: (normalised_rise p1 conj dir (lengths y z tau at_y fit)).
have last_holds : Rmax C0 0 + gamma * kappa + piece_ratio (D' K_) * (Yend * piece_far (D' K_)) + piece_cost (D' K_) <=
    (gamma - piece_ratio (D' K_) * G) * (piece_need (D' K_) * (r * abs_power (end_height p K_ Y flat) (r - 1))).
  by rewrite lastE.
have [i ik most] := largest_of (fun k => piece_ratio (D' k)) K_.
have [grow1 grow2] := found_grows (found i ik).
have [x offset_c offset_ok] := offset_sound ok level (lower_end_contains _).
have [C0_ lost_le] := offset_ok bounded_.
exists (bounds_of D' flat bend); split=> //.
- exact: (pieces_conditions p1 conj dir active_kept r1 rp y0 Y_rises zeta0 slopes_ge0 level ending' energy_is
    (fars K_ (leqnn _)) size_ge0 shapes inners (fun k kn_ => found_steps (found k kn_)) G0 G_le fars ratio_lt last_holds
    costs rises).
- move=> norm y le; have fast := grow2 norm; have [g_ge0 | g_lt] := Rle_lt_dec 0 growth_real.
    exact: (pieces_speed p1 conj dir active_kept r1 rp y0 Y_rises zeta0 slopes_ge0 level ending' energy_is size_ge0
      shapes inners G0 G_le fars ratio_lt most g_ge0 longest0 fast le).
  have r0 : 0 <= mirror_ratio (bounds_of D' flat bend) y := proj1 (ratio_le y le).
  have lt : mirror_ratio (bounds_of D' flat bend) y * G < gamma := mirror_ratio_lt shape le.
  move: (mirror_ratio _ _) r0 lt => x0 r0 lt; have := Rmult_le_pos _ _ longest0 (ltac:(lra) : 0 <= 1 + x0).
  by move/(Rmult_le_compat_neg_l growth_real _ _ (Rlt_le _ _ g_lt)); lra.
- by apply: (pieces_gain p1 conj dir active_kept r1 rp y0 Y_rises zeta0 slopes_ge0 level ending' energy_is size_ge0
    shapes inners G0 G_le fars ratio_lt most); lra.
exists ((R_ - x) / 2), x; split=> //; first by field.
move=> h le; apply: (pieces_allowance_le p1 conj r1 Y_rises zeta0 slopes_ge0 _ le) => k kn_.
have := allP steeps k; rewrite mem_iota add0n ltnS => /(_ kn_) /andP[_ rate_le].
have := certainly_le_real (iadd_contains P (imul_contains P (contains2 N) (slope_contains k)) offset_c) Hrate rate_le.
lra.
Qed.
End Heights.
