(* The claim `mirror-forever`. Its value holds what the claims cited about the support and the run say, which is checked
   with it: the run is that of the claim cited, which has replayed it. *)

open Kind
open Refusal

(* The claim at this place, counted from 0, if it is about the same problem. *)
let cited (text : text) place word =
  let read = List.nth text.earlier (List.length text.earlier - place - 1) in
  if read.about <> subject text then
    Stop.rejected "claim %d (mirror-forever), line %d: claim %d is about another problem" text.number text.line.number
      (place + 1);
  if read.kind <> word then
    Stop.rejected "claim %d (mirror-forever), line %d: cites claim %d, a claim of kind %s; expected %s" text.number
      text.line.number (place + 1) read.kind word;
  read.said

let read_floors (text : text) =
  let line = next text in
  Line.expect line "floors";
  let stated = Line.index line in
  let picks = text.problem.picks in
  if stated <> Constraints.constraints text.dataset text.problem then
    Line.bad line "the floors are not one for each constraint";
  let floor group token =
    if token = picks.(group) || not (Dataset.present text.dataset group token) then None else Some (fraction line)
  in
  let row group = List.init (Dataset.tokens text.dataset group) (floor group) in
  let floors = List.init (Dataset.groups text.dataset) row in
  Line.finish line;
  floors

let read_pieces (text : text) =
  let line = next text in
  Line.expect line "pieces";
  let count = Line.index line in
  let last = named line "last-slope" in
  Line.finish line;
  let rec read k heights slopes =
    if k = count then (List.rev heights, List.rev (last :: slopes))
    else
      let line = next text in
      let until = named line "until" in
      let slope = named line "slope" in
      Line.finish line;
      read (k + 1) (until :: heights) (slope :: slopes)
  in
  read 0 [] []

let no_floor = Verified.{ fraction_num = Coq_data.carrier Integer.zero; fraction_den = Coq_data.carrier Integer.one }
(* That very value stands where there is no constraint. *)
let given_floors floors = List.map (List.map (fun floor -> Option.value floor ~default:no_floor)) floors

let read (text : text) =
  let norm = Norm_kinds.read_norm text.line in
  Line.expect text.line "support";
  let lasting_support = earlier text - 1 in
  Line.expect text.line "run";
  let lasting_run = earlier text - 1 in
  Line.expect text.line "at";
  let lasting_step = Line.index text.line in
  let lasting_rate = named text.line "rate" in
  Line.expect text.line "growth";
  let growth = if Line.accept text.line "none" then None else Some (fraction text.line) in
  let lasting_unselected = named text.line "unselected" in
  finish text;
  let lasting_multipliers = vector text "multipliers" in
  let line = next text in
  let lasting_least = named line "lambda-min" in
  let bits = Constraints.read_bits line in
  Line.finish line;
  let floors = read_floors text in
  let lasting_heights, lasting_slopes = read_pieces text in
  let loss = loss_of "mirror-forever" text in
  let why = Printf.sprintf in
  let reject what = Stop.rejected "claim %d (mirror-forever), line %d: %s" text.number text.line.number what in
  match (cited text lasting_support "norm-support-within", cited text lasting_run "mirror-run", norm) with
  | ( Verified.NormSupportWithin (_, of_support, from, mask),
      Verified.MirrorRun (_, exponent, _, _, run, _, _, checkpoints, _),
      Norm_kinds.Entrywise asked ) ->
      if of_support <> Some asked then
        reject (why "the claim cited is about the norm %s" (Norm_kinds.any_word of_support));
      if asked <> Mirror_run_kind.norm_of exponent then reject "the run has another potential";
      if not (List.exists (fun (k : Verified.mirror_checkpoint) -> k.mirror_at = lasting_step) checkpoints) then
        reject (why "step %d is not a checkpoint of the run" lasting_step);
      if Constraints.nonzero lasting_multipliers <> mask then
        reject "the multipliers are not at the support cited";
      (match (run.run_rule, growth) with
      | Verified.NormalisedSteps, None | GradientSteps, Some _ -> reject "growth is that of normalised steps"
      | _ -> ());
      let lasting : Verified.mirror_forever_data =
        { lasting_support; lasting_run; lasting_exponent = exponent; lasting_from = from; lasting_loss = loss;
          lasting_specification = run; lasting_step; lasting_rate; lasting_growth = growth; lasting_unselected;
          lasting_tokens = mask; lasting_multipliers; lasting_least; lasting_hints = Hints.refused;
          lasting_floors = given_floors floors; lasting_heights; lasting_slopes }
      in
      { (plain (Verified.MirrorForever (subject text, lasting))) with of_eigenvalue = bits }
  | _ -> reject "a potential is a power, of an exponent above 1"

(* ---- in words ---- *)

(* The claims of those numbers must say what was checked. *)
let checked_citations (given : given) (x : Verified.mirror_forever_data) =
  let same_support =
    match given.claims.(x.lasting_support) with
    | NormSupportWithin (_, norm, from, mask) ->
        norm = Some (Mirror_run_kind.norm_of x.lasting_exponent) && from = x.lasting_from && mask = x.lasting_tokens
    | _ -> false
  and same_run =
    match given.claims.(x.lasting_run) with
    | MirrorRun (_, exponent, _, loss, run, _, _, _, _) ->
        exponent = x.lasting_exponent && loss = x.lasting_loss && run = x.lasting_specification
    | _ -> false
  in
  if not (same_support && same_run) then failwith "a mirror-forever claim was checked for other claims than it cites"

let lasting problem (x : Verified.mirror_forever_data) =
  let first given _ =
    checked_citations given x;
    [ "norm"; Norm_kinds.norm_word (Mirror_run_kind.norm_of x.lasting_exponent); "support";
      count (x.lasting_support + 1); "run"; count (x.lasting_run + 1); "at"; count x.lasting_step;
      "rate"; shown x.lasting_rate; "growth"; Option.fold ~none:"none" ~some:shown x.lasting_growth; "unselected";
        shown x.lasting_unselected ]
  in
  let run = x.lasting_specification in
  let further () = Mirror_run_kind.run_words run @ Runs.hashed_start run.start run.start_unit in
  let evidence page =
    page.print_vector "multipliers" x.lasting_multipliers;
    page.print [ "lambda-min"; shown x.lasting_least; "bits"; count page.eigenvalue_bits ];
    let floors = List.filter (fun floor -> floor != no_floor) (List.concat x.lasting_floors) in
    page.print ("floors" :: count (List.length floors) :: List.map shown floors);
    let rec pieces heights slopes =
      match (heights, slopes) with
      | h :: heights, m :: slopes ->
          page.print [ "until"; shown h; "slope"; shown m ];
          pieces heights slopes
      | _ -> ()
    in
    let last = List.nth x.lasting_slopes (List.length x.lasting_heights) in
    page.print [ "pieces"; count (List.length x.lasting_heights); "last-slope"; shown last ];
    pieces x.lasting_heights x.lasting_slopes
  in
  let guessed { data; selections; bits; _ } =
    let hints = Hints.compute data (List.nth selections problem) x.lasting_tokens x.lasting_least ~bits in
    Verified.MirrorForever (problem, { x with lasting_hints = hints })
  in
  let why refused =
    require (Q.sign (value x.lasting_least) > 0) "the bound of the smallest eigenvalue is not positive";
    List.iter (fun slope -> require (Q.sign (value slope) > 0) "a slope is not positive") x.lasting_slopes;
    let gaps = Verified.(gaps integers) refused.data (picks refused) in
    List.iter
      (fun c ->
        if entry x.lasting_tokens c && Integer.sign (integer (entry gaps c)) <= 0 then
          found "the score gap at %s, which may be tight, is not positive" (at refused c))
      (constraints (picks refused) gaps);
    found "T17's conditions, or what they imply, are not proved"
  in
  { (kind "mirror-forever") with
    loss = Some (Some x.lasting_loss); first; further; evidence; guessed = Some guessed; factorised = true;
    more_bits = true; why }

let () =
  register ~of_labels:true "mirror-forever" read (function
    | MirrorForever (p, x) ->
        let renumbered (change : Equal_tokens.change) =
          let floors = change.ratios (List.map (List.map Option.some) x.lasting_floors) in
          Verified.MirrorForever
            ( p,
              { x with
                lasting_tokens = change.mask x.lasting_tokens;
                lasting_multipliers = change.vector x.lasting_multipliers;
                lasting_floors = given_floors floors } )
        in
        Some { kind = lasting p x; renumbered }
    | _ -> None)
