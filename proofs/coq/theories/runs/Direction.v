(* Direction: the reference direction of a run, and the quantities measured against it (theory.md section 4).

   [direction Q Delta u gamma mu] says that the unit vector u separates the vectors Delta_c of the constraints c in Q
   with margin gamma and that the probability vector mu balances them, sum_Q mu_c Delta_c = gamma u; by T2 this makes
   u the maximum-margin direction and 1/gamma the norm of the solution of the margin problem.  A parameter w is
   written w = y u + p + e with the height y = <w,u>, a centre p orthogonal to u, and the residual e, whose norm is x.
   *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Record direction (J C : finType) (Q : pred C) (Delta : C -> vec J) (u : vec J) (gamma : R) (mu : C -> R) : Prop :=
Direction {
  dir_unit : dot u u = 1;
  dir_margin_gt0 : 0 < gamma;
  dir_margin : forall c, Q c -> gamma <= dot (Delta c) u;
  dir_mult_ge0 : forall c, Q c -> 0 <= mu c;
  dir_mult_sum : \sum_(c | Q c) mu c = 1;
  dir_balance : combine Q mu Delta = (gamma * u)%V
}.

(* The part of it that Gibbs' inequality needs; n is u where lengths are Euclidean. *)
Record balanced (J C : finType) (Q : pred C) (Delta : C -> vec J) (n : vec J) (gamma : R) (mu : C -> R) : Prop :=
Balanced {
  balanced_ge0 : forall c, Q c -> 0 <= mu c;
  balanced_sum : \sum_(c | Q c) mu c = 1;
  balanced_mean : combine Q mu Delta = (gamma * n)%V
}.

Lemma direction_balanced (J C : finType) (Q : pred C) (Delta : C -> vec J) u gamma mu :
  direction Q Delta u gamma mu -> balanced Q Delta u gamma mu.
Proof. by case. Qed.

Section Definitions.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u p : vec J).

Definition height (w : vec J) : R := dot w u.
Definition residual (w : vec J) : vec J := (w - height w * u - p)%V.
(* Cosine of the angle between w and the unit vector u. *)
Definition cosine (w : vec J) : R := dot w u / vnorm w.
(* gamma_c, and the length delta_c of the part of Delta_c orthogonal to u. *)
Definition slope (c : C) : R := dot (Delta c) u.
Definition spread (c : C) : R := sqrt (vnorm2 (Delta c) - slope c * slope c).
(* beta_c, how slack a constraint is. *)
Definition excess (gamma : R) (c : C) : R := slope c - gamma.
(* omega_c = b_c exp(- m_c(w)), and the ascent direction V = sum_c omega_c Delta_c, which is minus the
   gradient by T1. *)
Definition gibbs_weight (b : C -> R) (w : vec J) (c : C) : R := b c * exp (- dot (Delta c) w).
Definition ascent (omega : C -> R) : vec J := combine Q omega Delta.
Definition field_of (b : vec J -> C -> R) (w : vec J) : vec J := ascent (gibbs_weight (b w) w).

(* S: the constraints with a positive multiplier. *)
Definition active (mu : C -> R) : pred C := fun c => Q c && Rlt_dec 0 (mu c).
(* K and C of theory.md section 4. *)
Definition log_floor (mu blo : C -> R) : R := \sum_(c | active mu c) mu c * (ln (blo c) - ln (mu c)).
Definition log_mass (P : pred C) (gamma : R) (bhi : C -> R) (y0 : R) : R :=
  ln (\sum_(c | P c) bhi c * exp (- (slope c - gamma) * y0 - dot (Delta c) p)).
Definition gibbs_gap (P : pred C) (gamma : R) (mu bhi blo : C -> R) (y0 : R) : R :=
  log_mass P gamma bhi y0 - log_floor mu blo.
End Definitions.

Lemma activeP (C : finType) (Q : pred C) (mu : C -> R) c : reflect (Q c /\ 0 < mu c) (active Q mu c).
Proof.
rewrite /active; case: (Q c); case: Rlt_dec => h /=; first [by apply: ReflectT | by apply: ReflectF => -[]].
Qed.

Section BalancedFacts.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (n : vec J) (gamma : R) (mu : C -> R).
Hypothesis bal : balanced Q Delta n gamma mu.

Lemma balanced_active (F : C -> R) : \sum_(c | active Q mu c) mu c * F c = \sum_(c | Q c) mu c * F c.
Proof.
rewrite [RHS](bigID (fun c => is_left (Rlt_dec 0 (mu c)))) /= [X in _ = _ + X]sum0 ?Rplus_0_r // => c /andP[Qc].
case: Rlt_dec => // mc _; have -> : mu c = 0 by have := balanced_ge0 bal Qc; lra.
ring.
Qed.

Lemma balanced_active_sum : \sum_(c | active Q mu c) mu c = 1.
Proof.
rewrite -(balanced_sum bal); have := balanced_active (fun=> 1).
by under eq_bigr do rewrite Rmult_1_r; move=> ->; apply: eq_bigr => c _; rewrite Rmult_1_r.
Qed.

Lemma balanced_active_exists : exists c, active Q mu c.
Proof.
have [c Sc|S0] := pickP (active Q mu); first by exists c.
by have := balanced_active_sum; rewrite big_pred0 //; lra.
Qed.

Lemma balanced_dot z : \sum_(c | Q c) mu c * dot (Delta c) z = gamma * dot n z.
Proof. by rewrite -(dot_combinel Q) (balanced_mean bal) dotZl. Qed.
End BalancedFacts.

Section Facts.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u p : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Hypothesis p_orth : dot p u = 0.
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).
Notation residual := (residual u p).
Notation height := (height u).

Lemma sum_active (F : C -> R) : \sum_(c | active Q mu c) mu c * F c = \sum_(c | Q c) mu c * F c.
Proof. exact: balanced_active (direction_balanced dir) F. Qed.

Lemma active_sum1 : \sum_(c | active Q mu c) mu c = 1.
Proof. exact: balanced_active_sum (direction_balanced dir). Qed.

Lemma active_exists : exists c, active Q mu c.
Proof. exact: balanced_active_exists (direction_balanced dir). Qed.

Lemma balance_dot z : \sum_(c | Q c) mu c * dot (Delta c) z = gamma * dot u z.
Proof. exact: balanced_dot (direction_balanced dir) z. Qed.

Lemma slope_ge c : Q c -> gamma <= slope c.
Proof. exact: dir_margin dir c. Qed.

Lemma slope_gt0 c : Q c -> 0 < slope c.
Proof. by move/slope_ge; have := dir_margin_gt0 dir; lra. Qed.

Lemma unorm : vnorm u = 1.
Proof. by rewrite /vnorm /vnorm2 (dir_unit dir) sqrt_1. Qed.

Lemma residual_orth w : dot (residual w) u = 0.
Proof. by rewrite /residual !dotBl dotZl (dir_unit dir) p_orth /height; ring. Qed.

Lemma decompose w z : dot z w = height w * dot z u + dot z p + dot z (residual w).
Proof. by rewrite /residual !dotBr dotZr; ring. Qed.

(* Every margin splits along the height, the centre and the residual. *)
Lemma margin_decompose w c :
  dot (Delta c) w = slope c * height w + dot (Delta c) p + dot (Delta c) (residual w).
Proof. by rewrite (decompose w); rewrite /slope; ring. Qed.

Lemma slope_le_norm c : slope c <= vnorm (Delta c).
Proof. by have := dot_le_norms (Delta c) u; rewrite unorm Rmult_1_r. Qed.

Lemma spread_ge0 c : 0 <= spread c.
Proof. exact: sqrt_pos. Qed.

Lemma spread_sqr c : spread c * spread c = vnorm2 (Delta c) - slope c * slope c.
Proof.
apply: sqrt_sqrt; have := cauchy_schwarz2 (Delta c) u.
by rewrite /slope {2}/vnorm2 (dir_unit dir); lra.
Qed.

Lemma spread_le_norm c : spread c <= vnorm (Delta c).
Proof.
apply: le_of_sqr_le (vnorm_ge0 _) _; rewrite spread_sqr vnorm_sqr.
by have := Rle_0_sqr (slope c); rewrite /Rsqr; lra.
Qed.

(* Only the part of Delta_c orthogonal to u meets a vector orthogonal to u. *)
Lemma dot_orth_bound c e : dot e u = 0 -> Rabs (dot (Delta c) e) <= spread c * vnorm e.
Proof.
move=> eu; have <- : dot (Delta c - slope c * u) e = dot (Delta c) e by rewrite dotBl dotZl (dotC u) eu; ring.
have -> : spread c = vnorm (Delta c - slope c * u).
  rewrite /spread /vnorm vnorm2B vnorm2Z dotZr {3}/vnorm2 (dir_unit dir) -/(slope c).
  by congr sqrt; ring.
exact: cauchy_schwarz.
Qed.

Lemma margin_lower w c :
  slope c * height w + dot (Delta c) p - spread c * vnorm (residual w) <= dot (Delta c) w.
Proof.
rewrite (margin_decompose w c); have := dot_orth_bound c (residual_orth w).
by move/Rabs_le_between; lra.
Qed.
End Facts.
