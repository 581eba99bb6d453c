(* Where tokens stand in the arrays of an instance: the groups' sizes, and what there is one of for each token. *)

open Arrays

(* Rows of group i are first_row.(i), ..., first_row.(i + 1) - 1; with lengths they come without padding, or padded. *)
type t = { sizes : int array; first_row : int array; has_lengths : bool }

(* So a sequence's counts together fit in 62 bits. *)
let max_count = (1 lsl 31) - 1

let of_sizes sizes ~has_lengths =
  let first_row = Array.make (Array.length sizes + 1) 0 in
  Array.iteri (fun i size -> first_row.(i + 1) <- first_row.(i) + size) sizes;
  { sizes; first_row; has_lengths }

(* Of the sequences, from X and lengths. *)
let of_sequences arrays (x : Table.t) =
  let { bad; has; _ } = arrays in
  let has_lengths = has "lengths" in
  let levels = Array.length x.shape in
  if has_lengths && ragged x then bad "lengths" "given although X is a ragged list";
  (* None is longer than the array it counts in, so their sum is less than 2^62. *)
  let longest = if levels < 2 then 1 else x.shape.(levels - 2) in
  let lengths = if has_lengths then integers arrays "lengths" 1 longest else [||] in
  let sizes =
    match levels with
    | 3 ->
        let sizes = if has_lengths then lengths else x.lengths in
        if Array.length sizes <> x.shape.(0) then bad "lengths" "their number is not the number of sequences";
        sizes
    | 2 when has_lengths -> lengths
    | _ -> bad "X" "three levels expected (sequences, tokens, coordinates), or two with lengths"
  in
  Array.iter (fun size -> if size = 0 then bad "X" "an empty group") sizes;
  of_sizes sizes ~has_lengths

(* Token rows of X or K without padding. *)
let rows arrays { sizes; first_row; has_lengths } key (array : Table.t) width =
  let { bad; _ } = arrays and n = Array.length sizes in
  match array.shape with
  | [| count; _ |] when has_lengths ->
      if count <> first_row.(n) then bad key "the lengths do not add up to its number of rows";
      finite arrays key array.numbers
  | [| count; _; _ |] when count = n ->
      let start = ref 0 in
      let may_be_padded = has_lengths && not (ragged array) in
      let piece i =
        if sizes.(i) > array.lengths.(i) || (sizes.(i) < array.lengths.(i) && not may_be_padded) then
          bad key "sequence %d does not have its length" i;
        let kept = Array.sub array.numbers !start (sizes.(i) * width) in
        start := !start + (array.lengths.(i) * width);
        finite arrays key kept
      in
      Array.concat (List.map piece (List.init n Fun.id))
  | _ -> bad key "its shape does not fit the sequences"

(* One row of one number a token. *)
let token_numbers arrays layout key =
  let array = required arrays key in
  let array : Table.t =
    match array.shape with
    | [| n; longest |] -> { array with shape = [| n; longest; 1 |]; lengths = Array.make n longest }
    | [| count |] -> { array with shape = [| count; 1 |] }
    | [| _; _; 1 |] -> array
    | _ -> arrays.bad key "one number a token expected"
  in
  rows arrays layout key array 1

(* Of each group one of its tokens. *)
let chosen_tokens arrays { sizes; _ } key =
  let { bad; _ } = arrays and n = Array.length sizes in
  let tokens = integers arrays key 0 max_entries in
  if Array.length tokens <> n then bad key "its length is not the number of sequences";
  Array.iteri (fun i t -> if t >= sizes.(i) then bad key "sequence %d has no token %d" i t) tokens;
  tokens

(* Y: 1 or -1 for each group. *)
let labels arrays { sizes; _ } =
  let labels = integers arrays "Y" (-1) 1 in
  Array.iteri (fun k y -> if y = 0 then arrays.bad "Y" "entry %d is neither 1 nor -1" k) labels;
  if Array.length labels <> Array.length sizes then arrays.bad "Y" "its length is not the number of sequences";
  labels

(* A token of each group, or a list of tokens: only whether it is one. *)
let check_selection arrays layout key =
  let { bad; _ } = arrays and array = required arrays key in
  let check lengths =
    if Array.length lengths <> Array.length layout.sizes || Array.length array.numbers = 0 then
      bad key "its length is not the number of sequences";
    let start = ref 0 in
    Array.iteri
      (fun i length ->
        for k = !start to !start + length - 1 do
          let t = integer arrays key k 0 max_entries array.numbers.(k) in
          if t >= layout.sizes.(i) then bad key "sequence %d has no token %d" i t
        done;
        start := !start + length)
      lengths
  in
  match array.shape with
  | [| _ |] | [| _; 1 |] -> ignore (chosen_tokens arrays layout key)
  | [| n; each |] -> check (Array.make n each)
  | [| _; _; 1 |] -> check array.lengths
  | _ -> bad key "a list of tokens of each sequence expected"

(* How often each token stands in its sequence, from one list or a row a sequence with the padding of X; empty: once. *)
let counts arrays { sizes; first_row; _ } (x : Table.t) =
  let { bad; _ } = arrays and n = Array.length sizes and levels = Array.length x.shape in
  if not (arrays.has "counts") then [||]
  else
    let array = required arrays "counts" in
    let table =
      match array.shape with
      | [| a; b |] -> levels = 3 && (not (ragged x)) && a = x.shape.(0) && b = x.shape.(1)
      | [| a |] when a = first_row.(n) -> false
      | _ -> bad "counts" "its shape does not fit the sequences"
    in
    if (not table) && Array.length array.shape <> 1 then bad "counts" "its shape does not fit the sequences";
    let count i t =
      let k = if table then (i * array.shape.(1)) + t else first_row.(i) + t in
      integer arrays "counts" k 1 max_count array.numbers.(k)
    in
    let counts = Array.concat (List.init n (fun i -> Array.init sizes.(i) (count i))) in
    if Array.for_all (fun k -> k = 1) counts then [||] else counts

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
        let same_entry k = same rows.((row * width) + k) rows.(((first + s) * width) + k) in
        let rec from k = k = width || (same_entry k && from (k + 1)) in
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

(* Added to the logits; empty: nothing. *)
let offsets arrays layout =
  let zero x = same x (Numbers.dyadic Z.zero 0) in
  let offsets = if arrays.has "offsets" then token_numbers arrays layout "offsets" else [||] in
  if Array.for_all zero offsets then [||] else offsets
