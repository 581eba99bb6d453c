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
