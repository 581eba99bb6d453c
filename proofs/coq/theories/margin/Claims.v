(* Claims: what each claim of the certificate language says about a selection problem, and why its check implies it.

   One definition and one soundness theorem per claim kind of proofs/statements/GRAMMAR.md that speaks about a margin
   problem. The evidence vectors are functions on tokens; W x = sum over constraints of x_c Delta_c. A checker that
   decides the hypotheses of these theorems exactly is sound. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Duality MarginProblem LeastNorm Farkas Enclosure.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Claims.
Variables (p : selection_problem) (alpha : selection p).
Implicit Types (w : vec (coord p)) (t : token p) (x lam : token p -> R) (A : pred (token p)).

Let Delta := @Delta p alpha.
Let constraint := @constraint p alpha.
Let margin := @margin p alpha.
Let gap := @gap p alpha.

(* The linear combination that evidence stands for. *)
Definition W x : vec (coord p) := combine constraint x Delta.

Lemma margin_W x t : margin (W x) t = \sum_(u | constraint u) x u * dot (Delta t) (Delta u).
Proof. exact: dot_combiner. Qed.

(* ---- the maximum-margin problem as a margin problem with right-hand sides 1 ---- *)

Lemma max_margin_minimiser w : max_margin alpha w <-> minimiser constraint Delta (fun=> 1) w.
Proof. by []. Qed.

Theorem max_margin_unique w w' : max_margin alpha w -> max_margin alpha w' -> w = w'.
Proof. exact: minimiser_unique. Qed.

(* A feasible selection has a maximum-margin solution. *)
Theorem max_margin_exists : feasible alpha -> exists w, max_margin alpha w.
Proof. exact: minimiser_exists. Qed.

Theorem max_margin_feasible w : max_margin alpha w -> feasible alpha.
Proof. by case=> Hw _; exists w. Qed.

(* T2, both directions. *)
Theorem max_margin_kkt w : max_margin alpha w <-> separates alpha w /\ exists lam, multipliers alpha w lam.
Proof. exact: (kkt constraint Delta (fun=> 1) w). Qed.

(* T4, both directions. *)
Theorem infeasible_gordan : ~ feasible alpha <->
  exists lam, [/\ forall t, constraint t -> 0 <= lam t, \sum_(t | constraint t) lam t = 1 & W lam = vzero].
Proof. exact: (gordan constraint Delta). Qed.

(* Local optimality of a feasible selection speaks about its only solution. *)
Lemma locally_optimal_at w : max_margin alpha w ->
  (locally_optimal alpha <-> forall t, support alpha w t -> 0 < gap t).
Proof.
move=> Mw; split=> [[w' [Mw' H]] | H]; last by exists w.
by rewrite (max_margin_unique Mw Mw').
Qed.

(* ---- feasible, infeasible ---- *)

Theorem feasible_sound x : separates alpha (W x) -> feasible alpha.
Proof. by exists (W x). Qed.

Theorem infeasible_sound x :
  (forall t, constraint t -> 0 <= x t) -> (exists t, constraint t /\ 0 < x t) -> W x = vzero -> ~ feasible alpha.
Proof.
move=> x0 [t [ct xt]] Wx; apply: (farkas_infeasible x0 Wx).
apply: (sum_gt0 (F := fun c => x c * 1) (i := t)) => // [u cu|]; last by lra.
by have := x0 u cu; lra.
Qed.

(* ---- optimal ---- *)

(* w is the solution and lam its multipliers. *)
Definition solution_with w lam : Prop := max_margin alpha w /\ multipliers alpha w lam.

Theorem optimal_sound lam :
  (forall t, constraint t -> 0 <= lam t) -> separates alpha (W lam) ->
  (forall t, constraint t -> lam t <> 0 -> margin (W lam) t = 1) ->
  solution_with (W lam) lam.
Proof.
move=> l0 sep tight.
have slack t : constraint t -> lam t * (margin (W lam) t - 1) = 0.
  by move=> ct; case: (Req_dec (lam t) 0) => [-> | /(tight t ct) ->]; ring.
by split; [apply: (kkt_minimiser (lam := lam)) | split].
Qed.

(* ---- optimal-enclosure, form gap ---- *)

Definition gap_enclosure (LO HI R2 : R) w : Prop :=
  exists wstar, [/\ max_margin alpha wstar, LO <= vnorm2 wstar <= HI & vnorm2 (w - wstar) <= R2].

Theorem gap_enclosure_sound x y LO HI R2 :
  separates alpha (W x) -> (forall t, constraint t -> 0 <= y t) ->
  LO <= 2 * (\sum_(t | constraint t) y t) - vnorm2 (W y) -> vnorm2 (W x) <= HI ->
  vnorm2 (W x) - (2 * (\sum_(t | constraint t) y t) - vnorm2 (W y)) <= R2 ->
  gap_enclosure LO HI R2 (W x).
Proof.
move=> sep y0 lo hi rad.
have one : \sum_(t | constraint t) y t * 1 = \sum_(t | constraint t) y t by apply: eq_bigr => t _; ring.
have [|wstar M] := max_margin_exists; first by exists (W x).
have d := distance_primal M sep; have dual := weak_duality (proj1 M) y0; have := gap_distance M sep y0.
rewrite one in dual *; rewrite -/(W y) in dual * => g.
have := vnorm2_ge0 (W x - wstar)%V.
by exists wstar; split=> //; [split |]; lra.
Qed.

(* ---- optimal-enclosure, form lambda-min ---- *)

Definition ball_enclosure A lam (LO HI R2 Q : R) : Prop :=
  exists wstar lamstar,
  [/\ solution_with wstar lamstar,
      forall t, support alpha wstar t <-> A t,
      forall t, A t -> 0 < lamstar t,
      vnorm2 (W lam - wstar) <= R2 /\ \sum_(t | A t) (lam t - lamstar t) * (lam t - lamstar t) <= Q * Q &
      LO <= vnorm2 wstar <= HI].

Theorem ball_enclosure_sound A lam S R2 Q LO HI :
  (forall t, A t -> constraint t) -> (forall t, constraint t -> ~~ A t -> lam t = 0) ->
  0 < S -> gram_at_least A Delta S ->
  let r t := 1 - margin (W lam) t in
  \sum_(t | A t) r t * r t <= R2 * S ->
  0 <= Q -> \sum_(t | A t) r t * r t <= Q * Q * (S * S) ->
  (forall t, A t -> Q < lam t) ->
  (forall t, constraint t -> ~~ A t -> 1 < margin (W lam) t) ->
  (forall t, constraint t -> ~~ A t ->
     R2 * vnorm2 (Delta t) < (margin (W lam) t - 1) * (margin (W lam) t - 1)) ->
  let b := 2 * (\sum_(t | A t) lam t) - vnorm2 (W lam) in
  LO <= b -> b + R2 <= HI ->
  ball_enclosure A lam LO HI R2 Q.
Proof.
move=> Ac lam_off S0 gram r rad Q0 mrad large slack far b lo hi.
have restrict (y : token p -> R) : combine constraint (fun t => if A t then y t else 0) Delta = combine A y Delta.
  apply: vec_ext => j; rewrite /combine [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => t _.
  by case At: (A t); [rewrite Ac | case: (constraint t); rewrite ?Rmult_0_l].
have WE : W lam = combine A lam Delta.
  rewrite -restrict; apply: combine_eq => // t ct.
  by case At: (A t) => //; rewrite lam_off // At.
rewrite /b /r /margin /Selection.margin in rad mrad slack far lo hi; rewrite WE in rad mrad slack far lo hi.
have [lamstar [M pos supp [dl dw] nrm]] := enclosure Ac S0 gram rad Q0 mrad large slack far.
exists (combine A lamstar Delta), (fun t => if A t then lamstar t else 0); split.
- split=> //; split=> [t _ | | t ct]; first by case At: (A t); [apply: Rlt_le; apply: pos | lra].
    by rewrite restrict.
  case At: (A t); last by rewrite Rmult_0_l.
  by rewrite /Selection.margin (proj2 (supp t ct) At) Rminus_diag_eq // Rmult_0_r.
- move=> t; split=> [[ct one] | At]; first exact/(supp t ct).
  by split; [apply: Ac | apply/(supp t (Ac t At))].
- by move=> t At; rewrite At; apply: pos.
- rewrite WE; split=> //; apply: Rle_trans dl; right.
  by apply: eq_bigr => t ->.
- by lra.
Qed.

(* ---- support ---- *)

Definition support_is A : Prop := exists wstar, max_margin alpha wstar /\ forall t, support alpha wstar t <-> A t.

Theorem support_sound_optimal w lam A : solution_with w lam ->
  (forall t, A t -> constraint t) -> (forall t, constraint t -> (margin w t = 1 <-> A t)) -> support_is A.
Proof.
move=> [M _] Ac HA; exists w; split=> // t; split=> [[ct /(HA t ct)] // | At].
by split; [apply: Ac | apply/(HA t (Ac t At))].
Qed.

Theorem support_sound_ball A lam LO HI R2 Q : ball_enclosure A lam LO HI R2 Q -> support_is A.
Proof. by move=> [w [l [[M _] supp _ _ _]]]; exists w. Qed.

(* ---- strict complementarity ---- *)

Theorem strictly_complementary_sound_ball A lam LO HI R2 Q :
  ball_enclosure A lam LO HI R2 Q -> strictly_complementary alpha.
Proof. by move=> [w [l [[M mult] supp pos _ _]]]; exists w, l; split=> // t /supp; apply: pos. Qed.

(* mu may be the multipliers of the optimal claim itself, or another vector with W mu = W*. *)
Theorem strictly_complementary_sound w lam mu A : solution_with w lam ->
  (forall t, support alpha w t <-> A t) ->
  (forall t, A t -> 0 < mu t) -> (forall t, constraint t -> ~~ A t -> mu t = 0) -> W mu = w ->
  strictly_complementary alpha.
Proof.
move=> [M _] supp pos off E; exists w, mu; split=> //; last by move=> t /supp; apply: pos.
split=> [t ct | // | t ct]; case At: (A t).
- by have := pos t At; lra.
- by rewrite off ?At //; lra.
- by have [_ ->] := proj2 (supp t) At; ring.
- by rewrite off ?At //; ring.
Qed.

(* No multiplier vector is positive at t: hence none is positive on the whole support. *)
Definition multiplier_vanishes t : Prop :=
  exists wstar, [/\ max_margin alpha wstar, support alpha wstar t &
    forall lam, multipliers alpha wstar lam -> lam t = 0].

Theorem multiplier_vanishes_sound w lam x t : solution_with w lam -> support alpha w t ->
  (forall u, support alpha w u -> 0 <= dot (Delta u) (W x)) -> dot w (W x) = 0 -> 0 < dot (Delta t) (W x) ->
  multiplier_vanishes t.
Proof.
move=> [M _] st nonneg orth pos; exists w; split=> // mu [mu0 E slack].
have ct := proj1 st; have term u : constraint u -> 0 <= mu u * dot (Delta u) (W x).
  move=> cu; case: (Req_dec (mu u) 0) => [-> | ne]; first by lra.
  have su : support alpha w u.
    split=> //; case: (Rmult_integral _ _ (slack u cu)) => // ?; lra.
  by apply: Rmult_le_pos; [apply: mu0 | apply: nonneg].
have S0 : \sum_(u | constraint u) mu u * dot (Delta u) (W x) = 0.
  by rewrite -(dot_combinel constraint mu) -[combine _ _ _]E.
by case: (Rmult_integral _ _ (sum_eq0 (F := fun u => mu u * dot (Delta u) (W x)) term S0 ct)) => // ?; lra.
Qed.

Theorem not_strictly_complementary_sound t : multiplier_vanishes t -> ~ strictly_complementary alpha.
Proof.
move=> [w [M st vanish]] [w' [lam [M' mult pos]]].
rewrite -(max_margin_unique M M') in mult pos.
by have := pos t st; rewrite vanish //; lra.
Qed.

(* ---- local optimality ---- *)

Theorem locally_optimal_sound_support A : support_is A -> (forall t, A t -> 0 < gap t) -> locally_optimal alpha.
Proof. by move=> [w [M supp]] pos; exists w; split=> // t /supp; apply: pos. Qed.

(* From a ball around the solution: constraints with no positive gap are certainly slack there. *)
Lemma locally_optimal_sound_distance w wstar R2 : max_margin alpha wstar -> vnorm2 (w - wstar) <= R2 ->
  (forall t, constraint t -> gap t <= 0 ->
     1 < margin w t /\ R2 * vnorm2 (Delta t) < (margin w t - 1) * (margin w t - 1)) ->
  locally_optimal alpha.
Proof.
move=> M dist far; exists wstar; split=> // t [ct one]; apply: Rnot_le_lt => g.
have [slack far_t] := far t ct g.
have := @margin_in_ball _ _ Delta (fun=> 1) w wstar t R2 dist slack far_t.
by rewrite -[dot _ _]/(Selection.margin alpha wstar t) one; lra.
Qed.

Theorem locally_optimal_sound_gap w LO HI R2 : gap_enclosure LO HI R2 w ->
  (forall t, constraint t -> gap t <= 0 ->
     1 < margin w t /\ R2 * vnorm2 (Delta t) < (margin w t - 1) * (margin w t - 1)) ->
  locally_optimal alpha.
Proof. by move=> [wstar [M _ dist]]; apply: locally_optimal_sound_distance M dist. Qed.

Theorem locally_optimal_sound_ball A lam LO HI R2 Q : ball_enclosure A lam LO HI R2 Q ->
  (forall t, constraint t -> gap t <= 0 ->
     1 < margin (W lam) t /\ R2 * vnorm2 (Delta t) < (margin (W lam) t - 1) * (margin (W lam) t - 1)) ->
  locally_optimal alpha.
Proof. by move=> [wstar [l [[M _] _ _ [dist _] _]]]; apply: locally_optimal_sound_distance M dist. Qed.

Theorem not_locally_optimal_sound_infeasible : ~ feasible alpha -> ~ locally_optimal alpha.
Proof. by move=> inf [w [M _]]; apply: inf; apply: max_margin_feasible M. Qed.

Theorem not_locally_optimal_sound_support A t : support_is A -> A t -> gap t <= 0 -> ~ locally_optimal alpha.
Proof. by move=> [w [M supp]] At g /(locally_optimal_at M) H; have := H t (proj2 (supp t) At); lra. Qed.

(* ---- global optimality and ties ---- *)

Theorem globally_optimal_sound : (forall t, constraint t -> 0 < gap t) -> globally_optimal alpha.
Proof. by move=> H t ct; have := H t ct; rewrite /gap /Selection.gap; lra. Qed.

Theorem not_globally_optimal_sound t : constraint t -> gap t <= 0 -> ~ globally_optimal alpha.
Proof. by move=> ct g H; have := H t ct; move: g; rewrite /gap /Selection.gap; lra. Qed.

(* A feasible globally optimal selection is locally optimal. *)
Theorem globally_locally_optimal : feasible alpha -> globally_optimal alpha -> locally_optimal alpha.
Proof.
move=> /max_margin_exists [w M] G; exists w; split=> // t [ct _].
by have := G t ct; rewrite /Selection.gap; lra.
Qed.
End Claims.

(* Two tokens share the best score of their group; then no selection is globally optimal. *)
Definition score_tie (p : selection_problem) (t u : token p) : Prop :=
  [/\ t <> u, group_of t = group_of u, score t = score u & forall s, group_of s = group_of t -> score s <= score t].

Theorem score_tie_not_globally_optimal (p : selection_problem) (t u : token p) (alpha : selection p) :
  score_tie t u -> ~ globally_optimal alpha.
Proof.
move=> [ne same tie best] G.
have [s [su st cs]] : exists s, [/\ group_of s = group_of t, score s = score t & constraint alpha s].
  case ct: (constraint alpha t); first by exists t.
  exists u; split=> //; apply/eqP => uE; apply: ne.
  by rewrite uE /selected -same; apply: not_constraint (negbT ct).
by have := G s cs; have := best (selected alpha s); rewrite group_of_selected su => /(_ erefl); lra.
Qed.
