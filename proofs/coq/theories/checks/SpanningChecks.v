(* SpanningChecks: the verified checker's decision about infeasibility from a combination that is small beside the
   least eigenvalue of independent constraints, as many as the dimension of what the combination lies in (T19(b)). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz FunctionalExtensionality.
From Attest Require Import Euclid Selection Separability Number Rows Entries TokenData Claims Enclosure MarginChecks
                           OptimalityChecks GramBound EnclosureChecks Elimination RankChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the dimension of a span of rows, by elimination ---- *)

Section Dimension.
Variable N : number.
Implicit Types (row : seq N) (rows : seq (seq N)) (cbs : seq (nat * seq N)).

(* Rows that span all rows; nothing when they are as many as `full`. *)
Fixpoint echelon_until (full : nat) cbs rows : option (seq (nat * seq N)) :=
  if rows is row :: rows' then
    if reduce one cbs row is Some row' then
      let c := not_zero_column row' in
      if c == size row' then echelon_until full cbs rows'
      else let cbs' := rcons cbs (c, row') in if (full <= size cbs')%nat then None else echelon_until full cbs' rows'
    else None
  else Some cbs.

Definition row_dimension (full : nat) rows : nat := if echelon_until full [::] rows is Some cbs then size cbs else
  full.

Lemma echelon_until_span full cbs rows out : echelon_until full cbs rows = Some out ->
  exists r, echelon r cbs rows = Some out.
Proof.
move=> H; exists full; elim: rows cbs H => [|row rows IH] cbs //=.
case: (reduce _ _ _) => [row'|] //; case: eqP => _; first exact: IH.
case: ifP => // /negbT; rewrite -ltnNge size_rcons => less /IH ->.
by rewrite (ltnW less).
Qed.
End Dimension.

(* ---- how many constraints a mask has ---- *)

Definition mask_size (mask : seq (seq bool)) : nat := sumn [seq count idfun row | row <- mask].

Section Checks.
Variables (N : number) (quick : entries N) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Let d := left_dimension D.
Let e := right_dimension D.
Implicit Types (v : vector N) (mask : seq (seq bool)) (t : token (problem D)).
Notation values v := (@coefficient_of N D v).

Lemma mask_card mask : fits D mask -> #|(in_mask mask : pred (token (problem D)))| = mask_size mask.
Proof.
move=> fm; have [/eqP sm _] := andP fm.
transitivity (\sum_(i : data_group D) \sum_(s : 'I_(length_of D i)) (in_mask mask (@token_of N D i s : token (problem
  D)) : nat))%nat.
  rewrite (@sig_big_dep _ _ _ _ _ xpredT (fun _ => xpredT)
             (fun i s => in_mask mask (@token_of N D i s : token (problem D)) : nat)) /=.
  by rewrite -sum1_card big_mkcond; apply: eq_bigr => -[i s] _.
rewrite /mask_size sumnE big_map (big_nth [::]) big_mkord sm; apply: eq_bigr => i _.
rewrite -sum1_count (big_nth false) big_mkord (fits_row fm (ltn_ord i)) [RHS]big_mkcond.
by apply: eq_bigr => s _; rewrite /in_mask /at_token /=; case: (nth false _ _).
Qed.

(* ---- bounds of the dimension of the span of some constraints ---- *)

Definition query_rows mask : seq (seq N) := [seq query_row qm.1 | qm <- zip (sequences D) mask & has idfun qm.2].
Definition difference_rows mask : seq (seq N) := [seq difference D picks it | it <- listed_places D mask].

(* Token differences times queries: their numbers or dimensions, and their ranks. *)
Definition counted_dimension mask : nat := (minn d (mask_size mask) * minn e (size (query_rows mask)))%nat.
Definition eliminated_dimension mask : nat := (row_dimension d (difference_rows mask) * row_dimension e (query_rows
  mask))%nat.

(* Coordinates of the rows, as vectors. *)
Notation left_row t := (fun j : 'I_d => / real (token_unit D) * entry (difference D picks (pair_of t)) j).
Notation right_row t := (fun k : 'I_e => / real (query_unit D) * entry (query D (pair_of t)) k).

Lemma query_listed mask t : fits D mask -> in_mask mask t ->
  exists2 k, (k < size (query_rows mask))%nat & nth [::] (query_rows mask) k = query D (pair_of t).
Proof.
move=> fm it; have [/eqP sm _] := andP fm.
have at_group : (tag (t : data_token D) < size (zip (sequences D) mask))%nat by rewrite size_zip sm minnn.
have used : has idfun (nth [::] mask (tag (t : data_token D))).
  by apply/(has_nthP false); exists (tagged (t : data_token D)) => //; rewrite (fits_row fm (ltn_ord _)).
move: at_group used; rewrite /query_rows /query /sequence_at /=.
elim: (sequences D) mask sm {fm it} (tag (t : data_token D) : nat) => [|q qs IH] [|m ms] //= [sm] [|i] il used.
  by rewrite used; exists 0%nat.
have [|k kl E] := IH ms sm i _ used; first by rewrite -ltnS.
by case: ifP => _ /=; [exists k.+1 | exists k].
Qed.

Lemma coordinates_spanned (A : pred (token (problem D))) (n : nat) (row : token (problem D) ->
  seq N) rows (unit : R) :
  (forall t, A t -> exists2 k, (k < size rows)%nat & nth [::] rows k = row t) ->
  span_within A (row_dimension n rows) (fun t => (fun j : 'I_n => unit * entry (row t) j)).
Proof.
move=> listed; rewrite /row_dimension; case E: (echelon_until _ _ _) => [cbs|]; last first.
  by rewrite -[n in span_within _ n]card_ord; exact: within_dimension.
have [r /echelon_span[_ span]] := echelon_until_span E.
have [t At | B HB] := @span_coordinates N _ A n row (basis_rows cbs) unit.
  by have [k kl <-] := listed t At; exact: span.
exists [finType of 'I_(size (basis_rows cbs))], B, (fun (l : 'I_(size (basis_rows cbs))) (k : 'I_n) => unit * entry
  (nth [::] (basis_rows cbs) l) k).
by split=> //; rewrite card_ord size_map.
Qed.

Lemma left_counted mask : fits D mask -> span_within (in_mask mask : pred (token (problem D))) (minn d (mask_size
  mask)) (fun t => left_row t).
Proof.
move=> fm; apply: within_least; first by rewrite -[d in span_within _ d]card_ord; exact: within_dimension.
by rewrite -mask_card //; exact: within_themselves.
Qed.

Lemma right_counted mask : fits D mask ->
  span_within (in_mask mask : pred (token (problem D))) (minn e (size (query_rows mask))) (fun t => right_row t).
Proof.
move=> fm; apply: within_least; first by rewrite -[e in span_within _ e]card_ord; exact: within_dimension.
rewrite -[size _]card_ord.
apply: (within_values (b := fun (l : 'I_(size (query_rows mask))) (k : 'I_e) =>
          / real (query_unit D) * entry (nth [::] (query_rows mask) l) k)) => t it.
by have [k kl E] := query_listed fm it; exists (Ordinal kl); apply: functional_extensionality => j; rewrite E.
Qed.

Lemma Delta_spanned mask r s : span_within (in_mask mask : pred (token (problem D))) r (fun t => left_row t) ->
  span_within (in_mask mask : pred (token (problem D))) s (fun t => right_row t) ->
  span_within (in_mask mask : pred (token (problem D))) (r * s) (Delta alpha).
Proof.
have -> : Delta alpha = fun t => outer (left_row t) (right_row t) by apply: functional_extensionality => t;
  exact: Delta_outer.
exact: within_outer.
Qed.

Definition dimension_at_most mask (n : nat) : bool := (counted_dimension mask <= n)%nat || (eliminated_dimension mask
  <= n)%nat.

Theorem dimension_at_most_sound mask n : fits D mask -> dimension_at_most mask n ->
  exists2 s, (s <= n)%nat & span_within (in_mask mask : pred (token (problem D))) s (Delta alpha).
Proof.
move=> fm /orP[le | le].
  by exists (counted_dimension mask) => //; apply: Delta_spanned; [exact: left_counted | exact: right_counted].
exists (eliminated_dimension mask) => //; apply: Delta_spanned; apply: coordinates_spanned => t it.
  exists (place_index mask t); first by rewrite size_map; exact: position_lt.
  by rewrite (nth_map (0%nat, 0%nat)) ?position_lt // nth_position.
exact: query_listed.
Qed.

(* ---- the check ---- *)

(* The constraints with a positive number. *)
Definition positive_mask v : seq (seq bool) := map_rows (fun a => ~~ le a zero) (numerators v).

Lemma positive_mask_fits v : vector_ok D picks v -> fits D (positive_mask v).
Proof. by case/and3P=> _ fv _; exact: fits_map. Qed.

Lemma in_positive_mask v t : vector_ok D picks v -> in_mask (positive_mask v) t = ~~ le (at_token zero (numerators v)
  t) zero.
Proof. by case/and3P=> _ fv _; rewrite /in_mask /positive_mask (at_token_map zero). Qed.

Lemma positive_mask_real v t : vector_ok D picks v -> in_mask (positive_mask v) t -> 0 < values v t.
Proof.
move=> vok; rewrite in_positive_mask // => /not_le_real; rewrite real0 => a0.
by apply: Rdiv_lt_0_compat; [exact: a0 | exact: (denominator_gt0 vok)].
Qed.

Lemma positive_mask_constraint v t : vector_ok D picks v -> in_mask (positive_mask v) t -> constraint alpha t.
Proof.
move=> vok /(positive_mask_real vok) pos; case ct: (constraint alpha t) => //.
by have := coefficient_off (Pok := Pok) vok (negbT ct); move: pos; lra.
Qed.

(* ||W||^2 < S lambda^2 for each lambda of the mask *)
Definition spanning_check v mask (hints : gram_hints N) (S : fraction N) : bool :=
  let wu := weight_unit D v in
  let least := mul (mul (energy v (margins D picks v)) (fraction_den S)) (mul (denominator v) (denominator v)) in
  let most := mul (fraction_num S) (mul wu wu) in
  [&& vector_ok D picks v, nonnegative_check picks v, mask_ok D picks mask, (0 < mask_size (positive_mask v))%nat &
  [&& lt zero (fraction_num S), dimension_at_most (positive_mask v) (mask_size mask),
      gram_check quick D picks mask hints S &
      constraints_all (fun ba => ~~ ba.1 || ~~ le ba.2 zero && lt least (mul most (mul ba.2 ba.2))) picks
        (zip_rows mask (numerators v))]].

(* As the check compares them, in integers. *)
Lemma spanning_row_small v (S : fraction N) t : vector_ok D picks v -> fraction_ok S ->
  lt (mul (mul (energy v (margins D picks v)) (fraction_den S)) (mul (denominator v) (denominator v)))
    (mul (mul (fraction_num S) (mul (weight_unit D v) (weight_unit D v)))
      (mul (at_token zero (numerators v) t) (at_token zero (numerators v) t))) ->
  vnorm2 (W alpha (values v)) < fraction_real S * (values v t * values v t).
Proof.
move=> vok Sok /lt_real; have S1 := fraction_den_gt0 Sok; have d0 := denominator_gt0 vok.
have wu0 := weight_unit_gt0 Dok vok; rewrite energy_value //.
rewrite /coefficient_of /coefficient /entry -/(at_token zero (numerators v) t) /fraction_real.
move: (at_token zero (numerators v) t) (energy _ _) (weight_unit D v) (denominator v) wu0 d0 => a en wu den wu0 d0.
rewrite !realM; move: (real wu) (real den) wu0 d0 => {}wu {}den wu0 d0 H.
have wu2 := Rmult_lt_0_compat _ _ wu0 wu0; have d2 := Rmult_lt_0_compat _ _ d0 d0;
  have all0 := Rmult_lt_0_compat _ _ wu2 (Rmult_lt_0_compat _ _ d2 S1).
apply: (Rmult_lt_reg_r _ _ _ all0).
have -> : real en / (wu * wu) * (wu * wu * (den * den * real (fraction_den S))) = real en * real (fraction_den S) *
  (den * den) by field; lra.
by apply: Rlt_le_trans H _; right; field; lra.
Qed.

Theorem spanning_check_sound v mask hints S : spanning_check v mask hints S -> ~ feasible alpha.
Proof.
case/and5P=> vok nn mok some /and4P[/lt_real S0 many gram small]; rewrite real0 in S0.
have Sok := gram_check_bound_ok gram; have S1 := fraction_den_gt0 Sok; have fA := positive_mask_fits vok.
have d0 := denominator_gt0 vok; have wu0 := weight_unit_gt0 Dok vok; have /and3P[_ fv _] := vok.
have off t : constraint alpha t -> ~~ in_mask (positive_mask v) t -> values v t = 0.
  move=> ct; rewrite in_positive_mask // => /negPn/le_real; rewrite real0 => le0.
  have := nonnegative_check_sound vok nn ct; rewrite /coefficient_of /coefficient /entry -/(at_token _ _ _) => ge0.
  suff -> : real (at_token zero (numerators v) t) = 0 by rewrite /Rdiv Rmult_0_l.
  apply: Rle_antisym => //; apply: (Rmult_le_reg_r (/ real (denominator v))); first exact: Rinv_0_lt_compat.
  by rewrite Rmult_0_l.
have [fm _] := andP mok; have [s le_s span] := dimension_at_most_sound fA many.
have listed t : in_mask mask t -> in_mask (positive_mask v) t.
  move=> it; have ct := mask_constraint Pok mok it.
  have := constraints_allP (false, zero) (fits_zip fm fv) small ct.
  by rewrite at_token_zip //= -/(in_mask mask t) it in_positive_mask // => /andP[].
have combination : combine (in_mask (positive_mask v) : pred (token (problem D))) (values v) (Delta alpha) = W alpha
  (values v).
  apply: vec_ext => jk; rewrite /W /combine [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => t _.
  case it: (in_mask _ t); first by rewrite (positive_mask_constraint vok it).
  by case ct: (constraint alpha t) => //; rewrite off ?it // Rmult_0_l.
apply: (@spanning_infeasible _ _ (constraint alpha) (in_mask (positive_mask v) : pred (token (problem D))) (in_mask
  mask)
          (Delta alpha) s (fraction_real S) (values v)).
- by move=> t; exact: positive_mask_constraint.
- exact: listed.
- by move=> t; exact: positive_mask_real.
- by move: some; rewrite -mask_card // => /card_gt0P[t it]; exists t.
- exact: span.
- exact: Rdiv_lt_0_compat.
- exact: gram_check_sound gram.
- by rewrite mask_card.
move=> t it; have ct := mask_constraint Pok mok it; rewrite combination.
have := constraints_allP (false, zero) (fits_zip fm fv) small ct.
rewrite at_token_zip //= -/(in_mask mask t) it => /andP[_]; exact: spanning_row_small.
Qed.
End Checks.
