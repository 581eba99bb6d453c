(* SymmetricForms: bounds of a symmetric form by those of its squares, of all vectors or beside a unit vector; and how
   far the direction of a vector near n u is from linear in it. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid PseudoOrbit.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Forms.
Variable J : finType.
Implicit Types (g h x y z : vec J) (S : vec J -> vec J -> R).

Definition symmetric_form S : Prop :=
  [/\ forall x y, S x y = S y x, forall x y z, S (x + y)%V z = S x z + S y z &
      forall (c : R) x y, S (c * x)%V y = c * S x y].

Lemma form_zero S x : symmetric_form S -> S vzero x = 0.
Proof. by case=> _ _ scale; have -> : vzero = (0%R * x)%V by [vec_ring]; rewrite scale Rmult_0_l. Qed.

(* A bound of the squares is one of the whole form. *)
Theorem symmetric_form_le S (k : R) : symmetric_form S -> 0 <= k -> (forall z, Rabs (S z z) <= k * vnorm2 z) ->
  forall g h, Rabs (S g h) <= k * vnorm g * vnorm h.
Proof.
move=> form k0 H; have [sym add scale] := form.
have sum_bound x y : 2 * Rabs (S x y) <= k * (vnorm2 x + vnorm2 y).
  have addr a b c : S a (b + c)%V = S a b + S a c by rewrite sym add !(sym _ a).
  have -> : S x y = / 4 * (S (x + y)%V (x + y)%V - S (x + (- 1)%R * y)%V (x + (- 1)%R * y)%V).
    have scaler c a b : S a (c * b)%V = c * S a b by rewrite sym scale sym.
    by rewrite !add !addr !scale !scaler (sym y x); field.
  have Hp := H (x + y)%V; have Hm := H (x + (- 1)%R * y)%V.
  rewrite vnorm2D in Hp; rewrite vnorm2D vnorm2Z dotZr in Hm.
  rewrite Rabs_mult (Rabs_pos_eq (/ 4)); last lra.
  have := Rabs_triang (S (x + y)%V (x + y)%V) (- S (x + (- 1)%R * y)%V (x + (- 1)%R * y)%V).
  by rewrite Rabs_Ropp -/(Rminus _ _); lra.
move=> g h; case: (vnorm_ge0 g) => [g0 | g0]; last first.
  by rewrite (vnorm_eq0 (esym g0)) form_zero // Rabs_R0 vnorm0; lra.
case: (vnorm_ge0 h) => [h0 | h0]; last first.
  by rewrite (vnorm_eq0 (esym h0)) sym form_zero // Rabs_R0 vnorm0; lra.
pose r := vnorm h / vnorm g; have r0 : 0 < r by apply: Rdiv_lt_0_compat.
have := sum_bound (r * g)%V h; rewrite scale Rabs_mult (Rabs_pos_eq r); last lra.
rewrite vnorm2Z -!vnorm_sqr => le; apply: (Rmult_le_reg_l (2 * r)); first lra.
have E : r * vnorm g = vnorm h by rewrite /r; field; lra.
have -> : 2 * r * (k * vnorm g * vnorm h) = k * (2 * (r * vnorm g) * vnorm h) by ring.
rewrite Rmult_assoc; apply: Rle_trans le _; right.
have -> : r * r * (vnorm g * vnorm g) = (r * vnorm g) * (r * vnorm g) by ring.
by rewrite E; ring.
Qed.

(* x + s P y for a form that gives <y, .>, P the projection along the unit vector u. *)
Variables (u : vec J) (unit : dot u u = 1).
Definition beside z : vec J := (z - dot u z * u)%V.

Lemma dot_beside z : dot u (beside z) = 0.
Proof. by rewrite /beside dotBr dotZr unit; ring. Qed.

Lemma dot_besideC x z : dot (beside x) z = dot x (beside z).
Proof. by rewrite /beside dotBl dotBr dotZl dotZr (dotC x u); ring. Qed.

Lemma split_along z : z = (dot u z * u + beside z)%V.
Proof. by rewrite /beside; vec_ring. Qed.

Lemma dot_split x z : dot x z = dot u x * dot u z + dot (beside x) (beside z).
Proof. by rewrite /beside !dotBl !dotBr !dotZl !dotZr unit (dotC x u); ring. Qed.

Lemma beside_le z : vnorm (beside z) <= vnorm z.
Proof.
apply: vnorm_le; rewrite /vnorm2 (dot_split z z); have := Rle_0_sqr (dot u z); rewrite /Rsqr; lra.
Qed.

Lemma besideD x y : beside (x + y)%V = (beside x + beside y)%V.
Proof. by rewrite /beside dotDr; vec_ring. Qed.

Lemma besideZ (c : R) x : beside (c * x)%V = (c * beside x)%V.
Proof. by rewrite /beside dotZr; vec_ring. Qed.

(* The part of a form beside u. *)
Theorem projected_form_le S (s k T : R) : symmetric_form S -> 1 <= k ->
  (forall z, Rabs (vnorm2 z + s * S z z) <= k * vnorm2 z) -> 0 <= s ->
  (forall g, dot u g = 0 -> s * Rabs (S u g) <= T * vnorm g) -> 0 <= T ->
  forall h e, Rabs (dot h e + s * S h (beside e)) <= (k + T) * vnorm h * vnorm e.
Proof.
move=> form k1 H s0 turn T0 h e; have [sym add scale] := form.
pose S2 x y := dot x y + s * S (beside x) (beside y).
have form2 : symmetric_form S2.
  split=> [x y | x y z | c x y]; rewrite /S2; first by rewrite dotC sym.
    by rewrite dotDl besideD add; ring.
  by rewrite dotZl besideZ scale; ring.
have -> : dot h e + s * S h (beside e) = S2 h e + dot u h * (s * S u (beside e)).
  by rewrite /S2 {2}(split_along h) add scale; ring.
apply: Rle_trans (Rabs_triang _ _) _; rewrite Rmult_assoc Rmult_plus_distr_r -!Rmult_assoc.
apply: Rplus_le_compat.
  apply: symmetric_form_le form2 _ _ h e; first lra.
  move=> z; have -> : S2 z z = dot u z * dot u z + (vnorm2 (beside z) + s * S (beside z) (beside z)).
    by rewrite /S2 (dot_split z z) /vnorm2; ring.
  apply: Rle_trans (Rabs_triang _ _) _; rewrite {2}/vnorm2 (dot_split z z).
  have := H (beside z); have q := Rle_0_sqr (dot u z); rewrite /Rsqr in q; rewrite (Rabs_pos_eq _ q) /vnorm2; nra.
rewrite Rabs_mult Rabs_mult (Rabs_pos_eq s) //.
have uh : Rabs (dot u h) <= vnorm h.
  by have := cauchy_schwarz u h; rewrite {1}/vnorm /vnorm2 unit sqrt_1 Rmult_1_l.
have ue := turn _ (dot_beside e); have b0 := beside_le e; have h0 := Rabs_pos (dot u h).
have : T * vnorm (beside e) <= T * vnorm e by exact: Rmult_le_compat_l.
have S0 : 0 <= s * Rabs (S u (beside e)) by apply: Rmult_le_pos => //; exact: Rabs_pos.
have n0 := vnorm_ge0 h; nra.
Qed.

(* Normalising, to second order. *)
Theorem direction_linear (v : vec J) (n : R) : 0 < n -> 4 * vnorm (v - n * u)%V <= n ->
  0 < vnorm v /\
  vnorm (/ vnorm v * v - u - / n * beside (v - n * u))%V <= 2 * (vnorm (v - n * u)%V * vnorm (v - n * u)%V) / (n * n).
Proof.
move=> n0 small; set d := (v - n * u)%V in small *; set q := vnorm d in small *; have q0 : 0 <= q by exact: vnorm_ge0.
have u1 : vnorm u = 1 by rewrite /vnorm /vnorm2 unit sqrt_1.
have w1 : vnorm (n * u)%V = n by rewrite vnormZ u1 Rabs_pos_eq; lra.
set m := vnorm v.
have m1 : n - q <= m.
  have := vnorm_sub_ge (n * u)%V v; rewrite w1 -/m.
  have -> : ((n * u)%V - v)%V = (- d)%V by rewrite /d; vec_ring.
  by rewrite vnormN -/q; lra.
have m0 : 0 < m by lra.
split=> //.
set a := dot u d.
have va : dot u v = n + a by rewrite /a /d dotBr dotZr unit; ring.
have m2 : m * m = n * n + 2 * n * a + q * q.
  rewrite /m vnorm_sqr (_ : v = (n * u + d)%V); last by rewrite /d; vec_ring.
  by rewrite vnorm2D vnorm2Z dotZl -/a -/(vnorm2 d) -[vnorm2 d]vnorm_sqr /vnorm2 unit -/q; ring.
have aq : Rabs a <= q by have := cauchy_schwarz u d; rewrite u1 Rmult_1_l.
have [a1 a2] : - q <= a <= q by move: aq; move/Rabs_le_between.
(* |v| - n - a is between 0 and q^2 / n *)
have low : n + a <= m by have := dot_le_norms u v; rewrite va u1 -/m; lra.
have high : (m - n - a) * n <= 2 / 3 * (q * q).
  have : (m - n - a) * (m + n + a) <= q * q by have := Rle_0_sqr a; rewrite /Rsqr; lra.
  nra.
have apart : vnorm (/ m * v - u)%V * n <= 8 / 7 * q.
  have := direction_distance (x := v) (y := (n * u)%V); rewrite w1 -/m -/d -/q => /(_ m0 n0).
  have -> : (/ n * (n * u))%V = u by rewrite (_ : (/ n * (n * u))%V = ((/ n * n)%R * u)%V);
    [rewrite Rinv_l; [vec_ring | lra] | vec_ring].
  have x0 := vnorm_ge0 (/ m * v - u)%V; nra.
have -> : (/ m * v - u - / n * beside d)%V = ((- (m - n - a) / n) * (/ m * v) + (- (a / n)) * (/ m * v - u))%V.
  apply: vec_ext => j; rewrite /beside -/a /d /vsub /vadd /vscale; field; lra.
apply: Rle_trans (vnorm_triangle _ _) _; rewrite !vnormZ -/m.
rewrite Rabs_Ropp (Rabs_pos_eq (/ m)); last exact/Rlt_le/Rinv_0_lt_compat.
have -> : / m * m = 1 by rewrite Rinv_l; lra.
rewrite /Rdiv !Rabs_mult Rabs_Ropp (Rabs_pos_eq (/ n)); last exact/Rlt_le/Rinv_0_lt_compat.
rewrite (Rabs_pos_eq (m - n - a)); last lra.
have i0 := Rinv_0_lt_compat _ n0.
apply: (Rmult_le_reg_r (n * n)); first nra.
have -> : ((m - n - a) * / n * 1 + Rabs a * / n * vnorm (/ m * v - u)%V) * (n * n) =
  (m - n - a) * n + Rabs a * (vnorm (/ m * v - u)%V * n) by field; lra.
have -> : 2 * (q * q) * / (n * n) * (n * n) = 2 * (q * q) by field; lra.
have := Rmult_le_compat _ _ _ _ (Rabs_pos a) (Rmult_le_pos _ _ (vnorm_ge0 (/ m * v - u)%V) (Rlt_le _ _ n0)) aq apart.
by have := Rle_0_sqr q; rewrite /Rsqr; lra.
Qed.
End Forms.
