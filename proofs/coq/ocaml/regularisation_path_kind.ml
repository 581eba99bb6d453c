(* The claim `regularisation-path`. *)

open Kind
open Refusal

let read text =
  let cited = citation text in
  let radius = named text.line "from-radius" in
  let constant = named text.line "rate-constant" in
  finish text;
  plain (Verified.RegularisationPath (subject text, cited, text.problem.loss, radius, constant))

(* The upper end of an interval. *)
let upper_end : Verified.interval -> Q.t = function
  | Everything -> found "a number is not bounded away from 0"
  | Between (_, hi, exponent) ->
      let e = Integer.to_int exponent in
      let hi = Q.of_bigint (integer hi) in
      if e >= 0 then Q.mul_2exp hi e else Q.div_2exp hi (-e)

(* Margins on the ray grow by `gamma`: the first condition about the scores that fails. *)
let why_lost loss gamma radius refused =
  let integers = Verified.integers and bits = Verified.path_precision in
  let data = refused.data and picks = picks refused in
  let rows = constraints picks (List.map (fun (s : Verified.sequence) -> s.score_row) data.sequences) in
  require (rows <> []) "the problem has no constraint, so there is no direction";
  let gap (group, token) = Q.sub (score refused group (List.nth picks group)) (score refused group token) in
  List.iter (fun c -> compare ("score gap at " ^ at refused c) (gap c) ">" Q.zero) rows;
  List.iteri
    (fun group theta ->
      require
        (Verified.certainly_lt integers theta (Verified.interval1 integers))
        (Printf.sprintf "the selected token of group %d may lose all attention at from-radius" group))
    (Verified.thetas_in integers data bits picks loss gamma radius)

(* That, or whether the sum with these weights, times `unit`, is at most the constant. *)
let why_far loss gamma ~weights ?unit radius constant refused =
  why_lost loss gamma radius refused;
  let integers = Verified.integers and bits = Verified.path_precision in
  let sum = Verified.path_sum_in integers refused.data bits (picks refused) loss gamma radius weights in
  let rate = match unit with Some unit -> Verified.imul integers bits unit sum | None -> sum in
  compare "rate constant of the theorem against rate-constant" (upper_end rate) "<=" (value constant)

(* The direction, as the claim cited knows it. *)
let reference refused k =
  let integers = Verified.integers and bits = Verified.path_precision in
  let exact = Verified.interval0 integers and near = Verified.fraction_in integers bits in
  let v, mask, r, q =
    match cite refused k with
    | Verified.Optimal (_, _, v) -> (v, Verified.multiplier_mask integers v, exact, exact)
    | EnclosureBall (_, _, _, r, q, _, mask, v, _) -> (v, mask, near r, near q)
    | _ -> wrong refused k "optimal, or optimal-enclosure of form lambda-min"
  in
  let m, _, _ = margins refused v in
  Verified.reference_of integers refused.data bits (picks refused) v m mask r q

let why_refused k loss radius constant refused =
  compare "from-radius" (value radius) ">" Q.zero;
  let reference = reference refused k in
  why_far loss reference.margin_in ~weights:reference.weights_in ~unit:reference.norm_in radius constant refused

let path k loss radius constant =
  let why refused =
    match (loss, refused.instance.token_scoring) with
    | None, _ -> found "the problem names no loss"
    | _, SeveralOutputs _ -> compare "from-radius" (value radius) ">" Q.zero
    | Some loss, _ -> why_refused k loss radius constant refused
  in
  { (kind "regularisation-path") with
    loss = Some loss;
    first = (fun _ _ -> from k @ [ "from-radius"; shown radius; "rate-constant"; shown constant ]);
    why }

let () =
  register ~of_labels:true "regularisation-path" read (function
    | RegularisationPath (_, k, loss, radius, constant) as same ->
        Some { kind = path k loss radius constant; renumbered = (fun _ -> same) }
    | _ -> None)
