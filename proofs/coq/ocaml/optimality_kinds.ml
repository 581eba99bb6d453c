(* The claims `locally-optimal`, `not-locally-optimal`, `globally-optimal`, `not-globally-optimal` and `score-tie`. *)

open Kind
open Refusal

let read_local text =
  let cited = citation text in
  finish text;
  plain (LocallyOptimal (subject text, cited))

let gaps_off_support refused v r2 =
  let is_far, m, margin = far refused v r2 and against = against refused in
  List.iter
    (fun c ->
      let _, mine, theirs = against c in
      if Q.leq mine theirs && not (is_far c) then
        found "margin at %s, whose score gap is not positive, is not proved to exceed 1: %s > 1 is false"
          (at refused c) (show (margin c)))
    (constraints (picks refused) m)

let local k =
  let why refused =
    match cite refused k with
    | Verified.Support (_, _, mask) -> List.iter (beats refused ">") (listed mask)
    | EnclosureGap (_, _, _, distance, v, _) -> gaps_off_support refused v (value distance)
    | EnclosureBall (_, _, _, radius, _, _, _, v, _) -> gaps_off_support refused v (Q.mul (value radius) (value radius))
    | _ -> wrong refused k "support or optimal-enclosure"
  in
  { (kind "locally-optimal") with first = (fun _ _ -> from k); why }

let read_not_local text =
  let cited = citation text in
  let at =
    if Line.accept text.line "at" then Some (Constraints.read_constraint text.dataset text.problem text.line) else None
  in
  finish text;
  plain (NotLocallyOptimal (subject text, cited, at))

let not_local k witness =
  let why refused =
    match witness with
    | None -> (
        match cite refused k with
        | Verified.Infeasible _ | InfeasibleSpanning _ -> ()
        | _ -> wrong refused k "infeasible (without a witness)")
    | Some c ->
        let mask, _ = support refused k "support (with a witness)" in
        require (entry mask c) (at refused c ^ " is not in the support");
        beats refused "<=" c
  in
  let words = match witness with None -> [] | Some (group, token) -> [ "at"; count group; count token ] in
  { (kind "not-locally-optimal") with first = (fun _ _ -> from k @ words); why }

let read_global text =
  finish text;
  plain (GloballyOptimal (subject text))

let global =
  let why refused =
    let scores = List.map (fun (s : Verified.sequence) -> s.score_row) refused.data.sequences in
    List.iter (beats refused ">") (constraints (picks refused) scores)
  in
  { (kind "globally-optimal") with why }

let read_not_global text =
  Line.expect text.line "at";
  let group, token = Constraints.read_constraint text.dataset text.problem text.line in
  finish text;
  plain (NotGloballyOptimal (subject text, group, token))

let not_global group token =
  { (kind "not-globally-optimal") with
    first = (fun _ _ -> [ "at"; count group; count token ]);
    why = (fun refused -> beats refused "<=" (group, token)) }

let read_tie text =
  Line.expect text.line "group";
  let group = Line.index text.line in
  Line.expect text.line "tokens";
  let first = Line.index text.line in
  let second = Line.index text.line in
  finish text;
  if group >= Dataset.groups text.dataset || second >= Dataset.tokens text.dataset group || first >= second
     || not (Dataset.present text.dataset group first && Dataset.present text.dataset group second)
  then Line.bad text.line "not two increasing tokens of a group that differ";
  plain (ScoreTie (subject text, group, first, second))

let tie group first second =
  let why refused =
    compare "scores of the two tokens" (score refused group first) "=" (score refused group second);
    List.iteri
      (fun t _ ->
        compare (Printf.sprintf "score of token %d of the group" (refused.token group t)) (score refused group t) "<="
          (score refused group first))
      (List.nth refused.data.sequences group).score_row
  in
  { (kind "score-tie") with first = (fun _ _ -> [ "group"; count group; "tokens"; count first; count second ]); why }

let () =
  register ~about:Scores "locally-optimal" read_local (function
    | LocallyOptimal (_, k) as same -> Some { kind = local k; renumbered = (fun _ -> same) }
    | _ -> None);
  register ~about:Scores "not-locally-optimal" read_not_local (function
    | NotLocallyOptimal (p, k, witness) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.NotLocallyOptimal (p, k, Option.map (fun (i, t) -> (i, change.token_of i t)) witness)
        in
        Some { kind = not_local k witness; renumbered }
    | _ -> None);
  register ~about:Scores "globally-optimal" read_global (function
    | GloballyOptimal _ as same -> Some { kind = global; renumbered = (fun _ -> same) }
    | _ -> None);
  register ~about:Scores "not-globally-optimal" read_not_global (function
    | NotGloballyOptimal (p, i, t) ->
        Some { kind = not_global i t; renumbered = (fun change -> NotGloballyOptimal (p, i, change.token_of i t)) }
    | _ -> None);
  register ~about:Scores
    ~none_of_outputs:"a head of several outputs has no scores"
    "score-tie" read_tie (function
    | ScoreTie (p, i, t, u) ->
        let renumbered (change : Equal_tokens.change) =
          Verified.ScoreTie (p, i, change.token_of i t, change.token_of i u)
        in
        Some { kind = tie i t u; renumbered }
    | _ -> None)
