(* Elementary: exponential and logarithm of intervals.

   exp x for x >= 0: the Taylor series of e^y, y = x/2^k <= 1/2, in integers over 2^W (every term rounded downwards),
   then k squarings of the interval; negative arguments through 1/e^-x. log x: a guess y is corrected once by
   log x = y + log (1 + t), t = x/e^y - 1, so nothing is assumed of the guess; guesses come from the same step at
   lower precisions. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Number Interval TaylorSeries.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Elementary.
Variable N : number.
Implicit Types (a b : N) (e k P : Z) (x y : R) (I J : interval N).

Definition four : N := add two two.

Lemma real4 : real four = 4.
Proof. by rewrite /four realD !real2; ring. Qed.

(* From the sum up to j, its last term, j + 1 and the error: the sum of all terms that are not 0, and its error. *)
Fixpoint taylor_loop (fuel : nat) (W : Z) (X sum term j error : N) : option (N * N) :=
  if fuel is n.+1 then
    let next := quotient (shift_down (mul term X) W) j in
    if same next zero then Some (sum, error)
    else taylor_loop n W X (add sum next) next (add j one) (add error four)
  else None.

Section Loop.
Variables (W : Z) (X : N).
Hypothesis W0 : (0 <= W)%Z.
Let x := real X / power W.
Hypothesis x_range : 0 <= x <= / 2.

Lemma next_term term (n : N) j : real n = INR j.+1 ->
  0 <= taylor_term j x * power W - real term <= 4 ->
  let next := quotient (shift_down (mul term X) W) n in 0 <= taylor_term j.+1 x * power W - real next <= 4.
Proof.
move=> En [e0 e4] /=; have pW := power_gt0 W; have n1 : 1 <= real n by rewrite En S_INR; have := pos_INR j; lra.
have [d1 d2] := shift_down_real (mul term X) W0; have n0 : 0 < real n by lra.
have [q1 q2] := quotient_real (shift_down (mul term X) W) n0.
set d := shift_down _ _ in d1 d2 q1 q2 *; set q := quotient _ _ in q1 q2 *.
rewrite realM in d1 d2; have EX : real X = x * power W by rewrite /x; field; lra.
rewrite EX in d1 d2.
have d1' : real d <= real term * x by apply: (Rmult_le_reg_r (power W)) => //; lra.
have d2' : real term * x < real d + 1 by apply: (Rmult_lt_reg_r (power W)) => //; lra.
have -> : taylor_term j.+1 x * power W = taylor_term j x * power W * x / real n.
  by rewrite taylor_term_next -En; field; lra.
move: (taylor_term j x * power W) e0 e4 => t e0 e4.
have E : (t * x / real n - real q) * real n = t * x - real q * real n by field; lra.
split; apply: (Rmult_le_reg_r (real n)) => //; rewrite ?Rmult_0_l E; first by nra.
have : (t - real term) * x <= 2 by nra.
nra.
Qed.

Lemma taylor_loop_spec fuel j sum term (n error : N) s c :
  real n = INR j.+1 -> 0 <= taylor_term j x * power W - real term <= 4 ->
  0 <= taylor_sum j x * power W - real sum <= real error ->
  taylor_loop fuel W X sum term n error = Some (s, c) ->
  real s <= exp x * power W <= real s + real c + 8.
Proof.
elim: fuel j sum term n error => [|fuel IH] j sum term n error // En Ht Hs; rewrite [taylor_loop _ _ _ _ _ _ _]/=.
have Hn := next_term En Ht; move: Hn => /=; set next := quotient _ _ => Hn.
case: ifP => [/same_real E [<- <-] | _]; last first.
  apply: (IH j.+1) => //; first by rewrite realD En real1 [INR j.+2]S_INR.
  have -> : taylor_sum j.+1 x = taylor_sum j x + taylor_term j.+1 x by rewrite /taylor_sum tech5.
  by rewrite (realD sum) (realD error) real4; lra.
have [t1 t2] := taylor_exp j x_range; have pW := power_gt0 W; rewrite E real0 in Hn.
have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ pW) t1; have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ pW) t2; lra.
Qed.
End Loop.

(* e^(a 2^e / 2^k) over 2^W, for a >= 0. *)
Definition twelve : N := add four (add four four).

Definition exp_series (W : Z) a e k : interval N :=
  let s := (e + W - k)%Z in
  let X := if Z.leb 0 s then shift_up a s else shift_down a (- s) in
  let unit := shift_up one W in
  if [&& Z.leb 1 W, le zero X & le (shift_up X 1) unit] then
    if taylor_loop (Z.to_nat W) W X unit unit one zero is Some (sum, error)
    then Between sum (add sum (add error twelve)) (- W) else Everything N
  else Everything N.

Lemma exp_series_contains W a e k : contains (exp_series W a e k) (exp (real a * power e / power k)).
Proof.
rewrite /exp_series; set s := (e + W - k)%Z; set X := if Z.leb 0 s then _ else _.
case: ifP => // /and3P[/Z.leb_le W1 /le_real X0 /le_real X1]; have W0 : (0 <= W)%Z by lia.
case E: (taylor_loop _ _ _ _ _ _ _) => [[sum error]|] //.
have pW := power_gt0 W; have pk := power_gt0 k; have pe := power_gt0 e.
set y := real a * power e / power k.
have Xy : real X <= y * power W < real X + 1.
  have Es : y * power W = real a * power s by rewrite /y /s /Z.sub !power_add power_opp; field; lra.
  rewrite Es /X; case: Z.leb_spec => s0; first by rewrite shift_up_real //; lra.
  have s1 : (0 <= - s)%Z by lia.
  have ps := power_gt0 s; have [] := shift_down_real a s1; rewrite power_opp => h1 h2; split.
    by apply: (Rmult_le_reg_r (/ power s)); [exact: Rinv_0_lt_compat | rewrite Rmult_assoc Rinv_r; lra].
  by apply: (Rmult_lt_reg_r (/ power s)); [exact: Rinv_0_lt_compat | rewrite Rmult_assoc Rinv_r; lra].
move: X0 X1; rewrite real0 !shift_up_real // ?real1 => X0 X1.
have x_range : 0 <= real X / power W <= / 2.
  have E1 : real X / power W * power W = real X by field; lra.
  have p1 : power 1 = 2 by rewrite /power /=; ring.
  rewrite p1 in X1.
  by split; apply: (Rmult_le_reg_r (power W)) => //; rewrite E1; lra.
have [|||h1 h2] := taylor_loop_spec W0 x_range (j := 0) _ _ _ E.
- by rewrite real1.
- by rewrite /taylor_term /= shift_up_real // real1; lra.
- by rewrite /taylor_sum /taylor_term /= shift_up_real // real1 real0; lra.
set x := real X / power W in x_range h1 h2.
have W2 : 2 <= power W.
  by rewrite -IZR_power //; apply: IZR_le; have := Z.pow_le_mono_r 2 1 W (ltac:(lia)) W1; rewrite Z.pow_1_r.
have y1 : x <= y.
  apply: (Rmult_le_reg_r (power W)) => //; rewrite /x.
  have -> : real X / power W * power W = real X by field; lra.
  lra.
have y2 : y <= x + / power W.
  apply: (Rmult_le_reg_r (power W)) => //; rewrite /x.
  have -> : (real X / power W + / power W) * power W = real X + 1 by field; lra.
  lra.
have e1 : exp (/ power W) <= 1 + 2 * / power W.
  by apply: exp_linear; split; [exact/Rlt_le/Rinv_0_lt_compat | apply: Rinv_le_contravar; lra].
have ex2 : exp x <= 2 by apply: exp_half; lra.
have i0 : 0 < / power W by exact: Rinv_0_lt_compat.
have e0 := exp_pos x.
have m1 : exp x <= exp y by case: y1 => [/exp_increasing | ->]; lra.
have m2 : exp y <= exp x * exp (/ power W) by rewrite -exp_plus; case: y2 => [/exp_increasing | ->]; lra.
have r1 : real twelve = 12 by rewrite /twelve (realD four) (realD four four) real4; ring.
rewrite /= (realD sum) (realD error) r1 power_opp; split.
  apply: (Rmult_le_reg_r (power W)) => //; rewrite Rmult_assoc Rinv_l ?Rmult_1_r; last lra.
  by apply: Rle_trans h1 _; apply: Rmult_le_compat_r; lra.
apply: (Rmult_le_reg_r (power W)) => //; rewrite Rmult_assoc Rinv_l ?Rmult_1_r; last lra.
have : exp y <= exp x + 4 * / power W by nra.
move=> h; have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ pW) h.
have -> : (exp x + 4 * / power W) * power W = exp x * power W + 4 by field; lra.
lra.
Qed.
(* ---- exp ---- *)

Fixpoint square_times (n : nat) P I : interval N := if n is m.+1 then square_times m P (imul P I I) else I.

Lemma square_times_contains n P I x : contains I (exp (x / power (Z.of_nat n))) ->
  contains (square_times n P I) (exp x).
Proof.
elim: n I => [|n IH] I H; first by rewrite (_ : x = x / power (Z.of_nat 0)) //; rewrite /power /=; field.
apply: IH; have -> : x / power (Z.of_nat n) = x / power (Z.of_nat n.+1) + x / power (Z.of_nat n.+1).
  have -> : Z.of_nat n.+1 = (1 + Z.of_nat n)%Z by lia.
  rewrite power_add; have -> : power 1 = 2 by rewrite /power /=; ring.
  by have := power_gt0 (Z.of_nat n) => ?; field; lra.
by rewrite exp_plus; apply: imul_contains.
Qed.

(* Constants have names, so that the extracted program computes them once. *)
Definition forty : Z := 40.
Definition sixteen : Z := 16.
Definition eight : Z := 8.
Definition three : Z := 3.

(* e^(a 2^e) for a >= 0; not computed beyond e^(2^40). *)
Definition exp_nonnegative P a e : interval N :=
  let m := (bits a + e)%Z in
  if Z.ltb forty m then Everything N
  else
    let k := Z.max 0 (m + Z.sqrt P) in
    let W := (P + k + sixteen)%Z in
    square_times (Z.to_nat k) W (exp_series W a e k).

Lemma exp_nonnegative_contains P a e : contains (exp_nonnegative P a e) (exp (real a * power e)).
Proof.
rewrite /exp_nonnegative; case: ifP => // _; set k := Z.max _ _.
apply: square_times_contains; have -> : Z.of_nat (Z.to_nat k) = k by rewrite Z2Nat.id // /k; lia.
exact: exp_series_contains.
Qed.

(* e^-x for x = a 2^e >= 0: of e^(-x/2^n) over 2^W squared n times, every square rounded downwards. All are at most 1,
   so that an error at most doubles, and the rounding comes to it. *)
Fixpoint lower_squares (n : nat) (W : Z) (s : N) : N :=
  if n is m.+1 then lower_squares m W (shift_down (mul s s) W) else s.

Definition exp_decay (n W : Z) a e : interval N :=
  if at_exponent (- W) (divide W (interval1 N) (exp_series W a e n)) is Between s H _ then
    if [&& Z.leb 0 n, Z.leb 0 W, le zero a, le zero s & le s (shift_up one W)] then
      let lo := lower_squares (Z.to_nat n) W s in Between lo (add lo (shift_up (add (sub H s) one) n)) (- W)
    else Everything N
  else Everything N.

Lemma lower_squares_spec n W s (E x : R) : (0 <= W)%Z -> 0 <= x -> 0 <= real s <= power W ->
  real s <= exp (- (x / power (Z.of_nat n))) * power W <= real s + E ->
  real (lower_squares n W s) <= exp (- x) * power W <=
    real (lower_squares n W s) + ((E + 1) * power (Z.of_nat n) - 1).
Proof.
move=> W0 x0; have pW := power_gt0 W.
elim: n s E => [|n IH] s E [S0 S1]; first by rewrite /power /= /Rdiv Rinv_1 !Rmult_1_r; lra.
have p2 : power (Z.of_nat n.+1) = 2 * power (Z.of_nat n).
  have -> : Z.of_nat n.+1 = (1 + Z.of_nat n)%Z by lia.
  by rewrite power_add; congr (_ * _); rewrite /power /=; ring.
have pn := power_gt0 (Z.of_nat n); rewrite p2 => -[h1 h2].
set v := exp (- (x / (2 * power (Z.of_nat n)))) in h1 h2.
have v0 : 0 < v by exact: exp_pos.
have v1 : v <= 1.
  have q0 : 0 <= x / (2 * power (Z.of_nat n)) by apply: Rmult_le_pos => //; apply/Rlt_le/Rinv_0_lt_compat; lra.
  by rewrite /v -exp_0; case: q0 => [q0 | <-]; [left; apply: exp_increasing; lra | rewrite Ropp_0; right].
have vv : exp (- (x / power (Z.of_nat n))) = v * v by rewrite /v -exp_plus; congr exp; field; lra.
have [d1 d2] := shift_down_real (mul s s) W0; rewrite realM in d1 d2; rewrite [lower_squares _ _ _]/=.
set s' := shift_down _ _ in d1 d2 *; set T := v * power W in h1 h2.
have T1 : T <= power W by rewrite /T; nra.
have TT : v * v * power W * power W = T * T by rewrite /T; ring.
have -> : (E + 1) * (2 * power (Z.of_nat n)) - 1 = ((2 * E + 1) + 1) * power (Z.of_nat n) - 1 by ring.
have positive : 0 < real s' + 1 by apply: (Rmult_lt_reg_r (power W)) => //; nra.
have whole0 : 0 <= real s'.
  by move: positive; rewrite real_whole -plus_IZR => /lt_IZR h; apply: IZR_le; lia.
apply: IH; rewrite ?vv.
  by split=> //; apply: (Rmult_le_reg_r (power W)) => //; nra.
split; apply: (Rmult_le_reg_r (power W)) => //; rewrite TT; first by nra.
have : T * T - real s * real s <= E * (2 * power W) by nra.
lra.
Qed.

Lemma exp_decay_contains n W a e : contains (exp_decay n W a e) (exp (- (real a * power e))).
Proof.
rewrite /exp_decay; set x := real a * power e.
have : contains (divide W (interval1 N) (exp_series W a e n)) (exp (- (x / power n))).
  have := divide_contains W (contains1 N) (exp_series_contains W a e n); rewrite -/x.
  by rewrite exp_Ropp /Rdiv Rmult_1_l.
move/(at_exponent_contains (- W)); case: (divide _ _ _) => // lo hi f.
have [s [H ->]] := at_exponent_between (- W) lo hi f.
case: ifP => // /and5P[/Z.leb_le n0 /Z.leb_le W0 /le_real a0 /le_real S0 /le_real S1] [h1 h2].
rewrite real0 in a0 S0; rewrite shift_up_real // real1 Rmult_1_l in S1.
have pW := power_gt0 W; have pe := power_gt0 e; have iW : power (- W) = / power W by exact: power_opp.
have x0 : 0 <= x by apply: Rmult_le_pos => //; lra.
have into (u : R) : u * power (- W) * power W = u by rewrite iW; field; lra.
have scale (u v : R) : u * power (- W) <= v -> u <= v * power W.
  by move/(Rmult_le_compat_r _ _ _ (Rlt_le _ _ pW)); rewrite into.
have scale' (u v : R) : v <= u * power (- W) -> v * power W <= u.
  by move/(Rmult_le_compat_r _ _ _ (Rlt_le _ _ pW)); rewrite into.
have nE : Z.of_nat (Z.to_nat n) = n by rewrite Z2Nat.id.
have := @lower_squares_spec (Z.to_nat n) W s (real H - real s) x W0 x0; rewrite nE => squares.
have [||l1 l2] := squares; first by [].
  by split; [exact: scale | have := scale' _ _ h2; lra].
split; apply: (Rmult_le_reg_r (power W)) => //; rewrite into; first by [].
rewrite (realD (lower_squares _ _ _)) (shift_up_real _ n0) (realD (sub H s)) realB real1; lra.
Qed.

(* Where |x| is at most about P, e^-|x| with as many bits more as it is below 1. *)
Definition exp_at P a e : interval N :=
  let up := le zero a in
  let b := if up then a else opp a in
  let m := (bits b + e)%Z in
  if same a zero then interval1 N
  else if Z.leb m (Z.log2 P) then
    let t := whole (if Z.leb 0 e then shift_up b e else shift_down b (- e)) in
    let n := Z.max 0 (m + Z.shiftr (three * Z.sqrt P) 1) in
    let E := exp_decay n (P + Z.shiftr (three * t) 1 + n + eight) b e in
    if up then divide P (interval1 N) E else round P E
  else if up then round P (exp_nonnegative P a e)
  else if divide P (interval1 N) (exp_nonnegative P b e) is Between lo hi f then Between lo hi f
  else Between zero one 0.

Lemma exp_at_contains P a e : contains (exp_at P a e) (exp (real a * power e)).
Proof.
rewrite /exp_at; case: ifP => [/same_real -> | _]; first by rewrite real0 Rmult_0_l exp_0; exact: contains1.
have inverse : exp (real a * power e) = 1 / exp (real (opp a) * power e).
  by rewrite realN Ropp_mult_distr_l_reverse exp_Ropp; field; have := exp_pos (real a * power e); lra.
case up: (le zero a); case: ifP => _.
- set n := Z.max _ _; set W := (_ + eight)%Z.
  have -> : exp (real a * power e) = 1 / exp (- (real a * power e)).
    by rewrite exp_Ropp; field; have := exp_pos (real a * power e); lra.
  by apply: divide_contains; [exact: contains1 | exact: exp_decay_contains].
- by apply: round_contains; exact: exp_nonnegative_contains.
- set n := Z.max _ _; set W := (_ + eight)%Z.
  have := exp_decay_contains n W (opp a) e; rewrite realN Ropp_mult_distr_l_reverse Ropp_involutive.
  exact: round_contains.
move/negbT/not_le_real: up.
rewrite real0 inverse => a0.
have := @divide_contains N P _ _ _ _ (contains1 N) (exp_nonnegative_contains P (opp a) e); rewrite -inverse.
case: (divide _ _ _) => // _; rewrite /= real0 real1 !Rmult_1_r; split; first exact/Rlt_le/exp_pos.
rewrite -exp_0; have p0 := power_gt0 e; have : real a * power e < 0 by nra.
by move/exp_increasing; lra.
Qed.

(* An interval of width at most 2^-16 is widened from its lower end, by e^d <= 1 + d + d^2. *)
Definition iexp P I : interval N :=
  if I is Between lo hi e then
    let d := sub hi lo in
    let E := exp_at P lo e in
    if same d zero then E
    else
      let D := dyadic d e in
      if le zero d && certainly_le D (dyadic one (- sixteen)) then
        hull E (imul P E (iadd P (interval1 N) (iadd P D (imul P D D))))
      else hull E (exp_at P hi e)
  else Everything N.

Lemma exp_quadratic d : 0 <= d <= / 2 -> exp d <= 1 + d + d * d.
Proof.
move=> H; have [_] := taylor_exp 1 H; rewrite /taylor_sum /taylor_term /=; lra.
Qed.

Theorem iexp_contains P I x : contains I x -> contains (iexp P I) (exp x).
Proof.
case: I => // lo hi e [h1 h2]; rewrite /iexp; set d := sub hi lo.
have E1 := exp_at_contains P lo e; have E2 := exp_at_contains P hi e.
have m1 : exp (real lo * power e) <= exp x by case: h1 => [/exp_increasing | ->]; lra.
have m2 : exp x <= exp (real hi * power e) by case: h2 => [/exp_increasing | ->]; lra.
have dE : real d * power e = real hi * power e - real lo * power e by rewrite realB; ring.
case: ifP => [/same_real d0 | _].
  by have -> : x = real lo * power e by move: dE; rewrite d0 real0; lra.
have D := dyadic_contains d e.
case: ifP => [/andP[/le_real d0] | _]; last exact: hull_contains E1 E2 _.
rewrite real0 in d0; move/(certainly_le_real D (dyadic_contains one (- 16))); rewrite real1 Rmult_1_l => d1.
have p16 : power (- 16) <= / 2 by rewrite -[(-16)%Z]/(Z.opp 16) power_opp; apply: Rinv_le_contravar;
  rewrite /power /=; lra.
set w := real d * power e in dE D d1.
have w0 : 0 <= w by apply: Rmult_le_pos => //; apply/Rlt_le/power_gt0.
have q : exp w <= 1 + (w + w * w) by have := exp_quadratic (d := w) (ltac:(lra)); lra.
apply: (hull_contains (y := exp (real lo * power e) * (1 + (w + w * w))) E1).
  apply: imul_contains => //; apply: iadd_contains; first exact: contains1.
  by apply: iadd_contains => //; exact: imul_contains.
split=> //; apply: Rle_trans m2 _; have -> : real hi * power e = real lo * power e + w by lra.
by rewrite exp_plus; apply: Rmult_le_compat_l => //; exact/Rlt_le/exp_pos.
Qed.

(* ---- log ---- *)

(* log x from any guess y: t/(1 + t) <= log (1 + t) <= t. *)
Definition log_by P a e I : interval N :=
  let T := isub P (idiv P I (exp_at P a e)) (interval1 N) in
  iadd P (dyadic a e) (hull (idiv P T (iadd P (interval1 N) T)) T).

Lemma ln_le_sub z : 0 < z -> ln z <= z - 1.
Proof.
move=> z0; have : 1 + ln z <= exp (ln z) by exact: exp_ineq1_le.
by rewrite exp_ln //; lra.
Qed.

Lemma ln_ge t : 0 < 1 + t -> t / (1 + t) <= ln (1 + t) <= t.
Proof.
move=> t0; split; last by have := ln_le_sub t0; lra.
have i0 := Rinv_0_lt_compat _ t0; have := ln_le_sub i0; rewrite ln_Rinv // => h.
have -> : t / (1 + t) = 1 - / (1 + t) by field; lra.
lra.
Qed.

Lemma log_by_contains P a e I x : 0 < x -> contains I x -> contains (log_by P a e I) (ln x).
Proof.
move=> x0 H; set y := real a * power e; have e0 := exp_pos y; set t := x / exp y - 1.
have t0 : 0 < 1 + t by rewrite /t; have := Rdiv_lt_0_compat _ _ x0 e0; lra.
have -> : ln x = y + ln (1 + t).
  have -> : 1 + t = x * / exp y by rewrite /t; field; lra.
  by rewrite ln_mult // ?ln_Rinv // ?ln_exp; [ring | exact: Rinv_0_lt_compat].
have HT : contains (isub P (idiv P I (exp_at P a e)) (interval1 N)) t.
  by apply: isub_contains; [apply: idiv_contains => //; exact: exp_at_contains | exact: contains1].
apply: iadd_contains; first exact: dyadic_contains.
apply: (hull_contains (x := t / (1 + t)) (y := t)) => //; last exact: ln_ge.
by apply: idiv_contains => //; apply: iadd_contains => //; exact: contains1.
Qed.

Fixpoint of_positive (p : positive) : N :=
  match p with
  | xH => one
  | xO q => shift_up (of_positive q) 1
  | xI q => add (shift_up (of_positive q) 1) one
  end.
Definition of_integer (z : Z) : N := match z with Z0 => zero | Zpos p => of_positive p | Zneg p
  => opp (of_positive p) end.

Lemma of_positive_real p : real (of_positive p) = IZR (Zpos p).
Proof.
have p1 : power 1 = 2 by rewrite /power /=; ring.
elim: p => [p IH | p IH | ]; last exact: real1.
  rewrite Pos2Z.inj_xI plus_IZR mult_IZR -IH [of_positive _]/= realD shift_up_real // real1 p1; ring.
rewrite Pos2Z.inj_xO mult_IZR -IH [of_positive _]/= shift_up_real // p1; ring.
Qed.

Definition of_natural (n : nat) : N := of_integer (Z.of_nat n).

Lemma of_natural_real n : real (of_natural n) = INR n.
Proof.
rewrite INR_IZR_INZ /of_natural; case: (Z.of_nat n) => [|p|p]; [exact: real0 | exact: of_positive_real |].
by rewrite [of_integer _]/= realN of_positive_real.
Qed.

(* 45426/2^16 is close to log 2, and this guess within 1/2 of the logarithm; a step leaves a sixth of its error's cube,
   as far as its precision goes. *)
Definition half_of P : Z := (Z.shiftr P 1 + eight)%Z.
Definition log_2 : Z := 45426.
Definition half_log_2 : Z := 22713.
Fixpoint log_guess (n : nat) P I : N * Z :=
  if I is Between lo hi e then
    if n is m.+1 then
      let (a, f) := log_guess m (half_of P) I in
      let p := Z.max sixty_four P in
      if log_by p a f (round p I) is Between u v g then (add u v, (g - 1)%Z) else (zero, 0%Z)
    else (of_integer ((bits hi + e) * log_2 - half_log_2), (- sixteen)%Z)
  else (zero, 0%Z).

Definition log_point P I : interval N :=
  let (a, f) := log_guess (Z.to_nat (Z.log2 P - 2)) (half_of P) I in log_by P a f I.

Lemma log_point_contains P I x : 0 < x -> contains I x -> contains (log_point P I) (ln x).
Proof. by rewrite /log_point; case: (log_guess _ _ _) => a f; exact: log_by_contains. Qed.

Definition ilog P I : interval N :=
  if I is Between lo hi e then
    if lt zero lo then
      if le (shift_up (sub hi lo) (P / 2)) lo then log_point P I
      else hull (log_point P (dyadic lo e)) (log_point P (dyadic hi e))
    else Everything N
  else Everything N.

Lemma ln_mono x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. by move=> x0 [h | ->]; [left; exact: ln_increasing | right]. Qed.

Theorem ilog_contains P I x : contains I x -> contains (ilog P I) (ln x).
Proof.
case: I => // lo hi e H; rewrite /ilog; case: ifP => // /lt_real; rewrite real0 => lo0.
have l0 : 0 < real lo * power e by apply: Rmult_lt_0_compat (power_gt0 e).
have [h1 h2] := H; case: ifP => _; first by apply: log_point_contains => //; lra.
apply: (hull_contains (x := ln (real lo * power e)) (y := ln (real hi * power e))).
- by apply: log_point_contains => //; exact: dyadic_contains.
- by apply: log_point_contains; [lra | exact: dyadic_contains].
by split; apply: ln_mono; lra.
Qed.

(* ---- near 0, with relative precision ---- *)

(* P bits more than there are zeros after the point, as long as that is affordable. *)
Definition small_exponent I : Z := if I is Between lo hi e then (size_of lo hi + e)%Z else 0.

Definition exp_minus_1 P I : interval N :=
  let m := small_exponent I in
  let half := dyadic one (- 1) in
  if [&& Z.ltb m (- (P + 4)), certainly_le (iopp half) I & certainly_le I half] then hull I (iadd P I (imul P I I))
  else let Q := (P + Z.max 0 (- m))%Z in round P (isub Q (iexp Q I) (interval1 N)).

Definition log_1_plus P I : interval N :=
  let m := small_exponent I in
  let half := dyadic one (- 1) in
  if [&& Z.ltb m (- (P + 4)), certainly_le (iopp half) I & certainly_le I half]
    then hull (isub P I (imul P (interval2 N) (imul P I I))) I
  else let Q := (P + Z.max 0 (- m))%Z in round P (ilog Q (iadd Q (interval1 N) I)).

Lemma half_contains : contains (dyadic (@one N) (- 1)) (/ 2).
Proof. by have := dyadic_contains (@one N) (- 1); rewrite real1 -[(-1)%Z]/(Z.opp 1) power_opp /power /=
  !Rmult_1_r Rmult_1_l. Qed.

Lemma half_range I x : contains I x -> certainly_le (iopp (dyadic one (- 1))) I &&
  certainly_le I (dyadic one (- 1)) ->
  - / 2 <= x <= / 2.
Proof.
move=> H /andP[h1 h2]; split.
  exact: certainly_le_real (iopp_contains half_contains) H h1.
exact: certainly_le_real H half_contains h2.
Qed.

Lemma exp_minus_1_contains P I x : contains I x -> contains (exp_minus_1 P I) (exp x - 1).
Proof.
move=> H; rewrite /exp_minus_1; case: ifP => [/andP[_ /(half_range H) [h1 h2]] | _]; last first.
  by apply: round_contains; apply: isub_contains; [exact: iexp_contains | exact: contains1].
apply: (hull_contains (x := x) (y := x + x * x)) => //; first by apply: iadd_contains => //; exact: imul_contains.
split; first by have := exp_ineq1_le x; lra.
case: (Rle_lt_dec 0 x) => x0; first by have := exp_quadratic (d := x) (ltac:(lra)); lra.
have n0 : 0 < 1 - x by lra.
have e1 := exp_ineq1_le (- x); have ex := exp_pos x; rewrite exp_Ropp in e1.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ ex) e1; rewrite Rinv_r; last lra.
nra.
Qed.

Lemma log_1_plus_contains P I x : contains I x -> contains (log_1_plus P I) (ln (1 + x)).
Proof.
move=> H; rewrite /log_1_plus; case: ifP => [/andP[_ /(half_range H) [h1 h2]] | _]; last first.
  by apply: round_contains; apply: ilog_contains; apply: iadd_contains => //; exact: contains1.
apply: (hull_contains (x := x - 2 * (x * x)) (y := x)) => //.
  by apply: isub_contains => //; apply: imul_contains; [exact: contains2 | exact: imul_contains].
have t0 : 0 < 1 + x by lra.
have [l1 l2] := ln_ge t0; split=> //; apply: Rle_trans l1.
apply: (Rmult_le_reg_r (1 + x)) => //; rewrite /Rdiv Rmult_assoc Rinv_l; last lra.
by have := Rmult_le_pos (x * x) (1 + 2 * x) (Rle_0_sqr x) (ltac:(lra)); lra.
Qed.
End Elementary.
