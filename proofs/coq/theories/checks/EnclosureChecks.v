(* EnclosureChecks: the verified checker's decision about enclosures of the solution around a proved active set, and
   about local optimality from a ball around the solution. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Number Rows Entries TokenData Claims Enclosure MarginChecks
                           OptimalityChecks GramBound.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Checks.
Variables (N : number) (quick : entries N) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Let dx := real (token_unit D).
Let dz := real (query_unit D).
Implicit Types (v : vector N) (t : token (problem D)) (mask : seq (seq bool)) (q : fraction N).

Notation data_constraint t := (Selection.constraint alpha t).
Notation group_index t := (tag (t : data_token D)).
Notation token_index t := (tagged (t : data_token D)).
Notation solution v := (W alpha (coefficient_of v)).

(* ---- sums over tokens ---- *)

Definition map_rows (A B : Type) (f : A -> B) (m : seq (seq A)) : seq (seq B) := [seq [seq f a | a <- r] | r <- m].
Definition total_rows (m : seq (seq N)) : N := sum_row [seq sum_row r | r <- m].

Lemma fits_map (A B : Type) (f : A -> B) m : fits D m -> fits D (map_rows f m).
Proof.
rewrite /fits /map_rows size_map => /andP[-> H] /=.
by elim: m (sequences D) H => [|r m IH] [|s qs] //= /andP[E H]; rewrite size_map E IH.
Qed.

Lemma at_token_map (A B : Type) (a0 : A) (b0 : B) f m t : fits D m -> at_token b0 (map_rows f m) t =
  f (at_token a0 m t).
Proof.
move=> fm; have [/eqP sm _] := andP fm; rewrite /at_token /map_rows (nth_map [::]) ?sm //.
by rewrite (nth_map a0) // (fits_row fm (ltn_ord _)).
Qed.

Lemma total_rows_real m : fits D m -> real (total_rows m) = \sum_(t : token (problem D)) real (at_token zero m t : N).
Proof.
move=> fm; have [/eqP sm _] := andP fm.
rewrite /total_rows sum_row_real size_map sm (@sum_tokens N D); apply: eq_bigr => i _.
rewrite /entry (nth_map [::]) ?sm // sum_row_real (fits_row fm (ltn_ord i)).
by apply: eq_bigr.
Qed.

(* ---- lengths of constraints ---- *)

Definition length_row (pick : nat) (z : seq N) (rows : seq (seq N)) : seq N :=
  let zz := dot_rows z z in
  let top := nth [::] rows pick in
  [seq (let u := sub_rows top row in mul (dot_rows u u) zz) | row <- rows].
Fixpoint length_rows (ps : seq nat) (qs : seq (sequence N)) : seq (seq N) :=
  match ps, qs with
  | p :: ps', q :: qs' => length_row p (query_row q) (token_rows q) :: length_rows ps' qs'
  | _, _ => [::]
  end.
(* ||Delta_c||^2 as integers over (token_unit query_unit)^2. *)
Definition lengths : seq (seq N) := length_rows picks (sequences D).

Lemma size_length_rows ps qs : size ps = size qs -> size (length_rows ps qs) = size qs.
Proof. by elim: ps qs => [|p ps IH] [|q qs] //= [s]; rewrite IH. Qed.

Lemma nth_length_rows ps qs i : size ps = size qs -> (i < size qs)%nat ->
  nth [::] (length_rows ps qs) i =
  length_row (nth 0%nat ps i) (query_row (nth (no_sequence N) qs i)) (token_rows (nth (no_sequence N) qs i)).
Proof. by elim: ps qs i => [|p ps IH] [|q qs] [|i] //= [s]; rewrite ?ltnS => il; apply: IH. Qed.

Lemma fits_lengths : fits D lengths.
Proof.
have [/eqP sp _] := andP Pok; rewrite /fits /lengths size_length_rows // eqxx /=.
elim: (sequences D) picks sp => [|q qs IH] [|p ps] //= [sp].
by rewrite size_map eqxx IH.
Qed.

Lemma length_value t : vnorm2 (Delta alpha t) = real (at_token zero lengths t : N) / (dx * dz * (dx * dz)).
Proof.
have [/eqP sp _] := andP Pok; have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok;
  rewrite -/dx -/dz in x0 z0.
rewrite /vnorm2 (Delta_outer Dok) dot_outer !(dot_scaled _ _ _ (n := _)) ?(size_difference Dok Pok)
  ?(size_query Dok) //.
have -> : at_token zero lengths t = mul (dot_rows (difference D picks (pair_of t)) (difference D picks (pair_of t)))
                                        (dot_rows (query D (pair_of t)) (query D (pair_of t))).
  rewrite /at_token /lengths nth_length_rows // -/(sequence_at D _) /length_row (nth_map [::]) //.
have H a b : / dx * / dx * a * (/ dz * / dz * b) = a * b / (dx * dz * (dx * dz)) by field; lra.
by rewrite realM -H.
Qed.

(* ---- certainly slack: margin m > 1 and (m - 1)^2 > r2 ||Delta||^2, r2 = num / den ---- *)

Definition far_check (unit num den : N) (m len : N) : bool :=
  let units := mul (token_unit D) (query_unit D) in
  lt unit m && lt (mul (mul num len) (mul unit unit))
    (mul (mul (sub m unit) (sub m unit)) (mul den (mul units units))).

(* Of any margin over a unit, also one that is raised (SensedChecks.v). *)
Lemma far_scaled (unit num den m : N) t : 0 < real den -> 0 < real unit ->
  far_check unit num den m (at_token zero lengths t) ->
  1 < real m / real unit /\
  real num / real den * vnorm2 (Delta alpha t) < (real m / real unit - 1) * (real m / real unit - 1).
Proof.
move=> d0 u0 /andP[/lt_real slack /lt_real]; rewrite length_value.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok; rewrite -/dx -/dz in x0 z0.
move: (at_token zero lengths t) => len; rewrite !(realM, realB) -/dx -/dz => far.
have xz0 : 0 < dx * dz by apply: Rmult_lt_0_compat.
split.
  by apply: (Rmult_lt_reg_r (real unit)) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r ?Rmult_1_l //; lra.
apply: (Rmult_lt_reg_r (real den * (dx * dz * (dx * dz)) * (real unit * real unit))).
  by do 2 (apply: Rmult_lt_0_compat => //); apply: Rmult_lt_0_compat.
have -> : real num / real den * (real len / (dx * dz * (dx * dz))) *
  (real den * (dx * dz * (dx * dz)) * (real unit * real unit)) =
          real num * real len * (real unit * real unit) by field; lra.
have -> : (real m / real unit - 1) * (real m / real unit - 1) *
  (real den * (dx * dz * (dx * dz)) * (real unit * real unit)) =
          (real m - real unit) * (real m - real unit) * (real den * (dx * dz * (dx * dz))) by field; lra.
exact: far.
Qed.

Lemma far_check_sound v num den t : vector_ok D picks v -> 0 < real den ->
  far_check (margin_unit D v) num den (at_token zero (margins D picks v) t) (at_token zero lengths t) ->
  1 < margin alpha (solution v) t /\
  real num / real den * vnorm2 (Delta alpha t) <
  (margin alpha (solution v) t - 1) * (margin alpha (solution v) t - 1).
Proof.
by move=> vok d0 far; rewrite (margin_of_matrix Dok Pok t vok); exact: far_scaled d0 (margin_unit_gt0 Dok vok) far.
Qed.

(* ---- optimal-enclosure, form lambda-min ---- *)

Definition square q : fraction N :=
  Fraction (mul (fraction_num q) (fraction_num q)) (mul (fraction_den q) (fraction_den q)).
Definition product q q' : fraction N :=
  Fraction (mul (fraction_num q) (fraction_num q')) (mul (fraction_den q) (fraction_den q')).

Lemma product_real q q' : fraction_ok q -> fraction_ok q' -> fraction_real (product q q') = fraction_real q *
  fraction_real q'.
Proof.
by move=> /fraction_den_gt0 ? /fraction_den_gt0 ?; rewrite /fraction_real /= !realM; field; lra.
Qed.

Lemma product_ok q q' : fraction_ok q -> fraction_ok q' -> 0 < real (fraction_den (product q q')).
Proof. by move=> /fraction_den_gt0 ? /fraction_den_gt0 ?; rewrite /= realM; apply: Rmult_lt_0_compat. Qed.

Definition residual_rows v (m : seq (seq N)) mask : seq (seq N) :=
  let u := margin_unit D v in
  map_rows (fun bm => if bm.1 then let r := sub u bm.2 in mul r r else zero) (zip_rows mask m).

Lemma residual_scaled v a mask : vector_ok D picks v -> fits D a -> fits D mask ->
  real (total_rows (residual_rows v a mask)) / real (mul (margin_unit D v) (margin_unit D v)) =
  \sum_(t | in_mask mask t) (1 - real (@at_token N D _ zero a t) / real (margin_unit D v)) *
                            (1 - real (@at_token N D _ zero a t) / real (margin_unit D v)).
Proof.
move=> vok fa fm; have u0 := margin_unit_gt0 Dok vok.
rewrite total_rows_real; last by apply: fits_map; exact: fits_zip.
rewrite [RHS]big_mkcond /Rdiv sum_mulr; apply: eq_bigr => t _.
rewrite (at_token_map (false, zero)); last exact: fits_zip.
rewrite at_token_zip //= -/(in_mask mask t); case: (in_mask mask t); last by rewrite real0 Rmult_0_l.
move: (margin_unit D v) (at_token zero a t) u0 => u m u0.
by rewrite !realM realB; field; lra.
Qed.

Lemma residual_real v mask : vector_ok D picks v -> mask_ok D picks mask ->
  real (total_rows (residual_rows v (margins D picks v) mask)) / real (mul (margin_unit D v) (margin_unit D v)) =
  \sum_(t | in_mask mask t) (1 - margin alpha (solution v) t) * (1 - margin alpha (solution v) t).
Proof.
move=> vok /andP[fm _]; rewrite (residual_scaled vok _ fm); last exact: fits_margins.
by apply: eq_bigr => t _; rewrite (margin_of_matrix Dok Pok t vok).
Qed.

Lemma large_scaled v q t : vector_ok D picks v -> fraction_ok q ->
  lt (mul (fraction_num q) (denominator v)) (mul (at_token zero (numerators v) t) (fraction_den q)) ->
  fraction_real q < coefficient_of v t.
Proof.
move=> vok qok /lt_real; rewrite !realM => L; have v0 := denominator_gt0 vok; have q0 := fraction_den_gt0 qok.
rewrite /coefficient_of /coefficient /entry -/(at_token _ _ _) /fraction_real.
apply: (Rmult_lt_reg_r (real (denominator v) * real (fraction_den q))); first exact: Rmult_lt_0_compat.
have -> : real (fraction_num q) / real (fraction_den q) * (real (denominator v) * real (fraction_den q)) =
          real (fraction_num q) * real (denominator v) by field; lra.
by have H1 a : a / real (denominator v) * (real (denominator v) * real (fraction_den q)) = a * real (fraction_den q);
  [by field; lra | rewrite H1].
Qed.

Definition large_check v mask q : bool :=
  constraints_all (fun bc => if bc.1 then lt (mul (fraction_num q) (denominator v)) (mul bc.2 (fraction_den q))
                             else same bc.2 zero) picks (zip_rows mask (numerators v)).

Lemma large_check_sound v mask q t : vector_ok D picks v -> mask_ok D picks mask -> fraction_ok q ->
  large_check v mask q -> data_constraint t ->
  if in_mask mask t then fraction_real q < coefficient_of v t else coefficient_of v t = 0.
Proof.
move=> vok /andP[fm _] qok H ct; have /and3P[_ fv _] := vok.
have := constraints_allP (false, zero) (fits_zip fm fv) H ct.
rewrite at_token_zip //= -/(in_mask mask t); case: (in_mask mask t) => [|/same_real E]; first exact: large_scaled.
by rewrite /coefficient_of /coefficient /entry -/(at_token _ _ _) E real0 /Rdiv Rmult_0_l.
Qed.

Definition ball_check v m mask (hints : gram_hints N) (lo hi radius multiplier_radius lambda_min :
  fraction N) : bool :=
  let r2 := square radius in
  let rows := total_rows (residual_rows v m mask) in
  let u := margin_unit D v in
  let u2 := mul u u in
  let b := dual_value D v m in
  let ub := dual_unit D v in
  [&& vector_ok D picks v, mask_ok D picks mask,
      [&& fraction_ok lo, fraction_ok hi, fraction_ok radius, fraction_ok multiplier_radius & fraction_ok lambda_min],
      [&& lt zero (fraction_num lambda_min), le zero (fraction_num radius) &
        le zero (fraction_num multiplier_radius)] &
      [&& gram_check quick D picks mask hints lambda_min,
          le_fraction rows u2 (product r2 lambda_min),
          le_fraction rows u2 (product (square multiplier_radius) (square lambda_min)),
          large_check v mask multiplier_radius &
      [&& constraints_all (fun bml => bml.1 || far_check u (fraction_num r2) (fraction_den r2) bml.2.1 bml.2.2)
            picks (zip_rows mask (zip_rows m lengths)),
          fraction_le lo b ub &
          le_fraction (add (mul b (fraction_den r2)) (mul (fraction_num r2) ub)) (mul ub (fraction_den r2)) hi]]].

Lemma square_ok q : fraction_ok q -> 0 < real (fraction_den (square q)).
Proof. by move=> qok; apply: product_ok. Qed.

Lemma square_real q : fraction_ok q -> fraction_real (square q) = fraction_real q * fraction_real q.
Proof. by move=> qok; apply: product_real. Qed.

Lemma fraction_ge0 q : fraction_ok q -> le zero (fraction_num q) -> 0 <= fraction_real q.
Proof.
move=> /fraction_den_gt0 q0 /le_real; rewrite real0 => n0.
by apply: Rmult_le_pos => //; apply: Rlt_le; apply: Rinv_0_lt_compat.
Qed.

Theorem ball_check_sound v mask hints lo hi radius mradius lmin :
  ball_check v (margins D picks v) mask hints lo hi radius mradius lmin ->
  ball_enclosure alpha (in_mask mask) (coefficient_of v) (fraction_real lo) (fraction_real hi)
    (fraction_real radius * fraction_real radius) (fraction_real mradius).
Proof.
case/and5P=> vok mok /and5P[look hiok rok mrok lok] /and3P[l0 r0 mr0] /and5P[gram rad mrad large].
case/and3P=> far Hlo Hhi; have [fm _] := andP mok.
have u0 := margin_unit_gt0 Dok vok; have ub0 := dual_unit_gt0 Dok vok; have rd0 := product_ok rok rok.
have uu0 : 0 < real (mul (margin_unit D v) (margin_unit D v)) by rewrite realM; apply: Rmult_lt_0_compat.
have off t : data_constraint t -> ~~ in_mask mask t -> coefficient_of v t = 0.
  by move=> ct nt; have := large_check_sound vok mok mrok large ct; rewrite (negbTE nt).
have far_at t : data_constraint t -> ~~ in_mask mask t ->
    1 < margin alpha (solution v) t /\
    fraction_real radius * fraction_real radius * vnorm2 (Delta alpha t) <
    (margin alpha (solution v) t - 1) * (margin alpha (solution v) t - 1).
  move=> ct nt; rewrite -square_real //; apply: far_check_sound => //.
  have fl := fits_zip (fits_margins Pok (weights D picks v)) fits_lengths.
  have := constraints_allP (false, (zero, zero)) (fits_zip fm fl) far ct.
  rewrite at_token_zip //= at_token_zip //=; [| exact: fits_margins | exact: fits_lengths].
  by rewrite -/(in_mask mask t) (negbTE nt).
have sum_on_mask : \sum_(t | data_constraint t) @coefficient_of N D v t =
  \sum_(t | in_mask mask t) @coefficient_of N D v t.
  rewrite [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => t _; case it: (in_mask mask t).
    by rewrite (mask_constraint Pok mok it).
  by case: ifP => // ct; rewrite off ?it.
apply: (@ball_enclosure_sound (problem D) alpha (in_mask mask) (coefficient_of v) (fraction_real lmin)).
- by move=> t; apply: mask_constraint.
- exact: off.
- by move/lt_real: l0; rewrite real0 => ?; apply: Rdiv_lt_0_compat => //; apply: fraction_den_gt0.
- exact: gram_check_sound gram.
- rewrite -residual_real //; apply: Rle_trans (le_fraction_pos _ uu0 rad) _; first by rewrite /= realM;
    apply: Rmult_lt_0_compat => //; apply: fraction_den_gt0.
  by right; rewrite {1}/fraction_real /= !realM -square_real // /fraction_real /= !realM; field; have :=
    fraction_den_gt0 rok; have := fraction_den_gt0 lok; lra.
- exact: fraction_ge0.
- rewrite -residual_real //; apply: Rle_trans (le_fraction_pos _ uu0 mrad) _.
    by rewrite /= realM; apply: Rmult_lt_0_compat; apply: product_ok.
  by right; rewrite /fraction_real /= !realM; field; have := fraction_den_gt0 mrok; have := fraction_den_gt0 lok; lra.
- by move=> t it; have := large_check_sound vok mok mrok large (mask_constraint Pok mok it); rewrite it.
- by move=> t ct nt; have [] := far_at t ct nt.
- by move=> t ct nt; have [] := far_at t ct nt.
- rewrite -sum_on_mask -dual_value_real //; exact: fraction_le_real.
- rewrite -sum_on_mask -dual_value_real //.
  have ubr : 0 < real (mul (dual_unit D v) (fraction_den (square radius))) by rewrite realM;
    apply: Rmult_lt_0_compat => //; apply: square_ok.
  apply: Rle_trans (le_fraction_real hiok ubr Hhi); right; rewrite -square_real //.
  move: (square radius) (square_ok rok) (dual_value D v (margins D picks v)) (dual_unit D v) ub0 => r2 r20 b ub ub0.
  by rewrite /fraction_real realD !realM; field; lra.
Qed.
End Checks.
