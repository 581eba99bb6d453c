(* SpanIntervals: T14's bound X of the residual at one point, enclosed, from bounds of the factors (DYNAMICS.md
   section 8).

   The far constraints are split by projection (SpanProjection.v), so that X = X_in + sum J_c delta_c; J_c is the
   elementary one with the share beta z/(1+z), z^2 = q (1+z), q = delta^2 M/(4 beta) (RUNS.md section 5). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Claims Enclosure Direction Growth Region FactorRange ActiveStep
                           SpanConstants SpanResidual SpanProjection PathResidual Saturation Number Rows Entries
                           TokenData MarginChecks OptimalityChecks GramBound EnclosureChecks Interval Elementary
                           IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks
                           LocalFactors Reference FarPull.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the share of the slack ---- *)

Section Share.
Variables (d b M : R).
Hypotheses (b_gt0 : 0 < b) (M_gt0 : 0 < M).
Definition quotient_of : R := d * d * M / (4 * b).
Definition root_of : R := (quotient_of + sqrt (quotient_of * (quotient_of + 4))) / 2.
Definition share_of : R := if Rlt_dec 0 d then b * root_of / (1 + root_of) else b / 2.

Lemma quotient_ge0 : 0 <= quotient_of.
Proof.
apply: Rmult_le_pos; last by apply/Rlt_le/Rinv_0_lt_compat; lra.
by apply: Rmult_le_pos; [exact: Rle_0_sqr | lra].
Qed.

Lemma root_ge0 : 0 <= root_of.
Proof. by have := quotient_ge0; have := sqrt_pos (quotient_of * (quotient_of + 4)); rewrite /root_of; lra. Qed.

Lemma root_sqr : root_of * root_of = quotient_of * (1 + root_of).
Proof.
have q0 := quotient_ge0; have p0 : 0 <= quotient_of * (quotient_of + 4) by apply: Rmult_le_pos; lra.
have := sqrt_sqrt _ p0; rewrite /root_of; move: (sqrt _) => y; move: quotient_of => x s.
have -> : (x + y) / 2 * ((x + y) / 2) = (x * x + 2 * x * y + y * y) / 4 by field.
by rewrite s; field.
Qed.

Lemma share_facts : 0 < d -> [/\ share_of = b * root_of / (1 + root_of), 0 < root_of & d * d * M /
  (4 * share_of) = root_of].
Proof.
move=> d0; have q0 : 0 < quotient_of.
  by apply: Rdiv_lt_0_compat; [do 2![apply: Rmult_lt_0_compat => //] | lra].
have sq := root_sqr; have r0 : 0 < root_of.
  by have := sqrt_pos (quotient_of * (quotient_of + 4)); rewrite /root_of; lra.
have E : share_of = b * root_of / (1 + root_of) by rewrite /share_of; case: Rlt_dec.
split=> //; rewrite E; have -> : d * d * M / (4 * (b * root_of / (1 + root_of))) = quotient_of *
  (1 + root_of) / root_of.
  by rewrite /quotient_of; field; lra.
by rewrite -sq; field; lra.
Qed.

Lemma share_between : 0 < share_of < b.
Proof.
case: (Rlt_dec 0 d) => [d0 | nd]; last first.
  have -> : share_of = b / 2 by rewrite /share_of; case: Rlt_dec.
  by have := b_gt0; lra.
have [-> r0 _] := share_facts d0; move: root_of r0 => r r0; have := b_gt0; move: b => y y0.
split; first by apply: Rdiv_lt_0_compat; [exact: Rmult_lt_0_compat | lra].
apply: (Rmult_lt_reg_r (1 + r)); first lra.
have -> : y * r / (1 + r) * (1 + r) = y * r by field; lra.
lra.
Qed.

(* delta_c J_c. *)
Lemma share_term (B m g K h speed : R) : 0 <= d -> 0 < speed ->
  d * (/ speed * (B * exp (- m + d * d * M / (4 * share_of)) * exp (g - K) *
    (exp ((b - share_of) * h) / (b - share_of)))) =
  d * (B * ((1 + root_of) / (speed * b)) * exp (root_of - (K + (m - g)) + b * h / (1 + root_of))).
Proof.
move=> d0 s0; case: (Rle_lt_or_eq_dec _ _ d0) => [dpos | <-]; last by ring.
have [E r0 ->] := share_facts dpos; move: root_of share_of E r0 => r s E r0.
have bE : b - s = b / (1 + r) by rewrite E; field; lra.
rewrite bE; have -> : b / (1 + r) * h = b * h / (1 + r) by field; lra.
have -> : r - (K + (m - g)) + b * h / (1 + r) = (- m + r) + ((g - K) + b * h / (1 + r)) by ring.
by rewrite !exp_plus; field; lra.
Qed.
End Share.

Lemma max_root_sqr (i a : R) : a <= Rmax i (sqrt a) * Rmax i (sqrt a).
Proof.
have m := Rmax_r i (sqrt a); have s0 := sqrt_pos a; case: (Rle_lt_dec 0 a) => a0; last first.
  by apply: Rle_trans (Rlt_le _ _ a0) _; apply: Rmult_le_pos; lra.
by rewrite -{1}(sqrt_sqrt a) //; apply: Rmult_le_compat.
Qed.

(* ---- enclosures ---- *)

Section Span.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).
Implicit Types (t : token (problem D)) (m : seq (seq interval)).

(* Bounds of the factors on S, of all factors, g'. *)
Variables (f : enclosed_reference N) (w : point N).
Variables (lower upper bounds : seq (seq interval)) (speed : interval) (step_bound path least : fraction N)
  (hints : gram_hints N).
Notation h_in := (fraction_in P step_bound).
Notation path_in := (fraction_in P path).
Notation least_in := (fraction_in P least).
Notation on_active := (within (active_in f) (interval0 N)).

Definition half_in : interval := dyadic one (-1).
Definition four_in : interval := iadd P (interval2 N) (interval2 N).
Definition top_in : interval :=
  isum P (group_sums P (on_active (combine_tables (imul P) upper
    (map_rows (fun I => iexp P (iopp I)) (excess_margins P f w))))).
Definition inverse_bottom_in : interval :=
  table_largest P (on_active (combine_tables (idiv P) (map_rows (iexp P) (excess_margins P f w)) lower)).
Definition widest_square_in : interval := table_largest P (on_active (square_spreads D P picks f)).
Definition others_weight_in : interval :=
  imax P (table_largest P (on_active (map_rows (isub P (interval1 N)) (weights_in f)))) half_in.   (* 1 - mu_min *)
Definition kappa_in : interval := idiv P (imul P (isub P (interval1 N) others_weight_in) (isqrt P least_in))
  (isqrt P others_weight_in).
Definition inner_in : interval :=
  idiv P (iadd P (ilog P (imul P top_in inverse_bottom_in))
    (idiv P (imul P h_in widest_square_in) (imul P (interval2 N) speed))) kappa_in.
Definition active_part_in : interval :=
  imax P inner_in (isqrt P (idiv P (imul P (imul P (imul P (interval2 N) h_in) kappa_in) inner_in) speed)).

Definition quotient_in : seq (seq interval) :=
  combine_tables (fun I J => idiv P (imul P I path_in) (imul P four_in J)) (square_spreads D P picks f)
    (beyond_in P f).
Definition root_in : seq (seq interval) :=
  map_rows (fun I => imul P (iadd P I (isqrt P (imul P I (iadd P I four_in)))) half_in) quotient_in.
Definition far_exponent_in : seq (seq interval) :=
  combine_tables (iadd P)
    (combine_tables (isub P) root_in (map_rows (iadd P (log_floor_in P f lower)) (excess_margins P f w)))
    (combine_tables (fun I J => idiv P (imul P I h_in) (iadd P (interval1 N) J)) (beyond_in P f) root_in).
Definition far_factor_in : seq (seq interval) :=
  combine_tables (imul P) bounds
    (combine_tables (fun I J => idiv P (iadd P (interval1 N) J) (imul P speed I)) (beyond_in P f) root_in).
Definition far_part_in : interval :=
  isum P (group_sums P (within mask (interval0 N) (within (map_rows negb (active_in f)) (interval0 N)
    (combine_tables (imul P) (map_rows (isqrt P) (square_spreads D P picks f))
       (combine_tables (imul P) far_factor_in (map_rows (iexp P) far_exponent_in)))))).
Definition span_in : interval := iadd P active_part_in far_part_in.

Definition span_check (excess : fraction N) : bool :=
  [&& is_positive least_in, gram_check (wide N) D picks (active_in f) hints least,
    is_positive (isub P (interval1 N) others_weight_in),
      all_within (fun bI => bI.1 || is_positive bI.2) mask (zip_rows (active_in f) (beyond_in P f)) &
      certainly_le (imul P span_in span_in) (fraction_in P excess)].
(* ---- soundness ---- *)

Variables (l : loss_name) (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Variables (factors : factor_bounds (token (problem D))) (g' : R).
Notation blo := (factor_low factors).
Notation bhi := (factor_high factors).
Notation bnd := (far_factor factors).
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation S := (Direction.active Q mu).
Notation lateral := (lateral (Delta alpha) u).
Notation spread := (Direction.spread (Delta alpha) u).
Notation beyond := (Direction.excess (Delta alpha) u gamma).
Notation y0 := (Direction.height u w0).
Notation centre := (w0 - y0 * u)%V.
Notation K := (log_floor Q mu blo).
Notation M := (fraction_real path).
Notation h := (fraction_real step_bound).
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis dir : direction Q (Delta alpha) u gamma mu.
Notation o := (natural_reference dir w0).
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis lower_in : encloses lower blo.
Hypothesis upper_in : encloses upper bhi.
Hypothesis bounds_in : encloses bounds bnd.
Hypothesis speed_in : contains speed g'.
Hypotheses (speed_gt0 : 0 < g') (M_gt0 : 0 < M).
Hypothesis blo_gt0 : forall t, S t -> 0 < blo t.
Hypothesis bnd_ge0 : forall t, Q t -> ~~ S t -> 0 <= bnd t.
Let F q := @fraction_in_contains N P q.

Lemma is_active t : in_mask (active_in f) t = S t.
Proof. by have [_ _ _ _ [_ ->]] := reference_in. Qed.

Lemma fits_active_mask : fits D (active_in f).
Proof. by have [_ _ _ _ []] := reference_in. Qed.

Lemma on_active_encloses m G : encloses m G -> encloses (on_active m) (fun t => if S t then G t else 0).
Proof.
case=> fm Hm; have [fw Hw] := within_encloses fits_active_mask (contains0 N) fm (fun t _ => Hm t).
by split=> // t; have := Hw t; rewrite is_active.
Qed.

Lemma half_in_contains : contains half_in (1 / 2).
Proof.
have -> : 1 / 2 = real (one : N) * power (-1) by rewrite real1 -[(-1)%Z]/(- (1))%Z power_opp /power /=; field.
exact: dyadic_contains.
Qed.

Lemma four_contains : contains four_in 4.
Proof.
have -> : 4 = 2 + 2 by ring.
by apply: iadd_contains; exact: contains2.
Qed.

Lemma centre_factor t : S t -> dot (Delta alpha t) centre = margin alpha w0 t - gamma * y0.
Proof. by move=> St; rewrite dotBr dotZr -/(Direction.slope (Delta alpha) u t) (active_slope dir St) /margin; ring.
  Qed.

Lemma top_contains : contains top_in (\sum_(t | S t) bhi t * exp (- dot (Delta alpha t) centre)).
Proof.
have Hx := map_encloses (G := fun t => exp (- (margin alpha w0 t - gamma * y0)))
  (excess_margins_enclose P reference_in point_in)
  (fun t I HI => iexp_contains P (iopp_contains HI)).
have Hm := combine_encloses (H := fun t => bhi t * exp (- (margin alpha w0 t - gamma * y0))) upper_in Hx
  (fun t I J HI HJ => imul_contains P HI HJ).
have := table_sum_contains P (on_active_encloses Hm); congr contains; rewrite -big_mkcond.
by apply: eq_bigr => t St; rewrite (centre_factor St).
Qed.

Lemma bottom_contains : exists2 x, contains inverse_bottom_in (/ x) & 0 < x /\ forall t, S t ->
  x <= blo t * exp (- dot (Delta alpha t) centre).
Proof.
have Hx := map_encloses (G := fun t => exp (margin alpha w0 t - gamma * y0))
  (excess_margins_enclose P reference_in point_in)
  (fun t I HI => iexp_contains P HI).
have Hm := combine_encloses (H := fun t => exp (margin alpha w0 t - gamma * y0) / blo t) Hx lower_in
  (fun t I J HI HJ => idiv_contains P HI HJ).
have [x [Hc _ le]] := table_largest_contains P (on_active_encloses Hm).
have pos t : S t -> 0 < exp (margin alpha w0 t - gamma * y0) / blo t.
  by move=> St; apply: Rdiv_lt_0_compat; [exact: exp_pos | exact: blo_gt0].
have [t0 S0] := active_exists dir; have x0 : 0 < x.
  by have := le t0; rewrite S0; have := pos t0 S0; lra.
exists (/ x); first by rewrite Rinv_inv.
split=> [|t St]; first exact: Rinv_0_lt_compat.
have := le t; rewrite St (centre_factor St) => lt; have b0 := blo_gt0 St.
have -> : blo t * exp (- (margin alpha w0 t - gamma * y0)) = / (exp (margin alpha w0 t - gamma * y0) / blo t).
  by rewrite exp_Ropp; have := exp_pos (margin alpha w0 t - gamma * y0) => e0; field; lra.
by apply: Rinv_le_contravar; [exact: pos | exact: lt].
Qed.

Lemma widest_square_contains : exists2 x, contains widest_square_in (x * x) & forall t, S t -> vnorm (lateral t) <= x.
Proof.
have [y [Hc y0' le]] := table_largest_contains P (on_active_encloses (square_spreads_enclose P Dok reference_in)).
exists (sqrt y); first by rewrite sqrt_sqrt.
move=> t St; rewrite (lateral_norm dir); have := le t; rewrite St => lt.
rewrite -(sqrt_square (spread t)); last exact: spread_ge0.
exact: sqrt_le_1_alt.
Qed.

Lemma others_weight_contains : exists2 x, contains others_weight_in x & 1 / 2 <= x /\ forall t, S t -> 1 - x <= mu t.
Proof.
have [_ _ _ [fw Hw] _] := reference_in.
have Hm : encloses (map_rows (isub P (interval1 N)) (weights_in f)) (fun t => 1 - (if S t then mu t else 0)).
  apply: (map_encloses (F := fun t => if S t then mu t else 0)) => [|t I HI]; last by apply: isub_contains => //;
    exact: contains1.
  by split=> // t; have := Hw t; rewrite is_active.
have [x [Hc x0 le]] := table_largest_contains P (on_active_encloses Hm).
exists (Rmax x (1 / 2)); first by apply: imax_contains => //; exact: half_in_contains.
split=> [|t St]; first exact: Rmax_r.
by have := le t; rewrite St => lt; have := Rmax_l x (1 / 2); lra.
Qed.
(* ---- the far constraints ---- *)

Notation share := (fun t => share_of (spread t) (beyond t) M).
Notation root := (fun t => root_of (spread t) (beyond t) M).

Lemma root_encloses : encloses root_in root.
Proof.
have Hq := combine_encloses (H := fun t => quotient_of (spread t) (beyond t) M)
  (square_spreads_enclose P Dok reference_in)
  (beyond_encloses P reference_in)
  (fun t I J HI HJ => idiv_contains P (imul_contains P HI (F path)) (imul_contains P four_contains HJ)).
apply: (map_encloses Hq) => t I HI; rewrite /root_of /Rdiv.
have -> : / 2 = 1 / 2 by lra.
apply: imul_contains half_in_contains; apply: iadd_contains => //; apply: isqrt_contains; apply: imul_contains => //.
exact: iadd_contains HI four_contains.
Qed.

Lemma far_exponent_encloses : encloses far_exponent_in
  (fun t => root t - (K + (margin alpha w0 t - gamma * y0)) + beyond t * h / (1 + root t)).
Proof.
have HK := log_floor_contains P reference_in lower_in; have Hr := root_encloses; have Hb :=
  beyond_encloses P reference_in.
have He := map_encloses (G := fun t => K + (margin alpha w0 t - gamma * y0))
  (excess_margins_enclose P reference_in point_in)
  (fun t I HI => iadd_contains P HK HI).
have H1 := combine_encloses (H := fun t => root t - (K + (margin alpha w0 t - gamma * y0))) Hr He
  (fun t I J HI HJ => isub_contains P HI HJ).
have H2 := combine_encloses (H := fun t => beyond t * h / (1 + root t)) Hb Hr
  (fun t I J HI HJ => idiv_contains P (imul_contains P HI (F step_bound)) (iadd_contains P (contains1 N) HJ)).
exact (combine_encloses H1 H2 (fun t I J HI HJ => iadd_contains P HI HJ)).
Qed.

Definition far_term t : R := spread t * (bnd t * ((1 + root t) / (g' * beyond t)) *
  exp (root t - (K + (margin alpha w0 t - gamma * y0)) + beyond t * h / (1 + root t))).

Lemma far_part_contains : contains far_part_in (\sum_(t | Q t && ~~ S t) far_term t).
Proof.
have H1 := combine_encloses (H := fun t => (1 + root t) / (g' * beyond t)) (beyond_encloses P reference_in)
  root_encloses
  (fun t I J HI HJ => idiv_contains P (iadd_contains P (contains1 N) HJ) (imul_contains P speed_in HI)).
have H2 := combine_encloses (H := fun t => bnd t * ((1 + root t) / (g' * beyond t))) bounds_in H1 (fun t I J HI HJ
  => imul_contains P HI HJ).
have H3 := map_encloses (G := fun t => exp (root t - (K + (margin alpha w0 t - gamma * y0)) + beyond t * h /
  (1 + root t)))
  far_exponent_encloses (fun t I HI => iexp_contains P HI).
have H4 := combine_encloses (H := fun t => bnd t * ((1 + root t) / (g' * beyond t)) *
  exp (root t - (K + (margin alpha w0 t - gamma * y0)) + beyond t * h / (1 + root t))) H2 H3 (fun t I J HI HJ
    => imul_contains P HI HJ).
have H0 : encloses (map_rows (isqrt P) (square_spreads D P picks f)) spread.
  apply: (map_encloses (square_spreads_enclose P Dok reference_in)) => t I HI.
  by have := isqrt_contains P HI; rewrite sqrt_square //; exact: spread_ge0.
have [fm Hm] := combine_encloses (H := far_term) H0 H4 (fun t I J HI HJ => imul_contains P HI HJ).
have fn : fits D (map_rows negb (active_in f)) by apply: fits_map; exact: fits_active_mask.
have [fi Hi] := within_encloses fn (contains0 N) fm (fun t _ => Hm t).
have Ho := within_encloses (fits_constraint_mask Pok) (contains0 N) fi (fun t _ => Hi t).
have := table_sum_contains P Ho; congr contains; rewrite [RHS]big_mkcond; apply: eq_bigr => t _.
rewrite (in_constraint_mask Pok) /in_mask (at_token_map false) ?fits_active_mask // -/(in_mask _ _) is_active.
by case: (Q t).
Qed.

(* ---- the whole bound ---- *)

Theorem span_check_sound excess : span_check excess -> exists2 k,
  span_conditions o factors h g' k &
  let X := path_span_bound o factors w0 M h g' k in X * X <= fraction_real excess.
Proof.
case/and5P=> l0 gram_ok mu0 slack le.
have least0 : 0 < fraction_real least := is_positive_real (F least) l0.
have gram : gram_at_least S (Delta alpha) (fraction_real least).
  have -> : S = @in_mask N D (active_in f).
    by apply: FunctionalExtensionality.functional_extensionality => t; rewrite is_active.
  exact: gram_check_sound gram_ok.
have [x Hx [x_half x_le]] := others_weight_contains; have [bottom Hbot [bottom0 bottom_le]] := bottom_contains.
have [E_S HE E_le] := widest_square_contains; have Htop := top_contains; set top := \sum_(t | S t) _ in Htop.
have far t : Q t -> ~~ S t -> 0 < beyond t.
  move=> Qt St; have [fb Hb] := beyond_encloses P reference_in; have fz := fits_zip fits_active_mask fb.
  have it : in_mask mask t by rewrite (in_constraint_mask Pok).
  have := all_withinP (false, Everything N) (fits_constraint_mask Pok) fz slack it.
  rewrite at_token_zip ?fits_active_mask //= -/(in_mask _ _) is_active (negbTE St); exact: is_positive_real (Hb t).
have mu_pos := is_positive_real (isub_contains P (contains1 N) Hx) mu0.
pose mu_min := 1 - x; pose sigma := sqrt (fraction_real least).
have [coef [dO [sp across]]] := projections dir least0 gram.
pose constants X_in := SpanConstants mu_min sigma E_S top bottom X_in coef dO share.
pose k0 := constants 0.
have Hk : contains kappa_in (kappa k0).
  have := idiv_contains P (imul_contains P (isub_contains P (contains1 N) Hx) (isqrt_contains P (F least)))
    (isqrt_contains P Hx).
  by congr contains; rewrite /kappa /=; have -> : 1 - mu_min = x by rewrite /mu_min; ring.
have Hi : contains inner_in (inner k0 h g').
  exact (idiv_contains P (iadd_contains P (ilog_contains P (imul_contains P Htop Hbot))
    (idiv_contains P (imul_contains P (F step_bound) HE) (imul_contains P (contains2 N) speed_in))) Hk).
pose I0 := inner k0 h g'; pose a := 2 * h * kappa k0 * I0 / g'; pose X_in := Rmax I0 (sqrt a).
have HX : contains active_part_in X_in.
  exact (imax_contains P Hi (isqrt_contains P (idiv_contains P (imul_contains P (imul_contains P
    (imul_contains P (contains2 N) (F step_bound)) Hk) Hi) speed_in))).
have X0 : 0 <= X_in := Rle_trans _ _ _ (sqrt_pos a) (Rmax_r I0 (sqrt a)).
pose k := constants X_in; exists k.
  split.
  - by rewrite /= /mu_min; lra.
  - exact x_le.
  - exact: sqrt_lt_R0.
  - by move=> c v; rewrite /= /sigma sqrt_sqrt; [exact: (gram_singular_value dir least0 gram c) | lra].
  - exact E_le.
  - exact bottom0.
  - exact bottom_le.
  - exact: Rle_refl.
  - assumption.
  - exact X0.
  - exact: Rmax_l.
  - exact: max_root_sqr.
  - by move=> t _ _; exact: sp.
  - by move=> r t Sr _ _; exact: across.
  by move=> t Qt St; exact: share_between (far t Qt St) M_gt0.
move=> X.
have HS := iadd_contains P HX far_part_contains.
have le2 := certainly_le_real (imul_contains P HS HS) (F excess) le.
have decays : far_decays (fun t => Q t && ~~ S t) (path_far o factors w0 M h g' k).
  split=> /= [|t /andP[Qt St]|t /andP[Qt St]]; first exact: speed_gt0.
    exact (Rmult_le_pos _ _ (bnd_ge0 Qt St) (Rlt_le _ _ (exp_pos _))).
  by have [_ s1] := share_between (spread t) (far t Qt St) M_gt0; exact (Rlt_Rminus _ _ s1).
have XS : X <= X_in + \sum_(t | Q t && ~~ S t) far_term t.
  have B := span_bound_le (o := o) (k := k) X0 decays sp across.
  apply: Rle_trans B _; apply: Rplus_le_compat_l; apply: sum_le => t /andP[Qt St]; right.
  rewrite (lateral_norm dir) /far_total /= /far_start /far_rate.
  exact: (share_term (far t Qt St) M_gt0 (bnd t) (margin alpha w0 t) (gamma * y0) K h (spread_ge0 _ _ t) speed_gt0).
have Xpos : 0 <= X := sqrt_pos _.
by apply: Rle_trans le2; apply: Rmult_le_compat.
Qed.
End Span.
