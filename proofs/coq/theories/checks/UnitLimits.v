(* UnitLimits: the limits of the factors of a head of ReLU units, and how fast they approach them, as tables: those of a
   loss of one output with the scores of the units that are active at the selected tokens (UnitTables.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Losses Heads HeadRanges UnitsHead Claims Direction Saturation FactorRange
                           LocalRanges OddsLimit BoundedSelection Number Rows TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals
                           RegionIntervals ForeverChecks LocalFactors FactorTables SlopeTables OutputHeads UnitTables
                           LimitTables.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Limits.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation token := (token (problem D)).
Notation Q := (constraint alpha).
Variables (k : nat) (Y : data_group D -> R) (r : 'I_k -> R) (unit_of : token -> 'I_k -> R) (l : loss_name).
Notation h := (@units_head (problem D) [finType of 'I_k] Y r unit_of (loss_of l)).
Notation scored := (@units_problem (problem D) [finType of 'I_k] Y r unit_of alpha).
Notation chosen_units := (@units_selection (problem D) [finType of 'I_k] Y r unit_of alpha).
Notation unit_score := (@units_score (problem D) [finType of 'I_k] Y r unit_of alpha).
Notation ugap := (gap (p := scored) chosen_units).
Variables (v : seq (seq (seq interval))) (weights : seq (seq interval)) (attentions : seq (fraction N)).
Variables (f : enclosed_reference N) (kept : seq (seq bool)).
Notation gaps_in := (unit_gap_table P picks v weights).
Notation eps_in := (eps_column P attentions).

Definition unit_limit_table : seq (seq interval) :=
  score_limit_table D P picks gaps_in l (unit_best_column P picks v weights).
Definition unit_rate_table : seq (seq interval) := score_rate_table D P picks f gaps_in l.
(* 2 eps max|gap| <= gap on S *)
Definition unit_room_test : bool :=
  room_test P f gaps_in (combine_columns (imul P) eps_in (widest_gap_in P gaps_in)).

Variables (ws : vec (coord (problem D))) (lam : token -> R).
Hypothesis values_in : numbers_enclose k v (fun t u => if insub u is Some u' then unit_of t u' else 0).
Hypothesis weights_in : size weights = size (sequences D) /\
  forall i : data_group D, numbers_in k (nth [::] weights i) (fun u => if insub u is Some u' then Y i * r u' else 0).
Hypothesis signed : forall i, Y i <> 0.
Hypothesis total_loss : everywhere l.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypotheses (fits_mask : fits D kept) (mask_constraint : forall t, in_mask kept t -> Q t).
Hypothesis checked : unit_local_check D P picks k v weights attentions kept.
Hypothesis settled : unit_room_test.
Notation mu := (multiplier_weights alpha lam).
Notation S := (Direction.active Q mu).
Notation eps := (fun i : data_group D => constant_of attentions i).
Notation gap_up := (group_largest ugap).
Notation gap_down := (group_largest (fun t => - ugap t)).
Hypothesis active_kept : forall t, S t -> in_mask kept t.

Let gaps_hold := unit_gap_table_encloses P Pok values_in weights_in.
Let eps_checked : unit_eps_check D P picks k v weights attentions. Proof. by case/andP: checked. Qed.
Let held := unit_local_ranges values_in weights_in total_loss fits_mask mask_constraint checked.
Notation unit_head := (unit_local_head Pok Y r unit_of l attentions kept).
Notation least := (least_gap Pok lam ugap).

Lemma unit_active_gap t : S t -> 0 < ugap t.
Proof.
move/active_kept => kt.
apply: Rle_lt_trans (unit_kept_gap Pok values_in weights_in fits_mask checked kt).
exact (Rmult_le_pos _ _ (proj1 (unit_eps_range eps_checked (group_of t))) (group_largest_ge0 ugap (group_of t))).
Qed.

Definition unit_limit_of : token -> R := @limit_factor scored chosen_units (loss_of l).
Definition unit_rate_of : token -> R := @deviation_rate scored chosen_units mu unit_head (slope_ratio l) least.

Lemma unit_limit_encloses : encloses unit_limit_table unit_limit_of.
Proof.
exact (score_limit_encloses P Dok Pok gaps_hold l (unit_best_encloses P Pok values_in weights_in)).
Qed.

Lemma unit_rate_encloses : encloses unit_rate_table unit_rate_of.
Proof. exact (score_rate_encloses P Dok reference_in gaps_hold l unit_active_gap). Qed.

Theorem unit_factor_limit low : lows_attended Pok low eps ->
  factor_limit Q (Delta alpha) (head_factor alpha h) low S unit_limit_of unit_rate_of.
Proof.
move=> att; have Hx := combine_column (C := fun i => eps i * Rmax (gap_up i) (gap_down i))
  (unit_eps_encloses eps_checked) (widest_gap_encloses P gaps_hold) (fun i I J HI HJ => imul_contains P HI HJ).
have room t : S t -> eps (group_of t) * Rmax (gap_up (group_of t)) (gap_down (group_of t)) <= ugap t / 2.
  move=> St; have twice : 2 * (eps (group_of t) * Rmax (gap_up (group_of t)) (gap_down (group_of t))) <= ugap t :=
    room_spec reference_in gaps_hold Hx settled St.
  lra.
have [ddl derive ratio_le] := slope_ratio_spec total_loss.
have lam0 : 0 <= slope_ratio l by rewrite /slope_ratio; case: (l); lra.
have bounds : @limit_ranges scored chosen_units (loss_of l) mu unit_head (slope_ratio l) least.
  split; [exact: active_kept | exact: room | exact: lam0 | by exists ddl => // i x _; exact: ratio_le |
    exact: (least_gap_gt0 Pok lam ugap) | exact: (least_gap_le unit_active_gap)].
apply: (units_limit (unit_signs_hold values_in weights_in signed eps_checked att)).
exact (local_factor_limit held bounds att).
Qed.
End Limits.
