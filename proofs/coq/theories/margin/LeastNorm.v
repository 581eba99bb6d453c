(* LeastNorm: a non-empty closed convex set has a point of least norm, so a feasible margin problem has a minimiser.

   The point is built coordinate by coordinate from least upper bounds, which avoids choosing a minimising sequence and
   with it the need for choice principles. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Duality MarginProblem.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section LeastNorm.
Variables (J : finType) (K : vec J -> Prop).
Hypothesis K_midpoint : forall u v, K u -> K v -> K ((1 / 2) * (u + v))%V.
Hypothesis K_closed : forall u, (forall eps, 0 < eps -> exists v, K v /\ vnorm (v - u) <= eps) -> K u.
Hypothesis K_inhabited : exists u, K u.

(* The greatest lower bound m of the squared norms. *)
Lemma least_norm2_exists : exists m, (forall u, K u -> m <= vnorm2 u) /\
  forall eps, 0 < eps -> exists u, K u /\ vnorm2 u <= m + eps.
Proof.
pose E x := exists u, K u /\ x = - vnorm2 u.
have [||m [ub least]] := completeness E.
- by exists 0 => x [u [_ ->]]; have := vnorm2_ge0 u; lra.
- by have [u Ku] := K_inhabited; exists (- vnorm2 u); exists u.
exists (- m); split=> [u Ku | eps eps0].
  by have : E (- vnorm2 u) by [exists u]; move/ub; lra.
apply: Classical_Prop.NNPP => none.
have : m <= m - eps; last lra.
apply: least => x [u [Ku ->]]; apply: Rnot_lt_le => lt; apply: none; exists u; split=> //; lra.
Qed.

Theorem least_norm : exists u, K u /\ forall v, K v -> vnorm u <= vnorm v.
Proof.
have [m [m_le m_near]] := least_norm2_exists.
pose near eps u := K u /\ vnorm2 u <= m + eps * eps.
have near_ex eps : 0 < eps -> exists u, near eps u.
  by move=> e0; apply: m_near; nra.
(* two points of near eps are within 2 eps of each other, by the parallelogram law *)
have near_dist eps u v : 0 < eps -> near eps u -> near eps v -> vnorm (u - v) <= 2 * eps.
  move=> e0 [Ku Hu] [Kv Hv]; apply: vnorm_le_sqr; first lra.
  by have := m_le _ (K_midpoint Ku Kv); rewrite vnorm2Z vnorm2D vnorm2B; lra.
have near_coord eps u v j : 0 < eps -> near eps u -> near eps v -> u j - 2 * eps <= v j.
  move=> e0 Nu Nv; have := near_dist _ _ _ e0 Nu Nv; have := coord_le_norm (u - v)%V j.
  by rewrite /vsub; have := Rle_abs (u j - v j); lra.
have near_mono eps eps' u : 0 < eps -> eps <= eps' -> near eps u -> near eps' u.
  by move=> e0 ee [Ku Hu]; split=> //; nra.
pose lower j x := exists eps, 0 < eps /\ forall v, near eps v -> x <= v j.
have lower_in eps u j : 0 < eps -> near eps u -> lower j (u j - 2 * eps).
  by move=> e0 Nu; exists eps; split=> // v; apply: near_coord.
have lower_le eps u j x : 0 < eps -> near eps u -> lower j x -> x <= u j + 2 * eps.
  move=> e0 Nu [eps' [e0' Hx]]; have d0 : 0 < Rmin eps eps' by apply: Rmin_pos.
  have [v Nv] := near_ex _ d0.
  have := Hx v (near_mono _ _ _ d0 (Rmin_r _ _) Nv).
  by have := near_coord _ _ _ j e0 (near_mono _ _ _ d0 (Rmin_l _ _) Nv) Nu; lra.
have [u1 N1] := near_ex 1 Rlt_0_1.
have lower_bound j : bound (lower j) by exists (u1 j + 2 * 1) => x; apply: lower_le; [lra | ].
have lower_ex j : exists x, lower j x by exists (u1 j - 2 * 1); apply: lower_in; [lra | ].
pose z : vec J := fun j => proj1_sig (completeness (lower j) (lower_bound j) (lower_ex j)).
have zP j : is_lub (lower j) (z j) by rewrite /z; case: completeness.
have z_coord eps u j : 0 < eps -> near eps u -> Rabs (u j - z j) <= 2 * eps.
  move=> e0 Nu; have [ub least] := zP j; apply: Rabs_le; split.
    suff : z j <= u j + 2 * eps by lra.
    by apply: least => x; apply: lower_le.
  by have := ub _ (lower_in _ _ j e0 Nu); lra.
pose N := INR #|J| + 1.
have N1' : 1 <= N by have := pos_INR #|J|; rewrite /N; lra.
have z_near eps u : 0 < eps -> near eps u -> vnorm (u - z) <= 2 * eps * N.
  move=> e0 Nu; apply: vnorm_le_sqr; first nra.
  apply: (Rle_trans _ (\sum_(j : J) (2 * eps) * (2 * eps))).
    apply: sum_le => j _; have := z_coord _ _ j e0 Nu; rewrite /vsub.
    by move/Rabs_le_between; nra.
  by rewrite sum_const; have := pos_INR #|J|; rewrite /N; nra.
have Kz : K z.
  apply: K_closed => eps eps0; have e0 : 0 < eps / (2 * N) by apply: Rdiv_lt_0_compat; lra.
  have [u Nu] := near_ex _ e0; exists u; split; first by case: Nu.
  by have := z_near _ _ e0 Nu; rewrite (_ : 2 * (eps / (2 * N)) * N = eps) //; field; lra.
exists z; split=> // v Kv; apply: le_epsilon => eps eps0.
have e0 : 0 < eps / (1 + 2 * N) by apply: Rdiv_lt_0_compat; lra.
set e := eps / (1 + 2 * N) in e0.
have eE : e + 2 * e * N = eps by rewrite /e; field; lra.
have [u Nu] := near_ex _ e0; have dist := z_near _ _ e0 Nu.
have v0 := vnorm_ge0 v; have u_small : vnorm u <= vnorm v + e.
  apply: vnorm_le_sqr; first lra.
  by have [Ku Hu] := Nu; have := m_le _ Kv; rewrite -(vnorm_sqr v); nra.
have := vnorm_sub_ge z u; rewrite -/(vdist z u) vdistC /vdist; lra.
Qed.
End LeastNorm.

(* A feasible margin problem has a minimiser (and MarginProblem.minimiser_unique says that it is the only one). *)
Theorem minimiser_exists (J I : finType) (P : pred I) (D : I -> vec J) (h : I -> R) :
  (exists w, rows_hold P D h w) -> exists w, minimiser P D h w.
Proof.
move=> feasible; have [| |w [Hw Mw]] := @least_norm J (rows_hold P D h) _ _ feasible.
- move=> u v Hu Hv c Pc; have := Hu c Pc; have := Hv c Pc; rewrite dotZr dotDr; lra.
- move=> u near c Pc; apply: le_epsilon => eps eps0.
  have d0 := vnorm_ge0 (D c).
  have [|v [Hv dist]] := near (eps / (1 + vnorm (D c))); first by apply: Rdiv_lt_0_compat; lra.
  have := Hv c Pc; have := dot_le_norms (D c) (v - u)%V; rewrite dotBr.
  have : vnorm (D c) * vnorm (v - u) <= eps.
    apply: (Rle_trans _ ((1 + vnorm (D c)) * (eps / (1 + vnorm (D c))))); last by right; field; lra.
    by apply: Rmult_le_compat => //; [apply: vnorm_ge0 | lra].
  lra.
exists w; split=> // w' Hw' ne; apply: Rnot_le_lt => le.
have le_w := Mw _ Hw'; have eq : vnorm2 w' = vnorm2 w by rewrite -!vnorm_sqr (Rle_antisym _ _ le le_w).
have : vnorm2 w <= vnorm2 ((1 / 2) * (w + w'))%V.
  have /Mw H : rows_hold P D h ((1 / 2) * (w + w'))%V.
    by move=> c Pc; have := Hw c Pc; have := Hw' c Pc; rewrite dotZr dotDr; lra.
  rewrite -!vnorm_sqr; have w0 := vnorm_ge0 w; nra.
rewrite vnorm2Z vnorm2D => mid; apply: ne.
have : vnorm2 (w' - w)%V = 0.
  by apply: Rle_antisym; [rewrite vnorm2B (dotC w' w); lra | apply: vnorm2_ge0].
move/vnorm2_eq0 => E; apply: vec_ext => j.
by move: (f_equal (fun v : vec J => v j) E); rewrite /vsub /vzero; lra.
Qed.
