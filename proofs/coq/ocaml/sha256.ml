(* SHA-256 (FIPS 180-4) of a text that arrives in pieces. *)

let constants =
  [| 0x428a2f98; 0x71374491; 0xb5c0fbcf; 0xe9b5dba5; 0x3956c25b; 0x59f111f1; 0x923f82a4; 0xab1c5ed5;
     0xd807aa98; 0x12835b01; 0x243185be; 0x550c7dc3; 0x72be5d74; 0x80deb1fe; 0x9bdc06a7; 0xc19bf174;
     0xe49b69c1; 0xefbe4786; 0x0fc19dc6; 0x240ca1cc; 0x2de92c6f; 0x4a7484aa; 0x5cb0a9dc; 0x76f988da;
     0x983e5152; 0xa831c66d; 0xb00327c8; 0xbf597fc7; 0xc6e00bf3; 0xd5a79147; 0x06ca6351; 0x14292967;
     0x27b70a85; 0x2e1b2138; 0x4d2c6dfc; 0x53380d13; 0x650a7354; 0x766a0abb; 0x81c2c92e; 0x92722c85;
     0xa2bfe8a1; 0xa81a664b; 0xc24b8b70; 0xc76c51a3; 0xd192e819; 0xd6990624; 0xf40e3585; 0x106aa070;
     0x19a4c116; 0x1e376c08; 0x2748774c; 0x34b0bcb5; 0x391c0cb3; 0x4ed8aa4a; 0x5b9cca4f; 0x682e6ff3;
     0x748f82ee; 0x78a5636f; 0x84c87814; 0x8cc70208; 0x90befffa; 0xa4506ceb; 0xbef9a3f7; 0xc67178f2 |]

type t = { state : int array; pending : Buffer.t; mutable length : int; schedule : int array }

let create () =
  { state = [| 0x6a09e667; 0xbb67ae85; 0x3c6ef372; 0xa54ff53a; 0x510e527f; 0x9b05688c; 0x1f83d9ab; 0x5be0cd19 |];
    pending = Buffer.create 65536; length = 0; schedule = Array.make 64 0 }

let mask = 0xffffffff

(* Indices below are those of the loops, within arrays of 64 entries. *)
let entry = Array.unsafe_get

(* A word twice in a row: shifted to the right by n <= 25, its low 32 bits are the word rotated by n. *)
let twice x = x lor (x lsl 32)

let block hash text at =
  let w = hash.schedule and h = hash.state in
  for t = 0 to 15 do
    w.(t) <- Int32.to_int (String.get_int32_be text (at + (4 * t))) land mask
  done;
  for t = 16 to 63 do
    let a = entry w (t - 15) and b = entry w (t - 2) in
    let aa = twice a and bb = twice b in
    let s0 = (((aa lsr 7) lxor (aa lsr 18)) land mask) lxor (a lsr 3) in
    let s1 = (((bb lsr 17) lxor (bb lsr 19)) land mask) lxor (b lsr 10) in
    w.(t) <- (entry w (t - 16) + s0 + entry w (t - 7) + s1) land mask
  done;
  let a = ref h.(0) and b = ref h.(1) and c = ref h.(2) and d = ref h.(3) in
  let e = ref h.(4) and f = ref h.(5) and g = ref h.(6) and k = ref h.(7) in
  for t = 0 to 63 do
    let aa = twice !a and ee = twice !e in
    let s1 = ((ee lsr 6) lxor (ee lsr 11) lxor (ee lsr 25)) land mask in
    let choice = !g lxor (!e land (!f lxor !g)) in
    let t1 = !k + s1 + choice + entry constants t + entry w t in
    let s0 = ((aa lsr 2) lxor (aa lsr 13) lxor (aa lsr 22)) land mask in
    let majority = (!a land !b) lor (!c land (!a lor !b)) in
    k := !g; g := !f; f := !e;
    e := (!d + t1) land mask;
    d := !c; c := !b; b := !a;
    a := (t1 + s0 + majority) land mask
  done;
  List.iteri (fun j x -> h.(j) <- (h.(j) + x) land mask) [ !a; !b; !c; !d; !e; !f; !g; !k ]

let flush hash =
  let text = Buffer.contents hash.pending in
  let whole = String.length text / 64 in
  for k = 0 to whole - 1 do block hash text (64 * k) done;
  Buffer.clear hash.pending;
  Buffer.add_substring hash.pending text (64 * whole) (String.length text - (64 * whole))

(* Hashes what `write` appends to a buffer. *)
let add_written hash write =
  let before = Buffer.length hash.pending in
  write hash.pending;
  hash.length <- hash.length + Buffer.length hash.pending - before;
  if Buffer.length hash.pending > 60000 then flush hash

let add hash text = add_written hash (fun out -> Buffer.add_string out text)

let hex hash =
  let bits = 8 * hash.length in
  Buffer.add_char hash.pending '\x80';
  while Buffer.length hash.pending mod 64 <> 56 do Buffer.add_char hash.pending '\x00' done;
  Buffer.add_int64_be hash.pending (Int64.of_int bits);
  flush hash;
  String.concat "" (List.map (Printf.sprintf "%08x") (Array.to_list hash.state))
