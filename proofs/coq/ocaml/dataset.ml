(* A dataset instance: named arrays with every shape and value checked, and its canonical hash. *)

open Stop
open Arrays

type setting =
  | Prompt of Numbers.t array (* K *)
  | Cross of Numbers.t array (* z *)
  | Self of int (* the query token; negative: counted from each sequence's end, -1 is the last *)
  | Stage of Sentences.t * Sentences.stage (* of next-token prediction: rows and scores are these sentences' *)

type scoring =
  | Decoder of int array * Numbers.t array (* Y and v *)
  | Scores of Numbers.t array (* one a token *)
  | Targets of int array (* y: the head is selection cross-entropy *)
  | Outputs of Outputs.t

type t = {
  first_row : int array;  (* n + 1 entries: rows of sequence i are first_row.(i), ..., first_row.(i + 1) - 1 *)
  dimension : int;
  factor_dimension : int;  (* of z or K; 0 for self-attention *)
  x : Numbers.t array;
  scoring : scoring;
  setting : setting;
  counts : int array;  (* token rows: how often each stands in its sequence; empty: once *)
  offsets : Numbers.t array;  (* token rows: added to the logits; empty: none *)
  stands : int array;  (* token rows: the first token of its sequence with the same features, which stands for it *)
}

let groups instance = Array.length instance.first_row - 1
let tokens instance i = instance.first_row.(i + 1) - instance.first_row.(i)

(* Does the token stand for its class of equal tokens? Only such tokens are selected or constraints. *)
let present instance i t = instance.stands.(instance.first_row.(i) + t) = t

(* How many tokens of the sequence differ. *)
let different instance i =
  let count = ref 0 in
  for t = 0 to tokens instance i - 1 do if present instance i t then incr count done;
  !count

let left_dimension instance =
  match instance.setting with Prompt _ -> instance.factor_dimension | _ -> instance.dimension
let right_dimension instance =
  match instance.setting with
  | Prompt _ -> 1
  | Cross _ | Stage _ -> instance.factor_dimension
  | Self _ -> instance.dimension
let setting_name = function
  | Prompt _ -> "prompt"
  | Cross _ -> "cross-attention"
  | Self _ -> "self-attention"
  | Stage _ -> "next-token"

(* ---- reading ---- *)

(* The heads, and their keys. *)
let heads =
  [ ("linear", [ "Y"; "v"; "scores" ]); ("cross-entropy", [ "y" ]); ("classifier", [ "U"; "y" ]);
    ("relu", [ "A"; "bias"; "r"; "Y" ]) ]

(* The word of the head, which has no keys of others. *)
let head_of ({ has; bad; _ } as arrays) =
  if has "embeddings" then bad "embeddings" "given without sentences or ids";
  let head = if has "head" then word arrays "head" else if has "y" then "cross-entropy" else "linear" in
  match List.assoc_opt head heads with
  | None -> bad "head" "\"linear\", \"cross-entropy\", \"classifier\" or \"relu\" expected"
  | Some own ->
      let foreign key = has key && not (List.mem key own) in
      let refuse key = if foreign key then bad key "given although the head is %s" head in
      List.iter (fun (_, keys) -> List.iter refuse keys) heads;
      head

(* The tokens of groups: of the sequences, or of a group for each query. *)
type groups = { layout : Layout.t; rows : Numbers.t array; repeated : int array; shifts : Numbers.t array }

let sequences_of arrays (x : Table.t) dimension =
  let layout = Layout.of_sequences arrays x in
  let rows = Layout.rows arrays layout "X" x dimension in
  let repeated = Layout.counts arrays layout x in
  { layout; rows; repeated; shifts = Layout.offsets arrays layout }

(* The groups of the queries, and the arrays as they then are. *)
let of_queries arrays sequences dimension causal =
  let pieces, layout, arrays = Queries.groups arrays sequences.layout dimension causal in
  ( arrays,
    { layout; rows = Queries.gathered pieces dimension sequences.rows;
      repeated = Queries.gathered pieces 1 sequences.repeated; shifts = Queries.gathered pieces 1 sequences.shifts } )

(* From Y and v. `by_query` has the sequences' layout where every token is a query. *)
let decoder_of arrays { layout; rows; _ } dimension (by_query : Layout.t option) =
  let { bad; _ } = arrays in
  let labels = Layout.labels arrays layout in
  match (by_query, (required arrays "v").shape) with
  | Some { sizes = lengths; _ }, [| places; width |] when width = dimension ->
      if places <> Array.fold_left max 0 lengths then bad "v" "a row for each place of a query expected";
      let decoders = finite arrays "v" (required arrays "v").numbers in
      Scores (Queries.scores_by_place layout.first_row dimension rows lengths labels decoders)
  | _ ->
      let v = listed arrays "v" in
      if Array.length v.shape <> 1 then bad "v" "a list of numbers expected";
      let v = finite arrays "v" v.numbers in
      if Array.length v <> dimension then bad "v" "its length is not the dimension of X";
      Decoder (labels, v)

let scoring_of arrays groups dimension head by_query =
  let { path; has; _ } = arrays in
  match head with
  | "cross-entropy" -> Targets (Layout.chosen_tokens arrays groups.layout "y")
  | "classifier" -> Outputs (Outputs.classes arrays groups.layout dimension)
  | "relu" -> Outputs (Outputs.units arrays groups.layout dimension)
  | _ when has "scores" ->
      if has "Y" || has "v" then malformed "%s: scores stand for Y and v, so only one of the two may be given" path;
      Scores (Layout.token_numbers arrays groups.layout "scores")
  | _ -> decoder_of arrays groups dimension by_query

(* The setting and its factor dimension, where a sequence has one query. *)
let setting_of arrays (layout : Layout.t) =
  let { has; bad; _ } = arrays and n = Array.length layout.sizes in
  if has "K" then (
    let keys = required arrays "K" in
    let levels = Array.length keys.shape in
    if levels < 2 then bad "K" "its shape does not fit the sequences";
    let width = keys.shape.(levels - 1) in
    (Prompt (Layout.rows arrays layout "K" keys width), width))
  else if has "z" then (
    let queries = required arrays "z" in
    if Array.length queries.shape <> 2 || queries.shape.(0) <> n then bad "z" "one row per sequence expected";
    (Cross (finite arrays "z" queries.numbers), queries.shape.(1)))
  else if has "query" then
    match List.assoc "query" arrays.arrays with
    | { text = Some "last"; _ } -> (Self (-1), 0)
    | { text = None; numbers = [| q |]; shape; _ } when Array.length shape <= 1 ->
        (Self (integer arrays "query" 0 (-max_entries) max_entries q), 0)
    | _ -> bad "query" "an index or \"last\" expected"
  else (Self 0, 0)

let check_query { bad; _ } sizes = function
  | Self q ->
      Array.iteri (fun i size -> if q >= size || -q > size then bad "query" "sequence %d has no token %d" i q) sizes
  | Prompt _ | Cross _ | Stage _ -> ()

(* W0 takes part in no check, but a file that has it wrong is wrong. *)
let check_start arrays instance =
  let left = left_dimension instance and right = right_dimension instance in
  let start = required arrays "W0" in
  (match (start.shape, instance.setting) with
  | [| a; b |], _ when a = left && b = right -> ()
  | [| a |], Prompt _ when a = left -> ()
  | _ -> arrays.bad "W0" "its shape is not that of the parameter");
  ignore (finite arrays "W0" start.numbers)

(* One stage of sentences. *)
let of_stage (text : Sentences.t) (stage : Sentences.stage) path =
  let groups = Sentences.groups text stage path in
  let { Layout.first_row; _ } = Layout.of_sizes (Array.map Array.length groups) ~has_lengths:false in
  let dimension = match stage with FeedForwardStage -> text.vocabulary | AttentionStage -> text.dimension in
  { first_row; dimension; factor_dimension = text.dimension; x = [||]; scoring = Scores [||];
    setting = Stage (text, stage); counts = [||]; offsets = [||];
    stands = Sentences.stands text stage groups first_row }

let of_arrays (arrays : Arrays.t) =
  let head = head_of arrays in
  let x = required arrays "X" in
  let dimension = if x.shape = [||] then 0 else x.shape.(Array.length x.shape - 1) in
  let sequences = sequences_of arrays x dimension in
  let causal = Queries.causal arrays in
  let arrays, groups =
    match causal with
    | None -> (arrays, sequences)
    | Some causal -> of_queries arrays sequences dimension causal
  in
  let by_query = Option.map (fun _ -> sequences.layout) causal in
  let scoring = scoring_of arrays groups dimension head by_query in
  if List.length (List.filter arrays.has [ "K"; "z"; "query" ]) > 1 then
    malformed "%s: at most one of the keys K, z and query may be given" arrays.path;
  let setting, factor_dimension =
    if by_query <> None then (Cross sequences.rows, dimension) else setting_of arrays groups.layout
  in
  check_query arrays groups.layout.sizes setting;
  let first_row = groups.layout.first_row in
  let stands =
    match setting with
    | Prompt keys -> Layout.equal_tokens first_row keys factor_dimension
    | Cross _ | Self _ -> Layout.equal_tokens first_row groups.rows dimension
  in
  let instance =
    { first_row; dimension; factor_dimension; x = groups.rows; scoring; setting; counts = groups.repeated;
      offsets = groups.shifts; stands }
  in
  (* So is one with a wrong selection. *)
  if arrays.has "alpha" then Layout.check_selection arrays groups.layout "alpha";
  if arrays.has "W0" then check_start arrays instance;
  instance

(* Of sentences, the attention stage. *)
let read path =
  let arrays = Arrays.read path in
  if arrays.has "sentences" || arrays.has "ids" then of_stage (Sentences.read arrays) AttentionStage path
  else of_arrays arrays

let text_sha256 (text : Sentences.t) =
  Canonical.sha256_of_text
    { vocabulary = text.vocabulary; sentences = List.map Array.to_list (Array.to_list text.ids);
      embeddings = (if text.embeddings = [||] then None else Some (text.dimension, Array.to_seq text.embeddings)) }

let rows_sha256 instance =
  Canonical.sha256
    { setting = setting_name instance.setting;
      query = (match instance.setting with Self query -> Some query | _ -> None);
      tokens = List.init (groups instance) (tokens instance);
      dimension = instance.dimension;
      factor_dimension = (match instance.setting with Self _ -> None | _ -> Some instance.factor_dimension);
      x = Array.to_seq instance.x;
      scoring =
        (match instance.scoring with
        | Decoder (labels, v) -> Canonical.Decoder (Array.to_list labels, Array.to_seq v)
        | Scores scores -> Canonical.Scores (Array.to_seq scores)
        | Targets y -> Canonical.Targets (Array.to_list y)
        | Outputs (Classes (y, rows)) -> Canonical.Classes (Array.to_list y, Array.to_seq rows)
        | Outputs (Units (labels, rows, bias, second)) ->
            Canonical.Units (Array.to_list labels, Array.to_seq rows, Array.to_seq bias, Array.to_seq second));
      factors =
        (match instance.setting with
        | Cross z -> Some ("z", Array.to_seq z)
        | Prompt k -> Some ("K", Array.to_seq k)
        | Self _ | Stage _ -> None);
      counts = Array.to_list instance.counts;
      offsets = Array.to_seq instance.offsets }

(* SHA-256 of the canonical text (GRAMMAR.md section 5). *)
let canonical_sha256 instance =
  match instance.setting with Stage (text, _) -> text_sha256 text | _ -> rows_sha256 instance

(* Ends the check where equal tokens have different offsets and different scores: their mean score is not rational. *)
let refuse_offsets instance =
  (match (instance.scoring, instance.setting) with
  | Outputs _, Prompt _ when instance.offsets <> [||] ->
      too_large "a head of several outputs in the prompt setting is not known with offsets"
  | _ -> ());
  let numerators numbers = snd (Numbers.over_common_denominator numbers) in
  let scores =
    match (instance.scoring, instance.setting) with
    | _ when instance.offsets = [||] -> [||]
    | Scores scores, _ -> numerators scores
    | Decoder (_, v), Prompt _ ->
        let x = numerators instance.x and v = numerators v in
        let score row =
          Array.fold_left Z.add Z.zero (Array.mapi (fun k v -> Z.mul v x.((row * instance.dimension) + k)) v)
        in
        Array.init instance.first_row.(groups instance) score
    | _ -> [||]
  in
  let differ = Array.make (Array.length scores) false and shifted = Array.make (Array.length scores) false in
  for i = 0 to if scores = [||] then -1 else groups instance - 1 do
    for row = instance.first_row.(i) to instance.first_row.(i + 1) - 1 do
      let first = instance.first_row.(i) + instance.stands.(row) in
      if not (Z.equal scores.(row) scores.(first)) then differ.(first) <- true;
      if not (Layout.same instance.offsets.(row) instance.offsets.(first)) then shifted.(first) <- true;
      if differ.(first) && shifted.(first) then
        too_large "equal tokens with different offsets have different scores: their mean is not rational"
    done
  done
