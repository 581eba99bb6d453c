(* PowerIntervals: powers of intervals with rational exponents, entry by entry as mirror descent takes them. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid EntrywiseDuality DualNorm PowerInequalities Number Interval Elementary NormChecks
                           NormDistanceChecks Mirror.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma signed_power_le s x y : 0 <= s -> x <= y -> signed_power x s <= signed_power y s.
Proof.
move=> s0 xy; case: (Rle_lt_dec 0 x) => x0; first by rewrite !signed_power_ge0; try lra; apply: abs_power_le; lra.
have back z : z < 0 -> signed_power z s = - abs_power (- z) s.
  by move=> z0; rewrite -(Ropp_involutive z) signed_powerN Ropp_involutive signed_power_ge0 //; lra.
rewrite (back x x0); case: (Rle_lt_dec 0 y) => y0.
  by rewrite (signed_power_ge0 _ y0); have := abs_power_ge0 y s; have := abs_power_ge0 (- x) s; lra.
by rewrite (back y y0); apply: Ropp_le_contravar; apply: abs_power_le; lra.
Qed.

Section PowerIntervals.
Variable N : number.
Notation interval := (interval N).
Implicit Types (I J : interval) (P e : Z) (a c p : positive).

Fixpoint whole_power P I p : interval :=
  match p with
  | xH => I
  | xO p' => let J := whole_power P I p' in imul P J J
  | xI p' => let J := whole_power P I p' in imul P I (imul P J J)
  end.

Lemma whole_power_contains P I x p : contains I x -> contains (whole_power P I p) (x ^ Pos.to_nat p).
Proof.
move=> H; have twice n : x ^ (2 * n)%coq_nat = x ^ n * x ^ n by rewrite -pow_add; congr pow; lia.
elim: p => [p IH | p IH | ]; last by rewrite /= Rmult_1_r.
  rewrite Pos2Nat.inj_xI [whole_power _ _ _]/= -tech_pow_Rmult twice.
  by apply: imul_contains => //; exact: imul_contains.
by rewrite Pos2Nat.inj_xO [whole_power _ _ _]/= twice; exact: imul_contains.
Qed.

(* ---- roots ---- *)

(* A guess of the root of order c rounded downwards: of half as many bits first, then Newton's steps from above. *)
Fixpoint root_guess (fuel : nat) c (y : N) : N :=
  let b := bits y in
  let h := (b / (2 * Zpos c))%Z in
  if fuel is k.+1 then
    if Z.ltb h 32 then newton_root 128 c y (shift_up one (Z.succ (b / Zpos c)))
    else newton_root 8 c y (shift_up (add (root_guess k c (shift_down y (h * Zpos c))) one) h)
  else newton_root 128 c y (shift_up one (Z.succ (b / Zpos c))).

(* A shift that leaves P bits to the root and an exponent that c divides. *)
Definition root_room P c (b e : Z) : Z := let k := Z.max 0 (P * Zpos c - b) in (k + (e - k) mod Zpos c)%Z.

Lemma root_room_spec P c b e : let k := root_room P c b e in
  (0 <= k)%Z /\ (e - k = (e - k) / Zpos c * Zpos c)%Z.
Proof.
rewrite /root_room /=; set k := Z.max _ _; have k0 : (0 <= k)%Z by rewrite /k; lia.
have c0 : (0 < Zpos c)%Z by [].
have [m0 _] := Z.mod_pos_bound (e - k) (Zpos c) c0; split; first by lia.
have E := Z.div_mod (e - k) (Zpos c) (Z.neq_sym _ _ (Z.lt_neq _ _ c0)).
have -> : (e - (k + (e - k) mod Zpos c) = (e - k) / Zpos c * Zpos c)%Z by lia.
by rewrite Z.div_mul.
Qed.

(* Encloses the root of order c of y 2^e. *)
Definition root_end P c (y : N) e : interval :=
  let k := root_room P c (bits y) e in
  let Y := shift_up y k in
  let t := root_guess 64 c Y in
  let s := if le Y (pow_positive t c) then t else add t one in
  if [&& le zero t, le (pow_positive t c) Y, le zero s & le Y (pow_positive s c)]
  then Between t s ((e - k) / Zpos c) else Everything N.

Lemma root_of_power c t : 0 <= t -> abs_power (t ^ Pos.to_nat c) (/ IZR (Zpos c)) = t.
Proof.
move=> t0; have c0 := positive_gt0 c.
by rewrite -(abs_power_positive c t0) abs_power_inverse //; lra.
Qed.

Lemma root_end_contains P c y e : 0 <= real y ->
  contains (root_end P c y e) (abs_power (real y * power e) (/ IZR (Zpos c))).
Proof.
move=> y0; rewrite /root_end; have [k0 even] := root_room_spec P c (bits y) e.
move: (root_room _ _ _ _) k0 even => k k0 even; set t := root_guess _ _ _.
set s := if le (shift_up y k) _ then t else _.
case: ifP => // /and4P[/le_real t0 /le_real tY /le_real s0 /le_real Ys]; rewrite (@real0 N) in t0 s0.
rewrite !pow_positive_real shift_up_real // in tY Ys.
set m := ((e - k) / Zpos c)%Z in even *; have m0 := power_gt0 m; have k1 := power_gt0 k.
have c0 := positive_gt0 c; have ic : 0 <= / IZR (Zpos c) by apply/Rlt_le/Rinv_0_lt_compat.
have -> : real y * power e = real y * power k * power m ^ Pos.to_nat c.
  rewrite power_pow Rmult_assoc -power_add; congr (_ * power _); rewrite positive_nat_Z; lia.
rewrite abs_power_mult root_of_power; last exact: Rlt_le.
have Y0 : 0 <= real y * power k by apply: Rmult_le_pos; lra.
rewrite /contains; split; apply: Rmult_le_compat_r (Rlt_le _ _ m0) _.
  by rewrite -{1}(root_of_power c t0); apply: abs_power_le => //; split=> //; exact: pow_le.
by rewrite -{1}(root_of_power c s0); apply: abs_power_le.
Qed.

(* Of an interval of numbers that are not negative. *)
Definition iroot P c I : interval :=
  if c is xH then I
  else if I is Between lo hi e then
    if le zero lo then
      if same lo hi then root_end P c lo e else hull (root_end P c lo e) (root_end P c hi e)
    else Everything N
  else Everything N.

Lemma iroot_contains P c I x : contains I x -> 0 <= x -> contains (iroot P c I) (abs_power x (/ IZR (Zpos c))).
Proof.
move=> H x0; rewrite /iroot; case: (Pos.eq_dec c 1) => [-> | c1].
  by rewrite Rinv_1 abs_power1.
have root : contains (if I is Between lo hi e then
    if le zero lo then if same lo hi then root_end P c lo e else hull (root_end P c lo e) (root_end P c hi e)
    else Everything N else Everything N) (abs_power x (/ IZR (Zpos c))).
  case: I H => // lo hi e [h1 h2]; case: ifP => // /le_real; rewrite real0 => l0.
  have e0 := power_gt0 e; have ic : 0 <= / IZR (Zpos c) by apply/Rlt_le/Rinv_0_lt_compat; exact: positive_gt0.
  case: ifP => [/same_real E | _].
    by have -> : x = real lo * power e; [rewrite -E in h2; lra | exact: root_end_contains].
  have hi0 : 0 <= real hi.
    apply: Rnot_lt_le => hi0; have := Rmult_lt_compat_r _ _ _ e0 hi0; rewrite Rmult_0_l; lra.
  apply: (hull_contains (root_end_contains P c e l0) (root_end_contains P c e hi0)).
  by split; apply: abs_power_le => //; split=> //; apply: Rmult_le_pos; lra.
by case: c c1 root.
Qed.

(* ---- powers with the exponent a/c ---- *)

Definition power_end P a c (x : N) e : interval := iroot P c (whole_power (P + 8) (dyadic x e) a).

Lemma power_end_contains P a c x e : 0 <= real x ->
  contains (power_end P a c x e) (abs_power (real x * power e) (exponent a c)).
Proof.
move=> x0; have e0 := power_gt0 e; have y0 : 0 <= real x * power e by apply: Rmult_le_pos; lra.
rewrite /exponent /Rdiv -abs_power_comp (abs_power_positive a y0).
by apply: iroot_contains; [apply: whole_power_contains; exact: dyadic_contains | exact: pow_le].
Qed.

Definition signed_end P a c (x : N) e : interval :=
  if le zero x then power_end P a c x e else iopp (power_end P a c (opp x) e).

Lemma signed_end_contains P a c x e : contains (signed_end P a c x e) (signed_power (real x * power e) (exponent a c)).
Proof.
have e0 := power_gt0 e; rewrite /signed_end; case: ifP => [/le_real | /negbT/not_le_real]; rewrite real0 => x0.
  by rewrite signed_power_ge0; [exact: power_end_contains | apply: Rmult_le_pos; lra].
have -> : real x * power e = - (real (opp x) * power e) by rewrite realN; ring.
rewrite signed_powerN signed_power_ge0; last by rewrite realN; apply: Rmult_le_pos; lra.
by apply/iopp_contains/power_end_contains; rewrite realN; lra.
Qed.

Definition isigned P a c I : interval :=
  if I is Between lo hi e then
    if same lo hi then signed_end P a c lo e else hull (signed_end P a c lo e) (signed_end P a c hi e)
  else Everything N.

Theorem isigned_contains P a c I x : contains I x -> contains (isigned P a c I) (signed_power x (exponent a c)).
Proof.
case: I => // lo hi e [h1 h2]; rewrite /isigned; have s0 := Rlt_le _ _ (exponent_gt0 a c).
case: ifP => [/same_real E | _].
  by have -> : x = real lo * power e; [rewrite -E in h2; lra | exact: signed_end_contains].
apply: (hull_contains (signed_end_contains P a c lo e) (signed_end_contains P a c hi e)).
by split; exact: signed_power_le.
Qed.

Definition imagnitude P a c I : interval := isigned P a c (imax P I (iopp I)).

Theorem imagnitude_contains P a c I x : contains I x -> contains (imagnitude P a c I) (abs_power x (exponent a c)).
Proof.
move=> H; rewrite -abs_power_abs -(signed_power_ge0 _ (Rabs_pos x)); apply: isigned_contains.
have -> : Rabs x = Rmax x (- x) by rewrite /Rabs /Rmax; case: Rcase_abs; case: Rle_dec; lra.
by apply: imax_contains => //; exact: iopp_contains.
Qed.
End PowerIntervals.
