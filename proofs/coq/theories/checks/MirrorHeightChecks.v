(* MirrorHeightChecks: T17's conditions at all heights from a list of heights and slopes, computed in intervals
   (MIRROR.md section 11), for P <= 2 and normalised steps. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm PowerInequalities UniformConvexity Direction
                           Growth Gibbs FactorRange Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary NormChecks NormDistanceChecks IntervalTables AttentionIntervals
                           ReferenceIntervals Replay ForeverChecks LocalFactors Mirror PowerGap MirrorRay MirrorMoves
                           MirrorCurve MirrorEntries MirrorBend MirrorRegion MirrorRun MirrorHeights MirrorPieces
                           PowerIntervals MirrorReplay MirrorRunChecks MirrorFactors MirrorPieceChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section Heights.
Variables (N : number) (D : token_data N) (P : Z) (a c : positive) (s : mirror_setting N).
Notation interval := (interval N).
Notation anything := (@Everything N).
Let d := left_dimension D.
Let e := right_dimension D.
Notation vector := (vec (coord (problem D))).
Implicit Types (t : token (problem D)) (I : interval).

(* The heights after the first, the slopes between them and beyond, the growth claimed. *)
Variables (first : interval) (heights slopes : seq (fraction N)) (growth : interval).

Definition ray_height_in y : interval :=
  matrix_product P (power_matrix P (a - c) c
    (matrix_of D (fun j k => iadd P (imul P y (unit_at s j k)) (entry_of (in_offset s) j k)))) (in_unit s).
Definition slope_at k : interval := fraction_in P (nth (fraction_zero N) slopes k).

(* The energy up to height k. *)
Definition energy_in (powers : seq interval) k : interval :=
  isum P [seq imul P (slope_at i) (isub P (nth anything powers i.+1) (nth anything powers i)) | i <- seq.iota 0 k].

(* The least slope that a step from piece k may meet. *)
Definition may_meet (zetas : seq interval) k j : bool :=
  ~~ certainly_le (iadd P (nth anything zetas k.+1) (in_step s)) (nth anything zetas j).
Definition need_in (zetas : seq interval) k : interval :=
  foldr (fun j x => if may_meet zetas k j then imin P (slope_at j) x else x) (slope_at k)
    (seq.iota k.+1 (size heights - k)).

Definition grows rho speed : bool :=
  certainly_le (imul P growth (imul P (in_longest s) (iadd P (interval1 N) rho))) speed.

Definition inner_check E y0 y1 z0 z1 need : bool :=
  let energy := idiv P E (imagnitude P a c y0) in
  let ray := ray_between D P (unit_ray_in D P s y0) (unit_ray_in D P s y1) in
  let sizes := entry_sizes_in D P ray in
  let sigma := soft_in P a c energy sizes in
  let reach := margin_reach_in P s energy sigma in
  let price := price_in D P a c s energy ray sigma in
  let curved := imul P y1 (bent_in D P a c s energy ray sigma price) in
  let rho := better_mass_in P s (combine_tables (imax P) (better_exponents_in P s y0 curved reach)
    (better_exponents_in P s y1 curved reach)) in
  let curve := curve_in P a c s (dual_size_in P a c s z1 E) in
  let cost := imin P (plain_in P s curve rho) (fine_in P s curve rho) in
  let speed := speed_in P s rho in
  let far := imul P rho (imul P y1 (better_far_in P s reach)) in
  [&& is_nonnegative energy, sizes_ok sizes, is_positive price, above_floors P s y0 reach && above_floors P s y1 reach &
    [&& is_positive speed, grows rho speed &
      certainly_le (iadd P (iadd P (iadd P (in_gibbs s) (imul P (in_margin s) curved)) far) cost)
        (imul P speed (imul P need (height_rise_in P a c z0)))]].

Definition all_near ray : bool := all (fun j => all (near_in P a c s ray j) (seq.iota 0 e)) (seq.iota 0 d).
Definition lower_end I : interval := iopp (upper_end (iopp I)).
Definition turn_in ray : seq (seq interval) := matrix_of D (fun j k =>
  if is_zero (unit_at s j k) then interval0 N
  else imul P (iabs P (unit_at s j k)) (imul P (imul P (isub P (interval2 N) (over N P a c))
         (less_three P a c (lower_end (iabs P (entry_of ray j k))))) (iabs P (entry_of (in_offset s) j k)))).
Definition set_apart ray : bool := all (fun j => all (fun k =>
  is_zero (unit_at s j k) || is_positive (lower_end (iabs P (entry_of ray j k)))) (seq.iota 0 e)) (seq.iota 0 d).
Definition better_falls y kappa reach : bool :=
  all_within (@id bool) (in_better s)
    (map_rows (fun IJ => certainly_le (interval1 N) (isub P (imul P y (isub P (isub P IJ.1 (in_margin s)) IJ.2))
       (imul P (in_margin s) kappa))) (zip_rows (in_along s) reach)).
Definition reach_less reach : bool :=
  all_within (@id bool) (in_constraints s)
    (map_rows (fun IJ => certainly_le IJ.1 IJ.2) (zip_rows reach (in_along s))).

Definition last_check E y x slope : bool :=
  let ray := ray_between D P (unit_ray_in D P s y) (in_unit s) in
  let along := matrix_product P (power_matrix P (a - c) c ray) (in_unit s) in
  let flat := lower_end along in
  let steep := upper_end along in
  let end_share := imax P slope (idiv P E x) in
  let height := imul P end_share (imagnitude P c (a - c) steep) in
  let energy := imul P height (power_to P (Zpos c - Zpos a) c y) in
  let sizes := entry_sizes_in D P ray in
  let sigma := soft_in P a c energy sizes in
  let reach := margin_reach_in P s energy sigma in
  let curved := isqrt P (imul P (imul P (interval2 N) energy) (square_sum_in P sigma (turn_in ray))) in
  let bent := imul P (imul P (imul P (imul P (in_bend s) (matrix_largest P (ratios_in D P a c s ray))) end_share)
                        (imagnitude P c (a - c) steep)) (two_less P a c y) in
  let kappa := iadd P curved bent in
  let rho := better_mass_in P s (better_exponents_in P s y kappa reach) in
  let end_ := imul P (imagnitude P (a - c) c y) flat in
  let curve := curve_in P a c s (dual_size_in P a c s end_ (imul P end_share (imagnitude P c (a - c) end_))) in
  let speed := speed_in P s rho in
  [&& is_positive flat, is_positive x, is_nonnegative energy, sizes_ok sizes &
    [&& all_near ray, set_apart ray, above_floors P s y reach && reach_less reach, better_falls y kappa reach &
      [&& is_positive speed, grows rho speed &
        certainly_le (iadd P (iadd P (iadd P (imax P (in_gibbs s) (interval0 N)) (imul P (in_margin s) kappa))
                        (imul P rho (imul P y (better_far_in P s reach)))) (plain_in P s curve rho))
          (imul P speed (imul P slope (height_rise_in P a c end_)))]]].

Definition heights_check (rate : interval) : bool :=
  let n := size heights in
  let ys := first :: [seq fraction_in P h | h <- heights] in
  let zetas := [seq ray_height_in y | y <- ys] in
  let powers := [seq imagnitude P c (a - c) z | z <- zetas] in
  let at_ (m : seq interval) k := nth anything m k in
  [&& is_positive first, is_positive (at_ zetas 0%nat), is_positive (in_step s),
      all (fun k => is_positive (slope_at k) && certainly_le (iadd P (imul P (interval2 N) (slope_at k))
        (idiv P (in_lost s) (at_ powers 0%nat))) rate) (seq.iota 0 n.+1) &
    [&& all (fun k => certainly_lt (at_ ys k) (at_ ys k.+1)) (seq.iota 0 n),
        all (fun k => inner_check (energy_in powers k.+1) (at_ ys k) (at_ ys k.+1) (at_ zetas k) (at_ zetas k.+1)
          (need_in zetas k)) (seq.iota 0 n) &
        last_check (energy_in powers n) (at_ ys n) (at_ powers n) (slope_at n)]].

(* ---- soundness ---- *)

Hypotheses (ca : (c < a)%positive) (ac2 : (a <= 2 * c)%positive).
Let p := exponent a c.
Let q := exponent a (a - c).
Let p1 : 1 < p := exponent_gt1 ca.
Let p2 : p <= 2 := piece_p2 D ac2.
Let conj : / p + / q = 1 := exponent_conjugate ca.
Let q1 : 1 < q := conjugate_gt1 p1 conj.
Variables (Q : pred (token (problem D))) (Delta : token (problem D) -> vector) (u v : vector) (gamma : R).
Variables (mu : token (problem D) -> R) (b : vector -> token (problem D) -> R) (f : factor_bounds (token (problem D))).
Variables (beta G longest spread lost eta h0 : R) (low : token (problem D) -> R).
Notation n := (mirror p u).
Notation K := (log_floor Q mu (factor_low f)).
Notation C0 := (gibbs_gap Q Delta u v (factor_kept f) gamma mu (factor_high f) (factor_low f) h0).
Hypothesis dir : mirror_direction Q Delta p u gamma mu.
Hypothesis range : factor_range Q Delta b low f.
Hypothesis active_kept : forall t, active Q mu t -> factor_kept f t.
Hypothesis centred : dot n v = 0.
Hypothesis setting : setting_encloses a c s Q (factor_kept f) Delta u v gamma beta K C0 G longest spread lost eta low
  (factor_size f).
Hypotheses (factor : curve_factor p beta) (first_contains : contains first h0).
Hypothesis size_ge0 : forall t, Q t -> ~~ factor_kept f t -> 0 <= factor_size f t.
Hypotheses (G0 : 0 <= G) (G_le : forall t, Q t -> ~~ factor_kept f t -> dot (Delta t) u <= G).
Hypothesis longest_le : forall t, Q t -> lp_norm q (Delta t) <= longest.
Hypothesis spread_le : forall t, factor_kept f t -> 2 * lp_norm q (Delta t - gamma * n)%V <= spread.
Hypothesis lost_le : forall y, centre_cost p q u v y <= lost.

Definition height_at (k : nat) : R := if k is j.+1 then fraction_real (nth (fraction_zero N) heights j) else h0.
Definition slope_real (k : nat) : R := fraction_real (nth (fraction_zero N) slopes k).
Notation Y := height_at.
Notation m := slope_real.
Notation X := (height_power p q u v Y).
Notation E := (rise_to X m).
Notation zeta := (ray_height p u v).

Let ys := first :: [seq fraction_in P h | h <- heights].
Let zetas := [seq ray_height_in y | y <- ys].
Let powers := [seq imagnitude P c (a - c) z | z <- zetas].

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
rewrite /height_power -/q (dual_power ca); apply: imagnitude_contains; exact: zetas_contain.
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

(* The least slope that a step may meet. *)
Definition need_real (k : nat) : R :=
  foldr (fun j x => if may_meet zetas k j then Rmin (m j) x else x) (m k) (seq.iota k.+1 (size heights - k)).

Lemma need_contains k : contains (need_in zetas k) (need_real k).
Proof.
rewrite /need_in /need_real; elim: (seq.iota _ _) => [|j r IH] /=; first exact: slope_contains.
by case: ifP => // _; apply: imin_contains => //; exact: slope_contains.
Qed.

Lemma need_le k j : (k <= j <= size heights)%nat ->
  ((k < j)%nat -> zeta (Y j) < zeta (Y k.+1) + eta) -> need_real k <= m j.
Proof.
move=> /andP[kj jn] meet; rewrite /need_real; move: kj; rewrite leq_eqVlt => /orP[/eqP <- | lt].
  by elim: (seq.iota _ _) => [|i r IH] /=; [right | case: ifP => // _; exact: Rle_trans (Rmin_r _ _) IH].
have hit : may_meet zetas k j.
  apply/negP => /certainly_le_real H.
  have le := H _ _ (iadd_contains P (zetas_contain (leq_trans lt jn)) (step_contains setting)) (zetas_contain jn).
  by have := meet lt; lra.
have inside : j \in seq.iota k.+1 (size heights - k).
  rewrite mem_iota lt /=; have kn := ltnW (leq_trans lt jn).
  by rewrite addSn subnKC // ltnS.
elim: (seq.iota _ _) inside => [//|i r IH]; rewrite inE => /orP[/eqP <- | /IH le] /=.
  by rewrite hit; exact: Rmin_l.
by case: ifP => // _; exact: Rle_trans (Rmin_r _ _) le.
Qed.

Lemma need_ge0 k : (k <= size heights)%nat -> (forall j, (j <= size heights)%nat -> 0 <= m j) -> 0 <= need_real k.
Proof.
move=> kn pos; rewrite /need_real.
have: forall j, j \in seq.iota k.+1 (size heights - k) -> 0 <= m j.
  by move=> j; rewrite mem_iota addSn subnKC // ltnS => /andP[_]; exact: pos.
elim: (seq.iota _ _) => [|i r IH] all_pos /=; first exact: pos.
have rest : forall j, j \in r -> 0 <= m j by move=> j jr; apply: all_pos; rewrite inE jr orbT.
by case: ifP => _; [apply: Rmin_glb; [apply: all_pos; rewrite inE eqxx | exact: IH] | exact: IH].
Qed.

(* ---- margins, and what N weighs ---- *)

Definition least_margin (y : R) (reach : token (problem D) -> R) t : R :=
  y * dot (Delta t) u + dot (Delta t) v - y * reach t.
Definition better_exponent (y curved : R) (reach : token (problem D) -> R) t : R :=
  gamma * (y + curved) - least_margin y reach t.
Definition better_mass (x : token (problem D) -> R) : R :=
  exp (- K) * (\sum_(t | Q t && ~~ factor_kept f t) factor_size f t * exp (x t)).
Definition farthest (reach : token (problem D) -> R) : R :=
  token_largest (fun t => if Q t && ~~ factor_kept f t then reach t else 0).

Lemma along_ray t y : dot (Delta t) (ray u v y) = y * dot (Delta t) u + dot (Delta t) v.
Proof. by rewrite /ray dotDr dotZr. Qed.

Lemma least_encloses I y r reach : contains I y -> encloses r reach ->
  encloses (least_in P s I r) (least_margin y reach).
Proof.
move=> Hy Hr; have Hm : encloses (margins_in P s I) (fun t => y * dot (Delta t) u + dot (Delta t) v).
  apply: (combine_encloses (along_encloses setting) (across_encloses setting)) => t I1 I2 H1 H2.
  by apply: iadd_contains => //; exact: imul_contains.
by apply: (combine_encloses Hm Hr) => t I1 I2 H1 H2; apply: isub_contains => //; exact: imul_contains.
Qed.

Lemma above_floors_sound I y r reach t : contains I y -> encloses r reach -> above_floors P s I r -> Q t ->
  low t <= dot (Delta t) (ray u v y) - y * reach t.
Proof.
move=> Hy Hr H Qt; have [fl Hl] := least_encloses Hy Hr; have [ff Hf] := floors_encloses setting.
have fz := fits_zip ff fl; have it : in_mask (in_constraints s) t by rewrite (constraints_are setting).
have := all_withinP false (constraints_fit setting) (fits_map _ fz) H it.
rewrite (at_token_map (anything, anything)) // at_token_zip //= => /(certainly_le_real (Hf t) (Hl t)).
by rewrite along_ray.
Qed.

Lemma excess_encloses I y J k r reach : contains I y -> contains J k -> encloses r reach ->
  encloses (better_exponents_in P s I J r) (better_exponent y k reach).
Proof.
move=> Hy Hk Hr; apply: (map_encloses (least_encloses Hy Hr)) => t I1 H1; apply: isub_contains => //.
by apply: imul_contains; [exact: margin_contains setting | exact: iadd_contains].
Qed.

Lemma better_mass_contains x F : encloses x F -> contains (better_mass_in P s x) (better_mass F).
Proof.
move=> Hx; apply: imul_contains; first by apply: iexp_contains; apply: iopp_contains; exact: level_contains setting.
have He := map_encloses (G := fun t => exp (F t)) Hx (fun t I HI => iexp_contains P HI).
have [fm Hm] := combine_encloses (H := fun t => factor_size f t * exp (F t)) (sizes_encloses setting) He
  (fun t I J HI HJ => imul_contains P HI HJ).
rewrite big_mkcond; have := table_sum_contains P (within_encloses (better_fits setting) (contains0 N) fm
  (fun t _ => Hm t)).
by congr contains; apply: eq_bigr => t _; rewrite (better_are setting).
Qed.

Lemma farthest_contains r reach : encloses r reach -> contains (better_far_in P s r) (farthest reach).
Proof.
case=> fr Hr; apply: token_largest_contains.
have [fw Hw] := within_encloses (better_fits setting) (contains0 N) fr (fun t _ => Hr t).
by split=> // t; have := Hw t; rewrite (better_are setting).
Qed.

Lemma farthest_ge reach t : Q t -> ~~ factor_kept f t -> reach t <= farthest reach.
Proof.
move=> Qt Nt; have := token_largest_ge (fun t => if Q t && ~~ factor_kept f t then reach t else 0) t.
by rewrite /farthest Qt Nt.
Qed.

(* ---- the step ---- *)

Lemma curve_contains I H : contains I H -> contains (curve_in P a c s I) (step_curve q eta H).
Proof.
move=> HH; apply: imul_contains; first by apply: idiv_contains; [exact: q1_contains | exact: contains2].
apply: imul_contains; last exact: step_contains setting.
by apply: dual_less_two_contains => //; apply: iadd_contains HH (step_contains setting).
Qed.

Lemma step_norm_contains I Z J F : contains I Z -> contains J F ->
  contains (dual_size_in P a c s I J) (norm_at q lost Z F).
Proof.
move=> HZ HF; rewrite /norm_at /q exponent_inverse; apply: imagnitude_contains; apply: iadd_contains.
  exact: imagnitude_contains.
apply: imul_contains; first exact: over_contains.
apply: iadd_contains; last exact: lost_contains setting.
by apply: imul_contains => //; exact: contains2.
Qed.

Definition plain_cost (curve rho : R) : R := curve * (longest * (1 + rho)).
Definition fine_cost (curve rho : R) : R := curve * (gamma + rho * longest) + curve * spread * (curve * spread) / 8.

Lemma plain_contains I x J r : contains I x -> contains J r -> contains (plain_in P s I J) (plain_cost x r).
Proof.
move=> Hx Hr; apply: imul_contains => //; apply: imul_contains; first exact: longest_contains setting.
by apply: iadd_contains => //; exact: contains1.
Qed.

Lemma fine_contains I x J r : contains I x -> contains J r -> contains (fine_in P s I J) (fine_cost x r).
Proof.
move=> Hx Hr; have xs := imul_contains P Hx (spread_contains setting); apply: iadd_contains.
  apply: imul_contains => //; apply: iadd_contains; first exact: margin_contains setting.
  by apply: imul_contains => //; exact: longest_contains setting.
apply: idiv_contains; first exact: imul_contains.
by have := exactly_contains (of_positive N 8); rewrite of_positive_real.
Qed.

Lemma height_speed_contains J r : contains J r -> contains (speed_in P s J) (gamma - r * G).
Proof.
move=> Hr; apply: isub_contains; first exact: margin_contains setting.
by apply: imul_contains => //; exact: far_slope_contains setting.
Qed.

Lemma rise_contains I z : contains I z -> contains (height_rise_in P a c I) ((q - 1) * abs_power z (q - 2)).
Proof. by move=> Hz; apply: imul_contains; [exact: q1_contains | exact: dual_less_two_contains]. Qed.

Variable growth_real : R.
Hypothesis growth_contains : contains growth growth_real.

Lemma grows_sound I r J x : contains I r -> contains J x -> grows I J -> growth_real * (longest * (1 + r)) <= x.
Proof.
move=> Hr Hx; apply: certainly_le_real => //; apply: imul_contains => //; apply: imul_contains.
  exact: longest_contains setting.
by apply: iadd_contains => //; exact: contains1.
Qed.

(* ---- a piece between two heights ---- *)

Definition ray_of (k : nat) : seq (seq interval) :=
  ray_between D P (unit_ray_in D P s (nth anything ys k)) (unit_ray_in D P s (nth anything ys k.+1)).
Definition allowed_in (k : nat) : interval := idiv P (energy_in powers k.+1) (imagnitude P a c (nth anything ys k)).
Definition allowance_at (k : nat) : R := E k.+1 / abs_power (Y k) p.
Definition reach_of (k : nat) : token (problem D) -> R := reached P a c Delta (ray_of k) (allowance_at k).
Definition curved_of (k : nat) : R := Y k.+1 * bent P a c s u beta (ray_of k) (allowance_at k) (allowed_in k).
Definition piece_ratio_at (k : nat) : R := better_mass (fun t => Rmax (better_exponent (Y k) (curved_of k) (reach_of
  k) t)
  (better_exponent (Y k.+1) (curved_of k) (reach_of k) t)).
Definition step_norm_of (k : nat) : R := norm_at q lost (zeta (Y k.+1)) (E k.+1).
Definition cost_of (k : nat) : R := Rmin (plain_cost (step_curve q eta (step_norm_of k)) (piece_ratio_at k))
  (fine_cost (step_curve q eta (step_norm_of k)) (piece_ratio_at k)).
Definition inner_numbers (k : nat) : mirror_piece (coord (problem D)) (token (problem D)) :=
  MirrorPiece (allowance_at k) (entry_size P (ray_of k)) (soft P a c (ray_of k) (allowance_at k)) (reach_of k)
    (curved_of k)
    (piece_ratio_at k) (Y k.+1 * farthest (reach_of k)) (step_norm_of k) (cost_of k) (need_real k).

Lemma inner_facts k : (k < size heights)%nat ->
  inner_check (energy_in powers k.+1) (nth anything ys k) (nth anything ys k.+1) (nth anything zetas k)
    (nth anything zetas k.+1) (need_in zetas k) ->
  [/\ 0 <= allowance_at k, sizes_ok (entry_sizes_in D P (ray_of k)), 0 < price D P a c s (ray_of k) (allowed_in k),
      forall t, Q t -> low t <= dot (Delta t) (ray u v (Y k)) - Y k * reach_of k t /\
        low t <= dot (Delta t) (ray u v (Y k.+1)) - Y k.+1 * reach_of k t &
      [/\ 0 < gamma - piece_ratio_at k * G, growth_real * (longest * (1 + piece_ratio_at k)) <= gamma -
        piece_ratio_at k * G &
        C0 + gamma * curved_of k + piece_ratio_at k * (Y k.+1 * farthest (reach_of k)) + cost_of k <=
        (gamma - piece_ratio_at k * G) * (need_real k * ((q - 1) * abs_power (zeta (Y k)) (q - 2)))]].
Proof.
move=> kn; have y_k := ys_contains (ltnW kn); have y_k1 := ys_contains kn; have e_k := energy_contains kn.
have ec : contains (allowed_in k) (allowance_at k) by apply: idiv_contains => //; exact: imagnitude_contains.
have rc := reach_encloses P ca setting (ray_of k) ec; have bc := bent_contains P ca ac2 setting (ray_of k) ec.
have cc := imul_contains P y_k1 bc.
have xc := combine_encloses (H := fun t => Rmax (better_exponent (Y k) (curved_of k) (reach_of k) t)
    (better_exponent (Y k.+1) (curved_of k) (reach_of k) t)) (excess_encloses y_k cc rc) (excess_encloses y_k1 cc rc)
    (fun t I J HI HJ => imax_contains P HI HJ).
have rho := better_mass_contains xc; have sc := height_speed_contains rho.
have nc := curve_contains (step_norm_contains (zetas_contain kn) e_k).
rewrite /inner_check; cbv zeta; case/and5P=> /(is_nonnegative_real ec) e0 sok.
move=> /(is_positive_real (price_contains D P a c s _ _)) pr /andP[f0 f1] /and3P[sp gr hold]; split=> //.
  by move=> t Qt; split; [exact: above_floors_sound y_k rc f0 Qt | exact: above_floors_sound y_k1 rc f1 Qt].
split; [exact: is_positive_real sc sp | exact: grows_sound rho sc gr |].
apply: certainly_le_real hold.
  apply: iadd_contains; last by apply: imin_contains; [exact: plain_contains | exact: fine_contains].
  apply: iadd_contains; last by apply: imul_contains rho _; apply: imul_contains y_k1 _; exact: farthest_contains.
  apply: iadd_contains; first exact: gibbs_contains setting.
  by apply: imul_contains cc; exact: margin_contains setting.
apply: imul_contains sc _; apply: imul_contains; first exact: need_contains.
exact: rise_contains (zetas_contain (ltnW kn)).
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

Lemma powers_apart x y lo : 0 < lo -> lo <= x -> lo <= y ->
  Rabs (abs_power x (p - 2) - abs_power y (p - 2)) <= (2 - p) * abs_power lo (p - 3) * Rabs (x - y).
Proof.
move=> l0; wlog xy : x y / x <= y.
  move=> H lx ly; case: (Rle_lt_dec x y) => h; first exact: H.
  by rewrite Rabs_minus_sym (Rabs_minus_sym x); apply: H => //; lra.
move=> lx ly; have := @falling_tangent x y (p - 2) ltac:(lra) ltac:(lra) ltac:(lra).
have -> : p - 2 - 1 = p - 3 by ring.
have down := @abs_power_falls x y (p - 2) ltac:(lra) ltac:(lra).
have low3 := @abs_power_falls lo x (p - 3) ltac:(lra) ltac:(lra).
rewrite Rabs_pos_eq; last lra.
rewrite (Rabs_left1 (x - y)); last lra.
have := Rmult_le_compat_r (y - x) _ _ ltac:(lra) (Rmult_le_compat_l (2 - p) _ _ ltac:(lra) low3); lra.
Qed.

(* u (|u|^(p-2) - |a|^(p-2)) *)
Lemma bend_slope_turns (jk : coord (problem D)) y lo : 0 < y -> 0 < lo -> lo <= Rabs (u jk) ->
  lo <= Rabs (unit_ray u v y jk) -> 0 < u jk * unit_ray u v y jk ->
  y * Rabs (bend_slope p u (unit_ray u v y) jk) <= Rabs (u jk) * ((2 - p) * abs_power lo (p - 3) * Rabs (v jk)).
Proof.
move=> y0 l0 lu la same; have u0 : u jk <> 0 by move=> E0; move: same; rewrite E0; lra.
have nE : n jk = abs_power (u jk) (p - 2) * u jk.
  have e1 : p - 2 = (p - 1) - 1 by ring.
  have st := abs_power_step (p - 1) u0; rewrite e1; rewrite /mirror /signed_power -st.
  by case: Rlt_dec => neg /=; [rewrite (Rabs_left _ neg); ring | rewrite Rabs_pos_eq; lra].
have -> : bend_slope p u (unit_ray u v y) jk =
    u jk * (abs_power (u jk) (p - 2) - abs_power (unit_ray u v y jk) (p - 2)).
  by rewrite /bend_slope nE; ring.
rewrite Rabs_mult -(abs_power_abs (u jk)) -(abs_power_abs (unit_ray u v y jk)).
have near := powers_apart l0 lu la.
have apart_ : Rabs (Rabs (u jk) - Rabs (unit_ray u v y jk)) = Rabs (v jk) / y.
  have -> : Rabs (u jk) - Rabs (unit_ray u v y jk) = (if Rlt_dec 0 (u jk) then - 1 else 1) * (v jk / y).
    have along : unit_ray u v y jk = u jk + v jk / y by [].
    move: (unit_ray u v y jk) along same la {near} => z along same la; case: Rlt_dec => h /=.
      have a0 : 0 < z by apply: (Rmult_lt_reg_l (u jk)); lra.
      by rewrite !Rabs_pos_eq; lra.
    have h' : u jk < 0 by lra.
    have a0 : z < 0.
      by apply: Ropp_lt_cancel; rewrite Ropp_0; apply: (Rmult_lt_reg_l (- u jk)); lra.
    by rewrite (Rabs_left _ h') (Rabs_left _ a0); lra.
  rewrite Rabs_mult /Rdiv Rabs_mult (Rabs_pos_eq (/ y)); last by apply/Rlt_le/Rinv_0_lt_compat.
  by case: Rlt_dec => h /=; rewrite ?Rabs_Ropp Rabs_R1; lra.
rewrite apart_ in near.
have := Rmult_le_compat_l (y * Rabs (u jk)) _ _ ltac:(apply: Rmult_le_pos; [lra | exact: Rabs_pos]) near.
have -> : y * Rabs (u jk) * ((2 - p) * abs_power lo (p - 3) * (Rabs (v jk) / y)) =
  Rabs (u jk) * ((2 - p) * abs_power lo (p - 3) * Rabs (v jk)) by field; lra.
by move=> H; apply: Rle_trans H; right; ring.
Qed.

Let K_ := size heights.
Notation Yend := (Y K_).
Definition ray_last : seq (seq interval) := ray_between D P (unit_ray_in D P s (nth anything ys K_)) (in_unit s).
Definition along_last : interval := matrix_product P (power_matrix P (a - c) c ray_last) (in_unit s).
Notation flat := (lower along_last).
Notation steep := (upper along_last).
Definition end_share : R := Rmax (m K_) (E K_ / X K_).
Definition end_share_in : interval := imax P (slope_at K_) (idiv P (energy_in powers K_) (nth anything powers K_)).
Definition energy_last : R := end_share * abs_power steep (q - 1) * abs_power Yend (1 - p).
Definition energy_last_in : interval := imul P (imul P end_share_in (imagnitude P c (a - c) (upper_end along_last)))
  (power_to P (Zpos c - Zpos a) c (nth anything ys K_)).
Definition reach_last : token (problem D) -> R := reached P a c Delta ray_last energy_last.
Definition turn_last : vector := fun jk =>
  if is_zero (unit_at s jk.1 jk.2) then 0
  else Rabs (u jk) * ((2 - p) * abs_power (lower (iabs P (entry_of ray_last jk.1 jk.2))) (p - 3) * Rabs (v jk)).
Definition curved_last : R := sqrt (2 * energy_last * square_sum (soft P a c ray_last energy_last) turn_last).
Notation r_last := (vector_largest (@ratio_of N D P a c s ray_last)).
Definition kappa_last : R :=
  curved_last + beta / (p - 1) * r_last * end_share * abs_power steep (q - 1) * abs_power Yend (2 - p).
Definition ratio_last : R := better_mass (better_exponent Yend kappa_last reach_last).
Definition end_last : R := abs_power Yend (p - 1) * flat.
Definition last_numbers : mirror_piece (coord (problem D)) (token (problem D)) :=
  MirrorPiece energy_last (entry_size P ray_last) (soft P a c ray_last energy_last) reach_last curved_last ratio_last
    (farthest reach_last) 0 0 (m K_).

Lemma turns_enclose : matrix_encloses (turn_in ray_last) turn_last.
Proof.
have [_ U] := unit_encloses setting; have [_ V] := offset_encloses setting.
apply: matrix_of_encloses => j k; rewrite /turn_last /fst /snd; case: ifP => _; first exact: contains0.
apply: imul_contains; first by apply: iabs_contains; exact: U.
apply: imul_contains; last by apply: iabs_contains; exact: V.
apply: imul_contains; last by apply: less_three_contains; exact: lower_end_contains.
by apply: isub_contains; [exact: contains2 | exact: over_contains].
Qed.

Lemma last_encloses y : 0 < Yend -> Yend <= y -> matrix_encloses ray_last (unit_ray u v y).
Proof.
move=> Y0 le; have yc := unit_ray_in_encloses P setting (ys_contains (leqnn K_)).
apply: (ray_between_encloses P yc (unit_encloses setting)) => jk.
have := @unit_ray_between N D u v Yend y 0 jk ltac:(lra) ltac:(split; [lra | apply/Rlt_le/Rinv_0_lt_compat; lra]).
by rewrite Rmult_0_r Rplus_0_r.
Qed.

Lemma last_encloses_unit : matrix_encloses ray_last u.
Proof.
have yc := unit_ray_in_encloses P setting (ys_contains (leqnn K_)).
by apply: (ray_between_encloses P yc (unit_encloses setting)) => jk; split; [exact: Rmin_r | exact: Rmax_r].
Qed.

Lemma along_last_contains y : 0 < Yend -> Yend <= y -> contains along_last (dot (mirror p (unit_ray u v y)) u).
Proof.
move=> Y0 le; apply: matrix_product_contains; last exact: unit_encloses setting.
by rewrite /mirror /p (primal_power ca); apply: power_matrix_encloses; exact: last_encloses.
Qed.

Lemma every_entry (g : nat -> nat -> bool) (jk : coord (problem D)) :
  all (fun j => all (g j) (seq.iota 0 e)) (seq.iota 0 d) -> g jk.1 jk.2.
Proof.
case: jk => j k /allP H; have jd : (j : nat) \in seq.iota 0 d by rewrite mem_iota add0n ltn_ord.
have /allP H2 := H _ jd; apply: H2; by rewrite mem_iota add0n; exact: (ltn_ord k).
Qed.

Lemma last_facts : last_check (energy_in powers K_) (nth anything ys K_) (nth anything powers K_) (slope_at K_) ->
  [/\ [/\ 0 < flat, 0 < X K_, 0 <= energy_last & sizes_ok (entry_sizes_in D P ray_last)],
      all_near ray_last && set_apart ray_last,
      forall t, Q t -> low t <= dot (Delta t) (ray u v Yend) - Yend * reach_last t /\ reach_last t <= dot (Delta t) u,
      forall t, Q t -> ~~ factor_kept f t ->
        1 <= Yend * (dot (Delta t) u - gamma - reach_last t) - gamma * kappa_last &
      [/\ 0 < gamma - ratio_last * G, growth_real * (longest * (1 + ratio_last)) <= gamma - ratio_last * G &
        Rmax C0 0 + gamma * kappa_last + ratio_last * (Yend * farthest reach_last) +
        step_curve q eta (norm_at q lost end_last (end_share * abs_power end_last (q - 1))) *
          (longest * (1 + ratio_last)) <=
        (gamma - ratio_last * G) * (m K_ * ((q - 1) * abs_power end_last (q - 2)))]].
Proof.
have yc := ys_contains (leqnn K_); have sl := slope_contains K_.
have shc : contains end_share_in end_share.
  apply: imax_contains sl _; apply: idiv_contains; first exact: energy_contains.
  exact: height_powers_contain.
have steep_q : contains (imagnitude P c (a - c) (upper_end along_last)) (abs_power steep (q - 1)).
  by rewrite /q (dual_power ca); apply: imagnitude_contains; exact: upper_contains.
have ec : contains energy_last_in energy_last.
  apply: imul_contains; first exact: imul_contains.
  have -> : 1 - p = quotient (Zpos c - Zpos a) c.
    by rewrite /quotient minus_IZR /p /exponent; have := positive_gt0 c => c0; field; lra.
  exact: power_to_contains.
have sg := soft_encloses D P ca ray_last ec; have rc := reach_encloses P ca setting ray_last ec.
have cc : contains (isqrt P (imul P (imul P (interval2 N) energy_last_in)
    (square_sum_in P (soft_in P a c energy_last_in (entry_sizes_in D P ray_last)) (turn_in ray_last)))) curved_last.
  apply: isqrt_contains; apply: imul_contains; first by apply: imul_contains => //; exact: contains2.
  exact: square_sum_contains turns_enclose sg.
have bc : contains (imul P (imul P (imul P (imul P (in_bend s) (matrix_largest P (ratios_in D P a c s ray_last)))
    end_share_in) (imagnitude P c (a - c) (upper_end along_last))) (two_less P a c (nth anything ys K_)))
    (beta / (p - 1) * r_last * end_share * abs_power steep (q - 1) * abs_power Yend (2 - p)).
  apply: imul_contains; last exact: two_less_contains.
  apply: imul_contains steep_q; apply: imul_contains shc; apply: imul_contains; first exact: bend_contains setting.
  exact: matrix_largest_contains (ratios_enclose D P a c s ray_last).
have kc := iadd_contains P cc bc; have rho := better_mass_contains (excess_encloses yc kc rc); have sc :=
  height_speed_contains rho.
have zc : contains (imul P (imagnitude P (a - c) c (nth anything ys K_)) (lower_end along_last)) end_last.
  apply: imul_contains; last exact: lower_end_contains.
  by rewrite /p (primal_power ca); exact: imagnitude_contains.
have zq : contains (imagnitude P c (a - c) (imul P (imagnitude P (a - c) c (nth anything ys K_))
    (lower_end along_last))) (abs_power end_last (q - 1)).
  by rewrite /q (dual_power ca); exact: imagnitude_contains.
have nc := curve_contains (step_norm_contains zc (imul_contains P shc zq)).
rewrite /last_check; cbv zeta; case/and5P=> /(is_positive_real (lower_end_contains along_last)) f0.
move=> /(is_positive_real (height_powers_contain (leqnn K_))) x0 /(is_nonnegative_real ec) e0 sok.
move=> /and5P[nears apart_ /andP[floors less] fall /and3P[sp gr hold]].
have [fr Hr] := rc; have [fa Ha] := along_encloses setting; split=> //.
- by rewrite nears apart_.
- move=> t Qt; split; first exact: above_floors_sound yc rc floors Qt.
  have fz := fits_zip fr fa; have it : in_mask (in_constraints s) t by rewrite (constraints_are setting).
  have := all_withinP false (constraints_fit setting) (fits_map _ fz) less it.
  by rewrite (at_token_map (anything, anything)) // at_token_zip //= => /(certainly_le_real (Hr t) (Ha t)).
- move=> t Qt Nt; have fz := fits_zip fa fr; have it : in_mask (in_better s) t by rewrite (better_are setting) Qt Nt.
  have := all_withinP false (better_fits setting) (fits_map _ fz) fall it.
  rewrite (at_token_map (anything, anything)) // at_token_zip //=; apply: certainly_le_real; first exact: contains1.
  apply: isub_contains; last by apply: imul_contains kc; exact: margin_contains setting.
  apply: imul_contains yc _; apply: isub_contains; last exact: Hr.
  by apply: isub_contains; [exact: Ha | exact: margin_contains setting].
split; [exact: is_positive_real sc sp | exact: grows_sound rho sc gr |].
apply: certainly_le_real hold.
  apply: iadd_contains; last exact: plain_contains.
  apply: iadd_contains; last by apply: imul_contains rho _; apply: imul_contains yc _; exact: farthest_contains.
  apply: iadd_contains; first by apply: imax_contains; [exact: gibbs_contains setting | exact: contains0].
  by apply: imul_contains kc; exact: margin_contains setting.
by apply: imul_contains sc _; apply: imul_contains sl _; exact: rise_contains.
Qed.

(* ---- all heights ---- *)

Lemma largest_of (F : nat -> R) k : exists2 i, (i <= k)%nat & forall j, (j <= k)%nat -> F j <= F i.
Proof.
elim: k => [|k [i ik H]].
  by exists 0%nat => // j; rewrite leqn0 => /eqP ->; right.
case: (Rle_lt_dec (F k.+1) (F i)) => h; [exists i; first exact: leqW | exists k.+1 => //] => j;
  rewrite leq_eqVlt ltnS => /orP[/eqP -> | /H le] //; by [right | lra].
Qed.

Definition numbers_at (k : nat) : mirror_piece (coord (problem D)) (token (problem D)) :=
  if (k < K_)%nat then inner_numbers k else last_numbers.

Notation bounds := (pieces_bounds Q Delta p q u v gamma mu f K_ Y m numbers_at beta r_last G end_share steep eta
  longest lost).

Theorem heights_sound rate R : contains rate R -> 0 <= growth_real -> heights_check rate ->
  [/\ 0 < eta, 0 < h0, 0 < zeta h0,
      mirror_conditions Q Delta p q u v gamma mu b f low bounds (normalised_fits Q Delta q b eta)
        (mirror p (ray u v h0)) &
      (forall y, h0 <= y ->
         growth_real * (longest * (1 + mirror_ratio bounds y)) <= gamma - mirror_ratio bounds y * G) /\
      exists M, [/\ 2 * M + lost / abs_power (zeta h0) (q - 1) = R, 0 <= M &
        forall x, zeta h0 <= x -> mirror_allowance bounds x <= M * abs_power x (q - 1)]].
Proof.
move=> Hrate g0 /and5P[/(is_positive_real first_contains) y0 /(is_positive_real (zetas_contain (leq0n K_))) z0].
move=> /(is_positive_real (step_contains setting)) eta0 steeps /and3P[rising inner last_ok].
have [[flat0 x0 e0 sok] /andP[nears apart_] tails fall [speed_l grow_l hold_l]] := last_facts last_ok.
have slope_k k : (k <= K_)%nat -> 0 < m k /\ 2 * m k + lost / X 0 <= R.
  move=> kn; have := allP steeps k; rewrite mem_iota add0n ltnS => /(_ kn) /andP[pos le].
  split; first exact: is_positive_real (slope_contains k) pos.
  apply: certainly_le_real le => //; apply: iadd_contains.
    by apply: imul_contains; [exact: contains2 | exact: slope_contains].
  by apply: idiv_contains; [exact: lost_contains setting | exact: height_powers_contain (leq0n K_)].
have slopes_ge0 k : (k <= K_)%nat -> 0 <= m k by move=> /slope_k[h _]; lra.
have Y_rises k : (k < K_)%nat -> Y k <= Y k.+1.
  move=> kn; have := allP rising k; rewrite mem_iota add0n => /(_ kn) lt.
  exact: Rlt_le (certainly_lt_real (ys_contains (ltnW kn)) (ys_contains kn) lt).
have Y_up k : (k <= K_)%nat -> h0 <= Y k.
  elim: k => [|k IH] kn; first by right.
  exact: Rle_trans (IH (ltnW kn)) (Y_rises k kn).
have Y_gt0 k : (k <= K_)%nat -> 0 < Y k by move=> /Y_up; lra.
have facts k (kn : (k < K_)%nat) := @inner_facts k kn (allP inner k ltac:(by rewrite mem_iota add0n)).
have rays k y : (k < K_)%nat -> Y k <= y -> y <= Y k.+1 -> matrix_encloses (ray_of k) (unit_ray u v y).
  move=> kn lo hi; have yk := Y_gt0 k (ltnW kn).
  apply: (ray_between_encloses P (unit_ray_in_encloses P setting (ys_contains (ltnW kn)))
    (unit_ray_in_encloses P setting (ys_contains kn))) => jk.
  apply: (@unit_ray_between N D u v (Y k) y (/ Y k.+1) jk); first lra.
  by split; [apply/Rlt_le/Rinv_0_lt_compat | apply: Rinv_le_contravar]; lra.
have beta0 : 0 <= beta := proj1 factor.
have far_ge0 F : 0 <= farthest F := token_largest_ge0 _.
have lastE : numbers_at K_ = last_numbers by rewrite /numbers_at ltnn.
have innerE k : (k < K_)%nat -> numbers_at k = inner_numbers k by rewrite /numbers_at => ->.
have shapes k : (k <= K_)%nat -> piece_shape Q Delta p u v low K_ Y numbers_at k.
  rewrite leq_eqVlt => /orP[/eqP -> | kn]; split; rewrite /softly ?lastE ?(innerE k kn) /=.
  - by move=> jk; apply: soft_numbers => //; exact: size_of_gt0.
  - by move=> y jk [le _]; apply: size_of_ge => //; exact: last_encloses (Y_gt0 _ (leqnn K_)) le.
  - by move=> t _; right.
  - by move=> t /tails[].
  - by have [e1 s1 _ _ _] := facts k kn => jk; apply: soft_numbers => //; exact: size_of_gt0.
  - move=> y jk [lo /(_ kn) hi]; have [_ s1 _ _ _] := facts k kn; apply: size_of_ge => //; exact: rays.
  - by move=> t _; right.
  by move=> t Qt; have [_ _ _ fl _] := facts k kn; case: (fl t Qt).
have inners k : (k < K_)%nat -> inner_piece Q Delta p q u v gamma mu f low Y m numbers_at k.
  move=> kn; have [_ _ _ fl _] := facts k kn; split; rewrite (innerE k kn) /=.
  - right; rewrite /allowance_at; have := abs_power_gt0 p (ltac:(have := Y_gt0 k (ltnW kn); lra) : Y k <> 0) => yp.
    by rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; apply: Rgt_not_eq.
  - by move=> t Qt; case: (fl t Qt).
  - exists (fun t => Rmax (better_exponent (Y k) (curved_of k) (reach_of k) t) (better_exponent (Y k.+1) (curved_of
    k) (reach_of k) t)).
    split; last by right.
    move=> t y Qt Nt [-> | ->]; rewrite along_ray; [exact: Rmax_l | exact: Rmax_r].
  - by move=> t Qt Nt; exact: Rmult_le_compat_l (Rlt_le _ _ (Y_gt0 k.+1 kn)) (farthest_ge (reach_of k) Qt Nt).
have bends k : (k < K_)%nat -> piece_bends p u v K_ Y numbers_at beta k.
  move=> kn; have [e1 _ pr _ _] := facts k kn.
  apply: (BendsMixed (s := vector_largest (@ratio_of N D P a c s (ray_of k)))
    (lambda := price D P a c s (ray_of k) (allowed_in k)) (near := @is_near N D P a c s (ray_of k))) => //.
  - exact: vector_largest_ge0.
  - by move=> y jk [lo /(_ kn) hi]; apply: (is_near_bend setting); exact: rays.
  move=> y [lo /(_ kn) hi]; rewrite (innerE k kn) /=.
  apply: (bent_le ca setting e1 (rays k y kn lo hi) pr beta0); have := Y_gt0 k (ltnW kn); lra.
have steps k : (k <= K_)%nat ->
    piece_steps Q Delta p q u v gamma mu f K_ Y m numbers_at G eta longest spread lost k.
  rewrite leq_eqVlt => /orP[/eqP -> | kn].
    split; rewrite ?ltnn // lastE /=; first exact: slopes_ge0.
    by move=> j; rewrite -eqn_leq => /eqP <- _; right.
  have [_ _ _ _ [_ _ hold]] := facts k kn; split; rewrite (innerE k kn) /=.
  - by move=> _; right.
  - move=> _; rewrite /cost_of; set x := plain_cost _ _; set y := fine_cost _ _.
    by case: (Rle_lt_dec x y) => h; [left; rewrite Rmin_left | right; rewrite Rmin_right]; try lra; right.
  - exact: need_ge0 (ltnW kn) slopes_ge0.
  - by move=> j; exact: need_le.
  by move=> _.
have ratios k : (k <= K_)%nat -> 0 < gamma - piece_ratio (numbers_at k) * G /\
    growth_real * (longest * (1 + piece_ratio (numbers_at k))) <= gamma - piece_ratio (numbers_at k) * G.
  rewrite leq_eqVlt => /orP[/eqP -> | kn]; first by rewrite lastE.
  by rewrite (innerE k kn); have [_ _ _ _ [sp gr _]] := facts k kn.
have fars k : (k <= K_)%nat -> 0 <= piece_far (numbers_at k).
  rewrite leq_eqVlt => /orP[/eqP -> | kn]; first by rewrite lastE; exact: far_ge0.
  by rewrite (innerE k kn); exact: Rmult_le_pos (Rlt_le _ _ (Y_gt0 k.+1 kn)) (far_ge0 _).
have ending : last_piece Q Delta p q u v gamma mu f K_ Y m numbers_at beta r_last end_share steep flat turn_last
  kappa_last.
  have along y (le : Yend <= y) := along_last_contains (Y_gt0 _ (leqnn K_)) le.
  have pos : is_positive (lower_end along_last) by have := last_ok; rewrite /last_check; cbv zeta; case/and5P.
  have bd : bounded along_last by case: along_last pos.
  split; rewrite ?lastE /=.
  - split; first exact: Rmax_l.
    have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ x0) (Rmax_r (m K_) (E K_ / X K_)).
    by rewrite -/end_share /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra.
  - split=> // y le; split; last exact: upper_ge (along y le) bd.
    exact: lower_le (along y le) pos.
  - by right.
  - by move=> t /tails[].
  - move=> y jk le; apply: (is_near_bend setting (last_encloses (Y_gt0 _ (leqnn K_)) le)).
    exact: (every_entry (g := near_in P a c s ray_last) jk nears).
  - move=> y jk le; rewrite /turn_last; case zero: (is_zero _).
      have u0 : u jk = 0.
        have [_ U] := unit_encloses setting; move: zero; rewrite (surjective_pairing jk); apply: is_zero_real.
        exact: U jk.1 jk.2.
      rewrite /bend_slope /mirror u0 (signed_power_ge0 _ (Rle_refl 0)) abs_power0 Rmult_0_r Rminus_0_r Rabs_R0.
      by rewrite Rmult_0_r; right.
    have posj := every_entry (g := fun j k => is_zero (unit_at s j k) ||
      is_positive (lower_end (iabs P (entry_of ray_last j k)))) jk apart_; rewrite zero /= in posj.
    have at_y := last_encloses (Y_gt0 _ (leqnn K_)) le.
    have uc : contains (entry_of ray_last jk.1 jk.2) (u jk) by case: (jk) => j k; case: last_encloses_unit.
    have ac : contains (entry_of ray_last jk.1 jk.2) (unit_ray u v y jk) by case: (jk) => j k; case: at_y.
    have Yl := Y_gt0 _ (leqnn K_).
    apply: bend_slope_turns; first lra.
    + exact: is_positive_real (lower_end_contains _) posj.
    + exact: lower_le (iabs_contains P uc) posj.
    + exact: lower_le (iabs_contains P ac) posj.
    have := every_entry (g := near_in P a c s ray_last) jk nears; rewrite /near_in zero /= => /and4P[same _ _ _].
    have [_ U] := unit_encloses setting; apply: is_positive_real (imul_contains P _ ac) same.
    by rewrite (surjective_pairing jk); exact: U jk.1 jk.2.
  - by rewrite /softly lastE; right.
  - by right.
  - exact: fall.
  - right; rewrite /ratio_last /better_mass; congr (_ * _); apply: eq_bigr => t _; congr (_ * exp _).
    by rewrite /better_exponent /least_margin along_ray.
  by move=> t Qt Nt; exact: farthest_ge.
split=> //.
  apply: (pieces_conditions (spread := spread) p1 p2 conj dir range active_kept centred y0 Y_rises z0 slopes_ge0 factor
    (vector_largest_ge0 _) ending) => //.
  - by rewrite lastE; exact: far_ge0.
  - by move=> k /ratios[]; lra.
  by rewrite lastE.
have [i ik most] := largest_of (fun k => piece_ratio (numbers_at k)) K_.
split.
  move=> y le; have [_ gr] := ratios i ik.
  apply: (@pieces_speed _ _ Q Delta p q u v gamma mu f p1 p2 conj dir K_ Y m numbers_at y0 Y_rises slopes_ge0 beta
    r_last
    factor (vector_largest_ge0 _) G end_share steep flat turn_last kappa_last eta longest lost ending size_ge0 G0
      longest_le
    (piece_ratio (numbers_at i)) growth_real y most g0 gr le).
exists ((R - lost / abs_power (zeta h0) (q - 1)) / 2).
have flatter k : (k <= K_)%nat -> m k <= (R - lost / abs_power (zeta h0) (q - 1)) / 2.
  by move=> /slope_k[_]; rewrite /height_power /=; lra.
split; [by lra | by have := flatter 0%nat (leq0n _); have := slopes_ge0 0%nat (leq0n _); lra |].
by move=> x le; exact: (pieces_allowance_le Q Delta gamma mu f p1 conj numbers_at Y_rises z0 slopes_ge0 beta r_last
  G end_share
  steep eta longest lost flatter le).
Qed.

(* What the theorem of all later steps asks for. *)
Corollary heights_conditions rate R : contains rate R -> 0 <= growth_real -> heights_check rate ->
  exists k, [/\ mirror_first k = h0 /\ mirror_far_slope k = G, 0 < zeta h0,
      mirror_conditions Q Delta p q u v gamma mu b f low k (normalised_fits Q Delta q b eta)
        (mirror p (ray u v h0)),
      forall y, mirror_first k <= y ->
         growth_real * (longest * (1 + mirror_ratio k y)) <= gamma - mirror_ratio k y * mirror_far_slope k &
      exists M, [/\ 2 * M + lost / abs_power (zeta h0) (q - 1) = R, 0 <= M &
        forall x, zeta h0 <= x -> mirror_allowance k x <= M * abs_power x (q - 1)]].
Proof.
move=> Hrate g0 ok; have [eta0 y0 z0 cond [speed M]] := heights_sound Hrate g0 ok.
by exists bounds; split.
Qed.
End Heights.
