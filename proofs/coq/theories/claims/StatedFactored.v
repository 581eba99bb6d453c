(* StatedFactored: what accepted claims about training of factors say, in the words that exported files write out
   (StatedRuns.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Bignums Require Import BigZ.
From Attest Require Import Euclid Selection Gradient NormDuality Growth Losses Number Rows TokenData Instances
                           MarginChecks OptimalityChecks AttentionIntervals Iteration Schedules Runs Replay RunChecks
                           FactoredIteration FactoredRunChecks FactoredOnward FactoredRunKind FactoredForeverKind
                           ClaimKind Posed Certificates StatedRuns StatedMirror.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section FactoredClaims.
Variables (I : instance big_integers) (D : token_data big_integers) (alpha : selection (problem D)).
Notation matrix := (vec (coord (problem D))).
Notation pair m := (factor_pair [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)]
                      [finType of 'I_m]).

(* K and Q at every step, written out: the kernel compares what it is given and computes no step. *)
Local Notation trained_factors l r :=
  (factors_iterate (fun w => - gradient (p := problem D) l w)%V (training_normalised r)
    (step_size (training_schedule r) (written (training_step r))) (@training_start _ D r)).

Lemma trained_factors_are l (r : factored_training big_integers) :
  trained_factors (loss_of l) r = @factored_trajectory _ D l r.
Proof. by rewrite /factored_trajectory /sizes fraction_written. Qed.

Section Run.
Variable m : nat.
Implicit Type s : pair m.

Definition factored_checkpoint_parts (l : loss) (least : R) (k : factored_checkpoint big_integers) s : seq Prop :=
  let w : matrix := pair_product s in
  [:: within_written (factored_left_claim k) (family_norm (left_factor s));
      within_written (factored_right_claim k) (family_norm (right_factor s));
      within_written (factored_norm_claim k) (vnorm w);
      within_written (factored_balance_claim k) (balance_norm s);
      within_written (factored_loss_claim k) (training_loss l w - least);
      forall i, 1 - attention w (alpha i) <= written (factored_unselected_claim k).2;
      exists i, written (factored_unselected_claim k).1 <= 1 - attention w (alpha i)].

Definition correlation_parts (b : option (claimed_band big_integers)) s (y : matrix) : seq Prop :=
  let w : matrix := pair_product s in
  if b is Some b then [:: 0 < vnorm w * vnorm y; within_written b (1 - dot w y / (vnorm w * vnorm y))] else [::].

Definition factored_parts (l : loss) (least : R) (cited : bool) (nuclear : option matrix)
    (ks : seq (factored_checkpoint big_integers)) (s : nat -> pair m) : seq Prop :=
  flatten [seq factored_checkpoint_parts l least k (s (factored_at k)) | k <- ks] ++
  (if cited then
     [:: exists wstar, together ([:: max_margin alpha wstar] ++
           flatten [seq correlation_parts (factored_corr_claim k) (s (factored_at k)) wstar | k <- ks])]
   else [::]) ++
  (if nuclear is Some y then
     [:: separates alpha y] ++
       flatten [seq correlation_parts (factored_nuclear_claim k) (s (factored_at k)) y | k <- ks]
   else [::]).

Definition onward_parts (l : loss) (slope growth least drift : R) (share : option R) (z : nat -> pair m) :
    seq Prop :=
  let w t : matrix := pair_product (z t) in
  let excess t := training_loss l (w t) - least_loss alpha l in
  let size t := factors_square (z t) in
  let norm := @nuclear_norm [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)] in
  [:: globally_optimal alpha;
      forall t, 0 < excess t.+1 <= excess t;
      forall t, excess t <= / (/ excess 0%nat + growth * INR t);
      is_lim_seq excess 0;
      forall t c, constraint alpha c -> slope * (size t / 2) <= margin alpha (w t) c;
      forall t, norm (w t) <= size t / 2;
      is_lim_seq size p_infty;
      forall t i, least <= attention (w t) (alpha i);
      forall i, is_lim_seq (fun t => attention (w t) (alpha i)) 1;
      forall t, total (balance_move z) t <= drift] ++
  (if share is Some q then
     [:: forall t c w', constraint alpha c -> separates alpha w' ->
           q * norm (w t) <= margin alpha (w t) c * norm w']
   else [::]).
End Run.

Lemma correlation_part m b (s : pair m) y : @correlated [finType of 'I_(left_dimension D)]
  [finType of 'I_(right_dimension D)] [finType of 'I_m] _ s b y -> together (correlation_parts b s y).
Proof. by rewrite /correlated /correlation_parts /within_written -fraction_written; case: b. Qed.

Variable b : selection (problem D).
Hypothesis b_best : best b.

Theorem factored_run_stated p cited nuclear l r n ks bits :
  claim_meaning I (Posed Attention [::]) alpha (FactoredRun p cited nuclear l r n ks bits) ->
  together (factored_parts (loss_of l) (least_loss b (loss_of l)) (isSome cited)
    (omap (fun x => matrix_real x.2.1 (real x.2.2)) nuclear) ks (trained_factors (loss_of l) r)).
Proof.
rewrite trained_factors_are => -[/= /(_ _ b_best) seen directed turned].
apply: together_cat; first apply: together_all => k /seen[].
  rewrite /factored_checkpoint_parts /within_written -fraction_written => -[h1 h2 h3 h4] [h5 [h6 h7]].
  by split=> //; split=> //; split=> //; split=> //; split.
apply: together_cat.
  case: cited directed => [k0|] // [y only along]; exists y.
  by apply: together_cat => //; apply: together_all => k /along; exact: correlation_part.
case: nuclear turned => [[j [rows u]]|] // [sep along].
by apply: together_cat => //; apply: together_all => k /along; exact: correlation_part.
Qed.

Theorem factored_forever_stated p k l r t slope growth least drift q :
  claim_meaning I (Posed Attention [::]) alpha (FactoredForever p k l r t slope growth least drift q) ->
  together (onward_parts (loss_of l) (written slope) (written growth) (written least) (written drift)
    (omap (fun x => written x.2) q) (fun u => trained_factors (loss_of l) r (t + u))).
Proof.
rewrite trained_factors_are -!fraction_written => -[[best falls bound limit margins norm size att selects moves] more].
apply: together_cat; first by do 9 (split; first by []); exact: moves.
by move: more; case: (q) => [[j x]|] //= H u c w' Qc sep; rewrite -fraction_written; exact: H.
Qed.
End FactoredClaims.
