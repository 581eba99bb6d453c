(* MergedTokens: T18, merging equal tokens changes nothing of the model.

   The data of the classes and the data of all tokens have the same outputs, the same training loss, the same gradient
   and the same runs, as functions of W. So what is proved of merged data holds of the user's. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith FunctionalExtensionality.
From Attest Require Import Euclid Selection Gradient Iteration Number Rows TokenData EqualTokens.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- rows ---- *)

Section EqualRows.
Variable N : number.
Implicit Types (r : seq N) (rows : seq (seq N)).

Lemma le_refl (a : N) : le a a.
Proof. by apply/negPn/negP => /not_le_real; lra. Qed.

Lemma equal_numbers_real (a b : N) : equal_numbers a b -> real a = real b.
Proof. by case/andP=> /le_real h1 /le_real h2; lra. Qed.

Lemma equal_rows_refl r : equal_rows r r.
Proof. by elim: r => //= a r ->; rewrite le_refl. Qed.

Lemma equal_rows_real r r' : equal_rows r r' -> [seq real a | a <- r] = [seq real a | a <- r'].
Proof.
by elim: r r' => [|a r IH] [|b r'] //= /and3P[ab ba /IH ->]; rewrite (@equal_numbers_real a b) // /equal_numbers ab ba.
Qed.

Lemma real_equal_rows r r' : [seq real a | a <- r] = [seq real a | a <- r'] -> equal_rows r r'.
Proof.
elim: r r' => [|a r IH] [|b r'] //= [E /IH ->].
by apply/and3P; split=> //; apply/negPn/negP => /not_le_real; lra.
Qed.

Lemma equal_entry r r' j : equal_rows r r' -> entry r j = entry r' j.
Proof.
move/equal_rows_real => E; have sz : size r = size r' by rewrite -(size_map (@real N) r) E size_map.
case: (ltnP j (size r)) => jl; last by rewrite !entry_over // -sz.
by rewrite /entry -!(nth_map zero (real (zero : N)) (@real N)) ?E // -sz.
Qed.

(* What stands_for finds: a token with the same row, which stands for itself. *)
Lemma stands_for_spec rows (st := stands_for rows) : size st = size rows /\ forall t, (t < size rows)%nat ->
  [/\ (nth 0%nat st t < size rows)%nat, nth 0%nat st (nth 0%nat st t) = nth 0%nat st t &
      equal_rows (nth [::] rows t) (nth [::] rows (nth 0%nat st t))].
Proof.
rewrite /st /stands_for; case: ifP => _.
  rewrite size_iota; split=> // t tl.
  have E : nth 0%nat (iota 0 (size rows)) t = t by rewrite nth_iota.
  by rewrite !E; split=> //; exact: equal_rows_refl.
rewrite size_map; split=> // t tl; rewrite (nth_map [::]) //; set row := nth [::] rows t.
have here : has (equal_rows row) rows by apply/(has_nthP [::]); exists t => //; exact: equal_rows_refl.
have fl : (find (equal_rows row) rows < size rows)%nat by rewrite -has_find.
have found := nth_find [::] here; split=> //; rewrite (nth_map [::]) //.
by apply: eq_find => r; apply/idP/idP => /equal_rows_real E; apply: real_equal_rows;
  rewrite -E (equal_rows_real found).
Qed.
End EqualRows.

(* ---- classes ---- *)

Lemma mask_nth (A : Type) (a0 : A) (m : seq bool) (s : seq A) :
  mask m s = [seq nth a0 s t | t <- mask m (iota 0 (size s))].
Proof. by rewrite map_mask map_nth_iota0 // take_size. Qed.

Lemma nth_standing st t : (t < size st)%nat -> nth false (standing st) t = (t == nth 0%nat st t).
Proof. by move=> tl; rewrite (nth_map (0, 0)%nat) ?size_zip ?size_iota ?minnn // nth_zip ?size_iota // nth_iota. Qed.

Lemma size_standing st : size (standing st) = size st.
Proof. by rewrite size_map size_zip size_iota minnn. Qed.

Lemma mem_representatives st r : (r \in representatives_of st) = (r < size st)%nat && (nth 0%nat st r == r).
Proof.
rewrite /representatives_of.
have -> : mask (standing st) (iota 0 (size st)) = [seq t <- iota 0 (size st) | nth 0%nat st t == t].
  rewrite filter_mask; congr mask; apply: (@eq_from_nth _ false) => [|t]; first by rewrite size_standing size_map size_iota.
  rewrite size_standing => tl; rewrite nth_standing // (nth_map 0%nat) ?size_iota // nth_iota // add0n.
by rewrite mem_filter mem_iota add0n andbC.
Qed.

Lemma representatives_uniq st : uniq (representatives_of st).
Proof. by apply: mask_uniq; exact: iota_uniq. Qed.

(* The classes divide the tokens. *)
Lemma sum_classes st T (F : nat -> R) : size st = T ->
  (forall t, (t < T)%nat -> (nth 0%nat st t < T)%nat /\ nth 0%nat st (nth 0%nat st t) = nth 0%nat st t) ->
  \sum_(r <- representatives_of st) \sum_(t < T | nth 0%nat st t == r) F t = \sum_(t < T) F t.
Proof.
move=> sT spec; rewrite (eq_bigr (fun r => \sum_(t < T) (if nth 0%nat st t == r then F t else 0))) => [|r _]; last first.
  by rewrite big_mkcond.
rewrite exchange_big /=; apply: eq_bigr => t _; have [rl idem] := spec t (ltn_ord t).
have mem : nth 0%nat st t \in representatives_of st by rewrite mem_representatives sT rl idem eqxx.
rewrite (bigD1_seq _ mem (representatives_uniq st)) /=.
rewrite eqxx [X in _ + X]big1 ?Rplus_0_r // => r ne; by rewrite eq_sym (negbTE ne).
Qed.

Section Members.
Variable N : number.
Implicit Types (s u : seq N).

Lemma sum_members st r s : size s = size st ->
  real (sum_row (members st r s)) = \sum_(t < size st | nth 0%nat st t == r) entry s t.
Proof.
rewrite sum_row_real; elim: st s => [|k st IH] [|a s] //=; first by rewrite !big_ord0.
move=> [sz]; rewrite [RHS]big_mkcond big_ord_recl /= -big_mkcond /members /= -/(members st r s).
case: (k == r); last by rewrite Rplus_0_l IH.
by rewrite big_ord_recl /= -IH.
Qed.

Lemma dot_members st r s u : size s = size st -> size u = size st ->
  real (dot_rows (members st r s) (members st r u)) = \sum_(t < size st | nth 0%nat st t == r) entry s t * entry u t.
Proof.
move=> ss su; rewrite (@dot_rows_real _ _ _ (size (members st r s))) //.
elim: st s u ss su => [|k st IH] [|a s] [|b u] //=; first by rewrite !big_ord0.
move=> [ss] [su]; rewrite [RHS]big_mkcond big_ord_recl /= -big_mkcond /members /= -/(members st r s) -/(members st r u).
case: (k == r); last by rewrite Rplus_0_l IH.
by rewrite big_ord_recl /= -IH.
Qed.

Lemma agreeing_scores s : scores_agree s -> forall t, (t < size s)%nat -> entry s t = entry s 0.
Proof.
case: s => [|g s] //= H [|t] //; rewrite ltnS => tl; rewrite /entry /=.
by have := equal_numbers_real (all_nthP zero H t tl).
Qed.

Lemma size_members (A : Type) st r (s : seq A) : size s = size st -> size (members st r s) = count (pred1 r) st.
Proof.
by move=> sz; rewrite size_mask ?size_map // count_map; apply: eq_count => k.
Qed.

(* The mean, as an equation. *)
Lemma class_score_real st r (scale : N) (counts scores : seq N) : size counts = size st -> size scores = size st ->
  scores_agree (members st r scores) || count_divides (sum_row (members st r counts)) scale ->
  real (sum_row (members st r counts)) * real (class_score scale (members st r counts) (members st r scores)) =
  real scale * \sum_(t < size st | nth 0%nat st t == r) entry counts t * entry scores t.
Proof.
move=> sc ss; rewrite /class_score; case: ifP => [agree _ | _]; last rewrite orFb => /same_real.
  rewrite realM -dot_members // (@dot_rows_real _ _ _ (size (members st r counts))) //.
  rewrite (eq_bigr (fun t : 'I_(size (members st r counts)) => entry (members st r counts) t * real
    (head zero (members st r scores)))) => [|t _].
    by rewrite -sum_mulr -sum_row_real; ring.
  have sz : size (members st r scores) = size (members st r counts) by rewrite !size_members.
  by rewrite (agreeing_scores agree) ?sz ?ltn_ord // /entry nth0.
rewrite !realM => E; rewrite -E dot_members //; ring.
Qed.
End Members.

(* ---- T18 ---- *)

Section T18.
Variables (N : number) (D : token_data N).
Hypotheses (Dok : data_ok D) (Mok : merging_ok D) (MDok : data_ok (merged D)).
Notation M := (merged D).
Notation S := (merging_scale D).
Implicit Types (i : data_group D) (w : vec (coord (problem D))) (l : loss).

(* The same group, and its parts. *)
Definition in_merged i : data_group M := cast_ord (esym (size_map (merged_sequence S) (sequences D))) i.

Lemma merged_at i : sequence_at M (in_merged i) = merged_sequence S (sequence_at D i).
Proof. by rewrite /sequence_at (nth_map (no_sequence N)); [by [] | exact: (ltn_ord i)]. Qed.

Notation seq_of i := (sequence_at D i).
Notation st i := (stands_for (token_rows (seq_of i))).

Lemma stands_size i : size (st i) = length_of D i.
Proof. by case: (stands_for_spec (token_rows (seq_of i))). Qed.

Lemma merged_length i : length_of M (in_merged i) = size (representatives_of (st i)).
Proof.
rewrite /length_of merged_at -[token_rows _]/(mask (standing (st i)) (token_rows (seq_of i))).
have sz : size (standing (st i)) = size (token_rows (seq_of i)) by rewrite size_standing stands_size.
by rewrite (size_mask sz) /representatives_of size_mask // size_standing size_iota.
Qed.

(* A sum over the classes, by the tokens that stand for them. *)
Lemma sum_merged (F : token (problem M) -> R) (G : nat -> R) i :
  (forall s : 'I_(length_of M (in_merged i)), F (token_of s) = G (nth 0%nat (representatives_of (st i)) s)) ->
  \sum_(s : 'I_(length_of M (in_merged i))) F (token_of s) = \sum_(r <- representatives_of (st i)) G r.
Proof.
move=> E; rewrite (eq_bigr _ (fun s _ => E s)) [RHS](big_nth 0%nat) big_mkord.
by rewrite -merged_length.
Qed.

Section AtClass.
Variables (i : data_group D) (s : 'I_(length_of M (in_merged i))).
Notation r := (nth 0%nat (representatives_of (st i)) s).
Notation counts := (members (st i) r (count_row (seq_of i))).
Notation scores := (members (st i) r (score_row (seq_of i))).

Lemma class_lt : (s < size (representatives_of (st i)))%nat.
Proof. by rewrite -merged_length; exact: ltn_ord. Qed.

Lemma class_row : nth [::] (token_rows (sequence_at M (in_merged i))) s = nth [::] (token_rows (seq_of i)) r.
Proof.
rewrite merged_at -[token_rows (merged_sequence _ _)]/(mask (standing (st i)) (token_rows (seq_of i))).
rewrite (mask_nth [::]) -[size (token_rows _)]/(length_of D i) -(stands_size i) (nth_map 0%nat) //.
exact: class_lt.
Qed.

Lemma class_count : multiplicity (token_of s : token (problem M)) = real (sum_row counts).
Proof.
rewrite (multiplicity_count MDok) -[count_value _]/(entry (count_row (sequence_at M (in_merged i))) s) merged_at.
rewrite -[count_row (merged_sequence _ _)]/(over_classes (fun counts _ => sum_row counts) (seq_of i) (st i)).
by rewrite /entry /over_classes (nth_map 0%nat) //; exact: class_lt.
Qed.

Lemma class_score_value : score (token_of s : token (problem M)) =
  real (class_score S counts scores) / (real S * real (score_unit D)).
Proof.
rewrite -[score _]/(entry (score_row (sequence_at M (in_merged i))) s / real (mul S (score_unit D))) merged_at realM.
rewrite -[score_row (merged_sequence _ _)]/(over_classes (class_score S) (seq_of i) (st i)).
by rewrite /entry /over_classes (nth_map 0%nat) //; exact: class_lt.
Qed.

Lemma count_size : size (count_row (seq_of i)) = size (st i).
Proof. by rewrite stands_size; exact: (count_row_size Dok (ltn_ord i)). Qed.

Lemma scores_size : size (score_row (seq_of i)) = size (st i).
Proof. by rewrite stands_size; have /and4P[_ _ /eqP -> _] := sequences_ok Dok (ltn_ord i). Qed.

Lemma class_multiplicity : multiplicity (token_of s : token (problem M)) =
  \sum_(t < length_of D i | nth 0%nat (st i) t == r) entry (count_row (seq_of i)) t.
Proof. by rewrite class_count (sum_members _ count_size) stands_size. Qed.

Lemma class_feature jk : feature (token_of s : token (problem M)) jk =
  entry2 (token_rows (seq_of i)) r jk.1 / real (token_unit D) *
  (entry (query_row (seq_of i)) jk.2 / real (query_unit D)).
Proof.
rewrite -[feature _ _]/(entry2 (token_rows (sequence_at M (in_merged i))) s jk.1 / real (token_unit D) *
  (entry (query_row (sequence_at M (in_merged i))) jk.2 / real (query_unit D))).
by rewrite /entry2 class_row merged_at.
Qed.

Lemma class_logit w : logit (w : vec (coord (problem M))) (token_of s : token (problem M)) =
  \sum_(jk : coord (problem D)) (entry2 (token_rows (seq_of i)) r jk.1 / real (token_unit D) *
           (entry (query_row (seq_of i)) jk.2 / real (query_unit D))) * w jk.
Proof. by rewrite /logit /dot; apply: eq_bigr => jk _; rewrite class_feature. Qed.

Lemma class_mean : multiplicity (token_of s : token (problem M)) * score (token_of s : token (problem M)) =
  \sum_(t < length_of D i | nth 0%nat (st i) t == r) entry (count_row (seq_of i)) t *
    (entry (score_row (seq_of i)) t / real (score_unit D)).
Proof.
have /andP[/lt_real S0 exact_means] := Mok; rewrite real0 in S0; have u0 := score_unit_gt0 Dok.
have ok : scores_agree scores || count_divides (sum_row counts) S.
  have := all_nthP (no_sequence N) exact_means i (ltn_ord i); rewrite /means_exact /over_classes => all_exact.
  have := all_nthP false all_exact s; rewrite size_map => /(_ class_lt).
  by rewrite (nth_map 0%nat) //; exact: class_lt.
have E := class_score_real count_size scores_size ok.
rewrite class_count class_score_value.
transitivity (real (sum_row counts) * real (class_score S counts scores) / (real S * real (score_unit D))).
  by rewrite /Rdiv Rmult_assoc.
have sum_over (K G : nat -> R) (u : R) (P : pred 'I_(length_of D i)) :
    \sum_(t < length_of D i | P t) K t * (G t / u) = (\sum_(t < length_of D i | P t) K t * G t) / u.
  by rewrite /Rdiv sum_mulr; apply: eq_bigr => t _; rewrite Rmult_assoc.
rewrite E stands_size sum_over; set X := \sum_(t < _ | _) _; move: (real S) (real (score_unit D)) S0 u0 X => a u a0 u0 X.
by field; lra.
Qed.
End AtClass.

(* Tokens of one class have one logit. *)
Lemma token_feature i (t : 'I_(length_of D i)) jk : feature (token_of t : token (problem D)) jk =
  entry2 (token_rows (seq_of i)) (nth 0%nat (st i) t) jk.1 / real (token_unit D) *
  (entry (query_row (seq_of i)) jk.2 / real (query_unit D)).
Proof.
have [_ spec] := stands_for_spec (token_rows (seq_of i)); have [_ _ same_rows] := spec t (ltn_ord t).
rewrite -[feature _ _]/(entry2 (token_rows (seq_of i)) t jk.1 / real (token_unit D) *
  (entry (query_row (seq_of i)) jk.2 / real (query_unit D))).
by rewrite /entry2 (equal_entry _ same_rows).
Qed.

Lemma token_logit w i (t : 'I_(length_of D i)) : logit w (token_of t : token (problem D)) =
  \sum_(jk : coord (problem D)) (entry2 (token_rows (seq_of i)) (nth 0%nat (st i) t) jk.1 / real (token_unit D) *
           (entry (query_row (seq_of i)) jk.2 / real (query_unit D))) * w jk.
Proof. by rewrite /logit /dot; apply: eq_bigr => jk _; rewrite token_feature. Qed.

(* Sums over the classes of their multiplicity, and of multiplicity and score, times what depends on the row alone. *)
Lemma sum_by_counts i (F : token (problem M) -> R) (G : token (problem D) -> R) (H : nat -> R) :
  (forall s : 'I_(length_of M (in_merged i)), F (token_of s) = H (nth 0%nat (representatives_of (st i)) s)) ->
  (forall t : 'I_(length_of D i), G (token_of t) = H (nth 0%nat (st i) t)) ->
  \sum_(s : 'I_(length_of M (in_merged i))) multiplicity (token_of s : token (problem M)) * F (token_of s) =
    \sum_(t : 'I_(length_of D i)) multiplicity (token_of t : token (problem D)) * G (token_of t) /\
  \sum_(s : 'I_(length_of M (in_merged i))) multiplicity (token_of s : token (problem M)) *
      score (token_of s : token (problem M)) * F (token_of s) =
    \sum_(t : 'I_(length_of D i)) multiplicity (token_of t : token (problem D)) *
      score (token_of t : token (problem D)) * G (token_of t).
Proof.
move=> FH GH; have [_ spec] := stands_for_spec (token_rows (seq_of i)).
have divided t : (t < length_of D i)%nat ->
    (nth 0%nat (st i) t < length_of D i)%nat /\ nth 0%nat (st i) (nth 0%nat (st i) t) = nth 0%nat (st i) t.
  by move=> tl; have [] := spec t tl.
have count (t : 'I_(length_of D i)) :
    multiplicity (token_of t : token (problem D)) = entry (count_row (seq_of i)) t by rewrite (multiplicity_count Dok).
split.
- pose K t := entry (count_row (seq_of i)) t.
  transitivity (\sum_(r <- representatives_of (st i)) \sum_(t < length_of D i | nth 0%nat (st i) t == r) K t * H r).
    by apply: (@sum_merged (fun t => multiplicity t * F t)) => s; rewrite FH class_multiplicity sum_mulr.
  rewrite (eq_bigr (fun r => \sum_(t < length_of D i | nth 0%nat (st i) t == r) K t * H (nth 0%nat (st i) t))) => [|r _].
    rewrite (sum_classes (fun t => K t * H (nth 0%nat (st i) t)) (stands_size i) divided).
    by apply: eq_bigr => t _; rewrite GH count.
  by apply: eq_bigr => t /eqP ->.
pose K t := entry (count_row (seq_of i)) t * (entry (score_row (seq_of i)) t / real (score_unit D)).
transitivity (\sum_(r <- representatives_of (st i)) \sum_(t < length_of D i | nth 0%nat (st i) t == r) K t * H r).
  by apply: (@sum_merged (fun t => multiplicity t * score t * F t)) => s; rewrite FH class_mean sum_mulr.
rewrite (eq_bigr (fun r => \sum_(t < length_of D i | nth 0%nat (st i) t == r) K t * H (nth 0%nat (st i) t))) => [|r _].
  rewrite (sum_classes (fun t => K t * H (nth 0%nat (st i) t)) (stands_size i) divided).
  by apply: eq_bigr => t _; rewrite GH count.
by apply: eq_bigr => t /eqP ->.
Qed.

(* A sum over a group's tokens is one over their numbers. *)
Lemma group_tokens (E : token_data N) (F : token (problem E) -> R) (i : data_group E) :
  \sum_(t : token (problem E) | group_of t == i) F t = \sum_(s : 'I_(length_of E i)) F (token_of s).
Proof.
rewrite big_mkcond (@sum_tokens N E) (bigD1 i) //= [X in _ + X]big1 ?Rplus_0_r => [|j ji].
  by apply: eq_bigr => s _; rewrite eqxx.
by rewrite big1 // => s _; rewrite (negbTE ji).
Qed.

Section At.
Variable w : vec (coord (problem D)).
Notation row_logit i r := (\sum_(jk : coord (problem D)) (entry2 (token_rows (seq_of i)) r jk.1 / real (token_unit D) *
                             (entry (query_row (seq_of i)) jk.2 / real (query_unit D))) * w jk).

Lemma merged_normaliser i :
  \sum_(t : token (problem M) | group_of t == in_merged i) unnormalised (w : vec (coord (problem M))) t =
  \sum_(t : token (problem D) | group_of t == i) unnormalised w t.
Proof.
have FH (s : 'I_(length_of M (in_merged i))) : exp (logit (w : vec (coord (problem M))) (token_of s)) =
    exp (row_logit i (nth 0%nat (representatives_of (st i)) s)) by rewrite class_logit.
have GH (t : 'I_(length_of D i)) : exp (logit w (token_of t)) = exp (row_logit i (nth 0%nat (st i) t)).
  by rewrite token_logit.
have [E _] := @sum_by_counts i (fun t => exp (logit (w : vec (coord (problem M))) t)) (fun t => exp (logit w t))
  (fun r => exp (row_logit i r)) FH GH.
by rewrite !group_tokens; exact: E.
Qed.

(* Sums of attention, and of attention times score, times what depends on the row alone. *)
Lemma merged_attention i (F : token (problem M) -> R) (G : token (problem D) -> R) (H : nat -> R) :
  (forall s : 'I_(length_of M (in_merged i)), F (token_of s) = H (nth 0%nat (representatives_of (st i)) s)) ->
  (forall t : 'I_(length_of D i), G (token_of t) = H (nth 0%nat (st i) t)) ->
  \sum_(t : token (problem M) | group_of t == in_merged i) attention (w : vec (coord (problem M))) t * F t =
    \sum_(t : token (problem D) | group_of t == i) attention w t * G t /\
  \sum_(t : token (problem M) | group_of t == in_merged i) attention (w : vec (coord (problem M))) t * score t * F t =
    \sum_(t : token (problem D) | group_of t == i) attention w t * score t * G t.
Proof.
move=> FH GH; pose Z := \sum_(t : token (problem D) | group_of t == i) unnormalised w t.
have at_class (t : token (problem M)) : group_of t = in_merged i ->
    attention (w : vec (coord (problem M))) t = multiplicity t * (exp (logit (w : vec (coord (problem M))) t) / Z).
  by move=> ti; rewrite /attention ti merged_normaliser /unnormalised /Rdiv Rmult_assoc.
have at_token (t : token (problem D)) : group_of t = i -> attention w t = multiplicity t * (exp (logit w t) / Z).
  by move=> ti; rewrite /attention ti /unnormalised /Rdiv Rmult_assoc.
have FE (s : 'I_(length_of M (in_merged i))) : exp (logit (w : vec (coord (problem M))) (token_of s)) / Z * F (token_of s) =
    exp (row_logit i (nth 0%nat (representatives_of (st i)) s)) / Z * H (nth 0%nat (representatives_of (st i)) s).
  by rewrite class_logit FH.
have GE (t : 'I_(length_of D i)) : exp (logit w (token_of t)) / Z * G (token_of t) =
    exp (row_logit i (nth 0%nat (st i) t)) / Z * H (nth 0%nat (st i) t) by rewrite token_logit GH.
have [E1 E2] := @sum_by_counts i (fun t => exp (logit (w : vec (coord (problem M))) t) / Z * F t)
  (fun t => exp (logit w t) / Z * G t) (fun r => exp (row_logit i r) / Z * H r) FE GE.
split; rewrite !group_tokens.
- transitivity (\sum_(s : 'I_(length_of M (in_merged i))) multiplicity (token_of s : token (problem M)) *
    (exp (logit (w : vec (coord (problem M))) (token_of s : token (problem M))) / Z * F (token_of s))).
    by apply: eq_bigr => s _; rewrite at_class // Rmult_assoc.
  by rewrite E1; apply: eq_bigr => t _; rewrite at_token // Rmult_assoc.
transitivity (\sum_(s : 'I_(length_of M (in_merged i))) multiplicity (token_of s : token (problem M)) *
  score (token_of s : token (problem M)) *
  (exp (logit (w : vec (coord (problem M))) (token_of s : token (problem M))) / Z * F (token_of s))).
  by apply: eq_bigr => s _; rewrite at_class //; ring.
by rewrite E2; apply: eq_bigr => t _; rewrite at_token //; ring.
Qed.

(* A model's output for a group is that of the merged data. *)
Theorem merged_output i : output (w : vec (coord (problem M))) (in_merged i) = output w i.
Proof.
have [_ E] := @merged_attention i (fun=> 1) (fun=> 1) (fun=> 1) (fun=> erefl) (fun=> erefl).
rewrite /output (eq_bigr (fun t => attention (w : vec (coord (problem M))) t * score t * 1)) => [|t _]; last by ring.
by rewrite E; apply: eq_bigr => t _; ring.
Qed.
End At.

Lemma sum_merged_groups (F : data_group M -> R) : \sum_i F i = \sum_i F (in_merged i).
Proof.
rewrite (reindex in_merged) //=; exists (cast_ord (size_map (merged_sequence S) (sequences D))) => j _; exact: val_inj.
Qed.

Lemma merged_weight i : weight (s := problem M) (in_merged i) = weight (s := problem D) i.
Proof. by rewrite /= /mean_weight !card_ord size_map. Qed.

Theorem merged_loss l w : training_loss l (w : vec (coord (problem M))) = training_loss l w.
Proof. by rewrite /training_loss sum_merged_groups; apply: eq_bigr => i _; rewrite merged_weight merged_output. Qed.

Theorem merged_gradient l w : gradient l (w : vec (coord (problem M))) = gradient l w.
Proof.
apply: vec_ext => jk; rewrite !gradient_outputs /combine sum_merged_groups; apply: eq_bigr => i _.
rewrite merged_weight merged_output /output_gradient /combine; congr (_ * _).
have [E1 E2] := @merged_attention w i (fun t => feature t jk) (fun t => feature t jk)
  (fun r => entry2 (token_rows (seq_of i)) r jk.1 / real (token_unit D) *
            (entry (query_row (seq_of i)) jk.2 / real (query_unit D)))
  (fun s => class_feature s jk) (fun t => token_feature t jk).
rewrite (eq_bigr (fun t => attention (w : vec (coord (problem M))) t * score t * feature t jk -
  output w i * (attention (w : vec (coord (problem M))) t * feature t jk))) => [|t _].
  rewrite sumB -sum_mull E1 E2 sum_mull -sumB; apply: eq_bigr => t _; ring.
by rewrite merged_output; ring.
Qed.

(* A run of the one is a run of the other. *)
Theorem merged_run l least r eta (start : vec (coord (problem D))) t :
  iterate l least r eta (start : vec (coord (problem M))) t = iterate l least r eta start t.
Proof.
elim: t => //= t IH; rewrite IH; set v := iterate _ _ _ _ _ t.
by rewrite /moved /step_factor merged_gradient merged_loss.
Qed.
End T18.
