// The regularisation path for every radius (T21, proofs/statements/SOUNDNESS.md section 7): minimisers W_r of
// the training loss over balls N(W) <= r of a norm satisfy 1 - <n, W_r>/r <= K/r for all r >= R, whatever
// minimisers are taken: n has dual norm 1 and <n, W*> = N(W*). In the Euclidean norm it is W*/||W*||.
#pragma once

#include <optional>

#include "numerics/norms/norm_optimum.hpp"
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

// The same in another norm, for every n that solves the dual problem. In the nuclear norm minimisers (K,Q)
// over |K|^2 + |Q|^2 <= 2r are meant, too, by W = K Q': of min(d, e) columns at least, or, up to the
// optimum's relative gap, of as many as its factors have. Nothing when its value may be 0.
std::optional<PathBound> bound_regularisation_path(const TokenData& data, const Selection& selection,
                                                   const NormOptimum& optimum, Loss loss);

}  // namespace attest
