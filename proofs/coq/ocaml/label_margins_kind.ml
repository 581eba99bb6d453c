(* The claim `label-margins`. Its value names the claim about the solution beside that about the support, which rests on
   it; tokens of the cover are those of the instance. *)

open Kind
open Refusal

let rec repeated count read found = if count = 0 then List.rev found else repeated (count - 1) read (read () :: found)

let read_tokens line =
  Line.expect line "tokens";
  let count = Line.index line in
  let rec read found = if Line.at_end line then List.rev found else read (Line.index line :: found) in
  let tokens = read [] in
  if List.length tokens <> count then Line.bad line "the count is not the number of tokens";
  tokens

let read_node text () : Verified.cover_node =
  let line = next text in
  let ended node =
    Line.finish line;
    node
  in
  if Line.accept line "halve" then ended Verified.HalvedPiece
  else if Line.accept line "open" then ended (Verified.OpenedPiece (Line.index line))
  else if Line.accept line "weights" then (
    let count = Line.index line in
    if count = 0 then Line.bad line "no weight is listed";
    let weights = repeated count (fun () -> Coq_data.carrier (Line.integer line)) [] in
    ProvedByWeights (weights, read_tokens line))
  else (
    Line.expect line "multipliers";
    let vector = Line.index line in
    ProvedByMultipliers (vector, read_tokens line))

(* The claim about the solution that a claim about a support rests on. *)
let solution text place =
  match (List.nth text.earlier (List.length text.earlier - place - 1)).said with
  | Verified.Support (_, cited, _) -> cited
  | _ -> place

let read text =
  let cited = citation text in
  let cost = named text.line "nu" in
  finish text;
  let line = next text in
  Line.expect line "cover";
  let nodes = Line.index line in
  Line.expect line "vectors";
  let vectors = Line.index line in
  Line.finish line;
  let multipliers = repeated vectors (fun () -> vector text "multipliers") [] in
  let cover = repeated nodes (read_node text) [] in
  plain (Verified.LabelMargins (subject text, cited, solution text cited, cost, multipliers, cover))

let words : Verified.cover_node -> string list =
  let tokens centre = "tokens" :: count (List.length centre) :: List.map count centre in
  function
  | HalvedPiece -> [ "halve" ]
  | OpenedPiece group -> [ "open"; count group ]
  | ProvedByMultipliers (vector, centre) -> "multipliers" :: count vector :: tokens centre
  | ProvedByWeights (weights, centre) ->
      let shown weight = Integer.to_string (integer weight) in
      ("weights" :: count (List.length weights) :: List.map shown weights) @ tokens centre

let integers = Verified.integers
let bits = Verified.margins_precision

(* The selected tokens of the problem, as the data has them, and the data of the instance. *)
let selected refused = refused.posed.(about refused).selected_tokens
let raw refused = Verified.token_data_of integers refused.instance

let why_multipliers refused mask exact (mu : Verified.vector) =
  match exact with
  | None -> found "multipliers can only be compared with an exact solution"
  | Some v ->
      Support_kinds.why_other_multipliers refused v mu;
      require
        (Verified.on_support_check integers (picks refused) mask mu)
        "a multiplier is listed off the support"

let why_rows refused =
  let raw = raw refused and sel = selected refused in
  let examine group pick =
    require
      (Verified.one_row_check integers refused.instance (List.nth raw.sequences group) group pick)
      (Printf.sprintf "tokens equal to the selected one of group %d have other rows of X" group)
  in
  List.iteri examine sel

(* What pieces are proved with: the supporting groups, and a check of a leaf with these multipliers. *)
type cover = {
  supporting : int list;
  groups : Verified.labelled_group list;
  vectors : Verified.interval list list;
  holds : Verified.piece -> bool -> Verified.interval list -> int list -> bool
}

let cover_of refused mask (exact : Verified.located_solution) cost multipliers =
  let data = refused.data and picks = picks refused in
  let reference =
    Verified.reference_of integers data bits picks exact.located_vector exact.located_margins exact.located_mask
      exact.located_distance exact.located_multiplier_distance
  in
  let norm = reference.norm_in in
  let groups = Verified.groups_in integers (raw refused) bits refused.instance (selected refused) mask in
  let along = Verified.along_in integers data picks bits exact.located_vector exact.located_distance norm in
  let dimension = Verified.token_dimension integers refused.instance in
  { supporting = Verified.supporting mask; groups;
    vectors =
      Verified.own_in integers mask reference.weights_in
      :: List.map (Verified.listed_in integers bits mask norm) multipliers;
    holds =
      Verified.leaf_check integers bits dimension groups reference.margin_in
        (Verified.fraction_in integers bits cost) along }

let why_leaf cover (piece : Verified.piece) centre name =
  require (List.length centre = List.length cover.groups) (name ^ " has not a token for each group");
  require
    (List.for_all (Verified.place_ok integers) (Verified.places_of integers cover.groups piece centre))
    (name ^ " has a token that the piece does not have")

let why_weights cover (piece : Verified.piece) weights centre name =
  require (List.length weights = List.length cover.groups) (name ^ " has not a weight for each group");
  let signs = List.map (fun weight -> Integer.sign (integer weight)) weights in
  require (List.for_all (fun sign -> sign >= 0) signs) (name ^ " has a negative weight");
  require (List.exists (fun sign -> sign > 0) signs) (name ^ " has no weight");
  why_leaf cover piece centre name;
  require (Integer.sign (integer piece.piece_start) > 0) (name ^ " begins at 0, where weights do not do");
  require
    (cover.holds piece false (Verified.shares_of integers bits weights) centre)
    (name ^ " does not prove nu")

(* The node goes, and the pieces that are left. *)
let rec why_nodes cover at (nodes : Verified.cover_node list) (left : Verified.piece list) =
  let name = Printf.sprintf "node %d of the cover" at in
  match (nodes, left) with
  | [], [] -> ()
  | [], _ -> found "the cover leaves a piece out"
  | _, [] -> found "the cover has nodes beside those of its pieces"
  | HalvedPiece :: nodes, piece :: left -> why_nodes cover (at + 1) nodes (Verified.piece_halves integers piece @ left)
  | OpenedPiece group :: nodes, piece :: left ->
      let rec place k = function [] -> k | g :: rest -> if g = group then k else place (k + 1) rest in
      let k = place 0 cover.supporting in
      require
        (k < List.length cover.groups && List.nth piece.piece_picks k = None)
        (Printf.sprintf "group %d has no token to choose" group);
      let parts = List.init (Verified.tokens_in integers cover.groups k) (Verified.picked_at integers piece k) in
      why_nodes cover (at + 1) nodes (parts @ left)
  | ProvedByMultipliers (vector, centre) :: nodes, piece :: left ->
      require (vector < List.length cover.vectors) (name ^ " names no multiplier vector");
      why_leaf cover piece centre name;
      require (cover.holds piece true (List.nth cover.vectors vector) centre) (name ^ " does not prove nu");
      why_nodes cover (at + 1) nodes left
  | ProvedByWeights (weights, centre) :: nodes, piece :: left ->
      why_weights cover piece weights centre name;
      why_nodes cover (at + 1) nodes left

let solution_of refused k : Verified.located_solution =
  let exact = Verified.interval0 integers and near = Verified.fraction_in integers Verified.forever_precision in
  let of_vector v mask distance multiplier_distance : Verified.located_solution =
    let m, _, _ = margins refused v in
    { located_vector = v; located_margins = m; located_mask = mask; located_distance = distance;
      located_multiplier_distance = multiplier_distance }
  in
  match refused.claims.(k) with
  | Verified.Optimal (_, _, v) -> of_vector v (Verified.multiplier_mask integers v) exact exact
  | EnclosureBall (_, _, _, r, q, _, mask, v, _) -> of_vector v mask (near r) (near q)
  | _ -> wrong refused k "optimal, or optimal-enclosure of form lambda-min"

let margins k solution cost multipliers nodes =
  let why refused =
    let mask, exact = Refusal.support refused k "support" in
    compare "nu" (value cost) ">" Q.zero;
    require (refused.posed.(about refused).posing_of = Decoding)
      "the cited support is not about a decoder's problem";
    why_rows refused;
    List.iter (why_multipliers refused mask exact) multipliers;
    let cover = cover_of refused mask (solution_of refused solution) cost multipliers in
    why_nodes cover 0 nodes (Verified.root_pieces integers cover.groups)
  in
  let evidence page =
    page.print [ "cover"; count (List.length nodes); "vectors"; count (List.length multipliers) ];
    List.iter (page.print_vector "multipliers") multipliers;
    List.iter (fun node -> page.print (words node)) nodes
  in
  { (kind "label-margins") with first = (fun _ _ -> from k @ [ "nu"; shown cost ]); evidence; why }

let () =
  register ~about:AnyRows ~of_training:true "label-margins" read (function
    | LabelMargins (p, k, solution, cost, multipliers, cover) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.LabelMargins (p, k, solution, cost, List.map change.vector multipliers, cover)
        in
        Some { kind = margins k solution cost multipliers cover; renumbered }
    | _ -> None)
