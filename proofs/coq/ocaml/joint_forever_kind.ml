(* The claim `joint-forever`. Its value has the training of the run that it cites, and names the claim about the
   solution that the decoder's support rests on. *)

open Kind
open Refusal

let positive line =
  let number = fraction line in
  if Integer.sign (integer number.fraction_num) <= 0 then Line.bad line "a number must be positive";
  number

let named_positive line word =
  Line.expect line word;
  positive line

let read_values line : Verified.decoder_future =
  Line.expect line "decoder";
  let value_from = positive line in
  let value_growth = named_positive line "growth" in
  let value_lateral = named line "lateral" in
  let value_loss = named line "loss" in
  { value_from; value_growth; value_lateral; value_loss; value_decay = named_positive line "decay" }

let read_rows line : Verified.attention_future =
  Line.expect line "attention";
  let rows_from = positive line in
  let rows_growth = named_positive line "growth" in
  let rows_spread = named line "spread" in
  let rows_unselected = named line "unselected" in
  { rows_from; rows_growth; rows_spread; rows_unselected; rows_fall = named_positive line "fall" }

let read_region text : Verified.pair_region =
  let line = next text in
  let region_deficit = named_positive line "deficit" in
  let region_reach = named line "reach" in
  let region_aside = named_positive line "aside" in
  Line.expect line "boxes";
  let count = Line.index line in
  let rec boxes k = if k = count then [] else let box = positive line in box :: boxes (k + 1) in
  let region_boxes = boxes 0 in
  Line.finish line;
  { region_deficit; region_reach; region_aside; region_boxes }

(* Of a claim that is not about a run of this problem, what is never accepted. *)
let no_training : Verified.pair_training =
  let rule : Verified.pair_rule =
    { rule_normalised = false; rule_size = Joint_path_kind.no_number; rule_power = Joint_path_kind.no_number }
  in
  { trained_loss = Correlation; attention_rule = rule; decoder_rule = rule; decoder_from_zero = true }

let training text place =
  match (List.nth text.earlier (List.length text.earlier - place - 1)).said with
  | Verified.JointRun (problem, _, _, trained, _, _, _) when problem = subject text -> trained
  | _ -> no_training

let read text =
  let line = text.line in
  let cited = citation text in
  Line.expect line "support";
  let support = earlier text - 1 in
  Line.expect line "joint-run";
  let run = earlier text - 1 in
  Line.expect line "at";
  let step = Line.index line in
  let values = read_values line in
  let rows = read_rows line in
  finish text;
  let region = read_region text in
  let decoder = Label_margins_kind.solution text support in
  plain
    (Verified.JointForever (subject text, cited, support, decoder, run, training text run, step, region, values, rows))

(* ---- in words ---- *)

let values_words (a : Verified.decoder_future) =
  [ "decoder"; shown a.value_from; "growth"; shown a.value_growth; "lateral"; shown a.value_lateral; "loss";
    shown a.value_loss; "decay"; shown a.value_decay ]

let rows_words (b : Verified.attention_future) =
  [ "attention"; shown b.rows_from; "growth"; shown b.rows_growth; "spread"; shown b.rows_spread; "unselected";
    shown b.rows_unselected; "fall"; shown b.rows_fall ]

(* ---- why one was refused ---- *)

let why_run refused run step =
  match cite refused run with
  | Verified.JointRun (_, _, _, _, _, checkpoints, _) ->
      require
        (List.exists (fun (k : Verified.pair_checkpoint) -> k.pair_at_step = step) checkpoints)
        (Printf.sprintf "step %d is not a checkpoint of the run" step)
  | _ -> wrong refused run "joint-run"

(* Has the solution a multiplier > 0 in every group? *)
let why_multipliers refused decoder =
  let positive =
    match refused.claims.(decoder) with
    | Verified.Optimal (_, _, v) -> List.for_all (fun row -> Integer.sign (integer (List.nth row 1)) > 0) v.numerators
    | EnclosureBall (_, _, _, _, _, _, mask, _, _) -> List.for_all (fun row -> List.nth row 1) mask
    | _ -> wrong refused decoder "optimal, or optimal-enclosure of form lambda-min"
  in
  require positive "a multiplier of the decoder's solution is 0"

let why_training (trained : Verified.pair_training) =
  let attention = trained.attention_rule and decoder = trained.decoder_rule in
  require (attention.rule_normalised && decoder.rule_normalised) "T20 speaks of normalised steps";
  require
    (Q.equal (value attention.rule_power) (value decoder.rule_power)
    && Q.geq (value attention.rule_power) Q.minus_one)
    "T20 asks for one schedule of both steps, no faster than inverse";
  require (trained.trained_loss <> Correlation) "T20 asks for a loss with an exponential tail"

let why_region refused (region : Verified.pair_region) trained =
  require (Q.lt (value region.region_deficit) Q.one) "the deficit is not below 1";
  require (Q.geq (value region.region_reach) Q.zero) "the reach is negative";
  why_training trained;
  let groups = List.length (picks refused) in
  require
    (List.length region.region_boxes = if groups > 1 then groups else 0)
    "there is not one box for each group"

let forever cited support decoder run trained step (region : Verified.pair_region) values rows =
  let why refused =
    why_run refused run step;
    Joint_kind.why_attention support refused;
    require (refused.posed.(about refused).posing_of = Attention) "T20 asks that every group supports the decoder";
    (match cite refused cited with
    | Verified.Optimal _ | EnclosureBall _ -> ()
    | _ -> wrong refused cited "optimal, or optimal-enclosure of form lambda-min");
    why_multipliers refused decoder;
    why_region refused region trained;
    found "a condition of T20 or a number of what follows is not proved"
  in
  let first _ _ =
    from cited
    @ [ "support"; count (support + 1); "joint-run"; count (run + 1); "at"; count step ]
    @ values_words values @ rows_words rows
  in
  let evidence page =
    page.print
      ([ "deficit"; shown region.region_deficit; "reach"; shown region.region_reach; "aside"; shown region.region_aside;
         "boxes"; count (List.length region.region_boxes) ]
      @ List.map shown region.region_boxes)
  in
  { (kind "joint-forever") with first; further = (fun () -> Joint_run_kind.training_words trained); evidence; why }

let () =
  register ~about:AnyRows ~of_training:true "joint-forever" read (function
    | JointForever (_, cited, support, decoder, run, trained, step, region, values, rows) as same ->
        Some { kind = forever cited support decoder run trained step region values rows; renumbered = (fun _ -> same) }
    | _ -> None)
