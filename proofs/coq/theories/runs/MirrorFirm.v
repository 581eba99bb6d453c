(* MirrorFirm: Lemma 10 of MIRROR.md. For p >= 2, how far entries of w may be from those of a while the gap between them
   is bounded: firm entries stay within half of a's, loose ones are bounded together. And kappa. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity ShortestVector
                           Mirror PowerGap MirrorMoves MirrorCurve MirrorEntries MirrorBend.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Entry.
Variable p : R.
Hypotheses (p1 : 1 < p) (p2 : 2 <= p).
Notation gap := (power_gap p).
Notation g x := (signed_power x (p - 1)).

(* Towards a the gap falls. *)
Lemma gap_shrinks a w t : 0 <= t <= 1 -> gap (a + t * (w - a)) a <= gap w a.
Proof.
move=> [t0 t1]; set w' := a + t * (w - a).
have mono : 0 <= (g w' - g w) * (w' - w).
  by have := power_gap_both p w w'; have := power_gap_ge0 p1 w w'; have := power_gap_ge0 p1 w' w; lra.
have first := power_gap_ge0 p1 w w'.
have E : gap w a = gap w' a + gap w w' + (g w' - g w) * (a - w') by rewrite /power_gap; ring.
suff : 0 <= (g w' - g w) * (a - w') by lra.
case: (Req_EM_T t 1) => [one | ne].
  have -> : w' = w by rewrite /w' one; ring.
  by rewrite Rminus_eq_0; lra.
have -> : a - w' = t / (1 - t) * (w' - w) by rewrite /w'; field; lra.
have -> : (g w' - g w) * (t / (1 - t) * (w' - w)) = t / (1 - t) * ((g w' - g w) * (w' - w)) by ring.
by apply: Rmult_le_pos mono; apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
Qed.

(* What is left of alpha^(p-2), in the mean, at distance x. *)
Definition firm_rest (alpha x : R) : R :=
  if Rle_dec 3 p then abs_power (alpha - 2 / 3 * x) (p - 2)
  else 1 / 3 * abs_power alpha (p - 2) + 2 / 3 * abs_power (alpha - x) (p - 2).
Definition firm_floor (alpha x : R) : R := (p - 1) / 2 * (firm_rest alpha x * (x * x)).

Lemma firm_rest_falls alpha x y : 0 <= x <= y -> y <= alpha -> firm_rest alpha y <= firm_rest alpha x.
Proof.
move=> xy ya; rewrite /firm_rest; case: Rle_dec => _ /=; first by apply: abs_power_le; lra.
by apply: Rplus_le_compat_l; apply: Rmult_le_compat_l; [lra | apply: abs_power_le; lra].
Qed.

Lemma firm_floor_derive alpha x : 0 <= x < alpha ->
  exists2 d, is_derive (firm_floor alpha) x d & d <= (p - 1) * x * abs_power (alpha - x) (p - 2).
Proof.
move=> [x0 xa]; have square : is_derive (fun x => x * x) x (2 * x) by auto_derive => //; ring.
have p10 : 0 <= (p - 1) * x by apply: Rmult_le_pos; lra.
rewrite /firm_floor /firm_rest; case: Rle_dec => p3 /=.
  have X0 : 0 < alpha - 2 / 3 * x by lra.
  have in_x : is_derive (fun x => alpha - 2 / 3 * x) x (- (2 / 3)) by auto_derive => //; ring.
  have D : is_derive (fun x => abs_power (alpha - 2 / 3 * x) (p - 2)) x
      (- (2 / 3) * ((p - 2) * abs_power (alpha - 2 / 3 * x) (p - 2 - 1))).
    exact: (is_derive_comp (fun y => abs_power y (p - 2)) (fun x => alpha - 2 / 3 * x) x _ _
      (is_derive_positive_power (p - 2) X0) in_x).
  exists ((p - 1) * x * (abs_power (alpha - 2 / 3 * x) (p - 2) -
      (p - 2) * abs_power (alpha - 2 / 3 * x) (p - 2 - 1) * (x / 3))).
    have M := is_derive_scal _ x ((p - 1) / 2) _ (is_derive_mult _ _ x _ _ D square Rmult_comm).
    by apply: is_derive_ext_eq M; rewrite /plus /mult /=; field.
  apply: Rmult_le_compat_l p10 _.
  have := @power_tangent (alpha - x) (alpha - 2 / 3 * x) (p - 2) ltac:(lra) X0 ltac:(lra).
  have -> : (p - 2) * abs_power (alpha - 2 / 3 * x) (p - 2) / (alpha - 2 / 3 * x) =
      (p - 2) * abs_power (alpha - 2 / 3 * x) (p - 2 - 1).
    have -> : abs_power (alpha - 2 / 3 * x) (p - 2) = abs_power (alpha - 2 / 3 * x) (p - 2 - 1) * (alpha - 2 / 3 * x).
      rewrite -{3}(abs_power1 (Rlt_le _ _ X0)) abs_power_plus //; congr abs_power; ring.
    by field; lra.
  by have -> : alpha - x - (alpha - 2 / 3 * x) = - (x / 3) by [field]; lra.
have X0 : 0 < alpha - x by lra.
have in_x : is_derive (fun x => alpha - x) x (- 1) by auto_derive => //; ring.
have D0 : is_derive (fun x => abs_power (alpha - x) (p - 2)) x (- 1 * ((p - 2) * abs_power (alpha - x) (p - 2 - 1))).
  exact: (is_derive_comp (fun y => abs_power y (p - 2)) (fun x => alpha - x) x _ _
    (is_derive_positive_power (p - 2) X0) in_x).
have D1 := is_derive_scal _ x (2 / 3) _ D0.
have D := is_derive_plus _ _ x _ _ (@is_derive_const R_AbsRing _ (1 / 3 * abs_power alpha (p - 2)) x) D1.
exists ((p - 1) * x * (1 / 3 * abs_power alpha (p - 2) + 2 / 3 * abs_power (alpha - x) (p - 2) -
    (p - 2) * abs_power (alpha - x) (p - 2 - 1) * (x / 3))).
  have M := is_derive_scal _ x ((p - 1) / 2) _ (is_derive_mult _ _ x _ _ D square Rmult_comm).
  by apply: is_derive_ext_eq M; rewrite /plus /mult /zero /=; field.
apply: Rmult_le_compat_l p10 _; case: (Req_EM_T p 2) => [-> | ne].
  by rewrite !Rminus_eq_0 !abs_power_pos ?Rpower_O; lra.
have z0 : 0 <= alpha / (alpha - x) by apply: Rmult_le_pos; [lra | apply/Rlt_le/Rinv_0_lt_compat].
have := Rmult_le_compat_l _ _ _ (abs_power_ge0 (alpha - x) (p - 2)) (@bernoulli_concave _ (p - 2) z0 ltac:(lra)).
rewrite -abs_power_mult; have -> : (alpha - x) * (alpha / (alpha - x)) = alpha by field; lra.
have -> : abs_power (alpha - x) (p - 2) * (1 + (p - 2) * (alpha / (alpha - x) - 1)) =
    abs_power (alpha - x) (p - 2) + (p - 2) * (abs_power (alpha - x) (p - 2) / (alpha - x)) * x by field; lra.
have -> : abs_power (alpha - x) (p - 2) / (alpha - x) = abs_power (alpha - x) (p - 2 - 1).
  have -> : abs_power (alpha - x) (p - 2) = abs_power (alpha - x) (p - 2 - 1) * (alpha - x); last by field; lra.
  by rewrite -{3}(abs_power1 (Rlt_le _ _ X0)) abs_power_plus //; congr abs_power; ring.
lra.
Qed.

(* The least gap at a distance below alpha from an entry of size at least alpha. *)
Theorem firm_gap_floor alpha a w : 0 < alpha <= Rabs a -> Rabs (w - a) < alpha ->
  firm_floor alpha (Rabs (w - a)) <= gap w a.
Proof.
suff pos b v : 0 < alpha <= b -> Rabs (v - b) < alpha -> firm_floor alpha (Rabs (v - b)) <= gap v b.
  move=> al; case: (Rle_lt_dec 0 a) => a0; first by apply: pos; rewrite Rabs_pos_eq // in al.
  have := pos (- a) (- w); rewrite power_gapN; have -> : - w - - a = - (w - a) by ring.
  by rewrite Rabs_Ropp; apply; rewrite Rabs_left // in al.
move=> [al0 alb] far; set x := Rabs (v - b) in far *; have x0 : 0 <= x := Rabs_pos _.
have [c [cc vE]] : exists c, c * c = 1 /\ v = b + c * x.
  by rewrite /x /Rabs; case: Rcase_abs => s; [exists (- 1) | exists 1]; split; ring.
have cs s : 0 <= s -> - s <= c * s by move=> s0; have : -1 <= c by [nra]; nra.
pose F s := gap (b + c * s) b - firm_floor alpha s.
have D t : 0 <= t <= x -> exists2 d, is_derive F t d & 0 <= d.
  move=> [t0 tx]; have at0 : 0 < b + c * t by have := cs t t0; lra.
  have in_b : is_derive (fun s => b + c * s) t c by auto_derive => //; ring.
  have D1 : is_derive (fun s => abs_power (b + c * s) p / p) t (c * signed_power (b + c * t) (p - 1)).
    exact: (is_derive_comp (fun y => abs_power y p / p) (fun s => b + c * s) t _ _
      (is_derive_power p1 (b + c * t)) in_b).
  have D2 : is_derive (fun s => abs_power (b + c * s) (p - 1)) t (c * ((p - 1) * abs_power (b + c * t) (p - 1 - 1))).
    exact: (is_derive_comp (fun y => abs_power y (p - 1)) (fun s => b + c * s) t _ _
      (is_derive_positive_power (p - 1) at0) in_b).
  have in_c : is_derive (fun s => c * s) t c by auto_derive => //; ring.
  have D3 := is_derive_mult _ _ t _ _ D2 in_c Rmult_comm.
  have D4 := is_derive_minus _ _ t _ _ D3 D1.
  have D5 := is_derive_plus _ _ t _ _ D4 (@is_derive_const R_AbsRing _ (abs_power b p / p) t).
  have [d D6 le] := @firm_floor_derive alpha t ltac:(lra).
  have D7 := is_derive_minus _ _ t _ _ D5 D6.
  exists ((p - 1) * t * abs_power (b + c * t) (p - 2) - d).
    apply: (is_derive_ext_loc (fun s => minus (plus (minus (mult (abs_power (b + c * s) (p - 1)) (c * s))
        (abs_power (b + c * s) p / p)) (abs_power b p / p)) (firm_floor alpha s))).
      have near : locally t (fun s => 0 < b + c * s).
        have := open_gt 0 (b + c * t) at0.
        have cont : continuous (fun s => b + c * s) t by apply: ex_derive_continuous; exists c.
        by move=> op; apply: cont.
      apply: filter_imp near => s s0.
      rewrite /minus /plus /opp /mult /= /F /power_gap (signed_power_ge0 _ (Rlt_le _ _ s0)).
      by ring.
    apply: is_derive_ext_eq D7; rewrite /minus /plus /opp /mult /zero /= (signed_power_ge0 _ (Rlt_le _ _ at0)).
    have -> : p - 1 - 1 = p - 2 by ring.
    have -> : (p - 1) * t * abs_power (b + c * t) (p - 2) = c * c * ((p - 1) * abs_power (b + c * t) (p - 2)) * t.
      by rewrite cc; ring.
    by ring.
  have up := @abs_power_le (alpha - t) (b + c * t) (p - 2) ltac:(lra) ltac:(have := cs t t0; lra).
  by have := Rmult_le_compat_l ((p - 1) * t) _ _ ltac:(apply: Rmult_le_pos; lra) up; lra.
have start : F 0 = 0 by rewrite /F /firm_floor Rmult_0_r Rplus_0_r /power_gap; ring.
have : F 0 <= F x.
  case: x0 => [x0 | <-]; last by right.
  have [| |d [le E]] := @MVT_gen F 0 x (Derive F).
  - move=> t; rewrite Rmin_left ?Rmax_right; try lra.
    by move=> tx; have [|d Dt _] := D t; [lra | rewrite (is_derive_unique _ _ _ Dt)].
  - move=> t; rewrite Rmin_left ?Rmax_right; try lra.
    move=> tx; have [//|d Dt _] := D t; apply/continuity_pt_filterlim/ex_derive_continuous; by exists d.
  rewrite Rmin_left ?Rmax_right in le; try lra.
  have [//|d' Dt pos] := D d; rewrite (is_derive_unique _ _ _ Dt) in E.
  by have := Rmult_le_pos d' (x - 0) pos ltac:(lra); lra.
by rewrite start /F -vE; lra.
Qed.

(* ---- Lemma 10, one entry ---- *)

Variables (alpha E a w : R).
Hypotheses (alpha0 : 0 < alpha <= Rabs a) (within : gap w a <= E).
Hypothesis firm : E < firm_floor alpha (alpha / 2).
Let x := Rabs (w - a).

Lemma firm_half : x <= alpha / 2.
Proof.
apply: Rnot_lt_le => far; pose t := alpha / 2 / x; have x0 : 0 < x by lra.
have t01 : 0 <= t <= 1.
  split; first by apply: Rmult_le_pos; [lra | apply/Rlt_le/Rinv_0_lt_compat].
  by apply: (Rmult_le_reg_r x) => //; rewrite /t /Rdiv (Rmult_assoc _ (/ x)) Rinv_l; lra.
have size : Rabs (a + t * (w - a) - a) = alpha / 2.
  have -> : a + t * (w - a) - a = t * (w - a) by ring.
  by rewrite Rabs_mult -/x Rabs_pos_eq; [rewrite /t; field; lra | lra].
have := @firm_gap_floor alpha a (a + t * (w - a)) alpha0; rewrite size => /(_ ltac:(lra)).
by have := gap_shrinks a w t01; lra.
Qed.

Lemma firm_within T : 0 <= T -> 2 * E <= (p - 1) * firm_rest alpha (alpha / 2) * (T * T) -> x <= T.
Proof.
move=> T0 le; have x0 : 0 <= x := Rabs_pos _; have half := firm_half.
have fl := @firm_gap_floor alpha a w alpha0 ltac:(rewrite -/x; lra); rewrite -/x /firm_floor in fl.
have fall := @firm_rest_falls alpha x (alpha / 2) ltac:(lra) ltac:(lra).
have := Rmult_le_compat_l ((p - 1) / 2) _ _ ltac:(lra) (Rmult_le_compat_r _ _ _ (Rle_0_sqr x) fall).
rewrite /Rsqr => low.
have E0 : 0 <= E by have := power_gap_ge0 p1 w a; lra.
have r0 : 0 < firm_rest alpha (alpha / 2).
  have f0 : 0 < firm_floor alpha (alpha / 2) by lra.
  apply: Rnot_le_lt => neg; have := Rmult_le_compat_r (alpha / 2 * (alpha / 2)) _ _ ltac:(nra) neg.
  by rewrite Rmult_0_l => /(Rmult_le_compat_l ((p - 1) / 2) _ _ ltac:(lra)); rewrite /firm_floor in f0; lra.
apply: Rsqr_incr_0_var => //; rewrite /Rsqr.
apply: (Rmult_le_reg_l ((p - 1) * firm_rest alpha (alpha / 2))); first by apply: Rmult_lt_0_compat; lra.
lra.
Qed.

Lemma firm_soft T sigma : x <= T -> T <= alpha / 2 -> 0 <= sigma -> 1 <= (p - 1) * sigma * firm_rest alpha T ->
  (w - a) * (w - a) <= 2 * sigma * gap w a.
Proof.
move=> xT Ta s0 le; have x0 : 0 <= x := Rabs_pos _.
have fl := @firm_gap_floor alpha a w alpha0 ltac:(rewrite -/x; lra); rewrite -/x /firm_floor in fl.
have fall := @firm_rest_falls alpha x T ltac:(lra) ltac:(lra).
have -> : (w - a) * (w - a) = x * x by rewrite /x -Rabs_mult Rabs_pos_eq //; exact: Rle_0_sqr.
have xx : 0 <= x * x := Rle_0_sqr x.
have := Rmult_le_compat_l (2 * sigma) _ _ ltac:(lra) fl.
have := Rmult_le_compat_l (2 * sigma) _ _ ltac:(lra) (Rmult_le_compat_l ((p - 1) / 2) _ _ ltac:(lra)
  (Rmult_le_compat_r _ _ _ xx fall)).
have := Rmult_le_compat_r _ _ _ xx le; lra.
Qed.
End Entry.

(* ---- Lemma 10 ---- *)

Section Moves.
Variables (J : finType) (p q : R) (a w sigma : vec J) (E c : R) (firm : pred J).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (c0 : 0 < c).
Hypothesis soft : forall j, firm j ->
  0 <= sigma j /\ (w j - a j) * (w j - a j) <= 2 * sigma j * power_gap p (w j) (a j).
Hypothesis loose : forall j, c * abs_power (w j - a j) p <= power_gap p (w j) (a j).
Hypothesis allowed : mirror_gap p q a (mirror p w) <= E.
Notation G j := (power_gap p (w j) (a j)).

Definition loose_part (h : vec J) : vec J := fun j => if firm j then 0 else h j.

Lemma loose_moves h : dot (loose_part h) (w - a)%V <= abs_power (E / c) (/ p) * lp_norm q (loose_part h).
Proof.
have q1 := conjugate_gt1 p1 conj; set k := loose_part h.
have E0 : 0 <= E := Rle_trans _ _ _ (mirror_gap_ge0 p1 conj _ _) allowed.
have up : dot k (w - a)%V <= lp_norm q k * lp_norm p (w - a)%V.
  case: (Req_EM_T (lp_norm q k) 0) => [z | ne].
    have k0 j : k j = 0.
      apply: (@abs_power_eq0 _ q); apply: Rle_antisym (abs_power_ge0 _ _); apply: Rle_trans (entry_le_sum q k j) _.
      by rewrite -lp_norm_power ?z ?abs_power0; lra.
    have -> : dot k (w - a)%V = 0 by apply: sum0 => j _; rewrite k0; ring.
    by rewrite z Rmult_0_l; right.
  have N0 : 0 < lp_norm q k by have := lp_norm_ge0 q k; lra.
  apply: (hoelder_dual p1 conj N0); rewrite lp_unit_sum //; lra.
apply: Rle_trans up _; rewrite Rmult_comm; apply: Rmult_le_compat_r; first exact: lp_norm_ge0.
rewrite /lp_norm; apply: abs_power_le; first by apply/Rlt_le/Rinv_0_lt_compat; lra.
split; first exact: lp_sum_ge0.
apply: (Rmult_le_reg_l c) => //; have -> : c * (E / c) = E by field; lra.
apply: Rle_trans allowed; rewrite (mirror_gap_sum p1 conj) /lp_sum sum_mull; apply: sum_le => j _; exact: loose.
Qed.

Theorem firm_moves h : dot h (w - a)%V <= sqrt (2 * E * \sum_(j | firm j) h j * h j * sigma j) +
  abs_power (E / c) (/ p) * lp_norm q (loose_part h).
Proof.
pose k : vec J := fun j => if firm j then h j else 0.
have -> : dot h (w - a)%V = dot k (w - a)%V + dot (loose_part h) (w - a)%V.
  by rewrite /dot -sumD; apply: eq_bigr => j _; rewrite /k /loose_part; case: (firm j); ring.
apply: Rplus_le_compat (loose_moves h).
pose s : vec J := fun j => if firm j then sigma j else (w j - a j) * (w j - a j) / (2 * G j).
have soft' j : 0 <= s j /\ (w j - a j) * (w j - a j) <= 2 * s j * G j.
  rewrite /s; case: ifP => [/soft // | _]; have G0 := power_gap_ge0 p1 (w j) (a j).
  have sq := Rle_0_sqr (w j - a j); rewrite /Rsqr in sq.
  case: (Req_EM_T (G j) 0) => [z | ne]; last first.
    have pos : 0 < G j by lra.
    split; first by apply: Rmult_le_pos sq _; apply/Rlt_le/Rinv_0_lt_compat; lra.
    by right; field.
  have e0 : w j - a j = 0.
    apply: (@abs_power_eq0 _ p); apply: Rle_antisym (abs_power_ge0 _ _).
    by apply: (Rmult_le_reg_l c) => //; rewrite Rmult_0_r; have := loose j; lra.
  rewrite e0 z !Rmult_0_l !Rmult_0_r /Rdiv !Rmult_0_l; split; lra.
have := soft_moves p1 conj soft' allowed k.
have -> : \sum_j k j * k j * s j = \sum_(j | firm j) h j * h j * sigma j.
  by rewrite [RHS]big_mkcond; apply: eq_bigr => j _; rewrite /k /s; case: (firm j); ring.
by move/(Rle_trans _ _ _ (Rle_abs _)).
Qed.
End Moves.

(* ---- kappa, p >= 2 ---- *)

Section FirmBend.
Variables (J : finType) (p q : R) (u a w sigma h reach : vec J) (E beta r c : R) (firm near : pred J).
Hypotheses (p1 : 1 < p) (p2 : 2 <= p) (conj : / p + / q = 1) (c0 : 0 < c) (factor : curve_factor p beta) (r0 : 0 <= r).
Hypothesis level : dot (mirror p w) u = dot (mirror p a) u.
Hypothesis soft : forall j, firm j ->
  0 <= sigma j /\ (w j - a j) * (w j - a j) <= 2 * sigma j * power_gap p (w j) (a j).
Hypothesis loose : forall j, c * abs_power (w j - a j) p <= power_gap p (w j) (a j).
Hypothesis allowed : mirror_gap p q a (mirror p w) <= E.
Hypothesis near_ok : forall j, near j -> bend_near u a r j /\ Rabs (bend_slope p u a j) <= h j.
Hypothesis other_ok : forall j, ~~ near j -> [/\ Rabs (w j - a j) <= reach j, Rabs (mirror p u j) <= h j &
  Rabs (u j) * abs_power (Rabs (a j) + reach j) (p - 2) <= h j].
Notation n := (mirror p u).
Notation g x := (signed_power x (p - 1)).

Lemma other_term j : ~~ near j -> bend_term p u a w j <= h j * Rabs (w j - a j).
Proof.
move=> /other_ok[far straight steep]; have e0 := Rabs_pos (w j - a j).
have mono x y : x <= y -> g x <= g y.
  move=> xy; have := power_gap_both p x y; have := power_gap_ge0 p1 x y; have := power_gap_ge0 p1 y x.
  case: (Req_EM_T x y) => [-> | ne] H1 H2 H3; first lra.
  by apply: Rnot_lt_le => lt; have := Rmult_lt_compat_r (y - x) _ _ ltac:(lra) lt; lra.
have ip := Rinv_0_lt_compat (p - 1) ltac:(lra).
have n_sign : (0 <= u j -> 0 <= n j) /\ (u j <= 0 -> n j <= 0).
  by split=> [s | s]; have := mono _ _ s; rewrite {1}/mirror ?(signed_power_ge0 _ (Rle_refl 0)) ?abs_power0.
have [np nm] := n_sign.
case: (Rle_lt_dec 0 (u j * (w j - a j))) => same.
  have rise : 0 <= u j * (g (w j) - g (a j)).
    case: (Rtotal_order (w j) (a j)) => [lt | [-> | gt]].
    - by have := mono _ _ (Rlt_le _ _ lt) => s; have : u j <= 0 by [apply: Rnot_lt_le => u0; nra]; nra.
    - by rewrite Rminus_eq_0 Rmult_0_r; lra.
    by have := mono _ _ (Rlt_le _ _ gt) => s; have : 0 <= u j by [apply: Rnot_lt_le => u0; nra]; nra.
  have := Rmult_le_pos _ _ rise (Rlt_le _ _ ip).
  have := Rle_trans _ _ _ (Rle_abs (n j * (w j - a j))) (Req_le _ _ (Rabs_mult _ _)).
  by have := Rmult_le_compat_r _ _ _ e0 straight; rewrite /bend_term /Rdiv; lra.
have first : n j * (w j - a j) <= 0.
  case: (Rle_lt_dec 0 (u j)) => u0; first by have := np u0; have : w j - a j <= 0 by [nra]; nra.
  by have := nm (Rlt_le _ _ u0); have : 0 <= w j - a j by [nra]; nra.
set R := Rabs (a j) + reach j in steep; have a0 := Rabs_pos (a j).
have wR : Rabs (w j) <= R.
  by have := Rabs_triang (w j - a j) (a j); have -> : w j - a j + a j = w j by [ring]; rewrite /R; lra.
have size : Rabs (g (w j) - g (a j)) <= (p - 1) * abs_power R (p - 2) * Rabs (w j - a j).
  have R0 : 0 < R.
    have : w j - a j <> 0 by move=> z; rewrite z in same; lra.
    by move/Rabs_pos_lt; rewrite /R; lra.
  have aR : Rabs (a j) <= R by rewrite /R; lra.
  have -> : p - 2 = p - 1 - 1 by ring.
  case: (Rle_lt_dec (a j) (w j)) => aw.
    by rewrite !Rabs_pos_eq; [apply: rise_at_most; lra | lra | have := mono _ _ aw; lra].
  rewrite Rabs_minus_sym (Rabs_minus_sym (w j)) !Rabs_pos_eq; [|lra|by have := mono _ _ (Rlt_le _ _ aw); lra].
  by apply: rise_at_most; lra.
have second : - (u j * (g (w j) - g (a j))) * / (p - 1) <= Rabs (u j) * abs_power R (p - 2) * Rabs (w j - a j).
  have le := Rmult_le_compat_l _ _ _ (Rabs_pos (u j)) size; rewrite -Rabs_mult in le.
  have := Rle_abs (- (u j * (g (w j) - g (a j)))); rewrite Rabs_Ropp => up.
  have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ ip) (Rle_trans _ _ _ up le).
  have -> : Rabs (u j) * ((p - 1) * abs_power R (p - 2) * Rabs (w j - a j)) * / (p - 1) =
    Rabs (u j) * abs_power R (p - 2) * Rabs (w j - a j) by field; lra.
  by [].
by have := Rmult_le_compat_r _ _ _ e0 steep; rewrite /bend_term /Rdiv; lra.
Qed.

Theorem bend_firm : dot n (w - a)%V <= beta / (p - 1) * r * E +
  (sqrt (2 * E * \sum_(j | firm j) h j * h j * sigma j) + abs_power (E / c) (/ p) * lp_norm q (loose_part firm h)).
Proof.
have [b0 _] := factor; rewrite (bend_sum p1 level).
have B0 : 0 <= beta / (p - 1) * r.
  by apply: Rmult_le_pos => //; apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
pose k : vec J := fun j => if Rle_dec 0 (w j - a j) then h j else - h j.
have kE j : k j * (w j - a j) = h j * Rabs (w j - a j).
  by rewrite /k; case: Rle_dec => s /=; [rewrite Rabs_pos_eq | rewrite Rabs_left; lra].
have := firm_moves p1 conj c0 soft loose allowed k.
have -> : \sum_(j | firm j) k j * k j * sigma j = \sum_(j | firm j) h j * h j * sigma j.
  by apply: eq_bigr => j _; rewrite /k; case: Rle_dec => _ /=; ring.
have -> : lp_norm q (loose_part firm k) = lp_norm q (loose_part firm h).
  rewrite /lp_norm /lp_sum; congr abs_power; apply: eq_bigr => j _; rewrite /loose_part /k.
  by case: (firm j) => //; case: Rle_dec => _ //=; rewrite -abs_power_abs Rabs_Ropp abs_power_abs.
move=> moves; apply: (Rle_trans _ (beta / (p - 1) * r * mirror_gap p q a (mirror p w) + dot k (w - a)%V)).
  rewrite (mirror_gap_sum p1 conj) sum_mull /dot -sumD; apply: sum_le => j _.
  have := kE j; rewrite /vsub => ->; have G0 := power_gap_ge0 p1 (w j) (a j).
  have BG := Rmult_le_pos _ _ B0 G0; have e0 := Rabs_pos (w j - a j).
  case: (boolP (near j)) => nj; last by have := other_term nj; lra.
  have [near_j slope] := near_ok nj; have := bend_near_term w p1 factor r0 near_j.
  have := Rle_abs (bend_slope p u a j * (w j - a j)); rewrite Rabs_mult.
  have := Rmult_le_compat_r _ _ _ e0 slope; lra.
have := Rmult_le_compat_l _ _ _ B0 allowed; lra.
Qed.
End FirmBend.
