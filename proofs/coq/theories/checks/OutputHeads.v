(* OutputHeads: heads of several outputs at one attention, in interval arithmetic.

   A table has the numbers of every token: of a classifier each class's against the right one's, of ReLU units what they
   are given. From the attention follow the means, the softmax or the signs of the units, and from these how much more
   slope each token has than the reference (slope_gap) and the loss above that of the selected tokens. A unit whose sign
   the enclosure leaves open leaves everything of its group open. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Heads HeadRanges ClassifierHead UnitsHead Number Rows TokenData
                           MarginChecks OptimalityChecks EnclosureChecks Interval Elementary IntervalTables
                           AttentionIntervals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the loss of the selected tokens ---- *)

Section Chosen.
Variables (p : selection_problem) (alpha : selection p) (h : head p).

(* All attention on the selected tokens. *)
Definition chosen (t : token p) : R := if t == selected alpha t then 1 else 0.

Lemma chosen_sum i (F : token p -> R) : \sum_(t | group_of t == i) chosen t * F t = F (alpha i).
Proof.
rewrite (bigD1 (alpha i)) /=; last by rewrite group_of_pick.
rewrite /chosen selected_pick eqxx Rmult_1_l big1 ?Rplus_0_r // => t /andP[/eqP ti ne].
by rewrite /selected ti (negbTE ne) Rmult_0_l.
Qed.

Definition selected_head_loss : R := \sum_i weight i * head_value h i chosen.
End Chosen.

(* ---- rows ---- *)

Section OutputRows.
Variables (N : number) (P : Z).
Notation interval := (interval N).
Notation anything := (@Everything N).
Implicit Types (a p r : seq interval) (v : seq (seq interval)).

Definition row_differences r r' : seq interval := [seq isub P xy.1 xy.2 | xy <- zip r r'].
Definition row_total p r : interval := isum P [seq imul P xy.1 xy.2 | xy <- zip p r].

(* sum_t a_t v_t, rows of k numbers. *)
Fixpoint row_means (k : nat) a v : seq interval :=
  match a, v with
  | x :: a', r :: v' => [seq iadd P (imul P x yz.1) yz.2 | yz <- zip r (row_means k a' v')]
  | _, _ => nseq k (interval0 N)
  end.

Definition numbers_in (k : nat) r (F : nat -> R) : Prop :=
  size r = k /\ forall u, (u < k)%nat -> contains (nth anything r u) (F u).

Lemma row_differences_contain k r r' F G : numbers_in k r F -> numbers_in k r' G ->
  numbers_in k (row_differences r r') (fun u => F u - G u).
Proof.
move=> [sr Hr] [sr' Hr']; split=> [|u uk]; first by rewrite size_map size_zip sr sr' minnn.
rewrite (nth_map (anything, anything)) ?size_zip ?sr ?sr' ?minnn // nth_zip ?sr ?sr' //.
by apply: isub_contains; [exact: Hr | exact: Hr'].
Qed.

Lemma row_total_contains k p r F G : numbers_in k p F -> numbers_in k r G ->
  contains (row_total p r) (\sum_(u < k) F u * G u).
Proof.
move=> [sr Hr] [sr' Hr']; apply: isum_contains => [|u]; first by rewrite size_map size_zip sr sr' minnn.
rewrite (nth_map (anything, anything)) ?size_zip ?sr ?sr' ?minnn // nth_zip ?sr ?sr' //.
by apply: imul_contains; [exact: Hr | exact: Hr'].
Qed.

Lemma row_sum_contains k r F : numbers_in k r F -> contains (isum P r) (\sum_(u < k) F u).
Proof. by case=> sr Hr; apply: isum_contains => // u; exact: Hr. Qed.

Lemma row_map k f r F G : numbers_in k r F -> (forall u I, (u < k)%nat -> contains I (F u) -> contains (f I) (G u)) ->
  numbers_in k [seq f x | x <- r] G.
Proof.
move=> [sr Hr] H; split=> [|u uk]; first by rewrite size_map.
by rewrite (nth_map anything) ?sr //; apply: H => //; exact: Hr.
Qed.

Lemma row_means_contain k n a v (A : nat -> R) (F : nat -> nat -> R) : numbers_in n a A -> size v = n ->
  (forall s, (s < n)%nat -> numbers_in k (nth [::] v s) (F s)) ->
  numbers_in k (row_means k a v) (fun u => \sum_(s < n) A s * F s u).
Proof.
elim: n a v A F => [|n IH] [|x a] [|r v] A F //= [sa Ha] sv H; try by [].
- by split=> [|u uk]; [rewrite size_nseq | rewrite big_ord0 nth_nseq uk; exact: contains0].
case: sa sv => sa [sv]; have [sm Hm] := IH a v (fun s => A s.+1) (fun s => F s.+1)
  (conj sa (fun s sn => Ha s.+1 sn)) sv (fun s sn => H s.+1 sn).
have [sr Hr] := H 0%nat (ltn0Sn n); split=> [|u uk]; first by rewrite size_map size_zip sr sm minnn.
rewrite (nth_map (anything, anything)) ?size_zip ?sr ?sm ?minnn // nth_zip ?sr ?sm // big_ord_recl.
by apply: iadd_contains; [apply: imul_contains; [exact: (Ha 0%nat) | exact: Hr] | exact: Hm].
Qed.
End OutputRows.

(* ---- tables of rows ---- *)

Section Outputs.
Variables (N : number) (D : token_data N) (P : Z).
Hypothesis Dok : data_ok D.
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation token := (token (problem D)).
Notation group_index t := (tag (t : data_token D)).
Notation token_index t := (tagged (t : data_token D)).

(* k numbers of every token. *)
Definition numbers_enclose (k : nat) (v : seq (seq (seq interval))) (F : token -> nat -> R) : Prop :=
  fits D v /\ forall t, numbers_in k (at_token [::] v t) (F t).

(* A table made group by group. *)
Lemma by_groups_encloses (A : Type) (a0 : A) (f : A -> seq interval) (c : seq A) (F : token -> R) :
  size c = size (sequences D) ->
  (forall i : data_group D, size (f (nth a0 c i)) = length_of D i /\
     forall s : 'I_(length_of D i), contains (nth anything (f (nth a0 c i)) s) (F (token_of s))) ->
  encloses [seq f a | a <- c] F.
Proof.
move=> sc H; split=> [|[i s]]; last first.
  by rewrite /at_token /= (nth_map a0) ?sc ?ltn_ord //; have [_ Hs] := H i; exact: (Hs s).
rewrite /fits size_map sc eqxx; apply/(all_nthP ([::], no_sequence N)) => i.
rewrite size_zip size_map sc minnn => il; rewrite nth_zip ?size_map ?sc // (nth_map a0) ?sc //=.
by apply/eqP; have [] := H (Ordinal il).
Qed.

Section Group.
Variables (i : data_group D) (k : nat) (v : seq (seq interval)) (a : seq interval).
Variables (A : token -> R) (F : token -> nat -> R).
Hypothesis values_in : size v = length_of D i /\ forall s : 'I_(length_of D i),
  numbers_in k (nth [::] v s) (F (token_of s)).
Hypothesis shares_in : size a = length_of D i /\
  forall s : 'I_(length_of D i), contains (nth anything a s) (A (token_of s)).

Lemma group_means_contain : numbers_in k (row_means P k a v) (fun u => \sum_(t : token | group_of t == i) A t * F t u).
Proof.
case: values_in shares_in => sv Hv [sa Ha].
pose A' s := if insub s is Some s' then A (token_of (s' : 'I_(length_of D i))) else 0.
pose F' s u := if insub s is Some s' then F (token_of (s' : 'I_(length_of D i))) u else 0.
have [sm Hm] : numbers_in k (row_means P k a v) (fun u => \sum_(s < length_of D i) A' s * F' s u).
  apply: row_means_contain => // [|s sl].
    by split=> // s sl; rewrite /A' insubT; exact: (Ha (Ordinal sl)).
  have [sr Hr] := Hv (Ordinal sl); split=> // u uk; rewrite /F' insubT; exact: Hr.
split=> // u uk; have := Hm u uk; congr contains; rewrite (sum_group (D := D)); apply: eq_bigr => s _.
by rewrite /A' /F' valK.
Qed.
End Group.

(* What a table has of a group. *)
Lemma values_of_group k v F (i : data_group D) : numbers_enclose k v F ->
  size (nth [::] v i) = length_of D i /\
  forall s : 'I_(length_of D i), numbers_in k (nth [::] (nth [::] v i) s) (F (token_of s)).
Proof. by case=> fv Hv; split=> [|s]; [exact: fits_row fv (ltn_ord i) | exact: (Hv (token_of s))]. Qed.

Lemma shares_of_group a A (i : data_group D) : encloses a A -> size (nth [::] a i) = length_of D i /\
  forall s : 'I_(length_of D i), contains (nth anything (nth [::] a i) s) (A (token_of s)).
Proof. by case=> fa Ha; split=> [|s]; [exact: fits_row fa (ltn_ord i) | exact: (Ha (token_of s))]. Qed.

Variables (picks refs : seq nat).
Hypotheses (Pok : picks_ok D picks) (Rok : picks_ok D refs).
Let alpha : selection (problem D) := selection_of Pok.
Let beta : selection (problem D) := selection_of Rok.
Variables (v : seq (seq (seq interval))) (w : vec (coord (problem D))) (a : seq (seq interval)).
Hypothesis attention_in : encloses a (attention w).

(* Of what each group has, its attention and its reference. *)
Definition by_group (A : Type) (vs : seq A) (f : A -> seq interval -> nat -> seq interval) : seq (seq interval) :=
  [seq f x.1.1 x.1.2 x.2 | x <- zip (zip vs a) refs].

Lemma by_group_encloses (A : Type) (v0 : A) (vs : seq A) f (H : token -> R) : size vs = size (sequences D) ->
  (forall i : data_group D, size (f (nth v0 vs i) (nth [::] a i) (nth 0%nat refs i)) = length_of D i /\
     forall s : 'I_(length_of D i),
       contains (nth anything (f (nth v0 vs i) (nth [::] a i) (nth 0%nat refs i)) s) (H (token_of s))) ->
  encloses (by_group vs f) H.
Proof.
move=> sv E; have [/andP[/eqP sa _] _] := attention_in; have [/eqP sr _] := andP Rok.
apply: (by_groups_encloses (a0 := ((v0, [::]), 0%nat))) => [|i]; first by rewrite !size_zip sv sa sr !minnn.
by rewrite !nth_zip ?size_zip ?sv ?sa ?sr ?minnn //; exact: E.
Qed.

Lemma numbers_size k F : numbers_enclose k v F -> size v = size (sequences D).
Proof. by case=> /andP[/eqP]. Qed.

(* ---- a classifier ---- *)

Section Classifier.
Variables (k : nat) (G : token -> 'I_k -> R) (y : data_group D -> 'I_k).
Notation h := (@classifier_head (problem D) [finType of 'I_k] G y).
Let c (t : token) (u : nat) : R := if insub u is Some u' then G t u' - G t (y (group_index t)) else 0.
Hypothesis values_in : numbers_enclose k v c.

Let cE t (u : 'I_k) : c t u = G t u - G t (y (group_index t)).
Proof. by rewrite /c valK. Qed.

(* e^m of the means *)
Definition class_powers (v : seq (seq interval)) (a : seq interval) : seq interval :=
  [seq iexp P m | m <- row_means P k a v].

Definition class_gaps (v : seq (seq interval)) (a : seq interval) (r : nat) : seq interval :=
  let e := class_powers v a in
  let total := isum P e in
  let p := [seq idiv P x total | x <- e] in
  let own := nth [::] v r in [seq row_total P p (row_differences P row own) | row <- v].

Let average (s : token -> R) (i : data_group D) (u : 'I_k) :=
  @class_average (problem D) [finType of 'I_k] G i s u - @class_average (problem D) [finType of 'I_k] G i s (y i).

Let average_sum s i (u : 'I_k) : \sum_(t : token | group_of t == i) s t * c t u = average s i u.
Proof.
by rewrite /average /class_average -sumB; apply: eq_bigr => t /eqP <-; rewrite cE Rmult_minus_distr_l.
Qed.

Let powers_contain (i : data_group D) : numbers_in k (class_powers (nth [::] v i) (nth [::] a i))
  (fun u => if insub u is Some u' then exp (average (attention w) i u') else 0).
Proof.
have means := group_means_contain (values_of_group i values_in) (shares_of_group i attention_in).
by apply: (row_map means) => u I uk HI; rewrite insubT -average_sum; exact: iexp_contains.
Qed.

Theorem class_gaps_enclose : encloses (by_group v class_gaps) (slope_gap beta h w).
Proof.
apply: (by_group_encloses (v0 := [::]) (numbers_size values_in)) => i; have [sv Hv] := values_of_group i values_in.
split=> [|s]; first by rewrite size_map.
have powers := powers_contain i; set e := class_powers _ _ in powers *; rewrite (nth_map [::]) ?sv //.
have total := row_sum_contains P powers.
pose share (u : nat) := if insub u is Some u' then
  @class_share (problem D) [finType of 'I_k] G i (attention w) u' else 0.
have totalE : \sum_(u < k) (if insub (u : nat) is Some u' then exp (average (attention w) i u') else 0) =
    \sum_(u : 'I_k) exp (average (attention w) i u) by apply: eq_bigr => u _; rewrite valK.
have shares : numbers_in k [seq idiv P x (isum P e) | x <- e] share.
  apply: (row_map powers) => u I uk; rewrite /share insubT => HI.
  by rewrite (class_share_shift G y) -totalE; exact: idiv_contains.
have rl : (nth 0%nat refs i < length_of D i)%nat := picks_lt i Rok.
have own := Hv (Ordinal rl).
have := row_total_contains P shares (row_differences_contain P (Hv s) own); congr contains.
rewrite classifier_gap; apply: eq_bigr => u _; rewrite /share valK !cE /class_change /class_start /=.
by congr (_ * (_ - (_ - _))); rewrite /beta /= /pick_token; congr (G _ _); congr token_of; exact: val_inj.
Qed.

(* The loss above the selected token's. *)
Definition class_excess (v : seq (seq interval)) (a : seq interval) (pick : nat) : interval :=
  isub P (ilog P (isum P (class_powers v a))) (ilog P (isum P [seq iexp P x | x <- nth [::] v pick])).

Let value_of (s : token -> R) i : head_value h i s = ln (\sum_(u : 'I_k) exp (average s i u)).
Proof.
rewrite /=; set m := class_average G i s (y i); have P0 := partition_gt0 G y i s.
have -> : \sum_(u : 'I_k) exp (average s i u) = partition G i s * exp (- m).
  by rewrite /partition sum_mulr; apply: eq_bigr => u _; rewrite -exp_plus.
by rewrite ln_mult ?ln_exp //; exact: exp_pos.
Qed.

Lemma class_excess_contains (i : data_group D) :
  contains (class_excess (nth [::] v i) (nth [::] a i) (nth 0%nat picks i))
    (head_value h i (attention w) - head_value h i (chosen alpha)).
Proof.
rewrite !value_of; have total := row_sum_contains P (powers_contain i).
have totalE : \sum_(u < k) (if insub (u : nat) is Some u' then exp (average (attention w) i u') else 0) =
    \sum_(u : 'I_k) exp (average (attention w) i u) by apply: eq_bigr => u _; rewrite valK.
rewrite totalE in total; apply: isub_contains; first exact: ilog_contains.
have [sv Hv] := values_of_group i values_in; have pl := picks_lt i Pok.
have powers : numbers_in k [seq iexp P x | x <- nth [::] (nth [::] v i) (nth 0%nat picks i)]
    (fun u => exp (c (token_of (Ordinal pl)) u)).
  by apply: (row_map (Hv (Ordinal pl))) => u I _; exact: iexp_contains.
have := ilog_contains P (row_sum_contains P powers); congr contains; congr ln; apply: eq_bigr => u _; congr exp.
rewrite -average_sum (chosen_sum alpha i (fun t => c t u)); congr (c _ _).
by rewrite /alpha /= /pick_token; congr token_of; exact: val_inj.
Qed.
End Classifier.

(* ---- ReLU units ---- *)

Section Units.
Variables (k : nat) (Y : data_group D -> R) (r : 'I_k -> R) (unit_of : token -> 'I_k -> R) (l : loss_name).
Notation h := (@units_head (problem D) [finType of 'I_k] Y r unit_of (loss_of l)).
Notation output_of := (@units_output (problem D) [finType of 'I_k] Y r unit_of).
Notation active_of := (@unit_active (problem D) [finType of 'I_k] unit_of).
Let z (t : token) (u : nat) : R := if insub u is Some u' then unit_of t u' else 0.
Hypothesis values_in : numbers_enclose k v z.

(* Of each group Y r, and which of these are 0. *)
Variable weights : seq (seq interval).
Hypothesis weights_in : size weights = size (sequences D) /\
  forall i : data_group D, numbers_in k (nth [::] weights i) (fun u => if insub u is Some u' then Y i * r u' else 0).

(* The weights of the units that are active: nothing where a sign is open. *)
Definition unit_weight (w m : interval) : option interval :=
  if is_zero w then Some (interval0 N)
  else if is_positive m then Some w
  else if is_positive (iopp m) then Some (interval0 N) else None.

Fixpoint active_weights (ws ms : seq interval) : option (seq interval) :=
  match ws, ms with
  | w :: ws', m :: ms' =>
      if unit_weight w m is Some x then omap (cons x) (active_weights ws' ms') else None
  | _, _ => Some [::]
  end.

Definition units_gaps (g : seq interval * seq (seq interval)) (a : seq interval) (ref : nat) : seq interval :=
  let m := row_means P k a g.2 in
  if active_weights g.1 m is Some p then
    let slope := slope_interval P l (row_total P p m) in
    let own := nth [::] g.2 ref in [seq imul P slope (row_total P p (row_differences P own row)) | row <- g.2]
  else [seq anything | _ <- g.2].

Definition units_excess (g : seq interval * seq (seq interval)) (a : seq interval) (pick : nat) : interval :=
  let m := row_means P k a g.2 in
  if active_weights g.1 m is Some p then
    let best := row_total P g.1 [seq imax P (interval0 N) x | x <- nth [::] g.2 pick] in
    excess_interval P l best (isub P best (row_total P p m))
  else anything.

Lemma active_weights_contain n (ws ms p : seq interval) (W M : nat -> R) : numbers_in n ws W -> numbers_in n ms M ->
  active_weights ws ms = Some p -> exists2 X, numbers_in n p X &
    forall u, (u < n)%nat -> (W u = 0 -> X u = 0) /\
      (W u <> 0 -> M u <> 0 /\ X u = if Rlt_dec 0 (M u) then W u else 0).
Proof.
elim: n ws ms p W M => [|n IH] [|w0 ws] [|m ms] p W M //= [sw Hw] [sm Hm]; try by [].
  by move=> [<-]; exists (fun=> 0).
case E: unit_weight => [x|] //; case rest: active_weights => [q|] //= [<-].
have [X [sq HX] decided] := IH ws ms q (fun u => W u.+1) (fun u => M u.+1)
  (conj (eq_add_S _ _ sw) (fun u un => Hw u.+1 un)) (conj (eq_add_S _ _ sm) (fun u un => Hm u.+1 un)) rest.
have w_in : contains w0 (W 0%nat) := Hw 0%nat (ltn0Sn n); have m_in : contains m (M 0%nat) := Hm 0%nat (ltn0Sn n).
have [x0 Hx Ex] : exists2 x0, contains x x0 & (W 0%nat = 0 -> x0 = 0) /\
    (W 0%nat <> 0 -> M 0%nat <> 0 /\ x0 = if Rlt_dec 0 (M 0%nat) then W 0%nat else 0).
  move: E; rewrite /unit_weight; case: ifP => [/(is_zero_real w_in) W0 [<-] | _].
    by exists 0; [exact: contains0 | rewrite W0].
  case: ifP => [/(is_positive_real m_in) pos [<-] | _].
    by exists (W 0%nat) => //; split=> // _; split; [lra | case: Rlt_dec].
  case: ifP => // /(is_positive_real (iopp_contains m_in)) neg [<-].
  by exists 0; [exact: contains0 | split=> // _; split; [lra | case: Rlt_dec => // m0; lra]].
exists (fun u => if u is u'.+1 then X u' else x0); first by split=> [|[|u] un] //=; [rewrite sq | exact: HX].
by case=> [|u] un //=; exact: decided.
Qed.

Let mean (s : token -> R) i (u : 'I_k) := @unit_mean (problem D) [finType of 'I_k] unit_of i s u.

Let mean_sum s i (u : 'I_k) : \sum_(t : token | group_of t == i) s t * z t u = mean s i u.
Proof. by apply: eq_bigr => t _; rewrite /z valK. Qed.

Section Active.
Variables (i : data_group D) (s : token -> R) (X : nat -> R).
Hypothesis decided : forall u : 'I_k, Y i * r u <> 0 -> mean s i u <> 0 /\
  X u = if Rlt_dec 0 (mean s i u) then Y i * r u else 0.
Hypothesis idle : forall u : 'I_k, Y i * r u = 0 -> X u = 0.

Lemma active_units_sum (F : 'I_k -> R) : \sum_(u : 'I_k) X u * F u = Y i * \sum_(u | active_of i s u) r u * F u.
Proof.
rewrite sum_mull [RHS]big_mkcond; apply: eq_bigr => u _ /=; rewrite /unit_active -/(mean s i u).
case: (Req_dec (Y i * r u) 0) => [E | /decided[_ ->]].
  by rewrite (idle E) Rmult_0_l; case: Rlt_dec => //= _; rewrite -Rmult_assoc E Rmult_0_l.
by case: Rlt_dec => /= _; ring.
Qed.

Lemma active_output : \sum_(u : 'I_k) X u * mean s i u = output_of i s.
Proof.
rewrite active_units_sum /units_output; congr (_ * _); rewrite big_mkcond; apply: eq_bigr => u _ /=.
rewrite /unit_active -/(mean s i u); case: Rlt_dec => /= m0; first by rewrite Rmax_right //; lra.
by rewrite Rmax_left; lra.
Qed.
End Active.

Variant units_seen (i : data_group D) (p : seq interval) : Prop := UnitsSeen X of numbers_in k p X &
  (forall F : 'I_k -> R, \sum_(u : 'I_k) X u * F u =
     Y i * \sum_(u | active_of i (attention w) u) r u * F u) &
  contains (row_total P p (row_means P k (nth [::] a i) (nth [::] v i))) (output_of i (attention w)).

Lemma units_see (i : data_group D) p :
  active_weights (nth [::] weights i) (row_means P k (nth [::] a i) (nth [::] v i)) = Some p -> units_seen i p.
Proof.
have means := group_means_contain (values_of_group i values_in) (shares_of_group i attention_in).
have [_ /(_ i) Hw] := weights_in; case/(active_weights_contain Hw means) => X HX decided.
have idle (u : 'I_k) : Y i * r u = 0 -> X u = 0.
  by have [+ _] := decided u (ltn_ord u); rewrite valK.
have on (u : 'I_k) : Y i * r u <> 0 -> mean (attention w) i u <> 0 /\
    X u = if Rlt_dec 0 (mean (attention w) i u) then Y i * r u else 0.
  by have [_] := decided u (ltn_ord u); rewrite valK mean_sum.
apply: (UnitsSeen HX); first exact: active_units_sum on idle.
have := row_total_contains P HX means; congr contains; rewrite -(active_output on idle).
by apply: eq_bigr => u _; rewrite mean_sum.
Qed.

Theorem units_gaps_enclose : encloses (by_group (zip weights v) units_gaps) (slope_gap beta h w).
Proof.
have [sw Hw] := weights_in; have sv := numbers_size values_in.
apply: (by_group_encloses (v0 := ([::], [::]))) => [|i]; first by rewrite size_zip sw sv minnn.
have [si Hv] := values_of_group i values_in; rewrite nth_zip ?sw ?sv //; rewrite /units_gaps [X in row_means P k _ X]/=.
case on: active_weights => [p|]; last first.
  by split=> [|s]; rewrite ?size_map // (nth_map [::]) ?si //.
split=> [|s]; first by rewrite size_map.
have [X HX sums out] := units_see on; rewrite (nth_map [::]) ?si //.
have rl : (nth 0%nat refs i < length_of D i)%nat := picks_lt i Rok.
have total := row_total_contains P HX (row_differences_contain P (Hv (Ordinal rl)) (Hv s)).
have -> : slope_gap beta h w (token_of s) = - dloss (loss_of l) (output_of i (attention w)) *
    \sum_(u < k) X u * (z (token_of (Ordinal rl)) u - z (token_of s) u).
  rewrite (eq_bigr (fun u : 'I_k => X u * (unit_of (beta i) u - unit_of (token_of s) u))) => [|u _].
    rewrite sums; pose S t := \sum_(u | active_of i (attention w) u) r u * unit_of t u.
    transitivity (dloss (loss_of l) (output_of i (attention w)) * (Y i * S (token_of s)) -
      dloss (loss_of l) (output_of i (attention w)) * (Y i * S (beta i))); first by [].
    have -> : \sum_(u | active_of i (attention w) u) r u * (unit_of (beta i) u - unit_of (token_of s) u) =
        S (beta i) - S (token_of s) by rewrite /S -sumB; apply: eq_bigr => u _; ring.
    by ring.
  rewrite /z !valK; congr (_ * (unit_of _ _ - _)).
  by rewrite /beta /= /pick_token; congr token_of; exact: val_inj.
by apply: imul_contains => //; exact: slope_interval_contains.
Qed.

Lemma units_excess_contains (i : data_group D) :
  contains (units_excess (nth [::] weights i, nth [::] v i) (nth [::] a i) (nth 0%nat picks i))
    (head_value h i (attention w) - head_value h i (chosen alpha)).
Proof.
rewrite /units_excess [X in row_means P k _ X]/=; case on: active_weights => [p|] //.
have [X HX sums out] := units_see on; have [sv Hv] := values_of_group i values_in; have [_ /(_ i) Hw] := weights_in.
have pl := picks_lt i Pok; pose t : token := token_of (Ordinal pl).
have own : numbers_in k [seq imax P (interval0 N) x | x <- nth [::] (nth [::] v i) (nth 0%nat picks i)]
    (fun u => Rmax 0 (z t u)).
  by apply: (row_map (Hv (Ordinal pl))) => u I _ HI; apply: imax_contains => //; exact: contains0.
have best := row_total_contains P Hw own; set f := output_of i (attention w) in out *.
have bestE : \sum_(u < k) (if insub (u : nat) is Some u' then Y i * r u' else 0) * Rmax 0 (z t u) =
    output_of i (chosen alpha).
  rewrite /units_output sum_mull; apply: eq_bigr => u _; rewrite valK Rmult_assoc; congr (_ * (_ * Rmax 0 _)).
  rewrite /unit_mean (chosen_sum alpha i (unit_of^~ u)) /z valK; congr (unit_of _ _).
  by rewrite /alpha /= /pick_token /t; congr token_of; exact: val_inj.
rewrite bestE in best; set g := output_of i (chosen alpha) in best *.
have := excess_interval_contains P l best (isub_contains P best out).
by have -> : g - (g - f) = f by ring.
Qed.
End Units.
End Outputs.
