(* NormDistanceChecks: how far a matrix is from the solution in an l_p norm, p > 1, and which margins are certainly
   above 1 there. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm PowerInequalities UniformConvexity
                           ShortestVector Number Rows Entries Elementary TokenData MarginChecks OptimalityChecks
                           GramBound NormChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma abs_power_positive x (k : positive) : 0 <= x -> abs_power x (IZR (Zpos k)) = x ^ Pos.to_nat k.
Proof.
move=> x0; case: (Req_EM_T x 0) => [-> | ne]; first by rewrite abs_power0 pow_i //; exact: Pos2Nat.is_pos.
rewrite abs_power_pos; last by lra.
have <- : INR (Pos.to_nat k) = IZR (Zpos k) by rewrite INR_IZR_INZ positive_nat_Z.
by apply: Rpower_pow; lra.
Qed.

(* Of a norm between lo and hi, in the powers that the check compares. *)
Lemma distance_of_powers (a c : positive) n lo hi r : (c < a)%positive -> 0 <= n -> 0 <= lo <= hi -> 0 <= r ->
  abs_power n (exponent a c) <= abs_power (2 * hi) (exponent a c - 1) * (exponent a c * (hi - lo)) ->
  (2 * hi) ^ Pos.to_nat (a - c) * (exponent a c * (hi - lo)) ^ Pos.to_nat c <= r ^ Pos.to_nat a -> n <= r.
Proof.
move=> ca n0 [lo0 lohi] r0 near check.
have c0 := positive_gt0 c; have a0 := positive_gt0 a; have p0 := exponent_gt0 a c.
have T0 : 0 <= exponent a c * (hi - lo) by apply: Rmult_le_pos; lra.
have top : abs_power n (IZR (Zpos a)) <= abs_power r (IZR (Zpos a)).
  rewrite (abs_power_positive a r0); apply: Rle_trans check.
  have -> : IZR (Zpos a) = exponent a c * IZR (Zpos c) by rewrite /exponent; field; lra.
  rewrite -abs_power_comp; apply: (Rle_trans _ (abs_power (abs_power (2 * hi) (exponent a c - 1) *
    (exponent a c * (hi - lo))) (IZR (Zpos c)))).
    by apply: abs_power_le; [lra | split=> //; exact: abs_power_ge0].
  rewrite abs_power_mult abs_power_comp (abs_power_positive c T0); right; congr (_ * _).
  rewrite -abs_power_positive; last by lra.
  congr abs_power; rewrite Pos2Z.inj_sub // minus_IZR /exponent; field; lra.
rewrite -(Rabs_pos_eq n n0); apply: (@below_power (IZR (Zpos a))) => //.
apply: (IZR_lt 1); lia.
Qed.

Section Distance.
Variable N : number.
Implicit Types (lo hi r : fraction N) (a c : positive).

Definition distance_check a c lo hi r : bool :=
  let ln := fraction_num lo in let ld := fraction_den lo in
  let hn := fraction_num hi in let hd := fraction_den hi in
  let rn := fraction_num r in let rd := fraction_den r in
  [&& fraction_ok r, le zero rn &
    if Pos.leb a (2 * c) then
      le (mul (mul two (sub (mul (mul hn hn) (mul ld ld)) (mul (mul ln ln) (mul hd hd))))
              (mul (of_positive N c) (mul rd rd)))
         (mul (mul (mul rn rn) (of_positive N (a - c))) (mul (mul hd hd) (mul ld ld)))
    else
      le (mul (mul (pow_positive (mul two hn) (a - c))
                   (pow_positive (mul (of_positive N a) (sub (mul hn ld) (mul ln hd))) c)) (pow_positive rd a))
         (mul (pow_positive rn a)
              (mul (pow_positive hd (a - c)) (pow_positive (mul (of_positive N c) (mul hd ld)) c)))].

Theorem distance_check_sound (J : finType) (u v : vec J) a c lo hi r (p := exponent a c) : (c < a)%positive ->
  fraction_ok lo -> fraction_ok hi -> 0 <= fraction_real lo <= lp_norm p v -> lp_norm p u <= fraction_real hi ->
  lp_norm p v <= lp_norm p (midpoint u v) -> lp_norm p v <= fraction_real hi -> 0 < fraction_real hi ->
  distance_check a c lo hi r -> lp_norm p (u - v)%V <= fraction_real r.
Proof.
move=> ca look hiok lov uhi least vhi hi0 /and3P[rok /le_real]; rewrite real0 => rn0.
have l0 := fraction_den_gt0 look; have h0 := fraction_den_gt0 hiok; have d0 := fraction_den_gt0 rok.
have c0 := positive_gt0 c; have a0 := positive_gt0 a; have ac := IZR_lt _ _ (Pos2Z.pos_lt_pos _ _ ca).
have r0 : 0 <= fraction_real r by apply: Rmult_le_pos rn0 (Rlt_le _ _ (Rinv_0_lt_compat _ d0)).
have n0 := lp_norm_ge0 p (u - v)%V; have p1 := exponent_gt1 ca; have pE : p * IZR (Zpos c) = IZR (Zpos a).
  by rewrite /p /exponent; field; lra.
case: Pos.leb_spec => two /le_real.
  have p2 : p <= 2.
    by apply: (Rmult_le_reg_r (IZR (Zpos c))) => //; rewrite pE -mult_IZR; apply: IZR_le; lia.
  rewrite !realM realB !realM real2 !of_positive_real (Pos2Z.inj_sub _ _ ca) minus_IZR => check.
  have := distance_below_two (conj p1 p2) least lov uhi; set n := lp_norm p _ => near.
  have square : (p - 1) * (n * n) <= (p - 1) * (fraction_real r * fraction_real r).
    apply: Rle_trans near _; set M := IZR (Zpos c) * (real (fraction_den r) * real (fraction_den r)) *
      (real (fraction_den hi) * real (fraction_den hi) * (real (fraction_den lo) * real (fraction_den lo))).
    have M0 : 0 < M by repeat apply: Rmult_lt_0_compat.
    apply: (Rmult_le_reg_r M) => //; apply: (Rle_trans _ _ _ _ (Rle_trans _ _ _ check _)); right.
      by rewrite /M /fraction_real; field; lra.
    by rewrite /M /fraction_real /p /exponent; field; lra.
  have := Rmult_le_reg_l _ _ _ (Rlt_Rminus _ _ p1) square => nn.
  by apply: Rnot_lt_le => lt; have := Rmult_le_0_lt_compat _ _ _ _ r0 r0 lt lt; lra.
have p2 : 2 <= p.
  apply: (Rmult_le_reg_r (IZR (Zpos c))) => //; rewrite pE -mult_IZR; apply: IZR_le; lia.
rewrite !realM !pow_positive_real !realM realB !realM real2 !of_positive_real => check.
apply: (distance_of_powers ca n0 (conj (proj1 lov) _) r0 (distance_above_two p2 least lov uhi hi0)).
  by case: lov => _ lov; lra.
set M := real (fraction_den r) ^ Pos.to_nat a * (real (fraction_den hi) ^ Pos.to_nat (a - c) *
  (IZR (Zpos c) * (real (fraction_den hi) * real (fraction_den lo))) ^ Pos.to_nat c).
have M0 : 0 < M by repeat apply: Rmult_lt_0_compat => //; apply: pow_lt => //; repeat apply: Rmult_lt_0_compat.
apply: (Rmult_le_reg_r M) => //.
have hE : 2 * fraction_real hi * real (fraction_den hi) = 2 * real (fraction_num hi).
  by rewrite /fraction_real; field; lra.
have tE : exponent a c * (fraction_real hi - fraction_real lo) *
    (IZR (Zpos c) * (real (fraction_den hi) * real (fraction_den lo))) =
    IZR (Zpos a) * (real (fraction_num hi) * real (fraction_den lo) - real (fraction_num lo) * real (fraction_den hi)).
  by rewrite /exponent /fraction_real; field; lra.
have rE : fraction_real r * real (fraction_den r) = real (fraction_num r) by rewrite /fraction_real; field; lra.
move: check; rewrite -hE -tE -rE !Rpow_mult_distr /M !Rpow_mult_distr; lra.
Qed.
End Distance.

(* ---- margins ---- *)

Lemma entry_le_norm (J : finType) (w : vec J) p j : 1 < p -> Rabs (w j) <= lp_norm p w.
Proof.
move=> p1; apply: (below_power p1 (lp_norm_ge0 p w)); rewrite lp_norm_power; last by lra.
exact: entry_le_sum.
Qed.

(* |<r, w>| <= sum |r_j| ||w||, in any of these norms. *)
Lemma dot_le_sum_norm (J : finType) (r w : vec J) p : 1 < p -> Rabs (dot r w) <= sum_norm r * lp_norm p w.
Proof.
move=> p1; apply: Rle_trans (sum_abs _ _ _) _; rewrite /sum_norm sum_mulr; apply: sum_le => j _.
by rewrite Rabs_mult; apply: Rmult_le_compat_l (Rabs_pos _) (entry_le_norm w j p1).
Qed.

Lemma sum_norm_outer (J K : finType) (u : vec J) (v : vec K) : sum_norm (outer u v) = sum_norm u * sum_norm v.
Proof.
rewrite /sum_norm -(pair_bigA _ (fun j k => Rabs (outer u v (j, k)))) /= sum_mulr; apply: eq_bigr => j _.
by rewrite sum_mull; apply: eq_bigr => k _; rewrite /outer /= Rabs_mult.
Qed.

(* z is the only shortest vector. *)
Definition only_shortest (P : selection_problem) (alpha : selection P) (norm : vec (coord P) -> R) (z : vec (coord P)) :
    Prop :=
  let solves := shortest (constraint alpha) (Delta alpha) (fun=> 1) norm in solves z /\ forall z', solves z' -> z' = z.

Section Margins.
Variables (N : number) (D : token_data N) (picks : seq nat) (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Let dx := real (token_unit D).
Let dz := real (query_unit D).
Implicit Types (t : token (problem D)) (rows : seq (seq N)) (mask : seq (seq bool)).

Definition magnitudes (u : seq N) : N := sum_row [seq magnitude x | x <- u].

Lemma magnitudes_real n (b : R) (u : seq N) : 0 < b -> size u = n ->
  sum_norm (fun j : 'I_n => / b * entry u j) = real (magnitudes u) / b.
Proof.
move=> b0 su; rewrite /magnitudes sum_row_real size_map su /Rdiv sum_mulr; apply: eq_bigr => j _.
rewrite Rabs_mult Rabs_pos_eq; last by apply: Rlt_le; exact: Rinv_0_lt_compat.
by rewrite /entry (nth_map zero) ?su // magnitude_real Rmult_comm.
Qed.

(* Sums of the magnitudes of the rows, as integers over token_unit query_unit. *)
Definition span_row (pick : nat) (z : seq N) rows : seq N :=
  let zz := magnitudes z in
  let top := nth [::] rows pick in
  [seq mul (magnitudes (sub_rows top row)) zz | row <- rows].
Fixpoint span_rows (ps : seq nat) (qs : seq (sequence N)) : seq (seq N) :=
  match ps, qs with
  | p :: ps', q :: qs' => span_row p (query_row q) (token_rows q) :: span_rows ps' qs'
  | _, _ => [::]
  end.
Definition spans : seq (seq N) := span_rows picks (sequences D).

Lemma size_span_rows ps qs : size ps = size qs -> size (span_rows ps qs) = size qs.
Proof. by elim: ps qs => [|p ps IH] [|q qs] //= [s]; rewrite IH. Qed.

Lemma nth_span_rows ps qs i : size ps = size qs -> (i < size qs)%nat ->
  nth [::] (span_rows ps qs) i =
  span_row (nth 0%nat ps i) (query_row (nth (no_sequence N) qs i)) (token_rows (nth (no_sequence N) qs i)).
Proof. by elim: ps qs i => [|p ps IH] [|q qs] [|i] //= [s]; rewrite ?ltnS => il; apply: IH. Qed.

Lemma fits_spans : fits D spans.
Proof.
have [/eqP sp _] := andP Pok; rewrite /fits /spans size_span_rows // eqxx /=.
elim: (sequences D) picks sp => [|q qs IH] [|p ps] //= [sp].
by rewrite size_map eqxx IH.
Qed.

Lemma span_value t : sum_norm (Delta alpha t) = real (at_token zero spans t : N) / (dx * dz).
Proof.
have [/eqP sp _] := andP Pok; have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
rewrite -/dx -/dz in x0 z0.
rewrite (Delta_outer Dok) sum_norm_outer (magnitudes_real x0 (size_difference Dok Pok t)).
rewrite (magnitudes_real z0 (size_query Dok t)).
have -> : at_token zero spans t = mul (magnitudes (difference D picks (pair_of t))) (magnitudes (query D (pair_of t))).
  rewrite /at_token /spans nth_span_rows // -/(sequence_at D _) /span_row (nth_map [::]) //.
by rewrite realM; field; lra.
Qed.

(* m / (unit X) - (r span) / X > 1, X the product of the units of rows and queries *)
Definition above_check (unit : N) (r : fraction N) (m span : N) : bool :=
  lt (mul (fraction_den r) (mul unit (mul (token_unit D) (query_unit D))))
     (sub (mul m (fraction_den r)) (mul (fraction_num r) (mul span unit))).

Lemma above_check_sound rows unit r t p (z : vec (coord (problem D))) : 1 < p ->
  shaped (left_dimension D) (right_dimension D) rows -> 0 < real unit -> fraction_ok r ->
  lp_norm p (matrix_real rows (real unit) - z)%V <= fraction_real r ->
  above_check unit r (at_token zero (margins_of D picks rows) t) (at_token zero spans t) -> 1 < margin alpha z t.
Proof.
move=> p1 sh u0 rok near /lt_real; rewrite !realB !realM -/dx -/dz => far.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok; rewrite -/dx -/dz in x0 z0.
have d0 := fraction_den_gt0 rok; set w := matrix_real _ _ in near.
have mE : margin alpha w t = real (at_token zero (margins_of D picks rows) t) / (real unit * (dx * dz)).
  by rewrite (margins_real Dok Pok t sh) //; lra.
have := dot_le_sum_norm (Delta alpha t) (w - z)%V p1.
rewrite span_value dotBr -/(margin alpha w t) -/(margin alpha z t).
move/Rabs_le_between => [_ close].
have s0 : 0 <= real (at_token zero spans t : N) / (dx * dz).
  by rewrite -span_value; apply: sum_ge0 => j _; exact: Rabs_pos.
have := Rmult_le_compat_l _ _ _ s0 near; rewrite mE in close; move: close far.
move: (at_token zero spans t) (at_token zero _ t) => s m close far reach.
suff : 1 < real m / (real unit * (dx * dz)) - real s / (dx * dz) * fraction_real r by lra.
apply: (Rmult_lt_reg_r (real (fraction_den r) * (real unit * (dx * dz)))).
  by repeat apply: Rmult_lt_0_compat.
have -> : (real m / (real unit * (dx * dz)) - real s / (dx * dz) * fraction_real r) *
    (real (fraction_den r) * (real unit * (dx * dz))) =
    real m * real (fraction_den r) - real (fraction_num r) * (real s * real unit).
  by rewrite /fraction_real; field; lra.
by rewrite Rmult_1_l.
Qed.
End Margins.
