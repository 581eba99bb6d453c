// Square roots of what is known not to be negative, such as sums of squares whose ball dips below zero.
#pragma once

#include "numerics/numbers/ball.hpp"

namespace attest {

// The roots of the ball's members that are not negative.
inline Ball root_of_nonnegative(const Ball& x, long bits) {
  Ball result;
  arb_sqrtpos(result.raw(), x.raw(), bits);
  return result;
}

}  // namespace attest
