(* VelocityIntervals: the norm of the gradient, enclosed.

   T1's weights omega are rounded to integers over one power of two; the norm of the rounded combination of constraints is
   exact but for one square root, and the triangle inequality bounds what the rounding changes. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Gradient Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary IntervalTables AttentionIntervals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* Norms of two combinations of the same vectors differ by at most the sum of the changes. *)
Lemma combine_norm_close (C J : finType) (Q : pred C) (a b : C -> R) (x : C -> vec J) :
  Rabs (vnorm (combine Q a x) - vnorm (combine Q b x)) <= \sum_(c | Q c) Rabs (a c - b c) * vnorm (x c).
Proof.
have H f g : vnorm (combine Q f x) - vnorm (combine Q g x) <= \sum_(c | Q c) Rabs (f c - g c) * vnorm (x c).
  by apply: Rle_trans (vnorm_sub_ge _ _) _; rewrite -combine_sub; exact: vnorm_combine.
have := H a b; have := H b a; rewrite (eq_bigr (fun c => Rabs (a c - b c) * vnorm (x c))) => [|c _].
  by rewrite /Rabs; case: Rcase_abs; lra.
by rewrite Rabs_minus_sym.
Qed.

Section Velocity.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Implicit Types (m : seq (seq interval)) (t : token (problem D)).

(* The lower end over 2^e, and what the members of the interval exceed it by. *)
Definition floor_over (e : Z) (I : interval) : N := if at_exponent e I is Between lo _ _ then lo else zero.
Definition above_floor (e : Z) (I : interval) : interval :=
  if at_exponent e I is Between lo hi _ then Between zero (sub hi lo) e else Everything N.

Lemma above_floor_contains e I x : contains I x -> contains (above_floor e I) (Rabs (x - real (floor_over e I) * power e)).
Proof.
case: I => // lo hi f /(at_exponent_contains e).
have [a [b E]] := at_exponent_between e lo hi f; rewrite /above_floor /floor_over E /= realB real0 => -[h1 h2].
by rewrite Rabs_pos_eq; lra.
Qed.

Definition largest_exponent m : Z := foldr (fun r e => foldr (fun I e' => Z.max (small_exponent I) e') e r) 0%Z m.

(* The norm of sum_t omega_t Delta_t, from a table of the weights. *)
Definition combination_norm (e : Z) m : interval :=
  let rounded := weights_matrix D picks (map_rows (floor_over e) m) in
  let units := mul (token_unit D) (query_unit D) in
  let norm := imul P (dyadic one e) (idiv P (isqrt P (exactly (matrix_dot rounded rounded))) (exactly units)) in
  let changes := combine_tables (imul P) (map_rows (above_floor e) m) (distance_table D P picks) in
  iadd P norm (symmetric (isum P (group_sums P changes))).

Lemma combination_norm_contains e m F : encloses m F ->
  contains (combination_norm e m) (vnorm (combine (constraint alpha) F (Delta alpha))).
Proof.
move=> Hm; have [fm Hc] := Hm; have pe := power_gt0 e.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
pose cs := map_rows (floor_over e) m; pose G t := real (at_token zero cs t : N) * power e.
have fcs : fits D cs by exact: fits_map.
have u0 : / power e <> 0 by have := Rinv_0_lt_compat _ pe; lra.
have EG : combine (constraint alpha) G (Delta alpha) =
    matrix_real (weights_matrix D picks cs) (/ power e * (real (token_unit D) * real (query_unit D))).
  rewrite (weights_matrix_real Dok Pok fcs u0); apply: combine_eq => // t _.
  by rewrite /G /coefficient /Rdiv Rinv_inv.
have NG : vnorm (combine (constraint alpha) G (Delta alpha)) =
    1 * power e * (sqrt (real (matrix_dot (weights_matrix D picks cs) (weights_matrix D picks cs))) / real (mul (token_unit D) (query_unit D))).
  have sh := weights_matrix_shaped Dok Pok fcs; have xz0 : 0 < real (token_unit D) * real (query_unit D) by exact: Rmult_lt_0_compat.
  have u1 : / power e * (real (token_unit D) * real (query_unit D)) <> 0.
    by apply: Rgt_not_eq; apply: Rmult_lt_0_compat => //; exact: Rinv_0_lt_compat.
  rewrite EG /vnorm /vnorm2 (@matrix_real_dot N D _ _ _ _ u1 u1) -(matrix_dot_real sh sh).
  have H a u : 0 < u -> a / (/ power e * u * (/ power e * u)) = a * (power e / u * (power e / u)) by move=> ?; field; lra.
  by rewrite H // sqrt_scaled ?realM; [field; lra | exact: Rdiv_lt_0_compat].
have Hd := distance_table_encloses P Dok Pok.
have Ha : encloses (map_rows (above_floor e) m) (fun t => Rabs (F t - G t)).
  apply: (encloses_map (e0 := Everything N)) => // t.
  by rewrite /G /cs (at_token_map (Everything N)) //; exact: above_floor_contains.
have Hs := table_sum_contains P (combine_encloses (H := fun t => Rabs (F t - G t) * vnorm (Delta alpha t)) Ha Hd
             (fun t I J HI HJ => imul_contains P HI HJ)).
have -> : vnorm (combine (constraint alpha) F (Delta alpha)) = vnorm (combine (constraint alpha) G (Delta alpha)) +
    (vnorm (combine (constraint alpha) F (Delta alpha)) - vnorm (combine (constraint alpha) G (Delta alpha))) by ring.
apply: iadd_contains.
  rewrite NG -(real1 N); apply: imul_contains; first exact: dyadic_contains.
  by apply: idiv_contains; [apply: isqrt_contains; exact: exactly_contains | exact: exactly_contains].
apply: (symmetric_contains Hs); apply: Rle_trans (combine_norm_close _ _ _ _) _.
rewrite big_mkcond; apply: sum_le => t _; case: ifP => _; first by right.
by apply: Rmult_le_pos; [exact: Rabs_pos | exact: vnorm_ge0].
Qed.

(* ||gradient|| from enclosures of the margins. *)
Definition gradient_norm (l : loss_name) m : interval :=
  let weights := omega_table D P picks m l in combination_norm (largest_exponent weights - P) weights.

Theorem gradient_norm_contains l m w : encloses m (margin alpha w) ->
  contains (gradient_norm l m) (vnorm (gradient (loss_of l) w)).
Proof.
move=> Hm; rewrite -vnormN (gradient_constraints alpha).
exact: combination_norm_contains (omega_table_encloses P Dok Hm l).
Qed.
End Velocity.
