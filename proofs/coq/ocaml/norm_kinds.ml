(* The claim `norm-optimum`, of norms of the entries. *)

open Kind
open Refusal

let most_power = Integer.of_int 64  (* of an exponent's numerator and denominator *)

(* "l1", "linf", "l" and an exponent. *)
let read_norm line : Verified.entrywise_norm =
  Line.expect line "norm";
  let word = Line.word line in
  if word = "nuclear" then
    Stop.too_large "claims norm-optimum of the nuclear norm are not verified yet, attest-check knows them";
  if word = "linf" then MaxNorm
  else if word.[0] <> 'l' || String.contains word '*' then Line.bad line "unknown norm %s" word
  else
    let exponent = { line with text = Numbers.after word 1; at = 0 } in
    let a, c = Numbers.parts (Line.rational exponent) in
    Line.finish exponent;
    if Integer.lt a c || Integer.gt a most_power || Integer.gt c most_power then
      Line.bad line "an exponent below 1, or of numbers beyond %s" (Integer.to_string most_power);
    if Integer.equal a c then SumNorm else PowerNorm (a, c)

let norm_word : Verified.entrywise_norm -> string = function
  | SumNorm -> "l1"
  | MaxNorm -> "linf"
  | PowerNorm (a, c) when Integer.equal c Integer.one -> "l" ^ Integer.to_string a
  | PowerNorm (a, c) -> "l" ^ Integer.to_string a ^ "/" ^ Integer.to_string c

(* "matrix NAME rows columns over D", then the rows: these and the denominator. *)
let read_matrix text name rows columns =
  let line = next text in
  Line.expect line "matrix";
  Line.expect line name;
  let stated_rows = Line.index line in
  let stated_columns = Line.index line in
  Line.expect line "over";
  if (stated_rows, stated_columns) <> (rows, columns) then Line.bad line "the matrix has another shape";
  let unit = Line.denominator line in
  Line.finish line;
  let read_row _ =
    let line = next text in
    let row = List.init columns (fun _ -> Coq_data.carrier (Line.integer line)) in
    Line.finish line;
    row
  in
  (List.init rows read_row, Coq_data.carrier unit)

let print_matrix page name rows unit =
  let width = match rows with row :: _ -> List.length row | [] -> 0 in
  let denominator = denominator_word (Coq_data.integer unit) in
  page.print [ "matrix"; name; count (List.length rows); count width; "over"; denominator ];
  List.iter (fun row -> page.print (List.map (fun a -> Integer.to_string (Coq_data.integer a)) row)) rows

let hashed_matrix rows unit = Canonical.hash_of_numbers (List.map (Coq_data.over unit) (List.concat rows))

let read text =
  let norm = read_norm text.line in
  Line.expect text.line "value";
  let lo = fraction text.line in
  let hi = fraction text.line in
  if norm <> SumNorm && norm <> MaxNorm && Line.accept text.line "distance" then
    Stop.too_large "claims norm-optimum with a distance are not verified yet, attest-check knows them";
  finish text;
  let left = Dataset.left_dimension text.dataset and right = Dataset.right_dimension text.dataset in
  let rows, unit = read_matrix text "primal" left right in
  let multipliers = vector text "multipliers" in
  let line = next text in
  Line.expect line "dual-norm";
  let bound = fraction line in
  let bits = match norm with PowerNorm _ -> Constraints.read_bits line | _ -> 0 in
  Line.finish line;
  plain (Verified.NormOptimum (subject text, norm, lo, hi, rows, unit, multipliers, bound, Integer.of_int bits))

let optimum norm lo hi rows unit v bound bits =
  let why refused =
    let data = refused.data in
    require (Q.sign (value lo) >= 0) "the lower bound is negative";
    require (Q.sign (value hi) > 0 && Q.sign (value bound) > 0) "a bound is not positive";
    require (not (negative refused v)) "a multiplier is negative";
    let m = Verified.(margins_of integers) data (picks refused) rows in
    let scale = product unit (product data.Verified.token_unit data.query_unit) in
    List.iter
      (fun c -> compare ("margin at " ^ at refused c) (quotient (entry m c) scale) ">=" Q.one)
      (constraints (picks refused) m);
    require (Verified.(norm_check integers) norm bits rows unit hi)
      ("the norm of the matrix is not proved to be at most " ^ show (value hi));
    let w = Verified.(weights integers) data (picks refused) v in
    require (Verified.(dual_norm_check integers) norm bits w (Verified.(weight_unit integers) data v) bound)
      ("the dual norm of W(multipliers) is not proved to be at most " ^ show (value bound));
    compare "lower bound times dual-norm against the sum of the multipliers" (Q.mul (value lo) (value bound)) "<="
      (total refused v)
  in
  let evidence page =
    print_matrix page "primal" rows unit;
    page.print_vector "multipliers" v;
    let precision = match norm with Verified.PowerNorm _ -> [ "bits"; Integer.to_string bits ] | _ -> [] in
    page.print ([ "dual-norm"; shown bound ] @ precision)
  in
  { (kind "norm-optimum") with
    first = (fun _ _ -> [ "norm"; norm_word norm; "value"; shown lo; shown hi ]);
    further = (fun () -> "primal" :: hashed_matrix rows unit);
    evidence; why }

let () =
  register "norm-optimum" read (function
    | NormOptimum (p, norm, lo, hi, rows, unit, v, bound, bits) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.NormOptimum (p, norm, lo, hi, rows, unit, change.vector v, bound, bits)
        in
        Some { kind = optimum norm lo hi rows unit v bound bits; renumbered }
    | _ -> None)
