(* UnitRows: token data whose rows and queries are unit vectors, those of one-hot embeddings (TextData.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Attest Require Import Euclid Selection Number Rows TokenData.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- unit vectors ---- *)

Lemma unit_dot n (a b : nat) (e f : vec [finType of 'I_n]) : (a < n)%nat ->
  (forall j : 'I_n, e j = if (j == a :> nat)%nat then 1 else 0) ->
  (forall j : 'I_n, f j = if (j == b :> nat)%nat then 1 else 0) -> dot e f = if (a == b)%nat then 1 else 0.
Proof.
move=> an He Hf; rewrite /dot (bigD1 (Ordinal an)) //= He Hf /= eqxx big1 => [|j ja].
  by case: (a == b); ring.
rewrite He; case: eqP => [e1|_]; last by ring.
by case/eqP: ja; apply: val_inj.
Qed.

Section UnitRows.
Variable N : number.

(* Where the one entry that is not zero stands, if it is the unit. *)
Definition unit_place (unit : N) (u : seq N) : option nat :=
  if single_from 0 u is Some (k, c) then if same c unit then Some k else None else None.

Lemma unit_placeP unit u k : unit_place unit u = Some k -> forall j, entry u j = if (j == k)%nat then real unit else 0.
Proof.
rewrite /unit_place; case E: (single_from 0 u) => [[k' c]|] //; case: ifP => // /same_real cE [<-] j.
by rewrite (single_entry E) add0n cE.
Qed.

Lemma unit_place_lt unit u k : real unit <> 0 -> unit_place unit u = Some k -> (k < size u)%nat.
Proof.
by move=> u0 E; rewrite ltnNge; apply/negP => le; have := unit_placeP E k; rewrite entry_over // eqxx => /esym.
Qed.

(* Of a token, and of a query. *)
Variable D : token_data N.

Definition query_places : seq (option nat) := [seq unit_place (query_unit D) (query_row q) | q <- sequences D].

Hypothesis Dok : data_ok D.

Lemma unit_token (t : data_token D) k :
  unit_place (token_unit D) (nth [::] (token_rows (sequence_at D (tag t))) (tagged t)) = Some k ->
  forall j : 'I_(left_dimension D), x t j = if (j == k :> nat)%nat then 1 else 0.
Proof.
have u0 := token_unit_gt0 Dok; move=> E j; rewrite /x /entry2 (unit_placeP E).
by case: eqP => _; [apply: Rinv_r; lra | rewrite /Rdiv Rmult_0_l].
Qed.

Lemma unit_query (i : data_group D) k : unit_place (query_unit D) (query_row (sequence_at D i)) = Some k ->
  (k < right_dimension D)%nat /\ forall j : 'I_(right_dimension D), z i j = if (j == k :> nat)%nat then 1 else 0.
Proof.
have u0 := query_unit_gt0 Dok; move=> E; have /and4P[_ /eqP sq _ _] := sequences_ok Dok (ltn_ord i).
split=> [|j]; first by rewrite -sq; apply: unit_place_lt E; lra.
by rewrite /z (unit_placeP E); case: eqP => _; [apply: Rinv_r; lra | rewrite /Rdiv Rmult_0_l].
Qed.
End UnitRows.
