(* The claims `feasible` and `infeasible`. *)

open Kind
open Refusal

let read_feasible text =
  finish text;
  plain (Feasible (subject text, vector text "separator"))

let feasible v =
  { (kind "feasible") with
    evidence = (fun page -> page.print_vector "separator" v);
    why = (fun refused -> ignore (Refusal.feasible refused v)) }

let read_infeasible text =
  finish text;
  plain (Infeasible (subject text, vector text "farkas"))

let infeasible v =
  let why refused =
    require (listed (nonzero v) <> []) "the vector is empty";
    require (not (negative v)) "a numerator is negative";
    let m, _, _ = margins refused v in
    compare "squared norm of the combination" (squared_norm refused v m) "=" Q.zero
  in
  { (kind "infeasible") with evidence = (fun page -> page.print_vector "farkas" v); why }
