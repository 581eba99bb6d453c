// The exact tier of the margin solver: rational optimum or Farkas vector, support, strict complementarity.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/exact_linear_solve.hpp"
#include "numerics/problem/integer_constraints.hpp"

namespace attest {

// What row c asks of its margin: to be at least 1, or to be 0; else to be at least 0.
inline bool asks_one(const IntegerConstraints& constraints, std::size_t c) {
  return constraints.row(c).sense == Sense::at_least_one;
}
inline bool is_equality(const IntegerConstraints& constraints, std::size_t c) {
  return constraints.row(c).sense == Sense::equal_to_zero;
}

// The exact form is taken without being asked for when one exact solve is predicted to stay below this.
inline constexpr double cheap_exact_seconds = 2.5e-3;

// Solves the margin problem over the rationals and fills every field of `solution` except the statistics'
// times, and local optimality where a row is not one of >= 1. `start` (constraint numbers) proposes the
// active set; any set will do, a good one saves exact pivots. At least one constraint. Strict
// complementarity stays open where deciding it is predicted to take more seconds than said. Throws
// BudgetReached, leaving what was established so far in `solution`.
void solve_exact_margin(const IntegerConstraints& constraints, const std::vector<std::size_t>& start,
                        double complementarity_seconds, const Budget& budget, MarginSolution& solution);

// The answer where there are no rows: W* = 0.
MarginSolution vacuous_solution();

// A rational vector over constraints in lowest shared terms: value[k] * factor at constraint number at[k];
// zero entries are left out.
ConstraintVector constraint_vector(const IntegerConstraints& constraints, const std::vector<std::size_t>& at,
                                   const SharedVector& value, const Rational& factor);

// Local optimality from the exact support set (theory.md section 2): fills locally_optimal and local_witness.
void decide_local_optimality(const IntegerConstraints& constraints, MarginSolution& solution);

}  // namespace attest
