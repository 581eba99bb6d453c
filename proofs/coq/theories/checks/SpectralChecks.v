(* SpectralChecks: an upper bound of the spectral norm of a matrix over one denominator (GRAMMAR.md section 8).

   The matrix is scaled and rounded to integers V; (2^bits - s)^2 - V V', or V' V, is factored as L L' up to a residual
   of bounded row sums, so that it is positive semidefinite. How L is found does not matter. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection NormDuality MatrixProducts DualNorm Enclosure Number Rows Interval
  Elementary TokenData MarginChecks GramBound NormChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- rows of bounded combinations ---- *)

(* || sum_i x_i M_i ||^2 <= b^2 sum_i x_i^2 *)
Definition combinations_within (J I : finType) (M : I -> vec J) (b : R) : Prop :=
  forall x : I -> R, vnorm2 (combine predT x M) <= b * b * (\sum_i x i * x i).

Lemma combinations_within_rounded (J I : finType) (M V : I -> vec J) (P limit s : R) :
  combinations_within V limit -> \sum_i vnorm2 (V i - P * M i)%V <= s * s -> 0 <= limit -> 0 <= s -> limit + s = P ->
  0 < P -> combinations_within M 1.
Proof.
move=> HV HE l0 s0 sum P0 x; rewrite !Rmult_1_l; set X := \sum_i x i * x i.
have X0 : 0 <= X by apply: sum_ge0 => i _; exact: Rle_0_sqr.
pose E := fun i => (V i - P * M i)%V.
have split_M : (P * combine predT x M = combine predT x V - combine predT x E)%V.
  by apply: vec_ext => j; rewrite /vscale /vsub /combine -sumB sum_mull; apply: eq_bigr => i _;
     rewrite /E /vsub /vscale; ring.
have [r [r0 rr]] : exists r, 0 <= r /\ r * r = X by exists (sqrt X); split; [exact: sqrt_pos | exact: sqrt_sqrt].
have nV : vnorm (combine predT x V) <= limit * r.
  apply: vnorm_le_sqr; first exact: Rmult_le_pos.
  by apply: Rle_trans (HV x) _; right; rewrite -/X -rr; ring.
have nE : vnorm (combine predT x E) <= s * r.
  apply: vnorm_le_sqr; first exact: Rmult_le_pos.
  apply: Rle_trans (combine_short_in _ _ _) _; apply: (Rle_trans _ (X * (s * s))); last by rewrite -rr; right; ring.
  exact: Rmult_le_compat_l X0 HE.
have := vnorm_triangle (combine predT x V) (- combine predT x E)%V; rewrite vnormN => tri.
have nM : P * vnorm (combine predT x M) <= P * r.
  rewrite -{1}(Rabs_pos_eq P) -?vnormZ ?split_M; last by lra.
  by apply: Rle_trans tri _; rewrite -sum; lra.
have {}nM := Rmult_le_reg_l _ _ _ P0 nM; have n0 := vnorm_ge0 (combine predT x M).
by rewrite -vnorm_sqr -rr; apply: Rmult_le_compat.
Qed.

Section Contractions.
Variables (d e : finType) (M : vec [finType of d * e]).

(* By columns, and by rows: a matrix and its transpose have the same norm. *)
Lemma contraction_of_columns : combinations_within (fun k : e => (fun j => M (j, k)) : vec d) 1 -> contraction M.
Proof.
move=> H x; have := H x; rewrite !Rmult_1_l; apply: Rle_trans; right; congr vnorm2.
by apply: vec_ext => j; apply: eq_bigr => k _; ring.
Qed.

Lemma contraction_of_rows : combinations_within (fun j : d => (fun k => M (j, k)) : vec e) 1 -> contraction M.
Proof.
move=> H x; set u := matrix_vector M x; have := H u; rewrite !Rmult_1_l; set c := combine _ _ _ => cu.
have E : vnorm2 u = dot c x.
  rewrite {1}/vnorm2 /dot /c /combine; under [RHS]eq_bigr do rewrite sum_mulr.
  rewrite exchange_big; apply: eq_bigr => j _; rewrite {2}/u /matrix_vector sum_mull.
  by apply: eq_bigr => k _; ring.
have := dot_le_norms c x; rewrite -E -(vnorm_sqr u) => le_cx.
have n0 := vnorm_ge0 u; have x0 := vnorm_ge0 x; have nc : vnorm c <= vnorm u := sqrt_le_1_alt _ _ cu.
have {le_cx} : vnorm u <= vnorm x.
  case: (Rle_lt_or_eq_dec _ _ n0) => [pos | <-] //; apply: (Rmult_le_reg_l (vnorm u)) => //.
  by apply: Rle_trans le_cx _; apply: Rmult_le_compat_r.
by move=> le_x; rewrite -(vnorm_sqr x); apply: Rmult_le_compat.
Qed.
End Contractions.

Section SpectralChecks.
Variable N : number.
Implicit Types (x t : N) (row line : seq N) (rows lines : seq (seq N)).

(* ---- a factor, with the entries of a line from the diagonal back ---- *)

(* Rounded towards zero. *)
Definition truncated x t : N := if le zero x then quotient x t else opp (quotient (opp x) t).

Fixpoint solve_line (partial : seq N) lines row : option (seq N) :=
  match lines, row with
  | (pivot :: rest) :: lines', g :: row' =>
      solve_line (truncated (sub g (dot_rows partial rest)) pivot :: partial) lines' row'
  | [::], g :: _ => let t := sub g (dot_rows partial partial) in if lt zero t then Some (root t :: partial) else None
  | _, _ => None
  end.

Fixpoint factor_lines lines rows : option (seq (seq N)) :=
  if rows is row :: rows' then
    if solve_line [::] lines row is Some line then factor_lines (rcons lines line) rows' else None
  else Some lines.

(* What the factor leaves of a row. *)
Definition residual_row lines row line : seq N := [seq sub gl.1 (dot_rows line gl.2) | gl <- zip row lines].

(* The matrix and the reserve on its diagonal have no negative quadratic form. *)
Definition semidefinite_check rows (reserve : N) : bool :=
  if factor_lines [::] rows is Some backwards then
    let lines := [seq rev line | line <- backwards] in
    [&& size lines == size rows, all (fun line => (size line <= size rows)%nat) lines &
        all (fun rl => le (sum_row [seq magnitude x | x <- residual_row lines rl.1 rl.2]) reserve) (zip rows lines)]
  else false.

Theorem semidefinite_check_sound (k : nat) rows reserve : shaped k k rows ->
  (forall i j : 'I_k, entry2 rows i j = entry2 rows j i) -> semidefinite_check rows reserve ->
  forall x : 'I_k -> R, - real reserve * (\sum_i x i * x i) <= \sum_i \sum_j x i * x j * entry2 rows i j.
Proof.
move=> sh sym; rewrite /semidefinite_check; case: factor_lines => // backwards.
have /eqP sr := proj1 (andP sh); rewrite sr; set lines := map _ _ => /and3P[/eqP sl short small] x.
pose L (i m : 'I_k) := entry2 lines i m; pose E (i j : 'I_k) := entry2 rows i j - \sum_m L i m * L j m.
have jl (j : 'I_k) : (j < size lines)%nat by rewrite sl.
have dotE (i j : 'I_k) : real (dot_rows (nth [::] lines i) (nth [::] lines j)) = \sum_m L i m * L j m.
  by rewrite (@dot_rows_real _ _ _ k) //; exact: (all_nthP [::] short i (jl i)).
have symE (i j : 'I_k) : predT i -> predT j -> E i j = E j i.
  by move=> _ _; rewrite /E sym; congr (_ - _); apply: eq_bigr => m _; ring.
have rowE (i : 'I_k) : predT i -> \sum_j Rabs (E i j) <= real reserve.
  move=> _; have := all_nthP ([::], [::]) small i; rewrite size_zip sr sl minnn => /(_ (ltn_ord i))/le_real.
  have si := shaped_row sh (ltn_ord i).
  rewrite nth_zip ?sr ?sl //= sum_row_real !size_map size_zip si sl minnn; apply: Rle_trans; right.
  apply: eq_bigr => j _; have js : (j < size (zip (nth [::] rows i) lines))%nat by rewrite size_zip si sl minnn.
  rewrite /entry (nth_map zero) ?size_map // (nth_map (zero, [::])) // nth_zip ?si ?sl //= magnitude_real realB.
  by rewrite dotE.
have lo : - real reserve * (\sum_i x i * x i) <= \sum_i \sum_j x i * x j * E i j.
  exact: quadratic_form_row_sums symE rowE x.
have -> : \sum_i \sum_j x i * x j * entry2 rows i j =
    \sum_i \sum_j x i * x j * E i j + \sum_m Rsqr (\sum_i x i * L i m).
  have -> : \sum_m Rsqr (\sum_i x i * L i m) = \sum_i \sum_j x i * x j * (\sum_m L i m * L j m).
    rewrite /Rsqr; under eq_bigr => m _.
      rewrite sum_mulr; under eq_bigr do rewrite sum_mull.
      over.
    rewrite exchange_big; apply: eq_bigr => i _; rewrite exchange_big; apply: eq_bigr => j _.
    by rewrite sum_mull; apply: eq_bigr => m _; ring.
  by rewrite -sumD; apply: eq_bigr => i _; rewrite -sumD; apply: eq_bigr => j _; rewrite /E; ring.
have : 0 <= \sum_m Rsqr (\sum_i x i * L i m) by apply: sum_ge0 => m _; exact: Rle_0_sqr.
lra.
Qed.

(* ---- Gram matrices ---- *)

(* c on the diagonal, less the products of the rows. *)
Definition less_gram (c : N) rows : seq (seq N) :=
  mkseq (fun i => mkseq (fun j => sub (if eqn i j then c else zero) (dot_rows (nth [::] rows i) (nth [::] rows j)))
                    (size rows)) (size rows).

Definition row_vectors (k n : nat) rows (i : 'I_k) : vec [finType of 'I_n] := fun l => entry2 rows i l.

Definition within_check rows (bits : Z) (limit : N) : bool :=
  let reserve := mul (of_natural N (size rows).+1) (shift_up one bits) in
  le zero limit && semidefinite_check (less_gram (sub (mul limit limit) reserve) rows) reserve.

Theorem within_check_sound (k n : nat) rows bits limit : shaped k n rows -> within_check rows bits limit ->
  combinations_within (@row_vectors k n rows) (real limit).
Proof.
move=> sh /andP[_]; set reserve := mul (of_natural N _) _; set c := sub _ reserve; set G := less_gram c rows => H x.
have /eqP sr := proj1 (andP sh).
have sG : size G = k by rewrite size_mkseq.
have rowG i : (i < k)%nat -> size (nth [::] G i) = k by move=> il; rewrite nth_mkseq ?size_mkseq sr.
have shG : shaped k k G by rewrite /shaped sG eqxx; apply/(all_nthP [::]) => i; rewrite sG => /rowG ->.
have entryG (i j : 'I_k) : entry2 G i j =
    (if i == j then real c else 0) - dot (@row_vectors k n rows i) (@row_vectors k n rows j).
  rewrite /entry2 /entry nth_mkseq ?sr // nth_mkseq ?sr // realB.
  rewrite (@dot_rows_real _ _ _ n) ?(shaped_row sh (ltn_ord i)) //.
  by rewrite eqnE val_eqE; case: eqP => _; rewrite ?real0.
have sym (i j : 'I_k) : entry2 G i j = entry2 G j i by rewrite !entryG dotC eq_sym; case: eqP => [-> |].
have := semidefinite_check_sound shG sym H x; set V := @row_vectors k n rows.
have -> : vnorm2 (combine predT x V) = \sum_i \sum_j x i * x j * dot (V i) (V j) by exact: vnorm2_combine.
have -> : \sum_i \sum_j x i * x j * entry2 G i j =
    real c * (\sum_i x i * x i) - \sum_i \sum_j x i * x j * dot (V i) (V j).
  rewrite sum_mull -sumB; apply: eq_bigr => i _.
  have -> : real c * (x i * x i) = \sum_j x i * x j * (if i == j then real c else 0).
    rewrite (bigD1 i) //= eqxx big1 => [|j ji]; first by ring.
    by rewrite eq_sym (negbTE ji); ring.
  by rewrite -sumB; apply: eq_bigr => j _; rewrite entryG Rmult_minus_distr_l.
rewrite /c realB realM; lra.
Qed.

(* ---- the matrix, scaled and rounded ---- *)

Definition transposed (e : nat) rows : seq (seq N) := mkseq (fun k => [seq nth zero row k | row <- rows]) e.

Lemma entry_transposed e rows j k : (k < e)%nat -> entry2 (transposed e rows) k j = entry2 rows j k.
Proof.
move=> ke; rewrite /entry2 nth_mkseq //; case: (ltnP j (size rows)) => jr; first by rewrite /entry (nth_map [::]).
by rewrite entry_over ?size_map // (nth_default [::] jr) entry_nil.
Qed.

Section Bound.
Variables (unit : N) (bound : fraction N) (bits : Z).

(* 2^bits x / (unit bound), rounded to the nearest integer. *)
Definition rounded x : N :=
  let u := mul unit (fraction_num bound) in
  quotient (add (mul two (shift_up (mul x (fraction_den bound)) bits)) u) (mul two u).

Definition spectral_check (d e : nat) rows : bool :=
  let error := root_up 2 (of_natural N (d * e)) in
  let narrow := if (d <= e)%nat then rows else transposed e rows in
  [&& le zero error, le (of_natural N (d * e)) (mul error error) &
      within_check [seq [seq rounded x | x <- row] | row <- narrow] bits (sub (shift_up one bits) error)].

Hypotheses (bits0 : (0 <= bits)%Z) (unit0 : 0 < real unit) (den0 : 0 < real (fraction_den bound))
  (num0 : 0 < real (fraction_num bound)).
Let b := fraction_real bound.

Lemma rounded_real x : Rsqr (real (rounded x) - power bits * (/ b * (real x / real unit))) <= 1.
Proof.
have u0 : 0 < real unit * real (fraction_num bound) by apply: Rmult_lt_0_compat.
have := @quotient_real N (add (mul two (shift_up (mul x (fraction_den bound)) bits)) (mul unit (fraction_num bound)))
          (mul two (mul unit (fraction_num bound))).
rewrite -/(rounded x) !realM realD !realM shift_up_real // realM real2 => -[|lo hi]; first by lra.
set q := real (rounded x) in lo hi *; set u := real unit * real (fraction_num bound) in u0 lo hi *.
set z := power bits * _; have zE : z * u = real x * real (fraction_den bound) * power bits.
  by rewrite /z /u /b /fraction_real; field; repeat split; lra.
have le1 : q - z <= 1 by apply: (Rmult_le_reg_r u) => //; lra.
have ge1 : - (1) <= q - z by apply: (Rmult_le_reg_r u) => //; lra.
by rewrite -Rsqr_1; exact: neg_pos_Rsqr_le.
Qed.

(* M / b has norm at most 1 when its scaled and rounded rows pass. *)
Lemma within_sound (k n : nat) rows (error limit : N) (M : 'I_k -> vec [finType of 'I_n]) : shaped k n rows ->
  (forall i l, M i l = / b * (entry2 rows i l / real unit)) -> INR k * INR n <= real error * real error ->
  0 <= real error -> within_check [seq [seq rounded x | x <- row] | row <- rows] bits limit ->
  real limit + real error = power bits -> combinations_within M 1.
Proof.
move=> sh ME small error0 H sum; set V := map _ _ in H.
have /eqP sr := proj1 (andP sh).
have shV : shaped k n V.
  rewrite /shaped size_map sr eqxx; apply/(all_nthP [::]) => i; rewrite size_map => ik.
  by rewrite (nth_map [::]) // size_map (shaped_row sh) // -sr.
have within := within_check_sound shV H; have /andP[/le_real l0 _] := H; rewrite real0 in l0.
apply: (combinations_within_rounded within _ l0 error0 sum (power_gt0 bits)); apply: Rle_trans small.
apply: (Rle_trans _ (\sum_(i < k) \sum_(l < n) 1)); last by rewrite sum_const card_ord sum_const card_ord; right; ring.
apply: sum_le => i _; apply: sum_le => l _; rewrite /vsub /vscale /row_vectors ME.
have -> : entry2 V i l = real (rounded (nth zero (nth [::] rows i) l)).
  by rewrite /entry2 /entry (nth_map [::]) ?sr // (nth_map zero) // (shaped_row sh (ltn_ord i)).
exact: rounded_real.
Qed.

Theorem spectral_check_sound (d e : nat) rows : shaped d e rows -> spectral_check d e rows ->
  @contraction [finType of 'I_d] [finType of 'I_e] (fun jk => / b * (entry2 rows jk.1 jk.2 / real unit)).
Proof.
move=> sh; rewrite /spectral_check; set error := root_up _ _ => /and3P[/le_real error0 /le_real small].
have de : INR d * INR e <= real error * real error by move: small; rewrite realM of_natural_real mult_INR.
have sum : real (sub (shift_up one bits) error) + real error = power bits.
  by rewrite realB shift_up_real // real1; ring.
rewrite real0 in error0; case: ifP => _ H.
  by apply: contraction_of_rows; exact: (within_sound sh _ de error0 H sum).
have shT : shaped e d (transposed e rows).
  rewrite /shaped size_mkseq eqxx; apply/(all_nthP [::]) => k; rewrite size_mkseq => ke.
  by rewrite nth_mkseq // size_map; case/andP: sh.
apply: contraction_of_columns; apply: (within_sound shT _ _ error0 H sum) => [k j|]; last by rewrite Rmult_comm.
by rewrite entry_transposed.
Qed.
End Bound.
End SpectralChecks.
