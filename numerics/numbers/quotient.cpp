#include "numerics/numbers/quotient.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// Both integers are truncated to doubles: two errors of 2^-52, and the rounding of the division.
ScaledDouble scaled_quotient(const Integer& above, const Integer& below) {
  const ScaledDouble top = scaled_double(above), bottom = scaled_double(below);
  return {top.mantissa / bottom.mantissa, top.exponent - bottom.exponent};
}

}  // namespace

double approx_quotient(const Integer& above, const Integer& below) {
  const ScaledDouble found = scaled_quotient(above, below);
  return std::ldexp(found.mantissa, static_cast<int>(std::clamp(found.exponent, -5000L, 5000L)));
}

Rational dyadic_quotient(const Integer& above, const Integer& below) {
  const ScaledDouble found = scaled_quotient(above, below);
  return Rational(found.mantissa) * power_of_two(found.exponent);
}

}  // namespace attest
