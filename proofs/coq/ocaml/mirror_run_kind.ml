(* The claim `mirror-run`. Its replay has as many bits as it says and `spare` ones: a guess that nothing trusts. *)

open Kind
open Refusal

let spare = Integer.of_int 32
let rules = Verified.[ ("md", GradientSteps); ("nmd", NormalisedSteps) ]

let band line =
  let lo = fraction line in
  (lo, fraction line)

let read_checkpoint text steps last : Verified.mirror_checkpoint =
  let line = next text in
  Line.expect line "checkpoint";
  let mirror_at = Line.index line in
  let said name =
    Line.expect line name;
    band line
  in
  let perhaps name = if Line.accept line name then Some (band line) else None in
  let mirror_norm_claim = said "norm" in
  let mirror_dual_claim = said "dual-norm" in
  let mirror_loss_claim = said "loss-gap" in
  let mirror_unselected_claim = said "unselected" in
  let mirror_along_claim = perhaps "along" in
  let mirror_bregman_claim = perhaps "bregman" in
  let mirror_corr_claim = perhaps "one-minus-corr" in
  Line.finish line;
  if mirror_at > steps || mirror_at <= last then Line.bad line "checkpoints increase and are not after the last step";
  { mirror_at; mirror_norm_claim; mirror_dual_claim; mirror_loss_claim; mirror_unselected_claim; mirror_along_claim;
    mirror_bregman_claim; mirror_corr_claim }

(* "optimizer … schedule … step …", then the start. *)
let read_steps text : Verified.specification =
  let line = next text in
  Line.expect line "optimizer";
  let run_rule = Runs.pick line "optimizer" rules in
  Line.expect line "schedule";
  let run_schedule = Runs.pick line "schedule" Runs.schedules in
  Line.expect line "step";
  let run_step = fraction line in
  if Integer.sign (integer run_step.fraction_num) <= 0 then Line.bad line "a step must be positive";
  Line.finish line;
  let start, start_unit = Runs.read_start (next text) text.dataset in
  { run_rule; run_schedule; run_step; start; start_unit }

let read text =
  let line = text.line in
  let exponent =
    match Norm_kinds.read_norm line with
    | Entrywise (PowerNorm (a, c)) -> (a, c)
    | _ -> Line.bad line "a potential is a power, of an exponent above 1"
  in
  let cited = perhaps_cited text "from" in
  Line.expect line "steps";
  let steps = Line.index line in
  let inequality =
    if not (Line.accept line "inequality") then None
    else
      let constant = fraction line in
      Line.expect line "since";
      Some (constant, Line.index line)
  in
  finish text;
  let run = read_steps text in
  let line = next text in
  Line.expect line "checkpoints";
  let checkpoint_count = Line.index line in
  Line.expect line "bits";
  let bits = Line.index line in
  Line.finish line;
  if bits < 64 || bits > 65536 then Line.bad line "bits are from 64 to 65536";
  let rec read_checkpoints k last =
    if k = checkpoint_count then []
    else
      let checkpoint = read_checkpoint text steps last in
      checkpoint :: read_checkpoints (k + 1) checkpoint.mirror_at
  in
  let checkpoints = read_checkpoints 0 (-1) in
  let precision = Integer.add (Integer.of_int bits) spare in
  match text.problem.loss with
  | None ->
      Stop.rejected "claim %d (mirror-run), line %d: the problem names no loss" text.number text.line.Line.number
  | Some loss ->
      plain
        (Verified.MirrorRun (subject text, exponent, cited, loss, run, steps, inequality, checkpoints, precision))

(* ---- in words ---- *)

let norm_of (a, c) = Verified.PowerNorm (a, c)

let run_words (run : Verified.specification) =
  let word choices choice = fst (List.find (fun (_, c) -> c = choice) choices) in
  [ "optimizer"; word rules run.run_rule; "schedule"; word Runs.schedules run.run_schedule; "step"; shown run.run_step ]

let checkpoint_words (k : Verified.mirror_checkpoint) =
  let said name (lo, hi) = [ name; shown lo; shown hi ] in
  let perhaps name = function Some band -> said name band | None -> [] in
  List.concat
    [ [ "checkpoint"; count k.mirror_at ]; said "norm" k.mirror_norm_claim; said "dual-norm" k.mirror_dual_claim;
      said "loss-gap" k.mirror_loss_claim; said "unselected" k.mirror_unselected_claim;
      perhaps "along" k.mirror_along_claim; perhaps "bregman" k.mirror_bregman_claim;
      perhaps "one-minus-corr" k.mirror_corr_claim ]

let directed (k : Verified.mirror_checkpoint) =
  k.mirror_along_claim <> None || k.mirror_bregman_claim <> None || k.mirror_corr_claim <> None

let run exponent cited loss (run : Verified.specification) steps inequality checkpoints precision =
  let why refused =
    (match cited with
    | None ->
        if inequality <> None then found "T13's inequality with a solution that is not cited";
        if List.exists directed checkpoints then found "a correlation with a solution that is not cited"
    | Some k -> (
        match cite refused k with
        | Verified.NormOptimum (_, norm, _, _, _, _, _, _, _, distance) ->
            Norm_kinds.same_norm (Some (norm_of exponent)) (Some norm);
            require (distance <> None) "the claim cited does not say how far the solution is"
        | _ -> wrong refused k "norm-optimum"));
    let last = List.fold_left (fun _ (k : Verified.mirror_checkpoint) -> k.mirror_at) 0 checkpoints in
    (match inequality with
    | Some (_, since) ->
        require (since < last) "T13's inequality is of no step before the last checkpoint";
        found "a number is not proved to be in its band, or T13's inequality not at a step"
    | None -> ());
    found "a number is not proved to be in its band"
  in
  let first _ _ =
    [ "norm"; Norm_kinds.any_word (Some (norm_of exponent)) ]
    @ (match cited with Some k -> from k | None -> [])
    @ [ "steps"; count steps ]
    @ match inequality with
      | Some (constant, since) -> [ "inequality"; shown constant; "since"; count since ]
      | None -> []
  in
  let evidence page =
    page.print (run_words run);
    page.print (Runs.written_start run.start run.start_unit);
    page.print
      [ "checkpoints"; count (List.length checkpoints); "bits"; Integer.to_string (Integer.sub precision spare) ];
    List.iter (fun k -> page.print (checkpoint_words k)) checkpoints
  in
  { (kind "mirror-run") with
    loss = Some (Some loss); first;
    further =
      (fun () ->
        run_words run @ Runs.hashed_start run.start run.start_unit
        @ List.concat_map checkpoint_words checkpoints);
    evidence; why }

let () =
  register "mirror-run" read (function
    | MirrorRun (_, exponent, cited, loss, spec, steps, inequality, checkpoints, precision) as same ->
        let kind = run exponent cited loss spec steps inequality checkpoints precision in
        Some { kind; renumbered = (fun _ -> same) }
    | _ -> None)
