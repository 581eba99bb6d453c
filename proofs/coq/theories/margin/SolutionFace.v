(* SolutionFace: all solutions of a margin problem in the norms l_1 and l_infinity, of which there may be many.

   Complementary slackness: where the multipliers' value is the least norm, rows with a multiplier are 1 at every
   solution, and an entry is the same at all of them unless the combination of the multipliers has its largest magnitude
   there (l_1), or is 0 (l_infinity). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Vectors Duality DualNorm.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the dimension of a convex set of vectors ---- *)

(* At most n of their entries tell them from each other. *)
Definition affine_dimension_at_most (J : finType) (S : vec J -> Prop) (n : nat) : Prop :=
  exists C : pred J, (#|C| <= n)%nat /\ forall v w, S v -> S w -> (forall j, C j -> v j = w j) -> v = w.

(* n of them differ from one in independent directions. *)
Definition affine_dimension_at_least (J : finType) (S : vec J -> Prop) (n : nat) : Prop :=
  exists v0, S v0 /\ exists v : 'I_n -> vec J, (forall l, S (v l)) /\
    forall x : 'I_n -> R, (forall j, \sum_l x l * (v l j - v0 j) = 0) -> forall l, x l = 0.

(* Of dimension 0 there is one. *)
Lemma only_one (J : finType) (S : vec J -> Prop) v w : affine_dimension_at_most S 0 -> S v -> S w -> v = w.
Proof.
case=> C [/= empty same] Sv Sw; apply: same => // j Cj; have : (0 < #|C|)%nat by apply/card_gt0P; exists j.
by rewrite lt0n; move: empty; rewrite leqn0 => ->.
Qed.

Section Face.
Variables (J I : finType) (P : pred I) (D : I -> vec J) (lam : I -> R) (nu B : R).
Hypotheses (lam0 : forall c, P c -> 0 <= lam c) (value : B * nu <= \sum_(c | P c) lam c).
Notation M := (combine P lam D).
Notation holds := (rows_hold P D (fun=> 1)).
Implicit Types (v w : vec J).

Let sum_le_dot w : holds w -> \sum_(c | P c) lam c <= dot M w.
Proof.
move=> Hw; apply: Rle_trans (dual_le_dot Hw lam0); right; apply: eq_bigr => c _; ring.
Qed.

(* ---- rows with a multiplier ---- *)

Theorem tight_row w c : holds w -> dot M w <= B * nu -> P c -> 0 < lam c -> dot (D c) w = 1.
Proof.
move=> Hw most Pc c0; have least := sum_le_dot Hw.
have zero : \sum_(i | P i) lam i * (dot (D i) w - 1) = 0.
  have -> : \sum_(i | P i) lam i * (dot (D i) w - 1) = dot M w - \sum_(i | P i) lam i.
    by rewrite dot_combinel -sumB; apply: eq_bigr => i _; ring.
  lra.
have pos i : P i -> 0 <= lam i * (dot (D i) w - 1).
  by move=> Pi; apply: Rmult_le_pos; [exact: lam0 | have := Hw i Pi; lra].
have := sum_eq0 pos zero Pc; case/Rmult_integral => H; lra.
Qed.

(* ---- l_1 ---- *)

Theorem zero_entry w j : holds w -> (forall k, Rabs (M k) <= B) -> sum_norm w <= nu -> Rabs (M j) < B -> w j = 0.
Proof.
move=> Hw dual small short; have least := sum_le_dot Hw.
have B0 : 0 <= B by apply: Rle_trans (Rabs_pos _) (dual j).
have ge k : (B - Rabs (M k)) * Rabs (w k) <= B * Rabs (w k) - M k * w k.
  by have := Rle_abs (M k * w k); rewrite Rabs_mult; lra.
have ge0 k : 0 <= B * Rabs (w k) - M k * w k.
  apply: Rle_trans (ge k); apply: Rmult_le_pos (Rabs_pos _); have := dual k; lra.
have zero : \sum_k (B * Rabs (w k) - M k * w k) = 0.
  apply: Rle_antisym; last by apply: sum_ge0.
  rewrite sumB -sum_mull -/(sum_norm w) -/(dot M w); have := Rmult_le_compat_l _ _ _ B0 small; lra.
have := sum_eq0 (P := predT) (fun k _ => ge0 k) zero (i := j) isT; have := ge j.
have := Rabs_pos (w j); case: (Req_dec (w j) 0) => // ne; have := Rabs_pos_lt _ ne; nra.
Qed.

(* ---- l_infinity ---- *)

Lemma largest_entry w j : holds w -> sum_norm M <= B -> 0 <= nu -> max_norm w <= nu -> M j * w j = Rabs (M j) * nu.
Proof.
move=> Hw dual nu0 small; have least := sum_le_dot Hw.
have ge0 k : 0 <= Rabs (M k) * nu - M k * w k.
  have := Rle_abs (M k * w k); rewrite Rabs_mult; have := Rle_trans _ _ _ (le_max_norm w k) small.
  by move=> wk; have := Rmult_le_compat_l _ _ _ (Rabs_pos (M k)) wk; lra.
have zero : \sum_k (Rabs (M k) * nu - M k * w k) = 0.
  apply: Rle_antisym; last by apply: sum_ge0.
  rewrite sumB -sum_mulr -/(sum_norm M) -/(dot M w); have := Rmult_le_compat_r _ _ _ nu0 dual; lra.
by have := sum_eq0 (P := predT) (fun k _ => ge0 k) zero (i := j) isT; lra.
Qed.

Theorem same_entry v w j : holds v -> holds w -> sum_norm M <= B -> 0 <= nu -> max_norm v <= nu -> max_norm w <= nu ->
  M j <> 0 -> v j = w j.
Proof.
move=> Hv Hw dual nu0 sv sw ne; apply: (Rmult_eq_reg_l (M j)) => //.
by rewrite (largest_entry j Hv dual nu0 sv) (largest_entry j Hw dual nu0 sw).
Qed.
End Face.

(* ---- independence ---- *)

(* Vectors that differ from one in an entry each where the others do not. *)
Theorem dimension_by_entries (J : finType) (S : vec J -> Prop) (n : nat) v0 (v : 'I_n -> vec J) (own : 'I_n -> J) :
  S v0 -> (forall l, S (v l)) -> (forall l, v l (own l) <> v0 (own l)) ->
  (forall l m, m <> l -> v m (own l) = v0 (own l)) -> affine_dimension_at_least S n.
Proof.
move=> S0 Sv differ agree; exists v0; split=> //; exists v; split=> // x zero l.
have := zero (own l); rewrite (bigD1 l) //= big1 => [|m /eqP ml]; last by rewrite agree //; ring.
by rewrite Rplus_0_r => /Rmult_integral [] // H; case: (differ l); lra.
Qed.

(* Columns of which all are among some independent ones. *)
Lemma all_independent (n r : nat) (rows : nat -> 'I_r -> R) :
  (exists c : 'I_r -> 'I_r, forall x : 'I_r -> R, (forall i, (i < n)%nat -> \sum_k x k * rows i (c k) = 0) ->
     forall k, x k = 0) ->
  forall y : 'I_r -> R, (forall i, (i < n)%nat -> \sum_l y l * rows i l = 0) -> forall l, y l = 0.
Proof.
case=> c indep y zero.
have inj : injective c.
  move=> k m ckm; apply/eqP; apply/negPn/negP => ne.
  have := indep (fun l => (if l == k then 1 else 0) - (if l == m then 1 else 0)) _ k.
  rewrite eqxx (negbTE ne) => H; suff : 1 - 0 = 0 by lra.
  apply: H => i _; rewrite (bigD1 k) //= eqxx (negbTE ne) (bigD1 m) /=; last by rewrite eq_sym.
  rewrite eqxx eq_sym (negbTE ne) ckm big1 => [|l /andP[lk lm]]; first by ring.
  by rewrite (negbTE lk) (negbTE lm); ring.
have := injF_bij inj; case=> back backK forthK l; rewrite -(forthK l); apply: (indep (fun k => y (c k))) => i il.
by rewrite -[RHS](zero i il) [RHS](reindex c) //; exact: onW_bij (injF_bij inj).
Qed.
