(* Claims about the training loss that cite nothing: `smoothness` and `stationary`. *)

open Kind
open Refusal

let read_smoothness text =
  let beta = named text.line "beta" in
  finish text;
  plain (SmoothnessBound (subject text, text.problem.loss, beta))

(* Of the problem's head. *)
let smoothness_bound refused loss : Verified.interval =
  let open Verified in
  let bits = smoothness_precision in
  match (refused.instance.token_scoring, loss) with
  | SeveralOutputs (UnitLayer _), _ -> found "not known of ReLU units"
  | SeveralOutputs (ClassLayer (classes, layer, unit)), _ ->
      let values = class_values integers refused.instance bits classes layer unit in
      class_smoothness_in integers refused.data bits (picks refused) (List.length layer) values
  | _, CrossEntropy -> label_smoothness_in integers refused.data bits
  | _ -> smoothness_interval integers refused.data bits loss

let smoothness loss beta =
  let why refused =
    match loss with
    | None -> found "the problem names no loss"
    | Some loss -> (
        match smoothness_bound refused loss with
        | Everything -> ()
        | Between (_, hi, exponent) ->
            let e = Integer.to_int exponent in
            let hi = Q.of_bigint (integer hi) in
            let bound = if e >= 0 then Q.mul_2exp hi e else Q.div_2exp hi (-e) in
            compare "upper bound of the smoothness sum against beta" bound "<=" (value beta))
  in
  { (kind "smoothness") with loss = Some loss; first = (fun _ _ -> [ "beta"; shown beta ]); why }

let read_stationary text =
  finish text;
  plain (Stationary (subject text, text.problem.loss, Forever.read_start (next text) text.dataset))

let stationary loss start =
  { (kind "stationary") with
    loss = Some loss;
    further = (fun () -> Forever.hashed_start start);
    evidence = (fun page -> page.print (Forever.written_start start)) }

let () =
  register ~of_labels:true "smoothness" read_smoothness (function
    | SmoothnessBound (_, loss, beta) as same -> Some { kind = smoothness loss beta; renumbered = (fun _ -> same) }
    | _ -> None);
  register ~of_labels:true
    ~none_of_outputs:"not known of heads of several outputs"
    "stationary" read_stationary (function
    | Stationary (_, loss, start) as same -> Some { kind = stationary loss start; renumbered = (fun _ -> same) }
    | _ -> None)
