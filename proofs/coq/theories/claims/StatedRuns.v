(* StatedRuns: what accepted claims about runs say, in the words that exported files write out.

   Such a file states a claim as the parts listed here, one after the other, with its numbers as rationals: `written` is
   how Coq reads `5` and `1 / 10`. L* is the loss of the scores of a selection b that the file proves to be
   best. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Direction Growth Saturation LockIn Polyak Losses RegularisationPath Claims
                           Runs Forever HeadRuns HeadForever Number Rows TokenData Instances MarginChecks
                           OptimalityChecks EnclosureChecks Interval AttentionIntervals Replay RunChecks PathChecks
                           RunClaims ForeverChecks ForeverEvidence ForeverClaims ForeverRun LaterTheorem ClaimKind
                           RunKinds ForeverKinds Posed OutputKinds OutputForever Certificates.
From Attest Require Export LongIntegers LongNumbers.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Definition written (q : fraction big_integers) : R :=
  let n := IZR (long_value (fraction_num q)) in let d := long_value (fraction_den q) in
  if Z.eqb d 1 then n else n / IZR d.

Lemma fraction_written : @fraction_real big_integers = written.
Proof.
apply: functional_extensionality => q; rewrite /fraction_real /written; case: Z.eqb_spec => // E.
by rewrite /= /long_real E; field.
Qed.

(* All of them. *)
Fixpoint together (parts : seq Prop) : Prop :=
  match parts with
  | [::] => True
  | [:: A] => A
  | A :: rest => A /\ together rest
  end.

Lemma together_cons (A : Prop) rest : A -> together rest -> together (A :: rest).
Proof. by case: rest. Qed.

Lemma together_cat (a b : seq Prop) : together a -> together b -> together (a ++ b).
Proof.
elim: a => // A a IH Ha Hb; rewrite cat_cons; case: a IH Ha => [|B a] IH Ha; first exact: together_cons.
by case: Ha => HA Ha; apply: together_cons => //; exact: IH.
Qed.

Lemma together_map (T : Type) (f : T -> seq Prop) (s : seq T) (x0 : T) :
  (forall k, (k < size s)%nat -> together (f (nth x0 s k))) -> together (flatten [seq f x | x <- s]).
Proof.
elim: s => // x s IH H; rewrite map_cons; apply: together_cat; first exact: (H 0%nat).
by apply: IH => k ks; exact: (H k.+1).
Qed.

(* ---- runs ---- *)

Section Run.
Variables (I : instance big_integers) (D : token_data big_integers) (alpha : selection (problem D)).
Notation vector := (vec (coord (problem D))).
Implicit Types w : vector.

Definition within_written (b : claimed_band big_integers) (x : R) : Prop := written b.1 <= x <= written b.2.

(* Of a run for any head, with its loss and gradient. *)
Definition checkpoint_parts (value : vector -> R) (field : vector -> vector) least (ws : vector)
    (c : checkpoint big_integers) w : seq Prop :=
  [:: within_written (norm_claim c) (vnorm w); within_written (along_claim c) (along ws w)] ++
  (if corr_claim c is Some b then [:: 0 < vnorm w; within_written b (one_minus_corr ws w)] else [::]) ++
  [:: within_written (loss_claim c) (value w - least);
      within_written (gradient_claim c) (vnorm (field w));
      forall i, 1 - attention w (alpha i) <= written (unselected_claim c).2;
      exists i, written (unselected_claim c).1 <= 1 - attention w (alpha i)].

Definition rate_parts (ws : vector) (n : nat) (r : rate_claim big_integers) (w : nat -> vector) : seq Prop :=
  [:: forall t, (from_step r <= t <= n)%nat ->
        0 < vnorm (w t) /\ one_minus_corr ws (w t) <= written (constant r) * shape_value (rate_shape_of r) (INR t)].

Definition run_parts (value : vector -> R) (field : vector -> vector) (c : run_claim big_integers) (ws : vector)
    (least : R) (w : nat -> vector) : seq Prop :=
  (if run_rule (run_specification c) is GradientSteps then [::]
   else [:: forall t, (t < run_steps c)%nat -> 0 < vnorm (field (w t))]) ++
  flatten [seq checkpoint_parts value field least ws at_ (w (at_step at_)) | at_ <- checkpoints c] ++
  (if decreases_until c is 0%nat then [::]
   else [:: forall t, (t < decreases_until c)%nat -> value (w t.+1) < value (w t)]) ++
  flatten [seq rate_parts ws (run_steps c) r w | r <- rates c].

(* W_0 = 0. *)
Lemma start_zero u : @matrix_real _ D (nseq (left_dimension D) (zeros big_integers (right_dimension D))) u = vzero.
Proof. by apply: functional_extensionality => jk; rewrite /matrix_real entry2_zeros /Rdiv Rmult_0_l. Qed.

Lemma trajectory_written l s least w0 : @Replay.start_point _ D s = w0 ->
  @trajectory _ D l s least =
  iterate (loss_of l) least (run_rule s) (step_size (run_schedule s) (written (run_step s))) w0.
Proof. by move=> <-; rewrite /trajectory /sizes fraction_written. Qed.

Lemma checkpoint_stated (value : vector -> R) (field : vector -> vector) least ws c w :
  point_in_bands alpha ws (value w - least) (vnorm (field w)) (bands_of c) w ->
  together (checkpoint_parts value field least ws c w).
Proof.
rewrite /checkpoint_parts /within_written -fraction_written => -[Hn Hy Hc [Hl Hg [Hall Hone]]].
by apply: together_cat => //; apply: together_cat => //; move: Hc; rewrite /=; case: corr_claim.
Qed.

Lemma run_said (value : vector -> R) (field : vector -> vector) least ws c (w : nat -> vector) :
  sequence_says (moves_from field (run_rule (run_specification c)))
    (fun B z => point_in_bands alpha ws (value z - least) (vnorm (field z)) B z) value ws c w ->
  together (run_parts value field c ws least w).
Proof.
move=> [defined at_ [_ dec] rts]; rewrite /run_parts.
apply: together_cat; last (apply: together_cat; last apply: together_cat).
- by move: defined; rewrite /moves_from; case: (run_rule _) => //= H1 t tn; exact: H1 tn _.
- case cs: (checkpoints c) => [|c0 later] //; rewrite -cs; apply: (together_map (x0 := c0)) => i il.
  by have [_ seen] := at_ i c0 il; exact: checkpoint_stated.
- by case: (decreases_until c) dec.
case rs: (rates c) => [|r0 later] //; rewrite -rs; apply: (together_map (x0 := r0)) => i il /= t Ht.
by have := rts i r0 il t Ht; rewrite /rate_holds fraction_written.
Qed.

Hypothesis one_output : several_outputs I = false.
Variable b : selection (problem D).
Hypothesis b_best : best b.

Theorem run_stated p k c w0 : @Replay.start_point _ D (run_specification c) = w0 ->
  claim_meaning I (Posed Attention [::]) alpha (Run p k c) ->
  exists wstar, [/\ max_margin alpha wstar, 0 < vnorm wstar &
    let l := loss_of (run_loss c) in let s := run_specification c in
    together (run_parts (training_loss l) (gradient l) c wstar (least_loss b l)
      (iterate l (least_loss b l) (run_rule s) (step_size (run_schedule s) (written (run_step s))) w0))].
Proof.
move=> E; rewrite -[claim_meaning _ _ _ _]/(if several_outputs I then output_run_says I alpha (RunData k c)
  else of_run alpha c (fun ws least => run_holds alpha ws least c)) one_output => -[ws [M n0 H]].
exists ws; split=> // l s; have := H b b_best.
by rewrite /run_holds (trajectory_written _ _ E); exact: run_said.
Qed.

(* With the square of ||W - y u|| as PathChecks.v writes it. *)
Theorem path_stated p k c from until M w0 : @Replay.start_point _ D (run_specification c) = w0 ->
  claim_meaning I (Posed Attention [::]) alpha (PathInequality p k c from until M) ->
  exists wstar, [/\ max_margin alpha wstar, 0 < vnorm wstar &
    let l := loss_of (run_loss c) in let s := run_specification c in
    let w := iterate l (least_loss b l) (run_rule s) (step_size (run_schedule s) (written (run_step s))) w0 in
    path_holds wstar w from until (written M)].
Proof.
move=> E; rewrite -[claim_meaning _ _ _ _]/(if several_outputs I
    then output_path_says I alpha (PathData k c from until M)
  else of_run alpha c (fun ws least =>
    path_holds ws (@trajectory _ D (run_loss c) (run_specification c) least) from until (fraction_real M)))
      one_output =>
  -[ws [Mm n0 H]].
exists ws; split=> // l s; have := H b b_best.
by rewrite (trajectory_written _ _ E) fraction_written.
Qed.

(* ---- stationary points ---- *)

Theorem stationary_stated p l m w0 : @ForeverClaims.origin_point _ D m = w0 ->
  claim_meaning I (Posed Attention [::]) alpha (Stationary p (Some l) m) ->
  gradient (loss_of l) w0 = vzero.
Proof. by move=> <- H; exact H. Qed.

(* ---- the regularisation path ---- *)

Lemma one_says (A B : Prop) : (if several_outputs I then A else B) -> B.
Proof. by rewrite one_output. Qed.

Theorem regularisation_path_stated p k l from K :
  claim_meaning I (Posed Attention [::]) alpha (RegularisationPath p k (Some l) from K) ->
  exists wstar, [/\ max_margin alpha wstar, 0 < vnorm wstar &
    forall (r : R) w, written from <= r -> regularised (loss_of l) r w ->
      1 - dot w wstar / (vnorm wstar * r) <= written K / r].
Proof. by move=> /one_says[ws [M n0 H]]; exists ws; split=> // r w; rewrite -fraction_written; exact: H. Qed.

(* ---- later steps ---- *)

(* Seen from step t of w and a centre; the sizes of all steps are eta, ws is the solution. *)
Definition later_parts (ws centre : vector) (c : conclusion big_integers) (eta : nat -> R) (w : nat -> vector)
    (t : nat) : seq Prop :=
  let u := (/ vnorm ws * ws)%V in
  let y s := dot (w s) u in
  let bound s := sqrt (written (said_excess c) + written (said_path c) * (y (t + s)%nat - y t)) in
  [:: vnorm centre <= written (said_centre c); written (said_height c) <= y t;
      forall s, vnorm (w (t + s)%nat - y (t + s)%nat * u - centre) <= bound s;
      (if said_logarithmic c then
         forall s, exp (/ vnorm ws * y t) + written (said_growth c) * Growth.total (fun k => eta (t + k)%nat) s <=
                   exp (/ vnorm ws * y (t + s)%nat)
       else forall s, y t + written (said_growth c) * Growth.total (fun k => eta (t + k)%nat) s <= y (t + s)%nat);
      forall s, 0 < y (t + s)%nat -> 1 - cosine u (w (t + s)%nat) <=
        (written (said_centre c) + bound s) * (written (said_centre c) + bound s) /
        (2 * (y (t + s)%nat * y (t + s)%nat));
      is_lim_seq (fun s => cosine u (w s)) 1] ++
  if said_dominates c is Some n then [:: forall s i, (n <= s)%nat -> 1 / 2 < attention (w s) (alpha i)] else [::].

Definition after (t : nat) (c : conclusion big_integers) : bool :=
  if said_dominates c is Some n then (t <= n)%nat else true.

Lemma head_later_stated h least r ws centre c eta (w : nat -> vector) t : after t c ->
  head_later_claim alpha h least r (fun k => eta (t + k)%nat) (w t) (constants_of (seen_from t c)) ws centre ->
  head_follows h least r (fun k => eta (t + k)%nat) (fun s => w (t + s)%nat) ->
  together (later_parts ws centre c eta w t).
Proof.
move=> tn H run; have E0 : w (t + 0)%nat = w t by rewrite addn0.
have later := H (fun s => w (t + s)%nat) E0 run.
rewrite /later_steps_hold /constants_of /= fraction_written E0 in later.
have [Hc Hh Hs [Hl Hd]] := later; apply: together_cat; last first.
  case dom: (said_dominates c) tn Hd => [n|] //; rewrite /after dom => tn Hd s i ns.
  by have := Hd (n - t)%nat erefl (s - t)%nat i (leq_sub2r t ns); rewrite subnKC // (leq_trans tn).
split=> //; split=> //; split; first by move=> s; have [] := Hs s.
split; first by case: (said_logarithmic c) Hs => Hs s; have [] := Hs s.
split; first by move=> s; have [] := Hs s.
by apply/(is_lim_seq_incr_n _ t); apply: is_lim_seq_ext Hl => s; rewrite addnC.
Qed.

Lemma later_stated l r ws centre c eta (w : nat -> vector) t : after t c ->
  later_claim alpha l r (fun k => eta (t + k)%nat) (w t) (constants_of (seen_from t c)) ws centre ->
  follows l (least_loss alpha l) r (fun k => eta (t + k)%nat) (fun s => w (t + s)%nat) ->
  together (later_parts ws centre c eta w t).
Proof. by move=> tn /scalar_later H /scalar_follows run; exact: head_later_stated tn H run. Qed.

(* The exact iteration from its step t on. *)
Lemma iterate_later l r eta w0 t : (r = PolyakSteps -> globally_optimal alpha) ->
  follows l (least_loss alpha l) r (fun k => eta (t + k)%nat)
    (fun s => iterate l (least_loss b l) r eta w0 (t + s)%nat).
Proof.
move=> opt; apply: follows_least (follows_from t (iterate_follows _ _ _ _ _)) => /opt go.
apply: esym; apply: eq_bigr => i _; congr (_ * l _).
have up := b_best (alpha i); rewrite group_of_pick in up.
have := go (b i); rewrite /constraint /selected group_of_pick.
by case: eqP => [-> // | _ /(_ isT)]; lra.
Qed.

(* The whole iteration is defined, its later steps included: nothing is divided by 0. *)
Definition defined_parts (field : vector -> vector) (r : rule) (w : nat -> vector) : seq Prop :=
  if r is GradientSteps then [::] else [:: forall s, 0 < vnorm (field (w s))].

(* From step t of the iteration w on. The centre is the part of w_t orthogonal to u, or only known to be
   orthogonal to it. *)
Definition later_stated_from (centred : bool) l (r : rule) (h : schedule) (S : fraction big_integers)
    (w0 : vector) (t : nat) (c : conclusion big_integers) : Prop :=
  let least := least_loss b (loss_of l) in
  let eta := step_size h (written S) in
  let w := iterate (loss_of l) least r eta w0 in
  exists2 wstar, max_margin alpha wstar &
  let u := (/ vnorm wstar * wstar)%V in
  let later centre := together (defined_parts (gradient (loss_of l)) r w ++ later_parts wstar centre c eta w t) in
  if centred then exists2 centre, dot centre u = 0 & later centre else later (w t - dot (w t) u * u)%V.

Lemma evidence_stated l r h S w0 t (e : forever_evidence big_integers) c : after t c ->
  (r = PolyakSteps -> globally_optimal alpha) ->
  let w := iterate (loss_of l) (least_loss b (loss_of l)) r (step_size h (written S)) w0 in
  (forall k, (k < t)%nat -> step_defined (loss_of l) r (w k)) ->
  evidence_claim alpha (loss_of l) e r (later_steps h (written S) t) (w t) (constants_of (seen_from t c)) ->
  later_stated_from (some_centre e) l r h S w0 t c.
Proof.
move=> tn opt w early [claimed later].
have run : follows (loss_of l) (least_loss alpha (loss_of l)) r (later_steps h (written S) t) (fun s => w (t + s)%nat).
  exact: iterate_later opt.
have defined s : r <> GradientSteps -> 0 < vnorm (gradient (loss_of l) (w s)).
  move=> rn; case: (ltnP s t) => st; first exact: early st rn.
  by have := later _ _ run (s - t)%nat; rewrite subnKC //; apply; rewrite addn0.
have stated ws centre :
    later_claim alpha (loss_of l) r (later_steps h (written S) t) (w t) (constants_of (seen_from t c)) ws centre ->
    together (defined_parts (gradient (loss_of l)) r w ++ later_parts ws centre c (step_size h (written S)) w t).
  move=> H; apply: together_cat; last exact: later_stated tn H run.
  by rewrite /defined_parts; case: (r) defined => // defined s; exact: defined.
move: claimed; rewrite /claim_about /later_stated_from; case: (some_centre e) => -[ws M] H; exists ws => //;
  last exact: stated H.
by have [centre orth /stated later'] := H; exists centre.
Qed.

Theorem forever_from_point_stated p k l s m e c w0 : @ForeverClaims.origin_point _ D m = w0 ->
  claim_meaning I (Posed Attention [::]) alpha (ForeverFromPoint p k (Some l) s m e c) ->
  later_stated_from (some_centre e) l (spec_rule s) (spec_schedule s) (spec_step s) w0 0 c.
Proof.
move=> E; rewrite -[claim_meaning _ _ _ _]/(if several_outputs I
  then output_point_says I alpha (PointData k (Some l) s m e c) else forever_meaning alpha l s m e c) one_output =>
  -[later opt].
move: later; rewrite E fraction_written => later.
apply: evidence_stated opt _ _ => //; first by rewrite /after; case: said_dominates.
have -> : seen_from 0 c = c by case: c {later} => ? ? ? ? ? ? [n|]; rewrite /seen_from /= ?subn0.
exact: later.
Qed.

Theorem forever_from_run_stated p k j run t e c w0 : @Replay.start_point _ D (run_specification run) = w0 ->
  after t c -> claim_meaning I (Posed Attention [::]) alpha (ForeverFromRun p k j run t e c) ->
  let s := run_specification run in
  later_stated_from (some_centre e) (run_loss run) (run_rule s) (run_schedule s) (run_step s) w0 t c.
Proof.
move=> E tn; rewrite -[claim_meaning _ _ _ _]/(if several_outputs I
  then output_from_run_says I alpha (FromRunData k j run t e c) else forever_run_meaning run alpha t e c) one_output =>
  H s;
  have [early [later opt]] := H b b_best.
by move: early later; rewrite (trajectory_written _ _ E) fraction_written; exact: evidence_stated tn opt.
Qed.
End Run.
