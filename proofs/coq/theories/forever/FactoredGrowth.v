(* FactoredGrowth: how far apart one step takes two pairs of factors that are close together (FACTORED.md section 3).

   A pair (K,Q) is one vector, a coordinate for each entry. Of two pairs a and b let delta = a - b, let K~ and Q~ be
   the factors of (a + b)/2, and g = (V Q, V'K). Then exactly

     W_a - W_b = delta_K Q~' + K~ delta_Q',
     <g_a - g_b, y> = <V_a - V_b, y_K Q~' + K~ y_Q'> + <(V_a + V_b)/2, y_K delta_Q' + delta_K y_Q'>,

   so where V changes by a symmetric form S, <V_a - V_b, Y> = S(W_a - W_b, Y), as the mean value theorem gives, g
   changes by one too, and bounds of its squares bound the growth. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid NormDuality MatrixProducts SymmetricForms StepGrowth FactoredStep.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Halves.
Variables A B : finType.
Notation joined := (vec [finType of A + B]).
Implicit Types x y : joined.

Definition left_part x : vec A := fun i => x (inl i).
Definition right_part x : vec B := fun i => x (inr i).
Definition joined_vector (u : vec A) (v : vec B) : joined := fun i => match i with inl a => u a | inr b => v b end.

Lemma dot_parts x y : dot x y = dot (left_part x) (left_part y) + dot (right_part x) (right_part y).
Proof. by rewrite /dot big_sumType. Qed.

Lemma vnorm2_parts x : vnorm2 x = vnorm2 (left_part x) + vnorm2 (right_part x).
Proof. exact: dot_parts. Qed.

Lemma left_part_le x : vnorm (left_part x) <= vnorm x.
Proof. by apply: sqrt_le_1_alt; rewrite vnorm2_parts; have := vnorm2_ge0 (right_part x); lra. Qed.
Lemma right_part_le x : vnorm (right_part x) <= vnorm x.
Proof. by apply: sqrt_le_1_alt; rewrite vnorm2_parts; have := vnorm2_ge0 (left_part x); lra. Qed.
End Halves.

Section FactoredGrowth.
Variables d e m : finType.
Notation matrix := (vec [finType of d * e]).
Notation pair := (vec [finType of (m * d) + (m * e)]).
Implicit Types (a b x y z : pair) (M V : matrix).

Definition left_columns_of x : m -> vec d := fun c j => left_part x (c, j).
Definition right_columns_of x : m -> vec e := fun c j => right_part x (c, j).
Definition pair_of_columns (K : m -> vec d) (Q : m -> vec e) : pair :=
  joined_vector (fun cj => K cj.1 cj.2) (fun cj => Q cj.1 cj.2).
Definition product_of_pair x : matrix := factored (left_columns_of x) (right_columns_of x).
(* y_K Q' + K y_Q', K and Q the factors of x *)
Definition across x y : matrix :=
  crossed (left_columns_of y) (right_columns_of y) (left_columns_of x) (right_columns_of x).
(* (V Q, V'K) *)
Definition pair_pulled V x : pair :=
  pair_of_columns (fun c => matrix_vector V (right_columns_of x c)) (fun c => matrix_back V (left_columns_of x c)).

Lemma dot_pairs x y : dot x y =
  pair_dot (left_columns_of x) (right_columns_of x) (left_columns_of y) (right_columns_of y).
Proof. by rewrite dot_parts /pair_dot /dot !pair_bigA; congr (_ + _); apply: eq_bigr => -[c j] _. Qed.

Lemma vnorm2_pair x : vnorm2 x = pair_size (left_columns_of x) (right_columns_of x).
Proof. exact: dot_pairs. Qed.

Lemma dot_pulled V x y : dot (pair_pulled V x) y = dot V (across x y).
Proof. by rewrite dot_pairs /across dot_crossed. Qed.

Lemma across_le x y : vnorm (across x y) <= vnorm x * vnorm y.
Proof.
have x0 := vnorm_ge0 x; have y0 := vnorm_ge0 y; apply: vnorm_le_sqr; first exact: Rmult_le_pos.
have := crossed_norm (left_columns_of y) (right_columns_of y) (left_columns_of x) (right_columns_of x).
rewrite -!vnorm2_pair -!vnorm_sqr /across; set c := vnorm _ * vnorm _ => le; apply: Rle_trans le _; right; ring.
Qed.

Lemma acrossC x y : across x y = across y x.
Proof. by rewrite /across /crossed; vec_ring. Qed.

Lemma acrossD x y z : across x (y + z)%V = (across x y + across x z)%V.
Proof.
apply: vec_ext => -[j k]; rewrite /across /crossed /factored /combine /outer /vadd /= -!sumD.
by apply: eq_bigr => c _; rewrite /left_columns_of /right_columns_of /left_part /right_part; ring.
Qed.

Lemma acrossZ x (c : R) y : across x (c * y)%V = (c * across x y)%V.
Proof.
apply: vec_ext => -[j k]; rewrite /across /crossed /factored /combine /outer /vadd /vscale /= -!sumD sum_mull.
by apply: eq_bigr => i _; rewrite /left_columns_of /right_columns_of /left_part /right_part; ring.
Qed.

Section Two.
Variables (a b : pair) (Va Vb : matrix).
Let delta := (a - b)%V.
Definition pair_middle : pair := (/ 2 * (a + b))%V.
Definition mean_field : matrix := (/ 2 * (Va + Vb))%V.
Let change := (pair_pulled Va a - pair_pulled Vb b)%V.

Lemma matrix_difference : (product_of_pair a - product_of_pair b)%V = across pair_middle delta.
Proof.
apply: vec_ext => -[j k].
rewrite /across /crossed /product_of_pair /factored /combine /outer /vadd /vsub /= -sumB -!sumD.
apply: eq_bigr => c _; rewrite /left_columns_of /right_columns_of /left_part /right_part /delta /pair_middle.
by rewrite /vsub /vscale /vadd; field.
Qed.

Lemma pulled_difference y : dot change y = dot (Va - Vb)%V (across pair_middle y) + dot mean_field (across delta y).
Proof.
rewrite /change dotBl !dot_pulled.
have -> : across a y = (across pair_middle y + / 2 * across delta y)%V.
  rewrite !(acrossC _ y) -acrossZ -acrossD; congr (across y).
  by rewrite /pair_middle /delta; apply: vec_ext => i; rewrite /vsub /vscale /vadd; field.
have -> : across b y = (across pair_middle y - / 2 * across delta y)%V.
  have -> : forall u v : matrix, (u - / 2 * v)%V = (u + (- / 2)%R * v)%V by move=> u v; vec_ring.
  rewrite !(acrossC _ y) -acrossZ -acrossD; congr (across y).
  by rewrite /pair_middle /delta; apply: vec_ext => i; rewrite /vsub /vscale /vadd; field.
by rewrite /mean_field dotBl dotDr dotBr dotZl dotDl !dotZr; field.
Qed.

(* How V changes: by a symmetric form, another one for each direction it is seen in. *)
Variables above below turn : R.
Hypothesis changes : forall Y, exists S,
  [/\ symmetric_form S, dot (Va - Vb)%V Y = S (product_of_pair a - product_of_pair b)%V Y &
      forall y, - below * vnorm2 y <= S (across pair_middle y) (across pair_middle y) <= above * vnorm2 y].
Hypothesis field_le : vnorm mean_field <= turn.

Let pair_form S y z : R := S (across pair_middle y) (across pair_middle z) + dot mean_field (across y z).

Let pair_form_symmetric S : symmetric_form S -> symmetric_form (pair_form S).
Proof.
case=> sym add scale; split=> [y z | x y z | c y z]; rewrite /pair_form.
- by rewrite sym (acrossC y z).
- by rewrite acrossD add (acrossC (x + y)%V) acrossD dotDr (acrossC z x) (acrossC z y); ring.
by rewrite acrossZ scale (acrossC (c * y)%V) acrossZ dotZr (acrossC z y); ring.
Qed.

Let pair_form_square S :
  (forall y, - below * vnorm2 y <= S (across pair_middle y) (across pair_middle y) <= above * vnorm2 y) ->
  forall y, - (below + turn) * vnorm2 y <= pair_form S y y <= (above + turn) * vnorm2 y.
Proof.
move=> H y; have [h1 h2] := H y; rewrite /pair_form.
have le : Rabs (dot mean_field (across y y)) <= turn * vnorm2 y.
  apply: Rle_trans (cauchy_schwarz _ _) _; apply: Rmult_le_compat => //; try exact: vnorm_ge0.
  by rewrite -vnorm_sqr; exact: across_le.
by move/Rabs_le_between: le => [l1 l2]; lra.
Qed.

Let change_form y : exists S, [/\ symmetric_form S, dot change y = S delta y &
  forall z, - (below + turn) * vnorm2 z <= S z z <= (above + turn) * vnorm2 z].
Proof.
have [S [form E H]] := changes (across pair_middle y); exists (pair_form S); split.
- exact: pair_form_symmetric.
- by rewrite pulled_difference E matrix_difference.
exact: pair_form_square.
Qed.

Let vnorm_le_of_square y (c : R) : 0 <= c -> vnorm2 y <= c * vnorm y -> vnorm y <= c.
Proof. by move=> c0; rewrite -vnorm_sqr; case: (vnorm_ge0 y) => [y0 le | <- //]; apply: (Rmult_le_reg_r (vnorm y)). Qed.

(* One length of step for both factors. *)
Theorem pair_growth (tau k : R) : 0 <= tau -> 0 <= k -> 1 + tau * (above + turn) <= k ->
  tau * (below + turn) - 1 <= k -> vnorm (delta + tau * change)%V <= k * vnorm delta.
Proof.
move=> t0 k0 k1 k2; set y := (_ + _)%V; apply: vnorm_le_of_square.
  by apply: Rmult_le_pos => //; exact: vnorm_ge0.
have [S [[sym add scale] E H]] := change_form y.
have form : symmetric_form (fun u v => dot u v + tau * S u v).
  split=> [u v | u v z | c u v]; first by rewrite dotC sym.
    by rewrite dotDl add; ring.
  by rewrite dotZl scale; ring.
have bound z : Rabs (dot z z + tau * S z z) <= k * vnorm2 z.
  have [b1 b2] := H z; have n0 := vnorm2_ge0 z; rewrite -/(vnorm2 z).
  have c1 := Rmult_le_compat_l _ _ _ t0 b1; have c2 := Rmult_le_compat_l _ _ _ t0 b2.
  have d1 := Rmult_le_compat_r _ _ _ n0 k1; have d2 := Rmult_le_compat_r _ _ _ n0 k2.
  by apply: Rabs_le; lra.
have := symmetric_form_le form k0 bound delta y.
have -> : vnorm2 y = dot delta y + tau * S delta y by rewrite /vnorm2 {1}/y dotDl dotZl E.
by have := Rle_abs (dot delta y + tau * S delta y); lra.
Qed.

Theorem pulled_lipschitz (c : R) : 0 <= c -> above + turn <= c -> below + turn <= c ->
  vnorm change <= c * vnorm delta.
Proof.
move=> c0 c1 c2; apply: vnorm_le_of_square; first by apply: Rmult_le_pos => //; exact: vnorm_ge0.
have [S [form E H]] := change_form change; rewrite {1}/vnorm2 E.
have bound z : Rabs (S z z) <= c * vnorm2 z.
  have [b1 b2] := H z; have n0 := vnorm2_ge0 z.
  have d1 := Rmult_le_compat_r _ _ _ n0 c1; have d2 := Rmult_le_compat_r _ _ _ n0 c2.
  by apply: Rabs_le; lra.
by apply: Rle_trans (Rle_abs _) _; exact: symmetric_form_le form c0 bound _ _.
Qed.
End Two.
End FactoredGrowth.

(* ---- normalised steps ---- *)

Section Beside.
Variable J : finType.
Implicit Types u x y v w : vec J.

(* Along u nothing moves, beside it a part of what is seen of the whole step. *)
Lemma partial_step_le u x y (r : R) : dot u u = 1 -> 0 <= r <= 1 ->
  vnorm2 (x + r * beside u (y - x))%V <= vnorm2 x + vnorm2 y.
Proof.
move=> unit [r0 r1].
have E : (x + r * beside u (y - x))%V = (dot u x * u + ((1 - r) * beside u x + r * beside u y))%V.
  by apply: vec_ext => j; rewrite /beside dotBr /vadd /vscale /vsub; ring.
have split z : vnorm2 z = dot u z * dot u z + vnorm2 (beside u z) by exact: dot_split.
rewrite E vnorm2D vnorm2Z -[vnorm2 u]/(dot u u) unit dotZl dotDr !dotZr !(dot_beside unit) vnorm2D !vnorm2Z dotZl dotZr.
rewrite (split x) (split y); set p := beside u x; set q := beside u y.
have c := cauchy_schwarz2 p q; have p0 := vnorm2_ge0 p; have q0 := vnorm2_ge0 q.
have pq : 2 * dot p q <= vnorm2 p + vnorm2 q by have := vnorm2_ge0 (p - q)%V; rewrite vnorm2B; lra.
have y0 := Rle_0_sqr (dot u y); rewrite /Rsqr in y0.
have s0 : 0 <= (1 - r) * r by apply: Rmult_le_pos; lra.
have := Rmult_le_compat_l _ _ _ s0 pq; nra.
Qed.

(* One factor: its step from v, against that from w, by the lengths of both. *)
Lemma normalised_part x v w (eta tau q : R) : 0 < vnorm w -> 0 <= eta -> eta / vnorm w <= tau -> 0 < tau ->
  vnorm (v - w)%V <= q -> 4 * q <= vnorm w ->
  0 < vnorm v /\ exists main rest, [/\
    (x + ((eta / vnorm v) * v - (eta / vnorm w) * w))%V = (main + rest)%V,
    vnorm2 main <= vnorm2 x + vnorm2 (x + tau * (v - w))%V &
    vnorm rest <= 2 * eta * (q * q) / (vnorm w * vnorm w)].
Proof.
move=> w0 eta0 le t0 near small; set n := vnorm w in w0 le small *.
pose u := (/ n * w)%V.
have nu : (n * u)%V = w by apply: vec_ext => j; rewrite /u /vscale; field; lra.
have unit : dot u u = 1 by rewrite /u dotZl dotZr -/(vnorm2 w) -vnorm_sqr -/n; field; lra.
have [|v0 linear] := direction_linear unit (v := v) w0; first by rewrite nu; lra.
split=> //; rewrite nu in linear.
pose s := eta / n; pose r := s / tau; rewrite -/s in le.
have s0 : 0 <= s by apply: Rmult_le_pos => //; exact/Rlt_le/Rinv_0_lt_compat.
have i0 := Rinv_0_lt_compat _ t0.
have r0 : 0 <= r <= 1.
  split; first by apply: Rmult_le_pos; lra.
  apply: (Rmult_le_reg_r tau) => //; have -> : r * tau = s by [rewrite /r; field; lra]; lra.
exists (x + s * beside u (v - w))%V, (eta * (/ vnorm v * v - u - / n * beside u (v - w)))%V; split.
- apply: vec_ext => j; rewrite /s /u /vadd /vsub /vscale; field; split; lra.
- have -> : (x + s * beside u (v - w))%V = (x + r * beside u ((x + tau * (v - w)) - x))%V.
    have -> : ((x + tau * (v - w)) - x)%V = (tau * (v - w))%V by vec_ring.
    by rewrite besideZ; apply: vec_ext => j; rewrite /r /vadd /vscale; field; lra.
  exact: partial_step_le.
rewrite vnormZ Rabs_pos_eq //.
have d0 := vnorm_ge0 (v - w)%V.
have sq : vnorm (v - w)%V * vnorm (v - w)%V <= q * q by apply: Rmult_le_compat.
have nn : 0 < n * n by nra.
have : 2 * (vnorm (v - w)%V * vnorm (v - w)%V) / (n * n) <= 2 * (q * q) / (n * n).
  by apply: Rmult_le_compat_r; [exact/Rlt_le/Rinv_0_lt_compat | lra].
have := Rmult_le_compat_l _ _ _ eta0 linear; move=> h1 /(Rmult_le_compat_l _ _ _ eta0) h2.
by apply: Rle_trans h1 _; apply: Rle_trans h2 _; right; rewrite /Rdiv; ring.
Qed.
End Beside.

Section NormalisedPair.
Variables A B : finType.
Notation joined := (vec [finType of A + B]).
Implicit Types x v w : joined.

(* Each part of v in its own length. *)
Definition both_normalised (eta : R) v : joined :=
  joined_vector ((eta / vnorm (left_part v)) * left_part v)%V ((eta / vnorm (right_part v)) * right_part v)%V.

Theorem normalised_pair_growth x v w (eta tau q k : R) : 0 < vnorm (left_part w) -> 0 < vnorm (right_part w) ->
  0 <= eta -> 0 < tau -> eta / vnorm (left_part w) <= tau -> eta / vnorm (right_part w) <= tau -> 0 <= k ->
  vnorm (x + tau * (v - w))%V <= k * vnorm x -> vnorm (v - w)%V <= q ->
  4 * q <= vnorm (left_part w) -> 4 * q <= vnorm (right_part w) ->
  [/\ 0 < vnorm (left_part v), 0 < vnorm (right_part v) &
   vnorm (x + (both_normalised eta v - both_normalised eta w))%V <= sqrt (1 + k * k) * vnorm x +
     (2 * eta * (q * q) / (vnorm (left_part w) * vnorm (left_part w)) +
      2 * eta * (q * q) / (vnorm (right_part w) * vnorm (right_part w)))].
Proof.
move=> l0 r0 eta0 t0 lt rt k0 grown near ls rs.
have nl : vnorm (left_part v - left_part w)%V <= q by apply: Rle_trans near; exact: (left_part_le (v - w)%V).
have nr : vnorm (right_part v - right_part w)%V <= q by apply: Rle_trans near; exact: (right_part_le (v - w)%V).
have [vl [ml [el [El Ml Rl]]]] := normalised_part (left_part x) l0 eta0 lt t0 nl ls.
have [vr [mr [er [Er Mr Rr]]]] := normalised_part (right_part x) r0 eta0 rt t0 nr rs.
split=> //.
have -> : (x + (both_normalised eta v - both_normalised eta w))%V =
    (joined_vector ml mr + (joined_vector el (@vzero B) + joined_vector (@vzero A) er))%V.
  apply: vec_ext => -[i|i]; rewrite /vadd /vsub /both_normalised /joined_vector /vzero.
    have := congr1 (fun f => f i) El; rewrite /vadd /vsub => E; rewrite Rplus_0_r -E //.
  have := congr1 (fun f => f i) Er; rewrite /vadd /vsub => E; rewrite Rplus_0_l -E //.
have zero_part (J : finType) : vnorm2 (@vzero J) = 0 by exact: vnorm20.
have nel : vnorm (joined_vector el (@vzero B)) = vnorm el.
  by rewrite /vnorm vnorm2_parts -[right_part _]/(@vzero B) zero_part Rplus_0_r.
have ner : vnorm (joined_vector (@vzero A) er) = vnorm er.
  by rewrite /vnorm vnorm2_parts -[left_part _]/(@vzero A) zero_part Rplus_0_l.
apply: Rle_trans (vnorm_triangle _ _) _; apply: Rplus_le_compat; last first.
  by apply: Rle_trans (vnorm_triangle _ _) _; rewrite nel ner; exact: Rplus_le_compat.
have x0 := vnorm_ge0 x; apply: vnorm_le_sqr; first by apply: Rmult_le_pos => //; exact: sqrt_pos.
have -> : sqrt (1 + k * k) * vnorm x * (sqrt (1 + k * k) * vnorm x) = (1 + k * k) * (vnorm x * vnorm x).
  have root : sqrt (1 + k * k) * sqrt (1 + k * k) = 1 + k * k by apply: sqrt_sqrt; nra.
  by transitivity (sqrt (1 + k * k) * sqrt (1 + k * k) * (vnorm x * vnorm x)); [ring | rewrite root].
rewrite vnorm2_parts -[left_part (joined_vector _ _)]/ml -[right_part (joined_vector _ _)]/mr.
set z := (x + tau * (v - w))%V in grown.
have z0 := vnorm_ge0 z.
have zz : vnorm2 z <= k * k * (vnorm x * vnorm x).
  rewrite -vnorm_sqr; have := Rmult_le_compat _ _ _ _ z0 z0 grown grown; lra.
have : vnorm2 ml + vnorm2 mr <= vnorm2 x + vnorm2 z.
  rewrite (vnorm2_parts x) (vnorm2_parts z).
  by have := Rplus_le_compat _ _ _ _ Ml Mr; rewrite -[left_part z]/(left_part x + tau * (left_part v - left_part w))%V
    -[right_part z]/(right_part x + tau * (right_part v - right_part w))%V; lra.
by rewrite -(vnorm_sqr x); lra.
Qed.
End NormalisedPair.
