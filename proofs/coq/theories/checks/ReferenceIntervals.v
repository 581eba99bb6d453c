(* ReferenceIntervals: the direction u = W*/||W*|| of a solved margin problem, enclosed: norm, margin gamma, slopes
   gamma_c = <Delta_c, u>, and the weights mu_c = lambda_c/||W*||^2 of the constraints with a positive multiplier.

   The solution is known as W(v) up to a radius (0 for an exact solution), its multipliers as v's up to another
   radius. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Direction Saturation Number Rows TokenData MarginChecks
                           OptimalityChecks EnclosureChecks Interval Elementary IntervalTables AttentionIntervals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Masks.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypothesis Pok : picks_ok D picks.
Let alpha : selection (problem D) := selection_of Pok.
Implicit Types (t : token (problem D)) (m : seq (seq (interval N))) (mask : seq (seq bool))
  (F : token (problem D) -> R).

(* A table with another entry outside a mask. *)
Definition within mask (outside : interval N) m : seq (seq (interval N)) :=
  map_rows (fun bI => if bI.1 then bI.2 else outside) (zip_rows mask m).

Lemma within_encloses mask I0 (x0 : R) m F : fits D mask -> contains I0 x0 -> fits D m ->
  (forall t, in_mask mask t -> contains (at_token (Everything N) m t) (F t)) ->
  encloses (within mask I0 m) (fun t => if in_mask mask t then F t else x0).
Proof.
move=> fk H0 fm Hm; apply: (encloses_map (e0 := (false, Everything N))); first exact: fits_zip.
move=> t; rewrite at_token_zip //= -/(in_mask mask t).
by case it: (in_mask mask t); [exact: Hm | exact: H0].
Qed.

(* Every entry in the mask passes. *)
Definition all_within (A : Type) (f : A -> bool) mask (m : seq (seq A)) : bool :=
  all (all (fun ba => ~~ ba.1 || f ba.2)) (zip_rows mask m).

Lemma all_withinP (A : Type) (a0 : A) f mask (m : seq (seq A)) t : fits D mask -> fits D m ->
  all_within f mask m -> in_mask mask t -> f (at_token a0 m t).
Proof.
move=> fk fm H it; have fz := fits_zip fk fm; have [/eqP sz _] := andP fz.
have il : (tag (t : data_token D) < size (zip_rows mask m))%nat by rewrite sz; exact: ltn_ord.
have /(all_nthP (false, a0)) := all_nthP [::] H _ il; move=> /(_ _ (fits_at t fz)).
by rewrite -/(at_token (false, a0) (zip_rows mask m) t) at_token_zip //= -/(in_mask mask t) it.
Qed.

(* The constraints. *)
Definition constraint_row (pick count : nat) : seq bool := [seq k != pick | k <- iota 0 count].
Definition constraint_mask : seq (seq bool) :=
  [seq constraint_row pq.1 (size (token_rows pq.2)) | pq <- zip picks (sequences D)].

Lemma fits_constraint_mask : fits D constraint_mask.
Proof.
have [/eqP sp _] := andP Pok; rewrite /fits /constraint_mask size_map size_zip sp minnn eqxx /=.
elim: (sequences D) picks sp => [|q qs IH] [|k ps] //= [sp].
by rewrite size_map size_iota eqxx IH.
Qed.

Lemma in_constraint_mask t : in_mask constraint_mask t = constraint alpha t.
Proof.
have [/eqP sp _] := andP Pok; rewrite /in_mask /at_token /constraint_mask.
have il : (tag (t : data_token D) < size (sequences D))%nat by exact: ltn_ord.
rewrite (nth_map (0%nat, no_sequence N)) ?size_zip ?sp ?minnn // nth_zip //=.
rewrite (nth_map 0%nat) ?size_iota ?nth_iota //; try exact: ltn_ord.
rewrite add0n; apply/idP/idP => [ne | /constraint_index ne]; last exact/eqP.
by apply/constraint_index; exact/eqP.
Qed.

(* The largest entry, or 0; the least entry, or 1. *)
Definition table_largest m : interval N := column_largest P [seq column_largest P r | r <- m].

Lemma table_largest_contains m F : encloses m F ->
  exists x, [/\ contains (table_largest m) x, 0 <= x & forall t, F t <= x].
Proof.
case=> fm Hm; have [/eqP sm _] := andP fm.
have rows n (sq : seq (seq (interval N))) : size sq = n ->
    forall (L : 'I_n -> R -> Prop), (forall j : 'I_n, exists x, [/\ contains (column_largest P (nth [::] sq j)) x,
      0 <= x & L j x]) ->
    (forall j x y, L j x -> x <= y -> L j y) ->
    exists x, [/\ contains (table_largest sq) x, 0 <= x & forall j, L j x].
  elim: sq n => [|r sq IH] [|n] //= E L HL mono.
    by exists 0; split=> [| |[]//]; [exact: contains0 | exact: Rle_refl].
  have [y [Hy y0 Ly]] := HL ord0.
  have [| | |x [Hx x0 Lx]] := IH n _ (fun j => L (lift ord0 j)).
  - by case: E.
  - by move=> j; exact: (HL (lift ord0 j)).
  - by move=> j a b; exact: mono.
  exists (Rmax y x); split; first exact: imax_contains.
    exact: Rle_trans x0 (Rmax_r _ _).
  move=> j; case: (unliftP ord0 j) => [k -> | ->]; last exact: (mono _ _ _ Ly (Rmax_l _ _)).
  exact: (mono _ _ _ (Lx k) (Rmax_r _ _)).
have row_key (i : data_group D) := largest_contains P (c := nth [::] m i) (F :=
  fun s : 'I_(length_of D i) => F (token_of s))
  (fits_row fm (ltn_ord i)) (fun s => Hm (token_of s)).
have [||x [Hx x0 HL]] := rows _ m sm (fun i x => forall s : 'I_(length_of D i), F (token_of s) <= x).
- exact: row_key.
- by move=> i x y H xy s; exact: Rle_trans (H s) xy.
by exists x; split=> // -[i s]; exact: (HL i s).
Qed.
End Masks.

Section Reference.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Implicit Types (t : token (problem D)) (v : vector N) (mask : seq (seq bool)) (I : interval N).
Notation values v := (@coefficient_of N D v).
Notation slope ws := (Direction.slope (Delta alpha) (margin_direction ws)).

(* ---- what is known of the solution ---- *)

(* ws and lam solve the margin problem; lam is positive exactly on the mask, whose constraints are tight; W(v) is
   within r of ws, the multipliers within q of v's. *)
Definition solved v mask (r q : R) (ws : vec (coord (problem D))) (lam : token (problem D) -> R) : Prop :=
  [/\ solution_with alpha ws lam, mask_ok D picks mask,
      forall t, in_mask mask t -> margin alpha ws t = 1 /\ 0 < lam t,
      forall t, constraint alpha t -> ~~ in_mask mask t -> lam t = 0 &
      vnorm (ws - W alpha (values v))%V <= r /\ forall t, in_mask mask t -> Rabs (lam t - values v t) <= q].

Definition multiplier_mask v : seq (seq bool) := map_rows (fun a => ~~ le a zero) (numerators v).

Lemma solved_exact v : vector_ok D picks v -> solution_with alpha (W alpha (values v)) (values v) ->
  solved v (multiplier_mask v) 0 0 (W alpha (values v)) (values v).
Proof.
move=> vok sol; have [_ [lam0 _ slack]] := sol; have /and3P[_ fv _] := vok; have d0 := denominator_gt0 vok.
have at_mask t : in_mask (multiplier_mask v) t = ~~ le (at_token zero (numerators v) t) zero.
  by rewrite /in_mask /multiplier_mask (at_token_map zero).
have pos t : in_mask (multiplier_mask v) t -> 0 < values v t.
  rewrite at_mask => /not_le_real; rewrite real0 => a0.
  by apply: Rdiv_lt_0_compat => //; exact: a0.
have con t : in_mask (multiplier_mask v) t -> constraint alpha t.
  by move=> it; apply: contraT => nt; have := pos t it; rewrite (coefficient_off vok nt); lra.
split=> //.
- rewrite /mask_ok fits_map //=; have [/eqP sp _] := andP Pok; have [/eqP sv _] := andP fv.
  apply/(all_nthP (0%nat, [::])) => i; rewrite size_zip sp size_map sv minnn => il;
    rewrite nth_zip ?size_map ?sp ?sv //=.
  set i' := Ordinal il; have := con (selection_of Pok i').
  rewrite /in_mask /at_token /= => H; apply/negP => /H.
  by rewrite (constraint_pick alpha i').
- move=> t it; split; last exact: pos.
  have := slack t (con t it); have := pos t it => l0 /Rmult_integral[]; lra.
- move=> t ct; rewrite at_mask negbK => /le_real; rewrite real0 => a0.
  have := lam0 t ct; suff : values v t <= 0 by lra.
  rewrite -(Rmult_0_l (/ real (denominator v))); apply: Rmult_le_compat_r => //.
  exact/Rlt_le/Rinv_0_lt_compat.
split=> [|t _]; last by rewrite Rminus_diag_eq // Rabs_R0; lra.
have -> : (W alpha (values v) - W alpha (values v))%V = vzero by apply: vec_ext => j; rewrite /vsub /vzero; ring.
by rewrite vnorm0; lra.
Qed.

Lemma solved_ball v mask lo hi (r q : R) : mask_ok D picks mask -> 0 <= r -> 0 <= q ->
  ball_enclosure alpha (in_mask mask) (values v) lo hi (r * r) q ->
  exists ws lam, solved v mask r q ws lam.
Proof.
move=> mok r0 q0 [ws [lam [sol supp pos [dist close] _]]]; exists ws, lam; have [_ [lam0 _ slack]] := sol; split=> //.
- by move=> t it; have [_ m1] := proj2 (supp t) it; split=> //; exact: pos.
- move=> t ct nt; have /Rmult_integral[// | m1] := slack t ct.
  by case/negP: nt; apply/supp; split=> //; lra.
split.
  by apply: vnorm_le_sqr => //; have -> : vnorm2 (ws - W alpha (values v))%V = vnorm2 (W alpha (values v) - ws)%V
    by rewrite -vnorm2N; congr vnorm2; vec_ring.
move=> t it; have sq : (values v t - lam t) * (values v t - lam t) <= q * q.
  apply: Rle_trans close; apply: (sum_term_le (F := fun u => (values v u - lam u) * (values v u - lam u))) => // u _.
  exact: Rle_0_sqr.
by rewrite Rabs_minus_sym; apply: Rabs_le; split; nra.
Qed.

(* ---- its enclosure ---- *)

Record enclosed_reference := EnclosedReference {
  norm_in : interval N;
  margin_in : interval N;                  (* gamma *)
  slopes_in : seq (seq (interval N));      (* gamma_c *)
  weights_in : seq (seq (interval N));     (* mu_c on the active constraints, 0 elsewhere *)
  active_in : seq (seq bool)
}.

Definition reference_encloses (f : enclosed_reference) (ws : vec (coord (problem D)))
  (lam : token (problem D) -> R) : Prop :=
  [/\ contains (norm_in f) (vnorm ws), contains (margin_in f) (Saturation.margin_value ws),
    encloses (slopes_in f) (slope ws),
      encloses (weights_in f) (fun t => if in_mask (active_in f) t then multiplier_weights alpha lam t else 0) &
      fits D (active_in f) /\ forall t, active (constraint alpha) (multiplier_weights alpha lam) t =
        in_mask (active_in f) t].

(* m: the margins of v. *)
Definition reference_of v (m : seq (seq N)) mask (r q : interval N) : enclosed_reference :=
  let unit := weight_unit D v in
  let norm := iadd P (isqrt P (ratio P (mul unit unit) (energy v m))) (symmetric r) in
  let gamma := idiv P (interval1 N) norm in
  let margins := widened_margins D P picks (exact_table P (margin_unit D v) m) r in
  let slopes := map_rows (fun bI => if bI.1 then gamma else imul P bI.2 gamma) (zip_rows mask margins) in
  let total := imul P norm norm in
  let weights := map_rows (fun I => idiv P (iadd P I (symmetric q)) total)
    (exact_table P (denominator v) (numerators v)) in
  EnclosedReference norm gamma slopes (within mask (interval0 N) weights) mask.

Theorem reference_of_encloses v mask r q (x y : R) ws lam : vector_ok D picks v -> solved v mask x y ws lam ->
  (exists t, constraint alpha t) -> contains r x -> contains q y ->
  reference_encloses (reference_of v (margins D picks v) mask r q) ws lam.
Proof.
move=> vok [sol mok tight off [dist close]] cs Hr Hq; have /and3P[_ fv _] := vok; have [fm _] := andP mok.
have [M mult] := sol; have n0 : 0 < vnorm ws := solution_norm_gt0 (proj1 M) cs.
have Hn : contains (norm_in (reference_of v (margins D picks v) mask r q)) (vnorm ws).
  have -> : vnorm ws = vnorm (W alpha (values v)) + (vnorm ws - vnorm (W alpha (values v))) by ring.
  apply: iadd_contains.
    by rewrite /vnorm (energy_value Dok Pok vok); apply: isqrt_contains; exact: ratio_contains.
  apply: (symmetric_contains Hr); apply: Rle_trans dist; apply: Rabs_le; split; last exact: vnorm_sub_ge.
  have -> : vnorm (ws - W alpha (values v))%V = vnorm (W alpha (values v) - ws)%V.
    by rewrite -vnormN; congr vnorm; vec_ring.
  have := vnorm_sub_ge (W alpha (values v)) ws; lra.
have Hg : contains (margin_in (reference_of v (margins D picks v) mask r q)) (Saturation.margin_value ws).
  by rewrite /Saturation.margin_value -[/ _]Rmult_1_l; apply: idiv_contains => //; exact: contains1.
have Hm : encloses (exact_table P (margin_unit D v) (margins D picks v)) (margin alpha (W alpha (values v))).
  by apply: exact_table_encloses => [|t]; [exact: fits_margins
    | rewrite (MarginChecks.margin_of_matrix Dok Pok t vok)].
have [fw Hw] := widened_margins_enclose P Dok Hm Hr dist.
have slopeE t : slope ws t = margin alpha ws t * Saturation.margin_value ws.
  by rewrite /Direction.slope /margin_direction dotZr /Saturation.margin_value Rmult_comm.
split=> //.
- apply: (encloses_map (e0 := (false, Everything N))) => [|t]; first exact: fits_zip.
  rewrite at_token_zip //= -/(in_mask mask t) slopeE; case it: (in_mask mask t).
    by have [-> _] := tight t it; rewrite Rmult_1_l.
  by apply: imul_contains.
- have fnum : fits D (exact_table P (denominator v) (numerators v)) by exact: fits_map.
  apply: within_encloses => //; [exact: contains0 | exact: fits_map | move=> t it].
  rewrite (at_token_map (Everything N)) // /multiplier_weights (multiplier_total mult).
  apply: idiv_contains; last exact: imul_contains.
  have -> : lam t = values v t + (lam t - values v t) by ring.
  apply: iadd_contains; last exact: (symmetric_contains Hq (close t it)).
  by rewrite /exact_table (at_token_map zero) //; exact: ratio_contains.
split=> // t; have nn : 0 < vnorm ws * vnorm ws by exact: Rmult_lt_0_compat.
apply/activeP/idP => [[ct] | it].
  case it: (in_mask mask t) => //; rewrite /multiplier_weights (off t ct (negbT it)) /Rdiv Rmult_0_l; lra.
split; first exact: (mask_constraint Pok mok it).
rewrite /multiplier_weights (multiplier_total mult).
by apply: Rdiv_lt_0_compat => //; case: (tight t it).
Qed.
End Reference.
