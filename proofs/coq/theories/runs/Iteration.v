(* Iteration: what a run is. All theorems about runs speak of these exact iterations, and of no others.

   A step goes from w along minus a field; how far is the rule's. For training the field is the gradient of the
   training loss, and least is the value from which Polyak's rule measures the loss:

     W_{t+1} = W_t - tau_t grad L(W_t),   tau_t = eta_t                               (gradient descent)
                                                  eta_t / ||grad L(W_t)||             (normalised)
                                                  eta_t (L(W_t) - least) / ||grad L(W_t)||^2   (Polyak)

   A new rule is a constructor of `rule` with its case of step_factor, and lemmas like those at the end of this
   file. An iteration whose state is more than a point (momentum has a velocity, too) is `iterated` of its own step.
   *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Gradient Direction.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- any state ---- *)

Section States.
Variables (state : Type) (next : nat -> state -> state) (start : state).

Fixpoint iterated (t : nat) : state := if t is s.+1 then next s (iterated s) else start.

Lemma iterated_unique (w : nat -> state) : w O = start -> (forall t, w t.+1 = next t (w t)) ->
  forall t, w t = iterated t.
Proof. by move=> w0 step; elim=> [|t IH] //=; rewrite step IH. Qed.
End States.

(* ---- any field, and a potential's excess over its least value ---- *)

Variant rule := GradientSteps | NormalisedSteps | PolyakSteps.

Section Field.
Variables (J : finType) (field : vec J -> vec J) (excess : vec J -> R) (r : rule) (eta : nat -> R).

Definition step_factor (t : nat) (w : vec J) : R :=
  match r with
  | GradientSteps => eta t
  | NormalisedSteps => eta t / vnorm (field w)
  | PolyakSteps => eta t * excess w / (vnorm (field w) * vnorm (field w))
  end.

Definition moved (t : nat) (w : vec J) : vec J := (w - step_factor t w * field w)%V.

(* The step from w is defined: nothing is divided by 0. *)
Definition moves_from (w : vec J) : Prop := r <> GradientSteps -> 0 < vnorm (field w).

(* Where the field is 0 the step is 0, by whatever it is multiplied. *)
Lemma moved_still t w : field w = vzero -> moved t w = w.
Proof. by move=> E; rewrite /moved E; vec_ring. Qed.
End Field.

(* ---- training ---- *)

(* The loss of the scores that a selection takes: L* when it takes a best score of every group. *)
Definition least_loss (p : selection_problem) (b : selection p) (l : loss) : R := \sum_i weight i * l (score (b i)).

Section Training.
Variables (p : selection_problem) (l : loss) (least : R) (r : rule) (eta : nat -> R).
Implicit Types w : nat -> vec (coord p).

(* tau_t *)
Definition rate : nat -> vec (coord p) -> R := step_factor (gradient l) (fun z => training_loss l z - least) r eta.
Definition step_defined : vec (coord p) -> Prop := moves_from (gradient l) r.

(* w is the sequence of iterates; gradient and normalised steps do not depend on least. *)
Definition follows w : Prop := forall t, w t.+1 = (w t - rate t (w t) * gradient l (w t))%V.

Definition iterate (start : vec (coord p)) : nat -> vec (coord p) :=
  iterated (moved (gradient l) (fun z => training_loss l z - least) r eta) start.

Theorem iterate_follows start : follows (iterate start).
Proof. by []. Qed.

Theorem follows_unique w : follows w -> forall t, w t = iterate (w O) t.
Proof. by move=> run; apply: iterated_unique. Qed.

Lemma still_for_ever w s : follows w -> gradient l (w s) = vzero -> forall k, w (s + k)%nat = w s.
Proof. by move=> run g0; elim=> [|k IH]; rewrite ?addn0 // addnS run IH g0; vec_ring. Qed.

End Training.

(* Only Polyak's rule measures the loss. *)
Lemma follows_least (p : selection_problem) (l : loss) least least' r eta (w : nat -> vec (coord p)) :
  (r = PolyakSteps -> least = least') -> follows l least r eta w -> follows l least' r eta w.
Proof. by case: r => same run t; rewrite run // /rate -same. Qed.

(* From its step t on a run is one with the later step sizes. *)
Lemma follows_from (p : selection_problem) (l : loss) least r eta (w : nat -> vec (coord p)) t :
  follows l least r eta w -> follows l least r (fun k => eta (t + k)%nat) (fun s => w (t + s)%nat).
Proof. by move=> run s; rewrite addnS run; case: r {run}. Qed.

(* ---- the rules in terms of T1's weights ---- *)

Section Ascent.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (least : R) (eta : nat -> R).
Implicit Types w : nat -> vec (coord p).
Notation V z := (ascent (constraint alpha) (Delta alpha) (gibbs_weight (Delta alpha) (bare_weight alpha l z) z)).

(* T1 in the form that the dynamics theorems use. *)
Lemma gradient_ascent z : V z = (- gradient l z)%V.
Proof.
rewrite (gradient_constraints alpha l z) /ascent; apply: combine_eq => // c _.
by rewrite (omega_margin alpha).
Qed.

Lemma gradient_steps w : follows l least GradientSteps eta w -> forall t, w t.+1 = (w t - eta t * gradient l (w t))%V.
Proof. by []. Qed.

Lemma normalised_steps w : follows l least NormalisedSteps eta w -> forall t,
  w t.+1 = (w t - eta t / vnorm (gradient l (w t)) * gradient l (w t))%V.
Proof. by []. Qed.

Lemma gradient_steps_ascent w : follows l least GradientSteps eta w -> forall t, w t.+1 = (w t + eta t * V (w t))%V.
Proof. by move=> run t; rewrite (gradient_steps run) gradient_ascent; vec_ring. Qed.

Lemma normalised_steps_ascent w : follows l least NormalisedSteps eta w -> forall t,
  w t.+1 = (w t + eta t / vnorm (V (w t)) * V (w t))%V.
Proof. by move=> run t; rewrite run /rate /step_factor gradient_ascent vnormN; vec_ring. Qed.

Lemma polyak_steps_ascent w : follows l least PolyakSteps eta w -> forall t,
  w t.+1 = (w t + eta t * (training_loss l (w t) - least) / vnorm2 (V (w t)) * V (w t))%V.
Proof. by move=> run t; rewrite run /rate /step_factor gradient_ascent vnorm2N -vnorm_sqr; vec_ring. Qed.
End Ascent.
