(* FactorRange: what the theorems for all later steps know of a head.

   The weights of a run are omega_c = b_c(z) e^{-m_c(z)} (T1; T16 for any head). T10, T11, T14 and T15 use of the
   factors b_c only their ranges where every margin m_c is at least low_c: 0 < blo_c <= b_c <= bhi_c on a set P of
   constraints that stay positive, |b_c| <= B_c on the others. T15 uses the limits of the factors, too. A head
   supplies a `factor_range` (and a `factor_limit`) and has the theorems; softmax attention with a scalar loss does so
   in LocalRanges.v and Absorbing.v, other heads in HeadRanges.v, CrossEntropyHead.v and UnitsHead.v. Nothing in this
   file, nor in the theorems that take these records, looks at softmax or at a loss. An offset o_c of a logit, such as
   the logarithm of how many equal tokens one stands for, is a factor e^(o_c) of b_c. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Progress Path Growth.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Record factor_bounds (C : finType) := FactorBounds {
  factor_kept : pred C;     (* P *)
  factor_low : C -> R;      (* blo, on P *)
  factor_high : C -> R;     (* bhi, on P *)
  factor_size : C -> R      (* B, outside P *)
}.

(* A bound of |b_c| for every constraint. *)
Definition far_factor (C : finType) (f : factor_bounds C) (c : C) : R :=
  if factor_kept f c then factor_high f c else factor_size f c.

Section FactorRange.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (b : vec J -> C -> R) (low : C -> R).

Definition margins_above (z : vec J) : Prop := forall c, Q c -> low c <= dot (Delta c) z.

Record factor_range (f : factor_bounds C) : Prop := FactorRange {
  factor_kept_constraint : forall c, factor_kept f c -> Q c;
  factor_low_gt0 : forall c, factor_kept f c -> 0 < factor_low f c;
  factor_in_range : forall z, margins_above z -> forall c, factor_kept f c ->
    factor_low f c <= b z c <= factor_high f c;
  factor_outside : forall z, margins_above z -> forall c, Q c -> ~~ factor_kept f c -> Rabs (b z c) <= factor_size f c
}.

(* On S the logarithms of the factors approach those of the limits as fast as the odds of the other tokens vanish. *)
Record factor_limit (S : pred C) (limit rate : C -> R) : Prop := FactorLimit {
  factor_limit_gt0 : forall c, S c -> 0 < limit c;
  factor_rate_ge0 : forall c, Q c -> 0 <= rate c;
  factor_deviation : forall z, margins_above z -> forall c, S c ->
    Rabs (ln (b z c) - ln (limit c)) <= \sum_(d | Q d) rate d * exp (- dot (Delta d) z)
}.

Variable f : factor_bounds C.
Hypothesis range : factor_range f.
Notation P := (factor_kept f).

Section Above.
Variable z : vec J.
Hypothesis z_above : margins_above z.

Lemma factor_low_high c : P c -> factor_low f c <= factor_high f c.
Proof. by move=> Pc; have := factor_in_range range z_above Pc; lra. Qed.

Lemma far_factor_ge c : Q c -> Rabs (b z c) <= far_factor f c.
Proof.
move=> Qc; rewrite /far_factor; case: ifPn => Pc; last exact: (factor_outside range z_above Qc Pc).
by have := factor_in_range range z_above Pc; have := factor_low_gt0 range Pc => b0 r; rewrite Rabs_pos_eq; lra.
Qed.

Lemma far_factor_ge0 c : Q c -> 0 <= far_factor f c.
Proof. by move=> Qc; exact: Rle_trans (Rabs_pos _) (far_factor_ge Qc). Qed.

(* The length of a step of size 1. *)
Lemma field_norm_le D : (forall c, Q c -> vnorm (Delta c) <= D) ->
  vnorm (field_of Q Delta b z) <=
    D * (\sum_(c | P c) factor_high f c * exp (- low c) + \sum_(c | Q c && ~~ P c) factor_size f c * exp (- low c)).
Proof.
move=> norm_le; apply: Rle_trans (vnorm_combine _ _ _) _.
rewrite (sum_split (factor_kept_constraint range)) Rmult_plus_distr_l !sum_mull.
have bound c k : Q c -> Rabs (b z c) <= k ->
    Rabs (gibbs_weight Delta (b z) z c) * vnorm (Delta c) <= D * (k * exp (- low c)).
  move=> Qc kc; rewrite Rmult_comm; apply: Rmult_le_compat; [exact: vnorm_ge0 | exact: Rabs_pos | exact: norm_le |].
  rewrite /gibbs_weight Rabs_mult (Rabs_pos_eq (exp _)); last exact/Rlt_le/exp_pos.
  apply: Rmult_le_compat; [exact: Rabs_pos | exact/Rlt_le/exp_pos | done |].
  by apply: exp_le; have := z_above Qc; lra.
apply: Rplus_le_compat; apply: sum_le => c.
  move=> Pc; have Qc := factor_kept_constraint range Pc; apply: bound => //.
  by have := far_factor_ge Qc; rewrite /far_factor Pc.
by case/andP=> Qc Pc; apply: bound => //; exact: (factor_outside range z_above Qc Pc).
Qed.
End Above.
End FactorRange.
