// The losses l of a score: all that depends on which one it is.
#pragma once

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/problem/head_kind.hpp"

namespace attest_check {

// For a loss of a score, at scores f:
Interval loss_slope(Loss loss, const Interval& f);            // |l'(f)|
Interval loss_curvature_ratio(Loss loss, const Interval& f);  // l''(f)/|l'(f)|
Interval most_curvature_ratio(Loss loss, const Interval& f);  // at least that: 1, or for cross-entropy itself
// l(score - deficit) - l(score), relatively accurate at small deficits.
Interval loss_excess(Loss loss, const Interval& score, const Interval& deficit);

// Is |l'| the same at all scores? For every loss |l'| > 0 decreases; for all but cross-entropy, which is -log
// f of the attention f on one token, |l'| <= 1 where it is not exponential, and l'' <= |l'|.
bool loss_is_linear(Loss loss);

// Upper bounds of the largest |l'| and |l''| over scores in [low, high].
struct DerivativeBounds {
  Rational first;
  Rational second;
};
DerivativeBounds derivative_bounds(Loss loss, const Rational& low, const Rational& high);

}  // namespace attest_check
