(* Farkas: the theorem of the alternative for finitely many linear inequalities, and what it gives for margin problems:
   the converse of T4 (an infeasible problem has a Farkas vector) and the existence of multipliers at the minimiser, so
   that T2's conditions are also necessary. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz Classical.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Duality MarginProblem.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Farkas.
Variables (J I : finType).
Implicit Types (x b : vec J) (lam : I -> R).

(* If every x with <a_c, x> <= 0 for the rows c of s has <b, x> <= 0, then b is a non-negative combination of the rows.
   Induction on the rows: a row that can be dropped gets weight 0; otherwise some x0 satisfies the other rows and has
   <b, x0> > 0 < <a_c, x0>, and the induction hypothesis applies to the rows projected along x0. *)
Lemma farkas_seq (s : seq I) : uniq s -> forall (a : I -> vec J) b,
  (forall x, (forall c, c \in s -> dot (a c) x <= 0) -> dot b x <= 0) ->
  exists lam, (forall c, 0 <= lam c) /\ b = combine (mem s) lam a.
Proof.
elim: s => [|e s IH] /= uniq_s a b Hb.
  exists (fun=> 0); split=> [c|]; first lra.
  have /vnorm2_eq0 -> : vnorm2 b = 0.
    by apply: Rle_antisym; [apply: Hb | apply: vnorm2_ge0].
  by apply: vec_ext => j; rewrite /combine sum0 // => c _; ring.
case/andP: uniq_s => es uniq_s.
have split_e (lam : I -> R) (x : I -> vec J) :
    combine (mem (e :: s)) lam x = (lam e * x e + combine (mem s) lam x)%V.
  apply: vec_ext => j; rewrite /combine /vadd /vscale (bigD1 e) /=; last by rewrite inE eqxx.
  congr (_ + _); apply: eq_bigl => c; rewrite !inE.
  by case: (altP (c =P e)) => [-> | _] /=; rewrite ?andbT //; apply/esym/negbTE.
case: (classic (forall x, (forall c, c \in s -> dot (a c) x <= 0) -> dot b x <= 0)) => [drop | keep].
  have [lam [l0 E]] := IH uniq_s a b drop.
  exists (fun c => if c == e then 0 else lam c); split=> [c|]; first by case: eqP => _; [lra | apply: l0].
  rewrite split_e eqxx E; apply: vec_ext => j; rewrite /vadd /vscale Rmult_0_l Rplus_0_l.
  by apply: eq_bigr => c cs; case: eqP => // ce; move: es; rewrite -ce (_ : c \in s).
have [x0 x0P] := not_all_ex_not _ _ keep.
have [x0s /Rnot_le_lt bx0] := imply_to_and _ _ x0P.
have ex0 : 0 < dot (a e) x0.
  apply: Rnot_le_lt => ex0; have : dot b x0 <= 0.
    by apply: Hb => c; rewrite inE => /orP[/eqP -> // | /x0s].
  lra.
pose k := / dot (a e) x0; have k0 : 0 < k by apply: Rinv_0_lt_compat.
have ke : k * dot (a e) x0 = 1 by apply: Rinv_l; lra.
pose a' c := (a c - (k * dot (a c) x0) * a e)%V; pose b' := (b - (k * dot b x0) * a e)%V.
have [lam [l0 E]] : exists lam, (forall c, 0 <= lam c) /\ b' = combine (mem s) lam a'.
  apply: IH => // x Hx; pose y := (x - (k * dot (a e) x) * x0)%V.
  have val v : dot (v - (k * dot v x0) * a e)%V x = dot v y.
    by rewrite dotBl dotZl /y dotBr dotZr; ring.
  rewrite val; apply: Hb => c; rewrite inE => /orP[/eqP -> | cs].
    rewrite /y dotBr dotZr; right.
    by transitivity (dot (a e) x * (1 - k * dot (a e) x0)); [ring | rewrite ke; ring].
  by rewrite -val; apply: Hx.
pose mu c := if c == e then k * dot b x0 - \sum_(d in s) lam d * (k * dot (a d) x0) else lam c.
exists mu; split=> [c|].
  rewrite /mu; case: eqP => // _.
  have : \sum_(d in s) lam d * (k * dot (a d) x0) <= 0.
    apply: sum_le0 => d ds; have := Rmult_le_pos _ _ (l0 d) (Rlt_le _ _ k0); have := x0s d ds; nra.
  by have := Rmult_lt_0_compat _ _ k0 bx0; lra.
have Eb : b = (b' + (k * dot b x0) * a e)%V by rewrite /b'; vec_ring.
have mu_lam : combine (mem s) mu a = combine (mem s) lam a.
  by apply: combine_eq => // c cs; rewrite /mu; case: (altP (c =P e)) => // ce; move: es; rewrite -ce (_ : c \in s).
rewrite split_e mu_lam Eb E /mu eqxx; apply: vec_ext => j; rewrite /vadd /vscale /combine.
have -> : \sum_(c | mem s c) lam c * a' c j =
          \sum_(c | mem s c) lam c * a c j - (\sum_(d in s) lam d * (k * dot (a d) x0)) * a e j.
  rewrite sum_mulr -sumB; apply: eq_bigr => c _; rewrite /a' /vsub /vscale; ring.
ring.
Qed.

Theorem farkas (P : pred I) (a : I -> vec J) b :
  (forall x, (forall c, P c -> dot (a c) x <= 0) -> dot b x <= 0) ->
  exists lam, (forall c, 0 <= lam c) /\ b = combine P lam a.
Proof.
move=> H; have [||lam [l0 ->]] := @farkas_seq (enum P) _ a b.
- exact: enum_uniq.
- by move=> x Hx; apply: H => c Pc; apply: Hx; rewrite mem_enum.
exists lam; split=> //; apply: vec_ext => j; apply: eq_bigl => c; exact: mem_enum.
Qed.
End Farkas.

(* ---- margin problems ---- *)

(* A common positive step for finitely many positive slacks. *)
Lemma common_step (I : finType) (P : pred I) (slack slope : I -> R) : (forall c, P c -> 0 < slack c) ->
  exists s, 0 < s /\ forall c, P c -> s * Rabs (slope c) <= slack c.
Proof.
move=> pos.
have [s [s0 Hs]] : exists s, 0 < s /\ forall c, c \in enum P -> s * Rabs (slope c) <= slack c.
  have : forall c, c \in enum P -> 0 < slack c by move=> c; rewrite mem_enum; apply: pos.
  elim: (enum P) => [|e r IH] Hr; first by exists 1; split=> //; lra.
  have [|s [s0 Hs]] := IH; first by move=> c cr; apply: Hr; rewrite inE cr orbT.
  have e0 : 0 < slack e by apply: Hr; rewrite inE eqxx.
  have g0 := Rabs_pos (slope e).
  have q0 : 0 < slack e / (1 + Rabs (slope e)) by apply: Rdiv_lt_0_compat; lra.
  exists (Rmin s (slack e / (1 + Rabs (slope e)))); split=> [|c]; first by apply: Rmin_pos.
  rewrite inE => /orP[/eqP -> | /Hs H].
    apply: Rle_trans (Rmult_le_compat_r _ _ _ g0 (Rmin_r _ _)) _.
    apply: (Rmult_le_reg_r (1 + Rabs (slope e))); first lra.
    have -> : slack e / (1 + Rabs (slope e)) * Rabs (slope e) * (1 + Rabs (slope e)) = slack e * Rabs (slope e).
      by field; lra.
    nra.
  by apply: Rle_trans H; apply: Rmult_le_compat_r; [apply: Rabs_pos | apply: Rmin_l].
by exists s; split=> // c Pc; apply: Hs; rewrite mem_enum.
Qed.

Section Alternatives.
Variables (J I : finType) (P : pred I) (D : I -> vec J).

(* T4, converse (Gordan): if no w has <D_c, w> >= 1 for all rows, zero is a convex combination of the rows. The proof
   homogenises: (w, s) with <D_c, w> >= s for all rows has s <= 0. *)
Theorem infeasible_farkas : (~ exists w, rows_hold P D (fun=> 1) w) ->
  exists lam : I -> R, [/\ forall c, 0 <= lam c, \sum_(c | P c) lam c = 1 & combine P lam D = vzero].
Proof.
move=> infeasible.
pose a c : vec [finType of J + unit] := fun o => if o is inl j then - D c j else 1.
pose b : vec [finType of J + unit] := fun o => if o is inl j then 0 else 1.
have split_dot (x y : vec [finType of J + unit]) :
    dot x y = \sum_j x (inl j) * y (inl j) + x (inr tt) * y (inr tt).
  by rewrite /dot big_sumType /=; congr (_ + _); rewrite (big_pred1 tt) // => -[].
have [x Hx | lam [l0 E]] := farkas (P := P) (a := a) (b := b) _.
  rewrite split_dot /b sum0 => [|j _]; last by ring.
  rewrite Rplus_0_l Rmult_1_l; apply: Rnot_lt_le => s0; apply: infeasible.
  exists (/ x (inr tt) * (fun j => x (inl j)))%V => c Pc.
  have := Hx c Pc; rewrite split_dot /a dotZr.
  have -> : \sum_j - D c j * x (inl j) = - dot (D c) (fun j => x (inl j)).
    by rewrite /dot -sumN; apply: eq_bigr => j _; ring.
  move=> H; apply: (Rmult_le_reg_l _ _ _ s0).
  rewrite -Rmult_assoc Rinv_r; lra.
exists lam; split=> //.
  have := f_equal (fun v : vec [finType of J + unit] => v (inr tt)) E.
  by rewrite /b /combine /a => ->; apply: eq_bigr => c _; ring.
apply: vec_ext => j; have := f_equal (fun v : vec [finType of J + unit] => v (inl j)) E.
rewrite /b /combine /a /vzero => Ej.
have : \sum_(c | P c) lam c * D c j = - \sum_(c | P c) lam c * - D c j.
  by rewrite -sumN; apply: eq_bigr => c _; ring.
by rewrite -Ej; lra.
Qed.

(* T4: the problem is infeasible exactly when zero is a convex combination of the rows. *)
Theorem gordan : (~ exists w, rows_hold P D (fun=> 1) w) <->
  exists lam : I -> R, [/\ forall c, P c -> 0 <= lam c, \sum_(c | P c) lam c = 1 & combine P lam D = vzero].
Proof.
split=> [/infeasible_farkas [lam [l0 l1 lz]] | [lam [l0 l1 lz]]]; first by exists lam; split.
apply: (farkas_infeasible (lam := lam)) => //.
rewrite (eq_bigr lam) => [|c _]; last by ring.
by rewrite l1; lra.
Qed.

(* Multipliers exist: T2's conditions are necessary. *)
Theorem minimiser_multipliers (h : I -> R) w : minimiser P D h w ->
  exists lam : I -> R, [/\ forall c, 0 <= lam c, w = combine P lam D &
                        forall c, P c -> lam c * (dot (D c) w - h c) = 0].
Proof.
move=> Mw; have Hw := proj1 Mw.
pose tight c := P c && Req_EM_T (dot (D c) w) (h c).
pose loose c := P c && ~~ Req_EM_T (dot (D c) w) (h c).
have tightP c : tight c -> dot (D c) w = h c by case/andP=> _; case: Req_EM_T.
have [x Hx | lam [l0 E]] := farkas (P := tight) (a := fun c => (- D c)%V) (b := (- w)%V) _.
  rewrite dotNl; suff : 0 <= dot w x by lra.
  have [c | s [s0 Hs]] := @common_step I loose (fun c => dot (D c) w - h c) (fun c => dot (D c) x) _.
    by case/andP=> Pc; have := Hw c Pc; case: Req_EM_T => //= ne [] //; lra.
  have hold : rows_hold P D h (w + s * x)%V.
    move=> c Pc; rewrite dotDr dotZr; case T: (tight c).
      by have := Hx c T; rewrite dotNl (tightP c T) => H; nra.
    have L : loose c by move: T; rewrite /tight /loose Pc /= => ->.
    by have := Hs c L; have := Rabs_maj2 (dot (D c) x); nra.
  by have := variational Mw hold; rewrite dotDr dotZr -/(vnorm2 w); nra.
exists (fun c => if tight c then lam c else 0); split=> [c | | c Pc].
- by case: ifP => _; [apply: l0 | lra].
- have -> : w = (- - w)%V by vec_ring.
  rewrite E; apply: vec_ext => j; rewrite /combine /vopp -sumN /tight big_mkcondr /=.
  by apply: eq_bigr => c Pc; rewrite Pc /=; case: Req_EM_T => _ /=; ring.
- case T: (tight c); last by rewrite Rmult_0_l.
  by rewrite (tightP c T) Rminus_diag_eq // Rmult_0_r.
Qed.

(* T2 in both directions. *)
Theorem kkt (h : I -> R) w : minimiser P D h w <->
  rows_hold P D h w /\ exists lam : I -> R, [/\ forall c, P c -> 0 <= lam c, w = combine P lam D &
                                            forall c, P c -> lam c * (dot (D c) w - h c) = 0].
Proof.
split=> [M | [Hw [lam [l0 E slack]]]]; last exact: kkt_minimiser E slack.
by split; [case: M | have [lam [l0 E slack]] := minimiser_multipliers M; exists lam; split].
Qed.
End Alternatives.
