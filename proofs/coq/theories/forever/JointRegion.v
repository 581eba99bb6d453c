(* JointRegion: where decoder and attention stay when both are trained by normalised steps and every group supports the
   decoder (T20, JOINT.md section 4): the limits, the constants of a region, their conditions at one point, and the
   ranges that hold inside. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Gradient Losses Direction Growth Saturation JointModel JointAscent
                           JointDecoder JointAttention.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* z*_i: where the groups' shares are mu_i. *)
Definition centre_offset (G : finType) (mu : G -> R) (i : G) : R := - ln (mu i) + \sum_j mu j * ln (mu j).

Section JointRegion.
Variables (p : selection_problem) (J : finType) (g : token p -> vec J) (l : loss) (alpha : selection p).
Implicit Types (v e : vec J) (w : vec (coord p)) (t : token p) (i : group p).
Notation Q := (constraint alpha).
Notation kappa := (chosen_value g alpha).
Notation delta := (value_difference g alpha).
Notation lost := (lost_value g alpha).

(* ---- the limits ---- *)

Record pair_limit := PairLimit {
  value_ray : vec J;                    (* u_v *)
  value_margin : R;                     (* gamma_v *)
  value_shares : group p -> R;          (* mu_i *)
  value_part : vec J -> vec J;          (* onto S, what the kappa_i span across u_v *)
  value_centre : vec J;                 (* q* *)
  row_ray : vec (coord p);              (* u_W *)
  row_margin : R;                       (* gamma *)
  row_shares : token p -> R             (* nu_c *)
}.

Variable L : pair_limit.
Notation u := (value_ray L).
Notation Gv := (value_margin L).
Notation mu := (value_shares L).
Notation part := (value_part L).
Notation centre := (value_centre L).
Notation n := (row_ray L).
Notation gamma := (row_margin L).
Notation nu := (row_shares L).

Record proper_limit : Prop := ProperLimit {
  value_unit : vnorm u = 1;
  value_margin_gt0 : 0 < Gv;
  value_along : forall i, dot (kappa i) u = Gv;
  value_shares_gt0 : forall i, 0 < mu i;
  value_shares_one : \sum_i mu i = 1;
  value_balance : combine predT mu kappa = (Gv * u)%V;
  value_part_linear : forall x a y, part (x + a * y)%V = (part x + a * part y)%V;
  value_part_symmetric : forall x y, dot (part x) y = dot (part x) (part y);
  value_part_across : forall x, dot (part x) u = 0;
  value_part_own : forall i, part (kappa i) = (kappa i - Gv * u)%V;
  value_centre_part : part centre = centre;
  value_centre_offset : forall i, dot (kappa i) centre = centre_offset mu i;
  row_limit : direction Q (Delta alpha) n gamma nu
}.

(* ---- the region's constants ---- *)

Record pair_constants := PairConstants {
  pair_deficit : R;          (* g *)
  pair_reach : R;            (* X *)
  pair_aside : R;            (* the root of Q_a *)
  pair_tail : R;             (* lambda *)
  pair_turned : R;           (* d *)
  pair_value_length : R;     (* k *)
  pair_row_length : R;       (* max ||Delta_c|| *)
  pair_gap : R;              (* C *)
  pair_ratio : R;            (* rho *)
  pair_step : R              (* eta, the attention's largest step *)
}.

Variables (c : pair_constants) (v0 : vec J) (w0 : vec (coord p)).
Notation deficit := (pair_deficit c).
Notation X := (pair_reach c).
Notation A := (pair_aside c).
Notation lam := (pair_tail c).
Notation d := (pair_turned c).
Notation k := (pair_value_length c).
Notation D := (pair_row_length c).
Notation C := (pair_gap c).
Notation rho := (pair_ratio c).
Notation eta := (pair_step c).

Definition value_height v : R := dot v u.                                (* y *)
Definition row_height w : R := dot w n.                                  (* Y *)
Definition value_rest v : vec J := (v - value_height v * u - part v)%V.  (* r *)
Definition value_still : vec J := (centre + value_rest v0)%V.            (* q* + r_0 *)
Notation y0 := (value_height v0).
Notation Y0 := (row_height w0).

Definition label_along t : R := dot (delta t) u.            (* Gamma_c *)
Definition label_tilt t : R := dot (delta t) value_still.   (* l_c *)
Definition label_reach t : R := vnorm (part (delta t)) * X + vnorm (value_rest (delta t)) * deficit.
Definition label_low t : R := label_along t + (Rmin (label_tilt t - label_reach t) 0 - deficit) / y0.
Definition label_high t : R := label_along t + Rmax (label_tilt t + label_reach t) 0 / y0.

Definition value_turn i : R := vnorm (combine Q nu (fun t => kappa (group_of t)) - kappa i)%V * X.   (* T_i *)
Definition row_low t : R :=
  copies alpha t * (lam * (1 - deficit)) * exp (- centre_offset mu (group_of t)) * label_low t.
Definition row_high t : R := copies alpha t * exp (deficit - centre_offset mu (group_of t)) * label_high t.

Definition row_growth : R := 2 * C / gamma + eta * D / gamma.                                  (* K *)
Definition row_slope t : R :=                                                                  (* a_c *)
  slope (Delta alpha) n t - spread (Delta alpha) n t * row_growth / (2 * A).
Definition first_margin t : R := slope (Delta alpha) n t * Y0 - spread (Delta alpha) n t * A.     (* phi_c *)
Definition row_share t : R := copies alpha t * exp (- first_margin t).                            (* psi_c *)
Definition value_pace : R := rho / (gamma / D).                                                (* R *)

(* gamma_v y - f_i is at most this. *)
Definition output_loss i : R := vnorm (part (kappa i)) * X - centre_offset mu i + deficit.
(* How far r moves while Y grows by s. *)
Definition row_drift s t : R :=
  row_share t * vnorm (delta t) * exp (row_slope t * eta) / row_slope t * (1 - exp (- (row_slope t * s))).
Definition value_drift s : R := value_pace / (Gv - d) * (\sum_(t | Q t) row_drift s t).
Definition value_drift_all : R := value_pace / (Gv - d) *
  (\sum_(t | Q t) row_share t * vnorm (delta t) * exp (row_slope t * eta) / row_slope t).

(* Pulls lead back to the centre from where the decoder is at least x from it, as boxes show; a single group has
   nothing across u_v. *)
Definition boxes_hold (x : R) (box : group p -> R) : Prop :=
  let level := deficit - ln lam + (k + deficit) * (rho * eta) / 2 in
  [/\ 0 < x, forall i, 0 < box i /\ mu i < 1,
      forall i, level + deficit * x <= ln (one_pull mu i (box i)) /\
        level + deficit * x <= ln (one_pull mu i (- box i)),
      forall e, part e = e -> (forall i, Rabs (group_offset kappa e i) < box i) -> vnorm e < x &
      x + rho * eta <= X].

Record pair_conditions : Prop := PairConditions {
  first_heights : 0 < y0 /\ 0 < Y0;
  deficit_range : 0 < deficit < 1;
  steps_gt0 : 0 < rho /\ 0 < eta;
  aside_first : 0 < A /\ vnorm2 (across_side n w0) <= A * A;
  reach_first : vnorm (part v0 - centre)%V <= X;
  pulled_home : (exists x box, boxes_hold x box) \/ forall e, part e = vzero;
  equal_weights : forall i j : group p, weight i = weight j;
  tail_range : 0 < lam <= 1;
  tail_pull : forall i f, Gv * y0 - output_loss i <= f -> lam * exp (- f) <= - dloss l f <= exp (- f);
  gap_bound : 0 <= C /\
    ln (\sum_(t | Q t) row_high t * exp (value_turn (group_of t))) -
      \sum_(t | Q t) nu t * (ln (row_low t) - ln (nu t)) <= C;
  row_lengths : 0 < D /\ forall t, Q t -> vnorm (Delta alpha t) <= D;
  value_lengths : forall i, vnorm (kappa i) <= k;
  label_kept : forall t, Q t -> 0 < label_low t;
  row_kept : forall t, Q t -> 0 < row_slope t /\ value_pace <= row_slope t * y0;
  lost_small : forall i, \sum_(t | others alpha i t) row_share t * label_high t * y0 <= deficit;
  unselected_small : forall i, \sum_(t | others alpha i t) row_share t <= deficit;
  turned_small : forall i, \sum_(t | others alpha i t) row_share t * vnorm (delta t) <= d;
  turned_range : 0 <= d <= deficit /\ d < Gv;
  drift_small : value_drift_all <= deficit
}.

(* ---- the region ---- *)

Record in_pair_region v w : Prop := InPairRegion {
  near_centre : vnorm (part v - centre)%V <= X;
  near_still : vnorm (value_rest v - value_rest v0)%V <= value_drift (row_height w - Y0);
  near_side : vnorm2 (across_side n w) <= A * A + row_growth * (row_height w - Y0);
  rows_above : Y0 <= row_height w;
  values_above : y0 <= value_height v <= y0 + value_pace * (row_height w - Y0)
}.

(* ---- the parts of a decoder ---- *)

Section Parts.
Hypothesis limit : proper_limit.
Let linear := value_part_linear limit.
Let symmetric := value_part_symmetric limit.
Let across := value_part_across limit.

Lemma value_partB x y : part (x - y)%V = (part x - part y)%V.
Proof.
rewrite (_ : (x - y)%V = (x + - (1) * y)%V) ?linear; last by vec_ring.
by vec_ring.
Qed.

Lemma value_part_twice x : part (part x) = part x.
Proof.
suff E : vnorm2 (part x - part (part x))%V = 0.
  have Z := vnorm2_eq0 E; apply: vec_ext => j; have := congr1 (fun f : vec J => f j) Z.
  by rewrite /vsub /vzero; lra.
have S y z : dot (part y) (z - part z)%V = 0 by rewrite dotBr symmetric; ring.
by rewrite /vnorm2 -{1}value_partB S.
Qed.

Lemma value_unit_dot : dot u u = 1.
Proof. by rewrite -/(vnorm2 u) -vnorm_sqr (value_unit limit); ring. Qed.

Lemma value_rest_linear x a y : value_rest (x + a * y)%V = (value_rest x + a * value_rest y)%V.
Proof. by rewrite /value_rest /value_height linear dotDl dotZl; vec_ring. Qed.

Lemma value_restB x y : value_rest (x - y)%V = (value_rest x - value_rest y)%V.
Proof.
rewrite (_ : (x - y)%V = (x + - (1) * y)%V) ?value_rest_linear; last by vec_ring.
by vec_ring.
Qed.

Lemma value_rest_dot x y : dot (value_rest x) y = dot (value_rest x) (value_rest y).
Proof.
have ru z : dot (value_rest z) u = 0 by rewrite /value_rest /value_height !dotBl dotZl value_unit_dot across; ring.
have rp z : dot (value_rest z) (part y) = 0.
  have E : dot z (part y) = dot (part z) (part y) by rewrite (dotC z) symmetric dotC.
  by rewrite /value_rest !dotBl dotZl (dotC u) across E; ring.
by rewrite [in RHS](_ : value_rest y = (y - value_height y * u - part y)%V) // !dotBr dotZr ru rp; ring.
Qed.

Lemma value_rest_short x : vnorm (value_rest x) <= vnorm x.
Proof.
case: (vnorm_ge0 (value_rest x)) => [pos | <-]; last exact: vnorm_ge0.
apply: (Rmult_le_reg_l (vnorm (value_rest x))) => //; rewrite vnorm_sqr /vnorm2 -value_rest_dot.
exact: dot_le_norms.
Qed.

Lemma value_rest_own i : value_rest (kappa i) = vzero.
Proof. by rewrite /value_rest /value_height (value_part_own limit) (value_along limit); vec_ring. Qed.

(* v is y u + q* + r_0, what is left in S, and what moved across it. *)
Lemma value_split v e : dot e v = value_height v * dot e u + dot e value_still +
  dot e (part v - centre)%V + dot e (value_rest v - value_rest v0)%V.
Proof. by rewrite /value_still /value_rest dotDr !dotBr !dotZr; ring. Qed.

Lemma dot_own_part v e : dot e (part v - centre)%V = dot (part e) (part v - centre)%V.
Proof.
have E : part (part v - centre)%V = (part v - centre)%V.
  by rewrite value_partB value_part_twice (value_centre_part limit).
by rewrite (dotC e) (dotC (part e)) -E symmetric E.
Qed.

Lemma dot_own_rest v e :
  dot e (value_rest v - value_rest v0)%V = dot (value_rest e) (value_rest v - value_rest v0)%V.
Proof. by rewrite -value_restB (dotC e) value_rest_dot (dotC _ (value_rest e)). Qed.

Lemma value_product v i : dot (kappa i) v =
  Gv * value_height v + centre_offset mu i + group_offset kappa (part v - centre)%V i.
Proof.
have rest : dot (kappa i) (value_rest v) = 0 by rewrite dotC value_rest_dot value_rest_own dot0r.
have E : dot (kappa i) (value_rest v) = dot (kappa i) v - value_height v * dot (kappa i) u - dot (kappa i) (part v).
  by rewrite /value_rest !dotBr dotZr.
have S : dot (kappa i) (part v - centre)%V = dot (kappa i) (part v) - dot (kappa i) centre by rewrite dotBr.
rewrite rest (value_along limit) in E; rewrite /group_offset S -(value_centre_offset limit); lra.
Qed.
End Parts.
End JointRegion.
