(* OptimalityChecks: the verified checker's decisions about support sets, strict complementarity, local and global
   optimality and score ties, from the evidence vectors of MarginChecks.v. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Number Rows TokenData Claims Enclosure MarginChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Checks.
Variables (N : number) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Let dx := real (token_unit D).
Let dz := real (query_unit D).
Implicit Types (v : vector N) (t : token (problem D)) (mask : seq (seq bool)).

Notation data_constraint t := (Selection.constraint alpha t).
Notation group_index t := (tag (t : data_token D)).
Notation token_index t := (tagged (t : data_token D)).
Notation solution v := (W alpha (coefficient_of v)).

(* ---- tokens given by their two indices ---- *)

Definition index_ok (i s : nat) : bool := (i < size (sequences D))%nat && (s < length_of D i)%nat.
Definition is_token (i s : nat) t : Prop := (group_index t : nat) = i /\ (token_index t : nat) = s.

Lemma index_token i s : index_ok i s -> exists t, is_token i s t.
Proof. by case/andP=> il sl; exists (@token_of N D (Ordinal il) (Ordinal sl)). Qed.

Definition constraint_at (i s : nat) : bool := index_ok i s && (s != nth 0%nat picks i).

Lemma constraint_at_token i s t : constraint_at i s -> is_token i s t -> data_constraint t.
Proof. by case/andP=> _ /eqP ne [gi ti]; apply/constraint_index; rewrite ti gi. Qed.

Lemma at_index (A : Type) (a0 : A) m i s t : is_token i s t -> at_token a0 m t = nth a0 (nth [::] m i) s.
Proof. by case=> gi ti; rewrite /at_token ti gi. Qed.

(* ---- sets of constraints as nested lists of booleans ---- *)

Definition mask_ok mask : bool := fits D mask && all (fun pb => ~~ nth false pb.2 pb.1) (zip picks mask).
Definition in_mask mask t : bool := at_token false mask t.

Lemma mask_constraint mask t : mask_ok mask -> in_mask mask t -> data_constraint t.
Proof.
case/andP=> fm H it; have [/eqP sm _] := andP fm; have [/eqP sp _] := andP Pok.
apply/constraint_index => E.
have := all_nthP (0%nat, [::]) H (group_index t).
rewrite size_zip sm sp minnn nth_zip ?sm //= -E => /(_ (ltn_ord _)).
by move: it; rewrite /in_mask /at_token => ->.
Qed.

(* ---- support ---- *)

Definition support_check v (m : seq (seq N)) mask : bool :=
  let u := margin_unit D v in
  mask_ok mask && constraints_all (fun bm => if bm.1 then same bm.2 u else lt u bm.2) picks (zip_rows mask m).

Lemma support_check_sound v mask t : vector_ok D picks v -> support_check v (margins D picks v) mask ->
  (support alpha (solution v) t <-> in_mask mask t).
Proof.
move=> vok /andP[mok H]; have [fm _] := andP mok; have u0 := margin_unit_gt0 Dok vok.
have at_constraint : data_constraint t -> (margin alpha (solution v) t = 1 <-> in_mask mask t).
  move=> ct; rewrite (margin_of_matrix Dok Pok t vok).
  have := constraints_allP (false, zero) (fits_zip fm (fits_margins Pok _)) H ct.
  rewrite at_token_zip //=; last exact: fits_margins.
  rewrite -/(in_mask mask t); case: (in_mask mask t) => [/same_real -> | /lt_real m1].
    by split=> // _; rewrite /Rdiv Rinv_r //; lra.
  split=> // E; exfalso.
  have := Rmult_lt_compat_r _ _ _ (Rinv_0_lt_compat _ u0) m1; rewrite Rinv_r; last by lra.
  by move: E; rewrite /Rdiv => ->; lra.
split=> [[ct one] | it]; first exact/(at_constraint ct).
by have ct := mask_constraint mok it; split=> //; apply/(at_constraint ct).
Qed.

Theorem support_check_is v mask lam : vector_ok D picks v -> support_check v (margins D picks v) mask ->
  solution_with alpha (solution v) lam -> support_is alpha (in_mask mask).
Proof. by move=> vok H [M _]; exists (solution v); split=> // t; apply: support_check_sound. Qed.

(* ---- strict complementarity ---- *)

(* The vector is positive on the mask and zero off it. *)
Definition positive_on_check v mask : bool :=
  constraints_all (fun bc => if bc.1 then lt zero bc.2 else same bc.2 zero) picks (zip_rows mask (numerators v)).

Lemma positive_on_check_sound v mask t : vector_ok D picks v -> mask_ok mask -> positive_on_check v mask ->
  data_constraint t -> if in_mask mask t then 0 < coefficient_of v t else coefficient_of v t = 0.
Proof.
move=> vok /andP[fm _] H ct; have /and3P[_ fv _] := vok; have v0 := denominator_gt0 vok.
have := constraints_allP (false, zero) (fits_zip fm fv) H ct.
rewrite at_token_zip //= -/(in_mask mask t) /coefficient_of /coefficient /entry -/(at_token _ _ _).
case: (in_mask mask t) => [/lt_real | /same_real ->]; rewrite real0; last by rewrite /Rdiv Rmult_0_l.
by move=> c0; apply: Rdiv_lt_0_compat.
Qed.

(* Two matrices with their units stand for the same real matrix. *)
Definition same_matrix (m : seq (seq N)) (u : N) (m' : seq (seq N)) (u' : N) : bool :=
  all_zero [seq axpy (opp u) [seq mul u' a | a <- mm.1] mm.2 | mm <- zip m m'].

Lemma same_matrix_real d e m u m' u' (j k : nat) : shaped d e m -> shaped d e m' -> 0 < real u -> 0 < real u' ->
  same_matrix m u m' u' -> (j < d)%nat -> entry2 m j k / real u = entry2 m' j k / real u'.
Proof.
move=> sh sh' u0 u0' H jd; have /eqP sm := proj1 (andP sh); have /eqP sm' := proj1 (andP sh').
have := all_zero_entry j k H.
rewrite {1}/entry2 (nth_map ([::], [::])) ?size_zip ?sm ?sm' ?minnn // nth_zip ?sm ?sm' //=.
have sr := shaped_row sh jd; have sr' := shaped_row sh' jd.
rewrite entry_axpy ?size_map ?sr ?sr' // realN.
have -> : entry [seq mul u' a | a <- nth [::] m j] k = real u' * entry2 m j k.
  case: (ltnP k e) => ke; first by rewrite /entry2 /entry (nth_map zero) ?sr // realM.
  by rewrite /entry2 (entry_over (u := nth [::] m j)) ?sr // entry_over ?size_map ?sr // Rmult_0_r.
rewrite -/(entry2 m' j k) => E.
apply: (Rmult_eq_reg_r (real u * real u')); last by apply: Rgt_not_eq; apply: Rmult_lt_0_compat.
have -> : entry2 m j k / real u * (real u * real u') = real u' * entry2 m j k by field; lra.
have -> : entry2 m' j k / real u' * (real u * real u') = real u * entry2 m' j k by field; lra.
lra.
Qed.

Definition complementary_check v mu mask : bool :=
  [&& vector_ok D picks mu, positive_on_check mu mask &
      same_matrix (weights D picks mu) (weight_unit D mu) (weights D picks v) (weight_unit D v)].

Theorem complementary_check_sound v lam mu mask : vector_ok D picks v -> support_check v (margins D picks v) mask ->
  solution_with alpha (solution v) lam -> complementary_check v mu mask -> strictly_complementary alpha.
Proof.
move=> vok sup sol /and3P[muok pos E]; have mok := proj1 (andP sup).
apply: (strictly_complementary_sound (mu := coefficient_of mu) (A := in_mask mask) sol) => [t | t it | t ct | ].
- exact: support_check_sound.
- by have := positive_on_check_sound muok mok pos (mask_constraint mok it); rewrite it.
- by have := positive_on_check_sound muok mok pos ct; case: (in_mask mask t).
- rewrite -(weights_real Dok Pok muok) -(weights_real Dok Pok vok); apply: vec_ext => -[j k].
  exact: (same_matrix_real (k : nat) (weights_shaped Dok Pok muok) (weights_shaped Dok Pok vok)
            (weight_unit_gt0 Dok muok) (weight_unit_gt0 Dok vok) E (ltn_ord j)).
Qed.

(* <m, m'> as a sum over rows. *)
Fixpoint matrix_dot_from (c : N) (m m' : seq (seq N)) : N :=
  match m, m' with
  | r :: m1, r' :: m1' => matrix_dot_from (dot_from c r r') m1 m1'
  | _, _ => c
  end.
Definition matrix_dot m m' : N := matrix_dot_from zero m m'.

Lemma matrix_dot_real d e (m m' : seq (seq N)) : shaped d e m -> shaped d e m' ->
  real (matrix_dot m m') = \sum_(j < d) \sum_(k < e) entry2 m j k * entry2 m' j k.
Proof.
move=> /andP[/eqP sm Hm] /andP[/eqP sm' Hm'].
suff H c : real (matrix_dot_from c m m') = real c + \sum_(j < d) \sum_(k < e) entry2 m j k * entry2 m' j k.
  by rewrite /matrix_dot H real0; ring.
elim: m m' d c sm sm' Hm Hm' => [|r m IH] [|r' m'] [|d] c //=; first by rewrite big_ord0 => *; ring.
case=> sm [sm'] /andP[/eqP sr Hm] /andP[_ Hm'].
by rewrite (IH _ d) // (@dot_from_real _ _ _ _ e) ?sr // big_ord_recl /entry2 /=; ring.
Qed.

Lemma matrix_real_dot (m m' : seq (seq N)) (u u' : R) : u <> 0 -> u' <> 0 ->
  dot (@matrix_real N D m u) (matrix_real m' u') =
  (\sum_(j < left_dimension D) \sum_(k < right_dimension D) entry2 m j k * entry2 m' j k) / (u * u').
Proof.
move=> u0 u0'; rewrite /dot -(pair_bigA _ (fun j k => matrix_real m u (j, k) * matrix_real m' u' (j, k))) /=.
rewrite /Rdiv sum_mulr; apply: eq_bigr => j _; rewrite sum_mulr; apply: eq_bigr => k _.
have H a b : a / u * (b / u') = a * b * / (u * u') by field.
by rewrite /matrix_real /= H.
Qed.

Definition orthogonal_check v x : bool := same (matrix_dot (weights D picks v) (weights D picks x)) zero.

Lemma orthogonal_check_sound v x : vector_ok D picks v -> vector_ok D picks x -> orthogonal_check v x ->
  dot (solution v) (solution x) = 0.
Proof.
move=> vok xok /same_real; rewrite real0.
rewrite (matrix_dot_real (weights_shaped Dok Pok vok) (weights_shaped Dok Pok xok)) => E.
rewrite -(weights_real Dok Pok vok) -(weights_real Dok Pok xok) matrix_real_dot; last 2 first.
- by have := weight_unit_gt0 Dok vok; lra.
- by have := weight_unit_gt0 Dok xok; lra.
by rewrite E /Rdiv Rmult_0_l.
Qed.

Definition vanishing_check v x mask (i s : nat) : bool :=
  let m := margins D picks x in
  [&& vector_ok D picks x, constraint_at i s && nth false (nth [::] mask i) s,
      constraints_all (fun bm => ~~ bm.1 || le zero bm.2) picks (zip_rows mask m),
      orthogonal_check v x & lt zero (nth zero (nth [::] m i) s)].

Theorem vanishing_check_sound v lam x mask i s : vector_ok D picks v -> support_check v (margins D picks v) mask ->
  solution_with alpha (solution v) lam -> vanishing_check v x mask i s ->
  exists t, is_token i s t /\ multiplier_vanishes alpha t.
Proof.
move=> vok sup sol /and5P[xok /andP[ci mi] nonneg orth pos]; have mok := proj1 (andP sup); have fm := proj1 (andP mok).
have u0 := margin_unit_gt0 Dok xok; have ui := Rinv_0_lt_compat _ u0.
have [t ti] := index_token (proj1 (andP ci)); exists t; split=> //.
apply: (multiplier_vanishes_sound (x := coefficient_of x) sol).
- by apply/(support_check_sound t vok sup); rewrite /in_mask (at_index _ _ ti).
- move=> u /(support_check_sound u vok sup) iu.
  rewrite -/(margin alpha (solution x) u) (margin_of_matrix Dok Pok u xok).
  have := constraints_allP (false, zero) (fits_zip fm (fits_margins Pok _)) nonneg (mask_constraint mok iu).
  rewrite at_token_zip //=; last exact: fits_margins.
  rewrite -/(in_mask mask u) iu /= => /le_real; rewrite real0 => H.
  by apply: Rmult_le_pos => //; apply: Rlt_le.
- exact: orthogonal_check_sound.
- rewrite -/(margin alpha (solution x) t) (margin_of_matrix Dok Pok t xok) (at_index _ _ ti).
  by move/lt_real: pos; rewrite real0 => ?; apply: Rdiv_lt_0_compat.
Qed.

(* ---- score gaps ---- *)

Definition gap_row (pick : nat) (scores : seq N) : seq N :=
  let top := nth zero scores pick in [seq sub top a | a <- scores].
Fixpoint gap_rows (ps : seq nat) (qs : seq (sequence N)) : seq (seq N) :=
  match ps, qs with
  | p :: ps', q :: qs' => gap_row p (score_row q) :: gap_rows ps' qs'
  | _, _ => [::]
  end.
Definition gaps : seq (seq N) := gap_rows picks (sequences D).

Lemma size_gap_rows ps qs : size ps = size qs -> size (gap_rows ps qs) = size qs.
Proof. by elim: ps qs => [|p ps IH] [|q qs] //= [s]; rewrite IH. Qed.

Lemma nth_gap_rows ps qs i : size ps = size qs -> (i < size qs)%nat ->
  nth [::] (gap_rows ps qs) i = gap_row (nth 0%nat ps i) (score_row (nth (no_sequence N) qs i)).
Proof. by elim: ps qs i => [|p ps IH] [|q qs] [|i] //= [s]; rewrite ?ltnS => il; apply: IH. Qed.

Lemma score_row_size i : (i < size (sequences D))%nat -> size (score_row (sequence_at D i)) = length_of D i.
Proof. by move=> il; have /and4P[_ _ /eqP -> _] := sequences_ok Dok il. Qed.

Lemma fits_gaps : fits D gaps.
Proof.
have [/eqP sp _] := andP Pok; have /and4P[_ _ _ Hs] := Dok.
rewrite /fits /gaps size_gap_rows // eqxx /=.
elim: (sequences D) picks sp Hs => [|q qs IH] [|p ps] //= [sp] /andP[/and4P[_ _ /eqP E _] Hs].
by rewrite size_map E eqxx IH.
Qed.

Lemma gap_value t : gap alpha t = real (at_token zero gaps t) / real (score_unit D).
Proof.
have [/eqP sp _] := andP Pok; case: t => i s; rewrite /gap /selected /= /g /at_token /=.
rewrite /gaps nth_gap_rows // -/(sequence_at D i) /gap_row (nth_map zero); last by rewrite score_row_size.
by rewrite realB /entry /Rdiv Rmult_minus_distr_r.
Qed.

Lemma gap_gt0 t : lt zero (at_token zero gaps t) -> 0 < gap alpha t.
Proof.
by move/lt_real; rewrite real0 gap_value => ?; apply: Rdiv_lt_0_compat => //; apply: score_unit_gt0.
Qed.

Lemma gap_le0 t : le (at_token zero gaps t) zero -> gap alpha t <= 0.
Proof.
move/le_real; rewrite real0 gap_value => H; have := Rinv_0_lt_compat _ (score_unit_gt0 Dok); rewrite /Rdiv; nra.
Qed.

Definition locally_optimal_check mask : bool :=
  constraints_all (fun bg => ~~ bg.1 || lt zero bg.2) picks (zip_rows mask gaps).

Theorem locally_optimal_check_sound mask : mask_ok mask -> support_is alpha (in_mask mask) ->
  locally_optimal_check mask -> locally_optimal alpha.
Proof.
move=> mok sup H; have fm := proj1 (andP mok); apply: (locally_optimal_sound_support sup) => t it.
have := constraints_allP (false, zero) (fits_zip fm fits_gaps) H (mask_constraint mok it).
by rewrite at_token_zip ?fits_gaps //= -/(in_mask mask t) it => /gap_gt0.
Qed.

Definition not_local_check mask i s : bool :=
  [&& index_ok i s, nth false (nth [::] mask i) s & le (nth zero (nth [::] gaps i) s) zero].

Theorem not_local_check_sound mask i s : support_is alpha (in_mask mask) -> not_local_check mask i s ->
  ~ locally_optimal alpha.
Proof.
move=> sup /and3P[io mi gi]; have [t ti] := index_token io.
apply: (not_locally_optimal_sound_support sup (t := t)); first by rewrite /in_mask (at_index _ _ ti).
by apply: gap_le0; rewrite (at_index _ _ ti).
Qed.

Definition global_check : bool := constraints_all (lt zero) picks gaps.

Theorem global_check_sound : global_check -> globally_optimal alpha.
Proof.
by move=> H; apply: globally_optimal_sound => t ct; apply: gap_gt0; apply: (constraints_allP zero fits_gaps H ct).
Qed.

Definition not_global_check i s : bool := constraint_at i s && le (nth zero (nth [::] gaps i) s) zero.

Theorem not_global_check_sound i s : not_global_check i s -> ~ globally_optimal alpha.
Proof.
case/andP=> ci gi; have [t ti] := index_token (proj1 (andP ci)).
apply: (not_globally_optimal_sound (t := t)); first exact: constraint_at_token ti.
by apply: gap_le0; rewrite (at_index _ _ ti).
Qed.

Definition tie_check i s u : bool :=
  let scores := score_row (sequence_at D i) in
  [&& index_ok i s, index_ok i u, s != u, same (nth zero scores s) (nth zero scores u) &
      all (fun a => le a (nth zero scores s)) scores].

Theorem tie_check_sound i s u : tie_check i s u ->
  exists t t', [/\ is_token i s t, is_token i u t' & @score_tie (problem D) t t'].
Proof.
case/and5P=> si ui ne same_su best; have i_lt := proj1 (andP si); have g0 := score_unit_gt0 Dok.
case/andP: si => il sl; case/andP: ui => il' ul.
exists (@token_of N D (Ordinal il) (Ordinal sl)), (@token_of N D (Ordinal il) (Ordinal ul)); split=> //; split=> //.
- by move=> E; move/eqP: ne; apply; exact: (f_equal (fun t : data_token D => (tagged t : nat)) E).
- by rewrite /= /g /entry /= (same_real same_su).
- move=> [j r] /= ji; move: r; rewrite ji => r; rewrite /g /entry /=.
  have := all_nthP zero best r; rewrite score_row_size // => /(_ (ltn_ord r))/le_real H.
  by apply: Rmult_le_compat_r => //; apply: Rlt_le; apply: Rinv_0_lt_compat.
Qed.
End Checks.
