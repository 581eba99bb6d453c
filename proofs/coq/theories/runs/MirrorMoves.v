(* MirrorMoves: what T17's region asks of the points in it, from bounds of one entry at a time (MIRROR.md sections 4
   and 6): how far a functional moves while the gap to the ray is bounded, and what a step's own curvature costs. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity Mirror PowerGap
                           MirrorRay.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma divergence_sum (J : finType) q (z z' : vec J) :
  dual_divergence q (mirror q z) z z' = \sum_j power_gap q (z j) (z' j).
Proof. by rewrite /dual_divergence /potential /lp_sum /Rdiv !sum_mulr /dot -!sumB; apply: eq_bigr. Qed.

Section Moves.
Variables (J : finType) (p q : R).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1).
Implicit Types z v : vec J.
Notation gap := (mirror_gap p q).
Let q1 : 1 < q := conjugate_gt1 p1 conj.

Lemma mirror_gap_sum (a w : vec J) : gap a (mirror p w) = \sum_j power_gap p (w j) (a j).
Proof.
rewrite -divergence_sum /dual_divergence dotBr; have := mirror_gap_self p1 conj w.
by rewrite /mirror_gap; lra.
Qed.

(* (1) of MIRROR.md: lambda of the gap, and for each entry what it may move beyond lambda of its own. *)
Theorem moves_by_entry (h a w : vec J) lambda E (s : J -> R) : 0 <= lambda -> gap a (mirror p w) <= E ->
  (forall j, h j * (w j - a j) <= lambda * power_gap p (w j) (a j) + s j) ->
  dot h (w - a)%V <= lambda * E + \sum_j s j.
Proof.
move=> l0 HE entry; have lE := Rmult_le_compat_l _ _ _ l0 HE; rewrite mirror_gap_sum sum_mull in lE.
apply: (Rle_trans _ (\sum_j (lambda * power_gap p (w j) (a j) + s j))); last by rewrite sumD; lra.
by apply: sum_le => j _; exact: entry.
Qed.

(* p <= 2: the least gap at distance x from an entry of size at most alpha. *)
Lemma entry_move_below_two (h a w : R) alpha lambda s : p <= 2 -> Rabs a <= alpha -> 0 < alpha -> 0 <= lambda ->
  (forall x, 0 <= x -> Rabs h * x <= lambda * ((p - 1) * abs_power (alpha + x) (p - 2) / 2 * (x * x)) + s) ->
  h * (w - a) <= lambda * power_gap p w a + s.
Proof.
move=> p2 aa alpha0 l0 H; have x0 := Rabs_pos (w - a); have := H _ x0.
have tri : Rabs w <= alpha + Rabs (w - a) by have := Rabs_triang (w - a) a; have -> : w - a + a = w by [ring]; lra.
have := @power_gap_quadratic_below p p1 w a (alpha + Rabs (w - a)) p2 tri ltac:(lra) ltac:(lra).
have -> : (a - w) * (a - w) = Rabs (w - a) * Rabs (w - a).
  by rewrite -Rabs_mult Rabs_pos_eq; [ring | exact: Rle_0_sqr].
move=> gap_ge; have := Rmult_le_compat_l _ _ _ l0 gap_ge.
by have := Rle_abs (h * (w - a)); rewrite Rabs_mult; lra.
Qed.

(* p >= 2: Young's inequality gives the supremum. *)
Lemma entry_move_above_two (h a w lambda : R) : 2 <= p -> 0 < lambda ->
  h * (w - a) <= lambda * power_gap p w a +
    abs_power h q / q * abs_power (lambda * abs_power 2 (2 - p)) (1 - q).
Proof.
move=> p2 l0; have two := abs_power_gt0 (2 - p) (ltac:(lra) : 2 <> 0); set c := lambda * abs_power 2 (2 - p).
have c0 : 0 < c by exact: Rmult_lt_0_compat.
have low := Rmult_le_compat_l _ _ _ (Rlt_le _ _ l0) (@power_gap_below p p1 w a p2).
rewrite -Rmult_assoc -/c in low; pose k := abs_power c (/ p); have k0 : 0 < k by apply: abs_power_gt0; lra.
have := young (h / k) (k * (w - a)) p1 conj.
have -> : h / k * (k * (w - a)) = h * (w - a) by field; lra.
have kp : abs_power k p = c by rewrite /k abs_power_comp Rinv_l ?abs_power1; lra.
have ik : abs_power (/ k) q = abs_power c (1 - q).
  rewrite /k !abs_power_pos ?(abs_power_pos _ (Rinv_0_lt_compat _ _)) //; try exact: exp_pos.
    rewrite -Rpower_Ropp Rpower_mult; congr Rpower.
    have -> : - / p * q = (/ q - 1) * q by rewrite -conj; ring.
    by field; lra.
  by apply: Rinv_0_lt_compat; exact: exp_pos.
have sym : abs_power (w - a) p = abs_power (a - w) p by rewrite -abs_power_abs Rabs_minus_sym abs_power_abs.
clearbody k c; rewrite /Rdiv in low *.
by rewrite !abs_power_mult kp ik sym; lra.
Qed.

(* ---- a step's own curvature ---- *)

Theorem curvature_below_two z v : q <= 2 ->
  dual_divergence q (mirror q z) z (z + v)%V <= abs_power 2 (2 - q) / q * lp_sum q v.
Proof.
move=> q2; rewrite divergence_sum sum_mull; apply: sum_le => j _.
have := @power_gap_above q q1 (z j) ((z + v)%V j) q2; rewrite /vadd.
by have -> : z j + v j - z j = v j by [ring]; rewrite /Rdiv; lra.
Qed.

Theorem curvature_above_two z v : 2 <= q -> dual_divergence q (mirror q z) z (z + v)%V <=
  (q - 1) / 2 * \sum_j abs_power (Rabs (z j) + Rabs (v j)) (q - 2) * (v j * v j).
Proof.
move=> q2; rewrite divergence_sum sum_mull; apply: sum_le => j _; rewrite /vadd.
case: (Req_EM_T (v j) 0) => [-> | ne].
  by rewrite Rplus_0_r /power_gap; lra.
have v0 := Rabs_pos_lt _ ne; have z0 := Rabs_pos (z j); have tri := Rabs_triang (z j) (v j).
have := @power_gap_quadratic_above q q1 (z j) (z j + v j) (Rabs (z j) + Rabs (v j)) q2 ltac:(lra) tri ltac:(lra).
by have -> : z j + v j - z j = v j by [ring]; lra.
Qed.

(* A normalised step is short, so its curvature is a multiple of its length. *)
Corollary curvature_short z v h : q <= 2 -> lp_norm q v <= h ->
  dual_divergence q (mirror q z) z (z + v)%V <= abs_power 2 (2 - q) / q * abs_power h (q - 1) * lp_norm q v.
Proof.
move=> q2 vh; apply: Rle_trans (curvature_below_two z v q2) _; rewrite Rmult_assoc; apply: Rmult_le_compat_l.
  by apply: Rmult_le_pos (abs_power_ge0 _ _) _; apply/Rlt_le/Rinv_0_lt_compat; lra.
have n0 := lp_norm_ge0 q v; rewrite -(lp_norm_power v); last by lra.
case: (Req_EM_T (lp_norm q v) 0) => [-> | ne]; first by rewrite abs_power0; lra.
rewrite -(abs_power_step q ne) (Rabs_pos_eq _ n0); apply: Rmult_le_compat_r => //.
by apply: abs_power_le; lra.
Qed.

(* Hoelder's inequality for three factors, by the tangent of a power. *)
Lemma power_young x y : 2 <= q -> 0 <= x -> 0 <= y ->
  abs_power x (q - 2) * (y * y) <= ((q - 2) * abs_power x q + 2 * abs_power y q) / q.
Proof.
move=> q2 x0 y0; have yq := abs_power_ge0 y q; case: (Req_EM_T x 0) => [-> | ne].
  by rewrite !abs_power0 Rmult_0_l; apply: Rmult_le_pos; [lra | apply/Rlt_le/Rinv_0_lt_compat; lra].
have t0 : 0 <= y / x by apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
have := @bernoulli_convex (y / x * (y / x)) (q / 2) ltac:(nra) ltac:(lra); rewrite abs_power_square.
move/(Rmult_le_compat_l _ _ _ (abs_power_ge0 x q)); rewrite -abs_power_mult.
have -> : x * (y / x) = y by field.
have E : abs_power x q = abs_power x (q - 2) * (x * x).
  by rewrite !abs_power_pos -?abs_power2 ?abs_power_pos -?Rpower_plus; try lra; congr Rpower; ring.
have -> : abs_power x q * (1 + q / 2 * (y / x * (y / x) - 1)) =
    (1 - q / 2) * abs_power x q + q / 2 * (abs_power x (q - 2) * (y * y)) by rewrite E; field.
move=> H; apply: (Rmult_le_reg_l q); first by lra.
have -> : q * (((q - 2) * abs_power x q + 2 * abs_power y q) / q) = (q - 2) * abs_power x q + 2 * abs_power y q.
  by field; lra.
lra.
Qed.

Lemma power_hoelder (x v : vec J) : 2 <= q -> (forall j, 0 <= x j) -> 0 < lp_norm q x -> 0 < lp_norm q v ->
  \sum_j abs_power (x j) (q - 2) * (v j * v j) <=
  abs_power (lp_norm q x) (q - 2) * (lp_norm q v * lp_norm q v).
Proof.
move=> q2 x0 A0 B0; set A := lp_norm q x in A0 *; set B := lp_norm q v in B0 *.
have one : \sum_j abs_power (/ A * x j) (q - 2) * (/ B * Rabs (v j) * (/ B * Rabs (v j))) <= 1.
  apply: (Rle_trans _ (\sum_j ((q - 2) / q * abs_power (/ A * x j) q + 2 / q * abs_power (/ B * v j) q))).
    apply: sum_le => j _; have iA := Rlt_le _ _ (Rinv_0_lt_compat _ A0); have iB := Rlt_le _ _ (Rinv_0_lt_compat _ B0).
    have := power_young q2 (Rmult_le_pos _ _ iA (x0 j)) (Rmult_le_pos _ _ iB (Rabs_pos (v j))).
    rewrite (abs_power_mult (/ B) (Rabs _)) abs_power_abs -abs_power_mult => H; apply: Rle_trans H _.
    by right; field; lra.
  rewrite sumD -!sum_mull; have q0 : 0 < q by lra.
  have := lp_unit_sum q0 A0; have := lp_unit_sum q0 B0; rewrite /lp_sum /vscale -/A -/B => -> ->.
  by right; field; lra.
have P0 : 0 <= abs_power A (q - 2) * (B * B) by apply: Rmult_le_pos (abs_power_ge0 _ _) (Rle_0_sqr B).
have := Rmult_le_compat_l _ _ _ P0 one; rewrite Rmult_1_r sum_mull; apply: Rle_trans; right; apply: eq_bigr => j _.
have -> : x j = A * (/ A * x j) by field; lra.
rewrite abs_power_mult; have -> : v j * v j = Rabs (v j) * Rabs (v j).
  by rewrite -Rabs_mult Rabs_pos_eq //; exact: Rle_0_sqr.
have -> : / A * (A * (/ A * x j)) = / A * x j by field; lra.
by field; lra.
Qed.

Lemma lp_norm_sizes z v : lp_norm q (fun j => Rabs (z j) + Rabs (v j)) <= lp_norm q z + lp_norm q v.
Proof.
pose part (side : bool) : vec J := fun j => if side then Rabs (z j) else Rabs (v j).
have size (w : vec J) : lp_norm q (fun j => Rabs (w j)) = lp_norm q w.
  by rewrite /lp_norm /lp_sum; congr abs_power; apply: eq_bigr => j _; exact: abs_power_abs.
have := lp_norm_combine p1 conj predT (fun=> 1) part; rewrite big_bool /= Rabs_R1 !Rmult_1_l !size.
suff -> : combine predT (fun=> 1) part = fun j => Rabs (z j) + Rabs (v j) by [].
by apply: vec_ext => j; rewrite /combine big_bool /part /=; ring.
Qed.

Corollary curvature_norm z v : 2 <= q -> 0 < lp_norm q v -> dual_divergence q (mirror q z) z (z + v)%V <=
  (q - 1) / 2 * (abs_power (lp_norm q z + lp_norm q v) (q - 2) * (lp_norm q v * lp_norm q v)).
Proof.
move=> q2 v0; apply: Rle_trans (curvature_above_two z v q2) _; apply: Rmult_le_compat_l; first by lra.
set x := fun j => Rabs (z j) + Rabs (v j).
have x0 j : 0 <= x j by have := Rabs_pos (z j); have := Rabs_pos (v j); rewrite /x; lra.
have xv : lp_norm q v <= lp_norm q x.
  apply: abs_power_le; first by apply/Rlt_le/Rinv_0_lt_compat; lra.
  split; first exact: lp_sum_ge0.
  apply: sum_le => j _; rewrite -(abs_power_abs (v j)); apply: abs_power_le; first by lra.
  by have := Rabs_pos (z j); have := Rabs_pos (v j); rewrite /x; lra.
have nx : 0 < lp_norm q x by lra.
apply: Rle_trans (power_hoelder q2 x0 nx v0) _; apply: Rmult_le_compat_r; first exact: Rle_0_sqr.
by apply: abs_power_le; [lra | split; [lra | exact: lp_norm_sizes]].
Qed.

(* ---- what the centre costs ---- *)

Theorem centre_cost_below_two (u v : vec J) y : p <= 2 ->
  centre_cost p q u v y <= 2 * (abs_power 2 (2 - p) / p * lp_sum p v).
Proof.
move=> p2; rewrite /centre_cost !mirror_gap_sum.
have part (a : vec J) : (forall j, abs_power (a j - ray u v y j) p = abs_power (v j) p) ->
    \sum_j power_gap p (ray u v y j) (a j) <= abs_power 2 (2 - p) / p * lp_sum p v.
  move=> E; rewrite sum_mull; apply: sum_le => j _; rewrite -E.
  by have := @power_gap_above p p1 (ray u v y j) (a j) p2; rewrite /Rdiv; lra.
have h1 := part (y * u)%V; have h2 := part (y * u + 2 * v)%V.
suff : \sum_j power_gap p (ray u v y j) ((y * u)%V j) <= abs_power 2 (2 - p) / p * lp_sum p v /\
    \sum_j power_gap p (ray u v y j) ((y * u + 2 * v)%V j) <= abs_power 2 (2 - p) / p * lp_sum p v by lra.
split; [apply: h1 | apply: h2] => j; rewrite /ray /vadd /vscale.
  have -> : y * u j - (y * u j + v j) = - v j by ring.
  by rewrite -abs_power_abs Rabs_Ropp abs_power_abs.
by congr abs_power; ring.
Qed.
End Moves.
