(* SeparabilityChecks: the verified checker's decisions about margins that no matrix of some norm has, about conflicts,
   and about groups that are left out. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Separability Number Rows Entries TokenData Claims Enclosure MarginChecks
                           OptimalityChecks GramBound EnclosureChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- some of the groups, as data of their own ---- *)

Section Restriction.
Variable N : number.
Variables (D : token_data N) (picks groups : seq nat).

Definition restricted : token_data N :=
  {| left_dimension := left_dimension D; right_dimension := right_dimension D; token_unit := token_unit D;
     query_unit := query_unit D; score_unit := score_unit D; sequences := [seq sequence_at D i | i <- groups] |}.
Definition restricted_picks : seq nat := [seq nth 0%nat picks i | i <- groups].

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Hypothesis inside : all (fun i => i < size (sequences D))%nat groups.
Let alpha : selection (problem D) := selection_of Pok.

Lemma restricted_data_ok : data_ok restricted.
Proof.
have /and4P[x0 z0 s0 _] := Dok; rewrite /data_ok x0 z0 s0 /=.
apply/(all_nthP (no_sequence N)) => k; rewrite size_map => kg; rewrite (nth_map 0%nat) //.
by apply: sequences_ok Dok _; exact: (all_nthP 0%nat inside).
Qed.

Lemma restricted_picks_ok : picks_ok restricted restricted_picks.
Proof.
rewrite /picks_ok /restricted /restricted_picks /= !size_map eqxx /=.
apply/(all_nthP (0%nat, no_sequence N)) => k; rewrite size_zip !size_map minnn => kg.
rewrite nth_zip ?size_map //= !(nth_map 0%nat) //; have il := all_nthP 0%nat inside _ kg.
exact: (picks_lt (Ordinal il) Pok).
Qed.

Let beta : selection (problem restricted) := selection_of restricted_picks_ok.

(* The token that a token of the restriction is. *)
Lemma restricted_token (t : token (problem restricted)) : exists u : token (problem D),
  [/\ (tag (u : data_token D) : nat) \in groups, (constraint beta t -> constraint alpha u) & Delta beta t = Delta
    alpha u].
Proof.
case: t => j s; have jl : (j < size groups)%nat by rewrite -(size_map (sequence_at D) groups); exact: (ltn_ord j).
pose i := nth 0%nat groups j; have ig : i \in groups by exact: mem_nth.
have il : (i < size (sequences D))%nat by exact: (allP inside).
have at_j : sequence_at restricted j = sequence_at D i by rewrite /sequence_at /restricted /= (nth_map 0%nat).
have pick_j : nth 0%nat restricted_picks j = nth 0%nat picks i by rewrite /restricted_picks (nth_map 0%nat).
have sl : (s < length_of D i)%nat by rewrite /length_of -at_j; exact: (ltn_ord s).
exists (@token_of N D (Ordinal il) (Ordinal sl)); split=> //.
  by move/(constraint_index restricted_picks_ok) => ne; apply/(constraint_index Pok); move: ne; rewrite /= pick_j.
by apply: vec_ext => jk; rewrite !Delta_entry /= at_j pick_j.
Qed.

(* What contradicts itself in the restriction does so in the whole. *)
Lemma restricted_contradictory : ~ feasible beta ->
  contradictory alpha (fun i : group (problem D) => (i : nat) \in groups).
Proof.
move=> infeasible kept sub [w Hw]; apply: infeasible; exists w => t ct.
have [u [ug cu E]] := restricted_token t.
by rewrite /margin E; apply: Hw; [exact: cu | exact: sub].
Qed.
End Restriction.

(* ---- conflicts: groups, and a vector over the constraints of these groups ---- *)

Section Conflicts.
Variables (N : number) (D : token_data N) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Implicit Types (c : seq nat * vector N).

Definition conflict_check c : bool :=
  all (fun i => i < size (sequences D))%nat c.1 && infeasible_check (restricted D c.1) (restricted_picks picks c.1)
    c.2.

Definition conflicts_check (cs : seq (seq nat * vector N)) : bool :=
  [&& (0 < size cs)%nat, sorted ltn (sort leq (flatten [seq c.1 | c <- cs])) & all conflict_check cs].

Lemma uniq_flatten_disjoint (T : eqType) (ss : seq (seq T)) i j g : uniq (flatten ss) -> (i < size ss)%nat ->
  (j < size ss)%nat ->
  g \in nth [::] ss i -> g \in nth [::] ss j -> i = j.
Proof.
elim: ss i j => [|s ss IH] //= i j; rewrite cat_uniq => /and3P[_ /hasPn none us].
have later k : (k < size ss)%nat -> g \in nth [::] ss k -> g \in flatten ss.
  by move=> kl gk; apply/flattenP; exists (nth [::] ss k) => //; exact: mem_nth.
case: i j => [|i] [|j] //=; rewrite !ltnS => il jl gi gj.
- by have /negP[] := none g (later j jl gj).
- by have /negP[] := none g (later i il gi).
by congr _.+1; exact: IH.
Qed.

Theorem conflicts_check_sound cs : conflicts_check cs -> must_leave_out alpha (size cs).
Proof.
case/and3P=> _; rewrite ltn_sorted_uniq_leq sort_uniq => /andP[disjoint _] checked.
have at_place (k : 'I_(size cs)) : nth [::] [seq c.1 | c <- cs] k = (nth ([::], Vector one [::]) cs k).1.
  by rewrite (nth_map ([::], Vector one [::])).
apply: (@disjoint_conflicts _ alpha _ (fun (k : 'I_(size cs)) (i : group (problem D)) => (i : nat) \in nth [::] [seq
  c.1 | c <- cs] k)).
  move=> k kept sub; have /andP[inside ok] := all_nthP ([::], Vector one [::]) checked _ (ltn_ord k).
  have infeasible := infeasible_check_sound (Pok := restricted_picks_ok Pok inside) (restricted_data_ok Dok inside)
    ok.
  by apply: (restricted_contradictory infeasible) => i ik; apply: sub; rewrite at_place.
move=> i j g gi gj; apply: val_inj; apply: (uniq_flatten_disjoint disjoint _ _ gi gj); rewrite size_map;
  exact: ltn_ord.
Qed.

(* ---- separable-without ---- *)

(* f holds of all rows but those numbered in the increasing list; the first row has number i. *)
Fixpoint all_without (A : Type) (i : nat) (out : seq nat) (f : A -> bool) (rows : seq A) : bool :=
  match rows, out with
  | [::], _ => true
  | r :: rest, j :: out' => if i == j then all_without i.+1 out' f rest else f r && all_without i.+1 out f rest
  | r :: rest, [::] => f r && all_without i.+1 [::] f rest
  end.

Lemma all_withoutP (A : Type) (a0 : A) f rows : forall i out k, all_without i out f rows -> (k < size rows)%nat ->
  (i + k)%nat \notin out -> f (nth a0 rows k).
Proof.
elim: rows => [|r rows IH] i out [|k] //=.
  by case: out => [/andP[] | j out] //; rewrite addn0 inE; case: eqP => //= _ /andP[].
rewrite ltnS -addSnnS; case: out => [/andP[_] | j out]; first exact: IH.
case: eqP => [_ H kl | _ /andP[_ H] kl]; last exact: IH.
by rewrite inE negb_or => /andP[_]; exact: IH.
Qed.

Definition separable_without_check (v : vector N) (out : seq nat) : bool :=
  let u := margin_unit D v in
  [&& vector_ok D picks v, (size out < size (sequences D))%nat &
      all_without 0 out (fun pm => all_but pm.1 (le u) pm.2) (zip picks (margins D picks v))].

Theorem separable_without_check_sound v out : separable_without_check v out ->
  separable_in alpha (fun i : group (problem D) => (i : nat) \notin out).
Proof.
case/and3P=> vok _ checked; exists (W alpha (coefficient_of v)) => t /constraint_index ct kt.
have u0 := margin_unit_gt0 Dok vok; rewrite margin_of_matrix //.
have [/eqP sm _] := andP (fits_margins Pok (weights D picks v)); have [/eqP sp _] := andP Pok.
have := all_withoutP (0%nat, [::]) (k := tag (t : data_token D)) checked.
rewrite size_zip sm sp minnn add0n => /(_ (ltn_ord _) kt); rewrite nth_zip ?sm //=.
move/(all_butP zero)/(_ (fits_at t (fits_margins Pok _)) ct)/le_real => m1.
apply: (Rmult_le_reg_r (real (margin_unit D v))) => //.
by rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r ?Rmult_1_l //; lra.
Qed.

(* ---- margin-at-most ---- *)

(* ||W(v)||^2 <= bound^2 (sum of v)^2 *)
Definition margin_at_most_check (v : vector N) (bound : fraction N) : bool :=
  let s := total_entries v in let wu := weight_unit D v in
  let left := mul (fraction_den bound) (denominator v) in let right := mul (fraction_num bound) (mul s wu) in
  [&& vector_ok D picks v, nonnegative_check picks v, lt zero s, fraction_ok bound, lt zero (fraction_num bound) &
      le (mul (energy v (margins D picks v)) (mul left left)) (mul right right)].

Theorem margin_at_most_check_sound v bound : margin_at_most_check v bound ->
  forall w, separates alpha w -> 1 <= fraction_real bound * vnorm w.
Proof.
case/and5P=> vok nn /lt_real s0 bok /andP[/lt_real b0 /le_real H] w Hw; rewrite real0 in s0 b0.
have d0 := denominator_gt0 vok; have bd0 := fraction_den_gt0 bok; have wu0 := weight_unit_gt0 Dok vok.
have v0 t : constraint alpha t -> 0 <= @coefficient_of N D v t by exact: nonnegative_check_sound.
apply: (margin_at_most (P := constraint alpha) (D := Delta alpha) Hw v0).
- by rewrite -total_real //; exact: Rdiv_lt_0_compat.
- by apply: Rlt_le; exact: Rdiv_lt_0_compat.
rewrite -total_real // -/(W alpha _) energy_value // /fraction_real; move: H.
move: (energy _ _) (total_entries v) (weight_unit D v) (denominator v) d0 wu0 => e s wu d d0 wu0; rewrite !realM.
move: (real d) (real wu) (real (fraction_den bound)) d0 wu0 bd0 => {}d {}wu q d0 wu0 q0 H.
have wu2 := Rmult_lt_0_compat _ _ wu0 wu0; have qd := Rmult_lt_0_compat _ _ q0 d0;
  have qd2 := Rmult_lt_0_compat _ _ qd qd.
apply: (Rmult_le_reg_r (wu * wu * (q * d * (q * d)))); first exact: Rmult_lt_0_compat.
have -> : real e / (wu * wu) * (wu * wu * (q * d * (q * d))) = real e * (q * d * (q * d)) by field; lra.
by apply: Rle_trans H _; right; field; lra.
Qed.
End Conflicts.
