(* How the program stops early: with the exit status of GRAMMAR.md section 6 and a message. *)

exception Stop of int * string

let malformed fmt = Printf.ksprintf (fun why -> raise (Stop (2, why))) fmt
let rejected fmt = Printf.ksprintf (fun why -> raise (Stop (1, why))) fmt
let mismatch fmt = Printf.ksprintf (fun why -> raise (Stop (4, why))) fmt
let too_large fmt = Printf.ksprintf (fun why -> raise (Stop (5, why))) fmt

let reason = function
  | 1 -> "rejected"
  | 4 -> "mismatch"
  | 5 -> "resource limit"
  | 6 -> "internal error"
  | _ -> "malformed"
