(* Printing: the lines of verified claims (GRAMMAR.md section 6), and a parsed certificate back in the language. *)

open Verified

let fraction = Coq_data.canonical_fraction
let join words = String.concat " " words

let listed mask =
  List.concat (List.mapi (fun i row -> List.concat (List.mapi (fun t b -> if b then [ i; t ] else []) row)) mask)

(* The line of a claim that was verified. *)
let verified (certificate : Certificate.t) (claim : Certificate.claim) =
  let support =
    match claim.said with
    | Support (_, _, mask) -> List.fold_left (fun text i -> text ^ " " ^ string_of_int i) " constraints" (listed mask)
    | _ -> ""
  in
  let picks = Array.to_list certificate.problems.(claim.about).picks in
  claim.first ^ support ^ List.fold_left (fun text i -> text ^ " " ^ string_of_int i) " selection" picks

(* The whole certificate from what was parsed: evidence from the Coq values, numbers in canonical form, denominators that
   are powers of two as 2^e. *)
let parsed dataset (certificate : Certificate.t) emit =
  let counts = List.init (Dataset.groups dataset) (Dataset.tokens dataset) in
  let line words = emit (join words) in
  let vector name (v : Verified.vector) =
    let entries =
      List.concat
        (List.mapi
           (fun i row ->
             List.concat
               (List.mapi (fun t a -> if Integer.sign (Coq_data.integer a) = 0 then [] else [ (i, t, Coq_data.integer a) ]) row))
           v.numerators)
    in
    let d = Coq_data.integer v.denominator in
    let denominator =
      if Integer.popcount d = 1 && Integer.gt d Integer.one then "2^" ^ string_of_int (Integer.trailing_zeros d)
      else Integer.to_string d
    in
    line [ "vector"; name; string_of_int (List.length entries); "over"; denominator ];
    List.iter (fun (i, t, a) -> line [ string_of_int i; string_of_int t; Integer.to_string a ]) entries
  in
  let evidence (claim : Certificate.claim) =
    match claim.said with
    | Feasible (_, v) -> vector "separator" v
    | Infeasible (_, v) -> vector "farkas" v
    | Optimal (_, _, v) -> vector "multipliers" v
    | EnclosureGap (_, _, _, _, v, w) ->
        vector "primal" v;
        vector "dual" w
    | EnclosureBall (_, _, _, _, _, bound, _, v, _) ->
        line [ "lambda-min"; fraction bound; "bits"; string_of_int claim.bits ];
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
              ([ "lower lambda-min"; fraction bound; "bits"; string_of_int claim.bits; "columns" ]
              @ List.map string_of_int (List.length columns :: columns)));
        line [ "upper"; fst (List.find (fun (_, reason) -> reason = upper) Certificate.upper_bounds) ]
    | Run (_, _, run) -> List.iter line (Runs.lines run ~fraction_bits:claim.fraction_bits)
    | LocallyOptimal _ | NotLocallyOptimal _ | GloballyOptimal _ | NotGloballyOptimal _ | ScoreTie _ | SmoothnessBound _ | PathInequality _ -> ()
    | ForeverFromPoint (_, _, _, steps, start, evidence, said) ->
        Forever.print_specification line steps;
        Forever.print_start line start;
        Forever.print_evidence line ~vector ~bits:claim.bits counts evidence;
        Forever.print_conclusion line said
    | ForeverFromRun (_, _, _, _, evidence, said) ->
        Forever.print_evidence line ~vector ~bits:claim.bits counts evidence;
        Forever.print_conclusion line said
    | Stationary (_, _, start) -> Forever.print_start line start
  in
  line [ "attest-certificate"; "1" ];
  line [ "producer"; certificate.producer ];
  line [ "instance"; "sha256"; certificate.hash ];
  List.iter
    (function
      | `Problem k ->
          let p = certificate.problems.(k) in
          line [ "problem"; string_of_int (k + 1) ];
          line [ "setting"; p.setting ];
          line [ "norm"; "euclidean" ];
          line [ "loss"; p.loss ];
          let picks = Array.to_list p.picks in
          line ("selection" :: List.map string_of_int (List.length picks :: picks))
      | `Claim k ->
          emit certificate.claims.(k).first;
          evidence certificate.claims.(k))
    certificate.order;
  line
    [ "end problems"; string_of_int (Array.length certificate.problems); "claims";
      string_of_int (Array.length certificate.claims); "lines"; string_of_int certificate.lines ]
