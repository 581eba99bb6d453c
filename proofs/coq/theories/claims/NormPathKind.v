(* NormPathKind: the claim `norm-path` (T21 in another norm). The evidence is that of the claim cited, a norm-optimum,
   which is checked with it: what is claimed is about its dual matrix. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection NormDuality EntrywiseDuality DualNorm UniformConvexity Claims Losses
                           RegularisationPath NormPath Number Rows Entries TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals SmoothnessChecks
                           ReferenceIntervals ForeverChecks NormChecks SpectralChecks ClaimKind RegularisationPathKind
                           NormKinds.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* A positive multiple of a matrix has that multiple of its norm at most. *)
Lemma norm_value_scale n (J : finType) c (w : vec J) : 0 <= c -> norm_value n (c * w)%V <= c * norm_value n w.
Proof.
move=> c0; have size j : Rabs ((c * w)%V j) = c * Rabs (w j) by rewrite /vscale Rabs_mult Rabs_pos_eq.
case: n => [||a e] /=.
- by rewrite /sum_norm sum_mull; right; apply: eq_bigr => j _.
- have m0 : 0 <= max_norm w.
    apply: (big_ind (fun x => 0 <= x)) => [|x y x0 _|j _]; [exact: Rle_refl | exact: Rle_trans x0 (Rmax_l _ _) |].
    exact: Rabs_pos.
  apply: max_norm_le => [|j]; first exact: Rmult_le_pos.
  by rewrite size; apply: Rmult_le_compat_l (le_max_norm w j).
by rewrite lp_norm_scale ?Rabs_pos_eq //; [right | exact: exponent_gt0].
Qed.

Lemma nuclear_norm_scale (d e : finType) c (w : vec [finType of d * e]) : 0 <= c ->
  nuclear_norm (c * w)%V <= c * nuclear_norm w.
Proof.
move=> c0; have [above _] := nuclear_norm_lub w; apply: (proj2 (nuclear_norm_lub _)) => M /above H.
by rewrite dotZr; apply: Rmult_le_compat_l.
Qed.

Section NormPathKind.
Variable N : number.

(* ---- what the claim cited shows ---- *)

Inductive norm_evidence := EntrywiseEvidence (x : entrywise_data N) | NuclearEvidence (x : nuclear_data N).

Definition evidence_low e :=
  match e with EntrywiseEvidence x => entrywise_low x | NuclearEvidence x => nuclear_low x end.
Definition evidence_high e :=
  match e with EntrywiseEvidence x => entrywise_high x | NuclearEvidence x => nuclear_high x end.
Definition evidence_dual e :=
  match e with EntrywiseEvidence x => entrywise_dual x | NuclearEvidence x => nuclear_dual x end.
Definition evidence_multipliers e :=
  match e with EntrywiseEvidence x => entrywise_multipliers x | NuclearEvidence x => nuclear_multipliers x end.

Definition evidence_norm (D : token_data N) e : vec (coord (problem D)) -> R :=
  match e with
  | EntrywiseEvidence x => @norm_value (entrywise_norm_of x) _
  | NuclearEvidence _ => @nuclear_norm [finType of 'I_(left_dimension D)] [finType of 'I_(right_dimension D)]
  end.

Definition evidence_matrix (D : token_data N) e : vec (coord (problem D)) :=
  match e with
  | EntrywiseEvidence x => matrix_real (entrywise_rows x) (real (entrywise_unit x))
  | NuclearEvidence x => matrix_real (factor_product (nuclear_left x) (nuclear_right x))
                           (real (mul (nuclear_left_unit x) (nuclear_right_unit x)))
  end.

Definition norm_evidence_check (D : token_data N) picks e : bool :=
  match e with EntrywiseEvidence x => entrywise_check D picks x | NuclearEvidence x => nuclear_check D picks x end.

Lemma evidence_norm_scale (D : token_data N) e c (w : vec (coord (problem D))) : 0 <= c ->
  evidence_norm e (c * w)%V <= c * evidence_norm e w.
Proof. by case: e => x; [exact: norm_value_scale | exact: nuclear_norm_scale]. Qed.

(* The factors of the nuclear norm's evidence, longer or shorter, and columns of zeros. *)
Lemma nuclear_ray (D : token_data N) picks (x : nuclear_data N) (J : finType) r : nuclear_check D picks x -> 0 < r ->
  exists (A : 'I_(nuclear_rank x) + J -> vec [finType of 'I_(left_dimension D)])
         (B : 'I_(nuclear_rank x) + J -> vec [finType of 'I_(right_dimension D)]),
    size_of_factors A B <= 2 * r /\
    factored A B = (r / fraction_real (nuclear_high x) * @evidence_matrix D (NuclearEvidence x))%V.
Proof.
case: x => lo hi m K uk Q uq v bound bits /and5P[/and3P[_ hiok _] /and4P[_ /lt_real h0 _ _]].
move=> /and5P[shK shQ /lt_real uk0 /lt_real uq0 _] /andP[Hnorm _] _ r0; rewrite real0 in h0 uk0 uq0.
have hi0 : 0 < fraction_real hi by apply: Rdiv_lt_0_compat h0 (fraction_den_gt0 hiok).
have c0 : 0 <= r / fraction_real hi by apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat].
exists (@padded _ J (r / fraction_real hi) _ (@columns N m (left_dimension D) K uk)),
  (@padded _ J (r / fraction_real hi) _ (@columns N m (right_dimension D) Q uq)); split.
  have H := factors_size shK shQ uk0 uq0 hiok Hnorm; rewrite -/(size_of_factors _ _) in H.
  have E : r / fraction_real hi * fraction_real hi = r by field; lra.
  rewrite padded_size //; have := Rmult_le_compat_l _ _ _ c0 H; rewrite E.
  by move: (size_of_factors _ _) => /= size; lra.
rewrite padded_product //; congr vscale; apply: vec_ext => -[j k] /=.
by rewrite /matrix_real (factor_product_real shK shQ uk0 uq0).
Qed.

Section Evidence.
Variables (D : token_data N) (picks : seq nat) (Dok : data_ok D) (Pok : picks_ok D picks) (e : norm_evidence).
Let alpha : selection (problem D) := selection_of Pok.
Notation v := (evidence_multipliers e).
Notation lo := (evidence_low e).
Notation hi := (evidence_high e).
Notation bound := (evidence_dual e).
Hypothesis checked : norm_evidence_check D picks e.

Lemma evidence_bounds : [/\ 0 < fraction_real hi, 0 < fraction_real bound, total_check D picks v lo bound,
  fraction_ok lo & fraction_ok bound].
Proof.
case: e checked => [[n l h rows unit m b bits r] | [l h rank K uk Q uq m b bits]] /=.
  case/and5P=> /and3P[look hiok bok] /and3P[_ /lt_real h0 /lt_real b0] _ _ /andP[total _]; rewrite real0 in h0 b0.
  by split=> //; apply: Rdiv_lt_0_compat => //; exact: fraction_den_gt0.
case/and5P=> /and3P[look hiok bok] /and4P[_ /lt_real h0 /lt_real b0 _] _ _ total; rewrite real0 in h0 b0.
by split=> //; apply: Rdiv_lt_0_compat => //; exact: fraction_den_gt0.
Qed.

Lemma evidence_separates : separates alpha (@evidence_matrix D e) /\
  evidence_norm e (@evidence_matrix D e) <= fraction_real hi.
Proof.
case: e checked => x H.
  by have [_ [S A _]] := entrywise_check_sound Dok Pok H.
by have [_ [S A _]] := nuclear_check_sound Dok Pok H.
Qed.

Lemma evidence_dual_norm :
  dual_norm_le (evidence_norm (D := D) e) (W alpha (@coefficient_of N D v)) (fraction_real bound).
Proof.
have [_ b0 total _ bok] := evidence_bounds; have [vok _ _] := and3P total; have unit0 := weight_unit_gt0 Dok vok.
rewrite -(weights_real Dok Pok vok).
case: e checked b0 bok vok unit0 {total} => [[n l h rows unit m b bits r] | [l h rank K uk Q uq m b bits]] /=.
  case/and5P=> _ /and3P[_ _ /lt_real b0] /and4P[_ _ _ eok] /andP[_ Hdual] _ _ bok vok unit0; rewrite real0 in b0.
  exact: (dual_norm_check_sound eok (weights_shaped Dok Pok vok) unit0 bok b0 Hdual).
case/and5P=> _ /and4P[_ _ /lt_real b0 /Z.leb_le bits0] _ /andP[_ Hdual] _ bound0 bok vok unit0; rewrite real0 in b0.
exact: (spectral_dual bound0 (spectral_check_sound bits0 unit0 (fraction_den_gt0 bok) b0
          (weights_shaped Dok Pok vok) Hdual)).
Qed.
End Evidence.

(* ---- the claim ---- *)

Record norm_path_data := NormPathData {
  norm_path_evidence : option norm_evidence;   (* none: what is cited is not about this norm *)
  norm_path_loss : option loss_name; norm_path_from : fraction N; norm_path_constant : fraction N
}.

(* W(multipliers) over the bound of its dual norm. *)
Definition dual_matrix (D : token_data N) (alpha : selection (problem D)) e : vec (coord (problem D)) :=
  (/ fraction_real (evidence_dual e) * W alpha (@coefficient_of N D (evidence_multipliers e)))%V.

Section Meaning.
Variables (D : token_data N) (alpha : selection (problem D)) (e : norm_evidence) (l : loss_name) (from K : fraction N).

Definition far_along (r : R) (w : vec (coord (problem D))) : Prop :=
  fraction_real (evidence_low e) / fraction_real (evidence_high e) * r - fraction_real K <=
    dot (dual_matrix alpha e) w.

(* Of the nuclear norm: minimisers over factors of m columns and any further ones. *)
Notation rows_of D := [finType of 'I_(left_dimension D)].
Notation columns_of D := [finType of 'I_(right_dimension D)].
Definition factors_far_along (m : nat) : Prop :=
  forall (J : finType) r (A : 'I_m + J -> vec (rows_of D)) (B : 'I_m + J -> vec (columns_of D)),
  fraction_real from <= r -> size_of_factors A B <= 2 * r ->
  (forall (A' : 'I_m + J -> vec (rows_of D)) (B' : 'I_m + J -> vec (columns_of D)), size_of_factors A' B' <= 2 * r ->
     training_loss (p := problem D) (loss_of l) (factored A B) <=
     training_loss (p := problem D) (loss_of l) (factored A' B')) ->
  far_along r (factored A B).

Definition norm_path_meaning : Prop :=
  [/\ dual_norm_le (evidence_norm (D := D) e) (dual_matrix alpha e) 1,
      forall r w, fraction_real from <= r ->
        least_over (loss_of l) (fun w' : vec (coord (problem D)) => evidence_norm e w' <= r) w -> far_along r w &
      if e is NuclearEvidence x then factors_far_along (nuclear_rank x) else True].
End Meaning.

Definition norm_path_says : claim_statement N norm_path_data := fun D alpha x =>
  for_loss (norm_path_loss x) (fun l =>
    if norm_path_evidence x is Some e then norm_path_meaning alpha e l (norm_path_from x) (norm_path_constant x)
    else False).

(* ---- the check ---- *)

Section Check.
Variables (D : token_data N) (picks : seq nat) (e : norm_evidence) (l : loss_name) (from K : fraction N).
Notation P := path_precision.

Definition ray_margin_in : interval N := idiv P (interval1 N) (fraction_in P (evidence_high e)).
Definition dual_weights_in : seq (seq (interval N)) :=
  map_rows (fun I => idiv P I (fraction_in P (evidence_dual e)))
    (exact_table P (denominator (evidence_multipliers e)) (numerators (evidence_multipliers e))).

Definition norm_path_check : bool :=
  [&& norm_evidence_check D picks e, lt zero (fraction_num (evidence_low e)),
      path_levels_check D P picks l ray_margin_in from &
      certainly_le (path_sum_in D P picks l ray_margin_in from dual_weights_in) (fraction_in P K)].

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation v := (evidence_multipliers e).
Notation lam := (@coefficient_of N D v).

Lemma dual_weights_enclose : vector_ok D picks v ->
  encloses dual_weights_in (fun t => lam t / fraction_real (evidence_dual e)).
Proof.
move=> vok; have /and3P[_ fv _] := vok.
have ft : fits D (exact_table P (denominator v) (numerators v)) by exact: fits_map.
apply: (encloses_map (e0 := Everything N)) => // t; apply: idiv_contains; last exact: fraction_in_contains.
by rewrite /exact_table (at_token_map zero) //; exact: ratio_contains.
Qed.

Theorem norm_path_check_sound : norm_path_check -> norm_path_meaning alpha e l from K.
Proof.
case/and4P=> checked _ levels rate.
have [hi0 b0 total look bok] := evidence_bounds checked; have [vok nn _] := and3P total.
have [sep above] := evidence_separates Dok Pok checked.
have i0 := Rinv_0_lt_compat _ hi0.
have inside : contains ray_margin_in (/ fraction_real (evidence_high e)).
  rewrite -[/ _]Rmult_1_l; apply: idiv_contains; [exact: contains1 | exact: fraction_in_contains].
have on_ray t : constraint alpha t -> / fraction_real (evidence_high e) <=
    margin alpha (/ fraction_real (evidence_high e) * @evidence_matrix D e)%V t.
  move=> /sep m1; rewrite /margin dotZr -[X in X <= _]Rmult_1_r.
  exact: (Rmult_le_compat_l _ _ _ (Rlt_le _ _ i0) m1).
have [defined cs best [theta [near [near_le ranges sums _ _]]]] :=
  path_levels_sound Dok i0 inside on_ray levels.
have pos t : constraint alpha t -> 0 <= lam t by exact: nonnegative_check_sound.
have sum := total_check_real Pok total look bok.
have far r w : fraction_real from <= r ->
    training_loss (loss_of l) w <= training_loss (loss_of l) (r * (/ fraction_real (evidence_high e) *
      @evidence_matrix D e))%V -> far_along alpha e K r w.
  move=> fr no_worse.
  have height := norm_path_height hi0 b0 pos sum cs best defined ranges (Rle_trans _ _ _ near_le fr) no_worse.
  apply: Rle_trans height; apply: Rplus_le_compat_l; apply: Ropp_le_contravar.
  have := certainly_le_real (sums _ _ (dual_weights_enclose vok)) (fraction_in_contains P K) rate.
  rewrite /norm_path_rate [X in _ -> X <= _]big_mkcond; congr (_ <= _); apply: eq_bigr => t _.
  by case: ifP => // /negbT/(coefficient_off vok) ->; rewrite /Rdiv !Rmult_0_l.
have from0 : 0 < fraction_real from by have := path_from_gt0 ranges; lra.
have ball r c : 0 < r -> c = r / fraction_real (evidence_high e) -> 0 <= c /\ c * fraction_real (evidence_high e) = r.
  move=> r0 ->; split; last by field; lra.
  by apply: Rmult_le_pos; lra.
have ray r : (r * (/ fraction_real (evidence_high e) * @evidence_matrix D e))%V =
    (r / fraction_real (evidence_high e) * @evidence_matrix D e)%V.
  by apply: vec_ext => j; rewrite /vscale /Rdiv; ring.
split.
- move=> w; rewrite dotZl Rmult_1_l; have := evidence_dual_norm Dok Pok checked w => H.
  have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (Rinv_0_lt_compat _ b0)) H.
  by rewrite -Rmult_assoc Rinv_l ?Rmult_1_l //; lra.
- move=> r w fr [_ least]; apply: far => //; apply: least; rewrite ray.
  have [c0 E] := @ball r _ (ltac:(lra)) erefl.
  apply: Rle_trans (evidence_norm_scale e (D := D) _ c0) _.
  by rewrite -[X in _ <= X]E; apply: Rmult_le_compat_l.
move: checked hi0 far ray; case: e => // x checked' hi0' far' ray' J r A B fr _ least.
have [A' [B' [small E]]] := nuclear_ray J checked' (Rlt_le_trans _ _ _ from0 fr).
by apply: far' => //; rewrite ray' -E; exact: least.
Qed.
End Check.

Definition norm_path_claim_check : claim_checker N norm_path_data := fun quick D picks cited x =>
  if (norm_path_evidence x, norm_path_loss x) is (Some e, Some l)
  then accept (norm_path_check D picks e l (norm_path_from x) (norm_path_constant x)) Nothing
  else None.

Theorem norm_path_holds : check_holds norm_path_says norm_path_claim_check.
Proof.
move=> quick D picks Dok Pok cited [[e|] [l|] F K] f _ //; rewrite /norm_path_claim_check /= => /acceptP[H <-].
by split=> //; exact: (norm_path_check_sound Dok Pok H).
Qed.

Definition norm_path_kind : claim_kind N := ClaimKind norm_path_holds.
End NormPathKind.
