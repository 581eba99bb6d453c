(* DualNorm: upper bounds of dual norms, and the lower bounds of norms they give (T5): the sum and the largest of the
   magnitudes, each other's dual; l_p with its conjugate exponent; the nuclear norm with the spectral norm. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors Duality EntrywiseDuality NormDuality.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* The dual norm of r is at most B. *)
Definition dual_norm_le (J : finType) (norm : vec J -> R) (r : vec J) (B : R) : Prop := forall v, dot r v <= B * norm v.

Lemma dual_norm_le_scaled (J : finType) (norm : vec J -> R) r B : 0 < B -> in_dual_ball norm (/ B * r)%V ->
  dual_norm_le norm r B.
Proof.
move=> B0 H v; have := H v; rewrite dotZl => Hv; have -> : dot r v = B * (/ B * dot r v) by field; lra.
by apply: Rmult_le_compat_l => //; lra.
Qed.

(* Multipliers bound the norm from below. *)
Theorem norm_lower_bound (J I : finType) (P : pred I) (D : I -> vec J) (h lam : I -> R) norm w B :
  rows_hold P D h w -> (forall c, P c -> 0 <= lam c) -> dual_norm_le norm (combine P lam D) B ->
  \sum_(c | P c) lam c * h c <= B * norm w.
Proof. by move=> Hw l0 dual; apply: Rle_trans (dual_le_dot Hw l0) (dual w). Qed.

(* ---- the sum and the largest of the magnitudes ---- *)

Section Extremes.
Variable J : finType.
Implicit Types r v w : vec J.

Definition sum_norm w : R := \sum_j Rabs (w j).
Definition max_norm w : R := \big[Rmax/0]_j Rabs (w j).

Lemma le_max_norm w j : Rabs (w j) <= max_norm w.
Proof.
rewrite /max_norm; have : j \in index_enum J by exact: mem_index_enum.
elim: (index_enum J) => // i s IH; rewrite inE big_cons => /orP[/eqP <- | /IH H]; first exact: Rmax_l.
exact: Rle_trans H (Rmax_r _ _).
Qed.

Lemma max_norm_le w b : 0 <= b -> (forall j, Rabs (w j) <= b) -> max_norm w <= b.
Proof. by move=> b0 H; apply: (big_ind (fun x => x <= b)) => // x y; exact: Rmax_lub. Qed.

Theorem sum_norm_dual r B : (forall j, Rabs (r j) <= B) -> dual_norm_le sum_norm r B.
Proof.
move=> H v; rewrite /sum_norm sum_mull; apply: sum_le => j _; apply: Rle_trans (Rle_abs _) _.
by rewrite Rabs_mult; apply: Rmult_le_compat_r (H j); apply: Rabs_pos.
Qed.

Theorem max_norm_dual r B : sum_norm r <= B -> dual_norm_le max_norm r B.
Proof.
move=> H v; apply: (Rle_trans _ (sum_norm r * max_norm v)).
  rewrite /sum_norm sum_mulr; apply: sum_le => j _; apply: Rle_trans (Rle_abs _) _.
  by rewrite Rabs_mult; apply: Rmult_le_compat_l; [apply: Rabs_pos | apply: le_max_norm].
apply: Rmult_le_compat_r => //; apply: (big_ind (fun x => 0 <= x)) => [|x y x0 _|j _]; first exact: Rle_refl.
  exact: Rle_trans x0 (Rmax_l _ _).
exact: Rabs_pos.
Qed.
End Extremes.

(* ---- l_p ---- *)

Lemma lp_sum_scale (J : finType) p c (w : vec J) : lp_sum p (c * w)%V = abs_power c p * lp_sum p w.
Proof. by rewrite /lp_sum sum_mull; apply: eq_bigr => j _; exact: abs_power_mult. Qed.

Lemma abs_power_root b p : 0 < b -> p <> 0 -> abs_power (abs_power b p) (/ p) = b.
Proof.
move=> b0 p0; have E : abs_power b p = Rpower b p.
  by rewrite /abs_power; case: Req_EM_T => [z | _]; [lra | rewrite Rabs_pos_eq //; lra].
have := exp_pos (p * ln b); rewrite -/(Rpower b p) E => pos.
rewrite /abs_power; case: Req_EM_T => [z | _]; first by lra.
by rewrite Rabs_pos_eq; [rewrite Rpower_mult Rinv_r // Rpower_1 | lra].
Qed.

Lemma abs_power_le x y p : 0 <= p -> 0 <= x <= y -> abs_power x p <= abs_power y p.
Proof.
move=> p0 [x0 xy]; case: (Req_EM_T x 0) => [-> | ne]; first by rewrite abs_power0; exact: abs_power_ge0.
rewrite /abs_power; case: Req_EM_T => // _; case: Req_EM_T => [z | _]; first by lra.
by rewrite !Rabs_pos_eq; try lra; apply: Rle_Rpower_l => //; lra.
Qed.

(* The norm is at most b when that of w / b is at most 1. *)
Lemma lp_norm_le (J : finType) p (w : vec J) b : 0 < p -> 0 < b -> lp_sum p (/ b * w)%V <= 1 -> lp_norm p w <= b.
Proof.
move=> p0 b0 w1; rewrite /lp_norm -[X in _ <= X](@abs_power_root b p) //; last by lra.
apply: abs_power_le; first by apply: Rlt_le; exact: Rinv_0_lt_compat.
split; first exact: lp_sum_ge0.
have -> : lp_sum p w = abs_power b p * lp_sum p (/ b * w)%V.
  rewrite -lp_sum_scale; congr lp_sum; apply: vec_ext => j; rewrite /vscale; field; lra.
have := abs_power_ge0 b p; nra.
Qed.

Theorem hoelder_dual (J : finType) (p q : R) (r : vec J) B : 1 < p -> / p + / q = 1 -> 0 < B ->
  lp_sum q (/ B * r)%V <= 1 -> dual_norm_le (@lp_norm J p) r B.
Proof. by move=> p1 conj B0 r1; apply: dual_norm_le_scaled => //; exact: hoelder_dual_unit conj r1. Qed.

(* ---- the nuclear norm ---- *)

Theorem spectral_dual (d e : finType) (M : vec [finType of d * e]) B : 0 < B -> contraction (/ B * M)%V ->
  dual_norm_le (@nuclear_norm d e) M B.
Proof. by move=> B0 C; apply: dual_norm_le_scaled => //; exact: contraction_dual_unit. Qed.
