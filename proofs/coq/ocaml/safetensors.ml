(* The safetensors format: the length of a header, 8 bytes, least first; the header, a JSON object that gives each
   tensor's type, shape and place; the tensors' bytes, one after the other, least byte first and the last index fastest.

   A file has one reading (certify/INSTANCES.md, "One file, one dataset"). *)

open Stop

(* Whether the content is such a file rather than a text: no text has a zero byte, no header 2^56 bytes. *)
let begins content = String.length content > 8 && content.[7] = '\000'

let element s name : Npy.element =
  match name with
  | "F16" -> { kind = 'f'; width = 2; big_endian = false }
  | "BF16" -> { kind = 'b'; width = 2; big_endian = false }
  | "F32" -> { kind = 'f'; width = 4; big_endian = false }
  | "F64" -> { kind = 'f'; width = 8; big_endian = false }
  | "I8" | "I16" | "I32" | "I64" | "U8" | "U16" | "U32" | "U64" ->
      let bits = int_of_string (String.sub name 1 (String.length name - 1)) in
      { kind = (if name.[0] = 'I' then 'i' else 'u'); width = bits / 8; big_endian = false }
  | _ -> Json.bad s "unsupported element type '%s'" name

let ascii s =
  let text = Json.quoted s in
  if String.exists (fun c -> Char.code c >= 0x80) text then Json.bad s "a character that is not ASCII";
  text

(* A list of numbers of bytes or entries: no signs, fractions or leading zeros. *)
let sizes s =
  let size () =
    let start = s.Json.at in
    while Numbers.is_digit (Json.peek s) do s.at <- s.at + 1 done;
    let digits = String.sub s.text start (s.at - start) in
    match int_of_string_opt ("0u" ^ digits) with
    | Some n when n >= 0 && digits = string_of_int n -> n
    | _ -> Json.bad s "expected a size"
  in
  let found = ref [] in
  Json.expect s '[';
  Json.skip_space s;
  if not (Json.take s ']') then (
    ignore (Json.elements s (fun () -> found := size () :: !found));
    Json.expect s ']');
  Array.of_list (List.rev !found)

type field = Type of Npy.element | Sizes of int array
type entry =
  | Metadata
  | Tensor of Npy.element * int array * int * int (* shape; from, to before which byte of the data *)

let entry s name =
  if name = "__metadata__" then (
    List.iter
      (fun (key, _) ->
        if String.exists (fun c -> Char.code c >= 0x80) key then Json.bad s "a character that is not ASCII")
      (Json.members s (fun _ -> ascii s));
    Metadata)
  else
    let fields =
      Json.members s (function
        | "dtype" -> Type (element s (ascii s))
        | "shape" | "data_offsets" -> Sizes (sizes s)
        | field -> Json.bad s "unexpected key %s" field)
    in
    let field name = List.assoc_opt name fields in
    match (field "dtype", field "shape", field "data_offsets") with
    | Some (Type element), Some (Sizes shape), Some (Sizes [| first; stop |]) -> Tensor (element, shape, first, stop)
    | _ -> Json.bad s "a tensor needs dtype, shape and two data_offsets"

let read content path : (string * Table.t) list =
  let room = String.length content - 8 in
  let size = Int64.to_int (String.get_int64_le content 0) in
  if size < 2 || size > min room 100_000_000 then malformed "%s: byte 0: the header is cut off or too long" path;
  let s = Json.source ~before:8 (String.sub content 8 size) path in
  if Json.peek s <> '{' then Json.bad s "expected '{'";
  let tensors = List.filter_map (function _, Metadata -> None | name, Tensor (e, n, a, b) -> Some (a, b, name, e, n)) in
  let tensors = tensors (Json.members s (entry s)) in
  Json.finish s;
  let data = room - size in
  let next (at, found) (first, stop, name, element, shape) =
    let what = path ^ ": " ^ name in
    if first <> at || stop < first || stop > data then
      malformed "%s: byte %d: not where the bytes before it end, or not within the file" what (8 + size + at);
    let bytes = String.sub content (8 + size + first) (stop - first) in
    (stop, (name, Npy.table bytes element ~fortran:false shape what) :: found)
  in
  let stop, found = List.fold_left next (0, []) (List.sort compare tensors) in
  if stop <> data then malformed "%s: byte %d: bytes that belong to no tensor" path (8 + size + stop);
  found
