(* StationaryChecks: sufficient conditions, all exact, for the gradient of the training loss to vanish at a matrix.

   Groups whose scores are all equal, or whose query is 0, do not move. In every other group all logits are equal, so
   that attention is k_t/T, k_t the counts and T their sum, and the output is the mean score f; the groups of one mean
   share the slope l'(f), and for each mean sum k_t (g_t - f) x_t z'/T is 0. For the correlation loss, whose slope is
   constant, all groups together. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Gradient Saturation Number Rows TokenData EqualTokens MarginChecks
                           OptimalityChecks Interval Elementary IntervalTables AttentionIntervals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Stationary.
Variables (N : number) (D : token_data N) (picks : seq nat) (l : loss_name).
Implicit Types (q : sequence N) (qs : seq (sequence N)).
Notation d := (left_dimension D).
Notation e := (right_dimension D).
Notation tokens q := (size (token_rows q)).

(* ---- the check ---- *)

(* k_t (T g_t - (sum of k_t times the scores)) *)
Definition group_count q : N := sum_row (count_row q).
Definition total_score q : N := dot_rows (count_row q) (score_row q).
Definition centred q : seq N :=
  [seq mul kg.1 (sub (mul (group_count q) kg.2) (total_score q)) | kg <- zip (count_row q) (score_row q)].
Definition still q : bool := all (fun a => same a zero) (centred q) || all (fun a => same a zero) (query_row q).

(* A multiple of the counts of all groups. *)
Definition common_count qs : N :=
  foldl (fun m q => if count_divides (group_count q) m then m else mul m (group_count q)) one qs.

(* -sum k_t (T g_t - total) x_t, raised to the common denominator m^2 of all groups. *)
Definition centred_sum q : seq N := sub_weighted (zeros N d) (centred q) (token_rows q).
Definition raised_row (m : N) q : seq N :=
  let c := quotient m (group_count q) in [seq mul (mul c c) a | a <- centred_sum q].
Definition combined (m : N) qs : seq (seq N) :=
  foldr (fun q sum => add_outer sum (raised_row m q) (query_row q)) (nseq d (zeros N e)) qs.

Definition same_slope q q' : bool :=
  if l is Correlation then true
  else [&& lt zero (group_count q), lt zero (group_count q') &
           same (mul (total_score q) (group_count q')) (mul (total_score q') (group_count q))].

(* The groups of the first one's mean together, then the others. *)
Fixpoint vanish (fuel : nat) (m : N) qs : bool :=
  match fuel, qs with
  | _, [::] => true
  | O, _ => false
  | k.+1, q :: _ => all_zero (combined m (filter (same_slope q) qs)) &&
    vanish k m (filter (fun q' => ~~ same_slope q q') qs)
  end.

(* The matrix W_0 as rows over one denominator. *)
Definition stationary_check (start : seq (seq N)) (unit : N) : bool :=
  let moving := filter (fun q => ~~ still q) (sequences D) in
  let m := common_count moving in
  [&& shaped d e start, lt zero unit,
      all (fun qm => still qm.1 || all (fun a => same a zero) qm.2) (zip (sequences D) (margins_of D picks start)),
      lt zero m && all (fun q => count_divides (group_count q) m) moving & vanish (size moving) m moving].

(* ---- sums over lists of groups ---- *)

Definition mean_score q : R := real (total_score q) / (real (group_count q) * real (score_unit D)).
Definition pull q (j k : nat) : R := entry (centred_sum q) j * entry (query_row q) k /
  (real (group_count q) * real (group_count q)).

Lemma group_count_sum q : real (group_count q) = \sum_(t < size (count_row q)) entry (count_row q) t.
Proof. exact: sum_row_real. Qed.

Section Common.
Variable m : N.
Definition proper q : bool := [&& sequence_ok d e q, (0 < tokens q)%nat & count_divides (group_count q) m].

Lemma all_filter (p a : pred (sequence N)) qs : all p qs -> all p (filter a qs).
Proof. by elim: qs => //= q qs IH /andP[pq /IH Hq]; case: ifP => _ //=; rewrite pq. Qed.

Lemma group_count_gt0 q : sequence_ok d e q -> (0 < tokens q)%nat -> 0 < real (group_count q).
Proof.
case/and4P=> _ _ _ /andP[/eqP sc pos] q0; rewrite group_count_sum sc.
have c0 (t : 'I_(tokens q)) : 0 < entry (count_row q) t.
  by rewrite -(real0 N); apply: lt_real; apply: (all_nthP zero pos); rewrite sc; exact: ltn_ord.
by apply: (sum_gt0 (i := Ordinal q0)) => // t _; exact/Rlt_le/c0.
Qed.

Lemma size_centred q : sequence_ok d e q -> size (centred q) = tokens q.
Proof. by case/and4P=> _ _ /eqP ss /andP[/eqP sc _]; rewrite size_map size_zip sc ss minnn. Qed.

Lemma centred_sum_spec q : sequence_ok d e q -> size (centred_sum q) = d /\
  forall j, entry (centred_sum q) j = - \sum_(t < tokens q) entry (centred q) t * entry2 (token_rows q) t j.
Proof.
move=> qok; have sz := size_centred qok; case/and4P: qok => Hr _ _ _.
have [sd E] := sub_weighted_spec (u := zeros N d) (size_nseq _ _) Hr sz.
by split=> // j; rewrite E entry_zeros; ring.
Qed.

Lemma combined_spec qs : all proper qs -> shaped d e (combined m qs) /\
  forall j k, entry2 (combined m qs) j k = real m * real m * (\sum_(q <- qs) pull q j k).
Proof.
elim: qs => [|q qs IH] /=.
  by split=> [|j k]; [exact: shaped_zeros | rewrite entry2_zeros big_nil Rmult_0_r].
case/andP=> /and3P[qok q0 /same_real dm] /IH[sh E]; have [sd _] := centred_sum_spec qok.
have /and4P[_ /eqP sq _ _] := qok; have T0 := group_count_gt0 qok q0.
have sr : size (raised_row m q) = d by rewrite size_map.
split=> [|j k]; first exact: shaped_add_outer.
rewrite (entry_add_outer _ _ sh sr sq) E big_cons Rmult_plus_distr_l Rplus_comm; congr (_ + _).
move: dm; rewrite realM => dm.
have -> : entry (raised_row m q) j = real (quotient m (group_count q)) * real (quotient m (group_count q)) *
    entry (centred_sum q) j.
  case: (ltnP j d) => jd; first by rewrite /entry /raised_row (nth_map zero) ?sd // !realM.
  by rewrite !entry_over ?sr ?sd //; ring.
by rewrite /pull -dm; field; lra.
Qed.

Lemma vanish_sound fuel qs (c : sequence N -> R) j k : 0 < real m -> all proper qs ->
  (forall q q', same_slope q q' -> c q = c q') -> vanish fuel m qs -> \sum_(q <- qs) c q * pull q j k = 0.
Proof.
move=> pos; elim: fuel qs => [|n IH] [|q qs] ok Hc //; rewrite ?big_nil //.
rewrite -[vanish _ _ _]/(all_zero (combined m (filter (same_slope q) (q :: qs))) &&
  vanish n m (filter (fun q' => ~~ same_slope q q') (q :: qs))).
case/andP=> zero_sum rest; move: (q :: qs) ok zero_sum rest => rs ok zero_sum rest.
have split : \sum_(q' <- rs) c q' * pull q' j k = (\sum_(q' <- filter (same_slope q) rs) c q' * pull q' j k) +
    \sum_(q' <- filter (fun q' => ~~ same_slope q q') rs) c q' * pull q' j k.
  by rewrite !big_filter; exact: (bigID (same_slope q)).
rewrite split (IH _ (all_filter _ ok) Hc rest) Rplus_0_r.
have [_ E] := combined_spec (all_filter (same_slope q) ok).
have := E j k; rewrite (all_zero_entry _ _ zero_sum) => /esym/Rmult_integral[s0 | s0].
  by have := Rmult_lt_0_compat _ _ pos pos; lra.
rewrite big_filter (eq_bigr (fun q' => c q * pull q' j k)) => [|q' /Hc -> //].
by rewrite -sum_mull -big_filter s0 Rmult_0_r.
Qed.
End Common.

(* ---- the gradient ---- *)

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Implicit Types (i : data_group D) (w : vec (coord (problem D))).
Notation lf := (loss_of l).
Notation tok s := (@token_of N D _ s : token (problem D)).
Notation su := (real (score_unit D)).
Notation xu := (real (token_unit D)).
Notation zu := (real (query_unit D)).

(* What group i adds to an entry of the gradient. *)
Definition group_part w i (jk : coord (problem D)) : R := \sum_(s < length_of D i)
  weight (s := problem D) i * dloss lf (output w i) * (attention w (tok s) * (score (tok s) - output w i)) *
    feature (tok s) jk.

Lemma gradient_groups w jk : gradient lf w jk = \sum_i group_part w i jk.
Proof. by rewrite /gradient /combine (@sum_tokens N D). Qed.

Lemma tokens_gt0 i : (0 < length_of D i)%nat.
Proof. exact: leq_ltn_trans (leq0n _) (picks_lt i Pok). Qed.

Lemma counted i : 0 < real (group_count (sequence_at D i)).
Proof. exact: group_count_gt0 (sequences_ok Dok (ltn_ord i)) (tokens_gt0 i). Qed.

Lemma count_entry i (s : 'I_(length_of D i)) : entry (count_row (sequence_at D i)) s = multiplicity (tok s).
Proof. by rewrite (multiplicity_count Dok). Qed.

Lemma centred_entry i (s : 'I_(length_of D i)) : entry (centred (sequence_at D i)) s = multiplicity (tok s) *
  (real (group_count (sequence_at D i)) * entry (score_row (sequence_at D i)) s - real (total_score (sequence_at D i))).
Proof.
have /and4P[_ _ /eqP ss /andP[/eqP sc _]] := sequences_ok Dok (ltn_ord i); have sl := ltn_ord s.
rewrite -count_entry /entry /centred (nth_map (zero, zero)) ?size_zip ?ss ?sc ?minnn // nth_zip ?ss ?sc //=.
by rewrite !(realM, realB).
Qed.

Lemma total_score_sum i : real (total_score (sequence_at D i)) =
  \sum_(s < length_of D i) multiplicity (tok s) * entry (score_row (sequence_at D i)) s.
Proof.
have /and4P[_ _ _ /andP[/eqP sc _]] := sequences_ok Dok (ltn_ord i).
rewrite /total_score (@dot_rows_real _ _ _ (length_of D i)) ?sc //; apply: eq_bigr => s _.
by rewrite -count_entry.
Qed.

Lemma group_count_multiplicity i : real (group_count (sequence_at D i)) = \sum_(s < length_of D i) multiplicity (tok s).
Proof.
have /and4P[_ _ _ /andP[/eqP sc _]] := sequences_ok Dok (ltn_ord i).
by rewrite group_count_sum sc; apply: eq_bigr => s _; rewrite -count_entry.
Qed.

Section AtStart.
Variables (start : seq (seq N)) (unit : N).
Hypotheses (start_shaped : shaped d e start) (unit_gt0 : 0 < real unit).
Notation w0 := (@matrix_real N D start (real unit)).

(* A group all of whose scores are equal, or whose query is 0. *)
Lemma still_group w i jk : still (sequence_at D i) -> group_part w i jk = 0.
Proof.
have T0 := counted i; have qok := sequences_ok Dok (ltn_ord i).
have /and4P[_ /eqP sq /eqP ss _] := qok; case/orP=> H; apply: sum0 => s _.
  pose g0 := real (total_score (sequence_at D i)) / real (group_count (sequence_at D i)) / su.
  have scores (r : 'I_(length_of D i)) : score (tok r) = g0.
    have k0 := multiplicity_gt0 (tok r); have := centred_entry r.
    rewrite {1}/entry (same_real (all_nthP zero H r _)) ?(size_centred qok) ?real0 // => /esym/Rmult_integral[E | E].
      by lra.
    rewrite -[score _]/(entry (score_row (sequence_at D i)) r / su) /g0; congr (_ / _).
    by apply: (Rmult_eq_reg_l (real (group_count (sequence_at D i)))); [field_simplify; lra | lra].
  suff -> : output w i = g0 by rewrite scores Rminus_diag_eq //; ring.
  rewrite /output (sum_group (D := D)) (eq_bigr (fun r => attention w (tok r) * g0)) => [|r _];
    last by rewrite scores.
  by rewrite -sum_mulr -(sum_group (D := D) (fun t => attention w t)) (attention_sum alpha); ring.
suff -> : feature (tok s) jk = 0 by ring.
have kl := ltn_ord jk.2; have E : entry (query_row (sequence_at D i)) jk.2 = 0.
  by rewrite /entry (same_real (all_nthP zero H jk.2 _)) ?sq // real0.
by rewrite /= /outer /z /= E /Rdiv !(Rmult_0_l, Rmult_0_r).
Qed.

(* A group all of whose logits are equal. *)
Lemma moving_group i jk : (forall s : 'I_(length_of D i), margin alpha w0 (tok s) = 0) -> group_part w0 i jk =
  - weight (s := problem D) i / (su * xu * zu) * (dloss lf (mean_score (sequence_at D i)) *
      pull (sequence_at D i) jk.1 jk.2).
Proof.
move=> flat; have T0 := counted i; pose T := real (group_count (sequence_at D i)).
have s0 := score_unit_gt0 Dok; have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
have share (s : 'I_(length_of D i)) : attention w0 (tok s) = multiplicity (tok s) / T.
  rewrite (attention_factors Pok) flat Ropp_0 exp_0 Rmult_1_r (sum_group (D := D)) /T group_count_multiplicity.
  by congr (_ / _); apply: eq_bigr => r _; rewrite flat Ropp_0 exp_0 Rmult_1_r.
have out : output w0 i = mean_score (sequence_at D i).
  rewrite /output (sum_group (D := D)) (eq_bigr (fun r : 'I_(length_of D i) => / (T * su) *
    (multiplicity (tok r) * entry (score_row (sequence_at D i)) r))) => [|r _].
    by rewrite -sum_mull -total_score_sum /mean_score -/T /Rdiv; ring.
  rewrite share -[score _]/(entry (score_row (sequence_at D i)) r / su); field; rewrite /T; lra.
have pullE : pull (sequence_at D i) jk.1 jk.2 = - (\sum_(s < length_of D i) entry (centred (sequence_at D i)) s *
    entry2 (token_rows (sequence_at D i)) s jk.1 * entry (query_row (sequence_at D i)) jk.2) / (T * T).
  by rewrite /pull; have [_ ->] := centred_sum_spec (sequences_ok Dok (ltn_ord i));
    rewrite -(Ropp_mult_distr_l (\sum_(t < _) _)) sum_mulr.
rewrite /group_part out pullE.
transitivity (weight (s := problem D) i * dloss lf (mean_score (sequence_at D i)) / (su * xu * zu * (T * T)) *
  (\sum_(s < length_of D i) entry (centred (sequence_at D i)) s * entry2 (token_rows (sequence_at D i)) s jk.1 *
     entry (query_row (sequence_at D i)) jk.2)); last by field; rewrite /T; repeat split; lra.
rewrite sum_mull; apply: eq_bigr => s _; rewrite share centred_entry -/T.
rewrite -[score _]/(entry (score_row (sequence_at D i)) s / su) -[feature _ _]/(
  entry2 (token_rows (sequence_at D i)) s jk.1 / xu * (entry (query_row (sequence_at D i)) jk.2 / zu)).
by rewrite /mean_score -/T; field; rewrite /T; repeat split; lra.
Qed.
End AtStart.

Lemma same_slope_real q q' : same_slope q q' -> dloss lf (mean_score q) = dloss lf (mean_score q').
Proof.
have s0 := score_unit_gt0 Dok; rewrite /same_slope; case: (l) => //.
all: case/and3P=> /lt_real T0 /lt_real T0' /same_real; rewrite !realM => E; congr (dloss _ _).
all: rewrite real0 in T0 T0'; rewrite /mean_score.
all: apply: (Rmult_eq_reg_r (real (group_count q) * real (group_count q') * su)).
all: try (by apply: Rgt_not_eq; do 2?apply: Rmult_lt_0_compat).
all: have -> : real (total_score q) / (real (group_count q) * su) *
                 (real (group_count q) * real (group_count q') * su) =
  real (total_score q) * real (group_count q') by field; lra.
all: by rewrite E; field; lra.
Qed.

Lemma moving_proper m (moving := filter (fun q => ~~ still q) (sequences D)) :
  all (fun q => count_divides (group_count q) m) moving -> all (proper m) moving.
Proof.
move=> divided; have basics : all (fun q => sequence_ok d e q && (0 < tokens q)%nat) (sequences D).
  apply/(all_nthP (no_sequence N)) => i il; apply/andP; split; first exact: (sequences_ok Dok il).
  exact: (tokens_gt0 (Ordinal il)).
have {}basics := all_filter (fun q => ~~ still q) basics; rewrite -/moving in basics.
apply/(all_nthP (no_sequence N)) => k kl; have /andP[qok q0] := all_nthP (no_sequence N) basics k kl.
by rewrite /proper qok q0; exact: all_nthP (no_sequence N) divided k kl.
Qed.

Theorem stationary_check_sound start unit : stationary_check start unit ->
  gradient lf (@matrix_real N D start (real unit)) = vzero.
Proof.
case/and5P=> sh /lt_real; rewrite real0 => u0 flat /andP[/lt_real pos /moving_proper ok] vanishes.
rewrite real0 in pos.
have s0 := score_unit_gt0 Dok; have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
apply: vec_ext => jk; rewrite gradient_groups /vzero.
pose k := - / INR #|data_group D| / (su * xu * zu).
have part i : group_part (@matrix_real N D start (real unit)) i jk = if ~~ still (sequence_at D i)
    then k * (dloss lf (mean_score (sequence_at D i)) * pull (sequence_at D i) jk.1 jk.2) else 0.
  case Hi: (still (sequence_at D i)) => /=; first exact: still_group.
  apply: moving_group => s; have un : real unit <> 0 by lra.
  have := all_nthP (no_sequence N, [::]) flat i; have [/eqP sp _] := andP Pok; have fm := fits_margins Pok start.
  have [/eqP sm _] := andP fm; rewrite size_zip sm minnn nth_zip ?sm //= -/(sequence_at D i) Hi
    => /(_ (ltn_ord i)) /= H.
  rewrite (margins_real Dok Pok _ sh un) /value_at /entry2 /entry (same_real (all_nthP zero H s _)) ?real0 /Rdiv
    ?Rmult_0_l //.
  by rewrite (fits_row fm (ltn_ord i)); exact: ltn_ord.
rewrite (eq_bigr _ (fun i _ => part i)) -big_mkcond -sum_mull.
have := vanish_sound (c := fun q => dloss lf (mean_score q)) jk.1 jk.2 pos ok same_slope_real vanishes.
by rewrite big_filter (big_nth (no_sequence N)) big_mkord => ->; rewrite Rmult_0_r.
Qed.
End Stationary.
