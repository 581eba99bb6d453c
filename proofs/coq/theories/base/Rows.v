(* Rows: vectors and matrices as lists of exact numbers, with what they mean as real sums.

   A list stands for the function "entry j, zero beyond the end"; a matrix is a list of rows. Every operation has one
   lemma that states its entries as a real expression. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Number.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Rows.
Variable N : number.
Implicit Types (c : N) (u v z : seq N) (m : seq (seq N)).

(* Entry j of a list, entry (j, k) of a matrix. *)
Definition entry u (j : nat) : R := real (nth zero u j).
Definition entry2 m (j k : nat) : R := entry (nth [::] m j) k.

Lemma entry_over u j : (size u <= j)%nat -> entry u j = 0.
Proof. by move=> H; rewrite /entry nth_default // real0. Qed.

Lemma entry_nil j : entry [::] j = 0.
Proof. by rewrite entry_over. Qed.

(* acc + <u, v> *)
Fixpoint dot_from c u v : N :=
  match u, v with
  | a :: u', b :: v' => dot_from (add c (mul a b)) u' v'
  | _, _ => c
  end.

Definition dot_rows u v : N := dot_from zero u v.

Lemma dot_from_real u : forall c v (d : nat), (size u <= d)%nat ->
  real (dot_from c u v) = real c + \sum_(j < d) entry u j * entry v j.
Proof.
elim: u => [|a u IH] c v d /= sd.
  by rewrite sum0 => [|j _]; rewrite ?entry_nil; ring.
case: v => [|b v] /=; first by rewrite sum0 => [|j _]; rewrite ?entry_nil; ring.
case: d sd => // d sd; rewrite (IH _ _ d) // realD realM big_ord_recl /entry /=; ring.
Qed.

Lemma dot_rows_real u v (d : nat) : (size u <= d)%nat -> real (dot_rows u v) = \sum_(j < d) entry u j * entry v j.
Proof. by move=> sd; rewrite /dot_rows (dot_from_real _ _ sd) real0; ring. Qed.

(* u + c v, as long as the shorter. *)
Fixpoint axpy c u v : seq N :=
  match u, v with
  | a :: u', b :: v' => add a (mul c b) :: axpy c u' v'
  | _, _ => [::]
  end.

Lemma size_axpy c u v : size (axpy c u v) = minn (size u) (size v).
Proof. by elim: u v => [|a u IH] [|b v] //=; rewrite IH minnSS. Qed.

Lemma entry_axpy c u v j : size u = size v -> entry (axpy c u v) j = entry u j + real c * entry v j.
Proof.
elim: u v j => [|a u IH] [|b v] [|j] //=; rewrite ?entry_nil; try by move=> _; ring.
  by move=> _; rewrite /entry /= realD realM.
by case=> s; apply: IH.
Qed.

(* u - v *)
Fixpoint sub_rows u v : seq N :=
  match u, v with
  | a :: u', b :: v' => sub a b :: sub_rows u' v'
  | _, _ => [::]
  end.

Lemma size_sub_rows u v : size (sub_rows u v) = minn (size u) (size v).
Proof. by elim: u v => [|a u IH] [|b v] //=; rewrite IH minnSS. Qed.

Lemma entry_sub_rows u v j : size u = size v -> entry (sub_rows u v) j = entry u j - entry v j.
Proof.
elim: u v j => [|a u IH] [|b v] [|j] //=; rewrite ?entry_nil; try by move=> _; ring.
  by move=> _; rewrite /entry /= realB.
by case=> s; apply: IH.
Qed.

(* m + u z', as many rows as the shorter; rows stay what they are where u is zero. *)
Fixpoint add_outer m u z : seq (seq N) :=
  match m, u with
  | row :: m', c :: u' => (if same c zero then row else axpy c row z) :: add_outer m' u' z
  | _, _ => [::]
  end.

Definition shaped (d e : nat) m : bool := (size m == d) && all (fun row => size row == e) m.

Lemma shaped_row d e m j : shaped d e m -> (j < d)%nat -> size (nth [::] m j) = e.
Proof.
by case/andP=> /eqP sm H jd; apply/eqP; apply: (all_nthP [::] H); rewrite sm.
Qed.

Lemma shaped_add_outer d e m u z : shaped d e m -> size u = d -> size z = e -> shaped d e (add_outer m u z).
Proof.
rewrite /shaped => /andP[/eqP <- H] su sz; apply/andP; split.
  by apply/eqP; elim: m u {H} su => [|row m IH] [|c u] //= [su]; rewrite IH.
elim: m u H su => [|row m IH] [|c u] //= /andP[/eqP sr H] [su].
by case: ifP => _; rewrite ?size_axpy ?sr ?sz ?minnn ?eqxx IH.
Qed.

Lemma entry_add_outer d e m u z j k : shaped d e m -> size u = d -> size z = e ->
  entry2 (add_outer m u z) j k = entry2 m j k + entry u j * entry z k.
Proof.
rewrite /shaped => /andP[/eqP <- H] su sz.
elim: m u H su j => [|row m IH] [|c u] //= H su j.
  by case: j => [|j]; rewrite /entry2 /= !entry_nil; ring.
case/andP: H => /eqP sr H; case: su => su.
case: j => [|j]; last by rewrite /entry2 /=; apply: (IH u H su j).
rewrite /entry2 /=; case: ifP => [/same_real c0 | _]; last by rewrite entry_axpy ?sr.
have -> : entry (c :: u) 0 = 0 by rewrite /entry /= c0 real0.
by rewrite Rmult_0_l Rplus_0_r.
Qed.

(* The entry of a list that alone is not zero, with its place after `place`. *)
Fixpoint single_from (place : nat) u : option (nat * N) :=
  if u is a :: u' then
    if same a zero then single_from place.+1 u'
    else if all (fun b => same b zero) u' then Some (place, a) else None
  else None.

Lemma single_entry u place k c : single_from place u = Some (k, c) ->
  forall j, entry u j = if (place + j == k)%nat then real c else 0.
Proof.
elim: u place => //= a u IH place; case: ifP => [/same_real a0 | _].
  move=> E [|j]; last by rewrite addnS -addSn -(IH _ E j).
  rewrite addn0 {1}/entry /= a0 real0; case: eqP => // pk; move: E; rewrite -pk => E.
  suff /(_ _ _ E): forall v p, single_from p v = Some (place, c) -> (p <= place)%nat by rewrite ltnn.
  elim=> //= b v IHv p; case: ifP => _; first by move/IHv/ltnW.
  by case: ifP => // _ [->].
case: ifP => // zeros [<- <-] [|j]; first by rewrite addn0 eqxx.
have -> : (place + j.+1 == place)%nat = false by rewrite -{2}(addn0 place) eqn_add2l.
case: (ltnP j (size u)) => ju; last by rewrite entry_over.
by rewrite /entry /= (same_real (all_nthP zero zeros _ ju)) real0.
Qed.

(* m z: a column where z has one entry. *)
Definition mat_vec m z : seq N :=
  if single_from 0 z is Some (k, c) then [seq mul (nth zero row k) c | row <- m] else [seq dot_rows row z | row <- m].

Lemma entry_mat_vec d e m z j : shaped d e m -> (j < d)%nat ->
  entry (mat_vec m z) j = \sum_(k < e) entry2 m j k * entry z k.
Proof.
move=> sh jd; have /eqP sm := proj1 (andP sh); have se := shaped_row sh jd; rewrite {1}/entry /mat_vec.
case E: (single_from 0 z) => [[k c]|]; rewrite (nth_map [::]) ?sm //; last by rewrite (@dot_rows_real _ _ e) ?se.
rewrite realM -/(entry (nth [::] m j) k) -/(entry2 m j k).
case: (ltnP k e) => ke; last first.
  rewrite {1}/entry2 entry_over ?se // sum0 => [|i _]; first by ring.
  by rewrite (single_entry E) add0n (ltn_eqF (leq_trans (ltn_ord i) ke)); ring.
rewrite (bigD1 (Ordinal ke)) //= (single_entry E) eqxx big1 ?Rplus_0_r // => i ik.
rewrite (single_entry E) add0n; case: eqP => [e1|_]; last by ring.
by case/eqP: ik; apply: val_inj.
Qed.

Lemma size_mat_vec m z : size (mat_vec m z) = size m.
Proof. by rewrite /mat_vec; case: single_from => [[k c]|]; rewrite size_map. Qed.

(* acc - sum_t c_t row_t, skipping the zero coefficients *)
Fixpoint sub_weighted u (cs : seq N) m : seq N :=
  match cs, m with
  | c :: cs', row :: m' => sub_weighted (if same c zero then u else axpy (opp c) u row) cs' m'
  | _, _ => u
  end.

Lemma sub_weighted_spec d u cs m : size u = d -> all (fun row => size row == d) m -> size cs = size m ->
  size (sub_weighted u cs m) = d /\
  forall j, entry (sub_weighted u cs m) j = entry u j - \sum_(t < size m) entry cs t * entry2 m t j.
Proof.
elim: cs u m => [|c cs IH] u [|row m] //= su.
  by move=> _ _; split=> // j; rewrite big_ord0; ring.
case/andP=> /eqP sr H [sc].
have sa : size (axpy (opp c) u row) = d by rewrite size_axpy su sr minnn.
set u1 := if _ then _ else _.
have su1 : size u1 = d by rewrite /u1; case: ifP.
have [s E] := IH u1 m su1 H sc.
split=> // j; rewrite E big_ord_recl.
have -> : entry u1 j = entry u j - real c * entry row j.
  rewrite /u1; case: ifP => [/same_real -> | _]; first by rewrite real0; ring.
  by rewrite entry_axpy ?su ?sr // realN; ring.
have -> : \sum_(i < size m) entry (c :: cs) (lift ord0 i) * entry2 (row :: m) (lift ord0 i) j =
          \sum_(t < size m) entry cs t * entry2 m t j by apply: eq_bigr.
by rewrite /entry2 /entry /=; ring.
Qed.

Fixpoint sum_from c u : N := if u is a :: u' then sum_from (add c a) u' else c.
Definition sum_row u : N := sum_from zero u.

Lemma sum_row_real u : real (sum_row u) = \sum_(j < size u) entry u j.
Proof.
have H : forall c, real (sum_from c u) = real c + \sum_(j < size u) entry u j.
  elim: u => [|a u IH] c /=; first by rewrite big_ord0; ring.
  by rewrite IH big_ord_recl realD /entry /=; ring.
by rewrite /sum_row H real0; ring.
Qed.

Definition zeros (d : nat) : seq N := nseq d zero.

Lemma entry_zeros d j : entry (zeros d) j = 0.
Proof. by rewrite /entry nth_nseq if_same real0. Qed.

Lemma shaped_zeros d e : shaped d e (nseq d (zeros e)).
Proof.
by rewrite /shaped size_nseq eqxx all_nseq size_nseq eqxx orbT.
Qed.

Lemma entry2_zeros d e j k : entry2 (nseq d (zeros e)) j k = 0.
Proof. by rewrite /entry2 nth_nseq; case: ifP => _; rewrite ?entry_zeros ?entry_nil. Qed.

Definition all_zero m : bool := all (all (fun c => same c zero)) m.

Lemma all_zero_entry m j k : all_zero m -> entry2 m j k = 0.
Proof.
move=> H; rewrite /entry2.
case: (ltnP j (size m)) => jm; last by rewrite nth_default ?entry_nil.
have Hr := all_nthP [::] H _ jm.
case: (ltnP k (size (nth [::] m j))) => km; last by rewrite entry_over.
by rewrite /entry (same_real (all_nthP zero Hr _ km)) real0.
Qed.
End Rows.
