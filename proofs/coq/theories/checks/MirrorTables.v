(* MirrorTables: powers of any sign in intervals, matrices from functions, and the largest entries of tables. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm PowerInequalities UniformConvexity Number Rows
                           TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary NormChecks
                           NormDistanceChecks IntervalTables AttentionIntervals ReferenceIntervals Replay ForeverChecks
                           LocalFactors Mirror MirrorEntries PowerIntervals MirrorReplay MirrorRunChecks MirrorFactors.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma contains_between (N : number) (I : interval N) x y z : contains I x -> contains I y -> x <= z <= y -> contains I
  z.
Proof. by case: I => //= lo hi e [h1 h2] [h3 h4] [h5 h6]; split; lra. Qed.

Local Opaque contains.

(* ---- powers of any sign ---- *)

Section Powers.
Variables (N : number) (P : Z).
Notation interval := (interval N).

Definition quotient (n : Z) (d : positive) : R := IZR n / IZR (Zpos d).

(* |x|^(n/d) *)
Definition power_to (n : Z) (d : positive) (I : interval) : interval :=
  match n with
  | Z0 => if is_positive (imax P I (iopp I)) then interval1 N else hull (interval0 N) (interval1 N)
  | Zpos k => imagnitude P k d I
  | Zneg k => let J := imagnitude P k d I in if is_positive J then idiv P (interval1 N) J else Everything N
  end.

Lemma abs_power_zero x : x <> 0 -> abs_power x 0 = 1.
Proof. by move=> ne; rewrite -abs_power_abs abs_power_pos ?Rpower_O //; exact: Rabs_pos_lt. Qed.

Lemma power_to_contains n d I x : contains I x -> contains (power_to n d I) (abs_power x (quotient n d)).
Proof.
move=> H; case: n => [|k|k]; rewrite /power_to /quotient.
- rewrite /Rdiv Rmult_0_l; case: ifP => [/(is_positive_real (imax_contains P H (iopp_contains H))) x0 | _].
    rewrite abs_power_zero; first exact: contains1.
    by move=> E; move: x0; rewrite E Ropp_0 Rmax_left; lra.
  apply: (hull_contains (contains0 N) (contains1 N)); case: (Req_EM_T x 0) => [-> | ne].
    by rewrite abs_power0; lra.
  by rewrite abs_power_zero //; lra.
- exact: imagnitude_contains.
have J := imagnitude_contains P k d H; case: ifP => // /(is_positive_real J) j0.
have x0 : x <> 0 by move=> E; move: j0; rewrite E abs_power0; lra.
have -> : abs_power x (IZR (Zneg k) / IZR (Zpos d)) = 1 / abs_power x (exponent k d); last first.
  by apply: idiv_contains => //; exact: contains1.
have e : IZR (Zneg k) / IZR (Zpos d) = - exponent k d.
  by rewrite /exponent -[Zneg k]/(Z.opp (Zpos k)) opp_IZR; rewrite /Rdiv; ring.
have one := @abs_power_opp (Rabs x) (exponent k d) (Rabs_pos_lt _ x0); rewrite !abs_power_abs in one.
by rewrite e; apply: (Rmult_eq_reg_r (abs_power x (exponent k d))); [rewrite one; field; lra | lra].
Qed.
End Powers.

(* ---- exponents below 2 and above ---- *)

Section Exponents.
Variables a c : positive.
Let c0 : 0 < IZR (Zpos c) := positive_gt0 c.

Lemma exponent_times : exponent a c * IZR (Zpos c) = IZR (Zpos a).
Proof. by rewrite /exponent; field; lra. Qed.

Lemma exponent_le_two : (a <= 2 * c)%positive -> exponent a c <= 2.
Proof.
by move=> le; apply: (Rmult_le_reg_r (IZR (Zpos c))) => //; rewrite exponent_times -mult_IZR; apply: IZR_le; lia.
Qed.

Lemma exponent_gt_two : (2 * c < a)%positive -> 2 < exponent a c.
Proof.
by move=> lt; apply: (Rmult_lt_reg_r (IZR (Zpos c))) => //; rewrite exponent_times -mult_IZR; apply: IZR_lt; lia.
Qed.
End Exponents.

(* ---- the lower end of an interval ---- *)

Section LowerEnds.
Variable N : number.

Definition lower_end (I : interval N) : interval N := iopp (upper_end (iopp I)).
Definition lower (I : interval N) : R := - upper (iopp I).

Lemma lower_end_contains I : contains (lower_end I) (lower I).
Proof. by apply: iopp_contains; exact: upper_contains. Qed.

Lemma lower_le I x : contains I x -> is_positive (lower_end I) -> lower I <= x.
Proof.
move=> H pos; have bd : bounded (iopp I) by case: I pos {H}.
by have := upper_ge (iopp_contains H) bd; rewrite /lower; lra.
Qed.
End LowerEnds.

(* ---- x log(b/x), 0 at 0 ---- *)

Section Entropy.
Variables (N : number) (P : Z).
Notation interval := (interval N).

Definition entropy_in (I J : interval) : interval :=
  if is_zero I then interval0 N
  else if is_positive I then imul P I (isub P (ilog P J) (ilog P I))
  else let top := upper_end I in
    hull (imin P (interval0 N) (imul P top (isub P (ilog P J) (ilog P top)))) J.

Lemma entropy_contains I J x b : contains I x -> contains J b -> 0 <= x -> 0 < b ->
  contains (entropy_in I J) (if Rlt_dec 0 x then x * (ln b - ln x) else 0).
Proof.
move=> HI HJ x0 b0; rewrite /entropy_in; case: ifP => [/(is_zero_real HI) E | _].
  by case: Rlt_dec => h /=; [lra | exact: contains0].
case: ifP => [/(is_positive_real HI) h | _].
  case: Rlt_dec => // _ /=; apply: imul_contains => //; apply: isub_contains; exact: ilog_contains.
have Hu := upper_contains I.
case bd: (bounded I); last by case: I HI bd Hu => // _ _ _; rewrite /= /hull; case: (imin _ _ _).
have le := upper_ge HI bd.
apply: (hull_contains (imin_contains P (contains0 N) (imul_contains P Hu (isub_contains P (ilog_contains P HJ)
  (ilog_contains P Hu)))) HJ).
case: Rlt_dec => h /=; last first.
  by split; [exact: Rmin_l | lra].
split; last first.
  have l1 := ln_le_sub1 (Rdiv_lt_0_compat _ _ b0 h); rewrite ln_div // in l1.
  have := Rmult_le_compat_l x _ _ x0 l1; have -> : x * (b / x - 1) = b - x by field; lra.
  lra.
set top := upper I in le *; have lt : ln x <= ln top by apply: ln_mono.
apply: (Rle_trans _ (x * (ln b - ln top))); last by apply: Rmult_le_compat_l; lra.
case: (Rle_lt_dec 0 (ln b - ln top)) => s0.
  by apply: Rle_trans (Rmin_l _ _) _; exact: Rmult_le_pos.
apply: Rle_trans (Rmin_r _ _) _.
by have := Rmult_le_compat_neg_l (ln b - ln top) _ _ (Rlt_le _ _ s0) le; lra.
Qed.
End Entropy.

(* ---- largest numbers_at of lists ---- *)

Lemma list_largest_contains (N : number) (P : Z) (r : seq (interval N)) n (F : 'I_n -> R) : size r = n ->
  (forall j : 'I_n, contains (nth (Everything N) r j) (F j)) ->
  contains (column_largest P r) (\big[Rmax/0]_(j < n) F j).
Proof.
elim: r n F => [|I r IH] [|n] F //= E H; first by rewrite big_ord0; exact: contains0.
rewrite big_ord_recl; apply: imax_contains; first exact: (H ord0).
by apply: IH => [|j]; [case: E | exact: (H (lift ord0 j))].
Qed.

Section Tabulated.
Variables (N : number) (D : token_data N) (P : Z).
Notation interval := (interval N).
Notation anything := (@Everything N).
Let d := left_dimension D.
Let e := right_dimension D.
Notation vector := (vec (coord (problem D))).

Definition matrix_of (g : nat -> nat -> interval) : seq (seq interval) :=
  [seq [seq g j k | k <- seq.iota 0 e] | j <- seq.iota 0 d].

Lemma matrix_of_encloses (g : nat -> nat -> interval) (w : vector) :
  (forall (j : 'I_d) (k : 'I_e), contains (g j k) (w (j, k))) ->
  matrix_encloses (matrix_of g) w.
Proof.
move=> H; split.
  rewrite /matrix_fits size_map size_iota eqxx; apply/(all_nthP [::]) => j; rewrite size_map size_iota => jl.
  by rewrite (nth_map 0%nat) ?size_iota // size_map size_iota.
by move=> j k; rewrite /entry_of (nth_map 0%nat) ?size_iota // (nth_map 0%nat) ?size_iota // !nth_iota // !add0n.
Qed.

Lemma every_entry (g : nat -> nat -> bool) (jk : coord (problem D)) :
  all (fun j => all (g j) (seq.iota 0 e)) (seq.iota 0 d) -> g jk.1 jk.2.
Proof.
case: jk => j k /allP H; have jd : (j : nat) \in seq.iota 0 d by rewrite mem_iota add0n ltn_ord.
have /allP H2 := H _ jd; apply: H2; by rewrite mem_iota add0n; exact: (ltn_ord k).
Qed.

Definition vector_largest (w : vector) : R := \big[Rmax/0]_(j < d) \big[Rmax/0]_(k < e) w (j, k).
Definition matrix_largest (m : seq (seq interval)) : interval := column_largest P [seq column_largest P r | r <- m].

Lemma matrix_largest_contains (m : seq (seq interval)) (w : vector) : matrix_encloses m w ->
  contains (matrix_largest m) (vector_largest w).
Proof.
case=> fm Hm; have [/eqP sm _] := andP fm; apply: list_largest_contains => [|j]; first by rewrite size_map.
rewrite (nth_map [::]) ?sm //; apply: list_largest_contains => [|k]; first exact: matrix_row.
exact: Hm.
Qed.

Lemma vector_largest_ge0 (w : vector) : 0 <= vector_largest w.
Proof. exact: big_Rmax_ge0. Qed.

Lemma vector_largest_ge (w : vector) jk : w jk <= vector_largest w.
Proof.
case: jk => j k; apply: (Rle_trans _ (\big[Rmax/0]_(k < e) w (j, k))); first exact: big_Rmax_ge (fun k => w (j, k)) k.
exact: big_Rmax_ge (fun j => \big[Rmax/0]_(k < e) w (j, k)) j.
Qed.

Implicit Types F : token (problem D) -> R.
Definition token_largest F : R := \big[Rmax/0]_(i < size (sequences D)) group_largest F (i : data_group D).

Lemma token_largest_contains m F : encloses m F -> contains (table_largest P m) (token_largest F).
Proof.
move=> /(rows_largest_enclose P)[sr H]; apply: list_largest_contains => //.
Qed.

Lemma token_largest_ge0 F : 0 <= token_largest F.
Proof. exact: big_Rmax_ge0. Qed.

Lemma token_largest_ge F t : F t <= token_largest F.
Proof.
apply: Rle_trans (group_largest_ge F t) _.
exact: (big_Rmax_ge (fun i : 'I_(size (sequences D)) => group_largest F (i : data_group D))
  (group_of t : 'I_(size (sequences D)))).
Qed.
End Tabulated.

