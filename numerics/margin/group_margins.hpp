// What each group contributes to a solved margin problem: its least margin at w*, and its share of what w*
// costs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/numbers/budget.hpp"

namespace attest {

struct GroupMargin {
  std::size_t token = 0;  // whose margin is the least one near w*
  Interval
      least;  // encloses the group's least margin at w*; exactly 1 where it is known to be in the support
  // Encloses the group's share of the sum of the multipliers, which is ||w*||^2; nothing where only a gap is
  // known. Where multipliers are not unique, of those that the solution lists.
  std::optional<Interval> share;
};

// Of every group, nothing for those without rows; empty unless the solution has an optimum. Throws
// BudgetReached.
std::vector<std::optional<GroupMargin>> group_margins(const TokenData& data, const Selection& selection,
                                                      const MarginSolution& solution, const Budget& budget);

}  // namespace attest
