(* The claim `path-residual`. *)

open Kind
open Refusal

let read text =
  let cited = citation text in
  let radius = named text.line "from-radius" in
  let residual = named text.line "residual" in
  finish text;
  let second = next text in
  let least = named second "lambda-min" in
  let bits = Constraints.read_bits second in
  Line.finish second;
  let pull = vector text "pull" in
  let value =
    Verified.PathResidual (subject text, cited, text.problem.loss, radius, residual, least, Hints.refused, pull)
  in
  { (plain value) with of_eigenvalue = bits }

(* The mask of the constraints with a multiplier. *)
let support = function
  | Verified.Optimal (_, _, v) -> Some (Verified.multiplier_mask Verified.integers v)
  | EnclosureBall (_, _, _, _, _, _, mask, _, _) -> Some mask
  | _ -> None

let why_refused k loss radius residual least hints pull refused =
  let integers = Verified.integers and bits = Verified.path_precision in
  let data = refused.data and picks = picks refused in
  compare "from-radius" (value radius) ">" Q.zero;
  require (Q.sign (value residual) > 0) "residual is not positive";
  let reference = Regularisation_path_kind.reference refused k in
  Regularisation_path_kind.why_lost loss reference.margin_in radius refused;
  require (Q.sign (value least) > 0) "the bound of the smallest eigenvalue is not positive";
  require
    (Verified.gram_check integers Verified.integer_words data picks reference.active_in hints least)
    (Printf.sprintf
       "the smallest eigenvalue of the Gram matrix of the support is not proved to be at least %s with %d bits"
       (show (value least)) refused.bits);
  require
    (List.for_all (entry reference.active_in) (listed (nonzero pull)))
    "pull has an entry off the support";
  let height = Verified.height_from_in integers data bits picks loss reference radius in
  require (Verified.is_positive integers height) "<u, W> is not proved to be positive from from-radius on";
  let one = Verified.interval1 integers in
  let far = Verified.slack_heights_in integers data bits picks loss reference radius in
  List.iter
    (fun c ->
      let slack = entry far c in
      require
        (entry reference.active_in c || Verified.certainly_le integers one slack)
        (at refused c ^ " is not proved to be far enough from the support"))
    (constraints picks far);
  let squared = Verified.residual_squared_in integers data bits picks loss reference radius least pull in
  compare "squared residual of the theorem against that of residual"
    (Regularisation_path_kind.upper_end squared) "<=" (Q.mul (value residual) (value residual))

let path p k loss radius residual least hints pull =
  let guessed { data; all; selections; bits; _ } =
    let hints =
      match support (List.nth all k) with
      | Some mask ->
          Hints.proved Verified.integer_words data (List.nth selections p) mask least ~precisions:[ bits ]
      | None -> hints
    in
    Verified.PathResidual (p, k, loss, radius, residual, least, hints, pull)
  in
  let why refused =
    match loss with
    | None -> found "the problem names no loss"
    | Some loss -> why_refused k loss radius residual least hints pull refused
  in
  let evidence page =
    page.print [ "lambda-min"; shown least; "bits"; count page.eigenvalue_bits ];
    page.print_vector "pull" pull
  in
  { (kind "path-residual") with
    loss = Some loss;
    first = (fun _ _ -> from k @ [ "from-radius"; shown radius; "residual"; shown residual ]);
    evidence; guessed = Some guessed; factorised = true; more_bits = hints == Hints.refused; why }

let () =
  register ~of_labels:true ~none_of_outputs:"not known of heads of several outputs" "path-residual" read (function
    | PathResidual (p, k, loss, radius, residual, least, hints, pull) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.PathResidual (p, k, loss, radius, residual, least, hints, change.vector pull)
        in
        Some { kind = path p k loss radius residual least hints pull; renumbered }
    | _ -> None)
