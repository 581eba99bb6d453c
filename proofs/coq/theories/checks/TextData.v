(* TextData: sentences of token ids, and each stage of next-token prediction on them as an instance (GRAMMAR.md section
   2).

   A sentence x, y of two tokens says that y is next to x. A longer one asks: its tokens before the last, each once,
   compete for the attention of the last of them, and the one that the sentence's last token is next to is to be
   selected. In the feed-forward stage all tokens compete as outputs, for each token that has one next to it. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Number Rows TokenData Instances.

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
Definition wanted pairs s (x : nat) : bool := (x, last_id s) \in pairs.

Definition paired_ids pairs : seq nat := sort leq (undup [seq p.1 | p <- pairs]).
Definition next_id pairs (x : nat) : nat := (nth (0%nat, 0%nat) pairs (find (fun p => p.1 == x) pairs)).2.

Definition vocabulary T : nat :=
  if text_embeddings T is Some (rows, _) then size rows else (foldl maxn 0%nat (flatten (text_sentences T))).+1.

Definition sentence_fits (V : nat) pairs s : bool :=
  [&& (1 < size s)%nat, all (fun x => x < V)%nat s & (size s == 2)%nat || has (wanted pairs s) (context s)].

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
     token_scoring := TargetTokens N [seq find (wanted pairs s) (context_ids s) | s <- asking];
     attention_model := CrossAttention [seq nth [::] rows (query_id s) | s <- asking] (embeddings_unit T);
     token_counts := [::] |}.

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
End TextData.
