(* The claim `norm-face`. Its value holds what the claim cited shows. *)

open Kind
open Refusal
open Norm_kinds

let known text norm place : Verified.entrywise_data option =
  match Norm_path_kind.evidence text (Some norm) place with Some (EntrywiseEvidence known) -> Some known | _ -> None

let read text =
  let norm, cited = read_cited text in
  let norm =
    match norm with
    | Some (Verified.(SumNorm | MaxNorm) as norm) -> norm
    | _ -> Line.bad text.line "only of the norms l1 and linf"
  in
  Line.expect text.line "dimension";
  let at_least = Line.index text.line in
  let at_most = Line.index text.line in
  Line.expect text.line "size";
  let size = Line.index text.line in
  if at_least > at_most then Line.bad text.line "no such dimension";
  finish text;
  let mask = Constraints.read_constraints text.line text.source text.dataset text.problem size in
  let rows = Dataset.left_dimension text.dataset and columns = Dataset.right_dimension text.dataset in
  let line = next text in
  Line.expect line "modulus";
  let modulus = Coq_data.carrier (Z.of_int (Line.index line)) in
  Line.finish line;
  let rec read_entries count last read =
    if count = 0 then List.rev read
    else
      let line = next text in
      let row = Line.index line in
      let column = Line.index line in
      Line.finish line;
      if row >= rows || column >= columns then Line.bad line "no such entry";
      if (row, column) <= last then Line.bad line "entries must strictly increase";
      read_entries (count - 1) (row, column) ((row, column) :: read)
  in
  let entries = read_entries at_most (-1, -1) [] in
  let rec read_others count read =
    if count = 0 then List.rev read else read_others (count - 1) (read_matrix text "other" rows columns :: read)
  in
  let said : Verified.norm_face_data =
    { face_of = known text norm cited; face_tight = mask; face_modulus = modulus; face_entries = entries;
      face_others = read_others at_least [] }
  in
  plain (Verified.NormFace (subject text, cited, norm, said))

let prime (said : Verified.norm_face_data) =
  let modulus = integer said.face_modulus in
  Integer.numbits modulus <= 31 && Hints.prime_modulus (Integer.to_int modulus)

(* ---- why refused ---- *)

let why_not_tight (known : Verified.entrywise_data) (said : Verified.norm_face_data) refused =
  let data = refused.data in
  let m = Verified.(margins_of integers) data (picks refused) known.entrywise_rows in
  let scale = product known.entrywise_unit (product data.Verified.token_unit data.query_unit) in
  List.iter
    (fun c ->
      if Integer.sign (integer (entry known.entrywise_multipliers.numerators c)) = 0 then (
        require (said.face_entries = [])
          (Printf.sprintf "no multiplier at %s, and there may be several solutions" (at refused c));
        compare ("margin at " ^ at refused c) (quotient (entry m c) scale) "=" Q.one))
    (listed said.face_tight)

let why_not_determined norm (known : Verified.entrywise_data) (said : Verified.norm_face_data) refused =
  let integers = Verified.integers and data = refused.data and picks = picks refused in
  let v = known.entrywise_multipliers in
  let rest = Verified.free_but integers data picks norm v known.entrywise_dual said.face_entries in
  let tight = Verified.(listed_places integers) data (nonzero v) in
  let wanted = List.length rest and p = Integer.to_int (integer said.face_modulus) in
  let residue a = Integer.to_int (Integer.erem (integer a) (Integer.of_int p)) in
  let rank =
    if List.length tight < wanted then List.length tight
    else
      Rank_kind.rank_modulo p
        (List.map (fun c -> List.map residue (Verified.row_at integers data picks rest c)) tight)
  in
  compare "rank modulo the prime of the rows with multipliers, at the other free entries" (Q.of_int rank) ">="
    (Q.of_int wanted)

let why_no_others norm (known : Verified.entrywise_data) (said : Verified.norm_face_data) refused =
  let integers = Verified.integers and data = refused.data in
  let different = Verified.different integers data known.entrywise_rows known.entrywise_unit in
  let masks = List.map different said.face_others in
  let counts = Verified.how_many (List.length (Verified.matrix_places integers data)) masks in
  List.iteri
    (fun l (rows, unit) ->
      let which = Printf.sprintf "matrix %d of the others" (l + 1) in
      let m = Verified.(margins_of integers) data (picks refused) rows in
      let scale = product unit (product data.Verified.token_unit data.query_unit) in
      List.iter
        (fun c ->
          compare (Printf.sprintf "margin at %s of %s" (at refused c) which) (quotient (entry m c) scale) ">=" Q.one)
        (constraints (picks refused) m);
      require
        (Verified.(norm_check integers) norm Integer.zero rows unit known.entrywise_high)
        ("the norm of " ^ which ^ " is not the least");
      require
        (List.exists2 (fun differs count -> differs && count = 1) (List.nth masks l) counts)
        (which ^ " differs from the first solution nowhere alone"))
    said.face_others

let why_refused k norm (said : Verified.norm_face_data) refused =
  (match cite refused k with
  | Verified.NormOptimum (_, cited, _, _, _, _, _, _, _, _) -> same_norm (Some norm) (Some cited)
  | NuclearOptimum _ -> same_norm (Some norm) None
  | _ -> wrong refused k "norm-optimum");
  let known = Option.get said.face_of in
  require
    (Q.equal (value known.entrywise_low) (value known.entrywise_high))
    "the claim cited says no exact value of the least norm";
  require (prime said) "the modulus is not a prime from 3 to 2^31";
  why_not_tight known said refused;
  why_not_determined norm known said refused;
  why_no_others norm known said refused

(* ---- the kind ---- *)

let face p k norm (said : Verified.norm_face_data) =
  let evidence page =
    Forever.print_constraints page.print said.face_tight;
    page.print [ "modulus"; Integer.to_string (integer said.face_modulus) ];
    List.iter (fun (row, column) -> page.print [ count row; count column ]) said.face_entries;
    List.iter (fun (rows, unit) -> print_matrix page "other" rows unit) said.face_others
  in
  (* A modulus that is no prime is refused, whatever it shows. *)
  let refused_modulus = { said with Verified.face_modulus = Coq_data.carrier Z.zero } in
  (* Of the evidence, since what is verified is about it. *)
  let norm = match said.face_of with Some known -> known.entrywise_norm_of | None -> norm in
  { (kind "norm-face") with
    first =
      (fun _ _ ->
        [ "norm"; norm_word norm ] @ from k
        @ [ "dimension"; count (List.length said.face_others); count (List.length said.face_entries); "size";
            count (List.length (places said.face_tight) / 2) ]);
    further = (fun () -> "constraints" :: words_of_places said.face_tight);
    evidence;
    guessed = Some (fun _ -> Verified.NormFace (p, k, norm, if prime said then said else refused_modulus));
    why = why_refused k norm said;
    why_as_read = true }

let renumbered (change : Equal_tokens.change) (said : Verified.norm_face_data) : Verified.norm_face_data =
  let of_known (known : Verified.entrywise_data) =
    { known with entrywise_multipliers = change.vector known.entrywise_multipliers }
  in
  { said with face_of = Option.map of_known said.face_of; face_tight = change.mask said.face_tight }

let () =
  register ~about:Margins "norm-face" read (function
    | NormFace (p, k, norm, said) ->
        Some
          { kind = face p k norm said;
            renumbered = (fun change -> Verified.NormFace (p, k, norm, renumbered change said)) }
    | _ -> None)
