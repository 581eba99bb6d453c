(* MirrorPiecesAboveTwo: what a piece of heights (MirrorPieces.v) needs for p >= 2 (MIRROR.md section 13): how far
   points go at a height, kappa beyond the last one, what a step's own curvature costs, and what the ray's offset
   does. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity
                           Direction Gibbs Progress Growth Inside FactorRange Mirror PowerGap MirrorRay MirrorMoves
                           MirrorCurve MirrorEntries MirrorBend MirrorLoose MirrorFirm MirrorSolid MirrorRegion
                           MirrorRun MirrorSpread MirrorSteep MirrorHeights MirrorPieces MirrorOffset.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- Lemma 10's numbers for an entry: any for which this holds ---- *)

Definition firm_numbers (p E al s T : R) : Prop :=
  [/\ 0 < al, E < firm_floor p al (al / 2), 0 <= s, 0 <= T /\ 2 * s * E <= T * T &
    exists T0, [/\ 0 <= T0 <= al / 2, T0 = al / 2 \/ 2 * E <= (p - 1) * firm_rest p al (al / 2) * (T0 * T0) &
      1 <= (p - 1) * s * firm_rest p al T0]].

Lemma firm_numbers_less p E e al s T : e <= E -> firm_numbers p E al s T -> firm_numbers p e al s T.
Proof.
move=> le [al0 firm s0 [T0 far] [T1 [b1 b2 b3]]]; split=> //; first lra.
  by split=> //; have := Rmult_le_compat_l (2 * s) _ _ ltac:(lra) le; lra.
by exists T1; split=> //; case: b2 => [-> | b2]; [left | right; lra].
Qed.

Definition widest (p E : R) : R := abs_power (E / loose_floor p) (/ p).

Section Entry.
Variables (p E a w : R).
Hypotheses (p1 : 1 < p) (p2 : 2 <= p) (within : power_gap p w a <= E).

Lemma firm_entry al s T : al <= Rabs a -> firm_numbers p E al s T ->
  (w - a) * (w - a) <= 2 * s * power_gap p w a /\ Rabs (w - a) <= T.
Proof.
move=> ala [al0 firm s0 [T0 far] [T1 [b1 b2 b3]]]; have sized : 0 < al <= Rabs a by lra.
have half := firm_half p1 p2 sized within firm.
have in1 : Rabs (w - a) <= T1.
  by case: b2 => [-> // | b2]; apply: (firm_within p1 p2 sized within firm) b2; lra.
have soft := firm_soft p1 p2 sized in1 (proj2 b1) s0 b3.
have {}soft : (w - a) * (w - a) <= 2 * s * power_gap p w a by apply: soft.
split=> //; apply: Rsqr_incr_0_var => //; rewrite -Rsqr_abs /Rsqr.
by have := Rmult_le_compat_l (2 * s) _ _ ltac:(lra) within; lra.
Qed.

Lemma loose_within : Rabs (w - a) <= widest p E.
Proof.
have c0 := loose_floor_gt0 p1; have G0 := power_gap_ge0 p1 w a; have le := loose_gap p1 p2 w a.
rewrite -(abs_power1 (Rabs_pos (w - a))); have -> : 1 = p * / p by field; lra.
rewrite -abs_power_comp abs_power_abs; apply: abs_power_le; first by apply/Rlt_le/Rinv_0_lt_compat; lra.
split; first exact: abs_power_ge0.
apply: (Rmult_le_reg_l (loose_floor p)) => //; have -> : loose_floor p * (E / loose_floor p) = E by field; lra.
lra.
Qed.
End Entry.

Lemma widest_ge0 p E : 0 <= widest p E. Proof. exact: abs_power_ge0. Qed.

(* ---- a height ---- *)

Section Height.
Variables (J : finType) (p q : R) (u v : vec J) (y E : R) (al sigma far z : vec J) (firm : pred J).
Hypotheses (p1 : 1 < p) (p2 : 2 <= p) (conj : / p + / q = 1) (y0 : 0 < y).
Notation n := (mirror p u).
Notation a := (unit_ray u v y).
Notation c := (loose_floor p).
Hypothesis numbers : forall j, firm j -> firm_numbers p E (al j) (sigma j) (far j).
Hypothesis entries : forall j, firm j -> al j <= Rabs (a j).
Hypotheses (same_height : ray_height p u v y = dot z u) (gap_le : mirror_gap p q (ray u v y) z <= E * abs_power y p).
Let w := mirror q z.
Let unit_w : vec J := (/ y * w)%V.
Let q1 : 1 < q := conjugate_gt1 p1 conj.

Let allowed : mirror_gap p q a (mirror p unit_w) <= E := unit_gap_le p1 conj y0 gap_le.

Let entry_le j : power_gap p (unit_w j) (a j) <= E.
Proof.
apply: Rle_trans allowed; rewrite (mirror_gap_sum p1 conj) (bigD1 j) //=.
suff : 0 <= \sum_(i | i != j) power_gap p (unit_w i) (a i) by lra.
by apply: sum_ge0 => i _; exact: power_gap_ge0.
Qed.

Let soft j : firm j ->
  0 <= sigma j /\ (unit_w j - a j) * (unit_w j - a j) <= 2 * sigma j * power_gap p (unit_w j) (a j).
Proof.
move=> fj; split; first by case: (numbers fj).
exact: (proj1 (firm_entry p1 p2 (entry_le j) (entries fj) (numbers fj))).
Qed.

Let loose j : c * abs_power (unit_w j - a j) p <= power_gap p (unit_w j) (a j) := loose_gap p1 p2 _ _.

Let wE : (w - ray u v y)%V = (y * (unit_w - a))%V.
Proof.
apply: vec_ext => j; have := congr1 (fun x : vec J => x j) (unit_ray_scale u v (ltac:(lra) : y <> 0)).
by rewrite /vsub /vscale => ->; rewrite /unit_w /vscale; field; lra.
Qed.

Definition firm_reach (h : vec J) : R :=
  sqrt (2 * E * \sum_(j | firm j) h j * h j * sigma j) + widest p E * lp_norm q (loose_part firm h).

Lemma firm_reach_ge0 h : 0 <= firm_reach h.
Proof. by apply: Rplus_le_le_0_compat; [exact: sqrt_pos | apply: Rmult_le_pos (widest_ge0 _ _) (lp_norm_ge0 _ _)]. Qed.

Lemma firm_height_moves h : Rabs (dot h (w - ray u v y)%V) <= y * firm_reach h.
Proof.
rewrite wE dotZr Rabs_mult (Rabs_pos_eq y); last lra.
apply: Rmult_le_compat_l; first lra.
have c0 := loose_floor_gt0 p1; have up := firm_moves p1 conj c0 soft loose allowed.
apply: Rabs_le; split; last exact: up.
have := up (- h)%V; rewrite dotNl.
have -> : \sum_(j | firm j) (- h)%V j * (- h)%V j * sigma j = \sum_(j | firm j) h j * h j * sigma j.
  by apply: eq_bigr => j _; rewrite /vopp; ring.
have -> : lp_norm q (loose_part firm (- h)%V) = lp_norm q (loose_part firm h).
  rewrite /lp_norm /lp_sum; congr abs_power; apply: eq_bigr => j _; rewrite /loose_part /vopp.
  by case: (firm j) => //; rewrite -abs_power_abs Rabs_Ropp abs_power_abs.
by rewrite -/(widest p E) -/(firm_reach h); lra.
Qed.

Variables (beta r : R) (h : vec J) (near : pred J).
Hypotheses (u_unit : lp_sum p u = 1) (centred : dot n v = 0) (factor : curve_factor p beta) (r0 : 0 <= r).
Hypothesis near_ok : forall j, near j -> bend_near u a r j /\ Rabs (bend_slope p u a j) <= h j.
Hypothesis other_ok : forall j, ~~ near j -> Rabs (n j) <= h j /\
  Rabs (u j) * abs_power (Rabs (a j) + (if firm j then far j else widest p E)) (p - 2) <= h j.

Lemma firm_height_bends : dot n w - y <= y * (beta / (p - 1) * r * E + firm_reach h).
Proof.
have -> : dot n w - y = dot n (w - ray u v y)%V by rewrite dotBr (ray_along u_unit centred).
rewrite wE dotZr; apply: Rmult_le_compat_l; first lra.
apply: (bend_firm (reach := fun j => if firm j then far j else widest p E) p1 p2 conj (loose_floor_gt0 p1) factor r0
  _ soft loose allowed near_ok).
  exact: (unit_level p1 conj y0 same_height).
move=> j nj; have [h1 h2] := other_ok nj; split=> //; case: ifP => fj; last exact: loose_within.
exact: (proj2 (firm_entry p1 p2 (entry_le j) (entries fj) (numbers fj))).
Qed.
End Height.

(* ---- the pieces ---- *)

Section AboveTwo.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (p q : R) (u v : vec J) (gamma : R) (mu : C -> R).
Variables (b : vec J -> C -> R) (f : factor_bounds C) (low : C -> R).
Hypotheses (p1 : 1 < p) (p2 : 2 <= p) (conj : / p + / q = 1) (dir : mirror_direction Q Delta p u gamma mu).
Hypothesis range : factor_range Q Delta b low f.
Notation P := (factor_kept f).
Notation n := (mirror p u).
Notation ray := (ray u v).
Notation ray_height := (ray_height p u v).
Let q1 : 1 < q := conjugate_gt1 p1 conj.

Variables (K : nat) (Y m : nat -> R).
Hypotheses (Y_gt0 : 0 < Y 0) (Y_rises : forall k, (k < K)%nat -> Y k <= Y k.+1) (ahead : 0 < ray_height (Y 0)).
Hypothesis slopes : forall k, (k <= K)%nat -> 0 <= m k.
Notation E := (rise_to (height_power p u v 1 Y) m).
Notation A := (allowance p u v 1 K Y m).
Notation Yend := (Y K).
Variables (G share steep flat energy : R).
Hypothesis level : last_level p u v 1 K Y m share steep flat energy.
Notation beyond_grown := (beyond_grown p u v 1 K Y flat).

Let r1 : 1 <= 1. Proof. by right. Qed.
Let rp : (p - 1) * 1 <= p. Proof. by lra. Qed.
Let Yend0 : 0 < Yend. Proof. exact: (Y_pos Y_gt0 Y_rises). Qed.
Let share0 : 0 <= share. Proof. by have [] := last_share level; have := slopes (leqnn K); lra. Qed.
Let steep0 : 0 < steep.
Proof. by have [f0 H] := last_slopes level; have := H Yend (Rle_refl _); lra. Qed.
Let first_of y : Yend <= y -> Y 0 <= y. Proof. exact: (last_first Y_rises). Qed.

Lemma grown_one y : Yend <= y -> beyond_grown y = 1.
Proof.
move=> le; have z0 := end_height_gt0 Y_gt0 Y_rises level; have zh := end_height_le p1 Y_gt0 Y_rises level le.
rewrite /MirrorPieces.beyond_grown Rminus_eq_0 abs_power_pos ?Rpower_O //; apply: Rdiv_lt_0_compat; lra.
Qed.

(* What is allowed of the gap beyond the last height. *)
Lemma allowed_end y : Yend <= y -> A (ray_height y) <= share * steep * abs_power y (p - 1).
Proof.
move=> le; apply: Rle_trans (last_allowance p1 conj r1 Y_rises ahead level le) _.
have h0 : 0 < ray_height y := height_ahead p1 conj ahead (first_of le).
rewrite abs_power1; last lra.
rewrite Rmult_assoc; apply: Rmult_le_compat_l share0 _; rewrite (last_height p u v Y_gt0 Y_rises le).
have [f0 H] := last_slopes level; have [_ hi] := H y le.
by have := Rmult_le_compat_l _ _ _ (abs_power_ge0 y (p - 1)) hi; lra.
Qed.

(* What the offset costs, over the height. *)
Lemma pieces_offset cost y : 0 <= cost -> (forall k, (k < K)%nat -> offset_cost p u v (Y k.+1) <= cost * ray_height (Y
  k)) ->
  offset_cost p u v Yend <= cost * end_height p K Y flat -> Y 0 <= y -> centre_cost p q u v y <= cost * ray_height y.
Proof.
move=> c0 inner_le end_le le; apply: Rle_trans (centre_cost_above_two u v p1 p2 conj (ltac:(lra) : 0 <= y)) _.
have [kK [lo hi]] := piece_ofP K le; case: (boolP (piece_of K Y y < K)%nat) => [lt | nlt].
  have up := offset_cost_rises u v p1 p2 (ltac:(have := hi lt; lra) : 0 <= y <= Y (piece_of K Y y).+1).
  apply: Rle_trans up _; apply: Rle_trans (inner_le _ lt) _; apply: Rmult_le_compat_l c0 _.
  exact: (ray_height_rises u v p1 conj lo).
have [_ far] := not_last le nlt; pose t := y / Yend.
have yE : y = t * Yend by rewrite /t; field; lra.
have t1 : 1 <= t by apply: (Rmult_le_reg_r Yend) => //; rewrite -yE; lra.
have [f0 H] := last_slopes level; have [fl _] := H y far.
have scale := offset_cost_scale u v p1 p2 (Rlt_le _ _ Yend0) t1; rewrite -yE in scale.
apply: Rle_trans scale _; have T0 := abs_power_ge0 t (p - 2).
apply: (Rle_trans _ (abs_power t (p - 1) * (cost * end_height p K Y flat))).
  apply: Rmult_le_compat => //; first exact: offset_cost_ge0.
  by rewrite !abs_power_pos; [apply: Rle_Rpower | |]; lra.
have yP : abs_power y (p - 1) = abs_power t (p - 1) * abs_power Yend (p - 1) by rewrite -abs_power_mult -yE.
rewrite (last_height p u v Y_gt0 Y_rises far) yP /end_height.
have A0 := Rmult_le_pos _ _ c0 (Rmult_le_pos _ _ (abs_power_ge0 t (p - 1)) (abs_power_ge0 Yend (p - 1))).
by have := Rmult_le_compat_l _ _ _ A0 fl; lra.
Qed.

(* ---- kappa beyond the last height ---- *)

Section Bend.
Variables (al sigma far turn : vec J) (firm : pred J) (beta s kappa : R).
Hypotheses (centred : dot n v = 0) (factor : curve_factor p beta) (s0 : 0 <= s).
Hypothesis numbers : forall j, firm j -> firm_numbers p (energy) (al j) (sigma j) (far j).
Hypothesis entries : forall y j, Yend <= y -> firm j -> al j <= Rabs (unit_ray u v y j).
Hypothesis near : forall y j, Yend <= y -> bend_near u (unit_ray u v y) s j.
Hypothesis turns : forall y j, Yend <= y -> y * Rabs (bend_slope p u (unit_ray u v y) j) <= turn j.
Hypothesis kappa_ge :
  firm_reach p q (energy) sigma firm turn + beta / (p - 1) * s * (share * steep) <= kappa.

Let beta0 : 0 <= beta / (p - 1) * s.
Proof.
apply: Rmult_le_pos s0; have [b0 _] := factor.
by apply: Rmult_le_pos b0 _; apply/Rlt_le/Rinv_0_lt_compat; lra.
Qed.

Lemma firm_kappa_ge0 : 0 <= kappa.
Proof.
apply: Rle_trans kappa_ge; apply: Rplus_le_le_0_compat; first exact: firm_reach_ge0.
by apply: Rmult_le_pos beta0 _; apply: Rmult_le_pos; lra.
Qed.

Lemma firm_bends y z : Yend <= y -> ray_height y = dot z u -> mirror_gap p q (ray y) z <= A (dot z u) ->
  dot n (mirror q z) - y <= kappa.
Proof.
move=> le hy gap_le; have y0 : 0 < y by lra.
pose e := share * steep / y; have ss : 0 <= share * steep by apply: Rmult_le_pos; lra.
have yE : abs_power y p = abs_power y (p - 1) * y.
  by rewrite -{3}(abs_power1 (Rlt_le _ _ y0)) abs_power_plus //; congr abs_power; ring.
have eE : e * abs_power y p = share * steep * abs_power y (p - 1) by rewrite yE /e; field; lra.
have gap_le' : mirror_gap p q (ray y) z <= e * abs_power y p.
  by rewrite eE; apply: Rle_trans (allowed_end le); rewrite hy.
have e0 : 0 <= e by apply: Rmult_le_pos ss _; apply/Rlt_le/Rinv_0_lt_compat.
have e_le : e <= energy.
  apply: Rle_trans (last_energy level); rewrite abs_power1; last lra.
  rewrite /e; apply: Rmult_le_compat_l ss _.
  have -> : (p - 1) * 1 - p = - (1) by ring.
  rewrite abs_power_pos // Rpower_Ropp Rpower_1 //.
  by apply: Rinv_le_contravar; lra.
pose h : vec J := fun j => Rabs (bend_slope p u (unit_ray u v y) j).
have := firm_height_bends (firm := firm) (h := h) (near := predT) p1 p2 conj y0
  (fun j fj => firm_numbers_less e_le (numbers fj)) (fun j fj => entries le fj) hy gap_le' (mirror_unit dir) centred
  factor s0 (fun j _ => Logic.conj (near j le) (Rle_refl _)).
move=> /(_ (fun j nj => ltac:(by []))) H; apply: Rle_trans H _; apply: Rle_trans kappa_ge.
rewrite Rmult_plus_distr_l Rplus_comm; apply: Rplus_le_compat; last first.
  by right; rewrite /e; field; lra.
rewrite /firm_reach Rmult_plus_distr_l.
have soft0 j : firm j -> 0 <= sigma j by move=> fj; case: (numbers fj).
have turn_le j : y * h j <= turn j := turns j le.
have yh0 j : 0 <= y * h j by apply: Rmult_le_pos; [lra | exact: Rabs_pos].
apply: Rplus_le_compat.
  rewrite -{1}(sqrt_Rsqr y); last lra.
  rewrite -sqrt_mult_alt; last exact: Rle_0_sqr.
  apply: sqrt_le_1_alt; rewrite /Rsqr.
  have -> : y * y * (2 * e * \sum_(j | firm j) h j * h j * sigma j) =
    2 * e * \sum_(j | firm j) (y * h j) * (y * h j) * sigma j.
    by rewrite !sum_mull; apply: eq_bigr => j _; ring.
  apply: Rmult_le_compat; [lra | | lra |].
    by apply: sum_ge0 => j fj; apply: Rmult_le_pos; [exact: Rle_0_sqr | exact: soft0].
  by apply: sum_le => j fj; apply: Rmult_le_compat_r (soft0 j fj) _; exact: Rmult_le_compat.
have -> : y * (widest p e * lp_norm q (loose_part firm h)) = widest p e * lp_norm q (y * loose_part firm h)%V.
  by rewrite lp_norm_scale ?Rabs_pos_eq; [ring | lra | lra].
apply: Rmult_le_compat; [exact: widest_ge0 | exact: lp_norm_ge0 | |].
  apply: abs_power_le; first by apply/Rlt_le/Rinv_0_lt_compat; lra.
  have c0 := Rinv_0_lt_compat _ (loose_floor_gt0 p1).
  by split; [apply: Rmult_le_pos; lra | apply: Rmult_le_compat_r; lra].
apply: abs_power_le; first by apply/Rlt_le/Rinv_0_lt_compat; lra.
split; first exact: lp_sum_ge0.
apply: sum_le => j _; rewrite -(abs_power_abs ((y * _)%V j)) -(abs_power_abs (loose_part firm turn j)).
apply: abs_power_le; first lra.
split; first exact: Rabs_pos.
rewrite /vscale /loose_part; case: (firm j); first by rewrite Rmult_0_r; right.
by rewrite !Rabs_pos_eq //; apply: Rle_trans (turn_le j).
Qed.

Lemma firm_bend_slow y : Yend <= y -> kappa <= kappa * (y / Yend).
Proof.
move=> le; have k0 := firm_kappa_ge0.
have s1 : 1 <= y / Yend by apply: (Rmult_le_reg_r Yend) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
by have := Rmult_le_compat_l _ _ _ k0 s1; lra.
Qed.
End Bend.

(* ---- R ---- *)

Section Costs.
Variables (D : nat -> mirror_piece C) (bend : R -> R) (longest spread : R) (weight : nat -> R) (fits : R -> vec J ->
  Prop).
Notation bounds := (pieces_bounds Q Delta p u v gamma mu f 1 K Y m D G flat bend).
Notation near := (near_ray p q u v bounds).
Notation V := (mirror_field Q Delta q b).
Notation piece_at y := (piece_of K Y y).
Notation rough := (abs_power 2 (2 - q) / q).
Hypothesis shape : mirror_shape Q Delta p q u v gamma mu f low bounds.
Hypothesis ratio_le : forall y, Y 0 <= y ->
  0 <= mirror_ratio bounds y /\ mirror_ratio bounds y <= piece_ratio (D (piece_at y)).
Hypothesis fits_length : forall y z tau, near y z -> fits tau z ->
  normalised_fits Q Delta q b (piece_length (D (piece_at y))) tau z.
Hypotheses (weight0 : forall k, (k <= K)%nat -> 0 < weight k).
Hypothesis fits_weight : forall y z tau, near y z -> fits tau z ->
  tau * mirror_total Delta q b f z <= weight (piece_at y).
Hypothesis longest_le : forall c, Q c -> lp_norm q (Delta c) <= longest.
Hypothesis spread_le : forall c, P c -> 2 * lp_norm q (Delta c - gamma * n)%V <= spread.

Variables (within beyond : vec J).
Hypothesis within_le : forall c j, P c -> Rabs (Delta c j) <= within j.
Hypothesis beyond_le : forall c j, Q c -> ~~ P c -> Rabs (Delta c j) <= beyond j.
Hypothesis beyond0 : forall j, 0 <= beyond j.

Definition most_entry (d : mirror_piece C) : vec J := fun j => within j + piece_ratio d * beyond j.
Definition energy_at (k : nat) : R := if (k < K)%nat then E k.+1 else share * steep * abs_power Yend (p - 1).
Definition weighted_size (kj d : vec J) : R := sqrt (\sum_j kj j * (d j * d j)).

(* The second bound of section 13, with theta = 1/2, of piece k with the numbers d; w bounds tau Om. *)
Record entries_cost (k : nat) (d : mirror_piece C) (w : R) (al kj : vec J) (solid : pred J)
    (Lambda rest mean width outer : R) : Prop := EntriesCost {
  solid_ray : forall y j, in_piece K Y k y -> solid j -> al j <= Rabs (unit_ray u v y j);
  solid_price : 0 <= Lambda;
  solid_paid : forall j, solid j -> [/\ 0 < al j,
    rough * (abs_power w (q - 1) * abs_power (most_entry d j) q) <=
      Lambda * (shrunk_gap p (/ 2) * abs_power (Y k * al j) p),
    2 * (w * most_entry d j) <= abs_power (/ 2 * (Y k * al j)) (p - 1) &
    solid_weight p q (fun j => Y k * al j) (/ 2) j <= kj j];
  solid_weights : forall j, 0 <= kj j;
  solid_rest : abs_power (piece_length d) (q - 1) * lp_norm q (loose_part solid (most_entry d)) <= rest \/
    abs_power w (q - 1) * (\sum_(j | ~~ solid j) abs_power (most_entry d j) q) <= rest;
  solid_mean : gamma * weighted_size kj n + piece_ratio d * outer <= mean /\ 0 <= mean;
  solid_narrow : forall c, P c -> 2 * weighted_size kj (Delta c - gamma * n)%V <= width;
  solid_outer : forall c, Q c -> ~~ P c -> weighted_size kj (Delta c) <= outer;
  solid_outer0 : 0 <= outer;
  solid_small : w * (width * width) < 2;
  solid_total : Lambda * energy_at k + w * (mean * mean) / (1 - w * (width * width) / 2) + rough * rest <= piece_cost d
}.

Definition priced_above_two (k : nat) (d : mirror_piece C) (w : R) : Prop :=
  let s := rough * abs_power (piece_length d) (q - 1) in
  [\/ s * (longest * (1 + piece_ratio d)) <= piece_cost d,
      s * (gamma + piece_ratio d * longest) + s * spread * (s * spread) / 8 <= piece_cost d |
      exists al kj solid Lambda rest mean width outer, entries_cost k d w al kj solid Lambda rest mean width outer].
Hypothesis cost_ok : forall k, (k <= K)%nat -> priced_above_two k (D k) (weight k).

Let longest0 : 0 <= longest.
Proof.
have [c0 /activeP[Qc0 _]] := balanced_active_exists (mirror_balanced dir).
exact: Rle_trans (lp_norm_ge0 _ _) (longest_le Qc0).
Qed.

Let rough0 : 0 <= rough.
Proof. by apply: Rmult_le_pos (abs_power_ge0 _ _) _; apply/Rlt_le/Rinv_0_lt_compat; lra. Qed.

Lemma cost_at y : Y 0 <= y -> mirror_cost bounds y = piece_cost (D (piece_at y)).
Proof.
move=> le; rewrite /= /pieces_cost; case: ifPn => // nlt.
by have [-> far] := not_last le nlt; rewrite grown_one // Rmult_1_l.
Qed.

(* What is allowed, over what the piece says at its begin. *)
Lemma energy_stretched y (t := y / Y (piece_at y)) : Y 0 <= y -> 1 <= t /\
  A (ray_height y) <= energy_at (piece_at y) * abs_power t p.
Proof.
move=> le; have [kK yk] := piece_ofP K le; have [lo hi] := yk; set k := piece_at y in kK yk lo hi t *.
have Yk : 0 < Y k := Y_pos Y_gt0 Y_rises kK.
have t1 : 1 <= t by apply: (Rmult_le_reg_r (Y k)) => //; rewrite /t /Rdiv Rmult_assoc Rinv_l; lra.
have tp : 1 <= abs_power t p by rewrite -(abs_power_one p); apply: abs_power_le; lra.
split=> //; rewrite /energy_at; case: ifPn => [lt | nlt].
  have al := inner_allowance p1 conj r1 Y_rises ahead slopes lt yk.
  have E0 := energy_ge0 p1 conj r1 Y_rises ahead slopes lt.
  by have := Rmult_le_compat_l _ _ _ E0 tp; lra.
have [kE far] := not_last le nlt; rewrite -/k in kE; apply: Rle_trans (allowed_end far) _.
have yE : y = Yend * t by rewrite /t kE; field; lra.
have ss : 0 <= share * steep by apply: Rmult_le_pos; lra.
have up : abs_power y (p - 1) <= abs_power Yend (p - 1) * abs_power t p.
  rewrite {1}yE abs_power_mult; apply: Rmult_le_compat_l (abs_power_ge0 _ _) _.
  by rewrite !abs_power_pos; [apply: Rle_Rpower | |]; lra.
by have := Rmult_le_compat_l _ _ _ ss up; lra.
Qed.

Theorem pieces_costs_above_two y z tau : near y z -> fits tau z ->
  dual_divergence q (mirror q z) z (z + tau * V z)%V <=
  tau * mirror_total Delta q b f z * (mirror_cost bounds y + mirror_entropy Q Delta q mu b f z).
Proof.
move=> at_y tfit; have [le hy gap_le] := at_y; rewrite /= in le gap_le.
have [kK yk] := piece_ofP K le; have [lo hi] := yk.
have short := fits_length at_y tfit; have share_le := fits_weight at_y tfit; have [rho0 rho] := ratio_le le.
have Om0 := mirror_total_positive dir range shape at_y; have [t0 _] := short.
have tOm : 0 <= tau * mirror_total Delta q b f z by apply: Rmult_le_pos; lra.
rewrite (cost_at le); have [t1 stretched] := energy_stretched le.
set k := piece_at y in kK yk lo hi short share_le rho t1 stretched *.
have s0 : 0 <= rough * abs_power (piece_length (D k)) (q - 1) by apply: Rmult_le_pos rough0 (abs_power_ge0 _ _).
case: (cost_ok kK) => [plain | fine | [al [kj [solid [Lambda [rest [mean [width [outer by_entries]]]]]]]]].
- have := normalised_cost_above_two p1 conj dir range shape longest_le p2 at_y short => H; apply: Rle_trans H _.
  apply: Rmult_le_compat_l tOm _; apply: Rplus_le_compat_r; apply: Rle_trans plain.
  by apply: Rmult_le_compat_l s0 _; apply: Rmult_le_compat_l longest0 _; lra.
- have := spread_cost_above_two p1 conj dir range shape longest_le spread_le p2 at_y short => H.
  apply: Rle_trans H _; apply: Rmult_le_compat_l tOm _; apply: Rplus_le_compat_r; apply: Rle_trans fine.
  apply: Rplus_le_compat_r; apply: Rmult_le_compat_l s0 _.
  by have := Rmult_le_compat_r _ _ _ longest0 rho; lra.
have Yk : 0 < Y k := Y_pos Y_gt0 Y_rises kK; set t := y / Y k in t1 stretched.
have yE : y = t * Y k by rewrite /t; field; lra.
have tp : 0 < abs_power t p by apply: abs_power_gt0; lra.
pose Lambda' := Lambda / abs_power t p; have L0 := solid_price by_entries.
have L0' : 0 <= Lambda' by apply: Rmult_le_pos L0 _; apply/Rlt_le/Rinv_0_lt_compat.
have most_le j : field_sizes bounds within beyond y j <= most_entry (D k) j.
  by apply: Rplus_le_compat_l; apply: Rmult_le_compat_r.
have allowed : mirror_gap p q (ray y) z <= energy_at k * abs_power t p by rewrite -hy in gap_le; lra.
have W0 := weight0 kK.
have rest_le : \sum_(j | ~~ solid j) abs_power ((tau * V z)%V j) q <= tau * mirror_total Delta q b f z * rest.
  case: (solid_rest by_entries) => le_rest; apply: Rle_trans (Rmult_le_compat_l _ _ _ tOm le_rest).
    exact: (loose_normalised (most := most_entry (D k)) p1 conj dir range shape within_le beyond_le beyond0 solid
      at_y t0 most_le short).
  exact: (loose_plain (most := most_entry (D k)) p1 conj dir range shape within_le beyond_le beyond0 solid
    at_y t0 share_le most_le).
have rayE j : ray y j = y * unit_ray u v y j.
  by have := congr1 (fun x : vec J => x j) (unit_ray_scale u v (ltac:(lra) : y <> 0)).
have entries_ok j : solid j -> [/\ ray y j <> 0,
    rough * (abs_power (weight k) (q - 1) * abs_power (most_entry (D k) j) q) <=
      Lambda' * (shrunk_gap p (/ 2) * abs_power (ray y j) p),
    2 * (weight k * most_entry (D k) j) <= abs_power (/ 2 * ray y j) (p - 1) &
    solid_weight p q (ray y) (/ 2) j <= kj j].
  move=> sj; have [al0 paid steep_ weight_] := solid_paid by_entries sj; have aj := solid_ray by_entries yk sj.
  have a0 : 0 < Y k * al j by apply: Rmult_lt_0_compat.
  have y0 : 0 < y by lra.
  have far : t * (Y k * al j) <= Rabs (ray y j).
    rewrite rayE Rabs_mult (Rabs_pos_eq y); last lra.
    by rewrite -Rmult_assoc -yE; apply: Rmult_le_compat_l; lra.
  have far1 : Y k * al j <= Rabs (ray y j).
    by apply: Rle_trans far; have := Rmult_le_compat_r (Y k * al j) _ _ ltac:(lra) t1; lra.
  split.
  - by move=> z0; move: far1; rewrite z0 Rabs_R0; lra.
  - apply: Rle_trans paid _; have sg : 0 <= shrunk_gap p (/ 2) := power_gap_ge0 p1 _ _.
    have up := @abs_power_le (t * (Y k * al j)) (Rabs (ray y j)) p ltac:(lra) ltac:(
      split; [apply: Rmult_le_pos; lra | exact: far]).
    rewrite abs_power_abs abs_power_mult in up.
    have := Rmult_le_compat_l Lambda' _ _ L0' (Rmult_le_compat_l _ _ _ sg up).
    have -> : Lambda' * (shrunk_gap p (/ 2) * (abs_power t p * abs_power (Y k * al j) p)) =
      Lambda * (shrunk_gap p (/ 2) * abs_power (Y k * al j) p) by rewrite /Lambda'; field; lra.
    by [].
  - apply: Rle_trans steep_ _; rewrite -(abs_power_abs (/ 2 * ray y j)); apply: abs_power_le; first lra.
    by rewrite Rabs_mult (Rabs_pos_eq (/ 2)); lra.
  apply: Rle_trans weight_; rewrite /solid_weight; apply: Rmult_le_compat_l; first lra.
  apply: Rmult_le_compat_r; first by have := abs_power_ge0 2 (2 - q); lra.
  rewrite -(abs_power_abs (/ 2 * ray y j)); apply: abs_power_falls; first lra.
  by rewrite Rabs_mult (Rabs_pos_eq (/ 2)); lra.
have [mean_ge mean0] := solid_mean by_entries.
have mean_ge' : gamma * weighted_size kj n + mirror_ratio bounds y * outer <= mean.
  by have := Rmult_le_compat_r _ _ _ (solid_outer0 by_entries) rho; lra.
have := solid_cost_above_two (most := most_entry (D k)) p1 p2 conj dir range shape within_le beyond_le beyond0
  at_y t0 share_le allowed (ltac:(lra) : 0 < / 2 <= 1) L0' W0 most_le rest_le entries_ok
  (solid_weights by_entries) mean_ge' mean0 (solid_narrow by_entries) (solid_outer by_entries)
  (solid_outer0 by_entries) (solid_small by_entries).
move=> H; apply: Rle_trans H _; apply: Rmult_le_compat_l tOm _; apply: Rplus_le_compat_r.
apply: Rle_trans (solid_total by_entries); apply: Rplus_le_compat_r; apply: Rplus_le_compat_r.
by right; rewrite /Lambda'; field; lra.
Qed.
End Costs.
End AboveTwo.
