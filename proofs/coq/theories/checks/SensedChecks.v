(* SensedChecks: the verified checker's decisions about rows in senses: those of MarginChecks.v and OptimalityChecks.v
   for margins >= 1, >= 0 and = 0. The senses are a list for each sequence.

   A margin is raised by 1 where its row asks for 0: then each is compared with 1. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Number Rows TokenData Claims Enclosure Senses SensedProblem SensedClaims
                           MarginChecks OptimalityChecks GramBound EnclosureChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Checks.
Variables (N : number) (D : token_data N) (picks : seq nat) (senses : seq (seq sense)).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks) (Sok : fits D senses).
Let alpha : selection (problem D) := selection_of Pok.
Let dx := real (token_unit D).
Let dz := real (query_unit D).
Implicit Types (v : vector N) (t : token (problem D)) (m : seq (seq N)) (mask : seq (seq bool)) (q : fraction N).

Notation data_constraint t := (Selection.constraint alpha t).
Notation values v := (@coefficient_of N D v).
Notation solution v := (W alpha (values v)).
Notation unit_of v := (margin_unit D v).

(* ---- rows and their senses ---- *)

Definition sense_at t : sense := at_token AtLeastOne senses t.
Notation h t := (asked (sense_at t)).

(* f of the sense of each constraint and of what the table has there. *)
Definition sensed_all (A : Type) (f : sense -> A -> bool) (m : seq (seq A)) : bool :=
  constraints_all (fun sa => f sa.1 sa.2) picks (zip_rows senses m).

Lemma sensed_allP (A : Type) (a0 : A) f (m : seq (seq A)) t : fits D m -> sensed_all f m -> data_constraint t ->
  f (sense_at t) (at_token a0 m t).
Proof.
move=> fm H ct; have := constraints_allP (AtLeastOne, a0) (fits_zip Sok fm) H ct.
by rewrite (at_token_zip _ _ _ Sok fm).
Qed.

Definition raise_margin (u : N) (s : sense) (m : N) : N := if s is AtLeastOne then m else add m u.
Definition raised v m : seq (seq N) := map_rows (fun sm => raise_margin (unit_of v) sm.1 sm.2) (zip_rows senses m).

Lemma fits_raised v m : fits D m -> fits D (raised v m).
Proof. by move=> fm; apply: fits_map; apply: fits_zip. Qed.

Lemma raised_value v t : vector_ok D picks v ->
  real (at_token zero (raised v (margins D picks v)) t) / real (unit_of v) = margin alpha (solution v) t - h t + 1.
Proof.
move=> vok; have u0 := margin_unit_gt0 Dok vok; have fm := fits_margins Pok (weights D picks v).
rewrite (at_token_map (AtLeastOne, zero)); last exact: fits_zip.
rewrite at_token_zip // -/(sense_at t) (margin_of_matrix Dok Pok t vok) /raise_margin /=.
by case: (sense_at t); rewrite ?realD /=; field; lra.
Qed.

(* A raised margin against the unit. *)
Lemma raised_same v t : vector_ok D picks v -> same (at_token zero (raised v (margins D picks v)) t) (unit_of v) ->
  margin alpha (solution v) t = h t.
Proof.
move=> vok /same_real E; have u0 := margin_unit_gt0 Dok vok; have := raised_value t vok.
by rewrite E /Rdiv Rinv_r; lra.
Qed.

Lemma raised_ge v t : vector_ok D picks v -> le (unit_of v) (at_token zero (raised v (margins D picks v)) t) ->
  h t <= margin alpha (solution v) t.
Proof.
move=> vok /le_real E; have u0 := margin_unit_gt0 Dok vok; have := raised_value t vok.
by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ (Rinv_0_lt_compat _ u0)) E; rewrite Rinv_r /Rdiv; lra.
Qed.

Lemma raised_gt v t : vector_ok D picks v -> lt (unit_of v) (at_token zero (raised v (margins D picks v)) t) ->
  h t < margin alpha (solution v) t.
Proof.
move=> vok /lt_real E; have u0 := margin_unit_gt0 Dok vok; have := raised_value t vok.
by have := Rmult_lt_compat_r _ _ _ (Rinv_0_lt_compat _ u0) E; rewrite Rinv_r /Rdiv; lra.
Qed.

(* ---- feasible ---- *)

(* Checks of margins are given them. *)
Definition sensed_separates_check v m : bool :=
  let u := unit_of v in sensed_all (fun s a => if is_equality s then same a u else le u a) (raised v m).

Lemma sensed_separates_check_sound v : vector_ok D picks v -> sensed_separates_check v (margins D picks v) ->
  sensed_separates alpha sense_at (solution v).
Proof.
move=> vok H t ct; have := sensed_allP zero (fits_raised v (fits_margins Pok _)) H ct; rewrite /in_sense.
by case: (is_equality _); [exact: raised_same | exact: raised_ge].
Qed.

(* ---- infeasible ---- *)

Definition signed_check v : bool := sensed_all (fun s c => is_equality s || le zero c) (numerators v).

Lemma signed_check_sound v t : vector_ok D picks v -> signed_check v -> data_constraint t ->
  signed (sense_at t) (values v t).
Proof.
move=> vok H ct; have /and3P[_ fv _] := vok; have v0 := denominator_gt0 vok.
have := sensed_allP zero fv H ct; rewrite /signed; case: (is_equality _) => //= /le_real; rewrite real0 => c0.
by apply: Rmult_le_pos => //; apply: Rlt_le; apply: Rinv_0_lt_compat.
Qed.

(* The sum of the entries of rows >= 1. *)
Definition asked_rows v : seq (seq N) :=
  map_rows (fun sc => if sc.1 is AtLeastOne then sc.2 else zero) (zip_rows senses (numerators v)).
Definition asked_total v : N := total_rows (asked_rows v).

Lemma asked_total_real v : vector_ok D picks v ->
  real (asked_total v) / real (denominator v) = \sum_(t | data_constraint t) values v t * h t.
Proof.
move=> vok; have /and3P[_ fv _] := vok; have v0 := denominator_gt0 vok.
have -> : \sum_(t | data_constraint t) values v t * h t = \sum_t values v t * h t.
  by rewrite big_mkcond; apply: eq_bigr => t _; case: ifP => // /negbT/(coefficient_off vok) ->; rewrite Rmult_0_l.
rewrite /asked_total (@total_rows_real N D); last by apply: fits_map; apply: fits_zip.
rewrite /Rdiv sum_mulr; apply: eq_bigr => t _; rewrite (at_token_map (AtLeastOne, zero)); last exact: fits_zip.
rewrite at_token_zip // -/(sense_at t) /coefficient_of /coefficient /entry -/(at_token _ _ _).
by case: (sense_at t) => /=; rewrite ?real0; field; lra.
Qed.

Definition sensed_infeasible_check v : bool :=
  [&& vector_ok D picks v, signed_check v, lt zero (asked_total v) & all_zero (weights D picks v)].

Lemma asked_total_gt0 v : vector_ok D picks v -> lt zero (asked_total v) ->
  0 < \sum_(t | data_constraint t) values v t * h t.
Proof.
move=> vok /lt_real; rewrite real0 => pos; rewrite -asked_total_real //.
by apply: Rdiv_lt_0_compat => //; apply: denominator_gt0 vok.
Qed.

Theorem sensed_infeasible_check_sound v : sensed_infeasible_check v -> ~ sensed_feasible alpha sense_at.
Proof.
case/and4P=> vok sgn pos wz; apply: (sensed_infeasible_sound (x := values v)) => [t ct | |].
- exact: signed_check_sound.
- rewrite -weights_real //; apply: vec_ext => jk.
  by rewrite /matrix_real all_zero_entry // /Rdiv Rmult_0_l.
exact: asked_total_gt0.
Qed.

(* ---- margin-at-most ---- *)

Definition sensed_margin_at_most_check v q : bool :=
  let s := asked_total v in let wu := weight_unit D v in
  let left := mul (fraction_den q) (denominator v) in let right := mul (fraction_num q) (mul s wu) in
  [&& vector_ok D picks v, signed_check v, lt zero s, fraction_ok q, lt zero (fraction_num q) &
      le (mul (energy v (margins D picks v)) (mul left left)) (mul right right)].

Theorem sensed_margin_at_most_check_sound v q : sensed_margin_at_most_check v q ->
  forall w, sensed_separates alpha sense_at w -> 1 <= fraction_real q * vnorm w.
Proof.
case/and5P=> vok sgn pos qok /andP[/lt_real q0 /le_real H]; rewrite real0 in q0.
have d0 := denominator_gt0 vok; have qd0 := fraction_den_gt0 qok; have wu0 := weight_unit_gt0 Dok vok.
apply: (sensed_margin_at_most_sound (x := values v)) => [t ct | | |].
- exact: signed_check_sound.
- exact: asked_total_gt0.
- by apply: Rlt_le; exact: Rdiv_lt_0_compat.
rewrite -asked_total_real // energy_value // /fraction_real; move: H.
move: (energy _ _) (asked_total v) (weight_unit D v) (denominator v) d0 wu0 => e s wu d d0 wu0; rewrite !realM.
move: (real d) (real wu) (real (fraction_den q)) d0 wu0 qd0 => {}d {}wu b d0 wu0 b0 H.
have wu2 := Rmult_lt_0_compat _ _ wu0 wu0; have bd := Rmult_lt_0_compat _ _ b0 d0;
  have bd2 := Rmult_lt_0_compat _ _ bd bd.
apply: (Rmult_le_reg_r (wu * wu * (b * d * (b * d)))); first exact: Rmult_lt_0_compat.
have -> : real e / (wu * wu) * (wu * wu * (b * d * (b * d))) = real e * (b * d * (b * d)) by field; lra.
by apply: Rle_trans H _; right; field; lra.
Qed.

(* ---- optimal ---- *)

Definition sensed_optimal_check v m q : bool :=
  [&& vector_ok D picks v, signed_check v, sensed_separates_check v m, tight_check D picks v (raised v m),
      fraction_ok q & same_fraction (asked_total v) (denominator v) q].

Theorem sensed_optimal_check_sound v q : sensed_optimal_check v (margins D picks v) q ->
  sensed_solution_with alpha sense_at (solution v) (values v) /\ vnorm2 (solution v) = fraction_real q.
Proof.
case/and5P=> vok sgn sep tight /andP[qok E].
have tight_at t : data_constraint t -> values v t <> 0 -> margin alpha (solution v) t = h t.
  move=> ct ne; have /and3P[_ fv _] := vok; have fr := fits_raised v (fits_margins Pok (weights D picks v)).
  have := constraints_allP (zero, zero) (fits_zip fv fr) tight ct; rewrite at_token_zip //=.
  case/orP=> [/same_real H | ]; last exact: raised_same.
  by case: ne; rewrite /coefficient_of /coefficient /entry H real0 /Rdiv Rmult_0_l.
split; last first.
  rewrite -(same_fraction_real qok (denominator_gt0 vok) E) asked_total_real // /vnorm2 {1}/W dot_combinel.
  apply: eq_bigr => t ct; case: (Req_dec (values v t) 0) => [-> | ne]; first by ring.
  by rewrite -/(margin alpha _ t) tight_at.
apply: sensed_optimal_sound => [t ct | | //]; first exact: signed_check_sound.
exact: sensed_separates_check_sound.
Qed.

(* ---- support ---- *)

Definition sensed_support_check v m mask : bool :=
  let u := unit_of v in
  mask_ok D picks mask &&
  sensed_all (fun s bm => if is_equality s then ~~ bm.1 else if bm.1 then same bm.2 u else lt u bm.2)
    (zip_rows mask (raised v m)).

Lemma sensed_support_check_sound v mask t : vector_ok D picks v ->
  sensed_support_check v (margins D picks v) mask -> (sensed_support alpha sense_at (solution v) t <-> in_mask mask t).
Proof.
move=> vok /andP[mok H]; have [fm _] := andP mok.
have fr := fits_raised v (fits_margins Pok (weights D picks v)).
have at_constraint ct := sensed_allP (false, zero) (fits_zip fm fr) H (ct : data_constraint t).
rewrite at_token_zip //= -/(in_mask mask t) in at_constraint.
split=> [[ct /negbTE ne tight] | it].
  have := at_constraint ct; rewrite ne; case: (in_mask mask t) => // /(raised_gt vok).
  by rewrite tight; lra.
have ct := mask_constraint Pok mok it; have := at_constraint ct; rewrite it.
by case ne: (is_equality (sense_at t)) => // /(raised_same vok) tight; split; rewrite ?ne.
Qed.

Theorem sensed_support_check_is v mask lam : vector_ok D picks v ->
  sensed_support_check v (margins D picks v) mask -> sensed_solution_with alpha sense_at (solution v) lam ->
  sensed_support_is alpha sense_at (in_mask mask).
Proof. by move=> vok H [M _]; exists (solution v); split=> // t; apply: sensed_support_check_sound. Qed.

(* The constraints of a mask that are no equalities. *)
Definition inequalities mask : seq (seq bool) :=
  map_rows (fun sb => ~~ is_equality sb.1 && sb.2) (zip_rows senses mask).

Lemma in_inequalities mask t : fits D mask ->
  in_mask (inequalities mask) t = ~~ is_equality (sense_at t) && in_mask mask t.
Proof.
move=> fm; rewrite /in_mask (at_token_map (AtLeastOne, false)); last exact: fits_zip.
by rewrite at_token_zip.
Qed.

Lemma inequalities_ok mask : mask_ok D picks mask -> mask_ok D picks (inequalities mask).
Proof.
move=> mok; have [fm _] := andP mok; have fi : fits D (inequalities mask) by apply: fits_map; apply: fits_zip.
rewrite /mask_ok fi /=; apply/(all_nthP (0%nat, [::])) => i.
have [/eqP si _] := andP fi; have [/eqP sp _] := andP Pok; rewrite size_zip si sp minnn => il.
rewrite nth_zip ?si //=; set pick := alpha (Ordinal il : group (problem D)).
have := in_inequalities pick fm; rewrite /in_mask /at_token /= => ->; apply/negP => /andP[_ im].
by have := mask_constraint Pok mok (im : in_mask mask pick); rewrite constraint_pick.
Qed.

(* ---- strict complementarity ---- *)

(* The vector is positive on the mask and zero off it, but for equalities. *)
Definition sensed_positive_on_check v mask : bool :=
  sensed_all (fun s bc => is_equality s || if bc.1 then lt zero bc.2 else same bc.2 zero)
    (zip_rows mask (numerators v)).

Lemma sensed_positive_on_check_sound v mask t : vector_ok D picks v -> fits D mask ->
  sensed_positive_on_check v mask -> data_constraint t -> ~~ is_equality (sense_at t) ->
  if in_mask mask t then 0 < values v t else values v t = 0.
Proof.
move=> vok fm H ct /negbTE ne; have /and3P[_ fv _] := vok; have v0 := denominator_gt0 vok.
have := sensed_allP (false, zero) (fits_zip fm fv) H ct; rewrite ne /=.
rewrite at_token_zip //= -/(in_mask mask t) /coefficient_of /coefficient /entry -/(at_token _ _ _).
case: (in_mask mask t) => [/lt_real | /same_real ->]; rewrite real0; last by rewrite /Rdiv Rmult_0_l.
by move=> c0; apply: Rdiv_lt_0_compat.
Qed.

Definition sensed_complementary_check v mu mask : bool :=
  [&& vector_ok D picks mu, sensed_positive_on_check mu mask &
      same_matrix (weights D picks mu) (weight_unit D mu) (weights D picks v) (weight_unit D v)].

Theorem sensed_complementary_check_sound v lam mu mask : vector_ok D picks v ->
  sensed_support_check v (margins D picks v) mask -> sensed_solution_with alpha sense_at (solution v) lam ->
  sensed_complementary_check v mu mask -> sensed_strictly_complementary alpha sense_at.
Proof.
move=> vok sup sol /and3P[muok pos E]; have [fm _] := andP (proj1 (andP sup)).
apply: (sensed_strictly_complementary_sound (mu := values mu) (A := in_mask mask) sol) => [t | t ct ne | ].
- exact: sensed_support_check_sound.
- exact: sensed_positive_on_check_sound.
- rewrite -(weights_real Dok Pok muok) -(weights_real Dok Pok vok); apply: vec_ext => -[j k].
  exact: (same_matrix_real (k : nat) (weights_shaped Dok Pok muok) (weights_shaped Dok Pok vok)
            (weight_unit_gt0 Dok muok) (weight_unit_gt0 Dok vok) E (ltn_ord j)).
Qed.

Definition sensed_vanishing_check v x mask (i k : nat) : bool :=
  let m := margins D picks x in
  [&& vector_ok D picks x, constraint_at D picks i k && nth false (nth [::] mask i) k,
      sensed_all (fun s bm => if is_equality s then same bm.2 zero else ~~ bm.1 || le zero bm.2) (zip_rows mask m),
      orthogonal_check D picks v x & lt zero (nth zero (nth [::] m i) k)].

Theorem sensed_vanishing_check_sound v lam x mask i k : vector_ok D picks v ->
  sensed_support_check v (margins D picks v) mask -> sensed_solution_with alpha sense_at (solution v) lam ->
  sensed_vanishing_check v x mask i k ->
  exists t, is_token i k t /\ sensed_multiplier_vanishes alpha sense_at t.
Proof.
move=> vok sup sol /and5P[xok /andP[ci mi] signs orth pos]; have mok := proj1 (andP sup).
have fm := proj1 (andP mok); have u0 := margin_unit_gt0 Dok xok; have ui := Rinv_0_lt_compat _ u0.
have [t ti] := index_token (proj1 (andP ci)); exists t; split=> //.
have at_constraint u (cu : data_constraint u) := sensed_allP (false, zero) (fits_zip fm (fits_margins Pok _)) signs cu.
apply: (sensed_multiplier_vanishes_sound (x := values x) sol).
- by apply/(sensed_support_check_sound t vok sup); rewrite /in_mask (at_index _ _ ti).
- move=> u su; have [cu /negbTE ne _] := su; have iu := proj1 (sensed_support_check_sound u vok sup) su.
  rewrite -/(margin alpha (solution x) u) (margin_of_matrix Dok Pok u xok).
  have := at_constraint u cu; rewrite ne at_token_zip //=; last exact: fits_margins.
  rewrite -/(in_mask mask u) iu /= => /le_real; rewrite real0 => H.
  by apply: Rmult_le_pos => //; apply: Rlt_le.
- move=> u cu eq; rewrite -/(margin alpha (solution x) u) (margin_of_matrix Dok Pok u xok).
  have := at_constraint u cu; rewrite eq at_token_zip //=; last exact: fits_margins.
  by move=> /same_real ->; rewrite real0 /Rdiv Rmult_0_l.
- exact: orthogonal_check_sound.
- rewrite -/(margin alpha (solution x) t) (margin_of_matrix Dok Pok t xok) (at_index _ _ ti).
  by move/lt_real: pos; rewrite real0 => ?; apply: Rdiv_lt_0_compat.
Qed.
End Checks.
