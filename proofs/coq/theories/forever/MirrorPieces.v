(* MirrorPieces: T17's conditions at all heights from finitely many (MIRROR.md section 11), for p <= 2 and normalised
   steps. Between two heights and beyond the last one there is a piece, with numbers that bound what its points do. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity
                           Direction Gibbs Progress Growth Inside FactorRange Mirror PowerGap MirrorRay MirrorMoves
                           MirrorCurve MirrorEntries MirrorBend MirrorRegion MirrorRun MirrorSpread MirrorHeights.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* A linear function is at most what it is at one of two ends. *)
Lemma linear_le (s t x lo hi b : R) : lo <= x <= hi -> s * lo + t <= b -> s * hi + t <= b -> s * x + t <= b.
Proof.
move=> [lx xh] H1 H2; case: (Rle_lt_dec 0 s) => s0.
  by have := Rmult_le_compat_l _ _ _ s0 xh; lra.
by have := Rmult_le_compat_neg_l s _ _ (Rlt_le _ _ s0) lx; lra.
Qed.

(* The number of the piece of y, of n from k on. *)
Fixpoint piece_from (Y : nat -> R) (n k : nat) (y : R) : nat :=
  if n is n'.+1 then if Rle_dec y (Y k.+1) then k else piece_from Y n' k.+1 y else k.

Lemma piece_fromP Y n k y : Y k <= y -> let i := piece_from Y n k y in
  [/\ (k <= i <= k + n)%nat, Y i <= y & (i < k + n)%nat -> y <= Y i.+1].
Proof.
elim: n k => [|n IH] k le /=; first by rewrite addn0 leqnn ltnn.
case: Rle_dec => [h | h] /=; first by rewrite leqnn leq_addr.
have [/andP[lo hi] above below] := IH k.+1 (Rlt_le _ _ (Rnot_le_lt _ _ h)); rewrite addSnnS in hi below.
by rewrite (ltnW lo) hi.
Qed.

(* Numbers of a piece. *)
Record mirror_piece (J C : finType) := MirrorPiece {
  piece_energy : R;                 (* of the gap over y^p *)
  piece_sizes : vec J;              (* alpha *)
  piece_softness : vec J;           (* sigma *)
  piece_reach : C -> R;             (* S_c *)
  piece_curved : R;                 (* kappa^+; beyond the last height what of it does not grow *)
  piece_ratio : R;                  (* rho *)
  piece_far : R;                    (* y S_c on N *)
  piece_norm : R;                   (* of Z *)
  piece_cost : R;                   (* R *)
  piece_need : R                    (* the slope that (2) asks for *)
}.

Section Pieces.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (p q : R) (u v : vec J) (gamma : R) (mu : C -> R).
Variables (b : vec J -> C -> R) (f : factor_bounds C) (low : C -> R).
Hypotheses (p1 : 1 < p) (p2 : p <= 2) (conj : / p + / q = 1) (dir : mirror_direction Q Delta p u gamma mu).
Hypotheses (range : factor_range Q Delta b low f) (active_kept : forall c, active Q mu c -> factor_kept f c).
Hypothesis centred : dot (mirror p u) v = 0.
Notation P := (factor_kept f).
Notation n := (mirror p u).
Notation ray := (ray u v).
Notation ray_height := (ray_height p u v).
Notation slope_of y := (dot (mirror p (unit_ray u v y)) u).
Notation log_floor := (log_floor Q mu (factor_low f)).
Let q1 : 1 < q := conjugate_gt1 p1 conj.
Let g0 : 0 < gamma := mirror_margin_gt0 dir.

Variables (K : nat) (Y m : nat -> R) (D : nat -> mirror_piece J C).
Hypotheses (Y_gt0 : 0 < Y 0) (Y_rises : forall k, (k < K)%nat -> Y k <= Y k.+1) (ahead : 0 < ray_height (Y 0)).
Hypothesis slopes : forall k, (k <= K)%nat -> 0 <= m k.
Definition height_power (i : nat) : R := abs_power (ray_height (Y i)) (q - 1).
Notation X := height_power.
Notation E := (rise_to X m).
Definition allowance (h : R) : R := rise_by_slopes K X m (abs_power h (q - 1)).
Notation A := allowance.

Let q2 : 2 <= q.
Proof. by have := conjugate_powers p1 conj; nra. Qed.

Definition in_piece (k : nat) (y : R) : Prop := Y k <= y /\ ((k < K)%nat -> y <= Y k.+1).
Definition piece_of (y : R) : nat := piece_from Y K 0 y.

Lemma piece_ofP y : Y 0 <= y -> (piece_of y <= K)%nat /\ in_piece (piece_of y) y.
Proof. by move=> /(piece_fromP K)[/andP[_ le] lo hi]; rewrite add0n in le hi; split. Qed.

Lemma Y_mono i j : (i <= j)%nat -> (j <= K)%nat -> Y i <= Y j.
Proof.
elim: j => [|j IH]; first by rewrite leqn0 => /eqP -> _; right.
rewrite leq_eqVlt => /orP[/eqP -> _ | lt le]; first by right.
exact: Rle_trans (IH lt (ltnW le)) (Y_rises le).
Qed.

Lemma Y_pos k : (k <= K)%nat -> 0 < Y k.
Proof. by move=> kK; have := Y_mono (leq0n k) kK; lra. Qed.

Lemma ray_height_rises y y' : y <= y' -> ray_height y <= ray_height y'.
Proof. exact: (ray_height_mono u v p1 conj). Qed.

Lemma height_ahead y : Y 0 <= y -> 0 < ray_height y.
Proof. by move/ray_height_rises; lra. Qed.

Lemma X_le y y' : 0 <= y <= y' -> abs_power y (q - 1) <= abs_power y' (q - 1).
Proof. by move=> le; apply: abs_power_le; lra. Qed.

Lemma X_rises k : (k < K)%nat -> X k <= X k.+1.
Proof.
move=> kK; apply: X_le; split; last exact: ray_height_rises (Y_rises kK).
exact/Rlt_le/height_ahead/(Y_mono (leq0n k) (ltnW kK)).
Qed.

Lemma X_first y : Y 0 <= y -> X 0 <= abs_power (ray_height y) (q - 1).
Proof. by move=> le; apply: X_le; split; [lra | exact: ray_height_rises]. Qed.

Lemma allowance_ge0 y : Y 0 <= y -> 0 <= A (ray_height y).
Proof. by move=> le; apply: (rise_ge0 X_rises slopes); exact: X_first. Qed.

(* Lemma 9's bound of a functional. *)
Definition softly (i : nat) (h : vec J) : R :=
  sqrt (2 * piece_energy (D i) * \sum_j h j * h j * piece_softness (D i) j).

(* ---- what is asked of the pieces: sizes of the ray's entries, margins ---- *)

Record piece_shape (k : nat) : Prop := PieceShape {
  shape_numbers : forall j, entry_numbers p (piece_energy (D k)) (piece_sizes (D k) j) (piece_softness (D k) j);
  shape_entries : forall y j, in_piece k y -> Rabs (unit_ray u v y j) <= piece_sizes (D k) j;
  shape_reach : forall c, Q c -> softly k (Delta c) <= piece_reach (D k) c;
  shape_margin : forall c, Q c -> low c <= dot (Delta c) (ray (Y k)) - Y k * piece_reach (D k) c
}.

(* between Y_k and Y_{k+1} *)
Record inner_piece (k : nat) : Prop := InnerPiece {
  inner_energy : E k.+1 <= piece_energy (D k) * abs_power (Y k) p;
  inner_margin : forall c, Q c -> low c <= dot (Delta c) (ray (Y k.+1)) - Y k.+1 * piece_reach (D k) c;
  inner_ratio : exists x : C -> R,
    (forall c y, Q c -> ~~ P c -> y = Y k \/ y = Y k.+1 ->
       gamma * (y + piece_curved (D k)) - (dot (Delta c) (ray y) - y * piece_reach (D k) c) <= x c) /\
    exp (- log_floor) * (\sum_(c | Q c && ~~ P c) factor_size f c * exp (x c)) <= piece_ratio (D k);
  inner_far : forall c, Q c -> ~~ P c -> Y k.+1 * piece_reach (D k) c <= piece_far (D k)
}.

Lemma inner_allowed k y : (k < K)%nat -> inner_piece k -> in_piece k y ->
  A (ray_height y) <= piece_energy (D k) * abs_power y p.
Proof.
move=> kK inner [lo hi]; have Yk := Y_pos (ltnW kK).
have first : Y 0 <= y := Rle_trans _ _ _ (Y_mono (leq0n k) (ltnW kK)) lo.
apply: (Rle_trans _ (E k.+1)).
  apply: (rise_le_to X_rises slopes kK); split; first exact: X_first.
  by apply: X_le; split; [exact/Rlt_le/height_ahead | exact/ray_height_rises/hi].
have E0 : 0 <= E k.+1.
  by apply: sum_ge0 => i _; apply: Rmult_le_pos; [apply: slopes | have := @X_rises i]; have := ltn_ord i;
    rewrite ltnS => le; [exact: leq_trans le (ltnW kK) | move=> /(_ (leq_ltn_trans le kK)); lra].
have yp : 0 < abs_power (Y k) p by apply: abs_power_gt0; lra.
have e0 : 0 <= piece_energy (D k).
  by apply: Rnot_lt_le => neg; have := inner_energy inner; have := Rmult_lt_compat_r _ _ _ yp neg; lra.
apply: Rle_trans (inner_energy inner) _; apply: Rmult_le_compat_l e0 _; apply: abs_power_le; lra.
Qed.

(* How far points go, given what is allowed of the gap. *)
Lemma piece_moves k y z : 0 < y -> piece_shape k -> in_piece k y ->
  A (ray_height y) <= piece_energy (D k) * abs_power y p -> ray_height y = dot z u ->
  mirror_gap p q (ray y) z <= A (dot z u) -> forall c, Q c ->
  Rabs (dot (Delta c) (mirror q z - ray y)%V) <= y * piece_reach (D k) c.
Proof.
move=> y0 shape yk allowed hy gap_le c Qc.
have gap_le' : mirror_gap p q (ray y) z <= piece_energy (D k) * abs_power y p by rewrite -hy in gap_le; lra.
have := height_moves p1 conj y0 p2 (shape_numbers shape) (fun j => shape_entries shape j yk) gap_le' (Delta c).
move=> H; apply: Rle_trans H _.
by apply: Rmult_le_compat_l (shape_reach shape Qc); lra.
Qed.

(* ---- kappa ---- *)

Variables (beta r : R).
Hypotheses (factor : curve_factor p beta) (r0 : 0 <= r).

(* kappa on a piece, on which s bounds u/a of the near entries: all entries near, or some of them whole. *)
Inductive piece_bends (k : nat) : Prop :=
| BendsNear (s : R) : 0 <= s -> (forall y j, in_piece k y -> bend_near u (unit_ray u v y) s j) ->
    (forall y, in_piece k y ->
       y * (softly k (bend_slope p u (unit_ray u v y)) + beta / (p - 1) * s * piece_energy (D k)) <=
         piece_curved (D k)) ->
    piece_bends k
| BendsMixed (s lambda : R) (near : pred J) : 0 <= s -> 0 < lambda ->
    (forall y j, in_piece k y -> near j -> bend_near u (unit_ray u v y) s j) ->
    (forall y, in_piece k y -> y * (beta / (p - 1) * s * piece_energy (D k) + lambda * piece_energy (D k) +
       (\sum_(j | near j) bend_slope p u (unit_ray u v y) j * bend_slope p u (unit_ray u v y) j *
          piece_softness (D k) j) / (2 * lambda) +
       \sum_(j | ~~ near j) whole_cost p u (piece_softness (D k)) lambda j) <= piece_curved (D k)) ->
    piece_bends k.

Lemma inner_bends k y z : 0 < y -> piece_shape k -> in_piece k y -> piece_bends k ->
  A (ray_height y) <= piece_energy (D k) * abs_power y p -> ray_height y = dot z u ->
  mirror_gap p q (ray y) z <= A (dot z u) -> dot n (mirror q z) - y <= piece_curved (D k).
Proof.
move=> y0 shape yk bends allowed hy gap_le.
have gap_le' : mirror_gap p q (ray y) z <= piece_energy (D k) * abs_power y p by rewrite -hy in gap_le; lra.
have numbers := shape_numbers shape; have entries j := shape_entries shape j yk.
case: bends => [s s0 near le | s lambda near s0 l0 near_ok le]; apply: Rle_trans (le y yk).
  exact: (height_bends_near p1 conj (mirror_unit dir) centred y0 p2 numbers entries hy gap_le' factor s0
    (fun j => near y j yk)).
exact: (height_bends_mixed p1 conj (mirror_unit dir) centred y0 p2 numbers entries hy gap_le' factor s0 l0
  (fun j nj => near_ok y j yk nj)).
Qed.

(* ---- beyond the last height ---- *)

Variables (G share steep flat : R) (turn : vec J) (kappa eta longest spread lost : R).
Notation Yend := (Y K).
Notation zeta_end := (abs_power Yend (p - 1) * flat).
Notation linear := (beta / (p - 1) * r * (share * steep)).
Notation last := (D K).

Record last_piece : Prop := LastPiece {
  last_share : m K <= share /\ E K <= share * X K;
  last_slopes : 0 < flat /\ forall y, Yend <= y -> flat <= slope_of y <= steep;
  last_energy : share * abs_power steep (q - 1) * abs_power Yend (1 - p) <= piece_energy last;
  last_margin : forall c, Q c -> piece_reach last c <= dot (Delta c) u;
  last_near : forall y j, Yend <= y -> bend_near u (unit_ray u v y) r j;
  last_turn : forall y j, Yend <= y -> y * Rabs (bend_slope p u (unit_ray u v y) j) <= turn j;
  last_curved : softly K turn <= piece_curved last;
  last_kappa : piece_curved last + beta / (p - 1) * r * share * abs_power steep (q - 1) * abs_power Yend (2 - p) <=
    kappa;
  last_falls : forall c, Q c -> ~~ P c -> 1 <= Yend * (dot (Delta c) u - gamma - piece_reach last c) - gamma * kappa;
  last_ratio : exp (- log_floor) * (\sum_(c | Q c && ~~ P c) factor_size f c *
    exp (gamma * (Yend + kappa) - (dot (Delta c) (ray Yend) - Yend * piece_reach last c))) <= piece_ratio last;
  last_far : forall c, Q c -> ~~ P c -> piece_reach last c <= piece_far last
}.
Hypothesis ending : last_piece.
Hypothesis far_ge0 : 0 <= piece_far last.

Let Yend0 : 0 < Yend. Proof. exact: Y_pos. Qed.
Let share0 : 0 <= share. Proof. by have [] := last_share ending; have := slopes (leqnn K); lra. Qed.
Let beta0 : 0 <= beta / (p - 1) * r.
Proof.
apply: Rmult_le_pos r0; have [b0 _] := factor.
by apply: Rmult_le_pos b0 _; apply/Rlt_le/Rinv_0_lt_compat; lra.
Qed.
Let steep0 : 0 < steep.
Proof. by have [f0 H] := last_slopes ending; have := H Yend (Rle_refl _); lra. Qed.

Lemma last_height y : Yend <= y -> ray_height y = abs_power y (p - 1) * slope_of y.
Proof. by move=> le; apply: ray_height_scale; lra. Qed.

Lemma last_first y : Yend <= y -> Y 0 <= y.
Proof. by apply: Rle_trans; exact: Y_mono. Qed.

(* The height's power of order q - 1 is about y. *)
Lemma height_power_end y : Yend <= y -> abs_power (ray_height y) (q - 1) = y * abs_power (slope_of y) (q - 1).
Proof.
move=> le; rewrite last_height // abs_power_mult abs_power_comp (conjugate_powers p1 conj) abs_power1 //; lra.
Qed.

Lemma last_allowance y : Yend <= y -> A (ray_height y) <= share * abs_power (ray_height y) (q - 1).
Proof.
move=> le; have [mS ES] := last_share ending.
have XK : X K <= abs_power (ray_height y) (q - 1).
  apply: X_le; split; last exact: ray_height_rises.
  exact/Rlt_le/height_ahead/(Y_mono (leq0n K) (leqnn K)).
rewrite /allowance (rise_beyond _ X_rises XK).
have := Rmult_le_compat_r (abs_power (ray_height y) (q - 1) - X K) _ _ ltac:(lra) mS; lra.
Qed.

Lemma last_allowed y : Yend <= y -> A (ray_height y) <= piece_energy last * abs_power y p.
Proof.
move=> le; apply: Rle_trans (last_allowance le) _; rewrite height_power_end //.
have [f0 H] := last_slopes ending; have [lo hi] := H y le; have y0 : 0 < y by lra.
have yp : 0 < abs_power y p by apply: abs_power_gt0; lra.
apply: (Rle_trans _ (share * abs_power steep (q - 1) * abs_power Yend (1 - p) * abs_power y p)); last first.
  by apply: Rmult_le_compat_r (last_energy ending); lra.
have yE : y = abs_power y (1 - p) * abs_power y p.
  by rewrite abs_power_plus // -{1}(abs_power1 (Rlt_le _ _ y0)); congr abs_power; ring.
rewrite {1}yE; have s1 := @abs_power_le (slope_of y) steep (q - 1) ltac:(lra) ltac:(lra).
have s2 := @abs_power_falls Yend y (1 - p) ltac:(lra) ltac:(lra).
have A0 := abs_power_ge0 (slope_of y) (q - 1); have B0 := abs_power_ge0 y (1 - p).
have := Rmult_le_compat _ _ _ _ A0 B0 s1 s2 => /(Rmult_le_compat_l _ _ _ share0).
by move=> /(Rmult_le_compat_r _ _ _ (Rlt_le _ _ yp)); lra.
Qed.

Definition last_bend (y : R) : R := piece_curved last + linear * abs_power (ray_height y) (q - 2).

Lemma last_bends y z : Yend <= y -> piece_shape K -> ray_height y = dot z u ->
  mirror_gap p q (ray y) z <= A (dot z u) -> dot n (mirror q z) - y <= last_bend y.
Proof.
move=> le shape hy gap_le; have y0 : 0 < y by lra.
have yk : in_piece K y by split=> //; rewrite ltnn.
pose e := A (ray_height y) / abs_power y p; have yp : 0 < abs_power y p by apply: abs_power_gt0; lra.
have eE : e * abs_power y p = A (ray_height y) by rewrite /e; field; lra.
have gap_le' : mirror_gap p q (ray y) z <= e * abs_power y p by rewrite eE hy.
have e_le : e <= piece_energy last.
  by apply: (Rmult_le_reg_r (abs_power y p)) => //; rewrite eE; exact: last_allowed.
have entries j := shape_entries shape j yk.
have e0 : 0 <= e.
  apply: Rmult_le_pos; first exact: allowance_ge0 (last_first le).
  exact/Rlt_le/Rinv_0_lt_compat.
have numbers j : entry_numbers p e (piece_sizes last j) (piece_softness last j).
  have [al0 [T [T' [T0 T0' [near far] closer soft]]]] := shape_numbers shape j; split=> //; exists T, T'.
  have grow x : 0 <= x -> 2 * e / (p - 1) * x <= 2 * piece_energy last / (p - 1) * x.
    move=> x0; apply: Rmult_le_compat_r x0 _; apply: Rmult_le_compat_r; last lra.
    by apply/Rlt_le/Rinv_0_lt_compat; lra.
  split=> //; last by apply: Rle_trans closer; apply: grow; exact: abs_power_ge0.
  by split; [apply: Rle_trans near | apply: Rle_trans far]; apply: grow; exact: abs_power_ge0.
have := height_bends_near p1 conj (mirror_unit dir) centred y0 p2 numbers entries hy gap_le' factor r0
  (fun j => last_near ending j le).
set l := bend_slope p u (unit_ray u v y) => H; apply: Rle_trans H _; rewrite Rmult_plus_distr_l /last_bend.
have soft0 j : 0 <= piece_softness last j.
  have [_ [T [T' [_ _ _ _ soft]]]] := shape_numbers shape j; apply: (Rmult_le_reg_l (p - 1)); first lra.
  by rewrite Rmult_0_r; apply: Rle_trans soft; exact: abs_power_ge0.
apply: Rplus_le_compat.
  apply: Rle_trans (last_curved ending); rewrite -{1}(sqrt_Rsqr y); last lra.
  rewrite -sqrt_mult_alt; last exact: Rle_0_sqr.
  apply: sqrt_le_1_alt; rewrite /Rsqr.
  have -> : y * y * (2 * e * \sum_j l j * l j * piece_softness last j) =
    2 * e * \sum_j (y * Rabs (l j)) * (y * Rabs (l j)) * piece_softness last j.
    rewrite !sum_mull; apply: eq_bigr => j _.
    have -> : y * Rabs (l j) * (y * Rabs (l j)) = y * y * (Rabs (l j) * Rabs (l j)) by ring.
    rewrite -Rabs_mult (Rabs_pos_eq (l j * l j)); [ring | exact: Rle_0_sqr].
  apply: Rmult_le_compat; [lra | | lra |].
    by apply: sum_ge0 => j _; apply: Rmult_le_pos; [exact: Rle_0_sqr | exact: soft0].
  apply: sum_le => j _; apply: Rmult_le_compat_r (soft0 j) _; have t := last_turn ending j le; rewrite -/l in t.
  have a0 : 0 <= y * Rabs (l j) by apply: Rmult_le_pos; [lra | exact: Rabs_pos].
  exact: Rmult_le_compat.
have -> : y * (beta / (p - 1) * r * e) = beta / (p - 1) * r * (y * e) by ring.
have -> : linear * abs_power (ray_height y) (q - 2) =
  beta / (p - 1) * r * (share * steep * abs_power (ray_height y) (q - 2)) by ring.
apply: Rmult_le_compat_l beta0 _.
have h0 : 0 < ray_height y := height_ahead (last_first le).
have [f0 Hs] := last_slopes ending; have [lo hi] := Hs y le.
apply: (Rmult_le_reg_r (abs_power y (p - 1))); first by apply: abs_power_gt0; lra.
have -> : y * e * abs_power y (p - 1) = A (ray_height y).
  rewrite -eE; have -> : abs_power y p = y * abs_power y (p - 1); last by ring.
  by rewrite -{2}(abs_power1 (Rlt_le _ _ y0)) abs_power_plus //; congr abs_power; ring.
apply: Rle_trans (last_allowance le) _.
have -> : abs_power (ray_height y) (q - 1) = abs_power (ray_height y) (q - 2) * ray_height y.
  by rewrite -{3}(abs_power1 (Rlt_le _ _ h0)) abs_power_plus //; congr abs_power; ring.
rewrite {2}(last_height le).
have := Rmult_le_compat_l (share * abs_power (ray_height y) (q - 2) * abs_power y (p - 1)) _ _
  ltac:(by apply: Rmult_le_pos; [apply: Rmult_le_pos => //; exact: abs_power_ge0 | exact: abs_power_ge0]) hi.
lra.
Qed.

Let curved0 : 0 <= piece_curved last.
Proof. by apply: Rle_trans (last_curved ending); exact: sqrt_pos. Qed.

(* It rises slower than y. *)
Lemma last_bend_le y : Yend <= y -> last_bend y <= kappa * (y / Yend).
Proof.
move=> le; have y0 : 0 < y by lra.
have s1 : 1 <= y / Yend by apply: (Rmult_le_reg_r Yend) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
have [f0 Hs] := last_slopes ending; have [lo hi] := Hs y le.
have rise : abs_power (ray_height y) (q - 2) <= abs_power steep (q - 2) * (abs_power Yend (2 - p) * (y / Yend)).
  rewrite last_height // abs_power_mult abs_power_comp.
  have -> : (p - 1) * (q - 2) = 2 - p by have := conjugate_powers p1 conj; lra.
  rewrite Rmult_comm; apply: Rmult_le_compat; [exact: abs_power_ge0 | exact: abs_power_ge0 | |].
    by apply: abs_power_le; lra.
  have {1}-> : y = Yend * (y / Yend) by field; lra.
  rewrite abs_power_mult; apply: Rmult_le_compat_l (abs_power_ge0 _ _) _.
  rewrite -{2}(abs_power1 (ltac:(lra) : 0 <= y / Yend)) !abs_power_pos; try lra.
  by apply: Rle_Rpower; lra.
have lin0 : 0 <= linear by apply: Rmult_le_pos beta0 _; apply: Rmult_le_pos; lra.
have := Rmult_le_compat_l _ _ _ lin0 rise.
have -> : linear * (abs_power steep (q - 2) * (abs_power Yend (2 - p) * (y / Yend))) =
    beta / (p - 1) * r * share * abs_power steep (q - 1) * abs_power Yend (2 - p) * (y / Yend).
  have -> : abs_power steep (q - 1) = steep * abs_power steep (q - 2); last by ring.
  by rewrite -{2}(abs_power1 (Rlt_le _ _ steep0)) abs_power_plus //; congr abs_power; ring.
have := Rmult_le_compat_r (y / Yend) _ _ ltac:(lra) (last_kappa ending).
have := Rmult_le_compat_l _ _ _ curved0 s1; rewrite /last_bend; lra.
Qed.

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
  have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ g0) (last_bend_le le); rewrite -/s => up.
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
Notation height_end := (abs_power zeta_end (q - 2)).

(* R of a normalised step where ||Z||_q is at most N, over the step's share of the weights. *)
Definition step_curve (N : R) : R := (q - 1) / 2 * (abs_power (N + eta) (q - 2) * eta).
Definition norm_at (h e : R) : R := abs_power (abs_power h q + q * (2 * e + lost)) (/ q).

Definition last_cost (y : R) : R :=
  step_curve (norm_at (ray_height y) (share * abs_power (ray_height y) (q - 1))) * (longest * (1 + piece_ratio last)).

Definition pieces_bend (y : R) : R :=
  if (piece_of y < K)%nat then piece_curved (D (piece_of y)) else last_bend y.
Definition pieces_ratio (y : R) : R := if (piece_of y < K)%nat then piece_ratio (D (piece_of y)) else last_outside y.
Definition pieces_far (y : R) : R := if (piece_of y < K)%nat then piece_far (D (piece_of y)) else y * piece_far last.
Definition pieces_cost (y : R) : R := if (piece_of y < K)%nat then piece_cost (D (piece_of y)) else last_cost y.

Definition pieces_bounds : mirror_bounds C := MirrorBounds (Y 0) A
  (fun y => piece_need (D (piece_of y)) * ((q - 1) * abs_power (ray_height y) (q - 2))) eta
  (fun y c => y * piece_reach (D (piece_of y)) c) pieces_bend pieces_ratio G pieces_far pieces_cost.

Record piece_steps (k : nat) : Prop := PieceSteps {
  steps_norm : (k < K)%nat -> norm_at (ray_height (Y k.+1)) (E k.+1) <= piece_norm (D k);
  steps_cost : (k < K)%nat ->
    step_curve (piece_norm (D k)) * (longest * (1 + piece_ratio (D k))) <= piece_cost (D k) \/
    step_curve (piece_norm (D k)) * (gamma + piece_ratio (D k) * longest) +
      step_curve (piece_norm (D k)) * spread * (step_curve (piece_norm (D k)) * spread) / 8 <= piece_cost (D k);
  steps_need_ge0 : 0 <= piece_need (D k);
  steps_need : forall j, (k <= j <= K)%nat -> ((k < j)%nat -> ray_height (Y j) < ray_height (Y k.+1) + eta) ->
    piece_need (D k) <= m j;
  steps_hold : (k < K)%nat ->
    C0 + gamma * piece_curved (D k) + piece_ratio (D k) * piece_far (D k) + piece_cost (D k) <=
    (gamma - piece_ratio (D k) * G) * (piece_need (D k) * ((q - 1) * abs_power (ray_height (Y k)) (q - 2)))
}.

Hypotheses (shapes : forall k, (k <= K)%nat -> piece_shape k) (inner : forall k, (k < K)%nat -> inner_piece k).
Hypotheses (bends : forall k, (k < K)%nat -> piece_bends k) (steps : forall k, (k <= K)%nat -> piece_steps k).
Hypotheses (G_ge0 : 0 <= G) (G_le : forall c, Q c -> ~~ P c -> dot (Delta c) u <= G).
Hypothesis far_pos : forall k, (k <= K)%nat -> 0 <= piece_far (D k).
Hypothesis ratio_lt : forall k, (k <= K)%nat -> piece_ratio (D k) * G < gamma.
Hypotheses (eta0 : 0 < eta) (longest_le : forall c, Q c -> lp_norm q (Delta c) <= longest).
Hypothesis spread_le : forall c, P c -> 2 * lp_norm q (Delta c - gamma * n)%V <= spread.
Hypothesis lost_le : forall y, Y 0 <= y -> centre_cost p q u v y <= lost.
Hypothesis last_holds : Rmax C0 0 + gamma * kappa + piece_ratio last * (Yend * piece_far last) +
    step_curve (norm_at zeta_end (share * abs_power zeta_end (q - 1))) * (longest * (1 + piece_ratio last)) <=
  (gamma - piece_ratio last * G) * (piece_need last * ((q - 1) * height_end)).

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
by have [-> far] := not_last le kK; exact: last_allowed.
Qed.

Theorem pieces_shape : mirror_shape Q Delta p q u v gamma mu f low pieces_bounds.
Proof.
have pos y : Y 0 <= y -> 0 < y by lra.
split=> //=.
- move=> y z c [/= le hy gap_le] Qc; have [kK yk] := piece_ofP le.
  exact: (piece_moves (pos _ le) (shapes kK) yk (pieces_allowed le) hy gap_le).
- move=> y z [/= le hy gap_le]; have [kK yk] := piece_ofP le; rewrite /pieces_bend.
  case: ifPn => [lt | nlt].
    exact: (inner_bends (pos _ le) (shapes kK) yk (bends lt) (pieces_allowed le) hy gap_le).
  by have [_ far] := not_last le nlt; exact: (last_bends far (shapes (leqnn K)) hy gap_le).
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
    apply: Rle_trans (shape_reach (shapes kK) Qc); exact: sqrt_pos.
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

Let curve_mono N N' : 0 <= N <= N' -> step_curve N <= step_curve N'.
Proof.
move=> NN; apply: Rmult_le_compat_l; first lra.
by apply: Rmult_le_compat_r; [lra | apply: abs_power_le; lra].
Qed.

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

Lemma pieces_norm y z : near_ray p q u v pieces_bounds y z ->
  lp_norm q z <= norm_at (ray_height y) (A (ray_height y)).
Proof.
move=> [/= le hy gap_le]; have h0 := height_ahead le.
have := @mirror_norm_bound J p q u v y z p1 conj (mirror_unit dir) ltac:(lra); rewrite -hy => H.
apply: Rle_trans H _; apply: abs_power_le; first by apply/Rlt_le/Rinv_0_lt_compat; lra.
have G0 := mirror_gap_ge0 p1 conj (ray y) z; have c0 := centre_cost_ge0 u v p1 conj y; have c1 := lost_le le.
rewrite -hy in gap_le; have := abs_power_ge0 (ray_height y) q.
have := Rmult_le_compat_l q _ _ ltac:(lra) (ltac:(lra) : 2 * mirror_gap p q (ray y) z + centre_cost p q u v y <=
  2 * A (ray_height y) + lost).
have := Rmult_le_pos q (2 * mirror_gap p q (ray y) z + centre_cost p q u v y) ltac:(lra) ltac:(lra); lra.
Qed.

Lemma pieces_costs y z tau : near_ray p q u v pieces_bounds y z -> normalised_fits Q Delta q b eta tau z ->
  dual_divergence q (mirror q z) z (z + tau * mirror_field Q Delta q b z)%V <=
  tau * mirror_total Delta q b f z * (mirror_cost pieces_bounds y + mirror_entropy Q Delta q mu b f z).
Proof.
move=> at_y tfit; have [/= le hy gap_le] := at_y; have [kK [lo hi]] := piece_ofP le; have zN := pieces_norm at_y.
have Om0 := mirror_total_positive dir range pieces_shape at_y; have [t0 _] := tfit.
have tOm : 0 <= tau * mirror_total Delta q b f z by apply: Rmult_le_pos; lra.
have plain N : lp_norm q z <= N -> step_curve N * (longest * (1 + pieces_ratio y)) <= pieces_cost y ->
    dual_divergence q (mirror q z) z (z + tau * mirror_field Q Delta q b z)%V <=
    tau * mirror_total Delta q b f z * (pieces_cost y + mirror_entropy Q Delta q mu b f z).
  move=> zN' cost; have := normalised_cost_below_two p1 conj dir range pieces_shape longest_le p2 at_y tfit zN'.
  move=> H; apply: Rle_trans H _; apply: Rmult_le_compat_l tOm _; rewrite /step_curve in cost.
  by apply: Rplus_le_compat_r.
case: (boolP (piece_of y < K)%nat) => [lt | nlt].
  have zN' : lp_norm q z <= piece_norm (D (piece_of y)).
    apply: Rle_trans zN _; apply: Rle_trans (steps_norm (steps kK) lt); apply: norm_mono.
    - by split; [exact/Rlt_le/height_ahead | exact/ray_height_rises/hi].
    - apply: (rise_le_to X_rises slopes lt); split; first exact: X_first.
      by apply: X_le; split; [exact/Rlt_le/height_ahead | exact/ray_height_rises/hi].
    exact: allowance_ge0.
  case: (steps_cost (steps kK) lt) => cost.
    by apply: plain zN' _; rewrite /pieces_ratio /pieces_cost lt.
  have := spread_cost_below_two p1 conj dir range pieces_shape longest_le spread_le p2 at_y tfit zN'.
  move=> H; apply: Rle_trans H _; apply: Rmult_le_compat_l tOm _; apply: Rplus_le_compat_r.
  by rewrite /step_curve in cost; rewrite /= /pieces_ratio /pieces_cost lt.
have [_ far] := not_last le nlt; apply: (plain _ (Rle_trans _ _ _ zN (norm_mono _ (last_allowance far) _))).
- by split; [exact/Rlt_le/height_ahead | right].
- exact: allowance_ge0.
rewrite /pieces_cost /pieces_ratio (negbTE nlt) /last_cost; apply: Rmult_le_compat_l.
  by apply: Rmult_le_pos; [lra | apply: Rmult_le_pos (abs_power_ge0 _ _) _; lra].
by apply: Rmult_le_compat_l longest0 _; have := last_outside_le far; lra.
Qed.

Lemma zeta_end_gt0 : 0 < zeta_end.
Proof. by have [f0 _] := last_slopes ending; apply: Rmult_lt_0_compat => //; apply: abs_power_gt0; lra. Qed.

Lemma zeta_end_le y : Yend <= y -> zeta_end <= ray_height y.
Proof.
move=> le; have [f0 H] := last_slopes ending; have [lo _] := H y le; rewrite last_height //.
by apply: Rmult_le_compat; [exact: abs_power_ge0 | lra | apply: abs_power_le; lra |].
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

Lemma last_cost_le y (x := abs_power (ray_height y / zeta_end) (q - 2)) : Yend <= y ->
  last_cost y <= x * (step_curve (norm_at zeta_end (share * abs_power zeta_end (q - 1))) *
                      (longest * (1 + piece_ratio last))).
Proof.
move=> le; have z0 := zeta_end_gt0; have zh := zeta_end_le le; rewrite /last_cost -(Rmult_assoc x).
have h0 : 0 < ray_height y by lra.
have rho0 := Rle_trans _ _ _ (last_outside_ge0 y) (last_outside_le le).
apply: Rmult_le_compat_r; first by apply: Rmult_le_pos longest0 _; lra.
rewrite /step_curve; set N := norm_at (ray_height y) _; set N' := norm_at zeta_end _.
have N0 : 0 <= N := abs_power_ge0 _ _; have N0' : 0 <= N' := abs_power_ge0 _ _.
have over := @norm_over_height zeta_end (ray_height y) (Logic.conj z0 zh); rewrite -/N -/N' in over.
have main : abs_power (N + eta) (q - 2) <= x * abs_power (N' + eta) (q - 2).
  rewrite /x -abs_power_mult; apply: abs_power_le; first lra.
  split; first lra.
  apply: (Rmult_le_reg_r zeta_end) => //.
  have unscale a d e : d <> 0 -> a / d * e * d = e * a by move=> d0; field.
  rewrite unscale; last lra.
  by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ eta0) zh; lra.
have -> : x * ((q - 1) / 2 * (abs_power (N' + eta) (q - 2) * eta)) =
  (q - 1) / 2 * (x * abs_power (N' + eta) (q - 2) * eta) by ring.
by apply: Rmult_le_compat_l; [lra | apply: Rmult_le_compat_r; lra].
Qed.

(* (2) of MIRROR.md *)
Lemma pieces_hold y : Y 0 <= y ->
  C0 + gamma * pieces_bend y + pieces_ratio y * pieces_far y + pieces_cost y <=
  (gamma - pieces_ratio y * G) * (piece_need (D (piece_of y)) * ((q - 1) * abs_power (ray_height y) (q - 2))).
Proof.
move=> le; have [kK [lo hi]] := piece_ofP le; rewrite /pieces_bend /pieces_ratio /pieces_far /pieces_cost.
have need0 := steps_need_ge0 (steps kK); case: ifPn => [lt | nlt].
  apply: Rle_trans (steps_hold (steps kK) lt) _; apply: Rmult_le_compat_l; first by have := ratio_lt kK; lra.
  apply: Rmult_le_compat_l need0 _; apply: Rmult_le_compat_l; first lra.
  apply: abs_power_le; first lra.
  by split; [exact/Rlt_le/height_ahead/(Y_mono (leq0n _) kK) | exact: ray_height_rises].
have [E far] := not_last le nlt; rewrite E in need0 *; have z0 := zeta_end_gt0; have zh := zeta_end_le far.
set x := abs_power (ray_height y / zeta_end) (q - 2).
have x1 : 1 <= x.
  rewrite -(abs_power_one (q - 2)); apply: abs_power_le; first lra.
  by split; [lra | apply: (Rmult_le_reg_r zeta_end) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra].
have xE : abs_power (ray_height y) (q - 2) = x * height_end.
  have unscale a d : d <> 0 -> a = a / d * d by move=> d0; field.
  by rewrite /x -abs_power_mult -unscale //; lra.
have rho := last_outside_le far; have rho0 := last_outside_ge0 y.
have H0 := abs_power_ge0 zeta_end (q - 2).
have c1 : C0 <= x * Rmax C0 0.
  by have := Rmax_l C0 0; have := Rmult_le_compat_r _ _ _ (Rmax_r C0 0) x1; lra.
have c2 : gamma * last_bend y <= x * (gamma * kappa).
  have lin0 : 0 <= linear by apply: Rmult_le_pos beta0 _; apply: Rmult_le_pos; lra.
  have bend_end : piece_curved last + linear * height_end <= kappa.
    apply: Rle_trans (last_kappa ending); apply: Rplus_le_compat_l.
    have [f0 Hs] := last_slopes ending; have [fl st] := Hs _ (Rle_refl Yend).
    rewrite abs_power_mult abs_power_comp.
    have -> : (p - 1) * (q - 2) = 2 - p by have := conjugate_powers p1 conj; lra.
    have -> : abs_power steep (q - 1) = steep * abs_power steep (q - 2).
      by rewrite -{2}(abs_power1 (Rlt_le _ _ steep0)) abs_power_plus //; congr abs_power; ring.
    have up := @abs_power_le flat steep (q - 2) ltac:(lra) ltac:(lra).
    have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ lin0 (abs_power_ge0 Yend (2 - p))) up; lra.
  have := Rmult_le_compat_r _ _ _ curved0 x1.
  have := Rmult_le_compat_l (gamma * x) _ _ ltac:(apply: Rmult_le_pos; lra) bend_end.
  by rewrite /last_bend xE => h1 /(Rmult_le_compat_l _ _ _ (Rlt_le _ _ g0)); lra.
have c3 : last_outside y * (y * piece_far last) <= x * (piece_ratio last * (Yend * piece_far last)).
  have h1 := Rmult_le_compat_r _ _ _ far_ge0 (last_outside_falls far).
  have h2 : 0 <= piece_ratio last * (Yend * piece_far last).
    by apply: Rmult_le_pos; [lra | apply: Rmult_le_pos; lra].
  have := Rmult_le_compat_r _ _ _ h2 x1; lra.
have c4 := last_cost_le far; rewrite -/x in c4.
have x0 : 0 <= x by lra.
have := Rmult_le_compat_l _ _ _ x0 last_holds.
have gain0 : 0 <= x * (piece_need last * ((q - 1) * height_end)).
  by apply: Rmult_le_pos x0 _; apply: Rmult_le_pos need0 _; apply: Rmult_le_pos; lra.
have := Rmult_le_compat_r _ _ _ gain0 (ltac:(have := Rmult_le_compat_r _ _ _ G_ge0 rho; lra) :
  gamma - piece_ratio last * G <= gamma - last_outside y * G).
rewrite xE; lra.
Qed.

Lemma pieces_growth y h : Y 0 <= y -> 0 <= h <= eta ->
  piece_need (D (piece_of y)) * ((q - 1) * abs_power (ray_height y) (q - 2)) * h <=
  A (ray_height y + h) - A (ray_height y).
Proof.
move=> le [h0 he]; have [kK [lo hi]] := piece_ofP le; have z0 := height_ahead le.
set z := ray_height y in z0 *; set s := piece_need _; have s0 : 0 <= s := steps_need_ge0 (steps kK).
have tangent := @power_tangent (z + h) z (q - 1) ltac:(lra) z0 ltac:(lra).
have E1 : (q - 1) * abs_power z (q - 1) / z = (q - 1) * abs_power z (q - 2).
  have -> : abs_power z (q - 1) = abs_power z (q - 2) * z; last by field; lra.
  by rewrite -{3}(abs_power1 (Rlt_le _ _ z0)) abs_power_plus //; congr abs_power; ring.
rewrite E1 in tangent.
have -> : s * ((q - 1) * abs_power z (q - 2)) * h = s * ((q - 1) * abs_power z (q - 2) * h) by ring.
apply: (Rle_trans _ (s * (abs_power (z + h) (q - 1) - abs_power z (q - 1)))).
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

(* T17's conditions at all points, from those of the pieces. *)
Theorem pieces_conditions : mirror_conditions Q Delta p q u v gamma mu b f low pieces_bounds
  (normalised_fits Q Delta q b eta) (mirror p (ray (Y 0))).
Proof.
split; first exact: pieces_shape.
- split=> /=; [by right | by [] |].
  rewrite (mirror_gap_self p1 conj); exact: (allowance_ge0 (Rle_refl _)).
- exact: pieces_costs.
- move=> y z tau at_y; exact: (normalised_rise p1 conj dir).
- move=> y le; have [kK _] := piece_ofP le; apply: Rmult_le_pos; first exact: steps_need_ge0 (steps kK).
  by apply: Rmult_le_pos; [lra | exact: abs_power_ge0].
- by move=> y h; exact: pieces_growth.
exact: pieces_hold.
Qed.

(* What the conclusions need: the largest slope, and the speed with the largest ratio. *)
Lemma pieces_allowance_le M h : (forall k, (k <= K)%nat -> m k <= M) -> ray_height (Y 0) <= h ->
  mirror_allowance pieces_bounds h <= M * abs_power h (q - 1).
Proof.
move=> flatter h0; have x0 : X 0 <= abs_power h (q - 1) by apply: X_le; lra.
have := rise_flat X_rises x0 flatter.
have M0 : 0 <= M by have := flatter 0%nat (leq0n K); have := slopes (leq0n K); lra.
by rewrite /= /allowance; have := Rmult_le_pos _ _ M0 (abs_power_ge0 (ray_height (Y 0)) (q - 1));
  rewrite /height_power; lra.
Qed.

Lemma pieces_speed rho speed y : (forall k, (k <= K)%nat -> piece_ratio (D k) <= rho) -> 0 <= speed ->
  speed * (longest * (1 + rho)) <= gamma - rho * G -> Y 0 <= y ->
  speed * (longest * (1 + mirror_ratio pieces_bounds y)) <= gamma - mirror_ratio pieces_bounds y * G.
Proof.
move=> most s0 fast le; have [kK _] := piece_ofP le.
have ratio_le : pieces_ratio y <= rho.
  rewrite /pieces_ratio; case: ifPn => [lt | nlt]; first exact: most.
  by have [_ far] := not_last le nlt; apply: Rle_trans (last_outside_le far) (most K (leqnn K)).
rewrite /=; have := Rmult_le_compat_r _ _ _ G_ge0 ratio_le.
have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ s0 longest0) ratio_le; lra.
Qed.
End Pieces.
