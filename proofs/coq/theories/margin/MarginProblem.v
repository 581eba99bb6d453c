(* MarginProblem: minimise ||w|| subject to <D_c, w> >= h_c for finitely many rows c (theory.md section 2).

   T2 (Karush-Kuhn-Tucker evidence determines the unique minimiser) and T3 (duality gap bounds distances). Rows are the
   c with P c (Duality.v); the papers' problem is h = 1. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Duality.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section MarginProblem.
Variables (J I : finType) (P : pred I) (D : I -> vec J) (h : I -> R).
Implicit Types (w r : vec J) (lam : I -> R) (c : I).

Notation rows_hold := (rows_hold P D h).

(* The unique solution. *)
Definition minimiser w : Prop := rows_hold w /\ forall w', rows_hold w' -> w' <> w -> vnorm w < vnorm w'.

(* ---- weak duality ---- *)

(* ||w||^2 is at least the dual value 2 sum lam h - ||sum lam D||^2 for every feasible w. *)
Theorem weak_duality w lam : rows_hold w -> (forall c, P c -> 0 <= lam c) ->
  2 * (\sum_(c | P c) lam c * h c) - vnorm2 (combine P lam D) <= vnorm2 w.
Proof.
move=> Hw l0; have := dual_le_dot Hw l0; have := vnorm2_ge0 (combine P lam D - w)%V.
rewrite vnorm2B; lra.
Qed.

(* ---- the variational inequality characterises the minimiser ---- *)

Lemma variational w : minimiser w -> forall w', rows_hold w' -> vnorm2 w <= dot w w'.
Proof.
move=> [Hw Mw] w' Hw'; apply: Rnot_lt_le => lt.
set a := vnorm2 w - dot w w'; have a0 : 0 < a by rewrite /a; lra.
set b := vnorm2 (w' - w)%V; have b0 : 0 <= b by apply: vnorm2_ge0.
have Mw2 v : rows_hold v -> vnorm2 w <= vnorm2 v.
  move=> Hv; apply: Rnot_lt_le => vw.
  have ne : v <> w by move=> E; move: vw; rewrite E; lra.
  have := Mw v Hv ne; have := vnorm_le (Rlt_le _ _ vw); lra.
pose s := a / (a + b).
have s01 : 0 <= s <= 1.
  split; first by apply: Rlt_le; apply: Rdiv_lt_0_compat; lra.
  by apply: (Rmult_le_reg_r (a + b)); [lra | rewrite /s /Rdiv Rmult_assoc Rinv_l; lra].
have s0 : 0 < s by apply: Rdiv_lt_0_compat; lra.
have sab : s * (a + b) = a by rewrite /s; field; lra.
have := Mw2 _ (rows_hold_segment Hw Hw' s01).
rewrite vnorm2D dotZr vnorm2Z dotBr -/(vnorm2 w) -/b => H.
have {H} : s * (s * b) >= s * (2 * a) by rewrite /a; lra.
move/Rge_le/(Rmult_le_reg_l _ _ _ s0); nra.
Qed.

Lemma minimiser_of_variational w : rows_hold w -> (forall w', rows_hold w' -> vnorm2 w <= dot w w') -> minimiser w.
Proof.
move=> Hw V; split=> // w' Hw' ne.
have H : vnorm2 (w' - w)%V <= vnorm2 w' - vnorm2 w by rewrite vnorm2B (dotC w' w); have := V _ Hw'; lra.
have pos : 0 < vnorm2 (w' - w)%V.
  case: (vnorm2_ge0 (w' - w)%V) => // /esym /vnorm2_eq0 E; case: ne; apply: vec_ext => j.
  by move: (f_equal (fun v : vec J => v j) E); rewrite /vsub /vzero; lra.
by apply: sqrt_lt_1_alt; split; [apply: vnorm2_ge0 | lra].
Qed.

Lemma minimiser_unique w w' : minimiser w -> minimiser w' -> w = w'.
Proof.
move=> Mw Mw'; have V := variational Mw (proj1 Mw'); have V' := variational Mw' (proj1 Mw).
have : vnorm2 (w - w')%V = 0.
  by apply: Rle_antisym; [rewrite vnorm2B; rewrite (dotC w' w) in V'; lra | apply: vnorm2_ge0].
move/vnorm2_eq0 => E; apply: vec_ext => j.
by move: (f_equal (fun v : vec J => v j) E); rewrite /vsub /vzero; lra.
Qed.

(* ---- T2 ---- *)

Theorem kkt_minimiser w lam : rows_hold w -> (forall c, P c -> 0 <= lam c) -> w = combine P lam D ->
  (forall c, P c -> lam c * (dot (D c) w - h c) = 0) -> minimiser w.
Proof.
move=> Hw l0 E slack; apply: minimiser_of_variational => // w' Hw'.
have -> : vnorm2 w = \sum_(c | P c) lam c * h c.
  rewrite /vnorm2 {1}E dot_combinel; apply: eq_bigr => c Pc; have := slack c Pc; lra.
by rewrite {1}E; apply: dual_le_dot.
Qed.

(* ---- T3 ---- *)

Theorem distance_primal w wstar : minimiser wstar -> rows_hold w -> vnorm2 (w - wstar) <= vnorm2 w - vnorm2 wstar.
Proof. by move=> M Hw; have := variational M Hw; rewrite vnorm2B dotC; lra. Qed.

(* The sharper form: the gap bounds the sum of the squared distances of the primal and of the dual point. *)
Theorem gap_distances w wstar lam : minimiser wstar -> rows_hold w -> (forall c, P c -> 0 <= lam c) ->
  vnorm2 (w - wstar) + vnorm2 (combine P lam D - wstar) <=
  vnorm2 w - (2 * (\sum_(c | P c) lam c * h c) - vnorm2 (combine P lam D)).
Proof.
move=> M Hw l0; have H1 := distance_primal M Hw; have H2 := dual_le_dot (proj1 M) l0.
by rewrite (vnorm2B (combine P lam D)); lra.
Qed.

Theorem gap_distance w wstar lam : minimiser wstar -> rows_hold w -> (forall c, P c -> 0 <= lam c) ->
  vnorm2 (w - wstar) <= vnorm2 w - (2 * (\sum_(c | P c) lam c * h c) - vnorm2 (combine P lam D)).
Proof. by move=> M Hw l0; have := gap_distances M Hw l0; have := vnorm2_ge0 (combine P lam D - wstar)%V; lra. Qed.

(* The margin of a row at the minimiser, from a ball around it: rows that are strictly slack at w by more than the
   radius times their length are not tight at the minimiser. *)
Lemma margin_in_ball w wstar c radius2 : vnorm2 (w - wstar) <= radius2 -> h c < dot (D c) w ->
  radius2 * vnorm2 (D c) < (dot (D c) w - h c) * (dot (D c) w - h c) -> h c < dot (D c) wstar.
Proof.
move=> dist slack far; apply: Rnot_le_lt => tight.
have := cauchy_schwarz2 (D c) (w - wstar)%V; rewrite dotBr.
have d0 := vnorm2_ge0 (D c); nra.
Qed.

End MarginProblem.
