(* RunChecks: what a claim about a run says at its steps, decided from the replay's enclosures.

   The direction u of the solution is given by a vector known within a radius. Everything observed of an iterate
   encloses the true iterate's value. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Number Rows TokenData Losses Claims MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals Runs PseudoOrbit
                           Replay ReplaySound.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section RunChecks.
Variables (N : number) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Implicit Types (t : nat) (i : group (problem D)).

Variables (l : loss_name) (spec : specification N).
(* Working precision and binary places of the replay, precision of what is observed: guesses. *)
Variables (P F O : Z).
Let ell := loss_of l.

(* The norm of a matrix over a unit; exactly 0 where it is 0. *)
Definition matrix_norm (m : seq (seq N)) (u : N) : interval :=
  let q := matrix_dot m m in if same q zero then interval0 N else idiv P (isqrt P (exactly q)) (exactly u).

(* Of what is not negative. *)
Definition no_less (I : interval) : interval := if I is Between lo hi e then Between (greater lo zero) hi e
  else anything.

(* ---- the direction ---- *)

Record enclosed_direction := EnclosedDirection {
  solution_matrix : seq (seq N);
  solution_unit : N;
  centre_norm : interval;
  solution_radius : interval;
  solution_norm : interval
}.

Definition direction_of (v : vector N) (radius : interval) : enclosed_direction :=
  let m := weights D picks v in
  let u := weight_unit D v in
  let n := matrix_norm m u in
  EnclosedDirection m u n radius (iadd P n (symmetric radius)).

(* ---- observations ---- *)

Definition norm_of (o : orbit N) : interval :=
  no_less (iadd P (matrix_norm (position o) (position_unit D spec F)) (symmetric (away o))).

Definition along_of (dir : enclosed_direction) (o : orbit N) : interval :=
  let product := idiv P (exactly (matrix_dot (position o) (solution_matrix dir)))
                        (exactly (mul (position_unit D spec F) (solution_unit dir))) in
  let slack := iadd P (imul P (away o) (centre_norm dir)) (imul P (norm_of o) (solution_radius dir)) in
  idiv P (iadd P product (symmetric slack)) (solution_norm dir).

Definition corr_of (norm along : interval) : interval :=
  idiv P (no_less (isub P norm along)) norm.

Definition unselected_of (v : view N) : seq interval :=
  [seq isum P (set_nth anything sp.1 sp.2 (interval0 N)) | sp <- zip (view_attention v) picks].

Definition gradient_of (o : orbit N) (v : view N) : interval :=
  let vel := velocity_of D P (references o) v in no_less (iadd P (speed vel) (symmetric (deviation vel))).

(* ---- bands, checkpoints, rates ---- *)

Definition claimed_band : Type := (fraction N * fraction N)%type.
Definition claimed (q : fraction N) : interval := ratio P (fraction_den q) (fraction_num q).
(* The end q of a band that ends at r on the other side, moved inward by 2^-32 of the band's width: a value must lie
   strictly beyond it, so that no value is accepted by its rounding alone (RUNS.md section 1). For what is never
   negative an end at most 0 asks for nothing. *)
Definition inward (q r : fraction N) : interval :=
  iadd P (claimed q) (imul P (isub P (claimed r) (claimed q)) (dyadic one (-32))).
Definition above (never_negative : bool) (b : claimed_band) (I : interval) : bool :=
  certainly_lt (inward b.1 b.2) I || [&& never_negative, certainly_le (claimed b.1) (interval0 N) & is_nonnegative I].
Definition below (b : claimed_band) (I : interval) : bool := certainly_lt I (inward b.2 b.1).
Definition inside (never_negative : bool) (b : claimed_band) (I : interval) : bool :=
  above never_negative b I && below b I.
Definition band_real (b : claimed_band) : band := (fraction_real b.1, fraction_real b.2).

Record checkpoint := Checkpoint {
  at_step : nat;
  norm_claim : claimed_band; along_claim : claimed_band; corr_claim : option claimed_band;
  loss_claim : claimed_band; gradient_claim : claimed_band; unselected_claim : claimed_band
}.

Definition bands_of (c : checkpoint) : bands :=
  Bands (band_real (norm_claim c)) (band_real (along_claim c)) (omap band_real (corr_claim c))
        (band_real (loss_claim c)) (band_real (gradient_claim c)) (band_real (unselected_claim c)).

Definition checkpoint_check (dir : enclosed_direction) (o : orbit N) (v : view N) (c : checkpoint) : bool :=
  let n := norm_of o in
  let y := along_of dir o in
  let rest := unselected_of v in
  [&& all_bounded (view_omegas v), inside true (norm_claim c) n, inside false (along_claim c) y,
      if corr_claim c is Some b then is_positive n && inside true b (corr_of n y) else true &
      [&& inside true (loss_claim c) (gap_of D l P O v), inside true (gradient_claim c) (gradient_of o v),
          all (below (unselected_claim c)) rest & has (above true (unselected_claim c)) rest]].

Record rate_claim := RateClaim { rate_shape_of : rate_shape; from_step : nat; constant : fraction N }.

(* Of T whose logarithm is in L. *)
Definition rate_bits : Z := 64.
Definition shape_interval (s : rate_shape) (T L : interval) : interval :=
  let Q := rate_bits in
  let inverse := idiv Q (interval1 N) in
  match s with
  | Inverse_square => inverse (imul Q T T)
  | Inverse_linear => inverse T
  | Log_linear => idiv Q L T
  | Log_square_root => idiv Q (imul Q L L) (isqrt Q T)
  | Inverse_root => inverse (isqrt Q T)
  | Inverse_three_quarters => inverse (isqrt Q (imul Q T (isqrt Q T)))
  | Inverse_log => inverse L
  | Inverse_log_square => inverse (imul Q L L)
  end.

Definition rate_check (T L error : interval) (r : rate_claim) : bool :=
  certainly_lt error (imul rate_bits (claimed (constant r)) (shape_interval (rate_shape_of r) T L)).

Lemma claimed_contains q : contains (claimed q) (fraction_real q).
Proof. exact: ratio_contains. Qed.

Definition part : R := / 4294967296.

Lemma inward_contains q r :
  contains (inward q r) (fraction_real q + (fraction_real r - fraction_real q) * part).
Proof.
apply: iadd_contains; first exact: claimed_contains.
apply: imul_contains; first by apply: isub_contains; exact: claimed_contains.
have := @dyadic_contains N one (-32); rewrite real1 Rmult_1_l (_ : power (-32) = part) //.
by rewrite /power /part /=; field.
Qed.

Lemma above_real floor b I x : contains I x -> above floor b I ->
  fraction_real b.1 + (fraction_real b.2 - fraction_real b.1) * part < x \/ fraction_real b.1 <= 0 <= x.
Proof.
move=> H /orP[h | /and3P[_ h n0]]; [left | right].
  by apply: certainly_lt_real h => //; exact: inward_contains.
split; last exact: is_nonnegative_real n0.
by apply: certainly_le_real h; [exact: claimed_contains | exact: contains0].
Qed.

Lemma below_real b I x : contains I x -> below b I ->
  x < fraction_real b.2 + (fraction_real b.1 - fraction_real b.2) * part.
Proof. by move=> H h; apply: certainly_lt_real h => //; exact: inward_contains. Qed.

Lemma inside_ends floor b I x : contains I x -> inside floor b I ->
  fraction_real b.1 < fraction_real b.2 /\ fraction_real b.1 <= x.
Proof.
by move=> H /andP[/(above_real H) h1 /(below_real H)]; move: h1; rewrite /part => -[] *; split; lra.
Qed.

Lemma inside_within floor b I x : contains I x -> inside floor b I -> in_band (band_real b) x.
Proof.
move=> H h; have [wide lo] := inside_ends H h; case/andP: h => _ /(below_real H); rewrite /part /in_band /=.
by split; lra.
Qed.

Lemma shape_contains s T L x : contains T x -> contains L (ln x) ->
  contains (shape_interval s T L) (shape_value s x).
Proof.
move=> H HL; have Q := isqrt_contains rate_bits H.
case: s => /=; (apply: idiv_contains; first by try exact: contains1; try exact: imul_contains; try exact: HL) => //.
- exact: imul_contains.
- by apply: isqrt_contains; exact: imul_contains.
- exact: imul_contains.
Qed.

(* Of a point near an orbit's iterate. *)
Section Observed.
Variables (w : vec (coord (problem D))) (o : orbit N).
Hypothesis spec_ok : specification_ok D spec F.
Hypothesis close : close_to spec F o w.
Let U := real (position_unit D spec F).
Let U0 : 0 < U := position_unit_gt0 Dok spec_ok.

Lemma distance_symmetric (J : finType) (x y : vec J) (I : interval) r : contains I r -> vdist x y <= r ->
  contains (symmetric I) (vnorm x - vnorm y).
Proof.
move=> H le; apply: (symmetric_contains H); apply: Rle_trans le; apply: Rabs_le; split; last exact: vnorm_sub_ge.
by have := vnorm_sub_ge y x; rewrite -/(vdist y x) vdistC; lra.
Qed.

Lemma no_less_contains I x : contains I x -> 0 <= x -> contains (no_less I) x.
Proof.
case: I => // lo hi e [h1 h2] x0; split=> //; rewrite greater_real real0 /Rmax; case: Rle_dec => _ //.
by rewrite Rmult_0_l.
Qed.

Lemma matrix_norm_contains m (u : N) : shaped (left_dimension D) (right_dimension D) m -> 0 < real u ->
  contains (matrix_norm m u) (vnorm (@matrix_real N D m (real u))).
Proof.
move=> sh u0; have un : real u <> 0 by lra.
rewrite /matrix_norm /vnorm /vnorm2 (matrix_dot_value sh sh un un); case: ifP => [/same_real -> | _].
  by rewrite real0 /Rdiv Rmult_0_l sqrt_0; exact: contains0.
rewrite sqrt_div_alt ?sqrt_square; [| lra | exact: Rmult_lt_0_compat].
by apply: idiv_contains; [apply: isqrt_contains |]; exact: exactly_contains.
Qed.

Lemma norm_contains : contains (norm_of o) (vnorm w).
Proof.
have [sh [r Hr near]] := close; apply: no_less_contains; last exact: vnorm_ge0.
have -> : vnorm w = vnorm (@position_real N D spec F o) + (vnorm w - vnorm (@position_real N D spec F o)) by ring.
by apply: iadd_contains; [exact: matrix_norm_contains | exact: distance_symmetric near].
Qed.

(* The solution ws is known within R0. *)
Variables (sv : vector N) (radius : interval) (ws : vec (coord (problem D))) (R0 : R).
Hypotheses (sv_ok : vector_ok D picks sv) (radius_contains : contains radius R0).
Hypothesis near_solution : vdist (W alpha (@coefficient_of N D sv)) ws <= R0.
Let dir := direction_of sv radius.

Lemma solution_norm_contains : contains (solution_norm dir) (vnorm ws).
Proof.
set c := W alpha (@coefficient_of N D sv); have near : vdist c ws <= R0 := near_solution.
have -> : vnorm ws = vnorm c + (vnorm ws - vnorm c) by ring.
apply: iadd_contains; last by apply: distance_symmetric radius_contains _; rewrite vdistC.
by rewrite /c -(weights_real Dok Pok sv_ok); exact:
  (matrix_norm_contains (weights_shaped Dok Pok sv_ok) (weight_unit_gt0 Dok sv_ok)).
Qed.

Lemma along_contains : contains (along_of dir o) (along ws w).
Proof.
have [sh [r Hr near]] := close; have shs := weights_shaped Dok Pok sv_ok; have u0 := weight_unit_gt0 Dok sv_ok.
apply: idiv_contains; last exact: solution_norm_contains.
set c := W alpha (@coefficient_of N D sv); have near_c : vdist c ws <= R0 := near_solution.
set p := @position_real N D spec F o in near *.
have -> : dot w ws = dot p c + (dot w ws - dot p c) by ring.
apply: iadd_contains.
  have un : real (weight_unit D sv) <> 0 by lra.
  have Un : U <> 0 by lra.
  rewrite /c -(weights_real Dok Pok sv_ok) /p /position_real (matrix_dot_value sh shs Un un) -realM.
  by apply: idiv_contains; exact: exactly_contains.
have Hc : contains (centre_norm dir) (vnorm c).
  by rewrite /c -(weights_real Dok Pok sv_ok); exact: matrix_norm_contains.
have Hs := iadd_contains P (imul_contains P Hr Hc) (imul_contains P norm_contains radius_contains).
apply: (symmetric_contains Hs).
have -> : dot w ws - dot p c = dot (w - p)%V c + - dot w (c - ws)%V.
  by rewrite dotBl dotBr; ring.
apply: Rle_trans (Rabs_triang _ _) _; rewrite Rabs_Ropp; apply: Rplus_le_compat.
  apply: Rle_trans (cauchy_schwarz _ _) _; apply: Rmult_le_compat_r => //; exact: vnorm_ge0.
apply: Rle_trans (cauchy_schwarz _ _) _; apply: Rmult_le_compat_l => //; exact: vnorm_ge0.
Qed.

Lemma corr_contains : 0 < vnorm w -> contains (corr_of (norm_of o) (along_of dir o)) (one_minus_corr ws w).
Proof.
move=> n0; have -> : one_minus_corr ws w = (vnorm w - along ws w) / vnorm w.
  by rewrite /one_minus_corr; field; lra.
apply: idiv_contains; last exact: norm_contains.
apply: no_less_contains; first by apply: isub_contains; [exact: norm_contains | exact: along_contains].
rewrite /along; case: (vnorm_ge0 ws) => [s0 | <-]; last by rewrite /Rdiv Rinv_0; lra.
suff : dot w ws / vnorm ws <= vnorm w by lra.
by apply: (Rmult_le_reg_r (vnorm ws)) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; [exact: dot_le_norms | lra].
Qed.

(* ---- the attention off the selected tokens ---- *)

Section Attention.
Variable v : view N.
Hypothesis attention_in : encloses (view_attention v) (attention w).

Lemma unselected_contains i :
  contains (nth anything (unselected_of v) (i : data_group D)) (1 - attention w (alpha i)).
Proof.
have [/eqP sp _] := andP Pok; have [fa Ha] := attention_in; have [/eqP ss _] := andP fa.
have il := ltn_ord (i : data_group D); have pl := picks_lt (i : data_group D) Pok; have sr := fits_row fa il.
rewrite /unselected_of (nth_map ([::], 0%nat)) ?size_zip ?ss ?sp ?minnn // nth_zip ?ss ?sp //=.
pose rest (s : 'I_(length_of D i)) := if (s : nat) == nth 0%nat picks i then 0 else attention w (token_of s).
have -> : 1 - attention w (alpha i) = \sum_(s < length_of D i) rest s.
  have -> : alpha i = token_of (Ordinal pl) by congr token_of; apply: val_inj.
  rewrite -(attention_sum alpha w i) sum_group (bigD1 (Ordinal pl)) //= [RHS](bigD1 (Ordinal pl)) //=.
  have -> : rest (Ordinal pl) = 0 by rewrite /rest /= eqxx.
  rewrite (eq_bigr rest) => [|s ne]; last by rewrite /rest; case: eqP => // E; case/eqP: ne; apply: val_inj.
  by ring.
apply: isum_contains => [|s]; first by rewrite size_set_nth sr; apply/maxn_idPr.
rewrite nth_set_nth /= /rest; case: ifP => _; first exact: contains0.
exact: (Ha (token_of s)).
Qed.

Theorem unselected_within b : all (below b) (unselected_of v) -> has (above true b) (unselected_of v) ->
  (forall i, 1 - attention w (alpha i) <= fraction_real b.2) /\
  exists i, fraction_real b.1 <= 1 - attention w (alpha i).
Proof.
move=> Hall Hhas; have [/eqP sp _] := andP Pok; have [/andP[/eqP ss _] Ha] := attention_in.
have su : size (unselected_of v) = size (sequences D) by rewrite size_map size_zip ss sp minnn.
have /(has_nthP anything) [k kl Hk] := Hhas; rewrite su in kl; pose k' : data_group D := Ordinal kl.
have ks : (k < size (unselected_of v))%nat by rewrite su.
have Hin : inside true b (nth anything (unselected_of v) k).
  by rewrite /inside Hk; exact: (all_nthP anything Hall).
have [wide lo] := inside_ends (unselected_contains k') Hin.
split=> [i|]; last by exists k'.
have il : ((i : data_group D) < size (unselected_of v))%nat by rewrite su; exact: ltn_ord.
have := below_real (unselected_contains i) (all_nthP anything Hall _ il); rewrite /part /=; lra.
Qed.
End Attention.

(* ---- what else is seen ---- *)

Hypothesis Rok : picks_ok D (references o).
Let v := look D l spec P F o.
Let attention_in : encloses (view_attention v) (attention w) := look_attention Dok l P spec_ok close Rok.

Lemma gradient_contains : all_bounded (view_omegas v) -> contains (gradient_of o v) (vnorm (gradient ell w)).
Proof.
move=> bounded; have [R1 HR near] := velocity_deviation Dok spec_ok close Rok bounded.
have Hs := speed_contains Dok l P spec_ok close Rok.
apply: no_less_contains; last exact: vnorm_ge0.
rewrite -vnormN; set n := vnorm _; set m := vnorm _ in Hs; have -> : n = m + (n - m) by ring.
by apply: iadd_contains => //; exact: distance_symmetric near.
Qed.

(* ---- a checkpoint ---- *)

Hypothesis Bok : best_ok D.

Theorem checkpoint_check_sound c : checkpoint_check dir o v c ->
  in_bands alpha ell (least_loss (best_alpha Bok) ell) ws (bands_of c) w.
Proof.
case/and5P=> bounded Hn Hy Hc /and4P[Hl Hg Hall Hhas]; split=> /=.
- exact: inside_within norm_contains Hn.
- exact: inside_within along_contains Hy.
- move: Hc; case: (corr_claim c) => //= b /andP[pos Hc].
  have n0 := is_positive_real norm_contains pos.
  by split=> //; apply: inside_within (corr_contains n0) Hc.
split.
- exact: inside_within (gap_contains Dok l P spec_ok close Rok O Bok) Hl.
- exact: inside_within (gradient_contains bounded) Hg.
exact: (unselected_within attention_in Hall Hhas).
Qed.
End Observed.
End RunChecks.
