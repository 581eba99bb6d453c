// A plan by which a checker verifies T17 (MIRROR.md sections 11 and 13): heights, slopes and floors of
// margins, found in doubles. A guess: it proves nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numerics/mirror/region_data.hpp"

namespace attest {

struct MirrorPlan {
  std::vector<double> floors;  // of margins, in the order of the limit's constraints
  struct Piece {
    double until, slope;  // of heights; of Phi
  };
  std::vector<Piece> pieces;
  double last_slope = 0;
  // What it implies: 1 - zeta/||Z||_Q <= rate/zeta^min(1,Q-1); growth of zeta over eta; 1 - s at all later
  // steps.
  double rate = 0, growth = 0, unselected = 0;
};

// From any W_0 between the balls, which step `step` of the run has reached; nothing where none was found.
// Throws BudgetReached.
std::optional<MirrorPlan> mirror_plan(const TokenData& data, const MirrorSpec& spec, std::uint64_t step,
                                      const Potential& potential, const MirrorLimit& limit,
                                      const std::vector<Ball>& w0, const Budget& budget);

}  // namespace attest
