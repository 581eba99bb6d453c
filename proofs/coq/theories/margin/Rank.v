(* Rank: the rank of a real matrix, with the lower and upper bounds of the certificate language's rank claim.

   A matrix has rank at most r when it is K Q' with r columns each. Lower bounds: r columns that are independent, shown
   either by an eigenvalue bound of an approximation's columns or by independence modulo an integer. *)
From Coq Require Import Reals ZArith Psatz.
From mathcomp Require Import all_ssreflect.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Enclosure NormDuality.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- fewer homogeneous equations than unknowns have a solution that is not zero ---- *)

Lemma sum_mem_cons (I : finType) (k0 : I) (r : seq I) (F : I -> R) : k0 \notin r ->
  \sum_(k in k0 :: r) F k = F k0 + \sum_(k in r) F k.
Proof.
move=> k0r; rewrite (bigD1 k0) /=; last by rewrite inE eqxx.
congr (_ + _); apply: eq_bigl => k; rewrite !inE.
by case: (altP (k =P k0)) => [-> | _] /=; rewrite ?andbT //; apply/esym/negbTE.
Qed.

Lemma sum_mem_rem (I : finType) (k0 : I) (r : seq I) (F : I -> R) : uniq r -> k0 \in r ->
  \sum_(k in r) F k = F k0 + \sum_(k in rem k0 r) F k.
Proof.
move=> ur kr; rewrite (bigD1 k0) //=; congr (_ + _); apply: eq_bigl => k.
by rewrite mem_rem_uniq // inE andbC.
Qed.

Lemma homogeneous_solution (I : finType) (s : nat) (rows : nat -> I -> R) (r : seq I) : uniq r -> (s < size r)%N ->
  exists x : I -> R, (exists2 k, k \in r & x k <> 0) /\
    forall i, (i < s)%N -> \sum_(k in r) rows i k * x k = 0.
Proof.
elim: s rows r => [|s IH] rows r ur sz.
  by case: r ur sz => // k0 r _ _; exists (fun=> 1); split=> //; exists k0; [rewrite inE eqxx | lra].
case: (pickP (fun k => (k \in r) && ~~ (Req_EM_T (rows 0%N k) 0 : bool))) => [k0 /andP[k0r] | none]; last first.
  have [|x [x0 Hx]] := IH (fun i => rows i.+1) r ur _; first exact: ltnW.
  exists x; split=> // -[_ | i]; last exact: Hx.
  apply: sum0 => k kr; have := none k; rewrite kr /=; case: Req_EM_T => //= -> _; ring.
case: Req_EM_T => // row0 _.
pose rows' i k := rows i.+1 k - rows i.+1 k0 / rows 0%N k0 * rows 0%N k.
have [||x [[k1 k1r x1] Hx]] := IH rows' (rem k0 r); first exact: rem_uniq.
  by rewrite size_rem //; case: (r) k0r sz.
pose t := - (\sum_(k in rem k0 r) rows 0%N k * x k) / rows 0%N k0.
have off k : k \in rem k0 r -> (k == k0) = false by rewrite mem_rem_uniq // inE => /andP[/negbTE ->].
have total i : \sum_(k in r) rows i k * (if k == k0 then t else x k) =
               rows i k0 * t + \sum_(k in rem k0 r) rows i k * x k.
  rewrite (sum_mem_rem _ ur k0r) eqxx; congr (_ + _); apply: eq_bigr => k kr.
  by rewrite (off k kr).
exists (fun k => if k == k0 then t else x k); split.
  exists k1; first exact: mem_rem k1r.
  by rewrite (off _ k1r).
case=> [_ | i lt_i]; rewrite total; first by rewrite /t; field.
have := Hx i lt_i; rewrite /rows'.
have -> : \sum_(k in rem k0 r) (rows i.+1 k - rows i.+1 k0 / rows 0%N k0 * rows 0%N k) * x k =
          (\sum_(k in rem k0 r) rows i.+1 k * x k) -
          rows i.+1 k0 / rows 0%N k0 * (\sum_(k in rem k0 r) rows 0%N k * x k).
  by rewrite sum_mull -sumB; apply: eq_bigr => k _; ring.
by move=> H; rewrite -[RHS]H /t; field.
Qed.

(* An injection picks some of the terms of a non-negative sum. *)
Lemma sum_injective_le (I L : finType) (c : I -> L) (F : L -> R) : injective c -> (forall l, 0 <= F l) ->
  \sum_i F (c i) <= \sum_l F l.
Proof.
move=> inj F0; rewrite (partition_big c predT) //=; apply: sum_le => l _.
case: (pickP (fun i => c i == l)) => [i0 /eqP ci | none]; last by rewrite big_pred0.
rewrite (big_pred1 i0) => [|i]; first by rewrite ci; apply: Rle_refl.
by rewrite -ci (inj_eq inj).
Qed.

(* ---- rank ---- *)

Section Rank.
Variables (d e : finType).
Local Notation matrix := (vec [finType of d * e]).
Implicit Types (W M : matrix).

Definition rank_at_most (r : nat) W : Prop := exists (K : 'I_r -> vec d) (Q : 'I_r -> vec e), W = factored K Q.
Definition rank_is (r : nat) W : Prop := rank_at_most r W /\ forall s, rank_at_most s W -> (r <= s)%N.

(* r columns of W of which no combination vanishes. *)
Definition independent_columns (r : nat) (c : 'I_r -> e) W : Prop :=
  forall x : 'I_r -> R, (forall j, \sum_k x k * W (j, c k) = 0) -> forall k, x k = 0.

Theorem rank_lower_bound (r s : nat) (c : 'I_r -> e) W : independent_columns c W -> rank_at_most s W -> (r <= s)%N.
Proof.
move=> indep [K [Q E]]; rewrite leqNgt; apply/negP => sr.
pose rows (i : nat) (k : 'I_r) := if insub i is Some l then Q l (c k) else 0.
have [||x [[k0 _ xk0] Hx]] := @homogeneous_solution _ s rows (enum 'I_r).
- exact: enum_uniq.
- by rewrite size_enum_ord.
apply: xk0; apply: indep => j.
have -> : \sum_k x k * W (j, c k) = \sum_(l : 'I_s) K l j * (\sum_k Q l (c k) * x k).
  rewrite (eq_bigr (fun k => \sum_(l : 'I_s) x k * (K l j * Q l (c k)))) => [|k _]; last first.
    by rewrite E /factored /combine sum_mull; apply: eq_bigr => l _; rewrite /outer /=; ring.
  rewrite exchange_big; apply: eq_bigr => l _; rewrite sum_mull; apply: eq_bigr => k _; ring.
apply: sum0 => l _; have := Hx l (ltn_ord l); rewrite /rows valK.
by rewrite (eq_bigl predT) => [-> | k]; [ring | rewrite mem_enum].
Qed.

Theorem rank_sound (r : nat) (c : 'I_r -> e) W : independent_columns c W -> rank_at_most r W -> rank_is r W.
Proof. by move=> indep upper; split=> // s; apply: rank_lower_bound indep. Qed.

(* Lower bound from an approximation M of W: the Gram matrix of its columns c has no eigenvalue below
   S > ||M - W||^2. *)
Theorem approximate_columns_independent (r : nat) (c : 'I_r -> e) M W (S R2 : R) :
  gram_at_least predT (fun k j => M (j, c k)) S -> injective c -> vnorm2 (M - W) <= R2 -> R2 < S ->
  independent_columns c W.
Proof.
move=> gram inj close gap x zero.
set xx := \sum_k x k * x k.
have xx0 : 0 <= xx by apply: sum_ge0 => k _; apply: Rle_0_sqr.
have low := gram x; rewrite -/xx in low.
(* the combination of M's columns is that of the columns of M - W *)
have comb : combine predT x (fun k j => M (j, c k)) = combine predT x (fun k j => M (j, c k) - W (j, c k)).
  apply: vec_ext => j; rewrite /combine; have := zero j => zj.
  rewrite -[LHS]Rminus_0_r -[X in _ - X]zj -sumB; apply: eq_bigr => k _; ring.
have high : vnorm2 (combine predT x (fun k j => M (j, c k))) <= xx * R2.
  rewrite comb; apply: (Rle_trans _ (\sum_(j : d) xx * \sum_k Rsqr (M (j, c k) - W (j, c k)))).
    by apply: sum_le => j _; apply: (sum_cauchy_schwarz predT x (fun k => M (j, c k) - W (j, c k))).
  rewrite -sum_mull; apply: Rmult_le_compat_l => //; apply: Rle_trans close.
  rewrite /vnorm2 /dot (eq_bigr (fun p => Rsqr (M (p.1, p.2) - W (p.1, p.2)))) => [|[j k] _ //].
  rewrite -(pair_bigA _ (fun j k => Rsqr (M (j, k) - W (j, k)))) /=; apply: sum_le => j _.
  by apply: (sum_injective_le (F := fun k => Rsqr (M (j, k) - W (j, k))) inj) => k; apply: Rle_0_sqr.
have xx_zero : xx = 0.
  by case: xx0 => // xx0; have := Rmult_lt_compat_l _ _ _ xx0 gap; lra.
move=> k; apply: Rsqr_0_uniq.
by apply: (sum_eq0 (F := fun k => Rsqr (x k)) (P := predT) _ xx_zero) => // l _; apply: Rle_0_sqr.
Qed.

(* ---- upper bounds ---- *)

Lemma rank_at_most_factored (m : finType) (K : m -> vec d) (Q : m -> vec e) : rank_at_most #|m| (factored K Q).
Proof.
exists (fun i => K (enum_val i)), (fun i => Q (enum_val i)); apply: vec_ext => j.
by rewrite /factored /combine (reindex (@enum_val m predT)) //; apply: onW_bij; apply: enum_val_bij.
Qed.

Theorem rank_upper_right_dimension W : rank_at_most #|e| W.
Proof. by rewrite -(factored_columns W); apply: rank_at_most_factored. Qed.

Theorem rank_upper_left_dimension W : rank_at_most #|d| W.
Proof.
have -> : W = factored (@unit_vector d) (fun j k => W (j, k)); last exact: rank_at_most_factored.
apply: vec_ext => -[j k]; rewrite /factored /combine (bigD1 j) //= big1 => [|l lj].
  by rewrite /outer /unit_vector eqxx /=; ring.
by rewrite /outer /unit_vector /= eq_sym (negbTE lj); ring.
Qed.

(* Combinations of rank-one terms x_i z_i'. *)
Section Combination.
Variables (I : finType) (P : pred I) (lam : I -> R) (x : I -> vec d) (z : I -> vec e).
Let Wc := combine P lam (fun i => outer (x i) (z i)).

Lemma combine_outer j k : Wc (j, k) = \sum_(i | P i) lam i * (x i j * z i k).
Proof. by []. Qed.

(* The groups that carry a multiplier: the terms of one group share the query z. *)
Theorem rank_upper_groups (m : finType) (owner : I -> m) (query : m -> vec e) (used : pred m) :
  (forall i, P i -> z i = query (owner i)) -> (forall i, P i -> lam i <> 0 -> used (owner i)) ->
  rank_at_most #|used| Wc.
Proof.
move=> Hz Hused.
exists (fun g => combine (fun i => P i && (owner i == enum_val g)) lam x), (fun g => query (enum_val g)).
apply: vec_ext => -[j k]; rewrite combine_outer /factored /combine /outer /=.
rewrite (bigID (fun i => used (owner i))) /= [X in _ + X]big1 => [|i /andP[Pi nu]]; last first.
  by case: (Req_dec (lam i) 0) => [-> | /(Hused i Pi) ui]; [ring | rewrite ui in nu].
rewrite Rplus_0_r (partition_big owner used) => [|i /andP[] //].
pose F g := \sum_(i | P i && used (owner i) && (owner i == g)) lam i * (x i j * z i k).
transitivity (\sum_(g in used) F g) => //; rewrite big_enum_val.
apply: eq_bigr => g _; rewrite Rmult_1_l sum_mulr; apply: eq_big => i.
  by case: (altP (owner i =P enum_val g)) => [-> | _]; rewrite ?andbF // (_ : used (enum_val g)) ?andbT //;
    apply: enum_valP.
by case/andP=> /andP[Pi _] /eqP og; rewrite Hz // og; ring.
Qed.

(* Right factors in the span of s vectors, left factors in the span of s vectors. *)
Theorem rank_upper_right_span (s : nat) (B : I -> 'I_s -> R) (b : 'I_s -> vec e) :
  (forall i, P i -> z i = combine predT (B i) b) -> rank_at_most s Wc.
Proof.
move=> Hz; exists (fun l => combine P (fun i => lam i * B i l) x), b.
apply: vec_ext => -[j k]; rewrite combine_outer /factored /combine /outer /=.
rewrite (eq_bigr (fun i => \sum_l lam i * B i l * x i j * b l k)) => [|i Pi]; last first.
  by rewrite Hz // /combine sum_mull sum_mull; apply: eq_bigr => l _; ring.
by rewrite exchange_big; apply: eq_bigr => l _; rewrite Rmult_1_l sum_mulr.
Qed.

Theorem rank_upper_left_span (s : nat) (B : I -> 'I_s -> R) (b : 'I_s -> vec d) :
  (forall i, P i -> x i = combine predT (B i) b) -> rank_at_most s Wc.
Proof.
move=> Hx; exists b, (fun l => combine P (fun i => lam i * B i l) z).
apply: vec_ext => -[j k]; rewrite combine_outer /factored /combine /outer /=.
rewrite (eq_bigr (fun i => \sum_l b l j * (lam i * B i l * z i k))) => [|i Pi]; last first.
  by rewrite Hx // /combine sum_mulr sum_mull; apply: eq_bigr => l _; ring.
by rewrite exchange_big; apply: eq_bigr => l _; rewrite Rmult_1_l sum_mull.
Qed.
End Combination.
End Rank.

(* ---- independence modulo an integer ---- *)

Section Modular.
Variable I : finType.
Implicit Types (y : I -> Z) (x : I -> R).

Lemma integer_sum (r : seq I) (a y : I -> Z) : exists z : Z, \sum_(k in r) IZR (a k) * IZR (y k) = IZR z.
Proof.
apply: (big_ind (fun v => exists z : Z, v = IZR z)); first by exists 0%Z.
  by move=> v w [a' ->] [b' ->]; exists (a' + b')%Z; rewrite plus_IZR.
by move=> k _; exists (a k * y k)%Z; rewrite mult_IZR.
Qed.

(* Integer equations: an integer solution that is not zero, or no real one. Fraction-free elimination. *)
Lemma integer_kernel (s : nat) (r : seq I) : uniq r -> forall rows : nat -> I -> Z,
  (exists y, (exists2 k, k \in r & y k <> 0%Z) /\
     forall i, (i < s)%N -> \sum_(k in r) IZR (rows i k) * IZR (y k) = 0) \/
  (forall x, (forall i, (i < s)%N -> \sum_(k in r) IZR (rows i k) * x k = 0) -> forall k, k \in r -> x k = 0).
Proof.
elim: r => [|k0 r IH] /= ur rows; first by right.
case/andP: ur => k0r ur.
have off k : k \in r -> (k == k0) = false.
  by move=> kr; apply/negbTE/eqP => E; move: k0r; rewrite -E kr.
have total a t x : \sum_(k in k0 :: r) IZR (a k) * (if k == k0 then t else x k) =
                   IZR (a k0) * t + \sum_(k in r) IZR (a k) * x k.
  by rewrite sum_mem_cons // eqxx; congr (_ + _); apply: eq_bigr => k kr; rewrite off.
case: (pickP (fun i : 'I_s => ~~ Z.eqb (rows i k0) 0)) => [i0 | none]; last first.
  left; exists (fun k => if k == k0 then 1%Z else 0%Z); split.
    by exists k0; rewrite ?eqxx // inE eqxx.
  move=> i lt_i; have := none (Ordinal lt_i); move/negbFE/Z.eqb_eq => /= E.
  rewrite (eq_bigr (fun k => IZR (rows i k) * (if k == k0 then 1 else 0))) => [|k _]; last by case: eqP.
  by rewrite total E sum0 => [|k _]; ring.
move/negP=> piv; set row := rows i0 in piv.
have piv0 : IZR (row k0) <> 0 by move/eq_IZR_R0 => E; apply: piv; rewrite E.
pose rows' i k := (row k0 * rows i k - rows i k0 * row k)%Z.
have rowsE i x : \sum_(k in r) IZR (rows' i k) * x k =
    IZR (row k0) * (\sum_(k in r) IZR (rows i k) * x k) - IZR (rows i k0) * (\sum_(k in r) IZR (row k) * x k).
  rewrite !sum_mull -sumB; apply: eq_bigr => k _; rewrite /rows' minus_IZR !mult_IZR; ring.
case: (IH ur rows') => [[y [[k1 k1r y1] Hy]] | none].
  left; have [z Hz] := integer_sum r row y.
  exists (fun k => if k == k0 then (- z)%Z else (row k0 * y k)%Z); split.
    exists k1; first by rewrite inE k1r orbT.
    by rewrite (off _ k1r) => /Z.mul_eq_0 [E | //]; apply: piv; rewrite E.
  move=> i lt_i.
  rewrite (eq_bigr (fun k => IZR (rows i k) * (if k == k0 then - IZR z else IZR (row k0) * IZR (y k)))); last first.
    by move=> k _; case: eqP => _; rewrite ?opp_IZR ?mult_IZR.
  rewrite total -Hz; have := Hy i lt_i; rewrite rowsE => E.
  have -> : \sum_(k in r) IZR (rows i k) * (IZR (row k0) * IZR (y k)) =
            IZR (row k0) * (\sum_(k in r) IZR (rows i k) * IZR (y k)).
    by rewrite sum_mull; apply: eq_bigr => k _; ring.
  by rewrite -[RHS]E; ring.
right=> x Hx; have sumE i (lt_i : (i < s)%N) : IZR (rows i k0) * x k0 + \sum_(k in r) IZR (rows i k) * x k = 0.
  by have := Hx i lt_i; rewrite sum_mem_cons.
have zero_r : forall k, k \in r -> x k = 0.
  apply: none => i lt_i; rewrite rowsE.
  have := sumE i lt_i; have := sumE i0 (ltn_ord i0); rewrite -/row => E0 E1.
  have -> : \sum_(k in r) IZR (rows i k) * x k = - (IZR (rows i k0) * x k0) by lra.
  have -> : \sum_(k in r) IZR (row k) * x k = - (IZR (row k0) * x k0) by lra.
  by ring.
move=> k; rewrite inE => /orP[/eqP -> | /zero_r //].
have := sumE i0 (ltn_ord i0); rewrite -/row sum0 => [|l lr]; last by rewrite zero_r //; ring.
by rewrite Rplus_0_r => /Rmult_integral [].
Qed.

(* If every integer solution modulo q > 1 is zero modulo q, the only real solution is zero. *)
Theorem modular_independence (s : nat) (q : Z) (rows : nat -> I -> Z) : (1 < q)%Z ->
  (forall y, (forall i, (i < s)%N -> exists m : Z, \sum_k IZR (rows i k) * IZR (y k) = IZR (q * m)) ->
     forall k, (q | y k)%Z) ->
  forall x, (forall i, (i < s)%N -> \sum_k IZR (rows i k) * x k = 0) -> forall k, x k = 0.
Proof.
move=> q1 H.
have all_in (F : I -> R) : \sum_(k in enum I) F k = \sum_k F k by apply: eq_bigl => k; rewrite mem_enum.
case: (@integer_kernel s (enum I) (enum_uniq I) rows) => [[y [[k0 _ y0] Hy]] | none x Hx k]; last first.
  by apply: none => [i lt_i|]; rewrite ?all_in ?Hx // mem_enum.
(* an integer solution would be divisible by every power of q *)
have descent (n : nat) : forall y, (forall i, (i < s)%N -> \sum_k IZR (rows i k) * IZR (y k) = 0) ->
    exists y', (forall k, y k = q ^ Z.of_nat n * y' k)%Z /\
      forall i, (i < s)%N -> \sum_k IZR (rows i k) * IZR (y' k) = 0.
  elim: n => [|n IH] y1 Hy1; first by exists y1; split=> // k; rewrite Z.pow_0_r Z.mul_1_l.
  have [y2 [E2 H2]] := IH y1 Hy1.
  have div k : (q | y2 k)%Z by apply: H => i lt_i; exists 0%Z; rewrite Z.mul_0_r H2.
  exists (fun k => y2 k / q)%Z; split=> [k | i lt_i].
    have [z Ez] := div k; rewrite E2 Ez Z.div_mul; last by lia.
    by rewrite Nat2Z.inj_succ Z.pow_succ_r; [ring | lia].
  have q0 : IZR q <> 0 by apply: not_0_IZR; lia.
  apply: (Rmult_eq_reg_l (IZR q)) => //; rewrite Rmult_0_r sum_mull -[RHS](H2 i lt_i).
  apply: eq_bigr => k _; have [z Ez] := div k; rewrite Ez Z.div_mul ?mult_IZR; [ring | lia].
have [|y' [E _]] := descent (S (Z.abs_nat (y k0))) y; first by move=> i lt_i; rewrite -all_in; apply: Hy.
have := E k0 => {}E; exfalso.
have small : (Z.abs (y k0) < q ^ Z.of_nat (S (Z.abs_nat (y k0))))%Z.
  apply: (Z.lt_le_trans _ (2 ^ Z.of_nat (S (Z.abs_nat (y k0)))))%Z; last by apply: Z.pow_le_mono_l; lia.
  by rewrite Nat2Z.inj_succ Zabs2Nat.id_abs; have := Z.pow_gt_lin_r 2 (Z.succ (Z.abs (y k0))); lia.
case: (Z.eq_dec (y' k0) 0) => [y'0 | y'0]; first by rewrite y'0 Z.mul_0_r in E.
have : (Z.abs (y k0) = q ^ Z.of_nat (S (Z.abs_nat (y k0))) * Z.abs (y' k0))%Z.
  by rewrite {1}E Z.abs_mul (Z.abs_eq (q ^ _)) //; apply: Z.pow_nonneg; lia.
nia.
Qed.
End Modular.
