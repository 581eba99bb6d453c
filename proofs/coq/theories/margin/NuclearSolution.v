(* NuclearSolution: the exact solution of a margin problem in the nuclear norm, its rank and its active constraints,
   from an approximate solution K0 Q0' with multipliers lam0 of the constraints that are taken to be active. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz FunctionalExtensionality.
From Attest Require Import Euclid Duality NormDuality Rank ShortestVector NearbyRoot MatrixProducts NuclearEquations
                           NuclearRoot BalancedFactors Lyapunov.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Solution.
Variables (d e I C P : finType) (r : nat) (low high : P -> 'I_r).
Local Notation matrix := (vec [finType of d * e]).
(* The constraints <D_t, W> >= 1, and the active ones among them. *)
Variables (cons : pred I) (D : I -> matrix) (act : C -> I).
Hypothesis act_cons : forall c, cons (act c).
Variables (K0 : 'I_r -> vec d) (Q0 : 'I_r -> vec e) (lam0 : C -> R).
Local Notation rows := (fun c => D (act c)).
Local Notation equations := (equations low high rows K0 Q0).
Local Notation derivative := (derivative low high rows K0 Q0 lam0).
Local Notation blend := (blend rows).

(* Every pair of columns has its number. *)
Hypothesis pairs : forall a b : 'I_r, (a < b)%nat -> exists p, low p = a /\ high p = b.

Variables (rho radius s phi g theta length distance : R).
Hypotheses (rho0 : 0 <= rho) (radius0 : 0 <= radius).
Hypothesis rows_short : \sum_c vnorm2 (rows c) <= rho * rho.
(* C1: the equations nearly hold, and their derivative stretches. *)
Hypothesis gap : 2 * rho * radius < s.
Hypothesis stretches : forall h, s * s * vnorm2 h <= vnorm2 (derivative h).
Hypothesis small : vnorm (equations K0 Q0 lam0 (fun=> 0)) <= phi.
Hypothesis room : phi <= radius * (s - 2 * rho * radius).
(* C2: the columns of K0 over Q0 are independent, with room. *)
Hypothesis columns : forall x : 'I_r -> R,
  g * (\sum_i x i * x i) <= vnorm2 (combine predT x K0) + vnorm2 (combine predT x Q0).
Hypothesis columns_room : radius * radius < g.
(* C3: the combination of the rows is shorter than one nearly across the columns of Q0. *)
Hypothesis theta0 : 0 <= theta.
Hypothesis across : forall y : vec e, \sum_i dot (Q0 i) y * dot (Q0 i) y <= radius * radius * vnorm2 y ->
  vnorm2 (matrix_vector (blend lam0) y) <= theta * theta * vnorm2 y.
Hypothesis across_room : theta + rho * radius < 1.
(* C4: multipliers and margins have room. *)
Hypotheses (length0 : 0 <= length) (factors_short : \sum_i vnorm2 (K0 i) + \sum_i vnorm2 (Q0 i) <= length * length)
  (distance_room : radius * (length + radius) <= distance).
Hypothesis multipliers_room : forall c, radius < lam0 c.
Hypothesis margins_room : forall t, cons t -> (exists c, act c = t) \/
  1 + vnorm (D t) * distance < dot (D t) (factored K0 Q0).

(* ---- the exact point ---- *)

Section Exact.
Variable h : vec (unknown d e C P r).
Hypothesis near : vnorm h <= radius.
Notation K := (fun i => K0 i + left_of h i)%V.
Notation Q := (fun i => Q0 i + right_of h i)%V.
Notation lam := (fun c => lam0 c + multipliers_of h c).
Hypothesis root : equations K Q lam (turns_of h) = vzero.
Local Notation M := (blend lam).
Local Notation W := (factored K Q).

Lemma near2 : vnorm2 h <= radius * radius.
Proof. by rewrite -vnorm_sqr; have := vnorm_ge0 h; nra. Qed.

Lemma sides_short : \sum_i vnorm2 (left_of h i) + \sum_i vnorm2 (right_of h i) <= radius * radius.
Proof.
have := near2; rewrite vnorm2_blocks.
by have := vnorm2_ge0 (multipliers_of h); have := vnorm2_ge0 (turns_of h); lra.
Qed.

Lemma changes_short (x : 'I_r -> R) : vnorm2 (combine predT x (left_of h)) + vnorm2 (combine predT x (right_of h)) <=
  radius * radius * (\sum_i x i * x i).
Proof.
have := combine_short x (left_of h); have := combine_short x (right_of h); set X := \sum_i _.
have X0 : 0 <= X by apply: sum_ge0 => i _; exact: Rle_0_sqr.
have := Rmult_le_compat_l _ _ _ X0 sides_short; lra.
Qed.

Lemma combine_add (J : finType) (x : 'I_r -> R) (U V : 'I_r -> vec J) :
  combine predT x (fun i => U i + V i)%V = (combine predT x U + combine predT x V)%V.
Proof. by apply: vec_ext => j; rewrite /combine /vadd -sumD; apply: eq_bigr => i _; ring. Qed.

Lemma squares_gt0 (x : 'I_r -> R) i : x i <> 0 -> 0 < \sum_j x j * x j.
Proof.
move=> xi; apply: (@sum_gt0 _ _ (fun j => x j * x j) i) => // [j _|]; first exact: Rle_0_sqr.
exact: Rsqr_pos_lt.
Qed.

Definition mixed_gram (i a : 'I_r) : R := dot (K i) (K0 a) + dot (Q i) (Q0 a).

Lemma mixed_form x : form mixed_gram x =
  dot (combine predT x K) (combine predT x K0) + dot (combine predT x Q) (combine predT x Q0).
Proof.
rewrite !dot_combinel -sumD; apply: eq_bigr => i _; rewrite !dot_combiner !sum_mull -sumD; apply: eq_bigr => a _.
by rewrite /mixed_gram; ring.
Qed.

Lemma mixed_definite x i : x i <> 0 -> 0 < form mixed_gram x.
Proof.
move=> xi; have X0 := squares_gt0 xi; rewrite mixed_form !combine_add !dotDl.
have := columns x; have := changes_short x; set X := \sum_j _ in X0 *.
set uk := combine predT x K0; set uq := combine predT x Q0.
set vk := combine predT x (left_of h); set vq := combine predT x (right_of h) => v2 u2.
have less := Rmult_lt_compat_r _ _ _ X0 columns_room.
have bk := vnorm2_ge0 (uk + vk)%V; have bq := vnorm2_ge0 (uq + vq)%V; rewrite !vnorm2D in bk bq.
by rewrite -!/(vnorm2 _) (dotC vk) (dotC vq); lra.
Qed.

(* The columns of K over those of Q are independent. *)
Lemma both_independent x : combine predT x K = vzero -> combine predT x Q = vzero -> forall i, x i = 0.
Proof.
move=> zk zq i; case: (Req_dec (x i) 0) => // xi; have := mixed_definite xi.
by rewrite mixed_form zk zq !dot0l; lra.
Qed.

Lemma root_left i : (K i - matrix_vector M (Q i) + turned low high (turns_of h) K0 i)%V = vzero.
Proof. by rewrite -(equations_left low high rows K0 Q0) root. Qed.

Lemma root_right i : (Q i - matrix_back M (K i) + turned low high (turns_of h) Q0 i)%V = vzero.
Proof. by rewrite -(equations_right low high rows K0 Q0) root. Qed.

Lemma root_turns i j : skew low high (turns_of h) i j = 0.
Proof.
apply: (skew_zero mixed_definite) => [a b | a b]; first exact: skew_opp.
have E a' b' : form_product mixed_gram (skew low high (turns_of h)) a' b' =
    dot (Q b') (matrix_back M (K a')) + dot (Q a') (matrix_back M (K b')) - dot (K a') (K b') - dot (Q a') (Q b').
  have Ek : dot (K a') (K b') - dot (K a') (matrix_vector M (Q b')) +
      dot (K a') (turned low high (turns_of h) K0 b') = 0.
    by rewrite -dotBr -dotDr root_left dot0r.
  have Eq : dot (Q a') (Q b') - dot (Q a') (matrix_back M (K b')) +
      dot (Q a') (turned low high (turns_of h) Q0 b') = 0.
    by rewrite -dotBr -dotDr root_right dot0r.
  rewrite (dotC (K a') (matrix_vector _ _)) adjoint /turned dot_combiner in Ek.
  rewrite /turned dot_combiner in Eq.
  have -> : form_product mixed_gram (skew low high (turns_of h)) a' b' =
      \sum_a skew low high (turns_of h) a b' * dot (K a') (K0 a) +
      \sum_a skew low high (turns_of h) a b' * dot (Q a') (Q0 a).
    by rewrite /form_product -sumD; apply: eq_bigr => c _; rewrite /mixed_gram; ring.
  have sums (x y u v z w : R) : x - y + u = 0 -> z - w + v = 0 -> u + v = y + w - x - z by lra.
  exact: (sums _ _ _ _ _ _ Ek Eq).
by rewrite !E (dotC (K a)) (dotC (Q a) (Q b)); ring.
Qed.

Lemma turned_zero (J : finType) (V : 'I_r -> vec J) i : turned low high (turns_of h) V i = vzero.
Proof. by apply: vec_ext => j; apply: sum0 => a _; rewrite root_turns; ring. Qed.

Lemma exact_left i : K i = matrix_vector M (Q i).
Proof. by apply: vec_ext => j; have := f_equal (@^~ j) (root_left i); rewrite turned_zero /vadd /vsub /vzero; lra. Qed.

Lemma exact_right i : Q i = matrix_back M (K i).
Proof. by apply: vec_ext => j; have := f_equal (@^~ j) (root_right i); rewrite turned_zero /vadd /vsub /vzero; lra. Qed.

Lemma exact_margin c : dot (D (act c)) W = 1.
Proof. by have := f_equal (@^~ (inr (inl c))) root; rewrite /equations /= /vzero; lra. Qed.

Lemma exact_twist p : twist low high K0 K p + twist low high Q0 Q p = 0.
Proof. exact: (f_equal (@^~ (inr (inr p))) root). Qed.

Lemma mixed_symmetric i a : mixed_gram i a = mixed_gram a i.
Proof.
have E p : mixed_gram (low p) (high p) = mixed_gram (high p) (low p).
  have := exact_twist p; rewrite /twist /mixed_gram !(dotC (K0 _)) !(dotC (Q0 _)); lra.
case: (ltngtP i a) => [ia | ai | /val_inj -> //].
  by have [p [<- <-]] := pairs ia.
by have [p [<- <-]] := pairs ai.
Qed.

Lemma exact_independent : independent Q.
Proof.
move=> x zero; apply: both_independent => //.
have -> : combine predT x K = matrix_vector M (combine predT x Q).
  by rewrite matrix_vector_combine; apply: combine_eq => // i _; exact: exact_left.
by rewrite zero; apply: vec_ext => j; apply: sum0 => k _; rewrite /vzero; ring.
Qed.

Let squeeze := (theta + rho * radius) * (theta + rho * radius).

Lemma squeeze_lt1 : squeeze < 1.
Proof. by have rr : 0 <= rho * radius by [exact: Rmult_le_pos]; rewrite /squeeze; nra. Qed.

Lemma exact_across y : (forall i, dot (Q i) y = 0) -> vnorm2 (matrix_vector M y) <= squeeze * vnorm2 y.
Proof.
move=> Qy; have y0 := vnorm_ge0 y.
have A : vnorm (matrix_vector (blend lam0) y) <= theta * vnorm y.
  apply: vnorm_le_sqr; first exact: Rmult_le_pos.
  have -> : theta * vnorm y * (theta * vnorm y) = theta * theta * vnorm2 y by rewrite -vnorm_sqr; ring.
  apply: across; apply: (Rle_trans _ (\sum_i dot (right_of h i) y * dot (right_of h i) y)).
    right; apply: eq_bigr => i _; have := Qy i; rewrite dotDl => E.
    have -> : dot (Q0 i) y = - dot (right_of h i) y by lra.
    by ring.
  apply: Rle_trans (dots_short (right_of h) y) _; apply: Rmult_le_compat_r; first exact: vnorm2_ge0.
  have := sides_short; have := lefts_ge0 h; lra.
have B : vnorm (matrix_vector (blend (multipliers_of h)) y) <= rho * radius * vnorm y.
  apply: vnorm_le_sqr; first by apply: Rmult_le_pos => //; exact: Rmult_le_pos.
  apply: Rle_trans (matrix_vector_short _ _) _; rewrite -(vnorm_sqr y).
  have := blend_short rows_short (multipliers_of h) => m.
  have l : vnorm2 (multipliers_of h) <= radius * radius.
    have := near2; rewrite vnorm2_blocks; have := sides_short.
    have := vnorm2_ge0 (turns_of h); have := lefts_ge0 h; have := rights_ge0 h; lra.
  have rr : 0 <= rho * rho by exact: Rle_0_sqr.
  have := Rmult_le_compat_l _ _ _ rr l => l'.
  have -> : rho * radius * vnorm y * (rho * radius * vnorm y) = rho * rho * (radius * radius) * (vnorm y * vnorm y).
    by ring.
  by apply: Rmult_le_compat_r; [nra | lra].
rewrite blendD sum_matrix_vector; set u := (_ + _)%V.
have : vnorm u <= (theta + rho * radius) * vnorm y by have := vnorm_triangle (matrix_vector (blend lam0) y)
  (matrix_vector (blend (multipliers_of h)) y); rewrite -/u; lra.
have u0 := vnorm_ge0 u; rewrite -(vnorm_sqr u) -(vnorm_sqr y) => H.
have -> : squeeze * (vnorm y * vnorm y) = (theta + rho * radius) * vnorm y * ((theta + rho * radius) * vnorm y).
  by rewrite /squeeze; ring.
by apply: Rmult_le_compat.
Qed.

Lemma exact_multiplier c : 0 < lam c.
Proof.
have := multipliers_room c; have := coord_le_norm h (inr (inl c)); have := near.
rewrite /multipliers_of => A B; have := Rle_abs (- h (inr (inl c))); rewrite Rabs_Ropp; lra.
Qed.

Lemma exact_distance : vdist W (factored K0 Q0) <= distance.
Proof.
have := sides_short; set a := \sum_i vnorm2 (left_of h i); set b := \sum_i vnorm2 (right_of h i) => ab.
have a0 : 0 <= a := lefts_ge0 h; have b0 : 0 <= b := rights_ge0 h.
have kq := factors_short; set k := \sum_i vnorm2 (K0 i) in kq; set q := \sum_i vnorm2 (Q0 i) in kq.
have k0 : 0 <= k by apply: sum_ge0 => i _; exact: vnorm2_ge0.
have q0 : 0 <= q by apply: sum_ge0 => i _; exact: vnorm2_ge0.
have part (A : 'I_r -> vec d) (B : 'I_r -> vec e) :
    vnorm (factored A B) <= sqrt (\sum_i vnorm2 (A i)) * sqrt (\sum_i vnorm2 (B i)).
  rewrite -sqrt_mult; try by apply: sum_ge0 => i _; exact: vnorm2_ge0.
  by apply: sqrt_le_1_alt; exact: factored_short.
rewrite /vdist factoredDl !factoredDr; set u := factored K0 (right_of h); set v := factored (left_of h) Q0.
set w := factored (left_of h) (right_of h).
have -> : (factored K0 Q0 + u + (v + w) - factored K0 Q0)%V = (u + (v + w))%V by vec_ring.
have U : vnorm u <= sqrt k * sqrt b := part _ _; have V : vnorm v <= sqrt a * sqrt q := part _ _.
have X : vnorm w <= sqrt a * sqrt b := part _ _.
have sk := sqrt_pos k; have sq := sqrt_pos q; have sa := sqrt_pos a; have sb := sqrt_pos b.
have kk := sqrt_sqrt k k0; have qq := sqrt_sqrt q q0; have aa := sqrt_sqrt a a0; have bb := sqrt_sqrt b b0.
move: (sqrt k) (sqrt q) (sqrt a) (sqrt b) U V X sk sq sa sb kk qq aa bb => x y s1 s2 U V X sk sq sa sb kk qq aa bb.
have UV : x * s2 + s1 * y <= length * radius.
  apply: le_of_sqr_le; first exact: Rmult_le_pos.
  have lagrange : (x * s2 + s1 * y) * (x * s2 + s1 * y) <= (x * x + y * y) * (s1 * s1 + s2 * s2).
    by have := Rle_0_sqr (x * s1 - y * s2); rewrite /Rsqr; lra.
  apply: Rle_trans lagrange _; have -> : length * radius * (length * radius) = length * length * (radius * radius).
    by ring.
  by apply: Rmult_le_compat; nra.
have S : s1 * s2 <= radius * radius by have := Rle_0_sqr (s1 - s2); rewrite /Rsqr; nra.
have := vnorm_triangle u (v + w)%V; have := vnorm_triangle v w; lra.
Qed.

Lemma exact_other_margin t : cons t -> ~ (exists c, act c = t) -> 1 < dot (D t) W.
Proof.
move=> ct none; case: (margins_room ct) => // room_t.
have := cauchy_schwarz (D t) (W - factored K0 Q0)%V; rewrite dotBr.
have := Rmult_le_compat_l _ _ _ (vnorm_ge0 (D t)) exact_distance; rewrite /vdist.
have := Rle_abs (- (dot (D t) W - dot (D t) (factored K0 Q0))); rewrite Rabs_Ropp; lra.
Qed.

Lemma exact_holds : rows_hold cons D (fun=> 1) W.
Proof.
move=> t ct; case: (pickP (fun c => act c == t)) => [c /eqP <- | none]; first by rewrite exact_margin; lra.
apply: Rlt_le; apply: exact_other_margin => // -[c ac]; by have := none c; rewrite ac eqxx.
Qed.

Lemma dot_multipliers V : rows_hold cons D (fun=> 1) V -> \sum_c lam c <= dot M V /\
  (dot M V <= \sum_c lam c -> forall c, dot (D (act c)) V = 1).
Proof.
move=> HV; have term c : lam c <= lam c * dot (D (act c)) V.
  by have := HV _ (act_cons c); have := exact_multiplier c; nra.
rewrite dot_blend; split=> [|le c]; first by apply: sum_le => c _; exact: term.
have zero : \sum_c (lam c * dot (D (act c)) V - lam c) = 0.
  apply: Rle_antisym; first by rewrite sumB; lra.
  by apply: sum_ge0 => c' _; have := term c'; lra.
have : lam c * dot (D (act c)) V - lam c = 0.
  by apply: (sum_eq0 (P := predT) (F := fun c => lam c * dot (D (act c)) V - lam c) _ zero) => // c' _;
    have := term c'; lra.
have := exact_multiplier c; set x := dot _ V; nra.
Qed.
(* A symmetric T other than the identity would move the exact point: the derivative there is injective. *)
Lemma exact_rigid (T : 'I_r -> 'I_r -> R) : (forall a i, T a i = T i a) ->
  (forall c, dot (D (act c)) (factored (fun i => combine predT (fun a => T a i) K) Q) = 1) ->
  forall a i, T a i = if a == i then 1 else 0.
Proof.
move=> symT one; pose dT (a i : 'I_r) := T a i - (if a == i then 1 else 0).
have symd a i : dT a i = dT i a by rewrite /dT symT eq_sym.
have [X [sumX symX]] := symmetric_product mixed_definite mixed_symmetric symd.
pose k i : vec d := combine predT (fun a => X a i) K.
pose q i : vec e := combine predT (fun a => X a i) Q.
pose x : vec (unknown d e C P r) := blocks k q (fun=> 0) (fun=> 0).
have blend0 : blend (fun=> 0) = vzero by apply: vec_ext => j; apply: sum0 => c _; ring.
have turned0 (J : finType) (V : 'I_r -> vec J) i : turned low high (fun=> 0) V i = vzero.
  by apply: vec_ext => j; apply: sum0 => a _; rewrite /skew sum0 => [|p _]; ring.
have product0 (v : vec e) : matrix_vector (vzero : matrix) v = vzero.
  by apply: vec_ext => j; apply: sum0 => l _; rewrite /vzero; ring.
have product0' (v : vec d) : matrix_back (vzero : matrix) v = vzero.
  by apply: vec_ext => j; apply: sum0 => l _; rewrite /vzero; ring.
have kq i : k i = matrix_vector M (q i).
  by rewrite /q matrix_vector_combine; apply: combine_eq => // a _; exact: exact_left.
have qk i : q i = matrix_back M (k i).
  by rewrite /k matrix_back_combine; apply: combine_eq => // a _; exact: exact_right.
have rows_zero c : dot (D (act c)) (factored k Q) + dot (D (act c)) (factored K q) = 0.
  have one_k U : dot (D (act c)) (factored (fun i => combine predT (fun a => U a i) K) Q) =
      \sum_i \sum_a U a i * dot (matrix_vector (D (act c)) (Q i)) (K a).
    by rewrite dot_right_columns; apply: eq_bigr => i _; rewrite dot_combiner.
  have one_q : dot (D (act c)) (factored K q) =
      \sum_i \sum_a X i a * dot (matrix_vector (D (act c)) (Q i)) (K a).
    rewrite dot_left_columns [RHS]exchange_big; apply: eq_bigr => a _; rewrite /q dot_combiner; apply: eq_bigr => i _.
    by rewrite adjoint dotC.
  have -> : factored k Q = factored (fun i => combine predT (fun a => X a i) K) Q by [].
  rewrite one_k one_q -sumD.
  have T1 := one c; rewrite one_k in T1.
  have I1 : \sum_i \sum_a (if a == i then 1 else 0) * dot (matrix_vector (D (act c)) (Q i)) (K a) = 1.
    rewrite -[RHS](exact_margin c) dot_right_columns; apply: eq_bigr => i _.
    rewrite (bigD1 i) //= eqxx big1 => [|a ai]; first by ring.
    by rewrite (negbTE ai); ring.
  rewrite -[RHS](Rminus_eq_0 1) -[in X in _ = X - _]T1 -I1 -sumB; apply: eq_bigr => i _.
  rewrite -sumD -sumB; apply: eq_bigr => a _.
  by rewrite -Rmult_plus_distr_r -Rmult_minus_distr_r sumX.
have twists p : twist low high K0 k p + twist low high Q0 q p = 0.
  have E a b : dot (K0 a) (k b) + dot (Q0 a) (q b) = form_product mixed_gram X a b.
    rewrite !dot_combiner -sumD; apply: eq_bigr => i _.
    by rewrite mixed_symmetric /mixed_gram (dotC (K0 a)) (dotC (Q0 a)); ring.
  by have := E (low p) (high p); have := E (high p) (low p); rewrite symX /twist; lra.
have x0 : x = vzero.
  apply: (derivative_injective rho0 radius0 rows_short gap stretches near); apply: blocks_ext => [i | i | |].
  - rewrite !left_add derivative_left !bilinear_left -[left_of vzero i]/vzero.
    rewrite -[left_of x i]/(k i) -[right_of x i]/(q i) -[multipliers_of x]/(fun=> 0) -[turns_of x]/(fun=> 0).
    rewrite blend0 turned0 !product0 kq blendD sum_matrix_vector. vec_ring.
  - rewrite !right_add derivative_right !bilinear_right -[right_of vzero i]/vzero.
    rewrite -[left_of x i]/(k i) -[right_of x i]/(q i) -[multipliers_of x]/(fun=> 0) -[turns_of x]/(fun=> 0).
    rewrite blend0 turned0 !product0' qk blendD sum_matrix_back; vec_ring.
  - apply: vec_ext => c; have := rows_zero c; rewrite factoredDr factoredDl !dotDr.
    have sums (a b a' b' : R) : a + b + (a' + b') = 0 -> - (a + a') + (- b' + - b) = 0 by lra.
    exact: sums.
  - apply: vec_ext => p; have sums (a : R) : a = 0 -> a + (0 + 0) = 0 by lra.
    exact: (sums _ (twists p)).
have X0 a i : X a i = 0.
  by apply: (exact_independent (x := fun a => X a i)); rewrite -/(q i) -[q i]/(right_of x i) x0.
by move=> a i; have := sumX a i; rewrite !X0 /dT; lra.
Qed.

Theorem exact_point_solves : [/\ shortest cons D (fun=> 1) (@nuclear_norm d e) W,
  forall V, shortest cons D (fun=> 1) (@nuclear_norm d e) V -> V = W & rank_is r W].
Proof.
have [y [dual inside]] := dual_columns exact_independent.
have contr := balanced_contraction exact_left exact_right exact_independent squeeze_lt1 exact_across dual inside.
have norm := balanced_norm exact_left exact_right exact_independent squeeze_lt1 exact_across dual inside.
have total : dot M W = \sum_c lam c.
  by rewrite dot_blend; apply: eq_bigr => c _; rewrite exact_margin; ring.
have least V : rows_hold cons D (fun=> 1) V -> nuclear_norm W <= nuclear_norm V.
  move=> HV; rewrite norm total; apply: Rle_trans (proj1 (dot_multipliers HV)) _; exact: contraction_dual_unit.
split; first by split=> //; exact: exact_holds.
  move=> V [HV small_V]; have VW := small_V _ exact_holds; have [lower ones] := dot_multipliers HV.
  have attained : nuclear_norm V <= dot M V by apply: Rle_trans VW _; rewrite norm total.
  have le : dot M V <= \sum_c lam c.
    by apply: Rle_trans (contraction_dual_unit contr V) _; apply: Rle_trans VW _; rewrite norm total; right.
  have [T [symT E]] := attained_factors exact_left exact_right exact_independent squeeze_lt1 exact_across dual inside
    attained.
  have := exact_rigid symT; rewrite -E => /(_ (ones le)) id.
  rewrite E; congr factored; apply: functional_extensionality => i; apply: vec_ext => j.
  rewrite /combine (bigD1 i) //= id eqxx big1 => [|a ai]; first by ring.
  by rewrite id (negbTE ai); ring.
by have := balanced_rank exact_right exact_independent dual.
Qed.
End Exact.

(* T24. There is exactly one matrix of least nuclear norm whose margins are at least one; it is near K0 Q0', its rank is
   the number of columns, and its margins are one at the active constraints and larger than one at every other. *)
Theorem nuclear_solution : exists W : matrix,
  [/\ shortest cons D (fun=> 1) (@nuclear_norm d e) W,
      forall V, shortest cons D (fun=> 1) (@nuclear_norm d e) V -> V = W,
      rank_is r W,
      vdist W (factored K0 Q0) <= distance &
      (forall c, dot (D (act c)) W = 1) /\ forall t, cons t -> ~ (exists c, act c = t) -> 1 < dot (D t) W].
Proof.
have [h [near root]] := root_nearby rho0 radius0 rows_short gap stretches small room.
have [opt unique rank] := exact_point_solves near root.
exists (factored (fun i => K0 i + left_of h i)%V (fun i => Q0 i + right_of h i)%V); split=> //.
  exact: exact_distance near.
split=> [c | t]; [exact: (exact_margin root) | exact: (exact_other_margin near)].
Qed.
End Solution.
