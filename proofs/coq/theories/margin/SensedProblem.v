(* SensedProblem: minimise ||w|| subject to rows in senses (Senses.v): its solution, duality, and the enclosure of
   Enclosure.v for it. Everything but the enclosure is MarginProblem.v's of the rows >=. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Duality MarginProblem LeastNorm PositiveDefinite Enclosure Senses.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section SensedProblem.
Variables (J I : finType) (P : pred I) (D : I -> vec J) (s : I -> sense).
Implicit Types (w : vec J) (lam : I -> R) (c : I).

Notation hold := (senses_hold P D s).
Notation signs lam := (forall c, P c -> signed (s c) (lam c)).
Notation dual lam := (2 * (\sum_(c | P c) lam c * asked (s c)) - vnorm2 (combine P lam D)).

(* The unique solution. *)
Definition sensed_minimiser w : Prop := hold w /\ forall w', hold w' -> w' <> w -> vnorm w < vnorm w'.

Lemma minimiser_senses w : minimiser (way P s) (way_row D) (way_asked s) w <-> sensed_minimiser w.
Proof.
by split=> -[Hw least]; split=> [|w' Hw']; first [exact/rows_hold_senses | apply: least; exact/rows_hold_senses].
Qed.

Theorem sensed_minimiser_unique w w' : sensed_minimiser w -> sensed_minimiser w' -> w = w'.
Proof. by move=> /minimiser_senses M /minimiser_senses M'; exact: minimiser_unique M M'. Qed.

Theorem sensed_minimiser_exists : (exists w, hold w) -> exists w, sensed_minimiser w.
Proof.
move=> [w Hw]; have [|v /minimiser_senses M] := @minimiser_exists _ _ (way P s) (way_row D) (way_asked s).
  by exists w; apply/rows_hold_senses.
by exists v.
Qed.

(* ---- T2, T3 ---- *)

Theorem sensed_weak_duality w lam : hold w -> signs lam -> dual lam <= vnorm2 w.
Proof.
move=> /rows_hold_senses Hw /signed_ways l0.
by have := weak_duality Hw l0; rewrite asked_ways combine_ways.
Qed.

Theorem sensed_kkt w lam : hold w -> signs lam -> w = combine P lam D ->
  (forall c, P c -> lam c * (dot (D c) w - asked (s c)) = 0) -> sensed_minimiser w.
Proof.
move=> Hw l0 E slack; apply/minimiser_senses.
apply: (@kkt_minimiser _ _ _ _ _ _ (way_multiplier s lam)); first exact/rows_hold_senses.
- exact: signed_ways.
- by rewrite combine_ways.
move=> [c b] /andP[/= Pc second]; have := slack c Pc; have := Hw c Pc.
rewrite /way_multiplier /way_row /way_asked /in_sense /= in second *.
by case: (s c) second => /=; rewrite ?orbF; case: b => //= _ E0; rewrite ?dotNl ?E0 => // _; ring.
Qed.

Theorem sensed_distance_primal w wstar : sensed_minimiser wstar -> hold w ->
  vnorm2 (w - wstar) <= vnorm2 w - vnorm2 wstar.
Proof. by move=> /minimiser_senses M /rows_hold_senses Hw; exact: distance_primal M Hw. Qed.

Theorem sensed_gap_distance w wstar lam : sensed_minimiser wstar -> hold w -> signs lam ->
  vnorm2 (w - wstar) <= vnorm2 w - dual lam.
Proof.
move=> /minimiser_senses M /rows_hold_senses Hw /signed_ways l0.
by have := gap_distance M Hw l0; rewrite asked_ways combine_ways.
Qed.
End SensedProblem.

(* ---- what residuals ask multipliers to change by, how long that is and what it combines to ---- *)

Section Correction.
Variables (J I : finType) (A : pred I) (D : I -> vec J) (r : I -> R) (S : R).
Let rr := \sum_(c | A c) r c * r c.

Hypothesis S_pos : 0 < S.
Hypothesis gram_S : gram_at_least A D S.

Lemma correction : exists e : I -> R,
  [/\ forall c, A c -> dot (D c) (combine A e D) = r c, S * S * (\sum_(c | A c) e c * e c) <= rr &
      S * vnorm2 (combine A e D) <= rr].
Proof.
have [x [c [Ac xc]] | e He] := @gram_solve J I D A _ r.
  apply: Rlt_le_trans (gram_S x); apply: Rmult_lt_0_compat => //.
  apply: (@sum_gt0 _ _ (fun c => x c * x c) c) => // [d _|]; first exact: Rle_0_sqr.
  exact: Rsqr_pos_lt.
exists e; set ee := \sum_(c | A c) e c * e c; set Ev := combine A e D.
have ee0 : 0 <= ee by apply: sum_ge0 => c _; apply: Rle_0_sqr.
have rr0 : 0 <= rr by apply: sum_ge0 => c _; apply: Rle_0_sqr.
have EvE : vnorm2 Ev = \sum_(c | A c) e c * r c.
  by rewrite /vnorm2 dot_combinel; apply: eq_bigr => c Ac; rewrite He.
have cs : vnorm2 Ev * vnorm2 Ev <= ee * rr by rewrite EvE; apply: (sum_cauchy_schwarz A e r).
have low : S * ee <= vnorm2 Ev := gram_S e.
have Ev0 := vnorm2_ge0 Ev.
split=> //.
  case: ee0 => [ee0 | ee0]; last by rewrite -ee0; lra.
  have Se0 : 0 <= S * ee by nra.
  by apply: (Rmult_le_reg_l ee) => //; have := Rmult_le_compat _ _ _ _ Se0 Se0 low low; lra.
case: Ev0 => [Ev0 | <-]; last by lra.
apply: (Rmult_le_reg_l (vnorm2 Ev)) => //.
by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ S_pos) cs; have := Rmult_le_compat_r _ _ _ rr0 low; lra.
Qed.
End Correction.

(* ---- the enclosure: A has all equalities, whose multipliers may be anything ---- *)

Section Enclosure.
Variables (J I : finType) (P A : pred I) (D : I -> vec J) (s : I -> sense) (lam : I -> R) (S R2 Q : R).
Let W := combine A lam D.
Let h c := asked (s c).
Let r c := h c - dot (D c) W.
Let rr := \sum_(c | A c) r c * r c.
Let b := 2 * (\sum_(c | A c) lam c * h c) - vnorm2 W.

Hypothesis A_rows : forall c, A c -> P c.
Hypothesis A_equalities : forall c, P c -> is_equality (s c) -> A c.
Hypothesis S_pos : 0 < S.
Hypothesis gram_S : gram_at_least A D S.
Hypothesis radius : rr <= R2 * S.
Hypothesis Q_ge0 : 0 <= Q.
Hypothesis multiplier_radius : rr <= Q * Q * (S * S).
Hypothesis lam_large : forall c, A c -> ~~ is_equality (s c) -> Q < lam c.
Hypothesis slack : forall c, P c -> ~~ A c -> h c < dot (D c) W.
Hypothesis far : forall c, P c -> ~~ A c -> R2 * vnorm2 (D c) < (dot (D c) W - h c) * (dot (D c) W - h c).

(* The exact solution and its multipliers exist, A are exactly the tight rows, and all errors are bounded. *)
Theorem sensed_enclosure : exists lamstar : I -> R, let wstar := combine A lamstar D in
  [/\ sensed_minimiser P D s wstar,
      forall c, A c -> ~~ is_equality (s c) -> 0 < lamstar c,
      forall c, P c -> (dot (D c) wstar = h c <-> A c),
      \sum_(c | A c) (lam c - lamstar c) * (lam c - lamstar c) <= Q * Q /\ vnorm2 (W - wstar) <= R2 &
      b <= vnorm2 wstar <= b + R2].
Proof.
have [e [He ee_S E_S]] := correction r S_pos gram_S; set Ev := combine A e D in He E_S; rewrite -/rr in ee_S E_S.
have E_R : vnorm2 Ev <= R2 by apply: (Rmult_le_reg_l S); lra.
have ee_Q : \sum_(c | A c) e c * e c <= Q * Q.
  by apply: (Rmult_le_reg_l (S * S)); [apply: Rmult_lt_0_compat | lra].
pose lamstar c := lam c + e c; exists lamstar => wstar.
have wstarE : wstar = (W + Ev)%V.
  by apply: vec_ext => j; rewrite /wstar /W /Ev /combine /vadd -sumD; apply: eq_bigr => c _; rewrite /lamstar; ring.
have away : vnorm2 (W - wstar) = vnorm2 Ev by rewrite wstarE (_ : (W - (W + Ev))%V = (- Ev)%V) ?vnorm2N //; vec_ring.
have on_A c : A c -> dot (D c) wstar = h c by move=> Ac; rewrite wstarE dotDr He // /r; ring.
have off_A c : P c -> ~~ A c -> h c < dot (D c) wstar.
  move=> Pc Ac; apply: (@margin_in_ball _ _ D h W wstar c R2) => //; [by rewrite away | exact: slack | exact: far].
have pos c : A c -> ~~ is_equality (s c) -> 0 < lamstar c.
  move=> Ac /(lam_large Ac).
  have : e c * e c <= Q * Q.
    by apply: Rle_trans ee_Q; apply: (sum_term_le (F := fun d => e d * e d)) => // d _; apply: Rle_0_sqr.
  by rewrite /lamstar; nra.
have hold : senses_hold P D s wstar.
  move=> c Pc; rewrite /in_sense -/(h c); case Ec: (is_equality (s c)); first exact: on_A (A_equalities Pc Ec).
  by case Ac: (A c); [rewrite on_A //; lra | have := off_A c Pc (negbT Ac); lra].
have norm_star : vnorm2 wstar = \sum_(c | A c) lamstar c * h c.
  by rewrite /vnorm2 {1}/wstar dot_combinel; apply: eq_bigr => c Ac; rewrite on_A.
have cross : dot Ev wstar = \sum_(c | A c) e c * h c.
  by rewrite dot_combinel; apply: eq_bigr => c Ac; rewrite on_A.
have bE : vnorm2 wstar = b + vnorm2 Ev.
  have -> : b = 2 * (\sum_(c | A c) lam c * h c) - vnorm2 (wstar - Ev)%V.
    by rewrite /b (_ : (wstar - Ev)%V = W) // wstarE; vec_ring.
  rewrite vnorm2B (dotC wstar) cross norm_star.
  have -> : \sum_(c | A c) lamstar c * h c = \sum_(c | A c) lam c * h c + \sum_(c | A c) e c * h c.
    by rewrite -sumD; apply: eq_bigr => c _; rewrite /lamstar; ring.
  by ring.
split=> //.
- apply: (@sensed_kkt _ _ _ _ _ _ (fun c => if A c then lamstar c else 0)) => // [c _ | | c _].
  + rewrite /signed; case Ec: (is_equality (s c)) => //.
    by case Ac: (A c); [have := pos c Ac (negbT Ec); lra | lra].
  + apply: vec_ext => j; rewrite /wstar /combine [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => c _.
    by case Ac: (A c); [rewrite A_rows | case: (P c); rewrite ?Rmult_0_l].
  + by case Ac: (A c); [rewrite on_A // /h |]; ring.
- move=> c Pc; split=> [one | /on_A //]; apply/negPn/negP => Ac; have := off_A c Pc Ac; lra.
- split; last by rewrite away.
  by rewrite (eq_bigr (fun c => e c * e c)) // => c _; rewrite /lamstar; ring.
by rewrite bE; have := vnorm2_ge0 Ev; split; lra.
Qed.
End Enclosure.
