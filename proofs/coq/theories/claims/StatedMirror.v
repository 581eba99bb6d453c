(* StatedMirror: what accepted claims about runs of mirror descent say, in the words that exported files write out
   (StatedRuns.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Bignums Require Import BigZ.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm Losses Number Rows TokenData Instances
                           MarginChecks OptimalityChecks AttentionIntervals NormChecks NormDistanceChecks Runs Replay
                           RunChecks Growth Mirror MirrorAngle MirrorIteration MirrorRunChecks MirrorRunKind
                           MirrorForeverKind ClaimKind Posed Certificates StatedRuns.

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

(* T17 from one step on: z are the dual iterates and eta the step sizes from there. *)
Definition lasting_parts (p q rate : R) (growth : option R) (unselected : R) (eta : nat -> R) (z : nat -> vector)
    (y : vector) : seq Prop :=
  let w t := mirror q (z t) in
  let u := (/ lp_norm p y * y)%V in
  let height t := dot (z t) u in
  [:: only_shortest alpha (lp_norm p) y;
      if growth is Some g then forall t, height t + g * eta t <= height t.+1 else forall t, height t < height t.+1;
      forall t, 0 < height t;
      forall t, 1 - height t / lp_norm q (z t) <= rate / abs_power (height t) (Rmin 1 (q - 1));
      forall t i, 1 - attention (w t) (alpha i) <= unselected;
      is_lim_seq height p_infty;
      forall j, is_lim_seq (fun t => (/ lp_norm p (w t) * w t)%V j) (u j);
      forall i, is_lim_seq (fun t => attention (w t) (alpha i)) 1].

Theorem mirror_forever_stated p x a c w0 (s := lasting_specification x)
    (eta := step_size (run_schedule s) (written (run_step s))) :
  lasting_exponent x = (a, c) -> (c < a)%positive -> @Replay.start_point _ D s = w0 ->
  claim_meaning I (Posed Attention [::]) alpha (MirrorForever p x) ->
  exists y, together (lasting_parts (exponent a c) (exponent a (a - c)) (written (lasting_rate x))
    (omap written (lasting_growth x)) (written (lasting_unselected x)) (fun t => eta (lasting_step x + t)%nat)
    (fun t => mirror_iterate (loss_of (lasting_loss x)) (exponent a (a - c)) (is_normalised s) eta
      (mirror (exponent a c) w0) (lasting_step x + t)) y).
Proof.
rewrite {}/eta {}/s => xE ca <- H; have {H} : @mirror_forever_says _ D alpha x := H; rewrite /mirror_forever_says xE.
move=> [y [only [ever [high turns selects]]]].
exists y; have p1 := exponent_gt1 ca; have conj := exponent_conjugate ca; have q1 := conjugate_gt1 p1 conj.
set z := fun t => @mirror_trajectory _ D (lasting_loss x) (lasting_specification x) a c (lasting_step x + t).
rewrite /lasting_parts -fraction_written; split; first exact: only.
split; first by move: ever; case: (lasting_growth x) => [g|] /= ever t; have [_] := ever t.
split; first by move=> t; have [_ _] := ever t.
have inverse t : mirror (exponent a c) (mirror (exponent a (a - c)) (z t)) = z t.
  by apply: (mirror_inverse q1); rewrite Rplus_comm.
split; first by move=> t; have [_ _ _] := ever t; rewrite /mirror_defect -/(z t) inverse.
by split; [move=> t; have [] := ever t | split].
Qed.

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
