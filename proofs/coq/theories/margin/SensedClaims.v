(* SensedClaims: what claims say about the problem of a selection whose rows have senses, and why their checks imply it:
   Claims.v for margins >= 1, >= 0 and = 0. With all of them >= 1 the definitions are those of Selection.v. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Enclosure Claims Senses SensedProblem.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section SensedClaims.
Variables (p : selection_problem) (alpha : selection p) (s : token p -> sense).
Implicit Types (w : vec (coord p)) (t : token p) (x lam : token p -> R) (A : pred (token p)).

Let Delta := @Delta p alpha.
Let constraint := @constraint p alpha.
Let margin := @margin p alpha.
Let W := @W p alpha.
Notation signs lam := (forall t, constraint t -> signed (s t) (lam t)).
Notation sum_asked x := (\sum_(t | constraint t) x t * asked (s t)).

(* ---- the problem ---- *)

Definition sensed_separates w : Prop := forall t, constraint t -> in_sense (s t) (margin w t).
Definition sensed_feasible : Prop := exists w, sensed_separates w.

(* w is the solution of: minimise ||w|| subject to each margin in its sense; it is the only one. *)
Definition sensed_max_margin w : Prop :=
  sensed_separates w /\ forall w', sensed_separates w' -> w' <> w -> vnorm w < vnorm w'.

(* Inequalities that are tight. *)
Definition sensed_support w t : Prop := [/\ constraint t, ~~ is_equality (s t) & margin w t = asked (s t)].

Definition sensed_multipliers w lam : Prop :=
  [/\ signs lam, w = combine constraint lam Delta &
      forall t, constraint t -> lam t * (margin w t - asked (s t)) = 0].

Definition sensed_strictly_complementary : Prop :=
  exists w lam, [/\ sensed_max_margin w, sensed_multipliers w lam & forall t, sensed_support w t -> 0 < lam t].

Theorem sensed_max_margin_unique w w' : sensed_max_margin w -> sensed_max_margin w' -> w = w'.
Proof. exact: (@sensed_minimiser_unique _ _ constraint Delta s). Qed.

Theorem sensed_max_margin_exists : sensed_feasible -> exists w, sensed_max_margin w.
Proof. exact: (@sensed_minimiser_exists _ _ constraint Delta s). Qed.

(* ---- feasible, infeasible, margin-at-most ---- *)

Theorem sensed_infeasible_sound x : signs x -> W x = vzero -> 0 < sum_asked x -> ~ sensed_feasible.
Proof. exact: (@signed_infeasible _ _ constraint Delta s). Qed.

Theorem sensed_margin_at_most_sound x bound : signs x -> 0 < sum_asked x -> 0 <= bound ->
  vnorm2 (W x) <= bound * bound * (sum_asked x * sum_asked x) ->
  forall w, sensed_separates w -> 1 <= bound * vnorm w.
Proof.
move=> x0 pos b0 short w sep; have low := signed_le_dot (sep : senses_hold constraint Delta s w) x0.
have : vnorm (W x) <= bound * sum_asked x.
  by apply: vnorm_le_sqr; [apply: Rmult_le_pos; lra | apply: Rle_trans short _; right; ring].
move=> small; have := Rmult_le_compat_r _ _ _ (vnorm_ge0 w) small; have := dot_le_norms (W x) w.
have {}low : sum_asked x <= dot (W x) w := low.
by move=> *; apply: (Rmult_le_reg_l (sum_asked x)) => //; lra.
Qed.

(* ---- optimal ---- *)

Definition sensed_solution_with w lam : Prop := sensed_max_margin w /\ sensed_multipliers w lam.

Theorem sensed_optimal_sound lam : signs lam -> sensed_separates (W lam) ->
  (forall t, constraint t -> lam t <> 0 -> margin (W lam) t = asked (s t)) -> sensed_solution_with (W lam) lam.
Proof.
move=> l0 sep tight.
have slack t : constraint t -> lam t * (margin (W lam) t - asked (s t)) = 0.
  by move=> ct; case: (Req_dec (lam t) 0) => [-> | /(tight t ct) ->]; ring.
by split; [apply: (sensed_kkt (lam := lam)) | split].
Qed.

(* ---- optimal-enclosure ---- *)

Definition sensed_gap_enclosure (LO HI R2 : R) w : Prop :=
  exists wstar, [/\ sensed_max_margin wstar, LO <= vnorm2 wstar <= HI & vnorm2 (w - wstar) <= R2].

Theorem sensed_gap_enclosure_sound x y LO HI R2 : sensed_separates (W x) -> signs y ->
  LO <= 2 * sum_asked y - vnorm2 (W y) -> vnorm2 (W x) <= HI ->
  vnorm2 (W x) - (2 * sum_asked y - vnorm2 (W y)) <= R2 -> sensed_gap_enclosure LO HI R2 (W x).
Proof.
move=> sep y0 lo hi rad; have [|wstar M] := sensed_max_margin_exists; first by exists (W x).
have d : vnorm2 (W x - wstar) <= vnorm2 (W x) - vnorm2 wstar := sensed_distance_primal M sep.
have dual : 2 * sum_asked y - vnorm2 (W y) <= vnorm2 wstar := sensed_weak_duality (proj1 M) y0.
have g : vnorm2 (W x - wstar) <= vnorm2 (W x) - (2 * sum_asked y - vnorm2 (W y)) := sensed_gap_distance M sep y0.
by have := vnorm2_ge0 (W x - wstar)%V; exists wstar; split=> //; [split |]; lra.
Qed.

Definition sensed_ball_enclosure A lam (LO HI R2 Q : R) : Prop :=
  exists wstar lamstar,
  [/\ sensed_solution_with wstar lamstar,
      forall t, constraint t /\ margin wstar t = asked (s t) <-> A t,
      forall t, A t -> ~~ is_equality (s t) -> 0 < lamstar t,
      vnorm2 (W lam - wstar) <= R2 /\ \sum_(t | A t) (lam t - lamstar t) * (lam t - lamstar t) <= Q * Q &
      LO <= vnorm2 wstar <= HI].

Theorem sensed_ball_enclosure_sound A lam S R2 Q LO HI :
  (forall t, A t -> constraint t) -> (forall t, constraint t -> ~~ A t -> lam t = 0) ->
  (forall t, constraint t -> is_equality (s t) -> A t) ->
  0 < S -> gram_at_least A Delta S ->
  let r t := asked (s t) - margin (W lam) t in
  \sum_(t | A t) r t * r t <= R2 * S ->
  0 <= Q -> \sum_(t | A t) r t * r t <= Q * Q * (S * S) ->
  (forall t, A t -> ~~ is_equality (s t) -> Q < lam t) ->
  (forall t, constraint t -> ~~ A t -> asked (s t) < margin (W lam) t /\
     R2 * vnorm2 (Delta t) < (margin (W lam) t - asked (s t)) * (margin (W lam) t - asked (s t))) ->
  let b := 2 * (\sum_(t | A t) lam t * asked (s t)) - vnorm2 (W lam) in
  LO <= b -> b + R2 <= HI ->
  sensed_ball_enclosure A lam LO HI R2 Q.
Proof.
move=> Ac lam_off equal S0 gram r rad Q0 mrad large far b lo hi.
have restrict (y : token p -> R) : combine constraint (fun t => if A t then y t else 0) Delta = combine A y Delta.
  apply: vec_ext => j; rewrite /combine [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => t _.
  by case At: (A t); [rewrite Ac | case: (constraint t); rewrite ?Rmult_0_l].
have WE : W lam = combine A lam Delta.
  rewrite -restrict; apply: combine_eq => // t ct.
  by case At: (A t) => //; rewrite lam_off // At.
rewrite /b /r /margin /Selection.margin in rad mrad far lo hi; rewrite WE in rad mrad far lo hi.
have slack t ct nt := proj1 (far t ct nt); have far2 t ct nt := proj2 (far t ct nt).
have [lamstar [M pos supp [dl dw] nrm]] := sensed_enclosure Ac equal S0 gram rad Q0 mrad large slack far2.
exists (combine A lamstar Delta), (fun t => if A t then lamstar t else 0); split.
- split=> //; split=> [t _ | | t ct].
  + rewrite /signed; case E: (is_equality (s t)) => //.
    by case At: (A t); [apply: Rlt_le; apply: pos => //; rewrite E | lra].
  + by rewrite restrict.
  case At: (A t); last by rewrite Rmult_0_l.
  by rewrite /margin /Selection.margin (proj2 (supp t ct) At) Rminus_diag_eq // Rmult_0_r.
- move=> t; split=> [[ct tight] | At]; first exact/(supp t ct).
  by split; [apply: Ac | apply/(supp t (Ac t At))].
- by move=> t At; rewrite At; apply: pos.
- rewrite WE; split=> //; apply: Rle_trans dl; right.
  by apply: eq_bigr => t ->.
by lra.
Qed.

(* ---- support ---- *)

Definition sensed_support_is A : Prop :=
  exists wstar, sensed_max_margin wstar /\ forall t, sensed_support wstar t <-> A t.

Theorem sensed_support_sound_ball A lam LO HI R2 Q : sensed_ball_enclosure A lam LO HI R2 Q ->
  sensed_support_is (fun t => ~~ is_equality (s t) && A t).
Proof.
move=> [w [l [[M _] supp _ _ _]]]; exists w; split=> // t; split=> [[ct ne tight] | /andP[ne /supp[ct tight]]] //.
by rewrite ne; apply/supp.
Qed.

(* ---- strict complementarity ---- *)

Theorem sensed_strictly_complementary_sound_ball A lam LO HI R2 Q : sensed_ball_enclosure A lam LO HI R2 Q ->
  sensed_strictly_complementary.
Proof.
move=> [w [l [[M mult] supp pos _ _]]]; exists w, l; split=> // t [ct ne tight].
by apply: pos => //; apply/supp.
Qed.

(* mu may be the multipliers of the optimal claim itself, or another vector with W mu = W*. *)
Theorem sensed_strictly_complementary_sound w lam mu A : sensed_solution_with w lam ->
  (forall t, sensed_support w t <-> A t) ->
  (forall t, constraint t -> ~~ is_equality (s t) -> if A t then 0 < mu t else mu t = 0) -> W mu = w ->
  sensed_strictly_complementary.
Proof.
move=> [M _] supp signs_mu E; exists w, mu; split=> //; last first.
  by move=> t st; have [ct ne _] := st; have := signs_mu t ct ne; rewrite (proj1 (supp t) st).
split=> [t ct | // | t ct].
  rewrite /signed; case Eq: (is_equality (s t)) => //; have := signs_mu t ct; rewrite Eq.
  by case: (A t) => /(_ isT); lra.
case Eq: (is_equality (s t)).
  by have [/(_ t ct)] := M; rewrite /in_sense Eq => -> _; ring.
have := signs_mu t ct; rewrite Eq; case At: (A t) => /(_ isT) => [_ | ->]; last by ring.
by have [_ _ ->] := proj2 (supp t) At; ring.
Qed.

(* No multiplier vector is positive at t: hence none is positive on the whole support. *)
Definition sensed_multiplier_vanishes t : Prop := exists wstar,
  [/\ sensed_max_margin wstar, sensed_support wstar t & forall lam, sensed_multipliers wstar lam -> lam t = 0].

Theorem sensed_multiplier_vanishes_sound w lam x t : sensed_solution_with w lam -> sensed_support w t ->
  (forall u, sensed_support w u -> 0 <= dot (Delta u) (W x)) ->
  (forall u, constraint u -> is_equality (s u) -> dot (Delta u) (W x) = 0) ->
  dot w (W x) = 0 -> 0 < dot (Delta t) (W x) -> sensed_multiplier_vanishes t.
Proof.
move=> [M _] st nonneg zero orth pos; exists w; split=> // mu [mu0 E slack].
have [ct _ _] := st; have term u : constraint u -> 0 <= mu u * dot (Delta u) (W x).
  move=> cu; case Eq: (is_equality (s u)); first by rewrite zero //; lra.
  have := mu0 u cu; rewrite /signed Eq => u0.
  case: (Req_dec (mu u) 0) => [-> | ne]; first by lra.
  apply: Rmult_le_pos => //; apply: nonneg; split; rewrite ?Eq //.
  by case: (Rmult_integral _ _ (slack u cu)) => // ?; lra.
have S0 : \sum_(u | constraint u) mu u * dot (Delta u) (W x) = 0.
  by rewrite -(dot_combinel constraint mu) -[combine _ _ _]E.
by case: (Rmult_integral _ _ (sum_eq0 (F := fun u => mu u * dot (Delta u) (W x)) term S0 ct)) => // ?; lra.
Qed.

Theorem not_sensed_strictly_complementary_sound t : sensed_multiplier_vanishes t -> ~ sensed_strictly_complementary.
Proof.
move=> [w [M st vanish]] [w' [lam [M' mult pos]]].
rewrite -(sensed_max_margin_unique M M') in mult pos.
by have := pos t st; rewrite vanish //; lra.
Qed.
End SensedClaims.

(* ---- all rows >= 1 ---- *)

Theorem sensed_max_margin_plain (p : selection_problem) (alpha : selection p) (w : vec (coord p)) :
  sensed_max_margin alpha (fun=> AtLeastOne) w <-> max_margin alpha w.
Proof. by []. Qed.
