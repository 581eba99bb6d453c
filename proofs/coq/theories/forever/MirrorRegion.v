(* MirrorRegion: T17, a region that mirror descent with the potential |w|^p / p never leaves (MIRROR.md section 7).

   The state of a run is the dual point Z; w = mirror q Z is what is trained, and Z+ = Z + tau V(w). The region consists
   of the Z whose gap to the point of the ray y u + v at their own height <Z,u> is at most A(<Z,u>). What an allowed
   gap means for the margins, for <n,w> and for a step's own curvature are functions of y (`mirror_bounds`), which
   MirrorMoves.v bounds entry by entry. P holds the constraints whose factors stay positive, N the others (better
   tokens); N may be empty. Any head whose factors are in range will do (FactorRange.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Vectors Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity Direction Gibbs
                           Progress Growth Inside FactorRange Mirror MirrorRay.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* u is the direction of the shortest solution in l_p, mirror p u its normal, gamma its margin. *)
Record mirror_direction (J C : finType) (Q : pred C) (Delta : C -> vec J) (p : R) (u : vec J) (gamma : R)
  (mu : C -> R) : Prop := MirrorDirection {
  mirror_unit : lp_sum p u = 1;
  mirror_margin_gt0 : 0 < gamma;
  mirror_slope : forall c, Q c -> gamma <= dot (Delta c) u;
  mirror_balanced : balanced Q Delta (mirror p u) gamma mu
}.

(* The constants; y is where on the ray the point of Z's height is. *)
Record mirror_bounds (C : finType) := MirrorBounds {
  mirror_first : R;                 (* y_0 *)
  mirror_allowance : R -> R;        (* A: of the gap, by height *)
  mirror_growth : R -> R;           (* the slope of A from the height of y on, over a step *)
  mirror_rise : R -> R;             (* H bounds what a step adds to the height *)
  mirror_moved : R -> C -> R;       (* y S_c(y): how far a margin is from its value on the ray *)
  mirror_bend : R -> R;             (* kappa(y): how far <n,w> exceeds y *)
  mirror_ratio : R -> R;            (* rho(y): of the weights on N to those on P *)
  mirror_far_slope : R;             (* G *)
  mirror_far_moved : R -> R;        (* of the margins on N *)
  mirror_cost : R -> R              (* R(y): the step's own curvature, for each unit of weight *)
}.

Section MirrorRegion.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (p q : R) (u v : vec J) (gamma : R) (mu : C -> R).
Variables (b : vec J -> C -> R) (f : factor_bounds C) (low : C -> R) (k : mirror_bounds C).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (dir : mirror_direction Q Delta p u gamma mu).
Notation P := (factor_kept f).
Notation n := (mirror p u).
Notation gap := (mirror_gap p q).
Notation ray := (ray u v).
Notation ray_height := (ray_height p u v).
Notation K := (log_floor Q mu (factor_low f)).
Notation C0 := (gibbs_gap Q Delta u v P gamma mu (factor_high f) (factor_low f) (mirror_first k)).
Notation A := (mirror_allowance k).
Notation rho := (mirror_ratio k).
Notation G := (mirror_far_slope k).
Implicit Types (y tau : R) (z : vec J) (c : C).

(* -grad L at Z's w, the total weight on P there, and the entropy of the balanced weights against those of w. *)
Definition mirror_field z : vec J := field_of Q Delta b (mirror q z).
Definition mirror_total z : R := \sum_(c | P c) gibbs_weight Delta (b (mirror q z)) (mirror q z) c.
Definition mirror_entropy z : R := relative_entropy Q Delta mu P (mirror q z) (b (mirror q z)).

Definition near_ray y z : Prop := [/\ mirror_first k <= y, ray_height y = dot z u & gap (ray y) z <= A (dot z u)].
Definition in_mirror_region z : Prop := exists y, near_ray y z.

(* What an allowed gap means, whatever the steps. *)
Record mirror_shape : Prop := MirrorShape {
  mirror_active : forall c, active Q mu c -> P c;
  mirror_moves : forall y z c, near_ray y z -> Q c ->
    Rabs (dot (Delta c) (mirror q z - ray y)) <= mirror_moved k y c;
  mirror_bends : forall y z, near_ray y z -> dot n (mirror q z) - y <= mirror_bend k y;
  mirror_low : forall y c, mirror_first k <= y -> Q c -> low c <= dot (Delta c) (ray y) - mirror_moved k y c;
  mirror_far_slope_ge0 : 0 <= G;
  mirror_far_slope_le : forall c, Q c -> ~~ P c -> dot (Delta c) u <= G;
  mirror_far_moved_ge0 : forall y, mirror_first k <= y -> 0 <= mirror_far_moved k y;
  mirror_far_moved_le : forall y c, mirror_first k <= y -> Q c -> ~~ P c ->
    mirror_moved k y c <= mirror_far_moved k y;
  mirror_ratio_ge : forall y, mirror_first k <= y -> exp (- K) * (\sum_(c | Q c && ~~ P c) factor_size f c *
    exp (gamma * (y + mirror_bend k y) - (dot (Delta c) (ray y) - mirror_moved k y c))) <= rho y;
  mirror_ratio_lt : forall y, mirror_first k <= y -> rho y * G < gamma
}.

(* What steps cost and gain; fits says which steps the rule may take. *)
Record mirror_conditions (fits : R -> vec J -> Prop) (z0 : vec J) : Prop := MirrorConditions {
  mirror_shaped :> mirror_shape;
  mirror_start : near_ray (mirror_first k) z0;
  mirror_costs : forall y z tau, near_ray y z -> fits tau z ->
    dual_divergence q (mirror q z) z (z + tau * mirror_field z)%V <=
    tau * mirror_total z * (mirror_cost k y + mirror_entropy z);
  mirror_rises : forall y z tau, near_ray y z -> fits tau z ->
    0 < tau /\ tau * dot (mirror_field z) u <= mirror_rise k y;
  mirror_growth_ge0 : forall y, mirror_first k <= y -> 0 <= mirror_growth k y;
  mirror_growth_le : forall y h, mirror_first k <= y -> 0 <= h <= mirror_rise k y ->
    mirror_growth k y * h <= A (ray_height y + h) - A (ray_height y);
  (* (2) of MIRROR.md *)
  mirror_holds : forall y, mirror_first k <= y ->
    C0 + gamma * mirror_bend k y + rho y * mirror_far_moved k y + mirror_cost k y <=
    (gamma - rho y * G) * mirror_growth k y
}.

Hypothesis range : factor_range Q Delta b low f.
Let bal := mirror_balanced dir.

Section Near.
Hypothesis shape : mirror_shape.
Variables (y : R) (z : vec J).
Hypothesis at_y : near_ray y z.
Let w := mirror q z.
Let e := (w - ray y)%V.
Notation weight := (gibbs_weight Delta (b w) w).

Let y_ge : mirror_first k <= y. Proof. by case: at_y. Qed.

Lemma mirror_margin c : Q c -> dot (Delta c) (ray y) - mirror_moved k y c <= dot (Delta c) w.
Proof.
move=> Qc; have := mirror_moves shape at_y Qc; rewrite dotBr -/w => /Rabs_le_between [lo _]; lra.
Qed.

Lemma mirror_above : margins_above Q Delta low w.
Proof. by move=> c Qc; apply: Rle_trans (mirror_low shape y_ge Qc) (mirror_margin Qc). Qed.

Let in_range c (Pc : P c) := factor_in_range range mirror_above Pc.
Let low_gt0 c (Sc : active Q mu c) := factor_low_gt0 range (mirror_active shape Sc).
Let b_gt0 c (Pc : P c) : 0 < b w c.
Proof. by have := in_range Pc; have := factor_low_gt0 range Pc; lra. Qed.
Let b_lo c (Sc : active Q mu c) := proj1 (in_range (mirror_active shape Sc)).

Lemma mirror_weight_gt0 c : P c -> 0 < weight c.
Proof. by move=> Pc; exact: gibbs_weight_gt0 Pc. Qed.

Lemma mirror_total_positive : 0 < mirror_total z.
Proof. exact (ray_total_gt0 bal (mirror_active shape) w b_gt0). Qed.

Lemma mirror_entropy_ge0 : 0 <= mirror_entropy z.
Proof. exact (relative_entropy_ge0 bal (mirror_active shape) w b_gt0). Qed.

Lemma mirror_total_lower : exp (K - gamma * (y + mirror_bend k y)) <= mirror_total z.
Proof.
apply: Rle_trans (ray_total_lower bal (mirror_active shape) low_gt0 w b_gt0 b_lo); apply: exp_le.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (mirror_margin_gt0 dir)) (mirror_bends shape at_y); rewrite -/w; lra.
Qed.

(* The weights on N. *)
Lemma mirror_outside : \sum_(c | Q c && ~~ P c) Rabs (weight c) <= rho y * mirror_total z.
Proof.
set S := \sum_(c | _) Rabs _; set x := K - gamma * (y + mirror_bend k y).
have S0 : 0 <= S by apply: sum_ge0 => c _; exact: Rabs_pos.
suff H : S * exp (- x) <= rho y.
  have Om := mirror_total_lower; rewrite -/x in Om; have e0 := exp_pos x.
  have -> : S = S * exp (- x) * exp x by rewrite Rmult_assoc -exp_plus Rplus_opp_l exp_0; ring.
  have r0 : 0 <= rho y by apply: Rle_trans H; apply: Rmult_le_pos => //; exact/Rlt_le/exp_pos.
  apply: (Rle_trans _ (rho y * exp x)); first by apply: Rmult_le_compat_r; lra.
  exact: Rmult_le_compat_l.
apply: Rle_trans (mirror_ratio_ge shape y_ge); rewrite sum_mulr sum_mull; apply: sum_le => c /andP[Qc Nc].
have B0 := factor_outside range mirror_above Qc Nc; have m := mirror_margin Qc.
rewrite /gibbs_weight Rabs_mult (Rabs_pos_eq (exp _)); last exact/Rlt_le/exp_pos.
rewrite Rmult_assoc -exp_plus -Rmult_assoc (Rmult_comm (exp (- K))) Rmult_assoc -exp_plus.
apply: Rmult_le_compat => //; [exact: Rabs_pos | exact/Rlt_le/exp_pos | apply: exp_le].
by rewrite /x; lra.
Qed.

(* Lemma 3. *)
Lemma mirror_ascent_height : mirror_total z * (gamma - rho y * G) <= dot (mirror_field z) u.
Proof.
rewrite /mirror_field /field_of (ascent_dot _ _ (factor_kept_constraint range)) -/w.
have inP : mirror_total z * gamma <= \sum_(c | P c) weight c * dot (Delta c) u.
  rewrite /mirror_total sum_mulr; apply: sum_le => c Pc.
  apply: Rmult_le_compat_l; first exact/Rlt_le/mirror_weight_gt0.
  exact (mirror_slope dir (factor_kept_constraint range Pc)).
have outP : - (rho y * mirror_total z * G) <= \sum_(c | Q c && ~~ P c) weight c * dot (Delta c) u.
  have := Rmult_le_compat_r _ _ _ (mirror_far_slope_ge0 shape) mirror_outside.
  rewrite sum_mulr => /Ropp_le_contravar H; apply: Rle_trans H _.
  rewrite -sumN; apply: sum_le => c /andP[Qc Nc].
  have s0 := mirror_slope dir Qc; have sG := mirror_far_slope_le shape Qc Nc; have g0 := mirror_margin_gt0 dir.
  have := Rmult_le_compat_l _ _ _ (Rabs_pos (weight c)) sG.
  have := Rmult_le_compat_r (dot (Delta c) u) _ _ _ (Rle_abs (- weight c)); rewrite Rabs_Ropp; lra.
lra.
Qed.

(* Lemma 2, and what N adds. *)
Lemma mirror_pull : dot (mirror_field z) e <=
  mirror_total z * (C0 + gamma * mirror_bend k y - mirror_entropy z + rho y * mirror_far_moved k y).
Proof.
rewrite /mirror_field /field_of (ascent_dot _ _ (factor_kept_constraint range)) -/w.
have slopes c : P c -> gamma <= slope Delta u c.
  by move=> Pc; exact (mirror_slope dir (factor_kept_constraint range Pc)).
have inP := ray_gibbs_weights v bal (mirror_active shape) low_gt0 w b_gt0 b_lo (fun c Pc => proj2 (in_range Pc))
  y_ge slopes.
rewrite -/(mirror_total z) -/(mirror_entropy z) -/(ray y) -/e in inP.
have Om0 := mirror_total_positive.
have bend : mirror_total z * (gamma * (dot n w - y)) <= mirror_total z * (gamma * mirror_bend k y).
  apply: Rmult_le_compat_l; first by lra.
  by apply: Rmult_le_compat_l (mirror_bends shape at_y); have := mirror_margin_gt0 dir; lra.
have outP : \sum_(c | Q c && ~~ P c) weight c * dot (Delta c) e <= rho y * mirror_total z * mirror_far_moved k y.
  apply: (Rle_trans _ ((\sum_(c | Q c && ~~ P c) Rabs (weight c)) * mirror_far_moved k y)); last first.
    exact: Rmult_le_compat_r (mirror_far_moved_ge0 shape y_ge) mirror_outside.
  rewrite sum_mulr; apply: sum_le => c /andP[Qc Nc]; apply: Rle_trans (Rle_abs _) _; rewrite Rabs_mult.
  apply: Rmult_le_compat_l; first exact: Rabs_pos.
  exact: Rle_trans (mirror_moves shape at_y Qc) (mirror_far_moved_le shape y_ge Qc Nc).
lra.
Qed.

End Near.

Variables (fits : R -> vec J -> Prop) (z0 : vec J).
Hypothesis cond : mirror_conditions fits z0.

Section Step.
Variables (y : R) (z : vec J) (tau : R).
Hypotheses (at_y : near_ray y z) (tau_fits : fits tau z).
Let y_ge : mirror_first k <= y. Proof. by case: at_y. Qed.
Let positive := mirror_total_positive cond at_y.
Let z' := (z + tau * mirror_field z)%V.

Lemma mirror_height_step : dot z' u - dot z u = tau * dot (mirror_field z) u.
Proof. by rewrite /z' dotDl dotZl; ring. Qed.

Lemma mirror_height_rises : tau * mirror_total z * (gamma - rho y * G) <= dot z' u - dot z u.
Proof.
have [t0 _] := mirror_rises cond at_y tau_fits; rewrite mirror_height_step Rmult_assoc.
by apply: Rmult_le_compat_l (mirror_ascent_height cond at_y); lra.
Qed.

(* The gap to the old point of the ray. *)
Lemma mirror_gap_kept : gap (ray y) z' <= A (dot z' u).
Proof.
have [t0 th] := mirror_rises cond at_y tau_fits; have Om0 := positive.
have [_ hy near] := at_y.
have pull := Rmult_le_compat_l _ _ _ (Rlt_le _ _ t0) (mirror_pull cond at_y).
have cost := mirror_costs cond at_y tau_fits; rewrite -/z' in cost.
have tOm : 0 <= tau * mirror_total z by apply: Rmult_le_pos; lra.
have holds := Rmult_le_compat_l _ _ _ tOm (mirror_holds cond y_ge).
have rises := mirror_height_rises; have g0 := mirror_growth_ge0 cond y_ge.
have h0 : 0 <= dot z' u - dot z u.
  by apply: Rle_trans rises; apply: Rmult_le_pos => //; have := mirror_ratio_lt cond y_ge; lra.
have := Rmult_le_compat_r _ _ _ g0 rises.
have := mirror_growth_le cond y_ge (h := dot z' u - dot z u); rewrite hy => growth.
have {growth} : mirror_growth k y * (dot z' u - dot z u) <= A (dot z u + (dot z' u - dot z u)) - A (dot z u).
  by apply: growth; split=> //; rewrite mirror_height_step.
have -> : dot z u + (dot z' u - dot z u) = dot z' u by ring.
by have := mirror_gap_step p q (ray y) (mirror q z) z (tau * mirror_field z)%V; rewrite -/z' dotZl; lra.
Qed.

Theorem mirror_stays : in_mirror_region z'.
Proof.
have [_ hy _] := at_y.
have h0 : ray_height y <= dot z' u.
  rewrite hy; have := mirror_height_rises; have [t0 _] := mirror_rises cond at_y tau_fits.
  have := Rmult_le_pos _ _ (Rlt_le _ _ t0) (Rlt_le _ _ positive).
  have g : 0 < gamma - rho y * G by have := mirror_ratio_lt cond y_ge; lra.
  by move=> tOm; have := Rmult_le_pos _ _ tOm (Rlt_le _ _ g); lra.
have [y' [yy' hy']] := ray_reaches p1 conj (mirror_unit dir) h0; exists y'; split=> //; first by lra.
exact: Rle_trans (ray_nearest p1 conj y hy') mirror_gap_kept.
Qed.
End Step.

(* ---- every rule ---- *)

Lemma mirror_start_inside : in_mirror_region z0.
Proof. by exists (mirror_first k); exact: mirror_start cond. Qed.

Variables (z : nat -> vec J) (eta tau : nat -> R) (g : growth_law).
Hypotheses (start : z O = z0) (run : forall t, z t.+1 = (z t + tau t * mirror_field (z t))%V).
Hypotheses (proper : law_proper g) (sizes : forall t, 0 < eta t).
Hypothesis steps_fit : forall t, in_mirror_region (z t) -> fits (tau t) (z t).

(* The least that a step adds to the height, by the rule. *)
Hypothesis gains : forall t y, near_ray y (z t) ->
  eta t * law_gain g (dot (z t) u) <= tau t * mirror_total (z t) * (gamma - rho y * G).

Theorem mirror_region : invariant_region u in_mirror_region z eta g.
Proof.
have fit t y : near_ray y (z t) -> fits (tau t) (z t) by move=> Hy; apply: steps_fit; exists y.
split=> // [| t [y Hy] | t [y Hy]]; first by rewrite start; exact: mirror_start_inside.
  by rewrite run; exact (mirror_stays Hy (fit _ _ Hy)).
by rewrite run; apply: Rle_trans (gains Hy) (mirror_height_rises Hy (fit _ _ Hy)).
Qed.

(* All later steps. *)
Theorem mirror_for_ever : (forall t, in_mirror_region (z t)) /\
  (forall t, law_reaches g (dot z0 u) (total eta t) (dot (z t) u)) /\
  (is_lim_seq (total eta) p_infty -> is_lim_seq (fun t => dot (z t) u) p_infty).
Proof.
have kept := mirror_region; split; first exact: stays_inside kept.
by split; [rewrite -start; exact: inside_grows kept | exact: inside_diverges kept].
Qed.
End MirrorRegion.
