(* The claim `token-ray`. *)

open Kind
open Refusal

(* Ends the check unless the certificate is about one-hot sentences of two outputs or more, at this stage, some of which
   say a pair. *)
let require_stage kind (text : Kind.text) (stage : Sentences.stage) =
  let refuse why = Stop.rejected "claim %d (%s), line %d: %s" text.number kind text.line.Line.number why in
  match text.dataset.setting with
  | Stage (sentences, own) when own = stage ->
      if sentences.embeddings <> [||] then refuse "the embeddings are not one-hot";
      if sentences.vocabulary < 2 then refuse "there is one output only";
      if not (Array.exists (fun ids -> Array.length ids = 2) sentences.ids) then refuse "no token has a next one"
  | _ -> refuse (Printf.sprintf "the problem is not that of the %s stage of sentences" (Sentences.stage_name stage))

let positive line name =
  let value = fraction line in
  if Integer.sign (integer value.fraction_num) <= 0 then Line.bad line "%s is positive" name;
  value

let band line name =
  Line.expect line name;
  let lo = fraction line in
  (lo, fraction line)

let band_words name (lo, hi) = [ name; shown lo; shown hi ]

let read_checkpoint (text : Kind.text) last : Verified.ray_checkpoint =
  let line = next text in
  Line.expect line "checkpoint";
  let ray_at = Line.index line in
  let ray_scale_claim = band line "scale" in
  let ray_loss_claim = band line "loss" in
  Line.finish line;
  if ray_at <= last then Line.bad line "checkpoints increase";
  { ray_at; ray_scale_claim; ray_loss_claim }

let read (text : Kind.text) =
  Line.expect text.line "step";
  let step = positive text.line "a step" in
  finish text;
  let line = next text in
  Line.expect line "checkpoints";
  let checkpoint_count = Line.index line in
  Line.finish line;
  let rec read_checkpoints k last =
    if k = checkpoint_count then []
    else
      let checkpoint = read_checkpoint text last in
      checkpoint :: read_checkpoints (k + 1) checkpoint.ray_at
  in
  let checkpoints = read_checkpoints 0 (-1) in
  require_stage "token-ray" text FeedForwardStage;
  plain (Verified.TokenRay (subject text, step, checkpoints))

(* ---- in words ---- *)

let checkpoint_words (k : Verified.ray_checkpoint) =
  [ "checkpoint"; count k.ray_at ] @ band_words "scale" k.ray_scale_claim @ band_words "loss" k.ray_loss_claim

let ray step checkpoints =
  let why refused =
    let selected i = List.nth refused.posed.(problem_of refused.claims.(refused.number)).selected_tokens i in
    List.iteri
      (fun i (q : Verified.sequence) ->
        if Integer.sign (integer (List.nth q.score_row (selected i))) <= 0 then
          found "group %d does not select the output next to its token" i)
      refused.data.sequences;
    found "a number is not proved to be in its band"
  in
  { (kind "token-ray") with
    first = (fun _ _ -> [ "step"; shown step ]);
    further = (fun () -> List.concat_map checkpoint_words checkpoints);
    evidence =
      (fun page ->
        page.print [ "checkpoints"; count (List.length checkpoints) ];
        List.iter (fun k -> page.print (checkpoint_words k)) checkpoints);
    why }

let () =
  register "token-ray" read (function
    | TokenRay (_, step, checkpoints) as same -> Some { kind = ray step checkpoints; renumbered = (fun _ -> same) }
    | _ -> None)
