(* ForeverChecks: the numbers of a claim about all later steps, and the checks that all its theorems share. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Losses Claims Direction Path Growth Region Saturation LockIn Runs Forever
                           Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary
                           IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Data.
Variable N : number.

Record step_rule := StepRule { spec_rule : rule; spec_schedule : schedule; spec_step : fraction N }.

(* The constants of `forever_claim`. *)
Record conclusion := Conclusion {
  said_path : fraction N; said_excess : fraction N; said_centre : fraction N; said_height : fraction N;
  said_logarithmic : bool; said_growth : fraction N; said_dominates : option nat
}.

Definition constants_of (c : conclusion) : constants :=
  Constants (fraction_real (said_path c)) (fraction_real (said_excess c)) (fraction_real (said_centre c))
    (fraction_real (said_height c)) (said_logarithmic c) (fraction_real (said_growth c))
    (said_dominates c).

Variable P : Z.
Implicit Types (q : fraction N) (I : interval N).

Definition fraction_in q : interval N := ratio P (fraction_den q) (fraction_num q).

Lemma fraction_in_contains q : contains (fraction_in q) (fraction_real q).
Proof. exact: ratio_contains. Qed.

Definition path_in (c : conclusion) : interval N := fraction_in (said_path c).
Definition growth_in (c : conclusion) : interval N := fraction_in (said_growth c).

Definition fractions_in (qs : seq (fraction N)) : seq (interval N) := [seq fraction_in q | q <- qs].

(* The constants of evidence, one for each group. *)
Definition no_fraction : fraction N := Fraction zero one.
Definition constant_of (qs : seq (fraction N)) (i : nat) : R := fraction_real (nth no_fraction qs i).

Lemma fractions_in_enclose (D : token_data N) (qs : seq (fraction N)) : size qs = size (sequences D) ->
  @column_encloses N D (fractions_in qs) (fun i => constant_of qs i).
Proof. by move=> sq; apply: (column_map (e0 := no_fraction)) => // i; exact: fraction_in_contains. Qed.

(* The size of the first later step: the largest. *)
Definition step_in (s : step_rule) (t : nat) : interval N :=
  let S := fraction_in (spec_step s) in let count := exactly (of_natural N t.+1) in
  match spec_schedule s with
  | Constant => S
  | Inverse => idiv P S count
  | InverseRoot => idiv P S (isqrt P count)
  end.

Lemma step_in_contains s t : contains (step_in s t) (step_size (spec_schedule s) (fraction_real (spec_step s)) t).
Proof.
have Hs := fraction_in_contains (spec_step s).
have Hc : contains (exactly (of_natural N t.+1)) (INR t.+1).
  by have := exactly_contains (of_natural N t.+1); rewrite of_natural_real.
rewrite /step_in /step_size; case: (spec_schedule s) => //; apply: idiv_contains => //.
exact: isqrt_contains.
Qed.

(* Entrywise comparison of columns of the same length. *)
Definition all_pairs (f : interval N -> interval N -> bool) (c c' : seq (interval N)) : bool :=
  all (fun ab => f ab.1 ab.2) (zip c c').

Lemma all_pairsP (D : token_data N) f c c' A B (i : data_group D) :
  @column_encloses N D c A -> @column_encloses N D c' B -> all_pairs f c c' ->
  exists I J, [/\ contains I (A i), contains J (B i) & f I J].
Proof.
case=> sc Hc [sc' Hc'] H; have := all_nthP (Everything N, Everything N) H i.
rewrite size_zip sc sc' minnn nth_zip ?sc ?sc' // => /(_ (ltn_ord i)) /= h.
by exists (nth (Everything N) c i), (nth (Everything N) c' i).
Qed.

Lemma all_pairs_le (D : token_data N) c c' A B (i : data_group D) :
  @column_encloses N D c A -> @column_encloses N D c' B -> all_pairs (@certainly_le N) c c' -> A i <= B i.
Proof. by move=> Hc Hc' /(all_pairsP i Hc Hc') [I [J [HI HJ]]]; exact: certainly_le_real. Qed.
End Data.

Section Common.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).

Lemma mask_constraints : in_mask mask = Q.
Proof. by apply: FunctionalExtensionality.functional_extensionality => t; exact: in_constraint_mask. Qed.

Definition has_constraint : bool := all (fun row => all (@id bool) row) (map_rows negb mask) == false.

Lemma has_constraintP : has_constraint -> exists t, Q t.
Proof.
rewrite /has_constraint => /eqP /negbT/allPn[row /(nthP [::]) [i il <-] /allPn[b /(nthP false) [s sl <-] bs]].
have fc := fits_map negb (fits_constraint_mask Pok); have [/eqP sm _] := andP fc; rewrite sm in il.
have sl' := sl; rewrite (fits_row fc il) in sl'.
pose t : token (problem D) := @token_of N D (Ordinal il) (Ordinal sl').
exists t; rewrite -(in_constraint_mask Pok) /in_mask.
have := bs; rewrite -[nth false _ _]/(at_token false (map_rows negb mask) t) (at_token_map false) ?negbK //.
exact: fits_constraint_mask.
Qed.

(* Path, excess, centre, height of the conclusion against the point. *)
Definition conclusion_ok (s : step_rule N) (w : point N) (c : conclusion N) : bool :=
  [&& has_constraint, certainly_lt (interval0 N) (fraction_in P (spec_step s)),
      certainly_lt (interval0 N) (fraction_in P (said_path c)),
        certainly_le (interval0 N) (fraction_in P (said_excess c)),
      certainly_le (point_residual w) (fraction_in P (said_centre c)) &
      certainly_le (fraction_in P (said_height c)) (point_height w)].

Variables (l : loss_name) (w : point N) (w0 ws : vec (coord (problem D))) (s : step_rule N) (c : conclusion N).
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis checked : conclusion_ok s w c.
Notation u := (margin_direction ws).

Lemma conclusion_facts : [/\ exists t, Q t, 0 < fraction_real (spec_step s),
  0 < fraction_real (said_path c), 0 <= fraction_real (said_excess c) &
  vnorm (w0 - Direction.height u w0 * u)%V <= fraction_real (said_centre c) /\
  fraction_real (said_height c) <= Direction.height u w0].
Proof.
have [_ Hh Hr _] := point_in; have F := @fraction_in_contains N P; have /and5P[c1 c2 c3 c4 /andP[c5 c6]] := checked.
split; [exact: has_constraintP | exact: certainly_lt_real (contains0 N) (F _) c2
  | exact: certainly_lt_real (contains0 N) (F _) c3 | exact: certainly_le_real (contains0 N) (F _) c4 |].
by split; [exact: certainly_le_real Hr (F _) c5 | exact: certainly_le_real (F _) Hh c6].
Qed.
End Common.

Lemma linear_growth_weaker (a k G T y : R) : 0 <= T -> G <= k -> a + k * T <= y -> a + G * T <= y.
Proof. by move=> T0 Gk; have := Rmult_le_compat_r _ _ _ T0 Gk; lra. Qed.

(* e^(gamma y) from the logarithmic growth of the theorems. *)
Lemma exponential_growth (gamma a k G T y : R) : 0 < gamma -> 0 <= T -> G <= k -> 0 < k ->
  / gamma * ln (exp a + k * T) <= y -> exp a + G * T <= exp (gamma * y).
Proof.
move=> g0 T0 Gk k0 H; have e0 := exp_pos a; have kT : 0 <= k * T by apply: Rmult_le_pos; lra.
apply: (Rle_trans _ (exp a + k * T)); first by have := Rmult_le_compat_r _ _ _ T0 Gk; lra.
rewrite -[X in X <= _]exp_ln; last lra.
apply: exp_le; apply: (Rmult_le_reg_l (/ gamma)); first exact: Rinv_0_lt_compat.
by rewrite -Rmult_assoc Rinv_l ?Rmult_1_l; lra.
Qed.
