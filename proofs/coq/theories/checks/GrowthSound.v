(* GrowthSound: what the replay computes of one step's growth bounds it.

   Whatever matrices a view encloses (`sees`): known combinations of the vectors Delta_t are as near as they say
   (combination_deviation, combination_speed), and the intervals of the growth bound what StepGrowth.v asks for. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient StepGrowth Losses Number Rows TokenData MarginChecks
                           OptimalityChecks EnclosureChecks Interval Elementary IntervalTables AttentionIntervals
                           PseudoOrbit Replay.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the second derivative of the losses ---- *)

Definition curvature_of (l : loss_name) (x : R) : R :=
  let s := - dloss (loss_of l) x in
  match l with Logistic => s * (1 - s) | Exponential => s | Correlation => 0 | CrossEntropy => s * s end.

Lemma is_derive_slope l x : loss_domain (loss_of l) x -> is_derive (dloss (loss_of l)) x (curvature_of l x).
Proof.
case: l; rewrite /curvature_of /= => x0; last first.
- by rewrite Rmult_opp_opp; exact: is_derive_minus_log_slope.
- by auto_derive.
- by auto_derive => //; ring.
- have e0 := exp_pos x; auto_derive; first by lra.
  by field; lra.
Qed.

Lemma curvature_of_ge0 l x : 0 <= curvature_of l x.
Proof.
case: l; rewrite /curvature_of /= ?Ropp_involutive; [| exact/Rlt_le/exp_pos | lra | exact: Rle_0_sqr].
have e0 := exp_pos x; have i0 : 0 < / (1 + exp x) by apply: Rinv_0_lt_compat; lra.
have : / (1 + exp x) <= 1 by rewrite -Rinv_1; apply: Rinv_le_contravar; lra.
nra.
Qed.

(* ---- upper ends ---- *)

Section Ends.
Variable N : number.
Implicit Type I : interval N.

Definition top I : R := if I is Between _ hi e then real hi * power e else 0.

Lemma upper_end_contains I : bounded I -> contains (upper_end I) (top I).
Proof. by case: I => // lo hi e _; split; right. Qed.

Lemma le_top I x : bounded I -> contains I x -> x <= top I.
Proof. by case: I => // lo hi e _ []. Qed.

Lemma bounded_upper_end I : bounded (upper_end I) = bounded I.
Proof. by case: I. Qed.

Lemma top_upper_end I : top (upper_end I) = top I.
Proof. by case: I. Qed.
End Ends.

Section GrowthSound.
Variables (N : number) (D : token_data N) (refs : seq nat).
Hypotheses (Dok : data_ok D) (Rok : picks_ok D refs).
Let beta : selection (problem D) := selection_of Rok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation token := (token (problem D)).
Notation vector := (vec (coord (problem D))).
Notation Q := radius_bits.
Notation "'reach_of' t" := (vnorm (Delta beta t)) (at level 10).
Let dx := real (token_unit D).
Let dz := real (query_unit D).
Let xz0 : 0 < dx * dz := units_gt0 Dok.

(* ---- combinations ---- *)

Section Combination.
Variables (P : Z) (reaches om : seq (seq interval)).
Hypothesis reaches_enclose : encloses reaches (fun t => reach_of t).
Let vel := combination D P refs reaches om.

Definition known_coefficient (v : velocity N) : token -> R := @coefficient N D (centres v) (power (- scale v)).
Definition known_combination (v : velocity N) : vector :=
  combine (constraint beta) (known_coefficient v) (Delta beta).

Lemma known_coefficient_value v s : known_coefficient v s = real (at_token zero (centres v) s) * power (scale v).
Proof. by rewrite /known_coefficient /coefficient power_opp /Rdiv Rinv_inv. Qed.

Hypothesis fits_om : fits D om.

Lemma fits_centres : fits D (centres vel).
Proof. exact: fits_map. Qed.

Theorem combination_deviation : all_bounded om ->
  exists2 R0, contains (deviation vel) R0 & forall F, encloses om F ->
    vdist (combine (constraint beta) F (Delta beta)) (known_combination vel) <= R0.
Proof.
move=> om_bounded; pose half (s : token) := real (half_width (scale vel) (at_token anything om s)) * power (scale vel).
exists (\sum_s half s * reach_of s).
  have Hh : encloses (map_rows (fun I => dyadic (half_width (scale vel) I) (scale vel)) om) half.
    by apply: (encloses_map (e0 := anything)) => // s; exact: dyadic_contains.
  exact: (table_sum_contains Q (combine_encloses Hh reaches_enclose (fun s I J => @imul_contains N Q I J _ _))).
move=> F [fo Ho].
have near s : Rabs (F s - known_coefficient vel s) <= half s.
  rewrite known_coefficient_value /vel /= (at_token_map anything) //.
  by apply: centre_spec => //; exact: all_bounded_at.
apply: Rle_trans (combine_distance _ _ _ _) _.
rewrite [X in X <= _]big_mkcond; apply: sum_le => s _; have v0 := vnorm_ge0 (Delta beta s); have ns := near s.
case: ifP => _; first exact: Rmult_le_compat_r.
by apply: Rmult_le_pos => //; apply: Rle_trans ns; exact: Rabs_pos.
Qed.

Lemma units_real : real (units D) = dx * dz.
Proof. by rewrite /units realM. Qed.

(* The matrix that it is. *)
Lemma known_matrix : known_combination vel =
  matrix_real (weights_matrix D refs (centres vel)) (power (- scale vel) * (dx * dz)).
Proof.
have q0 := power_gt0 (- scale vel).
by rewrite (weights_matrix_real Dok Rok fits_centres) //; lra.
Qed.

Theorem combination_speed : contains (speed vel) (vnorm (known_combination vel)).
Proof.
have fc := fits_centres; have p0 := power_gt0 (scale vel); have q0 := power_gt0 (- scale vel).
have sh := weights_matrix_shaped Dok Rok fc.
have u0 : power (- scale vel) * (dx * dz) <> 0 by nra.
rewrite known_matrix /vnorm /vnorm2 (matrix_dot_value sh sh u0 u0); set q := real _.
have -> : sqrt (q / (power (- scale vel) * (dx * dz) * (power (- scale vel) * (dx * dz)))) =
          sqrt (q * power (scale vel + scale vel)) / real (units D).
  rewrite units_real power_opp power_add.
  have -> : forall k c, 0 < k -> 0 < c -> q / (/ k * c * (/ k * c)) = q * (k * k) / (c * c).
    by move=> k c k0 c0; field; lra.
  - by rewrite sqrt_div_alt ?sqrt_square //; [lra | exact: Rmult_lt_0_compat].
  - exact: p0.
  exact: xz0.
by apply: idiv_contains; [apply: isqrt_contains; exact: dyadic_contains | exact: exactly_contains].
Qed.

Lemma ball_speed_contains (S : Z) F R0 : contains (deviation vel) R0 ->
  vdist (combine (constraint beta) F (Delta beta)) (known_combination vel) <= R0 ->
  contains (ball_speed S vel) (vnorm (combine (constraint beta) F (Delta beta))).
Proof.
set x := combine _ F _; move=> HR close.
have -> : vnorm x = vnorm (known_combination vel) + (vnorm x - vnorm (known_combination vel)) by ring.
apply: iadd_contains; first exact: combination_speed.
apply: (symmetric_contains HR); apply: Rle_trans close; apply: Rabs_le; split; last exact: vnorm_sub_ge.
by have := vnorm_sub_ge (known_combination vel) x; rewrite -/(vdist (known_combination vel) x) vdistC; lra.
Qed.

(* <Delta_t, V~> *)
Lemma known_margins_enclose (S : Z) : encloses (known_margins D S refs vel) (margin beta (known_combination vel)).
Proof.
have fc := fits_centres; have sh := weights_matrix_shaped Dok Rok fc; have q0 := power_gt0 (- scale vel).
apply: (encloses_map (e0 := zero)); first exact: fits_margins Rok _.
move=> s; have -> : margin beta (known_combination vel) s =
    real (at_token zero (margins_of D refs (weights_matrix D refs (centres vel))) s) * power (scale vel) /
    real (mul (units D) (units D)).
  rewrite known_matrix; have un : power (- scale vel) * (dx * dz) <> 0 by nra.
  rewrite (margins_real Dok Rok s sh un) value_at_token realM units_real power_opp.
  have p0 := power_gt0 (scale vel); rewrite -/dx -/dz; field.
  by split; [nra | split; nra].
apply: idiv_contains; [exact: dyadic_contains | exact: exactly_contains].
Qed.
End Combination.

(* ---- what a view says of a matrix ---- *)

Variables (l : loss_name) (P : Z) (v : view N).
Notation ell := (loss_of l).
Notation dd := (curvature_of l).
Notation bend := (bend ell dd).

Definition sees (w : vector) : Prop :=
  [/\ encloses (view_reaches v) (fun t => reach_of t), encloses (view_attention v) (attention w),
      column_encloses (D := D) (view_slopes v) (fun i => - dloss ell (output (p := problem D) w i)),
      encloses (view_shares v) (share_slope w) & encloses (view_omegas v) (omega ell w)].

Section Seen.
Variable w : vector.
Hypothesis seen : sees w.

Let products_enclose m m' (F G : token -> R) : encloses m F -> encloses m' G ->
  encloses (products P m m') (fun t => F t * G t).
Proof. by move=> H H'; apply: combine_encloses H H' _ => t I J; exact: imul_contains. Qed.

Lemma curvatures_enclose :
  column_encloses (D := D) (curvatures D l P v) (fun i => weight (s := problem D) i * dd (output (p := problem D) w i)).
Proof.
case: seen => _ _ Hs _ _; apply: (map_column Hs) => i I HI; apply: imul_contains.
  exact: group_share_contains.
move: HI; rewrite /curvature_of /curvature_interval; case: l => // HI; last exact: imul_contains.
  2: exact: contains0.
by apply: imul_contains => //; apply: isub_contains => //; exact: contains1.
Qed.

Lemma square_reaches_enclose : encloses (square_reaches P v) (fun t => reach beta w t * reach beta w t).
Proof.
case: seen => Hr Ha _ _ _.
have Hm := group_sums_enclose P (products_enclose Ha Hr).
have Hb : encloses (spread_column (iadd P) (group_sums P (products P (view_attention v) (view_reaches v)))
            (view_reaches v)) (reach beta w).
  apply: (spread_column_encloses Hm Hr) => t I J HI HJ.
  by rewrite /reach Rplus_comm; exact: iadd_contains.
by apply: (map_encloses Hb) => t I HI; exact: imul_contains.
Qed.

Lemma positive_part_contains (I : interval) x : contains I x -> contains (positive_part I) (Rmax 0 x).
Proof.
case: I => // lo hi e [h1 h2]; have pe := power_gt0 e; rewrite /= !greater_real real0 !(Rmult_comm _ (power e)).
rewrite -!RmaxRmult ?Rmult_0_r; try exact: Rlt_le; rewrite !(Rmult_comm (power e)).
by split; apply: Rmax_lub; rewrite /Rmax; case: Rle_dec => ?; try case: Rle_dec => ?; lra.
Qed.

Lemma magnitude_contains (I : interval) x : contains I x -> contains (interval_magnitude I) (Rabs x).
Proof.
case: I => // lo hi e H; have [h1 h2] := H; have pe := power_gt0 e; rewrite /interval_magnitude.
case: ifP => [/le_real | _]; first by rewrite real0 => l0; rewrite Rabs_pos_eq //; apply: Rle_trans h1; nra.
case: ifP => [/le_real | _].
  by rewrite real0 => l0; rewrite Rabs_left1; [exact: iopp_contains | nra].
split; first by rewrite real0 Rmult_0_l; exact: Rabs_pos.
rewrite greater_real realN Rmult_comm -RmaxRmult; last exact: Rlt_le.
have m1 := Rmax_l (power e * - real lo) (power e * real hi).
have m2 := Rmax_r (power e * - real lo) (power e * real hi).
by apply: Rabs_le; lra.
Qed.

Lemma rising_contains : contains (rising_of P v) (rising beta ell w).
Proof.
case: (seen) => _ _ _ _ Ho; apply: (table_sum_contains (D := D)).
apply: products_enclose; last exact: square_reaches_enclose.
by apply: (map_encloses Ho) => t I HI; apply: positive_part_contains; exact: iopp_contains.
Qed.

Lemma falling_contains : contains (falling_of D l P v) (falling beta ell dd w).
Proof.
case: (seen) => Hr _ _ Hs Ho; apply: iadd_contains.
  apply: (table_sum_contains (D := D)); apply: products_enclose; last exact: square_reaches_enclose.
  by apply: (map_encloses Ho) => t I; exact: positive_part_contains.
apply: (column_sum_contains (D := D)).
have Hg := group_sums_enclose P (products_enclose (map_encloses Hs (fun t I => @magnitude_contains I _)) Hr).
apply: (combine_column curvatures_enclose Hg) => i I J HI HJ.
by apply: imul_contains => //; exact: imul_contains.
Qed.

Lemma bend_table_encloses m h : encloses m (margin beta h) ->
  encloses (bend_table D l P v m) (bend_coefficient beta ell dd w h).
Proof.
move=> Hm; case: (seen) => _ Ha _ Hs Ho.
have Hmean := group_sums_enclose P (products_enclose Ha Hm).
have Hc : encloses (spread_column (fun M I => isub P I M) (group_sums P (products P (view_attention v) m)) m)
    (centred_margin beta w h).
  apply: (spread_column_encloses Hmean Hm) => t I J HI HJ.
  exact: isub_contains.
have Hwb := products_enclose Ho Hc.
have Hq : column_encloses (D := D)
    (combine_columns (imul P) (curvatures D l P v) (group_sums P (products P (view_shares v) m)))
    (fun i => weight (s := problem D) i * dd (output (p := problem D) w i) * reaction beta w i h).
  apply: (combine_column curvatures_enclose (group_sums_enclose P (products_enclose Hs Hm))) => i I J.
  exact: imul_contains.
apply: (combine_encloses (F := fun t => attention w t *
    (\sum_(u | group_of u == group_of t) omega ell w u * centred_margin beta w h u) -
      omega ell w t * centred_margin beta w h t)
    (G := fun t => weight (s := problem D) (group_of t) * dd (output w (group_of t)) * reaction beta w (group_of t) h *
                   share_slope w t)); last by move=> t I J; exact: isub_contains.
  apply: (combine_encloses (F := fun t => attention w t *
    (\sum_(u | group_of u == group_of t) omega ell w u * centred_margin beta w h u)) _ Hwb); last first.
    by move=> t I J; exact: isub_contains.
  apply: (spread_column_encloses (group_sums_enclose P Hwb) Ha) => t I J HI HJ.
  by rewrite Rmult_comm; exact: imul_contains.
by apply: (spread_column_encloses Hq Hs) => t I J; exact: imul_contains.
Qed.
End Seen.

(* What the derivative in a known direction has beside it. *)
Theorem turning_bounds (rs om : seq (seq interval)) (S : Z) w : let vel := combination D S refs rs om in
  fits D om -> sees w -> bounded (turning_of D l P v refs vel) ->
  0 <= top (turning_of D l P v refs vel) /\ forall g, dot (known_combination vel) g = 0 ->
  Rabs (bend w (known_combination vel) g) <= top (turning_of D l P v refs vel) * vnorm g.
Proof.
move=> vel fo seen; rewrite /turning_of; set m := known_margins _ _ _ _; set c := bend_table _ _ _ _ _.
set along := idiv _ _ _; set e := (_ - P)%Z; set r0 := centre e along; set rest := combine_tables _ c _.
case: ifP => // rest_bounded turn_bounded.
have Hr : encloses (view_reaches v) (fun t => reach_of t) by case: seen.
have Hm : encloses m (margin beta (known_combination vel)) by exact: known_margins_enclose.
have Hc := bend_table_encloses seen Hm; rewrite -/c in Hc.
pose rho := real r0 * power e.
pose F t := bend_coefficient beta ell dd w (known_combination vel) t - rho * known_coefficient vel t.
have HF : encloses rest F.
  have Hk : encloses (map_rows (fun a => imul P (dyadic r0 e) (dyadic a (scale vel))) (centres vel))
      (fun t => rho * known_coefficient vel t).
    apply: (encloses_map (e0 := zero)); first exact: fits_map.
    by move=> t; rewrite known_coefficient_value; apply: imul_contains; exact: dyadic_contains.
  by apply: (combine_encloses Hc Hk) => t I J; exact: isub_contains.
have fr : fits D rest by case: HF.
have [R0 HR close] := combination_deviation P Hr fr rest_bounded.
have speed := ball_speed_contains fr P HR (close _ HF).
have le := le_top turn_bounded speed.
split=> [|g g0]; first exact: Rle_trans (vnorm_ge0 _) le.
have -> : bend w (known_combination vel) g = dot (combine (constraint beta) F (Delta beta)) g.
  rewrite -(bend_combination beta) /F (combine_sub _ (bend_coefficient beta ell dd w (known_combination vel))) dotBl.
  by rewrite (combine_scale _ rho) dotZl -/(known_combination vel) g0; ring.
apply: Rle_trans (cauchy_schwarz _ _) _; apply: Rmult_le_compat_r => //; exact: vnorm_ge0.
Qed.
End GrowthSound.
