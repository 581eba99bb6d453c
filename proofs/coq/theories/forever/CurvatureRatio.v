(* CurvatureRatio: how far sum omega_c <Delta_c,v>^2 can exceed the length of V = sum omega_c Delta_c (T23).

   Where a vector per constraint sees every other at least as much as the two meet, the Gram matrix's row sums are at
   most a multiple of ||V||, whatever the weights. For tokens compared in a partial order such vectors are explicit
   (NEXT_TOKEN.md section 4). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* Rows of length at most D, and a vector g_c for each, of length at most the rate, that sees every other as much as
   the two meet. *)
Record seen_rows (J C : finType) (Q : pred C) (Delta : C -> vec J) (D rate : R) (sees : C -> vec J) : Prop := SeenRows {
  row_norm_le : forall c, Q c -> vnorm (Delta c) <= D;
  sight_rate_ge0 : 0 <= rate;
  sight_norm_le : forall c, Q c -> vnorm (sees c) <= rate;
  sight_sees_ge : forall c d, Q c -> Q d -> Rabs (dot (Delta c) (Delta d)) <= dot (Delta d) (sees c)
}.

Section CurvatureRatio.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (omega : C -> R).
Hypothesis omega_ge0 : forall c, Q c -> 0 <= omega c.

(* The quadratic form of the weights is at most the largest weighted row sum of |<Delta_c,Delta_d>|. *)
Theorem quadratic_rows rho v : 0 <= rho ->
  (forall c, Q c -> \sum_(d | Q d) omega d * Rabs (dot (Delta c) (Delta d)) <= rho) ->
  \sum_(c | Q c) omega c * (dot (Delta c) v * dot (Delta c) v) <= rho * vnorm2 v.
Proof.
move=> rho0 rows; set y := fun c => dot (Delta c) v.
set T := \sum_(c | Q c) omega c * (dot (Delta c) v * dot (Delta c) v).
have T0 : 0 <= T by apply: sum_ge0 => c Qc; apply: Rmult_le_pos; [exact: omega_ge0 | exact: Rle_0_sqr].
set z := combine Q (fun c => omega c * y c) Delta.
have Tz : T = dot z v by rewrite /z dot_combinel; apply: eq_bigr => c _; rewrite /y; ring.
have zz : vnorm2 z <= rho * T.
  rewrite /vnorm2 {1}/z dot_combinel.
  apply: (Rle_trans _ (\sum_(c | Q c) \sum_(d | Q d) omega c * omega d * Rabs (dot (Delta c) (Delta d)) *
      ((y c * y c + y d * y d) / 2))).
    apply: sum_le => c Qc; rewrite /z dot_combiner sum_mull; apply: sum_le => d Qd.
    have h : y c * y d * dot (Delta c) (Delta d) <= Rabs (dot (Delta c) (Delta d)) * ((y c * y c + y d * y d) / 2).
      apply: Rle_trans (Rle_abs _) _; rewrite Rabs_mult Rmult_comm; apply: Rmult_le_compat_l; first exact: Rabs_pos.
      apply: Rabs_le; have := Rle_0_sqr (y c - y d); have := Rle_0_sqr (y c + y d); rewrite /Rsqr; lra.
    have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ (omega_ge0 Qc) (omega_ge0 Qd)) h; lra.
  have half F : \sum_(c | Q c) \sum_(d | Q d) (F c d + F d c) / 2 = \sum_(c | Q c) \sum_(d | Q d) F c d.
    have -> : \sum_(c | Q c) \sum_(d | Q d) (F c d + F d c) / 2 =
        ((\sum_(c | Q c) \sum_(d | Q d) F c d) + \sum_(c | Q c) \sum_(d | Q d) F d c) * / 2.
      by rewrite -sumD sum_mulr; apply: eq_bigr => c _; rewrite -sumD sum_mulr.
    by rewrite [X in _ + X]exchange_big /=; field.
  pose F c d := omega c * omega d * Rabs (dot (Delta c) (Delta d)) * (y c * y c).
  rewrite (eq_bigr (fun c => \sum_(d | Q d) (F c d + F d c) / 2)) => [|c _]; last first.
    by apply: eq_bigr => d _; rewrite /F (dotC (Delta d)); field.
  rewrite half /T sum_mull; apply: sum_le => c Qc.
  have -> : \sum_(d | Q d) F c d = omega c * (y c * y c) * (\sum_(d | Q d) omega d * Rabs (dot (Delta c) (Delta d))).
    by rewrite sum_mull; apply: eq_bigr => d _; rewrite /F; ring.
  have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ (omega_ge0 Qc) (Rle_0_sqr (y c))) (rows c Qc).
  by rewrite /Rsqr /y; lra.
have TT : T * T <= rho * T * vnorm2 v.
  rewrite {1 2}Tz; apply: Rle_trans (cauchy_schwarz2 z v) _.
  by apply: Rmult_le_compat_r zz; exact: vnorm2_ge0.
case: T0 => [T0|T0]; first by apply: (Rmult_le_reg_r T) => //; lra.
by rewrite -T0; apply: Rmult_le_pos => //; exact: vnorm2_ge0.
Qed.

(* (1) of NEXT_TOKEN.md *)
Theorem weights_curvature_ratio (g : C -> vec J) D rate v : seen_rows Q Delta D rate g -> vnorm v = 1 ->
  \sum_(c | Q c) omega c * (dot (Delta c) v * dot (Delta c) v) <= rate * vnorm (ascent Q Delta omega).
Proof.
move=> [_ rate0 short sees] v1; have -> : rate * vnorm (ascent Q Delta omega) = rate * vnorm (ascent Q Delta omega) *
  vnorm2 v.
  by rewrite -vnorm_sqr v1; ring.
apply: quadratic_rows => [|c Qc]; first by apply: Rmult_le_pos => //; exact: vnorm_ge0.
apply: (Rle_trans _ (dot (ascent Q Delta omega) (g c))).
  rewrite /ascent dot_combinel; apply: sum_le => d Qd; apply: Rmult_le_compat_l; [exact: omega_ge0 | exact: sees].
apply: Rle_trans (dot_le_norms _ _) _; rewrite Rmult_comm; apply: Rmult_le_compat_r; [exact: vnorm_ge0 | exact: short].
Qed.
End CurvatureRatio.
