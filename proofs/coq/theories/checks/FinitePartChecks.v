(* FinitePartChecks: the verified checker's decisions about the finite part of selected sets: the shortest matrix whose
   margins at rows = 0 are logarithms of ratios, from spanning rows and combinations that vanish. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Number Rows Entries TokenData Claims Enclosure Senses FinitePart
                           MarginChecks OptimalityChecks GramBound EnclosureChecks SensedChecks Interval
                           IntervalTables ForeverChecks RatioFactors.

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

Definition apart_from_zero (a : N) : bool := ~~ le zero a || ~~ le a zero.

Lemma apart_from_zeroP a : reflect (real a <> 0) (apart_from_zero a).
Proof.
rewrite /apart_from_zero; case low: (le zero a); case high: (le a zero) => /=; apply: (iffP idP) => //.
- by case; move/le_real: low; move/le_real: high; rewrite real0; lra.
- by move=> _; have := not_le_real (negbT high); rewrite real0; lra.
- by move=> _; have := not_le_real (negbT low); rewrite real0; lra.
- by move=> _; have := not_le_real (negbT low); rewrite real0; lra.
Qed.

Lemma value_apart v t : vector_ok D picks v -> apart_from_zero (at_token zero (numerators v) t) <-> values v t <> 0.
Proof.
move=> /denominator_gt0 v0; rewrite /coefficient_of /coefficient /entry -/(at_token zero (numerators v) t).
have i0 := Rinv_neq_0_compat _ (Rgt_not_eq _ _ v0).
split=> [/apart_from_zeroP a0 H | ne]; first by case: (Rmult_integral _ _ H).
by apply/apart_from_zeroP => E; apply: ne; rewrite E /Rdiv Rmult_0_l.
Qed.

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

(* f of what the tables have at the tokens of the mask, added up. *)
Definition sum_over (A : Type) (f : A -> interval N) mask (m : seq (seq A)) : interval N :=
  isum P (group_sums P (map_rows (fun ba => if ba.1 then f ba.2 else interval0 N) (zip_rows mask m))).

Lemma sum_over_contains (A : Type) (a0 : A) f mask m (F : token (problem D) -> R) : fits D mask -> fits D m ->
  (forall t, in_mask mask t -> contains (f (at_token a0 m t)) (F t)) ->
  contains (sum_over f mask m) (\sum_(t | in_mask mask t) F t).
Proof.
move=> fm fa H; rewrite big_mkcond; apply: (@table_sum_contains N D).
apply: (encloses_map (e0 := (false, a0))) => [|t]; first exact: fits_zip.
by rewrite at_token_zip //= -/(in_mask mask t); case: ifP => [/H | _] //; exact: contains0.
Qed.

(* ---- rows = 0 that are spanning, and a vector over them ---- *)

Definition spanning_equations mask : bool :=
  mask_ok D picks mask && sensed_all picks senses (fun s b => ~~ b || is_equality s) mask.

Lemma spanning_equal mask t : spanning_equations mask -> in_mask mask t -> equal t.
Proof.
case/andP=> mok H it; have ct := mask_constraint Pok mok it; have [fm _] := andP mok.
by have := sensed_allP Sok false fm H ct; rewrite -/(in_mask mask t) it /equal_row /alpha ct.
Qed.

Definition only_over mask v : bool := all (all (fun bc => bc.1 || same bc.2 zero)) (zip_rows mask (numerators v)).

Lemma all_rowsP (A : Type) (a0 : A) (f : A -> bool) (m : seq (seq A)) t : fits D m -> all (all f) m ->
  f (at_token a0 m t).
Proof.
move=> fm H; have [/eqP sm _] := andP fm; have il := ltn_ord (tag (t : data_token D)).
have Hr := all_nthP [::] H (tag (t : data_token D)); rewrite sm in Hr.
exact: (all_nthP a0 (Hr il)) (fits_at t fm).
Qed.

Lemma only_over_off mask v t : vector_ok D picks v -> fits D mask -> only_over mask v -> ~~ in_mask mask t ->
  values v t = 0.
Proof.
move=> /and3P[_ fv _] fm H nt; have := all_rowsP (false, zero) t (fits_zip fm fv) H.
rewrite at_token_zip //= -/(in_mask mask t) (negbTE nt) /= => /same_real E.
by rewrite /coefficient_of /coefficient /entry -/(at_token zero (numerators v) t) E real0 /Rdiv Rmult_0_l.
Qed.

Lemma combine_over mask v : vector_ok D picks v -> mask_ok D picks mask -> only_over mask v ->
  W alpha (values v) = combine (in_mask mask : pred (token (problem D))) (values v) (Delta alpha).
Proof.
move=> vok mok H; have [fm _] := andP mok.
apply: vec_ext => jk; rewrite /W /combine [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => t _.
case it: (in_mask mask t); first by rewrite (mask_constraint Pok mok it).
by case: ifP => // _; rewrite (only_over_off vok fm H) ?it // Rmult_0_l.
Qed.

(* ---- the residuals of the vector, and the dual value ---- *)

Definition residuals_in v mask : interval N :=
  sum_over (fun mr => let r := isub P (log_of mr.2) (ratio P (margin_unit D v) mr.1) in imul P r r) mask
    (zip_rows (margins D picks v) ratios).

Lemma residuals_contain v mask : vector_ok D picks v -> spanning_equations mask ->
  contains (residuals_in v mask)
    (\sum_(t | in_mask mask t) (ln (ratio_at t) - dot (Delta alpha t) (W alpha (values v))) *
                               (ln (ratio_at t) - dot (Delta alpha t) (W alpha (values v)))).
Proof.
move=> vok sok; have /andP[/andP[fm _] _] := sok; have fr := fits_margins Pok (weights D picks v).
apply: (sum_over_contains (a0 := (zero, None))) => // [|t it]; first exact: fits_zip fr fits_ratios.
rewrite at_token_zip //=; last exact: fits_ratios.
have sub : contains (isub P (log_of (at_token None ratios t))
                             (ratio P (margin_unit D v) (at_token zero (margins D picks v) t)))
    (ln (ratio_at t) - dot (Delta alpha t) (W alpha (values v))).
  apply: isub_contains; first exact: log_of_contains (spanning_equal sok it).
  by rewrite -/(margin alpha _ t) (margin_of_matrix Dok Pok t vok); exact: ratio_contains.
exact: imul_contains.
Qed.

Definition products_in v mask : interval N :=
  sum_over (fun cr => imul P (ratio P (denominator v) cr.1) (log_of cr.2)) mask (zip_rows (numerators v) ratios).

Lemma products_contain v mask : vector_ok D picks v -> spanning_equations mask ->
  contains (products_in v mask) (\sum_(t | in_mask mask t) values v t * ln (ratio_at t)).
Proof.
move=> vok sok; have /andP[/andP[fm _] _] := sok; have /and3P[_ fv _] := vok.
apply: (sum_over_contains (a0 := (zero, None))) => // [|t it]; first exact: fits_zip fv fits_ratios.
rewrite at_token_zip //=; last exact: fits_ratios.
by apply: imul_contains; [exact: ratio_contains | exact: log_of_contains (spanning_equal sok it)].
Qed.

Definition dual_in v mask : interval N :=
  isub P (imul P (interval2 N) (products_in v mask))
    (ratio P (mul (weight_unit D v) (weight_unit D v)) (energy v (margins D picks v))).

Lemma dual_contains v mask : vector_ok D picks v -> spanning_equations mask ->
  contains (dual_in v mask)
    (2 * (\sum_(t | in_mask mask t) values v t * ln (ratio_at t)) - vnorm2 (W alpha (values v))).
Proof.
move=> vok sok; apply: isub_contains.
  by apply: imul_contains; [exact: contains2 | exact: products_contain].
by rewrite energy_value //; exact: ratio_contains.
Qed.

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

Definition unspanned : seq (seq bool) := map_rows (fun br => ~~ br.1 && isSome br.2) (zip_rows mask ratios).
Definition outside y : seq (seq bool) :=
  map_rows (fun bc => ~~ bc.1 && apart_from_zero bc.2) (zip_rows mask (numerators y)).

Definition vanishing_combination y : bool :=
  [&& vector_ok D picks y, all_zero (weights D picks y) & exponents_agree y].

(* Each row that is not spanning has a combination of itself and of spanning ones. *)
Definition dependent_check (combinations : seq (vector N)) : bool :=
  ([seq listed_places D (outside y) | y <- combinations] == [seq [:: it] | it <- listed_places D unspanned]) &&
  all vanishing_combination combinations.

Lemma listed_mem (m : seq (seq bool)) t : pair_of t \in listed_places D m -> in_mask m t.
Proof.
rewrite listed_places_all => /allpairsPdep[i [k [_]]]; rewrite mem_filter => /andP[marked _] E.
by move: marked; rewrite /in_mask /at_token; case: E => <- <-.
Qed.

Lemma vanishes y : vector_ok D picks y -> all_zero (weights D picks y) ->
  combine predT (values y) (Delta alpha) = vzero.
Proof.
move=> yok H; rewrite -(combine_constraints Pok) -/(W alpha (values y)) -weights_real //.
by apply: vec_ext => jk; rewrite /matrix_real all_zero_entry // /Rdiv Rmult_0_l.
Qed.

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

Theorem dependent_check_sound combinations t : all (lt one) bases -> spanning_equations mask ->
  dependent_check combinations -> equal t -> ~~ in_mask mask t ->
  exists c, depends_on (in_mask mask : pred (token (problem D))) (Delta alpha) (fun u => ln (ratio_at u)) t c.
Proof.
move=> above sok /andP[/eqP places vanishing] et nt; have /andP[/andP[fm _] _] := sok.
have [q [E _ _]] := ratio_given et.
have listed : pair_of t \in listed_places D unspanned.
  apply: mem_active; rewrite /in_mask (at_token_map (false, None)); last exact: fits_zip fm fits_ratios.
  by rewrite at_token_zip //=; [rewrite -/(in_mask mask t) nt E | exact: fits_ratios].
set k := index (pair_of t) (listed_places D unspanned).
have kl : (k < size (listed_places D unspanned))%nat by rewrite index_mem.
have sizes := f_equal size places; rewrite !size_map in sizes.
have only := f_equal (fun l => nth [::] l k) places; rewrite /= in only.
pose y := nth (Vector zero [::]) combinations k.
rewrite (nth_map (Vector zero [::])) ?sizes // (nth_map (0%nat, 0%nat)) // nth_index // -/y in only.
have /and3P[yok z agree] : vanishing_combination y by apply: (all_nthP (Vector zero [::]) vanishing); rewrite sizes.
have /and3P[_ fy _] := yok; have y0 := denominator_gt0 yok.
have entries (u : token (problem D)) :
    in_mask (outside y) u = ~~ in_mask mask u && apart_from_zero (at_token zero (numerators y) u).
  rewrite /in_mask (at_token_map (false, zero)); last exact: fits_zip fm fy.
  by rewrite at_token_zip.
have off u : ~~ in_mask mask u -> u <> t -> values y u = 0.
  move=> nu ut; case: (Req_dec (values y u) 0) => // /(value_apart u yok) au.
  have := @mem_active N D (outside y) u; rewrite entries nu au only inE => /(_ isT) /eqP /pair_of_inj.
  by move/ut.
exists (values y); split=> //; last first.
- apply: agreeing => // u nu; apply: off.
    by apply: contraNN nu => iu; exact: spanning_equal sok iu.
  by move=> ut; rewrite ut et in nu.
- exact: vanishes.
have : in_mask (outside y) t by apply: listed_mem; rewrite only mem_head.
by rewrite entries => /andP[_ /(value_apart t yok)].
Qed.

(* ---- the checks ---- *)

Definition finite_part_check v (hints : gram_hints N) (combinations : seq (vector N)) (lo hi radius S : fraction N) :
    bool :=
  let square_in := fraction_in P (square radius) in
  [&& [&& vector_ok D picks v, spanning_equations mask, has (has idfun) mask & only_over mask v],
      [&& fraction_ok lo, fraction_ok hi, fraction_ok radius & fraction_ok S],
      [&& le zero (fraction_num radius), lt zero (fraction_num S), all (lt one) bases & dependent_check combinations] &
      [&& gram_check quick D picks mask hints S,
          certainly_le (residuals_in v mask) (imul P square_in (fraction_in P S)),
          certainly_le (fraction_in P lo) (dual_in v mask) &
          certainly_le (iadd P (dual_in v mask) square_in) (fraction_in P hi)]].

Theorem finite_part_check_sound v hints combinations lo hi radius S :
  finite_part_check v hints combinations lo hi radius S ->
  exists w, [/\ finite_part alpha sense_of ratio_at w, fraction_real lo <= vnorm2 w <= fraction_real hi &
                vnorm (W alpha (values v) - w)%V <= fraction_real radius].
Proof.
case/and4P=> /and4P[vok sok _ only] /and4P[_ _ rok Sok'] /and4P[r0 /lt_real S0 above dep] /and4P[gram near low high].
rewrite real0 in S0; have S1 : 0 < fraction_real S by apply: Rdiv_lt_0_compat => //; exact: fraction_den_gt0.
have /andP[mok _] := sok; have over := combine_over vok mok only.
have Hsq := fraction_in_contains P (square radius); have Hd := dual_contains vok sok.
have [|||w [Hw least norm away]] := @finite_part_enclosed _ _ (fun t => equal t)
  (in_mask mask : pred (token (problem D))) (Delta alpha) (fun t => ln (ratio_at t)) (values v)
  (fraction_real S) (fraction_real (square radius)) _ S1 (gram_check_sound Dok Pok gram).
- by move=> t; exact: spanning_equal.
- rewrite -over.
  exact: certainly_le_real (residuals_contain vok sok) (imul_contains _ Hsq (fraction_in_contains P S)) near.
- by move=> t et nt; exact: dependent_check_sound dep et nt.
rewrite -over in norm away; exists w; split; first by split.
  have := certainly_le_real (fraction_in_contains P lo) Hd low.
  have := certainly_le_real (iadd_contains P Hd Hsq) (fraction_in_contains P hi) high; lra.
rewrite square_real // in away; have R0 := fraction_ge0 rok r0.
rewrite /vnorm -(sqrt_square (fraction_real radius)) //; exact: sqrt_le_1_alt.
Qed.

(* A combination of rows = 0 that vanishes, while the logarithms do not. *)
Definition equal_mask : seq (seq bool) := map_rows (@isSome _) ratios.

Definition excess_in y : interval N :=
  sum_over (fun cr => if apart_from_zero cr.1 then imul P (exactly cr.1) (log_of cr.2) else interval0 N) equal_mask
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
  apply: (sum_over_contains (a0 := (zero, None))) => [||t]; first by apply: fits_map; exact: fits_ratios.
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
