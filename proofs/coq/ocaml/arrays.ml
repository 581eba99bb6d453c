(* The named arrays of an instance, from a file or a folder, and what is asked of their numbers. *)

open Stop

(* An array has fewer numbers, so that the product of two sizes (rows, columns, groups, tokens) fits in 62 bits. *)
let max_entries = 1 lsl 31

let known =
  [ "X"; "lengths"; "Y"; "v"; "scores"; "K"; "z"; "query"; "alpha"; "W0"; "counts"; "offsets"; "head"; "y";
    "sentences"; "ids"; "embeddings"; "U"; "A"; "bias"; "r"; "setting" ]

let check_key path key = if not (List.mem key known) then malformed "%s: unknown key %s" path key

let key_of path file =
  if not (Filename.check_suffix file ".npy") then
    malformed "%s: unexpected member %s (members are named KEY.npy)" path file;
  let key = String.sub file 0 (String.length file - 4) in
  check_key path key;
  key

let starts_with prefix content =
  String.length content >= String.length prefix && String.sub content 0 (String.length prefix) = prefix

let of_folder path =
  let files = try Sys.readdir path with Sys_error _ -> malformed "%s: cannot be read" path in
  let array file =
    let key = key_of path file in
    let file = Filename.concat path file in
    (match Unix.lstat file with
    | { Unix.st_kind = Unix.S_REG; _ } -> ()
    | _ | (exception Unix.Unix_error _) -> malformed "%s: not a file (a folder of arrays holds no links)" file);
    (key, Npy.read (Compressed.read_file file) file)
  in
  List.map array (Array.to_list files)

let of_file path =
  let content = Compressed.read_file path in
  if starts_with "PK" content then
    let array (member, data) = (key_of path member, Npy.read data (path ^ ": " ^ member)) in
    List.map array (Archive.read content path)
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

(* `bad` ends the reading: it says what is wrong about a key. *)
type t = {
  path : string;
  arrays : (string * Table.t) list;
  has : string -> bool;
  bad : 'a 'b. string -> ('a, unit, string, 'b) format4 -> 'a
}

let named path arrays =
  { path; arrays; has = (fun key -> List.mem_assoc key arrays);
    bad = (fun key fmt -> Printf.ksprintf (fun why -> malformed "%s: key %s: %s" path key why) fmt) }

let read path =
  let is_folder = try Sys.is_directory path with Sys_error _ -> false in
  named path (if is_folder then of_folder path else of_file path)

(* ---- numbers ---- *)

let required { path; arrays; bad; _ } key : Table.t =
  match List.assoc_opt key arrays with
  | None -> malformed "%s: key %s is missing" path key
  | Some { text = Some _; _ } -> bad key "numbers expected, not a string"
  | Some array ->
      if Array.length array.numbers >= max_entries then too_large "%s: key %s: 2^31 or more numbers" path key;
      array

(* The word that a key has: empty where it is no word. *)
let word { arrays; _ } key = match List.assoc key arrays with { Table.text = Some word; _ } -> word | _ -> ""

let ragged (array : Table.t) = Array.exists (fun length -> length <> array.shape.(1)) array.lengths

let finite { bad; _ } key numbers =
  Array.iteri (fun k x -> if x = Numbers.Not_finite then bad key "entry %d is not a finite number" k) numbers;
  numbers

let integer { bad; _ } key k low high x =
  let no () = bad key "entry %d is not an integer from %d to %d" k low high in
  match x with
  | Numbers.Dyadic (m, e) when e >= 0 && e < 63 ->
      let value = Z.shift_left m e in
      if Z.lt value (Z.of_int low) || Z.gt value (Z.of_int high) then no () else Z.to_int value
  | _ -> no ()

(* A list, or a column of one. *)
let listed arrays key : Table.t =
  let array = required arrays key in
  match array.shape with [| count; 1 |] -> { array with shape = [| count |] } | _ -> array

let integers arrays key low high =
  let array = listed arrays key in
  if Array.length array.shape <> 1 then arrays.bad key "a list of integers expected";
  Array.mapi (fun k x -> integer arrays key k low high x) array.numbers
