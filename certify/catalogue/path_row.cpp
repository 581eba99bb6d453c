// Rows about the regularisation path, A.rp, B.T2, B.T9 and D.rp: the limit along minimisers over growing
// balls, and over growing parts of a cone, proved at every radius by T21.
#include "certify/catalogue/catalogue.hpp"
#include "certify/catalogue/cone.hpp"
#include "certify/numbers/decimal.hpp"
#include "numerics/forever/local_path.hpp"
#include "numerics/forever/regularisation_path.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {

Hypothesis best_token_alone(const CatalogueContext& context) {
  if (!context.data().outputs) return best_tokens_unique(context);
  const std::string name = "gaps of the optimal tokens positive";
  const std::optional<Constraint> rival = path_rival(context.data(), context.best());
  if (!rival) return {name, Verdict::holds, "the loss rises towards every other token (exact)"};
  const std::string where = show(*rival) + " beside token " + std::to_string(context.best()[rival->group]);
  if (score_gap(context.data(), context.best(), *rival) <= 0)
    return {name, Verdict::fails, where + ": the loss does not rise where attention moves there"};
  return {name, Verdict::undecided, where + ": the units leave open whether both are better than one"};
}

namespace {

// T21 of the best tokens, whose margin problem is feasible.
void conclude_path(CatalogueContext& context, Row& row, const std::string& minimisers,
                   const std::string& solution) {
  const auto bound = bound_regularisation_path(context.data(), context.best(), context.solved_best().solution,
                                               context.options().loss);
  if (!bound) return settle(row, Verdict::undecided, "precision: the multipliers are not known well enough");
  row.conclusion = "for every r >= " + decimal_up(bound->from_radius, 8) + " " + minimisers +
                   " has 1 - <u, W>/r <= " + decimal_up(bound->rate_constant, 8) + "/r, u the direction of " +
                   solution + " (checked, T21)";
  settle(row);
}

// Of heads without scores: where nothing is better than alpha's tokens every W is in cone_eps(alpha).
void decide_path_in_whole_cone(CatalogueContext& context, Row& row) {
  row.require(some_constraint(context));
  row.require(feasible("alpha", context.solved()));
  Hypothesis alone = best_token_alone(context);
  if (context.selection() != context.best() || alone.verdict != Verdict::holds)
    alone = {"no token better than alpha's", Verdict::undecided,
             "not applicable: T21's local form is known of the scalar head"};
  row.require(alone);
  settle(row);
  if (row.verdict == Verdict::holds)
    conclude_path(context, row,
                  "every minimiser W of L over the W in cone_eps(alpha), here every W, with ||W|| <= r",
                  "W_mm(alpha)");
}

}  // namespace

void decide_regularisation_path(CatalogueContext& context, Row& row) {
  row.require(best_token_alone(context));
  row.require(some_constraint(context));
  const bool speaks =
      row.hypotheses[0].verdict == Verdict::holds && row.hypotheses[1].verdict == Verdict::holds;
  if (!speaks) return settle(row);
  const SolvedSelection& solved = context.solved_best();
  row.require(feasible("opt", solved));
  if (solved.solution.feasibility != Feasibility::feasible) return settle(row);
  conclude_path(context, row, "every minimiser W of L over ||W|| <= r", "SVM(opt)'s solution");
}

void settle_path_in_norm(CatalogueContext& context, Row& row, const Norm& norm) {
  const NormAnswer& solved = context.solved_in({norm}, context.best());
  if (!solved.optimum) return settle(row, Verdict::undecided, solved.reason);
  const auto bound =
      bound_regularisation_path(context.data(), context.best(), *solved.optimum, context.options().loss);
  if (!bound) return settle(row, Verdict::undecided, "precision: the solution is not known well enough");
  const bool nuclear = norm.kind == NormKind::nuclear;
  row.conclusion +=
      (row.conclusion.empty() ? "" : "; ") + ("for every r >= " + decimal_up(bound->from_radius, 8)) +
      " every minimiser " + (nuclear ? "W = K Q' over |K|^2 + |Q|^2 <= 2r" : "W over the ball of radius r") +
      " in the " + norm.word + " norm has 1 - <n, W>/r <= " + decimal_up(bound->rate_constant, 8) +
      "/r, n any solution of the dual problem" + (nuclear ? ", K and Q of min(d, e) columns" : "") +
      " (checked, T21)";
  settle(row);
}

void decide_matrix_path(CatalogueContext& context, Row& row) {
  decide_regularisation_path(context, row);
  if (row.verdict == Verdict::holds) settle_path_in_norm(context, row, *parse_norm("nuc"));
}

void decide_local_path(CatalogueContext& context, Row& row) {
  if (context.data().outputs || context.data().targets) return decide_path_in_whole_cone(context, row);
  const std::optional<ConeValue> cone = cone_at_solution(context, row);
  if (!cone) return;
  const SolvedSelection& solved = context.solved();
  row.require(locally_optimal(context, solved));
  const std::string seen = describe(*cone, *solved.geometry);
  row.require("W_mm(alpha) in cone_eps(alpha) for some eps > 0", in_some_cone(*cone), seen);
  settle(row);
  if (row.verdict != Verdict::holds) return;
  const Rational eps =
      cone->unbounded ? Rational(1) : dyadic_below(cone->value.lo / solved.geometry->norm.hi / 2, 10);
  const auto bound =
      bound_local_path(context.data(), solved.selection, solved.solution, context.options().loss, eps);
  if (!bound) return settle(row, Verdict::undecided, "precision: the multipliers are not known well enough");
  row.conclusion = "for every r >= " + decimal_up(bound->from_radius, 8) +
                   " every minimiser W of L over the W in cone_eps(alpha), eps = " + show_short(eps) +
                   ", with " + decimal_up(bound->least_norm, 8) +
                   " <= ||W|| <= r has 1 - <u, W>/r <= " + decimal_up(bound->rate_constant, 8) +
                   "/r, u the direction of W_mm(alpha) (checked, T21); " + seen;
}

}  // namespace attest
