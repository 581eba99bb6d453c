// The dual of a margin problem in doubles for problems that coordinate descent does not settle: accelerated
// gradient steps, then the method of multipliers with Newton steps. Nothing here is a verdict.
//
// With unit rows a_c, the method minimises, for multipliers mu and a penalty sigma,
//     phi(W) = ||W||^2 / 2 + sum_c max(0, mu_c + sigma (offset_c - <a_c, W>))^2 / (2 sigma),
// piecewise quadratic and strongly convex, by Newton steps with an exact line search; then mu takes the
// values in the brackets. sigma grows only as fast as a few Newton systems can follow: too large a step and
// every system changes hundreds of rows. (R. T. Rockafellar, The multiplier method of Hestenes and Powell
// applied to convex programming, JOTA 12, 1973; for this use X. Li, D. Sun, K.-C. Toh, SIAM J. Optim. 28,
// 2018.)
//
// On an infeasible problem W converges and mu / sigma tends to the violations of the least-squares point: a
// combination that vanishes, with a positive weight on every violated row.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>

#include "numerics/margin/unit_rows.hpp"
#include "numerics/numbers/budget.hpp"

namespace attest {

// A pair seen on the way: multipliers of the scaled problem, >= 0, and what they say in doubles.
struct DualPoint {
  Eigen::VectorXd multiplier;
  double least_margin = 0;  // of W = sum multiplier_c Delta_c
  double lower = 0;         // 2 sum multiplier - ||W||^2: a bound of ||W*||^2 from below
  double upper = 0;         // ||W||^2 / least_margin^2 when that margin is positive, else infinite
  double relative_gap() const { return (upper - lower) / upper; }
};

enum class DualGoal {
  set,  // the positive multipliers: pivoting on them will do the rest
  gap   // the values themselves, as near as doubles come: where rows depend on each other no set tells them
};

enum class DualOutcome {
  settled,    // the positive multipliers stay the same: probably the active set
  vanishing,  // sum multiplier_c Delta_c tends to zero beside the multipliers: probably infeasible
  stalled     // neither, within the work allowed
};

// Calls `seen` for every pair worth keeping, the last one being the result's. `start` >= 0, one for each
// constraint of the scaled problem; for the goal `gap` near a solution already. Deterministic. Throws
// BudgetReached.
DualOutcome solve_dual(const UnitRows& rows, const Eigen::VectorXd& start, DualGoal goal,
                       const Budget& budget, const std::function<void(DualPoint)>& seen);

}  // namespace attest
