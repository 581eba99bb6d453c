(* The claims `support`, `strictly-complementary` and `not-strictly-complementary`. *)

open Kind
open Refusal

let read_support text =
  let cited = citation text in
  Line.expect text.line "size";
  let count = Line.index text.line in
  finish text;
  let tight = Constraints.read_constraints text.line text.source text.dataset text.problem count in
  plain (Support (subject text, cited, tight))

let support k mask =
  let why refused =
    let expected =
      match cite refused k with
      | Verified.Optimal (_, _, v) ->
          let m, _, margin = margins refused v in
          let tight c = Q.equal (margin c) (asked refused c) && not (equality refused c) in
          List.filter tight (constraints (picks refused) m)
      | EnclosureBall (_, _, _, _, _, _, mask, _, _) -> listed (inequalities refused mask)
      | _ -> wrong refused k "optimal, or optimal-enclosure of form lambda-min"
    in
    let rec differ k given expected =
      let text = function c :: _ -> at refused c | [] -> "nothing" in
      match (given, expected) with
      | a :: given', b :: expected' when a = b -> differ (k + 1) given' expected'
      | [], [] -> ()
      | _ -> found "the support differs at entry %d: %s is listed, %s is expected" k (text given) (text expected)
    in
    differ 0 (listed mask) expected
  in
  { (kind "support") with
    first = (fun _ _ -> from k @ [ "size"; count (List.length (places mask) / 2) ]);
    further = (fun () -> "constraints" :: words_of_places mask);
    evidence = (fun page -> Forever.print_constraints page.print mask);
    why }

let read_strict text =
  let cited = citation text in
  finish text;
  let evidence = next text in
  if Line.accept evidence "evidence" then (
    Line.expect evidence "cited";
    Line.finish evidence;
    plain (StrictlyComplementary (subject text, cited, None)))
  else
    let multipliers = Constraints.read_vector_from evidence text.source text.dataset text.problem "multipliers" in
    plain (StrictlyComplementary (subject text, cited, Some multipliers))

(* Of a vector whose combination should be that of v. *)
let why_other_multipliers refused (v : Verified.vector) (mu : Verified.vector) =
  require (not (negative refused mu)) "a multiplier is negative";
  (* W is linear: the combination of the differences. *)
  let scaled a = List.map (List.map (product a)) in
  let ours = scaled v.denominator mu.numerators and theirs = scaled mu.denominator v.numerators in
  let rows = List.map2 (List.map2 difference) ours theirs in
  let gap : Verified.vector = { denominator = product v.denominator mu.denominator; numerators = rows } in
  let m, _, _ = margins refused gap in
  compare "squared distance of W(multipliers) from W*" (squared_norm refused gap m) "=" Q.zero

let strict k multipliers =
  let evidence page =
    match multipliers with None -> page.print [ "evidence"; "cited" ] | Some v -> page.print_vector "multipliers" v
  in
  let why refused =
    let cited = Refusal.support refused k "support" in
    match (multipliers, cited) with
    | None, _ -> found "the cited multipliers are not positive on all of the support"
    | Some _, (_, None) -> found "multipliers can only be compared with an exact solution"
    | Some mu, (mask, Some v) ->
        require (inequalities refused (nonzero mu) = mask) "the multipliers do not list exactly the support";
        why_other_multipliers refused v mu
  in
  { (kind "strictly-complementary") with first = (fun _ _ -> from k); evidence; why }

let read_not_strict text =
  let cited = citation text in
  Line.expect text.line "at";
  let group, token = Constraints.read_constraint text.dataset text.problem text.line in
  finish text;
  plain (NotStrictlyComplementary (subject text, cited, group, token, vector text "direction"))

let not_strict k group token x =
  let why refused =
    match Refusal.support refused k "support" with
    | _, None -> found "the cited support does not rest on an optimal claim"
    | mask, Some v ->
        require (entry mask (group, token)) (at refused (group, token) ^ " is not in the support");
        let _, _, margin = margins refused x in
        List.iter
          (fun c ->
            compare ("<Delta, D> at " ^ at refused c) (margin c) (if c = (group, token) then ">" else ">=") Q.zero)
          (listed mask);
        List.iter
          (fun c -> if equality refused c then compare ("<Delta, D> at " ^ at refused c) (margin c) "=" Q.zero)
          (constraints (picks refused) mask);
        let weights = Verified.(weights integers) refused.data (picks refused) in
        let unit = Verified.(weight_unit integers) refused.data in
        let inner = quotient (Verified.(matrix_dot integers) (weights v) (weights x)) (product (unit v) (unit x)) in
        compare "<W*, D>" inner "=" Q.zero
  in
  { (kind "not-strictly-complementary") with
    first = (fun _ _ -> from k @ [ "at"; count group; count token ]);
    evidence = (fun page -> page.print_vector "direction" x);
    why }

let () =
  register ~about:AnyRows "support" read_support (function
    | Support (p, k, mask) ->
        Some { kind = support k mask; renumbered = (fun change -> Support (p, k, change.mask mask)) }
    | _ -> None);
  register ~about:AnyRows "strictly-complementary" read_strict (function
    | StrictlyComplementary (p, k, mu) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.StrictlyComplementary (p, k, Option.map change.vector mu)
        in
        Some { kind = strict k mu; renumbered }
    | _ -> None);
  register ~about:AnyRows "not-strictly-complementary" read_not_strict (function
    | NotStrictlyComplementary (p, k, i, t, x) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.NotStrictlyComplementary (p, k, i, change.token_of i t, change.vector x)
        in
        Some { kind = not_strict k i t x; renumbered }
    | _ -> None)
