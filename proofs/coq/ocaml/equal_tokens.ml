(* Claims in the tokens of the instance, as they are read and printed, and in those of the data that Coq's checker is given,
   where equal tokens of a group are one: the first stands for them, and they are numbered in its order (EqualTokens.v). *)

open Verified

(* Per group the instance's tokens that stand for those of the data, as Coq has them. *)
type t = { standing : int array array; presence : bool list list; merged : bool (* were any equal? *) }

let of_instance (instance : instance) =
  let standing = representatives integers (token_data_of integers instance) in
  let presence =
    List.map2
      (fun tokens standing ->
        let present = Array.make (List.length tokens) false in
        List.iter (fun t -> present.(t) <- true) standing;
        Array.to_list present)
      instance.tokens standing
  in
  { standing = Array.of_list (List.map Array.of_list standing); presence;
    merged = List.exists (List.mem false) presence }

let different equal = List.map Array.length (Array.to_list equal.standing)

(* The instance's token for one of the data. *)
let token equal group t = equal.standing.(group).(t)

(* The way back; the readers let only tokens pass that stand for themselves. *)
let place equal group t =
  let rec search low high =
    if low >= high then failwith (Printf.sprintf "group %d: token %d is not in the data" group t)
    else
      let middle = (low + high) / 2 in
      let found = equal.standing.(group).(middle) in
      if found = t then middle else if found < t then search (middle + 1) high else search low middle
  in
  search 0 (Array.length equal.standing.(group))

(* How one numbering becomes the other: a token of a group, and the entries of a group; tokens that are not in the data have
   the entry given. *)
type change = { token_of : int -> int -> int; entries : 'a. 'a -> bool list -> 'a list -> 'a list }

let to_data equal =
  let entries _ presence row =
    if List.length row <> List.length presence then failwith "a row does not fit its group";
    List.concat (List.map2 (fun present a -> if present then [ a ] else []) presence row)
  in
  { token_of = place equal; entries }

let rec fill absent presence row =
  match (presence, row) with
  | [], [] -> []
  | true :: presence, a :: row -> a :: fill absent presence row
  | false :: presence, row -> absent :: fill absent presence row
  | _ -> failwith "a row does not fit its group"

let to_instance equal = { token_of = token equal; entries = fill }

let vector equal change groups (v : vector) =
  let zero = Coq_data.carrier Integer.zero in
  { v with numerators = List.map2 (change.entries zero) groups v.numerators }

let mask equal change m = List.map2 (change.entries false) equal.presence m

let evidence vector mask = function
  | LocalEvidence (a, outside, h, rho, x, th) -> LocalEvidence (a, mask outside, h, rho, x, th)
  | LocalResidualEvidence (path, least, hints, a, outside, h, rho, x, th) ->
      LocalResidualEvidence (path, least, hints, a, mask outside, h, rho, x, th)
  | BoundedEvidence e ->
      BoundedEvidence { e with centre_pull = vector e.centre_pull; bounded_outside = mask e.bounded_outside }
  | (AbsorbingEvidence _ | AbsorbingResidualEvidence _ | LockInEvidence _) as e -> e

let claim equal change said =
  let vector_of groups = vector equal change groups and m = mask equal change and token = change.token_of in
  let v = vector_of equal.presence in
  let evidence = evidence v m in
  match said with
  | Feasible (p, x) -> Feasible (p, v x)
  | Infeasible (p, x) -> Infeasible (p, v x)
  | Optimal (p, norm, x) -> Optimal (p, norm, v x)
  | EnclosureGap (p, lo, hi, r, x, y) -> EnclosureGap (p, lo, hi, r, v x, v y)
  | EnclosureBall (p, lo, hi, r, q, s, active, x, hints) -> EnclosureBall (p, lo, hi, r, q, s, m active, v x, hints)
  | Support (p, k, tokens) -> Support (p, k, m tokens)
  | StrictlyComplementary (p, k, x) -> StrictlyComplementary (p, k, Option.map v x)
  | NotStrictlyComplementary (p, k, i, t, x) -> NotStrictlyComplementary (p, k, i, token i t, v x)
  | NotLocallyOptimal (p, k, at) -> NotLocallyOptimal (p, k, Option.map (fun (i, t) -> (i, token i t)) at)
  | NotGloballyOptimal (p, i, t) -> NotGloballyOptimal (p, i, token i t)
  | ScoreTie (p, i, t, u) -> ScoreTie (p, i, token i t, token i u)
  | ForeverFromPoint (p, k, l, steps, start, e, c) -> ForeverFromPoint (p, k, l, steps, start, evidence e, c)
  | ForeverFromRun (p, k, run, t, e, c) -> ForeverFromRun (p, k, run, t, evidence e, c)
  | InfeasibleSpanning (p, x, s, tokens, hints) -> InfeasibleSpanning (p, v x, s, m tokens, hints)
  | MarginAtMost (p, bound, x) -> MarginAtMost (p, bound, v x)
  | Conflicts (p, conflicts) ->
      let presence = Array.of_list equal.presence in
      let conflict (groups, x) = (groups, vector_of (List.map (Array.get presence) groups) x) in
      Conflicts (p, List.map conflict conflicts)
  | SeparableWithout (p, out, x) -> SeparableWithout (p, out, v x)
  | (LocallyOptimal _ | GloballyOptimal _ | Rank _ | SmoothnessBound _ | Run _ | PathInequality _ | Stationary _
    | RegularisationPath _ | RobustRadius _) as same -> same

(* Claims and selections of an instance without equal tokens stay what they are. *)
let change_claim equal change said = if equal.merged then claim equal change said else said
let change_picks equal change picks = if equal.merged then List.mapi change.token_of picks else picks
