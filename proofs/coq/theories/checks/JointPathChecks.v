(* JointPathChecks: the conditions and constants of the joint regularisation path (JointPath.v), checked with intervals.

   What is known of the tokens' values and of both directions comes as tables over tokens and columns over groups; that
   they enclose an instance's is not asked here (JointPathKind.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Direction Saturation JointModel JointPath Number Rows TokenData
                           MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals ReferenceIntervals ForeverChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- losses with an exponential tail ---- *)

Definition tailed (l : loss_name) : bool := match l with Logistic | Exponential => true | _ => false end.
Definition tail_least (l : loss_name) : R := if l is Logistic then ln 2 else 1.
Definition tail_slope (l : loss_name) : R := if l is Logistic then / 2 else 1.

Lemma ln2_range : 0 < ln 2 <= 1.
Proof.
split; first by rewrite -ln_1; apply: ln_increasing; lra.
by have := ln_le_sub1 (x := 2); lra.
Qed.

Lemma tailed_tail l : tailed l ->
  [/\ exponential_tail (loss_of l) (tail_least l) (tail_slope l), 0 < tail_least l <= 1 & 0 < tail_slope l].
Proof.
have := ln2_range; case: l => // h _; rewrite /tail_least /tail_slope.
  by split=> //; [exact: logistic_has_tail | lra].
by split=> //; [exact: exponential_has_tail | lra | lra].
Qed.

(* The largest of a row that is not empty. *)
Section Largest.
Variables (N : number) (P : Z).

Definition row_largest (r : seq (interval N)) : interval N :=
  if r is a :: r' then foldr (imax P) a r' else interval0 N.

Lemma row_largest_contains (T : eqType) (s : seq T) (f : T -> interval N) (F : T -> R) :
  (forall a, a \in s -> contains (f a) (F a)) ->
  exists x, contains (row_largest (map f s)) x /\ forall a, a \in s -> F a <= x.
Proof.
case: s => [|a s] H /=; first by exists 0; split=> //; exact: contains0.
have Ha : contains (f a) (F a) by apply: H; rewrite mem_head.
have {}H e : e \in s -> contains (f e) (F e) by move=> es; apply: H; rewrite inE es orbT.
suff [x [Hx [ax le]]] : exists x, contains (foldr (imax P) (f a) (map f s)) x /\ F a <= x /\
    forall e, e \in s -> F e <= x.
  by exists x; split=> // e; rewrite inE => /orP[/eqP -> // | /le].
elim: s H => [|e s IH] H /=; first by exists (F a); split=> //; split=> //; exact: Rle_refl.
have [|x [Hx [ax le]]] := IH; first by move=> k ks; apply: H; rewrite inE ks orbT.
exists (Rmax (F e) x); split; first by apply: imax_contains => //; apply: H; rewrite mem_head.
split=> [|k]; first exact: Rle_trans ax (Rmax_r _ _).
by rewrite inE => /orP[/eqP -> | /le kx]; [exact: Rmax_l | exact: Rle_trans kx (Rmax_r _ _)].
Qed.
End Largest.

Section Conditions.
Variables (N : number) (P : Z) (D : token_data N) (picks : seq nat).
Notation interval := (interval N).

(* What is claimed, and the evidence: x and b of the theorem. *)
Record joint_constants := JointConstants {
  joint_from : fraction N; joint_decoder_from : fraction N; joint_slope : fraction N; joint_decay : fraction N;
  joint_decoder_rate : fraction N; joint_attention_rate : fraction N; joint_excess : fraction N;
  joint_window : fraction N
}.

(* Which groups support the decoder; <delta_c, u> and ||delta_c||; <kappa_i, u> - Gamma, bounds of the ||g_it|| and, of
   the other tokens, of the <g_it, u>; multipliers of the decoder; margins and label cost; weights of the attention. *)
Variables (supports : seq bool) (labels lengths : seq (seq interval)) (excesses farthest bests mus : seq interval).
Variables (Gamma nu gamma plain : interval) (weights : seq (seq interval)) (l : loss_name) (c : joint_constants).

Definition one_half_in : interval := dyadic one (-1).
Definition picked_column (b : bool) (xs : seq interval) : seq interval :=
  [seq if sx.1 == b then sx.2 else interval0 N | sx <- zip supports xs].
Definition picked_table (b : bool) (m : seq (seq interval)) : seq (seq interval) :=
  [seq if sr.1 == b then sr.2 else [seq interval0 N | _ <- sr.2] | sr <- zip supports m].
Definition halved (xs : seq interval) : seq interval := [seq imul P one_half_in I | I <- xs].

Definition steepness_in : seq interval :=
  group_sums P (by_copies D P picks (map_rows (imax P (interval0 N)) labels)).
Definition total_lengths_in : seq interval := group_sums P (by_copies D P picks lengths).
Definition steepest_in : interval := column_largest P (picked_column true steepness_in).
Definition longest_in : interval := column_largest P (picked_column true [seq column_largest P r | r <- lengths]).
Definition beta_in : interval :=
  column_largest P (picked_column false (combine_columns
    (fun s h => idiv P (ilog P (idiv P (imax P s h) h)) plain) steepness_in (halved excesses))).
Definition pull_in : interval := idiv P (iadd P (interval1 N) (idiv P longest_in nu)) Gamma.
Definition path_excess_in : interval := fraction_in P (joint_excess c).
Definition window_in : interval := fraction_in P (joint_window c).
Definition reach_in : interval := isqrt P (imul P (interval2 N) (imul P pull_in path_excess_in)).
Definition tail_least_in : interval := if l is Logistic then ilog P (interval2 N) else interval1 N.
Definition tail_slope_in : interval := if l is Logistic then one_half_in else interval1 N.
Definition tail_spread_in : interval := ilog P (idiv P (exactly (count_of N (sequences D))) tail_least_in).
Definition thetas_of (reach : interval) : seq interval :=
  combine_columns (idiv P)
    (combine_columns (fun e far => iadd P (iadd P e path_excess_in) (imul P far reach)) excesses farthest)
    (combine_columns (fun e g => isub P (iadd P Gamma e) g) excesses bests).

(* The sum of kappa over the constraints with a multiplier. *)
Definition groups_outside_in : interval :=
  isum P [seq (if s then interval0 N else interval1 N) | s : bool <- supports].
Definition grown_in (totals : seq interval) : interval :=
  iadd P (isum P (picked_column true [seq imul P t (iexp P (imul P window_in t)) | t <- totals]))
    (idiv P groups_outside_in (fraction_in P (joint_decoder_from c))).
Definition seen_in (reach : interval) : seq (seq interval) :=
  combine_tables (fun a d => isub P a (imul P reach d)) labels lengths.
Definition early_in (steepest spread reach : interval) (totals : seq interval) : seq (seq interval) :=
  let grown := grown_in totals in
  let slope := tail_slope_in in
  let at_most := iadd P (imul P steepest window_in) spread in
  spread_column (fun k s => idiv P k (imul P slope s)) [seq imul P (iexp P (idiv P at_most mu)) grown | mu <- mus]
    (seen_in reach).
Definition late_in (steepest spread : interval) : interval := idiv P (iadd P steepest (idiv P spread window_in)) nu.
Definition copied (xs : seq interval) : seq (seq interval) :=
  by_copies D P picks (spread_column (fun x _ => x) xs labels).
Definition on_term (weight x : interval) : interval :=
  if is_zero weight then interval0 N else imul P weight (ilog P x).
Definition off_term (weight k : interval) : interval :=
  if is_zero weight then interval0 N else imul P weight (imax P (iopp (ilog P k)) (interval0 N)).
Definition levels_in (steepest spread reach : interval) (totals thetas : seq interval) : interval :=
  let late := late_in steepest spread in
  let kept := isub P (interval1 N) (idiv P path_excess_in nu) in
  iadd P
    (isum P (group_sums P (combine_tables on_term (picked_table true weights)
      (combine_tables (fun e k => idiv P (imax P e late) k) (early_in steepest spread reach totals)
        (copied [seq kept | _ <- excesses])))))
    (isum P (group_sums P (combine_tables off_term (picked_table false weights)
      (copied [seq isub P (interval1 N) t | t <- thetas])))).

(* Constraints of supporting groups. *)
Definition supported_mask : seq (seq bool) :=
  [seq [seq sr.1 && a | a <- sr.2] | sr <- zip supports (constraint_mask D picks)].

Definition group_ok (i : nat) (reach theta : interval) : bool :=
  let e := nth (Everything N) excesses i in
  let held := has (fun I => ~~ is_zero I) (nth [::] weights i) in
  if nth false supports i then held ==> is_positive (nth (Everything N) mus i)
  else
    [&& is_positive e,
        certainly_lt (imul P reach (nth (Everything N) farthest i)) (imul P (imul P e one_half_in) one_half_in),
        certainly_le (idiv P (imul P (exactly (four N)) gamma) e) (fraction_in P (joint_slope c)) &
        held ==> certainly_lt (nth (Everything N) bests i) Gamma && certainly_lt theta (interval1 N)].

Definition joint_path_conditions : bool :=
  let steepest := steepest_in in
  let beta := beta_in in
  let pull := pull_in in
  let reach := reach_in in
  let spread := tail_spread_in in
  let thetas := thetas_of reach in
  let x := path_excess_in in
  let from := fraction_in P (joint_from c) in
  let decoder_from := fraction_in P (joint_decoder_from c) in
  let lean := imul P (isub P gamma plain) beta in
  let height := iadd P (imul P gamma (isub P from beta)) (imul P plain beta) in
  let cut := dyadic one 32 in
  let eta := iexp P (iopp (if certainly_le cut height then cut else height)) in
  [&& [&& tailed l, is_positive Gamma, is_positive nu, is_positive gamma & is_positive plain],
      [&& size supports == size (sequences D), is_positive x, certainly_lt x (imul P nu one_half_in),
          certainly_lt x (imul P Gamma one_half_in) & is_positive window_in],
      all_within (fun ad => certainly_lt (imul P reach ad.2) (imul P ad.1 one_half_in)) supported_mask
        (zip_rows labels lengths),
      all (fun i => group_ok i reach (nth (Everything N) thetas i)) (iota 0 (size (sequences D))),
      [&& certainly_le beta from, certainly_le (imul P steepest eta) (imul P x one_half_in),
          certainly_le (interval1 N) decoder_from, certainly_le spread (imul P (imul P x one_half_in) decoder_from) &
          certainly_le (interval0 N) (fraction_in P (joint_slope c))] &
      [&& certainly_le (imul P (imul P pull steepest) (iexp P lean)) (fraction_in P (joint_decay c)),
          certainly_le (imul P pull spread) (fraction_in P (joint_decoder_rate c)) &
          certainly_le (idiv P (iadd P (levels_in steepest spread reach total_lengths_in thetas) lean) gamma)
            (fraction_in P (joint_attention_rate c))]].

(* ---- why that suffices ---- *)

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation Q := (constraint alpha).
Notation copies := (copies alpha).
Variables (J : finType) (g : token (problem D) -> vec J).
Notation kappa := (chosen_value g alpha).
Notation delta := (value_difference g alpha).
Implicit Types (t : token (problem D)) (i : data_group D).

Variables (u : vec J) (Gm cost gm pl : R) (mu reach_of best_of : data_group D -> R) (m : token (problem D) -> R)
  (n lean : vec (coord (problem D))).
Definition supporting_groups : pred (data_group D) := fun i => nth false supports i.
Notation S := supporting_groups.
Hypotheses (labels_enclose : encloses labels (fun t => dot (delta t) u)).
Hypotheses (lengths_enclose : encloses lengths (fun t => vnorm (delta t))).
Hypothesis excesses_enclose : @column_encloses N D excesses (fun i => dot (kappa i) u - Gm).
Hypothesis farthest_enclose : @column_encloses N D farthest reach_of.
Hypothesis reach_of_ge : forall t, vnorm (g t) <= reach_of (group_of t).
Hypothesis bests_enclose : @column_encloses N D bests best_of.
Hypothesis best_of_ge : forall t, Q t -> dot (g t) u <= best_of (group_of t).
Hypothesis mus_enclose : @column_encloses N D mus mu.
Hypotheses (Gamma_in : contains Gamma Gm) (nu_in : contains nu cost) (gamma_in : contains gamma gm)
  (plain_in : contains plain pl).
Hypothesis weights_enclose : encloses weights m.
Hypothesis weights_off : forall t, ~~ Q t -> m t = 0.

Hypotheses (u_one : vnorm u = 1) (mu_ge0 : forall i, S i -> 0 <= mu i) (mu_one : \sum_(i | S i) mu i = 1).
Hypothesis mu_balance : combine S mu kappa = (Gm * u)%V.
Hypothesis tight : forall i, S i -> dot (kappa i) u = Gm.
Hypothesis label : forall (v : vec J) (w : vec (coord (problem D))), vnorm v <= 1 ->
  exists i, S i /\ forall j, S j -> joint_output g v w i <= Gm - cost * (1 - attention w (alpha j)).
Hypotheses (n_short : vnorm n <= 1) (lean_short : vnorm lean <= 1).
Hypothesis n_holds : forall t, Q t -> if S (group_of t) then gm <= margin alpha n t else 0 <= margin alpha n t.
Hypothesis lean_holds : forall t, Q t -> pl <= margin alpha lean t.
Hypotheses (m_ge0 : forall t, Q t -> 0 <= m t) (m_one : \sum_(t | Q t && S (group_of t)) m t = 1).
Hypothesis m_balance : combine Q m (Delta alpha) = (gm * n)%V.

Lemma one_half_contains : contains one_half_in (/ 2).
Proof. exact: half_contains. Qed.

Section Columns.
Hypothesis supports_size : size supports = size (sequences D).

Lemma picked_column_encloses b xs F : @column_encloses N D xs F ->
  @column_encloses N D (picked_column b xs) (fun i => if S i == b then F i else 0).
Proof.
case=> sx Hx; apply: (column_map (e0 := (false, Everything N))) => [|i].
  by rewrite size_zip supports_size sx minnn.
by rewrite nth_zip ?supports_size ?sx //= /supporting_groups; case: eqP => // _; exact: contains0.
Qed.

Lemma picked_table_encloses b x F : encloses x F ->
  encloses (picked_table b x) (fun t => if S (group_of t) == b then F t else 0).
Proof.
case=> fx Hx; have [/eqP sx _] := andP fx; have sz : size (zip supports x) = size (sequences D).
  by rewrite size_zip supports_size sx minnn.
have row k : (k < size (sequences D))%nat -> nth [::] (picked_table b x) k =
    if nth false supports k == b then nth [::] x k else [seq interval0 N | _ <- nth [::] x k].
  by move=> kl; rewrite (nth_map (false, [::])) ?sz // nth_zip ?supports_size ?sx.
split=> [|t].
  rewrite /fits size_map sz eqxx; apply/(all_nthP ([::], no_sequence N)) => k.
  rewrite size_zip size_map sz minnn => kl; rewrite nth_zip ?size_map ?sz //= row //.
  by case: ifP => _; rewrite ?size_map; apply/eqP; exact: (fits_row fx kl).
rewrite /at_token row ?ltn_ord // /supporting_groups /=; case: eqP => _; first exact: Hx.
by rewrite (nth_map (Everything N)) ?(fits_row fx (ltn_ord _)) //; exact: contains0.
Qed.

Lemma steepness_in_encloses : @column_encloses N D steepness_in (steepness alpha g u).
Proof.
have H : encloses (map_rows (imax P (interval0 N)) labels) (fun t => Rmax 0 (dot (delta t) u)).
  by apply: (map_encloses labels_enclose) => t I HI; apply: imax_contains => //; exact: contains0.
have [sc Hc] := group_sums_enclose P (by_copies_encloses P Dok Pok H); split=> // i.
have := Hc i; congr contains; rewrite (group_sum alpha) /steepness.
have -> : delta (alpha i) = vzero by rewrite /value_difference /chosen_value group_of_pick; vec_ring.
by rewrite dot0l Rmax_left; [rewrite Rmult_0_r Rplus_0_l | exact: Rle_refl].
Qed.

Lemma total_lengths_enclose : @column_encloses N D total_lengths_in (total_length alpha g).
Proof.
have [sc Hc] := group_sums_enclose P (by_copies_encloses P Dok Pok lengths_enclose); split=> // i.
have := Hc i; congr contains; rewrite (group_sum alpha) /total_length.
have -> : delta (alpha i) = vzero by rewrite /value_difference /chosen_value group_of_pick; vec_ring.
by rewrite vnorm0 Rmult_0_r Rplus_0_l.
Qed.

Lemma steepest_bound : exists x, [/\ contains steepest_in x, 0 <= x & forall i, S i -> steepness alpha g u i <= x].
Proof.
have [x [Hx x0 le]] := column_largest_contains P (picked_column_encloses true steepness_in_encloses).
by exists x; split=> // i Si; have := le i; rewrite Si eqxx.
Qed.

Lemma longest_bound : exists x, [/\ contains longest_in x, 0 <= x &
  forall t, Q t -> S (group_of t) -> vnorm (delta t) <= x].
Proof.
have [fl Hl] := lengths_enclose; have [/eqP sl _] := andP fl.
have rows (i : data_group D) : exists x, contains (column_largest P (nth [::] lengths i)) x /\
    forall s : 'I_(length_of D i), vnorm (delta (@token_of N D i s)) <= x.
  have [x [Hx _ H]] := largest_contains P (c := nth [::] lengths i)
    (F := fun s : 'I_(length_of D i) => vnorm (delta (@token_of N D i s))) (fits_row fl (ltn_ord i))
    (fun s => Hl (token_of s)).
  by exists x.
have [far Hfar] := fin_all_exists rows.
have col : @column_encloses N D [seq column_largest P r | r <- lengths] far.
  by apply: (column_map (e0 := [::])) => // i; have [] := Hfar i.
have [x [Hx x0 le]] := column_largest_contains P (picked_column_encloses true col).
exists x; split=> // -[i s] _ Si; have := le i; rewrite Si eqxx; apply: Rle_trans; have [_ H] := Hfar i; exact: (H s).
Qed.

Lemma beta_bound : exists x, [/\ contains beta_in x, 0 <= x & forall i, ~~ S i ->
  ln (Rmax (steepness alpha g u i) (/ 2 * (dot (kappa i) u - Gm)) / (/ 2 * (dot (kappa i) u - Gm))) / pl <= x].
Proof.
have halves : @column_encloses N D (halved excesses) (fun i => / 2 * (dot (kappa i) u - Gm)).
  by apply: (map_column excesses_enclose) => i I HI; apply: imul_contains => //; exact: one_half_contains.
have col := combine_column (f := fun s h => idiv P (ilog P (idiv P (imax P s h) h)) plain)
  (C := fun i => ln (Rmax (steepness alpha g u i) (/ 2 * (dot (kappa i) u - Gm)) /
    (/ 2 * (dot (kappa i) u - Gm))) / pl) steepness_in_encloses halves.
have [|x [Hx x0 le]] := column_largest_contains P (picked_column_encloses false (col _)).
  move=> i I K HI HK; apply: idiv_contains => //; apply: ilog_contains; apply: idiv_contains => //.
  exact: imax_contains.
by exists x; split=> // i /negbTE nSi; have := le i; rewrite nSi eqxx.
Qed.

Lemma groups_outside_contains : contains groups_outside_in (groups_outside (p := problem D) S).
Proof.
rewrite /groups_outside big_mkcond; apply: (@column_sum_contains N D P _ (fun i => if ~~ S i then 1 else 0)).
apply: (column_map (e0 := false)) => // i; rewrite /supporting_groups.
by case: (nth _ _ _); [exact: contains0 | exact: contains1].
Qed.

Lemma grown_in_contains b r0 : contains window_in b -> contains (fraction_in P (joint_decoder_from c)) r0 ->
  contains (grown_in total_lengths_in) (grown alpha g S b r0).
Proof.
move=> Hb Hr; apply: iadd_contains; last by apply: idiv_contains => //; exact: groups_outside_contains.
have H : @column_encloses N D [seq imul P t (iexp P (imul P window_in t)) | t <- total_lengths_in]
    (fun i => total_length alpha g i * exp (b * total_length alpha g i)).
  apply: (map_column total_lengths_enclose) => i I HI; apply: imul_contains => //.
  by apply: iexp_contains; exact: imul_contains.
have := column_sum_contains P (picked_column_encloses true H); congr contains.
by rewrite [RHS]big_mkcond; apply: eq_bigr => i _; rewrite eqb_id.
Qed.

Lemma copied_encloses xs F : @column_encloses N D xs F ->
  encloses (copied xs) (fun t => copies t * F (group_of t)).
Proof.
move=> H; apply: by_copies_encloses => //.
exact: (spread_column_encloses H labels_enclose (G := fun t => F (group_of t)) (fun t I K HI _ => HI)).
Qed.
End Columns.

Lemma supported_mask_spec : size supports = size (sequences D) -> fits D supported_mask /\
  forall t, Q t -> S (group_of t) -> in_mask supported_mask t.
Proof.
move=> ss; have fk := fits_constraint_mask Pok; have [/eqP sk _] := andP fk.
have sz : size (zip supports (constraint_mask D picks)) = size (sequences D) by rewrite size_zip ss sk minnn.
have row k : (k < size (sequences D))%nat -> nth [::] supported_mask k =
    [seq nth false supports k && a | a <- nth [::] (constraint_mask D picks) k].
  by move=> kl; rewrite (nth_map (false, [::])) ?sz // nth_zip ?ss ?sk.
split=> [|t Qt St].
  rewrite /fits size_map sz eqxx; apply/(all_nthP ([::], no_sequence N)) => k.
  rewrite size_zip size_map sz minnn => kl; rewrite nth_zip ?size_map ?sz //= row // size_map.
  by apply/eqP; exact: (fits_row fk kl).
rewrite /in_mask /at_token row ?ltn_ord // (nth_map false) ?(fits_row fk (ltn_ord _)) //.
by rewrite -/(at_token false _ t) -/(in_mask _ t) (in_constraint_mask Pok) Qt andbT.
Qed.

Lemma held_group t : m t <> 0 -> has (fun I => ~~ is_zero I) (nth [::] weights (tag (t : data_token D))).
Proof.
have [fw Hw] := weights_enclose; move=> mt; apply/(has_nthP (Everything N)).
exists (tagged (t : data_token D)); first by rewrite (fits_row fw (ltn_ord _)).
by apply/negP => /(is_zero_real (Hw t)) /mt.
Qed.

Theorem joint_path_conditions_sound : joint_path_conditions -> forall radius r v w,
  fraction_real (joint_from c) <= radius -> 0 < radius -> fraction_real (joint_decoder_from c) <= r ->
  fraction_real (joint_slope c) * radius <= r -> jointly_regularised g (loss_of l) r radius v w ->
  [/\ 0 < r,
    1 - dot u v / r <=
      fraction_real (joint_decay c) * exp (- (gm * radius)) + fraction_real (joint_decoder_rate c) / r &
    1 - dot n w / radius <= fraction_real (joint_attention_rate c) / radius].
Proof.
rewrite /joint_path_conditions.
case/and5P=> /and5P[tl /(is_positive_real Gamma_in) Gm0 /(is_positive_real nu_in) cost0 /(is_positive_real gamma_in) gm0
  /(is_positive_real plain_in) pl0].
have Hx := fraction_in_contains P (joint_excess c); have Hb := fraction_in_contains P (joint_window c).
have Hh := one_half_contains; have Hr0 := fraction_in_contains P (joint_decoder_from c).
have Hfrom := fraction_in_contains P (joint_from c).
rewrite -/path_excess_in in Hx *; rewrite -/window_in in Hb *.
case/and5P=> /eqP ss /(is_positive_real Hx) x0 /(certainly_lt_real Hx (imul_contains P nu_in Hh)) x_nu.
move=> /(certainly_lt_real Hx (imul_contains P Gamma_in Hh)) x_Gm /(is_positive_real Hb) b0.
have [steepest [Hs s0 s_ge]] := steepest_bound ss; have [longest [Hl l0 l_ge]] := longest_bound ss.
have [beta [Hbeta beta0 beta_ge]] := beta_bound ss.
set x := fraction_real (joint_excess c) in Hx x0 x_nu x_Gm *; set b := fraction_real (joint_window c) in Hb b0 *.
set r0 := fraction_real (joint_decoder_from c) in Hr0 *; set from := fraction_real (joint_from c) in Hfrom *.
pose pull := (1 + longest / cost) / Gm; have Hpull : contains pull_in pull.
  apply: idiv_contains => //; apply: iadd_contains; [exact: contains1 | exact: idiv_contains].
pose h := sqrt (2 * (pull * x)); have Hreach : contains reach_in h.
  by apply: isqrt_contains; apply: imul_contains; [exact: contains2 | exact: imul_contains].
have lc0 : 0 <= longest / cost by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
have pull0 : 0 < pull by apply: Rdiv_lt_0_compat; lra.
have hh : h * h = 2 * (pull * x) by rewrite /h sqrt_sqrt //; have := Rmult_lt_0_compat _ _ pull0 x0; lra.
have h0 : 0 <= h := sqrt_pos _.
have [tail [ls0 ls1] sl0] := tailed_tail tl.
have Hleast : contains tail_least_in (tail_least l).
  by rewrite /tail_least_in /tail_least; case: (l); try exact: contains1; apply/ilog_contains/contains2.
have Hslope : contains tail_slope_in (tail_slope l).
  by rewrite /tail_slope_in /tail_slope; case: (l); try exact: contains1; exact: one_half_contains.
pose count := INR (size (sequences D)); pose spread := ln (count / tail_least l).
have Hspread : contains tail_spread_in spread.
  apply: ilog_contains; apply: idiv_contains Hleast; rewrite /count -(count_of_real N); exact: exactly_contains.
move=> seen_ok groups_ok /andP[/and5P[/(certainly_le_real Hbeta Hfrom) from_ge eta_ok]].
have Hxh := imul_contains P Hx Hh.
move=> /(certainly_le_real (contains1 N) Hr0) r0_ge /(certainly_le_real Hspread (imul_contains P Hxh Hr0)) spread_ok.
have Hsl := fraction_in_contains P (joint_slope c).
move=> /(certainly_le_real (contains0 N) Hsl) slope0; set slope := fraction_real (joint_slope c) in Hsl slope0 *.
case/and3P=> decay_ok drate_ok rate_ok radius r v w far radius0 r_ge r_slope minimiser.
(* groups of equal weight *)
have [i0 Si0] : exists i, S i.
  by case: (pickP S) => [i Si | none]; [exists i | move: mu_one; rewrite big_pred0 //; lra].
have n0 : (0 < size (sequences D))%nat by exact: leq_ltn_trans (leq0n _) (ltn_ord i0).
have count1 : 1 <= count by rewrite /count -[1]/(INR 1); apply/le_INR/leP.
have weightE i : @weight (problem D) i = / count by rewrite /weight /= /mean_weight card_ord.
have weights_equal i : @weight (problem D) i * count = 1 by rewrite weightE Rinv_l; lra.
have weights_one : \sum_i @weight (problem D) i = 1.
  rewrite (eq_bigr (fun=> / count)) => [|i _]; last exact: weightE.
  by rewrite sum_const card_ord -/count Rinv_r; lra.
have spread_is : count = tail_least l * exp spread.
  by rewrite /spread exp_ln; [field; lra | apply: Rdiv_lt_0_compat; lra].
have spread0 : 0 <= spread.
  rewrite /spread -ln_1; apply: ln_mono; first lra.
  by apply: (Rmult_le_reg_r (tail_least l)) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
(* radii *)
have radius_large : beta <= radius by lra.
pose height0 := gm * (from - beta) + pl * beta.
have Hheight : contains (iadd P (imul P gamma (isub P (fraction_in P (joint_from c)) beta_in)) (imul P plain beta_in))
    height0.
  by apply: iadd_contains; apply: imul_contains => //; exact: isub_contains.
have cut_in : contains (dyadic (@one N) 32) (power 32).
  by have := dyadic_contains (@one N) 32; rewrite real1 Rmult_1_l.
have eta0 : steepest * exp (- height0) <= x * / 2.
  move: eta_ok; case: ifP => [/(certainly_le_real cut_in Hheight) big | _] ok.
    apply: Rle_trans (certainly_le_real (imul_contains P Hs (iexp_contains P (iopp_contains cut_in))) Hxh ok).
    by apply: Rmult_le_compat_l => //; apply: exp_monotone; lra.
  exact: (certainly_le_real (imul_contains P Hs (iexp_contains P (iopp_contains Hheight))) Hxh ok).
have eps_small : steepest * exp (- (gm * (radius - beta) + pl * beta)) <= x / 2.
  apply: Rle_trans eta0; apply: Rmult_le_compat_l => //; apply: exp_monotone; rewrite /height0.
  by have := Rmult_le_compat_l gm from radius (ltac:(lra)) far; lra.
have r0_gt0 : 0 < r0 by lra.
have spread_small : spread / r <= x / 2.
  apply: (Rmult_le_reg_r r); first lra.
  have -> : spread / r * r = spread by field; lra.
  by have := Rmult_le_compat_l (x * / 2) r0 r (ltac:(lra)) r_ge; lra.
(* groups *)
pose ex i := dot (kappa i) u - Gm.
have at_group i : group_ok i reach_in (nth (Everything N) (thetas_of reach_in) i).
  by have /allP := groups_ok; apply; rewrite mem_iota ltn_ord.
have [_ He] := excesses_enclose; have [_ Hfar] := farthest_enclose; have [_ Hbest] := bests_enclose.
have [_ Hmu] := mus_enclose.
have Htheta : @column_encloses N D (thetas_of reach_in) (path_share (p := problem D) Gm ex x h reach_of best_of).
  have up : @column_encloses N D
      (combine_columns (fun e far => iadd P (iadd P e path_excess_in) (imul P far reach_in)) excesses farthest)
      (fun i => ex i + x + reach_of i * h).
    apply: (combine_column excesses_enclose farthest_enclose) => i I K HI HK.
    by apply: iadd_contains; [exact: iadd_contains | exact: imul_contains].
  have down : @column_encloses N D (combine_columns (fun e g => isub P (iadd P Gamma e) g) excesses bests)
      (fun i => Gm + ex i - best_of i).
    apply: (combine_column excesses_enclose bests_enclose) => i I K HI HK.
    by apply: isub_contains => //; exact: iadd_contains.
  by apply: (combine_column up down) => i I K HI HK; exact: idiv_contains.
have [_ Hth] := Htheta.
have off i : ~~ S i -> [/\ 0 < ex i, h * reach_of i <= ex i / 4, 4 * gm / ex i <= slope &
    has (fun I => ~~ is_zero I) (nth [::] weights i) -> best_of i < Gm /\
      path_share (p := problem D) Gm ex x h reach_of best_of i < 1].
  move=> nSi; have := at_group i; rewrite /group_ok -/(S i) (negbTE nSi).
  case/and4P=> /(is_positive_real (He i)) e0.
  move/(certainly_lt_real (imul_contains P Hreach (Hfar i)) (imul_contains P (imul_contains P (He i) Hh) Hh)) => near.
  have Hfour : contains (imul P (exactly (four N)) gamma) (4 * gm).
    by apply: imul_contains => //; rewrite -(real4 N); exact: exactly_contains.
  move/(certainly_le_real (idiv_contains P Hfour (He i)) Hsl) => ahead /implyP held; split=> //.
    by rewrite /ex; lra.
  case/held/andP=> /(certainly_lt_real (Hbest i) Gamma_in) b1 /(certainly_lt_real (Hth i) (contains1 N)) t1.
  by split.
have loose i : ~~ S i -> dot (kappa i) u = Gm + ex i /\ 0 < ex i by move=> /off[e0 _ _ _]; rewrite /ex in e0 *; lra.
have held t : Q t -> S (group_of t) -> m t <> 0 -> 0 < mu (group_of t).
  move=> _ St mt; have := at_group (tag (t : data_token D)); rewrite /group_ok -/(S _) St (held_group mt) /=.
  exact: (is_positive_real (Hmu (group_of t))).
have beta_large i : ~~ S i -> steepness alpha g u i * exp (- (pl * beta)) <= ex i / 2.
  move=> nSi; have [e0 _] := off i nSi; have := beta_ge i nSi; rewrite -/(ex i).
  set M := Rmax _ _; have M0 : / 2 * ex i <= M := Rmax_r _ _; have M1 : steepness alpha g u i <= M := Rmax_l _ _.
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
have h_large : 2 * (1 + longest / cost) * x / Gm <= h * h by rewrite hh /pull; right; field; lra.
have [fm in_supported] := supported_mask_spec ss.
have [fl Hlab] := labels_enclose; have [fn Hlen] := lengths_enclose.
have seen t : Q t -> S (group_of t) -> h * vnorm (delta t) < dot (delta t) u.
  move=> Qt St; have := all_withinP (Everything N, Everything N) fm (fits_zip fl fn) seen_ok (in_supported t Qt St).
  rewrite at_token_zip //= => /(certainly_lt_real (imul_contains P Hreach (Hlen t)) (imul_contains P (Hlab t) Hh)).
  by have := Rmult_le_pos _ _ h0 (vnorm_ge0 (delta t)); lra.
have reach_small i : ~~ S i -> h * reach_of i <= ex i / 4 by case/off.
have shares_left t : Q t -> ~~ S (group_of t) -> m t <> 0 -> best_of (group_of t) < Gm + ex (group_of t) /\
    path_share (p := problem D) Gm ex x h reach_of best_of (group_of t) < 1.
  move=> _ nSt mt; have [e0 _ _ H] := off _ nSt; have [b1 t1] := H (held_group mt).
  by split=> //; lra.
have ahead i : ~~ S i -> 4 * gm * radius <= r * ex i.
  move=> nSi; have [e0 _ le _] := off i nSi.
  have le' : 4 * gm <= slope * ex i.
    by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ e0) le; have -> : 4 * gm / ex i * ex i = 4 * gm by field; lra.
  have := Rmult_le_compat_r radius _ _ (ltac:(lra)) le'; have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ e0) r_slope; lra.
have x_nu' : x < cost by lra.
have x_Gm' : x < Gm by lra.
have reach_ge t : ~~ S (group_of t) -> vnorm (g t) <= reach_of (group_of t) by move=> _; exact: reach_of_ge.
have best_ge t : Q t -> ~~ S (group_of t) -> dot (g t) u <= best_of (group_of t) by move=> Qt _; exact: best_of_ge.
have first := joint_decoder (p := problem D) (alpha := alpha) (g := g) (S := S) u_one Gm0 cost0 mu_ge0 mu_one
  mu_balance tight loose label n_short lean_short n_holds lean_holds tail ls0 weights_equal weights_one spread_is s0
  s_ge l0 l_ge beta0 beta_large x_Gm' r0_gt0 radius_large eps_small r_ge spread_small minimiser.
have second := joint_attention (p := problem D) (alpha := alpha) (g := g) (S := S) u_one Gm0 cost0 mu_ge0 mu_one
  mu_balance tight loose label n_short lean_short gm0 pl0 n_holds lean_holds m_ge0 m_one m_balance held tail ls0 sl0
  weights_equal weights_one spread_is spread0 s0 s_ge l0 l_ge beta0 beta_large x_nu' x_Gm' h0 h_large seen reach_ge
  reach_small best_ge b0 r0_gt0 shares_left radius_large eps_small r_ge spread_small ahead minimiser radius0.
have Hlean : contains (imul P (isub P gamma plain) beta_in) ((gm - pl) * beta).
  by apply: imul_contains => //; exact: isub_contains.
have rpos : 0 < r by lra.
split; first exact: rpos.
  apply: Rle_trans first _.
  have A := certainly_le_real (imul_contains P (imul_contains P Hpull Hs) (iexp_contains P Hlean))
    (fraction_in_contains P _) decay_ok.
  have B := certainly_le_real (imul_contains P Hpull Hspread) (fraction_in_contains P _) drate_ok.
  have -> : (1 + longest / cost) * (steepest * exp (- (gm * (radius - beta) + pl * beta)) + spread / r) / Gm =
      pull * steepest * exp ((gm - pl) * beta) * exp (- (gm * radius)) + pull * spread / r.
    rewrite (_ : - (gm * (radius - beta) + pl * beta) = (gm - pl) * beta + - (gm * radius)); last by ring.
    by rewrite exp_plus /pull; field; lra.
  apply: Rplus_le_compat; first by apply: Rmult_le_compat_r => //; exact/Rlt_le/exp_pos.
  by apply: Rmult_le_compat_r => //; exact/Rlt_le/Rinv_0_lt_compat.
apply: Rle_trans second _; apply: Rmult_le_compat_r; first exact/Rlt_le/Rinv_0_lt_compat.
apply: (certainly_le_real _ (fraction_in_contains P _) rate_ok).
apply: (idiv_contains P _ gamma_in); apply: (iadd_contains P _ Hlean).
have Hlate : contains (late_in steepest_in tail_spread_in) (path_late cost spread steepest b).
  by apply: idiv_contains => //; apply: iadd_contains => //; exact: idiv_contains.
have Hkept : contains (isub P (interval1 N) (idiv P path_excess_in nu)) (1 - x / cost).
  by apply: isub_contains; [exact: contains1 | exact: idiv_contains].
have Hgrown := grown_in_contains ss Hb Hr0.
have Hearly : encloses (early_in steepest_in tail_spread_in reach_in total_lengths_in)
    (path_early alpha g S u mu (tail_slope l) spread steepest h b r0).
  have col : @column_encloses N D
      [seq imul P (iexp P (idiv P (iadd P (imul P steepest_in window_in) tail_spread_in) mu))
        (grown_in total_lengths_in) | mu <- mus] (fun i => exp ((steepest * b + spread) / mu i) * grown alpha g S b r0).
    apply: (map_column mus_enclose) => i I HI; apply: imul_contains => //; apply: iexp_contains.
    by apply: idiv_contains => //; apply: iadd_contains => //; exact: imul_contains.
  have seen_table : encloses (seen_in reach_in) (fun t => dot (delta t) u - h * vnorm (delta t)).
    apply: (combine_encloses labels_enclose lengths_enclose) => t I K HI HK.
    by apply: isub_contains => //; exact: imul_contains.
  apply: (spread_column_encloses col seen_table) => t I K HI HK.
  by apply: idiv_contains => //; exact: imul_contains.
pose kept_on t := copies t * (1 - x / cost).
pose kept_off t := copies t * (1 - path_share (p := problem D) Gm ex x h reach_of best_of (group_of t)).
have Hon : encloses (copied [seq isub P (interval1 N) (idiv P path_excess_in nu) | _ <- excesses]) kept_on.
  by apply: (copied_encloses (F := fun=> 1 - x / cost)); apply: (map_column excesses_enclose).
have Hoff : encloses (copied [seq isub P (interval1 N) t | t <- thetas_of reach_in]) kept_off.
  apply: (copied_encloses (F := fun i => 1 - path_share (p := problem D) Gm ex x h reach_of best_of i)).
  by apply: (map_column Htheta) => i I HI; apply: isub_contains => //; exact: contains1.
pose late := path_late cost spread steepest b.
pose early := path_early alpha g S u mu (tail_slope l) spread steepest h b r0.
have sum_on : contains (isum P (group_sums P (combine_tables on_term (picked_table true weights)
      (combine_tables (fun e k => idiv P (imax P e (late_in steepest_in tail_spread_in)) k)
        (early_in steepest_in tail_spread_in reach_in total_lengths_in)
        (copied [seq isub P (interval1 N) (idiv P path_excess_in nu) | _ <- excesses])))))
    (\sum_(t : token (problem D)) (if S (group_of t) == true then m t else 0) * ln (Rmax (early t) late / kept_on t)).
  apply: table_sum_contains.
  have inner := combine_encloses (f := fun e k => idiv P (imax P e (late_in steepest_in tail_spread_in)) k)
    (H := fun t => Rmax (early t) late / kept_on t) Hearly Hon.
  have {}inner := inner (fun t I K HI HK => idiv_contains P (imax_contains P HI Hlate) HK).
  apply: (combine_encloses (picked_table_encloses ss true weights_enclose) inner) => t I K HI HK.
  rewrite /on_term; case: ifP => [/(is_zero_real HI) -> | _]; first by rewrite Rmult_0_l; exact: contains0.
  by apply: imul_contains => //; exact: ilog_contains.
have sum_off : contains (isum P (group_sums P (combine_tables off_term (picked_table false weights)
      (copied [seq isub P (interval1 N) t | t <- thetas_of reach_in]))))
    (\sum_(t : token (problem D)) (if S (group_of t) == false then m t else 0) * Rmax (- ln (kept_off t)) 0).
  apply: table_sum_contains.
  apply: (combine_encloses (picked_table_encloses ss false weights_enclose) Hoff) => t I K HI HK.
  rewrite /off_term; case: ifP => [/(is_zero_real HI) -> | _]; first by rewrite Rmult_0_l; exact: contains0.
  apply: imul_contains => //; apply: imax_contains; last exact: contains0.
  by apply: iopp_contains; exact: ilog_contains.
unfold levels_in; cbv zeta; suff -> : joint_rate alpha g S u Gm cost mu ex m (tail_slope l) spread steepest x h b r0
  reach_of best_of =
    \sum_(t : token (problem D)) (if S (group_of t) == true then m t else 0) * ln (Rmax (early t) late / kept_on t) +
    \sum_(t : token (problem D)) (if S (group_of t) == false then m t else 0) * Rmax (- ln (kept_off t)) 0.
  exact: (iadd_contains P sum_on sum_off).
rewrite -sumD /joint_rate big_mkcond; apply: eq_bigr => t _.
case: (boolP (Q t)) => Qt; last by rewrite (weights_off Qt) !if_same !Rmult_0_l Rplus_0_r.
by rewrite /path_level; case: (S _) => /=; rewrite ?Rmult_0_l ?Rplus_0_r ?Rplus_0_l.
Qed.
End Conditions.
