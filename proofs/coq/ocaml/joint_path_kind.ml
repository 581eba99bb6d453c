(* The claim `joint-path`. Its value holds what the claim about label margins that it cites shows, which is checked with
   it. *)

open Kind
open Refusal

let losses = [ ("logistic", Verified.Logistic); ("exponential", Verified.Exponential) ]

let no_number : Verified.fraction =
  { fraction_num = Coq_data.carrier Integer.zero; fraction_den = Coq_data.carrier Integer.one }

(* What a claim about label margins has. Of any other claim: its place, and what is never accepted, for no claim stands
   at `none`. *)
let margins_of ~none ~place : Verified.claim -> Verified.label_margins_data = function
  | LabelMargins (_, support, solution, cost, vectors, cover) ->
      { margins_support = support; margins_solution = solution; margins_cost = cost; margins_vectors = vectors;
        margins_cover = cover }
  | _ ->
      { margins_support = none; margins_solution = place; margins_cost = no_number;
        margins_vectors = []; margins_cover = [] }

let read text =
  let line = text.line in
  let cited = citation text in
  Line.expect line "label-margins";
  let margins = earlier text in
  let plain = if Line.accept line "plain" then Some (earlier text - 1) else None in
  Line.expect line "loss";
  let loss = Runs.pick line "loss" losses in
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
  let shown = margins_of ~none:text.number ~place:(margins - 1) said in
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

let integers = Verified.integers
let bits = Verified.joint_precision
let upper_end = Regularisation_path_kind.upper_end

let why_plain plain refused =
  let posed = refused.posed.(about refused) in
  match plain with
  | None -> ()
  | Some place -> (
      let other = refused.posed.(Verified.claim_problem integers refused.claims.(place)) in
      match refused.claims.(place) with
      | Verified.Feasible _ | Optimal _ | EnclosureGap _ | EnclosureBall _ ->
          require
            (other.posing_of = Attention && other.selected_tokens = posed.selected_tokens)
            "the problem cited as plain has other rows than the selection's"
      | _ -> wrong refused place "feasible, optimal or optimal-enclosure")

(* W with all margins >= 1, of the claim cited: N2. *)
let plain_margin refused gamma = function
  | None -> gamma
  | Some place ->
      let picks = picks refused in
      let norm q = Verified.idiv integers bits (Verified.interval1 integers) (Verified.isqrt integers bits q) in
      let of_vector v =
        let m = Verified.margins integers refused.data picks v in
        let unit = Verified.weight_unit integers refused.data v in
        norm (Verified.ratio integers bits (product unit unit) (Verified.energy integers v m))
      in
      (match refused.claims.(place) with
      | Verified.Feasible (_, v) | Optimal (_, _, v) -> of_vector v
      | EnclosureGap (_, _, hi, _, _, _) | EnclosureBall (_, _, hi, _, _, _, _, _, _) ->
          norm (Verified.fraction_in integers bits hi)
      | _ -> gamma)

(* The solution's vector, where its multipliers are positive, and what it and they are away. *)
let located refused k : Verified.vector * bool list list * Verified.interval * Verified.interval =
  let exact = Verified.interval0 integers and near = Verified.fraction_in integers Verified.forever_precision in
  match refused.claims.(k) with
  | Verified.Optimal (_, _, v) -> (v, Verified.multiplier_mask integers v, exact, exact)
  | EnclosureBall (_, _, _, r, q, _, mask, v, _) -> (v, mask, near r, near q)
  | _ -> wrong refused k "optimal, or optimal-enclosure of form lambda-min"

let reference data picks (v, mask, r, q) =
  Verified.reference_of integers data bits picks v (Verified.margins integers data picks v) mask r q

(* What the check takes of the tokens' values, by groups; whether they support the decoder; its multipliers. *)
let tables refused (shown : Verified.label_margins_data) decoder_data decoder_picks (v, mask, r, q)
    (decoder : Verified.enclosed_reference) (attention : Verified.enclosed_reference) plain : Verified.joint_tables =
  let sel = picks refused and instance = refused.instance in
  let direction =
    Verified.direction_in integers decoder_data decoder_picks
      { located_vector = v; located_margins = []; located_mask = mask; located_distance = r;
        located_multiplier_distance = q }
      decoder.norm_in
  in
  let groups = Verified.all_groups_in integers instance bits sel (Verified.token_data_of integers instance) in
  let support =
    match refused.claims.(shown.margins_support) with
    | Verified.Support (_, _, mask) -> mask
    | _ -> wrong refused shown.margins_support "support"
  in
  { known_support = Verified.support_column support;
    known_labels = Verified.labels_in integers bits groups direction;
    known_lengths = Verified.value_lengths_in integers bits groups;
    known_excesses = Verified.excesses_in integers bits groups direction decoder.margin_in;
    known_farthest = Verified.farthest_in integers bits groups;
    known_bests = Verified.best_others_in integers bits groups direction;
    known_shares =
      Verified.decoder_shares_in integers decoder.norm_in decoder.weights_in shown.margins_vectors;
    known_margin = decoder.margin_in;
    known_cost = Verified.fraction_in integers bits shown.margins_cost;
    known_rows = attention.margin_in;
    known_plain = plain;
    known_weights = attention.weights_in }

(* Is x small enough for a group? *)
let why_small refused (tables : Verified.joint_tables) reach thetas i supports =
  let mul = Verified.imul integers bits and less = Verified.certainly_lt integers in
  let half = Verified.one_half_in integers and one = Verified.interval1 integers and sel = picks refused in
  let name = Printf.sprintf "excess is too large for group %d" i in
  let nth rows = List.nth rows i in
  if supports then
    List.iteri
      (fun t label ->
        if t <> nth sel then require (less (mul reach (List.nth (nth tables.known_lengths) t)) (mul label half)) name)
      (nth tables.known_labels)
  else (
    require (less (mul reach (nth tables.known_farthest)) (mul (mul (nth tables.known_excesses) half) half)) name;
    if List.exists (fun w -> not (Verified.is_zero integers w)) (nth tables.known_weights) then
      require
        (less (nth tables.known_bests) tables.known_margin && less (nth thetas) one)
        (Printf.sprintf "group %d may give all attention to other tokens" i))

let why_bounds refused k (shown : Verified.label_margins_data) plain loss (c : Verified.joint_constants) =
  let mul = Verified.imul integers bits and div = Verified.idiv integers bits and add = Verified.iadd integers bits in
  let sub = Verified.isub integers bits and number = Verified.fraction_in integers bits in
  let less = Verified.certainly_lt integers and at_most = Verified.certainly_le integers in
  let one = Verified.interval1 integers and half = Verified.one_half_in integers in
  let data = refused.data and sel = picks refused and instance = refused.instance in
  let decoder_data = Verified.decoder_data integers instance sel in
  let decoder_picks = Verified.decoder_picks integers instance in
  let attention = reference data sel (located refused k) in
  let at = located refused shown.margins_solution in
  let decoder = reference decoder_data decoder_picks at in
  let gamma = attention.margin_in in
  let plain = plain_margin refused gamma plain in
  let tables = tables refused shown decoder_data decoder_picks at decoder attention plain in
  let supports = tables.known_support and excesses = tables.known_excesses and nu = tables.known_cost in
  let x = number c.joint_excess in
  let steepest = Verified.steepest_in integers bits data sel tables in
  let beta = Verified.beta_in integers bits data sel tables in
  let pull = Verified.pull_in integers bits tables in
  let reach = Verified.reach_in integers bits tables c in
  let spread = Verified.tail_spread_in integers bits data loss in
  let thetas = Verified.thetas_of integers bits tables c reach in
  let totals = Verified.total_lengths_in integers bits data sel tables in
  let off f = List.iteri (fun i supports -> if not supports then f i) supports in
  off (fun i ->
      require
        (Verified.is_positive integers (List.nth excesses i))
        (Printf.sprintf "group %d is hardly off the decoder's support" i));
  require
    (Q.sign (value c.joint_excess) > 0 && less x (mul nu half) && less x (mul decoder.margin_in half))
    "excess is not positive, or too large";
  List.iteri (why_small refused tables reach thetas) supports;
  let from = number c.joint_from and x_half = mul x half in
  require (at_most beta from) "from-radius is too small";
  let height = add (mul gamma (sub from beta)) (mul plain beta) in
  let cut = Verified.dyadic integers (Coq_data.carrier Integer.one) (Integer.of_int 32) in
  let eta = Verified.iexp integers bits (Verified.iopp integers (if at_most cut height then cut else height)) in
  require (at_most (mul steepest eta) x_half) "from-radius is too small";
  let decoder_from = number c.joint_decoder_from in
  require
    (at_most one decoder_from && at_most spread (mul x_half decoder_from))
    "from-decoder-radius is too small";
  let least = ref Q.zero in
  let four = Verified.exactly integers (Coq_data.carrier (Integer.of_int 4)) in
  off (fun i -> least := Q.max !least (upper_end (div (mul four gamma) (List.nth excesses i))));
  compare "4 gamma/e against slope" !least "<=" (value c.joint_slope);
  let lean = mul (sub gamma plain) beta in
  compare "constant of the decoder's decay against decay"
    (upper_end (mul (mul pull steepest) (Verified.iexp integers bits lean)))
    "<=" (value c.joint_decay);
  compare "the decoder's rate constant against decoder-rate" (upper_end (mul pull spread)) "<="
    (value c.joint_decoder_rate);
  require (Q.sign (value c.joint_window) > 0) "window is not positive";
  let levels =
    Verified.levels_in integers bits data sel tables loss c steepest spread reach totals thetas
  in
  compare "rate constant of the theorem against rate-constant"
    (upper_end (div (add levels lean) gamma))
    "<=" (value c.joint_attention_rate)

let path about k (shown : Verified.label_margins_data) plain loss (constants : Verified.joint_constants) =
  (* The claim about label margins in the numbering of the data. *)
  let guessed { all; place; _ } =
    let same claim =
      let other = margins_of ~none:0 ~place:0 claim in
      other.margins_support = shown.margins_support && other.margins_solution = shown.margins_solution
      && other.margins_cost = shown.margins_cost && other.margins_cover = shown.margins_cover
    in
    let shown =
      match List.find_opt same (List.filteri (fun k _ -> k < place) all) with
      | Some claim -> margins_of ~none:0 ~place:0 claim
      | None -> shown
    in
    Verified.JointPath (about, k, shown, plain, loss, constants)
  in
  let why refused =
    if shown.margins_support >= refused.number then wrong refused shown.margins_solution "label-margins";
    Joint_kind.why_attention shown.margins_support refused;
    (match (plain, refused.posed.(Refusal.about refused).posing_of) with
    | None, RelaxedGroups _ -> found "no W with all margins >= 1 is cited"
    | _ -> ());
    (match cite refused k with
    | Verified.Optimal _ | EnclosureBall _ -> ()
    | _ -> wrong refused k "optimal, or optimal-enclosure of form lambda-min");
    why_plain plain refused;
    why_bounds refused k shown plain loss constants
  in
  let first given read =
    let named word q = [ word; Kind.shown q ] in
    from k
    @ [ "label-margins"; number_of_margins given read shown ]
    @ (match plain with Some place -> [ "plain"; count (place + 1) ] | None -> [])
    @ [ "loss"; Runs.named_by losses loss ]
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
  register ~about:AnyRows ~of_training:true "joint-path" read (function
    | JointPath (about, k, shown, plain, loss, constants) as same ->
        Some { kind = path about k shown plain loss constants; renumbered = (fun _ -> same) }
    | _ -> None)
