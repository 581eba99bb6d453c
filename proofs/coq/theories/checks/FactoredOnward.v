(* FactoredOnward: T22 at a step of training of factors, from the conditions of FactoredForeverChecks.v at that step:
   what is said of all later ones. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Losses NormDuality Iteration Direction Growth Saturation LockIn
                           Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary
                           IntervalTables AttentionIntervals ForeverChecks Replay RunChecks Pulls LossFloors
                           FactoredStep FactoredIteration FactoredDecay FactoredRun FactoredRanges FactoredRunChecks
                           FactoredForeverChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

(* ---- what is said ---- *)

Section Said.
Variables (N : number) (D : token_data N) (alpha : selection (problem D)) (l : loss_name) (m : nat).
Notation pair := (factor_pair [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)]
                    [finType of 'I_m]).
Variables (z : nat -> pair) (slope growth least drift : R).
Notation size t := (factors_square (z t)).
Let left t := left_factor (z t).
Let right t := right_factor (z t).

Definition onward_point (t : nat) : vec (coord (problem D)) := pair_product (z t).
Definition onward_excess (t : nat) : R := loss_above alpha (loss_of l) (onward_point t).
(* How far K'K - Q'Q moves in a step. *)
Definition balance_move (t : nat) : R :=
  nuclear_norm (factored_balance left right t.+1 - factored_balance left right t)%V.

(* From z 0 on: the loss falls to that of the selected tokens, which are the best ones, and no slower than said; every
   margin is at least the slope times half of ||K||^2 + ||Q||^2, which is at least the nuclear norm and grows without
   bound; selected tokens have at least this attention, and all in the limit; and K'K - Q'Q moves by no more than said
   in all. *)
Record factored_onward : Prop := FactoredOnward {
  onward_optimal : globally_optimal alpha;
  onward_falls : forall t, 0 < onward_excess t.+1 <= onward_excess t;
  onward_bound : forall t, onward_excess t <= / (/ onward_excess O + growth * INR t);
  onward_limit : is_lim_seq onward_excess 0;
  onward_margins : forall t c, constraint alpha c -> slope * (size t / 2) <= margin alpha (onward_point t) c;
  onward_norm : forall t, nuclear_norm (onward_point t) <= size t / 2;
  onward_size : is_lim_seq (fun t => size t) p_infty;
  onward_attention : forall t i, least <= attention (onward_point t) (alpha i);
  onward_selects : forall i, is_lim_seq (fun t => attention (onward_point t) (alpha i)) 1;
  onward_balance : forall t, total balance_move t <= drift
}.
End Said.

Section Onward.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Variables (l : loss_name) (m : nat).
Notation pair := (factor_pair [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)]
                    [finType of 'I_m]).
Variables (S square eta : interval N) (slope growth least drift : fraction N).

Definition onward_check : bool :=
  [&& factored_conditions D P picks l S square eta,
      [&& fraction_ok slope, fraction_ok growth & lt zero (fraction_num slope) && lt zero (fraction_num growth)] &
      [&& certainly_le (claimed P slope) (slope_in D P picks l S square eta),
          certainly_le (claimed P growth) (growth_of_loss D P picks l S square eta),
          all (fun I => certainly_le (claimed P least) (isub P (interval1 N) I)) (floor_shares D P picks l S) &
          certainly_le (drift_in D P picks l S square eta) (claimed P drift)]].

Variables (z : nat -> pair) (eta0 : R).
Hypothesis moves : forall t, z t.+1 = factors_moved (@descent_field N D l) false (fun=> eta0) t (z t).
Notation ell := (loss_of l).
Notation w t := (onward_point z t).
Notation excess t := (onward_excess alpha l z t).
Notation size t := (factors_square (z t)).
Hypothesis S_in : contains S (excess 0).
Hypothesis size_contains : contains square (size 0).
Hypothesis eta_in : contains eta eta0.
Hypothesis checked : onward_check.

Let conditions : factored_conditions D P picks l S square eta := proj1 (andP checked).
Let labels : labelled alpha l := factored_labels Dok Pok conditions.

Section Constants.
Variable r : data_group D -> R.
Hypothesis r_enclosed : @column_encloses N D (inverse_gaps D P picks) r.
Hypothesis r_ge : forall i t, others alpha i t -> / gap alpha t <= r i.
Variables (k : factored_constants) (b : R).
Hypothesis found : found_constants P Pok l S (w 0) eta0 r k b.
Notation nu := (factored_ratio k).
Notation s0 := (excess 0).
Notation r0 := (size 0).

Let eta_eq : factored_eta k = eta0. Proof. by have [] := found_eta found. Qed.
Let nu_inv : contains (steepest_ratio D P picks l S) (/ nu). Proof. by have [] := found_ratio found. Qed.
Let D_in : contains (widest_feature_in D P) (factored_reach k). Proof. by have [] := found_reach found. Qed.
Let h_in : contains (deficit_in D P picks l) (factored_deficit k). Proof. by have [] := found_deficit found. Qed.

Lemma push_contains : contains (push_in D P picks l S eta) (factored_push k s0).
Proof.
rewrite /factored_push eta_eq; apply: (imul_contains P _ D_in); apply: (imul_contains P eta_in).
exact: imul_contains S_in nu_inv.
Qed.

Lemma delta_contains : contains (delta_in D P picks l S square eta) (factored_delta k s0 r0).
Proof.
have far := iadd_contains P (contains1 N) push_contains; have [phi_in _] := found_bend found.
rewrite /factored_delta eta_eq; apply: imul_contains.
  by apply: (imul_contains P eta_in); exact: imul_contains S_in nu_inv.
apply: (iadd_contains P _ D_in); apply: (imul_contains P _ (imul_contains P far far)).
apply: (imul_contains P _ size_contains).
exact: (imul_contains P (imul_contains P D_in D_in) (iadd_contains P (contains1 N) phi_in)).
Qed.

Let halved (I : interval N) x : contains I x -> contains (half P I) (x / 2).
Proof. by move=> HI; exact: (idiv_contains P HI (contains2 N)). Qed.

Lemma loss_contains : contains (loss_in D P picks l S square eta) (factored_loss k s0 r0).
Proof.
apply: (iadd_contains P _ (halved push_contains)); apply: (iadd_contains P (halved delta_contains)).
exact: imul_contains h_in S_in.
Qed.

Lemma level_contains : contains (level_in D P picks l S) (factored_level k s0).
Proof.
have [_ offset] := found_eta found; have [nu_in nu0] := found_ratio found; have [b_in b0] := found_least found.
have s_gt0 : 0 < s0.
  by case/and5P: conditions => _ _ _ /and4P[H _ _ _] _; exact: is_positive_real S_in H.
have -> : factored_level k s0 = - ln (s0 * (/ nu * / b)).
  have i0 := Rinv_0_lt_compat _ nu0; have i1 := Rinv_0_lt_compat _ b0.
  rewrite /factored_level offset (ln_mult _ _ nu0 b0) (ln_mult _ _ s_gt0 (Rmult_lt_0_compat _ _ i0 i1)).
  by rewrite (ln_mult _ _ i0 i1) (ln_Rinv _ nu0) (ln_Rinv _ b0); ring.
exact: (iopp_contains (ilog_contains P (imul_contains P S_in (imul_contains P nu_in b_in)))).
Qed.

Let kept_contains : contains (spare_in D P picks l S square eta)
  ((1 - factored_loss k s0 r0) * factored_level k s0 - 1).
Proof.
apply: (isub_contains P _ (contains1 N)); apply: (imul_contains P _ level_contains).
exact: isub_contains (contains1 N) loss_contains.
Qed.

Let damped_contains : contains (damped_in D P picks l S square eta) (1 - factored_delta k s0 r0 / 2).
Proof. exact: isub_contains (contains1 N) (halved delta_contains). Qed.

Notation found_slope := (factored_slope k s0 r0).
Notation found_growth := (factored_growth k s0 r0).

Let slope_contains : contains (slope_in D P picks l S square eta) found_slope.
Proof.
apply: imul_contains.
  exact: (idiv_contains P (imul_contains P (contains2 N) level_contains) size_contains).
exact: (iexp_contains P (iopp_contains (idiv_contains P loss_contains kept_contains))).
Qed.

Let growth_contains : contains (growth_of_loss D P picks l S square eta) found_growth.
Proof.
have steady := isub_contains P (contains1 N) (imul_contains P h_in S_in).
rewrite /factored_growth eta_eq; apply: (imul_contains P _ (imul_contains P steady steady)).
apply: (imul_contains P _ level_contains); apply: (imul_contains P _ slope_contains).
exact: (imul_contains P (imul_contains P (contains2 N) eta_in) damped_contains).
Qed.

Let drift_contains : contains (drift_in D P picks l S square eta)
  (factored_eta k * s0 / (1 - factored_delta k s0 r0 / 2)).
Proof. by rewrite eta_eq; exact: (idiv_contains P (imul_contains P eta_in S_in) damped_contains). Qed.

(* ---- the theorem ---- *)

Let left t := left_factor (z t).
Let right t := right_factor (z t).
Notation weights := (bare_weight alpha ell).

Let field u : field_of (constraint alpha) (Delta alpha) weights u = @descent_field N D l u.
Proof. exact (descent_of_loss alpha ell u). Qed.

Let left_step t a : left t.+1 a =
  (left t a + factored_eta k * left_pull (constraint alpha) (Delta alpha) weights left right t a)%V.
Proof. by rewrite /left moves eta_eq /left_pull field. Qed.

Let right_step t a : right t.+1 a =
  (right t a + factored_eta k * right_pull (constraint alpha) (Delta alpha) weights left right t a)%V.
Proof. by rewrite /right moves eta_eq /right_pull field. Qed.

Let size_gt0 : 0 < r0.
Proof. by case/and5P: conditions => _ _ _ /and4P[_ H _ _] _; exact: is_positive_real size_contains H. Qed.

Let step_gt0 : 0 < factored_eta k.
Proof. by rewrite eta_eq; case/and5P: conditions => _ _ _ /and4P[_ _ H _] _; exact: is_positive_real eta_in H. Qed.

Let start : decay_start k s0 r0.
Proof.
case/and5P: conditions => _ _ _ _ /and4P[_ Hd Hl Hs]; split; first exact: size_gt0.
- exact: certainly_le_real delta_contains (contains1 N) Hd.
- exact: certainly_lt_real loss_contains (contains1 N) Hl.
exact: is_positive_real kept_contains Hs.
Qed.

Variable c0 : token (problem D).
Hypothesis Qc0 : constraint alpha c0.

Let run : factored_follows (constraint alpha) (Delta alpha) weights (loss_above alpha ell) b k left right :=
  FactoredFollows left_step right_step (found_ranges_hold found)
    (FactoredProper (proj2 (found_ratio found)) (proj2 (found_deficit found)) (proj2 (found_bend found))
      (proj2 (found_reach found)) step_gt0)
    (proj2 (found_least found)) (proj2 (found_eta found)) (ex_intro _ c0 Qc0).
Let held := factored_for_ever run start.
Let limit := factored_loss_limit run start.
Let balance := balance_drift run start.

Let excess_gt0 t : 0 < excess t.
Proof. by have [[h0 h1] _ _ _ _] := held t; apply: Rlt_le_trans h0 h1. Qed.

Let falls t : 0 < excess t.+1 <= excess t.
Proof. by have [h _ _ _ _] := held t. Qed.

Let low t : training_loss ell (w t) <= training_loss ell (w 0).
Proof.
suff : excess t <= s0 by rewrite /onward_excess /loss_above; lra.
by elim: t => [|t IH]; [right | have [_ h] := falls t; apply: Rle_trans h IH].
Qed.

Let claims : [/\ fraction_real slope <= found_slope, fraction_real growth <= found_growth,
  0 < fraction_real slope & 0 < fraction_real growth].
Proof.
case/and3P: checked => _ /and3P[sok gok /andP[s1 g1]] /and4P[Hs Hg _ _].
split; [exact: certainly_le_real (claimed_contains P slope) slope_contains Hs
  | exact: certainly_le_real (claimed_contains P growth) growth_contains Hg | |].
- by apply: Rdiv_lt_0_compat (fraction_den_gt0 sok); rewrite -(real0 N); exact: lt_real.
by apply: Rdiv_lt_0_compat (fraction_den_gt0 gok); rewrite -(real0 N); exact: lt_real.
Qed.

Let bound t : excess t <= / (/ s0 + fraction_real growth * INR t).
Proof.
have [_ g_le _ g0] := claims; have [_ h _ _ _] := held t; apply: Rle_trans h _.
have i0 := Rinv_0_lt_compat _ (excess_gt0 0); have t0 := pos_INR t.
have := Rmult_le_compat_r _ _ _ t0 g_le; have := Rmult_le_pos _ _ (Rlt_le _ _ g0) t0.
by move=> h1 h2; apply: Rinv_le_contravar; [lra | apply: Rplus_le_compat_l].
Qed.

Let size_grows : is_lim_seq (fun t => size t) p_infty.
Proof.
have [_ g_le _ g0] := claims; have gp : 0 < found_growth by lra.
have D0 := proj2 (found_reach found).
have lim : is_lim_seq (fun t => / s0 + found_growth * INR t) p_infty.
  apply: (is_lim_seq_plus _ _ (/ s0) p_infty) => //; first exact: is_lim_seq_const.
  apply: (is_lim_seq_mult _ _ found_growth p_infty); [exact: is_lim_seq_const | exact: is_lim_seq_INR |].
  by apply: is_Rbar_mult_sym; apply: is_Rbar_mult_p_infty_pos.
apply/is_lim_seq_spec => M; move/is_lim_seq_spec: lim => lim.
have [n Hn] := lim (exp (factored_offset k + factored_reach k * (M / 2))); exists n => t nt.
have [_ _ [_ h] _ _] := held t.
have {}h : ln (/ s0 + found_growth * INR t) - factored_offset k <= factored_reach k * (size t / 2) := h.
have := ln_increasing _ _ (exp_pos _) (Hn t nt); rewrite ln_exp => above.
have : factored_reach k * (M / 2) < factored_reach k * (size t / 2) by lra.
by move/(Rmult_lt_reg_l _ _ _ D0); lra.
Qed.

Let attended t i : fraction_real least <= attention (w t) (alpha i).
Proof.
have /and3P[_ _ /and4P[_ _ H _]] := checked.
have [sl Hl] := floor_shares_enclose S_in r_enclosed.
have := all_nthP (Everything N) H i; rewrite sl => /(_ (ltn_ord i)) le.
have {}le := certainly_le_real (claimed_contains P least) (isub_contains P (contains1 N) (Hl i)) le.
apply: Rle_trans le _; case Hi: (has_others Pok i).
  have /existsP[u ui] := Hi; rewrite -(found_attention Dok S_in conditions r_enclosed r_ge).
  exact: (lock_attention (labelled_defined labels)
    (found_ranges Dok S_in conditions r_enclosed r_ge) (low t) ui).
rewrite (attention_selected alpha) /odds big_pred0 ?Rplus_0_r ?Rinv_1; last first.
  by move=> u; apply: contraFF Hi => ui; apply/existsP; exists u.
by rewrite /ScoreFloors.lost_share /score_drop Hi; lra.
Qed.

Let selects_in_the_limit i : is_lim_seq (fun t => attention (w t) (alpha i)) 1.
Proof.
case Hi: (has_others Pok i); last first.
  apply: (is_lim_seq_ext (fun=> 1)) => [t|]; last exact: is_lim_seq_const.
  rewrite (attention_selected alpha) /odds big_pred0 ?Rplus_0_r ?Rinv_1 // => u.
  by apply: contraFF Hi => ui; apply/existsP; exists u.
have /existsP[u ui] := Hi; have h_ge := found_deficit_ge found ui.
apply: (is_lim_seq_le_le (fun t => 1 - factored_deficit k * excess t) _ (fun=> 1)).
- move=> t; split; last exact: (attention_le1 alpha).
  have H : 1 - attention (w t) (alpha i) <= factored_deficit k * excess t :=
    attention_deficit_excess (labelled_defined labels) (fun x y => @slope_decreasing l x y)
      (found_ranges Dok S_in conditions r_enclosed r_ge) (low t) ui h_ge.
  lra.
- have -> : Finite 1 = Rbar_plus 1 (Rbar_opp (Rbar_mult (factored_deficit k) 0)).
    by rewrite /= Rmult_0_r Ropp_0 Rplus_0_r.
  apply: (is_lim_seq_minus _ _ 1 (Rbar_mult (factored_deficit k) 0)) => //; first exact: is_lim_seq_const.
  exact: is_lim_seq_scal_l limit.
exact: is_lim_seq_const.
Qed.

Let moves_little t : total (balance_move z) t <= fraction_real drift.
Proof.
have /and3P[_ _ /and4P[_ _ _ H]] := checked.
apply: Rle_trans (balance t) _; exact: certainly_le_real drift_contains (claimed_contains P drift) H.
Qed.

Lemma onward_found : factored_onward alpha l z (fraction_real slope) (fraction_real growth) (fraction_real least)
  (fraction_real drift).
Proof.
have [s_le _ _ _] := claims; split=> //.
- by case/and5P: conditions => _ H _ _ _; exact: (global_check_sound Dok).
- move=> t c Qc; have [_ _ _ h _] := held t; apply: Rle_trans (h c Qc); apply: Rmult_le_compat_r s_le.
  by have p0 : 0 <= size t := pair_size_ge0 (left t) (right t); lra.
by move=> t; have [_ _ _ _ h] := held t.
Qed.
End Constants.

Theorem onward_check_sound : factored_onward alpha l z (fraction_real slope) (fraction_real growth)
  (fraction_real least) (fraction_real drift).
Proof.
have [r r_enclosed r_ge] := inverse_gaps_enclose P Dok Pok.
have [k [b found]] := constants_found Dok eta0 S_in conditions r_enclosed r_ge.
have [c0 Qc0] := some_other Pok conditions.
exact: onward_found r_enclosed r_ge k b found c0 Qc0.
Qed.
End Onward.
