(* NormKinds: the claim `norm-optimum`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection DualNorm Claims Number Rows Entries TokenData MarginChecks NormChecks
                           ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section NormKinds.
Variable N : number.

(* ---- a matrix over one denominator, and multipliers over it ---- *)

Section Evidence.
Variables (D : token_data N) (picks : seq nat) (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Implicit Types (rows : seq (seq N)) (unit : N) (v : vector N) (lo hi bound : fraction N).

Definition matrix_ok rows unit : bool := shaped (left_dimension D) (right_dimension D) rows && lt zero unit.

Definition matrix_separates rows unit : bool :=
  constraints_all (le (mul unit (mul (token_unit D) (query_unit D)))) picks (margins_of D picks rows).

Lemma matrix_separates_sound rows unit : matrix_ok rows unit -> matrix_separates rows unit ->
  separates alpha (matrix_real rows (real unit)).
Proof.
move=> /andP[sh /lt_real]; rewrite real0 => u0 H t ct; have xz0 := units_gt0 Dok.
rewrite (margins_real Dok Pok t sh); last by lra.
have := le_real (constraints_allP zero (fits_margins Pok _) H ct); rewrite !realM => H1.
apply: (Rmult_le_reg_r (real unit * (real (token_unit D) * real (query_unit D)))); first exact: Rmult_lt_0_compat.
by rewrite Rmult_1_l /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; have := Rmult_lt_0_compat _ _ u0 xz0; lra.
Qed.

(* lo times the bound is at most the sum of the multipliers, which are not negative. *)
Definition total_check v lo bound : bool :=
  [&& vector_ok D picks v, nonnegative_check picks v &
      le (mul (mul (fraction_num lo) (fraction_num bound)) (denominator v))
         (mul (total_entries v) (mul (fraction_den lo) (fraction_den bound)))].

Lemma total_check_sound v lo bound norm w : total_check v lo bound -> fraction_ok lo -> fraction_ok bound ->
  0 < fraction_real bound -> dual_norm_le norm (W alpha (coefficient_of v)) (fraction_real bound) ->
  separates alpha w -> fraction_real lo <= norm w.
Proof.
case/and3P=> vok nn /le_real; rewrite !realM => H look bok b0 dual sep.
have l0 := fraction_den_gt0 look; have d0 := fraction_den_gt0 bok; have v0 := denominator_gt0 vok.
have pos t : constraint alpha t -> 0 <= coefficient_of v t by exact: nonnegative_check_sound.
have := norm_lower_bound (P := constraint alpha) (h := fun=> 1) sep pos dual.
rewrite (eq_bigr (coefficient_of v)) => [|t _]; last by rewrite Rmult_1_r.
rewrite -(total_real Pok vok) => above; apply: (Rmult_le_reg_l (fraction_real bound)) => //; apply: Rle_trans above.
apply: (Rmult_le_reg_r (real (denominator v) * (real (fraction_den lo) * real (fraction_den bound)))).
  by apply: Rmult_lt_0_compat => //; exact: Rmult_lt_0_compat.
have -> : real (total_entries v) / real (denominator v) *
    (real (denominator v) * (real (fraction_den lo) * real (fraction_den bound))) =
    real (total_entries v) * (real (fraction_den lo) * real (fraction_den bound)) by field; lra.
apply: Rle_trans H; right; rewrite /fraction_real; field; lra.
Qed.
End Evidence.

(* ---- norm-optimum, of the entries ---- *)

Record entrywise_data := EntrywiseData {
  entrywise_norm_of : entrywise_norm; entrywise_low : fraction N; entrywise_high : fraction N;
  entrywise_rows : seq (seq N); entrywise_unit : N; entrywise_multipliers : vector N; entrywise_dual : fraction N;
  entrywise_bits : Z
}.

(* No vector with margins >= 1 has a norm below the lower bound; this matrix has such margins, and a norm not above the
   upper one. *)
Definition entrywise_says : claim_statement N entrywise_data := fun D alpha x =>
  let norm := @norm_value (entrywise_norm_of x) (coord (problem D)) in
  let w := matrix_real (entrywise_rows x) (real (entrywise_unit x)) in
  (forall w', separates alpha w' -> fraction_real (entrywise_low x) <= norm w') /\
  separates alpha w /\ norm w <= fraction_real (entrywise_high x).

Definition entrywise_check (D : token_data N) (picks : seq nat) (x : entrywise_data) : bool :=
  let: EntrywiseData norm lo hi rows unit v bound bits := x in
  [&& [&& fraction_ok lo, fraction_ok hi & fraction_ok bound],
      [&& le zero (fraction_num lo), lt zero (fraction_num hi) & lt zero (fraction_num bound)],
      [&& matrix_ok D rows unit, matrix_separates D picks rows unit & exponent_ok norm bits],
      norm_check norm bits rows unit hi && dual_norm_check norm bits (weights D picks v) (weight_unit D v) bound &
      total_check D picks v lo bound].

Theorem entrywise_check_sound (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) x :
  entrywise_check D picks x -> entrywise_says (selection_of Pok) x.
Proof.
case: x => norm lo hi rows unit v bound bits; case/and5P=> /and3P[look hiok bok] /and3P[_ hi0 b0].
move=> /and3P[mok sep eok] /andP[Hnorm Hdual] total; move/lt_real: hi0; move/lt_real: b0; rewrite real0 => b0 hi0.
have [vok _ _] := and3P total; have /andP[sh /lt_real] := mok; rewrite real0 => u0.
rewrite /entrywise_says /=; split.
  have dual := dual_norm_check_sound eok (weights_shaped Dok Pok vok) (weight_unit_gt0 Dok vok) bok b0 Hdual.
  rewrite (weights_real Dok Pok vok) in dual => w' sep'.
  by apply: (total_check_sound total look bok _ dual sep'); exact: Rdiv_lt_0_compat b0 (fraction_den_gt0 bok).
split; first exact: matrix_separates_sound.
exact: (norm_check_sound eok sh u0 hiok hi0 Hnorm).
Qed.

Definition entrywise_claim_check : claim_checker N entrywise_data := fun quick D picks cited x =>
  accept (entrywise_check D picks x) Nothing.

Theorem entrywise_holds : check_holds entrywise_says entrywise_claim_check.
Proof. by move=> quick D picks Dok Pok cited x f _ /acceptP[H <-]; split=> //; exact: entrywise_check_sound H. Qed.

Definition entrywise_kind : claim_kind N := ClaimKind entrywise_holds.
End NormKinds.
