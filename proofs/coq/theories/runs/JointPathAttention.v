(* JointPathAttention: T21 with two radii, the attention (A.joint; JOINT.md section 6).

   The minimiser's decoder is near r u (JointPath.v), so its attention minimises nearly what it would beside r u:
   against w', the shares of the other tokens are small where the decoder is supported, and elsewhere not large. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Losses Direction Saturation RegularisationPath JointModel ExponentialTail
                           JointPath.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section JointPathAttention.
Variables (p : selection_problem) (alpha : selection p) (J : finType) (g : token p -> vec J) (l : loss).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation copies := (copies alpha).
Notation kappa := (chosen_value g alpha).
Notation delta := (value_difference g alpha).
Notation lost := (lost_value g alpha).
Notation f := (joint_output g).
Implicit Types (t : token p) (i j : group p).

Variables (L : joint_limit p J) (B : joint_bounds p) (radius r : R) (v : vec J) (w : vec (coord p)).
Notation S := (limit_support L).
Notation u := (limit_ray L).
Notation Gamma := (limit_margin L).
Notation mu := (limit_shares L).
Notation nu := (limit_cost L).
Notation n := (limit_attention L).
Notation gamma := (limit_rows L).
Notation m := (limit_weights L).
Notation lean := (limit_lean L).
Notation plain := (limit_plain L).
Notation excess := (limit_excess alpha g L).
Notation least := (joint_least B).
Notation fall := (joint_fall B).
Notation groups := (joint_groups B).
Notation spread := (joint_spread B).
Notation steepest := (joint_steepest B).
Notation longest := (joint_longest B).
Notation beta := (joint_lean B).
Notation x := (joint_slack B).
Notation h := (joint_near B).
Notation b := (joint_turn B).
Notation r0 := (joint_start B).
Notation reach := (joint_reach B).
Notation best := (joint_best B).
Notation height := (path_lift L B radius).
Notation eta := (path_decay L B radius).
Notation eps := (path_cost L B radius).
Notation y := (path_gap L B radius r).
Notation low := (joint_floor L B radius r).
Notation w' := (path_point L B radius).
Notation pull := (path_pull L B).
Notation total_length := (total_length alpha g).
Notation groups_outside := (groups_outside L).
Notation grown := (grown alpha g L B).
Notation path_share := (path_share alpha g L B).
Notation path_early := (path_early alpha g L B).
Notation path_late := (path_late L B).
Notation path_level := (path_level alpha g L B).
Notation joint_rate := (joint_rate alpha g L B).

Hypotheses (limit : decoder_limit alpha g L) (rows : attention_limit alpha L).
Hypotheses (bounds : decoder_bounds alpha g l L B) (more : attention_bounds alpha g L B).
Hypothesis radii : radii_large L B radius r.
Hypothesis ahead : forall i, ~~ S i -> 4 * gamma * radius <= r * excess i.
Hypothesis minimiser : jointly_regularised g l r radius v w.
Let u_one := limit_ray_one limit.
Let Gamma_gt0 := joint_margin_gt0 bounds.
Let nu_gt0 := joint_cost_gt0 bounds.
Let mu_ge0 := limit_shares_ge0 limit.
Let mu_one := limit_shares_one limit.
Let mu_balance := limit_balance limit.
Let n_short := proj1 (limit_short limit).
Let lean_short := proj2 (limit_short limit).
Let lean_holds := limit_lean_holds limit.
Let gamma_gt0 := joint_rows_gt0 more.
Let plain_gt0 := joint_plain_gt0 more.
Let m_ge0 := limit_weights_ge0 rows.
Let m_one := limit_weights_one rows.
Let m_balance := limit_rows_balance rows.
Let tail := joint_tail bounds.
Let steepest_ge0 := joint_steepest_ge0 bounds.
Let longest_ge0 := joint_longest_ge0 bounds.
Let beta_ge0 := joint_lean_ge0 bounds.
Let slope_gt0 := joint_fall_gt0 more.
Let spread_ge0 := joint_spread_ge0 more.
Let x_nu := joint_slack_cost more.
Let x_Gamma := joint_slack_margin bounds.
Let h_ge0 := joint_near_ge0 more.
Let b_gt0 := joint_turn_gt0 more.
Let r0_gt0 := joint_start_gt0 bounds.
Let eps_small := cost_small radii.
Let r_large := start_large radii.
Let r_gt0 := decoder_radius_gt0 bounds radii.
Let eta_gt0 := path_decay_gt0 L B radius.
Let eps_ge0 := path_cost_ge0 radius bounds.
Lemma path_gap_ge0 : 0 <= y.
Proof. have : 0 <= spread / r by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat. rewrite /path_gap; lra. Qed.
Let y_ge0 := path_gap_ge0.
Let y_le := path_gap_le radii.
Let lowE := joint_floorE bounds radii.
Let low_gt0 := joint_floor_gt0 bounds radii.
Let v_short : vnorm v <= r. Proof. by case: minimiser. Qed.
Let longest_nu := longest_cost_ge0 bounds.
Let path_output_ge i := path_output_ge limit bounds radii minimiser i.
Let path_deficit i := path_deficit limit bounds radii minimiser (j := i).
Let path_point_share i t := path_point_share limit bounds radii (i := i) (t := t).
Let path_point_lost i := path_point_lost limit bounds radii i.
Let path_point_short := path_point_short limit bounds radii.
Let joint_decoder := joint_decoder limit bounds radii minimiser.
Let loose i := joint_looseE bounds (i := i).

Lemma plain_le : plain <= gamma.
Proof.
have one : dot n lean <= 1.
  apply: Rle_trans (dot_le_norms _ _) _; rewrite -[X in _ <= X](Rmult_1_l 1).
  by apply: Rmult_le_compat => //; exact: vnorm_ge0.
apply: (Rle_trans _ (gamma * dot n lean)); last by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ gamma_gt0) one; lra.
rewrite -dotZl -m_balance dot_combinel; apply: (Rle_trans _ (\sum_(t | Q t) m t * plain)).
  rewrite -sum_mulr -[X in X <= _]Rmult_1_l; apply: Rmult_le_compat_r; first lra.
  rewrite -m_one big_mkcondr; apply: sum_le => t /m_ge0 m0.
  by case: (S _); [exact: Rle_refl | exact: m0].
by apply: sum_le => t Qt; apply: Rmult_le_compat_l; [exact: m_ge0 | exact: lean_holds].
Qed.

Lemma decoder_near : vnorm (v - r * u)%V <= r * h.
Proof.
apply: vnorm_le_sqr; first by apply: Rmult_le_pos; lra.
have -> : vnorm2 (v - r * u)%V = vnorm2 v - 2 * r * dot u v + r * r.
  by rewrite vnorm2B vnorm2Z dotZr (dotC v u) -(vnorm_sqr u) u_one; ring.
have vv : vnorm2 v <= r * r by rewrite -vnorm_sqr; apply: Rmult_le_compat => //; exact: vnorm_ge0.
have H := joint_decoder; have p0 : 0 <= pull by rewrite /pull; lra.
have g0 := Rinv_0_lt_compat _ Gamma_gt0.
have bound : r - dot u v <= r * (pull * x / Gamma).
  have -> : r - dot u v = r * (1 - dot u v / r) by field; lra.
  apply: Rmult_le_compat_l; first lra.
  apply: Rle_trans H _; apply: Rmult_le_compat_r; first lra.
  exact: Rmult_le_compat_l.
have hl : r * (pull * x / Gamma) * 2 <= r * (h * h).
  have -> : r * (pull * x / Gamma) * 2 = r * (2 * pull * x / Gamma) by rewrite /Rdiv; ring.
  by apply: Rmult_le_compat_l; [lra | exact: (joint_near_large more)].
have := Rmult_le_compat_l r _ _ (ltac:(lra)) hl; have := Rmult_le_compat_l r _ _ (ltac:(lra)) bound; nra.
Qed.

Lemma near_dot (a : vec J) : Rabs (dot a v - r * dot a u) <= r * (h * vnorm a).
Proof.
have -> : dot a v - r * dot a u = dot a (v - r * u)%V by rewrite dotBr dotZr.
apply: Rle_trans (cauchy_schwarz _ _) _; have := decoder_near => H.
by have := Rmult_le_compat_l _ _ _ (vnorm_ge0 a) H; lra.
Qed.

Lemma gap_ge t : Q t -> S (group_of t) ->
  r * (dot (delta t) u - h * vnorm (delta t)) <= dot (delta t) v /\ 0 < dot (delta t) u - h * vnorm (delta t).
Proof.
move=> Qt St; have s := joint_seen more Qt St; have := near_dot (delta t) => /Rabs_le_between; split; last lra.
lra.
Qed.

Lemma label_gap_gt0 t : Q t -> S (group_of t) -> 0 < dot (delta t) v.
Proof. by move=> Qt St; have [h1 h2] := gap_ge Qt St; have := Rmult_lt_0_compat _ _ r_gt0 h2; lra. Qed.

Lemma lost_term i t : S i -> others i t -> 0 <= attention w t * dot (delta t) v.
Proof.
move=> Si /andP[Qt /eqP gt]; have g0 : 0 < dot (delta t) v by apply: label_gap_gt0 => //; rewrite gt.
by apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | lra].
Qed.

Lemma path_lost_ge0 i : S i -> 0 <= lost v w i.
Proof. by move=> Si; apply: sum_ge0 => t; exact: lost_term. Qed.

(* ---- (3) the selected tokens' scores ---- *)

Lemma selected_ge i : S i -> low <= dot (kappa i) v.
Proof. by move=> Si; have := path_output_ge i; rewrite (joint_output_lost g alpha); have := path_lost_ge0 Si; lra. Qed.

Lemma selected_le i : S i -> mu i * (dot (kappa i) v - low) <= r * eps + spread.
Proof.
move=> Si; have total : \sum_(j | S j) mu j * (dot (kappa j) v - low) <= r * eps + spread.
  have -> : \sum_(j | S j) mu j * (dot (kappa j) v - low) = Gamma * dot u v - low.
    rewrite -dotZl -mu_balance dot_combinel -[low in RHS]Rmult_1_l -mu_one sum_mulr -sumB.
    by apply: eq_bigr => j _; ring.
  have c : dot u v <= r by have := dot_le_norms u v; rewrite u_one; lra.
  have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ Gamma_gt0) c; rewrite /joint_floor; lra.
apply: Rle_trans total; apply: (sum_term_le (F := fun j => mu j * (dot (kappa j) v - low))) => // j Sj.
by have := selected_ge Sj; have := mu_ge0 Sj => m0 k0; apply: Rmult_le_pos; lra.
Qed.

(* ---- (4) against (v, w') ---- *)

Lemma compared_lost i : S i -> 0 <= lost v w' i <= r * eta * total_length i.
Proof.
move=> Si; split.
  apply: sum_ge0 => t /andP[Qt /eqP gt]; have g0 : 0 < dot (delta t) v by apply: label_gap_gt0 => //; rewrite gt.
  by apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | lra].
rewrite /total_length sum_mull; apply: sum_le => t ti; have := path_point_share ti; rewrite /decay_at Si => a1.
have -> : r * eta * (copies t * vnorm (delta t)) = copies t * eta * (vnorm (delta t) * r) by ring.
apply: (Rle_trans _ (attention w' t * (vnorm (delta t) * r))).
  apply: Rmult_le_compat_l; first exact/Rlt_le/attention_gt0.
  apply: Rle_trans (dot_le_norms _ _) _; apply: Rmult_le_compat_l => //; exact: vnorm_ge0.
apply: Rmult_le_compat_r a1; apply: Rmult_le_pos; [exact: vnorm_ge0 | lra].
Qed.

Lemma compared_outside i : ~~ S i -> l (f v w' i) <= exp (- (r * Gamma)) * eta.
Proof.
move=> nSi; have [E e0] := loose nSi; have a0 := ahead nSi.
have s0 := joint_reach_small more nSi; have s1 := joint_lean_large bounds nSi.
have out : r * (Gamma + excess i / 4) <= f v w' i.
  have at_ray : r * (Gamma + excess i / 2) <= f (r * u)%V w' i.
    rewrite (joint_output_lost g alpha) dotZr E; have := path_point_lost i; rewrite /decay_at (negbTE nSi) => lo.
    by have := Rmult_le_compat_l r _ _ (ltac:(lra)) s1; nra.
  have moved : f (r * u)%V w' i - r * (h * reach i) <= f v w' i.
    have -> : r * (h * reach i) = \sum_(t | group_of t == i) attention w' t * (r * (h * reach i)).
      by rewrite -sum_mulr (attention_sum alpha); ring.
    rewrite /joint_output /output -sumB; apply: sum_le => t /eqP gt.
    rewrite -Rmult_minus_distr_l; apply: Rmult_le_compat_l; first exact/Rlt_le/attention_gt0.
    rewrite /= dotZr; have := near_dot (g t) => /Rabs_le_between near.
    have nSt : ~~ S (group_of t) by rewrite gt.
    have := joint_reach_ge more nSt; rewrite gt => far; have := Rmult_le_compat_l h _ _ h_ge0 far => far'.
    by have := Rmult_le_compat_l r _ _ (ltac:(lra)) far'; lra.
  by have := Rmult_le_compat_l r _ _ (ltac:(lra)) s0; nra.
apply: Rle_trans (tail_le tail _) _; rewrite -exp_plus; apply: exp_monotone.
have : height <= gamma * radius.
  have := Rmult_le_compat_r beta _ _ beta_ge0 plain_le; rewrite /path_lift; nra.
nra.
Qed.

Definition path_mass : R := \sum_(i | S i) exp (- dot (kappa i) v) * (lost v w' i * exp (lost v w' i)) +
  groups_outside * (exp (- (r * Gamma)) * eta).

Notation mass := path_mass.

Lemma compared i : S i -> fall * exp (- dot (kappa i) v) * lost v w i <= mass.
Proof.
move=> Si; have [_ _ min] := minimiser; have le := min v w' v_short path_point_short.
have w0 := @weight_gt0 p i.
pose gain j := if S j then fall * exp (- dot (kappa j) v) * lost v w j else 0.
pose cost j := if S j then exp (- dot (kappa j) v) * (lost v w' j * exp (lost v w' j))
               else exp (- (r * Gamma)) * eta.
pose base j := if S j then l (dot (kappa j) v) else 0.
have gain0 j : 0 <= gain j.
  rewrite /gain; case Sj: (S j); last exact: Rle_refl.
  apply: Rmult_le_pos; last exact: path_lost_ge0.
  by apply: Rmult_le_pos; [lra | exact/Rlt_le/exp_pos].
have below j : base j + gain j <= l (f v w j).
  rewrite /base /gain; case Sj: (S j); last by have := tail_gt0 tail (f v w j); lra.
  have d0 := path_lost_ge0 Sj; have k0 := selected_ge Sj.
  have fE : f v w j = dot (kappa j) v - lost v w j by exact: joint_output_lost.
  have fk : f v w j <= dot (kappa j) v by lra.
  have [z [[z1 z2] E]] := loss_mean_value (tail_domain tail (f v w j)) fk.
  have := tail_convex tail z2 => cv; have := tail_slope_ge tail (x := dot (kappa j) v) (ltac:(lra)) => sg.
  have := Rmult_le_compat_r _ _ _ d0 (Rle_trans _ _ _ sg cv).
  have -> : lost v w j = dot (kappa j) v - f v w j by lra.
  lra.
have above j : l (f v w' j) <= base j + cost j.
  rewrite /base /cost; case Sj: (S j); last first.
    by rewrite Rplus_0_l; apply: compared_outside; rewrite Sj.
  have [d0 _] := compared_lost Sj; have fE : f v w' j = dot (kappa j) v - lost v w' j by exact: joint_output_lost.
  have fk : f v w' j <= dot (kappa j) v by lra.
  have [z [[z1 z2] E]] := loss_mean_value (tail_domain tail (f v w' j)) fk.
  have sl : - dloss l z <= exp (- f v w' j).
    by apply: Rle_trans (tail_slope_le tail _) _; apply: exp_monotone; lra.
  have -> : exp (- dot (kappa j) v) * (lost v w' j * exp (lost v w' j)) = exp (- f v w' j) * lost v w' j.
    rewrite (_ : - f v w' j = - dot (kappa j) v + lost v w' j); last by rewrite fE; ring.
    by rewrite exp_plus; ring.
  have := Rmult_le_compat_r _ _ _ d0 sl; have -> : lost v w' j = dot (kappa j) v - f v w' j by lra.
  lra.
have totals : \sum_j weight j * (base j + gain j) <= \sum_j weight j * (base j + cost j).
  apply: (Rle_trans _ (joint_loss g l v w)).
    by apply: sum_le => j _; apply: Rmult_le_compat_l; [exact/Rlt_le/weight_gt0 | exact: below].
  apply: Rle_trans le _.
  by apply: sum_le => j _; apply: Rmult_le_compat_l; [exact/Rlt_le/weight_gt0 | exact: above].
have g0 : 0 < groups by apply: (Rmult_lt_reg_l (weight i)) => //; rewrite (joint_weights bounds); lra.
have {}totals : \sum_j gain j <= \sum_j cost j.
  have drop (F : group p -> R) : groups * (\sum_j weight j * F j) = \sum_j F j.
    by rewrite sum_mull; apply: eq_bigr => j _; rewrite -Rmult_assoc (Rmult_comm groups) (joint_weights bounds); ring.
  have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ g0) totals; rewrite !drop !sumD; lra.
have <- : gain i = fall * exp (- dot (kappa i) v) * lost v w i by rewrite /gain Si.
have <- : \sum_j cost j = mass.
  rewrite /path_mass /groups_outside sum_mulr (bigID S) /=; congr (_ + _); apply: eq_bigr => j; rewrite /cost.
    by move=> ->.
  by move/negbTE=> ->; ring.
apply: Rle_trans totals; exact: (sum_term_le (F := gain)).
Qed.

Lemma groups_outside_ge0 : 0 <= groups_outside.
Proof. by apply: sum_ge0 => i _; lra. Qed.

Lemma total_length_ge0 i : 0 <= total_length i.
Proof. by apply: sum_ge0 => t _; apply: Rmult_le_pos; [exact/Rlt_le/copies_gt0 | exact: vnorm_ge0]. Qed.

Lemma lost_early i : S i -> 0 < mu i -> r * eta <= b ->
  lost v w i <= r * eta * (exp ((steepest * b + spread) / mu i) * grown / fall).
Proof.
move=> Si m0 early; have H := compared Si; set k := dot (kappa i) v in H.
have re0 : 0 <= r * eta by apply: Rmult_le_pos; lra.
have near : k - low <= (steepest * b + spread) / mu i.
  apply: (Rmult_le_reg_l (mu i)) => //; have -> : mu i * ((steepest * b + spread) / mu i) = steepest * b + spread.
    by field; lra.
  apply: Rle_trans (selected_le Si) _; rewrite /path_cost.
  by have := Rmult_le_compat_l _ _ _ steepest_ge0 early; lra.
have below_ray : low <= r * Gamma by rewrite /joint_floor; have := Rmult_le_pos _ _ (Rlt_le _ _ r_gt0) eps_ge0; lra.
have bound : mass * exp low <= r * eta * grown.
  rewrite /path_mass /grown Rmult_plus_distr_r Rmult_plus_distr_l; apply: Rplus_le_compat.
    rewrite sum_mulr sum_mull; apply: sum_le => j Sj; have [d0 d1] := compared_lost Sj.
    have t0 := total_length_ge0 j.
    have e1 : exp (- dot (kappa j) v) * exp low <= 1.
      by rewrite -exp_plus -exp_0; apply: exp_monotone; have := selected_ge Sj; lra.
    have e2 : exp (lost v w' j) <= exp (b * total_length j).
      by apply: exp_monotone; apply: Rle_trans d1 _; exact: Rmult_le_compat_r.
    have e3 : lost v w' j * exp (lost v w' j) <= r * eta * total_length j * exp (b * total_length j).
      by apply: Rmult_le_compat => //; exact/Rlt_le/exp_pos.
    have f0 : 0 <= lost v w' j * exp (lost v w' j) by apply: Rmult_le_pos => //; exact/Rlt_le/exp_pos.
    by have := Rmult_le_compat_r _ _ _ f0 e1; lra.
  have -> : groups_outside * (exp (- (r * Gamma)) * eta) * exp low =
      groups_outside * eta * (exp (- (r * Gamma)) * exp low) by ring.
  have o0 := groups_outside_ge0; have oe : 0 <= groups_outside * eta by apply: Rmult_le_pos; lra.
  have e1 : exp (- (r * Gamma)) * exp low <= 1.
    by rewrite -exp_plus -exp_0; apply: exp_monotone; lra.
  have ratio : 1 <= r / r0.
    apply: (Rmult_le_reg_r r0) => //; have -> : r / r0 * r0 = r by field; lra.
    lra.
  have := Rmult_le_compat_l _ _ _ oe e1; have := Rmult_le_compat_l _ _ _ oe ratio.
  have -> : r * eta * (groups_outside / r0) = groups_outside * eta * (r / r0) by rewrite /Rdiv; ring.
  lra.
have grown0 : 0 <= grown.
  apply: Rplus_le_le_0_compat.
    by apply: sum_ge0 => j _; apply: Rmult_le_pos; [exact: total_length_ge0 | exact/Rlt_le/exp_pos].
  by apply: Rmult_le_pos; [exact: groups_outside_ge0 | exact/Rlt_le/Rinv_0_lt_compat].
have ek := exp_pos k.
have : lost v w i * fall <= mass * exp k.
  have E : exp (- k) * exp k = 1 by rewrite -exp_plus (_ : - k + k = 0) ?exp_0 //; ring.
  have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ ek) H.
  have -> : fall * exp (- k) * lost v w i * exp k = lost v w i * fall * (exp (- k) * exp k) by ring.
  by rewrite E; lra.
have -> : exp k = exp low * exp (k - low) by rewrite -exp_plus; congr exp; ring.
have e4 : exp (k - low) <= exp ((steepest * b + spread) / mu i) := exp_monotone near.
have s1 := Rmult_le_compat_r _ _ _ (Rlt_le _ _ (exp_pos (k - low))) bound.
have s2 := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ re0 grown0) e4.
move=> s3; apply: (Rmult_le_reg_r fall) => //.
have -> : r * eta * (exp ((steepest * b + spread) / mu i) * grown / fall) * fall =
    r * eta * grown * exp ((steepest * b + spread) / mu i) by field; lra.
lra.
Qed.

Lemma share_small t : Q t -> S (group_of t) -> m t <> 0 -> attention w t <= Rmax (path_early t) path_late * eta.
Proof.
move=> Qt St mt; have m0 := joint_held more Qt St mt; set i := group_of t in St m0 *.
have ti : others i t := others_self Qt; case: (Rle_lt_dec (r * eta) b) => [early | late].
  apply: (Rle_trans _ (path_early t * eta)); last first.
    by apply: Rmult_le_compat_r; [lra | exact: Rmax_l].
  have [g1 g0] := gap_ge Qt St; have small := lost_early St m0 early.
  have term : attention w t * dot (delta t) v <= lost v w i.
    by apply: (sum_term_le (F := fun s => attention w s * dot (delta s) v)) => // s; exact: lost_term.
  have a0 := attention_gt0 w t.
  have s1 := Rmult_le_compat_l _ _ _ (Rlt_le _ _ a0) g1.
  apply: (Rmult_le_reg_r (r * (dot (delta t) u - h * vnorm (delta t)))); first exact: Rmult_lt_0_compat.
  have -> : path_early t * eta * (r * (dot (delta t) u - h * vnorm (delta t))) =
      r * eta * (exp ((steepest * b + spread) / mu i) * grown / fall).
    by rewrite /path_early -/i; field; repeat split; lra.
  lra.
apply: (Rle_trans _ (path_late * eta)); last by apply: Rmult_le_compat_r; [lra | exact: Rmax_r].
have part : attention w t <= 1 - attention w (alpha i).
  rewrite attention_deficit_sum; apply: (sum_term_le (F := attention w)) => // s _; exact/Rlt_le/attention_gt0.
apply: Rle_trans part _; have q := path_deficit St; apply: (Rmult_le_reg_l nu) => //; apply: Rle_trans q _.
have -> : nu * (path_late * eta) = steepest * eta + spread / b * eta by rewrite /path_late; field; lra.
rewrite /path_gap -/path_cost; apply: Rplus_le_compat_l.
have -> : spread / b * eta = spread * (eta / b) by rewrite /Rdiv; ring.
rewrite /Rdiv; apply: Rmult_le_compat_l => //.
apply: (Rmult_le_reg_l (r * b)); first exact: Rmult_lt_0_compat.
have -> : r * b * / r = b by field; lra.
have -> : r * b * (eta * / b) = r * eta by field; lra.
lra.
Qed.

Lemma kept_gt0 : 0 < 1 - x / nu.
Proof.
have : x / nu < 1 by apply: (Rmult_lt_reg_r nu) => //; have -> : x / nu * nu = x; [field; lra | lra].
lra.
Qed.

Lemma share_kept i : S i -> 1 - x / nu <= attention w (alpha i).
Proof.
move=> Si; have q := path_deficit Si.
suff : 1 - attention w (alpha i) <= x / nu by lra.
apply: (Rmult_le_reg_l nu) => //; have -> : nu * (x / nu) = x by field; lra.
lra.
Qed.

Lemma margin_on t : Q t -> S (group_of t) -> m t <> 0 -> height - path_level t <= margin w t.
Proof.
move=> Qt St mt; have sm := share_small Qt St mt; have sk := share_kept St; have k0 := kept_gt0.
have c0 := copies_gt0 alpha t; have em := exp_pos (- margin w t); set K := Rmax _ _ in sm.
have K0 : 0 < K by apply: (Rmult_lt_reg_r eta) => //; have := attention_gt0 w t; lra.
rewrite /path_level St -/K; have ck : 0 < copies t * (1 - x / nu) by exact: Rmult_lt_0_compat.
have le : copies t * (1 - x / nu) * exp (- margin w t) <= K * eta.
  apply: Rle_trans sm; rewrite (attention_other w (others_self Qt)).
  by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ (Rmult_lt_0_compat _ _ c0 em)) sk; lra.
have : exp (height - margin w t) <= K / (copies t * (1 - x / nu)).
  apply: (Rmult_le_reg_r (copies t * (1 - x / nu) * eta)); first exact: Rmult_lt_0_compat.
  have -> : K / (copies t * (1 - x / nu)) * (copies t * (1 - x / nu) * eta) = K * eta by field; lra.
  have -> : exp (height - margin w t) * (copies t * (1 - x / nu) * eta) =
      copies t * (1 - x / nu) * exp (- margin w t) * (exp height * eta).
    by rewrite /Rminus exp_plus; ring.
  have -> : exp height * eta = 1 by rewrite /path_decay -exp_plus (_ : height + - height = 0) ?exp_0 //; ring.
  lra.
move=> e1; have : height - margin w t <= ln (K / (copies t * (1 - x / nu))).
  rewrite -[X in X <= _]ln_exp; case: e1 => [lt | ->]; last by right.
  by left; apply: ln_increasing => //; exact: exp_pos.
lra.
Qed.

(* ---- (5) groups off S ---- *)

Lemma share_off t : Q t -> ~~ S (group_of t) -> m t <> 0 ->
  1 - path_share (group_of t) <= attention w (alpha (group_of t)).
Proof.
move=> Qt nSt mt; set i := group_of t in nSt *; have [E e0] := loose nSt.
have [b0 _] := joint_shares_left more Qt nSt mt.
rewrite -/i in b0; have q0 := deficit_ge0 alpha w i; set q := 1 - attention w (alpha i) in q0 *.
have up : f v w i <= r * (Gamma + excess i - q * (Gamma + excess i - best i) + reach i * h).
  have -> : r * (Gamma + excess i - q * (Gamma + excess i - best i) + reach i * h) =
      attention w (alpha i) * (r * (Gamma + excess i + reach i * h)) +
      \sum_(s | others i s) attention w s * (r * (best i + reach i * h)).
    by rewrite -sum_mulr -attention_deficit_sum /q; ring.
  rewrite /joint_output /output (group_sum alpha) /=.
  have bound s c : group_of s = i -> dot (g s) u <= c -> dot (g s) v <= r * (c + reach i * h).
    move=> gs le; have nSs : ~~ S (group_of s) by rewrite gs.
    have := near_dot (g s) => /Rabs_le_between near; have := joint_reach_ge more nSs; rewrite gs => far.
    have far' := Rmult_le_compat_l h _ _ h_ge0 far.
    have := Rmult_le_compat_l r _ _ (ltac:(lra)) far'; have := Rmult_le_compat_l r _ _ (ltac:(lra)) le; lra.
  apply: Rplus_le_compat.
    apply: Rmult_le_compat_l; first exact/Rlt_le/attention_gt0.
    by apply: bound; [exact: group_of_pick | rewrite -E; right].
  apply: sum_le => s /andP[Qs /eqP gs]; apply: Rmult_le_compat_l; first exact/Rlt_le/attention_gt0.
  by apply: bound => //; rewrite -gs; apply: (joint_best_ge more) => //; rewrite gs.
have lo := path_output_ge i; rewrite lowE in lo.
have : Gamma - y <= Gamma + excess i - q * (Gamma + excess i - best i) + reach i * h.
  by apply: (Rmult_le_reg_l r) => //; lra.
move=> H; suff : q <= path_share i by rewrite /q; lra.
apply: (Rmult_le_reg_r (Gamma + excess i - best i)); first lra.
have -> : path_share i * (Gamma + excess i - best i) = excess i + x + reach i * h by rewrite /path_share; field; lra.
lra.
Qed.

Lemma margin_off t : Q t -> ~~ S (group_of t) -> m t <> 0 -> - path_level t <= margin w t.
Proof.
move=> Qt nSt mt; have sk := share_off Qt nSt mt; have [_ th] := joint_shares_left more Qt nSt mt.
rewrite /path_level (negbTE nSt); set k := copies t * (1 - path_share (group_of t)).
have c0 := copies_gt0 alpha t; have k0 : 0 < k by apply: Rmult_lt_0_compat; lra.
suff : ln k <= margin w t by have := Rmax_l (- ln k) 0; lra.
rewrite -(ln_exp (margin w t)); have em := exp_pos (margin w t).
suff le : k <= exp (margin w t) by case: le => [lt | ->]; [left; exact: ln_increasing | right].
have one := attention_le1 alpha w t; rewrite (attention_other w (others_self Qt)) in one.
have E : exp (- margin w t) * exp (margin w t) = 1 by rewrite -exp_plus (_ : - _ + _ = 0) ?exp_0 //; ring.
have s1 := Rmult_le_compat_r _ _ _ (Rlt_le _ _ em) one.
have s2 := Rmult_le_compat_l _ _ _ (Rlt_le _ _ c0) sk.
have s3 : attention w (alpha (group_of t)) * (copies t * exp (- margin w t)) * exp (margin w t) =
  attention w (alpha (group_of t)) * copies t by rewrite -[RHS]Rmult_1_r -E; ring.
by rewrite /k; lra.
Qed.

Lemma attention_height : height - joint_rate <= gamma * dot n w.
Proof.
rewrite -dotZl -m_balance dot_combinel.
have -> : height = \sum_(t | Q t) m t * (if S (group_of t) then height else 0).
  rewrite -[LHS]Rmult_1_l -m_one sum_mulr big_mkcondr; apply: eq_bigr => t _.
  by case: (S _); ring.
rewrite /joint_rate -sumB; apply: sum_le => t Qt; have m0 := m_ge0 Qt.
rewrite -Rmult_minus_distr_l; case: (Req_dec (m t) 0) => [-> | mt]; first by lra.
apply: Rmult_le_compat_l => //; case: (boolP (S (group_of t))) => St; first exact: margin_on.
by have := margin_off Qt St mt; rewrite /Selection.margin; lra.
Qed.

Theorem joint_attention : 0 < radius -> 1 - dot n w / radius <= (joint_rate + (gamma - plain) * beta) / gamma / radius.
Proof.
move=> radius0; have H := attention_height; apply: (Rmult_le_reg_r (radius * gamma)); first exact: Rmult_lt_0_compat.
have -> : (1 - dot n w / radius) * (radius * gamma) = gamma * radius - gamma * dot n w by field; lra.
have -> : (joint_rate + (gamma - plain) * beta) / gamma / radius * (radius * gamma) =
    joint_rate + (gamma - plain) * beta.
  by field; lra.
rewrite /path_lift in H; lra.
Qed.
End JointPathAttention.
