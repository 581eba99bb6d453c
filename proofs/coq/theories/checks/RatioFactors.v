(* RatioFactors: positive rational numbers as products of powers of given bases, and their logarithms. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Number Rows MarginChecks Interval Elementary IntervalTables ForeverChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Factors.
Variable N : number.
Implicit Types (a b : N) (bases : seq N) (q : fraction N).

(* What is left of a number divided by b as often as it goes, and how often that is. *)
Fixpoint divide_out (fuel : nat) b a : N * nat :=
  if fuel is n.+1 then
    let quotient := quotient a b in
    if same (mul quotient b) a then let: (rest, k) := divide_out n b quotient in (rest, k.+1) else (a, 0%nat)
  else (a, 0%nat).

Lemma divide_out_real fuel b a : real a = real (divide_out fuel b a).1 * real b ^ (divide_out fuel b a).2.
Proof.
elim: fuel a => [|n IH] a /=; first by rewrite Rmult_1_r.
case: ifP => [/same_real E | _] /=; last by rewrite Rmult_1_r.
have := IH (quotient a b); case: (divide_out n b _) => rest k /= H.
by rewrite -E realM H; ring.
Qed.

(* By each base in turn. *)
Fixpoint factor_out bases a : N * seq nat :=
  if bases is b :: bases' then
    let: (rest, k) := divide_out (Z.to_nat (bits a)) b a in
    let: (last, ks) := factor_out bases' rest in (last, k :: ks)
  else (a, [::]).

Lemma factor_out_log bases a : all (lt one) bases -> 0 < real a ->
  let: (rest, ks) := factor_out bases a in
  [/\ size ks = size bases, 0 < real rest &
      ln (real a) = ln (real rest) + \sum_(j < size bases) INR (nth 0%nat ks j) * ln (entry bases j)].
Proof.
elim: bases a => [|b bases IH] a /=; first by move=> _ a0; split=> //; rewrite big_ord0 Rplus_0_r.
case/andP=> /lt_real; rewrite real1 => b1 above a0.
have := divide_out_real (Z.to_nat (bits a)) b a; case: (divide_out _ _ _) => rest k /= E.
have p0 : 0 < real b ^ k by apply: pow_lt; lra.
have r0 : 0 < real rest.
  by apply: (Rmult_lt_reg_r (real b ^ k)) => //; rewrite -E Rmult_0_l.
have := IH rest above r0; case: (factor_out bases rest) => last ks [sk l0 L]; split=> //=; first by rewrite sk.
rewrite E ln_mult // L big_ord_recl -Rpower_pow; last lra.
by rewrite /Rpower ln_exp /entry /=; ring.
Qed.

(* The exponents of a number that is a product of powers of the bases. *)
Definition exponents_of bases q : option (seq N) :=
  let: (a, ks) := factor_out bases (fraction_num q) in
  let: (b, ls) := factor_out bases (fraction_den q) in
  if same a one && same b one then Some [seq sub (of_natural N kl.1) (of_natural N kl.2) | kl <- zip ks ls] else None.

Theorem exponents_of_log bases q es : all (lt one) bases -> fraction_ok q -> lt zero (fraction_num q) ->
  exponents_of bases q = Some es -> ln (fraction_real q) = \sum_(j < size bases) entry es j * ln (entry bases j).
Proof.
move=> above /fraction_den_gt0 d0 /lt_real; rewrite real0 /exponents_of => n0.
have := factor_out_log above n0; case: (factor_out bases (fraction_num q)) => a ks [sk _ Ln].
have := factor_out_log above d0; case: (factor_out bases (fraction_den q)) => b ls [sl _ Ld].
case: ifP => // /andP[/same_real Ea /same_real Eb] [<-]; rewrite Ea Eb real1 ln_1 !Rplus_0_l in Ln Ld.
rewrite /fraction_real /Rdiv ln_mult //; last exact: Rinv_0_lt_compat.
rewrite ln_Rinv // Ln Ld -[_ + - _]/(_ - _) -sumB; apply: eq_bigr => j _.
rewrite {3}/entry (nth_map (0%nat, 0%nat)) ?size_zip ?sk ?sl ?minnn // nth_zip ?sk ?sl //=.
by rewrite realB !of_natural_real; ring.
Qed.

(* ---- enclosed ---- *)

Definition ratio_log (P : Z) q : interval N :=
  if same (fraction_num q) (fraction_den q) then interval0 N else ilog P (fraction_in P q).

Lemma ratio_log_contains P q : fraction_ok q -> contains (ratio_log P q) (ln (fraction_real q)).
Proof.
move=> /fraction_den_gt0 d0; rewrite /ratio_log; case: ifP => [/same_real E | _].
  by rewrite /fraction_real E /Rdiv Rinv_r ?ln_1; [exact: contains0 | lra].
exact: ilog_contains (fraction_in_contains P q).
Qed.
End Factors.
