// What the solvers of all norms do with the multipliers of active constraints.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/norms/optimum.hpp"
#include "numerics/norms/rounding.hpp"

namespace attest {

// Drops active constraints with a multiplier that is not positive, takes in others with a margin certainly
// below `nearly_one`. `active` rises. False when there is none of either, or nothing is left.
bool choose_again(std::vector<std::size_t>& active, std::vector<Ball>& multiplier,
                  const std::vector<Ball>& margin, const Ball& nearly_one);

// The multipliers as written, those that are not positive as 0, and their sum.
struct WrittenMultipliers {
  WrittenMultipliers(const DyadicRow& written, long bits);
  std::vector<Ball> value;
  Ball sum;
};

// Is the interval found narrower than the one of the answer so far?
bool is_narrowest(const NormAnswer& answer, const NormOptimum& found);

}  // namespace attest
