(* FeedForwardRay: the feed-forward stage of next-token prediction with one-hot embeddings (NEXT_TOKEN.md section 1).

   From 0 normalised steps go along the ray of the maximum-margin solution: at every step the weights are the steps'
   total times W* over its norm, and every wrong output is below the right one by the same amount. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Heads Direction Growth Iteration Saturation CrossEntropyHead
                           HeadRuns NextToken Claims.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- any problem whose constraints are alike ---- *)

Section Ray.
Variables (p : selection_problem) (alpha : selection p) (star : vec (coord p)) (share mass wrong : R).
Notation Q := (constraint alpha).
Notation Delta := (Selection.Delta alpha).
Notation h := (cross_entropy_head alpha).
Hypothesis share_gt0 : 0 < share.
Hypothesis star_sum : star = (share * combine Q (fun=> 1) Delta)%V.
Hypothesis star_margin : forall t, Q t -> margin alpha star t = 1.
Hypothesis alike_weight : forall i, @weight p i = mass.
Hypothesis alike_size : forall i, \sum_(t | others alpha i t) copies alpha t = wrong.
Hypothesis alike_copies : forall t, Q t -> copies alpha t = 1.

Lemma star_ray_margin r t : Q t -> margin alpha (r * star) t = r.
Proof. by move=> Qt; have := star_margin Qt; rewrite /margin dotZr => ->; ring. Qed.

Lemma ray_odds r i : odds alpha (r * star) i = wrong * exp (- r).
Proof.
rewrite -(alike_size i) /odds sum_mulr; apply: eq_bigr => t /andP[Qt _].
by rewrite (star_ray_margin r Qt).
Qed.

Definition ray_attention r : R := / (1 + wrong * exp (- r)).

Lemma ray_selected r i : attention (r * star) (alpha i) = ray_attention r.
Proof. by rewrite attention_selected ray_odds. Qed.

Lemma ray_attention_gt0 r (i : group p) : 0 < ray_attention r.
Proof. by rewrite -(ray_selected r i); exact: attention_gt0. Qed.

Lemma ray_omega r t : Q t -> head_omega h (r * star) t = mass * (ray_attention r * exp (- r)).
Proof.
move=> Qt; rewrite cross_entropy_omega // alike_weight; congr (_ * _).
by rewrite (attention_margin alpha) (star_ray_margin r Qt) alike_copies // Rmult_1_l ray_selected.
Qed.

(* -grad L is along the ray. *)
Lemma ray_field r : (- head_gradient h (r * star))%V = (mass * (ray_attention r * exp (- r)) / share * star)%V.
Proof.
rewrite (head_gradient_constraints alpha) star_sum.
have -> : combine Q (head_omega h (r * (share * combine Q (fun=> 1) Delta))) Delta =
    ((mass * (ray_attention r * exp (- r))) * combine Q (fun=> 1) Delta)%V.
  by rewrite -star_sum -combine_scale; apply: combine_eq => // t Qt; rewrite ray_omega //; ring.
by apply: vec_ext => j; rewrite /vscale; field; lra.
Qed.

Variables (i0 : group p) (t0 : token p).
Hypothesis row : Q t0.

Lemma star_norm_gt0 : 0 < vnorm star.
Proof.
apply: vnorm_gt0; case: (vnorm2_ge0 star) => // /esym /vnorm2_eq0 e.
by have := star_margin row; rewrite /margin e dot0r; lra.
Qed.

Theorem normalised_ray least eta (w : nat -> vec (coord p)) : w O = vzero ->
  head_follows h least NormalisedSteps eta w -> forall n, w n = (total eta n / vnorm star * star)%V.
Proof.
move=> start run; elim=> [|n IH].
  by rewrite start total0; apply: vec_ext => j; rewrite /vzero /vscale; lra.
have n0 := star_norm_gt0; have a0 := ray_attention_gt0 (total eta n / vnorm star) i0.
have m0 : 0 < mass by rewrite -(alike_weight i0); exact: weight_gt0.
rewrite (head_normalised_steps alpha run) head_ascent IH ray_field totalS.
set c := mass * _ / share; have c0 : 0 < c.
  by apply: Rdiv_lt_0_compat => //; apply: Rmult_lt_0_compat => //; apply: Rmult_lt_0_compat => //; exact: exp_pos.
rewrite vnormZ Rabs_right; last lra.
by apply: vec_ext => j; rewrite /vadd /vscale; field; lra.
Qed.

(* The mean loss there. *)
Theorem ray_loss r : \sum_(i : group p) mass = 1 -> head_loss h (r * star) = ln (1 + wrong * exp (- r)).
Proof.
move=> whole; have a0 := ray_attention_gt0 r i0.
rewrite /head_loss; under eq_bigr => i _ do rewrite alike_weight /= ray_selected.
rewrite -sum_mulr whole Rmult_1_l /ray_attention ln_Rinv; first by ring.
by move: a0; rewrite /ray_attention => /Rinv_0_lt_compat; rewrite Rinv_inv.
Qed.
End Ray.

(* ---- outputs that compete alike in every group ---- *)

(* As many in each group as `wrong` says, whose rows meet those of their own group alone. *)
Section Outputs.
Variables (p : selection_problem) (alpha : selection p) (wrong : R).
Notation Q := (constraint alpha).
Notation Delta := (Selection.Delta alpha).
Notation h := (cross_entropy_head alpha).
Hypothesis wrong_ge0 : 0 <= wrong.
Hypothesis row_dots : forall t c, Q t -> Q c -> dot (Delta t) (Delta c) =
  if group_of t == group_of c then 1 + (if t == c then 1 else 0) else 0.
Hypothesis wrong_count : forall i, \sum_(t | others alpha i t) 1 = wrong.
Hypothesis counted_once : forall t, copies alpha t = 1.
Hypothesis alike_groups : forall i : group p, weight i = / INR #|group p|.

Definition outputs_solution : vec (coord p) := (/ (1 + wrong) * combine Q (fun=> 1) Delta)%V.

Let share_gt0 : 0 < / (1 + wrong).
Proof. by apply: Rinv_0_lt_compat; lra. Qed.

Lemma outputs_margin t : Q t -> margin alpha outputs_solution t = 1.
Proof.
move=> Qt; rewrite /margin /outputs_solution dotZr dot_combiner.
have -> : \sum_(c | Q c) 1 * dot (Delta t) (Delta c) = 1 + wrong.
  rewrite (eq_bigr (fun c => (if group_of t == group_of c then 1 else 0) + (if t == c then 1 else 0))) => [|c Qc].
    rewrite sumD; have -> : \sum_(c | Q c) (if t == c then 1 else 0) = 1.
      rewrite (bigD1 t) //= eqxx big1 => [|c /andP[_ /negbTE ct]]; first by ring.
      by rewrite eq_sym ct.
    have -> : \sum_(c | Q c) (if group_of t == group_of c then 1 else 0) = \sum_(c | others alpha (group_of t) c) 1.
      by rewrite -big_mkcondr; apply: eq_bigl => c; rewrite /others eq_sym.
    by rewrite wrong_count; ring.
  rewrite (row_dots Qt Qc) Rmult_1_l; case: (t =P c) => [->|_]; first by rewrite eqxx; ring.
  by case: (_ == _); ring.
by field; lra.
Qed.

Lemma outputs_norm : vnorm2 outputs_solution = INR #|group p| * (wrong / (1 + wrong)).
Proof.
have e : vnorm2 outputs_solution = / (1 + wrong) * dot (combine Q (fun=> 1) Delta) outputs_solution.
  by rewrite /vnorm2 {1}/outputs_solution dotZl.
rewrite e dot_combinel (eq_bigr (fun=> 1)) => [|c Qc]; last first.
  by have := outputs_margin Qc; rewrite /margin => ->; ring.
rewrite (partition_big (@group_of p) predT) //= (eq_bigr (fun=> wrong)) => [|i _]; last first.
  by rewrite -(wrong_count i); apply: eq_bigl.
have F (a b : R) : 0 <= b -> / (1 + b) * (a * b) = a * (b / (1 + b)) by move=> ?; field; lra.
by rewrite sum_const; exact: F.
Qed.

Theorem outputs_max_margin : max_margin alpha outputs_solution.
Proof.
have v0 := share_gt0; apply/max_margin_kkt; split=> [t Qt|]; first by rewrite outputs_margin //; lra.
exists (fun=> / (1 + wrong)); split=> [t _||t Qt]; [lra | | by rewrite outputs_margin //; ring].
by rewrite /outputs_solution -combine_scale; apply: combine_eq => // t _; ring.
Qed.

(* Training from 0 by normalised steps, the margins and the mean loss there. *)
Theorem outputs_ray least eta (w : nat -> vec (coord p)) (t0 : token p) : Q t0 -> w O = vzero ->
  head_follows h least NormalisedSteps eta w -> forall n, let c := total eta n / vnorm outputs_solution in
  [/\ w n = (c * outputs_solution)%V, forall t, Q t -> margin alpha (w n) t = c &
      head_loss h (w n) = ln (1 + wrong * exp (- c))].
Proof.
move=> row start run n; have sizes i : \sum_(t | others alpha i t) copies alpha t = wrong.
  by rewrite -(wrong_count i); apply: eq_bigr.
have E := normalised_ray share_gt0 erefl outputs_margin alike_groups sizes (fun t _ => counted_once t) (group_of t0) row
  start run n.
split=> // [t Qt|]; rewrite E; first exact (star_ray_margin outputs_margin _ Qt).
apply: (ray_loss outputs_margin alike_groups sizes (group_of t0)).
rewrite sum_const; apply: Rinv_r; apply: not_0_INR; apply/eqP; rewrite -lt0n; apply/card_gt0P.
by exists (group_of t0).
Qed.
End Outputs.

(* ---- the feed-forward stage ---- *)

Section FeedForward.
Variable d : sentences.
Notation V := (INR #|word d|).

(* The words that have a next one. *)
Definition paired_word : finType := [finType of {x : word d | next_word x : bool}].
Definition next_of (x : paired_word) : word d := odflt (val x) (next_word (val x)).

Lemma next_ofE (x : paired_word) : next_word (val x) = Some (next_of x).
Proof. by rewrite /next_of; case: (next_word _) (valP x). Qed.

(* Logits u' W x with one-hot embeddings are the entries W_{u,x}; after x its next word is to be selected. *)
Definition feed_forward_stage : selection_problem :=
  @SelectionProblem [finType of word d * word d] paired_word [finType of paired_word * word d] fst
    (fun t => outer (word_vector t.2) (word_vector (val t.1))) (fun t => if t.2 == next_of t.1 then 1 else 0)
    (@once _) (@once_gt0 _) (@mean_weight paired_word) (@mean_weight_gt0 paired_word).

Definition paired_selection : selection feed_forward_stage :=
  @Selection feed_forward_stage (fun x => (x, next_of x)) (fun=> erefl).

Notation Q := (constraint paired_selection).
Notation Delta := (Selection.Delta paired_selection).
Implicit Types t c : token feed_forward_stage.

Lemma wrong_output t : Q t = (t.2 != next_of t.1).
Proof. by case: t => x u; rewrite /constraint /selected /= xpair_eqE eqxx. Qed.

Hypothesis two_words : (1 < #|word d|)%nat.

Lemma words_gt0 : 0 < V.
Proof. by apply: lt_0_INR; apply/ltP; exact: ltnW two_words. Qed.

Lemma output_dot t c : Q t -> Q c -> dot (Delta t) (Delta c) =
  if group_of t == group_of c then 1 + (if t == c then 1 else 0) else 0.
Proof.
rewrite !wrong_output => /negbTE tn /negbTE cn; rewrite /Selection.Delta !dotBl !dotBr !dot_outer !dot_unit.
rewrite -[group_of t]/t.1 -[group_of c]/c.1 /=; have -> : (val t.1 == val c.1) = (t.1 == c.1) by exact: val_eqE.
case: t c tn cn => [x u] [y v] /= tn cn; rewrite xpair_eqE.
have [e|_] := eqVneq x y; last by ring.
by rewrite -e in cn *; rewrite !eqxx [next_of _ == v]eq_sym tn cn andTb; ring.
Qed.

Lemma wrong_count (x : paired_word) : \sum_(t | others paired_selection x t) 1 = V - 1.
Proof.
rewrite (reindex_onto (fun u : word d => (x, u)) snd) /=; last by move=> [y u] /andP[_ /eqP <-].
have -> : \sum_(u | others paired_selection x (x, u) && (u == u)) 1 = \sum_(u | u != next_of x) 1.
  by apply: eq_bigl => u; rewrite /others wrong_output /= !eqxx !andbT.
have := sum_const (word d) 1; rewrite (bigD1 (next_of x)) //=; lra.
Qed.

Lemma wrong_ge0 : 0 <= V - 1.
Proof. by have := words_gt0; have /ltP/lt_INR := two_words; rewrite [INR 1]/=; lra. Qed.

Lemma word_once t : copies paired_selection t = 1.
Proof. by rewrite /copies /= /once; field. Qed.

Definition stage_solution : vec (coord feed_forward_stage) := outputs_solution paired_selection (V - 1).

Theorem solution_norm : vnorm2 stage_solution = INR #|paired_word| * (1 - / V).
Proof.
rewrite (outputs_norm wrong_ge0 output_dot wrong_count); have v0 := words_gt0.
by congr (_ * _); have -> : 1 + (V - 1) = V by [ring]; field; lra.
Qed.

Theorem solution_max_margin : max_margin paired_selection stage_solution.
Proof. exact: (outputs_max_margin wrong_ge0 output_dot wrong_count). Qed.

(* Training from 0 by normalised steps, and the mean loss of the pairs. *)
Theorem feed_forward_ray least eta (w : nat -> vec (coord feed_forward_stage)) (x0 : paired_word) : w O = vzero ->
  head_follows (cross_entropy_head paired_selection) least NormalisedSteps eta w -> forall n,
  w n = (total eta n / vnorm stage_solution * stage_solution)%V /\
  head_loss (cross_entropy_head paired_selection) (w n) =
    ln (1 + (V - 1) * exp (- (total eta n / vnorm stage_solution))).
Proof.
move=> start run n; have [u other] : exists u, u != next_of x0.
  have /card_gt0P[u] : (0 < #|predC1 (next_of x0)|)%nat by rewrite cardC1 -subn1 subn_gt0.
  by rewrite inE => ux; exists u.
have row : Q (x0, u) by rewrite wrong_output.
by have [E _ L] := outputs_ray wrong_ge0 output_dot wrong_count word_once (fun=> erefl) row start run n.
Qed.
End FeedForward.
