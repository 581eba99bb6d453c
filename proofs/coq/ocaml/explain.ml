(* Why a claim was rejected, in the words of attest-check: the first condition of GRAMMAR.md section 4 that fails, with both
   sides. Nothing here decides anything: the verified checker has refused the claim already. *)

open Verified

exception Found of string

let found fmt = Printf.ksprintf (fun why -> raise (Found why)) fmt
let require holds why = if not holds then raise (Found why)

let integer = Coq_data.integer
let product a b = Coq_data.carrier (Integer.mul (integer a) (integer b))
let difference a b = Coq_data.carrier (Integer.sub (integer a) (integer b))
let quotient a b = Q.make (integer a) (integer b)
let value (q : fraction) = quotient q.fraction_num q.fraction_den

(* A number in a message: exactly when it is short. *)
let show x =
  let p = Integer.numbits (Q.num x) and q = Integer.numbits (Q.den x) in
  if p + q <= 200 then Numbers.canonical (Numbers.ratio (Q.num x) (Q.den x))
  else
    let shift = p - q - 63 in
    let scaled = if shift >= 0 then Q.div_2exp x shift else Q.mul_2exp x (-shift) in
    Printf.sprintf "about %s*2^%d (%d over %d bits)" (Integer.to_string (Q.to_bigint scaled)) shift p q

let compare what left relation right =
  let holds =
    match relation with
    | "<=" -> Q.leq left right
    | ">=" -> Q.geq left right
    | ">" -> Q.gt left right
    | _ -> Q.equal left right
  in
  if not holds then found "%s: %s %s %s is false" what (show left) relation (show right)

let at (group, token) = Printf.sprintf "(%d, %d)" group token
let entry rows (group, token) = List.nth (List.nth rows group) token

(* Every place but the selected ones, in order. *)
let constraints picks rows =
  List.concat
    (List.mapi (fun i row -> List.filter (fun (_, t) -> t <> List.nth picks i) (List.mapi (fun t _ -> (i, t)) row)) rows)

let listed mask = List.filter (entry mask) (constraints (List.map (fun _ -> -1) mask) mask)
let nonzero v = Verified.listed integers v
let negative v = List.exists (List.exists (fun a -> Integer.sign (integer a) < 0)) v.numerators

(* The rank of a matrix with entries below a prime. *)
let rec rank_modulo p rows =
  match List.filter (List.exists (fun a -> a <> 0)) rows with
  | [] -> 0
  | row :: rest -> (
      let rec lead = function a :: others -> if a <> 0 then (a, 0) else (match lead others with a, k -> (a, k + 1)) | [] -> (0, 0) in
      let pivot, k = lead row in
      let inverse = Integer.to_int (Integer.invert (Integer.of_int pivot) (Integer.of_int p)) in
      let cleared other =
        let c = List.nth other k * inverse mod p in
        List.map2 (fun a b -> (a + ((p - c) * b)) mod p) other row
      in
      1 + rank_modulo p (List.map cleared rest))

(* What is known when claim number `number` (from 0) is refused: all earlier claims hold. *)
type refused = { data : token_data; problems : int list array; claims : claim array; kinds : string array; numbers : int array;
                 bits : int; number : int }

let reason { data; problems; claims; kinds; numbers; bits; number } =
  let about = claim_problem integers claims.(number) in
  let picks = problems.(about) in
  let margins v =
    let m = margins integers data picks v and unit = margin_unit integers data v in
    (m, unit, fun c -> quotient (entry m c) unit)
  in
  let squared_norm v m = quotient (energy integers v m) (product v.denominator (margin_unit integers data v)) in
  let feasible ?(also = fun _ _ -> ()) v =
    let m, _, margin = margins v in
    List.iter
      (fun c ->
        compare ("margin at " ^ at c) (margin c) ">=" Q.one;
        also c (margin c))
      (constraints picks m);
    m
  in
  let dual_value v m = quotient (dual_value integers data v m) (dual_unit integers data v) in
  let far v (r2 : Q.t) =
    let m, unit, margin = margins v and lengths = lengths integers data picks in
    let num = Coq_data.carrier (Q.num r2) and den = Coq_data.carrier (Q.den r2) in
    ((fun c -> far_check integers data unit num den (entry m c) (entry lengths c)), m, margin)
  in
  let score group token =
    quotient (List.nth (List.nth data.sequences group).score_row token) data.score_unit
  in
  let beats relation (group, token) =
    compare ("score of the selected token against that of " ^ at (group, token)) (score group (List.nth picks group)) relation
      (score group token)
  in
  let cite k =
    if claim_problem integers claims.(k) <> about then found "claim %d is about another problem" numbers.(k);
    claims.(k)
  in
  let wrong k expected = found "cites claim %d, a claim of kind %s; expected %s" numbers.(k) kinds.(k) expected in
  (* The support that a claim has proved, and the multipliers when it rests on an exact solution. *)
  let support k expected =
    match cite k with
    | Support (_, source, mask) -> (mask, match claims.(source) with Optimal (_, _, v) -> Some v | _ -> None)
    | _ -> wrong k expected
  in
  let gaps_off_support v r2 =
    let is_far, m, margin = far v r2 in
    List.iter
      (fun ((group, token) as c) ->
        if Q.leq (score group (List.nth picks group)) (score group token) && not (is_far c) then
          found "margin at %s, whose score gap is not positive, is not proved to exceed 1: %s > 1 is false" (at c)
            (show (margin c)))
      (constraints picks m)
  in
  match claims.(number) with
  | Feasible (_, v) -> ignore (feasible v)
  | Infeasible (_, v) ->
      require (listed (nonzero v) <> []) "the vector is empty";
      require (not (negative v)) "a numerator is negative";
      let m, _, _ = margins v in
      compare "squared norm of the combination" (squared_norm v m) "=" Q.zero
  | Optimal (_, norm, v) ->
      require (not (negative v)) "a multiplier is negative";
      let mask = nonzero v in
      let tight c margin =
        if entry mask c then compare ("margin at " ^ at c ^ ", where the multiplier is positive") margin "=" Q.one
      in
      ignore (feasible v ~also:tight);
      compare "norm-squared" (value norm) "=" (quotient (total_entries integers v) v.denominator)
  | EnclosureGap (_, lo, hi, distance, primal, dual) ->
      let m = feasible primal in
      require (not (negative dual)) "a dual numerator is negative";
      let dual_margins, _, _ = margins dual in
      let upper = squared_norm primal m and lower = dual_value dual dual_margins in
      compare "lower bound of norm-squared against the dual value" (value lo) "<=" lower;
      compare "primal value against the upper bound of norm-squared" upper "<=" (value hi);
      compare "duality gap against distance-squared" (Q.sub upper lower) "<=" (value distance)
  | EnclosureBall (_, lo, hi, radius, multiplier_radius, bound, mask, v, _) ->
      let r = value radius and q = value multiplier_radius and s = value bound in
      require (listed mask <> []) "no constraints are listed";
      require (Q.sign r >= 0 && Q.sign q >= 0) "a radius is negative";
      require (Q.sign s > 0) "the bound of the smallest eigenvalue is not positive";
      List.iter (fun c -> compare ("multiplier at " ^ at c) (quotient (entry v.numerators c) v.denominator) ">" q) (listed mask);
      let is_far, m, margin = far v (Q.mul r r) in
      List.iter
        (fun c ->
          if not (entry mask c || is_far c) then
            found "margin at %s, which is not listed, is not proved to exceed 1 within the radius: %s > 1 is false" (at c)
              (show (margin c)))
        (constraints picks m);
      let unit = margin_unit integers data v in
      let residual = quotient (total_rows integers (residual_rows integers data v m mask)) (product unit unit) in
      compare "sum of squared residuals against radius^2 S" residual "<=" (Q.mul (Q.mul r r) s);
      compare "sum of squared residuals against multiplier-radius^2 S^2" residual "<=" (Q.mul (Q.mul q q) (Q.mul s s));
      let lower = dual_value v m in
      compare "lower bound of norm-squared against the dual value" (value lo) "<=" lower;
      compare "dual value plus radius^2 against the upper bound of norm-squared" (Q.add lower (Q.mul r r)) "<=" (value hi);
      found "the smallest eigenvalue of the Gram matrix of the listed constraints is not proved to be at least %s with %d bits"
        (show s) bits
  | Support (_, k, mask) ->
      let expected =
        match cite k with
        | Optimal (_, _, v) ->
            let m, _, margin = margins v in
            List.filter (fun c -> Q.equal (margin c) Q.one) (constraints picks m)
        | EnclosureBall (_, _, _, _, _, _, mask, _, _) -> listed mask
        | _ -> wrong k "optimal, or optimal-enclosure of form lambda-min"
      in
      let rec differ k given expected =
        let text = function c :: _ -> at c | [] -> "nothing" in
        match (given, expected) with
        | a :: given', b :: expected' when a = b -> differ (k + 1) given' expected'
        | [], [] -> ()
        | _ -> found "the support differs at entry %d: %s is listed, %s is expected" k (text given) (text expected)
      in
      differ 0 (listed mask) expected
  | StrictlyComplementary (_, k, None) ->
      ignore (support k "support");
      found "the cited multipliers are not positive on all of the support"
  | StrictlyComplementary (_, k, Some mu) -> (
      match support k "support" with
      | _, None -> found "multipliers can only be compared with an exact solution"
      | mask, Some v ->
          require (not (negative mu)) "a multiplier is negative";
          require (nonzero mu = mask) "the multipliers do not list exactly the support";
          (* W is linear: the combination of the differences. *)
          let scaled a = List.map (List.map (product a)) in
          let rows = List.map2 (List.map2 difference) (scaled v.denominator mu.numerators) (scaled mu.denominator v.numerators) in
          let gap = { denominator = product v.denominator mu.denominator; numerators = rows } in
          let m, _, _ = margins gap in
          compare "squared distance of W(multipliers) from W*" (squared_norm gap m) "=" Q.zero)
  | NotStrictlyComplementary (_, k, group, token, x) -> (
      match support k "support" with
      | _, None -> found "the cited support does not rest on an optimal claim"
      | mask, Some v ->
          require (entry mask (group, token)) (at (group, token) ^ " is not in the support");
          let _, _, margin = margins x in
          List.iter
            (fun c -> compare ("<Delta, D> at " ^ at c) (margin c) (if c = (group, token) then ">" else ">=") Q.zero)
            (listed mask);
          let weights = weights integers data picks and unit = weight_unit integers data in
          let inner = quotient (matrix_dot integers (weights v) (weights x)) (product (unit v) (unit x)) in
          compare "<W*, D>" inner "=" Q.zero)
  | LocallyOptimal (_, k) -> (
      match cite k with
      | Support (_, _, mask) -> List.iter (beats ">") (listed mask)
      | EnclosureGap (_, _, _, distance, v, _) -> gaps_off_support v (value distance)
      | EnclosureBall (_, _, _, radius, _, _, _, v, _) -> gaps_off_support v (Q.mul (value radius) (value radius))
      | _ -> wrong k "support or optimal-enclosure")
  | NotLocallyOptimal (_, k, None) -> (
      match cite k with Infeasible _ -> () | _ -> wrong k "infeasible (without a witness)")
  | NotLocallyOptimal (_, k, Some c) ->
      let mask, _ = support k "support (with a witness)" in
      require (entry mask c) (at c ^ " is not in the support");
      beats "<=" c
  | GloballyOptimal _ ->
      List.iter (beats ">") (constraints picks (List.map (fun s -> s.score_row) data.sequences))
  | NotGloballyOptimal (_, group, token) -> beats "<=" (group, token)
  | ScoreTie (_, group, first, second) ->
      compare "scores of the two tokens" (score group first) "=" (score group second);
      List.iteri
        (fun t _ -> compare (Printf.sprintf "score of token %d of the group" t) (score group t) "<=" (score group first))
        (List.nth data.sequences group).score_row
  | Rank (_, k, rank, lower, upper) -> (
      let v, mask, radius =
        match cite k with
        | Optimal (_, _, v) -> (v, nonzero v, None)
        | EnclosureBall (_, _, _, radius, _, _, mask, v, _) -> (v, mask, Some radius)
        | _ -> wrong k "optimal, or optimal-enclosure of form lambda-min"
      in
      let matrix = weights integers data picks v in
      (match (lower, radius) with
      | LowerNone, _ -> require (rank = 0) "a positive rank needs a lower bound"
      | LowerModulus _, Some _ -> found "a modular lower bound needs an optimal claim"
      | LowerModulus p, None ->
          let unit = integer (weight_unit integers data v) and p = Integer.to_int (integer p) in
          require (Hints.prime_modulus p) "the modulus is not a prime from 3 to 2^31";
          require (not (Integer.divisible unit (Integer.of_int p))) "the modulus divides a denominator";
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
      | UpperElimination -> if radius = None then exceeds "elimination" else found "elimination needs an optimal claim")
  | ForeverFromPoint (_, _, _, _, _, _, said) | ForeverFromRun (_, _, _, _, _, said) ->
      compare "growth" (value said.said_growth) ">" Q.zero
  | Run _ | PathInequality _ | Stationary _ -> ()  (* no single condition fails *)
  | SmoothnessBound (_, None, _) -> found "the problem names no loss"
  | SmoothnessBound (_, Some loss, beta) -> (
      match smoothness_interval integers data smoothness_precision loss with
      | Everything -> ()
      | Between (_, hi, exponent) ->
          let e = Integer.to_int exponent in
          let bound = if e >= 0 then Q.mul_2exp (Q.of_bigint (integer hi)) e else Q.div_2exp (Q.of_bigint (integer hi)) (-e) in
          compare "upper bound of the smoothness sum against beta" bound "<=" (value beta))

(* The text for standard error, after the claim's number, kind and line. *)
let why refused = match reason refused with () -> "the check failed" | exception Found text -> text
