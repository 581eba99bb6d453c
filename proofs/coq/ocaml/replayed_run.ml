(* What claims about runs that are replayed number by number share: bands, and checkpoints at increasing steps. Such a
   replay has as many bits as its claim says and `spare` ones: a guess that nothing trusts. *)

open Kind

(* Between what two numbers a number of the run is said to be. *)
let bounds line =
  let lo = fraction line in
  (lo, fraction line)

let band line name =
  Line.expect line name;
  bounds line

let perhaps_band line name = if Line.accept line name then Some (bounds line) else None

(* `count` checkpoints; `read` is given the line after "checkpoint T", and T. *)
let read_list text count read =
  let rec go k last =
    if k = count then []
    else
      let line = next text in
      Line.expect line "checkpoint";
      let at = Line.index line in
      let checkpoint = read line at in
      Line.finish line;
      if at <= last then Line.bad line "checkpoints increase";
      checkpoint :: go (k + 1) at
  in
  go 0 (-1)

(* "checkpoints N bits B" and the checkpoints of a run of so many steps: these, and the bits of the replay. *)
let read_checkpoints text ~spare ~steps read =
  let line = next text in
  Line.expect line "checkpoints";
  let count = Line.index line in
  Line.expect line "bits";
  let bits = Line.index line in
  Line.finish line;
  if bits < 64 || bits > 65536 then Line.bad line "bits are from 64 to 65536";
  let read line at =
    if at > steps then Line.bad line "a checkpoint after the last step";
    read line at
  in
  (read_list text count read, Integer.of_int (bits + spare))

(* ---- in words ---- *)

let band_words name (lo, hi) = [ name; shown lo; shown hi ]
let perhaps_words name = function Some band -> band_words name band | None -> []

let print_checkpoints page ~spare checkpoints precision words =
  let bits = Integer.sub precision (Integer.of_int spare) in
  page.print [ "checkpoints"; count (List.length checkpoints); "bits"; Integer.to_string bits ];
  List.iter (fun checkpoint -> page.print (words checkpoint)) checkpoints
