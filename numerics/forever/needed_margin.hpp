// How far a point is from those at which an absorbing region (T10, T11) is proved, in margins.
#pragma once

#include <optional>

#include "numerics/forever/selection_facts.hpp"
#include "numerics/forever/start_point.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

// The least level such that the region's hypotheses seem to hold once every margin below it is raised to it,
// y following the margins of the support: a guess in doubles, within 1 %. Nothing when no level up to 2^40
// will do, as for selections that are not locally optimal, or where no theorem covers the steps. Throws
// BudgetReached.
std::optional<double> approx_needed_margin(const SelectionFacts<BallNumber>& facts, const OptimizerSpec& spec,
                                           const StartPoint<BallNumber>& start,
                                           const Budget& budget = Budget());

}  // namespace attest
