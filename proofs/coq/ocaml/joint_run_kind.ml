(* The claim `joint-run`. Its replay has as many bits as it says and `spare` ones: a guess that nothing trusts. *)

open Kind
open Refusal

let spare = Integer.of_int 32
let rules = [ ("gd", false); ("ngd", true) ]
let starts = [ ("zero", true); ("instance", false) ]
let losses = ("correlation", Verified.Correlation) :: Joint_path_kind.losses

let one_of line what choices = List.assoc (Line.one_word line what (List.map fst choices)) choices

(* "(gd | ngd) step S power E" *)
let read_rule line : Verified.pair_rule =
  let rule_normalised = one_of line "rule" rules in
  Line.expect line "step";
  let rule_size = fraction line in
  if Integer.sign (integer rule_size.fraction_num) <= 0 then Line.bad line "a step must be positive";
  Line.expect line "power";
  { rule_normalised; rule_size; rule_power = fraction line }

let power_in_range (rule : Verified.pair_rule) =
  let power = value rule.rule_power in
  Q.leq power Q.zero && Q.geq power (Q.of_int (-64))

let band line =
  let lo = fraction line in
  (lo, fraction line)

let read_checkpoint text steps last : Verified.pair_checkpoint =
  let line = next text in
  Line.expect line "checkpoint";
  let pair_at_step = Line.index line in
  let said name =
    Line.expect line name;
    band line
  in
  let perhaps name = if Line.accept line name then Some (band line) else None in
  let pair_norm_claim = said "norm" in
  let pair_decoder_norm_claim = said "decoder-norm" in
  let pair_loss_claim = said "loss" in
  let pair_corr_claim = perhaps "one-minus-corr" in
  let pair_decoder_corr_claim = perhaps "decoder-one-minus-corr" in
  Line.finish line;
  if pair_at_step > steps || pair_at_step <= last then
    Line.bad line "checkpoints increase and are not after the last step";
  { pair_at_step; pair_norm_claim; pair_decoder_norm_claim; pair_loss_claim; pair_corr_claim; pair_decoder_corr_claim }

let read text =
  let line = text.line in
  let solution = perhaps_cited text "from" in
  let decoder = perhaps_cited text "decoder-from" in
  Line.expect line "loss";
  let trained_loss = one_of line "loss" losses in
  Line.expect line "attention";
  let attention_rule = read_rule line in
  Line.expect line "decoder";
  let decoder_rule = read_rule line in
  Line.expect line "decoder-start";
  let decoder_from_zero = one_of line "start" starts in
  Line.expect line "steps";
  let steps = Line.index line in
  finish text;
  if not (power_in_range attention_rule && power_in_range decoder_rule) then Line.bad line "powers are from -64 to 0";
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
      checkpoint :: read_checkpoints (k + 1) checkpoint.pair_at_step
  in
  let checkpoints = read_checkpoints 0 (-1) in
  plain
    (Verified.JointRun
       ( subject text, solution, decoder, { trained_loss; attention_rule; decoder_rule; decoder_from_zero }, steps,
         checkpoints, Integer.add (Integer.of_int bits) spare ))

(* ---- in words ---- *)

let word choices choice = fst (List.find (fun (_, c) -> c = choice) choices)

let rule_words (rule : Verified.pair_rule) =
  [ word rules rule.rule_normalised; "step"; shown rule.rule_size; "power"; shown rule.rule_power ]

let checkpoint_words (k : Verified.pair_checkpoint) =
  let said name (lo, hi) = [ name; shown lo; shown hi ] in
  let perhaps name = function Some band -> said name band | None -> [] in
  List.concat
    [ [ "checkpoint"; count k.pair_at_step ]; said "norm" k.pair_norm_claim;
      said "decoder-norm" k.pair_decoder_norm_claim; said "loss" k.pair_loss_claim;
      perhaps "one-minus-corr" k.pair_corr_claim; perhaps "decoder-one-minus-corr" k.pair_decoder_corr_claim ]

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
  let cited name = function Some k -> [ name; count (k + 1) ] | None -> [] in
  let first _ _ =
    List.concat
      [ cited "from" solution; cited "decoder-from" decoder; [ "loss"; word losses trained.trained_loss; "attention" ];
        rule_words trained.attention_rule; [ "decoder" ]; rule_words trained.decoder_rule;
        [ "decoder-start"; word starts trained.decoder_from_zero; "steps"; count steps ] ]
  in
  let evidence page =
    page.print
      [ "checkpoints"; count (List.length checkpoints); "bits"; Integer.to_string (Integer.sub precision spare) ];
    List.iter (fun k -> page.print (checkpoint_words k)) checkpoints
  in
  { (kind "joint-run") with first; further = (fun () -> List.concat_map checkpoint_words checkpoints); evidence; why }

let () =
  register "joint-run" read (function
    | JointRun (_, solution, decoder, trained, steps, checkpoints, precision) as same ->
        Some { kind = run solution decoder trained steps checkpoints precision; renumbered = (fun _ -> same) }
    | _ -> None)
