(* The claims `margin-at-most`, `conflicts`, `separable-without` and `robust-radius`. *)

open Kind
open Refusal

(* ---- margin-at-most ---- *)

let read_margin_at_most text =
  let bound = named text.line "bound" in
  finish text;
  plain (Verified.MarginAtMost (subject text, bound, vector text "combination"))

let margin_at_most bound v =
  let why refused =
    require (Q.sign (value bound) > 0) "the bound is not positive";
    require (listed (nonzero v) <> []) "the vector is empty";
    require (not (negative refused v)) "a numerator is negative";
    let sum = total refused v in
    require (Q.sign sum > 0) "no row of the vector asks for 1";
    let m, _, _ = margins refused v in
    let scaled = Q.mul (value bound) sum in
    compare "squared norm of the combination against (bound x sum)^2" (squared_norm refused v m) "<="
      (Q.mul scaled scaled)
  in
  { (kind "margin-at-most") with
    first = (fun _ _ -> [ "bound"; shown bound ]);
    evidence = (fun page -> page.print_vector "combination" v);
    why }

(* ---- conflicts: groups, and a vector over their constraints ---- *)

let read_conflicts text =
  Line.expect text.line "at-least";
  let count = Line.index text.line in
  finish text;
  let rec read k found =
    if k = 0 then List.rev found
    else read (k - 1) (Constraints.read_part text.source text.dataset text.problem "farkas" :: found)
  in
  plain (Verified.Conflicts (subject text, read count []))

(* Over all groups, which have these numbers of tokens. *)
let spread counts (groups, (v : Verified.vector)) : Verified.vector =
  let zero = Coq_data.carrier Integer.zero in
  let rec rows i counts groups numerators =
    match (counts, groups, numerators) with
    | [], _, _ -> []
    | _ :: counts, group :: groups, row :: numerators when group = i -> row :: rows (i + 1) counts groups numerators
    | tokens :: counts, _, _ -> List.init tokens (fun _ -> zero) :: rows (i + 1) counts groups numerators
  in
  { v with numerators = rows 0 counts groups v.numerators }

let why_no_conflicts conflicts refused =
  require (conflicts <> []) "no conflict is listed";
  let owner = Hashtbl.create 64 in
  let own k group =
    match Hashtbl.find_opt owner group with
    | Some earlier -> found "group %d is in conflicts %d and %d" group (earlier + 1) (k + 1)
    | None -> Hashtbl.add owner group k
  in
  List.iteri (fun k (groups, _) -> List.iter (own k) groups) conflicts;
  let examine (groups, v) =
    let data = Verified.restricted Verified.integers refused.data groups in
    let problems = Array.map (fun picks -> Verified.restricted_picks picks groups) refused.problems in
    Feasibility_kinds.no_conflict { refused with data; problems } v
  in
  List.iter examine conflicts

let conflicts found =
  { (kind "conflicts") with
    first = (fun _ _ -> [ "at-least"; count (List.length found) ]);
    evidence = (fun page -> List.iter (fun part -> page.print_vector "farkas" (spread page.counts part)) found);
    why = why_no_conflicts found }

(* ---- separable-without ---- *)

let read_separable_without text =
  let line = text.line in
  Line.expect line "groups";
  let count = Line.index line in
  let rec read k last found =
    if k = 0 then List.rev found
    else
      let group = Line.index line in
      if group >= Dataset.groups text.dataset then Line.bad line "no such group";
      if group <= last then Line.bad line "groups must strictly increase";
      read (k - 1) group (group :: found)
  in
  let out = read count (-1) [] in
  finish text;
  plain (Verified.SeparableWithout (subject text, out, vector text "separator"))

let separable_without out v =
  let why refused =
    require (List.length out < List.length refused.data.Verified.sequences) "every group is left out";
    let m, _, margin = margins refused v in
    let examine c = if not (List.mem (fst c) out) then compare ("margin at " ^ at refused c) (margin c) ">=" Q.one in
    List.iter examine (constraints (picks refused) m)
  in
  { (kind "separable-without") with
    first = (fun _ _ -> "groups" :: List.map count (List.length out :: out));
    evidence = (fun page -> page.print_vector "separator" v);
    why }

(* ---- robust-radius ---- *)

(* In self-attention problems the query row moves too. *)
let read_robust_radius text =
  let cited = citation text in
  let radius = named text.line "radius" in
  finish text;
  let queries_move =
    match text.dataset.setting with
    | Self _ -> true
    | Stage _ ->
        Stop.rejected
          "claim %d (robust-radius), line %d: queries of next-token problems are embeddings, which move as well"
          text.number text.line.number
    | Prompt _ | Cross _ -> false
  in
  plain (Verified.RobustRadius (subject text, cited, radius, queries_move))

let robust_radius k radius queries_move =
  let why refused =
    let norm_squared =
      match cite refused k with
      | Verified.Feasible (_, v) | Optimal (_, _, v) ->
          let m, _, _ = margins refused v in
          squared_norm refused v m
      | EnclosureGap (_, _, high, _, _, _) | EnclosureBall (_, _, high, _, _, _, _, _, _) -> value high
      | _ -> wrong refused k "feasible, optimal or optimal-enclosure"
    in
    let r = value radius and data = refused.data in
    compare "radius" r ">" Q.zero;
    require (not queries_move) "a margin may vanish when tokens and queries move by radius";
    let queries = Verified.(largest integers (query_squares integers data)) in
    let query_squared = quotient queries (product data.query_unit data.query_unit) in
    let both = Q.mul (Q.of_int 4) (Q.mul (Q.mul r r) (Q.mul norm_squared query_squared)) in
    compare "4 radius^2 times the squares of norm and query" both "<" Q.one
  in
  (* What was checked is what the line says of this setting. *)
  let first (given : given) (read : claim) =
    let itself = match given.instances.(read.about).attention_model with SelfAttention _ -> true | _ -> false in
    if queries_move <> itself then failwith "robust-radius was checked for another setting";
    from k @ [ "radius"; shown radius ]
  in
  { (kind "robust-radius") with first; why }

let () =
  register ~about:AnyRows "margin-at-most" read_margin_at_most (function
    | MarginAtMost (p, bound, v) ->
        Some { kind = margin_at_most bound v; renumbered = (fun change -> MarginAtMost (p, bound, change.vector v)) }
    | _ -> None);
  register ~about:Margins "conflicts" read_conflicts (function
    | Conflicts (p, listed) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.Conflicts (p, List.map (fun (groups, v) -> (groups, change.part groups v)) listed)
        in
        Some { kind = conflicts listed; renumbered }
    | _ -> None);
  register ~about:Margins "separable-without" read_separable_without (function
    | SeparableWithout (p, out, v) ->
        Some { kind = separable_without out v; renumbered = (fun change -> SeparableWithout (p, out, change.vector v)) }
    | _ -> None);
  register ~about:Margins "robust-radius" read_robust_radius (function
    | RobustRadius (_, k, radius, queries_move) as same ->
        Some { kind = robust_radius k radius queries_move; renumbered = (fun _ -> same) }
    | _ -> None)
