(* Hints for the verified lower bound of a Gram matrix's least eigenvalue (GramBound.v): short rows of about `bits` bits, the
   unit h of Gram entries, the shift s and bounds of what is neglected. Nothing here is trusted: gram_check decides. *)

open Verified

(* The power of two that leaves about `bits` bits of the largest number. *)
let step bits numbers =
  let largest = List.fold_left (fun largest a -> max largest (Integer.numbits a)) 0 numbers in
  Integer.shift_left Integer.one (max 0 (largest - bits))

let refused : gram_hints =
  let zero = Coq_data.carrier Integer.zero in
  { token_step = zero; query_step = zero; entry_step = zero; shift = zero; residual_bound = zero; distance_bound = zero }

let compute data picks mask (bound : fraction) ~bits : gram_hints =
  let open Coq_data in
  let active = active integers data mask in
  if active = [] then refused
  else
    let all row = List.concat_map (fun it -> integers_of (row it)) active in
    let token_step = step bits (all (difference integers data picks)) in
    let query_step = step bits (all (query integers data)) in
    let hints = { refused with token_step = carrier token_step; query_step = carrier query_step } in
    let largest f = List.fold_left (fun a it -> Integer.max a (f it)) Integer.zero active in
    let e2 = largest (fun it -> integer (distance integers data picks hints it)) in
    let square row = integer (dot_rows integers row row) in
    let diagonal =
      largest (fun it ->
          Integer.mul (square (short_difference integers data picks hints it)) (square (short_query integers data hints it)))
    in
    let h = Integer.shift_left Integer.one (max 0 (Integer.numbits diagonal - (2 * bits) - 4)) in
    let pivot = Integer.succ (Integer.sqrt (Integer.cdiv diagonal h)) in
    let emax = Integer.mul h (Integer.add (Integer.shift_left pivot 1) (Integer.of_int 3)) in
    let n = Integer.of_int (List.length active) in
    let num = integer bound.fraction_num and den = integer bound.fraction_den in
    let units = Integer.mul (integer data.token_unit) (integer data.query_unit) and steps = Integer.mul token_step query_step in
    let ( * ) = Integer.mul in
    let needed =
      Integer.cdiv (Integer.add (Integer.of_int 65 * num * units * units) (Integer.of_int 4160 * n * e2 * den)) (Integer.of_int 64 * steps * steps * den)
    in
    let shift = Integer.cdiv (Integer.add needed (n * emax)) h in
    { hints with entry_step = carrier h; shift = carrier shift; residual_bound = carrier emax; distance_bound = carrier e2 }

(* ---- the lower bound of a rank ---- *)

let refused_lower : rank_lower = LowerModulus (Coq_data.carrier Integer.zero)

(* GRAMMAR.md asks for a prime from 3 to 2^31 that divides no denominator; the verified check needs neither. *)
let allowed_modulus q denominator =
  let rec prime k = k * k > q || (q mod k <> 0 && prime (k + 1)) in
  q >= 3 && q < 1 lsl 31 && prime 2 && not (Integer.divisible denominator (Integer.of_int q))

(* `cited` is the claim about the solution. *)
let lower data picks (cited : claim) (lower : rank_lower) ~bits =
  let unit v = weight_unit integers data v in
  match (lower, cited) with
  | LowerNone, _ -> lower
  | LowerModulus q, Optimal (_, _, v) ->
      if allowed_modulus (Integer.to_int (Coq_data.integer q)) (Coq_data.integer (unit v)) then lower else refused_lower
  | LowerEigenvalue (bound, columns, _), EnclosureBall (_, _, _, _, _, _, _, v, _) ->
      let columns_of_v = column_data integers (weights integers data picks v) (unit v) columns in
      LowerEigenvalue (bound, columns, compute columns_of_v [ 0 ] (column_mask columns) bound ~bits)
  | _ -> refused_lower
