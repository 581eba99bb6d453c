(* Coq's primitive integers, 63 bits with wrap-around, are OCaml's. The names are those of ExtrOCamlInt63. *)

type t = int

let of_int (a : int) : t = a
let add (a : t) (b : t) : t = a + b
let sub (a : t) (b : t) : t = a - b
let mul (a : t) (b : t) : t = a * b
let les (a : t) (b : t) = a <= b
