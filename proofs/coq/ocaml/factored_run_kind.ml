(* The claim `factored-run`. *)

open Kind
open Refusal
open Replayed_run

let spare = 64
let most_rank = 4096
let rules = [ ("gd", false); ("ngd", true) ]

let read_checkpoint line factored_at : Verified.factored_checkpoint =
  let factored_left_claim = band line "left-norm" in
  let factored_right_claim = band line "right-norm" in
  let factored_norm_claim = band line "norm" in
  let factored_balance_claim = band line "balance" in
  let factored_loss_claim = band line "loss-gap" in
  let factored_unselected_claim = band line "unselected" in
  let factored_corr_claim = perhaps_band line "one-minus-corr" in
  let factored_nuclear_claim = perhaps_band line "nuclear-one-minus-corr" in
  { factored_at; factored_left_claim; factored_right_claim; factored_norm_claim; factored_balance_claim;
    factored_loss_claim; factored_unselected_claim; factored_corr_claim; factored_nuclear_claim }

(* "optimizer … schedule … step …", then K_0 and Q_0. *)
let read_training text training_rank : Verified.factored_training =
  let line = next text in
  let training_normalised, training_schedule, training_step = Runs.read_specification rules line in
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
  let line = text.line in
  Line.expect line "rank";
  let rank = Line.index line in
  if rank = 0 || rank > most_rank then Line.bad line "ranks are from 1 to %d" most_rank;
  let cited = perhaps_cited text "from" in
  let nuclear = perhaps_cited text "nuclear" in
  Line.expect line "steps";
  let steps = Line.index line in
  finish text;
  let training = read_training text rank in
  let checkpoints, precision = read_checkpoints text ~spare ~steps read_checkpoint in
  let nuclear = Option.map (fun place -> (place, nuclear_matrix text place)) nuclear in
  let loss = loss_of "factored-run" text in
  plain (Verified.FactoredRun (subject text, cited, nuclear, loss, training, steps, checkpoints, precision))

(* ---- in words ---- *)

let specification_words (r : Verified.factored_training) =
  Runs.specification_words rules r.training_normalised r.training_schedule r.training_step

(* Which run it is, but for its rank. *)
let run_words (r : Verified.factored_training) =
  specification_words r
  @ ("start"
    :: Canonical.hash_of_numbers
         (Norm_kinds.entries_over r.training_left r.training_left_unit
         @ Norm_kinds.entries_over r.training_right r.training_right_unit))

let checkpoint_words (k : Verified.factored_checkpoint) =
  List.concat
    [ [ "checkpoint"; count k.factored_at ]; band_words "left-norm" k.factored_left_claim;
      band_words "right-norm" k.factored_right_claim; band_words "norm" k.factored_norm_claim;
      band_words "balance" k.factored_balance_claim; band_words "loss-gap" k.factored_loss_claim;
      band_words "unselected" k.factored_unselected_claim; perhaps_words "one-minus-corr" k.factored_corr_claim;
      perhaps_words "nuclear-one-minus-corr" k.factored_nuclear_claim ]

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
    @ perhaps_cited_words "from" cited
    @ perhaps_cited_words "nuclear" (Option.map fst nuclear)
    @ [ "steps"; count steps ]
  in
  let evidence page =
    page.print (specification_words training);
    Norm_kinds.print_matrix page "left" training.training_left training.training_left_unit;
    Norm_kinds.print_matrix page "right" training.training_right training.training_right_unit;
    print_checkpoints page ~spare checkpoints precision checkpoint_words
  in
  { (kind "factored-run") with
    loss = Some (Some loss); first;
    further = (fun () -> run_words training @ List.concat_map checkpoint_words checkpoints);
    evidence; why }

let () =
  register ~of_labels:true ~none_of_outputs:"the head has several outputs" "factored-run" read (function
    | FactoredRun (_, cited, nuclear, loss, training, steps, checkpoints, precision) as same ->
        Some { kind = run cited nuclear loss training steps checkpoints precision; renumbered = (fun _ -> same) }
    | _ -> None)
