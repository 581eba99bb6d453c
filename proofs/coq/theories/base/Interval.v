(* Interval: outward-rounded interval arithmetic over the checker's exact numbers.

   An interval is a pair of integers over one power of two, or Everything: what is not defined (a divisor that may be
   0, a logarithm of what may not be positive) or not worth computing answers Everything, which is never wrong.
   Operations take the precision P in bits; it decides how wide results are, not whether they are right. Every
   operation has one lemma: its result contains the exact result for all members of its operands. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Number.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Interval.
Variable N : number.
Implicit Types (a b c d : N) (e k P : Z) (x y : R).

Inductive interval := Everything | Between (lo hi : N) (exponent : Z).
Implicit Types I J : interval.

Definition contains I x : Prop :=
  if I is Between lo hi e then real lo * power e <= x <= real hi * power e else True.

(* ---- rounding ---- *)

Definition ceiling_shift a k : N := opp (shift_down (opp a) k).

Lemma ceiling_shift_real a k : (0 <= k)%Z -> real a <= real (ceiling_shift a k) * power k.
Proof. by move=> k0; have := shift_down_real (opp a) k0; rewrite realN /ceiling_shift realN; lra. Qed.

(* Over 2^e, rounded outward; the given interval may be finer or coarser. *)
Definition at_exponent (t : Z) I : interval :=
  if I is Between lo hi e then
    if Z.leb t e then Between (shift_up lo (e - t)) (shift_up hi (e - t)) t
    else Between (shift_down lo (t - e)) (ceiling_shift hi (t - e)) t
  else Everything.

Lemma at_exponent_contains t I x : contains I x -> contains (at_exponent t I) x.
Proof.
case: I => // lo hi e /= [h1 h2]; case: Z.leb_spec => te.
  have k0 : (0 <= e - t)%Z by lia.
  by rewrite /= !shift_up_real // !Rmult_assoc -power_add Z.sub_add.
have k0 : (0 <= t - e)%Z by lia.
have p0 := power_gt0 e; have := shift_down_real lo k0; have := ceiling_shift_real hi k0; move=> H1 [H2 _].
have E : power t = power (t - e) * power e by rewrite -power_add Z.sub_add.
rewrite /= E -!Rmult_assoc; split.
  by apply: Rle_trans h1; apply: Rmult_le_compat_r; lra.
by apply: Rle_trans h2 _; apply: Rmult_le_compat_r; lra.
Qed.

Definition size_of a b : Z := Z.max (bits a) (bits b).

Definition round P I : interval :=
  if I is Between lo hi e then
    let k := (size_of lo hi - P)%Z in
    if Z.ltb 0 k then Between (shift_down lo k) (ceiling_shift hi k) (e + k) else I
  else Everything.

Lemma round_contains P I x : contains I x -> contains (round P I) x.
Proof.
case: I => // lo hi e; rewrite /round; set k := (_ - P)%Z; case: ifP => // /Z.ltb_lt k0.
move/(at_exponent_contains (e + k)); rewrite /at_exponent; case: Z.leb_spec => [|_]; first by lia.
by have -> : (e + k - e = k)%Z by lia.
Qed.

(* ---- constants, ends ---- *)

Definition dyadic a e : interval := Between a a e.
Definition exactly a : interval := dyadic a 0.
Definition interval0 : interval := exactly zero.
Definition interval1 : interval := exactly one.
Definition interval2 : interval := exactly two.

Lemma dyadic_contains a e : contains (dyadic a e) (real a * power e).
Proof. by split; right. Qed.
Lemma exactly_contains a : contains (exactly a) (real a).
Proof. by split; rewrite power0; lra. Qed.
Lemma contains0 : contains interval0 0.
Proof. by have := exactly_contains zero; rewrite real0. Qed.
Lemma contains1 : contains interval1 1.
Proof. by have := exactly_contains one; rewrite real1. Qed.
Lemma contains2 : contains interval2 2.
Proof. by have := exactly_contains two; rewrite real2. Qed.

(* The point at the upper end. *)
Definition upper_end I : interval := if I is Between _ hi e then Between hi hi e else Everything.

(* From the lower end of I to the upper end of J. *)
Definition hull I J : interval :=
  match I, J with
  | Between _ _ e, Between _ _ f =>
      let t := Z.min e f in
      match at_exponent t I, at_exponent t J with
      | Between a _ _, Between _ d _ => Between a d t
      | _, _ => Everything
      end
  | _, _ => Everything
  end.

Lemma at_exponent_between t lo hi e : exists a b, at_exponent t (Between lo hi e) = Between a b t.
Proof. by rewrite /=; case: ifP => _; do 2 eexists. Qed.

Lemma hull_contains I J x y z : contains I x -> contains J y -> x <= z <= y -> contains (hull I J) z.
Proof.
case: I => // a b e; case: J => // c d f /(at_exponent_contains (Z.min e f)) + /(at_exponent_contains (Z.min e f)).
have [a1 [b1 E1]] := at_exponent_between (Z.min e f) a b e.
have [c1 [d1 E2]] := at_exponent_between (Z.min e f) c d f.
by rewrite /hull E1 E2 /=; lra.
Qed.

(* ---- comparisons: an answer true is never wrong ---- *)

(* Two intervals over one power of two; bits more than `spare` below the coarser one's unit are rounded. *)
Definition aligned (spare : Z) I J : interval * interval :=
  match I, J with
  | Between _ _ e, Between _ _ f =>
      let t := Z.max (Z.min e f) (Z.max e f - spare) in (at_exponent t I, at_exponent t J)
  | _, _ => (Everything, Everything)
  end.

Lemma aligned_contains spare I J x y : contains I x -> contains J y ->
  contains (aligned spare I J).1 x /\ contains (aligned spare I J).2 y.
Proof.
case: I => [|a b e]; case: J => [|c d f] //.
by move=> H1 H2; split; apply: at_exponent_contains.
Qed.

Variant same_unit : interval * interval -> Prop :=
| SameUnit a b c d e : same_unit (Between a b e, Between c d e)
| NoUnit : same_unit (Everything, Everything).

Lemma aligned_same_unit spare I J : same_unit (aligned spare I J).
Proof.
case: I => [|a b e]; case: J => [|c d f]; try exact: NoUnit; rewrite /aligned.
move: (Z.max _ _) => t.
have [a1 [b1 ->]] := at_exponent_between t a b e; have [c1 [d1 ->]] := at_exponent_between t c d f.
exact: SameUnit.
Qed.

Definition compare_spare : Z := 65536.
Definition certainly_le I J : bool :=
  if aligned compare_spare I J is (Between _ b _, Between c _ _) then le b c else false.
Definition certainly_lt I J : bool :=
  if aligned compare_spare I J is (Between _ b _, Between c _ _) then lt b c else false.

Lemma certainly_le_real I J x y : contains I x -> contains J y -> certainly_le I J -> x <= y.
Proof.
move=> H1 H2; have [] := aligned_contains compare_spare H1 H2; rewrite /certainly_le.
case: (aligned_same_unit compare_spare I J) => [a b c d e | //] /= [_ h1] [h2 _] /le_real h.
by apply: Rle_trans h1 _; apply: Rle_trans h2; apply: Rmult_le_compat_r => //; apply/Rlt_le/power_gt0.
Qed.

Lemma certainly_lt_real I J x y : contains I x -> contains J y -> certainly_lt I J -> x < y.
Proof.
move=> H1 H2; have [] := aligned_contains compare_spare H1 H2; rewrite /certainly_lt.
case: (aligned_same_unit compare_spare I J) => [a b c d e | //] /= [_ h1] [h2 _] /lt_real h.
apply: Rle_lt_trans h1 _; apply: Rlt_le_trans h2; apply: Rmult_lt_compat_r => //; exact: power_gt0.
Qed.

(* A member is certainly positive. *)
Definition is_positive I : bool := if I is Between lo _ _ then lt zero lo else false.
Definition is_nonnegative I : bool := if I is Between lo _ _ then le zero lo else false.

Lemma is_positive_real I x : contains I x -> is_positive I -> 0 < x.
Proof.
case: I => // lo hi e /= [h _] /lt_real; rewrite real0 => l0; apply: Rlt_le_trans h.
by apply: Rmult_lt_0_compat (power_gt0 e).
Qed.

Lemma is_nonnegative_real I x : contains I x -> is_nonnegative I -> 0 <= x.
Proof.
case: I => // lo hi e /= [h _] /le_real; rewrite real0 => l0; apply: Rle_trans h.
by apply: Rmult_le_pos => //; apply/Rlt_le/power_gt0.
Qed.

(* ---- sums ---- *)

Definition iopp I : interval := if I is Between lo hi e then Between (opp hi) (opp lo) e else Everything.

Lemma iopp_contains I x : contains I x -> contains (iopp I) (- x).
Proof. by case: I => // lo hi e /= [h1 h2]; rewrite !realN; split; lra. Qed.

Definition is_zero I : bool := if I is Between lo hi _ then same lo zero && same hi zero else false.

Lemma is_zero_real I x : contains I x -> is_zero I -> x = 0.
Proof.
by case: I => // lo hi e /= [h1 h2] /andP[/same_real E1 /same_real E2]; move: h1 h2; rewrite E1 E2 real0; lra.
Qed.

(* Bits below this many are rounded when terms are brought to one power of two. *)
Definition sixty_four : Z := 64.
Definition spare_bits P : Z := (P + P + sixty_four)%Z.

Definition add_apart P I J : interval :=
  if is_zero I then J else if is_zero J then I
  else if aligned (spare_bits P) I J is (Between a b e, Between c d _) then round P (Between (add a c) (add b d) e)
  else Everything.

Lemma add_apart_contains P I J x y : contains I x -> contains J y -> contains (add_apart P I J) (x + y).
Proof.
move=> H1 H2; rewrite /add_apart; case: ifP => [/(is_zero_real H1) -> | _]; first by rewrite Rplus_0_l.
case: ifP => [/(is_zero_real H2) -> | _]; first by rewrite Rplus_0_r.
have [] := aligned_contains (spare_bits P) H1 H2.
case: (aligned_same_unit (spare_bits P) I J) => [a b c d e | //] h1 h2; apply: round_contains; move: h1 h2.
by rewrite /= !realD; lra.
Qed.

Definition iadd P I J : interval :=
  match I, J with
  | Between a b e, Between c d f =>
      if Z.eqb e f then round P (Between (add a c) (add b d) e) else add_apart P I J
  | _, _ => Everything
  end.

Lemma iadd_contains P I J x y : contains I x -> contains J y -> contains (iadd P I J) (x + y).
Proof.
case: I => // a b e; case: J => // c d f; rewrite /iadd; case: Z.eqb_spec => [<- | _] H1 H2.
  by apply: round_contains; move: H1 H2; rewrite /= !realD; lra.
exact: add_apart_contains.
Qed.

Definition isub P I J : interval := iadd P I (iopp J).

Lemma isub_contains P I J x y : contains I x -> contains J y -> contains (isub P I J) (x - y).
Proof. by move=> H1 H2; apply: iadd_contains => //; apply: iopp_contains. Qed.

(* ---- maxima ---- *)

Definition greater a b : N := if le a b then b else a.
Definition smaller a b : N := if le a b then a else b.

Lemma greater_real a b : real (greater a b) = Rmax (real a) (real b).
Proof.
rewrite /greater; case: ifP => [/le_real | /negbT/not_le_real] h; first by rewrite Rmax_right.
by rewrite Rmax_left //; lra.
Qed.

Lemma smaller_real a b : real (smaller a b) = Rmin (real a) (real b).
Proof.
rewrite /smaller; case: ifP => [/le_real | /negbT/not_le_real] h; first by rewrite Rmin_left.
by rewrite Rmin_right //; lra.
Qed.

Definition imax P I J : interval :=
  if aligned (spare_bits P) I J is (Between a b e, Between c d _) then round P (Between (greater a c) (greater b d) e)
  else Everything.

Lemma imax_contains P I J x y : contains I x -> contains J y -> contains (imax P I J) (Rmax x y).
Proof.
move=> H1 H2; have [] := aligned_contains (spare_bits P) H1 H2; rewrite /imax.
case: (aligned_same_unit (spare_bits P) I J) => [a b c d e | //] h1 h2; apply: round_contains; move: h1 h2 => /= h1 h2.
rewrite /= !greater_real !(Rmult_comm _ (power e)) -!RmaxRmult; try exact/Rlt_le/power_gt0.
by split; apply: Rmax_lub; rewrite ?(Rmult_comm (power e)); do ?[exact: Rmax_lub];
   do ?[apply: Rle_trans (Rmax_l _ _); lra]; do ?[apply: Rle_trans (Rmax_r _ _); lra].
Qed.

Definition imin P I J : interval := iopp (imax P (iopp I) (iopp J)).

Lemma imin_contains P I J x y : contains I x -> contains J y -> contains (imin P I J) (Rmin x y).
Proof.
move=> H1 H2; have -> : Rmin x y = - Rmax (- x) (- y) by rewrite -Ropp_Rmin Ropp_involutive.
by apply: iopp_contains; apply: imax_contains; apply: iopp_contains.
Qed.

(* ---- products ---- *)

(* Of the ends that the signs say; of all pairs of ends where both operands may have either sign. *)
Definition imul P I J : interval :=
  match I, J with
  | Between a b e, Between c d f =>
      let product lo hi := round P (Between lo hi (e + f)) in
      if le zero a then
        if le zero c then product (mul a c) (mul b d)
        else product (mul b c) (if le d zero then mul a d else mul b d)
      else if le b zero then
        if le zero c then product (mul a d) (mul b c)
        else product (if le d zero then mul b d else mul a d) (mul a c)
      else
        let ac := mul a c in let ad := mul a d in let bc := mul b c in let bd := mul b d in
        product (smaller (smaller ac ad) (smaller bc bd)) (greater (greater ac ad) (greater bc bd))
  | _, _ => Everything
  end.

Lemma scaled_contains a b e x : contains (Between a b e) x -> exists2 x', real a <= x' <= real b & x = x' * power e.
Proof.
have p0 := power_gt0 e; move=> /= [h1 h2]; exists (x / power e); last by field; lra.
by split; apply: (Rmult_le_reg_r (power e)) => //; rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra.
Qed.

Lemma contains_scaled a b e x : real a <= x <= real b -> contains (Between a b e) (x * power e).
Proof. by case=> h1 h2; have p0 := power_gt0 e; split; apply: Rmult_le_compat_r => //; lra. Qed.

(* A linear function on an interval is between its values at the ends. *)
Lemma linear_between (a b s x : R) : a <= x <= b -> Rmin (a * s) (b * s) <= x * s <= Rmax (a * s) (b * s).
Proof.
move=> [h1 h2]; case: (Rle_lt_dec 0 s) => s0.
  have := Rmult_le_compat_r _ _ _ s0 h1; have := Rmult_le_compat_r _ _ _ s0 h2.
  by rewrite /Rmin /Rmax; case: Rle_dec => ?; lra.
have := Rmult_le_compat_neg_l _ _ _ (Rlt_le _ _ s0) h1; have := Rmult_le_compat_neg_l _ _ _ (Rlt_le _ _ s0) h2.
by rewrite !(Rmult_comm s) /Rmin /Rmax; case: Rle_dec => ?; lra.
Qed.

Lemma product_between (a b c d x y : R) : a <= x <= b -> c <= y <= d ->
  Rmin (Rmin (a * c) (a * d)) (Rmin (b * c) (b * d)) <= x * y <= Rmax (Rmax (a * c) (a * d)) (Rmax (b * c) (b * d)).
Proof.
move=> hx hy; have [l1 u1] := linear_between y hx.
have [l2 u2] := linear_between a hy; have [l3 u3] := linear_between b hy.
rewrite (Rmult_comm a c) (Rmult_comm a d) (Rmult_comm b c) (Rmult_comm b d).
rewrite (Rmult_comm a y) (Rmult_comm b y) in l1 u1; split.
  apply: Rle_trans l1; apply: Rmin_glb.
    by apply: Rle_trans (Rmin_l _ _) l2.
  by apply: Rle_trans (Rmin_r _ _) l3.
apply: Rle_trans u1 _; apply: Rmax_lub.
  by apply: Rle_trans u2 (Rmax_l _ _).
by apply: Rle_trans u3 (Rmax_r _ _).
Qed.

Lemma imul_contains P I J x y : contains I x -> contains J y -> contains (imul P I J) (x * y).
Proof.
case: I => // a b e; case: J => // c d f /scaled_contains [x' hx ->] /scaled_contains [y' hy ->].
have -> : x' * power e * (y' * power f) = x' * y' * power (e + f) by rewrite power_add; ring.
have widen lo hi : real lo <= x' * y' <= real hi ->
    contains (round P (Between lo hi (e + f))) (x' * y' * power (e + f)).
  by move=> h; apply: round_contains; apply: contains_scaled.
rewrite /imul; case: ifP => [/le_real a0 | _].
  rewrite real0 in a0; case: ifP => [/le_real c0 | /negbT/not_le_real c0]; rewrite real0 in c0.
    by apply: widen; rewrite !realM; split; apply: Rmult_le_compat; lra.
  apply: widen; case: ifP => [/le_real d0 | /negbT/not_le_real d0]; rewrite real0 in d0; rewrite !realM; nra.
case: ifP => [/le_real b0 | _].
  rewrite real0 in b0; case: ifP => [/le_real c0 | /negbT/not_le_real c0]; rewrite real0 in c0.
    by apply: widen; rewrite !realM; nra.
  apply: widen; case: ifP => [/le_real d0 | /negbT/not_le_real d0]; rewrite real0 in d0; rewrite !realM; nra.
by apply: widen; rewrite !smaller_real !greater_real !realM; apply: product_between.
Qed.

(* ---- quotients ---- *)

Definition floor_quotient a b : N := quotient a b.
Definition ceiling_quotient a b : N := opp (quotient (opp a) b).

Lemma floor_quotient_real a b : 0 < real b -> real (floor_quotient a b) <= real a / real b.
Proof.
move=> b0; have [h _] := quotient_real a b0; apply: (Rmult_le_reg_r (real b)) => //.
by rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra.
Qed.

Lemma ceiling_quotient_real a b : 0 < real b -> real a / real b <= real (ceiling_quotient a b).
Proof.
move=> b0; have [h _] := quotient_real (opp a) b0; rewrite realN in h; apply: (Rmult_le_reg_r (real b)) => //.
by rewrite /ceiling_quotient realN /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra.
Qed.

(* By a divisor with positive ends; of points by one division. *)
Definition divide P I J : interval :=
  match I, J with
  | Between a b e, Between c d f =>
      if lt zero c then
        let k := Z.max 0 (P + bits d - size_of a b) in
        let A := shift_up a k in
        if same a b && same c d then
          let lo := floor_quotient A c in
          round P (Between lo (if same (mul lo c) A then lo else add lo one) (e - f - k))
        else
          let lo := floor_quotient A (if le zero a then d else c) in
          let hi := ceiling_quotient (shift_up b k) (if le zero b then c else d) in
          round P (Between lo hi (e - f - k))
      else Everything
  | _, _ => Everything
  end.

Lemma divide_contains P I J x y : contains I x -> contains J y -> contains (divide P I J) (x / y).
Proof.
case: I => // a b e; case: J => // c d f /scaled_contains [x' hx ->] /scaled_contains [y' hy ->].
rewrite /divide; case: ifP => // /lt_real; rewrite real0 => c0.
set k := Z.max _ _; have k0 : (0 <= k)%Z by rewrite /k; lia.
have pe := power_gt0 e; have pf := power_gt0 f; have pk := power_gt0 k.
have -> : x' * power e / (y' * power f) = (x' * power k / y') * power (e - f - k).
  by rewrite /Z.sub !power_add !power_opp; field; lra.
case: ifP => [/andP[/same_real ab /same_real cd] | _]; apply: round_contains; apply: contains_scaled.
  have -> : x' = real a by lra.
  have -> : y' = real c by lra.
  set q := floor_quotient _ _; have := quotient_real (shift_up a k) c0; rewrite -/(floor_quotient _ _) -/q.
  rewrite shift_up_real // => -[h1 h2].
  have E : real a * power k / real c * real c = real a * power k by field; lra.
  have cancel z : z * real c <= real a * power k -> z <= real a * power k / real c.
    by move=> h; apply: (Rmult_le_reg_r (real c)) => //; rewrite E.
  have cancel' z : real a * power k <= z * real c -> real a * power k / real c <= z.
    by move=> h; apply: (Rmult_le_reg_r (real c)) => //; rewrite E.
  split; first exact: cancel.
  apply: cancel'; case: ifP => [/same_real | _]; last by rewrite realD real1; lra.
  by rewrite realM shift_up_real // => ->; right.
split.
  set m := if _ then _ else _; have m0 : 0 < real m by rewrite /m; case: ifP => _; lra.
  apply: Rle_trans (floor_quotient_real _ m0) _; rewrite shift_up_real //.
  apply: (Rle_trans _ (real a * power k / y')); last first.
    by apply: Rmult_le_compat_r; [apply/Rlt_le/Rinv_0_lt_compat; lra | apply: Rmult_le_compat_r; lra].
  rewrite /m; case: ifP => [/le_real | /negbT/not_le_real]; rewrite real0 => a0.
    apply: Rmult_le_compat_l; first by apply: Rmult_le_pos; lra.
    by apply: Rinv_le_contravar; lra.
  apply: Rmult_le_compat_neg_l; last by apply: Rinv_le_contravar; lra.
  by rewrite -(Rmult_0_l (power k)); apply: Rmult_le_compat_r; lra.
set m := if _ then _ else _; have m0 : 0 < real m by rewrite /m; case: ifP => _; lra.
apply: Rle_trans (ceiling_quotient_real _ m0); rewrite shift_up_real //.
apply: (Rle_trans _ (real b * power k / y')).
  by apply: Rmult_le_compat_r; [apply/Rlt_le/Rinv_0_lt_compat; lra | apply: Rmult_le_compat_r; lra].
rewrite /m; case: ifP => [/le_real | /negbT/not_le_real]; rewrite real0 => b0.
  apply: Rmult_le_compat_l; first by apply: Rmult_le_pos; lra.
  by apply: Rinv_le_contravar; lra.
apply: Rmult_le_compat_neg_l; last by apply: Rinv_le_contravar; lra.
by rewrite -(Rmult_0_l (power k)); apply: Rmult_le_compat_r; lra.
Qed.

Definition idiv P I J : interval := if is_positive J then divide P I J else divide P (iopp I) (iopp J).

Lemma idiv_contains P I J x y : contains I x -> contains J y -> contains (idiv P I J) (x / y).
Proof.
move=> H1 H2; rewrite /idiv; case: ifP => _; first exact: divide_contains.
case: (Req_dec y 0) => [y0 | yn].
  case: I H1 => // a b e H1; case: J H2 => // c d f [h1 h2] /=; case: ifP => // /lt_real.
  rewrite realN real0 => d0; have := power_gt0 f; rewrite y0 in h1 h2; nra.
have -> : x / y = - x / - y by field.
by apply: divide_contains; apply: iopp_contains.
Qed.

(* ---- square roots (of negative numbers: 0, as in Coq's library) ---- *)

(* A shift that leaves twice P bits and an even exponent. *)
Definition root_shift P b e : Z :=
  let k := Z.max 0 (2 * P - bits b) in if Z.even (e - k) then k else Z.succ k.

Lemma root_shift_spec P b e : let k := root_shift P b e in
  (0 <= k)%Z /\ (e - k = Z.div2 (e - k) + Z.div2 (e - k))%Z.
Proof.
rewrite /root_shift /=; set k := Z.max _ _; have k0 : (0 <= k)%Z by rewrite /k; lia.
have even j : Z.even j -> (j = Z.div2 j + Z.div2 j)%Z.
  by move=> E; have := Z.div2_odd j; rewrite -Z.negb_even E [Z.b2z _]/= => H; lia.
case E: (Z.even (e - k)); first by split=> //; exact: even.
split; first lia.
apply: even; have -> : (e - Z.succ k = Z.pred (e - k))%Z by lia.
by rewrite Z.even_pred -Z.negb_even E.
Qed.

Definition isqrt P I : interval :=
  if I is Between a b e then
    let k := root_shift P b e in
    let low := shift_up a k in let high := shift_up b k in
    let r := root low in let q := root high in let s := if le high (mul q q) then q else add q one in
    let lo := if le zero r && le (mul r r) low then r else zero in
    if le zero s && le high (mul s s) then round P (Between lo s (Z.div2 (e - k))) else Everything
  else Everything.

Lemma sqrt_scaled x (q : R) : 0 < q -> sqrt (x * (q * q)) = sqrt x * q.
Proof.
move=> q0; case: (Rle_lt_dec 0 x) => x0; first by rewrite sqrt_mult_alt // sqrt_square //; lra.
rewrite !sqrt_neg_0; try lra.
by have := Rmult_lt_0_compat _ _ q0 q0; nra.
Qed.

Lemma isqrt_contains P I x : contains I x -> contains (isqrt P I) (sqrt x).
Proof.
case: I => // a b e /scaled_contains [x' [h1 h2] ->]; rewrite /isqrt.
have [k0 even] := root_shift_spec P b e; move: (root_shift P b e) k0 even => k k0 even.
set s := if le _ _ then root (shift_up b k) else _; case: ifP => // /andP[/le_real s0 /le_real hs];
  rewrite real0 in s0.
rewrite realM in hs; apply: round_contains.
have ph := power_gt0 (Z.div2 (e - k)); have pk := power_gt0 k.
have -> : x' * power e = (x' * power k) * (power (Z.div2 (e - k)) * power (Z.div2 (e - k))).
  have -> : power e = power k * power (e - k) by rewrite -power_add; congr power; lia.
  by rewrite {1}even power_add; ring.
rewrite (sqrt_scaled (x' * power k) ph); apply: contains_scaled; split.
  set r := root _; case: ifP => [/andP[/le_real r0 /le_real] | _]; last by rewrite real0; exact: sqrt_pos.
  rewrite realM shift_up_real // => rr; rewrite real0 in r0; rewrite -(sqrt_square (real r)) //; apply: sqrt_le_1_alt.
  by apply: Rle_trans rr _; apply: Rmult_le_compat_r; lra.
rewrite -(sqrt_square (real s)) //; apply: sqrt_le_1_alt; apply: Rle_trans hs; rewrite shift_up_real //.
by apply: Rmult_le_compat_r; lra.
Qed.
End Interval.
Arguments iadd : simpl never.
