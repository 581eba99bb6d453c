(* attest-check-verified INSTANCE CERT: checks a certificate with the checker that Coq proves sound (Certificates.v,
   check_certificate_sound), extracted to OCaml. Reading, hints and printing are not verified. Exit statuses and lines are
   those of attest-check (GRAMMAR.md section 6). *)

open Stop

let usage =
  "Usage: attest-check-verified [--require KIND]... [--time-limit SECONDS] [--json | --print-parsed] INSTANCE CERT\n\
   Re-checks every claim of the certificate CERT from the dataset INSTANCE with the checker that is proved sound in Coq.\n\
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

(* How many bits the approximations of rows have for the least eigenvalue, tried in this order. *)
let precisions bits = List.sort_uniq compare (24 :: 48 :: (if bits > 29 then [ bits; 2 * bits ] else [ 64 ]))

let problems_given (certificate : Certificate.t) =
  List.map (fun (p : Constraints.problem) -> Array.to_list p.picks) (Array.to_list certificate.problems)

(* The values that Coq's checker has accepted. *)
let check dataset (certificate : Certificate.t) : Printing.given =
  let claims = List.map (fun (c : Certificate.claim) -> c.said) (Array.to_list certificate.claims) in
  let is_ball : Verified.claim -> bool = function EnclosureBall _ -> true | _ -> false in
  let evidence : Verified.claim -> Verified.forever_evidence option = function
    | ForeverFromPoint (_, _, _, _, _, evidence, _) | ForeverFromRun (_, _, _, _, evidence, _) -> Some evidence
    | _ -> None
  in
  let bound_hints claim = Option.bind (evidence claim) Hints.bound_hints in
  let factorised claim = is_ball claim || Option.is_some (bound_hints claim) in
  (* More bits may prove its eigenvalue bound. *)
  let retried claim = is_ball claim || match bound_hints claim with Some hints -> hints == Hints.refused | None -> false in
  let is_run : Verified.claim -> bool = function Run _ | PathInequality _ | ForeverFromRun _ -> true | _ -> false in
  let problems = problems_given certificate in
  let precisions = precisions (Array.fold_left (fun bits (c : Certificate.claim) -> max bits c.bits) 29 certificate.claims) in
  let lost = Hashtbl.create 8 in
  let precise data k run ~more =
    if not (Hashtbl.mem lost k) then Hashtbl.add lost k (Runs.lost_bits data run);
    Runs.with_precision run ~lost:(Hashtbl.find lost k) ~fraction_bits:certificate.claims.(k).fraction_bits ~more
  in
  let with_hints data bits p cited evidence = Hints.evidence data (List.nth problems p) (List.nth claims cited) evidence ~bits in
  let hinted data bits more k (claim : Verified.claim) : Verified.claim =
    match claim with
    | EnclosureBall (p, lo, hi, r, q, s, mask, v, _) ->
        EnclosureBall (p, lo, hi, r, q, s, mask, v, Hints.compute data (List.nth problems p) mask s ~bits)
    | Rank (p, k, r, lower, upper) ->
        Rank (p, k, r, Hints.lower data (List.nth problems p) (List.nth claims k) lower ~precisions, upper)
    | Run (p, cited, run) ->
        let speaks_of_path : Verified.claim -> bool = function PathInequality (_, run, _, _, _, _) -> run = k | _ -> false in
        Run (p, cited, precise data k { run with keeps_path = List.exists speaks_of_path claims } ~more)
    | PathInequality (p, cited, run, from, until, constant) ->
        PathInequality (p, cited, precise data cited run ~more, from, until, constant)
    | ForeverFromRun (p, cited, run, step, evidence, said) ->
        ForeverFromRun (p, cited, precise data k { run with run_steps = step } ~more, step, with_hints data bits p cited evidence, said)
    | ForeverFromPoint (p, cited, loss, steps, start, evidence, said) ->
        ForeverFromPoint (p, cited, loss, steps, start, with_hints data bits p cited evidence, said)
    | claim -> claim
  in
  (* `more` multiplies the precision of runs. *)
  let rec attempt more = function
    | [] -> failwith "no precision to check at"
    | bits :: wider as all -> (
        let instance = Coq_data.instance dataset ~spare:bits in
        let data = Verified.token_data_of Verified.integers instance in
        let claims_with_hints = List.mapi (hinted data bits more) claims in
        let given : Verified.certificate = { problems; claims = claims_with_hints } in
        if Verified.check_certificate Verified.integers Verified.integer_words instance given then Printing.given instance given
        else
          match Verified.first_rejected Verified.integers Verified.integer_words data problems [] claims_with_hints with
          | Some k when retried (List.nth claims_with_hints k) && wider <> [] -> attempt more wider
          | Some k when is_run (List.nth claims_with_hints k) && more < 2 -> attempt (2 * more) all
          | Some k ->
              let claim = certificate.claims.(k) in
              let claims = Array.of_list claims_with_hints in
              (match claim.said with Rank (_, _, _, LowerModulus _, _) -> claims.(k) <- claim.said | _ -> ());
              let kinds = Array.map (fun (c : Certificate.claim) -> c.kind) certificate.claims in
              let numbers = Array.map (fun (c : Certificate.claim) -> c.number) certificate.claims in
              rejected "claim %d (%s), line %d: %s" claim.number claim.kind claim.line
                (Explain.why { data; problems = Array.of_list problems; claims; kinds; numbers; bits = claim.bits; number = k })
          | None -> rejected "the instance or a selection does not have the shape that the verified checker asks for")
  in
  attempt 1 (if List.exists factorised claims then precisions else [ 0 ])

let print_verdict (given : Printing.given) (certificate : Certificate.t) ~json =
  let hash = Coq_data.canonical_sha256 given.instance in
  if hash <> certificate.hash then failwith (Printf.sprintf "the instance %s was checked instead of %s" hash certificate.hash);
  let out = Buffer.create 4096 in
  let constrained = List.exists (fun tokens -> List.length tokens > 1) given.instance.tokens in
  let status, code = if constrained then ("VERIFIED", 0) else ("VACUOUS", 3) in
  if json then (
    (* Lines and kinds consist of words, digits and the characters - * ^ / only: nothing needs escaping. *)
    Printf.bprintf out "{\"status\":\"%s\",\"claims\":[" status;
    Array.iteri
      (fun k claim ->
        Printf.bprintf out "%s{\"claim\":%d,\"kind\":\"%s\",\"problem\":%d,\"line\":\"%s\"}" (if k > 0 then "," else "") (k + 1)
          (Printing.kind claim) (Printing.problem_of claim + 1) (Printing.verified given certificate k))
      given.claims;
    Buffer.add_string out "]}\n")
  else (
    Array.iteri (fun k _ -> Printf.bprintf out "v %s\n" (Printing.verified given certificate k)) given.claims;
    Printf.bprintf out "s %s\n" status);
  print_string (Buffer.contents out);
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
      (fun kind -> if not (List.mem kind Certificate.kinds) then malformed "--require: unknown claim kind %s" kind)
      required;
    Memory.work := "reading the instance and the certificate";
    let dataset, certificate = Certificate.read path (fun () -> Dataset.read instance) in
    Memory.work := "checking the claims";
    if mode = Parsed then (
      let claims = List.map (fun (c : Certificate.claim) -> c.said) (Array.to_list certificate.claims) in
      let instance = Coq_data.instance dataset ~spare:0 in
      Printing.parsed
        (Printing.given instance { problems = problems_given certificate; claims })
        certificate
        (fun line -> print_string line; print_char '\n');
      0)
    else (
      let given = check dataset certificate in
      let verified kind = Array.exists (fun claim -> Printing.kind claim = kind) given.claims in
      List.iter
        (fun kind -> if not (verified kind) then rejected "no claim of the required kind %s was verified" kind)
        required;
      decided := true;
      print_verdict given certificate ~json:(mode = Json))
  in
  let is_number digits text =
    String.length text <= digits && String.for_all (fun c -> c >= '0' && c <= '9') text && int_of_string_opt text > Some 0
  in
  let rec options mode required files = function
    | "--help" :: _ ->
        print_string usage;
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
  exit
    (try
       let code = run (List.tl (Array.to_list Sys.argv)) in
       flush stdout;
       code
     with
    | Stop (code, why) -> finish code why
    | Out_of_memory | Stack_overflow -> finish 5 "memory: more is needed than the system has"
    | Sys_error why -> finish 2 why
    | error -> finish 6 (Printexc.to_string error))
