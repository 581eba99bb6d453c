(* SensedEnclosureChecks: the verified checker's decisions about enclosures of the solution of a problem whose rows have
   senses: those of MarginChecks.v (form gap) and EnclosureChecks.v (form lambda-min) with raised margins. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Number Rows Entries TokenData Claims Enclosure Senses SensedClaims
                           MarginChecks OptimalityChecks GramBound EnclosureChecks SensedChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Checks.
Variables (N : number) (quick : entries N) (D : token_data N) (picks : seq nat) (senses : seq (seq sense)).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks) (Sok : fits D senses).
Let alpha : selection (problem D) := selection_of Pok.
Let dx := real (token_unit D).
Let dz := real (query_unit D).
Implicit Types (v : vector N) (t : token (problem D)) (m : seq (seq N)) (mask : seq (seq bool)) (q : fraction N).

Notation data_constraint t := (Selection.constraint alpha t).
Notation values v := (@coefficient_of N D v).
Notation solution v := (W alpha (values v)).
Notation unit_of v := (margin_unit D v).
Notation sense_of := (@sense_at N D senses).
Notation h t := (asked (sense_of t)).
Notation raised := (raised D senses).

(* 2 (sum of x over the rows >= 1) - ||W x||^2 over dual_unit; m are the margins. *)
Definition sensed_dual_value v m : N :=
  sub (mul (mul two (asked_total senses v)) (mul (weight_unit D v) (weight_unit D v)))
    (mul (energy v m) (denominator v)).

Lemma sensed_dual_value_real v : vector_ok D picks v ->
  real (sensed_dual_value v (margins D picks v)) / real (dual_unit D v) =
  2 * (\sum_(t | data_constraint t) values v t * h t) - vnorm2 (solution v).
Proof.
move=> vok; rewrite -(asked_total_real Pok Sok vok) energy_value // /sensed_dual_value /dual_unit.
have := weight_unit_gt0 Dok vok; have := denominator_gt0 vok.
move: (weight_unit D v) (denominator v) (asked_total senses v) (energy _ _) => u d a b d0 u0.
by rewrite realB !realM real2; field; lra.
Qed.

(* ---- form gap ---- *)

Definition sensed_gap_check primal m dual (lo hi r : fraction N) : bool :=
  let a := energy primal m in
  let u := mul (weight_unit D primal) (weight_unit D primal) in
  let b := sensed_dual_value dual (margins D picks dual) in
  let ub := dual_unit D dual in
  [&& vector_ok D picks primal, vector_ok D picks dual, sensed_separates_check D picks senses primal m,
      signed_check picks senses dual, [&& fraction_ok lo, fraction_ok hi & fraction_ok r] &
      [&& fraction_le lo b ub, le_fraction a u hi & le_fraction (sub (mul a ub) (mul b u)) (mul u ub) r]].

Theorem sensed_gap_check_sound primal dual lo hi r : sensed_gap_check primal (margins D picks primal) dual lo hi r ->
  sensed_gap_enclosure alpha sense_of (fraction_real lo) (fraction_real hi) (fraction_real r) (solution primal).
Proof.
case/and5P=> pok dok sep sgn /andP[/and3P[look hiok rok] /and3P[Hlo Hhi Hr]].
have u0 := weight_unit_gt0 Dok pok; have ub0 := dual_unit_gt0 Dok dok.
have uu0 : 0 < real (mul (weight_unit D primal) (weight_unit D primal)) by rewrite realM; apply: Rmult_lt_0_compat.
apply: (sensed_gap_enclosure_sound (y := values dual)) => [|t ct|||].
- exact: (sensed_separates_check_sound Dok Sok pok sep).
- exact: (signed_check_sound Sok dok sgn ct).
- by rewrite -sensed_dual_value_real //; apply: fraction_le_real.
- by rewrite energy_value //; apply: le_fraction_real.
rewrite -sensed_dual_value_real // energy_value //.
move: (sensed_dual_value dual _) (dual_unit D dual) (weight_unit D primal) (energy _ _) ub0 uu0 Hr =>
  b ub u a ub0 uu0 Hr.
have uub0 : 0 < real (mul (mul u u) ub) by rewrite realM; apply: Rmult_lt_0_compat.
have := le_fraction_real rok uub0 Hr; congr (_ <= _).
by move: uu0; rewrite realB !realM => uu0; field; split; [lra | nra].
Qed.

(* ---- form lambda-min ---- *)

Lemma raised_far v num den t : vector_ok D picks v -> 0 < real den ->
  far_check D (unit_of v) num den (at_token zero (raised v (margins D picks v)) t)
    (at_token zero (lengths D picks) t) ->
  h t < margin alpha (solution v) t /\
  real num / real den * vnorm2 (Delta alpha t) <
  (margin alpha (solution v) t - h t) * (margin alpha (solution v) t - h t).
Proof.
move=> vok d0 far; have u0 := margin_unit_gt0 Dok vok; have [slack above] := far_scaled Dok Pok d0 u0 far.
have E : real (at_token zero (raised v (margins D picks v)) t) / real (unit_of v) =
  margin alpha (solution v) t - h t + 1 by exact: raised_value.
rewrite E in slack above; split; first lra.
by move: above; rewrite (_ : _ + 1 - 1 = margin alpha (solution v) t - h t) //; ring.
Qed.

Lemma raised_residual v mask : vector_ok D picks v -> mask_ok D picks mask ->
  real (total_rows (residual_rows D v (raised v (margins D picks v)) mask)) / real (mul (unit_of v) (unit_of v)) =
  \sum_(t | in_mask mask t) (h t - margin alpha (solution v) t) * (h t - margin alpha (solution v) t).
Proof.
move=> vok /andP[fm _]; have fr := fits_raised Sok v (fits_margins Pok (weights D picks v)).
rewrite (residual_scaled Dok vok fr fm); apply: eq_bigr => t _.
have -> : real (at_token zero (raised v (margins D picks v)) t) / real (unit_of v) =
  margin alpha (solution v) t - h t + 1 by exact: raised_value.
ring.
Qed.

Definition sensed_large_check v mask q : bool :=
  sensed_all picks senses
    (fun s bc => if bc.1 then is_equality s || lt (mul (fraction_num q) (denominator v)) (mul bc.2 (fraction_den q))
                 else same bc.2 zero) (zip_rows mask (numerators v)).

Lemma sensed_large_check_sound v mask q t : vector_ok D picks v -> mask_ok D picks mask -> fraction_ok q ->
  sensed_large_check v mask q -> data_constraint t ->
  if in_mask mask t then ~~ is_equality (sense_of t) -> fraction_real q < values v t else values v t = 0.
Proof.
move=> vok /andP[fm _] qok H ct; have /and3P[_ fv _] := vok.
have := sensed_allP Sok (false, zero) (fits_zip fm fv) H ct.
rewrite at_token_zip //= -/(in_mask mask t); case: (in_mask mask t) => [above /negbTE ne | /same_real E].
  by move: above; rewrite ne; exact: (large_scaled vok qok).
by rewrite /coefficient_of /coefficient /entry -/(at_token _ _ _) E real0 /Rdiv Rmult_0_l.
Qed.

Definition sensed_ball_check v m mask (hints : gram_hints N) (lo hi radius multiplier_radius lambda_min :
  fraction N) : bool :=
  let r2 := square radius in
  let a := raised v m in
  let rows := total_rows (residual_rows D v a mask) in
  let u := unit_of v in
  let u2 := mul u u in
  let b := sensed_dual_value v m in
  let ub := dual_unit D v in
  [&& [&& vector_ok D picks v, mask_ok D picks mask & sensed_all picks senses (fun s b => ~~ is_equality s || b) mask],
      [&& fraction_ok lo, fraction_ok hi, fraction_ok radius, fraction_ok multiplier_radius & fraction_ok lambda_min],
      [&& lt zero (fraction_num lambda_min), le zero (fraction_num radius) &
        le zero (fraction_num multiplier_radius)] &
      [&& gram_check quick D picks mask hints lambda_min,
          le_fraction rows u2 (product r2 lambda_min),
          le_fraction rows u2 (product (square multiplier_radius) (square lambda_min)),
          sensed_large_check v mask multiplier_radius &
      [&& constraints_all (fun bml => bml.1 || far_check D u (fraction_num r2) (fraction_den r2) bml.2.1 bml.2.2)
            picks (zip_rows mask (zip_rows a (lengths D picks))),
          fraction_le lo b ub &
          le_fraction (add (mul b (fraction_den r2)) (mul (fraction_num r2) ub)) (mul ub (fraction_den r2)) hi]]].

Theorem sensed_ball_check_sound v mask hints lo hi radius mradius lmin :
  sensed_ball_check v (margins D picks v) mask hints lo hi radius mradius lmin ->
  sensed_ball_enclosure alpha sense_of (in_mask mask) (values v) (fraction_real lo) (fraction_real hi)
    (fraction_real radius * fraction_real radius) (fraction_real mradius).
Proof.
case/and4P=> /and3P[vok mok equal] /and5P[look hiok rok mrok lok] /and3P[l0 r0 mr0] /and5P[gram rad mrad large].
case/and3P=> far Hlo Hhi; have [fm _] := andP mok.
have u0 := margin_unit_gt0 Dok vok; have ub0 := dual_unit_gt0 Dok vok; have rd0 := product_ok rok rok.
have uu0 : 0 < real (mul (unit_of v) (unit_of v)) by rewrite realM; apply: Rmult_lt_0_compat.
have off t : data_constraint t -> ~~ in_mask mask t -> values v t = 0.
  by move=> ct nt; have := sensed_large_check_sound vok mok mrok large ct; rewrite (negbTE nt).
have sum_on_mask : \sum_(t | data_constraint t) values v t * h t = \sum_(t | in_mask mask t) values v t * h t.
  rewrite [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => t _; case it: (in_mask mask t).
    by rewrite (mask_constraint Pok mok it).
  by case: ifP => // ct; rewrite off ?it // Rmult_0_l.
apply: (@sensed_ball_enclosure_sound (problem D) alpha sense_of (in_mask mask) (values v) (fraction_real lmin)).
- by move=> t; apply: mask_constraint.
- exact: off.
- by move=> t ct eq; have := sensed_allP Sok false fm equal ct; rewrite eq.
- by move/lt_real: l0; rewrite real0 => ?; apply: Rdiv_lt_0_compat => //; apply: fraction_den_gt0.
- exact: gram_check_sound gram.
- rewrite -raised_residual //; apply: Rle_trans (le_fraction_pos _ uu0 rad) _; first by rewrite /= realM;
    apply: Rmult_lt_0_compat => //; apply: fraction_den_gt0.
  by right; rewrite {1}/fraction_real /= !realM -square_real // /fraction_real /= !realM; field; have :=
    fraction_den_gt0 rok; have := fraction_den_gt0 lok; lra.
- exact: fraction_ge0.
- rewrite -raised_residual //; apply: Rle_trans (le_fraction_pos _ uu0 mrad) _.
    by rewrite /= realM; apply: Rmult_lt_0_compat; apply: product_ok.
  by right; rewrite /fraction_real /= !realM; field; have := fraction_den_gt0 mrok; have := fraction_den_gt0 lok; lra.
- by move=> t it; have := sensed_large_check_sound vok mok mrok large (mask_constraint Pok mok it); rewrite it.
- move=> t ct nt; rewrite -square_real //; apply: raised_far => //.
  have fr := fits_raised Sok v (fits_margins Pok (weights D picks v)).
  have fl := fits_zip fr (fits_lengths Pok).
  have := constraints_allP (false, (zero, zero)) (fits_zip fm fl) far ct.
  rewrite at_token_zip //= at_token_zip //=; last exact: fits_lengths.
  by rewrite -/(in_mask mask t) (negbTE nt).
- rewrite -sum_on_mask -sensed_dual_value_real //; exact: fraction_le_real.
- rewrite -sum_on_mask -sensed_dual_value_real //.
  have ubr : 0 < real (mul (dual_unit D v) (fraction_den (square radius))) by rewrite realM;
    apply: Rmult_lt_0_compat => //; apply: square_ok.
  apply: Rle_trans (le_fraction_real hiok ubr Hhi); right; rewrite -square_real //.
  move: (square radius) (square_ok rok) (sensed_dual_value v (margins D picks v)) (dual_unit D v) ub0 =>
    r2 r20 b ub ub0.
  by rewrite /fraction_real realD !realM; field; lra.
Qed.
End Checks.
