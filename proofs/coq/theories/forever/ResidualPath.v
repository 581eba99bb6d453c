(* ResidualPath: what T15 says of a point on a path of bounded residual, for abstract factors.

   The bound X_e of the residual is made of Ebar, the deviation of the active factors from their limits, and of the
   far constraints' shares; near_path z says how much of both is spent when the height of z is reached. On such a path
   the margins grow with the height and the weights of the constraints outside P stay small. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Reference Gibbs Progress Path Growth Region FactorRange ActiveStep
                           FarPull.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma sqrt_add_le A L dA : 0 <= A -> 0 <= L -> 0 <= dA ->
  sqrt ((sqrt A + L) * (sqrt A + L) + dA) <= sqrt (A + dA) + L.
Proof.
move=> A0 L0 d0; have s0 := sqrt_pos A; have s1 := sqrt_pos (A + dA).
have sA : sqrt A * sqrt A = A by apply: sqrt_sqrt.
have sB : sqrt (A + dA) * sqrt (A + dA) = A + dA by apply: sqrt_sqrt; lra.
have le : sqrt A <= sqrt (A + dA) by apply: sqrt_le_1_alt; lra.
rewrite -[X in _ <= X]sqrt_square; last by lra.
apply: sqrt_le_1_alt; have := Rmult_le_compat_r L _ _ L0 le; lra.
Qed.

(* ---- the constants of the region and its conditions at w_0 ---- *)

Record basin (J C : finType) := Basin {
  basin_norm : R;             (* D bounds every ||Delta_c|| *)
  basin_ratio : R;            (* rho_bar, of the weights outside P to those on P *)
  basin_step : R;             (* h bounds the length of every later step *)
  basin_reach : R;            (* dX, room for the residual and the start's *)
  basin_along : C -> vec J;   (* dU and dO: the lateral parts of the far constraints in two pieces; dO meets neither
     the *)
  basin_across : C -> vec J   (* active constraints nor the start's residual nor any dU. dO = 0 is one choice. *)
}.

Section Terms.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Variables (f : factor_bounds C) (k : C -> R) (w0 : vec J) (r : basin J C).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation S := (active Q mu).
Notation F := (fun c => Q c && ~~ active Q mu c).
Notation height := (height u).
Notation residual := (residual u p).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).
Notation excess := (excess Delta u gamma).
Notation D := (basin_norm r).
Notation rho_bar := (basin_ratio r).
Notation h := (basin_step r).
Notation dX := (basin_reach r).
Notation dU := (basin_along r).
Notation dO := (basin_across r).
Notation y0 := (height w0).
Notation x0 := (vnorm (residual w0)).
Notation K := (log_floor Q mu (factor_low f)).
Notation g' := (gamma - rho_bar * D).

Definition start_low (c : C) : R := dot (Delta c) w0 - spread c * dX.

Definition deviation_total (c : C) : R :=
  / g' * (k c * exp (- dot (Delta c) w0 + spread c * dX) * (exp (slope c * h) / slope c)).
(* The weights of the far constraints. *)
Definition basin_far : far_decay C := FarDecay gamma y0 K h g'
  (fun c => far_factor f c * exp (- dot (Delta c) w0 + spread c * dX)) excess.
Definition Ebar : R := \sum_(c | Q c) deviation_total c.
Notation Lambda := (far_sum F basin_far).
Definition along_bound : R := sqrt (x0 * x0 + 4 * Ebar) + Lambda dU.
Definition path_residual_bound : R := sqrt (along_bound * along_bound + Lambda dO * Lambda dO).

Record basin_conditions (limit : C -> R) : Prop := BasinConditions {
  basin_active : forall c, S c -> factor_kept f c;
  basin_slack : forall c, Q c -> ~~ S c -> 0 < excess c;
  basin_norm_le : forall c, Q c -> vnorm (Delta c) <= D;
  basin_ratio_lt : rho_bar * D < gamma;
  (* Steps are short compared with the active constraints' distances. *)
  basin_diameter : exists Rs, [/\ 0 < Rs, h * (Rs * Rs) <= 4 * g' &
    forall c d, S c -> S d -> vnorm (Delta c - Delta d) <= Rs];
  (* The centre balances the limit factors. *)
  basin_balance : exists2 Z, 0 < Z & forall c, S c -> limit c * exp (- dot (Delta c) p) = Z * mu c;
  basin_split : forall c, Q c -> ~~ S c -> lateral Delta u c = (dU c + dO c)%V;
  basin_split_active : forall s c, S s -> Q c -> ~~ S c -> dot (lateral Delta u s) (dO c) = 0;
  basin_split_orth : forall c d, Q c -> ~~ S c -> Q d -> ~~ S d -> dot (dU c) (dO d) = 0;
  basin_split_start : forall c, Q c -> ~~ S c -> dot (residual w0) (dO c) = 0;
  basin_room : path_residual_bound + x0 <= dX;
  basin_outside : exp (- K) * (\sum_(c | Q c && ~~ factor_kept f c)
    far_factor f c * exp (- (dot (Delta c) w0 - gamma * y0) + spread c * dX)) <= rho_bar
}.

(* ---- along the run ---- *)

(* The part of Ebar that is spent when the height has grown by Y. *)
Definition deviation_spent (Y : R) : R := \sum_(c | Q c) deviation_total c * (1 - exp (- (slope c * Y))).
Notation far_spent := (far_spent F basin_far).

(* The residual eU + eO of a point whose height has grown by Y. *)
Record near_split (Y : R) (e eU eO : vec J) : Prop := NearSplit {
  near_sum : e = (eU + eO)%V;
  near_active : forall s, S s -> dot (lateral Delta u s) eO = 0;
  near_cross : forall c, Q c -> ~~ S c -> dot eU (dO c) = 0 /\ dot (dU c) eO = 0;
  near_orth : dot eU eO = 0;
  near_along : vnorm eU <= sqrt (x0 * x0 + 4 * deviation_spent Y) + far_spent dU Y;
  near_across : vnorm eO <= far_spent dO Y
}.

Definition near_path (z : vec J) : Prop :=
  y0 <= height z /\ exists eU eO, near_split (height z - y0) (residual z) eU eO.

End Terms.

Section ResidualPath.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Variables (b : vec J -> C -> R) (f : factor_bounds C) (limit k : C -> R) (w0 : vec J) (r : basin J C).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation p_orth := (reference_orthogonal o).
Notation P := (factor_kept f).
Notation S := (active Q mu).
Notation F := (fun c => Q c && ~~ active Q mu c).
Notation height := (height u).
Notation residual := (residual u p).
Notation slope := (slope Delta u).
Notation spread := (spread Delta u).
Notation excess := (excess Delta u gamma).
Notation B := (far_factor f).
Notation D := (basin_norm r).
Notation rho_bar := (basin_ratio r).
Notation h := (basin_step r).
Notation dX := (basin_reach r).
Notation dU := (basin_along r).
Notation dO := (basin_across r).
Notation y0 := (height w0).
Notation x0 := (vnorm (residual w0)).
Notation K := (log_floor Q mu (factor_low f)).
Notation g' := (gamma - rho_bar * D).
Notation start_low := (start_low o w0 r).
Notation deviation_total := (deviation_total o k w0 r).
Notation far := (basin_far o f w0 r).
Notation Ebar := (Ebar o k w0 r).
Notation Lambda := (far_sum F far).
Notation along_bound := (along_bound o f k w0 r).
Notation path_residual_bound := (path_residual_bound o f k w0 r).
Notation deviation_spent := (deviation_spent o k w0 r).
Notation far_spent := (far_spent F far).
Notation near_path := (near_path o f k w0 r).

Hypothesis conditions : basin_conditions o f k w0 r limit.
Hypothesis range : factor_range Q Delta b start_low f.
Hypothesis limits : factor_limit Q Delta b start_low S limit k.
Let excess_gt0 := basin_slack conditions.
Let rho_bar_lt := basin_ratio_lt conditions.
Let active_sub := basin_active conditions.
Let split_start := basin_split_start conditions.
Let residual_room := basin_room conditions.
Let outside_le := basin_outside conditions.
Let k_ge0 := factor_rate_ge0 limits.
Let speed_gt0 : 0 < g' := Rlt_Rminus _ _ rho_bar_lt.

Lemma reach_ge0 : 0 <= dX.
Proof.
by apply: Rle_trans residual_room; apply: Rplus_le_le_0_compat; [exact: sqrt_pos | exact: vnorm_ge0].
Qed.

Lemma start_above : margins_above Q Delta start_low w0.
Proof.
move=> c Qc; rewrite /ResidualPath.start_low.
by have := Rmult_le_pos _ _ (spread_ge0 Delta u c) reach_ge0; lra.
Qed.

Let B_ge0 c (Qc : Q c) : 0 <= B c := far_factor_ge0 range start_above Qc.

Lemma deviation_total_ge0 c : Q c -> 0 <= deviation_total c.
Proof.
move=> Qc; have g0 := speed_gt0; apply: Rmult_le_pos; first exact/Rlt_le/Rinv_0_lt_compat.
apply: Rmult_le_pos; first by apply: Rmult_le_pos; [exact: k_ge0 | exact/Rlt_le/exp_pos].
by apply: Rmult_le_pos; [exact/Rlt_le/exp_pos | exact/Rlt_le/Rinv_0_lt_compat/(slope_gt0 dir Qc)].
Qed.

Lemma deviation_spent_range Y : 0 <= Y -> 0 <= deviation_spent Y <= Ebar.
Proof.
move=> Y0; split; [apply: sum_ge0 | apply: sum_le] => c Qc; have part := spent_fraction (slope_gt0 dir Qc) Y0;
  have d := deviation_total_ge0 Qc; first by apply: Rmult_le_pos; lra.
by have := Rmult_le_compat_l _ _ _ d (proj2 part); lra.
Qed.

Lemma basin_decays : far_decays F far.
Proof.
split=> /= [|c /andP[Qc _]|c /andP[Qc Sc]]; [exact: speed_gt0 | | exact: excess_gt0].
by apply: Rmult_le_pos; [exact: B_ge0 | exact/Rlt_le/exp_pos].
Qed.

Lemma near_start : near_path w0.
Proof.
have d0 : deviation_spent 0 = 0 by apply: sum0 => c _; rewrite Rmult_0_r Ropp_0 exp_0; ring.
split; first lra.
exists (residual w0), vzero; rewrite Rminus_diag_eq //; split.
- by vec_ring.
- by move=> s _; rewrite dot0r.
- by move=> c Qc Sc; rewrite dot0r (split_start Qc Sc).
- by rewrite dot0r.
- by rewrite d0 far_spent_start Rmult_0_r !Rplus_0_r sqrt_square; [lra | exact: vnorm_ge0].
by rewrite far_spent_start vnorm0; lra.
Qed.

Lemma near_residual z : near_path z -> vnorm (residual z) <= path_residual_bound.
Proof.
case=> hy [eU [eO [-> _ _ UO hU hO]]]; have Y0 : 0 <= height z - y0 by lra.
have dr := deviation_spent_range Y0; have fU := far_spent_range basin_decays dU Y0;
  have fO := far_spent_range basin_decays dO Y0.
have bU : vnorm eU <= along_bound.
  by apply: Rle_trans hU _; apply: Rplus_le_compat; [apply: sqrt_le_1_alt; lra | lra].
apply: sqrt_le_1_alt; rewrite vnorm2D UO Rmult_0_r Rplus_0_r -!vnorm_sqr.
have n0 := vnorm_ge0 eU; have n1 := vnorm_ge0 eO.
by apply: Rplus_le_compat; apply: Rmult_le_compat => //; lra.
Qed.

(* Margins grow with the height, up to the room dX for the residual. *)
Lemma near_margin z c : near_path z ->
  dot (Delta c) w0 + slope c * (height z - y0) - spread c * dX <= dot (Delta c) z.
Proof.
move=> Hz; have xb := near_residual Hz.
rewrite (margin_decompose Delta u p z c) (margin_decompose Delta u p w0 c).
have /Rabs_le_between[h1 _] := dot_orth_bound dir c (residual_orth dir p_orth z).
have /Rabs_le_between[_ h2] := dot_orth_bound dir c (residual_orth dir p_orth w0).
have s0 := spread_ge0 Delta u c.
have : spread c * (vnorm (residual z) + x0) <= spread c * dX by apply: Rmult_le_compat_l => //; lra.
lra.
Qed.

Lemma near_low z c : near_path z -> Q c -> start_low c <= dot (Delta c) z.
Proof.
move=> Hz Qc; apply: Rle_trans (near_margin c Hz); rewrite /ResidualPath.start_low.
have := Rmult_le_pos _ _ (Rlt_le _ _ (slope_gt0 dir Qc)) (ltac:(have := proj1 Hz; lra) : 0 <= height z - y0); lra.
Qed.

Lemma near_above z : near_path z -> margins_above Q Delta start_low z.
Proof. by move=> Hz c Qc; exact: near_low. Qed.

Lemma near_P z c : near_path z -> P c -> factor_low f c <= b z c <= factor_high f c.
Proof. by move=> Hz; exact: (factor_in_range range (near_above Hz)). Qed.

Lemma near_weight z c : near_path z -> Q c ->
  Rabs (gibbs_weight Delta (b z) z c) <=
  B c * exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0))).
Proof.
move=> Hz Qc; have H := far_factor_ge range (near_above Hz) Qc.
rewrite /gibbs_weight Rabs_mult (Rabs_pos_eq (exp _)); last exact/Rlt_le/exp_pos.
rewrite Rmult_assoc -exp_plus; apply: Rmult_le_compat; [exact: Rabs_pos | exact/Rlt_le/exp_pos | exact: H |].
by apply: exp_le; have := near_margin c Hz; lra.
Qed.

Lemma residual_rho_bar_ge0 : 0 <= rho_bar.
Proof.
apply: Rle_trans outside_le; apply: Rmult_le_pos; first exact/Rlt_le/exp_pos.
by apply: sum_ge0 => c /andP[Qc Pc]; apply: Rmult_le_pos (B_ge0 Qc) _; exact/Rlt_le/exp_pos.
Qed.

Lemma near_outside z : near_path z ->
  \sum_(c | Q c && ~~ P c) Rabs (gibbs_weight Delta (b z) z c) <= rho_bar * exp (K - gamma * height z).
Proof.
move=> Hz; apply: (Rle_trans _ (exp (- K) * (\sum_(c | Q c && ~~ P c) B c *
    exp (- (dot (Delta c) w0 - gamma * y0) + spread c * dX)) * exp (K - gamma * height z))); last first.
  by apply: Rmult_le_compat_r => //; exact/Rlt_le/exp_pos.
rewrite sum_mull sum_mulr; apply: sum_le => c /andP[Qc Pc].
apply: Rle_trans (near_weight Hz Qc) _.
have -> : B c * exp (- dot (Delta c) w0 + spread c * dX) * exp (- (slope c * (height z - y0)))
  = B c * exp (- dot (Delta c) w0 + spread c * dX - slope c * (height z - y0)).
  by rewrite Rmult_assoc -exp_plus; congr (_ * exp _); ring.
have -> : exp (- K) * (B c * exp (- (dot (Delta c) w0 - gamma * y0) + spread c * dX)) * exp (K - gamma * height z)
  = B c * exp (- K + (- (dot (Delta c) w0 - gamma * y0) + spread c * dX) + (K - gamma * height z)).
  by rewrite !exp_plus; ring.
apply: Rmult_le_compat_l; first exact: B_ge0.
apply: exp_le; have := slope_ge dir Qc; have := proj1 Hz => h1 h2.
have : (slope c - gamma) * (height z - y0) >= 0 by apply: Rle_ge; apply: Rmult_le_pos; lra.
lra.
Qed.

Lemma near_angle z : near_path z -> 0 < height z ->
  1 - cosine u z <= (vnorm p + path_residual_bound) * (vnorm p + path_residual_bound) / (2 * (height z * height z)).
Proof. by move=> Hz y1; exact (angle_bound (dir_unit dir) y1 (near_residual Hz)). Qed.

Lemma near_limit (w : nat -> vec J) : (forall t, near_path (w t)) ->
  is_lim_seq (fun t => height (w t)) p_infty -> is_lim_seq (fun t => cosine u (w t)) 1.
Proof.
move=> H Hy; apply: (cosine_limit (dir_unit dir) (p := p) (A := path_residual_bound * path_residual_bound)
  (B := 0)) => // t.
rewrite Rmult_0_l Rplus_0_r -vnorm_sqr.
by apply: Rmult_le_compat; try exact: vnorm_ge0; exact: near_residual.
Qed.
End ResidualPath.
