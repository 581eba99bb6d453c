(* StatedTokens: what accepted claims about the attention stage's training on sentences say, in the words that exported
   files write out (StatedRuns.v). The head is token_head next y c: what is next to an attended token is above all other
   outputs by c times its attention. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Bignums Require Import BigZ.
From Attest Require Import Euclid Selection Heads Direction Saturation Iteration HeadRuns TokenHead Number Rows
                           TokenData Instances MarginChecks OptimalityChecks RunChecks MirrorRunChecks TokenPlaces
                           TokenTrees TokenRunChecks TokenForeverChecks TokenShiftChecks ClaimKind TokenRunKind
                           TokenForeverKind TokenShiftKind Posed Certificates StatedRuns StatedMirror.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Tokens.
Variables (I : instance big_integers) (D : token_data big_integers) (alpha : selection (problem D)).
Variables (pairs : seq (nat * nat)) (r : token_training big_integers).
Notation plain := (Posed Attention [::]).
Notation matrix := (vec (coord (problem D))).
Notation V := (INR (left_dimension D)).
Notation next := (@next_token _ D pairs).

(* c after the steps of the feed-forward stage, L* of it; some output is next to each selected token, and to no other
   (pairs_injective, TextData.v); every training from 0 by normalised steps of one length on its mean cross-entropy. *)
Local Notation stage_scale :=
  (INR (fed_steps r) * written (fed_step r) / sqrt (INR (paired_tokens pairs) * (V - 1) / V)).
Local Notation stage_least c := (ln (1 + (V - 1) * exp (- c))).
Local Notation selected_outputs y := (forall i, next (alpha i) = Some (y i)).
Local Notation trained h holds := (forall w : nat -> matrix, w 0%nat = vzero ->
  head_follows h 0 NormalisedSteps (fun=> written (attended_step r)) w -> holds w).

Lemma stage_scale_frozen : stage_scale = frozen_scale D pairs r.
Proof. by rewrite /frozen_scale fraction_written. Qed.

(* ---- a run ---- *)

Definition token_checkpoint_parts (h : head (problem D)) (least : R) (k : token_checkpoint big_integers) (w : matrix) :
    seq Prop :=
  [:: within_written (token_norm_claim k) (vnorm w);
      within_written (token_loss_claim k) (head_loss h w - least);
      forall i, 1 - attention w (alpha i) <= written (token_unselected_claim k).2;
      exists i, written (token_unselected_claim k).1 <= 1 - attention w (alpha i)].

Definition token_correlation_parts (k : token_checkpoint big_integers) (w ws : matrix) : seq Prop :=
  if token_corr_claim k is Some b then
    [:: 0 < vnorm w * vnorm ws; within_written b (1 - dot w ws / (vnorm w * vnorm ws))]
  else [::].

Lemma token_checkpoint_part h least k w : token_seen alpha h least k w -> together (token_checkpoint_parts h least k w).
Proof. by rewrite /token_checkpoint_parts /within_written -fraction_written; case. Qed.

Lemma token_correlation_part k w ws : token_correlated k w ws -> together (token_correlation_parts k w ws).
Proof.
by rewrite /token_correlated /token_correlation_parts /within_written -fraction_written; case: token_corr_claim.
Qed.

Theorem token_run_stated p cited n ks bits : claim_meaning I plain alpha (TokenRun p cited pairs r n ks bits) ->
  let c := stage_scale in let least := stage_least c in
  exists y, selected_outputs y /\
    let h := token_head next y c in
    if isSome cited then
      exists wstar, max_margin alpha wstar /\ trained h (fun w => together (flatten
        [seq token_checkpoint_parts h least k (w (token_at k)) ++ token_correlation_parts k (w (token_at k)) wstar
        | k <- ks]))
    else trained h (fun w => together (flatten [seq token_checkpoint_parts h least k (w (token_at k)) | k <- ks])).
Proof.
case: cited => [j|] [_ _ [y [chosen [seen more]]]] c least; exists y; split=> //;
  rewrite /least /c stage_scale_frozen -fraction_written.
  have [ws best along] := more; exists ws; split=> // w w0 run; apply: together_all => k kin; apply: together_cat.
    by apply: token_checkpoint_part; exact: seen w0 run k kin.
  by apply: token_correlation_part; exact: along w0 run k kin.
by move=> w w0 run; apply: together_all => k kin; apply: token_checkpoint_part; exact: seen w0 run k kin.
Qed.

(* ---- all later steps ---- *)

Definition token_later_parts (h : head (problem D)) (least step : R) (ws : matrix) (c : token_future big_integers)
    (w : nat -> matrix) : seq Prop :=
  let u := (/ vnorm ws * ws)%V in
  let y n := dot (w n) u in
  [:: written (future_height c) <= y 0%nat;
      vnorm (w 0%nat - y 0%nat * u)%V <= written (future_centre c);
      forall n, head_loss h (w n.+1) <=
        head_loss h (w n) - written (future_decrease c) * (step * vnorm (head_gradient h (w n)));
      forall n, head_loss h (w n) - least <= written (future_loss c) * written (future_ratio c) ^ n;
      forall n i, 1 - attention (w n) (alpha i) <= written (future_off c);
      forall n, y n <= y n.+1;
      forall n, y 0%nat + written (future_growth c) * INR n - written (future_lag c) <= y n;
      forall n, vnorm2 (w n - w 0%nat - (y n - y 0%nat) * u)%V <= written (future_path c) * INR n].

Theorem token_forever_stated p k j t c square vectors :
  claim_meaning I plain alpha (TokenForever p k j pairs r t c square vectors) ->
  let s := stage_scale in let least := stage_least s in
  exists y, selected_outputs y /\
    let h := token_head next y s in
    exists wstar, [/\ max_margin alpha wstar, 0 < vnorm wstar & trained h (fun w =>
      together (token_later_parts h least (written (attended_step r)) wstar c (fun n => w (t + n)%nat)))].
Proof.
move=> [_ _ [y [chosen [ws best [n0 lasts]]]]] s least; exists y; split=> //.
rewrite /least /s stage_scale_frozen -fraction_written; exists ws; split=> // w w0 run.
have [_ _ _ [high centre] later] := lasts w w0 run.
rewrite /token_later_parts -fraction_written; do !split=> //.
- by move=> n; have [] := later n.
- by move=> n; have [] := later n.
- by move=> n; have [] := later n.
- by move=> n; have [_ _ _ []] := later n.
- by move=> n; have [_ _ _ []] := later n.
by move=> n; have [] := later n.
Qed.

(* ---- other sentences ---- *)

Implicit Types (s : shifted_sentence) (context : seq nat).

(* Of a context's tokens the one with that next one has the greatest logit; and more attention than each other, counted
   as often as they stand there. The last token is the query. *)
Definition predicts_next (w : matrix) context (u : nat) : Prop := exists x, [/\ (x, u) \in pairs, x \in context &
  forall t, t \in context -> t != x -> entry_at w (last 0%nat context) t < entry_at w (last 0%nat context) x].

Definition attends_most (w : matrix) context (u : nat) : Prop := exists x, [/\ (x, u) \in pairs, x \in context &
  forall t, t \in context -> t != x ->
    INR (count_mem t context) * exp (entry_at w (last 0%nat context) t) <
    INR (count_mem x context) * exp (entry_at w (last 0%nat context) x)].

Definition predictions (w : matrix) (ss : seq shifted_sentence) : seq Prop :=
  [seq predicts_next w (shifted_context s) (shifted_next s) | s <- ss].

Definition later_predictions (w : nat -> matrix) (ss : seq shifted_sentence) : seq Prop :=
  flatten [seq if shifted_from s is Some from then
    [:: forall m, (from <= m)%nat -> attends_most (w m) (shifted_context s) (shifted_next s)] else [::] | s <- ss].

Lemma together_one (T : Type) (f : T -> Prop) (s : seq T) :
  (forall x, List.In x s -> f x) -> together [seq f x | x <- s].
Proof.
move=> H; elim: s H => // x s IH H; apply: together_cons; first by apply: H; left.
by apply: IH => y ys; apply: H; right.
Qed.

Lemma shift_predicts p k later ss : claim_meaning I plain alpha (TokenShift p k later pairs ss) ->
  exists wstar, together (max_margin alpha wstar :: predictions wstar ss).
Proof.
by move=> [[ws best leads] _]; exists ws; apply: together_cons => //; apply: together_one.
Qed.

Theorem token_shift_stated p k ss : claim_meaning I plain alpha (TokenShift p k None pairs ss) ->
  exists wstar, together (max_margin alpha wstar :: predictions wstar ss).
Proof. exact: shift_predicts. Qed.

Theorem token_shift_later_stated p k j t ss :
  claim_meaning I plain alpha (TokenShift p k (Some (j, (r, t))) pairs ss) ->
  (exists wstar, together (max_margin alpha wstar :: predictions wstar ss)) /\
  let c := stage_scale in
  exists y, selected_outputs y /\
    let h := token_head next y c in
    trained h (fun w => together (later_predictions w ss)).
Proof.
move=> said; split; first exact: shift_predicts said.
move: said => [_ [y [chosen attends]]] c; exists y; split=> //.
rewrite /c stage_scale_frozen -fraction_written => w w0 run; apply: together_all => s sin.
case E: (shifted_from s) => [from|] //; apply: together_cons => // m late; exact: attends w0 run s from m sin E late.
Qed.
End Tokens.
