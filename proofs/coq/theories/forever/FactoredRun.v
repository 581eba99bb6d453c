(* FactoredRun: T22, gradient descent on the factors of W = K P' for ever (FACTORED.md section 4).

   Of the loss the theorem uses: the excess S over the least loss has the gradient -V, V = sum_Q omega_c Delta_c,
   omega_c = b_c e^(-m_c); and where S is at most S_0, b_c is at least `least`, S lies between nu times the sum of the
   omega_c and that sum over 1 - h S, and curves along a line at most (1 + phi) D^2 times it. From conditions at one
   point the loss then falls at every step, like 1/t, and all margins keep a share of the size of the factors, and so
   of the nuclear norm of W. Of the limit of W/||W|| nothing is said. A step is looked at along the straight line from
   W to the next one, not along the arc of the factors: the second-order part of it costs no more. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid NormDuality MatrixProducts Direction Growth LineDescent FactoredDecay FactoredStep.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Lemma is_derive_quadratic (a c u : R) : is_derive (fun u => u * u * (a / 2) - u * c) u (a * u - c).
Proof. by auto_derive => //; field. Qed.

(* Products of the vectors of a family with each other. *)
Definition gram (T m : finType) (u : m -> vec T) : vec [finType of m * m] := fun p => dot (u p.1) (u p.2).

Lemma gram_contraction (T m : finType) (u : m -> vec T) (N : vec [finType of m * m]) : contraction N ->
  Rabs (dot N (gram u)) <= \sum_a vnorm2 (u a).
Proof.
move=> CN; pose row (i : T) : vec m := fun a => u a i.
have -> : gram u = factored row row.
  apply: vec_ext => -[a c]; rewrite /gram /factored /combine /dot; apply: eq_bigr => i _.
  by rewrite /outer /row /=; ring.
have -> : \sum_a vnorm2 (u a) = \sum_i vnorm2 (row i) by rewrite /vnorm2 /dot exchange_big.
apply: Rle_trans (_ : _ <= \sum_i vnorm2 (row i)) _; last lra.
apply/Rabs_le_between; split; last by have := contraction_factored row row CN; lra.
have := contraction_factored row (fun i => - row i)%V CN.
have -> : factored row (fun i => - row i)%V = (- factored row row)%V.
  by apply: vec_ext => j; rewrite /factored /combine /vopp -sumN; apply: eq_bigr => i _; rewrite /outer; ring.
have -> : \sum_i vnorm2 (- row i)%V = \sum_i vnorm2 (row i) by apply: eq_bigr => i _; rewrite vnorm2N.
by rewrite dotNr; lra.
Qed.

Section Run.
Variables (d e m C : finType) (Q : pred C) (Delta : C -> vec [finType of d * e]).
Local Notation matrix := (vec [finType of d * e]).
Variables (b : matrix -> C -> R) (S : matrix -> R) (least : R) (k : factored_constants).
Notation nu := (factored_ratio k).
Notation h := (factored_deficit k).
Notation phi := (factored_bend k).
Notation D := (factored_reach k).
Notation eta := (factored_eta k).
Notation weights z := (gibbs_weight Delta (b z) z).
Notation mass z := (\sum_(c | Q c) weights z c).
Notation V := (field_of Q Delta b).

Record factored_ranges (top : R) : Prop := FactoredRanges {
  ranges_derive : forall z v x, is_derive (fun y => S (z + y * v)) x (- dot (V (z + x * v)) v);
  ranges_second : exists2 bent,
    (forall z v x, is_derive (fun y => - dot (V (z + y * v)) v) x (bent (z + x * v)%V v)) &
    forall z v, S z <= top -> bent z v <= (1 + phi) * (D * D) * mass z * vnorm2 v;
  ranges_least : forall z, S z <= top -> forall c, Q c -> least <= b z c;
  ranges_mass : forall z, S z <= top -> nu * mass z <= S z;
  ranges_most : forall z, S z <= top -> (1 - h * S z) * S z <= mass z;
  ranges_norm : forall c, Q c -> vnorm (Delta c) <= D
}.

Variables (left : nat -> m -> vec d) (right : nat -> m -> vec e).
Notation w t := (factored (left t) (right t)).
Notation size t := (pair_size (left t) (right t)).
Definition left_pull (t : nat) (a : m) : vec d := matrix_vector (V (w t)) (right t a).
Definition right_pull (t : nat) (a : m) : vec e := matrix_back (V (w t)) (left t a).
Notation s t := (S (w t)).
Notation s0 := (S (w O)).
Notation g t := (pair_size (left_pull t) (right_pull t)).
Notation x t := (dot (V (w t)) (w t)).

(* Plain steps on both factors, from where the loss has these bounds. *)
Record factored_follows : Prop := FactoredFollows {
  factored_left_step : forall t a, left t.+1 a = (left t a + eta * left_pull t a)%V;
  factored_right_step : forall t a, right t.+1 a = (right t a + eta * right_pull t a)%V;
  factored_in_ranges : factored_ranges s0;
  factored_are_proper : factored_proper k;
  factored_least_gt0 : 0 < least;
  factored_offset_is : factored_offset k = - ln (nu * least);
  factored_some_row : exists c, Q c
}.
Hypothesis run : factored_follows.
Let left_step := factored_left_step run.
Let right_step := factored_right_step run.
Let ranges := factored_in_ranges run.
Let proper := factored_are_proper run.
Let nu_gt0 := factored_ratio_gt0 proper.
Let h_ge0 := factored_deficit_ge0 proper.
Let phi_ge0 := factored_bend_ge0 proper.
Let D_gt0 := factored_reach_gt0 proper.
Let eta_gt0 := factored_eta_gt0 proper.
Let least_gt0 := factored_least_gt0 run.
Let offset := factored_offset_is run.

(* ---- a point where the loss is low ---- *)

Section Point.
Variable z : matrix.
Hypothesis low : S z <= s0.

Lemma factored_weight_gt0 c : Q c -> 0 < weights z c.
Proof. by move=> Qc; apply: Rmult_lt_0_compat (exp_pos _); have := ranges_least ranges low Qc; lra. Qed.

Lemma factored_mass_gt0 : 0 < mass z.
Proof.
have [c0 Qc0] := factored_some_row run; apply: (sum_gt0 (i := c0)) => // [c Qc|]; last exact: factored_weight_gt0.
exact/Rlt_le/factored_weight_gt0.
Qed.

Lemma factored_excess_gt0 : 0 < S z.
Proof. by have := ranges_mass ranges low; have := Rmult_lt_0_compat _ _ nu_gt0 factored_mass_gt0; lra. Qed.

Lemma factored_mass_le : mass z <= S z / nu.
Proof.
apply: (Rmult_le_reg_l nu) => //; have -> : nu * (S z / nu) = S z by field; lra.
exact: (ranges_mass ranges low).
Qed.

(* Every margin is at least the level. *)
Lemma factored_margin c : Q c -> factored_level k (S z) <= dot (Delta c) z.
Proof.
move=> Qc; have sp := factored_excess_gt0; have bc := ranges_least ranges low Qc.
have wc : weights z c <= S z / nu.
  apply: Rle_trans factored_mass_le.
  by apply: (sum_term_le (F := weights z)) => // a Qa; exact/Rlt_le/factored_weight_gt0.
have low_w : least * exp (- dot (Delta c) z) <= S z / nu.
  by apply: Rle_trans wc; apply: Rmult_le_compat_r bc; exact/Rlt_le/exp_pos.
have := ln_le_ln (Rmult_lt_0_compat _ _ least_gt0 (exp_pos _)) low_w.
rewrite ln_mult ?ln_exp //; last exact: exp_pos.
rewrite /Rdiv (ln_mult (S z)) // ?ln_Rinv //; last exact: Rinv_0_lt_compat.
by rewrite /factored_level offset ln_mult //; lra.
Qed.

Lemma factored_slope_low : 0 <= factored_level k (S z) ->
  (1 - h * S z) * S z * factored_level k (S z) <= dot (V z) z.
Proof.
move=> l0; apply: (Rle_trans _ (mass z * factored_level k (S z))).
  by apply: Rmult_le_compat_r => //; exact: (ranges_most ranges low).
rewrite /field_of /ascent dot_combinel sum_mulr; apply: sum_le => c Qc.
by apply: Rmult_le_compat_l; [exact/Rlt_le/factored_weight_gt0 | exact: factored_margin].
Qed.

Lemma factored_field_norm : vnorm (V z) <= S z / nu * D.
Proof.
apply: Rle_trans (vnorm_combine _ _ _) _; apply: (Rle_trans _ (mass z * D)).
  rewrite sum_mulr; apply: sum_le => c Qc; have wp := factored_weight_gt0 Qc.
  by rewrite Rabs_pos_eq; [apply: Rmult_le_compat_l; [lra | exact: (ranges_norm ranges Qc)] | lra].
by apply: Rmult_le_compat_r factored_mass_le; lra.
Qed.
End Point.

(* ---- one step ---- *)

Lemma factored_size_step t : size t.+1 = size t + 4 * eta * x t + eta * eta * g t.
Proof.
have -> : size t.+1 =
    pair_size (fun a => left t a + eta * left_pull t a)%V (fun a => right t a + eta * right_pull t a)%V.
  by rewrite /pair_size; congr (_ + _); apply: eq_bigr => a _; rewrite ?left_step ?right_step.
rewrite pair_size_line; congr (_ + _ + _); rewrite /pair_dot.
have -> : \sum_a dot (left t a) (left_pull t a) = x t.
  by rewrite dot_right_columns; apply: eq_bigr => a _; rewrite dotC.
have -> : \sum_a dot (right t a) (right_pull t a) = x t.
  by rewrite dot_left_columns; apply: eq_bigr => a _; rewrite dotC.
by ring.
Qed.

Lemma factored_pull_sqr t : 4 * (x t * x t) <= g t * size t.
Proof.
apply: Rle_trans (pair_cauchy (left_pull t) (right_pull t) (left t) (right t)).
right; rewrite /pair_dot.
have <- : x t = \sum_a dot (left_pull t a) (left t a) by exact: dot_right_columns.
have <- : x t = \sum_a dot (right_pull t a) (right t a) by exact: dot_left_columns.
by ring.
Qed.

Lemma factored_pull_size t : g t <= vnorm2 (V (w t)) * size t.
Proof. exact: turned_size. Qed.

Lemma factored_slope_short t : s t <= s0 -> x t <= s t / nu * D * size t / 2.
Proof.
move=> low; have N := factored_field_norm low; have N0 := vnorm_ge0 (V (w t)).
have r0 := pair_size_ge0 (left t) (right t); have := factored_pull_sqr t; have := factored_pull_size t.
rewrite -vnorm_sqr; set n := vnorm (V (w t)) in N N0 *; set r := size t in r0 *; set X := x t => h1 h2.
have h3 : X <= n * r / 2.
  apply: le_of_sqr_le; first by have := Rmult_le_pos _ _ N0 r0; lra.
  by have := Rmult_le_compat_r _ _ _ r0 h1; lra.
by have := Rmult_le_compat_r _ _ _ r0 N; lra.
Qed.

Section Descent.
Variable t : nat.
Hypothesis low : s t <= s0.
Hypothesis delta_le1 : factored_delta k (s t) (size t) <= 1.
Notation M := (V (w t)).
Notation push := (factored_push k (s t)).
Let move : matrix := (eta * crossed (left_pull t) (right_pull t) (left t) (right t) +
                      eta * eta * factored (left_pull t) (right_pull t))%V.

Let s_gt0 : 0 < s t := factored_excess_gt0 low.
Let g_ge0 : 0 <= g t := pair_size_ge0 _ _.
Let r_ge0 : 0 <= size t := pair_size_ge0 _ _.
Let push_pos : 0 <= push := push_ge0 proper (Rlt_le _ _ s_gt0).

Lemma factored_moved : w t.+1 = (w t + move)%V.
Proof.
rewrite /move -factored_step; apply: vec_ext => j; rewrite /factored /combine; apply: eq_bigr => a _.
by rewrite /outer left_step right_step.
Qed.

Let eta_norm : eta * vnorm M <= push.
Proof.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ eta_gt0) (factored_field_norm low).
by rewrite /factored_push; lra.
Qed.

Lemma move_slope : eta * g t * (1 - push / 2) <= dot M move.
Proof.
rewrite /move dotDr !dotZr dot_crossed.
have -> : pair_dot (fun a => matrix_vector M (right t a)) (fun a => matrix_back M (left t a)) (left_pull t)
  (right_pull t) = g t by [].
have := dot_ge_norms M (factored (left_pull t) (right_pull t)); have N := vnorm_ge0 M.
have := Rmult_le_compat_l _ _ _ N (factored_norm (left_pull t) (right_pull t)).
set B := dot M _ => h1 h2; have h3 : - (vnorm M * (g t / 2)) <= B by lra.
have h4 := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ (Rlt_le _ _ eta_gt0) (Rlt_le _ _ eta_gt0)) h3.
have h5 := Rmult_le_compat_r _ _ _ (Rmult_le_pos _ _ (Rlt_le _ _ eta_gt0) g_ge0) eta_norm; lra.
Qed.

Lemma move_size : vnorm2 move <= eta * eta * g t * size t * ((1 + push / 2) * (1 + push / 2)).
Proof.
rewrite -vnorm_sqr; set G := sqrt (g t); set R' := sqrt (size t).
have GG : G * G = g t by apply: sqrt_sqrt.
have RR : R' * R' = size t by apply: sqrt_sqrt.
have G0 : 0 <= G := sqrt_pos _; have R0 : 0 <= R' := sqrt_pos _; have N := vnorm_ge0 M.
have first_part : vnorm (crossed (left_pull t) (right_pull t) (left t) (right t)) <= G * R'.
  apply: vnorm_le_sqr; first exact: Rmult_le_pos.
  by apply: Rle_trans (crossed_norm _ _ _ _) _; right; rewrite -GG -RR; ring.
have short : G <= vnorm M * R'.
  apply: le_of_sqr_le; first exact: Rmult_le_pos.
  have := factored_pull_size t; rewrite -vnorm_sqr -GG -RR; lra.
have second := factored_norm (left_pull t) (right_pull t).
have total_norm : vnorm move <= eta * (G * R') * (1 + push / 2).
  apply: Rle_trans (vnorm_triangle _ _) _; rewrite !vnormZ !Rabs_pos_eq; try by nra.
  have a1 := Rmult_le_compat_l _ _ _ (Rlt_le _ _ eta_gt0) first_part.
  have a2 := Rmult_le_compat_l _ _ _ (Rmult_le_pos _ _ (Rlt_le _ _ eta_gt0) (Rlt_le _ _ eta_gt0)) second.
  have a3 : eta * eta * (g t / 2) <= eta * (G * R') * (push / 2).
    rewrite -GG; apply: (Rle_trans _ (eta * eta * (G * (vnorm M * R') / 2))).
      by apply: Rmult_le_compat_l; [nra | have := Rmult_le_compat_l _ _ _ G0 short; lra].
    have := Rmult_le_compat_r _ _ _ (Rmult_le_pos _ _ (Rmult_le_pos _ _ (Rlt_le _ _ eta_gt0) G0) R0) eta_norm; lra.
  by lra.
have v0 := vnorm_ge0 move.
apply: (Rle_trans _ (eta * (G * R') * (1 + push / 2) * (eta * (G * R') * (1 + push / 2)))).
  by apply: Rmult_le_compat.
by right; rewrite -GG -RR; ring.
Qed.

Notation delta := (factored_delta k (s t) (size t)).
Let bent_bound := (1 + phi) * (D * D) * (s t / nu) * vnorm2 move.

Lemma move_bent : bent_bound <= eta * g t * (delta - push).
Proof.
have o0 : 0 <= s t / nu by apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat].
have f0 : 0 <= (1 + phi) * (D * D) * (s t / nu) by apply: Rmult_le_pos => //; nra.
apply: Rle_trans (Rmult_le_compat_l _ _ _ f0 move_size) _.
have -> : eta * g t * (delta - push) = (1 + phi) * (D * D) * (s t / nu) *
  (eta * eta * g t * size t * ((1 + push) * (1 + push))) by rewrite /factored_delta /factored_push; ring.
apply: Rmult_le_compat_l => //; apply: Rmult_le_compat_l; last by nra.
by apply: Rmult_le_pos => //; apply: Rmult_le_pos => //; nra.
Qed.

Theorem factored_descent : s t.+1 <= s t - eta * (1 - delta / 2) * g t.
Proof.
rewrite factored_moved; have B := move_bent; have A := move_slope.
have [gp|gz] := Rle_lt_or_eq_dec _ _ g_ge0; last first.
  have v0 : move = vzero by apply: vnorm2_eq0; have := move_size; have := vnorm2_ge0 move; rewrite -gz; lra.
  have -> : (w t + move)%V = w t by rewrite v0; apply: vec_ext => j; rewrite /vadd /vzero; ring.
  by rewrite -gz; lra.
have eg := Rmult_lt_0_compat _ _ eta_gt0 gp; have [bent dbent bent_le] := ranges_second ranges.
pose F y := S (w t + y * move)%V; pose dF y := - dot (V (w t + y * move)%V) move.
have F0 : F 0 = s t by rewrite /F vline0.
have dF0 : dF 0 = - dot M move by rewrite /dF vline0.
have dd : 0 <= push <= 1.
  split=> //; apply: Rle_trans delta_le1; have : eta * g t * 0 <= eta * g t * (delta - push).
    rewrite Rmult_0_r; apply: Rle_trans B; apply: Rmult_le_pos (vnorm2_ge0 _); apply: Rmult_le_pos; first nra.
    by apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat].
  by move/(Rmult_le_reg_l _ _ _ eg); lra.
have curve y : 0 <= y <= 1 -> F y <= F 0 -> bent (w t + y * move)%V move <= bent_bound.
  rewrite F0 => _ Fy; have lowy : S (w t + y * move)%V <= s0 by apply: Rle_trans Fy low.
  apply: Rle_trans (bent_le _ _ lowy) _; apply: Rmult_le_compat_r; first exact: vnorm2_ge0.
  apply: Rmult_le_compat_l; first nra; apply: Rle_trans (factored_mass_le lowy) _.
  by apply: Rmult_le_compat_r => //; exact/Rlt_le/Rinv_0_lt_compat.
have b0 : 0 <= bent_bound.
  apply: Rmult_le_pos (vnorm2_ge0 _); apply: Rmult_le_pos; first nra.
  by apply: Rmult_le_pos; [lra | exact/Rlt_le/Rinv_0_lt_compat].
have Ap : 0 < dot M move by nra.
have below y : 0 <= y <= 1 -> F y <= F 0.
  apply: (@line_descent F dF (fun y => bent (w t + y * move)%V move) (fun=> 1) (fun=> 0) 1 (dot M move) bent_bound 0)
    => //; try lra.
  - by move=> u; exact: (ranges_derive ranges).
  - by move=> u; exact: dbent.
  - by move=> u; auto_derive.
  - by move=> u u01 Fu; have := curve u u01 Fu; lra.
  - by move=> u _ _; lra.
  by rewrite Rmult_0_l exp_0; nra.
have slope y : 0 <= y <= 1 -> dF y <= - dot M move + bent_bound * y.
  move=> y01; have dE u : is_derive (fun u => dF u - bent_bound * u) u (bent (w t + u * move)%V move - bent_bound).
    have dl : is_derive (fun u => bent_bound * u) u bent_bound by auto_derive => //; ring.
    exact: is_derive_minus (dbent _ _ _) dl.
  have := nonincreasing (proj1 y01) dE _; rewrite Rmult_0_r Rminus_0_r dF0 => H.
  have := H (fun u uc => ltac:(have := curve u (ltac:(lra)) (below u (ltac:(lra))); lra)); lra.
have dG u : is_derive (fun u => F u - (u * u * (bent_bound / 2) - u * dot M move)) u
    (dF u - (bent_bound * u - dot M move)).
  exact: is_derive_minus (ranges_derive ranges _ _ _) (is_derive_quadratic _ _ _).
have := nonincreasing Rle_0_1 dG (fun u uc => ltac:(have := slope u uc; lra)).
by rewrite F0 /F vline1; lra.
Qed.
End Descent.

(* ---- all steps ---- *)

Notation E := (factored_loss k s0 (size O)).
Notation level0 := (factored_level k s0).
Notation slope := (factored_slope k s0 (size O)).
Notation growth := (factored_growth k s0 (size O)).
Hypothesis start : decay_start k s0 (size O).

Let level_ge z : S z <= s0 -> level0 <= factored_level k (S z).
Proof. by move=> low; have := ln_le_ln (factored_excess_gt0 low) low; rewrite /factored_level; lra. Qed.

Let level0_gt1 : 1 < level0 := 
  start_level_gt1 proper (factored_excess_gt0 (Rle_refl s0)) start.

(* What FactoredDecay.v is about. *)
Let numbers : decay_path := DecayPath (fun t => s t) (fun t => size t) (fun t => x t) (fun t => g t).

Let decays : decaying k numbers.
Proof.
split=> /= [t low||t|t low|||]; first exact: factored_excess_gt0.
- exact: factored_size_step.
- exact: pair_size_ge0.
- by apply: factored_slope_low => //; have := level_ge low; lra.
- exact: factored_slope_short.
- exact: factored_pull_sqr.
exact: factored_descent.
Qed.

Let kept t : kept_region k numbers t := region_kept proper decays start t.

Let low t : s t <= s0.
Proof. by have [[_ ss] _ _ _ _] := kept t. Qed.

Let positive t : s t <= s0 -> 0 < s t.
Proof. exact: factored_excess_gt0. Qed.

Lemma factored_level_margins t : slope * (size t / 2) <= factored_level k (s t).
Proof. exact: (level_slope proper decays start t). Qed.

Lemma factored_loss_bound t : s t <= / (/ s0 + growth * INR t).
Proof. exact: (excess_bound proper decays start t). Qed.

Lemma factored_growth_gt0 : 0 < growth.
Proof. exact: (growth_gt0 proper decays start). Qed.

Lemma factored_loss_falls t : s t.+1 <= s t.
Proof.
by have := excess_falls proper decays start t; have := positive (low t); have := factored_growth_gt0; rewrite /=; nra.
Qed.

(* T22, 1 and 2: the loss, the size, every margin. *)
Theorem factored_for_ever t :
  [/\ 0 < s t.+1 <= s t, s t <= / (/ s0 + growth * INR t),
      size O <= size t /\ ln (/ s0 + growth * INR t) - factored_offset k <= D * (size t / 2),
      forall c, Q c -> slope * (size t / 2) <= dot (Delta c) (w t) & nuclear_norm (w t) <= size t / 2].
Proof.
have sp := positive (low t); split.
- by split; [exact: positive (low t.+1) | exact: factored_loss_falls].
- exact: factored_loss_bound.
- have [c0 Qc0] := factored_some_row run; have [_ rr _ _ _] := kept t; split=> //.
  have i0 := Rinv_0_lt_compat _ (positive (low O)).
  have z0 : 0 < / s0 + growth * INR t.
    by have := Rmult_le_pos _ _ (Rlt_le _ _ factored_growth_gt0) (pos_INR t); lra.
  have l1 := ln_le_ln sp (factored_loss_bound t); rewrite ln_Rinv // in l1.
  have l2 := factored_margin (low t) Qc0; rewrite /factored_level in l2.
  have l3 := dot_le_norms (Delta c0) (w t); have n0 := vnorm_ge0 (w t).
  have l4 := Rmult_le_compat_r _ _ _ n0 (ranges_norm ranges Qc0).
  by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ D_gt0) (factored_norm (left t) (right t)); lra.
- by move=> c Qc; have := factored_level_margins t; have := factored_margin (low t) Qc; lra.
exact: nuclear_norm_factored.
Qed.

Theorem factored_loss_limit : is_lim_seq (fun t => s t) 0.
Proof.
have i0 := Rinv_0_lt_compat _ (positive (low O)).
apply: (is_lim_seq_le_le (fun=> 0) _ (fun t => / (/ s0 + growth * INR t))).
- by move=> t; have := positive (low t); have := factored_loss_bound t; lra.
- exact: is_lim_seq_const.
apply: (is_lim_seq_inv _ p_infty) => //; apply: (is_lim_seq_plus _ _ (/ s0) p_infty) => //.
- exact: is_lim_seq_const.
apply: (is_lim_seq_mult _ _ growth p_infty); [exact: is_lim_seq_const | exact: is_lim_seq_INR |].
by apply: is_Rbar_mult_sym; apply: is_Rbar_mult_p_infty_pos; exact: factored_growth_gt0.
Qed.

(* ---- 3: balancedness ---- *)

Definition factored_balance (t : nat) : vec [finType of m * m] := (gram (left t) - gram (right t))%V.

Lemma balance_step t : (factored_balance t.+1 - factored_balance t)%V =
  (eta * eta * (gram (left_pull t) - gram (right_pull t)))%V.
Proof.
apply: vec_ext => -[a c]; rewrite /factored_balance /gram /vsub /vscale /= !left_step !right_step.
rewrite !(dotDl, dotDr, dotZl, dotZr).
have E a' c' : dot (left t a') (left_pull t c') = dot (right_pull t a') (right t c').
  by rewrite dotC -dot_matrix_outer dot_outer_left.
by rewrite (dotC (left_pull t a) (left t c)) !E (dotC (right_pull t c) (right t a)); ring.
Qed.

Theorem balance_moves t : nuclear_norm (factored_balance t.+1 - factored_balance t)%V <= eta * eta * g t.
Proof.
rewrite balance_step; apply: (proj2 (nuclear_norm_lub _)) => N CN; rewrite dotZr dotBr.
apply: Rmult_le_compat_l; first nra.
have := gram_contraction (left_pull t) CN; have := gram_contraction (right_pull t) CN.
by rewrite /pair_size; move=> /Rabs_le_between [h1 h2] /Rabs_le_between [h3 h4]; lra.
Qed.

Theorem balance_drift t :
  total (fun u => nuclear_norm (factored_balance u.+1 - factored_balance u)%V) t <=
  eta * s0 / (1 - factored_delta k s0 (size O) / 2).
Proof.
apply: (Rle_trans _ (eta * eta * total (fun u => g u) t)).
  by rewrite /total sum_mull; apply: sum_le => u _; exact: balance_moves.
have sum : eta * eta * total (fun u => g u) t <= eta * (s0 - s t) / (1 - factored_delta k s0 (size O) / 2) :=
  gradients_sum proper decays start t.
apply: Rle_trans sum _; have delta_le1 := decay_delta_le1 start.
have dd : 0 < / (1 - factored_delta k s0 (size O) / 2) by apply: Rinv_0_lt_compat; lra.
apply: Rmult_le_compat_r; first lra; apply: Rmult_le_compat_l; first lra.
by have := positive (low t); lra.
Qed.
End Run.
