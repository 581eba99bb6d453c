(* Reading constraints of a problem, and evidence about them: lists, vectors, bits of eigenvalue bounds (GRAMMAR.md
   section 3). *)

open Stop

(* `picks` are the selected tokens, of each selected set the first. *)
type problem = {
  number : int;
  loss : Verified.loss_name option;  (* of one output; None: none *)
  loss_word : string;
  posing : Verified.posing;
  picks : int array
}

let decoder problem = problem.posing = Verified.Decoding

let constraints dataset problem =
  if decoder problem then Array.length problem.picks
  else Array.fold_left ( + ) 0 (Array.mapi (fun i _ -> Dataset.different dataset i - 1) problem.picks)

(* "index index": a constraint of the problem. *)
let read_constraint dataset problem line =
  let group = Line.index line in
  let token = Line.index line in
  if group >= Array.length problem.picks || token >= Dataset.tokens dataset group
     || (token = problem.picks.(group)) <> decoder problem
     || not (Dataset.present dataset group token)
  then
    Line.bad line "(%d, %d) is not a constraint of problem %d" group token problem.number;
  (group, token)

(* `count` lines of strictly increasing constraints, each followed by what `visit` reads. *)
let each_listed source dataset problem count visit =
  let last = ref (-1, -1) in
  for _ = 1 to count do
    let line = Line.next source in
    let group, token = read_constraint dataset problem line in
    if compare (group, token) !last <= 0 then Line.bad line "constraints must strictly increase";
    last := (group, token);
    visit group token line;
    Line.finish line
  done

(* The same into dense nested lists. *)
let read_dense source dataset problem count default rest =
  let dense = Array.init (Dataset.groups dataset) (fun i -> Array.make (Dataset.tokens dataset i) default) in
  each_listed source dataset problem count (fun group token line -> dense.(group).(token) <- rest line);
  List.map Array.to_list (Array.to_list dense)

(* As a mask. `line` has the count. *)
let read_constraints (line : Line.t) source dataset problem count =
  if count > constraints dataset problem then malformed "line %d: more constraints than the problem has" line.number;
  read_dense source dataset problem count false (fun _ -> true)

(* "count over denominator", the rest of a vector's first line. *)
let read_size line dataset problem =
  let count = Line.index line in
  if count > constraints dataset problem then Line.bad line "more entries than the problem has constraints";
  Line.expect line "over";
  let denominator = Coq_data.carrier (Line.denominator line) in
  Line.finish line;
  (count, denominator)

let numerator line =
  let x = Line.integer line in
  if Z.sign x = 0 then Line.bad line "a numerator is zero";
  Coq_data.carrier x

(* After the vector's name. *)
let read_rest line source dataset problem : Verified.vector =
  let count, denominator = read_size line dataset problem in
  { denominator; numerators = read_dense source dataset problem count (Coq_data.carrier Z.zero) numerator }

let read_vector_from line source dataset problem name =
  Line.expect line "vector";
  Line.expect line name;
  read_rest line source dataset problem

let read_vector source dataset problem name = read_vector_from (Line.next source) source dataset problem name

(* A vector as the groups that it has entries of, and its numerators in these. *)
let read_part source dataset problem name : int list * Verified.vector =
  let line = Line.next source in
  Line.expect line "vector";
  Line.expect line name;
  let count, denominator = read_size line dataset problem in
  let parts = ref [] in
  let row group =
    match !parts with
    | (last, row) :: _ when last = group -> row
    | _ ->
        let row = Array.make (Dataset.tokens dataset group) (Coq_data.carrier Z.zero) in
        parts := (group, row) :: !parts;
        row
  in
  each_listed source dataset problem count (fun group token line -> (row group).(token) <- numerator line);
  (List.rev_map fst !parts, { denominator; numerators = List.rev_map (fun (_, row) -> Array.to_list row) !parts })

let nonzero (v : Verified.vector) = List.map (List.map (fun a -> Z.sign (Coq_data.integer a) <> 0)) v.numerators

let read_bits line =
  Line.expect line "bits";
  let bits = Line.index line in
  if bits < 29 || bits > 4096 then Line.bad line "bits must be from 29 to 4096";
  bits
