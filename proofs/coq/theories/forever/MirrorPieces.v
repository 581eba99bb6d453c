(* MirrorPieces: T17's conditions at all heights from finitely many (MIRROR.md sections 11 and 13), for any exponent and
   rule. Between two heights and beyond the last one there is a piece, with numbers that bound what its points do; what
   is allowed of the gap is linear in the height's power of order r on each. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity
                           Direction Gibbs Progress Growth Inside FactorRange Mirror PowerGap MirrorRay MirrorMoves
                           MirrorEntries MirrorRegion MirrorHeights.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* Numbers of a piece. *)
Record mirror_piece (C : finType) := MirrorPiece {
  piece_energy : R;                 (* of the gap over y^p *)
  piece_reach : C -> R;             (* S_c *)
  piece_curved : R;                 (* kappa^+; beyond the last height at that height *)
  piece_ratio : R;                  (* rho *)
  piece_far : R;                    (* y S_c on N; beyond the last height S_c *)
  piece_length : R;                 (* of a step, in the dual norm *)
  piece_cost : R;                   (* R; beyond the last height at that height *)
  piece_need : R                    (* the slope that (2) asks for *)
}.

Section Pieces.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (p q : R) (u v : vec J) (gamma : R) (mu : C -> R).
Variables (b : vec J -> C -> R) (f : factor_bounds C) (low : C -> R).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (dir : mirror_direction Q Delta p u gamma mu).
Hypothesis active_kept : forall c, active Q mu c -> factor_kept f c.
Notation P := (factor_kept f).
Notation n := (mirror p u).
Notation ray := (ray u v).
Notation ray_height := (ray_height p u v).
Notation slope_of y := (dot (mirror p (unit_ray u v y)) u).
Notation log_floor := (log_floor Q mu (factor_low f)).
Let q1 : 1 < q := conjugate_gt1 p1 conj.
Let g0 : 0 < gamma := mirror_margin_gt0 dir.

Variables (r : R) (K : nat) (Y m : nat -> R) (D : nat -> mirror_piece C).
Hypotheses (r1 : 1 <= r) (rp : (p - 1) * r <= p).
Hypotheses (Y_gt0 : 0 < Y 0) (Y_rises : forall k, (k < K)%nat -> Y k <= Y k.+1) (ahead : 0 < ray_height (Y 0)).
Hypothesis slopes : forall k, (k <= K)%nat -> 0 <= m k.
Notation X := (height_power p u v r Y).
Notation E := (rise_to X m).
Notation A := (allowance p u v r K Y m).
Notation in_piece := (in_piece K Y).
Notation piece_of := (piece_of K Y).
Let piece_ofP y := piece_ofP K (Y := Y) (y := y).
Let Y_mono i j := Y_mono Y_rises (i := i) (j := j).
Let Y_pos k := Y_pos Y_gt0 Y_rises (k := k).
Let ray_height_rises y y' := ray_height_rises u v p1 conj (y := y) (y' := y').
Let height_ahead y := height_ahead p1 conj ahead (y := y).
Let X_le y y' := power_of_height_le r1 (y := y) (y' := y').
Let X_rises k := height_power_rises p1 conj r1 Y_rises ahead (k := k).
Let X_first y := height_power_first p1 conj r1 ahead (y := y).
Let allowance_ge0 y := allowance_ge0 p1 conj r1 Y_rises ahead slopes (y := y).

(* ---- what is asked of the pieces ---- *)

(* A point at height y of piece k, as near to the ray as that piece allows. *)
Definition at_height (d : mirror_piece C) (k : nat) (y : R) (z : vec J) : Prop :=
  [/\ in_piece k y, ray_height y = dot z u & mirror_gap p q (ray y) z <= piece_energy d * abs_power y p].

Record piece_shape (d : mirror_piece C) (k : nat) : Prop := PieceShape {
  shape_moves : forall y z c, at_height d k y z -> Q c ->
    Rabs (dot (Delta c) (mirror q z - ray y)%V) <= y * piece_reach d c;
  shape_reach_ge0 : forall c, Q c -> 0 <= piece_reach d c;
  shape_margin : forall c, Q c -> low c <= dot (Delta c) (ray (Y k)) - Y k * piece_reach d c
}.

(* between Y_k and Y_{k+1} *)
Record inner_piece (d : mirror_piece C) (k : nat) : Prop := InnerPiece {
  inner_energy : E k.+1 <= piece_energy d * abs_power (Y k) p;
  inner_bends : forall y z, at_height d k y z -> dot n (mirror q z) - y <= piece_curved d;
  inner_margin : forall c, Q c -> low c <= dot (Delta c) (ray (Y k.+1)) - Y k.+1 * piece_reach d c;
  inner_ratio : exists x : C -> R,
    (forall c y, Q c -> ~~ P c -> y = Y k \/ y = Y k.+1 ->
       gamma * (y + piece_curved d) - (dot (Delta c) (ray y) - y * piece_reach d c) <= x c) /\
    exp (- log_floor) * (\sum_(c | Q c && ~~ P c) factor_size f c * exp (x c)) <= piece_ratio d;
  inner_far : forall c, Q c -> ~~ P c -> Y k.+1 * piece_reach d c <= piece_far d
}.

Lemma energy_ge0 k : (k < K)%nat -> 0 <= E k.+1.
Proof.
move=> kK; apply: sum_ge0 => i _; have iK : (i < K)%nat := leq_trans (ltn_ord i) kK.
by apply: Rmult_le_pos; [exact: slopes (ltnW iK) | have := X_rises iK; lra].
Qed.

Lemma inner_allowance k y : (k < K)%nat -> in_piece k y -> A (ray_height y) <= E k.+1.
Proof.
move=> kK [lo hi]; have first : Y 0 <= y := Rle_trans _ _ _ (Y_mono (leq0n k) (ltnW kK)) lo.
apply: (rise_le_to X_rises slopes kK); split; first exact: X_first.
by apply: X_le; split; [exact/Rlt_le/height_ahead | exact/ray_height_rises/hi].
Qed.

Lemma inner_allowed k y : (k < K)%nat -> inner_piece (D k) k -> in_piece k y ->
  A (ray_height y) <= piece_energy (D k) * abs_power y p.
Proof.
move=> kK inner yk; have [lo hi] := yk; have Yk := Y_pos (ltnW kK).
apply: Rle_trans (inner_allowance kK yk) _; have E0 := energy_ge0 kK.
have yp : 0 < abs_power (Y k) p by apply: abs_power_gt0; lra.
have e0 : 0 <= piece_energy (D k).
  by apply: Rnot_lt_le => neg; have := inner_energy inner; have := Rmult_lt_compat_r _ _ _ yp neg; lra.
apply: Rle_trans (inner_energy inner) _; apply: Rmult_le_compat_l e0 _; apply: abs_power_le; lra.
Qed.

(* ---- beyond the last height ---- *)

Variables (G share steep flat energy kappa : R) (last_bend : R -> R).
Notation Yend := (Y K).
Definition end_height : R := abs_power Yend (p - 1) * flat.
Notation last := (D K).
Definition beyond_grown (y : R) : R := abs_power (ray_height y / end_height) (r - 1).

(* How the heights rise there, and with them what is allowed. *)
Record last_level : Prop := LastLevel {
  last_share : m K <= share /\ E K <= share * X K;
  last_slopes : 0 < flat /\ forall y, Yend <= y -> flat <= slope_of y <= steep;
  last_energy : share * abs_power steep r * abs_power Yend ((p - 1) * r - p) <= energy
}.
Hypothesis level : last_level.

Let Yend0 : 0 < Yend. Proof. exact: Y_pos. Qed.
Let share0 : 0 <= share. Proof. by have [] := last_share level; have := slopes (leqnn K); lra. Qed.
Let steep0 : 0 < steep.
Proof. by have [f0 H] := last_slopes level; have := H Yend (Rle_refl _); lra. Qed.

Lemma last_height y : Yend <= y -> ray_height y = abs_power y (p - 1) * slope_of y.
Proof. by move=> le; apply: ray_height_scale; lra. Qed.

Lemma last_first y : Yend <= y -> Y 0 <= y.
Proof. by apply: Rle_trans; exact: Y_mono. Qed.

Lemma last_allowance y : Yend <= y -> A (ray_height y) <= share * abs_power (ray_height y) r.
Proof.
move=> le; have [mS ES] := last_share level.
have XK : X K <= abs_power (ray_height y) r.
  apply: X_le; split; last exact: ray_height_rises.
  exact/Rlt_le/height_ahead/(Y_mono (leq0n K) (leqnn K)).
rewrite /MirrorHeights.allowance (rise_beyond _ X_rises XK).
have := Rmult_le_compat_r (abs_power (ray_height y) r - X K) _ _ ltac:(lra) mS; lra.
Qed.

Lemma last_allowed y : Yend <= y -> A (ray_height y) <= energy * abs_power y p.
Proof.
move=> le; apply: Rle_trans (last_allowance le) _; rewrite (last_height le) abs_power_mult abs_power_comp.
have [f0 H] := last_slopes level; have [lo hi] := H y le; have y0 : 0 < y by lra.
have yp : 0 < abs_power y p by apply: abs_power_gt0; lra.
apply: (Rle_trans _ (share * abs_power steep r * abs_power Yend ((p - 1) * r - p) * abs_power y p)); last first.
  by apply: Rmult_le_compat_r (last_energy level); lra.
have -> : abs_power y ((p - 1) * r) = abs_power y ((p - 1) * r - p) * abs_power y p.
  by rewrite abs_power_plus //; congr abs_power; ring.
have s1 := @abs_power_le (slope_of y) steep r ltac:(lra) ltac:(lra).
have s2 := @abs_power_falls Yend y ((p - 1) * r - p) ltac:(lra) ltac:(lra).
have A0 := abs_power_ge0 (slope_of y) r; have B0 := abs_power_ge0 y ((p - 1) * r - p).
have := Rmult_le_compat _ _ _ _ A0 B0 s1 s2 => /(Rmult_le_compat_l _ _ _ share0).
by move=> /(Rmult_le_compat_r _ _ _ (Rlt_le _ _ yp)); lra.
Qed.

Lemma end_height_gt0 : 0 < end_height.
Proof. by have [f0 _] := last_slopes level; apply: Rmult_lt_0_compat => //; apply: abs_power_gt0; lra. Qed.

Lemma end_height_le y : Yend <= y -> end_height <= ray_height y.
Proof.
move=> le; have [f0 H] := last_slopes level; have [lo _] := H y le; rewrite last_height //.
by apply: Rmult_le_compat; [exact: abs_power_ge0 | lra | apply: abs_power_le; lra |].
Qed.

Lemma grown_ge1 y : Yend <= y -> 1 <= beyond_grown y.
Proof.
move=> le; have z0 := end_height_gt0; have zh := end_height_le le.
rewrite -(abs_power_one (r - 1)); apply: abs_power_le; first lra.
by split; [lra | apply: (Rmult_le_reg_r end_height) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra].
Qed.

Record last_piece (d : mirror_piece C) : Prop := LastPiece {
  last_margin : forall c, Q c -> piece_reach d c <= dot (Delta c) u;
  last_bends : forall y z, Yend <= y -> ray_height y = dot z u -> mirror_gap p q (ray y) z <= A (dot z u) ->
    dot n (mirror q z) - y <= last_bend y;
  last_bend_slow : forall y, Yend <= y -> last_bend y <= kappa * (y / Yend);
  last_bend_grown : forall y, Yend <= y -> last_bend y <= kappa * beyond_grown y;
  last_falls : forall c, Q c -> ~~ P c -> 1 <= Yend * (dot (Delta c) u - gamma - piece_reach d c) - gamma * kappa;
  last_ratio : exp (- log_floor) * (\sum_(c | Q c && ~~ P c) factor_size f c *
    exp (gamma * (Yend + kappa) - (dot (Delta c) (ray Yend) - Yend * piece_reach d c))) <= piece_ratio d;
  last_far : forall c, Q c -> ~~ P c -> piece_reach d c <= piece_far d
}.
Hypotheses (ending : last_piece last) (energy_is : piece_energy last = energy).
Hypothesis far_ge0 : 0 <= piece_far last.

Definition last_outside (y : R) : R := exp (- log_floor) * (\sum_(c | Q c && ~~ P c) factor_size f c *
  exp (gamma * (y + last_bend y) - (dot (Delta c) (ray y) - y * piece_reach last c))).

Hypothesis size_ge0 : forall c, Q c -> ~~ P c -> 0 <= factor_size f c.

Lemma last_outside_ge0 y : 0 <= last_outside y.
Proof.
apply: Rmult_le_pos; first exact/Rlt_le/exp_pos.
by apply: sum_ge0 => c /andP[Qc Nc]; apply: Rmult_le_pos; [exact: size_ge0 | exact/Rlt_le/exp_pos].
Qed.

Lemma last_outside_falls y : Yend <= y -> last_outside y * y <= piece_ratio last * Yend.
Proof.
move=> le; have y0 : 0 < y by lra.
pose s := y / Yend; have yE : y = s * Yend by rewrite /s; field; lra.
have s1 : 1 <= s.
  apply: (Rmult_le_reg_r Yend) => //; rewrite -yE; lra.
rewrite {2}yE -Rmult_assoc; apply: Rmult_le_compat_r; first lra.
apply: Rle_trans (last_ratio ending); rewrite /last_outside Rmult_assoc; apply: Rmult_le_compat_l.
  exact/Rlt_le/exp_pos.
rewrite sum_mulr; apply: sum_le => c /andP[Qc Nc]; rewrite Rmult_assoc; apply: Rmult_le_compat_l (size_ge0 Qc Nc) _.
have along x : dot (Delta c) (ray x) = x * dot (Delta c) u + dot (Delta c) v by rewrite /MirrorRay.ray dotDr dotZr.
rewrite !along; set x1 := gamma * (y + _) - _; set x2 := gamma * (Yend + kappa) - _.
have drop : x1 <= x2 - (s - 1).
  have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ g0) (last_bend_slow ending le); rewrite -/s => up.
  have := Rmult_le_compat_l (s - 1) _ _ ltac:(lra) (last_falls ending Qc Nc); rewrite /x1 /x2.
  by move: (last_bend y) up => B up; rewrite yE; lra.
apply: (Rle_trans _ (exp (x2 - (s - 1)) * s)).
  by apply: Rmult_le_compat_r; [lra | exact: exp_le].
have := exp_ge_line (s - 1); have e2 := exp_pos x2; have -> : x2 - (s - 1) = x2 + - (s - 1) by ring.
rewrite exp_plus exp_Ropp => line.
apply: (Rmult_le_reg_r (exp (s - 1))); first exact: exp_pos.
have es := exp_pos (s - 1).
have -> : exp x2 * / exp (s - 1) * s * exp (s - 1) = exp x2 * s by field; lra.
by apply: Rmult_le_compat_l; lra.
Qed.

Lemma last_outside_le y : Yend <= y -> last_outside y <= piece_ratio last.
Proof.
move=> le; have H := last_outside_falls le; have O0 := last_outside_ge0 y.
apply: (Rmult_le_reg_r Yend) => //; apply: Rle_trans H.
by apply: Rmult_le_compat_l.
Qed.

(* ---- all heights ---- *)

Notation C0 := (gibbs_gap Q Delta u v P gamma mu (factor_high f) (factor_low f) (Y 0)).

Definition pieces_bend (y : R) : R :=
  if (piece_of y < K)%nat then piece_curved (D (piece_of y)) else last_bend y.
Definition pieces_ratio (y : R) : R := if (piece_of y < K)%nat then piece_ratio (D (piece_of y)) else last_outside y.
Definition pieces_far (y : R) : R := if (piece_of y < K)%nat then piece_far (D (piece_of y)) else y * piece_far last.
Definition pieces_cost (y : R) : R :=
  if (piece_of y < K)%nat then piece_cost (D (piece_of y)) else beyond_grown y * piece_cost last.

Definition pieces_bounds : mirror_bounds C := MirrorBounds (Y 0) A
  (fun y => piece_need (D (piece_of y)) * (r * abs_power (ray_height y) (r - 1)))
  (fun y => piece_length (D (piece_of y)))
  (fun y c => y * piece_reach (D (piece_of y)) c) pieces_bend pieces_ratio G pieces_far pieces_cost.

(* What the slopes have to be. *)
Record piece_steps (d : mirror_piece C) (k : nat) : Prop := PieceSteps {
  steps_need_ge0 : 0 <= piece_need d;
  steps_need : forall j, (k <= j <= K)%nat ->
    ((k < j)%nat -> ray_height (Y j) < ray_height (Y k.+1) + piece_length d) -> piece_need d <= m j;
  steps_hold : (k < K)%nat ->
    C0 + gamma * piece_curved d + piece_ratio d * piece_far d + piece_cost d <=
    (gamma - piece_ratio d * G) * (piece_need d * (r * abs_power (ray_height (Y k)) (r - 1)))
}.

Hypotheses (shapes : forall k, (k <= K)%nat -> piece_shape (D k) k) (inner : forall k, (k < K)%nat -> inner_piece (D
  k) k).
Hypothesis steps : forall k, (k <= K)%nat -> piece_steps (D k) k.
Hypotheses (G_ge0 : 0 <= G) (G_le : forall c, Q c -> ~~ P c -> dot (Delta c) u <= G).
Hypothesis far_pos : forall k, (k <= K)%nat -> 0 <= piece_far (D k).
Hypothesis ratio_lt : forall k, (k <= K)%nat -> piece_ratio (D k) * G < gamma.
Hypothesis last_holds : Rmax C0 0 + gamma * kappa + piece_ratio last * (Yend * piece_far last) + piece_cost last <=
  (gamma - piece_ratio last * G) * (piece_need last * (r * abs_power end_height (r - 1))).

Lemma not_last y : Y 0 <= y -> ~~ (piece_of y < K)%nat -> piece_of y = K /\ Yend <= y.
Proof.
move=> le; rewrite -leqNgt => ge; have [le' [lo _]] := piece_ofP le.
have E : piece_of y = K by apply/eqP; rewrite eqn_leq le' ge.
by rewrite E in lo.
Qed.

Lemma pieces_allowed y : Y 0 <= y -> A (ray_height y) <= piece_energy (D (piece_of y)) * abs_power y p.
Proof.
move=> le; have [_ yk] := piece_ofP le; case: (boolP (piece_of y < K)%nat) => kK.
  exact: inner_allowed kK (inner kK) yk.
by have [-> far] := not_last le kK; rewrite energy_is; exact: last_allowed.
Qed.

Lemma near_at_height y z : near_ray p q u v pieces_bounds y z -> at_height (D (piece_of y)) (piece_of y) y z.
Proof.
move=> [/= le hy gap_le]; have [_ yk] := piece_ofP le; split=> //.
by apply: Rle_trans gap_le _; rewrite -hy; exact: pieces_allowed.
Qed.

Theorem pieces_shape : mirror_shape Q Delta p q u v gamma mu f low pieces_bounds.
Proof.
have pos y : Y 0 <= y -> 0 < y by lra.
split=> //=.
- move=> y z c at_y Qc; have [/= le _ _] := at_y; have [kK _] := piece_ofP le.
  exact: (shape_moves (shapes kK) (near_at_height at_y) Qc).
- move=> y z at_y; have [/= le hy gap_le] := at_y; have [kK _] := piece_ofP le; rewrite /pieces_bend.
  case: ifPn => [lt | nlt]; first exact: (inner_bends (inner lt) (near_at_height at_y)).
  by have [_ far] := not_last le nlt; exact: (last_bends ending far hy gap_le).
- move=> y c le Qc; have [kK [lo hi]] := piece_ofP le; have margin := shape_margin (shapes kK) Qc.
  have along x : dot (Delta c) (ray x) = x * dot (Delta c) u + dot (Delta c) v by rewrite /MirrorRay.ray dotDr dotZr.
  case: (boolP (piece_of y < K)%nat) => [lt | nlt].
    have margin' := inner_margin (inner lt) Qc; rewrite !along in margin margin' *.
    have := @linear_le (piece_reach (D (piece_of y)) c - dot (Delta c) u) (- dot (Delta c) v) y (Y (piece_of y))
      (Y (piece_of y).+1) (- low c) (Logic.conj lo (hi lt)) => H; have := H ltac:(lra) ltac:(lra); lra.
  have [E far] := not_last le nlt; rewrite E !along in margin *; have up := last_margin ending Qc.
  have := Rmult_le_compat_r (dot (Delta c) u - piece_reach last c) _ _ ltac:(lra) far; lra.
- move=> y le; have [kK _] := piece_ofP le; rewrite /pieces_far; case: ifP => _; first exact: far_pos.
  by apply: Rmult_le_pos; [exact/Rlt_le/pos | exact: far_pos].
- move=> y c le Qc Nc; have [kK [lo hi]] := piece_ofP le; rewrite /pieces_far; case: ifPn => [lt | nlt].
    apply: Rle_trans (inner_far (inner lt) Qc Nc); apply: Rmult_le_compat_r; last exact: hi.
    exact: (shape_reach_ge0 (shapes kK) Qc).
  have [E far] := not_last le nlt; rewrite E; apply: Rmult_le_compat_l; first exact/Rlt_le/pos.
  exact: (last_far ending Qc Nc).
- move=> y le; have [kK [lo hi]] := piece_ofP le; rewrite /pieces_ratio /pieces_bend; case: ifPn => [lt | nlt].
    have [x [ends total]] := inner_ratio (inner lt); apply: Rle_trans total; apply: Rmult_le_compat_l.
      exact/Rlt_le/exp_pos.
    apply: sum_le => c /andP[Qc Nc]; apply: Rmult_le_compat_l (size_ge0 Qc Nc) _; apply: exp_le.
    have along x' : dot (Delta c) (ray x') = x' * dot (Delta c) u + dot (Delta c) v.
      by rewrite /MirrorRay.ray dotDr dotZr.
    have := ends c _ Qc Nc (or_introl erefl); have := ends c _ Qc Nc (or_intror erefl); rewrite !along.
    have := @linear_le (gamma - dot (Delta c) u + piece_reach (D (piece_of y)) c)
      (gamma * piece_curved (D (piece_of y)) - dot (Delta c) v) y (Y (piece_of y)) (Y (piece_of y).+1) (x c)
      (Logic.conj lo (hi lt)) => H h2 h1; have := H ltac:(lra) ltac:(lra); lra.
  by have [-> far] := not_last le nlt; right.
move=> y le; have [kK _] := piece_ofP le; rewrite /pieces_ratio; case: ifPn => [lt | nlt]; first exact: ratio_lt.
have [_ far] := not_last le nlt; have := ratio_lt (leqnn K).
have := Rmult_le_compat_r _ _ _ G_ge0 (last_outside_le far); lra.
Qed.

(* rho is at most what the piece says. *)
Lemma pieces_ratio_le y : Y 0 <= y -> 0 <= pieces_ratio y /\ pieces_ratio y <= piece_ratio (D (piece_of y)).
Proof.
move=> le; have shape := pieces_shape; have := mirror_ratio_ge shape le; rewrite /= /pieces_ratio => low_.
split.
  apply: Rle_trans low_; apply: Rmult_le_pos; first exact/Rlt_le/exp_pos.
  by apply: sum_ge0 => c /andP[Qc Nc]; apply: Rmult_le_pos; [exact: size_ge0 | exact/Rlt_le/exp_pos].
case: ifPn => [lt | nlt]; first by right.
by have [-> far] := not_last le nlt; exact: last_outside_le.
Qed.

(* (2) of MIRROR.md *)
Lemma pieces_hold y : Y 0 <= y ->
  C0 + gamma * pieces_bend y + pieces_ratio y * pieces_far y + pieces_cost y <=
  (gamma - pieces_ratio y * G) * (piece_need (D (piece_of y)) * (r * abs_power (ray_height y) (r - 1))).
Proof.
move=> le; have [kK [lo hi]] := piece_ofP le; rewrite /pieces_bend /pieces_ratio /pieces_far /pieces_cost.
have need0 := steps_need_ge0 (steps kK); case: ifPn => [lt | nlt].
  apply: Rle_trans (steps_hold (steps kK) lt) _; apply: Rmult_le_compat_l; first by have := ratio_lt kK; lra.
  apply: Rmult_le_compat_l need0 _; apply: Rmult_le_compat_l; first lra.
  apply: abs_power_le; first lra.
  by split; [exact/Rlt_le/height_ahead/(Y_mono (leq0n _) kK) | exact: ray_height_rises].
have [E far] := not_last le nlt; rewrite E in need0 *; have z0 := end_height_gt0; have zh := end_height_le far.
have x1 := grown_ge1 far; have bends := last_bend_grown ending far.
have xE : abs_power (ray_height y) (r - 1) = beyond_grown y * abs_power end_height (r - 1).
  by rewrite /beyond_grown -abs_power_mult; congr abs_power; field; lra.
set x := beyond_grown y in x1 bends xE *.
have rho := last_outside_le far; have rho0 := last_outside_ge0 y.
have c1 : C0 <= x * Rmax C0 0.
  by have := Rmax_l C0 0; have := Rmult_le_compat_r _ _ _ (Rmax_r C0 0) x1; lra.
have c2 := Rmult_le_compat_l _ _ _ (Rlt_le _ _ g0) bends.
have c3 : last_outside y * (y * piece_far last) <= x * (piece_ratio last * (Yend * piece_far last)).
  have h1 := Rmult_le_compat_r _ _ _ far_ge0 (last_outside_falls far).
  have h2 : 0 <= piece_ratio last * (Yend * piece_far last).
    by apply: Rmult_le_pos; [lra | apply: Rmult_le_pos; lra].
  have := Rmult_le_compat_r _ _ _ h2 x1; lra.
have x0 : 0 <= x by lra.
have := Rmult_le_compat_l _ _ _ x0 last_holds.
have gain0 : 0 <= x * (piece_need last * (r * abs_power end_height (r - 1))).
  apply: Rmult_le_pos x0 _; apply: Rmult_le_pos need0 _; apply: Rmult_le_pos; [lra | exact: abs_power_ge0].
have := Rmult_le_compat_r _ _ _ gain0 (ltac:(have := Rmult_le_compat_r _ _ _ G_ge0 rho; lra) :
  gamma - piece_ratio last * G <= gamma - last_outside y * G).
rewrite xE; lra.
Qed.

Lemma pieces_growth y h : Y 0 <= y -> 0 <= h <= piece_length (D (piece_of y)) ->
  piece_need (D (piece_of y)) * (r * abs_power (ray_height y) (r - 1)) * h <= A (ray_height y + h) - A (ray_height y).
Proof.
move=> le [h0 he]; have [kK [lo hi]] := piece_ofP le; have z0 := height_ahead le.
set z := ray_height y in z0 *; set s := piece_need _; have s0 : 0 <= s := steps_need_ge0 (steps kK).
have tangent := @power_tangent (z + h) z r ltac:(lra) z0 ltac:(lra).
have E1 : r * abs_power z r / z = r * abs_power z (r - 1).
  have -> : abs_power z r = abs_power z (r - 1) * z; last by field; lra.
  by rewrite -{3}(abs_power1 (Rlt_le _ _ z0)) abs_power_plus //; congr abs_power; ring.
rewrite E1 in tangent.
have -> : s * (r * abs_power z (r - 1)) * h = s * (r * abs_power z (r - 1) * h) by ring.
apply: (Rle_trans _ (s * (abs_power (z + h) r - abs_power z r))).
  by apply: Rmult_le_compat_l s0 _; have : z + h - z = h; [ring | move=> Eh; rewrite Eh in tangent; lra].
apply: (rise_steep X_rises); first by split; [exact: X_first | apply: X_le; lra].
move=> j jK below above; have kj : (piece_of y <= j)%nat.
  rewrite leqNgt; apply/negP => jk; have := above (leq_trans jk kK).
  apply: Rle_not_lt; apply: X_le; split; first exact/Rlt_le/height_ahead/(Y_mono (leq0n _) (leq_trans jk kK)).
  by apply: ray_height_rises; apply: Rle_trans lo; apply: Y_mono.
apply: (steps_need (steps kK)); first by rewrite kj.
move=> lt; have kK' : (piece_of y < K)%nat := leq_trans lt jK.
apply: Rnot_le_lt => far; apply: (Rlt_irrefl (X j)); apply: Rlt_le_trans below _; apply: X_le.
by split; [lra | apply: Rle_trans far; have := ray_height_rises (hi kK'); rewrite -/z; lra].
Qed.

(* T17's conditions at all points, from those of the pieces, for any rule whose steps' cost is bounded. *)
Variable fits : R -> vec J -> Prop.
Notation near := (near_ray p q u v pieces_bounds).
Notation V := (mirror_field Q Delta q b).
Hypothesis costs : forall y z tau, near y z -> fits tau z -> dual_divergence q (mirror q z) z (z + tau * V z)%V <=
  tau * mirror_total Delta q b f z * (pieces_cost y + mirror_entropy Q Delta q mu b f z).
Hypothesis rises : forall y z tau, near y z -> fits tau z ->
  0 < tau /\ tau * dot (V z) u <= piece_length (D (piece_of y)).

Theorem pieces_conditions : mirror_conditions Q Delta p q u v gamma mu b f low pieces_bounds fits
  (mirror p (ray (Y 0))).
Proof.
split; first exact: pieces_shape.
- split=> /=; [by right | by [] |].
  rewrite (mirror_gap_self p1 conj); exact: (allowance_ge0 (Rle_refl _)).
- exact: costs.
- exact: rises.
- move=> y le; have [kK _] := piece_ofP le; apply: Rmult_le_pos; first exact: steps_need_ge0 (steps kK).
  by apply: Rmult_le_pos; [lra | exact: abs_power_ge0].
- by move=> y h; exact: pieces_growth.
exact: pieces_hold.
Qed.

Variable rho : R.
Hypothesis most : forall k, (k <= K)%nat -> piece_ratio (D k) <= rho.

Let ratio_most y : Y 0 <= y -> pieces_ratio y * G <= rho * G.
Proof.
move=> le; have [kK _] := piece_ofP le; have [_ up] := pieces_ratio_le le.
by apply: Rmult_le_compat_r G_ge0 _; apply: Rle_trans up (most kK).
Qed.

(* The growth of the height with normalised steps, *)
Lemma pieces_speed speed longest y : 0 <= speed -> 0 <= longest -> speed * (longest * (1 + rho)) <= gamma - rho * G ->
  Y 0 <= y -> speed * (longest * (1 + pieces_ratio y)) <= gamma - pieces_ratio y * G.
Proof.
move=> s0 l0 fast le; have [kK _] := piece_ofP le; have [_ up] := pieces_ratio_le le.
have := ratio_most le; have up' := Rle_trans _ _ _ up (most kK).
have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ s0 l0) up'; lra.
Qed.

(* and a gain that falls with it, with plain ones. *)
Hypothesis slow : rho * G < gamma.

Lemma pieces_gain : exists gain : R -> R, [/\ forall h, 0 < gain h, forall h h', h <= h' -> gain h' <= gain h &
  forall y, Y 0 <= y ->
    gain (ray_height y) <= (gamma - pieces_ratio y * G) * exp (log_floor - gamma * (y + pieces_bend y))].
Proof.
have [f0 Hs] := last_slopes level.
pose top h := Yend + abs_power (Rmax h 0 / flat) (q - 1).
have top_mono h h' : h <= h' -> top h <= top h'.
  move=> le; apply: Rplus_le_compat_l; apply: abs_power_le; first lra.
  have := Rmax_r h 0; have := Rle_max_compat_r _ _ 0 le => l1 l2.
  have i0 := Rinv_0_lt_compat _ f0.
  by split; [apply: Rmult_le_pos; lra | apply: Rmult_le_compat_r; lra].
have top_ge y : Y 0 <= y -> y <= top (ray_height y).
  move=> le; have P0 := abs_power_ge0 (Rmax (ray_height y) 0 / flat) (q - 1).
  case: (Rle_lt_dec y Yend) => far; first by rewrite /top; lra.
  have h0 := height_ahead le; rewrite /top Rmax_left; last lra.
  suff : y <= abs_power (ray_height y / flat) (q - 1) by lra.
  have y0 : 0 < y by lra.
  have {1}-> : y = abs_power (abs_power y (p - 1)) (q - 1).
    by rewrite abs_power_comp (conjugate_powers p1 conj) abs_power1; lra.
  apply: abs_power_le; first lra.
  split; first exact: abs_power_ge0.
  apply: (Rmult_le_reg_r flat) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; last lra.
  rewrite (last_height (Rlt_le _ _ far)); apply: Rmult_le_compat_l (abs_power_ge0 _ _) _.
  by have := Hs y (Rlt_le _ _ far); lra.
have [Cmax [C0_ge curved_le]] : exists Cmax, 0 <= Cmax /\ forall k, (k < K)%nat -> piece_curved (D k) <= Cmax.
  exists (\big[Rplus/0]_(k < K) Rmax (piece_curved (D k)) 0); split; first by apply: sum_ge0 => k _; exact: Rmax_r.
  move=> k kK; apply: Rle_trans (Rmax_l _ 0) _.
  exact: (@sum_term_le _ xpredT (fun k : 'I_K => Rmax (piece_curved (D k)) 0) (Ordinal kK) (fun j _ => Rmax_r _ _)).
pose bend h := Cmax + Rmax kappa 0 * (top h / Yend).
have k0 := Rmax_r kappa 0; have iY := Rinv_0_lt_compat _ Yend0.
have bend_mono h h' : h <= h' -> bend h <= bend h'.
  move=> le; apply: Rplus_le_compat_l; apply: Rmult_le_compat_l => //.
  by apply: Rmult_le_compat_r; [lra | exact: top_mono].
have bend_ge y : Y 0 <= y -> pieces_bend y <= bend (ray_height y).
  move=> le; have up := top_ge y le; rewrite /pieces_bend /bend; have [kK [lo hi]] := piece_ofP le.
  have t0 : 0 <= top (ray_height y) / Yend by apply: Rmult_le_pos; lra.
  have := Rmult_le_pos _ _ k0 t0; case: ifPn => [lt | nlt]; first by have := curved_le _ lt; lra.
  have [_ far] := not_last le nlt; have := last_bend_slow ending far.
  have ty : y / Yend <= top (ray_height y) / Yend by apply: Rmult_le_compat_r; lra.
  have := Rmult_le_compat_l _ _ _ k0 ty.
  have y0 : 0 <= y / Yend by apply: Rmult_le_pos; lra.
  have := Rmult_le_compat_r _ _ _ y0 (Rmax_l kappa 0); lra.
exists (fun h => (gamma - rho * G) * exp (log_floor - gamma * (top h + bend h))); split.
- by move=> h; apply: Rmult_lt_0_compat; [lra | exact: exp_pos].
- move=> h h' le; apply: Rmult_le_compat_l; first lra.
  apply: exp_le; have := top_mono _ _ le; have := bend_mono _ _ le => l1 l2.
  by have := Rmult_le_compat_l gamma _ _ (Rlt_le _ _ g0) (Rplus_le_compat _ _ _ _ l2 l1); lra.
move=> y le; apply: Rmult_le_compat; [lra | exact/Rlt_le/exp_pos | by have := ratio_most le; lra |].
apply: exp_le; have := Rmult_le_compat_l gamma _ _ (Rlt_le _ _ g0) (Rplus_le_compat _ _ _ _ (top_ge y le)
  (bend_ge y le)); lra.
Qed.
End Pieces.
