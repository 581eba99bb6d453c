(* Forever: what a claim about all later steps says (RUNS.md section 1). How it follows from a path and its growth
   stands in HeadForever.v, of the training of any head.

   A specification fixes the exact iteration; a conclusion lists the constants of the claim. forever_claim is
   RUNS.md's "Claimed" text, for every run of the iteration that starts at w_0. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Direction Path Growth Region Saturation LocalAbsorbing LockIn Polyak
                           Claims Runs.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- the claim ---- *)

(* For s >= 0: ||w_s - y_s u - p|| <= sqrt(excess + path (y_s - y_0)), ||p|| <= centre, y_0 >= height, and the growth
   of y. p is the natural centre, or only known to be orthogonal to u. *)
Record constants := Constants {
  path_constant : R; excess_constant : R; centre_bound : R; height_bound : R; logarithmic : bool; growth_constant : R;
  dominates : option nat     (* after how many later steps *)
}.

Section Claim.
Variables (p : selection_problem) (alpha : selection p).

(* Of one run w, seen from a centre; ws is the solution. *)
Definition later_steps_hold (eta : nat -> R) (c : constants) (ws centre : vec (coord p)) (w : nat -> vec (coord p)) :
    Prop :=
  let u := (/ vnorm ws * ws)%V in let gamma := / vnorm ws in
  let y s := dot (w s) u in
  let bound s := sqrt (excess_constant c + path_constant c * (y s - y O)) in
  [/\ vnorm centre <= centre_bound c, height_bound c <= y O,
      forall s, [/\ vnorm (w s - y s * u - centre) <= bound s,
        if logarithmic c then exp (gamma * y O) + growth_constant c * total eta s <= exp (gamma * y s)
                         else y O + growth_constant c * total eta s <= y s &
        0 < y s -> 1 - cosine u (w s) <= (centre_bound c + bound s) * (centre_bound c + bound s) /
          (2 * (y s * y s))] &
      is_lim_seq (fun s => cosine u (w s)) 1 /\
      forall n, dominates c = Some n -> forall s i, (n <= s)%nat -> 1 / 2 < attention (w s) (alpha i)].

Variable l : loss.

(* The runs from w_0. *)
Definition later_claim (r : rule) (eta : nat -> R) (w0 : vec (coord p)) (c : constants) (ws centre :
  vec (coord p)) : Prop :=
  forall w, w O = w0 -> follows l (least_loss alpha l) r eta w -> later_steps_hold eta c ws centre w.

(* The natural centre is the part of w_0 orthogonal to u. *)
Definition forever_claim (r : rule) (eta : nat -> R) (w0 : vec (coord p)) (c : constants) : Prop :=
  exists2 ws, max_margin alpha ws &
  let u := (/ vnorm ws * ws)%V in later_claim r eta w0 c ws (w0 - dot w0 u * u).

Definition centred_forever_claim (r : rule) (eta : nat -> R) (w0 : vec (coord p)) (c : constants) : Prop :=
  exists2 ws, max_margin alpha ws &
  exists2 centre, dot centre (/ vnorm ws * ws)%V = 0 & later_claim r eta w0 c ws centre.
End Claim.
