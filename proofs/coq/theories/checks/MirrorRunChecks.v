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

(* T13's inequality with the constant C, between z and the next iterate. *)
Definition mirror_inequality (C : R) (x z' : vec (coord s)) : Prop :=
  0 < lp_norm p w /\ 0 < lp_norm p x /\
  lp_norm q z' - lp_norm q z <=
    (1 + C * lp_norm p x / lp_norm p w) * (dot (z' - z)%V x / lp_norm p x) + dual_divergence q w z z' / lp_norm p w.
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
  unselected_of picks P (View [::] attention [::] [::] [::]).

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

(* What the inequality compares of an iterate with the next one. *)
Record before_step := BeforeStep {
  before_dual : seq (seq interval); before_primal : seq (seq interval);
  before_sum : interval; before_norm : interval; before_dual_norm : interval   (* <W,Z>, ||W||_p, ||Z||_q *)
}.

Definition before_of (s : mirror_state) (v : mirror_look) : before_step :=
  let product := matrix_product P (primal_entries v) (dual_entries s) in
  BeforeStep (dual_entries s) (primal_entries v) product (imagnitude P c a product) (imagnitude P (a - c) a product).

Definition inequality_check (C : fraction N) (x : mirror_solution) (b now : before_step) : bool :=
  let moved := combine_tables (isub P) (before_dual now) (before_dual b) in
  let conjugate := idiv P (exactly (of_positive N (a - c))) (exactly (of_positive N a)) in   (* 1/q *)
  let curved := isub P (imul P (isub P (before_sum now) (before_sum b)) conjugate)
                  (matrix_product P (before_primal b) moved) in
  let left := isub P (isub P (before_dual_norm now) (before_dual_norm b)) (idiv P curved (before_norm b)) in
  let factor := iadd P (interval1 N) (idiv P (imul P (claimed P C) (solution_length x)) (before_norm b)) in
  [&& is_positive (before_norm b), is_positive (solution_length x) &
      certainly_le left (imul P factor (idiv P (matrix_product P moved (solution_entries x)) (solution_length x)))].

(* The constant, and the first step that it is claimed of; `before` is what was seen a step ago, if it is. *)
Variables (found : option mirror_solution) (said : option (fraction N * nat)).

Definition inequality_holds_between (before : option before_step) (now : before_step) : bool :=
  match before, found, said with
  | Some b, Some x', Some (C, _) => inequality_check C x' b now
  | None, _, _ => true
  | _, _, _ => false
  end.

(* Dual iterates at the checkpoints. *)
Definition mirror_point : Type := nat * seq (seq interval).

Fixpoint mirror_follow (ks : seq (mirror_checkpoint N)) (n t : nat) (before : option before_step) (s : mirror_state) :
    option (seq mirror_point) :=
  let v := look_at s in
  let at_t := [seq k <- ks | mirror_at k == t] in
  if [&& picks_ok D (mirror_references s), all (mirror_checkpoint_check found s v) at_t &
         if before is Some _ then inequality_holds_between before (before_of s v) else true] then
    let points := if at_t is [::] then [::] else [:: (t, dual_entries s)] in
    if n is m.+1 then
      omap (cat points) (mirror_follow ks m t.+1
        (if said is Some (_, since) then if (since <= t)%nat then Some (before_of s v) else None else None)
        (mirror_advance s v))
    else Some points
  else None.

Definition last_of (ks : seq (mirror_checkpoint N)) : nat := foldr (fun k => maxn (mirror_at k)) 0%nat ks.

Definition mirror_run_check (ks : seq (mirror_checkpoint N)) : option (seq mirror_point) :=
  if [&& Pos.ltb c a, specification_ok D spec 0, best_ok D,
         match run_rule spec with GradientSteps | NormalisedSteps => true | _ => false end &
         if said is Some (_, since) then isSome found && (since < last_of ks)%nat else true]
  then mirror_follow ks (last_of ks) 0 None first_mirror_state else None.

(* ---- soundness ---- *)

Lemma between_ends_real b I x : contains I x -> between_ends b I -> in_band (band_real b) x.
Proof.
move=> H /andP[lo hi]; split; first by apply: certainly_le_real lo => //; exact: claimed_contains.
by apply: certainly_le_real hi => //; exact: claimed_contains.
Qed.

Lemma unselected_in_band (b : claimed_band N) table (x : vec (coord (problem D))) : encloses table (attention x) ->
  all (fun I => certainly_le I (claimed P b.2)) (unselected_in table) ->
  has (certainly_le (claimed P b.1)) (unselected_in table) ->
  (forall i, 1 - attention x (alpha i) <= (band_real b).2) /\ exists i, (band_real b).1 <= 1 - attention x (alpha i).
Proof.
move=> seen Hall Hhas; have [/eqP sp _] := andP Pok; have [/andP[/eqP ss _] _] := seen.
have su : size (unselected_in table) = size (sequences D) by rewrite size_map size_zip ss sp minnn.
have unselected i := unselected_contains Pok P (v := View [::] table [::] [::] [::]) seen i.
split=> [i|].
  have il : ((i : data_group D) < size (unselected_in table))%nat by rewrite su; exact: ltn_ord.
  by apply: certainly_le_real (all_nthP anything Hall _ il); [exact: unselected | exact: claimed_contains].
have /(has_nthP anything) [j jl Hj] := Hhas; rewrite su in jl; exists (Ordinal jl : data_group D).
by apply: certainly_le_real Hj; [exact: claimed_contains | exact: (unselected (Ordinal jl : data_group D))].
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

Lemma directed_check_sound x' (y : vec (coord (problem D))) k : matrix_encloses (solution_entries x') y ->
  contains (solution_length x') (lp_norm p y) ->
  directed_check x' s (primal_entries v)
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

Theorem mirror_checkpoint_sound k : mirror_checkpoint_check found s v k ->
  mirror_seen alpha (loss_of l) p q (least_loss (best_alpha Bok) (loss_of l)) k z /\
  (is_directed k -> exists2 x', found = Some x' & directed_check x' s (primal_entries v)
    (imagnitude P (a - c) a (matrix_product P (primal_entries v) (dual_entries s))) k).
Proof.
case/and5P=> Hn Hq Hl /andP[Hall Hhas] Hd; split; last first.
  by move=> directed; rewrite directed in Hd; case: (found) Hd => // x' Hd; exists x'.
split.
- exact: between_ends_real mirror_norm_contains Hn.
- exact: between_ends_real mirror_dual_norm_contains Hq.
- apply: between_ends_real Hl; have scores := selected_scores_enclose P (proj1 (andP Bok)).
  exact: (loss_excess_contains P Dok margins_enclosed l scores).
exact: unselected_in_band attention_enclosed Hall Hhas.
Qed.
End AtStep.

(* ---- a step ---- *)

Definition before_at (t : nat) (b : before_step) : Prop :=
  let z := mirror_trajectory t in
  [/\ matrix_encloses (before_dual b) z, matrix_encloses (before_primal b) (mirror q z),
      contains (before_sum b) (lp_sum q z), contains (before_norm b) (lp_norm p (mirror q z)) &
      contains (before_dual_norm b) (lp_norm q z)].

Lemma before_of_at t s (at_s : mirror_state_at t s) : before_at t (before_of s (look_at s)).
Proof.
split; [by case: at_s | exact: primal_enclosed | | exact: mirror_norm_contains | exact: mirror_dual_norm_contains].
by rewrite (proj1 (sum_of_powers t)); exact: product_contains.
Qed.

Lemma inequality_check_sound C x' (y : vec (coord (problem D))) b now t : before_at t b -> before_at t.+1 now ->
  matrix_encloses (solution_entries x') y -> contains (solution_length x') (lp_norm p y) ->
  inequality_check C x' b now ->
  mirror_inequality p q (mirror_trajectory t) (fraction_real C) y (mirror_trajectory t.+1).
Proof.
move=> [Hz Hw Hs Hn Hd] [Hz' _ Hs' _ Hd'] Hx Hl /and3P[/(is_positive_real Hn) n0 /(is_positive_real Hl) l0].
rewrite /mirror_inequality; move: (mirror_trajectory t) (mirror_trajectory t.+1) Hz Hw Hs Hn Hd Hz' Hs' Hd' n0.
move=> z z' Hz Hw Hs Hn Hd Hz' Hs' Hd' n0 le; do 2!split=> //.
have Hm : matrix_encloses (combine_tables (isub P) (before_dual now) (before_dual b)) (z' - z)%V.
  by apply: (matrix_combine_encloses Hz' Hz) => jk I J; exact: isub_contains.
have Hq : contains (idiv P (exactly (of_positive N (a - c))) (exactly (of_positive N a))) (/ q).
  rewrite /q exponent_inverse /exponent -!(of_positive_real N).
  by apply: idiv_contains; exact: exactly_contains.
have Hr : contains (isub P (imul P (isub P (before_sum now) (before_sum b))
      (idiv P (exactly (of_positive N (a - c))) (exactly (of_positive N a))))
    (matrix_product P (before_primal b) (combine_tables (isub P) (before_dual now) (before_dual b))))
    (dual_divergence q (mirror q z) z z').
  have -> : dual_divergence q (mirror q z) z z' =
      (lp_sum q z' - lp_sum q z) * / q - dot (mirror q z) (z' - z)%V by rewrite /dual_divergence /potential /Rdiv; ring.
  apply: isub_contains; last exact: matrix_product_contains.
  by apply: imul_contains => //; exact: isub_contains.
have := certainly_le_real (isub_contains P (isub_contains P Hd' Hd) (idiv_contains P Hr Hn))
  (imul_contains P (iadd_contains P (@contains1 N) (idiv_contains P (imul_contains P (claimed_contains P C) Hl) Hn))
     (idiv_contains P (matrix_product_contains P Hm Hx) Hl)) le.
lra.
Qed.

(* ---- the whole run ---- *)

Hypothesis Bok : best_ok D.

Definition checkpoint_holds k : Prop :=
  let z := mirror_trajectory (mirror_at k) in
  mirror_seen alpha (loss_of l) p q (least_loss (best_alpha Bok) (loss_of l)) k z /\
  (is_directed k -> exists2 x', found = Some x' & forall y : vec (coord (problem D)),
     matrix_encloses (solution_entries x') y -> contains (solution_length x') (lp_norm p y) ->
     mirror_directed p q k z y).

Definition inequality_at t : Prop :=
  if said is Some (C, _) then
    exists2 x', found = Some x' & forall y : vec (coord (problem D)),
      matrix_encloses (solution_entries x') y -> contains (solution_length x') (lp_norm p y) ->
      mirror_inequality p q (mirror_trajectory t) (fraction_real C) y (mirror_trajectory t.+1)
  else True.

Lemma checked_checkpoint ks t s k : mirror_state_at t s -> picks_ok D (mirror_references s) ->
  all (mirror_checkpoint_check found s (look_at s)) [seq k <- ks | mirror_at k == t] -> List.In k ks ->
    mirror_at k = t ->
  checkpoint_holds k.
Proof.
move=> at_s Rok Hall kin E; have H : mirror_checkpoint_check found s (look_at s) k.
  by apply: (proj1 (List.forallb_forall _ _) Hall k); apply/List.filter_In; rewrite E eqxx.
have [seen directed] := mirror_checkpoint_sound at_s Rok Bok H; split; rewrite E //.
by move=> /directed[x' xE Hx]; exists x' => // y Hy Hn; exact: directed_check_sound at_s _ _ _ Hy Hn Hx.
Qed.

Lemma compared_before t before s b : mirror_state_at t s ->
  (forall b, before = Some b -> exists2 t', t = t'.+1 & before_at t' b) ->
  (if before is Some _ then inequality_holds_between before (before_of s (look_at s)) else true) -> before = Some b ->
  inequality_at t.-1.
Proof.
move=> at_s seen Hb bE; have [t' tE before_t'] := seen b bE; move: Hb;
  rewrite bE /inequality_holds_between /inequality_at.
case: found => [x' | //]; case: said => [[C since] | //] H; exists x' => // y Hx Hl; rewrite tE /=.
by rewrite tE in at_s; exact: (inequality_check_sound before_t' (before_of_at at_s) Hx Hl H).
Qed.

Definition mirror_point_at (x : mirror_point) : Prop := matrix_encloses x.2 (mirror_trajectory x.1).

Lemma kept_here (A : Type) (at_t : seq A) t s x : mirror_state_at t s ->
  List.In x (if at_t is [::] then [::] else [:: (t, dual_entries s)]) -> mirror_point_at x.
Proof. by case=> Hz _; case: at_t => [|_ _] //= [<- | //]. Qed.

Lemma mirror_follow_sound ks n t before s points : mirror_state_at t s ->
  (forall b, before = Some b -> exists2 t', t = t'.+1 & before_at t' b) ->
  mirror_follow ks n t before s = Some points ->
  [/\ forall k, List.In k ks -> (t <= mirror_at k <= t + n)%nat -> checkpoint_holds k,
      forall b, before = Some b -> inequality_at t.-1,
      forall t', (t <= t' < t + n)%nat -> (if said is Some (_, since) then (since <= t')%nat else true) ->
        inequality_at t' &
      forall x, List.In x points -> mirror_point_at x].
Proof.
elim: n t before s points => [|n IH] t before s points at_s seen /=; case: ifP => // /and3P[Rok Hall Hb].
  move=> [<-]; split=> [k kin | b | t' | x]; last exact: kept_here at_s.
  - by rewrite addn0 -eqn_leq => /eqP E; exact: (checked_checkpoint at_s Rok Hall kin (esym E)).
  - exact: compared_before at_s seen Hb.
  by rewrite addn0 => /andP[le lt]; move: (leq_trans lt le); rewrite ltnn.
case next: mirror_follow => [rest | ] //= [<-].
have next_seen b : (if said is Some (_, since) then if (since <= t)%nat then Some (before_of s (look_at s)) else None
    else None) = Some b -> exists2 t', t.+1 = t'.+1 & before_at t' b.
  by case: said => // -[C since]; case: ifP => // _ [<-]; exists t => //; exact: before_of_at.
have [later compared_t compared_later kept] := IH t.+1 _ _ _ (mirror_advance_at at_s Rok) next_seen next.
split=> [k kin | b | t' /andP[le lt] due | x /(List.in_app_or _ _ x)[|]]; last exact: kept.
- case/andP; rewrite leq_eqVlt => /orP[/eqP E _ | lt le]; first exact: (checked_checkpoint at_s Rok Hall kin (esym E)).
  by apply: later => //; rewrite lt addSnnS.
- exact: compared_before at_s seen Hb.
- move: le; rewrite leq_eqVlt => /orP[/eqP E | le]; last by apply: compared_later => //; rewrite le addSnnS.
  move: due compared_t; rewrite -E /inequality_at /=; case: said => // -[C since] due.
  by rewrite due => H; exact: (H _ erefl).
exact: kept_here at_s.
Qed.
End MirrorRunChecks.
