(* OddsLimit: limits of a head's factors from its groups (FactorRange.v).

   Where the logarithm of every factor on S is within a multiple of its group's total attention odds of its limit's,
   the head has a `factor_limit`; groups that S does not meet add nothing. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Iteration Direction Growth Saturation FactorRange.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma selected_log_odds (p : selection_problem) (alpha : selection p) z i :
  Rabs (ln (attention z (alpha i))) <= odds alpha z i.
Proof.
have E0 := odds_ge0 alpha z i; set E := odds alpha z i in E0 *.
rewrite Rabs_left1; last by rewrite -ln_1; apply: ln_le_ln; [exact: attention_gt0 | exact: attention_le1].
by rewrite attention_selected -/E ln_Rinv; [have := @ln_le_sub1 (1 + E) (ltac:(lra)); lra | lra].
Qed.

Section OddsLimit.
Variables (p : selection_problem) (alpha : selection p) (b : vec (coord p) -> token p -> R) (low : token p -> R).
Variables (S : pred (token p)) (limit : token p -> R) (k : group p -> R).
Notation Q := (constraint alpha).

Definition meets (i : group p) : bool := [exists t, S t && (group_of t == i)].

Hypothesis limit_gt0 : forall t, S t -> 0 < limit t.
Hypothesis k_ge0 : forall i, 0 <= k i.
Hypothesis log_odds : forall z, margins_above Q (Delta alpha) low z -> forall t, S t ->
  Rabs (ln (b z t) - ln (limit t)) <= k (group_of t) * odds alpha z (group_of t).

Theorem odds_factor_limit : factor_limit Q (Delta alpha) b low S limit
  (fun t => copies alpha t * (if meets (group_of t) then k (group_of t) else 0)).
Proof.
have rate_ge0 t : 0 <= copies alpha t * (if meets (group_of t) then k (group_of t) else 0).
  apply: Rmult_le_pos; first exact/Rlt_le/copies_gt0.
  by case: ifP => _; [exact: k_ge0 | lra].
split=> [//|t _|z Hz t St]; first exact: rate_ge0.
apply: Rle_trans (log_odds Hz St) _; set i := group_of t.
have m : meets i by apply/existsP; exists t; rewrite St eqxx.
rewrite /odds sum_mull (sum_pred_id (others alpha i)) (sum_pred_id Q); apply: sum_le => c _.
rewrite /others; case Qc: (Q c) => /=; last lra.
case: eqP => [ci|_]; last by apply: Rmult_le_pos; [exact: rate_ge0 | exact/Rlt_le/exp_pos].
by rewrite ci m; right; rewrite /Selection.margin; ring.
Qed.
End OddsLimit.
