// How far a point is from those at which an absorbing region (T10, T11) is proved, in margins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "numerics/forever/selection_facts.hpp"
#include "numerics/forever/start_point.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

struct MarginShortfall {
  std::uint64_t step = 0;
  // The region's hypotheses seem to hold once every margin below this level is raised to it, y following the
  // margins of the support: a guess in doubles, within 1 %.
  double level = 0;
  // Where no level of all margins will do, as with better tokens among them, which have to fall behind: the
  // margins are raised to those of the ray on which the support has this level.
  bool on_ray = false;
  std::vector<Constraint> below;  // the tokens with less than that, the least margins first; not empty
  double least = 0;               // the first one's margin
};

// Nothing when no level up to 2^40 will do, as for selections that are not locally optimal, no margin is
// below it, or no theorem covers the steps. Throws BudgetReached.
std::optional<MarginShortfall> approx_shortfall(const RunGeometry& geometry,
                                                const SelectionFacts<BallNumber>& facts,
                                                const OptimizerSpec& spec, const StartPoint<double>& point,
                                                const Budget& budget = Budget());

}  // namespace attest
