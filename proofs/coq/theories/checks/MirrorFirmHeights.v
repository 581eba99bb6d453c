(* MirrorFirmHeights: what T17's conditions at heights take for P > 2 (MIRROR.md section 13), as a method: how far
   points go from MirrorFirmChecks.v, costs from MirrorFirmPrices.v, and what the ray's offset costs. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm PowerInequalities UniformConvexity Direction
                           Growth Gibbs FactorRange Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary NormChecks NormDistanceChecks IntervalTables AttentionIntervals
                           ReferenceIntervals Replay ForeverChecks LocalFactors Mirror MirrorRay MirrorMoves
                           MirrorEntries MirrorBend MirrorRegion MirrorRun MirrorHeights MirrorPieces
                           MirrorPiecesAboveTwo MirrorOffset MirrorCosts PowerIntervals MirrorReplay MirrorRunChecks
                           MirrorFactors MirrorTables MirrorSetting MirrorMethods MirrorFirmChecks MirrorFirmPrices.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

Section FirmHeights.
Variables (N : number) (D : token_data N) (P : Z) (a c : positive) (s : mirror_setting N).
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation table := (seq (seq interval)).
Notation vector := (vec (coord (problem D))).
Notation iabs := (iabs P).
Variables (first : interval) (heights slopes : seq (fraction N)) (normalised : bool).

Definition offset_cost_in I : interval :=
  imul P (p1_in N P a c) (matrix_sum P (matrix_of D (fun j k =>
    let v := iabs (entry_of (in_offset s) j k) in
    imul P (less_two P a c (iadd P (imul P I (iabs (unit_at s j k))) (imul P (interval2 N) v))) (imul P v v)))).
Definition firm_offset (ys zetas : seq interval) (ending : interval) : interval :=
  let n := size heights in
  let end_ := nth anything ys n in
  imax P (column_largest P
      [seq idiv P (offset_cost_in (nth anything ys k.+1)) (nth anything zetas k) | k <- seq.iota 0 n])
    (idiv P (offset_cost_in end_) ending).

Definition firm_price inside outside energy (ray : table) (y0 z1 : interval) rho length weight : interval :=
  firm_cost D P a c s inside outside energy ray y0 rho length weight.
Definition firm_last_price inside outside share steep (ray : table) y (end_ : interval) rho length weight : interval :=
  firm_cost D P a c s inside outside (imul P (imul P share steep) (imagnitude P (a - c) c y)) ray y rho length weight.

Definition firm_method : piece_method N :=
  let inside := row_sizes D P s (in_kept s) in
  let outside := row_sizes D P s (in_better s) in
  PieceMethod (firm_part D P a c s) (firm_last D P a c s) (firm_price inside outside) (firm_last_price inside outside)
    (1, 1)%positive ((- 1)%Z, 1%positive) firm_offset.

Hypotheses (ca : (c < a)%positive) (ac2 : (2 * c < a)%positive).
Let p := exponent a c.
Let q := exponent a (a - c).
Let p1 : 1 < p := exponent_gt1 ca.
Let p2 : 2 <= p := Rlt_le _ _ (exponent_gt_two ac2).
Let conj : / p + / q = 1 := exponent_conjugate ca.
Let q1 : 1 < q := conjugate_gt1 p1 conj.
Variables (Q : pred (token (problem D))) (Delta : token (problem D) -> vector) (u v : vector) (gamma : R).
Variables (mu : token (problem D) -> R) (b : vector -> token (problem D) -> R) (f : factor_bounds (token (problem D))).
Variables (beta G longest spread lost eta h0 : R) (low : token (problem D) -> R).
Hypothesis known : mirror_known a c s first Q Delta u v gamma mu b f beta G longest spread lost eta h0 low.
Let dir := known_direction known.
Let setting := known_setting known.

Let one : exponent 1 1 = 1. Proof. by rewrite /exponent; field. Qed.
Notation Y := (height_at heights h0).
Notation K_ := (size heights).
Notation zeta := (ray_height p u v).

(* ---- the offset ---- *)

Lemma offset_cost_contains I y : contains I y -> contains (offset_cost_in I) (offset_cost p u v y).
Proof.
move=> HI; have [_ UU] := unit_encloses setting; have [_ VV] := offset_encloses setting.
apply: imul_contains; first exact: p1_contains.
apply: (@matrix_sum_contains N D P _ (fun jk => abs_power (y * Rabs (u jk) + 2 * Rabs (v jk)) (p - 2) *
  (v jk * v jk))).
apply: matrix_of_encloses => j k; have Hv := iabs_contains P (VV j k); have Hu := iabs_contains P (UU j k).
apply: imul_contains; last by have := Rsqr_abs (v (j, k)); rewrite /Rsqr => ->; exact: imul_contains.
apply: less_two_contains; apply: iadd_contains; first exact: imul_contains.
by apply: imul_contains => //; exact: contains2.
Qed.

Lemma firm_offset_sound share steep flat E_ ys zetas hI : piece_proper a c heights slopes u v h0 ->
  last_level p u v 1 K_ Y (slope_real slopes) share steep flat E_ ->
  (forall k, (k <= K_)%nat -> contains (nth anything ys k) (Y k)) ->
  (forall k, (k <= K_)%nat -> contains (nth anything zetas k) (zeta (Y k))) ->
  contains hI (end_height p K_ Y flat) -> exists2 x, contains (firm_offset ys zetas hI) x &
    0 <= x /\ forall y, Y 0%nat <= y -> centre_cost p q u v y <= x * zeta y.
Proof.
move=> ok level yc zc hc; have [Y_gt0 Y_rises zeta0 slopes_ge0] := ok.
have [f0 _] := last_slopes level.
have zpos k : (k <= K_)%nat -> 0 < zeta (Y k).
  by move=> le; exact: Rlt_le_trans zeta0 (ray_height_mono u v p1 conj (Y_mono Y_rises (leq0n k) le)).
pose F (k : 'I_K_) : R := offset_cost p u v (Y k.+1) / zeta (Y k).
pose last := offset_cost p u v (Y K_) / end_height p K_ Y flat.
pose x := Rmax (\big[Rmax/0]_(k < K_) F k) last.
have end0 : 0 < end_height p K_ Y flat.
  by apply: Rmult_lt_0_compat => //; apply: abs_power_gt0; have := Y_pos Y_gt0 Y_rises (leqnn K_); lra.
exists x.
  apply: imax_contains; last by apply: idiv_contains hc; exact: offset_cost_contains (yc _ (leqnn _)).
  apply: list_largest_contains => [|k]; first by rewrite size_map size_iota.
  rewrite (nth_map 0%nat) ?size_iota // nth_iota // add0n; apply: idiv_contains.
    exact: offset_cost_contains (yc _ (ltn_ord k)).
  exact: zc (ltnW (ltn_ord k)).
have x0 : 0 <= x by apply: Rle_trans (Rmax_l _ _); exact: big_Rmax_ge0.
split=> // y; apply: (pieces_offset p1 p2 conj Y_gt0 Y_rises level x0) => [k kK|].
  have le : F (Ordinal kK) <= x by apply: Rle_trans (Rmax_l _ _); exact: big_Rmax_ge F (Ordinal kK).
  have z0 := zpos k (ltnW kK); have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ z0) le.
  by rewrite /F /Rdiv Rmult_assoc Rinv_l; [rewrite Rmult_1_r | exact: Rgt_not_eq z0].
have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ end0) (Rmax_r _ last : last <= x).
by rewrite {1}/last /Rdiv Rmult_assoc Rinv_l; [rewrite Rmult_1_r | exact: Rgt_not_eq end0].
Qed.

(* ---- all heights ---- *)

Notation within := (largest_within Delta f).
Notation beyond := (largest_beyond Q Delta f).

Lemma within_ge t jk : factor_kept f t -> Rabs (Delta t jk) <= within jk.
Proof.
by move=> kt; have := token_largest_ge (fun t => if factor_kept f t then Rabs (Delta t jk) else 0) t; rewrite kt.
Qed.

Lemma beyond_ge t jk : Q t -> ~~ factor_kept f t -> Rabs (Delta t jk) <= beyond jk.
Proof.
move=> Qt Nt.
by have := token_largest_ge (fun t => if Q t && ~~ factor_kept f t then Rabs (Delta t jk) else 0) t; rewrite Qt Nt.
Qed.

Theorem firm_method_sound : method_sound a c heights slopes normalised Q Delta u v gamma mu b f G eta h0 low firm_method
  (fun share steep flat k d_ w => priced_above_two Q Delta p q u v gamma f K_ Y (slope_real slopes) share steep longest
    spread within beyond k d_ w).
Proof.
have inside := row_sizes_enclose P setting (kept_fits setting) (kept_are setting).
have outside := row_sizes_enclose P setting (better_fits setting) (better_are setting).
split=> [| | | share steep flat k m_ EI yI zI rhoI rho lI len wI w ok_ kK rays ec yc zc rc rho0 lc wc
  | shI share stI steep m_ flat yI hI rhoI rho lI len wI w ok_ shc stc yc hc rays rc rho0 lc wc
  | share steep flat E ys zetas hI ok_ + yin zin hc | D_ share steep flat energy bend].
- by split; rewrite /firm_method /= one ?/quotient /=; lra.
- exact: (firm_part_sound ca ac2 setting dir (known_centred known) (known_curve known)).
- rewrite /firm_method /= one.
  exact: (firm_last_sound ca ac2 setting dir (known_centred known) (known_curve known)).
- rewrite /firm_method /= one in ec.
  apply: (firm_cost_sound P ca dir setting inside outside _ _ yc rc rho0 lc wc).
  + by move=> y [lo hi]; apply: rays; split => //; exact: hi.
  by rewrite /energy_at kK.
- apply: (firm_cost_sound P ca dir setting inside outside _ _ yc rc rho0 lc wc).
  + by move=> y [lo _]; exact: rays.
  rewrite /energy_at ltnn; apply: imul_contains; first exact: imul_contains.
  by rewrite /p (primal_power ca); exact: imagnitude_contains.
- rewrite /firm_method /= one => level; have [x xc [x0 le]] := firm_offset_sound ok_ level yin zin hc.
  exists x => //; split=> // y lo; rewrite abs_power1; first exact: le.
  have [Y_gt0 Y_rises zeta0 slopes_ge0] := ok_.
  exact: Rlt_le (Rlt_le_trans _ _ _ zeta0 (ray_height_mono u v p1 conj lo)).
change (exponent (method_power firm_method).1 (method_power firm_method).2) with (exponent 1 1).
rewrite one => k_ at_ near_ ok_ level shape ratio_le last0 length0 lengths weight0 weights priced.
have [Y_gt0 Y_rises zeta0 slopes_ge0] := ok_.
have beyond0 jk : 0 <= beyond jk by exact: token_largest_ge0.
move=> y z tau; exact: (pieces_costs_above_two (weight := fun k => weight_of gamma f low normalised G eta
  (piece_ratio (D_ k))) p1 p2 conj dir (known_range known) Y_gt0 Y_rises zeta0 slopes_ge0 level shape ratio_le lengths
  weight0 weights (known_longest known) (known_spread known) within_ge beyond_ge beyond0 priced).
Qed.
End FirmHeights.
