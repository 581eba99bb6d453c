(* Printing: the lines of verified claims (GRAMMAR.md section 6), and a parsed certificate back in the language. Every word
   comes from the values that Coq's checker is given; what it is not given (the producer, bits, which of several equal runs is
   cited, the loss of a problem whose claims do not speak of it) is evidence or a name, and comes from what was read. *)

open Verified

(* What Coq's checker is given. *)
type given = { instance : Verified.instance; problems : int list array (* selections *); claims : Verified.claim array }

let given instance (certificate : Verified.certificate) =
  { instance; problems = Array.of_list certificate.problems; claims = Array.of_list certificate.claims }

let fraction = Coq_data.canonical_fraction
let join words = String.concat " " words
let number = string_of_int
let citation k = [ "from"; number (k + 1) ]

let listed mask =
  List.concat (List.mapi (fun i row -> List.concat (List.mapi (fun t b -> if b then [ i; t ] else []) row)) mask)

(* (group, token, numerator) where it is not zero. *)
let entries (v : Verified.vector) =
  let entry i t a = if Integer.sign (Coq_data.integer a) = 0 then [] else [ (i, t, a) ] in
  List.concat (List.mapi (fun i row -> List.concat (List.mapi (entry i) row)) v.numerators)

(* "sha256 HEX" of a vector's lines "group token value". *)
let hashed_vector (v : Verified.vector) =
  let hash = Sha256.create () and value = Coq_data.over v.denominator in
  List.iter
    (fun (i, t, a) ->
      Sha256.add_written hash (fun out ->
          Printf.bprintf out "%d %d " i t;
          Numbers.add_canonical out (value a);
          Buffer.add_char out '\n'))
    (entries v);
  [ "sha256"; Sha256.hex hash ]

let kind : Verified.claim -> string = function
  | Feasible _ -> "feasible"
  | Infeasible _ -> "infeasible"
  | Optimal _ -> "optimal"
  | EnclosureGap _ | EnclosureBall _ -> "optimal-enclosure"
  | Support _ -> "support"
  | StrictlyComplementary _ -> "strictly-complementary"
  | NotStrictlyComplementary _ -> "not-strictly-complementary"
  | LocallyOptimal _ -> "locally-optimal"
  | NotLocallyOptimal _ -> "not-locally-optimal"
  | GloballyOptimal _ -> "globally-optimal"
  | NotGloballyOptimal _ -> "not-globally-optimal"
  | ScoreTie _ -> "score-tie"
  | Rank _ -> "rank"
  | SmoothnessBound _ -> "smoothness"
  | Run _ -> "run"
  | PathInequality _ -> "path-inequality"
  | ForeverFromPoint _ -> "forever-from-point"
  | ForeverFromRun _ -> "forever-from-run"
  | Stationary _ -> "stationary"

(* The loss that the claim is about; none for the kinds that do not speak of training. *)
let loss_of : Verified.claim -> Verified.loss_name option option = function
  | SmoothnessBound (_, loss, _) | ForeverFromPoint (_, _, loss, _, _, _, _) | Stationary (_, loss, _) -> Some loss
  | Run (_, _, run) | PathInequality (_, _, run, _, _, _) | ForeverFromRun (_, _, run, _, _, _) -> Some (Some run.run_loss)
  | _ -> None

let problem_of = Verified.claim_problem Verified.integers

(* The number of the run that a claim cites. The value has the run itself: it must be the one of that number. *)
let cited_run given (read : Certificate.claim) (run : Verified.run_claim) =
  match given.claims.(read.run - 1) with
  | Run (p, _, cited)
    when p = problem_of read.said && cited.run_loss = run.run_loss && cited.run_specification = run.run_specification
         && cited.checkpoints = run.checkpoints ->
      number read.run
  | _ -> failwith (Printf.sprintf "claim %d was checked for another run than claim %d" read.number read.run)

(* The words of the claim's first line after its problem. *)
let first_words given read : Verified.claim -> string list = function
  | Feasible _ | Infeasible _ | GloballyOptimal _ | Stationary _ -> []
  | Optimal (_, norm, _) -> [ "norm-squared"; fraction norm ]
  | EnclosureGap (_, lo, hi, distance, _, _) ->
      [ "form"; "gap"; "norm-squared"; fraction lo; fraction hi; "distance-squared"; fraction distance ]
  | EnclosureBall (_, lo, hi, radius, multiplier_radius, _, _, _, _) ->
      [ "form"; "lambda-min"; "norm-squared"; fraction lo; fraction hi; "radius"; fraction radius; "multiplier-radius";
        fraction multiplier_radius ]
  | Support (_, k, mask) -> citation k @ [ "size"; number (List.length (listed mask) / 2) ]
  | StrictlyComplementary (_, k, _) | LocallyOptimal (_, k) | NotLocallyOptimal (_, k, None) -> citation k
  | NotStrictlyComplementary (_, k, group, token, _) | NotLocallyOptimal (_, k, Some (group, token)) ->
      citation k @ [ "at"; number group; number token ]
  | NotGloballyOptimal (_, group, token) -> [ "at"; number group; number token ]
  | ScoreTie (_, group, first, second) -> [ "group"; number group; "tokens"; number first; number second ]
  | Rank (_, k, rank, _, _) -> citation k @ [ "equals"; number rank ]
  | SmoothnessBound (_, _, beta) -> [ "beta"; fraction beta ]
  | Run (_, k, run) -> citation k @ [ "steps"; number run.run_steps ]
  | PathInequality (_, _, run, from, until, constant) ->
      [ "run"; cited_run given read run; "from"; number from; "until"; number until; "constant"; fraction constant ]
  | ForeverFromPoint (_, k, _, _, _, evidence, said) -> citation k @ Forever.theorem_words evidence said
  | ForeverFromRun (_, k, run, step, evidence, said) ->
      citation k @ [ "run"; cited_run given read run; "at"; number step ] @ Forever.theorem_words evidence said

(* What else is claimed. *)
let further_words : Verified.claim -> string list = function
  | EnclosureGap (_, _, _, _, primal, _) -> "primal" :: hashed_vector primal
  | EnclosureBall (_, _, _, _, _, _, mask, v, _) ->
      ("multipliers" :: hashed_vector v) @ ("constraints" :: List.map number (listed mask))
  | Support (_, _, mask) -> "constraints" :: List.map number (listed mask)
  | Run (_, _, run) -> Runs.run_words run @ List.concat (Runs.claimed_lines run)
  | PathInequality (_, _, run, _, _, _) -> Runs.run_words run
  | ForeverFromPoint (_, _, _, steps, start, _, said) ->
      Forever.specification_words steps @ Forever.hashed_start start @ Forever.conclusion_words said
  | ForeverFromRun (_, _, run, _, _, said) -> Runs.run_words run @ Forever.conclusion_words said
  | Stationary (_, _, start) -> Forever.hashed_start start
  | _ -> []

let claim_words given (read : Certificate.claim) k claim =
  [ "claim"; number (k + 1); kind claim; "problem"; number (problem_of claim + 1) ] @ first_words given read claim

let loss_word loss = fst (List.find (fun (_, value) -> value = loss) Certificate.losses)

(* The line of claim k (from 0), which was verified. *)
let verified given (certificate : Certificate.t) k =
  let claim = given.claims.(k) in
  let p = problem_of claim in
  let loss = match loss_of claim with Some loss -> loss | None -> certificate.problems.(p).loss in
  join
    (claim_words given certificate.claims.(k) k claim
    @ further_words claim
    @ [ "setting"; Coq_data.setting_name given.instance; "norm"; "euclidean"; "loss"; loss_word loss; "selection" ]
    @ List.map number (given.problems.(p)))

(* The whole certificate from what was parsed: numbers in canonical form, denominators that are powers of two as 2^e. *)
let parsed given (certificate : Certificate.t) emit =
  let counts = List.map List.length given.instance.tokens in
  let line words = emit (join words) in
  let vector name (v : Verified.vector) =
    let entries = entries v in
    let d = Coq_data.integer v.denominator in
    let denominator =
      if Integer.popcount d = 1 && Integer.gt d Integer.one then "2^" ^ number (Integer.trailing_zeros d)
      else Integer.to_string d
    in
    line [ "vector"; name; number (List.length entries); "over"; denominator ];
    List.iter (fun (i, t, a) -> line [ number i; number t; Integer.to_string (Coq_data.integer a) ]) entries
  in
  let evidence (read : Certificate.claim) : Verified.claim -> unit = function
    | Feasible (_, v) -> vector "separator" v
    | Infeasible (_, v) -> vector "farkas" v
    | Optimal (_, _, v) -> vector "multipliers" v
    | EnclosureGap (_, _, _, _, v, w) ->
        vector "primal" v;
        vector "dual" w
    | EnclosureBall (_, _, _, _, _, bound, _, v, _) ->
        line [ "lambda-min"; fraction bound; "bits"; number read.bits ];
        vector "multipliers" v
    | Support (_, _, mask) -> Forever.print_constraints line mask
    | StrictlyComplementary (_, _, None) -> line [ "evidence"; "cited" ]
    | StrictlyComplementary (_, _, Some v) -> vector "multipliers" v
    | NotStrictlyComplementary (_, _, _, _, v) -> vector "direction" v
    | Rank (_, _, _, lower, upper) ->
        (match lower with
        | LowerNone -> line [ "lower none" ]
        | LowerModulus q -> line [ "lower modulus"; Integer.to_string (Coq_data.integer q) ]
        | LowerEigenvalue (bound, columns, _) ->
            line
              ([ "lower lambda-min"; fraction bound; "bits"; number read.bits; "columns" ]
              @ List.map number (List.length columns :: columns)));
        line [ "upper"; fst (List.find (fun (_, reason) -> reason = upper) Certificate.upper_bounds) ]
    | Run (_, _, run) -> List.iter line (Runs.lines run ~fraction_bits:read.fraction_bits)
    | LocallyOptimal _ | NotLocallyOptimal _ | GloballyOptimal _ | NotGloballyOptimal _ | ScoreTie _ | SmoothnessBound _ | PathInequality _ -> ()
    | ForeverFromPoint (_, _, _, steps, start, evidence, said) ->
        line (Forever.specification_words steps);
        line (Forever.written_start start);
        Forever.print_evidence line ~vector ~bits:read.bits counts evidence;
        line (Forever.conclusion_words said)
    | ForeverFromRun (_, _, _, _, evidence, said) ->
        Forever.print_evidence line ~vector ~bits:read.bits counts evidence;
        line (Forever.conclusion_words said)
    | Stationary (_, _, start) -> line (Forever.written_start start)
  in
  line [ "attest-certificate"; "1" ];
  line [ "producer"; certificate.producer ];
  line [ "instance"; "sha256"; Coq_data.canonical_sha256 given.instance ];
  List.iter
    (function
      | `Problem k ->
          line [ "problem"; number (k + 1) ];
          line [ "setting"; Coq_data.setting_name given.instance ];
          line [ "norm"; "euclidean" ];
          line [ "loss"; loss_word certificate.problems.(k).loss ];
          let picks = given.problems.(k) in
          line ("selection" :: List.map number (List.length picks :: picks))
      | `Claim k ->
          let claim = given.claims.(k) in
          line (claim_words given certificate.claims.(k) k claim);
          evidence certificate.claims.(k) claim)
    certificate.order;
  line
    [ "end problems"; number (Array.length given.problems); "claims";
      number (Array.length given.claims); "lines"; number certificate.lines ]
