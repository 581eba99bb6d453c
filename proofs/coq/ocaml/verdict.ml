(* What the checker that Coq proves sound says of an instance and a certificate that were read. *)

open Stop

(* How many bits the approximations of rows have for the least eigenvalue, tried in this order. *)
let precisions bits =
  List.sort_uniq compare (Hints.word_bits :: 48 :: (if bits > 29 then [ bits; 2 * bits ] else [ 64 ]))

(* Why claim number k (from 0) was refused; `given` is what the checker was given, `as_read` the claims before
   guessing. *)
let refuse instances data equals (certificate : Certificate.t) (given : Verified.certificate) as_read k =
  let read = certificate.claims.(k) in
  let claims = Array.of_list given.claims in
  if (Kinds.of_claim read.said).why_as_read then claims.(k) <- List.nth as_read k;
  let kinds = Array.map (fun (c : Kind.claim) -> c.kind) certificate.claims in
  let numbers = Array.map (fun (c : Kind.claim) -> c.number) certificate.claims in
  let picks p posed = Verified.posed_picks Verified.integers instances.(p) posed in
  let problems = Array.of_list (List.mapi picks given.problems) in
  let posed = List.nth given.problems read.about and instance = instances.(read.about) in
  let data = Verified.posed_data_in Verified.integers instance data.(read.about) posed in
  let senses =
    match posed.posing_of with
    | Attention | Decoding -> []
    | posing -> Verified.senses_of Verified.integers data posing
  in
  let token =
    if posed.posing_of = Decoding then fun group _ -> certificate.problems.(read.about).picks.(group)
    else Equal_tokens.token equals.(read.about)
  in
  let kind = Kinds.of_claim claims.(k) in
  let none = kind.loss = Some None and of_one = Kinds.of_one_output read.kind in
  let why =
    match
      (match (instance.Verified.token_scoring, of_one) with
      | SeveralOutputs _, Some why when not none -> Refusal.found "%s" why
      | _ -> ());
      kind.why
        { instance; data; problems; posed = Array.of_list given.problems; senses; claims; kinds; numbers;
          bits = read.bits; number = k; token }
    with
    | () -> "the check failed"
    | exception Refusal.Found text -> text
  in
  rejected "claim %d (%s), line %d: %s" read.number read.kind read.line why

(* The first claim of a kind that the instance's head, of several outputs, has no claims of. *)
let first_of_one_output (instances : Verified.instance array) (certificate : Certificate.t) =
  let rec first k =
    if k = Array.length certificate.claims then None
    else if Kinds.of_one_output certificate.claims.(k).kind <> None then Some k
    else first (k + 1)
  in
  match instances.(0).token_scoring with SeveralOutputs _ -> first 0 | _ -> None

(* The certificate in the tokens of the data that Coq's checker merges. *)
let in_data equals (certificate : Certificate.t) : Verified.certificate =
  let posed (p : Constraints.problem) : Verified.posed =
    { posing_of = p.posing; selected_tokens = Array.to_list p.picks }
  in
  let problems = Array.map posed certificate.problems in
  let said (c : Kind.claim) =
    Kinds.renumbered (Equal_tokens.claims_to_data equals.(c.about) problems.(c.about)) c.said
  in
  let changed p problem =
    let equal = equals.(p) in
    Equal_tokens.change_problem equal (Equal_tokens.to_data equal) problem
  in
  { problems = List.mapi changed (Array.to_list problems);
    claims = List.map said (Array.to_list certificate.claims) }

(* The first claim that Coq's checker refuses: it passes over those about other instances than the one given. *)
let first_rejected sources instances data problems claims =
  let in_source source =
    let p = ref 0 in
    while sources.(!p) != source do incr p done;
    let own k = k < Array.length sources && sources.(k) == source in
    Verified.first_rejected Verified.integers Verified.integer_words own instances.(!p) data.(!p) problems [] claims
  in
  let earlier found k = match found with Some j when j <= k -> found | _ -> Some k in
  let next found source = Option.fold ~none:found ~some:(earlier found) (in_source source) in
  let distinct = Array.fold_left (fun kept s -> if List.memq s kept then kept else s :: kept) [] sources in
  List.fold_left next None distinct

(* The values that Coq's checker has accepted. *)
let check (certificate : Certificate.t) : Kind.given =
  let plain = Coq_data.each_once Coq_data.source certificate.datasets in
  let equals = Coq_data.each_once Equal_tokens.of_source plain in
  let { Verified.problems; claims } = in_data equals certificate in
  let precisions = precisions (Array.fold_left (fun bits (c : Kind.claim) -> max bits c.bits) 29 certificate.claims) in
  let decoders = List.exists (fun (p : Verified.posed) -> p.posing_of = Decoding) problems in
  let lost = Hashtbl.create 8 in
  (* `more` multiplies the precision of runs. *)
  let precise instance data more k run =
    if not (Hashtbl.mem lost k) then Hashtbl.add lost k (Runs.lost_bits instance data run);
    Runs.with_precision data run ~lost:(Hashtbl.find lost k) ~widths:certificate.claims.(k).widths ~more
  in
  let guessed instances data bits more place claim =
    match (Kinds.of_claim claim).guessed with
    | None -> claim
    | Some guess ->
        let p = Kind.problem_of claim in
        let instance = instances.(p) in
        let data = Verified.posed_data_in Verified.integers instance data.(p) (List.nth problems p) in
        let selections = List.mapi (fun p -> Verified.posed_picks Verified.integers instances.(p)) problems in
        guess { data; all = claims; selections; bits; precisions; precise = precise instance data more; place }
  in
  let with_spare spare =
    let sources = if spare = 0 then plain else Coq_data.each_once (Coq_data.widened ~by:spare) plain in
    (spare, sources, Coq_data.(each_once instance) sources, Coq_data.(each_once data_of) sources)
  in
  (* At the last precision there is room for rows of any size. *)
  let spare bits wider =
    let needed most source = max most (Coq_data.spare source ~decoders ~bits) in
    if wider = [] then bits else Array.fold_left needed 0 plain
  in
  let rec attempt more (before, sources, instances, data) = function
    | [] -> failwith "no precision to check at"
    | bits :: wider as all -> (
        let spare = spare bits wider in
        let ((_, sources, instances, data) as now) =
          if spare = before then (before, sources, instances, data) else with_spare spare
        in
        let tried = List.mapi (guessed instances data bits more) claims in
        let given : Verified.certificate = { problems; claims = tried } in
        let none = first_of_one_output instances certificate in
        if none = None && Coq_data.accepted sources given then Printing.given sources instances equals given
        else
          let rejected_at =
            match (none, first_rejected sources instances data problems tried) with
            | Some j, Some k -> Some (min j k)
            | Some j, None -> Some j
            | None, rejected_at -> rejected_at
          in
          match rejected_at with
          | Some k when Some k = none -> refuse instances data equals certificate given claims k
          | Some k ->
              let kind = Kinds.of_claim (List.nth tried k) in
              if kind.more_bits && wider <> [] then attempt more now wider
              else if kind.more_precision && more < 4 then attempt (2 * more) now all
              else refuse instances data equals certificate given claims k
          | None -> rejected "the instance or a selection does not have the shape that the verified checker asks for")
  in
  let factorised claim = (Kinds.of_claim claim).factorised in
  attempt 1 (with_spare 0) (if List.exists factorised claims then precisions else [ 0 ])

(* The exit status of what was accepted, when the instance checked is the certificate's: 3 without constraints. *)
let status (given : Kind.given) (certificate : Certificate.t) =
  let hash = Coq_data.canonical_sha256 ~offsets:certificate.offsets given.sources.(0) in
  if hash <> certificate.hash then
    failwith (Printf.sprintf "the instance %s was checked instead of %s" hash certificate.hash);
  let constrained claim =
    let p = Kind.problem_of claim in
    given.problems.(p).posing_of = Verified.Decoding || List.exists (fun tokens -> tokens > 1) given.different.(p)
  in
  if Array.exists constrained given.claims then 0 else 3
