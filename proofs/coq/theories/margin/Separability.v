(* Separability: what shows how far a selection is from being separable, or that it is not (theory.md T19).

   (a) a bound of the margin from any non-negative combination; (b) infeasibility from a combination that is small
   beside the least eigenvalue of a spanning set of rows; (c), (d) conflicts inside groups, and how many groups must
   be left out at least. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Duality MarginProblem Enclosure Rank Claims.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- T19(a): nothing short separates ---- *)

Section MarginAtMost.
Variables (J I : finType) (P : pred I) (D : I -> vec J).

Theorem margin_at_most (lam : I -> R) (bound : R) w : rows_hold P D (fun=> 1) w ->
  (forall c, P c -> 0 <= lam c) -> 0 < \sum_(c | P c) lam c -> 0 <= bound ->
  vnorm2 (combine P lam D) <= bound * bound * ((\sum_(c | P c) lam c) * (\sum_(c | P c) lam c)) ->
  1 <= bound * vnorm w.
Proof.
set s := \sum_(c | P c) lam c => Hw l0 s0 b0 short.
have dual : s <= dot (combine P lam D) w.
  apply: Rle_trans (dual_le_dot Hw l0); right.
  by apply: eq_bigr => c _; ring.
have n : vnorm (combine P lam D) <= bound * s.
  by apply: vnorm_le_sqr; [apply: Rmult_le_pos => //; lra | move: short; nra].
have w0 := vnorm_ge0 w; have := dot_le_norms (combine P lam D) w; have := Rmult_le_compat_r _ _ _ w0 n => H1 H2.
by apply: (Rmult_le_reg_l s) => //; nra.
Qed.
End MarginAtMost.

(* ---- T19(b): as good as a vanishing combination ---- *)

(* The rows D_c, c in A, are combinations of s vectors. *)
Definition span_within (J I : finType) (A : pred I) (s : nat) (D : I -> vec J) : Prop :=
  exists (K : finType) (coef : I -> K -> R) (b : K -> vec J),
    #|K| = s /\ forall c, A c -> D c = combine predT (coef c) b.

Section Spanning.
Variables (J I : finType).
Implicit Types (A B : pred I) (D : I -> vec J).

Lemma within_dimension A D : span_within A #|J| D.
Proof.
exists J, D, (fun j i => if i == j then 1 else 0); split=> // c _; apply: vec_ext => i.
rewrite /combine (bigD1 i) //= eqxx sum0 => [|j ji]; first by ring.
by rewrite eq_sym (negbTE ji); ring.
Qed.

(* Each of them is one of some vectors. *)
Lemma within_values A D (K : finType) (b : K -> vec J) : (forall c, A c -> exists k, D c = b k) ->
  span_within A #|K| D.
Proof.
move=> H; exists K, (fun c k => if [pick l | [forall j, Req_EM_T (D c j) (b l j) : bool]] == Some k then 1 else 0), b.
split=> // c Ac; case: pickP => [l /forallP Hl | none].
  have -> : D c = b l by apply: vec_ext => j; have := Hl j; case: Req_EM_T.
  apply: vec_ext => i; rewrite /combine (bigD1 l) //= eqxx sum0 => [|k kl]; first by ring.
  have -> : (Some l == Some k) = false by apply/eqP => -[E]; rewrite E eqxx in kl.
  by ring.
by have [k E] := H c Ac; have /forallP[] := none k => j; rewrite E; case: Req_EM_T.
Qed.

Lemma within_themselves A D : span_within A #|A| D.
Proof.
have <- : #|[finType of {c | A c}]| = #|A| by rewrite card_sig.
by apply: (@within_values A D _ (fun c : {c | A c} => D (val c))) => c Ac; exists (exist _ c Ac).
Qed.

Lemma within_least A D r s : span_within A r D -> span_within A s D -> span_within A (minn r s) D.
Proof. by rewrite /minn; case: ifP. Qed.

(* Products of rows: the dimension is at most the product. *)
Lemma within_outer (L M : finType) A r s (x : I -> vec L) (z : I -> vec M) : span_within A r x -> span_within A s z ->
  span_within A (r * s) (fun c => outer (x c) (z c)).
Proof.
move=> [K [f [b [Kr Hx]]]] [K' [f' [b' [Ks Hz]]]].
exists [finType of K * K'], (fun c k => f c k.1 * f' c k.2), (fun k => outer (b k.1) (b' k.2)).
split=> [|c Ac]; first by rewrite card_prod Kr Ks.
apply: vec_ext => -[i j]; rewrite /outer /= Hx // Hz // /combine sum_mulr.
rewrite -(pair_bigA _ (fun k l => f c k * f' c l * (b k i * b' l j))) /=; apply: eq_bigr => k _.
by rewrite sum_mull; apply: eq_bigr => l _; ring.
Qed.

(* Independent rows, as many as the dimension of the span of A: every combination of A is one of them. *)
Theorem spanning_rows A B D s S (lam : I -> R) : span_within A s D -> (forall c, B c -> A c) ->
  0 < S -> gram_at_least B D S -> (s <= #|B|)%nat -> exists y : I -> R, combine B y D = combine A lam D.
Proof.
move=> [K [coef [b [<- span]]]] BA S0 gram many.
have coordinates (C : pred I) mu : (forall c, C c -> A c) ->
    combine C mu D = combine predT (fun k => \sum_(c | C c) mu c * coef c k) b.
  move=> CA; apply: vec_ext => j; rewrite /combine.
  under [RHS]eq_bigr do rewrite sum_mulr.
  rewrite exchange_big; apply: eq_bigr => c Cc; rewrite span ?CA // /combine sum_mull.
  by apply: eq_bigr => k _; ring.
pose rho k := \sum_(c | A c) lam c * coef c k.
pose coordinate (o : option I) (k : K) := if o is Some c then coef c k else rho k.
pose rows (i : nat) (o : option I) := if insub i is Some l then coordinate o (enum_val (l : 'I_#|K|)) else 0.
pose unknowns : seq (option I) := None :: map Some (enum B).
have uniq_u : uniq unknowns.
  rewrite /= map_inj_uniq ?enum_uniq ?andbT; last by move=> c d [].
  by apply/negP => /mapP[].
have size_u : (#|K| < size unknowns)%nat by rewrite /= size_map -cardE ltnS.
have [x [[o0 o0u xo0] Hx]] := homogeneous_solution rows uniq_u size_u.
pose x' c := x (Some c).
have zero k : \sum_(c | B c) x' c * coef c k = - x None * rho k.
  have := Hx (enum_rank k) (ltn_ord _); rewrite -big_uniq // big_cons big_map big_enum /rows valK enum_rankK /=.
  move=> E; have -> : \sum_(c | B c) x' c * coef c k = \sum_(c in B) coef c k * x (Some c) by apply: eq_bigr => c _;
    rewrite /x'; ring.
  by rewrite -[LHS]/(\sum_(c in B) coef c k * x (Some c)); lra.
have comb : combine B x' D = (- x None * combine A lam D)%V.
  rewrite !coordinates // -combine_scale; apply: combine_eq => // k _; exact: zero.
have xN : x None <> 0.
  move=> xN; have := gram x'; rewrite comb xN (_ : (- 0 * _)%V = vzero) ?vnorm20; last by vec_ring.
  have sq0 : 0 <= \sum_(c | B c) x' c * x' c by apply: sum_ge0 => c _; apply: Rle_0_sqr.
  move=> H; have sq : \sum_(c | B c) x' c * x' c = 0 by case: sq0 => // sq0; have := Rmult_lt_0_compat _ _ S0 sq0;
    lra.
  case: o0 o0u xo0 => [c | _ //]; rewrite inE /= => /mapP[c']; rewrite mem_enum => Bc [->] xc; apply: xc.
  apply: Rsqr_0_uniq; exact: (sum_eq0 (F := fun c => x' c * x' c) (fun c _ => Rle_0_sqr (x' c)) sq Bc).
exists (fun c => - / x None * x' c); rewrite combine_scale comb; apply: vec_ext => j; rewrite /vscale.
by field.
Qed.

(* r = sum_A lam_c D_c with ||r||^2 < S lam_c^2 for c in B: shifting lam on B by less than lam makes it vanish. *)
Theorem spanning_infeasible (P : pred I) A B D s S (lam : I -> R) : (forall c, A c -> P c) -> (forall c, B c ->
  A c) ->
  (forall c, A c -> 0 < lam c) -> (exists c, A c) ->
  span_within A s D -> 0 < S -> gram_at_least B D S -> (s <= #|B|)%nat ->
  (forall c, B c -> vnorm2 (combine A lam D) < S * (lam c * lam c)) -> ~ exists w, rows_hold P D (fun=> 1) w.
Proof.
move=> AP BA lam0 [c0 Ac0] span S0 gram many small [w Hw].
have [y Ey] := spanning_rows lam span BA S0 gram many.
have y_lt c : B c -> y c < lam c.
  move=> Bc; have := gram y; rewrite Ey => low; have := small c Bc => up.
  have := sum_term_le (F := fun c => y c * y c) (fun c _ => Rle_0_sqr (y c)) Bc => term.
  have l0 := lam0 c (BA c Bc); have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ S0) term => H.
  have : y c * y c < lam c * lam c by apply: (Rmult_lt_reg_l S) => //; lra.
  by nra.
pose mu c := lam c - (if B c then y c else 0).
have mu0 c : A c -> 0 < mu c.
  by move=> Ac; rewrite /mu; case Bc: (B c); [have := y_lt c Bc | have := lam0 c Ac]; lra.
apply: (@farkas_infeasible _ _ A D (fun=> 1) mu); last by exists w => c /AP; apply: Hw.
- by move=> c /mu0; lra.
- rewrite /mu combine_sub -Ey; apply: vec_ext => j; rewrite /vsub /vzero /combine.
  have -> : \sum_(c | A c) (if B c then y c else 0) * D c j = \sum_(c | B c) y c * D c j.
    rewrite [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => c _.
    by case Bc: (B c); [rewrite BA | case: (A c); rewrite ?Rmult_0_l].
  by ring.
by apply: (sum_gt0 (F := fun c => mu c * 1) (i := c0)) => // [c /mu0|]; [lra | have := mu0 c0 Ac0; lra].
Qed.
End Spanning.

(* ---- T19(c), (d): groups that are left out ---- *)

Section Groups.
Variables (p : selection_problem) (alpha : selection p).
Implicit Types (w : vec (coord p)) (t : token p) (x : token p -> R) (kept out : pred (group p)).

Let Delta := @Delta p alpha.
Let constraint := @constraint p alpha.
Let margin := @margin p alpha.

(* All margins in the groups that are kept are at least 1. *)
Definition separates_in kept w : Prop := forall t, constraint t -> kept (group_of t) -> 1 <= margin w t.
Definition separable_in kept : Prop := exists w, separates_in kept w.

(* Whichever fewer than k groups are left out, the others are not separable. *)
Definition must_leave_out (k : nat) : Prop :=
  forall out, (#|out| < k)%nat -> ~ separable_in (fun i => ~~ out i).

(* No matrix has margins >= 1 in all of these groups. *)
Definition contradictory (groups : pred (group p)) : Prop := forall kept, (forall i, groups i -> kept i) ->
  ~ separable_in kept.

(* T19(c): the groups of a vanishing combination are. *)
Theorem conflict_contradictory x : (forall t, constraint t -> 0 <= x t) -> (exists t, constraint t /\ 0 < x t) ->
  W alpha x = vzero -> contradictory (fun i => [exists t, [&& constraint t,
    ~~ Req_EM_T (x t) 0 : bool & group_of t == i]]).
Proof.
move=> x0 [t0 [ct0 xt0]] Wx kept inside [w Hw].
have term t : constraint t -> x t <= x t * margin w t.
  move=> ct; case: (Req_EM_T (x t) 0) => [-> | ne]; first by lra.
  have kt : kept (group_of t) by apply: inside; apply/existsP; exists t; rewrite ct eqxx andbT; case: Req_EM_T.
  by have := Hw t ct kt; have := x0 t ct; nra.
have : \sum_(t | constraint t) x t <= dot (W alpha x) w.
  by rewrite /W dot_combinel; apply: sum_le => t ct; exact: term.
rewrite Wx dot0l => le0.
by have := sum_gt0 (F := x) x0 ct0 xt0; lra.
Qed.

(* T19(d): k contradictory sets of groups that share none. *)
Theorem disjoint_conflicts (k : nat) (groups : 'I_k -> pred (group p)) : (forall i, contradictory (groups i)) ->
  (forall i j g, groups i g -> groups j g -> i = j) -> must_leave_out k.
Proof.
move=> conflicts disjoint out few sep.
have chosen i : exists g, groups i g && out g.
  case: (pickP (fun g => groups i g && out g)) => [g Hg | none]; first by exists g.
  by case: (conflicts i _ _ sep) => g ig; have := none g; rewrite ig /= => ->.
have inj : injective (fun i => xchoose (chosen i)).
  move=> i j E; have /andP[gi _] := xchooseP (chosen i); have /andP[gj _] := xchooseP (chosen j).
  by apply: disjoint gi _; rewrite E.
suff : (k <= #|out|)%nat by rewrite leqNgt few.
rewrite -[k]card_ord -(card_codom inj); apply: subset_leq_card; apply/subsetP => g /codomP[i ->].
by have /andP[] := xchooseP (chosen i).
Qed.

Lemma separable_all : separable_in predT <-> feasible alpha.
Proof. by split=> -[w H]; exists w => t ct; [exact: H | move=> _; exact: H]. Qed.
End Groups.
