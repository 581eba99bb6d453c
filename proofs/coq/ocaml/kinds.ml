(* The kinds of claims, in two tables: by the word of GRAMMAR.md for reading, by the value that Coq's checker is given
   for everything else. A new kind is a line in each. *)

open Verified

(* A kind that attest-check knows and no theorem speaks of yet. *)
let unverified kind (_ : Kind.text) : Kind.body =
  Stop.too_large "claims of kind %s are not verified yet, attest-check knows them" kind

let readers : (string * (Kind.text -> Kind.body)) list =
  [ ("feasible", Feasibility_kinds.read_feasible);
    ("infeasible", Feasibility_kinds.read_infeasible);
    ("optimal", Solution_kinds.read_optimal);
    ("optimal-enclosure", Solution_kinds.read_enclosure);
    ("support", Support_kinds.read_support);
    ("strictly-complementary", Support_kinds.read_strict);
    ("not-strictly-complementary", Support_kinds.read_not_strict);
    ("locally-optimal", Optimality_kinds.read_local);
    ("not-locally-optimal", Optimality_kinds.read_not_local);
    ("globally-optimal", Optimality_kinds.read_global);
    ("not-globally-optimal", Optimality_kinds.read_not_global);
    ("score-tie", Optimality_kinds.read_tie);
    ("rank", Rank_kind.read);
    ("smoothness", Loss_kinds.read_smoothness);
    ("stationary", Loss_kinds.read_stationary);
    ("run", Run_kinds.read_run);
    ("path-inequality", Run_kinds.read_path);
    ("forever-from-point", Forever_kinds.read_from_point);
    ("forever-from-run", Forever_kinds.read_from_run);
    ("regularisation-path", Regularisation_path_kind.read);
    ("margin-at-most", Separability_kinds.read_margin_at_most);
    ("conflicts", Separability_kinds.read_conflicts);
    ("separable-without", Separability_kinds.read_separable_without);
    ("robust-radius", Separability_kinds.read_robust_radius);
    ("norm-optimum", unverified "norm-optimum");
    ("norm-support-within", unverified "norm-support-within");
    ("norm-locally-optimal", unverified "norm-locally-optimal") ]

let of_claim : claim -> Kind.t = function
  | Feasible (_, v) -> Feasibility_kinds.feasible v
  | Infeasible (_, v) -> Feasibility_kinds.infeasible v
  | Optimal (_, norm, v) -> Solution_kinds.optimal norm v
  | EnclosureGap (_, lo, hi, distance, v, w) -> Solution_kinds.gap lo hi distance v w
  | EnclosureBall (p, lo, hi, r, q, s, mask, v, _) -> Solution_kinds.ball p lo hi r q s mask v
  | Support (_, k, mask) -> Support_kinds.support k mask
  | StrictlyComplementary (_, k, mu) -> Support_kinds.strict k mu
  | NotStrictlyComplementary (_, k, i, t, x) -> Support_kinds.not_strict k i t x
  | LocallyOptimal (_, k) -> Optimality_kinds.local k
  | NotLocallyOptimal (_, k, witness) -> Optimality_kinds.not_local k witness
  | GloballyOptimal _ -> Optimality_kinds.global
  | NotGloballyOptimal (_, i, t) -> Optimality_kinds.not_global i t
  | ScoreTie (_, i, t, u) -> Optimality_kinds.tie i t u
  | Rank (p, k, rank, lower, upper) -> Rank_kind.rank p k rank lower upper
  | SmoothnessBound (_, loss, beta) -> Loss_kinds.smoothness loss beta
  | Run (p, k, run) -> Run_kinds.run p k run
  | PathInequality (p, k, run, t, u, m) -> Run_kinds.path p k run t u m
  | ForeverFromPoint (p, k, loss, steps, start, e, said) -> Forever_kinds.from_point p k loss steps start e said
  | ForeverFromRun (p, k, run, t, e, said) -> Forever_kinds.from_run p k run t e said
  | Stationary (_, loss, start) -> Loss_kinds.stationary loss start
  | RegularisationPath (_, k, loss, radius, constant) -> Regularisation_path_kind.path k loss radius constant
  | InfeasibleSpanning (p, v, bound, mask, _) -> Feasibility_kinds.spanning p v bound mask
  | MarginAtMost (_, bound, v) -> Separability_kinds.margin_at_most bound v
  | Conflicts (_, conflicts) -> Separability_kinds.conflicts conflicts
  | SeparableWithout (_, out, v) -> Separability_kinds.separable_without out v
  | RobustRadius (_, k, radius, queries_move) -> Separability_kinds.robust_radius k radius queries_move

let name claim = (of_claim claim).Kind.name
