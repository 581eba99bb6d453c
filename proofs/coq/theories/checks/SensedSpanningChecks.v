(* SensedSpanningChecks: the verified checker's decision about infeasibility from a combination of rows >= 1, >= 0 and
   = 0 that is small beside the least eigenvalue of spanning ones: SpanningChecks.v for rows in senses. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Separability SensedSeparability Number Rows Entries TokenData Claims
                           Enclosure Senses SensedClaims MarginChecks OptimalityChecks GramBound EnclosureChecks
                           SpanningChecks SensedChecks LeastNormChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Checks.
Variables (N : number) (quick : entries N) (D : token_data N) (picks : seq nat) (senses : seq (seq sense)).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks) (Sok : fits D senses).
Let alpha : selection (problem D) := selection_of Pok.
Implicit Types (v : vector N) (mask : seq (seq bool)) (t : token (problem D)).
Notation values v := (@coefficient_of N D v).
Notation sense_of := (@sense_at N D senses).

(* The rows with a number. *)
Definition nonzero_mask v : seq (seq bool) := map_rows (@apart_from_zero N) (numerators v).

Lemma in_nonzero_mask v t : vector_ok D picks v -> in_mask (nonzero_mask v) t <-> values v t <> 0.
Proof.
move=> vok; have /and3P[_ fv _] := vok; rewrite /in_mask (at_token_map zero) //.
exact: (value_apart t vok).
Qed.

(* Of the spanning rows an inequality has ||W||^2 < S lambda^2, and there is one. *)
Definition sensed_spanning_check v mask (hints : gram_hints N) (S : fraction N) : bool :=
  let wu := weight_unit D v in
  let least := mul (mul (energy v (margins D picks v)) (fraction_den S)) (mul (denominator v) (denominator v)) in
  let most := mul (fraction_num S) (mul wu wu) in
  [&& vector_ok D picks v, signed_check picks senses v, mask_ok D picks mask, lt zero (asked_total senses v) &
  [&& lt zero (fraction_num S), dimension_at_most D picks (nonzero_mask v) (mask_size mask),
      gram_check quick D picks mask hints S, (0 < mask_size (inequalities senses mask))%nat &
      sensed_all picks senses
        (fun s ba => ~~ ba.1 || if is_equality s then apart_from_zero ba.2
                                else ~~ le ba.2 zero && lt least (mul most (mul ba.2 ba.2)))
        (zip_rows mask (numerators v))]].

Theorem sensed_spanning_check_sound v mask hints S : sensed_spanning_check v mask hints S ->
  ~ sensed_feasible alpha sense_of.
Proof.
case/and5P=> vok sgn mok pos /and5P[/lt_real S0 many gram _ small]; rewrite real0 in S0.
have S1 := fraction_den_gt0 (gram_check_bound_ok gram); have d0 := denominator_gt0 vok.
have wu0 := weight_unit_gt0 Dok vok; have /and3P[_ fv _] := vok; have [fm _] := andP mok.
have fA : fits D (nonzero_mask v) by exact: fits_map.
have off t : ~~ in_mask (nonzero_mask v) t -> values v t = 0.
  by move=> nt; case: (Req_dec (values v t) 0) => // /(in_nonzero_mask t vok) H; rewrite H in nt.
have posed t : in_mask (nonzero_mask v) t -> Selection.constraint alpha t.
  move/(in_nonzero_mask t vok) => ne; case ct: (Selection.constraint alpha t) => //.
  by case: ne; exact: (coefficient_off (Pok := Pok) vok (negbT ct)).
have at_mask t : in_mask mask t -> if is_equality (sense_of t) then in_mask (nonzero_mask v) t
    else ~~ le (at_token zero (numerators v) t) zero &&
         lt (mul (mul (energy v (margins D picks v)) (fraction_den S)) (mul (denominator v) (denominator v)))
            (mul (mul (fraction_num S) (mul (weight_unit D v) (weight_unit D v)))
                 (mul (at_token zero (numerators v) t) (at_token zero (numerators v) t))).
  move=> it; have ct := mask_constraint Pok mok it.
  have := sensed_allP Sok (false, zero) (fits_zip fm fv) small ct.
  rewrite at_token_zip //= -/(in_mask mask t) it /=; case: (is_equality _) => // H.
  by rewrite /in_mask (at_token_map zero).
have positive t : in_mask mask t -> ~~ is_equality (sense_of t) -> 0 < values v t.
  move=> it /negbTE ne; have := at_mask t it; rewrite ne => /andP[/not_le_real]; rewrite real0 => a0 _.
  by apply: Rdiv_lt_0_compat.
have listed t : in_mask mask t -> in_mask (nonzero_mask v) t.
  move=> it; case ne: (is_equality (sense_of t)); first by have := at_mask t it; rewrite ne.
  by apply/(in_nonzero_mask t vok); have := positive t it (negbT ne); lra.
have restrict (F : token (problem D) -> R) :
    \sum_(t | in_mask (nonzero_mask v) t) values v t * F t = \sum_(t | Selection.constraint alpha t) values v t * F t.
  rewrite [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => t _; case it: (in_mask _ t); first by rewrite posed.
  by case: ifP => // _; rewrite off ?it // Rmult_0_l.
have combination : combine (in_mask (nonzero_mask v) : pred (token (problem D))) (values v) (Delta alpha) =
    W alpha (values v).
  by apply: vec_ext => jk; rewrite /W /combine (restrict (fun t => Delta alpha t jk)).
have [s le_s span] := dimension_at_most_sound Dok Pok fA many.
apply: (@sensed_spanning_infeasible _ _ (Selection.constraint alpha) (in_mask (nonzero_mask v) : pred (token
  (problem D))) (in_mask mask) (Delta alpha) sense_of s (fraction_real S) (values v)) => //.
- by move=> t it; apply: signed_check_sound (posed t it).
- by rewrite (restrict (fun t => asked (sense_of t))); exact: asked_total_gt0.
- exact: Rdiv_lt_0_compat.
- exact: gram_check_sound gram.
- by rewrite mask_card.
move=> t it ne; split; first exact: positive.
rewrite combination; have := at_mask t it; rewrite (negbTE ne) => /andP[_].
exact: (spanning_row_small Dok Pok vok (gram_check_bound_ok gram)).
Qed.
End Checks.
