// Bounds of a problem that several claim kinds use: how fast the gradient of the training loss can change.
#pragma once

#include "proofs/checker/problem/problem.hpp"

namespace attest_check {

// An upper bound of the Lipschitz constant of the gradient, T6's or the one of selection cross-entropy
// (SOUNDNESS.md section 6). The problem must name a loss.
Rational smoothness_bound(const Problem& problem);

// The largest ||a_it - a_itau||^2 over two tokens of the group, over features.product_denominator().
Integer diameter_squared(const Features& features, std::size_t group);

}  // namespace attest_check
