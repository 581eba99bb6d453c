(* Claims about optimiser runs (RUNS.md section 1): reading their evidence, and the precision of their replay, which is
   a guess that nothing trusts. *)

open Stop

let pick line what choices =
  let word = Line.word line in
  match List.assoc_opt word choices with Some choice -> choice | None -> Line.bad line "unknown %s %s" what word

let named_by choices choice = fst (List.find (fun (_, c) -> c = choice) choices)

let rules = Verified.[ ("gd", GradientSteps); ("ngd", NormalisedSteps); ("polyak", PolyakSteps) ]
let schedules = Verified.[ ("constant", Constant); ("inverse", Inverse); ("invsqrt", InverseRoot) ]

let read_step ?(word = "step") line =
  Line.expect line word;
  let step = Coq_data.fraction (Line.rational line) in
  if Integer.sign (Coq_data.integer step.fraction_num) <= 0 then Line.bad line "a step must be positive";
  step

(* "optimizer … schedule … step …", the optimizer one of the rules. *)
let read_specification rules line =
  Line.expect line "optimizer";
  let rule = pick line "optimizer" rules in
  Line.expect line "schedule";
  let schedule = pick line "schedule" schedules in
  (rule, schedule, read_step line)

(* The matrix W_0 as integers over one denominator. *)
let read_start line dataset =
  let rows = Dataset.left_dimension dataset and columns = Dataset.right_dimension dataset in
  Line.expect line "start";
  let entries =
    if Line.accept line "zero" then Array.make (rows * columns) (Numbers.dyadic Integer.zero 0)
    else (
      if Line.index line <> rows * columns then Line.bad line "the start must have one number for each entry of W";
      Array.init (rows * columns) (fun _ -> Line.rational line))
  in
  Line.finish line;
  let unit, numerators = Numbers.over_common_denominator entries in
  (Coq_data.rows numerators columns 0 rows, Coq_data.carrier unit)

let read_band line name =
  Line.expect line name;
  let lo = Coq_data.fraction (Line.rational line) in
  (lo, Coq_data.fraction (Line.rational line))

let read_checkpoint line : Verified.checkpoint =
  Line.expect line "at";
  let at_step = Line.index line in
  let norm_claim = read_band line "norm" in
  let along_claim = read_band line "along" in
  Line.expect line "one-minus-corr";
  let corr_claim =
    if Line.accept line "none" then None
    else
      let lo = Coq_data.fraction (Line.rational line) in
      Some (lo, Coq_data.fraction (Line.rational line))
  in
  let loss_claim = read_band line "loss-gap" in
  let gradient_claim = read_band line "gradient" in
  let unselected_claim = read_band line "unselected" in
  Line.finish line;
  { at_step; norm_claim; along_claim; corr_claim; loss_claim; gradient_claim; unselected_claim }

let shapes =
  Verified.
    [ ("1/t^2", (Inverse_square, 1)); ("1/t", (Inverse_linear, 1)); ("log(t)/t", (Log_linear, 2));
      ("log(t)^2/sqrt(t)", (Log_square_root, 2)); ("t^(-1/2)", (Inverse_root, 1));
      ("t^(-3/4)", (Inverse_three_quarters, 1));
      ("1/log(t)", (Inverse_log, 2)); ("1/log(t)^2", (Inverse_log_square, 2)) ]

let read_rate line steps : Verified.rate_claim =
  Line.expect line "rate";
  let rate_shape_of, first = pick line "rate shape" shapes in
  Line.expect line "from";
  let from_step = Line.index line in
  Line.expect line "constant";
  let constant = Coq_data.fraction (Line.rational line) in
  Line.finish line;
  if from_step < first || from_step > steps then
    Line.bad line "the shape is not defined from this step on, or the run ends before";
  { rate_shape_of; from_step; constant }

(* A line "name count". *)
let read_count line name =
  Line.expect line name;
  let count = Line.index line in
  Line.finish line;
  count

(* What a run's fraction bits are: from which step on, how many. The first are from step 0 on. *)
type widths = (int * int) list

(* "then" STEP BITS ..., of a run of so many steps. *)
let rec read_narrower line steps (step, bits) : widths =
  if not (Line.accept line "then") then []
  else
    let from = Line.index line in
    let fewer = Line.index line in
    if from <= step || from > steps || fewer >= bits then
      Line.bad line "widths must come at later steps of the run and have fewer bits";
    (from, fewer) :: read_narrower line steps (from, fewer)

(* The claim after its first words, and its fraction-bits; `loss` is its problem's. *)
let read number first source dataset loss : Verified.run_claim * widths =
  let reading read_line = read_line (Line.next source) in
  Line.expect first "steps";
  let run_steps = Line.index first in
  Line.finish first;
  let run_rule, run_schedule, run_step, widths =
    reading (fun line ->
        let rule, schedule, step = read_specification rules line in
        Line.expect line "fraction-bits";
        let bits = Line.index line in
        if bits > 65536 then Line.bad line "more than 65536 fraction bits";
        let narrower = read_narrower line run_steps (0, bits) in
        Line.finish line;
        (rule, schedule, step, (0, bits) :: narrower))
  in
  let start, start_unit = reading (fun line -> read_start line dataset) in
  let count =
    reading (fun line ->
        let count = read_count line "checkpoints" in
        if count = 0 then Line.bad line "a run needs a checkpoint";
        count)
  in
  let rec read_checkpoints k last =
    if k = count then []
    else
      let checkpoint =
        reading (fun line ->
            let checkpoint = read_checkpoint line in
            if checkpoint.at_step > run_steps || checkpoint.at_step <= last then
              Line.bad line "checkpoints must increase and not exceed the steps";
            checkpoint)
      in
      checkpoint :: read_checkpoints (k + 1) checkpoint.at_step
  in
  let checkpoints = read_checkpoints 0 (-1) in
  let decreases_until =
    reading (fun line ->
        let until = read_count line "loss-decreases-until" in
        if until > run_steps then Line.bad line "beyond the last step";
        until)
  in
  let rate_count = reading (fun line -> read_count line "rates") in
  let rec read_rates k =
    if k = rate_count then []
    else
      let rate = reading (fun line -> read_rate line run_steps) in
      rate :: read_rates (k + 1)
  in
  let rates = read_rates 0 in
  match loss with
  | None -> rejected "claim %d (run), line %d: the problem names no loss" number first.number
  | Some run_loss ->
      ( { run_loss; run_steps; checkpoints; decreases_until; rates; keeps_path = false;
          run_specification = { run_rule; run_schedule; run_step; start; start_unit };
          precision = Integer.zero; places = Integer.zero; shown = Integer.zero },
        widths )

(* ---- printing, from the values given to Coq's checker ---- *)

(* "optimizer … schedule … step …" *)
let specification_words rules rule schedule step =
  [ "optimizer"; named_by rules rule; "schedule"; named_by schedules schedule; "step";
    Coq_data.canonical_fraction step ]

(* W_0 after the word `start`: `zero`, or what `otherwise` makes of its entries. *)
let start_words rows unit otherwise =
  let entries = List.concat_map (List.map (Coq_data.over unit)) rows in
  let zero = List.for_all (fun x -> x = Numbers.dyadic Integer.zero 0) entries in
  "start" :: (if zero then [ "zero" ] else otherwise entries)

let written_start rows unit =
  start_words rows unit (fun entries -> string_of_int (List.length entries) :: List.map Numbers.canonical entries)

(* As printed lines have it. *)
let hashed_start rows unit = start_words rows unit Canonical.hash_of_numbers

(* Which run it is. *)
let run_words (run : Verified.run_claim) =
  let spec = run.run_specification in
  specification_words rules spec.run_rule spec.run_schedule spec.run_step @ hashed_start spec.start spec.start_unit

(* What is claimed of it, line by line: from "checkpoints" on. *)
let claimed_lines (run : Verified.run_claim) =
  let fraction = Coq_data.canonical_fraction in
  let band name (lo, hi) = [ name; fraction lo; fraction hi ] in
  let checkpoint (c : Verified.checkpoint) =
    List.concat
      [ [ "at"; string_of_int c.at_step ]; band "norm" c.norm_claim; band "along" c.along_claim;
        (match c.corr_claim with None -> [ "one-minus-corr"; "none" ] | Some b -> band "one-minus-corr" b);
        band "loss-gap" c.loss_claim; band "gradient" c.gradient_claim; band "unselected" c.unselected_claim ]
  in
  let rate (r : Verified.rate_claim) =
    let name = fst (List.find (fun (_, (shape, _)) -> shape = r.rate_shape_of) shapes) in
    [ "rate"; name; "from"; string_of_int r.from_step; "constant"; fraction r.constant ]
  in
  let count name list = [ name; string_of_int (List.length list) ] in
  (count "checkpoints" run.checkpoints :: List.map checkpoint run.checkpoints)
  @ [ [ "loss-decreases-until"; string_of_int run.decreases_until ]; count "rates" run.rates ]
  @ List.map rate run.rates

(* Everything after the claim's first line. *)
let lines (run : Verified.run_claim) (widths : widths) =
  let spec = run.run_specification in
  let words = function
    | 0, bits -> [ "fraction-bits"; string_of_int bits ]
    | from, bits -> [ "then"; string_of_int from; string_of_int bits ]
  in
  (specification_words rules spec.run_rule spec.run_schedule spec.run_step @ List.concat_map words widths)
  :: written_start spec.start spec.start_unit
  :: claimed_lines run

(* ---- precision ---- *)

(* log2 of an interval's upper end, about. *)
let size : Verified.interval -> float = function
  | Between (_, hi, e) ->
      let hi = Coq_data.integer hi in
      let spare = max 0 (Integer.numbits hi - 50) in
      Float.log2 (Integer.to_float (Integer.shift_right hi spare)) +. float_of_int (spare + Integer.to_int e)
  | Everything -> 0.

(* How many bits the bound of the distance to the true run loses, about: of Polyak steps, and of heads of several
   outputs, a trial at low precision whose bound is set back before each step; others lose tens in thousands of steps,
   and a failure brings more bits. *)
let lost_bits instance data (run : Verified.run_claim) =
  let open Verified in
  let bits = Integer.of_int 160 in
  let spec = run.run_specification in
  let small = Between (Coq_data.carrier Integer.one, Coq_data.carrier Integer.one, Integer.of_int (-80)) in
  let trial step =
    let rec go n orbit lost =
      if n = 0 then lost
      else
        match step { orbit with away = small } with
        | Some next -> go (n - 1) next (lost +. size next.away +. 80.)
        | None -> lost +. (2. *. float_of_int n)
    in
    int_of_float (go run.run_steps (first_orbit integers data spec bits) 0.)
  in
  match output_model integers instance bits run.run_loss with
  | Some model ->
      trial (fun orbit ->
          let seen = head_look integers data model spec bits bits orbit in
          head_advance integers data model orbit.references spec bits bits orbit seen)
  | None when spec.run_rule <> PolyakSteps -> 32
  | None ->
      trial (fun orbit ->
          let seen = near_orbit integers data run.run_loss spec bits orbit in
          advance integers data run.run_loss spec bits bits orbit seen)

(* With its precision filled in; `more` is 1, or larger after a failure. The replay keeps its bits: the first ones
   named. Places of the iterates are counted beside the units of tokens and queries. *)
let with_precision (data : Verified.token_data) (run : Verified.run_claim) ~lost ~(widths : widths) ~more =
  let _, fraction_bits = List.hd widths in
  let bits = more * (lost + fraction_bits + 32) in
  let units = Integer.mul (Coq_data.integer data.token_unit) (Coq_data.integer data.query_unit) in
  { run with precision = Integer.of_int bits; places = Integer.of_int (max 0 (bits - Integer.numbits units));
    shown = Integer.of_int (more * (fraction_bits + 96)) }
