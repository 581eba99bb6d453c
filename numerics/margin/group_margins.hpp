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
  // Encloses the group's least margin at w*; exactly 1 where it is known to be in the support.
  Interval least;
};

// Encloses the group's share of the sum of the multipliers, which is ||w*||^2. Where multipliers are not
// unique, of those that the solution lists.
struct GroupShare {
  std::size_t group = 0;
  Interval share;
};

// Of every group with multipliers, increasing; the others' shares are 0. Empty where multipliers are not
// known.
std::vector<GroupShare> group_shares(const MarginSolution& solution);

// Of every group, nothing for those without rows; empty unless the solution has an optimum. Some groups at a
// time: beside the answer it holds what they and the solution's rows take. Throws BudgetReached.
std::vector<std::optional<GroupMargin>> group_margins(const TokenData& data, const Selection& selection,
                                                      const MarginSolution& solution, const Budget& budget);

}  // namespace attest
