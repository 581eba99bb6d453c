(* Senses: rows <D_c, w> >= 1, >= 0 or = 0, each in its sense, and what they say whatever the norm (theory.md
   section 2).

   They are rows >= of Duality.v, an equality once for each way; a multiplier of an equality has any sign. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors Duality.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Inductive sense := AtLeastOne | AtLeastZero | EqualToZero.

Definition is_equality (s : sense) : bool := if s is EqualToZero then true else false.

(* The number that a margin is compared with. *)
Definition asked (s : sense) : R := if s is AtLeastOne then 1 else 0.

Definition in_sense (s : sense) (margin : R) : Prop := if is_equality s then margin = asked s else asked s <= margin.

Definition signed (s : sense) (multiplier : R) : Prop := if is_equality s then True else 0 <= multiplier.

Section Senses.
Variables (J I : finType) (P : pred I) (D : I -> vec J) (s : I -> sense).
Implicit Types (w : vec J) (lam : I -> R) (c : I).

Definition senses_hold w : Prop := forall c, P c -> in_sense (s c) (dot (D c) w).

(* ---- as rows >= ---- *)

Notation ways := [finType of I * bool].
Implicit Type k : ways.

(* The second way is there for equalities only. *)
Definition way k : bool := P k.1 && (~~ k.2 || is_equality (s k.1)).
Definition way_row k : vec J := if k.2 then (- D k.1)%V else D k.1.
Definition way_asked k : R := asked (s k.1).
Definition way_multiplier lam k : R :=
  if is_equality (s k.1) then Rmax 0 (if k.2 then - lam k.1 else lam k.1) else lam k.1.

Lemma rows_hold_senses w : rows_hold way way_row way_asked w <-> senses_hold w.
Proof.
rewrite /rows_hold /senses_hold /way /way_row /way_asked; split=> [H c Pc | H [c b] /= /andP[Pc]].
  have := H (c, false); rewrite /in_sense /= Pc => /(_ isT) low.
  have := H (c, true); rewrite /= Pc /= dotNl.
  by case: (s c) low => //= low /(_ isT); lra.
by have := H c Pc; rewrite /in_sense; case: b; case: (s c) => //=; rewrite ?dotNl; lra.
Qed.

Lemma sum_ways (F : ways -> R) :
  \sum_(k | way k) F k = \sum_(c | P c) (F (c, false) + if is_equality (s c) then F (c, true) else 0).
Proof.
transitivity (\sum_(c | P c) \sum_(b | ~~ b || is_equality (s c)) F (c, b)).
  by rewrite pair_big_dep; apply: eq_bigr => -[c b].
by apply: eq_bigr => c _; rewrite big_mkcond big_bool /=; case: (is_equality _); ring.
Qed.

Lemma combine_ways lam : combine way (way_multiplier lam) way_row = combine P lam D.
Proof.
apply: vec_ext => j; rewrite /combine sum_ways; apply: eq_bigr => c _.
rewrite /way_multiplier /way_row /vopp /=; case: (is_equality _); last by ring.
have -> : Rmax 0 (lam c) * D c j + Rmax 0 (- lam c) * - D c j = (Rmax 0 (lam c) - Rmax 0 (- lam c)) * D c j by ring.
by congr (_ * _); rewrite /Rmax; do 2 case: Rle_dec => ?; lra.
Qed.

Lemma asked_ways lam :
  \sum_(k | way k) way_multiplier lam k * way_asked k = \sum_(c | P c) lam c * asked (s c).
Proof.
rewrite sum_ways; apply: eq_bigr => c _; rewrite /way_multiplier /way_asked /=.
by case: (s c) => /=; ring.
Qed.

Lemma signed_ways lam : (forall c, P c -> signed (s c) (lam c)) -> forall k, way k -> 0 <= way_multiplier lam k.
Proof.
move=> H [c b] /andP[/= Pc _]; have := H c Pc; rewrite /signed /way_multiplier /=.
by case: (is_equality _) => // _; exact: Rmax_l.
Qed.

(* ---- combinations bound from below and refute ---- *)

Theorem signed_le_dot w lam : senses_hold w -> (forall c, P c -> signed (s c) (lam c)) ->
  \sum_(c | P c) lam c * asked (s c) <= dot (combine P lam D) w.
Proof.
by move=> /rows_hold_senses Hw /signed_ways l0; have := dual_le_dot Hw l0; rewrite asked_ways combine_ways.
Qed.

Theorem signed_infeasible lam : (forall c, P c -> signed (s c) (lam c)) -> combine P lam D = vzero ->
  0 < \sum_(c | P c) lam c * asked (s c) -> ~ exists w, senses_hold w.
Proof. by move=> l0 z pos [w Hw]; have := signed_le_dot Hw l0; rewrite z dot0l; lra. Qed.
End Senses.
