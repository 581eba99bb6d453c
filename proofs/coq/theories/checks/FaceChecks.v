(* FaceChecks: that a few entries tell all solutions in l_1 or l_infinity from each other. What two of them differ by
   is 0 at the entries that are settled, and at it the rows with multipliers are 0: when these rows have independent
   columns at all other entries but the few, modulo an integer, it is 0. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection SolutionFace Number Rows Entries TokenData Claims MarginChecks
                           OptimalityChecks GramBound EnclosureChecks Elimination RankChecks NormChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section FaceChecks.
Variables (N : number) (D : token_data N) (picks : seq nat).
Implicit Types (v : vector N) (p : nat * nat) (entries : seq (nat * nat)).

(* All entries, row by row. *)
Definition matrix_places : seq (nat * nat) :=
  [seq (j, k) | j <- iota 0 (left_dimension D), k <- iota 0 (right_dimension D)].
Definition at_place (rows : seq (seq N)) p : N := nth zero (nth [::] rows p.1) p.2.

(* The tokens with a positive numerator. *)
Definition positive v : seq (seq bool) := map_rows (fun a => lt zero a) (numerators v).

Definition equals (a b : N) : bool := le a b && le b a.

Lemma equals_real a b : equals a b -> real a = real b.
Proof. by case/andP=> /le_real ab /le_real ba; lra. Qed.

Lemma not_equals_real a b : ~~ equals a b -> real a <> real b.
Proof. by rewrite negb_and => /orP[] /not_le_real; lra. Qed.

(* Solutions may differ where this is the entry of the multipliers' combination, over a unit. *)
Definition is_free (norm : entrywise_norm) (unit : N) (bound : fraction N) (x : N) : bool :=
  match norm with
  | SumNorm => fraction_le bound (magnitude x) unit
  | MaxNorm => equals x zero
  | PowerNorm _ _ => true
  end.

Section Multipliers.
Variables (norm : entrywise_norm) (v : vector N) (bound : fraction N).

Definition is_free_in (rows : seq (seq N)) p : bool := is_free norm (weight_unit D v) bound (at_place rows p).
Definition free_but entries : seq (nat * nat) :=
  let rows := weights D picks v in [seq p <- matrix_places | is_free_in rows p && (p \notin entries)].
Definition row_at (ps : seq (nat * nat)) (it : nat * nat) : seq N :=
  let x := difference D picks it in
  let z := query D it in [seq mul (nth zero x p.1) (nth zero z p.2) | p <- ps].

Definition determined_check (modulus : N) entries : bool :=
  let rest := free_but entries in
  let tight := listed_places D (positive v) in
  (size rest <= size tight)%nat &&
    modular_rank_check modulus (size rest) (size rest) [seq row_at rest it | it <- tight].

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Let d := left_dimension D.
Let e := right_dimension D.
Variable w : vec [finType of 'I_d * 'I_e].
Notation place jk := ((jk : 'I_d * 'I_e).1 : nat, jk.2 : nat).

(* w at a place, as far as there is one. *)
Let extended p : R :=
  if (insub p.1 : option 'I_d) is Some j then if (insub p.2 : option 'I_e) is Some k then w (j, k) else 0 else 0.

Let extendedE (jk : 'I_d * 'I_e) : extended (place jk) = w jk.
Proof. by case: jk => j k; rewrite /extended /= !valK. Qed.

Let sum_places (F : nat * nat -> R) : \sum_(p <- matrix_places) F p = \sum_(j < d) \sum_(k < e) F (j : nat, k : nat).
Proof.
have iotaE n : iota 0 n = index_iota 0 n by rewrite /index_iota subn0.
by rewrite /matrix_places big_allpairs iotaE big_mkord; apply: eq_bigr => j _; rewrite iotaE big_mkord.
Qed.

Let listed_place it : it \in listed_places D (positive v) ->
  exists t : token (problem D), in_mask (positive v) t /\ pair_of t = it.
Proof.
rewrite listed_places_all => /allpairsPdep[i [s [ii]]]; rewrite mem_iota /= add0n in ii.
rewrite mem_filter mem_iota /= add0n => /andP[it_s sl] ->.
by exists (@token_of N D (Ordinal ii) (Ordinal sl)).
Qed.

(* <Delta_t, w> up to its units. *)
Let row_product (t : token (problem D)) : dot (Delta alpha t) w = 0 ->
  \sum_(p <- matrix_places) extended p *
    (entry (difference D picks (pair_of t)) p.1 * entry (query D (pair_of t)) p.2) = 0.
Proof.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
rewrite (Delta_outer Dok Pok) => zero.
apply: (Rmult_eq_reg_l (/ real (token_unit D) * / real (query_unit D))); last first.
  by apply: Rmult_integral_contrapositive; split; apply: Rinv_neq_0_compat; lra.
rewrite Rmult_0_r -[RHS]zero sum_places /dot sum_mull.
rewrite [RHS](eq_bigr (fun jk => outer
  (fun j : 'I_d => / real (token_unit D) * entry (difference D picks (pair_of t)) j)
  (fun k : 'I_e => / real (query_unit D) * entry (query D (pair_of t)) k) (jk.1, jk.2) * w (jk.1, jk.2))); last by case.
rewrite -(pair_bigA _ (fun j k => outer (fun j : 'I_d => / real (token_unit D) *
  entry (difference D picks (pair_of t)) j) (fun k : 'I_e => / real (query_unit D) *
  entry (query D (pair_of t)) k) (j, k) * w (j, k))) /=.
apply: eq_bigr => j _; rewrite sum_mull; apply: eq_bigr => k _.
by rewrite -(extendedE (j, k)) /outer /=; ring.
Qed.

Theorem determined_sound modulus entries : determined_check modulus entries ->
  (forall t, in_mask (positive v) t -> dot (Delta alpha t) w = 0) ->
  (forall jk, ~~ is_free_in (weights D picks v) (place jk) -> w jk = 0) ->
  (forall jk, place jk \in entries -> w jk = 0) -> forall jk, w jk = 0.
Proof.
case/andP=> _; rewrite /free_but.
set keep := fun p => is_free_in _ p && _; set rest := [seq p <- matrix_places | keep p] => check rows settled listed0.
have off (jk : 'I_d * 'I_e) : ~~ keep (place jk) -> w jk = 0.
  by rewrite negb_and negbK => /orP[/settled | /listed0].
have in_places (jk : 'I_d * 'I_e) : place jk \in matrix_places.
  by apply/allpairsP; exists (place jk); rewrite !mem_iota /= !add0n !ltn_ord.
set columns := [seq row_at rest it | it <- _] in check.
have zero : forall l : 'I_(size rest), extended (nth (0%nat, 0%nat) rest l) = 0.
  apply: (all_independent (n := size columns) (rows := fun i l => entry2 columns i l)).
    exact: modular_rank_check_sound check.
  move=> i; rewrite size_map => il.
  have [t [it E]] := listed_place (mem_nth (0%nat, 0%nat) il).
  pose F p := extended p * (entry (difference D picks (pair_of t)) p.1 * entry (query D (pair_of t)) p.2).
  rewrite (eq_bigr (fun l : 'I_(size rest) => F (nth (0%nat, 0%nat) rest l))) => [|l _]; last first.
    by rewrite /columns /entry2 /entry (nth_map (0%nat, 0%nat)) // (nth_map (0%nat, 0%nat)) // realM -E.
  have -> : \sum_(l < size rest) F (nth (0%nat, 0%nat) rest l) = \sum_(p <- rest) F p.
    by rewrite (big_nth (0%nat, 0%nat)) big_mkord.
  rewrite big_filter big_mkcond -[RHS](row_product (rows t it)) !sum_places.
  apply: eq_bigr => j _; apply: eq_bigr => k _; rewrite /= -/(place (j, k)) /F.
  case: ifP => // /negbT/(off (j, k)) zero; rewrite (extendedE (j, k)) zero; ring.
move=> jk; case: (boolP (keep (place jk))) => [kept | /off //].
have inside : place jk \in rest by rewrite mem_filter kept in_places.
have il : (index (place jk) rest < size rest)%nat by rewrite index_mem.
by have := zero (Ordinal il); rewrite /= nth_index // extendedE.
Qed.
End Multipliers.
End FaceChecks.
