(* The claim `factored-run`. Its replay has as many bits as it says and `spare` ones: a guess that nothing trusts. *)

open Kind
open Refusal

let spare = Integer.of_int 64
let most_rank = 4096
let rules = [ ("gd", false); ("ngd", true) ]

let band line =
  let lo = fraction line in
  (lo, fraction line)

let read_checkpoint text steps last : Verified.factored_checkpoint =
  let line = next text in
  Line.expect line "checkpoint";
  let factored_at = Line.index line in
  let said name =
    Line.expect line name;
    band line
  in
  let perhaps name = if Line.accept line name then Some (band line) else None in
  let factored_left_claim = said "left-norm" in
  let factored_right_claim = said "right-norm" in
  let factored_norm_claim = said "norm" in
  let factored_balance_claim = said "balance" in
  let factored_loss_claim = said "loss-gap" in
  let factored_unselected_claim = said "unselected" in
  let factored_corr_claim = perhaps "one-minus-corr" in
  let factored_nuclear_claim = perhaps "nuclear-one-minus-corr" in
  Line.finish line;
  if factored_at > steps || factored_at <= last then
    Line.bad line "checkpoints increase and are not after the last step";
  { factored_at; factored_left_claim; factored_right_claim; factored_norm_claim; factored_balance_claim;
    factored_loss_claim; factored_unselected_claim; factored_corr_claim; factored_nuclear_claim }

(* "optimizer … schedule … step …", then K_0 and Q_0. *)
let read_training text training_rank : Verified.factored_training =
  let line = next text in
  Line.expect line "optimizer";
  let training_normalised = Runs.pick line "optimizer" rules in
  Line.expect line "schedule";
  let training_schedule = Runs.pick line "schedule" Runs.schedules in
  Line.expect line "step";
  let training_step = fraction line in
  if Integer.sign (integer training_step.fraction_num) <= 0 then Line.bad line "a step must be positive";
  Line.finish line;
  let left = Dataset.left_dimension text.dataset and right = Dataset.right_dimension text.dataset in
  let training_left, training_left_unit = Norm_kinds.read_matrix text "left" left training_rank in
  let training_right, training_right_unit = Norm_kinds.read_matrix text "right" right training_rank in
  { training_rank; training_normalised; training_schedule; training_step; training_left; training_left_unit;
    training_right; training_right_unit }

(* The matrix that a claim about the nuclear norm of the same problem writes out. *)
let nuclear_matrix text place =
  match List.nth text.earlier (List.length text.earlier - place - 1) with
  | { said = NuclearOptimum (problem, _, _, _, k, k_unit, q, q_unit, _, _, _); _ } when problem = subject text ->
      (Verified.factor_product Verified.integers k q, Coq_data.carrier (Integer.mul (integer k_unit) (integer q_unit)))
  | _ ->
      Stop.rejected "claim %d (factored-run), line %d: claim %d is not about the nuclear norm of its problem"
        text.number text.line.number (place + 1)

let read text =
  let { line; number; _ } = text in
  Line.expect line "rank";
  let rank = Line.index line in
  if rank = 0 || rank > most_rank then Line.bad line "ranks are from 1 to %d" most_rank;
  let cited = perhaps_cited text "from" in
  let nuclear = perhaps_cited text "nuclear" in
  Line.expect line "steps";
  let steps = Line.index line in
  finish text;
  let training = read_training text rank in
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
      checkpoint :: read_checkpoints (k + 1) checkpoint.factored_at
  in
  let checkpoints = read_checkpoints 0 (-1) in
  let precision = Integer.add (Integer.of_int bits) spare in
  let nuclear = Option.map (fun place -> (place, nuclear_matrix text place)) nuclear in
  match text.problem.loss with
  | None -> Stop.rejected "claim %d (factored-run), line %d: the problem names no loss" number text.line.Line.number
  | Some loss ->
      plain (Verified.FactoredRun (subject text, cited, nuclear, loss, training, steps, checkpoints, precision))

(* ---- in words ---- *)

let specification_words (r : Verified.factored_training) =
  let word choices choice = fst (List.find (fun (_, c) -> c = choice) choices) in
  [ "optimizer"; word rules r.training_normalised; "schedule"; word Runs.schedules r.training_schedule; "step";
    shown r.training_step ]

(* Which run it is, but for its rank. *)
let run_words (r : Verified.factored_training) =
  specification_words r
  @ ("start"
    :: Canonical.hash_of_numbers
         (Norm_kinds.entries_over r.training_left r.training_left_unit
         @ Norm_kinds.entries_over r.training_right r.training_right_unit))

let checkpoint_words (k : Verified.factored_checkpoint) =
  let said name (lo, hi) = [ name; shown lo; shown hi ] in
  let perhaps name = function Some band -> said name band | None -> [] in
  List.concat
    [ [ "checkpoint"; count k.factored_at ]; said "left-norm" k.factored_left_claim;
      said "right-norm" k.factored_right_claim; said "norm" k.factored_norm_claim;
      said "balance" k.factored_balance_claim; said "loss-gap" k.factored_loss_claim;
      said "unselected" k.factored_unselected_claim; perhaps "one-minus-corr" k.factored_corr_claim;
      perhaps "nuclear-one-minus-corr" k.factored_nuclear_claim ]

let cited_words word = function Some place -> [ word; count (place + 1) ] | None -> []

let run cited nuclear loss (training : Verified.factored_training) steps checkpoints precision =
  let why refused =
    let said claim = List.exists (fun k -> claim k <> None) checkpoints in
    (match cited with
    | None ->
        if said (fun (k : Verified.factored_checkpoint) -> k.factored_corr_claim) then
          found "a correlation with a solution that is not cited"
    | Some k -> (
        match cite refused k with
        | Verified.Optimal _ | EnclosureBall _ | EnclosureGap _ -> ()
        | _ -> wrong refused k "optimal or optimal-enclosure"));
    if nuclear = None && said (fun (k : Verified.factored_checkpoint) -> k.factored_nuclear_claim) then
      found "a correlation with a solution that is not cited";
    found "a number is not proved to be in its band"
  in
  let first _ _ =
    [ "rank"; count training.training_rank ]
    @ cited_words "from" cited
    @ cited_words "nuclear" (Option.map fst nuclear)
    @ [ "steps"; count steps ]
  in
  let evidence page =
    page.print (specification_words training);
    Norm_kinds.print_matrix page "left" training.training_left training.training_left_unit;
    Norm_kinds.print_matrix page "right" training.training_right training.training_right_unit;
    page.print
      [ "checkpoints"; count (List.length checkpoints); "bits"; Integer.to_string (Integer.sub precision spare) ];
    List.iter (fun k -> page.print (checkpoint_words k)) checkpoints
  in
  { (kind "factored-run") with
    loss = Some (Some loss); first;
    further = (fun () -> run_words training @ List.concat_map checkpoint_words checkpoints);
    evidence; why }

let () =
  register "factored-run" read (function
    | FactoredRun (_, cited, nuclear, loss, training, steps, checkpoints, precision) as same ->
        Some { kind = run cited nuclear loss training steps checkpoints precision; renumbered = (fun _ -> same) }
    | _ -> None)
