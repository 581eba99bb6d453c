(* The claims `norm-optimum`, of norms of the entries and of the nuclear norm, `norm-support-within` and
   `norm-locally-optimal`. *)

open Kind
open Refusal

(* ---- norms ---- *)

let most_power = Integer.of_int 64  (* of an exponent's numerator and denominator *)

type norm = Nuclear | Entrywise of Verified.entrywise_norm

(* "nuclear", "l1", "linf", "l" and an exponent. *)
let read_norm line =
  Line.expect line "norm";
  let word = Line.word line in
  if word = "nuclear" then Nuclear
  else if word = "linf" then Entrywise MaxNorm
  else if word.[0] <> 'l' || String.contains word '*' then Line.bad line "unknown norm %s" word
  else
    let exponent = { line with text = Numbers.after word 1; at = 0 } in
    let a, c = Numbers.parts (Line.rational exponent) in
    Line.finish exponent;
    if Integer.lt a c || Integer.gt a most_power || Integer.gt c most_power then
      Line.bad line "an exponent below 1, or of numbers beyond %s" (Integer.to_string most_power);
    Entrywise (if Integer.equal a c then SumNorm else PowerNorm (a, c))

let norm_word : Verified.entrywise_norm -> string = function
  | SumNorm -> "l1"
  | MaxNorm -> "linf"
  | PowerNorm (a, c) when Integer.equal c Integer.one -> "l" ^ Integer.to_string a
  | PowerNorm (a, c) -> "l" ^ Integer.to_string a ^ "/" ^ Integer.to_string c

(* ---- matrices ---- *)

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

let entries_over rows unit = List.map (Coq_data.over unit) (List.concat rows)

(* ---- reading ---- *)

let read text =
  let norm = read_norm text.line in
  let lo = named text.line "value" in
  let hi = fraction text.line in
  let left = Dataset.left_dimension text.dataset and right = Dataset.right_dimension text.dataset in
  (* The multipliers and the bound of their dual norm, which ends the claim. *)
  let read_dual ~precise =
    let multipliers = vector text "multipliers" in
    let line = next text in
    let bound = named line "dual-norm" in
    let bits = if precise then Constraints.read_bits line else 0 in
    Line.finish line;
    (multipliers, bound, Integer.of_int bits)
  in
  match norm with
  | Nuclear ->
      Line.expect text.line "rank-at-most";
      let rank = Line.index text.line in
      if rank = 0 || rank > min left right then Line.bad text.line "no such rank";
      finish text;
      let k, k_unit = read_matrix text "left" left rank in
      let q, q_unit = read_matrix text "right" right rank in
      let v, bound, bits = read_dual ~precise:true in
      plain (Verified.NuclearOptimum (subject text, lo, hi, rank, k, k_unit, q, q_unit, v, bound, bits))
  | Entrywise norm ->
      let power = match norm with PowerNorm _ -> true | _ -> false in
      let distance = if power && Line.accept text.line "distance" then Some (fraction text.line) else None in
      finish text;
      let rows, unit = read_matrix text "primal" left right in
      let v, bound, bits = read_dual ~precise:power in
      plain (Verified.NormOptimum (subject text, norm, lo, hi, rows, unit, v, bound, bits, distance))

(* ---- why refused ---- *)

(* `primal` is the matrix and its denominator; which bounds of its norm, and of the dual norm of W(multipliers) and its
   denominator, hold. *)
let why lo hi (rows, unit) v bound ~norm ~dual refused =
  let data = refused.data in
  require (Q.sign (value lo) >= 0) "the lower bound is negative";
  require (Q.sign (value hi) > 0 && Q.sign (value bound) > 0) "a bound is not positive";
  require (not (negative refused v)) "a multiplier is negative";
  let m = Verified.(margins_of integers) data (picks refused) rows in
  let scale = product unit (product data.Verified.token_unit data.query_unit) in
  List.iter
    (fun c -> compare ("margin at " ^ at refused c) (quotient (entry m c) scale) ">=" Q.one)
    (constraints (picks refused) m);
  require norm ("the norm of the matrix is not proved to be at most " ^ show (value hi));
  require
    (dual data (Verified.(weights integers) data (picks refused) v) (Verified.(weight_unit integers) data v))
    ("the dual norm of W(multipliers) is not proved to be at most " ^ show (value bound));
  compare "lower bound times dual-norm against the sum of the multipliers" (Q.mul (value lo) (value bound)) "<="
    (total refused v)

(* What the integers of the check stand for: 2 (HI^2 - LO^2) <= distance^2 (p - 1) for p <= 2, else the power. *)
let why_far a c lo hi distance =
  let p = Q.make a c and lo = value lo and hi = value hi and r = value distance in
  require (Q.sign r >= 0) "the distance is negative";
  if Q.leq p (Q.of_int 2) then
    compare "2 (HI^2 - LO^2) against distance^2 (p - 1)"
      (Q.mul (Q.of_int 2) (Q.sub (Q.mul hi hi) (Q.mul lo lo)))
      "<=" (Q.mul (Q.mul r r) (Q.sub p Q.one))
  else
    let power x k =
      let k = Integer.to_int k in
      Q.make (Integer.pow (Q.num x) k) (Integer.pow (Q.den x) k)
    in
    compare "2^(p-1) p HI^(p-1) (HI - LO) against distance^p, to the power of p's denominator"
      (Q.mul (power (Q.mul (Q.of_int 2) hi) (Integer.sub a c)) (power (Q.mul p (Q.sub hi lo)) c))
      "<=" (power r a)

(* ---- the kinds ---- *)

let dual_line bound bits = [ "dual-norm"; shown bound; "bits"; Integer.to_string bits ]

let entrywise (norm : Verified.entrywise_norm) lo hi rows unit v bound bits distance =
  let evidence page =
    print_matrix page "primal" rows unit;
    page.print_vector "multipliers" v;
    page.print (match norm with Verified.PowerNorm _ -> dual_line bound bits | _ -> [ "dual-norm"; shown bound ])
  in
  { (kind "norm-optimum") with
    first =
      (fun _ _ ->
        [ "norm"; norm_word norm; "value"; shown lo; shown hi ]
        @ match distance with Some r -> [ "distance"; shown r ] | None -> []);
    further = (fun () -> "primal" :: Canonical.hash_of_numbers (entries_over rows unit));
    evidence;
    why =
      (fun refused ->
        why lo hi (rows, unit) v bound refused
          ~norm:(Verified.(norm_check integers) norm bits rows unit hi)
          ~dual:(fun _ w w_unit -> Verified.(dual_norm_check integers) norm bits w w_unit bound);
        match (norm, distance) with PowerNorm (a, c), Some r -> why_far a c lo hi r | _ -> ()) }

let nuclear lo hi rank k k_unit q q_unit v bound bits =
  let evidence page =
    print_matrix page "left" k k_unit;
    print_matrix page "right" q q_unit;
    page.print_vector "multipliers" v;
    page.print (dual_line bound bits)
  in
  let spectral (data : Verified.token_data) w unit =
    Verified.(spectral_check integers) unit bound bits data.left_dimension data.right_dimension w
  in
  { (kind "norm-optimum") with
    first = (fun _ _ -> [ "norm"; "nuclear"; "value"; shown lo; shown hi; "rank-at-most"; count rank ]);
    further = (fun () -> "primal" :: Canonical.hash_of_numbers (entries_over k k_unit @ entries_over q q_unit));
    evidence;
    why =
      (fun refused ->
        why lo hi (Verified.(factor_product integers) k q, product k_unit q_unit) v bound refused
          ~norm:(Verified.(factors_check integers) k k_unit q q_unit hi)
          ~dual:spectral) }

(* ---- margins above 1 at the solution ---- *)

(* None: the nuclear norm, of which no claim says how far the solution is. *)
let any_word = function Some norm -> norm_word norm | None -> "nuclear"

let same_norm norm cited = require (norm = cited) ("the claim cited is about the norm " ^ any_word cited)

let read_cited text =
  let norm = match read_norm text.line with Nuclear -> None | Entrywise norm -> Some norm in
  (norm, citation text)

let read_within text =
  let norm, cited = read_cited text in
  Line.expect text.line "size";
  let count = Line.index text.line in
  finish text;
  let mask = Constraints.read_constraints text.line text.source text.dataset text.problem count in
  plain (Verified.NormSupportWithin (subject text, norm, cited, mask))

let read_local text =
  let norm, cited = read_cited text in
  finish text;
  plain (Verified.NormLocallyOptimal (subject text, norm, cited))

(* The constraints that are not excused have margins above 1 within the distance. *)
let why_not_above norm k ~excused ~which refused =
  let unlocated = "the claim cited does not say how far the solution is" in
  match cite refused k with
  | Verified.NormOptimum (_, norm', _, _, rows, unit, _, _, _, distance) ->
      same_norm norm (Some norm');
      let r = match distance with Some r -> value r | None -> found "%s" unlocated in
      let data = refused.data in
      let m = Verified.(margins_of integers) data (picks refused) rows in
      let spans = Verified.(spans integers) data (picks refused) in
      let units = product data.Verified.token_unit data.query_unit in
      List.iter
        (fun c ->
          if not (excused c) then
            compare
              (Printf.sprintf "least margin at %s, %s" (at refused c) which)
              (Q.sub (quotient (entry m c) (product unit units)) (Q.mul r (quotient (entry spans c) units)))
              ">" Q.one)
        (constraints (picks refused) m)
  | NuclearOptimum _ ->
      same_norm norm None;
      found "%s" unlocated
  | _ -> wrong refused k "norm-optimum"

let within norm k mask =
  { (kind "norm-support-within") with
    first = (fun _ _ -> [ "norm"; any_word norm ] @ from k @ [ "size"; count (List.length (places mask) / 2) ]);
    further = (fun () -> "constraints" :: words_of_places mask);
    evidence = (fun page -> Forever.print_constraints page.print mask);
    why = why_not_above norm k ~excused:(entry mask) ~which:"which is not listed" }

let local norm k =
  let why refused =
    let gaps = Verified.(gaps integers) refused.data (picks refused) in
    let excused c = Integer.sign (integer (entry gaps c)) > 0 in
    why_not_above norm k ~excused ~which:"whose score gap is not positive" refused
  in
  { (kind "norm-locally-optimal") with first = (fun _ _ -> [ "norm"; any_word norm ] @ from k); why }

let () =
  register ~about:Margins "norm-support-within" read_within (function
    | NormSupportWithin (p, norm, k, mask) ->
        let renumbered (change : Equal_tokens.change) = Verified.NormSupportWithin (p, norm, k, change.mask mask) in
        Some { kind = within norm k mask; renumbered }
    | _ -> None);
  register ~about:Scores "norm-locally-optimal" read_local (function
    | NormLocallyOptimal (_, norm, k) as same -> Some { kind = local norm k; renumbered = (fun _ -> same) }
    | _ -> None);
  register ~about:Margins "norm-optimum" read (function
    | NormOptimum (p, norm, lo, hi, rows, unit, v, bound, bits, distance) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.NormOptimum (p, norm, lo, hi, rows, unit, change.vector v, bound, bits, distance)
        in
        Some { kind = entrywise norm lo hi rows unit v bound bits distance; renumbered }
    | NuclearOptimum (p, lo, hi, rank, k, k_unit, q, q_unit, v, bound, bits) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.NuclearOptimum (p, lo, hi, rank, k, k_unit, q, q_unit, change.vector v, bound, bits)
        in
        Some { kind = nuclear lo hi rank k k_unit q q_unit v bound bits; renumbered }
    | _ -> None)
