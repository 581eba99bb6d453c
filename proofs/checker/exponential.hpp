// Outward-rounded exponential in integer arithmetic. Bounds are proved in SOUNDNESS.md.
#pragma once

#include "proofs/checker/exact.hpp"

namespace attest_check {

// A positive real number between lo * 2^exponent and hi * 2^exponent, 0 < lo <= hi.
struct Enclosure {
  Integer lo;
  Integer hi;
  long exponent = 0;

  Rational lower() const { return scale_by_power_of_two(lo, exponent); }
  Rational upper() const { return scale_by_power_of_two(hi, exponent); }
};

// e^x, |x| <= 2^23 (otherwise exit 5), with hi/lo - 1 at most about 2^-bits.
Enclosure exponential(const Rational& x, unsigned bits);

// The least m * 2^e >= x with an m of `bits` bits; x > 0. Keeps sums of many bounds short.
Rational round_up(const Rational& x, unsigned bits);

}  // namespace attest_check
