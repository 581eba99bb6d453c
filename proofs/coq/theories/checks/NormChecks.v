(* NormChecks: upper bounds of norms of a matrix over one denominator, entry by entry (GRAMMAR.md section 8).

   The sum and the largest of the magnitudes are exact. Of a power each entry's share is rounded upwards to a multiple
   of 2^-bits; the roots on the way are guesses that are tested. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Duality EntrywiseDuality DualNorm Number Rows Interval Elementary TokenData
                           MarginChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- entrywise norms: l_1, l_infinity, l_p with p = a / c ---- *)

Inductive entrywise_norm := SumNorm | MaxNorm | PowerNorm (a c : positive).

Definition exponent (a c : positive) : R := IZR (Zpos a) / IZR (Zpos c).

Definition norm_value (n : entrywise_norm) (J : finType) : vec J -> R :=
  match n with
  | SumNorm => @sum_norm J
  | MaxNorm => @max_norm J
  | PowerNorm a c => lp_norm (exponent a c)
  end.

Lemma positive_gt0 a : 0 < IZR (Zpos a).
Proof. by apply: IZR_lt. Qed.

Lemma exponent_gt0 a c : 0 < exponent a c.
Proof. by apply: Rdiv_lt_0_compat; exact: positive_gt0. Qed.

Lemma exponent_gt1 a c : (c < a)%positive -> 1 < exponent a c.
Proof.
move=> ca; have c0 := positive_gt0 c; apply: (Rmult_lt_reg_r (IZR (Zpos c))) => //.
by rewrite /exponent /Rdiv Rmult_assoc Rinv_l ?Rmult_1_l ?Rmult_1_r; [exact/IZR_lt/Pos2Z.pos_lt_pos | lra].
Qed.

Lemma exponent_conjugate a c : (c < a)%positive -> / exponent a c + / exponent a (a - c) = 1.
Proof.
move=> ca; rewrite /exponent Pos2Z.inj_sub // minus_IZR; have c0 := positive_gt0 c.
by have := IZR_lt _ _ (Pos2Z.pos_lt_pos _ _ ca) => ?; field; repeat split; lra.
Qed.

Lemma power_pow k n : power k ^ n = power (k * Z.of_nat n).
Proof.
elim: n => [|n IH]; first by rewrite Z.mul_0_r.
by rewrite /= IH -power_add; congr power; lia.
Qed.

Section NormChecks.
Variable N : number.
Implicit Types (x y t : N) (a c : positive) (rows : seq (seq N)).

(* ---- the sum and the largest of the magnitudes ---- *)

Definition magnitude x : N := if le zero x then x else opp x.

Lemma magnitude_real x : real (magnitude x) = Rabs (real x).
Proof.
rewrite /magnitude; case: ifP => [/le_real | /negbT/not_le_real]; rewrite real0 => H.
  by rewrite Rabs_pos_eq.
by rewrite realN Rabs_left.
Qed.

Definition sum_of_magnitudes rows : N := sum_row [seq sum_row [seq magnitude x | x <- row] | row <- rows].

Lemma sum_of_magnitudes_real d e rows : shaped d e rows ->
  real (sum_of_magnitudes rows) = \sum_(j < d) \sum_(k < e) Rabs (entry2 rows j k).
Proof.
move=> sh; have /eqP sr := proj1 (andP sh); rewrite sum_row_real size_map sr; apply: eq_bigr => j _.
rewrite /entry (nth_map [::]) ?sr // sum_row_real size_map (shaped_row sh (ltn_ord j)); apply: eq_bigr => k _.
by rewrite /entry (nth_map zero) ?(shaped_row sh (ltn_ord j)) // magnitude_real.
Qed.

(* ---- powers ---- *)

Fixpoint pow_positive x (p : positive) : N :=
  match p with
  | xH => x
  | xO p' => let y := pow_positive x p' in mul y y
  | xI p' => let y := pow_positive x p' in mul x (mul y y)
  end.

Lemma pow_positive_real x p : real (pow_positive x p) = real x ^ Pos.to_nat p.
Proof.
have twice n : real x ^ (2 * n)%coq_nat = real x ^ n * real x ^ n by rewrite -pow_add; congr pow; lia.
elim: p => [p IH | p IH | ]; last by rewrite /= Rmult_1_r.
  by rewrite Pos2Nat.inj_xI [pow_positive _ _]/= !realM IH -tech_pow_Rmult twice.
by rewrite Pos2Nat.inj_xO [pow_positive _ _]/= realM IH twice.
Qed.

(* Newton's iteration from above, until it does not fall: a guess of the root of order c rounded downwards. *)
Fixpoint newton_root (fuel : nat) (c : positive) y t : N :=
  if fuel is k.+1 then
    let order := of_integer N (Zpos c) in
    let next := quotient (add (mul (sub order one) t) (quotient y (pow_positive t (Pos.pred c)))) order in
    if lt next t then newton_root k c y next else t
  else t.

(* The least number whose power of order c is at least y, when the guess is good. *)
Definition root_up (c : positive) y : N :=
  if c is xH then y
  else let t := newton_root 128 c y (shift_up one (Z.succ (bits y / Zpos c))) in
       if le y (pow_positive t c) then t else add t one.

Section Shares.
Variables (a c : positive) (bits : Z) (unit : N) (bound : fraction N).

(* 2^bits (|x| / (unit bound))^(a/c), rounded upwards: its power of order c rounded upwards, and a root of that. *)
Definition share x : N * N :=
  let scaled := ceiling_quotient (shift_up (mul (magnitude x) (fraction_den bound)) bits)
                  (mul unit (fraction_num bound)) in
  let y := ceiling_shift (pow_positive scaled a) (bits * (Zpos a - Zpos c)) in
  (y, root_up c y).

Definition share_ok (s : N * N) : bool := le zero s.2 && le s.1 (pow_positive s.2 c).

Definition power_check rows : bool :=
  let shares := [seq [seq share x | x <- row] | row <- rows] in
  all (all share_ok) shares &&
    le (sum_row [seq sum_row [seq s.2 | s <- row] | row <- shares]) (shift_up one bits).

Hypotheses (bits0 : (0 <= bits)%Z) (ca : (c <= a)%positive) (unit0 : 0 < real unit)
  (den0 : 0 < real (fraction_den bound)) (num0 : 0 < real (fraction_num bound)).
Let b := fraction_real bound.

Lemma share_real x : share_ok (share x) ->
  abs_power (/ b * (real x / real unit)) (exponent a c) <= real (share x).2 / power bits.
Proof.
have P0 := power_gt0 bits; rewrite /share_ok /share /=; set X := ceiling_quotient _ _; set y := ceiling_shift _ _.
set t := root_up c y; case/andP=> /le_real; rewrite real0 => t0 /le_real; rewrite pow_positive_real => ty.
set z := / b * (real x / real unit).
case: (Req_EM_T z 0) => [-> | z0].
  by rewrite abs_power0; apply: Rmult_le_pos t0 (Rlt_le _ _ (Rinv_0_lt_compat _ P0)).
rewrite /abs_power; case: Req_EM_T => // _.
have b0 : 0 < b by apply: Rdiv_lt_0_compat.
have zX : Rabs z <= real X / power bits.
  have un0 : 0 < real (mul unit (fraction_num bound)) by rewrite realM; exact: Rmult_lt_0_compat.
  have := ceiling_quotient_real (shift_up (mul (magnitude x) (fraction_den bound)) bits) un0.
  rewrite -/X shift_up_real // !realM magnitude_real => H.
  apply: (Rmult_le_reg_r (power bits)) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; last by lra.
  apply: Rle_trans H; right; rewrite /z Rabs_mult Rabs_div ?(Rabs_pos_eq (/ b)) ?(Rabs_pos_eq (real unit)); try lra.
    by rewrite /b /fraction_real; field; lra.
  by apply: Rlt_le; exact: Rinv_0_lt_compat.
have az := Rabs_pos_lt _ z0; have Y0 : 0 < real X / power bits by lra.
have X0 : 0 < real X.
  by have := Rmult_lt_0_compat _ _ Y0 P0; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; lra.
(* (X / 2^bits)^a <= (t / 2^bits)^c *)
have powers : (real X / power bits) ^ Pos.to_nat a <= (real t / power bits) ^ Pos.to_nat c.
  have ge0 : (0 <= bits * (Zpos a - Zpos c))%Z by apply: Z.mul_nonneg_nonneg => //; lia.
  have := ceiling_shift_real (pow_positive X a) ge0; rewrite -/y pow_positive_real.
  rewrite /Rdiv !Rpow_mult_distr !pow_inv.
  rewrite !power_pow !positive_nat_Z; move: (power_gt0 (bits * (Zpos a - Zpos c))) => Q0 H.
  have -> : power (bits * Zpos a) = power (bits * (Zpos a - Zpos c)) * power (bits * Zpos c).
    by rewrite -power_add; congr power; ring.
  move: Q0 H (power_gt0 (bits * Zpos c)); set Q := power _; set P := power _ => Q0 H P1.
  rewrite Rinv_mult.
  rewrite -Rmult_assoc; apply: Rmult_le_compat_r; first by apply: Rlt_le; exact: Rinv_0_lt_compat.
  apply: (Rmult_le_reg_r Q) => //; rewrite Rmult_assoc Rinv_l ?Rmult_1_r; last by lra.
  by apply: Rle_trans H _; apply: Rmult_le_compat_r => //; lra.
have Ya := pow_lt _ (Pos.to_nat a) Y0.
have T0 : 0 < real t / power bits.
  have ge0 : 0 <= real t / power bits by apply: Rmult_le_pos t0 (Rlt_le _ _ (Rinv_0_lt_compat _ P0)).
  case: (Rle_lt_or_eq_dec _ _ ge0) => // E.
  by move: powers; rewrite -E pow_i; [lra | exact: Pos2Nat.is_pos].
have c0 := positive_gt0 c; have exponent0 := exponent_gt0 a c.
apply: (Rle_trans _ (Rpower (real X / power bits) (exponent a c))).
  by apply: Rle_Rpower_l; [lra | split].
have -> : real t / power bits = Rpower ((real t / power bits) ^ Pos.to_nat c) (/ IZR (Zpos c)).
  by rewrite -Rpower_pow // Rpower_mult INR_IZR_INZ positive_nat_Z Rinv_r ?Rpower_1 //; lra.
have -> : Rpower (real X / power bits) (exponent a c) = Rpower ((real X / power bits) ^ Pos.to_nat a) (/ IZR (Zpos c)).
  by rewrite -Rpower_pow // Rpower_mult INR_IZR_INZ positive_nat_Z.
apply: Rle_Rpower_l; last by split.
by apply: Rlt_le; exact: Rinv_0_lt_compat.
Qed.

Theorem power_check_sound d e rows : shaped d e rows -> power_check rows ->
  \sum_(j < d) \sum_(k < e) abs_power (/ b * (entry2 rows j k / real unit)) (exponent a c) <= 1.
Proof.
move=> sh /andP[ok /le_real]; have P0 := power_gt0 bits; have /eqP sr := proj1 (andP sh).
rewrite shift_up_real // real1 Rmult_1_l sum_row_real !size_map sr => total.
apply: (Rmult_le_reg_r (power bits)) => //; rewrite Rmult_1_l; apply: Rle_trans total.
rewrite sum_mulr; apply: sum_le => j _; rewrite sum_mulr.
have jr : (j < size rows)%nat by rewrite sr; exact: ltn_ord.
rewrite /entry (nth_map [::]) ?size_map // (nth_map [::]) // sum_row_real !size_map (shaped_row sh (ltn_ord j)).
apply: sum_le => k _; have kr : (k < size (nth [::] rows j))%nat by rewrite (shaped_row sh (ltn_ord j)) ltn_ord.
rewrite /entry (nth_map (zero, zero)) ?size_map // (nth_map zero) //.
have row_ok := all_nthP [::] ok j; rewrite size_map (nth_map [::]) // in row_ok.
have := all_nthP (zero, zero) (row_ok jr) k; rewrite size_map (nth_map zero) // => /(_ kr)/share_real H.
apply: (Rmult_le_reg_r (/ power bits)); first exact: Rinv_0_lt_compat.
by rewrite Rmult_assoc Rinv_r ?Rmult_1_r; [exact: H | lra].
Qed.
End Shares.

(* ---- norms ---- *)

Section Norms.
Variables (D : token_data N) (norm : entrywise_norm) (bits : Z).

Definition exponent_ok : bool := if norm is PowerNorm a c then Z.leb 0 bits && Pos.ltb c a else true.

(* The norm of a matrix is at most a bound. *)
Definition norm_check rows (unit : N) (bound : fraction N) : bool :=
  match norm with
  | SumNorm => le_fraction (sum_of_magnitudes rows) unit bound
  | MaxNorm => all (all (fun x => le_fraction (magnitude x) unit bound)) rows
  | PowerNorm a c => power_check a c bits unit bound rows
  end.

(* The dual norm. *)
Definition dual_norm_check rows (unit : N) (bound : fraction N) : bool :=
  match norm with
  | SumNorm => all (all (fun x => le_fraction (magnitude x) unit bound)) rows
  | MaxNorm => le_fraction (sum_of_magnitudes rows) unit bound
  | PowerNorm a c => power_check a (a - c) bits unit bound rows
  end.

Variables (rows : seq (seq N)) (unit : N) (bound : fraction N).
Hypotheses (norm_ok : exponent_ok) (sh : shaped (left_dimension D) (right_dimension D) rows) (unit0 : 0 < real unit)
  (bound_ok : fraction_ok bound) (num0 : 0 < real (fraction_num bound)).
Notation w := (@matrix_real N D rows (real unit)).
Notation b := (fraction_real bound).

Lemma bound_gt0 : 0 < b.
Proof. exact: Rdiv_lt_0_compat num0 (fraction_den_gt0 bound_ok). Qed.

Lemma entry_magnitude j k : Rabs (entry2 rows j k / real unit) = Rabs (entry2 rows j k) / real unit.
Proof. by rewrite Rabs_div ?(Rabs_pos_eq (real unit)) //; lra. Qed.

Lemma sum_norm_check : le_fraction (sum_of_magnitudes rows) unit bound -> sum_norm w <= b.
Proof.
move/(le_fraction_real bound_ok unit0); rewrite (sum_of_magnitudes_real sh); apply: Rle_trans; right.
rewrite /sum_norm -(pair_bigA _ (fun j k => Rabs (w (j, k)))) /= /Rdiv sum_mulr; apply: eq_bigr => j _.
by rewrite sum_mulr; apply: eq_bigr => k _; exact: entry_magnitude.
Qed.

Lemma max_norm_check jk : all (all (fun x => le_fraction (magnitude x) unit bound)) rows -> Rabs (w jk) <= b.
Proof.
case: jk => j k H; rewrite /matrix_real /= entry_magnitude; have /eqP sr := proj1 (andP sh).
have row_ok := all_nthP [::] H j; rewrite sr in row_ok; have := all_nthP zero (row_ok (ltn_ord j)) k.
rewrite (shaped_row sh (ltn_ord j)) => /(_ (ltn_ord k))/(le_fraction_real bound_ok unit0).
by rewrite magnitude_real.
Qed.

Lemma lp_sum_check a c : (0 <= bits)%Z -> (c <= a)%positive -> power_check a c bits unit bound rows ->
  lp_sum (exponent a c) (/ b * w)%V <= 1.
Proof.
move=> bits0 ca H; have := power_check_sound bits0 ca unit0 (fraction_den_gt0 bound_ok) num0 sh H.
by rewrite /lp_sum -(pair_bigA _ (fun j k => abs_power ((/ b * w)%V (j, k)) (exponent a c))).
Qed.

Lemma powerP a c : norm = PowerNorm a c -> (0 <= bits)%Z /\ (c < a)%positive.
Proof. by move=> E; move: norm_ok; rewrite /exponent_ok E => /andP[/Z.leb_le ? /Pos.ltb_lt]. Qed.

Theorem norm_check_sound : norm_check rows unit bound -> norm_value norm w <= b.
Proof.
have b0 := bound_gt0; rewrite /norm_check; case E: norm => [||a c] /= H; first exact: sum_norm_check.
  by apply: max_norm_le => [|jk]; [lra | exact: max_norm_check].
have [bits0 ca] := powerP E; apply: lp_norm_le => //; first exact: exponent_gt0.
by apply: lp_sum_check H => //; lia.
Qed.

Theorem dual_norm_check_sound : dual_norm_check rows unit bound -> dual_norm_le (@norm_value norm _) w b.
Proof.
rewrite /dual_norm_check; case E: norm => [||a c] /= H.
- by apply: sum_norm_dual => jk; exact: max_norm_check.
- by apply: max_norm_dual; exact: sum_norm_check.
have [bits0 ca] := powerP E.
apply: (hoelder_dual (exponent_gt1 ca) (exponent_conjugate ca) bound_gt0).
by apply: lp_sum_check H => //; lia.
Qed.
End Norms.
End NormChecks.
