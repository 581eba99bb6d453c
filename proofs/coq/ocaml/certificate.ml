(* Parsing a certificate (GRAMMAR.md) into the Coq type of claims, for an instance already read. *)

open Stop
open Constraints

type claim = { number : int; line : int; kind : string; about : int (* problem, from 0 *);
               run : int (* the number of the run cited; 0 otherwise *);
               bits : int (* of an eigenvalue bound; 0 otherwise *);
               fraction_bits : int (* of a run; 0 otherwise *); said : Verified.claim }

type t = { producer : string; hash : string; problems : problem array; claims : claim array;
           order : [ `Problem of int | `Claim of int ] list; lines : int }

(* Every kind of GRAMMAR.md, those about runs too. *)
let kinds =
  [ "feasible"; "infeasible"; "optimal"; "optimal-enclosure"; "support"; "strictly-complementary"; "not-strictly-complementary";
    "locally-optimal"; "not-locally-optimal"; "globally-optimal"; "not-globally-optimal"; "score-tie"; "rank"; "smoothness";
    "stationary"; "run"; "path-inequality"; "forever-from-point"; "forever-from-run" ]

let read_header source dataset =
  let line = Line.next source in
  Line.expect line "attest-certificate";
  if Line.index line <> 1 then Line.bad line "unsupported version";
  Line.finish line;
  let line = Line.next source in
  Line.expect line "producer";
  let name = Line.word line in
  let version = Line.word line in
  Line.finish line;
  let line = Line.next source in
  Line.expect line "instance";
  Line.expect line "sha256";
  let hash = Line.word line in
  Line.finish line;
  let hexadecimal c = Numbers.is_digit c || (c >= 'a' && c <= 'f') in
  if String.length hash <> 64 || not (List.for_all hexadecimal (List.of_seq (String.to_seq hash))) then
    Line.bad line "64 lower-case hexadecimal digits expected";
  let actual = Dataset.canonical_sha256 dataset in
  if hash <> actual then mismatch "the certificate is for another instance: it names %s, this one is %s" hash actual;
  (name ^ " " ^ version, hash)

let one_word line what words =
  let word = Line.word line in
  if not (List.mem word words) then Line.bad line "unknown %s %s" what word;
  word

let one_of line what words =
  let word = one_word line what words in
  Line.finish line;
  word

let losses = Verified.[ ("none", None); ("logistic", Some Logistic); ("exponential", Some Exponential); ("correlation", Some Correlation) ]

let read_problem source (dataset : Dataset.t) (first : Line.t) number =
  let reject (line : Line.t) fmt =
    Printf.ksprintf (fun why -> rejected "problem %d, line %d: %s" number line.number why) fmt
  in
  if Line.index first <> number then Line.bad first "problems are numbered 1, 2, 3, …";
  Line.finish first;
  let setting_line = Line.next source in
  Line.expect setting_line "setting";
  let setting = one_of setting_line "setting" [ "prompt"; "cross-attention"; "self-attention" ] in
  let line = Line.next source in
  Line.expect line "norm";
  Line.expect line "euclidean";
  Line.finish line;
  let line = Line.next source in
  Line.expect line "loss";
  let loss = List.assoc (one_of line "loss" (List.map fst losses)) losses in
  let line = Line.next source in
  Line.expect line "selection";
  let count = Line.index line in
  let rec indices found = if Line.at_end line then List.rev found else indices (Line.index line :: found) in
  let picks = Array.of_list (indices []) in
  if Array.length picks <> count then Line.bad line "the count is not the number of indices";
  let actual = Dataset.setting_name dataset.setting in
  if setting <> actual then reject setting_line "the instance's setting is %s" actual;
  if count <> Dataset.groups dataset then reject line "the instance has %d groups" (Dataset.groups dataset);
  Array.iteri (fun i t -> if t >= Dataset.tokens dataset i then reject line "group %d has no token %d" i t) picks;
  { number; loss; picks }

(* The place, counted from 0, of the claim that claim `number` cites. *)
let read_citation line number =
  Line.expect line "from";
  let cited = Line.index line in
  if cited = 0 || cited >= number then Line.bad line "claim %d is not an earlier claim" cited;
  cited - 1

let upper_bounds =
  Verified.
    [ ("groups", UpperGroups); ("left-dimension", UpperLeftDimension); ("right-dimension", UpperRightDimension);
      ("queries", UpperQueries); ("tokens", UpperTokens); ("elimination", UpperElimination) ]

(* The lower bound of a rank, and its bits. *)
let read_lower line right_dimension : Verified.rank_lower * int =
  Line.expect line "lower";
  let lower =
    if Line.accept line "modulus" then (Verified.LowerModulus (Coq_data.carrier (Z.of_int (Line.index line))), 0)
    else if Line.accept line "none" then (LowerNone, 0)
    else (
      Line.expect line "lambda-min";
      let bound = Coq_data.fraction (Line.rational line) in
      let bits = read_bits line in
      Line.expect line "columns";
      let count = Line.index line in
      let rec columns last found =
        if Line.at_end line then List.rev found
        else
          let column = Line.index line in
          if column >= right_dimension then Line.bad line "no such column";
          if column <= last then Line.bad line "columns must strictly increase";
          columns column (column :: found)
      in
      let columns = columns (-1) [] in
      if List.length columns <> count then Line.bad line "the count is not the number of columns";
      (LowerEigenvalue (bound, columns, Hints.refused), bits))
  in
  Line.finish line;
  lower

let read_rank line source dataset p cited =
  Line.expect line "equals";
  let rank = Line.index line in
  Line.finish line;
  let lower, bits = read_lower (Line.next source) (Dataset.right_dimension dataset) in
  let upper = Line.next source in
  Line.expect upper "upper";
  let reason = one_of upper "upper bound" (List.map fst upper_bounds) in
  (Verified.Rank (p, cited, rank, lower, List.assoc reason upper_bounds), bits)

(* "theorem NAME": what reads its evidence, and the bits of its eigenvalue bound. *)
let read_theorem line source dataset problem =
  Line.expect line "theorem";
  match one_word line "theorem" [ "absorbing"; "local"; "lock-in"; "residual"; "bounded" ] with
  | "absorbing" -> fun () -> (Forever.read_absorbing source dataset, 0)
  | "local" -> fun () -> (Forever.read_local source dataset problem, 0)
  | "lock-in" -> fun () -> (Forever.read_lock_in source dataset, 0)
  | "residual" -> fun () -> Forever.read_residual source dataset problem
  | _ -> fun () -> Forever.read_bounded source dataset problem

(* "run R": the number of an earlier claim. *)
let read_run_number line number =
  Line.expect line "run";
  let cited = Line.index line in
  if cited = 0 || cited >= number then Line.bad line "claim %d is not an earlier claim" cited;
  cited

(* The place of claim `cited` among `claims`, the latest first, which must be about a run of problem p, that run and its fraction bits. *)
let cited_run kind line number p claims cited =
  let place = cited - 1 in
  match List.nth claims (List.length claims - cited) with
  | { said = Run (problem, _, run); fraction_bits; _ } when problem = p -> (place, run, fraction_bits)
  | { about; _ } when about <> p ->
      rejected "claim %d (%s), line %d: claim %d is about another problem" number kind line.Line.number cited
  | { kind = other; _ } ->
      rejected "claim %d (%s), line %d: cites claim %d, a claim of kind %s; expected run" number kind line.Line.number cited other

(* "run R at index": an earlier claim about a run of the same problem, and one of its checkpoints. *)
let read_run_step line number p claims =
  let cited = read_run_number line number in
  Line.expect line "at";
  let step = Line.index line in
  let _, run, fraction_bits = cited_run "forever-from-run" line number p claims cited in
  if not (List.exists (fun (c : Verified.checkpoint) -> c.at_step = step) run.checkpoints) then
    rejected "claim %d (forever-from-run), line %d: the run has no checkpoint %d" number line.number step;
  (cited, run, step, fraction_bits)

(* What is read of a claim: its value, the bits of its eigenvalue bound, the fraction bits of its run, the run it cites. *)
type body = { value : Verified.claim; of_eigenvalue : int; of_run : int; cites : int }

let read_body kind line source dataset problem p number claims : body =
  let open Verified in
  let vector = read_vector source dataset problem in
  let fraction () = Coq_data.fraction (Line.rational line) in
  let plain value = { value; of_eigenvalue = 0; of_run = 0; cites = 0 } in
  let from () = read_citation line number in
  match kind with
  | "feasible" ->
      Line.finish line;
      plain (Feasible (p, vector "separator"))
  | "infeasible" ->
      Line.finish line;
      plain (Infeasible (p, vector "farkas"))
  | "optimal" ->
      Line.expect line "norm-squared";
      let norm = fraction () in
      Line.finish line;
      plain (Optimal (p, norm, vector "multipliers"))
  | "optimal-enclosure" -> (
      Line.expect line "form";
      let form = Line.word line in
      if form <> "gap" && form <> "lambda-min" then Line.bad line "unknown form %s" form;
      Line.expect line "norm-squared";
      let lo = fraction () in
      let hi = fraction () in
      match form with
      | "gap" ->
          Line.expect line "distance-squared";
          let distance = fraction () in
          Line.finish line;
          let primal = vector "primal" in
          plain (EnclosureGap (p, lo, hi, distance, primal, vector "dual"))
      | _ ->
          Line.expect line "radius";
          let radius = fraction () in
          Line.expect line "multiplier-radius";
          let multiplier_radius = fraction () in
          Line.finish line;
          let second = Line.next source in
          Line.expect second "lambda-min";
          let bound = Coq_data.fraction (Line.rational second) in
          let bits = read_bits second in
          Line.finish second;
          let multipliers = vector "multipliers" in
          let mask = nonzero multipliers in
          let value = EnclosureBall (p, lo, hi, radius, multiplier_radius, bound, mask, multipliers, Hints.refused) in
          { (plain value) with of_eigenvalue = bits })
  | "support" ->
      let cited = from () in
      Line.expect line "size";
      let count = Line.index line in
      Line.finish line;
      plain (Support (p, cited, read_constraints line source dataset problem count))
  | "strictly-complementary" ->
      let cited = from () in
      Line.finish line;
      let evidence = Line.next source in
      if Line.accept evidence "evidence" then (
        Line.expect evidence "cited";
        Line.finish evidence;
        plain (StrictlyComplementary (p, cited, None)))
      else plain (StrictlyComplementary (p, cited, Some (read_vector_from evidence source dataset problem "multipliers")))
  | "not-strictly-complementary" ->
      let cited = from () in
      Line.expect line "at";
      let group, token = read_constraint dataset problem line in
      Line.finish line;
      plain (NotStrictlyComplementary (p, cited, group, token, vector "direction"))
  | "locally-optimal" ->
      let cited = from () in
      Line.finish line;
      plain (LocallyOptimal (p, cited))
  | "not-locally-optimal" ->
      let cited = from () in
      let at = if Line.accept line "at" then Some (read_constraint dataset problem line) else None in
      Line.finish line;
      plain (NotLocallyOptimal (p, cited, at))
  | "globally-optimal" ->
      Line.finish line;
      plain (GloballyOptimal p)
  | "not-globally-optimal" ->
      Line.expect line "at";
      let group, token = read_constraint dataset problem line in
      Line.finish line;
      plain (NotGloballyOptimal (p, group, token))
  | "score-tie" ->
      Line.expect line "group";
      let group = Line.index line in
      Line.expect line "tokens";
      let first = Line.index line in
      let second = Line.index line in
      Line.finish line;
      if group >= Dataset.groups dataset || second >= Dataset.tokens dataset group || first >= second then
        Line.bad line "not two increasing tokens of a group";
      plain (ScoreTie (p, group, first, second))
  | "rank" ->
      let value, bits = read_rank line source dataset p (from ()) in
      { (plain value) with of_eigenvalue = bits }
  | "smoothness" ->
      Line.expect line "beta";
      let beta = fraction () in
      Line.finish line;
      plain (SmoothnessBound (p, problem.loss, beta))
  | "run" ->
      let cited = from () in
      let run, fraction_bits = Runs.read line source dataset problem.loss in
      { (plain (Run (p, cited, run))) with of_run = fraction_bits }
  | "forever-from-point" ->
      let cited = from () in
      let read_evidence = read_theorem line source dataset problem in
      let dominates = Forever.read_domination line in
      let steps = Forever.read_specification (Line.next source) in
      let start = Forever.read_start (Line.next source) dataset in
      let evidence, bits = read_evidence () in
      let said = Forever.read_conclusion (Line.next source) dominates in
      { (plain (ForeverFromPoint (p, cited, problem.loss, steps, start, evidence, said))) with of_eigenvalue = bits }
  | "forever-from-run" ->
      let cited = from () in
      let cites, run, step, of_run = read_run_step line number p claims in
      let read_evidence = read_theorem line source dataset problem in
      let dominates = Forever.read_domination line in
      let evidence, of_eigenvalue = read_evidence () in
      let said = Forever.read_conclusion (Line.next source) dominates in
      { value = ForeverFromRun (p, cited, run, step, evidence, said); of_eigenvalue; of_run; cites }
  | "path-inequality" ->
      let cites = read_run_number line number in
      Line.expect line "from";
      let from = Line.index line in
      Line.expect line "until";
      let until = Line.index line in
      if from >= until then Line.bad line "no step between them";
      Line.expect line "constant";
      let constant = fraction () in
      Line.finish line;
      let place, run, of_run = cited_run kind line number p claims cites in
      { (plain (PathInequality (p, place, run, from, until, constant))) with of_run; cites }
  | "stationary" ->
      Line.finish line;
      plain (Stationary (p, problem.loss, Forever.read_start (Line.next source) dataset))
  | _ -> Line.bad line "unknown claim kind %s" kind

let read path dataset_of : Dataset.t * t =
  let source = Line.source path in
  let dataset = dataset_of () in
  let producer, hash = read_header source dataset in
  let problems = ref [||] and claims = ref [] and order = ref [] and count = ref 0 in
  let read_claim line =
    let number = !count + 1 in
    if Line.index line <> number then Line.bad line "claims are numbered 1, 2, 3, …";
    let kind = Line.word line in
    Line.expect line "problem";
    let about = Line.index line in
    if about = 0 || about > Array.length !problems then Line.bad line "problem %d is not an earlier problem" about;
    let body = read_body kind line source dataset !problems.(about - 1) (about - 1) number !claims in
    order := `Claim (List.length !claims) :: !order;
    claims :=
      { number; line = line.number; kind; about = about - 1; run = body.cites; bits = body.of_eigenvalue;
        fraction_bits = body.of_run; said = body.value }
      :: !claims;
    incr count
  in
  let rec items () =
    let line = Line.next source in
    if Line.accept line "problem" then (
      let number = Array.length !problems + 1 in
      problems := Array.append !problems [| read_problem source dataset line number |];
      order := `Problem (number - 1) :: !order;
      items ())
    else if Line.accept line "claim" then (
      read_claim line;
      items ())
    else (
      Line.expect line "end";
      Line.expect line "problems";
      let a = Line.index line = Array.length !problems in
      Line.expect line "claims";
      let b = Line.index line = !count in
      Line.expect line "lines";
      let c = Line.index line = source.lines in
      Line.finish line;
      if not (a && b && c) then Line.bad line "wrong totals")
  in
  items ();
  Line.finish_source source;
  if !count = 0 then malformed "the certificate has no claims";
  ( dataset,
    { producer; hash; problems = !problems; claims = Array.of_list (List.rev !claims); order = List.rev !order; lines = source.lines } )
