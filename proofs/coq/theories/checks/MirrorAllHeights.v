(* MirrorAllHeights: T17's conditions at all heights and what its conclusions need, from an accepted list of heights and
   slopes (MIRROR.md sections 11 and 13): the pieces of MirrorHeightChecks.v together. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm PowerInequalities UniformConvexity Direction
                           Growth Gibbs FactorRange Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary NormChecks NormDistanceChecks IntervalTables AttentionIntervals
                           ReferenceIntervals Replay ForeverChecks LocalFactors Mirror MirrorRay MirrorMoves
                           MirrorEntries MirrorBend MirrorRegion MirrorRun MirrorHeights MirrorPieces MirrorCosts
                           PowerIntervals MirrorReplay MirrorRunChecks MirrorFactors MirrorTables MirrorSetting
                           MirrorMethods MirrorHeightChecks.

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

Lemma largest_of (F : nat -> R) k : exists2 i, (i <= k)%nat & forall j, (j <= k)%nat -> F j <= F i.
Proof.
elim: k => [|k [i ik H]].
  by exists 0%nat => // j; rewrite leqn0 => /eqP ->; right.
case: (Rle_lt_dec (F k.+1) (F i)) => h; [exists i; first exact: leqW | exists k.+1 => //] => j;
  rewrite leq_eqVlt ltnS => /orP[/eqP -> | /H le] //; by [right | lra].
Qed.

Section AllHeights.
Variables (N : number) (D : token_data N) (P : Z) (a c : positive) (s : mirror_setting N) (M : piece_method N).
Notation anything := (@Everything N).
Notation vector := (vec (coord (problem D))).
Variables (first : interval N) (heights slopes : seq (fraction N)) (normalised : bool) (growth : interval N).
Hypothesis ca : (c < a)%positive.
Let p := exponent a c.
Let q := exponent a (a - c).
Notation r := (exponent (method_power M).1 (method_power M).2).
Let p1 : 1 < p := exponent_gt1 ca.
Let conj : / p + / q = 1 := exponent_conjugate ca.
Variables (Q : pred (token (problem D))) (Delta : token (problem D) -> vector) (u v : vector) (gamma : R).
Variables (mu : token (problem D) -> R) (b : vector -> token (problem D) -> R) (f : factor_bounds (token (problem D))).
Variables (beta G longest spread lost eta h0 : R) (low : token (problem D) -> R).
Notation K := (log_floor Q mu (factor_low f)).
Notation C0 := (gibbs_gap Q Delta u v (factor_kept f) gamma mu (factor_high f) (factor_low f) h0).
Notation whole := (most_total f low).
Notation zeta := (ray_height p u v).
Notation piece := (mirror_piece (token (problem D))).
Notation Y := (height_at heights h0).
Notation m := (slope_real slopes).
Let K_ := size heights.
Notation Yend := (Y K_).
Notation fits := (fits_rule Q Delta q b normalised eta).
Notation weight_of := (weight_of gamma f low normalised G eta).
Variables (growth_real : R) (priced : R -> R -> R -> nat -> piece -> R -> Prop).

(* What the theorem of all later steps asks for. *)
Record region_found (r R_ : R) (k_ : mirror_bounds (token (problem D))) : Prop := RegionFound {
  region_first : mirror_first k_ = h0 /\ mirror_far_slope k_ = G;
  region_ahead : [/\ 0 < eta, 0 < h0 & 0 < zeta h0];
  region_conditions : mirror_conditions Q Delta p q u v gamma mu b f low k_ fits (mirror p (ray u v h0));
  region_speed : normalised -> forall y, h0 <= y ->
    growth_real * (longest * (1 + mirror_ratio k_ y)) <= gamma - mirror_ratio k_ y * G;
  region_gain : exists gain : R -> R, [/\ forall h, 0 < gain h, forall h h', h <= h' -> gain h' <= gain h &
    forall y, h0 <= y -> gain (zeta y) <= (gamma - mirror_ratio k_ y * G) * exp (K - gamma * (y + mirror_bend k_ y))];
  region_rate : exists M C, [/\ 2 * M + C = R_, forall x, zeta h0 <= x -> mirror_allowance k_ x <= M * abs_power x r &
    forall y, h0 <= y -> centre_cost p q u v y <= C * abs_power (zeta y) r]
}.

Hypothesis growth_contains : contains growth growth_real.
Hypothesis known : mirror_known a c s first Q Delta u v gamma mu b f beta G longest spread lost eta h0 low.
Hypothesis sound : method_sound a c heights slopes normalised Q Delta u v gamma mu b f G eta h0 low M priced.
Let dir := known_direction known.
Let range := known_range known.
Let active_kept := known_kept known.
Let setting := known_setting known.
Let first_contains : contains first h0 := known_first known.
Let size_ge0 := known_sizes known.
Let G0 : 0 <= G := proj1 (known_slopes known).
Let G_le := proj2 (known_slopes known).
Let longest_le := known_longest known.
Let r1 : 1 <= r. Proof. by have [] := sound_power sound. Qed.
Let rp : (p - 1) * r <= p. Proof. by have [] := sound_power sound. Qed.
Let ys := first :: [seq fraction_in P h | h <- heights].
Let zetas := [seq ray_height_in D P a c s y | y <- ys].
Let ys_in k : (k <= K_)%nat -> contains (nth anything ys k) (Y k) := ys_contains P known (k := k).
Let zetas_in k : (k <= K_)%nat -> contains (nth anything zetas k) (zeta (Y k)) := zetas_contain P ca known (k := k).
Notation piece_proper := (piece_proper a c heights slopes u v h0).
Notation piece_found share steep flat := (piece_found a c M heights slopes normalised Q Delta u v gamma mu f G
  longest eta h0 low priced growth_real share steep flat).
Notation bounds_of D_ flat bend := (pieces_bounds Q Delta p u v gamma mu f r K_ Y m D_ G flat bend).

Let longest0 : 0 <= longest.
Proof.
have [c0 /activeP[Qc0 _]] := balanced_active_exists (mirror_balanced dir).
exact: Rle_trans (lp_norm_ge0 _ _) (longest_le Qc0).
Qed.

Theorem heights_sound rate R_ : contains rate R_ ->
  heights_check D P a c s M first heights slopes normalised growth rate -> exists k_, region_found r R_ k_.
Proof.
move=> Hrate /and5P[/(is_positive_real first_contains) y0 /(is_positive_real (zetas_in (leq0n K_))) z0].
case/andP=> /(is_positive_real (step_contains setting)) eta0 _ steeps /and3P[rising inner last_ok].
have ok : piece_proper.
  split=> // k kn_.
    have := allP rising k; rewrite mem_iota add0n => /(_ kn_) lt.
    exact: Rlt_le (certainly_lt_real (ys_in (ltnW kn_)) (ys_in kn_) lt).
  have := allP steeps k; rewrite mem_iota add0n ltnS => /(_ kn_) /andP[pos _].
  exact: Rlt_le (is_positive_real (slope_contains P slopes k) pos).
have [_ Y_rises zeta0 slopes_ge0] := ok.
have [kappa [bend [d_ [level ending found_last holds]]]] := last_found ca known sound growth_contains ok last_ok.
set share := Rmax _ _ in level found_last; set steep := upper _ in level found_last.
set flat := lower _ in level ending found_last holds.
have [D_ HD] : exists D_ : nat -> piece, forall k, (k < K_)%nat -> piece_found share steep flat k (D_ k) /\
    inner_piece Q Delta p q u v gamma mu f low r K_ Y m (D_ k) k.
  apply: (@heights_of piece d_ (fun k x => piece_found share steep flat k x /\
    inner_piece Q Delta p q u v gamma mu f low r K_ Y m x k)) => k kn_.
  have := allP inner k; rewrite mem_iota add0n => /(_ kn_) checked.
  exact: (inner_found ca known sound growth_contains ok share steep flat kn_ checked).
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
have lengths y z tau : near_ray p q u v (bounds_of D' flat bend) y z -> fits tau z ->
    normalised_fits Q Delta q b (piece_length (D' (piece_of K_ Y y))) tau z.
  move=> at_y fit; have [le _ _] := at_y; rewrite (found_length (found _ (at_piece y le))).
  exact: (step_length p1 conj dir range longest0 longest_le shape at_y fit eta0 (ratio_le y le)).
have weights y z tau : near_ray p q u v (bounds_of D' flat bend) y z -> fits tau z ->
    tau * mirror_total Delta q b f z <= weight_of (piece_ratio (D' (piece_of K_ Y y))).
  move=> at_y fit; have [le _ _] := at_y.
  exact: (piece_weight p1 conj dir range G0 shape at_y fit (proj1 (found_grows (found _ (at_piece y le))))
    (ratio_le y le) erefl).
have start : near_ray p q u v (bounds_of D' flat bend) (Y 0) (mirror p (ray u v (Y 0))).
  split=> /=; [by right | by [] |].
  by rewrite (mirror_gap_self p1 conj); exact: (allowance_ge0 p1 conj r1 Y_rises zeta0 slopes_ge0 (Rle_refl _)).
have w0 : 0 < whole := whole_gt0 dir range shape start.
have length0 k (kn_ : (k <= K_)%nat) : 0 <= piece_length (D' k).
  rewrite (found_length (found k kn_)) /mirror_step_length; have rho0 := found_ratio (found k kn_).
  case: normalised; first lra.
  by apply: Rmult_le_pos; apply: Rmult_le_pos; lra.
have weight0 k (kn_ : (k <= K_)%nat) : 0 < weight_of (piece_ratio (D' k)).
  rewrite /MirrorCosts.weight_of; have [pos _] := found_grows (found k kn_).
  by case: normalised; [exact: Rdiv_lt_0_compat | exact: Rmult_lt_0_compat].
have costs := sound_costs sound ok level shape ratio_le (found_ratio (found K_ (leqnn _))) length0 lengths weight0
  weights (fun k kn_ => found_price (found k kn_)).
have rises y z tau : near_ray p q u v (bounds_of D' flat bend) y z -> fits tau z ->
    0 < tau /\ tau * dot (mirror_field Q Delta q b z) u <= piece_length (D' (piece_of K_ Y y)).
  by move=> at_y fit; exact: (normalised_rise p1 conj dir (lengths y z tau at_y fit)).
have last_holds : Rmax C0 0 + gamma * kappa + piece_ratio (D' K_) * (Yend * piece_far (D' K_)) + piece_cost (D' K_) <=
    (gamma - piece_ratio (D' K_) * G) * (piece_need (D' K_) * (r * abs_power (end_height p K_ Y flat) (r - 1))).
  by rewrite lastE.
have [i ik most] := largest_of (fun k => piece_ratio (D' k)) K_.
have [grow1 grow2] := found_grows (found i ik).
have [x offset_c [C0_ lost_le]] := sound_offset sound ok level ys_in zetas_in (last_height_contains P heights ca known).
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
have := certainly_le_real (iadd_contains P (imul_contains P (contains2 N) (slope_contains P slopes k)) offset_c)
  Hrate rate_le.
lra.
Qed.
End AllHeights.
