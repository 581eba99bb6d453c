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

let sha256 instance =
  let hash = Sha256.create () in
  let line fmt = Printf.ksprintf (fun text -> Sha256.add hash text; Sha256.add hash "\n") fmt in
  let join numbers = String.concat " " (List.map string_of_int numbers) in
  (* Lines of these widths; after the last comes the first again. *)
  let table heading widths numbers =
    line "%s" heading;
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
  in
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

(* "sha256 HEX" of numbers between single spaces, ended by LF: what stands for a start in printed lines. *)
let hash_of_numbers numbers =
  let hash = Sha256.create () in
  List.iteri (fun k x -> Sha256.add hash (if k > 0 then " " ^ Numbers.canonical x else Numbers.canonical x)) numbers;
  Sha256.add hash "\n";
  [ "sha256"; Sha256.hex hash ]
