(* OutputPathKind: the claim `regularisation-path` (T21) about heads of several outputs (DYNAMICS.md section 11).

   A classifier's costs are the gaps and the chords of its loss; of ReLU units they are sums of tangents and chords of
   the units, in the output, and the slopes of the loss follow as for one output. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Heads HeadRanges Claims Direction Saturation ExcessPath
                           ClassifierHead ClassifierLockIn UnitsHead HeadPath Number Rows Entries TokenData Instances
                           MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals ReferenceIntervals Pulls ForeverChecks LocalFactors OutputHeads
                           OutputValues ClassTables ClassLimits ClaimKind RegularisationPathKind Posed OutputKinds
                           OutputLevels.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- a classifier ---- *)

Section Classes.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation token := (token (problem D)).
Notation mask := (constraint_mask D picks).
Notation group_index t := (tag (t : data_token D)).
Variables (k : nat) (G : token -> 'I_k -> R) (y : data_group D -> 'I_k) (v : seq (seq (seq interval))).
Variables (f : enclosed_reference N) (from K : fraction N).
Notation h := (@classifier_head (problem D) [finType of 'I_k] G y).
Notation top := (@class_top (problem D) [finType of 'I_k] G y alpha).

Definition class_tops_of (v : seq (seq interval)) (pick : nat) : seq interval :=
  let alone := [seq ilog P (isum P [seq iexp P x | x <- r]) | r <- v] in
  [seq isub P a (nth anything alone pick) | a <- alone].
Definition class_top_table : seq (seq interval) := [seq class_tops_of x.1 x.2 | x <- zip v picks].
Definition level_ones : seq interval := [seq interval1 N | _ <- sequences D].
(* The sum of the chords times the copies. *)
Definition sum_of_tops (tops : seq (seq interval)) : seq interval :=
  group_sums P (within mask (interval0 N) (by_copies D P picks tops)).

Definition class_path_check : bool :=
  all_within (@is_nonnegative N) mask class_top_table &&
  levels_along_check D P picks f from K (class_gap_table P picks k v) level_ones (sum_of_tops class_top_table).

Lemma sum_of_tops_encloses tops F : encloses tops F ->
  @column_encloses N D (sum_of_tops tops) (fun i => \sum_(t | others alpha i t) copies alpha t * F t).
Proof.
move=> Ht; have [fo Ho] := by_copies_encloses P Dok Pok Ht.
have [ss Hs] := group_sums_enclose P (within_encloses (F := fun t => copies alpha t * F t) (fits_constraint_mask Pok)
  (contains0 N) fo (fun t _ => Ho t)).
split=> // i; have := Hs i; congr contains; rewrite -big_mkcondr; apply: eq_bigl => t.
by rewrite /others (in_constraint_mask Pok) andbC.
Qed.

Hypothesis values_in : numbers_enclose k v
  (fun t u => if insub u is Some u' then G t u' - G t (y (group_index t)) else 0).

Lemma class_top_table_encloses : encloses class_top_table top.
Proof.
have sv := numbers_size values_in; have [/eqP sp _] := andP Pok.
apply: (by_groups_encloses (a0 := ([::], 0%nat))) => [|i]; first by rewrite size_zip sv sp minnn.
have [sr Hr] := values_of_group i values_in; have pl := picks_lt i Pok.
rewrite nth_zip ?sv ?sp //; split=> [|s]; first by rewrite !size_map sr.
have alone (j : 'I_(length_of D i)) : contains (ilog P (isum P [seq iexp P x | x <- nth [::] (nth [::] v i) j]))
    (@class_alone (problem D) [finType of 'I_k] G y (token_of j)).
  have row : class_row_encloses (nth [::] (nth [::] v i) j) (fun u : 'I_k => G (token_of j) u - G (token_of j) (y i)).
    by apply: (row_from_numbers (Hr j)) => u; rewrite valK.
  have [sz H] := row_map_encloses row (fun u I HI => iexp_contains P HI).
  exact (ilog_contains P (isum_contains P sz H)).
rewrite (nth_map anything) ?size_map ?sr ?ltn_ord // !(nth_map [::]) ?sr ?ltn_ord //.
apply: isub_contains; first exact: alone.
have := alone (Ordinal pl); congr contains; rewrite /class_alone /selected_value.
congr ln; apply: eq_bigr => u _; congr exp; rewrite /class_start.
by rewrite /alpha /= /pick_token; congr (G _ _ - G _ _); congr token_of; exact: val_inj.
Qed.

Variables (ws : vec (coord (problem D))) (lam : token -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.

Theorem class_path_sound : class_path_check -> 0 < vnorm ws /\ forall r w, fraction_real from <= r -> vnorm w <= r ->
  (forall w' : vec (coord (problem D)), vnorm w' <= r -> head_loss h w <= head_loss h w') ->
  1 - dot w ws / (vnorm ws * r) <= fraction_real K / r.
Proof.
case/andP=> nonneg levels; have tops := class_top_table_encloses.
have ones : @column_encloses N D level_ones (fun=> 1).
  by split=> [|i]; [rewrite size_map | rewrite (nth_map (no_sequence N)) ?ltn_ord //; exact: contains1].
have top_ge0 t : constraint alpha t -> 0 <= top t.
  have [ft Ht] := tops; rewrite -(in_constraint_mask Pok) => Qt.
  exact: is_nonnegative_real (Ht t) (all_withinP anything (fits_constraint_mask Pok) ft nonneg Qt).
apply: (levels_along_sound Dok solution reference_in (class_gap_encloses P Pok values_in) ones
  (sum_of_tops_encloses tops) (fun _ => Rlt_0_1) (class_over_total G y alpha) levels) => g0 on_ray near0 _ _.
split=> [w i|r i far].
  rewrite Rmult_1_l; apply: (Rplus_le_reg_l (selected_value G y alpha i)).
  by apply: Rle_trans (classifier_convex G y alpha w i) _; rewrite /class_over; lra.
apply: Rle_trans (class_chords G y alpha (r * _)%V i) _; apply: lost_on_ray => // [|t /andP[Qt _]]; first lra.
exact: top_ge0.
Qed.
End Classes.

(* ---- ReLU units ---- *)

Section Units.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation token := (token (problem D)).
Notation mask := (constraint_mask D picks).
Variables (k : nat) (Y : data_group D -> R) (r : 'I_k -> R) (unit_of : token -> 'I_k -> R) (l : loss_name).
Variables (v : seq (seq (seq interval))) (weights : seq (seq interval)).
Variables (f : enclosed_reference N) (from K : fraction N).
Notation h := (@units_head (problem D) [finType of 'I_k] Y r unit_of (loss_of l)).
Notation rise := (@units_rise (problem D) [finType of 'I_k] Y r unit_of alpha).
Notation top := (@units_top (problem D) [finType of 'I_k] Y r unit_of alpha).
Notation best := (@units_best (problem D) [finType of 'I_k] Y r unit_of alpha).
Notation tangent := (@unit_tangent (problem D) [finType of 'I_k] unit_of alpha).
Notation chord := (@unit_chord (problem D) [finType of 'I_k] unit_of alpha).

(* ---- computed ---- *)

(* Of the selected token's number and another one's. *)
Definition tangent_in (own z : interval) : interval :=
  if is_positive own then isub P z own else if is_nonnegative (iopp own) then interval0 N else anything.
Definition chord_in (own z : interval) : interval := isub P (imax P (interval0 N) z) (imax P (interval0 N) own).
(* Minus the weight times one of the two, by its sign. *)
Definition unit_cost (positive negative : interval -> interval -> interval) (w own z : interval) : interval :=
  if is_zero w then interval0 N
  else if is_positive w then imul P (iopp w) (positive own z)
  else if is_positive (iopp w) then imul P (iopp w) (negative own z) else anything.
Definition unit_costs_of (cost : interval -> interval -> interval -> interval) (w : seq interval)
    (rows : seq (seq interval)) (pick : nat) : seq interval :=
  [seq isum P [seq cost x.1 x.2.1 x.2.2 | x <- zip w (zip (nth [::] rows pick) z)] | z <- rows].
Definition unit_cost_table (cost : interval -> interval -> interval -> interval) : seq (seq interval) :=
  [seq unit_costs_of cost x.1.1 x.1.2 x.2 | x <- zip (zip weights v) picks].

Definition unit_rise_table : seq (seq interval) := unit_cost_table (unit_cost chord_in tangent_in).
Definition unit_top_table : seq (seq interval) := unit_cost_table (unit_cost tangent_in chord_in).
Definition unit_bests : seq interval :=
  [seq row_total P x.1.1 [seq imax P (interval0 N) z | z <- nth [::] x.1.2 x.2] | x <- zip (zip weights v) picks].
Definition unit_slopes : seq interval := [seq slope_interval P l b | b <- unit_bests].
(* The output on the ray is never lower. *)
Definition unit_lows : seq interval :=
  combine_columns (imax P)
    (combine_columns (isub P) unit_bests (rows_largest P (within mask (interval0 N) unit_top_table)))
    (combine_columns (fun b s => isub P b (imul P s (path_decay_in P (margin_in f) from))) unit_bests
      (sum_of_tops D P picks unit_top_table)).
Definition unit_mosts : seq interval :=
  combine_columns (fun b s => imul P (slope_interval P l b) s) unit_lows (sum_of_tops D P picks unit_top_table).

Definition unit_path_check : bool :=
  [&& everywhere l, all_within (@is_nonnegative N) mask unit_top_table &
      levels_along_check D P picks f from K unit_rise_table unit_slopes unit_mosts].

(* ---- what that means ---- *)

Hypothesis values_in : numbers_enclose k v (fun t u => if insub u is Some u' then unit_of t u' else 0).
Hypothesis weights_in : size weights = size (sequences D) /\
  forall i : data_group D, numbers_in k (nth [::] weights i) (fun u => if insub u is Some u' then Y i * r u' else 0).

Lemma unit_cost_contains positive negative (p n : R) I J H w own z : contains I w -> contains J own -> contains H z ->
  contains (positive J H) p -> contains (negative J H) n ->
  contains (unit_cost positive negative I J H) (- w * (if Rlt_dec w 0 then n else p)).
Proof.
move=> HI HJ HH Hp Hn; rewrite /unit_cost; case: ifP => [/(is_zero_real HI) -> | _].
  by rewrite Ropp_0 Rmult_0_l; exact: contains0.
case: ifP => [/(is_positive_real HI) w0 | _].
  by case: Rlt_dec => [neg|pos]; [lra | apply: imul_contains => //; exact: iopp_contains].
case: ifP => // /(is_positive_real (iopp_contains HI)) w0.
by case: Rlt_dec => [neg|ge]; [apply: imul_contains => //; exact: iopp_contains | lra].
Qed.

Lemma tangent_contains I J own z : contains I own -> contains J z ->
  contains (tangent_in I J) (if Rlt_dec 0 own then z - own else 0).
Proof.
move=> HI HJ; rewrite /tangent_in; case: ifP => [/(is_positive_real HI) o0 | _].
  by case: Rlt_dec => [pos|neg]; [exact: isub_contains | lra].
case: ifP => // /(is_nonnegative_real (iopp_contains HI)) o0.
by case: Rlt_dec => [pos|neg]; [lra | exact: contains0].
Qed.

Lemma chord_contains I J own z : contains I own -> contains J z ->
  contains (chord_in I J) (Rmax 0 z - Rmax 0 own).
Proof. by move=> HI HJ; apply: isub_contains; apply: imax_contains => //; exact: contains0. Qed.

(* A sum over the units of numbers of the weight, the selected token's number and the token's. *)
Lemma unit_cost_table_encloses cost (c : R -> R -> R -> R) :
  (forall I J H w own z, contains I w -> contains J own -> contains H z -> contains (cost I J H) (c w own z)) ->
  encloses (unit_cost_table cost) (fun t : token => \sum_(n : 'I_k) c (Y (group_of t) * r n)
    (unit_of (selected alpha t) n) (unit_of t n)).
Proof.
move=> costs; have sv := numbers_size values_in; have [sw Hw] := weights_in; have [/eqP sp _] := andP Pok.
apply: (by_groups_encloses (a0 := (([::], [::]), 0%nat))) => [|i]; first by rewrite !size_zip sw sv sp !minnn.
have [sr Hr] := values_of_group i values_in; have pl := picks_lt i Pok.
rewrite !nth_zip ?size_zip ?sw ?sv ?sp ?minnn //; split=> [|s]; first by rewrite !size_map sr.
rewrite (nth_map [::]) ?sr ?ltn_ord //; have [szw HI] := Hw i; have [szo HJ] := Hr (Ordinal pl).
have [szz HH] := Hr s; apply: isum_contains => [|n].
  by rewrite size_map !size_zip szw szo szz !minnn.
rewrite (nth_map (anything, (anything, anything))) ?size_zip ?szw ?szo ?szz ?minnn //.
rewrite !nth_zip ?size_zip ?szw ?szo ?szz ?minnn //=.
have := costs _ _ _ _ _ _ (HI n (ltn_ord n)) (HJ n (ltn_ord n)) (HH n (ltn_ord n)); rewrite valK.
congr contains; congr (c _ _ _); rewrite /selected /alpha /= /pick_token; congr (unit_of _ _); congr token_of.
exact: val_inj.
Qed.

Lemma unit_rise_encloses : encloses unit_rise_table rise.
Proof.
apply: (unit_cost_table_encloses (c := fun w own z => - w * (if Rlt_dec w 0
  then (if Rlt_dec 0 own then z - own else 0) else Rmax 0 z - Rmax 0 own))) => I J H w own z HI HJ HH.
exact: unit_cost_contains HI HJ HH (chord_contains HJ HH) (tangent_contains HJ HH).
Qed.

Lemma unit_top_encloses : encloses unit_top_table top.
Proof.
apply: (unit_cost_table_encloses (c := fun w own z => - w * (if Rlt_dec w 0 then Rmax 0 z - Rmax 0 own
  else (if Rlt_dec 0 own then z - own else 0)))) => I J H w own z HI HJ HH.
exact: unit_cost_contains HI HJ HH (tangent_contains HJ HH) (chord_contains HJ HH).
Qed.

Lemma unit_bests_enclose : @column_encloses N D unit_bests best.
Proof.
have sv := numbers_size values_in; have [sw Hw] := weights_in; have [/eqP sp _] := andP Pok.
apply: (column_map (e0 := (([::], [::]), 0%nat))) => [|i]; first by rewrite !size_zip sw sv sp !minnn.
rewrite !nth_zip ?size_zip ?sw ?sv ?sp ?minnn //=.
have [sr Hr] := values_of_group i values_in; have pl := picks_lt i Pok.
have own : numbers_in k [seq imax P (interval0 N) x | x <- nth [::] (nth [::] v i) (nth 0%nat picks i)]
    (fun u => Rmax 0 (if insub u is Some u' then unit_of (token_of (Ordinal pl)) u' else 0)).
  by apply: (row_map (Hr (Ordinal pl))) => u I _ HI; apply: imax_contains => //; exact: contains0.
have := row_total_contains P (Hw i) own; congr contains; rewrite /units_best sum_mull; apply: eq_bigr => u _.
rewrite valK Rmult_assoc; congr (_ * (_ * Rmax 0 (unit_of _ _))).
by rewrite /alpha /= /pick_token; congr token_of; exact: val_inj.
Qed.

Variables (ws : vec (coord (problem D))) (lam : token -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Notation gamma := (Saturation.margin_value ws).

Theorem unit_path_sound : unit_path_check -> 0 < vnorm ws /\ forall r w, fraction_real from <= r -> vnorm w <= r ->
  (forall w' : vec (coord (problem D)), vnorm w' <= r -> head_loss h w <= head_loss h w') ->
  1 - dot w ws / (vnorm ws * r) <= fraction_real K / r.
Proof.
case/and3P=> total nonneg levels; have tops := unit_top_encloses; have bests := unit_bests_enclose.
have [_ Hg _ _ _] := reference_in.
have defined x : loss_domain (loss_of l) x by exact: everywhere_domain.
have top_ge0 t : constraint alpha t -> 0 <= top t.
  have [ft Ht] := tops; rewrite -(in_constraint_mask Pok) => Qt.
  exact: is_nonnegative_real (Ht t) (all_withinP anything (fits_constraint_mask Pok) ft nonneg Qt).
pose sums (i : data_group D) : R := \sum_(t | others alpha i t) copies alpha t * top t.
pose widest := group_largest (fun t : token => if in_mask mask t then top t else 0).
pose decay : R := exp (- Rmin (gamma * fraction_real from) decay_cut).
pose low (i : data_group D) : R := Rmax (best i - widest i) (best i - sums i * decay).
have sums_in := sum_of_tops_encloses P Dok Pok tops.
have widest_in : column_encloses (D := D) (rows_largest P (within mask (interval0 N) unit_top_table)) widest.
  apply: rows_largest_enclose; have [ft Ht] := tops.
  by apply: (within_encloses (fits_constraint_mask Pok) (contains0 N) ft) => t _; exact: Ht.
have lows_in : @column_encloses N D unit_lows low.
  apply: (combine_column (combine_column (C := fun i => best i - widest i) bests widest_in
    (fun i I J HI HJ => isub_contains P HI HJ)) (combine_column (C := fun i => best i - sums i * decay) bests sums_in
    (fun i I J HI HJ => isub_contains P HI (imul_contains P HJ (decay_contains P from Hg))))) => i I J.
  exact: imax_contains.
pose most i : R := - dloss (loss_of l) (low i) * sums i.
have mosts_in : @column_encloses N D unit_mosts most.
  apply: (combine_column lows_in sums_in) => i I J HI HJ; apply: imul_contains => //; exact: slope_interval_contains.
have slopes_in : @column_encloses N D unit_slopes (fun i => - dloss (loss_of l) (best i)).
  by apply: (map_column bests) => i I HI; exact: slope_interval_contains.
pose excess w (i : group (problem D)) : R :=
  loss_of l (@units_at (problem D) [finType of 'I_k] Y r unit_of w i) - loss_of l (best i).
have lossE w : head_loss h w - \sum_i weight i * loss_of l (best i) = total_excess excess w.
  by rewrite /head_loss -sumB; apply: eq_bigr => i _; rewrite /excess /units_at /=; ring.
have slope_gt0 (i : data_group D) : 0 < - dloss (loss_of l) (best i) by have := dloss_lt0 (loss_of l) (best i); lra.
apply: (levels_along_sound Dok solution reference_in unit_rise_encloses slopes_in mosts_in slope_gt0 lossE levels)
  => g0 on_ray near0 near_is rise_gt0.
have rise_ge0 i t : others alpha i t -> 0 <= rise t by case/andP=> Qt _; exact/Rlt_le/rise_gt0.
split=> [w i|x i far].
  apply: (units_excess_ge defined w (rise_ge0 i) _ (Rlt_le _ _ (slope_gt0 i))) => x le.
  exact: slope_decreasing (defined _) le.
set z := (x * _)%V; have x0 : 0 <= x by lra.
have lost : \sum_(t | others alpha i t) attention z t * top t <= sums i * exp (- (gamma * x)).
  exact: (@lost_on_ray (problem D) alpha _ _ top x i x0 on_ray (fun t ti => top_ge0 t (proj1 (andP ti)))).
have [_ high] := @units_lost (problem D) [finType of 'I_k] Y r unit_of alpha z i.
have sums0 : 0 <= sums i.
  by apply: sum_ge0 => t /andP[Qt _]; apply: Rmult_le_pos; [exact/Rlt_le/copies_gt0 | exact: top_ge0].
have faded : exp (- (gamma * x)) <= decay.
  by apply: Growth.exp_le; rewrite -near_is; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ g0) far; lra.
have all_lost : \sum_(t | others alpha i t) attention z t * top t <= widest i.
  have one : \sum_(t | others alpha i t) attention z t <= 1.
    by rewrite -(attention_deficit_sum alpha); have := attention_gt0 z (alpha i); lra.
  have w0 : 0 <= widest i by exact: group_largest_ge0.
  apply: (Rle_trans _ ((\sum_(t | others alpha i t) attention z t) * widest i)).
    rewrite sum_mulr; apply: sum_le => t /andP[Qt /eqP <-]; apply: Rmult_le_compat_l; first exact/Rlt_le/attention_gt0.
    have := group_largest_ge (fun t : token => if in_mask mask t then top t else 0) t.
    by rewrite (in_constraint_mask Pok) Qt.
  by have := Rmult_le_compat_r _ _ _ w0 one; lra.
have below : low i <= @units_at (problem D) [finType of 'I_k] Y r unit_of z i.
  apply: Rmax_lub; first lra.
  by have := Rmult_le_compat_l _ _ _ sums0 faded; lra.
have slope a : @units_at (problem D) [finType of 'I_k] Y r unit_of z i <= a -> - dloss (loss_of l) a <=
    - dloss (loss_of l) (low i) by move=> le; apply: slope_decreasing (defined _) (Rle_trans _ _ _ below le).
have := @units_excess_le (problem D) [finType of 'I_k] Y r unit_of (loss_of l) alpha _ defined z i _ (rise_ge0 i) lost
  slope.
by rewrite /excess /most; lra.
Qed.
End Units.

(* ---- the kind ---- *)

Section Kind.
Variable N : number.
Notation P := path_precision.

Definition output_regularised_says : output_statement N (regularisation_data N) := fun I D alpha x =>
  if regularisation_loss x is Some l then
    exists2 h, output_head I D l = Some h & exists ws, [/\ max_margin alpha ws, 0 < vnorm ws &
      forall r w, fraction_real (from_radius x) <= r -> vnorm w <= r ->
      (forall w' : vec (coord (problem D)), vnorm w' <= r -> head_loss h w <= head_loss h w') ->
      1 - dot w ws / (vnorm ws * r) <= fraction_real (rate_constant x) / r]
  else False.

Definition output_regularised_check : output_checker N (regularisation_data N) := fun I D picks cited x =>
  if (locate_solution (cited (regularisation_from x)), regularisation_loss x) is (Some s, Some l) then
    let f := reference_of D P picks (located_vector s) (located_margins s) (located_mask s) (located_distance s)
      (located_multiplier_distance s) in
    let F := from_radius x in let K := rate_constant x in
    accept [&& head_known I l, layer_ok I D, has_constraint D picks &
      match token_scoring I with
      | SeveralOutputs (ClassLayer classes layer unit) =>
          class_path_check D P picks (size layer).-1.+1 (class_values I P classes layer unit) f F K
      | SeveralOutputs (UnitLayer labels layer unit bias bu second su) =>
          unit_path_check D P picks l (unit_values I P layer unit bias bu) (label_weights P labels second su) f F K
      | _ => false
      end] Nothing
  else None.

Theorem output_regularised_holds : output_check_holds output_regularised_says output_regularised_check.
Proof.
move=> I D picks Dok Pok cited [k l F K] f facts; rewrite /output_regularised_check /output_regularised_says /=.
case known: (locate_solution _) => [v | ] //; case: l => // l.
have [x [y [ws [lam [vok -> sol Hx Hy]]]]] := locate_solutionP (facts k) known.
case/acceptP=> /and4P[/(known_head D)[h head_is] layered /(has_constraintP Pok) cs checked] <-; split=> //.
have [pair _ _ _ _] := sol; have ref := reference_of_encloses P Dok vok sol cs Hx Hy.
exists h => //; exists ws; move: head_is checked; rewrite /output_head.
case E: (token_scoring I) => [| | |[classes layer unit|labels layer unit bias bu second su]] //; case: ifP => // _ [<-].
  have values := class_values_enclose P layered E.
  by case/(class_path_sound Dok values pair ref) => n0 far; split=> //; exact: (proj1 pair).
have values := unit_values_enclose P layered E; have weights := label_weights_enclose P layered E.
by case/(unit_path_sound Dok values weights pair ref) => n0 far; split=> //; exact: (proj1 pair).
Qed.

Definition regularisation_by_scoring : posed_kind N :=
  @by_scoring N (regularisation_kind N) _ _ output_regularised_holds.
End Kind.
