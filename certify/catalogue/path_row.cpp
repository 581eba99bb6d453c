// Rows about the regularisation path, A.rp and B.T2: the limit along minimisers over growing balls, proved at
// every radius by T21.
#include "certify/catalogue/catalogue.hpp"
#include "certify/numbers/decimal.hpp"
#include "numerics/forever/regularisation_path.hpp"

namespace attest {

void decide_regularisation_path(CatalogueContext& context, Row& row) {
  row.require(best_tokens_unique(context));
  row.require(some_constraint(context));
  const bool speaks =
      row.hypotheses[0].verdict == Verdict::holds && row.hypotheses[1].verdict == Verdict::holds;
  if (!speaks) return settle(row);
  const SolvedSelection& solved = context.solved_best();
  row.require(feasible("opt", solved));
  if (solved.solution.feasibility != Feasibility::feasible) return settle(row);
  const auto bound =
      bound_regularisation_path(context.data(), context.best(), solved.solution, context.options().loss);
  if (!bound) return settle(row, Verdict::undecided, "precision: the multipliers are not known well enough");
  row.conclusion =
      "for every r >= " + decimal_up(bound->from_radius, 8) +
      " every minimiser W of L over ||W|| <= r has 1 - <u, W>/r <= " + decimal_up(bound->rate_constant, 8) +
      "/r, u the direction of SVM(opt)'s solution (checked, T21)";
  settle(row);
}

}  // namespace attest
