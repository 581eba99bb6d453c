(* LocalFactors: the executable ranges of a locally optimal selection (LocalRanges.v), common to T11 and T15.

   P holds the constraints with a positive score gap that are not listed outside, N the other constraints. The
   attention eps that may leave the selected tokens gives the bounds blo, bhi of the factors on P and B on N. lows is
   any enclosure of lower bounds low of the margins. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Direction Gibbs Progress Growth Saturation FactorRange LocalRanges
                           PartialStep LocalAbsorbing Runs Forever Number Rows TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals
                           RegionIntervals ForeverChecks Pulls.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Largest.
Variables (N : number) (D : token_data N) (P : Z).
Implicit Types (F : token (problem D) -> R) (m : seq (seq (interval N))).

(* The largest value in a group, and 0. *)
Definition group_largest F (i : data_group D) : R := \big[Rmax/0]_(s < length_of D i) F (token_of s).

Lemma big_Rmax_ge0 n (G : 'I_n -> R) : 0 <= \big[Rmax/0]_(j < n) G j.
Proof.
elim: n G => [|n IH] G; first by rewrite big_ord0; right.
by rewrite big_ord_recl; apply: Rle_trans (IH _) (Rmax_r _ _).
Qed.

Lemma big_Rmax_ge n (G : 'I_n -> R) k : G k <= \big[Rmax/0]_(j < n) G j.
Proof.
elim: n G k => [|n IH] G k; first by case: k.
rewrite big_ord_recl; case: (unliftP ord0 k) => [j -> | ->]; last exact: Rmax_l.
exact: Rle_trans (IH (fun j => G (lift ord0 j)) j) (Rmax_r _ _).
Qed.

Lemma group_largest_ge0 F i : 0 <= group_largest F i.
Proof. exact: big_Rmax_ge0. Qed.

Lemma group_largest_ge F (t : token (problem D)) : F t <= group_largest F (group_of t).
Proof. by case: t => i s; exact: (big_Rmax_ge (fun s => F (token_of s)) s). Qed.

Lemma group_largest_le F i c : 0 <= c -> (forall t : token (problem D), group_of t = i -> F t <= c) ->
  group_largest F i <= c.
Proof.
move=> c0 H; rewrite /group_largest; apply: (big_ind (fun x => x <= c)) => // [x y|s _]; first exact: Rmax_lub.
exact: H.
Qed.

Definition rows_largest m : seq (interval N) := [seq column_largest P r | r <- m].

Lemma rows_largest_enclose m F : encloses m F -> column_encloses (rows_largest m) (group_largest F).
Proof.
case=> fm Hm; have [/eqP sm _] := andP fm; apply: (column_map (e0 := [::])) => // i.
have key (r : seq (interval N)) n (G : 'I_n -> R) : size r = n ->
  (forall j : 'I_n, contains (nth (Everything N) r j) (G j)) ->
    contains (column_largest P r) (\big[Rmax/0]_(j < n) G j).
  elim: r n G => [|I r IH] [|n] G //= E H; first by rewrite big_ord0; exact: contains0.
  rewrite big_ord_recl; apply: imax_contains; first exact: (H ord0).
  by apply: IH => [|j]; [case: E | exact: (H (lift ord0 j))].
by apply: key => [|s]; [exact: fits_row fm (ltn_ord i) | exact: (Hm (token_of s))].
Qed.
End Largest.

Section Factors.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Notation mask := (constraint_mask D picks).
Implicit Types (t : token (problem D)) (i : data_group D) (m : seq (seq interval)).

Variables (l : loss_name) (attentions : seq (fraction N)) (outside : seq (seq bool)).

(* ---- P and N ---- *)

Definition inside_mask : seq (seq bool) := map_rows (fun gb => lt zero gb.1 && ~~ gb.2)
  (zip_rows (gaps D picks) outside).
Notation inside := (@in_mask N D inside_mask).

(* Only constraints with a positive gap are listed outside. *)
Definition outside_ok : bool :=
  mask_ok D picks outside && all_within (lt zero) outside (gaps D picks).

(* ---- the ranges ---- *)

Definition eps_in : seq interval := fractions_in P attentions.
Definition gap_in : seq (seq interval) := gap_table D P picks.
Definition gap_up_in : seq interval := rows_largest P gap_in.
Definition gap_down_in : seq interval := rows_largest P (map_rows (@iopp N) gap_in).
Definition output_drop_in : seq interval := combine_columns (imul P) eps_in gap_up_in.    (* eps G+ *)
Definition output_rise_in : seq interval := combine_columns (imul P) eps_in gap_down_in.  (* eps G- *)
Definition lowest_in : seq interval := combine_columns (isub P) (selected_scores D P picks) output_drop_in.
Definition highest_in : seq interval := combine_columns (iadd P) (selected_scores D P picks) output_rise_in.
Definition least_slope_in : seq interval :=
  combine_columns (fun I J => slope_interval P l (at_least l I J)) lowest_in highest_in.
Definition most_slope_in : seq interval :=
  combine_columns (fun I J => slope_interval P l (at_most l I J)) lowest_in highest_in.
Definition kept_gap_in : seq (seq interval) := spread_column (fun p g => isub P g p) output_drop_in gap_in.
Definition blo_in : seq (seq interval) :=
  by_copies D P picks (spread_column (imul P)
    (combine_columns (fun a e => imul P (imul P (group_share D P) a) (isub P (interval1 N) e)) least_slope_in eps_in)
    kept_gap_in).
Definition slope_share_in : seq interval := [seq imul P (group_share D P) a | a <- most_slope_in].
Definition bhi_in : seq (seq interval) :=
  by_copies D P picks (spread_column (imul P) slope_share_in
    (spread_column (fun p g => iadd P g p) output_rise_in gap_in)).
Definition swing_in : seq interval :=
  if everywhere l then combine_columns (imul P) eps_in (combine_columns (imax P) gap_up_in gap_down_in)
  else output_rise_in.
Definition other_in : seq (seq interval) :=
  by_copies D P picks (spread_column (imul P) slope_share_in
    (spread_column (fun p g => iadd P (imax P g (iopp g)) p) swing_in gap_in)).

Definition ranges_check : bool :=
  [&& size attentions == size (sequences D), outside_ok,
    all (fun e => certainly_le (interval0 N) e && certainly_lt e (interval1 N)) eps_in &
      all_within (@is_positive N) inside_mask kept_gap_in].

Hypothesis checked : ranges_check.
Notation eps := (fun i : data_group D => constant_of attentions i).
Notation gap_up := (group_largest (gap alpha)).
Notation gap_down := (group_largest (fun t => - gap alpha t)).
Notation lowest := (fun i : data_group D => score (alpha i) - eps i * gap_up i).
Notation highest := (fun i : data_group D => score (alpha i) + eps i * gap_down i).
Notation swing := (fun i : data_group D => eps i * (if everywhere l then Rmax (gap_up i) (gap_down i) else gap_down i)).
Notation lmin := (fun i : data_group D => - dloss (loss_of l) (at_least l (lowest i) (highest i))).
Notation lmax := (fun i : data_group D => - dloss (loss_of l) (at_most l (lowest i) (highest i))).
Notation blo := (local_blo alpha eps gap_up lmin).
Notation bhi := (local_bhi alpha eps gap_down lmax).
Notation B := (local_B alpha swing lmax).

Lemma fits_outside : fits D outside.
Proof. by have /and4P[_ /andP[/andP[H _] _] _ _] := checked. Qed.

Lemma fits_inside : fits D inside_mask.
Proof. by apply: fits_map; apply: fits_zip; [exact: fits_gaps | exact: fits_outside]. Qed.

Lemma inside_gap t : inside t -> 0 < gap alpha t.
Proof.
rewrite /in_mask (at_token_map (zero, false)); last by apply: fits_zip; [exact: fits_gaps | exact: fits_outside].
rewrite at_token_zip ?fits_outside //=; last exact: fits_gaps.
by case/andP=> H _; exact: (gap_gt0 Dok Pok).
Qed.

Lemma inside_constraint t : inside t -> Q t.
Proof. by move/inside_gap => g0; apply/eqP => E; move: g0; rewrite /gap -E; lra. Qed.

Lemma eps_range i : 0 <= eps i < 1.
Proof.
have /and4P[/eqP sa _ H _] := checked; have [se He] := fractions_in_enclose P sa.
have := all_nthP (Everything N) H i; rewrite se => /(_ (ltn_ord i))/andP[h0 h1].
by split; [exact: certainly_le_real (contains0 N) (He i) h0 | exact: certainly_lt_real (He i) (contains1 N) h1].
Qed.

Lemma gap_bounds i t : others alpha i t -> - gap_down i <= gap alpha t <= gap_up i.
Proof.
case/andP=> _ /eqP <-; split; last exact: group_largest_ge.
by have := group_largest_ge (fun t => - gap alpha t) t; lra.
Qed.

Lemma lmin_gt0 i : 0 < lmin i.
Proof. by have := dloss_lt0 (loss_of l) (at_least l (lowest i) (highest i)); lra. Qed.

Lemma lmax_ge0 i : 0 <= lmax i.
Proof. by have := dloss_lt0 (loss_of l) (at_most l (lowest i) (highest i)); lra. Qed.

Lemma swing_ge0 i : 0 <= swing i.
Proof.
apply: Rmult_le_pos; first by have := eps_range i; lra.
by case: ifP => _; [apply: Rle_trans (Rmax_l _ _) |]; exact: group_largest_ge0.
Qed.

Lemma eps_encloses : @column_encloses N D eps_in eps.
Proof. by apply: fractions_in_enclose; have /and4P[/eqP] := checked. Qed.

Lemma gap_encloses : encloses gap_in (gap alpha).
Proof. exact: gap_table_encloses. Qed.

Lemma gap_up_encloses : column_encloses gap_up_in gap_up.
Proof. exact: rows_largest_enclose gap_encloses. Qed.

Lemma gap_down_encloses : column_encloses gap_down_in gap_down.
Proof. by apply: rows_largest_enclose; apply: (map_encloses gap_encloses) => t I; exact: iopp_contains. Qed.

Lemma drop_encloses : column_encloses output_drop_in (fun i => eps i * gap_up i).
Proof. by apply: (combine_column eps_encloses gap_up_encloses) => i I J; exact: imul_contains. Qed.

Lemma rise_encloses : column_encloses output_rise_in (fun i => eps i * gap_down i).
Proof. by apply: (combine_column eps_encloses gap_down_encloses) => i I J; exact: imul_contains. Qed.

Lemma kept_gap_encloses : encloses kept_gap_in (fun t => gap alpha t - eps (group_of t) * gap_up (group_of t)).
Proof. by apply: (spread_column_encloses drop_encloses gap_encloses) => t I J HI HJ; exact: isub_contains. Qed.

Lemma inside_kept t : inside t -> eps (group_of t) * gap_up (group_of t) < gap alpha t.
Proof.
move=> it; have /and4P[_ _ _ H] := checked; have [fk Hk] := kept_gap_encloses.
by have := is_positive_real (Hk t) (all_withinP (Everything N) fits_inside fk H it); lra.
Qed.

(* ---- the pulls ---- *)

Hypothesis labels : labelled alpha l.

Lemma inside_pull t v : inside t -> lowest (group_of t) <= v <= highest (group_of t) ->
  lmin (group_of t) * (gap alpha t - eps (group_of t) * gap_up (group_of t)) <= score_pull (loss_of l) t v <=
    lmax (group_of t) * (gap alpha t + eps (group_of t) * gap_down (group_of t)).
Proof.
move=> it vr; have Qt := inside_constraint it; have g := gap_eq (others_self Qt); have kept := inside_kept it.
have -> : gap alpha t - eps (group_of t) * gap_up (group_of t) = lowest (group_of t) - score t by rewrite g; ring.
have -> : gap alpha t + eps (group_of t) * gap_down (group_of t) = highest (group_of t) - score t by rewrite g; ring.
by apply: (pull_in_range labels Qt) => //; lra.
Qed.

Lemma outside_pull_le t v : Q t -> lowest (group_of t) <= v <= highest (group_of t) ->
  Rabs (score_pull (loss_of l) t v) <= lmax (group_of t) * (Rabs (gap alpha t) + swing (group_of t)).
Proof.
move=> Qt vr; have g := gap_eq (others_self Qt); set i := group_of t in vr g *; have [e0 e1] := eps_range i.
apply: (pull_size labels Qt vr) => [all_outputs x xr | few].
  rewrite all_outputs; have -> : x - score t = gap alpha t + (x - score (alpha i)) by rewrite g; ring.
  apply: Rle_trans (Rabs_triang _ _) _; apply: Rplus_le_compat_l; apply: Rabs_le.
  have := Rmult_le_compat_l _ _ _ e0 (Rmax_l (gap_up i) (gap_down i)).
  have := Rmult_le_compat_l _ _ _ e0 (Rmax_r (gap_up i) (gap_down i)).
  lra.
have [pos _] := labels few; have s0 := pos i; rewrite (negbTE few) (label_gap labels few Qt) -/i Rabs_pos_eq; last lra.
split; last by right.
have up : gap_up i <= score (alpha i).
  apply: group_largest_le => [|d di]; first lra.
  case Qd : (Q d); first by rewrite (label_gap labels few Qd) di; right.
  by have E := not_constraint (negbT Qd); rewrite /gap /selected -E; lra.
have h : eps i * gap_up i <= eps i * score (alpha i) by apply: Rmult_le_compat_l.
have : eps i * score (alpha i) < 1 * score (alpha i) by apply: Rmult_lt_compat_r.
lra.
Qed.

(* The head that LocalRanges.v speaks about. *)
Definition checked_head : local_head (problem D) := LocalHead inside eps gap_up gap_down swing lmin lmax.
Notation factors := (local_bounds alpha checked_head).

Theorem checked_ranges : local_ranges alpha (loss_of l) checked_head.
Proof.
split; [exact: inside_constraint | exact: eps_range | exact: gap_bounds | exact: group_largest_ge0 |
  exact: group_largest_ge0 | exact: inside_kept | exact: lmin_gt0 | exact: lmax_ge0 | exact: swing_ge0 |
  exact: inside_pull | exact: outside_pull_le].
Qed.

Lemma lowest_encloses : column_encloses lowest_in lowest.
Proof. by apply: (combine_column (selected_scores_enclose P Pok) drop_encloses) => i I J; exact: isub_contains. Qed.

Lemma highest_encloses : column_encloses highest_in highest.
Proof. by apply: (combine_column (selected_scores_enclose P Pok) rise_encloses) => i I J; exact: iadd_contains. Qed.

Lemma blo_encloses : encloses blo_in blo.
Proof.
have Hl : column_encloses least_slope_in lmin.
  apply: (combine_column lowest_encloses highest_encloses) => i I J HI HJ.
  by apply: slope_interval_contains; exact: at_least_contains.
have H := combine_column (C := fun i => weight (s := problem D) i * lmin i * (1 - eps i)) Hl eps_encloses.
apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) * lmin (group_of t) *
  (1 - eps (group_of t)) * (gap alpha t - eps (group_of t) * gap_up (group_of t)))).
apply: (spread_column_encloses (H _ _) kept_gap_encloses) => [i I J HI HJ | t I J]; last exact: imul_contains.
apply: imul_contains; last by apply: isub_contains => //; exact: contains1.
by apply: imul_contains => //; exact: group_share_contains.
Qed.

Lemma slope_share_encloses : column_encloses slope_share_in (fun i => weight (s := problem D) i * lmax i).
Proof.
have Hm : column_encloses most_slope_in lmax.
  apply: (combine_column lowest_encloses highest_encloses) => i I J HI HJ.
  by apply: slope_interval_contains; exact: at_most_contains.
by apply: (map_column Hm) => i I HI; apply: imul_contains => //; exact: group_share_contains.
Qed.

Lemma bhi_encloses : encloses bhi_in bhi.
Proof.
have Hg : encloses (spread_column (fun p g => iadd P g p) output_rise_in gap_in) (fun t => gap alpha t +
  eps (group_of t) * gap_down (group_of t)).
  by apply: (spread_column_encloses rise_encloses gap_encloses) => t I J HI HJ; exact: iadd_contains.
apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) * lmax (group_of t) *
  (gap alpha t + eps (group_of t) * gap_down (group_of t)))).
by apply: (spread_column_encloses slope_share_encloses Hg) => t I J; exact: imul_contains.
Qed.

Lemma other_encloses : encloses other_in B.
Proof.
have Hs : column_encloses swing_in swing.
  rewrite /swing_in; case: ifP => _; last exact: rise_encloses.
  have Hm : column_encloses (combine_columns (imax P) gap_up_in gap_down_in) (fun i => Rmax (gap_up i) (gap_down i)).
    by apply: (combine_column gap_up_encloses gap_down_encloses) => i I J; exact: imax_contains.
  by apply: (combine_column eps_encloses Hm) => i I J; exact: imul_contains.
have Hg : encloses (spread_column (fun p g => iadd P (imax P g (iopp g)) p) swing_in gap_in)
    (fun t => Rabs (gap alpha t) + swing (group_of t)).
  apply: (spread_column_encloses Hs gap_encloses) => t I J HI HJ; apply: iadd_contains => //.
  have -> : Rabs (gap alpha t) = Rmax (gap alpha t) (- gap alpha t).
    by rewrite /Rabs; case: Rcase_abs => h; [rewrite Rmax_right | rewrite Rmax_left]; lra.
  by apply: imax_contains => //; exact: iopp_contains.
apply: (by_copies_encloses P Dok Pok (F := fun t => weight (group_of t) * lmax (group_of t) *
  (Rabs (gap alpha t) + swing (group_of t)))).
by apply: (spread_column_encloses slope_share_encloses Hg) => t I J; exact: imul_contains.
Qed.

(* ---- where the margins are at least low ---- *)

Section Low.
Variables (lows : seq (seq interval)) (low : token (problem D) -> R).
Hypothesis lows_enclose : fits D lows /\ forall t, Q t -> contains (at_token (Everything N) lows t) (low t).

Definition low_terms m : seq (seq interval) :=
  within mask (interval0 N) (combine_tables (imul P) m (map_rows (fun I => iexp P (iopp I)) lows)).

Lemma low_terms_enclose m F : encloses m F ->
  encloses (low_terms m) (fun t => if Q t then F t * exp (- low t) else 0).
Proof.
case=> fm Hm; have [fl Hl] := lows_enclose; have fc := fits_constraint_mask Pok.
have fe : fits D (map_rows (fun I => iexp P (iopp I)) lows) by exact: fits_map.
have := within_encloses (F := fun t => F t * exp (- low t)) fc (contains0 N)
  (fits_map (fun ab => imul P ab.1 ab.2) (fits_zip fm fe)).
rewrite /low_terms; case=> [t it | fw Hw].
  rewrite (at_token_map (Everything N, Everything N)) ?at_token_zip //=; last exact: fits_zip.
  rewrite (at_token_map (Everything N)) //; apply: imul_contains; first exact: Hm.
  by apply: iexp_contains; apply: iopp_contains; apply: Hl; rewrite -(in_constraint_mask Pok).
by split=> // t; have := Hw t; rewrite (in_constraint_mask Pok).
Qed.

End Low.

(* ---- with the direction ---- *)

Section Reference.
Variables (f : enclosed_reference N) (ws : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis reference_in : reference_encloses Pok f ws lam.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation excess := (Direction.excess (Delta alpha) u gamma).

(* gamma_c - gamma, positive off S. *)
Definition beyond_in : seq (seq interval) := map_rows (fun I => isub P I (margin_in f)) (slopes_in f).

Lemma beyond_encloses : encloses beyond_in excess.
Proof.
have [_ Hg Hs _ _] := reference_in.
by apply: (map_encloses Hs) => t I HI; apply: isub_contains.
Qed.

(* ---- speeds: gamma - rho D, and the growth rate of normalised steps ---- *)

Variables (rho : fraction N) (D_max : R).
Hypothesis diameter_in_contains : contains (diameter_in D P picks) D_max.
Notation ratio := (fraction_real rho).

Definition reduced_in : interval := isub P (margin_in f) (imul P (fraction_in P rho) (diameter_in D P picks)).
Definition stretch_in : interval := imul P (diameter_in D P picks) (iadd P (interval1 N) (fraction_in P rho)).
Definition linear_speed_in : interval := idiv P reduced_in stretch_in.

Lemma reduced_contains : contains reduced_in (gamma - ratio * D_max).
Proof.
have [_ Hg _ _ _] := reference_in.
by apply: isub_contains => //; apply: imul_contains => //; exact: fraction_in_contains.
Qed.

Lemma stretch_contains : contains stretch_in (D_max * (1 + ratio)).
Proof. by apply: imul_contains => //; apply: iadd_contains; [exact: contains1 | exact: fraction_in_contains]. Qed.

Lemma linear_speed_contains : contains linear_speed_in (normalised_speed gamma D_max ratio).
Proof. exact: idiv_contains reduced_contains stretch_contains. Qed.

End Reference.

(* ---- the length of later steps ---- *)

Section Steps.
Variables (s : step_rule N) (first : nat) (step_bound : fraction N).
Notation etamax := (step_size (spec_schedule s) (fraction_real (spec_step s)) first).

(* Exactly where the size does not change: it may be the bound. *)
Definition size_check : bool :=
  certainly_le (step_in P s first) (fraction_in P step_bound) ||
  if spec_schedule s is Constant then
    [&& fraction_ok (spec_step s), fraction_ok step_bound & le_fraction (fraction_num (spec_step s))
      (fraction_den (spec_step s)) step_bound]
  else false.

Lemma size_check_sound : size_check -> etamax <= fraction_real step_bound.
Proof.
case/orP; first exact: certainly_le_real (step_in_contains P s first) (fraction_in_contains P step_bound).
case: (spec_schedule s) => // /and3P[ok hok le].
exact: (le_fraction_real hok (fraction_den_gt0 ok) le).
Qed.

(* A gradient step has at most the size times D times the mass. *)
Definition length_check (mass : interval) : bool :=
  certainly_le (imul P (step_in P s first) (imul P (diameter_in D P picks) mass)) (fraction_in P step_bound).

Lemma length_check_sound mass D_max x : contains (diameter_in D P picks) D_max -> contains mass x ->
  length_check mass ->
  etamax * (D_max * x) <= fraction_real step_bound.
Proof.
move=> Hd Hx; apply: certainly_le_real (fraction_in_contains P step_bound).
by apply: imul_contains; [exact: step_in_contains | exact: imul_contains].
Qed.
End Steps.
End Factors.
