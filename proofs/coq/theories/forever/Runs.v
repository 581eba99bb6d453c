(* Runs: L*, and the quantities that claims about runs of the exact iteration (Iteration.v) speak about.

   RUNS.md section 1 has the claim in words. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Saturation LockIn Convergence.
From Attest Require Export Iteration Schedules.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* A token with the best score of each group; the loss of these scores is L*. *)
Definition best (p : selection_problem) (b : selection p) : Prop := forall t, score t <= score (b (group_of t)).

(* L* is a lower bound of the loss, and its infimum when the selection b can be separated. When it cannot, the infimum
   may be larger; nothing here assumes otherwise. *)
Section LeastLoss.
Variables (p : selection_problem) (b : selection p) (l : loss).
Hypotheses (b_best : best b) (defined : loss_defined p l).

Theorem least_loss_le (w : vec (coord p)) : least_loss b l <= training_loss l w.
Proof.
apply: sum_le => i _; apply: Rmult_le_compat_l; first exact/Rlt_le/weight_gt0.
apply: (loss_decreasing_le (defined w i)); rewrite (output_selected b).
suff : 0 <= \sum_(t | others b i t) attention w t * gap b t by lra.
apply: sum_ge0 => t ti; rewrite (gap_eq ti); have := b_best t; have /andP[_ /eqP ->] := ti => h.
by apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | lra].
Qed.

Lemma best_defined (i : group p) : loss_domain l (score (b i)).
Proof.
apply: (loss_domain_le (defined vzero i)); rewrite (output_selected b).
suff : 0 <= \sum_(t | others b i t) attention vzero t * gap b t by lra.
apply: sum_ge0 => t ti; rewrite (gap_eq ti); have := b_best t; have /andP[_ /eqP ->] := ti => h.
by apply: Rmult_le_pos; [exact/Rlt_le/attention_gt0 | lra].
Qed.

Theorem least_loss_infimum (ws : vec (coord p)) : separates b ws ->
  forall e, 0 < e -> exists w : vec (coord p), training_loss l w < least_loss b l + e.
Proof.
move=> sep e e0; have /is_lim_spec/(_ (mkposreal e e0)) [r H] := loss_tends_to_optimal sep best_defined.
have above : r < r + 1 by lra.
by exists ((r + 1) * ws)%V; have /Rabs_def2 [/= h _] := H _ above; lra.
Qed.
End LeastLoss.

(* ---- quantities along a run ---- *)

Section Quantities.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (least : R) (solution : vec (coord p)).
Implicit Types w : vec (coord p).

(* y = <w, u> for the direction u of the solution. *)
Definition along w : R := dot w solution / vnorm solution.
Definition one_minus_corr w : R := 1 - along w / vnorm w.

Definition band : Type := (R * R)%type.
Definition in_band (b : band) (x : R) : Prop := b.1 <= x <= b.2.

(* What a checkpoint says; one-minus-corr may be left out. *)
Record bands := Bands {
  norm_band : band; along_band : band; corr_band : option band;
  loss_band : band; gradient_band : band; unselected_band : band
}.

(* At w, where the loss is `excess` above its least value and the gradient's norm is `speed`. *)
Definition point_in_bands (excess speed : R) (B : bands) w : Prop :=
  [/\ in_band (norm_band B) (vnorm w),
      in_band (along_band B) (along w),
      if corr_band B is Some b then 0 < vnorm w /\ in_band b (one_minus_corr w) else True &
      [/\ in_band (loss_band B) excess,
          in_band (gradient_band B) speed &
          (forall i, 1 - attention w (alpha i) <= (unselected_band B).2) /\
          exists i, (unselected_band B).1 <= 1 - attention w (alpha i)]].

Definition in_bands (B : bands) w : Prop :=
  point_in_bands (training_loss l w - least) (vnorm (gradient l w)) B w.
End Quantities.

(* The shapes of rates; those with a logarithm are claimed from t = 2 on. *)
Variant rate_shape := Inverse_square | Inverse_linear | Log_linear | Log_square_root | Inverse_root
                    | Inverse_three_quarters | Inverse_log | Inverse_log_square.

Definition shape_value (s : rate_shape) (t : R) : R :=
  match s with
  | Inverse_square => 1 / (t * t)
  | Inverse_linear => 1 / t
  | Log_linear => ln t / t
  | Log_square_root => ln t * ln t / sqrt t
  | Inverse_root => 1 / sqrt t
  | Inverse_three_quarters => 1 / sqrt (t * sqrt t)
  | Inverse_log => 1 / ln t
  | Inverse_log_square => 1 / (ln t * ln t)
  end.
