(* The claims `feasible` and `infeasible`, with either form of evidence. *)

open Kind
open Refusal

let read_feasible text =
  finish text;
  plain (Feasible (subject text, vector text "separator"))

let feasible v =
  { (kind "feasible") with
    evidence = (fun page -> page.print_vector "separator" v);
    why = (fun refused -> ignore (Refusal.feasible refused v)) }

(* A vanishing vector, or a small combination and constraints that span it. *)
let read_infeasible text =
  finish text;
  let line = next text in
  Line.expect line "vector";
  let rest () = Constraints.read_rest line text.source text.dataset text.problem in
  if Line.accept line "combination" then (
    let combination = rest () in
    let second = next text in
    let bound = named second "spanning" in
    let bits = Constraints.read_bits second in
    let count = Line.index second in
    Line.finish second;
    let mask = Constraints.read_constraints second text.source text.dataset text.problem count in
    { (plain (InfeasibleSpanning (subject text, combination, bound, mask, Hints.refused))) with of_eigenvalue = bits })
  else (
    Line.expect line "farkas";
    plain (Infeasible (subject text, rest ())))

(* That a vector does not show that its constraints contradict each other. *)
let no_conflict refused v =
  require (listed (nonzero v) <> []) "the vector is empty";
  require (not (negative refused v)) "a numerator is negative";
  require (Q.sign (total refused v) > 0) "no row of the vector asks for 1";
  let m, _, _ = margins refused v in
  compare "squared norm of the combination" (squared_norm refused v m) "=" Q.zero

let infeasible v =
  { (kind "infeasible") with
    evidence = (fun page -> page.print_vector "farkas" v);
    why = (fun refused -> no_conflict refused v) }

let spanning p v bound mask =
  let why refused =
    let s = value bound and spanned = listed mask in
    require (not (negative refused v)) "a numerator is negative";
    require (spanned <> []) "no spanning constraints are listed";
    require (Q.sign s > 0) "the bound of the smallest eigenvalue is not positive";
    let numerator c = integer (entry v.Verified.numerators c) in
    List.iter
      (fun c ->
        require (Integer.sign (numerator c) <> 0)
          (at refused c ^ " is listed as spanning and is not in the combination"))
      spanned;
    let least =
      match List.map numerator (List.filter (fun c -> not (equality refused c)) spanned) with
      | [] -> Q.zero
      | first :: others ->
          let least = List.fold_left (fun a b -> if Integer.lt b a then b else a) first others in
          Q.make least (integer v.denominator)
    in
    require (Q.sign (total refused v) > 0) "no row of the combination asks for 1";
    let m, _, _ = margins refused v in
    compare "squared norm of the combination" (squared_norm refused v m) "<" (Q.mul s (Q.mul least least));
    let count = List.length spanned in
    let mask =
      if refused.senses = [] then Verified.positive_mask Verified.integers v
      else Verified.nonzero_mask Verified.integers v
    in
    require
      (Verified.dimension_at_most Verified.integers refused.data (picks refused) mask count)
      (Printf.sprintf "%d constraints need not span the combination's" count);
    found "the smallest eigenvalue of the Gram matrix of the spanning constraints is not proved to be \
           at least %s with %d bits"
      (show s) refused.bits
  in
  let guessed { data; selections; bits; _ } =
    Verified.InfeasibleSpanning (p, v, bound, mask, Hints.compute data (List.nth selections p) mask bound ~bits)
  in
  let evidence page =
    page.print_vector "combination" v;
    let listed = listed mask in
    page.print [ "spanning"; shown bound; "bits"; count page.eigenvalue_bits; count (List.length listed) ];
    List.iter (fun (group, token) -> page.print [ count group; count token ]) listed
  in
  { (kind "infeasible") with evidence; guessed = Some guessed; factorised = true; more_bits = true; why }

let () =
  register ~about:AnyRows "feasible" read_feasible (function
    | Feasible (p, v) ->
        Some { kind = feasible v; renumbered = (fun change -> Feasible (p, change.vector v)) }
    | _ -> None);
  register ~about:AnyRows "infeasible" read_infeasible (function
    | Infeasible (p, v) ->
        Some { kind = infeasible v; renumbered = (fun change -> Infeasible (p, change.vector v)) }
    | InfeasibleSpanning (p, v, bound, mask, hints) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.InfeasibleSpanning (p, change.vector v, bound, change.mask mask, hints)
        in
        Some { kind = spanning p v bound mask; renumbered }
    | _ -> None)
