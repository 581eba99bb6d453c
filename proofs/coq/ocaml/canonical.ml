(* The canonical text of an instance (GRAMMAR.md section 5) and its hash: of what was read, and of the value that Coq's
   checker is given. *)

type t = {
  setting : string;
  query : int option option;  (* of self-attention; Some None: last *)
  tokens : int list;
  dimension : int;
  factor_dimension : int option;
  x : Numbers.t Seq.t;
  labels : int list;
  v : Numbers.t Seq.t;
  factors : (string * Numbers.t Seq.t) option;  (* z or K *)
}

let sha256 instance =
  let hash = Sha256.create () in
  let line fmt = Printf.ksprintf (fun text -> Sha256.add hash text; Sha256.add hash "\n") fmt in
  let join numbers = String.concat " " (List.map string_of_int numbers) in
  let table heading width numbers =
    line "%s" heading;
    let place = ref 0 in
    Seq.iter
      (fun x ->
        incr place;
        Sha256.add_written hash (fun out ->
            Numbers.add_canonical out x;
            Buffer.add_char out (if !place mod width = 0 then '\n' else ' ')))
      numbers
  in
  line "attest-instance 1";
  line "setting %s" instance.setting;
  Option.iter (function None -> line "query last" | Some q -> line "query %d" q) instance.query;
  line "groups %d" (List.length instance.tokens);
  line "tokens %s" (join instance.tokens);
  line "dimension %d" instance.dimension;
  Option.iter (line "factor-dimension %d") instance.factor_dimension;
  table "X" instance.dimension instance.x;
  line "Y";
  line "%s" (join instance.labels);
  table "v" instance.dimension instance.v;
  Option.iter (fun (key, numbers) -> table key (Option.get instance.factor_dimension) numbers) instance.factors;
  Sha256.hex hash

(* "sha256 HEX" of numbers between single spaces, ended by LF: what stands for a start in printed lines. *)
let hash_of_numbers numbers =
  let hash = Sha256.create () in
  List.iteri (fun k x -> Sha256.add hash (if k > 0 then " " ^ Numbers.canonical x else Numbers.canonical x)) numbers;
  Sha256.add hash "\n";
  [ "sha256"; Sha256.hex hash ]
