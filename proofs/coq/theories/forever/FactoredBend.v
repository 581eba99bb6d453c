(* FactoredBend: what the derivative of V is at most and at least across a pair of factors (FACTORED.md section 3).

   V's derivative along z is the form `bend` of StepGrowth.v in <Delta_t, z>. Across (K,Q), z = y_K Q' + K y_Q', these
   are products <a_t, y> with a_t = (Delta_t Q, Delta_t'K). With |<a_t, y>| <= size_t |y| the form rises by at most
   sum_t max(0, - omega_t) (size_t + mean)^2 and falls by no more than sum_t max(0, omega_t) <a_t, y>^2, of which
   products of the a_t tell more than their lengths do, and what means and the loss's own curvature add. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient StepGrowth NormDuality MatrixProducts FactoredStep FactoredGrowth.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- weighted squares of products with known vectors ---- *)

Section Squares.
Variables (J I : finType) (a : I -> vec J) (lam : I -> R).
Hypothesis lam_ge0 : forall t, 0 <= lam t.

Definition product_squares : R := \sum_t lam t * \sum_u lam u * (dot (a t) (a u) * dot (a t) (a u)).

Theorem weighted_squares_le y : \sum_t lam t * (dot (a t) y * dot (a t) y) <= sqrt product_squares * vnorm2 y.
Proof.
pose h := combine predT lam (fun t => outer (a t) (a t)).
have -> : \sum_t lam t * (dot (a t) y * dot (a t) y) = dot h (outer y y).
  by rewrite /h dot_combinel; apply: eq_bigr => t _; rewrite dot_outer.
have n : vnorm (outer y y) = vnorm2 y.
  by rewrite /vnorm /vnorm2 dot_outer sqrt_square //; exact: vnorm2_ge0.
rewrite -n; apply: Rle_trans (dot_le_norms _ _) _; right; congr (sqrt _ * _).
rewrite /vnorm2 {1}/h dot_combinel; apply: eq_bigr => t _; congr (_ * _).
by rewrite /h dot_combiner; apply: eq_bigr => u _; rewrite dot_outer.
Qed.
End Squares.

(* ---- the form, from bounds of the margins alone ---- *)

Section Sizes.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (ddloss : R -> R) (w z : vec (coord p)).
Hypothesis ddloss_ge0 : forall x, 0 <= ddloss x.
Variables (size : token p -> R) (c : R).
Hypothesis (size_le : forall t, Rabs (margin alpha z t) <= size t * c).
Implicit Types (t : token p) (i : group p).
Notation bend := (bend l ddloss).
Notation weigh := (omega l w).

Definition mean_size i : R := \sum_(t | group_of t == i) attention w t * size t.
Definition pulled_size i : R := \sum_(t | group_of t == i) Rabs (weigh t) * size t.
Definition reacting_size i : R := \sum_(t | group_of t == i) Rabs (share_slope w t) * size t.
Definition sized_rising : R :=
  \sum_t Rmax 0 (- weigh t) * ((size t + mean_size (group_of t)) * (size t + mean_size (group_of t))).
(* Beside the squares of the margins themselves. *)
Definition sized_turning : R := \sum_i (2 * (mean_size i * pulled_size i) +
  weight i * ddloss (output w i) * (reacting_size i * reacting_size i)).

Let attention_nonneg t : 0 <= attention w t.
Proof. exact/Rlt_le/attention_gt0. Qed.

Let sum_le_sizes (f : token p -> R) i :
  Rabs (\sum_(t | group_of t == i) f t * margin alpha z t) <= (\sum_(t | group_of t == i) Rabs (f t) * size t) * c.
Proof.
apply: Rle_trans (sum_abs _ _ _) _; rewrite sum_mulr; apply: sum_le => t _.
by rewrite Rabs_mult Rmult_assoc; apply: Rmult_le_compat_l; [exact: Rabs_pos | exact: size_le].
Qed.

Let mean_le i : Rabs (mean_margin alpha w i z) <= mean_size i * c.
Proof.
apply: Rle_trans (sum_le_sizes _ _) _; right; congr (_ * _); apply: eq_bigr => t _.
by rewrite Rabs_pos_eq.
Qed.

Let pulled_le i : Rabs (\sum_(t | group_of t == i) weigh t * margin alpha z t) <= pulled_size i * c.
Proof. exact: sum_le_sizes. Qed.

Let reaction_le i : Rabs (reaction alpha w i z) <= reacting_size i * c.
Proof. exact: sum_le_sizes. Qed.

Let square_le (x y : R) : Rabs x <= y -> x * x <= y * y.
Proof. by move=> h; have := Rmult_le_compat _ _ _ _ (Rabs_pos x) (Rabs_pos x) h h; rewrite -Rabs_mult Rabs_pos_eq //;
  exact: Rle_0_sqr. Qed.

Lemma omega_group_sum i : \sum_(t | group_of t == i) weigh t = 0.
Proof.
have -> : \sum_(t | group_of t == i) weigh t = weight i * dloss l (output w i) *
    \sum_(t | group_of t == i) attention w t * (score t - output w i).
  by rewrite sum_mull; apply: eq_bigr => t /eqP ti; rewrite /omega ti; ring.
by rewrite (output_deviation_sum alpha); ring.
Qed.

Theorem sized_rising_le : bend w z z <= sized_rising * (c * c).
Proof.
rewrite (bend_constraints alpha); set b := (X in _ - X).
have b0 : 0 <= b.
  apply: sum_ge0 => i _; apply: Rmult_le_pos; last exact: Rle_0_sqr.
  by apply: Rmult_le_pos; [exact/Rlt_le/weight_gt0 | exact: ddloss_ge0].
have : - (\sum_t weigh t * (centred_margin alpha w z t * centred_margin alpha w z t)) <= sized_rising * (c * c).
  rewrite -sumN /sized_rising sum_mulr; apply: sum_le => t _.
  have le : Rabs (centred_margin alpha w z t) <= (size t + mean_size (group_of t)) * c.
    rewrite /centred_margin /Rminus Rmult_plus_distr_r; apply: Rle_trans (Rabs_triang _ _) _; rewrite Rabs_Ropp.
    exact: Rplus_le_compat.
  have := square_le le; set x := centred_margin _ _ _ _; set s := _ + _ => sq.
  have x0 := Rle_0_sqr x; rewrite /Rsqr in x0.
  have m1 := Rmax_l 0 (- weigh t); have m2 := Rmax_r 0 (- weigh t).
  have := Rmult_le_compat_l _ _ _ m1 sq; have := Rmult_le_compat_r _ _ _ x0 m2; lra.
lra.
Qed.

Let turned i : Rabs (2 * (mean_margin alpha w i z * (\sum_(t | group_of t == i) weigh t * margin alpha z t))) <=
  2 * (mean_size i * pulled_size i) * (c * c).
Proof.
rewrite !Rabs_mult (Rabs_pos_eq 2); last lra.
have := Rmult_le_compat _ _ _ _ (Rabs_pos _) (Rabs_pos _) (mean_le i) (pulled_le i); lra.
Qed.

Theorem sized_falling_le (squares : R) :
  \sum_t Rmax 0 (weigh t) * (margin alpha z t * margin alpha z t) <= squares * (c * c) ->
  - (squares + sized_turning) * (c * c) <= bend w z z.
Proof.
move=> sq; rewrite (bend_constraints alpha).
have E : \sum_t weigh t * (centred_margin alpha w z t * centred_margin alpha w z t) =
    (\sum_t weigh t * (margin alpha z t * margin alpha z t)) -
    \sum_i 2 * (mean_margin alpha w i z * (\sum_(t | group_of t == i) weigh t * margin alpha z t)).
  rewrite (partition_big (@group_of p) predT) //= [X in _ = X - _](partition_big (@group_of p) predT) //= -sumB.
  apply: eq_bigr => i _.
  have -> : \sum_(t | group_of t == i) weigh t * (centred_margin alpha w z t * centred_margin alpha w z t) =
      (\sum_(t | group_of t == i) weigh t * (margin alpha z t * margin alpha z t)) -
      (\sum_(t | group_of t == i) 2 * mean_margin alpha w i z * (weigh t * margin alpha z t)) +
      \sum_(t | group_of t == i) mean_margin alpha w i z * mean_margin alpha w i z * weigh t.
    by rewrite -sumB -sumD; apply: eq_bigr => t /eqP ti; rewrite /centred_margin ti; ring.
  by rewrite -!sum_mull omega_group_sum; ring.
rewrite E.
have le1 : \sum_t weigh t * (margin alpha z t * margin alpha z t) <= squares * (c * c).
  apply: Rle_trans sq; apply: sum_le => t _; apply: Rmult_le_compat_r; first exact: Rle_0_sqr.
  exact: Rmax_r.
have le2 : (\sum_i weight i * ddloss (output w i) * (reaction alpha w i z * reaction alpha w i z)) -
    \sum_i 2 * (mean_margin alpha w i z * (\sum_(t | group_of t == i) weigh t * margin alpha z t)) <=
    sized_turning * (c * c).
  rewrite -sumB /sized_turning sum_mulr; apply: sum_le => i _.
  have curved : 0 <= weight i * ddloss (output w i).
    by apply: Rmult_le_pos; [exact/Rlt_le/weight_gt0 | exact: ddloss_ge0].
  have := Rmult_le_compat_l _ _ _ curved (square_le (reaction_le i)).
  by have /Rabs_le_between[h _] := turned i; lra.
lra.
Qed.
End Sizes.

(* ---- across a pair of factors ---- *)

Section Across.
Variables d e m : finType.
Notation matrix := (vec [finType of d * e]).
Notation pair := (vec [finType of (m * d) + (m * e)]).
Implicit Types (x y : pair) (X : vec d) (Z : vec e).

(* <z, Q_c> for all columns, <x, K_c>. *)
Definition seen_query x Z (c : m) : R := dot (right_columns_of x c) Z.
Definition turned_token x X (c : m) : R := dot (left_columns_of x c) X.

Lemma matrix_vector_outer X Z (v : vec e) : matrix_vector (outer X Z) v = (dot v Z * X)%V.
Proof.
by apply: vec_ext => j; rewrite /matrix_vector /outer /vscale /dot /= sum_mulr; apply: eq_bigr => k _; ring.
Qed.

Lemma matrix_back_outer X Z (u : vec d) : matrix_back (outer X Z) u = (dot u X * Z)%V.
Proof.
by apply: vec_ext => j; rewrite /matrix_back /outer /vscale /dot /= sum_mulr; apply: eq_bigr => k _; ring.
Qed.

Theorem dot_pulled_outer x X Z X' Z' : dot (pair_pulled (outer X Z) x) (pair_pulled (outer X' Z') x) =
  dot X X' * (\sum_c seen_query x Z c * seen_query x Z' c) +
  dot Z Z' * (\sum_c turned_token x X c * turned_token x X' c).
Proof.
rewrite dot_pairs /pair_dot !sum_mull; congr (_ + _); apply: eq_bigr => c _.
  rewrite -[left_columns_of (pair_pulled (outer X Z) x) c]/(matrix_vector (outer X Z) (right_columns_of x c)).
  rewrite -[left_columns_of (pair_pulled (outer X' Z') x) c]/(matrix_vector (outer X' Z') (right_columns_of x c)).
  by rewrite !matrix_vector_outer dotZl dotZr /seen_query; ring.
rewrite -[right_columns_of (pair_pulled (outer X Z) x) c]/(matrix_back (outer X Z) (left_columns_of x c)).
rewrite -[right_columns_of (pair_pulled (outer X' Z') x) c]/(matrix_back (outer X' Z') (left_columns_of x c)).
by rewrite !matrix_back_outer dotZl dotZr /turned_token; ring.
Qed.
End Across.
