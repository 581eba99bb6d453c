(* MarginChecks: the verified checker's decisions about one margin problem with rational data.

   Evidence is a vector over constraints with one denominator, stored densely (one numerator per token, zero at selected
   tokens). From it the checker computes the matrix W, all margins, and decides the hypotheses of the theorems of
   Claims.v in integer arithmetic. Each check has one lemma: if it answers true, the claim's meaning holds. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Number Rows TokenData Claims Enclosure.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- running over constraints ---- *)

Section Constraints.
Variable A : Type.
Implicit Types (f : A -> bool) (s : seq A).

(* Every entry but number skip. *)
Fixpoint all_but (skip : nat) f s : bool :=
  match s with
  | [::] => true
  | a :: s' => if skip is k.+1 then f a && all_but k f s' else all f s'
  end.

Lemma all_butP a0 skip f s t : all_but skip f s -> (t < size s)%nat -> t <> skip -> f (nth a0 s t).
Proof.
elim: s skip t => [|a s IH] [|k] [|t] //=; rewrite ?ltnS.
- by move=> H tl _; apply: (all_nthP a0 H).
- by case/andP.
- by case/andP=> _ H tl ne; apply: (IH k) => // E; apply: ne; rewrite E.
Qed.

Definition constraints_all f (picks : seq nat) (m : seq (seq A)) : bool :=
  all (fun pm => all_but pm.1 f pm.2) (zip picks m).
End Constraints.

Definition zip_rows (A B : Type) (a : seq (seq A)) (b : seq (seq B)) : seq (seq (A * B)) :=
  [seq zip ab.1 ab.2 | ab <- zip a b].

Section Checks.
Variable N : number.

Record vector := Vector { denominator : N; numerators : seq (seq N) }.
Record fraction := Fraction { fraction_num : N; fraction_den : N }.

Definition fraction_real (q : fraction) : R := real (fraction_num q) / real (fraction_den q).
Definition fraction_ok (q : fraction) : bool := lt zero (fraction_den q).

Lemma fraction_den_gt0 q : fraction_ok q -> 0 < real (fraction_den q).
Proof. by move/lt_real; rewrite real0. Qed.

(* a / u <= q and the like, by cross-multiplication (u > 0). *)
Definition le_fraction (a u : N) (q : fraction) : bool := le (mul a (fraction_den q)) (mul (fraction_num q) u).
Definition fraction_le (q : fraction) (a u : N) : bool := le (mul (fraction_num q) u) (mul a (fraction_den q)).

Section Comparisons.
Variables (a u : N) (q : fraction).
Hypotheses (q0 : 0 < real (fraction_den q)) (u0 : 0 < real u).

Lemma cross_multiplied : real a / real u * (real u * real (fraction_den q)) = real a * real (fraction_den q) /\
  fraction_real q * (real u * real (fraction_den q)) = real (fraction_num q) * real u.
Proof. by rewrite /fraction_real; split; field; lra. Qed.

Lemma le_fraction_pos : le_fraction a u q -> real a / real u <= fraction_real q.
Proof.
move=> /le_real; rewrite !realM => H.
apply: (Rmult_le_reg_r (real u * real (fraction_den q))); first exact: Rmult_lt_0_compat.
by have [-> ->] := cross_multiplied.
Qed.

Lemma fraction_le_pos : fraction_le q a u -> fraction_real q <= real a / real u.
Proof.
move=> /le_real; rewrite !realM => H.
apply: (Rmult_le_reg_r (real u * real (fraction_den q))); first exact: Rmult_lt_0_compat.
by have [-> ->] := cross_multiplied.
Qed.

Definition same_fraction : bool := same (mul a (fraction_den q)) (mul (fraction_num q) u).

Lemma same_fraction_pos : same_fraction -> real a / real u = fraction_real q.
Proof.
move=> /same_real; rewrite !realM => H.
apply: (Rmult_eq_reg_r (real u * real (fraction_den q))); last by apply: Rgt_not_eq; apply: Rmult_lt_0_compat.
by have [-> ->] := cross_multiplied.
Qed.
End Comparisons.

Lemma le_fraction_real a u q : fraction_ok q -> 0 < real u -> le_fraction a u q -> real a / real u <= fraction_real q.
Proof. by move/fraction_den_gt0; apply: le_fraction_pos. Qed.

Lemma fraction_le_real a u q : fraction_ok q -> 0 < real u -> fraction_le q a u -> fraction_real q <= real a / real u.
Proof. by move/fraction_den_gt0; apply: fraction_le_pos. Qed.

Lemma same_fraction_real a u q : fraction_ok q -> 0 < real u -> same_fraction a u q ->
  real a / real u = fraction_real q.
Proof. by move/fraction_den_gt0; apply: same_fraction_pos. Qed.

Section OneProblem.
Variables (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Let dx := real (token_unit D).
Let dz := real (query_unit D).
Implicit Types (v : vector) (t : token (problem D)) (m : seq (seq N)).

Notation data_constraint t := (Selection.constraint alpha t).
Notation group_index t := (tag (t : data_token D)).
Notation token_index t := (tagged (t : data_token D)).

(* Value of a nested list at a token. *)
Definition at_token (A : Type) (a0 : A) (m : seq (seq A)) t : A := nth a0 (nth [::] m (group_index t)) (token_index t).

Lemma value_at_token m t : value_at m t = real (at_token zero m t).
Proof. by []. Qed.

Lemma constraint_index t : data_constraint t <-> (token_index t : nat) <> nth 0%nat picks (group_index t).
Proof.
case: t => i s; rewrite /Selection.constraint /selected /=; split.
  move=> ne E; move/eqP: ne; apply; congr existT.
  by apply: val_inj.
by move=> ne; apply/eqP => E; apply: ne; exact: (f_equal (fun t : data_token D => (tagged t : nat)) E).
Qed.

Lemma fits_at (A : Type) (m : seq (seq A)) t : fits D m -> (token_index t < size (nth [::] m (group_index t)))%nat.
Proof. by move=> fm; rewrite (fits_row fm (ltn_ord _)); apply: ltn_ord. Qed.

Lemma constraints_allP (A : Type) (a0 : A) f (m : seq (seq A)) t : fits D m -> constraints_all f picks m ->
  data_constraint t -> f (at_token a0 m t).
Proof.
move=> fm H /constraint_index ct.
have [/eqP sm _] := andP fm; have [/eqP sp _] := andP Pok.
have := all_nthP (0%nat, [::]) H (group_index t).
rewrite size_zip sm sp minnn nth_zip ?sm //= => /(_ (ltn_ord _)) Hrow.
by apply: (all_butP a0 Hrow) => //; apply: fits_at.
Qed.

Lemma fits_zip (A B : Type) (a : seq (seq A)) (b : seq (seq B)) : fits D a -> fits D b -> fits D (zip_rows a b).
Proof.
rewrite /fits /zip_rows => /andP[/eqP sa Ha] /andP[/eqP sb Hb]; rewrite size_map size_zip sa sb minnn eqxx /=.
elim: (sequences D) a b sa sb Ha Hb => [|q qs IH] [|x a] [|y b] //= [sa] [sb] /andP[/eqP xs Ha] /andP[/eqP ys Hb].
by rewrite size_zip xs ys minnn eqxx IH.
Qed.

Lemma at_token_zip (A B : Type) (a0 : A) (b0 : B) a b t : fits D a -> fits D b ->
  at_token (a0, b0) (zip_rows a b) t = (at_token a0 a t, at_token b0 b t).
Proof.
move=> fa fb; have [/eqP sa _] := andP fa; have [/eqP sb _] := andP fb.
have sab : size a = size b by rewrite sa sb.
have il : (group_index t < size a)%nat by rewrite sa; apply: ltn_ord.
rewrite /at_token /zip_rows (nth_map ([::], [::])) ?size_zip -?sab ?minnn // nth_zip //= nth_zip //=.
by rewrite (fits_row fa (ltn_ord _)) (fits_row fb (ltn_ord _)).
Qed.

Lemma fits_margins m : fits D (margins_of D picks m).
Proof.
have [/eqP sp _] := andP Pok.
rewrite /fits /margins_of size_all_margins // eqxx /=.
elim: (sequences D) picks sp => [|q qs IH] [|p ps] //= [sp].
by rewrite !size_map eqxx IH.
Qed.

(* ---- evidence vectors ---- *)

Definition vector_ok v : bool :=
  [&& lt zero (denominator v), fits D (numerators v) &
      all (fun pc => same (nth zero pc.2 pc.1) zero) (zip picks (numerators v))].

Definition coefficient_of v t : R := coefficient (numerators v) (real (denominator v)) t.

Lemma denominator_gt0 v : vector_ok v -> 0 < real (denominator v).
Proof. by case/and3P => /lt_real; rewrite real0. Qed.

Lemma coefficient_off v t : vector_ok v -> ~~ data_constraint t -> coefficient_of v t = 0.
Proof.
case/and3P=> _ fv H nt; have [/eqP sv _] := andP fv; have [/eqP sp _] := andP Pok.
have := all_nthP (0%nat, [::]) H (group_index t).
rewrite size_zip sv sp minnn nth_zip ?sv //= => /(_ (ltn_ord _))/same_real E.
rewrite /coefficient_of /coefficient /entry.
have -> : (token_index t : nat) = nth 0%nat picks (group_index t).
  by apply/eqP; apply: contraNT nt => /eqP/constraint_index.
by rewrite E real0 /Rdiv Rmult_0_l.
Qed.

Definition weights v : seq (seq N) := weights_matrix D picks (numerators v).
Definition weight_unit v : N := mul (denominator v) (mul (token_unit D) (query_unit D)).
Definition margin_unit v : N := mul (weight_unit v) (mul (token_unit D) (query_unit D)).
Definition margins v : seq (seq N) := margins_of D picks (weights v).

Lemma units_gt0 : 0 < dx * dz.
Proof. exact: Rmult_lt_0_compat (token_unit_gt0 Dok) (query_unit_gt0 Dok). Qed.

Lemma weight_unit_real v : real (weight_unit v) = real (denominator v) * (dx * dz).
Proof. by rewrite /weight_unit !realM. Qed.

Lemma margin_unit_real v : real (margin_unit v) = real (denominator v) * (dx * dz) * (dx * dz).
Proof. by rewrite /margin_unit realM weight_unit_real realM. Qed.

Lemma weight_unit_gt0 v : vector_ok v -> 0 < real (weight_unit v).
Proof. by move/denominator_gt0 => v0; rewrite weight_unit_real; apply: Rmult_lt_0_compat units_gt0. Qed.

Lemma margin_unit_gt0 v : vector_ok v -> 0 < real (margin_unit v).
Proof.
move=> vok; rewrite margin_unit_real -weight_unit_real.
by apply: Rmult_lt_0_compat (weight_unit_gt0 vok) units_gt0.
Qed.

Lemma weights_real v : vector_ok v -> matrix_real (weights v) (real (weight_unit v)) = W alpha (coefficient_of v).
Proof.
move=> vok; rewrite weight_unit_real; apply: weights_matrix_real => //; first by case/and3P: vok.
by have := denominator_gt0 vok; lra.
Qed.

Lemma weights_shaped v : vector_ok v -> shaped (left_dimension D) (right_dimension D) (weights v).
Proof. by case/and3P=> _ fv _; apply: weights_matrix_shaped. Qed.

Lemma margin_of_matrix v t : vector_ok v ->
  margin alpha (W alpha (coefficient_of v)) t = real (at_token zero (margins v) t) / real (margin_unit v).
Proof.
move=> vok; rewrite -weights_real // margins_real //; last by have := weight_unit_gt0 vok; lra.
  by rewrite margin_unit_real -weight_unit_real.
exact: weights_shaped.
Qed.

(* ||W||^2 = sum_t lambda_t m_t, from the margins. *)
Definition energy v m : N := sum_row [seq dot_rows cm.1 cm.2 | cm <- zip (numerators v) m].

Lemma energy_value v : vector_ok v -> vnorm2 (W alpha (coefficient_of v)) =
  real (energy v (margins v)) / real (mul (weight_unit v) (weight_unit v)).
Proof.
move=> vok; have /and3P[_ fv _] := vok; have [/eqP sv _] := andP fv.
have [/eqP sm _] := andP (fits_margins (weights v)).
have v0 := denominator_gt0 vok; have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
rewrite -/dx -/dz in x0 z0.
rewrite /vnorm2 {1}/W dot_combinel.
have -> : \sum_(t | data_constraint t) coefficient_of v t * dot (Delta alpha t) (W alpha (coefficient_of v)) =
          \sum_(t : token (problem D)) coefficient_of v t * margin alpha (W alpha (coefficient_of v)) t.
  by rewrite big_mkcond; apply: eq_bigr => t _; case: ifP => // /negbT/(coefficient_off vok) ->; ring.
rewrite /energy sum_row_real size_map size_zip sv sm minnn (@sum_tokens N D) /Rdiv sum_mulr; apply: eq_bigr => i _.
rewrite /entry (nth_map ([::], [::])) ?size_zip ?sv ?sm ?minnn // nth_zip ?sv ?sm //=.
rewrite (@dot_rows_real _ _ _ (length_of D i)) ?(fits_row fv (ltn_ord i)) // sum_mulr; apply: eq_bigr => s _.
rewrite margin_of_matrix // /coefficient_of /coefficient margin_unit_real realM weight_unit_real.
have H a b : a / real (denominator v) * (b / (real (denominator v) * (dx * dz) * (dx * dz))) =
             a * b * / (real (denominator v) * (dx * dz) * (real (denominator v) * (dx * dz)))
  by field; repeat split; lra.
exact: H.
Qed.

Definition total_entries v : N := sum_row [seq sum_row c | c <- numerators v].

Lemma total_real v : vector_ok v -> 
  real (total_entries v) / real (denominator v) = \sum_(t | data_constraint t) coefficient_of v t.
Proof.
move=> vok; have /and3P[_ fv _] := vok; have [/eqP sv _] := andP fv; have v0 := denominator_gt0 vok.
have -> : \sum_(t | data_constraint t) coefficient_of v t = \sum_t coefficient_of v t.
  by rewrite big_mkcond; apply: eq_bigr => t _; case: ifP => // /negbT/(coefficient_off vok).
rewrite /total_entries sum_row_real size_map sv (@sum_tokens N D) /Rdiv sum_mulr; apply: eq_bigr => i _.
rewrite /entry (nth_map [::]) ?sv // sum_row_real (fits_row fv (ltn_ord i)) sum_mulr.
by apply: eq_bigr => s _.
Qed.

(* ---- the checks ---- *)

Definition nonnegative_check v : bool := constraints_all (le zero) picks (numerators v).

Lemma nonnegative_check_sound v t : vector_ok v -> nonnegative_check v -> data_constraint t -> 0 <= coefficient_of v t.
Proof.
move=> vok H ct; have /and3P[_ fv _] := vok; have v0 := denominator_gt0 vok.
have /le_real := constraints_allP zero fv H ct; rewrite real0 => c0.
by apply: Rmult_le_pos => //; apply: Rlt_le; apply: Rinv_0_lt_compat.
Qed.

(* Checks of margins are given them, so that they are computed once. *)
Definition separates_check v m : bool := constraints_all (le (margin_unit v)) picks m.

Lemma separates_check_sound v : vector_ok v -> separates_check v (margins v) ->
  separates alpha (W alpha (coefficient_of v)).
Proof.
move=> vok H t ct; have u0 := margin_unit_gt0 vok; rewrite margin_of_matrix //.
have /le_real m1 := constraints_allP zero (fits_margins _) H ct.
apply: (Rmult_le_reg_r (real (margin_unit v))) => //.
by rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r ?Rmult_1_l //; lra.
Qed.

Definition feasible_check v : bool := vector_ok v && separates_check v (margins v).

Theorem feasible_check_sound v : feasible_check v -> feasible alpha.
Proof. by case/andP=> vok H; apply: feasible_sound (separates_check_sound vok H). Qed.

Definition infeasible_check v : bool :=
  [&& vector_ok v, nonnegative_check v, lt zero (total_entries v) & all_zero (weights v)].

Theorem infeasible_check_sound v : infeasible_check v -> ~ feasible alpha.
Proof.
case/and4P=> vok nn /lt_real; rewrite real0 => pos wz.
have v0 := denominator_gt0 vok.
have c0 t : data_constraint t -> 0 <= coefficient_of v t by apply: nonnegative_check_sound.
apply: (infeasible_sound (x := coefficient_of v)) => //.
  have S0 : 0 < \sum_(t | data_constraint t) coefficient_of v t.
    by rewrite -total_real //; apply: Rdiv_lt_0_compat.
  case: (pickP (fun t => data_constraint t && Rlt_dec 0 (coefficient_of v t))) => [t /andP[ct] | none].
    by case: Rlt_dec => // ? _; exists t.
  move: S0; rewrite (eq_bigr (fun=> 0)); first by rewrite sum0 //; lra.
  move=> t ct; have := none t; rewrite ct /=; case: Rlt_dec => // nl _; have := c0 t ct; lra.
rewrite -weights_real //; apply: vec_ext => jk.
by rewrite /matrix_real all_zero_entry // /Rdiv Rmult_0_l.
Qed.

Definition tight_check v m : bool :=
  let u := margin_unit v in constraints_all (fun cm => same cm.1 zero || same cm.2 u) picks (zip_rows (numerators v) m).

(* At a solution ||W||^2 is the sum of the multipliers. *)
Definition optimal_check v m (norm_squared : fraction) : bool :=
  [&& vector_ok v, nonnegative_check v, separates_check v m, tight_check v m, fraction_ok norm_squared &
      same_fraction (total_entries v) (denominator v) norm_squared].

Theorem optimal_check_sound v q : optimal_check v (margins v) q ->
  solution_with alpha (W alpha (coefficient_of v)) (coefficient_of v) /\
  vnorm2 (W alpha (coefficient_of v)) = fraction_real q.
Proof.
case/and5P=> vok nn sep tight /andP[qok E].
have tight_at t : data_constraint t -> coefficient_of v t <> 0 -> margin alpha (W alpha (coefficient_of v)) t = 1.
  move=> ct ne; have /and3P[_ fv _] := vok; have u0 := margin_unit_gt0 vok.
  have := constraints_allP (zero, zero) (fits_zip fv (fits_margins _)) tight ct.
  rewrite at_token_zip //=; last exact: fits_margins.
  case/orP=> /same_real H.
    by case: ne; rewrite /coefficient_of /coefficient /entry H real0 /Rdiv Rmult_0_l.
  by rewrite margin_of_matrix // H /Rdiv Rinv_r //; lra.
split; last first.
  rewrite -(same_fraction_real qok (denominator_gt0 vok) E) total_real // /vnorm2 {1}/W dot_combinel.
  apply: eq_bigr => t ct; case: (Req_dec (coefficient_of v t) 0) => [-> | ne]; first by ring.
  by rewrite -/(margin alpha _ t) tight_at //; ring.
apply: optimal_sound => [t ct | | //]; first exact: nonnegative_check_sound.
exact: separates_check_sound.
Qed.

(* ---- optimal-enclosure, form gap ---- *)

(* b = 2 sum dual - ||W dual||^2 as a fraction over this unit; m are the margins. *)
Definition dual_unit v : N := mul (mul (weight_unit v) (weight_unit v)) (denominator v).
Definition dual_value v m : N :=
  sub (mul (mul two (total_entries v)) (mul (weight_unit v) (weight_unit v))) (mul (energy v m) (denominator v)).

Lemma dual_unit_gt0 v : vector_ok v -> 0 < real (dual_unit v).
Proof.
move=> vok; have u0 := weight_unit_gt0 vok; have v0 := denominator_gt0 vok.
by rewrite (realM (mul (weight_unit v) _)) (realM (weight_unit v)); do 2 apply: Rmult_lt_0_compat => //.
Qed.

Lemma dual_value_real v : vector_ok v -> real (dual_value v (margins v)) / real (dual_unit v) =
  2 * (\sum_(t | data_constraint t) coefficient_of v t) - vnorm2 (W alpha (coefficient_of v)).
Proof.
move=> vok; rewrite -total_real // energy_value // /dual_value /dual_unit.
have := weight_unit_gt0 vok; have := denominator_gt0 vok.
move: (weight_unit v) (denominator v) (total_entries v) (energy _ _) => u d a b d0 u0.
by rewrite realB !realM real2; field; lra.
Qed.

Definition gap_check primal m dual (lo hi r : fraction) : bool :=
  let a := energy primal m in
  let u := mul (weight_unit primal) (weight_unit primal) in
  let b := dual_value dual (margins dual) in
  let ub := dual_unit dual in
  [&& vector_ok primal, vector_ok dual, separates_check primal m, nonnegative_check dual,
      [&& fraction_ok lo, fraction_ok hi & fraction_ok r] &
      [&& fraction_le lo b ub, le_fraction a u hi & le_fraction (sub (mul a ub) (mul b u)) (mul u ub) r]].

Theorem gap_check_sound primal dual lo hi r : gap_check primal (margins primal) dual lo hi r ->
  gap_enclosure alpha (fraction_real lo) (fraction_real hi) (fraction_real r) (W alpha (coefficient_of primal)).
Proof.
case/and5P=> pok dok sep nn /andP[/and3P[look hiok rok] /and3P[Hlo Hhi Hr]].
have u0 := weight_unit_gt0 pok; have ub0 := dual_unit_gt0 dok.
have uu0 : 0 < real (mul (weight_unit primal) (weight_unit primal)) by rewrite realM; apply: Rmult_lt_0_compat.
apply: (gap_enclosure_sound (y := coefficient_of dual)) => [|t ct|||].
- exact: separates_check_sound.
- exact: nonnegative_check_sound.
- by rewrite -dual_value_real //; apply: fraction_le_real.
- by rewrite energy_value //; apply: le_fraction_real.
rewrite -dual_value_real // energy_value //.
move: (dual_value dual _) (dual_unit dual) (weight_unit primal) (energy _ _) ub0 uu0 Hr => b ub u a ub0 uu0 Hr.
have uub0 : 0 < real (mul (mul u u) ub) by rewrite realM; apply: Rmult_lt_0_compat.
have := le_fraction_real rok uub0 Hr; congr (_ <= _).
by move: uu0; rewrite realB !realM => uu0; field; split; [lra | nra].
Qed.
End OneProblem.
End Checks.
