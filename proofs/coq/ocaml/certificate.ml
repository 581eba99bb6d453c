(* Parsing a certificate (GRAMMAR.md) into the Coq type of claims, for an instance already read: its header, its
   problems, and its claims by the table of kinds. *)

open Stop
open Constraints

type t = { producer : string; hash : string; problems : problem array; claims : Kind.claim array;
           order : [ `Problem of int | `Claim of int ] list; lines : int;
           offsets : Numbers.t array (* the instance's *);
           datasets : Dataset.t array (* what each problem is about *) }

let read_header source dataset =
  let line = Line.next source in
  Line.expect line "attest-certificate";
  if Line.index line <> 1 then Line.bad line "unsupported version";
  Line.finish line;
  let line = Line.next source in
  Line.expect line "producer";
  let name = Line.word line in
  let version = Line.word line in
  Line.finish line;
  let line = Line.next source in
  Line.expect line "instance";
  Line.expect line "sha256";
  let hash = Line.word line in
  Line.finish line;
  let hexadecimal c = Numbers.is_digit c || (c >= 'a' && c <= 'f') in
  if String.length hash <> 64 || not (List.for_all hexadecimal (List.of_seq (String.to_seq hash))) then
    Line.bad line "64 lower-case hexadecimal digits expected";
  let actual = Dataset.canonical_sha256 dataset in
  if hash <> actual then mismatch "the certificate is for another instance: it names %s, this one is %s" hash actual;
  (name ^ " " ^ version, hash)

(* Losses of one output, *)
let losses =
  Verified.[ ("none", None); ("logistic", Some Logistic); ("exponential", Some Exponential);
             ("correlation", Some Correlation); ("cross-entropy", Some CrossEntropy) ]

(* and those of several: a classifier's is the cross-entropy of its classes, that of ReLU units one of their output. *)
let losses_of_classes = Verified.[ ("classifier", Some CrossEntropy) ]

let losses_of_units =
  Verified.[ ("relu-logistic", Some Logistic); ("relu-exponential", Some Exponential);
             ("relu-correlation", Some Correlation) ]

let losses_of_several_outputs = losses_of_classes @ losses_of_units

(* The head that a word is of. *)
let head_of word =
  if List.mem_assoc word losses_of_classes then "a classifier"
  else if List.mem_assoc word losses_of_units then "of ReLU units"
  else if word = "cross-entropy" then "cross-entropy"
  else "scalar"

(* The word of a loss about this instance. *)
let word_of_loss (instance : Verified.instance) loss =
  let words =
    match instance.token_scoring with
    | SeveralOutputs (ClassLayer _) -> List.hd losses :: losses_of_classes
    | SeveralOutputs (UnitLayer _) -> List.hd losses :: losses_of_units
    | _ -> losses
  in
  fst (List.find (fun (_, value) -> value = loss) words)

(* The word of a loss, which must be of the instance's head. *)
let read_loss line (dataset : Dataset.t) ~reject =
  let word = Line.one_of line "loss" (List.map fst losses @ List.map fst losses_of_several_outputs) in
  let head, several =
    match dataset.scoring with
    | Decoder _ | Scores _ -> ("scalar", false)
    | Targets _ -> ("cross-entropy", false)
    | Outputs (Classes _) -> ("a classifier", true)
    | Outputs (Units _) -> ("of ReLU units", true)
  in
  let of_head = head_of word in
  if (of_head = "a classifier" || of_head = "of ReLU units") && not several then
    Line.bad line "unknown loss %s: the head has one output" word;
  if word <> "none" && of_head <> head then reject ("the instance's head is " ^ head);
  word

let indices line =
  let rec read found = if Line.at_end line then List.rev found else read (Line.index line :: found) in
  read []

let rec increases = function a :: (b :: _ as rest) -> a < b && increases rest | _ -> true

(* "0,3,4" *)
let read_set line =
  let set = List.map (Line.parse_index line) (String.split_on_char ',' (Line.word line)) in
  if not (increases set) then Line.bad line "tokens of a set must strictly increase";
  set

let read_sets line =
  let count = Line.index line in
  let rec read found = if Line.at_end line then List.rev found else read (read_set line :: found) in
  let sets = read [] in
  if List.length sets <> count || count = 0 then Line.bad line "the count is not the number of sets";
  sets

let read_relaxed line =
  let count = Line.index line in
  let groups = indices line in
  if List.length groups <> count then Line.bad line "the count is not the number of groups";
  if groups = [] || not (increases groups) then Line.bad line "one group at least, strictly increasing";
  groups

let read_selection line =
  Line.expect line "selection";
  let count = Line.index line in
  let picks = indices line in
  if List.length picks <> count then Line.bad line "the count is not the number of indices";
  picks

(* The rows, from this line on: the last one, what they are and the selected tokens, of each set the first. *)
let read_rows source line : Line.t * Verified.posing * int list =
  let selection posing =
    let line = Line.next source in
    (line, posing, read_selection line)
  in
  if Line.accept line "decoder" then (
    Line.finish line;
    selection Verified.Decoding)
  else if Line.accept line "relaxed" then selection (Verified.RelaxedGroups (read_relaxed line))
  else if Line.accept line "selected-sets" then
    let sets = read_sets line in
    (line, SelectedSets sets, List.map List.hd sets)
  else (line, Attention, read_selection line)

let read_stage line : Sentences.stage =
  if Line.accept line "attention" then AttentionStage
  else (
    Line.expect line "feed-forward";
    FeedForwardStage)

(* The data of the stage that a problem states, among those that are there already or new. *)
let at_stage (dataset : Dataset.t) earlier stage =
  let is_stage (d : Dataset.t) = match d.setting with Stage (_, other) -> other = stage | _ -> true in
  match (List.find_opt is_stage (dataset :: Array.to_list earlier), dataset.setting) with
  | Some found, _ -> found
  | None, Stage (text, _) -> Dataset.of_stage text stage "the sentences"
  | None, _ -> dataset

(* The problem, and the data that it is about. *)
let read_problem source (dataset : Dataset.t) earlier (first : Line.t) number =
  let reject (line : Line.t) fmt =
    Printf.ksprintf (fun why -> rejected "problem %d, line %d: %s" number line.number why) fmt
  in
  if Line.index first <> number then Line.bad first "problems are numbered 1, 2, 3, …";
  Line.finish first;
  let setting_line = Line.next source in
  Line.expect setting_line "setting";
  let setting =
    Line.one_word setting_line "setting" [ "prompt"; "cross-attention"; "self-attention"; "next-token" ]
  in
  let stage : Sentences.stage = if setting = "next-token" then read_stage setting_line else AttentionStage in
  Line.finish setting_line;
  let line = Line.next source in
  Line.expect line "norm";
  Line.expect line "euclidean";
  Line.finish line;
  let line = Line.next source in
  Line.expect line "loss";
  let loss_word = read_loss line dataset ~reject:(reject line "%s") in
  if setting = "next-token" && loss_word <> "none" then Line.bad line "next-token problems have loss none";
  let loss = List.assoc loss_word (losses @ losses_of_several_outputs) in
  let line, posing, picks = read_rows source (Line.next source) in
  if posing <> Attention && loss_word <> "none" then
    Line.bad line "problems of other rows than those of a selection have loss none";
  let actual = Dataset.setting_name dataset.setting in
  if setting <> actual then reject setting_line "the instance's setting is %s" actual;
  let dataset = at_stage dataset earlier stage in
  (match (posing, dataset.scoring) with
  | Decoding, (Scores _ | Targets _ | Outputs _) -> reject line "the instance has no labels and decoder v"
  | _ -> ());
  if List.length picks <> Dataset.groups dataset then
    reject line "the instance has %d groups" (Dataset.groups dataset);
  let require i t =
    if t >= Dataset.tokens dataset i then reject line "group %d has no token %d" i t;
    if not (Dataset.present dataset i t) then
      reject line "group %d: token %d equals an earlier one, which stands for both" i t
  in
  List.iteri require picks;
  (match posing with
  | SelectedSets sets -> List.iteri (fun i -> List.iter (require i)) sets
  | RelaxedGroups groups ->
      let last = List.nth groups (List.length groups - 1) in
      if last >= Dataset.groups dataset then reject line "there is no group %d to relax" last
  | _ -> ());
  ({ number; loss; loss_word; posing; picks = Array.of_list picks }, dataset)

(* Ends the check at claims that need a theorem of another head than the scalar one, which is not applied yet. *)
let refuse_kind (dataset : Dataset.t) (kind : Kind.registered) =
  if not (Kinds.verified kind dataset.scoring) then
    Stop.too_large "claims of kind %s about this head are not verified yet, attest-check knows them" kind.word

let read path dataset_of : t =
  let source = Line.source path in
  let dataset = dataset_of () in
  let producer, hash = read_header source dataset in
  Dataset.refuse_offsets dataset;
  let problems = ref [||] and datasets = ref [||] and claims = ref [] and order = ref [] and count = ref 0 in
  let read_claim line =
    let number = !count + 1 in
    if Line.index line <> number then Line.bad line "claims are numbered 1, 2, 3, …";
    let kind = Line.word line in
    Line.expect line "problem";
    let about = Line.index line in
    if about = 0 || about > Array.length !problems then Line.bad line "problem %d is not an earlier problem" about;
    let problem = !problems.(about - 1) and dataset = !datasets.(about - 1) in
    let registered =
      match Kinds.named kind with
      | Some registered -> registered
      | None when List.mem kind Kinds.not_verified ->
          Stop.too_large "claims of kind %s are not verified yet, attest-check knows them" kind
      | None -> Line.bad line "unknown claim kind %s" kind
    in
    if problem.posing <> Attention && registered.about <> AnyRows then
      Line.bad line "claims of kind %s are about a selection with all rows >= 1" kind;
    refuse_kind dataset registered;
    let body = registered.read { line; source; dataset; problem; number; earlier = !claims } in
    let trains = (Kinds.of_claim body.value).loss <> None || registered.of_training in
    if dataset.offsets <> [||] && trains then
      Stop.too_large "claims of kind %s about data with offsets are not verified yet, attest-check knows them" kind;
    order := `Claim (List.length !claims) :: !order;
    claims :=
      { Kind.number; line = line.number; kind; about = about - 1; run = body.cites; bits = body.of_eigenvalue;
        widths = body.of_run; said = body.value }
      :: !claims;
    incr count
  in
  let rec items () =
    let line = Line.next source in
    if Line.accept line "problem" then (
      let number = Array.length !problems + 1 in
      let problem, about = read_problem source dataset !datasets line number in
      datasets := Array.append !datasets [| about |];
      problems := Array.append !problems [| problem |];
      order := `Problem (number - 1) :: !order;
      items ())
    else if Line.accept line "claim" then (
      read_claim line;
      items ())
    else (
      Line.expect line "end";
      Line.expect line "problems";
      let a = Line.index line = Array.length !problems in
      Line.expect line "claims";
      let b = Line.index line = !count in
      Line.expect line "lines";
      let c = Line.index line = source.lines in
      Line.finish line;
      if not (a && b && c) then Line.bad line "wrong totals")
  in
  items ();
  Line.finish_source source;
  if !count = 0 then malformed "the certificate has no claims";
  { producer; hash; problems = !problems; claims = Array.of_list (List.rev !claims); order = List.rev !order;
    lines = source.lines; offsets = dataset.offsets; datasets = !datasets }
