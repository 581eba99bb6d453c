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
                           LabelLockIn HeadLasting ScoreFloors.

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
      | _ => false
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

Notation lost := (lost_share drop r).

Lemma lost_enclose : @column_encloses N D lost_in lost.
Proof. by apply: (combine_column drops_enclose r_enclosed) => i I J; exact: imul_contains. Qed.

Lemma lock_in_drops : drops_ok Pok drop r.
Proof.
have /and5P[_ _ nonneg lt1 _] := held; split; [exact: lock_in_gap_gt0 | exact: r_ge | | |] => i.
- have [sd Hd] := drops_enclose; have := all_nthP (Everything N) nonneg i; rewrite sd => /(_ (ltn_ord i)).
  exact: is_nonnegative_real.
- by rewrite /drop => /negbTE ->.
have [sl Hl] := lost_enclose; have := all_nthP (Everything N) lt1 i; rewrite sl => /(_ (ltn_ord i)).
exact: certainly_lt_real (Hl i) (contains1 N).
Qed.

Lemma floor_loss i t : others alpha i t ->
  loss_of l (score (alpha i)) + (training_loss (loss_of l) w0 - least_loss alpha (loss_of l)) /
    weight (s := problem D) i
    <= loss_of l (score_floor Pok drop i).
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
have -> : score_floor Pok drop i = score (alpha i) - drop i by [].
suff : (training_loss (loss_of l) w0 - least_loss alpha (loss_of l)) / weight (s := problem D) i
  <= loss_of l (score (alpha i) - drop i) - loss_of l (score (alpha i)) by lra.
exact (certainly_le_real (idiv_contains P Hgap (group_share_contains P i)) (Hc i) le).
Qed.

Notation lmin := (fun i : data_group D =>
  - dloss (loss_of l) (at_least l (score (alpha i) - drop i) (score (alpha i)))).
Notation lmax := (fun i : data_group D =>
  - dloss (loss_of l) (at_most l (score (alpha i) - drop i) (score (alpha i)))).
Let defined : loss_defined (problem D) (loss_of l) := labelled_defined labels.

(* The head that LockIn.v speaks about. *)
Definition checked_floors : lock_head (problem D) := score_floors Pok drop r lmin lmax.
Notation head := checked_floors.

Lemma floor_ranges : lock_ranges alpha (loss_of l) w0 head.
Proof.
have ok := lock_in_drops; split.
- exact: score_second_le ok.
- exact: score_second_lt ok.
- exact: score_floor_le ok.
- exact: floor_loss.
- exact: least_slope_gt0 Pok l drop.
move=> i t v ti; have -> : lock_floor head i = score (alpha i) - drop i by [].
have -> : score (alpha i) - drop i - score t = gap alpha t - drop i by rewrite (gap_eq ti); ring.
exact: (pull_within labels ti (drop_lt_gap ok ti)).
Qed.

Lemma lock_factorsE : lock_blo alpha head = global_blo alpha drop lost lmin.
Proof. exact: score_floors_factors lock_in_drops _ _. Qed.

Section Runs.
Variable z : nat -> vec (coord (problem D)).
Hypothesis start : z O = w0.
Notation height n := (Direction.height u (z n)).

Lemma locked_near n i : locked alpha (loss_of l) w0 head (z n) -> 1 - attention (z n) (alpha i) <= lost i.
Proof.
move=> [_ _ att _]; case Hi: (has_others i).
  have /existsP[t /andP[Qt /eqP ti]] := Hi; have := att t Qt; rewrite (score_floors_attention lock_in_drops) ti; lra.
have o0 : odds alpha (z n) i = 0.
  by apply: big_pred0 => t; apply: contraFF Hi => ti; apply/existsP; exists t.
by rewrite (attention_selected alpha) o0 Rplus_0_r Rinv_1 /lost /drop Hi; lra.
Qed.

Notation concluded := (concluded Pok s first c ws w0 z lost).
Let steps_range := concluded_steps first point_in (proj1 (andP checked)).

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
  have [e0 e1] := steps_range n; rewrite (gradient_steps run); apply: descends; first lra.
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
  exact (lock_path defined floor_ranges o start steps_range descent run n).
have [H lim] := descent_T12 defined floor_ranges o start steps_range descent run.
have k0 := Rmult_lt_0_compat _ _ g0 (Rmult_lt_0_compat _ _ g0
  (exp_pos (log_floor Q mu (lock_blo alpha head)))).
apply: (descent_concluded dir point_in (proj1 (andP checked)) logE path _ k0 (fun n => proj2 (H n)) M_need E_need G_le
  lim) => [n|n i]; first exact (least_loss_lower (alpha := selection_of Pok) defined floor_ranges (z n)).
exact (locked_near i (lock_forever_locked (proj1 (H n)))).
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
  have [e0 e1] := steps_range n; apply: Rle_lt_trans first_short.
  apply: Rmult_le_compat; [by apply: Rmult_le_pos => //; lra | exact/Rlt_le/exp_pos | exact: Rmult_le_compat_r |].
  by apply: exp_le; exact: Rmult_le_compat_l.
have phi_ge i : lam' * (score (alpha i) - score_floor Pok drop i) <= phi.
  have -> : score (alpha i) - score_floor Pok drop i = drop i.
    by have -> : score_floor Pok drop i = score (alpha i) - drop i by []; ring.
  exact: Rmult_le_compat_l.
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
have [H lim] := T12n (o := o) defined floor_ranges along start steps_range short c0 cmin_le M_ge run.
apply: (path_concluded point_in (proj1 (andP checked)) logE _ (fun n => let: And3 _ _ h := H n in h) G_le lim)
  => [n|n i].
  by have [_ at_n _] := H n; exact: (lock_path_forever_path at_n).
by have [_ at_n _] := H n; exact (locked_near i (lock_path_forever_locked at_n)).
Qed.
End Runs.
End Floors.

Theorem lock_in_sound : forever_claim alpha (loss_of l) (spec_rule s) eta w0 (constants_of c).
Proof.
have [_ _ _ _ [Hc Hh]] := facts; have /and4P[_ _ rule_ok lasts] := checked.
have [r r_enclosed r_ge] := inverse_gaps_enclose P Dok Pok.
exists ws; first exact: proj1 solution.
apply: (later_of_path (c := constants_of c) (proj1 solution) some_constraint Hc Hh) => z start run.
have said : concluded Pok s first c ws w0 z (lost_share drop r).
  move: rule_ok run; case: (spec_rule s) => //= rule_ok run.
    exact: (short_steps_conclude r_enclosed r_ge start rule_ok run).
  exact: (normalised_steps_conclude r_enclosed r_ge start rule_ok run).
split; [exact: concluded_path said | exact: concluded_growth said | exact: concluded_limit said |].
exact: (head_lasting_sound Dok dir point_in (proj1 (andP checked)) reference_in (lost_enclose r_enclosed) said lasts).
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
