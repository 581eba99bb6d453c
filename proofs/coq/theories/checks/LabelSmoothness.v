(* LabelSmoothness: T6's constant for selection cross-entropy (HeadLockIn.v) as an interval: the mean of a quarter of
   the squared diameters. The labels are the tokens with a score, whichever are selected. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Heads HeadLockIn LabelLipschitz Number Rows TokenData MarginChecks
                           OptimalityChecks EnclosureChecks Interval IntervalTables AttentionIntervals
                           SmoothnessChecks Pulls.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Smoothness.
Variables (N : number) (D : token_data N) (P : Z).
Hypothesis Dok : data_ok D.

Definition label_smoothness_in : interval N :=
  let unit := mul (token_unit D) (query_unit D) in let quarter := dyadic one (-2) in
  isum P [seq imul P (group_share D P) (imul P (ratio P (mul unit unit) (feature_diameter2 q)) quarter)
    | q <- sequences D].

Lemma label_smoothness_contains :
  contains label_smoothness_in (@cross_entropy_smoothness (problem D) (fun i => diameter_of i)).
Proof.
apply: isum_contains => [|i]; first by rewrite size_map.
rewrite (nth_map (no_sequence N)) //; apply: imul_contains; first exact: group_share_contains.
apply: imul_contains.
  by rewrite (diameter_square Dok) -!realM; exact: ratio_contains.
have -> : / 4 = real (one : N) * power (-2) by rewrite real1 -[(-2)%Z]/(- (2))%Z power_opp /power /=; field.
exact: dyadic_contains.
Qed.

(* The first token of each sequence that has a score. *)
Definition label_picks : seq nat := [seq find (fun a => ~~ same a zero) (score_row q) | q <- sequences D].

Definition label_smoothness_check (beta : fraction N) : bool :=
  [&& fraction_ok beta, picks_ok D label_picks, labelled_check D label_picks CrossEntropy &
      certainly_le (imul P label_smoothness_in (exactly (fraction_den beta))) (exactly (fraction_num beta))].

Theorem label_smoothness_sound beta : label_smoothness_check beta ->
  gradient_lipschitz_with (problem D) CrossEntropy (fraction_real beta).
Proof.
case/and4P=> /fraction_den_gt0 b0 Pok /(labelled_check_sound Dok Pok) labels H w w'.
have [positive zero] := labels isT.
apply: Rle_trans (label_lipschitz (fun t t' same => feature_distance Dok same) positive zero w w') _.
apply: Rmult_le_compat_r; first exact: vnorm_ge0.
have := certainly_le_real (imul_contains P label_smoothness_contains (exactly_contains (fraction_den beta)))
  (exactly_contains (fraction_num beta)) H.
move=> le; apply: (Rmult_le_reg_r (real (fraction_den beta))) => //.
by rewrite /fraction_real /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra.
Qed.
End Smoothness.
