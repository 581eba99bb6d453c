(* NearRankKind: the claim `norm-near-rank`, the rank of all matrices whose nuclear norm is nearly the least. The
   multipliers and the bound of the norm are those of the claim cited, a norm-optimum, that the claim holds. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Duality NormDuality DualNorm Rank NearRank Claims Number Rows TokenData
                           MarginChecks OptimalityChecks EnclosureChecks SpectralChecks ClaimKind NormKinds.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section NearRankKind.
Variable N : number.

(* ---- I - C Y' under a multiple of a matrix ---- *)

Section Stacked.
Variables (d e r : nat) (m left right : seq (seq N)) (unit left_unit right_unit : N) (bound slope : fraction N).

Definition left_over_rows : seq (seq N) :=
  mkseq (fun l => mkseq (fun k =>
    sub (if eqn l k then mul left_unit right_unit else zero) (dot_rows (nth [::] left l) (nth [::] right k))) e) e.

Definition scaled_rows (a : N) (rows : seq (seq N)) : seq (seq N) := [seq [seq mul a x | x <- row] | row <- rows].

(* M over its unit and the bound, and slope (I - C Y'), over one unit and the bound. *)
Definition stacked_share : N :=
  mul (mul left_unit right_unit) (mul (fraction_den slope) (fraction_den bound)).
Definition stacked_rows : seq (seq N) :=
  scaled_rows stacked_share m ++
  scaled_rows (mul unit (mul (fraction_num bound) (fraction_num slope))) left_over_rows.
Definition stacked_unit : N := mul unit stacked_share.

Hypotheses (shm : shaped d e m) (shl : shaped e r left).
Hypotheses (u0 : 0 < real unit) (l0 : 0 < real left_unit) (r0 : 0 < real right_unit).
Hypotheses (bok : fraction_ok bound) (b0 : 0 < real (fraction_num bound)) (sok : fraction_ok slope).
Let B := fraction_real bound.
Let s := fraction_real slope.
Let M : vec [finType of 'I_d * 'I_e] := fun jk => / B * (entry2 m jk.1 jk.2 / real unit).
Let c (i : 'I_r) : vec [finType of 'I_e] := fun k => entry2 left k i / real left_unit.
Let y (i : 'I_r) : vec [finType of 'I_e] := fun k => entry2 right k i / real right_unit.

Lemma shaped_scaled n a rows : shaped n e rows -> shaped n e (scaled_rows a rows).
Proof.
case/andP=> /eqP sn H; rewrite /shaped size_map sn eqxx; apply/(all_nthP [::]) => j; rewrite size_map => jn.
by rewrite (nth_map [::]) // size_map (all_nthP [::] H).
Qed.

Lemma shaped_left_over : shaped e e left_over_rows.
Proof.
rewrite /shaped size_mkseq eqxx; apply/(all_nthP [::]) => j; rewrite size_mkseq => je.
by rewrite nth_mkseq // size_mkseq.
Qed.

Lemma entry_scaled n a rows (j k : nat) : shaped n e rows -> (j < n)%nat -> (k < e)%nat ->
  entry2 (scaled_rows a rows) j k = real a * entry2 rows j k.
Proof.
move=> sh jn ke; have /andP[/eqP sn _] := sh.
by rewrite /entry2 /entry (nth_map [::]) ?sn // (nth_map zero) ?realM // (shaped_row sh jn).
Qed.

Lemma entry_left_over (l k : 'I_e) : entry2 left_over_rows l k =
  (if l == k then real left_unit * real right_unit else 0) - \sum_(i < r) entry2 left l i * entry2 right k i.
Proof.
have /andP[/eqP sl _] := shl.
rewrite /entry2 {1}/entry nth_mkseq // nth_mkseq // realB (@dot_rows_real _ _ _ r) ?(shaped_row shl (ltn_ord l)) //.
by rewrite eqnE val_eqE; case: eqP => _; rewrite ?real0 ?realM.
Qed.

Lemma shaped_stacked : shaped (d + e) e stacked_rows.
Proof.
have /andP[/eqP st Ht] := shaped_scaled stacked_share shm.
have /andP[/eqP sb Hb] := shaped_scaled (mul unit (mul (fraction_num bound) (fraction_num slope))) shaped_left_over.
by rewrite /shaped /stacked_rows size_cat st sb eqxx all_cat Ht Hb.
Qed.

Let P := stacked_share.
Lemma stacked_share_real :
  real P = real left_unit * real right_unit * (real (fraction_den slope) * real (fraction_den bound)).
Proof. by rewrite !realM. Qed.

Lemma share_gt0 : 0 < real P.
Proof.
rewrite stacked_share_real; have := fraction_den_gt0 bok; have := fraction_den_gt0 sok => s1 b1.
by apply: Rmult_lt_0_compat; apply: Rmult_lt_0_compat.
Qed.

Lemma entry_above (j : 'I_d) (k : 'I_e) :
  / B * (entry2 stacked_rows (lshift e j) k / real stacked_unit) = M (j, k).
Proof.
have p0 := share_gt0; have bd0 := fraction_den_gt0 bok; rewrite /entry2 /stacked_rows nth_cat.
have -> : (lshift e j < size (scaled_rows stacked_share m))%nat.
  by rewrite size_map; case/andP: shm => /eqP -> _ /=.
rewrite -/(entry2 _ _ _) (entry_scaled _ shm) //= /M /stacked_unit realM -/P /B /fraction_real /=.
by field; repeat split; lra.
Qed.

Lemma entry_below (l k : 'I_e) :
  / B * (entry2 stacked_rows (rshift d l) k / real stacked_unit) =
  s * ((if l == k then 1 else 0) - \sum_i c i l * y i k).
Proof.
have p0 := share_gt0; have bd0 := fraction_den_gt0 bok; have sd0 := fraction_den_gt0 sok.
rewrite /entry2 /stacked_rows nth_cat.
have sm : size (scaled_rows stacked_share m) = d by rewrite size_map; case/andP: shm => /eqP ->.
rewrite sm /= ltnNge leq_addr /= addKn -/(entry2 _ _ _) (entry_scaled _ shaped_left_over) // entry_left_over !realM.
have -> : \sum_i c i l * y i k = (\sum_(i < r) entry2 left l i * entry2 right k i) / (real left_unit * real right_unit).
  by rewrite /Rdiv sum_mulr; apply: eq_bigr => i _; rewrite /c /y; field; lra.
set S := \sum_(i < r) _; rewrite /B /s /fraction_real.
by case: eqP => _; field; repeat split; lra.
Qed.

(* The columns of the stacked matrix. *)
Lemma stacked_short (bits : Z) : (0 <= bits)%Z -> spectral_check stacked_unit bound bits (d + e) e stacked_rows ->
  forall x : vec [finType of 'I_e], vnorm2 (matrix_vector M x) + s * s * vnorm2 (left_over c y x) <= vnorm2 x.
Proof.
move=> bits0 H x.
have su0 : 0 < real stacked_unit by rewrite realM; apply: Rmult_lt_0_compat u0 share_gt0.
have := spectral_check_sound bits0 su0 (fraction_den_gt0 bok) b0 shaped_stacked H x; apply: Rle_trans; right.
rewrite {3}/vnorm2 {1}/dot big_split_ord /=; congr (_ + _).
  rewrite /vnorm2 /dot; apply: eq_bigr => j _.
  have -> : matrix_vector M x j = matrix_vector (fun jk : 'I_(d + e) * 'I_e =>
      / B * (entry2 stacked_rows jk.1 jk.2 / real stacked_unit)) x (lshift e j); last by [].
  by rewrite /matrix_vector; apply: eq_bigr => k _; rewrite entry_above.
rewrite /vnorm2 /dot sum_mull; apply: eq_bigr => l _.
have square (a : R) : s * s * (a * a) = s * a * (s * a) by ring.
have -> : matrix_vector (fun jk : 'I_(d + e) * 'I_e =>
    / B * (entry2 stacked_rows jk.1 jk.2 / real stacked_unit)) x (rshift d l) = s * left_over c y x l;
  last exact: square.
rewrite /matrix_vector (eq_bigr (fun k => s * ((if l == k then 1 else 0) * x k) - s * \sum_i c i l * y i k * x k)).
  rewrite sumB -!sum_mull -Rmult_minus_distr_l; congr (_ * _); rewrite /left_over /vsub; congr (_ - _).
    rewrite (bigD1 l) //= eqxx big1 => [|k /negbTE kl]; first by ring.
    by rewrite eq_sym kl; ring.
  rewrite exchange_big /combine; apply: eq_bigr => i _; rewrite /dot sum_mulr; apply: eq_bigr => k _; ring.
move=> k _; have -> : \sum_i c i l * y i k * x k = (\sum_i c i l * y i k) * x k by rewrite sum_mulr.
by rewrite entry_below; set S := \sum_i _; case: (l == k); ring.
Qed.
End Stacked.

(* ---- norm-near-rank ---- *)

Record near_rank_data := NearRankData {
  near_of : option (nuclear_data N);   (* of the claim cited; none: it is not about the nuclear norm *)
  near_columns : nat; near_distance : fraction N;
  near_left : seq (seq N); near_left_unit : N; near_right : seq (seq N); near_right_unit : N;
  near_dual : fraction N; near_bits : Z; near_slope : fraction N; near_step : fraction N
}.

(* Every matrix with margins >= 1 and a nuclear norm not above the upper bound of the claim cited is so near one of
   this rank. *)
Definition near_rank_says : claim_statement N near_rank_data := fun D alpha x =>
  let norm := @nuclear_norm [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)] in
  if near_of x is Some known then
    forall w, separates alpha w -> norm w <= fraction_real (nuclear_high known) ->
      exists v, @rank_at_most [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)]
                  (near_columns x) v /\ norm (w - v)%V <= fraction_real (near_distance x)
  else False.

Definition fraction_sum (q q' : fraction N) : fraction N :=
  Fraction (add (mul (fraction_num q) (fraction_den q')) (mul (fraction_num q') (fraction_den q)))
           (mul (fraction_den q) (fraction_den q')).
Definition fraction_difference (q q' : fraction N) : fraction N :=
  Fraction (sub (mul (fraction_num q) (fraction_den q')) (mul (fraction_num q') (fraction_den q)))
           (mul (fraction_den q) (fraction_den q')).
Definition twice_fraction (q : fraction N) : fraction N := Fraction (mul two (fraction_num q)) (fraction_den q).

(* S^2 - T^2 *)
Definition excess_square (slope step : fraction N) : fraction N := fraction_difference (square slope) (square step).

(* 2 q (hi B - total) + B hi T^2 <= 2 q B T R for q = S^2 - T^2 *)
Definition distance_covers (hi bound total slope step distance : fraction N) : bool :=
  let q := twice_fraction (excess_square slope step) in
  let most := fraction_sum (product q (fraction_difference (product hi bound) total))
                (product (product bound hi) (square step)) in
  le_fraction (fraction_num most) (fraction_den most) (product q (product (product bound step) distance)).

Definition near_rank_check (D : token_data N) (picks : seq nat) (known : nuclear_data N) (x : near_rank_data) : bool :=
  let: NearRankData _ r distance C uc Y uy bound bits slope step := x in
  let d := left_dimension D in
  let e := right_dimension D in
  let v := nuclear_multipliers known in
  [&& [&& fraction_ok (nuclear_high known), fraction_ok distance, fraction_ok bound, fraction_ok slope &
          fraction_ok step],
      [&& lt zero (fraction_num bound), lt zero (fraction_num slope), lt zero (fraction_num step),
          lt zero (fraction_num (excess_square slope step)) & Z.leb 0 bits],
      [&& shaped e r C, shaped e r Y, lt zero uc & lt zero uy],
      [&& vector_ok D picks v, nonnegative_check picks v &
          spectral_check (stacked_unit (weight_unit D v) uc uy bound slope) bound bits (d + e) e
            (stacked_rows e (weights D picks v) C Y (weight_unit D v) uc uy bound slope)] &
      distance_covers (nuclear_high known) bound (Fraction (total_entries v) (denominator v)) slope step distance].

(* ---- fractions ---- *)

Section Values.
Variables (q q' : fraction N).
Hypotheses (q0 : 0 < real (fraction_den q)) (q0' : 0 < real (fraction_den q')).

Lemma over_gt0 : 0 < real (mul (fraction_den q) (fraction_den q')).
Proof. by rewrite realM; apply: Rmult_lt_0_compat. Qed.

Lemma product_value : fraction_real (product q q') = fraction_real q * fraction_real q'.
Proof. by rewrite /fraction_real /= !realM; field; lra. Qed.

Lemma sum_value : fraction_real (fraction_sum q q') = fraction_real q + fraction_real q'.
Proof. by rewrite /fraction_real /= realD !realM; field; lra. Qed.

Lemma fraction_difference_value : fraction_real (fraction_difference q q') = fraction_real q - fraction_real q'.
Proof. by rewrite /fraction_real /= realB !realM; field; lra. Qed.

Lemma doubled_value : fraction_real (twice_fraction q) = 2 * fraction_real q.
Proof. by rewrite /fraction_real /= !realM real2; field; lra. Qed.
End Values.

Lemma distance_covers_sound hi bound total slope step distance : fraction_ok hi -> fraction_ok bound ->
  0 < real (fraction_den total) -> fraction_ok slope -> fraction_ok step -> fraction_ok distance ->
  distance_covers hi bound total slope step distance ->
  let S := fraction_real slope in let T := fraction_real step in let B := fraction_real bound in
  let q := 2 * (S * S - T * T) in
  q * (fraction_real hi * B - fraction_real total) + B * fraction_real hi * (T * T) <=
    q * (B * T * fraction_real distance).
Proof.
move=> /fraction_den_gt0 h0 /fraction_den_gt0 b0 t0 /fraction_den_gt0 s0 /fraction_den_gt0 e0 /fraction_den_gt0 d0.
have over (x y : fraction N) :
    0 < real (fraction_den x) -> 0 < real (fraction_den y) -> 0 < real (fraction_den (product x y)).
  by move=> x0 y0; rewrite /= realM; exact: Rmult_lt_0_compat.
have hb := over _ _ h0 b0; have ss := over _ _ s0 s0; have ee := over _ _ e0 e0.
have q0 : 0 < real (fraction_den (twice_fraction (excess_square slope step))) := over_gt0 ss ee.
have ht : 0 < real (fraction_den (fraction_difference (product hi bound) total)) := over_gt0 hb t0.
have bh := over _ _ b0 h0; have be := over _ _ b0 e0; have left := over _ _ q0 ht; have other := over _ _ bh ee.
have far := over _ _ be d0; have right := over _ _ q0 far.
set most := fraction_sum
  (product (twice_fraction (excess_square slope step)) (fraction_difference (product hi bound) total))
  (product (product bound hi) (square step)).
have m0 : 0 < real (fraction_den most) := over_gt0 left other.
move=> H /=; have := le_fraction_pos right m0 H; rewrite -/(fraction_real most).
rewrite /most sum_value // !product_value // doubled_value // /excess_square !fraction_difference_value // /square.
by rewrite !product_value.
Qed.

(* ---- the claim ---- *)

Theorem near_rank_check_sound (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) known x :
  near_of x = Some known -> near_rank_check D picks known x -> near_rank_says (selection_of Pok) x.
Proof.
case: x => of_claim r distance C uc Y uy bound bits slope step /= -> /and5P[].
case/and5P=> hok rok bok sok tok /and5P[/lt_real b0 /lt_real s0 /lt_real t0 /lt_real q0 /Z.leb_le bits0].
case/and4P=> shC shY /lt_real uc0 /lt_real uy0 /and3P[vok nn spectral] covers.
rewrite real0 in b0 s0 t0 q0 uc0 uy0; rewrite /near_rank_says /= => w sep small.
set v := nuclear_multipliers known in vok nn spectral covers.
set d := left_dimension D; set e := right_dimension D.
pose M : vec [finType of 'I_d * 'I_e] :=
  fun jk => / fraction_real bound * (entry2 (weights D picks v) jk.1 jk.2 / real (weight_unit D v)).
pose c (i : 'I_r) : vec [finType of 'I_e] := fun k => entry2 C k i / real uc.
pose y (i : 'I_r) : vec [finType of 'I_e] := fun k => entry2 Y k i / real uy.
have short : forall x, vnorm2 (matrix_vector M x) + fraction_real slope * fraction_real slope * vnorm2 (left_over c y x)
    <= vnorm2 x.
  exact: (stacked_short (weights_shaped Dok Pok vok) shC (weight_unit_gt0 Dok vok) uc0 uy0 bok b0 sok bits0 spectral).
have bd0 := fraction_den_gt0 bok; have td0 := fraction_den_gt0 tok; have sd0 := fraction_den_gt0 sok.
have B0 : 0 < fraction_real bound := Rdiv_lt_0_compat _ _ b0 bd0.
have T0 : 0 < fraction_real step := Rdiv_lt_0_compat _ _ t0 td0.
have q1 : 0 < fraction_real slope * fraction_real slope - fraction_real step * fraction_real step.
  have ss : 0 < real (fraction_den (square slope)) := over_gt0 sd0 sd0.
  have tt : 0 < real (fraction_den (square step)) := over_gt0 td0 td0.
  rewrite -!product_value // -(fraction_difference_value ss tt); exact: Rdiv_lt_0_compat q0 (over_gt0 ss tt).
have ts : fraction_real step * fraction_real step < fraction_real slope * fraction_real slope by lra.
have total0 : 0 < real (fraction_den (Fraction (total_entries v) (denominator v))) := denominator_gt0 vok.
have {covers} := distance_covers_sound hok bok total0 sok tok rok covers; rewrite /=.
have ME : M = (/ fraction_real bound * W (selection_of Pok) (coefficient_of v))%V.
  by rewrite -(weights_real Dok Pok vok).
have low : fraction_real (Fraction (total_entries v) (denominator v)) / fraction_real bound <= dot M w.
  rewrite ME dotZl /Rdiv Rmult_comm; apply: Rmult_le_compat_l; first by apply: Rlt_le; exact: Rinv_0_lt_compat.
  rewrite /fraction_real /= (total_real Pok vok).
  have pos t : constraint (selection_of Pok) t -> 0 <= coefficient_of v t by exact: nonnegative_check_sound.
  have := dual_le_dot (P := constraint (selection_of Pok)) (h := fun=> 1) sep pos.
  by rewrite (eq_bigr (coefficient_of v)) // => t _; rewrite Rmult_1_r.
have := near_rank T0 ts short small low.
set hi := fraction_real (nuclear_high known); set total := fraction_real (Fraction _ _).
set S := fraction_real slope in q1 *; set T := fraction_real step in T0 q1 *; set B := fraction_real bound in B0 *.
set R := fraction_real distance; set norm := nuclear_norm _; set q := S * S - T * T in q1 *.
move=> near covers; exists (projected c y w); split; first exact: projected_rank.
rewrite -/norm; apply: (Rmult_le_reg_l (2 * q * (B * T))).
  by apply: Rmult_lt_0_compat; [lra | exact: Rmult_lt_0_compat].
have qB : 0 < 2 * q * B by apply: Rmult_lt_0_compat; lra.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ qB) near.
have -> : 2 * q * B * (hi - total / B + hi * (T * T / (2 * q))) =
    2 * q * (hi * B - total) + B * hi * (T * T) by field; lra.
lra.
Qed.

Definition near_rank_claim_check : claim_checker N near_rank_data := fun quick D picks cited x =>
  if near_of x is Some known then accept (near_rank_check D picks known x) Nothing else None.

Theorem near_rank_holds : check_holds near_rank_says near_rank_claim_check.
Proof.
move=> quick D picks Dok Pok cited x f _; rewrite /near_rank_claim_check; case E: (near_of x) => [known |] //.
by move=> /acceptP[H <-]; split=> //; exact: near_rank_check_sound E H.
Qed.

Definition near_rank_kind : claim_kind N := ClaimKind near_rank_holds.
End NearRankKind.
