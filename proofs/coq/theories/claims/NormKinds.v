(* NormKinds: the claims `norm-optimum`, of norms of the entries and of the nuclear norm, `norm-support-within` and
   `norm-locally-optimal`. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection NormDuality EntrywiseDuality DualNorm UniformConvexity ShortestVector Rank
                           Claims Number Rows Entries TokenData MarginChecks OptimalityChecks NormChecks
                           NormDistanceChecks SpectralChecks ClaimKind.

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

Definition matrix_separates rows unit : bool :=
  constraints_all (le (mul unit (mul (token_unit D) (query_unit D)))) picks (margins_of D picks rows).

Lemma matrix_separates_sound rows unit : shaped (left_dimension D) (right_dimension D) rows -> 0 < real unit ->
  matrix_separates rows unit -> separates alpha (matrix_real rows (real unit)).
Proof.
move=> sh u0 H t ct; have xz0 := units_gt0 Dok.
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

Lemma total_check_real v lo bound : total_check v lo bound -> fraction_ok lo -> fraction_ok bound ->
  fraction_real lo * fraction_real bound <= \sum_(t | constraint alpha t) coefficient_of v t.
Proof.
case/and3P=> vok _ /le_real; rewrite !realM => H look bok.
have l0 := fraction_den_gt0 look; have d0 := fraction_den_gt0 bok; have v0 := denominator_gt0 vok.
rewrite -(total_real Pok vok).
apply: (Rmult_le_reg_r (real (denominator v) * (real (fraction_den lo) * real (fraction_den bound)))).
  by apply: Rmult_lt_0_compat => //; exact: Rmult_lt_0_compat.
have -> : real (total_entries v) / real (denominator v) *
    (real (denominator v) * (real (fraction_den lo) * real (fraction_den bound))) =
    real (total_entries v) * (real (fraction_den lo) * real (fraction_den bound)) by field; lra.
apply: Rle_trans H; right; rewrite /fraction_real; field; lra.
Qed.

Lemma total_check_sound v lo bound norm w : total_check v lo bound -> fraction_ok lo -> fraction_ok bound ->
  0 < fraction_real bound -> dual_norm_le norm (W alpha (coefficient_of v)) (fraction_real bound) ->
  separates alpha w -> fraction_real lo <= norm w.
Proof.
move=> total look bok b0 dual sep; have /and3P[vok nn _] := total.
have pos t : constraint alpha t -> 0 <= coefficient_of v t by exact: nonnegative_check_sound.
have := norm_lower_bound (P := constraint alpha) (h := fun=> 1) sep pos dual.
rewrite (eq_bigr (coefficient_of v)) => [above|t _]; last by rewrite Rmult_1_r.
apply: (Rmult_le_reg_l (fraction_real bound)) => //.
by have := total_check_real total look bok; lra.
Qed.
End Evidence.

(* ---- norm-optimum, of the entries ---- *)

Record entrywise_data := EntrywiseData {
  entrywise_norm_of : entrywise_norm; entrywise_low : fraction N; entrywise_high : fraction N;
  entrywise_rows : seq (seq N); entrywise_unit : N; entrywise_multipliers : vector N; entrywise_dual : fraction N;
  entrywise_bits : Z; entrywise_distance : option (fraction N)
}.

(* No vector with margins >= 1 has a norm below the lower bound; this matrix has such margins, and a norm not above the
   upper one. With a distance: there is one shortest vector, and the matrix is so near it. *)
Definition entrywise_says : claim_statement N entrywise_data := fun D alpha x =>
  let norm := @norm_value (entrywise_norm_of x) (coord (problem D)) in
  let w := matrix_real (entrywise_rows x) (real (entrywise_unit x)) in
  [/\ forall w', separates alpha w' -> fraction_real (entrywise_low x) <= norm w',
      separates alpha w /\ norm w <= fraction_real (entrywise_high x) &
      if entrywise_distance x is Some r then
        exists z, only_shortest alpha norm z /\ norm (w - z)%V <= fraction_real r
      else True].

Definition entrywise_near (norm : entrywise_norm) (lo hi : fraction N) (distance : option (fraction N)) : bool :=
  match distance, norm with
  | None, _ => true
  | Some r, PowerNorm a c => distance_check a c lo hi r
  | Some _, _ => false
  end.

Definition entrywise_check (D : token_data N) (picks : seq nat) (x : entrywise_data) : bool :=
  let: EntrywiseData norm lo hi rows unit v bound bits distance := x in
  [&& [&& fraction_ok lo, fraction_ok hi & fraction_ok bound],
      [&& le zero (fraction_num lo), lt zero (fraction_num hi) & lt zero (fraction_num bound)],
      [&& shaped (left_dimension D) (right_dimension D) rows, lt zero unit, matrix_separates D picks rows unit &
          exponent_ok norm bits],
      norm_check norm bits rows unit hi && dual_norm_check norm bits (weights D picks v) (weight_unit D v) bound &
      total_check D picks v lo bound && entrywise_near norm lo hi distance].

Theorem entrywise_check_sound (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) x :
  entrywise_check D picks x -> entrywise_says (selection_of Pok) x.
Proof.
case: x => norm lo hi rows unit v bound bits distance; case/and5P=> /and3P[look hiok bok] /and3P[lo0 hi0 b0].
move=> /and4P[sh u0 sep eok] /andP[Hnorm Hdual] /andP[total near]; have [vok _ _] := and3P total.
move/lt_real: u0; move/lt_real: hi0; move/lt_real: b0; move/le_real: lo0; rewrite real0 => lo0 b0 hi0 u0.
have below w' : separates (selection_of Pok) w' -> fraction_real lo <= norm_value norm w'.
  have dual := dual_norm_check_sound eok (weights_shaped Dok Pok vok) (weight_unit_gt0 Dok vok) bok b0 Hdual.
  rewrite (weights_real Dok Pok vok) in dual => sep'.
  by apply: (total_check_sound total look bok _ dual sep'); exact: Rdiv_lt_0_compat b0 (fraction_den_gt0 bok).
have feasible : separates (selection_of Pok) _ := matrix_separates_sound Dok sh u0 sep.
have above := norm_check_sound eok sh u0 hiok hi0 Hnorm.
rewrite /entrywise_says /=; split=> //; case: distance near => [r | ] //.
case: norm eok below above {Hnorm Hdual} => // a c /andP[_ /Pos.ltb_lt ca] below above near.
have p1 := exponent_gt1 ca; set w := matrix_real _ _ in feasible above *.
have [z [Kz least]] := @shortest_exists _ _ (constraint (selection_of Pok)) (Delta (selection_of Pok)) (fun=> 1) _ p1
  (ex_intro _ w feasible).
have solves : shortest (constraint (selection_of Pok)) (Delta (selection_of Pok)) (fun=> 1)
    (@lp_norm _ (exponent a c)) z by split.
exists z; split; first by split=> // z' H; exact: (shortest_unique p1 solves H).
have lo_real : 0 <= fraction_real lo.
  by apply: Rmult_le_pos lo0 (Rlt_le _ _ (Rinv_0_lt_compat _ (fraction_den_gt0 look))).
apply: (distance_check_sound ca look hiok (conj lo_real (below z Kz)) above _ _ _ near).
- exact: least (midpoint_holds feasible Kz).
- exact: Rle_trans (least w feasible) above.
exact: Rdiv_lt_0_compat hi0 (fraction_den_gt0 hiok).
Qed.

Definition entrywise_claim_check : claim_checker N entrywise_data := fun quick D picks cited x =>
  accept (entrywise_check D picks x)
    (if entrywise_distance x is Some r then
       NormFact (entrywise_norm_of x) (entrywise_rows x) (entrywise_unit x) r (entrywise_low x) (entrywise_high x)
     else Nothing).

Theorem entrywise_holds : check_holds entrywise_says entrywise_claim_check.
Proof.
move=> quick D picks Dok Pok cited x f _ /acceptP[H <-]; have said := entrywise_check_sound Dok Pok H; split=> //.
case: x H said => norm lo hi rows unit v bound bits [r | ] //= H [below [sep above] [z [only near]]].
have {H} /and5P[_ _ /and4P[sh /lt_real u0 _ eok] _ /andP[_ Hr]] := H.
move: sep; case: norm eok Hr below above only near => // a c /andP[_ /Pos.ltb_lt ca] /and3P[rok _ _].
move=> below above only near sep.
have [[Kz least] _] := only; rewrite real0 in u0; exists a, c; split=> //; split=> //; exists z; split=> //.
by split; [exact: below | exact: Rle_trans (least _ sep) above].
Qed.

Definition entrywise_kind : claim_kind N := ClaimKind entrywise_holds.

(* ---- norm-optimum, of the nuclear norm ---- *)

Record nuclear_data := NuclearData {
  nuclear_low : fraction N; nuclear_high : fraction N; nuclear_rank : nat;
  nuclear_left : seq (seq N); nuclear_left_unit : N; nuclear_right : seq (seq N); nuclear_right_unit : N;
  nuclear_multipliers : vector N; nuclear_dual : fraction N; nuclear_bits : Z
}.

(* K Q' *)
Definition factor_product (left right : seq (seq N)) : seq (seq N) := [seq [seq dot_rows l r | r <- right] | l <- left].
Definition sum_of_squares (rows : seq (seq N)) : N := sum_row [seq dot_rows row row | row <- rows].

(* (||K||^2 + ||Q||^2) / 2 <= hi *)
Definition factors_check left (left_unit : N) right (right_unit : N) (hi : fraction N) : bool :=
  let l := mul left_unit left_unit in
  let r := mul right_unit right_unit in
  le_fraction (add (mul (sum_of_squares left) r) (mul (sum_of_squares right) l)) (mul two (mul l r)) hi.

Section Factors.
Variables (d e m : nat) (left right : seq (seq N)) (left_unit right_unit : N).
Hypotheses (shl : shaped d m left) (shr : shaped e m right) (l0 : 0 < real left_unit) (r0 : 0 < real right_unit).

Definition columns (n : nat) (rows : seq (seq N)) (unit : N) (i : 'I_m) : vec [finType of 'I_n] :=
  fun j => entry2 rows j i / real unit.

Lemma shaped_product : shaped d e (factor_product left right).
Proof.
have /andP[/eqP sl _] := shl; have /andP[/eqP sr _] := shr; rewrite /shaped size_map sl eqxx.
by apply/(all_nthP [::]) => j; rewrite size_map => jl; rewrite (nth_map [::]) // size_map sr.
Qed.

Lemma factor_product_real (j : 'I_d) (k : 'I_e) :
  entry2 (factor_product left right) j k / real (mul left_unit right_unit) =
  factored (@columns d left left_unit) (@columns e right right_unit) (j, k).
Proof.
have /andP[/eqP sl _] := shl; have /andP[/eqP sr _] := shr; rewrite realM /factored /combine /outer /columns /=.
rewrite /entry2 {1}/entry (nth_map [::]) ?sl // (nth_map [::]) ?sr //.
rewrite (@dot_rows_real _ _ _ m) ?(shaped_row shl (ltn_ord j)) // /Rdiv sum_mulr; apply: eq_bigr => i _.
by rewrite /entry2; field; lra.
Qed.

Lemma sum_of_squares_real n (rows : seq (seq N)) (unit : N) : shaped n m rows -> 0 < real unit ->
  \sum_i vnorm2 (@columns n rows unit i) = real (sum_of_squares rows) / (real unit * real unit).
Proof.
move=> sh u0; have /andP[/eqP sr _] := sh; rewrite /vnorm2 /dot exchange_big /= /sum_of_squares sum_row_real size_map.
rewrite sr /Rdiv sum_mulr; apply: eq_bigr => j _; rewrite /entry (nth_map [::]) ?sr // (@dot_rows_real _ _ _ m).
  by rewrite sum_mulr; apply: eq_bigr => i _; rewrite /columns /entry2; field; lra.
by rewrite (shaped_row sh (ltn_ord j)).
Qed.

Lemma factors_size hi : fraction_ok hi -> factors_check left left_unit right right_unit hi ->
  (\sum_i vnorm2 (@columns d left left_unit i) + \sum_i vnorm2 (@columns e right right_unit i)) / 2 <= fraction_real hi.
Proof.
move=> hiok H; rewrite (sum_of_squares_real shl l0) (sum_of_squares_real shr r0).
have u0 : 0 < real (mul two (mul (mul left_unit left_unit) (mul right_unit right_unit))).
  by rewrite !realM real2; have := Rmult_lt_0_compat _ _ l0 l0; have := Rmult_lt_0_compat _ _ r0 r0; nra.
apply: Rle_trans (le_fraction_real hiok u0 H); right; rewrite realD !realM real2; field; lra.
Qed.

Lemma factors_check_sound hi : fraction_ok hi -> factors_check left left_unit right right_unit hi ->
  nuclear_norm (factored (@columns d left left_unit) (@columns e right right_unit)) <= fraction_real hi.
Proof. by move=> hiok H; apply: Rle_trans (nuclear_norm_factored _ _) (factors_size hiok H). Qed.
End Factors.

(* As before, and the product has a rank of at most the number of columns. *)
Definition nuclear_says : claim_statement N nuclear_data := fun D alpha x =>
  let norm := @nuclear_norm [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)] in
  let w := matrix_real (factor_product (nuclear_left x) (nuclear_right x))
             (real (mul (nuclear_left_unit x) (nuclear_right_unit x))) in
  (forall w', separates alpha w' -> fraction_real (nuclear_low x) <= norm w') /\
  [/\ separates alpha w, norm w <= fraction_real (nuclear_high x) &
      @rank_at_most [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)] (nuclear_rank x) w].

Definition nuclear_check (D : token_data N) (picks : seq nat) (x : nuclear_data) : bool :=
  let: NuclearData lo hi m K uk Q uq v bound bits := x in
  let d := left_dimension D in
  let e := right_dimension D in
  [&& [&& fraction_ok lo, fraction_ok hi & fraction_ok bound],
      [&& le zero (fraction_num lo), lt zero (fraction_num hi), lt zero (fraction_num bound) & Z.leb 0 bits],
      [&& shaped d m K, shaped e m Q, lt zero uk, lt zero uq &
          matrix_separates D picks (factor_product K Q) (mul uk uq)],
      factors_check K uk Q uq hi && spectral_check (weight_unit D v) bound bits d e (weights D picks v) &
      total_check D picks v lo bound].

Theorem nuclear_check_sound (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) x :
  nuclear_check D picks x -> nuclear_says (selection_of Pok) x.
Proof.
case: x => lo hi m K uk Q uq v bound bits; case/and5P=> /and3P[look hiok bok].
case/and4P=> _ _ /lt_real b0 /Z.leb_le bits0 /and5P[shK shQ uk0 uq0 sep] /andP[Hnorm Hdual] total.
rewrite real0 in b0; move/lt_real: (uk0); move/lt_real: (uq0); rewrite real0 => q0 k0.
have [vok _ _] := and3P total; have bound0 := Rdiv_lt_0_compat _ _ b0 (fraction_den_gt0 bok).
rewrite /nuclear_says /=; split.
  have C := spectral_check_sound bits0 (weight_unit_gt0 Dok vok) (fraction_den_gt0 bok) b0
              (weights_shaped Dok Pok vok) Hdual.
  have dual := spectral_dual bound0 C.
  have {}dual : dual_norm_le (@nuclear_norm _ _) (W (selection_of Pok) (@coefficient_of N D v)) (fraction_real bound).
    by rewrite -(weights_real Dok Pok vok).
  by move=> w' sep'; exact: (total_check_sound total look bok bound0 dual sep').
have u0 : 0 < real (mul uk uq) by rewrite realM; exact: Rmult_lt_0_compat.
have sep' := matrix_separates_sound Dok (shaped_product shK shQ) u0 sep.
have E : @matrix_real N D (factor_product K Q) (real (mul uk uq)) =
    factored (@columns m (left_dimension D) K uk) (@columns m (right_dimension D) Q uq).
  by apply: vec_ext => -[j k]; exact: factor_product_real.
rewrite E in sep' *; split=> //; first exact: factors_check_sound.
by exists (@columns m (left_dimension D) K uk), (@columns m (right_dimension D) Q uq).
Qed.

Definition nuclear_claim_check : claim_checker N nuclear_data := fun quick D picks cited x =>
  accept (nuclear_check D picks x)
    (NuclearFact (nuclear_low x) (factor_product (nuclear_left x) (nuclear_right x))
       (mul (nuclear_left_unit x) (nuclear_right_unit x))).

Theorem nuclear_holds : check_holds nuclear_says nuclear_claim_check.
Proof.
move=> quick D picks Dok Pok cited x f _ /acceptP[H <-]; have said := nuclear_check_sound Dok Pok H.
by split=> //; case: said => below [sep _ _].
Qed.

Definition nuclear_kind : claim_kind N := ClaimKind nuclear_holds.

(* ---- norm-support-within, norm-locally-optimal: margins certainly above 1 at the only shortest vector ---- *)

Record norm_within_data := NormWithinData {
  norm_within_of : option entrywise_norm (* none: the nuclear norm, of which nothing is accepted *);
  norm_within_from : nat; norm_within_tokens : seq (seq bool)
}.
Record norm_local_data := NormLocalData { norm_local_of : option entrywise_norm; norm_local_from : nat }.

(* The norm has one shortest vector, and all constraints with margin 1 there have a property. *)
Definition tight_where (D : token_data N) (alpha : selection (problem D)) (norm : option entrywise_norm)
    (holds : token (problem D) -> Prop) : Prop :=
  if norm is Some n then
    exists z, only_shortest alpha (@norm_value n (coord (problem D))) z /\
      forall t, constraint alpha t -> margin alpha z t = 1 -> holds t
  else False.

Definition norm_within_says : claim_statement N norm_within_data := fun D alpha x =>
  tight_where alpha (norm_within_of x) (@in_mask N D (norm_within_tokens x)).

Definition norm_local_says : claim_statement N norm_local_data := fun D alpha x =>
  tight_where alpha (norm_local_of x) (fun t => 0 < gap alpha t).

Definition same_norm (n n' : entrywise_norm) : bool :=
  match n, n' with
  | PowerNorm a c, PowerNorm a' c' => Pos.eqb a a' && Pos.eqb c c'
  | _, _ => false
  end.

Lemma same_normP n n' : same_norm n n' -> n = n'.
Proof. by case: n => // a c; case: n' => // a' c' /andP[/Pos.eqb_eq -> /Pos.eqb_eq ->]. Qed.

(* The tokens that are not excused have margins certainly above 1. *)
Definition others_above_check (D : token_data N) (picks : seq nat) (f : fact N) (norm : option entrywise_norm)
    (excused : seq (seq bool)) : bool :=
  match f, norm with
  | NormFact n' rows unit r _ _, Some n =>
      same_norm n n' && constraints_all (fun ems => ems.1 || above_check D unit r ems.2.1 ems.2.2) picks
                          (zip_rows excused (zip_rows (margins_of D picks rows) (spans D picks)))
  | _, _ => false
  end.

Lemma others_above_sound (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) f n excused
    (holds : token (problem D) -> Prop) : fact_meaning picks (selection_of Pok) f -> fits D excused ->
  (forall t, at_token false excused t -> holds t) -> others_above_check D picks f n excused ->
  tight_where (selection_of Pok) n holds.
Proof.
case: f => // n' rows unit r lo hi [a [c [nE ca sh u0 [rok [z [only near _]]]]]] fe excuse.
case: n => // n /andP[/same_normP -> H].
exists z; split=> // t ct tight; apply: excuse.
have fm := fits_margins Pok rows; have fs := fits_spans Pok.
have := constraints_allP (false, (zero, zero)) (fits_zip fe (fits_zip fm fs)) H ct.
rewrite at_token_zip //=; last exact: fits_zip.
rewrite at_token_zip //= => /orP[// | above].
rewrite nE in near; have := above_check_sound Dok Pok (exponent_gt1 ca) sh u0 rok near above.
by rewrite tight; lra.
Qed.

Definition norm_within_claim_check : claim_checker N norm_within_data := fun quick D picks cited x =>
  let mask := norm_within_tokens x in
  accept (mask_ok D picks mask && others_above_check D picks (cited (norm_within_from x)) (norm_within_of x) mask)
    Nothing.

Theorem norm_within_holds : check_holds norm_within_says norm_within_claim_check.
Proof.
move=> quick D picks Dok Pok cited [n k mask] f facts /acceptP[/andP[/andP[fm _] H] <-]; split=> //.
exact: (others_above_sound Dok (facts k) fm (fun t m => m) H).
Qed.

Definition norm_within_kind : claim_kind N := ClaimKind norm_within_holds.

Definition norm_local_claim_check : claim_checker N norm_local_data := fun quick D picks cited x =>
  let positive := [seq [seq lt zero g | g <- row] | row <- gaps D picks] in
  accept (others_above_check D picks (cited (norm_local_from x)) (norm_local_of x) positive) Nothing.

Lemma fits_mapped (D : token_data N) (A B : Type) (g : A -> B) (m : seq (seq A)) :
  fits D m -> fits D [seq [seq g a | a <- row] | row <- m].
Proof.
rewrite /fits size_map => /andP[-> ]; elim: (sequences D) m => [|q qs IH] [|row m] //= /andP[/eqP E H].
by rewrite size_map E eqxx IH.
Qed.

Theorem norm_local_holds : check_holds norm_local_says norm_local_claim_check.
Proof.
move=> quick D picks Dok Pok cited [n k] f facts /acceptP[H <-]; split=> //.
have fg := fits_gaps Dok Pok; apply: (others_above_sound Dok (facts k) (fits_mapped _ fg) _ H) => t.
rewrite /at_token (nth_map [::]); last by case/andP: fg => /eqP -> _; exact: ltn_ord.
rewrite (nth_map zero); last by rewrite (fits_row fg (ltn_ord _)) ltn_ord.
exact: gap_gt0.
Qed.

Definition norm_local_kind : claim_kind N := ClaimKind norm_local_holds.
End NormKinds.
