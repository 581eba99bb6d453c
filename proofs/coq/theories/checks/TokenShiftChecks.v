(* TokenShiftChecks: what the attention stage of one-hot sentences predicts of other contexts: along the solution, and
   at all steps from one on (NEXT_TOKEN.md section 5). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Heads Direction Growth Saturation Claims Iteration HeadRuns TokenHead Number
                           Rows TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary
                           IntervalTables ReferenceIntervals RunChecks UnitRows TokenPlaces TokenReplay TokenTrees
                           TokenRunChecks TokenSees TokenForeverChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* Tokens up to the query, what is said to be next, and the step from which on it is predicted. *)
Record shifted_sentence := ShiftedSentence {
  shifted_context : seq nat;
  shifted_next : nat;
  shifted_from : option nat;
  shifted_paths : seq (nat * seq (nat * nat))   (* guesses: rows, each a group and a token, that lead to a token *)
}.

Definition shifted_query (s : shifted_sentence) : nat := last 0%nat (shifted_context s).

(* ---- what is said ---- *)

Section Said.
Variables (N : number) (D : token_data N) (pairs : seq (nat * nat)).
Implicit Types (w : vec (coord (problem D))).

(* The entry (x, q) of a matrix; 0 where it has none. *)
Definition entry_at w (q x : nat) : R := if coordinate_at D q x is Some jk then w jk else 0.

(* Of the context's tokens, the one with that next one has the greatest logit. *)
Definition predicted w (s : shifted_sentence) : Prop := exists x, [/\ (x, shifted_next s) \in pairs,
  x \in shifted_context s & forall t, t \in shifted_context s -> t != x ->
    entry_at w (shifted_query s) t < entry_at w (shifted_query s) x].

(* And more attention than each other, counted as often as they stand there. *)
Definition attended_most w (s : shifted_sentence) : Prop := exists x, [/\ (x, shifted_next s) \in pairs,
  x \in shifted_context s & forall t, t \in shifted_context s -> t != x ->
    INR (count_mem t (shifted_context s)) * exp (entry_at w (shifted_query s) t) <
    INR (count_mem x (shifted_context s)) * exp (entry_at w (shifted_query s) x)].
End Said.

(* A quadratic in sqrt n that is positive from n0 on. *)
Lemma rises_beyond_root (r l b n n0 : R) : 0 < r -> 0 <= b -> 0 <= n0 <= n ->
  b < 4 * r * l \/ 0 < r * n0 + l - sqrt (b * n0) /\ b <= 4 * r * r * n0 -> 0 < r * n + l - sqrt (b * n).
Proof.
move=> r0 b0 [n00 n0n] H; have nn : 0 <= n by lra.
have s0 := sqrt_pos n; have sn : sqrt n * sqrt n = n := sqrt_sqrt _ nn; have q0 := sqrt_pos b.
have qb : sqrt b * sqrt b = b := sqrt_sqrt _ b0; rewrite (sqrt_mult _ _ b0 nn).
set s := sqrt n in s0 sn *; set q := sqrt b in q0 qb *.
case: H => [H|]; first by have := Rle_0_sqr (2 * r * s - q); rewrite /Rsqr => sq; nra.
rewrite (sqrt_mult _ _ b0 n00) -/q; have z0 := sqrt_pos n0; have zn : sqrt n0 * sqrt n0 = n0 := sqrt_sqrt _ n00.
have zs : sqrt n0 <= s by exact: sqrt_le_1_alt.
set z := sqrt n0 in z0 zn zs *; move=> [pos le].
have ql : q <= 2 * r * z.
  apply: le_of_sqr_le; first by apply: Rmult_le_pos; lra.
  by rewrite qb -zn in le *; lra.
have := Rmult_le_pos (s - z) (r * (s + z) - q) (ltac:(lra)) (ltac:(nra)); nra.
Qed.

(* ---- the check ---- *)

Section Check.
Variables (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat)).
Notation interval := (interval N).
Notation P := token_precision.
Notation exact_precision := 65536%Z.

Definition entry_in (T : tree N) (q x : nat) : interval :=
  if (x < left_dimension D)%nat && (q < right_dimension D)%nat then tree_at (key D q x) T else interval0 N.

(* The solution's entries times the denominator of its multipliers. *)
Definition solution_tree (v : vector N) : tree N :=
  let mask := constraint_mask D picks in
  let given := within mask (interval0 N) (map_rows (@exactly N) (numerators v)) in
  let sums := spread_column (fun a _ => a) (group_sums exact_precision given) given in
  put_table exact_precision (key_table D)
    (map_rows (fun x => if x.1 then iopp x.2.1 else x.2.2) (zip_rows mask (zip_rows given sums))).

(* How much greater the logit of x is along the solution. *)
Definition lead_in (star : tree N) (q x t : nat) : interval :=
  isub exact_precision (entry_in star q x) (entry_in star q t).

Definition winner_of (s : shifted_sentence) : option nat :=
  if [seq a.1 | a <- pairs & (a.2 == shifted_next s)%nat] is x :: _ then
    if x \in shifted_context s then Some x else None
  else None.

Definition rivals_of (s : shifted_sentence) (x : nat) : seq nat := [seq t <- undup (shifted_context s) | t != x].

(* Along rows from x: where they end, and what is added to a by which the entry at x is above. *)
Fixpoint along_rows (least : interval) (q x : nat) (path : seq (nat * nat)) (a : interval) : nat * interval :=
  if path is (i, s) :: rest then
    let places := nth [::] (place_table D) i in
    let counts := count_row (sequence_at D i) in
    let k := nth 0%nat picks i in
    if [&& (i < size (sequences D))%nat, (s < size places)%nat, s != k, nth 0%nat (query_column D) i == q &
        nth 0%nat places k == x] then
      along_rows least q (nth 0%nat places s) rest
        (iadd P a (iadd P least (ilog P (ratio P (nth zero counts k) (nth zero counts s)))))
    else (x, Everything N)
  else (x, a).

(* What the claims about the solution and later steps say. *)
Record known_future := KnownFuture {
  known_step : nat; known_entries : tree N; known_said : token_future N; known_length : interval; known_unit : N
}.
Variable (k : known_future).

Definition more_in (s : shifted_sentence) (x t : nat) : interval :=
  let counted y := of_natural N (count_mem y (shifted_context s)) in ilog P (ratio P (counted t) (counted x)).

Definition rows_win (s : shifted_sentence) (x t : nat) : bool :=
  let off := claimed P (future_off (known_said k)) in
  let kept := isub P (interval1 N) off in
  let path := flatten [seq a.2 | a <- shifted_paths s & (a.1 == t)%nat] in
  let found := along_rows (ilog P (idiv P kept off)) (shifted_query s) x path (interval0 N) in
  [&& is_positive off, is_positive kept, found.1 == t & is_positive (iadd P found.2 (more_in s x t))].

Definition limit_wins (star : tree N) (s : shifted_sentence) (x t from : nat) : bool :=
  let q := shifted_query s in
  let c := known_said k in
  let slope := idiv P (idiv P (lead_in star q x t) (exactly (known_unit k))) (known_length k) in
  let rise := imul P slope (claimed P (future_growth c)) in
  let here := isub P (entry_in (known_entries k) q x) (entry_in (known_entries k) q t) in
  let level := isub P (iadd P here (more_in s x t))
    (imul P slope (claimed P (future_lag c))) in
  let spread := imul P (interval2 N) (claimed P (future_path c)) in
  let four := iadd P (interval2 N) (interval2 N) in
  let steps := exactly (of_natural N (from - known_step k)) in
  certainly_lt spread (imul P (imul P four rise) level) ||
  is_positive (isub P (iadd P (imul P rise steps) level) (isqrt P (imul P spread steps))) &&
    certainly_le spread (imul P (imul P (imul P four rise) rise) steps).

Definition shifted_later_check (star : tree N) (s : shifted_sentence) (x from : nat) : bool :=
  (known_step k <= from)%nat && all (fun t => rows_win s x t || limit_wins star s x t from) (rivals_of s x).
End Check.

Definition shifted_check (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat)) (star : tree N)
    (future : option (known_future N)) (s : shifted_sentence) : bool :=
  if winner_of pairs s is Some x then
    all (fun t => is_positive (lead_in D star (shifted_query s) x t)) (rivals_of s x) &&
    match shifted_from s, future with
    | None, _ => true
    | Some from, Some k => shifted_later_check D picks k star s x from
    | Some _, None => false
    end
  else false.

(* ---- soundness ---- *)

Local Opaque contains.

Section Soundness.
Variables (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat)).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks) (Sok : token_stage_ok D picks pairs).
Notation P := token_precision.
Notation exact_precision := 65536%Z.
Let alpha : selection (problem D) := selection_of Pok.
Notation J := (coord (problem D)).
Implicit Types (t : token (problem D)) (w : vec J).
Notation place t := (token_coordinate Dok Sok t).

Lemma entry_in_contains T w q x : tree_encloses T w -> contains (entry_in D T q x) (entry_at w q x).
Proof.
move=> HT; rewrite /entry_in /entry_at /coordinate_at.
case: ltnP => xd /=; last by case: insubP => [j|]; [rewrite ltnNge xd | move=> _; exact: contains0].
rewrite insubT; case: ltnP => qe; last by case: insubP => [j|]; [rewrite ltnNge qe | move=> _; exact: contains0].
by rewrite insubT; exact: tree_entry HT.
Qed.

Lemma place_entry w t : entry_at w (query_place (group_of t)) (token_place t) = w (place t).
Proof.
rewrite /entry_at /coordinate_at insubT; first exact: token_place_lt Sok t.
move=> xd; rewrite insubT; first exact: (proj1 (query_placeP Dok Sok (group_of t))).
by move=> qe; congr w; congr pair; apply: val_inj.
Qed.

(* ---- the solution ---- *)

Lemma solution_tree_encloses v : vector_ok D picks v ->
  tree_encloses (solution_tree D picks v) (real (denominator v) * W alpha (@coefficient_of N D v))%V.
Proof.
move=> vok; have /and3P[_ fv _] := vok; have d0 := denominator_gt0 vok.
pose F t : R := if constraint alpha t then real (at_token zero (numerators v) t) else 0.
pose G t : R := if constraint alpha t then - F t else \sum_(u | group_of u == group_of t) F u.
have fm := fits_constraint_mask Pok.
have given : encloses (within (constraint_mask D picks) (interval0 N) (map_rows (@exactly N) (numerators v))) F.
  have fe : fits D (map_rows (@exactly N) (numerators v)) by exact: fits_map.
  have H := within_encloses (F := fun t => real (at_token zero (numerators v) t)) fm (contains0 N) fe.
  have -> : F = (fun t => if in_mask (constraint_mask D picks) t then real (at_token zero (numerators v) t) else 0).
    by apply: FunctionalExtensionality.functional_extensionality => t; rewrite /F (in_constraint_mask Pok).
  by apply: H => t _; rewrite (at_token_map zero) //; exact: exactly_contains.
have [fs Hs] := spread_column_encloses (f := fun a _ => a) (G := fun t => \sum_(u | group_of u == group_of t) F u)
  (group_sums_enclose exact_precision given) given (fun t I K HI HK => HI).
have [fg Hg] := given; have fz := fits_zip fg fs.
have -> : (real (denominator v) * W alpha (@coefficient_of N D v))%V = combine predT G (@feature (problem D)).
  apply: vec_ext => jk; rewrite /vscale /W /combine sum_mull.
  rewrite (partition_big (@group_of (problem D)) predT) // [RHS](partition_big (@group_of (problem D)) predT) //.
  apply: eq_bigr => i _.
  have all_in (H : token (problem D) -> R) :
      \sum_(t | predT t && (group_of t == i)) H t = \sum_(t | group_of t == i) H t.
    by [].
  have no_constraint : constraint alpha (alpha i) = false by rewrite /constraint selected_pick eqxx.
  rewrite all_in (group_sum alpha) {1}/G no_constraint (group_of_pick alpha) sum_mulr.
  rewrite (group_sum alpha (fun u => F u * feature (alpha i) jk)) {1}/F no_constraint Rmult_0_l Rplus_0_l -sumD.
  apply: eq_bigr => t ti; have [Qt /eqP g] := andP ti.
  rewrite /G /F Qt /Delta /vsub /selected g /coefficient_of /coefficient.
  rewrite -[entry (nth [::] (numerators v) _) _]/(real (at_token zero (numerators v) t)); field; lra.
apply: (put_table_encloses exact_precision Dok Sok).
apply: (encloses_map (e0 := (false, (Everything N, Everything N)))); first exact: fits_zip.
move=> t; have := Hg t; have := Hs t; rewrite /G.
rewrite (@at_token_zip N D _ _ false (Everything N, Everything N) (constraint_mask D picks) _ t fm fz).
rewrite (@at_token_zip N D _ _ (Everything N) (Everything N) _ _ t fg fs) -(in_constraint_mask Pok t) /in_mask.
by case: (at_token false (constraint_mask D picks) t) => // HI HJ; exact: iopp_contains.
Qed.

Variables (v : vector N).
Hypothesis vok : vector_ok D picks v.
Notation ws := (W alpha (@coefficient_of N D v)).
Notation star := (solution_tree D picks v).

Lemma lead_in_contains q x (t : nat) : contains (lead_in D star q x t)
  (real (denominator v) * (entry_at ws q x - entry_at ws q t)).
Proof.
have scaled y : contains (entry_in D star q y) (real (denominator v) * entry_at ws q y).
  have -> : real (denominator v) * entry_at ws q y = entry_at (real (denominator v) * ws)%V q y.
    by rewrite /entry_at; case: (coordinate_at D q y) => [jk|] //; ring.
  exact: entry_in_contains (solution_tree_encloses vok).
by rewrite Rmult_minus_distr_l; exact: isub_contains.
Qed.

Lemma winner_pair s x : winner_of pairs s = Some x -> (x, shifted_next s) \in pairs /\ x \in shifted_context s.
Proof.
rewrite /winner_of; case E: [seq _ | _ <- _ & _] => [|y r] //; case: ifP => // inside [<-]; split=> //.
have : y \in [seq a.1 | a <- pairs & (a.2 == shifted_next s)%nat] by rewrite E mem_head.
by case/mapP=> -[a b]; rewrite mem_filter /= => /andP[/eqP -> ab ->].
Qed.

Lemma rival_in_context s x (t : nat) : t \in shifted_context s -> t != x -> t \in rivals_of s x.
Proof. by move=> ti ne; rewrite mem_filter ne mem_undup. Qed.

Theorem predicted_sound s x : winner_of pairs s = Some x ->
  all (fun t : nat => is_positive (lead_in D star (shifted_query s) x t)) (rivals_of s x) -> predicted pairs ws s.
Proof.
move=> /winner_pair [xs inside] /allP H; exists x; split=> // t ti ne.
have := is_positive_real (lead_in_contains (shifted_query s) x t) (H t (rival_in_context ti ne)).
have d0 := denominator_gt0 vok => lead.
by have := Rmult_lt_reg_l _ 0 _ d0 (ltac:(rewrite Rmult_0_r; exact: lead)); lra.
Qed.

(* ---- later steps ---- *)

Variables (h : head (problem D)) (least step : R) (z : nat -> vec J) (k : known_future N).
Hypothesis lasts : token_lasts alpha h least step ws (known_said k) z.
Hypothesis entries_in : tree_encloses (known_entries k) (z 0%nat).
Hypothesis length_in : contains (known_length k) (vnorm ws).
Hypothesis unit_is : known_unit k = denominator v.
Hypothesis norm_gt0 : 0 < vnorm ws.
Notation c := (known_said k).
Notation off := (fraction_real (future_off c)).
Notation u := (margin_direction ws).
Notation y n := (Direction.height u (z n)).

Lemma token_row_margin t n : constraint alpha t -> 0 < off < 1 ->
  ln ((1 - off) / off) + ln (copies alpha t) <= margin alpha (z n) t.
Proof.
move=> Qt [o0 o1]; have [_ _ _ _ /(_ n)[_ _ att _ _]] := lasts.
have ti : others alpha (group_of t) t by rewrite /Saturation.others Qt eqxx.
set i := group_of t in ti *; have a := att i; have k0 := copies_gt0 alpha t.
have s0 : 0 < 1 - off by lra.
have st := attention_other (z n) ti; set q := attention (z n) (alpha i) in a st *.
have small : attention (z n) t <= 1 - q.
  rewrite /q (attention_deficit_sum alpha).
  by apply: (sum_term_le (F := attention (z n))) ti => b _; exact/Rlt_le/attention_gt0.
have e0 := exp_pos (- margin alpha (z n) t).
have below : copies alpha t * exp (- margin alpha (z n) t) <= off / (1 - off).
  apply: (Rmult_le_reg_l (1 - off)) => //; have -> : (1 - off) * (off / (1 - off)) = off by field; lra.
  have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ (Rmult_lt_0_compat _ _ k0 e0)) (ltac:(lra) : 1 - off <= q); lra.
have := ln_le_ln (Rmult_lt_0_compat _ _ k0 e0) below; rewrite ln_mult // ln_exp.
have -> : ln (off / (1 - off)) = - ln ((1 - off) / off); last lra.
by rewrite (ln_div _ _ o0 s0) (ln_div _ _ s0 o0); ring.
Qed.

Lemma along_rows_sound I least' q x path a : contains I a -> contains least' (ln ((1 - off) / off)) -> 0 < off < 1 ->
  let found := along_rows D picks least' q x path I in
  exists2 b, contains found.2 b & forall n, b - a <= entry_at (z n) q x - entry_at (z n) q found.1.
Proof.
move=> HI HL o01; elim: path x I a HI => [|[i s] path IH] x I a HI /=.
  by exists a => // n; lra.
case: ifP => [/and5P[il sl sk /eqP qi /eqP top] | _]; last by exists a => // n; rewrite /=; lra.
have [/eqP sp _] := andP (fits_place_table D).
have sl' : (s < length_of D i)%nat by rewrite -(fits_row (fits_place_table D) il).
pose t : token (problem D) := existT (fun i : data_group D => 'I_(length_of D i)) (Ordinal il) (Ordinal sl').
have pt : token_place t = nth 0%nat (nth [::] (place_table D) i) s by [].
have qt : query_place (group_of t) = q by rewrite -qi.
have pa : token_place (selected alpha t) = x by rewrite -top.
have Qt : constraint alpha t.
  rewrite /constraint; apply: contraNneq sk => E; have := congr1 (fun b : token (problem D) => (tagged b : nat)) E.
  by move=> /= ->.
set step_in := iadd P least' _.
have HS : contains step_in (ln ((1 - off) / off) + ln (copies alpha t)).
  apply: iadd_contains => //; apply: ilog_contains; rewrite /copies !(multiplicity_count Dok) /count_value /entry.
  exact: (ratio_contains P (nth zero (count_row (sequence_at D i)) (nth 0%nat picks i))
    (nth zero (count_row (sequence_at D i)) s)).
have [b Hb H] := IH (nth 0%nat (nth [::] (place_table D) i) s) _ _ (iadd_contains P HI HS).
exists b => // n; have := H n; have := token_row_margin n Qt o01; rewrite margin_logit !(token_logit_entry Dok Sok).
rewrite -!place_entry (group_of_pick alpha) -[group_of t]/(group_of t) qt pa pt; lra.
Qed.

(* A coordinate's own vector. *)
Definition entry_vector (q x : nat) : vec J := fun jk => if coordinate_at D q x == Some jk then 1 else 0.

Lemma entry_vector_dot q x w : dot (entry_vector q x) w = entry_at w q x.
Proof.
rewrite /dot /entry_vector /entry_at; case: (coordinate_at D q x) => [jk|]; last first.
  by rewrite big1 // => j _; exact: Rmult_0_l.
rewrite (bigD1 jk) //= eqxx big1 => [|j /negbTE ne]; first by ring.
have -> : (Some jk == Some j) = false by apply/eqP => -[E]; rewrite E eqxx in ne.
exact: Rmult_0_l.
Qed.

Lemma entry_lead_norm q x (t : nat) : vnorm (entry_vector q x - entry_vector q t)%V <= sqrt 2.
Proof.
apply: sqrt_le_1_alt; rewrite /vnorm2 dotBl !dotBr !entry_vector_dot /entry_at /entry_vector.
case: (coordinate_at D q x) => [a|]; case: (coordinate_at D q t) => [b|]; rewrite ?eqxx /=; try lra.
by case: (Some b == Some a); case: (Some a == Some b); lra.
Qed.

Lemma later_lead q x (t n : nat) : let lead w := entry_at w q x - entry_at w q t in let rho := lead ws / vnorm ws in
  0 <= rho -> lead (z 0%nat) + rho * (fraction_real (future_growth c) * INR n - fraction_real (future_lag c))
    - sqrt (2 * fraction_real (future_path c) * INR n) <= lead (z n).
Proof.
move=> lead rho rho0; have [_ _ _ _ /(_ n)[_ _ _ [_ grows] path]] := lasts.
set d := (entry_vector q x - entry_vector q t)%V.
have dE w : dot d w = lead w by rewrite /d dotBl !entry_vector_dot.
have du : dot d u = rho by rewrite /margin_direction dotZr dE /rho /Rdiv Rmult_comm.
set e := (z n - z 0%nat - (y n - y 0%nat) * u)%V in path.
have split_ : z n = (z 0%nat + (y n - y 0%nat) * u + e)%V by rewrite /e; vec_ring.
have E : dot d (z n) = dot d (z 0%nat) + (y n - y 0%nat) * rho + dot d e by rewrite {1}split_ !dotDr dotZr du.
rewrite -[lead (z n)]dE -[lead (z 0%nat)]dE E.
have de : - sqrt (2 * fraction_real (future_path c) * INR n) <= dot d e.
  have := dot_ge_norms d e; have short := entry_lead_norm q x t; rewrite -/d in short.
  have n0 := pos_INR n; have p0 := Rle_trans _ _ _ (vnorm2_ge0 e) path.
  have en : vnorm e <= sqrt (fraction_real (future_path c) * INR n) by exact: sqrt_le_1_alt.
  rewrite Rmult_assoc sqrt_mult; [|lra|exact: p0].
  have := Rmult_le_compat _ _ _ _ (vnorm_ge0 d) (vnorm_ge0 e) short en; lra.
by have := Rmult_le_compat_l _ _ _ rho0 (ltac:(lra) : fraction_real (future_growth c) * INR n -
  fraction_real (future_lag c) <= y n - y 0%nat); lra.
Qed.

Section Winner.
Variables (s : shifted_sentence) (x t : nat).
Hypotheses (xin : x \in shifted_context s) (tin : t \in shifted_context s).
Notation q := (shifted_query s).
Notation kx := (INR (count_mem x (shifted_context s))).
Notation kt := (INR (count_mem t (shifted_context s))).

Let counted a : a \in shifted_context s -> 0 < INR (count_mem a (shifted_context s)).
Proof. by move=> ain; apply: lt_0_INR; apply/ltP; rewrite -has_count has_pred1. Qed.

Lemma more_in_contains : contains (more_in N s x t) (ln (kx / kt)).
Proof. by rewrite -!(of_natural_real N); apply: ilog_contains; exact: ratio_contains. Qed.

Lemma ahead w : 0 < entry_at w q x - entry_at w q t + ln (kx / kt) ->
  kt * exp (entry_at w q t) < kx * exp (entry_at w q x).
Proof.
move=> pos; have x0 := counted xin; have t0 := counted tin; rewrite ln_div // in pos.
rewrite -{1}(exp_ln kt) // -{1}(exp_ln kx) // -!exp_plus; apply: exp_increasing; lra.
Qed.

Lemma rows_win_sound n : rows_win D picks k s x t -> 0 < entry_at (z n) q x - entry_at (z n) q t + ln (kx / kt).
Proof.
have Ho := claimed_contains P (future_off c); have Hk := isub_contains P (contains1 N) Ho.
case/and4P=> /(is_positive_real Ho) o0 /(is_positive_real Hk) o1 /eqP ends pos.
have below1 : off < 1 by lra.
have [b Hb H] := along_rows_sound q x (flatten [seq a.2 | a <- shifted_paths s & (a.1 == t)%nat]) (contains0 N)
  (ilog_contains P (idiv_contains P Hk Ho)) (conj o0 below1).
have := is_positive_real (iadd_contains P Hb more_in_contains) pos; have := H n; rewrite ends; lra.
Qed.

Lemma limit_wins_sound from n : 0 < entry_at ws q x - entry_at ws q t -> (from <= known_step k + n)%nat ->
  limit_wins D k star s x t from -> 0 < entry_at (z n) q x - entry_at (z n) q t + ln (kx / kt).
Proof.
move=> lead0 late; have d0 := denominator_gt0 vok.
set rho := (entry_at ws q x - entry_at ws q t) / vnorm ws.
have rho0 : 0 < rho by exact: Rdiv_lt_0_compat.
have [_ A0 _ _ later] := lasts; have path0 : 0 <= fraction_real (future_path c).
  by have [_ _ _ _] := later 1%nat; rewrite /= Rmult_1_r; apply: Rle_trans; exact: vnorm2_ge0.
have slope : contains (idiv P (idiv P (lead_in D star q x t) (exactly (known_unit k))) (known_length k)) rho.
  have -> : rho = real (denominator v) * (entry_at ws q x - entry_at ws q t) / real (known_unit k) / vnorm ws.
    by rewrite unit_is /rho; field; lra.
  exact (idiv_contains P (idiv_contains P (lead_in_contains q x t) (exactly_contains _)) length_in).
have rise := imul_contains P slope (claimed_contains P (future_growth c)).
have level := isub_contains P (iadd_contains P (isub_contains P (entry_in_contains q x entries_in)
  (entry_in_contains q t entries_in)) more_in_contains) (imul_contains P slope (claimed_contains P (future_lag c))).
have spread := imul_contains P (contains2 N) (claimed_contains P (future_path c)).
have four := iadd_contains P (contains2 N) (contains2 N).
have steps : contains (exactly (of_natural N (from - known_step k))) (INR (from - known_step k)).
  by rewrite -(of_natural_real N); exact: exactly_contains.
have r0 := Rmult_lt_0_compat _ _ rho0 A0; set r := rho * fraction_real (future_growth c) in rise r0.
set l := entry_at (z 0%nat) q x - entry_at (z 0%nat) q t + ln (kx / kt) - rho * fraction_real (future_lag c) in level.
set b := 2 * fraction_real (future_path c) in spread; have b0 : 0 <= b by rewrite /b; lra.
have n0 : 0 <= INR (from - known_step k) <= INR n.
  by split; [exact: pos_INR | apply: le_INR; apply/leP; rewrite leq_subLR].
move=> H; have := rises_beyond_root (l := l) r0 b0 n0 _; have := @later_lead q x t n (Rlt_le _ _ rho0).
rewrite -/rho -/b => lead pos.
suff : 0 < r * INR n + l - sqrt (b * INR n) by rewrite /r /l; lra.
apply: pos; case/orP: H => [H | /andP[H1 H2]].
  left; have := certainly_lt_real spread (imul_contains P (imul_contains P four rise) level) H; lra.
right; split; first exact: is_positive_real (isub_contains P (iadd_contains P (imul_contains P rise steps) level)
  (isqrt_contains P (imul_contains P spread steps))) H1.
have := certainly_le_real spread (imul_contains P (imul_contains P (imul_contains P four rise) rise) steps) H2; lra.
Qed.
End Winner.

Theorem later_sound s x from n : winner_of pairs s = Some x ->
  all (fun t : nat => is_positive (lead_in D star (shifted_query s) x t)) (rivals_of s x) ->
  shifted_later_check D picks k star s x from -> (from <= known_step k + n)%nat -> attended_most pairs (z n) s.
Proof.
move=> /winner_pair [xs inside] /allP leads /andP[_ /allP H] late; exists x; split=> // t ti ne.
have tr := rival_in_context ti ne; apply: ahead => //.
have d0 := denominator_gt0 vok; have := is_positive_real (lead_in_contains (shifted_query s) x t) (leads t tr) => lead.
have lead0 : 0 < entry_at ws (shifted_query s) x - entry_at ws (shifted_query s) t.
  by apply: (Rmult_lt_reg_l _ 0 _ d0); rewrite Rmult_0_r.
case/orP: (H t tr) => [win | win]; first exact: rows_win_sound win.
exact: limit_wins_sound lead0 late win.
Qed.
End Soundness.
