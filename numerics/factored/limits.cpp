#include "numerics/factored/limits.hpp"

#include "numerics/norms/solution_matrix.hpp"

namespace attest {

FactoredLimits factored_limits(const TokenData& data, const Selection& selection, const Budget& budget) {
  FactoredLimits limits;
  limits.selection = selection;
  limits.euclidean =
      mirror_limit(data, selection, Potential(2), budget, limits.euclidean_reason, &limits.conflict);
  if (constraint_count(data) == 0) {
    limits.nuclear_reason = limits.euclidean_reason;
    return limits;
  }
  MarginOptions options;
  options.outer = &budget;
  const MarginSolution euclidean = solve_margin_problem(data, selection, options);
  if (euclidean.feasibility != Feasibility::feasible) {
    limits.nuclear_reason = euclidean.feasibility == Feasibility::infeasible
                                ? "no W separates the selection it heads for"
                                : euclidean.reason;
    return limits;
  }
  NormRequest request;
  request.norm.kind = NormKind::nuclear;
  request.norm.word = "nuclear";
  const NormAnswer answer = solve_norm_problem(data, selection, euclidean, request, budget);
  limits.nuclear_reason = answer.reason;
  if (!answer.optimum || answer.optimum->value.lo <= 0) return limits;
  limits.nuclear = answer.optimum;
  limits.nuclear_matrix = matrix_of(*limits.nuclear);
  return limits;
}

}  // namespace attest
