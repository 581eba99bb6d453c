(* LeastNormChecks: the shortest matrix with given margins at the rows = 0, from spanning rows and combinations that
   vanish: what the verified checker decides of it, whatever the margins asked for are. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Number Rows Entries TokenData Claims Enclosure Senses FinitePart
                           MarginChecks OptimalityChecks GramBound EnclosureChecks SensedChecks Interval
                           IntervalTables AttentionIntervals ReferenceIntervals ForeverChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* What is shown of the shortest solution: a vector over the spanning rows, bounds of the squared norm, how far the
   solution can be, and a lower bound of the rows' Gram matrix. *)
Record shown_least (N : number) := ShownLeast {
  shown_vector : vector N;
  shown_low : fraction N; shown_high : fraction N;
  shown_radius : fraction N;
  shown_spanning : fraction N; shown_hints : gram_hints N
}.

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

(* ---- the rows = 0 ---- *)

Definition equation_mask : seq (seq bool) :=
  map_rows (fun cs => cs.1 && is_equality cs.2) (zip_rows (constraint_mask D picks) senses).

Lemma fits_equation_mask : fits D equation_mask.
Proof. by apply: fits_map; exact: fits_zip (fits_constraint_mask Pok) Sok. Qed.

Lemma in_equation_mask t : in_mask equation_mask t = equal t.
Proof.
have fz := fits_zip (fits_constraint_mask Pok) Sok.
rewrite /in_mask (at_token_map (false, AtLeastOne)) // at_token_zip ?(fits_constraint_mask Pok) //=.
by rewrite -/(in_mask (constraint_mask D picks) t) (in_constraint_mask Pok).
Qed.

Variable P : Z.

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

(* ---- the margins asked for ---- *)

Variables (asked : seq (seq (interval N))) (l : token (problem D) -> R).
Notation asked_at t := (at_token (Everything N) asked t).
Hypothesis asked_fits : fits D asked.
Hypothesis asked_contains : forall t, equal t -> contains (asked_at t) (l t).

Definition residuals_in v mask : interval N :=
  sum_over (fun mr => let r := isub P mr.2 (ratio P (margin_unit D v) mr.1) in imul P r r) mask
    (zip_rows (margins D picks v) asked).

Lemma residuals_contain v mask : vector_ok D picks v -> spanning_equations mask ->
  contains (residuals_in v mask)
    (\sum_(t | in_mask mask t) (l t - dot (Delta alpha t) (W alpha (values v))) *
                               (l t - dot (Delta alpha t) (W alpha (values v)))).
Proof.
move=> vok sok; have /andP[/andP[fm _] _] := sok; have fr := fits_margins Pok (weights D picks v).
apply: (sum_over_contains (a0 := (zero, Everything N))) => // [|t it]; first exact: fits_zip fr asked_fits.
rewrite at_token_zip //=.
have sub : contains (isub P (asked_at t) (ratio P (margin_unit D v) (at_token zero (margins D picks v) t)))
    (l t - dot (Delta alpha t) (W alpha (values v))).
  apply: isub_contains; first exact: asked_contains (spanning_equal sok it).
  by rewrite -/(margin alpha _ t) (margin_of_matrix Dok Pok t vok); exact: ratio_contains.
exact: imul_contains.
Qed.

Definition products_in v mask : interval N :=
  sum_over (fun cr => imul P (ratio P (denominator v) cr.1) cr.2) mask (zip_rows (numerators v) asked).

Lemma products_contain v mask : vector_ok D picks v -> spanning_equations mask ->
  contains (products_in v mask) (\sum_(t | in_mask mask t) values v t * l t).
Proof.
move=> vok sok; have /andP[/andP[fm _] _] := sok; have /and3P[_ fv _] := vok.
apply: (sum_over_contains (a0 := (zero, Everything N))) => // [|t it]; first exact: fits_zip fv asked_fits.
rewrite at_token_zip //=.
by apply: imul_contains; [exact: ratio_contains | exact: asked_contains (spanning_equal sok it)].
Qed.

(* The dual value of the vector, from which on the squared norm is. *)
Definition dual_in v mask : interval N :=
  isub P (imul P (interval2 N) (products_in v mask))
    (ratio P (mul (weight_unit D v) (weight_unit D v)) (energy v (margins D picks v))).

Lemma dual_contains v mask : vector_ok D picks v -> spanning_equations mask ->
  contains (dual_in v mask) (2 * (\sum_(t | in_mask mask t) values v t * l t) - vnorm2 (W alpha (values v))).
Proof.
move=> vok sok; apply: isub_contains.
  by apply: imul_contains; [exact: contains2 | exact: products_contain].
by rewrite energy_value //; exact: ratio_contains.
Qed.

(* ---- the other rows = 0: combinations that vanish ---- *)

Variable mask : seq (seq bool).

Definition unspanned : seq (seq bool) := map_rows (fun be => ~~ be.1 && be.2) (zip_rows mask equation_mask).
Definition outside y : seq (seq bool) :=
  map_rows (fun bc => ~~ bc.1 && apart_from_zero bc.2) (zip_rows mask (numerators y)).

Definition vanishing_combination y : bool := vector_ok D picks y && all_zero (weights D picks y).

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

Theorem dependent_check_sound combinations t : spanning_equations mask -> dependent_check combinations -> equal t ->
  ~~ in_mask mask t ->
  exists y, [/\ exists2 k, (k < size combinations)%nat & y = nth (Vector zero [::]) combinations k,
    vector_ok D picks y, values y t <> 0, forall u, ~~ in_mask mask u -> u <> t -> values y u = 0 &
    combine predT (values y) (Delta alpha) = vzero].
Proof.
move=> sok /andP[/eqP places vanishing] et nt; have /andP[/andP[fm _] _] := sok.
have listed : pair_of t \in listed_places D unspanned.
  apply: mem_active; rewrite /in_mask (at_token_map (false, false)); last exact: fits_zip fm fits_equation_mask.
  by rewrite at_token_zip ?fits_equation_mask //= -/(in_mask mask t) nt -/(in_mask equation_mask t) in_equation_mask.
set k := index (pair_of t) (listed_places D unspanned).
have kl : (k < size (listed_places D unspanned))%nat by rewrite index_mem.
have sizes := f_equal size places; rewrite !size_map in sizes.
have only := f_equal (fun m => nth [::] m k) places; rewrite /= in only.
pose y := nth (Vector zero [::]) combinations k.
rewrite (nth_map (Vector zero [::])) ?sizes // (nth_map (0%nat, 0%nat)) // nth_index // -/y in only.
have kc : (k < size combinations)%nat by rewrite sizes.
have /andP[yok z] : vanishing_combination y by exact: (all_nthP (Vector zero [::]) vanishing).
have /and3P[_ fy _] := yok; have y0 := denominator_gt0 yok.
have entries (u : token (problem D)) :
    in_mask (outside y) u = ~~ in_mask mask u && apart_from_zero (at_token zero (numerators y) u).
  rewrite /in_mask (at_token_map (false, zero)); last exact: fits_zip fm fy.
  by rewrite at_token_zip.
exists y; split=> //; [by exists k | | | exact: vanishes].
  have : in_mask (outside y) t by apply: listed_mem; rewrite only mem_head.
  by rewrite entries => /andP[_ /(value_apart t yok)].
move=> u nu ut; case: (Req_dec (values y u) 0) => // /(value_apart u yok) au.
have := @mem_active N D (outside y) u; rewrite entries nu au only inE => /(_ isT) /eqP /pair_of_inj.
by move/ut.
Qed.

(* ---- the check ---- *)

Definition least_norm_check (x : shown_least N) : bool :=
  let v := shown_vector x in let lo := shown_low x in let hi := shown_high x in let radius := shown_radius x in
  let S := shown_spanning x in let hints := shown_hints x in
  let square_in := fraction_in P (square radius) in
  [&& [&& vector_ok D picks v, spanning_equations mask & only_over mask v],
      [&& fraction_ok lo, fraction_ok hi, fraction_ok radius & fraction_ok S],
      le zero (fraction_num radius) && lt zero (fraction_num S) &
      [&& if has (has idfun) mask then gram_check quick D picks mask hints S else true,
          certainly_le (residuals_in v mask) (imul P square_in (fraction_in P S)),
          certainly_le (fraction_in P lo) (dual_in v mask) &
          certainly_le (iadd P (dual_in v mask) square_in) (fraction_in P hi)]].

(* The squared norm lies between the dual value and that with the radius's square. *)
Theorem least_norm_check_sound x : least_norm_check x ->
  (forall t, equal t -> ~~ in_mask mask t ->
     exists c, depends_on (in_mask mask : pred (token (problem D))) (Delta alpha) l t c) ->
  exists w, [/\ solves_equations (fun t => equal t) (Delta alpha) l w,
    forall w', solves_equations (fun t => equal t) (Delta alpha) l w' -> w' <> w -> vnorm w < vnorm w',
    fraction_real (shown_low x) <= vnorm2 w <= fraction_real (shown_high x),
    vnorm (W alpha (values (shown_vector x)) - w)%V <= fraction_real (shown_radius x) &
    exists2 d, contains (dual_in (shown_vector x) mask) d &
      d <= vnorm2 w <= d + fraction_real (square (shown_radius x))].
Proof.
rewrite /least_norm_check; move: (shown_vector x) (shown_low x) (shown_high x) (shown_radius x) (shown_spanning x)
  (shown_hints x) => v lo hi radius S hints.
case/and4P=> /and3P[vok sok only] /and4P[_ _ rok Sok'] /andP[r0 /lt_real S0] /and4P[gram near low high] dep.
rewrite real0 in S0; have S1 : 0 < fraction_real S by apply: Rdiv_lt_0_compat => //; exact: fraction_den_gt0.
have /andP[mok _] := sok; have over := combine_over vok mok only.
have Hsq := fraction_in_contains P (square radius); have Hd := dual_contains vok sok.
have some : gram_at_least (in_mask mask : pred (token (problem D))) (Delta alpha) (fraction_real S).
  move: gram; case: ifP => [_ | none _]; first exact: gram_check_sound Dok Pok.
  have empty : forall t, in_mask mask t = false.
    move=> t; apply: contraFF none => it; rewrite /in_mask /at_token in it.
    have [/eqP sm _] := andP (proj1 (andP mok)); have il := ltn_ord (tag (t : data_token D)).
    apply/(has_nthP [::]); exists (tag (t : data_token D)); first by rewrite sm.
    apply/(has_nthP false); exists (tagged (t : data_token D)) => //.
    exact: (fits_at t (proj1 (andP mok))).
  by move=> y; rewrite [\sum_(c | _) _]big_pred0 // Rmult_0_r; exact: vnorm2_ge0.
have [|||w [Hw least norm away]] := @finite_part_enclosed _ _ (fun t => equal t)
  (in_mask mask : pred (token (problem D))) (Delta alpha) l (values v)
  (fraction_real S) (fraction_real (square radius)) _ S1 some.
- by move=> t; exact: spanning_equal.
- rewrite -over.
  exact: certainly_le_real (residuals_contain vok sok) (imul_contains _ Hsq (fraction_in_contains P S)) near.
- by [].
rewrite -over in norm away; exists w; split=> //.
- have := certainly_le_real (fraction_in_contains P lo) Hd low.
  have := certainly_le_real (iadd_contains P Hd Hsq) (fraction_in_contains P hi) high; lra.
- rewrite square_real // in away; have R0 := fraction_ge0 rok r0.
  rewrite /vnorm -(sqrt_square (fraction_real radius)) //; exact: sqrt_le_1_alt.
by eexists; [exact: Hd | lra].
Qed.
End Checks.
