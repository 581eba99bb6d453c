// Dyadic rationals m 2^e and the directed roundings between doubles, integers and rationals that proofs need.
#pragma once

#include "numerics/numbers/rational.hpp"

namespace attest {

// 2^exponent.
Rational power_of_two(long exponent);

// value = mantissa * 2^exponent with 1/2 <= |mantissa| < 1, mantissa truncated towards zero; {0, 0} for zero.
// Never over- or underflows.
struct ScaledDouble {
  double mantissa = 0;
  long exponent = 0;
};
ScaledDouble scaled_double(const Integer& value);

// The integer nearest to value * 2^exponent (ties away from zero); `value` finite.
Integer rounded_integer(double value, long exponent);

// A dyadic with a mantissa of at most `bits` bits, at most (at least) `value` and within a factor 1 -+ 2^(2 -
// bits).
Rational dyadic_below(const Rational& value, unsigned bits);
Rational dyadic_above(const Rational& value, unsigned bits);

// A dyadic r >= sqrt(value) with a mantissa of at most bits + 2 bits and r <= sqrt(value) (1 + 2^(3 - bits));
// value >= 0.
Rational dyadic_above_sqrt(const Rational& value, unsigned bits);

// floor(log2 |value|) up to one too small; value != 0.
long approx_log2(const Rational& value);

}  // namespace attest
