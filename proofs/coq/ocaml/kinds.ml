(* The kinds of claims: those that files of kinds have registered, which CMakeLists.txt lists before this one. *)

let known word = List.exists (fun (r : Kind.registered) -> r.word = word) !Kind.all

(* What reads claims of a kind, if there is such a kind. *)
let reader word =
  let named (r : Kind.registered) = if r.word = word then Some r.read else None in
  List.find_map named !Kind.all

let described claim : Kind.described =
  match List.find_map (fun (r : Kind.registered) -> r.describe claim) !Kind.all with
  | Some described -> described
  | None -> failwith "a claim of a kind that is not registered"

let of_claim claim = (described claim).kind
let name claim = (of_claim claim).Kind.name

(* The claim in the other numbering. *)
let renumbered change claim =
  match change with Some change -> (described claim).renumbered change | None -> claim

(* Those about problems of any rows; of the others all rows are a selection's, and >= 1. *)
let about_any_rows =
  [ "feasible";
    "infeasible";
    "margin-at-most";
    "optimal";
    "optimal-enclosure";
    "support";
    "strictly-complementary";
    "not-strictly-complementary";
    "rank";
    "joint-attention";
    "label-margins";
    "joint-path";
    "joint-run";
    "joint-forever";
    "finite-part";
    "no-finite-part" ]

(* Those that speak of margins only, and of scores besides: the others speak of training. *)
let about_margins =
  about_any_rows @ [ "conflicts"; "separable-without"; "robust-radius"; "norm-optimum"; "norm-support-within" ]

let about_scores =
  [ "locally-optimal"; "not-locally-optimal"; "globally-optimal"; "not-globally-optimal"; "score-tie";
    "norm-locally-optimal" ]

(* Those that speak of runs and later steps, verified for cross-entropy, too. *)
let about_runs =
  [ "stationary";
    "run";
    "path-inequality";
    "forever-from-point";
    "forever-from-run";
    "mirror-run";
    "mirror-forever";
    "factored-run" ]

(* Those of both that are verified for heads of several outputs. *)
let about_outputs =
  [ "locally-optimal"; "not-locally-optimal"; "globally-optimal"; "not-globally-optimal"; "run"; "path-inequality";
    "forever-from-point"; "forever-from-run" ]

(* Kinds that attest-check knows and that are not verified yet. *)
let not_verified =
  [ "token-forever";
    "token-shift" ]
