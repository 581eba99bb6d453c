(* LossFloors: what lock-in by loss takes from a group whatever the run is: whether there is a choice, its least gap,
   how far apart its features are; and how fast the slope of a loss changes. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Losses Direction Saturation Number Rows TokenData MarginChecks
                           OptimalityChecks EnclosureChecks Interval IntervalTables AttentionIntervals
                           SmoothnessChecks ReferenceIntervals RegionIntervals ForeverChecks GlobalFactors Pulls.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* |l''| is at most this times |l'|; of cross-entropy the bounds along lines are its own (LabelLockIn.v). *)
Definition curvature_ratio (l : loss_name) : R := match l with Correlation | CrossEntropy => 0 | _ => 1 end.

Lemma curvature_ratio_bound l : everywhere l -> exists2 ddl, forall x, is_derive (dloss (loss_of l)) x (ddl x) &
  forall x, Rabs (ddl x) <= curvature_ratio l * - dloss (loss_of l) x.
Proof.
case: l => // _.
- by eexists; [exact: is_derive_logistic_slope | exact: logistic_ratio].
- by eexists; [exact: is_derive_exponential_slope | exact: exponential_ratio].
by exists (fun=> 0); [exact: is_derive_correlation_slope | exact: correlation_ratio].
Qed.

Section Floors.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation mask := (constraint_mask D picks).
Implicit Types (t : token (problem D)) (i : data_group D).

(* Groups of more than one token. *)
Definition shared : seq bool := [seq has (@id bool) row | row <- mask].
(* Over each gap, the largest of a group. *)
Definition inverse_gaps : seq interval :=
  map (column_largest P) (within mask (interval0 N) (map_rows (idiv P (interval1 N)) (gaps_in D P picks))).

(* The largest distance of two features of a group. *)
Definition widest_feature_in : interval :=
  let unit := mul (token_unit D) (query_unit D) in
  isqrt P (column_largest P [seq ratio P (mul unit unit) (feature_diameter2 q) | q <- sequences D]).

Definition has_others i : bool := [exists t, others alpha i t].

Lemma shared_spec i : nth false shared i = has_others i.
Proof.
have fc := fits_constraint_mask Pok; have il := ltn_ord i; have [/eqP sm _] := andP fc.
rewrite /shared (nth_map [::]) ?sm //; apply/idP/existsP => [/(has_nthP false)[j jl Hj] | [t /andP[Qt /eqP ti]]].
  have jl' := jl; rewrite (fits_row fc il) in jl'.
  exists (@token_of N D i (Ordinal jl')); rewrite /others eqxx andbT -(in_constraint_mask Pok); exact: Hj.
apply/(has_nthP false); move: Qt; rewrite -(in_constraint_mask Pok) /in_mask /at_token -ti.
by exists (tagged (t : data_token D)) => //; exact: fits_at.
Qed.

(* The largest 1/gap of each group, as a real number. *)
Lemma inverse_gaps_enclose : exists2 r : data_group D -> R, @column_encloses N D inverse_gaps r &
  forall i t, others alpha i t -> / gap alpha t <= r i.
Proof.
have [fg Hg] := map_encloses (G := fun t => 1 / gap alpha t) (gaps_enclose P Dok Pok) (fun t I HI
  => idiv_contains P (contains1 N) HI).
have [fm Hm] := within_encloses (F := fun t => 1 / gap alpha t) (fits_constraint_mask Pok) (contains0 N) fg
  (fun t _ => Hg t).
have [/eqP sm _] := andP fm.
have row i := largest_contains P (F := fun j : 'I_(length_of D i) => if in_mask mask (token_of j) then 1 /
  gap alpha (token_of j) else 0)
  (fits_row fm (ltn_ord i)) (fun j => Hm (token_of j)).
have [r Hr] := fin_all_exists row; exists r => [|i t /andP[Qt /eqP ti]].
  split=> [|i]; first by rewrite size_map.
  by have [Hi _ _] := Hr i; rewrite (nth_map [::]) ?sm //; exact: ltn_ord.
have [_ _ Hle] := Hr (tag (t : data_token D)); have := Hle (tagged (t : data_token D)).
rewrite (_ : token_of _ = t); last by case: (t).
by rewrite (in_constraint_mask Pok) Qt /Rdiv Rmult_1_l -ti.
Qed.

Lemma widest_feature_contains : exists x, [/\ contains widest_feature_in x, 0 <= x &
  forall t t' : token (problem D), group_of t = group_of t' -> vnorm (feature t - feature t')%V <= x].
Proof.
have H : @column_encloses N D [seq ratio P (mul (mul (token_unit D) (query_unit D))
  (mul (token_unit D) (query_unit D)))
    (feature_diameter2 q) | q <- sequences D] (fun i => diameter_of i * diameter_of i).
  by apply: (column_map (e0 := no_sequence N)) => // i; rewrite (diameter_square Dok) -!realM; exact: ratio_contains.
have [x [Hx x0 Hle]] := column_largest_contains P H.
exists (sqrt x); split=> [||t t' same]; [exact: isqrt_contains | exact: sqrt_pos |].
apply: Rle_trans (feature_distance Dok same) _.
have d0 : 0 <= diameter_of (tag (t : data_token D)) by exact: sqrt_pos.
by rewrite -(sqrt_square _ d0); apply: sqrt_le_1_alt.
Qed.
End Floors.
