(* GramBound: a verified lower bound of the least eigenvalue of the Gram matrix of active constraints.

   The rank-one rows D_c = (x_selected - x_c) z_i' are approximated by short integers u_c v_i' (any choice is sound: the
   squared distances are computed exactly). The Gram matrix of the short rows is factored as s I + L L' with integer L,
   and the residual is checked entry by entry while factoring, so nothing is assumed of the divisions and square roots
   that guess L. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Number Rows Entries TokenData Claims Enclosure MarginChecks OptimalityChecks.

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

Lemma combine_norm_le (x : I -> R) (B : I -> vec J) :
  vnorm2 (combine A x B) <= (\sum_(c | A c) x c * x c) * (\sum_(c | A c) vnorm2 (B c)).
Proof.
have -> : (\sum_(c | A c) x c * x c) * (\sum_(c | A c) vnorm2 (B c)) =
          \sum_j (\sum_(c | A c) x c * x c) * (\sum_(c | A c) B c j * B c j).
  by rewrite /vnorm2 /dot exchange_big sum_mull.
by apply: sum_le => j _; apply: (sum_cauchy_schwarz A x (fun c => B c j)).
Qed.

Theorem gram_at_least_perturbed (S S' E2 : R) : gram_at_least A D' S' ->
  \sum_(c | A c) vnorm2 (D c - D' c)%V <= E2 -> 65 * S + 4160 * E2 <= 64 * S' -> gram_at_least A D S.
Proof.
move=> G near le x; have := G x; set X := \sum_(c | A c) x c * x c => lo.
have X0 : 0 <= X by apply: sum_ge0 => c _; apply: Rle_0_sqr.
set a := combine A x D; set a' := combine A x D' in lo *; set b := combine A x (fun c => D c - D' c)%V.
have bE : vnorm2 b <= X * E2 by apply: Rle_trans (combine_norm_le _ _) _; apply: Rmult_le_compat_l.
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

Section GramBound.
Variable N : number.

(* ---- Cholesky factorisation with checked residuals ----
   Rows of L are kept with the diagonal entry first: row c is l_cc, l_c(c-1), ..., l_c0. Their type is that of
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
      if short l && close q (add acc (mul (value l) p)) then
        solve_row (add_front l partial) rows' gram'
      else None
  | _, _ => None
  end.

Variable gram_row : nat -> seq N.   (* row c of the lower triangle: entries (c, 0), ..., (c, c) *)

Fixpoint factor (n : nat) : option (seq line) :=
  if n is c.+1 then
    if factor c is Some rows then
      if solve_row (empty_row E) rows (gram_row c) is Some row then Some (rcons rows row) else None
    else None
  else Some [::].

Definition line_at (rows : seq line) (c : nat) : seq N := nth [::] [seq line_values r | r <- rows] c.
Definition short_lines (rows : seq line) : bool := all (fun r => is_short r.2) rows.
Definition line_sizes (rows : seq line) : Prop := forall d, (d < size rows)%nat -> size (line_at rows d) = d.+1.

Hypothesis hbits0 : (0 <= hbits)%Z.

Lemma solve_row_spec n partial all_rows d gram row : allowed E n -> (size all_rows <= n)%nat ->
  line_sizes all_rows -> short_lines all_rows -> (d <= size all_rows)%nat -> size (row_values partial) = d ->
  is_short partial -> solve_row partial (drop d all_rows) gram = Some row ->
  [/\ size (line_values row) = (size all_rows).+1, is_short row.2,
      forall k, (k < d)%nat -> back (line_values row) k = back (row_values partial) k,
      forall e, (d <= e < size all_rows)%nat ->
        Rabs (entry gram (e - d) -
              real h * (\sum_(k < e.+1) back (line_values row) k * back (line_at all_rows e) k)) <= real emax &
      Rabs (entry gram (size all_rows - d) -
            real h * (real s + \sum_(k < (size all_rows).+1) back (line_values row) k * back (line_values row) k)) <= real emax].
Proof.
move=> an ln sizes shorts.
elim: {d}(size all_rows - d)%nat {-2}d (erefl (size all_rows - d)%nat) partial gram row.
  move=> d Ed partial gram row dl sp hp.
  have {Ed dl} dE : d = size all_rows by apply/eqP; rewrite eqn_leq dl -subn_eq0 Ed eqxx.
  move: sp; rewrite dE drop_size subnn => sp; case: gram => [|g [|? ?]] //=.
  case: ifP => // /(close_real hbits0) H [<-]; rewrite /line_values; split=> /= [||k kd|e|] //.
  - by rewrite sp.
  - by rewrite back_cons sp (ltn_eqF kd).
  - by case/andP=> /leq_ltn_trans H1 /H1; rewrite ltnn.
  rewrite /entry /=; move: H; rewrite !realD (realM (value _)) (dot_entries_real an) ?sp //.
  rewrite /dot_rows dot_back_from // real0 -sp big_ord_recr /= !back_cons eqxx.
  rewrite [X in _ -> Rabs (_ - _ * (_ + (X + _))) <= _](eq_bigr (fun k : 'I_(size (row_values partial)) =>
    back (row_values partial) k * back (row_values partial) k)); first by rewrite Rplus_0_l.
  by move=> k _; rewrite !back_cons (ltn_eqF (ltn_ord k)).
move=> m IH d Ed partial gram row dl sp hp.
have {}dl : (d < size all_rows)%nat by rewrite -subn_gt0 Ed.
have x0 : line by exact: (nth row all_rows d).
rewrite (drop_nth x0 dl) /=; have := sizes d dl; have := all_nthP x0 shorts d dl.
rewrite /line_at (nth_map x0) //; case Er: (nth x0 all_rows d) => [pivot r] /= hr [sr].
case: gram => [|g gram] //=; case: ifP => // /andP[hl /(close_real hbits0) H] Hs.
set l := guess _ _ in hl H Hs.
have [|||size_row is_short prefix res diag] := IH d.+1 _ (add_front l partial) gram row dl _ _ Hs.
- by rewrite subnS Ed.
- by rewrite add_front_values /= sp.
- by rewrite add_front_short hl hp.
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
  move: H; rewrite realD (realM (value l)) (dot_entries_real an) ?sp ?sr ?(leq_trans (ltnW dl)) //.
  rewrite /dot_rows dot_back_from ?sp ?sr // real0 Rplus_0_l.
  rewrite [X in _ -> Rabs (_ - _ * (X + _)) <= _](eq_bigr (fun k : 'I_d => back (row_values partial) k * back (row_values r) k)).
    by [].
  move=> k _; rewrite back_cons sr (ltn_eqF (ltn_ord k)) prefix ?add_front_values ?back_cons ?sp ?(ltn_eqF (ltn_ord k)) //.
  exact: ltn_trans (ltn_ord k) _.
have -> : (size all_rows - d = (size all_rows - d.+1).+1)%nat by rewrite subnS prednK // subn_gt0.
exact: diag.
Qed.

Lemma factor_spec n rows : allowed E n -> factor n = Some rows ->
  [/\ size rows = n, line_sizes rows &
      forall c e, (e <= c < n)%nat ->
        Rabs (entry (gram_row c) e - real h * ((if c == e then real s else 0) +
              \sum_(k < n) back (line_at rows c) k * back (line_at rows e) k)) <= real emax].
Proof.
move=> allowed_n; suff H m old : (m <= n)%nat -> factor m = Some old ->
    [/\ size old = m, line_sizes old, short_lines old &
      forall c e, (e <= c < m)%nat ->
        Rabs (entry (gram_row c) e - real h * ((if c == e then real s else 0) +
              \sum_(k < m) back (line_at old c) k * back (line_at old e) k)) <= real emax].
  by case/(H n _ (leqnn n)).
elim: m old => [|m IH] new /=; first by move=> _ [<-]; split=> // c e; rewrite andbF.
move=> mn; case: (factor m) IH => // old /(_ old (ltnW mn) erefl) [sold sizes shorts res].
case Er: (solve_row _ _ _) => [row|] // [<-].
have [||||sr hr _ below diag] := @solve_row_spec n (empty_row E) old 0 (gram_row m) row allowed_n _ sizes shorts (leq0n _).
- by rewrite sold ltnW.
- by rewrite empty_row_values.
- exact: empty_row_short.
- by rewrite drop0.
rewrite sold in sr below diag; rewrite !subn0 in diag.
have line_rcons c : line_at (rcons old row) c = if (c < m)%nat then line_at old c else if c == m then line_values row else [::].
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

Definition active : seq (nat * nat) :=
  [seq (i, t) | i <- iota 0 (size (sequences D)), t <- [seq t <- iota 0 (length_of D i) | nth false (nth [::] mask i) t]].

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
  [&& allowed E (left_dimension D), allowed E (right_dimension D), allowed E (size pairs) &
      all (fun uv => is_short uv.1 && is_short uv.2) pairs].

Definition of_nat (n : nat) : N := ssrnat.iter n (add one) zero.

Lemma of_nat_real n : real (of_nat n) = INR n.
Proof. by elim: n => [|n IH]; [rewrite /of_nat real0 | rewrite S_INR -IH /= realD real1; ring]. Qed.

(* lambda_min >= q *)
Definition gram_check_with (q : fraction N) : bool :=
  let pairs := [seq short_pair it | it <- active] in
  let n := of_nat (size active) in
  let units := mul (token_unit D) (query_unit D) in
  let steps := mul (token_step hints) (query_step hints) in
  let h := entry_step hints in
  let emax := mul h (residual_bound hints) in
  [&& fraction_ok q, (0 <=? entry_bits hints)%Z, all (fun it => le (distance it) (distance_bound hints)) active,
      le (add (mul (mul (of_nat 65) (fraction_num q)) (mul units units))
              (mul (mul (of_nat 4160) (mul n (distance_bound hints))) (fraction_den q)))
         (mul (mul (of_nat 64) (mul steps steps))
              (mul (sub (mul h (shift hints)) (mul n emax)) (fraction_den q))) &
      short_pairs pairs &&
      isSome (factor E (entry_bits hints) (shift hints) (residual_bound hints) (gram_line pairs) (size active))].

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
Definition position t : nat := index (pair_of t) active.

Lemma pair_of_inj : injective pair_of.
Proof.
move=> [i s] [j r] [/= ij]; move/val_inj: ij => ij; case: _ / ij r => r sr.
by congr existT; apply: val_inj.
Qed.

Lemma mem_active t : in_mask mask t -> pair_of t \in active.
Proof.
move=> it; apply/allpairsPdep; exists (group_index t : nat), (token_index t : nat); split=> //.
  by rewrite mem_iota /= add0n; apply: ltn_ord.
by rewrite mem_filter mem_iota /= add0n ltn_ord andbT.
Qed.

Lemma position_lt t : in_mask mask t -> (position t < size active)%nat.
Proof. by move/mem_active; rewrite index_mem. Qed.

Lemma nth_position t : in_mask mask t -> nth (0%nat, 0%nat) active (position t) = pair_of t.
Proof. by move/mem_active => it; rewrite nth_index. Qed.

Lemma position_eq t u : in_mask mask t -> in_mask mask u -> (position t == position u) = (t == u).
Proof.
move=> it iu; apply/eqP/eqP => [same_pair | -> //].
by apply: pair_of_inj; rewrite -(nth_position it) -(nth_position iu) same_pair.
Qed.

Lemma card_active : (#|in_mask mask : pred (token (problem D))| <= size active)%nat.
Proof.
rewrite cardE -(size_map pair_of); apply: uniq_leq_size.
  by rewrite map_inj_uniq ?enum_uniq //; apply: pair_of_inj.
by move=> it /mapP[t]; rewrite mem_enum => H ->; apply: mem_active.
Qed.

Lemma size_difference t : size (difference (pair_of t)) = d.
Proof.
have /and3P[Hr _ _] := sequences_ok Dok (ltn_ord (group_index t)).
rewrite /difference size_sub_rows.
rewrite (eqP (all_nthP [::] Hr _ (picks_lt (group_index t) Pok))).
by rewrite (eqP (all_nthP [::] Hr _ (ltn_ord (token_index t)))) minnn.
Qed.

Lemma size_query t : size (query (pair_of t)) = e.
Proof. by have /and3P[_ /eqP Hq _] := sequences_ok Dok (ltn_ord (group_index t)). Qed.

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
have /and3P[Hr _ _] := sequences_ok Dok (ltn_ord (group_index t)).
rewrite /difference entry_sub_rows //.
rewrite (eqP (all_nthP [::] Hr _ (picks_lt (group_index t) Pok))).
by rewrite (eqP (all_nthP [::] Hr _ (ltn_ord (token_index t)))).
Qed.

(* The row that the short integers stand for. *)
Definition short_row t : vec (coord (problem D)) :=
  outer (fun j : 'I_d => qx / dx * entry (short_difference (pair_of t)) j)
        (fun k : 'I_e => qz / dz * entry (short_query (pair_of t)) k).

Lemma Delta_outer t : Delta alpha t =
  outer (fun j : 'I_d => / dx * entry (difference (pair_of t)) j) (fun k : 'I_e => / dz * entry (query (pair_of t)) k).
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
rewrite vnorm2B /vnorm2 Delta_outer /short_row !dot_outer !dot_scaled ?size_short_difference ?size_short_query ?size_difference ?size_query //.
rewrite /distance; move: (difference _) (short_difference _) (query _) (short_query _) => x u z v.
rewrite (realD (sub _ _)) realB !(realM (dot_rows _ _)) !(realM (mul _ _)) !(realM (token_step hints)) !realM real2 -/qx -/qz.
have H a b c f p r : / dx * / dx * a * (/ dz * / dz * b) - 2 * (/ dx * (qx / dx) * c * (/ dz * (qz / dz) * f)) +
    qx / dx * (qx / dx) * p * (qz / dz * (qz / dz) * r) =
    (a * b - 2 * (qx * qz) * (c * f) + qx * qz * (qx * qz) * (p * r)) / (dx * dz * (dx * dz)) by field; lra.
exact: H.
Qed.

Theorem gram_check_with_sound q : gram_check_with q -> gram_at_least (in_mask mask) (Delta alpha) (fraction_real q).
Proof.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok; rewrite -/dx -/dz in x0 z0.
case/and5P=> qok /Z.leb_le k0 near /le_real; rewrite /gram_check_with.
set pairs := [seq _ | it <- active]; set n := size active.
set h := entry_step hints; set s := shift hints; set emax := mul h (residual_bound hints); set e2 := distance_bound hints.
move=> final /andP[/and4P[ad ae an shorts]]; rewrite size_map -/n in an.
have h0 : 0 <= real h.
  by rewrite /h /entry_step shift_up_real // real1; have := power_gt0 (entry_bits hints); lra.
case Ef: (factor _ _ _ _ _ _) => [rows|] // _.
have [_ _ res] := factor_spec k0 an Ef.
have xz0 : 0 < dx * dz by apply: Rmult_lt_0_compat.
pose kappa := (qx * qz / (dx * dz)) * (qx * qz / (dx * dz)).
have kappa0 : 0 <= kappa by apply: Rle_0_sqr.
have n0 : 0 <= INR n by apply: pos_INR.
pose G t u := real (dot_rows (short_difference (pair_of t)) (short_difference (pair_of u))) *
              real (dot_rows (short_query (pair_of t)) (short_query (pair_of u))).
have gram_entry t u : in_mask mask t -> in_mask mask u -> (position u <= position t)%nat ->
    entry (gram_line pairs (position t)) (position u) = G t u.
  move=> it iu le_ut; have pt := position_lt it; have pu := position_lt iu.
  have nth_pairs v : in_mask mask v -> nth no_pair pairs (position v) = short_pair (pair_of v).
    by move=> iv; rewrite /pairs (nth_map (0%nat, 0%nat)) ?position_lt // nth_position.
  have short_at v : in_mask mask v -> is_short (short_pair (pair_of v)).1 && is_short (short_pair (pair_of v)).2.
    by move=> iv; rewrite -nth_pairs //; apply: (all_nthP no_pair shorts); rewrite size_map position_lt.
  rewrite /entry /gram_line (nth_map no_pair); last first.
    by rewrite size_take; case: ifP => _; rewrite ?ltnS // size_map.
  have /andP[t1 t2] := short_at t it; have /andP[u1 u2] := short_at u iu.
  rewrite nth_take ?ltnS // !nth_pairs // realM.
  by rewrite (dot_entries_real ad) ?(dot_entries_real ae) ?size_short_difference ?size_short_query.
have Gsym t u : G t u = G u t.
  rewrite /G; have swap (m : nat) (a b : seq N) : size a = m -> size b = m -> real (dot_rows a b) = real (dot_rows b a).
    move=> sa sb; rewrite (@dot_rows_real _ _ _ m) ?sa // (@dot_rows_real _ _ _ m) ?sb //.
    by apply: eq_bigr => j _; rewrite Rmult_comm.
  rewrite (swap d (short_difference (pair_of t))) ?size_short_difference //.
  by rewrite (swap e (short_query (pair_of t))) ?size_short_query.
pose B (t : token (problem D)) (k : 'I_n) := back (line_at rows (position t)) k.
pose residual t u := kappa * (G t u - real h * ((if t == u then real s else 0) + \sum_k B t k * B u k)).
have Esmall t u : in_mask mask t -> in_mask mask u -> Rabs (residual t u) <= kappa * real emax.
  move=> it iu; rewrite /residual Rabs_mult (Rabs_pos_eq _ kappa0); apply: Rmult_le_compat_l => //.
  have symB : \sum_k B t k * B u k = \sum_k B u k * B t k by apply: eq_bigr => k _; rewrite Rmult_comm.
  case/orP: (leq_total (position u) (position t)) => le_p.
    rewrite -gram_entry // -position_eq //; apply: res; by rewrite le_p position_lt.
  rewrite Gsym symB (eq_sym t u) -gram_entry // -position_eq //; apply: res; by rewrite le_p position_lt.
have short_gram : gram_at_least (in_mask mask) short_row (kappa * (real h * real s - INR n * real emax)).
  apply: (@cholesky_gram_at_least _ _ _ _ _ (fun t k => sqrt (kappa * real h) * B t k) residual (kappa * (real h * real s))).
    move=> t u it iu; rewrite dot_short -/(G t u) -/kappa.
    have -> : \sum_k sqrt (kappa * real h) * B t k * (sqrt (kappa * real h) * B u k) =
              kappa * real h * (\sum_k B t k * B u k).
      rewrite sum_mull; apply: eq_bigr => k _.
      have sq : sqrt (kappa * real h) * sqrt (kappa * real h) = kappa * real h.
        by apply: sqrt_sqrt; apply: Rmult_le_pos.
      by rewrite -{3}sq; ring.
    by rewrite /residual; case: eqP => _; ring.
  move=> t it; apply: Rle_trans (sum_le _ (fun u iu => Esmall t u it iu)) _.
  have -> : kappa * (real h * real s) - kappa * (real h * real s - INR n * real emax) = INR n * (kappa * real emax) by ring.
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
    have /allpairsPdep[i [t [Hi Ht _]]] := mem_nth (0%nat, 0%nat) n_pos.
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
Definition gram_check (quick : entries N) (D : token_data N) (picks : seq nat) (mask : seq (seq bool)) (hints : gram_hints) (q : fraction N) : bool :=
  if in_words hints then gram_check_with quick D picks mask hints q else gram_check_with (wide N) D picks mask hints q.

Theorem gram_check_sound (quick : entries N) (D : token_data N) (picks : seq nat) (mask : seq (seq bool)) (hints : gram_hints) (q : fraction N)
    (Dok : data_ok D) (Pok : picks_ok D picks) : gram_check quick D picks mask hints q ->
  gram_at_least (@in_mask N D mask) (Delta (selection_of Pok)) (fraction_real q).
Proof. by rewrite /gram_check; case: ifP => _; apply: gram_check_with_sound. Qed.

Lemma gram_check_bound_ok quick D picks mask hints q : gram_check quick D picks mask hints q -> fraction_ok q.
Proof. by rewrite /gram_check; case: ifP => _ /andP[]. Qed.
End GramBound.
