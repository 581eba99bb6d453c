(* RegularisationPath: T21, the regularisation path for every radius (SOUNDNESS.md section 7).

   alpha selects the only best token of each group and W* solves its margin problem, u = W*/||W*||, gamma = 1/||W*||.
   A minimiser w of the loss over the ball of radius r is no worse than r u, whose excess loss is at most A e^(-gamma
   r). So every group loses little: its selected token keeps 1 - theta of the attention, and every margin is at least
   gamma r - log (A/B_c). The multipliers turn these margins into a bound of the angle between w and u that falls like
   1/r, for all r from an explicit radius on. No path is followed, and nothing is assumed of how w was found. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Losses Claims Direction Saturation ExcessPath.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* w is a point of the regularisation path: it minimises the training loss over the ball of radius r. *)
Definition regularised (p : selection_problem) (l : loss) (r : R) (w : vec (coord p)) : Prop :=
  vnorm w <= r /\ forall w' : vec (coord p), vnorm w' <= r -> training_loss l w <= training_loss l w'.

(* From radius `from` on, whatever minimisers are taken, the path is within K/r of the direction of ws. *)
Definition path_follows (p : selection_problem) (l : loss) (ws : vec (coord p)) (from K : R) : Prop :=
  forall r w, from <= r -> regularised l r w -> 1 - dot w ws / (vnorm ws * r) <= K / r.

Lemma loss_mean_value (l : loss) a b : loss_domain l a -> a <= b ->
  exists x, a <= x <= b /\ l a - l b = - dloss l x * (b - a).
Proof.
move=> da ab; have within x : Rmin a b <= x -> is_derive l x (dloss l x).
  by rewrite Rmin_left //; move=> ax; apply/is_derive_loss/(loss_domain_le da).
have [| |x [Hx E]] := MVT_gen l a b (dloss l).
- by move=> x [ax _]; apply: within; lra.
- by move=> x [ax _]; apply/continuity_pt_filterlim/ex_derive_continuous; exists (dloss l x); exact: within.
exists x; move: Hx; rewrite Rmin_left // Rmax_right // => Hx; split=> //.
by rewrite Ropp_mult_distr_l_reverse -E; ring.
Qed.

Section Constants.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Variables (ws : vec (coord p)) (lam : token p -> R).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation gap := (gap alpha).
Notation copies := (copies alpha).
Notation u := (margin_direction ws).
Notation gamma := (margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Implicit Types (w : vec (coord p)) (t : token p) (i : group p).

(* What a group can lose, and loses. *)
Definition total_gap i : R := \sum_(t | others i t) gap t * copies t.
Definition lost_score w i : R := \sum_(t | others i t) attention w t * gap t.

Definition path_scale (lmax : group p -> R) : R := \sum_i weight i * lmax i * total_gap i.    (* A *)
Definition path_floor (lmin theta : group p -> R) t : R :=                                    (* B_c *)
  weight (group_of t) * lmin (group_of t) * (1 - theta (group_of t)) * gap t * copies t.
(* kappa/gamma *)
Definition path_rate (lmin lmax theta : group p -> R) : R :=
  vnorm ws * (\sum_(t | Q t) mu t * ln (path_scale lmax / path_floor lmin theta t)).

Record path_bounds := PathBounds {
  path_slope_min : group p -> R;    (* |l'| up to the best score *)
  path_slope_max : group p -> R;    (* what a group loses at r u, for r >= from, is this times its score's at most *)
  path_lost : group p -> R          (* theta, what the selected token may lose of the attention *)
}.

(* What attention off the selected tokens costs (ExcessPath.v). *)
Definition path_costs (b : path_bounds) : cost_bounds p :=
  CostBounds gap (path_slope_min b) (fun i => path_slope_max b i * total_gap i) (path_lost b).

Lemma path_scale_cost b : cost_scale (path_costs b) = path_scale (path_slope_max b).
Proof. by apply: eq_bigr => i _; rewrite -Rmult_assoc. Qed.
End Constants.

Section Path.
Variables (p : selection_problem) (alpha : selection p) (l : loss).
Variables (u : vec (coord p)) (gamma : R).
Notation Q := (constraint alpha).
Notation others := (others alpha).
Notation margin := (margin alpha).
Notation gap := (gap alpha).
Notation copies := (copies alpha).
Implicit Types (w : vec (coord p)) (t : token p) (i : group p).

(* The margins grow along the ray r u. *)
Hypothesis gamma_gt0 : 0 < gamma.
Hypothesis on_ray : forall t, Q t -> gamma <= margin u t.
Hypothesis some_constraint : exists t, Q t.
Hypothesis alpha_best : globally_optimal alpha.

Notation total_gap := (total_gap alpha).
Notation lost_score := (lost_score alpha).
Variables (from : R) (bounds : path_bounds p).
Notation lmin := (path_slope_min bounds).
Notation lmax := (path_slope_max bounds).
Notation theta := (path_lost bounds).
Notation path_scale := (path_scale alpha lmax).
Notation path_floor := (path_floor alpha lmin theta).

Record path_ranges : Prop := PathRanges {
  path_from_gt0 : 0 < from;
  path_slope_gt0 : forall i, 0 < lmin i;
  path_slope_ge : forall i x, loss_domain l x -> x <= score (alpha i) -> lmin i <= - dloss l x;
  path_ray : forall r i, from <= r ->
    l (output (r * u)%V i) - l (score (alpha i)) <= lmax i * (total_gap i * exp (- (gamma * r)));
  path_lost_lt1 : forall i, theta i < 1;
  path_lost_large : forall t, Q t ->
    path_scale * exp (- (gamma * from)) <= theta (group_of t) * (weight (group_of t) * lmin (group_of t) * gap t)
}.
Hypothesis ranges : path_ranges.
Let from_gt0 := path_from_gt0 ranges.
Let lmin_gt0 := path_slope_gt0 ranges.
Let least_slope := path_slope_ge ranges.
Let theta_lt1 := path_lost_lt1 ranges.
Let theta_large := path_lost_large ranges.

(* ---- the loss over that of the best tokens ---- *)

Lemma gap_of_best t : Q t -> 0 < gap t.
Proof. by move=> Qt; have := alpha_best Qt; rewrite /Selection.gap; lra. Qed.

Lemma total_gap_ge0 i : 0 <= total_gap i.
Proof.
apply: sum_ge0 => t /andP[/gap_of_best g0 _].
by apply: Rmult_le_pos; [lra | exact/Rlt_le/copies_gt0].
Qed.

Lemma lost_term_ge0 w i t : others i t -> 0 <= attention w t * gap t.
Proof. by case/andP=> /gap_of_best g0 _; have := attention_gt0 w t => a0; apply: Rmult_le_pos; lra. Qed.

Lemma lost_ge0 w i : 0 <= lost_score w i.
Proof. by apply: sum_ge0 => t; exact: lost_term_ge0. Qed.

Lemma output_lost w i : output w i = score (alpha i) - lost_score w i.
Proof. exact: output_selected. Qed.

Hypothesis defined : loss_defined p l.

(* A group's loss above its value at the best score. *)
Definition excess_above_best w i : R := l (output w i) - l (score (alpha i)).

Lemma training_excess w :
  training_loss l w - \sum_i weight i * l (score (alpha i)) = total_excess excess_above_best w.
Proof. by rewrite /total_excess /training_loss -sumB; apply: eq_bigr => i _; rewrite /excess_above_best; ring. Qed.

Lemma excess_mean_value w i : exists x, output w i <= x <= score (alpha i) /\
  excess_above_best w i = - dloss l x * lost_score w i.
Proof.
have d0 := lost_ge0 w i; have o := output_lost w i.
have [|x [Hx E]] := @loss_mean_value l (output w i) (score (alpha i)) (defined _ _); first lra.
by exists x; split=> //; rewrite /excess_above_best E; congr (_ * _); lra.
Qed.

(* ---- the point r u ---- *)

Lemma ray_margin r t : 0 <= r -> Q t -> gamma * r <= margin (r * u)%V t.
Proof.
move=> r0 /on_ray m1; rewrite /Selection.margin in m1 *; rewrite dotZr.
by have := Rmult_le_compat_l r _ _ r0 m1; lra.
Qed.

Lemma ray_lost r i : 0 <= r -> lost_score (r * u)%V i <= total_gap i * exp (- (gamma * r)).
Proof.
move=> r0; rewrite /RegularisationPath.total_gap sum_mulr; apply: sum_le => t ti.
have g0 := gap_of_best (proj1 (andP ti)).
rewrite Rmult_comm Rmult_assoc; apply: Rmult_le_compat_l; first lra.
apply: Rle_trans (attention_le_exp (r * u)%V ti) _.
apply: Rmult_le_compat_l; first exact/Rlt_le/copies_gt0.
apply: exp_monotone.
by have := ray_margin r0 (proj1 (andP ti)); lra.
Qed.

Lemma decay_le r : from <= r -> exp (- (gamma * r)) <= exp (- (gamma * from)).
Proof. by move=> fr; apply: exp_monotone; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ gamma_gt0) fr; lra. Qed.

Lemma path_cost_ranges : cost_ranges alpha excess_above_best u gamma from (path_costs alpha bounds).
Proof.
split=> //= [t | w i | r i fr | t Qt]; first exact: gap_of_best.
- have [x [[x1 x2] ->]] := excess_mean_value w i.
  by apply: Rmult_le_compat_r (lost_ge0 w i) _; apply: least_slope x2; exact: loss_domain_le (defined w i) x1.
- by rewrite Rmult_assoc; exact: path_ray.
by rewrite path_scale_cost; exact: theta_large.
Qed.

(* ---- whatever is no worse than r u ---- *)

Variables (r : R) (w : vec (coord p)).
Hypothesis far : from <= r.
Hypothesis no_worse : training_loss l w <= training_loss l (r * u)%V.

Lemma excess_no_worse : total_excess excess_above_best w <= total_excess excess_above_best (r * u)%V.
Proof. by rewrite -!training_excess; lra. Qed.

Lemma lost_small i : weight i * lmin i * lost_score w i <= path_scale * exp (- (gamma * r)).
Proof. by have := lost_rise_small path_cost_ranges far excess_no_worse i; rewrite path_scale_cost. Qed.

Lemma path_scale_gt0 : 0 < path_scale.
Proof.
by rewrite -path_scale_cost; exact: (cost_scale_gt0 some_constraint path_cost_ranges far excess_no_worse).
Qed.

Theorem path_attention t : Q t -> 1 - theta (group_of t) <= attention w (alpha (group_of t)).
Proof. exact: (cost_attention gamma_gt0 some_constraint path_cost_ranges far excess_no_worse). Qed.

Theorem path_margin t : Q t -> gamma * r - ln (path_scale / path_floor t) <= margin w t.
Proof.
rewrite -path_scale_cost; exact: (cost_margin gamma_gt0 some_constraint path_cost_ranges far excess_no_worse).
Qed.

End Path.

(* ---- what a loss of outputs loses on the ray, from its slopes ---- *)

Section Ray.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (u : vec (coord p)) (gamma from : R).
Variables floor low lmax : group p -> R.   (* of the scores, of the outputs on the ray, and of |l'| from there on *)
Implicit Types i : group p.
Hypothesis gamma_gt0 : 0 < gamma.
Hypothesis on_ray : forall t, constraint alpha t -> gamma <= margin alpha u t.
Hypothesis alpha_best : globally_optimal alpha.
Hypothesis from_gt0 : 0 < from.
Hypothesis floor_le : forall t : token p, floor (group_of t) <= score t.
Hypothesis low_le : forall i,
  low i <= floor i \/ low i <= score (alpha i) - total_gap alpha i * exp (- (gamma * from)).
Hypothesis most_slope : forall i x, low i <= x <= score (alpha i) -> - dloss l x <= lmax i.
Hypothesis defined : loss_defined p l.

Lemma output_floor w i : floor i <= output w i.
Proof.
have -> : floor i = \sum_(t | group_of t == i) attention w t * floor i.
  by rewrite -sum_mulr (attention_sum alpha); ring.
apply: sum_le => t /eqP ti; apply: Rmult_le_compat_l; first exact/Rlt_le/attention_gt0.
by rewrite -ti.
Qed.

Lemma ray_output r i : from <= r -> low i <= output (r * u)%V i.
Proof.
move=> fr; case: (low_le i) => h; first exact: Rle_trans h (output_floor _ i).
have d := ray_lost on_ray alpha_best i (ltac:(lra) : 0 <= r); have e := decay_le gamma_gt0 fr.
have := Rmult_le_compat_l _ _ _ (total_gap_ge0 alpha_best i) e; rewrite (output_lost alpha); lra.
Qed.

Theorem ray_from_slopes r i : from <= r ->
  l (output (r * u)%V i) - l (score (alpha i)) <= lmax i * (total_gap alpha i * exp (- (gamma * r))).
Proof.
move=> fr; have lo := ray_output i fr; have d0 := lost_ge0 alpha_best (r * u)%V i.
have [x [[x1 x2] E]] := excess_mean_value alpha_best defined (r * u)%V i; rewrite /excess_above_best in E; rewrite E.
apply: Rmult_le_compat => //; first by have := dloss_lt0 l x; lra.
  by apply: most_slope; lra.
by apply: ray_lost => //; lra.
Qed.
End Ray.

(* ---- the angle, in the Euclidean norm ---- *)

Section Height.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (ws : vec (coord p)) (lam : token p -> R).
Notation Q := (constraint alpha).
Notation margin := (margin alpha).
Notation u := (margin_direction ws).
Notation gamma := (margin_value ws).
Notation mu := (multiplier_weights alpha lam).

Hypothesis solution : solution_with alpha ws lam.
Hypothesis some_constraint : exists t, Q t.
Let ws_gt0 : 0 < vnorm ws := solution_norm_gt0 (proj1 (proj1 solution)) some_constraint.

Lemma solution_gamma_gt0 : 0 < gamma.
Proof. exact: Rinv_0_lt_compat. Qed.

Lemma solution_on_ray t : Q t -> gamma <= margin u t.
Proof.
move=> Qt; have m1 := proj1 (proj1 solution) t Qt; rewrite /Selection.margin in m1 *.
rewrite /margin_direction dotZr -/(margin_value ws).
by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ solution_gamma_gt0) m1; lra.
Qed.

Variables (from : R) (bounds : path_bounds p).
Hypothesis alpha_best : globally_optimal alpha.
Hypothesis ranges : path_ranges alpha l u gamma from bounds.
Hypothesis defined : loss_defined p l.
Let costs := path_cost_ranges alpha_best ranges defined.
Notation rate := (path_rate alpha ws lam (path_slope_min bounds) (path_slope_max bounds) (path_lost bounds)).

Lemma path_rate_cost : cost_rate alpha ws lam (path_costs alpha bounds) = rate.
Proof. by rewrite /cost_rate path_scale_cost. Qed.

Theorem path_height r w : from <= r -> training_loss l w <= training_loss l (r * u)%V -> r - rate <= dot u w.
Proof.
move=> far no_worse; rewrite -path_rate_cost.
exact: (cost_height solution some_constraint costs far (excess_no_worse alpha no_worse)).
Qed.

End Height.

(* T21. The bounds of the slopes are for the losses at hand; see RegularisationPathKind.v. *)
Theorem regularisation_path (p : selection_problem) (alpha : selection p) (l : loss) (ws : vec (coord p))
    (lam : token p -> R) (from K : R) (b : path_bounds p) :
  solution_with alpha ws lam -> (exists t, constraint alpha t) -> globally_optimal alpha ->
  path_ranges alpha l (margin_direction ws) (margin_value ws) from b -> loss_defined p l ->
  path_rate alpha ws lam (path_slope_min b) (path_slope_max b) (path_lost b) <= K ->
  path_follows l ws from K.
Proof.
move=> sol cs best ranges defined; rewrite -path_rate_cost => le r w far [short minimal].
have costs := path_cost_ranges best ranges defined.
exact: (excess_path sol cs costs (training_excess alpha l) le far short minimal).
Qed.
