(* NormDuality: the dual balls of the norms that T5 (Duality.v) is used with: the Euclidean norm, the entrywise l_p norms
   (Hoelder), and the nuclear norm with its spectral dual and its factor bound. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Duality.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- Euclidean norm ---- *)

Theorem euclidean_dual_unit (J : finType) (r : vec J) : vnorm r <= 1 -> in_dual_ball (@vnorm J) r.
Proof.
move=> r1 v; apply: Rle_trans (dot_le_norms r v) _.
by have := Rmult_le_compat_r _ _ _ (vnorm_ge0 v) r1; lra.
Qed.

(* ---- entrywise l_p norms ---- *)

(* |x|^p for p > 0, with 0^p = 0. *)
Definition abs_power (x p : R) : R := match Req_EM_T x 0 with left _ => 0 | right _ => Rpower (Rabs x) p end.

Lemma abs_power_ge0 x p : 0 <= abs_power x p.
Proof. by rewrite /abs_power; case: (Req_EM_T x 0) => x0; [exact: Rle_refl | exact: Rlt_le (exp_pos _)]. Qed.

Lemma abs_power0 p : abs_power 0 p = 0.
Proof. by rewrite /abs_power; case: Req_EM_T. Qed.

Lemma abs_power_eq0 x p : abs_power x p = 0 -> x = 0.
Proof. by rewrite /abs_power /Rpower; case: (Req_EM_T x 0) => // x0 E; have := exp_pos (p * ln (Rabs x)); lra. Qed.

Lemma abs_power_mult x y p : abs_power (x * y) p = abs_power x p * abs_power y p.
Proof.
rewrite /abs_power; case: (Req_EM_T x 0) => [-> | x0].
  by rewrite Rmult_0_l; case: Req_EM_T => // _; rewrite Rmult_0_l.
case: (Req_EM_T y 0) => [-> | y0]; first by rewrite Rmult_0_r; case: Req_EM_T => // _; rewrite Rmult_0_r.
case: Req_EM_T => [/Rmult_integral [] // | xy0].
by rewrite Rabs_mult Rpower_mult_distr //; apply: Rabs_pos_lt.
Qed.

(* Young's inequality, from 1 + z <= exp z. *)
Lemma young x y p q : 1 < p -> / p + / q = 1 -> x * y <= abs_power x q / q + abs_power y p / p.
Proof.
move=> p1 conj; have p0 : 0 < / p by apply: Rinv_0_lt_compat; lra.
have p1' : / p < 1 by rewrite -Rinv_1; apply: Rinv_lt_contravar; lra.
have q0 : 0 < / q by lra.
have nonneg : 0 <= abs_power x q / q + abs_power y p / p.
  by have := Rmult_le_pos _ _ (abs_power_ge0 x q) (Rlt_le _ _ q0);
     have := Rmult_le_pos _ _ (abs_power_ge0 y p) (Rlt_le _ _ p0); rewrite /Rdiv; lra.
case: (Req_EM_T x 0) => [-> | x0]; first by move: nonneg; case: (Req_EM_T x 0) => _; rewrite ?abs_power0; move: (abs_power_ge0 y p); rewrite /Rdiv; nra.
case: (Req_EM_T y 0) => [-> | y0]; first by move: (abs_power_ge0 x q); rewrite abs_power0 /Rdiv; nra.
have ax := Rabs_pos_lt _ x0; have ay := Rabs_pos_lt _ y0.
apply: Rle_trans (Rle_abs _) _; rewrite Rabs_mult /abs_power.
case: Req_EM_T => // _; case: Req_EM_T => // _; rewrite /Rpower.
set a := q * ln (Rabs x); set b := p * ln (Rabs y); pose z := ln (Rabs x) + ln (Rabs y).
have az : a * / q + b * / p = z.
  have q1 : q <> 0 by move=> E; move: q0; rewrite E Rinv_0; lra.
  by rewrite /a /b /z; field; lra.
have -> : Rabs x * Rabs y = exp z by rewrite /z exp_plus !exp_ln.
have line t : exp z * (1 + (t - z)) <= exp t.
  have -> : exp t = exp z * exp (t - z) by rewrite -exp_plus; congr exp; ring.
  apply: Rmult_le_compat_l; first exact: Rlt_le (exp_pos z).
  case: (Req_dec (t - z) 0) => [-> | ne]; first by rewrite exp_0; lra.
  by have := exp_ineq1 _ ne; lra.
have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ q0) (line a); have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ p0) (line b).
have : exp z * (1 + (a - z)) * / q + exp z * (1 + (b - z)) * / p =
       exp z * ((/ p + / q) * (1 - z) + (a * / q + b * / p)) by ring.
rewrite conj az; have -> : exp z * (1 * (1 - z) + z) = exp z by ring.
rewrite /Rdiv; lra.
Qed.

Definition lp_sum (J : finType) (p : R) (w : vec J) : R := \sum_j abs_power (w j) p.
Definition lp_norm (J : finType) (p : R) (w : vec J) : R := abs_power (lp_sum p w) (/ p).

Lemma lp_sum_ge0 (J : finType) p (w : vec J) : 0 <= lp_sum p w.
Proof. by apply: sum_ge0 => j _; apply: abs_power_ge0. Qed.

(* ||r||_q <= 1 is dual to ||.||_p, 1/p + 1/q = 1. *)
Theorem hoelder_dual_unit (J : finType) (p q : R) (r : vec J) : 1 < p -> / p + / q = 1 ->
  lp_sum q r <= 1 -> in_dual_ball (@lp_norm J p) r.
Proof.
move=> p1 conj r1 v; have p0 : 0 < / p by apply: Rinv_0_lt_compat; lra.
have p1' : / p < 1 by rewrite -Rinv_1; apply: Rinv_lt_contravar; lra.
have q0 : 0 < / q by lra.
case: (Req_EM_T (lp_sum p v) 0) => [v0 | v0].
  right; rewrite /lp_norm v0 abs_power0; apply: sum0 => j _.
  have := sum_eq0 (F := fun i => abs_power (v i) p) (P := predT) (fun i _ => abs_power_ge0 (v i) p) v0 (i := j) isT.
  by move/abs_power_eq0 ->; ring.
have s0 : 0 < lp_sum p v by have := lp_sum_ge0 p v; lra.
set n := lp_norm p v.
have nE : n = Rpower (lp_sum p v) (/ p).
  by rewrite /n /lp_norm /abs_power; case: Req_EM_T => // _; rewrite Rabs_pos_eq; lra.
have n0 : 0 < n by rewrite nE; apply: exp_pos.
have in0 : / n <> 0 by apply: Rinv_neq_0_compat; lra.
have np : abs_power (/ n) p = / lp_sum p v.
  rewrite /abs_power; case: Req_EM_T => // _.
  rewrite Rabs_pos_eq; last exact: Rlt_le (Rinv_0_lt_compat _ n0).
  rewrite nE -Rpower_Ropp Rpower_mult (_ : - / p * p = - 1); last by field; lra.
  by rewrite Rpower_Ropp Rpower_1.
apply: (Rmult_le_reg_r (/ n)); first exact: Rinv_0_lt_compat.
rewrite Rinv_r; last by lra.
have -> : dot r v * / n = \sum_j r j * (v j * / n) by rewrite /dot sum_mulr; apply: eq_bigr => j _; ring.
apply: (Rle_trans _ (\sum_j (abs_power (r j) q / q + abs_power (v j * / n) p / p))).
  by apply: sum_le => j _; apply: young.
rewrite sumD -!sum_mulr.
have -> : \sum_j abs_power (v j * / n) p = 1.
  have -> : \sum_j abs_power (v j * / n) p = lp_sum p v * abs_power (/ n) p.
    by rewrite /lp_sum sum_mulr; apply: eq_bigr => j _; rewrite abs_power_mult.
  by rewrite np Rinv_r; lra.
have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ q0) r1; rewrite /lp_sum; lra.
Qed.

(* ---- nuclear norm ---- *)

Section Nuclear.
Variables (d e : finType).
Local Notation matrix := (vec [finType of d * e]).
Implicit Types (M W : matrix).

Definition matrix_vector M (x : vec e) : vec d := fun j => \sum_k M (j, k) * x k.

(* Spectral norm at most one. *)
Definition contraction M : Prop := forall x, vnorm2 (matrix_vector M x) <= vnorm2 x.

(* I - M'M has no negative quadratic form: the checkable form. *)
Lemma contraction_of_gram M :
  (forall x : vec e, 0 <= \sum_k \sum_l x k * x l * ((if k == l then 1 else 0) - \sum_j M (j, k) * M (j, l))) ->
  contraction M.
Proof.
move=> H x; have := H x.
have -> : \sum_k \sum_l x k * x l * ((if k == l then 1 else 0) - \sum_j M (j, k) * M (j, l)) =
          vnorm2 x - vnorm2 (matrix_vector M x); last by lra.
have -> : vnorm2 (matrix_vector M x) = \sum_k \sum_l x k * x l * (\sum_j M (j, k) * M (j, l)).
  rewrite /vnorm2 /dot /matrix_vector; under eq_bigr => j _.
    rewrite sum_mulr; under eq_bigr do rewrite sum_mull.
    over.
  rewrite exchange_big; apply: eq_bigr => k _; rewrite exchange_big; apply: eq_bigr => l _.
  by rewrite sum_mull; apply: eq_bigr => j _; ring.
rewrite /vnorm2 /dot -sumB; apply: eq_bigr => k _.
have -> : x k * x k = \sum_l x k * x l * (if k == l then 1 else 0).
  rewrite (bigD1 k) //= eqxx big1 => [|l lk]; first by ring.
  by rewrite eq_sym (negbTE lk); ring.
by rewrite -sumB; apply: eq_bigr => l _; ring.
Qed.

(* The nuclear norm, as the dual of the spectral norm. *)
Definition contracting_value W (x : R) : Prop := exists M, contraction M /\ x = dot M W.
Definition nuclear_norm W : R := real (Lub_Rbar (contracting_value W)).

(* For a contraction, <M, sum_k a_k b_k'> = sum_k <M b_k, a_k> <= sum_k ||a_k|| ||b_k||. *)
Lemma dot_matrix_outer M (a : vec d) (b : vec e) : dot M (outer a b) = dot (matrix_vector M b) a.
Proof.
rewrite /dot /matrix_vector (eq_bigr (fun p => M (p.1, p.2) * (a p.1 * b p.2))) => [|[j k] _ //].
rewrite -(pair_bigA _ (fun j k => M (j, k) * (a j * b k))) /=; apply: eq_bigr => j _.
by rewrite sum_mulr; apply: eq_bigr => k _; ring.
Qed.

Lemma contraction_outer M (a : vec d) (b : vec e) : contraction M -> dot M (outer a b) <= vnorm b * vnorm a.
Proof.
move=> C; rewrite dot_matrix_outer; apply: Rle_trans (dot_le_norms _ _) _.
by apply: Rmult_le_compat_r; [apply: vnorm_ge0 | apply: sqrt_le_1_alt; apply: C].
Qed.

(* K Q' for factors with m columns; a matrix of rank at most m. *)
Definition factored (m : finType) (K : m -> vec d) (Q : m -> vec e) : matrix := combine predT (fun=> 1) (fun k => outer (K k) (Q k)).

Lemma contraction_factored (m : finType) (K : m -> vec d) (Q : m -> vec e) M : contraction M ->
  dot M (factored K Q) <= (\sum_k vnorm2 (K k) + \sum_k vnorm2 (Q k)) / 2.
Proof.
move=> C; rewrite /factored dot_combiner -sumD /Rdiv sum_mulr; apply: sum_le => k _.
have := contraction_outer (K k) (Q k) C; rewrite -!vnorm_sqr.
by have := Rle_0_sqr (vnorm (K k) - vnorm (Q k)); rewrite /Rsqr; lra.
Qed.

(* Every matrix is factored, by its columns, so contractions have bounded products with it. *)
Definition unit_vector (T : finType) (k : T) : vec T := fun l => if l == k then 1 else 0.

Lemma factored_columns W : factored (fun k j => W (j, k)) (@unit_vector e) = W.
Proof.
apply: vec_ext => -[j k]; rewrite /factored /combine (bigD1 k) //= big1 => [|l lk].
  by rewrite /outer /unit_vector eqxx /=; ring.
by rewrite /outer /unit_vector /= eq_sym (negbTE lk); ring.
Qed.

Let bound_nonempty W : exists b, forall M, contraction M -> dot M W <= b.
Proof. by rewrite -(factored_columns W); eexists => M; apply: contraction_factored. Qed.

Lemma zero_contraction : contraction vzero.
Proof.
move=> x; rewrite (_ : matrix_vector vzero x = vzero) ?vnorm20; first exact: vnorm2_ge0.
by apply: vec_ext => j; apply: sum0 => k _; rewrite /vzero; ring.
Qed.

Lemma nuclear_norm_lub W : (forall M, contraction M -> dot M W <= nuclear_norm W) /\
  forall b, (forall M, contraction M -> dot M W <= b) -> nuclear_norm W <= b.
Proof.
have [b Hb] := bound_nonempty W.
rewrite /nuclear_norm; set E := contracting_value W.
have [ub least] := Lub_Rbar_correct E.
have E0 : E 0 by exists vzero; split; [exact: zero_contraction | rewrite dot0l].
have le_b : Rbar_le (Lub_Rbar E) (Finite b) by apply: least => x [M [C ->]]; apply: Hb.
have := ub 0 E0; case: (Lub_Rbar E) ub least le_b => [s | |] //= ub least _ _.
split=> [M C | b' Hb']; first by apply: (ub (dot M W)); exists M.
by apply: (least (Finite b')) => x [M [C ->]]; apply: Hb'.
Qed.

(* A contraction is in the dual unit ball of the nuclear norm. *)
Theorem contraction_dual_unit M : contraction M -> in_dual_ball nuclear_norm M.
Proof. by move=> C W; apply: (proj1 (nuclear_norm_lub W)). Qed.

(* The factor bound. *)
Theorem nuclear_norm_factored (m : finType) (K : m -> vec d) (Q : m -> vec e) :
  nuclear_norm (factored K Q) <= (\sum_k vnorm2 (K k) + \sum_k vnorm2 (Q k)) / 2.
Proof. by apply: (proj2 (nuclear_norm_lub _)) => M; apply: contraction_factored. Qed.

(* T5 for the nuclear norm: factors bound the optimal value above, multipliers with a contracting combination below. *)
Theorem nuclear_duality (I m : finType) (P : pred I) (D : I -> matrix) (h lam : I -> R)
  (K : m -> vec d) (Q : m -> vec e) (opt : R) :
  optimal_value P D h nuclear_norm opt -> rows_hold P D h (factored K Q) ->
  (forall c, P c -> 0 <= lam c) -> contraction (combine P lam D) ->
  \sum_(c | P c) lam c * h c <= opt <= (\sum_k vnorm2 (K k) + \sum_k vnorm2 (Q k)) / 2.
Proof.
move=> Hopt Hw l0 C; have := norm_duality Hopt Hw l0 (contraction_dual_unit C).
by have := nuclear_norm_factored K Q; lra.
Qed.
End Nuclear.
