(* SublevelDescent: the step of T23, normalised and decreasing an excess loss (NEXT_TOKEN.md sections 4 and 5).

   Of the attention stage of next-token prediction the theorem uses: the excess S over the least loss has the gradient
   -V, V = sum_Q omega_c Delta_c; and where S is at most S_0 the factors b_c of omega_c = b_c e^(-m_c) are in range,
   hi_c <= sigma lo_c, S curves along a line at most `bend` sum omega_c <Delta_c,v>^2, and S lies between
   sum floor_c e^(-m_c) and (sum omega_c)/kappa. With the curvature ratio R a short normalised step then decreases S
   (SublevelRun.v: every step of a run). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Reference Gibbs Progress Path Growth BoundedSelection LineDescent
                           CurvatureRatio.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Record excess_bounds (J C : finType) := ExcessBounds {
  excess_low : C -> R;          (* lo and hi *)
  excess_high : C -> R;
  excess_spread : R;            (* sigma *)
  excess_bend : R;              (* 1 + phi *)
  excess_share : R;             (* kappa *)
  excess_floor : C -> R;        (* S is at least sum floor_c e^(-m_c) *)
  excess_norm : R;              (* D bounds every ||Delta_c|| *)
  excess_rate : R;              (* R, of CurvatureRatio.v, and the vectors that show it *)
  excess_sees : C -> vec J
}.

Section Sublevel.
Variables (J C : finType) (Q : pred C) (Delta : C -> vec J) (o : reference Q Delta).
Notation u := (reference_unit o).
Notation p := (reference_centre o).
Notation gamma := (reference_margin o).
Notation mu := (reference_weights o).
Notation dir := (reference_direction o).
Notation p_orth := (reference_orthogonal o).
Notation height := (height u).
Notation residual := (residual u p).

Variables (b : vec J -> C -> R) (S : vec J -> R) (top : R) (k : excess_bounds J C).
Notation lo := (excess_low k).
Notation hi := (excess_high k).
Notation sigma := (excess_spread k).
Notation bend := (excess_bend k).
Notation kappa := (excess_share k).
Notation D := (excess_norm k).
Notation rate := (excess_rate k).
Notation weights z := (gibbs_weight Delta (b z) z).
Notation V := (field_of Q Delta b).

Record excess_ranges : Prop := ExcessRanges {
  excess_derive : forall z v x, is_derive (fun y => S (z + y * v)) x (- dot (V (z + x * v)) v);
  excess_second : exists2 bent, (forall z v x, is_derive (fun y => - dot (V (z + y * v)) v) x (bent (z + x * v)%V v)) &
    forall z v, S z <= top -> vnorm v = 1 ->
      bent z v <= bend * \sum_(c | Q c) weights z c * (dot (Delta c) v * dot (Delta c) v);
  excess_low_gt0 : forall c, Q c -> 0 < lo c;
  excess_factors : forall z, S z <= top -> forall c, Q c -> lo c <= b z c <= hi c;
  excess_spread_ge : forall c, Q c -> hi c <= sigma * lo c;
  excess_bend_ge0 : 0 <= bend;
  excess_share_gt0 : 0 < kappa;
  excess_most : forall z, S z <= top -> kappa * S z <= \sum_(c | Q c) weights z c;
  excess_floor_gt0 : forall c, active Q mu c -> 0 < excess_floor k c;
  excess_least : forall z, S z <= top -> \sum_(c | active Q mu c) excess_floor k c * exp (- dot (Delta c) z) <= S z;
  excess_norm_gt0 : 0 < D;
  excess_rows : seen_rows Q Delta D rate (excess_sees k)
}.
Hypothesis ranges : excess_ranges.

(* ---- one point of the sublevel set ---- *)

Section Point.
Variable z : vec J.
Hypothesis low_excess : S z <= top.

Lemma excess_weight_gt0 c : Q c -> 0 < weights z c.
Proof.
move=> Qc; apply: Rmult_lt_0_compat; last exact: exp_pos.
by have := excess_factors ranges low_excess Qc; have := excess_low_gt0 ranges Qc; lra.
Qed.

Lemma excess_moves : 0 < vnorm (V z).
Proof. exact (sharp_norm_gt0 dir excess_weight_gt0). Qed.

Lemma excess_slope : gamma * (\sum_(c | Q c) weights z c) <= dot (V z) u.
Proof. by rewrite Rmult_comm; exact (progress_slope dir excess_weight_gt0). Qed.

(* Farther along a unit vector a weight is at most sigma e^(x D) times what it was. *)
Lemma excess_weight_along v x c : vnorm v = 1 -> 0 <= x -> S (z + x * v)%V <= top -> Q c ->
  weights (z + x * v)%V c <= sigma * exp (D * x) * weights z c.
Proof.
move=> v1 x0 Hx Qc; have [_ h] := excess_factors ranges Hx Qc; have [l _] := excess_factors ranges low_excess Qc.
have s := excess_spread_ge ranges Qc; have l0 := excess_low_gt0 ranges Qc.
have d : - dot (Delta c) v <= D.
  have := dot_ge_norms (Delta c) v; have := row_norm_le (excess_rows ranges) Qc; rewrite v1; lra.
have e : exp (- dot (Delta c) (z + x * v)%V) <= exp (D * x) * exp (- dot (Delta c) z).
  by rewrite -exp_plus; apply: exp_le; rewrite dotDr dotZr; have := Rmult_le_compat_r _ _ _ x0 d; lra.
have s0 : 0 <= sigma by have := Rle_trans _ _ _ (Rle_trans _ _ _ l (proj2 (excess_factors ranges low_excess Qc))) s;
  nra.
apply: (Rle_trans _ (sigma * b z c * (exp (D * x) * exp (- dot (Delta c) z)))); last by right; rewrite /gibbs_weight;
  ring.
apply: Rmult_le_compat => //; [ | exact/Rlt_le/exp_pos | ].
  by have := excess_factors ranges Hx Qc; lra.
by have := Rmult_le_compat_l _ _ _ s0 l; lra.
Qed.
End Point.

(* ---- one step ---- *)

(* theta for steps of length at most h *)
Definition excess_theta (h : R) : R := 1 - bend * sigma * rate * ((exp (D * h) - 1 - D * h) / (h * (D * D))).

Section Step.
Variables (z : vec J) (h : R).
Hypothesis low_excess : S z <= top.
Hypothesis h_gt0 : 0 < h.
Hypothesis theta_gt0 : 0 < excess_theta h.
Hypothesis sigma_ge0 : 0 <= sigma.
Notation n := (vnorm (V z)).
Let v := (/ n * V z)%V.
Let B := bend * sigma * rate * n.
Notation F x := (S (z + x * v)%V).

Let n_gt0 : 0 < n := excess_moves low_excess.

Lemma step_unit : vnorm v = 1.
Proof. by rewrite /v vnormZ Rabs_pos_eq; [field; lra | exact/Rlt_le/Rinv_0_lt_compat]. Qed.

Lemma step_start : - dot (V (z + 0%R * v)%V) v = - n.
Proof. by rewrite vline0 /v dotZr -/(vnorm2 (V z)) -vnorm_sqr; field; lra. Qed.

Let B_ge0 : 0 <= B.
Proof.
apply: Rmult_le_pos; last lra.
by apply: Rmult_le_pos (sight_rate_ge0 (excess_rows ranges)); apply: Rmult_le_pos => //; exact: excess_bend_ge0.
Qed.

Lemma step_bent c (below : forall x, 0 <= x <= c -> F x <= F 0) : 0 < c ->
  F c <= F 0 - n * c + B * ((exp (D * c) - 1 - D * c) / (D * D)).
Proof.
move=> c0; have D0 := excess_norm_gt0 ranges; have [bent dbent bent_le] := excess_second ranges.
have lowx x : 0 <= x <= c -> F x <= top by move=> xc; apply: Rle_trans (below x xc) _; rewrite vline0.
have curved x : 0 <= x <= c -> bent (z + x * v)%V v <= B * exp (D * x).
  move=> xc; apply: Rle_trans (bent_le _ _ (lowx x xc) step_unit) _.
  have -> : B * exp (D * x) = bend * (sigma * exp (D * x) * (rate * n)) by rewrite /B; ring.
  apply: Rmult_le_compat_l; first exact: excess_bend_ge0.
  have ratio := weights_curvature_ratio
    (fun c Qc => Rlt_le _ _ (excess_weight_gt0 low_excess Qc)) (excess_rows ranges) step_unit.
  have e0 : 0 <= sigma * exp (D * x) by apply: Rmult_le_pos => //; exact/Rlt_le/exp_pos.
  apply: Rle_trans (Rmult_le_compat_l _ _ _ e0 ratio); rewrite sum_mull; apply: sum_le => d Qd.
  have := Rmult_le_compat_r _ _ _ (Rle_0_sqr (dot (Delta d) v))
    (excess_weight_along low_excess step_unit (proj1 xc) (lowx x xc) Qd).
  by rewrite /Rsqr; lra.
have slope x : 0 <= x <= c -> - dot (V (z + x * v)%V) v <= - n + B * ((exp (D * x) - 1) / D).
  move=> xc; have dE y : is_derive (fun y => - dot (V (z + y * v)%V) v - B * ((exp (D * y) - 1) / D)) y
      (bent (z + y * v)%V v - B * exp (D * y)).
    have de : is_derive (fun y => B * ((exp (D * y) - 1) / D)) y (B * exp (D * y)) by auto_derive => //; field; lra.
    exact: is_derive_minus (dbent z v y) de.
  have := nonincreasing (proj1 xc) dE _; rewrite step_start Rmult_0_r exp_0 => M.
  have {}M := M (fun y yx => ltac:(have := curved y (ltac:(lra)); lra)); lra.
have dF y : is_derive (fun y => F y + n * y - B * ((exp (D * y) - 1 - D * y) / (D * D))) y
    (- dot (V (z + y * v)%V) v + n - B * ((exp (D * y) - 1) / D)).
  have de : is_derive (fun y => B * ((exp (D * y) - 1 - D * y) / (D * D)) - n * y) y (B * ((exp (D * y) - 1) / D) - n).
    by auto_derive => //; field; lra.
  apply: (is_derive_ext (fun y => minus (F y) (B * ((exp (D * y) - 1 - D * y) / (D * D)) - n * y))) => [x|].
    by rewrite /minus /plus /opp /=; ring.
  apply: is_derive_ext_eq (is_derive_minus _ _ _ _ _ (excess_derive ranges z v y) de).
  by rewrite /minus /plus /opp /=; ring.
have := nonincreasing (Rlt_le _ _ c0) dF _; rewrite !Rmult_0_r exp_0 => M.
have {}M := M (fun y yc => ltac:(have := slope y yc; lra)).
have E0 : (1 - 1 - 0) / (D * D) = 0 by field; lra.
by rewrite E0 in M; lra.
Qed.

Lemma step_gain c (below : forall x, 0 <= x <= c -> F x <= F 0) : 0 < c <= h ->
  F c <= F 0 - excess_theta h * (n * c).
Proof.
move=> [c0 ch]; have D0 := excess_norm_gt0 ranges; have DD := Rmult_lt_0_compat _ _ D0 D0.
have := step_bent below c0; set E := exp (D * h) - 1 - D * h.
have chord : exp (D * c) - 1 - D * c <= c / h * E.
  have s : 0 <= c / h <= 1.
    split; first by apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat].
    by apply: (Rmult_le_reg_r h) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
  have dc : c / h * (D * h) = D * c by field; lra.
  have := exp_chord (D * h) s; rewrite dc => below_chord.
  have : c / h * E = c / h * exp (D * h) - c / h - D * c by rewrite -dc /E; ring.
  lra.
have scaled : B * ((exp (D * c) - 1 - D * c) / (D * D)) <= (1 - excess_theta h) * (n * c).
  have -> : (1 - excess_theta h) * (n * c) = B * (c / h * E / (D * D)) by rewrite /excess_theta /B -/E; field; lra.
  apply: Rmult_le_compat_l => //; apply: Rmult_le_compat_r chord; exact/Rlt_le/Rinv_0_lt_compat.
lra.
Qed.

(* T23: a step of length e <= h decreases S by theta e ||V||. *)
Theorem excess_step e : 0 < e <= h -> S (z + e / n * V z)%V <= S z - excess_theta h * (e * n).
Proof.
move=> eh; have E : (z + e / n * V z)%V = (z + e * v)%V by rewrite /v; apply: vec_ext => j;
  rewrite /vadd /vscale; field; lra.
have below : forall x, 0 <= x <= e -> F x <= F 0.
  apply: (stays_below (dF := fun x => - dot (V (z + x * v)%V) v)) => [|x||c ce Hc]; first lra.
  - exact: excess_derive ranges z v x.
  - by rewrite step_start; lra.
  have ch : 0 < c <= h by lra.
  by have := step_gain Hc ch; have := Rmult_lt_0_compat _ _ theta_gt0 (Rmult_lt_0_compat _ _ n_gt0 (proj1 ce)); lra.
by have := step_gain below eh; rewrite E vline0; lra.
Qed.
End Step.

End Sublevel.
