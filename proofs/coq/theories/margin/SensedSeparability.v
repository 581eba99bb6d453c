(* SensedSeparability: T19(b) for rows >= 1, >= 0 and = 0 (theory.md T19).

   Spanning rows take up a combination that is small beside their least eigenvalue. What they take changes multipliers
   of inequalities by less than these are, so they stay positive; those of equalities may change as they like. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Enclosure Separability Senses.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Spanning.
Variables (J I : finType) (P A B : pred I) (D : I -> vec J) (sense_of : I -> sense).
Variables (s : nat) (S : R) (lam : I -> R).

Theorem sensed_spanning_infeasible : (forall c, A c -> P c) -> (forall c, B c -> A c) ->
  (forall c, A c -> signed (sense_of c) (lam c)) -> 0 < \sum_(c | A c) lam c * asked (sense_of c) ->
  span_within A s D -> 0 < S -> gram_at_least B D S -> (s <= #|B|)%nat ->
  (forall c, B c -> ~~ is_equality (sense_of c) ->
     0 < lam c /\ vnorm2 (combine A lam D) < S * (lam c * lam c)) ->
  ~ exists w, senses_hold P D sense_of w.
Proof.
move=> AP BA l0 one span S0 gram many small [w Hw].
have [y Ey] := spanning_rows lam span BA S0 gram many.
pose mu c := lam c - (if B c then y c else 0).
have kept c : A c -> ~~ is_equality (sense_of c) -> 0 <= mu c /\ (0 < lam c -> 0 < mu c).
  move=> Ac ne; rewrite /mu; case Bc: (B c); last by have := l0 c Ac; rewrite /signed (negbTE ne); split; lra.
  have [lc up] := small c Bc ne; have := gram y; rewrite Ey => low.
  have term := sum_term_le (F := fun c => y c * y c) (fun c _ => Rle_0_sqr (y c)) Bc.
  have H := Rmult_le_compat_l _ _ _ (Rlt_le _ _ S0) term.
  have : y c * y c < lam c * lam c by apply: (Rmult_lt_reg_l S) => //; lra.
  by move=> less; have : y c < lam c by [nra]; split; lra.
have mu0 c : A c -> 0 <= mu c * asked (sense_of c).
  move=> Ac; have := kept c Ac; rewrite /asked; case: (sense_of c) => /=; rewrite ?Rmult_0_r ?Rmult_1_r.
  - by case/(_ isT).
  - by move=> _; exact: Rle_refl.
  by move=> _; exact: Rle_refl.
apply: (@signed_infeasible _ _ A D sense_of mu); last by exists w => c /AP; apply: Hw.
- move=> c Ac; have := kept c Ac; rewrite /signed; case: (is_equality _) => // /(_ isT); lra.
- rewrite /mu combine_sub -Ey; apply: vec_ext => j; rewrite /vsub /vzero /combine.
  have -> : \sum_(c | A c) (if B c then y c else 0) * D c j = \sum_(c | B c) y c * D c j.
    rewrite [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => c _.
    by case Bc: (B c); [rewrite BA | case: (A c); rewrite ?Rmult_0_l].
  by ring.
have [// | none] := sum_ge0 (index_enum I) mu0; exfalso; move: one; rewrite big1 => [|c Ac]; first exact: Rlt_irrefl.
have E := sum_eq0 (F := fun c => mu c * asked (sense_of c)) mu0 (esym none) Ac.
have := kept c Ac; have := l0 c Ac; rewrite /signed; move: E; rewrite /asked.
case: (sense_of c) => /=; rewrite ?Rmult_0_r ?Rmult_1_r // => E l /(_ isT)[_ more].
by case: l => // /more; rewrite E => /Rlt_irrefl.
Qed.
End Spanning.
