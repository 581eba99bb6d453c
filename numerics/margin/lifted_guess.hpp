// A floating-point Lawson-Hanson guess for problems that coordinate descent does not settle: infeasible
// selections and very large norms. Nothing here is a verdict.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {

struct LiftedGuess {
  std::vector<std::size_t> at;     // passive columns: constraint numbers, increasing
  std::vector<double> multiplier;  // u of the scaled constraints; sum u_c Delta_c points to a separator
};

// The passive columns of min ||sum u_c (Delta_c; s) - (0; 1)||, u >= 0: the support of a Farkas vector when
// the problem is infeasible, else close to the active set. `start` proposes columns, most promising first.
// Deterministic; stops early, with a feasible guess, after a fixed amount of work. Throws BudgetReached.
//
// `senses`: of each constraint; empty: all >= 1. Others have 0 in place of s, and u of rows = 0 has any sign;
// these rows are part of `start`.
LiftedGuess guess_lifted_passive_set(const ScaledConstraints& constraints,
                                     const std::vector<std::size_t>& start, const Budget& budget,
                                     const std::vector<Sense>& senses = {});

}  // namespace attest
