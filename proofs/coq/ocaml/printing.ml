(* Printing: the lines of verified claims (GRAMMAR.md section 6), and a parsed certificate back in the language. Every
   word comes from the values that Coq's checker is given; what it is not given (the producer, bits, which of several
   equal runs is cited, the loss of a problem whose claims do not speak of it) is evidence or a name, and comes from
   what was read. *)

open Verified

(* What Coq's checker was given, as it speaks of the instance. *)
let given sources instances equals (certificate : Verified.certificate) : Kind.given =
  let changed p problem =
    let equal = equals.(p) in
    Equal_tokens.change_problem equal (Equal_tokens.to_instance equal) problem
  in
  let problems = Array.of_list (List.mapi changed certificate.problems) in
  let said claim =
    let p = Kind.problem_of claim in
    Kinds.renumbered (Equal_tokens.claims_to_instance equals.(p) problems.(p)) claim
  in
  { sources; instances; different = Coq_data.each_once Equal_tokens.different equals; problems;
    claims = Array.of_list (List.map said certificate.claims) }

let ( @ ) = Kind.( @ )
let join words = String.concat " " words
let number = string_of_int
let set_word set = String.concat "," (List.map number set)
let problem_of = Kind.problem_of

let claim_words given (read : Kind.claim) k claim =
  let kind = Kinds.of_claim claim in
  [ "claim"; number (k + 1); kind.name; "problem"; number (problem_of claim + 1) ] @ kind.first given read

(* The lines of a problem that say what its rows are. *)
let rows_lines (p : posed) =
  let selection = "selection" :: List.map number (List.length p.selected_tokens :: p.selected_tokens) in
  match p.posing_of with
  | Attention -> [ selection ]
  | Decoding -> [ [ "decoder" ]; selection ]
  | RelaxedGroups groups -> [ "relaxed" :: List.map number (List.length groups :: groups); selection ]
  | SelectedSets sets -> [ "selected-sets" :: number (List.length sets) :: List.map set_word sets ]

(* The same in the line of a claim, where no counts are. *)
let rows_words p =
  let uncounted = function word :: _ :: rest when word <> "decoder" -> word :: rest | words -> words in
  List.concat_map uncounted (rows_lines p)

(* The line of claim k (from 0), which was verified. *)
let verified (given : Kind.given) (certificate : Certificate.t) k =
  let claim = given.claims.(k) in
  let p = problem_of claim and kind = Kinds.of_claim claim in
  let loss =
    match kind.loss with
    | Some loss -> Certificate.word_of_loss given.instances.(p) loss
    | None -> certificate.problems.(p).loss_word
  in
  join
    (claim_words given certificate.claims.(k) k claim
    @ kind.further ()
    @ [ "setting"; Coq_data.setting_name given.sources.(p); "norm"; "euclidean"; "loss"; loss ]
    @ rows_words given.problems.(p))

(* The whole certificate from what was parsed: numbers in canonical form, denominators that are powers of two as 2^e. *)
let parsed (given : Kind.given) (certificate : Certificate.t) emit =
  let counts = Coq_data.each_once (fun (i : instance) -> List.map List.length i.tokens) given.instances in
  let line words = emit (join words) in
  let vector name (v : Verified.vector) =
    let entries = Kind.entries v in
    let denominator = Kind.denominator_word (Coq_data.integer v.denominator) in
    line [ "vector"; name; number (List.length entries); "over"; denominator ];
    List.iter (fun (i, t, a) -> line [ number i; number t; Integer.to_string (Coq_data.integer a) ]) entries
  in
  line [ "attest-certificate"; "1" ];
  line [ "producer"; certificate.producer ];
  line [ "instance"; "sha256"; Coq_data.canonical_sha256 ~offsets:certificate.offsets given.sources.(0) ];
  List.iter
    (function
      | `Problem k ->
          line [ "problem"; number (k + 1) ];
          line [ "setting"; Coq_data.setting_name given.sources.(k) ];
          line [ "norm"; "euclidean" ];
          line [ "loss"; certificate.problems.(k).loss_word ];
          List.iter line (rows_lines given.problems.(k))
      | `Claim k ->
          let claim = given.claims.(k) in
          let read = certificate.claims.(k) in
          line (claim_words given read k claim);
          (Kinds.of_claim claim).evidence
            { print = line; print_vector = vector; eigenvalue_bits = read.bits; run_widths = read.widths;
              counts = counts.(read.about); different = given.different.(read.about) })
    certificate.order;
  line
    [ "end problems"; number (Array.length given.problems); "claims";
      number (Array.length given.claims); "lines"; number certificate.lines ]
