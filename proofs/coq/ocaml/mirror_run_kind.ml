(* The claim `mirror-run`. *)

open Kind
open Refusal
open Replayed_run

let spare = 32
let rules = Verified.[ ("md", GradientSteps); ("nmd", NormalisedSteps) ]

let read_checkpoint line mirror_at : Verified.mirror_checkpoint =
  let mirror_norm_claim = band line "norm" in
  let mirror_dual_claim = band line "dual-norm" in
  let mirror_loss_claim = band line "loss-gap" in
  let mirror_unselected_claim = band line "unselected" in
  let mirror_along_claim = perhaps_band line "along" in
  let mirror_bregman_claim = perhaps_band line "bregman" in
  let mirror_corr_claim = perhaps_band line "one-minus-corr" in
  { mirror_at; mirror_norm_claim; mirror_dual_claim; mirror_loss_claim; mirror_unselected_claim; mirror_along_claim;
    mirror_bregman_claim; mirror_corr_claim }

(* "optimizer … schedule … step …", then the start. *)
let read_steps text : Verified.specification =
  let line = next text in
  let run_rule, run_schedule, run_step = Runs.read_specification rules line in
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
  let checkpoints, precision = read_checkpoints text ~spare ~steps read_checkpoint in
  let loss = loss_of "mirror-run" text in
  plain (Verified.MirrorRun (subject text, exponent, cited, loss, run, steps, inequality, checkpoints, precision))

(* ---- in words ---- *)

let norm_of (a, c) = Verified.PowerNorm (a, c)

let run_words (run : Verified.specification) =
  Runs.specification_words rules run.run_rule run.run_schedule run.run_step

let checkpoint_words (k : Verified.mirror_checkpoint) =
  List.concat
    [ [ "checkpoint"; count k.mirror_at ]; band_words "norm" k.mirror_norm_claim;
      band_words "dual-norm" k.mirror_dual_claim; band_words "loss-gap" k.mirror_loss_claim;
      band_words "unselected" k.mirror_unselected_claim; perhaps_words "along" k.mirror_along_claim;
      perhaps_words "bregman" k.mirror_bregman_claim; perhaps_words "one-minus-corr" k.mirror_corr_claim ]

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
    @ perhaps_cited_words "from" cited
    @ [ "steps"; count steps ]
    @ match inequality with
      | Some (constant, since) -> [ "inequality"; shown constant; "since"; count since ]
      | None -> []
  in
  let evidence page =
    page.print (run_words run);
    page.print (Runs.written_start run.start run.start_unit);
    print_checkpoints page ~spare checkpoints precision checkpoint_words
  in
  { (kind "mirror-run") with
    loss = Some (Some loss); first;
    further =
      (fun () ->
        run_words run @ Runs.hashed_start run.start run.start_unit
        @ List.concat_map checkpoint_words checkpoints);
    evidence; why }

let () =
  register ~of_labels:true ~none_of_outputs:"the head has several outputs" "mirror-run" read (function
    | MirrorRun (_, exponent, cited, loss, spec, steps, inequality, checkpoints, precision) as same ->
        let kind = run exponent cited loss spec steps inequality checkpoints precision in
        Some { kind; renumbered = (fun _ -> same) }
    | _ -> None)
