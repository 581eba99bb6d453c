(* StationaryChecks: sufficient conditions, all exact, for the gradient of the training loss to vanish at a matrix.

   Groups whose scores are all equal, or whose query is 0, do not move. In every other group all logits are equal, so
   that attention is 1/T and the output is the mean score f; the groups of one mean share the slope l'(f), and for
   each mean sum (g_t - f) x_t z'/T is 0. For the correlation loss, whose slope is constant, all groups together. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Gradient Saturation Number Rows TokenData MarginChecks OptimalityChecks
                           Interval Elementary IntervalTables AttentionIntervals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* The product of the squares of some numbers, and of the others. *)
Section Squares.
Variable N : number.

Definition square_product (s : seq nat) : N := foldr (fun t a => mul (mul (of_natural N t) (of_natural N t)) a) one s.

Lemma square_product_rem t s : t \in s ->
  INR t * INR t * real (square_product (rem t s)) = real (square_product s).
Proof.
elim: s => // a s IH; rewrite inE eq_sym /= !realM of_natural_real; case: (altP (a =P t)) => [-> // | _ /= /IH <-].
by rewrite !realM of_natural_real; ring.
Qed.

Lemma square_product_gt0 s : all (fun t => 0 < t)%nat s -> 0 < real (square_product s).
Proof.
elim: s => [|a s IH] /=; first by rewrite real1; lra.
case/andP=> /ltP/lt_0_INR a0 /IH s0; rewrite !realM of_natural_real.
by do 2?apply: Rmult_lt_0_compat.
Qed.
End Squares.

Section Stationary.
Variables (N : number) (D : token_data N) (picks : seq nat) (l : loss_name).
Implicit Types (q : sequence N) (qs : seq (sequence N)).
Notation d := (left_dimension D).
Notation e := (right_dimension D).
Notation tokens q := (size (token_rows q)).

(* ---- the check ---- *)

(* T g_t - (sum of the scores) *)
Definition total_score q : N := sum_row (score_row q).
Definition centred q : seq N := [seq sub (mul (of_natural N (tokens q)) g) (total_score q) | g <- score_row q].
Definition still q : bool := all (fun a => same a zero) (centred q) || all (fun a => same a zero) (query_row q).

(* -sum (T g_t - total) x_t, raised to the common denominator of all groups: the product of the
   squares of their sizes. *)
Definition centred_sum q : seq N := sub_weighted (zeros N d) (centred q) (token_rows q).
Definition raised (sizes : seq nat) q : seq N := let c :=
  square_product N (rem (tokens q) sizes) in [seq mul c a | a <- centred_sum q].
Definition combined (sizes : seq nat) qs : seq (seq N) :=
  foldr (fun q m => add_outer m (raised sizes q) (query_row q)) (nseq d (zeros N e)) qs.

Definition same_slope q q' : bool :=
  if l is Correlation then true
  else [&& (0 < tokens q)%nat, (0 < tokens q')%nat &
           same (mul (total_score q) (of_natural N (tokens q'))) (mul (total_score q') (of_natural N (tokens q)))].

(* The groups of the first one's mean together, then the others. *)
Fixpoint vanish (fuel : nat) (sizes : seq nat) qs : bool :=
  match fuel, qs with
  | _, [::] => true
  | O, _ => false
  | k.+1, q :: _ => all_zero (combined sizes (filter (same_slope q) qs)) &&
    vanish k sizes (filter (fun q' => ~~ same_slope q q') qs)
  end.

(* The matrix W_0 as rows over one denominator. *)
Definition stationary_check (start : seq (seq N)) (unit : N) : bool :=
  let moving := filter (fun q => ~~ still q) (sequences D) in
  [&& shaped d e start, lt zero unit,
      all (fun qm => still qm.1 || all (fun a => same a zero) qm.2) (zip (sequences D) (margins_of D picks start)) &
      vanish (size moving) (undup [seq tokens q | q <- moving]) moving].

(* ---- sums over lists of groups ---- *)

Definition mean_score q : R := real (total_score q) / (INR (tokens q) * real (score_unit D)).
Definition pull q (j k : nat) : R := entry (centred_sum q) j * entry (query_row q) k /
  (INR (tokens q) * INR (tokens q)).

Section Sizes.
Variable sizes : seq nat.
Definition proper q : bool := [&& sequence_ok d e q, (0 < tokens q)%nat & tokens q \in sizes].

Lemma all_filter (p a : pred (sequence N)) qs : all p qs -> all p (filter a qs).
Proof. by elim: qs => //= q qs IH /andP[pq /IH Hq]; case: ifP => _ //=; rewrite pq. Qed.

Lemma size_centred q : size (centred q) = size (score_row q).
Proof. exact: size_map. Qed.

Lemma centred_sum_spec q : sequence_ok d e q -> size (centred_sum q) = d /\
  forall j, entry (centred_sum q) j = - \sum_(t < tokens q) entry (centred q) t * entry2 (token_rows q) t j.
Proof.
case/and4P=> Hr _ /eqP ss _; have [sd E] := sub_weighted_spec (u :=
  zeros N d) (size_nseq _ _) Hr (etrans (size_centred q) ss).
by split=> // j; rewrite E entry_zeros; ring.
Qed.

Lemma combined_spec qs : all proper qs -> shaped d e (combined sizes qs) /\
  forall j k, entry2 (combined sizes qs) j k = real (square_product N sizes) * (\sum_(q <- qs) pull q j k).
Proof.
elim: qs => [|q qs IH] /=.
  by split=> [|j k]; [exact: shaped_zeros | rewrite entry2_zeros big_nil Rmult_0_r].
case/andP=> /and3P[qok q0 qs_in] /IH[sh E]; have [sd _] := centred_sum_spec qok; have /and4P[_ /eqP sq _ _] := qok.
have sr : size (raised sizes q) = d by rewrite size_map.
split=> [|j k]; first exact: shaped_add_outer.
rewrite (entry_add_outer _ _ sh sr sq) E big_cons Rmult_plus_distr_l Rplus_comm; congr (_ + _).
have T0 : INR (tokens q) <> 0 by apply: not_0_INR => T0; rewrite T0 in q0.
rewrite -(square_product_rem N qs_in) /pull.
have -> : entry (raised sizes q) j = real (square_product N (rem (tokens q) sizes)) * entry (centred_sum q) j.
  case: (ltnP j d) => jd; first by rewrite /entry /raised (nth_map zero) ?sd // realM.
  by rewrite !entry_over ?sr ?sd //; ring.
by field.
Qed.

Lemma vanish_sound fuel qs (c : sequence N -> R) j k : all (fun t => 0 < t)%nat sizes -> all proper qs ->
  (forall q q', same_slope q q' -> c q = c q') -> vanish fuel sizes qs -> \sum_(q <- qs) c q * pull q j k = 0.
Proof.
move=> pos; elim: fuel qs => [|n IH] [|q qs] ok Hc //; rewrite ?big_nil //.
rewrite -[vanish _ _ _]/(all_zero (combined sizes (filter (same_slope q) (q :: qs))) &&
  vanish n sizes (filter (fun q' => ~~ same_slope q q') (q :: qs))).
case/andP=> zero_sum rest; move: (q :: qs) ok zero_sum rest => rs ok zero_sum rest.
have split : \sum_(q' <- rs) c q' * pull q' j k = (\sum_(q' <- filter (same_slope q) rs) c q' * pull q' j k) +
    \sum_(q' <- filter (fun q' => ~~ same_slope q q') rs) c q' * pull q' j k.
  by rewrite !big_filter; exact: (bigID (same_slope q)).
rewrite split (IH _ (all_filter _ ok) Hc rest) Rplus_0_r.
have [_ E] := combined_spec (all_filter (same_slope q) ok).
have := E j k; rewrite (all_zero_entry _ _ zero_sum) => /esym/Rmult_integral[s0 | s0].
  by have := square_product_gt0 N pos; lra.
rewrite big_filter (eq_bigr (fun q' => c q * pull q' j k)) => [|q' /Hc -> //].
by rewrite -sum_mull -big_filter s0 Rmult_0_r.
Qed.
End Sizes.

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

Lemma centred_entry i (s : 'I_(length_of D i)) : entry (centred (sequence_at D i)) s =
  INR (length_of D i) * entry (score_row (sequence_at D i)) s - real (total_score (sequence_at D i)).
Proof.
have /and4P[_ _ /eqP ss _] := sequences_ok Dok (ltn_ord i); have sl := ltn_ord s.
by rewrite /entry (nth_map zero) ?ss // realB realM of_natural_real.
Qed.

Lemma total_score_sum i : real (total_score (sequence_at D i)) =
  \sum_(s < length_of D i) entry (score_row (sequence_at D i)) s.
Proof. by have /and4P[_ _ /eqP ss _] := sequences_ok Dok (ltn_ord i); rewrite /total_score sum_row_real ss. Qed.

Section AtStart.
Variables (start : seq (seq N)) (unit : N).
Hypotheses (start_shaped : shaped d e start) (unit_gt0 : 0 < real unit).
Notation w0 := (@matrix_real N D start (real unit)).

(* A group all of whose scores are equal, or whose query is 0. *)
Lemma still_group w i jk : still (sequence_at D i) -> group_part w i jk = 0.
Proof.
have T0 : INR (length_of D i) <> 0 by apply: not_0_INR => T0; have := tokens_gt0 i; rewrite T0.
have /and4P[_ /eqP sq /eqP ss _] := sequences_ok Dok (ltn_ord i); case/orP=> H; apply: sum0 => s _.
  pose g0 := real (total_score (sequence_at D i)) / INR (length_of D i) / su.
  have scores (r : 'I_(length_of D i)) : score (tok r) = g0.
    have := centred_entry r; rewrite /entry (same_real (all_nthP zero H r _)) ?size_centred ?ss ?real0 // => E.
    rewrite /= /g /g0 /=; congr (_ / _); apply: (Rmult_eq_reg_l (INR (length_of D i))) => //.
    rewrite [RHS](_ : _ = real (total_score (sequence_at D i))); last by field.
    by move: E; rewrite /entry; lra.
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
move=> flat; have T0 : INR (length_of D i) <> 0 by apply: not_0_INR => T0; have := tokens_gt0 i; rewrite T0.
have s0 := score_unit_gt0 Dok; have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
have share (s : 'I_(length_of D i)) : attention w0 (tok s) = / INR (length_of D i).
  rewrite (attention_factors Pok) flat Ropp_0 exp_0 (sum_group (D := D)).
  rewrite (eq_bigr (fun=> 1)) => [|r _]; last by rewrite flat Ropp_0 exp_0.
  by rewrite sum_const card_ord Rmult_1_r /Rdiv Rmult_1_l.
have out : output w0 i = mean_score (sequence_at D i).
  rewrite /output (sum_group (D := D)) (eq_bigr (fun r : 'I_(length_of D i) => / INR (length_of D i) *
    (entry (score_row (sequence_at D i)) r / su))) => [|r _];
    last by rewrite share.
  have E : \sum_(r < length_of D i) entry (score_row (sequence_at D i)) r / su =
    real (total_score (sequence_at D i)) / su.
    by rewrite total_score_sum /Rdiv sum_mulr.
  by rewrite -sum_mull E /mean_score -/(length_of D i); field; split=> //; lra.
have pullE : pull (sequence_at D i) jk.1 jk.2 = - (\sum_(s < length_of D i) entry (centred (sequence_at D i)) s *
    entry2 (token_rows (sequence_at D i)) s jk.1 * entry (query_row (sequence_at D i)) jk.2) /
      (INR (length_of D i) * INR (length_of D i)).
  by rewrite /pull; have [_ ->] := centred_sum_spec (sequences_ok Dok (ltn_ord i));
    rewrite -(Ropp_mult_distr_l (\sum_(t < _) _)) sum_mulr.
rewrite /group_part out pullE.
transitivity (weight (s := problem D) i * dloss lf (mean_score (sequence_at D i)) /
  (su * xu * zu * (INR (length_of D i) * INR (length_of D i))) *
  (\sum_(s < length_of D i) entry (centred (sequence_at D i)) s * entry2 (token_rows (sequence_at D i)) s jk.1 *
     entry (query_row (sequence_at D i)) jk.2)); last by field; repeat split; lra.
rewrite sum_mull; apply: eq_bigr => s _; rewrite share centred_entry /mean_score /= /outer /x /z /g /=.
by rewrite -/(length_of D i); field; repeat split; lra.
Qed.
End AtStart.

Lemma same_slope_real q q' : same_slope q q' -> dloss lf (mean_score q) = dloss lf (mean_score q').
Proof.
have s0 := score_unit_gt0 Dok; rewrite /same_slope; case: (l) => //.
all: case/and3P=> /ltP/lt_0_INR T0 /ltP/lt_0_INR T0' /same_real; rewrite !realM !of_natural_real => E;
  congr (dloss _ _).
all: rewrite /mean_score; apply: (Rmult_eq_reg_r (INR (tokens q) * INR (tokens q') * su)).
all: try (by apply: Rgt_not_eq; do 2?apply: Rmult_lt_0_compat).
all: have -> : real (total_score q) / (INR (tokens q) * su) * (INR (tokens q) * INR (tokens q') * su) =
  real (total_score q) * INR (tokens q') by field; lra.
all: by rewrite E; field; lra.
Qed.

Lemma moving_proper (moving := filter (fun q => ~~ still q) (sequences D)) (sizes :=
  undup [seq tokens q | q <- moving]) :
  all (proper sizes) moving /\ all (fun t => 0 < t)%nat sizes.
Proof.
have basics : all (fun q => sequence_ok d e q && (0 < tokens q)%nat) (sequences D).
  apply/(all_nthP (no_sequence N)) => i il; apply/andP; split; first exact: (sequences_ok Dok il).
  exact: (tokens_gt0 (Ordinal il)).
have {}basics := all_filter (fun q => ~~ still q) basics; rewrite -/moving in basics.
split.
  apply/(all_nthP (no_sequence N)) => k kl; have /andP[qok q0] := all_nthP (no_sequence N) basics k kl.
  rewrite /proper qok q0 /= mem_undup -(nth_map (no_sequence N) 0%nat (fun q => tokens q)) //.
  by apply: mem_nth; rewrite size_map.
rewrite (eq_all_r (mem_undup _)) all_map; apply: sub_all basics => q /andP[]; by [].
Qed.

Theorem stationary_check_sound start unit : stationary_check start unit ->
  gradient lf (@matrix_real N D start (real unit)) = vzero.
Proof.
case/and4P=> sh /lt_real; rewrite real0 => u0 flat vanishes; have [ok pos] := moving_proper.
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
