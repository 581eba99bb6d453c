(* ClassifierLines: T12n for cross-entropy of any number of classes (DYNAMICS.md section 11).

   Where little attention is off the selected tokens, the loss along a line curves at most Dm^2 (1 + phi) times Om, and
   Om changes at most Dm (1 + phi) times itself. Om is the mean of the gaps under the attention, times the selected
   attention; all that the classes add to a loss of one output are covariances under their softmax, of numbers that the
   attention off the selected tokens makes small. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Moments Heads Iteration Direction Reference Growth Saturation
                           FactorRange HeadRuns HeadRanges LockInNormalised NormalisedDescent ClassifierHead
                           ClassifierLockIn ClassifierDescent ClassifierBend ClassifierPolyak.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section ClassifierLines.
Variables (p : selection_problem) (V : finType) (G : token p -> V -> R) (y : group p -> V) (alpha : selection p).
Implicit Types (t c : token p) (i : group p) (j k : V) (z v : vec (coord p)).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation h := (classifier_head G y).
Notation inside i := (fun t : token p => group_of t == i).
Notation change := (class_change G y alpha).
Notation delta z i := (mean_gap alpha h z i).

Definition class_mass z : R := \sum_i weight i * (attention z (alpha i) * delta z i).

Lemma class_mass_weights z :
  \sum_(t | Q t) gibbs_weight (Delta alpha) (head_factor alpha h z) z t = class_mass z.
Proof. by rewrite class_weights_grouped; apply: eq_bigr => i _; rewrite mean_gap_weights. Qed.

(* e_k: how far the mean of a class is from where all attention is on the selected token *)
Definition class_drift z i k : R :=
  class_average G i (attention z) k - class_average G i (attention z) (y i) - class_start G y alpha i k.

Definition mean_gap_slope z i v : R :=
  (\sum_k class_share G i (attention z) k *
    ((class_slope G z i v k - mean_class_slope G z i v) * class_drift z i k)) +
  (mean_class_slope G z i v - class_slope G z i v (y i)).

Lemma is_derive_mean_gap z v i x :
  is_derive (fun a => delta (z + a * v)%V i) x (mean_gap_slope (z + x * v)%V i v).
Proof.
apply: (is_derive_ext (fun a => \sum_k class_share G i (attention (z + a * v)%V) k * class_drift (z + a * v)%V i k))
  => [a|]; first by rewrite mean_gap_classes.
set zx := (z + x * v)%V.
have drift k : is_derive (fun a => class_drift (z + a * v)%V i k) x
    (class_slope G zx i v k - class_slope G zx i v (y i)).
  have d := is_derive_minus _ _ _ _ _ (is_derive_class_mean G z v i k x) (is_derive_class_mean G z v i (y i) x).
  have := is_derive_minus _ _ _ _ _ d (is_derive_const (class_start G y alpha i k) x).
  by apply: is_derive_ext_eq; rewrite -/zx /minus /plus /opp /zero /=; ring.
have -> : mean_gap_slope zx i v = \sum_k (class_share G i (attention zx) k *
    (class_slope G zx i v k - mean_class_slope G zx i v) * class_drift zx i k +
    class_share G i (attention zx) k * (class_slope G zx i v k - class_slope G zx i v (y i))).
  rewrite /mean_gap_slope sumD; congr (_ + _); first by apply: eq_bigr => k _; ring.
  have q1 := class_share_sum G y i (attention zx).
  have -> : mean_class_slope G zx i v - class_slope G zx i v (y i) = mean_class_slope G zx i v -
    (\sum_k class_share G i (attention zx) k) * class_slope G zx i v (y i) by rewrite q1; ring.
  by rewrite /mean_class_slope sum_mulr -sumB; apply: eq_bigr => k _; ring.
apply: is_derive_sum => k _.
exact: is_derive_mult (is_derive_class_share G z v i k x) (drift k) Rmult_comm.
Qed.

Definition class_mass_slope z v : R := \sum_i weight i *
  (attention z (alpha i) * (logit v (alpha i) - mean_logit z i v) * delta z i +
   attention z (alpha i) * mean_gap_slope z i v).

Lemma is_derive_class_mass z v x :
  is_derive (fun a => class_mass (z + a * v)%V) x (class_mass_slope (z + x * v)%V v).
Proof.
apply: is_derive_sum => i _; apply: is_derive_scal.
have ds := is_derive_attention z v (alpha i) x; rewrite group_of_pick in ds.
exact: is_derive_mult ds (is_derive_mean_gap z v i x) Rmult_comm.
Qed.

(* ---- one group ---- *)

Variable Dm : R.
Hypothesis diameter : forall t c : token p, group_of t = group_of c -> vnorm (feature t - feature c) <= Dm.
Variables (eps width chi : group p -> R) (phi : R).
Hypothesis width_ge : forall i t j k, others i t -> Rabs (change t j - change t k) <= width i.
Hypothesis eps_lt1 : forall i, eps i < 1.
Hypothesis phi_ge : forall i, eps i * (width i * chi i) <= phi * (1 - eps i).
Hypotheses (phi_ge0 : 0 <= phi) (width_ge0 : forall i, 0 <= width i) (chi_ge0 : forall i, 0 <= chi i).

Section Group.
Variables (z v : vec (coord p)) (i : group p).
Hypothesis v_unit : vnorm v = 1.
Hypothesis attended : 1 - attention z (alpha i) <= eps i.
Hypothesis pulls : forall t, others i t -> 0 <= slope_gap alpha h z t - delta z i.
Hypothesis steep : forall t, others i t ->
  \sum_k class_share G i (attention z) k * Rabs (change t k) <= chi i * slope_gap alpha h z t.
Notation s := (attention z).
Notation q k := (class_share G i (attention z) k).
Notation m := (mean_logit z i v).
Notation off := (1 - s (alpha i)).
Notation mass := (s (alpha i) * delta z i).
Notation slope k := (class_slope G z i v k).
Notation average F := (\sum_k q k * F k).
Let c k : R := slope k - slope (y i).
Let s_ge0 t : 0 <= s t := Rlt_le _ _ (attention_gt0 z t).
Let q_ge0 k : 0 <= q k := Rlt_le _ _ (class_share_gt0 G y i (attention z) k).
Let q1 : \sum_k q k = 1 := class_share_sum G y i (attention z).
Let D0 : 0 <= Dm := common_diameter_ge0 alpha diameter i.

Lemma class_off : 0 <= off <= eps i.
Proof. by have := attention_le1 alpha z (alpha i); lra. Qed.

Lemma class_mass_sum : \sum_(t | others i t) s t * (slope_gap alpha h z t - delta z i) = mass.
Proof. exact: mean_gap_weights. Qed.

Lemma class_mass_ge0 : 0 <= mass.
Proof. by rewrite -class_mass_sum; apply: sum_ge0 => t ti; apply: Rmult_le_pos => //; exact: pulls. Qed.

Lemma class_delta_ge0 : 0 <= delta z i.
Proof.
have m0 := class_mass_ge0; have a0 := attention_gt0 z (alpha i).
by apply: (Rmult_le_reg_l (s (alpha i))) => //; rewrite Rmult_0_r.
Qed.

Let near t (ti : others i t) : Rabs (logit v t - m) <= Dm.
Proof. by apply: (mean_deviation_le alpha diameter z v_unit); case/andP: ti => _ /eqP. Qed.

Lemma class_slope_change k : c k = \sum_(t | others i t) s t * (change t k * (logit v t - m)).
Proof.
have zero : \sum_(t | group_of t == i) s t * (logit v t - m) = 0.
  have := attention_sum alpha z i => one; have -> : \sum_(t | group_of t == i) s t * (logit v t - m) =
      m - (\sum_(t | group_of t == i) s t) * m.
    by rewrite /mean_logit sum_mulr -sumB; apply: eq_bigr => t _; ring.
  by rewrite one; ring.
have each l : slope l = \sum_(t | group_of t == i) s t * (G t l * (logit v t - m)).
  rewrite /class_slope (covariance_centred (attention_sum alpha z i)) /mean.
  rewrite -[\sum_(t | _) s t * logit v t]/(mean_logit z i v); set b := \sum_(t | _) s t * G t l.
  have -> : \sum_(t | group_of t == i) s t * (G t l * (logit v t - m)) =
      (\sum_(t | group_of t == i) s t * (G t l * (logit v t - m))) -
      b * \sum_(t | group_of t == i) s t * (logit v t - m) by rewrite zero; ring.
  by rewrite sum_mull -sumB; apply: eq_bigr => t _; ring.
have -> : c k = (\sum_(t | group_of t == i) s t * (G t k * (logit v t - m))) -
    (\sum_(t | group_of t == i) s t * (G t (y i) * (logit v t - m))) -
    class_start G y alpha i k * \sum_(t | group_of t == i) s t * (logit v t - m).
  by rewrite zero /c !each; ring.
rewrite sum_mull -!sumB (group_sum alpha).
have -> : s (alpha i) * (G (alpha i) k * (logit v (alpha i) - m)) - s (alpha i) * (G (alpha i) (y i) *
  (logit v (alpha i) - m)) - class_start G y alpha i k * (s (alpha i) * (logit v (alpha i) - m)) = 0.
  by rewrite /class_start; ring.
rewrite Rplus_0_l; apply: eq_bigr => t /andP[_ /eqP ti]; rewrite /class_change ti; ring.
Qed.

Lemma class_slopes_apart j k : Rabs (c j - c k) <= Dm * (off * width i).
Proof.
rewrite !class_slope_change -sumB; apply: Rle_trans (sum_abs _ _ _) _.
have -> : Dm * (off * width i) = \sum_(t | others i t) s t * (width i * Dm).
  by rewrite -sum_mulr -(attention_deficit_sum alpha); ring.
apply: sum_le => t ti.
have -> : s t * (change t j * (logit v t - m)) - s t * (change t k * (logit v t - m)) =
  s t * ((change t j - change t k) * (logit v t - m)) by ring.
rewrite Rabs_mult (Rabs_pos_eq (s t)) // Rabs_mult; apply: Rmult_le_compat_l => //.
by apply: Rmult_le_compat; [exact: Rabs_pos | exact: Rabs_pos | exact: width_ge | exact: near].
Qed.

Lemma class_drifts_apart j k : Rabs (class_drift z i j - class_drift z i k) <= off * width i.
Proof.
have E l : class_drift z i l = \sum_(t | others i t) s t * change t l.
  by rewrite /class_drift (class_mean_change G y alpha); ring.
rewrite !E -sumB; apply: Rle_trans (sum_abs _ _ _) _; rewrite (attention_deficit_sum alpha) sum_mulr.
apply: sum_le => t ti; rewrite -Rmult_minus_distr_l Rabs_mult (Rabs_pos_eq (s t)) //.
by apply: Rmult_le_compat_l => //; exact: width_ge.
Qed.

Lemma class_slopes_mean : average (fun k => Rabs (c k)) <= Dm * (chi i * delta z i).
Proof.
have each k : Rabs (c k) <= \sum_(t | others i t) s t * (Rabs (change t k) * Dm).
  rewrite class_slope_change; apply: Rle_trans (sum_abs _ _ _) _; apply: sum_le => t ti.
  rewrite Rabs_mult (Rabs_pos_eq (s t)) // Rabs_mult; apply: Rmult_le_compat_l => //.
  by apply: Rmult_le_compat_l; [exact: Rabs_pos | exact: near].
apply: (Rle_trans _ (\sum_k q k * \sum_(t | others i t) s t * (Rabs (change t k) * Dm))).
  by apply: sum_le => k _; apply: Rmult_le_compat_l.
rewrite (eq_bigr (fun k => \sum_(t | others i t) q k * (s t * (Rabs (change t k) * Dm)))) => [|k _];
  last by rewrite -sum_mull.
rewrite exchange_big /= /mean_gap.
have -> : Dm * (chi i * \sum_(t | others i t) s t * slope_gap alpha h z t) =
    \sum_(t | others i t) s t * (Dm * (chi i * slope_gap alpha h z t)).
  by rewrite !sum_mull; apply: eq_bigr => t _; ring.
apply: sum_le => t ti.
have -> : \sum_k q k * (s t * (Rabs (change t k) * Dm)) = s t * (Dm * \sum_k q k * Rabs (change t k)).
  by rewrite !sum_mull; apply: eq_bigr => k _; ring.
by apply: Rmult_le_compat_l => //; apply: Rmult_le_compat_l => //; exact: steep.
Qed.

(* A covariance under the softmax, of numbers at most r apart. *)
Lemma class_covariance (e : V -> R) r : (forall j k, Rabs (e j - e k) <= r) ->
  average (fun k => (c k - average c) * e k) <= r * (Dm * (chi i * delta z i)).
Proof.
move=> apart; have r0 : 0 <= r by apply: Rle_trans (apart (y i) (y i)); exact: Rabs_pos.
have centred : average (fun k => (c k - average c) * e k) = average (fun k => c k * (e k - average e)).
  have L : average (fun k => (c k - average c) * e k) = average (fun k => c k * e k) - average c * average e.
    by rewrite sum_mull -sumB; apply: eq_bigr => k _; ring.
  have R : average (fun k => c k * (e k - average e)) = average (fun k => c k * e k) - average c * average e.
    by rewrite sum_mulr -sumB; apply: eq_bigr => k _; ring.
  by rewrite L R.
have dev k : Rabs (e k - average e) <= r.
  have -> : e k - average e = \sum_j q j * (e k - e j).
    have -> : e k - average e = (\sum_j q j) * e k - average e by rewrite q1; ring.
    by rewrite sum_mulr -sumB; apply: eq_bigr => j _; ring.
  apply: Rle_trans (sum_abs _ _ _) _; have -> : r = \sum_j q j * r by rewrite -sum_mulr q1; ring.
  by apply: sum_le => j _; rewrite Rabs_mult (Rabs_pos_eq (q j)) //; apply: Rmult_le_compat_l.
rewrite centred; apply: Rle_trans (Rmult_le_compat_l _ _ _ r0 class_slopes_mean); rewrite sum_mull.
apply: sum_le => k _; have := Rle_abs (c k * (e k - average e)); rewrite Rabs_mult => le.
have := Rmult_le_compat_l _ _ _ (Rabs_pos (c k)) (dev k) => le'.
have := Rmult_le_compat_l _ _ _ (q_ge0 k) (Rle_trans _ _ _ le le'); lra.
Qed.

Let mean_slope_c : mean_class_slope G z i v = average c + slope (y i).
Proof.
have -> : average c = average (fun k => slope k) - (\sum_k q k) * slope (y i).
  by rewrite sum_mulr -sumB; apply: eq_bigr => k _; rewrite /c; ring.
by rewrite q1 /mean_class_slope; ring.
Qed.

(* The mean of the class slopes moves with the token's pulls. *)
Lemma class_slopes_pull : Rabs (average c) <= Dm * mass.
Proof.
have E : average c = \sum_(t | others i t) s t * (slope_gap alpha h z t * (logit v t - m)).
  rewrite (eq_bigr (fun k => \sum_(t | others i t) q k * (s t * (change t k * (logit v t - m))))) => [|k _].
    rewrite exchange_big /=; apply: eq_bigr => t /andP[_ /eqP ti]; rewrite classifier_gap ti.
    by rewrite sum_mulr sum_mull; apply: eq_bigr => k _; ring.
  by rewrite class_slope_change -sum_mull.
have deviation : \sum_(t | others i t) s t * (logit v t - m) = - (s (alpha i) * (logit v (alpha i) - m)).
  have := attention_sum alpha z i => one.
  have : \sum_(t | group_of t == i) s t * (logit v t - m) = 0.
    have -> : \sum_(t | group_of t == i) s t * (logit v t - m) = m - (\sum_(t | group_of t == i) s t) * m.
      by rewrite /mean_logit sum_mulr -sumB; apply: eq_bigr => t _; ring.
    by rewrite one; ring.
  by rewrite (group_sum alpha); lra.
have -> : average c = \sum_(t | others i t) s t * ((slope_gap alpha h z t - delta z i) *
    (logit v t - logit v (alpha i))).
  have -> : \sum_(t | others i t) s t * ((slope_gap alpha h z t - delta z i) * (logit v t - logit v (alpha i))) =
      (\sum_(t | others i t) s t * (slope_gap alpha h z t * (logit v t - m))) -
      delta z i * (\sum_(t | others i t) s t * (logit v t - m)) -
      (logit v (alpha i) - m) * (\sum_(t | others i t) s t * (slope_gap alpha h z t - delta z i)).
    by rewrite !sum_mull -!sumB; apply: eq_bigr => t _; ring.
  by rewrite E deviation class_mass_sum; ring.
apply: Rle_trans (sum_abs _ _ _) _; rewrite -class_mass_sum sum_mull; apply: sum_le => t ti.
have ig : group_of t = group_of (alpha i) by case/andP: ti => _ /eqP ->; rewrite group_of_pick.
rewrite Rabs_mult (Rabs_pos_eq (s t)) // Rabs_mult (Rabs_pos_eq (_ - delta z i)); last exact: pulls.
have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ (s_ge0 t) (pulls ti)) (logit_diff_le diameter v_unit ig); lra.
Qed.

Lemma class_phi : off * (width i * chi i) <= phi * s (alpha i).
Proof.
have [o0 o1] := class_off; have e1 := eps_lt1 i; have ph := phi_ge i.
have := Rmult_le_compat_r _ _ _ (Rmult_le_pos _ _ (width_ge0 i) (chi_ge0 i)) o1.
have : phi * (1 - eps i) <= phi * s (alpha i) by apply: Rmult_le_compat_l; lra.
lra.
Qed.

Let spread_phi : off * width i * (chi i * delta z i) <= phi * mass.
Proof. by have := Rmult_le_compat_r _ _ _ class_delta_ge0 class_phi; lra. Qed.

Lemma class_bent_line :
  (average (fun k => (slope k - mean_class_slope G z i v) * slope k))
   + (average (fun k => class_bent G z i v k)) - class_bent G z i v (y i) <= Dm * Dm * (1 + phi) * mass.
Proof.
have var : average (fun k => (slope k - mean_class_slope G z i v) * slope k) <= Dm * Dm * (phi * mass).
  have -> : average (fun k => (slope k - mean_class_slope G z i v) * slope k) =
      average (fun k => (c k - average c) * c k).
    have zero : average (fun k => c k - average c) = 0.
      have -> : average (fun k => c k - average c) = average c - (\sum_k q k) * average c.
        by rewrite [X in _ - X]sum_mulr -sumB; apply: eq_bigr => k _; ring.
      by rewrite q1; ring.
    have -> : average (fun k => (c k - average c) * c k) = average (fun k => (c k - average c) * c k) +
      slope (y i) * average (fun k => c k - average c) by rewrite zero; ring.
    by rewrite sum_mull -sumD; apply: eq_bigr => k _; rewrite mean_slope_c /c; ring.
  apply: Rle_trans (class_covariance class_slopes_apart) _.
  by have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ D0 D0) spread_phi; lra.
suff third : average (fun k => class_bent G z i v k) - class_bent G z i v (y i) <= Dm * Dm * mass by lra.
rewrite -class_bent_third -[third_moment _ _ _ _]/(third_moment (inside i) s (class_pull G y z i) (logit v)).
rewrite /third_moment {1}/mean (group_sum alpha).
have first : s (alpha i) * ((class_pull G y z i (alpha i) - mean (inside i) s (class_pull G y z i)) *
    ((logit v (alpha i) - m) * (logit v (alpha i) - m))) <= 0.
  have zero : slope_gap alpha h z (alpha i) = 0 by rewrite /slope_gap selected_pick; ring.
  rewrite (token_pull G y alpha z (group_of_pick alpha i)) zero.
  have := Rmult_le_pos _ _ (s_ge0 (alpha i)) (Rmult_le_pos _ _ class_delta_ge0 (Rle_0_sqr (logit v (alpha i) - m))).
  by rewrite /Rsqr; lra.
suff rest : \sum_(t | others i t) s t * ((class_pull G y z i t - mean (inside i) s (class_pull G y z i)) *
    ((logit v t - m) * (logit v t - m))) <= Dm * Dm * mass.
  by move: first rest; rewrite -[mean (inside i) s (logit v)]/m; lra.
rewrite -class_mass_sum sum_mull; apply: sum_le => t ti.
have ig : group_of t = i by case/andP: ti => _ /eqP.
rewrite (token_pull G y alpha z ig); have sq : (logit v t - m) * (logit v t - m) <= Dm * Dm.
  have /Rabs_le_between n := near ti; have : 0 <= (Dm - (logit v t - m)) * (Dm + (logit v t - m)).
    by apply: Rmult_le_pos; lra.
  lra.
have := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ (s_ge0 t) (pulls ti)) sq; lra.
Qed.

Lemma class_mass_line : s (alpha i) * (logit v (alpha i) - m) * delta z i + s (alpha i) * mean_gap_slope z i v <=
  Dm * (1 + phi) * mass.
Proof.
have a0 := attention_gt0 z (alpha i); have d0 := class_delta_ge0; have sp := spread_phi; have [o0 _] := class_off.
have s1 := attention_le1 alpha z (alpha i); have m0 := class_mass_ge0; have pull := class_slopes_pull.
have dev := selected_deviation_le alpha diameter z i v_unit.
have first : s (alpha i) * (logit v (alpha i) - m) * delta z i <= Dm * off * mass.
  have := Rmult_le_compat_r _ _ _ m0 (Rle_trans _ _ _ (Rle_abs _) dev); lra.
have cov : average (fun k => (slope k - mean_class_slope G z i v) * class_drift z i k) <= Dm * (phi * mass).
  have -> : average (fun k => (slope k - mean_class_slope G z i v) * class_drift z i k) =
      average (fun k => (c k - average c) * class_drift z i k).
    by apply: eq_bigr => k _; rewrite mean_slope_c /c; ring.
  by apply: Rle_trans (class_covariance class_drifts_apart) _; have := Rmult_le_compat_l _ _ _ D0 sp; lra.
have mean : mean_class_slope G z i v - slope (y i) <= Dm * mass.
  by rewrite mean_slope_c; have := Rle_abs (average c); lra.
have both : mean_gap_slope z i v <= Dm * (phi * mass) + Dm * mass by rewrite /mean_gap_slope; lra.
have second := Rmult_le_compat_l _ _ _ (Rlt_le _ _ a0) both.
have Dmass : 0 <= Dm * mass by exact: Rmult_le_pos.
have Dphi : 0 <= Dm * mass * phi by exact: Rmult_le_pos.
have := Rmult_le_compat_r _ _ _ Dphi s1; lra.
Qed.
End Group.

(* ---- what NormalisedDescent.v asks for ---- *)

Variable w0 : vec (coord p).
Hypothesis low : forall z, head_loss h z <= head_loss h w0 -> forall i,
  [/\ 1 - attention z (alpha i) <= eps i,
      forall t, others i t -> 0 <= slope_gap alpha h z t - delta z i &
      forall t, others i t -> \sum_k class_share G i (attention z) k * Rabs (change t k) <=
        chi i * slope_gap alpha h z t].

Theorem classifier_lines : 0 <= Dm -> lines_bounded (head_loss h) (head_gradient h) class_mass w0
  (LossLines (classifier_bent G y) class_mass_slope (Dm * Dm * (1 + phi)) (Dm * (1 + phi))).
Proof.
move=> D0; split=> /= [z v x|z v x|||z v Hz v1|z v Hz v1].
- exact: classifier_second.
- exact: is_derive_class_mass.
- by apply: Rmult_le_pos; [exact: Rle_0_sqr | lra].
- by apply: Rmult_le_pos; lra.
- rewrite /classifier_bent /class_mass sum_mull; apply: sum_le => i _; have [a b c] := low Hz i.
  have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (weight_gt0 i)) (class_bent_line v1 a b c); lra.
rewrite /class_mass_slope /class_mass sum_mull; apply: sum_le => i _; have [a b c] := low Hz i.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (weight_gt0 i)) (class_mass_line v1 a b c); lra.
Qed.
End ClassifierLines.
