(* LockInChecks: the executable hypotheses of T12 and T12n, lock-in by loss, at one point.

   lock_in_check compares, in interval arithmetic, the loss at the point with the floors of the evidence, the steps
   with T6's smoothness constant (gradient descent) or with T12n's condition (normalised steps), and the constants of
   the conclusion; lock_in_sound: if it answers true, forever_claim holds. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Losses Claims Direction Gibbs Path Growth Region Saturation
                           Absorbing LockIn NormalisedDescent LockInNormalised Runs Forever HeadForever Number Rows
                           TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals SmoothnessChecks ReferenceIntervals RegionIntervals ForeverChecks
                           LossFloors LaterTheorem DominationChecks GlobalFactors Reference Pulls HeadLockIn
                           LabelLockIn HeadLasting.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section LockIn.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Notation shared := (shared D picks).
Notation inverse_gaps := (inverse_gaps D P picks).
Notation widest_feature_in := (widest_feature_in D P).
Notation has_others := (has_others Pok).
Implicit Types (t : token (problem D)) (i : data_group D).

Variables (l : loss_name) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat).
Variables (floors : seq (fraction N)) (c : conclusion N).

(* g_alpha - flo_i, 0 in groups of one token. *)
Definition drops_in : seq interval :=
  [seq if bI.1 then bI.2 else interval0 N | bI <-
    zip shared (combine_columns (isub P) (best_in D P picks) (fractions_in P floors))].

(* 1 - slo_i: the drop over the least gap of the group. *)
Definition lost_in : seq interval := combine_columns (imul P) drops_in inverse_gaps.

(* In every group the floor leaves room for the whole loss above the infimum. *)
Definition loss_check : bool :=
  let share := idiv P (point_loss_gap w) (group_share D P) in
  all (fun bI => ~~ bI.1 || certainly_le share bI.2)
    (zip shared (combine_columns (excess_interval P l) (best_in D P picks) drops_in)).

Definition floors_check : bool :=
  [&& size floors == size (sequences D), global_check D picks, all (@is_nonnegative N) drops_in,
      all (fun e => certainly_lt e (interval1 N)) lost_in & loss_check].

Notation first_step := (first_step P s first).
Notation twice_gibbs := (twice_gibbs D P picks l f w drops_in lost_in).

(* T6's constant; of cross-entropy the mean of a quarter of the squared diameters. *)
Definition locked_steepness_in : interval :=
  if everywhere l then smoothness_interval D P l else
  let unit := mul (token_unit D) (query_unit D) in let quarter := dyadic one (-2) in
  isum P [seq imul P (group_share D P) (imul P (ratio P (mul unit unit) (feature_diameter2 q)) quarter)
    | q <- sequences D].

Definition short_steps_check : bool :=
  [&& certainly_le (imul P first_step locked_steepness_in) (interval1 N),
      certainly_le (imul P (imul P (interval2 N) first_step) (point_loss_gap w)) (fraction_in P (said_excess c)),
      certainly_le twice_gibbs (path_in P c) & logarithmic_growth_check D P picks l f c drops_in lost_in].

Definition normalised_steps_check : bool :=
  let bend := match l with Correlation | CrossEntropy => interval0 N | _ => column_largest P drops_in end in
  let factor := iadd P (interval1 N) bend in
  certainly_lt (imul P (imul P first_step (imul P (imul P widest_feature_in widest_feature_in) factor))
                 (iexp P (imul P (imul P widest_feature_in factor) first_step)))
    (imul P (interval2 N) (margin_in f)) &&
  normalised_check D P picks l f w s first c drops_in lost_in.

Definition lock_in_check : bool :=
  [&& conclusion_ok D P picks s w c, floors_check,
      match spec_rule s with
      | GradientSteps => short_steps_check
      | NormalisedSteps => normalised_steps_check
      | PolyakSteps => false
      end & head_lasting_check D P picks f w s first c lost_in].

(* ---- soundness ---- *)

Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Hypothesis solution : solution_with alpha ws lam.
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypothesis checked : lock_in_check.
Hypothesis labels : labelled alpha l.
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation y0 := (Direction.height u w0).
Notation centre := (w0 - y0 * u)%V.
Notation M := (fraction_real (said_path c)).
Notation E := (fraction_real (said_excess c)).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation eta0 := (step_size (spec_schedule s) (fraction_real (spec_step s)) first).

Let facts := conclusion_facts point_in (proj1 (andP checked)).
Let held := proj1 (andP (proj2 (andP checked))).
Let some_constraint : exists t, Q t. Proof. by case: facts. Qed.
Let M_gt0 : 0 < M. Proof. by case: facts. Qed.
Let E_ge0 : 0 <= E. Proof. by case: facts. Qed.
Let step_gt0 : 0 < fraction_real (spec_step s). Proof. by case: facts. Qed.
Let dir := margin_direction_spec (proj1 (proj1 solution)) (proj2 solution) some_constraint.
Let o := natural_reference dir w0.

Lemma lock_in_optimal : globally_optimal alpha.
Proof. by apply: (global_check_sound Dok); have /and3P[_ ] := held. Qed.

(* The drop, 1/gap and the floors, as real numbers. *)
Definition drop i : R := if has_others i then score (alpha i) - constant_of floors i else 0.

Lemma drops_enclose : @column_encloses N D drops_in drop.
Proof.
have /andP[/eqP sf _] := held; have [sc Hc] := combine_column (C := fun i => score (alpha i) - constant_of floors i)
  (selected_scores_enclose P Pok) (fractions_in_enclose P sf) (fun i I J HI HJ => isub_contains P HI HJ).
have ss : size shared = size (sequences D) by rewrite size_map; have [/eqP] := andP (fits_constraint_mask Pok).
apply: (column_map (e0 := (false, Everything N))) => [|i]; first by rewrite size_zip ss sc minnn.
by rewrite nth_zip ?ss ?sc //= (shared_spec Pok) /drop; case: (has_others i); [exact: Hc | exact: contains0].
Qed.

Lemma lock_in_gap_gt0 i t : others alpha i t -> 0 < gap alpha t.
Proof. by case/andP=> Qt _; have := lock_in_optimal Qt; rewrite /Selection.gap; lra. Qed.

Section Floors.
Variable r : data_group D -> R.
Hypothesis r_enclosed : @column_encloses N D inverse_gaps r.
Hypothesis r_ge : forall i t, others alpha i t -> / gap alpha t <= r i.

Definition room i : R := if has_others i then / r i else 1.     (* at most the least gap *)
Definition second i : R := score (alpha i) - room i.
Definition floor i : R := score (alpha i) - drop i.
Definition lost i : R := drop i * r i.

Lemma lost_enclose : @column_encloses N D lost_in lost.
Proof. by apply: (combine_column drops_enclose r_enclosed) => i I J; exact: imul_contains. Qed.

Lemma r_gt0 i : has_others i -> 0 < r i.
Proof.
by case/existsP=> t ti; have := r_ge ti; have := Rinv_0_lt_compat _ (lock_in_gap_gt0 ti); lra.
Qed.

Lemma room_gt0 i : 0 < room i.
Proof. by rewrite /room; case Hi: (has_others i); [apply: Rinv_0_lt_compat; exact: r_gt0 | lra]. Qed.

Lemma second_le i t : others alpha i t -> score t <= second i.
Proof.
move=> ti; have Hi : has_others i by apply/existsP; exists t.
have g0 := lock_in_gap_gt0 ti; have r0 := r_gt0 Hi; have := r_ge ti; rewrite /second /room Hi => H.
suff : / r i <= gap alpha t by rewrite (gap_eq ti); lra.
by rewrite -(Rinv_inv (gap alpha t)); apply: Rinv_le_contravar => //; exact: Rinv_0_lt_compat.
Qed.

Lemma drop_ge0 i : 0 <= drop i.
Proof.
have /and4P[_ _ H _] := held; have [sd Hd] := drops_enclose.
have := all_nthP (Everything N) H i; rewrite sd => /(_ (ltn_ord i)); exact: is_nonnegative_real.
Qed.

Lemma lost_lt1 i : lost i < 1.
Proof.
have /and5P[_ _ _ H _] := held; have [sl Hl] := lost_enclose.
have := all_nthP (Everything N) H i; rewrite sl => /(_ (ltn_ord i)); exact: certainly_lt_real (Hl i) (contains1 N).
Qed.

Lemma lost_room i : drop i = lost i * room i.
Proof.
rewrite /lost /room; case Hi: (has_others i); last by rewrite /drop Hi; ring.
by have := r_gt0 Hi => r0; field; lra.
Qed.

Lemma second_lt i : second i < floor i.
Proof.
rewrite /second /floor {1}lost_room; have := Rmult_lt_compat_r _ _ _ (room_gt0 i) (lost_lt1 i); lra.
Qed.

Lemma floor_le i : floor i <= score (alpha i).
Proof. by rewrite /floor; have := drop_ge0 i; lra. Qed.

Lemma floor_loss i t : others alpha i t ->
  loss_of l (score (alpha i)) + (training_loss (loss_of l) w0 - least_loss alpha (loss_of l)) /
    weight (s := problem D) i
    <= loss_of l (floor i).
Proof.
move=> ti; have Hi : has_others i by apply/existsP; exists t.
have /and5P[_ _ _ _ H] := held; have [_ _ _ Hgap] := point_in.
have [sc Hc] := combine_column (selected_scores_enclose P Pok) drops_enclose (fun i I J HI HJ
  => excess_interval_contains P l HI HJ).
have ss : size shared = size (sequences D) by rewrite size_map; have [/eqP] := andP (fits_constraint_mask Pok).
have le : certainly_le (idiv P (point_loss_gap w) (group_share D P))
    (nth (Everything N) (combine_columns (excess_interval P l) (best_in D P picks) drops_in) i).
  have := all_nthP (false, Everything N) H i.
  by rewrite size_zip ss sc minnn nth_zip ?ss ?sc //= (shared_spec Pok) Hi; exact (fun h => h (ltn_ord i)).
suff : (training_loss (loss_of l) w0 - least_loss alpha (loss_of l)) / weight (s := problem D) i
  <= loss_of l (score (alpha i) - drop i) - loss_of l (score (alpha i)) by rewrite /floor; lra.
exact (certainly_le_real (idiv_contains P Hgap (group_share_contains P i)) (Hc i) le).
Qed.

Notation lmin := (fun i : data_group D =>
  - dloss (loss_of l) (at_least l (score (alpha i) - drop i) (score (alpha i)))).
Notation lmax := (fun i : data_group D =>
  - dloss (loss_of l) (at_most l (score (alpha i) - drop i) (score (alpha i)))).
Let defined : loss_defined (problem D) (loss_of l) := labelled_defined labels.

(* The head that LockIn.v speaks about. *)
Definition checked_floors : lock_head (problem D) := @LockHead (problem D) second floor lmin lmax.
Notation head := checked_floors.

Lemma floor_ranges : lock_ranges alpha (loss_of l) w0 head.
Proof.
split; [exact: second_le | exact: second_lt | exact: floor_le | exact: floor_loss
  | exact: least_slope_gt0 Pok l drop |].
move=> i t v ti; have below : drop i < gap alpha t.
  by have := second_lt i; have := second_le ti; rewrite /floor (gap_eq ti); lra.
have -> : lock_floor head i = score (alpha i) - drop i by [].
have -> : score (alpha i) - drop i - score t = gap alpha t - drop i by rewrite (gap_eq ti); ring.
exact: (pull_within labels ti below).
Qed.

Lemma attention_floorE i : attention_floor alpha head i = 1 - lost i.
Proof.
have -> : attention_floor alpha head i = (floor i - second i) / (score (alpha i) - second i) by [].
rewrite /second /floor {1}lost_room; have := room_gt0 i => r0; field; lra.
Qed.

Lemma lock_factorsE : lock_blo alpha head = global_blo alpha drop lost lmin.
Proof.
apply: functional_extensionality => t.
have -> : lock_blo alpha head t = copies alpha t * (weight (group_of t) * lmin (group_of t) *
  attention_floor alpha head (group_of t) * (floor (group_of t) - score t)) by [].
rewrite /global_blo attention_floorE /floor /Selection.gap /selected; ring.
Qed.

Section Runs.
Variable z : nat -> vec (coord (problem D)).
Hypothesis start : z O = w0.
Notation height n := (Direction.height u (z n)).
Notation G := (fraction_real (said_growth c)).

Lemma locked_lasts n i : locked alpha (loss_of l) w0 head (z n) -> lost i < 1 / 2 ->
  1 / 2 < attention (z n) (alpha i).
Proof.
move=> [_ _ att _] small; case Hi: (has_others i).
  have /existsP[t /andP[Qt /eqP ti]] := Hi; have := att t Qt; rewrite attention_floorE ti; lra.
suff o0 : odds alpha (z n) i = 0 by rewrite (attention_selected alpha) o0 Rplus_0_r Rinv_1; lra.
by apply: big_pred0 => t; apply: contraFF Hi => ti; apply/existsP; exists t.
Qed.

(* What T12 and T12n say, as the conclusion says it. *)
Definition concluded : Prop :=
  [/\ forall n, vnorm2 (residual u centre (z n)) <= E + M * (height n - y0),
      forall n, if said_logarithmic c then exp (gamma * y0) + G * Growth.total eta n <= exp (gamma * height n)
                else y0 + G * Growth.total eta n <= height n,
      is_lim_seq (fun n => cosine u (z n)) 1 &
      forall n, locked alpha (loss_of l) w0 head (z n)].

Lemma lock_in_steps_range n : 0 < eta n <= eta0.
Proof. by split; [exact: step_size_gt0 | exact: step_size_decreasing]. Qed.

Lemma total_steps_ge0 n : 0 <= Growth.total eta n.
Proof. by apply: total_ge0 => k; have := lock_in_steps_range k; lra. Qed.

Let diverge := later_steps_diverge (spec_schedule s) step_gt0 first.
Let no_residual := natural_centre_residual (erefl centre).

(* T6, for steps that are short against it. *)
Lemma steepness_descent : exists2 b, contains locked_steepness_in b &
  forall (x : vec (coord (problem D))) e, 0 <= e -> e * b <= 1 ->
    training_loss (loss_of l) (x - e * gradient (loss_of l) x)%V <=
    training_loss (loss_of l) x - e / 2 * vnorm2 (gradient (loss_of l) x).
Proof.
rewrite /locked_steepness_in; case total: (everywhere l); first exact: (smoothness_interval_descent P Dok Pok total).
have [positive zero] := labels (negbT total); have E : loss_of l = cross_entropy by case: (l) total.
exists (@cross_entropy_smoothness (problem D) (fun i => diameter_of i)); last first.
  by rewrite E; apply: (label_descent positive zero) => t t'; exact: (feature_distance Dok).
rewrite /cross_entropy_smoothness; apply: isum_contains => [|i]; first by rewrite size_map.
rewrite (nth_map (no_sequence N)) //; apply: imul_contains; first exact: group_share_contains.
apply: imul_contains.
  by rewrite (diameter_square Dok) -!realM; exact: ratio_contains.
have -> : / 4 = real (one : N) * power (-2) by rewrite real1 -[(-2)%Z]/(- (2))%Z power_opp /power /=; field.
exact: dyadic_contains.
Qed.

Lemma short_steps_conclude least : short_steps_check -> follows (loss_of l) least GradientSteps eta z -> concluded.
Proof.
case/and4P=> beta_le E_ge M_ge grows run; have g0 := dir_margin_gt0 dir; have He := step_in_contains P s first.
have [_ _ _ Hgap] := point_in; have [b Hb descends] := steepness_descent.
have short := certainly_le_real (imul_contains P He Hb) (contains1 N) beta_le.
have descent n : training_loss (loss_of l) (z n.+1) <=
    training_loss (loss_of l) (z n) - eta n / 2 * vnorm2 (gradient (loss_of l) (z n)).
  have [e0 e1] := lock_in_steps_range n; rewrite (gradient_steps run); apply: descends; first lra.
  case: (Rle_lt_dec 0 b) => b0; first by have := Rmult_le_compat_r _ _ _ b0 e1; lra.
  by have := Rmult_lt_compat_l _ _ _ e0 b0; lra.
have [logE G_le] := logarithmic_growth_facts Dok reference_in drops_enclose lost_enclose grows.
rewrite -lock_factorsE in G_le.
have M_need := certainly_le_real (twice_gibbs_contains P Dok reference_in point_in drops_enclose lost_enclose)
  (fraction_in_contains P (said_path c)) M_ge.
rewrite -lock_factorsE in M_need.
have E_need := certainly_le_real (imul_contains P (imul_contains P (contains2 N) He) Hgap)
  (fraction_in_contains P (said_excess c)) E_ge.
have path n : vnorm2 (residual u centre (z n)) <= vnorm2 (residual u centre w0) +
    2 * gibbs_gap Q (Delta alpha) u centre Q gamma mu (lock_bhi alpha head) (lock_blo alpha head) y0 / gamma *
      (height n - y0) + 2 * eta0 * (training_loss (loss_of l) w0 - training_loss (loss_of l) (z n)).
  exact (lock_path defined floor_ranges o start lock_in_steps_range descent run n).
have [H lim] := descent_T12 defined floor_ranges o start lock_in_steps_range descent run.
have k0 := Rmult_lt_0_compat _ _ g0 (Rmult_lt_0_compat _ _ g0
  (exp_pos (log_floor Q mu (lock_blo alpha head)))).
have grow n : exp (gamma * y0) + G * Growth.total eta n <= exp (gamma * height n).
  exact (exponential_growth g0 (total_steps_ge0 n) G_le k0 (proj2 (H n))).
have up n : y0 <= height n.
  have le : exp (gamma * y0) <= exp (gamma * height n).
    have := exponential_growth g0 (total_steps_ge0 n) (Rlt_le _ _ k0) k0 (proj2 (H n)).
    by rewrite Rmult_0_l Rplus_0_r; exact.
  apply: Rnot_lt_le => lt.
  by have := exp_increasing _ _ (Rmult_lt_compat_l _ _ _ g0 lt); lra.
split=> [n|n| |n]; last exact (lock_forever_locked (proj1 (H n))).
- apply: Rle_trans (path n) _; rewrite [in vnorm2 (residual u centre w0)]no_residual vnorm20.
  have low := least_loss_lower (alpha := selection_of Pok) defined floor_ranges (z n).
  have rise : 0 <= height n - y0 by have := up n; lra.
  have e2 : 0 <= 2 * eta0 by have := lock_in_steps_range O; lra.
  have along := Rmult_le_compat_r _ _ _ rise M_need.
  have lost_loss := Rmult_le_compat_l _ _ _ e2 low.
  rewrite Rplus_0_l Rplus_comm; apply: Rplus_le_compat along; lra.
- by rewrite logE; exact: grow.
exact: lim diverge.
Qed.

Lemma normalised_steps_conclude least : normalised_steps_check ->
  follows (loss_of l) least NormalisedSteps eta z -> concluded.
Proof.
case/andP=> short_ok path_ok run; have [_ Hg _ _ _] := reference_in; have He := step_in_contains P s first.
have [cmin [c0 cmin_le M_ge [logE G_le]]] := normalised_facts Dok reference_in point_in drops_enclose
  lost_enclose dir path_ok.
rewrite -lock_factorsE in M_ge.
have [Dm [HD D0 diameter]] := widest_feature_contains P Dok.
have [x [Hx x0 x_ge]] := column_largest_contains P drops_enclose.
pose lam' := curvature_ratio l; pose phi := lam' * x.
have lam0 : 0 <= lam' by rewrite /lam'; case: (l) => /=; lra.
have phi0 : 0 <= phi by exact: Rmult_le_pos.
have Hphi : contains (match l with Correlation | CrossEntropy => interval0 N | _ => column_largest P drops_in end) phi.
  rewrite /phi /lam'; case: (l) => /=; rewrite ?Rmult_1_l ?Rmult_0_l //; exact: contains0.
have factor0 : 0 <= Dm * Dm * (1 + phi) by apply: Rmult_le_pos; [exact: Rmult_le_pos | lra].
have rate0 : 0 <= Dm * (1 + phi) by apply: Rmult_le_pos; lra.
have Hf := iadd_contains P (contains1 N) Hphi.
have first_short := certainly_lt_real
  (imul_contains P (imul_contains P He (imul_contains P (imul_contains P HD HD) Hf))
     (iexp_contains P (imul_contains P (imul_contains P HD Hf) He)))
  (imul_contains P (contains2 N) Hg) short_ok.
have short n : eta n * (Dm * Dm * (1 + phi)) * exp (Dm * (1 + phi) * eta n) < 2 * gamma.
  have [e0 e1] := lock_in_steps_range n; apply: Rle_lt_trans first_short.
  apply: Rmult_le_compat; [by apply: Rmult_le_pos => //; lra | exact/Rlt_le/exp_pos | exact: Rmult_le_compat_r |].
  by apply: exp_le; exact: Rmult_le_compat_l.
have phi_ge i : lam' * (score (alpha i) - floor i) <= phi.
  by rewrite (_ : _ - _ = drop i); [exact: Rmult_le_compat_l | rewrite /floor; ring].
have [k along [rate_k growth_k]] : exists2 k, line_ranges alpha (loss_of l) w0 k &
    bend_rate k = Dm * Dm * (1 + phi) /\ bend_growth k = Dm * (1 + phi).
  case total: (everywhere l).
    have [ddl derives ratio] := curvature_ratio_bound total.
    have bends : bend_ranges alpha (loss_of l) head (LockBend ddl lam' phi Dm).
      by split=> //; move=> i v _; exact: ratio.
    by eexists; first exact (bend_lines defined floor_ranges bends).
  have [positive zero] := labels (negbT total); have E : loss_of l = cross_entropy by case: (l) total.
  have phi_0 : phi = 0 by rewrite /phi /lam'; case: (l) total => //= _; ring.
  rewrite E phi_0 Rplus_0_r !Rmult_1_r.
  by eexists; first exact (label_lines positive zero w0 D0 diameter).
have {}short n : eta n * bend_rate k * exp (bend_growth k * eta n) < 2 * gamma by rewrite rate_k growth_k.
have [H lim] := T12n (o := o) defined floor_ranges along start lock_in_steps_range short c0 cmin_le M_ge run.
split=> [n|n| |n]; last by have [_ at_n _] := H n; exact (lock_path_forever_locked at_n).
- have [_ at_n _] := H n; have [_ p] : on_path u centre w0 M (z n) := lock_path_forever_path at_n.
  by rewrite no_residual vnorm20 in p; lra.
- rewrite logE; have [_ _ h] := H n; exact: (linear_growth_weaker (total_steps_ge0 n) G_le h).
exact: lim diverge.
Qed.

Lemma lasting : head_lasting_check D P picks f w s first c lost_in -> concluded ->
  forall n, said_dominates c = Some n -> forall k i, (n <= k)%nat -> 1 / 2 < attention (z k) (alpha i).
Proof.
move=> lasts [on_path grows _ locks].
by apply: (head_lasting_sound Dok reference_in dir point_in M_gt0 E_ge0 step_gt0 grows on_path lost_enclose _ lasts)
  => k i; exact: (locked_lasts (locks k)).
Qed.
End Runs.
End Floors.

Theorem lock_in_sound : forever_claim alpha (loss_of l) (spec_rule s) eta w0 (constants_of c).
Proof.
have [_ _ _ _ [Hc Hh]] := facts; have /and4P[_ _ rule_ok lasts] := checked.
have [r r_enclosed r_ge] := inverse_gaps_enclose P Dok Pok.
exists ws; first exact: proj1 solution.
apply: (later_of_path (c := constants_of c) (proj1 solution) some_constraint Hc Hh) => z start run.
have said : concluded r z.
  move: rule_ok run; case: (spec_rule s) => //= rule_ok run.
    exact: (short_steps_conclude r_enclosed r_ge start rule_ok run).
  exact: (normalised_steps_conclude r_enclosed r_ge start rule_ok run).
have [on_path grows limit _] := said.
split=> //; exact: (lasting r_enclosed r_ge lasts said).
Qed.
End LockIn.

(* ---- T12 and T12n as a theorem for all later steps; its constants are the floors ---- *)

Section LaterTheorem.
Variable N : number.

Definition lock_in_later_check : later_check N (seq (fraction N)) := fun D P picks l f w s first c floors =>
  labelled_check D picks l && lock_in_check D P picks l f w s first floors c.

Lemma lock_in_constraint : needs_constraint lock_in_later_check.
Proof. by move=> D P picks Pok l f w s first c x /andP[_ /andP[/andP[H _] _]]; exact: has_constraintP. Qed.

Theorem lock_in_later_holds : later_holds false lock_in_later_check.
Proof.
move=> D P picks Dok Pok l f w s first c x ws w0 lam sol ref pt /andP[labels checked].
split=> [|_]; last exact (lock_in_optimal Dok checked).
exact (lock_in_sound Dok sol ref pt checked (labelled_check_sound Dok Pok labels)).
Qed.

Definition lock_in_theorem : later_theorem N := LaterTheorem lock_in_constraint lock_in_later_holds.
End LaterTheorem.
