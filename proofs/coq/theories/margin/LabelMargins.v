(* LabelMargins: soft attention leaves the decoder smaller label margins than the selected tokens do (A.margin; JOINT.md
   section 5).

   A group k has the labelled value kappa_k of its selected token and the differences delta_kt = kappa_k - g_kt of its
   tokens, numbered from 0. An attention that leaves the selected tokens 1 - X at least has, for every v, no larger
   margins than a choice of one token in each group that counts X; these choices are covered by pieces, and multipliers
   prove each piece. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Smoothness.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* Some number is no more than the mean. *)
Lemma below_mean (G : finType) (mu F : G -> R) (b : R) : (forall k, 0 <= mu k) -> \sum_k mu k = 1 ->
  \sum_k mu k * F k <= b -> exists k, F k <= b.
Proof.
move=> mu0 mu1 mean; have [k _ least] : exists2 k, predT k & forall j, predT j -> F k <= F j.
  case: (pickP (@predT G)) => [k0 _ | none]; first exact: finite_least (erefl : predT k0).
  by move: mu1; rewrite big_pred0 //; lra.
exists k; apply: Rle_trans mean; rewrite -[X in X <= _]Rmult_1_l -mu1 sum_mulr.
by apply: sum_le => j _; apply: Rmult_le_compat_l => //; exact: least.
Qed.

Section LabelMargins.
Variables (J G : finType) (count best : G -> nat) (kappa : G -> vec J) (delta : G -> nat -> vec J).
Variables (Gamma nu : R).
Hypotheses (best_lt : forall k, (best k < count k)%nat) (best_own : forall k, delta k (best k) = vzero).
Hypothesis nu_gt0 : 0 < nu.
Implicit Types (t c : G -> nat) (X : R) (u v : vec J) (pick : G -> option nat) (mu : G -> R).

Definition shared_value X t (k : G) : vec J := (kappa k - X * delta k (t k))%V.

(* A token of each group, the picked one where one is picked. *)
Definition allowed pick t : Prop := forall k, (t k < count k)%nat /\ (if pick k is Some s then t k = s else True).

(* A piece: no v of norm 1 has larger margins than Gamma - nu X, whatever allowed tokens share X with the selected. *)
Definition proved pick (from to : R) : Prop := forall X u t, from <= X <= to -> vnorm u <= 1 -> allowed pick t ->
  exists k, dot (shared_value X t k) u <= Gamma - nu * X.

Lemma proved_halves pick (from middle to : R) : proved pick from middle -> proved pick middle to -> proved pick from to.
Proof.
by move=> low high X u t [h1 h2]; case: (Rle_lt_dec X middle) => h; [apply: low | apply: high]; lra.
Qed.

Definition picking pick (k : G) (s : nat) : G -> option nat := fun j => if j == k then Some s else pick j.

Lemma proved_opened pick k from to : (forall s, (s < count k)%nat -> proved (picking pick k s) from to) ->
  pick k = None -> proved pick from to.
Proof.
move=> parts none X u t h u1 ok; apply: (parts (t k)) => // [|j]; first by have [] := ok k.
by have [tl at_j] := ok j; split=> //; rewrite /picking; case: eqP => [-> |].
Qed.

(* ---- Lemma 3 ---- *)

(* A mean of vectors is no longer than the mean of their squares. *)
Lemma mean_norm2 mu (x : G -> vec J) : (forall k, 0 <= mu k) -> \sum_k mu k = 1 ->
  vnorm2 (combine predT mu x) <= \sum_k mu k * vnorm2 (x k).
Proof.
move=> mu0 mu1; set m := combine predT mu x.
have : 0 <= \sum_k mu k * vnorm2 (x k - m)%V.
  by apply: sum_ge0 => k _; apply: Rmult_le_pos => //; exact: vnorm2_ge0.
have -> : \sum_k mu k * vnorm2 (x k - m)%V =
          \sum_k mu k * vnorm2 (x k) - 2 * (\sum_k mu k * dot (x k) m) + (\sum_k mu k) * vnorm2 m.
  by rewrite sum_mull sum_mulr -sumB -sumD; apply: eq_bigr => k _; rewrite vnorm2B; ring.
by rewrite mu1 -(dot_combinel predT mu x m) -/m -/(vnorm2 m); lra.
Qed.

Section Leaf.
Variables (pick : G -> option nat) (mu : G -> R) (c : G -> nat) (from to rest : R) (first last : G -> R).
Hypotheses (mu0 : forall k, 0 <= mu k) (mu1 : \sum_k mu k = 1).
Let A : vec J := combine predT mu kappa.
Let B : vec J := combine predT mu (fun k => delta k (c k)).
Notation d k s := (delta k (c k) - delta k s)%V.

Definition gain X (k : G) (s : nat) : R := 2 * dot A (d k s) + X * (vnorm2 (d k s) - 2 * dot B (d k s)).

Hypotheses (range : 0 <= from <= to) (Gamma_gt0 : 0 < Gamma).
Hypothesis gains_bounded : forall k s, (s < count k)%nat -> (if pick k is Some s' then s = s' else True) ->
  gain from k s <= first k /\ gain to k s <= last k.

Definition least_gain : R :=   (* E *)
  Rmin (2 * dot A B - from * vnorm2 B - \sum_k mu k * first k) (2 * dot A B - to * vnorm2 B - \sum_k mu k * last k).
Hypothesis rest_le : forall X, from <= X <= to -> X * rest <= Gamma * Gamma - vnorm2 A.
Hypothesis rest_le0 : rest <= 0.
Hypothesis enough : nu * (Gamma + sqrt (Rmax (vnorm2 A - from * least_gain) 0)) <= least_gain + rest.

Lemma chosen_norm2 X t : from <= X <= to -> allowed pick t ->
  vnorm2 (combine predT mu (shared_value X t)) <= vnorm2 A - X * least_gain.
Proof.
move=> rX ok; pose D := combine predT mu (fun k => d k (t k)).
have -> : combine predT mu (shared_value X t) = (A - X * B + X * D)%V.
  apply: vec_ext => j; rewrite /A /B /D /shared_value /combine /vadd /vsub /vscale !sum_mull -sumB -sumD.
  by apply: eq_bigr => k _; ring.
have jensen : vnorm2 D <= \sum_k mu k * vnorm2 (d k (t k)) by exact: mean_norm2.
pose value Z := 2 * dot A B - Z * vnorm2 B - \sum_k mu k * gain Z k (t k).
have valueE Z : value Z = 2 * dot A B - 2 * dot A D -
    Z * (vnorm2 B - 2 * dot B D + \sum_k mu k * vnorm2 (d k (t k))).
  have -> : dot A D = \sum_k mu k * dot A (d k (t k)) by exact: dot_combiner.
  have -> : dot B D = \sum_k mu k * dot B (d k (t k)) by exact: dot_combiner.
  rewrite /value /gain.
  have -> : \sum_k mu k * (2 * dot A (d k (t k)) + Z * (vnorm2 (d k (t k)) - 2 * dot B (d k (t k)))) =
      2 * (\sum_k mu k * dot A (d k (t k))) - 2 * Z * (\sum_k mu k * dot B (d k (t k))) +
      Z * (\sum_k mu k * vnorm2 (d k (t k))).
    by rewrite !sum_mull -sumB -sumD; apply: eq_bigr => k _; ring.
  ring.
have ends : value from >= least_gain /\ value to >= least_gain.
  have at_end Z (F : G -> R) : (forall k, gain Z k (t k) <= F k) ->
      2 * dot A B - Z * vnorm2 B - \sum_k mu k * F k <= value Z.
    move=> H; have : \sum_k mu k * gain Z k (t k) <= \sum_k mu k * F k.
      by apply: sum_le => k _; apply: Rmult_le_compat_l.
    by rewrite /value; lra.
  have bounded k : gain from k (t k) <= first k /\ gain to k (t k) <= last k.
    by have [tl at_k] := ok k; apply: gains_bounded.
  split; apply: Rle_ge; rewrite /least_gain.
    by apply: Rle_trans (Rmin_l _ _) _; apply: at_end => k; have [] := bounded k.
  by apply: Rle_trans (Rmin_r _ _) _; apply: at_end => k; have [] := bounded k.
have between : least_gain <= value X.
  move: ends; rewrite !valueE; set s := vnorm2 B - _ + _; set a := 2 * dot A B - _ => -[h1 h2].
  by case: (Rle_lt_dec 0 s) => h; nra.
rewrite vnorm2D vnorm2B vnorm2Z vnorm2Z dotZr dotZr dotBl dotZl.
have X0 : 0 <= X by lra.
have := Rmult_le_compat_l _ _ _ X0 between; rewrite valueE.
have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ X0 X0) jensen.
by nra.
Qed.

Theorem proved_leaf : proved pick from to.
Proof.
move=> X u t rX u1 ok; set b2 := vnorm2 A - X * least_gain.
have X0 : 0 <= X by lra.
have small := chosen_norm2 rX ok; rewrite -/b2 in small.
have b0 : 0 <= b2 by apply: Rle_trans small; exact: vnorm2_ge0.
have total := enough; set r := sqrt (Rmax (vnorm2 A - from * least_gain) 0) in total.
have r0 : 0 <= r := sqrt_pos _; have rr : 0 < Gamma + r by lra.
have gain0 : 0 < least_gain by have := Rmult_lt_0_compat _ _ nu_gt0 rr; lra.
have sb : sqrt b2 <= r.
  apply: sqrt_le_1_alt; apply: Rle_trans (Rmax_l _ _); rewrite /b2.
  by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ gain0) (proj1 rX); lra.
have [sb0 sq] := (sqrt_pos b2, sqrt_sqrt _ b0).
have bound : sqrt b2 <= Gamma - nu * X.
  have far := rest_le rX; have grown := Rmult_le_compat_l _ _ _ X0 total.
  have : nu * X * (Gamma + sqrt b2) <= (Gamma - sqrt b2) * (Gamma + sqrt b2).
    have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ (Rlt_le _ _ nu_gt0) X0) sb; rewrite /b2 in sq *; nra.
  by move/Rmult_le_reg_r => /(_ (ltac:(lra))); lra.
apply: (below_mean (F := fun k => dot (shared_value X t k) u) mu0 mu1).
rewrite -(dot_combinel predT mu (shared_value X t) u); apply: Rle_trans bound.
apply: Rle_trans (dot_le_norms _ _) _; rewrite -[sqrt b2]Rmult_1_r.
apply: Rmult_le_compat => //; try exact: vnorm_ge0.
exact: sqrt_le_1_alt.
Qed.
End Leaf.

(* ---- the cover ---- *)

Definition chosen_at (j : G) (s : nat) : G -> option nat := picking (fun=> None) j s.

Hypothesis roots : forall j s, (s < count j)%nat -> s <> best j -> proved (chosen_at j s) 0 1.
Hypothesis hard_margin : forall u, vnorm u <= 1 -> exists k, dot (kappa k) u <= Gamma.

(* Shares of the tokens of each group. *)
Variable share : G -> nat -> R.
Hypotheses (share_ge0 : forall k s, (s < count k)%nat -> 0 <= share k s).
Hypothesis share_sum : forall k, \sum_(s < count k) share k s = 1.
Notation lost k := (1 - share k (best k)).

Definition mixture (k : G) : vec J :=
  (kappa k - combine predT (fun s : 'I_(count k) => share k s) (fun s => delta k s))%V.

Lemma lost_sum k (F : nat -> R) : F (best k) = 0 ->
  \sum_(s < count k) share k s * F s = \sum_(s < count k | (s : nat) != best k) share k s * F s.
Proof.
move=> F0; rewrite (bigD1 (Ordinal (best_lt k))) //= F0 Rmult_0_r Rplus_0_l.
by apply: eq_bigl => s.
Qed.

Lemma lost_shares k : \sum_(s < count k | (s : nat) != best k) share k s = lost k.
Proof.
have := share_sum k; rewrite (bigD1 (Ordinal (best_lt k))) //=.
by rewrite (eq_bigl (fun s : 'I_(count k) => (s : nat) != best k)) //; lra.
Qed.

(* No worse than the least of the other tokens, with all that is lost. *)
Lemma mixture_le k u x : (forall s, (s < count k)%nat -> s <> best k -> x <= dot (delta k s) u) ->
  dot (mixture k) u <= dot (kappa k) u - lost k * x.
Proof.
move=> least; rewrite dotBl dot_combinel (lost_sum (F := fun s => dot (delta k s) u)); last by rewrite best_own dot0l.
suff : lost k * x <= \sum_(s < count k | (s : nat) != best k) share k s * dot (delta k s) u by lra.
rewrite -lost_shares sum_mulr; apply: sum_le => s /eqP sb.
by apply: Rmult_le_compat_l; [exact: share_ge0 | exact: least].
Qed.

Theorem label_margins u : vnorm u <= 1 -> exists k, forall j, dot (mixture k) u <= Gamma - nu * lost j.
Proof.
move=> u1; have [k0 hard] := hard_margin u1.
have [j _ most] := finite_least (P := predT) (fun k => - lost k) (erefl : predT k0).
suff [k H] : exists k, dot (mixture k) u <= Gamma - nu * lost j.
  exists k => i; apply: Rle_trans H _.
  by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ nu_gt0) (most i isT); lra.
have lost_ge0 k : 0 <= lost k.
  by rewrite -lost_shares; apply: sum_ge0 => s _; exact: share_ge0.
case: (lost_ge0 j) => [some | none]; last first.
  exists k0; rewrite -none Rmult_0_r Rminus_0_r; apply: Rle_trans hard.
  have l0 : lost k0 = 0 by have := lost_ge0 k0; have := most k0 isT; lra.
  suff -> : mixture k0 = kappa k0 by right.
  have gone (s : 'I_(count k0)) : (s : nat) <> best k0 -> share k0 s = 0.
    move/eqP => sb; have z := lost_shares k0; rewrite l0 in z.
    by apply: (sum_eq0 (F := fun s : 'I_(count k0) => share k0 s) _ z sb) => r _; exact: share_ge0.
  apply: vec_ext => i; rewrite /mixture /vsub /combine sum0 ?Rminus_0_r // => s _.
  case: (eqVneq (s : nat) (best k0)) => [-> | /eqP/gone ->]; last by ring.
  by rewrite best_own /vzero; ring.
have one_left k : lost k <= 1 by have := share_ge0 (best_lt k); lra.
have worst k : exists s, [/\ (s < count k)%nat, k = j -> s <> best k &
    forall r, (r < count k)%nat -> (k = j -> r <> best k) -> dot (delta k s) u <= dot (delta k r) u].
  pose P (s : 'I_(count k)) := (k != j) || ((s : nat) != best k).
  have [s0 Ps0] : exists s, P s.
    case: (pickP P) => [s Ps | none]; first by exists s.
    have kj : k = j by apply/eqP/negbFE; have := none (Ordinal (best_lt k)); rewrite /P; case: (k != j).
    move: some; rewrite -kj -lost_shares big_pred0 => [|s]; first lra.
    by have := none s; rewrite /P; case: (k != j).
  have [s Ps least] := finite_least (fun s : 'I_(count k) => dot (delta k s) u) Ps0.
  exists s; split=> // [kj | r rl other]; first by move: Ps; rewrite /P (introT eqP kj) => /eqP.
  apply: (least (Ordinal rl)); rewrite /P /=; case: (eqVneq k j) => //= kj; exact/eqP/other.
have [t at_t] := fin_all_exists worst.
have [tl other _] := at_t j.
have [||k Hk] := roots tl (other erefl) (X := lost j) (u := u) (t := t) _ u1.
- by move: (one_left j); lra.
- by move=> k; rewrite /chosen_at /picking; have [] := at_t k; case: eqP => [-> | ].
exists k; apply: Rle_trans Hk; rewrite /shared_value dotBl dotZl; have [_ other_k least] := at_t k.
case: (eqVneq k j) => [kj | kj].
  rewrite -kj; apply: mixture_le => s sl sb; exact: least.
have below : dot (delta k (t k)) u <= 0.
  have := least (best k) (best_lt k); rewrite best_own dot0l; apply=> E.
  by rewrite E eqxx in kj.
apply: (Rle_trans _ (dot (kappa k) u - lost k * dot (delta k (t k)) u)).
  by apply: mixture_le => s sl sb; apply: least => // E; rewrite E eqxx in kj.
by have := most k isT; nra.
Qed.
End LabelMargins.
