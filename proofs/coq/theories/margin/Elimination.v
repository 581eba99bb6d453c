(* Elimination: ranks of integer matrices given as lists of rows, by elimination whose every step is checked.

   From above: fraction-free elimination writes all rows as combinations of a few. The divisions by the previous pivot
   are exact in theory; here each is checked, so nothing has to be known about minors. From below: a left inverse modulo
   p > 1 of some columns; how it is found does not matter. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals ZArith Psatz.
From Attest Require Import Euclid Number Rows Rank.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Elimination.
Variable N : number.
Implicit Types (p a prev : N) (row b : seq N) (rows basis : seq (seq N)).

Definition pivot_ok a : bool := lt zero a || lt a zero.

Lemma pivot_ok_real a : pivot_ok a -> real a <> 0.
Proof. by case/orP=> /lt_real; rewrite real0; lra. Qed.

(* ---- fraction-free elimination: every row is a combination of the basis ---- *)

(* (p row - a b) / prev, if that is a row of integers. *)
Fixpoint eliminate p a prev row b : option (seq N) :=
  match row, b with
  | [::], [::] => Some [::]
  | r :: row', s :: b' =>
      let x := sub (mul p r) (mul a s) in
      let q := quotient x prev in
      if same (mul prev q) x then
        if eliminate p a prev row' b' is Some rest then Some (q :: rest) else None
      else None
  | _, _ => None
  end.

(* The row, reduced by basis rows with their pivot columns; prev is the last pivot. *)
Fixpoint reduce prev (basis : seq (nat * seq N)) row : option (seq N) :=
  if basis is (c, b) :: basis' then
    let p := nth zero b c in
    if pivot_ok p then
      if eliminate p (nth zero row c) prev row b is Some row' then reduce p basis' row' else None
    else None
  else Some row.

Definition not_zero_column row : nat := find (fun a => ~~ same a zero) row.

(* Rows that span all rows, at most r of them. *)
Fixpoint echelon (r : nat) (basis : seq (nat * seq N)) rows : option (seq (nat * seq N)) :=
  if rows is row :: rows' then
    if reduce one basis row is Some row' then
      let c := not_zero_column row' in
      if c == size row' then echelon r basis rows'
      else if (size basis < r)%nat then echelon r (rcons basis (c, row')) rows' else None
    else None
  else Some basis.

(* b spans the row. *)
Definition in_span basis row : Prop :=
  exists f : nat -> R, forall j, entry row j = \sum_(l < size basis) f l * entry (nth [::] basis l) j.

Lemma in_span_combination basis row row' b (x y : R) : in_span basis row' -> in_span basis b ->
  (forall j, entry row j = x * entry row' j + y * entry b j) -> in_span basis row.
Proof.
case=> f Hf [g Hg] E; exists (fun l => x * f l + y * g l) => j.
by rewrite E Hf Hg !sum_mull -sumD; apply: eq_bigr => l _; ring.
Qed.

Lemma in_span_rcons basis b row : in_span basis row -> in_span (rcons basis b) row.
Proof.
case=> f Hf; exists (fun l => if (l < size basis)%nat then f l else 0) => j.
rewrite size_rcons big_ord_recr /= ltnn Rmult_0_l Rplus_0_r Hf; apply: eq_bigr => l _.
by rewrite ltn_ord nth_rcons ltn_ord.
Qed.

Lemma in_span_last basis b : in_span (rcons basis b) b.
Proof.
exists (fun l => if l == size basis then 1 else 0) => j.
rewrite size_rcons big_ord_recr /= eqxx nth_rcons ltnn eqxx sum0 => [|l _]; first by ring.
by rewrite (ltn_eqF (ltn_ord l)) Rmult_0_l.
Qed.

Lemma in_span_zero basis row : (forall j, entry row j = 0) -> in_span basis row.
Proof. by move=> H; exists (fun=> 0) => j; rewrite H sum0 // => l _; rewrite Rmult_0_l. Qed.

Lemma eliminate_spec p a prev row b row' : eliminate p a prev row b = Some row' ->
  forall j, real p * entry row j - real a * entry b j = real prev * entry row' j.
Proof.
elim: row b row' => [|r row IH] [|s b] row' //=; first by case=> <- j; rewrite entry_nil; ring.
case: ifP => // /same_real E; case Er: (eliminate _ _ _ _ _) => [rest|] // [<-] [|j].
  by rewrite /entry /= -!realM E realB.
exact: (IH _ _ Er j).
Qed.

Lemma reduce_span prev (cbs : seq (nat * seq N)) row row' basis : reduce prev cbs row = Some row' ->
  (forall cb, List.In cb cbs -> in_span basis cb.2) -> in_span basis row' -> in_span basis row.
Proof.
elim: cbs prev row => [|[c b] cbs IH] prev row /=; first by move=> [->].
case: ifP => // /pivot_ok_real p0; case E: (eliminate _ _ _ _ _) => [next|] // Er Hb last.
have span_next : in_span basis next by apply: IH Er _ last => cb cbi; apply: Hb; right.
have span_b : in_span basis b by apply: (Hb (c, b)); left.
apply: (in_span_combination (x := real prev / real (nth zero b c)) (y := real (nth zero row c) / real (nth zero b c))
          span_next span_b) => j.
have := eliminate_spec E j; move: (nth zero b c) (nth zero row c) p0 => p a p0 H.
have -> : real prev / real p * entry next j = real prev * entry next j / real p by field.
by rewrite -H; field.
Qed.

Lemma not_zero_column_none row : not_zero_column row = size row -> forall j, entry row j = 0.
Proof.
move=> E j; case: (ltnP j (size row)) => jl; last by rewrite entry_over.
have := @before_find _ zero (fun a => ~~ same a zero) row j.
rewrite -/(not_zero_column row) E => /(_ jl)/negbFE/same_real.
by rewrite real0.
Qed.

Definition basis_rows (cbs : seq (nat * seq N)) : seq (seq N) := [seq cb.2 | cb <- cbs].

Lemma basis_in_span cbs : forall cb, List.In cb cbs -> in_span (basis_rows cbs) cb.2.
Proof.
elim/last_ind: cbs => [|cbs b IH] cb //; rewrite -cats1 => /List.in_app_iff; rewrite cats1 /basis_rows map_rcons.
by case=> [/IH | [<- | []]]; [apply: in_span_rcons | apply: in_span_last].
Qed.

Lemma echelon_span r cbs rows out : echelon r cbs rows = Some out ->
  (forall row, in_span (basis_rows cbs) row -> in_span (basis_rows out) row) /\
  forall i, (i < size rows)%nat -> in_span (basis_rows out) (nth [::] rows i).
Proof.
elim: rows cbs => [|row rows IH] cbs /=; first by case=> <-; split.
case Er: (reduce _ _ _) => [row'|] //; case: eqP => [none | _].
  move=> /IH[mono H]; split=> // -[_ | i]; last exact: H.
  apply: mono; apply: reduce_span Er (@basis_in_span _) _.
  by apply: in_span_zero; apply: not_zero_column_none.
case: ifP => // _ /IH[mono H]; rewrite /basis_rows map_rcons -/(basis_rows cbs) /= in mono.
split=> [x /in_span_rcons Hx | [_ | i]]; [exact: mono | | exact: H].
apply: mono; apply: (reduce_span Er) => [cb /basis_in_span/in_span_rcons Hx | ]; first exact: Hx.
exact: in_span_last.
Qed.

Lemma size_echelon r cbs rows out : echelon r cbs rows = Some out -> (size cbs <= r)%nat -> (size out <= r)%nat.
Proof.
elim: rows cbs => [|row rows IH] cbs /=; first by case=> ->.
case: (reduce _ _ _) => [row'|] //; case: eqP => _; first exact: IH.
by case: ifP => // lt /IH H _; apply: H; rewrite size_rcons.
Qed.

Definition span_at_most (r : nat) rows : bool := isSome (echelon r [::] rows).

(* At most r rows span all rows. *)
Theorem span_at_most_sound r rows : span_at_most r rows ->
  exists2 basis, (size basis <= r)%nat & forall i, (i < size rows)%nat -> in_span basis (nth [::] rows i).
Proof.
rewrite /span_at_most; case E: (echelon _ _ _) => [out|] // _.
by have [_ H] := echelon_span E; exists (basis_rows out) => //; rewrite size_map; apply: size_echelon E _.
Qed.

(* ---- a left inverse modulo p ---- *)

Section Modular.
Variable p : N.

Definition residue a : N := sub a (mul p (quotient a p)).

(* The inverse of a1 modulo p, if there is one, by Euclid's algorithm: s0, s1 are the factors of a in a0, a1. *)
Fixpoint inverse_from (steps : nat) a0 s0 a1 s1 : N :=
  if steps is k.+1 then
    if same a1 zero then s0
    else let q := quotient a0 a1 in inverse_from k a1 s1 (sub a0 (mul q a1)) (sub s0 (mul q s1))
  else s0.
Definition inverse a : N := residue (inverse_from 64 p zero a one).

(* row - row_c * pivot_row *)
Definition clear (c : nat) (pivot_row row : seq N) : seq N :=
  let f := nth zero row c in
  if same f zero then row else [seq residue a | a <- axpy (opp f) row pivot_row].

(* Gauss-Jordan elimination of rows of residues (e columns), each followed by a row of the unit matrix, until r pivots
   are found: pivot columns with their rows, in which the unit matrix has become a left inverse of the pivot columns. *)
Fixpoint pivots (r e : nat) (found : seq (nat * seq N)) rows : seq (nat * seq N) :=
  if rows is row :: rows' then
    if (size found < r)%nat then
      let reduced := foldl (fun x cb => clear cb.1 cb.2 x) row found in
      let c := not_zero_column (take e reduced) in
      if (c < e)%nat then
        let inv := inverse (nth zero reduced c) in
        let scaled := [seq residue (mul inv a) | a <- reduced] in
        pivots r e (rcons [seq (cb.1, clear c scaled cb.2) | cb <- found] (c, scaled)) rows'
      else pivots r e found rows'
    else found
  else found.

Definition with_unit_rows rows : seq (seq N) :=
  [seq nth [::] rows j ++ [seq (if k == j then one else zero) | k <- iota 0 (size rows)] | j <- iota 0 (size rows)].

Definition divides a : bool := same a (mul p (quotient a p)).

(* Some r columns of the matrix, all of them with an index below e, have a left inverse modulo p > 1. *)
Definition modular_rank_check (r e : nat) rows : bool :=
  if lt one p then
    let residues := [seq [seq residue a | a <- row] | row <- rows] in
    let found := pivots r e [::] (with_unit_rows residues) in
    let columns := [seq [seq nth zero row cb.1 | row <- residues] | cb <- found] in
    [&& size found == r, all (fun cb => (cb.1 < e)%nat) found &
        all (fun l => let left := take (size rows) (drop e (nth (0%nat, [::]) found l).2) in
               all (fun k => divides (sub (dot_rows left (nth [::] columns k)) (if l == k then one else zero)))
                 (iota 0 r))
            (iota 0 r)]
  else false.

(* Integers, and multiples of p, among the reals. *)
Definition integral (x : R) : Prop := exists z : Z, x = IZR z.
Definition multiple (x : R) : Prop := exists2 y, integral y & x = real p * y.

Lemma integral_real a : integral (real a).
Proof. by exists (whole a); apply: real_whole. Qed.

Lemma integral_mul x y : integral x -> integral y -> integral (x * y).
Proof. by case=> a -> [b ->]; exists (a * b)%Z; rewrite mult_IZR. Qed.

Lemma multiple_add x y : multiple x -> multiple y -> multiple (x + y).
Proof.
by case=> a [k ->] -> [b [l ->] ->]; exists (IZR (k + l)); [exists (k + l)%Z | rewrite plus_IZR; ring].
Qed.

Lemma multiple_mul x y : integral x -> multiple y -> multiple (x * y).
Proof. by move=> ix [a ia ->]; exists (x * a); [apply: integral_mul | ring]. Qed.

Lemma multiple_opp x : multiple x -> multiple (- x).
Proof. by case=> a [k ->] ->; exists (IZR (- k)); [exists (- k)%Z | rewrite opp_IZR; ring]. Qed.

Lemma multiple_sum (I : Type) (s : seq I) (P : pred I) (F : I -> R) : (forall i, P i -> multiple (F i)) ->
  multiple (\sum_(i <- s | P i) F i).
Proof.
move=> H; apply: (big_ind multiple) => //; last exact: multiple_add.
by exists 0; [exists 0%Z | ring].
Qed.

Lemma residue_multiple a : multiple (real a - real (residue a)).
Proof. by exists (real (quotient a p)); [apply: integral_real | rewrite /residue realB realM; ring]. Qed.

Lemma divides_multiple a : divides a -> multiple (real a).
Proof. by move=> /same_real ->; exists (real (quotient a p)); [apply: integral_real | rewrite realM]. Qed.

(* Columns c_0, ..., c_(r-1) below e such that no combination of them vanishes. *)
Theorem modular_rank_check_sound r e rows : modular_rank_check r e rows ->
  exists c : 'I_r -> 'I_e, forall x : 'I_r -> R,
    (forall j, (j < size rows)%nat -> \sum_k x k * entry2 rows j (c k) = 0) -> forall k, x k = 0.
Proof.
rewrite /modular_rank_check; case: ifP => // /lt_real; rewrite real1 => p1.
set residues := [seq [seq _ | a <- _] | row <- rows].
set found := pivots _ _ _ _; set columns := [seq _ | cb <- found].
case/and3P=> /eqP sf /(all_nthP (0%nat, [::])) below.
rewrite sf in below; move=> /allP inv.
pose c (k : 'I_r) : 'I_e := Ordinal (below k (ltn_ord k)).
exists c => x zero_x; have in_iota (k : 'I_r) : (k : nat) \in iota 0 r by rewrite mem_iota /= add0n.
pose L (l : 'I_r) := take (size rows) (drop e (nth (0%nat, [::]) found l).2).
pose delta (l k : 'I_r) : R := if l == k then 1 else 0.
have column_entry j (k : 'I_r) : (j < size rows)%nat ->
    multiple (entry2 rows j (c k) - entry (nth [::] columns k) j).
  move=> jl; rewrite /columns /entry2 /entry (nth_map (0%nat, [::])) ?sf // (nth_map [::]) ?size_map //.
  rewrite /residues (nth_map [::]) //=; move: (nth [::] rows j) (nth _ found k).1 => row ck.
  case: (ltnP ck (size row)) => ckl; first by rewrite (nth_map zero) //; apply: residue_multiple.
  rewrite !nth_default ?size_map // Rminus_diag_eq //; exists 0; [by exists 0%Z | ring].
have left_inverse (l k : 'I_r) : multiple (\sum_(j < size rows) entry (L l) j * entry2 rows j (c k) - delta l k).
  have /allP/(_ k (in_iota k))/divides_multiple := inv l (in_iota l).
  rewrite realB -/(L l) (@dot_rows_real _ _ _ (size rows)); last by rewrite size_take; case: ltnP.
  have -> : real (if (l : nat) == k then one else zero : N) = delta l k.
    by rewrite /delta -val_eqE; case: eqP => _; rewrite ?real1 ?real0.
  move=> H; have -> : \sum_(j < size rows) entry (L l) j * entry2 rows j (c k) - delta l k =
      \sum_(j < size rows) entry (L l) j * (entry2 rows j (c k) - entry (nth [::] columns k) j) +
      (\sum_(j < size rows) entry (L l) j * entry (nth [::] columns k) j - delta l k).
    have shift (a a0 a1 a2 : R) : a = a0 + a1 -> a - a2 = a0 + (a1 - a2) by move=> ->; ring.
    by apply: shift; rewrite -sumD; apply: eq_bigr => j _; ring.
  apply: multiple_add H; apply: multiple_sum => j _; apply: multiple_mul; first exact: integral_real.
  exact: column_entry.
apply: (@modular_independence _ (size rows) (whole p) (fun j k => whole (nth zero (nth [::] rows j) (c k)))).
- by apply: lt_IZR; rewrite -real_whole.
- move=> y Hy l.
  have combined j : (j < size rows)%nat -> multiple (\sum_k entry2 rows j (c k) * IZR (y k)).
    move=> jl; have [m Hm] := Hy j jl; exists (IZR m); first by exists m.
    rewrite (real_whole p) -mult_IZR -Hm; apply: eq_bigr => k _.
    by rewrite /entry2 /entry real_whole.
  suff [z [m ->]] : multiple (IZR (y l)) by rewrite (real_whole p) -mult_IZR => /eq_IZR ->; exists m; ring.
  have -> : IZR (y l) = \sum_(j < size rows) entry (L l) j * (\sum_k entry2 rows j (c k) * IZR (y k)) +
      - (\sum_k IZR (y k) * (\sum_(j < size rows) entry (L l) j * entry2 rows j (c k) - delta l k)).
    have -> : \sum_(j < size rows) entry (L l) j * (\sum_k entry2 rows j (c k) * IZR (y k)) =
              \sum_k IZR (y k) * (\sum_(j < size rows) entry (L l) j * entry2 rows j (c k)).
      rewrite (eq_bigr (fun j : 'I_(size rows) => \sum_k IZR (y k) * (entry (L l) j * entry2 rows j (c k)))).
        by rewrite exchange_big; apply: eq_bigr => k _; rewrite sum_mull.
      by move=> j _; rewrite sum_mull; apply: eq_bigr => k _; ring.
    have cancel (a b d0 : R) : a * b + - (a * (b - d0)) = a * d0 by ring.
    rewrite -sumN -sumD (eq_bigr (fun k => IZR (y k) * delta l k)) => [|k _]; last exact: cancel.
    by rewrite (bigD1 l) //= sum0 => [|k kl]; rewrite /delta ?eqxx; [ring | rewrite eq_sym (negbTE kl); ring].
  apply: multiple_add; last apply: multiple_opp; apply: multiple_sum => j _; apply: multiple_mul.
  + exact: integral_real.
  + exact: combined.
  + by exists (y j).
  + exact: left_inverse.
- move=> j jl; rewrite -[RHS](zero_x j jl); apply: eq_bigr => k _.
  by rewrite /entry2 /entry real_whole; ring.
Qed.
End Modular.
End Elimination.
