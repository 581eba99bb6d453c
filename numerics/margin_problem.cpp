#include "numerics/margin_problem.hpp"

#include "numerics/budget.hpp"
#include "numerics/exact_margin.hpp"
#include "numerics/integer_constraints.hpp"

namespace attest {

MarginSolution solve_margin_problem(const TokenData& data, const Selection& selection, const MarginOptions& options) {
  const Budget budget(options.time_limit_seconds, options.memory_limit_bytes, options.progress);
  MarginSolution solution;
  if (constraint_count(data) == 0) {
    solution.feasibility = Feasibility::feasible;
    solution.exact.emplace();
    solution.support.emplace();
    solution.strictly_complementary = true;
    solution.locally_optimal = true;
    return solution;
  }
  try {
    const IntegerConstraints constraints(data, selection);
    solution.statistics.path = "exact";
    solve_exact_margin(constraints, {}, budget, solution);
    solution.statistics.exact_seconds = budget.elapsed_seconds();
  } catch (const BudgetReached& reached) {
    solution.reason = reached.reason;
  }
  return solution;
}

}  // namespace attest
