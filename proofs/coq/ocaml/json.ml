(* Strict readers of JSON (RFC 8259): its words, and instance files: one object whose values are strings, numbers or
   nested lists of numbers. *)

open Stop

(* Well-formed UTF-8. *)
let check_utf8 text path =
  let n = String.length text in
  let rec go at =
    if at < n then
      let first = Char.code text.[at] in
      if first < 0x80 then go (at + 1)
      else
        let bad () = malformed "%s: byte %d: not UTF-8" path at in
        let tails = if first >= 0xf0 then 3 else if first >= 0xe0 then 2 else 1 in
        if first < 0xc2 || first > 0xf4 || n - at <= tails then bad ();
        let code = ref (first land (0x3f lsr tails)) in
        for k = 1 to tails do
          let byte = Char.code text.[at + k] in
          if byte land 0xc0 <> 0x80 then bad ();
          code := (!code lsl 6) lor (byte land 0x3f)
        done;
        let c = !code in
        if (tails = 2 && c < 0x800) || (tails = 3 && (c < 0x10000 || c > 0x10ffff)) ||
           (c >= 0xd800 && c <= 0xdfff)
        then bad ();
        go (at + 1 + tails)
  in
  go 0

(* A text read from left to right; `key` is the key whose value is read, and byte `at` of the text is byte at + before
   of the file. *)
type source = { text : string; path : string; before : int; mutable at : int; mutable key : string }

let source ?(before = 0) text path =
  check_utf8 text path;
  { text; path; before; at = 0; key = "" }

let bad s fmt =
  let at_key = if s.key = "" then "" else ": key " ^ s.key in
  Printf.ksprintf (fun why -> malformed "%s%s: byte %d: %s" s.path at_key (s.before + s.at) why) fmt

let at_end s = s.at >= String.length s.text
let peek s = if at_end s then '\000' else s.text.[s.at]
let take s c = if (not (at_end s)) && s.text.[s.at] = c then (s.at <- s.at + 1; true) else false
let expect s c = if not (take s c) then bad s "expected '%c'" c

let rec skip_space s =
  match peek s with ' ' | '\n' | '\r' | '\t' -> s.at <- s.at + 1; skip_space s | _ -> ()

let hex4 s =
  if String.length s.text - s.at < 4 then bad s "an escape that is cut off";
  let digits = String.sub s.text s.at 4 in
  String.iter (fun c -> if not (Numbers.is_hex_digit c) then bad s "an escape that is not hexadecimal") digits;
  s.at <- s.at + 4;
  int_of_string ("0x" ^ digits)

let escape s out =
  if at_end s then bad s "an escape that is cut off";
  let c = s.text.[s.at] in
  s.at <- s.at + 1;
  match c with
  | '"' | '\\' | '/' -> Buffer.add_char out c
  | 'b' -> Buffer.add_char out '\b'
  | 'f' -> Buffer.add_char out '\012'
  | 'n' -> Buffer.add_char out '\n'
  | 'r' -> Buffer.add_char out '\r'
  | 't' -> Buffer.add_char out '\t'
  | 'u' ->
      let code = hex4 s in
      let code =
        if code >= 0xd800 && code < 0xdc00 then (
          if not (take s '\\' && take s 'u') then bad s "half a surrogate pair";
          let low = hex4 s in
          if low < 0xdc00 || low > 0xdfff then bad s "half a surrogate pair";
          0x10000 + ((code - 0xd800) lsl 10) + (low - 0xdc00))
        else if code >= 0xdc00 && code <= 0xdfff then bad s "half a surrogate pair"
        else code
      in
      Buffer.add_utf_8_uchar out (Uchar.of_int code)
  | _ -> bad s "an unknown escape"

let quoted s =
  expect s '"';
  let out = Buffer.create 16 in
  let rec go () =
    if at_end s then bad s "a string that is cut off";
    let c = s.text.[s.at] in
    s.at <- s.at + 1;
    if c = '"' then Buffer.contents out
    else (
      if Char.code c < 0x20 then bad s "a control character in a string";
      if c = '\\' then escape s out else Buffer.add_char out c;
      go ())
  in
  go ()

(* One or more values between commas, and their number. *)
let rec elements ?(count = 0) s element =
  skip_space s;
  element ();
  skip_space s;
  if take s ',' then elements ~count:(count + 1) s element else count + 1

(* An object with each key once: what `value` makes of each key, in order. *)
let members s value =
  skip_space s;
  expect s '{';
  skip_space s;
  let found = ref [] and seen = Hashtbl.create 16 in
  let member () =
    let key = quoted s in
    if Hashtbl.mem seen key then bad s "duplicate key %s" key;
    Hashtbl.add seen key ();
    skip_space s;
    expect s ':';
    skip_space s;
    let made = value key in
    found := (key, made) :: !found
  in
  if not (take s '}') then (
    ignore (elements s member);
    expect s '}');
  List.rev !found

let finish s =
  skip_space s;
  if not (at_end s) then bad s "text after the object"

(* ---- instances ---- *)

let number s =
  try
    if peek s = '"' then Numbers.of_text (quoted s)
    else
      let start = s.at in
      while (not (at_end s)) && String.contains "+-.0123456789eE" s.text.[s.at] do s.at <- s.at + 1 done;
      if s.at = start then bad s "expected a number";
      Numbers.of_json_number (String.sub s.text start (s.at - start))
  with Stop (2, why) -> bad s "%s" why

(* The lists of a number a token, and of sentences, may differ in length, as those of tokens do: their numbers are then
   rows of one. *)
let value s : Table.t =
  if peek s = '"' then { shape = [||]; lengths = [||]; numbers = [||]; text = Some (quoted s) }
  else
    let numbers = ref [] and depth = ref (-1) and top = ref 0 and lengths = ref [] and width = ref 0 in
    let ragged_rows = List.mem s.key [ "scores"; "offsets"; "sentences"; "Y"; "y"; "alpha" ] in
    (* A number at nesting level `level` (the first fixes the depth of all), or a list one level deeper. *)
    let rec element level () =
      if peek s <> '[' then (
        if !depth < 0 then depth := level;
        if level <> !depth then bad s "lists of uneven depth";
        numbers := number s :: !numbers)
      else (
        if level = 3 then bad s "lists nested more than three deep";
        expect s '[';
        skip_space s;
        if peek s = ']' then bad s "an empty list";
        let count = elements s (element (level + 1)) in
        expect s ']';
        if level = 0 then top := count
        else if level + 1 < !depth || (level = 1 && ragged_rows) then lengths := count :: !lengths
        else (
          if !width = 0 then width := count;
          if !width <> count then bad s "rows of different lengths"))
    in
    element 0 ();
    let lengths = Array.of_list (List.rev !lengths) in
    if !depth = 2 && ragged_rows then (
      width := if lengths = [||] then 0 else lengths.(0);
      if Array.exists (fun length -> length <> !width) lengths then (depth := 3; width := 1));
    let shape =
      match !depth with
      | 0 -> [||]
      | 1 -> [| !top |]
      | 2 -> [| !top; !width |]
      | _ -> [| !top; Array.fold_left max 0 lengths; !width |]
    in
    { shape; lengths = (if !depth = 3 then lengths else [||]); numbers = Array.of_list (List.rev !numbers);
      text = None }

let read text path : (string * Table.t) list =
  let s = source text path in
  let found =
    members s (fun key ->
        s.key <- key;
        value s)
  in
  finish s;
  found
