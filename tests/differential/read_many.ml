(* read_many: the instance files named on standard input, a line each, read by the verified checker's reader.
   Prints a line per file: the instance's hash or "refused". *)

let () =
  try
    while true do
      let path = input_line stdin in
      print_endline (try Dataset.canonical_sha256 (Dataset.read path) with Stop.Stop _ -> "refused")
    done
  with End_of_file -> ()
