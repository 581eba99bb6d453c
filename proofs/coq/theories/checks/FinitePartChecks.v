(* FinitePartChecks: the verified checker's decisions about the finite part of selected sets: the shortest matrix whose
   margins at rows = 0 are logarithms of ratios, from spanning rows and combinations that vanish. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Number Rows Entries TokenData Claims Enclosure Senses FinitePart
                           MarginChecks OptimalityChecks GramBound EnclosureChecks SensedChecks Interval
                           IntervalTables ForeverChecks RatioFactors LeastNormChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Checks.
Variables (N : number) (quick : entries N) (D : token_data N) (picks : seq nat) (senses : seq (seq sense)).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks) (Sok : fits D senses).
Let alpha : selection (problem D) := selection_of Pok.
Implicit Types (v y : vector N) (t : token (problem D)) (mask : seq (seq bool)) (q : fraction N).

Notation data_constraint t := (Selection.constraint alpha t).
Notation values v := (@coefficient_of N D v).
Notation sense_of := (@sense_at N D senses).
Notation equal t := (equal_row alpha sense_of t).

(* ---- ratios: one for each row = 0 ---- *)

Variable ratios : seq (seq (option (fraction N))).

Definition ratio_at t : R := if at_token None ratios t is Some q then fraction_real q else 0.

Definition ratios_check : bool :=
  fits D ratios &&
  sensed_all picks senses
    (fun s r => if r is Some q then [&& is_equality s, fraction_ok q & lt zero (fraction_num q)] else ~~ is_equality s)
    ratios.

Hypothesis Rok : ratios_check.

Lemma fits_ratios : fits D ratios.
Proof. by case/andP: Rok. Qed.

Lemma ratio_given t : equal t ->
  exists q, [/\ at_token None ratios t = Some q, fraction_ok q & lt zero (fraction_num q)].
Proof.
case/andP=> ct eq; have [fr H] := andP Rok; have := sensed_allP Sok None fr H ct.
by case: (at_token None ratios t) => [q /and3P[_ qok q0] | ]; [exists q | rewrite eq].
Qed.

Lemma given_ratio_gt0 t : equal t -> 0 < ratio_at t.
Proof.
move=> et; have [q [E /fraction_den_gt0 d0 /lt_real]] := ratio_given et; rewrite real0 /ratio_at E => n0.
exact: Rdiv_lt_0_compat.
Qed.

(* ---- sums of enclosed logarithms ---- *)

Variable P : Z.

Definition log_of (r : option (fraction N)) : interval N := if r is Some q then ratio_log P q else Everything N.

Lemma log_of_contains t : equal t -> contains (log_of (at_token None ratios t)) (ln (ratio_at t)).
Proof. by move=> et; have [q [E qok _]] := ratio_given et; rewrite /ratio_at E; exact: ratio_log_contains. Qed.

(* ---- the margins asked for ---- *)

Definition logarithms_in : seq (seq (interval N)) := map_rows log_of ratios.

Lemma fits_logarithms : fits D logarithms_in.
Proof. by apply: fits_map; exact: fits_ratios. Qed.

Lemma logarithm_contains t : equal t -> contains (at_token (Everything N) logarithms_in t) (ln (ratio_at t)).
Proof. by move=> et; rewrite (at_token_map None) ?fits_ratios //; exact: log_of_contains. Qed.

(* ---- the other rows = 0: combinations that vanish ---- *)

Variables (bases : seq N) (mask : seq (seq bool)).

Definition exponent_table : seq (seq (option (seq N))) :=
  map_rows (fun r => if r is Some q then exponents_of bases q else None) ratios.

(* Of each base the exponents add up to 0. *)
Definition exponents_agree y : bool :=
  let m := zip_rows (numerators y) exponent_table in
  all (all (fun ce => same ce.1 zero || isSome ce.2)) m &&
  all (fun j => same (total_rows (map_rows (fun ce => if ce.2 is Some es then mul ce.1 (nth zero es j) else zero) m))
                  zero) (iota 0 (size bases)).

Lemma agreeing y : all (lt one) bases -> vector_ok D picks y -> exponents_agree y ->
  (forall t, ~~ equal t -> values y t = 0) -> \sum_t values y t * ln (ratio_at t) = 0.
Proof.
move=> above yok /andP[known agree] off; have /and3P[_ fy _] := yok; have y0 := denominator_gt0 yok.
have fe : fits D exponent_table by apply: fits_map; exact: fits_ratios.
have fz := fits_zip fy fe.
pose e t (j : nat) : R := if at_token None exponent_table t is Some es then entry es j else 0.
have logs t : values y t * ln (ratio_at t) = values y t * \sum_(j < size bases) e t j * ln (entry bases j).
  case et: (equal t); last by rewrite off ?et // !Rmult_0_l.
  have [q [E qok q0]] := ratio_given et.
  have := all_rowsP (zero, None) t fz known; rewrite at_token_zip //= /e /ratio_at.
  rewrite (at_token_map None) ?E; last exact: fits_ratios.
  case Ee: (exponents_of bases q) => [es|]; first by rewrite (exponents_of_log above qok q0 Ee).
  rewrite orbF => /same_real zero_y.
  by rewrite /coefficient_of /coefficient /entry -/(at_token zero (numerators y) t) zero_y real0 /Rdiv !Rmult_0_l.
rewrite (eq_bigr _ (fun t _ => logs t)).
have -> : \sum_t values y t * (\sum_(j < size bases) e t j * ln (entry bases j)) =
          \sum_(j < size bases) (\sum_t values y t * e t j) * ln (entry bases j).
  under eq_bigr => t _ do rewrite sum_mull.
  by rewrite exchange_big; apply: eq_bigr => j _; rewrite sum_mulr; apply: eq_bigr => t _; ring.
rewrite big1 // => j _; rewrite (_ : \sum_t _ = 0) ?Rmult_0_l //.
have := all_nthP 0%nat agree j; rewrite size_iota nth_iota // => /(_ (ltn_ord j)) /same_real.
rewrite add0n real0 (@total_rows_real N D); last exact: fits_map.
move=> total; rewrite -[RHS](Rmult_0_l (/ real (denominator y))) -[X in _ = X * _]total sum_mulr; apply: eq_bigr => t _.
rewrite (at_token_map (zero, None)) // at_token_zip //= /e /coefficient_of /coefficient /entry.
rewrite -/(at_token zero (numerators y) t); case: (at_token None exponent_table t) => [es|].
  by rewrite realM /entry /Rdiv; ring.
by rewrite real0; ring.
Qed.

(* ---- the checks ---- *)

Definition finite_part_check (combinations : seq (vector N)) (x : shown_least N) : bool :=
  [&& has (has idfun) mask, all (lt one) bases, dependent_check D picks senses mask combinations,
      all exponents_agree combinations &
      least_norm_check quick D picks senses P logarithms_in mask x].

Theorem finite_part_check_sound combinations x : finite_part_check combinations x ->
  exists w, [/\ finite_part alpha sense_of ratio_at w,
                fraction_real (shown_low x) <= vnorm2 w <= fraction_real (shown_high x) &
                vnorm (W alpha (values (shown_vector x)) - w)%V <= fraction_real (shown_radius x)].
Proof.
case/and5P=> _ above dep agree near.
have sok : spanning_equations D picks senses mask by case/and4P: near => /and3P[].
have rests t : equal t -> ~~ in_mask mask t ->
    exists c, depends_on (in_mask mask : pred (token (problem D))) (Delta alpha) (fun u => ln (ratio_at u)) t c.
  move=> et nt; have [y [[k kc yE] yok yt off vanish]] := dependent_check_sound Dok Sok sok dep et nt.
  exists (values y); split=> //; apply: agreeing => //; first by rewrite yE; exact: (all_nthP _ agree).
  move=> u nu; apply: off; last by move=> ut; rewrite ut et in nu.
  by apply: contraNN nu => iu; exact: (spanning_equal Pok Sok sok iu).
have [w [Hw least bounds away _]] :=
  least_norm_check_sound Dok Sok fits_logarithms (fun t => @logarithm_contains t) near rests.
by exists w.
Qed.

(* A combination of rows = 0 that vanishes, while the logarithms do not. *)
Definition equal_mask : seq (seq bool) := map_rows (@isSome _) ratios.

Definition excess_in y : interval N :=
  sum_over P (fun cr => if apart_from_zero cr.1 then imul P (exactly cr.1) (log_of cr.2) else interval0 N) equal_mask
    (zip_rows (numerators y) ratios).

Definition no_finite_part_check y : bool :=
  [&& vector_ok D picks y, sensed_all picks senses (fun s c => is_equality s || same c zero) (numerators y),
      all_zero (weights D picks y) & is_positive (excess_in y) || is_positive (iopp (excess_in y))].

Theorem no_finite_part_check_sound y : no_finite_part_check y ->
  ~ exists w, shares_attention alpha sense_of ratio_at w.
Proof.
case/and4P=> yok equalities z disagree; have /and3P[_ fy _] := yok; have y0 := denominator_gt0 yok.
have off t : ~~ equal t -> values y t = 0.
  move=> nt; case ct: (data_constraint t); last by apply: (coefficient_off (Pok := Pok)) => //; rewrite /alpha ct.
  have := sensed_allP Sok zero fy equalities ct; move: nt; rewrite /equal_row ct /= => /negbTE -> /= /same_real E.
  by rewrite /coefficient_of /coefficient /entry -/(at_token zero (numerators y) t) E real0 /Rdiv Rmult_0_l.
apply: (equations_contradict (y := values y)) => //; first exact: vanishes.
pose F t := real (at_token zero (numerators y) t) * ln (ratio_at t).
have value : \sum_t values y t * ln (ratio_at t) = (\sum_(t | in_mask equal_mask t) F t) * / real (denominator y).
  rewrite sum_mulr [RHS]big_mkcond; apply: eq_bigr => t _.
  rewrite /in_mask (at_token_map None); last exact: fits_ratios.
  rewrite {1}/coefficient_of /coefficient /entry -/(at_token zero (numerators y) t) /F.
  case E: (at_token None ratios t) => [q|] /=; first by rewrite /Rdiv; ring.
  have : values y t = 0 by apply: off; apply/negP => /ratio_given[q []]; rewrite E.
  by rewrite /coefficient_of /coefficient /entry -/(at_token zero (numerators y) t) => ->; rewrite Rmult_0_l.
have Hx : contains (excess_in y) (\sum_(t | in_mask equal_mask t) F t).
  apply: (sum_over_contains P (a0 := (zero, None))) => [||t]; first by apply: fits_map; exact: fits_ratios.
    exact: fits_zip fy fits_ratios.
  rewrite /in_mask (at_token_map None); last exact: fits_ratios.
  rewrite at_token_zip ?[(_, _).1]/= ?[(_, _).2]/=; [|exact: fy|exact: fits_ratios].
  move=> _; rewrite /F; case: ifP => [/(value_apart t yok) at0 | /negP na]; last first.
    case: (Req_dec (real (at_token zero (numerators y) t)) 0) => [-> | /apart_from_zeroP //].
    by rewrite Rmult_0_l; exact: contains0.
  apply: imul_contains; first exact: exactly_contains.
  by apply: log_of_contains; apply/negPn/negP => /off.
rewrite value => H; case: (Rmult_integral _ _ H) => E; last by have := Rinv_0_lt_compat _ y0; lra.
case/orP: disagree => [pos | neg]; first by have := is_positive_real Hx pos; lra.
by have := is_positive_real (iopp_contains Hx) neg; lra.
Qed.
End Checks.
