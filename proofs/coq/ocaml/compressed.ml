(* Bytes from files: plain, gzip-compressed, and deflated members of zip archives, with limits against decompression
   bombs. *)

open Stop

(* How many bytes `size` compressed bytes may decompress to. *)
let limit size = (1 lsl 28) + (64 * size)

let read_file path =
  try
    if Sys.is_directory path then malformed "%s: is a directory" path;
    let channel = open_in_bin path in
    Fun.protect
      ~finally:(fun () -> close_in_noerr channel)
      (fun () ->
        let content = Buffer.create 65536 in
        let block = Bytes.create 65536 in
        let rec copy () =
          let n = input channel block 0 65536 in
          if n > 0 then (
            Buffer.add_subbytes content block 0 n;
            copy ())
        in
        copy ();
        Buffer.contents content)
  with Sys_error _ -> malformed "%s: cannot be read" path

exception Damaged

(* Inflates a raw stream that starts at `from`; sends every piece to `emit` (bytes, count) and returns where it ended.
   *)
let inflate content from emit =
  let stream = Zlib.inflate_init false in
  let output = Bytes.create 65536 in
  let size = String.length content in
  let rec go at =
    let finished, used, produced =
      try Zlib.inflate_string stream content at (size - at) output 0 65536 Zlib.Z_NO_FLUSH
      with Zlib.Error _ -> raise Damaged
    in
    emit output produced;
    if finished then at + used
    else if used = 0 && produced = 0 then raise Damaged
    else go (at + used)
  in
  Fun.protect ~finally:(fun () -> Zlib.inflate_end stream) (fun () -> go from)

(* A deflated zip member that must decompress to exactly `size` bytes and end with the input. *)
let inflate_raw deflated size what =
  let damaged () = malformed "%s: damaged compressed data" what in
  let given = String.length deflated in
  if size > limit given then too_large "%s: decompresses to too many bytes" what;
  if size / 1032 > given + 1 then malformed "%s: cannot decompress to the size it states" what;
  let content = Buffer.create size in
  let emit bytes n =
    if Buffer.length content + n > size then damaged ();
    Buffer.add_subbytes content bytes 0 n
  in
  let stop = try inflate deflated 0 emit with Damaged -> damaged () in
  if stop <> given || Buffer.length content <> size then damaged ();
  Buffer.contents content

let is_gzip content = String.length content >= 2 && content.[0] = '\x1f' && content.[1] = '\x8b'

let crc bytes n start = Zlib.update_crc start bytes 0 n

(* Text of a file that may be gzip-compressed. When the compressed data are damaged: what precedes the damage, and the
   reason to stop there. *)
let text path : string * exn option =
  let content = read_file path in
  if not (is_gzip content) then (content, None)
  else
    let size = String.length content in
    let out = Buffer.create (4 * size) in
    let damaged () = malformed "%s: damaged compressed data" path in
    let byte at = if at < size then Char.code content.[at] else malformed "%s: the compressed data is cut off" path in
    let word at = byte at lor (byte (at + 1) lsl 8) in
    let unzip () =
      let flags = byte 3 in
      if byte 2 <> 8 || flags land 0xe0 <> 0 then damaged ();
      let at = ref 10 in
      let skip_text () =
        while byte !at <> 0 do incr at done;
        incr at
      in
      if flags land 4 <> 0 then at := !at + 2 + word !at;
      if flags land 8 <> 0 then skip_text ();
      if flags land 16 <> 0 then skip_text ();
      if flags land 2 <> 0 then (
        let sum = crc (Bytes.unsafe_of_string content) !at 0l in
        if Int32.to_int sum land 0xffff <> word !at then damaged ();
        at := !at + 2);
      if !at > size then damaged ();
      let sum = ref 0l in
      let emit bytes n =
        sum := crc bytes n !sum;
        Buffer.add_subbytes out bytes 0 n;
        if Buffer.length out > limit size then too_large "%s: decompresses to too many bytes" path
      in
      let stop = try inflate content !at emit with Damaged -> damaged () in
      let number at = word at lor (word (at + 2) lsl 16) in
      if number stop <> Int32.to_int !sum land 0xffffffff then damaged ();
      if number (stop + 4) <> Buffer.length out land 0xffffffff then damaged ();
      if stop + 8 <> size then malformed "%s: byte %d: bytes after the end of the compressed data" path (stop + 8)
    in
    match unzip () with
    | () -> (Buffer.contents out, None)
    | exception (Stop _ as stop) -> (Buffer.contents out, Some stop)
