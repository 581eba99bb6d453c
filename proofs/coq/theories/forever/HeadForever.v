(* HeadForever: what a claim about all later steps says of the training of any head (RUNS.md section 1): Forever.v's
   claim, of the runs of a head, and how it follows from a path and its growth. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Heads HeadRuns Direction Path Growth Region Saturation LocalAbsorbing
                           Claims Runs Forever.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Claim.
Variables (p : selection_problem) (alpha : selection p) (h : head p) (least : R).

(* The runs from w_0. *)
Definition head_later_claim (r : rule) (eta : nat -> R) (w0 : vec (coord p)) (c : constants)
    (ws centre : vec (coord p)) : Prop :=
  forall w, w O = w0 -> head_follows h least r eta w -> later_steps_hold alpha eta c ws centre w.

(* The natural centre, the part of w_0 orthogonal to u, or only some centre orthogonal to u. *)
Definition head_forever_claim (some_centre : bool) (r : rule) (eta : nat -> R) (w0 : vec (coord p))
    (c : constants) : Prop :=
  exists2 ws, max_margin alpha ws & let u := (/ vnorm ws * ws)%V in
  exists2 centre, if some_centre then dot centre u = 0 else centre = (w0 - dot w0 u * u)%V &
    head_later_claim r eta w0 c ws centre.

(* What theorems show of a run w: a bound of the residual along it, the growth of the height, and the limits. *)
Definition on_its_path (eta : nat -> R) (w0 ws centre : vec (coord p)) (c : constants) (w : nat -> vec (coord p)) :
    Prop :=
  let u := margin_direction ws in let gamma := margin_value ws in let y n := height u (w n) in
  [/\ forall n, vnorm2 (residual u centre (w n)) <= excess_constant c + path_constant c * (y n - height u w0),
      forall n, if logarithmic c
        then exp (gamma * height u w0) + growth_constant c * total eta n <= exp (gamma * y n)
        else height u w0 + growth_constant c * total eta n <= y n,
      is_lim_seq (fun n => cosine u (w n)) 1 &
      forall n, dominates c = Some n -> forall k i, (n <= k)%nat -> 1 / 2 < attention (w k) (alpha i)].

(* That is enough. *)
Lemma head_later_of_path (r : rule) (eta : nat -> R) (w0 ws centre : vec (coord p)) (c : constants) :
  max_margin alpha ws -> (exists t, constraint alpha t) ->
  let u := margin_direction ws in let gamma := margin_value ws in
  vnorm centre <= centre_bound c -> height_bound c <= height u w0 ->
  (forall w, w O = w0 -> head_follows h least r eta w -> on_its_path eta w0 ws centre c w) ->
  head_later_claim r eta w0 c ws centre.
Proof.
move=> Mm cs u gamma Hc Hh H w E run; rewrite /later_steps_hold /= E.
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

Lemma head_still w r eta s : head_follows h least r eta w -> head_gradient h (w s) = vzero ->
  forall k, w (s + k)%nat = w s.
Proof. by move=> run g0; elim=> [|k IH]; rewrite ?addn0 // addnS run IH moved_still. Qed.

Lemma head_later_moves r eta (w0 ws centre : vec (coord p)) c : head_later_claim r eta w0 c ws centre ->
  0 < growth_constant c -> is_lim_seq (total eta) p_infty ->
  forall w, w O = w0 -> head_follows h least r eta w -> forall s, 0 < vnorm (head_gradient h (w s)).
Proof.
move=> H G0 lim w E run s; case: (vnorm_ge0 (head_gradient h (w s))) => // /esym/vnorm_eq0/(head_still run) still.
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

(* ---- a scalar loss ---- *)

Section Scalar.
Variables (p : selection_problem) (alpha : selection p) (l : loss) (r : rule) (eta : nat -> R).
Variables (w0 : vec (coord p)) (c : constants).
Notation h := (scalar_head p l).
Notation least := (least_loss alpha l).

Lemma scalar_later ws centre :
  head_later_claim alpha h least r eta w0 c ws centre <-> later_claim alpha l r eta w0 c ws centre.
Proof.
by split=> H w E run; [exact (H w E (proj2 (scalar_follows _ _ _ _ _) run)) |
  exact (H w E (proj1 (scalar_follows _ _ _ _ _) run))].
Qed.

Lemma scalar_forever : head_forever_claim alpha h least false r eta w0 c <-> forever_claim alpha l r eta w0 c.
Proof.
split=> [[ws M [centre ->]] | [ws M]] /scalar_later H; exists ws => //.
by exists (w0 - dot w0 (/ vnorm ws * ws) * (/ vnorm ws * ws))%V.
Qed.

Lemma scalar_centred : head_forever_claim alpha h least true r eta w0 c <-> centred_forever_claim alpha l r eta w0 c.
Proof. by split=> -[ws M [centre E H]]; exists ws => //; exists centre => //; apply/scalar_later. Qed.

Lemma later_of_path ws centre : max_margin alpha ws -> (exists t, constraint alpha t) ->
  let u := margin_direction ws in let gamma := margin_value ws in
  vnorm centre <= centre_bound c -> height_bound c <= height u w0 ->
  (forall w, w O = w0 -> follows l least r eta w -> on_its_path alpha eta w0 ws centre c w) ->
  later_claim alpha l r eta w0 c ws centre.
Proof.
move=> M cs u gamma Hc Hh H; apply/scalar_later; apply: (head_later_of_path M cs Hc Hh) => w E /scalar_follows.
exact: H.
Qed.

Lemma later_moves ws centre : later_claim alpha l r eta w0 c ws centre -> 0 < growth_constant c ->
  is_lim_seq (total eta) p_infty -> forall w, w O = w0 -> follows l least r eta w ->
  forall s, 0 < vnorm (gradient l (w s)).
Proof.
move=> /scalar_later H G0 lim w E /scalar_follows run s; rewrite -scalar_gradient.
exact: head_later_moves H G0 lim _ E run s.
Qed.
End Scalar.
