(* The claim `norm-near-rank`. Its value holds what the claim cited shows. *)

open Kind
open Refusal
open Norm_kinds

let known text place : Verified.nuclear_data option =
  match Norm_path_kind.evidence text None place with Some (NuclearEvidence known) -> Some known | _ -> None

let read text =
  let norm, cited = read_cited text in
  if norm <> None then Line.bad text.line "only of the nuclear norm";
  Line.expect text.line "rank";
  let rank = Line.index text.line in
  let distance = named text.line "distance" in
  let columns = Dataset.right_dimension text.dataset in
  if rank = 0 || rank > min (Dataset.left_dimension text.dataset) columns then Line.bad text.line "no such rank";
  finish text;
  let left, left_unit = read_matrix text "left" columns rank in
  let right, right_unit = read_matrix text "right" columns rank in
  let line = next text in
  let bound = named line "dual-norm" in
  let bits = Integer.of_int (Constraints.read_bits line) in
  let slope = named line "slope" in
  let step = named line "step" in
  Line.finish line;
  plain
    (Verified.NormNearRank
       ( subject text, cited, known text cited, rank, distance, left, left_unit, right, right_unit, bound, bits, slope,
         step ))

let why_refused k (known : Verified.nuclear_data option) distance (left, left_unit) (right, right_unit) bound bits slope
    step refused =
  (match cite refused k with
  | Verified.NormOptimum (_, cited, _, _, _, _, _, _, _, _) -> same_norm None (Some cited)
  | NuclearOptimum _ -> ()
  | _ -> wrong refused k "norm-optimum");
  let known = Option.get known and integers = Verified.integers and data = refused.data in
  let b = value bound and s = value slope and t = value step in
  require (Q.sign b > 0) "a bound is not positive";
  require (Q.sign s > 0 && Q.sign t > 0) "slope or step is not positive";
  compare "step" t "<" s;
  let v = known.nuclear_multipliers in
  let unit = Verified.weight_unit integers data v and e = data.Verified.right_dimension in
  let rows =
    Verified.stacked_rows integers e
      (Verified.weights integers data (picks refused) v)
      left right unit left_unit right_unit bound slope
  in
  require
    (Verified.spectral_check integers
       (Verified.stacked_unit integers unit left_unit right_unit bound slope)
       bound bits
       (data.left_dimension + e)
       e rows)
    ("the norm of W(multipliers) and what is beside the matrices is not proved to be at most " ^ show b);
  let hi = value known.nuclear_high in
  let excess = Q.mul (Q.of_int 2) (Q.sub (Q.mul s s) (Q.mul t t)) in
  let above = Q.add (Q.sub hi (Q.div (total refused v) b)) (Q.div (Q.mul hi (Q.mul t t)) excess) in
  compare "the distance proved against distance" (Q.div above t) "<=" (value distance)

let near k known rank distance (left, left_unit) (right, right_unit) bound bits slope step =
  let evidence page =
    print_matrix page "left" left left_unit;
    print_matrix page "right" right right_unit;
    page.print (dual_line bound bits @ [ "slope"; shown slope; "step"; shown step ])
  in
  { (kind "norm-near-rank") with
    first =
      (fun _ _ -> [ "norm"; "nuclear" ] @ from k @ [ "rank"; count rank; "distance"; shown distance ]);
    evidence;
    why = why_refused k known distance (left, left_unit) (right, right_unit) bound bits slope step }

let renumbered (change : Equal_tokens.change) (known : Verified.nuclear_data) : Verified.nuclear_data =
  { known with nuclear_multipliers = change.vector known.nuclear_multipliers }

let () =
  register ~about:Margins "norm-near-rank" read (function
    | NormNearRank (p, k, known, rank, distance, left, left_unit, right, right_unit, bound, bits, slope, step) ->
        let renumbered change =
          Verified.NormNearRank
            ( p, k, Option.map (renumbered change) known, rank, distance, left, left_unit, right, right_unit, bound,
              bits, slope, step )
        in
        let kind =
          near k known rank distance (left, left_unit) (right, right_unit) bound bits slope step
        in
        Some { kind; renumbered }
    | _ -> None)
