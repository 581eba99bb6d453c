(* NextToken: next-token prediction's attention stage (NEXT_TOKEN.md), with one-hot embeddings.

   A sentence is a query and a context, each word with its count; the words of the context compete for the attention,
   and the one whose next word ends the sentence is selected. With the feed-forward stage frozen at c times n, the loss
   is that of a classifier of V words: every selection of this kind is the best one for it, whatever the sentences. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Heads Direction Growth Saturation CurvatureRatio ClassifierHead.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Record sentences := Sentences {
  word : finType;
  sentence : finType;
  query : sentence -> word;
  count : sentence -> word -> nat;              (* of a word in the context; 0: it is not there *)
  chosen : sentence -> word;                    (* alpha *)
  next_word : word -> option word;              (* n, where it is known *)
  last_word : sentence -> word;
  chosen_there : forall i, (0 < count i (chosen i))%nat;
  chosen_next : forall i, next_word (chosen i) = Some (last_word i)
}.

Section AttentionStage.
Variable d : sentences.

Definition word_vector (x : word d) : vec (word d) := fun j => if j == x then 1 else 0.

Lemma dot_unit x y : dot (word_vector x) (word_vector y) = if x == y then 1 else 0.
Proof.
rewrite /dot (bigD1 x) //= big1 => [|j /negbTE jx]; first by rewrite /word_vector eqxx; case: (x == y); ring.
by rewrite {1}/word_vector jx; ring.
Qed.

(* The words of the contexts. *)
Definition context_token : finType := [finType of {x : sentence d * word d | (0 < count x.1 x.2)%nat}].
Definition token_sentence (t : context_token) : sentence d := (val t).1.
Definition token_word (t : context_token) : word d := (val t).2.
Definition token_query (t : context_token) : word d := query (token_sentence t).
Definition token_count (t : context_token) : R := INR (count (token_sentence t) (token_word t)).

Lemma token_count_gt0 t : 0 < token_count t.
Proof. by apply: lt_0_INR; apply/ltP; exact: (valP t). Qed.

(* Logits x' W q with one-hot embeddings are the entries W_{x,q}. *)
Definition attention_stage : selection_problem :=
  SelectionProblem token_sentence (fun t => outer (word_vector (token_word t)) (word_vector (token_query t)))
    (fun t => if next_word (token_word t) == Some (last_word (token_sentence t)) then 1 else 0)
    token_count_gt0 (@mean_weight_gt0 (sentence d)).

Definition chosen_token (i : sentence d) : context_token :=
  exist (fun x : sentence d * word d => (0 < count x.1 x.2)%nat) (i, chosen i) (chosen_there i).
Definition next_selection : selection attention_stage := @Selection attention_stage chosen_token (fun=> erefl).

Notation Delta := (Selection.Delta next_selection).
Notation Q := (constraint next_selection).
Implicit Types (t c : token attention_stage).

Lemma stage_logit (W : vec (coord attention_stage)) t : logit W t = W (token_word t, token_query t).
Proof.
rewrite /logit /dot (bigD1 (token_word t, token_query t)) //= big1 => [|[x q] /eqP xq].
  by rewrite /outer /word_vector !eqxx; ring.
rewrite /outer /word_vector /=; case: eqP => [e1|_]; last by ring.
by case: eqP => [e2|_]; [case: xq; rewrite e1 e2 | ring].
Qed.

(* A margin is the lead of the chosen word in the query's column. *)
Theorem stage_margin (W : vec (coord attention_stage)) t :
  margin next_selection W t = W (chosen (token_sentence t), token_query t) - W (token_word t, token_query t).
Proof. by rewrite margin_logit !stage_logit. Qed.

(* ---- the loss: cross-entropy of the words, c times n of what is attended to ---- *)

Variable c0 : R.
Hypothesis c0_gt0 : 0 < c0.
Hypothesis two_words : (1 < #|word d|)%nat.

Definition word_logit (t : token attention_stage) (u : word d) : R :=
  if next_word (token_word t) == Some u then c0 else 0.
Definition next_token_head : head attention_stage := classifier_head word_logit (@last_word d).

Notation change := (class_change word_logit (@last_word d) next_selection).
Notation gap_limit := (classifier_limit word_logit (@last_word d) next_selection).

Lemma next_change t u : next_word (token_word t) <> Some (last_word (token_sentence t)) ->
  change t u = c0 * ((if next_word (token_word t) == Some u then 1 else 0) +
                     (if u == last_word (token_sentence t) then 0 else 1)).
Proof.
move=> wrong; rewrite /class_change /class_start /word_logit.
rewrite -[token_word (next_selection _)]/(chosen (token_sentence t)) chosen_next eqxx.
rewrite -[group_of t]/(token_sentence t) (introF eqP wrong).
have -> : (Some (last_word (token_sentence t)) == Some u) = (u == last_word (token_sentence t)) by rewrite eq_sym.
by case: (u == _); case: (_ == Some u); ring.
Qed.

(* Every other word, whose next word is another one or not known, has a positive gap: the selection is the only best
   one of the head (ClassifierLockIn.v), so T10, T11, T12, T14 and T15 speak of it. *)
Theorem next_gap_gt0 t : next_word (token_word t) <> Some (last_word (token_sentence t)) -> 0 < gap_limit t.
Proof.
move=> wrong; have [u other] : exists u, u != last_word (token_sentence t).
  have /card_gt0P[u] : (0 < #|predC1 (last_word (token_sentence t))|)%nat by rewrite cardC1 -subn1 subn_gt0.
  by rewrite inE => other; exists u.
have q0 v := class_limit_gt0 word_logit (@last_word d) next_selection (token_sentence t) v.
apply: (sum_gt0 (i := u)) => // [v _|]; rewrite next_change //.
  by apply: Rmult_le_pos; [exact: Rlt_le | apply: Rmult_le_pos; [lra | case: (_ == Some v); case: (v == _); lra]].
apply: Rmult_lt_0_compat; first exact: q0.
by apply: Rmult_lt_0_compat => //; rewrite (negbTE other); case: (_ == Some u); lra.
Qed.

(* ---- what T23 needs of the rows ---- *)

Lemma row_dot s t : dot (Delta s) (Delta t) =
  if token_query s == token_query t then
    (if chosen (token_sentence s) == chosen (token_sentence t) then 1 else 0)
    - (if chosen (token_sentence s) == token_word t then 1 else 0)
    - (if token_word s == chosen (token_sentence t) then 1 else 0)
    + (if token_word s == token_word t then 1 else 0)
  else 0.
Proof.
rewrite /Selection.Delta !dotBl !dotBr !dot_outer !dot_unit.
rewrite -[token_query (next_selection _)]/(token_query s) -[token_query (next_selection _)]/(token_query t).
rewrite -[token_word (next_selection _)]/(chosen (token_sentence s)).
rewrite -[token_word (next_selection _)]/(chosen (token_sentence t)).
by case: (token_query s == _); ring.
Qed.

Lemma row_norm t : Q t -> vnorm (Delta t) <= sqrt 2.
Proof.
move=> _; apply: sqrt_le_1_alt; rewrite /vnorm2 row_dot !eqxx.
by case: (_ == token_word t); case: (token_word t == _); lra.
Qed.

(* w_x sees every row of the word x in its column, and no row negatively. *)
Variable sees : word d -> word d -> vec (coord attention_stage).
Hypothesis sees_own : forall x t, Q t -> x = chosen (token_sentence t) \/ x = token_word t ->
  1 <= dot (Delta t) (sees x (token_query t)).
Hypothesis sees_ge0 : forall x q t, Q t -> 0 <= dot (Delta t) (sees x q).

Theorem rows_seen s t : Q s -> Q t -> Rabs (dot (Delta s) (Delta t)) <=
  dot (Delta t) (sees (chosen (token_sentence s)) (token_query s) + sees (token_word s) (token_query s)).
Proof.
move=> Qs Qt; rewrite dotDr row_dot.
have a0 := sees_ge0 (chosen (token_sentence s)) (token_query s) Qt.
have b0 := sees_ge0 (token_word s) (token_query s) Qt.
case: eqP => [E|_]; last by rewrite Rabs_R0; lra.
have other : token_word t != chosen (token_sentence t).
  apply: contraNneq Qt; rewrite /constraint /selected => E'; apply/eqP/val_inj; rewrite /= -E'.
  exact: surjective_pairing.
have a1 : chosen (token_sentence s) = chosen (token_sentence t) \/ chosen (token_sentence s) = token_word t ->
  1 <= dot (Delta t) (sees (chosen (token_sentence s)) (token_query s)) by rewrite E; exact: sees_own.
have b1 : token_word s = chosen (token_sentence t) \/ token_word s = token_word t ->
  1 <= dot (Delta t) (sees (token_word s) (token_query s)) by rewrite E; exact: sees_own.
apply: Rabs_le.
case: (chosen (token_sentence s) =P chosen (token_sentence t)) => [e1|_];
  case: (chosen (token_sentence s) =P token_word t) => [e2|_];
  try (by move: other; rewrite -e1 e2 eqxx);
  case: (token_word s =P chosen (token_sentence t)) => [e3|_]; case: (token_word s =P token_word t) => [e4|_];
  try (by move: other; rewrite -e3 e4 eqxx);
  try have := a1 (or_introl e1); try have := a1 (or_intror e2); try have := b1 (or_introl e3);
  try have := b1 (or_intror e4); lra.
Qed.
End AttentionStage.
