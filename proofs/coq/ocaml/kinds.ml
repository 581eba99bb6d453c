(* The kinds of claims: those that files of kinds have registered while the program started. *)

let named word = List.find_opt (fun (r : Kind.registered) -> r.word = word) !Kind.all

let described claim : Kind.described =
  match List.find_map (fun (r : Kind.registered) -> r.describe claim) !Kind.all with
  | Some described -> described
  | None -> failwith "a claim of a kind that is not registered"

let of_claim claim = (described claim).kind
let name claim = (of_claim claim).Kind.name

(* The claim in the other numbering. *)
let renumbered change claim =
  match change with Some change -> (described claim).renumbered change | None -> claim

(* Claims about this head: does Coq's checker decide them? *)
let verified (kind : Kind.registered) (scoring : Dataset.scoring) =
  match (scoring, kind.about) with
  | Targets _, Training -> kind.of_labels
  | _ -> true

(* Why heads of several outputs have no such claims, if they have none. *)
let of_one_output word =
  Option.bind (named word) (fun (kind : Kind.registered) -> kind.none_of_outputs)

(* Kinds that attest-check knows and that are not verified yet. *)
let not_verified : string list = []
