(* The claims `run` and `path-inequality`. *)

open Kind

let read_run text =
  let cited = citation text in
  let run, widths = Runs.read text.number text.line text.source text.dataset text.problem.loss in
  { (plain (Run (subject text, cited, run))) with of_run = widths }

let run p k (run : Verified.run_claim) =
  let guessed { all; precise; place; _ } =
    let speaks_of_path : Verified.claim -> bool = function
      | PathInequality (_, run, _, _, _, _) -> run = place
      | _ -> false
    in
    Verified.Run (p, k, precise place { run with keeps_path = List.exists speaks_of_path all })
  in
  { (kind "run") with
    loss = Some (Some run.run_loss);
    first = (fun _ _ -> from k @ [ "steps"; count run.run_steps ]);
    further = (fun () -> Runs.run_words run @ List.concat (Runs.claimed_lines run));
    evidence = (fun page -> List.iter page.print (Runs.lines run page.run_widths));
    guessed = Some guessed; more_precision = true }

let read_path text =
  let cites = run_number text in
  let { line; _ } = text in
  Line.expect line "from";
  let from = Line.index line in
  Line.expect line "until";
  let until = Line.index line in
  if from >= until then Line.bad line "no step between them";
  let constant = named line "constant" in
  Line.finish line;
  let place, run, of_run = cited_run "path-inequality" text cites in
  { (plain (PathInequality (subject text, place, run, from, until, constant))) with of_run; cites }

let path p k (run : Verified.run_claim) from until constant =
  let first given read =
    [ "run"; number_of_run given read run; "from"; count from; "until"; count until; "constant"; shown constant ]
  in
  { (kind "path-inequality") with
    loss = Some (Some run.run_loss); first;
    further = (fun () -> Runs.run_words run);
    guessed = Some (fun { precise; _ } -> Verified.PathInequality (p, k, precise k run, from, until, constant));
    more_precision = true }

let () =
  register ~of_labels:true "run" read_run (function
    | Run (p, k, stated) as same -> Some { kind = run p k stated; renumbered = (fun _ -> same) }
    | _ -> None);
  register ~of_labels:true "path-inequality" read_path (function
    | PathInequality (p, k, stated, from, until, constant) as same ->
        Some { kind = path p k stated from until constant; renumbered = (fun _ -> same) }
    | _ -> None)
