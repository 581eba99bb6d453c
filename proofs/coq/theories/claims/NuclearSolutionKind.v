(* NuclearSolutionKind: the claim `norm-solution`, the only matrix of least nuclear norm with margins of at least one,
   its rank and its active constraints (T24, NuclearSolution.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith FunctionalExtensionality.
From Attest Require Import Euclid Selection Duality NormDuality DualNorm ShortestVector Rank NearRank MatrixProducts
                           NuclearEquations NuclearRoot NuclearSolution Claims Number Rows Entries TokenData
                           MarginChecks OptimalityChecks GramBound EnclosureChecks RankChecks NormDistanceChecks
                           SpectralChecks NuclearDerivative ClaimKind NormKinds NearRankKind NuclearRooms.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section NuclearSolutionKind.
Variable N : number.

Record solution_data := SolutionData {
  sole_rank : nat; sole_distance : fraction N;
  sole_left : seq (seq N); sole_left_unit : N; sole_right : seq (seq N); sole_right_unit : N;
  sole_inverse : seq (seq N); sole_inverse_unit : N;
  sole_multipliers : vector N;                                             (* of the active constraints *)
  sole_radius : fraction N;
  sole_factors : fraction N; sole_rows : fraction N; sole_residual : fraction N;
  sole_inverse_norm : fraction N;                                          (* these bound square roots *)
  sole_smallest : fraction N; sole_hints : gram_hints N;
  sole_columns : fraction N; sole_column_hints : gram_hints N;
  sole_dual : fraction N; sole_slope : fraction N; sole_bits : Z;
  sole_room : N   (* multiplies both factors and their units, for the integers of the factorisations *)
}.

(* One matrix is the shortest in the nuclear norm, near that of the factors; its rank, and its margins. *)
Definition solution_says : claim_statement N solution_data := fun D alpha x =>
  let norm := @nuclear_norm [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)] in
  let near := matrix_real (factor_product (sole_left x) (sole_right x))
                (real (mul (sole_left_unit x) (sole_right_unit x))) in
  exists w, [/\ only_shortest alpha norm w,
    @rank_is [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)] (sole_rank x) w,
    vnorm (w - near)%V <= fraction_real (sole_distance x) &
    forall t, constraint alpha t ->
      if in_mask (listed (sole_multipliers x)) t then margin alpha w t = 1 else 1 < margin alpha w t].

Implicit Types (q : fraction N).

(* ---- squares ---- *)

(* The columns of K over those of Q. *)
Definition joined_rows (left right : seq (seq N)) (left_unit right_unit : N) : seq (seq N) :=
  scaled_rows right_unit left ++ scaled_rows left_unit right.
Definition columns_data (r : nat) left right (left_unit right_unit : N) : token_data N :=
  column_data (joined_rows left right left_unit right_unit) (mul left_unit right_unit) (iota 0 r).

(* sum of squares of the rows over the unit *)
Definition squares_within (rows : seq (seq N)) (unit : N) q : bool :=
  le_fraction (sum_of_squares rows) (mul unit unit) (square q).

Definition factors_within left (left_unit : N) right (right_unit : N) q : bool :=
  let l := mul left_unit left_unit in
  let r := mul right_unit right_unit in
  le_fraction (add (mul (sum_of_squares left) r) (mul (sum_of_squares right) l)) (mul l r) (square q).

Section Check.
Variables (quick : entries N) (D : token_data N) (picks : seq nat).

(* ||Delta_c||^2 of the listed constraints, over this unit. *)
Definition units_squared : N := let u := mul (token_unit D) (query_unit D) in mul u u.
Definition listed_lengths (mask : seq (seq bool)) : N :=
  total_rows (map_rows (fun bl => if bl.1 then bl.2 else zero) (zip_rows mask (lengths D picks))).

(* Numerators of K - M Q and Q - M'K, over derivative_unit. *)
Definition left_residual (r : nat) (w left right : seq (seq N)) (unit left_unit right_unit : N) : seq (seq N) :=
  mkseq (fun j => mkseq (fun i => sub (mul (at_entry left j i) (mul unit right_unit))
    (mul (dot_rows (nth [::] w j) (column_of right i)) left_unit)) r) (left_dimension D).
Definition right_residual (r : nat) (w left right : seq (seq N)) (unit left_unit right_unit : N) : seq (seq N) :=
  mkseq (fun k => mkseq (fun i => sub (mul (at_entry right k i) (mul unit left_unit))
    (mul (dot_rows (column_of w k) (column_of left i)) right_unit)) r) (right_dimension D).
(* (1 - margin)^2 of the listed constraints, over the square of the margins' unit. *)
Definition margin_residual (mask : seq (seq bool)) (m : seq (seq N)) (unit : N) : N :=
  total_rows (map_rows (fun bm => if bm.1 then let r := sub unit bm.2 in mul r r else zero) (zip_rows mask m)).

Definition exact_solution_check (x : solution_data) : bool :=
  let: SolutionData r distance K uk Q uq C uc v radius k h F c least hints G column_hints U T bits _ := x in
  let d := left_dimension D in
  let e := right_dimension D in
  let mask := listed v in
  let w := weights D picks v in
  let wu := weight_unit D v in
  let V := derivative_unit D v uk uq in
  let mu := mul (mul uk uq) (mul (token_unit D) (query_unit D)) in
  let m := margins_of D picks (factor_product K Q) in
  let reach := square distance in
  let factors_off :=
    add (sum_of_squares (left_residual r w K Q wu uk uq)) (sum_of_squares (right_residual r w K Q wu uk uq)) in
  [&& [&& all (@fraction_ok N) [:: distance; radius; k; h; F; c; least; G; U; T],
          all (fun q => lt zero (fraction_num q)) [:: radius; k; h; F; c; least; G; U; T] & Z.leb 0 bits],
      [&& shaped d r K, shaped e r Q, shaped e r C, lt zero uk, lt zero uq & lt zero uc],
      [&& vector_ok D picks v, mask_ok D picks mask & large_check picks v mask radius],
      [&& factors_within K uk Q uq k, distance_room radius k distance, columns_room radius G,
          squares_within C uc c, across_room radius h c U T,
          le_fraction (listed_lengths mask) units_squared (square h) &
          constraints_all (fun bml => bml.1 ||
              far_check D mu (fraction_num reach) (fraction_den reach) bml.2.1 bml.2.2)
            picks (zip_rows mask (zip_rows m (lengths D picks)))] &
      [&& le_fraction (add (mul factors_off (mul mu mu)) (mul (margin_residual mask m mu) (mul V V)))
            (mul (mul V V) (mul mu mu)) (square F),
          equations_room radius h F least &
      [&& data_ok (columns_data r K Q uk uq),
          gram_check quick (columns_data r K Q uk uq) [:: 0%nat] (column_mask (iota 0 r)) column_hints G,
          data_ok (derivative_data D picks mask v r K Q uk uq),
          gram_check quick (derivative_data D picks mask v r K Q uk uq) [:: 0%nat] (derivative_mask D mask r)
            hints least &
          spectral_check (stacked_unit wu uc uq U T) U bits (d + e) e (stacked_rows e w C Q wu uc uq U T)]]].

(* ---- what the parts say ---- *)

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation d := (left_dimension D).
Notation e := (right_dimension D).
Variables (r : nat) (left right : seq (seq N)) (left_unit right_unit : N) (v : vector N) (mask : seq (seq bool)).
Hypotheses (shl : shaped d r left) (shr : shaped e r right) (l0 : 0 < real left_unit) (r0 : 0 < real right_unit).
Hypotheses (vok : vector_ok D picks v) (fm : fits D mask).
Hypothesis listed_all : forall t : token (problem D), ~~ in_mask mask t -> coefficient_of v t = 0.
Notation w := (weights D picks v).
Notation unit := (weight_unit D v).
Notation K0 := (@left_columns N D r left left_unit).
Notation Q0 := (@right_columns N D r right right_unit).
Notation rows := (@active_rows N D picks mask Pok).
Notation lam0 := (@active_multiplier N D mask v).
Notation low := (@low_column r).
Notation high := (@high_column r).

Lemma masked_total (F : token (problem D) -> R) (m : seq (seq N)) : fits D m ->
  (forall t, in_mask mask t -> F t = real (at_token zero m t : N)) ->
  real (total_rows (map_rows (fun bm => if bm.1 then bm.2 else zero) (zip_rows mask m))) =
  \sum_(c : active_index D mask) F (active_token c).
Proof.
move=> fits_m FE; rewrite (total_rows_real (D := D)); last by apply: fits_map; exact: fits_zip.
transitivity (\sum_(t | (in_mask mask : pred (token (problem D))) t) F t); last by rewrite big_enum_val.
rewrite [RHS]big_mkcond; apply: eq_bigr => t _.
rewrite (at_token_map (false, zero)); last exact: fits_zip.
rewrite at_token_zip //= -/(in_mask mask t); case E: (in_mask mask t); last by rewrite real0.
by rewrite FE.
Qed.

Lemma rows_within h : fraction_ok h -> le_fraction (listed_lengths mask) units_squared (square h) ->
  \sum_c vnorm2 (rows c) <= fraction_real h * fraction_real h.
Proof.
move=> hok H; rewrite -square_real //; have xz0 := units_gt0 Dok.
have u0 : 0 < real units_squared by rewrite /units_squared !realM; exact: Rmult_lt_0_compat.
apply: Rle_trans (le_fraction_pos (square_ok hok) u0 H); right.
rewrite /listed_lengths (masked_total (F := fun t => real units_squared * vnorm2 (Delta alpha t))) => [||t _].
- by rewrite -sum_mull; symmetry; apply: Rinv_r_simpl_m; lra.
- exact: fits_lengths.
rewrite (length_value Dok Pok) /units_squared !realM; have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
by field; lra.
Qed.

Lemma factors_within_sound k : fraction_ok k -> factors_within left left_unit right right_unit k ->
  \sum_i vnorm2 (K0 i) + \sum_i vnorm2 (Q0 i) <= fraction_real k * fraction_real k.
Proof.
move=> kok H; rewrite -square_real // -/(columns left left_unit) -/(columns right right_unit).
rewrite (sum_of_squares_real shl l0) (sum_of_squares_real shr r0).
have u0 : 0 < real (mul (mul left_unit left_unit) (mul right_unit right_unit)).
  by rewrite !realM; have := Rmult_lt_0_compat _ _ l0 l0; have := Rmult_lt_0_compat _ _ r0 r0; nra.
apply: Rle_trans (le_fraction_pos (square_ok kok) u0 H); right; rewrite realD !realM; field; lra.
Qed.

Lemma squares_within_sound n m (rows' : seq (seq N)) u q : shaped n m rows' -> 0 < real u -> fraction_ok q ->
  squares_within rows' u q -> \sum_i vnorm2 (@columns N m n rows' u i) <= fraction_real q * fraction_real q.
Proof.
move=> sh u0 qok H; rewrite -square_real // (sum_of_squares_real sh u0) -realM.
by apply: (le_fraction_pos (square_ok qok)) H; rewrite realM; exact: Rmult_lt_0_compat.
Qed.

Notation V := (derivative_unit D v left_unit right_unit).
Notation margins_unit := (mul (mul left_unit right_unit) (mul (token_unit D) (query_unit D))).
Notation m := (margins_of D picks (factor_product left right)).

Lemma margins_unit_gt0 : 0 < real margins_unit.
Proof.
rewrite !realM; apply: Rmult_lt_0_compat; last exact: units_gt0 Dok.
exact: Rmult_lt_0_compat.
Qed.

Lemma margin_of_factors t : margin alpha (factored K0 Q0) t = real (at_token zero m t : N) / real margins_unit.
Proof.
have u0 : 0 < real (mul left_unit right_unit) by rewrite realM; exact: Rmult_lt_0_compat.
have -> : factored K0 Q0 = @matrix_real N D (factor_product left right) (real (mul left_unit right_unit)).
  by apply: vec_ext => -[j k]; rewrite /matrix_real (factor_product_real shl shr l0 r0).
rewrite (margins_real Dok Pok t (shaped_product shl shr)); last by lra.
by rewrite !realM.
Qed.

Lemma residual_sides : \sum_i vnorm2 (left_of (equations low high rows K0 Q0 K0 Q0 lam0 (fun=> 0)) i) +
    \sum_i vnorm2 (right_of (equations low high rows K0 Q0 K0 Q0 lam0 (fun=> 0)) i) =
  real (add (sum_of_squares (left_residual r w left right unit left_unit right_unit))
            (sum_of_squares (right_residual r w left right unit left_unit right_unit))) / (real V * real V).
Proof.
have V0 := derivative_unit_gt0 Dok vok l0 r0; have wu0 := weight_unit_gt0 Dok vok.
have turned0 (J : finType) (U : 'I_r -> vec J) i : turned low high (fun=> 0) U i = vzero.
  by apply: vec_ext => j; apply: sum0 => a _; rewrite /skew sum0 => [|p _]; ring.
have VE : real V = real unit * (real left_unit * real right_unit) by rewrite /derivative_unit (realM unit) realM.
have shw := weights_shaped Dok Pok vok.
have ME : blend rows lam0 = @matrix_real N D w (real unit).
  by rewrite (blend_active Pok listed_all) (weights_real Dok Pok vok).
rewrite realD /Rdiv Rmult_plus_distr_r; congr (_ + _).
  have sh : shaped d r (left_residual r w left right unit left_unit right_unit).
    rewrite /shaped size_mkseq eqxx; apply/(all_nthP [::]) => j; rewrite size_mkseq => jd.
    by rewrite nth_mkseq // size_mkseq.
  rewrite -/(_ / _) -(sum_of_squares_real sh V0); apply: eq_bigr => i _; congr vnorm2.
  rewrite equations_left turned0 ME; apply: vec_ext => j; rewrite /vadd /vsub /vzero Rplus_0_r /columns.
  rewrite /entry2 /entry nth_mkseq // nth_mkseq // realB (realM (at_entry _ _ _)) (realM unit)
    (realM (dot_rows _ _)) (@dot_rows_real _ _ _ e) ?(shaped_row shw) //.
  have -> : matrix_vector (@matrix_real N D w (real unit)) (Q0 i) j =
      (\sum_(k < e) entry (nth [::] w j) k * entry (column_of right i) k) / (real unit * real right_unit).
    rewrite /Rdiv sum_mulr; apply: eq_bigr => k _; rewrite (entry_column _ shr) // /matrix_real /right_columns /=.
    by rewrite /entry2; field; lra.
  by rewrite VE /left_columns /entry2 /entry /at_entry; field; lra.
have sh : shaped e r (right_residual r w left right unit left_unit right_unit).
  rewrite /shaped size_mkseq eqxx; apply/(all_nthP [::]) => j; rewrite size_mkseq => jd.
  by rewrite nth_mkseq // size_mkseq.
rewrite -/(_ / _) -(sum_of_squares_real sh V0); apply: eq_bigr => i _; congr vnorm2.
rewrite equations_right turned0 ME; apply: vec_ext => k; rewrite /vadd /vsub /vzero Rplus_0_r /columns.
have sw : size (column_of w k) = d by rewrite size_map; case/andP: shw => /eqP.
rewrite /entry2 /entry nth_mkseq // nth_mkseq // realB (realM (at_entry _ _ _)) (realM unit)
  (realM (dot_rows _ _)) (@dot_rows_real _ _ _ d) ?sw //.
have -> : matrix_back (@matrix_real N D w (real unit)) (K0 i) k =
    (\sum_(j < d) entry (column_of w k) j * entry (column_of left i) j) / (real unit * real left_unit).
  rewrite /Rdiv sum_mulr; apply: eq_bigr => j _; rewrite (entry_column _ shl) // (entry_column _ shw) //.
  by rewrite /matrix_real /left_columns /=; field; lra.
by rewrite VE /right_columns /entry2 /entry /at_entry; field; lra.
Qed.

Lemma margin_residual_real : real (margin_residual mask m margins_unit) =
  (\sum_(c : active_index D mask) Rsqr (1 - margin alpha (factored K0 Q0) (active_token c))) *
  (real margins_unit * real margins_unit).
Proof.
have u0 := margins_unit_gt0.
rewrite /margin_residual (total_rows_real (D := D)); last by apply: fits_map; apply: fits_zip fm (fits_margins Pok _).
have -> : \sum_(c : active_index D mask) Rsqr (1 - margin alpha (factored K0 Q0) (active_token c)) =
    \sum_(t | (in_mask mask : pred (token (problem D))) t) Rsqr (1 - margin alpha (factored K0 Q0) t).
  by rewrite [RHS]big_enum_val.
rewrite sum_mulr [RHS]big_mkcond; apply: eq_bigr => t _.
rewrite (at_token_map (false, zero)); last by apply: fits_zip fm (fits_margins Pok _).
rewrite at_token_zip //=; last exact: fits_margins.
rewrite -/(in_mask mask t); case: (in_mask mask t); last by rewrite real0.
rewrite margin_of_factors; move: (at_token zero m t) margins_unit u0 => x u u0.
by rewrite realM realB /Rsqr; field; lra.
Qed.

Lemma residual_within F : fraction_ok F -> 0 < fraction_real F ->
  le_fraction (add (mul (add (sum_of_squares (left_residual r w left right unit left_unit right_unit))
                             (sum_of_squares (right_residual r w left right unit left_unit right_unit)))
                        (mul margins_unit margins_unit))
                   (mul (margin_residual mask m margins_unit) (mul V V)))
    (mul (mul V V) (mul margins_unit margins_unit)) (square F) ->
  vnorm (equations low high rows K0 Q0 K0 Q0 lam0 (fun=> 0)) <= fraction_real F.
Proof.
move=> Fok F0; have V0 := derivative_unit_gt0 Dok vok l0 r0; have u0 := margins_unit_gt0.
set off := add (sum_of_squares _) _; set mr := margin_residual _ _ _ => H.
have VV : 0 < real (mul V V) by rewrite (realM V); exact: Rmult_lt_0_compat.
have uu : 0 < real (mul margins_unit margins_unit) by rewrite (realM margins_unit); exact: Rmult_lt_0_compat.
have units0 : 0 < real (mul (mul V V) (mul margins_unit margins_unit)).
  by rewrite (realM (mul V V)); exact: Rmult_lt_0_compat.
have := le_fraction_pos (square_ok Fok) units0 H; rewrite square_real // => {}H.
apply: vnorm_le_sqr; first by lra.
apply: Rle_trans H; right; rewrite vnorm2_blocks residual_sides -/off.
have -> : vnorm2 (turns_of (equations low high rows K0 Q0 K0 Q0 lam0 (fun=> 0))) = 0.
  apply: sum0 => p _; have same (J : finType) (U : 'I_r -> vec J) : twist low high U U p = 0.
    by rewrite /twist dotC; ring.
  by rewrite /turns_of /equations /= !same; ring.
have -> : vnorm2 (multipliers_of (equations low high rows K0 Q0 K0 Q0 lam0 (fun=> 0))) =
    real mr / (real margins_unit * real margins_unit).
  rewrite /mr margin_residual_real /Rdiv Rmult_assoc Rinv_r ?Rmult_1_r; last by nra.
  by apply: eq_bigr => c _.
rewrite (realM (mul V V)) (realM V) (realM margins_unit margins_unit) (realD (mul off _)) (realM off) (realM mr).
rewrite (realM V) (realM margins_unit margins_unit).
by field; lra.
Qed.

Lemma others_far distance t : fraction_ok distance -> 0 <= fraction_real distance ->
  constraints_all (fun bml => bml.1 || far_check D margins_unit (fraction_num (square distance))
                                         (fraction_den (square distance)) bml.2.1 bml.2.2)
    picks (zip_rows mask (zip_rows m (lengths D picks))) ->
  constraint alpha t -> ~~ in_mask mask t ->
  1 + vnorm (Delta alpha t) * fraction_real distance < margin alpha (factored K0 Q0) t.
Proof.
move=> Dist dist0 H ct nt; have fl := fits_zip (fits_margins Pok (factor_product left right)) (fits_lengths Pok).
have := constraints_allP (false, (zero, zero)) (fits_zip fm fl) H ct.
rewrite at_token_zip //= at_token_zip //=; [| exact: fits_margins | exact: fits_lengths].
rewrite -/(in_mask mask t) (negbTE nt) /= => far.
have [above] := far_scaled Dok Pok (square_ok Dist) margins_unit_gt0 far.
rewrite -margin_of_factors -/(fraction_real (square distance)) square_real // -vnorm_sqr in above *.
set x := margin _ _ _ in above *; set y := vnorm _; have y0 : 0 <= y := vnorm_ge0 _ => sq.
suff : y * fraction_real distance < x - 1 by lra.
apply: Rnot_le_lt => le; have := Rmult_le_compat _ _ _ _ (_ : 0 <= x - 1) (_ : 0 <= x - 1) le le; nra.
Qed.

Lemma columns_sound hints G : data_ok (columns_data r left right left_unit right_unit) ->
  gram_check quick (columns_data r left right left_unit right_unit) [:: 0%nat] (column_mask (iota 0 r)) hints G ->
  forall x : 'I_r -> R, fraction_real G * (\sum_i x i * x i) <=
    vnorm2 (combine predT x K0) + vnorm2 (combine predT x Q0).
Proof.
move=> Cok gram x; pose y (i : nat) := if insub i is Some a then x a else 0.
have yE (i : 'I_r) : y i = x i by rewrite /y valK.
have := columns_stretch Cok gram y; rewrite (eq_bigr (fun i => x i * x i)) => [|i _]; last by rewrite yE.
move=> H; apply: Rle_trans H _; right.
have sl : size (scaled_rows right_unit left) = d by rewrite size_map; case/andP: shl => /eqP.
have sr : size (scaled_rows left_unit right) = e by rewrite size_map; case/andP: shr => /eqP.
rewrite {1}/joined_rows size_cat sl sr big_split_ord /=; congr (_ + _); apply: eq_bigr => j _.
  rewrite -/(Rsqr (combine predT x K0 j)); congr Rsqr; apply: eq_bigr => i _; rewrite yE.
  rewrite /joined_rows /entry2 nth_cat sl ltn_ord -/(entry2 _ _ _) (entry_scaled right_unit shl) // realM.
  by rewrite /left_columns; field; lra.
rewrite -/(Rsqr (combine predT x Q0 j)); congr Rsqr; apply: eq_bigr => i _; rewrite yE.
rewrite /joined_rows /entry2 nth_cat sl ltnNge leq_addr /= addKn -/(entry2 _ _ _) (entry_scaled left_unit shr) //.
by rewrite realM /right_columns; field; lra.
Qed.

Lemma across_sound inverse inverse_unit (radius rows' c U T : fraction N) bits :
  shaped e r inverse -> 0 < real inverse_unit ->
  (0 <= bits)%Z -> fraction_ok radius -> fraction_ok c -> fraction_ok U -> fraction_ok T ->
  0 < fraction_real radius -> 0 < fraction_real c -> 0 < real (fraction_num U) ->
  squares_within inverse inverse_unit c -> fraction_real c * fraction_real radius < 1 ->
  fraction_real rows' * fraction_real radius < 1 ->
  fraction_real U * fraction_real U * (1 - fraction_real T * fraction_real T *
    ((1 - fraction_real c * fraction_real radius) * (1 - fraction_real c * fraction_real radius))) <
    (1 - fraction_real rows' * fraction_real radius) * (1 - fraction_real rows' * fraction_real radius) ->
  spectral_check (stacked_unit unit inverse_unit right_unit U T) U bits (d + e) e
    (stacked_rows e w inverse right unit inverse_unit right_unit U T) ->
  exists theta, [/\ 0 <= theta, theta + fraction_real rows' * fraction_real radius < 1 &
    forall y : vec [finType of 'I_e], \sum_i dot (Q0 i) y * dot (Q0 i) y <=
        fraction_real radius * fraction_real radius * vnorm2 y ->
      vnorm2 (matrix_vector (blend rows lam0) y) <= theta * theta * vnorm2 y].
Proof.
move=> shi i0 bits0 Rok cok Uok Tok R0 c0 Un0; set R := fraction_real radius in R0 *; set C := fraction_real c in c0 *.
set u := fraction_real U; set t := fraction_real T; set h := fraction_real rows'.
move=> small turned moved room spectral; set square := u * u * _ in room.
have below : sqrt square < 1 - h * R.
  case: (Rle_lt_dec 0 square) => [s0 | neg]; last by rewrite sqrt_neg_0; lra.
  by rewrite -[X in _ < X]sqrt_Rsqr; [apply: sqrt_lt_1_alt | lra].
exists (sqrt square); split; [exact: sqrt_pos | lra |] => y near; have y0 := vnorm2_ge0 y.
have u0 : 0 < u by apply: Rdiv_lt_0_compat Un0 (fraction_den_gt0 Uok).
pose ci (i : 'I_r) : vec [finType of 'I_e] := fun k => entry2 inverse k i / real inverse_unit.
have := stacked_short (weights_shaped Dok Pok vok) shi (weight_unit_gt0 Dok vok) i0 r0 Uok Un0 Tok bits0 spectral y.
rewrite -/u -/t -/ci; set Mu : vec [finType of 'I_d * 'I_e] := fun _ => _.
have -> : matrix_vector Mu y = (/ u * matrix_vector (blend rows lam0) y)%V.
  rewrite (blend_active Pok listed_all) -(weights_real Dok Pok vok).
  apply: vec_ext => j; rewrite /matrix_vector /vscale sum_mull; apply: eq_bigr => k _.
  by rewrite /Mu /matrix_real; ring.
rewrite vnorm2Z; set X := vnorm2 (matrix_vector _ y); set left_part := vnorm2 (left_over _ _ y) => H.
have far : (1 - C * R) * (1 - C * R) * vnorm2 y <= left_part.
  set z := combine predT (fun i => dot (Q0 i) y) ci.
  have zs : vnorm z <= C * R * vnorm y.
    apply: vnorm_le_sqr; first by apply: Rmult_le_pos (vnorm_ge0 _); nra.
    apply: Rle_trans (combine_short _ _) _.
    have cs : \sum_i vnorm2 (ci i) <= C * C by exact: squares_within_sound shi i0 cok small.
    have -> : C * R * vnorm y * (C * R * vnorm y) = R * R * vnorm2 y * (C * C) by rewrite -vnorm_sqr; ring.
    apply: Rmult_le_compat => //; apply: sum_ge0 => i _; [exact: Rle_0_sqr | exact: vnorm2_ge0].
  have := vnorm_sub_ge y z; have -> : (y - z)%V = left_over ci Q0 y by [].
  rewrite /left_part -!vnorm_sqr; set l := vnorm (left_over _ _ _) => lz.
  have ny := vnorm_ge0 y; have le : (1 - C * R) * vnorm y <= l by lra.
  have low0 : 0 <= (1 - C * R) * vnorm y by apply: Rmult_le_pos => //; lra.
  by have := Rmult_le_compat _ _ _ _ low0 low0 le le; lra.
have scaled : X <= u * u * (vnorm2 y - t * t * left_part).
  have -> : X = u * u * (/ u * / u * X) by field; lra.
  by apply: Rmult_le_compat_l; [nra | lra].
have tt : 0 <= t * t by exact: Rle_0_sqr.
have bound : X <= square * vnorm2 y.
  apply: Rle_trans scaled _; have := Rmult_le_compat_l _ _ _ tt far => le.
  apply: (Rle_trans _ (u * u * ((1 - t * t * ((1 - C * R) * (1 - C * R))) * vnorm2 y))).
    by apply: Rmult_le_compat_l; [nra | lra].
  by right; rewrite /square; ring.
apply: Rle_trans bound _; apply: Rmult_le_compat_r => //.
by case: (Rle_lt_dec 0 square) => [s0 | neg]; [rewrite sqrt_sqrt //; right | rewrite sqrt_neg_0; lra].
Qed.
End Check.

Theorem exact_solution_check_sound quick (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) x :
  exact_solution_check quick D picks x -> solution_says (selection_of Pok) x.
Proof.
case: x => r distance K uk Q uq C uc v radius k h F c least hints G column_hints U T bits room_of; case/and5P.
case/and3P=> /and5P[Dist Rok kok hok /and5P[Fok cok Sok Gok /and3P[Uok Tok _]]].
case/and5P=> /lt_real R0 /lt_real k0 /lt_real h0 /lt_real F0 /and5P[/lt_real c0 /lt_real S0 _ /lt_real U0 _].
move=> /Z.leb_le bits0; rewrite real0 in R0 k0 h0 F0 c0 S0 U0.
case/and5P=> shK shQ shC /lt_real uk0 /andP[/lt_real uq0 /lt_real uc0]; rewrite real0 in uk0 uq0 uc0.
case/and3P=> vok mok large; have fm := proj1 (andP mok).
case/and5P=> factors near_room col_room inverse /and3P[across rows_room others].
case/and3P=> residual eq_room /and5P[cols_ok cols_gram der_ok der_gram spectral].
have value q : fraction_ok q -> 0 < real (fraction_num q) -> 0 < fraction_real q.
  by move=> /fraction_den_gt0 q0 n0; exact: Rdiv_lt_0_compat.
have Rp := value _ Rok R0; have kp := value _ kok k0; have hp := value _ hok h0; have Fp := value _ Fok F0.
have cp := value _ cok c0; have Sp := value _ Sok S0.
have over q : fraction_ok q -> 0 < real (fraction_den q) := @fraction_den_gt0 N q.
set alpha := selection_of Pok; set mask := listed v in mok large fm rows_room others residual der_ok der_gram.
have large_at t : constraint alpha t -> if in_mask mask t then fraction_real radius < @coefficient_of N D v t
    else @coefficient_of N D v t = 0 by exact: large_check_sound vok mok Rok large.
have off (t : token (problem D)) : ~~ in_mask mask t -> coefficient_of v t = 0.
  move=> nt; case ct: (constraint alpha t); last by apply: (coefficient_off (Pok := Pok)) => //; rewrite ct.
  by have := large_at t ct; rewrite (negbTE nt).
have on (t : token (problem D)) : in_mask mask t -> constraint alpha t by exact: mask_constraint mok.
have [eq_gap eq_small] := equations_room_sound (over _ Rok) (over _ hok) (over _ Fok) (over _ Sok) Rp Fp Sp eq_room.
have [turned moved room] :=
  across_room_sound (over _ Rok) (over _ hok) (over _ cok) (over _ Uok) (over _ Tok) across.
have [theta [theta0 theta1 shorter]] := across_sound Dok Pok uq0 vok off shC uc0 bits0 Rok cok Uok Tok
  Rp cp U0 inverse turned moved room spectral.
have slope := derivative_stretches Dok Pok vok shK shQ uk0 uq0 off der_ok der_gram.
rewrite -(sqrt_sqrt _ (Rlt_le _ _ Sp)) in slope.
have far_enough := distance_room_sound (over _ Rok) (over _ kok) (over _ Dist) near_room.
have distance_ge0 : 0 <= fraction_real distance by nra.
have multipliers (a : active_index D mask) : fraction_real radius < active_multiplier v a.
  have ic : in_mask mask (active_token a) := enum_valP a.
  by have := large_at _ (on _ ic); rewrite ic.
have listed_at t : constraint alpha t -> (exists a, @active_token N D mask a = t) \/
    1 + vnorm (Delta alpha t) * fraction_real distance <
      dot (Delta alpha t) (factored (@left_columns N D r K uk) (@right_columns N D r Q uq)).
  move=> ct; case it: (in_mask mask t).
    left; exists (enum_rank_in (it : t \in in_mask mask) t); by rewrite /active_token enum_rankK_in.
  by right; apply: (others_far Dok shK shQ uk0 uq0 fm) => //; rewrite it.
pose K0 := @left_columns N D r K uk; pose Q0 := @right_columns N D r Q uq.
have [W [opt unique rank near [ones above]]] := nuclear_solution (cons := constraint alpha)
  (fun c => on _ (enum_valP c : in_mask mask (active_token c))) (@pairs_complete r) (Rlt_le _ _ hp) (Rlt_le _ _ Rp)
  (rows_within Dok Pok fm hok rows_room) eq_gap slope
  (residual_within Dok Pok shK shQ uk0 uq0 vok fm off Fok Fp residual) eq_small
  (columns_sound shK shQ uk0 uq0 cols_ok cols_gram) (columns_room_sound (over _ Rok) (over _ Gok) col_room)
  theta0 shorter theta1 (Rlt_le _ _ kp) (factors_within_sound shK shQ uk0 uq0 kok factors) far_enough
  multipliers listed_at.
have u0 : 0 < real (mul uk uq) by rewrite realM; exact: Rmult_lt_0_compat.
exists W; split=> //; rewrite /solution_says /=.
  rewrite (_ : @matrix_real N D (factor_product K Q) (real (mul uk uq)) = factored K0 Q0) //.
  by apply: vec_ext => -[j i]; rewrite /matrix_real (factor_product_real shK shQ uk0 uq0).
move=> t ct; case it: (in_mask mask t).
  rewrite -[margin _ _ _]/(dot (Delta alpha t) W).
  have <- : @active_token N D mask (enum_rank_in (it : t \in in_mask mask) t) = t.
    by rewrite /active_token enum_rankK_in.
  exact: ones.
apply: (above t ct) => -[a at_]; have := enum_valP a; rewrite -[enum_val a]/(active_token a) at_ => im.
by move: it; rewrite [in_mask mask t]im.
Qed.

(* ---- larger numerators ---- *)

Definition roomy (x : solution_data) : solution_data :=
  let a := sole_room x in
  SolutionData (sole_rank x) (sole_distance x) (scaled_rows a (sole_left x)) (mul a (sole_left_unit x))
    (scaled_rows a (sole_right x)) (mul a (sole_right_unit x)) (sole_inverse x) (sole_inverse_unit x)
    (sole_multipliers x) (sole_radius x) (sole_factors x) (sole_rows x) (sole_residual x) (sole_inverse_norm x)
    (sole_smallest x) (sole_hints x) (sole_columns x) (sole_column_hints x) (sole_dual x) (sole_slope x)
    (sole_bits x) a.

Definition solution_check quick (D : token_data N) picks (x : solution_data) : bool :=
  [&& lt zero (sole_room x), lt zero (sole_left_unit x), lt zero (sole_right_unit x),
      shaped (left_dimension D) (sole_rank x) (sole_left x), shaped (right_dimension D) (sole_rank x) (sole_right x) &
      exact_solution_check quick D picks (roomy x)].

Theorem solution_check_sound quick (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) x :
  solution_check quick D picks x -> solution_says (selection_of Pok) x.
Proof.
case/and5P=> /lt_real a0 /lt_real l0 /lt_real r0 shl /andP[shr H]; rewrite real0 in a0 l0 r0.
have := exact_solution_check_sound Dok Pok H; rewrite /solution_says /=.
have al : 0 < real (mul (sole_room x) (sole_left_unit x)) by rewrite realM; exact: Rmult_lt_0_compat.
have ar : 0 < real (mul (sole_room x) (sole_right_unit x)) by rewrite realM; exact: Rmult_lt_0_compat.
have shl' := shaped_scaled (sole_room x) shl; have shr' := shaped_scaled (sole_room x) shr.
have same n m (rows : seq (seq N)) u : shaped n m rows -> 0 < real u ->
    @columns N m n (scaled_rows (sole_room x) rows) (mul (sole_room x) u) = @columns N m n rows u.
  move=> sh u0; apply: functional_extensionality => i; apply: vec_ext => j.
  by rewrite /columns (entry_scaled (sole_room x) sh) // realM; field; lra.
have -> : @matrix_real N D (factor_product (scaled_rows (sole_room x) (sole_left x))
      (scaled_rows (sole_room x) (sole_right x)))
    (real (mul (mul (sole_room x) (sole_left_unit x)) (mul (sole_room x) (sole_right_unit x)))) =
    matrix_real (factor_product (sole_left x) (sole_right x)) (real (mul (sole_left_unit x) (sole_right_unit x))).
  apply: vec_ext => -[j k]; rewrite /matrix_real (factor_product_real shl' shr' al ar) !same //.
  by rewrite (factor_product_real shl shr l0 r0).
by [].
Qed.

Definition solution_claim_check : claim_checker N solution_data := fun quick D picks cited x =>
  accept (solution_check quick D picks x) Nothing.

Theorem solution_holds : check_holds solution_says solution_claim_check.
Proof.
move=> quick D picks Dok Pok cited x f _ /acceptP[H <-]; split=> //; exact: solution_check_sound Dok Pok _ H.
Qed.

Definition nuclear_solution_kind : claim_kind N := ClaimKind solution_holds.
End NuclearSolutionKind.
