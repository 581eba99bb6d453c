(* The claim `joint-attention`: the groups that do not support the decoder's solution are those that are relaxed. *)

open Kind
open Refusal

let read text =
  let cited = citation text in
  finish text;
  plain (JointAttention (subject text, cited))

(* Is the problem the attention's beside the decoder that the claim about a support is about? *)
let why_attention k refused =
  let mask, support =
    match refused.claims.(k) with Verified.Support (p, _, mask) -> (mask, p) | _ -> wrong refused k "support"
  in
  let decoder = refused.posed.(support) and attention = refused.posed.(about refused) in
  require (decoder.posing_of = Decoding) "the cited support is not about a decoder's problem";
  let relaxed =
    match attention.posing_of with
    | Attention -> []
    | RelaxedGroups groups -> groups
    | Decoding | SelectedSets _ -> found "the problem is not one of a selection's attention"
  in
  require (attention.selected_tokens = decoder.selected_tokens) "the decoder's problem has another selection";
  let examine group row =
    match (List.nth row 1, List.mem group relaxed) with
    | true, true -> found "group %d supports the decoder and is relaxed" group
    | false, false -> found "group %d does not support the decoder and is not relaxed" group
    | _ -> ()
  in
  List.iteri examine mask

let joint k =
  let why refused = why_attention k refused in
  { (kind "joint-attention") with first = (fun _ _ -> from k); why }

let () =
  register ~about:AnyRows "joint-attention" read (function
    | JointAttention (_, k) as same -> Some { kind = joint k; renumbered = (fun _ -> same) }
    | _ -> None)
