(* ContractionPoint: a contraction of a closed ball has a fixed point in it. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section ContractionPoint.
Variables (J : finType) (G : vec J -> vec J) (radius c : R).
Hypotheses (radius0 : 0 <= radius) (c01 : 0 <= c < 1).
Hypothesis inside : forall h, vnorm h <= radius -> vnorm (G h) <= radius.
Hypothesis shrinks : forall h h', vnorm h <= radius -> vnorm h' <= radius -> vdist (G h) (G h') <= c * vdist h h'.

Let point (n : nat) : vec J := ssrnat.iter n G vzero.

Lemma point_inside n : vnorm (point n) <= radius.
Proof. by elim: n => [|n IH]; [rewrite vnorm0 | exact: inside]. Qed.

Let first := vdist (point 1) (point 0).

Lemma point_moves n : vdist (point n.+1) (point n) <= first * c ^ n.
Proof.
elim: n => [|n IH]; first by rewrite Rmult_1_r; exact: Rle_refl.
apply: Rle_trans (shrinks (point_inside n.+1) (point_inside n)) _.
by have := Rmult_le_compat_l _ _ _ (proj1 c01) IH; rewrite /=; lra.
Qed.

Let moves (j : J) (n : nat) : R := point n.+1 j - point n j.
Let limit : vec J := fun j => Series (moves j).

Lemma moves_summable j : ex_series (moves j).
Proof.
apply: (@ex_series_le _ R_CompleteNormedModule (moves j) (fun n => first * c ^ n)) => [n|].
  by apply: Rle_trans (coord_le_norm (point n.+1 - point n)%V j) (point_moves n).
by apply: (ex_series_scal first); apply: ex_series_geom; rewrite Rabs_pos_eq; lra.
Qed.

Lemma point_limit j : is_lim_seq (fun n => point n j) (limit j).
Proof.
apply/is_lim_seq_incr_1; apply: (is_lim_seq_ext (sum_n (moves j))) => [n|].
  elim: n => [|n IH]; first by rewrite sum_O /moves /point /= /vzero Rminus_0_r.
  by rewrite sum_Sn IH /moves /plus /=; ring.
exact: Series_correct (moves_summable j).
Qed.

Lemma distance_limit : is_lim_seq (fun n => vdist (point n) limit) 0.
Proof.
have squares : is_lim_seq (fun n => vnorm2 (point n - limit)%V) 0.
  rewrite /vnorm2 /dot; elim: (index_enum J) => [|j s IH].
    apply: (is_lim_seq_ext (fun=> 0)) => [n|]; [by rewrite big_nil | exact: is_lim_seq_const].
  apply: (is_lim_seq_ext (fun n => (point n - limit)%V j * (point n - limit)%V j +
                                   \sum_(i <- s) (point n - limit)%V i * (point n - limit)%V i)) => [n|].
    by rewrite big_cons.
  have lim : is_lim_seq (fun n => (point n - limit)%V j) 0.
    by have := is_lim_seq_minus' _ _ _ _ (@point_limit j) (is_lim_seq_const (limit j)); rewrite Rminus_eq_0.
  have := is_lim_seq_plus' _ _ _ _ (is_lim_seq_mult' _ _ _ _ lim lim) IH.
  by rewrite Rmult_0_r Rplus_0_r.
by rewrite -sqrt_0; apply: (is_lim_seq_continuous sqrt) squares; apply: continuity_pt_sqrt; exact: Rle_refl.
Qed.

Theorem contraction_point : exists h, vnorm h <= radius /\ G h = h.
Proof.
have next : is_lim_seq (fun n => vdist (point n.+1) limit) 0.
  exact: (proj1 (is_lim_seq_incr_1 (fun n => vdist (point n) limit) 0) distance_limit).
have within : vnorm limit <= radius.
  have lim : is_lim_seq (fun n => radius + vdist (point n) limit) (radius + 0).
    exact: is_lim_seq_plus' (is_lim_seq_const _) distance_limit.
  rewrite Rplus_0_r in lim.
  apply: (is_lim_seq_le (fun=> vnorm limit) _ (Finite _) (Finite _) _ (is_lim_seq_const _) lim) => n.
  have := vdist_triangle limit (point n) vzero; have inn := point_inside n.
  have E (u : vec J) : vdist u vzero = vnorm u by congr vnorm; vec_ring.
  by rewrite !E (vdistC limit); lra.
exists limit; split=> //.
have zero : vdist (G limit) limit <= 0.
  have lim : is_lim_seq (fun n => c * vdist (point n) limit + vdist (point n.+1) limit) (c * 0 + 0).
    by apply: is_lim_seq_plus' next; apply: is_lim_seq_mult' distance_limit; exact: is_lim_seq_const.
  rewrite Rmult_0_r Rplus_0_r in lim.
  apply: (is_lim_seq_le (fun=> vdist (G limit) limit) _ (Finite _) (Finite _) _ (is_lim_seq_const _) lim) => n.
  have := vdist_triangle (G limit) (G (point n)) limit; have := shrinks within (point_inside n).
  by rewrite (vdistC limit) -/(point n.+1) /=; lra.
have d0 : vdist (G limit) limit = 0 by apply: Rle_antisym => //; exact: vnorm_ge0.
by apply: vec_ext => j; have := f_equal (@^~ j) (vnorm_eq0 d0); rewrite /vsub /vzero /=; lra.
Qed.
End ContractionPoint.
