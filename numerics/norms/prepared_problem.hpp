// A margin problem as the solvers of all norms take it.
#pragma once

#include <utility>
#include <vector>

#include "numerics/norms/optimum.hpp"
#include "numerics/norms/precise_rows.hpp"
#include "numerics/problem/integer_constraints.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {

struct PreparedProblem {
  PreparedProblem(const TokenData& token_data, const Selection& selected, const NormRequest& asked,
                  std::vector<double> near_multipliers, const Budget& limits)
      : data(token_data),
        selection(selected),
        request(asked),
        budget(limits),
        near(std::move(near_multipliers)),
        constraints(token_data, selected),
        scaled(scale_constraints(constraints, limits)) {}

  const TokenData& data;
  const Selection& selection;
  const NormRequest& request;
  const Budget& budget;
  const std::vector<double> near;  // of the Euclidean problem, of each constraint, to any scale; or empty
  IntegerConstraints constraints;
  ScaledConstraints scaled;

  // Bits of a relative accuracy better than the gap asked for.
  long gap_bits() const;
  // With which the checker's procedures decide it: their own error is a few units for each entry.
  unsigned checker_bits() const;
};

// One solver a family of norms. What is proved so far is in `answer` when they throw BudgetReached.
void solve_power_norm(const PreparedProblem& problem, NormAnswer& answer);
void solve_nuclear_norm(const PreparedProblem& problem, NormAnswer& answer);
void solve_linear_norm(const PreparedProblem& problem, NormAnswer& answer);

}  // namespace attest
