(* PathResidual: T14 for a run that stays on the path of T10 or T11, whatever its rule.

   On the path the weights of the constraints outside S decay with the height faster than e^(-gamma y): a share of
   their slack pays for the growth of the residual along the path, the rest is their rate. So `span_residual` applies.
   *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Reference Gibbs Progress Path Growth Inside Region FactorRange PartialStep
                           LocalAbsorbing ActiveStep FarPull SpanConstants SpanResidual.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Bound.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Variables (f : factor_bounds C) (w0 : vec J) (M h speed : R) (k : span_constants J C).
Notation u := (reference_unit o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).

Definition far_start (c : C) : R :=
  far_factor f c * exp (- dot (Delta c) w0 + spread Delta u c * spread Delta u c * M / (4 * span_share k c)).
Definition far_rate (c : C) : R := excess Delta u gamma c - span_share k c.
Definition path_far : far_decay C :=
  FarDecay gamma (height u w0) (log_floor Q mu (factor_low f)) h speed far_start far_rate.

(* X of T14, in the terms of `span_residual`. *)
Definition path_span_bound : R := span_bound o k path_far.
End Bound.

Section PathResidual.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Variables (b : vec J -> C -> R) (f : factor_bounds C) (w : nat -> vec J) (M h speed : R) (k : span_constants J C).
Notation u := (reference_unit o).
Notation centre := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation P := (factor_kept f).
Notation S := (active Q mu).
Notation w0 := (w O).
Notation height := (height u).
Notation y0 := (height w0).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).
Notation residual := (residual u centre).
Notation K := (log_floor Q mu (factor_low f)).
Notation X := (path_span_bound o f w0 M h speed k).
Notation start_of := (far_start o f w0 M k).
Notation rate_of := (far_rate o k).

Hypothesis centred : natural o w0.
Hypothesis M_gt0 : 0 < M.
Hypothesis active_sub : forall c, S c -> P c.
Hypothesis range : factor_range Q Delta b (path_low Delta u centre w0 M) f.
Hypothesis conditions : span_conditions o f h speed k.

(* A run on the path whose steps have at most the length h and raise the height at the rate speed per weight on P. *)
Notation omega n := (gibbs_weight Delta (b (w n)) (w n)).
Notation V n := (ascent Q Delta (omega n)).
Hypothesis path : forall n, on_path u centre w0 M (w n).
Hypothesis progress : forall n, (\sum_(c | P c) omega n c) * speed <= dot (V n) u.

Let on_path_in n : margins_above Q Delta (path_low Delta u centre w0 M) (w n).
Proof. by move=> c Qc; exact (path_low_margin dir (reference_orthogonal o) M_gt0 Qc (path n)). Qed.

Let in_range n c (Pc : P c) := factor_in_range range (@on_path_in n) Pc.

Lemma path_far_weight n c : Q c -> ~~ S c ->
  Rabs (omega n c) <= start_of c * exp (- ((gamma + rate_of c) * (height (w n) - y0))).
Proof.
move=> Qc Sc; have b0 := far_factor_ge range (@on_path_in n) Qc; have [s0 s1] := span_share_range conditions Qc Sc.
rewrite /gibbs_weight Rabs_mult (Rabs_pos_eq (exp _)); last exact/Rlt_le/exp_pos.
rewrite /far_start Rmult_assoc -exp_plus.
apply: Rmult_le_compat; [exact: Rabs_pos | exact/Rlt_le/exp_pos | done |].
apply: exp_le; have m := on_path_margin dir (reference_orthogonal o) c (path n).
have pc : dot (Delta c) centre = dot (Delta c) w0 - slope c * y0 := natural_margin centred c.
have XX := path_bound_sqr centred M_gt0 (path n); set B := path_bound u centre w0 M (w n) in m XX.
have q := concave_quadratic (spread c) B s0 M_gt0.
have e : span_share k c * (B * B / M) = span_share k c * (height (w n) - y0) by rewrite XX; field; lra.
rewrite /far_rate /excess; move: m q; rewrite pc e; lra.
Qed.

Lemma path_rise tau n : w n.+1 = (w n + tau * V n)%V -> 0 < tau -> tau * vnorm (V n) <= h ->
  tau * ((\sum_(c | P c) omega n c) * speed) <= height (w n.+1) - height (w n) <= h.
Proof.
move=> -> t0 th; rewrite (step_height u).
have -> : height (w n) + tau * dot (V n) u - height (w n) = tau * dot (V n) u by ring.
split; first by apply: Rmult_le_compat_l; [lra | exact: progress].
apply: Rle_trans th; apply: Rmult_le_compat_l; first lra.
by have := dot_le_norms (V n) u; rewrite (unorm dir) Rmult_1_r.
Qed.

Lemma path_active_total n : \sum_(c | S c) omega n c <= \sum_(c | P c) omega n c.
Proof.
have pos c : P c -> 0 < omega n c.
  move=> Pc; apply: Rmult_lt_0_compat; last exact: exp_pos.
  by have := in_range n Pc; have := factor_low_gt0 range Pc; lra.
rewrite (sum_pred_id S) (sum_pred_id P); apply: sum_le => c _.
case Sc: (S c); first by rewrite active_sub //; lra.
by case Pc: (P c); [have := pos c Pc; lra | lra].
Qed.

(* T14: ||e_n|| <= X for all n, hence 1 - cos = O(1/y^2). *)
Theorem path_residual : short_run (field_of Q Delta b) h w -> forall n, vnorm (residual (w n)) <= X /\
  (0 < height (w n) ->
   1 - cosine u (w n) <= (vnorm centre + X) * (vnorm centre + X) / (2 * (height (w n) * height (w n)))).
Proof.
case=> tau short n.
have held : span_run o f h speed w tau (fun m => \sum_(c | P c) omega m c) (fun m => b (w m))
    (log_floor Q mu (factor_low f)) start_of rate_of.
  split=> [m||m|m c Sc|m|m|m|c Qc Sc|c Qc Sc|m c Qc Sc].
  - by case: (short m).
  - exact: start_residual centred.
  - by case: (short m).
  - exact (in_range m (active_sub Sc)).
  - exact: path_active_total.
  - exact (kept_total_lower (w m) dir active_sub (fun c Pc => factor_low_gt0 range Pc) (fun c Pc => in_range m Pc)).
  - by have [step t0 th] := short m; exact: path_rise.
  - by apply: Rmult_le_pos (far_factor_ge0 range (@on_path_in O) Qc) _; exact/Rlt_le/exp_pos.
  - by have := span_share_range conditions Qc Sc; rewrite /far_rate; lra.
  exact: path_far_weight.
have H := span_residual conditions (fun c Sc => factor_low_gt0 range (active_sub Sc)) held n.
by split=> // y1; exact (angle_bound (dir_unit dir) y1 H).
Qed.
End PathResidual.
