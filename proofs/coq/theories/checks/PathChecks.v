(* PathChecks: T9's path inequality along a run, decided from enclosures of the places that the replay passed.

   With y = <w,u> and x = ||w - y u|| for the direction u of the solution: x_{t+1}^2 - x_t^2 <= M (y_{t+1} - y_t)
   (path_T9 with the centre 0, and a constant of the run's own). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Number Rows TokenData Claims MarginChecks OptimalityChecks Interval
                           AttentionIntervals Runs Replay ReplaySound RunChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- what a claim says ---- *)

Section Meaning.
Variables (p : selection_problem) (ws : vec (coord p)).

(* x^2 *)
Definition across2 (w : vec (coord p)) : R := vnorm2 (w - (along ws w / vnorm ws) * ws)%V.

Definition path_holds (w : nat -> vec (coord p)) (from until : nat) (M : R) : Prop :=
  forall t, (from <= t < until)%nat ->
  along ws (w t) < along ws (w t.+1) /\ across2 (w t.+1) - across2 (w t) <= M * (along ws (w t.+1) - along ws (w t)).

Lemma across2_split w : 0 < vnorm ws -> across2 w = vnorm w * vnorm w - along ws w * along ws w.
Proof.
move=> s0; have s2 : vnorm ws * vnorm ws = vnorm2 ws by rewrite /vnorm sqrt_sqrt //; exact: vnorm2_ge0.
have w2 : vnorm w * vnorm w = vnorm2 w by rewrite /vnorm sqrt_sqrt //; exact: vnorm2_ge0.
rewrite /across2 vnorm2B dotZr vnorm2Z w2 -s2; rewrite /along; move: (dot w ws) (vnorm ws) s0 => a s s0.
by field; lra.
Qed.
End Meaning.

Section PathChecks.
Variable N : number.
Notation interval := (interval N).

(* Enclosures of y and x^2. *)
Definition place : Type := (interval * interval)%type.

Definition place_encloses (p : selection_problem) (ws w : vec (coord p)) (here : place) : Prop :=
  contains here.1 (along ws w) /\ contains here.2 (across2 ws w).
Definition path_encloses (p : selection_problem) (ws : vec (coord p)) (w : nat ->
  vec (coord p)) (path : seq place) : Prop :=
  forall t x0, (t < size path)%nat -> place_encloses ws (w t) (nth x0 path t).

(* ---- the place of an iterate ---- *)

Section Place.
Variables (D : token_data N) (picks : seq nat) (spec : specification N) (P F : Z).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).

Definition place_of (dir : enclosed_direction N) (o : orbit N) : place :=
  let n := norm_of D spec P F o in
  let y := along_of D spec P F dir o in (y, isub P (imul P n n) (imul P y y)).

Variables (w : vec (coord (problem D))) (o : orbit N).
Variables (sv : vector N) (radius : interval) (ws : vec (coord (problem D))) (R0 : R).
Hypotheses (spec_ok : specification_ok D spec F) (close : close_to spec F o w).
Hypotheses (sv_ok : vector_ok D picks sv) (radius_contains : contains radius R0).
Hypothesis near_solution : vdist (W (selection_of Pok) (@coefficient_of N D sv)) ws <= R0.

Lemma place_of_encloses : 0 < vnorm ws ->
  place_encloses ws w (place_of (direction_of D picks P sv radius) o).
Proof.
move=> s0; have Hn := norm_contains Dok P spec_ok close.
have Hy := along_contains Dok P spec_ok close sv_ok radius_contains near_solution.
by split=> //; rewrite across2_split //; apply: isub_contains; exact: imul_contains.
Qed.
End Place.

(* ---- the check ---- *)

Variable P : Z.

Definition step_holds (M : interval) (here next : place) : bool :=
  certainly_lt here.1 next.1 && certainly_lt (isub P next.2 here.2) (imul P M (isub P next.1 here.1)).

(* So many steps along the path from its first place. *)
Fixpoint steps_hold (M : interval) (n : nat) (here : place) (later : seq place) : bool :=
  if n is m.+1 then if later is next :: rest then step_holds M here next && steps_hold M m next rest
    else false else true.

Definition path_check (path : seq place) (from until : nat) (M : fraction N) : bool :=
  (from < until)%nat &&
  if drop from path is here :: later then steps_hold (claimed P M) (until - from) here later else false.

Lemma steps_hold_nth M n : forall here later x0 j, steps_hold M n here later -> (j < n)%nat ->
  (j < size later)%nat /\ step_holds M (nth x0 (here :: later) j) (nth x0 later j).
Proof.
elim: n => // n IH here [|next rest] x0 j //= /andP[first others]; case: j => [|j] //.
by rewrite !ltnS => jn; exact: IH others jn.
Qed.

Theorem path_check_sound (p : selection_problem) (ws : vec (coord p)) (w : nat -> vec (coord p)) path from until M :
  path_encloses ws w path -> path_check path from until M -> path_holds ws w from until (fraction_real M).
Proof.
move=> encloses /andP[_]; case E: (drop from path) => [|here later] // holds t /andP[ft tu].
pose x0 : place := here; have jn : (t - from < until - from)%nat by rewrite ltn_sub2r // (leq_ltn_trans ft).
have [jl step] := steps_hold_nth x0 holds jn.
have at_ k : nth x0 (here :: later) k = nth x0 path (from + k) by rewrite -E nth_drop.
have tE : (from + (t - from) = t)%nat by rewrite subnKC.
have sE : size path = (from + (size later).+1)%nat.
  have fs : (from < size path)%nat.
    by rewrite ltnNge; apply/negP => /drop_oversize F; rewrite F in E.
  have <- : size (drop from path) = (size later).+1 by rewrite E.
  by rewrite size_drop subnKC // ltnW.
have nE : nth x0 later (t - from) = nth x0 path t.+1 by rewrite -[LHS]/(nth x0 (here :: later) (t - from).+1)
  at_ addnS tE.
rewrite at_ tE nE in step.
have tl : (t.+1 < size path)%nat by rewrite sE -tE -addnS ltn_add2l ltnS.
have [Hy Hx] := encloses t x0 (ltnW tl); have [Hy' Hx'] := encloses t.+1 x0 tl.
case/andP: step => up below; split; first exact: certainly_lt_real Hy Hy' up.
apply/Rlt_le; apply: certainly_lt_real below; first exact: isub_contains.
by apply: imul_contains; [exact: claimed_contains | exact: isub_contains].
Qed.
End PathChecks.

(* ---- the run that a claim speaks about ---- *)

Section SameRun.
Variable N : number.

Definition same_row (a b : seq N) : bool := (size a == size b) && all (fun xy => same xy.1 xy.2) (zip a b).
Definition identical_matrix (m m' : seq (seq N)) : bool :=
  (size m == size m') && all (fun ab => same_row ab.1 ab.2) (zip m m').
Definition identical_fraction (q q' : fraction N) : bool :=
  same (fraction_num q) (fraction_num q') && same (fraction_den q) (fraction_den q').

Definition same_loss (l l' : loss_name) : bool :=
  match l, l' with
  | Logistic, Logistic | Exponential, Exponential | Correlation, Correlation | CrossEntropy, CrossEntropy => true
  | _, _ => false
  end.
Definition same_rule (r r' : rule) : bool :=
  match r, r' with
  | GradientSteps, GradientSteps | NormalisedSteps, NormalisedSteps | PolyakSteps, PolyakSteps => true
  | _, _ => false
  end.
Definition same_schedule (s s' : schedule) : bool :=
  match s, s' with Constant, Constant | Inverse, Inverse | InverseRoot, InverseRoot => true | _, _ => false end.

Definition same_run (l l' : loss_name) (s s' : specification N) : bool :=
  [&& same_loss l l', same_rule (run_rule s) (run_rule s'), same_schedule (run_schedule s) (run_schedule s'),
      identical_fraction (run_step s) (run_step s') & identical_matrix (start s) (start s') &&
        same (start_unit s) (start_unit s')].

Lemma identical_matrix_entry m m' j k : identical_matrix m m' -> entry2 m j k = entry2 m' j k.
Proof.
case/andP=> /eqP sm H; rewrite /entry2 /entry; case: (ltnP j (size m)) => jm;
  last by rewrite !(nth_default [::]) // -sm.
have := all_nthP ([::], [::]) H j; rewrite size_zip -sm minnn nth_zip //= => /(_ jm) /andP[/eqP sr Hr].
case: (ltnP k (size (nth [::] m j))) => kr; last by rewrite !(nth_default zero) // -sr.
have := all_nthP (zero, zero) Hr k; rewrite size_zip -sr minnn nth_zip //= => /(_ kr).
exact: same_real.
Qed.

Lemma same_loss_eq l l' : same_loss l l' -> l = l'.
Proof. by case: l l' => [] []. Qed.

Lemma same_run_rule l l' s s' : same_run l l' s s' -> run_rule s = run_rule s'.
Proof. by case/and5P=> _ + _ _ _; case: (run_rule s) (run_rule s') => [] []. Qed.

Lemma same_run_parts l l' s s' : same_run l l' s s' ->
  sizes s = sizes s' /\ forall D : token_data N, @start_point _ D s = @start_point _ D s'.
Proof.
case/and5P=> _ _ Hs /andP[Hn Hd] /andP[Hm Hu]; split=> [|D].
  have sE : run_schedule s = run_schedule s' by case: (run_schedule s) (run_schedule s') Hs => [] [].
  by rewrite /sizes sE /fraction_real (same_real Hn) (same_real Hd).
apply: vec_ext => jk; by rewrite /start_point /matrix_real (identical_matrix_entry _ _ Hm) (same_real Hu).
Qed.

Lemma same_run_trajectory (D : token_data N) l l' s s' least : same_run l l' s s' ->
  @trajectory N D l s least = @trajectory N D l' s' least.
Proof.
move=> same; have [sizesE startE] := same_run_parts same; have [/same_loss_eq <- _] := andP same.
by rewrite /trajectory (same_run_rule same) sizesE (startE D).
Qed.
End SameRun.
