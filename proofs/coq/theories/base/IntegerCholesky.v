(* IntegerCholesky: a Gram matrix of integers factored as s I + L L' with integer L.

   The residual is checked entry by entry while factoring, so nothing is assumed of the divisions and square roots
   that guess L. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Number Rows Entries.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section IntegerCholesky.
Variable N : number.

(* Rows of L are kept with the diagonal entry first: row c is l_cc, l_c(c-1), ..., l_c0. Their type is that of
   Entries.v. *)

(* Entry k of a reversed row. *)
Definition back (r : seq N) (k : nat) : R := if (k < size r)%nat then entry r (size r - k.+1) else 0.

Lemma back_over r k : (size r <= k)%nat -> back r k = 0.
Proof. by rewrite leqNgt /back => /negbTE ->. Qed.

Lemma back_cons l r k : back (l :: r) k = if k == size r then real l else back r k.
Proof.
rewrite /back /= ltnS leq_eqVlt; case: (altP (k =P size r)) => [-> | ne] /=; first by rewrite subnn.
by case: ltnP => // kr; rewrite (subSn kr).
Qed.

Lemma dot_back_from (a b : seq N) c : size a = size b ->
  real (dot_from c a b) = real c + \sum_(k < size a) back a k * back b k.
Proof.
elim: a b c => [|x a IH] [|y b] //= c; first by move=> _; rewrite big_ord0; ring.
case=> sab; rewrite IH // realD realM big_ord_recr /= !back_cons sab eqxx.
have -> : \sum_(k < size b) back (x :: a) k * back (y :: b) k = \sum_(k < size b) back a k * back b k.
  by apply: eq_bigr => k _; rewrite !back_cons sab (ltn_eqF (ltn_ord k)).
by rewrite Rplus_assoc (Rplus_comm (real x * real y)).
Qed.

Section Factor.
Variable E : entries N.
(* With h = 2^hbits, Gram entries are compared with h (s delta + L L'); residuals are at most h rmax. *)
Variables (hbits : Z) (s rmax : N).
Notation h := (shift_up (one : N) hbits).
Notation emax := (mul h rmax).

(* q is the number rounded down to a multiple of h, over h. *)
Definition close (q t : N) : bool := let r := sub q t in le (opp rmax) r && le (add r one) rmax.

Lemma close_real g t : (0 <= hbits)%Z -> close (shift_down g hbits) t -> Rabs (real g - real h * real t) <= real emax.
Proof.
move=> k0 /andP[/le_real lo /le_real hi]; have [down up] := shift_down_real g k0; have P0 := power_gt0 hbits.
move: lo hi down up; rewrite realM realD realN realB shift_up_real // real1 Rmult_1_l.
move: (real (shift_down g hbits)) (power hbits) (real g) (real t) (real rmax) P0 => q P a b e P0 lo hi down up.
by apply: Rabs_le; nra.
Qed.

(* A row of L: its diagonal entry and the others. *)
Notation line := (E * row_type E)%type.
Definition line_values (r : line) : seq N := value r.1 :: row_values r.2.

(* partial: l_c(d-1), ..., l_c0; rows: rows d, d+1, ... of L; gram: Gram entries (c, d), (c, d+1), ... *)
Fixpoint solve_row (partial : row_type E) (rows : seq line) (gram : seq N) : option line :=
  match rows, gram with
  | [::], [:: g] =>
      let acc := dot_entries partial partial in
      let q := shift_down g hbits in
      let l := guess E (root (sub (sub q s) acc)) in
      let v := value l in
      if close q (add s (add acc (mul v v))) then Some (l, partial) else None
  | (pivot, r) :: rows', g :: gram' =>
      let acc := dot_entries partial r in
      let p := value pivot in
      let q := shift_down g hbits in
      let l := guess E (quotient (sub q acc) p) in
      if close q (add acc (mul (value l) p)) then
        solve_row (add_front l partial) rows' gram'
      else None
  | _, _ => None
  end.

Variable gram_row : nat -> seq N.   (* row c of the lower triangle: entries (c, 0), ..., (c, c) *)

Fixpoint factor (n : nat) : option (seq line) :=
  if n is c.+1 then
    if factor c is Some rows then
      if solve_row (empty_row E) rows (gram_row c) is Some row then
        if is_short row.2 then Some (rcons rows row) else None
      else None
    else None
  else Some [::].

Definition line_at (rows : seq line) (c : nat) : seq N := nth [::] [seq line_values r | r <- rows] c.
Definition short_lines (rows : seq line) : bool := all (fun r => is_short r.2) rows.
Definition line_sizes (rows : seq line) : Prop := forall d, (d < size rows)%nat -> size (line_at rows d) = d.+1.

Hypothesis hbits0 : (0 <= hbits)%Z.

(* The dot products on the way are exact because the whole row is short. *)
Lemma solve_row_short partial rows gram row : solve_row partial rows gram = Some row -> is_short row.2 ->
  is_short partial.
Proof.
elim: rows partial gram => [|[pivot r] rows IH] partial [|g gram] //=.
  by case: gram => //; case: ifP => // _ [<-].
by case: ifP => // _ /IH H /H; exact: add_front_short.
Qed.

Lemma solve_row_spec partial all_rows d gram row : line_sizes all_rows -> short_lines all_rows ->
  (d <= size all_rows)%nat -> size (row_values partial) = d ->
  solve_row partial (drop d all_rows) gram = Some row -> is_short row.2 ->
  [/\ size (line_values row) = (size all_rows).+1,
      forall k, (k < d)%nat -> back (line_values row) k = back (row_values partial) k,
      forall e, (d <= e < size all_rows)%nat ->
        Rabs (entry gram (e - d) -
              real h * (\sum_(k < e.+1) back (line_values row) k * back (line_at all_rows e) k)) <= real emax &
      Rabs (entry gram (size all_rows - d) -
            real h * (real s + \sum_(k < (size all_rows).+1) back (line_values row) k * back (line_values row) k))
              <= real emax].
Proof.
move=> sizes shorts.
elim: {d}(size all_rows - d)%nat {-2}d (erefl (size all_rows - d)%nat) partial gram row.
  move=> d Ed partial gram row dl sp.
  have {Ed dl} dE : d = size all_rows by apply/eqP; rewrite eqn_leq dl -subn_eq0 Ed eqxx.
  move: sp; rewrite dE drop_size subnn => sp; case: gram => [|g [|? ?]] //=.
  case: ifP => // /(close_real hbits0) H [<-] hp; rewrite /line_values; split=> /= [|k kd|e|] //.
  - by rewrite sp.
  - by rewrite back_cons sp (ltn_eqF kd).
  - by case/andP=> /leq_ltn_trans H1 /H1; rewrite ltnn.
  rewrite /entry /=; move: H; rewrite !realD (realM (value _)) dot_entries_real ?sp //.
  rewrite /dot_rows dot_back_from // real0 -sp big_ord_recr /= !back_cons eqxx.
  rewrite [X in _ -> Rabs (_ - _ * (_ + (X + _))) <= _](eq_bigr (fun k : 'I_(size (row_values partial)) =>
    back (row_values partial) k * back (row_values partial) k)); first by rewrite Rplus_0_l.
  by move=> k _; rewrite !back_cons (ltn_eqF (ltn_ord k)).
move=> m IH d Ed partial gram row dl sp Hs whole; have hp := solve_row_short Hs whole; move: Hs.
have {}dl : (d < size all_rows)%nat by rewrite -subn_gt0 Ed.
have x0 : line by exact: (nth row all_rows d).
rewrite (drop_nth x0 dl) /=; have := sizes d dl; have := all_nthP x0 shorts d dl.
rewrite /line_at (nth_map x0) //; case Er: (nth x0 all_rows d) => [pivot r] /= hr [sr].
case: gram => [|g gram] //=; case: ifP => // /(close_real hbits0) H Hs.
set l := guess _ _ in H Hs.
have [||size_row prefix res diag] := IH d.+1 _ (add_front l partial) gram row dl _ Hs whole.
- by rewrite subnS Ed.
- by rewrite add_front_values /= sp.
have dr : d == size (row_values r) by rewrite sr.
have row_d : back (line_values row) d = real (value l) by rewrite prefix // add_front_values back_cons sp eqxx.
split=> // [k kd | e /andP[de el] | ].
- by rewrite prefix ?add_front_values ?back_cons ?sp ?(ltn_eqF kd) // (ltn_trans kd).
- case: (ltnP d e) => [lt_de | le_ed].
    have -> : (e - d = (e - d.+1).+1)%nat by rewrite subnS prednK // subn_gt0.
    by have := res e; rewrite lt_de el => /(_ isT).
  have -> : e = d by apply/eqP; rewrite eqn_leq le_ed de.
  rewrite subnn /line_at (nth_map x0) // Er -[line_values (pivot, r)]/(value pivot :: row_values r).
  rewrite /entry big_ord_recr /= [back (_ :: _) d]back_cons [d == _]dr row_d.
  move: H; rewrite realD (realM (value l)) dot_entries_real ?sp ?sr //.
  rewrite /dot_rows dot_back_from ?sp ?sr // real0 Rplus_0_l.
  rewrite [X in _ -> Rabs (_ - _ * (X + _)) <= _](eq_bigr (fun k : 'I_d => back (row_values partial) k *
    back (row_values r) k)).
    by [].
  move=> k _; rewrite back_cons sr (ltn_eqF (ltn_ord k)) prefix ?add_front_values ?back_cons ?sp
    ?(ltn_eqF (ltn_ord k)) //.
  exact: ltn_trans (ltn_ord k) _.
have -> : (size all_rows - d = (size all_rows - d.+1).+1)%nat by rewrite subnS prednK // subn_gt0.
exact: diag.
Qed.

Lemma factor_spec n rows : factor n = Some rows ->
  [/\ size rows = n, line_sizes rows &
      forall c e, (e <= c < n)%nat ->
        Rabs (entry (gram_row c) e - real h * ((if c == e then real s else 0) +
              \sum_(k < n) back (line_at rows c) k * back (line_at rows e) k)) <= real emax].
Proof.
suff H m old : (m <= n)%nat -> factor m = Some old ->
    [/\ size old = m, line_sizes old, short_lines old &
      forall c e, (e <= c < m)%nat ->
        Rabs (entry (gram_row c) e - real h * ((if c == e then real s else 0) +
              \sum_(k < m) back (line_at old c) k * back (line_at old e) k)) <= real emax].
  by move=> /(H n _ (leqnn n))[].
elim: m old => [|m IH] new /=; first by move=> _ [<-]; split=> // c e; rewrite andbF.
move=> mn; case: (factor m) IH => // old /(_ old (ltnW mn) erefl) [sold sizes shorts res].
case Er: (solve_row _ _ _) => [row|] //; case: ifP => // hr [<-].
have [|||sr _ below diag] := @solve_row_spec (empty_row E) old 0 (gram_row m) row sizes shorts (leq0n _).
- by rewrite empty_row_values.
- by rewrite drop0.
- exact: hr.
rewrite sold in sr below diag; rewrite !subn0 in diag.
have line_rcons c : line_at (rcons old row) c = if (c < m)%nat then line_at old c else if c ==
  m then line_values row else [::].
  by rewrite /line_at map_rcons nth_rcons size_map sold.
split=> [|d||c e /andP[ec]]; first by rewrite size_rcons sold.
- rewrite size_rcons sold line_rcons ltnS leq_eqVlt.
  by case/orP=> [/eqP -> | dn]; [rewrite ltnn eqxx sr | rewrite dn; apply: sizes; rewrite sold].
- by rewrite /short_lines all_rcons hr.
have longer (r r' : seq N) (k0 : nat) : (size r' <= k0)%nat -> (k0 <= m.+1)%nat ->
    \sum_(k < m.+1) back r k * back r' k = \sum_(k < k0) back r k * back r' k.
  move=> r'm mk; rewrite (big_ord_widen m.+1 (fun k => back r k * back r' k) mk) [RHS]big_mkcond.
  by apply: eq_bigr => k _; case: ltnP => // k0k; rewrite (@back_over r') ?Rmult_0_r // (leq_trans r'm).
rewrite !line_rcons ltnS leq_eqVlt => /orP[/eqP cn | cn].
  rewrite cn ltnn eqxx; case: (ltnP e m) => en.
    rewrite [m == e]eq_sym (ltn_eqF en) Rplus_0_l (longer _ _ e.+1) ?sizes ?sold //; last exact: ltnW.
    by have := below e; rewrite subn0 en /= => /(_ isT).
  have -> : e = m by apply/eqP; rewrite eqn_leq en andbT -cn.
  by rewrite !eqxx.
rewrite cn (leq_ltn_trans ec cn).
rewrite (longer _ _ m) ?sizes ?sold ?(leq_ltn_trans ec cn) //.
by apply: res; rewrite ec.
Qed.
End Factor.
End IntegerCholesky.
