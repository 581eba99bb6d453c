// The rows that an infeasible problem's evidence names, whichever of the two it is.
#pragma once

#include <vector>

#include "numerics/margin/solution.hpp"

namespace attest {

// No W gives all of them a positive margin. Empty unless infeasible.
inline std::vector<Constraint> conflict_rows(const MarginSolution& solution) {
  if (solution.feasibility != Feasibility::infeasible) return {};
  if (solution.farkas) return solution.farkas->constraint;
  return solution.spanning_conflict ? solution.spanning_conflict->combination.constraint
                                    : std::vector<Constraint>();
}

}  // namespace attest
