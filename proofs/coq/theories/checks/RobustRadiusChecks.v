(* RobustRadiusChecks: the verified checker's decision that a selection stays separable however its rows move by at
   most a radius. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection RobustRadius Number Elementary Rows Entries TokenData Claims Enclosure
  MarginChecks
                           OptimalityChecks GramBound.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the largest of some numbers, and 0 ---- *)

Section Largest.
Variable N : number.

Definition largest (s : seq N) : N := foldr (fun a b => if le a b then b else a) zero s.

Lemma largest_ge (s : seq N) k : (k < size s)%nat -> real (nth zero s k) <= real (largest s).
Proof.
elim: s k => [|a s IH] [|k] //=; rewrite ?ltnS => kl; case: ifP => [/le_real ab | /negbT/not_le_real ba]; try lra.
  exact: IH.
by have := IH k kl; lra.
Qed.

Lemma largest_ge0 (s : seq N) : 0 <= real (largest s).
Proof.
elim: s => [|a s IH] /=; first by rewrite real0; lra.
by case: ifP => // /negbT/not_le_real; lra.
Qed.
End Largest.

Section Checks.
Variables (N : number) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Let d := left_dimension D.
Let e := right_dimension D.
Let dx := real (token_unit D).
Let dz := real (query_unit D).
Implicit Types (t : token (problem D)) (i : group (problem D)) (norm radius : fraction N).

(* ---- lengths of rows ---- *)

Definition query_squares : seq N := [seq dot_rows (query_row q) (query_row q) | q <- sequences D].
Definition apart_squares (pq : nat * sequence N) : seq N :=
  let top := nth [::] (token_rows pq.2) pq.1 in [seq (let u := sub_rows top row in dot_rows u u) | row <- token_rows
    pq.2].
Definition difference_squares : seq N := [seq largest (apart_squares pq) | pq <- zip picks (sequences D)].

Notation rows := (@x N D).
Notation queries := (@z N D).

Lemma query_length (i : data_group D) : vnorm2 (queries i) <= real (largest query_squares) / (dz * dz).
Proof.
have z0 : 0 < dz := query_unit_gt0 Dok; have /and4P[_ /eqP sq _ _] := sequences_ok Dok (ltn_ord i).
have -> : vnorm2 (queries i) = real (nth zero query_squares i) / (dz * dz).
  rewrite /query_squares (nth_map (no_sequence N)) // -/(sequence_at D i) (@dot_rows_real _ _ _ e) ?sq // /Rdiv
    sum_mulr.
  apply: eq_bigr => k _; rewrite /z -/dz.
  by have H a : a / dz * (a / dz) = a * a * / (dz * dz); [field; lra | exact: H].
apply: Rmult_le_compat_r; last by apply: largest_ge; rewrite size_map.
by apply: Rlt_le; apply: Rinv_0_lt_compat; exact: Rmult_lt_0_compat.
Qed.

Lemma difference_length t : vnorm2 (rows (selected alpha t) - rows t)%V <= real (largest difference_squares) / (dx *
  dx).
Proof.
have x0 : 0 < dx := token_unit_gt0 Dok.
have -> : vnorm2 (rows (selected alpha t) - rows t)%V =
          real (dot_rows (difference D picks (pair_of t)) (difference D picks (pair_of t))) / (dx * dx).
  rewrite (@dot_rows_real _ _ _ d) ?(size_difference Dok Pok) // /Rdiv sum_mulr; apply: eq_bigr => j _.
  rewrite (entry_difference Dok Pok) /vsub /x -/dx /selected /=.
  by have H a b : (a / dx - b / dx) * (a / dx - b / dx) = (a - b) * (a - b) * / (dx * dx); [field; lra | exact: H].
apply: Rmult_le_compat_r; first by apply: Rlt_le; apply: Rinv_0_lt_compat; exact: Rmult_lt_0_compat.
have [/eqP sp _] := andP Pok; pose i := tag (t : data_token D).
have il : (i < size (zip picks (sequences D)))%nat by rewrite size_zip sp minnn ltn_ord.
have within : real (largest (apart_squares (nth (0%nat, no_sequence N) (zip picks (sequences D)) i))) <= real
  (largest difference_squares).
  have := @largest_ge _ difference_squares i; rewrite /difference_squares size_map => /(_ il).
  by rewrite (nth_map (0%nat, no_sequence N)).
apply: Rle_trans within; rewrite nth_zip //= -/(sequence_at D i).
have sl : (tagged (t : data_token D) < size (token_rows (sequence_at D i)))%nat by exact: ltn_ord.
have := @largest_ge _ (apart_squares (nth 0%nat picks i, sequence_at D i)) (tagged (t : data_token D)).
by rewrite size_map => /(_ sl); rewrite (nth_map [::]).
Qed.

(* ---- the check ---- *)

(* sqrt (a/u) + sqrt (b/u) + sqrt (c/u) < 1 *)
Definition roots_below_one_check (u a b c : N) : bool :=
  let s := sub (sub (add u c) a) b in
  let t := sub (mul s s) (mul (four N) (add (mul a b) (mul c u))) in
  [&& lt c u, lt zero s, lt zero t & lt (mul (mul (four N) (mul (four N) (four N))) (mul (mul a b) (mul c u))) (mul t
    t)].

Lemma roots_below_one_check_sound u a b c : 0 < real u -> 0 <= real a -> 0 <= real b -> 0 <= real c ->
  roots_below_one_check u a b c -> sqrt (real a / real u) + sqrt (real b / real u) + sqrt (real c / real u) < 1.
Proof.
move=> u0 a0 b0 c0 /and4P[/lt_real cu /lt_real s0 /lt_real t0 /lt_real last]; move: s0 t0 last.
rewrite !(realM, realB, realD, real4) real0; move: (real u) (real a) (real b) (real c) u0 a0 b0 c0 cu => {}u {}a {}b
  {}c u0 a0 b0 c0 cu s0 t0 last.
have over y : 0 <= y -> 0 <= y / u by move=> y0; apply: Rmult_le_pos => //; apply: Rlt_le; exact: Rinv_0_lt_compat.
have u2 := Rmult_lt_0_compat _ _ u0 u0; have u4 := Rmult_lt_0_compat _ _ u2 u2.
apply: roots_below_one; try exact: over.
- by apply: (Rmult_lt_reg_r u) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
- apply: (Rmult_lt_reg_r u) => //; rewrite Rmult_0_l.
  by have -> : (1 + c / u - a / u - b / u) * u = u + c - a - b by field; lra.
- apply: (Rmult_lt_reg_r (u * u)) => //; rewrite Rmult_0_l; apply: Rlt_le_trans t0 _; right.
  by field; lra.
apply: (Rmult_lt_reg_r (u * u * (u * u))) => //.
have -> : 64 * (a / u) * (b / u) * (c / u) * (u * u * (u * u)) = 4 * (4 * 4) * (a * b * (c * u)) by field; lra.
by apply: Rlt_le_trans last _; right; field; lra.
Qed.

(* A separating matrix has ||W||^2 <= norm; do the queries move as well? *)
Definition robust_radius_check norm radius (queries_move : bool) : bool :=
  let r2 := mul (fraction_num radius) (fraction_num radius) in let q2 := mul (fraction_den radius) (fraction_den
    radius) in
  let x2 := mul (token_unit D) (token_unit D) in let z2 := mul (query_unit D) (query_unit D) in
  let n := fraction_num norm in
  let unit := mul (mul (mul q2 q2) (fraction_den norm)) (mul x2 z2) in
  let by_tokens := mul (mul (four N) (mul r2 q2)) (mul n (mul (largest query_squares) x2)) in
  [&& fraction_ok norm, le zero n, fraction_ok radius, lt zero (fraction_num radius) &
   if queries_move
   then roots_below_one_check unit by_tokens (mul (mul r2 q2) (mul n (mul (largest difference_squares) z2)))
          (mul (mul (four N) (mul r2 r2)) (mul n (mul x2 z2)))
   else lt by_tokens unit].

(* Margins at the constraints, of rows that may be others. *)
Definition separable_rows (rows' : token (problem D) -> vec [finType of 'I_d]) (queries' : group (problem D) ->
  vec [finType of 'I_e]) : Prop :=
  rows_separable (constraint alpha) (selected alpha) (@group_of (problem D)) rows' queries'.

Lemma Delta_rows t : Delta alpha t = outer (rows (selected alpha t) - rows t)%V (queries (group_of t)).
Proof. by apply: vec_ext => jk; rewrite /Delta /= /outer /vsub /=; ring. Qed.

Theorem robust_radius_check_sound w norm radius queries_move : separates alpha w -> vnorm2 w <= fraction_real norm ->
  robust_radius_check norm radius queries_move ->
  forall rows' queries', (forall t, vdist (rows' t) (rows t) <= fraction_real radius) ->
    (forall i, if queries_move then vdist (queries' i) (queries i) <= fraction_real radius else queries' i = queries
      i) ->
    separable_rows rows' queries'.
Proof.
move=> sep short /and5P[nok /le_real n0 rok /lt_real r0 check]; rewrite real0 in n0 r0.
have nd := fraction_den_gt0 nok; have rd := fraction_den_gt0 rok; have x0 : 0 < dx := token_unit_gt0 Dok.
have z0 : 0 < dz := query_unit_gt0 Dok.
have R0 : 0 < fraction_real radius := Rdiv_lt_0_compat _ _ r0 rd.
have N0 : 0 <= fraction_real norm by apply: Rmult_le_pos => //; apply: Rlt_le; exact: Rinv_0_lt_compat.
set Z := real (largest query_squares) / (dz * dz); set A := real (largest difference_squares) / (dx * dx).
have Z0 : 0 <= Z by apply: Rmult_le_pos; [exact: largest_ge0 | apply: Rlt_le; apply: Rinv_0_lt_compat;
  exact: Rmult_lt_0_compat].
have A0 : 0 <= A by apply: Rmult_le_pos; [exact: largest_ge0 | apply: Rlt_le; apply: Rinv_0_lt_compat;
  exact: Rmult_lt_0_compat].
have conclude F : 0 <= F -> sqrt (fraction_real norm) * (2 * fraction_real radius * (sqrt Z + F) + sqrt A * F) < 1 ->
    forall rows' queries', (forall t, vdist (rows' t) (rows t) <= fraction_real radius) ->
    (forall i, vdist (queries' i) (queries i) <= F) -> separable_rows rows' queries'.
  move=> F0 small rows' queries' near near'.
  apply: (@robust_rows _ _ _ _ (constraint alpha) (selected alpha) (@group_of (problem D)) rows queries w
            (sqrt (fraction_real norm)) (sqrt Z) (sqrt A) (fraction_real radius) F) => //.
  - by move=> t ct; rewrite /row_margin -Delta_rows; exact: sep.
  - exact: sqrt_le_1_alt.
  - by move=> t _; apply: sqrt_le_1_alt; exact: query_length.
  - by move=> t _; apply: sqrt_le_1_alt; exact: difference_length.
  - exact: Rlt_le.
have root x y : 0 <= x -> 0 <= y -> sqrt (x * x * y) = x * sqrt y by move=> ? ?; rewrite sqrt_mult ?sqrt_square //;
  nra.
pose u := real (fraction_den radius) * real (fraction_den radius) * (real (fraction_den radius) * real (fraction_den
  radius)) *
          real (fraction_den norm) * (dx * dx * (dz * dz)).
have u0 : 0 < u by do !apply: Rmult_lt_0_compat.
pose R := fraction_real radius; pose n := fraction_real norm.
have a_real a : a = 4 * (real (fraction_num radius) * real (fraction_num radius) * (real (fraction_den radius) * real
  (fraction_den radius))) *
    (real (fraction_num norm) * (real (largest query_squares) * (dx * dx))) -> a / u = 2 * R * (2 * R) * (n * Z).
  by move=> ->; rewrite /u /R /n /Z /fraction_real; field; repeat split; lra.
have n_ge : 0 <= n by []; have R_ge : 0 <= R by exact: Rlt_le.
have R2_ge : 0 <= 2 * R by lra. have RR_ge : 0 <= 2 * (R * R) by have := Rmult_le_pos _ _ R_ge R_ge; lra.
have nZ_ge : 0 <= n * Z by exact: Rmult_le_pos. have nA_ge : 0 <= n * A by exact: Rmult_le_pos.
have moving m q r c : m * (2 * r * (q + r) + c * r) = 2 * r * (m * q) + r * (m * c) + 2 * (r * r) * m by ring.
have still_queries m q r c : m * (2 * r * (q + 0) + c * 0) = 2 * r * (m * q) by ring.
have nZ : sqrt (n * Z) = sqrt n * sqrt Z by exact: sqrt_mult.
have nA : sqrt (n * A) = sqrt n * sqrt A by exact: sqrt_mult.
case: queries_move check => [check | /lt_real].
  move=> rows' queries' near; apply: (conclude R) near; first exact: Rlt_le.
  have := roots_below_one_check_sound _ _ _ _ check; rewrite !(realM, real4) -/dx -/dz.
  set a := (X in sqrt (X / _)); set b := (X in _ + sqrt (X / _) + _); set c := (X in _ + _ + sqrt (X / _)).
  rewrite -/u => below.
  have ae : a / u = 2 * R * (2 * R) * (n * Z) by exact: a_real.
  have be : b / u = R * R * (n * A) by rewrite /b /u /R /n /A /fraction_real; field; repeat split; lra.
  have ce : c / u = 2 * (R * R) * (2 * (R * R)) * n by rewrite /c /u /R /n /fraction_real; field; repeat split; lra.
  have u_pos := u0; have aa : 0 <= a by rewrite /a; do !apply: Rmult_le_pos => //;
    first [lra | exact: largest_ge0 | exact: Rlt_le].
  have bb : 0 <= b by rewrite /b; do !apply: Rmult_le_pos => //; first [lra | exact: largest_ge0 | exact: Rlt_le].
  have cc : 0 <= c by rewrite /c; do !apply: Rmult_le_pos => //; first [lra | exact: largest_ge0 | exact: Rlt_le].
  have := below u0 aa bb cc; rewrite ae be ce !root // nZ nA => H; apply: Rle_lt_trans H; right; exact: moving.
move=> small rows' queries' near still; apply: (conclude 0) near _; first exact: Rle_refl; last first.
  by move=> i; rewrite still /vdist (_ : (_ - _)%V = vzero) ?vnorm0; [exact: Rle_refl | vec_ring].
move: small; rewrite !(realM, real4) -/dx -/dz -/u.
set a := (X in X < _); have ae : a / u = 2 * R * (2 * R) * (n * Z) by exact: a_real.
move=> au; rewrite still_queries -nZ -root // -ae -sqrt_1; apply: sqrt_lt_1_alt; split.
  by rewrite ae; apply: Rmult_le_pos => //; exact: Rmult_le_pos.
by apply: (Rmult_lt_reg_r u) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
Qed.
End Checks.
