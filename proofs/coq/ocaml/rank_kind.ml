(* The claim `rank`. *)

open Kind
open Refusal

let upper_bounds =
  Verified.
    [ ("groups", UpperGroups); ("left-dimension", UpperLeftDimension); ("right-dimension", UpperRightDimension);
      ("queries", UpperQueries); ("tokens", UpperTokens); ("elimination", UpperElimination) ]

(* The lower bound, and its bits. *)
let read_lower line right_dimension : Verified.rank_lower * int =
  Line.expect line "lower";
  let lower =
    if Line.accept line "modulus" then (Verified.LowerModulus (Coq_data.carrier (Z.of_int (Line.index line))), 0)
    else if Line.accept line "none" then (LowerNone, 0)
    else (
      let bound = named line "lambda-min" in
      let bits = Constraints.read_bits line in
      Line.expect line "columns";
      let count = Line.index line in
      let rec columns last found =
        if Line.at_end line then List.rev found
        else
          let column = Line.index line in
          if column >= right_dimension then Line.bad line "no such column";
          if column <= last then Line.bad line "columns must strictly increase";
          columns column (column :: found)
      in
      let columns = columns (-1) [] in
      if List.length columns <> count then Line.bad line "the count is not the number of columns";
      (LowerEigenvalue (bound, columns, Hints.refused), bits))
  in
  Line.finish line;
  lower

let read text =
  let cited = citation text in
  Line.expect text.line "equals";
  let rank = Line.index text.line in
  finish text;
  let lower, bits = read_lower (next text) (Dataset.right_dimension text.dataset) in
  let upper = next text in
  Line.expect upper "upper";
  let reason = Line.one_of upper "upper bound" (List.map fst upper_bounds) in
  { (plain (Rank (subject text, cited, rank, lower, List.assoc reason upper_bounds))) with of_eigenvalue = bits }

(* The rank of a matrix with entries below a prime. *)
let rec rank_modulo p rows =
  match List.filter (List.exists (fun a -> a <> 0)) rows with
  | [] -> 0
  | row :: rest -> (
      let rec lead = function
        | a :: others -> if a <> 0 then (a, 0) else (match lead others with a, k -> (a, k + 1))
        | [] -> (0, 0)
      in
      let pivot, k = lead row in
      let inverse = Integer.to_int (Integer.invert (Integer.of_int pivot) (Integer.of_int p)) in
      let cleared other =
        let c = List.nth other k * inverse mod p in
        List.map2 (fun a b -> (a + ((p - c) * b)) mod p) other row
      in
      1 + rank_modulo p (List.map cleared rest))

let why k rank (lower : Verified.rank_lower) (upper : Verified.rank_upper) refused =
  let open Verified in
  let compare = Refusal.compare in
  let data = refused.Refusal.data in
  let v, mask, radius =
    match cite refused k with
    | Optimal (_, _, v) -> (v, nonzero v, None)
    | EnclosureBall (_, _, _, radius, _, _, mask, v, _) -> (v, mask, Some radius)
    | _ -> wrong refused k "optimal, or optimal-enclosure of form lambda-min"
  in
  let matrix = weights integers data (picks refused) v in
  (match (lower, radius) with
  | LowerNone, _ -> require (rank = 0) "a positive rank needs a lower bound"
  | LowerModulus _, Some _ -> found "a modular lower bound needs an optimal claim"
  | LowerModulus p, None ->
      let p = Integer.to_int (integer p) in
      require (Hints.prime_modulus p) "the modulus is not a prime from 3 to 2^31";
      let residue a = Integer.to_int (Integer.erem (integer a) (Integer.of_int p)) in
      let rank_found = rank_modulo p (List.map (List.map residue) matrix) in
      compare "rank modulo the prime" (Q.of_int rank_found) ">=" (Q.of_int rank)
  | LowerEigenvalue _, None -> found "an eigenvalue lower bound needs an optimal-enclosure of form lambda-min"
  | LowerEigenvalue (bound, columns, _), Some radius ->
      require (List.length columns = rank && rank > 0) "the number of columns is not the rank";
      compare "lambda-min against radius^2" (value bound) ">" (Q.mul (value radius) (value radius));
      require
        (lower_check integers integer_words data v matrix (Some radius) rank lower)
        ("the smallest eigenvalue of the columns' Gram matrix is not proved to be at least " ^ show (value bound)));
  let at_most name count = compare name (Q.of_int count) "<=" (Q.of_int rank) in
  let exceeds name = found "the rank of the %s matrix exceeds %d" name rank in
  match upper with
  | UpperGroups -> at_most "groups" (List.length (used_groups integers data mask))
  | UpperLeftDimension -> at_most "left-dimension" data.left_dimension
  | UpperRightDimension -> at_most "right-dimension" data.right_dimension
  | UpperQueries -> exceeds "queries"
  | UpperTokens -> exceeds "tokens"
  | UpperElimination -> if radius = None then exceeds "elimination" else found "elimination needs an optimal claim"

let rank p k rank lower upper =
  let evidence page =
    (match (lower : Verified.rank_lower) with
    | LowerNone -> page.print [ "lower none" ]
    | LowerModulus q -> page.print [ "lower modulus"; Integer.to_string (Coq_data.integer q) ]
    | LowerEigenvalue (bound, columns, _) ->
        page.print
          ([ "lower lambda-min"; shown bound; "bits"; count page.eigenvalue_bits; "columns" ]
          @ List.map count (List.length columns :: columns)));
    page.print [ "upper"; fst (List.find (fun (_, reason) -> reason = upper) upper_bounds) ]
  in
  let guessed { data; all; selections; precisions; _ } =
    Verified.Rank (p, k, rank, Hints.lower data (List.nth selections p) (List.nth all k) lower ~precisions, upper)
  in
  { (kind "rank") with
    first = (fun _ _ -> from k @ [ "equals"; count rank ]);
    evidence; guessed = Some guessed; why = why k rank lower upper;
    more_bits = (match lower with LowerEigenvalue (_, _, hints) -> hints == Hints.refused | _ -> false);
    why_as_read = (match lower with LowerModulus _ -> true | _ -> false) }

let () =
  register ~about:AnyRows "rank" read (function
    | Rank (p, k, value, lower, upper) as same ->
        Some { kind = rank p k value lower upper; renumbered = (fun _ -> same) }
    | _ -> None)
