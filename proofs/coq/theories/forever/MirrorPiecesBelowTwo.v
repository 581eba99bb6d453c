(* MirrorPiecesBelowTwo: what a piece of heights (MirrorPieces.v) needs for p <= 2 (MIRROR.md section 11): kappa beyond
   the last height, and what a step's own curvature costs. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity
                           Direction Gibbs Progress Growth Inside FactorRange Mirror PowerGap MirrorRay MirrorMoves
                           MirrorCurve MirrorEntries MirrorBend MirrorRegion MirrorRun MirrorSpread MirrorHeights
                           MirrorPieces.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section BelowTwo.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (p q : R) (u v : vec J) (gamma : R) (mu : C -> R).
Variables (b : vec J -> C -> R) (f : factor_bounds C) (low : C -> R).
Hypotheses (p1 : 1 < p) (p2 : p <= 2) (conj : / p + / q = 1) (dir : mirror_direction Q Delta p u gamma mu).
Hypothesis range : factor_range Q Delta b low f.
Notation P := (factor_kept f).
Notation n := (mirror p u).
Notation ray := (ray u v).
Notation ray_height := (ray_height p u v).
Let q1 : 1 < q := conjugate_gt1 p1 conj.

Variables (K : nat) (Y m : nat -> R).
Hypotheses (Y_gt0 : 0 < Y 0) (Y_rises : forall k, (k < K)%nat -> Y k <= Y k.+1) (ahead : 0 < ray_height (Y 0)).
Hypothesis slopes : forall k, (k <= K)%nat -> 0 <= m k.
Notation E := (rise_to (height_power p u v (q - 1) Y) m).
Notation A := (allowance p u v (q - 1) K Y m).
Notation Yend := (Y K).
Variables (G share steep flat energy : R).
Hypothesis level : last_level p u v (q - 1) K Y m share steep flat energy.
Notation end_height := (end_height p K Y flat).
Notation beyond_grown := (beyond_grown p u v (q - 1) K Y flat).

Let q2 : 2 <= q.
Proof. by have := conjugate_powers p1 conj; nra. Qed.
Let r1 : 1 <= q - 1. Proof. by lra. Qed.
Let rp : (p - 1) * (q - 1) <= p. Proof. by have := conjugate_powers p1 conj; lra. Qed.
Let less2 : q - 1 - 1 = q - 2. Proof. by ring. Qed.

Let Yend0 : 0 < Yend. Proof. exact: (Y_pos Y_gt0 Y_rises). Qed.
Let share0 : 0 <= share. Proof. by have [] := last_share level; have := slopes (leqnn K); lra. Qed.
Let steep0 : 0 < steep.
Proof. by have [f0 H] := last_slopes level; have := H Yend (Rle_refl _); lra. Qed.
Let ahead_at y : Y 0 <= y -> 0 < ray_height y. Proof. exact: (height_ahead p1 conj ahead). Qed.
Let first_of y : Yend <= y -> Y 0 <= y. Proof. exact: (last_first Y_rises). Qed.
Let height_of y (le : Yend <= y) := last_height p u v Y_gt0 Y_rises le.

(* ---- kappa beyond the last height ---- *)

Section Bend.
Variables (alpha sigma turn : vec J) (beta s curved kappa : R).
Hypotheses (centred : dot n v = 0) (factor : curve_factor p beta) (s0 : 0 <= s).
Hypothesis numbers : forall j, entry_numbers p (energy) (alpha j) (sigma j).
Hypothesis entries : forall y j, Yend <= y -> Rabs (unit_ray u v y j) <= alpha j.
Hypothesis near : forall y j, Yend <= y -> bend_near u (unit_ray u v y) s j.
Hypothesis turns : forall y j, Yend <= y -> y * Rabs (bend_slope p u (unit_ray u v y) j) <= turn j.
Hypothesis curved_ge : sqrt (2 * energy * \sum_j turn j * turn j * sigma j) <= curved.
Notation linear := (beta / (p - 1) * s * (share * steep)).
Hypothesis kappa_ge : curved + beta / (p - 1) * s * share * abs_power steep (q - 1) * abs_power Yend (2 - p) <= kappa.

Definition soft_bend (y : R) : R := curved + linear * abs_power (ray_height y) (q - 2).

Let beta0 : 0 <= beta / (p - 1) * s.
Proof.
apply: Rmult_le_pos s0; have [b0 _] := factor.
by apply: Rmult_le_pos b0 _; apply/Rlt_le/Rinv_0_lt_compat; lra.
Qed.
Let lin0 : 0 <= linear. Proof. by apply: Rmult_le_pos beta0 _; apply: Rmult_le_pos; lra. Qed.
Let curved0 : 0 <= curved. Proof. by apply: Rle_trans curved_ge; exact: sqrt_pos. Qed.

Lemma soft_bends y z : Yend <= y -> ray_height y = dot z u -> mirror_gap p q (ray y) z <= A (dot z u) ->
  dot n (mirror q z) - y <= soft_bend y.
Proof.
move=> le hy gap_le; have y0 : 0 < y by lra.
pose e := A (ray_height y) / abs_power y p; have yp : 0 < abs_power y p by apply: abs_power_gt0; lra.
have eE : e * abs_power y p = A (ray_height y) by rewrite /e; field; lra.
have gap_le' : mirror_gap p q (ray y) z <= e * abs_power y p by rewrite eE hy.
have e_le : e <= energy.
  apply: (Rmult_le_reg_r (abs_power y p)) => //; rewrite eE.
  exact: (last_allowed p1 conj r1 rp Y_gt0 Y_rises ahead slopes level le).
have e0 : 0 <= e.
  apply: Rmult_le_pos; first exact: (allowance_ge0 p1 conj r1 Y_rises ahead slopes (first_of le)).
  exact/Rlt_le/Rinv_0_lt_compat.
have closer j : entry_numbers p e (alpha j) (sigma j).
  have [al0 [T [T' [T0 T0' [near_ far] close soft]]]] := numbers j; split=> //; exists T, T'.
  have grow x : 0 <= x -> 2 * e / (p - 1) * x <= 2 * energy / (p - 1) * x.
    move=> x0; apply: Rmult_le_compat_r x0 _; apply: Rmult_le_compat_r; last lra.
    by apply/Rlt_le/Rinv_0_lt_compat; lra.
  split=> //; last by apply: Rle_trans close; apply: grow; exact: abs_power_ge0.
  by split; [apply: Rle_trans near_ | apply: Rle_trans far]; apply: grow; exact: abs_power_ge0.
have := height_bends_near p1 conj (mirror_unit dir) centred y0 p2 closer (fun j => entries j le) hy gap_le' factor s0
  (fun j => near j le).
set l := bend_slope p u (unit_ray u v y) => H; apply: Rle_trans H _; rewrite Rmult_plus_distr_l /soft_bend.
have soft0 j : 0 <= sigma j.
  have [_ [T [T' [_ _ _ _ soft]]]] := numbers j; apply: (Rmult_le_reg_l (p - 1)); first lra.
  by rewrite Rmult_0_r; apply: Rle_trans soft; exact: abs_power_ge0.
apply: Rplus_le_compat.
  apply: Rle_trans curved_ge; rewrite -{1}(sqrt_Rsqr y); last lra.
  rewrite -sqrt_mult_alt; last exact: Rle_0_sqr.
  apply: sqrt_le_1_alt; rewrite /Rsqr.
  have -> : y * y * (2 * e * \sum_j l j * l j * sigma j) =
    2 * e * \sum_j (y * Rabs (l j)) * (y * Rabs (l j)) * sigma j.
    rewrite !sum_mull; apply: eq_bigr => j _.
    have -> : y * Rabs (l j) * (y * Rabs (l j)) = y * y * (Rabs (l j) * Rabs (l j)) by ring.
    rewrite -Rabs_mult (Rabs_pos_eq (l j * l j)); [ring | exact: Rle_0_sqr].
  apply: Rmult_le_compat; [lra | | lra |].
    by apply: sum_ge0 => j _; apply: Rmult_le_pos; [exact: Rle_0_sqr | exact: soft0].
  apply: sum_le => j _; apply: Rmult_le_compat_r (soft0 j) _; have t := turns j le; rewrite -/l in t.
  have a0 : 0 <= y * Rabs (l j) by apply: Rmult_le_pos; [lra | exact: Rabs_pos].
  exact: Rmult_le_compat.
have -> : y * (beta / (p - 1) * s * e) = beta / (p - 1) * s * (y * e) by ring.
have -> : linear * abs_power (ray_height y) (q - 2) =
  beta / (p - 1) * s * (share * steep * abs_power (ray_height y) (q - 2)) by ring.
apply: Rmult_le_compat_l beta0 _.
have h0 : 0 < ray_height y := ahead_at (first_of le).
have [f0 Hs] := last_slopes level; have [lo hi] := Hs y le.
apply: (Rmult_le_reg_r (abs_power y (p - 1))); first by apply: abs_power_gt0; lra.
have -> : y * e * abs_power y (p - 1) = A (ray_height y).
  rewrite -eE; have -> : abs_power y p = y * abs_power y (p - 1); last by ring.
  by rewrite -{2}(abs_power1 (Rlt_le _ _ y0)) abs_power_plus //; congr abs_power; ring.
apply: Rle_trans (last_allowance p1 conj r1 Y_rises ahead level le) _.
have -> : abs_power (ray_height y) (q - 1) = abs_power (ray_height y) (q - 2) * ray_height y.
  by rewrite -{3}(abs_power1 (Rlt_le _ _ h0)) abs_power_plus //; congr abs_power; ring.
rewrite {2}(height_of le).
have := Rmult_le_compat_l (share * abs_power (ray_height y) (q - 2) * abs_power y (p - 1)) _ _
  ltac:(by apply: Rmult_le_pos; [apply: Rmult_le_pos => //; exact: abs_power_ge0 | exact: abs_power_ge0]) hi.
lra.
Qed.

Let steepE : abs_power steep (q - 1) = steep * abs_power steep (q - 2).
Proof. by rewrite -{2}(abs_power1 (Rlt_le _ _ steep0)) abs_power_plus //; congr abs_power; ring. Qed.

(* It rises slower than y, *)
Lemma soft_bend_slow y : Yend <= y -> soft_bend y <= kappa * (y / Yend).
Proof.
move=> le; have y0 : 0 < y by lra.
have s1 : 1 <= y / Yend by apply: (Rmult_le_reg_r Yend) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
have [f0 Hs] := last_slopes level; have [lo hi] := Hs y le.
have rise : abs_power (ray_height y) (q - 2) <= abs_power steep (q - 2) * (abs_power Yend (2 - p) * (y / Yend)).
  rewrite (height_of le) abs_power_mult abs_power_comp.
  have -> : (p - 1) * (q - 2) = 2 - p by have := conjugate_powers p1 conj; lra.
  rewrite Rmult_comm; apply: Rmult_le_compat; [exact: abs_power_ge0 | exact: abs_power_ge0 | |].
    by apply: abs_power_le; lra.
  have {1}-> : y = Yend * (y / Yend) by field; lra.
  rewrite abs_power_mult; apply: Rmult_le_compat_l (abs_power_ge0 _ _) _.
  rewrite -{2}(abs_power1 (ltac:(lra) : 0 <= y / Yend)) !abs_power_pos; try lra.
  by apply: Rle_Rpower; lra.
have := Rmult_le_compat_l _ _ _ lin0 rise.
have -> : linear * (abs_power steep (q - 2) * (abs_power Yend (2 - p) * (y / Yend))) =
    beta / (p - 1) * s * share * abs_power steep (q - 1) * abs_power Yend (2 - p) * (y / Yend) by rewrite steepE; ring.
have := Rmult_le_compat_r (y / Yend) _ _ ltac:(lra) kappa_ge.
have := Rmult_le_compat_l _ _ _ curved0 s1; rewrite /soft_bend; lra.
Qed.

(* and not faster than what (2) allows. *)
Lemma soft_bend_grown y : Yend <= y -> soft_bend y <= kappa * beyond_grown y.
Proof.
move=> le; have z0 := end_height_gt0 Y_gt0 Y_rises level; have x1 := grown_ge1 p1 r1 Y_gt0 Y_rises level le.
have xE : abs_power (ray_height y) (q - 2) = beyond_grown y * abs_power end_height (q - 2).
  by rewrite /MirrorPieces.beyond_grown less2 -abs_power_mult; congr abs_power; field; lra.
have bend_end : curved + linear * abs_power end_height (q - 2) <= kappa.
  apply: Rle_trans kappa_ge; apply: Rplus_le_compat_l.
  have [f0 Hs] := last_slopes level; have [fl st] := Hs _ (Rle_refl Yend).
  rewrite /MirrorPieces.end_height abs_power_mult abs_power_comp.
  have -> : (p - 1) * (q - 2) = 2 - p by have := conjugate_powers p1 conj; lra.
  rewrite steepE; have up := @abs_power_le flat steep (q - 2) ltac:(lra) ltac:(lra).
  have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ lin0 (abs_power_ge0 Yend (2 - p))) up; lra.
have := Rmult_le_compat_l (beyond_grown y) _ _ ltac:(lra) bend_end; have := Rmult_le_compat_l _ _ _ curved0 x1.
by rewrite /soft_bend xE; lra.
Qed.
End Bend.

(* ---- R ---- *)

Section Costs.
Variables (D : nat -> mirror_piece C) (bend : R -> R) (longest spread lost : R) (fits : R -> vec J -> Prop).
Notation bounds := (pieces_bounds Q Delta p u v gamma mu f (q - 1) K Y m D G flat bend).
Notation near := (near_ray p q u v bounds).
Notation V := (mirror_field Q Delta q b).
Notation last := (D K).
Notation length_at y := (piece_length (D (piece_of K Y y))).
Hypothesis shape : mirror_shape Q Delta p q u v gamma mu f low bounds.
Hypothesis ratio_le : forall y, Y 0 <= y ->
  0 <= mirror_ratio bounds y /\ mirror_ratio bounds y <= piece_ratio (D (piece_of K Y y)).
Hypotheses (last_ratio0 : 0 <= piece_ratio last) (length0 : forall k, (k <= K)%nat -> 0 <= piece_length (D k)).
Hypothesis fits_length : forall y z tau, near y z -> fits tau z -> normalised_fits Q Delta q b (length_at y) tau z.
Hypothesis longest_le : forall c, Q c -> lp_norm q (Delta c) <= longest.
Hypothesis spread_le : forall c, P c -> 2 * lp_norm q (Delta c - gamma * n)%V <= spread.
Hypothesis lost_le : forall y, Y 0 <= y -> centre_cost p q u v y <= lost.

(* R of a step of length len where ||Z||_q is at most N, over the step's share of the weights and its length there. *)
Definition step_curve (len N : R) : R := (q - 1) / 2 * (abs_power (N + len) (q - 2) * len).
Definition norm_at (h e : R) : R := abs_power (abs_power h q + q * (2 * e + lost)) (/ q).

Definition priced_below_two (k : nat) (d : mirror_piece C) : Prop :=
  if (k < K)%nat then
    let s := step_curve (piece_length d) (norm_at (ray_height (Y k.+1)) (E k.+1)) in
    s * (longest * (1 + piece_ratio d)) <= piece_cost d \/
    s * (gamma + piece_ratio d * longest) + s * spread * (s * spread) / 8 <= piece_cost d
  else step_curve (piece_length d) (norm_at end_height (share * abs_power end_height (q - 1))) *
    (longest * (1 + piece_ratio d)) <= piece_cost d.
Hypothesis priced : forall k, (k <= K)%nat -> priced_below_two k (D k).
Let inner_cost k (kK : (k < K)%nat) : let s := step_curve (piece_length (D k)) (norm_at (ray_height (Y k.+1)) (E
  k.+1)) in
  s * (longest * (1 + piece_ratio (D k))) <= piece_cost (D k) \/
  s * (gamma + piece_ratio (D k) * longest) + s * spread * (s * spread) / 8 <= piece_cost (D k).
Proof. by have := priced (ltnW kK); rewrite /priced_below_two kK. Qed.
Let last_cost : step_curve (piece_length last) (norm_at end_height (share * abs_power end_height (q - 1))) *
  (longest * (1 + piece_ratio last)) <= piece_cost last.
Proof. by have := priced (leqnn K); rewrite /priced_below_two ltnn. Qed.

Let longest0 : 0 <= longest.
Proof.
have [c0 /activeP[Qc0 _]] := balanced_active_exists (mirror_balanced dir).
exact: Rle_trans (lp_norm_ge0 _ _) (longest_le Qc0).
Qed.

Let lost0 : 0 <= lost.
Proof. by apply: Rle_trans (lost_le (Rle_refl _)); exact: centre_cost_ge0. Qed.

Let norm_mono h h' e e' : 0 <= h <= h' -> e <= e' -> 0 <= e -> norm_at h e <= norm_at h' e'.
Proof.
move=> hh ee e0; apply: abs_power_le; first by apply/Rlt_le/Rinv_0_lt_compat; lra.
have := @abs_power_le h h' q ltac:(lra) hh; have := abs_power_ge0 h q.
have := Rmult_le_compat_l q _ _ ltac:(lra) ee; have := Rmult_le_pos q e ltac:(lra) e0.
have := Rmult_le_pos q lost ltac:(lra) lost0; lra.
Qed.

Lemma pieces_norm y z : near y z -> lp_norm q z <= norm_at (ray_height y) (A (ray_height y)).
Proof.
move=> [/= le hy gap_le]; have h0 := ahead_at le.
have := @mirror_norm_bound J p q u v y z p1 conj (mirror_unit dir) ltac:(lra); rewrite -hy => H.
apply: Rle_trans H _; apply: abs_power_le; first by apply/Rlt_le/Rinv_0_lt_compat; lra.
have G0 := mirror_gap_ge0 p1 conj (ray y) z; have c0 := centre_cost_ge0 u v p1 conj y; have c1 := lost_le le.
rewrite -hy in gap_le; have := abs_power_ge0 (ray_height y) q.
have := Rmult_le_compat_l q _ _ ltac:(lra) (ltac:(lra) : 2 * mirror_gap p q (ray y) z + centre_cost p q u v y <=
  2 * A (ray_height y) + lost).
have := Rmult_le_pos q (2 * mirror_gap p q (ray y) z + centre_cost p q u v y) ltac:(lra) ltac:(lra); lra.
Qed.

(* The norm's bound falls over the height. *)
Lemma norm_over_height h h' : 0 < h <= h' ->
  norm_at h' (share * abs_power h' (q - 1)) * h <= norm_at h (share * abs_power h (q - 1)) * h'.
Proof.
move=> [h0 hh]; have iq : 0 <= / q by apply/Rlt_le/Rinv_0_lt_compat; lra.
have root x : 0 <= x -> x = abs_power (abs_power x q) (/ q) by move=> x0; rewrite abs_power_inverse //; lra.
have scale x e y : 0 <= y ->
    norm_at x e * y = abs_power ((abs_power x q + q * (2 * e + lost)) * abs_power y q) (/ q).
  by move=> y0; rewrite /norm_at abs_power_mult -(root y y0).
rewrite !scale; [|lra|lra]; apply: abs_power_le iq _.
have hq := abs_power_ge0 h q; have hq' := abs_power_ge0 h' q.
have e0 := Rmult_le_pos _ _ share0 (abs_power_ge0 h (q - 1)).
have e0' := Rmult_le_pos _ _ share0 (abs_power_ge0 h' (q - 1)).
have step x : 0 < x -> abs_power x q = abs_power x (q - 1) * x.
  by move=> x0; rewrite -{3}(abs_power1 (Rlt_le _ _ x0)) abs_power_plus //; congr abs_power; ring.
split.
  apply: Rmult_le_pos => //.
  by have := Rmult_le_pos q (2 * (share * abs_power h' (q - 1)) + lost) ltac:(lra) ltac:(lra); lra.
have le := @abs_power_le h h' q ltac:(lra) ltac:(lra).
have l1 := Rmult_le_compat_l _ _ _ lost0 le.
have B0 := Rmult_le_pos _ _ (abs_power_ge0 h (q - 1)) (abs_power_ge0 h' (q - 1)).
have l2 := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ share0 B0) hh.
have := Rmult_le_compat_l q _ _ ltac:(lra) l1; have := Rmult_le_compat_l (2 * q) _ _ ltac:(lra) l2.
rewrite !Rmult_plus_distr_r; move: (step h h0) (step h' ltac:(lra)); move: (abs_power h q) (abs_power h' q).
move: (abs_power h (q - 1)) (abs_power h' (q - 1)) => a a' ? ? -> ->; lra.
Qed.

(* Beyond the last height. *)
Lemma last_cost_le y : Yend <= y ->
  step_curve (piece_length last) (norm_at (ray_height y) (share * abs_power (ray_height y) (q - 1))) *
    (longest * (1 + piece_ratio last)) <= beyond_grown y * piece_cost last.
Proof.
move=> le; have z0 := end_height_gt0 Y_gt0 Y_rises level; have zh := end_height_le p1 Y_gt0 Y_rises level le.
have h0 : 0 < ray_height y by lra.
have len0 := length0 (leqnn K); have x1 := grown_ge1 p1 r1 Y_gt0 Y_rises level le.
have rho0 := last_ratio0.
have H := Rmult_le_compat_l (beyond_grown y) _ _ ltac:(lra) last_cost.
apply: Rle_trans H; rewrite -(Rmult_assoc (beyond_grown y)).
apply: Rmult_le_compat_r; first by apply: Rmult_le_pos longest0 _; lra.
rewrite /step_curve; set N := norm_at (ray_height y) _; set N' := norm_at end_height _.
have N0 : 0 <= N := abs_power_ge0 _ _; have N0' : 0 <= N' := abs_power_ge0 _ _.
have over := @norm_over_height end_height (ray_height y) (Logic.conj z0 zh); rewrite -/N -/N' in over.
set len := piece_length last in len0 *; set x := beyond_grown y in x1 *.
have main : abs_power (N + len) (q - 2) <= x * abs_power (N' + len) (q - 2).
  rewrite /x /MirrorPieces.beyond_grown less2 -abs_power_mult; apply: abs_power_le; first lra.
  split; first lra.
  apply: (Rmult_le_reg_r end_height) => //.
  have unscale a d e : d <> 0 -> a / d * e * d = e * a by move=> d0; field.
  rewrite unscale; last lra.
  by have := Rmult_le_compat_l _ _ _ len0 zh; lra.
have -> : x * ((q - 1) / 2 * (abs_power (N' + len) (q - 2) * len)) =
  (q - 1) / 2 * (x * abs_power (N' + len) (q - 2) * len) by ring.
by apply: Rmult_le_compat_l; [lra | apply: Rmult_le_compat_r; lra].
Qed.

Theorem pieces_costs_below_two y z tau : near y z -> fits tau z ->
  dual_divergence q (mirror q z) z (z + tau * V z)%V <=
  tau * mirror_total Delta q b f z * (mirror_cost bounds y + mirror_entropy Q Delta q mu b f z).
Proof.
move=> at_y tfit; have [/= le hy gap_le] := at_y; have [kK yk] := piece_ofP K le; have [lo hi] := yk.
have zN := pieces_norm at_y; have {}tfit := fits_length at_y tfit; have [rho0 rho] := ratio_le le.
have Om0 := mirror_total_positive dir range shape at_y; have [t0 _] := tfit.
have tOm : 0 <= tau * mirror_total Delta q b f z by apply: Rmult_le_pos; lra.
have len0 := length0 kK.
have curve0 N : 0 <= step_curve (length_at y) N.
  by apply: Rmult_le_pos; [lra | apply: Rmult_le_pos (abs_power_ge0 _ _) _].
have plain N cost : lp_norm q z <= N ->
    step_curve (length_at y) N * (longest * (1 + piece_ratio (D (piece_of K Y y)))) <= cost ->
    dual_divergence q (mirror q z) z (z + tau * V z)%V <=
    tau * mirror_total Delta q b f z * (cost + mirror_entropy Q Delta q mu b f z).
  move=> zN' le_cost; have := normalised_cost_below_two p1 conj dir range shape longest_le p2 at_y tfit zN'.
  move=> H; apply: Rle_trans H _; apply: Rmult_le_compat_l tOm _; rewrite /step_curve in le_cost curve0.
  apply: Rplus_le_compat_r; apply: Rle_trans le_cost; apply: Rmult_le_compat_l; first exact: curve0.
  by apply: Rmult_le_compat_l longest0 _; lra.
rewrite /= /pieces_cost; case: (boolP (piece_of K Y y < K)%nat) => [lt | nlt].
  have zN' : lp_norm q z <= norm_at (ray_height (Y (piece_of K Y y).+1)) (E (piece_of K Y y).+1).
    apply: Rle_trans zN _; apply: norm_mono.
    - by split; [exact/Rlt_le/ahead_at | exact: (ray_height_rises u v p1 conj (hi lt))].
    - exact: (inner_allowance p1 conj r1 Y_rises ahead slopes lt yk).
    exact: (allowance_ge0 p1 conj r1 Y_rises ahead slopes le).
  case: (inner_cost lt) => cost; first exact: plain zN' cost.
  have := spread_cost_below_two p1 conj dir range shape longest_le spread_le p2 at_y tfit zN'.
  move=> H; apply: Rle_trans H _; apply: Rmult_le_compat_l tOm _; apply: Rplus_le_compat_r.
  apply: Rle_trans cost; rewrite -/(step_curve _ _).
  apply: Rplus_le_compat_r; apply: Rmult_le_compat_l; first exact: curve0.
  by have := Rmult_le_compat_r _ _ _ longest0 rho; rewrite /=; lra.
have [kE far] := not_last le nlt; rewrite kE in plain.
apply: (plain _ _ (Rle_trans _ _ _ zN (norm_mono _ (last_allowance p1 conj r1 Y_rises ahead level far) _))).
- by split; [exact/Rlt_le/ahead_at | right].
- exact: (allowance_ge0 p1 conj r1 Y_rises ahead slopes le).
exact: last_cost_le.
Qed.
End Costs.
End BelowTwo.
