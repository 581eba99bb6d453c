(* Zip archives (PKWARE's APPNOTE 6.3, sections 4.3.7 to 4.3.16; zip64): the members' names and contents. *)

open Stop

type member = { name : string; flags : int; meth : int; crc : int; compressed : int; size : int; offset : int }

let huge = 1 lsl 60

(* Little-endian; 8-byte values beyond `huge` are cut to it. *)
let load text at bytes =
  let value = ref 0 in
  for k = bytes - 1 downto 0 do
    let byte = Char.code text.[at + k] in
    value := if k >= 7 && byte > 15 then huge else if !value >= huge lsr 8 then huge else (!value lsl 8) lor byte
  done;
  !value

let read file path =
  let bad fmt = Printf.ksprintf (fun why -> malformed "%s: not a valid zip archive: %s" path why) fmt in
  let length = String.length file in
  let number at bytes = if at < 0 || at > length - bytes then bad "a field lies outside the file" else load file at bytes in
  let slice at count =
    if at < 0 || count < 0 || at > length || count > length - at then bad "a member lies outside the file"
    else String.sub file at count
  in
  if length < 22 then bad "too short";
  let last = length - 22 in
  let rec end_record at =
    if at < 0 || at < last - 65535 then bad "no end record"
    else if number at 4 = 0x06054b50 && number (at + 20) 2 = last - at then at
    else end_record (at - 1)
  in
  let stop = end_record last in
  let count = number (stop + 10) 2 and size = number (stop + 12) 4 and start = number (stop + 16) 4 in
  if number (stop + 4) 2 <> 0 || number (stop + 6) 2 <> 0 || number (stop + 8) 2 <> count then bad "split over several disks";
  let count, size, start =
    if count = 0xffff || size = 0xffffffff || start = 0xffffffff then (
      if stop < 20 || number (stop - 20) 4 <> 0x07064b50 then bad "no zip64 locator";
      let wide = number (stop - 12) 8 in
      if number wide 4 <> 0x06064b50 then bad "no zip64 end record";
      (number (wide + 32) 8, number (wide + 40) 8, number (wide + 48) 8))
    else (count, size, start)
  in
  if count > length / 46 then bad "more members than the file can hold";
  ignore (slice start size);
  (* Sizes and offset of a member whose 4-byte fields are full stand in its zip64 extra field. *)
  let rec wide_fields extra member =
    if String.length extra < 4 then member
    else
      let id = load extra 0 2 and size = load extra 2 2 in
      let rest = String.length extra - 4 in
      if size > rest then bad "an extra field is cut off"
      else if id <> 1 then wide_fields (String.sub extra (4 + size) (rest - size)) member
      else
        let at = ref 4 in
        let take old =
          if old <> 0xffffffff then old
          else if !at + 8 > 4 + size then bad "a zip64 field is cut off"
          else (
            at := !at + 8;
            load extra (!at - 8) 8)
        in
        let size = take member.size in
        let compressed = take member.compressed in
        let offset = take member.offset in
        { member with size; compressed; offset }
  in
  let rec members k at =
    if k = count then []
    else (
      if number at 4 <> 0x02014b50 then bad "a damaged central directory";
      let name_size = number (at + 28) 2 and extra_size = number (at + 30) 2 in
      let member =
        wide_fields
          (slice (at + 46 + name_size) extra_size)
          { name = slice (at + 46) name_size; flags = number (at + 8) 2; meth = number (at + 10) 2; crc = number (at + 16) 4;
            compressed = number (at + 20) 4; size = number (at + 24) 4; offset = number (at + 42) 4 }
      in
      member :: members (k + 1) (at + 46 + name_size + extra_size + number (at + 32) 2))
  in
  let spans = ref [] and total = ref 0 and seen = Hashtbl.create 16 in
  let contents m =
    if Hashtbl.mem seen m.name then malformed "%s: duplicate member %s" path m.name;
    Hashtbl.add seen m.name ();
    if m.flags land 1 <> 0 then bad "%s is encrypted" m.name;
    if m.offset > length || number m.offset 4 <> 0x04034b50 then bad "no local header for %s" m.name;
    let name_size = number (m.offset + 26) 2 in
    let start = m.offset + 30 + name_size + number (m.offset + 28) 2 in
    if slice (m.offset + 30) name_size <> m.name || number (m.offset + 8) 2 <> m.meth then
      bad "the headers of %s disagree" m.name;
    let data = slice start m.compressed in
    spans := (m.offset, start + m.compressed) :: !spans;
    total := !total + min m.size (1 lsl 48);
    if !total > Compressed.limit length then too_large "%s: decompresses to too many bytes" path;
    let content =
      match m.meth with
      | 0 -> if m.size <> m.compressed then bad "the sizes of %s disagree" m.name else data
      | 8 -> Compressed.inflate_raw data m.size (path ^ ": " ^ m.name)
      | meth -> bad "%s uses compression method %d" m.name meth
    in
    let sum = Compressed.crc (Bytes.unsafe_of_string content) (String.length content) 0l in
    if Int32.to_int sum land 0xffffffff <> m.crc then bad "%s fails its checksum" m.name;
    (m.name, content)
  in
  let result = List.map contents (members 0 start) in
  let rec apart = function
    | (_, stop) :: ((start, _) :: _ as rest) -> if start < stop then bad "members overlap" else apart rest
    | _ -> ()
  in
  apart (List.sort compare !spans);
  result
