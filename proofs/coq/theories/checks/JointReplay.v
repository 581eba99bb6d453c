(* JointReplay: decoder and attention trained together (JointIteration.v), replayed entry by entry in intervals:
   enclosures of both parameters at every step. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Gradient Saturation JointModel JointAscent JointInside JointStep Number Rows
                           Entries TokenData Losses Instances EqualTokens MergedTokens MarginChecks OptimalityChecks
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals RunChecks MirrorReplay
                           DecoderData LabelMarginsChecks LabelledValues JointIteration GroupValues.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the replay ---- *)

Section Replay.
Variables (N : number) (I : instance N) (sel : seq nat) (T : pair_training N) (P : Z).
Notation D := (data_of I).
Notation p := (problem D).
Notation raw := (token_data_of I).
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation dim := (token_dimension I).
Notation column := (vec [finType of 'I_dim * 'I_1]).
Variables (data : token_data N) (groups : seq (labelled_group N)).   (* the data, and the groups' values *)

Notation pair_state := (pair_state N).

Definition first_pair : pair_state := PairState
  (if decoder_from_zero T then nseq dim (interval0 N)
   else if token_scoring I is Decoder _ v unit then [seq ratio P unit a | a <- v] else nseq dim (interval0 N))
  (nseq (left_dimension data) (nseq (right_dimension data) (interval0 N))) one.

Record pair_look := PairLook {
  looked_attention : seq (seq interval); looked_gaps : seq (seq interval); looked_lost : seq interval;
  looked_outputs : seq interval; looked_pulls : seq interval
}.

Definition look_at_pair (s : pair_state) : pair_look :=
  let a := attention_table data P (interval_margins data P sel (pair_matrix s)) in
  let gaps := labels_in P groups (pair_decoder s) in
  let lost := group_sums P (combine_tables (imul P) a gaps) in
  let outputs := combine_columns (isub P) (excesses_in P groups (pair_decoder s) (interval0 N)) lost in
  PairLook a gaps lost outputs
    [seq imul P (group_share data P) (slope_interval P (trained_loss T) f) | f <- outputs].

Definition decoder_pull (v : pair_look) : seq interval :=
  mixed_rows P dim (looked_pulls v)
    [seq apart P (group_value ga.1) (mixed_rows P dim ga.2 (group_differences ga.1))
    | ga <- zip groups (looked_attention v)].

Definition attention_pull (v : pair_look) : seq (seq interval) :=
  interval_pull data P sel (combine_tables (imul P) (spread_column (imul P) (looked_pulls v) (looked_attention v))
    (spread_column (fun lost gap => isub P gap lost) (looked_lost v) (looked_gaps v))).

Definition size_in (r : pair_rule N) (k : N) : interval :=
  if same (fraction_num (rule_power r)) zero then claimed P (rule_size r)
  else imul P (claimed P (rule_size r)) (iexp P (imul P (claimed P (rule_power r)) (ilog P (exactly k)))).

Definition factor_in (r : pair_rule N) (k : N) (norm : interval) : interval :=
  if rule_normalised r then idiv P (size_in r k) norm else size_in r k.

Definition pair_advance (s : pair_state) (v : pair_look) : pair_state :=
  let dv := decoder_pull v in
  let dw := attention_pull v in
  let a := factor_in (decoder_rule T) (pair_clock s) (isqrt P (row_product P dv dv)) in
  let b := factor_in (attention_rule T) (pair_clock s) (isqrt P (matrix_product P dw dw)) in
  PairState (pairwise (fun x y => iadd P x (imul P a y)) (pair_decoder s) dv)
    (combine_tables (fun x y => iadd P x (imul P b y)) (pair_matrix s) dw) (add (pair_clock s) one).

(* The loss at an output. *)
Definition loss_at (f : interval) : interval :=
  let tail := iexp P (iopp f) in
  match trained_loss T with
  | Logistic => log_1_plus P tail
  | Exponential => tail
  | _ => iopp f
  end.
Definition pair_loss_in (v : pair_look) : interval :=
  isum P [seq imul P (group_share data P) (loss_at f) | f <- looked_outputs v].

(* ---- soundness ---- *)

Hypotheses (dataE : data = D) (groupsE : groups = all_groups_in I P sel raw).
Hypotheses (Iok : instance_ok I) (MDok : data_ok D) (Sok : picks_ok D sel) (unit_gt0 : 0 < real (tokens_unit I)).
Let alpha : selection p := selection_of Sok.
Notation g := (@labelled_value N I).
Notation kappa := (chosen_value g alpha).
Notation delta := (value_difference g alpha).
Notation l := (loss_of (trained_loss T)).

Lemma zero_matrix (E : token_data N) :
  @matrix_encloses N E (nseq (left_dimension E) (nseq (right_dimension E) (interval0 N))) vzero.
Proof.
split; last by move=> j k; rewrite /entry_of nth_nseq ltn_ord nth_nseq ltn_ord; exact: (@contains0 N).
rewrite /matrix_fits size_nseq eqxx; apply/(all_nthP [::]) => j; rewrite size_nseq => jl.
by rewrite nth_nseq jl size_nseq.
Qed.

Lemma first_pair_encloses : has_decoder I -> pair_encloses first_pair (pair_trajectory I T 0).
Proof.
move=> dec; split; last by rewrite /= dataE; exact: zero_matrix.
have none : row_contains (nseq dim (interval0 N)) ((fun=> 0) : column).
  by split=> [|j]; [exact: size_nseq | rewrite nth_nseq ltn_ord; exact: contains0].
rewrite /= /first_decoder; case: (decoder_from_zero T); first exact: none.
move: dec; rewrite /has_decoder /token_dimension; case: (token_scoring I) => // ls v unit _.
by split=> [|j]; [rewrite size_map | rewrite (nth_map zero) //; exact: ratio_contains].
Qed.

Section AtPair.
Variables (s : pair_state) (v : column) (w : vec (coord p)).
Hypothesis at_s : pair_encloses s (v, w).
Notation look := (look_at_pair s).

Let Hv : row_contains (pair_decoder s) v := proj1 at_s.

Lemma looked_attention_encloses : @encloses N D (looked_attention look) (attention w).
Proof.
rewrite /= dataE; have Hm := interval_margins_enclose P MDok Sok (proj2 at_s).
exact: (attention_table_encloses P MDok Hm).
Qed.

Lemma looked_gaps_enclose : @encloses N D (looked_gaps look) (fun t => dot (delta t) v).
Proof. exact: (labels_in_enclose Iok MDok Sok unit_gt0 groupsE Hv). Qed.

Lemma no_difference i : delta (alpha i) = vzero.
Proof.
have E : alpha (group_of (alpha i)) = alpha i by rewrite group_of_pick.
rewrite /value_difference /chosen_value E; vec_ring.
Qed.

Lemma lost_group i : \sum_(t | group_of t == i) attention w t * dot (delta t) v = lost_value g alpha v w i.
Proof. by rewrite (group_sum alpha) no_difference dot0l Rmult_0_r Rplus_0_l. Qed.

Lemma looked_lost_enclose : @column_encloses N D (looked_lost look) (lost_value g alpha v w).
Proof.
have H : @encloses N D (combine_tables (imul P) (looked_attention look) (looked_gaps look))
    (fun t => attention w t * dot (delta t) v).
  by apply: (combine_encloses looked_attention_encloses looked_gaps_enclose) => t A B; exact: imul_contains.
by have [sz C] := group_sums_enclose P H; split=> // i; rewrite -lost_group; exact: C.
Qed.

Lemma looked_outputs_enclose : @column_encloses N D (looked_outputs look) (joint_output g v w).
Proof.
have H := excesses_in_enclose Iok MDok Sok unit_gt0 groupsE Hv (@contains0 N).
apply: (combine_column H looked_lost_enclose) => i A B HA HB.
by rewrite (joint_output_lost g alpha); apply: isub_contains => //; move: HA; rewrite Rminus_0_r.
Qed.

Lemma looked_pulls_enclose : @column_encloses N D (looked_pulls look) (group_pull g l v w).
Proof.
apply: (map_column looked_outputs_enclose) => i A HA; apply: imul_contains; last exact: slope_interval_contains.
by rewrite dataE; exact: group_share_contains.
Qed.

Lemma taken_group i : taken_value g alpha w i =
  combine predT (fun s : 'I_(length_of D i) => attention w (@token_of N D i s)) (fun s => delta (token_of s)).
Proof.
apply: vec_of_dots => e; rewrite !dot_combinel -(@sum_group N D (fun t => attention w t * dot (delta t) e) i).
by rewrite (group_sum alpha) no_difference dot0l Rmult_0_r Rplus_0_l.
Qed.

Lemma decoder_pull_contains : row_contains (decoder_pull look) (- value_gradient g l v w)%V.
Proof.
have -> : (- value_gradient g l v w)%V =
    combine predT (group_pull g l v w) (fun i => (kappa i - taken_value g alpha w i)%V).
  apply: vec_of_dots => e; rewrite dotNl (value_ascent g l alpha) dot_combinel; apply: eq_bigr => i _.
  by rewrite dotBl lost_taken.
have [fa Ha] := looked_attention_encloses; have [/eqP sa _] := andP fa; have [sp Hp] := looked_pulls_enclose.
have sg : size groups = size (sequences D) := values_size groupsE.
apply: (@mixed_rows_contains N P dim _ _ (size (sequences D))) => //; first by rewrite size_map size_zip sa sg minnn.
move=> i; rewrite (nth_map (no_group N, [::])) ?size_zip ?sa ?sg ?minnn // nth_zip ?sa ?sg //=.
have [H1 H2 _ H3] := values_enclose Iok MDok Sok unit_gt0 groupsE i.
apply: (apart_contains P H1); rewrite taken_group.
apply: mixed_rows_contains => // [|k]; first exact: (fits_row fa (ltn_ord i)).
exact: (Ha (@token_of N D i k)).
Qed.

Lemma attention_pull_encloses : @matrix_encloses N D (attention_pull look) (- attention_gradient g l v w)%V.
Proof.
rewrite (attention_ascent g l alpha).
have -> : combine (constraint alpha) (row_pull g l alpha v w) (Delta alpha) =
    combine predT (row_pull g l alpha v w) (Delta alpha).
  apply: vec_ext => j; rewrite /combine [LHS]big_mkcond; apply: eq_bigr => u _.
  by case: ifPn => // /not_constraint E; rewrite /Delta /selected -E /vsub; ring.
rewrite /attention_pull dataE.
have below : @encloses N D (spread_column (fun lost gap => isub P gap lost) (looked_lost look) (looked_gaps look))
    (fun t => dot (delta t) v - lost_value g alpha v w (group_of t)).
  by apply: (spread_column_encloses looked_lost_enclose looked_gaps_enclose) => t A B HA HB; exact: isub_contains.
have front : @encloses N D (spread_column (imul P) (looked_pulls look) (looked_attention look))
    (fun t => group_pull g l v w (group_of t) * attention w t).
  by apply: (spread_column_encloses looked_pulls_enclose looked_attention_encloses) => t A B; exact: imul_contains.
have whole : @encloses N D (combine_tables (imul P)
      (spread_column (imul P) (looked_pulls look) (looked_attention look))
      (spread_column (fun lost gap => isub P gap lost) (looked_lost look) (looked_gaps look))) (row_pull g l alpha v w).
  by apply: (combine_encloses front below) => t A B; exact: imul_contains.
exact: (interval_pull_encloses P MDok Sok whole).
Qed.

Lemma size_in_contains r k t : real k = INR t.+1 -> contains (size_in r k) (pair_step_size r t).
Proof.
move=> E; rewrite /size_in /pair_step_size; case: ifP => [/same_real z | _].
  have -> : fraction_real (rule_power r) = 0 by rewrite /fraction_real z real0 /Rdiv Rmult_0_l.
  rewrite /Rpower Rmult_0_l exp_0 Rmult_1_r; exact: claimed_contains.
apply: imul_contains; first exact: claimed_contains.
apply: iexp_contains; apply: imul_contains; first exact: claimed_contains.
by apply: ilog_contains; rewrite -E; exact: exactly_contains.
Qed.

Lemma factor_in_contains r k t norm n : real k = INR t.+1 -> contains norm n ->
  contains (factor_in r k norm) (if rule_normalised r then pair_step_size r t / n else pair_step_size r t).
Proof.
move=> E Hn; rewrite /factor_in; case: ifP => _; last exact: size_in_contains.
by apply: idiv_contains => //; exact: size_in_contains.
Qed.

Theorem pair_advance_encloses t : real (pair_clock s) = INR t.+1 -> pair_encloses (pair_advance s look)
  (pair_moved (rule_normalised (decoder_rule T)) (pair_step_size (decoder_rule T) t) v (value_gradient g l v w),
   pair_moved (rule_normalised (attention_rule T)) (pair_step_size (attention_rule T) t) w
     (attention_gradient g l v w)).
Proof.
move=> ck; have Hdv := decoder_pull_contains; have Hdw := attention_pull_encloses; split=> /=.
  have Hn := isqrt_contains P (row_product_contains P Hdv Hdv); rewrite -/(vnorm2 _) -/(vnorm _) vnormN in Hn.
  have Hf := factor_in_contains (decoder_rule T) ck Hn; apply: (pairwise_contains Hv Hdv) => j A B HA HB.
  by rewrite pair_movedE; apply: iadd_contains => //; exact: imul_contains.
have Hn := isqrt_contains P (matrix_product_contains P Hdw Hdw); rewrite -/(vnorm2 _) -/(vnorm _) vnormN in Hn.
have Hf := factor_in_contains (attention_rule T) ck Hn.
apply: (matrix_combine_encloses (proj2 at_s) Hdw) => j A B HA HB.
by rewrite pair_movedE; apply: iadd_contains => //; exact: imul_contains.
Qed.

Lemma loss_at_contains f x : trained_loss T <> CrossEntropy -> contains f x -> contains (loss_at f) (l x).
Proof.
move=> known H; have H' := iopp_contains H; have He := iexp_contains P H'.
rewrite /loss_at; case: (trained_loss T) known => //= _.
exact: log_1_plus_contains.
Qed.

Theorem pair_loss_in_contains : trained_loss T <> CrossEntropy -> contains (pair_loss_in look) (joint_loss g l v w).
Proof.
move=> known; rewrite /joint_loss /training_loss; apply: column_sum_contains.
apply: (map_column looked_outputs_enclose) => i A HA; apply: imul_contains; last exact: loss_at_contains.
by rewrite dataE; exact: (group_share_contains P i).
Qed.
End AtPair.
End Replay.
