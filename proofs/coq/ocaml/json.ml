(* A strict reader of instance files in JSON (RFC 8259): one object whose values are strings, numbers or nested lists of
   numbers. *)

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
        if (tails = 2 && c < 0x800) || (tails = 3 && (c < 0x10000 || c > 0x10ffff)) || (c >= 0xd800 && c <= 0xdfff) then bad ();
        go (at + 1 + tails)
  in
  go 0

let read text path : (string * Table.t) list =
  check_utf8 text path;
  let n = String.length text in
  let at = ref 0 and key = ref "" in
  let bad fmt =
    Printf.ksprintf (fun why -> malformed "%s%s: byte %d: %s" path (if !key = "" then "" else ": key " ^ !key) !at why) fmt
  in
  let peek () = if !at < n then text.[!at] else '\000' in
  let take c = if !at < n && text.[!at] = c then (incr at; true) else false in
  let expect c = if not (take c) then bad "expected '%c'" c in
  let rec skip_space () = match peek () with ' ' | '\n' | '\r' | '\t' -> incr at; skip_space () | _ -> () in
  let hex4 () =
    if n - !at < 4 then bad "an escape that is cut off";
    let digits = String.sub text !at 4 in
    String.iter (fun c -> if not (Numbers.is_hex_digit c) then bad "an escape that is not hexadecimal") digits;
    at := !at + 4;
    int_of_string ("0x" ^ digits)
  in
  let escape out =
    if !at >= n then bad "an escape that is cut off";
    let c = text.[!at] in
    incr at;
    match c with
    | '"' | '\\' | '/' -> Buffer.add_char out c
    | 'b' -> Buffer.add_char out '\b'
    | 'f' -> Buffer.add_char out '\012'
    | 'n' -> Buffer.add_char out '\n'
    | 'r' -> Buffer.add_char out '\r'
    | 't' -> Buffer.add_char out '\t'
    | 'u' ->
        let code = hex4 () in
        let code =
          if code >= 0xd800 && code < 0xdc00 then (
            if not (take '\\' && take 'u') then bad "half a surrogate pair";
            let low = hex4 () in
            if low < 0xdc00 || low > 0xdfff then bad "half a surrogate pair";
            0x10000 + ((code - 0xd800) lsl 10) + (low - 0xdc00))
          else if code >= 0xdc00 && code <= 0xdfff then bad "half a surrogate pair"
          else code
        in
        Buffer.add_utf_8_uchar out (Uchar.of_int code)
    | _ -> bad "an unknown escape"
  in
  let quoted () =
    expect '"';
    let out = Buffer.create 16 in
    let rec go () =
      if !at >= n then bad "a string that is cut off";
      let c = text.[!at] in
      incr at;
      if c = '"' then Buffer.contents out
      else (
        if Char.code c < 0x20 then bad "a control character in a string";
        if c = '\\' then escape out else Buffer.add_char out c;
        go ())
    in
    go ()
  in
  let number () =
    try
      if peek () = '"' then Numbers.of_text (quoted ())
      else
        let start = !at in
        while !at < n && String.contains "+-.0123456789eE" text.[!at] do incr at done;
        if !at = start then bad "expected a number";
        Numbers.of_json_number (String.sub text start (!at - start))
    with Stop (2, why) -> bad "%s" why
  in
  let value () : Table.t =
    skip_space ();
    if peek () = '"' then { shape = [||]; lengths = [||]; numbers = [||]; text = Some (quoted ()) }
    else
      let numbers = ref [] and depth = ref (-1) and top = ref 0 and lengths = ref [] and width = ref 0 in
      (* A number at nesting level `level` (the first fixes the depth of all), or a list one level deeper. *)
      let rec element level =
        skip_space ();
        if peek () <> '[' then (
          if !depth < 0 then depth := level;
          if level <> !depth then bad "lists of uneven depth";
          numbers := number () :: !numbers)
        else (
          if level = 3 then bad "lists nested more than three deep";
          expect '[';
          skip_space ();
          if peek () = ']' then bad "an empty list";
          let count = elements level 0 in
          expect ']';
          if level = 0 then top := count
          else if level + 1 < !depth then lengths := count :: !lengths
          else (
            if !width = 0 then width := count;
            if !width <> count then bad "rows of different lengths"))
      and elements level count =
        element (level + 1);
        skip_space ();
        if take ',' then elements level (count + 1) else count + 1
      in
      element 0;
      let lengths = Array.of_list (List.rev !lengths) in
      let shape =
        match !depth with
        | 0 -> [||]
        | 1 -> [| !top |]
        | 2 -> [| !top; !width |]
        | _ -> [| !top; Array.fold_left max 0 lengths; !width |]
      in
      { shape; lengths = (if !depth = 3 then lengths else [||]); numbers = Array.of_list (List.rev !numbers); text = None }
  in
  let rec members found =
    skip_space ();
    key := quoted ();
    if List.mem_assoc !key found then bad "duplicate key";
    skip_space ();
    expect ':';
    let name = !key in
    let found = (name, value ()) :: found in
    skip_space ();
    if take ',' then members found else (expect '}'; found)
  in
  skip_space ();
  expect '{';
  skip_space ();
  let found = if take '}' then [] else members [] in
  skip_space ();
  if !at <> n then bad "text after the object";
  found
