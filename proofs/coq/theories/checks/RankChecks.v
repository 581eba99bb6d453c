(* RankChecks: the verified checker's decision about the rank of the solution matrix W*.

   Lower bounds: columns that are independent modulo an integer (of the exact solution), or columns of the centre of a
   ball around W* whose Gram matrix has no eigenvalue below a number greater than the squared radius. Upper bounds: W*
   = sum of multiplier_c (x_selected - x_c) z_i' over the listed constraints, so its rank is at most the number of
   their groups, the dimensions, and the ranks of their queries and token differences; of the exact solution also what
   elimination finds. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection NormDuality Rank Number Rows Entries TokenData Claims Enclosure
                           MarginChecks OptimalityChecks GramBound EnclosureChecks Elimination.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Inductive rank_lower (N : number) :=
| LowerNone
| LowerModulus (modulus : N)
| LowerEigenvalue (bound : fraction N) (columns : seq nat) (hints : gram_hints N).

Inductive rank_upper := UpperGroups | UpperLeftDimension | UpperRightDimension | UpperQueries | UpperTokens
  | UpperElimination.

(* The solution matrix has this rank. *)
Definition solution_rank_is (N : number) (D : token_data N) (alpha : selection (problem D)) (r : nat) : Prop :=
  exists w : vec [finType of 'I_(left_dimension D) * 'I_(right_dimension D)], @max_margin (problem D) alpha w
    /\ rank_is r w.

(* ---- columns of a matrix as the constraints of data with one sequence, so that gram_check bounds their
   Gram matrix ---- *)

Section Columns.
Variables (N : number) (m : seq (seq N)) (unit : N) (columns : seq nat).

Definition column_of (k : nat) : seq N := [seq nth zero row k | row <- m].

(* The selected token is 0 and token k + 1 is column number k of the list. *)
Definition column_data : token_data N :=
  {| left_dimension := size m; right_dimension := 1; token_unit := unit; query_unit := one; score_unit := one;
     sequences := [:: Sequence (zeros N (size m) :: map column_of columns) [:: one] (zeros N (size columns).+1)
                           (nseq (size columns).+1 one)] |}.
Definition column_mask : seq (seq bool) := [:: false :: nseq (size columns) true].

Lemma column_picks_ok : picks_ok column_data [:: 0%nat].
Proof. by []. Qed.

Let token_for (k : 'I_(size columns)) : token (problem column_data) :=
  @token_of N column_data ord0 (lift ord0 (cast_ord (esym (size_map column_of columns)) k)).

Let sum_columns (F : token (problem column_data) -> R) :
  \sum_(t | in_mask column_mask t) F t = \sum_(k < size columns) F (token_for k).
Proof.
rewrite big_mkcond (@sum_tokens N column_data) big_ord_recl big_ord0 Rplus_0_r big_ord_recl /in_mask /at_token
  /= Rplus_0_l.
rewrite (reindex (cast_ord (esym (size_map column_of columns)))) /=; last first.
  by exists (cast_ord (size_map column_of columns)) => k _; rewrite ?cast_ordK ?cast_ordKV.
by apply: eq_bigr => k _; rewrite nth_nseq ltn_ord.
Qed.

Theorem column_gram quick hints q : data_ok column_data ->
  gram_check quick column_data [:: 0%nat] column_mask hints q ->
  gram_at_least predT (fun (k : 'I_(size columns)) (j : 'I_(size m)) => entry2 m j (nth 0%nat columns k) / real unit)
    (fraction_real q).
Proof.
move=> Cok gram x; have unit0 : 0 < real unit := token_unit_gt0 Cok.
pose y (t : token (problem column_data)) := if (tagged (t : data_token column_data) : nat) is s.+1 then
                                              if insub s is Some k then x k else 0 else 0.
have yk k : y (token_for k) = x k by rewrite /y /= (_ : (k : nat) = val k) // valK.
have := gram_check_sound Cok column_picks_ok gram y.
rewrite (sum_columns (fun t => y t * y t)).
have -> : \sum_(k < size columns) y (token_for k) * y (token_for k) = \sum_k x k * x k.
  by apply: eq_bigr => k _; rewrite yk.
move=> H; apply: Rle_trans H _; right.
rewrite /vnorm2 /dot -(pair_bigA _ (fun (j : 'I_(size m)) (k : 'I_1) =>
  combine (in_mask column_mask) y (Delta (selection_of column_picks_ok)) (j, k) *
  combine (in_mask column_mask) y (Delta (selection_of column_picks_ok)) (j, k))) /=.
apply: eq_bigr => j _; rewrite big_ord_recl big_ord0 Rplus_0_r.
have -> : combine (in_mask column_mask) y (Delta (selection_of column_picks_ok)) (j, ord0) =
          - combine predT x (fun (k : 'I_(size columns)) (j : 'I_(size m)) => entry2 m j (nth 0%nat columns k) /
              real unit) j.
  rewrite /combine (sum_columns (fun t => y t * Delta (selection_of column_picks_ok) t (j, ord0))) -sumN.
  apply: eq_bigr => k _; cbv beta; rewrite yk Delta_entry /=.
  have -> : entry2 (zeros N (size m) :: map column_of columns) (bump 0 k) j = entry2 m j (nth 0%nat columns k).
    by rewrite /entry2 /= (nth_map 0%nat) // /column_of /entry (nth_map [::]).
  by rewrite /entry2 /= entry_zeros /entry /= real1; field; lra.
exact: Rmult_opp_opp.
Qed.
End Columns.

Section Checks.
Variables (N : number) (quick : entries N) (D : token_data N) (picks : seq nat).
Implicit Types (v : vector N) (mask : seq (seq bool)) (radius : option (fraction N)).

(* W* is the matrix of v, or within the radius of it; m is that matrix. *)
Definition lower_check v (m : seq (seq N)) radius (r : nat) (lower : rank_lower N) : bool :=
  match lower, radius with
  | LowerNone, _ => r == 0%nat
  | LowerModulus p, None => modular_rank_check p r (right_dimension D) m
  | LowerEigenvalue bound columns hints, Some radius =>
      let columns_of_v := column_data m (weight_unit D v) columns in
      let r2 := square radius in
      [&& size columns == r, (0 < r)%nat, uniq columns, all (fun k => k < right_dimension D)%nat columns &
      [&& lt (mul (fraction_num r2) (fraction_den bound)) (mul (fraction_num bound) (fraction_den r2)),
          data_ok columns_of_v & gram_check quick columns_of_v [:: 0%nat] (column_mask columns) hints bound]]
  | _, _ => false
  end.

Definition used_groups mask : seq nat :=
  marked [seq has (fun b : bool => b) row | row <- mask] (size (sequences D)).

(* W* is a combination of the constraints of the mask. *)
Definition upper_check mask (m : seq (seq N)) radius (r : nat) (upper : rank_upper) : bool :=
  match upper with
  | UpperGroups => (size (used_groups mask) <= r)%nat
  | UpperLeftDimension => (left_dimension D <= r)%nat
  | UpperRightDimension => (right_dimension D <= r)%nat
  | UpperQueries => span_at_most r [seq query_row (sequence_at D i) | i <- used_groups mask]
  | UpperTokens => span_at_most r [seq difference D picks it | it <- listed_places D mask]
  | UpperElimination => if radius is None then span_at_most r m else false
  end.

Definition rank_check mask v m radius r lower upper : bool :=
  lower_check v m radius r lower && upper_check mask m radius r upper.

(* The tokens with a numerator that is not zero. *)
Definition listed v : seq (seq bool) := map_rows (fun a => ~~ same a zero) (numerators v).

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Let d := left_dimension D.
Let e := right_dimension D.
Notation matrix := (vec [finType of 'I_d * 'I_e]).
Notation values v := (@coefficient_of N D v).
Implicit Types (w : matrix) (t : token (problem D)).

Lemma W_entry v (j : 'I_d) (k : 'I_e) : vector_ok D picks v ->
  W alpha (values v) (j, k) = entry2 (weights D picks v) j k / real (weight_unit D v).
Proof. by move=> vok; rewrite -(weights_real Dok Pok vok). Qed.

(* ---- lower bounds ---- *)

Definition near v radius w : Prop :=
  if radius is Some r then
    fraction_ok r /\ vnorm2 ((W alpha (values v) : matrix) - w) <= fraction_real r * fraction_real r
  else w = W alpha (values v).

Theorem lower_check_sound v radius r lower w : vector_ok D picks v -> near v radius w ->
  lower_check v (weights D picks v) radius r lower ->
  exists c : 'I_r -> 'I_e, independent_columns c w.
Proof.
move=> vok; have u0 := weight_unit_gt0 Dok vok; have sh := weights_shaped Dok Pok vok.
have sw : size (weights D picks v) = d by case/andP: sh => /eqP.
have none (k : 'I_0) : False by case: k.
case: lower => [|p|bound columns hints]; case: radius => [radius|] //=.
- by move=> _ /eqP ->; exists (fun k => False_rect _ (none k)) => x _ k; case: (none k).
- by move=> _ /eqP ->; exists (fun k => False_rect _ (none k)) => x _ k; case: (none k).
- move=> -> /modular_rank_check_sound[c indep]; exists c => x zero_x; apply: indep => j; rewrite sw => jl.
  have := zero_x (Ordinal jl); set u := real (weight_unit D v) in u0 *.
  rewrite (eq_bigr (fun k => x k * entry2 (weights D picks v) j (c k) * / u)) => [|k _]; last first.
    by rewrite W_entry // /Rdiv Rmult_assoc.
  by rewrite -sum_mulr => /Rmult_integral[] // iu; have := Rinv_0_lt_compat _ u0; lra.
move=> [rok close] /and5P[/eqP <- r0 uc /(all_nthP 0%nat) below /and3P[far Cok gram]].
pose c (k : 'I_(size columns)) : 'I_e := Ordinal (below k (ltn_ord k)).
exists c; apply: (approximate_columns_independent (M := W alpha (values v)) (S := fraction_real bound)) close _.
- move=> x; have := column_gram Cok gram x; rewrite /vnorm2 /dot /combine sw => H; apply: Rle_trans H _; right.
  by apply: eq_bigr => j _; congr (_ * _); apply: eq_bigr => k _; rewrite W_entry.
- move=> k l /(f_equal val) /= E; apply: val_inj; apply/eqP.
  by rewrite -(nth_uniq 0%nat (ltn_ord k) (ltn_ord l) uc) E.
have b0 := fraction_den_gt0 (gram_check_bound_ok gram); have rr0 := square_ok rok.
have {}far : lt (mul (fraction_num (square radius)) (fraction_den bound))
  (mul (fraction_num bound) (fraction_den (square radius))) := far.
rewrite -square_real //; move: (square radius) rr0 far => r2 r20 /lt_real.
rewrite !realM => far; apply: (Rmult_lt_reg_r (real (fraction_den bound) * real (fraction_den r2)));
  first exact: Rmult_lt_0_compat.
have left_side : fraction_real r2 * (real (fraction_den bound) * real (fraction_den r2)) = real (fraction_num r2) *
  real (fraction_den bound).
  by rewrite /fraction_real; field; lra.
have -> : fraction_real bound * (real (fraction_den bound) * real (fraction_den r2)) = real (fraction_num bound) *
  real (fraction_den r2).
  by rewrite /fraction_real; field; lra.
by rewrite left_side.
Qed.

(* ---- upper bounds ---- *)

Definition spanned mask w : Prop := exists lam, w = combine (in_mask mask) lam (Delta alpha).

Lemma used_group mask t : in_mask mask t -> (tag (t : data_token D) : nat) \in used_groups mask.
Proof.
move=> it; have listed : has (fun b => b) (nth [::] mask (tag (t : data_token D))).
  rewrite /in_mask /at_token in it; apply/hasP; exists true => //; rewrite -it; apply: mem_nth.
  by rewrite ltnNge; apply/negP => over; rewrite nth_default in it.
rewrite /used_groups marked_filter mem_filter mem_iota /= add0n ltn_ord andbT.
rewrite (nth_map [::]) // ltnNge; apply/negP => over; by rewrite nth_default in listed.
Qed.

(* Vectors with integer entries over a unit, in a span of integer rows. *)
Lemma span_coordinates (I : finType) (P : pred I) (n : nat) (rows : I -> seq N) (basis : seq (seq N)) (unit : R) :
  (forall i, P i -> in_span basis (rows i)) ->
  exists B : I -> 'I_(size basis) -> R, forall i, P i ->
    (fun k : 'I_n => unit * entry (rows i) k) = combine predT (B i) (fun l (k : 'I_n) => unit *
      entry (nth [::] basis l) k).
Proof.
move=> H; have [f Hf] : exists f : I -> nat -> R, forall i, P i -> forall k, entry (rows i) k =
    \sum_(l < size basis) f i l * entry (nth [::] basis l) k.
  apply: (@fin_all_exists I (fun=> nat -> R) (fun i f => P i -> forall k, entry (rows i) k =
    \sum_(l < size basis) f l * entry (nth [::] basis l) k)) => i.
  by case Pi: (P i); [have [f Hf] := H i Pi; exists f | exists (fun=> 0)].
exists (fun i l => f i l) => i Pi; apply: vec_ext => k; rewrite Hf // /combine sum_mull.
by apply: eq_bigr => l _; ring.
Qed.

Theorem upper_check_sound mask v radius r upper w : vector_ok D picks v -> near v radius w -> spanned mask w ->
  upper_check mask (weights D picks v) radius r upper -> exists2 s, (s <= r)%nat & rank_at_most s w.
Proof.
move=> vok close [lam E].
have {E} E : w = combine (in_mask mask) lam (fun t : token (problem D) =>
    outer (fun j : 'I_d => / real (token_unit D) * entry (difference D picks (pair_of t)) j)
          (fun k : 'I_e => / real (query_unit D) * entry (query D (pair_of t)) k)).
  by rewrite E; apply: combine_eq => // t _; rewrite (Delta_outer Dok).
case: upper => /=.
- move=> le_r; exists #|[pred i : data_group D | (i : nat) \in used_groups mask]|.
    apply: leq_trans le_r; rewrite cardE -(size_map val); apply: uniq_leq_size.
      by rewrite map_inj_uniq ?enum_uniq //; apply: val_inj.
    by move=> i /mapP[g]; rewrite mem_enum => H ->.
  rewrite E; apply: (@rank_upper_groups _ _ _ _ _ _ _ (data_group D) (fun t : token (problem D)
    => tag (t : data_token D))
    (fun i (k : 'I_e) => / real (query_unit D) * entry (query_row (sequence_at D i)) k)) => // t it _.
  exact: used_group.
- by move=> le_r; exists d => //; rewrite -[X in rank_at_most X]card_ord; apply: rank_upper_left_dimension.
- by move=> le_r; exists e => //; rewrite -[X in rank_at_most X]card_ord; apply: rank_upper_right_dimension.
- case/span_at_most_sound=> basis le_r; rewrite size_map => span; exists (size basis) => //.
  have spans t : in_mask mask t -> in_span basis (query D (pair_of t)).
    move=> it; have := used_group it; rewrite -index_mem => il; have := span _ il.
    by rewrite (nth_map 0%nat) // nth_index // used_group.
  have [B HB] := span_coordinates e (/ real (query_unit D)) spans.
  by rewrite E; apply: (rank_upper_right_span _ _ HB).
- case/span_at_most_sound=> basis le_r; rewrite size_map => span; exists (size basis) => //.
  have spans t : in_mask mask t -> in_span basis (difference D picks (pair_of t)).
    move=> it; have := span _ (position_lt it).
    by rewrite (nth_map (0%nat, 0%nat)) ?position_lt // nth_position.
  have [B HB] := span_coordinates d (/ real (token_unit D)) spans.
  by rewrite E; apply: (rank_upper_left_span _ _ HB).
case: radius close => //= Ew /span_at_most_sound[basis le_r span]; exists (size basis) => //.
have sw : size (weights D picks v) = d by have := weights_shaped Dok Pok vok; case/andP=> /eqP.
have spans (j : 'I_d) : predT j -> in_span basis (nth [::] (weights D picks v) j) by move=> _;
  apply: span; rewrite sw.
have [B HB] := span_coordinates e (/ real (weight_unit D v)) spans.
have -> : w = combine predT (fun=> 1) (fun j : 'I_d => outer (@unit_vector _ j)
                (fun k : 'I_e => / real (weight_unit D v) * entry (nth [::] (weights D picks v) j) k)).
  apply: vec_ext => -[j k]; rewrite Ew W_entry // /combine (bigD1 j) //= sum0 => [|l lj].
    by rewrite /outer /unit_vector eqxx /= /entry2; field; have := weight_unit_gt0 Dok vok; lra.
  by rewrite /outer /unit_vector /= eq_sym (negbTE lj); ring.
by apply: (rank_upper_right_span _ _ HB).
Qed.

(* ---- both ---- *)

Theorem rank_check_sound mask v radius r lower upper w : vector_ok D picks v -> max_margin alpha w ->
  near v radius w ->
  spanned mask w -> rank_check mask v (weights D picks v) radius r lower upper -> solution_rank_is alpha r.
Proof.
move=> vok M close span /andP[Hl Hu]; have [c indep] := lower_check_sound vok close Hl.
have [s sr at_most] := upper_check_sound vok close span Hu; exists w; split=> //.
apply: (rank_sound indep); have rs := rank_lower_bound indep at_most.
by rewrite (_ : r = s) //; apply/eqP; rewrite eqn_leq rs sr.
Qed.

(* Solutions with multipliers that are positive on the mask at most. *)
Lemma spanned_by lam mask : mask_ok D picks mask -> (forall t, constraint alpha t -> ~~ in_mask mask t ->
  lam t = 0) ->
  spanned mask (combine (constraint alpha) lam (Delta alpha)).
Proof.
move=> mok off; exists lam; apply: vec_ext => jk; rewrite /combine [LHS]big_mkcond [RHS]big_mkcond;
  apply: eq_bigr => t _.
case it: (in_mask mask t); first by rewrite (mask_constraint Pok mok it).
by case: ifP => // ct; rewrite off ?it // Rmult_0_l.
Qed.

Lemma listed_ok v : vector_ok D picks v -> mask_ok D picks (listed v).
Proof.
case/and3P=> _ fv H; rewrite /mask_ok fits_map //=; apply/(all_nthP (0%nat, [::])) => i.
have [/eqP sv _] := andP fv; have [/eqP sp _] := andP Pok.
rewrite size_zip size_map sv sp minnn => il; rewrite nth_zip ?size_map ?sv //= (nth_map [::]) ?sv //.
have := all_nthP (0%nat, [::]) H i; rewrite size_zip sv sp minnn nth_zip ?sv //= => /(_ il) zero_at.
case: (ltnP (nth 0%nat picks i) (size (nth [::] (numerators v) i))) => jl; last by rewrite nth_default ?size_map.
by rewrite (nth_map zero) // negbK.
Qed.

Lemma listed_off v t : vector_ok D picks v -> ~~ in_mask (listed v) t -> values v t = 0.
Proof.
case/and3P=> _ fv _; rewrite /in_mask /listed (at_token_map zero) // negbK => /same_real E.
by rewrite /coefficient_of /coefficient /entry -/(at_token zero (numerators v) t) E real0 /Rdiv Rmult_0_l.
Qed.

Theorem rank_check_exact v r lower upper : vector_ok D picks v -> max_margin alpha (W alpha (values v)) ->
  rank_check (listed v) v (weights D picks v) None r lower upper -> solution_rank_is alpha r.
Proof.
move=> vok M; apply: (rank_check_sound vok M) => //.
by apply: spanned_by => [|t _]; [apply: listed_ok | apply: listed_off].
Qed.

Theorem rank_check_ball v mask (radius : fraction N) lo hi q r lower upper : vector_ok D picks v ->
  mask_ok D picks mask -> fraction_ok radius ->
  ball_enclosure alpha (in_mask mask) (values v) lo hi (fraction_real radius * fraction_real radius) q ->
  rank_check mask v (weights D picks v) (Some radius) r lower upper -> solution_rank_is alpha r.
Proof.
move=> vok mok rok [w [lam [[M [_ Ew slack]] supp _ [close _] _]]]; apply: (rank_check_sound vok M) => //.
rewrite [w in spanned _ w]Ew; apply: spanned_by => // t ct nt.
case: (Rmult_integral _ _ (slack t ct)) => // tight; case/negP: nt; apply/(supp t).
by split=> //; lra.
Qed.
End Checks.
