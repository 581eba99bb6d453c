(* Zip archives (PKWARE's APPNOTE 6.3, sections 4.3.7 to 4.3.16; zip64): the members' names and contents.

   An archive has one reading (certify/INSTANCES.md, "One file, one dataset"): members from the first byte on, one after
   the other, their directory, one end record without a comment, and headers that say the same. *)

open Stop

type header = {
  name : string; flags : int; meth : int; crc : int; compressed : int; size : int; offset : int;
  zip64 : bool;
  stop : int;  (* behind name and extra fields *)
}

let huge = 1 lsl 60

(* Little-endian; 8-byte values beyond `huge` are cut to it: no place in a file is as far, no size as large. *)
let load text at bytes =
  let value = ref 0 in
  for k = bytes - 1 downto 0 do
    let byte = Char.code text.[at + k] in
    value := if k >= 7 && byte > 15 then huge else if !value >= huge lsr 8 then huge else (!value lsl 8) lor byte
  done;
  !value

let saturated = 0xffffffff (* the value stands in the zip64 extra field *)
let described = 8 (* flag: checksum and sizes follow the data, the local header has 0 *)

(* A file's bytes; `bad` ends the reading: it says what is wrong at a place. *)
type file = {
  text : string;
  path : string;
  bad : 'a 'b. int -> ('a, unit, string, 'b) format4 -> 'a;
  number : int -> int -> int;  (* at a place, of so many bytes *)
  slice : int -> int -> string  (* likewise *)
}

let file_of text path =
  let bad at fmt = Printf.ksprintf (fun why -> malformed "%s: byte %d: not a valid zip archive: %s" path at why) fmt in
  let length = String.length text in
  let number at bytes =
    if at < 0 || at > length - bytes then bad at "a field or member lies outside the file" else load text at bytes
  in
  let slice at count =
    if at < 0 || count < 0 || at > length || count > length - at then bad at "a field or member lies outside the file"
    else String.sub text at count
  in
  { text; path; bad; number; slice }

(* Sizes and offset of a member whose 4-byte fields are saturated stand in its zip64 extra field; local headers repeat
   both sizes there, saturated or not. *)
let rec extra_fields ({ bad; number; _ } as file) at ~central header =
  if at = header.stop then (
    if (not header.zip64) && List.mem saturated [ header.size; header.compressed; header.offset ] then
      bad at "no zip64 field";
    header)
  else (
    let left = header.stop - at - 4 in
    if left < 0 || number (at + 2) 2 > left then bad at "an extra field is cut off";
    let id = number at 2 and next = at + 4 + number (at + 2) 2 in
    if id = 0x7075 then bad at "a second name of the member";
    if id <> 1 then extra_fields file next ~central header
    else (
      if header.zip64 then bad at "a second zip64 field";
      let field = ref (at + 4) in
      let take old =
        if central && old <> saturated then old
        else (
          if next - !field < 8 then bad at "a zip64 field is cut off";
          let wide = number !field 8 in
          if old <> saturated && old <> wide then bad at "a zip64 field disagrees with its header";
          field := !field + 8;
          wide)
      in
      let size = take header.size in
      let compressed = take header.compressed in
      let offset = if central then take header.offset else 0 in
      if !field <> next then bad at "a zip64 field is too long";
      extra_fields file next ~central { header with size; compressed; offset; zip64 = true }))

(* A local header, or one of the directory, which has two bytes more before the fields that both have. *)
let header ({ bad; number; slice; _ } as file) at ~central =
  if number at 4 <> if central then 0x02014b50 else 0x04034b50 then bad at "a header expected";
  let shared = at + if central then 6 else 4 and name_at = at + if central then 46 else 30 in
  let name = slice name_at (number (shared + 22) 2) in
  let extra_at = name_at + String.length name in
  let flags = number (shared + 2) 2 in
  if number shared 2 > 45 then bad shared "a version later than 4.5 is needed";
  if flags land lnot (described lor 0x806) <> 0 then bad (shared + 2) "encrypted, or an unknown flag";
  if central && number (at + 32) 4 <> 0 then bad (at + 32) "a comment or a second disk";
  let stop = extra_at + number (shared + 24) 2 in
  ignore (slice extra_at (stop - extra_at));
  extra_fields file extra_at ~central
    { name; flags; meth = number (shared + 4) 2; crc = number (shared + 10) 4; compressed = number (shared + 14) 4;
      size = number (shared + 18) 4; offset = (if central then number (at + 42) 4 else 0); zip64 = false; stop }

(* The directory: how many members it lists, from where to where. *)
type directory = { count : int; start : int; stop : int }

(* Where the end record begins, 22 bytes before the end of the file. *)
let end_record { text; bad; number; _ } =
  let length = String.length text in
  if length < 22 then bad 0 "too short";
  let last = length - 22 in
  if number last 4 <> 0x06054b50 || number (last + 20) 2 <> 0 then
    bad last "no end record without a comment at the end of the file";
  for at = max 0 (last - 65535) to last - 1 do
    if text.[at] = 'P' && number at 4 = 0x06054b50 && number (at + 20) 2 = last - at then
      bad at "a second end record"
  done;
  last

(* The zip64 end record and its locator stand before the other, if there are any, and have the wide values. *)
let directory_of ({ bad; number; _ } as file) =
  let last = end_record file in
  let count = number (last + 10) 2 and size = number (last + 12) 4 and start = number (last + 16) 4 in
  if number (last + 4) 4 <> 0 || number (last + 8) 2 <> count then bad (last + 4) "split over several disks";
  let count, size, start, stop =
    if last >= 76 && number (last - 20) 4 = 0x07064b50 then (
      let stop = last - 76 in
      let wide_count = number (stop + 32) 8 in
      let wide_size = number (stop + 40) 8 and wide_start = number (stop + 48) 8 in
      if number stop 4 <> 0x06064b50 || number (stop + 4) 8 <> 44 || number (stop + 16) 8 <> 0
         || number (stop + 24) 8 <> wide_count
         || number (last - 16) 4 <> 0
         || number (last - 12) 8 <> stop
         || number (last - 4) 4 <> 1
         || (count <> 0xffff && count <> wide_count)
         || (size <> saturated && size <> wide_size)
         || (start <> saturated && start <> wide_start)
      then bad stop "the zip64 end record disagrees with what follows it";
      (wide_count, wide_size, wide_start, stop))
    else (count, size, start, last)
  in
  if start > stop || size <> stop - start then bad stop "the directory does not end at the end record";
  { count; start; stop }

(* The content of the member whose data begin at `at`. *)
let content { path; bad; slice; _ } m at =
  let data = slice at m.compressed in
  let content =
    match m.meth with
    | 0 -> if m.size <> m.compressed then bad at "the sizes of %s disagree" m.name else data
    | 8 -> Compressed.inflate_raw data m.size (Printf.sprintf "%s: byte %d: %s" path at m.name)
    | meth -> bad at "%s uses compression method %d" m.name meth
  in
  let sum = Compressed.crc (Bytes.unsafe_of_string content) (String.length content) 0l in
  if Int32.to_int sum land 0xffffffff <> m.crc then bad at "%s fails its checksum" m.name;
  content

(* Where a member ends whose data end at `at`: behind the repetition of its checksum and sizes, if there is one. *)
let after_description { bad; number; _ } m ~wide at =
  if m.flags land described = 0 then at
  else
    let width = if wide then 8 else 4 in
    if number at 4 <> 0x08074b50 || number (at + 4) 4 <> m.crc || number (at + 8) width <> m.compressed
       || number (at + 8 + width) width <> m.size
    then bad at "what follows the data disagrees with the directory";
    at + 8 + (2 * width)

(* The header of the member at `next`, of which the directory has the header m. *)
let local_header ({ bad; _ } as file) m next =
  if m.offset <> next then bad next "the directory says that %s begins elsewhere" m.name;
  let local = header file next ~central:false in
  let stated = if m.flags land described = 0 then (m.crc, m.size, m.compressed) else (0, 0, 0) in
  if local.name <> m.name || local.flags <> m.flags || local.meth <> m.meth
     || (local.crc, local.size, local.compressed) <> stated
  then bad next "the headers of %s disagree" m.name;
  local

let read text path =
  let ({ bad; _ } as file) = file_of text path in
  let { count; start; stop } = directory_of file in
  let total = ref 0 and seen = Hashtbl.create 16 in
  (* The members from number k on; `at` is the place in the directory, `next` that of the member. *)
  let rec members k at next found =
    if k = count then (
      if next <> start then bad next "bytes between the members and the directory";
      if at <> stop then bad at "bytes between the directory and the end record";
      List.rev found)
    else (
      let m = header file at ~central:true in
      let local = local_header file m next in
      if Hashtbl.mem seen m.name then bad at "duplicate member %s" m.name;
      Hashtbl.add seen m.name ();
      total := !total + min m.size (1 lsl 48);
      if !total > Compressed.limit (String.length text) then too_large "%s: decompresses to too many bytes" path;
      let found = (m.name, content file m local.stop) :: found in
      members (k + 1) m.stop (after_description file m ~wide:local.zip64 (local.stop + m.compressed)) found)
  in
  members 0 start 0 []
