(* The claims about all later steps, `forever-from-point` and `forever-from-run`. *)

open Stop
open Kind

(* "run R at index": an earlier claim about a run of the same problem, and one of its checkpoints. *)
let read_run_step text =
  let cited = run_number text in
  Line.expect text.line "at";
  let step = Line.index text.line in
  let place, run, _ = cited_run "forever-from-run" text cited in
  if not (List.exists (fun (c : Verified.checkpoint) -> c.at_step = step) run.checkpoints) then
    rejected "claim %d (forever-from-run), line %d: step %d is not a checkpoint of the run" text.number
      text.line.number step;
  (cited, place, run, step)

(* More bits may prove the eigenvalue bound of its evidence. *)
let more_bits evidence = match Forever.bound_hints evidence with Some hints -> hints == Hints.refused | None -> false

let factorised evidence = Option.is_some (Forever.bound_hints evidence)
let with_hints { data; all; selections; bits; _ } p k evidence =
  Forever.hinted data (List.nth selections p) (List.nth all k) evidence ~bits

let print_evidence (page : Kind.page) evidence =
  (Forever.theorem evidence).print
    { line = page.print; vector = page.print_vector; bits = page.eigenvalue_bits; different = page.different }

let why (said : Verified.conclusion) _ = Refusal.compare "growth" (Refusal.value said.said_growth) ">" Q.zero

let read_from_point text =
  let cited = citation text in
  let read_evidence = Forever.read_theorem text.line text.source text.dataset text.problem in
  let dominates = Forever.read_domination text.line in
  let steps = Forever.read_specification (next text) in
  let start = Forever.read_start (next text) text.dataset in
  let evidence, bits = read_evidence () in
  let said = Forever.read_conclusion (next text) dominates in
  let value = Verified.ForeverFromPoint (subject text, cited, text.problem.loss, steps, start, evidence, said) in
  { (plain value) with of_eigenvalue = bits }

let from_point p k loss steps start evidence said =
  let guessed guessing =
    Verified.ForeverFromPoint (p, k, loss, steps, start, with_hints guessing p k evidence, said)
  in
  { (kind "forever-from-point") with
    loss = Some loss;
    first = (fun _ _ -> from k @ Forever.theorem_words evidence said);
    further =
      (fun () -> Forever.specification_words steps @ Forever.hashed_start start @ Forever.conclusion_words said);
    evidence =
      (fun page ->
        page.print (Forever.specification_words steps);
        page.print (Forever.written_start start);
        print_evidence page evidence;
        page.print (Forever.conclusion_words said));
    guessed = Some guessed; factorised = factorised evidence; more_bits = more_bits evidence; why = why said }

let read_from_run text =
  let cited = citation text in
  let cites, place, run, step = read_run_step text in
  let read_evidence = Forever.read_theorem text.line text.source text.dataset text.problem in
  let dominates = Forever.read_domination text.line in
  let evidence, of_eigenvalue = read_evidence () in
  let said = Forever.read_conclusion (next text) dominates in
  { (plain (ForeverFromRun (subject text, cited, place, run, step, evidence, said))) with of_eigenvalue; cites }

let from_run p k place (run : Verified.run_claim) step evidence said =
  let guessed guessing =
    let run = guessing.precise place run in
    Verified.ForeverFromRun (p, k, place, run, step, with_hints guessing p k evidence, said)
  in
  let first given read =
    from k @ [ "run"; number_of_run given read run; "at"; count step ] @ Forever.theorem_words evidence said
  in
  { (kind "forever-from-run") with
    loss = Some (Some run.run_loss); first;
    further = (fun () -> Runs.run_words run @ Forever.conclusion_words said);
    evidence =
      (fun page ->
        print_evidence page evidence;
        page.print (Forever.conclusion_words said));
    guessed = Some guessed; factorised = factorised evidence; more_bits = more_bits evidence; more_precision = true;
    why = why said }

let () =
  register ~of_labels:true "forever-from-point" read_from_point (function
    | ForeverFromPoint (p, k, loss, steps, start, e, said) ->
        let renumbered change =
          Verified.ForeverFromPoint (p, k, loss, steps, start, Forever.renumbered change e, said)
        in
        Some { kind = from_point p k loss steps start e said; renumbered }
    | _ -> None);
  register ~of_labels:true "forever-from-run" read_from_run (function
    | ForeverFromRun (p, k, place, run, step, e, said) ->
        let renumbered change = Verified.ForeverFromRun (p, k, place, run, step, Forever.renumbered change e, said) in
        Some { kind = from_run p k place run step e said; renumbered }
    | _ -> None)
