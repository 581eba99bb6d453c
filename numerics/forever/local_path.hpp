// The regularisation path near a locally optimal selection, for every radius (T21 inside a cone, papers.md
// B.T9): minimisers W_r of the training loss over the W with R_0 <= ||W|| <= r and, in every group with a
// token at least as good as the selected one, a worse token whose logit exceeds all of theirs by eps ||W||,
// satisfy 1 - <u, W_r>/r <= K/r with u = W*/||W*|| for all r >= R.
//
// Let better tokens have gap <= 0 and D = sum over worse tokens of s gap. Inside the cone the better ones
// have at most k e^{-eps ||W||} of the attention of the worse ones, k their number, so that
// g_alpha - f >= D (1 - k G e^{-eps ||W||}/g), G the greatest |gap| of a better token and g the least gap of
// a worse one: at least D/2 from R_0 = max log(2 k G/g)/eps on. T21's proof then holds with the gaps of worse
// tokens, halved below; the multipliers of W* are all theirs.
#pragma once

#include <optional>

#include "numerics/margin/solution.hpp"
#include "numerics/problem/loss.hpp"

namespace attest {

struct LocalPathBound {
  Rational least_norm;     // R_0: a dyadic; 0 where no group has a better token
  Rational from_radius;    // R >= R_0: a dyadic
  Rational rate_constant;  // K: a dyadic
};

// `solution` is that of the selection's feasible margin problem, every support token of which is worse than
// the selected one, and W* lies in the cone for eps > 0; every group has a worse token. Nothing when the
// multipliers are not known, or too loosely. For heads of one output and logits without offsets.
std::optional<LocalPathBound> bound_local_path(const TokenData& data, const Selection& selection,
                                               const MarginSolution& solution, Loss loss,
                                               const Rational& eps);

}  // namespace attest
