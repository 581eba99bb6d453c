(* FinitePartKinds: the claims `finite-part` and `no-finite-part`, of rows with senses: those = 0 have ratios, as which
   the attention inside selected sets is shared (FinitePart.v, shares_attention_ratio). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Senses FinitePart Number Rows Entries TokenData Interval
                           MarginChecks OptimalityChecks GramBound SensedChecks LeastNormChecks FinitePartChecks
                           ClaimKind Posed.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Kinds.
Variable N : number.
Notation values D v := (@coefficient_of N D v).

(* Selections with all rows >= 1 have none. *)
Definition of_no_selection (data : Type) : claim_statement N data := fun D alpha x => False.
Definition refused_of_selections (data : Type) : claim_checker N data := fun quick D picks cited x => None.

Lemma nothing_of_selections (data : Type) :
  check_holds (@of_no_selection data) (@refused_of_selections data).
Proof. by []. Qed.

Definition only_sensed (data : Type) : claim_kind N := ClaimKind (@nothing_of_selections data).

(* ---- finite-part ---- *)

Record finite_part_data := FinitePartData {
  finite_low : fraction N; finite_high : fraction N;   (* of the squared norm *)
  finite_radius : fraction N;
  finite_ratios : seq (seq (option (fraction N))); finite_bits : Z;   (* of their logarithms *)
  finite_spanning : seq (seq bool); finite_least : fraction N; finite_hints : gram_hints N;
  finite_coefficients : vector N;
  finite_bases : seq N; finite_combinations : seq (vector N)
}.

(* That matrix has the attention shared as the ratios say, and is close to the given one. *)
Definition finite_part_says : sensed_statement N finite_part_data := fun D alpha s x =>
  let rho := @ratio_at N D (finite_ratios x) in
  (forall t, equal_row alpha s t -> 0 < rho t) /\
  exists w, [/\ finite_part alpha s rho w,
                fraction_real (finite_low x) <= vnorm2 w <= fraction_real (finite_high x) &
                vnorm (W alpha (values D (finite_coefficients x)) - w)%V <= fraction_real (finite_radius x)].

Definition finite_part_claim_check : sensed_checker N finite_part_data := fun quick D picks senses cited x =>
  accept (ratios_check D picks senses (finite_ratios x) &&
          finite_part_check quick D picks senses (finite_ratios x) (finite_bits x) (finite_bases x) (finite_spanning x)
            (finite_combinations x) (ShownLeast (finite_coefficients x) (finite_low x) (finite_high x) (finite_radius x)
            (finite_least x) (finite_hints x))) Nothing.

Theorem finite_part_holds : sensed_check_holds finite_part_says finite_part_claim_check.
Proof.
move=> quick D picks Dok Pok senses Sok cited x f _ /acceptP[/andP[Rok H] <-]; split=> //; split.
  by move=> t; exact: (given_ratio_gt0 Sok Rok).
exact: (finite_part_check_sound Dok Pok Sok Rok H).
Qed.

Definition finite_part_kind : posed_kind N := rows_kind (K := only_sensed finite_part_data) finite_part_holds.

(* ---- no-finite-part ---- *)

Record no_finite_part_data := NoFinitePartData {
  contradicting_ratios : seq (seq (option (fraction N))); contradicting_bits : Z; contradicting_combination : vector N
}.

Definition no_finite_part_says : sensed_statement N no_finite_part_data := fun D alpha s x =>
  let rho := @ratio_at N D (contradicting_ratios x) in
  (forall t, equal_row alpha s t -> 0 < rho t) /\ ~ exists w, shares_attention alpha s rho w.

Definition no_finite_part_claim_check : sensed_checker N no_finite_part_data := fun quick D picks senses cited x =>
  accept (ratios_check D picks senses (contradicting_ratios x) &&
          no_finite_part_check D picks senses (contradicting_ratios x) (contradicting_bits x)
            (contradicting_combination x)) Nothing.

Theorem no_finite_part_holds : sensed_check_holds no_finite_part_says no_finite_part_claim_check.
Proof.
move=> quick D picks Dok Pok senses Sok cited x f _ /acceptP[/andP[Rok H] <-]; split=> //; split.
  by move=> t; exact: (given_ratio_gt0 Sok Rok).
exact: (no_finite_part_check_sound Dok Sok Rok H).
Qed.

Definition no_finite_part_kind : posed_kind N :=
  rows_kind (K := only_sensed no_finite_part_data) no_finite_part_holds.
End Kinds.
