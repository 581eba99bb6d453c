(* JointForeverChecks: the hypotheses of T20 (JOINT.md section 4) at one point of the pair, enclosed, and its
   conclusions compared with what a claim says. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Direction Saturation Losses Gradient Growth JointModel JointAscent
                           JointDecoder JointAttention JointRegion JointInside JointRun JointSpan Number Rows Entries
                           TokenData Instances EqualTokens MarginChecks OptimalityChecks EnclosureChecks Interval
                           Elementary IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals
                           LabelMarginsChecks LabelledValues ForeverChecks TokenReplay Posed JointPathParts JointPoint.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

(* What is shown with: g, x, the root of Q_a, and a box a group. *)
Record pair_region (N : number) := PairRegion {
  region_deficit : fraction N; region_reach : fraction N; region_aside : fraction N; region_boxes : seq (fraction N)
}.

(* With S what the attention's steps add up to: y = along + growth S, from which 1 - corr <= lateral^2/(2 y^2) and
   L <= loss e^(-decay y). *)
Record decoder_future (N : number) := DecoderFuture {
  value_from : fraction N; value_growth : fraction N; value_lateral : fraction N; value_loss : fraction N;
  value_decay : fraction N
}.
(* Y = along + growth S, 1 - corr <= spread/(2 Y), and 1 - s <= unselected e^(-fall S). *)
Record attention_future (N : number) := AttentionFuture {
  rows_from : fraction N; rows_growth : fraction N; rows_spread : fraction N; rows_unselected : fraction N;
  rows_fall : fraction N
}.

(* Where the pair is when the attention's steps have added up to S, against u and n. *)
Definition foreseen (N : number) (p : selection_problem) (J : finType) (g : token p -> vec J) (l : loss)
    (alpha : selection p) (u : vec J) (n : vec (coord p)) (a : decoder_future N) (b : attention_future N) (S : R)
    (v : vec J) (w : vec (coord p)) : Prop :=
  let height := fraction_real (value_from a) + fraction_real (value_growth a) * S in
  let row_height := fraction_real (rows_from b) + fraction_real (rows_growth b) * S in
  [/\ height <= dot v u /\
      1 - cosine u v <= fraction_real (value_lateral a) * fraction_real (value_lateral a) / (2 * (height * height)),
      joint_loss g l v w <= fraction_real (value_loss a) * exp (- (fraction_real (value_decay a) * height)),
      row_height <= dot w n /\ 1 - cosine n w <= fraction_real (rows_spread b) / (2 * row_height) &
      forall i, 1 - attention w (alpha i) <=
        fraction_real (rows_unselected b) * exp (- (fraction_real (rows_fall b) * S))].

(* The limits and the pair, enclosed. *)
Record pair_inputs (N : number) := PairInputs {
  ray_in : seq (interval N); ray_margin_in : interval N; shares_in : seq (interval N);   (* u_v, gamma_v, mu *)
  attention_in : enclosed_reference N;
  decoder_in : seq (interval N);                                       (* v *)
  row_height_in : interval N; row_square_in : interval N;              (* Y, ||W||^2 *)
  row_step_in : interval N; value_step_in : interval N                 (* eta, rho eta *)
}.

Section Definitions.
Variables (N : number) (P : Z) (I : instance N) (D : token_data N) (sel : seq nat) (groups : seq (labelled_group N)).
Variables (z : pair_inputs N) (inverse : seq (seq (interval N))) (l : loss_name) (r : pair_region N).
Notation interval := (interval N).
Notation table := (seq (seq interval)).
Notation zero_in := (interval0 N).
Notation one_in := (interval1 N).
Notation number := (fraction_in P).
Notation constraints := (constraint_mask D sel).
Notation f := (attention_in z).

(* ---- the decoder ---- *)

Definition pair_deficit_in : interval := number (region_deficit r).
Definition region_aside_in : interval := number (region_aside r).
Definition alone : bool := size groups == 1%nat.
Definition pull_tail_in : interval := if l is Logistic then idiv P one_in (iadd P one_in pair_deficit_in) else one_in.
Definition pair_height_in : interval := height_in P (ray_in z) (decoder_in z).
Definition value_reach_in : interval :=                                                          (* X *)
  if alone then zero_in
  else imax P (near_centre_in P groups (ray_in z) (ray_margin_in z) (shares_in z) (decoder_in z) inverse)
         (iadd P (number (region_reach r)) (value_step_in z)).
Definition pull_level_in : interval :=
  iadd P (iadd P (isub P pair_deficit_in (ilog P pull_tail_in))
    (idiv P (imul P (iadd P (longest_value_in P groups) pair_deficit_in) (value_step_in z)) (interval2 N)))
    (imul P pair_deficit_in (number (region_reach r))).
Definition home_check : bool :=
  if alone then nilp (region_boxes r) && is_nonnegative (number (region_reach r))
  else boxes_check P groups (ray_margin_in z) (shares_in z) inverse pull_level_in (number (region_reach r))
         [seq number b | b <- region_boxes r].

(* ---- label margins ---- *)

Definition value_still_in : seq interval := still_in P I groups (shares_in z) (decoder_in z) inverse.
Definition along_table : table := labels_in P groups (ray_in z).                                 (* Gamma_c *)
Definition tilt_table : table := labels_in P groups value_still_in.                              (* l_c *)
Definition inside_table : table := of_differences groups (fun _ s => form_in P inverse (value_products_in P groups s)).
Definition square_table : table := of_differences groups (fun _ s => row_product P s s).
Definition reach_table : table :=
  let X := value_reach_in in
  combine_tables (iadd P)
    (combine_tables (fun a b => imul P (isqrt P (isub P a (imul P b b))) X) inside_table along_table)
    (combine_tables (fun a b => imul P (isqrt P (isub P a b)) pair_deficit_in) square_table inside_table).
Definition least_table : table :=                                                                (* low_c *)
  let y := pair_height_in in let g := pair_deficit_in in
  combine_tables (fun a b => iadd P a (idiv P (isub P (imin P b zero_in) g) y)) along_table
    (combine_tables (isub P) tilt_table reach_table).
Definition most_table : table :=                                                                 (* high_c *)
  let y := pair_height_in in
  combine_tables (fun a b => iadd P a (idiv P (imax P b zero_in) y)) along_table
    (combine_tables (iadd P) tilt_table reach_table).

(* ---- the attention ---- *)

Definition longest_row_in : interval := table_largest P (distance_table D P sel).
Definition rows_pace_in : interval := idiv P (margin_in f) longest_row_in.                       (* b *)
Definition steps_ratio_in : interval := idiv P (value_step_in z) (row_step_in z).                (* rho *)
Definition values_pace_in : interval := idiv P steps_ratio_in rows_pace_in.                      (* R *)
Definition turns_in : seq interval :=                                                            (* T_i *)
  let X := value_reach_in in
  let mean := mixed_rows P (token_dimension I) (group_sums P (weights_in f)) (selected_values groups) in
  [seq imul P (length_of_row P (apart P mean a)) X | a <- selected_values groups].
Definition row_highs_in : table :=
  by_copies D P sel (spread_column (imul P) [seq iexp P (isub P pair_deficit_in c) | c <- centres_in P (shares_in z)]
    most_table).
Definition row_lows_in : table :=
  let front := imul P pull_tail_in (isub P one_in pair_deficit_in) in
  by_copies D P sel (spread_column (imul P) [seq imul P front (iexp P (iopp c)) | c <- centres_in P (shares_in z)]
    least_table).
Definition rows_sum (m : table) : interval := isum P (group_sums P (within constraints zero_in m)).
Definition concentration_in : interval :=                                                        (* C *)
  imax P (isub P
    (ilog P (rows_sum (spread_column (imul P) [seq iexp P t | t <- turns_in] row_highs_in)))
    (isum P (group_sums P (within (active_in f) zero_in
       (combine_tables (fun nu low => imul P nu (isub P (ilog P low) (ilog P nu))) (weights_in f) row_lows_in)))))
    zero_in.
Definition rows_growth_in : interval :=                                                          (* K *)
  iadd P (idiv P (imul P (interval2 N) concentration_in) (margin_in f))
    (idiv P (imul P (row_step_in z) longest_row_in) (margin_in f)).
Definition spread_table : table := map_rows (isqrt P) (square_spreads D P sel f).
Definition slope_table : table :=                                                                (* a_c *)
  let K := rows_growth_in in let twice := imul P (interval2 N) region_aside_in in
  combine_tables (fun a b => isub P a (idiv P (imul P b K) twice)) (slopes_in f) spread_table.
Definition pair_share_table : table :=                                                                (* psi_c *)
  let Y := row_height_in z in let A := region_aside_in in
  by_copies D P sel (map_rows (exp_minus P)
    (combine_tables (fun a b => isub P (imul P a Y) (imul P b A)) (slopes_in f) spread_table)).

(* ---- what stays small ---- *)

Definition others_in (m : table) : seq interval := group_sums P (within constraints zero_in m).
Definition lost_column : seq interval :=
  let y := pair_height_in in others_in (map_rows (fun J => imul P J y) (combine_tables (imul P) pair_share_table
    most_table)).
Definition rest_column : seq interval := others_in pair_share_table.
Definition turned_column : seq interval :=
  others_in (combine_tables (imul P) pair_share_table (value_lengths_in P groups)).
Definition turned_in : interval := column_largest P turned_column.                               (* d *)
Definition pair_drift_in : interval :=
  let eta := row_step_in z in
  imul P (idiv P values_pace_in (isub P (ray_margin_in z) turned_in))
    (rows_sum (combine_tables (fun a b => idiv P (imul P a (iexp P (imul P b eta))) b)
       (combine_tables (imul P) pair_share_table (value_lengths_in P groups)) slope_table)).
Definition output_losses_in : seq interval :=
  let X := value_reach_in in let g := pair_deficit_in in
  combine_columns (fun a c => iadd P (isub P (imul P a X) c) g) (values_aside_in P groups (ray_margin_in z))
    (centres_in P (shares_in z)).

(* ---- the conditions ---- *)

Definition region_check : bool :=
  [&& [&& is_positive pair_height_in, is_positive (row_height_in z), is_positive pair_deficit_in,
          certainly_lt pair_deficit_in one_in & is_positive region_aside_in],
      [&& is_positive (row_step_in z), is_positive (value_step_in z), all (@is_positive N) (shares_in z) & home_check],
      certainly_le (isub P (row_square_in z) (imul P (row_height_in z) (row_height_in z)))
        (imul P region_aside_in region_aside_in),
      (if l is Logistic then
         all (fun o => certainly_le (iexp P (isub P o (imul P (ray_margin_in z) pair_height_in))) pair_deficit_in)
           output_losses_in
       else if l is Exponential then true else false) &
      [&& all_within (@is_positive N) constraints least_table,
          all_within (@is_positive N) constraints slope_table,
          (let pace := values_pace_in in let y := pair_height_in in
           all_within (fun a => certainly_le pace (imul P a y)) constraints slope_table) &
          [&& all (fun J => certainly_lt J pair_deficit_in) lost_column, all (fun J => certainly_lt J
    pair_deficit_in) rest_column,
              certainly_lt turned_in pair_deficit_in, certainly_lt turned_in (ray_margin_in z) &
              certainly_lt pair_drift_in pair_deficit_in]]].

(* ---- the conclusions ---- *)

Variables (a : decoder_future N) (b : attention_future N).

Definition future_check : bool :=
  [&& [&& is_positive (number (value_from a)), is_positive (number (value_growth a)),
          is_positive (number (value_decay a)), is_positive (number (rows_from b)) &
          is_positive (number (rows_growth b))],
      [&& certainly_le (number (value_from a)) pair_height_in,
          certainly_le (number (value_growth a))
            (imul P steps_ratio_in (idiv P (isub P (ray_margin_in z) turned_in)
              (iadd P (longest_value_in P groups) turned_in))),
          certainly_le (iadd P (iadd P (length_of_row P value_still_in) value_reach_in) pair_deficit_in)
            (number (value_lateral a)),
          certainly_le (isum P [seq imul P (group_share D P) (iexp P o) | o <- output_losses_in])
            (number (value_loss a)) &
          certainly_le (number (value_decay a)) (ray_margin_in z)] &
      [&& certainly_le (number (rows_from b)) (row_height_in z), certainly_le (number (rows_growth b)) rows_pace_in,
          certainly_le (imax P (idiv P (imul P region_aside_in region_aside_in) (row_height_in z)) rows_growth_in)
            (number (rows_spread b)),
          all (fun J => certainly_le J (number (rows_unselected b))) rest_column &
          (let fall := number (rows_fall b) in let pace := rows_pace_in in
           all_within (fun J => certainly_le fall (imul P J pace)) constraints slope_table)]].
End Definitions.

(* ---- what they contain ---- *)

Section Sound.
Variables (N : number) (P : Z) (I : instance N) (sel : seq nat) (groups : seq (labelled_group N)).
Variables (z : pair_inputs N) (inverse : seq (seq (interval N))) (l : loss_name) (r : pair_region N).
Notation interval := (interval N).
Notation D := (data_of I).
Notation column := (vec [finType of 'I_(token_dimension I) * 'I_1]).
Notation constraints := (constraint_mask D sel).
Notation count := (size (sequences D)).
Hypothesis groupsE : groups = all_groups_in I P sel (token_data_of I).
Hypotheses (Iok : instance_ok I) (MDok : data_ok D) (Sok : picks_ok D sel) (unit_gt0 : 0 < real (tokens_unit I)).
Let alpha : selection (problem D) := selection_of Sok.
Notation g := (@labelled_value N I).
Notation kappa := (chosen_value g alpha).
Notation delta := (value_difference g alpha).
Notation Q := (constraint alpha).
Notation M := (gram_inverse_entry Sok).
Implicit Types (t : token (problem D)) (i j k : data_group D).

(* ---- sums over constraints ---- *)

Lemma rows_sum_contains m (F : token (problem D) -> R) : @encloses N D m F ->
  contains (rows_sum P D sel m) (\sum_(t | Q t) F t).
Proof.
move=> [fm Hm]; have H := within_encloses (fits_constraint_mask Sok) (@contains0 N) fm (fun t _ => Hm t).
have := table_sum_contains P H; congr contains; rewrite [RHS]big_mkcond; apply: eq_bigr => t _.
by rewrite (in_constraint_mask Sok).
Qed.

Lemma others_contain m (F : token (problem D) -> R) : @encloses N D m F ->
  @column_encloses N D (others_in P D sel m) (fun i => \sum_(t | others alpha i t) F t).
Proof.
move=> [fm Hm]; have H := within_encloses (fits_constraint_mask Sok) (@contains0 N) fm (fun t _ => Hm t).
have [sz C] := group_sums_enclose P H; split=> // i.
rewrite -(others_sum Sok); have := C i; congr contains; apply: eq_bigr => t _.
by rewrite (in_constraint_mask Sok).
Qed.

Lemma within_all (f : interval -> bool) m (F : token (problem D) -> R) t : @encloses N D m F ->
  all_within f constraints m -> Q t -> exists2 J, contains J (F t) & f J.
Proof.
move=> [fm Hm] H ct; exists (at_token (Everything N) m t); first exact: Hm.
by apply: (all_withinP _ (fits_constraint_mask Sok) fm H); rewrite (in_constraint_mask Sok).
Qed.

(* ---- the limits and the point ---- *)

Hypotheses (inverse_size : size inverse = count).
Hypothesis inverse_in : forall i, @column_encloses N D (nth [::] inverse i) (M i).
Hypothesis gram : forall i k, \sum_j M i j * dot (kappa j) (kappa k) = if i == k then 1 else 0.
Variables (u v0 : column) (Gv : R) (mu : data_group D -> R).
Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R) (rho eta : R).
Hypotheses (Hdir : row_contains (ray_in z) u) (HG : contains (ray_margin_in z) Gv).
Hypotheses (Hmu : @column_encloses N D (shares_in z) mu) (Hv : row_contains (decoder_in z) v0).
Hypotheses (mu_one : \sum_i mu i = 1) (mu_balance : combine predT mu kappa = (Gv * u)%V).
Hypotheses (u_one : vnorm u = 1) (Gv_gt0 : 0 < Gv) (along : forall i, dot (kappa i) u = Gv).
Notation n := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation nu := (multiplier_weights alpha lam).
Hypothesis reference_in : reference_encloses Sok (attention_in z) ws lam.
Hypothesis dir : direction Q (Delta alpha) n gamma nu.
Hypotheses (HY : contains (row_height_in z) (dot w0 n)) (HW : contains (row_square_in z) (vnorm2 w0)).
Hypotheses (Heta : contains (row_step_in z) eta) (Hstep : contains (value_step_in z) (rho * eta)).
Hypothesis (eta_gt0 : 0 < eta).

Definition later_limit : pair_limit (problem D) [finType of 'I_(token_dimension I) * 'I_1] :=
  @PairLimit (problem D) _ u Gv mu (span_part kappa M u) (span_centre kappa M mu) n gamma nu.
Notation L := later_limit.

Definition deficit_real : R := fraction_real (region_deficit r).
Definition aside_real : R := fraction_real (region_aside r).
Definition reach_real : R := fraction_real (region_reach r).
Definition tail_real : R := if l is Logistic then / (1 + deficit_real) else 1.
Notation single := (size groups == 1%nat).
Definition X_real : R :=
  if single then 0 else Rmax (vnorm (value_part L v0 - value_centre L)%V) (reach_real + rho * eta).

Lemma alone_groups : single -> forall i j, i = j.
Proof.
rewrite (values_size groupsE) => /eqP one i j; apply: ord_inj.
by case: i j => i il [j jl] /=; move: il jl; rewrite one; case: i => //; case: j.
Qed.

Lemma centre_alone : single -> value_centre L = vzero.
Proof.
move=> /alone_groups one; have := span_centre_part gram mu_one mu_balance Gv_gt0.
by rewrite (alone_part gram mu_one mu_balance u_one Gv_gt0 one).
Qed.

Section Constants.
Variables (k Dm C d : R).
Definition later_constants : pair_constants :=
  PairConstants deficit_real X_real aside_real tail_real d k Dm C rho eta.
Notation c := later_constants.

Lemma pair_deficit_contains : contains (pair_deficit_in P r) deficit_real. Proof. exact: fraction_in_contains. Qed.
Lemma aside_contains : contains (region_aside_in P r) aside_real. Proof. exact: fraction_in_contains. Qed.
Lemma reach_contains : contains (fraction_in P (region_reach r)) reach_real. Proof. exact: fraction_in_contains. Qed.

Lemma pull_tail_contains : contains (pull_tail_in P l r) tail_real.
Proof.
rewrite /pull_tail_in /tail_real; case: l; try exact: contains1.
rewrite -[/ _]Rmult_1_l; apply: idiv_contains; first exact: contains1.
by apply: iadd_contains; [exact: contains1 | exact: pair_deficit_contains].
Qed.

Lemma pair_height_contains : contains (pair_height_in P z) (value_height L v0).
Proof. exact: height_contains. Qed.

Lemma value_reach_contains : contains (value_reach_in P groups z inverse r) X_real.
Proof.
rewrite /value_reach_in /X_real /alone; case: ifP => _; first exact: contains0.
apply: imax_contains; last by apply: iadd_contains => //; exact: reach_contains.
exact: (near_centre_contains groupsE Iok MDok unit_gt0 inverse_size inverse_in gram Hdir HG Hmu Hv mu_balance Gv_gt0
  along).
Qed.

Lemma pull_level_contains : contains (longest_value_in P groups) k -> contains (pull_level_in P groups z l r)
  (deficit_real - ln tail_real + (k + deficit_real) * (rho * eta) / 2 + deficit_real * reach_real).
Proof.
move=> Hk; have Hg := pair_deficit_contains; apply: iadd_contains; last by apply: imul_contains => //; exact:
  reach_contains.
apply: iadd_contains; first by apply: isub_contains => //; apply: ilog_contains; exact: pull_tail_contains.
apply: idiv_contains; last exact: contains2.
by apply: imul_contains => //; exact: iadd_contains.
Qed.

(* ---- label margins ---- *)

Lemma value_still_contains : row_contains (value_still_in P I groups z inverse) (value_still L v0).
Proof. exact: (still_contains groupsE Iok MDok unit_gt0 inverse_size inverse_in u Hmu Hv). Qed.

Lemma along_table_encloses : @encloses N D (along_table P groups z) (label_along g alpha L).
Proof. exact: labels_in_enclose. Qed.

Lemma tilt_table_encloses : @encloses N D (tilt_table P I groups z inverse) (label_tilt g alpha L v0).
Proof. exact: labels_in_enclose value_still_contains. Qed.

Lemma inside_table_encloses : @encloses N D (inside_table P groups inverse)
  (fun t => span_form M (fun i => dot (kappa i) (delta t))).
Proof.
apply: (of_differences_encloses Iok MDok Sok unit_gt0 groupsE) => i s.
have [_ _ _ H] := values_enclose Iok MDok Sok unit_gt0 groupsE i.
exact: (difference_form groupsE Iok MDok unit_gt0 inverse_size inverse_in (H s)).
Qed.

Lemma square_table_encloses : @encloses N D (square_table P groups) (fun t => vnorm2 (delta t)).
Proof.
apply: (of_differences_encloses Iok MDok Sok unit_gt0 groupsE) => i s.
have [_ _ _ H] := values_enclose Iok MDok Sok unit_gt0 groupsE i.
exact: (row_product_contains P (H s) (H s)).
Qed.

Lemma reach_table_encloses : @encloses N D (reach_table P groups z inverse r) (label_reach g alpha L c).
Proof.
have Hside : @encloses N D (combine_tables (fun a b => imul P (isqrt P (isub P a (imul P b b)))
    (value_reach_in P groups z inverse r)) (inside_table P groups inverse) (along_table P groups z))
    (fun t => vnorm (value_part L (delta t)) * X_real).
  apply: (combine_encloses inside_table_encloses along_table_encloses) => t J K HJ HK.
  apply: imul_contains; last exact: value_reach_contains.
  rewrite /vnorm (part_form gram mu_balance u_one Gv_gt0); apply: isqrt_contains; apply: isub_contains => //.
  exact: imul_contains.
have Hout : @encloses N D (combine_tables (fun a b => imul P (isqrt P (isub P a b)) (pair_deficit_in P r))
    (square_table P groups) (inside_table P groups inverse)) (fun t => vnorm (value_rest L (delta t)) * deficit_real).
  apply: (combine_encloses square_table_encloses inside_table_encloses) => t J K HJ HK.
  apply: imul_contains; last exact: pair_deficit_contains.
  by rewrite /vnorm (rest_form gram); apply: isqrt_contains; exact: isub_contains.
by apply: (combine_encloses Hside Hout) => t J K; exact: iadd_contains.
Qed.

Lemma least_table_encloses : @encloses N D (least_table P I groups z inverse r) (label_low g alpha L c v0).
Proof.
have Hd : @encloses N D (combine_tables (isub P) (tilt_table P I groups z inverse) (reach_table P groups z inverse r))
    (fun t => label_tilt g alpha L v0 t - label_reach g alpha L c t).
  by apply: (combine_encloses tilt_table_encloses reach_table_encloses) => t J K; exact: isub_contains.
apply: (combine_encloses along_table_encloses Hd) => t J K HJ HK; apply: iadd_contains => //.
apply: idiv_contains pair_height_contains; apply: isub_contains; last exact: pair_deficit_contains.
by apply: imin_contains => //; exact: contains0.
Qed.

Lemma most_table_encloses : @encloses N D (most_table P I groups z inverse r) (label_high g alpha L c v0).
Proof.
have Hd : @encloses N D (combine_tables (iadd P) (tilt_table P I groups z inverse) (reach_table P groups z inverse r))
    (fun t => label_tilt g alpha L v0 t + label_reach g alpha L c t).
  by apply: (combine_encloses tilt_table_encloses reach_table_encloses) => t J K; exact: iadd_contains.
apply: (combine_encloses along_table_encloses Hd) => t J K HJ HK; apply: iadd_contains => //.
by apply: idiv_contains pair_height_contains; apply: imax_contains => //; exact: contains0.
Qed.

(* ---- the attention ---- *)

Lemma margin_contains : contains (margin_in (attention_in z)) gamma.
Proof. by have [_ H _ _ _] := reference_in. Qed.

Lemma pair_slopes_enclose : @encloses N D (slopes_in (attention_in z)) (slope (Delta alpha) n).
Proof. by have [_ _ H _ _] := reference_in. Qed.

Lemma spread_table_encloses : @encloses N D (spread_table P D sel z) (spread (Delta alpha) n).
Proof.
apply: (map_encloses (square_spreads_enclose P MDok reference_in)) => t J HJ.
by have := isqrt_contains P HJ; rewrite sqrt_square //; exact: spread_ge0.
Qed.

Lemma longest_row_contains : exists x, [/\ contains (longest_row_in P D sel) x, 0 < x &
  forall t, vnorm (Delta alpha t) <= x].
Proof.
have [x [Hx x0 le]] := table_largest_contains P (distance_table_encloses P MDok Sok).
exists x; split=> //; have [t /activeP[Qt _]] := active_exists dir.
have g0 := dir_margin_gt0 dir; have gt := dir_margin dir Qt.
have n1 : vnorm n = 1 by rewrite /vnorm /vnorm2 (dir_unit dir) sqrt_1.
have := dot_le_norms (Delta alpha t) n; rewrite n1 Rmult_1_r => le1.
exact: Rlt_le_trans g0 (Rle_trans _ _ _ gt (Rle_trans _ _ _ le1 (le t))).
Qed.

Hypothesis HD : contains (longest_row_in P D sel) Dm.

Lemma rows_pace_contains : contains (rows_pace_in P D sel z) (gamma / Dm).
Proof. by apply: idiv_contains => //; exact: margin_contains. Qed.

Lemma steps_ratio_contains : contains (steps_ratio_in P z) rho.
Proof. by have -> : rho = rho * eta / eta; [field; lra | exact: idiv_contains]. Qed.

Lemma values_pace_contains : contains (values_pace_in P D sel z) (value_pace L c).
Proof. by apply: idiv_contains; [exact: steps_ratio_contains | exact: rows_pace_contains]. Qed.

Lemma weights_enclose : @encloses N D (weights_in (attention_in z)) (fun t => if Q t then nu t else 0).
Proof.
have [_ _ _ [fw Hw] [fa Ha]] := reference_in; split=> // t; have := Hw t; congr contains; rewrite -Ha.
case: (boolP (Q t)) => Qt; last by rewrite /active (negbTE Qt).
case: (boolP (active Q nu t)) => // /activeP no; have := dir_mult_ge0 dir Qt => n0.
by case: n0 => // n0; case: no.
Qed.

Lemma turns_contain : @column_encloses N D (turns_in P I groups z inverse r) (value_turn g alpha L c).
Proof.
have [sw Hw] := group_sums_enclose P weights_enclose.
have mean : row_contains (mixed_rows P (token_dimension I) (group_sums P (weights_in (attention_in z)))
    (selected_values groups)) (combine Q nu (fun t => kappa (group_of t))).
  have := mixed_rows_contains P sw (selected_size groupsE) Hw (selected_contain groupsE Iok MDok Sok unit_gt0).
  congr row_contains; apply: vec_ext => j; rewrite /combine [RHS]big_mkcond sum_by_group; apply: eq_bigr => i _.
  rewrite sum_mulr; apply: eq_bigr => t /eqP ti; rewrite -ti.
  by case: (Q t) => //; rewrite Rmult_0_l.
apply: (selected_map groupsE Iok MDok unit_gt0) => i a Ha; apply: imul_contains; last exact: value_reach_contains.
by apply: length_of_row_contains; exact: apart_contains.
Qed.

Lemma row_highs_enclose : @encloses N D (row_highs_in P I D sel groups z inverse r) (row_high g alpha L c v0).
Proof.
have Hc : @column_encloses N D [seq iexp P (isub P (pair_deficit_in P r) c) | c <- centres_in P (shares_in z)]
    (fun i => exp (deficit_real - centre_offset mu i)).
  apply: (map_column (centres_contain P Hmu)) => i J HJ; apply: iexp_contains.
  by apply: isub_contains => //; exact: pair_deficit_contains.
have H : @encloses N D (spread_column (imul P)
    [seq iexp P (isub P (pair_deficit_in P r) c) | c <- centres_in P (shares_in z)] (most_table P I groups z inverse r))
    (fun t => exp (deficit_real - centre_offset mu (group_of t)) * label_high g alpha L c v0 t).
  by apply: (spread_column_encloses Hc most_table_encloses) => t J K; exact: imul_contains.
have [fh Hh] := by_copies_encloses P MDok Sok H; split=> // t; have := Hh t; congr contains.
by rewrite /row_high -Rmult_assoc.
Qed.

Lemma row_lows_enclose : @encloses N D (row_lows_in P I D sel groups z inverse l r) (row_low g alpha L c v0).
Proof.
have Hc : @column_encloses N D [seq imul P (imul P (pull_tail_in P l r) (isub P (interval1 N) (pair_deficit_in P r)))
      (iexp P (iopp c)) | c <- centres_in P (shares_in z)]
    (fun i => tail_real * (1 - deficit_real) * exp (- centre_offset mu i)).
  apply: (map_column (centres_contain P Hmu)) => i J HJ; apply: imul_contains.
    apply: imul_contains; first exact: pull_tail_contains.
    by apply: isub_contains; [exact: contains1 | exact: pair_deficit_contains].
  by apply: iexp_contains; exact: iopp_contains.
have H : @encloses N D (spread_column (imul P) [seq imul P (imul P (pull_tail_in P l r)
      (isub P (interval1 N) (pair_deficit_in P r))) (iexp P (iopp c)) | c <- centres_in P (shares_in z)]
      (least_table P I groups z inverse r))
    (fun t => tail_real * (1 - deficit_real) * exp (- centre_offset mu (group_of t)) * label_low g alpha L c v0 t).
  by apply: (spread_column_encloses Hc least_table_encloses) => t J K; exact: imul_contains.
have [fh Hh] := by_copies_encloses P MDok Sok H; split=> // t; have := Hh t; congr contains.
by rewrite /row_low -!Rmult_assoc.
Qed.

Definition concentration : R :=
  ln (\sum_(t | Q t) row_high g alpha L c v0 t * exp (value_turn g alpha L c (group_of t))) -
    \sum_(t | Q t) nu t * (ln (row_low g alpha L c v0 t) - ln (nu t)).

Lemma concentration_contains :
  contains (concentration_in P I D sel groups z inverse l r) (Rmax concentration 0).
Proof.
apply: imax_contains; last exact: contains0.
apply: isub_contains.
  have Ht : @column_encloses N D [seq iexp P t | t <- turns_in P I groups z inverse r]
      (fun i => exp (value_turn g alpha L c i)).
    by apply: (map_column turns_contain) => i J; exact: iexp_contains.
  apply: ilog_contains.
  have H : @encloses N D (spread_column (imul P) [seq iexp P t | t <- turns_in P I groups z inverse r]
      (row_highs_in P I D sel groups z inverse r))
      (fun t => row_high g alpha L c v0 t * exp (value_turn g alpha L c (group_of t))).
    apply: (spread_column_encloses Ht row_highs_enclose) => t J K HJ HK.
    by rewrite Rmult_comm; exact: imul_contains.
  exact: (rows_sum_contains H).
have [_ _ _ [fw Hw] [fa Ha]] := reference_in.
have H : @encloses N D (within (active_in (attention_in z)) (interval0 N)
    (combine_tables (fun nu low => imul P nu (isub P (ilog P low) (ilog P nu))) (weights_in (attention_in z))
      (row_lows_in P I D sel groups z inverse l r)))
    (fun t => if in_mask (active_in (attention_in z)) t then nu t * (ln (row_low g alpha L c v0 t) - ln (nu t)) else 0).
  have [fl Hl] := row_lows_enclose.
  apply: within_encloses => //; [exact: contains0 | by apply: fits_map; exact: fits_zip | move=> t it].
  rewrite (at_token_map (Everything N, Everything N)); last exact: fits_zip.
  rewrite at_token_zip //=; have := Hw t; rewrite it => Hnu.
  by apply: imul_contains => //; apply: isub_contains; exact: ilog_contains.
have := table_sum_contains P H; congr contains; rewrite -[RHS](sum_active dir) [RHS]big_mkcond.
by apply: eq_bigr => t _; rewrite -Ha.
Qed.

Hypothesis HC : contains (concentration_in P I D sel groups z inverse l r) C.

Lemma rows_growth_contains : contains (rows_growth_in P I D sel groups z inverse l r) (row_growth L c).
Proof.
have Hg := margin_contains; apply: iadd_contains; apply: idiv_contains => //; apply: imul_contains => //.
exact: contains2.
Qed.

Lemma slope_table_encloses :
  @encloses N D (slope_table P I D sel groups z inverse l r) (row_slope alpha L c).
Proof.
apply: (combine_encloses pair_slopes_enclose spread_table_encloses) => t J K HJ HK; apply: isub_contains => //.
apply: idiv_contains; first by apply: imul_contains => //; exact: rows_growth_contains.
by apply: imul_contains; [exact: contains2 | exact: aside_contains].
Qed.

Lemma share_table_encloses : @encloses N D (pair_share_table P D sel z r) (row_share alpha L c w0).
Proof.
apply: (by_copies_encloses P MDok Sok).
have H : @encloses N D (combine_tables (fun a b => isub P (imul P a (row_height_in z)) (imul P b (region_aside_in P r)))
    (slopes_in (attention_in z)) (spread_table P D sel z)) (first_margin alpha L c w0).
  apply: (combine_encloses pair_slopes_enclose spread_table_encloses) => t J K HJ HK.
  by apply: isub_contains; apply: imul_contains => //; exact: aside_contains.
by apply: (map_encloses H) => t J; exact: factor_contains.
Qed.

(* ---- what stays small ---- *)

Lemma lost_contain : @column_encloses N D (lost_column P I D sel groups z inverse r) (fun i =>
  \sum_(t | others alpha i t) row_share alpha L c w0 t * label_high g alpha L c v0 t * value_height L v0).
Proof.
apply: others_contain; have H : @encloses N D (combine_tables (imul P) (pair_share_table P D sel z r)
    (most_table P I groups z inverse r)) (fun t => row_share alpha L c w0 t * label_high g alpha L c v0 t).
  by apply: (combine_encloses share_table_encloses most_table_encloses) => t J K; exact: imul_contains.
by apply: (map_encloses H) => t J HJ; apply: imul_contains => //; exact: pair_height_contains.
Qed.

Lemma rest_contain : @column_encloses N D (rest_column P D sel z r) (fun i =>
  \sum_(t | others alpha i t) row_share alpha L c w0 t).
Proof. exact: others_contain share_table_encloses. Qed.

Lemma turned_table_encloses : @encloses N D (combine_tables (imul P) (pair_share_table P D sel z r)
  (value_lengths_in P groups)) (fun t => row_share alpha L c w0 t * vnorm (delta t)).
Proof.
apply: (combine_encloses share_table_encloses (value_lengths_enclose Iok MDok Sok unit_gt0 groupsE)) => t J K.
exact: imul_contains.
Qed.

Lemma turned_contains : exists x, [/\ contains (turned_in P D sel groups z r) x, 0 <= x &
  forall i, \sum_(t | others alpha i t) row_share alpha L c w0 t * vnorm (delta t) <= x].
Proof. exact: (column_largest_contains P (others_contain turned_table_encloses)). Qed.

Hypothesis Hd : contains (turned_in P D sel groups z r) d.

Lemma drift_contains : contains (pair_drift_in P I D sel groups z inverse l r) (value_drift_all g alpha L c w0).
Proof.
apply: imul_contains; first by apply: idiv_contains; [exact: values_pace_contains | exact: isub_contains].
apply: rows_sum_contains.
apply: (combine_encloses turned_table_encloses slope_table_encloses) => t J K HJ HK.
apply: idiv_contains => //; apply: imul_contains => //; apply: iexp_contains; exact: imul_contains.
Qed.

Lemma output_losses_contain : @column_encloses N D (output_losses_in P groups z inverse r)
  (output_loss g alpha L c).
Proof.
apply: (combine_column (values_aside_contain groupsE Iok MDok unit_gt0 gram HG u_one along) (centres_contain P Hmu)).
move=> i J K HJ HK; apply: iadd_contains pair_deficit_contains; apply: isub_contains => //.
by apply: imul_contains => //; exact: value_reach_contains.
Qed.

(* ---- the hypotheses hold ---- *)

Hypotheses (Hk : contains (longest_value_in P groups) k) (k_ge : forall i, vnorm (kappa i) <= k).
Hypotheses (D_gt0 : 0 < Dm) (D_ge : forall t, vnorm (Delta alpha t) <= Dm) (CE : C = Rmax concentration 0).
Hypotheses (d_ge0 : 0 <= d)
  (d_ge : forall i, \sum_(t | others alpha i t) row_share alpha L c w0 t * vnorm (delta t) <= d).
Hypothesis checked : region_check P I D sel groups z inverse l r.

Lemma home_sound : home_check P groups z inverse l r -> (forall i, 0 < mu i) ->
  (exists x box, boxes_hold g alpha L c x box) \/ forall e, value_part L e = vzero.
Proof.
rewrite /home_check /alone; case: ifP => [one _ _ | many H mu0].
  by right=> e; exact: (alone_part gram mu_one mu_balance u_one Gv_gt0 (alone_groups one)).
left; have sb : size [seq fraction_in P b | b <- region_boxes r] = count.
  by case/and4P: H => _ /eqP -> _ _; exact: (values_size groupsE).
pose box i : R := fraction_real (nth (Fraction zero one) (region_boxes r) i).
have Hb : @column_encloses N D [seq fraction_in P b | b <- region_boxes r] box.
  apply: (column_map (e0 := Fraction zero one)) => [|i]; first by rewrite size_map in sb.
  exact: fraction_in_contains.
have [x0 box0 held inside] := boxes_check_sound inverse_size inverse_in gram HG Hmu mu_balance u_one Gv_gt0 Hb
  (pull_level_contains Hk) reach_contains H.
by exists reach_real, box; split=> //; rewrite /= /X_real many; exact: Rmax_r.
Qed.

Lemma near_sound : vnorm (value_part L v0 - value_centre L)%V <= X_real.
Proof.
rewrite /X_real; case: ifP => [one | _]; last exact: Rmax_l.
rewrite (centre_alone one) /= (alone_part gram mu_one mu_balance u_one Gv_gt0 (alone_groups one)).
by rewrite (_ : (_ - _)%V = vzero) ?vnorm0; [right | vec_ring].
Qed.

Lemma tail_sound y : 0 < deficit_real ->
  (if l is Logistic then
     all (fun o => certainly_le (iexp P (isub P o (imul P (ray_margin_in z) (pair_height_in P z)))) (pair_deficit_in P
    r))
       (output_losses_in P groups z inverse r)
   else if l is Exponential then true else false) -> y = value_height L v0 ->
  0 < tail_real <= 1 /\ forall i x, Gv * y - output_loss g alpha L c i <= x ->
    tail_real * exp (- x) <= - dloss (loss_of l) x <= exp (- x).
Proof.
move=> g0 H ->; rewrite /tail_real; case El: l H => // H; last by split; [lra | move=> i x _; exact: exponential_pull].
split.
  by split; [apply: Rinv_0_lt_compat; lra | rewrite -Rinv_1; apply: Rinv_le_contravar; lra].
move=> i x le; apply: logistic_pull => //.
have [o Ho small] := column_all i output_losses_contain H.
have := certainly_le_real (iexp_contains P (isub_contains P Ho (imul_contains P HG pair_height_contains)))
  pair_deficit_contains small.
by apply: Rle_trans; apply: exp_monotone; lra.
Qed.

Theorem conditions_hold : pair_conditions g (loss_of l) alpha L c v0 w0.
Proof.
have [/and5P[y0 Y0 g0 g1 A0] /and4P[_ step0 mu0 home] aside tail] := and5P checked.
case/and4P=> low slopes paces /and5P[lost rest turned turned_margin drift].
have y_gt0 := is_positive_real pair_height_contains y0; have Y_gt0 := is_positive_real HY Y0.
have g_gt0 := is_positive_real pair_deficit_contains g0.
have g_lt1 := certainly_lt_real pair_deficit_contains (@contains1 N) g1.
have A_gt0 := is_positive_real aside_contains A0.
have step_gt0 := is_positive_real Hstep step0.
have rho_gt0 : 0 < rho by apply: (Rmult_lt_reg_r eta) => //; rewrite Rmult_0_l.
have mu_gt0 i : 0 < mu i by have [J HJ] := column_all i Hmu mu0; exact: is_positive_real.
have [tail_range tail_pull] := tail_sound g_gt0 tail erefl.
have strictly J x : contains J x -> certainly_lt J (pair_deficit_in P r) -> x <= deficit_real.
  by move=> HJ lt; have := certainly_lt_real HJ pair_deficit_contains lt; exact: Rlt_le.
split.
- by [].
- by [].
- by split.
- split=> //; have := certainly_le_real (isub_contains P HW (imul_contains P HY HY))
    (imul_contains P aside_contains aside_contains) aside.
  have nn : vnorm2 n = 1 := dir_unit dir.
  by apply: Rle_trans; right; rewrite /across_side vnorm2B vnorm2Z dotZr nn /height_along /=; ring.
- exact: near_sound.
- exact: home_sound home mu_gt0.
- by [].
- exact: tail_range.
- exact: tail_pull.
- by rewrite /= CE; split; [exact: Rmax_r | exact: Rmax_l].
- by split=> // t _; exact: D_ge.
- exact: k_ge.
- by move=> t Qt; have [J HJ] := within_all least_table_encloses low Qt; exact: is_positive_real.
- move=> t Qt; split; first by have [J HJ] := within_all slope_table_encloses slopes Qt; exact: is_positive_real.
  have [J HJ le] := within_all slope_table_encloses paces Qt.
  exact: certainly_le_real values_pace_contains (imul_contains P HJ pair_height_contains) le.
- by move=> i; have [J HJ lt] := column_all i lost_contain lost; exact: strictly HJ lt.
- by move=> i; have [J HJ lt] := column_all i rest_contain rest; exact: strictly HJ lt.
- exact: d_ge.
- split; first by split=> //; exact: strictly Hd turned.
  exact: certainly_lt_real Hd HG turned_margin.
exact: strictly drift_contains drift.
Qed.

(* ---- what follows ---- *)

Variables (a : decoder_future N) (b : attention_future N).
Hypothesis future : future_check P I D sel groups z inverse l r a b.
Variables (v : nat -> column) (w : nat -> vec (coord (problem D))) (etas : nat -> R).
Hypotheses (first_v : v O = v0) (first_w : w O = w0) (steps : forall s : nat, 0 < etas s <= eta).
Hypothesis run : trained_jointly g (loss_of l) (fun s => rho * etas s) etas v w.
Notation real := fraction_real.

Lemma loss_small : region_check P I D sel groups z inverse l r -> forall x, loss_of l x <= exp (- x).
Proof.
case/and5P=> _ _ _; case: l => // _ _ x /=; last by right.
by have [] := logistic_le x.
Qed.

Lemma total_pair_steps_ge0 (t : nat) : 0 <= total etas t.
Proof. by apply: sum_ge0 => s _; have [/Rlt_le] := steps s. Qed.

Theorem future_holds (t : nat) : foreseen g (loss_of l) alpha u n a b (total etas t) (v t) (w t).
Proof.
have conditions := conditions_hold; rewrite -first_v -first_w in conditions.
have limit : proper_limit g alpha L.
  have mu_gt0 i : 0 < mu i.
    have [_ /and4P[_ _ mu0 _] _ _ _] := and5P checked.
    by have [J HJ] := column_all i Hmu mu0; exact: is_positive_real.
  exact: (@spanned_limit (problem D) _ g alpha M u Gv mu n gamma nu gram u_one Gv_gt0 along mu_gt0 mu_one mu_balance
    dir).
have [up turn Up Turn small others_small] := T20 limit conditions steps run (loss_small checked) t.
rewrite first_v in up turn; rewrite first_w in Up Turn others_small.
set S := total etas t in up Up others_small *; have S0 : 0 <= S := total_pair_steps_ge0 t.
have [[A0 B0 G0 Z0 F0] [A_le B_le X_le M_le G_le]] : [/\ 0 < real (value_from a), 0 < real (value_growth a),
    0 < real (value_decay a), 0 < real (rows_from b) & 0 < real (rows_growth b)] /\
    [/\ real (value_from a) <= value_height L v0,
        real (value_growth a) <= rho * ((Gv - d) / (k + d)),
        pair_lateral L c v <= real (value_lateral a),
        \sum_i weight (s := problem D) i * exp (output_loss g alpha L c i) <= real (value_loss a) &
        real (value_decay a) <= Gv].
  have [/and5P[p1 p2 p3 p4 p5] /and5P[h1 h2 h3 h4 h5] _] := and3P future; split; split;
    try (exact: is_positive_real (fraction_in_contains P _) _).
  - exact: certainly_le_real (fraction_in_contains P _) pair_height_contains h1.
  - apply: certainly_le_real (fraction_in_contains P _) _ h2; apply: imul_contains; first exact: steps_ratio_contains.
    by apply: idiv_contains; [exact: isub_contains | exact: iadd_contains].
  - apply: certainly_le_real _ (fraction_in_contains P _) h3; rewrite /pair_lateral first_v.
    apply: iadd_contains pair_deficit_contains; apply: iadd_contains value_reach_contains.
    exact: length_of_row_contains value_still_contains.
  - apply: certainly_le_real _ (fraction_in_contains P _) h4; apply: (@column_sum_contains N D).
    apply: (map_column output_losses_contain) => i J HJ; apply: imul_contains; last exact: iexp_contains.
    exact: (group_share_contains P i).
  exact: certainly_le_real (fraction_in_contains P _) HG h5.
have [Z_le F_le Q_le U_le H_le] : [/\ real (rows_from b) <= row_height L w0, real (rows_growth b) <= gamma / Dm,
    pair_spread L c w <= real (rows_spread b),
    forall i, \sum_(t | others alpha i t) row_share alpha L c w0 t <= real (rows_unselected b) &
    forall t, Q t -> real (rows_fall b) <= row_slope alpha L c t * (gamma / Dm)].
  have [_ _ /and5P[h1 h2 h3 h4 h5]] := and3P future; split.
  - exact: certainly_le_real (fraction_in_contains P _) HY h1.
  - exact: certainly_le_real (fraction_in_contains P _) rows_pace_contains h2.
  - apply: certainly_le_real _ (fraction_in_contains P _) h3; rewrite /pair_spread first_w.
    apply: imax_contains rows_growth_contains; apply: idiv_contains => //.
    by apply: imul_contains; exact: aside_contains.
  - move=> i; have [J HJ le] := column_all i rest_contain h4.
    exact: certainly_le_real HJ (fraction_in_contains P _) le.
  move=> s Qs; have [J HJ le] := within_all slope_table_encloses h5 Qs.
  exact: certainly_le_real (fraction_in_contains P _) (imul_contains P HJ rows_pace_contains) le.
rewrite /foreseen; set y := _ + _ * S; set Y := real (rows_from b) + _.
have y_gt0 : 0 < y by have := Rmult_le_pos _ _ (Rlt_le _ _ B0) S0; rewrite /y; lra.
have Y_gt0 : 0 < Y by have := Rmult_le_pos _ _ (Rlt_le _ _ F0) S0; rewrite /Y; lra.
have y_le : y <= value_height L (v t).
  apply: Rle_trans up; rewrite /y; apply: Rplus_le_compat => //.
  by apply: Rle_trans (Rmult_le_compat_r _ _ _ S0 B_le) _; right; rewrite /=; ring.
have Y_le : Y <= row_height L (w t).
  by apply: Rle_trans Up; rewrite /Y; apply: Rplus_le_compat => //; exact: Rmult_le_compat_r.
have squares (x : R) s s' : 0 < s -> s <= s' -> 0 <= x -> x / (2 * s') <= x / (2 * s).
  by move=> s0 le x0; apply: Rmult_le_compat_l => //; apply: Rinv_le_contravar; lra.
split.
- split=> //; apply: Rle_trans turn _; set h := value_height L (v t) in y_le *.
  have lat0 : 0 <= pair_lateral L c v.
    have [g0 _] := deficit_range conditions; have n0 := vnorm_ge0 (value_still L (v O)).
    have X0 := Rle_trans _ _ _ (vnorm_ge0 _) (reach_first conditions).
    by apply: Rplus_le_le_0_compat; [exact: Rplus_le_le_0_compat | exact: Rlt_le].
  apply: (Rle_trans _ (pair_lateral L c v * pair_lateral L c v / (2 * (y * y)))).
    apply: squares; [exact: Rmult_lt_0_compat | | exact: Rle_0_sqr].
    by apply: Rmult_le_compat => //; exact: Rlt_le.
  apply: Rmult_le_compat_r; first by apply/Rlt_le/Rinv_0_lt_compat; have := Rmult_lt_0_compat _ _ y_gt0 y_gt0; lra.
  exact: Rmult_le_compat.
- apply: Rle_trans small _; rewrite Rmult_comm; apply: Rmult_le_compat => //.
  + by apply: sum_ge0 => i _; apply: Rmult_le_pos; [exact/Rlt_le/weight_gt0 | exact/Rlt_le/exp_pos].
  + exact/Rlt_le/exp_pos.
  apply: exp_monotone; apply: Ropp_le_contravar.
  by apply: Rmult_le_compat => //; [exact: Rlt_le | exact: Rlt_le].
- split=> //; apply: Rle_trans Turn _; have spread0 : 0 <= pair_spread L c w.
    apply: Rle_trans (Rmax_l _ _); have [_ Yp] := first_heights conditions.
    by apply: Rmult_le_pos; [exact: Rle_0_sqr | exact/Rlt_le/Rinv_0_lt_compat].
  apply: (Rle_trans _ (pair_spread L c w / (2 * Y))); first exact: squares.
  by apply: Rmult_le_compat_r => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
move=> i; apply: Rle_trans (others_small i) _.
apply: (Rle_trans _ (\sum_(t | others alpha i t) row_share alpha L c w0 t * exp (- (real (rows_fall b) * S)))).
  apply: sum_le => s /andP[Qs _]; apply: Rmult_le_compat_l; first exact/Rlt_le/row_share_gt0.
  apply: exp_monotone; apply: Ropp_le_contravar.
  have [a0 _] := row_kept conditions Qs; have := Rmult_le_compat_r _ _ _ S0 (H_le s Qs) => h1.
  apply: Rle_trans h1 _; rewrite Rmult_assoc; apply: Rmult_le_compat_l; first exact: Rlt_le.
  by apply: (Rplus_le_reg_l (row_height L w0)); apply: Rle_trans Up _; rewrite Rplus_minus; right.
rewrite -sum_mulr; apply: Rmult_le_compat_r => //; exact/Rlt_le/exp_pos.
Qed.
End Constants.
End Sound.
