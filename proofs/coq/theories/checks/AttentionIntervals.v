(* AttentionIntervals: softmax attention and the training loss of token data, in interval arithmetic.

   Everything follows from enclosures of the margins <Delta_t, W> against a reference selection: attention, outputs,
   slopes of the loss, T1's weights omega and the excess of the loss. The margins may be those of one matrix or of all
   matrices of a ball (widened_margins); the enclosures then hold for every matrix of the ball. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Saturation Number Rows TokenData MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the losses ---- *)

Inductive loss_name := Logistic | Exponential | Correlation | CrossEntropy.

Definition loss_of (l : loss_name) : loss :=
  match l with
  | Logistic => logistic
  | Exponential => exponential
  | Correlation => correlation
  | CrossEntropy => cross_entropy
  end.

(* Losses of all outputs. *)
Definition everywhere (l : loss_name) : bool := if l is CrossEntropy then false else true.

Lemma everywhere_domain l x : everywhere l -> loss_domain (loss_of l) x.
Proof. by case: l. Qed.

Section LossIntervals.
Variables (N : number) (P : Z).
Implicit Types (I J : interval N) (l : loss_name).

(* -l'(f) *)
Definition slope_interval l I : interval N :=
  match l with
  | Logistic => idiv P (interval1 N) (iadd P (interval1 N) (iexp P I))
  | Exponential => iexp P (iopp I)
  | Correlation => interval1 N
  | CrossEntropy => if is_positive I then idiv P (interval1 N) I else Everything N
  end.

Lemma slope_interval_contains l I x : contains I x -> contains (slope_interval l I) (- dloss (loss_of l) x).
Proof.
move=> H; case: l => /=; rewrite ?Ropp_involutive; last first.
- case: ifP => // /(is_positive_real H) x0; rewrite (minus_log_slope_at x0) -[/ _]Rmult_1_l.
  by apply: idiv_contains H; exact: contains1.
- exact: contains1.
- by apply: iexp_contains; exact: iopp_contains.
- rewrite -[/ _]Rmult_1_l; apply: idiv_contains; first exact: contains1.
  by apply: iadd_contains; [exact: contains1 | exact: iexp_contains].
Qed.

(* l(g - x) - l(g), with relative precision for small x. *)
Definition excess_interval l I J : interval N :=
  match l with
  | Logistic => log_1_plus P (idiv P (exp_minus_1 P J) (iadd P (interval1 N) (iexp P I)))
  | Exponential => imul P (iexp P (iopp I)) (exp_minus_1 P J)
  | Correlation => J
  | CrossEntropy =>
      if is_positive I && is_positive (isub P I J) then iopp (log_1_plus P (iopp (idiv P J I))) else Everything N
  end.

Lemma excess_interval_contains l I J g x : contains I g -> contains J x ->
  contains (excess_interval l I J) (loss_of l (g - x) - loss_of l g).
Proof.
move=> Hg Hx; have e0 := exp_pos g; have e1 := exp_pos (- g); have e2 := exp_pos (- (g - x)).
case: l => /=.
- have -> : ln (1 + exp (- (g - x))) - ln (1 + exp (- g)) = ln (1 + (exp x - 1) / (1 + exp g)).
    have e3 := exp_pos x; have t0 : 0 < 1 + (exp x - 1) / (1 + exp g).
      have -> : 1 + (exp x - 1) / (1 + exp g) = (exp g + exp x) / (1 + exp g) by field; lra.
      by apply: Rdiv_lt_0_compat; lra.
    have -> : 1 + exp (- (g - x)) = (1 + exp (- g)) * (1 + (exp x - 1) / (1 + exp g)).
      have -> : exp (- (g - x)) = exp x * / exp g by rewrite -exp_Ropp -exp_plus; congr exp; ring.
      by rewrite exp_Ropp; field; lra.
    by rewrite ln_mult; lra.
  apply: log_1_plus_contains; apply: idiv_contains; first exact: exp_minus_1_contains.
  by apply: iadd_contains; [exact: contains1 | exact: iexp_contains].
- have -> : exp (- (g - x)) - exp (- g) = exp (- g) * (exp x - 1).
    by rewrite Rmult_minus_distr_l Rmult_1_r -exp_plus; congr (exp _ - _); ring.
  by apply: imul_contains; [apply: iexp_contains; exact: iopp_contains | exact: exp_minus_1_contains].
- by have -> : - (g - x) - - g = x by ring.
case: ifP => // /andP[/(is_positive_real Hg) g0 /(is_positive_real (isub_contains P Hg Hx)) d0].
have -> : - ln (g - x) - - ln g = - ln (1 + - (x / g)).
  have -> : g - x = g * (1 + - (x / g)) by field; lra.
  have t0 : 0 < 1 + - (x / g) by have -> : 1 + - (x / g) = (g - x) / g; [field; lra | exact: Rdiv_lt_0_compat].
  by rewrite ln_mult //; ring.
by apply/iopp_contains/log_1_plus_contains/iopp_contains/idiv_contains.
Qed.
End LossIntervals.

(* ---- attention ---- *)

Section Attention.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation group_index t := (tag (t : data_token D)).
Implicit Types (m : seq (seq interval)) (t : token (problem D)) (i : data_group D).

(* Score gaps against the selection, ||Delta_t||, scores of the selected tokens. *)
Definition gap_table : seq (seq interval) := exact_table P (score_unit D) (gaps D picks).

Lemma gap_table_encloses : encloses gap_table (gap alpha).
Proof. by apply: exact_table_encloses; [exact: fits_gaps | move=> t; exact: gap_value]. Qed.

Definition distance_table : seq (seq interval) :=
  let u := mul (token_unit D) (query_unit D) in map_rows (isqrt P) (exact_table P (mul u u) (lengths D picks)).

Lemma distance_table_encloses : encloses distance_table (fun t => vnorm (Delta alpha t)).
Proof.
apply: (map_encloses (F := fun t => vnorm2 (Delta alpha t))) => [|t I]; last exact: isqrt_contains.
by apply: exact_table_encloses; [exact: fits_lengths | move=> t; rewrite (length_value Dok Pok) !realM].
Qed.

Definition selected_scores : seq interval :=
  [seq ratio P (score_unit D) (nth zero (score_row qp.1) qp.2) | qp <- zip (sequences D) picks].

Lemma selected_scores_enclose : column_encloses selected_scores (fun i => score (alpha i)).
Proof.
have [/eqP sp _] := andP Pok; apply: (column_map (e0 := (no_sequence N, 0%nat))) => [|i].
  by rewrite size_zip sp minnn.
by rewrite nth_zip //=; exact: ratio_contains.
Qed.

(* Margins of every matrix within distance r of one whose margins are in m, r the upper end of the interval. *)
Definition widened_margins m (r : interval) : seq (seq interval) :=
  combine_tables (fun I J => iadd P I (symmetric (imul P r J))) m distance_table.

Lemma widened_margins_enclose m r (w w' : vec (coord (problem D))) x : encloses m (margin alpha w) ->
  contains r x -> vnorm (w' - w)%V <= x -> encloses (widened_margins m r) (margin alpha w').
Proof.
move=> Hm Hr Hx; apply: (combine_encloses Hm distance_table_encloses) => t I J HI HJ.
have -> : margin alpha w' t = margin alpha w t + dot (Delta alpha t) (w' - w)%V by rewrite /margin dotBr; ring.
apply: iadd_contains => //; apply: (symmetric_contains (imul_contains P Hr HJ)).
rewrite Rmult_comm; apply: Rle_trans (cauchy_schwarz _ _) _.
by apply: Rmult_le_compat_l => //; exact: vnorm_ge0.
Qed.

(* ---- multiplicities ---- *)

Definition count_rows : seq (seq N) := [seq count_row q | q <- sequences D].
(* The selected token's count and each token's. *)
Definition copy_rows : seq (seq (N * N)) :=
  [seq [seq (nth zero (count_row qp.1) qp.2, k) | k <- count_row qp.1] | qp <- zip (sequences D) picks].

(* I times k, and I times k/k0. *)
Definition times_count (k : N) I : interval := if same k one then I else imul P (exactly k) I.
Definition times_copies (k0 k : N) I : interval := if same k k0 then I else imul P (ratio P k0 k) I.

Lemma times_count_contains k I x : contains I x -> contains (times_count k I) (real k * x).
Proof.
move=> H; rewrite /times_count; case: ifP => [/same_real -> | _]; first by rewrite real1 Rmult_1_l.
by apply: imul_contains => //; exact: exactly_contains.
Qed.

Lemma times_copies_contains k0 k I x : 0 < real k0 -> contains I x ->
  contains (times_copies k0 k I) (real k / real k0 * x).
Proof.
move=> k00 H; rewrite /times_copies; case: ifP => [/same_real -> | _]; first by rewrite /Rdiv Rinv_r ?Rmult_1_l //; lra.
by apply: imul_contains => //; exact: ratio_contains.
Qed.

(* What stands at token t, times how often it stands there. *)
Definition by_counts m : seq (seq interval) :=
  map_rows (fun kI => times_count kI.1 kI.2) (zip_rows count_rows m).

(* What stands at token t, times its copies. *)
Definition by_copies m : seq (seq interval) :=
  map_rows (fun kI => times_copies kI.1.1 kI.1.2 kI.2) (zip_rows copy_rows m).

Lemma fits_counts : fits D count_rows.
Proof.
rewrite /fits size_map eqxx; apply/(all_nthP ([::], no_sequence N)) => i.
rewrite size_zip size_map minnn => il; rewrite nth_zip ?size_map // (nth_map (no_sequence N)) //.
by apply/eqP; exact: (count_row_size Dok il).
Qed.

Lemma at_counts t : real (at_token zero count_rows t) = multiplicity t.
Proof. by case: t => i s; rewrite (multiplicity_count Dok) /at_token (nth_map (no_sequence N)). Qed.

Lemma by_counts_encloses m F : encloses m F -> encloses (by_counts m) (fun t => multiplicity t * F t).
Proof.
case=> fm Hm; apply: (encloses_map (e0 := (zero, Everything N))) => [|t]; first exact: fits_zip fits_counts fm.
by rewrite -at_counts (at_token_zip _ _ _ fits_counts fm); exact: (times_count_contains _ (Hm t)).
Qed.

Lemma fits_copies : fits D copy_rows.
Proof.
have [/eqP sp _] := andP Pok; have sz : size (zip (sequences D) picks) = size (sequences D).
  by rewrite size_zip sp minnn.
rewrite /fits size_map sz eqxx; apply/(all_nthP ([::], no_sequence N)) => i.
rewrite size_zip size_map sz minnn => il; rewrite nth_zip ?size_map // (nth_map (no_sequence N, 0%nat)) ?sz //.
by rewrite nth_zip //; apply/eqP; rewrite [LHS]size_map; exact: (count_row_size Dok il).
Qed.

Lemma at_copies t : at_token (zero, zero) copy_rows t =
  (at_token zero count_rows (selected alpha t), at_token zero count_rows t).
Proof.
have E j k : (j < size (sequences D))%nat ->
    nth zero (nth [::] count_rows j) k = nth zero (count_row (sequence_at D j)) k.
  by move=> jl; rewrite (nth_map (no_sequence N)).
have [/eqP sp _] := andP Pok; case: t => i s; have il := ltn_ord i.
rewrite {1}/at_token (nth_map (no_sequence N, 0%nat)) ?size_zip ?sp ?minnn // nth_zip //.
rewrite (nth_map zero) ?(count_row_size Dok il) //.
by rewrite /at_token /= !E.
Qed.

Lemma by_copies_encloses m F : encloses m F -> encloses (by_copies m) (fun t => copies alpha t * F t).
Proof.
case=> fm Hm; apply: (encloses_map (e0 := ((zero, zero), Everything N))) => [|t]; first exact: fits_zip fits_copies fm.
have k0 := multiplicity_gt0 (selected alpha t); move: k0.
rewrite /copies -!at_counts (at_token_zip _ _ _ fits_copies fm) at_copies => k0.
exact: (times_copies_contains _ k0 (Hm t)).
Qed.

Section AtMargins.
Variables (m : seq (seq interval)) (w : vec (coord (problem D))).
Hypothesis margins_in : encloses m (margin alpha w).

(* e^-margin *)
Definition exp_minus I : interval := if is_zero I then interval1 N else iexp P (iopp I).
Definition exp_minus_table : seq (seq interval) := map_rows exp_minus m.

Lemma factor_contains I x : contains I x -> contains (exp_minus I) (exp (- x)).
Proof.
move=> H; rewrite /exp_minus; case: ifP => [/(is_zero_real H) -> | _].
  by rewrite Ropp_0 exp_0; exact: contains1.
by apply: iexp_contains; exact: iopp_contains.
Qed.

Lemma factor_table_encloses : encloses exp_minus_table (fun t => exp (- margin alpha w t)).
Proof. by apply: (map_encloses margins_in) => t I; exact: factor_contains. Qed.

(* Attention of every token. *)
Definition attention_table : seq (seq interval) :=
  let terms := by_counts exp_minus_table in spread_column (fun z e => idiv P e z) (group_sums P terms) terms.

Lemma attention_factors t : attention w t = multiplicity t * exp (- margin alpha w t) /
  \sum_(u : token (problem D) | group_of u == group_of t) multiplicity u * exp (- margin alpha w u).
Proof.
have H u : group_of u = group_of t ->
    multiplicity u * exp (- margin alpha w u) = unnormalised w u * exp (- logit w (selected alpha t)).
  by move=> E; rewrite /unnormalised Rmult_assoc -exp_plus margin_logit /selected E; congr (_ * exp _); ring.
rewrite (eq_bigr (fun u => unnormalised w u * exp (- logit w (selected alpha t)))) => [|u /eqP]; last exact: H.
rewrite -sum_mulr H // /attention; have z0 := normaliser_gt0 w t; have e0 := exp_pos (- logit w (selected alpha t)).
move: (\sum_(u | _) _) z0 => z z0; move: (unnormalised w t) (exp (- _)) e0 => a b b0.
by field; lra.
Qed.

Lemma attention_table_encloses : encloses attention_table (attention w).
Proof.
have terms := by_counts_encloses factor_table_encloses.
apply: (spread_column_encloses (group_sums_enclose P terms) terms) => t I J HI HJ.
by rewrite attention_factors; apply: idiv_contains.
Qed.

(* What the outputs lose against the scores of a selection: score(beta i) - output i = sum_t s_t gap_t. *)
Definition lost_output (picks' : seq nat) : seq interval :=
  group_sums P (combine_tables (imul P) attention_table (exact_table P (score_unit D) (gaps D picks'))).

Lemma lost_output_encloses (picks' : seq nat) (Pok' : picks_ok D picks') :
  column_encloses (lost_output picks') (fun i => score (selection_of Pok' i) - output w i).
Proof.
have Hg : encloses (exact_table P (score_unit D) (gaps D picks')) (gap (selection_of Pok')).
  by apply: exact_table_encloses; [exact: fits_gaps | move=> t; exact: gap_value].
have := group_sums_enclose P (combine_encloses (H := fun t => attention w t * gap (selection_of Pok') t)
          attention_table_encloses Hg (fun t I J HI HJ => imul_contains P HI HJ)).
case=> sc Hc; split=> // i; have := Hc i; congr contains.
have := output_sub_score (selection_of Pok') w (selection_of Pok' i); rewrite group_of_pick.
have -> : gap (selection_of Pok') (selection_of Pok' i) = 0 by rewrite /gap selected_pick; ring.
by lra.
Qed.

Definition output_column : seq interval := combine_columns (isub P) selected_scores (lost_output picks).

Lemma output_column_encloses : column_encloses output_column (output (p := problem D) w).
Proof.
apply: (combine_column selected_scores_enclose (lost_output_encloses Pok)) => i I J HI HJ.
have -> : output (p := problem D) w i = score (alpha i) - (score (alpha i) - output (p := problem D) w i) by ring.
exact: isub_contains.
Qed.

Variable l : loss_name.

Definition slope_column : seq interval := map (slope_interval P l) output_column.

Lemma slope_column_encloses : column_encloses slope_column (fun i => - dloss (loss_of l) (output (p :=
  problem D) w i)).
Proof. by apply: (map_column output_column_encloses) => i I; exact: slope_interval_contains. Qed.

(* T1's weights: -gradient = sum over constraints of omega_t Delta_t. *)
Definition omega_table : seq (seq interval) :=
  let below := spread_column (fun d g => isub P g d) (lost_output picks) gap_table in    (* output - score *)
  let weights := [seq imul P (group_share D P) s | s <- slope_column] in
  combine_tables (imul P) (spread_column (imul P) weights attention_table) below.

Lemma omega_table_encloses : encloses omega_table (omega (loss_of l) w).
Proof.
have Hb : encloses (spread_column (fun d g => isub P g d) (lost_output picks) gap_table)
            (fun t => output w (group_of t) - score t).
  apply: (spread_column_encloses (lost_output_encloses Pok) gap_table_encloses) => t I J HI HJ.
  have := isub_contains P HJ HI; congr contains; rewrite /gap /selected /=.
  by ring.
have Hw : column_encloses [seq imul P (group_share D P) s | s <- slope_column]
            (fun i => weight (s := problem D) i * - dloss (loss_of l) (output (p := problem D) w i)).
  by apply: (map_column slope_column_encloses) => i I HI; apply: imul_contains => //; exact: group_share_contains.
have Hwa : encloses (spread_column (imul P) [seq imul P (group_share D P) s | s <- slope_column] attention_table)
             (fun t => weight (group_of t) * - dloss (loss_of l) (output w (group_of t)) * attention w t).
  by apply: (spread_column_encloses Hw attention_table_encloses) => t I J; exact: imul_contains.
by apply: (combine_encloses Hwa Hb) => t I J; exact: imul_contains.
Qed.

(* The loss above that of the scores of a selection; above L* when these are the best scores (Runs.v). *)
Definition loss_excess (picks' : seq nat) (scores : seq interval) : interval :=
  isum P [seq imul P (group_share D P) e | e <- combine_columns (excess_interval P l) scores (lost_output picks')].

Lemma loss_excess_contains (picks' : seq nat) (Pok' : picks_ok D picks') scores :
  column_encloses scores (fun i => score (selection_of Pok' i)) ->
  contains (loss_excess picks' scores)
    (training_loss (loss_of l) w - \sum_i weight i * loss_of l (score (selection_of Pok' i))).
Proof.
move=> Hs; have He : column_encloses (combine_columns (excess_interval P l) scores (lost_output picks'))
    (fun i => loss_of l (output (p := problem D) w i) - loss_of l (score (selection_of Pok' i))).
  apply: (combine_column Hs (lost_output_encloses Pok')) => i I J HI HJ.
  have -> : output (p := problem D) w i =
            score (selection_of Pok' i) - (score (selection_of Pok' i) - output (p := problem D) w i) by ring.
  exact: excess_interval_contains.
have Hw : column_encloses [seq imul P (group_share D P) e | e <- combine_columns (excess_interval P l) scores
  (lost_output picks')]
    (fun i => weight (s := problem D) i * loss_of l (output (p := problem D) w i) -
              weight (s := problem D) i * loss_of l (score (selection_of Pok' i))).
  apply: (map_column He) => i I HI; rewrite -Rmult_minus_distr_l; apply: imul_contains => //.
  exact: group_share_contains.
by have := column_sum_contains P Hw; rewrite sumB.
Qed.
End AtMargins.
End Attention.
