(* Duality: what the rows of a margin problem say whatever the norm.

   Rows <D_c, w> >= h_c, for the c with P c. A combination with multipliers lam >= 0 bounds them from below: it
   refutes feasibility (T4, the sound direction), and a lower bound of any norm follows when it lies in the norm's
   dual ball (T5). Of vectors only their scalar product is used. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Rows.
Variables (J I : finType) (P : pred I) (D : I -> vec J) (h : I -> R).
Implicit Types (w r : vec J) (lam : I -> R) (c : I).

Definition rows_hold w : Prop := forall c, P c -> h c <= dot (D c) w.

Lemma rows_hold_segment w w' s : rows_hold w -> rows_hold w' -> 0 <= s <= 1 -> rows_hold (w + s * (w' - w))%V.
Proof.
move=> Hw Hw' s01 c Pc; have H := Hw c Pc; have H' := Hw' c Pc.
by rewrite dotDr dotZr dotBr; nra.
Qed.

Lemma dual_le_dot w lam : rows_hold w -> (forall c, P c -> 0 <= lam c) ->
  \sum_(c | P c) lam c * h c <= dot (combine P lam D) w.
Proof.
move=> Hw l0; rewrite dot_combinel; apply: sum_le => c Pc.
by apply: Rmult_le_compat_l; [apply: l0 | apply: Hw].
Qed.

(* ---- T4, soundness: a Farkas vector refutes feasibility ---- *)

Theorem farkas_infeasible lam : (forall c, P c -> 0 <= lam c) -> combine P lam D = vzero ->
  0 < \sum_(c | P c) lam c * h c -> ~ exists w, rows_hold w.
Proof. by move=> l0 z s0 [w Hw]; have := dual_le_dot Hw l0; rewrite z dot0l; lra. Qed.

(* ---- T5: bounds of the optimal value in any norm ---- *)

Variable N : vec J -> R.

(* The optimal value: the greatest lower bound of N over the feasible vectors. *)
Definition optimal_value (x : R) : Prop :=
  (forall w, rows_hold w -> x <= N w) /\
  forall y, (forall w, rows_hold w -> y <= N w) -> y <= x.

(* r is in the unit ball of the dual norm. *)
Definition in_dual_ball (r : vec J) : Prop := forall v, dot r v <= N v.

Theorem norm_duality w lam opt : optimal_value opt -> rows_hold w ->
  (forall c, P c -> 0 <= lam c) -> in_dual_ball (combine P lam D) ->
  \sum_(c | P c) lam c * h c <= opt <= N w.
Proof.
move=> [lower greatest] Hw l0 dual; split; last exact: lower.
by apply: greatest => v Hv; apply: Rle_trans (dual_le_dot Hv l0) (dual v).
Qed.
End Rows.
