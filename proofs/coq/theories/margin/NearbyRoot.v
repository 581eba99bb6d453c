(* NearbyRoot: F(h) = f + L h + q(h) has a root near zero when L, a symmetric matrix, stretches every vector by more
   than q does, and f is small. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid ContractionPoint PositiveDefinite NormDuality.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Symmetric.
Variables (J : finType) (L : vec J -> vec J).
Implicit Types (u v w h : vec J).

Hypothesis symmetric : forall u v, dot (L u) v = dot u (L v).

Lemma dot_unit_vector v c : dot (@unit_vector J c) v = v c.
Proof.
rewrite /dot (bigD1 c) //= big1 => [|j jc]; first by rewrite /unit_vector eqxx; ring.
by rewrite /unit_vector (negbTE jc); ring.
Qed.

Lemma dots_ext u v : (forall w, dot u w = dot v w) -> u = v.
Proof. by move=> H; apply: vec_ext => j; rewrite -!dot_unit_vector !(dotC (unit_vector _)). Qed.

(* A symmetric map is linear. *)
Lemma symmetric_combine (I : finType) (x : I -> R) (v : I -> vec J) :
  L (combine predT x v) = combine predT x (fun i => L (v i)).
Proof.
by apply: dots_ext => w; rewrite symmetric !dot_combinel; apply: eq_bigr => i _; rewrite symmetric.
Qed.

Lemma combine_unit_vectors v : combine predT v (@unit_vector J) = v.
Proof.
apply: dots_ext => w; rewrite dot_combinel; apply: eq_bigr => i _; by rewrite dot_unit_vector.
Qed.

Lemma symmetric_onto : (forall v, L v = vzero -> v = vzero) -> forall b, exists x, L x = b.
Proof.
move=> inj b.
have E x : combine predT x (fun c => L (@unit_vector J c)) = L x by rewrite -symmetric_combine combine_unit_vectors.
have [x [c [_ xc]] | x Hx] := @gram_solve J J (fun c => L (@unit_vector J c)) predT _ b.
  rewrite E; case: (vnorm2_ge0 (L x)) => // /esym/vnorm2_eq0/inj x0; by rewrite x0 in xc.
exists (L x); apply: vec_ext => c.
by rewrite -[RHS]Hx // E symmetric dot_unit_vector.
Qed.

Variables (s k radius phi : R) (f : vec J) (q : vec J -> vec J).
Hypotheses (k0 : 0 <= k) (ks : k < s) (radius0 : 0 <= radius).
Hypothesis stretches : forall v, s * s * vnorm2 v <= vnorm2 (L v).
Hypothesis q0 : q vzero = vzero.
Hypothesis q_moves : forall h h', vnorm h <= radius -> vnorm h' <= radius -> vdist (q h) (q h') <= k * vdist h h'.
Hypothesis small : vnorm f <= phi.
Hypothesis room : phi <= radius * (s - k).

Lemma stretched v : s * vnorm v <= vnorm (L v).
Proof.
have s0 : 0 < s by lra.
rewrite -(Rabs_pos_eq s) -?vnormZ; last lra.
by apply: vnorm_le; rewrite vnorm2Z.
Qed.

Theorem nearby_root : exists h, vnorm h <= radius /\ (f + L h + q h)%V = vzero.
Proof.
have s0 : 0 < s by lra.
have inj v : L v = vzero -> v = vzero.
  by move=> Lv; apply: vnorm_eq0; have := stretched v; rewrite Lv vnorm0; have := vnorm_ge0 v; nra.
have [column Hc] := fin_all_exists (fun c => symmetric_onto inj (@unit_vector J c)).
pose T (b : vec J) : vec J := combine predT b column.
have LT b : L (T b) = b.
  by rewrite /T symmetric_combine -[RHS]combine_unit_vectors; apply: combine_eq => // c _; exact: Hc.
have bound b : s * vnorm (T b) <= vnorm b by have := stretched (T b); rewrite LT.
have diff b b' : (T b - T b')%V = T (b - b')%V by rewrite /T -combine_sub.
pose G h := T (- (f + q h))%V.
have shrinks h h' : vnorm h <= radius -> vnorm h' <= radius -> vdist (G h) (G h') <= k / s * vdist h h'.
  move=> hr hr'; apply: (Rmult_le_reg_l s) => //; rewrite {1}/vdist diff; apply: Rle_trans (bound _) _.
  rewrite (_ : (- (f + q h) - - (f + q h'))%V = - (q h - q h'))%V; last by vec_ring.
  rewrite vnormN -/(vdist _ _); apply: Rle_trans (q_moves hr hr') _; right; field; lra.
have ratio : 0 <= k / s < 1.
  split; first by apply: Rmult_le_pos => //; apply: Rlt_le; exact: Rinv_0_lt_compat.
  by apply: (Rmult_lt_reg_r s) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
have inside h : vnorm h <= radius -> vnorm (G h) <= radius.
  move=> hr; apply: (Rmult_le_reg_l s) => //; apply: Rle_trans (bound _) _; rewrite vnormN.
  apply: Rle_trans (vnorm_triangle _ _) _.
  have zero : vnorm (vzero : vec J) <= radius by rewrite vnorm0.
  have := q_moves hr zero; rewrite q0 /vdist.
  rewrite (_ : (q h - vzero)%V = q h); last by vec_ring.
  rewrite (_ : (h - vzero)%V = h); last by vec_ring.
  by have := Rmult_le_compat_l _ _ _ k0 hr; lra.
have [h [hr fix_h]] := contraction_point radius0 ratio inside shrinks.
exists h; split=> //; rewrite -{1}fix_h LT; vec_ring.
Qed.
End Symmetric.
