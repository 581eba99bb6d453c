(* The claim `joint-path`. Its value holds what the claim about label margins that it cites shows, which is checked with
   it. *)

open Kind
open Refusal

let losses = [ ("logistic", Verified.Logistic); ("exponential", Verified.Exponential) ]

(* The number of an earlier claim. *)
let earlier text =
  let cited = Line.index text.line in
  if cited = 0 || cited >= text.number then Line.bad text.line "claim %d is not an earlier claim" cited;
  cited

let no_number : Verified.fraction =
  { fraction_num = Coq_data.carrier Integer.zero; fraction_den = Coq_data.carrier Integer.one }

(* What a claim about label margins has. Of any other claim: what is never accepted, for no claim stands at `none`. *)
let margins_of ~none : Verified.claim -> Verified.label_margins_data = function
  | LabelMargins (_, support, solution, cost, vectors, cover) ->
      { margins_support = support; margins_solution = solution; margins_cost = cost; margins_vectors = vectors;
        margins_cover = cover }
  | _ ->
      { margins_support = none; margins_solution = none; margins_cost = no_number;
        margins_vectors = []; margins_cover = [] }

let named line word =
  Line.expect line word;
  fraction line

let read text =
  let line = text.line in
  let cited = citation text in
  Line.expect line "label-margins";
  let margins = earlier text in
  let plain = if Line.accept line "plain" then Some (earlier text - 1) else None in
  Line.expect line "loss";
  let loss = List.assoc (Line.one_word line "loss" (List.map fst losses)) losses in
  let joint_from = named line "from-radius" in
  let joint_decoder_from = named line "from-decoder-radius" in
  let joint_slope = named line "slope" in
  let joint_decay = named line "decay" in
  let joint_decoder_rate = named line "decoder-rate" in
  let joint_attention_rate = named line "rate-constant" in
  finish text;
  let line = next text in
  let joint_excess = named line "excess" in
  let joint_window = named line "window" in
  Line.finish line;
  let constants : Verified.joint_constants =
    { joint_from; joint_decoder_from; joint_slope; joint_decay; joint_decoder_rate; joint_attention_rate; joint_excess;
      joint_window }
  in
  let said = (List.nth text.earlier (List.length text.earlier - margins)).said in
  let shown = margins_of ~none:text.number said in
  { value = Verified.JointPath (subject text, cited, shown, plain, loss, constants); of_eigenvalue = 0; of_run = [];
    cites = margins }

(* The number of the claim about label margins. The value has what that claim shows: it must be the one of that
   number. *)
let number_of_margins (given : given) (read : claim) (shown : Verified.label_margins_data) =
  match given.claims.(read.run - 1) with
  | LabelMargins (_, support, solution, cost, _, cover)
    when support = shown.margins_support && solution = shown.margins_solution && cost = shown.margins_cost
         && cover = shown.margins_cover ->
      count read.run
  | _ -> failwith (Printf.sprintf "claim %d was checked for another claim than claim %d" read.number read.run)

let why_cited k plain refused =
  (match cite refused k with
  | Verified.Optimal _ | EnclosureBall _ -> ()
  | _ -> wrong refused k "optimal, or optimal-enclosure of form lambda-min");
  let posed = refused.posed.(Refusal.about refused) in
  match (plain, posed.posing_of) with
  | None, RelaxedGroups _ -> found "no W with all margins >= 1 is cited"
  | Some place, _ -> (
      let about_plain = refused.posed.(Verified.claim_problem Verified.integers refused.claims.(place)) in
      match refused.claims.(place) with
      | Verified.Feasible _ | Optimal _ | EnclosureGap _ | EnclosureBall _ ->
          require
            (about_plain.posing_of = Attention && about_plain.selected_tokens = posed.selected_tokens)
            "the problem cited as plain has other rows than the selection's"
      | _ -> wrong refused place "feasible, optimal or optimal-enclosure")
  | None, _ -> ()

let path about k (shown : Verified.label_margins_data) plain loss (constants : Verified.joint_constants) =
  (* The claim about label margins in the numbering of the data. *)
  let guessed { all; place; _ } =
    let same claim =
      let other = margins_of ~none:0 claim in
      other.margins_support = shown.margins_support && other.margins_solution = shown.margins_solution
      && other.margins_cost = shown.margins_cost && other.margins_cover = shown.margins_cover
    in
    let shown =
      match List.find_opt same (List.filteri (fun k _ -> k < place) all) with
      | Some claim -> margins_of ~none:0 claim
      | None -> shown
    in
    Verified.JointPath (about, k, shown, plain, loss, constants)
  in
  let why refused =
    if shown.margins_support >= refused.number then found "the claim cited as label-margins is of another kind";
    why_cited k plain refused;
    compare "excess" (value constants.joint_excess) ">" Q.zero;
    compare "window" (value constants.joint_window) ">" Q.zero;
    compare "from-decoder-radius" (value constants.joint_decoder_from) ">=" Q.one
  in
  let first given read =
    let named word q = [ word; Kind.shown q ] in
    from k
    @ [ "label-margins"; number_of_margins given read shown ]
    @ (match plain with Some place -> [ "plain"; count (place + 1) ] | None -> [])
    @ [ "loss"; fst (List.find (fun (_, l) -> l = loss) losses) ]
    @ named "from-radius" constants.joint_from
    @ named "from-decoder-radius" constants.joint_decoder_from
    @ named "slope" constants.joint_slope
    @ named "decay" constants.joint_decay
    @ named "decoder-rate" constants.joint_decoder_rate
    @ named "rate-constant" constants.joint_attention_rate
  in
  let evidence page =
    page.print [ "excess"; Kind.shown constants.joint_excess; "window"; Kind.shown constants.joint_window ]
  in
  { (kind "joint-path") with first; evidence; guessed = Some guessed; why }

let () =
  register "joint-path" read (function
    | JointPath (about, k, shown, plain, loss, constants) as same ->
        Some { kind = path about k shown plain loss constants; renumbered = (fun _ -> same) }
    | _ -> None)
