// The regularisation path for every radius (T21, proofs/statements/SOUNDNESS.md section 7): minimisers W_r of
// the training loss over balls ||W|| <= r satisfy 1 - <u, W_r>/r <= K/r with u = W*/||W*|| for all r >= R,
// whatever minimisers are taken.
#pragma once

#include <optional>

#include "numerics/margin/solution.hpp"
#include "numerics/problem/loss.hpp"

namespace attest {

struct PathBound {
  // Contains the least radius at which no selected token can lose half of its attention.
  Interval least_radius;
  Rational from_radius;    // R: a dyadic, at least that radius
  Interval rate;           // contains T21's constant at R
  Rational rate_constant;  // K: a dyadic, at least that constant
};

// Nothing when the multipliers are not known (form gap), or too loosely. The selection takes the unique best
// token of every group, some group has two tokens, and `solution` is its feasible margin problem's.
std::optional<PathBound> bound_regularisation_path(const TokenData& data, const Selection& selection,
                                                   const MarginSolution& solution, Loss loss);

}  // namespace attest
