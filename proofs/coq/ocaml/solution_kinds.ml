(* The claims `optimal` and `optimal-enclosure`, form gap and form lambda-min. *)

open Kind
open Refusal

let read_optimal text =
  let norm = named text.line "norm-squared" in
  finish text;
  plain (Optimal (subject text, norm, vector text "multipliers"))

let optimal norm v =
  let why refused =
    require (not (negative refused v)) "a multiplier is negative";
    let mask = nonzero v in
    let tight c margin =
      if entry mask c then
        compare ("margin at " ^ at refused c ^ ", where the multiplier is positive") margin "=" (asked refused c)
    in
    ignore (feasible refused v ~also:tight);
    compare "norm-squared" (value norm) "=" (total refused v)
  in
  { (kind "optimal") with
    first = (fun _ _ -> [ "norm-squared"; shown norm ]);
    evidence = (fun page -> page.print_vector "multipliers" v);
    why }

let read_enclosure text =
  let fraction () = fraction text.line in
  Line.expect text.line "form";
  let form = Line.word text.line in
  if form <> "gap" && form <> "lambda-min" then Line.bad text.line "unknown form %s" form;
  Line.expect text.line "norm-squared";
  let lo = fraction () in
  let hi = fraction () in
  match form with
  | "gap" ->
      Line.expect text.line "distance-squared";
      let distance = fraction () in
      finish text;
      let primal = vector text "primal" in
      plain (EnclosureGap (subject text, lo, hi, distance, primal, vector text "dual"))
  | _ ->
      Line.expect text.line "radius";
      let radius = fraction () in
      Line.expect text.line "multiplier-radius";
      let multiplier_radius = fraction () in
      finish text;
      let second = next text in
      let bound = named second "lambda-min" in
      let bits = Constraints.read_bits second in
      Line.finish second;
      let multipliers = vector text "multipliers" in
      let mask = Constraints.nonzero multipliers in
      let value =
        Verified.EnclosureBall (subject text, lo, hi, radius, multiplier_radius, bound, mask, multipliers,
          Hints.refused)
      in
      { (plain value) with of_eigenvalue = bits }

let gap lo hi distance primal dual =
  let why refused =
    let m = feasible refused primal in
    require (not (negative refused dual)) "a dual numerator is negative";
    let dual_margins, _, _ = margins refused dual in
    let upper = squared_norm refused primal m and lower = dual_value refused dual dual_margins in
    compare "lower bound of norm-squared against the dual value" (value lo) "<=" lower;
    compare "primal value against the upper bound of norm-squared" upper "<=" (value hi);
    compare "duality gap against distance-squared" (Q.sub upper lower) "<=" (value distance)
  in
  { (kind "optimal-enclosure") with
    first = (fun _ _ -> [ "form"; "gap"; "norm-squared"; shown lo; shown hi; "distance-squared"; shown distance ]);
    further = (fun () -> "primal" :: hashed_vector primal);
    evidence =
      (fun page ->
        page.print_vector "primal" primal;
        page.print_vector "dual" dual);
    why }

let ball p lo hi radius multiplier_radius bound mask v =
  let why refused =
    let r = value radius and q = value multiplier_radius and s = value bound in
    require (listed mask <> []) "no constraints are listed";
    require (Q.sign r >= 0 && Q.sign q >= 0) "a radius is negative";
    require (Q.sign s > 0) "the bound of the smallest eigenvalue is not positive";
    List.iter
      (fun c ->
        compare ("multiplier at " ^ at refused c)
          (quotient (entry v.Verified.numerators c) v.Verified.denominator) ">" q)
      (listed (inequalities refused mask));
    let is_far, m, margin = far refused v (Q.mul r r) in
    List.iter
      (fun c ->
        if not (entry mask c || is_far c) then
          let asked = show (asked refused c) in
          found "margin at %s, which is not listed, is not proved to exceed %s within the radius: %s > %s is false"
            (at refused c) asked (show (margin c)) asked)
      (constraints (picks refused) m);
    let unit = Verified.(margin_unit integers) refused.data v in
    let rows = Verified.(residual_rows integers) refused.data v (raised_margins refused v m) mask in
    let residual = quotient (Verified.(total_rows integers) rows) (product unit unit) in
    compare "sum of squared residuals against radius^2 S" residual "<=" (Q.mul (Q.mul r r) s);
    compare "sum of squared residuals against multiplier-radius^2 S^2" residual "<=" (Q.mul (Q.mul q q) (Q.mul s s));
    let lower = dual_value refused v m in
    compare "lower bound of norm-squared against the dual value" (value lo) "<=" lower;
    compare "dual value plus radius^2 against the upper bound of norm-squared" (Q.add lower (Q.mul r r)) "<="
      (value hi);
    found "the smallest eigenvalue of the Gram matrix of the listed constraints is not proved to be \
           at least %s with %d bits"
      (show s) refused.bits
  in
  let guessed { data; selections; bits; _ } =
    let hints = Hints.compute data (List.nth selections p) mask bound ~bits in
    Verified.EnclosureBall (p, lo, hi, radius, multiplier_radius, bound, mask, v, hints)
  in
  { (kind "optimal-enclosure") with
    first =
      (fun _ _ ->
        [ "form"; "lambda-min"; "norm-squared"; shown lo; shown hi; "radius"; shown radius; "multiplier-radius";
          shown multiplier_radius ]);
    further = (fun () -> ("multipliers" :: hashed_vector v) @ ("constraints" :: words_of_places mask));
    evidence =
      (fun page ->
        page.print [ "lambda-min"; shown bound; "bits"; count page.eigenvalue_bits ];
        page.print_vector "multipliers" v);
    guessed = Some guessed; factorised = true; more_bits = true; why }

let () =
  register ~about:AnyRows "optimal" read_optimal (function
    | Optimal (p, norm, v) ->
        Some { kind = optimal norm v; renumbered = (fun change -> Optimal (p, norm, change.vector v)) }
    | _ -> None);
  register ~about:AnyRows "optimal-enclosure" read_enclosure (function
    | EnclosureGap (p, lo, hi, distance, v, w) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.EnclosureGap (p, lo, hi, distance, change.vector v, change.vector w)
        in
        Some { kind = gap lo hi distance v w; renumbered }
    | EnclosureBall (p, lo, hi, r, q, s, mask, v, hints) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.EnclosureBall (p, lo, hi, r, q, s, change.mask mask, change.vector v, hints)
        in
        Some { kind = ball p lo hi r q s mask v; renumbered }
    | _ -> None)
