(* Enclosure: approximate multipliers with a lower bound of the least eigenvalue of their Gram matrix enclose the exact
   solution of a margin problem and determine its support (the lambda-min form of proofs/statements/GRAMMAR.md).

   A is the proposed active set, lam the approximate multipliers on A, W = sum over A of lam_c D_c,
   r_c = 1 - <D_c, W>. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Duality MarginProblem PositiveDefinite.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- a verified lower bound of the least eigenvalue of a Gram matrix ---- *)

Section EigenvalueBound.
Variables (J I K : finType) (A : pred I) (D : I -> vec J).

(* The Gram matrix of the rows in A has no eigenvalue below S. *)
Definition gram_at_least (S : R) : Prop :=
  forall x : I -> R, S * (\sum_(c | A c) x c * x c) <= vnorm2 (combine A x D).

Lemma vnorm2_combine (x : I -> R) :
  vnorm2 (combine A x D) = \sum_(c | A c) \sum_(d | A d) x c * x d * dot (D c) (D d).
Proof.
rewrite /vnorm2 dot_combinel; apply: eq_bigr => c _.
by rewrite dot_combiner sum_mull; apply: eq_bigr => d _; ring.
Qed.

(* A symmetric matrix has no quadratic form larger than its largest absolute row sum. *)
Lemma quadratic_form_row_sums (E : I -> I -> R) (e : R) : (forall c d, A c -> A d -> E c d = E d c) ->
  (forall c, A c -> \sum_(d | A d) Rabs (E c d) <= e) ->
  forall x : I -> R, - e * (\sum_(c | A c) x c * x c) <= \sum_(c | A c) \sum_(d | A d) x c * x d * E c d.
Proof.
move=> sym rows x.
pose B c d := Rabs (E c d) * (x c * x c + x d * x d) / 2.
have le_B : - (\sum_(c | A c) \sum_(d | A d) B c d) <= \sum_(c | A c) \sum_(d | A d) x c * x d * E c d.
  rewrite -sumN; apply: sum_le => c Ac; rewrite -sumN; apply: sum_le => d Ad; rewrite /B.
  have a0 := Rabs_pos (E c d); have := Rabs_maj2 (E c d); have := Rle_abs (E c d).
  have := Rle_0_sqr (x c + x d); have := Rle_0_sqr (x c - x d); rewrite /Rsqr; nra.
have : \sum_(c | A c) \sum_(d | A d) B c d = \sum_(c | A c) (x c * x c) * (\sum_(d | A d) Rabs (E c d)).
  have -> : \sum_(c | A c) \sum_(d | A d) B c d =
            \sum_(c | A c) ((\sum_(d | A d) Rabs (E c d) * (x c * x c) / 2) +
                            (\sum_(d | A d) Rabs (E c d) * (x d * x d) / 2)).
    by apply: eq_bigr => c _; rewrite -sumD; apply: eq_bigr => d _; rewrite /B; field.
  rewrite sumD [X in _ + X]exchange_big /= -sumD; apply: eq_bigr => c Ac.
  rewrite -sumD sum_mull; apply: eq_bigr => d Ad; rewrite (sym d c) //; field.
move=> EB; apply: Rle_trans le_B; rewrite EB sum_mull -sumN; apply: sum_le => c Ac.
by have := rows c Ac; have := Rle_0_sqr (x c); rewrite /Rsqr; nra.
Qed.

(* Cholesky with an explicit residual: G = s I + L L' + E with absolute row sums of E at most s - S. *)
Theorem cholesky_gram_at_least (L : I -> K -> R) (E : I -> I -> R) (s S : R) :
  (forall c d, A c -> A d ->
     dot (D c) (D d) = (if c == d then s else 0) + (\sum_k L c k * L d k) + E c d) ->
  (forall c, A c -> \sum_(d | A d) Rabs (E c d) <= s - S) ->
  gram_at_least S.
Proof.
move=> G rows x; rewrite vnorm2_combine.
have sym c d : A c -> A d -> E c d = E d c.
  move=> Ac Ad; have := G c d Ac Ad; have := G d c Ad Ac; rewrite dotC (eq_sym d c).
  have -> : \sum_k L c k * L d k = \sum_k L d k * L c k by apply: eq_bigr => k _; ring.
  by case: eqP => _; lra.
have := quadratic_form_row_sums sym rows x.
have -> : \sum_(c | A c) \sum_(d | A d) x c * x d * dot (D c) (D d) =
          s * (\sum_(c | A c) x c * x c) +
          (\sum_k Rsqr (\sum_(c | A c) x c * L c k)) + \sum_(c | A c) \sum_(d | A d) x c * x d * E c d.
  have -> : \sum_k Rsqr (\sum_(c | A c) x c * L c k) =
            \sum_(c | A c) \sum_(d | A d) x c * x d * (\sum_k L c k * L d k).
    rewrite /Rsqr; under eq_bigr => k _.
      rewrite sum_mulr; under eq_bigr do rewrite sum_mull.
      over.
    rewrite exchange_big; apply: eq_bigr => c _; rewrite exchange_big; apply: eq_bigr => d _.
    by rewrite sum_mull; apply: eq_bigr => k _; ring.
  have -> : s * (\sum_(c | A c) x c * x c) = \sum_(c | A c) \sum_(d | A d) x c * x d * (if c == d then s else 0).
    rewrite sum_mull; apply: eq_bigr => c Ac.
    rewrite (bigD1 c) //= eqxx big1 => [|d /andP[_ dc]]; first by ring.
    by rewrite eq_sym (negbTE dc); ring.
  rewrite -!sumD; apply: eq_bigr => c Ac; rewrite -!sumD; apply: eq_bigr => d Ad.
  by rewrite (G c d Ac Ad); ring.
have : 0 <= \sum_k Rsqr (\sum_(c | A c) x c * L c k) by apply: sum_ge0 => k _; apply: Rle_0_sqr.
lra.
Qed.
End EigenvalueBound.

(* ---- the enclosure theorem ---- *)

Section Enclosure.
Variables (J I : finType) (P A : pred I) (D : I -> vec J) (lam : I -> R) (S R2 Q : R).
Let W := combine A lam D.
Let r c := 1 - dot (D c) W.
Let rr := \sum_(c | A c) r c * r c.
Let b := 2 * (\sum_(c | A c) lam c) - vnorm2 W.

Hypothesis A_rows : forall c, A c -> P c.
Hypothesis S_pos : 0 < S.
Hypothesis gram_S : gram_at_least A D S.
Hypothesis radius : rr <= R2 * S.
Hypothesis Q_ge0 : 0 <= Q.
Hypothesis multiplier_radius : rr <= Q * Q * (S * S).
Hypothesis lam_large : forall c, A c -> Q < lam c.
Hypothesis slack : forall c, P c -> ~~ A c -> 1 < dot (D c) W.
Hypothesis far : forall c, P c -> ~~ A c -> R2 * vnorm2 (D c) < (dot (D c) W - 1) * (dot (D c) W - 1).

(* The exact solution and its multipliers exist, A is exactly the support, and all errors are bounded. *)
Theorem enclosure : exists lamstar : I -> R, let wstar := combine A lamstar D in
  [/\ minimiser P D (fun=> 1) wstar,
      forall c, A c -> 0 < lamstar c,
      forall c, P c -> (dot (D c) wstar = 1 <-> A c),
      \sum_(c | A c) (lam c - lamstar c) * (lam c - lamstar c) <= Q * Q /\ vnorm2 (W - wstar) <= R2 &
      b <= vnorm2 wstar <= b + R2].
Proof.
have [x [c [Ac xc]] | e He] := @gram_solve J I D A _ r.
  apply: Rlt_le_trans (gram_S x); apply: Rmult_lt_0_compat => //.
  apply: (@sum_gt0 _ _ (fun c => x c * x c) c) => // [d _|]; first exact: Rle_0_sqr.
  exact: Rsqr_pos_lt.
set ee := \sum_(c | A c) e c * e c; set Ev := combine A e D.
have ee0 : 0 <= ee by apply: sum_ge0 => c _; apply: Rle_0_sqr.
have rr0 : 0 <= rr by apply: sum_ge0 => c _; apply: Rle_0_sqr.
have EvE : vnorm2 Ev = \sum_(c | A c) e c * r c.
  by rewrite /vnorm2 dot_combinel; apply: eq_bigr => c Ac; rewrite He.
have cs : vnorm2 Ev * vnorm2 Ev <= ee * rr by rewrite EvE; apply: (sum_cauchy_schwarz A e r).
have low : S * ee <= vnorm2 Ev := gram_S e.
have Ev0 := vnorm2_ge0 Ev.
(* S^2 ||e||^2 <= ||r||^2 and S ||E||^2 <= ||r||^2 *)
have e_small : S * S * ee <= rr.
  case: ee0 => [ee0 | ee0]; last by rewrite -ee0; lra.
  have Se0 : 0 <= S * ee by nra.
  by apply: (Rmult_le_reg_l ee) => //; have := Rmult_le_compat _ _ _ _ Se0 Se0 low low; lra.
have E_small : S * vnorm2 Ev <= rr.
  case: Ev0 => [Ev0 | <-]; last by lra.
  apply: (Rmult_le_reg_l (vnorm2 Ev)) => //.
  by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ S_pos) cs; have := Rmult_le_compat_r _ _ _ rr0 low; lra.
have ee_Q : ee <= Q * Q by apply: (Rmult_le_reg_l (S * S)); [apply: Rmult_lt_0_compat | lra].
have E_R : vnorm2 Ev <= R2 by apply: (Rmult_le_reg_l S); lra.
pose lamstar c := lam c + e c; exists lamstar => wstar.
have wstarE : wstar = (W + Ev)%V.
  by apply: vec_ext => j; rewrite /wstar /W /Ev /combine /vadd -sumD; apply: eq_bigr => c _; rewrite /lamstar; ring.
have on_A c : A c -> dot (D c) wstar = 1 by move=> Ac; rewrite wstarE dotDr He // /r; ring.
have off_A c : P c -> ~~ A c -> 1 < dot (D c) wstar.
  move=> Pc Ac; apply: (@margin_in_ball _ _ D (fun=> 1) W wstar c R2) => //; [| exact: slack | exact: far].
  by rewrite wstarE (_ : (W - (W + Ev))%V = (- Ev)%V) ?vnorm2N //; vec_ring.
have pos c : A c -> 0 < lamstar c.
  move=> Ac; have := lam_large Ac.
  have : e c * e c <= Q * Q.
    by apply: Rle_trans ee_Q; apply: (sum_term_le (F := fun d => e d * e d)) => // d _; apply: Rle_0_sqr.
  by rewrite /lamstar; nra.
have hold : rows_hold P D (fun=> 1) wstar.
  by move=> c Pc; case Ac: (A c); [rewrite on_A //; lra | have := off_A c Pc (negbT Ac); lra].
split=> //.
- apply: (@kkt_minimiser _ _ _ _ _ _ (fun c => if A c then lamstar c else 0)) => // [c _ | | c _].
  + by case Ac: (A c); [have := pos c Ac; lra | lra].
  + apply: vec_ext => j; rewrite /wstar /combine [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => c _.
    by case Ac: (A c); [rewrite A_rows | case: (P c); rewrite ?Rmult_0_l].
  + by case Ac: (A c); [rewrite on_A // |]; ring.
- move=> c Pc; split=> [one | /on_A //]; apply/negPn/negP => Ac; have := off_A c Pc Ac; lra.
- split.
    have -> : \sum_(c | A c) (lam c - lamstar c) * (lam c - lamstar c) = ee; last by [].
    by apply: eq_bigr => c _; rewrite /lamstar; ring.
  by rewrite wstarE (_ : (W - (W + Ev))%V = (- Ev)%V) ?vnorm2N //; vec_ring.
have norm_star : vnorm2 wstar = \sum_(c | A c) lamstar c.
  by rewrite /vnorm2 {1}/wstar dot_combinel; apply: eq_bigr => c Ac; rewrite on_A // Rmult_1_r.
have cross : dot Ev wstar = \sum_(c | A c) e c.
  by rewrite dot_combinel; apply: eq_bigr => c Ac; rewrite on_A // Rmult_1_r.
have bE : vnorm2 wstar = b + vnorm2 Ev.
  have -> : b = 2 * (\sum_(c | A c) lam c) - vnorm2 (wstar - Ev)%V.
    by rewrite /b (_ : (wstar - Ev)%V = W) // wstarE; vec_ring.
  rewrite vnorm2B (dotC wstar) cross norm_star sumD; ring.
by rewrite bE; split; lra.
Qed.
End Enclosure.
