(* Sentences of token ids, and the groups of each stage of next-token prediction on them (GRAMMAR.md sections 2 and
   5). *)

open Stop
open Arrays

type stage = AttentionStage | FeedForwardStage

type t = {
  vocabulary : int;
  dimension : int;  (* of the embeddings; the vocabulary where they are one-hot *)
  ids : int array array;
  embeddings : Numbers.t array  (* empty: one-hot *)
}

(* Without embeddings ids are smaller; a stage has no more tokens. *)
let max_stage_tokens = 1 lsl 24

let embeddings arrays =
  if not (arrays.has "embeddings") then None
  else
    let rows = required arrays "embeddings" in
    match rows.shape with
    | [| count; width |] when rows.numbers <> [||] -> Some (count, width, finite arrays "embeddings" rows.numbers)
    | _ -> arrays.bad "embeddings" "a row of numbers per token id expected"

(* From `sentences`, or from `ids` in sentences of these `lengths`. *)
let read ({ arrays = named; has; bad; _ } as arrays) =
  let flat = has "ids" in
  let key = if flat then "ids" else "sentences" in
  let fits given = given = key || given = "embeddings" || (flat && given = "lengths") in
  List.iter (fun (given, _) -> if not (fits given) then bad given "given although %s is" key) named;
  let table = if flat then listed arrays key else required arrays key in
  let lengths =
    match table.shape with
    | _ when flat -> integers arrays "lengths" 2 (max_entries - 1)
    | [| count; each |] -> Array.make count each
    | [| _; _; 1 |] -> table.lengths
    | _ -> bad key "lists of token ids expected"
  in
  Array.iteri (fun k length -> if length < 2 then bad key "sentence %d has less than two tokens" k) lengths;
  if lengths = [||] || Array.fold_left ( + ) 0 lengths <> Array.length table.numbers then
    bad "lengths" "they do not add up to the number of ids";
  let given = embeddings arrays in
  let highest = match given with Some (count, _, _) -> count - 1 | None -> max_stage_tokens - 1 in
  let numbers = Array.mapi (fun k id -> integer arrays key k 0 highest id) table.numbers in
  let start = ref 0 in
  let piece length =
    start := !start + length;
    Array.sub numbers (!start - length) length
  in
  let ids = Array.map piece lengths in
  match given with
  | Some (vocabulary, dimension, embeddings) -> { vocabulary; dimension; ids; embeddings }
  | None ->
      let vocabulary = 1 + Array.fold_left max 0 numbers in
      { vocabulary; dimension = vocabulary; ids; embeddings = [||] }

(* What sentences of two tokens say is next to a token, and back; injective. *)
let pairs { ids; _ } path =
  let next = Hashtbl.create 64 and before = Hashtbl.create 64 in
  let say k table x y why =
    match Hashtbl.find_opt table x with
    | Some other when other <> y -> malformed "%s: sentence %d: %s" path k why
    | _ -> Hashtbl.replace table x y
  in
  let pair k = function
    | [| x; y |] ->
        say k next x y "its first token has another next token";
        say k before y x "its last token is next to another one"
    | _ -> ()
  in
  Array.iteri pair ids;
  (next, before)

(* The ids of the tokens of each group. *)
let feed_forward text path =
  let next, _ = pairs text path in
  let count = Hashtbl.length next in
  if count > 0 && text.vocabulary > max_stage_tokens / count then
    too_large "%s: the feed-forward stage has more than 2^24 tokens" path;
  Array.make count (Array.init text.vocabulary Fun.id)

let attention text path =
  let _, before = pairs text path in
  let asks = Array.length in
  let group k sentence =
    let last = asks sentence - 1 in
    let seen = Hashtbl.create 16 in
    let first x = (not (Hashtbl.mem seen x)) && (Hashtbl.add seen x (); true) in
    let tokens = List.filter first (Array.to_list (Array.sub sentence 0 last)) in
    (match Hashtbl.find_opt before sentence.(last) with
    | Some x when Hashtbl.mem seen x -> ()
    | _ ->
        malformed
          "%s: sentence %d: no token before its last one has that one next (sentences of two tokens say which do)"
          path k);
    Array.of_list tokens
  in
  let groups = Array.mapi (fun k sentence -> if asks sentence = 2 then [||] else group k sentence) text.ids in
  Array.of_list (List.filter (fun tokens -> tokens <> [||]) (Array.to_list groups))

let groups text (stage : stage) path =
  match stage with FeedForwardStage -> feed_forward text path | AttentionStage -> attention text path

(* For each token of each group the first one of the group with the same embedding. *)
let stands text (stage : stage) groups first_row =
  match stage with
  | AttentionStage when text.embeddings <> [||] ->
      let row id = Array.sub text.embeddings (id * text.dimension) text.dimension in
      let rows = Array.concat (List.map row (List.concat_map Array.to_list (Array.to_list groups))) in
      Layout.equal_tokens first_row rows text.dimension
  | _ -> Array.concat (List.map (Array.mapi (fun t _ -> t)) (Array.to_list groups))

let stage_name : stage -> string = function FeedForwardStage -> "feed-forward" | AttentionStage -> "attention"
