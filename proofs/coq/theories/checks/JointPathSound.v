(* JointPathSound: what joint_path_conditions (JointPathChecks.v) accepts has the constants of JointPath.v, and
   minimisers over balls have the rates that are claimed. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Direction Saturation JointModel ExponentialTail JointPath
                           JointPathAttention Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals ForeverChecks
                           JointPathChecks JointPathTables.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Sound.
Variables (N : number) (P : Z) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Notation alpha := (selection_of Pok).
Notation interval := (interval N).
Notation Q := (constraint alpha).
Notation copies := (copies alpha).
Variables (J : finType) (g : token (problem D) -> vec J).
Notation kappa := (chosen_value g alpha).
Notation delta := (value_difference g alpha).
Implicit Types (t : token (problem D)) (i : data_group D).

Variables (T : joint_tables N) (l : loss_name) (c : joint_constants N).
Notation supports := (known_support T).
Notation labels := (known_labels T).
Notation lengths := (known_lengths T).
Notation excesses := (known_excesses T).
Notation farthest := (known_farthest T).
Notation bests := (known_bests T).
Notation mus := (known_shares T).
Notation Gamma := (known_margin T).
Notation nu := (known_cost T).
Notation gamma := (known_rows T).
Notation plain := (known_plain T).
Notation weights := (known_weights T).
Variables (L : joint_limit (problem D) J) (far best : data_group D -> R).
Notation S := (limit_support L).
Notation u := (limit_ray L).
Notation Gm := (limit_margin L).
Notation mu := (limit_shares L).
Notation cost := (limit_cost L).
Notation n := (limit_attention L).
Notation gm := (limit_rows L).
Notation m := (limit_weights L).
Notation pl := (limit_plain L).
Notation ex := (limit_excess alpha g L).

Hypothesis known : tables_known Pok g T L far best.
Let labels_enclose := labels_known known.
Let lengths_enclose := lengths_known known.
Let excesses_enclose := excesses_known known.
Let mus_enclose := shares_known known.
Let Gamma_in := margin_known known.
Let nu_in := cost_known known.
Let gamma_in := rows_known known.
Let plain_in := plain_known known.
Let weights_enclose := weights_known known.

Notation steepness_in := (steepness_in P D picks T).
Notation total_lengths_in := (total_lengths_in P D picks T).
Notation steepest_in := (steepest_in P D picks T).
Notation longest_in := (longest_in P T).
Notation beta_in := (beta_in P D picks T).
Notation pull_in := (pull_in P T).
Notation path_excess_in := (path_excess_in P c).
Notation window_in := (window_in P c).
Notation reach_in := (reach_in P T c).
Notation tail_spread_in := (tail_spread_in P D l).
Notation picked_column := (picked_column T).
Notation picked_table := (picked_table T).
Notation halved := (halved P).
Notation thetas_of := (thetas_of P T c).
Notation groups_outside_in := (groups_outside_in P T).
Notation grown_in := (grown_in P T c).
Notation seen_in := (seen_in P T).
Notation early_in := (early_in P T l c).
Notation late_in := (late_in P T c).
Notation copied := (copied P D picks T).
Notation supported_mask := (supported_mask D picks T).
Notation group_ok := (group_ok P T c).

Let one_half_contains := one_half_contains N.
Let picked_table_encloses ss b m F := picked_table_encloses (Pok := Pok) known ss b (x := m) (F := F).
Let steepest_bound := steepest_bound P Dok known.
Let longest_bound := longest_bound P known.
Let beta_bound := beta_bound P Dok known.
Let grown_in_contains ss B := grown_in_contains (P := P) (c := c) Dok known ss (B := B).
Let copied_encloses xs F := copied_encloses P Dok known (xs := xs) (F := F).
Let supported_mask_spec := supported_mask_spec known.

(* ---- the constants ---- *)

Hypotheses (limit : decoder_limit alpha g L) (rows : attention_limit alpha L).
Hypothesis checked : joint_path_conditions P D picks T l c.
Notation count := (INR (size (sequences D))).
Notation x := (fraction_real (joint_excess c)).
Notation b := (fraction_real (joint_window c)).
Notation r0 := (fraction_real (joint_decoder_from c)).
Notation from := (fraction_real (joint_from c)).
Notation slope := (fraction_real (joint_slope c)).
Let Hx : contains path_excess_in x := fraction_in_contains P (joint_excess c).
Let Hb : contains window_in b := fraction_in_contains P (joint_window c).
Let Hr0 := fraction_in_contains P (joint_decoder_from c).
Let Hfrom := fraction_in_contains P (joint_from c).
Let Hsl := fraction_in_contains P (joint_slope c).
Let Hh := one_half_contains.
Let Hxh := imul_contains P Hx Hh.

Lemma joint_signs : [/\ tailed l, 0 < Gm, 0 < cost, 0 < gm & 0 < pl].
Proof.
have [/and5P[tl h1 h2 h3 h4] _ _ _ _] := and5P checked.
by split=> //; [exact: is_positive_real h1 | exact: is_positive_real h2 | exact: is_positive_real h3
  | exact: is_positive_real h4].
Qed.

Lemma joint_sizes : [/\ size supports = size (sequences D), 0 < x, x < cost * / 2, x < Gm * / 2 & 0 < b].
Proof.
have [_ /and5P[/eqP ss h1 h2 h3 h4] _ _ _] := and5P checked.
split=> //; [exact: is_positive_real h1 | exact: certainly_lt_real Hx (imul_contains P nu_in Hh) h2
  | exact: certainly_lt_real Hx (imul_contains P Gamma_in Hh) h3 | exact: is_positive_real h4].
Qed.

Section Found.
Variables (steepest longest beta : R).

(* The largest slope, length and lean, in the intervals that are computed. *)
Record found_largest : Prop := FoundLargest {
  found_steepest : [/\ contains steepest_in steepest, 0 <= steepest &
    forall i, S i -> steepness alpha g L i <= steepest];
  found_longest : [/\ contains longest_in longest, 0 <= longest &
    forall t, Q t -> S (group_of t) -> vnorm (delta t) <= longest];
  found_lean : [/\ contains beta_in beta, 0 <= beta &
    forall i, ~~ S i -> ln (Rmax (steepness alpha g L i) (/ 2 * ex i) / (/ 2 * ex i)) / pl <= beta]
}.
Hypothesis largest : found_largest.
Let Hs : contains steepest_in steepest. Proof. by case: (found_steepest largest). Qed.
Let s0 : 0 <= steepest. Proof. by case: (found_steepest largest). Qed.
Let s_ge i (Si : S i) : steepness alpha g L i <= steepest.
Proof. by case: (found_steepest largest) => _ _; apply. Qed.
Let l0 : 0 <= longest. Proof. by case: (found_longest largest). Qed.
Let Hl : contains longest_in longest. Proof. by case: (found_longest largest). Qed.
Let l_ge t (Qt : Q t) (St : S (group_of t)) : vnorm (delta t) <= longest.
Proof. by case: (found_longest largest) => _ _; apply. Qed.
Let Hbeta : contains beta_in beta. Proof. by case: (found_lean largest). Qed.
Let beta0 : 0 <= beta. Proof. by case: (found_lean largest). Qed.
Let beta_ge i (nSi : ~~ S i) : ln (Rmax (steepness alpha g L i) (/ 2 * ex i) / (/ 2 * ex i)) / pl <= beta.
Proof. by case: (found_lean largest) => _ _; apply. Qed.

Definition found_pull : R := (1 + longest / cost) / Gm.
Definition found_bounds : joint_bounds (problem D) :=
  @JointBounds (problem D) (tail_least l) (tail_slope l) count (ln (count / tail_least l)) steepest longest beta x
    (sqrt (2 * (found_pull * x))) b r0 far best.
Notation B := found_bounds.
Notation h := (joint_near B).
Notation spread := (joint_spread B).

Lemma found_pull_contains : contains pull_in found_pull.
Proof. by apply: idiv_contains => //; apply: iadd_contains; [exact: contains1 | exact: idiv_contains]. Qed.

Lemma found_near_contains : contains reach_in h.
Proof.
apply: isqrt_contains; apply: imul_contains; first exact: contains2.
by apply: imul_contains => //; exact: found_pull_contains.
Qed.

Lemma found_slope_contains : contains (tail_slope_in N l) (joint_fall B).
Proof. by rewrite /tail_slope_in /= /tail_slope; case: (l); try exact: contains1; exact: one_half_contains. Qed.

Lemma found_spread_contains : contains tail_spread_in spread.
Proof.
apply: ilog_contains; apply: idiv_contains; first by rewrite -(count_of_real N); exact: exactly_contains.
by rewrite /tail_least_in /tail_least; case: (l); try exact: contains1; apply/ilog_contains/contains2.
Qed.

Lemma found_pull_gt0 : 0 < found_pull.
Proof.
have [_ G0 c0 _ _] := joint_signs; apply: Rdiv_lt_0_compat => //.
have : 0 <= longest / cost by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
lra.
Qed.

Lemma groups_counted : 1 <= count.
Proof.
have [i0 Si0] : exists i, S i.
  by case: (pickP S) => [i Si | none]; [exists i | have := limit_shares_one limit; rewrite big_pred0 //; lra].
have n0 : (0 < size (sequences D))%nat by exact: leq_ltn_trans (leq0n _) (ltn_ord i0).
by rewrite -[1]/(INR 1); apply/le_INR/leP.
Qed.

Lemma thetas_contain : @column_encloses N D (thetas_of reach_in) (path_share alpha g L B).
Proof.
have up : @column_encloses N D
    (combine_columns (fun e far => iadd P (iadd P e path_excess_in) (imul P far reach_in)) excesses farthest)
    (fun i => ex i + x + far i * h).
  apply: (combine_column excesses_enclose (farthest_known known)) => i I K HI HK.
  by apply: iadd_contains; [exact: iadd_contains | apply: imul_contains => //; exact: found_near_contains].
have down : @column_encloses N D (combine_columns (fun e g => isub P (iadd P Gamma e) g) excesses bests)
    (fun i => Gm + ex i - best i).
  apply: (combine_column excesses_enclose (bests_known known)) => i I K HI HK.
  by apply: isub_contains => //; exact: iadd_contains.
by apply: (combine_column up down) => i I K HI HK; exact: idiv_contains.
Qed.

Lemma joint_group i : group_ok i reach_in (nth (Everything N) (thetas_of reach_in) i).
Proof. by have [_ _ _ /allP ok _] := and5P checked; apply: ok; rewrite mem_iota ltn_ord. Qed.

Lemma found_off i : ~~ S i -> [/\ 0 < ex i, h * far i <= ex i / 4, 4 * gm / ex i <= slope &
  has (fun I => ~~ is_zero I) (nth [::] weights i) -> best i < Gm /\ path_share alpha g L B i < 1].
Proof.
move=> nSi; have := joint_group i; rewrite /group_ok -(support_known known) (negbTE nSi).
have [_ He] := excesses_enclose; have [_ Hfar] := farthest_known known; have [_ Hbest] := bests_known known.
have [_ Hth] := thetas_contain; have Hreach := found_near_contains.
case/and4P=> /(is_positive_real (He i)) e0.
move/(certainly_lt_real (imul_contains P Hreach (Hfar i)) (imul_contains P (imul_contains P (He i) Hh) Hh)) => near.
have Hfour : contains (imul P (exactly (four N)) gamma) (4 * gm).
  by apply: imul_contains => //; rewrite -(real4 N); exact: exactly_contains.
move/(certainly_le_real (idiv_contains P Hfour (He i)) Hsl) => ahead /implyP held; split=> //; first lra.
case/held/andP=> /(certainly_lt_real (Hbest i) Gamma_in) b1 /(certainly_lt_real (Hth i) (contains1 N)) t1.
by split.
Qed.

Lemma joint_radii : [/\ beta <= from, steepest * exp (- path_lift L B from) <= x * / 2, 1 <= r0,
  spread <= x * / 2 * r0 & 0 <= slope].
Proof.
have [_ _ _ _ /andP[/and5P[h1 h2 h3 h4 h5] _]] := and5P checked; have [_ _ _ gm0 pl0] := joint_signs; split.
- exact: certainly_le_real Hbeta Hfrom h1.
- have Hheight : contains (iadd P (imul P gamma (isub P (fraction_in P (joint_from c)) beta_in)) (imul P plain beta_in))
      (path_lift L B from).
    by apply: iadd_contains; apply: imul_contains => //; exact: isub_contains.
  have cut_in : contains (dyadic (@one N) 32) (power 32).
    by have := dyadic_contains (@one N) 32; rewrite real1 Rmult_1_l.
  move: h2; case: ifP => [/(certainly_le_real cut_in Hheight) big | _] ok.
    apply: Rle_trans (certainly_le_real (imul_contains P Hs (iexp_contains P (iopp_contains cut_in))) Hxh ok).
    by apply: Rmult_le_compat_l => //; apply: exp_monotone; lra.
  exact: (certainly_le_real (imul_contains P Hs (iexp_contains P (iopp_contains Hheight))) Hxh ok).
- exact: certainly_le_real (contains1 N) Hr0 h3.
- exact: certainly_le_real found_spread_contains (imul_contains P Hxh Hr0) h4.
exact: certainly_le_real (contains0 N) Hsl h5.
Qed.

Lemma found_lean_large i : ~~ S i -> steepness alpha g L i * exp (- (pl * beta)) <= ex i / 2.
Proof.
move=> nSi; have [e0 _ _ _] := found_off nSi; have [_ _ _ _ pl0] := joint_signs; have := beta_ge nSi.
set M := Rmax _ _; have M0 : / 2 * ex i <= M := Rmax_r _ _; have M1 : steepness alpha g L i <= M := Rmax_l _ _.
move=> lb; have lb' : ln (M / (/ 2 * ex i)) <= pl * beta.
  have := Rmult_le_compat_l pl _ _ (ltac:(lra)) lb.
  by have -> : pl * (ln (M / (/ 2 * ex i)) / pl) = ln (M / (/ 2 * ex i)) by field; lra.
have d0 : 0 < M / (/ 2 * ex i) by apply: Rdiv_lt_0_compat; lra.
have := exp_monotone lb'; rewrite exp_ln // => be.
have M2 : M <= / 2 * ex i * exp (pl * beta).
  have := Rmult_le_compat_l (/ 2 * ex i) _ _ (ltac:(lra)) be.
  by have -> : / 2 * ex i * (M / (/ 2 * ex i)) = M by field; lra.
have E : exp (pl * beta) * exp (- (pl * beta)) = 1 by rewrite -exp_plus (_ : _ + - _ = 0) ?exp_0 //; ring.
have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ (exp_pos (- (pl * beta)))) (Rle_trans _ _ _ M1 M2).
by rewrite Rmult_assoc E; lra.
Qed.

Lemma found_decoder_bounds : decoder_bounds alpha g (loss_of l) L B.
Proof.
have [tl Gm0 cost0 gm0 pl0] := joint_signs; have [ss x0 _ x_Gm _] := joint_sizes.
have [_ _ r0_ge _ _] := joint_radii; have [tail [ls0 ls1] sl0] := tailed_tail tl; have count1 := groups_counted.
split=> //=; try lra.
- by move=> i /found_off[e0 _ _ _]; rewrite /limit_excess in e0; lra.
- by move=> i; rewrite /mean_weight card_ord Rinv_l; lra.
- rewrite (eq_bigr (fun=> / count)) => [|i _]; last by rewrite /mean_weight card_ord.
  by rewrite sum_const card_ord Rinv_r; lra.
- by rewrite exp_ln; [field; lra | apply: Rdiv_lt_0_compat; lra].
exact: found_lean_large.
Qed.

Lemma found_attention_bounds : attention_bounds alpha g L B.
Proof.
have [tl Gm0 cost0 gm0 pl0] := joint_signs; have [ss x0 x_nu _ b0] := joint_sizes.
have [tail [ls0 ls1] sl0] := tailed_tail tl; have count1 := groups_counted; have p0 := found_pull_gt0.
have h0 : 0 <= h := sqrt_pos _; have [_ _ seen_ok _ _] := and5P checked.
have held_weights t : m t <> 0 -> has (fun I => ~~ is_zero I) (nth [::] weights (group_of t)).
  exact: (held_group known).
split=> //.
- move=> t _ St mt; have := joint_group (group_of t); rewrite /group_ok -(support_known known) St.
  rewrite (held_weights t mt) /=; have [_ Hmu] := mus_enclose; exact: (is_positive_real (Hmu (group_of t))).
- rewrite /= -ln_1; apply: ln_mono; first lra.
  by apply: (Rmult_le_reg_r (tail_least l)) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
- by rewrite /=; lra.
- rewrite /= sqrt_sqrt; first by rewrite /found_pull; right; field; lra.
  by have := Rmult_lt_0_compat _ _ p0 x0; lra.
- have [fm in_supported] := supported_mask_spec ss.
  have [fl Hlab] := labels_enclose; have [fn Hlen] := lengths_enclose => t Qt St.
  have := all_withinP (Everything N, Everything N) fm (fits_zip fl fn) seen_ok (in_supported t Qt St).
  rewrite at_token_zip //= => /(certainly_lt_real (imul_contains P found_near_contains (Hlen t))
    (imul_contains P (Hlab t) Hh)).
  by have := Rmult_le_pos _ _ h0 (vnorm_ge0 (delta t)); rewrite /=; lra.
- by move=> t _; exact: (farthest_ge known).
- by move=> i /found_off[_ near _ _]; exact: near.
- by move=> t Qt _; exact: (bests_ge known).
move=> t _ nSt mt; have [e0 _ _ H] := found_off nSt; have [b1 t1] := H (held_weights t mt).
have beyond i : best i < Gm -> 0 < ex i -> best i < Gm + ex i by lra.
by split; [exact: beyond b1 e0 | exact: t1].
Qed.

Lemma found_radii radius r : from <= radius -> r0 <= r -> radii_large L B radius r.
Proof.
move=> far_enough r_ge; have [h1 h2 h3 h4 _] := joint_radii; have [_ _ _ gm0 _] := joint_signs.
have [_ x0 _ _ _] := joint_sizes; split=> //=; first lra.
  apply: Rle_trans h2; apply: Rmult_le_compat_l => //; apply: exp_monotone; rewrite /path_lift /=.
  by have := Rmult_le_compat_l gm from radius (ltac:(lra)) far_enough; lra.
apply: (Rmult_le_reg_r r); first lra.
have -> : ln (count / tail_least l) / r * r = spread by rewrite /=; field; lra.
by have := Rmult_le_compat_l (x * / 2) r0 r (ltac:(lra)) r_ge; lra.
Qed.

(* ---- the rates ---- *)

Lemma path_late_contains : contains (late_in steepest_in tail_spread_in) (path_late L B).
Proof.
exact: (idiv_contains P (iadd_contains P Hs (idiv_contains P found_spread_contains Hb)) nu_in).
Qed.

Lemma path_early_encloses :
  encloses (early_in steepest_in tail_spread_in reach_in total_lengths_in) (path_early alpha g L B).
Proof.
have [ss _ _ _ _] := joint_sizes; have Hspread := found_spread_contains; have Hreach := found_near_contains.
have col : @column_encloses N D
    [seq imul P (iexp P (idiv P (iadd P (imul P steepest_in window_in) tail_spread_in) mu))
      (grown_in total_lengths_in) | mu <- mus] (fun i => exp ((steepest * b + spread) / mu i) * grown alpha g L B).
  apply: (map_column mus_enclose) => i I HI; apply: imul_contains; last exact: (grown_in_contains ss).
  exact: (iexp_contains P (idiv_contains P (iadd_contains P (imul_contains P Hs Hb) Hspread) HI)).
have seen_table : encloses (seen_in reach_in) (fun t => dot (delta t) u - h * vnorm (delta t)).
  apply: (combine_encloses labels_enclose lengths_enclose) => t I K HI HK.
  by apply: isub_contains => //; exact: imul_contains.
apply: (spread_column_encloses col seen_table) => t I K HI HK.
by apply: idiv_contains => //; apply: imul_contains => //; exact: found_slope_contains.
Qed.

Notation thetas := (thetas_of reach_in).
Notation kept_in := (isub P (interval1 N) (idiv P path_excess_in nu)).

Lemma levels_on_contain : contains (isum P (group_sums P (combine_tables (on_term P) (picked_table true weights)
      (combine_tables (fun e k => idiv P (imax P e (late_in steepest_in tail_spread_in)) k)
        (early_in steepest_in tail_spread_in reach_in total_lengths_in) (copied [seq kept_in | _ <- excesses])))))
  (\sum_(t : token (problem D)) (if S (group_of t) == true then m t else 0) *
    ln (Rmax (path_early alpha g L B t) (path_late L B) / (copies t * (1 - x / cost)))).
Proof.
have [ss _ _ _ _] := joint_sizes; have Hlate := path_late_contains.
have Hkept : contains kept_in (1 - x / cost) by apply: isub_contains; [exact: contains1 | exact: idiv_contains].
have Hon : encloses (copied [seq kept_in | _ <- excesses]) (fun t => copies t * (1 - x / cost)).
  by apply: (copied_encloses (F := fun=> 1 - x / cost)); apply: (map_column excesses_enclose).
have inner := combine_encloses (f := fun e k => idiv P (imax P e (late_in steepest_in tail_spread_in)) k)
  (H := fun t => Rmax (path_early alpha g L B t) (path_late L B) / (copies t * (1 - x / cost)))
  path_early_encloses Hon (fun t I K HI HK => idiv_contains P (imax_contains P HI Hlate) HK).
apply: (table_sum_contains P (combine_encloses (picked_table_encloses ss true weights_enclose) inner _)) => t I K HI HK.
rewrite /on_term; case: ifP => [/(is_zero_real HI) -> | _]; first by rewrite Rmult_0_l; exact: contains0.
by apply: imul_contains => //; exact: ilog_contains.
Qed.

Lemma levels_off_contain : contains (isum P (group_sums P (combine_tables (off_term P) (picked_table false weights)
      (copied [seq isub P (interval1 N) t | t <- thetas]))))
  (\sum_(t : token (problem D)) (if S (group_of t) == false then m t else 0) *
    Rmax (- ln (copies t * (1 - path_share alpha g L B (group_of t)))) 0).
Proof.
have [ss _ _ _ _] := joint_sizes.
have Hoff : encloses (copied [seq isub P (interval1 N) t | t <- thetas])
    (fun t => copies t * (1 - path_share alpha g L B (group_of t))).
  apply: (copied_encloses (F := fun i => 1 - path_share alpha g L B i)).
  by apply: (map_column thetas_contain) => i I HI; apply: isub_contains => //; exact: contains1.
apply: (table_sum_contains P (combine_encloses (picked_table_encloses ss false weights_enclose) Hoff _)) => t I K HI HK.
rewrite /off_term; case: ifP => [/(is_zero_real HI) -> | _]; first by rewrite Rmult_0_l; exact: contains0.
apply: imul_contains => //; apply: imax_contains; last exact: contains0.
by apply: iopp_contains; exact: ilog_contains.
Qed.

Lemma levels_contain : contains (levels_in P D picks T l c steepest_in tail_spread_in reach_in total_lengths_in thetas)
  (joint_rate alpha g L B).
Proof.
have := iadd_contains P levels_on_contain levels_off_contain; congr contains.
rewrite -sumD /joint_rate [RHS]big_mkcond; apply: eq_bigr => t _.
case: (boolP (Q t)) => Qt; last by rewrite (weights_off known Qt) !if_same !Rmult_0_l Rplus_0_r.
by rewrite /path_level; case: (S _) => /=; rewrite ?Rmult_0_l ?Rplus_0_r ?Rplus_0_l.
Qed.

Lemma found_rates radius r v w : from <= radius -> 0 < radius -> r0 <= r -> slope * radius <= r ->
  jointly_regularised g (loss_of l) r radius v w ->
  [/\ 0 < r,
    1 - dot u v / r <=
      fraction_real (joint_decay c) * exp (- (gm * radius)) + fraction_real (joint_decoder_rate c) / r &
    1 - dot n w / radius <= fraction_real (joint_attention_rate c) / radius].
Proof.
move=> far_enough radius0 r_ge r_slope minimiser.
have [_ Gm0 cost0 gm0 _] := joint_signs; have [_ _ r0_ge _ _] := joint_radii; have rpos : 0 < r by lra.
have ahead i : ~~ S i -> 4 * gm * radius <= r * ex i.
  move=> nSi; have [e0 _ le _] := found_off nSi; have le' : 4 * gm <= slope * ex i.
    by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ e0) le; have -> : 4 * gm / ex i * ex i = 4 * gm by field; lra.
  have := Rmult_le_compat_r radius _ _ (ltac:(lra)) le'; have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ e0) r_slope; lra.
have radii := found_radii far_enough r_ge.
have first := joint_decoder limit found_decoder_bounds radii minimiser.
have second := joint_attention limit rows found_decoder_bounds found_attention_bounds radii ahead minimiser radius0.
have [_ _ _ _ /andP[_ /and3P[decay_ok drate_ok rate_ok]]] := and5P checked.
have Hlean : contains (imul P (isub P gamma plain) beta_in) ((gm - pl) * beta).
  by apply: imul_contains => //; exact: isub_contains.
have Hpull := found_pull_contains; split=> //.
  apply: Rle_trans first _.
  have A := certainly_le_real (imul_contains P (imul_contains P Hpull Hs) (iexp_contains P Hlean))
    (fraction_in_contains P _) decay_ok.
  have E := certainly_le_real (imul_contains P Hpull found_spread_contains) (fraction_in_contains P _) drate_ok.
  have -> : path_pull L B * path_gap L B radius r / Gm =
      found_pull * steepest * exp ((gm - pl) * beta) * exp (- (gm * radius)) + found_pull * spread / r.
    rewrite /path_gap /path_cost /path_decay /path_lift /path_pull /found_pull.
    have -> : - (gm * (radius - joint_lean B) + pl * joint_lean B) = (gm - pl) * beta + - (gm * radius).
      by rewrite /=; ring.
    by rewrite exp_plus /=; field; lra.
  apply: Rplus_le_compat; first by apply: Rmult_le_compat_r => //; exact/Rlt_le/exp_pos.
  by apply: Rmult_le_compat_r => //; exact/Rlt_le/Rinv_0_lt_compat.
apply: Rle_trans second _; apply: Rmult_le_compat_r; first exact/Rlt_le/Rinv_0_lt_compat.
apply: (certainly_le_real _ (fraction_in_contains P _) rate_ok).
exact: (idiv_contains P (iadd_contains P levels_contain Hlean) gamma_in).
Qed.
End Found.

Theorem joint_path_conditions_sound radius r v w : from <= radius -> 0 < radius -> r0 <= r -> slope * radius <= r ->
  jointly_regularised g (loss_of l) r radius v w ->
  [/\ 0 < r,
    1 - dot u v / r <=
      fraction_real (joint_decay c) * exp (- (gm * radius)) + fraction_real (joint_decoder_rate c) / r &
    1 - dot n w / radius <= fraction_real (joint_attention_rate c) / radius].
Proof.
have [ss _ _ _ _] := joint_sizes.
have [steepest steep] := steepest_bound ss; have [longest long] := longest_bound ss.
have [beta lean] := beta_bound ss; exact: (found_rates (FoundLargest steep long lean)).
Qed.
End Sound.

