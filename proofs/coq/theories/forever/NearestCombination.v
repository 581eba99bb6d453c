(* NearestCombination: the finite part of a matrix in selected sets, and its angle with W_fin + c W_mm.

   The shortest matrix with the margins of w at the rows = 0 is the projection of w onto the span of their differences.
   The solution of the margin problem is orthogonal to these. So the best c > 0 is <w, W_mm>/||W_mm||^2. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Senses SensedProblem Claims SensedClaims FinitePart Runs.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the shortest solution of equations ---- *)

Section Shortest.
Variables (J I : finType) (E : pred I) (D : I -> vec J) (l : I -> R).
Notation solves := (solves_equations E D l).

(* It is orthogonal to what keeps every left-hand side. *)
Theorem shortest_orthogonal v d : solves v -> (forall v', solves v' -> v' <> v -> vnorm v < vnorm v') ->
  (forall c, E c -> dot (D c) d = 0) -> dot v d = 0.
Proof.
move=> Hv least Hd; case: (Req_dec (vnorm2 d) 0) => [/vnorm2_eq0 -> | d0]; first by rewrite dot0r.
have dpos : 0 < vnorm2 d by have := vnorm2_ge0 d; lra.
case: (Req_dec (dot v d) 0) => // ne.
pose a := - (dot v d / vnorm2 d); pose v' := (v + a * d)%V.
have Hv' : solves v' by move=> c Ec; rewrite /v' dotDr dotZr (Hd c Ec) (Hv c Ec); ring.
have split_v' : vnorm2 v' = vnorm2 v - dot v d * dot v d / vnorm2 d.
  by rewrite /v' vnorm2D vnorm2Z dotZr /a; field; lra.
have less : vnorm2 v' < vnorm2 v.
  suff : 0 < dot v d * dot v d / vnorm2 d by lra.
  by apply: Rdiv_lt_0_compat => //; have := Rle_0_sqr (dot v d); rewrite /Rsqr => sq; case: sq => // /esym z;
    case: (Rmult_integral _ _ z).
have neq : v' <> v by move=> same; move: less; rewrite same; lra.
have := least v' Hv' neq; have := sqrt_le_1_alt _ _ (Rlt_le _ _ less); rewrite -/(vnorm v') -/(vnorm v); lra.
Qed.
End Shortest.

(* ---- of a matrix ---- *)

Section OwnPart.
Variables (p : selection_problem) (alpha : selection p) (s : token p -> sense).
Implicit Types w v : vec (coord p).

(* The shortest matrix with the margins of w at the rows = 0: with the same ratios of attention inside the sets. *)
Definition finite_part_of w v : Prop :=
  solves_equations (equal_row alpha s) (Delta alpha) (margin alpha w) v /\
  forall v', solves_equations (equal_row alpha s) (Delta alpha) (margin alpha w) v' -> v' <> v -> vnorm v < vnorm v'.

Lemma finite_part_of_ratios w v : finite_part_of w v <->
  finite_part alpha s (fun t => exp (margin alpha w t)) v.
Proof.
have same v' : solves_equations (equal_row alpha s) (Delta alpha) (margin alpha w) v' <->
    shares_attention alpha s (fun t => exp (margin alpha w t)) v'.
  by split=> H t et; have := H t et; rewrite ln_exp.
by split=> -[/same H least]; split=> // v' /same Hv'; exact: least.
Qed.

Variables (w fin ws : vec (coord p)).
Hypothesis part : finite_part_of w fin.
Hypothesis solution : sensed_max_margin alpha s ws.

Lemma part_along : dot w fin = vnorm2 fin.
Proof.
have [Hfin least] := part.
have : dot fin (w - fin)%V = 0.
  apply: (shortest_orthogonal Hfin least) => t et; rewrite dotBr (Hfin t et); rewrite /margin; ring.
by rewrite dotBr (dotC fin w) /vnorm2; lra.
Qed.

Lemma part_across : dot fin ws = 0.
Proof.
have [Hfin least] := part; have [Hws _] := solution.
apply: (shortest_orthogonal Hfin least) => t /andP[ct].
by have := Hws t ct; rewrite /in_sense; case: (s t).
Qed.

Notation b := (dot w ws).
Notation best := (b / vnorm2 ws).
Notation combination c := (fin + c * ws)%V.

Lemma combination_along c : dot w (combination c) = vnorm2 fin + c * b.
Proof. by rewrite dotDr dotZr part_along. Qed.

Lemma combination_square c : vnorm2 (combination c) = vnorm2 fin + c * c * vnorm2 ws.
Proof. by rewrite vnorm2D vnorm2Z dotZr part_across; ring. Qed.

Hypotheses (w0 : 0 < vnorm w) (b0 : 0 < b).

Lemma solution_square : 0 < vnorm2 ws.
Proof.
case: (vnorm2_ge0 ws) => // /esym/vnorm2_eq0 zero; move: b0; rewrite zero dot0r; lra.
Qed.

Lemma best_gt0 : 0 < best.
Proof. by apply: Rdiv_lt_0_compat => //; exact: solution_square. Qed.

Lemma best_square : vnorm2 (combination best) = vnorm2 fin + b * best.
Proof. by rewrite combination_square; have := solution_square => m0; field; lra. Qed.

(* It is no longer than w. *)
Lemma best_short : sqrt (vnorm2 fin + b * best) <= vnorm w.
Proof.
have n0 := vnorm_ge0 (combination best); rewrite -best_square -/(vnorm (combination best)).
case: n0 => [n0 | <-]; last exact: vnorm_ge0.
have := dot_le_norms w (combination best); rewrite combination_along.
have -> : vnorm2 fin + best * b = vnorm (combination best) * vnorm (combination best).
  by rewrite /vnorm sqrt_sqrt; [rewrite best_square; ring | exact: vnorm2_ge0].
move=> le; apply: (Rmult_le_reg_r (vnorm (combination best))) => //; lra.
Qed.

(* 1 - cos of the angle between w and W_fin + c W_mm. *)
Theorem best_corr : one_minus_corr (combination best) w = 1 - sqrt (vnorm2 fin + b * best) / vnorm w.
Proof.
have sq : 0 < vnorm2 fin + b * best.
  by have := Rmult_lt_0_compat _ _ b0 best_gt0; have := vnorm2_ge0 fin; lra.
rewrite /one_minus_corr /along combination_along /vnorm best_square -/(vnorm w).
have s0 := sqrt_lt_R0 _ sq; have ss := sqrt_sqrt _ (Rlt_le _ _ sq).
have -> : vnorm2 fin + best * b = sqrt (vnorm2 fin + b * best) * sqrt (vnorm2 fin + b * best) by rewrite ss; ring.
by field; split; lra.
Qed.

Lemma best_corr_over : one_minus_corr (combination best) w =
  (vnorm w - sqrt (vnorm2 fin + b * best)) / vnorm w.
Proof. by rewrite best_corr; field; lra. Qed.

Theorem best_is_best c : 0 < c -> one_minus_corr (combination best) w <= one_minus_corr (combination c) w.
Proof.
move=> c0; have m0 := solution_square.
have v0 x : 0 < x -> 0 < vnorm (combination x).
  move=> x0; apply: sqrt_lt_R0; rewrite combination_square.
  by have := vnorm2_ge0 fin; have := Rmult_lt_0_compat _ _ (Rmult_lt_0_compat _ _ x0 x0) m0; lra.
have nb := v0 _ best_gt0; have nc := v0 _ c0.
have inner : dot (combination best) (combination c) = dot w (combination c).
  rewrite combination_along dotDl !dotDr !dotZl !dotZr part_across (dotC ws fin) part_across /vnorm2.
  by rewrite /vnorm2 in m0; field; lra.
have cs := dot_le_norms (combination best) (combination c).
rewrite best_corr -best_square -/(vnorm (combination best)) /one_minus_corr /along -inner.
have : dot (combination best) (combination c) / vnorm (combination c) <= vnorm (combination best).
  by apply: (Rmult_le_reg_r (vnorm (combination c))) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; lra.
move=> le; have : dot (combination best) (combination c) / vnorm (combination c) / vnorm w <=
                  vnorm (combination best) / vnorm w.
  by apply: Rmult_le_compat_r => //; left; exact: Rinv_0_lt_compat.
lra.
Qed.
End OwnPart.
