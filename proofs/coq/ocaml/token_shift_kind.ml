(* The claim `token-shift`. Its value has the run of the claim about later steps, which is checked to be that one's, and
   rows that lead from one token to another: guesses that nothing trusts (NEXT_TOKEN.md section 5). *)

open Kind
open Refusal

let max_id = 1 lsl 24

(* The claim about later steps that is cited, which must be about the same problem: its run, and its step. *)
let later_steps (text : Kind.text) place =
  let reject fmt =
    Printf.ksprintf
      (fun why -> Stop.rejected "claim %d (token-shift), line %d: %s" text.number text.line.Line.number why)
      fmt
  in
  match List.nth text.earlier (List.length text.earlier - 1 - place) with
  | { said = TokenForever (problem, _, _, _, training, step, _, _, _); _ } when problem = subject text ->
      (place, (training, step))
  | { about = other; _ } when other <> subject text -> reject "claim %d is about another problem" (place + 1)
  | { kind = other; _ } -> reject "cites claim %d, a claim of kind %s; expected token-forever" (place + 1) other

let read_sentence (text : Kind.text) ~later : Verified.shifted_sentence =
  let line = next text in
  let id () =
    let id = Line.index line in
    if id >= max_id then Line.bad line "a token id is below 2^24";
    id
  in
  Line.expect line "context";
  let count = Line.index line in
  if count = 0 then Line.bad line "a context has a token";
  let rec ids k = if k = 0 then [] else let first = id () in first :: ids (k - 1) in
  let shifted_context = ids count in
  Line.expect line "next";
  let shifted_next = id () in
  let shifted_from = if Line.accept line "from" then Some (Line.index line) else None in
  Line.finish line;
  if shifted_from <> None && not later then Line.bad line "a step without a claim about later ones";
  { shifted_context; shifted_next; shifted_from; shifted_paths = [] }

let read (text : Kind.text) =
  let line = text.line in
  let cited = citation text in
  let forever = perhaps_cited text "forever" in
  Line.expect line "sentences";
  let count = Line.index line in
  finish text;
  let rec read_all k =
    if k = 0 then []
    else
      let sentence = read_sentence text ~later:(forever <> None) in
      sentence :: read_all (k - 1)
  in
  let sentences = read_all count in
  let future = Option.map (later_steps text) forever in
  Token_ray_kind.require_stage "token-shift" text AttentionStage;
  plain (Verified.TokenShift (subject text, cited, future, Token_run_kind.said_pairs text, sentences))

(* ---- rows that lead from one token to another ---- *)

type row = { group : int; token : int; below : int; count : Integer.t; chosen : Integer.t }

(* By query and selected token its rows, of several about the same token that with the largest ratio of counts, in the
   order in which tokens first come with the query. *)
let rows_of (data : Verified.token_data) picks =
  let rows = Hashtbl.create 64 and order = Hashtbl.create 64 in
  let add query top row =
    let others = Option.value ~default:[] (Hashtbl.find_opt rows (query, top)) in
    let larger a b = Integer.gt (Integer.mul a.count b.chosen) (Integer.mul b.count a.chosen) in
    let same, different = List.partition (fun other -> other.below = row.below) others in
    let kept = match same with [ other ] when not (larger row other) -> other | _ -> row in
    Hashtbl.replace rows (query, top) (kept :: different)
  in
  let group i query places pick (s : Verified.sequence) =
    let counts = Array.of_list (List.map Coq_data.integer s.count_row) and top = List.nth places pick in
    let visit token below =
      if not (Hashtbl.mem order (query, below)) then Hashtbl.add order (query, below) (Hashtbl.length order);
      if below <> top then add query top { group = i; token; below; count = counts.(token); chosen = counts.(pick) }
    in
    List.iteri visit places
  in
  let places = Verified.place_table Verified.integers data and queries = Verified.query_column Verified.integers data in
  List.iteri
    (fun i ((query, places), (pick, s)) -> group i query places pick s)
    (List.combine (List.combine queries places) (List.combine picks data.sequences));
  let place query row = Hashtbl.find order (query, row.below) in
  fun query top ->
    let found = Option.value ~default:[] (Hashtbl.find_opt rows (query, top)) in
    List.sort (fun a b -> Stdlib.compare (place query a) (place query b)) found

(* A shortest way from x along rows to each token that they lead to. *)
let ways rows query x =
  let found = Hashtbl.create 16 and waiting = Queue.create () in
  Hashtbl.add found x [];
  Queue.add x waiting;
  while not (Queue.is_empty waiting) do
    let at = Queue.pop waiting in
    let way = Hashtbl.find found at in
    let visit row =
      if not (Hashtbl.mem found row.below) then (
        Hashtbl.add found row.below ((row.group, row.token) :: way);
        Queue.add row.below waiting)
    in
    List.iter visit (rows query at)
  done;
  fun t -> Option.map List.rev (Hashtbl.find_opt found t)

let rec last = function [ x ] -> x | _ :: rest -> last rest | [] -> 0

let guess p cited future pairs sentences (given : guessing) =
  let rows = lazy (rows_of given.data (List.nth given.selections p)) in
  let guessed (s : Verified.shifted_sentence) =
    match (s.shifted_from, Verified.winner_of pairs s) with
    | Some _, Some x ->
        let way = ways (Lazy.force rows) (last s.shifted_context) x in
        let others = List.filter (fun t -> t <> x) (List.sort_uniq Stdlib.compare s.shifted_context) in
        let shifted_paths = List.filter_map (fun t -> Option.map (fun path -> (t, path)) (way t)) others in
        { s with shifted_paths }
    | _ -> s
  in
  Verified.TokenShift (p, cited, future, pairs, List.map guessed sentences)

(* ---- in words ---- *)

let sentence_words (s : Verified.shifted_sentence) =
  [ "context"; count (List.length s.shifted_context) ]
  @ List.map count s.shifted_context
  @ [ "next"; count s.shifted_next ]
  @ match s.shifted_from with Some step -> [ "from"; count step ] | None -> []

(* Finds what fails of a sentence but for the attention at later steps. *)
let require_predicted refused pairs star first_step k (s : Verified.shifted_sentence) =
  if not (List.exists (fun (_, next) -> next = s.shifted_next) pairs) then
    found "sentence %d: no token has that one next" k;
  match Verified.winner_of pairs s with
  | None -> found "sentence %d: the context does not have the token with that one next" k
  | Some x ->
      (match s.shifted_from with
      | Some step when step < first_step -> found "sentence %d: a step before that of the claim cited" k
      | _ -> ());
      let ahead t =
        let query = last s.shifted_context in
        Verified.is_positive Verified.integers (Verified.lead_in Verified.integers refused.data star query x t)
      in
      let require t = if t <> x && not (ahead t) then found "sentence %d: token %d has as great a logit along W*" k t in
      List.iter require (List.sort_uniq Stdlib.compare s.shifted_context)

let shift p cited future pairs sentences =
  let why refused =
    Token_ray_kind.require_selection refused "token with the sentence's next one";
    let multipliers =
      match cite refused cited with Verified.Optimal (_, _, v) -> v | _ -> wrong refused cited "optimal"
    in
    (match Option.map (fun (k, _) -> refused.claims.(k)) future with
    | Some (Verified.TokenForever (_, solution, _, _, _, _, _, _, _)) when solution <> cited ->
        found "the claim cited is about another solution"
    | _ -> ());
    let star = Verified.solution_tree Verified.integers refused.data (picks refused) multipliers in
    let first_step = match future with Some (_, (_, step)) -> step | None -> 0 in
    List.iteri (require_predicted refused pairs star first_step) sentences;
    found "a token is not known to have less attention"
  in
  let forever_words = match future with Some (k, _) -> [ "forever"; count (k + 1) ] | None -> [] in
  { (kind "token-shift") with
    first = (fun _ _ -> from cited @ forever_words @ [ "sentences"; count (List.length sentences) ]);
    further = (fun () -> List.concat_map sentence_words sentences);
    evidence = (fun page -> List.iter (fun s -> page.print (sentence_words s)) sentences);
    guessed = Some (guess p cited future pairs sentences);
    why }

let () =
  register "token-shift" read (function
    | TokenShift (p, cited, future, pairs, sentences) as same ->
        Some { kind = shift p cited future pairs sentences; renumbered = (fun _ -> same) }
    | _ -> None)
