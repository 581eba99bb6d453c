(* check_many_verified: check_many.cpp for the verified checker. *)

let status_of instance certificate =
  match
    let certificate = Certificate.read certificate (fun () -> Dataset.read instance) in
    Verdict.status (Verdict.check certificate) certificate
  with
  | status -> status
  | exception Stop.Stop (status, _) -> status

let () =
  Memory.limit (Memory.default_limit ());
  try
    while true do
      match String.split_on_char '\t' (input_line stdin) with
      | [ instance; certificate ] -> Printf.printf "%d\n%!" (status_of instance certificate)
      | _ -> failwith "a line has two files, with a tab between them"
    done
  with End_of_file -> ()
