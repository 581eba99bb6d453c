(* The canonical text of an instance (GRAMMAR.md section 5) and its hash: of what was read, and of the value that Coq's
   checker is given. *)

type scoring =
  | Decoder of int list * Numbers.t Seq.t (* Y and v *)
  | Scores of Numbers.t Seq.t
  | Targets of int list (* y *)
  | Classes of int list * Numbers.t Seq.t (* y and U *)
  | Units of int list * Numbers.t Seq.t * Numbers.t Seq.t * Numbers.t Seq.t (* Y, A, bias and r *)

type t = {
  setting : string;
  query : int option;  (* of self-attention; -1: last *)
  tokens : int list;
  dimension : int;
  factor_dimension : int option;
  x : Numbers.t Seq.t;
  scoring : scoring;
  factors : (string * Numbers.t Seq.t) option;  (* z or K *)
  counts : int list;  (* of all tokens; none: every one once *)
  offsets : Numbers.t Seq.t;  (* likewise; none: 0 *)
}

let add_line hash fmt = Printf.ksprintf (fun text -> Sha256.add hash text; Sha256.add hash "\n") fmt
let join numbers = String.concat " " (List.map string_of_int numbers)

(* Lines of these widths; after the last comes the first again. *)
let add_table hash heading widths numbers =
  add_line hash "%s" heading;
  let widths = Array.of_list widths in
  let lines = ref 0 and left = ref 0 in
  Seq.iter
    (fun x ->
      if !left = 0 then (
        left := widths.(!lines mod Array.length widths);
        incr lines);
      decr left;
      Sha256.add_written hash (fun out ->
          Numbers.add_canonical out x;
          Buffer.add_char out (if !left = 0 then '\n' else ' ')))
    numbers

let sha256 instance =
  let hash = Sha256.create () in
  let line fmt = add_line hash fmt and table = add_table hash in
  let list heading numbers =
    let numbers = List.of_seq numbers in
    table heading [ List.length numbers ] (List.to_seq numbers)
  in
  line "attest-instance 1";
  line "setting %s" instance.setting;
  Option.iter (function -1 -> line "query last" | q -> line "query %d" q) instance.query;
  line "groups %d" (List.length instance.tokens);
  line "tokens %s" (join instance.tokens);
  line "dimension %d" instance.dimension;
  Option.iter (line "factor-dimension %d") instance.factor_dimension;
  table "X" [ instance.dimension ] instance.x;
  (match instance.scoring with
  | Decoder (labels, v) ->
      line "Y";
      line "%s" (join labels);
      table "v" [ instance.dimension ] v
  | Scores scores -> table "scores" instance.tokens scores
  | Targets y ->
      line "head cross-entropy";
      line "y";
      line "%s" (join y)
  | Classes (y, rows) ->
      line "head classifier";
      line "y";
      line "%s" (join y);
      table "U" [ instance.dimension ] rows
  | Units (labels, rows, bias, second) ->
      line "head relu";
      line "Y";
      line "%s" (join labels);
      table "A" [ instance.dimension ] rows;
      list "bias" bias;
      list "r" second);
  Option.iter (fun (key, numbers) -> table key [ Option.get instance.factor_dimension ] numbers) instance.factors;
  let counts = List.map (fun k -> Numbers.dyadic (Z.of_int k) 0) instance.counts in
  if counts <> [] then list "counts" (List.to_seq counts);
  (match instance.offsets () with Seq.Nil -> () | _ -> list "offsets" instance.offsets);
  Sha256.hex hash

(* Of sentences; embeddings with their dimension. *)
type text = { vocabulary : int; sentences : int list list; embeddings : (int * Numbers.t Seq.t) option }

let sha256_of_text { vocabulary; sentences; embeddings } =
  let hash = Sha256.create () in
  let line fmt = add_line hash fmt in
  line "attest-instance 1";
  line "setting next-token";
  line "vocabulary %d" vocabulary;
  line "sentences %d" (List.length sentences);
  List.iter (fun ids -> line "%s" (join ids)) sentences;
  Option.iter
    (fun (dimension, numbers) ->
      line "dimension %d" dimension;
      add_table hash "embeddings" [ dimension ] numbers)
    embeddings;
  Sha256.hex hash

(* "sha256 HEX" of numbers between single spaces, ended by LF: what stands for a start in printed lines. *)
let hash_of_numbers numbers =
  let hash = Sha256.create () in
  List.iteri (fun k x -> Sha256.add hash (if k > 0 then " " ^ Numbers.canonical x else Numbers.canonical x)) numbers;
  Sha256.add hash "\n";
  [ "sha256"; Sha256.hex hash ]
