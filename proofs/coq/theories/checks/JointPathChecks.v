(* JointPathChecks: the conditions and constants of the joint regularisation path (JointPath.v), checked with intervals.

   What is known of the tokens' values and of both directions comes as tables over tokens and columns over groups
   (`joint_tables`); that they enclose an instance's is not asked here (JointPathKind.v). Why the check suffices:
   JointPathSound.v. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Losses ExponentialTail Number Rows TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals
                           ForeverChecks.

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

(* What is known of an instance and of its limits (JointPath.v). *)
Record joint_tables (N : number) := JointTables {
  known_support : seq bool;                    (* which groups support the decoder *)
  known_labels : seq (seq (interval N));       (* <delta_c, u> *)
  known_lengths : seq (seq (interval N));      (* ||delta_c|| *)
  known_excesses : seq (interval N);           (* <kappa_i, u> - Gamma *)
  known_farthest : seq (interval N);           (* bounds of the ||g_it|| *)
  known_bests : seq (interval N);              (* and, of the other tokens, of the <g_it, u> *)
  known_shares : seq (interval N);             (* the decoder's multipliers *)
  known_margin : interval N;                   (* Gamma *)
  known_cost : interval N;                     (* nu *)
  known_rows : interval N;                     (* gamma, the attention's margin *)
  known_plain : interval N;                    (* a margin that all rows have in some direction *)
  known_weights : seq (seq (interval N))       (* the attention's multipliers *)
}.

Definition supporting_groups (N : number) (D : token_data N) (supports : seq bool) : pred (data_group D) :=
  fun i => nth false supports i.

Section Conditions.
Variables (N : number) (P : Z) (D : token_data N) (picks : seq nat).
Notation interval := (interval N).

(* What is claimed, and the evidence: x and b of the theorem. *)
Record joint_constants := JointConstants {
  joint_from : fraction N; joint_decoder_from : fraction N; joint_slope : fraction N; joint_decay : fraction N;
  joint_decoder_rate : fraction N; joint_attention_rate : fraction N; joint_excess : fraction N;
  joint_window : fraction N
}.

Variables (T : joint_tables N) (l : loss_name) (c : joint_constants).
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
End Conditions.
