(* TextData: sentences of token ids, and each stage of next-token prediction on them as an instance (GRAMMAR.md section
   2).

   A sentence x, y of two tokens says that y is next to x. A longer one asks: its tokens before the last, each once,
   compete for the attention of the last of them, and the one that the sentence's last token is next to is to be
   selected. In the feed-forward stage all tokens compete as outputs, for each token that has one next to it. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Number Rows Elementary TokenData Instances.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section TextData.
Variable N : number.

Record text := Text {
  text_sentences : seq (seq nat);
  text_embeddings : option (seq (seq N) * N)   (* a row for each id, and their denominator; None: one-hot *)
}.

Inductive stage := FeedForwardStage | AttentionStage.

(* ---- sentences ---- *)

Implicit Types (s : seq nat) (pairs : seq (nat * nat)) (T : text).

Definition said_pair s : option (nat * nat) := if s is [:: x; y] then Some (x, y) else None.
Definition said_pairs T : seq (nat * nat) := pmap said_pair (text_sentences T).

(* Next to a token is one, and it is next to no other. *)
Definition pairs_ok pairs : bool := all (fun p => all (fun q => (p.1 == q.1) == (p.2 == q.2)) pairs) pairs.

Definition long_sentences T : seq (seq nat) := [seq s <- text_sentences T | (2 < size s)%nat].
Definition last_id s : nat := last 0%nat s.
Definition context s : seq nat := take (size s).-1 s.
Definition query_id s : nat := last_id (context s).
(* In the order in which they first come. *)
Definition context_ids s : seq nat := rev (undup (rev (context s))).
Definition answers pairs s (x : nat) : bool := (x, last_id s) \in pairs.
(* How often each of them stands there. *)
Definition context_counts s : seq N := [seq of_natural N (count_mem x (context s)) | x <- context_ids s].

Definition paired_ids pairs : seq nat := sort leq (undup [seq p.1 | p <- pairs]).
Definition next_id pairs (x : nat) : nat := (nth (0%nat, 0%nat) pairs (find (fun p => p.1 == x) pairs)).2.

Definition vocabulary T : nat :=
  if text_embeddings T is Some (rows, _) then size rows else (foldl maxn 0%nat (flatten (text_sentences T))).+1.

Definition sentence_fits (V : nat) pairs s : bool :=
  [&& (1 < size s)%nat, all (fun x => x < V)%nat s & (size s == 2)%nat || has (answers pairs s) (context s)].

Definition text_ok T : bool :=
  let pairs := said_pairs T in
  let V := vocabulary T in pairs_ok pairs && all (sentence_fits V pairs) (text_sentences T).

(* ---- the stages ---- *)

(* Numerators and denominators are those given times `scale`: the same numbers, with room for rounding in integers. *)
Variable scale : N.

Definition unit_row (V x : nat) : seq N := mkseq (fun j => if (j == x)%nat then scale else zero) V.
Definition unit_rows (V : nat) : seq (seq N) := mkseq (unit_row V) V.

Definition embeddings T : seq (seq N) :=
  if text_embeddings T is Some (rows, _) then [seq [seq mul scale a | a <- row] | row <- rows]
  else unit_rows (vocabulary T).
Definition embeddings_unit T : N := if text_embeddings T is Some (_, unit) then mul scale unit else scale.

Definition attention_instance T : instance N :=
  let pairs := said_pairs T in
  let rows := embeddings T in
  let asking := long_sentences T in
  {| tokens := [seq [seq nth [::] rows x | x <- context_ids s] | s <- asking];
     tokens_unit := embeddings_unit T;
     token_scoring := TargetTokens N [seq find (answers pairs s) (context_ids s) | s <- asking];
     attention_model := CrossAttention [seq nth [::] rows (query_id s) | s <- asking] (embeddings_unit T);
     token_counts := [seq context_counts s | s <- asking] |}.

Definition feed_forward_instance T : instance N :=
  let pairs := said_pairs T in
  let rows := embeddings T in
  let asking := paired_ids pairs in
  {| tokens := nseq (size asking) (unit_rows (vocabulary T));
     tokens_unit := scale;
     token_scoring := TargetTokens N [seq next_id pairs x | x <- asking];
     attention_model := CrossAttention [seq nth [::] rows x | x <- asking] (embeddings_unit T);
     token_counts := [::] |}.

Definition stage_instance T (which : stage) : instance N :=
  if which is AttentionStage then attention_instance T else feed_forward_instance T.

(* ---- what they are ---- *)

(* E_x *)
Definition embedding T (x j : nat) : R := entry2 (embeddings T) x j / real (embeddings_unit T).

Lemma nth_unit_row V x j : entry (unit_row V x) j = if (j < V)%nat && (j == x)%nat then real scale else 0.
Proof.
rewrite /entry; case: (ltnP j V) => jV; last by rewrite nth_default ?size_mkseq ?real0.
by rewrite nth_mkseq //=; case: eqP => _; rewrite ?real0.
Qed.

Theorem one_hot_embedding T x j : text_embeddings T = None -> real scale <> 0 -> (x < vocabulary T)%nat ->
  embedding T x j = if (j == x)%nat then 1 else 0.
Proof.
move=> E s0 xV; rewrite /embedding /embeddings /embeddings_unit E /entry2 nth_mkseq // nth_unit_row.
case: eqP => [->|_]; rewrite ?xV ?andbF /=; first by field.
by rewrite /Rdiv Rmult_0_l.
Qed.

Theorem given_embedding T rows unit x j : text_embeddings T = Some (rows, unit) -> real scale <> 0 ->
  real unit <> 0 -> embedding T x j = entry2 rows x j / real unit.
Proof.
move=> E s0 u0; rewrite /embedding /embeddings /embeddings_unit E realM.
suff -> : entry2 [seq [seq mul scale a | a <- row] | row <- rows] x j = real scale * entry2 rows x j by field.
rewrite /entry2; case: (ltnP x (size rows)) => xl; last by rewrite !nth_default ?size_map // !entry_nil Rmult_0_r.
rewrite (nth_map [::]) // /entry; set row := nth [::] rows x.
case: (ltnP j (size row)) => jl; last by rewrite !nth_default ?size_map // real0 Rmult_0_r.
by rewrite (nth_map zero) // realM.
Qed.

Lemma find_unique (p : pred nat) (xs : seq nat) t : uniq xs -> (t < size xs)%nat ->
  (forall x y, p x -> p y -> x = y) -> (t == find p xs)%nat = p (nth 0%nat xs t).
Proof.
move=> U tl only; apply/eqP/idP => [E | pt].
  by rewrite E; apply: nth_find; rewrite has_find -E.
have hp : has p xs by apply/hasP; exists (nth 0%nat xs t) => //; exact: mem_nth.
apply/eqP; rewrite -(nth_uniq 0%nat tl _ U) -?has_find //.
by apply/eqP; apply: only => //; exact: nth_find.
Qed.

Section Sentences.
Variable T : text.
Hypothesis Tok : text_ok T.
Let pairs := said_pairs T.

(* Next to a token is one, and it is next to no other. *)
Lemma pairs_injective x y x' y' : (x, y) \in pairs -> (x', y') \in pairs -> (x == x') = (y == y').
Proof.
by case/andP: Tok => /allP H _ xy xy'; have /allP/(_ _ xy')/eqP := H _ xy.
Qed.

Section Attention.
Let I := attention_instance T.
Hypothesis Iok : instance_ok I.
Implicit Types (t : token (problem (token_data_of I))).
Definition asked_sentence t : seq nat := nth [::] (long_sentences T) (tag (t : data_token (token_data_of I))).

(* The token's id. *)
Definition attended_id t : nat := nth 0%nat (context_ids (asked_sentence t))
  (tagged (t : data_token (token_data_of I))).

Lemma asked_lt t : (tag (t : data_token (token_data_of I)) < size (long_sentences T))%nat.
Proof.
by apply: leq_trans (ltn_ord _) _; rewrite sequences_size size_map.
Qed.

Lemma attended_lt t : (tagged (t : data_token (token_data_of I)) < size (context_ids (asked_sentence t)))%nat.
Proof.
apply: leq_trans (ltn_ord _) _.
by rewrite /length_of sequence_at_of ?size_map ?asked_lt //= /feature_rows /= (nth_map [::]) ?asked_lt // size_map.
Qed.

(* Token x of a sentence with query q has the logit E_x' W E_q. *)
Theorem attention_logit (w : vec (coord (problem (token_data_of I)))) t :
  logit w t = \sum_(j : 'I_(left_dimension (token_data_of I))) \sum_(k : 'I_(right_dimension (token_data_of I)))
                embedding T (attended_id t) j * w (j, k) * embedding T (query_id (asked_sentence t)) k.
Proof.
rewrite logit_meaning; apply: eq_bigr => j _; apply: eq_bigr => k _.
rewrite /row_meaning /query_meaning /feature_rows /query_of /= !(nth_map [::]) ?asked_lt //.
by rewrite /entry2 (nth_map 0%nat) ?attended_lt.
Qed.

(* Its score is 1 when the sentence's last token is next to it, else 0. *)
Theorem attention_score t : score t = if (attended_id t, last_id (asked_sentence t)) \in pairs then 1 else 0.
Proof.
rewrite (score_meaning Iok) /score_value /= (nth_map [::]) ?asked_lt // find_unique ?attended_lt //.
  by rewrite rev_uniq undup_uniq.
by move=> x y ax ay; apply/eqP; rewrite (pairs_injective ax ay).
Qed.

(* It stands as often as its sentence has it before the last token. *)
Theorem attention_count t : multiplicity t = INR (count_mem (attended_id t) (context (asked_sentence t))).
Proof.
rewrite (count_meaning Iok) /instance_count.
have -> : nilp (token_counts I) = false.
  by rewrite /nilp size_map; apply: gtn_eqF; exact: leq_ltn_trans (leq0n _) (asked_lt t).
by rewrite /entry2 /= (nth_map [::]) ?asked_lt // /entry (nth_map 0%nat) ?attended_lt // of_natural_real.
Qed.
End Attention.

Section FeedForward.
Let I := feed_forward_instance T.
Hypothesis Iok : instance_ok I.
Implicit Types (t : token (problem (token_data_of I))).
Definition input_id t : nat := nth 0%nat (paired_ids pairs) (tag (t : data_token (token_data_of I))).
Definition output_id t : nat := tagged (t : data_token (token_data_of I)).

Lemma input_lt t : (tag (t : data_token (token_data_of I)) < size (paired_ids pairs))%nat.
Proof.
by apply: leq_trans (ltn_ord _) _; rewrite sequences_size size_nseq.
Qed.

Lemma output_lt t : (output_id t < vocabulary T)%nat.
Proof.
apply: leq_trans (ltn_ord _) _.
by rewrite /length_of sequence_at_of ?size_nseq ?input_lt //= /feature_rows /= nth_nseq input_lt size_mkseq.
Qed.

(* Output u of token x has the logit e_u' W E_x. *)
Theorem feed_forward_logit (w : vec (coord (problem (token_data_of I)))) t :
  logit w t = \sum_(j : 'I_(left_dimension (token_data_of I))) \sum_(k : 'I_(right_dimension (token_data_of I)))
                (if (j == output_id t :> nat)%nat then 1 else 0) * w (j, k) * embedding T (input_id t) k.
Proof.
have s0 : real scale <> 0 by have /and5P[_ _ _ _ /and4P[/lt_real]] := Iok; rewrite real0 /=; lra.
rewrite logit_meaning; apply: eq_bigr => j _; apply: eq_bigr => k _.
rewrite /row_meaning /query_meaning /feature_rows /query_of /= (nth_map 0%nat) ?input_lt //.
rewrite nth_nseq input_lt /entry2 nth_mkseq ?output_lt // nth_unit_row /Rdiv.
have jV : (j < vocabulary T)%nat.
  apply: leq_trans (ltn_ord j) _; rewrite /= /feature_rows /= nth_nseq (leq_ltn_trans (leq0n _) (input_lt t)).
  by rewrite nth_mkseq ?size_mkseq ?(leq_ltn_trans (leq0n _) (output_lt t)).
by rewrite jV /=; case: eqP => _; [rewrite Rinv_r | rewrite Rmult_0_l].
Qed.

(* Its score is 1 when u is next to x, else 0. *)
Theorem feed_forward_score t : score t = if (input_id t, output_id t) \in pairs then 1 else 0.
Proof.
rewrite (score_meaning Iok) /score_value /= (nth_map 0%nat) ?input_lt // -/(input_id t) -/(output_id t).
have : input_id t \in [seq p.1 | p <- pairs].
  by rewrite -mem_undup -(mem_sort leq) /input_id mem_nth // input_lt.
case/mapP=> -[x y] xy /= E; have hp : has (fun p => p.1 == input_id t) pairs by apply/hasP; exists (x, y);
  rewrite //= E.
have := nth_find (0%nat, 0%nat) hp; have := mem_nth (0%nat, 0%nat) (etrans (esym (has_find _ _)) hp).
rewrite /next_id; case: (nth _ pairs _) => x' y' /= xy' /eqP E'; rewrite -E'.
case: (eqVneq (output_id t) y') => [-> | ne]; first by rewrite xy'.
by case: ifP => // other; have := pairs_injective xy' other; rewrite eqxx => /esym/eqP e; rewrite e eqxx in ne.
Qed.
End FeedForward.
End Sentences.
End TextData.
