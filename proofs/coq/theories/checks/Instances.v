(* Instances: dataset instances as a checker receives them, and the token data they define.

   X, then Y and v, the scores themselves or another head, one of keys, queries or a query token, and how often each
   token stands in its sequence, as integers with one denominator per array. token_data_of builds the selection problem
   of theory.md section 0, token by token: features by setting, scores Y_i <v, x_it> or as given. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Number Rows TokenData.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Instances.
Variable N : number.

Inductive query_token :=
| FromStart (k : nat)                                        (* token k of every sequence, the first is 0 *)
| FromEnd (k : nat).                                         (* the k-th from the end, the last is 1 *)

Inductive model :=
| Prompt (keys : seq (seq (seq N))) (key_unit : N)           (* K, one row per token *)
| CrossAttention (queries : seq (seq N)) (query_unit : N)    (* z, one row per sequence *)
| SelfAttention (query : query_token).

(* Heads of several outputs: a token has no score of its own; its numbers are those of OutputValues.v. *)
Inductive output_layer :=
| ClassLayer (classes : seq nat) (layer : seq (seq N)) (layer_unit : N)        (* y and U *)
| UnitLayer (positive_labels : seq bool) (layer : seq (seq N)) (layer_unit : N)
    (bias : seq N) (bias_unit : N) (second : seq N) (second_unit : N).         (* Y, A, bias and r *)

Inductive scoring :=
| Decoder (positive_labels : seq bool) (decoder : seq N) (decoder_unit : N)    (* Y_i = 1 or -1, and v *)
| GivenScores (scores : seq (seq N)) (scores_unit : N)                         (* one row per sequence *)
| TargetTokens (targets : seq nat)                   (* y, of selection cross-entropy: 1 for y_i, 0 for the others *)
| SeveralOutputs (layer : output_layer).

Record instance := Instance {
  tokens : seq (seq (seq N));      (* X: sequences, tokens, coordinates *)
  tokens_unit : N;
  token_scoring : scoring;
  attention_model : model;
  token_counts : seq (seq N)       (* one row per sequence: how often each token stands there; empty: once each *)
}.

Definition label_row (positive : bool) (scores : seq N) : seq N :=
  if positive then scores else [seq opp a | a <- scores].

Definition target_scores (target tokens : nat) : seq N := mkseq (fun t => if t == target then one else zero) tokens.

Definition scores_of (I : instance) (i : nat) : seq N :=
  match token_scoring I with
  | Decoder positive_labels decoder _ =>
      label_row (nth false positive_labels i) [seq dot_rows row decoder | row <- nth [::] (tokens I) i]
  | GivenScores scores _ => nth [::] scores i
  | TargetTokens targets => target_scores (nth 0%nat targets i) (size (nth [::] (tokens I) i))
  | SeveralOutputs _ => zeros N (size (nth [::] (tokens I) i))
  end.

Definition query_index (q : query_token) (rows : seq (seq N)) : nat :=
  match q with FromStart k => k | FromEnd k => size rows - k end.

Definition query_ok (q : query_token) (rows : seq (seq N)) : bool :=
  match q with FromStart k => (k < size rows)%nat | FromEnd k => (0 < k <= size rows)%nat end.

Definition feature_rows (I : instance) (i : nat) : seq (seq N) :=
  if attention_model I is Prompt keys _ then nth [::] keys i else nth [::] (tokens I) i.

Definition query_of (I : instance) (i : nat) : seq N :=
  match attention_model I with
  | Prompt _ _ => [:: one]
  | CrossAttention queries _ => nth [::] queries i
  | SelfAttention q => let rows := nth [::] (tokens I) i in nth [::] rows (query_index q rows)
  end.

Definition counts_of (I : instance) (i : nat) : seq N :=
  if nilp (token_counts I) then nseq (size (feature_rows I i)) one else nth [::] (token_counts I) i.

Definition sequence_of (I : instance) (i : nat) : sequence N :=
  Sequence (feature_rows I i) (query_of I i) (scores_of I i) (counts_of I i).

(* The same for all sequences, each list gone through once. *)
Definition feature_table (I : instance) : seq (seq (seq N)) :=
  if attention_model I is Prompt keys _ then keys else tokens I.

Definition query_table (I : instance) : seq (seq N) :=
  match attention_model I with
  | Prompt _ _ => [seq [:: one] | _ <- tokens I]
  | CrossAttention queries _ => queries
  | SelfAttention q => [seq nth [::] rows (query_index q rows) | rows <- tokens I]
  end.

Fixpoint decoded (table : seq (seq (seq N))) (decoder : seq N) (positive_labels : seq bool) : seq (seq N) :=
  if table is rows :: table' then
    label_row (head false positive_labels) [seq dot_rows row decoder | row <- rows]
      :: decoded table' decoder (behead positive_labels)
  else [::].

Fixpoint targeted (table : seq (seq (seq N))) (targets : seq nat) : seq (seq N) :=
  if table is rows :: table' then target_scores (head 0%nat targets) (size rows) :: targeted table' (behead targets)
  else [::].

Definition score_table (I : instance) : seq (seq N) :=
  match token_scoring I with
  | Decoder positive_labels decoder _ => decoded (tokens I) decoder positive_labels
  | GivenScores scores _ => scores
  | TargetTokens targets => targeted (tokens I) targets
  | SeveralOutputs _ => [seq zeros N (size rows) | rows <- tokens I]
  end.

Definition count_table (I : instance) : seq (seq N) :=
  if nilp (token_counts I) then [seq nseq (size rows) one | rows <- feature_table I] else token_counts I.

Fixpoint all_sequences (n : nat) (features : seq (seq (seq N))) (queries scores counts : seq (seq N)) :
    seq (sequence N) :=
  if n is n'.+1 then
    Sequence (head [::] features) (head [::] queries) (head [::] scores) (head [::] counts)
      :: all_sequences n' (behead features) (behead queries) (behead scores) (behead counts)
  else [::].

Definition token_data_of (I : instance) : token_data N :=
  let n := size (tokens I) in
  {| left_dimension := size (nth [::] (feature_rows I 0) 0);
     right_dimension := size (query_of I 0);
     token_unit := if attention_model I is Prompt _ u then u else tokens_unit I;
     query_unit := match attention_model I with
                   | Prompt _ _ => one | CrossAttention _ u => u | SelfAttention _ => tokens_unit I end;
     score_unit := match token_scoring I with
                   | Decoder _ _ u => mul u (tokens_unit I) | GivenScores _ u => u | _ => one end;
     sequences := all_sequences n (feature_table I) (query_table I) (score_table I) (count_table I) |}.

(* d of X. *)
Definition token_dimension (I : instance) : nat :=
  if token_scoring I is Decoder _ decoder _ then size decoder else size (nth [::] (nth [::] (tokens I) 0) 0).

(* Shapes that data_ok does not see: one label, target or list of scores per sequence, no empty sequence, rows of one
   length (the decoder's), the query token in range, as many queries as sequences, a key for each token, counts for all
   or none. *)
Definition instance_ok (I : instance) : bool :=
  [&& match token_scoring I with
      | Decoder positive_labels _ _ => size positive_labels == size (tokens I)
      | GivenScores scores _ => size scores == size (tokens I)
      | TargetTokens targets => size targets == size (tokens I)
      | SeveralOutputs _ => true
      end,
      all (fun rows => (0 < size rows)%nat && all (fun row => size row == token_dimension I) rows) (tokens I),
      match attention_model I with
      | Prompt keys _ => [seq size rows | rows <- keys] == [seq size rows | rows <- tokens I]
      | CrossAttention queries _ => size queries == size (tokens I)
      | SelfAttention q => all (query_ok q) (tokens I)
      end,
      nilp (token_counts I) || (size (token_counts I) == size (tokens I)) &
      data_ok (token_data_of I)].

Section Meaning.
Variable I : instance.
Hypothesis Iok : instance_ok I.
Let D := token_data_of I.
Let n := size (tokens I).

(* The arrays as real numbers. *)
Definition X (i t j : nat) : R := entry2 (nth [::] (tokens I) i) t j / real (tokens_unit I).
Definition Y (positive_labels : seq bool) (i : nat) : R := if nth false positive_labels i then 1 else -1.
Definition score_value (i t : nat) : R :=
  match token_scoring I with
  | Decoder positive_labels v unit => Y positive_labels i * \sum_(j < size v) entry v j / real unit * X i t j
  | GivenScores scores unit => entry2 scores i t / real unit
  | TargetTokens targets => if t == nth 0%nat targets i then 1 else 0
  | SeveralOutputs _ => 0
  end.

Lemma sequences_size : size (sequences D) = n.
Proof.
rewrite /D /=; move: (feature_table I) (query_table I) (score_table I) (count_table I).
by rewrite -/n; elim: n => //= k IH *; rewrite IH.
Qed.

Lemma nth_all_sequences k f q s c i : (i < k)%nat -> nth (no_sequence N) (all_sequences k f q s c) i =
  Sequence (nth [::] f i) (nth [::] q i) (nth [::] s i) (nth [::] c i).
Proof.
by elim: k f q s c i => // k IH f q s c [|i] /=; rewrite ?nth0 // ltnS => il; rewrite IH // !nth_behead.
Qed.

Lemma nth_decoded table decoder labels i : (i < size table)%nat -> nth [::] (decoded table decoder labels) i =
  label_row (nth false labels i) [seq dot_rows row decoder | row <- nth [::] table i].
Proof.
by elim: table labels i => //= rows table IH labels [|i] /=; rewrite ?nth0 // ltnS => il; rewrite IH // nth_behead.
Qed.

Lemma nth_targeted table targets i : (i < size table)%nat -> nth [::] (targeted table targets) i =
  target_scores (nth 0%nat targets i) (size (nth [::] table i)).
Proof.
by elim: table targets i => //= rows table IH targets [|i] /=; rewrite ?nth0 // ltnS => il; rewrite IH // nth_behead.
Qed.

Lemma sequence_at_of i : (i < n)%nat -> sequence_at D i = sequence_of I i.
Proof.
move=> il; rewrite /sequence_at /= nth_all_sequences // /sequence_of; congr Sequence.
- by rewrite /feature_table /feature_rows; case: attention_model.
- by rewrite /query_table /query_of; case: attention_model => // *; rewrite (nth_map [::]).
- rewrite /score_table /scores_of; case: token_scoring => // *; first by rewrite nth_decoded.
    by rewrite nth_targeted.
  by rewrite (nth_map [::]).
rewrite /count_table /counts_of; case: ifP => // _; have -> : feature_rows I i = nth [::] (feature_table I) i.
  by rewrite /feature_rows /feature_table; case: attention_model.
case: (ltnP i (size (feature_table I))) => ir; first by rewrite (nth_map [::]).
by rewrite !nth_default ?size_map.
Qed.

(* The scores of the problem are Y_i <v, x_it>, those that the instance gives, or those of its head. *)
Theorem score_meaning (t : token (problem D)) :
  score t = score_value (tag (t : data_token D)) (tagged (t : data_token D)).
Proof.
case: t => i0 s0 /=; rewrite /g /=.
have il : (i0 < n)%nat by rewrite -sequences_size; apply: ltn_ord.
have sl0 : (s0 < length_of D i0)%nat by apply: ltn_ord.
move: (nat_of_ord s0) sl0 => s sl0; move: (nat_of_ord i0) sl0 il => i sl0 il.
have /and5P[_ Hx _ _ Dok] := Iok; rewrite sequence_at_of // /score_value /=.
have u0 := score_unit_gt0 Dok; move: u0 Hx; rewrite /= /scores_of /token_dimension.
have iD : (i < size (sequences D))%nat by rewrite sequences_size.
have /and4P[_ _ /eqP E _] := sequences_ok Dok iD.
move: sl0; rewrite /length_of -E sequence_at_of //= /scores_of /label_row.
case: (token_scoring I) => [labels v unit | // | targets | layer] sl0; last first.
- by rewrite entry_zeros /Rdiv Rmult_0_l.
- move: sl0; rewrite size_mkseq => sl0 _ _; rewrite /target_scores /entry nth_mkseq //.
  by case: ifP => _; rewrite ?real1 ?real0; field; rewrite ?real1; lra.
rewrite realM => u0 Hx; have /andP[_ Hrows] := all_nthP [::] Hx i il.
have sl : (s < size (nth [::] (tokens I) i))%nat by move: sl0; case: ifP => _; rewrite !size_map.
have sr : size (nth [::] (nth [::] (tokens I) i) s) = size v by apply/eqP; apply: (all_nthP [::] Hrows).
have -> : entry (if nth false labels i then [seq dot_rows row v | row <- nth [::] (tokens I) i]
                 else [seq opp a | a <- [seq dot_rows row v | row <- nth [::] (tokens I) i]]) s =
          Y labels i * \sum_(j < size v) entry2 (nth [::] (tokens I) i) s j * entry v j.
  rewrite /Y; case: ifP => _.
    by rewrite /entry (nth_map [::]) // (@dot_rows_real _ _ _ (size v)) ?sr // Rmult_1_l.
  rewrite /entry (nth_map zero) ?size_map // realN (nth_map [::]) // (@dot_rows_real _ _ _ (size v)) ?sr //.
  have neg a : - a = -1 * a by ring.
  exact: neg.
rewrite /Rdiv Rmult_assoc; congr (_ * _); rewrite sum_mulr; apply: eq_bigr => j _.
have d0 : real unit <> 0 by move=> Z; move: u0; rewrite Z; lra.
have t0 : real (tokens_unit I) <> 0 by move=> Z; move: u0; rewrite Z; lra.
have H a b : a * b * / (real unit * real (tokens_unit I)) = b / real unit * (a / real (tokens_unit I)) by field.
exact: H.
Qed.

(* How often a token stands in its sequence. *)
Definition instance_count (i t : nat) : R := if nilp (token_counts I) then 1 else entry2 (token_counts I) i t.

Theorem count_meaning (t : token (problem D)) :
  multiplicity t = instance_count (tag (t : data_token D)) (tagged (t : data_token D)).
Proof.
have /and5P[_ _ _ _ Dok] := Iok; rewrite (multiplicity_count Dok) /count_value.
case: t => i0 s0; have il0 : (i0 < n)%nat by rewrite -sequences_size; apply: ltn_ord.
have := ltn_ord s0; rewrite /length_of /=.
move: (nat_of_ord s0) => s; move: (nat_of_ord i0) il0 => i il.
rewrite sequence_at_of // /instance_count /= /counts_of => sl.
by case: ifP => _ //; rewrite /entry nth_nseq sl real1.
Qed.

(* Logits: cross-attention x_it' W z_i, self-attention x_it' W x_iq, prompt <k_it, p> with p the m x 1 matrix W. *)
Definition row_meaning (i t j : nat) : R := entry2 (feature_rows I i) t j / real (token_unit D).
Definition query_meaning (i k : nat) : R := entry (query_of I i) k / real (query_unit D).

Theorem logit_meaning (w : vec (coord (problem D))) (t : token (problem D)) :
  let i := tag (t : data_token D) in
  logit w t = \sum_(j : 'I_(left_dimension D)) \sum_(k : 'I_(right_dimension D))
                row_meaning i (tagged (t : data_token D)) j * w (j, k) * query_meaning i k.
Proof.
case: t => i s /=; have il : (i < n)%nat by apply: leq_trans (ltn_ord i) _; rewrite sequences_size.
rewrite /logit /dot pair_bigA /=; apply: eq_bigr => -[j k] _.
rewrite /= /outer /x /z /= sequence_at_of //=.
have H a b c : a * b * c = a * c * b by ring.
exact: H.
Qed.
End Meaning.
End Instances.
