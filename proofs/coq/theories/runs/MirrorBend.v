(* MirrorBend: Lemma 4 of MIRROR.md with its own factors, and kappa, how far <n,w> is from <n,a> where <grad psi(w),u> =
   <grad psi(a),u>, bounded entry by entry (section 5). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity Mirror PowerGap
                           MirrorMoves MirrorCurve MirrorEntries.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Factors.
Variable p : R.
Hypothesis p1 : 1 < p.
Notation gap := (power_gap p).
Notation rest := (tangent_rest p).
Notation g x := (signed_power x (p - 1)).

(* What the gradient misses beside its tangent costs at most beta times the gap. *)
Definition curve_factor (beta : R) : Prop := 0 <= beta /\ forall a w, a <> 0 -> - (a * rest a w) <= beta * gap w a.

Lemma unit_gap s : gap s 1 = / p + (1 - / p) * abs_power s p - g s.
Proof. by rewrite /power_gap abs_power_one -(signed_power_dot s p); field; lra. Qed.

Lemma unit_rest s : rest 1 s = g s - 1 - (p - 1) * (s - 1).
Proof. by rewrite /tangent_rest (signed_power_ge0 _ Rle_0_1) !abs_power_one; ring. Qed.

Lemma gap_scale a s : 0 < a -> gap (a * s) a = abs_power a p * gap s 1.
Proof.
move=> a0; have E : abs_power a p = abs_power a (p - 1) * a.
  by rewrite -{3}(abs_power1 (Rlt_le _ _ a0)) abs_power_plus //; congr abs_power; ring.
by rewrite unit_gap /power_gap abs_power_mult signed_power_scale // -(signed_power_dot s p) E; field; lra.
Qed.

Lemma rest_scale a s : 0 < a -> a * rest a (a * s) = abs_power a p * rest 1 s.
Proof.
move=> a0; have E : abs_power a p = abs_power a (p - 1) * a.
  by rewrite -{3}(abs_power1 (Rlt_le _ _ a0)) abs_power_plus //; congr abs_power; ring.
have E1 : abs_power a (p - 1) = abs_power a (p - 2) * a.
  by rewrite -{3}(abs_power1 (Rlt_le _ _ a0)) abs_power_plus //; congr abs_power; ring.
by rewrite unit_rest /tangent_rest signed_power_scale // (signed_power_ge0 _ (Rlt_le _ _ a0)) E E1; ring.
Qed.

Lemma rest_opp a w : - a * rest (- a) (- w) = a * rest a w.
Proof.
by rewrite /tangent_rest !signed_powerN -(abs_power_abs (- a)) Rabs_Ropp abs_power_abs; ring.
Qed.

Lemma curve_factor_of_unit beta : 0 <= beta -> (forall s, - rest 1 s <= beta * gap s 1) -> curve_factor beta.
Proof.
move=> b0 unit; split=> //; have pos a w : 0 < a -> - (a * rest a w) <= beta * gap w a.
  move=> a0; have -> : w = a * (w / a) by field; lra.
  rewrite rest_scale // gap_scale //.
  by have := Rmult_le_compat_l _ _ _ (abs_power_ge0 a p) (unit (w / a)); lra.
move=> a w ne; case: (Rlt_le_dec 0 a) => a0; first exact: pos.
by have := pos (- a) (- w) ltac:(lra); rewrite rest_opp power_gapN.
Qed.

(* Lemma 4, p < 2: the second condition is that of the text. *)
Theorem curve_factor_below_two beta : p < 2 -> beta <= 1 -> p * (2 - p) <= beta ->
  p * (2 - p) * (1 + abs_power (1 - beta) (/ (2 - p))) <= beta -> curve_factor beta.
Proof.
move=> p2 b1 b0 bt; have ip := Rinv_0_lt_compat p ltac:(lra).
have c0 : 2 - p <= beta * / p.
  apply: (Rmult_le_reg_l p); first lra.
  by have -> : p * (beta * / p) = beta by [field; lra]; lra.
have bpos : 0 <= beta by have := Rmult_lt_0_compat p (2 - p) ltac:(lra) ltac:(lra); lra.
apply: curve_factor_of_unit => // s; rewrite unit_rest unit_gap.
case: (Rtotal_order s 0) => [neg | [-> | pos]].
- pose t := - s; have t0 : 0 < t by rewrite /t; lra.
  have -> : s = - t by rewrite /t; ring.
  rewrite signed_powerN (signed_power_ge0 _ (Rlt_le _ _ t0)) -(abs_power_abs (- t)) Rabs_Ropp abs_power_abs.
  set k := abs_power (1 - beta) (/ (2 - p)) in bt; have k0 : 0 <= k := abs_power_ge0 _ _.
  have kE : abs_power k (2 - p) = 1 - beta.
    by rewrite /k abs_power_comp Rinv_l ?abs_power1; lra.
  have tT : (1 - beta) * abs_power t (p - 1) <= (2 - p) * k + (p - 1) * t.
    have z0 : 0 <= k / t by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
    have := Rmult_le_compat_l t _ _ (Rlt_le _ _ t0) (@bernoulli_concave (k / t) (2 - p) z0 ltac:(lra)).
    have -> : t * (1 + (2 - p) * (k / t - 1)) = (2 - p) * k + (p - 1) * t by field; lra.
    apply: Rle_trans; right; rewrite -kE /Rdiv abs_power_mult.
    have -> : abs_power (/ t) (2 - p) = abs_power t (- (2 - p)).
      by rewrite !abs_power_pos //; [rewrite /Rpower ln_Rinv //; congr exp; ring | exact: Rinv_0_lt_compat].
    have -> : abs_power t (p - 1) = t * abs_power t (- (2 - p)).
      by rewrite -{2}(abs_power1 (Rlt_le _ _ t0)) abs_power_plus //; congr abs_power; ring.
    by ring.
  have kb : (2 - p) * (1 + k) <= beta * / p.
    apply: (Rmult_le_reg_l p); first lra.
    by have -> : p * (beta * / p) = beta by [field; lra]; lra.
  have := Rmult_le_pos _ _ bpos (Rmult_le_pos _ _ (ltac:(have := Rinv_r p ltac:(lra); nra) : 0 <= 1 - / p)
    (abs_power_ge0 t p)).
  lra.
- by rewrite (signed_power_ge0 _ (Rle_refl 0)) !abs_power0; have := b0; lra.
rewrite (signed_power_ge0 _ (Rlt_le _ _ pos)).
have T1 := @falling_tangent 1 s (1 - p) ltac:(lra) ltac:(lra) pos; rewrite !abs_power_one in T1.
have T2 := @bernoulli_concave s (2 - p) (Rlt_le _ _ pos) ltac:(lra).
have S0 := abs_power_ge0 s (p - 1).
have E1 : abs_power s (p - 1) * abs_power s (1 - p) = 1.
  by have -> : p - 1 = - (1 - p) by [ring]; rewrite abs_power_opp.
have E2 : abs_power s (p - 1) * abs_power s (2 - p) = s.
  by rewrite abs_power_plus // -{2}(abs_power1 (Rlt_le _ _ pos)); congr abs_power; ring.
have E3 : abs_power s p = abs_power s (p - 1) * s.
  by rewrite -{3}(abs_power1 (Rlt_le _ _ pos)) abs_power_plus //; congr abs_power; ring.
have d0 : 0 <= beta * / p - (2 - p) by lra.
have := Rmult_le_compat_l _ _ _ S0 (Rmult_le_compat_l _ _ _ d0 T1).
have := Rmult_le_compat_l _ _ _ S0 (Rmult_le_compat_l (p - 1) _ _ ltac:(lra) T2).
rewrite E3; move: E1 E2; set S := abs_power s (p - 1); set A := abs_power s (1 - p); set B := abs_power s (2 - p).
move=> E1 E2 H2 H1.
have h1 : S * ((beta * / p - (2 - p)) * A) = beta * / p - (2 - p) by rewrite -[RHS]Rmult_1_r -E1; ring.
have h2 : S * ((p - 1) * B) = (p - 1) * s by rewrite -E2; ring.
rewrite h1 in H1; rewrite h2 in H2.
have : S * ((beta * / p - (2 - p)) * (1 + (1 - p) * 1 * (s - 1))) - S * ((p - 1) * (1 + (2 - p) * (s - 1))) =
  - (1 - beta) * S - beta * (1 - / p) * (S * s).
  by field; lra.
lra.
Qed.

Lemma curve_factor_two : p = 2 -> curve_factor 0.
Proof.
move=> p2; split=> [| a w _]; first exact: Rle_refl.
have id x : signed_power x (p - 1) = x.
  have -> : p - 1 = 1 by lra.
  rewrite /signed_power -abs_power_abs (abs_power1 (Rabs_pos x)).
  by case: Rlt_dec => x0 /=; [rewrite Rabs_left | rewrite Rabs_pos_eq]; lra.
rewrite /tangent_rest !id; case: (Req_EM_T a 0) => [-> | ne]; first by lra.
have -> : p - 2 = 0 by lra.
rewrite -abs_power_abs abs_power_pos ?Rpower_O; try exact: Rabs_pos_lt.
by have -> : p - 1 = 1 by [lra]; lra.
Qed.

Lemma curve_factor_one : curve_factor 1.
Proof.
have q0 : / p + / (p / (p - 1)) = 1 by field; lra.
split=> [| a w ne]; first lra.
have := @tangent_rest_cost p (p / (p - 1)) p1 q0 a w ne; rewrite Rmult_1_l /entry_gap /power_gap.
have -> : abs_power (g w) (p / (p - 1)) = abs_power w p.
  rewrite -(abs_power_abs (g w)) signed_power_abs abs_power_comp; congr abs_power; field; lra.
have := signed_power_dot w p.
have -> : abs_power w p / (p / (p - 1)) = abs_power w p - abs_power w p / p by field; lra.
lra.
Qed.

(* p > 2 *)
Theorem curve_factor_above_two : 2 < p ->
  curve_factor (/ (1 + (1 - / p) * abs_power (p - 1) (/ (p - 2)))).
Proof.
move=> p2; set s0 := abs_power (p - 1) _; have s0p : 0 < s0 by apply: abs_power_gt0; lra.
have iq : 0 < 1 - / p by have := Rinv_lt_contravar 1 p ltac:(lra) p1; rewrite Rinv_1; lra.
have D0 : 0 < 1 + (1 - / p) * s0 by have := Rmult_lt_0_compat _ _ iq s0p; lra.
have b0 := Rinv_0_lt_compat _ D0; apply: curve_factor_of_unit => [|s]; first exact: Rlt_le.
have G0 := power_gap_ge0 p1 s 1; rewrite unit_rest; case: (Rle_lt_dec 0 s) => sg.
  have := @bernoulli_convex s (p - 1) sg ltac:(lra); rewrite -(signed_power_ge0 _ sg) => R0.
  by have := Rmult_le_pos _ _ (Rlt_le _ _ b0) G0; lra.
rewrite unit_gap; pose t := - s; have t0 : 0 < t by rewrite /t; lra.
have -> : s = - t by rewrite /t; ring.
rewrite signed_powerN (signed_power_ge0 _ (Rlt_le _ _ t0)) -(abs_power_abs (- t)) Rabs_Ropp abs_power_abs.
have T0 := abs_power_ge0 t (p - 1); have E : abs_power t p = abs_power t (p - 1) * t.
  by rewrite -{3}(abs_power1 (Rlt_le _ _ t0)) abs_power_plus //; congr abs_power; ring.
have gp : 0 <= / p + (1 - / p) * abs_power t p - - abs_power t (p - 1).
  by have := Rinv_0_lt_compat p ltac:(lra); have := Rmult_le_pos _ _ (Rlt_le _ _ iq) (abs_power_ge0 t p); lra.
case: (Rle_lt_dec t s0) => ts.
  have small : abs_power t (p - 1) <= (p - 1) * t.
    have -> : abs_power t (p - 1) = abs_power t (p - 2) * t.
      by rewrite -{3}(abs_power1 (Rlt_le _ _ t0)) abs_power_plus //; congr abs_power; ring.
    apply: Rmult_le_compat_r; first lra.
    have := @abs_power_le t s0 (p - 2) ltac:(lra) ltac:(lra); rewrite /s0 abs_power_comp Rinv_l ?abs_power1; lra.
  have := Rmult_le_pos _ _ (Rlt_le _ _ b0) gp; lra.
have low : abs_power t (p - 1) * (1 + (1 - / p) * s0) <= / p + (1 - / p) * abs_power t p - - abs_power t (p - 1).
  rewrite E; have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ (Rlt_le _ _ iq) T0) (Rlt_le _ _ ts).
  by have := Rinv_0_lt_compat p ltac:(lra); lra.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ b0) low.
set k := 1 + (1 - / p) * s0 in D0 b0 *.
have -> : / k * (abs_power t (p - 1) * k) = abs_power t (p - 1) by field; lra.
by have := Rmult_lt_0_compat (p - 1) t ltac:(lra) t0; lra.
Qed.
End Factors.

(* ---- kappa ---- *)

Section Bend.
Variables (J : finType) (p q : R) (u a w sigma : vec J) (E beta r lambda : R).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (factor : curve_factor p beta) (r0 : 0 <= r).
Hypothesis level : dot (mirror p w) u = dot (mirror p a) u.
Hypothesis allowed : mirror_gap p q a (mirror p w) <= E.
Notation n := (mirror p u).
Notation g x := (signed_power x (p - 1)).
Notation G j := (power_gap p (w j) (a j)).

(* <n, w - a>, entry by entry: what is subtracted is 0 in all. *)
Definition bend_term (j : J) : R := n j * (w j - a j) - u j * (g (w j) - g (a j)) / (p - 1).
Definition bend_slope (j : J) : R := n j - abs_power (a j) (p - 2) * u j.

(* a has the sign of u and is not much smaller. *)
Definition bend_near (j : J) : Prop := u j = 0 \/ a j <> 0 /\ 0 <= u j / a j <= r.

Lemma bend_sum : dot n (w - a)%V = \sum_j bend_term j.
Proof.
have -> : \sum_j bend_term j = dot n (w - a)%V - (dot (mirror p w) u - dot (mirror p a) u) / (p - 1).
  rewrite /dot -sumB /Rdiv sum_mulr -sumB; apply: eq_bigr => j _; rewrite /bend_term /mirror /vsub /Rdiv; ring.
by rewrite level; field; lra.
Qed.

Lemma bend_near_term j : bend_near j -> bend_term j <= bend_slope j * (w j - a j) + beta / (p - 1) * r * G j.
Proof.
have [b0 curve] := factor; have G0 := power_gap_ge0 p1 (w j) (a j).
have B0 : 0 <= beta / (p - 1) by apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
case=> [u0 | [ne [lo hi]]].
  have n0 : n j = 0 by rewrite /mirror u0 signed_power_ge0 ?abs_power0; lra.
  by rewrite /bend_term /bend_slope n0 u0; have := Rmult_le_pos _ _ (Rmult_le_pos _ _ B0 r0) G0; lra.
have cost := curve (a j) (w j) ne.
have -> : bend_term j = bend_slope j * (w j - a j) + / (p - 1) * (u j / a j * - (a j * tangent_rest p (a j) (w j))).
  by rewrite /bend_term /bend_slope /tangent_rest; field; lra.
apply: Rplus_le_compat_l; have := Rmult_le_compat_l _ _ _ lo cost.
have bG : 0 <= beta * G j by apply: Rmult_le_pos.
have := Rmult_le_compat_r _ _ _ bG hi => h1 h2.
have ip := Rinv_0_lt_compat (p - 1) ltac:(lra).
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ ip) (Rle_trans _ _ _ h2 h1).
by rewrite /Rdiv; lra.
Qed.

Hypothesis soft : forall j, 0 <= sigma j /\ (w j - a j) * (w j - a j) <= 2 * sigma j * G j.

Theorem bend_all_near : (forall j, bend_near j) ->
  dot n (w - a)%V <= sqrt (2 * E * \sum_j bend_slope j * bend_slope j * sigma j) + beta / (p - 1) * r * E.
Proof.
move=> near; have [b0 _] := factor; rewrite bend_sum.
have B0 : 0 <= beta / (p - 1) * r.
  by apply: Rmult_le_pos => //; apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
apply: (Rle_trans _ (dot bend_slope (w - a)%V + beta / (p - 1) * r * mirror_gap p q a (mirror p w))).
  rewrite (mirror_gap_sum p1 conj) sum_mull /dot -sumD; apply: sum_le => j _; exact: bend_near_term.
apply: Rplus_le_compat; last exact: Rmult_le_compat_l.
exact: Rle_trans (Rle_abs _) (soft_moves p1 conj soft allowed bend_slope).
Qed.

(* ---- entries that are not near, p <= 2 ---- *)

Hypotheses (p2 : p <= 2) (l0 : 0 < lambda).
Definition whole_factor (j : J) : R := Rabs (u j) * abs_power 2 (2 - p) / (p - 1).
Definition whole_place (j : J) : R := abs_power (whole_factor j * (p - 1) * sigma j / lambda) (/ (3 - p)).
Definition whole_cost (j : J) : R :=
  Rmax (n j * n j * sigma j / (2 * lambda))
    (whole_factor j * abs_power (whole_place j) (p - 1) * (1 - (p - 1) / 2)).

Lemma whole_factor_ge0 j : 0 <= whole_factor j.
Proof.
apply: Rmult_le_pos; last by apply/Rlt_le/Rinv_0_lt_compat; lra.
by apply: Rmult_le_pos; [exact: Rabs_pos | exact: abs_power_ge0].
Qed.

Lemma whole_gradient j : whole_factor j * abs_power (w j - a j) (p - 1) <=
  lambda * G j + whole_factor j * abs_power (whole_place j) (p - 1) * (1 - (p - 1) / 2).
Proof.
have [s0 sq] := soft j; have G0 := power_gap_ge0 p1 (w j) (a j); have f0 := whole_factor_ge0 j.
have last0 : 0 <= whole_factor j * abs_power (whole_place j) (p - 1) * (1 - (p - 1) / 2).
  by apply: Rmult_le_pos; [apply: Rmult_le_pos => //; exact: abs_power_ge0 | lra].
have lG := Rmult_le_pos _ _ (Rlt_le _ _ l0) G0.
set f := whole_factor j in f0 last0 *; set T := whole_place j in last0 *.
set e := w j - a j in sq *; set s := sigma j in s0 sq.
case: (Req_EM_T f 0) => [-> | fn]; first by rewrite !Rmult_0_l; lra.
case: (Req_EM_T e 0) => [-> | en]; first by rewrite abs_power0; lra.
have e2 : 0 < e * e by have := Rsqr_pos_lt e en.
have s1 : 0 < s by case: s0 sq => // <-; lra.
have x0 : 0 < f * (p - 1) * s / lambda.
  by apply: Rdiv_lt_0_compat => //; apply: Rmult_lt_0_compat => //; apply: Rmult_lt_0_compat; lra.
have TE : T = abs_power (f * (p - 1) * s / lambda) (/ (3 - p)) by [].
have T0 : 0 < T by rewrite TE; apply: abs_power_gt0; lra.
have T3 : abs_power T (3 - p) = f * (p - 1) * s / lambda.
  by rewrite TE abs_power_comp Rinv_l ?abs_power1; lra.
clearbody T; pose z := e / T; have := @bernoulli_concave (z * z) ((p - 1) / 2) (Rle_0_sqr z) ltac:(lra).
rewrite abs_power_square => B; have A0 := abs_power_ge0 T (p - 1).
have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ f0 A0) B.
have -> : f * abs_power T (p - 1) * abs_power z (p - 1) = f * abs_power e (p - 1).
  by rewrite Rmult_assoc -abs_power_mult; congr (_ * abs_power _ _); rewrite /z; field; lra.
move=> H; apply: Rle_trans H _.
have T2 : T * T = abs_power T (3 - p) * abs_power T (p - 1).
  by rewrite abs_power_plus // -abs_power2; congr abs_power; ring.
have key : f * abs_power T (p - 1) * ((p - 1) / 2 * (z * z)) = lambda * (e * e / (2 * s)).
  have -> : z * z = e * e / (T * T) by rewrite /z; field; lra.
  have Ap : 0 < abs_power T (p - 1) by apply: abs_power_gt0; lra.
  by rewrite T2 T3; field; repeat split; lra.
have le : lambda * (e * e / (2 * s)) <= lambda * G j.
  apply: Rmult_le_compat_l; first lra.
  apply: (Rmult_le_reg_l (2 * s)); first lra.
  by have -> : 2 * s * (e * e / (2 * s)) = e * e by field; lra.
lra.
Qed.

Lemma bend_whole_term j : bend_term j <= lambda * G j + whole_cost j.
Proof.
have [s0 sq] := soft j; have G0 := power_gap_ge0 p1 (w j) (a j); have lG := Rmult_le_pos _ _ (Rlt_le _ _ l0) G0.
have m1 := Rmax_l (n j * n j * sigma j / (2 * lambda))
  (whole_factor j * abs_power (whole_place j) (p - 1) * (1 - (p - 1) / 2)).
have m2 := Rmax_r (n j * n j * sigma j / (2 * lambda))
  (whole_factor j * abs_power (whole_place j) (p - 1) * (1 - (p - 1) / 2)).
rewrite -/(whole_cost j) in m1 m2.
have mono x y : x <= y -> g x <= g y.
  move=> xy; have := power_gap_both p x y; have := power_gap_ge0 p1 x y; have := power_gap_ge0 p1 y x.
  case: (Req_EM_T x y) => [-> | ne] H1 H2 H3; first lra.
  by apply: Rnot_lt_le => lt; have := Rmult_lt_compat_r (y - x) _ _ ltac:(lra) lt; lra.
have young := soft_entry p1 soft (n j) j l0.
have ip := Rinv_0_lt_compat (p - 1) ltac:(lra).
have n_sign : (0 <= u j -> 0 <= n j) /\ (u j <= 0 -> n j <= 0).
  by split=> [h | h]; [have := mono _ _ h | have := mono _ _ h]; rewrite {1}/mirror ?(signed_power_ge0 _ (Rle_refl 0))
    ?abs_power0.
have [np nm] := n_sign.
case: (Rle_lt_dec 0 (u j * (w j - a j))) => same.
  suff : 0 <= u j * (g (w j) - g (a j)).
    move=> H; have := Rmult_le_pos _ _ H (Rlt_le _ _ ip); rewrite /bend_term /Rdiv; lra.
  case: (Rtotal_order (w j) (a j)) => [lt | [-> | gt]].
  - have := mono _ _ (Rlt_le _ _ lt) => h; have : u j <= 0 by apply: Rnot_lt_le => u0; nra.
    by nra.
  - by rewrite Rminus_eq_0 Rmult_0_r; lra.
  by have := mono _ _ (Rlt_le _ _ gt) => h; have : 0 <= u j by [apply: Rnot_lt_le => u0; nra]; nra.
have first : n j * (w j - a j) <= 0.
  case: (Rle_lt_dec 0 (u j)) => u0; first by have := np u0; have : w j - a j <= 0 by [nra]; nra.
  by have := nm (Rlt_le _ _ u0); have : 0 <= w j - a j by [nra]; nra.
have second : - (u j * (g (w j) - g (a j))) / (p - 1) <= whole_factor j * abs_power (w j - a j) (p - 1).
  have rise x y : x <= y -> g y - g x <= abs_power 2 (2 - p) * abs_power (y - x) (p - 1).
    by move=> xy; have := @rise_hoelder (p - 1) x y xy ltac:(lra); have -> : 1 - (p - 1) = 2 - p by ring.
  have size : Rabs (g (w j) - g (a j)) <= abs_power 2 (2 - p) * abs_power (w j - a j) (p - 1).
    case: (Rle_lt_dec (a j) (w j)) => aw; first by rewrite Rabs_pos_eq; [exact: rise | have := mono _ _ aw; lra].
    rewrite Rabs_minus_sym Rabs_pos_eq; last by have := mono _ _ (Rlt_le _ _ aw); lra.
    by rewrite -(abs_power_abs (w j - a j)) Rabs_minus_sym abs_power_abs; apply: rise; lra.
  rewrite /whole_factor /Rdiv.
  have -> : Rabs (u j) * abs_power 2 (2 - p) * / (p - 1) * abs_power (w j - a j) (p - 1) =
    Rabs (u j) * (abs_power 2 (2 - p) * abs_power (w j - a j) (p - 1)) * / (p - 1) by ring.
  apply: Rmult_le_compat_r; first lra.
  apply: Rle_trans (Rle_abs _) _; rewrite Rabs_Ropp Rabs_mult.
  by apply: Rmult_le_compat_l size; exact: Rabs_pos.
have := whole_gradient j.
by rewrite /bend_term; move: second; rewrite /Rdiv; lra.
Qed.

Variable near : pred J.
Hypothesis near_ok : forall j, near j -> bend_near j.

Theorem bend_mixed : dot n (w - a)%V <= beta / (p - 1) * r * E + lambda * E +
  (\sum_(j | near j) bend_slope j * bend_slope j * sigma j) / (2 * lambda) + \sum_(j | ~~ near j) whole_cost j.
Proof.
have [b0 _] := factor; rewrite bend_sum.
have B0 : 0 <= beta / (p - 1) * r.
  by apply: Rmult_le_pos => //; apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
apply: (Rle_trans _ ((beta / (p - 1) * r + lambda) * mirror_gap p q a (mirror p w) +
    \sum_j (if near j then bend_slope j * bend_slope j * sigma j / (2 * lambda) else whole_cost j))).
  rewrite (mirror_gap_sum p1 conj) sum_mull -sumD; apply: sum_le => j _; have G0 := power_gap_ge0 p1 (w j) (a j).
  have BG := Rmult_le_pos _ _ B0 G0; case: ifP => nj; last by have := bend_whole_term j; lra.
  by have := bend_near_term (near_ok nj); have := soft_entry p1 soft (bend_slope j) j l0; lra.
have := Rmult_le_compat_l _ _ _ (ltac:(lra) : 0 <= beta / (p - 1) * r + lambda) allowed.
rewrite (bigID near) /= (eq_bigr (fun j => bend_slope j * bend_slope j * sigma j * / (2 * lambda))); last first.
  by move=> j ->.
rewrite -sum_mulr (eq_bigr (F1 := fun j => if near j then _ else _) whole_cost); last by move=> j /negbTE ->.
by rewrite /Rdiv; lra.
Qed.
End Bend.
