(* What a kind of claim is to the readers and printers: how its text is read, and what a claim of it is in words and
   lines. A file of kinds has these for its kinds and ends by registering them; nothing else knows of them. *)

open Stop
open Constraints

(* A claim as it was read. *)
type claim = {
  number : int;
  line : int;
  kind : string;
  about : int;               (* problem, from 0 *)
  run : int;                 (* the number of the run cited; 0 otherwise *)
  bits : int;                (* of an eigenvalue bound; 0 otherwise *)
  widths : Runs.widths;      (* of a run; empty otherwise *)
  said : Verified.claim
}

(* ---- reading ---- *)

(* What the reader of a kind is given; `line` is the claim's first, after its problem. *)
type text = {
  line : Line.t;
  source : Line.source;
  dataset : Dataset.t;
  problem : problem;
  number : int;              (* the claim's *)
  earlier : claim list       (* the latest first *)
}

let subject text = text.problem.number - 1   (* the problem, from 0 *)

(* What is read of a claim: its value, the bits of its eigenvalue bound, the fraction bits of its run, the run it
   cites. *)
type body = { value : Verified.claim; of_eigenvalue : int; of_run : Runs.widths; cites : int }

let plain value = { value; of_eigenvalue = 0; of_run = []; cites = 0 }
let fraction line = Coq_data.fraction (Line.rational line)

(* The number after the word. *)
let named line word =
  Line.expect line word;
  fraction line

let finish text = Line.finish text.line
let next text = Line.next text.source
let vector text name = read_vector text.source text.dataset text.problem name

(* The number of an earlier claim. *)
let earlier { line; number; _ } =
  let cited = Line.index line in
  if cited = 0 || cited >= number then Line.bad line "claim %d is not an earlier claim" cited;
  cited

(* "from N": the place, counted from 0, of the claim that is cited. *)
let citation text =
  Line.expect text.line "from";
  let cited = earlier text in
  (* The fact of a run of several outputs is that of its solution, and none of its own. *)
  (match (text.dataset.scoring, List.nth text.earlier (List.length text.earlier - cited)) with
  | Outputs _, { kind = "run"; _ } ->
      rejected "claim %d, line %d: cites claim %d, a claim of kind run" text.number text.line.number cited
  | _ -> ());
  cited - 1

(* The same after the word, if it comes next. *)
let perhaps_cited text word = if Line.accept text.line word then Some (earlier text - 1) else None

(* The loss of the problem, which a claim of this kind speaks of. *)
let loss_of kind text =
  match text.problem.loss with
  | Some loss -> loss
  | None -> rejected "claim %d (%s), line %d: the problem names no loss" text.number kind text.line.number

(* "run R": its number. *)
let run_number text =
  Line.expect text.line "run";
  earlier text

(* The place of claim `cited`, which must be about a run of the same problem, that run and its fraction bits. *)
let cited_run kind text cited =
  let place = cited - 1 in
  match List.nth text.earlier (List.length text.earlier - cited) with
  | { said = Run (problem, _, run); widths; _ } when problem = subject text -> (place, run, widths)
  | { about = other; _ } when other <> subject text ->
      rejected "claim %d (%s), line %d: claim %d is about another problem" text.number kind text.line.number cited
  | { kind = other; _ } ->
      rejected "claim %d (%s), line %d: cites claim %d, a claim of kind %s; expected run" text.number kind
        text.line.number cited other

(* ---- in words ---- *)

(* What Coq's checker is given, in the tokens of the instance; of each problem the instance that it is about, and how
   many tokens of each group differ. *)
type given = {
  sources : Coq_data.source array;
  instances : Verified.instance array;
  different : int list array;
  problems : Verified.posed array;
  claims : Verified.claim array
}

(* What parsed lines are printed with. *)
type page = {
  print : string list -> unit;                         (* one line of words *)
  print_vector : string -> Verified.vector -> unit;
  eigenvalue_bits : int;                               (* of the claim's eigenvalue bound *)
  run_widths : Runs.widths;                            (* the fraction bits of its run *)
  counts : int list;                                   (* the tokens of each group, *)
  different : int list                                 (* and how many of them differ *)
}

(* What guesses are computed from: `precise` fills in the precision of the run in claim number k (from 0). *)
type guessing = {
  data : Verified.token_data;        (* of the claim's problem *)
  all : Verified.claim list;
  selections : int list list;        (* of the problems, in the tokens of their data *)
  bits : int;
  precisions : int list;
  precise : int -> Verified.run_claim -> Verified.run_claim;
  place : int
}

type t = {
  name : string;                                      (* the word of GRAMMAR.md *)
  loss : Verified.loss_name option option;            (* that the claim is about; none: it does not speak of training *)
  first : given -> claim -> string list;              (* the words of its first line after its problem *)
  further : unit -> string list;                      (* what else it claims *)
  evidence : page -> unit;                            (* its lines after the first *)
  guessed : (guessing -> Verified.claim) option;      (* with the hints or the precision that its check needs *)
  factorised : bool;                                  (* does the check have an eigenvalue bound with hints? *)
  more_bits : bool;                                   (* may more bits of its hints make it pass when refused? *)
  more_precision : bool;                              (* or a replay of its run with more bits? *)
  why : Refusal.t -> unit;                            (* finds the condition that failed, when a single one does *)
  why_as_read : bool                                  (* `why` is asked of the claim as read, before guessing *)
}

let kind name =
  { name; loss = None; first = (fun _ _ -> []); further = (fun () -> []); evidence = ignore; guessed = None;
    factorised = false; more_bits = false; more_precision = false; why = ignore; why_as_read = false }

let shown = Coq_data.canonical_fraction
let count = string_of_int
let from k = [ "from"; count (k + 1) ]
let perhaps_cited_words word = function Some place -> [ word; count (place + 1) ] | None -> []

(* Lists may have words for each token of an instance: they are joined without deep recursion. *)
let ( @ ) first second = List.rev_append (List.rev first) second

let places mask =
  List.concat (List.mapi (fun i row -> List.concat (List.mapi (fun t b -> if b then [ i; t ] else []) row)) mask)

let words_of_places mask = List.rev (List.rev_map count (places mask))

(* (group, token, numerator) where it is not zero. *)
let entries (v : Verified.vector) =
  let entry i t a = if Integer.sign (Coq_data.integer a) = 0 then [] else [ (i, t, a) ] in
  List.concat (List.mapi (fun i row -> List.concat (List.mapi (entry i) row)) v.numerators)

(* A denominator: powers of two as 2^e. *)
let denominator_word d =
  if Integer.popcount d = 1 && Integer.gt d Integer.one then "2^" ^ count (Integer.trailing_zeros d)
  else Integer.to_string d

(* "sha256 HEX" of a vector's lines "group token value". *)
let hashed_vector (v : Verified.vector) =
  let hash = Sha256.create () and value = Coq_data.over v.denominator in
  List.iter
    (fun (i, t, a) ->
      Sha256.add_written hash (fun out ->
          Printf.bprintf out "%d %d " i t;
          Numbers.add_canonical out (value a);
          Buffer.add_char out '\n'))
    (entries v);
  [ "sha256"; Sha256.hex hash ]

let problem_of = Verified.claim_problem Verified.integers

(* The number of the run that a claim cites. The value has the run itself: it must be the one of that number. *)
let number_of_run (given : given) (read : claim) (run : Verified.run_claim) =
  match given.claims.(read.run - 1) with
  | Run (p, _, cited)
    when p = problem_of read.said && cited.run_loss = run.run_loss && cited.run_specification = run.run_specification
         && cited.checkpoints = run.checkpoints ->
      count read.run
  | _ -> failwith (Printf.sprintf "claim %d was checked for another run than claim %d" read.number read.run)

(* ---- the kinds that there are ---- *)

(* A claim's kind, and the claim with its tokens numbered otherwise: every kind says what that makes of its claims. *)
type described = { kind : t; renumbered : Equal_tokens.change -> Verified.claim }

(* What claims of a kind speak of. *)
type about =
  | AnyRows    (* margins of any rows; the kinds below are about a selection, all rows >= 1 *)
  | Margins
  | Scores     (* and margins *)
  | Training

(* By the word of GRAMMAR.md for reading; by the value that Coq's checker is given for everything else. *)
type registered = {
  word : string;
  about : about;
  of_labels : bool;      (* of training: is it verified for cross-entropy, too? *)
  none_of_outputs : string option;   (* why there are none about heads of several outputs *)
  of_training : bool;    (* of rows: does it speak of what is trained, too? *)
  read : text -> body;
  describe : Verified.claim -> described option
}

let all : registered list ref = ref []

(* Each file of kinds calls it while the program starts, before anything is read. *)
let register ?(about = Training) ?(of_labels = false) ?none_of_outputs ?(of_training = false) word read describe =
  all := { word; about; of_labels; none_of_outputs; of_training; read; describe } :: !all
