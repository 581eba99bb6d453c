(* Zarith's integers under the names that the extracted checker uses. *)

include Z

(* Coq's division by 0 is 0; otherwise the quotient rounded towards minus infinity. *)
let floor_quotient a b = if sign b = 0 then zero else fdiv a b

(* Coq's square root of a negative number is 0. *)
let floor_root a = if sign a <= 0 then zero else sqrt a

(* Coq's logarithm of what is not positive is 0. *)
let floor_log a = if sign a <= 0 then zero else of_int (Stdlib.pred (numbits a))

(* Z_bits of Number.v: binary digits of |a|, and 1 for 0. *)
let bits a = of_int (if sign a = 0 then 1 else numbits a)

(* a 2^k, rounded towards minus infinity. *)
let shift a k =
  let k = to_int k in
  if k >= 0 then shift_left a k else shift_right a (Stdlib.( ~- ) k)

let to_natural a = if sign a <= 0 then 0 else to_int a

(* Case distinctions of Coq's binary numbers: 2p + 1, 2p, 1; and 0, p, -p. *)
let match_positive odd even one p =
  if equal p Z.one then one ()
  else if testbit p 0 then odd (shift_right p 1)
  else even (shift_right p 1)

let match_integer zero positive negative a =
  match sign a with 0 -> zero () | s when s > 0 -> positive a | _ -> negative (neg a)
