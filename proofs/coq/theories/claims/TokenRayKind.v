(* TokenRayKind: the claim `token-ray`, the feed-forward stage of one-hot sentences at every step of its training. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Heads Direction Iteration Growth Saturation CrossEntropyHead HeadRuns
                           FeedForwardRay Number Rows Entries TokenData Losses MarginChecks Interval Elementary
                           IntervalTables AttentionIntervals Runs RunChecks Pulls MirrorRunChecks UnitRows ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section TokenRayKind.
Variable N : number.

(* At a step: by how much the selected outputs are above all others, and the loss. *)
Record ray_checkpoint := RayCheckpoint {
  ray_at : nat; ray_scale_claim : claimed_band N; ray_loss_claim : claimed_band N }.

Record ray_data := RayData { ray_step : fraction N; ray_checkpoints : seq ray_checkpoint }.

(* The selected outputs are those that the scores name. Every training from 0 by normalised steps of that length on
   their mean cross-entropy is on the ray of the only shortest separating matrix, t steps away from 0, and at the
   checkpoints where the claim says. *)
Definition ray_says : claim_statement N ray_data := fun D alpha x =>
  let step := fraction_real (ray_step x) in
  let h := cross_entropy_head alpha in
  [/\ 0 < step, labelled alpha CrossEntropy & exists ws, [/\ max_margin alpha ws, 0 < vnorm ws &
    forall w : nat -> vec (coord (problem D)), w O = vzero -> head_follows h 0 NormalisedSteps (fun=> step) w ->
      (forall t, w t = (INR t * step / vnorm ws * ws)%V) /\
      forall k, List.In k (ray_checkpoints x) ->
        (forall t, constraint alpha t -> in_band (band_real (ray_scale_claim k)) (margin alpha (w (ray_at k)) t)) /\
        in_band (band_real (ray_loss_claim k)) (head_loss h (w (ray_at k)))]].

(* ---- the check ---- *)

Definition ray_bits : Z := 192.
Notation P := ray_bits.

Section Check.
Variables (D : token_data N) (picks : seq nat).
Notation d := (left_dimension D).

(* From the k-th on: the unit vectors one after the other. *)
Fixpoint units_from (k : nat) (unit : N) (rows : seq (seq N)) : bool :=
  if rows is row :: rows' then
    if unit_place unit row is Some j then (j == k)%nat && units_from k.+1 unit rows' else false
  else true.

(* All outputs once in every group, and queries that are different unit vectors. *)
Definition all_outputs : bool :=
  [&& (1 < d)%nat, (0 < size (sequences D))%nat, all isSome (query_places D), uniq (query_places D) &
      all (fun q => [&& size (token_rows q) == d, units_from 0 (token_unit D) (token_rows q) &
                        all (fun a => same a one) (count_row q)]) (sequences D)].

(* c: the length of the way over ||W*||. *)
Definition ray_scale (step : fraction N) (t : nat) : interval N :=
  let V := of_natural N d in
  idiv P (imul P (exactly (of_natural N t)) (claimed P step))
         (isqrt P (ratio P V (mul (of_natural N (size (sequences D))) (sub V one)))).

Definition ray_loss_in (c : interval N) : interval N :=
  log_1_plus P (imul P (exactly (sub (of_natural N d) one)) (iexp P (iopp c))).

Definition ray_checkpoint_check (step : fraction N) (k : ray_checkpoint) : bool :=
  let c := ray_scale step (ray_at k) in
  between_ends P (ray_scale_claim k) c && between_ends P (ray_loss_claim k) (ray_loss_in c).

Definition ray_check (x : ray_data) : bool :=
  [&& fraction_ok (ray_step x), lt zero (fraction_num (ray_step x)), all_outputs,
      labelled_check D picks CrossEntropy & all (ray_checkpoint_check (ray_step x)) (ray_checkpoints x)].
End Check.

Definition ray_claim_check : claim_checker N ray_data := fun quick D picks cited x =>
  accept (ray_check D picks x) Nothing.

(* ---- soundness ---- *)

Section Soundness.
Variables (D : token_data N) (picks : seq nat) (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation d := (left_dimension D).
Implicit Types (t c : token (problem D)).
Notation group_index t := (tag (t : data_token D)).
Definition output_place t : nat := tagged (t : data_token D).
Hypothesis outputs : all_outputs D.
Let wrong : R := INR d - 1.

Lemma units_fromP k unit rows s : units_from k unit rows -> (s < size rows)%nat ->
  unit_place unit (nth [::] rows s) = Some (k + s)%nat.
Proof.
elim: rows k s => //= row rows IH k [|s]; case E: unit_place => [j|] // /andP[/eqP jk rest] /=.
  by rewrite addn0 jk.
by rewrite ltnS => /(IH _ _ rest); rewrite addSnnS.
Qed.

Lemma group_outputs (i : data_group D) : [/\ length_of D i = d,
  units_from 0 (token_unit D) (token_rows (sequence_at D i)) & all (fun a => same a one) (count_row (sequence_at D i))].
Proof.
by have /and5P[_ _ _ _ /(all_nthP (no_sequence N))/(_ i (ltn_ord i))/and3P[/eqP]] := outputs.
Qed.

Lemma output_feature t (j : 'I_d) : x (t : data_token D) j = if (j == output_place t :> nat)%nat then 1 else 0.
Proof.
have [_ u _] := group_outputs (group_index t); apply: (unit_token Dok); rewrite (units_fromP u) ?add0n //.
Qed.

Lemma query_dot (i k : data_group D) : dot (z i) (z k) = if i == k then 1 else 0.
Proof.
have /and5P[_ _ known different _] := outputs; have sq : size (query_places D) = size (sequences D) by rewrite size_map.
have at_ (l : data_group D) : nth None (query_places D) l = unit_place (query_unit D) (query_row (sequence_at D l)).
  by rewrite (nth_map (no_sequence N)) ?ltn_ord.
have some (l : data_group D) : exists a, unit_place (query_unit D) (query_row (sequence_at D l)) = Some a.
  rewrite -at_; have := all_nthP None known l; rewrite sq ltn_ord => /(_ isT).
  by case: nth => // a _; exists a.
have [a Ea] := some i; have [b Eb] := some k; have [al Ha] := unit_query Dok Ea; have [_ Hb] := unit_query Dok Eb.
rewrite (unit_dot al Ha Hb); have := nth_uniq None (s := query_places D) (i := i) (j := k).
rewrite sq !ltn_ord => /(_ isT isT different); rewrite !at_ Ea Eb => E.
have -> : (a == b) = (Some a == Some b) by [].
by rewrite E.
Qed.

Lemma token_dot t c :
  dot (x (t : data_token D)) (x (c : data_token D)) = if output_place t == output_place c then 1 else 0.
Proof.
apply: (unit_dot _ (output_feature t) (output_feature c)); have [<- _ _] := group_outputs (group_index t).
exact: ltn_ord.
Qed.

Lemma same_output t c : group_of t = group_of c -> (output_place t == output_place c) = (t == c).
Proof.
case: t c => i s [k u] /= E; subst k; apply/eqP/eqP => [su | [/eqP]]; last by rewrite eq_Tagged /= => /eqP ->.
by congr existT; apply: val_inj.
Qed.

Lemma ray_row_dots t c : constraint alpha t -> constraint alpha c -> dot (Delta alpha t) (Delta alpha c) =
  if group_of t == group_of c then 1 + (if t == c then 1 else 0) else 0.
Proof.
move=> Qt Qc; rewrite /Delta !dotBl !dotBr.
have F (a b : token (problem D)) : dot (feature a) (feature b) =
  (if output_place a == output_place b then 1 else 0) * (if group_of a == group_of b then 1 else 0).
  by rewrite -token_dot -query_dot; exact: dot_outer.
have own (a : token (problem D)) : group_of (selected alpha a) = group_of a := group_of_pick alpha (group_of a).
rewrite !F !own; case: (group_of t =P group_of c) => [E|_]; last by ring.
have same_pick : selected alpha t = selected alpha c by rewrite /selected E.
rewrite !same_output ?own // same_pick eqxx; have -> : (selected alpha c == c) = false by rewrite eq_sym; exact: negbTE.
by rewrite -same_pick; have -> : (t == selected alpha t) = false by [exact: negbTE]; ring.
Qed.

Lemma ray_wrong_count i : \sum_(t | others alpha i t) 1 = wrong.
Proof.
have := group_sum alpha (fun=> 1) i; rewrite (sum_group (D := D)) sum_const card_ord.
by have [-> _ _] := group_outputs (i : data_group D); rewrite /wrong; lra.
Qed.

Lemma ray_once t : copies alpha t = 1.
Proof.
have one_count c : multiplicity c = 1.
  rewrite (multiplicity_count Dok) /count_value /entry; have [_ _ ones] := group_outputs (group_index c).
  have := all_nthP zero ones (output_place c); rewrite (count_row_size Dok (ltn_ord _)) ltn_ord => /(_ isT)
    /same_real ->.
  exact: real1.
by rewrite /copies !one_count; field.
Qed.

Lemma wrong_gt0 : 0 < wrong.
Proof. by have /and5P[/ltP/lt_INR + _ _ _ _] := outputs; rewrite /wrong [INR 1]/=; lra. Qed.

Lemma some_wrong_output : exists t0 : token (problem D), constraint alpha t0.
Proof.
have /and5P[_ n0 _ _ _] := outputs; pose i : data_group D := Ordinal n0.
have [t|none] := pickP (others alpha i); first by case/andP=> Qt _; exists t.
by have := wrong_gt0; rewrite -(ray_wrong_count i) big_pred0 //; lra.
Qed.

Let star := outputs_solution alpha wrong.

Lemma ray_norm : vnorm star = sqrt (INR (size (sequences D)) * (INR d - 1) / INR d).
Proof.
rewrite /vnorm (outputs_norm (Rlt_le _ _ wrong_gt0) ray_row_dots ray_wrong_count) card_ord /wrong; congr sqrt.
by have := wrong_gt0; rewrite /wrong => ?; field; lra.
Qed.

Lemma ray_scale_contains step (n : nat) :
  contains (ray_scale D step n) (INR n * fraction_real step / vnorm star).
Proof.
rewrite ray_norm; apply: idiv_contains.
  by apply: imul_contains; [rewrite -(of_natural_real N); exact: exactly_contains | exact: claimed_contains].
apply: isqrt_contains; have := ratio_contains P (of_natural N d)
  (mul (of_natural N (size (sequences D))) (sub (of_natural N d) one)).
by rewrite realM realB real1 !of_natural_real.
Qed.

Lemma ray_loss_contains (I : interval N) (r : R) : contains I r ->
  contains (ray_loss_in D I) (ln (1 + wrong * exp (- r))).
Proof.
move=> H; apply: log_1_plus_contains; apply: imul_contains; last by apply: iexp_contains; exact: iopp_contains.
by have := exactly_contains (sub (of_natural N d) one); rewrite realB real1 of_natural_real.
Qed.
End Soundness.

Theorem ray_holds : check_holds ray_says ray_claim_check.
Proof.
move=> quick D picks Dok Pok cited x f _ /acceptP[/and5P[sok /lt_real s0 outs labels /List.forallb_forall ks] <-].
split=> //; have w0 := wrong_gt0 outs; have rows := @ray_row_dots D picks Dok Pok outs.
have counts := ray_wrong_count Pok outs; have once := ray_once Dok Pok outs.
set star := outputs_solution (selection_of Pok) (INR (left_dimension D) - 1).
split; first by apply: Rdiv_lt_0_compat; [rewrite real0 in s0 | exact: fraction_den_gt0].
  exact: labelled_check_sound.
have [t0 row] := some_wrong_output Pok outs.
have solution : max_margin (selection_of Pok) star := outputs_max_margin (Rlt_le _ _ w0) rows counts.
exists star; split=> //.
  apply: vnorm_gt0; case: (vnorm2_ge0 star) => // /esym /vnorm2_eq0 e.
  by have := outputs_margin (Rlt_le _ _ w0) rows counts row; rewrite -/star /margin e dot0r; lra.
move=> w start run.
have ray t := outputs_ray (Rlt_le _ _ w0) rows counts once (fun=> erefl) row start run t.
split=> [t|k kin]; first by have [-> _ _] := ray t; rewrite total_const.
have [_ margins loss] := ray (ray_at k); have /andP[scaled lost] := ks k kin; rewrite total_const in margins loss.
have inside := ray_scale_contains Dok Pok outs (ray_step x) (ray_at k).
split=> [t Qt|]; first by rewrite margins //; exact: between_ends_real inside scaled.
by rewrite loss; exact: between_ends_real (ray_loss_contains D inside) lost.
Qed.

Definition ray_kind : claim_kind N := ClaimKind ray_holds.
End TokenRayKind.
