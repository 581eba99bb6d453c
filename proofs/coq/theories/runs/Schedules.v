(* Schedules: the step sizes of runs, S, S/(t+1) or S/sqrt(t+1), and the growth of their sums.

   A new schedule is a constructor with its cases here. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Direction Growth.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Variant schedule := Constant | Inverse | InverseRoot.

Definition step_size (s : schedule) (S : R) (t : nat) : R :=
  match s with
  | Constant => S
  | Inverse => S / INR t.+1
  | InverseRoot => S / sqrt (INR t.+1)
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
have -> : ln (a + 1) = ln a + ln (1 + / a) by rewrite -ln_mult; [congr ln; field | | ]; have :=
  Rinv_0_lt_compat a; lra.
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
- by rewrite [X in _ <= X](_ : _ = S * total (fun k => / INR (t + k).+1) n);
    [apply: Rmult_le_compat_l; [lra | exact: harmonic_ge] | rewrite -total_scale].
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
