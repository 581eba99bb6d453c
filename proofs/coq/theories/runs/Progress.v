(* Progress: T8, what one ascent direction V = sum_Q omega_c Delta_c gains along u and along the residual.

   P carries positive weights of total Om; the weights outside P may have any sign but their total size is at most
   rho Om. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Progress.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u p : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Variables (P : pred C) (omega : C -> R) (D rho : R).
Hypothesis P_sub : forall c, P c -> Q c.
Hypothesis omega_gt0 : forall c, P c -> 0 < omega c.
Hypothesis norm_le : forall c, Q c -> vnorm (Delta c) <= D.

Notation slope := (slope Delta u).
Let V := ascent Q Delta omega.
Let Om := \sum_(c | P c) omega c.
Hypothesis outside_le : \sum_(c | Q c && ~~ P c) Rabs (omega c) <= rho * Om.

Lemma sum_split F : \sum_(c | Q c) F c = \sum_(c | P c) F c + \sum_(c | Q c && ~~ P c) F c.
Proof.
rewrite (bigID P) /=; congr (_ + _); apply: eq_bigl => c.
by case Pc: (P c); rewrite ?andbF // (P_sub Pc).
Qed.

Lemma ascent_dot z : dot V z = \sum_(c | P c) omega c * dot (Delta c) z
                             + \sum_(c | Q c && ~~ P c) omega c * dot (Delta c) z.
Proof. by rewrite /V /ascent dot_combinel sum_split. Qed.

Lemma bound_ge0 : 0 <= D.
Proof.
have [c /activeP[Qc _]] := active_exists dir.
exact: Rle_trans (vnorm_ge0 _) (norm_le Qc).
Qed.

(* What the weights outside P can contribute to a quantity that is at most B on every constraint. *)
Lemma outside_bound (F : C -> R) B : 0 <= B -> (forall c, Q c -> Rabs (F c) <= B) ->
  Rabs (\sum_(c | Q c && ~~ P c) omega c * F c) <= rho * Om * B.
Proof.
move=> B0 FB; apply: Rle_trans (sum_abs _ _ _) _.
apply: (Rle_trans _ ((\sum_(c | Q c && ~~ P c) Rabs (omega c)) * B)); last exact: Rmult_le_compat_r.
rewrite sum_mulr; apply: sum_le => c /andP[Qc _]; rewrite Rabs_mult.
by apply: Rmult_le_compat_l; [exact: Rabs_pos | exact: FB].
Qed.

Theorem progress_direction : Om * (gamma - rho * D) <= dot V u.
Proof.
rewrite ascent_dot.
have /Rabs_le_between[out _] : Rabs (\sum_(c | Q c && ~~ P c) omega c * dot (Delta c) u) <= rho * Om * D.
  apply: outside_bound bound_ge0 _ => c Qc; apply: Rle_trans (cauchy_schwarz _ _) _.
  by rewrite (unorm dir) Rmult_1_r; exact: norm_le.
have inP : Om * gamma <= \sum_(c | P c) omega c * dot (Delta c) u.
  rewrite sum_mulr; apply: sum_le => c Pc.
  by apply: Rmult_le_compat_l; [exact/Rlt_le/omega_gt0 | apply: (slope_ge dir); exact: P_sub].
lra.
Qed.

Theorem progress_norm : vnorm V <= Om * D * (1 + rho).
Proof.
apply: Rle_trans (vnorm_combine _ _ _) _; rewrite sum_split.
have -> : Om * D * (1 + rho) = Om * D + rho * Om * D by ring.
apply: Rplus_le_compat.
  rewrite sum_mulr; apply: sum_le => c Pc; have oc := omega_gt0 Pc.
  by rewrite Rabs_pos_eq; [apply: Rmult_le_compat_l; [lra | apply: norm_le; exact: P_sub] | lra].
apply: (Rle_trans _ ((\sum_(c | Q c && ~~ P c) Rabs (omega c)) * D)).
  rewrite sum_mulr; apply: sum_le => c /andP[Qc _].
  by apply: Rmult_le_compat_l; [exact: Rabs_pos | exact: norm_le].
exact: Rmult_le_compat_r bound_ge0 outside_le.
Qed.

Theorem progress_residual G e : \sum_(c | P c) omega c * dot (Delta c) e <= Om * G ->
  dot V e <= Om * (G + rho * D * vnorm e).
Proof.
move=> HG; rewrite ascent_dot.
have /Rabs_le_between[_ out] :
    Rabs (\sum_(c | Q c && ~~ P c) omega c * dot (Delta c) e) <= rho * Om * (D * vnorm e).
  apply: outside_bound; first exact: Rmult_le_pos bound_ge0 (vnorm_ge0 _).
  move=> c Qc; apply: Rle_trans (cauchy_schwarz _ _) _.
  by apply: Rmult_le_compat_r; [exact: vnorm_ge0 | exact: norm_le].
lra.
Qed.
End Progress.

(* When no constraint lies outside P, sharper constants hold (T9s). *)
Section NoOutside.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u p : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Variable omega : C -> R.
Hypothesis omega_gt0 : forall c, Q c -> 0 < omega c.

Notation slope := (slope Delta u).
Notation spread := (spread Delta u).
Let V := ascent Q Delta omega.
Let Om := \sum_(c | Q c) omega c.

Lemma total_gt0 : 0 < Om.
Proof.
have [c /activeP[Qc _]] := active_exists dir.
by apply: (sum_gt0 (i := c)) => // [d Qd|]; [exact/Rlt_le/omega_gt0 | exact: omega_gt0].
Qed.

Lemma progress_slope : Om * gamma <= dot V u.
Proof.
rewrite /V /ascent dot_combinel sum_mulr; apply: sum_le => c Qc.
by apply: Rmult_le_compat_l; [exact/Rlt_le/omega_gt0 | exact: (slope_ge dir)].
Qed.

(* cmin bounds the cosine between u and every constraint vector from below, hence the cosine between u and V. *)
Lemma progress_cosine cmin : (forall c, Q c -> cmin * vnorm (Delta c) <= slope c) -> 0 <= cmin ->
  cmin * vnorm V <= dot V u.
Proof.
move=> Hc c0; apply: (Rle_trans _ (cmin * \sum_(c | Q c) omega c * vnorm (Delta c))).
  apply: Rmult_le_compat_l => //; apply: Rle_trans (vnorm_combine _ _ _) _.
  by apply: sum_le => c Qc; rewrite Rabs_pos_eq; [lra | exact/Rlt_le/omega_gt0].
rewrite /V /ascent dot_combinel sum_mull; apply: sum_le => c Qc.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (omega_gt0 Qc)) (Hc c Qc).
by rewrite /slope; lra.
Qed.

(* The part of V orthogonal to u. *)
Definition orthogonal_part : vec J := (V - dot V u * u)%V.

Lemma orthogonal_part_sqr : vnorm2 orthogonal_part = vnorm2 V - dot V u * dot V u.
Proof. by rewrite /orthogonal_part vnorm2B vnorm2Z dotZr {2}/vnorm2 (dir_unit dir); ring. Qed.

Lemma orthogonal_part_combine :
  orthogonal_part = combine Q omega (fun c => (Delta c - slope c * u)%V).
Proof.
apply: vec_ext => j; rewrite /orthogonal_part /V /ascent dot_combinel /combine /vsub /vscale sum_mulr -sumB.
by apply: eq_bigr => c _; rewrite /slope; ring.
Qed.

Lemma progress_spread ratio : (forall c, Q c -> spread c <= ratio * slope c) ->
  vnorm orthogonal_part <= ratio * dot V u.
Proof.
move=> Hr; rewrite orthogonal_part_combine; apply: Rle_trans (vnorm_combine _ _ _) _.
rewrite /V /ascent dot_combinel sum_mull; apply: sum_le => c Qc; have oc := omega_gt0 Qc.
rewrite Rabs_pos_eq; last by lra.
have -> : vnorm (Delta c - slope c * u) = spread c.
  rewrite /spread /vnorm vnorm2B vnorm2Z dotZr {2}/vnorm2 (dir_unit dir) -/(slope c).
  by congr sqrt; ring.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ oc) (Hr c Qc).
by rewrite /slope; lra.
Qed.
End NoOutside.
