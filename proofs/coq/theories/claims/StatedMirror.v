(* StatedMirror: what accepted claims about runs of mirror descent say, in the words that exported files write out
   (StatedRuns.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Bignums Require Import BigZ.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm Losses Number Rows TokenData Instances
                           MarginChecks OptimalityChecks AttentionIntervals NormChecks NormDistanceChecks Runs Replay
                           RunChecks Mirror MirrorIteration MirrorRunChecks MirrorRunKind ClaimKind Posed Certificates
                           StatedRuns.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section MirrorRun.
Variables (I : instance big_integers) (D : token_data big_integers) (alpha : selection (problem D)).
Notation vector := (vec (coord (problem D))).

(* z is the dual iterate, w = mirror q z. *)
Definition mirror_checkpoint_parts l (p q least : R) (k : mirror_checkpoint big_integers) (z : vector) : seq Prop :=
  let w := mirror q z in
  [:: within_written (mirror_norm_claim k) (lp_norm p w); within_written (mirror_dual_claim k) (lp_norm q z);
      within_written (mirror_loss_claim k) (training_loss l w - least);
      forall i, 1 - attention w (alpha i) <= written (mirror_unselected_claim k).2;
      exists i, written (mirror_unselected_claim k).1 <= 1 - attention w (alpha i)].

(* Of the direction of y. *)
Definition mirror_directed_parts (p q : R) (k : mirror_checkpoint big_integers) (z y : vector) : seq Prop :=
  let w := mirror q z in
  (if mirror_along_claim k is Some b then [:: 0 < lp_norm p y; within_written b (dot z y / lp_norm p y)]
   else [::]) ++
  (if mirror_bregman_claim k is Some b then
     [:: 0 < lp_norm p y; 0 < lp_norm q z; within_written b (1 - dot z y / lp_norm p y / lp_norm q z)] else [::]) ++
  (if mirror_corr_claim k is Some b then
     [:: 0 < vnorm w * vnorm y; within_written b (1 - dot w y / (vnorm w * vnorm y))] else [::]).

(* T13's inequality. *)
Definition mirror_inequality_parts (p q : R) (said : option (fraction big_integers * nat)) (last : nat)
    (z : nat -> vector) (y : vector) : seq Prop :=
  let w t := mirror q (z t) in
  if said is Some (C, since) then
    [:: forall t, (since <= t < last)%nat -> 0 < lp_norm p (w t) /\ 0 < lp_norm p y /\
          lp_norm q (z t.+1) - lp_norm q (z t) <=
            (1 + written C * lp_norm p y / lp_norm p (w t)) * (dot (z t.+1 - z t)%V y / lp_norm p y) +
            dual_divergence q (w t) (z t) (z t.+1) / lp_norm p (w t)]
  else [::].

Definition mirror_parts l (p q least : R) (cited : bool) (said : option (fraction big_integers * nat))
    (ks : seq (mirror_checkpoint big_integers)) (z : nat -> vector) : seq Prop :=
  flatten [seq mirror_checkpoint_parts l p q least k (z (mirror_at k)) | k <- ks] ++
  if cited then
    [:: exists y, together ([:: only_shortest alpha (lp_norm p) y] ++
          flatten [seq mirror_directed_parts p q k (z (mirror_at k)) y | k <- ks] ++
          mirror_inequality_parts p q said (last_of ks) z y)]
  else [::].

Variable b : selection (problem D).
Hypothesis b_best : best b.

Lemma together_all (T : Type) (f : T -> seq Prop) (s : seq T) :
  (forall x, List.In x s -> together (f x)) -> together (flatten [seq f x | x <- s]).
Proof.
elim: s => // x s IH H; rewrite map_cons; apply: together_cat; first by apply: H; left.
by apply: IH => y ys; apply: H; right.
Qed.

Theorem mirror_run_stated p a c cited l s n said ks bits w0 : @Replay.start_point _ D s = w0 ->
  claim_meaning I (Posed Attention [::]) alpha (MirrorRun p (a, c) cited l s n said ks bits) ->
  together (mirror_parts (loss_of l) (exponent a c) (exponent a (a - c)) (least_loss b (loss_of l)) (isSome cited)
    said ks (mirror_iterate (loss_of l) (exponent a (a - c)) (is_normalised s)
      (step_size (run_schedule s) (written (run_step s))) (mirror (exponent a c) w0))).
Proof.
move=> <- [_ /(_ _ b_best) /= seen /= directed].
have zE : @mirror_trajectory _ D l s a c = mirror_iterate (loss_of l) (exponent a (a - c)) (is_normalised s)
    (step_size (run_schedule s) (written (run_step s))) (mirror (exponent a c) (@Replay.start_point _ D s)).
  by rewrite /mirror_trajectory /sizes fraction_written.
rewrite -zE /mirror_parts; set z := mirror_trajectory _ _ _ _ in seen directed *; apply: together_cat.
  apply: together_all => k /seen; rewrite /mirror_checkpoint_parts /within_written -fraction_written.
  by case=> [Hn Hq Hl [all_ some]].
case: cited directed => [k0|] // [y [only along compared]]; exists y; apply: together_cat => //.
apply: together_cat; last first.
  move: compared; rewrite /mirror_inequality_parts; case: said => // -[C since] H t /H.
  by rewrite /mirror_inequality fraction_written.
apply: together_all => k /along[]; rewrite /mirror_directed_parts /within_written -fraction_written /in_band.
case: mirror_along_claim => [A|]; case: mirror_bregman_claim => [B|]; case: mirror_corr_claim => [C|] /=;
  tauto.
Qed.
End MirrorRun.
