(* Hints for the verified lower bound of a Gram matrix's least eigenvalue (GramBound.v): short rows of about `bits`
   bits, the unit h of Gram entries, the shift s and bounds of what is neglected. Nothing here is trusted: gram_check
   decides. Machine words are asked for when `bits` is at most `word_bits`. *)

open Verified

(* How many bits to drop so that about `bits` bits of the largest number are left. *)
let surplus bits numbers = max 0 (List.fold_left (fun largest a -> max largest (Integer.numbits a)) 0 numbers - bits)

(* Rows of words may have squares that add up to 2^61 (Words.v). A row of the factor has the sum that its diagonal entry
   allows it, 2^(2 bits); rows of tokens and queries get as many bits as their length leaves them. *)
let word_bits = 30
let bits_of_words bits length = min bits ((61 - Integer.numbits (Integer.of_int length)) / 2)

let refused : gram_hints =
  let zero = Coq_data.carrier Integer.zero in
  { token_bits = Integer.zero; query_bits = Integer.zero; entry_bits = Integer.zero; shift = zero;
    residual_bound = zero; distance_bound = zero; in_words = false }

let compute data picks mask (bound : fraction) ~bits : gram_hints =
  let open Coq_data in
  let active = listed_places integers data mask in
  if active = [] then refused
  else
    let rows = List.length active in
    if rows > 1 lsl 20 || rows * rows / 2 * (if bits <= word_bits then 1 else (bits / 64) + 5) > Numbers.max_limbs then
      Stop.too_large "a factorisation of %d rows takes too much memory" rows;
    let in_words = bits <= word_bits in
    let dropped row =
      let kept = if in_words then bits_of_words bits (List.length (row (List.hd active))) else bits in
      surplus kept (List.concat_map (fun it -> integers_of (row it)) active)
    in
    let token_bits = dropped (difference integers data picks) and query_bits = dropped (query integers data) in
    let entries = if in_words then integer_words else wide integers in
    let hints =
      { refused with token_bits = Integer.of_int token_bits; query_bits = Integer.of_int query_bits; in_words }
    in
    let largest f = List.fold_left (fun a it -> Integer.max a (f it)) Integer.zero active in
    let e2 = largest (fun it -> integer (distance integers entries data picks hints it)) in
    let diagonal =
      let square row = integer (entries.dot_entries row row) in
      largest (fun it ->
          let x, z = short_pair integers entries data picks hints it in
          Integer.mul (square x) (square z))
    in
    let entry_bits = max 0 (Integer.numbits diagonal - (2 * bits)) in
    let pivot = Integer.succ (Integer.sqrt (Integer.shift_right diagonal entry_bits)) in
    let residual = Integer.add (Integer.shift_left pivot 1) (Integer.of_int 4) in
    let n = Integer.of_int rows in
    let num = integer bound.fraction_num and den = integer bound.fraction_den in
    let units = Integer.mul (integer data.token_unit) (integer data.query_unit) in
    let steps = Integer.shift_left Integer.one (token_bits + query_bits) in
    let ( * ) = Integer.mul in
    let needed =
      Integer.cdiv
        (Integer.add (Integer.of_int 65 * num * units * units) (Integer.of_int 4160 * n * e2 * den))
        (Integer.of_int 64 * steps * steps * den)
    in
    let shift = Integer.add (Integer.cdiv needed (Integer.shift_left Integer.one entry_bits)) (n * residual) in
    { hints with entry_bits = Integer.of_int entry_bits; shift = carrier shift; residual_bound = carrier residual;
      distance_bound = carrier e2 }

(* Those of the first of the precisions that proves the bound, or `refused`. *)
let proved entries data picks mask bound ~precisions =
  let hints = List.to_seq precisions |> Seq.map (fun bits -> compute data picks mask bound ~bits) in
  let proves hints = gram_check integers entries data picks mask hints bound in
  match Seq.filter proves hints () with Cons (hints, _) -> hints | Nil -> refused

(* ---- the lower bound of a rank ---- *)

let refused_lower : rank_lower = LowerModulus (Coq_data.carrier Integer.zero)

(* GRAMMAR.md asks for a prime from 3 to 2^31; the verified check needs none. *)
let prime_modulus q =
  let rec prime k = k * k > q || (q mod k <> 0 && prime (k + 1)) in
  q >= 3 && q < 1 lsl 31 && prime 2

(* `cited` is the claim about the solution. *)
let lower data picks (cited : claim) (lower : rank_lower) ~precisions =
  let unit v = weight_unit integers data v in
  match (lower, cited) with
  | LowerNone, _ -> lower
  | LowerModulus q, Optimal _ -> if prime_modulus (Integer.to_int (Coq_data.integer q)) then lower else refused_lower
  | LowerEigenvalue (bound, columns, _), EnclosureBall (_, _, _, _, _, _, _, v, _) ->
      let columns_of_v = column_data integers (weights integers data picks v) (unit v) columns in
      let mask = column_mask columns in
      LowerEigenvalue (bound, columns, proved integer_words columns_of_v [ 0 ] mask bound ~precisions)
  | _ -> refused_lower
