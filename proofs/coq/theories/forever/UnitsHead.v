(* UnitsHead: two-layer ReLU heads (DYNAMICS.md section 11, H1).

   The output is Y sum_u r_u max(0, z_u), z_u the mean of the units' numbers under the attention. Where no unit with
   r_u <> 0 can have another sign than at the selected token, it is the scalar loss with the exact scores
   Y sum r_u a_tu over the units that are active there: everything said of that head's factors is said of this. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Heads Direction Saturation FactorRange LocalRanges.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Units.
Variables (p : selection_problem) (U : finType) (Y : group p -> R) (r : U -> R) (unit_of : token p -> U -> R).
Variable l : loss.
Implicit Types (z : vec (coord p)) (t : token p) (i : group p) (s : token p -> R) (u : U).

Definition unit_mean i s u : R := \sum_(t | group_of t == i) s t * unit_of t u.
Definition unit_active i s : pred U := fun u => Rlt_dec 0 (unit_mean i s u).
Definition units_output i s : R := Y i * \sum_u r u * Rmax 0 (unit_mean i s u).

Definition units_head : head p :=
  Head (fun i s => l (units_output i s))
       (fun i s t => dloss l (units_output i s) * (Y i * \sum_(u | unit_active i s u) r u * unit_of t u)).

Variable alpha : selection p.

(* The selected scores, and the problem that has them. *)
Definition unit_on i : pred U := fun u => Rlt_dec 0 (unit_of (alpha i) u).
Definition units_score t : R := Y (group_of t) * \sum_(u | unit_on (group_of t) u) r u * unit_of t u.
Definition units_problem : selection_problem :=
  SelectionProblem (@group_of p) (@feature p) units_score (@multiplicity_gt0 p) (@weight_gt0 p).
Definition units_selection : selection units_problem := @Selection units_problem alpha (@group_of_pick p alpha).

(* No sign differs from the selected token's: the means are positive or negative as its numbers are. *)
Definition same_signs i s : Prop := forall u, r u <> 0 ->
  if unit_on i u then 0 < unit_mean i s u else unit_mean i s u < 0.

Lemma same_signs_sum i s (F : U -> R) : same_signs i s ->
  \sum_(u | unit_active i s u) r u * F u = \sum_(u | unit_on i u) r u * F u.
Proof.
move=> same; rewrite [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => u _ /=.
case: (Req_dec (r u) 0) => [->|r0]; first by case: (unit_active _ _ _); case: (unit_on _ _); ring.
by have := same u r0; rewrite /unit_active; case: (unit_on i u); case: Rlt_dec => /=; lra.
Qed.

Lemma units_output_score i s : same_signs i s ->
  units_output i s = \sum_(t | group_of t == i) s t * units_score t.
Proof.
move=> same; rewrite /units_output.
have -> : \sum_u r u * Rmax 0 (unit_mean i s u) = \sum_(u | unit_on i u) r u * unit_mean i s u.
  rewrite [RHS]big_mkcond; apply: eq_bigr => u _ /=.
  case: (Req_dec (r u) 0) => [->|r0]; first by case: (unit_on _ _); ring.
  by have := same u r0; case: (unit_on i u) => H; [rewrite Rmax_right | rewrite Rmax_left]; try lra; ring.
rewrite (eq_bigr (fun u => \sum_(t | group_of t == i) r u * (s t * unit_of t u))) => [|u _]; last by rewrite -sum_mull.
rewrite exchange_big /= sum_mull; apply: eq_bigr => t /eqP ti; rewrite /units_score ti !sum_mull.
by apply: eq_bigr => u _; ring.
Qed.

(* H1: where no sign has changed the factors are the scalar loss's. *)
Theorem units_factor z t : same_signs (group_of t) (attention z) ->
  head_factor alpha units_head z t = @bare_weight units_problem units_selection l z t.
Proof.
move=> same; set i := group_of t in same *.
have out : @output units_problem z i = units_output i (attention z) by rewrite (units_output_score same).
have slopes c : group_of c = i -> head_slope units_head i (attention z) c = dloss l (units_output i (attention z)) *
    units_score c.
  by move=> ci; rewrite /= (same_signs_sum _ same) /units_score ci.
have mean : mean_slope units_head z i = dloss l (units_output i (attention z)) * units_output i (attention z).
  rewrite {2}(units_output_score same) /mean_slope sum_mull; apply: eq_bigr => c /eqP ci.
  by rewrite (slopes c ci); ring.
rewrite /head_factor /bare_weight /copies /selected -[@group_of units_problem t]/i -/i out mean (slopes t erefl) /=.
by rewrite -[@attention units_problem z (alpha i)]/(attention z (alpha i)); ring.
Qed.

(* So the ranges and limits of that loss are those of this head, wherever the margins are as large as required. *)
Section Transfer.
Variable low : token p -> R.
Notation Q := (constraint alpha).
Hypothesis signs : forall z, margins_above Q (Delta alpha) low z -> forall i, same_signs i (attention z).

Theorem units_range f :
  factor_range Q (Delta alpha) (@bare_weight units_problem units_selection l) low f ->
  factor_range Q (Delta alpha) (head_factor alpha units_head) low f.
Proof.
case=> kept pos range out; split=> // z Hz t; rewrite units_factor; try exact: signs; first exact: range.
exact: out.
Qed.

Theorem units_limit S limit rate :
  factor_limit Q (Delta alpha) (@bare_weight units_problem units_selection l) low S limit rate ->
  factor_limit Q (Delta alpha) (head_factor alpha units_head) low S limit rate.
Proof. by case=> pos rates dev; split=> // z Hz t; rewrite units_factor; [exact: dev | exact: signs]. Qed.
End Transfer.

(* The signs are decided by how far the means can be from the selected token's numbers. *)
Theorem units_signs (low : token p -> R) (eps : group p -> R) (up down : group p -> U -> R) :
  (forall i, local_odds alpha low i / (1 + local_odds alpha low i) <= eps i) ->
  (forall i u, 0 <= up i u /\ 0 <= down i u) ->
  (forall i t u, others alpha i t -> - down i u <= unit_of t u - unit_of (alpha i) u <= up i u) ->
  (forall i u, r u <> 0 ->
    0 < unit_of (alpha i) u - eps i * down i u \/ unit_of (alpha i) u + eps i * up i u < 0) ->
  forall z, margins_above (constraint alpha) (Delta alpha) low z -> forall i, same_signs i (attention z).
Proof.
move=> inside ge0 moves decided z Hz i u r0; have e := attention_range inside Hz i.
have [up0 down0] := ge0 i u; have d := attention_deficit_sum alpha z i.
have mean : unit_mean i (attention z) u = unit_of (alpha i) u +
    \sum_(t | others alpha i t) attention z t * (unit_of t u - unit_of (alpha i) u).
  rewrite /unit_mean (group_sum alpha).
  have -> : \sum_(t | others alpha i t) attention z t * (unit_of t u - unit_of (alpha i) u) =
      \sum_(t | others alpha i t) attention z t * unit_of t u - (1 - attention z (alpha i)) * unit_of (alpha i) u.
    by rewrite d sum_mulr -sumB; apply: eq_bigr => t _; ring.
  ring.
have a0 t : 0 <= attention z t := Rlt_le _ _ (attention_gt0 z t).
have least : - (eps i * down i u) <=
    \sum_(t | others alpha i t) attention z t * (unit_of t u - unit_of (alpha i) u).
  apply: (Rle_trans _ (\sum_(t | others alpha i t) attention z t * - down i u)).
    by rewrite -sum_mulr -d; have := Rmult_le_compat_r _ _ _ down0 e; lra.
  by apply: sum_le => t ti; apply: Rmult_le_compat_l => //; have := moves i t u ti; lra.
have most : \sum_(t | others alpha i t) attention z t * (unit_of t u - unit_of (alpha i) u) <= eps i * up i u.
  apply: (Rle_trans _ (\sum_(t | others alpha i t) attention z t * up i u)).
    by apply: sum_le => t ti; apply: Rmult_le_compat_l => //; have := moves i t u ti; lra.
  by rewrite -sum_mulr -d; have := Rmult_le_compat_r _ _ _ up0 e; lra.
have e0 : 0 <= eps i.
  by apply: Rle_trans e; rewrite d; apply: sum_ge0.
have pu := Rmult_le_pos _ _ e0 up0; have pd := Rmult_le_pos _ _ e0 down0.
by rewrite mean /unit_on; case: Rlt_dec => /= s; case: (decided i u r0); lra.
Qed.

(* Off the kinks the slopes are the derivative. *)
Theorem units_differentiable i s : loss_domain l (units_output i s) ->
  (forall u, r u <> 0 -> unit_mean i s u <> 0) -> differentiable units_head i s.
Proof.
move=> inside off c d x cs dc; set m := fun y u => unit_mean i (c y) u.
have means u : m x u = unit_mean i s u by apply: eq_bigr => t _; rewrite cs.
have dm u : is_derive (fun y => m y u) x (\sum_(t | group_of t == i) d t * unit_of t u).
  apply: is_derive_sum => t ti; apply: is_derive_ext_eq (is_derive_scal_l _ _ _ (unit_of t u) (dc t ti)).
  by rewrite /scal /= /mult /=; ring.
have near u : r u <> 0 -> is_derive (fun y => Rmax 0 (m y u)) x
    (if unit_active i s u then \sum_(t | group_of t == i) d t * unit_of t u else 0).
  move=> r0; have cont : continuous (fun y => m y u) x by apply: ex_derive_continuous; eexists; exact (dm u).
  rewrite /unit_active -means; case: Rlt_dec => /= s0.
    apply: (is_derive_ext_loc (fun y => m y u)); last exact (dm u).
    have pos : locally x (fun y => 0 < m y u) := cont (fun v => 0 < v) (open_gt 0 (m x u) s0).
    by apply: filter_imp pos => y y0; rewrite Rmax_right //; lra.
  have s1 : m x u < 0 by have := off u r0; rewrite -means; lra.
  apply: (is_derive_ext_loc (fun=> 0)); last exact: is_derive_const.
  have neg : locally x (fun y => m y u < 0) := cont (fun v => v < 0) (open_lt 0 (m x u) s1).
  by apply: filter_imp neg => y y0; rewrite Rmax_left //; lra.
have dout : is_derive (fun y => units_output i (c y)) x
    (Y i * \sum_u r u * (if unit_active i s u then \sum_(t | group_of t == i) d t * unit_of t u else 0)).
  apply: is_derive_scal; apply: is_derive_sum => u _.
  case: (Req_dec (r u) 0) => [r0|r0]; last by apply: is_derive_scal; exact: near.
  rewrite r0; apply: (is_derive_ext (fun=> 0)); first by move=> y; rewrite Rmult_0_l.
  by apply: is_derive_ext_eq (is_derive_const 0 x); rewrite Rmult_0_l.
have E : units_output i (c x) = units_output i s.
  by rewrite /units_output; congr (_ * _); apply: eq_bigr => u _; rewrite -/(m x u) means.
rewrite -E in inside; have := is_derive_comp _ _ _ _ _ (is_derive_loss inside) dout; apply: is_derive_ext_eq.
rewrite E /scal /= /mult /=; set D := dloss l _.
have -> : \sum_(t | group_of t == i) D * (Y i * \sum_(u | unit_active i s u) r u * unit_of t u) * d t =
    D * (Y i * \sum_(u | unit_active i s u) r u * \sum_(t | group_of t == i) d t * unit_of t u).
  transitivity (\sum_(t | group_of t == i) D * (Y i * \sum_(u | unit_active i s u) r u * (d t * unit_of t u))).
    apply: eq_bigr => t _; rewrite !Rmult_assoc; congr (_ * (_ * _)); rewrite sum_mulr; apply: eq_bigr => u _; ring.
  rewrite -!sum_mull exchange_big /=; congr (_ * (_ * _)); apply: eq_bigr => u _; exact/esym/sum_mull.
rewrite [RHS]Rmult_comm; congr (_ * _); congr (_ * _); rewrite [RHS]big_mkcond; apply: eq_bigr => u _.
by case: (unit_active i s u); ring.
Qed.
End Units.
