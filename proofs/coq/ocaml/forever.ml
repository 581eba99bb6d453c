(* Reading and printing the evidence of claims about all later steps (RUNS.md section 1). *)

open Verified

let fraction line = Coq_data.fraction (Line.rational line)

let read_domination line =
  Line.expect line "dominates-from";
  let from = if Line.accept line "none" then None else Some (Line.index line) in
  Line.finish line;
  from

let read_specification line : step_rule =
  let spec_rule, spec_schedule, spec_step = Runs.read_specification Runs.rules line in
  Line.finish line;
  { spec_rule; spec_schedule; spec_step }

let read_start line dataset : origin =
  let origin_rows, origin_unit = Runs.read_start line dataset in
  { origin_rows; origin_unit }

let zero : Verified.fraction =
  { fraction_num = Coq_data.carrier Integer.zero; fraction_den = Coq_data.carrier Integer.one }

(* The lines "group index ..." of every group with two different tokens; `read` takes the numbers, the other groups have
   `default`. *)
let read_ranges source dataset default read =
  let line = Line.next source in
  Line.expect line "ranges";
  let count = Line.index line in
  Line.finish line;
  let listed = ref 0 in
  let ranges =
    List.init (Dataset.groups dataset) (fun i ->
        if Dataset.different dataset i = 1 then default
        else (
          incr listed;
          if !listed > count then Line.bad line "every group with more than one token is listed";
          let group = Line.next source in
          Line.expect group "group";
          if Line.index group <> i then Line.bad group "expected group %d" i;
          let found = read group in
          Line.finish group;
          found))
  in
  if !listed <> count then Line.bad line "only groups with more than one token are listed";
  ranges

let number line word =
  Line.expect line word;
  fraction line

let read_absorbing source dataset : forever_evidence =
  let line = Line.next source in
  let bound = number line "step-bound" in
  Line.finish line;
  let ranges =
    read_ranges source dataset (zero, zero) (fun line ->
        let output = number line "output" in
        (output, number line "attention"))
  in
  AbsorbingEvidence (List.map fst ranges, List.map snd ranges, bound)

(* "outside count", then the constraints. *)
let read_outside source dataset problem =
  let line = Line.next source in
  Line.expect line "outside";
  let count = Line.index line in
  Line.finish line;
  Constraints.read_constraints line source dataset problem count

let read_attentions source dataset = read_ranges source dataset zero (fun line -> number line "attention")

let read_local source dataset problem : forever_evidence =
  let line = Line.next source in
  let bound = number line "step-bound" in
  let ratio = number line "ratio" in
  let extra = number line "extra" in
  let theta = number line "theta" in
  Line.finish line;
  let outside = read_outside source dataset problem in
  LocalEvidence (read_attentions source dataset, outside, bound, ratio, extra, theta)

(* The evidence, and the bits of its eigenvalue bound. *)
let read_bounded source dataset problem : forever_evidence * int =
  let line = Line.next source in
  let bounded_step = number line "step-bound" in
  let bounded_ratio = number line "ratio" in
  let bounded_reach = number line "reach" in
  Line.finish line;
  let line = Line.next source in
  let support_eigenvalue = number line "lambda-min" in
  let bits = Constraints.read_bits line in
  Line.finish line;
  let centre_pull = Constraints.read_vector source dataset problem "pull" in
  let bounded_outside = read_outside source dataset problem in
  let bounded_attentions = read_attentions source dataset in
  ( BoundedEvidence
      { bounded_step; bounded_ratio; bounded_reach; support_eigenvalue; support_hints = Hints.refused; centre_pull;
        bounded_outside; bounded_attentions },
    bits )

(* T14, likewise: the region's evidence follows its path constant and the eigenvalue bound. *)
let read_residual source dataset problem : forever_evidence * int =
  let line = Line.next source in
  Line.expect line "region";
  let absorbing = Line.accept line "absorbing" in
  if not absorbing then Line.expect line "local";
  let path = number line "path" in
  Line.finish line;
  let line = Line.next source in
  let least = number line "lambda-min" in
  let bits = Constraints.read_bits line in
  Line.finish line;
  let evidence =
    match if absorbing then read_absorbing source dataset else read_local source dataset problem with
    | AbsorbingEvidence (outputs, attentions, bound) ->
        AbsorbingResidualEvidence (path, least, Hints.refused, outputs, attentions, bound)
    | LocalEvidence (attentions, outside, bound, ratio, extra, theta) ->
        LocalResidualEvidence (path, least, Hints.refused, attentions, outside, bound, ratio, extra, theta)
    | evidence -> evidence
  in
  (evidence, bits)

let read_lock_in source dataset : forever_evidence =
  LockInEvidence (read_ranges source dataset zero (fun line -> number line "floor"))

let without_bits read source dataset problem = (read source dataset problem, 0)

(* By the word of RUNS.md; what reads a theorem's evidence, and the bits of its eigenvalue bound. *)
let theorems =
  [ ("absorbing", without_bits (fun source dataset _ -> read_absorbing source dataset));
    ("local", without_bits read_local);
    ("lock-in", without_bits (fun source dataset _ -> read_lock_in source dataset));
    ("residual", read_residual);
    ("bounded", read_bounded) ]

(* "theorem NAME": what reads its evidence later. *)
let read_theorem line source dataset (problem : Constraints.problem) =
  Line.expect line "theorem";
  let name = Line.one_word line "theorem" (List.map fst theorems) in
  let read = List.assoc name theorems in
  fun () -> read source dataset problem

let read_conclusion line dominates : conclusion =
  let number = number line in
  let said_path = number "path" in
  let said_excess = number "excess" in
  let said_centre = number "centre" in
  let said_height = number "height" in
  Line.expect line "growth";
  let said_logarithmic = Line.accept line "logarithmic" in
  if not said_logarithmic then Line.expect line "linear";
  let said_growth = fraction line in
  Line.finish line;
  { said_path; said_excess; said_centre; said_height; said_logarithmic; said_growth; said_dominates = dominates }

(* ---- printing, from the values given to Coq's checker ---- *)

let text = Coq_data.canonical_fraction
let specification_words (s : step_rule) = Runs.specification_words Runs.rules s.spec_rule s.spec_schedule s.spec_step
let written_start (m : origin) = Runs.written_start m.origin_rows m.origin_unit
let hashed_start (m : origin) = Runs.hashed_start m.origin_rows m.origin_unit

(* Where evidence is printed: one line of words, a vector, the bits of its eigenvalue bound, how many tokens of each
   group differ. *)
type page = { line : string list -> unit; vector : string -> Verified.vector -> unit; bits : int; different : int list }

let print_ranges page words =
  let listed = List.filter (fun (tokens, _) -> tokens > 1) (List.combine page.different words) in
  page.line [ "ranges"; string_of_int (List.length listed) ];
  List.iteri
    (fun i (tokens, rest) -> if tokens > 1 then page.line ("group" :: string_of_int i :: rest))
    (List.combine page.different words)

let print_constraints line mask =
  List.iteri (fun i -> List.iteri (fun t listed -> if listed then line [ string_of_int i; string_of_int t ])) mask

let print_outside page mask =
  let count = List.fold_left (List.fold_left (fun n listed -> if listed then n + 1 else n)) 0 mask in
  page.line [ "outside"; string_of_int count ];
  print_constraints page.line mask

let print_attentions page attentions = print_ranges page (List.map (fun eps -> [ "attention"; text eps ]) attentions)

let print_absorbing outputs attentions bound page =
  page.line [ "step-bound"; text bound ];
  print_ranges page (List.map2 (fun phi eps -> [ "output"; text phi; "attention"; text eps ]) outputs attentions)

let print_local attentions outside bound ratio extra theta page =
  page.line [ "step-bound"; text bound; "ratio"; text ratio; "extra"; text extra; "theta"; text theta ];
  print_outside page outside;
  print_attentions page attentions

(* T14: the region's evidence follows its path constant and the eigenvalue bound. *)
let print_residual name path least print_region page =
  page.line [ "region"; name; "path"; text path ];
  page.line [ "lambda-min"; text least; "bits"; string_of_int page.bits ];
  print_region page

let print_bounded (e : bounded_evidence) page =
  page.line [ "step-bound"; text e.bounded_step; "ratio"; text e.bounded_ratio; "reach"; text e.bounded_reach ];
  page.line [ "lambda-min"; text e.support_eigenvalue; "bits"; string_of_int page.bits ];
  page.vector "pull" e.centre_pull;
  print_outside page e.bounded_outside;
  print_attentions page e.bounded_attentions

let print_lock_in floors page = print_ranges page (List.map (fun flo -> [ "floor"; text flo ]) floors)

(* An eigenvalue bound in evidence, its hints, and the evidence with others in their place. *)
type bound = { least : Verified.fraction; hints : gram_hints; with_hints : gram_hints -> forever_evidence }

(* What evidence is in words and lines. *)
type theorem = { word : string; print : page -> unit; bound : bound option }

(* The table of theorems, by the value that Coq's checker is given; `theorems` has them by their word. *)
let theorem = function
  | AbsorbingEvidence (o, a, h) -> { word = "absorbing"; print = print_absorbing o a h; bound = None }
  | LocalEvidence (a, out, h, rho, x, th) -> { word = "local"; print = print_local a out h rho x th; bound = None }
  | AbsorbingResidualEvidence (path, least, hints, o, a, h) ->
      let with_hints hints = AbsorbingResidualEvidence (path, least, hints, o, a, h) in
      { word = "residual"; print = print_residual "absorbing" path least (print_absorbing o a h);
        bound = Some { least; hints; with_hints } }
  | LocalResidualEvidence (path, least, hints, a, out, h, rho, x, th) ->
      let with_hints hints = LocalResidualEvidence (path, least, hints, a, out, h, rho, x, th) in
      { word = "residual"; print = print_residual "local" path least (print_local a out h rho x th);
        bound = Some { least; hints; with_hints } }
  | LockInEvidence floors -> { word = "lock-in"; print = print_lock_in floors; bound = None }
  | BoundedEvidence e ->
      let with_hints hints = BoundedEvidence { e with support_hints = hints } in
      { word = "bounded"; print = print_bounded e;
        bound = Some { least = e.support_eigenvalue; hints = e.support_hints; with_hints } }

(* With its tokens numbered otherwise. *)
let renumbered (change : Equal_tokens.change) = function
  | LocalEvidence (a, outside, h, rho, x, th) -> LocalEvidence (a, change.mask outside, h, rho, x, th)
  | LocalResidualEvidence (path, least, hints, a, outside, h, rho, x, th) ->
      LocalResidualEvidence (path, least, hints, a, change.mask outside, h, rho, x, th)
  | BoundedEvidence e ->
      BoundedEvidence
        { e with centre_pull = change.vector e.centre_pull; bounded_outside = change.mask e.bounded_outside }
  | (AbsorbingEvidence _ | AbsorbingResidualEvidence _ | LockInEvidence _) as same -> same

(* "theorem … dominates-from …" *)
let theorem_words evidence (c : conclusion) =
  [ "theorem"; (theorem evidence).word; "dominates-from";
    (match c.said_dominates with None -> "none" | Some step -> string_of_int step) ]

(* The hints of the evidence's eigenvalue bound. *)
let bound_hints evidence = Option.map (fun bound -> bound.hints) (theorem evidence).bound

(* The evidence with hints computed; `cited` is the claim about the solution, whose constraints with a multiplier are
   meant. *)
let hinted data picks (cited : claim) evidence ~bits =
  let with_hints mask =
    match (theorem evidence).bound with
    | None -> evidence
    | Some { least; with_hints; _ } ->
      with_hints (Hints.proved (wide integers) data picks mask least ~precisions:[ bits ])
  in
  match cited with
  | Optimal (_, _, v) -> with_hints (multiplier_mask integers v)
  | EnclosureBall (_, _, _, _, _, _, mask, _, _) -> with_hints mask
  | _ -> evidence

let conclusion_words (c : conclusion) =
  [ "path"; text c.said_path; "excess"; text c.said_excess; "centre"; text c.said_centre; "height"; text c.said_height;
    "growth"; (if c.said_logarithmic then "logarithmic" else "linear"); text c.said_growth ]
