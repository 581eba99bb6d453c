(* Reference: what a run is measured against, as one value.

   A `reference` is a direction u with its margin gamma and its weights mu, and a centre p orthogonal to u; a point is
   y u + p + e. The theorems for all later steps take one. Its centre is often the natural one, the part of the
   starting point orthogonal to u: the residual of that point is then 0. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Direction.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Record reference (J C : finType) (Q : pred C) (Delta : C -> vec J) := Reference {
  reference_unit : vec J;            (* u *)
  reference_margin : R;              (* gamma *)
  reference_weights : C -> R;        (* mu *)
  reference_centre : vec J;          (* p *)
  reference_direction : direction Q Delta reference_unit reference_margin reference_weights;
  reference_orthogonal : dot reference_centre reference_unit = 0
}.

Section NaturalCentre.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Notation u := (reference_unit o).
Notation p := (reference_centre o).

Definition natural (w0 : vec J) : Prop := p = (w0 - height u w0 * u)%V.

Variable w0 : vec J.
Hypothesis centred : natural w0.

Lemma start_residual : residual u p w0 = vzero.
Proof. by rewrite /residual centred; vec_ring. Qed.

Lemma start_residual_sqr : vnorm2 (residual u p w0) = 0.
Proof. by rewrite start_residual vnorm20. Qed.

Lemma natural_margin c : dot (Delta c) p = dot (Delta c) w0 - slope Delta u c * height u w0.
Proof. by rewrite centred dotBr dotZr /slope; ring. Qed.
End NaturalCentre.

(* The reference with the natural centre of w_0. *)
Lemma natural_orthogonal (J C : finType) (Q : pred C) (Delta : C -> vec J) u gamma mu (w0 : vec J) :
  direction Q Delta u gamma mu -> dot (w0 - height u w0 * u)%V u = 0.
Proof. by move=> dir; rewrite dotBl dotZl (dir_unit dir) /height; ring. Qed.

Definition natural_reference (J C : finType) (Q : pred C) (Delta : C -> vec J) u gamma mu
  (dir : direction Q Delta u gamma mu) (w0 : vec J) : reference Q Delta :=
  Reference dir (natural_orthogonal w0 dir).
