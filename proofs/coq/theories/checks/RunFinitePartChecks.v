(* RunFinitePartChecks: the finite part of a matrix that is known up to a distance, and its angle with the best W_fin +
   c W_mm, in selected sets (NearestCombination.v): what the verified checker decides of them in intervals. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Number Rows Entries TokenData Claims Senses SensedProblem SensedClaims
                           FinitePart NearestCombination MarginChecks OptimalityChecks GramBound EnclosureChecks
                           SensedChecks Interval IntervalTables AttentionIntervals ReferenceIntervals
                           ForeverChecks Runs RunChecks LeastNormChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Checks.
Variables (N : number) (quick : entries N) (D : token_data N) (picks : seq nat) (senses : seq (seq sense)) (P : Z).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks) (Sok : fits D senses).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation values v := (@coefficient_of N D v).
Notation sense_of := (@sense_at N D senses).
Implicit Types (v : vector N) (t : token (problem D)) (mask : seq (seq bool)).

(* ---- the matrix ---- *)

(* rows over a unit, up to the distance. *)
Variables (rows : seq (seq N)) (unit : N) (away : interval).

Definition own_margins : seq (seq interval) :=
  widened_margins D P picks
    (exact_table P (mul unit (mul (token_unit D) (query_unit D))) (margins_of D picks rows)) away.

Definition own_norm : interval := no_less (iadd P (matrix_norm P rows unit) (symmetric away)).

Variables (w : vec (coord (problem D))) (x : R).
Hypotheses (shape : shaped (left_dimension D) (right_dimension D) rows) (unit0 : 0 < real unit).
Hypotheses (away_contains : contains away x) (near : vdist w (matrix_real rows (real unit)) <= x).

Lemma own_margins_enclose : encloses own_margins (margin alpha w).
Proof.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
apply: (widened_margins_enclose P Dok _ away_contains near); apply: exact_table_encloses => [|t].
  exact: fits_margins.
by rewrite (margins_real Dok Pok t shape) ?realM //; lra.
Qed.

Lemma own_norm_contains : contains own_norm (vnorm w).
Proof.
apply: no_less_contains; last exact: vnorm_ge0.
have -> : vnorm w = vnorm (@matrix_real N D rows (real unit)) + (vnorm w - vnorm (@matrix_real N D rows (real unit)))
  by ring.
apply: iadd_contains; first exact: matrix_norm_contains.
apply: (symmetric_contains away_contains); apply: Rabs_le.
have := vnorm_sub_ge w (@matrix_real N D rows (real unit)).
have := vnorm_sub_ge (@matrix_real N D rows (real unit)) w; rewrite -!/(vdist _ _) vdistC; lra.
Qed.

(* ---- the attention ---- *)

Variables (selected_least masked_most : fraction N).

Definition share_bounded (together : bool) (I : interval) : bool :=
  if together then certainly_lt (fraction_in P selected_least) I else certainly_lt I (fraction_in P masked_most).

Definition attention_check : bool :=
  all (all (fun bsI => share_bounded (~~ bsI.1 || is_equality bsI.2.1) bsI.2.2))
    (zip_rows (constraint_mask D picks) (zip_rows senses (attention_table D P own_margins))).

(* Of a token of a set more than the one bound, of every other less than the other. *)
Definition attention_bounded (s : token (problem D) -> sense) (beta : selection (problem D)) w : Prop :=
  forall t, if ~~ constraint beta t || is_equality (s t) then fraction_real selected_least < attention w t
            else attention w t < fraction_real masked_most.

Lemma attention_check_sound : attention_check -> attention_bounded sense_of alpha w.
Proof.
move=> H t; have [fa Ha] := attention_table_encloses P Dok own_margins_enclose.
have fz := fits_zip Sok fa; have fm := fits_constraint_mask Pok.
have := all_rowsP (false, (AtLeastOne, Everything N)) t (fits_zip fm fz) H.
rewrite at_token_zip // at_token_zip //= -/(in_mask (constraint_mask D picks) t) (in_constraint_mask Pok).
rewrite -/(sense_of t) /share_bounded; case: ifP => _ sure.
  exact: certainly_lt_real (fraction_in_contains P _) (Ha t) sure.
exact: certainly_lt_real (Ha t) (fraction_in_contains P _) sure.
Qed.

(* ---- the finite part ---- *)

Variables (mask : seq (seq bool)) (combinations : seq (vector N)) (shown : shown_least N).

Definition own_part_check : bool :=
  [&& has (has idfun) mask || ~~ has (has idfun) (equation_mask D picks senses),
      dependent_check D picks senses mask combinations &
      least_norm_check quick D picks senses P own_margins mask shown].

Definition own_square : interval :=
  let dual := dual_in D picks P own_margins (shown_vector shown) mask in
  hull dual (iadd P dual (fraction_in P (square (shown_radius shown)))).

Theorem own_part_check_sound : own_part_check ->
  exists fin, [/\ finite_part_of alpha sense_of w fin,
    fraction_real (shown_low shown) <= vnorm2 fin <= fraction_real (shown_high shown),
    vnorm (W alpha (values (shown_vector shown)) - fin)%V <= fraction_real (shown_radius shown) &
    contains own_square (vnorm2 fin)].
Proof.
case/and3P=> _ dep checked; have [fits_own own] := own_margins_enclose.
have sok : spanning_equations D picks senses mask by case/and4P: checked => /and3P[].
have rests t : equal_row alpha sense_of t -> ~~ in_mask mask t ->
    exists c, depends_on (in_mask mask : pred (token (problem D))) (Delta alpha) (margin alpha w) t c.
  move=> et nt; have [y [_ _ yt off vanish]] := dependent_check_sound Dok Sok sok dep et nt.
  exists (values y); split=> //.
  transitivity (dot (combine predT (values y) (Delta alpha)) w); last by rewrite vanish dot0l.
  by rewrite dot_combinel; apply: eq_bigr => u _.
have [fin [Hfin shortest bounds close [d Hd between]]] :=
  least_norm_check_sound Dok Sok fits_own (fun t _ => own t) checked rests.
have upper := iadd_contains P Hd (fraction_in_contains P (square (shown_radius shown))).
have square_in : contains own_square (vnorm2 fin) := hull_contains Hd upper between.
exact: (ex_intro _ fin (And4 (conj Hfin shortest) bounds close square_in)).
Qed.

(* ---- the angle ---- *)

(* The solution is W(v) up to the distance s. *)
Variables (v : vector N) (s : interval).

Definition own_along : interval :=
  iadd P (isum P (group_sums P (combine_tables (imul P) (exact_table P (denominator v) (numerators v)) own_margins)))
    (symmetric (imul P own_norm s)).
Definition solution_length : interval :=
  no_less (iadd P (matrix_norm P (weights D picks v) (weight_unit D v)) (symmetric s)).
Definition own_factor : interval := idiv P own_along (imul P solution_length solution_length).
Definition own_corr : interval :=
  let shared := isqrt P (iadd P own_square (imul P own_along own_factor)) in
  idiv P (no_less (isub P own_norm shared)) own_norm.

Definition angle_check (factor corr : claimed_band N) : bool :=
  [&& is_positive own_norm, is_positive own_along, inside P true factor own_factor & inside P true corr own_corr].

Variables (ws : vec (coord (problem D))) (y : R).
Hypotheses (vok : vector_ok D picks v) (solution : sensed_max_margin alpha sense_of ws).
Hypotheses (s_contains : contains s y) (close : vnorm (W alpha (values v) - ws)%V <= y).

Lemma own_along_contains : contains own_along (dot w ws).
Proof.
have Ei : \sum_t (values v t * margin alpha w t) = dot w (W alpha (values v)).
  rewrite dotC /W dot_combinel [RHS]big_mkcond; apply: eq_bigr => t _.
  by case: ifP => // /negbT/(coefficient_off vok) ->; rewrite Rmult_0_l.
have /and3P[_ fv _] := vok.
have Hc : encloses (exact_table P (denominator v) (numerators v)) (values v) by apply: exact_table_encloses.
have Hi := table_sum_contains P (combine_encloses (H := fun t => values v t * margin alpha w t) Hc own_margins_enclose
             (fun t I J HI HJ => imul_contains P HI HJ)).
rewrite Ei in Hi.
have -> : dot w ws = dot w (W alpha (values v)) + dot w (ws - W alpha (values v))%V by rewrite dotBr; ring.
rewrite /own_along; apply: (iadd_contains P Hi).
apply: (symmetric_contains (imul_contains P own_norm_contains s_contains)).
apply: Rle_trans (cauchy_schwarz _ _) _; apply: Rmult_le_compat_l; first exact: vnorm_ge0.
rewrite -/(vdist _ _) vdistC; exact: close.
Qed.

Lemma solution_length_contains : contains solution_length (vnorm ws).
Proof.
have u0 : 0 < real (weight_unit D v).
  have d0 := denominator_gt0 vok; have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
  by rewrite /weight_unit !realM; do ?apply: Rmult_lt_0_compat.
apply: no_less_contains; last exact: vnorm_ge0.
have -> : vnorm ws = vnorm (W alpha (values v)) + (vnorm ws - vnorm (W alpha (values v))) by ring.
apply: iadd_contains.
  by rewrite -(weights_real Dok Pok vok); apply: matrix_norm_contains => //; exact: (weights_shaped Dok Pok vok).
apply: (symmetric_contains s_contains); apply: Rabs_le.
have near_ws : vdist ws (W alpha (values v)) <= y by rewrite vdistC; exact: close.
have := vnorm_sub_ge ws (W alpha (values v)); have := vnorm_sub_ge (W alpha (values v)) ws.
rewrite -!/(vdist _ _) (vdistC (W alpha (values v))); lra.
Qed.

Theorem angle_check_sound fin factor corr : finite_part_of alpha sense_of w fin -> contains own_square (vnorm2 fin) ->
  angle_check factor corr ->
  exists c, [/\ 0 < c, in_band (band_real factor) c, in_band (band_real corr) (one_minus_corr (fin + c * ws)%V w) &
    forall c', 0 < c' -> one_minus_corr (fin + c * ws)%V w <= one_minus_corr (fin + c' * ws)%V w].
Proof.
move=> part Hsq /and4P[n0 b0 in_factor in_corr].
have Hn := own_norm_contains; have Hb := own_along_contains; have Hm := solution_length_contains.
have w0 := is_positive_real Hn n0; have b1 := is_positive_real Hb b0.
have Hf : contains own_factor (dot w ws / vnorm2 ws).
  rewrite -vnorm_sqr /own_factor; exact: (idiv_contains P Hb (imul_contains P Hm Hm)).
have Hs := isqrt_contains P (iadd_contains P Hsq (imul_contains P Hb Hf)).
have short : 0 <= vnorm w - sqrt (vnorm2 fin + dot w ws * (dot w ws / vnorm2 ws)) :=
  Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ (best_short part solution b1))).
have Hc : contains own_corr (one_minus_corr (fin + dot w ws / vnorm2 ws * ws)%V w).
  rewrite (best_corr_over part solution w0 b1) /own_corr.
  exact: (idiv_contains P (no_less_contains (isub_contains P Hn Hs) short) Hn).
exists (dot w ws / vnorm2 ws); split.
- exact: (best_gt0 b1).
- exact: (inside_within Hf in_factor).
- exact: (inside_within Hc in_corr).
by move=> c' c0; exact: (best_is_best part solution w0 b1 c0).
Qed.
End Checks.
