(* The claims `finite-part` and `no-finite-part`. *)

open Kind
open Refusal

let width line least =
  Line.expect line "bits";
  let bits = Line.index line in
  if bits < least || bits > 4096 then Line.bad line "bits must be from %d to 4096" least;
  bits

(* Ratios at constraints, their number and the bits of their logarithms. *)
let read_ratios text =
  let line = next text in
  Line.expect line "ratios";
  let count = Line.index line in
  let bits = width line 64 in
  Line.finish line;
  let ratio line = Some (fraction line) in
  (count, bits, Constraints.read_dense text.source text.dataset text.problem count None ratio)

let read_bases text =
  let line = next text in
  Line.expect line "bases";
  let count = Line.index line in
  let rec read k found =
    if k = 0 then List.rev found else read (k - 1) (Coq_data.carrier (Line.integer line) :: found)
  in
  let bases = read count [] in
  Line.finish line;
  bases

let read text =
  let lo = named text.line "norm-squared" in
  let hi = fraction text.line in
  let radius = named text.line "radius" in
  finish text;
  let ratios, bits, table = read_ratios text in
  let line = next text in
  let bound = named line "spanning" in
  let of_eigenvalue = width line 29 in
  let spanning = Line.index line in
  if spanning > ratios then Line.bad line "more spanning constraints than ratios";
  Line.finish line;
  let mask = Constraints.read_constraints line text.source text.dataset text.problem spanning in
  let coefficients = vector text "coefficients" in
  let bases = read_bases text in
  let rec combinations k found =
    if k = 0 then List.rev found else combinations (k - 1) (vector text "combination" :: found)
  in
  let combinations = combinations (ratios - spanning) [] in
  let value =
    Verified.FinitePart
      ( subject text, lo, hi, radius, table, Integer.of_int bits, mask, bound, Hints.refused, coefficients, bases,
        combinations )
  in
  { (plain value) with of_eigenvalue }

let read_none text =
  finish text;
  let _, bits, table = read_ratios text in
  plain (NoFinitePart (subject text, table, Integer.of_int bits, vector text "combination"))

(* ---- ratios, in words ---- *)

(* (group, token), ratio *)
let given table =
  let at i t = Option.map (fun ratio -> ((i, t), ratio)) in
  List.concat (List.mapi (fun i row -> List.filter_map Fun.id (List.mapi (at i) row)) table)

let ratio_words ((i, t), ratio) = [ count i; count t; shown ratio ]
let described table = "ratios" :: List.concat_map ratio_words (given table)

let print_ratios page table bits =
  page.print [ "ratios"; count (List.length (given table)); "bits"; Integer.to_string bits ];
  List.iter (fun ratio -> page.print (ratio_words ratio)) (given table)

(* ---- why refused ---- *)

let why_incomplete refused table =
  require (given table <> []) "no ratios are given";
  let at_constraint c =
    match (entry table c, equality refused c) with
    | Some _, false -> found "%s is not a constraint = 0 and has a ratio" (at refused c)
    | None, true -> found "%s is a constraint = 0 and has no ratio" (at refused c)
    | Some ratio, true -> compare ("ratio at " ^ at refused c) (value ratio) ">" Q.zero
    | None, false -> ()
  in
  List.iter at_constraint (constraints (picks refused) table)

let vanishing refused v =
  let m, _, _ = margins refused v in
  compare "squared norm of the combination" (squared_norm refused v m) "=" Q.zero

(* A constraint that is not spanning, and its combination. *)
let why_independent refused table mask bases c v =
  let at = at refused in
  let entries = listed (nonzero v) in
  require (List.mem c entries) (at c ^ " is neither spanning nor in its combination");
  let powers d =
    require (d = c || entry mask d) (Printf.sprintf "%s is in the combination of %s and is not spanning" (at d) (at c));
    let ratio = Option.get (entry table d) in
    match Verified.(exponents_of integers) bases ratio with
    | None -> found "ratio %s is not a product of powers of the bases" (show (value ratio))
    | Some powers -> List.map (fun e -> Integer.mul (integer e) (integer (entry v.Verified.numerators d))) powers
  in
  let none = List.map (fun _ -> Integer.zero) bases in
  let sums = List.fold_left (List.map2 Integer.add) none (List.map powers entries) in
  let vanishes base sum =
    compare
      (Printf.sprintf "exponent of %s in the ratios of the combination of %s"
         (show (Q.of_bigint (integer base))) (at c))
      (Q.of_bigint sum) "=" Q.zero
  in
  List.iter2 vanishes bases sums;
  vanishing refused v

(* An end of an interval; nothing is known where it has none. *)
let upper : Verified.interval -> Q.t = function
  | Between (_, high, e) ->
      let high = Q.of_bigint (integer high) and e = Integer.to_int e in
      if e >= 0 then Q.mul_2exp high e else Q.div_2exp high (-e)
  | Everything -> found "the logarithm of a ratio needs more bits"

let lower interval = Q.neg (upper (Verified.(iopp integers) interval))

let why_far refused lo hi radius table bits mask bound v =
  let data = refused.data and r = value radius in
  require
    (List.for_all (entry mask) (listed (nonzero v)))
    "a coefficient is at a constraint that is not spanning";
  let asked = Verified.(logarithms_in integers) table bits in
  let residual = Verified.(residuals_in integers) data (picks refused) bits asked v mask in
  compare "sum of squared residuals against radius^2 S" (upper residual) "<=" (Q.mul (Q.mul r r) (value bound));
  let dual = Verified.(dual_in integers) data (picks refused) bits asked v mask in
  compare "lower bound of norm-squared against the dual value" (value lo) "<=" (lower dual);
  let most = Q.add (upper dual) (Q.mul r r) in
  compare "dual value plus radius^2 against the upper bound of norm-squared" most "<=" (value hi)

let why lo hi radius table bits mask bound v bases combinations refused =
  why_incomplete refused table;
  require (Q.sign (value radius) >= 0) "the radius is negative";
  require (listed mask <> []) "no spanning constraints are listed";
  require (Q.sign (value bound) > 0) "the bound of the smallest eigenvalue is not positive";
  List.iter
    (fun c -> require (entry table c <> None) (at refused c ^ " is listed as spanning and is not a constraint = 0"))
    (listed mask);
  List.iter (fun base -> require (Integer.gt (integer base) Integer.one) "a base is below 2") bases;
  let others = List.filter (fun c -> not (entry mask c)) (List.map fst (given table)) in
  List.iter2 (why_independent refused table mask bases) others combinations;
  why_far refused lo hi radius table bits mask bound v;
  found
    "the smallest eigenvalue of the Gram matrix of the spanning constraints is not proved to be at least %s with %d \
     bits"
    (show (value bound)) refused.bits

let why_none table v refused =
  why_incomplete refused table;
  let equation c =
    require (entry table c <> None) (at refused c ^ " is in the combination and is not a constraint = 0")
  in
  List.iter equation (listed (nonzero v));
  vanishing refused v;
  found "the logarithms of the ratios are not proved to disagree with the combination"

(* ---- the kinds ---- *)

let part p lo hi radius table bits mask bound v bases combinations =
  let guessed { data; selections; bits = precision; _ } =
    let hints = Hints.compute data (List.nth selections p) mask bound ~bits:precision in
    Verified.FinitePart (p, lo, hi, radius, table, bits, mask, bound, hints, v, bases, combinations)
  in
  let evidence page =
    print_ratios page table bits;
    page.print [ "spanning"; shown bound; "bits"; count page.eigenvalue_bits; count (List.length (listed mask)) ];
    Forever.print_constraints page.print mask;
    page.print_vector "coefficients" v;
    page.print ("bases" :: count (List.length bases) :: List.map (fun b -> Integer.to_string (integer b)) bases);
    List.iter (page.print_vector "combination") combinations
  in
  { (kind "finite-part") with
    first = (fun _ _ -> [ "norm-squared"; shown lo; shown hi; "radius"; shown radius ]);
    further = (fun () -> ("coefficients" :: hashed_vector v) @ described table);
    evidence; guessed = Some guessed; factorised = true; more_bits = true;
    why = why lo hi radius table bits mask bound v bases combinations }

let none table bits v =
  let evidence page =
    print_ratios page table bits;
    page.print_vector "combination" v
  in
  { (kind "no-finite-part") with further = (fun () -> described table); evidence; why = why_none table v }

let () =
  register ~about:AnyRows "finite-part" read (function
    | FinitePart (p, lo, hi, r, table, bits, mask, bound, hints, v, bases, combinations) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.FinitePart
            ( p, lo, hi, r, change.ratios table, bits, change.mask mask, bound, hints, change.vector v, bases,
              List.map change.vector combinations )
        in
        Some { kind = part p lo hi r table bits mask bound v bases combinations; renumbered }
    | _ -> None);
  register ~about:AnyRows "no-finite-part" read_none (function
    | NoFinitePart (p, table, bits, v) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.NoFinitePart (p, change.ratios table, bits, change.vector v)
        in
        Some { kind = none table bits v; renumbered }
    | _ -> None)
