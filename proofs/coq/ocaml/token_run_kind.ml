(* The claim `token-run`. *)

open Kind
open Refusal
open Replayed_run

let spare = 64

let read_checkpoint line token_at : Verified.token_checkpoint =
  let token_norm_claim = band line "norm" in
  let token_loss_claim = band line "loss-gap" in
  let token_unselected_claim = band line "unselected" in
  { token_at; token_norm_claim; token_loss_claim; token_unselected_claim;
    token_corr_claim = perhaps_band line "one-minus-corr" }

(* "feed-forward-step S feed-forward-steps K step R" *)
let read_training line : Verified.token_training =
  let fed_step = Runs.read_step ~word:"feed-forward-step" line in
  Line.expect line "feed-forward-steps";
  let fed_steps = Line.index line in
  if fed_steps = 0 then Line.bad line "W_ov is 0 before the first step";
  { fed_step; fed_steps; attended_step = Runs.read_step line }

(* What the sentences say is next to their tokens. *)
let said_pairs (text : Kind.text) =
  match text.dataset.setting with
  | Stage (sentences, _) -> Verified.said_pairs Verified.integers (Coq_data.text sentences)
  | _ -> []

let read text =
  let line = text.line in
  let cited = perhaps_cited text "from" in
  let training = read_training line in
  Line.expect line "steps";
  let steps = Line.index line in
  finish text;
  let checkpoints, precision = read_checkpoints text ~spare ~steps read_checkpoint in
  Token_ray_kind.require_stage "token-run" text AttentionStage;
  plain (Verified.TokenRun (subject text, cited, said_pairs text, training, steps, checkpoints, precision))

(* ---- in words ---- *)

let training_words (r : Verified.token_training) =
  [ "feed-forward-step"; shown r.fed_step; "feed-forward-steps"; count r.fed_steps; "step"; shown r.attended_step ]

let checkpoint_words (k : Verified.token_checkpoint) =
  List.concat
    [ [ "checkpoint"; count k.token_at ]; band_words "norm" k.token_norm_claim;
      band_words "loss-gap" k.token_loss_claim; band_words "unselected" k.token_unselected_claim;
      perhaps_words "one-minus-corr" k.token_corr_claim ]

let run cited training steps checkpoints precision =
  let why refused =
    Token_ray_kind.require_selection refused "token with the sentence's next one";
    (match cited with
    | None ->
        if List.exists (fun (k : Verified.token_checkpoint) -> k.token_corr_claim <> None) checkpoints then
          found "a correlation with a solution that is not cited"
    | Some k -> ( match cite refused k with Verified.Optimal _ -> () | _ -> wrong refused k "optimal"));
    found "a number is not proved to be in its band"
  in
  { (kind "token-run") with
    first = (fun _ _ -> perhaps_cited_words "from" cited @ training_words training @ [ "steps"; count steps ]);
    further = (fun () -> List.concat_map checkpoint_words checkpoints);
    evidence = (fun page -> print_checkpoints page ~spare checkpoints precision checkpoint_words);
    why }

let () =
  register "token-run" read (function
    | TokenRun (_, cited, _, training, steps, checkpoints, precision) as same ->
        Some { kind = run cited training steps checkpoints precision; renumbered = (fun _ -> same) }
    | _ -> None)
