(* SpanProjection: T14's far constraints split along and across the span of the active lateral parts, by projection.

   A positive lower bound of the least eigenvalue of the active constraints' Gram matrix is enough for the splits to
   exist; whatever they are, T14's bound is at most X_in + sum J_c delta_c. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid PositiveDefinite Enclosure Direction Reference Growth ActiveStep FarPull
                           SpanConstants SpanResidual.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* The triangle inequality in the plane, for weighted sums. *)
Lemma plane_sum_le (C : finType) (F : pred C) (a x y d : C -> R) (X : R) : 0 <= X ->
  (forall c, F c -> 0 <= a c) -> (forall c, F c -> [/\ 0 <= x c, 0 <= d c & x c * x c + y c * y c = d c * d c]) ->
  sqrt ((X + \sum_(c | F c) x c * a c) * (X + \sum_(c | F c) x c * a c) + (\sum_(c | F c) y c * a c) *
    (\sum_(c | F c) y c * a c))
    <= X + \sum_(c | F c) d c * a c.
Proof.
move=> X0 a0 H; set A := \sum_(c | F c) x c * a c; set B := \sum_(c | F c) y c * a c; set E :=
  \sum_(c | F c) d c * a c.
pose v c : vec [finType of bool] := fun b => if b then x c else y c.
have norm2 (w : vec [finType of bool]) : vnorm2 w = w true * w true + w false * w false.
  by rewrite /vnorm2 /dot big_bool.
have AE : A <= E.
  apply: sum_le => c Fc; have [x0 d0 sq] := H c Fc; apply: Rmult_le_compat_r; first exact: a0.
  by apply: Rsqr_incr_0_var => //; have := Rle_0_sqr (y c); rewrite /Rsqr; lra.
have E0 : 0 <= E by apply: sum_ge0 => c Fc; have [_ d0 _] := H c Fc; apply: Rmult_le_pos; last exact: a0.
have plane : A * A + B * B <= E * E.
  have -> : A * A + B * B = vnorm2 (combine F a v).
    by rewrite norm2 /combine /v /A /B; congr (_ * _ + _ * _); apply: eq_bigr => c _; rewrite Rmult_comm.
  have n0 := vnorm_ge0 (combine F a v); rewrite -vnorm_sqr.
  have le : vnorm (combine F a v) <= E.
    apply: Rle_trans (vnorm_combine _ _ _) _; apply: sum_le => c Fc; have [_ d0 sq] := H c Fc.
    by rewrite (Rabs_pos_eq _ (a0 c Fc)) /vnorm norm2 /v sq sqrt_square // Rmult_comm; right.
  by apply: Rmult_le_compat.
rewrite -(sqrt_square (X + E)); last lra.
by apply: sqrt_le_1_alt; have := Rmult_le_compat_l _ _ _ X0 AE; lra.
Qed.

Section Projection.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (u : vec J) (gamma : R) (mu : C -> R).
Hypothesis dir : direction Q Delta u gamma mu.
Notation S := (active Q mu).
Notation lateral := (lateral Delta u).
Variable least : R.
Hypothesis least_gt0 : 0 < least.
Hypothesis gram : gram_at_least S Delta least.

Lemma lateral_orth c : dot (lateral c) u = 0.
Proof. by rewrite /ActiveStep.lateral dotBl dotZl (dir_unit dir) /Direction.slope; ring. Qed.

Lemma projection d : dot d u = 0 -> exists a, forall s, S s -> dot (lateral s) (d - combine S a lateral)%V = 0.
Proof.
move=> du; have g0 := dir_margin_gt0 dir.
have [x [c [Ac xc]] | x Hx] := @gram_solve J C Delta S _ (fun c => dot (Delta c) d).
  apply: Rlt_le_trans (gram x); apply: Rmult_lt_0_compat => //.
  apply: (@sum_gt0 _ _ (fun c => x c * x c) c) => // [e _|]; first exact: Rle_0_sqr.
  exact: Rsqr_pos_lt.
set e := combine S x Delta in Hx.
have eu : dot e u = 0.
  apply: (Rmult_eq_reg_l gamma); last lra.
  rewrite (dotC e) -(balance_dot dir e) -(sum_active dir) (eq_bigr (fun c => mu c * dot (Delta c) d)) => [|c Sc].
    by rewrite (sum_active dir (fun c => dot (Delta c) d)) (balance_dot dir d) (dotC u) du; ring.
  by rewrite Hx.
exists x => s Ss; have eE : e = (combine S x lateral + (\sum_(c | S c) x c) * gamma * u)%V.
  apply: vec_ext => j; rewrite /e /combine /vadd /vscale !sum_mulr -sumD; apply: eq_bigr => c Sc.
  by rewrite /ActiveStep.lateral /vsub /vscale (active_slope dir Sc); ring.
have zero : (\sum_(c | S c) x c) * gamma = 0.
  move: eu; rewrite eE dotDl dotZl (dir_unit dir) dot_combinel sum0 => [|c _]; last by rewrite lateral_orth; ring.
  by lra.
have -> : combine S x lateral = e by rewrite eE zero; vec_ring.
by rewrite lateral_dot; [rewrite dotBr Hx //; ring | rewrite dotBl du eu; ring].
Qed.

(* The part of a lateral part along the span, and the rest. *)
Theorem projections : exists (coef : C -> C -> R) (dO : C -> vec J),
  (forall c, lateral c = (combine S (coef c) lateral + dO c)%V) /\ forall s c, S s -> dot (lateral s) (dO c) = 0.
Proof.
have [coef Hc] := fin_all_exists (fun c => projection (lateral_orth c)).
exists coef, (fun c => lateral c - combine S (coef c) lateral)%V; split=> [c | s c Ss]; first by vec_ring.
exact: Hc.
Qed.
End Projection.

Section Bound.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta) (k : span_constants J C).
Notation S := (active Q (reference_weights o)).
Notation F := (fun c => Q c && ~~ active Q (reference_weights o) c).
Notation lateral := (lateral Delta (reference_unit o)).
Notation dU := (dU Q Delta (reference_unit o) (reference_weights o) k).

Lemma span_bound_le (far : far_decay C) : 0 <= span_inside k -> far_decays F far ->
  (forall c, lateral c = (dU c + span_across k c)%V) ->
  (forall s c, S s -> dot (lateral s) (span_across k c) = 0) ->
  span_bound o k far <= span_inside k + \sum_(c | Q c && ~~ S c) vnorm (lateral c) * far_total far c.
Proof.
move=> X0 decays split_lateral across; apply: plane_sum_le => // c Fc; first exact (far_total_ge0 decays Fc).
split; [exact: vnorm_ge0 | exact: vnorm_ge0 |].
rewrite !vnorm_sqr (split_lateral c) vnorm2D.
have -> : dot (dU c) (span_across k c) = 0 by rewrite dot_combinel sum0 // => s Ss; rewrite across //; ring.
by ring.
Qed.
End Bound.
