// Powers with rational exponents as enclosures: integer powers in intervals, then integer roots of both ends.
#pragma once

#include "proofs/checker/base/interval.hpp"

namespace attest_check {

// x^exponent for the members of x that are not negative, to about `bits` bits; the exponent's numbers are
// small. Throws Imprecise where the exponent is negative and x may be 0, or where no member is left.
Interval power(const Interval& x, const Rational& exponent, unsigned bits);

// sign(x) |x|^exponent, exponent > 0, which rises with x; 0 at 0.
Interval signed_power(const Interval& x, const Rational& exponent, unsigned bits);

}  // namespace attest_check
