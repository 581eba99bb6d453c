// How far the tokens of a feasible problem may move before it can become infeasible (theory.md 10,
// resolution).
#pragma once

#include <optional>

#include "numerics/margin/solution.hpp"
#include "numerics/numbers/budget.hpp"

namespace attest {

// Encloses the least rho such that the problem is infeasible for some feature rows none of which is moved by
// more than rho (equal rows of a group move alike). `queries_move`: z_i is one of the rows that move. Nothing
// unless the problem is feasible with a bound of ||W||, and for problems without rows.
//
//   lo  a W with all margins >= 1 and ||W|| <= N: a margin changes by at most 2 rho N ||z_i||; where queries
//   move, by
//       2 rho N (||z_i|| + rho) + rho N ||dx_c||. A dyadic for which this is below 1.
//   hi  for multipliers lambda >= 0 of the rows of one group, with a = sum lambda_c dx_c and L = sum
//   lambda_c: winner and
//       losers moved by ||a|| / (2 L) towards each other along a have sum lambda_c dx_c = 0, whatever z_i is.
//       The same with all groups' rows where all queries are 1.
std::optional<Interval> robust_radius(const TokenData& data, const Selection& selection,
                                      const MarginSolution& solution, bool queries_move,
                                      const Budget& budget);

}  // namespace attest
