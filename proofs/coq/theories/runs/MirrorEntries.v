(* MirrorEntries: Lemma 9 of MIRROR.md. For p <= 2, how far entries of w may be from those of a while the gap between
   them is bounded, and how far a functional moves; and how gaps scale. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity ShortestVector
                           Mirror PowerGap MirrorMoves.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- powers ---- *)

Lemma abs_power_falls x y r : r <= 0 -> 0 < x <= y -> abs_power y r <= abs_power x r.
Proof.
move=> r0 [x0 xy]; have -> : r = - - r by ring.
rewrite !abs_power_pos; try lra; rewrite !(Rpower_Ropp _ (- r)); apply: Rinv_le_contravar; first exact: exp_pos.
by apply: Rle_Rpower_l; lra.
Qed.

Lemma abs_power_plus x r s : 0 < x -> abs_power x r * abs_power x s = abs_power x (r + s).
Proof. by move=> x0; rewrite !abs_power_pos // Rpower_plus. Qed.

Lemma abs_power_opp x r : 0 < x -> abs_power x (- r) * abs_power x r = 1.
Proof. by move=> x0; rewrite abs_power_plus // Rplus_opp_l abs_power_pos // Rpower_O. Qed.

(* The tangent of a falling power. *)
Lemma falling_tangent x y r : r <= 0 -> 0 < x -> 0 < y ->
  abs_power x r + r * abs_power x (r - 1) * (y - x) <= abs_power y r.
Proof.
move=> r0 x0 y0; have z0 : 0 < y / x by apply: Rdiv_lt_0_compat.
have -> : y = x * (y / x) by field; lra.
rewrite abs_power_mult -(abs_power_plus r (-1) x0) (abs_power_pos (-1) x0).
have -> : Rpower x (-1) = / x by have := Rpower_Ropp x 1; rewrite Rpower_1.
move: z0; set z := y / x => z0.
have -> : abs_power x r + r * (abs_power x r * / x) * (x * z - x) = abs_power x r * (1 + r * (z - 1)) by field; lra.
apply: Rmult_le_compat_l; first exact: abs_power_ge0.
rewrite abs_power_pos //; have e1 := exp_ineq1_le (r * ln z).
have : ln z <= z - 1.
  by have := exp_ineq1_le (ln z); rewrite exp_ln //; lra.
move=> /(Rmult_le_compat_neg_l r _ _ r0); rewrite /Rpower; lra.
Qed.

Lemma is_derive_positive_power x r : 0 < x -> is_derive (fun y => abs_power y r) x (r * abs_power x (r - 1)).
Proof.
move=> x0; apply: (is_derive_ext_loc (fun y => Rpower y r)).
  by apply: filter_imp (open_gt 0 x x0) => y y0; rewrite abs_power_pos.
by rewrite abs_power_pos //; apply/is_derive_Reals; exact: derivable_pt_lim_power.
Qed.

(* ---- the least gap at a distance, p <= 2 ---- *)

Section Entry.
Variable p : R.
Hypotheses (p1 : 1 < p) (p2 : p <= 2).
Notation gap := (power_gap p).

(* At distance x from an entry of size alpha. *)
Definition entry_floor (alpha x : R) : R := (p - 1) / 2 * (abs_power (alpha + 2 / 3 * x) (p - 2) * (x * x)).
Let floor_slope a x := (p - 1) * x * (abs_power (a + 2 / 3 * x) (p - 2) +
  (p - 2) * abs_power (a + 2 / 3 * x) (p - 3) * (x / 3)).

Lemma entry_floor_derive a x : 0 < a + 2 / 3 * x -> is_derive (entry_floor a) x (floor_slope a x).
Proof.
move=> X0; have D := is_derive_comp (fun y => abs_power y (p - 2)) (fun x => a + 2 / 3 * x) x _ (2 / 3)
  (is_derive_positive_power (p - 2) X0).
have {}D : is_derive (fun x => abs_power (a + 2 / 3 * x) (p - 2)) x
    (2 / 3 * ((p - 2) * abs_power (a + 2 / 3 * x) (p - 3))).
  by have := D ltac:(by auto_derive => //; ring); rewrite (_ : p - 2 - 1 = p - 3); last ring.
have S : is_derive (fun x => x * x) x (2 * x) by auto_derive => //; ring.
have M := is_derive_scal _ x ((p - 1) / 2) _ (is_derive_mult _ _ x _ _ D S Rmult_comm).
apply: is_derive_ext_eq M; rewrite /floor_slope /plus /mult /=; field.
Qed.

Lemma entry_floor_slope_le a x : 0 < a -> 0 <= x -> floor_slope a x <= (p - 1) * x * abs_power (a + x) (p - 2).
Proof.
move=> a0 x0; apply: Rmult_le_compat_l; first by apply: Rmult_le_pos; lra.
have := @falling_tangent (a + 2 / 3 * x) (a + x) (p - 2) ltac:(lra) ltac:(lra) ltac:(lra).
have -> : p - 2 - 1 = p - 3 by ring.
by have -> : a + x - (a + 2 / 3 * x) = x / 3 by field.
Qed.

Lemma entry_floor_falls a alpha x : 0 < a <= alpha -> 0 <= x -> entry_floor alpha x <= entry_floor a x.
Proof.
move=> al x0; apply: Rmult_le_compat_l; first lra.
by apply: Rmult_le_compat_r; [exact: Rle_0_sqr | apply: abs_power_falls; lra].
Qed.

(* w = a + x *)
Let gap_ahead a x : 0 < a -> 0 <= x -> entry_floor a x <= gap (a + x) a.
Proof.
move=> a0 x0.
pose F t := gap (a + t) a - entry_floor a t; pose dF t := (p - 1) * t * abs_power (a + t) (p - 2) - floor_slope a t.
have D t : 0 <= t <= x -> is_derive F t (dF t).
  move=> [t0 _]; have at0 : 0 < a + t by lra.
  have in_a : is_derive (fun s => a + s) t 1 by auto_derive.
  have D1 : is_derive (fun s => abs_power (a + s) p / p) t (1 * signed_power (a + t) (p - 1)).
    exact: (is_derive_comp (fun y => abs_power y p / p) (fun s => a + s) t _ _ (is_derive_power p1 (a + t)) in_a).
  have D2 : is_derive (fun s => abs_power (a + s) (p - 1)) t (1 * ((p - 1) * abs_power (a + t) (p - 1 - 1))).
    exact: (is_derive_comp (fun y => abs_power y (p - 1)) (fun s => a + s) t _ _
      (is_derive_positive_power (p - 1) at0) in_a).
  have D3 := is_derive_mult _ _ t _ _ D2 (is_derive_id t) Rmult_comm.
  have D4 := is_derive_minus _ _ t _ _ D3 D1.
  have D5 := is_derive_plus _ _ t _ _ D4 (@is_derive_const R_AbsRing _ (abs_power a p / p) t).
  have X0 : 0 < a + 2 / 3 * t by lra.
  have D6 := is_derive_minus _ _ t _ _ D5 (entry_floor_derive X0).
  apply: (is_derive_ext_loc (fun s => minus (plus (minus (mult (abs_power (a + s) (p - 1)) s) (abs_power (a + s) p / p))
      (abs_power a p / p)) (entry_floor a s))).
    have near : 0 < a + t by lra.
    exists (mkposreal _ near) => s /Rabs_lt_between [/= lo _].
    have s0 : 0 <= a + s by move: lo; rewrite /minus /plus /opp /=; lra.
    by rewrite /minus /plus /opp /mult /= /F /power_gap (signed_power_ge0 _ s0); ring.
  apply: is_derive_ext_eq D6; rewrite /minus /plus /opp /mult /zero /one /= /dF signed_power_ge0; last lra.
  by have -> : p - 1 - 1 = p - 2 by [ring]; ring.
have pos t : 0 <= t <= x -> 0 <= dF t by move=> [t0 _]; have := entry_floor_slope_le a0 t0; rewrite /dF; lra.
have := nondecreasing_from0 D pos (s := x) ltac:(lra).
by rewrite /F /entry_floor /power_gap !Rplus_0_r; lra.
Qed.

(* w between - a and a *)
Let gap_within a w : 0 < a -> Rabs w <= a -> entry_floor a (Rabs (w - a)) <= gap w a.
Proof.
move=> a0 wa; have := @power_gap_quadratic_below p p1 w a a p2 wa ltac:(rewrite Rabs_pos_eq; lra) a0.
apply: Rle_trans; rewrite /entry_floor -Rabs_mult (Rabs_pos_eq (_ * _)); last exact: Rle_0_sqr.
have x0 := Rabs_pos (w - a).
have := @abs_power_falls a (a + 2 / 3 * Rabs (w - a)) (p - 2) ltac:(lra) ltac:(lra) => le.
have := Rmult_le_compat_r _ _ _ (Rle_0_sqr (a - w)) le; rewrite /Rsqr => le'.
have := Rmult_le_compat_l ((p - 1) / 2) _ _ ltac:(lra) le'.
have -> : (w - a) * (w - a) = (a - w) * (a - w) by ring.
lra.
Qed.

(* w = - (a + t) *)
Let gap_behind a x : 0 < a -> 0 <= x -> entry_floor a (2 * a + x) <= gap (- (a + x)) a.
Proof.
move=> a0 x0.
pose F t := gap (- (a + t)) a - entry_floor a (2 * a + t).
pose dF t := (p - 1) * (2 * a + t) * abs_power (a + t) (p - 2) - floor_slope a (2 * a + t).
have D t : 0 <= t <= x -> is_derive F t (dF t).
  move=> [t0 _]; have at0 : 0 < a + t by lra.
  have in_a : is_derive (fun s => a + s) t 1 by auto_derive.
  have in_2a : is_derive (fun s => 2 * a + s) t 1 by auto_derive.
  have D1 : is_derive (fun s => abs_power (a + s) p / p) t (1 * signed_power (a + t) (p - 1)).
    exact: (is_derive_comp (fun y => abs_power y p / p) (fun s => a + s) t _ _ (is_derive_power p1 (a + t)) in_a).
  have D2 : is_derive (fun s => abs_power (a + s) (p - 1)) t (1 * ((p - 1) * abs_power (a + t) (p - 1 - 1))).
    exact: (is_derive_comp (fun y => abs_power y (p - 1)) (fun s => a + s) t _ _
      (is_derive_positive_power (p - 1) at0) in_a).
  have D3 := is_derive_mult _ _ t _ _ D2 in_2a Rmult_comm.
  have D4 := is_derive_minus _ _ t _ _ D3 D1.
  have D5 := is_derive_plus _ _ t _ _ D4 (@is_derive_const R_AbsRing _ (abs_power a p / p) t).
  have X0 : 0 < a + 2 / 3 * (2 * a + t) by lra.
  have D6 := is_derive_minus _ _ t _ _ D5 (is_derive_comp (entry_floor a) _ t _ _ (entry_floor_derive X0) in_2a).
  apply: (is_derive_ext_loc (fun s => minus (plus (minus (mult (abs_power (a + s) (p - 1)) (2 * a + s))
      (abs_power (a + s) p / p)) (abs_power a p / p)) (entry_floor a (2 * a + s)))).
    exists (mkposreal _ at0) => s /Rabs_lt_between [/= lo _].
    have s0 : 0 <= a + s by move: lo; rewrite /minus /plus /opp /=; lra.
    rewrite /minus /plus /opp /mult /= /F /power_gap signed_powerN (signed_power_ge0 _ s0).
    by rewrite -(abs_power_abs (- (a + s))) Rabs_Ropp abs_power_abs; ring.
  apply: is_derive_ext_eq D6; rewrite /minus /plus /opp /mult /scal /zero /one /= /mult /= /dF.
  rewrite signed_power_ge0; last lra.
  by have -> : p - 1 - 1 = p - 2 by [ring]; ring.
have pos t : 0 <= t <= x -> 0 <= dF t.
  move=> [t0 _]; have := entry_floor_slope_le a0 (ltac:(lra) : 0 <= 2 * a + t).
  have := @abs_power_falls (a + t) (a + (2 * a + t)) (p - 2) ltac:(lra) ltac:(lra) => le.
  have := Rmult_le_compat_l ((p - 1) * (2 * a + t)) _ _ ltac:(apply: Rmult_le_pos; lra) le; rewrite /dF; lra.
have := nondecreasing_from0 D pos (s := x) ltac:(lra).
have := @gap_within a (- a) a0 ltac:(rewrite Rabs_Ropp Rabs_pos_eq; lra).
have -> : Rabs (- a - a) = 2 * a by rewrite Rabs_left; lra.
by rewrite /F !Rplus_0_r; lra.
Qed.

(* From 0. *)
Let gap_from0 alpha w : 0 < alpha -> entry_floor alpha (Rabs w) <= gap w 0.
Proof.
move=> a0; have -> : gap w 0 = (1 - / p) * abs_power w p.
  by rewrite /power_gap abs_power0 -(signed_power_dot w p); field; lra.
case: (Req_EM_T w 0) => [-> | w0].
  by rewrite /entry_floor Rabs_R0 abs_power0; lra.
have x0 := Rabs_pos_lt _ w0; set x := Rabs w in x0 *; rewrite /entry_floor -(abs_power_abs w) -/x.
have fall := @abs_power_falls (2 / 3 * x) (alpha + 2 / 3 * x) (p - 2) ltac:(lra) ltac:(lra).
have E : abs_power (2 / 3 * x) (p - 2) * (x * x) = abs_power (2 / 3) (p - 2) * abs_power x p.
  rewrite abs_power_mult -abs_power2 Rmult_assoc abs_power_plus //; congr (_ * abs_power _ _); ring.
have two : abs_power (2 / 3) (p - 2) <= 2 / p.
  have -> : 2 / p = 1 + (2 - p) * (3 / 2 - 1) + - ((2 - p) * (2 - p) / (2 * p)) + (2 - p) * (2 - p) / p by field; lra.
  have sq : 0 <= (2 - p) * (2 - p) / (2 * p).
    by apply: Rmult_le_pos; [exact: Rle_0_sqr | apply/Rlt_le/Rinv_0_lt_compat; lra].
  have -> : (2 - p) * (2 - p) / p = 2 * ((2 - p) * (2 - p) / (2 * p)) by field; lra.
  suff : abs_power (2 / 3) (p - 2) <= 1 + (2 - p) * (3 / 2 - 1) by lra.
  case: (Req_EM_T p 2) => [-> | ne].
    by rewrite Rminus_eq_0 abs_power_pos ?Rpower_O; lra.
  have := @bernoulli_concave (3 / 2) (2 - p) ltac:(lra) ltac:(lra); rewrite !abs_power_pos; try lra.
  have -> : 3 / 2 = / (2 / 3) by field.
  have -> : p - 2 = - (2 - p) by ring.
  by rewrite Rpower_Ropp /Rpower ln_Rinv ?Ropp_mult_distr_r_reverse ?exp_Ropp; lra.
have xp := abs_power_ge0 x p.
have := Rmult_le_compat_r _ _ _ (Rle_0_sqr x) fall; rewrite /Rsqr E => H1.
have := Rmult_le_compat_r _ _ _ xp two => H2.
have := Rmult_le_compat_l ((p - 1) / 2) _ _ ltac:(lra) (Rle_trans _ _ _ H1 H2).
have -> : (p - 1) / 2 * (2 / p * abs_power x p) = (1 - / p) * abs_power x p by field; lra.
by [].
Qed.

(* Section 4 of MIRROR.md. *)
Theorem entry_gap_floor alpha a w : 0 < alpha -> Rabs a <= alpha -> entry_floor alpha (Rabs (w - a)) <= gap w a.
Proof.
move=> al0; suff pos b v : 0 <= b <= alpha -> entry_floor alpha (Rabs (v - b)) <= gap v b.
  move=> /Rabs_le_between al; case: (Rle_lt_dec 0 a) => a0; first by apply: pos; lra.
  have := pos (- a) (- w) ltac:(lra); rewrite power_gapN; have -> : - w - - a = - (w - a) by ring.
  by rewrite Rabs_Ropp.
case: (Req_EM_T b 0) => [-> _ | b0 bl]; first by rewrite Rminus_0_r; exact: gap_from0.
have b1 : 0 < b by lra.
apply: Rle_trans (@entry_floor_falls b alpha _ ltac:(lra) (Rabs_pos _)) _.
case: (Rle_lt_dec b v) => bv.
  rewrite Rabs_pos_eq; last lra.
  by have := @gap_ahead b (v - b) b1 ltac:(lra); have -> : b + (v - b) = v by ring.
case: (Rle_lt_dec (- b) v) => vb; first by apply: gap_within => //; apply: Rabs_le; lra.
rewrite Rabs_left; last lra.
have := @gap_behind b (- v - b) b1 ltac:(lra); have -> : - (b + (- v - b)) = v by ring.
by have -> : 2 * b + (- v - b) = - (v - b) by ring.
Qed.

(* ---- Lemma 9 ---- *)

Variables (alpha E a w : R).
Hypotheses (alpha0 : 0 < alpha) (a_le : Rabs a <= alpha) (within : gap w a <= E).
Let x := Rabs (w - a).

Lemma entry_square : x * x <= 2 * E / (p - 1) * abs_power (alpha + 2 / 3 * x) (2 - p).
Proof.
have x0 : 0 <= x := Rabs_pos _; have fl := Rle_trans _ _ _ (entry_gap_floor w alpha0 a_le) within.
rewrite -/x /entry_floor in fl; have X0 : 0 < alpha + 2 / 3 * x by lra.
have one := abs_power_opp (2 - p) X0; have -> : 2 * E / (p - 1) = 2 / (p - 1) * E by field; lra.
have A0 := abs_power_ge0 (alpha + 2 / 3 * x) (2 - p).
have := Rmult_le_compat_r _ _ _ A0 (Rmult_le_compat_l (2 / (p - 1)) _ _ ltac:(apply/Rlt_le/Rdiv_lt_0_compat; lra) fl).
apply: Rle_trans; right; have -> : p - 2 = - (2 - p) by ring.
have -> : forall B A, 2 / (p - 1) * ((p - 1) / 2 * (B * (x * x))) * A = B * A * (x * x) by move=> B A; field; lra.
by rewrite one; ring.
Qed.

Lemma entry_within T : 0 <= T -> 2 * E / (p - 1) * abs_power (2 * alpha) (2 - p) <= T * T ->
  2 * E / (p - 1) * abs_power (4 / 3) (2 - p) <= abs_power T p -> x <= T.
Proof.
move=> T0 near far; have x0 : 0 <= x := Rabs_pos _; have sq := entry_square.
have E0 : 0 <= 2 * E / (p - 1).
  apply: Rmult_le_pos; last by apply/Rlt_le/Rinv_0_lt_compat; lra.
  by have := power_gap_ge0 p1 w a; lra.
case: (Rle_lt_dec (2 / 3 * x) alpha) => al.
  apply: Rsqr_incr_0_var => //; apply: Rle_trans sq _; apply: Rle_trans near; apply: Rmult_le_compat_l => //.
  by apply: abs_power_le; lra.
have x1 : 0 < x by lra.
apply: (below_power p1) => //; rewrite -(abs_power_abs (w - a)) -/x; apply: Rle_trans far.
have := Rle_trans _ _ _ sq (Rmult_le_compat_l _ _ _ E0 (@abs_power_le (alpha + 2 / 3 * x) (4 / 3 * x) (2 - p)
  ltac:(lra) ltac:(lra))).
rewrite abs_power_mult => le; have P0 := abs_power_ge0 x (p - 2).
have one := abs_power_opp (2 - p) x1; have -> : abs_power x p = abs_power x (- (2 - p)) * (x * x).
  by rewrite -abs_power2 abs_power_plus //; congr abs_power; ring.
have -> : 2 * E / (p - 1) * abs_power (4 / 3) (2 - p) = abs_power x (- (2 - p)) *
    (2 * E / (p - 1) * (abs_power (4 / 3) (2 - p) * abs_power x (2 - p))).
  have -> : forall A B C D, D * (A * (B * C)) = A * B * (D * C) by move=> *; ring.
  by rewrite one; ring.
by apply: Rmult_le_compat_l le; exact: abs_power_ge0.
Qed.

Lemma entry_closer T T' : x <= T -> 0 <= T' -> 2 * E / (p - 1) * abs_power (alpha + 2 / 3 * T) (2 - p) <= T' * T' ->
  x <= T'.
Proof.
move=> xT T0 le; have x0 : 0 <= x := Rabs_pos _; apply: Rsqr_incr_0_var => //.
apply: Rle_trans entry_square _; apply: Rle_trans le; apply: Rmult_le_compat_l; last by apply: abs_power_le; lra.
apply: Rmult_le_pos; last by apply/Rlt_le/Rinv_0_lt_compat; lra.
by have := power_gap_ge0 p1 w a; lra.
Qed.

Lemma entry_soft T sigma : x <= T -> abs_power (alpha + 2 / 3 * T) (2 - p) <= (p - 1) * sigma ->
  (w - a) * (w - a) <= 2 * sigma * gap w a.
Proof.
move=> xT le; have x0 : 0 <= x := Rabs_pos _; have fl := entry_gap_floor w alpha0 a_le; rewrite -/x /entry_floor in fl.
have X0 : 0 < alpha + 2 / 3 * x by lra.
have one := abs_power_opp (2 - p) X0.
have le' := Rle_trans _ _ _ (@abs_power_le (alpha + 2 / 3 * x) (alpha + 2 / 3 * T) (2 - p) ltac:(lra) ltac:(lra)) le.
have -> : (w - a) * (w - a) = x * x by rewrite /x -Rabs_mult Rabs_pos_eq //; exact: Rle_0_sqr.
have G0 := power_gap_ge0 p1 w a; move: fl; have -> : p - 2 = - (2 - p) by ring.
move=> fl; have k0 : 0 <= 2 / (p - 1) * abs_power (alpha + 2 / 3 * x) (2 - p).
  by apply: Rmult_le_pos (abs_power_ge0 _ _); apply/Rlt_le/Rdiv_lt_0_compat; lra.
have := Rmult_le_compat_l _ _ _ k0 fl.
have -> : forall A B, 2 / (p - 1) * A * ((p - 1) / 2 * (B * (x * x))) = B * A * (x * x) by move=> *; field; lra.
rewrite one Rmult_1_l => H; apply: Rle_trans H _.
have := Rmult_le_compat_r _ _ _ G0 (Rmult_le_compat_l (2 / (p - 1)) _ _ ltac:(apply/Rlt_le/Rdiv_lt_0_compat; lra) le').
by have -> : 2 / (p - 1) * ((p - 1) * sigma) = 2 * sigma by field; lra.
Qed.
End Entry.

(* ---- soft entries: (w_j - a_j)^2 is at most 2 sigma_j of the entry's gap ---- *)

Section Soft.
Variables (J : finType) (p q : R) (a w sigma : vec J) (E : R).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1).
Hypothesis soft : forall j, 0 <= sigma j /\ (w j - a j) * (w j - a j) <= 2 * sigma j * power_gap p (w j) (a j).
Hypothesis allowed : mirror_gap p q a (mirror p w) <= E.

Lemma soft_entry h lambda j : 0 < lambda ->
  h * (w j - a j) <= lambda * power_gap p (w j) (a j) + h * h * sigma j / (2 * lambda).
Proof.
move=> l0; have [s0 sq] := soft j; have G0 := power_gap_ge0 p1 (w j) (a j).
set G := power_gap _ _ _ in sq G0 *; set e := w j - a j in sq *; set s := sigma j in s0 sq *.
have h0 : 0 <= h * h := Rle_0_sqr h.
set B := h * h * s / (2 * lambda); have B0 : 0 <= B.
  by apply: Rmult_le_pos; [exact: Rmult_le_pos | apply/Rlt_le/Rinv_0_lt_compat; lra].
have lG : 0 <= lambda * G by apply: Rmult_le_pos; lra.
apply: Rle_trans (Rle_abs _) _; apply: Rsqr_incr_0_var; last lra.
rewrite -Rsqr_abs /Rsqr; have le := Rmult_le_compat_l _ _ _ h0 sq.
have -> : h * e * (h * e) = h * h * (e * e) by ring.
apply: Rle_trans le _; have -> : h * h * (2 * s * G) = 4 * (lambda * G * B) by rewrite /B; field; lra.
by have := Rle_0_sqr (lambda * G - B); rewrite /Rsqr; lra.
Qed.

Theorem soft_moves h : Rabs (dot h (w - a)%V) <= sqrt (2 * E * \sum_j h j * h j * sigma j).
Proof.
have E0 : 0 <= E := Rle_trans _ _ _ (mirror_gap_ge0 p1 conj _ _) allowed.
have up k : (forall j, k j * k j = h j * h j) -> dot k (w - a)%V <= sqrt (2 * E * \sum_j h j * h j * sigma j).
  move=> kk; pose x : vec J := fun j => Rabs (k j) * sqrt (2 * sigma j).
  pose y : vec J := fun j => sqrt (power_gap p (w j) (a j)).
  apply: (Rle_trans _ (dot x y)).
    apply: sum_le => j _; have [s0 sq] := soft j; have G0 := power_gap_ge0 p1 (w j) (a j).
    apply: Rle_trans (Rle_abs _) _; rewrite Rabs_mult /x /y Rmult_assoc; apply: Rmult_le_compat_l (Rabs_pos _) _.
    rewrite -sqrt_mult //; last lra.
    by rewrite -sqrt_Rsqr_abs; apply: sqrt_le_1_alt; rewrite /Rsqr /vsub.
  apply: Rle_trans (dot_le_norms x y) _; rewrite /vnorm -sqrt_mult; try exact: vnorm2_ge0.
  apply: sqrt_le_1_alt; have -> : vnorm2 x = 2 * \sum_j h j * h j * sigma j.
    rewrite /vnorm2 /dot sum_mull; apply: eq_bigr => j _; have [s0 _] := soft j.
    have -> : x j * x j = (Rabs (k j) * Rabs (k j)) * (sqrt (2 * sigma j) * sqrt (2 * sigma j)) by rewrite /x; ring.
    rewrite sqrt_sqrt; last lra.
    by rewrite -Rabs_mult Rabs_pos_eq ?kk; [ring | rewrite -kk; exact: Rle_0_sqr].
  have -> : vnorm2 y = mirror_gap p q a (mirror p w).
    by rewrite (mirror_gap_sum p1 conj); apply: eq_bigr => j _; rewrite /y sqrt_sqrt //; exact: power_gap_ge0.
  rewrite (Rmult_assoc 2 E) (Rmult_comm E) -Rmult_assoc; apply: Rmult_le_compat_l allowed.
  apply: Rmult_le_pos; first lra.
  by apply: sum_ge0 => j _; apply: Rmult_le_pos; [exact: Rle_0_sqr | case: (soft j)].
apply: Rabs_le; split; last exact: up.
have := up (- h)%V (fun j => ltac:(rewrite /vopp; ring)); rewrite dotNl; lra.
Qed.
End Soft.

(* ---- scaling ---- *)

Lemma signed_power_scale y x s : 0 < y -> signed_power (y * x) s = abs_power y s * signed_power x s.
Proof.
move=> y0; case: (Rle_lt_dec 0 x) => x0.
  by rewrite !signed_power_ge0 ?abs_power_mult //; apply: Rmult_le_pos; lra.
have -> : signed_power (y * x) s = - signed_power (y * - x) s.
  by rewrite -signed_powerN; congr signed_power; ring.
have -> : signed_power x s = - signed_power (- x) s by rewrite signed_powerN; ring.
by rewrite !signed_power_ge0 ?abs_power_mult; [ring | lra | apply: Rmult_le_pos; lra].
Qed.

Lemma mirror_gap_scale (J : finType) p q (a w : vec J) y : 1 < p -> / p + / q = 1 -> 0 < y ->
  mirror_gap p q (y * a)%V (mirror p (y * w)%V) = abs_power y p * mirror_gap p q a (mirror p w).
Proof.
move=> p1 conj y0; rewrite !(mirror_gap_sum p1 conj) sum_mull; apply: eq_bigr => j _.
rewrite /power_gap /vscale !abs_power_mult signed_power_scale //.
have -> : abs_power y p = abs_power y (p - 1) * y.
  by rewrite -{3}(abs_power1 (Rlt_le _ _ y0)) abs_power_plus //; congr abs_power; ring.
by rewrite /Rdiv; ring.
Qed.
