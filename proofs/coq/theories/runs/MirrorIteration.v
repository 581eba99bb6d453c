(* MirrorIteration: mirror descent on the training loss, as claims about runs speak of it.

     Z_{t+1} = Z_t - tau_t grad L(W_t),   tau_t = eta_t   or   eta_t / ||grad L(W_t)||_q (normalised steps),

   W_t the gradient of the conjugate potential at Z_t (Mirror.v), p the potential's exponent and 1/p + 1/q = 1. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection EntrywiseDuality Mirror Iteration.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section MirrorIteration.
Variables (s : selection_problem) (l : loss) (q : R) (normalised : bool) (eta : nat -> R).
Implicit Types z : vec (coord s).

Definition mirror_descent_direction z : vec (coord s) := (- gradient l (mirror q z))%V.

Definition mirror_moved (t : nat) z : vec (coord s) :=
  let v := mirror_descent_direction z in
  (z + (if normalised then eta t / lp_norm q v else eta t) * v)%V.

(* The dual iterates, from a dual point. *)
Definition mirror_iterate z : nat -> vec (coord s) := iterated mirror_moved z.
End MirrorIteration.
