(* A dataset instance: named arrays from a file or folder, every shape and value checked, and its canonical hash. *)

open Stop

type setting =
  | Prompt of Numbers.t array (* K *)
  | Cross of Numbers.t array (* z *)
  | Self of int (* the query token; negative: counted from each sequence's end, -1 is the last *)

type scoring =
  | Decoder of int array * Numbers.t array (* Y and v *)
  | Scores of Numbers.t array (* one a token *)
  | Targets of int array (* y: the head is selection cross-entropy *)

type t = {
  first_row : int array;  (* n + 1 entries: rows of sequence i are first_row.(i), ..., first_row.(i + 1) - 1 *)
  dimension : int;
  factor_dimension : int;  (* of z or K; 0 for self-attention *)
  x : Numbers.t array;
  scoring : scoring;
  setting : setting;
  counts : int array;  (* token rows: how often each stands in its sequence; empty: once *)
  offsets : Numbers.t array;  (* token rows: added to the logits; empty: none *)
  stands : int array;  (* token rows: the token that stands for it, the first of its sequence with the same features *)
}

(* An array of an instance has fewer numbers, so that the product of two sizes (rows, columns, groups, tokens) fits in 62
   bits. *)
let max_entries = 1 lsl 31

(* So a sequence's counts together fit in 62 bits. *)
let max_count = (1 lsl 31) - 1

let groups instance = Array.length instance.first_row - 1
let tokens instance i = instance.first_row.(i + 1) - instance.first_row.(i)

(* Does the token stand for its class of equal tokens? Only such tokens are selected or constraints. *)
let present instance i t = instance.stands.(instance.first_row.(i) + t) = t

(* How many tokens of the sequence differ. *)
let different instance i =
  let count = ref 0 in
  for t = 0 to tokens instance i - 1 do if present instance i t then incr count done;
  !count

let left_dimension instance = match instance.setting with Prompt _ -> instance.factor_dimension | _ -> instance.dimension
let right_dimension instance =
  match instance.setting with Prompt _ -> 1 | Cross _ -> instance.factor_dimension | Self _ -> instance.dimension
let setting_name = function Prompt _ -> "prompt" | Cross _ -> "cross-attention" | Self _ -> "self-attention"

let known =
  [ "X"; "lengths"; "Y"; "v"; "scores"; "K"; "z"; "query"; "alpha"; "W0"; "counts"; "offsets"; "head"; "y"; "sentences"; "ids";
    "embeddings"; "U"; "A"; "bias"; "r"; "setting" ]

let check_key path key = if not (List.mem key known) then malformed "%s: unknown key %s" path key

let key_of path file =
  if not (Filename.check_suffix file ".npy") then
    malformed "%s: unexpected member %s (members are named KEY.npy)" path file;
  let key = String.sub file 0 (String.length file - 4) in
  check_key path key;
  key

let starts_with prefix content =
  String.length content >= String.length prefix && String.sub content 0 (String.length prefix) = prefix

let arrays_of path =
  if try Sys.is_directory path with Sys_error _ -> false then
    let files = try Sys.readdir path with Sys_error _ -> malformed "%s: cannot be read" path in
    List.map
      (fun file ->
        let key = key_of path file in
        let file = Filename.concat path file in
        (match Unix.lstat file with
        | { Unix.st_kind = Unix.S_REG; _ } -> ()
        | _ | (exception Unix.Unix_error _) -> malformed "%s: not a file (a folder of arrays holds no links)" file);
        (key, Npy.read (Compressed.read_file file) file))
      (Array.to_list files)
  else
    let content = Compressed.read_file path in
    if starts_with "PK" content then
      List.map (fun (member, data) -> (key_of path member, Npy.read data (path ^ ": " ^ member))) (Archive.read content path)
    else if starts_with "\x93NUMPY" content then malformed "%s: a single array; give a folder of KEY.npy files" path
    else
      let arrays =
        if Compressed.is_gzip content then
          match Compressed.text path with _, Some stop -> raise stop | text, None -> Json.read text path
        else if Safetensors.begins content then Safetensors.read content path
        else Json.read content path
      in
      List.iter (fun (key, _) -> check_key path key) arrays;
      arrays

(* A hash of a number's value, and equality of values: numbers of equal value may be written differently. *)
let hash_of x =
  match Numbers.value x with
  | Dyadic (m, e) -> (31 * Z.hash m) + e
  | Ratio (p, q) -> (31 * Z.hash p) + Z.hash q
  | Decimal _ | Not_finite -> 0

let same x y =
  match (Numbers.value x, Numbers.value y) with
  | Dyadic (m, e), Dyadic (n, f) -> e = f && Z.equal m n
  | Ratio (p, q), Ratio (r, s) -> Z.equal p r && Z.equal q s
  | _ -> false

(* For each token row the first of its sequence with the same numbers, as a token of the sequence. Linear time. *)
let equal_tokens first_row rows width =
  let stands = Array.make first_row.(Array.length first_row - 1) 0 in
  for i = 0 to Array.length first_row - 2 do
    let first = first_row.(i) in
    let seen = Hashtbl.create (first_row.(i + 1) - first) in
    for row = first to first_row.(i + 1) - 1 do
      let key = ref 0 in
      for k = 0 to width - 1 do
        key := (!key * 1000003) lxor hash_of rows.((row * width) + k)
      done;
      let equals s =
        let rec from k = k = width || (same rows.((row * width) + k) rows.(((first + s) * width) + k) && from (k + 1)) in
        from 0
      in
      match List.find_opt equals (Hashtbl.find_all seen !key) with
      | Some s -> stands.(row) <- s
      | None ->
          stands.(row) <- row - first;
          Hashtbl.add seen !key (row - first)
    done
  done;
  stands

(* Of a group for every query of every sequence: of causal attention the tokens up to the query. *)
let rows_of_queries path first_row width causal =
  let n = Array.length first_row - 1 in
  let total = ref 0 in
  let group query first last =
    let stop = if causal then query + 1 else last in
    total := !total + stop - first;
    if !total >= max_entries / max width 1 then
      too_large "%s: key setting: the tokens of all queries are 2^31 or more numbers" path;
    (first, stop)
  in
  let of_sequence i =
    let first = first_row.(i) and last = first_row.(i + 1) in
    List.init (last - first) (fun k -> group (first + k) first last)
  in
  List.concat_map of_sequence (List.init n Fun.id)

(* Scores Y_g v_k.x_t of these groups, one of `decoders` for each place k of a query in its sequence of that length. *)
let scores_by_place first_row width x lengths labels decoders =
  let parts_of = Array.map Numbers.parts in
  let x = parts_of x and decoders = parts_of decoders in
  let product (p, q) (r, s) = (Z.mul p r, Z.mul q s) and sum (p, q) (r, s) = (Z.add (Z.mul p s) (Z.mul r q), Z.mul q s) in
  let score group place row =
    let total = ref (Z.zero, Z.one) in
    for k = 0 to width - 1 do
      total := sum !total (product decoders.((place * width) + k) x.((row * width) + k))
    done;
    let p, q = !total in
    Numbers.ratio (if labels.(group) < 0 then Z.neg p else p) q
  in
  let places = Array.concat (Array.to_list (Array.map (fun length -> Array.init length Fun.id) lengths)) in
  let of_group group place =
    Array.init (first_row.(group + 1) - first_row.(group)) (fun t -> score group place (first_row.(group) + t))
  in
  Array.concat (Array.to_list (Array.mapi of_group places))

let read path =
  let arrays = ref (arrays_of path) in
  let bad key fmt = Printf.ksprintf (fun why -> malformed "%s: key %s: %s" path key why) fmt in
  let has key = List.mem_assoc key !arrays in
  if has "sentences" || has "ids" then
    too_large "%s: next-token instances are not verified yet (attest-check decides them)" path;
  if has "embeddings" then bad "embeddings" "given without sentences or ids";
  let head =
    match List.assoc_opt "head" !arrays with
    | None -> if has "y" then "cross-entropy" else "linear"
    | Some ({ text = Some word; _ } : Table.t) -> word
    | Some _ -> ""
  in
  if head = "classifier" || head = "relu" then
    too_large "%s: a head of several outputs is not verified yet (attest-check knows it)" path;
  List.iter (fun key -> if has key then bad key "given although the head has one output") [ "U"; "A"; "bias"; "r" ];
  let required key : Table.t =
    match List.assoc_opt key !arrays with
    | None -> malformed "%s: key %s is missing" path key
    | Some { text = Some _; _ } -> bad key "numbers expected, not a string"
    | Some array ->
        if Array.length array.numbers >= max_entries then too_large "%s: key %s: 2^31 or more numbers" path key;
        array
  in
  let ragged (array : Table.t) = Array.exists (fun length -> length <> array.shape.(1)) array.lengths in
  let finite key numbers =
    Array.iteri (fun k x -> if x = Numbers.Not_finite then bad key "entry %d is not a finite number" k) numbers;
    numbers
  in
  let integer key k low high x =
    let no () = bad key "entry %d is not an integer from %d to %d" k low high in
    match x with
    | Numbers.Dyadic (m, e) when e >= 0 && e < 63 ->
        let value = Z.shift_left m e in
        if Z.lt value (Z.of_int low) || Z.gt value (Z.of_int high) then no () else Z.to_int value
    | _ -> no ()
  in
  (* A list, or a column of one. *)
  let listed key : Table.t =
    let array = required key in
    match array.shape with [| count; 1 |] -> { array with shape = [| count |] } | _ -> array
  in
  let integers key low high =
    let array = listed key in
    if Array.length array.shape <> 1 then bad key "a list of integers expected";
    Array.mapi (fun k x -> integer key k low high x) array.numbers
  in
  (* Groups and their sizes, from X and lengths. *)
  let x = required "X" in
  let has_lengths = has "lengths" in
  let levels = Array.length x.shape in
  if has_lengths && ragged x then bad "lengths" "given although X is a ragged list";
  (* None is longer than the array it counts in, so their sum is less than 2^62. *)
  let longest = if levels < 2 then 1 else x.shape.(levels - 2) in
  let lengths = if has_lengths then integers "lengths" 1 longest else [||] in
  let sizes =
    match levels with
    | 3 ->
        let sizes = if has_lengths then lengths else x.lengths in
        if Array.length sizes <> x.shape.(0) then bad "lengths" "their number is not the number of sequences";
        sizes
    | 2 when has_lengths -> lengths
    | _ -> bad "X" "three levels expected (sequences, tokens, coordinates), or two with lengths"
  in
  let dimension = x.shape.(levels - 1) in
  let n = Array.length sizes in
  let first_row = Array.make (n + 1) 0 in
  Array.iteri
    (fun i size ->
      if size = 0 then bad "X" "an empty group";
      first_row.(i + 1) <- first_row.(i) + size)
    sizes;
  (* Token rows of X or K without padding. *)
  let rows key (array : Table.t) width =
    match array.shape with
    | [| count; _ |] when has_lengths ->
        if count <> first_row.(n) then bad key "the lengths do not add up to its number of rows";
        finite key array.numbers
    | [| count; _; _ |] when count = n ->
        let start = ref 0 in
        let may_be_padded = has_lengths && not (ragged array) in
        let piece i =
          if sizes.(i) > array.lengths.(i) || (sizes.(i) < array.lengths.(i) && not may_be_padded) then
            bad key "sequence %d does not have its length" i;
          let kept = Array.sub array.numbers !start (sizes.(i) * width) in
          start := !start + (array.lengths.(i) * width);
          finite key kept
        in
        Array.concat (List.map piece (List.init n Fun.id))
    | _ -> bad key "its shape does not fit the sequences"
  in
  let x_rows = rows "X" x dimension in
  (* One row of one number a token. *)
  let token_numbers key =
    let array = required key in
    let array : Table.t =
      match array.shape with
      | [| n; longest |] -> { array with shape = [| n; longest; 1 |]; lengths = Array.make n longest }
      | [| count |] -> { array with shape = [| count; 1 |] }
      | [| _; _; 1 |] -> array
      | _ -> bad key "one number a token expected"
    in
    rows key array 1
  in
  (* One number a token row, in one list or in a row a sequence with the padding of X. *)
  let counts =
    if not (has "counts") then [||]
    else
      let array = required "counts" in
      let table =
        match array.shape with
        | [| a; b |] -> levels = 3 && (not (ragged x)) && a = x.shape.(0) && b = x.shape.(1)
        | [| a |] when a = first_row.(n) -> false
        | _ -> bad "counts" "its shape does not fit the sequences"
      in
      if (not table) && Array.length array.shape <> 1 then bad "counts" "its shape does not fit the sequences";
      let count i t =
        let k = if table then (i * array.shape.(1)) + t else first_row.(i) + t in
        integer "counts" k 1 max_count array.numbers.(k)
      in
      let counts = Array.concat (List.init n (fun i -> Array.init sizes.(i) (count i))) in
      if Array.for_all (fun k -> k = 1) counts then [||] else counts
  in
  let zero x = same x (Numbers.dyadic Z.zero 0) in
  let offsets = if has "offsets" then token_numbers "offsets" else [||] in
  let offsets = if Array.for_all zero offsets then [||] else offsets in
  (* Where every token is a query: what there is one of a sequence otherwise is then one a token. *)
  let causal =
    if not (has "setting") then None
    else
      let word = match List.assoc "setting" !arrays with { text = Some word; _ } -> word | _ -> "" in
      if word <> "seq2seq" && word <> "causal" then bad "setting" "\"seq2seq\" or \"causal\" expected";
      List.iter
        (fun key -> if has key then bad key "given although the setting is %s" word)
        [ "K"; "z"; "query"; "scores" ];
      Some (word = "causal")
  in
  let queries = x_rows and lengths = sizes in
  let n, first_row, sizes, x_rows, counts, offsets =
    match causal with
    | None -> (n, first_row, sizes, x_rows, counts, offsets)
    | Some causal ->
        let list numbers : Table.t = { shape = [| Array.length numbers |]; lengths = [||]; numbers; text = None } in
        let given = List.filter has [ "Y"; "y"; "alpha" ] in
        let lists = List.map (fun key -> (key, list (token_numbers key))) given in
        let groups = rows_of_queries path first_row dimension causal in
        let all width numbers =
          Array.concat (List.map (fun (first, stop) -> Array.sub numbers (first * width) ((stop - first) * width)) groups)
        in
        arrays := lists @ List.filter (fun (key, _) -> not (List.mem key given)) !arrays;
        let sizes = Array.of_list (List.map (fun (first, stop) -> stop - first) groups) in
        let n = Array.length sizes in
        let starts = Array.make (n + 1) 0 in
        Array.iteri (fun i size -> starts.(i + 1) <- starts.(i) + size) sizes;
        let each numbers = if numbers = [||] then numbers else all 1 numbers in
        (n, starts, sizes, all dimension x_rows, (if counts = [||] then counts else all 1 counts), each offsets)
  in
  (* Of each sequence one of its tokens. *)
  let chosen_tokens key =
    let tokens = integers key 0 max_entries in
    if Array.length tokens <> n then bad key "its length is not the number of sequences";
    Array.iteri (fun i t -> if t >= sizes.(i) then bad key "sequence %d has no token %d" i t) tokens;
    tokens
  in
  let scoring =
    if head <> "linear" && head <> "cross-entropy" then
      bad "head" "\"linear\", \"cross-entropy\", \"classifier\" or \"relu\" expected";
    if head = "cross-entropy" then (
      List.iter (fun key -> if has key then bad key "given although the head is cross-entropy") [ "Y"; "v"; "scores" ];
      Targets (chosen_tokens "y"))
    else if has "y" then bad "y" "given although the head is linear"
    else if has "scores" then (
      if has "Y" || has "v" then malformed "%s: scores stand for Y and v, so only one of the two may be given" path;
      Scores (token_numbers "scores"))
    else
      let labels = integers "Y" (-1) 1 in
      Array.iteri (fun k y -> if y = 0 then bad "Y" "entry %d is neither 1 nor -1" k) labels;
      if Array.length labels <> n then bad "Y" "its length is not the number of sequences";
      match (causal, (required "v").shape) with
      | Some _, [| places; width |] when width = dimension ->
          if places <> Array.fold_left max 0 lengths then bad "v" "a row for each place of a query expected";
          Scores (scores_by_place first_row dimension x_rows lengths labels (finite "v" (required "v").numbers))
      | _ ->
          let v = listed "v" in
          if Array.length v.shape <> 1 then bad "v" "a list of numbers expected";
          let v = finite "v" v.numbers in
          if Array.length v <> dimension then bad "v" "its length is not the dimension of X";
          Decoder (labels, v)
  in
  if List.length (List.filter has [ "K"; "z"; "query" ]) > 1 then
    malformed "%s: at most one of the keys K, z and query may be given" path;
  let setting, factor_dimension =
    if causal <> None then (Cross queries, dimension)
    else if has "K" then (
      let keys = required "K" in
      let levels = Array.length keys.shape in
      if levels < 2 then bad "K" "its shape does not fit the sequences";
      let width = keys.shape.(levels - 1) in
      (Prompt (rows "K" keys width), width))
    else if has "z" then (
      let queries = required "z" in
      if Array.length queries.shape <> 2 || queries.shape.(0) <> n then bad "z" "one row per sequence expected";
      (Cross (finite "z" queries.numbers), queries.shape.(1)))
    else if has "query" then
      match List.assoc "query" !arrays with
      | { text = Some "last"; _ } -> (Self (-1), 0)
      | { text = None; numbers = [| q |]; shape; _ } when Array.length shape <= 1 ->
          (Self (integer "query" 0 (-max_entries) max_entries q), 0)
      | _ -> bad "query" "an index or \"last\" expected"
    else (Self 0, 0)
  in
  (match setting with
  | Self q ->
      Array.iteri (fun i size -> if q >= size || -q > size then bad "query" "sequence %d has no token %d" i q) sizes
  | _ -> ());
  (* alpha and W0 take no part in any check, but a file that has them wrong is wrong. *)
  if has "alpha" then ignore (chosen_tokens "alpha");
  if has "W0" then (
    let left, right =
      match setting with
      | Prompt _ -> (factor_dimension, 1)
      | Cross _ -> (dimension, factor_dimension)
      | Self _ -> (dimension, dimension)
    in
    let start = required "W0" in
    (match (start.shape, setting) with
    | [| a; b |], _ when a = left && b = right -> ()
    | [| a |], Prompt _ when a = left -> ()
    | _ -> bad "W0" "its shape is not that of the parameter");
    ignore (finite "W0" start.numbers));
  let stands =
    match setting with
    | Prompt keys -> equal_tokens first_row keys factor_dimension
    | _ -> equal_tokens first_row x_rows dimension
  in
  { first_row; dimension; factor_dimension; x = x_rows; scoring; setting; counts; offsets; stands }

(* SHA-256 of the canonical text (GRAMMAR.md section 5). *)
let canonical_sha256 instance =
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
        | Targets y -> Canonical.Targets (Array.to_list y));
      factors =
        (match instance.setting with
        | Cross z -> Some ("z", Array.to_seq z)
        | Prompt k -> Some ("K", Array.to_seq k)
        | Self _ -> None);
      counts = Array.to_list instance.counts;
      offsets = Array.to_seq instance.offsets }

(* Ends the check of an instance with another head than the scalar one, of which Coq's theorems are. *)
let refuse_head instance =
  match instance.scoring with
  | Targets _ -> too_large "the head cross-entropy is not verified yet, attest-check knows it"
  | Decoder _ | Scores _ -> ()

(* Ends it too where equal tokens have different offsets and different scores: their mean score is not rational. *)
let refuse_offsets instance =
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
      if not (same instance.offsets.(row) instance.offsets.(first)) then shifted.(first) <- true;
      if differ.(first) && shifted.(first) then
        too_large "equal tokens with different offsets have different scores: their mean is not rational"
    done
  done
