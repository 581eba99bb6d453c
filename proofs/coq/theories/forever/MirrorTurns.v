(* MirrorTurns: how an entry's slope in kappa turns along the ray (MIRROR.md sections 11 and 13, beyond the last
   height): y |l_j| is |u_j| |p - 2| x^(p-3) |v_j| with some x between the sizes of u_j and of the ray's entry. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid EntrywiseDuality DualNorm PowerInequalities Mirror MirrorRay MirrorEntries MirrorBend
                           MirrorHeights.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Turns.
Variables (J : finType) (p : R) (u v : vec J) (j : J).

Lemma bend_slope_zero (a : vec J) : u j = 0 -> bend_slope p u a j = 0.
Proof. by move=> u0; rewrite /bend_slope /mirror u0 (signed_power_ge0 _ (Rle_refl 0)) abs_power0; ring. Qed.

(* u (|u|^(p-2) - |a|^(p-2)) *)
Lemma bend_slope_powers (a : vec J) : u j <> 0 ->
  Rabs (bend_slope p u a j) = Rabs (u j) * Rabs (abs_power (Rabs (u j)) (p - 2) - abs_power (Rabs (a j)) (p - 2)).
Proof.
move=> u0; have nE : mirror p u j = abs_power (u j) (p - 2) * u j.
  have e1 : p - 2 = (p - 1) - 1 by ring.
  have st := abs_power_step (p - 1) u0; rewrite e1; rewrite /mirror /signed_power -st.
  by case: Rlt_dec => neg /=; [rewrite (Rabs_left _ neg); ring | rewrite Rabs_pos_eq; lra].
by rewrite !abs_power_abs -Rabs_mult; congr Rabs; rewrite /bend_slope nE; ring.
Qed.

Variable y : R.
Hypotheses (y0 : 0 < y) (same : 0 < u j * unit_ray u v y j).

(* Of one sign, they are as far apart in size. *)
Lemma ray_size_apart : Rabs (Rabs (u j) - Rabs (unit_ray u v y j)) = Rabs (v j) / y.
Proof.
have -> : Rabs (u j) - Rabs (unit_ray u v y j) = (if Rlt_dec 0 (u j) then - 1 else 1) * (v j / y).
  have along : unit_ray u v y j = u j + v j / y by [].
  move: (unit_ray u v y j) along same => z along; case: Rlt_dec => h /= same'.
    have z0 : 0 < z by apply: (Rmult_lt_reg_l (u j)); lra.
    by rewrite !Rabs_pos_eq; lra.
  have h' : u j < 0 by have := Rnot_lt_le _ _ h => -[// | E]; move: same'; rewrite E; lra.
  have z0 : z < 0.
    by apply: Ropp_lt_cancel; rewrite Ropp_0; apply: (Rmult_lt_reg_l (- u j)); lra.
  by rewrite (Rabs_left _ h') (Rabs_left _ z0); lra.
rewrite Rabs_mult /Rdiv Rabs_mult (Rabs_pos_eq (/ y)); last by apply/Rlt_le/Rinv_0_lt_compat.
by case: Rlt_dec => h /=; rewrite ?Rabs_Ropp Rabs_R1; lra.
Qed.

Theorem bend_slope_turns : let U := Rabs (u j) in let A := Rabs (unit_ray u v y j) in
  exists2 x, Rmin A U <= x <= Rmax A U &
    y * Rabs (bend_slope p u (unit_ray u v y) j) = U * (Rabs (p - 2) * abs_power x (p - 3) * Rabs (v j)).
Proof.
have u0 : u j <> 0 by move=> Z; move: same; rewrite Z; lra.
have a0 : unit_ray u v y j <> 0 by move=> Z; move: same; rewrite Z; lra.
move=> U A; have U0 : 0 < U := Rabs_pos_lt _ u0; have A0 : 0 < A := Rabs_pos_lt _ a0.
have [| |x [[lo hi] xE]] := @MVT_gen (fun x => abs_power x (p - 2)) A U (fun x => (p - 2) * abs_power x (p - 2 - 1)).
- move=> x [xl _]; apply: is_derive_positive_power.
  by apply: Rle_lt_trans xl; apply: Rmin_glb; lra.
- move=> x [xl _]; have x0 : 0 < x by apply: Rlt_le_trans xl; apply: Rmin_glb_lt.
  apply continuity_pt_filterlim; apply (ex_derive_continuous (fun x => abs_power x (p - 2))).
  by exists ((p - 2) * abs_power x (p - 2 - 1)); exact: is_derive_positive_power.
exists x => //; rewrite bend_slope_powers // -/U -/A xE 2!Rabs_mult ray_size_apart.
rewrite (Rabs_pos_eq _ (abs_power_ge0 _ _)); have -> : p - 2 - 1 = p - 3 by ring.
by field; lra.
Qed.
End Turns.
