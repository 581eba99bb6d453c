(* The .npy format (NumPy's numpy.lib.format, versions 1.0 to 3.0). *)

open Stop

(* The header, a Python literal {'descr': '<f8', 'fortran_order': False, 'shape': (6, 8, 10), }, keys in any order, then
   spaces and one newline. What NumPy would read otherwise or not at all is malformed. *)
let parse_header text what =
  let at = ref 0 in
  let bad fmt = Printf.ksprintf (fun why -> malformed "%s: npy header: byte %d: %s" what !at why) fmt in
  let peek () = if !at < String.length text then text.[!at] else '\000' in
  let rec skip_space () = if peek () = ' ' then (incr at; skip_space ()) in
  let take c =
    skip_space ();
    if !at < String.length text && text.[!at] = c then (incr at; true) else false
  in
  let expect c = if not (take c) then bad "expected '%c'" c in
  let quoted () =
    let quote = if take '"' then '"' else (expect '\''; '\'') in
    match String.index_from_opt text !at quote with
    | Some stop when stop - !at <= 64 ->
        let value = String.sub text !at (stop - !at) in
        at := stop + 1;
        value
    | _ -> bad "expected a short string (structured types are not supported)"
  in
  let starts_with word =
    String.length text - !at >= String.length word && String.sub text !at (String.length word) = word
  in
  let boolean () =
    skip_space ();
    if starts_with "True" then (at := !at + 4; true)
    else if starts_with "False" then (at := !at + 5; false)
    else bad "expected True or False"
  in
  let tuple () =
    let rec go shape =
      if take ')' then shape
      else (
        skip_space ();
        let start = !at in
        while Numbers.is_digit (peek ()) do incr at done;
        if !at = start || !at - start > 40 then bad "expected a size";
        if !at - start > 1 && text.[start] = '0' then bad "expected a size";
        let extent =
          match int_of_string_opt ("0u" ^ String.sub text start (!at - start)) with
          | Some n when n >= 0 -> n
          | _ -> bad "expected a size"
        in
        let shape = extent :: shape in
        if List.length shape > 3 then bad "more than three dimensions";
        if take ',' then go shape
        else (
          expect ')';
          if List.length shape = 1 then bad "a size in brackets is not a tuple";
          shape))
    in
    expect '(';
    Array.of_list (List.rev (go []))
  in
  let descr = ref None and order = ref None and shape = ref None in
  let rec entries () =
    if not (take '}') then (
      let key = quoted () in
      expect ':';
      (match key with
      | "descr" when !descr = None -> descr := Some (quoted ())
      | "fortran_order" when !order = None -> order := Some (boolean ())
      | "shape" when !shape = None -> shape := Some (tuple ())
      | _ -> bad "unexpected key '%s'" key);
      if take ',' then entries () else expect '}')
  in
  if peek () <> '{' then bad "expected '{'";
  incr at;
  entries ();
  skip_space ();
  match (!descr, !order, !shape) with
  | Some descr, Some order, Some shape when peek () = '\n' && !at + 1 = String.length text -> (descr, order, shape)
  | _ -> bad "not a complete dictionary"

(* kind f, b (numbers with a fraction; b: of 8 bits of exponent), i, u (integers), U, S (texts) *)
type element = { kind : char; width : int; big_endian : bool }

(* As NumPy writes it: byte order, kind, width. Only single bytes may have the order '|'. *)
let element descr what =
  let n = String.length descr in
  let unsupported () =
    malformed "%s: unsupported element type '%s' (float16, float32, float64 and integers are read)" what descr
  in
  if n < 3 || n > 4 then unsupported ();
  let digits = String.sub descr 2 (n - 2) in
  if (not (Numbers.all_digits digits)) || digits.[0] = '0' then unsupported ();
  let big_endian = descr.[0] = '>' in
  match (descr.[0], descr.[1], int_of_string digits) with
  | ('<' | '>'), 'f', ((2 | 4 | 8) as width) | ('<' | '>'), ('i' | 'u'), ((2 | 4 | 8) as width) ->
      { kind = descr.[1]; width; big_endian }
  | ('<' | '>' | '|'), ('i' | 'u'), 1 -> { kind = descr.[1]; width = 1; big_endian }
  | ('<' | '>'), 'U', w when w <= 64 -> { kind = 'U'; width = 4 * w; big_endian }
  | ('<' | '>' | '|'), 'S', w when w <= 64 -> { kind = 'S'; width = w; big_endian }
  | _ -> unsupported ()

(* A number of at most 4 bytes. *)
let load text at width big_endian =
  let value = ref 0 in
  for k = 0 to width - 1 do
    value := (!value lsl 8) lor Char.code text.[at + if big_endian then k else width - 1 - k]
  done;
  !value

let number text at { kind; width; big_endian } =
  if width = 8 then
    let bits = if big_endian then String.get_int64_be text at else String.get_int64_le text at in
    if kind = 'f' then Numbers.of_binary64 bits
    else
      let x = Z.of_int64 bits in
      Numbers.dyadic (if kind = 'u' && Z.sign x < 0 then Z.add x (Z.shift_left Z.one 64) else x) 0
  else
    let bits = load text at width big_endian in
    if kind = 'b' then Numbers.of_bfloat16 bits
    else if kind = 'f' then if width = 4 then Numbers.of_binary32 bits else Numbers.of_binary16 bits
    else
      let half = 1 lsl ((8 * width) - 1) in
      Numbers.dyadic (Z.of_int (if kind = 'i' && bits >= half then bits - (2 * half) else bits)) 0

let text_element data { kind; width; big_endian } what =
  let unit = if kind = 'U' then 4 else 1 in
  let letters =
    List.init (width / unit) (fun k ->
        let code = load data (k * unit) unit big_endian in
        if code >= 128 then malformed "%s: a string that is not ASCII" what;
        Char.chr code)
  in
  let text = String.of_seq (List.to_seq letters) in
  let stop = ref (String.length text) in
  while !stop > 0 && text.[!stop - 1] = '\000' do decr stop done;
  String.sub text 0 !stop

(* Numbers or one text of that shape, which are all of `data`. *)
let table data element ~fortran shape what : Table.t =
  let available = String.length data in
  if Array.length shape > 3 then malformed "%s: more than three dimensions" what;
  let count =
    Array.fold_left
      (fun count extent ->
        if extent = 0 then malformed "%s: an empty array" what;
        if extent > available / count then malformed "%s: the shape asks for more data than the file has" what;
        count * extent)
      1 shape
  in
  if count > available / element.width || count * element.width <> available then
    malformed "%s: the data does not match the shape" what;
  let lengths = if Array.length shape = 3 then Array.make shape.(0) shape.(1) else [||] in
  if element.kind = 'U' || element.kind = 'S' then (
    if count <> 1 then malformed "%s: an array of strings" what;
    { shape; lengths; numbers = [||]; text = Some (text_element data element what) })
  else
    (* The place of row-major entry k when the first index runs fastest. *)
    let place k =
      match (fortran, shape) with
      | true, [| n0; n1 |] -> (k / n1) + (n0 * (k mod n1))
      | true, [| n0; n1; n2 |] -> (k / (n1 * n2)) + (n0 * ((k / n2 mod n1) + (n1 * (k mod n2))))
      | _ -> k
    in
    let numbers = Array.init count (fun k -> number data (place k * element.width) element) in
    { shape; lengths; numbers; text = None }

let read file what : Table.t =
  let size = String.length file in
  if size < 10 || String.sub file 0 6 <> "\x93NUMPY" then malformed "%s: not an npy file" what;
  let version = Char.code file.[6] in
  if version < 1 || version > 3 || file.[7] <> '\000' then malformed "%s: unsupported npy version" what;
  let length_bytes = if version = 1 then 2 else 4 in
  if size < 8 + length_bytes then malformed "%s: npy header is cut off" what;
  let start = 8 + length_bytes in
  let header_size = load file 8 length_bytes false in
  (* NumPy reads headers of at most 10,000 bytes. *)
  if header_size > min (size - start) 10000 then malformed "%s: npy header is cut off or too long" what;
  let descr, fortran, shape = parse_header (String.sub file start header_size) what in
  let data = String.sub file (start + header_size) (size - start - header_size) in
  table data (element descr what) ~fortran shape what
