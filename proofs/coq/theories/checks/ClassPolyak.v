(* ClassPolyak: theta of Polyak's steps for a classifier as intervals (T9p; ClassifierPolyak.v): the excess loss beside
   the total weight, from the least gap beside the largest slope, and from the least attention. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads HeadRanges HeadRuns Claims Direction Path Growth Saturation
                           FactorRange ClassifierHead ClassifierLockIn ClassifierPolyak Number Rows TokenData
                           MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks LocalFactors
                           FactorTables HeadAbsorbing OutputHeads ClassTables ClassLimits ClassSelected.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section ClassPolyak.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation token := (token (problem D)).
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).
Notation group_index t := (tag (t : data_token D)).
Variables (k : nat) (G : token -> 'I_k -> R) (y : data_group D -> 'I_k) (v : seq (seq (seq interval))).
Notation h := (@classifier_head (problem D) [finType of 'I_k] G y).
Notation class_gap := (@classifier_limit (problem D) [finType of 'I_k] G y alpha).
Variable eps_in : seq interval.
Notation high_table := (class_slope_table P picks k v (imax P) eps_in).

(* ---- computed ---- *)

Definition class_polyak : option (interval * seq interval) :=
  let gaps := class_gap_table P picks k v in
  if all_within (@is_positive N) mask gaps then
    Some (idiv P (interval1 N) (table_largest P (within mask (interval0 N) (combine_tables (idiv P) high_table gaps))),
          [:: column_largest P [seq idiv P (interval1 N) (isub P (interval1 N) e) | e <- eps_in]])
  else None.

(* ---- what that means ---- *)

Variables (eps : data_group D -> R) (c : conclusion N) (r : table_ranges D) (ws w0 : vec (coord (problem D))).
Hypothesis values_in : numbers_enclose k v
  (fun t u => if insub u is Some u' then G t u' - G t (y (group_index t)) else 0).
Hypothesis eps_encloses : @column_encloses N D eps_in eps.
Hypothesis eps_is : range_eps r = eps.
Notation lo := (class_lo Pok G y eps).
Notation hi := (class_hi Pok G y eps).
Notation bounds := (SlopeBounds (p := problem D) (@in_mask N D mask) eps lo hi (group_largest hi)
  (group_largest (fun t => - lo t))).
Hypothesis ranges : slope_ranges alpha h bounds.

Theorem class_polyak_range : polyak_range Pok c class_polyak h (selected_head_loss alpha h) r ws w0.
Proof.
move=> th; rewrite /class_polyak; set low := idiv _ _ _; set high := column_largest _ _.
case: ifP => // positive [<-] low_gt0 test fits reach.
have {}low_gt0 : is_positive low := low_gt0; have {}fits : test high by case/orP: fits.
have [fg Hg] := class_gap_encloses P Pok values_in; have fm := fits_constraint_mask Pok.
have gap_gt0 t : Q t -> 0 < class_gap t.
  rewrite -(in_constraint_mask Pok) => Qt; exact: is_positive_real (Hg t) (all_withinP anything fm fg positive Qt).
have [ft Ht] := combine_encloses (H := fun t => hi t / class_gap t) (class_hi_encloses P Pok values_in eps_encloses)
  (conj fg Hg) (fun t I J HI HJ => idiv_contains P HI HJ).
have [m [Hm m0 m_ge]] := table_largest_contains P (within_encloses (F := fun t => hi t / class_gap t) fm (contains0 N)
  ft (fun t _ => Ht t)).
have [e [He e0 e_ge]] := column_largest_contains P (map_column (C := fun i => 1 / (1 - eps i)) eps_encloses
  (fun i I HI => idiv_contains P (contains1 N) (isub_contains P (contains1 N) HI))).
have lo_in : contains low (1 / m) := idiv_contains P (contains1 N) Hm.
have thlo0 := is_positive_real lo_in low_gt0.
have m_gt0 : 0 < m.
  case: m0 => // m0; move: thlo0; rewrite -m0 /Rdiv Rmult_1_l Rinv_0; lra.
exists (1 / m), e, high.
split=> // z Hz; rewrite (class_selected_loss G y alpha).
have near i : 1 - attention z (alpha i) <= eps i by rewrite -eps_is; exact: reach.
have kept t : Q t -> in_mask mask t by rewrite (in_constraint_mask Pok).
apply: (@classifier_polyak_excess (problem D) _ G y alpha eps hi (1 / m) e z)
  => [|t Qt||i|i|t Qt]; [lra | | exact: e0 | | exact: near |].
- have g0 := gap_gt0 t Qt; have := m_ge t; rewrite (kept t Qt) => le.
  apply: (Rmult_le_reg_l m) => //; have -> : m * (1 / m * hi t) = hi t by field; lra.
  by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ g0) le; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra.
- have [e1 e2] := slope_eps_range ranges i; rewrite /= in e1 e2.
  have := Rmult_le_compat_r (1 - eps i) _ _ (ltac:(lra)) (e_ge i).
  by rewrite /Rdiv Rmult_1_l Rinv_l; lra.
have [low_le high_ge] : lo t <= slope_gap alpha h z t <= hi t := slope_gap_range ranges near Qt.
have kg : eps (group_of t) * group_largest hi (group_of t) < lo t := slope_kept_gap ranges (kept t Qt).
have e1 : 0 <= eps (group_of t) := proj1 (slope_eps_range ranges (group_of t)).
have o1 : 0 <= group_largest hi (group_of t) by exact: group_largest_ge0.
have p := Rmult_le_pos _ _ e1 o1; split; [apply: Rle_trans low_le; lra | exact: high_ge].
Qed.
End ClassPolyak.
