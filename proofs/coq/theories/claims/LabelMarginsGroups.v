(* LabelMarginsGroups: what `label-margins` says of a decoder's problem (A.margin; JOINT.md section 5), and why a cover
   of the groups that support the decoder's solution shows it. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Direction Saturation LabelMargins Number Rows Entries TokenData
                           Instances EqualTokens MergedTokens MarginChecks OptimalityChecks EnclosureChecks Interval
                           IntervalTables AttentionIntervals ReferenceIntervals ForeverChecks DecoderData
                           LabelMarginsChecks LabelMarginsSound LabelledValues ClaimKind Posed.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Meaning.
Variables (N : number) (I : instance N).
Notation data := (data_of I).
Notation decoder picks := (problem (decoder_data I picks)).

(* The tokens' labelled values, shared as s says. *)
Definition labelled_output (s : token (problem data) -> R) (i : data_group data) :
    vec [finType of 'I_(token_dimension I) * 'I_1] :=
  combine (fun t : token (problem data) => group_of t == i) s (@labelled_value N I).

(* A sequence whose selected token has the margin 1. *)
Definition supports_decoder picks (beta : selection (decoder picks)) v (i : nat) : Prop :=
  exists t, (tag (t : data_token (decoder_data I picks)) : nat) = i /\ support beta v t.

(* However the attention is shared: of the groups that support the decoder v, some one has a margin at most
   1/||v|| - nu (1 - the least share of the selected tokens), for every u of norm 1. *)
Definition label_margins_hold picks (nu : R) : Prop :=
  exists (beta : selection (decoder picks)) v, [/\ selects beta (decoder_picks I), max_margin beta v, 0 < vnorm v &
    forall (s : token (problem data) -> R) (alpha : selection (problem data)), selects alpha picks ->
    (forall t, 0 <= s t) -> (forall i, \sum_(t | group_of t == i) s t = 1) -> forall u, vnorm u <= 1 ->
    exists i : data_group data, supports_decoder beta v i /\ forall j : data_group data, supports_decoder beta v j ->
      dot (labelled_output s i) u <= / vnorm v - nu * (1 - s (alpha j))].
End Meaning.

Lemma same_token (N : number) (D : token_data N) (t t' : token (problem D)) :
  (tag (t : data_token D) : nat) = tag (t' : data_token D) ->
  (tagged (t : data_token D) : nat) = tagged (t' : data_token D) -> t = t'.
Proof.
case: t t' => [i s] [i' s'] /= E; have Ei : i = i' by exact: ord_inj.
by move: s s'; rewrite -Ei => s s' /ord_inj ->.
Qed.

(* ---- the decoder's solution, by supporting group ---- *)

Section Groups.
Variables (N : number) (D : token_data N) (picks : seq nat).
Implicit Types (mask : seq (seq bool)).

(* Every sequence of the decoder's data has one constraint, its second token. *)
Definition supporting mask : seq nat := [seq i <- iota 0 (size mask) | nth false (nth [::] mask i) 1].

Definition on_support_check mask (mu : vector N) : bool :=
  constraints_all (fun bc => bc.1 || same bc.2 zero) picks (zip_rows mask (numerators mu)).

(* Multipliers with the same combination as v, on the mask. *)
Definition others_check mask (v mu : vector N) : bool :=
  [&& vector_ok D picks mu, nonnegative_check picks mu, on_support_check mask mu &
      same_matrix (weights D picks mu) (weight_unit D mu) (weights D picks v) (weight_unit D v)].

Variable P : Z.

(* v*/||v*||^2, and multipliers over ||v*||^2. *)
Definition along_in (v : vector N) (r norm : interval N) : seq (interval N) :=
  [seq idiv P (iadd P (ratio P (weight_unit D v) (nth zero row 0)) (symmetric r)) (imul P norm norm)
  | row <- weights D picks v].

Definition listed_in mask norm (mu : vector N) : seq (interval N) :=
  [seq idiv P (ratio P (denominator mu) (nth zero (nth [::] (numerators mu) i) 1)) (imul P norm norm)
  | i <- supporting mask].

Definition own_in mask (weights : seq (seq (interval N))) : seq (interval N) :=
  [seq nth (Everything N) (nth [::] weights i) 1 | i <- supporting mask].

(* The supporting groups; D are the data of the instance, sel its selected tokens. *)
Definition groups_in (I : instance N) (sel : seq nat) mask : seq (labelled_group N) :=
  [seq group_in I P (sequence_at D i) i (nth 0%nat sel i) | i <- supporting mask].

Definition one_rows_check (I : instance N) (sel : seq nat) : bool :=
  all (fun i => one_row_check I (sequence_at D i) i (nth 0%nat sel i)) (iota 0 (size (tokens I))).
End Groups.

Section Decoder.
Variables (N : number) (I : instance N) (sel : seq nat).
Notation D := (decoder_data I sel).
Notation picks := (decoder_picks I).
Hypotheses (Iok : instance_ok I) (MDok : data_ok (data_of I)) (Sok : picks_ok (data_of I) sel).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let beta : selection (problem D) := selection_of Pok.
Notation raw := (token_data_of I).
Notation dim := (token_dimension I).
Notation column := (vec (coord (problem D))).

Variables (mask : seq (seq bool)) (ws : column).
Hypotheses (mok : mask_ok D picks mask) (M : max_margin beta ws) (ws_gt0 : 0 < vnorm ws).
Hypothesis tight : forall t, support beta ws t <-> in_mask mask t.
Notation sup := (supporting mask).
Notation m := (size sup).

Lemma sup_group (k : 'I_m) : (nth 0%nat sup k < size (sequences D))%nat.
Proof.
have /andP[/andP[/eqP sm _] _] := mok.
by have := mem_nth 0%nat (ltn_ord k); rewrite mem_filter mem_iota sm => /andP[_].
Qed.

Lemma two_tokens (i : data_group D) : (1 < length_of D i)%nat.
Proof. by rewrite /length_of decoder_sequence_at. Qed.

Definition position (k : 'I_m) : token (problem D) := @token_of N D (Ordinal (sup_group k)) (Ordinal (two_tokens _)).

Lemma position_in (k : 'I_m) : in_mask mask (position k).
Proof. by have := mem_nth 0%nat (ltn_ord k); rewrite mem_filter => /andP[]. Qed.

Lemma position_constraint k : constraint beta (position k).
Proof. exact: (mask_constraint Pok mok (position_in k)). Qed.

Lemma in_position t : in_mask mask t -> exists k, t = position k.
Proof.
move=> it; have ct := mask_constraint Pok mok it; have t1 := decoder_constraint ct.
have /andP[/andP[/eqP sm _] _] := mok.
have listed : (tag (t : data_token D) : nat) \in sup.
  by rewrite mem_filter mem_iota sm ltn_ord andbT; move: it; rewrite /in_mask /at_token t1 => ->.
have kl : (index (tag (t : data_token D) : nat) sup < m)%nat by rewrite index_mem.
by exists (Ordinal kl); apply: same_token; rewrite //= nth_index.
Qed.

Lemma position_inj : injective position.
Proof.
move=> k k' E; apply: ord_inj; apply/eqP; rewrite -(nth_uniq 0%nat (ltn_ord k) (ltn_ord k')).
  by apply/eqP; exact: (congr1 (fun t : token (problem D) => (tag (t : data_token D) : nat)) E).
by rewrite filter_uniq // iota_uniq.
Qed.

(* Sums over the supporting groups are sums over all constraints of what vanishes off the support. *)
Lemma sum_positions (F : token (problem D) -> R) : (forall t, constraint beta t -> ~~ in_mask mask t -> F t = 0) ->
  \sum_(t | constraint beta t) F t = \sum_k F (position k).
Proof.
move=> off; transitivity (\sum_t \sum_(k | position k == t) F (position k)); last first.
  rewrite (exchange_big_dep predT) //=; apply: eq_bigr => k _.
  by rewrite (eq_bigl (pred1 (position k))) ?big_pred1_eq // => t; rewrite eq_sym.
rewrite big_mkcond; apply: eq_bigr => t _; case: (boolP (in_mask mask t)) => it.
  have [k E] := in_position it; rewrite (mask_constraint Pok mok it) (big_pred1 k) -?E // => j.
  by rewrite E (eqtype.inj_eq position_inj).
rewrite big_pred0 => [|k]; first by case: ifP => // ct; exact: off.
by apply/negbTE/eqP => E; rewrite -E position_in in it.
Qed.

(* v* over its squared length, as the multipliers of the supporting groups combine. *)
Definition decoder_along : column := (/ (vnorm ws * vnorm ws) * ws)%V.
Definition supporting_row (k : 'I_m) : column := Delta beta (position k).

Lemma along_length : vnorm2 decoder_along = / vnorm ws * / vnorm ws.
Proof. by rewrite vnorm2Z -(vnorm_sqr ws); field; lra. Qed.

Lemma along_tight k : dot (supporting_row k) decoder_along = / vnorm ws * / vnorm ws.
Proof.
have [_ one] := (tight (position k)).2 (position_in k).
by rewrite dotZr -/(margin beta ws (position k)) one; field; lra.
Qed.

Lemma multiplier_positions lam : multipliers beta ws lam -> let mu k := lam (position k) / (vnorm ws * vnorm ws) in
  [/\ forall k, 0 <= mu k, \sum_k mu k = 1 & combine predT mu supporting_row = decoder_along].
Proof.
move=> mult mu; have [lam0 E slack] := mult; have n2 : 0 < vnorm ws * vnorm ws by exact: Rmult_lt_0_compat.
have off t : constraint beta t -> ~~ in_mask mask t -> lam t = 0.
  move=> ct it; case: (Rmult_integral _ _ (slack t ct)) => // one; case/negP: it; apply/tight.
  by split=> //; lra.
split=> [k | | ].
- by apply: Rmult_le_pos; [exact: (lam0 _ (position_constraint k)) | exact/Rlt_le/Rinv_0_lt_compat].
- rewrite /mu /Rdiv -sum_mulr -(sum_positions (F := lam)) // (multiplier_total mult).
  by apply: Rinv_r; lra.
apply: vec_ext => j; rewrite /decoder_along /vscale {3}E /combine.
rewrite (sum_positions (F := fun t => lam t * Delta beta t j)).
  by rewrite sum_mull; apply: eq_bigr => k _; rewrite /mu /supporting_row; field; lra.
by move=> t ct it; rewrite off // Rmult_0_l.
Qed.

(* Multipliers that are listed. *)
Lemma others_multipliers v mu : vector_ok D picks v -> W beta (@coefficient_of N D v) = ws ->
  others_check D picks mask v mu -> multipliers beta ws (@coefficient_of N D mu).
Proof.
move=> vok vE /and4P[muok nonneg inside same]; have /andP[fm _] := mok; have /and3P[_ fv _] := muok.
have off t : constraint beta t -> ~~ in_mask mask t -> coefficient_of mu t = 0.
  move=> ct it; have := constraints_allP (false, zero) (fits_zip fm fv) inside ct.
  rewrite at_token_zip //= -/(in_mask mask t) (negbTE it) /= => /same_real a0.
  by rewrite /coefficient_of /coefficient /entry -/(at_token _ _ _) a0 real0 /Rdiv Rmult_0_l.
split=> [t ct | | t ct].
- exact: (nonnegative_check_sound (Pok := Pok) muok nonneg ct).
- rewrite -vE -/(W beta _) -(weights_real Dok Pok muok) -(weights_real Dok Pok vok); apply: vec_ext => -[j k].
  exact: (esym (same_matrix_real (k : nat) (weights_shaped Dok Pok muok) (weights_shaped Dok Pok vok)
            (weight_unit_gt0 Dok muok) (weight_unit_gt0 Dok vok) same (ltn_ord j))).
case: (boolP (in_mask mask t)) => it; last by rewrite off // Rmult_0_l.
by have [_ ->] := (tight t).2 it; ring.
Qed.

(* ---- enclosed ---- *)

Variable P : Z.
Notation merged_data := (data_of I).
Notation classes_of i := (class_places (sequence_at raw i)).

Notation groups := (groups_in raw P I sel mask).
Notation at_group k := (nth 0%nat sup k).
Notation selected_class k := (nth [::] (classes_of (at_group k)) (nth 0%nat sel (at_group k))).
Definition count_of_group (k : 'I_m) : nat := length_of merged_data (at_group k).
Definition value_of_group (k : 'I_m) : column := @labelled_mean N I (at_group k) (selected_class k).
Definition difference_of_group (k : 'I_m) (s : nat) : column :=
  (value_of_group k - @labelled_mean N I (at_group k) (nth [::] (classes_of (at_group k)) s))%V.

Lemma group_lt (k : 'I_m) : (at_group k < size (tokens I))%nat.
Proof. by have := sup_group k; rewrite size_decoder_sequences. Qed.

Lemma raw_lt (k : 'I_m) : (at_group k < size (sequences raw))%nat.
Proof. by rewrite sequences_size; exact: group_lt. Qed.

Lemma count_classes (k : 'I_m) : count_of_group k = size (classes_of (at_group k)).
Proof. exact: (merged_length (Ordinal (raw_lt k))). Qed.

Lemma merged_lt (k : 'I_m) : (at_group k < size (sequences merged_data))%nat.
Proof. by rewrite size_map; exact: raw_lt. Qed.

Lemma selected_lt (k : 'I_m) : (nth 0%nat sel (at_group k) < count_of_group k)%nat.
Proof. exact: (picks_lt (Ordinal (merged_lt k)) Sok). Qed.

Lemma unit_gt0 : 0 < real (tokens_unit I).
Proof. exact: (token_unit_gt0 Dok). Qed.

Lemma groups_enclose (k : 'I_m) : let g := nth (no_group N) groups k in
  [/\ row_contains (group_value g) (value_of_group k), size (group_differences g) = count_of_group k,
      size (group_names g) = count_of_group k, group_best g = nth 0%nat sel (at_group k) &
      forall s, (s < count_of_group k)%nat ->
        row_contains (nth [::] (group_differences g) s) (difference_of_group k s)].
Proof.
rewrite /= (nth_map 0%nat) // count_classes; apply: group_in_encloses => //; try exact: unit_gt0.
  exact: group_lt.
by rewrite -count_classes; exact: selected_lt.
Qed.

Lemma value_row (k : 'I_m) : one_rows_check raw I sel -> value_of_group k = supporting_row k.
Proof.
move=> rows; have sl : (nth 0%nat sel (at_group k) < size (classes_of (at_group k)))%nat.
  by rewrite -count_classes; exact: selected_lt.
have one : one_row_check I (sequence_at raw (at_group k)) (at_group k) (nth 0%nat sel (at_group k)).
  by move: rows => /allP; apply; rewrite mem_iota group_lt.
apply: vec_ext => jk; rewrite /value_of_group (one_row Iok MDok unit_gt0 (group_lt k) sl one).
rewrite /supporting_row (decoder_row _ (position_constraint k)) /=; congr (_ * X _ _ _ _).
rewrite /decoder_token /representatives (nth_map (no_sequence N)) ?raw_lt // -/(sequence_at raw (at_group k)).
rewrite classes_at -map_comp (nth_map [::]) //=.
by case: (nth [::] (classes_of (at_group k)) _) (class_stands (mem_nth [::] sl)).
Qed.

Lemma along_encloses v x r norm : vector_ok D picks v -> vnorm (ws - W beta (@coefficient_of N D v))%V <= x ->
  contains r x -> contains norm (vnorm ws) -> row_contains (along_in D picks P v r norm) decoder_along.
Proof.
move=> vok near Hr Hn; have sh := weights_shaped Dok Pok vok; have /eqP sw := proj1 (andP sh).
split=> [|j]; first by rewrite size_map sw.
rewrite (nth_map [::]) ?sw //.
have -> : decoder_along (j, ord0) = ws (j, ord0) / (vnorm ws * vnorm ws).
  by rewrite /decoder_along /vscale /Rdiv Rmult_comm.
apply: idiv_contains; last exact: imul_contains.
have -> : ws (j, ord0) = W beta (@coefficient_of N D v) (j, ord0) +
    (ws - W beta (@coefficient_of N D v))%V (j, ord0) by rewrite /vsub; ring.
apply: iadd_contains; last by apply: (symmetric_contains Hr); exact: Rle_trans (coord_le_norm _ _) near.
by rewrite -(weights_real Dok Pok vok); exact: ratio_contains.
Qed.

Lemma listed_encloses norm mu (k : 'I_m) : contains norm (vnorm ws) ->
  contains (nth (Everything N) (listed_in P mask norm mu) k)
    (@coefficient_of N D mu (position k) / (vnorm ws * vnorm ws)).
Proof.
move=> Hn; rewrite (nth_map 0%nat) //; apply: idiv_contains; last exact: imul_contains.
exact: ratio_contains.
Qed.

Lemma own_encloses weights lam active (k : 'I_m) : multipliers beta ws lam ->
  (forall t, constraint beta t -> ~~ in_mask active t -> lam t = 0) ->
  encloses weights (fun t => if in_mask active t then multiplier_weights beta lam t else 0) ->
  contains (nth (Everything N) (own_in mask weights) k) (lam (position k) / (vnorm ws * vnorm ws)).
Proof.
move=> mult off [_ H]; rewrite (nth_map 0%nat) //.
have := H (position k); rewrite /multiplier_weights (multiplier_total mult).
by case: (boolP (in_mask active _)) => // it; rewrite (off _ (position_constraint k) it) /Rdiv Rmult_0_l.
Qed.

(* ---- shares of a supporting group's tokens ---- *)

Section Shares.
Variable s : token (problem merged_data) -> R.
Hypotheses (s_ge0 : forall t, 0 <= s t) (s_sum : forall i, \sum_(t | group_of t == i) s t = 1).

Definition data_group_of (k : 'I_m) : data_group merged_data := Ordinal (merged_lt k).
Definition position_share (k : 'I_m) (t : nat) : R :=
  oapp (fun o : 'I_(length_of merged_data (data_group_of k)) => s (token_of o)) 0 (insub t).

Lemma share_at (k : 'I_m) (o : 'I_(length_of merged_data (data_group_of k))) : position_share k o = s (token_of o).
Proof. by rewrite /position_share valK. Qed.

Lemma share_ge0 (k : 'I_m) t : 0 <= position_share k t.
Proof. by rewrite /position_share; case: (insub t) => /= [o|]; [exact: s_ge0 | exact: Rle_refl]. Qed.

Lemma share_sum (k : 'I_m) : \sum_(t < count_of_group k) position_share k t = 1.
Proof.
rewrite -(s_sum (data_group_of k)) (@sum_group N merged_data).
by apply: eq_bigr => o _; rewrite -share_at.
Qed.

Lemma mixture_output (k : 'I_m) :
  mixture count_of_group value_of_group difference_of_group position_share k = labelled_output s (data_group_of k).
Proof.
apply: vec_ext => j; rewrite /mixture /vsub /labelled_output /combine (@sum_group N merged_data) /difference_of_group.
have -> : \sum_(t < count_of_group k) position_share k t * (value_of_group k -
      @labelled_mean N I (at_group k) (nth [::] (classes_of (at_group k)) t))%V j =
    (\sum_(t < count_of_group k) position_share k t) * value_of_group k j -
    \sum_(t < count_of_group k) position_share k t *
      @labelled_mean N I (at_group k) (nth [::] (classes_of (at_group k)) t) j.
  by rewrite sum_mulr -sumB; apply: eq_bigr => t _; rewrite /vsub; ring.
rewrite share_sum Rmult_1_l; set S := \sum_(t < _) _.
have -> : value_of_group k j - (value_of_group k j - S) = S by ring.
by apply: eq_bigr => o _; rewrite -share_at.
Qed.

Lemma share_selected (alpha : selection (problem merged_data)) (k : 'I_m) : selects alpha sel ->
  position_share k (nth 0%nat sel (at_group k)) = s (alpha (data_group_of k)).
Proof.
move=> [_ chosen]; pose o := Ordinal (selected_lt k : (_ < length_of merged_data (data_group_of k))%nat).
rewrite -[nth 0%nat sel _]/(nat_of_ord o) share_at; congr s; apply: same_token => /=.
  by have := group_of_pick alpha (data_group_of k) => /(congr1 (@nat_of_ord _)).
by rewrite chosen.
Qed.

(* ---- the cover of these groups ---- *)

Variables (margin cost : interval N) (nu : R) (row : seq (interval N)) (vectors : seq (seq (interval N)))
  (nodes : seq (cover_node N)).

(* What the check is given, and that it accepts. *)
Record cover_accepted : Prop := CoverAccepted {
  accepted_margin : contains margin (/ vnorm ws);
  accepted_cost : contains cost nu;
  accepted_cost_gt0 : 0 < nu;
  accepted_along : row_contains row decoder_along;
  accepted_rows : one_rows_check raw I sel;
  accepted_vectors : forall j, (j < size vectors)%nat -> exists lam, [/\ multipliers beta ws lam,
    size (nth [::] vectors j) = m & forall k : 'I_m,
    contains (nth (Everything N) (nth [::] vectors j) k) (lam (position k) / (vnorm ws * vnorm ws))];
  accepted_some : (0 < size vectors)%nat;
  accepted_cover : cover_check P dim groups sup margin cost row vectors nodes (root_pieces groups)
}.

Theorem label_margins_of_cover (alpha : selection (problem merged_data)) u : cover_accepted -> selects alpha sel ->
  vnorm u <= 1 ->
  exists i : data_group merged_data, supports_decoder beta ws i /\
    forall j : data_group merged_data, supports_decoder beta ws j ->
    dot (labelled_output s i) u <= / vnorm ws - nu * (1 - s (alpha j)).
Proof.
case=> margin_in cost_in nu_gt0 row_in rows_checked vectors_in some_vector covered chosen u1.
have gamma0 : 0 < / vnorm ws := Rinv_0_lt_compat _ ws_gt0.
have sg : size groups = m by rewrite size_map.
have value k : value_of_group k = supporting_row k by exact: value_row.
have aligned k : dot (value_of_group k) decoder_along = / vnorm ws * / vnorm ws by rewrite value along_tight.
have family j : (j < size vectors)%nat -> exists mu : 'I_m -> R,
    [/\ size (nth [::] vectors j) = m,
        forall k : 'I_m, contains (nth (Everything N) (nth [::] vectors j) k) (mu k),
        forall k, 0 <= mu k, \sum_k mu k = 1 & combine predT mu value_of_group = decoder_along].
  move=> jl; have [lam [mult sv Hv]] := vectors_in j jl; have [mu0 mu1 E] := multiplier_positions mult.
  exists (fun k => lam (position k) / (vnorm ws * vnorm ws)); split=> //.
  by rewrite -E; apply: combine_eq => // k _; exact: value.
have own k : difference_of_group k (nth 0%nat sel (at_group k)) = vzero.
  by rewrite /difference_of_group -/(value_of_group k); vec_ring.
have known : cover_known groups margin cost row vectors (CoverValues count_of_group
    (fun k => nth 0%nat sel (at_group k)) value_of_group difference_of_group (/ vnorm ws) nu decoder_along).
  by split=> //; [exact: along_length | exact: groups_enclose].
have [k H] := cover_check_sound known selected_lt own some_vector covered (fun k t _ => share_ge0 k t) share_sum u1.
exists (data_group_of k); split.
  by exists (position k); split=> //; apply/tight; exact: position_in.
move=> j [t [tj /tight it]]; have [k' E] := in_position it.
have := H k'; rewrite mixture_output (share_selected k' chosen).
suff -> : data_group_of k' = j by [].
by apply: ord_inj; rewrite -tj E.
Qed.
End Shares.
End Decoder.
