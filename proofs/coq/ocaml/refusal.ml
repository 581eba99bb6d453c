(* Why a claim was rejected, in the words of attest-check: the first condition of GRAMMAR.md section 4 that fails, with
   both sides. Nothing here decides anything: the verified checker has refused the claim already. What the kinds'
   explanations share is here; each kind's own is with the kind (kinds.ml). *)

open Verified

exception Found of string

let found fmt = Printf.ksprintf (fun why -> raise (Found why)) fmt
let require holds why = if not holds then raise (Found why)

let integer = Coq_data.integer
let product a b = Coq_data.carrier (Integer.mul (integer a) (integer b))
let difference a b = Coq_data.carrier (Integer.sub (integer a) (integer b))
let quotient a b = Q.make (integer a) (integer b)
let value (q : fraction) = quotient q.fraction_num q.fraction_den

(* A number in a message: exactly when it is short. *)
let show x =
  let p = Integer.numbits (Q.num x) and q = Integer.numbits (Q.den x) in
  if p + q <= 200 then Numbers.canonical (Numbers.ratio (Q.num x) (Q.den x))
  else
    let shift = p - q - 63 in
    let scaled = if shift >= 0 then Q.div_2exp x shift else Q.mul_2exp x (-shift) in
    Printf.sprintf "about %s*2^%d (%d over %d bits)" (Integer.to_string (Q.to_bigint scaled)) shift p q

let compare what left relation right =
  let holds =
    match relation with
    | "<=" -> Q.leq left right
    | ">=" -> Q.geq left right
    | ">" -> Q.gt left right
    | "<" -> Q.lt left right
    | _ -> Q.equal left right
  in
  if not holds then found "%s: %s %s %s is false" what (show left) relation (show right)

let entry rows (group, token) = List.nth (List.nth rows group) token

(* Every place but the selected ones, in order. *)
let constraints picks rows =
  List.concat
    (List.mapi
       (fun i row -> List.filter (fun (_, t) -> t <> List.nth picks i) (List.mapi (fun t _ -> (i, t)) row))
       rows)

let listed mask = List.filter (entry mask) (constraints (List.map (fun _ -> -1) mask) mask)
let nonzero v = Verified.listed integers v
(* What is known when claim number `number` (from 0) is refused: all earlier claims hold. *)
type t = {
  instance : instance;
  data : token_data;                 (* of the claim's problem *)
  problems : int list array;         (* selected tokens, in their data's numbers *)
  posed : posed array;
  senses : sense list list;          (* of its rows; none: all are >= 1 *)
  claims : claim array;
  kinds : string array;
  numbers : int array;
  bits : int;
  number : int;
  token : int -> int -> int          (* the instance's, of a group and a token of the data *)
}

let at t (group, token) = Printf.sprintf "(%d, %d)" group (t.token group token)

(* ---- the senses of rows ---- *)

let sense t c = if t.senses = [] then AtLeastOne else entry t.senses c
let equality t c = sense t c = EqualToZero
let asked t c = if sense t c = AtLeastOne then Q.one else Q.zero

(* Is an entry of an inequality negative? *)
let negative t v =
  let below i j a = Integer.sign (integer a) < 0 && not (equality t (i, j)) in
  List.exists Fun.id (List.concat (List.mapi (fun i -> List.mapi (below i)) v.numerators))

(* The constraints of a mask that are no equalities. *)
let inequalities t mask = if t.senses = [] then mask else Verified.inequalities t.senses mask

(* The sum of the entries of rows >= 1. *)
let total t v =
  let sum = if t.senses = [] then total_entries integers v else asked_total integers t.senses v in
  quotient sum v.denominator

let about t = claim_problem integers t.claims.(t.number)
let picks t = t.problems.(about t)

(* The margins of a vector: numerators, denominator, and as a function of the place. *)
let margins t v =
  let m = Verified.margins integers t.data (picks t) v and unit = margin_unit integers t.data v in
  (m, unit, fun c -> quotient (entry m c) unit)

let squared_norm t v m = quotient (energy integers v m) (product v.denominator (margin_unit integers t.data v))
let dual_value t v m =
  let value =
    if t.senses = [] then Verified.dual_value integers t.data v m
    else sensed_dual_value integers t.data t.senses v m
  in
  quotient value (dual_unit integers t.data v)

let feasible ?(also = fun _ _ -> ()) t v =
  let m, _, margin = margins t v in
  List.iter
    (fun c ->
      compare ("margin at " ^ at t c) (margin c) (if equality t c then "=" else ">=") (asked t c);
      also c (margin c))
    (constraints (picks t) m);
  m

(* Margins with 1 added where 0 is asked for. *)
let raised_margins t v m = if t.senses = [] then m else Verified.raised integers t.data t.senses v m

(* Is the margin above what is asked for in the ball of squared radius r2? *)
let far t v (r2 : Q.t) =
  let m, unit, margin = margins t v and lengths = lengths integers t.data (picks t) in
  let num = Coq_data.carrier (Q.num r2) and den = Coq_data.carrier (Q.den r2) in
  let raised = raised_margins t v m in
  ((fun c -> (not (equality t c)) && far_check integers t.data unit num den (entry raised c) (entry lengths c)),
   m, margin)

let score t group token = quotient (List.nth (List.nth t.data.sequences group).score_row token) t.data.score_unit

(* How the selected token compares with another: by the signs of the gaps of a head of several outputs, else by
   scores. *)
let against t =
  match t.instance.token_scoring with
  | SeveralOutputs _ ->
      let signs = sign_table integers t.instance (picks t) in
      fun (group, token) ->
        let sign =
          match List.nth (List.nth signs group) token with
          | Some Gt -> Q.one
          | Some Eq -> Q.zero
          | Some Lt -> Q.minus_one
          | None -> found "the sign of the gap at %s is open" (at t (group, token))
        in
        ("sign of the gap at ", sign, Q.zero)
  | _ ->
      fun (group, token) ->
        ("score of the selected token against that of ", score t group (List.nth (picks t) group), score t group token)

let beats t relation =
  let against = against t in
  fun c ->
    let what, mine, theirs = against c in
    compare (what ^ at t c) mine relation theirs

let cite t k =
  if claim_problem integers t.claims.(k) <> about t then found "claim %d is about another problem" t.numbers.(k);
  t.claims.(k)

let wrong t k expected = found "cites claim %d, a claim of kind %s; expected %s" t.numbers.(k) t.kinds.(k) expected

(* The support that a claim has proved, and the multipliers when it rests on an exact solution. *)
let support t k expected =
  match cite t k with
  | Support (_, source, mask) -> (mask, match t.claims.(source) with Optimal (_, _, v) -> Some v | _ -> None)
  | _ -> wrong t k expected
