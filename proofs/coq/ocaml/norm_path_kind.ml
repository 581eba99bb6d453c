(* The claim `norm-path`. Its value holds what the claim cited shows, which is checked with it. *)

open Kind
open Refusal
open Norm_kinds

(* That, if the claim at this place is a norm-optimum of the same problem in this norm. *)
let evidence text norm place : Verified.norm_evidence option =
  match ((List.nth text.earlier (List.length text.earlier - place - 1)).said, norm) with
  | Verified.NormOptimum (about, cited, lo, hi, rows, unit, v, bound, bits, distance), Some norm
    when about = subject text && cited = norm ->
      Some
        (EntrywiseEvidence
           { entrywise_norm_of = cited; entrywise_low = lo; entrywise_high = hi; entrywise_rows = rows;
             entrywise_unit = unit; entrywise_multipliers = v; entrywise_dual = bound; entrywise_bits = bits;
             entrywise_distance = distance })
  | NuclearOptimum (about, lo, hi, rank, k, k_unit, q, q_unit, v, bound, bits), None when about = subject text ->
      Some
        (NuclearEvidence
           { nuclear_low = lo; nuclear_high = hi; nuclear_rank = rank; nuclear_left = k; nuclear_left_unit = k_unit;
             nuclear_right = q; nuclear_right_unit = q_unit; nuclear_multipliers = v; nuclear_dual = bound;
             nuclear_bits = bits })
  | _ -> None

let read text =
  let norm, cited = read_cited text in
  let radius = named text.line "from-radius" in
  let constant = named text.line "rate-constant" in
  finish text;
  let shown = evidence text norm cited in
  plain (Verified.NormPath (subject text, cited, norm, text.problem.loss, shown, radius, constant))

let why_refused k norm loss (evidence : Verified.norm_evidence option) radius constant refused =
  compare "from-radius" (value radius) ">" Q.zero;
  (match cite refused k with
  | Verified.NormOptimum (_, cited, _, _, _, _, _, _, _, _) -> same_norm norm (Some cited)
  | NuclearOptimum _ -> same_norm norm None
  | _ -> wrong refused k "norm-optimum");
  let evidence = Option.get evidence and integers = Verified.integers in
  compare "lower bound of the least norm" (value (Verified.evidence_low integers evidence)) ">" Q.zero;
  let gamma = Verified.ray_margin_in integers evidence and weights = Verified.dual_weights_in integers evidence in
  Regularisation_path_kind.why_far loss gamma ~weights radius constant refused

let path k norm loss (evidence : Verified.norm_evidence option) radius constant =
  let why refused =
    match loss with
    | None -> found "the problem names no loss"
    | Some loss -> why_refused k norm loss evidence radius constant refused
  in
  (* Of the evidence, since what is verified is about it. *)
  let norm =
    match evidence with
    | Some (EntrywiseEvidence cited) -> Some cited.entrywise_norm_of
    | Some (NuclearEvidence _) -> None
    | None -> norm
  in
  { (kind "norm-path") with
    loss = Some loss;
    first =
      (fun _ _ ->
        [ "norm"; any_word norm ] @ from k @ [ "from-radius"; shown radius; "rate-constant"; shown constant ]);
    why }

let renumbered (change : Equal_tokens.change) : Verified.norm_evidence -> Verified.norm_evidence = function
  | EntrywiseEvidence x -> EntrywiseEvidence { x with entrywise_multipliers = change.vector x.entrywise_multipliers }
  | NuclearEvidence x -> NuclearEvidence { x with nuclear_multipliers = change.vector x.nuclear_multipliers }

let () =
  register ~of_labels:true ~none_of_outputs:"not known of heads of several outputs" "norm-path" read (function
    | NormPath (p, k, norm, loss, evidence, radius, constant) ->
        let renumbered change =
          Verified.NormPath (p, k, norm, loss, Option.map (renumbered change) evidence, radius, constant)
        in
        Some { kind = path k norm loss evidence radius constant; renumbered }
    | _ -> None)
