// The powers that T17 needs of a rational P > 1, Q = P/(P-1).
#pragma once

#include "numerics/numbers/double_interval.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

struct Exponents {
  Exponent p, p_minus_1, p_minus_2, q, q_minus_1, q_minus_2;
  Exponent one_over_p, one_over_q, one_minus_q, two_minus_p;
  Exponent clock, clock_minus_1, one_over_clock;  // max(1, Q-1)
  int side = 0;                                   // of 2: -1 where P < 2

  // Numerator and denominator of P are at most 64.
  explicit Exponents(const Rational& exponent) {
    const long a = numerator(exponent).convert_to<long>(), b = denominator(exponent).convert_to<long>();
    p = {a, b};
    p_minus_1 = {a - b, b};
    p_minus_2 = {a - 2 * b, b};
    two_minus_p = {2 * b - a, b};
    q = {a, a - b};
    q_minus_1 = {b, a - b};
    q_minus_2 = {2 * b - a, a - b};
    one_minus_q = {-b, a - b};
    one_over_p = {b, a};
    one_over_q = {a - b, a};
    side = a < 2 * b ? -1 : a > 2 * b ? 1 : 0;
    clock = side < 0 ? q_minus_1 : Exponent{1, 1};
    clock_minus_1 = side < 0 ? q_minus_2 : Exponent{0, 1};
    one_over_clock = side < 0 ? p_minus_1 : Exponent{1, 1};
  }
};

}  // namespace attest
