(* TokenData: the selection problem of concrete token data, and the exact list computations about it.

   Token data are lists of integers with common denominators: per sequence the token rows x_it, the query row z_i, the
   scores g_it and how often each token stands there. problem D is the real selection problem they stand for (features
   x_it z_i'); weights_matrix and margins are the computations of the checker, with the lemmas that say what they
   compute. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Number Rows.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section TokenData.
Variable N : number.

Record sequence := Sequence {
  token_rows : seq (seq N);      (* T_i rows of length d *)
  query_row : seq N;             (* length e *)
  score_row : seq N;             (* T_i *)
  count_row : seq N              (* T_i: how often each token stands in the sequence *)
}.

Record token_data := TokenData {
  left_dimension : nat;          (* d *)
  right_dimension : nat;         (* e; 1 for prompts, whose query is the number 1 *)
  token_unit : N;                (* x_it is its row divided by this *)
  query_unit : N;
  score_unit : N;
  sequences : seq sequence
}.

Definition no_sequence := Sequence [::] [::] [::] [::].

Definition counts_ok (q : sequence) : bool :=
  (size (count_row q) == size (token_rows q)) && all (lt zero) (count_row q).

Definition sequence_ok (d e : nat) (q : sequence) : bool :=
  [&& all (fun row => size row == d) (token_rows q), size (query_row q) == e,
      size (score_row q) == size (token_rows q) & counts_ok q].

Definition data_ok (D : token_data) : bool :=
  [&& lt zero (token_unit D), lt zero (query_unit D), lt zero (score_unit D) &
      all (sequence_ok (left_dimension D) (right_dimension D)) (sequences D)].

(* ---- the real problem ---- *)

Section Problem.
Variable D : token_data.

Definition sequence_at (i : nat) : sequence := nth no_sequence (sequences D) i.
Definition length_of (i : nat) : nat := size (token_rows (sequence_at i)).
Definition data_group := [finType of 'I_(size (sequences D))].
Definition data_token := [finType of {i : data_group & 'I_(length_of i)}].

Definition x (t : data_token) : vec [finType of 'I_(left_dimension D)] :=
  fun j => entry2 (token_rows (sequence_at (tag t))) (tagged t) j / real (token_unit D).
Definition z (i : data_group) : vec [finType of 'I_(right_dimension D)] :=
  fun k => entry (query_row (sequence_at i)) k / real (query_unit D).
Definition g (t : data_token) : R := entry (score_row (sequence_at (tag t))) (tagged t) / real (score_unit D).

Definition count_value (t : data_token) : R := entry (count_row (sequence_at (tag t))) (tagged t).

(* The count, which is positive in data that is data_ok (multiplicity_count). *)
Definition times (t : data_token) : R := if Rlt_dec 0 (count_value t) then count_value t else 1.

Lemma times_gt0 t : 0 < times t.
Proof. by rewrite /times; case: Rlt_dec => //= _; lra. Qed.

Definition problem : selection_problem :=
  @SelectionProblem [finType of 'I_(left_dimension D) * 'I_(right_dimension D)] data_group data_token
    (fun t => tag t) (fun t => outer (x t) (z (tag t))) g times times_gt0
    (@mean_weight data_group) (@mean_weight_gt0 data_group).

Definition token_of (i : data_group) (s : 'I_(length_of i)) : data_token :=
  Tagged (fun i : data_group => 'I_(length_of i)) s.

(* ---- selections given as lists of token indices ---- *)

Definition selects (alpha : selection problem) (picks : seq nat) : Prop :=
  size picks = size (sequences D) /\
  forall i : data_group, (tagged (alpha i : data_token) : nat) = nth 0%nat picks i.

Definition picks_ok (picks : seq nat) : bool :=
  (size picks == size (sequences D)) &&
  all (fun pq => (pq.1 < size (token_rows pq.2))%nat) (zip picks (sequences D)).

Lemma picks_lt picks (i : data_group) : picks_ok picks -> (nth 0%nat picks i < length_of i)%nat.
Proof.
case/andP=> /eqP sp H; have := all_nthP (0%nat, no_sequence) H i.
rewrite size_zip sp minnn nth_zip //; apply; exact: ltn_ord.
Qed.

Definition pick_token (picks : seq nat) (H : picks_ok picks) (i : data_group) : token problem :=
  token_of (Ordinal (picks_lt i H)).

Definition selection_of (picks : seq nat) (H : picks_ok picks) : selection problem :=
  @Selection.Selection problem (pick_token H) (fun i => erefl i).

Lemma selection_of_selects picks (H : picks_ok picks) : selects (selection_of H) picks.
Proof. by split=> [|i]; [case/andP: H => /eqP | ]. Qed.

(* ---- sums over tokens are sums over sequences and positions ---- *)

Lemma sum_tokens (F : data_token -> R) :
  \sum_(t : data_token) F t = \sum_(i : data_group) \sum_(s : 'I_(length_of i)) F (token_of s).
Proof.
rewrite (@sig_big_dep _ _ _ _ _ xpredT (fun _ => xpredT) (fun i s => F (token_of s))) /=.
by apply: eq_bigr => -[i s] _.
Qed.
End Problem.

(* ---- computations ---- *)

(* Coefficient c_t of every token: sum_t c_t (x_selected - x_t), a row of length d. *)
Definition group_combination (d pick : nat) (cs : seq N) (rows : seq (seq N)) : seq N :=
  axpy (sum_row cs) (sub_weighted (zeros N d) cs rows) (nth [::] rows pick).

(* m + sum over sequences of (sum_t c_it (x_selected - x_it)) z_i'. *)
Fixpoint add_combinations (d : nat) m (qs : seq sequence) (picks : seq nat) (cs : seq (seq N)) : seq (seq N) :=
  match qs, picks, cs with
  | q :: qs', p :: picks', c :: cs' =>
      add_combinations d (add_outer m (group_combination d p c (token_rows q)) (query_row q)) qs' picks' cs'
  | _, _, _ => m
  end.

Definition weights_matrix (D : token_data) (picks : seq nat) (cs : seq (seq N)) : seq (seq N) :=
  add_combinations (left_dimension D) (nseq (left_dimension D) (zeros N (right_dimension D))) (sequences D) picks cs.

(* <x_selected - x_t, u> for every token. *)
Definition group_margins (pick : nat) (u : seq N) (rows : seq (seq N)) : seq N :=
  let values := [seq dot_rows row u | row <- rows] in
  let top := nth zero values pick in
  [seq sub top a | a <- values].

Fixpoint all_margins m (qs : seq sequence) (picks : seq nat) : seq (seq N) :=
  match qs, picks with
  | q :: qs', p :: picks' => group_margins p (mat_vec m (query_row q)) (token_rows q) :: all_margins m qs' picks'
  | _, _ => [::]
  end.

Definition margins_of (D : token_data) (picks : seq nat) m : seq (seq N) := all_margins m (sequences D) picks.

(* One entry for each token of each sequence. *)
Definition fits (A : Type) (D : token_data) (cs : seq (seq A)) : bool :=
  (size cs == size (sequences D)) && all (fun cq => size cq.1 == size (token_rows cq.2)) (zip cs (sequences D)).

Lemma sequences_ok (D : token_data) i : data_ok D -> (i < size (sequences D))%nat ->
  sequence_ok (left_dimension D) (right_dimension D) (sequence_at D i).
Proof. by case/and4P=> _ _ _ H il; apply: (all_nthP no_sequence H). Qed.

Lemma fits_row (A : Type) (D : token_data) (cs : seq (seq A)) i : fits D cs -> (i < size (sequences D))%nat ->
  size (nth [::] cs i) = length_of D i.
Proof.
case/andP=> /eqP sc H il; have := all_nthP ([::], no_sequence) H i.
by rewrite size_zip sc minnn nth_zip // => /(_ il)/eqP.
Qed.

Lemma group_combination_spec d pick cs rows :
  all (fun row => size row == d) rows -> size cs = size rows -> (pick < size rows)%nat ->
  size (group_combination d pick cs rows) = d /\
  forall j, entry (group_combination d pick cs rows) j =
            \sum_(t < size rows) entry cs t * (entry2 rows pick j - entry2 rows t j).
Proof.
move=> H sc pl; have sp : size (nth [::] rows pick) = d by apply/eqP; apply: (all_nthP [::] H).
have [s E] := sub_weighted_spec (u := zeros N d) (size_nseq _ _) H sc.
split=> [|j]; first by rewrite size_axpy s sp minnn.
rewrite entry_axpy ?s ?sp // E entry_zeros sum_row_real sc sum_mulr.
have -> : forall a b : R, 0 - a + b = b - a by move=> a b; ring.
rewrite -sumB; apply: eq_bigr => t _; rewrite /entry2; ring.
Qed.

Section Combination.
Variables (d e : nat).
Implicit Types (qs : seq sequence) (picks : seq nat) (cs : seq (seq N)).

Lemma add_combinations_spec m qs picks cs :
  shaped d e m -> all (sequence_ok d e) qs -> size picks = size qs -> size cs = size qs ->
  all (fun pq => (pq.1 < size (token_rows pq.2))%nat) (zip picks qs) ->
  all (fun cq => size cq.1 == size (token_rows cq.2)) (zip cs qs) ->
  shaped d e (add_combinations d m qs picks cs) /\
  forall j k, entry2 (add_combinations d m qs picks cs) j k = entry2 m j k +
    \sum_(i < size qs) (\sum_(t < size (token_rows (nth no_sequence qs i)))
       entry (nth [::] cs i) t * (entry2 (token_rows (nth no_sequence qs i)) (nth 0%nat picks i) j -
                                  entry2 (token_rows (nth no_sequence qs i)) t j)) *
      entry (query_row (nth no_sequence qs i)) k.
Proof.
elim: qs m picks cs => [|q qs IH] m [|p picks] [|c cs] //= sh.
  by move=> _ _ _ _ _; split=> // j k; rewrite big_ord0; ring.
case/andP=> /and4P[Hr /eqP sq _ _] H [sp] [sc] /andP[pl Hp] /andP[/eqP cl Hc].
have [s E] := group_combination_spec Hr cl pl.
have [s1 E1] := IH _ picks cs (shaped_add_outer sh s sq) H sp sc Hp Hc.
split=> // j k; rewrite E1 (entry_add_outer _ _ sh s sq) E big_ord_recl /=.
by rewrite Rplus_assoc.
Qed.
End Combination.

Section Bridge.
Variables (D : token_data) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Implicit Types (m cs : seq (seq N)) (unit : R).
Let alpha : selection (problem D) := selection_of Pok.
Let d := left_dimension D.
Let e := right_dimension D.
Let dx := real (token_unit D).
Let dz := real (query_unit D).

Lemma token_unit_gt0 : 0 < dx.
Proof. by case/and4P: Dok => /lt_real; rewrite real0. Qed.

Lemma query_unit_gt0 : 0 < dz.
Proof. by case/and4P: Dok => _ /lt_real; rewrite real0. Qed.

Lemma score_unit_gt0 : 0 < real (score_unit D).
Proof. by case/and4P: Dok => _ _ /lt_real; rewrite real0. Qed.

Lemma count_row_size i : (i < size (sequences D))%nat -> size (count_row (sequence_at D i)) = length_of D i.
Proof. by move=> il; have /and4P[_ _ _ /andP[/eqP -> _]] := sequences_ok Dok il. Qed.

Lemma multiplicity_count (t : token (problem D)) : multiplicity t = count_value t.
Proof.
rewrite /= /times; case: Rlt_dec => //=; case; case: t => i s; rewrite /count_value /entry /=.
have il := ltn_ord i; have /and4P[_ _ _ /andP[/eqP E H]] := sequences_ok Dok il.
by rewrite -(real0 N); apply: lt_real; apply: (all_nthP zero H); rewrite E; exact: ltn_ord.
Qed.

(* Matrices and coefficients as the reals they stand for. *)
Definition matrix_real m (unit : R) : vec (coord (problem D)) := fun jk => entry2 m jk.1 jk.2 / unit.
Definition coefficient cs (unit : R) (t : token (problem D)) : R :=
  entry (nth [::] cs (tag (t : data_token D))) (tagged (t : data_token D)) / unit.
Definition value_at (m : seq (seq N)) (t : token (problem D)) : R :=
  entry2 m (tag (t : data_token D)) (tagged (t : data_token D)).

Lemma combine_constraints (lam : token (problem D) -> R) :
  combine (constraint alpha) lam (Delta alpha) = combine predT lam (Delta alpha).
Proof.
apply: vec_ext => jk; rewrite /combine big_mkcond; apply: eq_bigr => t _.
by case: ifP => // /negbT/negPn/eqP E; rewrite /Delta -E /vsub; ring.
Qed.

Lemma Delta_entry (t : token (problem D)) jk : Delta alpha t jk =
  (entry2 (token_rows (sequence_at D (tag (t : data_token D)))) (nth 0%nat picks (tag (t : data_token D))) jk.1 -
   entry2 (token_rows (sequence_at D (tag (t : data_token D)))) (tagged (t : data_token D)) jk.1) / dx *
  (entry (query_row (sequence_at D (tag (t : data_token D)))) jk.2 / dz).
Proof.
rewrite /Delta /vsub /= /outer /x /z /=; rewrite /Rdiv -/dx -/dz; ring.
Qed.

Lemma weights_matrix_shaped cs : fits D cs -> shaped d e (weights_matrix D picks cs).
Proof.
move=> Cok; case/andP: (Cok) => /eqP sc Hc; case/andP: (Pok) => /eqP sp Hp; case/and4P: Dok => _ _ _ Hs.
by have [] := add_combinations_spec (shaped_zeros N d e) Hs sp sc Hp Hc.
Qed.

Lemma weights_matrix_real cs unit : fits D cs -> unit <> 0 ->
  matrix_real (weights_matrix D picks cs) (unit * (dx * dz)) =
  combine (constraint alpha) (coefficient cs unit) (Delta alpha).
Proof.
move=> Cok u0; case/andP: (Cok) => /eqP sc Hc; case/andP: (Pok) => /eqP sp Hp; case/and4P: (Dok) => _ _ _ Hs.
have [_ E] := add_combinations_spec (shaped_zeros N d e) Hs sp sc Hp Hc.
have x0 := token_unit_gt0; have z0 := query_unit_gt0.
rewrite combine_constraints; apply: vec_ext => -[j k].
rewrite /matrix_real /weights_matrix E entry2_zeros Rplus_0_l /combine (@sum_tokens D) /=.
rewrite /Rdiv sum_mulr; apply: eq_bigr => i _; rewrite !sum_mulr; apply: eq_bigr => s _.
have H a b c : a * b * c * / (unit * (dx * dz)) = a / unit * (b / dx * (c / dz)) by field; repeat split; lra.
by rewrite Delta_entry /coefficient /= -H.
Qed.

Lemma size_all_margins m qs ps : size ps = size qs -> size (all_margins m qs ps) = size qs.
Proof. by elim: qs ps => [|q qs IH] [|p ps] //= [s]; rewrite IH. Qed.

Lemma nth_all_margins m qs ps i : size ps = size qs -> (i < size qs)%nat ->
  nth [::] (all_margins m qs ps) i =
  group_margins (nth 0%nat ps i) (mat_vec m (query_row (nth no_sequence qs i))) (token_rows (nth no_sequence qs i)).
Proof. by elim: qs ps i => [|q qs IH] [|p ps] [|i] //= [s]; rewrite ?ltnS => il; apply: IH. Qed.

Lemma entry_group_margins pick u rows t : all (fun row => size row == d) rows ->
  (pick < size rows)%nat -> (t < size rows)%nat ->
  entry (group_margins pick u rows) t = \sum_(j < d) (entry2 rows pick j - entry2 rows t j) * entry u j.
Proof.
move=> H pl tl.
have val s : (s < size rows)%nat ->
    real (nth zero [seq dot_rows row u | row <- rows] s) = \sum_(j < d) entry2 rows s j * entry u j.
  by move=> sl; rewrite (nth_map [::]) // (@dot_rows_real _ _ _ d) // (eqP (all_nthP [::] H s sl)).
rewrite /entry /group_margins (nth_map zero) ?size_map // realB !val // -sumB.
by apply: eq_bigr => j _; rewrite Rmult_minus_distr_r.
Qed.

Lemma margins_real m unit (t : token (problem D)) : shaped d e m -> unit <> 0 ->
  margin alpha (matrix_real m unit) t = value_at (margins_of D picks m) t / (unit * (dx * dz)).
Proof.
move=> sh u0; case/andP: (Pok) => /eqP sp _.
have x0 := token_unit_gt0; have z0 := query_unit_gt0.
case: t => i s; rewrite /value_at /=.
have /and4P[Hr _ _ _] := sequences_ok Dok (ltn_ord i).
have -> : entry2 (margins_of D picks m) i s =
    \sum_(j < d) \sum_(k < e) (entry2 (token_rows (sequence_at D i)) (nth 0%nat picks i) j -
                               entry2 (token_rows (sequence_at D i)) s j) *
                              (entry2 m j k * entry (query_row (sequence_at D i)) k).
  rewrite {1}/entry2 /margins_of nth_all_margins // -/(sequence_at D i).
  rewrite entry_group_margins //; last exact: picks_lt.
  by apply: eq_bigr => j _; rewrite (entry_mat_vec _ sh (ltn_ord j)) sum_mull.
rewrite /margin /dot -(pair_bigA _ (fun j k => Delta alpha _ (j, k) * matrix_real m unit (j, k))) /=.
rewrite /Rdiv sum_mulr; apply: eq_bigr => j _; rewrite sum_mulr; apply: eq_bigr => k _.
have H a b c : a * (b * c) * / (unit * (dx * dz) ) = a / dx * (c / dz) * (b / unit) by field; repeat split; lra.
by rewrite Delta_entry /matrix_real /= -H.
Qed.
End Bridge.
End TokenData.
