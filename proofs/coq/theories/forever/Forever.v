(* Forever: what a claim about all later steps says (RUNS.md section 1), and how it follows from a path and its growth.

   A specification fixes the exact iteration; a conclusion lists the constants of the claim. forever_claim is RUNS.md's
   "Claimed" text, for every run of the iteration that starts at w_0. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Direction Path Growth Region Saturation LocalAbsorbing LockIn Polyak Claims Runs.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the exact iteration ---- *)

(* The run w has the step sizes eta; L* is the loss of the selected scores. *)
Definition exact_run (p : selection_problem) (alpha : selection p) (l : loss) (r : rule) (eta : nat -> R)
    (w : nat -> vec (coord p)) : Prop :=
  match r with
  | GradientSteps => gradient_run l eta w
  | NormalisedSteps => normalised_run l eta w
  | PolyakSteps => polyak_run alpha l eta w
  end.

Section Schedules.
Variables (s : schedule) (S : R).
Hypothesis S0 : 0 < S.

Lemma INR_ge1 t : 1 <= INR t.+1.
Proof. by rewrite S_INR; have := pos_INR t; lra. Qed.

Lemma sqrt_INR_ge1 t : 1 <= sqrt (INR t.+1) <= INR t.+1.
Proof.
have i1 := INR_ge1 t; have r1 : 1 <= sqrt (INR t.+1) by rewrite -{1}sqrt_1; exact: sqrt_le_1_alt.
split=> //; rewrite -{2}(sqrt_sqrt (INR t.+1)); last lra.
nra.
Qed.

Lemma step_size_gt0 t : 0 < step_size s S t.
Proof.
have i1 := INR_ge1 t; have r1 := sqrt_INR_ge1 t.
by rewrite /step_size; case: s; [exact: S0 | apply: Rdiv_lt_0_compat; lra | apply: Rdiv_lt_0_compat; lra].
Qed.

Lemma step_size_decreasing t k : step_size s S (t + k) <= step_size s S t.
Proof.
have le : INR t.+1 <= INR (t + k).+1 by apply: le_INR; apply/leP; rewrite ltnS leq_addr.
have i1 := INR_ge1 t; have r1 := sqrt_INR_ge1 t.
rewrite /step_size; case: s; first by right.
  by apply: Rmult_le_compat_l; [lra | apply: Rinv_le_contravar; lra].
by apply: Rmult_le_compat_l; [lra | apply: Rinv_le_contravar; [lra | exact: sqrt_le_1_alt]].
Qed.

(* Every schedule is at least S/(t+1), whose sum diverges. *)
Lemma step_size_ge t : S * / INR t.+1 <= step_size s S t.
Proof.
have i1 := INR_ge1 t; have r1 := sqrt_INR_ge1 t; rewrite /step_size; case: s; rewrite /Rdiv.
- by rewrite -{2}(Rmult_1_r S); apply: Rmult_le_compat_l; [lra | rewrite -Rinv_1; apply: Rinv_le_contravar; lra].
- by right.
by apply: Rmult_le_compat_l; [lra | apply: Rinv_le_contravar; lra].
Qed.

Lemma harmonic_ge n t : ln (INR (t + n).+1) - ln (INR t.+1) <= total (fun k => / INR (t + k).+1) n.
Proof.
elim: n => [|n IH]; first by rewrite total0 addn0; lra.
rewrite totalS addnS; set a := INR (t + n).+1 in IH *; have a1 : 1 <= a := INR_ge1 _.
have -> : INR (t + n).+2 = a + 1 by rewrite S_INR.
suff : ln (a + 1) - ln a <= / a by lra.
have -> : ln (a + 1) = ln a + ln (1 + / a) by rewrite -ln_mult; [congr ln; field | | ]; have := Rinv_0_lt_compat a; lra.
by have i0 : 0 < / a by [apply: Rinv_0_lt_compat; lra]; have := ln_le_sub1 (x := 1 + / a); lra.
Qed.

(* The later steps of a schedule, from index t on. *)
Definition later_steps (t n : nat) : R := step_size s S (t + n).

Lemma later_steps_gt0 t n : 0 < later_steps t n.
Proof. exact: step_size_gt0. Qed.

Lemma total_later_mono t n k : (n <= k)%nat -> total (later_steps t) n <= total (later_steps t) k.
Proof.
move=> nk; rewrite -(subnK nk) addnC; elim: (k - n)%nat => [|j IH]; first by rewrite addn0; right.
by rewrite addnS totalS; have := later_steps_gt0 t (n + j); lra.
Qed.

(* Left sums of decreasing functions. *)
Definition total_lower (t n : nat) : R :=
  match s with
  | Constant => S * INR n
  | Inverse => S * (ln (INR (t + n).+1) - ln (INR t.+1))
  | InverseRoot => 2 * S * (sqrt (INR (t + n).+1) - sqrt (INR t.+1))
  end.

Lemma root_sum_ge t n : 2 * (sqrt (INR (t + n).+1) - sqrt (INR t.+1)) <= total (fun k => / sqrt (INR (t + k).+1)) n.
Proof.
elim: n => [|n IH]; first by rewrite total0 addn0; lra.
rewrite totalS addnS; set a := INR (t + n).+1 in IH *; have a1 : 1 <= a := INR_ge1 _.
have -> : INR (t + n).+2 = a + 1 by rewrite S_INR.
have r0 : 0 < sqrt a by apply: sqrt_lt_R0; lra.
have rr := sqrt_sqrt a (ltac:(lra)); have qq := sqrt_sqrt (a + 1) (ltac:(lra)); have q0 := sqrt_pos (a + 1).
suff : 2 * (sqrt (a + 1) - sqrt a) <= / sqrt a by lra.
apply: (Rmult_le_reg_r (sqrt a)) => //; rewrite Rinv_l; last lra.
have := Rle_0_sqr (sqrt (a + 1) - sqrt a); rewrite /Rsqr; lra.
Qed.

Lemma total_lower_le t n : total_lower t n <= total (later_steps t) n.
Proof.
rewrite /total_lower /later_steps /step_size; case: s.
- by rewrite total_const Rmult_comm; right.
- by rewrite [X in _ <= X](_ : _ = S * total (fun k => / INR (t + k).+1) n); [apply: Rmult_le_compat_l; [lra | exact: harmonic_ge] | rewrite -total_scale].
rewrite [X in _ <= X](_ : _ = S * total (fun k => / sqrt (INR (t + k).+1)) n); last by rewrite -total_scale.
by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ S0) (root_sum_ge t n); lra.
Qed.

Lemma later_steps_diverge t : is_lim_seq (total (later_steps t)) p_infty.
Proof.
apply: (is_lim_seq_le_p_loc (fun n => S * (ln (INR (t + n).+1) - ln (INR t.+1)))).
  exists O => n _; apply: Rle_trans (Rmult_le_compat_l _ _ _ (Rlt_le _ _ S0) (harmonic_ge n t)) _.
  by rewrite -total_scale /total; apply: sum_le => k _; exact: step_size_ge.
apply: (is_lim_seq_mult _ _ S p_infty); [exact: is_lim_seq_const | | exact/is_Rbar_mult_sym/is_Rbar_mult_p_infty_pos].
apply: (is_lim_seq_minus _ _ p_infty (ln (INR t.+1))); [ | exact: is_lim_seq_const | by []].
apply: (filterlim_comp _ _ _ (fun n => INR (t + n).+1) ln _ (Rbar_locally p_infty)); last exact: is_lim_ln_p.
apply: (is_lim_seq_le_p_loc INR); last exact: is_lim_seq_INR.
by exists O => n _; apply: le_INR; apply/leP; rewrite -addnS; apply: leq_trans (leq_addl t _); exact: leqnSn.
Qed.
End Schedules.

(* ---- the claim ---- *)

(* For s >= 0: ||w_s - y_s u - p|| <= sqrt(excess + path (y_s - y_0)), ||p|| <= centre, y_0 >= height, and the growth of y.
   p is the natural centre, or only known to be orthogonal to u. *)
Record constants := Constants {
  path_constant : R; excess_constant : R; centre_bound : R; height_bound : R; logarithmic : bool; growth_constant : R;
  dominates : option nat     (* after how many later steps *)
}.

Section Claim.
Variables (p : selection_problem) (alpha : selection p) (l : loss).

(* The runs from w_0, seen from a centre; ws is the solution. *)
Definition later_claim (r : rule) (eta : nat -> R) (w0 : vec (coord p)) (c : constants) (ws centre : vec (coord p)) : Prop :=
  let u := (/ vnorm ws * ws)%V in let gamma := / vnorm ws in
  forall w, w O = w0 -> exact_run alpha l r eta w ->
  let y s := dot (w s) u in
  let bound s := sqrt (excess_constant c + path_constant c * (y s - y O)) in
  [/\ vnorm centre <= centre_bound c, height_bound c <= y O,
      forall s, [/\ vnorm (w s - y s * u - centre) <= bound s,
        if logarithmic c then exp (gamma * y O) + growth_constant c * total eta s <= exp (gamma * y s)
                         else y O + growth_constant c * total eta s <= y s &
        0 < y s -> 1 - cosine u (w s) <= (centre_bound c + bound s) * (centre_bound c + bound s) / (2 * (y s * y s))] &
      is_lim_seq (fun s => cosine u (w s)) 1 /\
      forall n, dominates c = Some n -> forall s i, (n <= s)%nat -> 1 / 2 < attention (w s) (alpha i)].

(* The natural centre is the part of w_0 orthogonal to u. *)
Definition forever_claim (r : rule) (eta : nat -> R) (w0 : vec (coord p)) (c : constants) : Prop :=
  exists2 ws, max_margin alpha ws &
  let u := (/ vnorm ws * ws)%V in later_claim r eta w0 c ws (w0 - dot w0 u * u).

Definition centred_forever_claim (r : rule) (eta : nat -> R) (w0 : vec (coord p)) (c : constants) : Prop :=
  exists2 ws, max_margin alpha ws &
  exists2 centre, dot centre (/ vnorm ws * ws)%V = 0 & later_claim r eta w0 c ws centre.

(* From a bound of the residual along the run and the growth of the height. *)
Lemma later_of_path (r : rule) (eta : nat -> R) (w0 ws centre : vec (coord p)) (c : constants) :
  max_margin alpha ws -> (exists t, constraint alpha t) ->
  let u := margin_direction ws in let gamma := margin_value ws in
  vnorm centre <= centre_bound c -> height_bound c <= height u w0 ->
  (forall w, w O = w0 -> exact_run alpha l r eta w ->
     [/\ forall n, vnorm2 (residual u centre (w n)) <= excess_constant c + path_constant c * (height u (w n) - height u w0),
         forall n, if logarithmic c then exp (gamma * height u w0) + growth_constant c * total eta n <= exp (gamma * height u (w n))
                   else height u w0 + growth_constant c * total eta n <= height u (w n),
         is_lim_seq (fun n => cosine u (w n)) 1 &
         forall n, dominates c = Some n -> forall k i, (n <= k)%nat -> 1 / 2 < attention (w k) (alpha i)]) ->
  later_claim r eta w0 c ws centre.
Proof.
move=> Mm cs u gamma Hc Hh H; rewrite /later_claim /= => w E run; rewrite E.
have [Hp Hg Hl Hd] := H w E run; rewrite -/(margin_direction ws) -/u -/(margin_value ws) -/gamma.
rewrite -/(height u w0); split=> // n.
have Hr : vnorm (residual u centre (w n)) <=
    sqrt (excess_constant c + path_constant c * (height u (w n) - height u w0)) by apply: sqrt_le_1_alt; exact: Hp.
split=> [ | | yn]; [exact: Hr | exact: Hg | ].
have [lam mult] := proj2 (proj1 (max_margin_kkt _ _) Mm).
have dir := margin_direction_spec (proj1 Mm) mult cs.
apply: Rle_trans (angle_bound (dir_unit dir) yn Hr) _.
have yy : 0 < 2 * (dot (w n) u * dot (w n) u) by have := Rmult_lt_0_compat _ _ yn yn; lra.
have n0 := vnorm_ge0 centre; have s0 := sqrt_pos (excess_constant c + path_constant c * (dot (w n) u - dot w0 u)).
apply: Rmult_le_compat_r; first exact/Rlt_le/Rinv_0_lt_compat.
by apply: Rmult_le_compat; rewrite /height; lra.
Qed.

(* ---- the iteration is defined for all later steps ---- *)

(* Where the gradient is 0 the step is 0, by whatever it is multiplied. *)
Lemma still_for_ever r eta (w : nat -> vec (coord p)) s : exact_run alpha l r eta w -> gradient l (w s) = vzero ->
  forall k, w (s + k)%nat = w s.
Proof.
move=> run g0; elim=> [|k IH]; first by rewrite addn0.
by case: r run => run; rewrite addnS run IH g0; vec_ring.
Qed.

Lemma later_moves r eta (w0 ws centre : vec (coord p)) c : later_claim r eta w0 c ws centre -> 0 < growth_constant c ->
  is_lim_seq (total eta) p_infty -> forall w, w O = w0 -> exact_run alpha l r eta w -> forall s, 0 < vnorm (gradient l (w s)).
Proof.
move=> H G0 lim w E run s; case: (vnorm_ge0 (gradient l (w s))) => // /esym/vnorm_eq0/(still_for_ever run) still.
have [_ _ Hs _] := H w E run; set u := (/ vnorm ws * ws)%V in Hs; set gamma := / vnorm ws in Hs.
pose top := (if logarithmic c then exp (gamma * dot (w s) u) - exp (gamma * dot (w O) u)
             else dot (w s) u - dot (w O) u) / growth_constant c.
have [n far] : exists n, forall m, (n <= m)%nat -> top < total eta m.
  by have /is_lim_seq_spec/(_ top) [n far] := lim; exists n => m /leP; exact: far.
have := far (s + n)%nat (leq_addl _ _); have [_ grown _] := Hs (s + n)%nat; rewrite still in grown.
move/(Rmult_lt_compat_l _ _ _ G0); have -> : growth_constant c * top = top * growth_constant c by ring.
rewrite /top /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; last lra.
by case: (logarithmic c) grown; lra.
Qed.
End Claim.
