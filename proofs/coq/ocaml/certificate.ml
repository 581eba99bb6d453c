(* Parsing a certificate (GRAMMAR.md) into the Coq type of claims, for an instance already read: its header, its problems, and
   its claims by the table of kinds. *)

open Stop
open Constraints

type t = { producer : string; hash : string; problems : problem array; claims : Kind.claim array;
           order : [ `Problem of int | `Claim of int ] list; lines : int; offsets : Numbers.t array (* the instance's *) }

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

let losses =
  Verified.[ ("none", None); ("logistic", Some Logistic); ("exponential", Some Exponential);
             ("correlation", Some Correlation) ]

let read_problem source (dataset : Dataset.t) (first : Line.t) number =
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
  if setting = "next-token" && not (Line.accept setting_line "attention") then Line.expect setting_line "feed-forward";
  Line.finish setting_line;
  let line = Line.next source in
  Line.expect line "norm";
  Line.expect line "euclidean";
  Line.finish line;
  let line = Line.next source in
  Line.expect line "loss";
  let word = Line.one_of line "loss" ("cross-entropy" :: List.map fst losses) in
  if setting = "next-token" && word <> "none" then Line.bad line "next-token problems have loss none";
  if word = "cross-entropy" then reject line "the instance's head is scalar";
  let loss = List.assoc word losses in
  let line = Line.next source in
  List.iter
    (fun word ->
      if Line.accept line word then
        Stop.too_large "problems with a line %s are not verified yet, attest-check knows them" word)
    [ "decoder"; "relaxed"; "selected-sets" ];
  Line.expect line "selection";
  let count = Line.index line in
  let rec indices found = if Line.at_end line then List.rev found else indices (Line.index line :: found) in
  let picks = Array.of_list (indices []) in
  if Array.length picks <> count then Line.bad line "the count is not the number of indices";
  let actual = Dataset.setting_name dataset.setting in
  if setting <> actual then reject setting_line "the instance's setting is %s" actual;
  if count <> Dataset.groups dataset then reject line "the instance has %d groups" (Dataset.groups dataset);
  Array.iteri
    (fun i t ->
      if t >= Dataset.tokens dataset i then reject line "group %d has no token %d" i t;
      if not (Dataset.present dataset i t) then
        reject line "group %d: token %d equals an earlier one, which stands for both" i t)
    picks;
  { number; loss; picks }

let read path dataset_of : Dataset.t * t =
  let source = Line.source path in
  let dataset = dataset_of () in
  let producer, hash = read_header source dataset in
  Dataset.refuse_head dataset;
  Dataset.refuse_offsets dataset;
  let problems = ref [||] and claims = ref [] and order = ref [] and count = ref 0 in
  let read_claim line =
    let number = !count + 1 in
    if Line.index line <> number then Line.bad line "claims are numbered 1, 2, 3, …";
    let kind = Line.word line in
    Line.expect line "problem";
    let about = Line.index line in
    if about = 0 || about > Array.length !problems then Line.bad line "problem %d is not an earlier problem" about;
    let read_body =
      match Kinds.reader kind with Some read -> read | None -> Line.bad line "unknown claim kind %s" kind
    in
    let body = read_body { line; source; dataset; problem = !problems.(about - 1); number; earlier = !claims } in
    if dataset.offsets <> [||] && (Kinds.of_claim body.value).loss <> None then
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
      problems := Array.append !problems [| read_problem source dataset line number |];
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
  ( dataset,
    { producer; hash; problems = !problems; claims = Array.of_list (List.rev !claims); order = List.rev !order;
      lines = source.lines; offsets = dataset.offsets } )
