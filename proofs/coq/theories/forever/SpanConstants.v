(* SpanConstants: the constants of T14 and what they have to obey.

   Values with mean zero and spread mu_min reach down to minus kappa times their length; the least singular value
   sigma of the active constraints' lateral parts comes from the Gram matrix of the constraints. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Smoothness Enclosure Direction Reference FactorRange ActiveStep.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- values with mean zero: the least one against the sum of squares ---- *)

Section MeanZero.
Variables (C : finType) (S : pred C) (mu t : C -> R) (mu_min m : R).
Hypothesis mu_sum : \sum_(c | S c) mu c = 1.
Hypothesis mu_ge : forall c, S c -> mu_min <= mu c.
Hypothesis mu_min_range : 0 < mu_min <= 1 / 2.
Hypothesis mean_zero : \sum_(c | S c) mu c * t c = 0.
Hypothesis least : forall c, S c -> - m <= t c.

Lemma sum_squares_le : 0 <= m /\ mu_min * mu_min * (\sum_(c | S c) t c * t c) <= (1 - mu_min) * (m * m).
Proof.
pose z c := t c + m; have z0 c : S c -> 0 <= z c by move=> /least; rewrite /z; lra.
have zm : \sum_(c | S c) mu c * z c = m.
  have -> : \sum_(c | S c) mu c * z c = (\sum_(c | S c) mu c * t c) + (\sum_(c | S c) mu c) * m.
    by rewrite sum_mulr -sumD; apply: eq_bigr => c _; rewrite /z; ring.
  by rewrite mean_zero mu_sum; ring.
have term c : S c -> 0 <= mu c * z c.
  by move=> Sc; apply: Rmult_le_pos; [have := mu_ge Sc; lra | exact: z0].
have m0 : 0 <= m by rewrite -zm; apply: sum_ge0.
split=> //.
have zc c : S c -> mu_min * z c <= m.
  move=> Sc; rewrite -zm; apply: Rle_trans (sum_term_le (F := fun d => mu d * z d) term Sc).
  by apply: Rmult_le_compat_r; [exact: z0 | exact: mu_ge].
pose Z := \sum_(c | S c) z c; have Z0 : 0 <= Z by apply: sum_ge0.
have Zm : mu_min * Z <= m.
  by rewrite -zm sum_mull; apply: sum_le => c Sc; apply: Rmult_le_compat_r; [exact: z0 | exact: mu_ge].
pose n := \sum_(c | S c) 1; have n1 : mu_min * n <= 1.
  by rewrite -mu_sum sum_mull; apply: sum_le => c Sc; rewrite Rmult_1_r; exact: mu_ge.
have sq : mu_min * (\sum_(c | S c) z c * z c) <= m * Z.
  rewrite !sum_mull; apply: sum_le => c Sc; rewrite -Rmult_assoc.
  by apply: Rmult_le_compat_r; [exact: z0 | exact: zc].
have -> : \sum_(c | S c) t c * t c = (\sum_(c | S c) z c * z c) - 2 * m * Z + m * m * n.
  by rewrite !sum_mull -sumB -sumD; apply: eq_bigr => c _; rewrite /z; ring.
set q := \sum_(c | S c) z c * z c in sq *.
(* mu (q - 2 m Z + m^2 n) <= (1 - 2 mu) m Z + m^2, and mu Z <= m. *)
have step : mu_min * (q - 2 * m * Z + m * m * n) <= (1 - 2 * mu_min) * (m * Z) + m * m.
  have := Rmult_le_compat_l _ _ _ (Rle_0_sqr m) n1; rewrite /Rsqr; lra.
have mZ : mu_min * (m * Z) <= m * m by have := Rmult_le_compat_l _ _ _ m0 Zm; lra.
have a0 : 0 <= 1 - 2 * mu_min by lra.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (proj1 mu_min_range)) step.
have := Rmult_le_compat_l _ _ _ a0 mZ; lra.
Qed.
End MeanZero.

(* ---- the least non-zero singular value of the active lateral parts, from the active constraints' Gram
   matrix ---- *)

(* A combination of lateral parts is one of constraints with coefficients of sum 0. *)
Section SingularValue.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Notation S := (active Q mu).
Notation lateral := (lateral Delta u).

Lemma combine_lateral a :
  combine S a lateral = combine S (fun c => a c - (\sum_(d | S d) a d) * mu c) Delta /\
    dot (combine S a lateral) u = 0.
Proof.
set A := \sum_(d | S d) a d.
have bal j : \sum_(c | S c) mu c * Delta c j = gamma * u j.
  rewrite (sum_active dir (fun c => Delta c j)).
  by have := dir_balance dir; move/(f_equal (fun v : vec J => v j)); rewrite /combine /vscale.
have E : combine S a lateral = combine S (fun c => a c - A * mu c) Delta.
  apply: vec_ext => j; rewrite /combine.
  have -> : \sum_(c | S c) (a c - A * mu c) * Delta c j
    = (\sum_(c | S c) a c * Delta c j) - A * (\sum_(c | S c) mu c * Delta c j).
    by rewrite sum_mull -sumB; apply: eq_bigr => c _; ring.
  rewrite bal /A sum_mulr -sumB; apply: eq_bigr => c Sc.
  by rewrite /ActiveStep.lateral /vsub /vscale (active_slope dir Sc); ring.
split=> //; rewrite dot_combinel sum0 // => c _.
by rewrite /ActiveStep.lateral dotBl dotZl (dir_unit dir) /Direction.slope; ring.
Qed.

Theorem gram_singular_value lam : 0 < lam -> gram_at_least S Delta lam -> forall a, let v := combine S a lateral in
  lam * vnorm2 v <= \sum_(c | S c) dot (lateral c) v * dot (lateral c) v.
Proof.
move=> lam0 gram a /=; have [E vu] := combine_lateral a; set v := combine S a lateral in E vu *.
set a' := fun c => _ in E; set s := \sum_(c | S c) a' c * a' c.
set t := \sum_(c | S c) _.
have g : lam * s <= vnorm2 v by rewrite E; exact: gram.
have vt : vnorm2 v = \sum_(c | S c) a' c * dot (lateral c) v.
  rewrite {1}/vnorm2 {1}E dot_combinel; apply: eq_bigr => c _.
  by rewrite lateral_dot.
have cs : vnorm2 v * vnorm2 v <= s * t.
  rewrite vt; have := sum_cauchy_schwarz S a' (fun c => dot (lateral c) v).
  by rewrite /Rsqr /s /t.
have v0 := vnorm2_ge0 v.
have t0 : 0 <= t by apply: sum_ge0 => c _; exact: Rle_0_sqr.
have [->|v1] := Req_dec (vnorm2 v) 0; first by rewrite Rmult_0_r.
apply: (Rmult_le_reg_r (vnorm2 v)); first lra.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ lam0) cs; have := Rmult_le_compat_r _ _ _ t0 g; lra.
Qed.
End SingularValue.

(* ---- the constants ---- *)

Record span_constants (J C : finType) := SpanConstants {
  span_multiplier : R;       (* mu_min, the least multiplier *)
  span_singular : R;         (* sigma *)
  span_width : R;            (* E_S, the greatest length of an active lateral part *)
  span_top : R;              (* the factors' greatest sum on S, seen from the centre *)
  span_bottom : R;           (* and their least value *)
  span_inside : R;           (* X_in, the radius within which the active constraints keep the residual *)
  span_along : C -> C -> R;  (* the coefficients of the far constraints' lateral parts along the span, *)
  span_across : C -> vec J;  (* and what is orthogonal to it *)
  span_share : C -> R        (* how much of a far constraint's slack pays for the growth of the residual along the
     path *)
}.

Section Constants.
Variables (J C : finType) (k : span_constants J C) (h speed : R).

Definition A_S : R := ln (span_top k / span_bottom k).
Definition kappa : R := span_multiplier k * span_singular k / sqrt (1 - span_multiplier k).
Definition inner : R := (A_S + h * (span_width k * span_width k) / (2 * speed)) / kappa.
End Constants.

(* A far constraint's lateral part along the span. *)
Definition dU (J C : finType) (Q : pred C) (Delta : C -> vec J) u mu (k : span_constants J C) (c : C) : vec J :=
  combine (active Q mu) (span_along k c) (lateral Delta u).

Section Conditions.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta) (f : factor_bounds C).
Variables (h speed : R) (k : span_constants J C).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation S := (active Q mu).
Notation lateral := (lateral Delta u).
Notation blo := (factor_low f).
Notation bhi := (factor_high f).
Notation dU := (dU Q Delta u mu k).

Record span_conditions : Prop := SpanConditions {
  span_multiplier_range : 0 < span_multiplier k <= 1 / 2;
  span_multiplier_le : forall c, S c -> span_multiplier k <= mu c;
  span_singular_gt0 : 0 < span_singular k;
  span_singular_le : forall a, let v := combine S a lateral in
    span_singular k * span_singular k * vnorm2 v <= \sum_(c | S c) dot (lateral c) v * dot (lateral c) v;
  span_width_ge : forall c, S c -> vnorm (lateral c) <= span_width k;
  span_bottom_gt0 : 0 < span_bottom k;
  span_bottom_le : forall c, S c -> span_bottom k <= blo c * exp (- dot (Delta c) p);
  span_top_ge : \sum_(c | S c) bhi c * exp (- dot (Delta c) p) <= span_top k;
  span_speed_gt0 : 0 < speed;
  span_inside_ge0 : 0 <= span_inside k;
  span_inside_ge : inner k h speed <= span_inside k;
  span_inside_sqr_ge : 2 * h * kappa k * inner k h speed / speed <= span_inside k * span_inside k;
  span_split : forall c, Q c -> ~~ S c -> lateral c = (dU c + span_across k c)%V;
  span_split_active : forall s c, S s -> Q c -> ~~ S c -> dot (lateral s) (span_across k c) = 0;
  span_share_range : forall c, Q c -> ~~ S c -> 0 < span_share k c < excess Delta u gamma c
}.
End Conditions.
