(* Where every token of a sequence is a query: the groups of the queries, and what there is one of for each. *)

(* The word of the setting, if there is one: is the attention causal? *)
let causal ({ Arrays.has; bad; _ } as arrays) =
  if not (has "setting") then None
  else
    let word = Arrays.word arrays "setting" in
    if word <> "seq2seq" && word <> "causal" then bad "setting" "\"seq2seq\" or \"causal\" expected";
    List.iter
      (fun key -> if has key then bad key "given although the setting is %s" word)
      [ "K"; "z"; "query"; "scores" ];
    Some (word = "causal")

(* Of a group for every query of every sequence: of causal attention the tokens up to the query. *)
let rows_of_queries path first_row width causal =
  let n = Array.length first_row - 1 in
  let total = ref 0 in
  let group query first last =
    let stop = if causal then query + 1 else last in
    total := !total + stop - first;
    if !total >= Arrays.max_entries / max width 1 then
      Stop.too_large "%s: key setting: the tokens of all queries are 2^31 or more numbers" path;
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
  let product (p, q) (r, s) = (Z.mul p r, Z.mul q s) in
  let sum (p, q) (r, s) = (Z.add (Z.mul p s) (Z.mul r q), Z.mul q s) in
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

(* Of token rows of so many numbers those of all groups; none stay none. *)
let gathered groups width numbers =
  let piece (first, stop) = Array.sub numbers (first * width) ((stop - first) * width) in
  if numbers = [||] then [||] else Array.concat (List.map piece groups)

(* The groups as rows of the sequences, their layout, and the arrays with one number a group where otherwise there is
   one a sequence. *)
let groups (arrays : Arrays.t) (sequences : Layout.t) width causal =
  let list numbers : Table.t = { shape = [| Array.length numbers |]; lengths = [||]; numbers; text = None } in
  let given = List.filter arrays.has [ "Y"; "y"; "alpha" ] in
  let lists = List.map (fun key -> (key, list (Layout.token_numbers arrays sequences key))) given in
  let groups = rows_of_queries arrays.path sequences.first_row width causal in
  let others = List.filter (fun (key, _) -> not (List.mem key given)) arrays.arrays in
  let sizes = Array.of_list (List.map (fun (first, stop) -> stop - first) groups) in
  (groups, Layout.of_sizes sizes ~has_lengths:sequences.has_lengths, Arrays.named arrays.path (lists @ others))
