(* NuclearDerivative: the derivative of the equations of a solution in the nuclear norm (NuclearEquations.v), as a
   matrix over one denominator, and a verified lower bound of how it stretches.

   The unknowns are listed as K row by row, Q row by row, the active constraints and the pairs of columns; the order
   does not matter. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection NormDuality NearbyRoot MatrixProducts NuclearEquations NuclearMatrix Number
                           Rows Entries TokenData Claims Enclosure MarginChecks OptimalityChecks GramBound RankChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* An entry of K or Q, by column and row; a constraint, by group and token; a pair of columns. *)
Definition unknown_code : Type := ((nat * nat) + (nat * nat)) + ((nat * nat) + (nat * nat)).

Lemma sum_iota n (F : nat -> R) : \sum_(i <- iota 0 n) F i = \sum_(i < n) F i.
Proof. by rewrite -{1}(subn0 n) -/(index_iota 0 n) big_mkord. Qed.

(* The Gram matrix of the first n columns of a matrix. *)
Lemma columns_stretch (N : number) (m : seq (seq N)) unit n quick hints q :
  data_ok (column_data m unit (iota 0 n)) ->
  gram_check quick (column_data m unit (iota 0 n)) [:: 0%nat] (column_mask (iota 0 n)) hints q ->
  forall x : nat -> R, fraction_real q * (\sum_(i < n) x i * x i) <=
    \sum_(j < size m) Rsqr (\sum_(i < n) x i * (entry2 m j i / real unit)).
Proof.
move=> Cok gram x.
have indices (F : nat -> R) : \sum_(k < size (iota 0 n)) F (nth 0%nat (iota 0 n) k) = \sum_(i < n) F i.
  by rewrite -sum_iota (big_nth 0%nat) big_mkord.
have := column_gram Cok gram (fun k => x (nth 0%nat (iota 0 n) k)); rewrite (indices (fun i => x i * x i)) => H.
apply: Rle_trans H _; right; apply: eq_bigr => j _.
by rewrite /combine (indices (fun i => x i * (entry2 m j i / real unit))).
Qed.

Section Derivative.
Variables (N : number) (D : token_data N) (picks : seq nat) (mask : seq (seq bool)) (v : vector N).
Variables (r : nat) (left right : seq (seq N)) (left_unit right_unit : N).
Notation d := (left_dimension D).
Notation e := (right_dimension D).

Definition column_pairs : seq (nat * nat) := [seq (i, j) | i <- iota 0 r, j <- iota i.+1 (r - i.+1)].

Definition unknown_codes : seq unknown_code :=
  [seq inl (inl (i, j)) | j <- iota 0 d, i <- iota 0 r] ++ [seq inl (inr (i, k)) | k <- iota 0 e, i <- iota 0 r] ++
  [seq inr (inl it) | it <- listed_places D mask] ++ [seq inr (inr p) | p <- column_pairs].

Definition derivative_unit : N := mul (weight_unit D v) (mul left_unit right_unit).

Definition at_entry (m : seq (seq N)) (j k : nat) : N := nth zero (nth [::] m j) k.

Section Cells.
Variable weights : seq (seq N).   (* of v *)

Definition dual_cell (i i' j k : nat) : N :=
  if eqn i i' then opp (mul (at_entry weights j k) (mul left_unit right_unit)) else zero.
Definition left_cell (it : nat * nat) (i j : nat) : N :=
  opp (mul (mul (nth zero (difference D picks it) j) (dot_rows (query D it) (column_of right i)))
           (mul (denominator v) left_unit)).
Definition right_cell (it : nat * nat) (i k : nat) : N :=
  opp (mul (mul (nth zero (query D it) k) (dot_rows (difference D picks it) (column_of left i)))
           (mul (denominator v) right_unit)).
Definition turn_cell (m : seq (seq N)) (share : N) (p : nat * nat) (i j : nat) : N :=
  mul (sub (if eqn i p.2 then at_entry m j p.1 else zero) (if eqn i p.1 then at_entry m j p.2 else zero)) share.
Definition left_turn := turn_cell left (mul (weight_unit D v) right_unit).
Definition right_turn := turn_cell right (mul (weight_unit D v) left_unit).
Definition unit_cell (i i' j j' : nat) : N := if eqn i i' && eqn j j' then derivative_unit else zero.

Definition cell (x y : unknown_code) : N :=
  match x, y with
  | inl (inl (i, j)), inl (inl (i', j')) => unit_cell i i' j j'
  | inl (inr (i, k)), inl (inr (i', k')) => unit_cell i i' k k'
  | inl (inl (i, j)), inl (inr (i', k)) => dual_cell i i' j k
  | inl (inr (i, k)), inl (inl (i', j)) => dual_cell i i' j k
  | inl (inl (i, j)), inr (inl it) | inr (inl it), inl (inl (i, j)) => left_cell it i j
  | inl (inr (i, k)), inr (inl it) | inr (inl it), inl (inr (i, k)) => right_cell it i k
  | inl (inl (i, j)), inr (inr p) | inr (inr p), inl (inl (i, j)) => left_turn p i j
  | inl (inr (i, k)), inr (inr p) | inr (inr p), inl (inr (i, k)) => right_turn p i k
  | inr _, inr _ => zero
  end.
End Cells.

Definition derivative_rows : seq (seq N) :=
  let codes := unknown_codes in
  let m := weights D picks v in
  [seq [seq cell m x y | y <- codes] | x <- codes].

(* ---- what they mean ---- *)

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks) (vok : vector_ok D picks v).
Hypotheses (shl : shaped d r left) (shr : shaped e r right).
Hypotheses (l0 : 0 < real left_unit) (r0 : 0 < real right_unit).
Let alpha : selection (problem D) := selection_of Pok.
Notation token := (token (problem D)).
Notation listed := (in_mask mask : pred token).
Notation dx := (real (token_unit D)).
Notation dz := (real (query_unit D)).

Definition pair_before (p : 'I_r * 'I_r) : bool := (p.1 < p.2)%nat.
Definition active_index : finType := [finType of 'I_#|listed|].
Definition pair_index : finType := [finType of 'I_#|pair_before|].
Definition active_token (c : active_index) : token := enum_val c.
Definition low_column (p : pair_index) : 'I_r := (enum_val p).1.
Definition high_column (p : pair_index) : 'I_r := (enum_val p).2.
Definition active_rows (c : active_index) : vec [finType of 'I_d * 'I_e] := Delta alpha (active_token c).
Definition active_multiplier (c : active_index) : R := coefficient_of v (active_token c).
Definition left_columns (i : 'I_r) : vec [finType of 'I_d] := fun j => entry2 left j i / real left_unit.
Definition right_columns (i : 'I_r) : vec [finType of 'I_e] := fun k => entry2 right k i / real right_unit.

Hypothesis listed_all : forall t : token, ~~ in_mask mask t -> coefficient_of v t = 0.

Lemma pairs_complete (a b : 'I_r) : (a < b)%nat -> exists p, low_column p = a /\ high_column p = b.
Proof.
move=> ab; have H : (a, b) \in pair_before by [].
by exists (enum_rank_in H (a, b)); rewrite /low_column /high_column enum_rankK_in.
Qed.

Lemma blend_active : blend active_rows active_multiplier = W alpha (coefficient_of v).
Proof.
rewrite /W (combine_constraints Pok); apply: vec_ext => x.
rewrite /blend /combine [RHS](bigID listed) /= [X in _ + X]big1 => [|t nt]; last by rewrite listed_all //; ring.
by rewrite Rplus_0_r [RHS]big_enum_val.
Qed.

Notation unknown := (unknown [finType of 'I_d] [finType of 'I_e] active_index pair_index r).

Definition code_of (u : unknown) : unknown_code :=
  match u with
  | inl (inl (i, j)) => inl (inl (i : nat, j : nat))
  | inl (inr (i, k)) => inl (inr (i : nat, k : nat))
  | inr (inl c) => inr (inl (pair_of (active_token c)))
  | inr (inr p) => inr (inr (low_column p : nat, high_column p : nat))
  end.

Lemma code_injective : injective code_of.
Proof.
move=> [[[i j] | [i k]] | [c | p]] [[[i' j'] | [i' k']] | [c' | p']] //=; case.
- by move=> /val_inj -> /val_inj ->.
- by move=> /val_inj -> /val_inj ->.
- by move=> g t; congr (inr (inl _)); apply: enum_val_inj; apply: pair_of_inj; congr (_, _).
move=> /val_inj lo /val_inj hi; congr (inr (inr _)); apply: enum_val_inj.
by move: lo hi; rewrite /low_column /high_column; case: (enum_val p) (enum_val p') => [a b] [a' b'] /= -> ->.
Qed.

Lemma sum_places (F : nat * nat -> R) : \sum_(it <- listed_places D mask) F it = \sum_(t | listed t) F (pair_of t).
Proof.
rewrite listed_places_all big_allpairs_dep /= sum_iota [RHS]big_mkcond (@sum_tokens N D).
apply: eq_bigr => i _; rewrite big_filter big_mkcond sum_iota; apply: eq_bigr => s _.
by rewrite /in_mask /at_token.
Qed.

Lemma sum_pairs (F : nat * nat -> R) :
  \sum_(p <- column_pairs) F p = \sum_p F (low_column p : nat, high_column p : nat).
Proof.
rewrite /column_pairs big_allpairs_dep /= sum_iota.
transitivity (\sum_(p | pair_before p) F (p.1 : nat, p.2 : nat)); last by rewrite big_enum_val.
rewrite [RHS]big_mkcond -(pair_bigA _ (fun a b : 'I_r => if pair_before (a, b) then F (a : nat, b : nat) else 0)) /=.
apply: eq_bigr => i _; rewrite -/(index_iota i.+1 r) (big_nat_widenl _ 0) //.
by rewrite big_mkord big_mkcond; apply: eq_bigr => j _.
Qed.

Lemma sum_codes (F : unknown_code -> R) : \sum_(x <- unknown_codes) F x = \sum_u F (code_of u).
Proof.
rewrite sum_unknowns /unknown_codes !big_cat /= !big_map 2!big_allpairs_dep /= !sum_iota -!Rplus_assoc.
congr (_ + _ + _ + _).
- by rewrite [RHS]exchange_big; apply: eq_bigr => j _; exact: sum_iota.
- by rewrite [RHS]exchange_big; apply: eq_bigr => j _; exact: sum_iota.
- by rewrite sum_places big_enum_val.
exact: sum_pairs.
Qed.

(* ---- the entries ---- *)

Notation unit_real := (real derivative_unit).

Lemma derivative_unit_real : unit_real = real (denominator v) * (dx * dz) * (real left_unit * real right_unit).
Proof. by rewrite /derivative_unit !realM. Qed.

Lemma derivative_unit_gt0 : 0 < unit_real.
Proof.
rewrite derivative_unit_real -weight_unit_real; apply: Rmult_lt_0_compat. exact (weight_unit_gt0 Dok vok).
exact: Rmult_lt_0_compat.
Qed.

Lemma entry_column n (m : seq (seq N)) i k : shaped n r m -> (k < n)%nat -> entry (column_of m i) k = entry2 m k i.
Proof. by case/andP=> /eqP sm _ kn; rewrite /column_of /entry2 /entry (nth_map [::]) ?sm. Qed.

Lemma dual_cell_real (i i' : 'I_r) (j : 'I_d) (k : 'I_e) :
  real (dual_cell (weights D picks v) i i' j k) / unit_real =
  @unit_vector [finType of 'I_r] i' i * - blend active_rows active_multiplier (j, k).
Proof.
rewrite blend_active -(weights_real Dok Pok vok) /matrix_real /dual_cell eqnE /unit_vector -val_eqE /=.
rewrite derivative_unit_real weight_unit_real /at_entry -/(entry _ _) -/(entry2 _ _ _).
have v0 := denominator_gt0 vok; have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
case: eqP => _; rewrite ?real0 ?realN ?realM -/(entry (nth [::] (weights D picks v) j) k) -/(entry2 _ _ _).
  by field; repeat split; lra.
by field; repeat split; lra.
Qed.

Lemma left_cell_real (c : active_index) (i : 'I_r) (j : 'I_d) :
  real (left_cell (pair_of (active_token c)) i j) / unit_real =
  - matrix_vector (active_rows c) (right_columns i) j.
Proof.
have v0 := denominator_gt0 vok; have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
rewrite derivative_unit_real /left_cell realN !realM (@dot_rows_real _ _ _ e) ?(size_query Dok) //.
rewrite -/(entry (difference D picks (pair_of (active_token c))) j).
have -> : matrix_vector (active_rows c) (right_columns i) j =
    entry (difference D picks (pair_of (active_token c))) j *
    (\sum_(k < e) entry (query D (pair_of (active_token c))) k * entry (column_of right i) k) /
    (dx * dz * real right_unit).
  rewrite /matrix_vector /active_rows (Delta_outer Dok) sum_mull /Rdiv sum_mulr; apply: eq_bigr => k _.
  rewrite (entry_column _ shr) // /outer /right_columns /=; field; lra.
by field; repeat split; lra.
Qed.

Lemma right_cell_real (c : active_index) (i : 'I_r) (k : 'I_e) :
  real (right_cell (pair_of (active_token c)) i k) / unit_real =
  - matrix_back (active_rows c) (left_columns i) k.
Proof.
have v0 := denominator_gt0 vok; have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
rewrite derivative_unit_real /right_cell realN !realM (@dot_rows_real _ _ _ d) ?(size_difference Dok Pok) //.
rewrite -/(entry (query D (pair_of (active_token c))) k).
have -> : matrix_back (active_rows c) (left_columns i) k =
    entry (query D (pair_of (active_token c))) k *
    (\sum_(j < d) entry (difference D picks (pair_of (active_token c))) j * entry (column_of left i) j) /
    (dx * dz * real left_unit).
  rewrite /matrix_back /active_rows (Delta_outer Dok) sum_mull /Rdiv sum_mulr; apply: eq_bigr => j _.
  rewrite (entry_column _ shl) // /outer /left_columns /=; field; lra.
by field; repeat split; lra.
Qed.

Lemma turn_cell_real n (m : seq (seq N)) (share unit : N) (p : pair_index) (i : 'I_r) (j : 'I_n) :
  real share * real unit = unit_real -> 0 < real unit ->
  real (turn_cell m share (low_column p : nat, high_column p : nat) i j) / unit_real =
  turn low_column high_column (fun (a : 'I_r) => (fun j => entry2 m j a / real unit) : vec [finType of 'I_n]) p i j.
Proof.
move=> E u0; have V0 := derivative_unit_gt0; rewrite /turn_cell realM realB /= /turn /vsub /vscale /unit_vector !eqnE.
rewrite -E in V0 *; have s0 : 0 < real share by apply: (Rmult_lt_reg_r (real unit)) => //; lra.
rewrite -!val_eqE /=.
by do 2 case: eqP => _; rewrite ?real0 /at_entry -?/(entry _ _) -?/(entry2 _ _ _); field; split; lra.
Qed.

Notation derivative_entry :=
  (derivative_entry low_column high_column active_rows left_columns right_columns active_multiplier).

Lemma cell_real (x y : unknown) :
  real (cell (weights D picks v) (code_of x) (code_of y)) / unit_real = derivative_entry x y.
Proof.
have V0 := derivative_unit_gt0.
have same n (i i' : 'I_r) (j j' : 'I_n) : real (unit_cell i i' j j') / unit_real =
    @unit_vector [finType of 'I_r] i' i * @unit_vector [finType of 'I_n] j' j.
  rewrite /unit_cell !eqnE /unit_vector -!val_eqE /=.
  by do 2 case: eqP => _ //=; rewrite ?real0; field; lra.
have left_share : real (mul (weight_unit D v) right_unit) * real left_unit = unit_real.
  by rewrite /derivative_unit !realM; ring.
have right_share : real (mul (weight_unit D v) left_unit) * real right_unit = unit_real.
  by rewrite /derivative_unit !realM; ring.
case: x y => [[[i j] | [i k]] | [c | p]] [[[i' j'] | [i' k']] | [c' | p']] /=; try exact: same;
  try exact: dual_cell_real; try exact: left_cell_real; try exact: right_cell_real;
  try exact: turn_cell_real; by rewrite real0 /Rdiv Rmult_0_l.
Qed.

(* ---- how it stretches ---- *)

Definition derivative_data : token_data N := column_data derivative_rows derivative_unit (iota 0 (size unknown_codes)).
Definition derivative_mask : seq (seq bool) := column_mask (iota 0 (size unknown_codes)).

Theorem derivative_stretches quick hints q : data_ok derivative_data ->
  gram_check quick derivative_data [:: 0%nat] derivative_mask hints q ->
  forall h : vec unknown, fraction_real q * vnorm2 h <=
    vnorm2 (derivative low_column high_column active_rows left_columns right_columns active_multiplier h).
Proof.
move=> Cok gram h; set n := size unknown_codes.
pose value (x : unknown_code) : R := if [pick u | code_of u == x] is Some u then h u else 0.
have valueE u : value (code_of u) = h u.
  rewrite /value; case: pickP => [w /eqP /code_injective -> // | /(_ u)]; by rewrite eqxx.
pose x0 : unknown_code := inl (inl (0%nat, 0%nat)).
have at_ordinals (F : unknown_code -> R) : \sum_(i < n) F (nth x0 unknown_codes i) = \sum_u F (code_of u).
  by rewrite -sum_codes (big_nth x0) big_mkord.
have := columns_stretch Cok gram (fun k => value (nth x0 unknown_codes k)).
rewrite (at_ordinals (fun x => value x * value x)).
have -> : \sum_u value (code_of u) * value (code_of u) = vnorm2 h by apply: eq_bigr => u _; rewrite valueE.
move=> H; apply: Rle_trans H _; right.
pose image (x : unknown_code) : R := \sum_u h u * (real (cell (weights D picks v) x (code_of u)) / unit_real).
have sm : size derivative_rows = n by rewrite size_map.
transitivity (\sum_(j < size derivative_rows) image (nth x0 unknown_codes j) * image (nth x0 unknown_codes j)).
  apply: eq_bigr => j _; rewrite /Rsqr; have jn : (j < n)%nat by rewrite -sm.
  suff -> : \sum_(i < n) value (nth x0 unknown_codes i) * (entry2 derivative_rows j i / unit_real) =
      image (nth x0 unknown_codes j) by [].
  rewrite (eq_bigr (fun i : 'I_n => value (nth x0 unknown_codes i) *
    (real (cell (weights D picks v) (nth x0 unknown_codes j) (nth x0 unknown_codes i)) / unit_real))) => [|i _].
    rewrite (at_ordinals (fun x => value x * (real (cell (weights D picks v) (nth x0 unknown_codes j) x) / unit_real))).
    by apply: eq_bigr => u _; rewrite valueE.
  by rewrite /entry2 /entry /derivative_rows (nth_map x0) // (nth_map x0).
rewrite sm (at_ordinals (fun x => image x * image x)); apply: eq_bigr => u _.
have -> : image (code_of u) =
    derivative low_column high_column active_rows left_columns right_columns active_multiplier h u; last by [].
by rewrite derivative_coefficients; apply: eq_bigr => w _; rewrite cell_real Rmult_comm.
Qed.
End Derivative.
