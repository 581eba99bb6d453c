(* MirrorDirection: the direction of a shortest solution in l_p, p > 1, is balanced by weights mu on the constraints
   that are tight, and mu is near any vector that balances it nearly, where the tight constraints' Gram matrix is
   positive (MIRROR.md sections 1 and 11). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity ShortestVector
                           Farkas Enclosure Direction Mirror PowerGap MirrorRay MirrorMoves MirrorEntries MirrorRegion.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Shortest.
Variables (J I : finType) (P : pred I) (D : I -> vec J) (p q : R) (w : vec J).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1).
Hypothesis solves : shortest P D (fun=> 1) (@lp_norm J p) w.

(* Where a step keeps the constraints, the potential does not fall along it. *)
Lemma shortest_ahead x s : 0 < s -> (forall s', 0 < s' <= s -> rows_hold P D (fun=> 1) (w + s' * x)%V) ->
  0 <= dot (mirror p w) x.
Proof.
move=> s0 hold.
have ahead s' : 0 < s' <= s -> 0 <= dot (mirror p (ray x w s')) x.
  move=> s's; have le := proj2 solves _ (hold s' s's).
  have sums : lp_sum p w <= lp_sum p (w + s' * x)%V by apply: lp_norm_le_sum le; lra.
  have E : (w + s' * x)%V = ray x w s' by rewrite /ray; vec_ring.
  rewrite E in sums; have := mirror_gap_ge0 p1 conj w (mirror p (ray x w s')).
  have := mirror_gap_self p1 conj (ray x w s'); rewrite /mirror_gap /potential.
  have -> : dot (mirror p (ray x w s')) (ray x w s') =
    s' * dot (mirror p (ray x w s')) x + dot (mirror p (ray x w s')) w by rewrite {2}/ray dotDr dotZr.
  have := Rmult_le_compat_r (/ p) _ _ ltac:(apply/Rlt_le/Rinv_0_lt_compat; lra) sums; rewrite /Rdiv => le' self low.
  by apply: (Rmult_le_reg_l s'); lra.
apply: Rnot_lt_le => neg; have cont := @ray_height_continuous J p x w p1 0.
have at0 : ray_height p x w 0 = dot (mirror p w) x.
  by rewrite /ray_height; congr (dot (mirror p _) x); rewrite /ray; vec_ring.
have [d [d0 H]] := cont (- dot (mirror p w) x) ltac:(lra).
pose t := Rmin s (d / 2); have t0 : 0 < t by apply: Rmin_pos; lra.
have td : t <= d / 2 := Rmin_r _ _; have ts : t <= s := Rmin_l _ _.
have := H t; rewrite /= /R_dist Rminus_0_r at0 => near.
have := ahead t (Logic.conj t0 ts); rewrite -/(ray_height p x w t).
have : Rabs (ray_height p x w t - dot (mirror p w) x) < - dot (mirror p w) x.
  by apply: near; split; [split; [by [] | lra] | rewrite Rabs_pos_eq; lra].
by move/Rabs_lt_between; lra.
Qed.

(* Multipliers exist. *)
Theorem shortest_multipliers : exists lam : I -> R, [/\ forall c, 0 <= lam c, mirror p w = combine P lam D &
  forall c, P c -> lam c * (dot (D c) w - 1) = 0].
Proof.
have Hw := proj1 solves.
pose tight c := P c && Req_EM_T (dot (D c) w) 1; pose loose c := P c && ~~ Req_EM_T (dot (D c) w) 1.
have tightP c : tight c -> dot (D c) w = 1 by case/andP=> _; case: Req_EM_T.
have [x Hx | lam [l0 E]] := farkas (P := tight) (a := fun c => (- D c)%V) (b := (- mirror p w)%V) _.
  rewrite dotNl; suff : 0 <= dot (mirror p w) x by lra.
  have [c | s [s0 Hs]] := @common_step I loose (fun c => dot (D c) w - 1) (fun c => dot (D c) x) _.
    by case/andP=> Pc; have := Hw c Pc; case: Req_EM_T => //= ne [] //; lra.
  apply: (shortest_ahead s0) => s' [s0' s's] c Pc; rewrite dotDr dotZr; case T: (tight c).
    by have := Hx c T; rewrite dotNl (tightP c T) => H; nra.
  have L : loose c by move: T; rewrite /tight /loose Pc /= => ->.
  have := Hs c L; have a0 := Rabs_pos (dot (D c) x); have := Rmult_le_compat_r _ _ _ a0 s's.
  by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ s0') (Rabs_maj2 (dot (D c) x)); lra.
exists (fun c => if tight c then lam c else 0); split=> [c | | c Pc].
- by case: ifP => _; [apply: l0 | lra].
- have -> : mirror p w = (- - mirror p w)%V by vec_ring.
  rewrite E; apply: vec_ext => j; rewrite /combine /vopp -sumN /tight big_mkcondr /=.
  by apply: eq_bigr => c Pc; rewrite Pc /=; case: Req_EM_T => _ /=; ring.
- case T: (tight c); last by rewrite Rmult_0_l.
  by rewrite (tightP c T) Rminus_diag_eq // Rmult_0_r.
Qed.

Hypothesis some : exists c, P c.

Lemma shortest_norm_gt0 : 0 < lp_norm p w.
Proof.
have [c Pc] := some; case: (lp_norm_ge0 p w) => // E; have := proj1 solves c Pc.
have w0 j : w j = 0.
  apply: (@abs_power_eq0 _ p); apply: Rle_antisym (abs_power_ge0 _ _); apply: Rle_trans (entry_le_sum p w j) _.
  by rewrite -lp_norm_power -?E ?abs_power0; lra.
have -> : dot (D c) w = 0 by apply: sum0 => j _; rewrite w0; ring.
lra.
Qed.

(* The unit vector along w; its margin is one over the length of w. *)
Theorem shortest_direction : exists mu : I -> R,
  mirror_direction P D p (/ lp_norm p w * w)%V (/ lp_norm p w) mu /\
  forall c, active P mu c -> dot (D c) w = 1.
Proof.
have [lam [l0 E slack]] := shortest_multipliers; have N0 := shortest_norm_gt0; set N := lp_norm p w in N0 *.
have iN : 0 < / N by exact: Rinv_0_lt_compat.
have sum_lam : \sum_(c | P c) lam c = lp_sum p w.
  rewrite -mirror_dot E dot_combinel; apply: eq_bigr => c Pc; have := slack c Pc; lra.
have S0 : 0 < lp_sum p w by rewrite -lp_norm_power; [apply: abs_power_gt0; rewrite -/N; lra | lra].
have gE : mirror p (/ N * w)%V = (abs_power (/ N) (p - 1) * mirror p w)%V.
  by apply: vec_ext => j; rewrite /mirror /vscale signed_power_scale.
have SE : lp_sum p w = N * abs_power N (p - 1).
  rewrite -lp_norm_power -/N; last lra.
  by rewrite -(abs_power_step p) ?Rabs_pos_eq; [ring | lra | lra].
have inv : abs_power (/ N) (p - 1) * abs_power N (p - 1) = 1.
  by rewrite -abs_power_mult Rinv_l ?abs_power_one; lra.
exists (fun c => lam c / lp_sum p w); split.
  split=> [| | c Pc |] //.
  - by rewrite lp_unit_sum //; lra.
  - rewrite dotZr; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ iN) (proj1 solves c Pc); lra.
  split=> [c _ | |].
  - by apply: Rmult_le_pos; [exact: l0 | exact/Rlt_le/Rinv_0_lt_compat].
  - by rewrite /Rdiv -sum_mulr sum_lam Rinv_r; lra.
  have -> : combine P (fun c => lam c / lp_sum p w) D = (/ lp_sum p w * combine P lam D)%V.
    by apply: vec_ext => j; rewrite /combine /vscale sum_mull; apply: eq_bigr => c _; rewrite /Rdiv; ring.
  rewrite -E gE; apply: vec_ext => j; rewrite /vscale SE.
  have A0 : abs_power N (p - 1) <> 0 by move=> z; rewrite z in inv; lra.
  have -> : abs_power (/ N) (p - 1) = / abs_power N (p - 1).
    by apply: (Rmult_eq_reg_r (abs_power N (p - 1))) => //; rewrite inv Rinv_l.
  by field; split; lra.
move=> c /activeP[Pc m0]; have := slack c Pc.
case: (Req_EM_T (lam c) 0) => [z | ne]; first by move: m0; rewrite z /Rdiv Rmult_0_l; lra.
by case/Rmult_integral; lra.
Qed.
End Shortest.

(* ---- how near ---- *)

Section Near.
Variables (J I : finType) (P A : pred I) (D : I -> vec J) (n : vec J) (gamma S : R) (mu guess : I -> R).
Hypotheses (bal : balanced P D n gamma mu) (S0 : 0 < S) (gram : gram_at_least A D S).
Hypotheses (A_sub : forall c, A c -> P c) (outside : forall c, P c -> ~~ A c -> mu c = 0).

Theorem multipliers_near c : A c ->
  Rabs (mu c - guess c) <= sqrt (vnorm2 (gamma * n - combine A guess D)%V / S).
Proof.
move=> Ac; rewrite -sqrt_Rsqr_abs; apply: sqrt_le_1_alt.
have -> : (gamma * n - combine A guess D)%V = combine A (fun c => mu c - guess c) D.
  rewrite -(balanced_mean bal); apply: vec_ext => j; rewrite /combine /vsub.
  have -> : \sum_(c | P c) mu c * D c j = \sum_(c | A c) mu c * D c j.
    rewrite (sum_pred_id P) (sum_pred_id A); apply: eq_bigr => d _; case Ad: (A d); first by rewrite A_sub.
    by case Pd: (P d) => //; rewrite outside ?Ad //; ring.
  by rewrite -sumB; apply: eq_bigr => d _; ring.
apply: (Rmult_le_reg_l S) => //; have -> : forall x, S * (x / S) = x by move=> x; field; lra.
apply: Rle_trans (gram _); apply: Rmult_le_compat_l; first lra.
rewrite (bigD1 c) //= /Rsqr; suff : 0 <= \sum_(d | A d && (d != c)) (mu d - guess d) * (mu d - guess d) by lra.
by apply: sum_ge0 => d _; exact: Rle_0_sqr.
Qed.
End Near.
