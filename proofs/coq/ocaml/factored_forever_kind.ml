(* The claim `factored-forever`. Its value has the run, which is checked to be that of the claim cited. *)

open Kind
open Refusal

(* The run of claim `cited`, which must be about the factors of the same problem and pass the step. *)
let factored_run text cited step =
  match List.nth text.earlier (List.length text.earlier - cited) with
  | { said = FactoredRun (problem, _, _, loss, training, _, checkpoints, _); _ } when problem = subject text ->
      if not (List.exists (fun (k : Verified.factored_checkpoint) -> k.factored_at = step) checkpoints) then
        Stop.rejected "claim %d (factored-forever), line %d: step %d is not a checkpoint of the run" text.number
          text.line.number step;
      (loss, training)
  | { about = other; _ } when other <> subject text ->
      Stop.rejected "claim %d (factored-forever), line %d: claim %d is about another problem" text.number
        text.line.number cited
  | { kind = other; _ } ->
      Stop.rejected "claim %d (factored-forever), line %d: cites claim %d, a claim of kind %s; expected factored-run"
        text.number text.line.number cited other

let positive line name =
  let x = named line name in
  if Integer.sign (integer x.Verified.fraction_num) <= 0 then Line.bad line "a number must be positive";
  x

let read text =
  let line = text.line in
  let cited = run_number text in
  Line.expect line "at";
  let step = Line.index line in
  let share = Option.map (fun place -> (place, named line "share")) (perhaps_cited text "nuclear") in
  let slope = positive line "margin" in
  let growth = positive line "growth" in
  let attention = named line "attention" in
  let drift = named line "drift" in
  finish text;
  let loss, training = factored_run text cited step in
  plain
    (Verified.FactoredForever (subject text, cited - 1, loss, training, step, slope, growth, attention, drift, share))

let why (training : Verified.factored_training) slope share refused =
  if training.training_normalised || training.training_schedule <> Verified.Constant then
    found "T22 speaks of constant steps of gd";
  match share with
  | None -> ()
  | Some (k, q) -> (
      match cite refused k with
      | Verified.NuclearOptimum (_, lo, _, _, _, _, _, _, _, _, _) ->
          compare "the share of the best nuclear margin" (value q) "<=" (Q.mul (value slope) (value lo))
      | NormOptimum _ -> found "the claim cited is not about the nuclear norm"
      | _ -> wrong refused k "norm-optimum")

let later cited loss (training : Verified.factored_training) step slope growth attention drift share =
  let share_words = function Some (k, q) -> [ "nuclear"; count (k + 1); "share"; shown q ] | None -> [] in
  { (kind "factored-forever") with
    loss = Some (Some loss);
    first =
      (fun _ _ ->
        [ "run"; count (cited + 1); "at"; count step ]
        @ share_words share
        @ [ "margin"; shown slope; "growth"; shown growth; "attention"; shown attention; "drift"; shown drift ]);
    further = (fun () -> "rank" :: count training.training_rank :: Factored_run_kind.run_words training);
    why = why training slope share }

let () =
  register ~of_labels:true "factored-forever" read (function
    | FactoredForever (_, cited, loss, training, step, slope, growth, attention, drift, share) as same ->
        let kind = later cited loss training step slope growth attention drift share in
        Some { kind; renumbered = (fun _ -> same) }
    | _ -> None)
