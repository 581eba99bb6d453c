// 2-norms of matrices of four numbers, rounded up: what is left of a step's Jacobian once it is cut along the
// gradient and across it. Discriminants are products of sums, so nothing cancels.
#pragma once

#include <cmath>

namespace attest {

// Of [a, 0; g, k] for a, g, k >= 0.
inline double lower_triangular_norm(double a, double g, double k) {
  const double sum = a * a + g * g + k * k;
  const double minus = a - k, plus = a + k;
  const double root = std::sqrt((g * g + minus * minus) * (g * g + plus * plus));
  return std::sqrt((sum + root) / 2) * (1 + 0x1p-48);
}

// Of [a, g; g, k] for a, g, k >= 0.
inline double symmetric_norm(double a, double g, double k) {
  return ((a + k) + std::sqrt((a - k) * (a - k) + 4 * g * g)) / 2 * (1 + 0x1p-48);
}

}  // namespace attest
