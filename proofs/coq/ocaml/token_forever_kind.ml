(* The claim `token-forever`. Its value has the run, which is checked to be that of the claim cited, and the vectors
   that bound how much the rows' weights curve: a guess that nothing trusts (NEXT_TOKEN.md section 4). *)

open Kind
open Refusal

(* The training and the pairs of claim `cited`, which must be about a run of the same problem that passes the step. *)
let token_run (text : Kind.text) cited step =
  let reject fmt =
    Printf.ksprintf
      (fun why -> Stop.rejected "claim %d (token-forever), line %d: %s" text.number text.line.Line.number why)
      fmt
  in
  match List.nth text.earlier (List.length text.earlier - cited) with
  | { said = TokenRun (problem, _, pairs, training, _, checkpoints, _); _ } when problem = subject text ->
      if not (List.exists (fun (k : Verified.token_checkpoint) -> k.token_at = step) checkpoints) then
        reject "step %d is not a checkpoint of the run" step;
      (pairs, training)
  | { about = other; _ } when other <> subject text -> reject "claim %d is about another problem" cited
  | { kind = other; _ } -> reject "cites claim %d, a claim of kind %s; expected token-run" cited other

let read_future line : Verified.token_future =
  let future_off = named line "unselected" in
  let future_decrease = named line "decrease" in
  let future_loss = named line "loss-gap" in
  let future_ratio = named line "loss-ratio" in
  let future_height = named line "height" in
  let future_growth = named line "growth" in
  let future_lag = named line "lag" in
  let future_centre = named line "residual" in
  { future_off; future_decrease; future_loss; future_ratio; future_height; future_growth; future_lag; future_centre;
    future_path = named line "path" }

let nothing = Coq_data.carrier Integer.zero

let read (text : Kind.text) =
  let line = text.line in
  let cited = citation text in
  let ran = run_number text in
  Line.expect line "at";
  let step = Line.index line in
  let future = read_future line in
  finish text;
  let pairs, training = token_run text ran step in
  plain (Verified.TokenForever (subject text, cited, ran - 1, pairs, training, step, future, nothing, []))

(* ---- the vectors ---- *)

(* All that the relation leads to. *)
let reached from next =
  let seen = Hashtbl.create 16 in
  let rec go x =
    let visit y =
      if not (Hashtbl.mem seen y) then (
        Hashtbl.add seen y ();
        go y)
    in
    List.iter visit (Hashtbl.find_all next x)
  in
  go from;
  List.of_seq (Hashtbl.to_seq_keys seen)

(* Of a token of a column whose rows say what is above what: e_x or -e_x at the ends of the order; else h at x, h + 1
   above and h - 1 below it, for the h that makes the vector shortest. *)
let vector above below x =
  if not (Hashtbl.mem above x) then [ (x, 1) ]
  else if not (Hashtbl.mem below x) then [ (x, -1) ]
  else
    let up = reached x above and down = reached x below in
    let square h = (h * h) + (List.length up * (h + 1) * (h + 1)) + (List.length down * (h - 1) * (h - 1)) in
    let shorter best h = if square h < square best then h else best in
    let height = List.fold_left shorter 0 [ 1; -1 ] in
    let around = List.map (fun y -> (y, height + 1)) up @ List.map (fun y -> (y, height - 1)) down in
    List.filter (fun (_, a) -> a <> 0) ((x, height) :: around)

(* The square of the length of their sum. *)
let square_of_sum first second =
  let sum = Hashtbl.create 16 in
  let add (x, a) = Hashtbl.replace sum x (a + Option.value ~default:0 (Hashtbl.find_opt sum x)) in
  List.iter add first;
  List.iter add second;
  Hashtbl.fold (fun _ a total -> total + (a * a)) sum 0

(* A query's tokens with their vectors, and the largest square of a row's. *)
let column (rows, tokens) =
  let above = Hashtbl.create 64 and below = Hashtbl.create 64 in
  List.iter
    (fun (top, x) ->
      Hashtbl.add above x top;
      Hashtbl.add below top x)
    rows;
  let vectors = Hashtbl.create 64 in
  List.iter (fun x -> Hashtbl.replace vectors x (vector above below x)) tokens;
  let square (top, x) = square_of_sum (Hashtbl.find vectors top) (Hashtbl.find vectors x) in
  ( List.map (fun x -> (x, Hashtbl.find vectors x)) tokens,
    List.fold_left (fun most row -> max most (square row)) 0 rows )

(* By query, its rows and tokens. *)
let columns data picks =
  let found = Hashtbl.create 64 and order = ref [] in
  let group query places pick =
    let top = List.nth places pick in
    let rows = List.filter_map (fun x -> if x = top then None else Some (top, x)) places in
    if not (Hashtbl.mem found query) then order := query :: !order;
    let earlier_rows, earlier_tokens = Option.value ~default:([], []) (Hashtbl.find_opt found query) in
    Hashtbl.replace found query (rows @ earlier_rows, places @ earlier_tokens)
  in
  let places = Verified.place_table Verified.integers data in
  List.iter2
    (fun (query, places) pick -> group query places pick)
    (List.combine (Verified.query_column Verified.integers data) places)
    picks;
  let distinct (rows, tokens) = (List.sort_uniq Stdlib.compare rows, List.sort_uniq Stdlib.compare tokens) in
  List.map (fun query -> (query, distinct (Hashtbl.find found query))) (List.rev !order)

let guess p cited ran pairs training step future (given : guessing) =
  let made = List.map (fun (query, what) -> (query, column what)) (columns given.data (List.nth given.selections p)) in
  let number a = Coq_data.carrier (Integer.of_int a) in
  let square = List.fold_left (fun most (_, (_, square)) -> max most square) 0 made in
  let written (query, (vectors, _)) =
    (query, List.map (fun (x, w) -> (x, List.map (fun (y, a) -> (y, number a)) w)) vectors)
  in
  Verified.TokenForever
    (p, cited, ran, pairs, training, step, future, number square, List.map written made)

(* ---- in words ---- *)

let future_words (c : Verified.token_future) =
  [ "unselected"; shown c.future_off; "decrease"; shown c.future_decrease; "loss-gap"; shown c.future_loss;
    "loss-ratio"; shown c.future_ratio; "height"; shown c.future_height; "growth"; shown c.future_growth; "lag";
    shown c.future_lag; "residual"; shown c.future_centre; "path"; shown c.future_path ]

let forever p cited ran pairs training step future =
  let why refused =
    Token_ray_kind.require_selection refused "token with the sentence's next one";
    (match cite refused cited with Verified.Optimal _ -> () | _ -> wrong refused cited "optimal");
    found "a condition of T23 or a number of what follows is not proved"
  in
  { (kind "token-forever") with
    first =
      (fun _ _ -> from cited @ [ "run"; count (ran + 1); "at"; count step ] @ future_words future);
    further = (fun () -> Token_run_kind.training_words training);
    guessed = Some (guess p cited ran pairs training step future);
    why }

let () =
  register "token-forever" read (function
    | TokenForever (p, cited, ran, pairs, training, step, future, _, _) as same ->
        Some { kind = forever p cited ran pairs training step future; renumbered = (fun _ -> same) }
    | _ -> None)
