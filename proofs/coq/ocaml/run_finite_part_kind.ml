(* The claim `run-finite-part`. *)

open Stop
open Kind
open Refusal

let name = "run-finite-part"

(* "none", or what is read. *)
let perhaps line read = if Line.accept line "none" then None else Some (read line)

(* ---- what is refused of what was read ---- *)

let refuse (text : text) found = rejected "claim %d (%s), line %d: %s" text.number name text.line.number found
let cited_by (text : text) number = List.nth text.earlier (List.length text.earlier - number)

let wrong_kind text number kind expected =
  refuse text (Printf.sprintf "cites claim %d, a claim of kind %s; expected %s" number kind expected)

(* A run, about any problem: itself and its fraction bits. *)
let run_of text number =
  match cited_by text number with
  | { said = Run (_, _, run); widths; _ } -> (run, widths)
  | { kind; _ } -> wrong_kind text number kind "run"

(* The fact of a run of several outputs is that of its solution, and none of its own. *)
let refuse_run text number =
  match cited_by text number with
  | { kind = "run"; about; _ } when about = subject text -> wrong_kind text number "run" "optimal or optimal-enclosure"
  | _ -> ()

(* ---- reading ---- *)

let band line =
  let lo = fraction line in
  (lo, fraction line)

let perhaps_band line word =
  Line.expect line word;
  perhaps line band

(* How many constraints of the problem are = 0. *)
let equations (text : text) =
  match text.problem.Constraints.posing with
  | Verified.SelectedSets sets -> List.fold_left (fun sum set -> sum + List.length set - 1) 0 sets
  | _ -> 0

let has_sets (text : text) =
  match text.problem.Constraints.posing with Verified.SelectedSets _ -> true | _ -> false

(* What the first line has of an angle. *)
let angle line solution factor corr =
  match (solution, factor, corr) with
  | None, None, None -> None
  | Some number, Some factor, Some corr -> Some (number - 1, (factor, corr))
  | _ -> Line.bad line "factor and one-minus-corr are of a solution"

let read (text : text) : body =
  let { line; _ } = text in
  Line.expect line "from";
  let solution = perhaps line (fun line -> earlier { text with line }) in
  let cites = run_number text in
  Line.expect line "at";
  let finite_step = Line.index line in
  let own_low = named line "norm-squared" in
  let own_high = fraction line in
  let own_radius = named line "radius" in
  let factor = perhaps_band line "factor" in
  let corr = perhaps_band line "one-minus-corr" in
  let own_selected = named line "selected" in
  let own_masked = named line "masked" in
  let own_angle = angle line solution factor corr in
  finish text;
  let count = equations text in
  let line = next text in
  let own_least = named line "spanning" in
  let of_eigenvalue = Finite_part_kinds.width line 29 in
  let spanning = Line.index line in
  if spanning > count then Line.bad line "more spanning constraints than constraints = 0";
  Line.finish line;
  let own_spanning = Constraints.read_constraints line text.source text.dataset text.problem spanning in
  let own_coefficients = vector text "coefficients" in
  let own_combinations = List.init (count - spanning) (fun _ -> vector text "combination") in
  if not (has_sets text) then refuse text "the problem is not one of selected sets";
  let finite_run, of_run = run_of text cites in
  if not (List.exists (fun (c : Verified.checkpoint) -> c.at_step = finite_step) finite_run.checkpoints) then
    refuse text (Printf.sprintf "step %d is not a checkpoint of the run" finite_step);
  Option.iter (refuse_run text) solution;
  let said : Verified.run_finite_data =
    { finite_run_claim = cites - 1; finite_run_picks = []; finite_run; finite_step; own_low; own_high; own_radius;
      own_angle; own_selected; own_masked; own_spanning; own_least; own_hints = Hints.refused; own_coefficients;
      own_combinations }
  in
  { (plain (Verified.RunFinitePart (subject text, said))) with of_eigenvalue; of_run; cites }

(* ---- in words ---- *)

let band_words = function None -> [ "none" ] | Some (lo, hi) -> [ shown lo; shown hi ]

let first (x : Verified.run_finite_data) (given : given) (read : claim) =
  (match given.claims.(read.run - 1) with
  | Run (_, _, run)
    when run.run_loss = x.finite_run.run_loss && run.run_specification = x.finite_run.run_specification
         && run.checkpoints = x.finite_run.checkpoints -> ()
  | _ -> failwith (Printf.sprintf "claim %d was checked for another run than claim %d" read.number read.run));
  List.concat
    [ [ "from"; (match x.own_angle with None -> "none" | Some (k, _) -> count (k + 1)) ];
      [ "run"; count read.run; "at"; count x.finite_step; "norm-squared"; shown x.own_low; shown x.own_high; "radius" ];
      shown x.own_radius :: "factor" :: band_words (Option.map (fun (_, (factor, _)) -> factor) x.own_angle);
      "one-minus-corr" :: band_words (Option.map (fun (_, (_, corr)) -> corr) x.own_angle);
      [ "selected"; shown x.own_selected; "masked"; shown x.own_masked ] ]

(* ---- why one was refused ---- *)

let why (x : Verified.run_finite_data) refused =
  require (Q.sign (value x.own_radius) >= 0) "the radius is negative";
  let equations = List.filter (equality refused) (constraints (picks refused) x.own_spanning) in
  require (equations = [] || listed x.own_spanning <> []) "no spanning constraints are listed";
  require (Q.sign (value x.own_least) > 0) "the bound of the smallest eigenvalue is not positive";
  List.iter
    (fun c -> require (List.mem c equations) (at refused c ^ " is listed as spanning and is not a constraint = 0"))
    (listed x.own_spanning);
  let others = List.filter (fun c -> not (entry x.own_spanning c)) equations in
  let independent c v =
    let at = at refused and entries = listed (nonzero v) in
    require (List.mem c entries) (at c ^ " is neither spanning nor in its combination");
    List.iter
      (fun d ->
        require
          (d = c || entry x.own_spanning d)
          (Printf.sprintf "%s is in the combination of %s and is not spanning" (at d) (at c)))
      entries;
    Finite_part_kinds.vanishing refused v
  in
  List.iter2 independent others x.own_combinations;
  require
    (List.for_all (entry x.own_spanning) (listed (nonzero x.own_coefficients)))
    "a coefficient is at a constraint that is not spanning";
  Option.iter
    (fun (k, _) ->
      match cite refused k with
      | Verified.EnclosureGap _ ->
          Stop.too_large "run-finite-part beside an enclosure by a gap is not verified yet, attest-check knows it"
      | Optimal _ | EnclosureBall _ -> ()
      | _ -> wrong refused k "optimal or optimal-enclosure")
    x.own_angle

(* ---- the kind ---- *)

let of_run p (x : Verified.run_finite_data) =
  let guessed guessing =
    let finite_run = guessing.precise x.finite_run_claim x.finite_run in
    let picks_of place = List.nth guessing.selections (problem_of (List.nth guessing.all place)) in
    let own_hints =
      Hints.compute guessing.data (List.nth guessing.selections p) x.own_spanning x.own_least ~bits:guessing.bits
    in
    Verified.RunFinitePart (p, { x with finite_run; finite_run_picks = picks_of x.finite_run_claim; own_hints })
  in
  let evidence page =
    page.print
      [ "spanning"; shown x.own_least; "bits"; count page.eigenvalue_bits;
        count (List.length (listed x.own_spanning)) ];
    Forever.print_constraints page.print x.own_spanning;
    page.print_vector "coefficients" x.own_coefficients;
    List.iter (page.print_vector "combination") x.own_combinations
  in
  { (kind name) with
    first = first x;
    further = (fun () -> ("coefficients" :: hashed_vector x.own_coefficients) @ Runs.run_words x.finite_run);
    evidence; guessed = Some guessed; factorised = true; more_bits = true; more_precision = true; why = why x }

let () =
  register ~about:AnyRows ~of_training:true name read (function
    | RunFinitePart (p, x) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.RunFinitePart
            ( p,
              { x with
                own_spanning = change.mask x.own_spanning; own_coefficients = change.vector x.own_coefficients;
                own_combinations = List.map change.vector x.own_combinations } )
        in
        Some { kind = of_run p x; renumbered }
    | _ -> None)
