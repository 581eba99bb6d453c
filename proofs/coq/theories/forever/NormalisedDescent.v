(* NormalisedDescent: T12n's core, normalised steps whose loss never rises (lock-in by loss).

   On the sublevel set of the loss the curvature of the loss along a line is at most the total weight Om times a
   constant, and Om cannot grow faster than exponentially; so a step whose length obeys an explicit condition decreases
   the loss, and the path inequality and the growth of the height hold for ever. What the loss is of is not looked
   at. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Reference Gibbs Progress Path Growth LineDescent Inside Region.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* The second derivative of the loss along a line, and the derivative of Om, at most these multiples of Om. *)
Record loss_lines (J : finType) := LossLines {
  bent_along : vec J -> vec J -> R;
  mass_along : vec J -> vec J -> R;
  bend_rate : R;
  bend_growth : R
}.

Record lines_bounded (J : finType) (L : vec J -> R) (grad : vec J -> vec J) (mass : vec J -> R) (w0 : vec J)
    (k : loss_lines J) : Prop := LinesBounded {
  bent_line : forall z v x, is_derive (fun y => dot (grad (z + y * v)%V) v) x (bent_along k (z + x * v)%V v);
  mass_line : forall z v x, is_derive (fun y => mass (z + y * v)%V) x (mass_along k (z + x * v)%V v);
  bend_rate_ge0 : 0 <= bend_rate k;
  bend_growth_ge0 : 0 <= bend_growth k;
  bent_line_le : forall z v, L z <= L w0 -> vnorm v = 1 -> bent_along k z v <= bend_rate k * mass z;
  mass_line_le : forall z v, L z <= L w0 -> vnorm v = 1 -> mass_along k z v <= bend_growth k * mass z
}.

(* What is known of the loss on its sublevel set: its derivative is the field's, whose weights sum to the mass and have
   factors between lo and hi, and its lines are bounded. *)
Record falling_loss (J C : finType) (Q : pred C) (Delta : C -> vec J) (b : vec J -> C -> R) (L : vec J -> R)
    (grad : vec J -> vec J) (mass : vec J -> R) (lo hi : C -> R) (w0 : vec J) (lines : loss_lines J) : Prop :=
    FallingLoss {
  falling_derive : forall z v x, is_derive (fun y => L (z + y * v)%V) x (dot (grad (z + x * v)%V) v);
  falling_field : forall z, field_of Q Delta b z = (- grad z)%V;
  falling_mass : forall z, \sum_(c | Q c) gibbs_weight Delta (b z) z c = mass z;
  falling_lo_gt0 : forall c, Q c -> 0 < lo c;
  falling_factors : forall z, L z <= L w0 -> forall c, Q c -> lo c <= b z c <= hi c;
  falling_along : lines_bounded L grad mass w0 lines
}.

(* A run of normalised steps that are short enough, with the numbers of its region. *)
Record falling_steps (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta) (b : vec J -> C -> R)
    (lo hi : C -> R) (w0 : vec J) (lines : loss_lines J) (w : nat -> vec J) (eta : nat -> R) (etamax cmin M : R) :
    Prop := FallingSteps {
  falling_start : w O = w0;
  falling_range : forall n, 0 < eta n <= etamax;
  falling_short : forall n, eta n * bend_rate lines * exp (bend_growth lines * eta n) < 2 * reference_margin o;
  falling_cosine_gt0 : 0 < cmin;
  falling_cosine_le : forall c, Q c -> cmin * vnorm (Delta c) <= slope Delta (reference_unit o) c;
  falling_path_ge : 2 * gibbs_gap Q Delta (reference_unit o) (reference_centre o) Q (reference_margin o)
    (reference_weights o) hi lo (height (reference_unit o) w0) / reference_margin o +
    etamax * (1 - cmin * cmin) / cmin <= M;
  falling_run : forall n, w n.+1 = (w n + eta n / vnorm (field_of Q Delta b (w n)) * field_of Q Delta b (w n))%V
}.

Section NormalisedDescent.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation centre_orth := (reference_orthogonal o).
Notation height := (height u).
Notation residual := (residual u centre).
Notation slope := (slope Delta u).

Variables (b : vec J -> C -> R) (L : vec J -> R) (grad : vec J -> vec J) (mass : vec J -> R) (lo hi : C -> R).
Variables (w0 : vec J) (lines : loss_lines J).
Notation V := (field_of Q Delta b).
Notation y0 := (height w0).
Notation G := (gibbs_gap Q Delta u centre Q gamma mu hi lo y0).
Notation rate := (bend_rate lines).
Notation rise := (bend_growth lines).
Hypothesis known : falling_loss Q Delta b L grad mass lo hi w0 lines.
Let L_derive := falling_derive known.
Let field := falling_field known.
Let mass_weights := falling_mass known.
Let lo_gt0 := falling_lo_gt0 known.
Let factors := falling_factors known.
Let along := falling_along known.

Lemma field_mass z : L z <= L w0 -> 0 < mass z /\ gamma * mass z <= vnorm (grad z).
Proof.
move=> Hz; have w_gt0 c (Qc : Q c) := omega_gt0 Delta lo_gt0 z (factors Hz) Qc.
rewrite -mass_weights; split; first exact (total_gt0 dir w_gt0).
have E : grad z = (- V z)%V by rewrite field; vec_ring.
have := progress_slope dir w_gt0; rewrite E vnormN Rmult_comm => H.
apply: Rle_trans H _; have := dot_le_norms (V z) u; rewrite (unorm dir) Rmult_1_r; exact.
Qed.

Theorem normalised_falls z e : L z <= L w0 -> 0 < e -> e * rate * exp (rise * e) < 2 * gamma ->
  L (z - e / vnorm (grad z) * grad z)%V <= L z.
Proof.
move=> Hz e0 short; have [m0 gm] := field_mass Hz; have g0 := dir_margin_gt0 dir.
have n0 : 0 < vnorm (grad z) by have := Rmult_lt_0_compat _ _ g0 m0; lra.
pose v := ((- / vnorm (grad z))%R * grad z)%V.
have v1 : vnorm v = 1.
  by rewrite /v vnormZ Rabs_Ropp Rabs_pos_eq; [field; lra | exact/Rlt_le/Rinv_0_lt_compat].
have -> : (z - e / vnorm (grad z) * grad z)%V = (z + e * v)%V.
  by rewrite /v; apply: vec_ext => j; rewrite /vadd /vsub /vscale /Rdiv; ring.
have := @line_descent (fun x => L (z + x * v)) (fun x => dot (grad (z + x * v)) v)
  (fun x => bent_along lines (z + x * v)%V v) (fun x => mass (z + x * v)%V)
  (fun x => mass_along lines (z + x * v)%V v) e gamma rate rise (Rlt_le _ _ e0)
  (L_derive z v) (bent_line along z v) (mass_line along z v) g0.
rewrite vline0; apply=> //; last by lra.
- exact: bend_rate_ge0 along.
- exact: bend_growth_ge0 along.
- rewrite /v dotZr -/(vnorm2 (grad z)) -vnorm_sqr.
  have -> : - / vnorm (grad z) * (vnorm (grad z) * vnorm (grad z)) = - vnorm (grad z) by field; lra.
  lra.
- by move=> x _ Hx; apply: (bent_line_le along) => //; lra.
- by move=> x _ Hx; apply: (mass_line_le along) => //; lra.
Qed.

(* ---- T12n ---- *)

Variables (w : nat -> vec J) (eta : nat -> R) (etamax cmin M : R).
Hypothesis steps : falling_steps o b lo hi w0 lines w eta etamax cmin M.
Let start := falling_start steps.
Let eta_range := falling_range steps.
Let short := falling_short steps.
Let cmin_gt0 := falling_cosine_gt0 steps.
Let cmin_le := falling_cosine_le steps.
Let M_ge := falling_path_ge steps.
Let run := falling_run steps.

Let lo_hi c : Q c -> lo c <= hi c.
Proof. by move=> Qc; have := factors (Rle_refl (L w0)) Qc; lra. Qed.

Lemma falling_decreases n : L (w n) <= L w0 -> L (w n.+1) <= L (w n).
Proof.
move=> Hn; have [e0 _] := eta_range n; have := normalised_falls Hn e0 (short n); congr (_ <= _); congr L.
by rewrite run field vnormN; vec_ring.
Qed.

Lemma falling_low n : L (w n) <= L w0.
Proof. by elim: n => [|n IH]; [rewrite start; lra | have := falling_decreases IH; lra]. Qed.

Lemma falling_step n : y0 <= height (w n) ->
  eta n * cmin <= height (w n.+1) - height (w n) /\
  vnorm2 (residual (w n.+1)) - vnorm2 (residual (w n)) <= M * (height (w n.+1) - height (w n)).
Proof.
move=> Hy; rewrite run.
have [h1 h2] := all_normalised_step dir centre_orth lo_gt0 lo_hi (factors (falling_low n)) Hy (eta_range n)
  cmin_gt0 cmin_le.
split=> //; apply: Rle_trans h2 _; apply: Rmult_le_compat_r => //.
by apply: Rle_trans h1; apply: Rmult_le_pos; have := proj1 (eta_range n); lra.
Qed.

Lemma falling_region : invariant_region u (on_path u centre w0 M) w eta (LinearGrowth cmin).
Proof.
split=> [| n || n Hp | n Hp]; [exact: cmin_gt0 | by case: (eta_range n) | by rewrite start;
  exact: on_path_start | | ].
  have [h1 h2] := falling_step (proj1 Hp); apply: on_path_step Hp _ h2.
  by have := Rmult_lt_0_compat _ _ (proj1 (eta_range n)) cmin_gt0; lra.
by have [h _] := falling_step (proj1 Hp); exact: h.
Qed.

Theorem falling_path n : on_path u centre w0 M (w n).
Proof. exact: (stays_inside falling_region n). Qed.

Theorem falling_rises n : y0 + cmin * total eta n <= height (w n).
Proof. by have := inside_grows falling_region n; rewrite start. Qed.

Theorem falling_limit : is_lim_seq (total eta) p_infty -> is_lim_seq (fun n => cosine u (w n)) 1.
Proof.
move=> He; apply: (on_path_limit dir falling_path); exact: (inside_diverges falling_region He).
Qed.
End NormalisedDescent.
