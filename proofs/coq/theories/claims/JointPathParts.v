(* JointPathParts: what `joint-path` takes from what its certificate has established: the attention's solution with rows
   >= 1 and >= 0, enclosed. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Senses SensedClaims Direction Saturation JointModel Number Rows
                           Entries TokenData Instances EqualTokens MergedTokens MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals
                           ForeverChecks ForeverClaims SensedChecks DecoderData LabelMarginsChecks LabelledValues
                           JointPathChecks ClaimKind Posed SensedKinds.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the attention's solution, rows >= 1 and >= 0 ---- *)

Section Attention.
Variables (N : number) (D : token_data N) (picks : seq nat) (q : posing).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation values v := (@coefficient_of N D v).
Notation group_index t := (tag (t : data_token D)).
Implicit Types (t : token (problem D)) (v : vector N) (mask : seq (seq bool)).

Definition posed_sense t : sense := sense_in q (group_index t) (tagged (t : data_token D)).

Lemma relaxed_sense groups t : relaxed_groups q = Some groups ->
  posed_sense t = if (group_index t : nat) \in groups then AtLeastZero else AtLeastOne.
Proof.
by rewrite /posed_sense; case: q => // [[<-] | gs [<-]] //=; case: (_ \in _).
Qed.

(* What is known of it, as for plain problems (`solved`). *)
Record sensed_solved v mask (r y : R) (ws : vec (coord (problem D))) (lam : token (problem D) -> R) : Prop :=
  SensedSolved {
  sensed_vector : vector_ok D picks v;
  sensed_pair : sensed_solution_with alpha posed_sense ws lam;
  sensed_mask : fits D mask /\ forall t, in_mask mask t -> constraint alpha t;
  sensed_off : forall t, constraint alpha t -> ~~ in_mask mask t -> lam t = 0;
  sensed_near : vnorm (ws - W alpha (values v))%V <= r;
  sensed_close : forall t, in_mask mask t -> Rabs (lam t - values v t) <= y
}.

Lemma sensed_exact v groups : relaxed_groups q = Some groups -> vector_ok D picks v ->
  sensed_solution_with alpha posed_sense (W alpha (values v)) (values v) ->
  sensed_solved v (multiplier_mask v) 0 0 (W alpha (values v)) (values v).
Proof.
move=> rel vok sol; have [_ [lam0 _ _]] := sol; have /and3P[_ fv _] := vok; have d0 := denominator_gt0 vok.
have at_mask t : in_mask (multiplier_mask v) t = ~~ le (at_token zero (numerators v) t) zero.
  by rewrite /in_mask /multiplier_mask (at_token_map zero).
split=> //.
- split=> [|t]; first exact: fits_map.
  rewrite at_mask => /not_le_real; rewrite real0 => a0; apply: contraT => nt.
  have : 0 < values v t by apply: Rdiv_lt_0_compat => //; exact: a0.
  by rewrite (coefficient_off vok nt); lra.
- move=> t ct; rewrite at_mask negbK => /le_real; rewrite real0 => a0.
  have := lam0 t ct; rewrite (relaxed_sense t rel) /signed.
  have : values v t <= 0.
    rewrite -(Rmult_0_l (/ real (denominator v))); apply: Rmult_le_compat_r => //.
    exact/Rlt_le/Rinv_0_lt_compat.
  by case: (_ \in groups) => /=; lra.
- by rewrite (_ : (_ - _)%V = vzero) ?vnorm0; [right | vec_ring].
by move=> t _; rewrite Rminus_diag_eq // Rabs_R0; right.
Qed.

Lemma sensed_ball v mask lo hi (r y : R) : vector_ok D picks v -> mask_ok D picks mask -> 0 <= r -> 0 <= y ->
  sensed_ball_enclosure alpha posed_sense (in_mask mask) (values v) lo hi (r * r) y ->
  exists ws lam, sensed_solved v mask r y ws lam.
Proof.
move=> vok mok r0 y0 [ws [lam [sol supp pos [dist close] _]]]; exists ws, lam.
have [_ [lam0 _ slack]] := sol; split=> //.
- by split=> [|t it]; [case/andP: mok | exact: (mask_constraint Pok mok it)].
- move=> t ct nt; have /Rmult_integral[// | m1] := slack t ct.
  by case/negP: nt; apply/supp; split=> //; lra.
- apply: vnorm_le_sqr => //; have -> : vnorm2 (ws - W alpha (values v))%V = vnorm2 (W alpha (values v) - ws)%V
    by rewrite -vnorm2N; congr vnorm2; vec_ring.
  exact: dist.
move=> t it; have sq : (values v t - lam t) * (values v t - lam t) <= y * y.
  apply: Rle_trans close; apply: (sum_term_le (F := fun u => (values v u - lam u) * (values v u - lam u))) => // u _.
  exact: Rle_0_sqr.
by rewrite Rabs_minus_sym; apply: Rabs_le; split; nra.
Qed.

(* As a fact has it. *)
Lemma sensed_located groups f s : relaxed_groups q = Some groups -> posed_fact q picks alpha f ->
  locate_solution f = Some s -> is_nonnegative (located_distance s) -> is_nonnegative (located_multiplier_distance s) ->
  exists x y ws lam, [/\ sensed_solved (located_vector s) (located_mask s) x y ws lam,
    contains (located_distance s) x & contains (located_multiplier_distance s) y].
Proof.
move=> rel; have senses t : posed_sense t = @sense_at N D (senses_of D q) t by rewrite senses_meaning.
have {}senses : @sense_at N D (senses_of D q) = posed_sense.
  by apply: FunctionalExtensionality.functional_extensionality => t.
have exact_case v : vector_ok D picks v -> sensed_solution_with alpha posed_sense (W alpha (values v)) (values v) ->
    exists x y ws lam, [/\ sensed_solved v (multiplier_mask v) x y ws lam, contains (interval0 N) x &
      contains (interval0 N) y].
  move=> vok sol; exists 0, 0, (W alpha (values v)), (values v).
  by split; [exact: (sensed_exact rel) | exact: contains0 | exact: contains0].
have ball_case v mask lo hi (r y : fraction N) : vector_ok D picks v -> mask_ok D picks mask ->
    is_nonnegative (fraction_in forever_precision r) -> is_nonnegative (fraction_in forever_precision y) ->
    sensed_ball_enclosure alpha posed_sense (in_mask mask) (values v) lo hi (fraction_real r * fraction_real r)
      (fraction_real y) ->
    exists a b ws lam, [/\ sensed_solved v mask a b ws lam, contains (fraction_in forever_precision r) a &
      contains (fraction_in forever_precision y) b].
  move=> vok mok /(is_nonnegative_real (fraction_in_contains _ r)) r0.
  move=> /(is_nonnegative_real (fraction_in_contains _ y)) y0 B.
  have [ws [lam S]] := sensed_ball vok mok r0 y0 B.
  by exists (fraction_real r), (fraction_real y), ws, lam; split=> //; exact: fraction_in_contains.
move: rel senses exact_case ball_case; rewrite /posed_sense; case: q => [||gs|sets] // _ senses exact_case ball_case.
  case: f => // [v w m | v w m mask r y high] /=.
    by move=> [vok _ _ sol] [<-] _ _; exact: exact_case.
  move=> [vok [_ _] mok rok [r0 y0 [lo [ws [lam [sol supp pos near bounds]]]]]] [<-] /= rn yn.
  apply: (ball_case _ _ lo (fraction_real high)) => //; exists ws, lam; split=> // t it _; exact: pos.
case: f => // [v w m | v w m mask r y high] /=; rewrite senses.
  by move=> [vok _ _ sol] [<-] _ _; exact: exact_case.
move=> [vok _ mok rok [lo [hi B]]] [<-] /= rn yn; exact: (ball_case _ _ lo hi).
Qed.

(* ---- enclosed ---- *)

Variables (P : Z) (v : vector N) (mask : seq (seq bool)) (r y : interval N) (rx yx : R).
Variables (ws : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypotheses (sol : sensed_solved v mask rx yx ws lam) (Hr : contains r rx) (Hy : contains y yx).
Notation reference := (reference_of D P picks v (margins D picks v) mask r y).

Definition attention_weight t : R := if in_mask mask t then lam t / (vnorm ws * vnorm ws) else 0.

Lemma sensed_norm_in : contains (norm_in reference) (vnorm ws).
Proof.
have vok := sensed_vector sol; have -> : vnorm ws = vnorm (W alpha (values v)) + (vnorm ws - vnorm (W alpha (values v)))
  by ring.
apply: iadd_contains.
  by rewrite /vnorm (energy_value Dok Pok vok); apply: isqrt_contains; exact: ratio_contains.
apply: (symmetric_contains Hr); apply: Rle_trans (sensed_near sol); apply: Rabs_le; split; last exact: vnorm_sub_ge.
have -> : vnorm (ws - W alpha (values v))%V = vnorm (W alpha (values v) - ws)%V.
  by rewrite -vnormN; congr vnorm; vec_ring.
have := vnorm_sub_ge (W alpha (values v)) ws; lra.
Qed.

Lemma sensed_margin_in : contains (margin_in reference) (/ vnorm ws).
Proof. by rewrite -[/ _]Rmult_1_l; apply: idiv_contains sensed_norm_in; exact: contains1. Qed.

Lemma sensed_weights_in : encloses (weights_in reference) attention_weight.
Proof.
have /and3P[_ fv _] := sensed_vector sol; have [fm _] := sensed_mask sol.
have fnum : fits D (exact_table P (denominator v) (numerators v)) by exact: fits_map.
apply: within_encloses => //; [exact: contains0 | exact: fits_map | move=> t it].
rewrite (at_token_map (Everything N)) //; apply: idiv_contains; last by apply: imul_contains; exact: sensed_norm_in.
have -> : lam t = values v t + (lam t - values v t) by ring.
apply: iadd_contains; last exact: (symmetric_contains Hy (sensed_close sol it)).
by rewrite /exact_table (at_token_map zero) //; exact: ratio_contains.
Qed.

(* ---- what JointPath.v asks of it ---- *)

Variable groups : seq nat.
Hypotheses (rel : relaxed_groups q = Some groups) (ws_gt0 : 0 < vnorm ws).
Definition unrelaxed : pred (data_group D) := fun i => (i : nat) \notin groups.

Lemma weight_of_constraint t : constraint alpha t -> attention_weight t = lam t / (vnorm ws * vnorm ws).
Proof.
move=> ct; rewrite /attention_weight; case: (boolP (in_mask mask t)) => // it.
by rewrite (sensed_off sol ct it) /Rdiv Rmult_0_l.
Qed.

Lemma weight_off_constraint t : ~~ constraint alpha t -> attention_weight t = 0.
Proof. by move=> nt; rewrite /attention_weight; case: ifP => // /(proj2 (sensed_mask sol)); rewrite (negbTE nt). Qed.

Lemma direction_holds t : constraint alpha t ->
  if unrelaxed (group_of t) then / vnorm ws <= margin alpha (margin_direction ws) t
  else 0 <= margin alpha (margin_direction ws) t.
Proof.
move=> ct; have [[sep _] _] := sensed_pair sol; have := sep t ct; rewrite (relaxed_sense t rel) /in_sense /unrelaxed /=.
have i0 := Rinv_0_lt_compat _ ws_gt0; rewrite /margin_direction /Selection.margin dotZr.
case: (_ \in _) => /= m1; first exact: Rmult_le_pos (Rlt_le _ _ i0) m1.
by rewrite -[X in X <= _]Rmult_1_r; exact: Rmult_le_compat_l (Rlt_le _ _ i0) m1.
Qed.

Lemma attention_weight_ge0 t : constraint alpha t -> 0 <= attention_weight t.
Proof.
move=> ct; have [_ [lam0 _ _]] := sensed_pair sol; rewrite (weight_of_constraint ct).
apply: Rmult_le_pos; last by apply/Rlt_le/Rinv_0_lt_compat; exact: Rmult_lt_0_compat.
by have := lam0 t ct; rewrite (relaxed_sense t rel) /signed; case: (_ \in groups).
Qed.

Lemma attention_weights_one : \sum_(t | constraint alpha t && unrelaxed (group_of t)) attention_weight t = 1.
Proof.
have [_ [_ E slack]] := sensed_pair sol; have n2 : 0 < vnorm ws * vnorm ws by exact: Rmult_lt_0_compat.
have total : \sum_(t | constraint alpha t && unrelaxed (group_of t)) lam t = vnorm ws * vnorm ws.
  rewrite vnorm_sqr /vnorm2 {1}E dot_combinel big_mkcondr; apply: eq_bigr => t ct.
  have := slack t ct; rewrite (relaxed_sense t rel) /unrelaxed /= /margin.
  by case: (_ \in _) => /=; lra.
rewrite (eq_bigr (fun t => lam t * / (vnorm ws * vnorm ws))) => [|t /andP[ct _]]; last exact: weight_of_constraint.
by rewrite -sum_mulr total Rinv_r; lra.
Qed.

Lemma attention_balance : combine (constraint alpha) attention_weight (Delta alpha) =
  (/ vnorm ws * margin_direction ws)%V.
Proof.
have [_ [_ E _]] := sensed_pair sol; apply: vec_ext => j.
rewrite /margin_direction /vscale {3}E /combine !sum_mull; apply: eq_bigr => t ct.
by rewrite (weight_of_constraint ct); field; lra.
Qed.
End Attention.
