(* FactoredRunChecks: what a claim about training of factors says at its checkpoints, decided by the replay entry by
   entry (FactoredReplay.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Gradient NormDuality Number Rows TokenData Losses Claims MarginChecks
                           OptimalityChecks EnclosureChecks Interval Elementary IntervalTables AttentionIntervals Runs
                           Replay ReplaySound RunChecks PathChecks FactoredStep FactoredIteration Iteration Schedules
                           MirrorReplay MirrorRunChecks FactoredReplay.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- what is said ---- *)

Record factored_checkpoint (N : number) := FactoredCheckpoint {
  factored_at : nat;
  factored_left_claim : claimed_band N; factored_right_claim : claimed_band N; factored_norm_claim : claimed_band N;
  factored_balance_claim : claimed_band N; factored_loss_claim : claimed_band N;
  factored_unselected_claim : claimed_band N;
  factored_corr_claim : option (claimed_band N); factored_nuclear_claim : option (claimed_band N)
}.

(* The iteration; its start as integers over units, row by row. *)
Record factored_training (N : number) := FactoredTraining {
  training_rank : nat;
  training_normalised : bool;                (* ngd, gd *)
  training_schedule : schedule;
  training_step : fraction N;
  training_left : seq (seq N); training_left_unit : N;
  training_right : seq (seq N); training_right_unit : N
}.

Section Said.
Variables (d e m : finType).
Variables (N : number) (k : factored_checkpoint N) (s : factor_pair d e m).
Let w := pair_product s.

(* K'K - Q'Q, in the Frobenius norm. *)
Definition balance_norm : R :=
  sqrt (\sum_a \sum_b (dot (left_factor s a) (left_factor s b) - dot (right_factor s a) (right_factor s b)) *
                      (dot (left_factor s a) (left_factor s b) - dot (right_factor s a) (right_factor s b))).

(* ||K||, ||Q||, ||K Q'||, ||K'K - Q'Q||. *)
Definition factors_seen : Prop :=
  [/\ in_band (band_real (factored_left_claim k)) (family_norm (left_factor s)),
      in_band (band_real (factored_right_claim k)) (family_norm (right_factor s)),
      in_band (band_real (factored_norm_claim k)) (vnorm w) &
      in_band (band_real (factored_balance_claim k)) balance_norm].

(* 1 less the correlation with x. *)
Definition correlated (b : option (claimed_band N)) (x : vec [finType of d * e]) : Prop :=
  if b is Some b then 0 < vnorm w * vnorm x /\ in_band (band_real b) (1 - dot w x / (vnorm w * vnorm x)) else True.
End Said.

(* L - L*, the most attention off a selected token. *)
Definition point_seen (N : number) (s : selection_problem) (alpha : selection s) (l : loss) (least : R)
    (k : factored_checkpoint N) (w : vec (coord s)) : Prop :=
  in_band (band_real (factored_loss_claim k)) (training_loss l w - least) /\
  (forall i, 1 - attention w (alpha i) <= (band_real (factored_unselected_claim k)).2) /\
  exists i, (band_real (factored_unselected_claim k)).1 <= 1 - attention w (alpha i).

Section FactoredRunChecks.
Variables (N : number) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Variables (l : loss_name) (r : factored_training N) (P : Z).
Let d := left_dimension D.
Let e := right_dimension D.
Notation m := (training_rank r).
Notation pair := (factor_pair [finType of 'I_d] [finType of 'I_e] [finType of 'I_m]).
Implicit Types (t : nat) (k : factored_checkpoint N).

(* Steps are those of a run with this schedule. *)
Definition step_specification : specification N :=
  Specification GradientSteps (training_schedule r) (training_step r) [::] one.

Definition training_start : pair :=
  FactorPair (@column_values N m d (training_left r) (training_left_unit r))
             (@column_values N m e (training_right r) (training_right_unit r)).

Definition descent_field (w : vec (coord (problem D))) : vec (coord (problem D)) := (- gradient (loss_of l) w)%V.

Definition factored_trajectory : nat -> pair :=
  factors_iterate descent_field (training_normalised r) (sizes step_specification) training_start.

Definition training_ok : bool :=
  [&& fraction_ok (training_step r), lt zero (fraction_num (training_step r)), lt zero (training_left_unit r),
      lt zero (training_right_unit r) & shaped d m (training_left r) && shaped e m (training_right r)].

(* ---- one step ---- *)

Record factored_state := FactoredState {
  left_columns : seq (seq interval); right_columns : seq (seq interval);
  factored_clock : N;               (* the number of the step, from 1 *)
  factored_references : seq nat     (* a token of each group *)
}.

Definition first_factored_state : factored_state :=
  FactoredState (columns_of P m d (training_left r) (training_left_unit r))
    (columns_of P m e (training_right r) (training_right_unit r)) one [seq 0%nat | _ <- sequences D].

Record factored_look := FactoredLook {
  looked_queries : seq (seq interval); looked_logits : seq (seq interval); looked_attention : mirror_view N
}.

Definition look_through (s : factored_state) : factored_look :=
  let seen := seen_queries D P (right_columns s) in
  let margins := factored_margins D P (factored_references s) (left_columns s) seen in
  FactoredLook seen margins (see_margins D P l (factored_references s) margins).

Definition factored_step_size (size : interval) (pulls : seq (seq interval)) : interval :=
  if training_normalised r then idiv P size (isqrt P (family_square P pulls)) else size.

Definition factored_advance (s : factored_state) (v : factored_look) : factored_state :=
  let ys := pulled_tokens D P (factored_references s) (seen_weights (looked_attention v)) in
  let lefts := left_pulls D P m ys (looked_queries v) in
  let rights := right_pulls D P m (turned_tokens P (left_columns s) ys) in
  let size := eta step_specification P (factored_clock s) in
  FactoredState (family_step P (factored_step_size size lefts) (left_columns s) lefts)
    (family_step P (factored_step_size size rights) (right_columns s) rights) (add (factored_clock s) one)
    [seq interval_leader (head anything row) 0 0 row | row <- looked_logits v].

(* ---- checkpoints ---- *)

(* Row by row. *)
Definition product_matrix (s : factored_state) : seq (seq interval) :=
  tabulate d e (fun j c => isum P [seq imul P (nth anything ab.1 j) (nth anything ab.2 c)
                                  | ab <- zip (left_columns s) (right_columns s)]).

Definition balance_matrix (s : factored_state) : seq (seq interval) :=
  [seq [seq isub P (interval_dot P ab.1 cd.1) (interval_dot P ab.2 cd.2) | cd <- zip (left_columns s) (right_columns s)]
  | ab <- zip (left_columns s) (right_columns s)].

(* A matrix that is known within a distance, and the norm of what is known. *)
Record near_matrix := NearMatrix {
  near_entries : seq (seq interval); near_distance : interval; near_length : interval
}.

Definition corr_check (b : option (claimed_band N)) (x : near_matrix) (w : seq (seq interval)) (norm : interval) :
    bool :=
  if b is Some b then
    let along := iadd P (matrix_product P w (near_entries x)) (symmetric (imul P norm (near_distance x))) in
    is_positive norm && is_positive (near_length x) &&
      between_ends P b (isub P (interval1 N) (idiv P (idiv P along (near_length x)) norm))
  else true.

Definition said_of (b : option (claimed_band N)) (x : option near_matrix) (w : seq (seq interval)) (norm : interval) :
    bool :=
  if x is Some x then corr_check b x w norm else ~~ isSome b.

Variables (euclidean nuclear : option near_matrix).

Definition seen_excess (v : factored_look) : interval :=
  loss_excess D P (looked_logits v) l (best_picks D) (selected_scores D P (best_picks D)).

Definition factored_checkpoint_check (s : factored_state) (v : factored_look) k : bool :=
  let w := product_matrix s in
  let norm := isqrt P (matrix_product P w w) in
  let rest := unselected_of picks P (View [::] (seen_attention (looked_attention v)) [::] [::] [::]) in
  let low := claimed P (factored_unselected_claim k).1 in
  let high := claimed P (factored_unselected_claim k).2 in
  [&& between_ends P (factored_left_claim k) (isqrt P (family_square P (left_columns s))),
      between_ends P (factored_right_claim k) (isqrt P (family_square P (right_columns s))),
      between_ends P (factored_norm_claim k) norm,
      between_ends P (factored_balance_claim k) (isqrt P (family_square P (balance_matrix s))) &
      [&& between_ends P (factored_loss_claim k) (seen_excess v),
          all (fun I => certainly_le I high) rest && has (certainly_le low) rest,
          said_of (factored_corr_claim k) euclidean w norm & said_of (factored_nuclear_claim k) nuclear w norm]].

(* L - L* and ||K||^2 + ||Q||^2 at a step: what later claims rest on. *)
Definition factored_point : Type := (nat * (interval * interval))%type.
Definition point_of t (s : factored_state) (v : factored_look) : factored_point :=
  (t, (seen_excess v, iadd P (family_square P (left_columns s)) (family_square P (right_columns s)))).

Fixpoint factored_follow (ks : seq (factored_checkpoint N)) (n t : nat) (s : factored_state) :
    option (seq factored_point) :=
  let v := look_through s in
  let at_t := [seq k <- ks | factored_at k == t] in
  if picks_ok D (factored_references s) && all (factored_checkpoint_check s v) at_t then
    let points := if at_t is [::] then [::] else [:: point_of t s v] in
    if n is n'.+1 then omap (cat points) (factored_follow ks n' t.+1 (factored_advance s v)) else Some points
  else None.

Definition last_factored (ks : seq (factored_checkpoint N)) : nat := foldr (fun k => maxn (factored_at k)) 0%nat ks.

Definition factored_run_check (ks : seq (factored_checkpoint N)) : option (seq factored_point) :=
  if training_ok && best_ok D then factored_follow ks (last_factored ks) 0 first_factored_state else None.

(* ---- soundness ---- *)

Definition factored_state_at t (s : factored_state) : Prop :=
  [/\ family_encloses (left_columns s) (left_factor (factored_trajectory t)),
      family_encloses (right_columns s) (right_factor (factored_trajectory t)) & real (factored_clock s) = INR t.+1].

Lemma first_factored_state_at : factored_state_at 0 first_factored_state.
Proof. by split; [exact: columns_of_enclose | exact: columns_of_enclose | exact: real1]. Qed.

Section AtStep.
Variables (t : nat) (s : factored_state).
Hypotheses (at_s : factored_state_at t s) (Rok : picks_ok D (factored_references s)).
Let pt := factored_trajectory t.
Let w : vec (coord (problem D)) := pair_product pt.
Let v := look_through s.
Let HK : family_encloses (left_columns s) (left_factor pt).
Proof. by case: at_s. Qed.
Let HQ : family_encloses (right_columns s) (right_factor pt).
Proof. by case: at_s. Qed.

Lemma logits_enclosed : encloses (looked_logits v) (margin (selection_of Rok) w).
Proof. exact: factored_margins_enclose. Qed.

Lemma descent_enclosed : encloses (seen_weights (looked_attention v)) (omega (loss_of l) w).
Proof. by rewrite see_margins_weights; exact: omega_table_encloses Dok Rok _ _ logits_enclosed l. Qed.

Lemma descent_field_constraints :
  descent_field w = combine predT (omega (loss_of l) w) (Delta (selection_of Rok)).
Proof.
rewrite /descent_field (gradient_constraints (selection_of Rok)).
apply: vec_ext => j; rewrite /combine [LHS]big_mkcond; apply: eq_bigr => u _.
by case: ifPn => // /not_constraint E; rewrite /Delta /selected -E /vsub; ring.
Qed.

Lemma factored_step_size_contains I (x : R) (n : nat) T (F : 'I_m -> vec [finType of 'I_n]) : contains I x ->
  family_encloses T F ->
  contains (factored_step_size I T) (if training_normalised r then x / family_norm F else x).
Proof.
move=> HI HT; rewrite /factored_step_size; case: training_normalised => //.
by apply: idiv_contains => //; exact: family_norm_contains.
Qed.

Theorem factored_advance_at : factored_state_at t.+1 (factored_advance s v).
Proof.
have [_ _ ck] := at_s; have He := eta_contains step_specification P ck.
have Hl := left_pulls_enclose P Dok Rok HQ descent_enclosed.
have Hr := right_pulls_enclose P Dok Rok HK descent_enclosed.
rewrite -descent_field_constraints in Hl Hr.
split; last by rewrite [factored_clock _]/= realD ck real1 -S_INR.
  exact: (family_step_encloses P (factored_step_size_contains He Hl) HK Hl).
exact: (family_step_encloses P (factored_step_size_contains He Hr) HQ Hr).
Qed.

(* ---- a checkpoint ---- *)

Lemma product_enclosed : matrix_encloses (product_matrix s) w.
Proof.
have [sK _ HK'] := HK; have [sQ _ HQ'] := HQ.
have [st rt Ht] : @family_encloses N d e (product_matrix s) (fun j c => w (j, c)).
  apply: tabulate_encloses => j c; rewrite /w /pair_product /factored /combine.
  apply: isum_contains => [|a]; first by rewrite size_map size_zip sK sQ minnn.
  rewrite (nth_map ([::], [::])) ?size_zip ?sK ?sQ ?minnn // nth_zip ?sK ?sQ //= Rmult_1_l.
  by apply: imul_contains; [exact: HK' | exact: HQ'].
split=> //; rewrite /matrix_fits st eqxx; apply/(all_nthP [::]) => j; rewrite st => jl.
by apply/eqP; exact: (rt (Ordinal jl)).
Qed.

Let norm := isqrt P (matrix_product P (product_matrix s) (product_matrix s)).

Lemma product_norm_contains : contains norm (vnorm w).
Proof. by apply: isqrt_contains; exact: matrix_product_contains product_enclosed product_enclosed. Qed.

Lemma balance_contains : contains (isqrt P (family_square P (balance_matrix s))) (balance_norm pt).
Proof.
have [sK _ _] := HK; have [sQ _ _] := HQ.
have sz : size (zip (left_columns s) (right_columns s)) = m by rewrite size_zip sK sQ minnn.
pose F (a b : 'I_m) := dot (left_factor pt a) (left_factor pt b) - dot (right_factor pt a) (right_factor pt b).
have H : @family_encloses N m m (balance_matrix s) F.
  have row (a : 'I_m) : nth [::] (balance_matrix s) a =
      [seq isub P (interval_dot P (nth [::] (left_columns s) a) cd.1)
                  (interval_dot P (nth [::] (right_columns s) a) cd.2)
      | cd <- zip (left_columns s) (right_columns s)].
    by rewrite (nth_map ([::], [::])) ?sz // nth_zip ?sK ?sQ.
  split=> [|a|a b]; [by rewrite size_map | by rewrite row size_map |].
  rewrite /entry_of row (nth_map ([::], [::])) ?sz // nth_zip ?sK ?sQ //=.
  by apply: isub_contains; apply: interval_dot_contains; exact: family_row.
by apply: isqrt_contains; have := family_square_contains P H.
Qed.

(* A matrix known within a distance. *)
Definition near_to (x : near_matrix) (y : vec (coord (problem D))) : Prop :=
  exists y0 rho, [/\ matrix_encloses (near_entries x) y0, contains (near_distance x) rho, vnorm (y0 - y)%V <= rho &
                     contains (near_length x) (vnorm y)].

Lemma corr_check_sound b x y : near_to x y -> corr_check b x (product_matrix s) norm ->
  @correlated [finType of 'I_d] [finType of 'I_e] [finType of 'I_m] N pt b y.
Proof.
case=> y0 [rho [Hy Hr near Hn]]; rewrite /corr_check /correlated -/w; case: b => // b /andP[/andP[n0 l0] H].
have Hw := product_norm_contains; have {}n0 := is_positive_real Hw n0; have {}l0 := is_positive_real Hn l0.
split; first exact: Rmult_lt_0_compat.
apply: between_ends_real H; apply: isub_contains; first exact: contains1.
have -> : dot w y / (vnorm w * vnorm y) = dot w y / vnorm y / vnorm w by field; lra.
apply: idiv_contains => //; apply: idiv_contains => //.
have -> : dot w y = dot w y0 + (dot w y - dot w y0) by ring.
apply: iadd_contains; first exact: matrix_product_contains product_enclosed Hy.
apply: (symmetric_contains (imul_contains P Hw Hr)).
have -> : dot w y - dot w y0 = - dot w (y0 - y)%V by rewrite dotBr; ring.
rewrite Rabs_Ropp; apply: Rle_trans (cauchy_schwarz _ _) _.
by apply: Rmult_le_compat_l => //; exact: vnorm_ge0.
Qed.

Hypothesis Bok : best_ok D.
Let least := least_loss (best_alpha Bok) (loss_of l).

Lemma attention_seen : encloses (seen_attention (looked_attention v)) (attention w).
Proof. exact: attention_table_encloses Dok Rok _ _ logits_enclosed. Qed.

Lemma seen_excess_contains : contains (seen_excess v) (training_loss (loss_of l) w - least).
Proof.
have scores := selected_scores_enclose P (proj1 (andP Bok)).
exact: (loss_excess_contains P Dok logits_enclosed l scores).
Qed.

Definition correlation_holds (b : option (claimed_band N)) (x : option near_matrix) : Prop :=
  if x is Some x then
    forall y, near_to x y -> @correlated [finType of 'I_d] [finType of 'I_e] [finType of 'I_m] N pt b y
  else b = None.

Lemma said_of_sound b x : said_of b x (product_matrix s) norm -> correlation_holds b x.
Proof.
case: x => [x H y near | ] /=; first exact: corr_check_sound near H.
by case: b.
Qed.

Theorem factored_checkpoint_sound k : factored_checkpoint_check s v k ->
  [/\ factors_seen k pt, point_seen alpha (loss_of l) least k w, correlation_holds (factored_corr_claim k) euclidean &
      correlation_holds (factored_nuclear_claim k) nuclear].
Proof.
case/and5P=> Hl Hr Hn Hb /and4P[Hg /andP[Hall Hhas] He Hu].
split; [ | | exact: said_of_sound He | exact: said_of_sound Hu].
- split.
  + exact: between_ends_real (family_norm_contains P HK) Hl.
  + exact: between_ends_real (family_norm_contains P HQ) Hr.
  + exact: between_ends_real product_norm_contains Hn.
  exact: between_ends_real balance_contains Hb.
split; first exact: between_ends_real seen_excess_contains Hg.
exact: unselected_in_band attention_seen Hall Hhas.
Qed.

(* What a point of the fact says. *)
Definition point_at (x : factored_point) : Prop :=
  contains x.2.1 (training_loss (loss_of l) w - least) /\ contains x.2.2 (factors_square pt).

Lemma point_of_at : point_at (point_of t s v).
Proof.
split; first exact: seen_excess_contains.
by apply: iadd_contains; exact: family_square_contains.
Qed.
End AtStep.

(* ---- the whole run ---- *)

Hypothesis Bok : best_ok D.

Definition factored_holds k : Prop :=
  let t := factored_at k in
  [/\ factors_seen k (factored_trajectory t),
      point_seen alpha (loss_of l) (least_loss (best_alpha Bok) (loss_of l)) k (pair_product (factored_trajectory t)),
      correlation_holds t (factored_corr_claim k) euclidean & correlation_holds t (factored_nuclear_claim k) nuclear].

Lemma factored_follow_sound ks n t s points : factored_state_at t s -> factored_follow ks n t s = Some points ->
  (forall k, List.In k ks -> (t <= factored_at k <= t + n)%nat -> factored_holds k) /\
  forall x, List.In x points -> point_at x.1 Bok x.
Proof.
have inside (k : factored_checkpoint N) u : List.In k ks -> factored_at k = u ->
    List.In k [seq k <- ks | factored_at k == u].
  move=> kin <-; elim: ks kin => //= k' ks IH [-> | /IH H]; first by rewrite eqxx; left.
  by case: ifP => // _; right.
elim: n t s points => [|n IH] t s points at_s /=; case: ifP => // /andP[Rok Hall].
  have here k : List.In k ks -> factored_at k = t -> factored_holds k.
    move=> kin E; have := proj1 (List.forallb_forall _ _) Hall k (inside k t kin E) => H.
    by have := factored_checkpoint_sound at_s Rok Bok H; rewrite /factored_holds E.
  move=> [<-]; split=> [k kin | x].
    by rewrite addn0 -eqn_leq => /eqP E; exact: here.
  by case: [seq _ <- _ | _] => [|_ _] //= [<- | //]; exact: point_of_at.
have here k : List.In k ks -> factored_at k = t -> factored_holds k.
  move=> kin E; have := proj1 (List.forallb_forall _ _) Hall k (inside k t kin E) => H.
  by have := factored_checkpoint_sound at_s Rok Bok H; rewrite /factored_holds E.
case later: factored_follow => [rest | ] //= [<-].
have [holds kept] := IH t.+1 _ _ (factored_advance_at at_s Rok) later.
split=> [k kin | x /(List.in_app_or _ _ x)[|]]; last exact: kept.
  case/andP; rewrite leq_eqVlt => /orP[/eqP E _ | lt le]; first exact: here (esym E).
  by apply: holds => //; rewrite lt addSnnS.
by case: [seq _ <- _ | _] => [|_ _] //= [<- | //]; exact: point_of_at.
Qed.

Lemma last_factored_le (ks : seq (factored_checkpoint N)) k : List.In k ks -> (factored_at k <= last_factored ks)%nat.
Proof.
rewrite /last_factored; elim: ks => //= k' ks IH [<- | /IH le]; first exact: leq_maxl.
exact: leq_trans le (leq_maxr _ _).
Qed.
End FactoredRunChecks.
