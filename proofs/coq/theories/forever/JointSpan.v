(* JointSpan: T20's projection onto what the selected values span across the decoder's ray, the centre q* in it, and
   Lemma 2 (JOINT.md section 4), from a left inverse of their Gram matrix. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz Classical.
From Attest Require Import Euclid Selection Gradient Direction JointModel JointDecoder JointRegion.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma sum_only (I : finType) (F : I -> R) i : \sum_k (if k == i then F k else 0) = F i.
Proof. by rewrite -big_mkcond big_pred1_eq. Qed.

Section Span.
Variables (G J : finType) (kappa : G -> vec J) (M : G -> G -> R).
Notation gram j k := (dot (kappa j) (kappa k)).
Hypothesis inverse : forall i k, \sum_j M i j * gram j k = if i == k then 1 else 0.
Implicit Types (x y e : vec J) (a b : G -> R) (i j k : G).

Lemma inverse_symmetric i k : M i k = M k i.
Proof.
have twice : \sum_j (\sum_h M i h * gram h j) * M k j = \sum_h M i h * (\sum_j M k j * gram j h).
  under eq_bigr do rewrite sum_mulr; rewrite exchange_big /=; apply: eq_bigr => h _; rewrite sum_mull.
  by apply: eq_bigr => j _; rewrite (dotC (kappa j)); ring.
have L : \sum_j (\sum_h M i h * gram h j) * M k j = M k i.
  rewrite -(sum_only (fun j => M k j) i); apply: eq_bigr => j _; rewrite inverse (eq_sym j).
  by case: (i == j); ring.
have R : \sum_h M i h * (\sum_j M k j * gram j h) = M i k.
  rewrite -(sum_only (fun h => M i h) k); apply: eq_bigr => h _; rewrite inverse (eq_sym h).
  by case: (k == h); ring.
by rewrite -R -twice L.
Qed.

(* The combination of the kappa_i whose products with them are b. *)
Definition with_products b : vec J := combine predT (fun i => \sum_j M i j * b j) kappa.

Lemma with_products_dot b k : dot (kappa k) (with_products b) = b k.
Proof.
rewrite dot_combiner -(sum_only b k).
under eq_bigr do rewrite sum_mulr; rewrite exchange_big /=; apply: eq_bigr => j _.
transitivity (b j * (\sum_i M j i * gram i k)).
  by rewrite sum_mull; apply: eq_bigr => i _; rewrite (inverse_symmetric i) (dotC (kappa k)); ring.
by rewrite inverse; case: (j == k); ring.
Qed.

Definition span_projection x : vec J := with_products (fun j => dot (kappa j) x).

Lemma projection_combine a : span_projection (combine predT a kappa) = combine predT a kappa.
Proof.
apply: combine_eq => // i _; rewrite -[RHS](sum_only a i).
under eq_bigr do rewrite dot_combiner sum_mull; rewrite exchange_big /=; apply: eq_bigr => k _.
transitivity (a k * (\sum_j M i j * gram j k)); first by rewrite sum_mull; apply: eq_bigr => j _; ring.
by rewrite inverse (eq_sym k); case: (i == k); ring.
Qed.

Lemma projection_linear x c y :
  span_projection (x + c * y)%V = (span_projection x + c * span_projection y)%V.
Proof.
apply: vec_ext => h; rewrite /span_projection /with_products /combine /vadd /vscale sum_mull -sumD.
apply: eq_bigr => i _; rewrite !sum_mulr sum_mull -sumD; apply: eq_bigr => j _.
by rewrite -/(vscale c y) -/(vadd x (vscale c y)) dotDr dotZr; ring.
Qed.

Lemma projection_symmetric x y : dot (span_projection x) y = dot (span_projection x) (span_projection y).
Proof. by rewrite !dot_combinel; apply: eq_bigr => i _; rewrite with_products_dot. Qed.

(* ---- across the ray ---- *)

Variables (mu : G -> R) (u : vec J) (Gv : R).
Hypotheses (mu_one : \sum_i mu i = 1) (mu_balance : combine predT mu kappa = (Gv * u)%V).
Hypotheses (u_one : vnorm u = 1) (Gv_gt0 : 0 < Gv) (along : forall i, dot (kappa i) u = Gv).

Definition span_part x : vec J := (span_projection x - dot x u * u)%V.
Definition span_centre : vec J := with_products (centre_offset mu).

Let uu : dot u u = 1. Proof. by rewrite -/(vnorm2 u) -vnorm_sqr u_one; ring. Qed.

Lemma projection_ray : span_projection u = u.
Proof.
have E : u = combine predT (fun i => / Gv * mu i) kappa.
  by rewrite combine_scale mu_balance; apply: vec_ext => j; rewrite /vscale; field; lra.
by rewrite {1}E projection_combine -E.
Qed.

Lemma projection_height x : dot (span_projection x) u = dot x u.
Proof. by rewrite projection_symmetric dotC -projection_symmetric projection_ray dotC. Qed.

Lemma span_part_linear x c y : span_part (x + c * y)%V = (span_part x + c * span_part y)%V.
Proof. by rewrite /span_part projection_linear dotDl dotZl; vec_ring. Qed.

Lemma span_part_across x : dot (span_part x) u = 0.
Proof. by rewrite /span_part dotBl dotZl uu projection_height; ring. Qed.

Lemma span_part_symmetric x y : dot (span_part x) y = dot (span_part x) (span_part y).
Proof.
have E : dot (span_part x) (span_projection y) = dot (span_part x) y.
  rewrite /span_part !dotBl !dotZl -projection_symmetric; congr (_ - _ * _).
  by rewrite dotC projection_height dotC.
have Y z : dot z (span_part y) = dot z (span_projection y) - dot y u * dot z u by rewrite /span_part dotBr dotZr.
by rewrite Y E span_part_across; ring.
Qed.

Lemma span_part_own i : span_part (kappa i) = (kappa i - Gv * u)%V.
Proof.
have E : kappa i = combine predT (fun k => if k == i then 1 else 0) kappa.
  apply: vec_ext => h; rewrite /combine -(sum_only (fun k => kappa k h) i); apply: eq_bigr => k _.
  by case: (k == i); ring.
by rewrite /span_part along {1}E projection_combine -E.
Qed.

Lemma offsets_zero : \sum_i mu i * centre_offset mu i = 0.
Proof.
rewrite /centre_offset; set s := \sum_j mu j * ln (mu j).
have -> : \sum_i mu i * (- ln (mu i) + s) = - s + (\sum_i mu i) * s.
  by rewrite /s -sumN sum_mulr -sumD; apply: eq_bigr => i _; ring.
by rewrite mu_one; ring.
Qed.

Lemma span_centre_offset i : dot (kappa i) span_centre = centre_offset mu i.
Proof. exact: with_products_dot. Qed.

Lemma mean_product e : \sum_i mu i * dot (kappa i) e = Gv * dot u e.
Proof. by rewrite -(dot_combinel predT mu kappa) mu_balance dotZl. Qed.

Lemma span_centre_part : span_part span_centre = span_centre.
Proof.
have h : dot span_centre u = 0.
  have := mean_product span_centre; under eq_bigr do rewrite span_centre_offset.
  by rewrite offsets_zero (dotC u) => E; apply: (Rmult_eq_reg_l Gv); lra.
by rewrite /span_part h (_ : span_projection span_centre = span_centre); [vec_ring | exact: projection_combine].
Qed.

(* ---- lengths ---- *)

Definition span_form a : R := \sum_i \sum_j M i j * (a i * a j).
Notation products x := (fun i => dot (kappa i) x).

Lemma with_products_form a x : (forall i, dot (kappa i) x = a i) -> dot (with_products a) x = span_form a.
Proof.
move=> E; rewrite dot_combinel; apply: eq_bigr => i _; rewrite E sum_mulr.
by apply: eq_bigr => j _; ring.
Qed.

Lemma projection_form x : vnorm2 (span_projection x) = span_form (products x).
Proof. by apply: with_products_form => i; exact: with_products_dot. Qed.

Lemma part_form x : vnorm2 (span_part x) = span_form (products x) - dot x u * dot x u.
Proof. by rewrite /span_part vnorm2B vnorm2Z projection_form dotZr projection_height /vnorm2 uu; ring. Qed.

Lemma rest_form x : vnorm2 (x - dot x u * u - span_part x)%V = vnorm2 x - span_form (products x).
Proof.
rewrite (_ : (_ - _ - _)%V = (x - span_projection x)%V); last by rewrite /span_part; vec_ring.
by rewrite vnorm2B dotC projection_symmetric -/(vnorm2 _) projection_form; ring.
Qed.

Lemma with_productsB a b : (with_products a - with_products b)%V = with_products (fun i => a i - b i).
Proof.
apply: vec_ext => h; rewrite /vsub /with_products /combine -sumB; apply: eq_bigr => i _.
by rewrite -Rmult_minus_distr_r -sumB; congr (_ * _); apply: eq_bigr => j _; ring.
Qed.

(* The centre and what v has outside the span. *)
Lemma still_form v : (span_centre + (v - dot v u * u - span_part v))%V =
  (v + with_products (fun i => (centre_offset mu i - dot (kappa i) v)%R))%V.
Proof.
by rewrite -(with_productsB (centre_offset mu) (products v)) /span_part /span_projection /span_centre; vec_ring.
Qed.

Lemma part_product v i : dot (kappa i) (span_part v) = dot (kappa i) v - Gv * dot v u.
Proof. by rewrite /span_part dotBr dotZr with_products_dot along; ring. Qed.

Lemma in_values_span e : span_part e = e -> dot e u = 0 /\ span_projection e = e.
Proof.
move=> pe; have eu : dot e u = 0 by rewrite -pe; exact: span_part_across.
by split=> //; move: pe; rewrite /span_part eu => E; rewrite -{2}E; vec_ring.
Qed.

Lemma away_form v : vnorm2 (span_part v - span_centre)%V =
  span_form (fun i => dot (kappa i) v - Gv * dot v u - centre_offset mu i).
Proof.
have E : (span_part v - span_centre)%V =
    with_products (fun i => dot (kappa i) v - Gv * dot v u - centre_offset mu i).
  have ray : with_products (fun i => dot v u * dot (kappa i) u) = (dot v u * u)%V.
    transitivity (dot v u * span_projection u)%V; last by rewrite projection_ray.
    apply: vec_ext => h; rewrite /span_projection /vscale /with_products /combine sum_mull.
    by apply: eq_bigr => i _; rewrite -Rmult_assoc sum_mull; congr (_ * _); apply: eq_bigr => j _; ring.
  rewrite -(with_productsB (fun i => dot (kappa i) v - Gv * dot v u) (centre_offset mu)) -/span_centre.
  congr (_ - _)%V; rewrite /span_part -ray with_productsB; congr with_products.
  by apply: FunctionalExtensionality.functional_extensionality => i; rewrite along; ring.
by rewrite {1}E /vnorm2; apply: with_products_form => i; rewrite with_products_dot.
Qed.

(* Lemma 2. *)
Definition lateral_entry i j : R := M i j - mu i * mu j / (Gv * Gv).   (* P_ij *)

Theorem span_square e : span_part e = e ->
  vnorm2 e = \sum_i \sum_j lateral_entry i j * (dot (kappa i) e * dot (kappa j) e).
Proof.
move=> pe; have [eu proj] := in_values_span pe.
have balanced : \sum_i mu i * dot (kappa i) e = 0 by rewrite mean_product dotC eu; ring.
have cross : \sum_i \sum_j mu i * mu j / (Gv * Gv) * (dot (kappa i) e * dot (kappa j) e) = 0.
  transitivity ((\sum_i mu i * dot (kappa i) e) * (\sum_j mu j * dot (kappa j) e) / (Gv * Gv)).
    rewrite /Rdiv !sum_mulr; apply: eq_bigr => i _; rewrite sum_mull sum_mulr.
    by apply: eq_bigr => j _; ring.
  by rewrite balanced /Rdiv; ring.
transitivity (span_form (products e) - \sum_i \sum_j mu i * mu j / (Gv * Gv) * (dot (kappa i) e * dot (kappa j) e)).
  by rewrite cross -{1}proj projection_form; ring.
rewrite /span_form -sumB; apply: eq_bigr => i _.
by rewrite -sumB; apply: eq_bigr => j _; rewrite /lateral_entry; ring.
Qed.

Theorem span_boxed (x : R) (box : G -> R) e : 0 < x -> (forall i, 0 < box i) ->
  \sum_i \sum_j Rabs (lateral_entry i j) * (box i * box j) <= x * x -> span_part e = e ->
  (forall i, Rabs (group_offset kappa e i) < box i) -> vnorm e < x.
Proof.
move=> x0 box0 total pe inside.
have term i j : lateral_entry i j * (dot (kappa i) e * dot (kappa j) e) <=
    Rabs (lateral_entry i j) * (box i * box j).
  apply: Rle_trans (Rle_abs _) _; rewrite !Rabs_mult; apply: Rmult_le_compat_l; first exact: Rabs_pos.
  by apply: Rmult_le_compat; try exact: Rabs_pos; apply: Rlt_le; exact: inside.
suff lt : vnorm2 e < x * x.
  apply: Rnot_le_lt => le; have n0 := vnorm_ge0 e; move: lt; rewrite -vnorm_sqr => lt.
  by have := Rmult_le_compat _ _ _ _ (Rlt_le _ _ x0) (Rlt_le _ _ x0) le le; lra.
rewrite (span_square pe); case: (classic (exists i j, lateral_entry i j <> 0)) => [[i [j ne]] | none]; last first.
  rewrite sum0 => [|i _]; first by exact: Rmult_lt_0_compat.
  rewrite sum0 // => j _; case: (Req_dec (lateral_entry i j) 0) => [-> | ne]; first by ring.
  by case: none; exists i, j.
apply: Rlt_le_trans total; apply: (sum_lt (i := i)) => // [h _|]; first by apply: sum_le => k _; exact: term.
apply: (sum_lt (i := j)) => //.
apply: Rle_lt_trans (Rle_abs _) _; rewrite !Rabs_mult; apply: Rmult_lt_compat_l; first exact: Rabs_pos_lt.
have hi := inside i; have hj := inside j; have pi := Rabs_pos (dot (kappa i) e).
have b0 := box0 j; apply: (Rle_lt_trans _ (Rabs (dot (kappa i) e) * box j)).
  by apply: Rmult_le_compat_l => //; exact: Rlt_le.
exact: Rmult_lt_compat_r.
Qed.

(* A single group spans nothing across u. *)
Lemma alone_part : (forall i j, i = j) -> forall e, span_part e = vzero.
Proof.
move=> one e; have own k : kappa k = (Gv * u)%V.
  rewrite -mu_balance; apply: vec_ext => h; rewrite /combine (eq_bigr (fun i => mu i * kappa k h)) => [|i _].
    by rewrite -sum_mulr mu_one Rmult_1_l.
  by rewrite (one i k).
pose a := (\sum_i \sum_j M i j * dot (kappa j) e) * Gv - dot e u.
have E : span_part e = (a * u)%V.
  apply: vec_ext => h; rewrite /span_part /span_projection /with_products /combine /vsub /vscale.
  rewrite (eq_bigr (fun i => (\sum_j M i j * dot (kappa j) e) * (Gv * u h))) => [|i _]; last by rewrite own.
  by rewrite -sum_mulr /a; set s := \sum_i _; ring.
have := span_part_across e; rewrite E dotZl uu Rmult_1_r => a0.
by apply: vec_ext => h; rewrite /vscale a0 /vzero Rmult_0_l.
Qed.
End Span.

(* The limits that T20 asks for, of values with such an inverse. *)
Theorem spanned_limit (p : selection_problem) (J : finType) (g : token p -> vec J) (alpha : selection p)
  (M : group p -> group p -> R) (u : vec J) Gv (mu : group p -> R) (n : vec (coord p)) gamma (nu : token p -> R) :
  let kappa := chosen_value g alpha in
  (forall i k, \sum_j M i j * dot (kappa j) (kappa k) = if i == k then 1 else 0) ->
  vnorm u = 1 -> 0 < Gv -> (forall i, dot (kappa i) u = Gv) -> (forall i, 0 < mu i) -> \sum_i mu i = 1 ->
  combine predT mu kappa = (Gv * u)%V -> direction (constraint alpha) (Delta alpha) n gamma nu ->
  proper_limit g alpha (PairLimit u Gv mu (span_part kappa M u) (span_centre kappa M mu) n gamma nu).
Proof.
move=> kappa inverse u1 G0 al m0 m1 bal dir; split=> //=.
- exact: span_part_linear.
- exact: (span_part_symmetric inverse bal u1 G0).
- exact: (span_part_across inverse bal u1 G0).
- exact: (span_part_own inverse al).
- exact: (span_centre_part inverse m1 bal G0).
exact: (span_centre_offset inverse).
Qed.
