(* Claims in the tokens of the instance, as they are read and printed, and in those of the data that Coq's checker is
   given, where equal tokens of a group are one: the first stands for them, and they are numbered in its order
   (EqualTokens.v). *)

open Verified

(* Per group the instance's tokens that stand for those of the data, as Coq has them. *)
type t = { standing : int array array; presence : bool list list; merged : bool (* were any equal? *) }

let of_source (source : Coq_data.source) =
  let instance = Coq_data.instance source in
  let standing =
    match source with
    | Text { text = { text_embeddings = None; _ }; _ } -> List.map (List.mapi (fun t _ -> t)) instance.tokens
    | _ -> representatives integers (token_data_of integers instance)
  in
  let presence =
    List.map2
      (fun tokens standing ->
        let present = Array.make (List.length tokens) false in
        List.iter (fun t -> present.(t) <- true) standing;
        Array.to_list present)
      instance.tokens standing
  in
  { standing = Array.of_list (List.map Array.of_list standing); presence;
    merged = List.exists (List.mem false) presence }

let different equal = List.map Array.length (Array.to_list equal.standing)

(* The instance's token for one of the data. *)
let token equal group t = equal.standing.(group).(t)

(* The way back; the readers let only tokens pass that stand for themselves. *)
let place equal group t =
  let rec search low high =
    if low >= high then failwith (Printf.sprintf "group %d: token %d is not in the data" group t)
    else
      let middle = (low + high) / 2 in
      let found = equal.standing.(group).(middle) in
      if found = t then middle else if found < t then search (middle + 1) high else search low middle
  in
  search 0 (Array.length equal.standing.(group))

(* How one numbering becomes the other, in what claims have of tokens: a token of a group; a mask, a vector and
   ratios over all groups; a vector over some of them. Tokens that are not in the data are in no mask and have the
   entry 0. *)
type change = {
  token_of : int -> int -> int;
  mask : bool list list -> bool list list;
  vector : vector -> vector;
  ratios : fraction option list list -> fraction option list list;
  part : int list -> vector -> vector
}

(* `entries` changes the entries of a group, those that are not in the data have the entry given. *)
type entries = { change : 'a. 'a -> bool list -> 'a list -> 'a list }

let change equal token_of { change } =
  let over presence (v : vector) =
    { v with numerators = List.map2 (change (Coq_data.carrier Integer.zero)) presence v.numerators }
  in
  let presence = Array.of_list equal.presence in
  { token_of; mask = List.map2 (change false) equal.presence; vector = over equal.presence;
    ratios = List.map2 (change None) equal.presence;
    part = (fun groups -> over (List.map (Array.get presence) groups)) }

let kept _ presence row =
  if List.length row <> List.length presence then failwith "a row does not fit its group";
  List.concat (List.map2 (fun present a -> if present then [ a ] else []) presence row)

let to_data equal = change equal (place equal) { change = kept }

let rec fill absent presence row =
  match (presence, row) with
  | [], [] -> []
  | true :: presence, a :: row -> a :: fill absent presence row
  | false :: presence, row -> absent :: fill absent presence row
  | _ -> failwith "a row does not fit its group"

let to_instance equal = change equal (token equal) { change = fill }

(* ---- problems ---- *)

(* A problem in the other numbering; of an instance without equal tokens it stays what it is. *)
let change_problem equal change (p : posed) =
  if not equal.merged then p
  else
    let tokens group = List.map (change.token_of group) in
    let posing_of = match p.posing_of with SelectedSets sets -> SelectedSets (List.mapi tokens sets) | other -> other in
    { posing_of; selected_tokens = List.mapi change.token_of p.selected_tokens }

(* The claims of a problem: the decoder's has two tokens a group (DecoderData.v), the second of which stands for the
   selected one; `p` is the problem in the instance's numbering. Nothing: they stay what they are. *)
let of_problem equal (p : posed) ~change:usual ~decoders =
  match p.posing_of with
  | Decoding ->
      let only presence pick = List.mapi (fun t _ -> t = pick) presence in
      Some (decoders { equal with presence = List.map2 only equal.presence p.selected_tokens })
  | _ -> if equal.merged then Some (usual equal) else None

let claims_to_data equal p =
  let decoders selected =
    change selected (fun _ _ -> 1) { change = (fun absent presence row -> absent :: kept absent presence row) }
  in
  of_problem equal p ~change:to_data ~decoders

let claims_to_instance equal p =
  let decoders selected =
    change selected
      (fun group _ -> List.nth p.selected_tokens group)
      { change = (fun absent presence row -> fill absent presence (List.tl row)) }
  in
  of_problem equal p ~change:to_instance ~decoders
