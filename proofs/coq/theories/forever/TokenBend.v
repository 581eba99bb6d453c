(* TokenBend: how far the loss of the attention stage curves along a line, beside T1's weights (NEXT_TOKEN.md section
   4): at most 1 + phi times sum omega_c <Delta_c,v>^2, phi small with the attention off the selected tokens. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Moments Heads Direction Growth Saturation HeadRanges ClassifierHead
                           ClassifierLockIn ClassifierDescent ClassifierBend TokenHead TokenRanges.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section TokenBend.
Variables (p : selection_problem) (V : finType) (next : token p -> option V) (y : group p -> V) (c : R).
Variable alpha : selection p.
Implicit Types (t : token p) (i : group p) (k : V) (z v : vec (coord p)).
Hypothesis apart : forall t t' u, group_of t = group_of t' -> next t = Some u -> next t' = Some u -> t = t'.
Hypothesis chosen_next : forall i, next (alpha i) = Some (y i).
Hypothesis c_gt0 : 0 < c.
Hypothesis two_outputs : (1 < #|V|)%nat.
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation h := (token_head next y c).
Notation G := (sentence_logit next c).
Notation inside i := (fun t : token p => group_of t == i).

Variable eps : R.
Notation pi := (rival_part V c eps).
Notation room := (1 - eps - eps * pi).
Hypothesis room_gt0 : 0 < room.

(* 1 + phi *)
Definition token_bend : R :=
  1 + 2 * (eps * sqrt ((1 + pi) / room)) + c * eps * ((1 + sqrt pi) * (1 + sqrt pi)) / room.

Section Group.
Variables (z v : vec (coord p)) (i : group p).
Hypothesis attended : 1 - attention z (alpha i) <= eps.
Notation s := (attention z).
Notation x t := (margin alpha v t).
Notation q k := (class_share G i (attention z) k).
Notation wrong := (wrong_outputs next y c z i).
Notation part t := (next_share next c i s t).
Let g t := slope_gap alpha h z t - mean_gap alpha h z i.
Let A := \sum_(t | others i t) s t * (x t * x t).
Let B := \sum_(t | others i t) s t * g t * (x t * x t).
Let M := \sum_(t | others i t) s t * g t.
Let C := \sum_(t | others i t) s t * g t * x t.
Let xbar := \sum_(t | others i t) s t * x t.
Let s_gt0 t : 0 < s t := attention_gt0 z t.
Let s_ge0 t : 0 <= s t := Rlt_le _ _ (s_gt0 t).
Let a := s (alpha i).
Let wrong0 : 0 < wrong := wrong_outputs_gt0 apart chosen_next c_gt0 two_outputs z i.
Let pi0 : 0 < pi := rival_part_gt0 c two_outputs eps.
Let eps0 : 0 <= eps. Proof. by have := attention_le1 alpha z (alpha i); lra. Qed.

Let gap_range t : others i t -> c * (room * wrong) <= g t <= c * ((1 + pi) * wrong).
Proof.
move=> ti; have [Qt /eqP ig] := andP ti; have E := gap_rise c apart chosen_next z Qt.
rewrite /= ig in E; rewrite /g E; have [lo hi] := rise_part apart chosen_next c_gt0 two_outputs attended ti.
by split; apply: Rmult_le_compat_l; lra.
Qed.

Let g_ge0 t : others i t -> 0 <= g t.
Proof.
move/gap_range => [l _]; apply: Rle_trans l; apply: Rmult_le_pos; first lra.
by apply: Rmult_le_pos; lra.
Qed.

Let xbar_le : xbar * xbar <= eps * A.
Proof. exact (mean_margin_square (eps := fun=> eps) v attended). Qed.

Let A_ge0 : 0 <= A.
Proof. by apply: sum_ge0 => t _; apply: Rmult_le_pos => //; exact: Rle_0_sqr. Qed.

Let A_le : c * (room * wrong) * A <= B.
Proof.
rewrite /A /B sum_mull; apply: sum_le => t ti; have [l _] := gap_range ti.
have := Rmult_le_compat_r _ _ _ (Rmult_le_pos _ _ (s_ge0 t) (Rle_0_sqr (x t))) l; rewrite /Rsqr; lra.
Qed.

Let M_range : 0 <= M <= eps * (c * ((1 + pi) * wrong)).
Proof.
split; first by apply: sum_ge0 => t ti; apply: Rmult_le_pos => //; exact: g_ge0.
apply: (Rle_trans _ (\sum_(t | others i t) s t * (c * ((1 + pi) * wrong)))).
  by apply: sum_le => t ti; apply: Rmult_le_compat_l => //; case: (gap_range ti).
rewrite -sum_mulr -(attention_deficit_sum alpha); apply: Rmult_le_compat_r => //.
by apply: Rmult_le_pos; [lra | apply: Rmult_le_pos; lra].
Qed.

Let B_ge0 : 0 <= B.
Proof.
apply: sum_ge0 => t ti; apply: Rmult_le_pos; last exact: Rle_0_sqr.
by apply: Rmult_le_pos => //; exact: g_ge0.
Qed.

Let C_square : C * C <= M * B.
Proof.
have root t : others i t -> sqrt (s t * g t) * sqrt (s t * g t) = s t * g t.
  by move=> ti; apply: sqrt_sqrt; apply: Rmult_le_pos => //; exact: g_ge0.
have := sum_cauchy_schwarz (others i) (fun t => sqrt (s t * g t)) (fun t => sqrt (s t * g t) * x t).
have -> : \sum_(t | others i t) sqrt (s t * g t) * (sqrt (s t * g t) * x t) = C.
  by apply: eq_bigr => t ti; rewrite -Rmult_assoc root.
have -> : \sum_(t | others i t) Rsqr (sqrt (s t * g t)) = M.
  by apply: eq_bigr => t ti; rewrite /Rsqr root.
have -> : \sum_(t | others i t) Rsqr (sqrt (s t * g t) * x t) = B.
  apply: eq_bigr => t ti; have E := root t ti; rewrite -[X in X * (x t * x t)]E /Rsqr; ring.
by [].
Qed.

(* ---- the third moment ---- *)

Lemma weights_balance : M = a * mean_gap alpha h z i.
Proof.
rewrite /M (eq_bigr (fun t => s t * slope_gap alpha h z t - s t * mean_gap alpha h z i)) => [|t _]; last first.
  by rewrite /g; ring.
rewrite sumB -sum_mulr -(attention_deficit_sum alpha) -/(mean_gap alpha h z i) -/a; ring.
Qed.

Lemma token_third : (\sum_k q k * class_bent G z i v k) - class_bent G z i v (y i) = B - 2 * (xbar * C).
Proof.
pose F t := \sum_k q k * (G t k - G t (y i)); rewrite -(class_bent_third G y).
rewrite -[third_moment _ _ _ _]/(third_moment (inside i) s F (logit v)) /third_moment {1}/mean.
have dF t : group_of t = i -> F t - mean (inside i) s F = slope_gap alpha h z t - mean_gap alpha h z i.
  move=> ti; have FE u : F u = (\sum_k q k * G u k) - G u (y i).
    have -> : F u = (\sum_k q k * G u k) - (\sum_k q k) * G u (y i).
      by rewrite sum_mulr -sumB; apply: eq_bigr => k _; ring.
    by rewrite (class_share_sum G y); ring.
  have gap u : group_of u = i -> slope_gap alpha h z u = F u - F (alpha i).
    by move=> ui; rewrite /slope_gap /selected ui /= !FE.
  have -> : mean_gap alpha h z i = mean (inside i) s F - F (alpha i).
    rewrite /mean_gap /mean (group_sum alpha).
    rewrite (eq_bigr (fun u => s u * F u - s u * F (alpha i))) => [|u /andP[_ /eqP ui]]; last by rewrite gap //; ring.
    by rewrite sumB -sum_mulr -(attention_deficit_sum alpha); ring.
  by rewrite gap //; ring.
rewrite (group_sum alpha); set m := mean _ _ (logit v).
have own : logit v (alpha i) - m = xbar.
  by have := logit_margin alpha z v (group_of_pick alpha i); rewrite margin_logit selected_pick -/m /xbar;
    lra.
have gap0 : slope_gap alpha h z (alpha i) = 0 by rewrite /slope_gap selected_pick; ring.
rewrite (dF _ (group_of_pick _ i)) gap0 own.
rewrite (eq_bigr (fun t => xbar * xbar * (s t * g t) - 2 * xbar * (s t * g t * x t) + s t * g t * (x t * x t)))
  => [|t ti]; last first.
  have ig : group_of t = i by case/andP: ti => _ /eqP.
  have E := logit_margin alpha z v ig; rewrite -/m -/xbar in E.
  by rewrite (dF t ig) E -/(g t); ring.
rewrite sumD sumB -!sum_mull -/M -/C -/B weights_balance -/a; ring.
Qed.

(* ---- the variance ---- *)

Lemma token_slope k : class_slope G z i v k = \sum_(t | group_of t == i) s t * (G t k * (xbar - x t)).
Proof.
rewrite /class_slope (covariance_centred (attention_sum alpha z i)) /mean.
set mG := mean (inside i) s (G^~ k); set mv := mean (inside i) s (logit v).
have zero : \sum_(t | group_of t == i) s t * (xbar - x t) = 0.
  rewrite (eq_bigr (fun t => s t * logit v t - s t * mv)) => [|t /eqP ti]; last first.
    by rewrite -(logit_margin alpha z v ti) -/mv; ring.
  by rewrite sumB -sum_mulr (attention_sum alpha) -/(mean (inside i) s (logit v)) -/mv; ring.
rewrite -[\sum_(t | inside i t) _]/(\sum_(t | group_of t == i) s t * ((G t k - mG) * (logit v t - mv))).
rewrite (eq_bigr (fun t => s t * (G t k * (xbar - x t)) - mG * (s t * (xbar - x t)))) => [|t /eqP ti].
  by rewrite sumB -sum_mull zero; ring.
by rewrite (logit_margin alpha z v ti) -/xbar; ring.
Qed.

Let own_x : x (alpha i) = 0. Proof. by rewrite margin_logit selected_pick; ring. Qed.

Lemma own_slope : class_slope G z i v (y i) = c * a * xbar.
Proof.
rewrite token_slope (group_sum alpha) big1 => [|t /andP[Qt /eqP ti]].
  by rewrite /sentence_logit chosen_next eqxx own_x -/a; ring.
rewrite /sentence_logit; case: eqP => [E|_]; last by ring.
case/eqP: Qt; rewrite /selected ti; apply: apart E (chosen_next _); by rewrite (group_of_pick alpha).
Qed.

Lemma other_slope k : k != y i -> class_slope G z i v k * class_slope G z i v k =
  \sum_(t | others i t) (if next t == Some k then c * c * (s t * s t * ((xbar - x t) * (xbar - x t))) else 0).
Proof.
move=> ky; have zero t : next t == Some k = false -> s t * (G t k * (xbar - x t)) = 0.
  by rewrite /sentence_logit => ->; ring.
have chosen0 : next (alpha i) == Some k = false.
  by rewrite chosen_next; apply/negbTE; apply: contraNneq ky => -[->].
rewrite token_slope (group_sum alpha) (zero _ chosen0) Rplus_0_l.
have [t0 /andP[t0i /eqP t0k] | none] := pickP (fun t => others i t && (next t == Some k)); last first.
  have n t : others i t -> next t == Some k = false by move=> ti; have := none t; rewrite ti.
  rewrite !big1 => [|t ti|t ti]; [by ring | by rewrite n | exact: zero (n t ti)].
have only t : others i t -> t != t0 -> next t == Some k = false.
  move=> ti; apply: contraNF => /eqP tk; apply/eqP; apply: apart tk t0k.
  by case/andP: ti => _ /eqP ->; case/andP: t0i => _ /eqP ->.
rewrite !(bigD1 t0 t0i) /= t0k eqxx !big1 => [|t /andP[ti ne]|t /andP[ti ne]]; last 2 first.
- by rewrite only.
- exact: zero (only t ti ne).
by rewrite /sentence_logit t0k eqxx; ring.
Qed.

Lemma other_moments : \sum_(t | others i t) s t * ((xbar - x t) * (xbar - x t)) <= A.
Proof.
rewrite (eq_bigr (fun t => xbar * xbar * s t - 2 * xbar * (s t * x t) + s t * (x t * x t))) => [|t _]; last by ring.
rewrite sumD sumB -!sum_mull -/xbar -/A -(attention_deficit_sum alpha).
by have := Rmult_le_pos _ _ (Rle_0_sqr xbar) (s_ge0 (alpha i)); have := Rle_0_sqr xbar; rewrite /Rsqr; lra.
Qed.

Lemma token_variance :
  \sum_k q k * ((class_slope G z i v k - mean_class_slope G z i v) * class_slope G z i v k) <=
  c * c * (wrong * (eps * A)) * ((1 + sqrt pi) * (1 + sqrt pi)).
Proof.
have q1 := class_share_sum G y i s; set b := class_slope G z i v (y i); set E := mean_class_slope G z i v.
have EE : \sum_j q j * class_slope G z i v j = E by [].
have := variance_about (class_slope G z i v) q1 b; rewrite EE => ->.
set r := sqrt pi; have r0 : 0 < r by exact: sqrt_lt_R0.
have rr : r * r = pi by apply: sqrt_sqrt; lra.
have q0 k : 0 <= q k := Rlt_le _ _ (class_share_gt0 G y i s k).
apply: (Rle_trans _ (\sum_k q k * ((class_slope G z i v k - b) * (class_slope G z i v k - b)))).
  by have := Rle_0_sqr (E - b); rewrite /Rsqr; lra.
rewrite (bigD1 (y i)) //= -/b Rminus_diag_eq // Rmult_0_l Rmult_0_r Rplus_0_l.
have b2 : b * b <= c * c * (eps * A).
  rewrite /b own_slope; have a1 := attention_le1 alpha z (alpha i); rewrite -/a in a1.
  have aa : a * a <= 1 by have := s_ge0 (alpha i); rewrite -/a => a0; nra.
  have -> : c * a * xbar * (c * a * xbar) = c * c * (a * a * (xbar * xbar)) by ring.
  apply: Rmult_le_compat_l; first exact: Rle_0_sqr.
  by have := Rmult_le_compat_r _ _ _ (Rle_0_sqr xbar) aa; rewrite /Rsqr; lra.
have young k : (class_slope G z i v k - b) * (class_slope G z i v k - b) <=
    (1 + / r) * (class_slope G z i v k * class_slope G z i v k) + (1 + r) * (c * c * (eps * A)).
  set o := class_slope G z i v k.
  have : 0 <= / r * ((o + r * b) * (o + r * b)).
    by apply: Rmult_le_pos; [exact/Rlt_le/Rinv_0_lt_compat | exact: Rle_0_sqr].
  have -> : / r * ((o + r * b) * (o + r * b)) = / r * (o * o) + 2 * (o * b) + r * (b * b) by field; lra.
  have := Rmult_le_compat_l (1 + r) _ _ (ltac:(lra)) b2; lra.
have wrong_sum : \sum_(k | k != y i) q k = wrong.
  by rewrite /wrong_outputs; have := q1; rewrite (bigD1 (y i)) //=; lra.
set cA := (1 + r) * (c * c * (eps * A)) in young *.
apply: (Rle_trans _ ((1 + / r) * (\sum_(k | k != y i) q k * (class_slope G z i v k * class_slope G z i v k)) +
    cA * wrong)).
  rewrite -wrong_sum !sum_mull -sumD; apply: sum_le => k _.
  by have := Rmult_le_compat_l _ _ _ (q0 k) (young k); lra.
have main : \sum_(k | k != y i) q k * (class_slope G z i v k * class_slope G z i v k) <=
    c * c * (pi * wrong * (eps * A)).
  apply: (Rle_trans _ (\sum_(t | others i t) part t * (c * c * (s t * s t * ((xbar - x t) * (xbar - x t)))))).
    rewrite (eq_bigr (fun k => \sum_(t | others i t) (if next t == Some k then
        q k * (c * c * (s t * s t * ((xbar - x t) * (xbar - x t)))) else 0))) => [|k ky]; last first.
      by rewrite other_slope // sum_mull; apply: eq_bigr => t _; case: (next t == _); ring.
    rewrite exchange_big /=; apply: sum_le => t ti; rewrite /next_share; case E': (next t) => [u|]; last first.
      by rewrite big1 => [|k _] //; lra.
    case: (eqVneq u (y i)) => [uy|uy].
      case/andP: ti => Qt /eqP ig; case/eqP: Qt; rewrite /selected ig; rewrite uy in E'.
      by apply: apart E' (chosen_next _); rewrite (group_of_pick alpha).
    rewrite (bigD1 u) //= eqxx big1 => [|k /andP[_ ku]]; first lra.
    by case: eqP => // -[uk]; rewrite uk eqxx in ku.
  apply: (Rle_trans _ (\sum_(t | others i t) c * c * (pi * wrong * eps) * (s t * ((xbar - x t) * (xbar - x t))))).
    apply: sum_le => t ti; have := next_share_part apart chosen_next c_gt0 two_outputs attended ti => le.
    have st : s t <= eps by exact (off_selected attended ti).
    have d0 := Rle_0_sqr (xbar - x t); have [_ /eqP ig] := andP ti.
    have p0 := next_share_ge0 apart chosen_next c_gt0 two_outputs z ig.
    have cc : 0 <= c * c := Rle_0_sqr c; have sd := Rmult_le_pos _ _ (s_ge0 t) d0.
    have one := Rmult_le_compat _ _ _ _ p0 (s_ge0 t) le st.
    have := Rmult_le_compat_r _ _ _ (Rmult_le_pos _ _ cc sd) one; rewrite /Rsqr; lra.
  rewrite -sum_mull; have -> : c * c * (pi * wrong * (eps * A)) = c * c * (pi * wrong * eps) * A by ring.
  apply: Rmult_le_compat_l other_moments; apply: Rmult_le_pos; first exact: Rle_0_sqr.
  by apply: Rmult_le_pos => //; apply: Rmult_le_pos; lra.
have ir := Rinv_0_lt_compat _ r0.
apply: (Rle_trans _ ((1 + / r) * (c * c * (pi * wrong * (eps * A))) + cA * wrong)).
  by apply: Rplus_le_compat_r; apply: Rmult_le_compat_l main; lra.
by right; rewrite /cA -rr; field; lra.
Qed.

Lemma group_token_bend :
  (\sum_k q k * ((class_slope G z i v k - mean_class_slope G z i v) * class_slope G z i v k))
   + (\sum_k q k * class_bent G z i v k) - class_bent G z i v (y i) <= token_bend * B.
Proof.
have var := token_variance; have third := token_third.
set kappa := eps * sqrt ((1 + pi) / room).
have k0 : 0 <= kappa by apply: Rmult_le_pos => //; exact: sqrt_pos.
have kk : kappa * kappa = eps * eps * ((1 + pi) / room).
  have -> : kappa * kappa = eps * eps * (sqrt ((1 + pi) / room) * sqrt ((1 + pi) / room)) by rewrite /kappa; ring.
  by rewrite sqrt_sqrt //; apply/Rlt_le/Rdiv_lt_0_compat; lra.
have cw : 0 < c * (room * wrong) by do 2!(apply: Rmult_lt_0_compat => //).
have AB : A <= B / (c * (room * wrong)).
  by apply: (Rmult_le_reg_l (c * (room * wrong))) => //; have -> : c * (room * wrong) * (B / (c * (room * wrong))) = B
    by [field; repeat split; lra].
have cross : Rabs (xbar * C) <= kappa * B.
  apply: le_of_sqr_le; first exact: Rmult_le_pos.
  have -> : Rabs (xbar * C) * Rabs (xbar * C) = xbar * xbar * (C * C).
    by rewrite -Rabs_mult Rabs_pos_eq; [ring | exact: Rle_0_sqr].
  have [M0 M1] := M_range.
  have MB : C * C <= eps * (c * ((1 + pi) * wrong)) * B.
    by apply: Rle_trans C_square _; exact: Rmult_le_compat_r.
  have xB : xbar * xbar <= eps * (B / (c * (room * wrong))).
    by apply: Rle_trans xbar_le _; exact: Rmult_le_compat_l.
  apply: Rle_trans (Rmult_le_compat _ _ _ _ (Rle_0_sqr xbar) (Rle_0_sqr C) xB MB) _.
  have -> : kappa * B * (kappa * B) = kappa * kappa * (B * B) by ring.
  by rewrite kk; right; field; repeat split; lra.
have spread : c * c * (wrong * (eps * A)) * ((1 + sqrt pi) * (1 + sqrt pi)) <=
    c * eps * ((1 + sqrt pi) * (1 + sqrt pi)) / room * B.
  have w2 : 0 <= c * c * (wrong * eps) * ((1 + sqrt pi) * (1 + sqrt pi)).
    apply: Rmult_le_pos; last exact: Rle_0_sqr.
    by apply: Rmult_le_pos; [exact: Rle_0_sqr | apply: Rmult_le_pos; lra].
  have := Rmult_le_compat_l _ _ _ w2 AB.
  have -> : c * c * (wrong * eps) * ((1 + sqrt pi) * (1 + sqrt pi)) * (B / (c * (room * wrong))) =
    c * eps * ((1 + sqrt pi) * (1 + sqrt pi)) / room * B by field; repeat split; lra.
  lra.
have := Rle_abs (- (xbar * C)); rewrite Rabs_Ropp => neg.
rewrite /token_bend -/kappa; lra.
Qed.
End Group.

(* The hypothesis of SublevelDescent.v, for points with that attention. *)
Theorem token_bent z v : (forall i, 1 - attention z (alpha i) <= eps) -> classifier_bent G y z v <=
  token_bend * \sum_(t | Q t) gibbs_weight (Delta alpha) (head_factor alpha h z) z t *
    (dot (Delta alpha t) v * dot (Delta alpha t) v).
Proof.
move=> near; rewrite /classifier_bent (partition_big (@group_of p) predT) //= sum_mull; apply: sum_le => i _.
have -> : \sum_(t | Q t && (group_of t == i)) gibbs_weight (Delta alpha) (head_factor alpha h z) z t *
    (dot (Delta alpha t) v * dot (Delta alpha t) v) =
    weight i * \sum_(t | others i t) attention z t * (slope_gap alpha h z t - mean_gap alpha h z i) *
      (margin alpha v t * margin alpha v t).
  rewrite sum_mull; apply: eq_bigr => t ti; rewrite /gibbs_weight head_factor_gap (attention_other z ti) /selected.
  by case/andP: ti => _ /eqP ->; rewrite /margin; ring.
set W := \sum_(t | others i t) _; have -> : token_bend * (weight i * W) = weight i * (token_bend * W) by ring.
by apply: Rmult_le_compat_l; [exact/Rlt_le/weight_gt0 | exact: group_token_bend (near i)].
Qed.
End TokenBend.
