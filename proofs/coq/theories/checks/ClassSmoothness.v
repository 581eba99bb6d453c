(* ClassSmoothness: T6's constant for a classifier (ClassifierLockIn.v) as an interval.

   Of each group R, how far apart the numbers of a class are, q, at most the share of the wrong classes, and D, the
   largest distance of two features: the mean of q D^2 (R/(6 sqrt 3) + R^2/16). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads HeadRanges HeadRuns Growth Saturation ClassifierHead ClassifierLockIn
                           Number Rows TokenData MarginChecks Interval Elementary IntervalTables AttentionIntervals
                           SmoothnessChecks LocalFactors OutputHeads ClassTables.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Smoothness.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation token := (token (problem D)).
Notation group_index t := (tag (t : data_token D)).
Variables (k : nat) (G : token -> 'I_k -> R) (y : data_group D -> 'I_k) (v : seq (seq (seq interval))).
Notation h := (@classifier_head (problem D) [finType of 'I_k] G y).
Notation change := (@class_change (problem D) [finType of 'I_k] G y alpha).
Notation start := (@class_start (problem D) [finType of 'I_k] G y alpha).
Notation up := (class_up Pok G y).
Notation down := (class_down Pok G y).
Implicit Types (t c : token) (i : data_group D).

(* ---- computed ---- *)

Definition class_rises (v : seq (seq interval)) (pick : nat) : seq interval := largest_row P k (class_shifts P v pick).
Definition class_falls (v : seq (seq interval)) (pick : nat) : seq interval :=
  largest_row P k [seq [seq iopp x | x <- r] | r <- class_shifts P v pick].

Definition class_range_of (v : seq (seq interval)) (pick : nat) : interval :=
  column_largest P (row_zip (iadd P) (class_rises v pick) (class_falls v pick)).
Definition class_wrong_of (v : seq (seq interval)) (pick : nat) : interval :=
  let most := row_zip (iadd P) (nth [::] v pick) (class_rises v pick) in
  isub P (interval1 N) (idiv P (interval1 N) (isum P [seq iexp P x | x <- most])).

Definition class_curve_of (q : sequence N) (v : seq (seq interval)) (pick : nat) : interval :=
  if same (feature_diameter2 q) zero then interval0 N
  else
    let unit := mul (token_unit D) (query_unit D) in
    let R := class_range_of v pick in
    let six_root_three := imul P (whole_number N 6) (isqrt P (whole_number N 3)) in
    imul P (imul P (class_wrong_of v pick) (ratio P (mul unit unit) (feature_diameter2 q)))
      (iadd P (idiv P R six_root_three) (idiv P (imul P R R) (whole_number N 16))).

Definition class_smoothness_in : interval :=
  isum P [seq imul P (group_share D P) (class_curve_of x.1 x.2.1 x.2.2) | x <- zip (sequences D) (zip v picks)].

(* ---- what that means ---- *)

Hypothesis values_in : numbers_enclose k v
  (fun t u => if insub u is Some u' then G t u' - G t (y (group_index t)) else 0).

Definition class_range (i : data_group D) : R := \big[Rmax/0]_(u < k) (up i u + down i u).
Definition class_wrong (i : data_group D) : R := 1 - / \sum_(u : 'I_k) exp (start i u + up i u).

Lemma class_change_within t (u : 'I_k) : - down (group_of t) u <= change t u <= up (group_of t) u.
Proof.
split; last exact: group_largest_ge.
have g := group_largest_ge (fun t => - change t u) t; rewrite -[X in _ <= X]Ropp_involutive.
exact: Ropp_le_contravar.
Qed.

Lemma class_range_ge0 i : 0 <= class_range i.
Proof. exact: big_Rmax_ge0. Qed.

Lemma class_range_le i t c (u : 'I_k) : group_of t = i -> group_of c = i ->
  Rabs ((G t u - G t (y i)) - (G c u - G c (y i))) <= class_range i.
Proof.
move=> ti ci; have -> : (G t u - G t (y i)) - (G c u - G c (y i)) = change t u - change c u.
  by rewrite /class_change ti ci; ring.
have := class_change_within t u; have := class_change_within c u; rewrite ti ci => cr tr.
apply: Rle_trans (big_Rmax_ge (fun u => up i u + down i u) u); apply: Rabs_le; lra.
Qed.

Lemma class_wrong_le z i : 1 - class_share G i (attention z) (y i) <= class_wrong i.
Proof.
have q0 : 0 <= 1 - attention z (alpha i) <= 1.
  by have := attention_le1 alpha z (alpha i); have := attention_gt0 z (alpha i); lra.
suff : / (\sum_(u : 'I_k) exp (start i u + up i u)) <= class_share G i (attention z) (y i) by rewrite /class_wrong; lra.
rewrite (class_share_shift G y) Rminus_diag_eq // exp_0 /Rdiv Rmult_1_l.
pose apart (u : 'I_k) := class_average G i (attention z) u - class_average G i (attention z) (y i).
have T0 : 0 < \sum_u exp (apart u) := exp_sum_gt0 apart (y i).
apply: Rinv_le_contravar => //; apply: sum_le => u _; apply: exp_le.
have [_ le] := class_mean_range (class_changes_hold Pok G y) z i u.
apply: Rle_trans le _; apply: Rplus_le_compat_l; rewrite -[X in _ <= X]Rmult_1_l.
apply: Rmult_le_compat_r; [exact: (class_up_ge0 (class_changes_hold Pok G y) i u) | exact: (proj2 q0)].
Qed.

Section Group.
Variable i : data_group D.
Notation rows := (nth [::] v i).
Notation pick := (nth 0%nat picks i).

Let rows_size : size rows = length_of D i.
Proof. by have [] := values_of_group i values_in. Qed.

Let shifts_size : size (class_shifts P rows pick) = length_of D i.
Proof. by rewrite size_map rows_size. Qed.

Lemma class_rises_enclose : class_row_encloses (class_rises rows pick) (up i).
Proof. exact (largest_row_encloses P shifts_size (class_shifts_enclose P Pok values_in (i := i))). Qed.

Lemma class_falls_enclose : class_row_encloses (class_falls rows pick) (down i).
Proof.
apply: largest_row_encloses => [|s]; first by rewrite size_map.
rewrite (nth_map [::]) ?shifts_size //; apply: (row_map_encloses (class_shifts_enclose P Pok values_in s)) => u I.
exact: iopp_contains.
Qed.

Lemma class_range_of_contains : contains (class_range_of rows pick) (class_range i).
Proof.
apply: class_row_largest; apply: (row_zip_encloses class_rises_enclose class_falls_enclose) => u I J HI HJ.
exact: iadd_contains.
Qed.

Lemma class_wrong_of_contains : contains (class_wrong_of rows pick) (class_wrong i).
Proof.
have [_ H] := values_of_group i values_in.
have own : class_row_encloses (nth [::] rows pick) (start i).
  by apply: (row_from_numbers (H (Ordinal (picks_lt i Pok)))) => u; rewrite valK.
have most := row_zip_encloses (f := iadd P) (Y := fun u => start i u + up i u) own class_rises_enclose
  (fun u I J HI HJ => iadd_contains P HI HJ).
have [sp Hp] := row_map_encloses (f := iexp P) (Y := fun u => exp (start i u + up i u)) most
  (fun u I HI => iexp_contains P HI).
apply: isub_contains; first exact: contains1.
rewrite -[/ _]Rmult_1_l; apply: idiv_contains; first exact: contains1.
exact: isum_contains sp Hp.
Qed.

Lemma class_curve_of_contains : contains (class_curve_of (sequence_at D i) rows pick) (class_wrong i *
  (diameter_of i * diameter_of i) * (class_range i / (6 * sqrt 3) + class_range i * class_range i / 16)).
Proof.
rewrite /class_curve_of; case: ifP => [/same_real E | _].
  by rewrite (diameter_square Dok) E real0 /Rdiv !(Rmult_0_r, Rmult_0_l); exact: contains0.
have n6 := whole_number_contains N 6; have n3 := whole_number_contains N 3; have n16 := whole_number_contains N 16.
have [e6 [e3 e16]] : INR 6 = 6 /\ INR 3 = 3 /\ INR 16 = 16 by rewrite !INR_IZR_INZ.
rewrite e6 in n6; rewrite e3 in n3; rewrite e16 in n16; have r := class_range_of_contains.
apply: imul_contains; first apply: imul_contains.
- exact: class_wrong_of_contains.
- by rewrite (diameter_square Dok) -!realM; exact: ratio_contains.
apply: iadd_contains; apply: idiv_contains => //; apply: imul_contains => //; exact: isqrt_contains.
Qed.
End Group.

Notation constant := (classifier_smoothness (p := problem D) (fun i => diameter_of i) class_range class_wrong).

Theorem class_smoothness_contains : contains class_smoothness_in constant.
Proof.
have sv := numbers_size values_in; have [/eqP sp _] := andP Pok.
apply: isum_contains => [|i]; first by rewrite size_map !size_zip sv sp !minnn.
rewrite (nth_map (no_sequence N, ([::], 0%nat))) ?size_zip ?sv ?sp ?minnn // !nth_zip ?size_zip ?sv ?sp ?minnn //.
by apply: imul_contains; [exact: group_share_contains | exact: class_curve_of_contains].
Qed.

Theorem class_smoothness_lipschitz z z' :
  vnorm (head_gradient h z' - head_gradient h z)%V <= constant * vnorm (z' - z)%V.
Proof.
exact: (classifier_lipschitz alpha (fun t c same => feature_distance Dok same) class_range_le class_range_ge0
  class_wrong_le).
Qed.
End Smoothness.
