(* Reading the certificate text (GRAMMAR.md section 1): lines and tokens. Every reading function takes the next token of
   its line and is malformed (exit 2) when the token does not have the form asked for. *)

open Stop

type t = { text : string; number : int; mutable at : int }

let bad line fmt = Printf.ksprintf (fun why -> malformed "line %d: %s" line.number why) fmt
let at_end line = line.at > String.length line.text

let peek line =
  if at_end line then ""
  else
    let stop = Option.value (String.index_from_opt line.text line.at ' ') ~default:(String.length line.text) in
    String.sub line.text line.at (stop - line.at)

let take line =
  if at_end line then bad line "the line ends too early";
  let token = peek line in
  if token = "" then bad line "tokens must be separated by single spaces";
  line.at <- line.at + String.length token + 1;
  token

let word = take

let accept line word =
  if peek line = word && word <> "" then (
    ignore (take line);
    true)
  else false

let expect line word =
  if not (accept line word) then bad line "expected \"%s\" instead of \"%s\"" word (Numbers.short (peek line))

let finish line = if not (at_end line) then bad line "unexpected \"%s\"" (Numbers.short (peek line))

(* One of some words. *)
let one_word line what words =
  let word = word line in
  if not (List.mem word words) then bad line "unknown %s %s" what word;
  word

(* The last of the line. *)
let one_of line what words =
  let word = one_word line what words in
  finish line;
  word

let parse_index line token =
  let n = String.length token in
  if (not (Numbers.all_digits token)) || n > 18 || (n > 1 && token.[0] = '0') then bad line "expected an index";
  int_of_string token

let index line = parse_index line (take line)

let parse_integer line token =
  let negative = token <> "" && token.[0] = '-' in
  let digits = if negative then Numbers.after token 1 else token in
  if (not (Numbers.all_digits digits)) || (digits.[0] = '0' && String.length token > 1) then
    bad line "expected an integer";
  let x = Numbers.of_digits digits in
  if negative then Z.neg x else x

let integer line =
  parse_integer line (take line)

let rational line =
  let token = take line in
  match (Numbers.find token "*2^", String.index_opt token '/') with
  | Some star, _ ->
      let mantissa = parse_integer line (String.sub token 0 star) in
      let tail = Numbers.after token (star + 3) in
      if String.length tail > 6 then bad line "an exponent beyond 65536";
      let exponent = Z.to_int (parse_integer line tail) in
      if exponent = 0 || abs exponent > Numbers.max_exponent then bad line "an exponent of 0 or beyond 65536";
      if Z.is_even mantissa then bad line "the mantissa of m*2^e must be odd";
      Numbers.dyadic mantissa exponent
  | None, Some slash ->
      let p = parse_integer line (String.sub token 0 slash) in
      let q = parse_integer line (Numbers.after token (slash + 1)) in
      if Z.lt q (Z.of_int 2) || not (Z.equal (Z.gcd p q) Z.one) then
        bad line "a fraction must be in lowest terms with a denominator of at least 2";
      Numbers.ratio p q
  | None, None -> Numbers.dyadic (parse_integer line token) 0

let denominator line =
  let token = take line in
  let power = String.length token >= 2 && String.sub token 0 2 = "2^" in
  let value =
    if power then (
      if String.length token > 7 then bad line "an exponent beyond 65536";
      let exponent = parse_integer line (Numbers.after token 2) in
      if Z.sign exponent < 0 || Z.gt exponent (Z.of_int Numbers.max_exponent) then bad line "an exponent beyond 65536";
      Z.shift_left Z.one (Z.to_int exponent))
    else parse_integer line token
  in
  if Z.sign value <= 0 then bad line "a denominator must be positive";
  value

(* The text of a certificate, line by line. *)
type source = { path : string; content : string; stopped : exn option; mutable place : int; mutable lines : int }

let max_line = 1 lsl 26

let source path =
  let content, stopped = Compressed.text path in
  { path; content; stopped; place = 0; lines = 0 }

let next source =
  match String.index_from_opt source.content source.place '\n' with
  | None ->
      Option.iter raise source.stopped;
      malformed "%s: line %d: the certificate ends without its end line" source.path (source.lines + 1)
  | Some stop ->
      if stop - source.place > max_line then malformed "line %d: longer than 2^26 bytes" (source.lines + 1);
      let text = String.sub source.content source.place (stop - source.place) in
      source.place <- stop + 1;
      source.lines <- source.lines + 1;
      let line = { text; number = source.lines; at = 0 } in
      String.iter (fun c -> if c < ' ' || c > '~' then bad line "a byte that is not printable ASCII") text;
      if peek line = "" then bad line "an empty line or a leading space";
      line

let finish_source source =
  if source.place < String.length source.content then malformed "%s: text after the end line" source.path;
  Option.iter raise source.stopped
