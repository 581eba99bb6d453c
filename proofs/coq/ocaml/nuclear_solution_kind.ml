(* The claim `norm-solution`: the only matrix of least nuclear norm, its rank and its active constraints. *)

open Kind
open Refusal
open Norm_kinds

let most_unknowns = 1 lsl 14

let read text =
  if read_norm text.line <> Nuclear then Line.bad text.line "only of the nuclear norm";
  Line.expect text.line "rank";
  let rank = Line.index text.line in
  let distance = named text.line "distance" in
  let left_rows = Dataset.left_dimension text.dataset and right_rows = Dataset.right_dimension text.dataset in
  if rank = 0 || rank > min left_rows right_rows then Line.bad text.line "no such rank";
  finish text;
  let left, left_unit = read_matrix text "left" left_rows rank in
  let right, right_unit = read_matrix text "right" right_rows rank in
  let inverse, inverse_unit = read_matrix text "inverse" right_rows rank in
  let multipliers = vector text "multipliers" in
  let line = next text in
  let radius = named line "radius" in
  let factors = named line "factors" in
  let rows = named line "rows" in
  let residual = named line "residual" in
  let inverse_norm = named line "inverse" in
  Line.finish line;
  let line = next text in
  let smallest = named line "lambda-min" in
  let columns = named line "columns" in
  let dual = named line "dual-norm" in
  let slope = named line "slope" in
  let bits = Constraints.read_bits line in
  Line.finish line;
  let evidence : Verified.solution_data =
    { sole_rank = rank; sole_distance = distance; sole_left = left; sole_left_unit = left_unit;
      sole_right = right; sole_right_unit = right_unit; sole_inverse = inverse;
      sole_inverse_unit = inverse_unit; sole_multipliers = multipliers; sole_radius = radius;
      sole_factors = factors; sole_rows = rows; sole_residual = residual;
      sole_inverse_norm = inverse_norm; sole_smallest = smallest; sole_hints = Hints.refused;
      sole_columns = columns; sole_column_hints = Hints.refused; sole_dual = dual;
      sole_slope = slope; sole_bits = Integer.of_int bits; sole_room = Coq_data.carrier Integer.one }
  in
  { (plain (NormSolution (subject text, evidence))) with of_eigenvalue = bits }

(* ---- hints ---- *)

let columns_of (x : Verified.solution_data) =
  Verified.columns_data Verified.integers x.sole_rank x.sole_left x.sole_right x.sole_left_unit
    x.sole_right_unit

let derivative_of data picks (x : Verified.solution_data) =
  Verified.derivative_data Verified.integers data picks (nonzero x.sole_multipliers) x.sole_multipliers
    x.sole_rank x.sole_left x.sole_right x.sole_left_unit x.sole_right_unit

let unknowns (data : Verified.token_data) (x : Verified.solution_data) =
  let r = x.sole_rank in
  (r * (data.left_dimension + data.right_dimension)) + List.length (listed (nonzero x.sole_multipliers))
  + (r * (r - 1) / 2)

let with_hints data picks ~precisions (x : Verified.solution_data) : Verified.solution_data =
  let count = unknowns data x in
  if count > most_unknowns then Stop.too_large "equations of %d unknowns" count;
  (* The factorisations are in integers: entries with twice the bits leave them enough. *)
  let room = Integer.shift_left Integer.one (Integer.to_int x.sole_bits + 16) in
  let x = { x with sole_room = Coq_data.carrier room } in
  let roomy = Verified.roomy Verified.integers x in
  let proved of_columns size bound =
    let mask = Verified.column_mask (List.init size Fun.id) in
    Hints.proved Verified.integer_words of_columns [ 0 ] mask bound ~precisions
  in
  { x with
    sole_column_hints = proved (columns_of roomy) x.sole_rank x.sole_columns;
    sole_hints = proved (derivative_of data picks roomy) count x.sole_smallest }

(* ---- why refused ---- *)

let squares rows unit = quotient (Verified.sum_of_squares Verified.integers rows) (product unit unit)
let at_most what left root = compare what left "<=" (Q.mul root root)

(* The other constraints' margins, and the sum of (1 - margin)^2 over the support. *)
let margin_residual refused (x : Verified.solution_data) =
  let integers = Verified.integers and data = refused.data in
  let mask = nonzero x.sole_multipliers and distance = value x.sole_distance in
  let units = product data.token_unit data.query_unit in
  let unit = product (product x.sole_left_unit x.sole_right_unit) units in
  let m =
    Verified.margins_of integers data (picks refused)
      (Verified.factor_product integers x.sole_left x.sole_right)
  in
  let lengths = Verified.lengths integers data (picks refused) in
  List.iter
    (fun c ->
      if not (entry mask c) then (
        let excess = Q.sub (quotient (entry m c) unit) Q.one in
        let square = Q.mul excess excess in
        let reach = Q.mul (Q.mul distance distance) (quotient (entry lengths c) (product units units)) in
        if Q.sign excess <= 0 || Q.leq square reach then
          found "margin at %s, which is not listed, less 1: its square: %s > %s is false" (at refused c) (show square)
            (show reach)))
    (constraints (picks refused) m);
  quotient (Verified.margin_residual integers mask m unit) (product unit unit)

let why_off refused (x : Verified.solution_data) =
  let integers = Verified.integers and data = refused.data in
  let v = x.sole_multipliers and residual = value x.sole_residual and rows = value x.sole_rows in
  let of_margins = margin_residual refused x in
  at_most "the squares of the rows against rows^2"
    (quotient
       (Verified.listed_lengths integers data (picks refused) (nonzero v))
       (Verified.units_squared integers data))
    rows;
  let side residual_of =
    let w = Verified.weights integers data (picks refused) v and unit = Verified.weight_unit integers data v in
    squares
      (residual_of integers data x.sole_rank w x.sole_left x.sole_right unit x.sole_left_unit
         x.sole_right_unit)
      (Verified.derivative_unit integers data v x.sole_left_unit x.sole_right_unit)
  in
  at_most "the squares of the equations against residual^2"
    (Q.add (Q.add (side Verified.left_residual) (side Verified.right_residual)) of_margins)
    residual;
  let radius = value x.sole_radius in
  let square = Q.mul radius radius in
  let moved = Q.add residual (Q.mul (Q.of_int 2) (Q.mul rows square)) in
  compare "the square of residual + 2 rows radius^2 against radius^2 lambda-min" (Q.mul moved moved) "<="
    (Q.mul square (value x.sole_smallest));
  require
    (x.sole_hints != Hints.refused)
    ("the smallest eigenvalue of L L' is not proved to be at least " ^ show (value x.sole_smallest))

let why_long refused (x : Verified.solution_data) =
  let integers = Verified.integers and data = refused.data in
  let v = x.sole_multipliers and dual = value x.sole_dual and slope = value x.sole_slope in
  let inverse = value x.sole_inverse_norm and radius = value x.sole_radius in
  at_most "the squares of the inverse against inverse^2" (squares x.sole_inverse x.sole_inverse_unit) inverse;
  let turned = Q.mul inverse radius and moved = Q.mul (value x.sole_rows) radius in
  compare "inverse times radius" turned "<" Q.one;
  compare "rows times radius" moved "<" Q.one;
  let square a = Q.mul a a in
  let rest = Q.sub Q.one (Q.mul (square slope) (square (Q.sub Q.one turned))) in
  compare "length across the columns, squared" (Q.mul (square dual) rest) "<" (square (Q.sub Q.one moved));
  let unit = Verified.weight_unit integers data v and e = data.right_dimension in
  let right_unit = x.sole_right_unit and inverse_unit = x.sole_inverse_unit in
  let rows =
    Verified.stacked_rows integers e
      (Verified.weights integers data (picks refused) v)
      x.sole_inverse x.sole_right unit inverse_unit right_unit x.sole_dual x.sole_slope
  in
  require
    (Verified.spectral_check integers
       (Verified.stacked_unit integers unit inverse_unit right_unit x.sole_dual x.sole_slope)
       x.sole_dual x.sole_bits (data.left_dimension + e) e rows)
    ("the norm of W(multipliers) and what is beside the matrices is not proved to be at most " ^ show dual)

let why_refused (x : Verified.solution_data) refused =
  let radius = value x.sole_radius and factors = value x.sole_factors in
  List.iter
    (fun q -> require (Q.sign (value q) > 0) "a number is not positive")
    [ x.sole_radius; x.sole_factors; x.sole_rows; x.sole_residual; x.sole_inverse_norm;
      x.sole_smallest; x.sole_columns; x.sole_dual; x.sole_slope ];
  let v = x.sole_multipliers in
  List.iter
    (fun c -> compare ("multiplier at " ^ at refused c) (quotient (entry v.numerators c) v.denominator) ">" radius)
    (listed (nonzero v));
  at_most "the squares of the factors against factors^2"
    (Q.add (squares x.sole_left x.sole_left_unit) (squares x.sole_right x.sole_right_unit))
    factors;
  compare "the distance proved against distance" (Q.mul radius (Q.add factors radius)) "<=" (value x.sole_distance);
  let columns = value x.sole_columns in
  compare "columns" columns ">" (Q.mul radius radius);
  require
    (x.sole_column_hints != Hints.refused)
    ("the smallest eigenvalue of the columns' Gram matrix is not proved to be at least " ^ show columns);
  why_off refused x;
  why_long refused x

(* ---- the kind ---- *)

let solution p (x : Verified.solution_data) =
  let mask = nonzero x.sole_multipliers in
  let evidence page =
    print_matrix page "left" x.sole_left x.sole_left_unit;
    print_matrix page "right" x.sole_right x.sole_right_unit;
    print_matrix page "inverse" x.sole_inverse x.sole_inverse_unit;
    page.print_vector "multipliers" x.sole_multipliers;
    page.print
      [ "radius"; shown x.sole_radius; "factors"; shown x.sole_factors; "rows"; shown x.sole_rows;
        "residual"; shown x.sole_residual; "inverse"; shown x.sole_inverse_norm ];
    page.print
      ([ "lambda-min"; shown x.sole_smallest; "columns"; shown x.sole_columns ]
      @ [ "dual-norm"; shown x.sole_dual; "slope"; shown x.sole_slope ]
      @ [ "bits"; Integer.to_string x.sole_bits ])
  in
  let primal =
    entries_over x.sole_left x.sole_left_unit @ entries_over x.sole_right x.sole_right_unit
  in
  let guessed { data; selections; precisions; _ } =
    Verified.NormSolution (p, with_hints data (List.nth selections p) ~precisions x)
  in
  { (kind "norm-solution") with
    first =
      (fun _ _ -> [ "norm"; "nuclear"; "rank"; count x.sole_rank; "distance"; shown x.sole_distance ]);
    further =
      (fun () ->
        [ "size"; count (List.length (listed mask)); "constraints" ]
        @ words_of_places mask
        @ ("primal" :: Canonical.hash_of_numbers primal));
    evidence; guessed = Some guessed;
    more_bits = x.sole_hints == Hints.refused || x.sole_column_hints == Hints.refused;
    why = why_refused x }

let () =
  register ~about:Margins "norm-solution" read (function
    | NormSolution (p, x) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.NormSolution (p, { x with sole_multipliers = change.vector x.sole_multipliers })
        in
        Some { kind = solution p x; renumbered }
    | _ -> None)
