(* ShortestVector: a feasible margin problem has one and only one shortest vector in the l_p norm, p > 1.

   Built coordinate by coordinate from least upper bounds like the point of LeastNorm.v: vectors that are nearly as
   short as can be are near each other (UniformConvexity.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* w is feasible and no feasible vector has a smaller norm. *)
Definition shortest (J I : finType) (P : pred I) (D : I -> vec J) (h : I -> R) (norm : vec J -> R) (w : vec J) : Prop :=
  rows_hold P D h w /\ forall v, rows_hold P D h v -> norm w <= norm v.

Section Shortest.
Variables (J I : finType) (P : pred I) (D : I -> vec J) (h : I -> R) (p : R).
Hypothesis p1 : 1 < p.
Notation K := (rows_hold P D h).
Notation S := (@lp_sum J p).

Lemma midpoint_holds u v : K u -> K v -> K (midpoint u v).
Proof.
by move=> Ku Kv c Pc; have := Ku c Pc; have := Kv c Pc; rewrite /midpoint dotZr dotDr; lra.
Qed.

Lemma entry_le_sum w j : abs_power (w j) p <= S w.
Proof. by apply: (@sum_term_le _ xpredT (fun i => abs_power (w i) p)) => // i _; exact: abs_power_ge0. Qed.

(* A bound of a power bounds the number. *)
Lemma below_power x b : 0 <= b -> abs_power x p <= abs_power b p -> Rabs x <= b.
Proof.
move=> b0 H; have p0 : p <> 0 by lra.
rewrite -(abs_power_inverse b0 p0) -[X in X <= _](abs_power_inverse (Rabs_pos x) p0) abs_power_abs.
by apply: abs_power_le; [apply: Rlt_le; apply: Rinv_0_lt_compat; lra | split=> //; exact: abs_power_ge0].
Qed.

(* ---- vectors that are nearly as short as can be ---- *)

Section Near.
Variable low : R.
Hypotheses (low0 : 0 <= low) (low_le : forall u, K u -> low <= S u).

Lemma near_above_two u v d : 2 <= p -> K u -> K v -> S u <= low + d -> S v <= low + d -> S (half_difference u v) <= d.
Proof.
by move=> p2 Ku Kv Hu Hv; have := clarkson_norms u v p2; have := low_le (midpoint_holds Ku Kv); lra.
Qed.

Lemma near_below_two u v d : p <= 2 -> 0 < d <= 1 -> K u -> K v -> S u <= low + d -> S v <= low + d ->
  (p - 1) * (lp_norm p (half_difference u v) * lp_norm p (half_difference u v)) <=
  2 / p * (abs_power (low + 1) (2 / p) / (low + 1)) * d.
Proof.
move=> p2 [d0 d1] Ku Kv Hu Hv; have m1 : 1 <= 2 / p.
  by apply: (Rmult_le_reg_r p); [lra | rewrite /Rdiv Rmult_assoc Rinv_l; lra].
have square w : lp_norm p w * lp_norm p w = abs_power (S w) (2 / p).
  by rewrite -abs_power2 /lp_norm abs_power_comp; congr abs_power; field; lra.
have := squares_convex u v (conj p1 p2); rewrite !square.
have below w : S w <= low + d -> abs_power (S w) (2 / p) <= abs_power (low + d) (2 / p).
  by move=> H; apply: abs_power_le; [lra | split=> //; exact: lp_sum_ge0].
have mid : abs_power low (2 / p) <= abs_power (S (midpoint u v)) (2 / p).
  by apply: abs_power_le; [lra | split=> //; exact: low_le (midpoint_holds Ku Kv)].
have := below _ Hu; have := below _ Hv; have ld : 0 < low + d by lra.
have := power_tangent low0 ld m1.
have -> : low - (low + d) = - d by ring.
suff : abs_power (low + d) (2 / p) / (low + d) <= abs_power (low + 1) (2 / p) / (low + 1).
  move=> slope; have := Rmult_le_compat_r d _ _ (Rlt_le _ _ d0) (Rmult_le_compat_l (2 / p) _ _ _ slope).
  rewrite /Rdiv in m1 *; lra.
have lower x : 0 < x -> abs_power x (2 / p) / x = abs_power x (2 / p - 1).
  by move=> x0; rewrite !abs_power_pos // /Rminus Rpower_plus Rpower_Ropp Rpower_1.
by rewrite !lower; try lra; apply: abs_power_le; lra.
Qed.

Lemma near_close eta : 0 < eta -> exists d, 0 < d /\ forall u v, K u -> K v -> S u <= low + d -> S v <= low + d ->
  forall j, Rabs (u j - v j) <= eta.
Proof.
move=> eta0.
have half_le (u v : vec J) j b : Rabs (half_difference u v j) <= b -> 2 * b <= eta -> Rabs (u j - v j) <= eta.
  by rewrite /half_difference /vscale /vsub Rabs_mult (Rabs_pos_eq (1 / 2)); lra.
case: (Rle_lt_dec 2 p) => [p2 | p2].
  exists (abs_power (eta / 2) p); split; first by apply: abs_power_gt0; lra.
  move=> u v Ku Kv Hu Hv j; apply: (half_le _ _ _ (eta / 2)); last by lra.
  apply: below_power; first by lra.
  exact: Rle_trans (entry_le_sum _ j) (near_above_two p2 Ku Kv Hu Hv).
have m1 : 0 < 2 / p by apply: Rdiv_lt_0_compat; lra.
have a0 : 0 < abs_power (low + 1) (2 / p) / (low + 1).
  by apply: Rdiv_lt_0_compat; [apply: abs_power_gt0 |]; lra.
pose c := 2 / p * (abs_power (low + 1) (2 / p) / (low + 1)); have c0 : 0 < c by apply: Rmult_lt_0_compat.
pose goal := (p - 1) * ((eta / 2) * (eta / 2)); have goal0 : 0 < goal by repeat apply: Rmult_lt_0_compat; lra.
exists (Rmin 1 (goal / c)); split; first by apply: Rmin_pos; [lra | exact: Rdiv_lt_0_compat].
have d0 : 0 < Rmin 1 (goal / c) <= 1.
  by split; [apply: Rmin_pos; [lra | exact: Rdiv_lt_0_compat] | exact: Rmin_l].
move=> u v Ku Kv Hu Hv j; apply: (half_le _ _ _ (eta / 2)); last by lra.
have := near_below_two (Rlt_le _ _ p2) d0 Ku Kv Hu Hv; rewrite -/c; set n := lp_norm p _ => near.
have n0 : 0 <= n := lp_norm_ge0 p _.
have {near} : (p - 1) * (n * n) <= goal.
  apply: Rle_trans near _; apply: (Rle_trans _ (c * (goal / c))); last by right; field; lra.
  by apply: Rmult_le_compat_l; [lra | exact: Rmin_r].
move/(Rmult_le_reg_l _ _ _ (Rlt_Rminus _ _ p1)) => nn; apply: (Rle_trans _ n).
  apply: below_power => //; rewrite lp_norm_power; last by lra.
  exact: entry_le_sum.
apply: Rnot_lt_le => lt; have h0 : 0 <= eta / 2 by lra.
by have := Rmult_le_0_lt_compat _ _ _ _ h0 h0 lt lt; lra.
Qed.
End Near.

(* Two shortest vectors are near each other at any scale. *)
Theorem shortest_unique z z' : shortest P D h (@lp_norm J p) z -> shortest P D h (@lp_norm J p) z' -> z' = z.
Proof.
move=> [Kz least] [Kz' least']; have p0 : 0 < p by lra.
have low_le u : K u -> S z <= S u by move=> Ku; exact: lp_norm_le_sum p0 (least u Ku).
have le_z : S z' <= S z by exact: lp_norm_le_sum p0 (least' z Kz).
apply: vec_ext => j; suff : Rabs (z' j - z j) <= 0.
  by move=> H; have : Rabs (z' j - z j) = 0; [have := Rabs_pos (z' j - z j) | move/Rabs_eq_0]; lra.
apply: le_epsilon => eps eps0; rewrite Rplus_0_l.
have [d [d0 close]] := near_close (lp_sum_ge0 p z) low_le eps0.
by apply: close => //; lra.
Qed.

(* ---- the shortest one ---- *)

Hypothesis feasible : exists w, K w.

Lemma infimum_exists : exists low, 0 <= low /\ (forall u, K u -> low <= S u) /\
  forall d, 0 < d -> exists u, K u /\ S u <= low + d.
Proof.
pose E x := exists u, K u /\ x = - S u.
have E0 : bound E by exists 0 => x [u [_ ->]]; have := lp_sum_ge0 p u; lra.
have [u1 Ku1] := feasible; have [|m [ub least]] := completeness E E0; first by exists (- S u1); exists u1.
have low u : K u -> - m <= S u by move=> Ku; have : E (- S u) by [exists u]; move/ub; lra.
exists (- m); split; last split=> // d d0.
  by have : m <= 0; [apply: least => x [u [_ ->]]; have := lp_sum_ge0 p u | ]; lra.
apply: Classical_Prop.NNPP => none; have : m <= m - d; last by lra.
by apply: least => x [u [Ku ->]]; apply: Rnot_lt_le => lt; apply: none; exists u; split=> //; lra.
Qed.

(* The sum is lower semicontinuous. *)
Lemma sum_near z : exists c, 0 <= c /\
  forall eta u, 0 <= eta -> (forall j, Rabs (u j - z j) <= eta) -> S z <= S u + c * eta.
Proof.
pose c j := p * abs_power (z j) p / Rabs (z j).
have c0 j : 0 <= c j.
  rewrite /c; case: (Req_EM_T (z j) 0) => [-> | ne].
    by rewrite abs_power0 Rmult_0_r /Rdiv Rmult_0_l; exact: Rle_refl.
  apply: Rmult_le_pos; last by apply: Rlt_le; apply: Rinv_0_lt_compat; exact: Rabs_pos_lt.
  by apply: Rmult_le_pos (abs_power_ge0 _ _); lra.
exists (\sum_j c j); split=> [|eta u eta0 near]; first by apply: sum_ge0 => j _.
rewrite sum_mulr /lp_sum -sumD; apply: sum_le => j _.
have := near j; have := Rabs_triang_inv (z j) (u j); rewrite (Rabs_minus_sym (z j)) => tri nj.
case: (Req_EM_T (z j) 0) => [E | ne].
  by rewrite E abs_power0; have := Rmult_le_pos _ _ (c0 j) eta0; have := abs_power_ge0 (u j) p; lra.
have := power_tangent (Rabs_pos (u j)) (Rabs_pos_lt _ ne) (Rlt_le _ _ p1); rewrite !abs_power_abs -/(c j) => tangent.
have : c j * (Rabs (z j) - Rabs (u j)) <= c j * eta by apply: Rmult_le_compat_l (c0 j) _; lra.
lra.
Qed.

Lemma holds_near z : (forall eta, 0 < eta -> exists u, K u /\ forall j, Rabs (u j - z j) <= eta) -> K z.
Proof.
move=> H c Pc; apply: le_epsilon => eps eps0.
have n0 : 0 <= sum_norm (D c) by apply: sum_ge0 => j _; exact: Rabs_pos.
have [|u [Ku near]] := H (eps / (1 + sum_norm (D c))); first by apply: Rdiv_lt_0_compat; lra.
apply: Rle_trans (Ku c Pc) _; suff : dot (D c) (u - z)%V <= eps by rewrite dotBr; lra.
set eta := eps / _ in near; have eta0 : 0 < eta by apply: Rdiv_lt_0_compat; lra.
apply: (Rle_trans _ (sum_norm (D c) * eta)); last first.
  have E : (1 + sum_norm (D c)) * eta = eps by rewrite /eta; field; lra.
  lra.
rewrite /sum_norm sum_mulr; apply: sum_le => j _; apply: Rle_trans (Rle_abs _) _.
by rewrite Rabs_mult; apply: Rmult_le_compat_l; [exact: Rabs_pos | exact: near].
Qed.

Theorem shortest_exists : exists z, shortest P D h (@lp_norm J p) z.
Proof.
have [low [low0 [low_le near_ex]]] := infimum_exists.
pose near d u := K u /\ S u <= low + d.
have near_mono d d' u : d <= d' -> near d u -> near d' u by move=> dd [Ku Hu]; split=> //; lra.
pose lower j x := exists d, 0 < d /\ forall v, near d v -> x <= v j.
(* every eta has a d whose near vectors are within eta of what is to be the shortest *)
have within eta : 0 < eta -> exists d, 0 < d /\ forall u, near d u -> forall j,
    lower j (u j - eta) /\ forall x, lower j x -> x <= u j + eta.
  move=> eta0; have [d [d0 close]] := near_close low0 low_le eta0; exists d; split=> // u [Ku Hu] j; split.
    exists d; split=> // v [Kv Hv]; have := close u v Ku Kv Hu Hv j; move/Rabs_le_between; lra.
  move=> x [d' [d'0 Hx]]; have m0 : 0 < Rmin d d' by apply: Rmin_pos.
  have [v [Kv Hv]] := near_ex _ m0; have := Hx v (near_mono _ _ _ (Rmin_r d d') (conj Kv Hv)).
  have Hv' : S v <= low + d by have := Rmin_l d d'; lra.
  by have := close u v Ku Kv Hu Hv' j; move/Rabs_le_between; lra.
have [d1 [d10 within1]] := within 1 Rlt_0_1; have [u1 N1] := near_ex _ d10.
have lower_bound j : bound (lower j) by exists (u1 j + 1) => x; exact: (proj2 (within1 u1 N1 j)).
have lower_ex j : exists x, lower j x by exists (u1 j - 1); exact: (proj1 (within1 u1 N1 j)).
pose z : vec J := fun j => proj1_sig (completeness (lower j) (lower_bound j) (lower_ex j)).
have zP j : is_lub (lower j) (z j) by rewrite /z; case: completeness.
have z_near eta : 0 < eta -> exists d, 0 < d /\ forall u, near d u -> forall j, Rabs (u j - z j) <= eta.
  move=> eta0; have [d [d0 H]] := within _ eta0; exists d; split=> // u Nu j.
  have [lo hi] := H u Nu j; have [ub least] := zP j.
  by apply: Rabs_le; have := ub _ lo; have := least _ hi; lra.
have Kz : K z.
  apply: holds_near => eta eta0; have [d [d0 H]] := z_near _ eta0; have [u Nu] := near_ex _ d0.
  by exists u; split; [case: Nu | exact: H].
have Sz : S z <= low.
  have [c [c0 Hc]] := sum_near z; apply: le_epsilon => eps eps0.
  have eta0 : 0 < eps / 2 / (1 + c) by apply: Rdiv_lt_0_compat; lra.
  have [d [d0 H]] := z_near _ eta0; have m0 : 0 < Rmin d (eps / 2) by apply: Rmin_pos; lra.
  have [u [Ku Hu]] := near_ex _ m0.
  have Nu : near d u by split=> //; have := Rmin_l d (eps / 2); lra.
  have := Hc _ u (Rlt_le _ _ eta0) (H u Nu); set eta := eps / 2 / (1 + c) in eta0 *.
  have E : (1 + c) * eta = eps / 2 by rewrite /eta; field; lra.
  by have := Rmin_r d (eps / 2); lra.
exists z; split=> // v Kv; apply: abs_power_le; first by apply: Rlt_le; apply: Rinv_0_lt_compat; lra.
by split; [exact: lp_sum_ge0 | apply: Rle_trans Sz (low_le v Kv)].
Qed.
End Shortest.
