(* RobustRadius: how far rows may move before no matrix separates them any more.

   Rows x_c (a token's) and z_c (a query) with a matrix that has all margins <(x_{s c} - x_c) z_c', W> >= 1. When
   tokens move by at most R and queries by at most F, a margin falls by at most ||W|| (2 R (||z|| + F) + ||dx|| F). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma vnorm_outer (J K : finType) (x : vec J) (z : vec K) : vnorm (outer x z) = vnorm x * vnorm z.
Proof. by rewrite /vnorm /vnorm2 dot_outer sqrt_mult //; apply: vnorm2_ge0. Qed.

(* sqrt a + sqrt b + sqrt c < 1, decided without roots. *)
Lemma roots_below_one a b c : 0 <= a -> 0 <= b -> 0 <= c -> c < 1 ->
  let s := 1 + c - a - b in let t := s * s - 4 * (a * b + c) in
  0 < s -> 0 < t -> 64 * a * b * c < t * t -> sqrt a + sqrt b + sqrt c < 1.
Proof.
move=> a0 b0 c0 c1 s t s0 t0 last; rewrite {}/t {}/s in s0 t0 last *.
have := sqrt_sqrt a a0; have := sqrt_sqrt b b0; have := sqrt_sqrt c c0.
have := sqrt_pos a; have := sqrt_pos b; have := sqrt_pos c.
move: (sqrt a) (sqrt b) (sqrt c) => p q r r0 q0 p0 Er Eq Ep; rewrite -Ep -Eq -Er in c1 s0 t0 last.
have pq0 : 0 <= p * q by nra.
set s := 1 + r * r - p * p - q * q in s0 t0 last; set t := s * s - _ in t0 last.
have square_lt x y : 0 <= y -> x * x < y * y -> x < y by move=> y0 H; apply: Rnot_le_lt => yx; nra.
have below_t : 8 * (p * q * r) < t by apply: square_lt; [lra | move: last; nra].
have below_s : 2 * (p * q + r) < s by apply: square_lt; [lra | move: below_t; rewrite /t; nra].
have r1 : r < 1 by apply: square_lt; lra.
have : p + q < 1 - r by apply: square_lt; [lra | move: below_s; rewrite /s; nra].
by lra.
Qed.

Section Moves.
Variables (d e : finType) (T G : finType).
Variables (P : pred T) (winner : T -> T) (owner : T -> G).
Implicit Types (x : T -> vec d) (z : G -> vec e) (w : vec [finType of d * e]).

Definition row_margin x z w t : R := dot (outer (x (winner t) - x t)%V (z (owner t))) w.
Definition rows_separable x z : Prop := exists w, forall t, P t -> 1 <= row_margin x z w t.

Variables (x : T -> vec d) (z : G -> vec e) (w : vec [finType of d * e]) (n Z A R F : R).
Hypothesis separates : forall t, P t -> 1 <= row_margin x z w t.
Hypotheses (norm : vnorm w <= n) (queries : forall t, P t -> vnorm (z (owner t)) <= Z)
           (apart : forall t, P t -> vnorm (x (winner t) - x t)%V <= A).
Hypotheses (R0 : 0 <= R) (F0 : 0 <= F) (small : n * (2 * R * (Z + F) + A * F) < 1).

Theorem robust_rows x' z' : (forall t, vdist (x' t) (x t) <= R) -> (forall g, vdist (z' g) (z g) <= F) ->
  rows_separable x' z'.
Proof.
move=> near_x near_z; pose least := 1 - n * (2 * R * (Z + F) + A * F).
have least0 : 0 < least by rewrite /least; lra.
have n0 : 0 <= n := Rle_trans _ _ _ (vnorm_ge0 w) norm.
exists (/ least * w)%V => t Pt; rewrite /row_margin dotZr.
suff : least <= dot (outer (x' (winner t) - x' t)%V (z' (owner t))) w.
  move=> H; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (Rinv_0_lt_compat _ least0)) H.
  by rewrite Rinv_l //; lra.
set dx := (x (winner t) - x t)%V; set ee := ((x' (winner t) - x (winner t)) - (x' t - x t))%V.
set f := (z' (owner t) - z (owner t))%V.
have -> : outer (x' (winner t) - x' t)%V (z' (owner t)) =
          (outer dx (z (owner t)) + (outer ee (z' (owner t)) + outer dx f))%V.
  by apply: vec_ext => jk; rewrite /outer /vadd /ee /f /dx /vsub; ring.
rewrite !dotDl; have := separates Pt; rewrite /row_margin -/dx => one.
have ee_le : vnorm ee <= 2 * R.
  have := vnorm_triangle (x' (winner t) - x (winner t))%V (- (x' t - x t))%V; rewrite vnormN => tri.
  have E : ((x' (winner t) - x (winner t)) + - (x' t - x t))%V = ee by rewrite /ee; vec_ring.
  rewrite E in tri; have := near_x (winner t); have := near_x t; rewrite /vdist; lra.
have f_le : vnorm f <= F by exact: near_z.
have z'_le : vnorm (z' (owner t)) <= Z + F.
  have := vnorm_triangle (z (owner t)) f; have -> : (z (owner t) + f)%V = z' (owner t) by rewrite /f; vec_ring.
  by have := queries Pt; lra.
have dx_le : vnorm dx <= A by exact: apart.
have part (a : vec d) (b : vec e) u v : 0 <= u -> vnorm a <= u -> vnorm b <= v -> - (u * v * n) <= dot (outer a b) w.
  move=> u0 au bv; apply: Rle_trans (dot_ge_norms (outer a b) w); rewrite vnorm_outer.
  have a0 := vnorm_ge0 a; have b0 := vnorm_ge0 b; have w0 := vnorm_ge0 w.
  have ab : vnorm a * vnorm b <= u * v by apply: Rmult_le_compat.
  suff : vnorm a * vnorm b * vnorm w <= u * v * n by lra.
  by apply: Rmult_le_compat => //; apply: Rmult_le_pos.
have A0 : 0 <= A := Rle_trans _ _ _ (vnorm_ge0 dx) dx_le.
have := part ee (z' (owner t)) (2 * R) (Z + F) _ ee_le z'_le; have := part dx f A F A0 dx_le f_le.
by rewrite /least => H1 H2; have := H2 (Rmult_le_pos _ _ (Rlt_le _ _ Rlt_0_2) R0); lra.
Qed.
End Moves.
