(* LineDescent: a function of one variable that stays below its starting value (the analysis behind T12n).

   F decreases at 0 at least gamma times as fast as a mass H that cannot grow faster than a H, and curves upwards at
   most k H - but both bounds are known only while F is below F 0.  If the interval is short enough, F never leaves
   that set. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Growth.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* A function whose derivative is at most 0 on [0, c] is at c at most what it is at 0. *)
Lemma nonincreasing (f df : R -> R) c : 0 <= c -> (forall x, is_derive f x (df x)) ->
  (forall x, 0 <= x <= c -> df x <= 0) -> f c <= f 0.
Proof.
move=> c0 H Hd; have [| |x [xc E]] := MVT_gen f 0 c df.
- by move=> x _; exact: H.
- by move=> x _; apply/continuity_pt_filterlim/ex_derive_continuous; exists (df x).
move: xc; rewrite Rmin_left // Rmax_right // => xc; have := Hd x xc; nra.
Qed.

(* A differentiable function below a level at a point is below it nearby. *)
Lemma below_nearby (f df : R -> R) c level : (forall x, is_derive f x (df x)) -> f c < level ->
  exists2 d, 0 < d & forall x, Rabs (x - c) < d -> f x < level.
Proof.
move=> H fc.
have cont : continuous f c by apply: ex_derive_continuous; exists (df c).
have e0 : 0 < level - f c by lra.
have [d Hd] := cont _ (locally_ball (f c) (mkposreal _ e0)).
exists d; first exact: cond_pos.
move=> x xc; have := Hd x xc; rewrite /ball /= /AbsRing_ball /abs /minus /plus /opp /=.
by move/Rabs_def2; lra.
Qed.

(* The same to the right of a point where the function has the level and decreases. *)
Lemma below_right (f df : R -> R) c : is_derive f c (df c) -> df c < 0 ->
  exists2 d, 0 < d & forall x, c < x < c + d -> f x < f c.
Proof.
move=> /is_derive_Reals H d0; have e0 : 0 < - df c by lra.
have [d Hd] := H _ e0; exists d; first exact: cond_pos.
move=> x xc; have h0 : x - c <> 0 by lra.
have := Hd (x - c) h0 (ltac:(rewrite Rabs_pos_eq; lra)).
have -> : c + (x - c) = x by ring.
move/Rabs_def2 => [h _]; have h1 : (f x - f c) / (x - c) < 0 by lra.
have := Rmult_lt_compat_r (x - c) _ _ (ltac:(lra)) h1.
by rewrite /Rdiv Rmult_assoc Rinv_l // Rmult_1_r Rmult_0_l; lra.
Qed.

(* Real induction: if F strictly decreases at 0, and is below F 0 at c whenever it was up to c, it is below
   throughout. *)
Lemma stays_below (F dF : R -> R) eta : 0 <= eta -> (forall x, is_derive F x (dF x)) -> dF 0 < 0 ->
  (forall c, 0 < c <= eta -> (forall x, 0 <= x <= c -> F x <= F 0) -> F c < F 0) ->
  forall x, 0 <= x <= eta -> F x <= F 0.
Proof.
move=> eta0 H d0 Hc.
pose E s := 0 <= s <= eta /\ forall x, 0 <= x <= s -> F x <= F 0.
have E0 : E 0 by split=> [|x x0]; [lra | have -> : x = 0 by lra]; lra.
have bE : bound E by exists eta => s [[_ s1] _].
have [c [ub lub]] := completeness E bE (ex_intro _ 0 E0).
have c0 : 0 <= c := ub 0 E0.
have ce : c <= eta by apply: lub => s [[_ s1] _].
have before x : 0 <= x < c -> F x <= F 0.
  move=> [x0 xc]; apply: Rnot_lt_le => Fx.
  have : c <= x by apply: lub => s [[s0 s1] Hs]; apply: Rnot_lt_le => xs; have := Hs x (ltac:(lra)); lra.
  lra.
have atc : F c <= F 0.
  have [cz|cz] := Rle_lt_or_eq_dec _ _ c0; last by rewrite -cz; lra.
  apply: Rnot_lt_le => Fc.
  have dN x : is_derive (fun y => - F y) x (- dF x) by have := is_derive_opp _ _ _ (H x).
  have [|d dpos Hd] := below_nearby (c := c) (level := - F 0) dN; first by lra.
  pose x := Rmax 0 (c - d / 2); have x0 : 0 <= x := Rmax_l _ _; have x1 : c - d / 2 <= x := Rmax_r _ _.
  have xc : x < c by apply: Rmax_lub_lt; lra.
  have := Hd x (ltac:(rewrite Rabs_left; lra)); have := before x (conj x0 xc); lra.
have upto x : 0 <= x <= c -> F x <= F 0.
  by move=> [x0 [xc|->]]; [apply: before | exact: atc].
(* F is below F 0 also a little beyond c, so c is eta. *)
have [lt|eq] := Rle_lt_or_eq_dec _ _ ce; last by move=> x; rewrite -eq; exact: upto.
have [d dpos Hd] : exists2 d, 0 < d & forall x, c < x < c + d -> F x < F 0.
  have [cz|cz] := Rle_lt_or_eq_dec _ _ c0; last by move: (below_right (H 0) d0); rewrite -cz.
  have Fc := Hc c (conj cz ce) upto; have [d dpos Hd] := below_nearby (c := c) H Fc.
  by exists d => // x xc; apply: Hd; rewrite Rabs_pos_eq; lra.
pose s := Rmin eta (c + d / 2); have s1 : s <= eta := Rmin_l _ _; have s2 : s <= c + d / 2 := Rmin_r _ _.
have cs : c < s by apply: Rmin_glb_lt; lra.
have : s <= c; last by lra.
apply: ub; split; first by lra.
move=> x [x0 xs]; have [xc|xc] := Rle_lt_dec x c; first exact: upto.
by apply/Rlt_le/Hd; lra.
Qed.

Section LineDescent.
Variables (F dF ddF H dH : R -> R) (eta gamma k a : R).
Hypothesis eta_ge0 : 0 <= eta.
Hypothesis F_derive : forall x, is_derive F x (dF x).
Hypothesis dF_derive : forall x, is_derive dF x (ddF x).
Hypothesis H_derive : forall x, is_derive H x (dH x).
Hypothesis gamma_gt0 : 0 < gamma.
Hypothesis k_ge0 : 0 <= k.
Hypothesis a_ge0 : 0 <= a.
Hypothesis H0_gt0 : 0 < H 0.
Hypothesis start_slope : dF 0 <= - (gamma * H 0).
Hypothesis curvature : forall x, 0 <= x <= eta -> F x <= F 0 -> ddF x <= k * H x.
Hypothesis mass_growth : forall x, 0 <= x <= eta -> F x <= F 0 -> dH x <= a * H x.
Hypothesis short : eta * k * exp (a * eta) < 2 * gamma.

Section UpTo.
Variable c : R.
Hypothesis c_range : 0 < c <= eta.
Hypothesis below : forall x, 0 <= x <= c -> F x <= F 0.

Lemma mass_bound x : 0 <= x <= c -> H x <= H 0 * exp (a * eta).
Proof.
move=> xc; apply: (Rle_trans _ (H 0 * exp (a * x))); last first.
  by apply: Rmult_le_compat_l; [lra | apply: exp_le; apply: Rmult_le_compat_l; lra].
have D y : is_derive (fun y => H y * exp (- (a * y))) y ((dH y - a * H y) * exp (- (a * y))).
  have De : is_derive (fun y => exp (- (a * y))) y (- a * exp (- (a * y))) by auto_derive => //; ring.
  apply: is_derive_ext_eq (is_derive_mult _ _ _ _ _ (H_derive y) De Rmult_comm).
  by rewrite /plus /mult /=; ring.
have := nonincreasing (proj1 xc) D _; rewrite Rmult_0_r Ropp_0 exp_0 Rmult_1_r => M.
have {}M : H x * exp (- (a * x)) <= H 0.
  apply: M => y yx; have yc : 0 <= y <= c by lra.
  have ye : 0 <= y <= eta by lra.
  by have := mass_growth ye (below yc); have := exp_pos (- (a * y)); nra.
have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ (exp_pos (a * x))) M.
by rewrite Rmult_assoc -exp_plus Rplus_opp_l exp_0 Rmult_1_r.
Qed.

Let top := k * (H 0 * exp (a * eta)).

Lemma slope_bound x : 0 <= x <= c -> dF x <= - (gamma * H 0) + top * x.
Proof.
move=> xc; have D y : is_derive (fun y => dF y - top * y) y (ddF y - top).
  have Dl : is_derive (fun y => top * y) y top by auto_derive => //; ring.
  exact: is_derive_minus (dF_derive y) Dl.
have := nonincreasing (proj1 xc) D _; rewrite Rmult_0_r Rminus_0_r => M.
suff : dF x - top * x <= dF 0 by lra.
apply: M => y yx; have yc : 0 <= y <= c by lra.
have ye : 0 <= y <= eta by lra.
have := curvature ye (below yc); have := Rmult_le_compat_l _ _ _ k_ge0 (mass_bound yc); rewrite /top; lra.
Qed.

Lemma value_bound : F c < F 0.
Proof.
have D y : is_derive (fun y => F y + gamma * H 0 * y - top / 2 * (y * y)) y (dF y + gamma * H 0 - top * y).
  have Dl : is_derive (fun y => top / 2 * (y * y) - gamma * H 0 * y) y (top * y - gamma * H 0) by auto_derive
    => //; field.
  apply: (is_derive_ext (fun y => minus (F y) (top / 2 * (y * y) - gamma * H 0 * y))) => [z|].
    by rewrite /minus /plus /opp /=; ring.
  apply: is_derive_ext_eq (is_derive_minus _ _ _ _ _ (F_derive y) Dl).
  by rewrite /minus /plus /opp /=; ring.
have := nonincreasing (Rlt_le _ _ (proj1 c_range)) D _ => M.
have {}M : F c + gamma * H 0 * c - top / 2 * (c * c) <= F 0.
  have := M (fun y yc => ltac:(have := slope_bound yc; lra)); lra.
have E0 := exp_pos (a * eta).
have : top * c < 2 * gamma * H 0.
  have -> : top * c = c * k * exp (a * eta) * H 0 by rewrite /top; ring.
  apply: Rmult_lt_compat_r => //; apply: Rle_lt_trans short.
  by apply: Rmult_le_compat_r; [lra | apply: Rmult_le_compat_r; lra].
have := proj1 c_range; nra.
Qed.
End UpTo.

Theorem line_descent x : 0 <= x <= eta -> F x <= F 0.
Proof.
apply: (stays_below eta_ge0 F_derive) => [|c cr Hc]; last exact: value_bound cr Hc.
by have := Rmult_lt_0_compat _ _ gamma_gt0 H0_gt0; lra.
Qed.
End LineDescent.
