(* TokenRanges: what little attention off the selected tokens says of the attention stage of next-token prediction
   (NEXT_TOKEN.md section 4), W_ov frozen.

   Where at most eps is off them, shares of outputs and slopes of tokens lie in ranges; and where the loss is at most
   S_0 above that of all attention on the selected tokens, an explicit eps is. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Heads Direction Growth Saturation HeadRanges ClassifierHead
                           ClassifierLockIn ClassifierDescent TokenHead.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* e^x - 1 grows faster than sums. *)
Lemma sum_exp_minus_1 (I : finType) (P : pred I) (x : I -> R) : (forall i, P i -> 0 <= x i) ->
  \sum_(i | P i) (exp (x i) - 1) <= exp (\sum_(i | P i) x i) - 1.
Proof.
move=> x0; apply: (proj2 (big_rec2 (fun a b => 0 <= b /\ a <= exp b - 1) _ _)); first by rewrite exp_0; lra.
move=> i a b Pi [b0 ab]; have xi := x0 i Pi; split; first lra.
rewrite exp_plus; have e1 := exp_ge_line (x i); have e2 := exp_ge_line b.
have := Rmult_le_pos (exp (x i) - 1) (exp b - 1) (ltac:(lra)) (ltac:(lra)); lra.
Qed.

Section TokenRanges.
Variables (p : selection_problem) (V : finType) (next : token p -> option V) (y : group p -> V) (c : R).
Variable alpha : selection p.
Implicit Types (t : token p) (i : group p) (u : V) (w z : vec (coord p)).
Hypothesis apart : forall t t' u, group_of t = group_of t' -> next t = Some u -> next t' = Some u -> t = t'.
Hypothesis chosen_next : forall i, next (alpha i) = Some (y i).
Hypothesis c_gt0 : 0 < c.
Hypothesis two_outputs : (1 < #|V|)%nat.
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation K := (INR #|V|).
Notation h := (token_head next y c).
Notation share i s u := (class_share (sentence_logit next c) i s u).

Lemma outputs_ge2 : 2 <= K.
Proof. by have /leP/le_INR := two_outputs; rewrite [INR 2]/=; lra. Qed.

(* What the outputs other than the sentence's add up to, relative to 1. *)
Definition rivals i (s : token p -> R) : R :=
  K - 1 + \sum_(t | others i t) (if next t is Some _ then exp (c * s t) - 1 else 0).

Lemma odds_rivals i s : token_odds next c alpha i s = rivals i s * exp (- (c * s (alpha i))).
Proof.
rewrite /token_odds /rivals (paired_count chosen_next) Rmult_plus_distr_r sum_mulr.
set B := exp _.
have -> : \sum_(t | others i t) other_power next c alpha i s t =
    (\sum_(t | others i t) (if next t is Some _ then exp (c * s t) - 1 else 0) * B) +
    (\sum_(t | others i t) if next t is Some _ then 1 else 0) * B.
  by rewrite sum_mulr -sumD; apply: eq_bigr => t _; rewrite /other_power -/B; case: (next t) => *; ring.
ring.
Qed.

Section AtPoint.
Variables (w : vec (coord p)) (i : group p).
Notation s := (attention w).
Notation a := (s (alpha i)).
Let s_gt0 t : 0 < s t := attention_gt0 w t.
Notation O := (rivals i s).
Notation A := (exp (c * a)).

Lemma rivals_term t : others i t -> isSome (next t) -> exp (c * s t) + (K - 2) <= O.
Proof.
move=> ti pt; rewrite /rivals.
have ge0 t' : others i t' -> 0 <= (if next t' is Some _ then exp (c * s t') - 1 else 0).
  move=> _; case: (next t') => [_|]; last lra.
  by have := exp_ge_line (c * s t'); have := Rmult_lt_0_compat _ _ c_gt0 (s_gt0 t'); lra.
have := sum_term_le (P := others i) (F := fun t => if next t is Some _ then exp (c * s t) - 1 else 0) (i := t) ge0 ti.
by case: (next t) pt => // u _; lra.
Qed.

Lemma rivals_ge : K - 1 <= O.
Proof.
have : 0 <= \sum_(t | others i t) (if next t is Some _ then exp (c * s t) - 1 else 0); last by rewrite /rivals; lra.
apply: sum_ge0 => t _; case: (next t) => [_|]; last lra.
by have := exp_ge_line (c * s t); have := Rmult_lt_0_compat _ _ c_gt0 (s_gt0 t); lra.
Qed.

Lemma rivals_le : O <= K - 2 + exp (c * (1 - a)).
Proof.
have : \sum_(t | others i t) (if next t is Some _ then exp (c * s t) - 1 else 0) <=
    exp (\sum_(t | others i t) c * s t) - 1; last by rewrite /rivals (attention_deficit_sum alpha) sum_mull; lra.
have cs t : 0 < c * s t := Rmult_lt_0_compat _ _ c_gt0 (s_gt0 t).
apply: Rle_trans (sum_exp_minus_1 (fun t _ => Rlt_le _ _ (cs t))).
apply: sum_le => t _; case: (next t) => [_|]; first lra.
by have := exp_ge_line (c * s t); have := cs t; lra.
Qed.

Let A_gt0 : 0 < A := exp_pos _.
Let O_gt0 : 0 < O. Proof. by have := rivals_ge; have := outputs_ge2; lra. Qed.
Let AA : A * exp (- (c * a)) = 1. Proof. by rewrite -exp_plus Rplus_opp_r exp_0. Qed.

Lemma next_share_rivals t : group_of t = i ->
  next_share next c i s t = (if next t is Some _ then exp (c * s t) else 0) / (A + O).
Proof.
move=> ti; rewrite (next_share_odds c apart chosen_next) // odds_rivals /other_power exp_Ropp.
by case: (next t) => [u|]; field; have := exp_pos (c * s (alpha i)); lra.
Qed.

Definition wrong_outputs : R := 1 - share i s (y i).

Lemma wrong_rivals : wrong_outputs = O / (O + A).
Proof.
rewrite /wrong_outputs (chosen_share_odds c apart chosen_next) odds_rivals exp_Ropp.
by field; have := exp_pos (c * s (alpha i)); lra.
Qed.

Lemma wrong_outputs_gt0 : 0 < wrong_outputs.
Proof. by rewrite wrong_rivals; apply: Rdiv_lt_0_compat; lra. Qed.

Lemma next_share_ge0 t : group_of t = i -> 0 <= next_share next c i s t.
Proof.
move=> ti; rewrite next_share_rivals //; apply: Rmult_le_pos; last by apply/Rlt_le/Rinv_0_lt_compat; lra.
by case: (next t) => [_|]; [exact/Rlt_le/exp_pos | lra].
Qed.

(* ---- ranges, where at most eps is off the selected token ---- *)

Variable eps : R.
Hypothesis attended : 1 - a <= eps.

(* pi, g_0, g and g_1 *)
Definition rival_part : R := exp (c * eps) / (exp (c * eps) + (K - 2)).
Definition least_share : R := / (K - 1 + exp c).
Definition most_left : R := (K - 2 + exp (c * eps)) / (K - 2 + exp (c * eps) + exp (c * (1 - eps))).
Definition most_share : R := exp (c * eps) / (exp (c * eps) + (K - 2 + exp (c * (1 - eps)))).
Notation pi := rival_part.

Lemma token_deficit_ge0 : 0 <= 1 - a.
Proof. by have := attention_le1 alpha w (alpha i); lra. Qed.

Lemma off_selected t : others i t -> s t <= eps.
Proof.
move=> ti; apply: Rle_trans attended; rewrite (attention_deficit_sum alpha).
by apply: (sum_term_le (F := s)) ti => t' _; exact/Rlt_le/s_gt0.
Qed.

Lemma rival_part_gt0 : 0 < pi.
Proof. by have := exp_pos (c * eps); have := outputs_ge2 => k e; apply: Rdiv_lt_0_compat; lra. Qed.

Let power_le t : others i t -> exp (c * s t) <= exp (c * eps).
Proof. by move=> ti; apply: exp_le; apply: Rmult_le_compat_l; [lra | exact: off_selected]. Qed.

Lemma next_share_part t : others i t -> next_share next c i s t <= pi * wrong_outputs.
Proof.
move=> ti; have [_ /eqP g] := andP ti; rewrite (next_share_rivals g) wrong_rivals.
have p0 := rival_part_gt0; have k := outputs_ge2.
case E: (next t) => [u|]; last first.
  rewrite /Rdiv Rmult_0_l; apply: Rmult_le_pos; [lra | apply: Rmult_le_pos; first lra].
  by apply/Rlt_le/Rinv_0_lt_compat; lra.
have R := rivals_term ti (ltac:(by rewrite E)); have e := power_le ti; have x0 := exp_pos (c * s t).
have e0 := exp_pos (c * eps).
have -> : pi * (O / (O + A)) = pi * O / (A + O) by field; lra.
apply: Rmult_le_compat_r; first by apply/Rlt_le/Rinv_0_lt_compat; lra.
apply: (Rmult_le_reg_r (exp (c * eps) + (K - 2))); first lra.
have -> : pi * O * (exp (c * eps) + (K - 2)) = exp (c * eps) * O by rewrite /rival_part; field; lra.
apply: (Rle_trans _ (exp (c * eps) * (exp (c * s t) + (K - 2)))); last by apply: Rmult_le_compat_l; lra.
by have := Rmult_le_compat_r (K - 2) _ _ (ltac:(lra)) e; lra.
Qed.

Lemma wrong_least : (K - 1) * least_share <= wrong_outputs.
Proof.
rewrite wrong_rivals /least_share -/(Rdiv (K - 1) (K - 1 + exp c)); have k := outputs_ge2; have r := rivals_ge.
apply: share_le; [lra | lra | exact: r |]; apply: exp_le; have := attention_le1 alpha w (alpha i) => a1.
by have := Rmult_le_compat_l c _ _ (ltac:(lra)) a1; lra.
Qed.

Let chosen_power : exp (c * (1 - eps)) <= A.
Proof. by apply: exp_le; apply: Rmult_le_compat_l; lra. Qed.

Lemma wrong_most : wrong_outputs <= most_left.
Proof.
rewrite wrong_rivals; have r := rivals_le; have e0 := exp_pos (c * (1 - eps)).
apply: share_le; try lra; try exact: chosen_power.
by apply: Rle_trans r _; apply: Rplus_le_compat_l; apply: exp_le; apply: Rmult_le_compat_l; lra.
Qed.

Lemma next_share_most t : others i t -> next_share next c i s t <= most_share.
Proof.
move=> ti; have [_ /eqP g] := andP ti; rewrite (next_share_rivals g).
have k := outputs_ge2; have e0 := exp_pos (c * eps); have e1 := exp_pos (c * (1 - eps)).
case E: (next t) => [u|]; last first.
  by rewrite /Rdiv Rmult_0_l; apply: Rmult_le_pos; [lra | apply/Rlt_le/Rinv_0_lt_compat; lra].
have R := rivals_term ti (ltac:(by rewrite E)); have x0 := exp_pos (c * s t).
apply: (Rle_trans _ (exp (c * s t) / (exp (c * s t) + (K - 2 + A)))).
  by apply: Rmult_le_compat_l; [lra | apply: Rinv_le_contravar; lra].
by have pw := chosen_power; have pl := power_le ti; apply: share_le; lra.
Qed.

Lemma next_share_least t : others i t -> isSome (next t) -> least_share <= next_share next c i s t.
Proof.
move=> ti pt; have [_ /eqP g] := andP ti; rewrite (next_share_rivals g); have k := outputs_ge2.
have x1 : 1 <= exp (c * s t).
  by have := exp_ge_line (c * s t); have := Rmult_lt_0_compat _ _ c_gt0 (s_gt0 t); lra.
case: (next t) pt => // u _; have r := rivals_le; have d0 := token_deficit_ge0.
have all_ : A + O <= K - 1 + exp c.
  have E : exp c = A * exp (c * (1 - a)) by rewrite -exp_plus; congr exp; ring.
  have l1 := exp_ge_line (c * a); have l2 := exp_ge_line (c * (1 - a)).
  have ca := Rmult_le_pos _ _ (Rlt_le _ _ c_gt0) (Rlt_le _ _ (s_gt0 (alpha i))).
  have cd := Rmult_le_pos _ _ (Rlt_le _ _ c_gt0) d0.
  have := Rmult_le_pos (A - 1) (exp (c * (1 - a)) - 1) (ltac:(lra)) (ltac:(lra)); rewrite E; lra.
rewrite /least_share -[/ (K - 1 + exp c)]Rmult_1_l; apply: Rmult_le_compat => //; first lra.
  by apply/Rlt_le/Rinv_0_lt_compat; have := exp_pos c; lra.
by apply: Rinv_le_contravar; lra.
Qed.

Notation rise := (token_rise next y c alpha i s).
Notation part t := (next_share next c i s t).

Lemma mean_share_range (m : R) : 0 <= m -> (forall t, others i t -> part t <= m) ->
  0 <= \sum_(t | others i t) s t * part t <= eps * m.
Proof.
move=> m0 le; split.
  apply: sum_ge0 => t /andP[_ /eqP ti]; apply: Rmult_le_pos; [exact/Rlt_le/s_gt0 | exact: next_share_ge0].
apply: (Rle_trans _ (\sum_(t | others i t) s t * m)).
  by apply: sum_le => t ti; apply: Rmult_le_compat_l; [exact/Rlt_le/s_gt0 | exact: le].
by rewrite -sum_mulr -(attention_deficit_sum alpha); apply: Rmult_le_compat_r.
Qed.

(* Between multiples of what the wrong outputs have, *)
Lemma rise_part t : others i t -> (1 - eps - eps * pi) * wrong_outputs <= rise + part t <= (1 + pi) * wrong_outputs.
Proof.
move=> ti; have w0 := wrong_outputs_gt0; have p0 := rival_part_gt0; have part_le := next_share_part ti.
have [m0 m1] := mean_share_range (Rlt_le _ _ (Rmult_lt_0_compat _ _ p0 w0)) next_share_part.
have [_ /eqP g] := andP ti; have part0 := next_share_ge0 g; rewrite /token_rise -/wrong_outputs.
have a1 := attention_le1 alpha w (alpha i).
have lo := Rmult_le_compat_r wrong_outputs (1 - eps) a (ltac:(lra)) (ltac:(lra)).
have hi := Rmult_le_compat_r wrong_outputs a 1 (ltac:(lra)) a1.
by split; lra.
Qed.

(* and between constants. *)
Lemma rise_range t : others i t -> 0 <= 1 - eps ->
  (1 - eps) * ((K - 1) * least_share) - eps * most_share + (if next t is Some _ then least_share else 0) <=
    rise + part t <= most_left + (if next t is Some _ then most_share else 0).
Proof.
move=> ti e1; have wl := wrong_least; have wm := wrong_most; have w0 := wrong_outputs_gt0.
have k := outputs_ge2; have E0 := exp_pos (c * eps); have E1 := exp_pos (c * (1 - eps)).
have ms0 : 0 <= most_share by apply: Rmult_le_pos; [lra | apply/Rlt_le/Rinv_0_lt_compat; lra].
have [m0 m1] := mean_share_range ms0 next_share_most; rewrite /token_rise -/wrong_outputs.
have [_ /eqP g] := andP ti; have a1 := attention_le1 alpha w (alpha i).
have lo := Rmult_le_compat_l (1 - eps) _ _ e1 wl.
have lo2 := Rmult_le_compat_r wrong_outputs (1 - eps) a (ltac:(lra)) (ltac:(lra)).
have hi := Rmult_le_compat_r wrong_outputs a 1 (ltac:(lra)) a1.
have pm := next_share_most ti; have pl := @next_share_least t ti; have p0 := next_share_ge0 g.
have none : next t = None -> part t = 0 by rewrite /next_share => ->.
by case: (next t) pl none => [u /(_ isT) pl _ | _ /(_ erefl) ->]; split; lra.
Qed.
End AtPoint.

(* ---- slopes ---- *)

Lemma gap_rise w t : Q t -> let i := group_of t in let s := attention w in
  slope_gap alpha h w t - mean_gap alpha h w i = c * (token_rise next y c alpha i s + next_share next c i s t).
Proof.
move=> Qt i s; rewrite (token_gap c apart chosen_next) // -/i -/s /mean_gap.
rewrite (eq_bigr (fun k => c * (s k * next_share next c i s k) + c * (1 - share i s (y i)) * s k))
  => [|k /andP[Qk /eqP ki]]; last by rewrite (token_gap c apart chosen_next) // ki -/s; ring.
by rewrite sumD -!sum_mull -(attention_deficit_sum alpha w i) -/s /token_rise; ring.
Qed.

(* ---- the sublevel set ---- *)

Definition limit_odds : R := (K - 1) * exp (- c).
Notation r := limit_odds.
Notation excess := (class_excess_loss (sentence_logit next c) y alpha).

Lemma limit_odds_gt0 : 0 < r.
Proof. by apply: Rmult_lt_0_compat (exp_pos _); have := outputs_ge2; lra. Qed.

Lemma limit_start i k : class_start (sentence_logit next c) y alpha i k = if k == y i then 0 else - c.
Proof.
rewrite /class_start /sentence_logit chosen_next eqxx.
have -> : (Some (y i) == Some k) = (k == y i) by rewrite eq_sym.
by case: (k == _); ring.
Qed.

Lemma limit_partition i : \sum_k exp (class_start (sentence_logit next c) y alpha i k) = 1 + r.
Proof.
rewrite (bigD1 (y i)) //= limit_start eqxx exp_0; congr (_ + _).
rewrite (eq_bigr (fun _ => exp (- c) * 1)) => [|k /negbTE E]; last by rewrite limit_start E; ring.
rewrite -sum_mull; have -> : \sum_(k | k != y i) 1 = K - 1; last by rewrite /limit_odds; ring.
by have := sum_const V 1; rewrite (bigD1 (y i)) //= Rmult_1_r; lra.
Qed.

Lemma selected_value_limit i : selected_value (sentence_logit next c) y alpha i = ln (1 + r).
Proof. by rewrite /selected_value limit_partition. Qed.

Lemma change_sum_ge w i : let a := attention w (alpha i) in
  (K - 1) * (exp (c * (1 - a)) - 1) <= token_change_sum next c alpha i (attention w).
Proof.
move=> a; set E := exp (c * (1 - a)); rewrite /token_change_sum (paired_count chosen_next) -/a -/E.
have term : (\sum_(t | others i t) if next t is Some _ then 1 else 0) * (E - 1) <=
    \sum_(t | others i t) (if next t is Some _ then exp (c * (attention w t + (1 - a))) - 1 else 0).
  rewrite sum_mulr; apply: sum_le => t _; case: (next t) => [_|]; last lra.
  rewrite Rmult_plus_distr_l exp_plus -/E; have E0 : 0 < E := exp_pos _.
  have := exp_ge_line (c * attention w t); have := Rmult_lt_0_compat _ _ c_gt0 (attention_gt0 w t) => ? ?.
  by have := Rmult_le_compat_r E 1 (exp (c * attention w t)) (ltac:(lra)) (ltac:(lra)); lra.
lra.
Qed.

Let all_selected t : R := if t == selected alpha t then 1 else 0.

(* A group's loss above the least, which is that of all attention on the selected token. *)
Lemma token_group_excess w i : let a := attention w (alpha i) in
  ln (1 + r / (1 + r) * (exp (c * (1 - a)) - 1)) <=
    head_value h i (attention w) - selected_value (sentence_logit next c) y alpha i.
Proof.
move=> a; have own : all_selected (alpha i) = 1 by rewrite /all_selected /selected (group_of_pick alpha) eqxx.
have other t : others i t -> all_selected t = 0 by case/andP=> Qt _; rewrite /all_selected (negbTE Qt).
rewrite selected_value_limit -(token_least c apart chosen_next own other).
rewrite (token_excess c apart chosen_next (attention w) own other) -/r.
have r0 := limit_odds_gt0; have ge := change_sum_ge w i; rewrite /= -/a in ge.
have e0 := exp_pos (- c); have k := outputs_ge2.
have E1 : 0 <= exp (c * (1 - a)) - 1.
  have := exp_ge_line (c * (1 - a)); have := attention_le1 alpha w (alpha i); rewrite -/a => a1.
  by have := Rmult_le_pos c (1 - a) (ltac:(lra)) (ltac:(lra)); lra.
apply: ln_le_ln.
  have : 0 <= r / (1 + r) * (exp (c * (1 - a)) - 1); last lra.
  by apply: Rmult_le_pos => //; apply/Rlt_le/Rdiv_lt_0_compat; lra.
apply: Rplus_le_compat_l; rewrite -/limit_odds.
have -> : r / (1 + r) * (exp (c * (1 - a)) - 1) = exp (- c) / (1 + r) * ((K - 1) * (exp (c * (1 - a)) - 1)).
  by rewrite {1}/limit_odds; field; lra.
by apply: Rmult_le_compat_l => //; apply/Rlt_le/Rdiv_lt_0_compat; lra.
Qed.

Lemma group_excess_ge0 w i : 0 <= head_value h i (attention w) - selected_value (sentence_logit next c) y alpha i.
Proof.
apply: Rle_trans (token_group_excess w i); rewrite -{1}ln_1; apply: ln_le_ln; first lra.
have r0 := limit_odds_gt0.
have : 0 <= r / (1 + r) * (exp (c * (1 - attention w (alpha i))) - 1); last lra.
apply: Rmult_le_pos; first by apply/Rlt_le/Rdiv_lt_0_compat; lra.
have := exp_ge_line (c * (1 - attention w (alpha i))); have a1 := attention_le1 alpha w (alpha i).
by have := Rmult_le_pos c (1 - attention w (alpha i)) (ltac:(lra)) (ltac:(lra)); lra.
Qed.

Variable n : R.
Hypothesis n_gt0 : 0 < n.
Hypothesis weight_mean : forall i, weight i = / n.

Lemma excess_sum w : excess w = \sum_i / n * (head_value h i (attention w) -
  selected_value (sentence_logit next c) y alpha i).
Proof.
rewrite /class_excess_loss /head_loss /selected_loss -sumB; apply: eq_bigr => i _; rewrite weight_mean.
exact: (esym (Rmult_minus_distr_l _ _ _)).
Qed.

Lemma group_excess_le w i :
  head_value h i (attention w) - selected_value (sentence_logit next c) y alpha i <= n * excess w.
Proof.
have i0 := Rinv_0_lt_compat _ n_gt0.
have := sum_term_le (P := predT) (F := fun j => / n * (head_value h j (attention w) -
  selected_value (sentence_logit next c) y alpha j)) (i := i) (fun j _ => Rmult_le_pos _ _ (Rlt_le _ _ i0)
  (group_excess_ge0 w j)) isT.
rewrite -excess_sum => le; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ n_gt0) le.
by rewrite -Rmult_assoc Rinv_r ?Rmult_1_l; lra.
Qed.

(* eps of the sublevel set of S_0 *)
Definition sublevel_off (S0 : R) : R := ln (1 + (exp (n * S0) - 1) * (1 + r) / r) / c.

Theorem sublevel_attended S0 w : excess w <= S0 -> forall i, 1 - attention w (alpha i) <= sublevel_off S0.
Proof.
move=> low i; have r0 := limit_odds_gt0; set a := attention w (alpha i).
have a1 : 0 <= 1 - a by have := attention_le1 alpha w (alpha i); rewrite -/a; lra.
have E1 : 1 <= exp (c * (1 - a)).
  by have := exp_ge_line (c * (1 - a)); have := Rmult_le_pos c (1 - a) (ltac:(lra)) a1; lra.
have Z0 : 0 < 1 + r / (1 + r) * (exp (c * (1 - a)) - 1).
  have : 0 <= r / (1 + r) * (exp (c * (1 - a)) - 1); last lra.
  by apply: Rmult_le_pos; [apply/Rlt_le/Rdiv_lt_0_compat; lra | lra].
have le : 1 + r / (1 + r) * (exp (c * (1 - a)) - 1) <= exp (n * S0).
  rewrite -[X in X <= _]exp_ln //; apply: exp_le; apply: Rle_trans (token_group_excess w i) _.
  by apply: Rle_trans (group_excess_le w i) _; apply: Rmult_le_compat_l; lra.
rewrite /sublevel_off; apply: (Rmult_le_reg_l c) => //.
have -> : c * (ln (1 + (exp (n * S0) - 1) * (1 + r) / r) / c) = ln (1 + (exp (n * S0) - 1) * (1 + r) / r).
  by field; lra.
rewrite -[X in X <= _]ln_exp; apply: ln_le_ln; first exact: exp_pos.
have r1 : 0 < 1 + r by lra.
have := Rmult_le_compat_l ((1 + r) / r) _ _ (Rlt_le _ _ (Rdiv_lt_0_compat _ _ r1 r0)) le.
have -> : (1 + r) / r * (1 + r / (1 + r) * (exp (c * (1 - a)) - 1)) = (1 + r) / r + (exp (c * (1 - a)) - 1).
  by field; lra.
have -> : (1 + r) / r * exp (n * S0) = (1 + r) / r + (exp (n * S0) - 1) * (1 + r) / r by field; lra.
lra.
Qed.

Lemma sublevel_off_ge0 w S0 : excess w <= S0 -> group p -> 0 <= sublevel_off S0.
Proof.
by move=> low i; apply: Rle_trans (sublevel_attended low i); have := attention_le1 alpha w (alpha i); lra.
Qed.

(* ---- limits of slopes ---- *)

Lemma token_limit t : Q t -> classifier_limit (sentence_logit next c) y alpha t =
  c * ((K - 1) * least_share + (if next t is Some _ then least_share else 0)).
Proof.
move=> Qt; set i := group_of t; have r0 := limit_odds_gt0; have k := outputs_ge2; have ec := exp_pos c.
have g0 : exp (- c) / (1 + r) = least_share.
  by rewrite /limit_odds /least_share exp_Ropp; field; lra.
have q k' : class_limit (sentence_logit next c) y alpha i k' = if k' == y i then / (1 + r) else least_share.
  rewrite /class_limit limit_partition limit_start; case: eqP => _; last exact: g0.
  by rewrite exp_0 /Rdiv Rmult_1_l.
have wrong : next t == Some (y i) = false.
  apply/eqP => E; case/eqP: Qt; rewrite /selected; apply: apart E (chosen_next _).
  by rewrite (group_of_pick alpha).
rewrite /classifier_limit -/i.
rewrite (eq_bigr (fun k' => c * (least_share * (if next t == Some k' then 1 else 0)) +
    c * (least_share * (if k' == y i then 0 else 1)))) => [|k' _]; last first.
  rewrite q (token_change c apart chosen_next k' Qt) -/i.
  case: (k' =P y i) => [->|_]; first by rewrite wrong; ring.
  by case: (next t == Some k'); ring.
rewrite sumD -!sum_mull; rewrite Rmult_plus_distr_l Rplus_comm; congr (c * _ + c * _).
  rewrite Rmult_comm; congr (_ * _); rewrite (bigD1 (y i)) //= eqxx Rplus_0_l.
  rewrite (eq_bigr (fun=> 1)) => [|k' /negbTE ->] //.
  by have := sum_const V 1; rewrite (bigD1 (y i)) //= Rmult_1_r; lra.
case: (next t) => [u|]; last by rewrite big1 ?Rmult_0_r.
rewrite (bigD1 u) //= eqxx big1 ?Rplus_0_r ?Rmult_1_r // => k' /negbTE ne.
by case: eqP => // -[E]; rewrite E eqxx in ne.
Qed.
End TokenRanges.
