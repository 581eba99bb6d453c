(* MirrorRunChecks: what a claim about a run of mirror descent says at its checkpoints, decided by the replay entry by
   entry (MirrorReplay.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Gradient EntrywiseDuality DualNorm UniformConvexity Number Rows TokenData
                           Losses MarginChecks OptimalityChecks EnclosureChecks Interval Elementary NormChecks
                           NormDistanceChecks IntervalTables AttentionIntervals Runs Replay ReplaySound RunChecks Mirror
                           MirrorIteration PowerIntervals MirrorReplay.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the exponents of the potential and of its conjugate ---- *)

Section Exponents.
Variables a c : positive.
Hypothesis ca : (c < a)%positive.

Let ac : IZR (Zpos (a - c)) = IZR (Zpos a) - IZR (Zpos c).
Proof. by rewrite Pos2Z.inj_sub // minus_IZR. Qed.
Let c0 : 0 < IZR (Zpos c) := positive_gt0 c.
Let d0 : 0 < IZR (Zpos (a - c)) := positive_gt0 (a - c).

Lemma primal_power : exponent a c - 1 = exponent (a - c) c.
Proof. by rewrite /exponent ac; field; lra. Qed.

Lemma dual_power : exponent a (a - c) - 1 = exponent c (a - c).
Proof. by have := d0; rewrite /exponent ac => ?; field; lra. Qed.

Lemma exponent_inverse (x y : positive) : / exponent x y = exponent y x.
Proof. by rewrite /exponent; have := positive_gt0 x; have := positive_gt0 y => *; field; lra. Qed.
End Exponents.

(* ---- what is said ---- *)

Record mirror_checkpoint (N : number) := MirrorCheckpoint {
  mirror_at : nat;
  mirror_norm_claim : claimed_band N; mirror_dual_claim : claimed_band N; mirror_loss_claim : claimed_band N;
  mirror_unselected_claim : claimed_band N;
  mirror_along_claim : option (claimed_band N); mirror_bregman_claim : option (claimed_band N);
  mirror_corr_claim : option (claimed_band N)
}.

Definition is_directed (N : number) (k : mirror_checkpoint N) : bool :=
  [|| isSome (mirror_along_claim k), isSome (mirror_bregman_claim k) | isSome (mirror_corr_claim k)].

Section Said.
Variables (N : number) (s : selection_problem) (alpha : selection s) (l : loss) (p q least : R).
Variables (k : mirror_checkpoint N) (z : vec (coord s)).   (* the dual iterate *)
Let w := mirror q z.

(* ||W||_p, ||Z||_q, L - L*, the most attention off a selected token. *)
Definition mirror_seen : Prop :=
  [/\ in_band (band_real (mirror_norm_claim k)) (lp_norm p w),
      in_band (band_real (mirror_dual_claim k)) (lp_norm q z),
      in_band (band_real (mirror_loss_claim k)) (training_loss l w - least) &
      (forall i, 1 - attention w (alpha i) <= (band_real (mirror_unselected_claim k)).2) /\
      exists i, (band_real (mirror_unselected_claim k)).1 <= 1 - attention w (alpha i)].

(* Of the direction of x: <Z,x>/||x||_p; that over ||Z||_q, and the Euclidean correlation, each less than 1 by. *)
Definition mirror_directed (x : vec (coord s)) : Prop :=
  [/\ if mirror_along_claim k is Some b then 0 < lp_norm p x /\ in_band (band_real b) (dot z x / lp_norm p x) else True,
      if mirror_bregman_claim k is Some b then
        0 < lp_norm p x /\ 0 < lp_norm q z /\ in_band (band_real b) (1 - dot z x / lp_norm p x / lp_norm q z)
      else True &
      if mirror_corr_claim k is Some b then
        0 < vnorm w * vnorm x /\ in_band (band_real b) (1 - dot w x / (vnorm w * vnorm x))
      else True].
End Said.

Section MirrorRunChecks.
Variables (N : number) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation anything := (@Everything N).
Variables (l : loss_name) (spec : specification N) (a c : positive) (P : Z).
Let p := exponent a c.
Let q := exponent a (a - c).
Implicit Types (t : nat) (k : mirror_checkpoint N).

(* Normalised steps are nmd's, gradient steps md's. *)
Definition is_normalised : bool := if run_rule spec is NormalisedSteps then true else false.
Definition mirror_trajectory : nat -> vec (coord (problem D)) :=
  mirror_iterate (loss_of l) q is_normalised (sizes spec) (mirror p (@start_point N D spec)).

(* ---- one step ---- *)

Record mirror_state := MirrorState {
  dual_entries : seq (seq interval);
  mirror_clock : N;               (* the number of the step, from 1 *)
  mirror_references : seq nat     (* a token of each group *)
}.

Definition first_mirror_state : mirror_state :=
  MirrorState (power_matrix P (a - c) c (exact_matrix P (start_unit spec) (start spec))) one
    [seq 0%nat | _ <- sequences D].

(* The token of least margin, a guess of the largest logit: the next reference. *)
Fixpoint interval_leader (best : interval) (at_best k : nat) (r : seq interval) : nat :=
  if r is b :: r' then if certainly_lt b best then interval_leader b k k.+1 r' else interval_leader best at_best k.+1 r'
  else at_best.

Record mirror_look := MirrorLook {
  primal_entries : seq (seq interval); looked_margins : seq (seq interval); looked_view : mirror_view N
}.

Definition look_at (s : mirror_state) : mirror_look :=
  let w := power_matrix P c (a - c) (dual_entries s) in
  let m := interval_margins D P (mirror_references s) w in
  MirrorLook w m (see_margins D P l (mirror_references s) m).

Definition mirror_advance (s : mirror_state) (v : mirror_look) : mirror_state :=
  let pull := interval_pull D P (mirror_references s) (seen_weights (looked_view v)) in
  let size := eta spec P (mirror_clock s) in
  let tau := if is_normalised then idiv P size (power_norm P a (a - c) pull) else size in
  MirrorState (combine_tables (fun Z V => iadd P Z (imul P tau V)) (dual_entries s) pull) (add (mirror_clock s) one)
    [seq interval_leader (head anything r) 0 0 r | r <- looked_margins v].

(* ---- checkpoints ---- *)

Definition between_ends (b : claimed_band N) (I : interval) : bool :=
  certainly_le (claimed P b.1) I && certainly_le I (claimed P b.2).

Record mirror_solution := MirrorSolution { solution_entries : seq (seq interval); solution_length : interval }.

Definition unselected_in (attention : seq (seq interval)) : seq interval :=
  [seq isum P (set_nth anything sp.1 sp.2 (interval0 N)) | sp <- zip attention picks].

Definition directed_check (x : mirror_solution) (s : mirror_state) (w : seq (seq interval)) (dual_norm : interval) k :
    bool :=
  let along := idiv P (matrix_product P (dual_entries s) (solution_entries x)) (solution_length x) in
  [&& if mirror_along_claim k is Some b then is_positive (solution_length x) && between_ends b along else true,
      if mirror_bregman_claim k is Some b then
        [&& is_positive (solution_length x), is_positive dual_norm &
            between_ends b (isub P (interval1 N) (idiv P along dual_norm))]
      else true &
      if mirror_corr_claim k is Some b then
        let lengths := isqrt P (imul P (matrix_product P w w)
                                  (matrix_product P (solution_entries x) (solution_entries x))) in
        is_positive lengths &&
          between_ends b (isub P (interval1 N) (idiv P (matrix_product P w (solution_entries x)) lengths))
      else true].

Definition mirror_checkpoint_check (x : option mirror_solution) (s : mirror_state) (v : mirror_look) k : bool :=
  let w := primal_entries v in
  let product := matrix_product P w (dual_entries s) in
  let dual_norm := imagnitude P (a - c) a product in
  let rest := unselected_in (seen_attention (looked_view v)) in
  let low := claimed P (mirror_unselected_claim k).1 in
  let high := claimed P (mirror_unselected_claim k).2 in
  let gap := loss_excess D P (looked_margins v) l (best_picks D) (selected_scores D P (best_picks D)) in
  [&& between_ends (mirror_norm_claim k) (imagnitude P c a product), between_ends (mirror_dual_claim k) dual_norm,
      between_ends (mirror_loss_claim k) gap, all (fun I => certainly_le I high) rest && has (certainly_le low) rest &
      ~~ is_directed k || if x is Some x then directed_check x s w dual_norm k else false].

Fixpoint mirror_follow (x : option mirror_solution) (ks : seq (mirror_checkpoint N)) (n t : nat) (s : mirror_state) :
    bool :=
  let v := look_at s in
  [&& picks_ok D (mirror_references s),
      all (fun k => (mirror_at k != t) || mirror_checkpoint_check x s v k) ks &
      if n is m.+1 then mirror_follow x ks m t.+1 (mirror_advance s v) else true].

Definition mirror_run_check (x : option mirror_solution) (ks : seq (mirror_checkpoint N)) : bool :=
  [&& Pos.ltb c a, specification_ok D spec 0, best_ok D,
      if run_rule spec is PolyakSteps then false else true &
      mirror_follow x ks (foldr (fun k => maxn (mirror_at k)) 0%nat ks) 0 first_mirror_state].

(* ---- soundness ---- *)

Lemma between_ends_real b I x : contains I x -> between_ends b I -> in_band (band_real b) x.
Proof.
move=> H /andP[lo hi]; split; first by apply: certainly_le_real lo => //; exact: claimed_contains.
by apply: certainly_le_real hi => //; exact: claimed_contains.
Qed.

Hypothesis ca : (c < a)%positive.
Let p1 : 1 < p := exponent_gt1 ca.
Let conj : / p + / q = 1 := exponent_conjugate ca.
Let conj' : / q + / p = 1.
Proof. by rewrite Rplus_comm. Qed.
Let q1 : 1 < q := conjugate_gt1 p1 conj.

Definition mirror_state_at t (s : mirror_state) : Prop :=
  matrix_encloses (dual_entries s) (mirror_trajectory t) /\ real (mirror_clock s) = INR t.+1.

Hypothesis spec_ok : specification_ok D spec 0.

Lemma first_mirror_state_at : mirror_state_at 0 first_mirror_state.
Proof.
have sh : shaped (left_dimension D) (right_dimension D) (start spec) by case/and5P: spec_ok.
split; last by rewrite real1.
rewrite /= /mirror_trajectory /mirror_iterate /= /mirror (primal_power ca).
by apply: (power_matrix_encloses P (a - c) c); exact: exact_matrix_encloses.
Qed.

Section AtStep.
Variables (t : nat) (s : mirror_state).
Hypotheses (at_s : mirror_state_at t s) (Rok : picks_ok D (mirror_references s)).
Let z := mirror_trajectory t.
Let w := mirror q z.
Let v := look_at s.

Lemma primal_enclosed : matrix_encloses (primal_entries v) w.
Proof.
rewrite /w /mirror (dual_power ca); apply: (power_matrix_encloses P c (a - c)).
by case: at_s.
Qed.

Lemma margins_enclosed : encloses (looked_margins v) (margin (selection_of Rok) w).
Proof. exact: interval_margins_enclose Dok Rok _ _ primal_enclosed. Qed.

Lemma weights_enclosed : encloses (seen_weights (looked_view v)) (omega (loss_of l) w).
Proof. by rewrite see_margins_weights; exact: omega_table_encloses Dok Rok _ _ margins_enclosed l. Qed.

Lemma pull_enclosed :
  matrix_encloses (interval_pull D P (mirror_references s) (seen_weights (looked_view v))) (- gradient (loss_of l) w)%V.
Proof.
rewrite (gradient_constraints (selection_of Rok)).
have -> : combine (constraint (selection_of Rok)) (omega (loss_of l) w) (Delta (selection_of Rok)) =
    combine predT (omega (loss_of l) w) (Delta (selection_of Rok)).
  apply: vec_ext => j; rewrite /combine [LHS]big_mkcond; apply: eq_bigr => u _.
  by case: ifPn => // /not_constraint E; rewrite /Delta /selected -E /vsub; ring.
exact: interval_pull_encloses Dok Rok _ _ weights_enclosed.
Qed.

Theorem mirror_advance_at : mirror_state_at t.+1 (mirror_advance s v).
Proof.
have [Hz ck] := at_s; have He := eta_contains spec P ck; have Hv := pull_enclosed; split; last first.
  by rewrite [mirror_clock _]/= realD ck real1 -S_INR.
rewrite /mirror_trajectory /mirror_iterate [iterated _ _ _]/= -/(mirror_iterate _ _ _ _ _) -/mirror_trajectory.
rewrite /mirror_moved /mirror_descent_direction -/z -/w.
apply: (matrix_combine_encloses Hz Hv) => jk I J HI HJ; apply: iadd_contains => //; apply: imul_contains => //.
rewrite /is_normalised; case: run_rule => //; apply: idiv_contains => //; exact: power_norm_contains.
Qed.

(* ---- a checkpoint ---- *)

Hypothesis Bok : best_ok D.

Lemma attention_enclosed : encloses (seen_attention (looked_view v)) (attention w).
Proof. exact: attention_table_encloses Dok Rok _ _ margins_enclosed. Qed.

Lemma unselected_in_contains (i : group (problem D)) :
  contains (nth anything (unselected_in (seen_attention (looked_view v))) (i : data_group D))
    (1 - attention w (alpha i)).
Proof.
have [/eqP sp _] := andP Pok; have [fa Ha] := attention_enclosed; have [/eqP ss _] := andP fa.
have il := ltn_ord (i : data_group D); have pl := picks_lt (i : data_group D) Pok; have sr := fits_row fa il.
rewrite /unselected_in (nth_map ([::], 0%nat)) ?size_zip ?ss ?sp ?minnn // nth_zip ?ss ?sp //=.
pose rest (u : 'I_(length_of D i)) := if (u : nat) == nth 0%nat picks i then 0 else attention w (token_of u).
have -> : 1 - attention w (alpha i) = \sum_(u < length_of D i) rest u.
  have -> : alpha i = token_of (Ordinal pl) by congr token_of; apply: val_inj.
  rewrite -(attention_sum alpha w i) sum_group (bigD1 (Ordinal pl)) //= [RHS](bigD1 (Ordinal pl)) //=.
  have -> : rest (Ordinal pl) = 0 by rewrite /rest /= eqxx.
  rewrite (eq_bigr rest) => [|u ne]; last by rewrite /rest; case: eqP => // E; case/eqP: ne; apply: val_inj.
  by ring.
apply: isum_contains => [|u]; first by rewrite size_set_nth sr; apply/maxn_idPr.
rewrite nth_set_nth /= /rest; case: ifP => _; first exact: contains0.
exact: (Ha (token_of u)).
Qed.

Let Hz : matrix_encloses (dual_entries s) z := proj1 at_s.
Let Hw : matrix_encloses (primal_entries v) w := primal_enclosed.

Lemma sum_of_powers : lp_sum q z = dot w z /\ lp_sum p w = dot w z.
Proof. by rewrite /w (mirror_sum q1 conj') (mirror_dot q z). Qed.

Lemma product_contains : contains (matrix_product P (primal_entries v) (dual_entries s)) (dot w z).
Proof. exact: matrix_product_contains. Qed.

Lemma mirror_norm_contains :
  contains (imagnitude P c a (matrix_product P (primal_entries v) (dual_entries s))) (lp_norm p w).
Proof.
by rewrite /lp_norm (proj2 sum_of_powers) /p exponent_inverse; apply: imagnitude_contains; exact: product_contains.
Qed.

Lemma mirror_dual_norm_contains :
  contains (imagnitude P (a - c) a (matrix_product P (primal_entries v) (dual_entries s))) (lp_norm q z).
Proof.
by rewrite /lp_norm (proj1 sum_of_powers) /q exponent_inverse; apply: imagnitude_contains; exact: product_contains.
Qed.

Lemma directed_check_sound x (y : vec (coord (problem D))) k : matrix_encloses (solution_entries x) y ->
  contains (solution_length x) (lp_norm p y) ->
  directed_check x s (primal_entries v)
    (imagnitude P (a - c) a (matrix_product P (primal_entries v) (dual_entries s))) k ->
  mirror_directed p q k z y.
Proof.
move=> Hx Hn; have along := idiv_contains P (matrix_product_contains P Hz Hx) Hn.
have Hq := mirror_dual_norm_contains; case/and3P=> Ha Hb Hc; split.
- case: (mirror_along_claim k) Ha => // b /andP[/(is_positive_real Hn) n0 H]; split=> //; exact: between_ends_real H.
- case: (mirror_bregman_claim k) Hb => // b /and3P[/(is_positive_real Hn) n0 /(is_positive_real Hq) q0 H].
  split=> //; split=> //; apply: between_ends_real H; apply: isub_contains; first exact: contains1.
  exact: idiv_contains.
case: (mirror_corr_claim k) Hc => // b /andP[pos H].
have HL := isqrt_contains P (imul_contains P (matrix_product_contains P Hw Hw) (matrix_product_contains P Hx Hx)).
have LE : sqrt (dot w w * dot y y) = vnorm w * vnorm y.
  by rewrite sqrt_mult //; [exact: vnorm2_ge0 | exact: vnorm2_ge0].
rewrite LE in HL; split; first exact: is_positive_real HL pos.
apply: between_ends_real H; apply: isub_contains; first exact: contains1.
apply: idiv_contains => //; exact: matrix_product_contains.
Qed.

Theorem mirror_checkpoint_sound x k : mirror_checkpoint_check x s v k ->
  mirror_seen alpha (loss_of l) p q (least_loss (best_alpha Bok) (loss_of l)) k z /\
  (is_directed k -> exists2 x', x = Some x' & directed_check x' s (primal_entries v)
    (imagnitude P (a - c) a (matrix_product P (primal_entries v) (dual_entries s))) k).
Proof.
case/and5P=> Hn Hq Hl /andP[Hall Hhas] Hd; split; last first.
  by move=> directed; rewrite directed in Hd; case: x Hd => // x' Hd; exists x'.
split.
- exact: between_ends_real mirror_norm_contains Hn.
- exact: between_ends_real mirror_dual_norm_contains Hq.
- apply: between_ends_real Hl; have scores := selected_scores_enclose P (proj1 (andP Bok)).
  exact: (loss_excess_contains P Dok margins_enclosed l scores).
have [/eqP sp _] := andP Pok; have [/andP[/eqP ss _] Ha] := attention_enclosed.
have su : size (unselected_in (seen_attention (looked_view v))) = size (sequences D).
  by rewrite size_map size_zip ss sp minnn.
split=> [i|].
  have il : ((i : data_group D) < size (unselected_in (seen_attention (looked_view v))))%nat.
    by rewrite su; exact: ltn_ord.
  apply: certainly_le_real (all_nthP anything Hall _ il); [exact: unselected_in_contains | exact: claimed_contains].
have /(has_nthP anything) [j jl Hj] := Hhas; rewrite su in jl; exists (Ordinal jl : data_group D).
apply: certainly_le_real Hj; [exact: claimed_contains | exact: (unselected_in_contains (Ordinal jl : data_group D))].
Qed.
End AtStep.

(* ---- the whole run ---- *)

Variable x : option mirror_solution.
Hypothesis Bok : best_ok D.

Definition checkpoint_holds k : Prop :=
  let z := mirror_trajectory (mirror_at k) in
  mirror_seen alpha (loss_of l) p q (least_loss (best_alpha Bok) (loss_of l)) k z /\
  (is_directed k -> exists2 x', x = Some x' & forall y : vec (coord (problem D)),
     matrix_encloses (solution_entries x') y -> contains (solution_length x') (lp_norm p y) ->
     mirror_directed p q k z y).

Lemma mirror_follow_sound ks n t s : mirror_state_at t s -> mirror_follow x ks n t s ->
  forall k, List.In k ks -> (t <= mirror_at k <= t + n)%nat -> checkpoint_holds k.
Proof.
elim: n t s => [|n IH] t s at_s /and3P[Rok Hall next] k kin.
  rewrite addn0 -eqn_leq => /eqP E; have := proj1 (List.forallb_forall _ ks) Hall k kin; rewrite -E eqxx /= => H.
  have [seen directed] := mirror_checkpoint_sound at_s Rok Bok H; split; rewrite -E //.
  by move=> /directed[x' xE Hx]; exists x' => // y Hy Hn; exact: directed_check_sound at_s _ _ _ Hy Hn Hx.
case/andP; rewrite leq_eqVlt => /orP[/eqP E _ | lt le].
  have := proj1 (List.forallb_forall _ ks) Hall k kin; rewrite -E eqxx /= => H.
  have [seen directed] := mirror_checkpoint_sound at_s Rok Bok H; split; rewrite -E //.
  by move=> /directed[x' xE Hx]; exists x' => // y Hy Hn; exact: directed_check_sound at_s _ _ _ Hy Hn Hx.
by apply: (IH t.+1 _ (mirror_advance_at at_s Rok) next k kin); rewrite lt addSnnS.
Qed.
End MirrorRunChecks.
