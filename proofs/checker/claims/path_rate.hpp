// The theorem about the regularisation path in any norm (T21 in SOUNDNESS.md section 7): whatever is no worse
// than a far point of a ray with growing margins has large margins itself.
#pragma once

#include <vector>

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/text/context.hpp"

namespace attest_check {

inline constexpr unsigned path_bits = 384;   // attest-check-verified has 320, and is nowhere sharper
inline constexpr long decay_cut = 1L << 32;  // e^-x is taken for e^-2^32 when it is smaller

// Rejects the claim unless its problem names a loss and the radius is positive.
void require_path(const Claim& claim, const Rational& radius);

// sum_k weight_k log(A/B_c), c = active_k: with margins of at least margin * r at r u, for all r >= radius,
// what is no worse than r u there has margins of at least margin * r - log(A/B_c). Rejects the claim unless
// the selected tokens are the only best ones, and where one may lose all attention at the radius. Throws
// Imprecise.
Interval path_rate(const Claim& claim, const Interval& margin, const Rational& radius,
                   const std::vector<Constraint>& active, const std::vector<Interval>& weight);

}  // namespace attest_check
