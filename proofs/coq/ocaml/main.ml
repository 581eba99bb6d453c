(* attest-check-verified INSTANCE CERT: checks a certificate with the checker that Coq proves sound (Certificates.v,
   check_certificate_sound), extracted to OCaml. Reading, hints and printing are not verified. Exit statuses and lines
   are those of attest-check (GRAMMAR.md section 6). *)

open Stop

let usage =
  "Usage: attest-check-verified [--require KIND]... [--time-limit SECONDS] [--json | --print-parsed] INSTANCE CERT\n\
   Re-checks every claim of the certificate CERT from the dataset INSTANCE with the checker that is proved sound in \
   Coq.\n\
   \  --require KIND  also fail (exit 1) unless a claim of this kind was verified; may be repeated\n\
   \  --time-limit SECONDS  end with exit 5 when nothing is decided by then\n\
   \  --memory-limit BYTES  end with exit 5 when more would be held (default: half of the machine's memory, at most\n\
   \                  4 GiB)\n\
   \  --json          print one JSON object instead of text\n\
   \  --print-parsed  print the certificate back from what was parsed, and check nothing\n\
   \  --help          print this text\n\
   Exit: 0 verified, 1 rejected, 2 malformed or unreadable input, or usage,\n\
   \      3 vacuous (no constraints), 4 the certificate is for another instance, 5 resource limit,\n\
   \      6 internal error\n"

exception Unwritable

(* Standard output has what `print` puts there. *)
let printed print = try print (); flush stdout with Sys_error _ -> raise Unwritable

let print_verdict (given : Kind.given) (certificate : Certificate.t) ~json =
  let code = Verdict.status given certificate in
  let status = if code = 0 then "VERIFIED" else "VACUOUS" in
  let out = Buffer.create 4096 in
  if json then (
    (* Lines and kinds consist of words, digits and the characters - * ^ / only: nothing needs escaping. *)
    Printf.bprintf out "{\"status\":\"%s\",\"claims\":[" status;
    Array.iteri
      (fun k claim ->
        Printf.bprintf out "%s{\"claim\":%d,\"kind\":\"%s\",\"problem\":%d,\"line\":\"%s\"}"
           (if k > 0 then "," else "") (k + 1)
          (Kinds.name claim) (Printing.problem_of claim + 1) (Printing.verified given certificate k))
      given.claims;
    Buffer.add_string out "]}\n")
  else (
    Array.iteri (fun k _ -> Printf.bprintf out "v %s\n" (Printing.verified given certificate k)) given.claims;
    Printf.bprintf out "s %s\n" status);
  printed (fun () -> print_string (Buffer.contents out));
  code

(* The verdict stands: no time limit ends the program any more. *)
let decided = ref false

(* Ends the program with exit 5 after that many seconds of the clock on the wall, unless the verdict stands by then. *)
let limit_time seconds =
  let out_of_time _ =
    if not !decided then (
      Printf.eprintf "attest-check-verified: resource limit: not decided within %d seconds\n" seconds;
      exit 5)
  in
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle out_of_time);
  ignore (Unix.alarm seconds)

type mode = Text | Json | Parsed

let run arguments =
  let wrong fmt =
    Printf.ksprintf
      (fun why ->
        Printf.eprintf "attest-check-verified: usage: %s\n%s" why usage;
        2)
      fmt
  in
  let check_files mode required instance path =
    List.iter
      (fun kind -> if Kinds.named kind = None then malformed "--require: unknown claim kind %s" kind)
      required;
    Memory.work := "reading the instance and the certificate";
    let certificate = Certificate.read path (fun () -> Dataset.read instance) in
    Memory.work := "checking the claims";
    if Array.exists (fun (d : Dataset.t) -> Array.length d.x > 1 lsl 20) certificate.datasets then
      Memory.large_work ();
    if mode = Parsed then (
      let sources = Coq_data.each_once Coq_data.source certificate.datasets in
      let equals = Coq_data.each_once Equal_tokens.of_source sources in
      printed (fun () ->
          Printing.parsed
            (Printing.given sources
               (Coq_data.each_once Coq_data.instance sources)
               equals
               (Verdict.in_data equals certificate))
            certificate
            (fun line -> print_string line; print_char '\n'));
      0)
    else (
      let given = Verdict.check certificate in
      let verified kind = Array.exists (fun claim -> Kinds.name claim = kind) given.claims in
      List.iter
        (fun kind -> if not (verified kind) then rejected "no claim of the required kind %s was verified" kind)
        required;
      decided := true;
      print_verdict given certificate ~json:(mode = Json))
  in
  let is_number digits text =
    String.length text <= digits && String.for_all (fun c -> c >= '0' && c <= '9') text
     && int_of_string_opt text > Some 0
  in
  let rec options mode required files = function
    | "--help" :: _ ->
        printed (fun () -> print_string usage);
        0
    | "--json" :: rest -> options Json required files rest
    | "--print-parsed" :: rest -> options Parsed required files rest
    | [ "--require" ] -> wrong "--require needs a claim kind"
    | "--require" :: kind :: rest -> options mode (required @ [ kind ]) files rest
    | "--time-limit" :: seconds :: rest when is_number 6 seconds ->
        limit_time (int_of_string seconds);
        options mode required files rest
    | "--time-limit" :: _ -> wrong "--time-limit needs a number of seconds, 1 to 999999"
    | "--memory-limit" :: bytes :: rest when is_number 15 bytes ->
        Gc.Memprof.stop ();
        Memory.limit (int_of_string bytes);
        options mode required files rest
    | "--memory-limit" :: _ -> wrong "--memory-limit needs a number of bytes, 1 to 999999999999999"
    | option :: _ when option <> "" && option.[0] = '-' -> wrong "unknown option %s" option
    | file :: rest -> options mode required (files @ [ file ]) rest
    | [] -> (
        match files with
        | [ instance; path ] -> check_files mode required instance path
        | _ -> wrong "two files expected, INSTANCE and CERT")
  in
  Memory.limit (Memory.default_limit ());
  options Text [] [] arguments

external last_resort : unit -> unit = "attest_last_resort"

(* Every way a run can end, as a status of the contract. *)
let () =
  last_resort ();
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;  (* a reader that leaves is output that cannot be written *)
  let finish code why =
    Printf.eprintf "attest-check-verified: %s: %s\n" (reason code) why;
    code
  in
  let leave code =  (* without writing once more what could not be written *)
    (try flush stderr with Sys_error _ -> ());
    Unix._exit code
  in
  leave
    (try run (List.tl (Array.to_list Sys.argv)) with
    | Unwritable ->
        prerr_endline "attest-check-verified: standard output cannot be written";
        2
    | Stop (code, why) -> finish code why
    | Out_of_memory | Stack_overflow -> finish 5 "memory: more is needed than the system has"
    | Sys_error why -> finish 2 why
    | error -> finish 6 (Printexc.to_string error))
