(* The claim `token-ray`. *)

open Kind
open Refusal
open Replayed_run

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

let read_checkpoint line ray_at : Verified.ray_checkpoint =
  let ray_scale_claim = band line "scale" in
  { ray_at; ray_scale_claim; ray_loss_claim = band line "loss" }

let read (text : Kind.text) =
  let step = Runs.read_step text.line in
  finish text;
  let line = next text in
  Line.expect line "checkpoints";
  let checkpoint_count = Line.index line in
  Line.finish line;
  let checkpoints = read_list text checkpoint_count read_checkpoint in
  require_stage "token-ray" text FeedForwardStage;
  plain (Verified.TokenRay (subject text, step, checkpoints))

(* ---- in words ---- *)

let checkpoint_words (k : Verified.ray_checkpoint) =
  [ "checkpoint"; count k.ray_at ] @ band_words "scale" k.ray_scale_claim @ band_words "loss" k.ray_loss_claim

(* Finds the first group that does not select what its score names. *)
let require_selection refused what =
  let selected i = List.nth refused.posed.(problem_of refused.claims.(refused.number)).selected_tokens i in
  List.iteri
    (fun i (q : Verified.sequence) ->
      if Integer.sign (integer (List.nth q.score_row (selected i))) <= 0 then
        found "group %d does not select the %s" i what)
    refused.data.sequences

let ray step checkpoints =
  let why refused =
    require_selection refused "output next to its token";
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
