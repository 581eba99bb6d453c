(* MirrorCurve: Lemma 4 of MIRROR.md, for all p > 1 with the factor 1/(p-1): how far <n, w> is from the height of the
   ray's point a with <grad psi(w), u> = <grad psi(a), u>.

   What the gradient misses beside its tangent at a costs no more than the divergence from a: that is Young's inequality
   at grad psi(a) and w. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Vectors Duality EntrywiseDuality DualNorm PowerInequalities Mirror.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Curve.
Variables p q : R.
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1).
Notation g := (fun x => signed_power x (p - 1)).

Definition entry_gap (a w : R) : R := abs_power a p / p + abs_power (g w) q / q - g w * a.
Definition tangent_rest (a w : R) : R := g w - g a - (p - 1) * abs_power a (p - 2) * (w - a).

Let gradient_power w : abs_power (g w) q = abs_power w p.
Proof.
rewrite -(abs_power_abs (g w)) signed_power_abs abs_power_comp; congr abs_power.
by have := conjugate_product p1 conj; lra.
Qed.

Lemma tangent_slope a : a <> 0 -> abs_power a (p - 2) * a = g a.
Proof.
move=> a0; have := abs_power_step (p - 1) a0; have -> : p - 1 - 1 = p - 2 by ring.
rewrite /signed_power; case: Rlt_dec => neg /= <-; first by rewrite Rabs_left //; ring.
by rewrite Rabs_pos_eq //; lra.
Qed.

Lemma tangent_rest_cost a w : a <> 0 -> - (a * tangent_rest a w) <= entry_gap a w.
Proof.
move=> a0; have slope := tangent_slope a0; have q0 : q <> 0 by have := conjugate_gt1 p1 conj; lra.
have ga := signed_power_dot a p; have Y := young (g a) w p1 conj.
rewrite gradient_power in Y; rewrite /entry_gap /tangent_rest gradient_power.
set A := abs_power a p in ga Y *; set W := abs_power w p in Y *; set s := abs_power a (p - 2) in slope *.
move: slope ga Y; move: (g a) (g w) A W s => G H A W s slope ga Y.
have -> : - (a * (H - G - (p - 1) * s * (w - a))) = - (a * H) + G * a + (p - 1) * ((s * a) * w - (s * a) * a) by ring.
rewrite slope ga; have iq : / q = (p - 1) / p by (have -> : (p - 1) / p = 1 - / p by field; lra); have := conj; lra.
have p0 : 0 < p - 1 by lra.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ p0) Y.
rewrite /Rdiv !iq => H1; apply: (Rmult_le_reg_l p); first by lra.
have := Rmult_le_compat_l p _ _ (Rlt_le _ _ (Rlt_trans _ _ _ Rlt_0_1 p1)) H1.
have E x : p * (x * / p) = x by field; lra.
have -> : p * ((p - 1) * (A * ((p - 1) * / p) + W * / p)) = (p - 1) * ((p - 1) * A + W) by field; lra.
have -> : p * (A * / p + W * ((p - 1) * / p) - H * a) = A + (p - 1) * W - p * (H * a) by field; lra.
by lra.
Qed.

(* kappa, for any factor c in front of the second sum, which is 0; r bounds u_j/a_j. *)
Theorem curvature_term (J : finType) (n u a w : vec J) c r : 0 <= c ->
  (forall j, a j <> 0 /\ 0 <= u j / a j <= r) -> dot (mirror p w) u = dot (mirror p a) u ->
  dot n (w - a)%V <= (\sum_j (n j - c * abs_power (a j) (p - 2) * u j) * (w j - a j)) +
    c / (p - 1) * (r * mirror_gap p q a (mirror p w)).
Proof.
move=> c0 near same; have p0 : 0 < p - 1 by lra.
have gapE : mirror_gap p q a (mirror p w) = \sum_j entry_gap (a j) (w j).
  by rewrite /mirror_gap /potential /lp_sum /Rdiv !sum_mulr -sumD -sumB.
have level : \sum_j u j * (mirror p w j - mirror p a j) = 0.
  have -> : \sum_j u j * (mirror p w j - mirror p a j) = dot (mirror p w) u - dot (mirror p a) u.
    by rewrite /dot -sumB; apply: eq_bigr => j _; ring.
  by rewrite same; ring.
have -> : dot n (w - a)%V = (\sum_j (n j - c * abs_power (a j) (p - 2) * u j) * (w j - a j)) +
    c / (p - 1) * \sum_j - (u j * tangent_rest (a j) (w j)).
  have -> : dot n (w - a)%V = dot n (w - a)%V - c / (p - 1) * (\sum_j u j * (mirror p w j - mirror p a j)).
    by rewrite level; ring.
  rewrite /dot !sum_mull -sumB -sumD; apply: eq_bigr => j _; rewrite /tangent_rest /mirror /vsub.
  by field; lra.
apply/Rplus_le_compat_l/Rmult_le_compat_l.
  by apply: Rmult_le_pos c0 (Rlt_le _ _ (Rinv_0_lt_compat _ p0)).
rewrite gapE sum_mull; apply: sum_le => j _; have [aj [r0 rj]] := near j.
have := tangent_rest_cost (w j) aj; set T := tangent_rest _ _; set d := entry_gap _ _ => cost.
have d0 : 0 <= d.
  by have := young (g (w j)) (a j) p1 conj; rewrite /d /entry_gap; lra.
have -> : - (u j * T) = u j / a j * (- (a j * T)) by field.
apply: Rle_trans (Rmult_le_compat_l _ _ _ r0 cost) _.
exact: Rmult_le_compat_r.
Qed.
End Curve.
