(* GramBound: a verified lower bound of the least eigenvalue of the Gram matrix of active constraints.

   The rank-one rows D_c = (x_selected - x_c) z_i' are approximated by short integers u_c v_i' (any choice is sound:
   the squared distances are computed exactly), whose Gram matrix is factored by IntegerCholesky.v. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection MatrixProducts Number Rows Entries IntegerCholesky TokenData Claims
  Enclosure MarginChecks OptimalityChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma sum_const_pred (I : finType) (A : pred I) (c : R) : \sum_(i | A i) c = INR #|A| * c.
Proof.
rewrite big_const; elim: #|A| => [|n IH]; first by rewrite /=; ring.
by rewrite iterS IH S_INR; ring.
Qed.

(* ---- from approximate rows to the rows themselves ---- *)

Section Perturbation.
Variables (J I : finType) (A : pred I) (D D' : I -> vec J).

Theorem gram_at_least_perturbed (S S' E2 : R) : gram_at_least A D' S' ->
  \sum_(c | A c) vnorm2 (D c - D' c)%V <= E2 -> 65 * S + 4160 * E2 <= 64 * S' -> gram_at_least A D S.
Proof.
move=> G near le x; have := G x; set X := \sum_(c | A c) x c * x c => lo.
have X0 : 0 <= X by apply: sum_ge0 => c _; apply: Rle_0_sqr.
set a := combine A x D; set a' := combine A x D' in lo *; set b := combine A x (fun c => D c - D' c)%V.
have bE : vnorm2 b <= X * E2 by apply: Rle_trans (combine_short_in _ _ _) _; apply: Rmult_le_compat_l.
have split_a : a = (a' + b)%V.
  by apply: vec_ext => j; rewrite /a /a' /b /combine /vadd -sumD; apply: eq_bigr => c _; rewrite /vsub; ring.
(* Young: ||a'||^2 <= (65/64) ||a||^2 + 65 ||b||^2 *)
have young : 0 <= vnorm2 (a - 64 * (a' - a))%V by apply: vnorm2_ge0.
have nb : vnorm2 b = vnorm2 (a' - a)%V by rewrite split_a -vnorm2N; congr vnorm2; vec_ring.
have na' : vnorm2 a' = vnorm2 a + 2 * dot a (a' - a)%V + vnorm2 (a' - a)%V.
  by rewrite -vnorm2D; congr vnorm2; vec_ring.
move: young; rewrite vnorm2B dotZr vnorm2Z => young.
rewrite -/X -/a in lo *; rewrite nb in bE; nra.
Qed.
End Perturbation.

(* The places below n that have a mark. *)
Definition marked (marks : seq bool) (n : nat) : seq nat := mask marks (iota 0 n).

Lemma marked_filter marks n : marked marks n = [seq t <- iota 0 n | nth false marks t].
Proof.
have H m k s : mask m (iota s k) = [seq t <- iota s k | nth false m (t - s)].
  elim: m k s => [|b m IH] [|k] s //=.
    by rewrite (@eq_filter _ _ pred0) ?filter_pred0 ?nth_nil // => t; rewrite /= nth_nil.
  have -> : [seq t <- iota s.+1 k | nth false (b :: m) (t - s)] = mask m (iota s.+1 k).
    by rewrite IH; apply: eq_in_filter => t; rewrite mem_iota => /andP[st _]; rewrite -(subnSK st).
  by rewrite subnn; case: b.
by rewrite /marked H; apply: eq_filter => t; rewrite subn0.
Qed.

Section GramBound.
Variable N : number.

(* ---- short rows for active constraints ---- *)

Record gram_hints := GramHints {
  token_bits : Z;        (* x differences are rounded to multiples of 2^token_bits *)
  query_bits : Z;
  entry_bits : Z;        (* Gram entries of short rows are compared with multiples of h = 2^entry_bits *)
  shift : N;             (* s *)
  residual_bound : N;    (* of the factorisation's residuals, in units of h *)
  distance_bound : N;    (* of the squared distances between rows and short rows, as integers *)
  in_words : bool        (* short rows and factor consist of quick entries, as Words.v has them *)
}.

Definition token_step (hints : gram_hints) : N := shift_up one (token_bits hints).
Definition query_step (hints : gram_hints) : N := shift_up one (query_bits hints).
Definition entry_step (hints : gram_hints) : N := shift_up one (entry_bits hints).

Section Active.
Variables (E : entries N) (D : token_data N) (picks : seq nat) (mask : seq (seq bool)) (hints : gram_hints).

Fixpoint places_from (i : nat) (qs : seq (sequence N)) (masks : seq (seq bool)) : seq (nat * nat) :=
  if qs is q :: qs' then
    [seq (i, t) | t <- marked (head [::] masks) (size (token_rows q))] ++ places_from i.+1 qs' (behead masks)
  else [::].
Definition listed_places : seq (nat * nat) := places_from 0 (sequences D) mask.

Definition difference (it : nat * nat) : seq N :=
  let rows := token_rows (sequence_at D it.1) in
  sub_rows (nth [::] rows (nth 0%nat picks it.1)) (nth [::] rows it.2).
Definition query (it : nat * nat) : seq N := query_row (sequence_at D it.1).
Definition short_entries (k : Z) (row : seq N) : row_type E :=
  foldr (fun a r => add_front (guess E (shift_down a k)) r) (empty_row E) row.
Definition short_pair (it : nat * nat) : row_type E * row_type E :=
  (short_entries (token_bits hints) (difference it), short_entries (query_bits hints) (query it)).
Definition short_difference (it : nat * nat) : seq N := row_values (short_entries (token_bits hints) (difference it)).
Definition short_query (it : nat * nat) : seq N := row_values (short_entries (query_bits hints) (query it)).

(* ||D_c - D'_c||^2 as an integer over (token_unit query_unit)^2 *)
Definition distance (it : nat * nat) : N :=
  let step := mul (token_step hints) (query_step hints) in
  let x := difference it in let u := short_difference it in
  let z := query it in let v := short_query it in
  add (sub (mul (dot_rows x x) (dot_rows z z)) (mul (mul two step) (mul (dot_rows x u) (dot_rows z v))))
      (mul (mul step step) (mul (dot_rows u u) (dot_rows v v))).

Definition no_pair := (empty_row E, empty_row E).
Definition gram_line (pairs : seq (row_type E * row_type E)) (c : nat) : seq N :=
  let uv := nth no_pair pairs c in
  [seq mul (dot_entries uv.1 ab.1) (dot_entries uv.2 ab.2) | ab <- take c.+1 pairs].

Definition short_pairs (pairs : seq (row_type E * row_type E)) : bool :=
  all (fun uv => is_short uv.1 && is_short uv.2) pairs.

Definition of_nat (n : nat) : N := ssrnat.iter n (add one) zero.

Lemma of_nat_real n : real (of_nat n) = INR n.
Proof. by elim: n => [|n IH]; [rewrite /of_nat real0 | rewrite S_INR -IH /= realD real1; ring]. Qed.

(* lambda_min >= q *)
Definition gram_check_with (q : fraction N) : bool :=
  let pairs := [seq short_pair it | it <- listed_places] in
  let n := of_nat (size listed_places) in
  let units := mul (token_unit D) (query_unit D) in
  let steps := mul (token_step hints) (query_step hints) in
  let h := entry_step hints in
  let emax := mul h (residual_bound hints) in
  [&& fraction_ok q, (0 <=? entry_bits hints)%Z, all (fun it => le (distance it) (distance_bound hints))
    listed_places,
      le (add (mul (mul (of_nat 65) (fraction_num q)) (mul units units))
              (mul (mul (of_nat 4160) (mul n (distance_bound hints))) (fraction_den q)))
         (mul (mul (of_nat 64) (mul steps steps))
              (mul (sub (mul h (shift hints)) (mul n emax)) (fraction_den q))) &
      short_pairs pairs &&
      isSome (factor E (entry_bits hints) (shift hints) (residual_bound hints) (gram_line pairs)
        (size listed_places))].

Section Soundness.
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Implicit Types t u : token (problem D).
Notation group_index t := (tag (t : data_token D)).
Notation token_index t := (tagged (t : data_token D)).
Let d := left_dimension D.
Let e := right_dimension D.
Let dx := real (token_unit D).
Let dz := real (query_unit D).
Let qx := real (token_step hints).
Let qz := real (query_step hints).

Definition pair_of t : nat * nat := (group_index t : nat, token_index t : nat).
Definition place_index t : nat := index (pair_of t) listed_places.

Lemma pair_of_inj : injective pair_of.
Proof.
move=> [i s] [j r] [/= ij]; move/val_inj: ij => ij; case: _ / ij r => r sr.
by congr existT; apply: val_inj.
Qed.

Lemma listed_places_all : listed_places = [seq (i, t) | i <- iota 0 (size (sequences D)),
  t <- [seq t <- iota 0 (length_of D i) | nth false (nth [::] mask i) t]].
Proof.
have H i qs masks : places_from i qs masks = flatten [seq [seq ((i + j)%nat, t) | t <-
    [seq t <- iota 0 (size (token_rows (nth (no_sequence N) qs j))) | nth false (nth [::] masks j) t]]
    | j <- iota 0 (size qs)].
  elim: qs i masks => //= q qs IH i masks; rewrite IH marked_filter addn0 nth0 (iotaDl 1 0) -map_comp.
  by congr (_ ++ flatten _); apply: eq_map => j /=; rewrite nth_behead addSnnS.
by rewrite /listed_places H.
Qed.

Lemma mem_active t : in_mask mask t -> pair_of t \in listed_places.
Proof.
move=> it; rewrite listed_places_all; apply/allpairsPdep.
exists (group_index t : nat), (token_index t : nat); split=> //.
  by rewrite mem_iota /= add0n; apply: ltn_ord.
by rewrite mem_filter mem_iota /= add0n ltn_ord andbT.
Qed.

Lemma position_lt t : in_mask mask t -> (place_index t < size listed_places)%nat.
Proof. by move/mem_active; rewrite index_mem. Qed.

Lemma nth_position t : in_mask mask t -> nth (0%nat, 0%nat) listed_places (place_index t) = pair_of t.
Proof. by move/mem_active => it; rewrite nth_index. Qed.

Lemma position_eq t u : in_mask mask t -> in_mask mask u -> (place_index t == place_index u) = (t == u).
Proof.
move=> it iu; apply/eqP/eqP => [same_pair | -> //].
by apply: pair_of_inj; rewrite -(nth_position it) -(nth_position iu) same_pair.
Qed.

Lemma card_active : (#|in_mask mask : pred (token (problem D))| <= size listed_places)%nat.
Proof.
rewrite cardE -(size_map pair_of); apply: uniq_leq_size.
  by rewrite map_inj_uniq ?enum_uniq //; apply: pair_of_inj.
by move=> it /mapP[t]; rewrite mem_enum => H ->; apply: mem_active.
Qed.

Lemma size_difference t : size (difference (pair_of t)) = d.
Proof.
have /and4P[Hr _ _ _] := sequences_ok Dok (ltn_ord (group_index t)).
rewrite /difference size_sub_rows.
rewrite (eqP (all_nthP [::] Hr _ (picks_lt (group_index t) Pok))).
by rewrite (eqP (all_nthP [::] Hr _ (ltn_ord (token_index t)))) minnn.
Qed.

Lemma size_query t : size (query (pair_of t)) = e.
Proof. by have /and4P[_ /eqP Hq _ _] := sequences_ok Dok (ltn_ord (group_index t)). Qed.

Lemma size_short_entries k row : size (row_values (short_entries k row)) = size row.
Proof. by elim: row => [|a row IH] /=; rewrite ?empty_row_values // add_front_values /= IH. Qed.

Lemma size_short_difference t : size (short_difference (pair_of t)) = d.
Proof. by rewrite /short_difference size_short_entries size_difference. Qed.

Lemma size_short_query t : size (short_query (pair_of t)) = e.
Proof. by rewrite /short_query size_short_entries size_query. Qed.

Lemma entry_difference t j : entry (difference (pair_of t)) j =
  entry2 (token_rows (sequence_at D (group_index t))) (nth 0%nat picks (group_index t)) j -
  entry2 (token_rows (sequence_at D (group_index t))) (token_index t) j.
Proof.
have /and4P[Hr _ _ _] := sequences_ok Dok (ltn_ord (group_index t)).
rewrite /difference entry_sub_rows //.
rewrite (eqP (all_nthP [::] Hr _ (picks_lt (group_index t) Pok))).
by rewrite (eqP (all_nthP [::] Hr _ (ltn_ord (token_index t)))).
Qed.

(* The row that the short integers stand for. *)
Definition short_row t : vec (coord (problem D)) :=
  outer (fun j : 'I_d => qx / dx * entry (short_difference (pair_of t)) j)
        (fun k : 'I_e => qz / dz * entry (short_query (pair_of t)) k).

Lemma Delta_outer t : Delta alpha t =
  outer (fun j : 'I_d => / dx * entry (difference (pair_of t)) j) (fun k : 'I_e => / dz *
    entry (query (pair_of t)) k).
Proof.
have H a b : a / dx * (b / dz) = / dx * a * (/ dz * b) by rewrite /Rdiv; ring.
by apply: vec_ext => jk; rewrite (Delta_entry Pok) H /outer entry_difference.
Qed.

Lemma dot_scaled (n : nat) (a b : R) (u v : seq N) : size u = n ->
  dot (fun j : 'I_n => a * entry u j) (fun j : 'I_n => b * entry v j) = a * b * real (dot_rows u v).
Proof.
move=> su; rewrite (@dot_rows_real _ _ _ n) ?su // sum_mull /dot.
by apply: eq_bigr => j _; ring.
Qed.

Lemma dot_short t u : dot (short_row t) (short_row u) =
  (qx * qz / (dx * dz)) * (qx * qz / (dx * dz)) *
  (real (dot_rows (short_difference (pair_of t)) (short_difference (pair_of u))) *
   real (dot_rows (short_query (pair_of t)) (short_query (pair_of u)))).
Proof.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok; rewrite -/dx -/dz in x0 z0.
rewrite /short_row dot_outer !dot_scaled ?size_short_difference ?size_short_query ?size_difference ?size_query //.
have H a b : qx / dx * (qx / dx) * a * (qz / dz * (qz / dz) * b) =
             qx * qz / (dx * dz) * (qx * qz / (dx * dz)) * (a * b) by field; lra.
exact: H.
Qed.

Lemma distance_real t : vnorm2 (Delta alpha t - short_row t)%V =
  real (distance (pair_of t)) / (dx * dz * (dx * dz)).
Proof.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok; rewrite -/dx -/dz in x0 z0.
rewrite vnorm2B /vnorm2 Delta_outer /short_row !dot_outer !dot_scaled ?size_short_difference ?size_short_query
  ?size_difference ?size_query //.
rewrite /distance; move: (difference _) (short_difference _) (query _) (short_query _) => x u z v.
rewrite (realD (sub _ _)) realB !(realM (dot_rows _ _)) !(realM (mul _ _)) !(realM (token_step hints)) !realM
  real2 -/qx -/qz.
have H a b c f p r : / dx * / dx * a * (/ dz * / dz * b) - 2 * (/ dx * (qx / dx) * c * (/ dz * (qz / dz) * f)) +
    qx / dx * (qx / dx) * p * (qz / dz * (qz / dz) * r) =
    (a * b - 2 * (qx * qz) * (c * f) + qx * qz * (qx * qz) * (p * r)) / (dx * dz * (dx * dz)) by field; lra.
exact: H.
Qed.

Theorem gram_check_with_sound q : gram_check_with q -> gram_at_least (in_mask mask) (Delta alpha) (fraction_real q).
Proof.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok; rewrite -/dx -/dz in x0 z0.
case/and5P=> qok /Z.leb_le k0 near /le_real; rewrite /gram_check_with.
set pairs := [seq _ | it <- listed_places]; set n := size listed_places.
set h := entry_step hints; set s := shift hints; set emax := mul h (residual_bound hints); set e2 :=
  distance_bound hints.
move=> final /andP[shorts].
have h0 : 0 <= real h.
  by rewrite /h /entry_step shift_up_real // real1; have := power_gt0 (entry_bits hints); lra.
case Ef: (factor _ _ _ _ _ _) => [rows|] // _.
have [_ _ res] := factor_spec k0 Ef.
have xz0 : 0 < dx * dz by apply: Rmult_lt_0_compat.
pose kappa := (qx * qz / (dx * dz)) * (qx * qz / (dx * dz)).
have kappa0 : 0 <= kappa by apply: Rle_0_sqr.
have n0 : 0 <= INR n by apply: pos_INR.
pose G t u := real (dot_rows (short_difference (pair_of t)) (short_difference (pair_of u))) *
              real (dot_rows (short_query (pair_of t)) (short_query (pair_of u))).
have gram_entry t u : in_mask mask t -> in_mask mask u -> (place_index u <= place_index t)%nat ->
    entry (gram_line pairs (place_index t)) (place_index u) = G t u.
  move=> it iu le_ut; have pt := position_lt it; have pu := position_lt iu.
  have nth_pairs v : in_mask mask v -> nth no_pair pairs (place_index v) = short_pair (pair_of v).
    by move=> iv; rewrite /pairs (nth_map (0%nat, 0%nat)) ?position_lt // nth_position.
  have short_at v : in_mask mask v -> is_short (short_pair (pair_of v)).1 && is_short (short_pair (pair_of v)).2.
    by move=> iv; rewrite -nth_pairs //; apply: (all_nthP no_pair shorts); rewrite size_map position_lt.
  rewrite /entry /gram_line (nth_map no_pair); last first.
    by rewrite size_take; case: ifP => _; rewrite ?ltnS // size_map.
  have /andP[t1 t2] := short_at t it; have /andP[u1 u2] := short_at u iu.
  rewrite nth_take ?ltnS // !nth_pairs // realM.
  by rewrite !dot_entries_real ?size_short_difference ?size_short_query.
have Gsym t u : G t u = G u t.
  rewrite /G; have swap (m : nat) (a b : seq N) : size a = m -> size b = m ->
    real (dot_rows a b) = real (dot_rows b a).
    move=> sa sb; rewrite (@dot_rows_real _ _ _ m) ?sa // (@dot_rows_real _ _ _ m) ?sb //.
    by apply: eq_bigr => j _; rewrite Rmult_comm.
  rewrite (swap d (short_difference (pair_of t))) ?size_short_difference //.
  by rewrite (swap e (short_query (pair_of t))) ?size_short_query.
pose B (t : token (problem D)) (k : 'I_n) := back (line_at rows (place_index t)) k.
pose residual t u := kappa * (G t u - real h * ((if t == u then real s else 0) + \sum_k B t k * B u k)).
have Esmall t u : in_mask mask t -> in_mask mask u -> Rabs (residual t u) <= kappa * real emax.
  move=> it iu; rewrite /residual Rabs_mult (Rabs_pos_eq _ kappa0); apply: Rmult_le_compat_l => //.
  have symB : \sum_k B t k * B u k = \sum_k B u k * B t k by apply: eq_bigr => k _; rewrite Rmult_comm.
  case/orP: (leq_total (place_index u) (place_index t)) => le_p.
    rewrite -gram_entry // -position_eq //; apply: res; by rewrite le_p position_lt.
  rewrite Gsym symB (eq_sym t u) -gram_entry // -position_eq //; apply: res; by rewrite le_p position_lt.
have short_gram : gram_at_least (in_mask mask) short_row (kappa * (real h * real s - INR n * real emax)).
  apply: (@cholesky_gram_at_least _ _ _ _ _ (fun t k => sqrt (kappa * real h) * B t k) residual (kappa *
    (real h * real s))).
    move=> t u it iu; rewrite dot_short -/(G t u) -/kappa.
    have -> : \sum_k sqrt (kappa * real h) * B t k * (sqrt (kappa * real h) * B u k) =
              kappa * real h * (\sum_k B t k * B u k).
      rewrite sum_mull; apply: eq_bigr => k _.
      have sq : sqrt (kappa * real h) * sqrt (kappa * real h) = kappa * real h.
        by apply: sqrt_sqrt; apply: Rmult_le_pos.
      by rewrite -{3}sq; ring.
    by rewrite /residual; case: eqP => _; ring.
  move=> t it; apply: Rle_trans (sum_le _ (fun u iu => Esmall t u it iu)) _.
  have -> : kappa * (real h * real s) - kappa * (real h * real s - INR n * real emax) = INR n *
    (kappa * real emax) by ring.
  have emax0 : 0 <= kappa * real emax by apply: Rle_trans (Esmall t t it it); apply: Rabs_pos.
  rewrite sum_const_pred; apply: Rmult_le_compat_r => //.
  by apply: le_INR; apply/leP; apply: card_active.
have distances : \sum_(t | in_mask mask t) vnorm2 (Delta alpha t - short_row t)%V <=
                 INR n * (real e2 / (dx * dz * (dx * dz))).
  have bound t : in_mask mask t -> vnorm2 (Delta alpha t - short_row t)%V <= real e2 / (dx * dz * (dx * dz)).
    move=> it; rewrite distance_real; apply: Rmult_le_compat_r.
      by apply: Rlt_le; apply: Rinv_0_lt_compat; apply: Rmult_lt_0_compat.
    by apply: le_real; apply: (allP near); apply: mem_active.
  apply: Rle_trans (sum_le _ bound) _; rewrite sum_const_pred.
  case: (pickP (in_mask mask : pred (token (problem D)))) => [t it | none].
    apply: Rmult_le_compat_r; first by apply: Rle_trans (bound t it); apply: vnorm2_ge0.
    by apply: le_INR; apply/leP; apply: card_active.
  rewrite (_ : #|_| = 0%nat) ?Rmult_0_l; last exact: eq_card0.
  have -> : n = 0%nat.
    apply/eqP; rewrite -leqn0 leqNgt; apply/negP => n_pos.
    have := mem_nth (0%nat, 0%nat) n_pos; rewrite {2}listed_places_all => /allpairsPdep[i [t [Hi Ht _]]].
    move: Hi Ht; rewrite mem_filter !mem_iota /= !add0n => il /andP[m tl].
    by have := none (@token_of N D (Ordinal il) (Ordinal tl)); rewrite /in_mask /at_token /= m.
  by rewrite /= Rmult_0_l; apply: Rle_refl.
apply: (gram_at_least_perturbed short_gram distances); clearbody emax.
have q0 := fraction_den_gt0 qok.
have c65 : INR 65 = 65 by rewrite INR_IZR_INZ.
have c64 : INR 64 = 64 by rewrite INR_IZR_INZ.
have c4160 : INR 4160 = 4160 by rewrite INR_IZR_INZ.
move: (of_nat_real 65) (of_nat_real 64) (of_nat_real 4160) (of_nat_real n) final; rewrite c65 c64 c4160.
move: (of_nat 65) (of_nat 64) (of_nat 4160) (of_nat n) => n65 n64 n4160 nn E65 E64 E4160 En.
rewrite !(realD, realB, realM) E65 E64 E4160 En -/dx -/dz -/qx -/qz.
move=> final; rewrite /fraction_real /kappa.
apply: (Rmult_le_reg_r (dx * dz * (dx * dz) * real (fraction_den q))).
  by apply: Rmult_lt_0_compat => //; apply: Rmult_lt_0_compat.
move: final; move: (real (fraction_num q)) (real (fraction_den q)) q0 => a b b0 final.
have -> : (65 * (a / b) + 4160 * (INR n * (real e2 / (dx * dz * (dx * dz))))) * (dx * dz * (dx * dz) * b) =
          65 * a * (dx * dz * (dx * dz)) + 4160 * (INR n * real e2) * b by field; lra.
have -> : 64 * (qx * qz / (dx * dz) * (qx * qz / (dx * dz)) * (real h * real s - INR n * real emax)) *
          (dx * dz * (dx * dz) * b) = 64 * (qx * qz * (qx * qz)) * ((real h * real s - INR n * real emax) * b).
  by field; lra.
lra.
Qed.
End Soundness.
End Active.

(* lambda_min >= q, computed with the entries that the hints ask for *)
Definition gram_check (quick : entries N) (D : token_data N) (picks : seq nat) (mask : seq (seq bool))
  (hints : gram_hints) (q : fraction N) : bool :=
  if in_words hints then gram_check_with quick D picks mask hints q else gram_check_with (wide N) D picks
    mask hints q.

Theorem gram_check_sound (quick : entries N) (D : token_data N) (picks : seq nat) (mask : seq (seq bool))
  (hints : gram_hints) (q : fraction N)
    (Dok : data_ok D) (Pok : picks_ok D picks) : gram_check quick D picks mask hints q ->
  gram_at_least (@in_mask N D mask) (Delta (selection_of Pok)) (fraction_real q).
Proof. by rewrite /gram_check; case: ifP => _; apply: gram_check_with_sound. Qed.

Lemma gram_check_bound_ok quick D picks mask hints q : gram_check quick D picks mask hints q -> fraction_ok q.
Proof. by rewrite /gram_check; case: ifP => _ /andP[]. Qed.
End GramBound.
