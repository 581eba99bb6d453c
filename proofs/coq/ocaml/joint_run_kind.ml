(* The claim `joint-run`. *)

open Kind
open Refusal
open Replayed_run

let spare = 32
let rules = [ ("gd", false); ("ngd", true) ]
let starts = [ ("zero", true); ("instance", false) ]
let losses = ("correlation", Verified.Correlation) :: Joint_path_kind.losses

(* "(gd | ngd) step S power E" *)
let read_rule line : Verified.pair_rule =
  let rule_normalised = Runs.pick line "rule" rules in
  let rule_size = Runs.read_step line in
  Line.expect line "power";
  { rule_normalised; rule_size; rule_power = fraction line }

let power_in_range (rule : Verified.pair_rule) =
  let power = value rule.rule_power in
  Q.leq power Q.zero && Q.geq power (Q.of_int (-64))

let read_checkpoint line pair_at_step : Verified.pair_checkpoint =
  let pair_norm_claim = band line "norm" in
  let pair_decoder_norm_claim = band line "decoder-norm" in
  let pair_loss_claim = band line "loss" in
  let pair_corr_claim = perhaps_band line "one-minus-corr" in
  let pair_decoder_corr_claim = perhaps_band line "decoder-one-minus-corr" in
  { pair_at_step; pair_norm_claim; pair_decoder_norm_claim; pair_loss_claim; pair_corr_claim; pair_decoder_corr_claim }

let read text =
  let line = text.line in
  let solution = perhaps_cited text "from" in
  let decoder = perhaps_cited text "decoder-from" in
  Line.expect line "loss";
  let trained_loss = Runs.pick line "loss" losses in
  Line.expect line "attention";
  let attention_rule = read_rule line in
  Line.expect line "decoder";
  let decoder_rule = read_rule line in
  Line.expect line "decoder-start";
  let decoder_from_zero = Runs.pick line "start" starts in
  Line.expect line "steps";
  let steps = Line.index line in
  finish text;
  if not (power_in_range attention_rule && power_in_range decoder_rule) then Line.bad line "powers are from -64 to 0";
  let checkpoints, precision = read_checkpoints text ~spare ~steps read_checkpoint in
  let training : Verified.pair_training = { trained_loss; attention_rule; decoder_rule; decoder_from_zero } in
  plain (Verified.JointRun (subject text, solution, decoder, training, steps, checkpoints, precision))

(* ---- in words ---- *)

let rule_words (rule : Verified.pair_rule) =
  [ Runs.named_by rules rule.rule_normalised; "step"; shown rule.rule_size; "power"; shown rule.rule_power ]

let training_words (trained : Verified.pair_training) =
  List.concat
    [ [ "loss"; Runs.named_by losses trained.trained_loss; "attention" ]; rule_words trained.attention_rule;
      [ "decoder" ]; rule_words trained.decoder_rule;
      [ "decoder-start"; Runs.named_by starts trained.decoder_from_zero ] ]

let checkpoint_words (k : Verified.pair_checkpoint) =
  List.concat
    [ [ "checkpoint"; count k.pair_at_step ]; band_words "norm" k.pair_norm_claim;
      band_words "decoder-norm" k.pair_decoder_norm_claim; band_words "loss" k.pair_loss_claim;
      perhaps_words "one-minus-corr" k.pair_corr_claim;
      perhaps_words "decoder-one-minus-corr" k.pair_decoder_corr_claim ]

(* ---- why one was refused ---- *)

let solution_kinds = "optimal or optimal-enclosure"

let why_solution refused k =
  match (cite refused k, refused.posed.(about refused).posing_of) with
  | Verified.EnclosureGap _, (RelaxedGroups _ | SelectedSets _) ->
      Stop.too_large "joint-run beside an enclosure by a gap of rows >= 0 is not verified yet, attest-check knows it"
  | (Verified.Optimal _ | EnclosureGap _ | EnclosureBall _), _ -> ()
  | _ -> wrong refused k solution_kinds

let why_decoder refused k =
  let posed = refused.posed.(Verified.claim_problem Verified.integers refused.claims.(k)) in
  require (posed.posing_of = Decoding) "decoder-from cites no decoder's problem";
  (match refused.claims.(k) with
  | Verified.Optimal _ | EnclosureGap _ | EnclosureBall _ -> ()
  | _ -> wrong refused k solution_kinds);
  if posed.selected_tokens <> refused.posed.(about refused).selected_tokens then
    Stop.too_large "joint-run beside a decoder of another selection is not verified yet, attest-check knows it"

let run solution decoder (trained : Verified.pair_training) steps (checkpoints : Verified.pair_checkpoint list)
    precision =
  let why refused =
    require (refused.posed.(about refused).posing_of <> Decoding) "the problem is not the attention's";
    require (Verified.has_decoder Verified.integers refused.instance) "the instance has no labels and decoder v";
    Option.iter (why_solution refused) solution;
    Option.iter (why_decoder refused) decoder;
    let alone (k : Verified.pair_checkpoint) =
      require
        ((k.pair_corr_claim = None || solution <> None) && (k.pair_decoder_corr_claim = None || decoder <> None))
        (Printf.sprintf "a correlation at step %d with a solution that is not cited" k.pair_at_step)
    in
    List.iter alone checkpoints;
    found "a number is not proved to be in its band"
  in
  let first _ _ =
    List.concat
      [ perhaps_cited_words "from" solution; perhaps_cited_words "decoder-from" decoder; training_words trained;
        [ "steps"; count steps ] ]
  in
  let evidence page = print_checkpoints page ~spare checkpoints precision checkpoint_words in
  { (kind "joint-run") with first; further = (fun () -> List.concat_map checkpoint_words checkpoints); evidence; why }

let () =
  register ~about:AnyRows ~of_training:true "joint-run" read (function
    | JointRun (_, solution, decoder, trained, steps, checkpoints, precision) as same ->
        Some { kind = run solution decoder trained steps checkpoints precision; renumbered = (fun _ -> same) }
    | _ -> None)
