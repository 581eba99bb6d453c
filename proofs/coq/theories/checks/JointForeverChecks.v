(* JointForeverChecks: the hypotheses of T20 (JOINT.md section 4) at one point of the pair, enclosed, and its
   conclusions compared with what a claim says. Why that suffices: JointForeverSound.v. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Direction Saturation Losses Gradient Growth JointModel JointAscent
                           JointDecoder JointAttention JointRegion JointInside JointRun JointSpan Number Rows Entries
                           TokenData Instances EqualTokens MergedTokens MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals
                           LabelMarginsChecks LabelledValues ForeverChecks TokenReplay GroupValues JointPoint.

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
