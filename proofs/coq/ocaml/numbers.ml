(* Exact numbers of a dataset and of a certificate: m * 2^e with m odd, or p/q; reading and canonical text. A short
   decimal with a large exponent stays short until its value is asked for. *)

open Stop

type t = Dyadic of Z.t * int (* odd mantissa, or 0 and 0 *) | Ratio of Z.t * Z.t (* lowest terms *) 
       | Decimal of int * int (* m * 10^e, m not 0, |e| > 27, so neither of the two above *) | Not_finite

let max_exponent = 65536
let max_bits = 1 lsl 24
let max_limbs = 1 lsl 27  (* of a table: 1 GB *)

let dyadic m e =
  if Z.is_odd m then Dyadic (m, e)
  else if Z.sign m = 0 then Dyadic (Z.zero, 0)
  else
    let twos = Z.trailing_zeros m in
    Dyadic (Z.shift_right m twos, e + twos)

let is_power_of_two q = Z.popcount q = 1

(* p / q, q > 0, in any terms. *)
let ratio p q =
  let g = Z.gcd p q in
  let p = Z.divexact p g and q = Z.divexact q g in
  if is_power_of_two q then dyadic p (-Z.trailing_zeros q) else Ratio (p, q)

let power_of_ten e = Z.pow (Z.of_int 10) e

(* The same number as Dyadic or Ratio. *)
let value = function
  | Decimal (m, e) when e < 0 -> ratio (Z.of_int m) (power_of_ten (-e))
  | Decimal (m, e) -> dyadic (Z.mul (Z.of_int m) (power_of_ten e)) 0
  | x -> x

(* Numerator and denominator in lowest terms. *)
let parts x =
  match value x with
  | Dyadic (m, e) -> if e >= 0 then (Z.shift_left m e, Z.one) else (m, Z.shift_left Z.one (-e))
  | Ratio (p, q) -> (p, q)
  | Decimal _ | Not_finite -> invalid_arg "Numbers.parts"

(* Decimal digits of an integer; quicker than Zarith for small ones. *)
let add_integer out x =
  let rec digits n =
    if n > 9 then digits (n / 10);
    Buffer.add_char out (Char.unsafe_chr (48 + (n mod 10)))
  in
  if not (Z.fits_int x) || Z.to_int x = min_int then Buffer.add_string out (Z.to_string x)
  else
    let n = Z.to_int x in
    if n < 0 then Buffer.add_char out '-';
    digits (abs n)

let add_canonical out x =
  match value x with
  | Dyadic (m, e) ->
      add_integer out m;
      if e <> 0 then (
        Buffer.add_string out "*2^";
        add_integer out (Z.of_int e))
  | Ratio (p, q) ->
      add_integer out p;
      Buffer.add_char out '/';
      add_integer out q
  | Decimal _ | Not_finite -> invalid_arg "Numbers.add_canonical"

let canonical x =
  let out = Buffer.create 64 in
  add_canonical out x;
  Buffer.contents out

let of_binary64 bits =
  let biased = Int64.to_int (Int64.shift_right_logical bits 52) land 0x7ff in
  let low = Int64.to_int (Int64.logand bits 0xfffffffffffffL) in
  if biased = 0x7ff then Not_finite
  else
    let m = if biased = 0 then low else low lor (1 lsl 52) in
    let m = if Int64.compare bits 0L < 0 then -m else m in
    dyadic (Z.of_int m) (max biased 1 - 1075)

(* At most 4 bytes: a sign, `exponent_bits` and `fraction_bits`. *)
let of_short_binary ~exponent_bits ~fraction_bits bits =
  let largest = (1 lsl exponent_bits) - 1 in
  let biased = (bits lsr fraction_bits) land largest and low = bits land ((1 lsl fraction_bits) - 1) in
  if biased = largest then Not_finite
  else
    let m = if biased = 0 then low else low lor (1 lsl fraction_bits) in
    let negative = bits lsr (exponent_bits + fraction_bits) <> 0 in
    dyadic (Z.of_int (if negative then -m else m)) (max biased 1 - (largest / 2) - fraction_bits)

let of_binary32 = of_short_binary ~exponent_bits:8 ~fraction_bits:23
let of_binary16 = of_short_binary ~exponent_bits:5 ~fraction_bits:10
let of_bfloat16 = of_short_binary ~exponent_bits:8 ~fraction_bits:7

let is_digit c = c >= '0' && c <= '9'
let is_hex_digit c = is_digit c || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')
let all_digits s = s <> "" && (let ok = ref true in String.iter (fun c -> if not (is_digit c) then ok := false) s; !ok)

(* A string of digits, within the limit of 2^24 bits. *)
let of_digits s =
  let too_long () = malformed "an integer of more than 2^24 bits" in
  if String.length s > max_bits / 3 then too_long ();
  let x = Z.of_string_base 10 s in
  if Z.numbits x > max_bits then too_long ();
  x

let short text = if String.length text <= 60 then text else String.sub text 0 60
let not_a_number text = malformed "not a number: \"%s\"" (short text)

(* A cursor over the characters of one number. *)
type cursor = { text : string; mutable at : int }

let take cursor c =
  let stands = cursor.at < String.length cursor.text && cursor.text.[cursor.at] = c in
  if stands then cursor.at <- cursor.at + 1;
  stands

let take_while cursor accepts =
  let start = cursor.at in
  while cursor.at < String.length cursor.text && accepts cursor.text.[cursor.at] do cursor.at <- cursor.at + 1 done;
  String.sub cursor.text start (cursor.at - start)

let finish cursor whole = if cursor.at < String.length cursor.text then not_a_number whole

(* Optionally signed decimal exponent, at most 2^16 in size. *)
let take_exponent cursor whole =
  let negative = take cursor '-' in
  if not negative then ignore (take cursor '+');
  let digits = take_while cursor is_digit in
  if digits = "" then not_a_number whole;
  let first = ref 0 in
  while !first < String.length digits - 1 && digits.[!first] = '0' do incr first done;
  let digits = String.sub digits !first (String.length digits - !first) in
  let value = if String.length digits <= 6 then int_of_string digits else max_exponent + 1 in
  if value > max_exponent then malformed "an exponent beyond 65536 in \"%s\"" (short whole);
  if negative then -value else value

(* digits [. digits] [e exponent]; `strict` asks for JSON's form. *)
let decimal text ~strict =
  let c = { text; at = 0 } in
  let whole = take_while c is_digit in
  let point = take c '.' in
  let fraction = if point then take_while c is_digit else "" in
  if whole = "" && fraction = "" then not_a_number text;
  if strict && (whole = "" || (String.length whole > 1 && whole.[0] = '0') || (point && fraction = "")) then
    not_a_number text;
  let exponent = if take c 'e' || take c 'E' then take_exponent c text else 0 in
  finish c text;
  let digits = of_digits (whole ^ fraction) in
  let exponent = exponent - String.length fraction in
  if Z.sign digits = 0 then dyadic Z.zero 0
  else if abs exponent > 27 && Z.fits_int digits then Decimal (Z.to_int digits, exponent)
  else if exponent >= 0 then dyadic (Z.mul digits (power_of_ten exponent)) 0
  else ratio digits (power_of_ten (-exponent))

let whole_number text whole = if all_digits text then of_digits text else not_a_number whole

(* 0x hex [. hex] [p exponent] *)
let hex_float text =
  let c = { text; at = 0 } in
  if not (take c '0') then not_a_number text;
  if not (take c 'x' || take c 'X') then not_a_number text;
  let whole = take_while c is_hex_digit in
  let fraction = if take c '.' then take_while c is_hex_digit else "" in
  if whole = "" && fraction = "" then not_a_number text;
  let exponent = if take c 'p' || take c 'P' then take_exponent c text else 0 in
  finish c text;
  if String.length whole + String.length fraction > max_bits / 4 then malformed "a number of more than 2^24 bits";
  let digits = Z.of_string_base 16 (whole ^ fraction) in
  dyadic digits (exponent - (4 * String.length fraction))

let find text part =
  let n = String.length part in
  let rec go at =
    if at + n > String.length text then None else if String.sub text at n = part then Some at else go (at + 1)
  in
  go 0

let after text at = String.sub text at (String.length text - at)

let negated = function
  | Dyadic (m, e) -> Dyadic (Z.neg m, e)
  | Ratio (p, q) -> Ratio (Z.neg p, q)
  | Decimal (m, e) -> Decimal (-m, e)
  | Not_finite -> Not_finite

(* A minus sign, or a plus sign if that is allowed, and the magnitude of a number. *)
let signed text ~plus magnitude =
  if text <> "" && text.[0] = '-' then negated (magnitude (after text 1))
  else if plus && text <> "" && text.[0] = '+' then magnitude (after text 1)
  else magnitude text

(* Numerator and denominator have at most 2^24 bits. *)
let bounded x =
  let p, q =
    match x with
    | Dyadic (m, e) -> (Z.numbits m + max e 0, max (-e) 0 + 1)
    | Ratio (p, q) -> (Z.numbits p, Z.numbits q)
    | Decimal _ | Not_finite -> (0, 0) (* a word and a power of ten of at most 2^16 digits are far below the limit *)
  in
  if p > max_bits || q > max_bits then malformed "a number of more than 2^24 bits";
  x

(* What rounds to infinity as a binary64, and what is not zero but rounds to zero. *)
let beyond_binary64 x =
  let p, q = parts x in
  Z.geq p (Z.mul q (Z.sub (Z.shift_left Z.one 1024) (Z.shift_left Z.one 970)))
  || (Z.sign p <> 0 && Z.leq (Z.shift_left p 1075) q)

(* A JSON number token: an exact decimal within the range of binary64. *)
let of_json_number token =
  let magnitude text =
    let value = decimal text ~strict:true in
    if beyond_binary64 value then
      malformed "a number beyond the range of binary64 must be written as a string: %s" (short token);
    value
  in
  bounded (signed token ~plus:false magnitude)

(* A number in a JSON string: a decimal, p/q, m*2^e or a hex float, after an optional sign. *)
let of_text text =
  let magnitude text =
    if String.contains text 'x' || String.contains text 'X' then hex_float text
    else
      match String.index_opt text '/' with
      | Some slash ->
          let q = whole_number (after text (slash + 1)) text in
          if Z.sign q = 0 then malformed "a denominator must be positive: \"%s\"" (short text);
          ratio (whole_number (String.sub text 0 slash) text) q
      | None -> (
          match find text "*2^" with
          | Some star ->
              let c = { text = after text (star + 3); at = 0 } in
              let exponent = take_exponent c text in
              finish c text;
              dyadic (whole_number (String.sub text 0 star) text) exponent
          | None -> decimal text ~strict:false)
  in
  bounded (signed text ~plus:true magnitude)

(* One positive denominator for all numbers, and the numerators over it. *)
let over_common_denominator numbers =
  let down = Array.fold_left (fun down x -> match x with Dyadic (_, e) -> max down (-e) | _ -> down) 0 numbers in
  let common d x =
    match value x with
    | Ratio (_, q) ->
        let d = Z.lcm d q in
        if Z.numbits d > max_bits then too_large "the numbers have no common denominator of 2^24 bits";
        d
    | _ -> d
  in
  let denominator = Array.fold_left common (Z.shift_left Z.one down) numbers in
  let twos = Z.trailing_zeros denominator in
  let odd = Z.shift_right denominator twos in
  let width x =
    match value x with
    | Dyadic (m, e) -> Z.numbits m + e + twos + Z.numbits odd
    | Ratio (p, q) -> Z.numbits p + Z.numbits denominator - Z.numbits q + 2
    | Decimal _ | Not_finite -> 0
  in
  let widest = Array.fold_left (fun bits x -> max bits (width x)) 1 numbers in
  if Array.length numbers > max_limbs / ((widest / 64) + 1) then
    too_large "the numbers, over one denominator, take too much memory";
  let times_odd = if Z.equal odd Z.one then Fun.id else Z.mul odd in
  let numerator x =
    match value x with
    | Dyadic (m, e) -> times_odd (Z.shift_left m (e + twos))
    | Ratio (p, q) -> Z.mul p (Z.divexact denominator q)
    | Decimal _ | Not_finite -> invalid_arg "Numbers.over_common_denominator"
  in
  (denominator, Array.map numerator numbers)
