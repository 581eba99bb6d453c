(* MergedTokens: T18, merging equal tokens changes nothing of the model.

   The data of the classes and the data of all tokens have the same outputs, the same training loss, the same gradient
   and the same runs, as functions of W. So what is proved of merged data holds of the user's. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith FunctionalExtensionality.
From Attest Require Import Euclid Selection Gradient Iteration Number Rows TokenData EqualTokens Instances.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- rows ---- *)

Section EqualRows.
Variable N : number.
Implicit Types (r : seq N).

Lemma equal_numbers_real (a b : N) : equal_numbers a b -> real a = real b.
Proof. by case/andP=> /le_real h1 /le_real h2; lra. Qed.

Lemma equal_entries r r' : equal_rows r r' -> entry r = entry r'.
Proof.
move=> E; apply: functional_extensionality; elim: r r' E => [|a r IH] [|b r'] //= /and3P[ab ba E] [|j].
  by apply: (@equal_numbers_real a b); rewrite /equal_numbers ab ba.
by rewrite /entry /= -!/(entry _ _) (IH _ E).
Qed.
End EqualRows.

(* ---- stretches ---- *)

Lemma flatten_stretches (A : Type) (alike : rel A) s : flatten (stretches alike s) = s.
Proof. by elim: s => //= a s; case: stretches => [|[|b c] cs] /= <- //; case: ifP. Qed.

Lemma stretches_not_empty (A : Type) (alike : rel A) s : all (fun c => ~~ nilp c) (stretches alike s).
Proof. by elim: s => //= a s; case: stretches => [|[|b c] cs] //=; case: ifP. Qed.

Lemma stretches_map (A B : Type) (f : A -> B) (alike : rel B) s :
  stretches alike [seq f a | a <- s] = [seq [seq f a | a <- c] | c <- stretches (relpre f alike) s].
Proof. by elim: s => //= a s ->; case: stretches => [|[|b c] cs] //=; case: ifP. Qed.

(* What alike elements have in common a stretch has. *)
Lemma stretch_alike (A : eqType) (B : Type) (h : A -> B) (alike : rel A) s :
  (forall a b, alike a b -> h a = h b) ->
  forall c, c \in stretches alike s -> forall a b, a \in c -> b \in c -> h a = h b.
Proof.
move=> H; elim: s => //= x s IH; have alone a b : a \in [:: x] -> b \in [:: x] -> h a = h b.
  by rewrite !inE => /eqP -> /eqP ->.
case: stretches IH => [|[|y d] cs] IH c /=; first by rewrite inE => /eqP -> a b; exact: alone.
  by rewrite inE => /orP[/eqP -> | /IH] // a b; exact: alone.
case: ifP => [/H xy | _]; rewrite inE => /orP[/eqP -> | cc] a b.
- have to_y z : z \in x :: y :: d -> h z = h y.
    rewrite inE => /orP[/eqP -> // | zd]; apply: (IH (y :: d)) zd _; first by rewrite inE eqxx.
    by rewrite inE eqxx.
  by move=> /to_y -> /to_y ->.
- by apply: IH; rewrite inE cc orbT.
- exact: alone.
exact: IH.
Qed.

(* ---- classes ---- *)

Section Classes.
Variables (N : number) (q : sequence N).
Notation rows := (token_rows q).
Implicit Types (c : seq nat) (counts scores : seq N).

Definition member_at (t : nat) : member N :=
  Member (nth [::] rows t) t (nth zero (count_row q) t) (nth zero (score_row q) t).

Lemma members_at : members q = [seq member_at t | t <- iota 0 (size rows)].
Proof.
rewrite /members /member_at -[iota 0 _]map_id -map_comp.
have H p (rs : seq (seq N)) counts scores : members_from p rs counts scores =
    [seq Member (nth [::] rs t) (p + t)%nat (nth zero counts t) (nth zero scores t) | t <- iota 0 (size rs)].
  elim: rs p counts scores => //= r rs IH p counts scores; rewrite IH addn0 !nth0 (iotaDl 1 0) -map_comp.
  by congr cons; apply: eq_map => t /=; rewrite !nth_behead addSnnS.
by rewrite H.
Qed.

(* The classes, as places in the sequence. *)
Definition class_places : seq (seq nat) :=
  sort (relpre (map member_at) (@stands_first N))
    (stretches (relpre member_at (@rows_equal N)) (sort (relpre member_at (@row_first N)) (iota 0 (size rows)))).

Lemma classes_at : classes q = [seq [seq member_at t | t <- c] | c <- class_places].
Proof. by rewrite /classes members_at sort_map stretches_map sort_map. Qed.

(* Each token is in one class, once. *)
Lemma places_once : perm_eq (flatten class_places) (iota 0 (size rows)).
Proof.
apply: (perm_trans (perm_flatten (permEl (perm_sort _ _)))).
by rewrite flatten_stretches; apply: permEl; exact: perm_sort.
Qed.

Lemma class_stands c : c \in class_places -> head 0%nat c \in c.
Proof.
rewrite mem_sort => /(allP (stretches_not_empty _ _)); case: c => //= t c _; exact: mem_head.
Qed.

Lemma class_rows c t u : c \in class_places -> t \in c -> u \in c -> entry2 rows t = entry2 rows u.
Proof.
by rewrite mem_sort => cc; apply: (stretch_alike (h := entry2 rows) _ cc) => a b; exact: equal_entries.
Qed.

Lemma sum_classes (F : nat -> R) : \sum_(c <- class_places) \sum_(t <- c) F t = \sum_(t < size rows) F t.
Proof. by rewrite -big_flatten (perm_big _ places_once) -(big_mkord xpredT F) /index_iota subn0. Qed.

Lemma sum_counts c : real (sum_row (counts_in [seq member_at t | t <- c])) = \sum_(t <- c) entry (count_row q) t.
Proof.
rewrite sum_row_real !size_map [RHS](big_nth 0%nat) big_mkord; apply: eq_bigr => k _.
by rewrite /counts_in -map_comp /entry (nth_map 0%nat).
Qed.

Lemma dot_counts c : real (dot_rows (counts_in [seq member_at t | t <- c]) (scores_in [seq member_at t | t <- c])) =
  \sum_(t <- c) entry (count_row q) t * entry (score_row q) t.
Proof.
rewrite (@dot_rows_real _ _ _ (size c)) ?size_map // [RHS](big_nth 0%nat) big_mkord; apply: eq_bigr => k _.
by rewrite /counts_in /scores_in -!map_comp /entry !(nth_map 0%nat).
Qed.

Lemma agreeing_scores scores t : scores_agree scores -> (t < size scores)%nat ->
  entry scores t = real (head zero scores).
Proof.
case: scores t => [|g s] [|t] //= H; rewrite ltnS => tl; rewrite /entry /=.
by have := equal_numbers_real (all_nthP zero H t tl).
Qed.

(* The mean, as an equation. *)
Lemma class_score_real (scale : N) counts scores : size counts = size scores ->
  scores_agree scores || count_divides (sum_row counts) scale ->
  real (sum_row counts) * real (class_score scale counts scores) = real scale * real (dot_rows counts scores).
Proof.
move=> sz; rewrite /class_score; case: ifP => [agree _ | _]; last first.
  rewrite orFb => /same_real; rewrite !realM => <-; ring.
rewrite realM (@dot_rows_real _ _ _ (size counts)) //.
rewrite [X in _ = _ * X](eq_bigr (fun t : 'I_(size counts) => entry counts t * real (head zero scores))) => [|t _].
  by rewrite -sum_mulr -sum_row_real; ring.
by rewrite (agreeing_scores agree) // -sz.
Qed.
End Classes.

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
Notation rows_of i := (token_rows (seq_of i)).
Notation places i := (class_places (seq_of i)).

Lemma merged_length i : length_of M (in_merged i) = size (places i).
Proof. by rewrite /length_of merged_at /= classes_at !size_map. Qed.

(* A sum over the tokens of a merged group is one over the classes. *)
Lemma sum_merged (F : token (problem M) -> R) (G : seq nat -> R) i :
  (forall s : 'I_(length_of M (in_merged i)), F (token_of s) = G (nth [::] (places i) s)) ->
  \sum_(s : 'I_(length_of M (in_merged i))) F (token_of s) = \sum_(c <- places i) G c.
Proof.
move=> E; rewrite (eq_bigr _ (fun s _ => E s)) [RHS](big_nth [::]) big_mkord.
by rewrite -merged_length.
Qed.

Section AtClass.
Variables (i : data_group D) (s : 'I_(length_of M (in_merged i))).
Notation c := (nth [::] (places i) s).
Notation class := [seq member_at (seq_of i) t | t <- c].

Lemma class_lt : (s < size (places i))%nat.
Proof. by rewrite -merged_length; exact: ltn_ord. Qed.

Lemma class_in : c \in places i.
Proof. exact: mem_nth class_lt. Qed.

Lemma over_classes (A : Type) (a0 : A) (f : seq (member N) -> A) :
  nth a0 [seq f c | c <- classes (seq_of i)] s = f class.
Proof. by rewrite classes_at -map_comp (nth_map [::]) //; exact: class_lt. Qed.

Lemma class_row : nth [::] (token_rows (sequence_at M (in_merged i))) s = nth [::] (rows_of i) (head 0%nat c).
Proof. by rewrite merged_at over_classes; case: c (class_stands class_in). Qed.

Lemma class_count : multiplicity (token_of s : token (problem M)) = \sum_(t <- c) entry (count_row (seq_of i)) t.
Proof.
rewrite (multiplicity_count MDok) -[count_value _]/(entry (count_row (sequence_at M (in_merged i))) s) merged_at.
by rewrite /entry over_classes sum_counts.
Qed.

Lemma class_score_value : score (token_of s : token (problem M)) =
  real (class_score S (counts_in class) (scores_in class)) / (real S * real (score_unit D)).
Proof.
rewrite -[score _]/(entry (score_row (sequence_at M (in_merged i))) s / real (mul S (score_unit D))) merged_at realM.
by rewrite /entry over_classes.
Qed.

Lemma class_feature jk : feature (token_of s : token (problem M)) jk =
  entry2 (rows_of i) (head 0%nat c) jk.1 / real (token_unit D) *
  (entry (query_row (seq_of i)) jk.2 / real (query_unit D)).
Proof.
rewrite -[feature _ _]/(entry2 (token_rows (sequence_at M (in_merged i))) s jk.1 / real (token_unit D) *
  (entry (query_row (sequence_at M (in_merged i))) jk.2 / real (query_unit D))).
by rewrite /entry2 class_row merged_at.
Qed.

Lemma class_logit w : logit (w : vec (coord (problem M))) (token_of s : token (problem M)) =
  \sum_(jk : coord (problem D)) (entry2 (rows_of i) (head 0%nat c) jk.1 / real (token_unit D) *
           (entry (query_row (seq_of i)) jk.2 / real (query_unit D))) * w jk.
Proof. by rewrite /logit /dot; apply: eq_bigr => jk _; rewrite class_feature. Qed.

Lemma class_mean : multiplicity (token_of s : token (problem M)) * score (token_of s : token (problem M)) =
  \sum_(t <- c) entry (count_row (seq_of i)) t * (entry (score_row (seq_of i)) t / real (score_unit D)).
Proof.
have /andP[/lt_real S0 exact_means] := Mok; rewrite real0 in S0; have u0 := score_unit_gt0 Dok.
have ok : mean_exact S class.
  have all_exact : all (mean_exact S) (classes (seq_of i)) := all_nthP (no_sequence N) exact_means i (ltn_ord i).
  by move: all_exact; rewrite classes_at all_map => /allP/(_ _ class_in).
have sz : size (counts_in class) = size (scores_in class) by rewrite /counts_in /scores_in !size_map.
have E := class_score_real sz ok; rewrite dot_counts sum_counts in E.
rewrite class_count class_score_value.
transitivity ((\sum_(t <- c) entry (count_row (seq_of i)) t * entry (score_row (seq_of i)) t) / real (score_unit D)).
  by rewrite /Rdiv -Rmult_assoc E; field; lra.
by rewrite /Rdiv sum_mulr; apply: eq_bigr => t _; rewrite Rmult_assoc.
Qed.
End AtClass.

Lemma token_feature i (t : 'I_(length_of D i)) jk : feature (token_of t : token (problem D)) jk =
  entry2 (rows_of i) t jk.1 / real (token_unit D) * (entry (query_row (seq_of i)) jk.2 / real (query_unit D)).
Proof. by []. Qed.

Lemma token_logit w i (t : 'I_(length_of D i)) : logit w (token_of t : token (problem D)) =
  \sum_(jk : coord (problem D)) (entry2 (rows_of i) t jk.1 / real (token_unit D) *
           (entry (query_row (seq_of i)) jk.2 / real (query_unit D))) * w jk.
Proof. by []. Qed.

(* Sums over the classes of their multiplicity, and of multiplicity and score, times what depends on the row alone. *)
Lemma sum_by_counts i (F : token (problem M) -> R) (G : token (problem D) -> R) (H : (nat -> R) -> R) :
  (forall s : 'I_(length_of M (in_merged i)),
     F (token_of s) = H (entry2 (rows_of i) (head 0%nat (nth [::] (places i) s)))) ->
  (forall t : 'I_(length_of D i), G (token_of t) = H (entry2 (rows_of i) t)) ->
  \sum_(s : 'I_(length_of M (in_merged i))) multiplicity (token_of s : token (problem M)) * F (token_of s) =
    \sum_(t : 'I_(length_of D i)) multiplicity (token_of t : token (problem D)) * G (token_of t) /\
  \sum_(s : 'I_(length_of M (in_merged i))) multiplicity (token_of s : token (problem M)) *
      score (token_of s : token (problem M)) * F (token_of s) =
    \sum_(t : 'I_(length_of D i)) multiplicity (token_of t : token (problem D)) *
      score (token_of t : token (problem D)) * G (token_of t).
Proof.
move=> FH GH.
have by_classes (K : nat -> R) (P : token (problem M) -> R) :
    (forall s : 'I_(length_of M (in_merged i)), P (token_of s) =
       (\sum_(t <- nth [::] (places i) s) K t) * H (entry2 (rows_of i) (head 0%nat (nth [::] (places i) s)))) ->
    \sum_(s : 'I_(length_of M (in_merged i))) P (token_of s) =
    \sum_(t < length_of D i) K t * H (entry2 (rows_of i) t).
  move=> PK; rewrite -(sum_classes (seq_of i) (fun t => K t * H (entry2 (rows_of i) t))).
  apply: sum_merged => s; rewrite PK sum_mulr; have mem := class_in s.
  by apply: eq_big_seq => t tc; rewrite (class_rows mem (class_stands mem) tc).
have count (t : 'I_(length_of D i)) :
    multiplicity (token_of t : token (problem D)) = entry (count_row (seq_of i)) t.
  by rewrite (multiplicity_count Dok).
split.
- apply: (etrans (by_classes (entry (count_row (seq_of i))) (fun t => multiplicity t * F t) _)) => [s | ].
    by rewrite class_count FH.
  by apply: eq_bigr => t _; rewrite GH count.
apply: (etrans (by_classes
  (fun t => entry (count_row (seq_of i)) t * (entry (score_row (seq_of i)) t / real (score_unit D)))
  (fun t => multiplicity t * score t * F t) _)) => [s | ]; first by rewrite class_mean FH.
by apply: eq_bigr => t _; rewrite GH count.
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
Notation row_logit i row := (\sum_(jk : coord (problem D)) (row jk.1 / real (token_unit D) *
                               (entry (query_row (seq_of i)) jk.2 / real (query_unit D))) * w jk).
Notation first_row_of i s := (entry2 (rows_of i) (head 0%nat (nth [::] (places i) s))).

Lemma merged_normaliser i :
  \sum_(t : token (problem M) | group_of t == in_merged i) unnormalised (w : vec (coord (problem M))) t =
  \sum_(t : token (problem D) | group_of t == i) unnormalised w t.
Proof.
have FH (s : 'I_(length_of M (in_merged i))) : exp (logit (w : vec (coord (problem M))) (token_of s)) =
    exp (row_logit i (first_row_of i s)) by rewrite class_logit.
have GH (t : 'I_(length_of D i)) : exp (logit w (token_of t)) = exp (row_logit i (entry2 (rows_of i) t)).
  by rewrite token_logit.
have [E _] := @sum_by_counts i (fun t => exp (logit (w : vec (coord (problem M))) t)) (fun t => exp (logit w t))
  (fun row => exp (row_logit i row)) FH GH.
by rewrite !group_tokens; exact: E.
Qed.

(* Sums of attention, and of attention times score, times what depends on the row alone. *)
Lemma merged_attention i (F : token (problem M) -> R) (G : token (problem D) -> R) (H : (nat -> R) -> R) :
  (forall s : 'I_(length_of M (in_merged i)), F (token_of s) = H (first_row_of i s)) ->
  (forall t : 'I_(length_of D i), G (token_of t) = H (entry2 (rows_of i) t)) ->
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
have FE (s : 'I_(length_of M (in_merged i))) :
    exp (logit (w : vec (coord (problem M))) (token_of s)) / Z * F (token_of s) =
    exp (row_logit i (first_row_of i s)) / Z * H (first_row_of i s).
  by rewrite class_logit FH.
have GE (t : 'I_(length_of D i)) : exp (logit w (token_of t)) / Z * G (token_of t) =
    exp (row_logit i (entry2 (rows_of i) t)) / Z * H (entry2 (rows_of i) t) by rewrite token_logit GH.
have [E1 E2] := @sum_by_counts i (fun t => exp (logit (w : vec (coord (problem M))) t) / Z * F t)
  (fun t => exp (logit w t) / Z * G t) (fun row => exp (row_logit i row) / Z * H row) FE GE.
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
  (fun row => row jk.1 / real (token_unit D) * (entry (query_row (seq_of i)) jk.2 / real (query_unit D)))
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

(* The data that the claims about an instance speak of: equal tokens of a sequence are one. *)
Definition data_of (N : number) (I : instance N) : token_data N := merged (token_data_of I).
