(* The common result of the npy and JSON readers: a scalar, list, table or ragged table of exact numbers, or one string.
   *)

(* `shape` has 0 to 3 entries. With three, list i has lengths.(i) rows; numbers are in row-major order. *)
type t = { shape : int array; lengths : int array; numbers : Numbers.t array; text : string option }
