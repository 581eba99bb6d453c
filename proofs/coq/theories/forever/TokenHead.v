(* TokenHead: the loss of the attention stage of next-token prediction, W_ov frozen at c times n (NEXT_TOKEN.md section
   1), for any groups of tokens some of which have an output that is next to them, no two of a group the same.

   Outputs compete by what is attended to: c s_t for the output next to t, 0 for one that no token of the group has. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Heads Direction Growth Saturation HeadRanges ClassifierHead.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section TokenHead.
Variables (p : selection_problem) (V : finType) (next : token p -> option V) (y : group p -> V) (c : R).
Implicit Types (t : token p) (i : group p) (u : V) (s : token p -> R) (w : vec (coord p)).

Definition sentence_logit t u : R := if next t == Some u then c else 0.
Definition token_head : head p := classifier_head sentence_logit y.

Hypothesis apart : forall t t' u, group_of t = group_of t' -> next t = Some u -> next t' = Some u -> t = t'.

Notation inside i := (fun t => group_of t == i).
Notation paired t := (isSome (next t)).

Lemma next_average i s t u : group_of t = i -> next t = Some u -> class_average sentence_logit i s u = c * s t.
Proof.
move=> ti tu; rewrite /class_average (bigD1 t) /=; last by rewrite ti.
rewrite {1}/sentence_logit tu eqxx big1 => [|t' /andP[/eqP ti' ne]]; first by ring.
rewrite /sentence_logit; case: eqP => [tu'|_]; last by ring.
by case/eqP: ne; apply: apart tu' tu; rewrite ti ti'.
Qed.

(* Of what is e^c s at outputs that a token has next, else 1. *)
Lemma outputs_sum i s : \sum_u exp (class_average sentence_logit i s u) =
  INR #|V| + \sum_(t | (group_of t == i) && paired t) (exp (c * s t) - 1).
Proof.
have E u : exp (class_average sentence_logit i s u) =
    1 + \sum_(t | group_of t == i) (if next t == Some u then exp (c * s t) - 1 else 0).
  have [t /andP[/eqP ti /eqP tu] | none] := pickP (fun t => (group_of t == i) && (next t == Some u)).
    rewrite (next_average s ti tu) (bigD1 t) /= ?ti // tu eqxx big1 => [|t' /andP[/eqP ti' ne]]; first by ring.
    by case: eqP => // tu'; case/eqP: ne; apply: apart tu' tu; rewrite ti ti'.
  have z t : group_of t == i -> (next t == Some u) = false by move=> ti; have := none t; rewrite ti.
  rewrite /class_average !big1 => [|t ti|t ti]; first by rewrite exp_0; ring.
    by rewrite z.
  by rewrite /sentence_logit z //; ring.
rewrite (eq_bigr _ (fun u _ => E u)) sumD sum_const Rmult_1_r exchange_big /=; congr (_ + _).
rewrite big_mkcondr /=; apply: eq_bigr => t _; case tu: (next t) => [v|] /=; last by rewrite big1.
rewrite (bigD1 v) //= eqxx big1 ?Rplus_0_r // => u uv; case: eqP => // -[E']; by rewrite E' eqxx in uv.
Qed.

Variable alpha : selection p.
Hypothesis chosen_next : forall i, next (alpha i) = Some (y i).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation share := (class_share sentence_logit).

(* p of the output next to t, 0 where there is none *)
Definition next_share i s t : R := if next t is Some u then share i s u else 0.

Lemma token_change t u : Q t -> class_change sentence_logit y alpha t u =
  c * ((if next t == Some u then 1 else 0) + (if u == y (group_of t) then 0 else 1)).
Proof.
move=> Qt; have wrong : next t == Some (y (group_of t)) = false.
  apply/eqP => E; case/eqP: Qt; rewrite /selected; apply: apart E (chosen_next _).
  by rewrite (group_of_pick alpha).
rewrite /class_change /class_start /sentence_logit chosen_next eqxx wrong.
have -> : (Some (y (group_of t)) == Some u) = (u == y (group_of t)) by rewrite eq_sym.
by case: (u == _); case: (_ == Some u); ring.
Qed.

Lemma token_gap w t : Q t -> slope_gap alpha token_head w t =
  c * (next_share (group_of t) (attention w) t + (1 - share (group_of t) (attention w) (y (group_of t)))).
Proof.
move=> Qt; set i := group_of t; set q := share i (attention w).
rewrite /token_head classifier_gap -/i -/q.
rewrite (eq_bigr (fun u => c * (q u * (if next t == Some u then 1 else 0))
  + c * (q u - q u * (if u == y i then 1 else 0))))
  => [|u _]; last by rewrite (token_change u Qt) -/i; case: (u == y i); ring.
have one (v : V) : \sum_u q u * (if u == v then 1 else 0) = q v.
  by rewrite (bigD1 v) //= eqxx big1 ?Rplus_0_r ?Rmult_1_r // => u /negbTE ->; ring.
rewrite sumD -!sum_mull sumB one (class_share_sum sentence_logit y) -/i -/q Rmult_plus_distr_l; congr (c * _ + _).
rewrite /next_share; case: (next t) => [v|]; last by rewrite big1 // => u _; rewrite /=; ring.
rewrite -[RHS](one v); apply: eq_bigr => u _; congr (_ * _).
by have -> : (Some v == Some u) = (u == v) by rewrite eq_sym.
Qed.

(* psi - psi-bar over c, sums over the other tokens: T1's weights are weight times c times s_t times this. *)
Definition token_rise i s : R :=
  s (alpha i) * (1 - share i s (y i)) - \sum_(t | others i t) s t * next_share i s t.

Theorem token_omega w t : Q t -> head_omega token_head w t = weight (group_of t) * c *
  (attention w t * (token_rise (group_of t) (attention w) + next_share (group_of t) (attention w) t)).
Proof.
move=> Qt; set i := group_of t; set s := attention w.
have M : slope_gap alpha token_head w t - mean_gap alpha token_head w i =
    c * (token_rise i s + next_share i s t).
  rewrite token_gap // -/i -/s /mean_gap.
  rewrite (eq_bigr (fun k => c * (s k * next_share i s k) + c * (1 - share i s (y i)) * s k)) => [|k /andP[Qk /eqP ki]].
    rewrite sumD -!sum_mull -(attention_deficit_sum alpha w i) -/s /token_rise; ring.
  by rewrite token_gap // ki -/s; ring.
rewrite (head_omega_margin alpha) head_factor_gap -/i.
have -> : copies alpha t * (weight i * s (selected alpha t) *
    (slope_gap alpha token_head w t - mean_gap alpha token_head w i)) * exp (- margin alpha w t) =
  weight i * (s (selected alpha t) * (copies alpha t * exp (- margin alpha w t))) *
    (slope_gap alpha token_head w t - mean_gap alpha token_head w i) by ring.
have st : s t = s (selected alpha t) * (copies alpha t * exp (- margin alpha w t)) by apply: attention_other;
  rewrite /Saturation.others Qt /= eqxx.
by rewrite -st M; ring.
Qed.

(* ---- shares, relative to the selected token's output ---- *)

Definition other_power i s t : R := if next t is Some _ then exp (c * s t) * exp (- (c * s (alpha i))) else 0.
Definition token_odds i s : R := (\sum_(t | others i t) other_power i s t) +
  (INR #|V| - INR #|[pred t | (group_of t == i) && paired t]|) * exp (- (c * s (alpha i))).

Lemma token_partition i s : partition sentence_logit i s = exp (c * s (alpha i)) * (1 + token_odds i s).
Proof.
have E : exp (c * s (alpha i)) * exp (- (c * s (alpha i))) = 1 by rewrite -exp_plus Rplus_opp_r exp_0.
rewrite /partition outputs_sum /token_odds.
have -> : \sum_(t | (group_of t == i) && paired t) (exp (c * s t) - 1) =
    (\sum_(t | (group_of t == i) && paired t) exp (c * s t)) - INR #|[pred t | (group_of t == i) && paired t]|.
  rewrite sumB; congr (_ - _); have := big_mkcond; rewrite -(@sum1_card _ (mem [pred t | (group_of t == i) &&
    paired t])).
  by move=> _; rewrite (big_morph INR plus_INR (erefl (INR 0))) /=; apply: eq_bigl => t; rewrite inE.
have -> : \sum_(t | (group_of t == i) && paired t) exp (c * s t) =
    exp (c * s (alpha i)) * (1 + \sum_(t | others i t) other_power i s t).
  rewrite (bigD1 (alpha i)) /=; last by rewrite (group_of_pick alpha) eqxx chosen_next.
  rewrite Rmult_plus_distr_l Rmult_1_r sum_mull; congr (_ + _).
  rewrite (eq_bigl (fun t => others i t && paired t)) => [|t]; last first.
    rewrite /Saturation.others /constraint /selected; case ti: (group_of t == i); rewrite ?andbF ?andbT //=.
    by rewrite (eqP ti) andbC.
  rewrite big_mkcondr /=; apply: eq_bigr => t _; rewrite /other_power; case: (next t) => [v|] /=; last by ring.
  by rewrite -[LHS]Rmult_1_r -E; ring.
rewrite Rmult_plus_distr_l Rmult_1_r; set A := exp (c * s (alpha i)) in E *; set B := exp (- _) in E *.
set S := \sum_(t | _) _; set K := INR #|V|; set k := INR #|_|.
have -> : A * (1 + (S + (K - k) * B)) = A * (1 + S) + (K - k) * (A * B) by ring.
by rewrite E; ring.
Qed.

(* The same above the loss of all attention on the selected token. *)
Definition token_change_sum i s : R :=
  (\sum_(t | others i t) if next t is Some _ then exp (c * (s t + (1 - s (alpha i)))) - 1 else 0) +
  (INR #|V| - INR #|[pred t | (group_of t == i) && paired t]|) * (exp (c * (1 - s (alpha i))) - 1).

Lemma token_value i s : head_value token_head i s = ln (1 + token_odds i s).
Proof.
have A0 := exp_pos (c * s (alpha i)); have O0 : 0 < 1 + token_odds i s.
  have := partition_gt0 sentence_logit y i s; rewrite token_partition => h.
  by apply: (Rmult_lt_reg_l (exp (c * s (alpha i)))) => //; rewrite Rmult_0_r.
rewrite /= token_partition (next_average s (group_of_pick alpha i) (chosen_next i)) ln_mult // ln_exp; ring.
Qed.

Lemma token_odds_gt i s : 0 < 1 + token_odds i s.
Proof.
have := partition_gt0 sentence_logit y i s; rewrite token_partition => h.
by apply: (Rmult_lt_reg_l (exp (c * s (alpha i)))); [exact: exp_pos | rewrite Rmult_0_r].
Qed.

Lemma next_share_odds i s t : group_of t = i -> next_share i s t = other_power i s t / (1 + token_odds i s).
Proof.
move=> ti; have o := token_odds_gt i s; have A := exp_pos (c * s (alpha i)).
rewrite /next_share /other_power; case tu: (next t) => [u|]; last by rewrite /Rdiv Rmult_0_l.
by rewrite /class_share token_partition (next_average s ti tu) exp_Ropp; field; lra.
Qed.

Lemma chosen_share_odds i s : 1 - share i s (y i) = token_odds i s / (1 + token_odds i s).
Proof.
have o := token_odds_gt i s; have A := exp_pos (c * s (alpha i)).
rewrite /class_share token_partition (next_average s (group_of_pick alpha i) (chosen_next i)); field; lra.
Qed.

Lemma paired_count i : INR #|[pred t | (group_of t == i) && paired t]| =
  1 + \sum_(t | others i t) if next t is Some _ then 1 else 0.
Proof.
have -> : INR #|[pred t | (group_of t == i) && paired t]| = \sum_(t | (group_of t == i) && paired t) 1.
  rewrite -(@sum1_card _ (mem [pred t | (group_of t == i) && paired t])) (big_morph INR plus_INR (erefl (INR 0))) /=.
  by apply: eq_bigl => t; rewrite inE.
rewrite big_mkcondr /= (group_sum alpha) chosen_next /=; congr (_ + _).
by apply: eq_bigr => t _; case: (next t).
Qed.

(* All attention on the selected token. *)
Lemma token_odds_selected i s : s (alpha i) = 1 -> (forall t, others i t -> s t = 0) ->
  token_odds i s = (INR #|V| - 1) * exp (- c).
Proof.
move=> one zero; have k := paired_count i; rewrite /token_odds one Rmult_1_r k.
rewrite (eq_bigr (fun t => exp (- c) * (if next t is Some _ then 1 else 0))) => [|t ti].
  by rewrite -sum_mull; ring.
by rewrite /other_power (zero _ ti) Rmult_0_r exp_0 one Rmult_1_r; case: (next t) => [_|]; ring.
Qed.

Theorem token_least i s : s (alpha i) = 1 -> (forall t, others i t -> s t = 0) ->
  head_value token_head i s = ln (1 + (INR #|V| - 1) * exp (- c)).
Proof. by move=> one zero; rewrite token_value token_odds_selected. Qed.

Theorem token_excess i s s' : s' (alpha i) = 1 -> (forall t, others i t -> s' t = 0) ->
  head_value token_head i s - head_value token_head i s' =
  ln (1 + exp (- c) / (1 + (INR #|V| - 1) * exp (- c)) * token_change_sum i s).
Proof.
move=> one zero; rewrite !token_value; set r := (INR #|V| - 1) * exp (- c).
have k := paired_count i; set K := INR #|V| in r *; set n := INR #|_| in k *.
have odds' : token_odds i s' = r by rewrite token_odds_selected.
have e (x : R) : exp (c * (x + (1 - s (alpha i)))) * exp (- c) = exp (c * x) * exp (- (c * s (alpha i))).
  by rewrite -!exp_plus; congr exp; ring.
have e0 : exp (c * (1 - s (alpha i))) * exp (- c) = exp (- (c * s (alpha i))) by rewrite -exp_plus; congr exp; ring.
have odds : token_odds i s = r + exp (- c) * token_change_sum i s.
  have E : exp (- c) * (\sum_(t | others i t) if next t is Some _ then exp (c * (s t + (1 - s (alpha i)))) - 1 else 0) =
      (\sum_(t | others i t) other_power i s t) - exp (- c) * (\sum_(t | others i t) if next t is Some _ then 1 else 0).
    rewrite !sum_mull -sumB; apply: eq_bigr => t _.
    by rewrite /other_power; case: (next t) => [_|]; rewrite -?e; ring.
  by rewrite /token_odds /token_change_sum -/K -/n Rmult_plus_distr_l E -e0 k /r; ring.
have p1 := token_odds_gt i s'; have p0 := token_odds_gt i s; rewrite odds' in p1.
rewrite odds' -ln_div //; congr ln; rewrite odds; field; lra.
Qed.
End TokenHead.
