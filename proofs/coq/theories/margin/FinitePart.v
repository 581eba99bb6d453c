(* FinitePart: the matrices that share the attention inside selected sets as ratios say, and the shortest of them.

   Rows = 0 keep the tokens of a set at the same logits; the finite part W_fin has <D_c, W> = log rho_c there instead.
   Of the equations some are spanning: the others are combinations of these, and so are their logarithms. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Duality PositiveDefinite Enclosure Senses SensedProblem Claims.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the shortest solution of equations, from spanning ones ---- *)

Section Equations.
Variables (J I : finType) (E B : pred I) (D : I -> vec J) (l x : I -> R) (S R2 : R).
Let W0 := combine B x D.
Let r c := l c - dot (D c) W0.

Definition solves_equations (w : vec J) : Prop := forall c, E c -> dot (D c) w = l c.

(* A combination that vanishes, of c and spanning rows: the right-hand sides agree with it. *)
Definition depends_on (c : I) (y : I -> R) : Prop :=
  [/\ y c <> 0, forall d, ~~ B d -> d <> c -> y d = 0, combine predT y D = vzero & \sum_d y d * l d = 0].

Hypothesis B_rows : forall c, B c -> E c.
Hypothesis S_pos : 0 < S.
Hypothesis gram_S : gram_at_least B D S.
Hypothesis radius : \sum_(c | B c) r c * r c <= R2 * S.
Hypothesis dependent : forall c, E c -> ~~ B c -> exists y, depends_on c y.

Lemma equation_holds w : (forall c, B c -> dot (D c) w = l c) -> solves_equations w.
Proof.
move=> on_B c Ec; case Bc: (B c); first exact: on_B.
have [y [yc off /(f_equal (fun v => dot v w)) vanish agree]] := dependent Ec (negbT Bc).
rewrite dot0l dot_combinel in vanish.
have : \sum_d y d * (dot (D d) w - l d) = 0.
  have -> : \sum_d y d * (dot (D d) w - l d) = \sum_d (y d * dot (D d) w - y d * l d).
    by apply: eq_bigr => d _; ring.
  by rewrite sumB agree Rminus_0_r; exact: vanish.
rewrite (bigD1 c) //= big1 => [H | d /eqP dc]; last first.
  by case Bd: (B d); [rewrite on_B //; ring | rewrite off ?Bd //; ring].
by case: (Rmult_integral (y c) (dot (D c) w - l c)) => //; lra.
Qed.

Theorem finite_part_enclosed : exists w : vec J,
  [/\ solves_equations w, forall w', solves_equations w' -> w' <> w -> vnorm w < vnorm w',
      2 * (\sum_(c | B c) x c * l c) - vnorm2 W0 <= vnorm2 w <=
        2 * (\sum_(c | B c) x c * l c) - vnorm2 W0 + R2 & vnorm2 (W0 - w) <= R2].
Proof.
have [e [He _ E_S]] := correction r S_pos gram_S; set Ev := combine B e D in He E_S.
have E_R : vnorm2 Ev <= R2 by apply: (Rmult_le_reg_l S); lra.
pose y c := x c + e c; pose w := combine B y D; exists w.
have wE : w = (W0 + Ev)%V.
  by apply: vec_ext => j; rewrite /w /W0 /Ev /combine /vadd -sumD; apply: eq_bigr => c _; rewrite /y; ring.
have away : vnorm2 (W0 - w) = vnorm2 Ev by rewrite wE (_ : (W0 - (W0 + Ev))%V = (- Ev)%V) ?vnorm2N //; vec_ring.
have on_B c : B c -> dot (D c) w = l c by move=> Bc; rewrite wE dotDr He // /r; ring.
split=> //; first exact: equation_holds; last by rewrite away.
  move=> w' Hw' ne; have orth : dot w (w' - w)%V = 0.
    rewrite dot_combinel big1 // => c Bc; rewrite dotBr Hw' ?on_B //; last exact: B_rows.
    ring.
  have split_w : vnorm2 w' = vnorm2 w + vnorm2 (w' - w)%V.
    have again : w' = (w + (w' - w))%V by vec_ring.
    by rewrite {1}again vnorm2D orth; ring.
  have pos : 0 < vnorm2 (w' - w)%V.
    case: (vnorm2_ge0 (w' - w)%V) => // /esym/vnorm2_eq0 zero; case: ne; apply: vec_ext => j.
    by have := f_equal (fun v => v j) zero; rewrite /vsub /vzero; lra.
  by apply: sqrt_lt_1_alt; split; [exact: vnorm2_ge0 | lra].
have cross : dot W0 w = \sum_(c | B c) x c * l c.
  by rewrite dot_combinel; apply: eq_bigr => c Bc; rewrite on_B.
have := vnorm2B W0 w; rewrite away cross; have := vnorm2_ge0 Ev; lra.
Qed.

(* Right-hand sides that disagree with a combination of rows that vanishes. *)
Theorem equations_contradict (y : I -> R) : (forall c, ~~ E c -> y c = 0) -> combine predT y D = vzero ->
  \sum_c y c * l c <> 0 -> ~ exists w, solves_equations w.
Proof.
move=> off vanish disagree [w Hw]; apply: disagree.
transitivity (dot (combine predT y D) w); last by rewrite vanish dot0l.
rewrite dot_combinel; apply: eq_bigr => c _.
by case Ec: (E c); [rewrite Hw | rewrite off ?Ec //; ring].
Qed.
End Equations.

(* ---- of selected sets ---- *)

Section FinitePart.
Variables (p : selection_problem) (alpha : selection p) (s : token p -> sense) (rho : token p -> R).
Implicit Types (w : vec (coord p)) (t : token p).

Definition equal_row t : bool := constraint alpha t && is_equality (s t).

(* The margins of rows = 0 are the logarithms of the ratios. *)
Definition shares_attention w : Prop := solves_equations equal_row (Delta alpha) (fun t => ln (rho t)) w.

Definition finite_part w : Prop :=
  shares_attention w /\ forall w', shares_attention w' -> w' <> w -> vnorm w < vnorm w'.

(* So is the attention shared: that on the selected token, for each copy of it, is rho_t times that on a copy of t. *)
Theorem shares_attention_ratio w : (forall t, equal_row t -> 0 < rho t) ->
  shares_attention w <->
  forall t, equal_row t -> attention w (selected alpha t) * copies alpha t = rho t * attention w t.
Proof.
move=> pos; split=> H t eq; have r0 := pos t eq; have := attention_margin alpha w t.
  rewrite /margin (H t eq : dot (Delta alpha t) w = ln (rho t)) exp_Ropp exp_ln // => ->; field; lra.
have a0 := attention_gt0 w (selected alpha t); have k0 := copies_gt0 alpha t.
rewrite -/(margin alpha w t) => E; have := H t eq; rewrite E => R.
have ak : 0 < attention w (selected alpha t) * copies alpha t by exact: Rmult_lt_0_compat.
have one : rho t * exp (- margin alpha w t) = 1.
  apply: (Rmult_eq_reg_l (attention w (selected alpha t) * copies alpha t)); last lra.
  by rewrite Rmult_1_r [RHS]R; ring.
rewrite -(ln_exp (margin alpha w t)); congr ln; rewrite exp_Ropp in one.
have e0 := exp_pos (margin alpha w t).
by have : rho t * / exp (margin alpha w t) * exp (margin alpha w t) = rho t; [field; lra | rewrite one; lra].
Qed.
End FinitePart.
