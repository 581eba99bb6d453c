(* LocalAbsorbing: T11, the absorbing region of a locally optimal selection.

   P holds the constraints whose score gap is positive; it contains every tight constraint.  The other constraints, N,
   are better tokens that the margin problem leaves slack: their weights pull away from the selection, but they decay
   faster than the rest.  First for abstract factors, then for softmax attention.  The centre is w_0's own residual.
   *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Direction Reference Gibbs Progress Path Growth Inside Region
                           Saturation FactorRange PartialStep.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* x e^(-x) is largest at 1. *)
Lemma scaled_decay x : exp 1 * x <= exp x.
Proof.
have -> : exp x = exp 1 * exp (x - 1) by rewrite -exp_plus; congr exp; ring.
apply: Rmult_le_compat_l; first exact/Rlt_le/exp_pos.
by have := exp_ge_line (x - 1); lra.
Qed.

(* A quadratic with a negative leading coefficient, by completing the square. *)
Lemma concave_quadratic k beta M X : 0 < beta -> 0 < M -> k * X - beta * (X * X / M) <= k * k * M / (4 * beta).
Proof.
move=> b0 M0; have bM : 0 < beta / M by apply: Rdiv_lt_0_compat.
have := Rmult_le_pos _ _ (Rlt_le _ _ bM) (Rle_0_sqr (X - k * M / (2 * beta))).
rewrite /Rsqr; have -> : beta / M * ((X - k * M / (2 * beta)) * (X - k * M / (2 * beta)))
  = k * k * M / (4 * beta) - (k * X - beta * (X * X / M)) by field; lra.
lra.
Qed.

(* Around the natural centre the bound of the residual is a multiple of sqrt(y - y_0). *)
Lemma path_bound_sqr (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta) w0 M z :
  natural o w0 -> 0 < M -> on_path (reference_unit o) (reference_centre o) w0 M z ->
  path_bound (reference_unit o) (reference_centre o) w0 M z *
  path_bound (reference_unit o) (reference_centre o) w0 M z
    = M * (height (reference_unit o) z - height (reference_unit o) w0).
Proof.
move=> centred M_gt0 [hy _]; rewrite /path_bound (start_residual_sqr centred) Rplus_0_l sqrt_sqrt //.
by apply: Rmult_le_pos; lra.
Qed.

(* ---- the constants of the region and their conditions at w_0 ---- *)

Record cone := Cone {
  cone_path : R;     (* M *)
  cone_norm : R;     (* D bounds every ||Delta_c|| *)
  cone_ratio : R;    (* rho_bar, of the weights outside P to those on P *)
  cone_pull : R;     (* C1, what the weights outside P add to M *)
  cone_theta : R;
  cone_step : R      (* h bounds the length of every later step *)
}.

Section Conditions.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Variables (f : factor_bounds C) (w0 : vec J).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation P := (factor_kept f).
Notation spread := (spread Delta u).
Notation excess := (excess Delta u gamma).
Notation y0 := (height u w0).
Notation K := (log_floor Q mu (factor_low f)).

(* C of T7. *)
Definition natural_gap : R := gibbs_gap Q Delta u p P gamma mu (factor_high f) (factor_low f) y0.

(* R(theta) of T11. *)
Definition tail (M th : R) : R := exp (- K) * \sum_(c | Q c && ~~ P c)
  factor_size f c * exp (- (dot (Delta c) w0 - gamma * y0) + (spread c + th) * (spread c + th) * M /
    (4 * excess c)).

Record cone_conditions (k : cone) : Prop := ConeConditions {
  cone_centred : natural o w0;
  cone_active : forall c, active Q mu c -> P c;
  cone_slack : forall c, Q c -> ~~ P c -> 0 < excess c;
  cone_norm_le : forall c, Q c -> vnorm (Delta c) <= cone_norm k;
  cone_path_gt0 : 0 < cone_path k;
  cone_ratio_lt : cone_ratio k * cone_norm k < gamma;
  cone_theta_gt0 : 0 < cone_theta k;
  cone_path_ge : (2 * natural_gap + cone_pull k + cone_step k * cone_norm k * (1 + cone_ratio k)) /
                 (gamma - cone_ratio k * cone_norm k) <= cone_path k;
  cone_tail_le : tail (cone_path k) 0 <= cone_ratio k;
  cone_tail_pull : 2 * cone_norm k * (tail (cone_path k) (cone_theta k) / (exp 1 * cone_theta k)) <= cone_pull k
}.
End Conditions.

Section Abstract.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Variables (b : vec J -> C -> R) (f : factor_bounds C).
Notation P := (factor_kept f).
Notation blo := (factor_low f).
Notation bhi := (factor_high f).
Notation B := (factor_size f).
Notation field_of := (field_of Q Delta b).
Notation height := (height u).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).
Notation excess := (excess Delta u gamma).

Variables (w0 : vec J) (k : cone).
Notation y0 := (height w0).
Notation residual := (residual u p).
Notation K := (log_floor Q mu blo).
Notation M := (cone_path k).
Notation D := (cone_norm k).
Notation rho_bar := (cone_ratio k).
Notation C1 := (cone_pull k).
Notation theta := (cone_theta k).
Notation h := (cone_step k).
Notation on_path := (on_path u p w0 M).
Notation low := (path_low Delta u p w0 M).
Notation tail := (tail o f w0 M).

Hypothesis conditions : cone_conditions o f w0 k.
Hypothesis range : factor_range Q Delta b low f.
Let centred := cone_centred conditions.
Let active_sub := cone_active conditions.
Let excess_gt0 := cone_slack conditions.
Let norm_le := cone_norm_le conditions.
Let M_gt0 := cone_path_gt0 conditions.
Let rho_bar_lt := cone_ratio_lt conditions.
Let theta_gt0 := cone_theta_gt0 conditions.
Let M_ge := cone_path_ge conditions.
Let tail_le := cone_tail_le conditions.
Let tail_pull := cone_tail_pull conditions.
Let P_sub := factor_kept_constraint range.
Let blo_gt0 := factor_low_gt0 range.

Lemma on_path_above z : on_path z -> margins_above Q Delta low z.
Proof. by move=> Hz c Qc; exact (path_low_margin dir (reference_orthogonal o) M_gt0 Qc Hz). Qed.

(* The actual size of the weights outside P, relative to e^(K - gamma y). *)
Definition outside_ratio (z : vec J) : R :=
  \sum_(c | Q c && ~~ P c) Rabs (gibbs_weight Delta (b z) z c) * exp (gamma * height z - K).

Lemma outside_ratio_ge0 z : 0 <= outside_ratio z.
Proof. by apply: sum_ge0 => c _; apply: Rmult_le_pos; [exact: Rabs_pos | exact/Rlt_le/exp_pos]. Qed.

Lemma outside_ratio_spec z :
  \sum_(c | Q c && ~~ P c) Rabs (gibbs_weight Delta (b z) z c) <= outside_ratio z * exp (K - gamma * height z).
Proof.
rewrite /outside_ratio sum_mulr; right; apply: eq_bigr => c _; rewrite Rmult_assoc -exp_plus.
have -> : gamma * height z - K + (K - gamma * height z) = 0 by ring.
by rewrite exp_0 Rmult_1_r.
Qed.

(* Along the path the ratio decays with the residual: it is at most tail(th) e^(- th X). *)
Lemma outside_ratio_le z th : 0 <= th -> on_path z ->
  outside_ratio z * exp (th * path_bound u p w0 M z) <= tail th.
Proof.
move=> th0 Hz; set X := path_bound u p w0 M z.
have X0 : 0 <= X := sqrt_pos _.
have XX : X * X = M * (height z - y0) := path_bound_sqr centred M_gt0 Hz.
have yX : height z - y0 = X * X / M by rewrite XX; field; lra.
have out := factor_outside range (on_path_above Hz).
rewrite /outside_ratio /tail sum_mulr sum_mull; apply: sum_le => c /andP[Qc Nc].
have e0 := excess_gt0 Qc Nc.
rewrite /gibbs_weight Rabs_mult (Rabs_pos_eq (exp _)); last exact/Rlt_le/exp_pos.
have -> : Rabs (b z c) * exp (- dot (Delta c) z) * exp (gamma * height z - K) * exp (th * X)
  = Rabs (b z c) * exp (- dot (Delta c) z + (gamma * height z - K) + th * X) by rewrite !exp_plus; ring.
have -> : exp (- K) * (B c * exp (- (dot (Delta c) w0 - gamma * y0)
      + (spread c + th) * (spread c + th) * M / (4 * excess c)))
  = B c * exp (- K + (- (dot (Delta c) w0 - gamma * y0) + (spread c + th) * (spread c + th) * M / (4 * excess c))).
  by rewrite [in RHS]exp_plus; ring.
apply: Rmult_le_compat; [exact: Rabs_pos | exact/Rlt_le/exp_pos | exact: out |].
apply: exp_le.
have mz := on_path_margin dir (reference_orthogonal o) c Hz; rewrite -/X in mz.
have pc : dot (Delta c) p = dot (Delta c) w0 - slope c * y0 := natural_margin centred c.
have q := concave_quadratic (spread c + th) X e0 M_gt0.
have ey : excess c * (height z - y0) = excess c * (X * X / M) by rewrite yX.
move: mz q ey; rewrite pc /excess; lra.
Qed.

Lemma outside_ratio_small z : on_path z -> outside_ratio z <= rho_bar.
Proof.
move=> Hz; have := outside_ratio_le (Rle_refl 0) Hz; rewrite Rmult_0_l exp_0 Rmult_1_r.
by have := tail_le; lra.
Qed.

Lemma outside_pull z : on_path z -> 2 * outside_ratio z * D * vnorm (residual z) <= C1.
Proof.
move=> Hz; apply: Rle_trans tail_pull.
have D0 := norm_bound_gt0 dir norm_le; have r0 := outside_ratio_ge0 z.
set X := path_bound u p w0 M z; have xX : vnorm (residual z) <= X := residual_le_path_bound Hz.
have X0 : 0 <= X := sqrt_pos _; have e1 := exp_pos 1.
have tX := outside_ratio_le (Rlt_le _ _ theta_gt0) Hz; rewrite -/X in tX.
have key : outside_ratio z * X <= tail theta / (exp 1 * theta).
  have et : 0 < exp 1 * theta by apply: Rmult_lt_0_compat.
  apply: (Rmult_le_reg_r (exp 1 * theta)) => //.
  have -> : tail theta / (exp 1 * theta) * (exp 1 * theta) = tail theta by field; split; lra.
  apply: Rle_trans tX.
  have -> : outside_ratio z * X * (exp 1 * theta) = outside_ratio z * (exp 1 * (theta * X)) by ring.
  by apply: Rmult_le_compat_l => //; exact: scaled_decay.
have -> : 2 * outside_ratio z * D * vnorm (residual z) = 2 * D * (outside_ratio z * vnorm (residual z)) by ring.
apply: Rmult_le_compat_l; first by lra.
by apply: Rle_trans key; apply: Rmult_le_compat_l.
Qed.

Lemma local_region_on_path z : on_path z -> forall c, P c -> blo c <= b z c <= bhi c.
Proof. by move=> Hz c; exact: (factor_in_range range (on_path_above Hz)). Qed.

Lemma cone_weights z : on_path z -> partial_weights o f y0 D rho_bar (outside_ratio z) z (b z).
Proof.
move=> Hz; split; [exact: P_sub | exact: active_sub | exact: blo_gt0 | exact: local_region_on_path | exact: norm_le |
  exact: (proj1 Hz) | exact: outside_ratio_ge0 | exact: outside_ratio_small | exact: rho_bar_lt |
  exact: outside_ratio_spec].
Qed.

(* A step's progress along u per weight on P. *)
Lemma local_progress z : on_path z ->
  (\sum_(c | P c) gibbs_weight Delta (b z) z c) * (gamma - rho_bar * D) <= dot (field_of z) u.
Proof. by move=> Hz; exact (partial_progress (cone_weights Hz)). Qed.

(* ---- every rule with short steps ---- *)

Theorem cone_short : short_steps_stay field_of on_path h.
Proof.
split=> z; first by move=> Hz; exact (partial_norm_gt0 (cone_weights Hz)).
move=> tau Hz t0 th; have [h1 h2] := partial_path (cone_weights Hz) (outside_pull Hz) t0 th M_ge.
exact: on_path_step Hz (Rlt_le _ _ h1) h2.
Qed.

Lemma cone_speed z : on_path z -> normalised_speed gamma D rho_bar * vnorm (field_of z) <= dot (field_of z) u.
Proof. by move=> Hz; exact (partial_speed (cone_weights Hz)). Qed.

Lemma cone_ascent z : on_path z -> (gamma - rho_bar * D) * exp K * exp (- (gamma * height z)) <= dot (field_of z) u.
Proof. by move=> Hz; exact (partial_ascent (cone_weights Hz)). Qed.

Lemma cone_field_norm z : on_path z ->
  vnorm (field_of z) <= D * (\sum_(c | P c) bhi c * exp (- low c)
                             + \sum_(c | Q c && ~~ P c) B c * exp (- low c)).
Proof. by move=> Hz; exact: (field_norm_le range (on_path_above Hz)). Qed.

Variables (w : nat -> vec J) (eta : nat -> R) (etamax : R).
Hypothesis start : w O = w0.
Hypothesis eta_range : forall t, 0 < eta t <= etamax.
Let at_start : on_path (w O). Proof. by rewrite start; exact: on_path_start. Qed.

Theorem cone_normalised_region : etamax <= h ->
  (forall t, w t.+1 = (w t + eta t / vnorm (field_of (w t)) * field_of (w t))%V) ->
  invariant_region u on_path w eta (LinearGrowth (normalised_speed gamma D rho_bar)).
Proof.
move=> hh run; apply: (normalised_region cone_short at_start eta_range _ cone_speed hh run).
exact (normalised_speed_gt0 (cone_weights at_start)).
Qed.

Theorem cone_gradient_region : etamax * (D * (\sum_(c | P c) bhi c * exp (- low c)
                                              + \sum_(c | Q c && ~~ P c) B c * exp (- low c))) <= h ->
  (forall t, w t.+1 = (w t + eta t * field_of (w t))%V) -> invariant_region u on_path w eta
    (LogarithmicGrowth gamma ((gamma - rho_bar * D) * exp K)).
Proof.
move=> hh run; apply: (gradient_region cone_short at_start eta_range (dir_margin_gt0 dir) _ cone_ascent
  cone_field_norm hh run).
by apply: Rmult_lt_0_compat; [lra | exact: exp_pos].
Qed.
End Abstract.
