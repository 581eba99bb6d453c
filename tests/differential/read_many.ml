(* read_many: the instance files named on standard input, a line each, read by the verified checker's reader.
   Prints a line per file: the instance's hash, or "refused". *)

let () =
  try
    while true do
      let path = input_line stdin in
      print_endline
        (match Dataset.read path with
        | instance -> Dataset.canonical_sha256 instance
        | exception Stop.Stop _ -> "refused")
    done
  with End_of_file -> ()
